/*
 * entity_costs.c
 *		What a release would cost persons of the entities that have budgets.
 *
 * By labels, constraints and the noise that is planned, as the ledger charges it (ledger/charge/entity_claims.c): no row is
 * read.
 */
#include "postgres.h"

#include "guard/column_costs.h"
#include "guard/entity_costs.h"
#include "ledger/authority.h"
#include "ledger/cost.h"
#include "ledger/entity.h"

/* What the item costs a person.  Where a budget cannot be kept nothing is answered. */
static DpsCost
person_cost(const DpsChargeItem *item, Oid entity, double order)
{
	DpsCost		unbounded = {DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED};

	return dps_why_not_of_entity(item->relation, entity) != NULL ? unbounded : dps_person_cost(item, order);
}

List *
dps_add_entity_costs(List *costs, const List *items, double order)
{
	List	   *seen = NIL;
	ListCell   *cell;
	ListCell   *one;

	foreach(cell, items)
	{
		const DpsChargeItem *item = lfirst(cell);

		foreach(one, dps_entities_of(item->relation))
		{
			DpsCost		cost;

			if (list_member_oid(seen, lfirst_oid(one)) || !dps_has_entity_budget(lfirst_oid(one)))
				continue;
			seen = lappend_oid(seen, lfirst_oid(one));
			cost = person_cost(item, lfirst_oid(one), order);
			costs = dps_add_cost(costs, lfirst_oid(one), DPS_ENTITY_NAME, order, &cost);
		}
	}
	return costs;
}
