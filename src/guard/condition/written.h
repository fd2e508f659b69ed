/*
 * written.h
 *		Conditions that abbreviate others, written out.
 */
#ifndef DPS_GUARD_CONDITION_WRITTEN_H
#define DPS_GUARD_CONDITION_WRITTEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * The expression that the node abbreviates, or the node itself.  A call of one of the server's functions in
 * SQL is its body: round(x) is round(x, 0), interval + date is date + interval, x || 1 is x || 1::text.  A
 * comparison of rows, a null test of one, and a comparison with each element of an array become the
 * conditions on their columns or elements that define them in SQL.
 */
extern Node *dps_written_out(Node *node);

/* Is it a function of the server, written in this language, and not volatile? */
extern bool dps_is_stable_builtin(Oid function, Oid language);

/*
 * The elements of an array that is written in the query, in *elements, with casts of the array applied to
 * each.  False if the array is of another form, or longer than 64.
 */
extern bool dps_array_elements(Node *array, List **elements);

#endif							/* DPS_GUARD_CONDITION_WRITTEN_H */
