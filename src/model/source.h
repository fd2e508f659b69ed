/*
 * source.h
 *		What a relation that is not protected reads.
 */
#ifndef DPS_MODEL_SOURCE_H
#define DPS_MODEL_SOURCE_H

#include "postgres.h"

/*
 * An error if rows of a protected relation can be read through this one, which is
 * not protected itself: through a view or materialized view, however deep, a partition
 * of it, or a partitioned table above it.  The caller has locked the relation.
 */
extern void dps_refuse_hidden_source(Oid relation);

#endif							/* DPS_MODEL_SOURCE_H */
