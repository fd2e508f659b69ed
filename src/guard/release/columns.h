/*
 * columns.h
 *		The variables of a row expression: columns of the protected relation,
 *		and conditions on them that the server evaluates.
 */
#ifndef DPS_GUARD_RELEASE_COLUMNS_H
#define DPS_GUARD_RELEASE_COLUMNS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "glue/import/import.h"
#include "guard/release/keys.h"
#include "guard/source/protected_source.h"

/* One variable. */
typedef struct DpsColumn
{
	AttrNumber	number;
	Index		part;			/* the part that the column belongs to, as varno */
	bool		epoch;
	Node	   *condition;		/* over columns of the relation; NULL for the
								 * column itself */
	Expr	   *argument;		/* the exact aggregate's, over the level's Vars */
	DpsCell		cell;
	bool		is_public;
	double		weight;
	bool		nullable;
} DpsColumn;

typedef struct DpsColumns
{
	DpsProtectedSource *source;
	const List *conditions;		/* expanded, all true of every row that counts */
	DpsColumn	column[DPS_MAX_VARIABLES];	/* by variable */
} DpsColumns;

/* Lets the import find its variables here; graph is not touched.  conditions: expanded, all true of every row that counts;
 * they may choose among ranges of a column. */
extern void dps_columns_prepare(DpsImport *import, DpsColumns *columns, DpsProtectedSource *source, const List *conditions);

/* 1 if the column's cell is valid, else NULL: what dp_count(column) adds.  For columns of every type. */
extern const DpsNode *dps_import_validity(DpsImport *import, Var *var);

/* The number of the column's declared value, from 1; NULL for another value. */
extern const DpsNode *dps_import_declared(DpsImport *import, Var *var, const DpsKey *key);

#endif							/* DPS_GUARD_RELEASE_COLUMNS_H */
