/*
 * test_moment.c
 *		Second moments: the outputs that are noised, how far a row moves them,
 *		and the statistics computed from them.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "moment/grid.h"
#include "moment/moment.h"
#include "moment/moment_box.h"
#include "splitmix.h"
#include "tap.h"

static uint64_t state = 20240229;

static uint64_t
next_word(void)
{
	return splitmix64(&state);
}

/* In [-limit, limit], its ends, 0 and their neighbours more often than not. */
static int64_t
next_integer(int64_t limit)
{
	int64_t		ends[7] = {-limit, limit, 0, 1, -1, limit - 1, 1 - limit};

	if (next_word() % 4 != 0)
		return ends[next_word() % (limit > 1 ? 7 : limit > 0 ? 5 : 1)] % (limit + 1);
	return (int64_t) (next_word() % (2 * (uint64_t) limit + 1)) - limit;
}

/* is_fine: with as many bits as where units have one row. */
static void
random_design(DpsMomentDesign *design, int kind, int nvalues, bool is_public, bool is_fine)
{
	static const int bits[] = {4, 12, 24, 32, 37, 46};
	int			i;

	memset(design, 0, sizeof(*design));
	design->kind = kind;
	design->nvalues = nvalues;
	design->count_is_public = is_public;
	design->bits = is_fine ? bits[3 + next_word() % 3] : bits[next_word() % 6];
	for (i = 0; i < nvalues; i++)
	{
		DpsMomentValue *value = &design->value[i];
		int64_t		half = INT64_C(1) << (design->bits - 1);

		value->radius = half + 1 + (int64_t) (next_word() % (uint64_t) half);
		if (next_word() % 8 == 0)
			value->radius = INT64_C(1) << design->bits | 1;
		if (next_word() % 16 == 0)
			value->radius = (int64_t) (next_word() % (design->bits < 10 ? 16 : 1000));
		value->grid = (int) (next_word() % 40) - 60;
		value->centre = next_integer(INT64_C(1) << 50);
		value->lo = ldexp((double) (value->centre - value->radius), value->grid);
		value->hi = ldexp((double) (value->centre + value->radius), value->grid);
	}
}

static void
row_moments(const DpsMomentDesign *design, const int64_t *z, __int128 *moments)
{
	int			i;
	int			j;

	moments[0] = 1;
	for (i = 0; i < design->nvalues; i++)
	{
		moments[dps_moment_linear(i)] = z[i];
		for (j = i; j < design->nvalues; j++)
		{
			if (dps_moment_cross(design, i, j) >= 0)
				moments[dps_moment_cross(design, i, j)] = dps_moment_product(z[i], z[j], design->bits);
		}
	}
}

static void
find_outputs(const DpsMomentBasis *basis, const __int128 *moments, __int128 *outputs)
{
	int			i;
	int			k;

	for (i = 0; i < basis->noutputs; i++)
	{
		outputs[i] = 0;
		for (k = 0; k < basis->output[i].nterms; k++)
			outputs[i] += basis->output[i].weight[k] * moments[basis->output[i].moment[k]];
	}
}

/* Is the norm of the outputs, less those of the other row if there is one, at most
 * the bound? */
static bool
within(const DpsMomentBasis *basis, int norm, const __int128 *a, const __int128 *b, uint64_t bound)
{
	unsigned __int128 sum = 0;
	int			i;

	for (i = 0; i < basis->noutputs; i++)
	{
		__int128	one = a[i] - (b != NULL ? b[i] : 0);
		unsigned __int128 magnitude = (unsigned __int128) (one < 0 ? -one : one);

		sum += norm == 1 ? magnitude : magnitude * magnitude;
	}
	return norm == 1 ? sum <= bound : sum <= (unsigned __int128) bound * bound;
}

static void
random_row(const DpsMomentDesign *design, int64_t *z)
{
	int			i;

	for (i = 0; i < design->nvalues; i++)
		z[i] = next_integer(design->value[i].radius);
}

/* Neighbours: one row, two rows, a row that moves by so much. */
static void
test_sensitivity(int kind, int nvalues, bool is_public, int norm)
{
	DpsMomentDesign design;
	DpsMomentBasis basis;
	int			failures[3] = {0, 0, 0};
	int			trial;
	int			row;
	int			i;

	for (trial = 0; trial < 40; trial++)
	{
		random_design(&design, kind, nvalues, is_public, false);
		dps_moment_basis(&design, norm, &basis);
		for (row = 0; row < 200; row++)
		{
			int64_t		z[2][DPS_MAX_ENTRIES];
			uint64_t	moves[DPS_MAX_ENTRIES];
			__int128	moments[DPS_MAX_MOMENTS];
			__int128	outputs[2][DPS_MAX_MOMENTS];

			random_row(&design, z[0]);
			random_row(&design, z[1]);
			for (i = 0; i < nvalues; i++)
			{
				if (next_word() % 2 == 0)
					z[1][i] = z[0][i];
				else if (next_word() % 2 == 0)
				{
					z[1][i] = z[0][i] + next_integer(1 + design.value[i].radius / 1000);
					if (z[1][i] > design.value[i].radius || z[1][i] < -design.value[i].radius)
						z[1][i] = z[0][i];
				}
				moves[i] = (uint64_t) (z[0][i] > z[1][i] ? z[0][i] - z[1][i] : z[1][i] - z[0][i]);
			}
			row_moments(&design, z[0], moments);
			find_outputs(&basis, moments, outputs[0]);
			row_moments(&design, z[1], moments);
			find_outputs(&basis, moments, outputs[1]);
			failures[0] += !within(&basis, norm, outputs[0], NULL, basis.magnitude);
			failures[1] += !within(&basis, norm, outputs[0], outputs[1], basis.distance);
			failures[2] += !within(&basis, norm, outputs[0], outputs[1], dps_moment_move(&design, &basis, norm, moves, 1));
		}
	}
	ok(failures[0] == 0 && failures[1] == 0 && failures[2] == 0,
	   "%d values, products %d, norm %d, n %s: rows keep within magnitude, distance and move", nvalues, kind, norm,
	   is_public ? "public" : "private");
	if (failures[0] + failures[1] + failures[2] > 0)
		diag("%d rows too long, %d pairs too far apart, %d moved too far", failures[0], failures[1], failures[2]);
}

/* What metric adjacency uses: d slopes and a slack for rounding. */
static void
test_linear_moves(int norm)
{
	int			failures = 0;
	int			trial;
	int			i;

	for (trial = 0; trial < 4000; trial++)
	{
		DpsMomentDesign design;
		DpsMomentBasis basis;
		uint64_t	distance = 1 + next_word() % 1000;
		uint64_t	slopes[DPS_MAX_ENTRIES];
		uint64_t	slack[DPS_MAX_ENTRIES];
		int64_t		z[2][DPS_MAX_ENTRIES];
		__int128	moments[DPS_MAX_MOMENTS];
		__int128	outputs[2][DPS_MAX_MOMENTS];

		random_design(&design, DPS_MOMENT_ALL, 2 + (int) (next_word() % 3), true, false);
		dps_moment_basis(&design, norm, &basis);
		random_row(&design, z[0]);
		for (i = 0; i < design.nvalues; i++)
		{
			int64_t		move;

			slopes[i] = next_word() % ((uint64_t) (design.value[i].radius >> 12) + 1);
			slack[i] = next_word() % 10;
			move = next_integer((int64_t) (slopes[i] * distance + slack[i]));
			z[1][i] = z[0][i] + move;
			if (z[1][i] > design.value[i].radius || z[1][i] < -design.value[i].radius)
				z[1][i] = z[0][i];
		}
		for (i = 0; i < 2; i++)
		{
			row_moments(&design, z[i], moments);
			find_outputs(&basis, moments, outputs[i]);
		}
		failures += !within(&basis, norm, outputs[0], outputs[1],
							distance * dps_moment_move(&design, &basis, norm, slopes, 0) +
							dps_moment_move(&design, &basis, norm, slack, 1));
	}
	ok(failures == 0, "norm %d: moves are linear up to the slack of rounding", norm);
}

/* Forms that add up to the same number are as long as that everywhere. */
static void
test_partition(int kind, int nvalues)
{
	bool		fine = true;
	int			trial;
	int			i;

	for (trial = 0; trial < 2000; trial++)
	{
		DpsMomentDesign design;
		DpsMomentBasis basis;
		int64_t		z[DPS_MAX_ENTRIES];
		__int128	moments[DPS_MAX_MOMENTS];
		__int128	outputs[DPS_MAX_MOMENTS];
		__int128	sum = 0;

		random_design(&design, kind, nvalues, false, false);
		dps_moment_basis(&design, 1, &basis);
		random_row(&design, z);
		row_moments(&design, z, moments);
		find_outputs(&basis, moments, outputs);
		for (i = 0; i < basis.noutputs; i++)
		{
			fine = fine && outputs[i] >= 0;
			sum += outputs[i];
		}
		fine = fine && sum == (__int128) basis.magnitude;
	}
	ok(fine, "%d values, products %d: forms are not negative and add up to the magnitude", nvalues, kind);
}

/* The error of the variance, in units of R^2 / n times the noise of sensitivity 1. */
static double
variance_error(int norm, double m, double v)
{
	DpsMomentDesign design = {.kind = DPS_MOMENT_SQUARES, .bits = 40, .nvalues = 1};
	DpsMomentBasis basis;
	double		sum = 0.0;
	int			k;
	int			i;

	design.value[0].radius = INT64_C(1) << 40;
	dps_moment_basis(&design, norm, &basis);
	for (k = 0; k < basis.noutputs; k++)
	{
		/* x^2 - 2 m x + m^2 - v, as weights of the moments */
		double		influence[3] = {m * m - v, -2.0 * m * 0x1p-40, 0x1p-40};
		double		weight = 0.0;

		for (i = 0; i < 3; i++)
		{
			int			t;

			for (t = 0; t < basis.inverse[i].nterms; t++)
				weight += basis.inverse[i].output[t] == k ? influence[i] * basis.inverse[i].weight[t] : 0.0;
		}
		sum += weight * weight;
	}
	return sqrt(sum) * (double) basis.magnitude;
}

static void
test_optimality(void)
{
	static const struct
	{
		int			norm;
		double		m;
		double		v;
		double		error;
	}			cases[] = {
		{2, 1, 0, 4.20}, {2, 0.3, 0.05, 1.641}, {2, 0, 0.05, 1.22}, {1, 1, 0, 4.59}, {1, 0, 0.05, 1.38}
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double		error = variance_error(cases[i].norm, cases[i].m, cases[i].v);

		ok(fabs(error - cases[i].error) < 0.015 * cases[i].error, "norm %d, m = %g, v = %g: error %.3f, %.3f as stated",
		   cases[i].norm, cases[i].m, cases[i].v, error, cases[i].error);
	}
}

#define ROWS 50

/* A few rows and their outputs. */
typedef struct Sample
{
	DpsMomentDesign design;
	DpsMomentBasis basis;
	long double z[ROWS][DPS_MAX_ENTRIES];
	double		outputs[DPS_MAX_MOMENTS];
} Sample;

static void
random_sample(Sample *sample, int kind, int nvalues, bool is_public, int norm)
{
	__int128	sums[DPS_MAX_MOMENTS] = {0};
	__int128	moments[DPS_MAX_MOMENTS];
	__int128	outputs[DPS_MAX_MOMENTS];
	int			row;
	int			i;

	random_design(&sample->design, kind, nvalues, is_public, true);
	/* a grid that is coarse for the range is not accurate */
	for (i = 0; i < nvalues; i++)
	{
		DpsMomentValue *value = &sample->design.value[i];

		if (value->radius < 1000)
		{
			value->radius = INT64_C(1) << sample->design.bits;
			value->lo = ldexp((double) (value->centre - value->radius), value->grid);
			value->hi = ldexp((double) (value->centre + value->radius), value->grid);
		}
	}
	dps_moment_basis(&sample->design, norm, &sample->basis);
	for (row = 0; row < ROWS; row++)
	{
		int64_t		z[DPS_MAX_ENTRIES];

		for (i = 0; i < nvalues; i++)
		{
			uint64_t	width = 2 * (uint64_t) sample->design.value[i].radius + 1;

			z[i] = (int64_t) (next_word() % width) - sample->design.value[i].radius;
			sample->z[row][i] = z[i];
		}
		row_moments(&sample->design, z, moments);
		for (i = 0; i < dps_moment_count(&sample->design); i++)
			sums[i] += moments[i];
	}
	find_outputs(&sample->basis, sums, outputs);
	for (i = 0; i < sample->basis.noutputs; i++)
		sample->outputs[i] = (double) outputs[i];
}

/* The plain sum of products of differences from the means, in the values' units. */
static long double
plain_sum(const Sample *sample, int k, int l)
{
	long double mean[2] = {0, 0};
	long double sum = 0;
	int			row;

	for (row = 0; row < ROWS; row++)
	{
		mean[0] += sample->z[row][k] / ROWS;
		mean[1] += sample->z[row][l] / ROWS;
	}
	for (row = 0; row < ROWS; row++)
		sum += (sample->z[row][k] - mean[0]) * (sample->z[row][l] - mean[1]);
	return ldexpl(sum, sample->design.value[k].grid + sample->design.value[l].grid);
}

static long double
plain_mean(const Sample *sample, int k)
{
	long double sum = 0;
	int			row;

	for (row = 0; row < ROWS; row++)
		sum += sample->z[row][k] / ROWS;
	return ldexpl(sum + sample->design.value[k].centre, sample->design.value[k].grid);
}

static bool
is_close(DpsInterval result, long double exact, long double size)
{
	return fabsl((result.lo / 2.0L + result.hi / 2.0L) - exact) <= 1e-6L * size + 1e-6L * fabsl(exact);
}

static void
test_estimates(int norm, bool is_public)
{
	static const int16_t pick[2] = {0, 1};
	int			failures[9] = {0};
	int			trial;
	int			i;

	for (trial = 0; trial < 200; trial++)
	{
		Sample		sample;
		DpsMomentBox box;
		DpsInterval result;
		const double reach[DPS_MAX_MOMENTS] = {0};
		long double syy;
		long double sxx;
		long double sxy;
		long double slope;

		random_sample(&sample, DPS_MOMENT_ALL, 2, is_public, norm);
		dps_moment_box(&sample.design, &sample.basis, sample.outputs, reach, ROWS, &box);
		box.npicks = 2;
		box.pick = pick;
		syy = plain_sum(&sample, 0, 0);
		sxx = plain_sum(&sample, 1, 1);
		sxy = plain_sum(&sample, 0, 1);
		slope = sxy / sxx;
		failures[0] += dps_moment_variance_pop(&box, &result) != DPS_OK || !is_close(result, syy / ROWS, 0);
		failures[1] += dps_moment_variance_samp(&box, &result) != DPS_OK || !is_close(result, syy / (ROWS - 1), 0);
		failures[2] += dps_moment_deviation_samp(&box, &result) != DPS_OK || !is_close(result, sqrtl(syy / (ROWS - 1)), 0);
		failures[3] += dps_moment_covariance_samp(&box, &result) != DPS_OK ||
			!is_close(result, sxy / (ROWS - 1), sqrtl(sxx * syy) / ROWS);
		failures[4] += dps_moment_correlation(&box, &result) != DPS_OK || !is_close(result, sxy / sqrtl(sxx * syy), 1);
		failures[5] += dps_moment_slope(&box, &result) != DPS_OK || !is_close(result, slope, sqrtl(syy / sxx));
		failures[6] += dps_moment_intercept(&box, &result) != DPS_OK ||
			!is_close(result, plain_mean(&sample, 0) - slope * plain_mean(&sample, 1),
					  fabsl(plain_mean(&sample, 0)) + sqrtl(syy / sxx) * fabsl(plain_mean(&sample, 1)));
		failures[7] += dps_moment_count_rows(&box, &result) != DPS_OK || !is_close(result, ROWS, 0);
		failures[8] += dps_moment_sum_xy(&box, &result) != DPS_OK || !is_close(result, sxy, sqrtl(sxx * syy));
	}
	for (i = 0; i < 9; i++)
	{
		if (!ok(failures[i] == 0, "norm %d, n %s: statistic %d of outputs is that of the rows", norm,
				is_public ? "public" : "private", i))
			diag("%d of 200 samples are off", failures[i]);
	}
}

/* y = 1 + 2 x1 - x2 of rows is found again. */
static void
test_regression(int norm)
{
	static const int16_t pick[3] = {2, 0, 1};
	DpsMomentDesign design = {.kind = DPS_MOMENT_ALL, .bits = 32, .nvalues = 3};
	__int128	sums[DPS_MAX_MOMENTS] = {0};
	const double reach[DPS_MAX_MOMENTS] = {0};
	static const double expected[3] = {1.0, 2.0, -1.0};
	double		values[DPS_MAX_MOMENTS];
	__int128	moments[DPS_MAX_MOMENTS];
	__int128	outputs[DPS_MAX_MOMENTS];
	DpsMomentBasis basis;
	DpsMomentBox box;
	DpsInterval result[3];
	int			row;
	int			i;

	for (i = 0; i < 3; i++)
		design.value[i] = (DpsMomentValue) {.grid = -28, .radius = INT64_C(1) << 32, .lo = -16, .hi = 16};
	design.value[0].centre = INT64_C(1) << 27;
	dps_moment_basis(&design, norm, &basis);
	for (row = 0; row < 1000; row++)
	{
		int64_t		q[3];

		q[0] = next_integer(INT64_C(1) << 29);
		q[1] = next_integer(INT64_C(1) << 30);
		q[2] = (INT64_C(1) << 28) + 2 * q[0] - q[1];
		q[0] -= design.value[0].centre;
		row_moments(&design, q, moments);
		for (i = 0; i < dps_moment_count(&design); i++)
			sums[i] += moments[i];
	}
	find_outputs(&basis, sums, outputs);
	for (i = 0; i < basis.noutputs; i++)
		values[i] = (double) outputs[i];
	dps_moment_box(&design, &basis, values, reach, 1000, &box);
	box.npicks = 3;
	box.pick = pick;
	ok(dps_moment_regression(&box, result) == DPS_OK, "norm %d: there is a plane", norm);
	for (i = 0; i < 3; i++)
		ok(is_close(result[i], expected[i], 1), "norm %d: coefficient %d of a plane is %g", norm, i, expected[i]);
}

typedef DpsStatus (*Statistic) (const DpsMomentBox *box, DpsInterval *result);

/* Whatever is within reach has its statistic in the interval. */
static void
test_intervals(int norm, bool is_public)
{
	static const Statistic statistics[] = {
		dps_moment_variance_pop, dps_moment_variance_samp, dps_moment_deviation_pop, dps_moment_covariance_samp,
		dps_moment_correlation, dps_moment_r2, dps_moment_count_rows, dps_moment_mean_x, dps_moment_sum_yy,
		dps_moment_slope, dps_moment_intercept
	};
	static const int16_t pick[2] = {1, 0};
	int			failures = 0;
	int			trial;
	size_t		s;
	int			i;

	for (trial = 0; trial < 2000; trial++)
	{
		Sample		sample;
		DpsMomentBox exact;
		DpsMomentBox reached;
		const double nowhere[DPS_MAX_MOMENTS] = {0};
		double		noised[DPS_MAX_MOMENTS];
		double		reach[DPS_MAX_MOMENTS];
		double		size;

		random_sample(&sample, DPS_MOMENT_ALL, 2, is_public, norm);
		size = ldexp(256.0 * ROWS, sample.design.bits - (int) (next_word() % 20));
		for (i = 0; i < sample.basis.noutputs; i++)
		{
			reach[i] = size;
			noised[i] = sample.outputs[i] + size * (2.0 * (double) (next_word() >> 11) * 0x1p-53 - 1.0);
		}
		dps_moment_box(&sample.design, &sample.basis, sample.outputs, nowhere, ROWS, &exact);
		dps_moment_box(&sample.design, &sample.basis, noised, reach, ROWS, &reached);
		exact.npicks = reached.npicks = 2;
		exact.pick = reached.pick = pick;
		for (s = 0; s < sizeof(statistics) / sizeof(statistics[0]); s++)
		{
			DpsInterval inner;
			DpsInterval outer;

			if (statistics[s] (&exact, &inner) != DPS_OK)
				continue;
			failures += statistics[s] (&reached, &outer) == DPS_DOMAIN ||
				!(outer.lo <= inner.hi && inner.lo <= outer.hi);
		}
	}
	ok(failures == 0, "norm %d, n %s: intervals hold what is within reach", norm, is_public ? "public" : "private");
}

/* Noise can make anything of the moments: no row, fewer, no spread. */
static void
test_impossible(void)
{
	static const int16_t pick[2] = {0, 1};
	DpsMomentDesign design = {.kind = DPS_MOMENT_ALL, .bits = 32, .nvalues = 2};
	DpsMomentBox box = {.design = &design, .npicks = 2, .pick = pick};
	DpsInterval result;
	DpsInterval line[2];
	int			i;

	for (i = 0; i < 2; i++)
		design.value[i] = (DpsMomentValue) {.radius = INT64_C(1) << 32, .lo = -0x1p32, .hi = 0x1p32};
	for (i = 0; i < dps_moment_count(&design); i++)
		box.moment[i] = dps_iv(-5.0, -5.0);
	ok(dps_moment_variance_pop(&box, &result) == DPS_DOMAIN, "no variance of fewer than no rows");
	ok(dps_moment_correlation(&box, &result) == DPS_DOMAIN, "no correlation of fewer than no rows");
	ok(dps_moment_regression(&box, line) == DPS_DOMAIN, "no regression of fewer than no rows");
	ok(dps_moment_count_rows(&box, &result) == DPS_OK && result.lo == -5.0, "but a number of rows");
	box.moment[0] = dps_iv(0.5, 0.5);
	ok(dps_moment_variance_pop(&box, &result) == DPS_OK && result.lo == 0.0 && result.hi == 0.0,
	   "a negative variance is 0");
	ok(dps_moment_variance_samp(&box, &result) == DPS_DOMAIN, "no sample variance of less than a row");
	ok(dps_moment_correlation(&box, &result) == DPS_DOMAIN, "no correlation without variance");
	ok(dps_moment_slope(&box, &result) == DPS_DOMAIN, "no slope without variance");
	box.moment[0] = dps_iv(-1.0, 3.0);
	ok(dps_moment_variance_pop(&box, &result) == DPS_UNABLE && result.lo == 0.0 && result.hi == 0x1p64,
	   "where there may be no row, the variance is anything in its range");
	box.moment[0] = dps_iv(1.5, 1.5);
	box.moment[1] = box.moment[2] = dps_iv(0.0, 0.0);
	box.moment[3] = dps_iv(0x1p40, 0x1p40);
	ok(dps_moment_variance_samp(&box, &result) == DPS_OK && result.hi <= 0x1.000001p65,
	   "a sample variance is at most twice the square of half the range");
}

static void
test_integers(void)
{
	bool		fine = true;
	int			trial;

	for (trial = 0; trial < 100000; trial++)
	{
		unsigned __int128 n = ((unsigned __int128) next_word() << 64 | next_word()) >> next_word() % 127;
		unsigned __int128 root = dps_whole_root(n);

		fine = fine && (root == UINT64_MAX || root * root >= n) && (root == 0 || (root - 1) * (root - 1) < n);
	}
	ok(fine, "square roots are rounded up to the next integer");
	ok(dps_moment_product(3, 1, 1) == 2 && dps_moment_product(-3, 1, 1) == -1 && dps_moment_product(5, 1, 2) == 1 &&
	   dps_moment_product(-7, 1, 2) == -2 && dps_moment_product(7, -3, 0) == -21,
	   "products are rounded to the nearest, ties upward");
}

static void
test_numbering(void)
{
	DpsMomentDesign design = {.kind = DPS_MOMENT_ALL, .nvalues = DPS_MAX_ENTRIES};
	bool		seen[DPS_MAX_MOMENTS] = {true};
	bool		fine = dps_moment_count(&design) == DPS_MAX_MOMENTS;
	int			i;
	int			j;

	for (i = 0; i < design.nvalues; i++)
	{
		fine = fine && !seen[dps_moment_linear(i)];
		seen[dps_moment_linear(i)] = true;
		for (j = i; j < design.nvalues; j++)
		{
			int			moment = dps_moment_cross(&design, i, j);

			fine = fine && moment > 0 && moment < DPS_MAX_MOMENTS && !seen[moment] &&
				moment == dps_moment_cross(&design, j, i);
			seen[moment] = true;
		}
	}
	ok(fine, "each moment has a number of its own");
}

int
main(void)
{
	int			norm;

	test_numbering();
	test_integers();
	for (norm = 1; norm <= 2; norm++)
	{
		int			is_public;

		for (is_public = 0; is_public <= 1; is_public++)
		{
			test_sensitivity(DPS_MOMENT_SQUARES, 1, is_public, norm);
			test_sensitivity(DPS_MOMENT_CROSS, 2, is_public, norm);
			test_sensitivity(DPS_MOMENT_ALL, 2, is_public, norm);
			test_sensitivity(DPS_MOMENT_ALL, 3, is_public, norm);
			test_sensitivity(DPS_MOMENT_ALL, 7, is_public, norm);
			test_sensitivity(DPS_MOMENT_ALL, DPS_MAX_ENTRIES, is_public, norm);
			test_estimates(norm, is_public);
			test_intervals(norm, is_public);
		}
		test_linear_moves(norm);
		test_regression(norm);
	}
	test_partition(DPS_MOMENT_SQUARES, 1);
	test_partition(DPS_MOMENT_CROSS, 2);
	test_partition(DPS_MOMENT_ALL, 2);
	test_optimality();
	test_impossible();
	return done_testing();
}
