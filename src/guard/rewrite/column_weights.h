/*
 * column_weights.h
 *		Which columns of weights of their own can change a release.
 */
#ifndef DPS_GUARD_REWRITE_COLUMN_WEIGHTS_H
#define DPS_GUARD_REWRITE_COLUMN_WEIGHTS_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/*
 * The private columns that a release of the traced source reads, for agg/weights.h; NULL if adjacency is not attribute or
 * no column has a weight below 1.  readings: of the level, as it was written (column_changes.h); keys: of
 * DpsKey *; arguments and filter: of the aggregate, as they were written.
 */
extern DpsWeights *dps_weigh_columns(DpsProtectedSource *source, const List *readings, const List *keys, const List *arguments,
									 const Expr *filter);

#endif							/* DPS_GUARD_REWRITE_COLUMN_WEIGHTS_H */
