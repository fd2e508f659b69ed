/*
 * expression_types.h
 *		The types and collations that a statement computes with.
 */
#ifndef DPS_GUARD_QUERY_EXPRESSION_TYPES_H
#define DPS_GUARD_QUERY_EXPRESSION_TYPES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

typedef struct DpsTypes
{
	List	   *types;			/* of Oid: with base types of domains and element types of
								 * arrays */
	List	   *collations;		/* of Oid */
} DpsTypes;

/* The types and collations of all expressions in the query and its subqueries. */
extern DpsTypes dps_expression_types(Query *query);

#endif							/* DPS_GUARD_QUERY_EXPRESSION_TYPES_H */
