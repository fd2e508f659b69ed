/*
 * meter.c
 *		The individual sensitivity of a row: how far it can move a past release.
 *
 * definitions, section 6.  With q the integer that the row contributes if it counts, h = q in this case
 * and 0 otherwise, and h~ its contribution in a neighbouring relation:
 *
 * - add_remove: |h|;
 * - replace: the largest |h - h~| for h~ between lo and hi, or 0;
 * - attribute: the same for h~ that a change of one private column can make, or 0, from enclosures of the
 *   value over the column's range;
 * - if the row can be in another group in a neighbouring relation, h and h~ are separate integers: |h| +
 *   |h~| in the 1-norm, sqrt(h^2 + h~^2) in the 2-norm.
 *
 * 0 is always among the h~, so leaving a row out, as the individual filter does, is no larger a move.  A
 * row of which it is not known whether it counted gets the larger value of both cases.
 *
 * Of a unit of several rows all rows are measured together (unit_tally.c).
 *
 * A mean releases either the pair sum(q - lo), sum(hi - q), in one stage or with a second, or the centred
 * sum and the count (agg/families/avg.c).  The same cases lead to the formulas below.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/once.h"
#include "expr/enclose.h"
#include "glue/glue.h"
#include "glue/import/cell.h"
#include "glue/import/import.h"
#include "glue/import/import_time.h"
#include "glue/import/parse.h"
#include "ledger/rows/meter.h"
#include "num/whole.h"

/* The unit of counts is 2^-40 if a unit has one row.  For releases in coarser units this overstates the
 * loss. */
#define COUNT_GRID (-40)

/* One cell. */
typedef struct MeterCell
{
	ExprState  *state;
	Oid			type;			/* type of the cell */
	AttrNumber	column;			/* the column on which the cell depends */
	bool		is_private;
	DpsDomain	domain;
} MeterCell;

struct DpsMeter
{
	DpsContributionKind kind;
	DpsAdjacency adjacency;
	int			norm;
	DpsUnitTally *tally;		/* NULL: each row is a unit */
	uint64		count_unit;
	bool		moves;
	bool		spreads;		/* rows of a unit can be in several groups */
	int			grid;
	int64		lo;
	int64		hi;
	int64		centre;
	double		value_lo;
	double		value_hi;
	double		margin;			/* by how much an enclosure is extended: for values that it may lack, and for
								 * rounding to the grid */
	int			n;
	uint64		limits[DPS_CHARGE_COORDINATES];

	int			nconditions;
	ExprState **conditions;
	bool		conditions_complete;

	const DpsProgram *program;	/* NULL: every row counts */
	const DpsProgram *slopes;	/* the derivatives by all cells; NULL: not wanted */
	int			ncells;
	MeterCell  *cells;
	double	  **columns;
	double	   *scratch;
	double		value;
	double	   *outputs[1];
	double	   *slope_scratch;
	double	   *slope;			/* by cell */
	double	  **slope_outputs;
	DpsDomain  *box;			/* attribute only: workspace for enclosures */
	DpsEnclosure *enclosures;
};

/* What is known of a row. */
typedef struct Row
{
	bool		may_count;
	bool		may_not_count;
	int64		q;				/* if it may count */
	int64		lo;				/* range of h~, if the row counts */
	int64		hi;
} Row;

/* ---- compiling ---- */

static bool
columns_are_same(const DpsContribution *contribution, Oid relation)
{
	ListCell   *cell;

	foreach(cell, contribution->columns)
	{
		const char *then = lfirst(cell);
		const char *now = dps_column_signature(relation, (AttrNumber) atoi(then));

		if (now == NULL || strcmp(then, now) != 0)
			return false;
	}
	return true;
}

/* True (and ends the walk) if the expression uses a column that was not compared. */
static bool
uses_only_walker(Node *node, const List *columns)
{
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, uses_only_walker, (void *) columns);
	foreach(cell, columns)
	{
		if (atoi(lfirst(cell)) == ((Var *) node)->varattno)
			return false;
	}
	return true;
}

/* Parses an expression; NULL unless it may be evaluated on every row. */
static Node *
parse_total(const char *sql, const DpsContribution *contribution, Relation relation)
{
	DpsSource	source;
	Node	   *expression;

	dps_source_enter(&source, sql);
	expression = dps_parse_row_expression(sql, relation);
	dps_source_leave(&source);
	if (!dps_is_total(expression) || uses_only_walker(expression, contribution->columns))
		return NULL;
	return expression;
}

static ExprState *
prepare(Node *expression)
{
	return ExecInitExpr((Expr *) expression_planner((Expr *) expression), NULL);
}

static bool
compile_conditions(DpsMeter *meter, const DpsContribution *contribution, Relation relation)
{
	ListCell   *cell;

	meter->conditions_complete = contribution->conditions_complete;
	meter->conditions = palloc(sizeof(ExprState *) * dps_max(list_length(contribution->conditions), 1));
	foreach(cell, contribution->conditions)
	{
		Node	   *condition = parse_total(lfirst(cell), contribution, relation);

		if (condition == NULL || exprType(condition) != BOOLOID)
			return false;
		meter->conditions[meter->nconditions++] = prepare(condition);
	}
	return true;
}

static bool
column_walker(Node *node, AttrNumber *column)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, column_walker, column);
	if (*column != 0 && *column != ((Var *) node)->varattno)
		return true;
	*column = ((Var *) node)->varattno;
	return false;
}

/* Fills the cell, and the type of the variable that stands for it.  False if that is not possible. */
static bool
compile_cell(MeterCell *cell, const DpsContributionCell *described, const DpsContribution *contribution,
			 Relation relation, DpsType *type)
{
	Node	   *expression = parse_total(described->sql, contribution, relation);

	if (expression == NULL || column_walker(expression, &cell->column) || cell->column == 0)
		return false;
	cell->type = getBaseType(exprType(expression));
	if (dps_is_time_type(cell->type))
		*type = DPS_NUMERIC;
	else if (!dps_type_from_oid(cell->type, type))
		return false;
	cell->state = prepare(expression);
	cell->is_private = described->is_private;
	cell->domain = described->domain;
	return true;
}

/* The value's variables are parameters, numbered as the cells are. */
static int
resolve_cell(DpsImport *import, Node *leaf, bool epoch)
{
	if (!IsA(leaf, Param) || epoch)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a recorded contribution has an unexpected leaf")));
	return ((Param *) leaf)->paramid - 1;
}

static void
compile_slopes(DpsMeter *meter, DpsGraph *graph, const DpsNode *value)
{
	int			n = graph->nvariables;
	const DpsNode **gradient = palloc(sizeof(DpsNode *) * Max(n, 1));
	DpsStatus	status = dps_gradient(graph, value, gradient);
	int			i;

	if (status == DPS_OK)
		status = dps_compile(graph, gradient, n, &meter->slopes);
	if (status == DPS_NOMEM)
		dps_check_status(status);
	/* losses do not depend on derivatives */
	if (status != DPS_OK)
		meter->slopes = NULL;
	if (meter->slopes == NULL)
		return;
	meter->slope_scratch = palloc(sizeof(double) * dps_max(dps_scratch_size(meter->slopes), 1));
	meter->slope = palloc0(sizeof(double) * Max(n, 1));
	meter->slope_outputs = palloc(sizeof(double *) * Max(n, 1));
	for (i = 0; i < n; i++)
		meter->slope_outputs[i] = &meter->slope[i];
}

static void
compile_value(DpsMeter *meter, const char *value, DpsGraph *graph, bool with_slopes)
{
	DpsParseColumns names = {.n = graph->nvariables, .missing_hint = ""};
	DpsParseColumn *name = palloc(sizeof(DpsParseColumn) * Max(graph->nvariables, 1));
	DpsImport	import = {.graph = graph, .resolve = resolve_cell, .source_text = value};
	const DpsNode *node;
	DpsSource	source;
	int			i;

	for (i = 0; i < graph->nvariables; i++)
		name[i] = (DpsParseColumn) {graph->variables[i].name, dps_type_to_oid(graph->variables[i].type)};
	names.column = name;
	dps_source_enter(&source, value);
	node = dps_as_float8(graph, dps_import(&import, dps_parse_expression(value, &names)));
	dps_source_leave(&source);
	if (node == NULL)
		dps_check_status(DPS_NOMEM);
	dps_check_status(dps_compile(graph, &node, 1, &meter->program));
	if (with_slopes && graph->nvariables > 0)
		compile_slopes(meter, graph, node);
}

static bool
compile_cells(DpsMeter *meter, const DpsContribution *contribution, bool with_slopes, Relation relation)
{
	DpsGraph   *graph;
	int			i;

	if (contribution->value == NULL)
		return true;
	dps_check_status(dps_graph_init(&graph, dps_server_arena()));
	meter->ncells = contribution->ncells;
	meter->cells = palloc0(sizeof(MeterCell) * Max(meter->ncells, 1));
	meter->columns = palloc(sizeof(double *) * Max(meter->ncells, 1));
	for (i = 0; i < meter->ncells; i++)
	{
		DpsType		type;

		if (!compile_cell(&meter->cells[i], &contribution->cells[i], contribution, relation, &type))
			return false;
		if (dps_graph_add_variable(graph, psprintf("c%d", i + 1), type,
								   meter->cells[i].domain.nullness != DPS_NEVER_NULL) != i)
			return false;
		meter->columns[i] = palloc(sizeof(double));
	}
	compile_value(meter, contribution->value, graph, with_slopes);
	meter->scratch = palloc(sizeof(double) * dps_max(dps_scratch_size(meter->program), 1));
	meter->outputs[0] = &meter->value;
	if (meter->adjacency == DPS_ATTRIBUTE)
	{
		meter->box = palloc0(sizeof(DpsDomain) * (meter->ncells + 1));
		meter->enclosures = palloc0(sizeof(DpsEnclosure) * Max(meter->program->ninstructions, 1));
	}
	return true;
}

/* A pair may have been released in two stages. */
static bool
has_coordinates(DpsContributionKind kind, int norm, int n)
{
	if (kind != DPS_ADDS_BOTH)
		return n == 1;
	return n == 2 || (n == 1 && norm == 1);
}

/*
 * Is what was a unit then one now?  Of rows of a unit of several rows a release that took each row for a unit says
 * nothing, as they are together; and where it counted a limited number of rows of a unit, a row that is a unit
 * now can have kept others from counting.  Under attribute and metric units have one row (unit_rows.c).
 */
static bool
units_are_same(const DpsContribution *contribution, DpsAdjacency adjacency, const DpsMeterUnits *units)
{
	if (contribution->unit == NULL)
		return !units->several_rows;
	return units->columns != NULL && strcmp(contribution->unit, units->columns) == 0 &&
		(adjacency == DPS_ADD_REMOVE || adjacency == DPS_REPLACE);
}

DpsMeter *
dps_meter_make(const DpsContribution *contribution, DpsAdjacency adjacency, int norm,
			   const uint64 *limits, int n, bool with_slopes, const DpsMeterUnits *units, Oid relation_id)
{
	DpsMeter   *meter = palloc0(sizeof(DpsMeter));
	Relation	relation;
	int			level;
	bool		fine;

	if (adjacency == DPS_METRIC || !has_coordinates(contribution->kind, norm, n) || !units_are_same(contribution, adjacency, units))
		return NULL;
	if (contribution->unit != NULL)
		meter->tally = dps_unit_tally_make(&contribution->counting);
	meter->count_unit = UINT64_C(1) << -(contribution->unit != NULL ? contribution->count_grid : COUNT_GRID);
	meter->kind = contribution->kind;
	meter->adjacency = adjacency;
	meter->norm = norm;
	meter->moves = contribution->moves;
	meter->spreads = contribution->unit != NULL && contribution->counting.spreads;
	meter->grid = contribution->grid;
	meter->lo = contribution->lo;
	meter->hi = contribution->hi;
	meter->centre = contribution->centre;
	meter->value_lo = contribution->value_lo;
	meter->value_hi = contribution->value_hi;
	/* two values that are rounded move by half a unit each */
	meter->margin = 2 * contribution->error + ldexp(2, contribution->grid);
	meter->n = n;
	memcpy(meter->limits, limits, sizeof(uint64) * n);
	relation = table_open(relation_id, AccessShareLock);
	level = dps_plain_sql_begin();
	fine = columns_are_same(contribution, relation_id) &&
		compile_conditions(meter, contribution, relation) && compile_cells(meter, contribution, with_slopes, relation);
	dps_plain_sql_end(level);
	table_close(relation, NoLock);
	return fine ? meter : NULL;
}

/* ---- a row ---- */

/* Whether the row was selected; NULL is no. */
static void
select_row(DpsMeter *meter, ExprContext *context, Row *row)
{
	int			i;

	row->may_count = true;
	row->may_not_count = !meter->conditions_complete;
	for (i = 0; i < meter->nconditions && row->may_count; i++)
	{
		bool		isnull;
		Datum		outcome = ExecEvalExprSwitchContext(meter->conditions[i], context, &isnull);

		row->may_count = !isnull && DatumGetBool(outcome);
	}
	row->may_not_count = row->may_not_count || !row->may_count;
}

static void
read_cells(DpsMeter *meter, ExprContext *context)
{
	int			i;

	for (i = 0; i < meter->ncells; i++)
	{
		MeterCell  *cell = &meter->cells[i];
		bool		isnull;
		Datum		datum = ExecEvalExprSwitchContext(cell->state, context, &isnull);

		*meter->columns[i] = isnull ? NAN : dps_read_cell(cell->type, datum);
		dps_clamp_cells(meter->columns[i], 1, &cell->domain);
	}
}

/* Rounds and clamps a value as the exact stage does (agg/state/state.c). */
static int64
to_units(const DpsMeter *meter, double value)
{
	double		units;

	value = Min(Max(value, meter->value_lo), meter->value_hi);
	units = rint(ldexp(value, -meter->grid));
	units = Min(Max(units, (double) meter->lo), (double) meter->hi);
	return dps_min(dps_max(dps_to_int64(units), meter->lo), meter->hi);
}

/* Extends the range of h~ by the enclosure of the value over the column's range, with the other columns
 * fixed. */
static void
move_column(DpsMeter *meter, AttrNumber column, Row *row)
{
	const DpsEnclosure *range;
	int			i;

	for (i = 0; i < meter->ncells; i++)
	{
		double		cell = *meter->columns[i];

		meter->box[i] = meter->cells[i].domain;
		if (meter->cells[i].column == column)
			continue;
		meter->box[i].nullness = isnan(cell) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		if (!isnan(cell))
			meter->box[i].lo = meter->box[i].hi = cell;
	}
	dps_enclose(meter->program, meter->box, meter->enclosures);
	range = &meter->enclosures[dps_program_outputs(meter->program)[0]];
	if (dps_iv_is_empty(range->value))
		return;
	row->lo = dps_min(row->lo, to_units(meter, range->value.lo - meter->margin));
	row->hi = dps_max(row->hi, to_units(meter, range->value.hi + meter->margin));
}

static void
move_columns(DpsMeter *meter, Row *row)
{
	int			i;
	int			j;

	for (i = 0; i < meter->ncells; i++)
	{
		for (j = 0; j < i && meter->cells[j].column != meter->cells[i].column; j++)
			;
		if (j == i && meter->cells[i].is_private)
			move_column(meter, meter->cells[i].column, row);
	}
}

static void
measure_value(DpsMeter *meter, ExprContext *context, Row *row)
{
	bool		valid;

	read_cells(meter, context);
	dps_evaluate(meter->program, (const double *const *) meter->columns, 1, meter->scratch, meter->outputs);
	valid = !isnan(meter->value);
	if (valid)
		row->lo = row->hi = row->q = to_units(meter, meter->value);
	else
	{
		/* an empty range until something extends it */
		row->lo = PG_INT64_MAX;
		row->hi = PG_INT64_MIN;
		row->may_count = false;
		row->may_not_count = true;
	}
	if (meter->adjacency == DPS_REPLACE)
	{
		row->lo = meter->lo;
		row->hi = meter->hi;
	}
	else if (meter->adjacency == DPS_ATTRIBUTE)
		move_columns(meter, row);
}

/* ---- its sensitivity ---- */

static uint64
distance(int64 a, int64 b)
{
	return a > b ? (uint64) a - (uint64) b : (uint64) b - (uint64) a;
}

/* The farthest of lo, hi and 0 from a point. */
static uint64
farthest(int64 q, int64 lo, int64 hi)
{
	return dps_max(distance(q, dps_min(lo, 0)), distance(q, dps_max(hi, 0)));
}

static uint64
magnitude(int64 lo, int64 hi)
{
	return farthest(0, lo, hi);
}

static uint64
apart(const DpsMeter *meter, uint64 a, uint64 b)
{
	return meter->norm == 1 ? dps_whole_add(a, b) : dps_whole_root(dps_whole_squares(dps_whole_squares(0, a), b));
}

static uint64
count_sensitivity(const DpsMeter *meter, bool counts)
{
	if (meter->adjacency == DPS_ADD_REMOVE)
		return counts ? meter->count_unit : 0;
	return meter->moves && counts ? apart(meter, meter->count_unit, meter->count_unit) : meter->count_unit;
}

static uint64
sum_sensitivity(const DpsMeter *meter, const Row *row, bool counts)
{
	uint64		result;

	if (meter->adjacency == DPS_ADD_REMOVE)
		return counts ? distance(row->q, 0) : 0;
	if (row->lo > row->hi)
		return 0;
	if (!counts)
		return magnitude(row->lo, row->hi);
	result = farthest(row->q, row->lo, row->hi);
	if (meter->moves)
		result = dps_max(result, apart(meter, distance(row->q, 0), magnitude(meter->lo, meter->hi)));
	return result;
}

/* The sensitivity of the sum of q - centre.  h~ of a row that does not count is 0 here, too. */
static uint64
centred_sensitivity(const DpsMeter *meter, const Row *row, bool counts)
{
	Row			centred = *row;
	uint64		result;

	centred.q -= meter->centre;
	centred.lo -= meter->centre;
	centred.hi -= meter->centre;
	if (meter->adjacency == DPS_ADD_REMOVE)
		return counts ? distance(centred.q, 0) : 0;
	if (row->lo > row->hi)
		return 0;
	if (!counts)
		return magnitude(centred.lo, centred.hi);
	result = farthest(centred.q, centred.lo, centred.hi);
	if (meter->moves)
		result = dps_max(result, apart(meter, distance(centred.q, 0),
								   magnitude(meter->lo - meter->centre, meter->hi - meter->centre)));
	return result;
}

/* sum(q - lo) and sum(hi - q) together, in the 1-norm. */
static uint64
pair_sensitivity(const DpsMeter *meter, const Row *row, bool counts)
{
	uint64		width = distance(meter->hi, meter->lo);

	if (meter->adjacency == DPS_ADD_REMOVE)
		return counts ? width : 0;
	if (!counts)
		return row->lo > row->hi ? 0 : width;
	if (meter->moves)
		return dps_whole_times(2, width);
	return dps_max(width, dps_whole_times(2, dps_max(distance(row->q, row->lo), distance(row->q, row->hi))));
}

static void
raise_to(uint64 *most, uint64 value)
{
	*most = Max(*most, value);
}

static void
measure_case(const DpsMeter *meter, const Row *row, bool counts, uint64 *sensitivities)
{
	switch (meter->kind)
	{
		case DPS_ADDS_ONE:
			raise_to(&sensitivities[0], count_sensitivity(meter, counts));
			break;
		case DPS_ADDS_VALUE:
			raise_to(&sensitivities[0], sum_sensitivity(meter, row, counts));
			break;
		case DPS_ADDS_BOTH:
			if (meter->norm == 1)
			{
				raise_to(&sensitivities[0], pair_sensitivity(meter, row, counts));
				/* for a second stage no smaller bound is known */
				if (meter->n > 1)
					raise_to(&sensitivities[1], pair_sensitivity(meter, row, counts));
			}
			else
			{
				raise_to(&sensitivities[0], centred_sensitivity(meter, row, counts));
				raise_to(&sensitivities[1], count_sensitivity(meter, counts));
			}
			break;
	}
}

void
dps_meter_read(DpsMeter *meter, ExprContext *context, uint64 *sensitivities)
{
	Row			row = {0};
	int			i;

	memset(sensitivities, 0, sizeof(uint64) * meter->n);
	select_row(meter, context, &row);
	if (meter->adjacency == DPS_ADD_REMOVE && !row.may_count)
		return;
	if (meter->program != NULL)
		measure_value(meter, context, &row);
	if (row.may_count)
		measure_case(meter, &row, true, sensitivities);
	if (row.may_not_count)
		measure_case(meter, &row, false, sensitivities);
	for (i = 0; i < meter->n; i++)
		sensitivities[i] = Min(sensitivities[i], meter->limits[i]);
}

/* ---- a unit of several rows ---- */

bool
dps_meter_is_of_units(const DpsMeter *meter)
{
	return meter->tally != NULL;
}

void
dps_meter_begin_unit(DpsMeter *meter)
{
	dps_unit_tally_clear(meter->tally);
}

/* From where the integers are counted whose sum is released: of a pair only the number of rows matters. */
static int64
origin(const DpsMeter *meter)
{
	return meter->kind == DPS_ADDS_BOTH && meter->norm == 2 ? meter->centre : 0;
}

void
dps_meter_add_row(DpsMeter *meter, ExprContext *context)
{
	Row			row = {0};

	select_row(meter, context, &row);
	if (!row.may_count)
		return;
	if (meter->program != NULL)
		measure_value(meter, context, &row);
	if (row.may_count)
		dps_unit_tally_add(meter->tally, meter->kind == DPS_ADDS_ONE ? 0 : row.q - origin(meter));
}

/* By the claim of unit_tally.c.  Each row moves both sums of a pair together by their width, and those of a
 * second stage by as much in the same measure (agg/stages.c). */
static void
measure_unit(DpsMeter *meter, uint64 *sensitivities)
{
	if (meter->kind == DPS_ADDS_ONE)
		sensitivities[0] = dps_unit_tally_rows(meter->tally, meter->norm, meter->count_unit);
	else if (meter->kind == DPS_ADDS_BOTH && meter->norm == 1)
		sensitivities[0] = sensitivities[meter->n - 1] =
			dps_unit_tally_rows(meter->tally, 1, distance(meter->hi, meter->lo));
	else
	{
		sensitivities[0] = dps_unit_tally_move(meter->tally, meter->norm);
		if (meter->kind == DPS_ADDS_BOTH)
			sensitivities[1] = dps_unit_tally_rows(meter->tally, meter->norm, meter->count_unit);
	}
}

/*
 * Another unit takes its place, of which as many rows count as may, wherever they are.  By how much less than
 * the release says that moves it is known of a sum that is not told by groups.
 */
static void
measure_replaced_unit(DpsMeter *meter, uint64 *sensitivities)
{
	memcpy(sensitivities, meter->limits, sizeof(uint64) * meter->n);
	if (meter->kind == DPS_ADDS_VALUE || (meter->kind == DPS_ADDS_BOTH && meter->norm == 2))
		sensitivities[0] = dps_unit_tally_replace(meter->tally, meter->lo - origin(meter), meter->hi - origin(meter));
}

void
dps_meter_read_unit(DpsMeter *meter, uint64 *sensitivities)
{
	int			i;

	memset(sensitivities, 0, sizeof(uint64) * meter->n);
	if (meter->adjacency == DPS_ADD_REMOVE)
		measure_unit(meter, sensitivities);
	else if (!meter->moves && !meter->spreads)
		measure_replaced_unit(meter, sensitivities);
	else
		memcpy(sensitivities, meter->limits, sizeof(uint64) * meter->n);
	for (i = 0; i < meter->n; i++)
		sensitivities[i] = Min(sensitivities[i], meter->limits[i]);
}

/* ---- its susceptibility ---- */

/* The norm of the gradient by private columns; a column may be that of several cells. */
static double
slope_norm(const DpsMeter *meter)
{
	double		norm = 0;
	int			i;
	int			j;

	for (i = 0; i < meter->ncells; i++)
	{
		double		slope = meter->slope[i];

		for (j = 0; j < i && meter->cells[j].column != meter->cells[i].column; j++)
			;
		if (j < i || !meter->cells[i].is_private)
			continue;
		for (j = i + 1; j < meter->ncells; j++)
		{
			if (meter->cells[j].column == meter->cells[i].column)
				slope += meter->slope[j];
		}
		norm = hypot(norm, slope);
	}
	return norm;
}

/* What the square of the loss is of, in units of the value. */
static double
released_value(const DpsMeter *meter)
{
	if (meter->kind == DPS_ADDS_VALUE)
		return meter->value;
	if (meter->norm == 2)
		return meter->value - ldexp((double) meter->centre, meter->grid);
	/* the pair value - lo and hi - value, whose squares have these slopes together */
	return 2 * meter->value - ldexp((double) meter->lo, meter->grid) - ldexp((double) meter->hi, meter->grid);
}

double
dps_meter_susceptibility(DpsMeter *meter, ExprContext *context)
{
	Row			row = {0};
	double		result;

	if (meter->slopes == NULL || meter->adjacency != DPS_ADD_REMOVE || meter->kind == DPS_ADDS_ONE)
		return 0;
	select_row(meter, context, &row);
	if (!row.may_count)
		return 0;
	read_cells(meter, context);
	dps_evaluate(meter->program, (const double *const *) meter->columns, 1, meter->scratch, meter->outputs);
	dps_evaluate(meter->slopes, (const double *const *) meter->columns, 1, meter->slope_scratch, meter->slope_outputs);
	result = ldexp(fabs(released_value(meter)) * slope_norm(meter), -2 * meter->grid);
	return isnan(result) ? 0 : result;
}
