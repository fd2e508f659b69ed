/*
 * bracket_cache.h
 *		Brackets that need not be searched for again.
 */
#ifndef DPS_GLUE_ANALYSIS_BRACKET_CACHE_H
#define DPS_GLUE_ANALYSIS_BRACKET_CACHE_H

#include "postgres.h"

#include "glue/analysis/question.h"
#include "nodes/pg_list.h"

/* What was asked and answered, for dps_store_brackets; zero is an empty one. */
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
 * The bracket that answers the question: remembered by this backend, stored for
 * a registered expression, or searched for and remembered.  Raises an error if
 * a search ran out of memory or was cancelled.  record may be NULL.
 */
extern void dps_ask(const DpsQuestion *question, DpsBracketRecord *record, DpsBracket *bracket);

#endif							/* DPS_GLUE_ANALYSIS_BRACKET_CACHE_H */
