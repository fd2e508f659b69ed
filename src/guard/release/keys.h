/*
 * keys.h
 *		GROUP BY under dp aggregates: where keys come from.
 */
#ifndef DPS_GUARD_RELEASE_KEYS_H
#define DPS_GUARD_RELEASE_KEYS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/public/values.h"
#include "guard/source/protected_source.h"
#include "guard/trace/key_form.h"

/* The columns of the entry that lists a key's values. */
#define DPS_KEY_VALUE 1
#define DPS_KEY_ORDINAL 2

/* The keys of a level, as a list of DpsKey *, in the order of its GROUP BY. */
extern List *dps_collect_keys(DpsProtectedSource *source, Query *query);

extern bool dps_any_key_is_private(const List *keys);

/* Is the set of groups not known in advance? */
extern bool dps_any_key_is_undeclared(const List *keys);

/* The number of groups: combinations of declared values, 1 without keys. */
extern int64 dps_key_combinations(const List *keys);

/*
 * The key, without a clause, of a column with declared values; NULL if the expression is not a column or
 * has no declared values.  Raises an error if two of the values are equal.
 */
extern DpsKey *dps_declared_key(DpsProtectedSource *source, Node *expression);

/* The declared values as one constant array. */
extern Const *dps_key_array(const DpsKey *key);

/* column = ANY (values) */
extern Expr *dps_key_membership(const DpsKey *key, Expr *column);

/* Puts the values in the order of their type. */
extern void dps_sort_key(DpsKey *key);

/* An expression over the column: the number of its declared value in sorted order, from 1; NULL if it has
 * another value.  Precondition: dps_sort_key(). */
extern Expr *dps_key_number(const DpsKey *key, Expr *column);

/* A range table entry that lists the declared values with their ordinals. */
extern RangeTblEntry *dps_key_values(const DpsKey *key);

/* Vars of the value and the ordinal of the entry at this position. */
extern Var *dps_key_var(const DpsKey *key, int position);
extern Var *dps_key_ordinal(int position);

/* Adds ORDER BY the ordinals of the entries 1 to n, as junk columns of the query. */
extern void dps_order_by_declaration(Query *query, int n);

#endif							/* DPS_GUARD_RELEASE_KEYS_H */
