/*
 * answer_limits.h
 *		What a single answer, and a single statement, may be asked with.
 *
 * A budget bounds what all answers tell together; one answer that spends all of it can be as good as exact.  The
 * limits belong to the budget of a role that pays (dpsens.set_answer_limits), and hold for those who may not read
 * the relation.  They are compared with what was asked for, which the noise is calibrated to, and are a policy: no
 * promise rests on them.
 */
#ifndef DPS_LEDGER_CHARGE_ANSWER_LIMITS_H
#define DPS_LEDGER_CHARGE_ANSWER_LIMITS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "ledger/charge/charge_request.h"

/* Infinity: no limit. */
typedef struct DpsAnswerLimits
{
	double		epsilon;		/* of one answer */
	double		delta;
	double		statement_epsilon;	/* of all answers of a statement about the relation */
	double		statement_delta;
	List	   *mechanisms;		/* of char *: those that may answer; NIL: all */
} DpsAnswerLimits;

/* Are the answers about the relation within the limits?  One that nothing private can change has none. */
extern bool dps_limits_admit(const DpsAnswerLimits *limits, const DpsCharge *charge, Oid relation);

/* Fills the answer with the refusal of a charge that they do not admit.  The names are the relation's and that of
 * the role whose budget would pay. */
extern void dps_limits_refuse(const DpsAnswerLimits *limits, const DpsCharge *charge, Oid relation,
							  const char *relation_name, const char *role_name, DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_ANSWER_LIMITS_H */
