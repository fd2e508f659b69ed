/*
 * evaluator.h
 *		A registered expression and its derivatives over rows of its table,
 *		compiled once and evaluated in batches.
 *
 * Rows are clamped into the declared ranges first (definitions, section 1), so every
 * number is that of the clamped row.  Evaluation is total: a number that does
 * not exist is NaN.
 */
#ifndef DPS_AUDIT_EVALUATOR_H
#define DPS_AUDIT_EVALUATOR_H

#include "postgres.h"

#include "access/htup_details.h"
#include "lib/ilist.h"

#include "glue/analysis/derived.h"
#include "glue/analysis/row.h"
#include "glue/import/cell.h"
#include "glue/label/annotation.h"

/* How much is computed of each row. */
typedef enum DpsDetail
{
	DPS_DETAIL_VALUE,
	DPS_DETAIL_SLOPES,			/* and gradient */
	DPS_DETAIL_GRADIENT,		/* and norm, and normalized gradient */
	DPS_DETAIL_PARTIAL,			/* and Hessian, and partial sensitivity */
	DPS_DETAIL_SLOPE			/* value and the slope of private column 0; of
								 * column j at DPS_DETAIL_SLOPE + j */
} DpsDetail;

/* Private columns are those that the expression uses, in the table's order. */
typedef struct DpsEvaluator
{
	dlist_node	link;			/* among those that an invalidation may make
								 * stale */
	MemoryContext memory;		/* of all this; deleting it is enough */
	MemoryContextCallback unlink;
	MemoryContext parent;		/* of memory */
	int			users;			/* slots that hold it */
	bool		stale;			/* function, table or annotations have changed */

	Oid			function;
	uint32		function_hash;	/* in the cache of pg_proc */
	Oid			relation;
	Oid			row_type;
	TupleDesc	descriptor;		/* of the row */
	DpsAdjacency adjacency;
	bool		is_protected;
	DpsRowAnalysis row;

	const DpsProgram *program;
	double	   *scratch;
	int			ncells;
	DpsCell    *cells;			/* of each variable */
	double	  **columns;		/* raw cells to be evaluated */
	double	  **outputs;		/* of the program */

	int			nprivate;
	int			variable[DPS_MAX_VARIABLES];	/* of each private column */
	double		weights[DPS_MAX_VARIABLES];
	DpsDetail	detail;
	double	   *value;
	double	   *slope;			/* of the one column, NULL if there is none such */
	DpsDerived	derived;
	DpsDomain  *box;			/* room for one of a row */
	DpsEnclosure *enclosures;	/* and for what the program makes of it */

	Datum	   *datums;			/* room for a row's columns */
	bool	   *nulls;
	double	   *seen;			/* raw cells of row 0 */
	bool		has_seen;		/* it is evaluated */
	TupleDesc	result;			/* of a caller that returns rows, in memory */
} DpsEvaluator;

/* The name of private column j, palloc'd. */
extern char *dps_private_column(const DpsEvaluator *evaluator, int j);

/*
 * Compiles a registered expression into a new context below the parent.  An
 * error for a function that is none, and for columns without a range.
 */
extern DpsEvaluator *dps_evaluator_make(Oid function, DpsDetail detail, MemoryContext parent);

/*
 * The function's evaluator in a slot (fn_extra), found anew when it is stale or
 * that of another function or detail; then *fresh is set.  Slots of one parent
 * and detail share it: an audit view calls for every column of every row.
 */
extern DpsEvaluator *dps_evaluator_find(DpsEvaluator **slot, Oid function, DpsDetail detail,
										MemoryContext parent, bool *fresh);

/* Makes a row of the expression's table row 0 and evaluates it, unless its cells are
 * those of the last one.  Raises if it is no such row. */
extern void dps_evaluate_row(DpsEvaluator *evaluator, HeapTupleHeader tuple);

/* One cell of a row, before it is evaluated. */
static inline void
dps_evaluator_set(DpsEvaluator *evaluator, int row, int variable, Datum cell, bool isnull)
{
	evaluator->columns[variable][row] = isnull ? (double) NAN :
		dps_read_cell(evaluator->cells[variable].type, cell);
}

/*
 * The same of a row whose cells the caller has: first each variable's, in their
 * order, and then the evaluation.
 */
static inline void
dps_evaluator_see(DpsEvaluator *evaluator, int variable, Datum datum, bool isnull)
{
	double		cell = isnull ? (double) NAN : dps_read_cell(evaluator->cells[variable].type, datum);

	/* by bits: 0 is not -0, and NaN is itself */
	if (memcmp(&cell, &evaluator->seen[variable], sizeof(double)) != 0)
	{
		evaluator->seen[variable] = cell;
		evaluator->has_seen = false;
	}
}

extern void dps_evaluate_seen(DpsEvaluator *evaluator);

/* Evaluates the first nrows <= DPS_BATCH rows. */
extern void dps_evaluator_run(DpsEvaluator *evaluator, int nrows);

/* Did the row have a value? */
static inline bool
dps_evaluator_valid(const DpsEvaluator *evaluator, int row)
{
	return isfinite(evaluator->value[row]);
}

/* Does it have a gradient that is not 0? */
static inline bool
dps_evaluator_steep(const DpsEvaluator *evaluator, int row)
{
	return dps_evaluator_valid(evaluator, row) && evaluator->derived.norm[row] > 0 &&
		isfinite(evaluator->derived.norm[row]);
}

/* Is the privacy loss that of the adjacency metric? */
static inline bool
dps_evaluator_is_metric(const DpsEvaluator *evaluator)
{
	return evaluator->is_protected && evaluator->adjacency == DPS_METRIC;
}

/* The detail that dps_evaluator_plis needs for private column j, or for all if
 * it is negative. */
static inline DpsDetail
dps_plis_detail(bool is_metric, int j)
{
	return is_metric ? DPS_DETAIL_PARTIAL : j < 0 ? DPS_DETAIL_SLOPES : (DpsDetail) (DPS_DETAIL_SLOPE + j);
}

/*
 * The privacy loss input susceptibility of private column j (definitions, section 3):
 * 2 H W^-2 g / sigma^2 under metric, else 2 f g / sigma^2.
 */
extern double dps_evaluator_plis(const DpsEvaluator *evaluator, int row, int j, double sigma);

#endif							/* DPS_AUDIT_EVALUATOR_H */
