/*
 * shares.c
 *		How answers share epsilon by weights.
 *
 * Precondition: n weights w, each a number in [1e-6, 1e6].
 * Postcondition: factors f in proportion to w with sum(f) <= n and sum(f^2) <= n.  So n answers at f_i epsilon cost together
 * no more epsilon than n at epsilon, and no more rho where rho is a concave function of epsilon^2, as that of Laplace
 * noise is.
 *
 * Proof.  With f_i = w_i / sqrt(sum(w^2) / n) the squares add up to n, and sum(f) <= sqrt(n sum(f^2)) = n (Cauchy and
 * Schwarz).  If r(epsilon^2) is concave, sum r(f_i^2 epsilon^2) <= n r(sum(f_i^2) epsilon^2 / n) = n r(epsilon^2) (Jensen).
 * In doubles sum(w^2) of up to 32 terms is low by less than 33 u of itself, u = 2^-53, the root by half of that and the
 * rest of the steps by 4 u: what is computed exceeds f_i by less than 22 u, which the last factor, 1 - 64 u, takes
 * away.  Nothing overflows or vanishes: squares lie in [1e-12, 1e12].  This says what answers cost together; each is
 * charged what its own epsilon costs, whatever this says.
 */
#include <float.h>
#include <math.h>

#include "account/shares.h"

static bool
is_weight(double weight)
{
	return weight >= DPS_LEAST_WEIGHT && weight <= DPS_GREATEST_WEIGHT;
}

bool
dps_share_by_weights(int n, const double *weights, DpsShares *shares)
{
	double		squares = 0;
	bool		is_even = true;
	int			i;

	shares->n = 0;
	if (n < 1 || n > DPS_MAX_SHARES)
		return false;
	for (i = 0; i < n; i++)
	{
		if (!is_weight(weights[i]))
			return false;
		squares += weights[i] * weights[i];
		is_even = is_even && weights[i] == weights[0];
	}
	shares->n = n;
	for (i = 0; i < n; i++)
		shares->factor[i] = is_even ? 1 : weights[i] / sqrt(squares / n) * (1 - 32 * DBL_EPSILON);
	return true;
}
