/*
 * charge_request.h
 *		A charge as bytes in shared memory.
 */
#ifndef DPS_LEDGER_CHARGE_CHARGE_REQUEST_H
#define DPS_LEDGER_CHARGE_CHARGE_REQUEST_H

#include "postgres.h"

#include "ledger/charge_answer.h"
#include "ledger/ledger.h"

/* The maximum size of a request in bytes. */
#define DPS_REQUEST_SIZE 16384

/* The maximum lengths of recorded texts in bytes.  Longer texts are cut and end in "...". */
#define DPS_QUERY_LENGTH 4096
#define DPS_EXPRESSION_LENGTH 512

/*
 * Writes the charge into a buffer of DPS_REQUEST_SIZE bytes and returns the
 * length used.  Texts are shortened as needed, contributions left out, then columns; 0 if
 * the numbers alone do not fit.
 */
extern Size dps_request_write(const DpsCharge *charge, char *buffer);

/* Reads it back into CurrentMemoryContext.  Any bytes may be given: NULL if they are not what
 * dps_request_write could have written of some charge.  What the numbers say is not looked at. */
extern DpsCharge *dps_request_read(const char *buffer, Size length);

#endif							/* DPS_LEDGER_CHARGE_CHARGE_REQUEST_H */
