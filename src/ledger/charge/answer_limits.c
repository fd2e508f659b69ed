/*
 * answer_limits.c
 *		What a single answer, and a single statement, may be asked with.
 *
 * Everything that is compared is public: what was asked for, what it costs, and the limits.  So a refusal tells
 * nothing of a row, and it comes before one is read.
 *
 * A limit of epsilon alone would not bound an answer of Gaussian noise, which is asked for with a delta, too: with a
 * large one there is next to no noise.  Its rho must therefore be at most epsilon^2/2, which is the most that an answer
 * with pure epsilon has (Bun and Steinke 2016, Proposition 1.4).  The sum of several is held against the square of the
 * sum in the same way.
 *
 * A person who can have a row in k arms of UNION ALL loses by an answer k times epsilon, k^2 times rho and
 * k exp((k - 1) epsilon) times delta (definitions, 6.2); this is what the limits of an entity are compared with.
 *
 * A least number of units is compared with the threshold of a selection of groups, which follows from epsilon and delta:
 * never with how many units there are, since refusing small groups would tell which are small.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "ledger/charge/answer_limits.h"
#include "ledger/statement.h"
#include "noise/k_norm.h"
#include "noise/mechanism.h"

/* Ten answers at 0.1 are within a limit of 1, however their sum is rounded. */
#define ROUNDING 1e-9

/* What answers were asked with. */
typedef struct Asked
{
	double		epsilon;
	double		delta;
	double		rho;			/* of those without pure epsilon */
} Asked;

/* What is beyond which limit. */
typedef struct Excess
{
	const char *what;			/* "epsilon", "delta", "rho", or NULL for a mechanism or units */
	double		asked;
	double		limit;
	double		factor;			/* as of the charge item; of an epsilon */
	int64		units;			/* from which groups would be shown, if that is beyond */
	bool		is_sum;			/* of all answers of the statement */
	const char *mechanism;
} Excess;

/* The elements of an array of texts that is value `column` of a row; NIL for NULL. */
static List *
read_texts(uint64 row, int column)
{
	bool		isnull;
	Datum		array = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);
	List	   *texts = NIL;
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	int			i;

	if (isnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	for (i = 0; i < n; i++)
		texts = lappend(texts, nulls[i] ? pstrdup("") : TextDatumGetCString(elements[i]));
	return texts;
}

/* Value `column` of a row; 0 for NULL. */
static int64
read_units(uint64 row, int column)
{
	bool		isnull;
	Datum		units = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? 0 : DatumGetInt64(units);
}

DpsAnswerLimits
dps_statement_limits(uint64 row, int column)
{
	return (DpsAnswerLimits) {
		DatumGetFloat8(dps_statement_value(row, column)), DatumGetFloat8(dps_statement_value(row, column + 1)),
		DatumGetFloat8(dps_statement_value(row, column + 2)), DatumGetFloat8(dps_statement_value(row, column + 3)),
		read_texts(row, column + 4), read_units(row, column + 5)
	};
}

List *
dps_limited_answer(List *answers, const DpsChargeItem *item, int arms)
{
	DpsLimitedAnswer *answer;

	if (item->loss.epsilon == 0 && item->loss.rho == 0 && item->loss.delta == 0)
		return answers;
	answer = palloc(sizeof(DpsLimitedAnswer));
	*answer = (DpsLimitedAnswer) {item, arms};
	return lappend(answers, answer);
}

static bool
has_mechanism(const List *mechanisms, const char *name)
{
	ListCell   *cell;

	/* the geometric mechanism is what laplace is for whole numbers */
	foreach(cell, mechanisms)
	{
		if (strcmp(lfirst(cell), name) == 0 ||
			(strcmp(lfirst(cell), dps_laplace.name) == 0 && (strcmp(name, DPS_GEOMETRIC) == 0 || strcmp(name, dps_k_norm.name) == 0)))
			return true;
	}
	return mechanisms == NIL;
}

static Asked
asked_with(const DpsLimitedAnswer *answer)
{
	const DpsChargeItem *item = answer->item;
	double		k = answer->arms;

	return (Asked) {
		.epsilon = k * item->epsilon,
		.delta = k > 1 && item->delta > 0 ? k * exp((k - 1) * item->epsilon) * item->delta : item->delta,
		.rho = isinf(item->loss.epsilon) ? k * k * item->loss.rho : 0
	};
}

/* What is not a number is beyond every limit. */
static bool
exceeds(double asked, double limit, double rounding)
{
	return !(asked <= limit * (1 + rounding));
}

/* What is asked exactly with the limit of one answer is within it; sums and multiples are rounded. */
static bool
asked_exceeds(const Asked *asked, double epsilon, double delta, double rounding, Excess *excess)
{
	if (exceeds(asked->epsilon, epsilon, rounding))
		*excess = (Excess) {.what = "epsilon", .asked = asked->epsilon, .limit = epsilon};
	else if (exceeds(asked->delta, delta, rounding))
		*excess = (Excess) {.what = "delta", .asked = asked->delta, .limit = delta};
	else if (exceeds(asked->rho, epsilon * epsilon / 2, ROUNDING))
		*excess = (Excess) {.what = "rho", .asked = asked->rho, .limit = epsilon * epsilon / 2};
	else
		return false;
	return true;
}

static bool
find_excess(const DpsAnswerLimits *limits, const List *answers, Excess *excess)
{
	Asked		sum = {0};
	ListCell   *cell;

	foreach(cell, answers)
	{
		const DpsLimitedAnswer *answer = lfirst(cell);
		Asked		asked = asked_with(answer);

		if (!has_mechanism(limits->mechanisms, answer->item->mechanism))
		{
			*excess = (Excess) {.mechanism = answer->item->mechanism};
			return true;
		}
		if (answer->item->shown_units > 0 && answer->item->shown_units < limits->min_units)
		{
			*excess = (Excess) {.units = answer->item->shown_units};
			return true;
		}
		if (asked_exceeds(&asked, limits->epsilon, limits->delta, answer->arms > 1 ? ROUNDING : 0, excess))
		{
			excess->factor = answer->item->factor;
			return true;
		}
		sum.epsilon += asked.epsilon;
		sum.delta += asked.delta;
		sum.rho += asked.rho;
	}
	*excess = (Excess) {0};
	if (!asked_exceeds(&sum, limits->statement_epsilon, limits->statement_delta, ROUNDING, excess))
		return false;
	excess->is_sum = true;
	return true;
}

bool
dps_limits_admit(const DpsAnswerLimits *limits, const List *answers)
{
	Excess		excess;

	return !find_excess(limits, answers, &excess);
}

/* ---- refusing ---- */

DpsLimitsOf
dps_limits_of_role(const char *role, const char *relation)
{
	return (DpsLimitsOf) {psprintf("from the budget of role \"%s\" on relation \"%s\"", role, relation), "dpsens.set_policy()"};
}

DpsLimitsOf
dps_limits_of_role_on_entity(const char *role, const char *entity)
{
	return (DpsLimitsOf) {psprintf("from the budget of role \"%s\" on persons of entity \"%s\"", role, entity), "dpsens.set_entity_policy()"};
}

DpsLimitsOf
dps_limits_of_relation(const char *relation)
{
	return (DpsLimitsOf) {psprintf("about relation \"%s\"", relation), "dpsens.set_policy()"};
}

DpsLimitsOf
dps_limits_of_entity(const char *entity)
{
	return (DpsLimitsOf) {psprintf("about persons of entity \"%s\"", entity), "dpsens.set_entity_policy()"};
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

static void
refuse_mechanism(const DpsAnswerLimits *limits, const Excess *excess, const DpsLimitsOf *of, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
							 psprintf("mechanism %s may not answer %s", excess->mechanism, of->answers),
							 psprintf("Those that may are %s.", list_mechanisms(limits->mechanisms)),
							 psprintf("Choose another one with dpsens.mechanism, or ask the owner to allow it by %s.", of->setter));
}

static void
refuse_units(const DpsAnswerLimits *limits, const Excess *excess, const DpsLimitsOf *of, DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
							 psprintf("one answer %s may show groups of undeclared keys from " INT64_FORMAT " units on, not from " INT64_FORMAT,
									  of->answers, limits->min_units, excess->units),
							 psprintf("A group of " INT64_FORMAT " units would be shown with probability 1/2 or more.", excess->units),
							 psprintf("Ask with a smaller dpsens.delta or a smaller epsilon; the owner can set the limit with %s.", of->setter));
}

/* What is asked for by answers that share epsilon is more than what was written. */
static const char *
describe_limit(const Excess *excess)
{
	if (strcmp(excess->what, "rho") == 0)
		return psprintf("The limit is %.15g, by the limit of epsilon, %.15g.", excess->limit, sqrt(2 * excess->limit));
	if (excess->factor > 0 && strcmp(excess->what, "epsilon") == 0)
		return psprintf("The limit is %.15g. Answers of the statement share epsilon (dpsens.share_sets, dpsens.weights), and this one is asked with %.3g times what is written.",
						excess->limit, excess->factor);
	return psprintf("The limit is %.15g.", excess->limit);
}

static const char *
how_to_ask_for_less(const Excess *excess)
{
	if (strcmp(excess->what, "rho") == 0)
		return "Ask with a smaller epsilon or a smaller dpsens.delta";
	if (excess->is_sum)
		return "Ask for less, or in several statements";
	return "Ask for less";
}

bool
dps_limits_refuse(const DpsAnswerLimits *limits, const List *answers, const DpsLimitsOf *of, DpsChargeAnswer *answer)
{
	Excess		excess;

	if (!find_excess(limits, answers, &excess))
		return false;
	if (excess.what == NULL)
	{
		if (excess.mechanism != NULL)
			refuse_mechanism(limits, &excess, of, answer);
		else
			refuse_units(limits, &excess, of, answer);
		return true;
	}
	dps_charge_answer_refuse(answer, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
							 psprintf("%s %.15g is more than %s may be asked with %s",
									  excess.what, excess.asked, excess.is_sum ? "one statement" : "one answer", of->answers),
							 describe_limit(&excess),
							 psprintf("%s; the owner can set the limit with %s.", how_to_ask_for_less(&excess), of->setter));
	return true;
}
