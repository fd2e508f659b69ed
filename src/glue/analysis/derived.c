/*
 * derived.c
 *		Numbers of definitions, section 3 that follow from gradient and Hessian.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "expr/program.h"
#include "glue/analysis/derived.h"

/* The greatest |g_j / w_j| of each row, 1 if that is 0: it is a divisor. */
static void
find_scales(const DpsDerived *d, int nrows, double *scales)
{
	int			i;
	int			j;

	for (i = 0; i < nrows; i++)
		scales[i] = 0;
	for (j = 0; j < d->n; j++)
	{
		const double *slope = d->gradient[j];
		double		weight = d->weights[j];

		for (i = 0; i < nrows; i++)
		{
			double		part = fabs(slope[i] / weight);

			scales[i] = part > scales[i] ? part : scales[i];
		}
	}
	for (i = 0; i < nrows; i++)
		scales[i] = scales[i] > 0 ? scales[i] : 1;
}

/*
 * sqrt(sum (g_j / w_j)^2), scaled by the greatest term so that neither 1e300
 * nor 1e-200 is squared.  A slope that is NaN or infinite makes it NaN.
 */
void
dps_derive_norm(const DpsDerived *d, int nrows)
{
	double		scales[DPS_BATCH];
	double	   *norm = d->norm;
	int			i;
	int			j;

	find_scales(d, nrows, scales);
	for (i = 0; i < nrows; i++)
		norm[i] = 0;
	for (j = 0; j < d->n; j++)
	{
		const double *slope = d->gradient[j];
		double		weight = d->weights[j];

		for (i = 0; i < nrows; i++)
		{
			double		part = slope[i] / weight / scales[i];

			norm[i] += part * part;
		}
	}
	for (i = 0; i < nrows; i++)
		norm[i] = scales[i] * sqrt(norm[i]);
	for (j = 0; j < d->n; j++)
	{
		/* 0 / 0 where the gradient is 0 */
		for (i = 0; i < nrows; i++)
			d->normalized[j][i] = d->gradient[j][i] / d->weights[j] / norm[i];
	}
}

/* sum_k H_jk g_k / w_k^2 / norm */
void
dps_derive_partial(const DpsDerived *d, int nrows)
{
	int			i;
	int			j;
	int			k;

	for (j = 0; j < d->n; j++)
	{
		double	   *partial = d->partial[j];

		for (i = 0; i < nrows; i++)
			partial[i] = d->norm[i] > 0 ? 0 : NAN;
		for (k = 0; k < d->n; k++)
		{
			const double *second = d->hessian[j * d->n + k];
			const double *share = d->normalized[k];
			double		weight = d->weights[k];

			if (second == NULL)
				continue;
			for (i = 0; i < nrows; i++)
				partial[i] += second[i] * (share[i] / weight);
		}
	}
}

Datum
dps_float8_array(const double *values, int n, int ndims)
{
	int			total = ndims == 2 ? n * n : n;
	Datum	   *elements = palloc(sizeof(Datum) * Max(total, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(total, 1));
	int			lengths[2] = {n, n};
	int			starts[2] = {1, 1};
	int			i;

	for (i = 0; i < total; i++)
	{
		elements[i] = Float8GetDatum(values[i]);
		nulls[i] = !isfinite(values[i]);
	}
	return PointerGetDatum(construct_md_array(elements, nulls, n == 0 ? 0 : ndims, lengths, starts,
											  FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
