/*
 * test_flip.c
 *		Permute-and-flip: its probabilities, what they lose, and draws.
 */
#include <math.h>
#include <stdlib.h>

#include "account/account.h"
#include "noise/flip.h"
#include "tap.h"

#define MOST 4

/* By the sum over subsets, as in flip.c; distances from the nearest, s their rate. */
static void
probabilities(const int *distance, int n, double s, double *p)
{
	double		q[MOST];

	for (int i = 0; i < n; i++)
		q[i] = exp(-s * distance[i]);
	for (int i = 0; i < n; i++)
	{
		p[i] = 0;
		for (int set = 0; set < 1 << n; set++)
		{
			double		term = q[i];
			int			size = 0;

			if (set >> i & 1)
				continue;
			for (int j = 0; j < n; j++)
			{
				if (set >> j & 1)
				{
					term *= -q[j];
					size++;
				}
			}
			p[i] += term / (size + 1);
		}
	}
}

static void
distances_of(const int *count, int n, int *distance)
{
	int			most = 0;

	for (int i = 0; i < n; i++)
		most = count[i] > most ? count[i] : most;
	for (int i = 0; i < n; i++)
		distance[i] = most - count[i];
}

/* The largest log of a quotient of the probabilities of both. */
static double
loss_between(const int *a, const int *b, int n, double s)
{
	int			distance[MOST];
	double		p[MOST];
	double		q[MOST];
	double		most = 0;

	distances_of(a, n, distance);
	probabilities(distance, n, s, p);
	distances_of(b, n, distance);
	probabilities(distance, n, s, q);
	for (int i = 0; i < n; i++)
		most = fmax(most, fabs(log(p[i] / q[i])));
	return most;
}

/* Over all counts of 0 to 4 and their neighbours, the largest loss. */
static double
largest_loss(int n, double s, bool replace)
{
	double		most = 0;
	int			all = (int) pow(5, n);

	for (int code = 0; code < all; code++)
	{
		int			a[MOST];

		for (int i = 0, rest = code; i < n; i++, rest /= 5)
			a[i] = rest % 5;
		for (int i = 0; i < n; i++)
		{
			for (int j = 0; j < (replace ? n : 1); j++)
			{
				int			b[MOST];

				for (int k = 0; k < n; k++)
					b[k] = a[k];
				b[i]++;
				if (replace && (j == i || --b[j] < 0))
					continue;
				most = fmax(most, loss_between(a, b, n, s));
			}
		}
	}
	return most;
}

static void
test_privacy(void)
{
	static const double epsilons[] = {0.1, 1, 3};
	bool		added = true;
	bool		replaced = true;
	bool		tight = true;

	for (int e = 0; e < 3; e++)
	{
		for (int n = 2; n <= MOST; n++)
		{
			double		loss = largest_loss(n, epsilons[e], false);

			added = added && loss <= epsilons[e] * (1 + 1e-12);
			tight = tight && loss >= epsilons[e] * 0.99;
			loss = largest_loss(n, epsilons[e] / 2, true);
			replaced = replaced && loss <= epsilons[e] * (1 + 1e-12);
		}
	}
	ok(added, "a row more loses epsilon at most, range 1");
	ok(tight, "and no smaller range would do");
	ok(replaced, "so does a row in the place of another, range 2");
}

/* The mean distance, beside that of the exponential mechanism. */
static void
test_error(void)
{
	bool		never_worse = true;
	double		p[MOST];

	for (int code = 0; code < 9 * 9 * 9; code++)
	{
		int			distance[MOST] = {0, code % 9, code / 9 % 9, code / 81};
		double		error = 0;
		double		other = 0;
		double		weight = 0;

		probabilities(distance, MOST, 0.7, p);
		for (int i = 0; i < MOST; i++)
		{
			error += p[i] * distance[i];
			other += exp(-0.7 * distance[i]) * distance[i];
			weight += exp(-0.7 * distance[i]);
		}
		never_worse = never_worse && error <= other / weight * (1 + 1e-12);
	}
	ok(never_worse, "never a larger mean error than by the exponential mechanism");
	probabilities((int[]) {0, 2}, 2, 1, p);
	ok(fabs(p[1] - exp(-2) / 2) < 1e-15, "of two candidates the other has half of exp(-epsilon d)");
}

#define DRAWS 200000

/*
 * A frequency is off its probability by more than sqrt(ln(2e9) / 2 DRAWS) = 0.0074 with a
 * probability below 1e-9 (Hoeffding 1963); there are 12 of them.  The exponential mechanism
 * would be off by 0.02 in the first case.
 */
static void
test_draws(void)
{
	static const uint64_t cases[][MOST] = {{5, 3, 4, 3}, {0, 0, 0, 0}, {UINT64_MAX, 1, 0, 2}};
	DpsExponential law;
	DpsRandom	random;

	dps_random_init(&random, &tap_host);
	/* a range of 3 and epsilon of 2: a rate of 2/3 */
	if (dps_exponential_init(&law, 2.0, 3) != DPS_OK)
		exit(2);
	for (int c = 0; c < 3; c++)
	{
		DpsCandidate candidates[MOST];
		int			distance[MOST];
		int			n[MOST] = {0};
		double		p[MOST];
		double		worst = 0;

		for (int i = 0; i < MOST; i++)
		{
			uint64_t	beyond = cases[c][i] - (c == 0 ? 3 : 0);

			candidates[i] = (DpsCandidate) {cases[c][i], 1};
			distance[i] = beyond > 1000 ? 1000 : (int) beyond;
		}
		probabilities(distance, MOST, 2.0 / 3.0, p);
		for (int i = 0; i < DRAWS; i++)
		{
			size_t		index = 77;

			if (dps_flip_draw(&random, &law, candidates, MOST, &index) != DPS_OK || index >= MOST)
				exit(2);
			n[index]++;
		}
		for (int i = 0; i < MOST; i++)
			worst = fmax(worst, fabs((double) n[i] / DRAWS - p[i]));
		ok(worst < 0.0074, "draws have their probabilities, case %d (off by %g at most)", c, worst);
	}
}

static void
test_domain(void)
{
	static const DpsCandidate two[] = {{0, 1}, {5, 2}};
	static const DpsCandidate one[] = {{9, 1}};
	DpsExponential law;
	DpsRandom	random;
	size_t		index = 77;

	dps_random_init(&random, &tap_host);
	if (dps_exponential_init(&law, 1.0, 1) != DPS_OK)
		exit(2);
	ok(dps_flip_draw(&random, &law, two, 2, &index) == DPS_DOMAIN && dps_flip_draw(&random, &law, two, 0, &index) == DPS_DOMAIN && index == 77,
	   "no candidate, or one that stands for several, is DPS_DOMAIN");
	ok(dps_flip_draw(&random, &law, one, 1, &index) == DPS_OK && index == 0, "a single one is the answer");
}

static void
test_failing_source(void)
{
	static const DpsCandidate close[] = {{0, 1}, {1, 1}, {0, 1}, {2, 1}};
	DpsExponential law;
	bool		refused = true;
	bool		drew = false;

	if (dps_exponential_init(&law, 1.0, 1) != DPS_OK)
		exit(2);
	for (int left = 0; left < DPS_RANDOM_WORDS; left++)
	{
		DpsRandom	random;
		size_t		index = 77;
		uint64_t	word;
		DpsStatus	status;

		dps_random_init(&random, &tap_host);
		if (dps_random_word(&random, &word) != DPS_OK)
			exit(2);
		random.failed = true;
		random.next = DPS_RANDOM_WORDS - left;
		status = dps_flip_draw(&random, &law, close, 4, &index);
		drew = drew || status == DPS_OK;
		refused = refused && (status == DPS_OK ? index < 4 : status == DPS_UNABLE && index == 77);
		refused = refused && (left > 0 || status == DPS_UNABLE);
	}
	ok(refused && drew, "a source that fails at any moment is DPS_UNABLE");
}

static void
test_loss(void)
{
	DpsLoss		loss;

	dps_flip.loss(UINT64_C(1) << 40, 1, UINT64_C(1) << 39, &loss);
	ok(loss.epsilon == 0.5 && loss.delta == 0 && loss.rho == dps_pure_rho(0.5) && loss.rho > dps_choice_rho(0.5), "it costs epsilon, and its rho");
	ok(dps_mechanism_find("permute_flip") == &dps_flip && dps_flip.norm == 1, "the mechanism by name");
}

int
main(void)
{
	test_privacy();
	test_error();
	test_draws();
	test_domain();
	test_failing_source();
	test_loss();
	return done_testing();
}
