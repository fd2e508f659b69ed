/*
 * row.c
 *		From a relation's columns and their annotations to an analysis.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "bound/relax/squares.h"
#include "glue/analysis/row.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "glue/label/annotation.h"
#include "glue/label/keyed_range.h"
#include "glue/owner_hint.h"
#include "glue/settings.h"
#include "glue/constraint/not_null.h"

char *
dps_variable_name(Oid relation, AttrNumber column, bool epoch)
{
	const char *name = quote_identifier(get_attname(relation, column, false));

	return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : pstrdup(name);
}

void
dps_refuse_unannotated(Oid relation, AttrNumber column, int position)
{
	char	   *name = get_attname(relation, column, false);
	char	   *table = quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
												   get_rel_name(relation));
	const char *ends = dps_type_has_epoch(get_atttype(relation, column)) ? "'first', 'last'" : "lo, hi";
	char	   *example = dps_keyed_example(relation, column);

	if (example != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("nothing says which range of column \"%s\" of relation \"%s\" counts", name, get_rel_name(relation)),
				 errdetail("Its ranges depend on another column (dpsens.key_ranges), and no range is declared for all rows."),
				 errhint("Say in the query which of its values is meant, by a constant: %s, for instance.", example),
				 errposition(position)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of relation \"%s\" has no declared range", name, get_rel_name(relation)),
			 errdetail("Bounds are derived from the ranges of the columns; the data themselves must not decide them."),
			 dps_hint_owner(relation, "SELECT dpsens.set_range(%s, %s, %s);", quote_literal_cstr(table),
					 quote_literal_cstr(name), ends),
			 errposition(position)));
}

static int
add_column(DpsImport *import, Node *leaf, AttrNumber column, bool epoch)
{
	DpsRowAnalysis *row = (DpsRowAnalysis *) import->context;
	DpsAnalysis *analysis = &row->analysis;
	DpsColumnAnnotation annotation;
	DpsType		type = DPS_NUMERIC;
	bool		nullable = !dps_column_is_not_null(row->relation, column);
	int			j;

	if (!epoch)
		(void) dps_type_from_oid(exprType(leaf), &type);
	dps_get_column_annotation(row->relation, column, &annotation);
	if (!annotation.has_range)
		dps_refuse_unannotated(row->relation, column, dps_text_position(import->source_text, exprLocation(leaf)));
	if (import->graph->nvariables == DPS_MAX_VARIABLES)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("a row expression can use at most %d columns", DPS_MAX_VARIABLES)));
	j = dps_graph_add_variable(import->graph, dps_variable_name(row->relation, column, epoch),
							   type, nullable);
	row->column[j] = column;
	analysis->box[j].lo = annotation.lo;
	analysis->box[j].hi = annotation.hi;
	analysis->box[j].nullness = nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
	analysis->box[j].integral = type == DPS_BOOL || dps_type_is_integer(type);
	analysis->policy.weights[j] = annotation.weight;
	if (!annotation.is_public)
		analysis->policy.private_variables |= UINT64_C(1) << j;
	return j;
}

/* A leaf is a Var of the relation if the expression was parsed from text, a field of
 * the row parameter if it is the body of a function. */
static int
resolve_column(DpsImport *import, Node *leaf, bool epoch)
{
	DpsRowAnalysis *row = (DpsRowAnalysis *) import->context;
	AttrNumber	column;
	int			j;

	column = IsA(leaf, Var) ? ((Var *) leaf)->varattno : dps_body_column(leaf);
	if (column <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a row expression cannot use a system column, a whole row or a parameter"),
				 dps_import_position(import, exprLocation(leaf))));
	for (j = 0; j < import->graph->nvariables; j++)
	{
		/* the column decides `epoch`: dates, timestamps and intervals are always seconds */
		if (row->column[j] == column)
			return j;
	}
	return add_column(import, leaf, column, epoch);
}

static bool
column_range(DpsImport *import, Node *leaf, double *lo, double *hi)
{
	DpsRowAnalysis *row = (DpsRowAnalysis *) import->context;
	AttrNumber	column = IsA(leaf, Var) ? ((Var *) leaf)->varattno : dps_body_column(leaf);
	DpsColumnAnnotation annotation;

	if (column <= 0)
		return false;
	dps_get_column_annotation(row->relation, column, &annotation);
	*lo = annotation.lo;
	*hi = annotation.hi;
	return annotation.has_range;
}

void
dps_prepare_row(Oid relation, Node *expression, const char *source_text, DpsRowAnalysis *row)
{
	DpsAnalysis *analysis = &row->analysis;
	DpsImport	import = {0};

	memset(row, 0, sizeof(*row));
	row->relation = relation;
	analysis->options = dps_setting_bound_options();
	dps_check_status(dps_graph_init(&analysis->graph, dps_server_arena()));
	import.graph = analysis->graph;
	import.resolve = resolve_column;
	import.range = column_range;
	import.context = row;
	import.source_text = source_text;
	analysis->node = dps_as_float8(analysis->graph, dps_import(&import, expression));
	dps_check_status(dps_complete_squares(analysis->graph, analysis->node, analysis->box, &analysis->node));
	analysis->deciding_variables = dps_null_deciding_variables(analysis);
}
