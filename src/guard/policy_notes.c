/*
 * policy_notes.c
 *		Whether a policy would refuse what a query asks.
 *
 * As the ledger decides when it charges (ledger/charge/book.c), by the same comparison (ledger/charge/answer_limits.c):
 * what would be asked and the policies are public, and no row is read.  The policies are read with the rights of the
 * current role, by the view that decides who may see them; whoever is answered about a relation sees all that apply.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "guard/policy_notes.h"
#include "ledger/charge/answer_limits.h"
#include "ledger/entity.h"
#include "ledger/statement.h"

/* A row of dpsens.policies. */
typedef struct Policy
{
	Oid			relation;
	Oid			role;			/* 0: whoever asks */
	bool		is_of_entity;
	bool		overrides;
	DpsAnswerLimits limits;
} Policy;

static DpsStatement read_policies = {
	.text = "SELECT p.epsilon, p.delta, p.statement_epsilon, p.statement_delta, p.mechanisms, p.min_units, p.relation::pg_catalog.oid,"
	" COALESCE(r.oid, 0), p.entity, COALESCE(p.overrides, false) FROM dpsens.policies p"
	" LEFT JOIN pg_catalog.pg_roles r ON r.rolname OPERATOR(pg_catalog.=) p.role"
	" WHERE p.relation::pg_catalog.oid OPERATOR(pg_catalog.=) ANY ($1) ORDER BY p.role, p.entity",
	.nargs = 1, .argtypes = {OIDARRAYOID}
};

static List *
relations_of(const List *items)
{
	List	   *relations = NIL;
	ListCell   *cell;

	foreach(cell, items)
		relations = list_append_unique_oid(relations, ((const DpsChargeItem *) lfirst(cell))->relation);
	return relations;
}

/* They are entities of their own, too. */
static List *
entities_of(const List *items)
{
	List	   *entities = NIL;
	ListCell   *cell;

	foreach(cell, relations_of(items))
		entities = list_concat_unique_oid(entities, dps_entities_of(lfirst_oid(cell)));
	return entities;
}

static Policy *
read_policy(uint64 row)
{
	Policy	   *policy = palloc(sizeof(Policy));

	*policy = (Policy) {
		.relation = DatumGetObjectId(dps_statement_value(row, 7)),
		.role = DatumGetObjectId(dps_statement_value(row, 8)),
		.is_of_entity = DatumGetBool(dps_statement_value(row, 9)),
		.overrides = DatumGetBool(dps_statement_value(row, 10)),
		.limits = dps_statement_limits(row, 1)
	};
	return policy;
}

List *
dps_read_policies(const List *items)
{
	List	   *relations = entities_of(items);
	Datum	   *oids = palloc(sizeof(Datum) * (list_length(relations) + 1));
	List	   *policies = NIL;
	MemoryContext context = CurrentMemoryContext;
	MemoryContext before;
	Datum		values[1];
	ListCell   *cell;
	uint64		i;
	int			n = 0;

	if (items == NIL)
		return NIL;
	foreach(cell, relations)
		oids[n++] = ObjectIdGetDatum(lfirst_oid(cell));
	values[0] = PointerGetDatum(construct_array(oids, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	dps_statement_read(&read_policies, values, NULL);
	before = MemoryContextSwitchTo(context);
	for (i = 0; i < SPI_processed; i++)
		policies = lappend(policies, read_policy(i));
	MemoryContextSwitchTo(before);
	SPI_finish();
	return policies;
}

/* ---- comparing ---- */

static char *
qualified_name(Oid relation)
{
	return psprintf("%s.%s", get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
}

/* The message of the refusal; NULL if there is none. */
static char *
refusal(const Policy *policy, const List *answers, const DpsLimitsOf *of)
{
	DpsChargeAnswer answer;

	return dps_limits_refuse(&policy->limits, answers, of, &answer) ? pstrdup(answer.message) : NULL;
}

static List *
answers_about(const List *items, Oid relation, bool *needs_budget)
{
	List	   *answers = NIL;
	ListCell   *cell;

	*needs_budget = false;
	foreach(cell, items)
	{
		const DpsChargeItem *item = lfirst(cell);

		if (item->relation != relation)
			continue;
		*needs_budget |= item->needs_budget;
		answers = dps_limited_answer(answers, item, 1);
	}
	return answers;
}

/* A release that reads several relations of the entity is one answer. */
static List *
answers_of_persons(const List *items, Oid entity, bool *needs_budget)
{
	List	   *answers = NIL;
	List	   *seen = NIL;
	ListCell   *cell;

	*needs_budget = false;
	foreach(cell, items)
	{
		const DpsChargeItem *item = lfirst(cell);

		if (!list_member_oid(dps_entities_of(item->relation), entity))
			continue;
		*needs_budget |= item->needs_budget;
		if (list_member_int(seen, item->release))
			continue;
		seen = lappend_int(seen, item->release);
		answers = dps_limited_answer(answers, item, item->arms);
	}
	return answers;
}

static char *
shared_refusal(const List *policies, Oid relation, bool of_entity, const List *answers)
{
	DpsLimitsOf of = of_entity ? dps_limits_of_entity(qualified_name(relation)) : dps_limits_of_relation(qualified_name(relation));
	ListCell   *cell;

	foreach(cell, policies)
	{
		const Policy *policy = lfirst(cell);
		char	   *text;

		if (policy->relation == relation && !OidIsValid(policy->role) && policy->is_of_entity == of_entity &&
			(text = refusal(policy, answers, &of)) != NULL)
			return text;
	}
	return NULL;
}

/* What refuses where this budget pays, of a relation or of persons, whose policy for everybody none overrides. */
static char *
budget_refusal(const List *policies, const Policy *own, const List *answers, bool needs_budget)
{
	const char *role = GetUserNameFromId(own->role, false);
	DpsLimitsOf of = own->is_of_entity ? dps_limits_of_role_on_entity(role, qualified_name(own->relation)) :
		dps_limits_of_role(role, qualified_name(own->relation));
	char	   *text = own->overrides || needs_budget ? refusal(own, answers, &of) : NULL;

	return text != NULL || own->overrides ? text : shared_refusal(policies, own->relation, own->is_of_entity, answers);
}

/* The role's own budget pays; if it has none and does not own the relation, one of a group, of which one that admits
 * the answers is enough. */
static char *
relation_refusal(const List *policies, const List *items, Oid relation, bool of_entity)
{
	bool		needs_budget;
	List	   *answers = of_entity ? answers_of_persons(items, relation, &needs_budget) : answers_about(items, relation, &needs_budget);
	bool		has_group = false;
	char	   *first = NULL;
	ListCell   *cell;

	foreach(cell, policies)
	{
		const Policy *policy = lfirst(cell);

		if (policy->relation == relation && policy->is_of_entity == of_entity && policy->role == GetUserId())
			return budget_refusal(policies, policy, answers, needs_budget);
	}
	foreach(cell, dps_owns_relation(relation, GetUserId()) ? NIL : policies)
	{
		const Policy *policy = lfirst(cell);
		char	   *text;

		if (policy->relation != relation || policy->is_of_entity != of_entity || !OidIsValid(policy->role) ||
			!is_member_of_role_nosuper(GetUserId(), policy->role))
			continue;
		has_group = true;
		text = budget_refusal(policies, policy, answers, needs_budget);
		if (text == NULL)
			return NULL;
		if (first == NULL)
			first = text;
	}
	return has_group ? first : shared_refusal(policies, relation, of_entity, answers);
}

char *
dps_policy_note(const List *policies, const List *items)
{
	ListCell   *cell;
	char	   *text = NULL;

	if (policies == NIL)
		return NULL;
	foreach(cell, relations_of(items))
	{
		if ((text = relation_refusal(policies, items, lfirst_oid(cell), false)) != NULL)
			break;
	}
	foreach(cell, text == NULL ? entities_of(items) : NIL)
	{
		if ((text = relation_refusal(policies, items, lfirst_oid(cell), true)) != NULL)
			break;
	}
	return text != NULL ? psprintf("would be refused: %s", text) : NULL;
}
