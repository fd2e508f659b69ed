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
 * what is left: at least 33 points are beyond each end.
 *
 * Several results.  Each point has a rank among the values of each result, from either end; its
 * depth is the least of these, and a depth beyond which are as many points as may be missed
 * makes the ends of all (Besag, Green, Higdon and Mengersen 1995).  So results
 * that err together, as slopes and an intercept do, do not each pay for all the others.
 *
 * Everything here follows from the outputs and public quantities; nothing in it is
 * random, so that asking twice yields the same.
 */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/once.h"
#include "moment/moment_spread.h"
#include "num/whole.h"

/* The part of the miss that is left out at both ends. */
#define PART 0.85

/* Points beyond each end before that. */
#define BEYOND 40

#define MIN_BITS 9
#define MAX_BITS 16

/* Beyond an end are fewer than half of the fewest points, or about BEYOND of more. */
#define MOST_BEYOND ((1 << MIN_BITS) / 2)

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

/* The outermost values of one result, and at which points they are. */
typedef struct Outermost
{
	double		value[MOST_BEYOND];
	int			point[MOST_BEYOND];
	int			n;
} Outermost;

/* The `most` least of the numbers seen, ascending. */
static void
keep_least(Outermost *least, int most, double x, int point)
{
	int			i;

	if (least->n == most && !(x < least->value[most - 1]))
		return;
	i = least->n < most ? least->n++ : most - 1;
	for (; i > 0 && least->value[i - 1] > x; i--)
	{
		least->value[i] = least->value[i - 1];
		least->point[i] = least->point[i - 1];
	}
	least->value[i] = x;
	least->point[i] = point;
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
		quantile[n - 1 - i] = mechanism->tail(scale, 1, (2.0 * i + 1.0) / n);
		quantile[i] = -quantile[n - 1 - i];
	}
	for (k = 0; k < basis->noutputs; k++)
	{
		uint64_t	key = dps_mix_next(0, (uint64_t) k + 1);

		for (i = 0; i < n; i++)
			noise[i * basis->noutputs + k] = quantile[permute((uint32_t) i, bits, key)];
	}
}

/* The least rank of each point that is among the outermost, from 0; MOST_BEYOND of others. */
static void
find_depths(const Outermost *ends, int nends, int n, uint16_t *depth)
{
	int			i;
	int			k;

	for (i = 0; i < n; i++)
		depth[i] = MOST_BEYOND;
	for (k = 0; k < nends; k++)
	{
		for (i = 0; i < ends[k].n; i++)
			depth[ends[k].point[i]] = (uint16_t) dps_min((int) depth[ends[k].point[i]], i);
	}
}

/* The largest depth d such that at most so many points have depth d or less; -1: none. */
static int
deepest(const uint16_t *depth, int n, int most)
{
	int			number[MOST_BEYOND + 1] = {0};
	int			result;
	int			i;

	for (i = 0; i < n; i++)
		number[depth[i]]++;
	for (result = 0; result < MOST_BEYOND && number[result] <= most; result++)
		most -= number[result];
	return result - 1;
}

/* False if a result does not exist. */
static bool
evaluate(const DpsMomentAsked *asked, const DpsMomentPoint *point, double *values)
{
	int			k;

	if (asked->evaluate(point, values) != DPS_OK)
		return false;
	for (k = 0; k < asked->nresults; k++)
	{
		if (!isfinite(values[k]))
			return false;
	}
	return true;
}

bool
dps_moment_spread(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentAsked *asked,
				  const double *output, double count, double miss, const double *noise, double *lower, double *upper)
{
	int			n = dps_moment_spread_points(basis, miss);
	int			beyond = dps_to_int32(PART * n * miss);
	int			kept = beyond / 2 + 1;	/* more than may be missed, of both ends of any result */
	double		moved[DPS_MAX_MOMENTS];
	double		values[DPS_MAX_ENTRIES];
	Outermost	ends[2 * DPS_MAX_ENTRIES];	/* least, greatest negated */
	uint16_t	depth[1 << MAX_BITS];
	DpsMomentPoint point;
	int			i;
	int			k;

	for (k = 0; k < 2 * asked->nresults; k++)
		ends[k].n = 0;
	point.npicks = asked->npicks;
	point.pick = asked->pick;
	for (i = 0; i < n; i++)
	{
		for (k = 0; k < basis->noutputs; k++)
			moved[k] = output[k] + noise[i * basis->noutputs + k];
		dps_moment_point(design, basis, moved, count, &point);
		/* what does not exist is beyond both ends */
		if (!evaluate(asked, &point, values))
			beyond -= 2;
		else
		{
			for (k = 0; k < 2 * asked->nresults; k++)
				keep_least(&ends[k], kept, k % 2 == 0 ? values[k / 2] : -values[k / 2], i);
		}
		if (beyond < 0)
			return false;
	}
	find_depths(ends, 2 * asked->nresults, n, depth);
	i = deepest(depth, n, beyond);
	for (k = 0; k < asked->nresults && i >= 0; k++)
	{
		lower[k] = ends[2 * k].value[i];
		upper[k] = -ends[2 * k + 1].value[i];
	}
	return i >= 0;
}
