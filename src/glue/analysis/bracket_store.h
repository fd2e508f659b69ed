/*
 * bracket_store.h
 *		Brackets of registered expressions, in the table dpsens.brackets.
 */
#ifndef DPS_GLUE_ANALYSIS_BRACKET_STORE_H
#define DPS_GLUE_ANALYSIS_BRACKET_STORE_H

#include "postgres.h"

#include "glue/analysis/bracket_cache.h"

/* Appends the stored answer to exactly this question; false if there is none. */
extern bool dps_read_bracket(uint64 hash, const StringInfo question, StringInfo answer);

/*
 * Replaces the brackets that are stored for a registered expression by the recorded
 * ones.  Removes repeated entries from the record.  Does nothing in a read-only or
 * parallel context, or while another session holds the table's lock; else holds
 * ShareUpdateExclusiveLock until the transaction ends, if there was anything to write.
 */
extern void dps_store_brackets(Oid function, DpsBracketRecord *record);

/* Removes the brackets of expressions that no longer exist; like dps_store_brackets it
 * may do nothing, and keeps its lock. */
extern void dps_sweep_brackets(void);

#endif							/* DPS_GLUE_ANALYSIS_BRACKET_STORE_H */
