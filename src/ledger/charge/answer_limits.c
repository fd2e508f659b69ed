/*
 * answer_limits.c
 *		What a single answer, and a single statement, may be asked with.
 *
 * Everything that is compared is public: what was asked for, and the limits.  So a refusal tells nothing of a row,
 * and it comes before one is read.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "ledger/charge/answer_limits.h"
#include "noise/mechanism.h"

/* Ten answers at 0.1 are within a limit of 1, however their sum is rounded. */
#define ROUNDING 1e-9

/* What is beyond which limit. */
typedef struct Excess
{
	const char *what;			/* "epsilon", "delta", or NULL for a mechanism */
	double		asked;
	double		limit;
	bool		is_sum;			/* of all answers of the statement */
	const char *mechanism;
} Excess;

static bool
exceeds(double asked, double limit)
{
	return !(asked <= limit);
}

static bool
is_free(const DpsChargeItem *item)
{
	return item->loss.epsilon == 0 && item->loss.rho == 0 && item->loss.delta == 0;
}

static bool
has_mechanism(const List *mechanisms, const char *name)
{
	ListCell   *cell;

	/* the geometric mechanism is what laplace is for whole numbers */
	foreach(cell, mechanisms)
	{
		if (strcmp(lfirst(cell), name) == 0 ||
			(strcmp(lfirst(cell), dps_laplace.name) == 0 && strcmp(name, DPS_GEOMETRIC) == 0))
			return true;
	}
	return mechanisms == NIL;
}

static bool
answer_exceeds(const DpsAnswerLimits *limits, const DpsChargeItem *item, Excess *excess)
{
	if (!has_mechanism(limits->mechanisms, item->mechanism))
		*excess = (Excess) {.mechanism = item->mechanism};
	else if (exceeds(item->epsilon, limits->epsilon))
		*excess = (Excess) {.what = "epsilon", .asked = item->epsilon, .limit = limits->epsilon};
	else if (exceeds(item->delta, limits->delta))
		*excess = (Excess) {.what = "delta", .asked = item->delta, .limit = limits->delta};
	else
		return false;
	return true;
}

static bool
statement_exceeds(const DpsAnswerLimits *limits, double epsilon, double delta, Excess *excess)
{
	if (exceeds(epsilon, limits->statement_epsilon * (1 + ROUNDING)))
		*excess = (Excess) {.what = "epsilon", .asked = epsilon, .limit = limits->statement_epsilon, .is_sum = true};
	else if (exceeds(delta, limits->statement_delta * (1 + ROUNDING)))
		*excess = (Excess) {.what = "delta", .asked = delta, .limit = limits->statement_delta, .is_sum = true};
	else
		return false;
	return true;
}

static bool
find_excess(const DpsAnswerLimits *limits, const DpsCharge *charge, Oid relation, Excess *excess)
{
	double		epsilon = 0;
	double		delta = 0;
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		const DpsChargeItem *item = &charge->items[i];

		if (item->relation != relation || is_free(item))
			continue;
		if (answer_exceeds(limits, item, excess))
			return true;
		epsilon += item->epsilon;
		delta += item->delta;
	}
	return statement_exceeds(limits, epsilon, delta, excess);
}

bool
dps_limits_admit(const DpsAnswerLimits *limits, const DpsCharge *charge, Oid relation)
{
	Excess		excess;

	return !find_excess(limits, charge, relation, &excess);
}

static char *
list_mechanisms(const List *mechanisms)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, mechanisms)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", (const char *) lfirst(cell));
	return text.data;
}

void
dps_limits_refuse(const DpsAnswerLimits *limits, const DpsCharge *charge, Oid relation,
				  const char *relation_name, const char *role_name, DpsChargeAnswer *answer)
{
	Excess		excess;

	if (!find_excess(limits, charge, relation, &excess))
		return;
	if (excess.what == NULL)
		dps_charge_answer_refuse(answer, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
								 psprintf("mechanism %s may not answer from the budget of role \"%s\" on relation \"%s\"",
										  excess.mechanism, role_name, relation_name),
								 psprintf("Those that may are %s.", list_mechanisms(limits->mechanisms)),
								 "Choose another one with dpsens.mechanism, or ask the owner to allow it by dpsens.set_answer_limits().");
	else
		dps_charge_answer_refuse(answer, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
								 psprintf("%s %g is more than %s may be asked with from the budget of role \"%s\" on relation \"%s\"",
										  excess.what, excess.asked, excess.is_sum ? "one statement" : "one answer", role_name, relation_name),
								 psprintf("The limit is %g.", excess.limit),
								 "Ask for less; the owner can set the limit with dpsens.set_answer_limits().");
}
