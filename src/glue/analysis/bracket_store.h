/*
 * bracket_store.h
 *		Brackets of registered expressions, in the table dpsens.brackets.
 */
#ifndef DPS_GLUE_ANALYSIS_BRACKET_STORE_H
#define DPS_GLUE_ANALYSIS_BRACKET_STORE_H

#include "postgres.h"

#include "glue/analysis/bracket_cache.h"

/* Appends the stored answer to this very question; false if there is none. */
extern bool dps_read_bracket(uint64 hash, const StringInfo question, StringInfo answer);

/*
 * Makes the brackets stored for a registered expression those that were
 * recorded.  Does nothing where nothing can be written, or while another
 * session writes.
 */
extern void dps_store_brackets(Oid function, DpsBracketRecord *record);

/* Removes the brackets of expressions that no longer exist. */
extern void dps_sweep_brackets(void);

#endif							/* DPS_GLUE_ANALYSIS_BRACKET_STORE_H */
