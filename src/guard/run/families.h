/*
 * families.h
 *		That the tables of a plan are those that proofs were about.
 */
#ifndef DPS_GUARD_RUN_FAMILIES_H
#define DPS_GUARD_RUN_FAMILIES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The relations that a query names, with all that inherit from them, which are locked
 * until the transaction ends: before anything is proved about them. */
extern List *dps_note_families(Query *query);

/* After it was planned: an error unless they still are what they were. */
extern void dps_check_families(const List *families);

#endif							/* DPS_GUARD_RUN_FAMILIES_H */
