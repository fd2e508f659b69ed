/*
 * join_proof.h
 *		Joins that do not multiply rows.
 */
#ifndef DPS_GUARD_SOURCE_JOIN_PROOF_H
#define DPS_GUARD_SOURCE_JOIN_PROOF_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * How many parts have at most one row that is met by a row of the part of this
 * number, itself included?  If not all: *multiplying is one that may have more.
 * If all, source->indexes are those that prove it.
 */
extern int	dps_prove_join(DpsProtectedSource *source, int number, const DpsPart **multiplying);

/* Is no value of the column twice in the part's relation?  Adds the index that says so. */
extern bool dps_prove_key(DpsProtectedSource *source, int number, AttrNumber column);

/* Conditions that are true of every row of the join, split at AND. */
extern List *dps_join_conjuncts(const DpsProtectedSource *source);

#endif							/* DPS_GUARD_SOURCE_JOIN_PROOF_H */
