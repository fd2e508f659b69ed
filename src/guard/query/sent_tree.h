/*
 * sent_tree.h
 *		Queries as bytes, for a plan's constant and for another process.
 */
#ifndef DPS_GUARD_QUERY_SENT_TREE_H
#define DPS_GUARD_QUERY_SENT_TREE_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/* Appends a list of queries and related nodes.  The queries are changed during the call, and restored on
 * return. */
extern void dps_put_tree(StringInfo message, const List *tree);

/* Reads such a list from the message's cursor on, into CurrentMemoryContext. */
extern List *dps_get_tree(StringInfo message);

#endif							/* DPS_GUARD_QUERY_SENT_TREE_H */
