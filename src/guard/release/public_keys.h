/*
 * public_keys.h
 *		GROUP BY columns of public relations in joins.
 */
#ifndef DPS_GUARD_RELEASE_PUBLIC_KEYS_H
#define DPS_GUARD_RELEASE_PUBLIC_KEYS_H

#include "postgres.h"

#include "guard/release/keys.h"

/*
 * The key of a column of a public relation in a join.  Its values are those that the column has in its
 * relation, visible now to the role that asks, in the order of their type.  NULL if the expression is not
 * such a column; an error if it has too many values.
 */
extern DpsKey *dps_public_key(DpsProtectedSource *source, Node *expression);

/* Notes of a key with declared values whether it is a column of a relation that keys could be read from. */
extern void dps_note_public_column(DpsProtectedSource *source, DpsKey *key);

/* Is one of the keys read from a public relation? */
extern bool dps_any_key_is_read(const List *keys);

/* Called when a plan starts to run.  Such keys are read when a plan is made, so this session's cached plans
 * over the relations are invalidated, and a plan is used only once. */
extern void dps_forget_public_keys(const List *releases);

/*
 * A condition over the columns of entry 1, which are the keys in their order: is the combination of those that are
 * columns of one relation, and of which one was read, one that a row of it has?  NULL if there is nothing to ask.
 */
extern Node *dps_met_combinations(const List *keys);

#endif							/* DPS_GUARD_RELEASE_PUBLIC_KEYS_H */
