/*
 * aggregate.c
 *		The table of dp aggregates, and the plan constants they make.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "glue/compat.h"
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

/* n times a factor, rounded up; both are far from any limit. */
static uint64
scale_up(uint64 n, double factor)
{
	return (uint64) ceil(dps_mul_up((double) n, factor));
}

/* The norms of one row's change become those of a unit's. */
static void
scale_by_unit(const DpsFacts *facts, DpsRelease *release)
{
	release->l1 = scale_up(release->l1, facts->unit_l1);
	release->l2 = scale_up(release->l2, facts->unit_l2);
	release->count_l1 = scale_up(release->count_l1, facts->unit_l1);
	release->count_l2 = scale_up(release->count_l2, facts->unit_l2);
	release->sensitivity = dps_mul_up(release->sensitivity, facts->unit_l1);
}

DpsStatus
dps_aggregate_derive(int aggregate, const DpsFacts *facts, DpsRelease *release,
					 DpsSummand *summand, const char **why)
{
	memset(release, 0, sizeof(DpsRelease));
	memset(summand, 0, sizeof(DpsSummand));
	SET_VARSIZE(release, sizeof(DpsRelease));
	SET_VARSIZE(summand, sizeof(DpsSummand));
	release->version = DPS_RELEASE_VERSION;
	summand->version = DPS_SUMMAND_VERSION;
	release->aggregate = aggregate;
	release->adjacency = facts->adjacency;
	if (!(facts->unit_l1 >= 1 && facts->unit_l2 >= 1))
		elog(ERROR, "nothing is known about the rows of a unit");
	if (facts->unit_l1 > 1 && !dps_aggregates[aggregate]->sums_rows)
	{
		*why = "a unit may have several rows";
		return DPS_DOMAIN;
	}
	DPS_TRY(dps_aggregates[aggregate]->derive(facts, release, summand, why));
	if (facts->unit_l1 > 1)
		scale_by_unit(facts, release);
	return DPS_OK;
}

DpsRelease *
dps_release_describe(const DpsRelease *release, const char *expression, const char *contribution)
{
	Size		first = strlen(expression) + 1;
	Size		second = contribution != NULL ? strlen(contribution) + 1 : 1;
	Size		size = offsetof(DpsRelease, texts) + first + second;
	DpsRelease *copy = palloc0(Max(size, sizeof(DpsRelease)));

	memcpy(copy, release, offsetof(DpsRelease, texts));
	memcpy(copy->texts, expression, first);
	if (contribution != NULL)
		memcpy(copy->texts + first, contribution, second);
	SET_VARSIZE(copy, size);
	return copy;
}

const char *
dps_release_expression(const DpsRelease *release)
{
	return release->texts;
}

const char *
dps_release_contribution(const DpsRelease *release)
{
	const char *contribution = release->texts + strlen(release->texts) + 1;

	return *contribution != '\0' ? contribution : NULL;
}

static Size
cells_size(int ncells)
{
	return mul_size(ncells, sizeof(DpsCell));
}

DpsSummand *
dps_summand_build(const DpsSummand *header, const DpsCell *cells, int ncells,
				  const DpsProgram *program)
{
	Size		offset = add_size(sizeof(DpsSummand), cells_size(ncells));
	Size		size = program != NULL ? add_size(offset, program->size) : offset;
	DpsSummand *summand = palloc0(size);
	DpsCell    *copies = (DpsCell *) (summand + 1);
	int			i;

	memcpy(summand, header, sizeof(DpsSummand));
	SET_VARSIZE(summand, size);
	summand->version = DPS_SUMMAND_VERSION;
	summand->ncells = ncells;

	/* Field by field: equal summands have equal bytes, the padding too. */
	for (i = 0; i < ncells; i++)
	{
		copies[i].type = cells[i].type;
		copies[i].domain.lo = cells[i].domain.lo;
		copies[i].domain.hi = cells[i].domain.hi;
		copies[i].domain.nullness = cells[i].domain.nullness;
		copies[i].domain.integral = cells[i].domain.integral;
	}
	if (program != NULL)
		memcpy((char *) summand + offset, program, program->size);
	return summand;
}

void
dps_summand_parts(const DpsSummand *summand, const DpsCell **cells, const DpsProgram **program)
{
	Size		size = VARSIZE(summand);
	Size		rest;

	StaticAssertStmt(sizeof(DpsSummand) == MAXALIGN(sizeof(DpsSummand)) &&
					 sizeof(DpsCell) == MAXALIGN(sizeof(DpsCell)),
					 "cells and program must be aligned");

	if (size < sizeof(DpsSummand) || summand->version != DPS_SUMMAND_VERSION ||
		summand->ncells < 0 ||
		size - sizeof(DpsSummand) < cells_size(summand->ncells))
		elog(ERROR, "invalid summand");
	*cells = (const DpsCell *) (summand + 1);
	*program = NULL;

	rest = size - sizeof(DpsSummand) - cells_size(summand->ncells);
	if (rest == 0)
	{
		if (summand->ncells != 0)
			elog(ERROR, "invalid summand: cells without a program");
		return;
	}
	*program = (const DpsProgram *) (*cells + summand->ncells);
	if (rest < sizeof(DpsProgram) || rest != (*program)->size ||
		(*program)->noutputs != 1 ||
		(*program)->nvariables > (uint32) summand->ncells)
		elog(ERROR, "invalid summand: the program does not fit");
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
