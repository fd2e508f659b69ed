/*
 * charge_request.h
 *		A charge as bytes in shared memory, and the answer.
 */
#ifndef DPS_LEDGER_CHARGE_CHARGE_REQUEST_H
#define DPS_LEDGER_CHARGE_CHARGE_REQUEST_H

#include "postgres.h"

#include "ledger/ledger.h"

/* The maximum size of a request in bytes. */
#define DPS_REQUEST_SIZE 16384

/* The maximum lengths of recorded texts in bytes.  Longer texts are cut and end in "...". */
#define DPS_QUERY_LENGTH 4096
#define DPS_EXPRESSION_LENGTH 512

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

/*
 * Writes the charge into a buffer of DPS_REQUEST_SIZE bytes and returns the
 * length used.  Texts are shortened as needed, contributions left out, then columns; 0 if
 * the numbers alone do not fit.
 */
extern Size dps_request_write(const DpsCharge *charge, char *buffer);

/* Reads it back into CurrentMemoryContext.  Any bytes may be given: NULL if they are not what
 * dps_request_write could have written of some charge.  What the numbers say is not looked at. */
extern DpsCharge *dps_request_read(const char *buffer, Size length);

/* Fills the answer with a refusal.  Texts are copied and cut at DPS_ANSWER_TEXT bytes; detail and hint may
 * be NULL. */
extern void dps_charge_answer_refuse(DpsChargeAnswer *answer, int sqlerrcode, const char *message,
							  const char *detail, const char *hint);

/* Fills the answer that a worker gives if it exits and does not know whether the request was charged. */
extern void dps_charge_answer_stopped(DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_CHARGE_REQUEST_H */
