/*
 * sql_jacobian.c
 *		dpsens.jacobian_sensitivity: the supremum of the Jacobian's norm, by itself.
 *
 * The same bracket as the metric quantities of dpsens.sensitivity, without the searches
 * for the others.  The norm is that of an operator, from the weighted Euclidean distance
 * of rows to the norm of vectors that is asked for; a number has one norm, so of a single
 * expression it is K whatever is asked for.  It needs no data.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "glue/analysis/analysis.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_jacobian_sensitivity);

static DpsGradientNorm
read_norm(double p)
{
	if (p != 1 && p != 2 && !(p > 0 && isinf(p)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("p must be 1, 2 or Infinity"),
				 errhint("Use 1 for the sum of magnitudes, 2 for the Euclidean norm, 'Infinity' for the greatest magnitude.")));
	return p == 1 ? DPS_NORM_1 : p == 2 ? DPS_NORM_2 : DPS_NORM_INFINITY;
}

/* The bracket of the norm, and the note on it or NULL. */
static DpsBracket
find_bracket(DpsVectorAnalysis *vector, DpsGradientNorm norm, char **note)
{
	DpsJointBracket joint;

	if (vector->n > 0)
	{
		dps_vector_quantity(vector, DPS_SUM_METRIC, norm, -1, &joint);
		*note = dps_vector_quantity_note(vector, DPS_SUM_METRIC, -1, &joint);
	}
	else
	{
		dps_quantity(&vector->analysis, DPS_SUM_METRIC, -1, &joint.bracket);
		*note = dps_quantity_note(&vector->analysis, DPS_SUM_METRIC, -1, &joint.bracket);
	}
	return joint.bracket;
}

/* jacobian_sensitivity(expression, ranges, p) */
Datum
dpsens_jacobian_sensitivity(PG_FUNCTION_ARGS)
{
	DpsVectorAnalysis *vector = palloc(sizeof(DpsVectorAnalysis));
	DpsGradientNorm norm = read_norm(PG_GETARG_FLOAT8(2));
	Datum		values[4] = {0};
	bool		nulls[4] = {false};
	TupleDesc	columns;
	DpsBracket	bracket;
	char	   *note;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	dps_prepare_vector_ranges(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1), vector);
	bracket = find_bracket(vector, norm, &note);
	/* -0 is shown as 0 */
	values[0] = Float8GetDatum(bracket.lower + 0.0);
	nulls[0] = !isfinite(bracket.lower);
	values[1] = Float8GetDatum(bracket.status != DPS_OK ? INFINITY : bracket.upper + 0.0);
	values[2] = JsonbPGetDatum(dps_point_to_jsonb(vector->analysis.graph, &bracket.witness));
	nulls[3] = note == NULL;
	if (note != NULL)
		values[3] = CStringGetTextDatum(note);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
