/*
 * unique_proof.h
 *		Whether a unique index proves that rows of a snapshot are distinct.
 */
#ifndef DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H
#define DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H

#include "postgres.h"

#include "utils/snapshot.h"

/*
 * Raises an error unless the index, on which a plan relies, is still a valid unique
 * index, and has been one for all rows that the snapshot sees.
 */
extern void dps_check_unique_proof(Oid index, Snapshot snapshot);

#endif							/* DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H */
