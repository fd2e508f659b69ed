/*
 * loss_grid.c
 *		The distribution of one release's privacy loss, on a grid and tilted.
 *
 * Precondition: the release adds noise of the recorded law and scale to integers that
 * neighbours change by at most the sensitivity.  Postcondition: the masses on the grid, and
 * the infinite one, are of a pair that is at least as hard to hide as any pair of
 * neighbours, by the argument below.
 *
 * Which pair.  The noise Z is log-concave on the integers, P is its law and Q
 * that of Z + D, D the sensitivity.  The best tests of P against Q are
 * thresholds, so a test is a monotone function of the output, and its power
 * rises with the shift: D is the worst shift.  z -> D - z exchanges P and Q as
 * Z is symmetric, so the pair (Q, P) has the same losses and one direction is
 * enough, but for noise on samples (loss_sampled.c); -D is the mirror image.  Composition keeps such domination (Dong, Roth
 * and Su 2022; Zhu, Dong and Wang 2022): a pair that is easier to hide is a random
 * function of one that is harder (Blackwell), and so, one after the other, are releases
 * of which each depends on the outcomes before.
 *
 * Onto the grid.  delta(epsilon) is the sum of p (1 - e^(epsilon - loss))+ over
 * masses p.  It rises with every mass and with every loss, in compositions too,
 * so masses and losses may be rounded up.  A mass p of loss l between grid points
 * a and b is split into p_a + p_b = p with p_a e^-a + p_b e^-b = p e^-l: P and Q
 * both keep their masses, and merging the two outcomes again is a
 * post-processing, so the split pair is at least as hard to hide (Doroshenko,
 * Ghazi, Kamath, Kumar and Manurangsi 2022).  With x = l - a and b - a = h,
 *		p_b = p (1 - e^-x) / (1 - e^-h),
 *		p_a = p e^-x (1 - e^-(h - x)) / (1 - e^-h).
 * All outcomes between the same two grid points may be split together, with
 * their sum as p and ln(p / their sum under Q) as l.
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "account/accountant/loss_place.h"
#include "num/rational.h"
#include "num/whole.h"

/* 1 / sqrt(2 pi) = 0.39894228040143267793..., from above. */
#define INV_SQRT_2PI_UP 0.3989422804014328

void
dps_loss_place(DpsLossGrid *grid, double index, double mass)
{
	double		loss = index * grid->step;
	DpsInterval exponent;
	int64_t		slot = dps_to_int64(index) % (int64_t) grid->size;
	double		weight;

	if (!(mass > 0.0))
		return;
	exponent = dps_iv_mul(dps_point(grid->tilt), dps_point(loss));
	exponent = dps_iv_sub(exponent, dps_point(grid->norm));
	weight = dps_mul_up(mass, dps_iv_exp(exponent).hi);
	if (slot < 0)
		slot += (int64_t) grid->size;
	grid->masses[slot] = dps_add_up(grid->masses[slot], weight);
	exponent = dps_iv_mul(dps_point(grid->probe), dps_point(loss));
	grid->probe_sum = dps_add_up(grid->probe_sum,
								 dps_mul_up(weight, dps_iv_exp(exponent).hi));
}

void
dps_loss_add_infinite(DpsLossGrid *grid, double mass)
{
	grid->infinite = dps_add_up(grid->infinite, mass);
}

/* Mass of this loss, both rounded up by the caller, onto two grid points. */
void
dps_loss_add(DpsLossGrid *grid, double loss, double mass)
{
	double		index = ceil(ldexp(loss, grid->shift));
	double		x;
	double		y;
	DpsInterval whole = dps_one_minus_exp(dps_point(grid->step));
	DpsInterval part;

	if (!(index <= DPS_LOSS_INDEX_LIMIT))
	{
		dps_loss_add_infinite(grid, mass);
		return;
	}
	/* rounds the loss up */
	index = fmax(index, -DPS_LOSS_INDEX_LIMIT);
	x = fmin(dps_sub_up(loss, (index - 1) * grid->step), grid->step);
	if (!(x > 0.0 && x < grid->step))
	{
		dps_loss_place(grid, index, mass);
		return;
	}
	part = dps_iv_div(dps_one_minus_exp(dps_point(x)), whole);
	dps_loss_place(grid, index, fmin(dps_mul_up(mass, part.hi), mass));
	/* the difference is exact or x is rounded up: then the loss was too */
	y = dps_sub_up(grid->step, x);
	part = dps_iv_div(dps_one_minus_exp(dps_point(y)), whole);
	part = dps_iv_mul(part, dps_iv_exp(dps_point(-x)));
	dps_loss_place(grid, index - 1, fmin(dps_mul_up(mass, part.hi), mass));
}

/* Every epsilon-DP pair is a post-processing of this one (Kairouz, Oh and
 * Viswanath 2015). */
static DpsStatus
fill_response(const DpsLossPart *part, DpsLossGrid *grid)
{
	DpsInterval small = dps_iv_exp(dps_point(-part->size));
	DpsInterval large = dps_iv_div(dps_point(1.0), dps_iv_add(dps_point(1.0), small));

	dps_loss_add(grid, part->size, large.hi);
	dps_loss_add(grid, -part->size, dps_iv_mul(large, small).hi);
	return DPS_OK;
}

static DpsInterval
ratio(uint64_t n, uint64_t d)
{
	return dps_iv(dps_ratio_down(n, d), dps_ratio_up(n, d));
}

/* n / d from above, for n of either sign. */
static double
signed_ratio_up(__int128 n, uint64_t d)
{
	return n >= 0 ? dps_ratio_up((uint64_t) n, d) : -dps_ratio_down((uint64_t) -n, d);
}

static __int128
ceil_div(__int128 n, __int128 d)
{
	__int128	quotient = n / d;

	return n % d > 0 ? quotient + 1 : quotient;
}

/*
 * p(k) = q^|k| (1-q)/(1+q), q = e^(-1/t).  The outcomes k <= 0 have loss D/t and
 * mass 1/(1+q), those k >= D loss -D/t and mass q^D/(1+q), and those between
 * (D - 2k)/t.  k = first ... last between two grid points have together
 * q^first (1 - q^n)/(1+q), n of them, and loss (D - first - last)/t.  In steps of g
 * the outcomes are g k, q = e^(-g/t), and D = g d: losses are (D - 2gk)/t.
 */
static DpsStatus
fill_laplace(const DpsLossPart *part, DpsLossGrid *grid)
{
	uint64_t	t = part->scale;
	uint64_t	g = part->step;
	uint64_t	d = part->sensitivity / g;
	DpsInterval e = ratio(part->sensitivity, t);
	DpsInterval q = dps_iv_exp(dps_iv_neg(ratio(g, t)));
	DpsInterval side = dps_iv_div(dps_point(1.0), dps_iv_add(dps_point(1.0), q));
	uint64_t	first = 1;

	if (!(ldexp(e.hi, grid->shift) <= (double) grid->size))
		return DPS_UNABLE;
	dps_loss_add(grid, e.hi, side.hi);
	dps_loss_add(grid, -e.lo, dps_iv_mul(side, dps_iv_exp(dps_iv_neg(e))).hi);
	while (first < d)
	{
		__int128	scaled = (__int128) part->sensitivity << grid->shift;
		__int128	index = ceil_div(scaled - ((__int128) (first * g) << (grid->shift + 1)), t);
		__int128	end = ceil_div(scaled - (index - 1) * t, (__int128) g << (grid->shift + 1));
		uint64_t	last = (uint64_t) (end < d ? end : d) - 1;
		DpsInterval mass = dps_iv_mul(dps_iv_exp(dps_iv_neg(ratio(first * g, t))),
									  dps_one_minus_exp(ratio((last - first + 1) * g, t)));

		dps_loss_add(grid, signed_ratio_up(((__int128) d - first - last) * g, t),
				 dps_iv_mul(mass, side).hi);
		first = last + 1;
	}
	return DPS_OK;
}

/*
 * p(k) <= e^(-k^2/2N^2) / sqrt(2 pi) N, the loss of k is D (D - 2k) / 2N^2.  The
 * tilted centre is -tilt D.  Outcomes k < lo <= 0 have at most the mass
 * P(N(0,1) > -lo/N) and count as infinite, outcomes k > hi as hi.
 */
static DpsStatus
fill_lattice(const DpsLossPart *part, DpsLossGrid *grid)
{
	int64_t		n = (int64_t) part->scale;
	int64_t		d = (int64_t) part->sensitivity;
	double		centre = -grid->tilt * (double) d;
	int64_t		lo = dps_to_int64(fmin(floor(centre - DPS_GAUSSIAN_REACH * (double) n), 0.0));
	int64_t		hi = dps_to_int64(ceil(centre + DPS_GAUSSIAN_REACH * (double) n));
	uint64_t	twice = 2 * (uint64_t) (n * n);
	double		density = dps_mul_up(INV_SQRT_2PI_UP, dps_ratio_up(1, part->scale));
	double		beyond = hi > 0 ?
		dps_gaussian_tail(ratio((uint64_t) hi, part->scale)).hi : 1.0;

	for (int64_t k = lo; k <= hi; k++)
	{
		__int128	square = (__int128) k * k;

		/* a sensitivity and tilt so large that the loss is not of interest */
		if (square >= (__int128) 1 << 62)
			return DPS_UNABLE;
		dps_loss_add(grid, signed_ratio_up((__int128) d * (d - 2 * k), twice),
				 dps_mul_up(density, dps_iv_exp(dps_iv_neg(ratio((uint64_t) square, twice))).hi));
	}
	dps_loss_add(grid, signed_ratio_up((__int128) d * (d - 2 * hi), twice), beyond);
	dps_loss_add_infinite(grid, dps_gaussian_tail(ratio((uint64_t) -lo, part->scale)).hi);
	return DPS_OK;
}

/* The standard normal point z at which mu^2/2 + mu z is this grid point. */
static DpsInterval
normal_point(double mu, double index, const DpsLossGrid *grid)
{
	DpsInterval half = dps_iv_mul(dps_point(0.5), dps_iv_sqr(dps_point(mu)));

	return dps_iv_div(dps_iv_sub(dps_point(index * grid->step), half), dps_point(mu));
}

/* P(a < z <= b), the smaller tails subtracted. */
static double
normal_between(DpsInterval a, DpsInterval b)
{
	if (a.lo >= 0.0)
		return dps_iv_sub(dps_gaussian_tail(a), dps_gaussian_tail(b)).hi;
	return dps_iv_sub(dps_gaussian_tail(dps_iv_neg(b)), dps_gaussian_tail(dps_iv_neg(a))).hi;
}

/*
 * The loss is mu^2/2 + mu z.  Of the outcomes between grid points a and a + h,
 * ln(p / their sum under Q) is -ln of the mean of e^-loss under P, at most the
 * mean loss (Jensen).  On a piece of width w = h/mu that begins at z the density
 * rises by at most a factor e^(s dz) with s = max(-z, 0), so the mean is at most
 * that of such an exponential, the middle plus s w^2 / 12 at most.
 */
static double
normal_loss(double mu, double index, DpsInterval begin, const DpsLossGrid *grid)
{
	double		step = grid->step;
	double		rise = dps_div_up(dps_mul_up(fmax(-begin.lo, 0.0), 0.084 * step * step), mu);

	return fmin(dps_add_up((index - 0.5) * step, rise), index * step);
}

static DpsStatus
fill_normal(const DpsLossPart *part, DpsLossGrid *grid)
{
	double		mu = part->size;
	double		centre = grid->tilt * mu;
	double		lo = floor(ldexp(mu * (0.5 * mu + centre - DPS_GAUSSIAN_REACH), grid->shift));
	double		hi = ceil(ldexp(mu * (0.5 * mu + centre + DPS_GAUSSIAN_REACH), grid->shift));
	DpsInterval last;
	int64_t		i;

	if (!(hi < DPS_LOSS_INDEX_LIMIT && lo > -DPS_LOSS_INDEX_LIMIT && hi - lo <= 4.0 * (double) grid->size))
		return DPS_UNABLE;
	last = normal_point(mu, lo, grid);
	dps_loss_place(grid, lo, dps_gaussian_tail(dps_iv_neg(last)).hi);
	for (i = 1; i <= dps_to_int64(hi - lo); i++)
	{
		double		index = lo + (double) i;
		DpsInterval next = normal_point(mu, index, grid);

		dps_loss_add(grid, normal_loss(mu, index, last, grid), normal_between(last, next));
		last = next;
	}
	dps_loss_add_infinite(grid, dps_gaussian_tail(last).hi);
	return DPS_OK;
}

/* ln(((1-w) e^(lambda e) + w e^(-lambda e))), w = 1/(1 + e^e) */
static double
response_cumulant(const DpsLossPart *part, double lambda)
{
	double		e = part->size;

	return lambda * e + log1p(exp(-(1 + 2 * lambda) * e)) - log1p(exp(-e));
}

static double
laplace_cumulant(const DpsLossPart *part, double lambda)
{
	return lambda * dps_rdp_geometric(1 + lambda, part->scale, part->step, part->sensitivity);
}

static double
gaussian_cumulant(const DpsLossPart *part, double lambda)
{
	return 0.5 * lambda * (1 + lambda) * part->size * part->size;
}

typedef struct KindRow
{
	double		(*cumulant) (const DpsLossPart *part, double lambda);
	DpsStatus	(*fill) (const DpsLossPart *part, DpsLossGrid *grid);
	bool		bounded;		/* by the part's size */
} KindRow;

static const KindRow kinds[] = {
	[DPS_LOSS_RESPONSE] = {response_cumulant, fill_response, true},
	[DPS_LOSS_LAPLACE] = {laplace_cumulant, fill_laplace, true},
	[DPS_LOSS_LATTICE] = {gaussian_cumulant, fill_lattice, false},
	[DPS_LOSS_NORMAL] = {gaussian_cumulant, fill_normal, false},
	[DPS_LOSS_REMOVED] = {dps_sampled_cumulant, dps_sampled_fill, false},
	[DPS_LOSS_ADDED] = {dps_sampled_cumulant, dps_sampled_fill, false},
};

double
dps_loss_cumulant(const DpsLossPart *part, double lambda)
{
	return kinds[part->kind].cumulant(part, lambda);
}

double
dps_loss_largest(const DpsLossPart *part)
{
	return kinds[part->kind].bounded ? part->size : 0.0;
}

DpsStatus
dps_loss_fill(const DpsLossPart *part, DpsLossGrid *grid)
{
	return kinds[part->kind].fill(part, grid);
}
