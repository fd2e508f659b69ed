/*
 * test_exponential.c
 *		The exponential mechanism, and the fixed-point exponential under it.
 *
 * exponential.c is compiled a second time here, so that its parts can be asked
 * for the exact probability that they give to each candidate: the offsets that
 * are accepted are found by bisection on (offset, first word of v), to 2^-64.
 */
#include <math.h>
#include <string.h>

#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#include "account/account.h"
#include "noise/exponential.h"
#include "noise/fixed.h"
#include "noise/sample.h"
#include "tap.h"

extern DpsStatus here_init(DpsExponential *law, double epsilon, uint64_t range);
extern DpsStatus here_draw(DpsRandom *random, const DpsExponential *law,
						   const DpsCandidate *candidates, size_t n, size_t *index);
extern void here_loss(const DpsExponential *law, DpsLoss *loss);
extern DpsStatus here_release(DpsExponential *law, double epsilon, uint64_t range, uint64_t *units);
extern DpsStatus here_of_units(DpsExponential *law, uint64_t units, uint64_t range);
extern const DpsMechanism here_mechanism;

#define dps_exponential_init here_init
#define dps_exponential_draw here_draw
#define dps_exponential_loss here_loss
#define dps_exponential_release here_release
#define dps_exponential_of_units here_of_units
#define dps_exponential here_mechanism
#include "noise/exponential.c"
#undef dps_exponential_init
#undef dps_exponential_draw
#undef dps_exponential_loss
#undef dps_exponential_release
#undef dps_exponential_of_units
#undef dps_exponential

/* Repeats: a linear congruential generator, for test data only. */
static uint64_t
next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 11 ^ *state << 21;
}

/* --- the fixed-point exponential --------------------------------------------- */

static long double
fixed_value(const uint64_t *x, int words)
{
	return ldexpl((long double) x[words - 1], -64) + ldexpl((long double) x[words - 2], -128);
}

static void
random_exponent(uint64_t *state, unsigned __int128 *n, uint64_t *d)
{
	uint64_t	x = next_number(state);

	*d = (next_number(state) >> (2 + x % 60)) + 1;
	do
		*n = ((unsigned __int128) next_number(state) << 5) >> (next_number(state) % 69);
	while (*n == 0 || *n > (unsigned __int128) DPS_FIXED_EXPONENT * *d);
}

/* Fewer words enclose what more words give, and doubles agree. */
static void
test_fixed(void)
{
	uint64_t	state = 1;
	bool		close = true;
	bool		nested = true;

	for (int i = 0; i < 2000; i++)
	{
		uint64_t	more[DPS_FIXED_WORDS];
		uint64_t	fewer[DPS_FIXED_WORDS];
		unsigned __int128 n;
		uint64_t	d;
		long double exact;

		random_exponent(&state, &n, &d);
		exact = expl(-(long double) n / (long double) d);
		dps_fixed_exp(more, 8, n, d);
		for (int words = 2; words <= 7; words++)
		{
			dps_fixed_exp(fewer, words, n, d);
			nested = nested && dps_fixed_compare(fewer, more + 8 - words, words) <= 0;
			dps_fixed_add(fewer, words, UINT64_C(1) << DPS_FIXED_ERROR);
			/* beyond 1 it wraps to nearly 0 */
			nested = nested && (dps_fixed_compare(fewer, more + 8 - words, words) > 0 ||
								fewer[words - 1] == 0);
		}
		close = close && fabsl(fixed_value(more, 8) - exact) <= 1e-17L * exact + 1e-37L;
		if (!close || !nested)
			diag("n/d = %.20Lg", (long double) n / (long double) d);
	}
	ok(close, "exp(-x) agrees with long doubles");
	ok(nested, "less precision encloses more");
}

#ifdef HAVE_MPFR
static void
test_fixed_mpfr(void)
{
	static const int lengths[] = {2, 3, 4, 8, 16, 32};
	uint64_t	state = 2;
	bool		enclosed = true;
	mpfr_t		x;
	mpfr_t		y;

	mpfr_inits2(2400, x, y, (mpfr_ptr) 0);
	for (int i = 0; i < 1200; i++)
	{
		int			words = lengths[i % 6];
		uint64_t	out[DPS_FIXED_WORDS];
		unsigned __int128 n;
		uint64_t	d;

		random_exponent(&state, &n, &d);
		if (i < 12)
		{
			n = i < 6 ? DPS_FIXED_EXPONENT : 1;
			d = i < 6 ? 1 : (UINT64_C(1) << 62) - 1;
		}
		dps_fixed_exp(out, words, n, d);
		mpfr_set_ui_2exp(x, (uint64_t) (n >> 64), 64, MPFR_RNDN);
		mpfr_add_ui(x, x, (uint64_t) n, MPFR_RNDN);
		mpfr_div_ui(x, x, d, MPFR_RNDN);
		mpfr_neg(x, x, MPFR_RNDN);
		mpfr_exp(x, x, MPFR_RNDN);
		mpfr_mul_2ui(x, x, 64 * (unsigned long) words, MPFR_RNDN);
		mpfr_set_ui(y, 0, MPFR_RNDN);
		for (int k = words - 1; k >= 0; k--)
		{
			mpfr_mul_2ui(y, y, 64, MPFR_RNDN);
			mpfr_add_ui(y, y, out[k], MPFR_RNDN);
		}
		mpfr_sub(x, x, y, MPFR_RNDN);
		if (mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 1UL << DPS_FIXED_ERROR) >= 0)
		{
			enclosed = false;
			diag("%d words, n/d = %.20Lg: off by %g units", words,
				 (long double) n / (long double) d, mpfr_get_d(x, MPFR_RNDN));
		}
	}
	mpfr_clears(x, y, (mpfr_ptr) 0);
	mpfr_free_cache();
	ok(enclosed, "exp(-x) to 2 ... 32 words is within its bounds, by MPFR");
}
#endif

/* --- exact probabilities -------------------------------------------------------- */

/* A source whose next words are v and then zeros. */
static void
script(DpsRandom *random, uint64_t v)
{
	dps_random_init(random, &tap_host);
	memset(random->words, 0, sizeof(random->words));
	random->next = 0;
	random->words[0] = v;
}

static bool
accepts(const DpsExponential *law, const DpsCandidate *candidate, unsigned b,
		unsigned __int128 r, uint64_t v)
{
	DpsRandom	random;
	bool		below = false;

	script(&random, v);
	if (below_weight(&random, law, candidate, b, r, &below) != DPS_OK)
		exit(2);
	return below;
}

/*
 * How many of the pairs (r, v), v in units of 2^-64, below_weight accepts, given
 * that it accepts an initial part of them: the weight in units of 2^-(b + 64).
 */
static void
accepted_pairs(const DpsExponential *law, const DpsCandidate *candidate, unsigned b, uint64_t out[3])
{
	unsigned __int128 limit = weight_bounds(law, candidate->distance, b).upper * candidate->weight;
	unsigned __int128 r = 0;
	uint64_t	v = 0;

	for (int bit = 126; bit >= 0; bit--)
	{
		unsigned __int128 next = r | (unsigned __int128) 1 << bit;

		if (next <= limit && accepts(law, candidate, b, next - 1, UINT64_MAX))
			r = next;
	}
	for (int bit = 63; bit >= 0; bit--)
	{
		uint64_t	next = v | UINT64_C(1) << bit;

		if (r < limit && accepts(law, candidate, b, r, next - 1))
			v = next;
	}
	out[0] = v;
	out[1] = (uint64_t) r;
	out[2] = (uint64_t) (r >> 64);
}

/* weight exp(-min(x, 72)) in the same units, rounded down, from 8 words. */
static void
exact_pairs(const DpsExponential *law, const DpsCandidate *candidate, unsigned b, uint64_t out[3])
{
	uint64_t	x[9] = {0};

	if (is_far(law, candidate->distance))
		dps_fixed_exp(x, 8, DPS_FIXED_EXPONENT, 1);
	else
		dps_fixed_exp(x, 8, (unsigned __int128) candidate->distance * law->num, law->den);
	if (dps_fixed_scale(x, 9, candidate->weight) != 0 || dps_fixed_scale(x, 9, UINT64_C(1) << (b - 64)) != 0)
		exit(2);
	/* units of 2^-512 times 2^64 */
	memcpy(out, x + 6, 3 * sizeof(*out));
}

/* Whether a round keeps what falls to an offset of candidate i, which starts at
 * `start`, when v begins with a word. */
static bool
keeps(const DpsExponential *law, const DpsCandidate *candidates, uint64_t nearest, unsigned b,
	  unsigned __int128 start, unsigned __int128 r, uint64_t v)
{
	DpsRandom	random;
	bool		accepted = false;
	size_t		index;

	script(&random, v);
	if (try_round(&random, law, candidates, nearest, b, start + r, &index, &accepted) != DPS_OK)
		exit(2);
	return accepted;
}

typedef struct Instance
{
	DpsExponential law;
	double		epsilon;
	uint64_t	range;
	size_t		n;
	DpsCandidate candidates[12];
} Instance;

static void
random_instance(uint64_t *state, Instance *instance)
{
	uint64_t	left = DPS_WEIGHT_LIMIT >> next_number(state) % 61;

	instance->epsilon = ldexp(1.0 + (double) (next_number(state) >> 20) * 0x1p-44, (int) (next_number(state) % 26) - 20);
	instance->range = (next_number(state) >> (64 - 1 - next_number(state) % 20)) + 1;
	if (here_init(&instance->law, instance->epsilon, instance->range) != DPS_OK)
		exit(2);
	instance->n = 1 + next_number(state) % 12;
	for (size_t i = 0; i < instance->n; i++)
	{
		/* distances of all sizes, many of them with exponents up to 80 */
		double		reach = 80.0 * (double) instance->law.den / (double) instance->law.num;
		double		u = (double) (next_number(state) >> 11) * 0x1p-53;

		instance->candidates[i].distance = next_number(state) % 3 == 0
			? next_number(state) >> next_number(state) % 64 : (uint64_t) (u * reach);
		instance->candidates[i].weight = next_number(state) % (left / 2 + 1) + (i == 0);
		left -= instance->candidates[i].weight;
	}
}

/* Bounds, acceptance and inversion of one instance. */
static bool
instance_is_exact(const Instance *instance)
{
	unsigned __int128 start = 0;
	unsigned __int128 total = 0;
	long double weighed = 0;
	uint64_t	nearest;
	uint64_t	weight;
	unsigned	b;
	bool		good = true;

	if (survey(instance->candidates, instance->n, &weight, &nearest) != DPS_OK)
		return false;
	b = weight_bits(weight);
	for (size_t i = 0; i < instance->n; i++)
	{
		DpsCandidate candidate = instance->candidates[i];
		Bounds		bounds;
		uint64_t	have[3];
		uint64_t	want[3];
		size_t		index;
		bool		accepted;
		DpsRandom	random;

		if (candidate.weight == 0)
			continue;
		candidate.distance -= nearest;
		bounds = weight_bounds(&instance->law, candidate.distance, b);
		total += bounds.upper * candidate.weight;
		weighed += candidate.weight *
			expl(-(long double) candidate.distance * (long double) instance->law.num / (long double) instance->law.den);
		if (candidate.distance == 0)
			good = good && bounds.lower == bounds.upper && bounds.lower == (unsigned __int128) 1 << b;
		else
		{
			uint64_t	error = 2;

			accepted_pairs(&instance->law, &candidate, b, have);
			exact_pairs(&instance->law, &candidate, b, want);
			/* the exact number of pairs is one of want, want + 1 */
			dps_fixed_add(want, 3, 1);
			good = good && dps_fixed_compare(have, want, 3) <= 0;
			/* a round decides as below_weight does */
			if (!is_far(&instance->law, candidate.distance))
			{
				unsigned __int128 r = (unsigned __int128) have[2] << 64 | have[1];

				good = good && !keeps(&instance->law, instance->candidates, nearest, b, start, r, have[0]) &&
					(have[0] == 0 || keeps(&instance->law, instance->candidates, nearest, b, start, r, have[0] - 1)) &&
					(r == 0 || keeps(&instance->law, instance->candidates, nearest, b, start, r - 1, UINT64_MAX));
			}
			dps_fixed_add(have, 3, error);
			good = good && dps_fixed_compare(have, want, 3) > 0;
			/* what is accepted without v is below what is accepted with it */
			good = good && bounds.lower * candidate.weight <= ((unsigned __int128) want[2] << 64 | want[1]) &&
				bounds.upper * candidate.weight > ((unsigned __int128) want[2] << 64 | want[1]);
		}
		/* t falls to i from start to start + upper */
		for (int end = 0; end < 2; end++)
		{
			script(&random, 0);
			if (try_round(&random, &instance->law, instance->candidates, nearest, b,
						  end ? start + bounds.upper * candidate.weight - 1 : start, &index, &accepted) != DPS_OK)
				exit(2);
			good = good && index == i;
			/* a far candidate may be refused at its beginning too */
			good = good && (end || accepted || is_far(&instance->law, candidate.distance));
		}
		start += bounds.upper * candidate.weight;
	}
	/* rounds are accepted at least half of the time */
	return good && total >= (unsigned __int128) 1 << b && (long double) total <= 2.0000001L * ldexpl(weighed, (int) b);
}

static void
test_exact(void)
{
	uint64_t	state = 3;
	bool		exact = true;
	int			instances = 0;

	for (; instances < 400 && exact; instances++)
	{
		Instance	instance;
		uint64_t	seed = state;

		random_instance(&state, &instance);
		exact = instance_is_exact(&instance);
		if (!exact)
		{
			diag("state %llu, epsilon %.17g, range %llu", (unsigned long long) seed, instance.epsilon,
				 (unsigned long long) instance.range);
			for (size_t i = 0; i < instance.n; i++)
				diag("distance %llu, weight %llu", (unsigned long long) instance.candidates[i].distance,
					 (unsigned long long) instance.candidates[i].weight);
		}
	}
	ok(exact, "%d laws: what is accepted is the exact weight, to 2^-64 units", instances);
}

/* Far candidates: the event is exp(-(x - 72)), told by what the sampler makes of the
 * same random words. */
static void
test_far(void)
{
	static const double epsilons[] = {1, 0.0625, 3, 64};
	bool		same = true;
	int			kept = 0;

	for (int e = 0; e < 4; e++)
	{
		DpsExponential law;
		DpsRandom	random;

		if (here_init(&law, epsilons[e], 1) != DPS_OK)
			exit(2);
		for (uint64_t i = 0; i < 400; i++)
		{
			/* sixteenths: epsilon times distance is exact */
			uint64_t	distance = (uint64_t) (72 / epsilons[e]) + i / 8 - 1;
			double		x = epsilons[e] * (double) distance;
			DpsRandom	replay;
			bool		accepted = false;
			bool		event = true;

			dps_random_init(&random, &tap_host);
			if (dps_random_refill(&random) != DPS_OK)
				exit(2);
			replay = random;
			if (accept_far(&random, &law, distance, &accepted) != DPS_OK)
				exit(2);
			if (x >= 72 && dps_sample_exp(&replay, (unsigned __int128) ((x - 72) * 16), 16, &event) != DPS_OK)
				exit(2);
			same = same && accepted == event && random.next == replay.next && random.bits == replay.bits;
			kept += event && x > 72;
		}
	}
	/* about 120 of the second law's alone are kept; fewer than 10 with probability 1e-30 */
	ok(same && kept > 10, "far candidates are kept with exp(-(x - 72))");
}

/*
 * The probability of each candidate: what it accepts, over the sum, times the far
 * event; against long doubles.
 */
static void
test_probabilities(void)
{
	uint64_t	state = 4;
	long double worst = 0;

	for (int k = 0; k < 300; k++)
	{
		long double mass[12] = {0};
		long double exact[12] = {0};
		long double mass_sum = 0;
		long double exact_sum = 0;
		uint64_t	nearest;
		uint64_t	weight;
		Instance	instance;

		random_instance(&state, &instance);
		if (survey(instance.candidates, instance.n, &weight, &nearest) != DPS_OK)
			exit(2);
		for (size_t i = 0; i < instance.n; i++)
		{
			DpsCandidate candidate = instance.candidates[i];
			uint64_t	pairs[3];
			long double x;

			if (candidate.weight == 0)
				continue;
			candidate.distance -= nearest;
			x = (long double) candidate.distance * (long double) instance.law.num / (long double) instance.law.den;
			exact[i] = candidate.weight * expl(-x);
			if (candidate.distance == 0)
				mass[i] = candidate.weight;
			else
			{
				accepted_pairs(&instance.law, &candidate, weight_bits(weight), pairs);
				mass[i] = ldexpl(ldexpl(pairs[2], 64) + pairs[1] + ldexpl(pairs[0], -64), -(int) weight_bits(weight)) *
					expl(-fmaxl(x - DPS_FIXED_EXPONENT, 0));
			}
			mass_sum += mass[i];
			exact_sum += exact[i];
		}
		for (size_t i = 0; i < instance.n; i++)
			worst = fmaxl(worst, fabsl(mass[i] / mass_sum - exact[i] / exact_sum));
	}
	ok(worst <= 1e-15L, "probabilities agree with long doubles: largest difference %.2Lg", worst);
}

/* --- the law and its loss --------------------------------------------------------- */

static void
test_init(void)
{
	DpsExponential law;
	uint64_t	state = 5;
	bool		equal = true;

	for (int i = 0; i < 20000; i++)
	{
		double		epsilon = ldexp(1.0 + (double) (next_number(&state) >> 20) * 0x1p-44, (int) (next_number(&state) % 26) - 20);
		uint64_t	range = (next_number(&state) >> (42 + next_number(&state) % 22)) + 1;
		uint64_t	a;

		if (dps_exponential_init(&law, epsilon, range < UINT64_C(1) << 22 ? range : range - 1) != DPS_OK ||
			dps_epsilon_ratio(epsilon, &a) != DPS_OK)
			exit(2);
		if (range == UINT64_C(1) << 22)
			range--;
		equal = equal && law.epsilon == a &&
			(unsigned __int128) law.num * range << 40 == (unsigned __int128) a * law.den;
	}
	ok(equal, "num / den = epsilon / range exactly, ranges below 2^22");
	memset(&law, 77, sizeof(law));
	ok(dps_exponential_init(&law, 1.0, 0) == DPS_DOMAIN &&
	   dps_exponential_init(&law, 0.0, 1) == DPS_DOMAIN &&
	   dps_exponential_init(&law, NAN, 1) == DPS_DOMAIN &&
	   dps_exponential_init(&law, 65.0, 1) == DPS_DOMAIN &&
	   dps_exponential_init(&law, nextafter(1.0, 0.0), UINT64_C(1) << 22) == DPS_DOMAIN &&
	   dps_exponential_init(&law, 1.0, UINT64_C(1) << 62) == DPS_DOMAIN &&
	   dps_exponential_init(&law, 1.0, (UINT64_C(1) << 62) - 1) == DPS_OK,
	   "what does not fit is refused");
}

static void
test_loss(void)
{
	static const double epsilons[] = {0x1p-20, 0.001, 0.1, 0.5, 1, 2, 7.5, 8.5, 20, 64};
	bool		right = true;
	bool		charged = true;

	for (size_t i = 0; i < sizeof(epsilons) / sizeof(epsilons[0]); i++)
	{
		DpsExponential law;
		DpsLoss		loss;
		uint64_t	a;
		double		epsilon;

		if (dps_exponential_init(&law, epsilons[i], 3) != DPS_OK || dps_epsilon_ratio(epsilons[i], &a) != DPS_OK)
			exit(2);
		epsilon = ldexp((double) a, -40);
		dps_exponential_loss(&law, &loss);
		right = right && loss.delta == 0 && loss.rho >= fmin(epsilon * epsilon / 8, epsilon * tanh(epsilon / 2)) &&
			loss.rho <= fmin(epsilon * epsilon / 8, epsilon * tanh(epsilon / 2)) * (1 + 1e-13);
		charged = charged && loss.epsilon > epsilon && loss.epsilon <= nextafter(epsilons[i], INFINITY);
	}
	ok(right, "rho is epsilon^2/8, or epsilon tanh(epsilon/2) where that is less, rounded up");
	ok(charged, "epsilon is the multiple of 2^-40 below what was asked for, rounded up");
}

/* Renyi divergences of the widest pairs of bounded range epsilon stay below
 * alpha rho: two outcomes, all probabilities, all positions of the range. */
static void
test_zcdp(void)
{
	bool		below = true;
	long double most = 0;

	for (int e = 1; e <= 60; e++)
		for (int k = 1; k < 60; k++)
		{
			long double epsilon = e / 10.0L;
			long double p = k / 60.0L;

			/* Q = P with the second outcome's odds times exp(epsilon) */
			long double sum = 1 - p + p * expl(epsilon);
			long double q = p * expl(epsilon) / sum;

			for (int j = 1; j <= 40; j++)
			{
				long double alpha = 1 + powl(1.3L, j - 20);
				long double divergence = logl(powl(p, alpha) * powl(q, 1 - alpha) +
											  powl(1 - p, alpha) * powl(1 - q, 1 - alpha)) / (alpha - 1);
				double		rho = fmin((double) (epsilon * epsilon / 8), dps_pure_rho((double) epsilon));

				below = below && divergence <= alpha * rho * (1 + 1e-9L) + 1e-15L;
				most = fmaxl(most, divergence / (alpha * rho));
			}
		}
	ok(below && most > 0.99L, "the divergences of two outcomes reach %.4Lf of alpha rho", most);
}

/* --- draws ------------------------------------------------------------------------ */

static bool
short_lived_bytes(void *context, void *buffer, size_t size)
{
	int		   *refills_left = context;

	if ((*refills_left)-- <= 0)
		return false;
	return tap_random_bytes(NULL, buffer, size);
}

static void
test_failing_source(void)
{
	/* the second is far heavier and 44 away: v is drawn in one round of ten */
	static const DpsCandidate candidates[] = {{0, 1}, {44, UINT64_C(1) << 61}, {80, UINT64_C(1) << 60}};
	DpsHost		host = tap_host;
	DpsExponential law;
	bool		refused = true;
	bool		drew = false;

	host.random_bytes = short_lived_bytes;
	if (dps_exponential_init(&law, 1.0, 1) != DPS_OK)
		exit(2);
	for (int refills = 0; refills < 40; refills++)
	{
		int			refills_left = refills;
		DpsRandom	random;
		DpsStatus	status;
		size_t		index;

		host.context = &refills_left;
		dps_random_init(&random, &host);
		do
		{
			index = 77;
			status = dps_exponential_draw(&random, &law, candidates, 3, &index);
			drew = drew || status == DPS_OK;
		} while (status == DPS_OK);
		refused = refused && status == DPS_UNABLE && index == 77;
	}
	ok(refused && drew, "a source that fails at any moment is DPS_UNABLE");
}

static void
test_draw_domain(void)
{
	static const DpsCandidate none[] = {{0, 0}, {5, 0}};
	static const DpsCandidate heavy[] = {{0, DPS_WEIGHT_LIMIT}, {5, 1}};
	static const DpsCandidate one[] = {{0, 0}, {UINT64_MAX, 3}, {7, 0}};
	static const DpsCandidate far[] = {{UINT64_MAX, DPS_WEIGHT_LIMIT - 1}, {0, 1}};
	DpsExponential law;
	DpsRandom	random;
	size_t		index = 77;
	bool		near = true;

	dps_random_init(&random, &tap_host);
	if (dps_exponential_init(&law, 1.0, 1) != DPS_OK)
		exit(2);
	ok(dps_exponential_draw(&random, &law, none, 2, &index) == DPS_DOMAIN &&
	   dps_exponential_draw(&random, &law, none, 0, &index) == DPS_DOMAIN &&
	   dps_exponential_draw(&random, &law, heavy, 2, &index) == DPS_DOMAIN && index == 77,
	   "no weight, or too much, is DPS_DOMAIN");
	ok(dps_exponential_draw(&random, &law, one, 3, &index) == DPS_OK && index == 1,
	   "only a candidate that has a weight is drawn, however far");
	for (int i = 0; i < 200; i++)
		near = near && dps_exponential_draw(&random, &law, far, 2, &index) == DPS_OK && index == 1;
	ok(near, "a candidate at 2^64 - 1 is not drawn, whatever its weight");
}

static void
test_wide_below(void)
{
	static const uint64_t high[] = {1, 2, 3, 5, UINT64_C(1) << 40, UINT64_C(1) << 62};
	DpsRandom	random;
	bool		fair = true;

	for (size_t i = 0; i < sizeof(high) / sizeof(high[0]); i++)
	{
		/* the word's top bits are used, and values at the limit are refused */
		unsigned __int128 n = (unsigned __int128) high[i] << 64;
		unsigned __int128 value;
		unsigned	excess = (unsigned) __builtin_clzll(high[i] == 1 ? 1 : high[i] - 1);

		for (int beyond = 0; beyond < 2; beyond++)
		{
			dps_random_init(&random, &tap_host);
			random.failed = true;
			random.next = DPS_RANDOM_WORDS - 2;
			/* n is not drawn; n - 1 is */
			random.words[random.next] = high[i] - !beyond;
			if (random.words[random.next] >> (64 - excess) != 0 && excess > 0)
				continue;		/* n is a power of two: nothing to refuse */
			random.words[random.next] <<= excess;
			random.words[random.next + 1] = beyond ? 0 : UINT64_MAX;
			if (beyond)
				fair = fair && wide_below(&random, n, &value) == DPS_UNABLE;
			else
				fair = fair && wide_below(&random, n, &value) == DPS_OK && value == n - 1;
		}
	}
	ok(fair, "128-bit uniform integers end at n - 1");
}

/* What a release is charged covers what its draw loses, and is at most what was
 * asked for, by the least epsilon, too. */
static void
test_release(void)
{
	static const double epsilons[] = {0x1p-20, 0x1p-20 + 0x1p-40, 0.1, 0.1 / 3, 1, 64};
	bool		covered = true;
	bool		bounded = true;

	for (int e = 0; e < 6; e++)
	{
		DpsExponential law;
		DpsLoss		drawn;
		DpsLoss		charged;
		uint64_t	units;

		if (dps_exponential_release(&law, epsilons[e], 7, &units) != DPS_OK)
		{
			covered = false;
			continue;
		}
		dps_exponential_loss(&law, &drawn);
		dps_exponential.loss(UINT64_C(1) << DPS_EXPONENTIAL_BITS, 1, units, &charged);
		covered = covered && charged.epsilon >= drawn.epsilon && charged.rho >= drawn.rho && charged.delta == 0;
		bounded = bounded && charged.epsilon <= epsilons[e] && charged.epsilon >= epsilons[e] - 0x1p-40;
	}
	ok(covered, "a release is charged what it loses");
	ok(bounded, "and no more than asked for");
	ok(dps_mechanism_find("exponential") == &dps_exponential && dps_exponential.norm == 1, "the mechanism by name");
}

int
main(void)
{
	test_fixed();
#ifdef HAVE_MPFR
	test_fixed_mpfr();
#endif
	test_exact();
	test_far();
	test_probabilities();
	test_init();
	test_loss();
	test_release();
	test_zcdp();
	test_failing_source();
	test_draw_domain();
	test_wide_below();
	return done_testing();
}
