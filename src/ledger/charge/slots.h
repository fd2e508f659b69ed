/*
 * slots.h
 *		The shared memory between backends that charge, the launcher and the workers.
 *
 * One LWLock protects all of it.  It is held while at most one request is copied, or an answer to each
 * request of a database.  The states of a slot are
 *
 *	FREE -> PENDING (backend) -> TAKEN (worker) -> ANSWERED (worker) -> FREE (backend)
 *
 * A backend that gives up frees a PENDING or ANSWERED slot itself, and marks a TAKEN one as ABANDONED,
 * which the worker frees.  So no slot is lost, and a request that was taken is charged even if no backend
 * waits for it any more.
 */
#ifndef DPS_LEDGER_CHARGE_SLOTS_H
#define DPS_LEDGER_CHARGE_SLOTS_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/* The maximum number of databases with a worker at the same time. */
#define DPS_LEDGER_DATABASES 64

extern void dps_slots_request(void);

/* Creates the memory or attaches to it.  Called from shmem_startup_hook. */
extern void dps_slots_startup(void);

/* ---- backends ---- */

/* Submits the request in the buffer and waits for the answer.  An error if there is none in
 * dpsens.ledger_timeout, or if the ledger does not run. */
extern void dps_slots_submit(const char *request, Size length, DpsChargeAnswer *answer);

/* Signals the worker of a database to exit, and waits up to a second for it. */
extern void dps_slots_dismiss(Oid database);

/* ---- launcher ---- */

/* Makes this process the launcher until it exits. */
extern void dps_slots_enter_launcher(void);

/* A database with requests and without a worker, or InvalidOid.  Makes an entry for its worker: the
 * launcher must start the worker, or report that it cannot.  *start is the number of the start, since a
 * worker may begin while its predecessor ends. */
extern Oid	dps_slots_next_database(uint64 *start);

/* The worker of this start could not be started, or has ended.  If it never entered, removes the entry and
 * answers every request of the database. */
extern void dps_slots_fail_database(Oid database, uint64 start, const DpsChargeAnswer *answer);

/* Removes the entry of this start; the requests stay. */
extern void dps_slots_postpone(Oid database, uint64 start);

/* Signals a worker without requests to exit; false if there is none. */
extern bool dps_slots_dismiss_idle(void);

/* The databases whose worker has not entered yet, for a launcher that was restarted.  Returns their
 * number. */
extern int	dps_slots_starting(Oid databases[DPS_LEDGER_DATABASES], uint64 starts[DPS_LEDGER_DATABASES]);

/* ---- workers ---- */

/* Makes this process the worker of its database until it leaves.  False if its start was given up, or if
 * there is another worker already. */
extern bool dps_slots_enter_worker(Oid database, uint64 start);

/* Takes up to max pending requests and returns their number.  slots[i] is the slot of requests[i], which
 * is copied into CurrentMemoryContext. */
extern int	dps_slots_take(Oid database, int max, int *slots, DpsCharge **requests);

/* Answers a slot that was taken. */
extern void dps_slots_answer(int slot, const DpsChargeAnswer *answer);

/* Removes the worker's entry and returns true, unless requests are pending. */
extern bool dps_slots_leave_worker(Oid database);

#endif							/* DPS_LEDGER_CHARGE_SLOTS_H */
