/*
 * slots.h
 *		The shared memory between backends that charge, the launcher and the
 *		workers.
 *
 * One LWLock protects all of it; it is held for copying at most one request.
 * A slot goes
 *
 *		FREE -> PENDING (backend) -> TAKEN (worker) -> ANSWERED (worker) -> FREE (backend)
 *
 * and a backend that gives up frees a PENDING or ANSWERED slot itself and
 * leaves a TAKEN one as ABANDONED, which the worker frees: no slot is ever lost,
 * and a request that was taken is charged whoever still waits for it.
 */
#ifndef DPS_LEDGER_SLOTS_H
#define DPS_LEDGER_SLOTS_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/* Databases that can have a worker at the same time. */
#define DPS_LEDGER_DATABASES 64

extern void dps_slots_request(void);

/* Creates or attaches to it; from shmem_startup_hook. */
extern void dps_slots_startup(void);

/* ---- backends ---- */

/* Waits for an answer to the request in the buffer; raises an error if none
 * comes in time or the ledger does not run. */
extern void dps_slots_submit(const char *request, Size length, DpsChargeAnswer *answer);

/* Signals the worker of a database to leave and waits for it a little. */
extern void dps_slots_dismiss(Oid database);

/* ---- launcher ---- */

/* Makes this process the launcher until it exits. */
extern void dps_slots_enter_launcher(void);

/* A database with requests and without a worker, or InvalidOid.  It is entered
 * as having one: the launcher is to start it, or to say that it cannot.  *start
 * numbers the start, since a worker may begin while the one before it ends. */
extern Oid	dps_slots_next_database(uint64 *start);

/* The worker of this start could not be started, or ended: if it did not come to
 * work, removes the entry and answers every request for it. */
extern void dps_slots_fail_database(Oid database, uint64 start, const DpsChargeAnswer *answer);

/* This start is put off: its requests stay. */
extern void dps_slots_postpone(Oid database, uint64 start);

/* Signals a worker that has nothing to do to leave; false if there is none. */
extern bool dps_slots_dismiss_idle(void);

/* Databases whose worker has not yet come to work, for a launcher that was
 * restarted; returns how many. */
extern int	dps_slots_starting(Oid databases[DPS_LEDGER_DATABASES], uint64 starts[DPS_LEDGER_DATABASES]);

/* ---- workers ---- */

/* Makes this process the worker of its database until it leaves; false if its
 * start was given up, or there is another one already. */
extern bool dps_slots_enter_worker(Oid database, uint64 start);

/* Takes up to max pending requests: slots[i] is the slot of requests[i], which
 * is copied into CurrentMemoryContext. */
extern int	dps_slots_take(Oid database, int max, int *slots, DpsCharge **requests);

/* Answers a slot that was taken. */
extern void dps_slots_answer(int slot, const DpsChargeAnswer *answer);

/* Leaves, unless there are requests pending: then false. */
extern bool dps_slots_leave_worker(Oid database);

#endif							/* DPS_LEDGER_SLOTS_H */
