/*
 * test_odometer.c
 *		What releases have cost at every time at once: the loss of a walk passes it at some time with
 *		no more than delta.
 */
#include <math.h>
#include <stdlib.h>

#include "account/account.h"
#include "tap.h"

static double
odometer(double rho, double delta)
{
	double		epsilon = NAN;

	return dps_odometer_epsilon(rho, delta, &epsilon) == DPS_OK ? epsilon : (double) NAN;
}

static void
test_figures(void)
{
	bool		rises = true;
	bool		above_one_time = true;
	double		most = 0;

	for (double rho = 1e-7; rho < 1e6; rho *= 1.7)
		for (double delta = 1e-12; delta < 0.5; delta *= 50)
		{
			double		epsilon = odometer(rho, delta);
			double		once = NAN;
			double		tail = rho + 2 * sqrt(rho * log(1 / delta));

			if (dps_zcdp_epsilon(rho, delta, &once) != DPS_OK)
				once = INFINITY;
			rises = rises && epsilon > odometer(rho / 1.7, delta) && epsilon < odometer(rho, delta / 2);
			above_one_time = above_one_time && epsilon >= once && epsilon >= tail;
			if (rho > 1e-4 && delta < 1e-5)
				most = fmax(most, epsilon / tail);
		}
	diag("at most %.3f of what holds at one time", most);
	ok(rises, "it rises with what is spent, and with confidence");
	ok(above_one_time, "it is no less than what holds at one time");
	ok(most < 1.25, "nor much more");
	ok(odometer(0.2, 1e-6) >= 3.99414752203 && odometer(0.2, 1e-6) < 3.99414752204, "rho 0.2 at 1e-6");
	ok(odometer(0, 1e-6) == 0, "nothing costs nothing");
	ok(isnan(odometer(-1, 0.1)) && isnan(odometer(NAN, 0.1)) && isnan(odometer(1, 0)) && isnan(odometer(1, 1)) && isnan(odometer(1, NAN)) && isnan(odometer(INFINITY, 0.1)),
	   "what is out of range, or has no bound, has no figure");
}

#define POINTS 600
#define STEPS 300

/* The probability that a walk of steps of N(rho, 2 rho), the loss of Gaussian noise, passes the bound at some time;
 * with at_one_time, the bound that holds at one time alone. */
static double
crossing(double delta, double rho, bool at_one_time)
{
	double	   *mass = calloc(POINTS, sizeof(double));
	double	   *next = calloc(POINTS, sizeof(double));
	double		top = odometer(rho * STEPS, delta);
	double		bottom = -top;
	double		width = (top - bottom) / POINTS;
	double		deviation = sqrt(2 * rho);
	double		passed = 0;

	mass[(int) ((0 - bottom) / width)] = 1;
	for (int t = 1; t <= STEPS; t++)
	{
		double		now = rho * t;
		double		bound = at_one_time ? now + 2 * sqrt(now * log(1 / delta)) : odometer(now, delta);
		double	   *swap = mass;

		for (int j = 0; j < POINTS; j++)
			next[j] = 0;
		for (int i = 0; i < POINTS; i++)
			for (int j = 0; mass[i] > 1e-15 && j < POINTS; j++)
			{
				double		z = ((j - i) * width - rho) / deviation;

				if (fabs(z) < 8)
					next[j] += mass[i] * width / (deviation * sqrt(2 * M_PI)) * exp(-0.5 * z * z);
			}
		mass = next;
		next = swap;
		for (int j = 0; j < POINTS; j++)
		{
			if (bottom + (j + 0.5) * width > bound)
			{
				passed += mass[j];
				mass[j] = 0;
			}
		}
	}
	free(mass);
	free(next);
	return passed;
}

int
main(void)
{
	double		ever;
	double		above_each;

	test_figures();
	ever = crossing(0.05, 0.02, false);
	above_each = crossing(0.05, 0.02, true);
	diag("delta 0.05: passed at some time of %d with %.5f; what holds at each with %.5f", STEPS, ever, above_each);
	ok(ever > 1e-4 && ever <= 0.05, "at some time it is passed with delta at most");
	ok(above_each > 4 * ever, "what holds at one time is passed far more often");
	return done_testing();
}
