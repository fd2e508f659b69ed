/*
 * book.c
 *		The bookkeeping: budgets, purses and the history of releases.
 *
 * The worker is the only writer of its database, so what it has read is still true when it writes.  If
 * another process has written a purse nevertheless, the update of that purse fails, since it checks who
 * wrote it last.  Budgets are read by MVCC: a curator's uncommitted change neither counts nor blocks.
 *
 * A column with a budget of its own has a purse of its own, one more of the same kind: it is claimed with that
 * of its relation, and either all that a statement claims are charged or none.  The first charge of a column
 * begins with what all releases that are recorded have cost it, those of the time before it had a budget as
 * replaced rows.  From then on each release of the relation is charged to it, whether it has a budget or not.
 *
 * So has an entity with a budget (entity_claims.h), which is charged with the relations that are of it, and so has each
 * role with a budget of an entity: it pays beside the entity's own purse, the same.
 *
 * Before anything is charged the statement is held against all limits that there are: those of the budget that pays,
 * of each relation, and of each entity that its relations are of (answer_limits.h).
 *
 * A purse is read once per batch, charged in memory and written once.  What is known of the ledger is
 * remembered between batches (accounts.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "account/at_order.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/owner.h"
#include "glue/period_end.h"
#include "glue/version.h"
#include "ledger/charge/accounts.h"
#include "ledger/charge/book.h"
#include "ledger/charge/claim.h"
#include "ledger/charge/entity_claims.h"
#include "ledger/charge/failures.h"
#include "ledger/charge/refusals.h"
#include "ledger/cost.h"
#include "ledger/entity.h"
#include "ledger/identity.h"
#include "ledger/journal/seal.h"
#include "ledger/charge/names.h"
#include "ledger/statement.h"

typedef struct Book
{
	TimestampTz now;
	List	   *accounts;		/* of DpsOpenAccount * */
} Book;

/* ---- writing ---- */

static DpsStatement insert_purse = {
	.text = "INSERT INTO dpsens.purse (relation, relation_schema, relation_name, relation_owner, role, role_name,"
	" period_start, spent_epsilon, spent_rho, spent_delta, charges, column_name, renyi_order, spent_renyi)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 OPERATOR(pg_catalog.+) $12, $13, $14, $15)",
	.nargs = 15,
	.argtypes = {DPS_IDENTITY_TYPES, OIDOID, NAMEOID, TIMESTAMPTZOID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, NAMEOID, FLOAT8OID, INT8OID}
};

static DpsStatement update_purse = {
	.text = "UPDATE dpsens.purse AS p SET relation_schema = $2, relation_name = $3, relation_owner = $4,"
	" role_name = $6, period_start = $7, spent_epsilon = $8, spent_rho = $9, spent_delta = $10,"
	" charges = $11 OPERATOR(pg_catalog.+) $12, renyi_order = $14, spent_renyi = $15"
	" WHERE p.relation OPERATOR(pg_catalog.=) $1 AND p.role OPERATOR(pg_catalog.=) $5"
	" AND p.column_name OPERATOR(pg_catalog.=) $13 AND p.xmin OPERATOR(pg_catalog.=) $16",
	.nargs = 16,
	.argtypes = {DPS_IDENTITY_TYPES, OIDOID, NAMEOID, TIMESTAMPTZOID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, NAMEOID, FLOAT8OID, INT8OID,
	XIDOID}
};

static DpsStatement insert_release = {
	.text = "INSERT INTO dpsens.release (relation, relation_schema, relation_name, relation_owner,"
	" statement, released_at, role, role_name, purse_role, purse_role_name, query, expression, adjacency, mechanism,"
	" epsilon, delta, sensitivity, grid, sensitivities, scales, joined, charge_epsilon, charge_rho, charge_delta,"
	" contribution, oldest_change, release, steps, rate, replacement, column_names, column_moves, arms, entities,"
	" payer_entities, payer_roles, payer_names, group_size)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,"
	" $24, $25::pg_catalog.jsonb, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38)",
	.nargs = 38,
	.argtypes = {DPS_IDENTITY_TYPES, INT8OID, TIMESTAMPTZOID, OIDOID, NAMEOID, OIDOID, NAMEOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID,
	FLOAT8OID, FLOAT8OID, FLOAT8OID, INT4OID, INT8ARRAYOID, INT8ARRAYOID, INT8ARRAYOID, INT8OID, INT8OID, INT8OID, TEXTOID,
	INT8OID, INT8OID, INT8OID, FLOAT8OID, INT2OID, NAMEARRAYOID, INT8ARRAYOID, INT4OID, OIDARRAYOID, OIDARRAYOID, OIDARRAYOID,
	NAMEARRAYOID, INT4OID}
};

/* ---- reading ---- */

/* NULL if the relation is not committed. */
static DpsOpenAccount *
find_account(Book *book, Oid relation)
{
	DpsAccount *known;
	DpsOpenAccount *account;
	ListCell   *cell;

	foreach(cell, book->accounts)
	{
		account = lfirst(cell);
		if (account->known->relation == relation)
			return account;
	}
	known = dps_account_find(relation);
	if (known == NULL)
		return NULL;
	account = palloc0(sizeof(DpsOpenAccount));
	account->known = known;
	book->accounts = lappend(book->accounts, account);
	return account;
}

/* The relations of a request are among these accounts; NULL of another that is not committed. */
static const DpsAccount *
known_account(void *book, Oid relation)
{
	const DpsOpenAccount *account = find_account(book, relation);

	return account != NULL ? account->known : NULL;
}

/* The purse of a role's budget of an entity, and that budget; NULL of others. */
static DpsOpenPurse *
make_purse(const Book *book, DpsOpenAccount *account, Oid role, const char *column, const DpsRoleBudget *of_persons)
{
	const DpsPurse *row = dps_account_purse(account->known, role, column);
	DpsOpenPurse *purse = palloc0(sizeof(DpsOpenPurse));

	purse->row = row != NULL ? *row : (DpsPurse) {.role = role, .period_start = book->now};
	purse->exists = row != NULL;
	if (!purse->exists && of_persons != NULL)
		purse->row = dps_account_role_history(account->known, of_persons, book->now);
	namestrcpy(&purse->row.column, column);
	if (!purse->exists && !OidIsValid(role) && dps_is_entity_name(column))
		purse->row.spent = dps_account_entity_history(account->known);
	else if (!purse->exists && !OidIsValid(role) && *column != '\0')
		purse->row.spent = dps_account_column_history(account->known, column);
	if (!purse->exists)
		purse->row.at_order = purse->row.spent.rho;
	return purse;
}

static DpsOpenPurse *
open_purse(const Book *book, DpsOpenAccount *account, Oid role, const char *column, const DpsRoleBudget *of_role)
{
	DpsOpenPurse *purse;
	ListCell   *cell;

	foreach(cell, account->purses)
	{
		purse = lfirst(cell);
		if (purse->row.role == role && strcmp(NameStr(purse->row.column), column) == 0)
			return purse;
	}
	purse = make_purse(book, account, role, column, of_role != NULL && dps_is_entity_name(column) ? of_role : NULL);
	purse->role_name = OidIsValid(role) ? GetUserNameFromId(role, true) : "";
	if (purse->role_name == NULL)
		purse->role_name = of_role->role_name;
	account->purses = lappend(account->purses, purse);
	return purse;
}

/* If the refresh interval has passed, a new period begins with this charge. */
static void
refresh_purse(const Book *book, DpsOpenPurse *purse, const DpsRoleBudget *budget)
{
	if (budget->refresh == NULL || book->now < dps_period_end(purse->row.period_start, budget->refresh))
		return;
	purse->row.period_start = book->now;
	memset(&purse->row.spent, 0, sizeof(purse->row.spent));
	purse->row.at_order = 0;
}

/* The purse of a role's budget, of the relation or of persons, in its present period. */
static DpsOpenPurse *
open_role_purse(const Book *book, DpsOpenAccount *account, const DpsRoleBudget *budget)
{
	DpsOpenPurse *purse = open_purse(book, account, budget->role, NameStr(budget->column), budget);

	refresh_purse(book, purse, budget);
	return purse;
}

/* ---- deciding ---- */

/* Its rho at this Renyi order; at all orders for 0. */
static DpsCost
relation_cost(const DpsCharge *charge, Oid relation, double order)
{
	DpsCost		cost = {0};
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		DpsCost		one;

		if (charge->items[i].relation != relation)
			continue;
		one = dps_item_cost(&charge->items[i], order);
		dps_filter_charge(&cost, &one);
	}
	return cost;
}

/* The cost of a change of one column. */
static DpsCost
column_cost(const DpsCharge *charge, Oid relation, const char *column, double order)
{
	DpsCost		cost = {0};
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		const DpsChargeItem *item = &charge->items[i];
		DpsCost		one;

		if (item->relation != relation)
			continue;
		one = dps_column_cost(item, column, order);
		dps_filter_charge(&cost, &one);
	}
	return cost;
}

/* What a statement costs of the relation's purse, or of one of its columns, or of it as an entity. */
static DpsCost
cost_of(Book *book, const DpsCharge *charge, const DpsPurseClaim *claim, double order)
{
	Oid			relation = claim->account->known->relation;
	const char *column = NameStr(claim->purse->row.column);

	if (dps_claim_is_of_entity(claim))
		return dps_entity_cost(charge, relation, order, known_account, book);
	if (*column != '\0')
		return column_cost(charge, relation, column, order);
	return relation_cost(charge, relation, order);
}

static void
set_costs(Book *book, const DpsCharge *charge, DpsPurseClaim *claim)
{
	dps_claim_take_order(claim);
	claim->cost = cost_of(book, charge, claim, 0);
	claim->at_order = cost_of(book, charge, claim, claim->purse->row.order);
}

static bool
needs_budget(const DpsCharge *charge, Oid relation)
{
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		if (charge->items[i].relation == relation && charge->items[i].needs_budget)
			return true;
	}
	return false;
}

/* The answers of a statement about a relation, as a list of DpsLimitedAnswer *. */
static List *
answers_about(const DpsCharge *charge, Oid relation)
{
	List	   *answers = NIL;
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		const DpsChargeItem *one = &charge->items[i];

		if (one->relation == relation)
			answers = dps_limited_answer(answers, one, 1);
	}
	return answers;
}

/* Those about persons of an entity: a release that reads several relations is one answer. */
static List *
answers_of_persons(Book *book, const DpsCharge *charge, Oid entity)
{
	List	   *answers = NIL;
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		if (dps_entity_pays_by(charge, &charge->items[i], entity, known_account, book))
			answers = dps_limited_answer(answers, &charge->items[i], charge->items[i].arms);
	}
	return answers;
}

/* May the role that asks not read some relation of the entity? */
static bool
persons_need_budget(Book *book, const DpsCharge *charge, Oid entity)
{
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		if (charge->items[i].needs_budget && dps_account_is_of(known_account(book, charge->items[i].relation), entity))
			return true;
	}
	return false;
}

/* Does one of the policies of the relation, or of it as an entity, refuse?  Sets the answer, unless it is NULL. */
static bool
policy_refuses(const DpsOpenAccount *account, bool of_entity, const List *answers, DpsChargeAnswer *answer)
{
	ListCell   *cell;

	foreach(cell, account->known->policies)
	{
		const DpsPolicyOf *policy = lfirst(cell);
		DpsLimitsOf of;

		if (policy->is_of_entity != of_entity || dps_limits_admit(&policy->limits, answers))
			continue;
		of = of_entity ? dps_limits_of_entity(dps_open_account_name(account)) : dps_limits_of_relation(dps_open_account_name(account));
		return answer == NULL || dps_limits_refuse(&policy->limits, answers, &of, answer);
	}
	return false;
}

/*
 * Do the limits of the budget that pays, NULL if none does, or the relation's policy refuse?  Of those of a role's
 * budget one who may read the relation has no need, unless they take the place of the relation's.
 */
static bool
limits_refuse(const DpsOpenAccount *account, const DpsRoleBudget *budget, const DpsCharge *charge, DpsChargeAnswer *answer)
{
	Oid			relation = account->known->relation;
	List	   *answers = answers_about(charge, relation);
	bool		overrides = budget != NULL && budget->overrides_policy;

	if (budget != NULL && (overrides || needs_budget(charge, relation)) && !dps_limits_admit(&budget->limits, answers))
	{
		DpsLimitsOf of = dps_limits_of_role(budget->role_name, dps_open_account_name(account));

		return answer == NULL || dps_limits_refuse(&budget->limits, answers, &of, answer);
	}
	return !overrides && policy_refuses(account, false, answers, answer);
}

/* Do the limits of a role's budget of persons refuse?  As those of relations, who may read them all has no need of them. */
static bool
person_limits_refuse(Book *book, const DpsOpenAccount *entity, const DpsRoleBudget *budget, const DpsCharge *charge, DpsChargeAnswer *answer)
{
	List	   *answers = answers_of_persons(book, charge, entity->known->relation);
	DpsLimitsOf of;

	if (!persons_need_budget(book, charge, entity->known->relation) || dps_limits_admit(&budget->limits, answers))
		return false;
	of = dps_limits_of_role_on_entity(budget->role_name, dps_open_account_name(entity));
	return answer == NULL || dps_limits_refuse(&budget->limits, answers, &of, answer);
}

/* Of either kind. */
static bool
role_limits_refuse(Book *book, const DpsOpenAccount *account, const DpsRoleBudget *budget, const DpsCharge *charge)
{
	return dps_is_entity_name(NameStr(budget->column)) ? person_limits_refuse(book, account, budget, charge, NULL) :
		limits_refuse(account, budget, charge, NULL);
}

/*
 * The budget of a role that pays in addition to that of all, of a relation (kind "") or of persons (DPS_ENTITY_NAME):
 * the asking role's own.  If it has none and does not own the relation: the budget of a group, the first by name that
 * admits the cost and whose limits admit the answers, or else the first by name.  A superuser belongs only to groups of
 * which it is a member.  Budgets of the two kinds are chosen by themselves, and both that are chosen pay.
 */
static const DpsRoleBudget *
choose_budget(Book *book, DpsOpenAccount *account, const char *kind, const DpsCharge *charge)
{
	Oid			role = charge->role;
	const DpsRoleBudget *own = dps_account_budget(account->known, role, kind);
	const DpsRoleBudget *first = NULL;
	bool		first_admits = false;
	ListCell   *cell;

	if (own != NULL || dps_owns_relation(account->known->relation, role))
		return own;
	foreach(cell, account->known->budgets)
	{
		const DpsRoleBudget *budget = lfirst(cell);
		DpsPurseClaim	claim = {.account = account, .budget = budget};
		bool		admitted;

		if (!OidIsValid(budget->role) || strcmp(NameStr(budget->column), kind) != 0 ||
			!is_member_of_role_nosuper(role, budget->role))
			continue;
		claim.purse = open_role_purse(book, account, budget);
		set_costs(book, charge, &claim);
		admitted = dps_claim_admits(&claim) && !role_limits_refuse(book, account, budget, charge);
		if (first == NULL || (admitted && !first_admits) ||
			(admitted == first_admits && strcmp(budget->role_name, first->role_name) < 0))
		{
			first = budget;
			first_admits = admitted;
		}
	}
	return first;
}

static void
refuse_uncommitted(DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					  "a private answer needs a relation that is committed",
					  "Its cost is recorded in another transaction, which does not see the relation yet.",
					  "Commit first.");
}

/* The role had a budget when the statement was planned. */
static void
refuse_unserved(const DpsOpenAccount *account, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_INSUFFICIENT_PRIVILEGE,
					  psprintf("permission denied for table %s", NameStr(account->known->name)),
					  "The role has neither the privilege to read it nor a privacy budget on it.",
					  "Its owner can grant a budget with dpsens.grant_budget().");
}

/* A budget of a column was set for another relation than this one has become. */
static void
refuse_column(const DpsOpenAccount *account, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							 psprintf("the privacy budget of column \"%s\" of relation \"%s\" cannot be kept",
									  account->known->column_of_none, NameStr(account->known->name)),
							 account->known->why,
							 "Its owner can take it away with dpsens.set_column_budget(), epsilon => 'Infinity'.");
}

/* Claims of the columns that have purses, or get them with this charge. */
static List *
claim_columns(Book *book, const DpsCharge *charge, DpsOpenAccount *account, List *claims)
{
	ListCell   *cell;

	foreach(cell, account->known->columns)
	{
		const char *column = lfirst(cell);
		DpsPurseClaim *claim = palloc0(sizeof(DpsPurseClaim));

		claim->account = account;
		claim->budget = dps_account_budget(account->known, InvalidOid, column);
		claim->purse = open_purse(book, account, InvalidOid, column, NULL);
		set_costs(book, charge, claim);
		claims = lappend(claims, claim);
	}
	return claims;
}

/* The budget of a role that pays for persons of the entity, NULL if there is none.  The purse of all is opened first,
 * which a role's begins with a part of.  To be called when the accounts of all items are known to be there. */
static const DpsRoleBudget *
payer_of_persons(Book *book, DpsOpenAccount *entity, const DpsCharge *charge)
{
	(void) open_purse(book, entity, InvalidOid, DPS_ENTITY_NAME, NULL);
	return choose_budget(book, entity, DPS_ENTITY_NAME, charge);
}

/* Does a budget that pays for persons let the role ask about this relation of theirs?  Precondition as before. */
static bool
is_opened(Book *book, const DpsCharge *charge, Oid relation)
{
	ListCell   *cell;

	foreach(cell, find_account(book, relation)->known->entities)
	{
		Oid			entity = ((const DpsEntityOf *) lfirst(cell))->relation;
		DpsOpenAccount *account = find_account(book, entity);
		const DpsRoleBudget *payer;

		if (account == NULL || !account->known->is_entity)
			continue;
		payer = payer_of_persons(book, account, charge);
		if (payer != NULL && dps_entity_opens(entity, payer->agreed_owner, relation))
			return true;
	}
	return false;
}

/* Refuses a statement about a relation of an entity with a budget, that of all or this one of a role's, if what it costs
 * does not bound what a person loses. */
static bool
is_bounded(const DpsChargeItem *item, const DpsOpenAccount *account, const DpsOpenAccount *entity, const DpsRoleBudget *of_role,
		   const char *why, DpsChargeAnswer *answer)
{
	if (of_role == NULL && dps_account_budget(entity->known, InvalidOid, DPS_ENTITY_NAME) == NULL)
		return true;
	if (why != NULL)
	{
		dps_entity_refuse(NameStr(account->known->name), dps_open_account_name(entity), why, answer);
		return false;
	}
	if (item->labels != dps_unit_fingerprint(item->relation))
	{
		dps_entity_refuse_labels(dps_open_account_name(account), answer);
		return false;
	}
	return true;
}

/* Of this role's purse, that of all for 0. */
static bool
has_claim(const List *claims, const DpsOpenAccount *entity, Oid role)
{
	ListCell   *cell;

	foreach(cell, claims)
	{
		const DpsPurseClaim *claim = lfirst(cell);

		if (claim->account == entity && dps_claim_is_of_entity(claim) && claim->purse->row.role == role)
			return true;
	}
	return false;
}

/* Adds a claim of persons by this budget, NULL if there is none, and its purse, unless there is one. */
static List *
claim_persons(Book *book, const DpsCharge *charge, DpsOpenAccount *entity, const DpsRoleBudget *budget, DpsOpenPurse *purse, List *claims)
{
	DpsPurseClaim *claim;

	if (has_claim(claims, entity, purse->row.role))
		return claims;
	claim = palloc0(sizeof(DpsPurseClaim));
	claim->account = entity;
	claim->budget = budget;
	claim->purse = purse;
	set_costs(book, charge, claim);
	return lappend(claims, claim);
}

/* Adds claims of the entities that the item's relation is of: of the purse of all, and of that of the role's budget that
 * pays; false, and an answer, if the request is refused. */
static bool
claim_entities(Book *book, const DpsCharge *charge, const DpsChargeItem *item, List **claims, DpsChargeAnswer *answer)
{
	DpsOpenAccount *account = find_account(book, item->relation);
	ListCell   *cell;

	foreach(cell, account->known->entities)
	{
		const DpsEntityOf *of = lfirst(cell);
		DpsOpenAccount *entity = find_account(book, of->relation);
		const DpsRoleBudget *of_role;

		if (entity == NULL || !entity->known->is_entity)
			continue;
		*claims = claim_persons(book, charge, entity, dps_account_budget(entity->known, InvalidOid, DPS_ENTITY_NAME),
								open_purse(book, entity, InvalidOid, DPS_ENTITY_NAME, NULL), *claims);
		of_role = payer_of_persons(book, entity, charge);
		if (!is_bounded(item, account, entity, of_role, of->why, answer))
			return false;
		if (of_role == NULL)
			continue;
		if (person_limits_refuse(book, entity, of_role, charge, answer))
			return false;
		*claims = claim_persons(book, charge, entity, of_role, open_role_purse(book, entity, of_role), *claims);
	}
	return true;
}

/* Does the policy of an entity that the item's relation is of refuse the statement?  Sets the answer. */
static bool
entities_refuse(Book *book, const DpsCharge *charge, const DpsChargeItem *item, DpsChargeAnswer *answer)
{
	ListCell   *cell;

	foreach(cell, find_account(book, item->relation)->known->entities)
	{
		Oid			relation = ((const DpsEntityOf *) lfirst(cell))->relation;
		DpsOpenAccount *entity = find_account(book, relation);

		if (entity == NULL || entity->known->policies == NIL)
			continue;
		if (policy_refuses(entity, true, answers_of_persons(book, charge, relation), answer))
			return true;
	}
	return false;
}

/* The purses that a request would charge; NIL, and an answer, if it is refused. */
static List *
claim_purses(Book *book, const DpsCharge *charge, DpsChargeAnswer *answer)
{
	List	   *claims = NIL;
	List	   *seen = NIL;
	List	   *unserved = NIL;
	ListCell   *cell;
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		Oid			relation = charge->items[i].relation;
		DpsOpenAccount *account = find_account(book, relation);
		DpsPurseClaim *claim;
		const DpsRoleBudget *budget;

		if (list_member_oid(seen, relation))
			continue;
		seen = lappend_oid(seen, relation);
		if (account == NULL)
		{
			refuse_uncommitted(answer);
			return NIL;
		}
		if (account->known->why != NULL)
		{
			refuse_column(account, answer);
			return NIL;
		}
		claim = palloc0(sizeof(DpsPurseClaim));
		claim->account = account;
		claim->budget = dps_account_budget(account->known, InvalidOid, "");
		claim->purse = open_purse(book, account, InvalidOid, "", NULL);
		set_costs(book, charge, claim);
		claims = lappend(claims, claim);
		budget = choose_budget(book, account, "", charge);
		if (budget == NULL && needs_budget(charge, relation))
			unserved = lappend_oid(unserved, relation);
		if (limits_refuse(account, budget, charge, answer))
			return NIL;
		if (budget != NULL)
		{
			DpsPurseClaim *second = palloc0(sizeof(DpsPurseClaim));

			*second = *claim;
			second->budget = budget;
			second->purse = open_role_purse(book, account, budget);
			set_costs(book, charge, second);
			claims = lappend(claims, second);
		}
		claims = claim_columns(book, charge, account, claims);
	}
	if (dps_groups_refuse(charge, known_account, book, answer))
		return NIL;
	foreach(cell, unserved)
	{
		if (!is_opened(book, charge, lfirst_oid(cell)))
		{
			refuse_unserved(find_account(book, lfirst_oid(cell)), answer);
			return NIL;
		}
	}
	for (i = 0; i < charge->nitems; i++)
	{
		if (entities_refuse(book, charge, &charge->items[i], answer) ||
			!claim_entities(book, charge, &charge->items[i], &claims, answer))
			return NIL;
	}
	return claims;
}

/* ---- writing ---- */

/* The purse of a role on this relation that pays for its releases, or NULL. */
static const DpsOpenPurse *
paying_purse(const List *claims, Oid relation)
{
	ListCell   *cell;

	foreach(cell, claims)
	{
		const DpsPurseClaim *claim = lfirst(cell);

		if (claim->account->known->relation == relation && OidIsValid(claim->purse->row.role) && !dps_claim_is_of_entity(claim))
			return claim->purse;
	}
	return NULL;
}

static Datum
integers(const uint64 *numbers, int n)
{
	Datum		values[DPS_CHARGE_COORDINATES];
	int			i;

	for (i = 0; i < n; i++)
		values[i] = Int64GetDatum((int64) numbers[i]);
	return PointerGetDatum(construct_array(values, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Sets the entities that are charged by this item, value 33 of the statement. */
static void
put_entities(Book *book, const DpsCharge *charge, const DpsChargeItem *item, const List *claims, Datum *value, char *null)
{
	Datum	   *entities = palloc(sizeof(Datum) * (list_length(claims) + 1));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, claims)
	{
		const DpsPurseClaim *claim = lfirst(cell);
		Oid			entity = claim->account->known->relation;

		if (dps_claim_is_of_entity(claim) && !OidIsValid(claim->purse->row.role) &&
			dps_entity_pays_by(charge, item, entity, known_account, book))
			entities[n++] = ObjectIdGetDatum(entity);
	}
	*value = PointerGetDatum(construct_array(entities, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
	*null = n > 0 ? ' ' : 'n';
}

/* Sets which roles' budgets of which of these pay by this item, from value 34 of the statement on. */
static void
put_payers(Book *book, const DpsCharge *charge, const DpsChargeItem *item, const List *claims, Datum *values, char *nulls)
{
	Datum	   *entities = palloc(sizeof(Datum) * (list_length(claims) + 1));
	Datum	   *roles = palloc(sizeof(Datum) * (list_length(claims) + 1));
	Datum	   *names = palloc(sizeof(Datum) * (list_length(claims) + 1));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, claims)
	{
		const DpsPurseClaim *claim = lfirst(cell);
		Oid			entity = claim->account->known->relation;
		Name		name;

		if (!dps_claim_is_of_entity(claim) || !OidIsValid(claim->purse->row.role) ||
			!dps_entity_pays_by(charge, item, entity, known_account, book))
			continue;
		name = palloc0(sizeof(NameData));
		namestrcpy(name, claim->purse->role_name);
		entities[n] = ObjectIdGetDatum(entity);
		roles[n] = ObjectIdGetDatum(claim->purse->row.role);
		names[n++] = NameGetDatum(name);
	}
	values[0] = PointerGetDatum(construct_array(entities, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
	values[1] = PointerGetDatum(construct_array(roles, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
	values[2] = PointerGetDatum(construct_array(names, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	nulls[0] = nulls[1] = nulls[2] = n > 0 ? ' ' : 'n';
}

/*
 * Writes a release and returns its number.  Numbers follow the order of commits, on which individual
 * accounting relies.  They do not come from a sequence, since roles that may write all data can set one.
 */
static int64
write_release(Book *book, const DpsCharge *charge, const DpsChargeItem *item, DpsLedgerNumbers *numbers, const List *claims)
{
	DpsOpenAccount *account = find_account(book, item->relation);
	const DpsOpenPurse *paying = paying_purse(claims, item->relation);
	DpsCost		cost = dps_item_cost(item, 0);
	NameData	role_name;
	NameData	paying_name;
	Datum		values[38];
	char		nulls[] = "                                      ";

	(void) dps_role_written(charge->role, &role_name);
	namestrcpy(&paying_name, paying != NULL ? paying->role_name : "");
	dps_account_identity(account->known, values);
	values[4] = Int64GetDatum(numbers->statement);
	values[5] = TimestampTzGetDatum(book->now);
	values[6] = ObjectIdGetDatum(charge->role);
	values[7] = NameGetDatum(&role_name);
	values[8] = ObjectIdGetDatum(paying != NULL ? paying->row.role : InvalidOid);
	values[9] = NameGetDatum(&paying_name);
	nulls[8] = nulls[9] = paying != NULL ? ' ' : 'n';
	values[10] = CStringGetTextDatum(charge->query);
	values[11] = CStringGetTextDatum(item->expression);
	values[12] = CStringGetTextDatum(item->adjacency);
	values[13] = CStringGetTextDatum(item->mechanism);
	values[14] = Float8GetDatum(item->epsilon);
	values[15] = Float8GetDatum(item->delta);
	nulls[15] = item->delta > 0 ? ' ' : 'n';
	values[16] = Float8GetDatum(item->sensitivity);
	values[17] = Int32GetDatum(item->grid);
	values[18] = integers(item->sensitivities, item->ncoordinates);
	values[19] = integers(item->scales, item->ncoordinates);
	values[20] = integers(item->joined, item->ncoordinates);
	values[21] = Int64GetDatum(cost.epsilon);
	values[22] = Int64GetDatum(cost.rho);
	values[23] = Int64GetDatum(cost.delta);
	values[24] = item->contribution != NULL ? CStringGetTextDatum(item->contribution) : (Datum) 0;
	nulls[24] = item->contribution != NULL ? ' ' : 'n';
	values[25] = Int64GetDatum((int64) charge->oldest_change);
	values[26] = Int64GetDatum(++numbers->release);
	values[27] = Int64GetDatum((int64) item->steps);
	values[28] = Float8GetDatum(item->rate);
	nulls[27] = nulls[28] = item->steps > 0 ? ' ' : 'n';
	values[29] = Int16GetDatum((int16) item->replacement);
	dps_account_put_columns(account->known, item, &values[30], &nulls[30]);
	values[32] = Int32GetDatum(item->arms);
	put_entities(book, charge, item, claims, &values[33], &nulls[33]);
	put_payers(book, charge, item, claims, &values[34], &nulls[34]);
	values[37] = Int32GetDatum(item->group_size);
	nulls[37] = item->group_size > 1 ? ' ' : 'n';
	dps_statement_run(&insert_release, values, nulls);
	return numbers->release;
}

static void
write_purse(const DpsOpenAccount *account, DpsOpenPurse *purse)
{
	DpsPurse   *row = &purse->row;
	NameData	role_name;
	Datum		values[16];
	char		nulls[] = "                ";

	namestrcpy(&role_name, purse->role_name);
	dps_account_identity(account->known, values);
	values[4] = ObjectIdGetDatum(row->role);
	values[5] = NameGetDatum(&role_name);
	values[6] = TimestampTzGetDatum(row->period_start);
	values[7] = Int64GetDatum(row->spent.epsilon);
	values[8] = Int64GetDatum(row->spent.rho);
	values[9] = Int64GetDatum(row->spent.delta);
	values[10] = Int64GetDatum(row->charges);
	values[11] = Int64GetDatum(purse->added);
	values[12] = NameGetDatum(&row->column);
	values[13] = Float8GetDatum(row->order);
	values[14] = Int64GetDatum(row->at_order);
	nulls[13] = nulls[14] = dps_order_counts(row->order) ? ' ' : 'n';
	values[15] = TransactionIdGetDatum(row->written);
	dps_statement_run(purse->exists ? &update_purse : &insert_purse, values, nulls);
	if (SPI_processed != 1)
		elog(ERROR, "the ledger of relation %u was changed by another process", account->known->relation);
	row->charges += purse->added;
	row->written = GetCurrentTransactionId();
	dps_account_spent(account->known, row);
}

static void
write_purses(const Book *book)
{
	ListCell   *account_cell;
	ListCell   *cell;

	foreach(account_cell, book->accounts)
	{
		const DpsOpenAccount *account = lfirst(account_cell);

		foreach(cell, account->purses)
		{
			DpsOpenPurse *purse = lfirst(cell);

			if (purse->added > 0)
				write_purse(account, purse);
		}
	}
}

static void
record_request(Book *book, const DpsCharge *charge, DpsChargeAnswer *answer)
{
	List	   *claims;
	ListCell   *cell;
	DpsLedgerNumbers *numbers;
	int			i;

	memset(answer, 0, sizeof(DpsChargeAnswer));
	if (charge->kind != DPS_REQUEST_CHARGE)
	{
		if (charge->kind == DPS_REQUEST_FAILURE || charge->kind == DPS_REQUEST_FORGIVENESS)
			dps_failures_write(charge);
		return;
	}
	if (dps_failures_refuse(charge, answer))
		return;
	claims = claim_purses(book, charge, answer);
	if (claims == NIL)
		return;
	foreach(cell, claims)
	{
		if (!dps_claim_admits(lfirst(cell)))
		{
			dps_claim_refuse(lfirst(cell), answer);
			return;
		}
	}
	foreach(cell, claims)
		dps_claim_charge(lfirst(cell));
	numbers = dps_ledger_numbers();
	numbers->statement++;
	for (i = 0; i < charge->nitems; i++)
		answer->last_release = write_release(book, charge, &charge->items[i], numbers, claims);
}

/* Is there a ledger, and does it belong to this database?  If not, sets the answer. */
static bool
is_open(DpsChargeAnswer *answer)
{
	DpsVersionConflict conflict;

	if (!OidIsValid(dps_schema_oid()))
	{
		dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
						  "a private answer needs extension \"dpsens\" to be committed",
						  "Its cost is recorded in another transaction, which does not see the extension yet.",
						  "Commit first.");
		return false;
	}
	/* the backend has found no conflict, but possibly before an update */
	if (dps_find_version_conflict(&conflict))
	{
		dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, conflict.message, conflict.detail, conflict.hint);
		return false;
	}
	dps_accounts_begin();
	if (!dps_ledger_is_here())
	{
		dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
						  "the privacy ledger was charged in another database",
						  "This database was restored, cloned, upgraded or promoted; if both answered, budgets would be spent twice.",
						  "A superuser may call dpsens.acknowledge_restore() once the original answers no more.");
		return false;
	}
	return true;
}

/* Seals some rows for those of the requests that ask for it, and tells them whether there may be more.  Not all at once:
 * others wait. */
static void
seal_for(DpsCharge **requests, DpsChargeAnswer *answers, int n, const Book *book)
{
	bool		sealed = false;
	bool		more = false;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (requests[i]->kind != DPS_REQUEST_SEAL)
			continue;
		if (!sealed)
			more = dps_seal_rows(book->now);
		sealed = true;
		answers[i].last_release = more;
	}
}

bool
dps_book_record(DpsCharge **requests, DpsChargeAnswer *answers, int n, bool is_first)
{
	Book		book = {.now = GetCurrentTimestamp()};
	DpsChargeAnswer	closed;
	bool		opened;
	int			i;

	SPI_connect();
	opened = is_open(&closed);
	for (i = 0; i < n && !opened; i++)
		answers[i] = closed;
	if (opened)
	{
		if (is_first)
			dps_names_refresh();
		for (i = 0; i < n; i++)
		{
			record_request(&book, requests[i], &answers[i]);
			dps_refusals_write(requests[i], &answers[i]);
		}
		write_purses(&book);
		seal_for(requests, answers, n, &book);
	}
	SPI_finish();
	return opened;
}

bool
dps_book_seal(void)
{
	DpsChargeAnswer closed;
	bool		more;

	SPI_connect();
	more = is_open(&closed) && dps_seal_rows(GetCurrentTimestamp());
	SPI_finish();
	return more;
}
