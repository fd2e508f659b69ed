/*
 * ledger.h
 *		The ledger: the cost of each release is durable, in a transaction of its own,
 *		before the release happens.
 *
 * The safety argument: no row reaches a client before dps_ledger_charge() has returned, and that returns
 * only after another process has committed the charge durably.  Whatever happens to the client's
 * transaction, statement or connection, the charge stays; a crash in between charges too much, never too
 * little.
 *
 * If a process of dpsens computes the rows, it may begin when the charge is decided: committed, so that
 * every later charge sees it, but not yet flushed.  Its results are not used before dps_ledger_settle()
 * has returned, that is, before the charge is durable.  A crash that loses the charge loses the rows as
 * well.
 *
 * A launcher without a database starts one worker per database on demand (launcher.c, worker.c).  Backends
 * send requests through slots in shared memory (slots.c).  The worker takes all pending requests, decides
 * and records them in one transaction (book.c), and answers after the commit.
 */
#ifndef DPS_LEDGER_LEDGER_H
#define DPS_LEDGER_LEDGER_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "account/filter.h"
#include "noise/mechanism.h"

#define DPS_CHARGE_COORDINATES 2

/* How far a change of one private column of a row moves what a release adds noise to, by coordinates. */
typedef struct DpsColumnMoves
{
	NameData	column;
	uint64		moves[DPS_CHARGE_COORDINATES];
} DpsColumnMoves;

/* One release; all of it is public. */
typedef struct DpsChargeItem
{
	Oid			relation;		/* the relation whose rows are released */
	char		mechanism[16];
	char		adjacency[16];
	double		epsilon;		/* as requested */
	double		delta;			/* as requested; 0 if the mechanism has none */
	double		sensitivity;	/* real-valued */
	int32		grid;			/* the unit of the integers is 2^grid */
	int32		ncoordinates;	/* released integers; 0: an exact release */
	uint64		sensitivities[DPS_CHARGE_COORDINATES];
	uint64		scales[DPS_CHARGE_COORDINATES];
	uint64		joined[DPS_CHARGE_COORDINATES]; /* integers whose joint norm each
												 * sensitivity is */
	uint64		steps;			/* of noise on samples, each of this scale; 0
								 * unless the mechanism is DPS_SUBSAMPLED */
	double		rate;			/* of those samples */
	DpsLoss		loss;			/* what is charged; delta 0 unless the mechanism
								 * can fail beyond its zCDP bound */
	bool		needs_budget;	/* the asking role may not read the relation itself, so it needs a budget */
	DpsReplacement replacement;	/* what a changed column costs that is not among these: */
	int32		ncolumns;
	DpsColumnMoves *columns;
	int32		release;		/* items of one statement with the same number are one release, charged to several
								 * relations */
	int32		arms;			/* of UNION ALL, in each of which a person can have a row; 1 without it */
	int32		group_size;		/* so many units are protected together, to whom this is the loss; 1: each by itself */
	double		factor;			/* of the epsilon that was written, where answers share it; else 0: to say why, for people */
	int64		shown_units;	/* of a selection of groups: of so many a group is shown with probability 1/2 or more; else 0 */
	uint64		labels;			/* the declarations of the relation's units that it was planned from
								 * (dps_unit_fingerprint) */
	const char *expression;
	const char *contribution;	/* the contribution of a row, as contribution.h writes it, or NULL */
} DpsChargeItem;

/* What a standby knows of the catalogs (primary/catalogs.h); zeros elsewhere. */
#define DPS_CATALOGS_SIZE 32

typedef struct DpsCatalogs
{
	uint8		digest[DPS_CATALOGS_SIZE];
} DpsCatalogs;

/* The kinds of requests to the ledger. */
typedef enum DpsRequestKind
{
	DPS_REQUEST_CHARGE,
	DPS_REQUEST_FAILURE,		/* count a failure of the role (failures.h) */
	DPS_REQUEST_FORGIVENESS,	/* delete the failures of the role */
	DPS_REQUEST_REFUSAL,		/* log a statement that was refused (refusals.h) */
	DPS_REQUEST_SEAL,			/* seal all that is not sealed yet (journal/seal.h) */
	DPS_REQUEST_KINDS			/* how many there are */
} DpsRequestKind;

/* The releases of one statement.  Other kinds of requests have none. */
typedef struct DpsCharge
{
	DpsRequestKind kind;
	Oid			role;			/* the asking role */
	const char *query;
	uint64		oldest_change;	/* transactions from this one on may have committed without being visible to
								 * the statement */
	bool		of_statement;	/* the guard has looked at what it reads */
	bool		settles;		/* the asking process flushes the charge itself */
	bool		is_watched;		/* somebody else than the asking role may see why it is refused (dps_ledger_draft) */
	DpsCatalogs catalogs;		/* those that the statement was planned from */
	int			nitems;
	DpsChargeItem *items;
} DpsCharge;

/* A charge that was decided. */
typedef struct DpsDecision
{
	int64		last_release;	/* the number of the last recorded release */
	uint64		end;			/* the end of its commit record in the log; 0 if it is durable */
} DpsDecision;

/*
 * Charges all items, or raises an error that says why it does not.  When it returns, the charge is
 * durable.  Returns the number of the last recorded release.  To be called in the leader, with
 * interrupts enabled: it waits for another process, at most dpsens.ledger_timeout.  A cancelled call may
 * have charged.  A standby has its primary charge (primary/primary_charge.h).
 */
extern int64 dps_ledger_charge(const DpsCharge *charge);

/*
 * The same in three steps.  dps_ledger_draft checks what only this process can know, and writes the charge
 * as bytes.  dps_ledger_decide has it decided; another process of the database may call it.
 * dps_ledger_settle makes it durable, which takes no longer than a flush; a standby's is durable when it
 * is decided.
 */
extern StringInfoData dps_ledger_draft(const DpsCharge *charge);
extern DpsDecision dps_ledger_decide(const StringInfoData *draft);
extern void dps_ledger_settle(const DpsDecision *decision);

/* Reads a draft. */
extern const DpsCharge *dps_ledger_read_draft(const StringInfoData *draft);

/* Counts a failure of a statement of the role while private rows were read for it. */
extern void dps_ledger_note_failure(Oid role);

/* Are statements that are refused logged here? */
extern bool dps_ledger_logs_refusals(void);

/* Logs a statement of the role that was refused before it was charged, and the protected ones of its relations.  Waits for
 * the ledger's worker; raises no error. */
extern void dps_ledger_note_refusal(Oid role, const List *relations, const char *query, int sqlerrcode, const char *message);

/* Raises an error if a charge is impossible, before the ledger is asked: with commits that a crash can
 * lose, and with uncommitted changes of budgets or of rows with accounts.  Also for a statement that was
 * charged and continues. */
extern void dps_ledger_check_server(void);

/* On a standby: notes the catalogs that a statement is about to be planned from.  Elsewhere nothing. */
extern void dps_ledger_note_catalogs(void);

/* The catalogs that were noted last, to be called when a statement begins, before anything is checked.  An
 * error if they have changed since on this standby. */
extern DpsCatalogs dps_ledger_noted_catalogs(void);

/* Marks the budgets as changed by the running transaction.  Until it ends no charge is made in this
 * session, since the worker does not see the change. */
extern void dps_ledger_budget_changed(void);

/* The same for rows with accounts of their own: no answer may be computed from a change that may be rolled
 * back. */
extern void dps_ledger_rows_changed(void);

/* Relations or roles are about to be renamed, or were, by the running transaction, or relations are about to be
 * dropped: the names in the ledger are updated. */
extern void dps_ledger_names_note(void);
extern void dps_ledger_names_changed(void);
extern void dps_ledger_names_end(void);

/* Asks the worker of a database to exit, and waits up to a second for it.  DROP DATABASE and similar
 * statements require that nobody is connected. */
extern void dps_ledger_dismiss(Oid database);

/* Sets up shared memory, launcher and hooks.  Called from _PG_init while shared_preload_libraries are
 * loaded. */
extern void dps_ledger_init(void);

#endif							/* DPS_LEDGER_LEDGER_H */
