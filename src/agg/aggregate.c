/*
 * aggregate.c
 *		The table of dp aggregates, and the plan constants they make.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "agg/weights.h"
#include "glue/compat.h"
#include "moment/moment_box.h"
#include "moment/moment_point.h"
#include "num/interval.h"

const DpsAggregate *const dps_aggregates[] = {
#define DPS_AGGREGATE(symbol) &dps_aggregate_##symbol,
#include "agg/aggregates.def"
#undef DPS_AGGREGATE
	NULL
};

int
dps_aggregate_find(const char *name)
{
	int			i;

	for (i = 0; dps_aggregates[i] != NULL; i++)
	{
		if (strcmp(dps_aggregates[i]->name, name) == 0)
			return i;
	}
	return -1;
}

/* Turns the norms of one row's change into those of a unit's. */
static void
scale_by_unit(const DpsFacts *facts, DpsRelease *release)
{
	release->l1 = dps_whole_scale(release->l1, facts->unit_l1);
	release->l2 = dps_whole_scale(release->l2, facts->unit_l2);
	release->count_l1 = dps_whole_scale(release->count_l1, facts->unit_l1);
	release->count_l2 = dps_whole_scale(release->count_l2, facts->unit_l2);
	release->sensitivity = dps_mul_up(release->sensitivity, facts->unit_l1);
}

int
dps_aggregate_find_variant(const char *name, Oid result_type, bool is_distinct)
{
	int			i;

	for (i = 0; dps_aggregates[i] != NULL; i++)
	{
		if (strcmp(dps_aggregates[i]->name, name) == 0 &&
			dps_aggregates[i]->result_type == result_type && dps_aggregates[i]->is_distinct == is_distinct)
			return i;
	}
	return -1;
}

/* For statistics that have no form without an interval. */
#define dps_finish_none NULL

const DpsStatistic dps_statistics[] = {
#define DPS_STATISTIC(name, family, nvalues, array, type, function, finish, interval) \
	{name, &dps_aggregate_##family, nvalues, array, 0, type, function, finish, interval, NULL, NULL, NULL},
#define DPS_MOMENT_STATISTIC(name, nvalues, array, sums, type, function, finish, formula, turns_on) \
	{name, &dps_aggregate_moments, nvalues, array, sums, type, function, finish, dps_interval_moment, \
	 dps_moment_##formula, dps_moment_##formula##_at, dps_moment_##turns_on},
#include "agg/statistics.def"
#undef DPS_STATISTIC
#undef DPS_MOMENT_STATISTIC
	{0}
};

/* Does the statistic take an array among its arguments, or none, as has_array says? */
static bool
is_written_with(const DpsStatistic *statistic, bool has_array)
{
	switch (statistic->family->parameter)
	{
		case DPS_LEVELS:
			return (statistic->result_type == FLOAT8ARRAYOID) == has_array;
		case DPS_BUCKETS:
		case DPS_ANSWERS:
			return true;
		case DPS_NO_PARAMETER:
			break;
	}
	return statistic->ends_with_array == has_array;
}

int
dps_statistic_find(const char *name, bool has_array, bool *interval)
{
	int			i;

	for (i = 0; dps_statistics[i].name != NULL; i++)
	{
		size_t		length = strlen(dps_statistics[i].name);

		if (strncmp(dps_statistics[i].name, name, length) != 0 || !is_written_with(&dps_statistics[i], has_array))
			continue;
		*interval = dps_statistics[i].interval != NULL &&
			(strcmp(name + length, "_ci") == 0 || dps_statistics[i].finish == NULL);
		if (name[length] == '\0' || (*interval && dps_statistics[i].finish != NULL))
			return i;
	}
	return -1;
}

int
dps_statistic_find_distinct(const char *name)
{
	int			i;

	for (i = 0; dps_statistics[i].name != NULL; i++)
	{
		if (strcmp(dps_statistics[i].name, name) == 0 && dps_statistics[i].family->is_distinct)
			return i;
	}
	return -1;
}

DpsStatus
dps_aggregate_derive(int aggregate, const DpsFacts *facts, DpsRelease *release,
					 DpsSummand *summand, const char **why)
{
	DpsStatus	status;

	memset(release, 0, sizeof(DpsRelease));
	memset(summand, 0, sizeof(DpsSummand));
	SET_VARSIZE(release, sizeof(DpsRelease));
	release->version = DPS_RELEASE_VERSION;
	release->aggregate = aggregate;
	release->adjacency = facts->adjacency;
	release->unit_rows = dps_to_int32(facts->unit_l1);
	release->count_grid = dps_grid_of_counts(dps_whole_up(facts->unit_l1));
	release->unit_groups = facts->unit_groups;
	release->group_size = Max(facts->group_size, 1);
	release->weight = 1.0;
	if (!(facts->unit_groups >= 1 && facts->unit_l1 >= 1 && facts->unit_l2 >= 1))
		elog(ERROR, "nothing is known about the rows of a unit");
	if (facts->unit_l1 > 1 && !dps_aggregates[aggregate]->sums_rows)
	{
		*why = "a unit may have several rows";
		return DPS_DOMAIN;
	}
	summand->nvalues = facts->counts_rows ? 0 : Max(facts->nvalues, 1);
	status = dps_aggregates[aggregate]->derive(facts, release, summand, why);
	release->nsums = summand->tallies ? 0 : summand->nvalues + summand->nproducts;
	release->design_size = summand->design_size;
	if (status != DPS_OK)
		return status;
	if (facts->unit_l1 > 1)
		scale_by_unit(facts, release);
	dps_weigh_release(facts, release, summand);
	return dps_release_prove(facts, release, why);
}

DpsRelease *
dps_release_describe(const DpsRelease *release, const void *design, const char *expression, const char *contribution)
{
	Size		first = strlen(expression) + 1;
	Size		second = contribution != NULL ? strlen(contribution) + 1 : 1;
	Size		size = offsetof(DpsRelease, rest) + MAXALIGN(release->design_size) + first + second;
	DpsRelease *copy = palloc0(Max(size, sizeof(DpsRelease)));
	char	   *texts = copy->rest + MAXALIGN(release->design_size);

	StaticAssertStmt(offsetof(DpsRelease, rest) == MAXALIGN(offsetof(DpsRelease, rest)), "designs must be aligned");
	memcpy(copy, release, offsetof(DpsRelease, rest));
	if (design != NULL)
		memcpy(copy->rest, design, release->design_size);
	memcpy(texts, expression, first);
	if (contribution != NULL)
		memcpy(texts + first, contribution, second);
	SET_VARSIZE(copy, size);
	return copy;
}

const void *
dps_release_design(const DpsRelease *release)
{
	return release->design_size > 0 ? release->rest : NULL;
}

const char *
dps_release_expression(const DpsRelease *release)
{
	return release->rest + MAXALIGN(release->design_size);
}

const char *
dps_release_contribution(const DpsRelease *release)
{
	const char *expression = dps_release_expression(release);
	const char *contribution = expression + strlen(expression) + 1;

	return *contribution != '\0' ? contribution : NULL;
}

/* The offsets of a summand's parts; that of the program is the summand's size if
 * there is no program. */
typedef struct Layout
{
	Size		products;
	Size		edges;
	Size		cells;
	Size		program;
} Layout;

static Layout
lay_out(int nvalues, int nproducts, int nedges, int ncells)
{
	Layout		layout;

	layout.products = add_size(sizeof(DpsSummandPlan), mul_size(nvalues, sizeof(DpsSummandValue)));
	layout.edges = add_size(layout.products, mul_size(nproducts, sizeof(DpsValueProduct)));
	layout.cells = add_size(layout.edges, mul_size(nedges, sizeof(double)));
	layout.program = add_size(layout.cells, mul_size(ncells, sizeof(DpsCell)));
	return layout;
}

/* Field by field: equal summands have equal bytes, the padding too. */
static void
copy_cells(DpsCell *copies, const DpsCell *cells, int ncells)
{
	int			i;

	for (i = 0; i < ncells; i++)
	{
		copies[i].type = cells[i].type;
		copies[i].domain.lo = cells[i].domain.lo;
		copies[i].domain.hi = cells[i].domain.hi;
		copies[i].domain.nullness = cells[i].domain.nullness;
		copies[i].domain.integral = cells[i].domain.integral;
	}
}

DpsSummandPlan *
dps_summand_build(const DpsSummand *summand, const DpsCell *cells, int ncells, const DpsProgram *program)
{
	Layout		layout = lay_out(summand->nvalues, summand->nproducts, summand->nedges, ncells);
	Size		size = program != NULL ? add_size(layout.program, program->size) : layout.program;
	DpsSummandPlan *plan = palloc0(size);
	char	   *bytes = (char *) plan;

	SET_VARSIZE(plan, size);
	plan->version = DPS_SUMMAND_VERSION;
	plan->ncells = ncells;
	plan->nvalues = summand->nvalues;
	plan->nproducts = summand->nproducts;
	plan->limit_l1 = summand->limit_l1;
	plan->limit_l2 = summand->limit_l2;
	plan->tallies = summand->tallies;
	plan->nedges = summand->nedges;
	memcpy(plan + 1, summand->value, summand->nvalues * sizeof(DpsSummandValue));
	memcpy(bytes + layout.products, summand->product, summand->nproducts * sizeof(DpsValueProduct));
	if (summand->nedges > 0)
		memcpy(bytes + layout.edges, summand->edges, summand->nedges * sizeof(double));
	copy_cells((DpsCell *) (bytes + layout.cells), cells, ncells);
	if (program != NULL)
		memcpy(bytes + layout.program, program, program->size);
	return plan;
}

static bool
counts_are_valid(const DpsSummandPlan *summand)
{
	return summand->ncells >= 0 && summand->ncells <= DPS_MAX_VARIABLES &&
		summand->nvalues >= 0 && summand->nvalues <= DPS_MAX_VALUES &&
		summand->nproducts >= 0 && summand->nproducts <= DPS_MAX_PRODUCTS &&
		summand->nedges >= 0 && summand->nedges <= DPS_MAX_BUCKETS + 1 &&
		(!summand->tallies || (summand->nvalues == 1 && summand->nproducts == 0));
}

void
dps_summand_parts(const DpsSummandPlan *summand, DpsSummandParts *parts)
{
	Size		size = VARSIZE(summand);
	const char *bytes = (const char *) summand;
	Layout		layout;
	const DpsProgram *program;
	Size		rest;

	StaticAssertStmt(sizeof(DpsSummandPlan) == MAXALIGN(sizeof(DpsSummandPlan)) &&
					 sizeof(DpsSummandValue) == MAXALIGN(sizeof(DpsSummandValue)) &&
					 sizeof(DpsValueProduct) == MAXALIGN(sizeof(DpsValueProduct)) &&
					 sizeof(DpsCell) == MAXALIGN(sizeof(DpsCell)),
					 "the parts of a summand must be aligned");

	if (size < sizeof(DpsSummandPlan) || summand->version != DPS_SUMMAND_VERSION || !counts_are_valid(summand))
		elog(ERROR, "invalid summand");
	layout = lay_out(summand->nvalues, summand->nproducts, (int) summand->nedges, summand->ncells);
	if (size < layout.program)
		elog(ERROR, "invalid summand");
	parts->values = (const DpsSummandValue *) (summand + 1);
	parts->products = (const DpsValueProduct *) (bytes + layout.products);
	parts->edges = (const double *) (bytes + layout.edges);
	parts->cells = (const DpsCell *) (bytes + layout.cells);
	parts->program = NULL;

	rest = size - layout.program;
	if (rest == 0)
	{
		if (summand->ncells != 0 || summand->nvalues != 0 || summand->nproducts != 0)
			elog(ERROR, "invalid summand: values without a program");
		return;
	}
	parts->program = program = (const DpsProgram *) (bytes + layout.program);
	if (rest < sizeof(DpsProgram) || rest != program->size || (int) program->noutputs != summand->nvalues ||
		summand->nvalues == 0 || program->nvariables > (uint32) summand->ncells)
		elog(ERROR, "invalid summand: the program does not fit");
}

DpsSummandPlan *
dps_summand_of_doubles(const DpsSummandPlan *summand)
{
	DpsSummandPlan *copy = memcpy(palloc(VARSIZE(summand)), summand, VARSIZE(summand));
	DpsSummandParts parts;
	int			i;

	dps_summand_parts(copy, &parts);
	for (i = 0; i < copy->ncells; i++)
		unconstify(DpsCell *, parts.cells)[i].type = FLOAT8OID;
	return copy;
}

static Size
state_size(int nsums, uint32 nentries)
{
	return offsetof(DpsState, sum) + nsums * sizeof(DpsSum) + nentries * sizeof(DpsTallyEntry);
}

DpsState *
dps_state_make(int nsums)
{
	Size		size = state_size(nsums, 0);
	DpsState   *state = palloc0(size);

	SET_VARSIZE(state, size);
	state->version = DPS_STATE_VERSION;
	state->nsums = nsums;
	return state;
}

DpsState *
dps_state_make_tally(const DpsTally *tally)
{
	Size		size = state_size(0, tally->used);
	DpsState   *state = palloc0(size);

	SET_VARSIZE(state, size);
	state->version = DPS_STATE_VERSION;
	state->points = tally->points;
	state->nentries = tally->used;
	dps_tally_copy(tally, dps_state_entries(state));
	return state;
}

void
dps_state_check(const DpsState *state)
{
	if (VARSIZE(state) < offsetof(DpsState, sum) || state->version != DPS_STATE_VERSION ||
		state->nsums < 0 || state->nsums > DPS_MAX_VALUES + DPS_MAX_PRODUCTS ||
		state->points > DPS_TALLY_POINTS || state->nentries > state->points ||
		VARSIZE(state) != state_size(state->nsums, state->nentries))
		elog(ERROR, "invalid state");
}

void
dps_check_epsilon(double epsilon, bool isnull, int position)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 position > 0 ? errposition(position) : 0));
	/* The negation also holds for NaN. */
	if (!(epsilon >= DPS_EPSILON_MIN && epsilon <= DPS_EPSILON_MAX))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon %g is outside the valid range", epsilon),
				 errdetail("Epsilon must be between %g and %g.",
						   DPS_EPSILON_MIN, DPS_EPSILON_MAX),
				 position > 0 ? errposition(position) : 0));
}

void
dps_check_level(double level, bool isnull, int position)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the level of an interval must not be null"),
				 position > 0 ? errposition(position) : 0));
	if (!(level > 0.0 && level < 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("level %g is outside the valid range", level),
				 errdetail("The level of an interval must be between 0 and 1, both excluded."),
				 position > 0 ? errposition(position) : 0));
}
