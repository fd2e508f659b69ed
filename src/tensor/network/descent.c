/*
 * descent.c
 *		Gradient descent: per-example gradients clipped onto a grid, and the
 *		optimizers.
 *
 * Claim: dps_clip_gradient writes a vector of integers whose Euclidean norm is at most
 * `bound`, for any gradient.
 *
 * Proof.  The sum of the squares is computed exactly: each number is below 2^47
 * in magnitude, so 2^31 squares add up below 2^125.  If it exceeds bound^2, all
 * numbers are replaced by 0.
 *
 * That is rare: with C = clip / 2^grid, scaling leaves a norm of at
 * most C (1 + r) with a rounding error r of a few times n 2^-53, and rounding to
 * integers moves the vector by at most sqrt(n) / 2.  bound = ceil(C) +
 * ceil(sqrt(n) / 2) + ceil(C n 2^-50) + 1 leaves room for both.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "num/whole.h"
#include "tensor/network/descent.h"
#include "tensor/internal.h"

/* Bits of the clip in units of the grid. */
#define CLIP_BITS 40

/* For clips between these, the grid, its inverse and products with them are normal
 * doubles. */
#define CLIP_LEAST 0x1p-900
#define CLIP_MOST 0x1p900

/* Sets the clipping with this grid. */
static void
set_grid(DpsClipping *clipping, double clip, int grid, int64_t n)
{
	double		units = ldexp(clip, -grid);

	clipping->clip = clip;
	clipping->grid = grid;
	clipping->bound = dps_to_uint64(ceil(units) + ceil(sqrt((double) n) / 2) + ceil(units * (double) n * 0x1p-50) + 1);
}

bool
dps_clipping_init(DpsClipping *clipping, double clip, int64_t n)
{
	int			exponent;

	if (!(clip >= CLIP_LEAST && clip <= CLIP_MOST) || n < 1 || n > DPS_MAX_ELEMENTS)
		return false;
	(void) frexp(clip, &exponent);
	set_grid(clipping, clip, exponent - CLIP_BITS, n);
	return clipping->bound < DPS_CLIP_LIMIT;
}

/* On its own grid every clip is at least 2^39 and less than 2^40 units.  So on the next
 * finer grid a clip has at least as many units as any other clip on its own grid, and
 * the bound, which grows with the number of units, is at least as large. */
bool
dps_clipping_follow(const DpsClipping *charged, uint64_t charged_scale, double clip, int64_t n,
					DpsClipping *clipping, uint64_t *scale)
{
	unsigned __int128 scaled;

	if (!dps_clipping_init(clipping, clip, n))
		return false;
	if (clipping->bound < charged->bound)
		set_grid(clipping, clip, clipping->grid - 1, n);
	scaled = (unsigned __int128) charged_scale * clipping->bound;
	*scale = (uint64_t) ((scaled + charged->bound - 1) / charged->bound);
	return clipping->bound < DPS_CLIP_LIMIT;
}

/* The Euclidean norm.  If squares overflow or underflow, the numbers are first divided by
 * the greatest magnitude. */
static double
norm_of(const double *x, int64_t n)
{
	double		square = dps_inner_product(x, x, n);
	double		greatest = 0;
	double		sum = 0;
	int64_t		i;

	if (square > 0x1p-900 && square < 0x1p1000)
		return sqrt(square);
	for (i = 0; i < n; i++)
		greatest = fabs(x[i]) <= greatest ? greatest : fabs(x[i]);
	if (greatest == 0 || greatest - greatest != 0)
		return greatest;
	for (i = 0; i < n; i++)
		sum += x[i] / greatest * (x[i] / greatest);
	return greatest * sqrt(sum);
}

static unsigned __int128
sum_of_squares(const int64_t *x, int64_t n)
{
	unsigned __int128 sum = 0;
	int64_t		i;

	for (i = 0; i < n; i++)
		sum += (unsigned __int128) ((__int128) x[i] * x[i]);
	return sum;
}

static bool
exceeds(const int64_t *x, int64_t n, uint64_t bound)
{
	return sum_of_squares(x, n) > (unsigned __int128) bound * bound;
}

uint64_t
dps_clipped_norm(const int64_t *rounded, int64_t n)
{
	return dps_whole_root(sum_of_squares(rounded, n));
}

bool
dps_clip_gradient(const DpsClipping *clipping, const double *gradient, int64_t n, int64_t *rounded)
{
	double		norm = norm_of(gradient, n);
	double		unit = ldexp(1, -clipping->grid);
	double		factor = norm > clipping->clip ? clipping->clip * unit / norm : unit;
	bool		valid = norm - norm == 0;
	int64_t		i;

	for (i = 0; i < n && valid; i++)
	{
		double		units = rint(gradient[i] * factor);

		/* NaN is refused, too */
		if (!(fabs(units) < (double) DPS_CLIP_LIMIT))
			valid = false;
		else
			rounded[i] = dps_to_int64(units);
	}
	if (valid && !exceeds(rounded, n, clipping->bound))
		return true;
	memset(rounded, 0, sizeof(int64_t) * (size_t) n);
	return false;
}

void
dps_project(double *parameters, int64_t n, double limit)
{
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		if (parameters[i] > limit)
			parameters[i] = limit;
		else if (parameters[i] < -limit)
			parameters[i] = -limit;
	}
}

/*
 * Optimizers
 */

static void
step_sgd(double *parameters, const double *gradient, double *states, int64_t n, double rate, double momentum,
		 uint64_t step)
{
	int64_t		i;

	(void) states;
	(void) momentum;
	(void) step;
	for (i = 0; i < n; i++)
		parameters[i] -= rate * gradient[i];
}

static void
step_momentum(double *parameters, const double *gradient, double *states, int64_t n, double rate, double momentum,
			  uint64_t step)
{
	int64_t		i;

	(void) step;
	for (i = 0; i < n; i++)
	{
		states[i] = momentum * states[i] + gradient[i];
		parameters[i] -= rate * states[i];
	}
}

/* Kingma and Ba 2015, Algorithm 1, with their beta 2 and epsilon; beta 1 is the
 * momentum. */
static void
step_adam(double *parameters, const double *gradient, double *states, int64_t n, double rate, double momentum,
		  uint64_t step)
{
	const double second = 0.999;
	const double epsilon = 1e-8;
	double	   *mean = states;
	double	   *square = states + n;
	double		mean_share = 1 - pow(momentum, (double) step);
	double		square_share = 1 - pow(second, (double) step);
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		mean[i] = momentum * mean[i] + (1 - momentum) * gradient[i];
		square[i] = second * square[i] + (1 - second) * gradient[i] * gradient[i];
		parameters[i] -= rate * (mean[i] / mean_share) / (sqrt(square[i] / square_share) + epsilon);
	}
}

static const DpsOptimizer optimizers[] = {
	{"sgd", 0, step_sgd},
	{"momentum", 1, step_momentum},
	{"adam", 2, step_adam},
};

const DpsOptimizer *
dps_find_optimizer(const char *name)
{
	size_t		i;

	for (i = 0; i < sizeof(optimizers) / sizeof(optimizers[0]); i++)
	{
		if (strcmp(optimizers[i].name, name) == 0)
			return &optimizers[i];
	}
	return NULL;
}
