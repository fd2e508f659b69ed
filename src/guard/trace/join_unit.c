/*
 * join_unit.c
 *		The unit of the rows of a join.
 *
 * Claim.  Let one unit more or less be in any of the protected parts, or in several at once.  Then the
 * rows of the join that appear or disappear are rows of this unit, and at most as many as the counted
 * part's limits say.
 *
 * Proof.  A row of the join has one row of each protected part, since none is on the optional side of an
 * outer join.  By the conditions checked here the units of these rows are equal: either columns that are
 * declared as units are equal by conditions of the join, each of several with that of the same place, or the unit of a row is, by declaration, that of
 * the row that it refers to and that is joined to it.  So a row of another unit is in no row of the join
 * that has a row of this unit.  The number of a unit's rows in the join is limited after the join
 * (unit_rows.c) by the column that is set here; or it is one, if the counted part has one row of the unit,
 * which is in at most one row of the join (join_proof.c).
 *
 * Places matter: (a, b) of one table and (b, a) of another are not one unit, although each column is equal to one of the
 * other's, since the rows of one person would meet those of another.
 *
 * A table that holds the unit and that the query does not name is added by an outer join.  A row without a
 * reference is a unit by itself, as without joins.  Rows that refer to a row without a unit belong to that
 * row (row_owner.c).  A row whose reference is broken is left out; this requires a constraint that was
 * switched off.
 *
 * Under replace, rows of a unit in one part may become another unit's: their former matches are lost, and
 * they get new ones.  The rows before and after are paired, each within the range that includes 0, so a
 * release moves as if the unit's rows were replaced.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/glue.h"
#include "glue/import/comparison.h"
#include "glue/constraint/reference.h"
#include "glue/import/relabel.h"
#include "glue/owner_hint.h"
#include "guard/query/made_nodes.h"
#include "guard/query/range_table.h"
#include "guard/source/grouped_part.h"
#include "guard/trace/join.h"
#include "guard/source/join_proof.h"
#include "guard/source/unit_vars.h"
#include "guard/trace/join_unit.h"

/* The limit of references to references. */
#define MAX_REFERENCES 8

static DpsPart *
part_of(const DpsProtectedSource *source, int number)
{
	return list_nth(source->parts, number - 1);
}

static Var *
plain_column(Node *node)
{
	node = dps_strip_relabel(node);
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 ? (Var *) node : NULL;
}

static bool
same_column(const Var *a, const Var *b)
{
	return a->varno == b->varno && a->varattno == b->varattno;
}

/* Does the condition equate two columns, in the sense in which GROUP BY of this type, and of theirs, compares them?  Else
 * values that are two units of the one type could be one of the other, as 'a' and 'a ' compared as char(n). */
static bool
equates(Node *condition, Oid type, Var **left, Var **right)
{
	OpExpr	   *call = (OpExpr *) condition;

	if (!IsA(condition, OpExpr) || list_length(call->args) != 2 ||
		dps_type_comparison_strategy(call->opno, type) != BTEqualStrategyNumber)
		return false;
	*left = plain_column(linitial(call->args));
	*right = plain_column(lsecond(call->args));
	return *left != NULL && *right != NULL && (*left)->varcollid == (*right)->varcollid &&
		dps_type_comparison_strategy(call->opno, (*left)->vartype) == BTEqualStrategyNumber &&
		dps_type_comparison_strategy(call->opno, (*right)->vartype) == BTEqualStrategyNumber &&
		call->inputcollid == (*left)->varcollid;
}

static bool
contains_column(const List *columns, const Var *column)
{
	ListCell   *cell;

	foreach(cell, columns)
	{
		if (same_column(lfirst(cell), column))
			return true;
	}
	return false;
}

/* Are the two columns equal in every row of the join? */
static bool
are_equal(const List *conjuncts, Var *a, Var *b)
{
	List	   *reached = list_make1(a);
	bool		changed = true;
	ListCell   *cell;
	Var		   *left;
	Var		   *right;

	while (changed && !contains_column(reached, b))
	{
		changed = false;
		foreach(cell, conjuncts)
		{
			if (!equates(lfirst(cell), a->vartype, &left, &right) ||
				contains_column(reached, left) == contains_column(reached, right))
				continue;
			reached = lappend(reached, contains_column(reached, left) ? right : left);
			changed = true;
		}
	}
	return contains_column(reached, b);
}

/* The same of each two columns of two lists. */
static bool
are_all_equal(const List *conjuncts, const List *a, const List *b)
{
	ListCell   *one;
	ListCell   *other;

	forboth(one, a, other, b)
	{
		if (!are_equal(conjuncts, lfirst(one), lfirst(other)))
			return false;
	}
	return list_length(a) == list_length(b);
}

/* ---- references ---- */

static void
read_reference(const DpsProtectedSource *source, const DpsPart *part, DpsReference *reference)
{
	DpsRelationAnnotation annotation = {0};
	bool		found = dps_find_reference(part->relation, &part->annotation.unit, InvalidOid, reference);

	if (found)
		dps_get_relation_annotation(reference->relation, &annotation);
	if (found && annotation.is_protected && dps_has_unit(&annotation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("nothing says whom the rows of relation \"%s\" belong to", get_rel_name(part->relation)),
			 part->annotation.unit.n > 1 ?
			 errdetail("Columns %s are declared to refer to the row with their unit, which needs one validated foreign key of these columns alone, to columns that they are compared with whatever the time zone, of a protected relation with a unit.",
					   dps_unit_names(part->relation, &part->annotation.unit)) :
			 errdetail("Column \"%s\" is declared to refer to the row with their unit, which needs one validated foreign key of this column alone, to a column that it is compared with whatever the time zone, of a protected relation with a unit.",
					   dps_unit_names(part->relation, &part->annotation.unit)),
			 dps_hint_owner(part->relation, "Create the foreign key, or declare the unit anew with dpsens.protect()."),
			 errposition(dps_query_position(source, source->location))));
}

/* The number of the part that is joined to this part by its reference, or 0. */
static int
find_referenced(const DpsProtectedSource *source, int number, const DpsReference *reference)
{
	List	   *columns = dps_part_columns(source, number, &reference->columns);
	List	   *conjuncts = dps_join_conjuncts(source);
	int			i;

	for (i = 1; i <= list_length(source->parts); i++)
	{
		const DpsPart *part = part_of(source, i);

		if (part->referrer == number ||
			(i != number && part->arms == NIL && part->grouping == NULL && part->relation == reference->relation && !part->nullable &&
			 are_all_equal(conjuncts, dps_part_columns(source, i, &reference->keys), columns)))
			return i;
	}
	return 0;
}

static RangeTblEntry *
make_entry(Oid relation_oid)
{
	Relation	relation = table_open(relation_oid, AccessShareLock);
	TupleDesc	descriptor = RelationGetDescr(relation);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	List	   *names = NIL;
	int			i;

	for (i = 0; i < descriptor->natts; i++)
		names = lappend(names, makeString(pstrdup(NameStr(TupleDescAttr(descriptor, i)->attname))));
	entry->rtekind = RTE_RELATION;
	entry->relid = relation_oid;
	entry->relkind = relation->rd_rel->relkind;
	entry->rellockmode = AccessShareLock;
	entry->inh = relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
	entry->eref = makeAlias(RelationGetRelationName(relation), names);
	entry->inFromCl = true;
	table_close(relation, NoLock);
	return entry;
}

/* FROM ... LEFT JOIN referenced ON equal WHERE column IS NULL OR key IS NOT NULL.  Where one of several columns is NULL
 * the row refers to nothing (MATCH SIMPLE, which is what a constraint says unless it is MATCH FULL). */
static Node *
join_optional(Node *from, int added, Node *equal, const List *columns, Var *key)
{
	JoinExpr   *join = makeNode(JoinExpr);

	join->jointype = JOIN_LEFT;
	join->larg = from;
	join->rarg = dps_range_ref(added);
	join->quals = equal;
	return (Node *) makeFromExpr(list_make1(join), (Node *)
								 make_orclause(list_make2(dps_any_is_null(columns),
														  dps_null_test(copyObject(key), IS_NOT_NULL))));
}

/* key = column, for all of the reference's. */
static Node *
reference_condition(const DpsReference *reference, const List *columns, const List *keys)
{
	List	   *equal = NIL;
	ListCell   *column;
	ListCell   *key;

	forboth(column, columns, key, keys)
		equal = lappend(equal, make_opclause(reference->equality[foreach_current_index(column)], BOOLOID, false,
											 (Expr *) lfirst(key), (Expr *) lfirst(column), InvalidOid,
											 lfirst_node(Var, key)->varcollid));
	return (Node *) make_ands_explicit(equal);
}

static int
add_referenced(DpsProtectedSource *source, int number, const DpsReference *reference)
{
	DpsPart    *part = palloc0(sizeof(DpsPart));
	int			added = list_length(source->parts) + 1;
	List	   *columns = dps_part_columns(source, number, &reference->columns);
	List	   *keys;
	Node	   *equal;

	part->relation = reference->relation;
	part->entry = make_entry(reference->relation);
	part->referrer = number;
	part->nullable = !dps_vars_are_not_null(source, columns);
	dps_get_relation_annotation(reference->relation, &part->annotation);
	source->parts = lappend(source->parts, part);
	keys = dps_part_columns(source, added, &reference->keys);
	equal = reference_condition(reference, columns, keys);
	if (part->nullable)
		source->from = join_optional(source->from, added, equal, columns, linitial_node(Var, keys));
	else
		source->from = (Node *) makeFromExpr(list_make2(source->from, dps_range_ref(added)), equal);
	return added;
}

/* The columns with the unit of a part's rows.  If the join does not contain them, the relation is added if
 * may_add, and else the result is NIL.  Appends the parts on the way there to *owners. */
static List *
find_unit(DpsProtectedSource *source, int number, bool may_add, List **owners)
{
	DpsReference reference;
	int			steps;

	for (steps = 0; steps < MAX_REFERENCES; steps++)
	{
		const DpsPart *part = part_of(source, number);
		int			next;

		*owners = lappend_int(*owners, number);
		if (part->grouping != NULL)
			return dps_grouped_unit(part, number);
		if (!dps_has_unit(&part->annotation) || !part->annotation.unit_by_reference)
			return dps_part_columns(source, number, &part->annotation.unit);
		read_reference(source, part, &reference);
		next = find_referenced(source, number, &reference);
		if (next == 0 && !may_add)
			return NIL;
		/* the foreign key refers to one row with this key, but the joined part may have several */
		if (next > 0 && part_of(source, next)->referrer != number && !dps_prove_key(source, next, &reference.keys))
			dps_refuse_join(source, part_of(source, next), "No unique index proves that a row refers to one of its rows.",
							"Create the foreign key to a column with a unique index that is immediate, of a table without children.");
		number = next > 0 ? next : add_referenced(source, number, &reference);
	}
	dps_refuse_join(source, part_of(source, number), "Its unit is reached through too many foreign keys.",
					"Store the unit nearer to it.");
}

List *
dps_find_part_unit(DpsProtectedSource *source, int number)
{
	List	   *owners = NIL;

	return find_unit(source, number, false, &owners);
}

bool
dps_are_equal_columns(const DpsProtectedSource *source, Var *a, Var *b)
{
	return are_equal(dps_join_conjuncts(source), a, b);
}

/* ---- several protected parts ---- */

/* Are both units the same in every row of the join, the columns of equal places each? */
static bool
are_one_unit(const DpsProtectedSource *source, const List *a, const List *b)
{
	List	   *conjuncts = dps_join_conjuncts(source);
	ListCell   *one;
	ListCell   *other;

	forboth(one, a, other, b)
	{
		if (!same_column(lfirst(one), lfirst(other)) && !are_equal(conjuncts, lfirst(one), lfirst(other)))
			return false;
	}
	return a != NIL && list_length(a) == list_length(b);
}

/* Can a column that both units share be NULL?  If the columns are different, a condition compares them, and NULL
 * satisfies no such condition. */
static bool
may_be_missing(const DpsProtectedSource *source, const List *a, const List *b)
{
	ListCell   *one;
	ListCell   *other;

	forboth(one, a, other, b)
	{
		if (same_column(lfirst(one), lfirst(other)) && !dps_var_is_not_null(source, lfirst(one)))
			return true;
	}
	return false;
}

void
dps_check_same_unit(DpsProtectedSource *source, int number)
{
	const DpsPart *part = part_of(source, number);
	const DpsPart *counted = part_of(source, 1);
	List	   *unit = dps_find_part_unit(source, number);

	if (part->annotation.adjacency != counted->annotation.adjacency ||
		(part->annotation.adjacency != DPS_ADD_REMOVE && part->annotation.adjacency != DPS_REPLACE))
		dps_refuse_join(source, part, psprintf("It and \"%s\" are protected with different adjacencies, or with one that is about single columns.",
											   get_rel_name(counted->relation)),
						"Protect both with adjacency add_remove, or both with replace.");
	if (!are_one_unit(source, source->unit_vars, unit))
		dps_refuse_proof(source, part, psprintf("Nothing says that its rows belong to the same unit as those of \"%s\" that they are joined with.",
											   get_rel_name(counted->relation)),
						"Join protected relations on their units, or a relation whose unit is declared by reference on that foreign key.");
	if (may_be_missing(source, source->unit_vars, unit))
		dps_refuse_join(source, part, "Its unit may be NULL, and a row without a unit could be met by many.",
						"Declare the unit's column NOT NULL.");
}

void
dps_find_join_unit(DpsProtectedSource *source)
{
	const DpsPart *multiplying;
	int			n = list_length(source->parts);
	List	   *keys;
	int			i;

	source->unit_vars = find_unit(source, 1, true, &source->owners);
	for (i = 2; i <= n; i++)
	{
		if (part_of(source, i)->annotation.is_protected)
			dps_check_same_unit(source, i);
	}
	keys = source->indexes;
	/* an added part must match at most one row, too */
	if (dps_prove_join(source, 1, &multiplying) < list_length(source->parts))
		dps_refuse_proof(source, multiplying, "No unique index proves that a row refers to one of its rows.",
						"Create the foreign key to a column with a unique index that is immediate, of a table without children.");
	source->indexes = list_concat_unique_oid(source->indexes, keys);
}
