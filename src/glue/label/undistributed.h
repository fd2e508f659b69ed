/*
 * undistributed.h
 *		A table is either protected or one of Citus's, but for those whose sums nodes can add up (glue/citus.h).
 */
#ifndef DPS_GLUE_LABEL_UNDISTRIBUTED_H
#define DPS_GLUE_LABEL_UNDISTRIBUTED_H

#include "postgres.h"

/* Raises an error if the relation, or one of its family, is a shard or a table that Citus manages and whose
 * sums nodes cannot add up, or this a worker: for what protects, declares or grants. */
extern void dps_refuse_distributed(Oid relation);

/* Raises an error if the relation, or one of its family, is protected, which Citus has come to manage. */
extern void dps_refuse_to_distribute(Oid relation);

#endif							/* DPS_GLUE_LABEL_UNDISTRIBUTED_H */
