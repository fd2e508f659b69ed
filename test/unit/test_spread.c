/*
 * test_spread.c
 *		Statistics of second moments in doubles, their intervals by the noise, and the
 *		bounds of their errors.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "moment/grid.h"
#include "moment/moment.h"
#include "moment/moment_box.h"
#include "moment/moment_error.h"
#include "moment/moment_point.h"
#include "moment/moment_spread.h"
#include "splitmix.h"
#include "tap.h"

static uint64_t state = 20240301;

/* In [-1, 1]. */
static double
next_number(void)
{
	return (double) (int64_t) splitmix64(&state) * 0x1p-63;
}

typedef DpsStatus (*Boxed) (const DpsMomentBox *box, DpsInterval *result);
typedef DpsStatus (*Pointed) (const DpsMomentPoint *point, double *result);

static const struct
{
	const char *name;
	Boxed		boxed;
	Pointed		pointed;
}			statistics[] = {
#define PAIR(f) {#f, dps_moment_##f, dps_moment_##f##_at}
	PAIR(variance_pop), PAIR(variance_samp), PAIR(deviation_pop), PAIR(deviation_samp), PAIR(covariance_pop),
	PAIR(covariance_samp), PAIR(correlation), PAIR(r2), PAIR(count_rows), PAIR(mean_x), PAIR(mean_y), PAIR(sum_xx),
	PAIR(sum_yy), PAIR(sum_xy), PAIR(slope), PAIR(intercept), PAIR(regression)
};

#define STATISTICS (sizeof(statistics) / sizeof(statistics[0]))

static void
make_design(DpsMomentDesign *design, int kind, int nvalues)
{
	int			i;

	memset(design, 0, sizeof(*design));
	design->kind = kind;
	design->nvalues = nvalues;
	design->bits = 32;
	for (i = 0; i < nvalues; i++)
		design->value[i] = (DpsMomentValue) {
			.grid = -30 - i, .radius = INT64_C(1) << 32, .centre = INT64_C(1) << 30,
			.lo = ldexp(-0x3p30, -30 - i), .hi = ldexp(0x5p30, -30 - i)
		};
}

/* Outputs of n rows about random means, correlated, which are no further than `wobble` from these. */
static void
make_outputs(const DpsMomentDesign *design, const DpsMomentBasis *basis, int n, double wobble, double *output)
{
	double		moments[DPS_MAX_MOMENTS] = {0};
	double		middle[3] = {next_number() / 2, next_number() / 2, next_number() / 2};
	int			row;
	int			i;
	int			j;
	int			k;

	for (row = 0; row < n; row++)
	{
		double		z[3];

		for (i = 0; i < design->nvalues; i++)
			z[i] = rint((middle[i] + next_number() * wobble + (i > 0 ? (z[0] * 0x1p-32 - middle[0]) / 2 : 0)) * 0x1p32);
		moments[0] += 1;
		for (i = 0; i < design->nvalues; i++)
		{
			moments[dps_moment_linear(i)] += z[i];
			for (j = i; j < design->nvalues; j++)
				if (dps_moment_cross(design, i, j) >= 0)
					moments[dps_moment_cross(design, i, j)] += ldexp(z[i] * z[j], -design->bits);
		}
	}
	for (i = 0; i < basis->noutputs; i++)
	{
		output[i] = 0;
		for (k = 0; k < basis->output[i].nterms; k++)
			output[i] += (double) basis->output[i].weight[k] * moments[basis->output[i].moment[k]];
	}
}

static void
test_points(int norm)
{
	static const int16_t pick[3] = {0, 1, 2};
	static const double nowhere[DPS_MAX_MOMENTS] = {0};
	int			failures[STATISTICS] = {0};
	DpsMomentDesign design;
	DpsMomentBasis basis;
	size_t		s;
	int			trial;

	for (trial = 0; trial < 200; trial++)
	{
		double		output[DPS_MAX_MOMENTS];
		DpsMomentBox box;
		DpsMomentPoint point;

		make_design(&design, DPS_MOMENT_ALL, 2 + trial % 2);
		dps_moment_basis(&design, norm, &basis);
		make_outputs(&design, &basis, 40, 0.25, output);
		/* what does not exist, too */
		if (trial % 5 == 0)
			output[trial % basis.noutputs] -= ldexp(60.0 * next_number(), 40);
		dps_moment_box(&design, &basis, output, nowhere, 40, &box);
		dps_moment_point(&design, &basis, output, 40, &point);
		box.npicks = point.npicks = design.nvalues;
		box.pick = point.pick = pick;
		for (s = 0; s < STATISTICS; s++)
		{
			int			entry = statistics[s].boxed == dps_moment_regression ? trial % design.nvalues : 0;
			DpsInterval results[3];
			double		numbers[3] = {NAN, NAN, NAN};
			DpsStatus	boxed = statistics[s].boxed(&box, results);
			DpsStatus	pointed = statistics[s].pointed(&point, numbers);
			DpsInterval interval = results[entry];
			double		number = numbers[entry];

			/* a box that is a point but for rounding cannot tell 0 from nearly 0 */
			if (boxed == DPS_UNABLE)
				continue;
			failures[s] += boxed != pointed || (boxed == DPS_OK &&
				!(fabs(number - (interval.lo + interval.hi) / 2) <= (interval.hi - interval.lo) + 1e-9 * fabs(number)));
		}
	}
	for (s = 0; s < STATISTICS; s++)
		ok(failures[s] == 0, "norm %d: %s of a point is that of the box (%d of 200 are not)", norm, statistics[s].name, failures[s]);
}

/* Without noise what is nearly 0 is 0: nothing is smaller than integers and grids make it, whether
 * rows are alike, lie in the middle, or are few. */
static void
test_nothing_smaller(int norm)
{
	static const int16_t pick[2] = {0, 1};
	static const double nowhere[DPS_MAX_MOMENTS] = {0};
	int			failures = 0;
	DpsMomentDesign design;
	DpsMomentBasis basis;
	size_t		s;
	int			trial;

	for (trial = 0; trial < 4000; trial++)
	{
		double		output[DPS_MAX_MOMENTS] = {0};
		DpsMomentBox box;

		make_design(&design, DPS_MOMENT_ALL, 2);
		design.bits = 4 + trial % 29;
		design.count_is_public = trial % 2;
		dps_moment_basis(&design, norm, &basis);
		if (trial % 3 > 0)
			make_outputs(&design, &basis, trial % 7, trial % 3 == 1 ? 0 : 0x1p-31, output);
		dps_moment_box(&design, &basis, output, nowhere, trial % 7, &box);
		box.npicks = 2;
		box.pick = pick;
		for (s = 0; s < STATISTICS; s++)
		{
			DpsInterval results[2];

			failures += statistics[s].boxed(&box, results) == DPS_OK &&
				results[0].lo / 2 + results[0].hi / 2 != 0 && fabs(results[0].lo / 2 + results[0].hi / 2) < 0x1p-300;
		}
	}
	ok(failures == 0, "norm %d: no statistic is smaller than what it is made of (%d are)", norm, failures);
}

static double
root_of_count(const DpsMomentPoint *point)
{
	return cbrt(point->moment[0] - 1000.0);
}

/* An increasing function of one form of the outputs. */
static DpsStatus
bent(const DpsMomentPoint *point, double *result)
{
	*result = root_of_count(point);
	return DPS_OK;
}

/* What exists for half of the noise. */
static DpsStatus
half(const DpsMomentPoint *point, double *result)
{
	*result = point->moment[0];
	return point->moment[0] > 1000.0 ? DPS_OK : DPS_DOMAIN;
}

static void
test_spread(const DpsMechanism *mechanism)
{
	static const int16_t pick[2] = {0, 1};
	static const double levels[] = {0.5, 0.1, 0.05, 0.01, 0.002};
	DpsMomentDesign design;
	DpsMomentBasis basis;
	double		output[DPS_MAX_MOMENTS];
	uint64_t	scale = UINT64_C(1) << 40;
	DpsMomentAsked asked = {dps_moment_count_rows_at, 1, 2, pick};
	double		lower;
	double		upper;
	double		lower_bent;
	double		upper_bent;
	double		again;
	size_t		i;

	make_design(&design, DPS_MOMENT_SQUARES, 1);
	dps_moment_basis(&design, mechanism->norm, &basis);
	make_outputs(&design, &basis, 1000, 0.25, output);
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
	{
		double	   *noise = malloc(sizeof(double) * (size_t) dps_moment_spread_size(&basis, levels[i]));
		double		deviation = 0.0;
		double		one;
		double		width;
		int			k;

		ok(dps_moment_spread_points(&basis, levels[i]) > 0, "%s: %g is told", mechanism->name, levels[i]);
		dps_moment_spread_noise(&basis, mechanism, scale, levels[i], noise);
		asked.evaluate = dps_moment_count_rows_at;
		(void) dps_moment_spread(&design, &basis, &asked, output, 0, levels[i], noise, &lower, &upper);
		for (k = 0; k < basis.inverse[0].nterms; k++)
			deviation = hypot(deviation, basis.inverse[0].weight[k]);
		/* of several draws the quantile is between those of the normal law and of one draw */
		one = mechanism->tail(scale, 1, levels[i]) * deviation;
		width = (upper - lower) / 2;
		ok(width > 0.85 * one && width < (levels[i] > 0.1 ? 1.7 : 1.3) * one, "%s: of a form of all outputs the interval of %g is %g times that of one draw",
		   mechanism->name, levels[i], width / one);
		asked.evaluate = bent;
		ok(dps_moment_spread(&design, &basis, &asked, output, 0, levels[i], noise, &lower_bent, &upper_bent) &&
		   fabs(lower_bent - cbrt(lower - 1000)) <= 1e-9 * fabs(lower_bent) && fabs(upper_bent - cbrt(upper - 1000)) <= 1e-9 * fabs(upper_bent),
		   "%s: of a function of it, that of the form carried over", mechanism->name);
		(void) dps_moment_spread(&design, &basis, &asked, output, 0, levels[i], noise, &again, &upper_bent);
		ok(again == lower_bent, "%s: the same again", mechanism->name);
		asked.evaluate = half;
		ok(!dps_moment_spread(&design, &basis, &asked, output, 0, levels[i], noise, &lower, &upper),
		   "%s: what does not exist for half of the noise has no ends", mechanism->name);
		free(noise);
	}
	ok(dps_moment_spread_points(&basis, 1e-7) == 0, "%s: the rarest are left to boxes", mechanism->name);
}

/* The same twice, and two that have no noise in common. */
static DpsStatus
same_twice(const DpsMomentPoint *point, double *result)
{
	result[0] = point->moment[0];
	result[1] = -2.0 * point->moment[0];
	return DPS_OK;
}

static DpsStatus
two_moments(const DpsMomentPoint *point, double *result)
{
	result[0] = point->moment[0];
	result[1] = point->moment[1];
	return DPS_OK;
}

static void
test_several(const DpsMechanism *mechanism)
{
	static const int16_t pick[2] = {0, 1};
	DpsMomentDesign design;
	DpsMomentBasis basis = {.noutputs = 2};
	uint64_t	scale = UINT64_C(1) << 40;
	double		output[DPS_MAX_MOMENTS] = {0};
	double		miss = 0.2;
	double		one = mechanism->tail(scale, 1, miss);
	double		half = mechanism->tail(scale, 1, 1.0 - sqrt(1.0 - miss));
	double	   *noise;
	DpsMomentAsked asked = {same_twice, 2, 2, pick};
	double		lower[2];
	double		upper[2];
	bool		told;
	int			i;

	make_design(&design, DPS_MOMENT_SQUARES, 1);
	/* moments that are the outputs */
	for (i = 0; i < dps_moment_count(&design); i++)
		basis.inverse[i] = (DpsMomentInverse) {.nterms = i < 2, .output = {(int16_t) i}, .weight = {1.0}};
	noise = malloc(sizeof(double) * (size_t) dps_moment_spread_size(&basis, miss));
	dps_moment_spread_noise(&basis, mechanism, scale, miss, noise);
	told = dps_moment_spread(&design, &basis, &asked, output, 0, miss, noise, lower, upper);
	ok(told && fabs(upper[0] / one - 1) < 0.15 && lower[1] == -2.0 * upper[0] && upper[1] == -2.0 * lower[0],
	   "%s: two results that err together have the ends of one (%g)", mechanism->name, upper[0] / one);
	asked.evaluate = two_moments;
	told = dps_moment_spread(&design, &basis, &asked, output, 0, miss, noise, lower, upper);
	ok(told && fabs(upper[0] / half - 1) < 0.15 && fabs(upper[1] / half - 1) < 0.15 && upper[0] > 1.1 * one,
	   "%s: those of two that do not share what may be missed (%g, %g)", mechanism->name, upper[0] / half, upper[1] / half);
	free(noise);
}

/* The bound is never below the noise times the gradient at random rows. */
static void
test_errors(int norm)
{
	static const struct
	{
		DpsMomentSize size;
		Pointed		pointed;
		int			k;
		int			l;
	}			sizes[] = {
		{DPS_SIZE_COUNT, dps_moment_count_rows_at, 0, 0}, {DPS_SIZE_MEAN, dps_moment_mean_x_at, 1, 1},
		{DPS_SIZE_COVARIANCE, dps_moment_variance_pop_at, 0, 0}, {DPS_SIZE_COVARIANCE, dps_moment_variance_samp_at, 0, 0},
		{DPS_SIZE_COVARIANCE, dps_moment_covariance_pop_at, 0, 1}, {DPS_SIZE_COVARIANCE, dps_moment_covariance_samp_at, 0, 1},
		{DPS_SIZE_DEVIATION, dps_moment_deviation_pop_at, 0, 0}, {DPS_SIZE_PRODUCTS, dps_moment_sum_xx_at, 1, 1},
		{DPS_SIZE_PRODUCTS, dps_moment_sum_xy_at, 0, 1}
	};
	static const int16_t pick[2] = {0, 1};
	DpsMomentTails tails = {0x1p40, 0x1p40};
	DpsMomentDesign design;
	DpsMomentBasis basis;
	size_t		s;

	make_design(&design, DPS_MOMENT_ALL, 2);
	dps_moment_basis(&design, norm, &basis);
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		double		bound = dps_moment_error(&design, &basis, sizes[s].size, sizes[s].k, sizes[s].l, &tails, 20000);
		double		most = 0.0;
		int			trial;

		for (trial = 0; trial < 20; trial++)
		{
			double		output[DPS_MAX_MOMENTS];
			DpsMomentPoint point;
			double		here;
			double		sum = 0.0;
			int			i;

			make_outputs(&design, &basis, 20000, 0.25, output);
			dps_moment_point(&design, &basis, output, 0, &point);
			point.npicks = 2;
			point.pick = pick;
			(void) sizes[s].pointed(&point, &here);
			for (i = 0; i < basis.noutputs; i++)
			{
				double		moved;

				output[i] += 0x1p40;
				dps_moment_point(&design, &basis, output, 0, &point);
				(void) sizes[s].pointed(&point, &moved);
				output[i] -= 0x1p40;
				sum += (moved - here) * (moved - here);
			}
			most = fmax(most, sqrt(sum));
		}
		ok(most <= bound * (1 + 1e-9) && (sizes[s].size == DPS_SIZE_DEVIATION || bound < 20 * most), "norm %d: error %d of random rows is %g, %g at most", norm, (int) s, most, bound);
	}
	ok(isnan(dps_moment_error(&design, &basis, DPS_SIZE_UNKNOWN, 0, 1, &tails, 20000)), "norm %d: nothing is said of the others", norm);
	ok(dps_moment_error(&design, &basis, DPS_SIZE_COVARIANCE, 0, 0, &tails, 2) <= ldexp(2.0, 64 - 60), "norm %d: no more than the range", norm);
}

int
main(void)
{
	int			i;

	for (i = 1; i <= 2; i++)
	{
		test_points(i);
		test_nothing_smaller(i);
		test_errors(i);
	}
	for (i = 0; dps_mechanisms[i] != NULL; i++)
	{
		test_spread(dps_mechanisms[i]);
		test_several(dps_mechanisms[i]);
	}
	return done_testing();
}
