/*
 * refusals.c
 *		The log of statements that were refused: who, when, why, what was asked.
 *
 * Precondition: a refusal follows from the statement, declarations, budgets and policies, all public; no row of a protected
 * relation is read before it.  Errors while a statement runs are no refusals and do not come here.
 * Postcondition: a refusal that the worker could be told of is durable, whatever becomes of the client's transaction; each
 * role has at most dpsens.refusal_log_limit rows a day (of UTC), what is beyond them is counted.
 *
 * What the ledger refuses, the worker writes in the batch that refuses.  What is refused before, the session sends; it
 * waits as for a charge, by a time that the role cannot shorten and without being interrupted, so that who cancels is logged,
 * too.  If it cannot be logged, it is refused all the same.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "glue/compat.h"
#include "glue/label/annotation.h"
#include "glue/owner.h"
#include "glue/settings.h"
#include "ledger/charge/refusals.h"
#include "ledger/charge/slots.h"
#include "ledger/ledger.h"
#include "ledger/statement.h"

/* The relations that a refusal names at most. */
#define RELATIONS_MAX 40

/* How long a session waits until its refusal is logged, in milliseconds. */
#define PATIENCE 5000

/* The rows of a role on one day. */
typedef struct Written
{
	NameData	role_name;
	int64		n;
} Written;

static DpsStatement insert_refusal = {
	.text = "INSERT INTO dpsens.refusal (refusal, refused_at, role_name, sqlstate, message, query, relations, relation_names)"
	" SELECT $1, $2, $3, $4, $5, $6, r.relations, r.names FROM (SELECT"
	" COALESCE(pg_catalog.array_agg(c.oid ORDER BY c.oid), '{}') AS relations,"
	" COALESCE(pg_catalog.array_agg(pg_catalog.format('%I.%I', n.nspname, c.relname) ORDER BY c.oid), '{}') AS names"
	" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace"
	" JOIN pg_catalog.pg_seclabel l ON l.objoid OPERATOR(pg_catalog.=) c.oid AND l.classoid OPERATOR(pg_catalog.=) 1259::pg_catalog.oid"
	" AND l.objsubid OPERATOR(pg_catalog.=) 0 AND l.provider OPERATOR(pg_catalog.=) 'dpsens'"
	" AND l.label OPERATOR(pg_catalog.~*) '^\\s*PROTECTED'"
	" WHERE c.oid OPERATOR(pg_catalog.=) ANY ($7)) r",
	.nargs = 7, .argtypes = {INT8OID, TIMESTAMPTZOID, NAMEOID, TEXTOID, TEXTOID, TEXTOID, OIDARRAYOID}
};

static DpsStatement read_number = {
	.text = "SELECT COALESCE(pg_catalog.max(r.refusal), 0) FROM dpsens.refusal r"
};

static DpsStatement count_rows = {
	.text = "SELECT pg_catalog.count(*) FROM dpsens.refusal r WHERE r.role_name OPERATOR(pg_catalog.=) $1"
	" AND r.refused_at OPERATOR(pg_catalog.>=) $2",
	.nargs = 2, .argtypes = {NAMEOID, TIMESTAMPTZOID}
};

static DpsStatement count_beyond = {
	.text = "INSERT INTO dpsens.refusals_beyond AS b (role_name, day, refusals) VALUES ($1, $2, 1)"
	" ON CONFLICT (role_name, day) DO UPDATE SET refusals = b.refusals OPERATOR(pg_catalog.+) 1",
	.nargs = 2, .argtypes = {NAMEOID, TIMESTAMPTZOID}
};

/* ---- the worker ---- */

/* What is remembered of the table; read anew after an abort and on another day. */
static List *written = NIL;		/* of Written * */
static TimestampTz written_day = 0;
static int64 last_number = -1;	/* -1: not known */

static void
forget(void)
{
	list_free_deep(written);
	written = NIL;
	last_number = -1;
}

static void
forget_at_abort(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		forget();
}

static void
remember_until(TimestampTz day)
{
	static bool watches = false;

	if (!watches)
		RegisterXactCallback(forget_at_abort, NULL);
	watches = true;
	if (written_day != day)
		forget();
	written_day = day;
}

static Written *
written_of(NameData *role_name, TimestampTz day)
{
	Datum		values[] = {NameGetDatum(role_name), TimestampTzGetDatum(day)};
	MemoryContext before;
	Written    *one;
	ListCell   *cell;

	foreach(cell, written)
	{
		one = lfirst(cell);
		if (strcmp(NameStr(one->role_name), NameStr(*role_name)) == 0)
			return one;
	}
	dps_statement_run(&count_rows, values, NULL);
	before = MemoryContextSwitchTo(TopMemoryContext);
	one = palloc(sizeof(Written));
	*one = (Written) {*role_name, DatumGetInt64(dps_statement_value(0, 1))};
	written = lappend(written, one);
	MemoryContextSwitchTo(before);
	return one;
}

static int64
next_number(void)
{
	if (last_number < 0)
	{
		dps_statement_run(&read_number, NULL, NULL);
		last_number = DatumGetInt64(dps_statement_value(0, 1));
	}
	return ++last_number;
}

/* The relations of the request, as an array of OIDs. */
static Datum
relations_of(const DpsCharge *request)
{
	Datum	   *oids = palloc(sizeof(Datum) * (request->nitems + 1));
	int			n = 0;
	int			i;

	for (i = 0; i < request->nitems; i++)
	{
		if (request->items[i].relation != InvalidOid)
			oids[n++] = ObjectIdGetDatum(request->items[i].relation);
	}
	return PointerGetDatum(construct_array(oids, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

static void
write_refusal(const DpsCharge *request, const char *sqlstate, const char *message)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz day = now - now % USECS_PER_DAY;
	NameData	role_name;
	Written    *of_role;
	Datum		values[7] = {0};

	if (!dps_role_written(request->role, &role_name) || dps_setting_refusal_log_limit == 0)
		return;
	remember_until(day);
	of_role = written_of(&role_name, day);
	values[0] = NameGetDatum(&role_name);
	values[1] = TimestampTzGetDatum(day);
	if (of_role->n >= dps_setting_refusal_log_limit)
	{
		dps_statement_run(&count_beyond, values, NULL);
		return;
	}
	values[0] = Int64GetDatum(next_number());
	values[1] = TimestampTzGetDatum(now);
	values[2] = NameGetDatum(&role_name);
	values[3] = CStringGetTextDatum(sqlstate);
	values[4] = CStringGetTextDatum(message);
	values[5] = CStringGetTextDatum(request->query);
	values[6] = relations_of(request);
	dps_statement_run(&insert_refusal, values, NULL);
	of_role->n++;
}

void
dps_refusals_write(const DpsCharge *request, const DpsChargeAnswer *answer)
{
	if (request->kind == DPS_REQUEST_REFUSAL)
		write_refusal(request, request->items[0].mechanism, request->items[0].expression);
	else if (request->kind == DPS_REQUEST_CHARGE && answer->sqlerrcode != 0)
		write_refusal(request, unpack_sql_state(answer->sqlerrcode), answer->message);
}

/* ---- sessions ---- */

static bool
is_of_others(Oid relation, Oid role)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	return annotation.is_protected && !dps_owns_relation(relation, role);
}

/* Those of owners who have none before, and then the others. */
static List *
each_owner_first(const List *relations)
{
	List	   *owners = NIL;
	List	   *first = NIL;
	List	   *rest = NIL;
	ListCell   *cell;

	foreach(cell, relations)
	{
		Oid			owner = dps_relation_owner(lfirst_oid(cell));

		if (list_member_oid(owners, owner))
			rest = lappend_oid(rest, lfirst_oid(cell));
		else
			first = lappend_oid(first, lfirst_oid(cell));
		owners = list_append_unique_oid(owners, owner);
	}
	return list_concat(first, rest);
}

/* All of them, or, of more than a request can name, those in whose log the refusal belongs, one of each owner before a
 * second of any: whoever names many tables of their own, or of a friend, does not keep it out of others'. */
static List *
relations_to_name(const List *relations, Oid role)
{
	List	   *named = NIL;
	List	   *others = NIL;
	ListCell   *cell;

	foreach(cell, relations)
	{
		if (lfirst_oid(cell) >= FirstNormalObjectId)
			named = list_append_unique_oid(named, lfirst_oid(cell));
	}
	if (list_length(named) <= RELATIONS_MAX)
		return named;
	foreach(cell, named)
	{
		if (is_of_others(lfirst_oid(cell), role))
			others = lappend_oid(others, lfirst_oid(cell));
	}
	return list_truncate(each_owner_first(others), RELATIONS_MAX);
}

/* A refusal's items are the relations that it is about, InvalidOid if none is known; the first one's mechanism is its
 * SQLSTATE, and its expression the message. */
static void
submit(Oid role, const List *relations, const char *query, int sqlerrcode, const char *message)
{
	DpsChargeItem *items = palloc0(sizeof(DpsChargeItem) * (RELATIONS_MAX + 1));
	DpsCharge	request = {.kind = DPS_REQUEST_REFUSAL, .role = role, .query = query, .items = items};
	DpsChargeAnswer answer;
	char	   *buffer = palloc0(DPS_REQUEST_SIZE);
	ListCell   *cell;
	Size		length;

	foreach(cell, relations_to_name(relations, role))
		items[request.nitems++] = (DpsChargeItem) {.relation = lfirst_oid(cell), .expression = ""};
	request.nitems = Max(request.nitems, 1);
	strlcpy(items[0].mechanism, unpack_sql_state(sqlerrcode), sizeof(items[0].mechanism));
	items[0].expression = message;
	length = dps_request_write(&request, buffer);
	if (length > 0)
		dps_slots_submit(buffer, length, &answer);
}

bool
dps_ledger_logs_refusals(void)
{
	return dps_setting_refusal_log_limit > 0 && !RecoveryInProgress();
}

void
dps_ledger_note_refusal(Oid role, const List *relations, const char *query, int sqlerrcode, const char *message)
{
	int			asked = dps_setting_ledger_timeout;
	MemoryContext context = CurrentMemoryContext;

	dps_setting_ledger_timeout = PATIENCE;
	HOLD_INTERRUPTS();
	PG_TRY();
	{
		submit(role, relations, query, sqlerrcode, message);
	}
	PG_CATCH();
	{
		/* the error has let go of all interrupts; it is refused all the same */
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	RESUME_INTERRUPTS();
	dps_setting_ledger_timeout = asked;
}
