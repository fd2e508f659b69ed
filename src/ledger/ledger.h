/*
 * ledger.h
 *		The ledger: what each release costs is durable, in a transaction of its
 *		own, before the release happens.
 *
 * The safety argument: no row reaches a client before dps_ledger_charge() has
 * returned, and that returns only after another process has committed the charge,
 * durably.  Whatever happens to the client's transaction, statement or connection,
 * the charge stays; a crash in between over-charges, never under-charges.
 *
 * Where a process of ours computes the rows it may begin when the charge is decided:
 * committed, so that every later charge sees it, but not yet flushed.  What it has
 * computed goes nowhere before dps_ledger_settle() has returned, which is when the
 * charge is durable: a crash that forgets the charge forgets the rows as well.
 *
 * A launcher without a database starts one worker per database on demand
 * (launcher.c, worker.c).  Backends ask through slots in shared memory
 * (slots.c); the worker takes all pending requests, decides and records them in
 * one transaction (book.c), and answers after the commit.
 */
#ifndef DPS_LEDGER_LEDGER_H
#define DPS_LEDGER_LEDGER_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "noise/mechanism.h"

#define DPS_CHARGE_COORDINATES 2

/* One release; all of it is public. */
typedef struct DpsChargeItem
{
	Oid			relation;		/* whose rows it is about */
	char		mechanism[16];
	char		adjacency[16];
	double		epsilon;		/* as asked for */
	double		delta;			/* as asked for; 0 where the mechanism has none */
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
	bool		needs_budget;	/* of a role: whoever asks may not read the
								 * relation itself */
	const char *expression;
	const char *contribution;	/* of a row, as contribution.h writes it, or
								 * NULL */
} DpsChargeItem;

/* What is asked of the ledger. */
typedef enum DpsRequestKind
{
	DPS_REQUEST_CHARGE,
	DPS_REQUEST_FAILURE,		/* one of the role is to be counted (failures.h) */
	DPS_REQUEST_FORGIVENESS		/* those of the role are to be forgotten */
} DpsRequestKind;

/* The releases of one statement; other kinds have none. */
typedef struct DpsCharge
{
	DpsRequestKind kind;
	Oid			role;			/* who asks */
	const char *query;
	uint64		oldest_change;	/* transactions from this one on may have
								 * happened without the statement seeing it */
	bool		settles;		/* whoever asks waits for its being durable */
	int			nitems;
	DpsChargeItem *items;
} DpsCharge;

/* A charge that was decided. */
typedef struct DpsDecision
{
	int64		last_release;	/* the number of the last one that was recorded */
	uint64		end;			/* in the log, of its commit; 0: it is durable */
} DpsDecision;

/*
 * Charges all of it or raises an error that says why not; when it returns, the
 * charge is durable.  Returns the number of the last release that was
 * recorded.  To be called in the leader, outside recovery, with
 * interrupts on: it waits for another process, at most dpsens.ledger_timeout.
 * A cancelled call may have charged.
 */
extern int64 dps_ledger_charge(const DpsCharge *charge);

/*
 * The same in three steps: checks what only this process can know, and writes the charge
 * down; has it decided, which another process of the database may ask for; settles it,
 * which takes no longer than the disk.
 */
extern StringInfoData dps_ledger_draft(const DpsCharge *charge);
extern DpsDecision dps_ledger_decide(const StringInfoData *draft);
extern void dps_ledger_settle(const DpsDecision *decision);

/* What a draft asks for. */
extern const DpsCharge *dps_ledger_read_draft(const StringInfoData *draft);

/* A statement of the role failed while private rows were read for it. */
extern void dps_ledger_note_failure(Oid role);

/* Raises the error of what makes it impossible to charge, before anybody is asked:
 * recovery, commits that a crash takes back, budgets that are not committed.  For what was charged
 * and goes on, too. */
extern void dps_ledger_check_server(void);

/* Marks the budgets as changed by the running transaction: until it ends no
 * charge is made, since the worker could not see the change. */
extern void dps_ledger_budget_changed(void);

/* The same for rows that have accounts of their own: a change that is rolled
 * back must not have been answered from. */
extern void dps_ledger_rows_changed(void);

/* Relations or roles were renamed by the running transaction, or relations are
 * about to be dropped: the ledger, which knows them by their names too, follows. */
extern void dps_ledger_names_changed(void);
extern void dps_ledger_names_end(void);

/* Asks the worker of a database to leave, and waits up to a second for it:
 * DROP DATABASE and its relatives need the database to themselves. */
extern void dps_ledger_dismiss(Oid database);

/* Shared memory, launcher and hooks; called from _PG_init while
 * shared_preload_libraries are loaded. */
extern void dps_ledger_init(void);

#endif							/* DPS_LEDGER_LEDGER_H */
