/*
 * private_reading.h
 *		What subqueries read that is not public.
 */
#ifndef DPS_GUARD_SOURCE_PRIVATE_READING_H
#define DPS_GUARD_SOURCE_PRIVATE_READING_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* Is it a level that was rewritten already?  Then what it reads are answers. */
extern bool dps_reads_answers(Query *query);

/*
 * Does a subquery in the expression read what is not public?  Answers may be read.
 * The ancestors are the queries around it, the innermost first.  *relation is one that
 * it reads, or InvalidOid where it is something else.  The other function refuses.
 */
extern bool dps_reads_private(Node *node, List *ancestors, Oid *relation);

extern void dps_refuse_private_reading(const DpsProtectedSource *source, Node *condition, List *ancestors);

#endif							/* DPS_GUARD_SOURCE_PRIVATE_READING_H */
