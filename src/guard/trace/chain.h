/*
 * chain.h
 *		What the executor computes between a relation and the exact states.
 */
#ifndef DPS_GUARD_TRACE_CHAIN_H
#define DPS_GUARD_TRACE_CHAIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Makes a query of exact states and the traced chain of subqueries below it
 * compute what the states need, and nothing else, in a way that no row makes
 * fail.  Returns calls (FuncExpr *) that must be evaluated before the first row
 * is read, if whoever asks may not look at rows: dps_attempt_calls().
 */
extern List *dps_harden_chain(Query *states, bool restricted);

/* Lets the entry at the end of the traced chain of a query of exact states be
 * read as the relation's owner; the parts of a join are admitted by themselves. */
extern void dps_admit_source(Query *states);

#endif							/* DPS_GUARD_TRACE_CHAIN_H */
