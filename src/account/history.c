/*
 * history.c
 *		What was released, and the sums over it.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <gsl/gsl_heapsort.h>

#include "account/account.h"
#include "account/elementary.h"
#include "account/history.h"
#include "account/sampled.h"
#include "num/interval.h"
#include "num/rational.h"

typedef struct LawRow
{
	const char *mechanism;
	/* Renyi loss of order alpha; NULL if only epsilon and rho tell, or the step */
	double		(*rdp) (double alpha, uint64_t scale, uint64_t sensitivity);
} LawRow;

/*
 * The figures for one integer that moves by D hold for several that move by
 * v_1, v_2, ... with norm D.  Gaussian: the divergences alpha v_i^2 / 2N^2 add
 * up.  Laplace: exp of (alpha - 1) times the divergence is
 * A e^((alpha-1)v/t) + B e^(-alpha v/t) with A + B = 1 and, by the formula in
 * rdp.c, A > 0 and B >= 0 since q^(2 alpha - 1) <= q.  Such a sum is log-convex
 * in v and 1 at v = 0, so the divergences of v_i add up to no more than that of
 * their sum.  In steps v_i are multiples of the step, and A and B are what they are for its x.
 */
static const LawRow laws[] = {
	[DPS_LAW_UNKNOWN] = {"", NULL},
	[DPS_LAW_LAPLACE] = {"laplace", dps_rdp_laplace},
	[DPS_LAW_GAUSSIAN] = {"gaussian", dps_rdp_gaussian},
	[DPS_LAW_EXPONENTIAL] = {"exponential", NULL},
	[DPS_LAW_FLIP] = {"permute_flip", NULL},
	[DPS_LAW_K_NORM] = {"k_norm", NULL},
	[DPS_LAW_SUBSAMPLED] = {"subsampled", NULL},
	[DPS_LAW_GEOMETRIC] = {"geometric", NULL},
	[DPS_LAW_PARTITION] = {"partition", NULL},
};

#define LAW_COUNT (sizeof(laws) / sizeof(laws[0]))

DpsLaw
dps_law_find(const char *mechanism)
{
	for (size_t i = DPS_LAW_UNKNOWN + 1; i < LAW_COUNT; i++)
	{
		if (strcmp(mechanism, laws[i].mechanism) == 0)
			return (DpsLaw) i;
	}
	return DPS_LAW_UNKNOWN;
}

DpsPastRelease
dps_past_release_noise(DpsLaw law, uint64_t sensitivity, uint64_t scale, uint64_t coordinates,
				  uint64_t count)
{
	DpsPastRelease	release = {law, sensitivity, scale, coordinates, INFINITY, INFINITY, 0.0, count, 0.0, 0, 0.0, 0};

	if (law == DPS_LAW_LAPLACE || law == DPS_LAW_GEOMETRIC)
	{
		release.epsilon = dps_ratio_up(sensitivity, scale);
		release.step = law == DPS_LAW_GEOMETRIC ? sensitivity + (sensitivity == 0) : 0;
		release.rho = dps_laplace_rho(scale, release.step > 0 ? release.step : 1, sensitivity);
	}
	else if (law == DPS_LAW_GAUSSIAN)
		release.rho = dps_gaussian_rho(scale, sensitivity);
	else if (law == DPS_LAW_EXPONENTIAL || law == DPS_LAW_FLIP || law == DPS_LAW_K_NORM)
	{
		/* draws one after the other, each of this range */
		release.coordinates = 1;
		release.count = coordinates * count;
		release.epsilon = dps_ratio_up(sensitivity, scale);
		release.rho = law == DPS_LAW_EXPONENTIAL ? dps_choice_rho(release.epsilon) : dps_pure_rho(release.epsilon);
	}
	else if (law == DPS_LAW_PARTITION)
	{
		double		groups = (double) (scale >> 40);
		double		each = dps_ratio_up(sensitivity, scale);
		bool		is_delta = scale == UINT64_C(1) << 62;

		release.epsilon = is_delta ? 0.0 : dps_mul_up(groups, each);
		release.rho = is_delta ? 0.0 : dps_mul_up(groups, dps_pure_rho(each));
	}
	return release;
}

DpsPastRelease
dps_past_release_geometric(uint64_t sensitivity, uint64_t scale, uint64_t step, uint64_t coordinates, uint64_t count)
{
	DpsPastRelease release = dps_past_release_noise(DPS_LAW_GEOMETRIC, sensitivity, scale, coordinates, count);

	if (step != 0 && step < release.step)
	{
		release.step = step;
		release.rho = dps_laplace_rho(scale, step, sensitivity);
	}
	return release;
}

DpsPastRelease
dps_past_release_sampled(uint64_t sensitivity, uint64_t scale, uint64_t coordinates, double rate,
						 uint64_t steps, double rho_delta, uint64_t count)
{
	DpsPastRelease release = dps_past_release_noise(DPS_LAW_SUBSAMPLED, sensitivity, scale, coordinates, count);
	DpsSampledStep step;

	release.rate = rate;
	release.steps = steps;
	release.rho_delta = rho_delta;
	dps_sampled_step(rate, scale, sensitivity, &step);
	release.rho = dps_sampled_rho(&step, steps, rho_delta);
	return release;
}

static bool
release_is_valid(const DpsPastRelease *release)
{
	if (release->law == DPS_LAW_SUBSAMPLED ?
		!(release->steps > 0 && release->rate >= 0.0 && release->rate <= 1.0 &&
		  release->rho_delta >= 0.0 && release->rho_delta < 1.0) :
		release->steps != 0 || release->rate != 0.0 || release->rho_delta != 0.0)
		return false;
	if ((size_t) release->law >= LAW_COUNT || release->count == 0 || (release->law == DPS_LAW_GEOMETRIC) != (release->step > 0))
		return false;
	if (release->law != DPS_LAW_UNKNOWN && (release->scale == 0 || release->coordinates == 0))
		return false;
	return release->epsilon >= 0.0 && release->rho >= 0.0 &&
		release->delta >= 0.0 && release->delta < 1.0;
}

DpsStatus
dps_history_check(const DpsHistory *history)
{
	for (size_t i = 0; i < history->nreleases; i++)
	{
		if (!release_is_valid(&history->releases[i]))
			return DPS_DOMAIN;
	}
	return DPS_OK;
}

static int
compare_integers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int
compare_doubles(double x, double y)
{
	return (x > y) - (x < y);
}

/* By everything but the count. */
static int
compare_releases(const void *left, const void *right)
{
	const DpsPastRelease *x = left;
	const DpsPastRelease *y = right;
	int			order = compare_integers(x->law, y->law);

	if (order == 0)
		order = compare_integers(x->scale, y->scale);
	if (order == 0)
		order = compare_integers(x->sensitivity, y->sensitivity);
	if (order == 0)
		order = compare_integers(x->coordinates, y->coordinates);
	if (order == 0)
		order = compare_doubles(x->epsilon, y->epsilon);
	if (order == 0)
		order = compare_doubles(x->rho, y->rho);
	if (order == 0)
		order = compare_doubles(x->delta, y->delta);
	if (order == 0)
		order = compare_doubles(x->rate, y->rate);
	if (order == 0)
		order = compare_integers(x->steps, y->steps);
	if (order == 0)
		order = compare_doubles(x->rho_delta, y->rho_delta);
	if (order == 0)
		order = compare_integers(x->step, y->step);
	return order;
}

/* Fields that mean nothing without a law must not keep releases apart. */
static DpsPastRelease
normal_release(DpsPastRelease release)
{
	if (release.law == DPS_LAW_UNKNOWN)
		release.sensitivity = release.scale = release.coordinates = 0;
	return release;
}

DpsStatus
dps_history_group(DpsArena *arena, const DpsHistory *history, DpsHistory *grouped)
{
	DpsPastRelease *releases;
	size_t		last = 0;

	DPS_TRY(dps_history_check(history));
	grouped->releases = NULL;
	grouped->nreleases = 0;
	if (history->nreleases == 0)
		return DPS_OK;
	if (history->nreleases > SIZE_MAX / sizeof(DpsPastRelease))
		return DPS_NOMEM;
	releases = dps_arena_alloc(arena, history->nreleases * sizeof(DpsPastRelease));
	if (releases == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < history->nreleases; i++)
		releases[i] = normal_release(history->releases[i]);
	gsl_heapsort(releases, history->nreleases, sizeof(DpsPastRelease), compare_releases);
	for (size_t i = 1; i < history->nreleases; i++)
	{
		uint64_t	count = releases[i].count;

		if (compare_releases(&releases[last], &releases[i]) == 0 &&
			releases[last].count <= UINT64_MAX - count)
			releases[last].count += count;
		else
			releases[++last] = releases[i];
	}
	grouped->releases = releases;
	grouped->nreleases = last + 1;
	return DPS_OK;
}

static double
add_times(double sum, double loss, uint64_t count)
{
	return dps_add_up(sum, dps_mul_up(loss, dps_count_up(count)));
}

double
dps_history_epsilon(const DpsHistory *history)
{
	double		sum = 0.0;

	for (size_t i = 0; i < history->nreleases; i++)
		sum = add_times(sum, history->releases[i].epsilon, history->releases[i].count);
	return sum;
}

/* epsilon-DP is dps_pure_rho(epsilon)-zCDP. */
static double
release_rho(const DpsPastRelease *release)
{
	return fmin(release->rho, dps_pure_rho(release->epsilon));
}

double
dps_history_rho(const DpsHistory *history)
{
	double		sum = 0.0;

	for (size_t i = 0; i < history->nreleases; i++)
		sum = add_times(sum, release_rho(&history->releases[i]), history->releases[i].count);
	return sum;
}

double
dps_history_delta(const DpsHistory *history)
{
	double		sum = 0.0;

	for (size_t i = 0; i < history->nreleases; i++)
		sum = add_times(sum, history->releases[i].delta, history->releases[i].count);
	return sum;
}

double
dps_history_rho_delta(const DpsHistory *history)
{
	double		sum = 0.0;

	for (size_t i = 0; i < history->nreleases; i++)
		sum = add_times(sum, history->releases[i].rho_delta, history->releases[i].count);
	return sum;
}

/*
 * A release that is delta_i-approximately rho-zCDP, or has that Renyi loss, is
 * within delta_i of one that has it exactly; the delta_i add up (Bun and Steinke
 * 2016, section 8).
 */
DpsStatus
dps_history_delta_left(const DpsHistory *history, double delta, double *left)
{
	if (!(delta >= 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	DPS_TRY(dps_history_check(history));
	*left = dps_sub_down(delta, dps_history_delta(history));
	return *left > 0.0 ? DPS_OK : DPS_UNABLE;
}

/* epsilon-DP is (alpha, epsilon)-RDP.  The rho of a sampled run holds up to a
 * delta, its Renyi losses without. */
double
dps_past_release_rdp(const DpsPastRelease *release, double alpha)
{
	double		loss = fmin(release->epsilon, dps_mul_up(alpha, release_rho(release)));

	if (release->law == DPS_LAW_SUBSAMPLED)
		return fmin(release->epsilon,
					dps_mul_up(dps_count_up(release->steps),
							   dps_sampled_rdp_at(alpha, release->rate, release->scale, release->sensitivity)));
	if (release->law == DPS_LAW_GEOMETRIC)
		loss = fmin(loss, dps_rdp_geometric(alpha, release->scale, release->step, release->sensitivity));
	if (laws[release->law].rdp != NULL)
		loss = fmin(loss, laws[release->law].rdp(alpha, release->scale, release->sensitivity));
	return loss;
}

bool
dps_history_has_only(const DpsHistory *history, DpsLaw law)
{
	for (size_t i = 0; i < history->nreleases; i++)
	{
		if (history->releases[i].law != law)
			return false;
	}
	return true;
}

bool
dps_history_has(const DpsHistory *history, DpsLaw law)
{
	for (size_t i = 0; i < history->nreleases; i++)
	{
		if (history->releases[i].law == law)
			return true;
	}
	return false;
}
