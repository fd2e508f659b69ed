/*
 * join_proof.c
 *		Proves that a join does not multiply rows.
 *
 * These proofs decide which queries are answered, and that counting rows at execution leaves out none.
 * The privacy guarantee does not rest on them alone (row_owner.c).
 *
 * Claim.  If every part is settled for part p, then each row of p is in at most one row of the join.
 *
 * Proof.  By induction over the order in which parts are settled.  Take a row of p and matching rows of
 * the parts settled so far.  A matching row of the next part k satisfies k.c1 = e1 AND ... AND k.cn = en,
 * where c1 ... cn are all columns of a unique index of k, and the e's are computed from rows of settled
 * parts.  Two such rows of k would have, for each column, two values that are equal to the same value by
 * an operator of the index's operator family, and one that proves something (glue/import/comparison.h).
 * Hence the two values are equal to each other, which the index excludes.  NULLs satisfy no such
 * condition.  On the optional side of an outer join only the conditions of that side and of the join
 * itself are used, and a row without a match is padded once.
 *
 * For a subquery with GROUP BY, its keys take the place of the index columns, with the operators of GROUP
 * BY.  For VALUES the rows are compared (join_list_rows.c).
 *
 * An index proves nothing if its operator class is not built in, since that could define any equality.  It
 * also proves nothing about a snapshot that is older than the index: rows that were deleted before the
 * index was created are still visible there.  So the plan, when it runs, checks that the index existed
 * when the snapshot was taken.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"

#include "glue/constraint/unique_proof.h"
#include "glue/import/comparison.h"
#include "glue/import/relabel.h"
#include "guard/source/grouped_part.h"
#include "guard/source/join_list.h"
#include "guard/source/join_proof.h"

typedef struct Proof
{
	const DpsProtectedSource *source;
	Bitmapset  *settled;		/* numbers of parts */
	List	   *indexes;
} Proof;

/* Parts that are joined without an outer join between them. */
typedef struct Region
{
	List	   *numbers;		/* the numbers of the parts */
	List	   *conjuncts;
	List	   *outer;			/* of JoinExpr *: the outer joins of the region */
} Region;

static List *
conjuncts_of(Node *quals)
{
	if (quals == NULL)
		return NIL;
	/* also extracts conjuncts that all arms of an OR have in common */
	return make_ands_implicit(canonicalize_qual((Expr *) copyObject(quals), false));
}

static void
collect_region(Node *tree, Region *region)
{
	ListCell   *cell;

	if (IsA(tree, RangeTblRef))
		region->numbers = lappend_int(region->numbers, ((RangeTblRef *) tree)->rtindex);
	else if (IsA(tree, FromExpr))
	{
		foreach(cell, ((FromExpr *) tree)->fromlist)
			collect_region(lfirst(cell), region);
		region->conjuncts = list_concat(region->conjuncts, conjuncts_of(((FromExpr *) tree)->quals));
	}
	else
	{
		collect_region(((JoinExpr *) tree)->larg, region);
		region->outer = lappend(region->outer, tree);
	}
}

List *
dps_join_conjuncts(const DpsProtectedSource *source)
{
	Region		region = {0};

	collect_region(source->from, &region);
	return region.conjuncts;
}

/* ---- one part ---- */

static bool
unsettled_walker(Node *node, Proof *proof)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup != 0 || !bms_is_member(((Var *) node)->varno, proof->settled);
	if (IsA(node, SubLink) || IsA(node, Query))
		return true;
	return expression_tree_walker(node, unsettled_walker, proof);
}

/* Does the conjunct equate the column, in the sense of the operator family, with a settled expression? */
static bool
settles_column(Proof *proof, Node *conjunct, int number, AttrNumber column, Oid family, Oid collation)
{
	OpExpr	   *call = (OpExpr *) conjunct;
	int			side;

	if (!IsA(conjunct, OpExpr) || list_length(call->args) != 2 ||
		dps_comparison_strategy(call->opno, family) != BTEqualStrategyNumber ||
		!op_strict(call->opno) || contain_volatile_functions(conjunct) ||
		(OidIsValid(collation) && !dps_same_equality(call->inputcollid, collation)))
		return false;
	for (side = 0; side < 2; side++)
	{
		Var		   *var = (Var *) dps_strip_relabel(list_nth(call->args, side));

		if (IsA(var, Var) && var->varlevelsup == 0 && var->varno == number &&
			var->varattno == column &&
			!unsettled_walker(list_nth(call->args, 1 - side), proof))
			return true;
	}
	return false;
}

/* Can the index prove anything, whatever the conditions? */
static bool
is_proving_index(Relation index)
{
	Form_pg_index form = index->rd_index;
	int			i;

	if (!form->indisunique || !form->indisvalid || !form->indisready || !form->indislive || !form->indimmediate ||
		index->rd_rel->relam != BTREE_AM_OID || !dps_is_plain_index(index))
		return false;
	for (i = 0; i < form->indnkeyatts; i++)
	{
		if (form->indkey.values[i] <= 0 || index->rd_opfamily[i] >= FirstNormalObjectId)
			return false;
	}
	return true;
}

static bool
index_settles(Proof *proof, Oid index_oid, int number, const List *conjuncts)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	bool		proves = is_proving_index(index);
	int			i;

	for (i = 0; proves && i < index->rd_index->indnkeyatts; i++)
	{
		ListCell   *cell;
		bool		found = false;

		foreach(cell, conjuncts)
			found = found || settles_column(proof, lfirst(cell), number, index->rd_index->indkey.values[i],
											index->rd_opfamily[i], index->rd_indcollation[i]);
		proves = found;
	}
	index_close(index, AccessShareLock);
	return proves;
}

/*
 * Does an index of the relation cover all of its rows?  Rows of children by inheritance are in no index of
 * the parent.  The index of a partitioned table covers its partitions.  Foreign partitions are not
 * accepted: uniqueness is not enforced there, and the other server would be asked for rows that private
 * cells name.
 */
static bool
index_covers_all_rows(Relation relation)
{
	ListCell   *cell;

	if (relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return find_inheritance_children(RelationGetRelid(relation), AccessShareLock) == NIL;
	foreach(cell, find_all_inheritors(RelationGetRelid(relation), AccessShareLock, NULL))
	{
		char		kind = get_rel_relkind(lfirst_oid(cell));

		if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
			return false;
	}
	return true;
}

/* GROUP BY leaves one row for equal keys, as the default operators of their types compare them. */
static bool
groups_settle(Proof *proof, int number, const DpsPart *part, const List *conjuncts)
{
	AttrNumber *columns = palloc(sizeof(AttrNumber) * list_length(part->grouping->columns));
	int			n = dps_grouped_keys(part, columns);
	int			i;

	for (i = 0; i < n; i++)
	{
		const Var  *column = dps_grouped_column(part, number, columns[i]);
		Oid			family = lookup_type_cache(getBaseType(column->vartype), TYPECACHE_BTREE_OPFAMILY)->btree_opf;
		bool		found = false;
		ListCell   *cell;

		if (!OidIsValid(family) || family >= FirstNormalObjectId)
			return false;
		foreach(cell, conjuncts)
			found = found || settles_column(proof, lfirst(cell), number, columns[i], family, column->varcollid);
		if (!found)
			return false;
	}
	return true;
}

static bool
is_settled(Node *node, void *proof)
{
	return !unsettled_walker(node, proof) && !contain_volatile_functions(node);
}

static bool
settles(Proof *proof, int number, const List *conjuncts)
{
	const DpsPart *part = list_nth(proof->source->parts, number - 1);
	Relation	relation;
	bool		proves = false;
	ListCell   *cell;

	if (part->grouping != NULL)
		return groups_settle(proof, number, part, conjuncts);
	if (part->constants != NULL)
		return dps_list_meets_once(part, number, conjuncts, is_settled, proof);
	/* no index covers several relations */
	if (part->arms != NIL)
		return false;
	relation = table_open(part->relation, AccessShareLock);
	if (index_covers_all_rows(relation))
	{
		foreach(cell, RelationGetIndexList(relation))
		{
			proves = index_settles(proof, lfirst_oid(cell), number, conjuncts);
			if (!proves)
				continue;
			proof->indexes = list_append_unique_oid(proof->indexes, lfirst_oid(cell));
			break;
		}
	}
	table_close(relation, NoLock);
	return proves;
}

static bool
is_index_of(Oid index_oid, const DpsUnitColumns *columns)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	bool		is_unique = is_proving_index(index);
	int			i;

	for (i = 0; is_unique && i < index->rd_index->indnkeyatts; i++)
		is_unique = dps_is_unit_column(columns, index->rd_index->indkey.values[i]);
	index_close(index, AccessShareLock);
	return is_unique;
}

bool
dps_prove_key(DpsProtectedSource *source, int number, const DpsUnitColumns *columns)
{
	const DpsPart *part = list_nth(source->parts, number - 1);
	Relation	relation;
	bool		proves = false;
	ListCell   *cell;

	if (part->arms != NIL || part->grouping != NULL || part->constants != NULL)
		return false;
	relation = table_open(part->relation, AccessShareLock);
	if (index_covers_all_rows(relation))
	{
		foreach(cell, RelationGetIndexList(relation))
		{
			proves = is_index_of(lfirst_oid(cell), columns);
			if (!proves)
				continue;
			source->indexes = list_append_unique_oid(source->indexes, lfirst_oid(cell));
			break;
		}
	}
	table_close(relation, NoLock);
	return proves;
}

/* ---- all parts ---- */

static bool settle_region(Proof *proof, Region *region);

/* Settles all parts of the optional side of an outer join, or none. */
static bool
settle_optional(Proof *proof, const JoinExpr *join)
{
	Region		region = {0};
	Proof		attempt = *proof;

	collect_region(join->rarg, &region);
	region.conjuncts = list_concat(region.conjuncts, conjuncts_of(join->quals));
	attempt.settled = bms_copy(proof->settled);
	attempt.indexes = list_copy(proof->indexes);
	if (!settle_region(&attempt, &region))
		return false;
	*proof = attempt;
	return true;
}

/* Settles as many parts of the region as possible.  True if these are all, including those of its outer
 * joins. */
static bool
settle_region(Proof *proof, Region *region)
{
	bool		changed = true;
	ListCell   *cell;

	while (changed)
	{
		changed = false;
		foreach(cell, region->numbers)
		{
			if (bms_is_member(lfirst_int(cell), proof->settled) || !settles(proof, lfirst_int(cell), region->conjuncts))
				continue;
			proof->settled = bms_add_member(proof->settled, lfirst_int(cell));
			changed = true;
		}
		foreach(cell, region->outer)
		{
			if (!settle_optional(proof, lfirst(cell)))
				continue;
			region->outer = foreach_delete_current(region->outer, cell);
			changed = true;
		}
	}
	foreach(cell, region->numbers)
	{
		if (!bms_is_member(lfirst_int(cell), proof->settled))
			return false;
	}
	return region->outer == NIL;
}

/* Adds the indexes that prove something about the arms of a UNION ALL and about grouped sources. */
static void
add_arms(DpsProtectedSource *source)
{
	ListCell   *cell;
	ListCell   *arm;

	foreach(cell, source->parts)
	{
		foreach(arm, ((DpsPart *) lfirst(cell))->arms)
			source->indexes = list_concat_unique_oid(source->indexes, ((DpsArm *) lfirst(arm))->source->indexes);
		if (((DpsPart *) lfirst(cell))->grouping != NULL)
			source->indexes = list_concat_unique_oid(source->indexes, ((DpsPart *) lfirst(cell))->grouping->source->indexes);
	}
}

int
dps_prove_join(DpsProtectedSource *source, int number, const DpsPart **multiplying)
{
	Proof		proof = {source, bms_make_singleton(number), NIL};
	Region		region = {0};
	int			i;

	collect_region(source->from, &region);
	*multiplying = NULL;
	(void) settle_region(&proof, &region);
	for (i = 1; i <= list_length(source->parts) && *multiplying == NULL; i++)
	{
		if (!bms_is_member(i, proof.settled))
			*multiplying = list_nth(source->parts, i - 1);
	}
	source->indexes = proof.indexes;
	add_arms(source);
	return bms_num_members(proof.settled);
}
