/*
 * sql_similarity.c
 *		dpsens.ssim, dpsens.haarpsi: how alike two grey images look to people.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/array.h"

#include "glue/version.h"
#include "num/whole.h"
#include "tensor/similarity.h"

DPS_SQL_FUNCTION(dpsens_ssim);
DPS_SQL_FUNCTION(dpsens_haarpsi);

/* So that none takes longer than some seconds. */
#define MAX_PIXELS (1 << 20)

enum
{
	ARG_X,
	ARG_Y,
	ARG_COLUMNS,
	ARG_RANGE,
	ARG_WINDOW
};

/* How many columns an image of n pixels has where nobody says so. */
static int
own_columns(const ArrayType *image, int n)
{
	int			side = dps_to_int32(rint(sqrt(n)));

	if (ARR_NDIM(image) == 2)
		return ARR_DIMS(image)[1];
	if (side * side != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an image of %d pixels is no square", n),
				 errhint("Say how many columns it has, or pass a two-dimensional array.")));
	return side;
}

static void
read_shape(FunctionCallInfo fcinfo, const ArrayType *x, const ArrayType *y, DpsImagePair *pair)
{
	int			n = ArrayGetNItems(ARR_NDIM(x), ARR_DIMS(x));

	if (ArrayGetNItems(ARR_NDIM(y), ARR_DIMS(y)) != n ||
		(ARR_NDIM(x) == 2 && ARR_NDIM(y) == 2 && ARR_DIMS(x)[1] != ARR_DIMS(y)[1]))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("images that are compared must have the same size")));
	if (n < 1 || n > MAX_PIXELS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("images must have between 1 and %d pixels", MAX_PIXELS)));
	if (!PG_ARGISNULL(ARG_COLUMNS))
		pair->columns = PG_GETARG_INT32(ARG_COLUMNS);
	else
		pair->columns = ARR_NDIM(x) == 2 ? own_columns(x, n) : own_columns(y, n);
	if (pair->columns < 1 || n % pair->columns != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an image of %d pixels does not have %d columns", n, pair->columns)));
	pair->rows = n / pair->columns;
}

/* The two images; false where one of them, or a pixel, is NULL. */
static bool
read_pair(FunctionCallInfo fcinfo, DpsImagePair *pair)
{
	ArrayType  *x;
	ArrayType  *y;

	if (PG_ARGISNULL(ARG_X) || PG_ARGISNULL(ARG_Y) || PG_ARGISNULL(ARG_RANGE))
		return false;
	pair->range = PG_GETARG_FLOAT8(ARG_RANGE);
	if (!(pair->range > 0 && pair->range < INFINITY))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("data_range must be greater than 0 and finite")));
	x = PG_GETARG_ARRAYTYPE_P(ARG_X);
	y = PG_GETARG_ARRAYTYPE_P(ARG_Y);
	read_shape(fcinfo, x, y, pair);
	pair->x = (const double *) ARR_DATA_PTR(x);
	pair->y = (const double *) ARR_DATA_PTR(y);
	return !array_contains_nulls(x) && !array_contains_nulls(y);
}

static void
check_window(const DpsImagePair *pair, int window)
{
	if (window < 1 || window > DPS_MAX_SSIM_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("window_size must be between 1 and %d", DPS_MAX_SSIM_WINDOW)));
	if (window > pair->rows || window > pair->columns)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("windows of %d by %d pixels do not fit into an image of %d by %d", window, window, pair->rows, pair->columns),
				 errhint("Choose a smaller window_size.")));
}

static Datum
return_similarity(FunctionCallInfo fcinfo, double similarity)
{
	if (!isfinite(similarity))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(similarity);
}

/* ssim(x, y, columns, data_range, window_size) */
Datum
dpsens_ssim(PG_FUNCTION_ARGS)
{
	DpsImagePair pair;

	if (PG_ARGISNULL(ARG_WINDOW) || !read_pair(fcinfo, &pair))
		PG_RETURN_NULL();
	check_window(&pair, PG_GETARG_INT32(ARG_WINDOW));
	return return_similarity(fcinfo, dps_ssim(&pair, PG_GETARG_INT32(ARG_WINDOW)));
}

/* haarpsi(x, y, columns, data_range) */
Datum
dpsens_haarpsi(PG_FUNCTION_ARGS)
{
	DpsImagePair pair;

	if (!read_pair(fcinfo, &pair))
		PG_RETURN_NULL();
	return return_similarity(fcinfo, dps_haarpsi(&pair));
}
