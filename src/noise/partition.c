/*
 * partition.c
 *		Which groups of undeclared keys may be shown, and their noisy sizes.
 *
 * Precondition: between neighbouring data the sizes of at most m groups differ,
 * each by 1; a group of size 0 cannot be told from one that does not exist.
 * Postcondition: the set of kept groups together with their noisy sizes is
 * (epsilon, delta)-DP; a group of size 0 is never kept.
 *
 * Mechanism (truncated geometric: Desfontaines, Voss, Gipson and Mandayam 2022).
 * Z has P(Z = z) = p(z) proportional to exp(-e|z|) on -K ... K; a group
 * of size n is kept iff n + Z > K, and n + Z is released with it.
 *
 * Proof.  One group, n against n + 1, with d = p(K) = p(-K).  Given Z != -K (probability
 * 1 - d), n + Z lies in n - K + 1 ... n + K; so does n + 1 + Z' given Z' != K, of the
 * same probability.  There both have weights p(s - n) / (1 - d) and p(s - n - 1) /
 * (1 - d), within a factor of exp(e) of each other.  So n + Z is (e, d)-DP, and
 * d-approximately rho-zCDP (Bun and Steinke 2016, Definition 8.1) with the rho of any
 * e-DP pair (dps_pure_rho).  Keeping the group, and showing n + Z if it is kept, is
 * a function of n + Z.  From n = 0, n + Z > K never happens; so drawing for the
 * existing groups alone gives what drawing for all conceivable ones would.
 *
 * m groups.  Noise is independent, so each costs (epsilon/m, delta/m) and they
 * add; rho and delta of approximate zCDP add as well.
 *
 * k units together.  Precondition: neighbouring data are k such steps apart, so that group i differs by some c_i <= k
 * and sum c_i <= k m.  Group i is then c_i steps of (e, d), so it costs c_i e and c_i exp((c_i - 1) e) d <=
 * c_i exp((k - 1) e) d (Vadhan 2017, Lemma 2.2), and all groups k m e and k m exp((k - 1) e) d.  But for that delta group i is
 * told apart as by a pure c_i e, whose rho is g(c_i e) with g(x) / x increasing (dps_pure_rho: x tanh(x / 2), or a
 * bound of it that is no less), so at most c_i / k g(k e): m g(k e) for all.  That is what m groups of k e each cost, and
 * so it stands in the ledger.
 *
 * K.  p(K) = x (1 - q) / (1 + q - 2 q x), q = exp(-e), x = exp(-e K).  p(K) <= d iff
 *		x <= d (1 + q) / (1 - q + 2 d q),
 *		K >= ln(1 + (1 - q)(1 - d) / (d (1 + q))) / e,
 * a positive number, rounded up; then p(K), rounded up, is what is reported and
 * is verified to be at most d.  e is a ratio of integers, rounded down.
 *
 * Draws.  For e K <= 1, z uniform on -K ... K is accepted with exp(-e|z|), at least
 * 1/e of the time.  Otherwise discrete Laplace draws are taken until |z| <= K: a
 * draw is beyond with probability 2 q^(K+1) / (1 + q) < exp(-1), as q/(1 + q) <= 1/2.
 * Both bounds are free of the data: the time of a draw does not depend on n.
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "noise/partition.h"
#include "noise/sample.h"
#include "num/rational.h"
#include "num/whole.h"

#define COUNT_LIMIT ((UINT64_C(1) << 62) - 1)

/* exp(-e) and 1 - exp(-e) for e = num / den. */
typedef struct Decay
{
	DpsInterval e;
	DpsInterval q;
	DpsInterval loss;
} Decay;

static Decay
decay(const DpsPartition *partition)
{
	Decay		result;

	result.e = dps_iv(dps_ratio_down(partition->num, partition->den),
					  dps_ratio_up(partition->num, partition->den));
	result.q = dps_iv_exp(dps_iv_neg(result.e));
	result.loss = dps_one_minus_exp(result.e);
	return result;
}

/* p(k), an enclosure. */
static DpsInterval
end_mass(const DpsPartition *partition, double k)
{
	Decay		d = decay(partition);
	DpsInterval x = dps_iv_exp(dps_iv_neg(dps_iv_mul(d.e, dps_point(k))));

	/* 1 + q - 2 q x = 1 - q + 2 q (1 - x), which does not cancel */
	DpsInterval rest = dps_one_minus_exp(dps_iv_mul(d.e, dps_point(k)));
	DpsInterval below = dps_iv_mul(dps_point(2.0), dps_iv_mul(d.q, rest));

	return dps_iv_div(dps_iv_mul(x, d.loss), dps_iv_add(d.loss, below));
}

/* ln(1 + y) for y > 0. */
static DpsInterval
log_one_plus(DpsInterval y)
{
	DpsInterval two = dps_point(2.0);

	/* = 2 atanh(y / (2 + y)), which does not cancel */
	if (y.hi < 0.5)
		return dps_iv_mul(two, dps_iv_atanh(dps_iv_div(y, dps_iv_add(two, y))));
	return dps_iv_ln(dps_iv_add(dps_point(1.0), y));
}

static DpsStatus
choose_threshold(DpsPartition *partition, double delta)
{
	Decay		d = decay(partition);
	DpsInterval allowed = dps_point(delta);
	DpsInterval one = dps_point(1.0);
	DpsInterval y = dps_iv_div(dps_iv_mul(d.loss, dps_iv_sub(one, allowed)),
							   dps_iv_mul(allowed, dps_iv_add(one, d.q)));
	DpsInterval k = dps_iv_div(log_one_plus(y), d.e);
	double		threshold = fmax(ceil(k.lo), 1.0);

	/* written so that NaN fails; below 2^53 so that the double is exact */
	if (!(k.hi < 0x1p53))
		return DPS_UNABLE;
	/* where the enclosure holds an integer, the next one may be needed */
	if (!(end_mass(partition, threshold).hi <= delta))
		threshold += 1.0;
	partition->threshold = dps_to_int64(threshold);
	return dps_partition_delta(partition) <= delta ? DPS_OK : DPS_UNABLE;
}

double
dps_partition_delta(const DpsPartition *partition)
{
	return end_mass(partition, (double) partition->threshold).hi;
}

/* How many times the delta of one step, which a group of one unit more or less is, all units together have in one group. */
static double
delta_factor(const DpsPartition *partition)
{
	double		others = (double) (partition->units - 1);
	double		e = dps_ratio_up(partition->num, partition->den);

	return dps_mul_up((double) partition->units, dps_iv_exp(dps_iv_point(dps_mul_up(others, e))).hi);
}

DpsStatus
dps_partition_init(DpsPartition *partition, double epsilon, double delta, uint64_t groups, uint64_t units)
{
	DpsPartition made;
	uint64_t	a;
	double		share;

	DPS_TRY(dps_epsilon_ratio(epsilon, &a));
	if (!(delta > 0.0 && delta < 1.0) || groups == 0 || units == 0 || a / units < groups)
		return DPS_DOMAIN;
	/* groups and units are at most a, below 2^47 */
	made.groups = groups;
	made.units = units;
	made.num = a / units / groups;
	made.den = UINT64_C(1) << 40;
	share = dps_div_down(delta, dps_mul_up((double) groups, delta_factor(&made)));
	if (!(share > 0.0))
		return DPS_DOMAIN;
	DPS_TRY(choose_threshold(&made, share));
	*partition = made;
	return DPS_OK;
}

/* --- draws -------------------------------------------------------------------- */

static DpsStatus
draw_short(DpsRandom *random, const DpsPartition *partition, int64_t *z)
{
	uint64_t	k = (uint64_t) partition->threshold;

	for (;;)
	{
		uint64_t	u;
		uint64_t	magnitude;
		bool		accepted;

		DPS_TRY(dps_random_below(random, 2 * k + 1, &u));
		magnitude = u >= k ? u - k : k - u;
		DPS_TRY(dps_sample_exp(random, (unsigned __int128) magnitude * partition->num,
							   partition->den, &accepted));
		if (accepted)
		{
			*z = (int64_t) u - (int64_t) k;
			return DPS_OK;
		}
	}
}

static DpsStatus
draw_long(DpsRandom *random, const DpsPartition *partition, int64_t *z)
{
	__int128	noise;

	do
	{
		DPS_TRY(dps_sample_laplace_ratio(random, partition->num, partition->den, &noise));
	} while (noise > partition->threshold || noise < -partition->threshold);
	*z = (int64_t) noise;
	return DPS_OK;
}

DpsStatus
dps_partition_draw(DpsRandom *random, const DpsPartition *partition, uint64_t count,
				   bool *keep, int64_t *size)
{
	unsigned __int128 product = (unsigned __int128) partition->num * (uint64_t) partition->threshold;
	int64_t		z;

	if (count > COUNT_LIMIT)
		count = COUNT_LIMIT;
	if (product <= partition->den)
		DPS_TRY(draw_short(random, partition, &z));
	else
		DPS_TRY(draw_long(random, partition, &z));
	*keep = (int64_t) count + z > partition->threshold;
	if (*keep)
		*size = (int64_t) count + z;
	return DPS_OK;
}

/* --- what it means -------------------------------------------------------------- */

/*
 * The sum of p from K - n + 1 to K is q^(K-n+1) (1 - q^n) / (1 + q - 2 q^(K+1)).  For n
 * beyond K, P(n + Z <= K) = P(Z >= n - K) is that with 2K + 1 - n for n.
 */
double
dps_partition_probability(const DpsPartition *partition, uint64_t count)
{
	double		e = (double) partition->num / (double) partition->den;
	double		k = (double) partition->threshold;
	double		n = fmin((double) count, 2.0 * k + 1.0);
	double		length = n > k ? 2.0 * k + 1.0 - n : n;
	double		all = -expm1(-e) - 2.0 * exp(-e) * expm1(-e * k);
	double		part = exp(-e * (k - length + 1.0)) * -expm1(-e * length) / all;

	return n > k ? 1.0 - part : part;
}

void
dps_partition_loss(const DpsPartition *partition, DpsLoss *loss)
{
	double		groups = (double) partition->groups;
	double		epsilon = dps_ratio_up(partition->units * partition->num, partition->den);

	loss->epsilon = dps_mul_up(groups, epsilon);
	loss->rho = dps_mul_up(groups, dps_pure_rho(epsilon));
	loss->delta = dps_mul_up(dps_mul_up(groups, delta_factor(partition)), dps_partition_delta(partition));
}

/* --- in a ledger ------------------------------------------------------------------ */

/* The groups are few enough for the first scale to stay below the second. */
#define GROUPS_LIMIT (UINT64_C(1) << 21)

DpsStatus
dps_partition_coordinates(const DpsPartition *partition, uint64_t sensitivities[2], uint64_t scales[2])
{
	DpsLoss		loss;
	double		units;

	dps_partition_loss(partition, &loss);
	units = ceil(ldexp(loss.delta, DPS_PARTITION_DELTA_BITS));
	if (partition->groups >= GROUPS_LIMIT || partition->threshold < 1 || !(units < 0x1p62))
		return DPS_UNABLE;
	sensitivities[0] = partition->groups * partition->units * partition->num;
	scales[0] = partition->groups * partition->den;
	sensitivities[1] = dps_to_uint64(units);
	scales[1] = UINT64_C(1) << DPS_PARTITION_DELTA_BITS;
	return DPS_OK;
}

/*
 * Loss of m groups with e = sensitivity / scale each, where scale / 2^40 is m;
 * or of a delta.
 */
static void
coordinate_loss(uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss)
{
	double		groups = (double) (scale >> 40);
	double		ratio = dps_ratio_up(sensitivity, scale);

	(void) step;
	loss->epsilon = loss->rho = loss->delta = 0.0;
	if (scale == UINT64_C(1) << DPS_PARTITION_DELTA_BITS)
	{
		loss->delta = ratio;
		return;
	}
	loss->epsilon = dps_mul_up(groups, ratio);
	loss->rho = dps_mul_up(groups, dps_pure_rho(ratio));
}

const DpsMechanism dps_partition = {
	.name = "partition",
	.norm = 1,
	.uses_delta = true,
	.loss = coordinate_loss,
};
