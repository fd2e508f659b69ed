/*
 * test_mechanism.c
 *		Samplers, calibration and loss of every mechanism.
 *
 * The samplers are enumerated: sample.c is compiled a second time on a source
 * of decisions that walks the tree of all random bits, so the probabilities of
 * its results are summed, not estimated.  A loop that starts over (a second
 * dps_random_below) leaves the sampler in its first state, so that branch is
 * cut off and the accepted mass is compared with the mass one round should
 * accept.  test/stat draws at random.
 *
 * Files: noise/mechanisms.def.
 */
#include <math.h>
#include <string.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "noise/mechanism.h"
#include "noise/sample.h"
#include "num/interval.h"
#include "num/rational.h"
#include "tap.h"

/* --- enumeration -------------------------------------------------------- */

extern DpsStatus walk_bit(DpsRandom *random, unsigned *bit);
extern DpsStatus walk_below(DpsRandom *random, uint64_t n, uint64_t *value);
extern DpsStatus walk_laplace(DpsRandom *random, uint64_t t, __int128 *z);
extern DpsStatus walk_geometric(DpsRandom *random, uint64_t t, unsigned __int128 *k);
extern DpsStatus walk_gaussian(DpsRandom *random, uint64_t n, __int128 *z);
extern DpsStatus walk_laplace_ratio(DpsRandom *random, uint64_t s, uint64_t t, __int128 *z);
extern DpsStatus walk_exp(DpsRandom *random, unsigned __int128 n, uint64_t d, bool *result);

#define dps_random_bit walk_bit
#define dps_random_below walk_below
#define dps_sample_laplace walk_laplace
#define dps_sample_geometric walk_geometric
#define dps_sample_gaussian walk_gaussian
#define dps_sample_laplace_ratio walk_laplace_ratio
#define dps_sample_exp walk_exp
#include "noise/sample.c"
#undef dps_random_bit
#undef dps_random_below
#undef dps_sample_laplace
#undef dps_sample_geometric
#undef dps_sample_gaussian
#undef dps_sample_laplace_ratio
#undef dps_sample_exp

#define WALK_DEPTH 200

/* The path of decisions being walked: a depth-first odometer. */
typedef struct Walk
{
	uint64_t	choice[WALK_DEPTH];
	uint64_t	choices[WALK_DEPTH];
	int			depth;			/* decisions fixed by the odometer */
	int			used;			/* decisions consumed by this run */
	int			rounds;			/* calls of dps_random_below in this run */
	double		mass;			/* probability of the path so far */
	double		least_mass;		/* paths below this are left unresolved */
	bool		unresolved;
} Walk;

static Walk walk;

static DpsStatus
walk_choose(uint64_t choices, uint64_t *choice)
{
	if (walk.used == walk.depth)
	{
		if (walk.depth == WALK_DEPTH || walk.mass < walk.least_mass)
		{
			walk.unresolved = true;
			return DPS_UNABLE;
		}
		walk.choice[walk.depth] = 0;
		walk.choices[walk.depth++] = choices;
	}
	*choice = walk.choice[walk.used++];
	walk.mass /= (double) choices;
	return DPS_OK;
}

DpsStatus
walk_bit(DpsRandom *random, unsigned *bit)
{
	uint64_t	choice = 0;

	(void) random;
	DPS_TRY(walk_choose(2, &choice));
	*bit = (unsigned) choice;
	return DPS_OK;
}

DpsStatus
walk_below(DpsRandom *random, uint64_t n, uint64_t *value)
{
	(void) random;
	if (walk.rounds++ > 0)
		return DPS_UNABLE;
	return walk_choose(n, value);
}

/* To the next path; false when all have been walked. */
static bool
walk_next(void)
{
	while (walk.depth > 0 && walk.choice[walk.depth - 1] + 1 == walk.choices[walk.depth - 1])
		walk.depth--;
	if (walk.depth == 0)
		return false;
	walk.choice[walk.depth - 1]++;
	return true;
}

/* One run of what is enumerated; *outcome is between -WALK_RANGE and it. */
typedef DpsStatus (*WalkRun) (uint64_t a, uint64_t b, int *outcome);

#define WALK_RANGE 64

static struct
{
	double		mass[2 * WALK_RANGE + 1];
	double		restarted;
	double		unresolved;
	double		total;
	int			paths;
}			walked;

static void
enumerate(WalkRun run, uint64_t a, uint64_t b, double least_mass)
{
	memset(&walked, 0, sizeof(walked));
	memset(&walk, 0, sizeof(walk));
	walk.least_mass = least_mass;
	do
	{
		int			outcome = 0;
		DpsStatus	status;

		walk.used = walk.rounds = 0;
		walk.mass = 1;
		walk.unresolved = false;
		status = run(a, b, &outcome);
		if (status == DPS_OK && abs(outcome) <= WALK_RANGE)
			walked.mass[outcome + WALK_RANGE] += walk.mass;
		else if (walk.unresolved || status == DPS_OK)
			walked.unresolved += walk.mass;
		else
			walked.restarted += walk.mass;
		walked.total += walk.mass;
		walked.paths++;
	} while (walk_next());
}

static DpsStatus
run_bernoulli(uint64_t a, uint64_t b, int *outcome)
{
	bool		result = false;

	DPS_TRY(bernoulli(NULL, a, b, &result));
	*outcome = result;
	return DPS_OK;
}

static DpsStatus
run_exp(uint64_t a, uint64_t b, int *outcome)
{
	bool		result = false;

	DPS_TRY(bernoulli_exp(NULL, a, b, &result));
	*outcome = result;
	return DPS_OK;
}

static DpsStatus
run_exp_square(uint64_t a, uint64_t b, int *outcome)
{
	bool		result = false;

	DPS_TRY(bernoulli_exp_square(NULL, a, b, &result));
	*outcome = result;
	return DPS_OK;
}

/* Acceptance of a magnitude a at scale b. */
static DpsStatus
run_accept(uint64_t a, uint64_t b, int *outcome)
{
	bool		result = false;

	DPS_TRY(accept_gaussian(NULL, a, b, &result));
	*outcome = result;
	return DPS_OK;
}

static DpsStatus
run_laplace(uint64_t a, uint64_t b, int *outcome)
{
	__int128	z = 0;

	(void) b;
	DPS_TRY(walk_laplace(NULL, a, &z));
	*outcome = (int) z;
	return DPS_OK;
}

static DpsStatus
run_gaussian(uint64_t a, uint64_t b, int *outcome)
{
	__int128	z = 0;

	(void) b;
	DPS_TRY(walk_gaussian(NULL, a, &z));
	*outcome = (int) z;
	return DPS_OK;
}

static DpsStatus
run_laplace_ratio(uint64_t a, uint64_t b, int *outcome)
{
	__int128	z = 0;

	DPS_TRY(walk_laplace_ratio(NULL, a, b, &z));
	*outcome = (int) z;
	return DPS_OK;
}

static DpsStatus
run_any_exp(uint64_t a, uint64_t b, int *outcome)
{
	bool		result = false;

	DPS_TRY(walk_exp(NULL, a, b, &result));
	*outcome = result;
	return DPS_OK;
}

/* The enumerated mass of an outcome, and the exact one, agree up to what was
 * left unresolved. */
static bool
mass_is(int outcome, double exact)
{
	double		mass = walked.mass[outcome + WALK_RANGE];
	bool		good = mass <= exact + 1e-12 && mass + walked.unresolved >= exact - 1e-12;

	if (!good)
		diag("outcome %d: mass %.12g, exact %.12g, unresolved %.3g in %d paths",
			 outcome, mass, exact, walked.unresolved, walked.paths);
	return good;
}

static void
test_events(void)
{
	bool		plain = true;
	bool		exponential = true;
	bool		square = true;
	bool		accept = true;
	bool		any = true;
	double		widest = 0;

	for (uint64_t b = 1; b <= 9; b++)
		for (uint64_t a = 0; a <= b; a++)
		{
			double		x = (double) a / (double) b;

			enumerate(run_bernoulli, a, b, 0x1p-60);
			plain = mass_is(1, x) && walked.unresolved < 1e-15 && plain;
			enumerate(run_exp, a, b, 0x1p-20);
			exponential = mass_is(1, exp(-x)) && mass_is(0, 1 - exp(-x)) && exponential;
			widest = fmax(widest, walked.unresolved);
			enumerate(run_exp_square, a, b, 0x1p-20);
			square = mass_is(1, exp(-0.5 * x * x)) && mass_is(0, 1 - exp(-0.5 * x * x)) && square;
			widest = fmax(widest, walked.unresolved);
		}
	for (uint64_t n = 1; n <= 3; n++)
		for (uint64_t y = 0; y <= 6 * n; y++)
		{
			double		x = (double) y / (double) n - 1;

			enumerate(run_accept, y, n, 0x1p-20);
			accept = mass_is(1, exp(-0.5 * x * x)) && mass_is(0, 1 - exp(-0.5 * x * x)) && accept;
			widest = fmax(widest, walked.unresolved);
		}
	for (uint64_t b = 1; b <= 4; b++)
		for (uint64_t a = 0; a <= 5 * b; a++)
		{
			double		x = (double) a / (double) b;

			enumerate(run_any_exp, a, b, 0x1p-20);
			any = mass_is(1, exp(-x)) && mass_is(0, 1 - exp(-x)) && any;
			widest = fmax(widest, walked.unresolved);
		}
	diag("at most %.2g left unresolved", widest);
	ok(any, "events of probability exp(-a/b) for any a/b");
	ok(plain, "bernoulli(a/b), all a <= b <= 9, to 1e-15");
	ok(exponential, "bernoulli(exp(-a/b))");
	ok(square, "bernoulli(exp(-(a/b)^2/2))");
	ok(accept, "acceptance by the Gaussian sampler");
	ok(widest < 3e-2, "little is left unresolved");
}

static void
test_distributions(void)
{
	double		widest = 0;

	for (uint64_t t = 1; t <= 5; t++)
	{
		bool		good = true;

		enumerate(run_laplace, t, 0, 0x1p-24);
		for (int z = -40; z <= 40; z++)
			good = mass_is(z, (1 - exp(-1.0)) / (2.0 * (double) t) * exp(-abs(z) / (double) t)) && good;
		widest = fmax(widest, walked.unresolved);
		ok(good && fabs(walked.total - 1) < 1e-9, "discrete Laplace, t = %d, %d paths, %.2g unresolved",
		   (int) t, walked.paths, walked.unresolved);
	}
	for (uint64_t t = 1; t <= 4; t++)
		for (uint64_t s = 1; s <= 7; s++)
		{
			/* one round accepts with (1 - 1/e) sum exp(-x/t) / t over x >= 0, in which
			 * floor(x/s) = k has this part, half of it for each sign */
			double		e = (double) s / (double) t;
			double		part = (1 - exp(-1.0)) / (double) t * -expm1(-e) / -expm1(-1.0 / (double) t);
			bool		good = true;

			enumerate(run_laplace_ratio, s, t, 0x1p-22);
			for (int z = -40; z <= 40; z++)
				good = mass_is(z, 0.5 * part * exp(-abs(z) * e)) && good;
			widest = fmax(widest, walked.unresolved);
			if (!good || fabs(walked.total - 1) > 1e-9)
				ok(false, "discrete Laplace, exponent %d/%d", (int) s, (int) t);
		}
	ok(widest < 3e-2, "discrete Laplace, exponents s/t");
	for (uint64_t n = 1; n <= 4; n++)
	{
		bool		good = true;

		enumerate(run_gaussian, n, 0, 0x1p-24);
		for (int z = -40; z <= 40; z++)
		{
			double		x = abs(z) / (double) n;

			good = mass_is(z, (1 - exp(-1.0)) / (2.0 * (double) n) *
						   exp(-x - 0.5 * (x - 1) * (x - 1))) && good;
		}
		widest = fmax(widest, walked.unresolved);
		ok(good && fabs(walked.total - 1) < 1e-9, "discrete Gaussian, N = %d, %d paths, %.2g unresolved",
		   (int) n, walked.paths, walked.unresolved);
	}
	ok(widest < 3e-2, "little is left unresolved");
}

/* --- failing source ------------------------------------------------------ */

/* Good for a number of refills, then fails for good. */
static bool
short_lived_bytes(void *context, void *buffer, size_t size)
{
	int		   *refills_left = context;

	if ((*refills_left)-- <= 0)
		return false;
	return tap_random_bytes(NULL, buffer, size);
}

static void
test_failing_source(const DpsMechanism *mechanism)
{
	DpsHost		host = tap_host;
	bool		refused = true;
	bool		drew = false;

	host.random_bytes = short_lived_bytes;
	for (int refills = 0; refills < 40; refills++)
	{
		int			refills_left = refills;
		DpsRandom	random;
		__int128	noise;
		DpsStatus	status;

		host.context = &refills_left;
		dps_random_init(&random, &host);
		do
		{
			noise = 123456789;
			status = mechanism->draw(&random, UINT64_C(1) << 61, 1, &noise);
			drew = drew || status == DPS_OK;
		} while (status == DPS_OK);
		refused = refused && status == DPS_UNABLE && noise == 123456789 &&
			mechanism->draw(&random, 1, 1, &noise) == DPS_UNABLE && noise == 123456789;
	}
	ok(refused && drew, "%s: a source that fails at any moment is DPS_UNABLE", mechanism->name);
}

static void
test_draw_domain(const DpsMechanism *mechanism)
{
	DpsRandom	random;
	__int128	noise = 5;

	dps_random_init(&random, &tap_host);
	ok(mechanism->draw(&random, 0, 1, &noise) == DPS_DOMAIN && noise == 5 &&
	   mechanism->draw(&random, DPS_SCALE_LIMIT, 1, &noise) == DPS_DOMAIN && noise == 5 &&
	   mechanism->draw(&random, DPS_SCALE_LIMIT - 1, 1, &noise) == DPS_OK,
	   "%s: scales from 1 to below 2^62", mechanism->name);
}

/* --- calibration --------------------------------------------------------- */

static void
test_epsilon_ratio(void)
{
	static const double bad[] = {0, -1, 0x1p-21, 0x1.fffffffffffffp-21, 64.00000000000001, 1e300,
	NAN, INFINITY, -INFINITY, -0.0, 5e-324};
	uint64_t	a = 7;
	bool		refused = true;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused = refused && dps_epsilon_ratio(bad[i], &a) == DPS_DOMAIN && a == 7;
	ok(refused, "epsilon outside [2^-20, 64] is refused");
	ok(dps_epsilon_ratio(0x1p-20, &a) == DPS_OK && a == UINT64_C(1) << 20 &&
	   dps_epsilon_ratio(64, &a) == DPS_OK && a == UINT64_C(1) << 46 &&
	   dps_epsilon_ratio(1.0, &a) == DPS_OK && a == UINT64_C(1) << 40 &&
	   dps_epsilon_ratio(0.1, &a) == DPS_OK && a == UINT64_C(109951162777) &&
	   dps_epsilon_ratio(nextafter(1, 0), &a) == DPS_OK && a == (UINT64_C(1) << 40) - 1,
	   "and rounded down to a multiple of 2^-40");
}

static void
test_bad_targets(const DpsMechanism *mechanism)
{
	static const double bad_delta[] = {0, 1, -1, 2, NAN, INFINITY};
	DpsTarget	target = {1.0, 1e-6, 1, 0};
	uint64_t	scale = 7;
	bool		refused = true;

	target.epsilon = NAN;
	refused = refused && mechanism->calibrate(&target, 1, &scale) == DPS_DOMAIN;
	target.epsilon = 65;
	refused = refused && mechanism->calibrate(&target, 1, &scale) == DPS_DOMAIN;
	target.epsilon = 1;
	refused = refused && mechanism->calibrate(&target, 0, &scale) == DPS_DOMAIN;
	target.shares = 0;
	refused = refused && mechanism->calibrate(&target, 1, &scale) == DPS_DOMAIN;
	target.shares = 1;
	for (int vector = 0; vector < 2; vector++)
		for (int i = 0; i < 6; i++)
		{
			DpsStatus	status;
			uint64_t	other = 7;

			target.vector = vector;
			target.delta = bad_delta[i];
			status = mechanism->calibrate(&target, 1, &other);
			refused = refused && status == (mechanism->uses_delta ? DPS_DOMAIN : DPS_OK);
		}
	ok(refused && scale == 7, "%s: bad targets are refused", mechanism->name);
	target.delta = 1e-6;
	target.vector = 0;
	target.epsilon = 0x1p-20;
	ok(mechanism->calibrate(&target, UINT64_MAX, &scale) == DPS_UNABLE && scale == 7,
	   "%s: a scale of 2^62 or more is DPS_UNABLE", mechanism->name);
}

static double
random_real(DpsRandom *random, double lo, double hi)
{
	uint64_t	word = 0;

	if (dps_random_word(random, &word) != DPS_OK)
		exit(2);
	return lo + (hi - lo) * ldexp((double) (word >> 11), -53);
}

/* The scale is the smallest one with sensitivity / scale <= a 2^-40. */
static void
test_laplace_calibration(void)
{
	DpsRandom	random;
	bool		smallest = true;
	bool		within = true;

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 20000; i++)
	{
		DpsTarget	target = {.delta = 0, .shares = 1, .vector = i % 2};
		DpsLoss		loss;
		uint64_t	sensitivity = (uint64_t) exp2(random_real(&random, 0, 36));
		uint64_t	scale = 0;
		uint64_t	a = 0;
		unsigned __int128 need = (unsigned __int128) sensitivity << 40;

		target.epsilon = exp2(random_real(&random, -20, 6));
		target.shares = 1 + i % 7 * (i % 3);
		if (dps_epsilon_ratio(target.epsilon, &a) != DPS_OK ||
			dps_laplace.calibrate(&target, sensitivity, &scale) != DPS_OK)
		{
			diag("no scale: epsilon %a, sensitivity %llu, shares %d", target.epsilon,
				 (unsigned long long) sensitivity, target.shares);
			smallest = false;
			break;
		}
		a /= (uint64_t) target.shares;
		dps_laplace.loss(scale, 1, sensitivity, &loss);
		if (!((unsigned __int128) scale * a >= need && (unsigned __int128) (scale - 1) * a < need))
			smallest = false;
		if (!(loss.epsilon * target.shares <= target.epsilon &&
			  loss.rho <= 0.5 * loss.epsilon * loss.epsilon * (1 + 1e-15) && loss.delta == 0))
		{
			within = false;
			diag("epsilon %a, sensitivity %llu, shares %d: loss %a", target.epsilon,
				 (unsigned long long) sensitivity, target.shares, loss.epsilon);
		}
	}
	ok(smallest, "laplace: the smallest scale that gives a 2^-40");
	ok(within, "laplace: the loss of all shares is at most what was asked for");
}

/* Continuous Gaussian calibration, 50-digit arithmetic: epsilon, delta,
 * deviation per unit of sensitivity. */
static const double gaussian_scales[][3] = {
	{0.1, 1e-5, 30.749566131977450239},
	{1, 1e-5, 3.7306316348159418322},
	{5, 1e-5, 0.89186826495151803249},
	{1, 1e-10, 5.867777749630526389},
	{0x1p-20, 1e-5, 38103.65912568016},
	{0.001, 1e-15, 6486.4906427965066},
	{1, 1e-15, 7.4870094679865955},
	{5, 1e-15, 1.5855487295111332},
	{64, 1e-15, 0.16871824485887402},
	{0.001, 1e-300, 36664.470121285887},
	{1, 1e-300, 36.8654978941111},
	{1, 0.999, 0.14593662849172466},
	{64, 0.5, 0.08770749604416171},
};

static void
test_gaussian_calibration(void)
{
	for (size_t i = 0; i < sizeof(gaussian_scales) / sizeof(gaussian_scales[0]); i++)
	{
		const double *fact = gaussian_scales[i];
		DpsTarget	target = {fact[0], fact[1], 1, 0};
		uint64_t	scale = 0;
		double		ratio;

		if (dps_gaussian.calibrate(&target, UINT64_C(1) << 41, &scale) != DPS_OK)
			scale = 0;
		ratio = ldexp((double) scale, -41) / fact[2];

		/* never less noise than the continuous formula asks for */
		if (!ok(ratio >= 1 - 1e-15 && ratio < 1 + 1e-8, "gaussian: epsilon %g, delta %g", fact[0], fact[1]))
			diag("scale / reference = 1 + %g", ratio - 1);
	}
}

/* Scalars: the exact delta by summation is within the target for small N. */
static double
exact_delta(uint64_t scale, uint64_t sensitivity, double epsilon)
{
	long double n = (long double) scale;
	long double d = (long double) sensitivity;
	long double total = 0;
	long double sum = 0;
	long		reach = (long) (15 * n + d) + 1;

	for (long k = -reach; k <= reach; k++)
	{
		long double weight = expl(-0.5L * (k / n) * (k / n));
		long double excess = (2 * k * d + d * d) / (2 * n * n) - (long double) epsilon;

		total += weight;
		if (excess > 0)
			sum -= weight * expm1l(-excess);
	}
	return (double) (sum / total);
}

static void
test_gaussian_small(void)
{
	static const double deltas[] = {1e-12, 1e-6, 1e-3, 0.2};
	bool		valid = true;

	for (uint64_t sensitivity = 1; sensitivity <= 5; sensitivity += 2)
		for (double epsilon = 0.05; epsilon < 20; epsilon *= 1.9)
			for (int i = 0; i < 4; i++)
			{
				DpsTarget	target = {epsilon, deltas[i], 1, 0};
				uint64_t	scale = 0;

				if (dps_gaussian.calibrate(&target, sensitivity, &scale) != DPS_OK)
					valid = false;
				else if (scale < 2000 && exact_delta(scale, sensitivity, epsilon) > deltas[i])
					valid = false;
				if (!valid)
				{
					diag("epsilon %g delta %g sensitivity %d scale %llu", epsilon, deltas[i],
						 (int) sensitivity, (unsigned long long) scale);
					break;
				}
			}
	ok(valid, "gaussian: small scales meet the exact delta");
}

/* Vectors and shares: the total rho implies (epsilon, delta), and the scale is
 * the smallest up to the bits kept of rho. */
static void
test_gaussian_shares(void)
{
	DpsRandom	random;
	bool		valid = true;

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 300; i++)
	{
		DpsTarget	target = {.vector = i % 2 ? DPS_VECTOR_OF_ANY : 0};
		DpsLoss		loss = {0, 0, 0};
		uint64_t	sensitivity = (uint64_t) exp2(random_real(&random, 44, 48));
		uint64_t	scale = 0;
		double		total;
		double		rho = 0;
		double		epsilon = INFINITY;

		target.epsilon = exp2(random_real(&random, -8, 6));
		target.delta = exp2(random_real(&random, -60, -1));
		/* a vector of nobody knows how many needs zCDP though it is one share */
		target.shares = target.vector ? 1 + i % 9 : 2 + i % 9;
		if (dps_gaussian.calibrate(&target, sensitivity, &scale) != DPS_OK ||
			dps_zcdp_rho(target.epsilon, target.delta, &rho) != DPS_OK)
			valid = false;
		dps_gaussian.loss(scale, 1, sensitivity, &loss);
		total = loss.rho * target.shares;
		if (dps_zcdp_epsilon(total, target.delta, &epsilon) != DPS_OK)
			valid = false;

		/* epsilon is rounded down by up to 2^-40, of 2^-8 */
		if (!(total <= rho && total >= rho * (1 - 1e-8) && loss.epsilon == INFINITY &&
			  epsilon <= target.epsilon * (1 + 1e-9) + 1e-15))
			valid = false;
		if (!valid)
		{
			diag("epsilon %a delta %a sensitivity %llu shares %d scale %llu rho %a of %a", target.epsilon,
				 target.delta, (unsigned long long) sensitivity, target.shares,
				 (unsigned long long) scale, total, rho);
			break;
		}
	}
	ok(valid, "gaussian: shares add up to the rho that was asked for");
}

/* A vector that is released once: the scale is that of one integer of its norm, nearly, and what follows from
 * the profile of all of it is what was asked for. */
static void
test_gaussian_vector(void)
{
	DpsRandom	random;
	bool		valid = true;
	bool		tight = true;
	double		least = 1;
	double		most = 0;

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 300; i++)
	{
		DpsTarget	target = {.shares = 1};
		uint64_t	sensitivity = (uint64_t) exp2(random_real(&random, 40, 46));
		uint64_t	one = 0;
		uint64_t	all = 0;
		uint64_t	any = 0;
		double		epsilon = INFINITY;
		DpsPastRelease release;
		DpsHistory	history = {&release, 1};

		target.epsilon = exp2(random_real(&random, -5, 4));
		target.delta = exp2(random_real(&random, -40, -10));
		valid = valid && dps_gaussian.calibrate(&target, sensitivity, &one) == DPS_OK;
		target.vector = (int) exp2(random_real(&random, 0, 12));
		valid = valid && dps_gaussian.calibrate(&target, sensitivity, &all) == DPS_OK;
		release = dps_past_release_noise(DPS_LAW_GAUSSIAN, sensitivity, all, (uint64_t) target.vector, 1);
		valid = valid && dps_accountant_gdp(&tap_host, &history, target.delta, &epsilon) == DPS_OK &&
			epsilon <= target.epsilon * (1 + 1e-9);
		target.vector = DPS_VECTOR_OF_ANY;
		valid = valid && dps_gaussian.calibrate(&target, sensitivity, &any) == DPS_OK;
		tight = tight && all >= one && (double) all <= (double) one * (1 + 1e-4) && all <= any;
		least = fmin(least, 1 - (double) all / (double) any);
		most = fmax(most, 1 - (double) all / (double) any);
		if (!valid || !tight)
		{
			diag("epsilon %a delta %a sensitivity %llu scales %llu %llu %llu: %g", target.epsilon, target.delta, (unsigned long long) sensitivity,
				 (unsigned long long) one, (unsigned long long) all, (unsigned long long) any, epsilon);
			break;
		}
	}
	ok(valid, "gaussian: a vector is within epsilon and delta by the profile of all of it");
	ok(tight && least > 0.02, "with the noise of one integer, %.3f to %.3f less than by zCDP", least, most);
}

/* Two or three integers at small scales: the exact delta by summation over all that they may move by. */
static double
exact_delta_of_two(uint64_t scale, long v, long w, double epsilon)
{
	long double n = (long double) scale;
	long		reach = (long) (9 * n) + v + w;
	long double total = 0;
	long double sum = 0;

	for (long k = -reach; k <= reach; k++)
		for (long j = -reach; j <= reach; j++)
		{
			long double weight = expl(-0.5L * (k * k + j * j) / (n * n));
			long double excess = (2 * k * v + v * v + 2 * j * w + w * w) / (2 * n * n) - (long double) epsilon;

			total += weight;
			if (excess > 0)
				sum -= weight * expm1l(-excess);
		}
	return (double) (sum / total);
}

static void
test_gaussian_small_vector(void)
{
	static const long moves[][2] = {{3, 4}, {5, 0}, {0, 5}, {4, 3}};
	bool		valid = true;

	for (double epsilon = 0.5; epsilon < 60; epsilon *= 2.1)
		for (double delta = 1e-9; delta < 0.2; delta *= 50)
		{
			DpsTarget	target = {.epsilon = epsilon, .delta = delta, .shares = 1, .vector = 2};
			uint64_t	scale = 0;

			if (dps_gaussian.calibrate(&target, 5, &scale) != DPS_OK)
				valid = false;
			for (int i = 0; i < 4 && scale < 60; i++)
				valid = valid && exact_delta_of_two(scale, moves[i][0], moves[i][1], epsilon) <= delta;
		}
	ok(valid, "gaussian: small scales of vectors meet the exact delta");
}

/* More privacy is never less noise, for every mechanism. */
static void
test_monotone(const DpsMechanism *mechanism)
{
	bool		monotone = true;

	for (int vector = 0; vector < 2; vector++)
	{
		uint64_t	last = 0;

		for (double epsilon = 64; epsilon >= 0x1p-16; epsilon /= 1.37)
		{
			DpsTarget	target = {epsilon, 1e-9, 1, vector};
			uint64_t	scale = 0;
			uint64_t	wider = 0;

			if (mechanism->calibrate(&target, UINT64_C(1) << 40, &scale) != DPS_OK ||
				mechanism->calibrate(&target, (UINT64_C(1) << 40) + 1000, &wider) != DPS_OK)
				monotone = false;
			monotone = monotone && scale > last && wider >= scale;
			last = scale;
		}
	}
	ok(monotone, "%s: the scale rises as epsilon falls and with the sensitivity", mechanism->name);
}

/* --- tail and deviation --------------------------------------------------- */

static double
weight(const DpsMechanism *mechanism, uint64_t scale, double z)
{
	double		x = z / (double) scale;

	return mechanism->norm == 1 ? exp(-x) : exp(-0.5 * x * x);
}

static void
test_shape(const DpsMechanism *mechanism)
{
	static const double probabilities[] = {0.9, 0.5, 0.05, 1e-3, 1e-9, 1e-14};
	bool		tails = true;
	bool		deviations = true;

	for (uint64_t scale = 1; scale <= 700; scale += 1 + scale / 3)
	{
		double		total = weight(mechanism, scale, 0);
		double		squares = 0;
		long		reach = 60 * (long) scale;

		for (long z = 1; z <= reach; z++)
		{
			total += 2 * weight(mechanism, scale, (double) z);
			squares += 2 * (double) z * (double) z * weight(mechanism, scale, (double) z);
		}
		if (fabs(mechanism->deviation(scale, 1) / sqrt(squares / total) - 1) > 1e-9)
			deviations = false;
		for (int i = 0; i < 6; i++)
		{
			double		r = mechanism->tail(scale, 1, probabilities[i]);
			double		beyond = 0;
			double		at;

			for (long z = reach; z > (long) r; z--)
				beyond += 2 * weight(mechanism, scale, (double) z);
			at = r == 0 ? total : 2 * weight(mechanism, scale, r);
			if (!(r == floor(r) && beyond <= total * probabilities[i] * (1 + 1e-9) &&
				  beyond + at >= total * probabilities[i] * (1 - 1e-9)))
			{
				tails = false;
				diag("scale %d, probability %g: r = %g", (int) scale, probabilities[i], r);
			}
		}
	}
	ok(deviations, "%s: standard deviation", mechanism->name);
	ok(tails, "%s: tail", mechanism->name);
	ok(mechanism->tail(5, 1, 0) == INFINITY && mechanism->tail(5, 1, 1) == 0 &&
	   mechanism->tail(UINT64_C(1) << 61, 1, 1e-300) > 0x1p61,
	   "%s: tail at the ends", mechanism->name);
	ok(fabs(mechanism->tail(UINT64_C(1) << 50, 1, 0.05) * 0x1p-50 /
			(mechanism->norm == 1 ? 2.9957322735539909934 : 1.9599639845400542355) - 1) < 1e-9 &&
	   fabs(mechanism->deviation(UINT64_C(1) << 50, 1) * 0x1p-50 /
			(mechanism->norm == 1 ? 1.4142135623730950488 : 1.0) - 1) < 1e-12,
	   "%s: large scales", mechanism->name);
}

/* --- steps ------------------------------------------------------------------- */

/* The geometric mechanism of counts, in the units that they are released in. */
#define ROW (UINT64_C(1) << 40)

/* Discrete Laplace noise of the scale t, rounded to multiples of g: it is k g or more with the
 * probability that Z is (k - 1/2) g or more, and the variance is the sum of 2 (2k - 1) g^2 times that. */
static double
rounded_variance(double t)
{
	double		sum = 0;

	for (double k = 1; k <= 60 * t + 2; k++)
		sum += (2 * k - 1) * exp(-(k - 0.5) / t);
	return sum;
}

static void
test_steps(void)
{
	static const double epsilons[] = {1, 2, 3, 8};
	static const double worse[] = {1.1276, 1.5431, 2.3524, 27.308};
	static const double probabilities[] = {0.9, 0.5, 0.05, 1e-3, 1e-9, 1e-14};
	DpsRandom	random;
	__int128	noise = 5;
	bool		sealed = true;

	for (int i = 0; i < 4; i++)
	{
		DpsTarget	target = {.epsilon = epsilons[i], .shares = 1};
		double		q = exp(-epsilons[i]);
		double		geometric = 2 * q / ((1 - q) * (1 - q));
		uint64_t	scale = 0;
		double		deviation;
		double		ratio;

		ok(dps_laplace.calibrate(&target, ROW, &scale) == DPS_OK, "a scale for epsilon %g", epsilons[i]);
		deviation = dps_laplace.deviation(scale, ROW) / (double) ROW;
		ratio = deviation * deviation / geometric;
		ok(fabs(ratio - 1) < 1e-9, "epsilon %g: the variance over that of the geometric mechanism is %.6f", epsilons[i], ratio);
		ratio = rounded_variance((double) scale / (double) ROW) / geometric;
		ok(fabs(ratio / worse[i] - 1) < 1e-4, "and that of rounded noise would be %.4f times as large", ratio);
	}
	for (uint64_t scale = 1; scale <= 700; scale += 1 + scale / 3)
		for (uint64_t step = 1; step <= 64; step *= 4)
		{
			double		t = (double) scale / (double) step;
			double		total = 1;
			double		squares = 0;
			double		reach = ceil(60 * t) + 60;
			bool		good;

			for (double k = 1; k <= reach; k++)
			{
				total += 2 * exp(-k / t);
				squares += 2 * k * k * exp(-k / t);
			}
			good = fabs(dps_laplace.deviation(scale, step) / ((double) step * sqrt(squares / total)) - 1) < 1e-9;
			for (int i = 0; i < 6; i++)
			{
				double		r = dps_laplace.tail(scale, step, probabilities[i]) / (double) step;
				double		beyond = 0;
				double		at = r == 0 ? 1 : 2 * exp(-r / t);

				for (double k = reach; k > r; k--)
					beyond += 2 * exp(-k / t);
				good = good && r == floor(r) && beyond <= total * probabilities[i] * (1 + 1e-9) &&
					beyond + at >= total * probabilities[i] * (1 - 1e-9);
			}
			if (!good)
				ok(false, "tail and deviation, scale %d in steps of %d", (int) scale, (int) step);
		}
	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 10000; i++)
	{
		uint64_t	step = UINT64_C(1) << i % 62;
		uint64_t	scale = UINT64_C(1) << i % 61;

		sealed = sealed && dps_laplace.draw(&random, scale, step, &noise) == DPS_OK && noise % (__int128) step == 0;
	}
	ok(sealed, "noise in steps is a multiple of the step");
	noise = 5;
	ok(dps_laplace.draw(&random, 4, 0, &noise) == DPS_DOMAIN && dps_laplace.draw(&random, 4, DPS_SCALE_LIMIT, &noise) == DPS_DOMAIN &&
	   dps_gaussian.draw(&random, 4, 2, &noise) == DPS_DOMAIN && dps_gaussian.draw(&random, 4, 0, &noise) == DPS_DOMAIN &&
	   noise == 5 && dps_laplace.steps && !dps_gaussian.steps, "steps that no law has");
}

static void
test_loss_rounds_up(void)
{
	DpsLoss		loss;

	dps_laplace.loss(3, 1, 1, &loss);
	ok(loss.epsilon >= 1.0 / 3 && loss.epsilon * 3 >= 1 && loss.epsilon < 0.33333333333334 &&
	   loss.rho >= 0.055046 && loss.rho < 0.055049, "laplace: loss");
	dps_gaussian.loss(4, 1, 2, &loss);
	ok(loss.epsilon == INFINITY && loss.rho == 0.125 && loss.delta == 0, "gaussian: loss");
	for (int i = 0; dps_mechanisms[i] != NULL; i++)
	{
		dps_mechanisms[i]->loss(0, 1, 1, &loss);
		ok(loss.epsilon == INFINITY && loss.rho == INFINITY, "%s: no noise costs everything",
		   dps_mechanisms[i]->name);
		dps_mechanisms[i]->loss(1 << 20, 1, 1 << 18, &loss);
		ok(dps_mechanisms[i]->rdp(3, 1 << 20, 1, 1 << 18) > 0.8 * 3 * loss.rho &&
		   dps_mechanisms[i]->rdp(3, 1 << 20, 1, 1 << 18) <= 3 * loss.rho * (1 + 1e-12) &&
		   dps_mechanisms[i]->rdp(1.5, 1 << 20, 1, 1 << 18) < dps_mechanisms[i]->rdp(3, 1 << 20, 1, 1 << 18),
		   "%s: Renyi DP is at most what zCDP says, nearly that, and grows with the order", dps_mechanisms[i]->name);
		ok(dps_mechanisms[i]->rdp(2, 0, 1, 1) == INFINITY && dps_mechanisms[i]->rdp(2, 5, 1, 0) == 0,
		   "%s: Renyi DP without noise, and of nothing", dps_mechanisms[i]->name);
	}
}

int
main(void)
{
	test_events();
	test_distributions();
	ok(dps_mechanism_find("laplace") == &dps_laplace && dps_mechanism_find("gaussian") == &dps_gaussian &&
	   dps_mechanism_find("geometric") == &dps_laplace && dps_mechanism_find("uniform") == NULL && dps_mechanism_find("") == NULL, "mechanisms by name");
	test_epsilon_ratio();
	for (int i = 0; dps_mechanisms[i] != NULL; i++)
	{
		const DpsMechanism *mechanism = dps_mechanisms[i];

		ok(dps_mechanism_find(mechanism->name) == mechanism, "%s is found", mechanism->name);
		test_failing_source(mechanism);
		test_draw_domain(mechanism);
		test_bad_targets(mechanism);
		test_monotone(mechanism);
		test_shape(mechanism);
	}
	test_laplace_calibration();
	test_gaussian_calibration();
	test_gaussian_small();
	test_gaussian_shares();
	test_gaussian_vector();
	test_gaussian_small_vector();
	test_steps();
	test_loss_rounds_up();
	return done_testing();
}
