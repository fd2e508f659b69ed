/*
 * source.h
 *		Checks of the relations and queries that training reads.
 */
#ifndef DPS_MODEL_TRAIN_SOURCE_H
#define DPS_MODEL_TRAIN_SOURCE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "nodes/plannodes.h"

/*
 * Raises an error if rows of a protected relation can be read through this one: through
 * a view or materialized view, at any depth, or because a relation of its inheritance
 * family (dps_relation_family) is protected.  The caller has locked the relation.
 */
extern void dps_refuse_hidden_source(Oid relation);

/*
 * The columns of a query over the relation, in CurrentMemoryContext.  Errors: it is not
 * one SELECT; it reads a protected relation other than this one; or, if this one is
 * protected, the query is not one that computes each result row from one row alone.
 */
extern TupleDesc dps_check_training_query(Oid relation, bool is_protected, const char *query);

/*
 * The plan of a query that reads the relation, or a query over it as its only subquery.
 * The checks of dps_check_training_query and dps_refuse_hidden_source are repeated on the
 * tree that is planned, so that changes by other sessions since then cannot make it read
 * more.
 */
extern PlannedStmt *dps_plan_source(Oid relation, bool is_protected, const char *query);

#endif							/* DPS_MODEL_TRAIN_SOURCE_H */
