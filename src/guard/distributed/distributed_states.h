/*
 * distributed_states.h
 *		Exact states of tables that Citus has distributed.
 *
 * Precondition: the role that asks may read all tables, or a clean room reads them for that role
 * (lent_rights.h); level (a) of the rewritten query (rewrite.c) reads a
 * distributed table and no other relation, or a join that distributed_places.h describes, depends on no query
 * around it, and limits the rows of units, if at all, within blocks of states, by owners that are in one
 * place.
 *
 * Postcondition: what the query made here yields are the states that (a) would yield of a table of this
 * server with the rows of all shards.  Nothing else of the statement leaves this server: no release, no
 * noise, nothing that is compared with an answer.
 *
 * Proof sketch.  The states of (a) are sums, and tallies, of integers that follow from each row alone, in 128
 * bits without order (agg/state/groups.h); so those of the table are the sums of those of disjoint parts of
 * its rows, whichever node computes one, and however often the planner of Citus tries.  Each row is in one
 * shard, or, of a join, found beside one (distributed_places.h).  Which rows of a unit count follows from the
 * unit's rows alone (agg/state/units.h), which are in one shard.  Shards are read with snapshots of their own:
 * the answer may be of a table that has never been as a whole, but a unit's rows in it are those of one
 * instant, so that the bound of a unit's contribution (definitions.md) holds.  A release draws once, here, of
 * the block; it was charged before (a) runs.
 */
#ifndef DPS_GUARD_DISTRIBUTED_DISTRIBUTED_STATES_H
#define DPS_GUARD_DISTRIBUTED_DISTRIBUTED_STATES_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

#include "guard/source/protected_source.h"

/* Does the query read a table that Citus has distributed, at any depth? */
extern bool dps_reads_distributed(const Query *states);

/* What the constant begins with that holds (a). */
#define DPS_DISTRIBUTED_MAGIC 0x44495354

/*
 * A query with the same columns that reads what (a) of this source yields of all nodes.  Citus plans (a) once,
 * so that what it does not answer is refused before anything is charged. Raises an error where the
 * precondition does not hold.
 */
extern Query *dps_distribute_states(Query *states, DpsProtectedSource *source);

/* Lets the server lock the relations before it uses the plan again, and plan anew if they have changed. */
extern void dps_depend_on_distributed(PlannedStmt *statement, const List *relations);

/* What stands for (a): a call of exact_distributed with (a), and its parameters, in a constant. */
extern FuncExpr *dps_make_distributed_call(Query *states);

/* ---- distributed_run.c ---- */

/* Is the expression a call of what stands for (a)? */
extern bool dps_is_distributed_call(const Node *expression);

/* A copy of (a). */
extern Query *dps_states_of_call(const FuncExpr *call);

/* Raises an error if what such a call runs would be refused now: for a plan that is used again, before it is
 * charged. */
extern void dps_check_distributed(const FuncExpr *call, ParamListInfo params);

/* Plans (a) by the planner of Citus, as a statement that is sent. */
extern PlannedStmt *dps_plan_distributed(Query *states, ParamListInfo params);

/* In a room: runs (a) as it will be run, but of no row.  Changes it. */
extern void dps_try_distributed(Query *states);

#endif							/* DPS_GUARD_DISTRIBUTED_DISTRIBUTED_STATES_H */
