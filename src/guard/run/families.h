/*
 * families.h
 *		Checks that a plan reads the tables that the proofs are about.
 */
#ifndef DPS_GUARD_RUN_FAMILIES_H
#define DPS_GUARD_RUN_FAMILIES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The relations that a query names, each with all that inherit from it (a list of OID lists).  Locks them
 * until the transaction ends.  To be called before anything is proved about them. */
extern List *dps_note_families(Query *query);

/* An error unless the families are still the same.  To be called after planning. */
extern void dps_check_families(const List *families);

#endif							/* DPS_GUARD_RUN_FAMILIES_H */
