/*
 * attempt.h
 *		Conditions that the executor evaluates on raw cells, without an error
 *		that a cell could cause.
 *
 * What SQL leaves undefined is NULL here: 1/0, ln(-1), an integer overflow, a
 * date that is none.  Where SQL has a value it is the same value, computed by
 * the same function: NaN, infinities, numeric's digits and bigints beyond 2^53
 * included.  So a row whose condition is undefined is not selected, as it adds
 * nothing where its expression is.  What would take much memory is NULL, too: a
 * call of functions with more than 16 MB, what it makes that is longer than 1 MB and
 * than its longest argument, and what is longer than its share of 16 MB, of which each
 * call that makes strings or arrays in an expression has the same, and no less
 * than a 128th.
 */
#ifndef DPS_GUARD_CONDITION_ATTEMPT_H
#define DPS_GUARD_CONDITION_ATTEMPT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "glue/import/enum_labels.h"

/*
 * Can the call, of one function or operator or a cast through text, be made
 * without an error?  All functions that dps_attempt_calls takes are the
 * server's own and stable at least; the caller knows which of them do nothing
 * but compute.
 */
extern bool dps_can_attempt(Node *call);

/* Of a call: what it returns, and where it stands. */
typedef struct DpsResult
{
	Oid			type;
	Oid			collation;
	Oid			input_collation;
	int			location;
} DpsResult;

struct DpsAttempt;

/* The call that attempts what the plan says, whose size and version are not
 * looked at.  labels: NULL where it needs none. */
extern Node *dps_make_attempt(const struct DpsAttempt *plan, const DpsEnumLabels *labels, List *args, const DpsResult *result);

/* Is it the call of an attempt that says the same at all times and in all sessions? */
extern bool dps_is_immutable_attempt(const Node *node);

/*
 * Puts an attempt in the place of every call in the expression that might
 * fail, outside of subqueries.  What cannot be attempted stays.  Where whoever
 * asks may not look at rows, patterns that are known only when the statement
 * runs are looked at then: at each row, and by the calls that are added to
 * *checks.
 */
extern Node *dps_attempt_calls(Node *expression, bool restricted, List **checks);

#endif							/* DPS_GUARD_CONDITION_ATTEMPT_H */
