/*
 * unique_proof.h
 *		Whether a unique index proves that rows of a snapshot are distinct.
 */
#ifndef DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H
#define DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H

#include "postgres.h"

#include "utils/relcache.h"
#include "utils/snapshot.h"

/*
 * Raises an error unless the index, on which a plan relies, is still a valid unique
 * index, and has been one for all rows that the snapshot sees.
 */
extern void dps_check_unique_proof(Oid index, Snapshot snapshot);

/*
 * Is the index one of columns alone, and of all rows?  Says so without calling a function of whoever made it, which the
 * server does where it computes what is constant in a predicate or an expression: views that look at the tables of all
 * roles do so with the rights of who looks.
 */
extern bool dps_is_plain_index(Relation index);

#endif							/* DPS_GLUE_CONSTRAINT_UNIQUE_PROOF_H */
