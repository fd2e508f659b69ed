/*
 * parameter.h
 *		Arguments of dp aggregates that do not depend on rows: epsilon, quantiles,
 *		buckets.
 */
#ifndef DPS_GUARD_RELEASE_PARAMETER_H
#define DPS_GUARD_RELEASE_PARAMETER_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* The user's epsilon, folded as far as possible; an error unless it consists of constants and parameters. */
extern Expr *dps_take_epsilon(DpsProtectedSource *source, Node *argument);

/* The level of an interval, likewise. */
extern Expr *dps_take_level(DpsProtectedSource *source, Node *argument);

/*
 * Reads an argument of this kind into *parameter and returns its constant; an error unless it is constant
 * and valid.  For a parameter whose value is not known while planning: returns NULL, with a valid
 * placeholder in *parameter.  Pointers in *parameter refer to CurrentMemoryContext.
 */
extern Const *dps_take_parameter(DpsProtectedSource *source, DpsParameterKind kind, Node *argument,
								 DpsParameter *parameter);

/* The n + 1 edges of n buckets of equal width over lo ... hi, both included. */
extern double *dps_equal_edges(double lo, double hi, int n);

#endif							/* DPS_GUARD_RELEASE_PARAMETER_H */
