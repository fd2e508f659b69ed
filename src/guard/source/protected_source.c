/*
 * protected_source.c
 *		What a level of a query with dp aggregates reads: its parts, and errors with a
 *		position in the query.
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "guard/condition/safe.h"
#include "guard/restrict/analyst.h"
#include "guard/source/protected_source.h"

/* The limit of nested queries around the aggregates. */
#define MAX_NESTING 32

int
dps_query_position(const DpsProtectedSource *source, int location)
{
	return dps_text_position(source->source_text, location);
}

void
dps_refuse_source(const DpsProtectedSource *source, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported below dp aggregates", what),
			 errhint("%s", hint),
			 errposition(dps_query_position(source, source->location))));
}

void
dps_refuse_at(const DpsProtectedSource *source, Node *where, const char *what, const char *hint)
{
	DpsProtectedSource here = *source;
	int			location = where != NULL ? exprLocation(where) : -1;

	if (location >= 0)
		here.location = location;
	dps_refuse_source(&here, what, hint);
}

bool
dps_is_row_of_expressions(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_SUBQUERY && entry->subquery->jointree->fromlist == NIL &&
		entry->subquery->jointree->quals == NULL && entry->subquery->setOperations == NULL;
}

DpsPart *
dps_var_part(const DpsProtectedSource *source, const Var *var)
{
	return source->parts == NIL ? NULL : list_nth(source->parts, var->varno - 1);
}

char *
dps_part_name(const DpsPart *part)
{
	return part->constants != NULL ? part->entry->eref->aliasname : get_rel_name(part->relation);
}

int
dps_part_number(const DpsProtectedSource *source, const RangeTblEntry *entry)
{
	ListCell   *cell;
	int			n = 1;

	foreach(cell, source->parts)
	{
		if (((DpsPart *) lfirst(cell))->entry == entry)
			return n;
		n++;
	}
	dps_refuse_source(source, "this column reference is", "Refer to the columns of the relations in FROM.");
}

DpsAdjacency
dps_row_adjacency(const DpsProtectedSource *source)
{
	return source->swaps_rows ? DPS_REPLACE : source->annotation.adjacency;
}

/* ---- for restricted analysts ---- */

static void
check_nesting(const DpsProtectedSource *source)
{
	if (list_length(source->enclosing) > MAX_NESTING)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("dp aggregates are nested too deep in other queries for a role without SELECT privilege"),
				 errhint("Use at most %d levels.", MAX_NESTING),
				 errposition(dps_query_position(source, source->location))));
}

void
dps_check_analyst(const DpsProtectedSource *source)
{
	Relation	relation;
	bool		computes;

	if (source->needs_budget && !source->is_analysis)
		dps_check_served(source->relation, GetUserId());
	check_nesting(source);
	relation = table_open(source->relation, AccessShareLock);
	computes = dps_computes_columns(relation);
	table_close(relation, NoLock);
	if (computes)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a relation with virtual generated columns is not supported for a role without SELECT privilege"),
				 errdetail("Their expressions could fail for some rows, and so tell of them."),
				 errhint("Ask the owner to store the columns."),
				 errposition(dps_query_position(source, source->location))));
}

void
dps_check_total(const DpsProtectedSource *source, Node *expanded)
{
	DpsUnsafe	unsafe;

	dps_find_unsafe(expanded, &unsafe);
	if (unsafe.what == NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s in a condition is not supported for a role without SELECT privilege", unsafe.what),
			 errdetail("It could fail for some rows, or be seen at work on them, and so tell of them."),
			 errhint("Use comparisons, BETWEEN, IN, LIKE and regular expressions with a pattern that is constant and short, "
					 "IS NULL, AND, OR and NOT over arithmetic, dates, simple functions of strings and constants."),
			 errposition(dps_query_position(source, unsafe.location >= 0 ? unsafe.location : source->location))));
}
