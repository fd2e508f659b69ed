/*
 * distributed_plan.h
 *		The plan that Citus makes of (a): what it may be, and whose aggregates add up what nodes send.
 *
 * Precondition: the statement is Citus's plan of the query, whose columns are keys, states, and numbers of rows.
 *
 * Postcondition: it reads what nodes send, and nothing else: no step whose rows are kept or moved between nodes.
 * States are added up by dpsens_internal.sum of their type, whatever aggregate Citus has found by that name;
 * no other aggregate but the server's is called.
 *
 * Proof sketch.  The plan is one scan of Citus, below an aggregation or not, and a sort or not.  The server's
 * nodes take their aggregates from the Aggrefs in the target list of the aggregation alone.  One of a column
 * of states has as its argument a column of the scan of the same type, without a filter, an order or a second
 * argument; so has the one that is put in its place, under the same numbers, whose functions the executor
 * looks up by its OID when it begins.  Any other plan is refused.
 */
#ifndef DPS_GUARD_DISTRIBUTED_DISTRIBUTED_PLAN_H
#define DPS_GUARD_DISTRIBUTED_DISTRIBUTED_PLAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Raises an error, before Citus plans, if it would take a function that is no aggregate for the one that
 * adds up states. */
extern void dps_refuse_foreign_sum(void);

/*
 * Raises an error if the plan is none that is described above, and puts our aggregates in their place.
 * lacks_values: parameters of the query have no values yet, for which Citus puts off its errors.
 */
extern void dps_own_plan(PlannedStmt *statement, const Query *states, bool lacks_values);

#endif							/* DPS_GUARD_DISTRIBUTED_DISTRIBUTED_PLAN_H */
