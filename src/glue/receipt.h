/*
 * receipt.h
 *		The permission to release that a running statement holds.
 *
 * The executor hooks push a receipt when a statement with dp aggregates first
 * runs, after its epsilon has been checked, and pop it when the statement
 * ends or its (sub)transaction aborts.  release() draws only under the receipt
 * on top, and only what that lists as charged; a call of it in any other place,
 * or once more, is refused.
 */
#ifndef DPS_GLUE_RECEIPT_H
#define DPS_GLUE_RECEIPT_H

#include "postgres.h"

#include "account/shares.h"
#include "glue/compat.h"
#include "noise/plan.h"

/* What was charged: a release, known by where its constant is in the plan, the noise that it is
 * drawn with, and the draws that its charge covers. */
typedef struct DpsPermit
{
	const void *release;
	DpsNoisePlan noise;
	int			ncharged;		/* what the ledger was told of it: */
	DpsCoordinate charged[DPS_MAX_COORDINATES];
	int64		draws;
	int64		passed;			/* of a selection: the number of its last group */
	int32		selection;		/* the one whose groups grant draws; 0: none */
} DpsPermit;

/* The settings that a statement is answered by: those of its start, whoever
 * fetches its rows, and when. */
typedef struct DpsTerms
{
	double		epsilon;		/* dpsens.epsilon, 0 if unset */
	double		selection_epsilon;	/* of selections of groups, likewise */
	double		delta;
	const DpsMechanism *mechanism;
	bool		share_sets;		/* grouping sets that add up share epsilon */
	DpsShares	shares;			/* other answers share it by weights */
} DpsTerms;

typedef struct DpsReceipt
{
	void	   *estate;			/* the execution it belongs to */
	bool		is_restricted;	/* the role may not read the relation itself */
	bool		is_shielded;	/* and rows are read now as they are for such a
								 * role (guard/run/private_run.c) */
	DpsRandom	random;
	DpsHost		host;			/* random's */
	DpsPermit  *permits;		/* draws left */
	int			npermits;
	struct DpsRowFilter *row_filters;	/* the guard's: which rows are left out */
	struct DpsRoomAnswers *rooms;	/* the guard's: what clean rooms have answered */
	int			nest_level;		/* of the subtransaction that pushed it */
	struct DpsReceipt *below;
} DpsReceipt;

/* The receipt of the statement that runs now, or NULL. */
extern DpsReceipt *dps_receipt_current(void);

/* As the settings are now. */
extern DpsTerms dps_present_terms(void);

/* Pushes a receipt for releases that were charged. */
extern DpsReceipt *dps_receipt_push(void *estate, const DpsPermit *permits, int npermits);

/* Uses up one draw, and says what it is drawn with; an error if there is none left, if a
 * restricted one is not shielded, or if that is not what was charged. */
extern const DpsNoisePlan *dps_receipt_draw(DpsReceipt *receipt, const void *release);

/* The error of a draw when none is left. */
pg_noreturn extern void dps_refuse_draw(void);

/* The error of a function of ours that is called where no rewriting has put it. */
pg_noreturn extern void dps_refuse_direct_call(const char *function);

/*
 * The groups of a selection pass one by one and once, as a draw: their numbers
 * begin with 1 and have no gaps; an error for any other.
 */
extern const DpsNoisePlan *dps_receipt_pass(DpsReceipt *receipt, const void *release, int64 number);

/* A group was selected: each release of that selection may be drawn once more. */
extern void dps_receipt_grant(DpsReceipt *receipt, int32 selection);

/* Removes the receipt of this execution, wherever it is in the stack. */
extern void dps_receipt_drop(void *estate);

/* Registers the transaction callbacks; called from _PG_init. */
extern void dps_receipt_init(void);

/*
 * Makes this execution's receipt the current one, and back: an execution may
 * be suspended (a cursor) while others run.  Returns what was current.
 */
extern void *dps_receipt_enter(void *estate);
extern void dps_receipt_leave(void *previous);

#endif							/* DPS_GLUE_RECEIPT_H */
