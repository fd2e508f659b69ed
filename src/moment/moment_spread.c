/*
 * moment_spread.c
 *		Where a statistic of second moments lies, by the noise of the outputs.
 *
 * Let o = mu + Z be the outputs, Z their noise, symmetric and of a known law, and f the
 * statistic.  The interval is that of the quantiles of f(o + Z'), Z' of the law of Z.
 * Where f is an increasing function of one linear form of the outputs, f = h(w . o), it is
 * exact whatever h is: w . Z' has the law of w . Z, and h carries the interval of w . mu
 * over.  Where f is linear as far as noise reaches it is that to first order.  Boxes
 * of outputs (moment_box.h) need no such argument, but take the worst of all
 * outputs at once and forget that one error makes up for another: of a slope they are
 * ten times as wide.
 *
 * Z' is not drawn but spread evenly (McKay, Beckman and Conover 1979, Latin hypercube):
 * of N points each output takes each of N quantiles once, in an order of its own.  So a form of
 * one output has exact quantiles, others err by less than those of N draws would.
 * The ends are those of 0.85 times the part that is to be missed, which makes up for
 * what is left: at least 34 points are beyond each end.
 *
 * Everything here follows from the outputs and public quantities; nothing in it is
 * random, so that asking twice yields the same.
 */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "moment/moment_spread.h"
#include "num/whole.h"

/* The part of the miss that is left out at both ends. */
#define PART 0.85

/* Points beyond each end before that. */
#define BEYOND 40

#define MIN_BITS 9
#define MAX_BITS 16

/* Points times outputs. */
#define MAX_WORK (1 << 20)

static int
point_bits(double miss)
{
	int			bits = MIN_BITS;

	while (bits < MAX_BITS && ldexp(miss / 2.0, bits) < BEYOND)
		bits++;
	return bits;
}

int
dps_moment_spread_points(const DpsMomentBasis *basis, double miss)
{
	int			n = 1 << point_bits(miss);

	return n * (miss / 2.0) < BEYOND || (long) n * basis->noutputs > MAX_WORK ? 0 : n;
}

/* A permutation of so many bits, another one for each output: each step can be
 * undone. */
static uint32_t
permute(uint32_t i, int bits, uint64_t key)
{
	uint32_t	mask = (UINT32_C(1) << bits) - 1;
	uint32_t	x = (i + (uint32_t) key) & mask;
	int			round;

	for (round = 0; round < 3; round++)
	{
		x = (x * ((uint32_t) (key >> (8 * round + 16)) | 1)) & mask;
		x ^= x >> (bits / 2);
	}
	return x;
}

/* The k least of the numbers seen, ascending. */
static void
keep_least(double *least, int k, int *n, double x)
{
	int			i;

	if (*n == k && x >= least[k - 1])
		return;
	i = *n < k ? (*n)++ : k - 1;
	for (; i > 0 && least[i - 1] > x; i--)
		least[i] = least[i - 1];
	least[i] = x;
}

int
dps_moment_spread_size(const DpsMomentBasis *basis, double miss)
{
	return dps_moment_spread_points(basis, miss) * (basis->noutputs + 1);
}

void
dps_moment_spread_noise(const DpsMomentBasis *basis, const DpsMechanism *mechanism, uint64_t scale, double miss,
						double *noise)
{
	int			n = dps_moment_spread_points(basis, miss);
	int			bits = point_bits(miss);
	double	   *quantile = noise + n * basis->noutputs;
	int			i;
	int			k;

	for (i = 0; i < n / 2; i++)
	{
		quantile[n - 1 - i] = mechanism->tail(scale, (2.0 * i + 1.0) / n);
		quantile[i] = -quantile[n - 1 - i];
	}
	for (k = 0; k < basis->noutputs; k++)
	{
		uint64_t	key = dps_mix_next(0, (uint64_t) k + 1);

		for (i = 0; i < n; i++)
			noise[i * basis->noutputs + k] = quantile[permute((uint32_t) i, bits, key)];
	}
}

bool
dps_moment_spread(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentAsked *asked,
				  const double *output, double count, double miss, const double *noise, double *lower, double *upper)
{
	int			n = dps_moment_spread_points(basis, miss);
	int			beyond = dps_to_int32(PART * n * (miss / 2.0));
	double		moved[DPS_MAX_MOMENTS];
	double		least[(1 << MIN_BITS) / 2];
	double		greatest[(1 << MIN_BITS) / 2];	/* negated */
	int			nleast = 0;
	int			ngreatest = 0;
	DpsMomentPoint point;
	int			i;
	int			k;

	point.npicks = asked->npicks;
	point.pick = asked->pick;
	for (i = 0; i < n; i++)
	{
		double		value = 0.0;
		bool		exists;

		for (k = 0; k < basis->noutputs; k++)
			moved[k] = output[k] + noise[i * basis->noutputs + k];
		dps_moment_point(design, basis, moved, count, &point);
		exists = asked->evaluate(&point, asked->entry, &value) == DPS_OK && isfinite(value);
		keep_least(least, beyond + 1, &nleast, exists ? value : -INFINITY);
		keep_least(greatest, beyond + 1, &ngreatest, exists ? -value : -INFINITY);
	}
	*lower = least[beyond];
	*upper = -greatest[beyond];
	return isfinite(*lower) && isfinite(*upper);
}
