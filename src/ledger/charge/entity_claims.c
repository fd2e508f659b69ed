/*
 * entity_claims.c
 *		What a statement costs a person of an entity.
 *
 * Precondition: items with the same number are one release, with the same loss and arms, and each relation that pays for
 * it has one.
 * Postcondition: the sum, over releases that any item of the entity belongs to, of what the release costs a person.  It is no less than
 * what any single relation of the entity is charged.
 * Proof: definitions, 6.2.  The items of a release that are of the entity have a first one.
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
