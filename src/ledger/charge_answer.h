/*
 * charge_answer.h
 *		The ledger's answer to a charge.
 */
#ifndef DPS_LEDGER_CHARGE_ANSWER_H
#define DPS_LEDGER_CHARGE_ANSWER_H

#include "postgres.h"

#define DPS_ANSWER_TEXT 256

/* sqlerrcode 0: charged. */
typedef struct DpsChargeAnswer
{
	int			sqlerrcode;
	int64		last_release;	/* its number in the history */
	uint64		end;			/* the end of its commit record in the log, to be flushed; 0 if it is flushed */
	char		message[DPS_ANSWER_TEXT];
	char		detail[DPS_ANSWER_TEXT];	/* or empty */
	char		hint[DPS_ANSWER_TEXT];	/* or empty */
} DpsChargeAnswer;

/* Fills the answer with a refusal.  Texts are copied and cut at DPS_ANSWER_TEXT bytes; detail and hint may
 * be NULL. */
extern void dps_charge_answer_refuse(DpsChargeAnswer *answer, int sqlerrcode, const char *message,
							  const char *detail, const char *hint);

/* Fills the answer that a worker gives if it exits and does not know whether the request was charged. */
extern void dps_charge_answer_stopped(DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_ANSWER_H */
