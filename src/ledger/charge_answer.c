/*
 * charge_answer.c
 *		The ledger's answer to a charge.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "ledger/charge_answer.h"

/* Cut between characters: the message is kept where texts are valid. */
static void
put_text(char *to, const char *text)
{
	int			length = text != NULL ? pg_mbcliplen(text, strlen(text), DPS_ANSWER_TEXT - 1) : 0;

	memcpy(to, text != NULL ? text : "", length);
	to[length] = '\0';
}

void
dps_charge_answer_refuse(DpsChargeAnswer *answer, int sqlerrcode, const char *message,
				  const char *detail, const char *hint)
{
	memset(answer, 0, sizeof(DpsChargeAnswer));
	answer->sqlerrcode = sqlerrcode;
	put_text(answer->message, message);
	put_text(answer->detail, detail);
	put_text(answer->hint, hint);
}

void
dps_charge_answer_stopped(DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					  "the privacy ledger was stopped",
					  "The request may have been charged nevertheless.", "Try again.");
}
