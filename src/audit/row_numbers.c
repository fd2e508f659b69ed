/*
 * row_numbers.c
 *		The numbers of an evaluated row as SQL values.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "audit/row_numbers.h"

/* An array without NULLs, laid out directly: this is called for every row. */
static Datum
plain_array(const double *values, int n)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + sizeof(float8) * n;
	ArrayType  *array = palloc(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	memcpy(ARR_DATA_PTR(array), values, sizeof(float8) * n);
	return PointerGetDatum(array);
}

static Datum
make_array(const double *values, int n)
{
	bool		finite = n > 0;
	int			j;

	for (j = 0; j < n; j++)
		finite = finite && isfinite(values[j]);
	return finite ? plain_array(values, n) : dps_float8_array(values, n, 1);
}

Datum
dps_row_array(double *const *columns, int n, int row)
{
	double		values[DPS_MAX_VARIABLES];
	int			j;

	/* no reader wants to know the sign of 0 */
	for (j = 0; j < n; j++)
		values[j] = columns[j][row] + 0.0;
	return make_array(values, n);
}

Datum
dps_row_plis(const DpsEvaluator *evaluator, int row, double sigma)
{
	double		values[DPS_MAX_VARIABLES];
	int			j;

	for (j = 0; j < evaluator->nprivate; j++)
		values[j] = dps_evaluator_plis(evaluator, row, j, sigma) + 0.0;
	return make_array(values, evaluator->nprivate);
}

void
dps_row_numbers(const DpsEvaluator *evaluator, int row, Datum *values, bool *nulls)
{
	const DpsDerived *d = &evaluator->derived;
	bool		valid = dps_evaluator_valid(evaluator, row);
	bool		steep = dps_evaluator_steep(evaluator, row);

	nulls[0] = nulls[1] = nulls[5] = !valid;
	nulls[2] = !valid || !isfinite(d->norm[row]);
	nulls[3] = nulls[4] = !steep;
	if (valid)
	{
		values[0] = Float8GetDatum(evaluator->value[row] + 0.0);
		values[1] = dps_row_array(d->gradient, d->n, row);
		values[2] = Float8GetDatum(d->norm[row]);
		values[5] = dps_row_plis(evaluator, row, 1);
	}
	if (steep)
	{
		values[3] = dps_row_array(d->normalized, d->n, row);
		values[4] = dps_row_array(d->partial, d->n, row);
	}
}
