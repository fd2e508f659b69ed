/*
 * jacobi.h
 *		Rotations of Jacobi's method for the eigenvectors of symmetric matrices.
 *
 * In plain doubles: no proof relies on the vectors being eigenvectors.
 */
#ifndef DPS_BOUND_RELAX_JACOBI_H
#define DPS_BOUND_RELAX_JACOBI_H

#include <math.h>

/* x, y to c x - s y, s x + c y */
static inline void
dps_rotate_pair(double *x, double *y, double c, double s)
{
	double		before = *x;

	*x = c * before - s * *y;
	*y = s * before + c * *y;
}

/* Makes a[p][q] 0 by a rotation in the plane of p and q.  The columns of v are the
 * axes turned by all rotations so far.  Rows of both matrices are `row` doubles apart;
 * n of them count. */
static inline void
dps_jacobi_rotate(double *a, double *v, int row, int n, int p, int q)
{
	double		theta = (a[q * row + q] - a[p * row + p]) / (2 * a[p * row + q]);
	double		t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
	double		c = 1 / sqrt(t * t + 1);
	double		s = t * c;
	int			k;

	if (a[p * row + q] == 0 || !isfinite(t))
		return;
	for (k = 0; k < n; k++)
		dps_rotate_pair(&a[k * row + p], &a[k * row + q], c, s);
	for (k = 0; k < n; k++)
		dps_rotate_pair(&a[p * row + k], &a[q * row + k], c, s);
	for (k = 0; k < n; k++)
		dps_rotate_pair(&v[k * row + p], &v[k * row + q], c, s);
}

#endif							/* DPS_BOUND_RELAX_JACOBI_H */
