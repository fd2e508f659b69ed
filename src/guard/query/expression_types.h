/*
 * expression_types.h
 *		What types and collations a statement computes with.
 */
#ifndef DPS_GUARD_QUERY_EXPRESSION_TYPES_H
#define DPS_GUARD_QUERY_EXPRESSION_TYPES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

typedef struct DpsTypes
{
	List	   *types;			/* of Oid: with what domains are over, and elements
								 * of arrays */
	List	   *collations;		/* of Oid */
} DpsTypes;

/* Of all expressions in the query and what is below it. */
extern DpsTypes dps_expression_types(Query *query);

#endif							/* DPS_GUARD_QUERY_EXPRESSION_TYPES_H */
