/*
 * test_k_norm.c
 *		K-norm noise for a box: its law, what it loses, draws, and plans.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "account/account.h"
#include "account/history.h"
#include "noise/k_norm.h"
#include "noise/plan.h"
#include "tap.h"

/* The least r for which z is in B_r, by trying. */
static int
norm_of(int n, const int *z, const uint64_t *width)
{
	for (int r = 1;; r++)
	{
		bool		inside = true;

		for (int i = 0; i < n; i++)
			inside = inside && z[i] > -r * (int) width[i] && z[i] <= r * (int) width[i];
		if (inside)
			return r;
	}
}

/* P(z) = sum_(r >= N(z)) r^n q^r / (r^n prod 2 w_i), by what is drawn: the radius, then a place; the radii up to `most`. */
static double
probability(int n, const int *z, const uint64_t *width, double q, int most)
{
	double		total = 0.0;
	double		sum = 0.0;

	for (int r = 1; r <= most; r++)
		total += pow(r, n) * pow(q, r);
	for (int r = norm_of(n, z, width); r <= most; r++)
	{
		double		points = 1.0;

		for (int i = 0; i < n; i++)
			points *= 2.0 * r * (double) width[i];
		sum += pow(r, n) * pow(q, r) / total / points;
	}
	return sum;
}

#define WINDOW 9

/* All z of a window and all moves of S steps: no quotient is beyond e^(S/t). */
static void
test_privacy(void)
{
	static const uint64_t width[2] = {1, 2};
	double		q = exp(-1.0 / 3.0);

	for (int steps = 1; steps <= 3; steps++)
	{
		double		worst = 0.0;

		for (int x = -WINDOW; x <= WINDOW; x++)
			for (int y = -WINDOW; y <= WINDOW; y++)
				for (int u = -steps; u <= steps; u++)
					for (int v = -2 * steps; v <= 2 * steps; v++)
						worst = fmax(worst, log(probability(2, (int[]) {x, y}, width, q, 200) /
												probability(2, (int[]) {x + u, y + v}, width, q, 200)));
		ok(worst <= steps / 3.0 + 1e-9 && worst > steps / 3.0 - 1e-9, "moves of %d steps lose %d/3, and no more (%g)", steps, steps, worst);
	}
}

#define DRAWS 400000
#define CELLS 11

/*
 * A frequency is off its probability by more than sqrt(ln(2e9) / 2 DRAWS) = 0.0052 with a probability below 1e-9
 * (Hoeffding 1963); there are 242 of them and 12 radii, so that less than one run in three million fails by chance.
 */
static void
test_draws(void)
{
	static const uint64_t scales[2] = {1, 3};
	DpsNoiseBox		box = {2, 1, {1, 2}};
	DpsRandom	random;

	dps_random_init(&random, &tap_host);
	for (int c = 0; c < 2; c++)
	{
		static int	n[CELLS][CELLS];
		double		worst = 0.0;
		double		square[2] = {0.0, 0.0};
		double		q = exp(-1.0 / (double) scales[c]);

		for (int i = 0; i < CELLS * CELLS; i++)
			n[i / CELLS][i % CELLS] = 0;
		for (int i = 0; i < DRAWS; i++)
		{
			__int128	z[DPS_MAX_BOX];

			if (dps_k_norm_draw(&random, &box, scales[c], z) != DPS_OK)
				exit(2);
			for (int k = 0; k < 2; k++)
				square[k] += (double) (z[k] * z[k]) / DRAWS;
			if (z[0] >= -5 && z[0] <= 5 && z[1] >= -5 && z[1] <= 5)
				n[z[0] + 5][z[1] + 5]++;
		}
		for (int x = -5; x <= 5; x++)
			for (int y = -5; y <= 5; y++)
				worst = fmax(worst, fabs((double) n[x + 5][y + 5] / DRAWS - probability(2, (int[]) {x, y}, box.width, q, 400)));
		ok(worst < 0.0052, "draws have their probabilities at scale %d (off by %g at most)", (int) scales[c], worst);
		ok(square[1] > 3 * square[0] && square[1] < 5 * square[0], "twice the width is twice the noise");
	}
}

/* In place of GSL's own handler, which would end the process. */
static void
never(const char *reason, const char *file, int line, int code)
{
	printf("# %s:%d: %s (%d)\n", file, line, reason, code);
	exit(2);
}

/* All tails that can be asked for, with a handler that is still there afterwards. */
static bool
finds_tails_quietly(void)
{
	const double least[] = {0.5, 1e-3, 1e-15, 1e-100, 1e-300};
	gsl_error_handler_t *before = gsl_set_error_handler(never);
	bool		good = true;

	for (int n = 1; n <= DPS_MAX_BOX; n++)
		for (size_t k = 0; k < sizeof(least) / sizeof(least[0]); k++)
		{
			double		alone = dps_k_norm_tail(n, 3, least[k]);
			double		two = dps_k_norm_tail_of_two(n, 3, 1e-3, least[k]);

			good = good && alone > 0 && isfinite(alone) && two > 0 && isfinite(two) && two < 1.01 * alone &&
				dps_k_norm_beyond(n, 3, 1, DBL_MAX) == 0;
		}
	return gsl_set_error_handler(before) == never && good;
}

/* Of large scales the continuous law is the law.  Hoeffding as above. */
static void
test_tail(void)
{
	DpsNoiseBox		box = {5, 3, {8, 1, 3, 8, 5}};
	DpsRandom	random;
	int			beyond[2] = {0, 0};
	double		square = 0.0;
	double		scale = 1000.0;

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < DRAWS; i++)
	{
		__int128	z[DPS_MAX_BOX];
		double		size;

		if (dps_k_norm_draw(&random, &box, 1000, z) != DPS_OK)
			exit(2);
		size = fabs((double) z[2]);
		square += size * size / DRAWS;
		beyond[0] += size > dps_k_norm_tail(5, 3 * scale, 0.05);
		beyond[1] += size > dps_k_norm_tail(5, 3 * scale, 0.5);
	}
	ok(fabs((double) beyond[0] / DRAWS - 0.05) < 0.0055 && fabs((double) beyond[1] / DRAWS - 0.5) < 0.0055, "tails are those of draws");
	/* the fourth moment is 5.6 squares, so a mean of squares is off by 2 % with a probability below 1e-8 */
	ok(fabs(sqrt(square) / dps_k_norm_deviation(5, 3 * scale) - 1) < 0.02, "so is the deviation");
	ok(fabs(dps_k_norm_tail(1, 7, 0.01) - 7 * log(100)) < 1e-5, "of one integer the tail is that of Laplace noise");
	ok(finds_tails_quietly(), "tails and probabilities far out call no error handler, and leave the one there was");
	ok(dps_k_norm_tail(3, 1, 0) == INFINITY && dps_k_norm_tail(3, 1, 1) == 0, "no probability and all of it");
}

/* P(|a X + b Y| > r) of one draw, by the rule of the midpoint over the quantiles of either place, and that of one integer
 * for their mixture: given a U + b V = s, R s is beyond with P(R > r / s). */
static double
beyond_by_sums(int n, double a, double b, double r)
{
	double		sum = 0.0;

	for (int i = 0; i < 1000; i++)
	{
		for (int j = 0; j < 1000; j++)
		{
			double		s = fabs(a * ((i + 0.5) / 500 - 1) + b * ((j + 0.5) / 500 - 1));
			double		part = 1.0;
			double		all = 1.0;

			/* P(R > y) of a gamma variate of the whole shape n + 1 is that of a Poisson one */
			for (int k = 1; k <= n; k++)
				all += part *= r / s / k;
			sum += s > 0 ? all * exp(-r / s) : 0;
		}
	}
	return sum / 1e6;
}

/* The law of two integers of one draw, and draws of it: frequencies by Hoeffding as above. */
static void
test_two(void)
{
	static const double weights[][2] = {{1, 1}, {1, 0.999}, {3, 1}, {1, 0.01}, {0.5, 4}};
	DpsNoiseBox		box = {3, 3, {8, 1, 6}};
	DpsRandom	random;
	double		worst = 0.0;
	double		off = 0.0;
	int			beyond[2] = {0, 0};

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++)
	{
		for (int n = 2; n <= 16; n += 7)
		{
			for (double r = 0.5; r < 60; r *= 2)
			{
				double		expected = beyond_by_sums(n, weights[i][0], weights[i][1], r);

				worst = fmax(worst, fabs(dps_k_norm_beyond(n, weights[i][0], weights[i][1], r) - expected));
			}
			off = fmax(off, fabs(dps_k_norm_beyond(n, weights[i][0], weights[i][1], dps_k_norm_tail_of_two(n, weights[i][0], weights[i][1], 0.03)) / 0.03 - 1));
		}
	}
	ok(worst < 2e-5, "the law of two integers of a draw (off by %g)", worst);
	ok(off < 1e-6, "its tail is where that is");
	ok(fabs(dps_k_norm_beyond(5, 2, 0, dps_k_norm_tail(5, 2, 0.1)) - 0.1) < 1e-7 && fabs(dps_k_norm_beyond(5, 1e-9, 2, dps_k_norm_tail(5, 2, 0.1)) - 0.1) < 1e-7 &&
	   dps_k_norm_beyond(5, 0, 0, 1) == 0 && dps_k_norm_beyond(5, 0, 0, 0) == 1 && dps_k_norm_beyond(5, 1, 2, 0) == 1 && dps_k_norm_beyond(5, 1, 1, 1e9) < 1e-300,
	   "of one it is that, of none nothing is beyond");
	dps_random_init(&random, &tap_host);
	for (int i = 0; i < DRAWS; i++)
	{
		__int128	z[DPS_MAX_BOX];
		double		size;

		if (dps_k_norm_draw(&random, &box, 1000, z) != DPS_OK)
			exit(2);
		size = fabs((double) z[0] - 0.7 * (double) z[2]);
		beyond[0] += size > dps_k_norm_tail_of_two(3, 8000, 4200, 0.05);
		beyond[1] += size > dps_k_norm_tail_of_two(3, 8000, 4200, 0.5);
	}
	ok(fabs((double) beyond[0] / DRAWS - 0.05) < 0.0055 && fabs((double) beyond[1] / DRAWS - 0.5) < 0.0055, "and that of draws");
}

static uint64_t
some(uint64_t *state, int bits)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 2) >> (62 - bits);
}

static void
test_boxes(void)
{
	uint64_t	state = 42;
	bool		covers = true;
	bool		tight = true;
	DpsNoiseBox		box;
	uint64_t	steps;
	uint64_t	moves[DPS_MAX_BOX] = {0};

	for (int c = 0; c < 100000; c++)
	{
		int			n = 1 + (int) some(&state, 4);
		uint64_t	most = 0;

		for (int i = 0; i < n; i++)
		{
			moves[i] = some(&state, 1 + (int) some(&state, 6) % 61);
			most = moves[i] > most ? moves[i] : most;
		}
		if (most == 0)
			continue;
		if (dps_box_make(n, moves, &box, &steps) != DPS_OK)
			exit(2);
		covers = covers && dps_box_norm(&box, moves) <= steps && steps <= UINT64_C(1) << DPS_BOX_BITS;
		for (int i = 0; i < n; i++)
			tight = tight && (double) box.width[i] * (double) steps <= (double) moves[i] * (1 + 0x1p-18) + (double) steps;
	}
	ok(covers, "what a row moves is within the steps of its box");
	ok(tight, "and the box is hardly larger");
	moves[0] = 1000;
	moves[1] = 31;
	ok(dps_box_make(2, moves, &box, &steps) == DPS_OK && box.width[0] * steps <= 1070 && box.width[1] * steps <= 70, "of few units, too");
	moves[0] = UINT64_C(1) << 61;
	ok(dps_box_make(1, moves, &box, &steps) == DPS_OK && dps_box_norm(&box, moves) <= steps, "the largest box");
	moves[0]++;
	ok(dps_box_make(1, moves, &box, &steps) == DPS_DOMAIN, "none is larger");
	moves[0] = 0;
	ok(dps_box_make(1, moves, &box, &steps) == DPS_DOMAIN && dps_box_make(0, moves, &box, &steps) == DPS_DOMAIN &&
	   dps_box_make(DPS_MAX_BOX + 1, moves, &box, &steps) == DPS_DOMAIN, "nor of nothing, nor of too many");
}

static void
test_plans(void)
{
	uint64_t	moves[3] = {UINT64_C(1) << 40, UINT64_C(1) << 39, 12345};
	uint64_t	more[3] = {UINT64_C(1) << 41, UINT64_C(1) << 39, 12345};
	DpsTarget	target = {1.0, 0.0, 1, 3};
	DpsNoisePlan plan;
	DpsNoisePlan silent;
	DpsLoss		loss = {0};
	DpsPastRelease past;

	dps_noise_plan_init(&plan, &dps_laplace, 1.0, 0.0);
	ok(dps_noise_plan_box(&plan, &target, 3, moves, 4) == DPS_OK && plan.mechanism == &dps_k_norm && plan.ncoordinates == 1 &&
	   plan.loss.epsilon <= 1.0 && plan.loss.epsilon > 0.999 && plan.loss.rho == dps_pure_rho(plan.loss.epsilon) && plan.loss.delta == 0,
	   "a plan costs the epsilon that was asked for");
	dps_add_loss(dps_mechanism_find("k_norm"), (int64_t) plan.coordinate[0].sensitivity, (int64_t) plan.coordinate[0].scale, 1, 1, &loss);
	ok(loss.epsilon == plan.loss.epsilon && loss.rho == plan.loss.rho, "the ledger finds the same by the name");
	past = dps_past_release_noise(dps_law_find("k_norm"), plan.coordinate[0].sensitivity, plan.coordinate[0].scale, 1, 1);
	ok(past.epsilon == loss.epsilon && past.rho == loss.rho && past.count == 1, "so do accountants");
	ok(dps_noise_plan_box_covers(&plan, 3, moves, 4) && dps_noise_plan_is(&plan, 1, plan.coordinate), "it covers what it was made for");
	ok(!dps_noise_plan_box_covers(&plan, 3, more, 4) && !dps_noise_plan_box_covers(&plan, 3, moves, 5) && !dps_noise_plan_box_covers(&plan, 2, moves, 4),
	   "and not a further move, one more row, or fewer integers");
	silent = plan;
	silent.box.n = 0;
	ok(!dps_noise_plan_is(&silent, 1, plan.coordinate), "without its box it is none");
	silent = plan;
	dps_noise_plan_silence(&silent);
	ok(silent.silent && silent.box.n == 0 && silent.coordinate[0].scale == 0 && silent.coordinate[0].sensitivity >= 4 * moves[0], "nor without noise");
	ok(dps_noise_plan_box(&plan, &target, 3, moves, 4) == DPS_DOMAIN, "there is one coordinate");
	dps_noise_plan_init(&plan, &dps_gaussian, 1.0, 1e-6);
	ok(dps_noise_plan_box(&plan, &target, 3, moves, 4) == DPS_DOMAIN && plan.ncoordinates == 0, "it takes the place of Laplace noise alone");
}

static void
test_failing_source(void)
{
	DpsNoiseBox		box = {2, 1, {1, 2}};
	DpsRandom	random;
	__int128	z[DPS_MAX_BOX];
	bool		refused = true;

	for (unsigned left = 0; left <= 40; left++)
	{
		uint64_t	word;
		DpsStatus	status;

		dps_random_init(&random, &tap_host);
		if (dps_random_word(&random, &word) != DPS_OK)
			exit(2);
		random.failed = true;
		random.next = DPS_RANDOM_WORDS - left;
		status = dps_k_norm_draw(&random, &box, 5, z);
		refused = refused && (status == DPS_UNABLE || (status == DPS_OK && left > 0));
	}
	ok(refused, "a source that fails at any moment is DPS_UNABLE");
	dps_random_init(&random, &tap_host);
	ok(dps_k_norm_draw(&random, &box, 0, z) == DPS_DOMAIN && dps_k_norm_draw(&random, &box, DPS_BOX_SCALE_LIMIT, z) == DPS_DOMAIN, "scales that are none");
}

int
main(void)
{
	test_privacy();
	test_draws();
	test_tail();
	test_two();
	test_boxes();
	test_plans();
	test_failing_source();
	return done_testing();
}
