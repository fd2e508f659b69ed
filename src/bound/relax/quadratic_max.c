/*
 * quadratic_max.c
 *		An upper bound of a quadratic form.
 *
 * With the form as c + l e + e' A e, where all |e_k| <= 1, and A <= D (D - A
 * without negative eigenvalues) for a diagonal D >= 0,
 *
 *		e' A e <= e' (A - D) e + sum_k D_k
 *
 * since e_k^2 <= 1.  What remains is concave, so it lies below its tangent at
 * any point p:
 *
 *		h(e) = l e + e' (A - D) e <= h(p) + sum_k max over e_k of h_k(p)(e_k - p_k)
 *
 * with h_k the derivatives; nothing is lost if p is where h is greatest on the cube.
 *
 * D is found from A = sum_i a_i v_i v_i', v_i the eigenvectors.  Whatever numbers
 * are computed for them, let B be the sum over a_i > 0, C have the columns
 * sqrt(-a_i) v_i of the others, and E = A - B + C C'.  Then
 *
 *		A = B + E - C C' <= B + E <= D,	D_k = sum_l |B_kl| + |E_kl|
 *
 * by diagonal dominance.  E has rounding errors only.  Where B = b v v' has one
 * column, sum_k D_k = b (sum_k |v_k|)^2 is its value at a corner.
 */
#include <float.h>
#include <math.h>

#include "bound/relax/jacobi.h"
#include "bound/relax/quadratic.h"

#define N DPS_MAX_CURVED
#define SWEEPS 6
#define ASCENTS 8

/* More than the error of a sum of fewer than 100 products, as a part of their
 * magnitudes. */
#define ROUNDING (256 * DBL_EPSILON)

/* Approximate eigenvectors of a symmetric matrix, the columns of v; a becomes
 * nearly diagonal. */
static void
diagonalise(int n, double a[N][N], double v[N][N])
{
	int			sweep;
	int			p;
	int			q;

	for (p = 0; p < n; p++)
		for (q = 0; q < n; q++)
			v[p][q] = p == q;
	for (sweep = 0; sweep < SWEEPS; sweep++)
		for (p = 0; p < n; p++)
			for (q = p + 1; q < n; q++)
				dps_jacobi_rotate(a[0], v[0], N, n, p, q);
}

/* |B_kl| + |E_kl|, rounding errors included */
static double
dominate(int n, double a_kl, const double *values, double v[N][N], int k, int l)
{
	double		rising = 0;
	double		falling = 0;
	double		size = fabs(a_kl);
	int			i;

	for (i = 0; i < n; i++)
	{
		/* the same root on both sides: C C' is a square */
		double		root = sqrt(fabs(values[i]));
		double		product = (root * v[k][i]) * (root * v[l][i]);

		size += fabs(product);
		if (values[i] > 0)
			rising += product;
		else
			falling += product;
	}
	return fabs(rising) + fabs(a_kl - rising + falling) + size * ROUNDING;
}

static void
find_diagonal(int n, double a[N][N], double *diagonal)
{
	double		turned[N][N];
	double		v[N][N];
	double		values[N];
	int			k;
	int			l;

	for (k = 0; k < n; k++)
		for (l = 0; l < n; l++)
			turned[k][l] = a[k][l];
	diagonalise(n, turned, v);
	for (k = 0; k < n; k++)
		values[k] = turned[k][k];
	for (k = 0; k < n; k++)
	{
		diagonal[k] = 0;
		for (l = 0; l < n; l++)
			diagonal[k] += dominate(n, a[k][l], values, v, k, l);
		diagonal[k] *= 1 + ROUNDING;
	}
}

/* The derivative by e_k of l e + e' A e. */
static double
rise(int n, double a[N][N], const double *slope, const double *at, int k)
{
	double		sum = slope[k];
	int			l;

	for (l = 0; l < n; l++)
		sum += 2 * a[k][l] * at[l];
	return sum;
}

/* Moves to near the maximum of the form, one coordinate after the other. */
static void
ascend(int n, double a[N][N], const double *slope, double *at)
{
	int			sweep;
	int			k;

	for (k = 0; k < n; k++)
		at[k] = 0;
	for (sweep = 0; sweep < ASCENTS; sweep++)
		for (k = 0; k < n; k++)
		{
			double		by = rise(n, a, slope, at, k);
			double		to = by > 0 ? 1 : by < 0 ? -1 : at[k];

			if (a[k][k] < 0)
				to = fmax(-1, fmin(1, at[k] - by / (2 * a[k][k])));
			if (isfinite(to))
				at[k] = to;
		}
}

double
dps_crest(const DpsQuadratic *form, int n, double *top)
{
	double		a[N][N];
	double		diagonal[N];
	double		bound = form->centre;
	double		size = fabs(form->centre) + form->rest;
	int			k;
	int			l;

	for (k = 0; k < n; k++)
		for (l = 0; l < n; l++)
			a[k][l] = k == l ? 2 * form->bend[k] : form->cross[k > l ? k * (k - 1) / 2 + l : l * (l - 1) / 2 + k] / 2;
	find_diagonal(n, a, diagonal);
	for (k = 0; k < n; k++)
	{
		size += fabs(form->slope[k]) + fabs(form->bend[k]) + 4 * diagonal[k];
		for (l = 0; l < n; l++)
			size += 4 * fabs(a[k][l]);
		bound += diagonal[k] - form->bend[k];
		a[k][k] -= diagonal[k];
	}
	ascend(n, a, form->slope, top);
	for (k = 0; k < n; k++)
	{
		double		g = rise(n, a, form->slope, top, k);

		/* h(p) = sum_k p_k (l_k + h_k(p)) / 2 */
		bound += top[k] * (form->slope[k] + g) / 2 + fmax(g * (1 - top[k]), g * (-1 - top[k]));
	}
	bound = bound + form->rest + size * ROUNDING;
	return isnan(bound) ? INFINITY : bound;
}
