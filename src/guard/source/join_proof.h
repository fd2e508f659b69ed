/*
 * join_proof.h
 *		Proves that a join does not multiply rows.
 */
#ifndef DPS_GUARD_SOURCE_JOIN_PROOF_H
#define DPS_GUARD_SOURCE_JOIN_PROOF_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * The number of parts, including the given one, of which a row of the given part matches at most one row.
 * If these are not all parts, *multiplying is a part that may have several matching rows.  If these are
 * all parts, source->indexes are the indexes that prove it.
 */
extern int	dps_prove_join(DpsProtectedSource *source, int number, const DpsPart **multiplying);

/* Are the columns, or some of them, a key of the part's relation?  Adds the index that proves it to source->indexes. */
extern bool dps_prove_key(DpsProtectedSource *source, int number, const DpsUnitColumns *columns);

/* The conditions that are true of every row of the join, split at AND. */
extern List *dps_join_conjuncts(const DpsProtectedSource *source);

#endif							/* DPS_GUARD_SOURCE_JOIN_PROOF_H */
