/*
 * matrix.c
 *		Small symmetric matrices of numbers: good directions, as hints, and proved
 *		bounds of their spectra.
 */
#include <math.h>
#include <string.h>

#include "bound/relax/jacobi.h"
#include "bound/vector/matrix.h"
#include "num/interval.h"

#define SWEEPS 50
#define ALTERNATIONS 100
#define SMALLEST_SHARE 1e-10

bool
dps_matrix_is_finite(DpsMatrix m, int n)
{
	int			i;
	int			k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			if (!isfinite(m[i][k]))
				return false;
	return true;
}

void
dps_diagonalise(DpsMatrix g, DpsMatrix v, int n)
{
	int			sweep;
	int			p;
	int			q;

	for (p = 0; p < n; p++)
		for (q = 0; q < n; q++)
			v[p][q] = p == q;
	for (sweep = 0; sweep < SWEEPS; sweep++)
	{
		bool		rotated = false;

		for (p = 0; p < n; p++)
		{
			for (q = p + 1; q < n; q++)
			{
				if (fabs(g[p][q]) <= 1e-17 * sqrt(fabs(g[p][p]) * fabs(g[q][q])) || fabs(g[p][q]) < 1e-300)
					continue;
				dps_jacobi_rotate(g[0], v[0], DPS_MAX_ENTRIES, n, p, q);
				rotated = true;
			}
		}
		if (!rotated)
			break;
	}
}

void
dps_steepest_direction(DpsMatrix g, int n, double *c)
{
	DpsMatrix	v;
	int			best = 0;
	int			i;

	dps_diagonalise(g, v, n);
	for (i = 1; i < n; i++)
		if (g[i][i] > g[best][best])
			best = i;
	for (i = 0; i < n; i++)
		c[i] = v[i][best];
}

/* Changes signs one by one as long as s^T G s grows. */
static void
improve_signs(DpsMatrix g, int n, double *s)
{
	bool		changed = true;
	int			round;
	int			i;
	int			k;

	for (round = 0; changed && round < ALTERNATIONS; round++)
	{
		changed = false;
		for (i = 0; i < n; i++)
		{
			double		pull = 0.0;

			for (k = 0; k < n; k++)
				pull += k == i ? 0.0 : g[i][k] * s[k];
			if (pull * s[i] < 0)
			{
				s[i] = -s[i];
				changed = true;
			}
		}
	}
}

void
dps_steepest_signs(DpsMatrix g, int n, double *c)
{
	double		most = -1.0;
	int			row;
	int			i;
	int			k;

	for (row = 0; row < n; row++)
	{
		double		s[DPS_MAX_ENTRIES];
		double		value = 0.0;

		for (i = 0; i < n; i++)
			s[i] = g[row][i] < 0 ? -1.0 : 1.0;
		improve_signs(g, n, s);
		for (i = 0; i < n; i++)
			for (k = 0; k < n; k++)
				value += s[i] * g[i][k] * s[k];
		if (row > 0 && value <= most)
			continue;
		most = value;
		memcpy(c, s, sizeof(double) * n);
	}
}

void
dps_steepest_entry(DpsMatrix g, int n, double *c)
{
	int			best = 0;
	int			i;

	for (i = 1; i < n; i++)
		if (g[i][i] > g[best][best])
			best = i;
	for (i = 0; i < n; i++)
		c[i] = i == best;
}

/*
 * max_i (N v)_i / v_i, rounded up, the least for some v close to the eigenvector (Collatz and
 * Wielandt).  Iteration moves the entries of v where the eigenvector is 0; a part of the old v is
 * kept, so that matrices that exchange rows do not oscillate.
 */
double
dps_spectral_bound(DpsMatrix magnitude, int n)
{
	double		least = INFINITY;
	double		v[DPS_MAX_ENTRIES];
	DpsMatrix	work;
	int			round;
	int			i;
	int			k;

	if (!dps_matrix_is_finite(magnitude, n))
		return INFINITY;
	for (i = 0; i < n; i++)
		memcpy(work[i], magnitude[i], sizeof(double) * n);
	dps_steepest_direction(work, n, v);
	/* any v > 0 will do */
	for (i = 0; i < n; i++)
		v[i] = isfinite(v[i]) ? fabs(v[i]) + SMALLEST_SHARE : 1.0;
	for (round = 0; round < ALTERNATIONS; round++)
	{
		double		next[DPS_MAX_ENTRIES];
		double		worst = 0.0;

		for (i = 0; i < n; i++)
		{
			next[i] = 0.0;
			for (k = 0; k < n; k++)
				next[i] = dps_add_up(next[i], dps_mul_up(magnitude[i][k], v[k]));
			worst = fmax(worst, dps_div_up(next[i], v[i]));
		}
		least = fmin(least, worst);
		if (!(worst > 0) || !isfinite(worst))
			break;
		for (i = 0; i < n; i++)
			v[i] = fmax(v[i] / 2 + next[i] / worst / 2, SMALLEST_SHARE * SMALLEST_SHARE);
	}
	return least;
}

double
dps_orthogonality_error(DpsMatrix v, int n)
{
	double		largest = dps_matrix_is_finite(v, n) ? 0.0 : INFINITY;
	int			i;
	int			k;
	int			a;

	for (i = 0; i < n; i++)
	{
		double		sum = 0.0;

		for (k = 0; k < n; k++)
		{
			DpsInterval product = dps_iv(i == k ? -1.0 : 0.0, i == k ? -1.0 : 0.0);

			for (a = 0; a < n; a++)
				product = dps_iv_add(product, dps_iv_mul(dps_iv(v[a][i], v[a][i]), dps_iv(v[a][k], v[a][k])));
			sum = dps_add_up(sum, dps_iv_abs(product).hi);
		}
		largest = fmax(largest, sum);
	}
	return largest;
}
