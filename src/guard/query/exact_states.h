/*
 * exact_states.h
 *		Calls of exact states in a query: the columns of a row that they read.
 */
#ifndef DPS_GUARD_QUERY_EXACT_STATES_H
#define DPS_GUARD_QUERY_EXACT_STATES_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"

/* The summand that is the first argument of an exact state. */
extern const DpsSummandPlan *dps_state_summand(const Aggref *state);

/* The expression of the row for a cell, by its number from 0.  Anything but a column is NULL where the
 * state's filter does not pass. */
extern Expr *dps_state_cell(const Aggref *state, int number);

/* The same as a call of exact_cell, which yields the double that programs read and is never NULL. */
extern Expr *dps_state_double(const Aggref *state, int number);

/* Makes the state read such doubles, one for each of its cells, and replaces its filter; filter may be
 * NULL. */
extern void dps_state_read(Aggref *state, const List *doubles, Expr *filter);

#endif							/* DPS_GUARD_QUERY_EXACT_STATES_H */
