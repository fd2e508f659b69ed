/*
 * written.h
 *		Conditions that stand for others, written out.
 */
#ifndef DPS_GUARD_CONDITION_WRITTEN_H
#define DPS_GUARD_CONDITION_WRITTEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * What the node stands for, or the node itself.  A call of one of the server's
 * functions in SQL is its body: round(x) is round(x, 0), interval + date is
 * date + interval, x || 1 is x || 1::text.  A comparison of rows, a null test of
 * one, and a comparison with each element of an array are those of their
 * columns or elements, as SQL defines them.
 */
extern Node *dps_written_out(Node *node);

/* Is it one of the server's own, written in this language, and the same for
 * every row? */
extern bool dps_is_stable_builtin(Oid function, Oid language);

/*
 * The elements of an array that is written in the query, in *elements, as they are
 * after casts of the array; false if it is another, or longer than 64.
 */
extern bool dps_array_elements(Node *array, List **elements);

#endif							/* DPS_GUARD_CONDITION_WRITTEN_H */
