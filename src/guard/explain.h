/*
 * explain.h
 *		A query's releases, planned from its text without running it.
 */
#ifndef DPS_GUARD_EXPLAIN_H
#define DPS_GUARD_EXPLAIN_H

#include "postgres.h"

#include "guard/release/release_plan.h"

/* The releases of a statement, of DpsReleasePlan *; an error if it has none or
 * cannot be answered. */
extern List *dps_explain_releases(char *statement);

/* The epsilon that the release would run with, at the present settings. */
extern double dps_explain_epsilon(const DpsReleasePlan *plan);

#endif							/* DPS_GUARD_EXPLAIN_H */
