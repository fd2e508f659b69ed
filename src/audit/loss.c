/*
 * loss.c
 *		What one row loses by one release of the sum of an expression.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "account/account.h"
#include "audit/loss.h"
#include "base/once.h"
#include "bound/dimension.h"
#include "glue/bounds.h"
#include "glue/glue.h"
#include "glue/import/parse.h"
#include "glue/settings.h"
#include "num/interval.h"
#include "num/whole.h"

void
dps_check_order(double order)
{
	if (!(order > 1) || isinf(order))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the order of a Renyi divergence must be a number above 1")));
}

void
dps_check_delta(double delta)
{
	if (!(delta >= 0 && delta < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta must be at least 0 and below 1")));
}

/* False if there is no finite upper end. */
static bool
quantity(DpsAnalysis *analysis, DpsQuantityKind kind, int variable, DpsBracket *bracket)
{
	dps_quantity(analysis, kind, variable, bracket);
	return bracket->status == DPS_OK;
}

static bool
find_attribute(DpsAnalysis *analysis, DpsFacts *facts)
{
	int			n = dps_columns(analysis->graph);
	DpsWeights *weights = palloc0(offsetof(DpsWeights, column) + n * sizeof(DpsWeightedColumn));
	DpsBracket	bracket;
	int			j;

	weights->least = 1;
	facts->attributes = palloc0(sizeof(*facts->attributes) * Max(n, 1));
	for (j = 0; j < n; j++)
	{
		double		weight = Min(analysis->policy.weights[j], 1);

		if (!(analysis->policy.private_variables & (UINT64_C(1) << j)))
			continue;
		if (!quantity(analysis, DPS_SUM_ATTRIBUTE, j, &bracket))
			return false;
		facts->attribute = Max(facts->attribute, bracket.upper);
		facts->attributes[facts->nattributes][0] = bracket.upper;
		weights->least = Min(weights->least, weight);
		weights->column[weights->ncolumns++] = (DpsWeightedColumn) {
			.weight = weight, .is_value = (analysis->node->variables & (UINT64_C(1) << j)) != 0, .attribute = facts->nattributes++
		};
	}
	if (weights->least < 1)
		facts->weights = weights;
	return true;
}

/* What the certificates say of dp_sum without conditions or groups. */
static bool
find_facts(DpsAnalysis *analysis, DpsAdjacency adjacency, DpsFacts *facts)
{
	const DpsNode *node = analysis->node;
	uint64_t	private_variables = node->variables & analysis->policy.private_variables;
	DpsBracket	bracket;

	memset(facts, 0, sizeof(*facts));
	facts->adjacency = adjacency;
	facts->unit_groups = 1;
	facts->unit_l1 = facts->unit_l2 = 1;
	facts->integral = node->integral;
	facts->value_is_private = private_variables != 0;
	facts->validity_is_private = adjacency != DPS_METRIC ? analysis->deciding_variables != 0 :
		private_variables != 0 && dps_values_decide_null(analysis->graph, node);
	if (!quantity(analysis, DPS_INFIMUM, -1, &bracket))
		return false;
	facts->inf = bracket.lower;
	if (!quantity(analysis, DPS_SUPREMUM, -1, &bracket))
		return false;
	facts->sup = bracket.upper;
	if (adjacency == DPS_ATTRIBUTE && !find_attribute(analysis, facts))
		return false;
	if (adjacency == DPS_METRIC)
	{
		if (!quantity(analysis, DPS_SUM_METRIC, -1, &bracket))
			return false;
		facts->lipschitz = bracket.upper;
	}
	if (adjacency == DPS_METRIC || adjacency == DPS_ATTRIBUTE)
		dps_check_status(dps_evaluation_error(analysis->graph, node, analysis->box, &facts->evaluation_error));
	return true;
}

/* The release and the scale of its noise; false if it would be refused. */
static bool
find_release(DpsReleaseLoss *loss, const DpsEvaluator *evaluator)
{
	DpsRowAnalysis *row = palloc(sizeof(DpsRowAnalysis));
	DpsFacts	facts;
	DpsSummand	summand;
	DpsNoisePlan plan;
	const char *why = NULL;
	int			aggregate = dps_aggregate_find(dps_aggregate_sum.name);
	DpsStatus	status;
	DpsRelationAnnotation annotation;

	/* a row's loss is then not that of a unit */
	dps_get_relation_annotation(evaluator->relation, &annotation);
	if (dps_rows_may_be_one_units(&annotation))
		return false;
	dps_prepare_row(evaluator->relation, dps_expression_body(evaluator->function), NULL, row);
	if (!find_facts(&row->analysis, evaluator->adjacency, &facts))
		return false;
	/* noise is for all units of a group, and the row is one of them */
	facts.unit_l1 = facts.unit_l2 = annotation.group_size > 1 ? annotation.group_size : 1;
	status = dps_aggregate_derive(aggregate, &facts, &loss->release, &summand, &why);
	if (status == DPS_DOMAIN)
		return false;
	dps_check_status(status);
	loss->inf = Min(facts.inf, 0);
	loss->sup = Max(facts.sup, 0);
	if (dps_release_plan_noise(&loss->release, loss->mechanism, loss->epsilon, loss->delta, &plan) != DPS_OK)
		return false;
	loss->scale = plan.ncoordinates > 0 ? plan.coordinate[0].scale : 0;
	loss->step = plan.ncoordinates > 0 ? plan.coordinate[0].step : 1;
	return true;
}

static void
drop_chords(DpsReleaseLoss *loss)
{
	if (loss->chords != NULL)
		MemoryContextDelete(loss->chords->memory);
	loss->chords = NULL;
}

void
dps_loss_forget(DpsReleaseLoss *loss)
{
	drop_chords(loss);
	memset(loss, 0, sizeof(*loss));
}

void
dps_loss_prepare(DpsReleaseLoss *loss, const DpsEvaluator *evaluator, MemoryContext parent)
{
	const DpsMechanism *mechanism = dps_setting_mechanism();
	MemoryContext memory;
	MemoryContext previous;

	if (loss->prepared && loss->mechanism == mechanism && loss->epsilon == dps_setting_epsilon &&
		loss->delta == dps_setting_delta)
		return;
	dps_loss_forget(loss);
	loss->memory = parent;
	loss->mechanism = mechanism;
	loss->epsilon = dps_setting_epsilon;
	loss->delta = dps_setting_delta;
	if (loss->epsilon == 0 || !evaluator->is_protected)
	{
		loss->prepared = true;
		return;
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens certificate", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(memory);
	loss->known = find_release(loss, evaluator);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(memory);
	loss->prepared = true;
}

/* The scale of the noise in the unit of the expression. */
static double
real_scale(const DpsReleaseLoss *loss)
{
	return ldexp((double) loss->scale, loss->release.grid);
}

/*
 * How far the row's contribution can move at most when column j alone moves: from
 * the value to the far end of an enclosure over the column's range, which also holds
 * what the evaluator yields (expr/error.c), and to 0 if the column may be NULL.
 */
static double
column_change(const DpsEvaluator *evaluator, int row, int variable)
{
	const DpsProgram *program = evaluator->program;
	DpsEnclosure *enclosures = evaluator->enclosures;
	DpsDomain  *box = evaluator->box;
	const DpsEnclosure *range;
	double		value = dps_evaluator_valid(evaluator, row) ? evaluator->value[row] : 0;
	double		lo = value;
	double		hi = value;
	int			j;

	for (j = 0; j < evaluator->ncells; j++)
	{
		double		cell = evaluator->columns[j][row];

		box[j] = evaluator->cells[j].domain;
		if (j == variable)
			continue;
		box[j].nullness = isnan(cell) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		if (!isnan(cell))
			box[j].lo = box[j].hi = cell;
	}
	dps_enclose(program, box, enclosures);
	range = &enclosures[dps_program_outputs(program)[0]];
	if (!dps_iv_is_empty(range->value))
	{
		lo = Min(lo, range->value.lo);
		hi = Max(hi, range->value.hi);
	}
	if (range->nullness != DPS_NEVER_NULL)
	{
		lo = Min(lo, 0);
		hi = Max(hi, 0);
	}
	return Max(hi - value, value - lo);
}

/* The row's own sensitivity, in the unit of the expression. */
static double
own_sensitivity(const DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row)
{
	double		added = dps_evaluator_valid(evaluator, row) ? evaluator->value[row] : 0;
	double		furthest = 0;
	int			j;

	switch (evaluator->adjacency)
	{
		case DPS_ADD_REMOVE:
			return fabs(added);
		case DPS_REPLACE:
			return Max(loss->sup - added, added - loss->inf);
		case DPS_ATTRIBUTE:
			for (j = 0; j < evaluator->nprivate; j++)
				furthest = dps_max(furthest, column_change(evaluator, row, evaluator->variable[j]));
			return furthest;
		case DPS_METRIC:
			break;
	}
	return NAN;
}

/* The release's sensitivity, in units of the grid. */
static uint64
own_limit(const DpsReleaseLoss *loss)
{
	return loss->mechanism->norm == 1 ? loss->release.l1 : loss->release.l2;
}

/* The row's own sensitivity in units of the grid; false if there is no such loss. */
static bool
own_units(const DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, uint64 *result)
{
	double		own;
	double		units;
	uint64		limit;

	*result = 0;
	if (!loss->known)
		return false;
	own = own_sensitivity(loss, evaluator, row);
	if (isnan(own))
		return false;
	if (loss->scale == 0 || own == 0)
		return true;

	/* two values that are rounded to the grid move apart by less than 1; a
	 * unit more covers the subtraction */
	units = floor(ldexp(own, -loss->release.grid)) + 2;
	limit = own_limit(loss);
	*result = units < (double) limit ? dps_to_uint64(units) : limit;
	return true;
}

/* The chords are functions of the settings, and are kept until these change. */
static DpsLossChords *
find_chords(DpsReleaseLoss *loss, DpsRowLossKind kind, double parameter)
{
	DpsLossChords *chords = loss->chords;

	if (chords != NULL && chords->kind == kind && chords->parameter == parameter)
		return chords;
	drop_chords(loss);
	loss->chords = dps_chords_make(kind, loss->scale, loss->step, own_limit(loss), parameter, loss->memory);
	return loss->chords;
}

double
dps_individual_loss(DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, double order)
{
	uint64		units;

	if (!own_units(loss, evaluator, row, &units))
		return NAN;
	if (units == 0)
		return 0;
	if (loss->mechanism == &dps_laplace)
		return dps_chords_read(find_chords(loss, DPS_LOSS_RDP, order), units);
	return loss->mechanism->rdp(order, loss->scale, loss->step, units);
}

double
dps_individual_epsilon(DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, double delta)
{
	uint64		units;
	double		pure;
	double		epsilon;
	DpsLoss		own;

	if (!own_units(loss, evaluator, row, &units))
		return NAN;
	if (units == 0)
		return 0;
	/* the divergence of order infinity is the pure epsilon */
	pure = loss->mechanism->rdp(INFINITY, loss->scale, loss->step, units);
	if (delta == 0)
		return pure;
	if (loss->mechanism == &dps_gaussian)
		return dps_chords_read(find_chords(loss, DPS_LOSS_EPSILON, delta), units);
	/* both are upper bounds; where delta is far below epsilon, that of its zCDP
	 * is the larger one, and slow */
	if (pure <= 1 && delta <= pure / 100)
		return pure;
	loss->mechanism->loss(loss->scale, loss->step, units, &own);
	if (dps_zcdp_epsilon(own.rho, delta, &epsilon) != DPS_OK)
		return pure;
	return fmin(epsilon, pure);
}

double
dps_first_order_loss(const DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, double order)
{
	double		ratio;

	if (!loss->known || loss->scale == 0 || loss->mechanism->norm != 2 ||
		!dps_evaluator_valid(evaluator, row))
		return NAN;
	ratio = evaluator->derived.norm[row] / real_scale(loss);
	return order * ratio * ratio / 2;
}
