/*
 * bracket_cache.h
 *		A backend's cache of brackets.
 */
#ifndef DPS_GLUE_ANALYSIS_BRACKET_CACHE_H
#define DPS_GLUE_ANALYSIS_BRACKET_CACHE_H

#include "postgres.h"

#include "glue/analysis/question.h"
#include "nodes/pg_list.h"

/* Questions and their answers, for dps_store_brackets; an empty record is zero. */
typedef struct DpsBracketRecord
{
	List	   *entries;		/* of DpsRecordedBracket * */
} DpsBracketRecord;

typedef struct DpsRecordedBracket
{
	uint64		hash;			/* of the question */
	StringInfoData question;
	StringInfoData answer;
	bool		stored;			/* for dps_store_brackets */
} DpsRecordedBracket;

/*
 * The bracket that answers the question: from this backend's cache, from the table of
 * stored brackets, or from a search.  Adds it to the cache and to the record, which may
 * be NULL, unless dpsens.max_ms ended the search.  Raises an error if a search ran out of
 * memory or was cancelled.
 */
extern void dps_ask(const DpsQuestion *question, DpsBracketRecord *record, DpsBracket *bracket);

#endif							/* DPS_GLUE_ANALYSIS_BRACKET_CACHE_H */
