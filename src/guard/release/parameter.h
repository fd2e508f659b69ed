/*
 * parameter.h
 *		Arguments of dp aggregates that are not about rows: epsilon, quantiles,
 *		buckets.
 */
#ifndef DPS_GUARD_RELEASE_PARAMETER_H
#define DPS_GUARD_RELEASE_PARAMETER_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* The user's epsilon, folded as far as it can be; an error unless it is made of
 * constants and parameters. */
extern Expr *dps_take_epsilon(DpsProtectedSource *source, Node *argument);

/* The same of the level of an interval. */
extern Expr *dps_take_level(DpsProtectedSource *source, Node *argument);

/*
 * What an argument of this kind says, and its constant; an error unless it is one
 * and says something.  NULL, and something that could have been said, for a
 * parameter whose value the plan is not made for.  What is pointed to lives in
 * CurrentMemoryContext.
 */
extern Const *dps_take_parameter(DpsProtectedSource *source, DpsParameterKind kind, Node *argument,
								 DpsParameter *parameter);

/* The edges of n buckets of equal width over lo ... hi, both among them. */
extern double *dps_equal_edges(double lo, double hi, int n);

#endif							/* DPS_GUARD_RELEASE_PARAMETER_H */
