/*
 * convolve.c
 *		Products of many distributions on a circle, by Fourier transform.
 *
 * Precondition: all masses are finite and not negative, sizes are powers of 4.
 * Postcondition: the product is not negative, and its distance from the exact circular
 * convolution has at most the returned Euclidean norm.
 *
 * Proof.  u = 2^-53.  Norms are Euclidean unless they say otherwise.
 *
 * One transform.  GSL's mixed-radix transform of 4^p points makes p passes, each
 * an exact unitary map but for a factor 2 and rounding: two layers of complex
 * sums, each within u of its result, and a multiplication by a tabulated root
 * of unity.  A complex product is within sqrt(2) 2u/(1-2u) (as in
 * Higham 2002: either part is off by 2u/(1-2u) of |ac| + |bd| or |ad| + |bc|, neither of which is
 * more than |a + ib| |c + id|).  The root is cos and sin of j (2 pi / n), an angle of at most 2 pi within
 * 1.4u relatively, evaluated within two units in the last place, so within
 * 12u.  A pass is within 2u + 2.9u + 12u < 24u, p passes within 25 p u, relative
 * to the norm; underflow adds less than TINY.  Scaling by 1/n is exact.
 *
 * The product.  A_g is the exact transform of masses a_g, A'_g the computed one,
 * k_g the count, e_g >= |A'_g - A_g|, B_g >= sum of a_g >= |A_g| at every point, and
 * C_g = max(1, B_g + e_g).  At every point
 *		|prod A'^k - prod A^k| <= C sum k_g |A'_g - A_g|,	C = prod C_g^(k_g),
 * so in norm it is at most C sum k_g e_g.  A complex product is within 3u
 * relatively, and a product of factors computed in any order has at most one
 * such error for each: (1 + 3u)^K - 1 <= 4uK relatively, K = sum k_g, where
 * 4uK <= 1/16; underflows are again covered by TINY.
 *
 * The inverse transform divides norms by sqrt(n) and adds its own error.
 * Masses that come out negative are set to 0, which takes them closer to the
 * exact ones.
 */
#include <math.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_complex.h>

#include "account/accountant/convolve.h"
#include "account/elementary.h"

#define UNIT 0x1p-53
#define TINY 0x1p-900

struct DpsConvolution
{
	size_t		size;
	double		transform_error;	/* relative to the norm */
	double	   *masses;
	double	   *work;			/* complex */
	double	   *product;		/* complex, in the frequency domain */
	double		growth;			/* ln C */
	double		error;			/* sum of k_g e_g */
	double		factors;		/* K */
	gsl_fft_complex_wavetable *roots;
	gsl_fft_complex_workspace *scratch;
};

static int
passes(size_t size)
{
	int			result = 0;

	while (size > 1)
	{
		if (size % 4 != 0)
			return -1;
		size /= 4;
		result++;
	}
	return result;
}

/* GSL's own error handler ends the process. */
static DpsStatus
make_tables(DpsConvolution *convolution)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();

	convolution->roots = gsl_fft_complex_wavetable_alloc(convolution->size);
	convolution->scratch = gsl_fft_complex_workspace_alloc(convolution->size);
	gsl_set_error_handler(handler);
	if (convolution->roots == NULL || convolution->scratch == NULL)
		return DPS_NOMEM;
	/* what the error bound was proved for */
	for (size_t i = 0; i < convolution->roots->nf; i++)
	{
		if (convolution->roots->factor[i] != 4)
			return DPS_UNABLE;
	}
	return DPS_OK;
}

DpsStatus
dps_convolution_init(DpsArena *arena, size_t size, DpsConvolution **convolution)
{
	DpsConvolution *result;
	int			count = passes(size);

	*convolution = NULL;
	if (size < DPS_CONVOLUTION_MIN || size > DPS_CONVOLUTION_MAX || count < 0)
		return DPS_DOMAIN;
	result = dps_arena_alloc(arena, sizeof(*result));
	if (result == NULL)
		return DPS_NOMEM;
	*convolution = result;
	result->size = size;
	result->transform_error = 25 * count * UNIT;
	result->masses = dps_arena_alloc(arena, size * sizeof(double));
	result->work = dps_arena_alloc(arena, 2 * size * sizeof(double));
	result->product = dps_arena_alloc(arena, 2 * size * sizeof(double));
	if (result->masses == NULL || result->work == NULL || result->product == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < size; i++)
		result->product[2 * i] = 1.0;
	return make_tables(result);
}

void
dps_convolution_clear(DpsConvolution *convolution)
{
	if (convolution == NULL)
		return;
	if (convolution->roots != NULL)
		gsl_fft_complex_wavetable_free(convolution->roots);
	if (convolution->scratch != NULL)
		gsl_fft_complex_workspace_free(convolution->scratch);
	convolution->roots = NULL;
	convolution->scratch = NULL;
}

double *
dps_convolution_masses(DpsConvolution *convolution)
{
	memset(convolution->masses, 0, convolution->size * sizeof(double));
	return convolution->masses;
}

/* At least the sum of x_i, or of their squares: n additions and products of
 * numbers >= 0 are within 2nu relatively, and squares may underflow. */
static double
rounded_up(double sum, size_t n)
{
	return dps_add_up(dps_mul_up(sum, 1.0 + 8 * (double) n * UNIT), TINY);
}

static double
norm_up(const double *numbers, size_t n)
{
	double		sum = 0.0;

	for (size_t i = 0; i < n; i++)
		sum += numbers[i] * numbers[i];
	return dps_sqrt_up(rounded_up(sum, n));
}

static double
sum_up(const double *numbers, size_t n)
{
	double		sum = 0.0;

	for (size_t i = 0; i < n; i++)
		sum += numbers[i];
	return rounded_up(sum, n);
}

static void
multiply(double *x, double re, double im)
{
	double		real = x[0] * re - x[1] * im;

	x[1] = x[0] * im + x[1] * re;
	x[0] = real;
}

/* *product *= z^count */
static void
multiply_power(double *product, const double *z, uint64_t count)
{
	double		power[2] = {z[0], z[1]};

	for (;;)
	{
		if (count & 1)
			multiply(product, power[0], power[1]);
		count >>= 1;
		if (count == 0)
			return;
		multiply(power, power[0], power[1]);
	}
}

static DpsStatus
transform(DpsConvolution *convolution, double *data, bool forward)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	int			status;

	status = (forward ? gsl_fft_complex_forward : gsl_fft_complex_inverse)
		(data, 1, convolution->size, convolution->roots, convolution->scratch);
	gsl_set_error_handler(handler);
	return status == GSL_SUCCESS ? DPS_OK : DPS_UNABLE;
}

/* The masses' share of the error, for `count` copies. */
static DpsStatus
account_for_error(DpsConvolution *convolution, uint64_t count)
{
	double		times = dps_count_up(count);
	double		sum = sum_up(convolution->masses, convolution->size);
	double		error = dps_mul_up(norm_up(convolution->masses, convolution->size),
								   dps_sqrt_up((double) convolution->size));
	double		excess;

	if (!(sum < INFINITY && error < INFINITY))
		return DPS_DOMAIN;
	error = dps_add_up(dps_mul_up(error, convolution->transform_error), TINY);
	excess = dps_sub_up(dps_add_up(sum, error), 1.0);
	/* ln C_g <= C_g - 1 */
	convolution->growth = dps_add_up(convolution->growth, dps_mul_up(times, fmax(excess, 0.0)));
	convolution->error = dps_add_up(convolution->error, dps_mul_up(times, error));
	convolution->factors = dps_add_up(convolution->factors, times);
	return DPS_OK;
}

DpsStatus
dps_convolution_include(DpsConvolution *convolution, uint64_t count)
{
	DPS_TRY(account_for_error(convolution, count));
	for (size_t i = 0; i < convolution->size; i++)
	{
		convolution->work[2 * i] = convolution->masses[i];
		convolution->work[2 * i + 1] = 0.0;
	}
	DPS_TRY(transform(convolution, convolution->work, true));
	for (size_t i = 0; i < convolution->size; i++)
		multiply_power(convolution->product + 2 * i, convolution->work + 2 * i, count);
	return DPS_OK;
}

DpsStatus
dps_convolution_finish(DpsConvolution *convolution, const double **product, double *error)
{
	double		norm = norm_up(convolution->product, 2 * convolution->size);
	double		rounding = 4 * UNIT * convolution->factors;
	double		total;

	if (!(rounding <= 0x1p-4 && norm < INFINITY && convolution->growth < 64.0))
		return DPS_UNABLE;
	total = dps_mul_up(dps_iv_exp(dps_point(convolution->growth)).hi, convolution->error);
	/* norm is that of the computed product, so 4uK / (1 - 4uK) < 5uK */
	total = dps_add_up(total, dps_mul_up(norm, dps_mul_up(1.25, rounding)));
	total = dps_add_up(total, dps_mul_up(norm, convolution->transform_error));
	total = dps_add_up(dps_div_up(total, dps_sqrt_down((double) convolution->size)), TINY);
	DPS_TRY(transform(convolution, convolution->product, false));
	for (size_t i = 0; i < convolution->size; i++)
		convolution->masses[i] = fmax(convolution->product[2 * i], 0.0);
	*product = convolution->masses;
	*error = total;
	return DPS_OK;
}
