/*
 * entity_claims.c
 *		What a statement costs a person of an entity, and whether that is for all who are protected together.
 *
 * Precondition: items with the same number are one release, with the same loss and arms, and each relation that pays for
 * it has one.
 * Postcondition: the sum, over releases that any item of the entity belongs to, of what the release costs a person.  It is no less than
 * what any single relation of the entity is charged.
 * Proof: definitions, 6.2.  The items of a release that are of the entity have a first one.
 *
 * Groups of units.  Precondition: an item's loss is what its release costs item->group_size units together
 * (guard/source/group_size.c).
 * Postcondition: every charge that is admitted, and every release that the history has of a relation for which one is admitted, is
 * for as many units as the committed declaration promises to, or more; so a budget of the relation, of a role or of a person of an
 * entity is a promise to that many.
 * Proof sketch: the worker reads declarations as they are committed, anew after each change (accounts.h), and compares
 * both with them.  A statement that was planned before a change has the group_size of before.  An entity's relations
 * have its group_size (dps_why_not_of_entity), and its own history is looked at with theirs (journal/group_history.c).
 */
#include "postgres.h"

#include "ledger/charge/entity_claims.h"
#include "ledger/cost.h"

bool
dps_entity_pays_by(const DpsCharge *charge, const DpsChargeItem *item, Oid entity, DpsFindAccount find, void *context)
{
	const DpsChargeItem *other;

	if (!dps_account_is_of(find(context, item->relation), entity))
		return false;
	for (other = charge->items; other < item; other++)
	{
		if (other->release == item->release && dps_account_is_of(find(context, other->relation), entity))
			return false;
	}
	return true;
}

DpsCost
dps_entity_cost(const DpsCharge *charge, Oid entity, double order, DpsFindAccount find, void *context)
{
	DpsCost		cost = {0};
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		const DpsChargeItem *item = &charge->items[i];
		DpsCost		one = dps_person_cost(item, order);

		if (dps_entity_pays_by(charge, item, entity, find, context))
			dps_filter_charge(&cost, &one);
	}
	return cost;
}

void
dps_entity_refuse(const char *relation, const char *entity, const char *why, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							 psprintf("the privacy budget of entity \"%s\" cannot be kept in answers about relation \"%s\"", entity, relation),
							 why,
							 "Declare both with dpsens.protect() so that units, adjacency and group_size are the same, or take the budget away with dpsens.set_entity_budget(), epsilon => 'Infinity', or a role's with dpsens.revoke_entity_budget().");
}

void
dps_entity_refuse_labels(const char *relation, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							 psprintf("a private answer about relation \"%s\" needs declarations that are committed", relation),
							 "The statement was planned with others than those by which it would be charged to an entity with a budget.",
							 "Commit first, or try again.");
}

/* ---- groups of units ---- */

static void
refuse_planned(const DpsAccount *account, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							 psprintf("a private answer about relation \"%s\" needs declarations that are committed", NameStr(account->name)),
							 psprintf("It protects groups of up to %d units, and the statement was planned for smaller ones.", account->group_size),
							 "Commit first, or try again.");
}

static void
refuse_history(const DpsAccount *account, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							 psprintf("the promise of relation \"%s\" to groups of %d units cannot be kept", NameStr(account->name), account->group_size),
							 "What it answered before was counted for smaller groups.",
							 "Its owner can protect it with the group_size of before.");
}

static bool
entities_refuse(const DpsAccount *account, DpsFindAccount find, void *context, DpsChargeAnswer *answer)
{
	ListCell   *cell;

	foreach(cell, account->entities)
	{
		const DpsAccount *entity = find(context, ((const DpsEntityOf *) lfirst(cell))->relation);

		if (entity == NULL || !entity->is_entity || !entity->told_smaller)
			continue;
		refuse_history(entity, answer);
		return true;
	}
	return false;
}

bool
dps_groups_refuse(const DpsCharge *charge, DpsFindAccount find, void *context, DpsChargeAnswer *answer)
{
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		const DpsAccount *account = find(context, charge->items[i].relation);

		if (account->told_smaller)
		{
			refuse_history(account, answer);
			return true;
		}
		if (charge->items[i].group_size < account->group_size)
		{
			refuse_planned(account, answer);
			return true;
		}
		if (entities_refuse(account, find, context, answer))
			return true;
	}
	return false;
}
