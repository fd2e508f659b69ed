/*
 * distributed_states.h
 *		Exact states of a table that Citus has distributed.
 *
 * Precondition: the role that asks may read the table; level (a) of the rewritten query (rewrite.c) reads
 * this table and no other relation, yields one block of states, limits no units' rows, and depends on no
 * query around it.
 *
 * Postcondition: what the query made here yields is the block that (a) would yield of a table of this
 * server with the rows of all shards.  Nothing else of the statement leaves this server: no release, no
 * noise, nothing that is compared with an answer.
 *
 * Proof sketch.  (a) is one aggregate over the rows that its WHERE keeps, and its states are sums of
 * integers that follow from each row alone, in 128 bits modulo 2^128 without order (agg/state/groups.h); so
 * the sum over the table is the sum of the sums over disjoint parts of its rows, whichever node computes
 * one, and however often the planner of Citus tries.  Each row is in one shard.  A unit here is one row, so
 * that the bound of a unit's contribution (definitions.md) holds of the rows that are read, even though
 * shards are read with snapshots of their own: the answer is then of a table that may never have been as a
 * whole, but in which each row is a row of the table at some instant.  A release draws once, here, of the
 * block; it was charged before (a) runs.
 */
#ifndef DPS_GUARD_DISTRIBUTED_DISTRIBUTED_STATES_H
#define DPS_GUARD_DISTRIBUTED_DISTRIBUTED_STATES_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Does the query read a table that Citus has distributed, at any depth? */
extern bool dps_reads_distributed(const Query *states);

/*
 * A query with the same column that reads what (a) yields of all nodes.  is_folded: (a) is one block of
 * states.  Citus plans (a) once, so that what it does not answer is refused before anything is charged.
 * Raises an error where the precondition does not hold.
 */
extern Query *dps_distribute_states(Query *states, bool is_restricted, bool is_folded, ParamListInfo params);

/* Lets the server lock the relations before it uses the plan again, and plan anew if they have changed. */
extern void dps_depend_on_distributed(PlannedStmt *statement, const List *relations);

/* ---- distributed_run.c ---- */

/* Plans (a) by the planner of Citus, as a statement that is sent. */
extern PlannedStmt *dps_plan_distributed(Query *states, ParamListInfo params);

#endif							/* DPS_GUARD_DISTRIBUTED_DISTRIBUTED_STATES_H */
