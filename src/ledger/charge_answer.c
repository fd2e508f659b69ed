/*
 * charge_answer.c
 *		The ledger's answer to a charge.
 */
#include "postgres.h"

#include "ledger/charge_answer.h"

void
dps_charge_answer_refuse(DpsChargeAnswer *answer, int sqlerrcode, const char *message,
				  const char *detail, const char *hint)
{
	memset(answer, 0, sizeof(DpsChargeAnswer));
	answer->sqlerrcode = sqlerrcode;
	strlcpy(answer->message, message, DPS_ANSWER_TEXT);
	strlcpy(answer->detail, detail != NULL ? detail : "", DPS_ANSWER_TEXT);
	strlcpy(answer->hint, hint != NULL ? hint : "", DPS_ANSWER_TEXT);
}

void
dps_charge_answer_stopped(DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					  "the privacy ledger was stopped",
					  "The request may have been charged nevertheless.", "Try again.");
}
