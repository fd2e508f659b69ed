/*
 * known.c
 *		Values given for some inputs of a model, as JSON.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "glue/compat.h"
#include "model/known.h"
#include "num/whole.h"

pg_noreturn static void
refuse(const char *name, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" %s", name, what),
			 errhint("Write {\"x3\": 0.5, \"y\": 1}, or {\"features\": [0.5, null, 1]} with null for what stays free.")));
	pg_unreachable();
}

static double
number_of(const char *name, const JsonbValue *value)
{
	double		number = NAN;

	if (value->type == jbvNumeric)
		number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (!isfinite(number))
		refuse(name, "must be a finite number");
	return number;
}

static double *
nothing_known(int64 n)
{
	double	   *values = palloc(sizeof(double) * n);
	int64		i;

	for (i = 0; i < n; i++)
		values[i] = NAN;
	return values;
}

/* An array of n numbers and nulls, of any dimensions, row by row. */
static double *
read_array(const char *name, JsonbContainer *array, int64 n)
{
	double	   *values = nothing_known(n);
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbIteratorToken token;
	JsonbValue	value;
	int64		i = 0;

	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_OBJECT)
			refuse(name, "must be an array of numbers and nulls");
		if (token != WJB_ELEM)
			continue;
		if (i < n && value.type != jbvNull)
			values[i] = number_of(name, &value);
		i++;
	}
	if (i != n)
		refuse(name, psprintf("must have %lld elements, not %lld", (long long) n, (long long) i));
	return values;
}

/* The class, or the only number. */
static double *
read_number(const char *name, const JsonbValue *value, const DpsNetwork *network, int64 n)
{
	double		number = number_of(name, value);
	double	   *values = palloc0(sizeof(double) * n);

	if (network->loss_kind->distribution)
	{
		if (number != rint(number) || number < 0 || number >= (double) n)
			refuse(name, "is no class");
		values[dps_to_int64(number)] = 1;
		return values;
	}
	if (n != 1)
		refuse(name, psprintf("must have %lld elements, not a single number", (long long) n));
	values[0] = number;
	return values;
}

static double *
read_key(DpsKnown *known, const char *name, const DpsNetwork *network, int64 n, bool may_be_number)
{
	JsonbValue *value = getKeyJsonValueFromContainer(known->json, name, strlen(name), NULL);

	if (value == NULL)
		return NULL;
	known->found = lappend(known->found, pstrdup(name));
	if (value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data))
		return read_array(name, value->val.binary.data, n);
	if (!may_be_number)
		refuse(name, "must be an array of numbers and nulls");
	return read_number(name, value, network, n);
}

void
dps_read_known(Jsonb *json, const DpsNetwork *network, DpsKnown *known)
{
	memset(known, 0, sizeof(*known));
	known->json = &json->root;
	if (!JB_ROOT_IS_OBJECT(json))
		refuse("known", "must be an object");
	known->features = read_key(known, "features", network, dps_tensor_size(network->features), false);
	known->target = read_key(known, "target", network, dps_tensor_size(network->target), true);
}

bool
dps_known_value(DpsKnown *known, const char *name, const double *array, int64 i, double *value)
{
	JsonbValue *given = getKeyJsonValueFromContainer(known->json, name, strlen(name), NULL);

	if (given != NULL)
	{
		known->found = lappend(known->found, pstrdup(name));
		if (given->type == jbvNull)
			return false;
		*value = number_of(name, given);
		return true;
	}
	if (array == NULL || isnan(array[i]))
		return false;
	*value = array[i];
	return true;
}

void
dps_check_known(const DpsKnown *known)
{
	JsonbIterator *iterator = JsonbIteratorInit(known->json);
	JsonbIteratorToken token;
	JsonbValue	value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		bool		found = false;
		ListCell   *cell;
		char	   *name;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(value.val.string.val, value.val.string.len);
		foreach(cell, known->found)
			found |= strcmp(lfirst(cell), name) == 0;
		if (!found)
			refuse(name, "is no input of the model");
	}
}
