/*
 * sent_tree.h
 *		Queries as bytes, for a plan's constant and for another process.
 */
#ifndef DPS_GUARD_QUERY_SENT_TREE_H
#define DPS_GUARD_QUERY_SENT_TREE_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/* Appends a list of queries and what belongs to them.  The queries are changed meanwhile,
 * and as they were on return. */
extern void dps_put_tree(StringInfo message, const List *tree);

/* Reads it from the cursor on, into CurrentMemoryContext. */
extern List *dps_get_tree(StringInfo message);

#endif							/* DPS_GUARD_QUERY_SENT_TREE_H */
