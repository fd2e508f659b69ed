/*
 * union_columns.c
 *		The arms of a UNION ALL, and what is known of its columns: what holds in all
 *		arms (join_union.c has the claim).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "glue/import/builtin.h"
#include "glue/import/cell.h"
#include "glue/label/label.h"
#include "guard/source/union_columns.h"

/* Has the column in all arms the type of the union's column? */
static bool
has_type(const DpsPart *part, int column)
{
	Oid			type = list_nth_oid(((SetOperationStmt *) part->entry->subquery->setOperations)->colTypes, column - 1);
	ListCell   *cell;

	foreach(cell, part->arms)
	{
		const Node *one = list_nth(((const DpsArm *) lfirst(cell))->columns, column - 1);

		if (one == NULL || exprType(one) != type)
			return false;
	}
	return true;
}

void
dps_check_union_column(const DpsProtectedSource *source, const Var *var)
{
	const DpsPart *part = dps_var_part(source, var);

	if (part->arms != NIL && !has_type(part, var->varattno))
		dps_refuse_source(source, "a column of UNION ALL that is computed, or converted, in one of its queries is",
						  "Select columns of the same type in all of them, and compute outside.");
}

int
dps_union_arms(const DpsProtectedSource *source)
{
	const DpsPart *counted = source->parts != NIL ? linitial(source->parts) : NULL;
	int			arms = 0;
	ListCell   *cell;

	check_stack_depth();
	if (counted == NULL || counted->arms == NIL)
		return 1;
	foreach(cell, counted->arms)
		arms += dps_union_arms(((const DpsArm *) lfirst(cell))->source);
	return arms;
}

/* Changes a to what holds for values of both columns. */
static void
join_annotations(DpsColumnAnnotation *a, const DpsColumnAnnotation *b)
{
	a->has_range = a->has_range && b->has_range;
	a->lo = Min(a->lo, b->lo);
	a->hi = Max(a->hi, b->hi);
	a->is_public = a->is_public && b->is_public;
	a->has_values = a->has_values && b->has_values;
}

static bool
same_values(const DpsColumnAnnotation *one_annotation, const DpsColumnAnnotation *other_annotation)
{
	DpsTexts	a = {0};
	DpsTexts	b = {0};

	if (!one_annotation->has_values || !other_annotation->has_values)
		return false;
	dps_declared_texts(one_annotation->values_of, one_annotation->values_column, InvalidSnapshot, &a);
	dps_declared_texts(other_annotation->values_of, other_annotation->values_column, InvalidSnapshot, &b);
	return a.n == b.n && a.end - a.bytes == b.end - b.bytes && memcmp(a.bytes, b.bytes, a.end - a.bytes) == 0;
}

/* The annotation of a constant: public, since the query contains it, and with a range of one value. */
static void
get_constant_annotation(const Const *constant, DpsColumnAnnotation *annotation)
{
	DpsType		type;

	memset(annotation, 0, sizeof(*annotation));
	annotation->is_public = true;
	annotation->has_range = dps_type_from_oid(constant->consttype, &type) || dps_type_has_epoch(constant->consttype);
	if (annotation->has_range && !constant->constisnull)
		annotation->lo = annotation->hi = dps_read_cell(getBaseType(constant->consttype), constant->constvalue);
}

static void
get_arm_annotation(const DpsArm *arm, AttrNumber column, DpsColumnAnnotation *annotation)
{
	Node	   *node = list_nth(arm->columns, column - 1);

	if (IsA(node, Const))
		get_constant_annotation((Const *) node, annotation);
	else
		dps_get_var_annotation(arm->source, (Var *) node, annotation);
}

static bool
is_null(const DpsArm *arm, AttrNumber column)
{
	const Node *node = list_nth(arm->columns, column - 1);

	return IsA(node, Const) && ((const Const *) node)->constisnull;
}

void
dps_get_union_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation)
{
	ListCell   *cell;
	bool		is_first = true;

	/* the annotation of a column that is NULL in all arms */
	memset(annotation, 0, sizeof(*annotation));
	annotation->is_public = annotation->has_range = true;
	foreach(cell, part->arms)
	{
		const DpsArm *arm = lfirst(cell);
		DpsColumnAnnotation one;

		if (is_null(arm, column))
			continue;
		get_arm_annotation(arm, column, &one);
		if (!is_first)
			one.has_values = same_values(&one, annotation);
		if (is_first)
			*annotation = one;
		else
			join_annotations(annotation, &one);
		is_first = false;
	}
	annotation->is_unit = annotation->by_reference = false;
	annotation->weight = 1;
}

bool
dps_union_column_is_not_null(const DpsPart *part, AttrNumber column)
{
	ListCell   *cell;

	foreach(cell, part->arms)
	{
		const DpsArm *arm = lfirst(cell);
		Node	   *one = list_nth(arm->columns, column - 1);

		if (one == NULL || is_null(arm, column) || (IsA(one, Var) && !dps_var_is_not_null(arm->source, (Var *) one)))
			return false;
	}
	return true;
}

const Var *
dps_union_origin(const DpsPart *part, AttrNumber column, bool lacks_range, Oid *relation)
{
	ListCell   *cell;

	*relation = part->relation;
	foreach(cell, part->arms)
	{
		const DpsArm *arm = lfirst(cell);
		const Var  *var = list_nth(arm->columns, column - 1);
		DpsColumnAnnotation annotation;

		if (!IsA(var, Var))
			continue;
		dps_get_var_annotation(arm->source, var, &annotation);
		if (lacks_range && annotation.has_range)
			continue;
		*relation = dps_var_relation(arm->source, var);
		return var;
	}
	return NULL;
}

/* The distinct constants, in the order of the arms. */
const DpsValues *
dps_union_constants(const DpsPart *part, AttrNumber column)
{
	const Node *first = list_nth(((const DpsArm *) linitial(part->arms))->columns, column - 1);
	TypeCacheEntry *type = lookup_type_cache(exprType(first), TYPECACHE_CMP_PROC_FINFO);
	Datum	   *datums = palloc(sizeof(Datum) * list_length(part->arms));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, part->arms)
	{
		const Const *constant = list_nth(((const DpsArm *) lfirst(cell))->columns, column - 1);
		int			i;

		if (!IsA(constant, Const) || !OidIsValid(type->cmp_proc))
			return NULL;
		for (i = 0; !constant->constisnull && i < n; i++)
		{
			if (DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, exprCollation(first), datums[i], constant->constvalue)) == 0)
				break;
		}
		if (!constant->constisnull && i == n)
			datums[n++] = constant->constvalue;
	}
	return dps_values_make(exprType(first), exprTypmod(first), exprCollation(first), datums, n);
}
