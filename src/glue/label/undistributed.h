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

/*
 * May a label be one that Citus copies to a node that is added, or with a shard that is moved?  On a worker of a
 * cluster that has a key; there it makes nothing: the worker answers, charges and declares nothing.
 */
extern bool dps_is_copied_label(void);

/* Raises an error if the relation, or one of its family, is protected, which Citus has come to manage. */
extern void dps_refuse_to_distribute(Oid relation);

#endif							/* DPS_GLUE_LABEL_UNDISTRIBUTED_H */
