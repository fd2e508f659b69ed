/*
 * claim.c
 *		A purse that a request would charge, and whether its budget admits that.
 */
#include "postgres.h"

#include <math.h>

#include "account/at_order.h"
#include "ledger/charge/claim.h"
#include "ledger/entity.h"

char *
dps_open_account_name(const DpsOpenAccount *account)
{
	return psprintf("%s.%s", NameStr(account->known->schema), NameStr(account->known->name));
}

bool
dps_claim_is_of_entity(const DpsPurseClaim *claim)
{
	return dps_is_entity_name(NameStr(claim->purse->row.column));
}

static bool
is_of_column(const DpsPurseClaim *claim)
{
	return *NameStr(claim->purse->row.column) != '\0' && !dps_claim_is_of_entity(claim);
}

void
dps_claim_take_order(const DpsPurseClaim *claim)
{
	DpsPurse   *row = &claim->purse->row;
	double		order = claim->budget != NULL ? claim->budget->caps.order : 0;

	DpsAmount	before;

	if (!dps_order_counts(order) || order == row->order)
		return;
	before = dps_spent_at_order(order, &row->spent, row->order, row->at_order);
	/* an incomplete history leaves the purse its order, and nothing to be admitted by the rule */
	if (before == DPS_AMOUNT_UNBOUNDED && dps_order_is_rule(order) &&
		(*NameStr(row->column) != '\0' || !dps_account_recount(claim->account->known, row, order, &before)))
		return;
	row->at_order = before;
	row->order = order;
}

/* What the budget counts of the cost, and of what was spent. */
static DpsCost
counted_cost(const DpsPurseClaim *claim)
{
	return dps_order_counts(claim->budget->caps.order) ? claim->at_order : claim->cost;
}

static DpsCost
counted_spent(const DpsPurseClaim *claim)
{
	DpsCost		spent = claim->purse->row.spent;

	if (dps_order_counts(claim->budget->caps.order))
		spent.rho = claim->purse->row.order == claim->budget->caps.order ? claim->purse->row.at_order : DPS_AMOUNT_UNBOUNDED;
	return spent;
}

void
dps_claim_charge(const DpsPurseClaim *claim)
{
	DpsPurse   *row = &claim->purse->row;

	dps_filter_charge(&row->spent, &claim->cost);
	row->at_order = dps_amount_add(row->at_order, claim->at_order.rho);
	claim->purse->added++;
}

/* What does not depend on a column is no release of it, and is admitted whatever is left. */
bool
dps_claim_admits(const DpsPurseClaim *claim)
{
	DpsCost		cost;
	DpsCost		spent;

	if (is_of_column(claim) && claim->cost.epsilon == 0 && claim->cost.rho == 0 && claim->cost.delta == 0)
		return true;
	if (claim->budget == NULL)
		return true;
	cost = counted_cost(claim);
	spent = counted_spent(claim);
	return dps_filter_admits(&claim->budget->caps, &spent, &cost);
}

static char *
amount_text(DpsAmount amount, int bits)
{
	double		value = dps_amount_up(amount, bits);

	return isinf(value) ? pstrdup("infinite") : psprintf("%.6g", value);
}

static char *
left_text(DpsAmount cap, DpsAmount spent, int bits)
{
	return psprintf("%.6g", spent >= cap ? 0.0 : dps_amount_down(cap - spent, bits));
}

/* The hint depends on what is exhausted. */
static const char *
exhausted_hint(const DpsPurseClaim *claim)
{
	const DpsBudget *caps = &claim->budget->caps;
	DpsCost		spent = counted_spent(claim);
	DpsCost		cost = counted_cost(claim);

	if (caps->order < 0 && cost.rho == DPS_AMOUNT_UNBOUNDED)
		return psprintf("This budget is for answers of an epsilon of at most %g, by mechanisms without a delta: "
						"ask with a smaller epsilon and another dpsens.mechanism, or ask the owner for another budget.", -caps->order);
	if (caps->order == DPS_BY_GAUSSIAN && cost.rho == DPS_AMOUNT_UNBOUNDED)
		return "This budget counts in Gaussian DP, of which this statement has no bound: ask the owner for another budget.";
	if (is_of_column(claim) && cost.rho == DPS_AMOUNT_UNBOUNDED)
		return "What this statement tells of one column of a row has no bound: leave the column out of it, "
			"or declare the values of the keys.";
	if (is_of_column(claim))
		return "Ask without the column, or with a smaller epsilon, or ask the owner for a larger budget of it.";
	if (dps_claim_is_of_entity(claim) && cost.rho == DPS_AMOUNT_UNBOUNDED)
		return "What this statement tells of one person has no bound: ask of one relation at a time, or declare the values of the keys.";
	if (dps_claim_is_of_entity(claim))
		return "All relations whose units refer to it share this budget: ask with a smaller epsilon or fewer aggregates, or ask its owner "
			"for a larger one.";
	if (cost.delta > 0 && !dps_amount_fits(caps->delta, spent.delta, cost.delta))
		return "Finding out which groups there are, and training on samples, cost delta: declare the values of the key, ask "
			"with a smaller dpsens.delta, or ask the owner for a budget with a larger delta.";
	return "Ask for less, with a smaller epsilon or fewer aggregates, or ask the owner for a larger budget.";
}

void
dps_claim_refuse(const DpsPurseClaim *claim, DpsChargeAnswer *answer)
{
	const DpsBudget *caps = &claim->budget->caps;
	DpsCost		cost = counted_cost(claim);
	DpsCost		spent = counted_spent(claim);
	char	   *relation = dps_open_account_name(claim->account);
	char	   *message;
	char	   *detail;

	if (is_of_column(claim))
		message = psprintf("the privacy budget of column \"%s\" of relation \"%s\" does not allow this statement",
						   NameStr(claim->purse->row.column), relation);
	else if (dps_claim_is_of_entity(claim) && OidIsValid(claim->budget->role))
		message = psprintf("the privacy budget of role \"%s\" on persons of entity \"%s\" does not allow this statement",
						   claim->budget->role_name, relation);
	else if (dps_claim_is_of_entity(claim))
		message = psprintf("the privacy budget of entity \"%s\" does not allow this statement", relation);
	else if (OidIsValid(claim->budget->role))
		message = psprintf("the privacy budget of role \"%s\" on relation \"%s\" does not allow this statement",
						   claim->budget->role_name, relation);
	else
		message = psprintf("the privacy budget of relation \"%s\" does not allow this statement", relation);
	detail = psprintf("It costs epsilon %s and rho %s; epsilon %s and rho %s are left.",
					  amount_text(cost.epsilon, DPS_LOSS_BITS), amount_text(cost.rho, DPS_LOSS_BITS),
					  left_text(caps->epsilon, spent.epsilon, DPS_LOSS_BITS),
					  left_text(caps->rho, spent.rho, DPS_LOSS_BITS));
	if (cost.delta > 0)
		detail = psprintf("%s It costs delta %s, too; delta %s is left.", detail,
						  amount_text(cost.delta, DPS_DELTA_BITS),
						  left_text(caps->delta, spent.delta, DPS_DELTA_BITS));
	dps_charge_answer_refuse(answer, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, message, detail, exhausted_hint(claim));
}
