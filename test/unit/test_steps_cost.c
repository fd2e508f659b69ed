/*
 * test_steps_cost.c
 *		What a run of training costs, beside bounds from an independent program and what dp_accounting says, and
 *		the noise for a cost.
 *
 * Files: account/accountant/steps_cost.c, account/accountant/pld.c, account/accountant/loss_curve.c, account/fold.c.
 */
#include <math.h>
#include <stdlib.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/accountant/steps_cost.h"
#include "tap.h"

#define ONE (UINT64_C(1) << 40)

/* q, sigma, T, delta, two bounds of epsilon, and what dp_accounting says, or 0 */
static const double reference[][7] = {
#include "training_reference.h"
};

#define REFERENCES (sizeof(reference) / sizeof(reference[0]))

static DpsRunSteps
steps_of(const double *row, uint64_t coordinates)
{
	return (DpsRunSteps) {row[0], ONE, coordinates, (uint64_t) row[2]};
}

static uint64_t
on_grid(double sigma)
{
	return (uint64_t) (sigma * (double) ONE);
}

static double
epsilon_of(const DpsRunSteps *steps, uint64_t scale, double delta)
{
	double		epsilon = NAN;

	return dps_steps_epsilon(&tap_host, steps, scale, delta, &epsilon) == DPS_OK ? epsilon : (double) NAN;
}

static double
renyi_of(const DpsRunSteps *steps, uint64_t scale, double delta)
{
	double		epsilon = NAN;

	return dps_steps_renyi(steps, scale, delta, &epsilon) == DPS_OK ? epsilon : (double) NAN;
}

static void
test_references(void)
{
	double		most = 0;
	double		google = 0;
	bool		all = true;

	for (size_t i = 0; i < REFERENCES; i++)
	{
		const double *row = reference[i];
		DpsRunSteps	steps = steps_of(row, 1);
		double		epsilon = epsilon_of(&steps, on_grid(row[1]), row[3]);
		double		renyi = renyi_of(&steps, on_grid(row[1]), row[3]);
		/* sigma is rounded down to the grid */
		bool		holds = epsilon >= row[4] && epsilon <= 1.01 * row[4] && epsilon <= renyi && row[5] >= row[4] && row[5] <= 1.005 * row[4];

		diag("q %g, sigma %g, %g steps, delta %g: %.6f, between %.6f and %.6f is the truth (%.4f); dp_accounting %.6f; Renyi %.4f, %.2f times", row[0], row[1],
			 row[2], row[3], epsilon, row[4], row[5], epsilon / row[4], row[6], renyi, renyi / epsilon);
		all = all && holds;
		most = fmax(most, epsilon / row[4]);
		if (row[6] > 0)
			google = fmax(google, epsilon / row[6]);
	}
	diag("over the lower bound: at most %.5f; over dp_accounting: at most %.5f", most, google);
	ok(REFERENCES >= 18 && all, "an upper bound, within a hundredth of the truth, and never more than by Renyi losses");
	ok(google > 0.99 && google < 1.002, "no more than dp_accounting says, to two thousandths");
}

static void
test_width(void)
{
	const double *row = reference[0];
	DpsRunSteps	narrow = steps_of(row, 1);
	DpsRunSteps	wide = steps_of(row, UINT64_C(1) << 40);
	DpsRunSteps	all = {1, ONE, UINT64_C(1) << 40, 500};
	double		epsilon = epsilon_of(&narrow, on_grid(row[1]), row[3]);
	double		full = epsilon_of(&all, 5 * ONE, 1e-5);
	double		mu = sqrt(500.0) / 5;

	ok(epsilon_of(&wide, on_grid(row[1]), row[3]) / epsilon - 1 < 1e-9, "as many parameters as you like");
	ok(dps_gaussian_delta(mu, full) <= 1e-5 && dps_gaussian_delta(mu, full * 0.9995) > 1e-5 && renyi_of(&all, 5 * ONE, 1e-5) > 1.05 * full,
	   "of all rows it is Gaussian noise: %.4f, %.4f by zero-concentrated DP", full, renyi_of(&all, 5 * ONE, 1e-5));
	/* coarse noise is no worse than on a fine grid with a little more */
	for (uint64_t scale = 3; scale < 200; scale = scale * 3 - 1)
	{
		DpsRunSteps	coarse = {0.1, scale, 1, 20};
		DpsRunSteps	fine = {0.1, ONE, 1, 20};
		double		more = 1 / sqrt(1 - 4.0 / ((double) scale * (double) scale));
		double		here = epsilon_of(&coarse, scale, 1e-5);

		ok(here >= epsilon_of(&fine, ONE, 1e-5) * (1 - 1e-3) && here <= fmax(epsilon_of(&fine, on_grid(1 / more), 1e-5), 0) * 1.002, "scale %d: %.4f", (int) scale, here);
	}
}

static void
test_scale(void)
{
	for (size_t i = 0; i < REFERENCES; i++)
	{
		const double *row = reference[i];
		DpsRunSteps	steps = steps_of(row, 100);
		uint64_t	scale = 0;
		double		renyi;
		double		epsilon;

		/* those that take seconds, and those of a single step */
		if (row[2] > 20000 || row[2] < 2)
			continue;
		if (dps_steps_scale(&tap_host, &steps, row[5], row[3], 64 * ONE, &scale) != DPS_OK)
			scale = 0;
		epsilon = epsilon_of(&steps, scale, row[3]);
		renyi = renyi_of(&steps, scale, row[3]);
		ok(epsilon <= row[5] && epsilon >= row[5] * 0.998 && (double) scale < on_grid(row[1]) * 1.01 && renyi > row[5],
		   "noise for epsilon %.4f: %.5f times that of the table, %.4f by Renyi losses", row[5], (double) scale / (double) on_grid(row[1]), renyi);
	}
}

static void
test_edges(void)
{
	DpsRunSteps	none = {0.01, ONE, 1, 0};
	DpsRunSteps	nobody = {0, ONE, 1, 10};
	DpsRunSteps	endless = {0.01, ONE, 1, UINT64_MAX};
	DpsRunSteps	bad[] = {{NAN, ONE, 1, 1}, {-0.1, ONE, 1, 1}, {1.1, ONE, 1, 1}};
	DpsRunSteps	coarse = {0.01, 5, 100, 100};
	double		epsilon = NAN;
	bool		refused = true;

	ok(epsilon_of(&none, ONE, 1e-5) == 0 && epsilon_of(&nobody, ONE, 1e-5) == 0, "nothing costs nothing");
	ok(!(epsilon_of(&endless, ONE, 1e-5) < 1e3), "steps without end");
	for (int i = 0; i < 3; i++)
		refused = refused && dps_steps_epsilon(&tap_host, &bad[i], ONE, 1e-5, &epsilon) == DPS_DOMAIN;
	ok(refused && dps_steps_epsilon(&tap_host, &none, 0, 1e-5, &epsilon) == DPS_DOMAIN &&
	   dps_steps_epsilon(&tap_host, &nobody, ONE, 0, &epsilon) == DPS_DOMAIN && dps_steps_epsilon(&tap_host, &nobody, ONE, NAN, &epsilon) == DPS_DOMAIN,
	   "what is out of range is refused");
	ok(epsilon_of(&coarse, 2, 1e-5) == renyi_of(&coarse, 2, 1e-5), "noise of a scale below 3 has its Renyi losses");
}

int
main(void)
{
	test_references();
	test_width();
	test_scale();
	test_edges();
	return done_testing();
}
