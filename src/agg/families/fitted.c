/*
 * fitted.c
 *		Answers of grouping sets, made to add up.
 *
 * The rewriting puts finish_fit(plan, set, group, answer) OVER () above the union of the queries of the sets
 * (guard/rewrite/fitted_sets.c), which has shown that each group is the sum of its parts.  All of its arguments are
 * public: answers have their noise, and the variances are those of the scales in them.  moment/nested.c and
 * moment/crossed/crossed.c have the fits and their proofs.
 *
 * A fitted answer has what was drawn beside the fit: an interval of the noise is about that.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "windowapi.h"

#include "agg/aggregate.h"
#include "agg/families/fitted.h"
#include "agg/family.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "moment/crossed/crossed.h"
#include "moment/nested.h"

DPS_SQL_FUNCTION(dps_finish_fit);

/* Arguments of finish_fit. */
#define PLAN 0
#define SET 1
#define GROUP 2
#define ANSWER 3

/* What is kept for a partition, which is all rows. */
typedef struct Fits
{
	bool		made;
	bool		is_fitted;
	DpsSum		fit[FLEXIBLE_ARRAY_MEMBER];	/* of all groups, set by set */
} Fits;

/* What was drawn. */
typedef struct Draws
{
	DpsNestedLevel level[DPS_FIT_LEVELS];
	bool	   *seen;			/* of all groups, set by set */
	int			mechanism;		/* -1: none is known yet */
	bool		has_scale[DPS_FIT_LEVELS];	/* a set's scale is known */
	uint64		scale[DPS_FIT_LEVELS];
	int			step_bits;		/* of noise; -1: none is known yet */
	bool		is_alike;		/* mechanism, step, and scale of each set are the same in all answers */
} Draws;

const DpsFitPlan *
dps_fit_of_datum(Datum datum)
{
	const DpsFitPlan *plan = (const DpsFitPlan *) PG_DETOAST_DATUM(datum);
	int			i;

	if (VARSIZE(plan) != sizeof(DpsFitPlan) || plan->version != DPS_FIT_VERSION || plan->nlevels < 1 ||
		plan->nlevels > DPS_FIT_LEVELS || plan->nkeys < 0 || plan->nkeys > DPS_FIT_KEYS)
		elog(ERROR, "invalid fit");
	for (i = 0; i < plan->nkeys; i++)
	{
		if (plan->values[i] < 1)
			elog(ERROR, "invalid fit");
	}
	return plan;
}

static const DpsFitPlan *
read_plan(WindowObject window)
{
	bool		isnull;
	Datum		datum = WinGetFuncArgCurrent(window, PLAN, &isnull);

	if (isnull)
		elog(ERROR, "invalid fit");
	return dps_fit_of_datum(datum);
}

int64
dps_fit_groups(const DpsFitPlan *plan, int level)
{
	int64		n = 1;
	int			i;

	for (i = 0; i < plan->nkeys; i++)
	{
		if ((plan->keys[level] & (UINT32_C(1) << i)) != 0)
			n = Min(n * plan->values[i], DPS_NESTED_CELLS + 1);
	}
	return n;
}

bool
dps_fit_is_nested(const DpsFitPlan *plan)
{
	int			i;

	for (i = 1; i < plan->nlevels; i++)
	{
		if ((plan->keys[i - 1] & ~plan->keys[i]) != 0)
			return false;
	}
	return true;
}

DpsCrossedFamily *
dps_fit_family(const DpsFitPlan *plan)
{
	DpsCrossedFamily *family = palloc(sizeof(DpsCrossedFamily));
	int64		values[DPS_FIT_KEYS];
	int			i;

	for (i = 0; i < plan->nkeys; i++)
		values[i] = plan->values[i];
	return dps_crossed_make(plan->nkeys, values, plan->nlevels, plan->keys, family) == DPS_OK ? family : NULL;
}

static int64
first_of_set(const DpsFitPlan *plan, int set)
{
	int64		first = 0;
	int			i;

	for (i = 0; i < set; i++)
		first += dps_fit_groups(plan, i);
	return first;
}

/* The group of the coarser set that holds a group: the digits of the keys that are left. */
static int64
parent_of(const DpsFitPlan *plan, int level, int64 group)
{
	int64		parent = 0;
	int64		place = 1;
	int			i;

	for (i = plan->nkeys - 1; i >= 0; i--)
	{
		uint32		bit = UINT32_C(1) << i;

		if ((plan->keys[level] & bit) == 0)
			continue;
		if ((plan->keys[level - 1] & bit) != 0)
		{
			parent += group % plan->values[i] * place;
			place *= plan->values[i];
		}
		group /= plan->values[i];
	}
	return parent;
}

static void
make_level(const DpsFitPlan *plan, int level, DpsArena *arena, DpsNestedLevel *made)
{
	made->n = dps_fit_groups(plan, level);
	made->value = dps_arena_alloc(arena, sizeof(DpsStoredInt128) * made->n);
	if (made->value == NULL)
		dps_check_status(DPS_NOMEM);
}

static void
find_parents(const DpsFitPlan *plan, int level, DpsNestedLevel *made)
{
	int64	   *parent = palloc(sizeof(int64) * made->n);
	int64		i;

	for (i = 0; i < made->n; i++)
		parent[i] = parent_of(plan, level, i);
	made->parent = parent;
}

/* The variance of noise, in the square of the grid's unit. */
static double
noise_variance(const DpsMechanism *mechanism, uint64 scale, int step_bits)
{
	double		step = ldexp(1.0, step_bits);
	double		loss;

	if (scale == 0)
		return 0;
	if (mechanism == &dps_gaussian)
		return (double) scale * (double) scale;
	/* of a geometric draw on both sides, in steps: 2 q / (1 - q)^2 with q = e^-loss */
	loss = step / (double) scale;
	return 2.0 * exp(-loss) / (expm1(-loss) * expm1(-loss)) * step * step;
}

/* Notes an answer of a set. */
static void
note_answer(Draws *draws, int set, int64 group, int64 number, const DpsAnswer *answer)
{
	const DpsNoised *noised = &answer->noised[0];

	if (answer->nnoised != 1)
		elog(ERROR, "invalid answer");
	draws->level[set].value[group] = dps_sum_read(&noised->value);
	if (!draws->has_scale[set])
		draws->scale[set] = noised->scale;
	draws->has_scale[set] = true;
	draws->seen[number] = true;
	draws->is_alike &= draws->scale[set] == noised->scale;
	/* an answer without noise has no mechanism and no step */
	if (noised->scale == 0)
		return;
	if (draws->mechanism < 0)
	{
		draws->mechanism = answer->mechanism;
		draws->step_bits = answer->step_bits;
	}
	draws->is_alike &= draws->mechanism == answer->mechanism && draws->step_bits == answer->step_bits;
}

static Datum
argument(WindowObject window, int number, int64 row)
{
	bool		isnull;
	bool		isout;
	Datum		datum = WinGetFuncArgInPartition(window, number, (int) row, WINDOW_SEEK_HEAD, false, &isnull, &isout);

	if (isnull || isout)
		elog(ERROR, "invalid fit");
	return datum;
}

/* The numbers of a row's set and group, and its place among all. */
static int64
read_place(const DpsFitPlan *plan, int32 set, int32 group)
{
	if (set < 0 || set >= plan->nlevels || group < 0 || group >= dps_fit_groups(plan, set))
		elog(ERROR, "invalid fit");
	return first_of_set(plan, set) + group;
}

/* Reads all answers; an error unless each group has one. */
static void
read_answers(WindowObject window, const DpsFitPlan *plan, int64 ngroups, Draws *draws)
{
	int64		rows = WinGetPartitionRowCount(window);
	int64		row;

	if (rows != ngroups)
		elog(ERROR, "invalid fit");
	draws->seen = palloc0(sizeof(bool) * ngroups);
	for (row = 0; row < rows; row++)
	{
		int32		set = DatumGetInt32(argument(window, SET, row));
		int32		group = DatumGetInt32(argument(window, GROUP, row));
		int64		number = read_place(plan, set, group);

		if (draws->seen[number])
			elog(ERROR, "invalid fit");
		note_answer(draws, set, group, number, dps_answer_of_datum(argument(window, ANSWER, row)));
	}
}

static DpsStatus
fit_nested(const DpsFitPlan *plan, DpsArena *arena, Draws *draws, uint64 step)
{
	int			i;

	for (i = 1; i < plan->nlevels; i++)
		find_parents(plan, i, &draws->level[i]);
	return dps_fit_nested(arena, draws->level, plan->nlevels, step);
}

static DpsStatus
fit_crossed(const DpsFitPlan *plan, DpsArena *arena, Draws *draws, uint64 step)
{
	const DpsCrossedFamily *family = dps_fit_family(plan);
	double		variances[DPS_FIT_LEVELS];
	DpsStoredInt128 *values[DPS_FIT_LEVELS];
	int			i;

	for (i = 0; i < plan->nlevels; i++)
	{
		variances[i] = draws->level[i].variance;
		values[i] = draws->level[i].value;
	}
	return family != NULL ? dps_fit_crossed(arena, family, variances, values, step) : DPS_DOMAIN;
}

/* Fits the answers; false, and they are as they were drawn, if they are not of one kind or too large. */
static bool
fit(const DpsFitPlan *plan, DpsArena *arena, Draws *draws)
{
	uint64		step = UINT64CONST(1) << (plan->step_bits >= 0 ? plan->step_bits : Max(draws->step_bits, 0));
	DpsStatus	status;
	int			i;

	if (!draws->is_alike || draws->mechanism < 0)
		return false;
	for (i = 0; i < plan->nlevels; i++)
		draws->level[i].variance = noise_variance(dps_mechanisms[draws->mechanism], draws->scale[i], draws->step_bits);
	status = dps_fit_is_nested(plan) ? fit_nested(plan, arena, draws, step) : fit_crossed(plan, arena, draws, step);
	if (status != DPS_DOMAIN)
		dps_check_status(status);
	return status == DPS_OK;
}

static void
make_fits(WindowObject window, const DpsFitPlan *plan, int64 ngroups, Fits *fits)
{
	DpsArena   *arena = dps_server_arena();
	Draws		draws = {.mechanism = -1, .step_bits = -1, .is_alike = true};
	int64		number = 0;
	int64		i;
	int			level;

	for (level = 0; level < plan->nlevels; level++)
		make_level(plan, level, arena, &draws.level[level]);
	read_answers(window, plan, ngroups, &draws);
	fits->is_fitted = fit(plan, arena, &draws);
	for (level = 0; level < plan->nlevels; level++)
	{
		for (i = 0; i < draws.level[level].n; i++)
		{
			__int128	value = draws.level[level].value[i];

			fits->fit[number].low = (uint64) value;
			fits->fit[number++].high = (int64) (value >> 64);
		}
	}
	fits->made = true;
}

/* The answer with its fit before it, or as it is. */
static DpsAnswer *
fitted_answer(const Fits *fits, int64 number, const DpsAnswer *drawn)
{
	Size		size = offsetof(DpsAnswer, noised) + (fits->is_fitted ? 2 : 1) * sizeof(DpsNoised);
	DpsAnswer  *answer = palloc0(size);

	memcpy(answer, drawn, offsetof(DpsAnswer, noised) + sizeof(DpsNoised));
	SET_VARSIZE(answer, size);
	if (!fits->is_fitted)
		return answer;
	answer->nnoised = 2;
	answer->noised[DPS_ANSWER_DRAWN] = drawn->noised[0];
	answer->noised[0].value = fits->fit[number];
	answer->noised[0].scale = 0;
	return answer;
}

/* finish_fit(dpsens_internal.plan, int4, int4, dpsens_internal.answer) */
Datum
dps_finish_fit(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	const DpsFitPlan *plan = read_plan(window);
	int64		ngroups = first_of_set(plan, plan->nlevels);
	bool		isnull[3];
	int64		number;
	const DpsAnswer *drawn;
	Fits	   *fits;

	if (ngroups > DPS_NESTED_CELLS)
		elog(ERROR, "invalid fit");
	fits = WinGetPartitionLocalMemory(window, offsetof(Fits, fit) + sizeof(DpsSum) * ngroups);
	if (!fits->made)
		make_fits(window, plan, ngroups, fits);
	number = read_place(plan, DatumGetInt32(WinGetFuncArgCurrent(window, SET, &isnull[0])),
						DatumGetInt32(WinGetFuncArgCurrent(window, GROUP, &isnull[1])));
	drawn = dps_answer_of_datum(WinGetFuncArgCurrent(window, ANSWER, &isnull[2]));
	if (isnull[0] || isnull[1] || isnull[2])
		elog(ERROR, "invalid fit");
	PG_RETURN_POINTER(fitted_answer(fits, number, drawn));
}
