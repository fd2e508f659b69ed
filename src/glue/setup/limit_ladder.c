/*
 * limit_ladder.c
 *		What limits of rows per person would leave out, and what noise they would add.
 *
 * A limit m leaves out the rows of a person beyond the m-th, and noise grows with m: what the choice of one
 * trades is bias against variance (Amin et al. 2019).  For a count of all
 * rows at epsilon the noise is geometric of sensitivity m, of variance 2q / (1 - q)^2 with q = e^(-epsilon / m), and
 * the bias is the number of rows left out; sums of values that are alike in size weigh both alike.
 *
 * All that is computed here is computed from noised numbers, so it costs nothing.  Noise puts some
 * persons on rungs that have none, and on the upper ones these would seem to have a great many rows.
 * So the ladder ends where persons do: at the last rung that has scale * ln(20 n) of them or more.  That noise alone makes
 * as many of any of n empty rungs has a probability below 1/20, since a draw is at least t with one of
 * e^(-t / scale) / (1 + q) at most.  Below, numbers are taken as they are, with signs, since those
 * without would be too large on the whole.  A few persons who have very many rows are hidden by that, as
 * by every private answer.
 *
 * Rows of a person on a rung of several numbers, lo to hi, are taken to be as many as they are on
 * average where a number n is as frequent as 1 / n: (b - a) / ln(b / a) with a = lo - 1/2 and b = hi + 1/2.
 */
#include "postgres.h"

#include <math.h>

#include "glue/label/annotation.h"
#include "glue/setup/limit_ladder.h"

/* Each at most twice the one before, and beyond 10 at most 5/3 of it until there are thousands. */
static const int32 limits[] = {
	1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000,
	10000, 20000, 50000, 100000, 200000, 500000, DPS_MAX_UNIT_ROWS
};

DpsLimitRung *
dps_limit_ladder(int32 limit, int *n)
{
	DpsLimitRung *rungs = palloc0(sizeof(DpsLimitRung) * (lengthof(limits) + 1));
	int32		top = limit > 0 ? limit : DPS_MAX_UNIT_ROWS;

	*n = 0;
	while (*n < (int) lengthof(limits) && limits[*n] < top)
	{
		rungs[*n].limit = limits[*n];
		(*n)++;
	}
	rungs[(*n)++].limit = top;
	return rungs;
}

static double
mean_rows(double lo, double hi)
{
	double		a = lo - 0.5;
	double		b = hi + 0.5;

	return lo == hi ? lo : (b - a) / log(b / a);
}

/* The root of the variance of geometric noise. */
static double
noise_of(int32 limit, double epsilon)
{
	double		q = exp(-epsilon / limit);

	return sqrt(2 * q) / -expm1(-epsilon / limit);
}

/* The mean of the rows of persons on a rung. */
static double
rows_on(const DpsLimitRung *rungs, int i)
{
	return mean_rows(i == 0 ? 1 : rungs[i - 1].limit + 1, rungs[i].limit);
}

/* Forgets persons beyond the last rung that has more than noise. */
static void
end_persons(DpsLimitRung *rungs, int n, double threshold)
{
	int			i;

	for (i = n - 1; i >= 0 && !(rungs[i].persons >= threshold); i--)
		rungs[i].persons = 0;
}

static double
share(double part, double whole)
{
	return Min(Max(part / whole, 0), 1);
}

bool
dps_weigh_limits(DpsLimitRung *rungs, int n, double scale, double epsilon)
{
	double		persons = 0;
	double		rows = 0;
	double		within = 0;		/* persons up to the rung */
	double		counted = 0;	/* and their rows */
	int			best = 0;
	int			i;

	end_persons(rungs, n, scale * log(20.0 * n));
	for (i = 0; i < n; i++)
	{
		rungs[i].noise = noise_of(rungs[i].limit, epsilon);
		persons += rungs[i].persons;
		rows += rungs[i].persons * rows_on(rungs, i);
	}
	if (persons <= 0 || rows <= 0)
		return false;
	for (i = 0; i < n; i++)
	{
		within += rungs[i].persons;
		counted += rungs[i].persons * rows_on(rungs, i);
		rungs[i].rows_left_out = Max(rows - counted - (persons - within) * rungs[i].limit, 0);
		rungs[i].share_of_persons = share(within, persons);
		rungs[i].share_of_rows = share(rows - rungs[i].rows_left_out, rows);
		rungs[i].error = hypot(rungs[i].rows_left_out, rungs[i].noise);
		if (rungs[i].error < rungs[best].error)
			best = i;
	}
	rungs[best].is_best = true;
	return true;
}
