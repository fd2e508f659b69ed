/*
 * group_states.c
 *		The states of all declared groups, computed by one aggregate.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "agg/state/groups.h"
#include "base/once.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/relabel.h"
#include "glue/settings.h"
#include "guard/query/exact_states.h"
#include "guard/query/range_table.h"
#include "guard/release/group_states.h"
#include "guard/release/release_plan.h"
#include "guard/trace/unit_rows.h"

/* The columns of the release's only entry. */
#define STATES_COLUMN 1
#define GROUP_COLUMN 2

/* The arguments of the aggregate beside its plan. */
typedef struct Folding
{
	Expr	   *unit;			/* or NULL */
	List	   *keys;			/* of Expr * */
	List	   *arguments;		/* of Expr *: cells */
	DpsCell    *cells;			/* of each argument */
	List	   *filters;		/* of Expr * */
	DpsGroupsInput *inputs;
} Folding;

/* ---- folding ---- */

static int
find_cell(Folding *f, Expr *argument, const DpsCell *cell)
{
	int			n = list_length(f->arguments);
	int			i;

	for (i = 0; i < n; i++)
	{
		if (equal(list_nth(f->arguments, i), argument) && memcmp(&f->cells[i], cell, sizeof(DpsCell)) == 0)
			return i;
	}
	f->cells = n == 0 ? palloc(sizeof(DpsCell)) : repalloc(f->cells, sizeof(DpsCell) * (n + 1));
	f->cells[n] = *cell;
	f->arguments = lappend(f->arguments, argument);
	return n;
}

static int
find_filter(Folding *f, Expr *filter)
{
	int			i;

	if (filter == NULL)
		return -1;
	for (i = 0; i < list_length(f->filters); i++)
	{
		if (equal(list_nth(f->filters, i), filter))
			return i;
	}
	f->filters = lappend(f->filters, filter);
	return i;
}

static void
fold_state(Folding *f, DpsGroupsInput *input, const Aggref *state)
{
	const DpsSummandPlan *summand = dps_state_summand(state);
	DpsSummandParts parts;
	int		   *cells = palloc(sizeof(int) * Max(summand->ncells, 1));
	int			i;

	dps_summand_parts(summand, &parts);
	for (i = 0; i < summand->ncells; i++)
		cells[i] = find_cell(f, dps_state_cell(state, i), &parts.cells[i]);
	input->summand = summand;
	input->cells = cells;
	input->filter = find_filter(f, state->aggfilter);
}

/* The map of each key, or a reference to it; NIL if a key has none that fits. */
static List *
list_maps(const List *keys)
{
	List	   *maps = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const DpsKey *key = lfirst(cell);

		if (key->values->map == NULL || key->values->equality != key->clause->eqop)
			return NIL;
		maps = lappend(maps, key->values->reference != NULL ? (void *) &key->values->reference->key : (void *) key->values->map);
	}
	return maps;
}

static bool
any_tallies(const List *releases)
{
	ListCell   *cell;

	foreach(cell, releases)
	{
		if (((const DpsReleasePlan *) lfirst(cell))->summand->tallies)
			return true;
	}
	return false;
}

/* The server's memory limit of a hash table. */
static Size
memory_limit(void)
{
	return dps_min(get_hash_memory_limit(), MaxAllocSize);
}

static const char *
aggregate_name(const Folding *f, const DpsGroupsPlan *plan)
{
	if (f->unit != NULL)
		return "exact_units";
	return dps_groups_are_parts(plan) ? "exact_parts" : "exact_groups";
}

static void
add_argument(Aggref *aggref, Expr *argument)
{
	aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) argument));
	aggref->args = lappend(aggref->args, makeTargetEntry(argument, list_length(aggref->args) + 1, NULL, false));
}

static void
add_arguments(Aggref *aggref, const List *arguments)
{
	ListCell   *cell;

	foreach(cell, arguments)
		add_argument(aggref, copyObject(lfirst(cell)));
}

static Aggref *
make_aggregate(const Folding *f, const DpsGroupsPlan *plan)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	Aggref	   *aggref = makeNode(Aggref);
	Const	   *constant = makeConst(argtypes[0], -1, InvalidOid, -1, PointerGetDatum(plan), false, false);

	add_argument(aggref, (Expr *) constant);
	if (f->unit != NULL)
		add_arguments(aggref, list_make1(f->unit));
	add_arguments(aggref, f->keys);
	add_arguments(aggref, f->arguments);
	add_arguments(aggref, f->filters);
	aggref->aggfnoid = dps_internal_function(aggregate_name(f, plan),
											 list_length(aggref->args) == 1 ? 1 : 2, argtypes);
	aggref->aggtype = dps_internal_type("states");
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = -1;
	return aggref;
}

static void
fold_entries(Folding *f, const Query *states, int nkeys)
{
	ListCell   *cell;
	int			i = 0;

	f->inputs = palloc0(sizeof(DpsGroupsInput) * list_length(states->targetList));
	foreach(cell, states->targetList)
	{
		Expr	   *expression = lfirst_node(TargetEntry, cell)->expr;

		if (i < nkeys)
			f->keys = lappend(f->keys, expression);
		else
			fold_state(f, &f->inputs[i - nkeys], castNode(Aggref, expression));
		i++;
	}
}

/* Are there too many arguments?  The transition function has its state before them; the memory of a unit's
 * rows holds a limited number of cells and filters. */
static bool
are_too_many(const Folding *f)
{
	int			ncells = list_length(f->arguments);
	int			nfilters = list_length(f->filters);

	return 2 + list_length(f->keys) + ncells + nfilters > FUNC_MAX_ARGS - 1 ||
		(f->unit != NULL && (ncells > DPS_MAX_VARIABLES || nfilters > DPS_MAX_UNIT_FILTERS));
}

bool
dps_fold_groups(const DpsProtectedSource *source, Query *states, const List *keys, const List *releases,
				Expr *unit)
{
	int			nkeys = list_length(keys);
	Folding		f = {.unit = unit};
	DpsUnitBounds bounds;
	List	   *parts;
	DpsGroupsPlan *plan;

	if (!dps_setting_enable_group_states || any_tallies(releases) ||
		list_length(states->targetList) != nkeys + list_length(releases) ||
		(unit != NULL && !dps_unit_bounds(source, unit, &bounds)))
		return false;
	parts = list_maps(keys);
	if (list_length(parts) != nkeys)
		return false;
	fold_entries(&f, states, nkeys);
	if (are_too_many(&f))
		return false;
	plan = dps_groups_build(parts, f.inputs, list_length(releases), f.cells, list_length(f.arguments),
							list_length(f.filters), unit != NULL ? &bounds : NULL);
	if (plan == NULL || !dps_groups_fit(plan, memory_limit(), unit == NULL))
		return false;
	states->targetList = list_make1(makeTargetEntry((Expr *) make_aggregate(&f, plan), 1, pstrdup("states"), false));
	states->groupClause = NIL;
	return true;
}

/* Needs only the keys; the arguments of the states are not used. */
Expr *
dps_group_number(const List *keys, const Query *states)
{
	int			nkeys = list_length(keys);
	List	   *maps = list_maps(keys);
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	DpsGroupsPlan *plan;
	List	   *arguments;
	int			i;

	if (nkeys == 0 || nkeys > FUNC_MAX_ARGS - 1 || list_length(maps) != nkeys)
		return NULL;
	plan = dps_groups_build(maps, NULL, 0, NULL, 0, 0, NULL);
	if (plan == NULL)
		return NULL;
	arguments = list_make1(makeConst(argtypes[0], -1, InvalidOid, -1, PointerGetDatum(plan), false, false));
	for (i = 0; i < nkeys; i++)
		arguments = lappend(arguments, copyObject(list_nth_node(TargetEntry, states->targetList, i)->expr));
	return (Expr *) makeFuncExpr(dps_internal_function("exact_number", 2, argtypes), INT8OID, arguments, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* ---- the release's input ---- */

static Expr *
make_integer(int64 value)
{
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum((int32) value), false, true);
}

/* SELECT states, generate_series(0, groups - 1) FROM (the query) */
static Query *
number_groups(Query *states, int64 ngroups)
{
	Query	   *query = makeNode(Query);
	FuncExpr   *numbers = makeFuncExpr(F_GENERATE_SERIES_INT4_INT4, INT4OID,
									   list_make2(make_integer(0), make_integer(ngroups - 1)),
									   InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	Var		   *block = makeVar(1, 1, dps_internal_type("states"), -1, InvalidOid, 0);

	/* its references to enclosing queries are now one level further */
	IncrementVarSublevelsUp((Node *) states, 1, 1);
	numbers->funcretset = true;
	query->commandType = CMD_SELECT;
	query->rtable = list_make1(dps_subquery_entry(states, "dpsens states"));
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	query->targetList = list_make2(makeTargetEntry((Expr *) block, STATES_COLUMN, pstrdup("states"), false),
								   makeTargetEntry((Expr *) numbers, GROUP_COLUMN, pstrdup("group"), false));
	query->hasTargetSRFs = true;
	return query;
}

RangeTblEntry *
dps_groups_entry(Query *states, const List *keys)
{
	if (keys == NIL)
		return dps_subquery_entry(states, "dpsens states");
	return dps_subquery_entry(number_groups(states, dps_key_combinations(keys)), "dpsens groups");
}

Expr *
dps_group_ordinal(const List *keys)
{
	return keys == NIL ? make_integer(0) : (Expr *) makeVar(1, GROUP_COLUMN, INT4OID, -1, InvalidOid, 0);
}

static Expr *
key_from_range(const DpsKey *key, Expr *group, Expr *repeated)
{
	Oid			argtypes[4] = {ANYELEMENTOID, INT4OID, INT4OID, INT4OID};
	int16		length;
	bool		byval;
	Const	   *first;

	get_typlenbyval(key->type, &length, &byval);
	first = makeConst(key->type, key->typmod, key->collation, length,
					  dps_key_of_integer(key->values->map->first, length), false, byval);
	return (Expr *) makeFuncExpr(dps_internal_function("exact_key", 4, argtypes), key->type,
								 list_make4(first, group, repeated, make_integer(key->values->n)),
								 key->collation, key->collation, COERCE_EXPLICIT_CALL);
}

static Expr *
key_from_array(const DpsKey *key, Expr *group, Expr *repeated)
{
	Oid			argtypes[3] = {ANYARRAYOID, INT4OID, INT4OID};

	return (Expr *) makeFuncExpr(dps_internal_function("exact_key", 3, argtypes), key->type,
								 list_make3(dps_key_array(key), group, repeated),
								 key->collation, key->collation, COERCE_EXPLICIT_CALL);
}

static Expr *
key_from_reference(const DpsKey *key, Expr *group, Expr *repeated)
{
	Oid			argtypes[4] = {dps_internal_type("plan"), ANYELEMENTOID, INT4OID, INT4OID};
	DpsKeysPlan *plan = palloc0(sizeof(DpsKeysPlan));

	SET_VARSIZE(plan, sizeof(DpsKeysPlan));
	plan->version = DPS_KEYS_VERSION;
	plan->reference = *key->values->reference;
	return (Expr *) makeFuncExpr(dps_internal_function("exact_listed_key", 4, argtypes), key->type,
								 list_make4(makeConst(argtypes[0], -1, InvalidOid, -1, PointerGetDatum(plan), false, false),
											makeNullConst(key->type, key->typmod, key->collation), group, repeated),
								 key->collation, key->collation, COERCE_EXPLICIT_CALL);
}

Expr *
dps_group_key(const List *keys, int number)
{
	const DpsKey *key = list_nth(keys, number);
	int64		repeated = 1;
	Expr	   *value;
	int			i;

	for (i = number + 1; i < list_length(keys); i++)
		repeated *= ((const DpsKey *) list_nth(keys, i))->values->n;
	value = (key->values->is_sequence ? key_from_range : key->values->reference != NULL ? key_from_reference : key_from_array)
		(key, dps_group_ordinal(keys), make_integer(repeated));
	if (key->typmod >= 0)
		value = (Expr *) makeRelabelType(value, key->type, key->typmod, key->collation, COERCE_IMPLICIT_CAST);
	return value;
}

Expr *
dps_group_state(const List *keys, int number)
{
	Oid			argtypes[3] = {dps_internal_type("states"), INT4OID, INT4OID};
	Var		   *block = makeVar(1, STATES_COLUMN, argtypes[0], -1, InvalidOid, 0);

	return (Expr *) makeFuncExpr(dps_internal_function("exact_group", 3, argtypes), dps_internal_type("state"),
								 list_make3(block, dps_group_ordinal(keys), make_integer(number)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}
