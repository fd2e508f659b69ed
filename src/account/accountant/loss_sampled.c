/*
 * loss_sampled.c
 *		The privacy loss of Gaussian noise on a secret sample, on a grid.
 *
 * Precondition: with probability q, and nobody learns whether, a row takes part in a step,
 * independently of other rows and steps; then it moves what gets noise of N(0, 1) in every
 * coordinate by at most mu in the 2-norm.  Neighbours differ in the presence of one row.
 * Postcondition: the masses are of a pair that is at least as hard to hide, with the row in P
 * (DPS_LOSS_REMOVED) or in Q (DPS_LOSS_ADDED).  A history of steps is to be read in both
 * directions, all steps in the same one.
 *
 * Proof.  Given which other rows take part, which is as probable in both data, and the outcomes
 * before, a step without the row has the law N(0, I), say, and with it the mixture of 1 - q of it and q of
 * N(v, I), |v| <= mu.  A rotation makes v a multiple of the first axis, and other coordinates then tell
 * nothing.  With c = |v| / mu, c X + sqrt(1 - c^2) Y with Y of N(0, 1) takes X of the mixture of N(0, 1)
 * and N(mu, 1) to that with c mu, and N(0, 1) to itself: so |v| = mu is hardest to hide, in both
 * directions.  To know the others' part only helps who wants to tell them apart (the divergence is
 * jointly convex), and steps compose as in loss_grid.c.
 *
 * The loss at z is l(z) = ln(1 - q + q e^(mu z - mu^2/2), or -l(z), which is monotone, so that what lies
 * between two grid points is an interval of z.  Its masses under N(0, 1) and N(mu, 1) are differences
 * of tails, in intervals, and ln of the ratio is the loss of all of it together.  It is at most that of
 * the upper grid point, where cancellation leaves less.
 */
#include <math.h>

#include "account/elementary.h"
#include "account/accountant/loss_place.h"
#include "num/whole.h"

/* Of the quadrature for cumulants, in deviations, and points at most. */
#define QUADRATURE_STEP 0.05
#define QUADRATURE_POINTS 4000

/* The grid's window is as wide as the sum of all losses. */
#define PIECES_MOST 2.0

/* --- in plain doubles --- */

/* l(z) */
static double
loss_at(const DpsLossPart *part, double z)
{
	double		out = log1p(-part->rate);
	double		in = part->size * z - 0.5 * part->size * part->size + log(part->rate);

	return fmax(out, in) + log1p(exp(-fabs(in - out)));
}

/*
 * Where outcomes of weight begin, and end.  The exponent -lambda l(z) - z^2/2 has its maximum where
 * -z = lambda mu p(z), p the logistic function of mu (z - even): so -z is at most lambda mu, and at most
 * 1/mu where p < 1 / (lambda mu^2).
 */
static double
first_point(const DpsLossPart *part, double lambda)
{
	double		mu = part->size;
	double		even = (log1p(-part->rate) - log(part->rate)) / mu + 0.5 * mu;

	if (part->kind == DPS_LOSS_REMOVED)
		return -DPS_GAUSSIAN_REACH;
	return -DPS_GAUSSIAN_REACH - fmin(mu * lambda, fmax(-even, 0.0) + (1.0 + log1p(lambda * mu * mu)) / mu);
}

static double
last_point(const DpsLossPart *part, double lambda)
{
	return DPS_GAUSSIAN_REACH + (part->kind == DPS_LOSS_REMOVED ? part->size * (1.0 + lambda) : 0.0);
}

/* e^weight (e^exponent - 1), also where e^exponent alone has no double. */
static double
weighed_growth(double exponent, double weight)
{
	return exponent < 1.0 ? exp(weight) * expm1(exponent) : exp(exponent + weight) - exp(weight);
}

/* The mean of exp(lambda loss) is that of exp(power l(z)) for z of N(0, 1). */
double
dps_sampled_cumulant(const DpsLossPart *part, double lambda)
{
	double		power = part->kind == DPS_LOSS_REMOVED ? 1.0 + lambda : -lambda;
	double		first = first_point(part, lambda);
	double		width = last_point(part, lambda) - first;
	int			n = dps_to_int32(fmin(ceil(width / QUADRATURE_STEP), QUADRATURE_POINTS));
	double		largest = 0.0;
	double		small = 0.0;
	double		large = 0.0;

	for (int pass = 0; pass < 2; pass++)
	{
		for (int i = 0; i <= n; i++)
		{
			double		z = first + width * i / n;
			double		exponent = power * loss_at(part, z);

			if (pass == 0)
				largest = fmax(largest, exponent - 0.5 * z * z);
			else if (largest < 30.0)
				small += weighed_growth(exponent, -0.5 * z * z);
			else
				large += exp(exponent - 0.5 * z * z - largest);
		}
	}
	small *= width / n * M_2_SQRTPI * M_SQRT1_2 / 2.0;
	return largest < 30.0 ? log1p(small) : largest + log(large * (width / n) * M_2_SQRTPI * M_SQRT1_2 / 2.0);
}

/* --- in intervals --- */

/* A point, and what lies beyond it under both normal laws, on the side away from 0. */
typedef struct Cut
{
	DpsInterval z[2];			/* itself, and minus mu */
	DpsInterval tail[2];		/* above if z.lo >= 0, else below */
} Cut;

typedef struct Sampled
{
	const DpsLossPart *part;
	DpsInterval in;				/* q, 1 - q, and their logarithms */
	DpsInterval out;
	DpsInterval log_in;
	DpsInterval log_out;
} Sampled;

/* Where l is this grid point: with x = l - ln(1 - q), mu z = mu^2/2 + ln((1 - q) / q) + x + ln(1 - e^-x). */
static DpsInterval
point_of(const Sampled *sampled, double loss)
{
	DpsInterval mu = dps_point(sampled->part->size);
	DpsInterval x = dps_iv_sub(dps_point(loss), sampled->log_out);
	DpsInterval beside = dps_iv_add(dps_iv_mul(dps_point(0.5), dps_iv_sqr(mu)), dps_iv_sub(sampled->log_out, sampled->log_in));
	DpsInterval sum;

	if (!(x.hi > 0.0))
		return dps_point(-INFINITY);
	sum = dps_iv_add(dps_iv_ln(dps_one_minus_exp(dps_point(x.hi))), dps_point(x.hi));
	if (!(x.lo > 0.0))
		sum.lo = -INFINITY;
	else
		sum.lo = dps_iv_add(dps_iv_ln(dps_one_minus_exp(dps_point(x.lo))), dps_point(x.lo)).lo;
	return dps_iv_div(dps_iv_add(sum, beside), mu);
}

static Cut
cut_at(const Sampled *sampled, double loss)
{
	Cut			cut;

	cut.z[0] = point_of(sampled, loss);
	cut.z[1] = dps_iv_sub(cut.z[0], dps_point(sampled->part->size));
	for (int i = 0; i < 2; i++)
		cut.tail[i] = dps_gaussian_tail(cut.z[i].lo >= 0.0 ? cut.z[i] : dps_iv_neg(cut.z[i]));
	return cut;
}

/* What lies below a cut, and above it. */
static DpsInterval
below(const Cut *cut, int law)
{
	return cut->z[law].lo >= 0.0 ? dps_iv_sub(dps_point(1.0), cut->tail[law]) : cut->tail[law];
}

static DpsInterval
above(const Cut *cut, int law)
{
	return cut->z[law].lo >= 0.0 ? cut->tail[law] : dps_iv_sub(dps_point(1.0), cut->tail[law]);
}

/* The mass between two cuts, the smaller tails subtracted. */
static DpsInterval
between(const Cut *a, const Cut *b, int law)
{
	DpsInterval mass = a->z[law].lo >= 0.0 ? dps_iv_sub(above(a, law), above(b, law)) :
		dps_iv_sub(below(b, law), below(a, law));

	return dps_iv(fmax(mass.lo, 0.0), fmax(mass.hi, 0.0));
}

static DpsInterval
mixture(const Sampled *sampled, DpsInterval without, DpsInterval with)
{
	return dps_iv_add(dps_iv_mul(sampled->out, without), dps_iv_mul(sampled->in, with));
}

/* Adds what lies between two cuts, with losses of at most `most`. */
static void
add_piece(const Sampled *sampled, DpsLossGrid *grid, const Cut *a, const Cut *b, double most)
{
	DpsInterval without = between(a, b, 0);
	DpsInterval with = mixture(sampled, without, between(a, b, 1));
	DpsInterval p = sampled->part->kind == DPS_LOSS_REMOVED ? with : without;
	DpsInterval q = sampled->part->kind == DPS_LOSS_REMOVED ? without : with;
	double		loss = most;

	if (p.hi > 0.0 && q.lo > 0.0)
		loss = fmin(most, dps_iv_ln(dps_iv_div(dps_point(p.hi), dps_point(q.lo))).hi);
	dps_loss_add(grid, loss, p.hi);
}

static Sampled
sampled_of(const DpsLossPart *part)
{
	Sampled		sampled = {.part = part, .in = dps_point(part->rate)};

	sampled.out = dps_iv_sub(dps_point(1.0), sampled.in);
	sampled.log_in = dps_iv_ln(sampled.in);
	sampled.log_out = dps_iv_ln(sampled.out);
	return sampled;
}

/* The cut at which pieces begin: z = -Infinity, where l is ln(1 - q), or the grid point `index` if that is far above. */
static Cut
begin_pieces(const Sampled *sampled, DpsLossGrid *grid, double index)
{
	Cut			cut;

	if (index * grid->step <= sampled->log_out.hi)
		return cut_at(sampled, -INFINITY);
	cut = cut_at(sampled, index * grid->step);
	if (sampled->part->kind == DPS_LOSS_REMOVED)
		dps_loss_place(grid, index, mixture(sampled, below(&cut, 0), below(&cut, 1)).hi);
	else
		dps_loss_add_infinite(grid, below(&cut, 0).hi);
	return cut;
}

/* Pieces by upper grid points. */
DpsStatus
dps_sampled_fill(const DpsLossPart *part, DpsLossGrid *grid)
{
	Sampled		sampled = sampled_of(part);
	bool		is_removed = part->kind == DPS_LOSS_REMOVED;
	double		lo = floor(ldexp(fmax(sampled.log_out.lo, loss_at(part, first_point(part, grid->tilt))), grid->shift));
	double		hi = ceil(ldexp(loss_at(part, last_point(part, grid->tilt)), grid->shift));
	Cut			last;

	/* what is beyond has an infinite loss, or too little to matter */
	hi = fmin(hi, lo + PIECES_MOST * (double) grid->size);
	if (!(hi < DPS_LOSS_INDEX_LIMIT && lo > -DPS_LOSS_INDEX_LIMIT))
		return DPS_UNABLE;
	last = begin_pieces(&sampled, grid, lo);
	for (int64_t i = 1; i <= dps_to_int64(hi - lo); i++)
	{
		double		index = lo + (double) i;
		Cut			next = cut_at(&sampled, index * grid->step);

		add_piece(&sampled, grid, &last, &next, is_removed ? index * grid->step : (1.0 - index) * grid->step);
		last = next;
	}
	if (is_removed)
		dps_loss_add_infinite(grid, mixture(&sampled, above(&last, 0), above(&last, 1)).hi);
	else
		dps_loss_place(grid, -hi, above(&last, 0).hi);
	/* masses that are smaller than any double were rounded up, and may be too large with their weights */
	for (size_t i = 0; i < grid->size; i++)
	{
		if (!(grid->masses[i] < INFINITY))
			return DPS_UNABLE;
	}
	return DPS_OK;
}
