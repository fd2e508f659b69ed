/*
 * join_list_rows.c
 *		Compares the rows of a list of constants with each other.
 *
 * Claim.  If the rows of a list are distinct in what a join compares with one value by equality, or are
 * disjoint bands, then no row matches two of them.
 *
 * Proof.  The expressions that the join compares are computed here for each row when the query is planned,
 * and compared by the default order of their type.  Its operator family contains the operator by which the
 * join compares.  So two rows that are equal to the same value are equal to each other.  Rows with NULL in
 * a compared expression match nothing.  For bands see are_disjoint().
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "glue/import/comparison.h"
#include "guard/source/join_list.h"

/* The values of an expression over the list's columns, one for each row. */
typedef struct Computed
{
	Const	  **constants;
	FmgrInfo   *compare;
	Oid			collation;
} Computed;

/* A conjunct that compares a computed expression. */
typedef struct Comparison
{
	Computed	computed;
	Node	   *other;			/* the other side, which has one value */
	int			strategy;		/* the B-tree strategy of: computed operator other */
} Comparison;

typedef struct RowMatch
{
	const DpsConstants *list;
	int			number;
	int			row;
	bool		others;			/* the expression refers to other parts */
} RowMatch;

static Node *
constant_mutator(Node *node, RowMatch *match)
{
	const Var  *var = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, constant_mutator, match);
	if (var->varlevelsup != 0 || var->varno != match->number || var->varattno <= 0)
	{
		match->others = true;
		return copyObject(node);
	}
	return (Node *) copyObject(match->list->columns[var->varattno - 1].constants[match->row]);
}

/* Computes the expression for each row.  False if it refers to other parts, or is not immutable. */
static bool
compute(const DpsConstants *list, int number, Node *expression, Computed *computed)
{
	RowMatch	match = {list, number, 0, false};

	if (contain_mutable_functions(expression) || checkExprHasSubLink(expression) || !contain_var_clause(expression))
		return false;
	computed->constants = palloc(sizeof(Const *) * list->nrows);
	for (match.row = 0; match.row < list->nrows; match.row++)
	{
		Node	   *value = eval_const_expressions(NULL, constant_mutator(expression, &match));

		if (match.others || !IsA(value, Const))
			return false;
		computed->constants[match.row] = (Const *) value;
	}
	return true;
}

/* Reads a comparison by an operator of the type's default order.  False if the conjunct is something else. */
static bool
read_comparison(const DpsConstants *list, int number, OpExpr *call, Comparison *comparison)
{
	int			side;

	if (!IsA(call, OpExpr) || list_length(call->args) != 2 || !op_strict(call->opno))
		return false;
	for (side = 0; side < 2; side++)
	{
		Node	   *expression = list_nth(call->args, side);
		Oid			type = getBaseType(exprType(expression));
		TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_BTREE_OPFAMILY);
		Oid			opno = side == 0 ? call->opno : get_commutator(call->opno);

		if (!OidIsValid(entry->cmp_proc))
			continue;
		comparison->strategy = dps_comparison_strategy(opno, entry->btree_opf);
		if (comparison->strategy == 0 || !compute(list, number, expression, &comparison->computed))
			continue;
		comparison->computed.compare = &entry->cmp_proc_finfo;
		comparison->computed.collation = call->inputcollid;
		comparison->other = list_nth(call->args, 1 - side);
		return true;
	}
	return false;
}

static int
compare_computed(const Computed *computed, int a, const Computed *other, int b)
{
	return DatumGetInt32(FunctionCall2Coll(computed->compare, computed->collation, computed->constants[a]->constvalue,
										   other->constants[b]->constvalue));
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	ListCell   *cell;

	foreach(cell, (const List *) arg)
	{
		const Computed *computed = lfirst(cell);
		int			result = compare_computed(computed, *(const int *) a, computed, *(const int *) b);

		if (result != 0)
			return result;
	}
	return 0;
}

/* Puts the rows without NULL in these expressions into *rows, in their order.  Returns their number. */
static int
sort_rows(int nrows, const List *computed, int *rows)
{
	int			n = 0;
	int			row;
	ListCell   *cell;

	for (row = 0; row < nrows; row++)
	{
		bool		has_null = false;

		foreach(cell, computed)
			has_null |= ((const Computed *) lfirst(cell))->constants[row]->constisnull;
		if (!has_null)
			rows[n++] = row;
	}
	qsort_arg(rows, n, sizeof(int), compare_rows, (void *) computed);
	return n;
}

/* Does any pair of rows differ in one of these expressions? */
static bool
all_differ(int nrows, const List *computed)
{
	int		   *rows = palloc(sizeof(int) * nrows);
	int			n = sort_rows(nrows, computed, rows);
	int			i;

	for (i = 1; i < n; i++)
	{
		if (compare_rows(&rows[i - 1], &rows[i], (void *) computed) == 0)
			return false;
	}
	return true;
}

/*
 * Each row is a band: lower <= x and x < upper, with either comparison strict or not.  Sorted by lower
 * ends, each band ends at or before the lower end of the next one, and strictly before it if both
 * comparisons include their ends.  So no x satisfies both x <= upper of a row and lower' <= x of a later
 * row: lower' is at least the lower end of the next row, which is at least upper.
 */
static bool
are_disjoint(int nrows, const Comparison *lower, const Comparison *upper)
{
	bool		strict = lower->strategy == BTLessStrategyNumber || upper->strategy == BTGreaterStrategyNumber;
	List	   *ends = list_make2((void *) &lower->computed, (void *) &upper->computed);
	int		   *rows = palloc(sizeof(int) * nrows);
	int			n = sort_rows(nrows, ends, rows);
	int			i;

	for (i = 1; i < n; i++)
	{
		int			result = compare_computed(&lower->computed, rows[i], &upper->computed, rows[i - 1]);

		if (result < 0 || (result == 0 && !strict))
			return false;
	}
	return true;
}

static bool
is_lower_end(const Comparison *comparison)
{
	return comparison->strategy == BTLessStrategyNumber || comparison->strategy == BTLessEqualStrategyNumber;
}

static bool
is_upper_end(const Comparison *comparison)
{
	return comparison->strategy == BTGreaterStrategyNumber || comparison->strategy == BTGreaterEqualStrategyNumber;
}

static bool
any_bands(int nrows, const List *comparisons)
{
	ListCell   *one;
	ListCell   *other;

	foreach(one, comparisons)
	{
		const Comparison *lower = lfirst(one);

		foreach(other, comparisons)
		{
			const Comparison *upper = lfirst(other);

			if (is_lower_end(lower) && is_upper_end(upper) && lower->computed.compare == upper->computed.compare &&
				lower->computed.collation == upper->computed.collation && equal(lower->other, upper->other) &&
				are_disjoint(nrows, lower, upper))
				return true;
		}
	}
	return false;
}

bool
dps_list_meets_once(const DpsPart *part, int number, const List *conjuncts,
					bool (*is_settled) (Node *expression, void *context), void *context)
{
	const DpsConstants *list = part->constants;
	List	   *comparisons = NIL;
	List	   *equal_to = NIL;
	ListCell   *cell;

	foreach(cell, conjuncts)
	{
		Comparison *comparison = palloc(sizeof(Comparison));

		if (!read_comparison(list, number, lfirst(cell), comparison) || !is_settled(comparison->other, context))
			continue;
		if (comparison->strategy == BTEqualStrategyNumber)
			equal_to = lappend(equal_to, &comparison->computed);
		else
			comparisons = lappend(comparisons, comparison);
	}
	return list->nrows <= 1 || (equal_to != NIL && all_differ(list->nrows, equal_to)) || any_bands(list->nrows, comparisons);
}

const DpsValues *
dps_list_values(const DpsPart *part, AttrNumber column)
{
	const DpsListColumn *one = &part->constants->columns[column - 1];
	int			nrows = part->constants->nrows;
	Computed	computed = {one->constants, one->compare, one->collation};
	List	   *order = list_make1(&computed);
	int		   *rows = palloc(sizeof(int) * nrows);
	Datum	   *datums = palloc(sizeof(Datum) * nrows);
	int			n;
	int			m = 0;
	int			i;

	if (one->compare == NULL)
		return NULL;
	n = sort_rows(nrows, order, rows);
	for (i = 0; i < n; i++)
	{
		if (i == 0 || compare_rows(&rows[i - 1], &rows[i], order) != 0)
			datums[m++] = one->constants[rows[i]]->constvalue;
	}
	return dps_values_make(one->type, one->typmod, one->collation, datums, m);
}
