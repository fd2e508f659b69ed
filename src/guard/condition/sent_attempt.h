/*
 * sent_attempt.h
 *		Attempts that nodes of a cluster make (attempt.h).
 *
 * dpsens_internal.attempt(plan, type, arguments ...) is exact_attempt whose plan is of a type that travels
 * (agg/state/travel.h).
 *
 * Precondition: what is attempted follows from the arguments alone, whatever the node's settings and catalogs; each
 * node has the same functions and types by the same numbers; and their collation is what the parser of a node
 * derives from the arguments.
 *
 * Postcondition: the node's call has the value that this server's would have.  A role that has got hold of a plan,
 * as one may that asks by itself, calls by it a function of the server with arguments of that function's own
 * types, and learns what it could have computed.
 *
 * Proof sketch.  The function, its string conversion and all types are the server's own, by numbers that
 * are given before initdb, and immutable; none reads a setting (dps_reads_settings); none is polymorphic, so each argument is what the function
 * declares.  The same is asked when a node makes the call.  Only who has the key of the cluster makes a plan.
 */
#ifndef DPS_GUARD_CONDITION_SENT_ATTEMPT_H
#define DPS_GUARD_CONDITION_SENT_ATTEMPT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "agg/aggregate.h"

/* Do arguments and a result of these types fit a plan that was sent? */
extern bool dps_fits_sent(const DpsAttempt *plan, int nargs, const Oid *types, Oid result);

/* Changes all attempts in the query for which the precondition holds into such that nodes make; the others stay. */
extern void dps_send_attempts(Query *query);

#endif							/* DPS_GUARD_CONDITION_SENT_ATTEMPT_H */
