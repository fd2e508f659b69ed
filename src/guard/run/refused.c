/*
 * refused.c
 *		Statements that are refused before they run, for the ledger's log of them.
 *
 * Precondition: the error was raised while the guard looked at a statement, before a row of a protected relation was read;
 * so it says nothing of one, and neither does how long it takes to log it.
 * Postcondition: the error is raised as it was.  It is logged if the role is one of those that were granted a budget, or is
 * a member of one, and if the error says that the statement cannot be asked: not if the server is short of something, stops,
 * or the statement was cancelled.
 *
 * It is caught where it is raised and not where the server reports it, so neither an exception handler of the client's nor
 * its settings of messages keep it out of the log, and no error of a running statement can get there.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "glue/label/role_label.h"
#include "guard/query/normalise.h"
#include "guard/query/range_table.h"
#include "guard/restrict/asker.h"
#include "guard/run/refused.h"
#include "ledger/ledger.h"

static bool
is_logged(Oid role)
{
	return dps_ledger_logs_refusals() && dps_is_marked_role(role);
}

DpsRefusable
dps_refusable_query(const Query *query, const char *text)
{
	return (DpsRefusable) {
		.is_logged = is_logged(GetUserId()), .role = GetUserId(), .text = text, .location = query->stmt_location,
		.length = query->stmt_len, .query = query, .context = CurrentMemoryContext
	};
}

DpsRefusable
dps_refusable_run(const QueryDesc *query)
{
	Oid			role = dps_asker_role(query->estate);

	return (DpsRefusable) {
		.is_logged = is_logged(role), .role = role, .text = query->sourceText, .location = query->plannedstmt->stmt_location,
		.length = query->plannedstmt->stmt_len, .relations = query->plannedstmt->relationOids, .context = CurrentMemoryContext
	};
}

/* Of errors that are no refusals the first two characters of the SQLSTATE say what they are: a transaction that was rolled
 * back, resources, an operator's intervention, the system, something internal. */
static bool
is_refusal(const ErrorData *error)
{
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
			return error->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
		case ERRCODE_INTERNAL_ERROR:
			return false;
		default:
			return error->elevel == ERROR && error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE;
	}
}

/* Those that stand at the top of a query, which takes no walk. */
static List *
top_relations(const Query *query)
{
	List	   *relations = NIL;
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind == RTE_RELATION)
			relations = lappend_oid(relations, entry->relid);
	}
	return relations;
}

/* Of a query that is too deep to be walked through those at its top. */
static const List *
relations_of(const DpsRefusable *statement)
{
	List	   *volatile relations = NIL;

	if (statement->query == NULL)
		return statement->relations;
	PG_TRY();
	{
		relations = dps_named_relations(statement->query);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(statement->context);
		FlushErrorState();
		relations = top_relations(statement->query);
	}
	PG_END_TRY();
	return relations;
}

static void
log_refusal(const DpsRefusable *statement, const ErrorData *error)
{
	dps_ledger_note_refusal(statement->role, relations_of(statement),
							dps_statement_text(statement->text, statement->location, statement->length), error->sqlerrcode,
							error->message != NULL ? error->message : "");
}

void
dps_refuse_again(const DpsRefusable *statement)
{
	ErrorData  *error;

	if (!statement->is_logged)
		PG_RE_THROW();
	MemoryContextSwitchTo(statement->context);
	error = CopyErrorData();
	FlushErrorState();
	if (is_refusal(error))
		log_refusal(statement, error);
	ReThrowError(error);
}
