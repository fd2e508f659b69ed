/*
 * range_table.h
 *		Entries of the range tables of queries that the guard makes.
 */
#ifndef DPS_GUARD_QUERY_RANGE_TABLE_H
#define DPS_GUARD_QUERY_RANGE_TABLE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* A subquery in FROM, under this name. */
extern RangeTblEntry *dps_subquery_entry(Query *query, const char *name);

/* SELECT * FROM call AS name (the columns of the query): what stands for a query that is computed elsewhere.  The call
 * returns rows. */
extern Query *dps_read_call(FuncExpr *call, const Query *of, const char *name);

/* The parameters in a query, as a list of Param *, each once, behind those of the list. */
extern List *dps_add_parameters(List *parameters, Query *query);

/* The RangeTblRef of an entry, by its number. */
extern Node *dps_range_ref(int index);

/* Does the entry read stored rows?  An expanded view leaves an entry of the view itself, which nothing
 * reads. */
extern bool dps_is_stored(const RangeTblEntry *entry);

/* The OIDs of all relations that the query names, in it and in all queries in it. */
extern List *dps_named_relations(const Query *query);

/* Visits each entry of the query, and of all queries in it, that reads stored rows. */
typedef void (*DpsVisitEntry) (const RangeTblEntry *entry);
extern void dps_visit_stored(Query *query, DpsVisitEntry visit);

#endif							/* DPS_GUARD_QUERY_RANGE_TABLE_H */
