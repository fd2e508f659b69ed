/*
 * expand.h
 *		Rewrites expressions of a level over the columns of what it reads, and
 *		provides these columns at the level.
 */
#ifndef DPS_GUARD_TRACE_EXPAND_H
#define DPS_GUARD_TRACE_EXPAND_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* The range-table index of the only entry that a level reads. */
static inline int
dps_only_index(const Query *query)
{
	return linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
}

/*
 * The expression over columns of the relation: every Var is replaced by what it stands for, down to Vars
 * with the number of a part and the relation's attribute number, and calls of registered expressions are
 * inlined.
 */
extern Node *dps_expand_expression(DpsProtectedSource *source, Node *expression);

/*
 * A Var of the level for the relation's column.  Adds a target entry for it to the simple subqueries in between.
 */
extern Var *dps_expose_column(DpsProtectedSource *source, AttrNumber column);

/* The whole row, NULL where the columns of one are more than a value can hold. */
extern Expr *dps_expose_row(DpsProtectedSource *source);

/* The same for an expanded Var. */
extern Var *dps_expose_var(DpsProtectedSource *source, const Var *var);

/* An expression of the level as the query of exact states writes it. */
extern Node *dps_states_expression(DpsProtectedSource *source, Node *expression);

/* The unit's columns, as a list of Var *, at the level of the states. */
extern List *dps_expose_unit(DpsProtectedSource *source);

#endif							/* DPS_GUARD_TRACE_EXPAND_H */
