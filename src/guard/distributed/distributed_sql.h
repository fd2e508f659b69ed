/*
 * distributed_sql.h
 *		A query of exact states in a form that can be written as SQL, as Citus does.
 *
 * Precondition: the query is level (a), made by the rewriting: its outer joins are LEFT JOINs.
 *
 * Postcondition: it yields the same rows, whatever those of the tables are, and FROM has joins of two sides
 * each, with conditions in ON and WHERE, whose entries name their columns as the parser would.
 *
 * Proof sketch.  A condition on the kept side of an outer join selects the same rows above the join, which
 * neither removes nor changes them; one on the optional side selects them in ON, which decides which of them
 * are met.  FROM of several items is their product in any order, and a condition on it may stand in WHERE, or
 * ON, above.
 */
#ifndef DPS_GUARD_DISTRIBUTED_DISTRIBUTED_SQL_H
#define DPS_GUARD_DISTRIBUTED_DISTRIBUTED_SQL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Removes the WITH queries that nothing refers to, which are not run, from the query and those in it. */
extern void dps_drop_unread(Query *query);

/* Changes the query, and those in it. */
extern void dps_make_writable(Query *query);

#endif							/* DPS_GUARD_DISTRIBUTED_DISTRIBUTED_SQL_H */
