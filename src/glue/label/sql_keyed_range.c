/*
 * sql_keyed_range.c
 *		dpsens_internal.key_ranges: ranges of a column that hold where another column has a value, for the view
 *		dpsens.key_ranges.
 *
 * Declarations are labels, which everybody may read.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/label/keyed_range.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_key_ranges);

/* key_ranges(relation, column_number): key_column, key, lo, hi; no rows where the column is gone */
Datum
dps_key_ranges(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	AttrNumber	column = PG_GETARG_INT16(1);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	/* a dropped column has no type */
	if (!OidIsValid(get_atttype(relation, column)))
		return (Datum) 0;
	foreach(cell, dps_keyed_ranges(relation, column))
	{
		const DpsKeyedRange *range = lfirst(cell);
		NameData	name;
		Datum		values[5];
		bool		nulls[5] = {false};

		namestrcpy(&name, range->key_name);
		values[0] = NameGetDatum(&name);
		values[1] = CStringGetTextDatum(range->value);
		values[2] = Float8GetDatum(range->lo);
		values[3] = Float8GetDatum(range->hi);
		values[4] = BoolGetDatum(range->key != InvalidAttrNumber);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
