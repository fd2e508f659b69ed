/*
 * chain.h
 *		What the executor computes between a relation and the exact states.
 */
#ifndef DPS_GUARD_CHAIN_H
#define DPS_GUARD_CHAIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Makes a query of exact states and the traced chain of subqueries below it
 * compute what the states need, and nothing else, in a way that no row makes
 * fail.
 */
extern void dps_harden_chain(Query *states);

#endif							/* DPS_GUARD_CHAIN_H */
