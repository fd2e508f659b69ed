/*
 * all_rows.h
 *		All rows of an expression's table, in batches.
 */
#ifndef DPS_AUDIT_ALL_ROWS_H
#define DPS_AUDIT_ALL_ROWS_H

#include "postgres.h"

#include "audit/evaluator.h"

/* A batch that has been evaluated: row i has the key keys[i], a jsonb, NULL
 * where key_is_null[i].  Called in a context that is reset afterwards. */
typedef void (*DpsBatchReader) (const DpsEvaluator *evaluator, int nrows, const Datum *keys,
								const bool *key_is_null, void *context);

/*
 * Reads the table by a query of the current user's, so that privileges and row
 * security are those of any SELECT.  Connects to SPI.  Keys can be of types whose
 * casts to JSON belong to others, who must not have them called by a caller that
 * does not ask for keys.
 */
extern void dps_scan_rows(DpsEvaluator *evaluator, bool with_keys, DpsBatchReader reader, void *context);

#endif							/* DPS_AUDIT_ALL_ROWS_H */
