/*
 * unit_vars.c
 *		The unit of a source's rows as columns of its parts.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/owner_hint.h"
#include "guard/query/made_nodes.h"
#include "guard/source/unit_vars.h"

List *
dps_part_columns(const DpsProtectedSource *source, int number, const DpsUnitColumns *columns)
{
	Oid			relation = ((const DpsPart *) list_nth(source->parts, number - 1))->relation;
	List	   *vars = NIL;
	int			i;

	for (i = 0; i < columns->n; i++)
	{
		Oid			type;
		int32		typmod;
		Oid			collation;

		get_atttypetypmodcoll(relation, columns->column[i], &type, &typmod, &collation);
		vars = lappend(vars, makeVar(number, columns->column[i], type, typmod, collation, 0));
	}
	return vars;
}

bool
dps_vars_are_not_null(const DpsProtectedSource *source, const List *vars)
{
	ListCell   *cell;

	foreach(cell, vars)
	{
		if (!dps_var_is_not_null(source, lfirst_node(Var, cell)))
			return false;
	}
	return true;
}

Expr *
dps_any_is_null(const List *vars)
{
	List	   *tests = NIL;
	ListCell   *cell;

	foreach(cell, vars)
		tests = lappend(tests, dps_null_test(copyObject(lfirst_node(Var, cell)), IS_NULL));
	return list_length(tests) == 1 ? linitial(tests) : make_orclause(tests);
}

List *
dps_unit_forms(const DpsProtectedSource *source, const List *vars)
{
	List	   *forms = NIL;
	ListCell   *cell;

	foreach(cell, vars)
	{
		const Var  *var = lfirst_node(Var, cell);
		Expr	   *form = dps_unit_form(var);

		if (form == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("units of several columns are not supported with one of type %s", format_type_be(var->vartype)),
					 errdetail("Equal values of it can have different bytes."),
					 dps_hint_owner(source->relation, DPS_UNIT_FORM_HINT),
					 errposition(dps_query_position(source, source->location))));
		forms = lappend(forms, form);
	}
	return forms;
}
