/*
 * answer_limits.h
 *		What a single answer, and a single statement, may be asked with.
 *
 * A budget bounds what all answers tell together; one answer that spends all of it can be as good as exact.  Limits
 * belong to the budget of a role that pays, and to the policy of a relation or of an entity (dpsens.set_policy,
 * dpsens.set_entity_policy).  They are compared with what was asked for, which the noise is calibrated to, and are a
 * policy: no promise rests on them.
 */
#ifndef DPS_LEDGER_CHARGE_ANSWER_LIMITS_H
#define DPS_LEDGER_CHARGE_ANSWER_LIMITS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "ledger/charge/charge_request.h"

/* Infinity: no limit. */
typedef struct DpsAnswerLimits
{
	double		epsilon;		/* of one answer; without pure epsilon its rho is at most epsilon^2/2 */
	double		delta;
	double		statement_epsilon;	/* of all answers of a statement about the relation, or the entity */
	double		statement_delta;
	List	   *mechanisms;		/* of char *: those that may answer; NIL: all */
	int64		min_units;		/* of which a group of undeclared keys may be shown with probability 1/2; 0: no limit */
} DpsAnswerLimits;

/* Those of a row of the last result of an SQL statement (ledger/statement.h), in six columns from this one on. */
extern DpsAnswerLimits dps_statement_limits(uint64 row, int column);

/* An answer that is compared with limits. */
typedef struct DpsLimitedAnswer
{
	const DpsChargeItem *item;
	int			arms;			/* in how many of its arms whoever the limits are about can have a row */
} DpsLimitedAnswer;

/* Adds an answer to a list of DpsLimitedAnswer *, unless nothing private can change it: then it has no limits. */
extern List *dps_limited_answer(List *answers, const DpsChargeItem *item, int arms);

/* Are these answers of one statement, a list of DpsLimitedAnswer *, within the limits? */
extern bool dps_limits_admit(const DpsAnswerLimits *limits, const List *answers);

/* Whose limits they are, for messages: which answers, as it stands behind "one answer may be asked with"; and the
 * function that sets them. */
typedef struct DpsLimitsOf
{
	const char *answers;
	const char *setter;
} DpsLimitsOf;

/* Fills the answer with the refusal of answers that they do not admit; returns whether they do not. */
extern bool dps_limits_refuse(const DpsAnswerLimits *limits, const List *answers, const DpsLimitsOf *of,
							  DpsChargeAnswer *answer);

/* What stands behind it: limits of a role's budget, of a relation or of persons, of a relation, of an entity.  Names are qualified. */
extern DpsLimitsOf dps_limits_of_role(const char *role, const char *relation);
extern DpsLimitsOf dps_limits_of_role_on_entity(const char *role, const char *entity);
extern DpsLimitsOf dps_limits_of_relation(const char *relation);
extern DpsLimitsOf dps_limits_of_entity(const char *entity);

#endif							/* DPS_LEDGER_CHARGE_ANSWER_LIMITS_H */
