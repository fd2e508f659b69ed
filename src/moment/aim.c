/*
 * aim.c
 *		Noise aimed at attributes: which entries of a vector get how much noise.
 *
 * If column j moves entry i by m_ij, Gaussian noise of the scales N_i costs a change of it rho_j = sum_i m_ij^2 / 2N_i^2
 * (noise/plan.c, which has the proof and asks for nothing that is decided here).  What is wanted are scales
 * with little noise among those that cost no column j more than w_j of what is asked for: with x_i = 1 / N_i^2
 *
 *		minimise sum_i c_i / x_i,	sum_j m_ij^2 / w_j^2 x_i <= 1 for each j,
 *
 * which is convex.  c_i = 1 / a_i^2 with a_i = max_j m_ij / w_j, the scale that entry i would need alone.  So the
 * sum is that of variances, each as a multiple of the entry's least one: entries have units of their own, years and
 * euros, and a sum of plain variances would depend on them and be about the largest entry only.
 *
 * Let x_i stand for x_i a_i^2 and b_ji for (m_ij / (w_j a_i))^2, at most 1.  The dual of this is to maximise
 * (sum_i sqrt(s_i))^2 / sum_j y_j over y >= 0, s_i = sum_j y_j b_ji, and x_i = 1 / sqrt(s_i) up to a factor.  Each round
 * multiplies y_j by the square of its load sum_i b_ji x_i.  That never decreases 2 sum_i sqrt(s_i) - sum_j y_j: by
 * concavity of the root
 *		sqrt(s_i) >= sum_j (y_j b_ji / s_i) sqrt(z_j s_i / y_j)
 * for every other z in place of y, with equality at z = y, and what is on the right is largest where the round
 * goes.  (Such algorithms are known from the design of experiments: Silvey, Titterington and Torsney 1978.)  Dividing x
 * by the largest load makes it feasible, and what is above the dual is how far it is from the
 * optimum at most.  All of it is in doubles and without proof: scales are what noise/plan.c makes of them.
 */
#include <math.h>

#include "moment/aim.h"
#include "noise/plan.h"
#include "num/whole.h"

/* Rounds end here, or when the sum is at most so many times the least. */
#define MOST_ROUNDS 1000
#define CLOSE_ENOUGH 1.001

/* Noise is aimed if the sum of variances becomes this part of what it would be. */
#define WORTH_IT 0.9

/* The unit of shapes, and how many times a scale is as large as another at most: noise of small scales is
 * coarse on a grid that suits the others. */
#define SHAPE_UNIT 0x1p32
#define MOST_RATIO 0x1p24

typedef struct Problem
{
	int			n;
	int			ncolumns;
	double		alone[DPS_MAX_AIMED]; /* a_i; 0: no column moves it */
	double		part[DPS_MAX_AIMED_COLUMNS][DPS_MAX_AIMED];
} Problem;

static void
set_problem(int n, int ncolumns, const uint64_t *moves, const double *weights, Problem *problem)
{
	problem->n = n;
	problem->ncolumns = ncolumns;
	for (int i = 0; i < n; i++)
	{
		problem->alone[i] = 0.0;
		for (int j = 0; j < ncolumns; j++)
			problem->alone[i] = fmax(problem->alone[i], (double) moves[j * n + i] / weights[j]);
		for (int j = 0; j < ncolumns; j++)
		{
			double		share = problem->alone[i] > 0.0 ? (double) moves[j * n + i] / weights[j] / problem->alone[i] : 0.0;

			problem->part[j][i] = share * share;
		}
	}
}

/* Sets the roots of s_i; returns their sum. */
static double
set_roots(const Problem *problem, const double *y, double *roots)
{
	double		sum = 0.0;

	for (int i = 0; i < problem->n; i++)
	{
		double		s = 0.0;

		for (int j = 0; j < problem->ncolumns; j++)
			s += y[j] * problem->part[j][i];
		roots[i] = sqrt(s);
		sum += roots[i];
	}
	return sum;
}

/* Goes on with y; sum: of its entries; returns the largest load. */
static double
improve(const Problem *problem, const double *roots, double *y, double *sum)
{
	double		most = 0.0;

	*sum = 0.0;
	for (int j = 0; j < problem->ncolumns; j++)
	{
		double		load = 0.0;

		for (int i = 0; i < problem->n; i++)
			load += roots[i] > 0.0 ? problem->part[j][i] / roots[i] : 0.0;
		most = fmax(most, load);
		*sum += y[j];
		y[j] *= load * load;
	}
	return most;
}

/* Sets 1 / x_i of feasible x: the entries' variances, as multiples of those alone. */
static void
solve(const Problem *problem, double *variances)
{
	double		y[DPS_MAX_AIMED_COLUMNS];
	double		most = 1.0;

	for (int j = 0; j < problem->ncolumns; j++)
		y[j] = 1.0;
	for (int round = 0; round < MOST_ROUNDS; round++)
	{
		double		roots = set_roots(problem, y, variances);
		double		sum;

		most = improve(problem, variances, y, &sum);
		if (most * roots <= CLOSE_ENOUGH * roots * roots / sum)
			break;
	}
	for (int i = 0; i < problem->n; i++)
		variances[i] *= most;
}

/* Scales from variances; entries that nothing moves have the least. */
static double
set_scales(const Problem *problem, const double *variances, double *scales)
{
	double		widest = 0.0;
	double		least = INFINITY;

	for (int i = 0; i < problem->n; i++)
	{
		scales[i] = problem->alone[i] * sqrt(variances[i]);
		widest = fmax(widest, scales[i]);
	}
	for (int i = 0; i < problem->n; i++)
	{
		if (problem->alone[i] > 0.0)
			least = fmin(least, scales[i] = fmax(scales[i], widest / MOST_RATIO));
	}
	for (int i = 0; i < problem->n; i++)
		scales[i] = fmax(scales[i], least);
	return least;
}

bool
dps_aim(int n, int ncolumns, const uint64_t *moves, const double *weights, double uniform, uint64_t *shape)
{
	Problem		problem;
	double		variances[DPS_MAX_AIMED];
	double		scales[DPS_MAX_AIMED];
	double		aimed = 0.0;
	double		same = 0.0;
	double		least;

	if (n < 2 || n > DPS_MAX_AIMED || ncolumns < 1 || ncolumns > DPS_MAX_AIMED_COLUMNS)
		return false;
	set_problem(n, ncolumns, moves, weights, &problem);
	solve(&problem, variances);
	least = set_scales(&problem, variances, scales);
	for (int i = 0; i < n; i++)
	{
		if (!(problem.alone[i] > 0.0))
			continue;
		aimed += pow(scales[i] / problem.alone[i], 2);
		same += pow(uniform / problem.alone[i], 2);
	}
	/* the negation also holds for NaN */
	if (!(least > 0.0 && least < INFINITY && aimed <= WORTH_IT * same))
		return false;
	for (int i = 0; i < n; i++)
		shape[i] = dps_whole_up(scales[i] / least * SHAPE_UNIT);
	return true;
}
