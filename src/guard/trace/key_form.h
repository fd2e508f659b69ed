/*
 * key_form.h
 *		A key of GROUP BY, and the form that rows are grouped by.
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
	Node	   *canonical;		/* what rows are grouped by: the same value, and
								 * equal ones look the same */
	Oid			type;
	int32		typmod;
	Oid			collation;
	const DpsValues *values;	/* the declared ones; NULL: not known */
	bool		is_read;		/* they were read from a public relation */
	bool		is_private;
} DpsKey;

/*
 * An expression of the level as a key without a clause.  An error if a row could
 * make it fail, or do more than compute.
 */
extern DpsKey *dps_undeclared_key(DpsProtectedSource *source, Node *expression);

/* Makes a key that rows are grouped by and whose values are shown; an error if
 * equal values of its type can look different and there is no way around it. */
extern void dps_canonical_key(DpsProtectedSource *source, DpsKey *key);

/* The value that is shown of such a key, whose bytes are the same whichever row of the
 * group it is of. */
extern Expr *dps_shown_key(const DpsKey *key, Expr *value);

#endif							/* DPS_GUARD_TRACE_KEY_FORM_H */
