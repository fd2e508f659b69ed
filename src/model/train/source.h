/*
 * source.h
 *		What a relation that is not protected reads.
 */
#ifndef DPS_MODEL_TRAIN_SOURCE_H
#define DPS_MODEL_TRAIN_SOURCE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "nodes/plannodes.h"

/*
 * An error if rows of a protected relation can be read through this one, which is
 * not protected itself: through a view or materialized view, however deep, a partition
 * of it, or a partitioned table above it.  The caller has locked the relation.
 */
extern void dps_refuse_hidden_source(Oid relation);

/*
 * The columns of a query over the relation, in CurrentMemoryContext.  Errors: it is not
 * one SELECT; it shows rows of a protected relation other than this one; or, if this
 * one is protected, a row of the result is not computed from one row of it alone.
 */
extern TupleDesc dps_check_training_query(Oid relation, bool is_protected, const char *query);

/*
 * The plan of a query that reads the relation, or a query over it as its only
 * subquery.  What dps_check_training_query and dps_refuse_hidden_source say is found out
 * anew of the very tree that is planned: whatever other sessions have made since, no
 * more is read than that.
 */
extern PlannedStmt *dps_plan_source(Oid relation, bool is_protected, const char *query);

#endif							/* DPS_MODEL_TRAIN_SOURCE_H */
