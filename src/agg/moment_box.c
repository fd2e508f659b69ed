/*
 * moment_box.c
 *		Statistics of second moments that are known up to noise.
 *
 * Means and covariances are computed for the centred integers z, where nothing
 * cancels but what has to, and brought to the values' units last.  What the
 * values' ranges imply is used: |mean| <= R, 0 <= variance <= R^2 (Popoviciu), n >= 2
 * where a sample variance exists, so that it is at most twice the variance.
 */
#include <math.h>

#include "agg/moment_box.h"

#define ENTRIES DPS_MAX_ENTRIES

void
dps_moment_box(const DpsMomentDesign *design, const DpsMomentBasis *basis, const double *output,
			   const double *reach, double count, DpsMomentBox *box)
{
	int			n = dps_moment_count(design);
	int			i;
	int			k;

	box->design = design;
	for (i = 0; i < n; i++)
	{
		const DpsMomentInverse *inverse = &basis->inverse[i];
		DpsInterval sum = dps_iv(0.0, 0.0);

		for (k = 0; k < inverse->nterms; k++)
		{
			int			place = inverse->output[k];
			DpsInterval term = dps_iv(count, count);

			if (place < basis->noutputs)
				term = dps_iv(dps_sub_down(output[place], reach[place]), dps_add_up(output[place], reach[place]));
			sum = dps_iv_add(sum, dps_iv_mul(dps_iv(inverse->weight[k], inverse->weight[k]), term));
		}
		box->moment[i] = sum;
	}
}

/* ---- pieces ---- */

static DpsInterval
clamp(DpsInterval x, double lo, double hi)
{
	return dps_iv(fmin(fmax(x.lo, lo), hi), fmin(fmax(x.hi, lo), hi));
}

/* Times 2^k. */
static DpsInterval
shift(DpsInterval x, int k)
{
	return dps_iv(ldexp(x.lo, k), ldexp(x.hi, k));
}

/* Worse of two statuses: neither of these is OK if one is not. */
static DpsStatus
worse(DpsStatus a, DpsStatus b)
{
	if (a == DPS_DOMAIN || b == DPS_DOMAIN)
		return DPS_DOMAIN;
	return a != DPS_OK ? a : b;
}

static const DpsMomentValue *
value(const DpsMomentBox *box, int k)
{
	return &box->design->value[box->pick[k]];
}

static double
largest(const DpsMomentBox *box, int k)
{
	return (double) value(box, k)->radius;
}

/* Are there more than `least` rows? */
static DpsStatus
check_rows(const DpsMomentBox *box, double least)
{
	if (!(box->moment[0].hi > least))
		return DPS_DOMAIN;
	return box->moment[0].lo > least ? DPS_OK : DPS_UNABLE;
}

/* The mean of z. */
static DpsStatus
mean(const DpsMomentBox *box, int k, DpsInterval *result)
{
	DpsStatus	status = check_rows(box, 0.0);
	double		limit = largest(box, k);

	*result = dps_iv(-limit, limit);
	if (status == DPS_OK)
		*result = clamp(dps_iv_div(box->moment[dps_moment_linear(box->pick[k])], box->moment[0]), -limit, limit);
	return status;
}

/* The covariance of z_k and z_l; the variance for k = l. */
static DpsStatus
covariance(const DpsMomentBox *box, int k, int l, DpsInterval *result)
{
	DpsStatus	status = check_rows(box, 0.0);
	double		limit = largest(box, k) * largest(box, l);
	int			moment = dps_moment_cross(box->design, box->pick[k], box->pick[l]);
	DpsInterval means[2];
	DpsInterval product;

	*result = dps_iv(box->pick[k] == box->pick[l] ? 0.0 : -limit, limit);
	if (status != DPS_OK)
		return status;
	(void) mean(box, k, &means[0]);
	(void) mean(box, l, &means[1]);
	product = box->pick[k] == box->pick[l] ? dps_iv_sqr(means[0]) : dps_iv_mul(means[0], means[1]);
	*result = clamp(dps_iv_sub(shift(dps_iv_div(box->moment[moment], box->moment[0]), box->design->bits), product),
					result->lo, result->hi);
	return DPS_OK;
}

/* n / (n - 1), at most 2. */
static DpsStatus
sample_factor(const DpsMomentBox *box, DpsInterval *factor)
{
	DpsStatus	status = check_rows(box, 1.0);
	DpsInterval n = clamp(box->moment[0], 2.0, INFINITY);

	/* 1 + 1 / (n - 1) */
	*factor = dps_iv_add(dps_iv(1.0, 1.0), dps_iv_div(dps_iv(1.0, 1.0), dps_iv_sub(n, dps_iv(1.0, 1.0))));
	return status;
}

static DpsInterval
to_units(const DpsMomentBox *box, int k, int l, DpsInterval z)
{
	return shift(shift(z, value(box, k)->grid), value(box, l)->grid);
}

static DpsStatus
population(const DpsMomentBox *box, int k, int l, DpsInterval *result)
{
	DpsStatus	status = covariance(box, k, l, result);

	*result = to_units(box, k, l, *result);
	return status;
}

static DpsStatus
sample(const DpsMomentBox *box, int k, int l, DpsInterval *result)
{
	DpsInterval factor;
	DpsStatus	status = sample_factor(box, &factor);

	status = worse(status, population(box, k, l, result));
	*result = dps_iv_mul(*result, factor);
	return status;
}

/* The mean of a value in its unit. */
static DpsStatus
value_mean(const DpsMomentBox *box, int k, DpsInterval *result)
{
	double		centre = (double) value(box, k)->centre;
	DpsStatus	status = mean(box, k, result);

	*result = clamp(shift(dps_iv_add(*result, dps_iv(centre, centre)), value(box, k)->grid),
					value(box, k)->lo, value(box, k)->hi);
	return status;
}

/* Is the variance of z_k positive? */
static DpsStatus
spread(const DpsMomentBox *box, int k, DpsInterval *variance)
{
	DpsStatus	status = covariance(box, k, k, variance);

	if (status == DPS_OK && !(variance->hi > 0.0))
		return DPS_DOMAIN;
	if (status == DPS_OK && !(variance->lo > 0.0))
		return DPS_UNABLE;
	return status;
}

/* ---- statistics ---- */

DpsStatus
dps_moment_variance_pop(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return population(box, 0, 0, result);
}

DpsStatus
dps_moment_variance_samp(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return sample(box, 0, 0, result);
}

DpsStatus
dps_moment_deviation_pop(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	DpsStatus	status = dps_moment_variance_pop(box, entry, result);

	*result = dps_iv_sqrt(*result);
	return status;
}

DpsStatus
dps_moment_deviation_samp(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	DpsStatus	status = dps_moment_variance_samp(box, entry, result);

	*result = dps_iv_sqrt(*result);
	return status;
}

DpsStatus
dps_moment_covariance_pop(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return population(box, 0, 1, result);
}

DpsStatus
dps_moment_covariance_samp(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return sample(box, 0, 1, result);
}

DpsStatus
dps_moment_correlation(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	DpsInterval variances[2];
	DpsInterval joint;
	DpsStatus	status = worse(spread(box, 0, &variances[0]), spread(box, 1, &variances[1]));

	(void) entry;
	*result = dps_iv(-1.0, 1.0);
	if (status != DPS_OK)
		return status;
	(void) covariance(box, 0, 1, &joint);
	joint = dps_iv_div(joint, dps_iv_mul(dps_iv_sqrt(variances[0]), dps_iv_sqrt(variances[1])));
	*result = clamp(joint, -1.0, 1.0);
	return DPS_OK;
}

DpsStatus
dps_moment_r2(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	DpsStatus	status = dps_moment_correlation(box, entry, result);

	*result = clamp(dps_iv_sqr(*result), 0.0, 1.0);
	return status;
}

/* The number of rows is what it is: noised, it can be negative. */
DpsStatus
dps_moment_count_rows(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	*result = box->moment[0];
	return DPS_OK;
}

DpsStatus
dps_moment_mean_x(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return value_mean(box, 1, result);
}

DpsStatus
dps_moment_mean_y(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return value_mean(box, 0, result);
}

/* The sum of products of differences from the means. */
static DpsStatus
sum_of_products(const DpsMomentBox *box, int k, int l, DpsInterval *result)
{
	DpsStatus	status = population(box, k, l, result);

	*result = dps_iv_mul(*result, clamp(box->moment[0], 0.0, INFINITY));
	return status;
}

DpsStatus
dps_moment_sum_xx(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return sum_of_products(box, 1, 1, result);
}

DpsStatus
dps_moment_sum_yy(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return sum_of_products(box, 0, 0, result);
}

DpsStatus
dps_moment_sum_xy(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return sum_of_products(box, 0, 1, result);
}

/* ---- regression ---- */

/* The normal equations of the z: matrix | right side. */
typedef struct Equations
{
	int			n;
	DpsInterval cell[ENTRIES][ENTRIES];
} Equations;

static void
set_up(const DpsMomentBox *box, Equations *equations)
{
	int			i;
	int			j;

	equations->n = box->npicks - 1;
	for (i = 0; i < equations->n; i++)
	{
		for (j = 0; j < equations->n; j++)
			(void) covariance(box, i + 1, j + 1, &equations->cell[i][j]);
		(void) covariance(box, i + 1, 0, &equations->cell[i][equations->n]);
	}
}

/*
 * Elimination without exchanges: pivots of a covariance matrix are positive, and
 * one that is not says that there is no solution.
 */
static DpsStatus
eliminate(Equations *equations)
{
	int			n = equations->n;
	int			i;
	int			j;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (!(equations->cell[k][k].hi > 0.0))
			return DPS_DOMAIN;
		if (!(equations->cell[k][k].lo > 0.0))
			return DPS_UNABLE;
		for (i = k + 1; i < n; i++)
		{
			DpsInterval factor = dps_iv_div(equations->cell[i][k], equations->cell[k][k]);

			for (j = k + 1; j <= n; j++)
				equations->cell[i][j] = dps_iv_sub(equations->cell[i][j], dps_iv_mul(factor, equations->cell[k][j]));
		}
	}
	return DPS_OK;
}

static void
substitute(const Equations *equations, DpsInterval *slopes)
{
	int			n = equations->n;
	int			i;
	int			j;

	for (i = n - 1; i >= 0; i--)
	{
		DpsInterval rest = equations->cell[i][n];

		for (j = i + 1; j < n; j++)
			rest = dps_iv_sub(rest, dps_iv_mul(equations->cell[i][j], slopes[j]));
		slopes[i] = dps_iv_div(rest, equations->cell[i][i]);
	}
}

/* The slopes of y by each x, in their units. */
static DpsStatus
solve(const DpsMomentBox *box, DpsInterval *slopes)
{
	Equations	equations;
	DpsStatus	status = check_rows(box, 0.0);
	int			i;

	for (i = 0; i < box->npicks - 1; i++)
		slopes[i] = DPS_ENTIRE;
	if (status != DPS_OK)
		return status;
	set_up(box, &equations);
	DPS_TRY(eliminate(&equations));
	substitute(&equations, slopes);
	for (i = 0; i < equations.n; i++)
		slopes[i] = shift(slopes[i], value(box, 0)->grid - value(box, i + 1)->grid);
	return DPS_OK;
}

DpsStatus
dps_moment_regression(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	DpsInterval slopes[ENTRIES];
	DpsStatus	status = solve(box, slopes);
	DpsInterval one;
	int			i;

	if (entry > 0 || status != DPS_OK)
	{
		*result = slopes[entry > 0 ? entry - 1 : 0];
		return status;
	}
	(void) value_mean(box, 0, result);
	for (i = 1; i < box->npicks; i++)
	{
		(void) value_mean(box, i, &one);
		*result = dps_iv_sub(*result, dps_iv_mul(slopes[i - 1], one));
	}
	return DPS_OK;
}

DpsStatus
dps_moment_slope(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return dps_moment_regression(box, 1, result);
}

DpsStatus
dps_moment_intercept(const DpsMomentBox *box, int entry, DpsInterval *result)
{
	(void) entry;
	return dps_moment_regression(box, 0, result);
}
