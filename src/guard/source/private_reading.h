/*
 * private_reading.h
 *		Finds what subqueries read that is not public.
 */
#ifndef DPS_GUARD_SOURCE_PRIVATE_READING_H
#define DPS_GUARD_SOURCE_PRIVATE_READING_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* Was the query rewritten already?  Then it reads answers of dp aggregates. */
extern bool dps_reads_answers(Query *query);

/*
 * Does a subquery in the expression read anything that is not public?  Reading answers of dp aggregates is
 * allowed.  The ancestors are the queries around the expression, innermost first.  *relation is a private
 * relation that it reads, or InvalidOid if it reads something else.  dps_refuse_private_reading raises the
 * error for it.
 */
extern bool dps_reads_private(Node *node, List *ancestors, Oid *relation);

extern void dps_refuse_private_reading(const DpsProtectedSource *source, Node *condition, List *ancestors);

#endif							/* DPS_GUARD_SOURCE_PRIVATE_READING_H */
