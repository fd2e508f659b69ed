/*
 * exact_states.h
 *		Calls of exact states in a query: what they read of a row.
 */
#ifndef DPS_GUARD_QUERY_EXACT_STATES_H
#define DPS_GUARD_QUERY_EXACT_STATES_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"

/* What a call of an exact state is given first. */
extern const DpsSummandPlan *dps_state_summand(const Aggref *state);

/* Of the row, for the cell of this number, from 0: what is more than a column is NULL
 * where the state's filter does not pass. */
extern Expr *dps_state_cell(const Aggref *state, int number);

/* The same as the double that programs are given, never NULL. */
extern Expr *dps_state_double(const Aggref *state, int number);

/* Makes the state read such doubles, one for each of its cells, and this filter, or NULL. */
extern void dps_state_read(Aggref *state, const List *doubles, Expr *filter);

#endif							/* DPS_GUARD_QUERY_EXACT_STATES_H */
