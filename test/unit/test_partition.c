/*
 * test_partition.c
 *		Partition selection: threshold, privacy of what is released, loss.
 *
 * The release is enumerated in long doubles from the definition of the noise,
 * P(z) proportional to exp(-e|z|) on -K ... K; test/stat compares the draws with
 * it, and the samplers under it are enumerated in test_mechanism.c.
 */
#include <math.h>
#include <string.h>

#include "account/account.h"
#include "account/history.h"
#include "noise/partition.h"
#include "noise/sample.h"
#include "tap.h"

static const double epsilons[] = {0x1p-20, 1e-4, 0.01, 0.1, 0.5, 1, 3.7, 10, 64};
static const double deltas[] = {0.9999, 0.5, 0.1, 1e-3, 1e-6, 1e-10, 1e-15, 1e-60, 1e-270};

#define EPSILONS ((int) (sizeof(epsilons) / sizeof(epsilons[0])))
#define DELTAS ((int) (sizeof(deltas) / sizeof(deltas[0])))

static long double
exponent(const DpsPartition *partition)
{
	return (long double) partition->num / (long double) partition->den;
}

/* The formula of the paper. */
static long double
delta_by_formula(long double e, long double k)
{
	return expl(-e * k) * expm1l(e) / (expl(e) + 1 - 2 * expl(-e * k));
}

/* P(1 + Z > K) from the sum of all weights. */
static long double
delta_by_sum(long double e, int64_t k)
{
	long double sum = 0;

	for (int64_t z = k; z >= 1; z--)
		sum += 2 * expl(-e * (long double) z);
	return expl(-e * (long double) k) / (sum + 1);
}

static void
test_threshold(void)
{
	bool		enough = true;
	bool		least = true;
	bool		formula = true;
	bool		tail = true;
	int			summed = 0;

	for (int i = 0; i < EPSILONS; i++)
		for (int j = 0; j < DELTAS; j++)
		{
			DpsPartition partition;
			DpsStatus	status = dps_partition_init(&partition, epsilons[i], deltas[j], 1, 1);
			long double e;
			long double k;
			long double ideal;
			double		delta;

			if (!ok(status == DPS_OK, "epsilon %g, delta %g", epsilons[i], deltas[j]))
				continue;
			e = exponent(&partition);
			k = (long double) partition.threshold;
			delta = dps_partition_delta(&partition);
			enough = enough && partition.threshold >= 1 && delta_by_formula(e, k) <= deltas[j] * (1 + 1e-12L) &&
				delta <= deltas[j];
			/* one less would not do; with K = 0 everybody is kept, delta is 1 */
			least = least && delta_by_formula(e, k - 1) > deltas[j];
			/* the reported delta is above the true one, and close to it */
			formula = formula && (long double) delta >= delta_by_formula(e, k) * (1 - 1e-12L) &&
				(long double) delta <= delta_by_formula(e, k) * (1 + 1e-11L);
			ideal = logl((expm1l(e) + 2 * deltas[j]) / ((expl(e) + 1) * deltas[j])) / e;
			formula = formula && fabsl(k - ceill(ideal)) <= 1;
			if (partition.threshold > 2000000)
				continue;
			tail = tail && fabsl(delta_by_sum(e, partition.threshold) / delta_by_formula(e, k) - 1) < 1e-11L;
			summed++;
		}
	ok(enough, "delta is at most what was asked for");
	ok(least, "no smaller threshold would do");
	ok(formula, "threshold and delta are those of the closed forms");
	ok(tail && summed > 40, "delta is P(Z = K), summed (%d cases)", summed);
}

/* p(z), 0 outside. */
static long double
mass(const DpsPartition *partition, int64_t z)
{
	long double e = exponent(partition);

	if (z > partition->threshold || z < -partition->threshold)
		return 0;
	return expl(-e * (long double) (z < 0 ? -z : z)) * delta_by_sum(e, partition->threshold) /
		expl(-e * (long double) partition->threshold);
}

/* P(this size is released) for a group of n; size = K stands for "not kept". */
static long double
released(const DpsPartition *partition, int64_t n, int64_t size)
{
	long double sum = 0;

	if (size > partition->threshold)
		return mass(partition, size - n);
	for (int64_t s = n - partition->threshold; s <= partition->threshold; s++)
		sum += mass(partition, s - n);
	return sum;
}

/* The largest P(S) - exp(e) P'(S) over all sets S of outputs. */
static long double
excess(const DpsPartition *partition, int64_t n, int64_t other)
{
	long double sum = 0;

	for (int64_t size = partition->threshold; size <= n + other + partition->threshold; size++)
		sum += fmaxl(0, released(partition, n, size) -
					 expl(exponent(partition)) * released(partition, other, size));
	return sum;
}

static void
test_privacy(void)
{
	bool		within = true;
	bool		chance = true;
	long double most = 0;
	int			pairs = 0;

	for (int i = 3; i < EPSILONS; i++)
		for (int j = 0; j < DELTAS - 2; j++)
		{
			DpsPartition partition;
			double		delta;

			if (dps_partition_init(&partition, epsilons[i], deltas[j], 1, 1) != DPS_OK)
				exit(2);
			if (partition.threshold > 60)
				continue;
			delta = dps_partition_delta(&partition);
			for (int64_t n = 0; n <= 3 * partition.threshold + 3; n++)
			{
				long double up = excess(&partition, n + 1, n);
				long double down = excess(&partition, n, n + 1);
				long double kept = 1 - released(&partition, n, partition.threshold);

				within = within && up <= delta + 1e-18L && down <= delta + 1e-18L;
				most = fmaxl(most, up / delta);
				/* 1 - x loses digits for a small x, so compare to 1e-15 */
				chance = chance &&
					fabsl(dps_partition_probability(&partition, (uint64_t) n) - kept) <= 1e-15L + 1e-9L * kept;
				pairs++;
			}
			chance = chance && dps_partition_probability(&partition, 0) == 0 &&
				fabs(dps_partition_probability(&partition, 1) / delta - 1) <= 1e-9 &&
				dps_partition_probability(&partition, UINT64_MAX) == 1;
		}
	ok(within && pairs > 500 && most > 1 - 1e-9L, "%d pairs: what is released is (epsilon, delta)-DP, and delta is reached", pairs);
	ok(chance, "the probability of being kept");
}

static void
test_groups(void)
{
	bool		charged = true;
	bool		split = true;

	for (int i = 3; i < EPSILONS; i++)
		for (uint64_t groups = 1; groups < 400; groups = groups * 3 + 1)
		{
			DpsPartition partition;
			DpsLoss		loss;
			long double e;

			if (dps_partition_init(&partition, epsilons[i], 1e-6, groups, 1) != DPS_OK)
				exit(2);
			dps_partition_loss(&partition, &loss);
			e = exponent(&partition);
			charged = charged && loss.epsilon <= epsilons[i] && loss.epsilon >= (double) (e * (long double) groups) &&
				loss.delta <= 1e-6 && loss.delta >= (double) groups * (double) delta_by_formula(e, (long double) partition.threshold) * (1 - 1e-12) &&
				loss.rho >= (double) groups * (double) (e * tanhl(e / 2)) * (1 - 1e-15) &&
				loss.rho <= (double) groups * (double) (e * tanhl(e / 2)) * (1 + 1e-12) &&
				loss.rho <= loss.epsilon * loss.epsilon / 2;
			if (groups > 1)
				continue;
			dps_partition_loss(&partition, &loss);
			split = split && loss.epsilon > epsilons[i] - 0x1p-39 && loss.delta > 1e-6 * exp(-2 * epsilons[i]);
		}
	ok(charged, "m groups cost m times the loss of one, at most what was asked for");
	ok(split, "one group uses what it may");
	{
		DpsPartition two;
		DpsPartition one;

		ok(dps_partition_init(&two, 1, 1e-6, 2, 1) == DPS_OK && dps_partition_init(&one, 0.5, 5e-7, 1, 1) == DPS_OK &&
		   two.threshold == one.threshold && two.num == one.num && two.den == one.den, "each has its share");
	}
}

/* The largest P(S) - exp(epsilon) P'(S) over sets of what is released of two groups: n persons in each, in the one world; in the other
 * c_1 and c_2 more. */
static long double
excess_of_two(const DpsPartition *partition, int64_t n, int64_t c1, int64_t c2, long double epsilon, bool added)
{
	int64_t		first = partition->threshold;
	int64_t		last = n + partition->threshold;
	long double sum = 0;

	for (int64_t a = first; a <= last + c1; a++)
		for (int64_t b = first; b <= last + c2; b++)
		{
			long double less = released(partition, n, a) * released(partition, n, b);
			long double more = released(partition, n + c1, a) * released(partition, n + c2, b);

			sum += added ? fmaxl(0, more - expl(epsilon) * less) : fmaxl(0, less - expl(epsilon) * more);
		}
	return sum;
}

/* k persons who come or go together, each in up to two groups: every way in which the groups can differ then costs no more than
 * the loss says, and that is no more than was asked for.  One group: exactly so many more persons as there are. */
static void
test_units(void)
{
	static const double asked[] = {0.5, 1, 3.7};
	static const double share[] = {0.1, 1e-2, 1e-3};
	bool		within = true;
	bool		charged = true;
	bool		told = true;
	long double most = 0;
	int			worlds = 0;

	for (int i = 0; i < 9; i++)
		for (uint64_t units = 1; units <= 4; units++)
			for (uint64_t groups = 1; groups <= 2; groups++)
			{
				DpsPartition partition;
				DpsLoss		loss;
				DpsLoss		past;
				uint64_t	sensitivities[2];
				uint64_t	scales[2];

				if (dps_partition_init(&partition, asked[i / 3], share[i % 3], groups, units) != DPS_OK ||
					dps_partition_coordinates(&partition, sensitivities, scales) != DPS_OK)
					exit(2);
				dps_partition_loss(&partition, &loss);
				dps_partition.loss(scales[0], 1, sensitivities[0], &past);
				charged = charged && loss.epsilon <= asked[i / 3] && loss.epsilon > asked[i / 3] - 0x1p-36 && loss.delta <= share[i % 3];
				told = told && past.epsilon == loss.epsilon && past.rho == loss.rho;
				if (partition.threshold > 20)
					continue;
				for (int64_t n = 0; n <= partition.threshold + 1; n += 1 + partition.threshold / 5)
					for (int64_t c1 = 0; c1 <= (int64_t) units; c1++)
						for (int64_t c2 = 0; c2 <= (groups == 2 ? (int64_t) units : 0); c2++)
						{
							long double up = excess_of_two(&partition, n, c1, c2, loss.epsilon, true);
							long double down = excess_of_two(&partition, n, c1, c2, loss.epsilon, false);

							within = within && up <= loss.delta + 1e-18L && down <= loss.delta + 1e-18L;
							if (groups == 1 && units > 1)
								most = fmaxl(most, up / loss.delta);
							worlds++;
						}
			}
	ok(charged, "what several persons lose together is what was asked for, or less of delta");
	ok(told, "and a ledger is told it");
	ok(within && worlds > 500, "%d worlds: what is released is (epsilon, delta)-DP for all of them at once", worlds);
	ok(most > 0.2, "of which a good part is used: %.3f", (double) most);
	{
		DpsPartition alone;
		DpsPartition together;
		DpsLoss		loss;

		ok(dps_partition_init(&alone, 1, 1e-3, 1, 1) == DPS_OK && dps_partition_init(&together, 1, 1e-3, 1, 3) == DPS_OK &&
		   together.num == alone.num / 3 && together.threshold > alone.threshold, "three persons need more noise than one");
		together.units = 1;
		dps_partition_loss(&together, &loss);
		ok(loss.epsilon < 0.34 && excess_of_two(&together, 1, 3, 0, loss.epsilon, true) > loss.delta,
		   "and lose more than one of them does, which is noticed");
		ok(dps_partition_init(&alone, 1, 1e-6, UINT64_C(1) << 20, (UINT64_C(1) << 20) + 1) == DPS_DOMAIN &&
		   dps_partition_init(&alone, 1, 1e-6, 1, 0) == DPS_DOMAIN, "too many of them, or none, are refused");
	}
}

/* What a ledger is told says all of it again, for one group in units of what is
 * counted there. */
static void
test_coordinates(void)
{
	bool		same = true;
	bool		known = true;
	DpsPartition partition;
	uint64_t	sensitivities[2];
	uint64_t	scales[2];

	for (int i = 0; i < EPSILONS; i++)
		for (int j = 0; j < DELTAS - 2; j++)
			for (uint64_t groups = 1; groups < 400; groups = groups * 3 + 1)
			{
				DpsLoss		loss;
				DpsLoss		first;
				DpsLoss		second;
				DpsPastRelease past;
				double		delta;

				if (dps_partition_init(&partition, epsilons[i], deltas[j], groups, 1) != DPS_OK)
					exit(2);
				if (dps_partition_coordinates(&partition, sensitivities, scales) != DPS_OK)
					exit(2);
				dps_partition_loss(&partition, &loss);
				dps_partition.loss(scales[0], 1, sensitivities[0], &first);
				dps_partition.loss(scales[1], 1, sensitivities[1], &second);
				delta = fmax(loss.delta * (1 + 1e-12), loss.delta + 0x1p-62);
				same = same && first.epsilon == loss.epsilon && first.rho == loss.rho && first.delta == 0 &&
					second.epsilon == 0 && second.rho == 0 && second.delta >= loss.delta && second.delta <= delta;
				past = dps_past_release_noise(dps_law_find("partition"), sensitivities[0], scales[0], 1, 1);
				known = known && past.epsilon == loss.epsilon && past.rho == loss.rho && past.delta == 0;
				past = dps_past_release_noise(dps_law_find("partition"), sensitivities[1], scales[1], 1, 1);
				known = known && past.epsilon == 0 && past.rho == 0;
			}
	ok(same, "two quotients say what a selection costs");
	ok(known && dps_law_find("partition") == DPS_LAW_PARTITION, "and accountants read them");
	ok(dps_mechanism_find("partition") == &dps_partition, "by its name");
	ok(dps_partition_init(&partition, 1, 1e-6, UINT64_C(1) << 21, 1) == DPS_OK &&
	   dps_partition_coordinates(&partition, sensitivities, scales) == DPS_UNABLE, "too many groups to be told");
}

static void
test_domain(void)
{
	static const double bad_delta[] = {0, 1, -1, 2, NAN, INFINITY};
	DpsPartition partition;
	DpsPartition same;
	bool		refused = true;

	memset(&partition, 77, sizeof(partition));
	same = partition;
	for (int i = 0; i < 6; i++)
		refused = refused && dps_partition_init(&partition, 1, bad_delta[i], 1, 1) == DPS_DOMAIN;
	refused = refused && dps_partition_init(&partition, NAN, 1e-6, 1, 1) == DPS_DOMAIN &&
		dps_partition_init(&partition, 0, 1e-6, 1, 1) == DPS_DOMAIN &&
		dps_partition_init(&partition, 65, 1e-6, 1, 1) == DPS_DOMAIN &&
		dps_partition_init(&partition, 1, 1e-6, 0, 1) == DPS_DOMAIN &&
		dps_partition_init(&partition, 1, 1e-6, (UINT64_C(1) << 40) + 1, 1) == DPS_DOMAIN &&
		dps_partition_init(&partition, 1, 1e-320, 1, 1) == DPS_UNABLE;
	ok(refused && memcmp(&partition, &same, sizeof(same)) == 0, "bad figures are refused");
	ok(dps_partition_init(&partition, 1, 1e-6, UINT64_C(1) << 40, 1) == DPS_OK && partition.num == 1,
	   "the smallest share of epsilon");
}

/* --- draws --------------------------------------------------------------------------- */

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
	static const double small[] = {1, 0x1p-20};
	DpsHost		host = tap_host;
	bool		refused = true;
	bool		drew = false;

	host.random_bytes = short_lived_bytes;
	for (int refills = 0; refills < 60; refills++)
	{
		int			refills_left = refills / 2;
		DpsPartition partition;
		DpsRandom	random;
		DpsStatus	status;
		bool		keep;
		int64_t		size;

		/* both ways to draw */
		if (dps_partition_init(&partition, small[refills % 2], 0.5, 1, 1) != DPS_OK)
			exit(2);
		host.context = &refills_left;
		dps_random_init(&random, &host);
		do
		{
			keep = true;
			size = 77;
			status = dps_partition_draw(&random, &partition, 0, &keep, &size);
			drew = drew || status == DPS_OK;
			refused = refused && (status == DPS_OK ? !keep : keep) && size == 77;
		} while (status == DPS_OK);
		refused = refused && status == DPS_UNABLE;
	}
	ok(refused && drew, "a source that fails at any moment is DPS_UNABLE; a group of none is never kept");
}

static void
test_draws(void)
{
	bool		right = true;

	for (int i = 0; i < EPSILONS; i++)
		for (int j = 0; j < DELTAS; j++)
		{
			DpsPartition partition;
			DpsRandom	random;
			int64_t		k;

			dps_random_init(&random, &tap_host);
			if (dps_partition_init(&partition, epsilons[i], deltas[j], 1, 1) != DPS_OK)
				exit(2);
			k = partition.threshold;
			for (int n = 0; n < 40; n++)
			{
				int64_t		count = n < 20 ? k : n < 30 ? 2 * k + 1 : INT64_MAX;
				int64_t		size = -1;
				bool		keep = false;

				right = right && dps_partition_draw(&random, &partition, (uint64_t) count, &keep, &size) == DPS_OK;
				if (count == INT64_MAX)
					count = (INT64_C(1) << 62) - 1;
				/* always kept from 2K + 1 on */
				right = right && (keep || n < 20) && (!keep ? size == -1 : size > k && size >= count - k && size <= count + k);
			}
		}
	ok(right, "sizes are above the threshold and within it of the truth");
}

static void
test_sampler_domain(void)
{
	DpsRandom	random;
	__int128	z = 5;
	bool		event = true;

	dps_random_init(&random, &tap_host);
	ok(dps_sample_laplace_ratio(&random, 0, 1, &z) == DPS_DOMAIN &&
	   dps_sample_laplace_ratio(&random, 1, 0, &z) == DPS_DOMAIN &&
	   dps_sample_laplace_ratio(&random, DPS_SCALE_LIMIT, 1, &z) == DPS_DOMAIN &&
	   dps_sample_laplace_ratio(&random, 1, DPS_SCALE_LIMIT, &z) == DPS_DOMAIN && z == 5 &&
	   dps_sample_laplace_ratio(&random, DPS_SCALE_LIMIT - 1, DPS_SCALE_LIMIT - 1, &z) == DPS_OK &&
	   dps_sample_exp(&random, 1, 0, &event) == DPS_DOMAIN &&
	   dps_sample_exp(&random, 1, DPS_SCALE_LIMIT, &event) == DPS_DOMAIN && event &&
	   dps_sample_exp(&random, ~(unsigned __int128) 0, 1, &event) == DPS_OK && !event &&
	   dps_sample_exp(&random, 0, DPS_SCALE_LIMIT - 1, &event) == DPS_OK && event,
	   "what the samplers take");
}

int
main(void)
{
	test_threshold();
	test_privacy();
	test_groups();
	test_units();
	test_coordinates();
	test_domain();
	test_failing_source();
	test_draws();
	test_sampler_domain();
	return done_testing();
}
