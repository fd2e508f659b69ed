/*
 * unique_proof.h
 *		What a unique index proves about the rows that a statement sees.
 */
#ifndef DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H
#define DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H

#include "postgres.h"

#include "utils/snapshot.h"

/*
 * Is the index, which proved something when a plan was made, one that proves it
 * for what the snapshot sees?  An error if not.
 */
extern void dps_check_unique_proof(Oid index, Snapshot snapshot);

#endif							/* DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H */
