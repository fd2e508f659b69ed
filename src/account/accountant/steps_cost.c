/*
 * steps_cost.c
 *		What a run of training costs by itself, and the noise for a cost.
 *
 * Precondition: as in sampled.c, of all steps of one run.  Postcondition: the run is (epsilon,
 * delta)-DP for the epsilon that is returned, and for the one that was asked for with the
 * scale that is returned.
 *
 * Proof.  Renyi losses bound epsilon (sampled.c; of everybody zcdp.c), and so does the
 * distribution of the loss (pld.c), both of the same pair of laws and at the same delta: the less of the
 * two figures holds.  Both are fixed before the run.  A scale that is returned has itself been
 * found to suffice, so it does not matter whether figures fall as scales rise, which the searches
 * rely on for finding a small one.
 *
 * An (epsilon, delta) of one run is no cost that adds up with those of other answers; what a
 * run is charged is a rho (sampled.c).
 */
#include <math.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/accountant/steps_cost.h"
#include "account/elementary.h"
#include "num/whole.h"

/* What the grid may add to epsilon, relatively. */
#define STEPS_ACCURACY 3e-4

/* The searches end where scales, or epsilon and what was asked for, are that close. */
#define SCALE_PART 4096
#define EPSILON_PART 0x1p-11

/* Looks at the distribution of the loss, at most. */
#define LOOKS 12

DpsStatus
dps_steps_renyi(const DpsRunSteps *steps, uint64_t scale, double delta, double *epsilon)
{
	double		rho;

	if (steps->rate < 1.0)
		return dps_subsampled_epsilon(steps->rate, scale, steps->sensitivity, steps->steps, delta, epsilon);
	if (!(steps->rate == 1.0 && scale > 0))
		return DPS_DOMAIN;
	rho = dps_mul_up(dps_count_up(steps->steps), dps_gaussian_rho(scale, steps->sensitivity));
	return rho < INFINITY ? dps_zcdp_epsilon(rho, delta, epsilon) : DPS_UNABLE;
}

DpsStatus
dps_steps_epsilon(const DpsHost *host, const DpsRunSteps *steps, uint64_t scale, double delta, double *epsilon)
{
	DpsPastRelease run = {.law = DPS_LAW_SUBSAMPLED, .sensitivity = steps->sensitivity, .scale = scale,
		.coordinates = steps->coordinates, .epsilon = INFINITY, .rho = INFINITY, .count = 1, .rate = steps->rate,
		.steps = steps->steps};
	DpsHistory	history = {&run, 1};
	double		renyi = INFINITY;
	double		read = INFINITY;
	DpsStatus	status = dps_steps_renyi(steps, scale, delta, &renyi);

	if (status != DPS_OK && status != DPS_UNABLE)
		return status;
	if (steps->steps > 0)
		status = dps_pld_epsilon(host, &history, delta, STEPS_ACCURACY, &read);
	if (status != DPS_OK && status != DPS_UNABLE)
		return status;
	read = fmin(read, renyi);
	if (!(read < INFINITY))
		return DPS_UNABLE;
	*epsilon = read;
	return DPS_OK;
}

/* Halves while that suffices by Renyi losses, and then the interval. */
static uint64_t
scale_by_renyi(const DpsRunSteps *steps, double epsilon, double delta, uint64_t enough)
{
	uint64_t	little = enough / 2;
	double		read;

	while (little > 1 && dps_steps_renyi(steps, little, delta, &read) == DPS_OK && read <= epsilon)
	{
		enough = little;
		little /= 2;
	}
	while (enough - little > 1 && enough - little > enough / SCALE_PART)
	{
		uint64_t	middle = little + (enough - little) / 2;

		if (dps_steps_renyi(steps, middle, delta, &read) == DPS_OK && read <= epsilon)
			enough = middle;
		else
			little = middle;
	}
	return enough;
}

typedef struct ScaleSearch
{
	uint64_t	little;			/* does not suffice, or 0 */
	uint64_t	enough;			/* suffices */
	double		cost;			/* what it costs */
	double		scales[2];		/* the last two that were looked at, and their costs; 0: none */
	double		costs[2];
} ScaleSearch;

static void
note(ScaleSearch *search, double epsilon, uint64_t scale, double cost)
{
	search->scales[1] = search->scales[0];
	search->costs[1] = search->costs[0];
	search->scales[0] = (double) scale;
	search->costs[0] = cost;
	if (cost <= epsilon)
	{
		search->enough = scale;
		search->cost = cost;
	}
	else
		search->little = scale;
}

/* Between both, a little on the side that suffices: where the line through the logarithms of the last two looks, or of slope
 * -2, has the cost, or in the middle if that is not between. */
static uint64_t
guess(const ScaleSearch *search, double epsilon)
{
	double		wanted = log(epsilon * (1.0 - 0.25 * EPSILON_PART));
	double		slope = -2.0;
	double		scale;

	if (search->costs[1] < INFINITY && search->scales[1] > 0.0)
		slope = log(search->costs[0] / search->costs[1]) / log(search->scales[0] / search->scales[1]);
	scale = search->scales[0] * exp((wanted - log(search->costs[0])) / slope);
	if (scale > (double) search->little + 1.0 && scale < (double) search->enough - 1.0)
		return dps_to_uint64(floor(scale));
	return search->little + (search->enough - search->little) / 2;
}

DpsStatus
dps_steps_scale(const DpsHost *host, const DpsRunSteps *steps, double epsilon, double delta, uint64_t enough,
				uint64_t *scale)
{
	ScaleSearch search = {0};
	uint64_t	look = scale_by_renyi(steps, epsilon, delta, enough);

	search.enough = look;
	for (int i = 0; i < LOOKS; i++)
	{
		double		cost = INFINITY;
		DpsStatus	status = dps_steps_epsilon(host, steps, look, delta, &cost);

		if (status != DPS_OK && status != DPS_UNABLE)
			return status;
		note(&search, epsilon, look, cost);
		if (search.enough - search.little <= 1 || search.enough - search.little <= search.enough / SCALE_PART ||
			search.cost >= epsilon * (1.0 - EPSILON_PART))
			break;
		look = guess(&search, epsilon);
	}
	*scale = search.enough;
	return DPS_OK;
}
