/*
 * key_form.h
 *		A key of GROUP BY, and the form by which rows are grouped.
 */
#ifndef DPS_GUARD_TRACE_KEY_FORM_H
#define DPS_GUARD_TRACE_KEY_FORM_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/public/values.h"
#include "guard/source/protected_source.h"

/* One key. */
typedef struct DpsKey
{
	SortGroupClause *clause;
	Node	   *expression;		/* as written, over the level's Vars */
	Node	   *canonical;		/* the expression by which rows are grouped: equal to expression, with equal
								 * bytes for equal values */
	Oid			type;
	int32		typmod;
	Oid			collation;
	const DpsValues *values;	/* the declared values; NULL if they are not known */
	bool		is_read;		/* the values were read from a public relation */
	const DpsPart *part;		/* the public relation whose column it is, if keys could be read from it; or NULL */
	AttrNumber	column;
	bool		is_private;
} DpsKey;

/*
 * An expression of the level as a key without a clause.  An error if evaluating it could fail for a row or
 * have side effects.
 */
extern DpsKey *dps_undeclared_key(DpsProtectedSource *source, Node *expression);

/* Sets the canonical form of a key by which rows are grouped and whose values are shown.  An error if
 * equal values of its type can have different bytes and the type has no canonical form. */
extern void dps_canonical_key(DpsProtectedSource *source, DpsKey *key);

/*
 * The column that the canonical form is of, where that is NULL for values that are too long and otherwise the value as it is
 * stored; *condition: it is neither.  NULL if the form is another one.
 */
extern const Var *dps_short_column(const Node *canonical, Node **condition);

/* Is the expression of the canonical form of a numeric key, whose equal values have equal images? */
extern bool dps_is_trimmed_numeric(const Node *expression);

/* The value that is shown for such a key.  Its bytes are the same whichever row of the group it comes
 * from. */
extern Expr *dps_shown_key(const DpsKey *key, Expr *value);

#endif							/* DPS_GUARD_TRACE_KEY_FORM_H */
