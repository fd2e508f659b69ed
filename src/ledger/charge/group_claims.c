/*
 * group_claims.c
 *		Refusals where a charge is not for all units that are protected together.
 *
 * Precondition: the item's loss is what its release costs item->group_size units together (guard/trace/group_size.c).
 * Postcondition: every charge that is admitted, and every release that the history has of a relation for which one is admitted, is
 * for as many units as the committed declaration promises to, or more; so a budget of the relation, of a role or of a person of an
 * entity is a promise to that many.
 * Proof sketch: the worker reads declarations as they are committed, anew after each change (accounts.h), and compares
 * both with them.  A statement that was planned before a change has the group_size of before.  An entity's relations
 * have its group_size (dps_why_not_of_entity), and its own history is looked at with theirs (group_history.c).
 */
#include "postgres.h"

#include "ledger/charge/group_claims.h"

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
