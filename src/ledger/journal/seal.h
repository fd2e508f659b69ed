/*
 * seal.h
 *		The chain that seals releases, refusals and changes.
 */
#ifndef DPS_LEDGER_JOURNAL_SEAL_H
#define DPS_LEDGER_JOURNAL_SEAL_H

#include "postgres.h"

#include "datatype/timestamp.h"

/* Seals what is not sealed yet, of each kind at most some thousand rows; may there be more?  In the worker, inside
 * SPI. */
extern bool dps_seal_rows(TimestampTz now);

/* The worker has written a change itself, of which it is not told. */
extern void dps_seal_note_change(void);

/* For the worker's callback of invalidations; InvalidOid: all relations. */
extern void dps_seal_forget_changed(Oid relation);

#endif							/* DPS_LEDGER_JOURNAL_SEAL_H */
