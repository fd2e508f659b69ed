/*
 * chain.h
 *		What the executor computes between a relation and the exact states.
 */
#ifndef DPS_GUARD_TRACE_CHAIN_H
#define DPS_GUARD_TRACE_CHAIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Makes a query of exact states and the traced chain of subqueries below it compute only what the states
 * need, and without errors that depend on a row.  Returns calls (FuncExpr *) that must be evaluated before
 * the first row is read if the asking role may not look at rows: see dps_attempt_calls().
 */
extern List *dps_harden_chain(Query *states, bool restricted);

/* Admits the entry at the end of the traced chain to be read as the relation's owner.  The parts of a join
 * are admitted separately. */
extern void dps_admit_source(Query *states);

#endif							/* DPS_GUARD_TRACE_CHAIN_H */
