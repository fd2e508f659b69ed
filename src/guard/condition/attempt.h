/*
 * attempt.h
 *		Conditions that the executor evaluates on raw cells, without an error
 *		that a cell could cause.
 *
 * Where SQL raises an error because of an argument's value, the result here is NULL: 1/0, ln(-1), an
 * integer overflow, an invalid date.  Where SQL has a value it is the same value, computed by the same
 * function: NaN, infinities, numeric's digits and bigints beyond 2^53 included.  So a row whose condition
 * is undefined is not selected, just as it adds nothing where its expression is undefined.
 *
 * A call that would take much memory is NULL, too: if its arguments have more than 16 MB together; if its
 * result is longer than 1 MB and longer than its longest argument; and if its result is longer than its
 * share of 16 MB.  All calls that make strings or arrays in an expression have the same share, at least a
 * 128th.
 */
#ifndef DPS_GUARD_CONDITION_ATTEMPT_H
#define DPS_GUARD_CONDITION_ATTEMPT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "glue/import/enum_labels.h"

/*
 * Can the call, of one function or operator or a cast through text, be made without an error?
 * dps_attempt_calls takes only functions of the server that are stable or immutable; the caller knows which
 * of them do nothing but compute.
 */
extern bool dps_can_attempt(Node *call);

/* The properties of a call's result, and the call's location in the query text. */
typedef struct DpsResult
{
	Oid			type;
	Oid			collation;
	Oid			input_collation;
	int			location;
} DpsResult;

struct DpsAttempt;

/* The call that attempts what the plan says; the size and version in the plan are set here.  labels: NULL
 * if the plan needs none. */
extern Node *dps_make_attempt(const struct DpsAttempt *plan, const DpsEnumLabels *labels, List *args, const DpsResult *result);

/* Is the node a call of an attempt that is immutable? */
extern bool dps_is_immutable_attempt(const Node *node);

/*
 * Replaces every call in the expression that might fail, in subqueries as well, by an attempt; except in a
 * SubLink that stands for a subquery which is read separately (semijoin.h).  Calls that cannot be attempted
 * stay.
 *
 * restricted: the role that asks may not read rows.  Then patterns whose value is known only when the
 * statement runs are checked at that time: at each row, and by the calls that are added to *checks.
 */
extern Node *dps_attempt_calls(Node *expression, bool restricted, List **checks);

#endif							/* DPS_GUARD_CONDITION_ATTEMPT_H */
