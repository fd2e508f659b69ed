/*
 * level.c
 *		Checks of the form of a level with dp aggregates.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "guard/query/correlated.h"
#include "guard/rewrite/level.h"

void
dps_refuse_level(const DpsLevel *level, const char *what, const char *hint, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported together with dp aggregates", what),
			 hint == NULL ? 0 : errhint("%s", hint),
			 errposition(dps_query_position(&level->source, location >= 0 ? location : level->source.location))));
}

void
dps_check_level_shape(DpsLevel *level, Query *query)
{
	if (query->commandType != CMD_SELECT)
		dps_refuse_level(level, "UPDATE, DELETE and MERGE are", "Keep the answers with CREATE TABLE AS or INSERT ... SELECT first.", -1);
	if (query->rowMarks != NIL)
		dps_refuse_level(level, "FOR UPDATE and FOR SHARE are", "Answers are no rows of the table: leave it out.", -1);
	if (query->hasModifyingCTE)
		dps_refuse_level(level, "WITH queries that write are", "Write in a statement of its own, or put the aggregates into a subquery in FROM.", -1);
	if (query->hasRecursive)
		dps_refuse_level(level, "WITH RECURSIVE is", "Write WITH without RECURSIVE, or keep the answers with CREATE TABLE AS first.", -1);
	if (dps_is_correlated(query, list_copy_tail(level->source.enclosing, 1)))
		dps_refuse_level(level, "references to an outer query are",
					 "Each outer row would need a draw of its own; join the answers instead.", -1);
}
