/*
 * matrix.h
 *		Small symmetric matrices of numbers: good directions, as hints, and proved
 *		bounds of their spectra.
 */
#ifndef DPS_BOUND_VECTOR_MATRIX_H
#define DPS_BOUND_VECTOR_MATRIX_H

#include "bound/vector/joint.h"

typedef double DpsMatrix[DPS_MAX_ENTRIES][DPS_MAX_ENTRIES];

extern bool dps_matrix_is_finite(DpsMatrix m, int n);

/* Eigenvectors as the columns of v, eigenvalues on the diagonal of g;
 * approximate, by Jacobi's method. */
extern void dps_diagonalise(DpsMatrix g, DpsMatrix v, int n);

/*
 * A direction c with great c^T g c.  In turn: the eigenvector of length 1 of the
 * greatest eigenvalue, which changes g; a vector of signs, the best found from the
 * signs of each row; the longest row.
 */
extern void dps_steepest_direction(DpsMatrix g, int n, double *c);
extern void dps_steepest_signs(DpsMatrix g, int n, double *c);
extern void dps_steepest_entry(DpsMatrix g, int n, double *c);

/* The spectral radius of a matrix of non-negative entries, rounded up; Infinity if it
 * is not finite. */
extern double dps_spectral_bound(DpsMatrix magnitude, int n);

/* ||V^T V - I||_inf, rounded up; Infinity if V is not finite. */
extern double dps_orthogonality_error(DpsMatrix v, int n);

#endif							/* DPS_BOUND_VECTOR_MATRIX_H */
