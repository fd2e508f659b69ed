/*
 * level_release.c
 *		(b) of a level: the draws, one for each state of each group (rewrite.c).
 *
 * Every declared key is a row, in the order of declaration, because the order of a join's rows would show
 * which groups are empty.  A group without rows has a NULL state.  If a key is not declared, the rows are
 * those groups of (a) that are shown (undeclared_groups.c), in the order of their keys.
 *
 * The calls that draw have no argument epsilon: it is in the release's constant, or in a column that the
 * charge reads.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "agg/aggregate.h"
#include "glue/glue.h"
#include "guard/query/range_table.h"
#include "guard/release/group_states.h"
#include "guard/release/keys.h"
#include "guard/release/undeclared_groups.h"
#include "guard/rewrite/level.h"

/* keys.k = states.k; a NULL key of the data meets no declared key */
static Node *
key_equality(const DpsKey *key, int position, int states_index)
{
	return (Node *) make_opclause(key->clause->eqop, BOOLOID, false,
								  (Expr *) dps_key_var(key, position),
								  (Expr *) makeVar(states_index, position, key->type, key->typmod, key->collation, 0),
								  InvalidOid, key->collation);
}

/*
 * A range table entry for a join, with the columns of both sides.  Nothing refers to them, but the planner
 * requires them.
 */
static RangeTblEntry *
join_entry(JoinType type, List *aliases, int left_columns)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	List	   *names = NIL;
	int			i;

	entry->rtekind = RTE_JOIN;
	entry->jointype = type;
	entry->joinaliasvars = aliases;
	for (i = 1; i <= list_length(aliases); i++)
	{
		names = lappend(names, makeString(psprintf("column %d", i)));
		if (i <= left_columns)
			entry->joinleftcols = lappend_int(entry->joinleftcols, i);
		else
			entry->joinrightcols = lappend_int(entry->joinrightcols, i - left_columns);
	}
	entry->eref = makeAlias("unnamed_join", names);
	entry->inFromCl = true;
	return entry;
}

static Node *
add_join(Query *query, JoinType type, Node *left, Node *right, Node *quals, List *aliases, int left_columns)
{
	JoinExpr   *join = makeNode(JoinExpr);

	query->rtable = lappend(query->rtable, join_entry(type, aliases, left_columns));
	join->jointype = type;
	join->larg = left;
	join->rarg = right;
	join->quals = quals;
	join->rtindex = list_length(query->rtable);
	return (Node *) join;
}

/* The FROM of (b) when there are keys: their product, left-joined to (a). */
static Node *
join_keys(const DpsLevel *level, Query *query, Query *states)
{
	int			nkeys = list_length(level->keys);
	int			states_index = nkeys + 1;
	Node	   *from = dps_range_ref(1);
	Node	   *quals = NULL;
	List	   *aliases = NIL;
	ListCell   *cell;
	int			i;

	for (i = 1; i <= nkeys; i++)
	{
		DpsKey		   *key = list_nth(level->keys, i - 1);
		int			before = list_length(aliases);

		aliases = lappend(aliases, dps_key_var(key, i));
		aliases = lappend(aliases, dps_key_ordinal(i));
		if (i > 1)
			from = add_join(query, JOIN_INNER, from, dps_range_ref(i), NULL, copyObject(aliases), before);
		quals = make_and_qual(quals, key_equality(key, i, states_index));
	}
	i = list_length(aliases);
	foreach(cell, states->targetList)
		aliases = lappend(aliases, makeVarFromTargetEntry(states_index, lfirst_node(TargetEntry, cell)));
	return add_join(query, JOIN_LEFT, from, dps_range_ref(states_index), quals, aliases, i);
}

/* A column with the epsilon of a release, if it is not constant, where the charge finds it. */
static Expr *
epsilon_column(const DpsReleasePlan *plan)
{
	Const	   *number = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(plan->release->number), false, true);

	return (Expr *) makeFuncExpr(dps_epsilon_function(), BOOLOID,
								 list_make2(number, copyObject(plan->epsilon)), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static Expr *
release_call(const DpsReleasePlan *plan, Expr *state)
{
	List	   *arguments = list_make2(dps_plan_constant(plan->release), state);
	bool		is_answer = plan->aggregate->release_function == NULL;

	if (dps_release_takes_keys(plan->aggregate))
		arguments = lappend(arguments, dps_key_array(plan->declared));
	return (Expr *) makeFuncExpr(dps_release_function(plan->aggregate),
								 is_answer ? dps_internal_type("answer") : plan->aggref->aggtype, arguments,
								 is_answer ? InvalidOid : plan->aggref->aggcollid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * A column where the charge finds a parameter.  If the column were the parameter itself, the planner could
 * compute it below a sort, and replace equal parameters above, such as an epsilon, by references to it; but
 * their values are needed before there are rows.  Volatile calls are computed at the top.
 */
static Expr *
parameter_column(Expr *parameter)
{
	Oid			argtypes[1] = {ANYOID};

	if (!IsA(parameter, Param))
		return copyObject(parameter);
	return (Expr *) makeFuncExpr(dps_internal_function("exact_parameter", 1, argtypes), BOOLOID,
								 list_make1(copyObject(parameter)), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The FROM of (b) when groups are declared. */
static Node *
declared_groups(const DpsLevel *level, Query *query, Query *states)
{
	ListCell   *cell;

	foreach(cell, level->keys)
		query->rtable = lappend(query->rtable, dps_key_values(lfirst(cell)));
	query->rtable = lappend(query->rtable, dps_subquery_entry(states, "dpsens states"));
	return level->keys == NIL ? dps_range_ref(1) : join_keys(level, query, states);
}

/* The number of the last target entry of (a) in case of undeclared keys: the group's size, after the keys
 * and states. */
static int
last_of_states(const DpsLevel *level)
{
	return list_length(level->keys) + list_length(level->releases) + 1;
}

/* Sets the entries of (b); returns its FROM. */
static FromExpr *
release_from(const DpsLevel *level, Query *query, Query *states)
{
	if (level->is_folded)
	{
		query->rtable = list_make1(dps_groups_entry(states, level->keys));
		return makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	}
	if (level->groups != NULL)
	{
		query->rtable = list_make1(dps_subquery_entry(states, "dpsens groups"));
		return makeFromExpr(list_make1(dps_range_ref(1)), dps_is_shown(level->groups, last_of_states(level)));
	}
	return makeFromExpr(list_make1(declared_groups(level, query, states)), NULL);
}

static Expr *
release_key(const DpsLevel *level, const Query *states, int number)
{
	if (level->is_folded)
		return dps_group_key(level->keys, number);
	if (level->groups != NULL)
		return dps_shown_key(list_nth(level->keys, number),
							 (Expr *) makeVarFromTargetEntry(1, list_nth_node(TargetEntry, states->targetList, number)));
	return (Expr *) dps_key_var(list_nth(level->keys, number), number + 1);
}

static Expr *
release_state(const DpsLevel *level, int number)
{
	int			nkeys = list_length(level->keys);

	if (level->is_folded)
		return dps_group_state(level->keys, number);
	return (Expr *) makeVar(level->groups != NULL ? 1 : nkeys + 1, nkeys + number + 1, dps_internal_type("state"), -1, InvalidOid, 0);
}

static Expr *
whole_number(int64 value)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false, FLOAT8PASSBYVAL);
}

static Expr *
computed(Oid function, Expr *left, Expr *right)
{
	return (Expr *) makeFuncExpr(function, INT8OID, list_make2(left, right), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The number of the group among all combinations of the keys, from 0; the last key changes first. */
static Expr *
group_ordinal(const DpsLevel *level)
{
	Expr	   *number = whole_number(0);
	int			i;

	if (level->is_folded)
		return dps_group_ordinal(level->keys);
	for (i = 1; i <= list_length(level->keys); i++)
	{
		int64		n = ((const DpsKey *) list_nth(level->keys, i - 1))->values->n;
		Expr	   *place = computed(F_INT8MI, (Expr *) dps_key_ordinal(i), whole_number(1));

		number = computed(F_INT8PL, computed(F_INT8MUL, number, whole_number(n)), place);
	}
	return (Expr *) makeFuncExpr(F_INT4_INT8, INT4OID, list_make1(number), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static void
add_release_target(Query *query, Expr *expression, const char *name)
{
	int			resno = list_length(query->targetList) + 1;

	query->targetList = lappend(query->targetList,
								makeTargetEntry(expression, resno, psprintf("%s %d", name, resno), false));
}

static void
order_groups(const DpsLevel *level, Query *query)
{
	if (level->groups != NULL)
		dps_order_groups(query, list_length(level->keys), last_of_states(level));
	else if (!level->is_folded)
		dps_order_by_declaration(query, list_length(level->keys));
}

Query *
dps_build_release(const DpsLevel *level, Query *states)
{
	Query	   *query = makeNode(Query);
	ListCell   *cell;
	int			i;

	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->jointree = release_from(level, query, states);
	for (i = 0; i < list_length(level->keys); i++)
		add_release_target(query, release_key(level, states, i), "key");
	for (i = 0; i < list_length(level->releases); i++)
		add_release_target(query, release_call(list_nth(level->releases, i), release_state(level, i)), "release");
	if (level->groups != NULL && level->groups->has_rest)
		query->targetList = lappend(query->targetList,
									makeTargetEntry((Expr *) dps_is_rest(last_of_states(level)),
													list_length(query->targetList) + 1, "suppressed", false));
	foreach(cell, level->releases)
	{
		if (isnan(((const DpsReleasePlan *) lfirst(cell))->release->epsilon))
			add_release_target(query, epsilon_column(lfirst(cell)), "epsilon");
	}
	/* columns where the parameters are found before anything is read; otherwise a parameter without a valid
	 * value would be an error at the first row that needs it */
	foreach(cell, level->parameters)
		add_release_target(query, (Expr *) parameter_column(lfirst(cell)), "parameter");
	if (level->numbers_groups)
		add_release_target(query, group_ordinal(level), "group");
	order_groups(level, query);
	return query;
}
