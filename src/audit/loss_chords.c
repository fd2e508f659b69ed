/*
 * loss_chords.c
 *		The loss by one release as a function of a row's sensitivity, quick to
 *		read for a million rows.
 *
 * Why losses are convex in the sensitivity D for the same noise:
 *
 * - Renyi loss of Laplace noise.  exp of (alpha - 1) times it is a sum of two
 *	 exponentials of D with weights that are not negative (account/history.c), so
 *	 its logarithm is convex.
 *
 * - epsilon of continuous Gaussian noise at a fixed delta, by mu = D / N.  With
 *	 F(mu, epsilon) = Phi(a) - e^epsilon Phi(-t), a = mu/2 - epsilon/mu and
 *	 t = mu/2 + epsilon/mu (Balle and Wang 2018, Theorem 8), phi(a) =
 *	 e^epsilon phi(t) makes dF/dmu = phi(a) and dF/depsilon = -e^epsilon Phi(-t).
 *	 Along F = delta therefore epsilon' = phi(t) / Phi(-t) = h(t) > t, the hazard
 *	 of the normal distribution, which rises.  And t' = 1/2 + h(t)/mu -
 *	 epsilon/mu^2 > 1/2 + t/mu - epsilon/mu^2 = 1, so epsilon' rises with mu.  It
 *	 is 0 for small mu and goes on from there, which keeps it convex.
 *
 * Discrete Gaussian noise has a delta that is larger by at most phi(max(x, 0)) / N,
 * x = -a (account/accountant/gaussian_profile.c).  Between powers of two this is kept below a slack
 * that is the same everywhere, that of a least x: the chord is of the continuous
 * curve at delta - slack, and it is used where its x is not below the least one.
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "account/account.h"
#include "audit/loss_chords.h"
#include "num/interval_fn.h"
#include "num/rational.h"

/* 1 / sqrt(2 pi) = 0.39894228040143267793..., from above. */
#define INV_SQRT_2PI_UP 0.3989422804014328

/* An upper bound of delta; if the slack is NaN, of the discrete noise itself. */
static double
delta_at(uint64 scale, uint64 sensitivity, double slack, double epsilon)
{
	if (isnan(slack))
		return dps_discrete_gaussian_delta(scale, sensitivity, epsilon);
	return dps_add_up(dps_gaussian_delta(dps_ratio_up(sensitivity, scale), epsilon), slack);
}

/*
 * The smallest epsilon, to a relative 2^-44, at which delta_at is at most delta;
 * not above an epsilon that is given.  What is returned has been accepted itself,
 * so the search decides nothing but its tightness.  NaN if nothing was.
 */
static double
search_epsilon(uint64 scale, uint64 sensitivity, double slack, double delta, double most)
{
	double		rejected = 0;
	double		accepted = most;
	double		below = delta_at(scale, sensitivity, slack, 0);
	double		above = delta_at(scale, sensitivity, slack, most);
	int			step;

	if (below <= delta)
		return 0;
	if (above > delta)
		return NAN;
	for (step = 0; step < 200 && accepted - rejected > accepted * 0x1p-44; step++)
	{
		/* where a line through the logarithms says, in two steps of three, a
		 * little past it so that the bracket closes from both sides */
		double		share = (log(below) - log(delta)) / (log(below) - log(above));
		double		middle = rejected + (accepted - rejected) *
			(step % 3 == 2 || !(share > 0 && share < 1) ? 0.5 :
			 step % 3 == 0 ? fmin(share * 1.0001 + 0x1p-20, 0.999) : fmax(share * 0.9999 - 0x1p-20, 0.001));
		double		there = delta_at(scale, sensitivity, slack, middle);

		if (middle <= rejected || middle >= accepted)
			break;
		if (there <= delta)
		{
			accepted = middle;
			above = there;
		}
		else
		{
			rejected = middle;
			below = there;
		}
	}
	return accepted;
}

/* The epsilon that follows from zCDP; Infinity if none does. */
static double
zcdp_epsilon(uint64 scale, uint64 sensitivity, double delta)
{
	double		epsilon;

	if (dps_zcdp_epsilon(dps_gaussian_rho(scale, sensitivity), delta, &epsilon) != DPS_OK)
		return INFINITY;
	return epsilon;
}

/* The epsilon at which Gaussian noise is (epsilon, delta)-DP, without a chord. */
static double
gaussian_epsilon(uint64 scale, uint64 sensitivity, double delta)
{
	double		most = zcdp_epsilon(scale, sensitivity, delta);
	double		epsilon = isfinite(most) ? search_epsilon(scale, sensitivity, NAN, delta, most) : (double) NAN;

	return isnan(epsilon) ? most : epsilon;
}

static double
loss_at(const DpsLossChords *chords, uint64 sensitivity)
{
	return chords->kind == DPS_LOSS_RDP ? dps_rdp_geometric(chords->parameter, chords->scale, chords->step, sensitivity) :
		gaussian_epsilon(chords->scale, sensitivity, chords->parameter);
}

DpsLossChords *
dps_chords_make(DpsRowLossKind kind, uint64 scale, uint64 step, uint64 sensitivity, double parameter, MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "dpsens losses", ALLOCSET_DEFAULT_SIZES);
	DpsLossChords *chords = MemoryContextAllocZero(memory, sizeof(DpsLossChords));

	chords->memory = memory;
	chords->kind = kind;
	chords->scale = scale;
	chords->step = step;
	chords->parameter = parameter;
	chords->most = loss_at(chords, sensitivity);
	return chords;
}

/* phi(x) / N, from above */
static double
density(double x, uint64 scale)
{
	DpsInterval square = dps_iv_sqr(dps_iv(x, x));
	DpsInterval kernel = dps_iv_exp(dps_iv_neg(dps_iv_mul(dps_iv(0.5, 0.5), square)));

	return dps_mul_up(dps_mul_up(kernel.hi, INV_SQRT_2PI_UP), dps_ratio_up(1, scale));
}

/* The least x from this power of two on is about that at it: it rises with D. */
static void
choose_slack(DpsLossChords *chords, int octave)
{
	uint64		sensitivity = UINT64CONST(1) << octave;
	double		mu = (double) sensitivity / (double) chords->scale;
	double		epsilon = gaussian_epsilon(chords->scale, sensitivity, chords->parameter);
	double		x = epsilon / mu - mu / 2;

	chords->least[octave] = isfinite(x) ? fmax(x - 0x1p-6 * (1 + x), 0) : 0;
	chords->slack[octave] = density(chords->least[octave], chords->scale);
}

static double *
find_octave(DpsLossChords *chords, int octave)
{
	double	   *values = chords->values[octave];
	int			i;

	if (values != NULL)
		return values;
	values = MemoryContextAlloc(chords->memory, sizeof(double) * (DPS_CHORDS + 1));
	for (i = 0; i <= DPS_CHORDS; i++)
		values[i] = NAN;
	if (chords->kind == DPS_LOSS_EPSILON)
		choose_slack(chords, octave);
	chords->values[octave] = values;
	return values;
}

/* Infinity where there is no bound to draw a chord from. */
static double
find_value(DpsLossChords *chords, int octave, int i, uint64 sensitivity)
{
	double	   *value = &chords->values[octave][i];

	if (isnan(*value))
	{
		*value = chords->kind == DPS_LOSS_RDP ? loss_at(chords, sensitivity) :
			search_epsilon(chords->scale, sensitivity, chords->slack[octave], chords->parameter,
						   fmin(2 * zcdp_epsilon(chords->scale, sensitivity, chords->parameter) + 1, 1e300));
		if (isnan(*value))
			*value = INFINITY;
	}
	return *value;
}

/* Does the chord's slack hold at or above this loss? */
static bool
has_slack(const DpsLossChords *chords, int octave, double loss, uint64 sensitivity)
{
	double		mu = (double) sensitivity / (double) chords->scale;
	double		least = chords->least[octave];
	double		ratio = loss / mu;

	/* with room for the rounding of this line */
	return least == 0 || (ratio < 0x1p20 && ratio - mu / 2 >= least + 0x1p-20);
}

double
dps_chords_read(DpsLossChords *chords, uint64 sensitivity)
{
	int			octave = pg_leftmost_one_pos64(sensitivity);
	int			shift = octave - DPS_CHORD_BITS;
	uint64		step;
	uint64		from;
	double		lo;
	double		hi;
	int			i;

	/* a chord for each, and none beyond 2^63 */
	if (shift < 0 || octave >= 62)
		return fmin(loss_at(chords, sensitivity), chords->most);
	step = UINT64CONST(1) << shift;
	from = sensitivity & ~(step - 1);
	i = (int) ((from >> shift) - DPS_CHORDS);
	(void) find_octave(chords, octave);
	lo = find_value(chords, octave, i, from);
	if (sensitivity > from)
	{
		hi = find_value(chords, octave, i + 1, from + step);
		if (!isfinite(hi))
			lo = INFINITY;
	}
	else
		hi = lo;
	if (!isfinite(lo) || (chords->kind == DPS_LOSS_EPSILON && !has_slack(chords, octave, Min(lo, hi), from + step)))
		return fmin(loss_at(chords, sensitivity), chords->most);

	/* the difference, the share, product and sum are rounded: 4 units at most */
	lo += (hi - lo) * ldexp((double) (sensitivity - from), -shift);
	return fmin(lo * (1 + 0x1p-50), chords->most);
}
