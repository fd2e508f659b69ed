/*
 * source_columns.c
 *		What is known of the columns of a source: for a relation what is declared, for
 *		other parts what follows from that.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/analysis/row.h"
#include "glue/glue.h"
#include "glue/constraint/not_null.h"
#include "guard/source/grouped_part.h"
#include "guard/source/join_list.h"
#include "guard/source/protected_source.h"
#include "guard/source/union_columns.h"
#include "guard/source/unit_vars.h"

Oid
dps_var_relation(const DpsProtectedSource *source, const Var *var)
{
	return source->parts == NIL ? source->relation : dps_var_part(source, var)->relation;
}

void
dps_get_var_annotation(const DpsProtectedSource *source, const Var *var, DpsColumnAnnotation *annotation)
{
	const DpsPart *part = dps_var_part(source, var);

	if (part != NULL && part->arms != NIL)
		dps_get_union_annotation(part, var->varattno, annotation);
	else if (part != NULL && part->grouping != NULL)
		dps_get_grouped_annotation(part, var->varattno, annotation);
	else if (part != NULL && part->constants != NULL)
		dps_get_list_annotation(part, var->varattno, annotation);
	else
		dps_get_column_annotation(dps_var_relation(source, var), var->varattno, annotation);
	if (part == NULL)
		return;
	if (!part->annotation.is_protected)
		annotation->is_public = var->varattno > 0;
	/* which row matches depends on private cells, so its values do, too */
	if (part->is_private)
		annotation->is_public = false;
}

bool
dps_var_is_not_null(const DpsProtectedSource *source, const Var *var)
{
	const DpsPart *part = dps_var_part(source, var);

	if (part != NULL && part->arms != NIL)
		return dps_union_column_is_not_null(part, var->varattno);
	if (part != NULL && part->grouping != NULL)
		return !part->nullable && dps_grouped_column_is_not_null(part, var->varattno);
	if (part != NULL && part->constants != NULL)
		return !part->nullable && dps_list_column_is_not_null(part, var->varattno);
	return (part == NULL || !part->nullable) && dps_column_is_not_null(dps_var_relation(source, var), var->varattno);
}

char *
dps_var_name(const DpsProtectedSource *source, const Var *var, bool epoch)
{
	const DpsPart *part = dps_var_part(source, var);
	Oid			relation = dps_var_relation(source, var);

	if (part != NULL && part->grouping != NULL)
	{
		char	   *name = dps_grouped_column_name(part, var->varattno);

		return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : name;
	}
	if (part != NULL && part->constants != NULL)
	{
		char	   *name = psprintf("%s.%s", quote_identifier(dps_part_name(part)), dps_list_column_name(part, var->varattno));

		return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : name;
	}
	if (part != NULL && part->arms != NIL)
	{
		const char *name = quote_identifier(strVal(list_nth(part->entry->eref->colnames, var->varattno - 1)));

		return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : pstrdup(name);
	}
	if (source->parts == NIL || var->varno == 1)
		return dps_variable_name(relation, var->varattno, epoch);
	return psprintf("%s.%s", quote_identifier(dps_var_part(source, var)->entry->eref->aliasname),
					dps_variable_name(relation, var->varattno, epoch));
}

void
dps_var_origin(const DpsProtectedSource *source, const Var *var, Oid *relation, AttrNumber *column)
{
	const DpsPart *part = dps_var_part(source, var);

	*relation = dps_var_relation(source, var);
	*column = var->varattno;
	if (part != NULL && part->grouping != NULL && dps_grouped_origin(part, var->varattno) != NULL)
		dps_var_origin(part->grouping->source, dps_grouped_origin(part, var->varattno), relation, column);
	if (part != NULL && part->arms != NIL)
	{
		const Var  *origin = dps_union_origin(part, var->varattno, false, relation);

		*column = origin != NULL ? origin->varattno : InvalidAttrNumber;
	}
}

bool
dps_unit_is_not_null(const DpsProtectedSource *source)
{
	if (source->parts != NIL)
		return dps_vars_are_not_null(source, source->unit_vars);
	return dps_unit_columns_are_not_null(source->relation, &source->annotation.unit);
}

static bool
private_walker(Node *node, const DpsProtectedSource *source)
{
	if (node == NULL)
		return false;
	/* a subquery may depend on columns with which it is correlated */
	if (IsA(node, SubLink))
		return true;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;
		DpsColumnAnnotation annotation;

		if (var->varattno <= 0)
			return true;
		dps_get_var_annotation(source, var, &annotation);
		return !annotation.is_public;
	}
	return expression_tree_walker(node, private_walker, (void *) source);
}

bool
dps_depends_on_private(const DpsProtectedSource *source, Node *expanded)
{
	return private_walker(expanded, source);
}
