/*
 * citus.h
 *		The extension Citus beside dpsens, which spreads tables over several servers.
 *
 * Citus keeps the rows of a distributed table in shards, tables of their own on worker nodes and
 * perhaps on the coordinator; the table that people name is an empty shell.  A budget is of one
 * ledger.  So dpsens answers and protects on the coordinator alone: about tables of this server, and
 * about those whose exact sums nodes can add up
 * (guard/distributed/distributed_states.h); not on workers, whose ledgers would be budgets of their own.
 *
 * But for those tables nothing here loosens anything: all that follows from Citus's presence is refused or
 * hidden.  So whether an extension of that name is really Citus need not be asked; and who could make one of
 * that name, a superuser, names the key, too.
 */
#ifndef DPS_GLUE_CITUS_H
#define DPS_GLUE_CITUS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "utils/snapshot.h"

/* Remembers the planner hook that there is; called by dps_hooks_init before ours is set. */
extern void dps_citus_init(void);

/*
 * Plans for reading rows, not through the planner hooks, so that no other extension sees what the rewriter
 * has added.  Where Citus is preloaded, through those that were there before ours: its hooks for relations
 * rely on what its planner hook sets up, and crash without.
 */
extern PlannedStmt *dps_plan_unseen(Query *query, ParamListInfo params);

/* Is there an extension named citus in this database?  Costs a comparison, unless functions, types or
 * schemas have changed since it was asked last. */
extern bool dps_citus_is_present(void);

/* Is this a worker of a cluster of Citus, or unknown to be its coordinator?  As committed now. */
extern bool dps_citus_is_worker(void);

/* What Citus makes of a relation. */
typedef enum DpsCitusKind
{
	DPS_CITUS_NONE,
	DPS_CITUS_TABLE,			/* distributed, reference or local one that it manages */
	DPS_CITUS_SHARD				/* holds rows of such a table */
} DpsCitusKind;

extern DpsCitusKind dps_citus_kind(Oid relation);

/* Is it distributed by the hash of a column, each shard in one place, seen on the coordinator of a cluster that has a
 * key (glue/cluster_key.h)? */
extern bool dps_citus_is_spread(Oid relation);

/* The column that such a table is distributed by. */
extern AttrNumber dps_citus_column(Oid relation);

/* Have the two the same shards, by values of the same type, so that rows with the same value are on one
 * node?  Both are such tables. */
extern bool dps_citus_are_together(Oid one, Oid other);

/* Is it a reference table, of which each node has all rows, seen on the coordinator of such a cluster? */
extern bool dps_citus_is_reference(Oid relation);

/* Is it a table whose rows dps_distribute_states can add up: one or the other? */
extern bool dps_citus_can_add_up(Oid relation);

/* Has a shard of the table come, gone or moved since the snapshot was taken, as committed now?  Then a transaction of
 * a node that is as old may not see its rows. */
extern bool dps_citus_has_moved(Oid relation, Snapshot since);

/* The tables that Citus manages, as a list of OIDs; relations that are no more are not among them. */
extern List *dps_citus_tables(void);

/* Is the object a member of Citus, or of an extension whose name begins with citus_? */
extern bool dps_citus_owns(Oid class, Oid object);

/* The tables of Citus that say which tables there are, how they are distributed, and where their shards and its nodes are, or what
 * stands in front of nodes, as a list of OIDs in a fixed order. */
extern List *dps_citus_catalogue(void);

/* Does the table itself have pages of rows, which it should not if Citus has them? */
extern bool dps_citus_keeps_rows(Oid relation);

/*
 * Raises an error if Citus manages the table, for what is done with rows where they all are: what, as "models trained on",
 * is the beginning of its message.  The hint says what to do instead.
 */
extern void dps_citus_refuse_use(Oid relation, const char *what, const char *detail, const char *hint);

/* Raises an error on a worker. */
extern void dps_citus_refuse_worker(void);

/* Raises an error if dp aggregates may not be answered beside this relation, be it the one that they
 * read or another. */
extern void dps_citus_refuse_source(Oid relation);

#endif							/* DPS_GLUE_CITUS_H */
