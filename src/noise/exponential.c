/*
 * exponential.c
 *		The exponential mechanism: one of many candidates, the likelier the
 *		smaller its distance.
 *
 * Precondition: the candidates and their weights w_i stand for a set that does
 * not depend on private data (the weights of neighbours may be distributed over
 * other candidates, as with intervals of a grid); for neighbouring data
 * the distances differ, over all members of the set, by between l and l + range.
 * The random source yields independent uniform bits.
 *
 * Postcondition: index i is drawn with probability W_i / sum W, W_i = w_i
 * exp(-s d_i), s = epsilon / range, up to a factor within 1 +- 2^-1800.  The draw
 * has bounded range epsilon: ln(P(i) / P'(i)) differs between members by at most
 * epsilon.  Hence it is epsilon-DP and epsilon^2/8-zCDP.
 *
 * Privacy.  ln P(i) - ln P'(i) = -s (d_i - d'_i) + c for one c, so the loss L lies
 * in an interval of length s range <= epsilon; the interval contains 0, since
 * neither distribution exceeds the other everywhere (McSherry and Talwar 2007;
 * bounded range: Durfee and Rogers 2019).  For zCDP let K(z) = ln E
 * exp(z L), i drawn from P.  K(0) = 0; K(-1) = 0, as P and P' have one support;
 * K'' is the variance of L under a tilted distribution, at most epsilon^2/4.  So
 * epsilon^2/8 z (z + 1) - K(z) is convex and 0 at -1 and 0, hence not negative at
 * z = alpha - 1 > 0: the divergence of order alpha is at most alpha epsilon^2/8
 * (Cesar and Rogers 2021 have the same bound).  It is also at most that of any
 * epsilon-DP mechanism, which is smaller for large epsilon.  The factor above is
 * covered by rounding epsilon up to the next double.
 *
 * Sampling: inversion of integer weights, with rejection where rounding matters.
 * The smallest distance is subtracted from all, which is a common factor.
 * Let U_i >= 2^b W_i be integers.  t is uniform on 0 ... sum U - 1 and falls to
 * candidate i at offset r, 0 <= r < U_i.  With v uniform on [0, 1), r + v is
 * uniform on [0, U_i); i is accepted iff r + v < 2^b W_i, else all starts over.
 * An accepted i has probability proportional to 2^b W_i.
 *
 * Lower bounds L_i <= 2^b W_i make that cheap: r < L_i is accepted without v.
 * Otherwise v is drawn word by word and W_i enclosed to as many words until the
 * comparison is decided (below_weight); what was drawn of v is kept, so the
 * decision is that of the exact comparison.  It is undecided after 31 words with a
 * probability below 2^-1860, and then rejects; relative to the acceptance of
 * any member, at least 2^-40 of one t, that is the factor above.
 *
 * Far candidates, x = s d > 72, have the U of x = 72 and are accepted with
 * another event of probability exp(-(x - 72)), drawn exactly.
 *
 * Work.  b = min(104, 127 - bits of sum w), so b >= 65 and sum U < 2^127 + 2^65.
 * U_i - 2^b W_i is below 2 w_i, and below w_i (2^b exp(-72) + 2) < 4 w_i for far
 * candidates, while the nearest has W >= 1: a round is accepted with probability
 * at least 2^b / (2^b + 4 sum w) >= 1/2, with sum w < 2^40 more than 1 - 2^-44.  A
 * round that needs v, in the case of sum w < 2^40, has probability below 2^-45.  A
 * round takes one pass over the candidates, whatever was drawn before; the time of
 * a draw depends on the data by the number of candidates, by the digits of the
 * distances and by the index that is found.
 *
 * Lower bounds.  power[k][c] is a lower bound of exp(-s c 16^k) in units of 2^-128,
 * off by less than 3 c; the product of up to 16 of them is off by less than 16 *
 * (45 + 1) < 2^10 units, which is less than one unit of 2^-b, b <= 104.  So the
 * product rounded down is a lower bound, off by less than 2 units of 2^-b.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "account/account.h"
#include "noise/exponential.h"
#include "noise/fixed.h"
#include "noise/sample.h"
#include "num/interval.h"
#include "num/rational.h"

#define WEIGHT_BITS_MAX 104

/* Precision of the powers that the table is cut from: 60 squarings cost as many
 * bits of 2^-256, which leaves 2^-178. */
#define TABLE_WORDS 4

/* Bounds of exp(-x) in units of 2^-b. */
typedef struct Bounds
{
	unsigned __int128 lower;
	unsigned __int128 upper;
} Bounds;

/* --- the law ---------------------------------------------------------------- */

static unsigned __int128
product_high(unsigned __int128 x, unsigned __int128 y)
{
	unsigned __int128 x0 = (uint64_t) x;
	unsigned __int128 x1 = x >> 64;
	unsigned __int128 y0 = (uint64_t) y;
	unsigned __int128 y1 = y >> 64;
	unsigned __int128 mid = x1 * y0 + (x0 * y0 >> 64);
	unsigned __int128 mid2 = x0 * y1 + (uint64_t) mid;

	return x1 * y1 + (mid >> 64) + (mid2 >> 64);
}

static unsigned __int128
high_words(const uint64_t *x)
{
	return (unsigned __int128) x[TABLE_WORDS - 1] << 64 | x[TABLE_WORDS - 2];
}

/* Whether s distance is beyond what the table covers. */
static bool
is_far(const DpsExponential *law, uint64_t distance)
{
	return (unsigned __int128) distance * law->num >=
		(unsigned __int128) DPS_FIXED_EXPONENT * law->den;
}

/*
 * A power is cut from a lower bound off by less than 2^-178, so it is off by less
 * than 2; each product adds that and less than 1.
 */
static void
fill_table(DpsExponential *law)
{
	uint64_t	power[TABLE_WORDS];

	dps_fixed_exp(power, TABLE_WORDS, DPS_FIXED_EXPONENT, 1);
	law->least = high_words(power);
	law->digits = 0;
	if (is_far(law, 1))
		return;
	dps_fixed_exp(power, TABLE_WORDS, law->num, law->den);
	for (;;)
	{
		unsigned __int128 *entry = law->power[law->digits];

		entry[1] = high_words(power);
		for (int c = 2; c < 16; c++)
			entry[c] = product_high(entry[c - 1], entry[1]);
		law->digits++;
		if (law->digits == DPS_EXPONENTIAL_DIGITS || is_far(law, UINT64_C(1) << 4 * law->digits))
			return;
		for (int i = 0; i < 4; i++)
			dps_fixed_product(power, power, power, TABLE_WORDS);
	}
}

/* The law of epsilon = a 2^-40, a > 0. */
static DpsStatus
make_law(DpsExponential *law, uint64_t a, uint64_t range)
{
	unsigned	common;
	uint64_t	divisor;
	uint64_t	rest;
	uint64_t	num;

	if (range == 0)
		return DPS_DOMAIN;
	num = divisor = a;
	rest = range % a;
	while (rest != 0)
	{
		uint64_t	next = divisor % rest;

		divisor = rest;
		rest = next;
	}
	num /= divisor;
	range /= divisor;
	common = (unsigned) __builtin_ctzll(num);
	if (common > 40)
		common = 40;
	num >>= common;
	if (range >= DPS_SCALE_LIMIT >> (40 - common))
		return DPS_DOMAIN;
	memset(law, 0, sizeof(*law));
	law->epsilon = a;
	law->num = num;
	law->den = range << (40 - common);
	fill_table(law);
	return DPS_OK;
}

DpsStatus
dps_exponential_init(DpsExponential *law, double epsilon, uint64_t range)
{
	uint64_t	a;

	DPS_TRY(dps_epsilon_ratio(epsilon, &a));
	return make_law(law, a, range);
}

/* --- one draw ----------------------------------------------------------------- */

static Bounds
weight_bounds(const DpsExponential *law, uint64_t distance, unsigned b)
{
	unsigned __int128 product = law->least;
	bool		first = true;

	if (distance == 0)
		return (Bounds) {(unsigned __int128) 1 << b, (unsigned __int128) 1 << b};
	if (!is_far(law, distance))
	{
		/* digits beyond the table are 0: the distance is not far */
		for (int k = 0; k < law->digits; k++)
		{
			unsigned	c = distance >> 4 * k & 15;

			if (c == 0)
				continue;
			product = first ? law->power[k][c] : product_high(product, law->power[k][c]);
			first = false;
		}
	}
	product >>= 128 - b;
	return (Bounds) {product, product + 2};
}

/* A uniform integer in 0 ... n - 1, n >= 2^64. */
static DpsStatus
wide_below(DpsRandom *random, unsigned __int128 n, unsigned __int128 *value)
{
	unsigned	excess = (unsigned) __builtin_clzll((uint64_t) ((n - 1) >> 64) | 1);

	do
	{
		uint64_t	high;
		uint64_t	low;

		DPS_TRY(dps_random_word(random, &high));
		DPS_TRY(dps_random_word(random, &low));
		*value = (unsigned __int128) (high >> excess) << 64 | low;
	} while (*value >= n);
	return DPS_OK;
}

/*
 * Whether r + v < weight 2^b exp(-min(s distance, 72)), v uniform on [0, 1) and
 * s distance > 0.  With `words` words for the exponential, both sides are
 * integers of words + 1 words in units of 2^-(64 (words - 1)): weight and
 * 2^(b - 64) are factors, the remaining 2^64 is in the unit.
 */
static DpsStatus
below_weight(DpsRandom *random, const DpsExponential *law, const DpsCandidate *candidate,
			 unsigned b, unsigned __int128 r, bool *below)
{
	bool		far = is_far(law, candidate->distance);
	uint64_t	v[DPS_FIXED_WORDS];
	int			drawn = 0;

	for (int words = 4; words <= DPS_FIXED_WORDS; words *= 2)
	{
		unsigned __int128 width = (unsigned __int128) candidate->weight << (b - 64) << DPS_FIXED_ERROR;
		uint64_t	left[DPS_FIXED_WORDS + 1];
		uint64_t	right[DPS_FIXED_WORDS + 1] = {0};

		if (far)
			dps_fixed_exp(right, words, DPS_FIXED_EXPONENT, 1);
		else
			dps_fixed_exp(right, words, (unsigned __int128) candidate->distance * law->num, law->den);
		/* below 2^127 2^(64 (words - 1)), so nothing is lost */
		(void) dps_fixed_scale(right, words + 1, candidate->weight);
		(void) dps_fixed_scale(right, words + 1, UINT64_C(1) << (b - 64));
		for (; drawn < words - 1; drawn++)
			DPS_TRY(dps_random_word(random, &v[drawn]));
		for (int i = 0; i < words - 1; i++)
			left[words - 2 - i] = v[i];
		left[words - 1] = (uint64_t) r;
		left[words] = (uint64_t) (r >> 64);
		/* v lies in [left, left + 1), and left + 1 <= right iff left < right */
		*below = dps_fixed_compare(left, right, words + 1) < 0;
		if (*below)
			return DPS_OK;
		/* the bound is below weight 2^b exp(-x) + 2^120 */
		dps_fixed_add(right, words + 1, width);
		if (dps_fixed_compare(left, right, words + 1) >= 0)
			return DPS_OK;
	}
	*below = false;
	return DPS_OK;
}

/* The event of probability exp(-(x - 72)) for a far candidate. */
static DpsStatus
accept_far(DpsRandom *random, const DpsExponential *law, uint64_t distance, bool *accepted)
{
	*accepted = true;
	if (!is_far(law, distance))
		return DPS_OK;
	return dps_sample_exp(random, (unsigned __int128) distance * law->num -
						  (unsigned __int128) DPS_FIXED_EXPONENT * law->den, law->den, accepted);
}

/* One round at a given t: the candidate it falls to, and whether it is kept. */
static DpsStatus
try_round(DpsRandom *random, const DpsExponential *law, const DpsCandidate *candidates,
		  uint64_t nearest, unsigned b, unsigned __int128 t, size_t *index, bool *accepted)
{
	DpsCandidate candidate;
	Bounds		bounds;
	size_t		i;

	for (i = 0;; i++)
	{
		candidate = candidates[i];
		if (candidate.weight == 0)
			continue;
		candidate.distance -= nearest;
		bounds = weight_bounds(law, candidate.distance, b);
		if (t < bounds.upper * candidate.weight)
			break;
		t -= bounds.upper * candidate.weight;
	}
	*index = i;
	DPS_TRY(accept_far(random, law, candidate.distance, accepted));
	if (*accepted && t >= bounds.lower * candidate.weight)
		DPS_TRY(below_weight(random, law, &candidate, b, t, accepted));
	return DPS_OK;
}

/* The sum of all weights and the smallest distance that has one. */
static DpsStatus
survey(const DpsCandidate *candidates, size_t n, uint64_t *weight, uint64_t *nearest)
{
	*weight = 0;
	*nearest = UINT64_MAX;
	for (size_t i = 0; i < n; i++)
	{
		if (candidates[i].weight > DPS_WEIGHT_LIMIT - *weight)
			return DPS_DOMAIN;
		*weight += candidates[i].weight;
		if (candidates[i].weight > 0 && candidates[i].distance < *nearest)
			*nearest = candidates[i].distance;
	}
	return *weight > 0 ? DPS_OK : DPS_DOMAIN;
}

static unsigned
weight_bits(uint64_t weight)
{
	unsigned	b = 127 - (64 - (unsigned) __builtin_clzll(weight));

	return b < WEIGHT_BITS_MAX ? b : WEIGHT_BITS_MAX;
}

DpsStatus
dps_exponential_draw(DpsRandom *random, const DpsExponential *law,
					 const DpsCandidate *candidates, size_t n, size_t *index)
{
	unsigned __int128 total = 0;
	uint64_t	nearest;
	uint64_t	weight;
	bool		accepted = false;
	size_t		found = 0;
	unsigned	b;

	DPS_TRY(survey(candidates, n, &weight, &nearest));
	b = weight_bits(weight);
	for (size_t i = 0; i < n; i++)
	{
		if (candidates[i].weight > 0)
			total += weight_bounds(law, candidates[i].distance - nearest, b).upper * candidates[i].weight;
	}
	while (!accepted)
	{
		unsigned __int128 t;

		DPS_TRY(wide_below(random, total, &t));
		DPS_TRY(try_round(random, law, candidates, nearest, b, t, &found, &accepted));
	}
	*index = found;
	return DPS_OK;
}

void
dps_exponential_loss(const DpsExponential *law, DpsLoss *loss)
{
	/* the next double, see above */
	loss->epsilon = dps_round_up(ldexp((double) law->epsilon, -40));
	loss->rho = dps_choice_rho(loss->epsilon);
	loss->delta = 0.0;
}

DpsStatus
dps_exponential_of_units(DpsExponential *law, uint64_t units, uint64_t range)
{
	/* the least epsilon has 2^20 units, so there is one to take away */
	if (units < 2)
		return DPS_DOMAIN;
	return make_law(law, units - 1, range);
}

DpsStatus
dps_exponential_release(DpsExponential *law, double epsilon, uint64_t range, uint64_t *units)
{
	uint64_t	a;

	DPS_TRY(dps_epsilon_ratio(epsilon, &a));
	DPS_TRY(dps_exponential_of_units(law, a, range));
	*units = a;
	return DPS_OK;
}

static void
choice_loss(uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss)
{
	(void) step;
	loss->epsilon = dps_ratio_up(sensitivity, scale);
	loss->rho = dps_choice_rho(loss->epsilon);
	loss->delta = 0.0;
}

const DpsMechanism dps_exponential = {
	.name = "exponential",
	.norm = 1,
	.uses_delta = false,
	.loss = choice_loss,
};
