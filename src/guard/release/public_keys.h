/*
 * public_keys.h
 *		GROUP BY columns of public relations that are joined in.
 */
#ifndef DPS_GUARD_RELEASE_PUBLIC_KEYS_H
#define DPS_GUARD_RELEASE_PUBLIC_KEYS_H

#include "postgres.h"

#include "guard/release/keys.h"

/*
 * The key whose values are those that a column has in its relation, in the
 * order of its type, as whoever asks sees them now; NULL if the expression is
 * not a column of a public relation of a join.  An error if there are too many.
 */
extern DpsKey *dps_public_key(DpsProtectedSource *source, Node *expression);

/* Is there one among the keys? */
extern bool dps_any_key_is_read(const List *keys);

/* Of a plan that is about to run: such keys are read when a plan is made, so it
 * is used once. */
extern void dps_forget_public_keys(const List *releases);

#endif							/* DPS_GUARD_RELEASE_PUBLIC_KEYS_H */
