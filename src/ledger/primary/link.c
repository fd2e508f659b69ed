/*
 * link.c
 *		A connection of this process to its primary.
 */
#include "postgres.h"

#include "libpq-fe.h"

#include "access/xact.h"
#include "commands/dbcommands.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "glue/compat.h"
#include "glue/settings.h"
#include "ledger/primary/link.h"

/* An error class of SQLSTATE: what the statement names is missing or forbidden, so it has not begun. */
#define NOT_BEGUN "42"

static PGconn *connection = NULL;

/* What it was made by. */
static char *made_by = NULL;

/* The database's name, which is looked up in a transaction and may be needed in one that has failed. */
static char *database = NULL;

/* How far the running question has come. */
static bool is_sent = false;

/* ---- errors ---- */

pg_noreturn static void fail(const char *reason, int sqlerrcode);

/* The reason is for the log alone. */
static void
fail(const char *reason, int sqlerrcode)
{
	ereport(LOG_SERVER_ONLY,
			(errmsg("dpsens could not have its primary charge a statement: %s", reason),
			 errhidestmt(true)));
	ereport(ERROR,
			(errcode(sqlerrcode),
			 errmsg("the primary could not be asked to charge the statement"),
			 is_sent ? errdetail("The request may have been charged nevertheless.") : errdetail("Nothing was charged."),
			 errhint("Try again, or ask the primary.  The administrator finds the reason in the standby's log.")));
}

static void
fail_connection(void)
{
	char	   *reason = pchomp(connection != NULL ? PQerrorMessage(connection) : "out of memory");

	fail(reason, ERRCODE_CONNECTION_FAILURE);
}

static void
fail_timeout(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the primary did not charge the statement within %d ms", dps_setting_ledger_timeout),
			 is_sent ? errdetail("The request may have been charged nevertheless.") : errdetail("Nothing was charged."),
			 errhint("Try again, ask the primary, or raise dpsens.ledger_timeout.")));
}

/* ---- connecting ---- */

/* dpsens.primary_conninfo, or what the server receives its log by. */
static const char *
configured(void)
{
	const char *own = dps_setting_primary_conninfo;

	if (own != NULL && *own != '\0')
		return own;
	own = GetConfigOption("primary_conninfo", true, false);
	return own != NULL ? own : "";
}

bool
dps_link_is_configured(void)
{
	return *configured() != '\0';
}

static void
disconnect(void)
{
	if (connection != NULL)
	{
		PQfinish(connection);
		ReleaseExternalFD();
	}
	connection = NULL;
}

static void
disconnect_at_exit(int code, Datum arg)
{
	disconnect();
}

static void
ignore_notice(void *context, const PGresult *notice)
{
}

/* Waits for the socket, to be read or written, and serves interrupts. */
static void
await_socket(int events, TimestampTz deadline)
{
	long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);
	int			happened;

	if (left <= 0)
		fail_timeout();
	happened = WaitLatchOrSocket(MyLatch, events | WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								 PQsocket(connection), left, PG_WAIT_EXTENSION);
	if (happened & WL_LATCH_SET)
	{
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
remember_database(void)
{
	char	   *name;

	if (!IsTransactionState())
		return;
	name = get_database_name(MyDatabaseId);
	if (name == NULL || (database != NULL && strcmp(database, name) == 0))
		return;
	if (database != NULL)
		pfree(database);
	database = MemoryContextStrdup(TopMemoryContext, name);
}

/* Settings of a connection for the log are no use for one that asks. */
static bool
is_taken(const PQconninfoOption *option)
{
	static const char *const others[] = {"dbname", "replication", "client_encoding", "fallback_application_name"};
	Size		i;

	if (option->val == NULL || *option->val == '\0')
		return false;
	for (i = 0; i < lengthof(others); i++)
	{
		if (strcmp(option->keyword, others[i]) == 0)
			return false;
	}
	return true;
}

/* Begins a connection to this database of the server that the options name. */
static void
start_connection(PQconninfoOption *options)
{
	const char *keywords[64];
	const char *values[64];
	int			n = 0;

	for (; options->keyword != NULL && n < (int) lengthof(keywords) - 4; options++)
	{
		if (!is_taken(options))
			continue;
		keywords[n] = options->keyword;
		values[n++] = options->val;
	}
	keywords[n] = "dbname";
	values[n++] = database;
	keywords[n] = "client_encoding";
	values[n++] = GetDatabaseEncodingName();
	keywords[n] = "fallback_application_name";
	values[n++] = "dpsens standby";
	keywords[n] = values[n] = NULL;
	connection = PQconnectStartParams(keywords, values, 0);
}

static void
begin_connection(const char *conninfo)
{
	char	   *error = NULL;
	PQconninfoOption *options = PQconninfoParse(conninfo, &error);

	if (options == NULL)
	{
		char	   *reason = pstrdup(error != NULL ? pchomp(error) : "out of memory");

		PQfreemem(error);
		fail(reason, ERRCODE_CONNECTION_FAILURE);
	}
	if (!AcquireExternalFD())
	{
		PQconninfoFree(options);
		fail("too many files are open", ERRCODE_INSUFFICIENT_RESOURCES);
	}
	start_connection(options);
	PQconninfoFree(options);
	if (connection == NULL)
		ReleaseExternalFD();
}

static void
connect_primary(const char *conninfo, TimestampTz deadline)
{
	static bool ends = false;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	if (!ends)
		on_proc_exit(disconnect_at_exit, 0);
	ends = true;
	if (database == NULL)
		fail("the name of the database is not known", ERRCODE_CONNECTION_FAILURE);
	begin_connection(conninfo);
	if (connection == NULL || PQstatus(connection) == CONNECTION_BAD)
		fail_connection();
	PQsetNoticeReceiver(connection, ignore_notice, NULL);
	while (status != PGRES_POLLING_OK)
	{
		if (status == PGRES_POLLING_FAILED)
			fail_connection();
		await_socket(status == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_CONNECTED, deadline);
		status = PQconnectPoll(connection);
	}
	if (PQsetnonblocking(connection, 1) != 0)
		fail_connection();
}

/* Is the connection that is kept still of use?  A server that has gone has said so by now, or the question
 * fails. */
static bool
is_usable(const char *conninfo)
{
	if (connection == NULL || made_by == NULL || strcmp(made_by, conninfo) != 0)
		return false;
	/* a last message, then the end */
	return PQconsumeInput(connection) != 0 && PQconsumeInput(connection) != 0 && PQstatus(connection) == CONNECTION_OK &&
		PQtransactionStatus(connection) == PQTRANS_IDLE;
}

static void
require_connection(TimestampTz deadline)
{
	const char *conninfo = configured();

	/* looks nothing up: it may be asked for by a transaction that has failed */
	if (is_usable(conninfo))
		return;
	remember_database();
	disconnect();
	if (made_by != NULL)
		pfree(made_by);
	made_by = NULL;
	if (*conninfo == '\0')
		fail("neither dpsens.primary_conninfo nor primary_conninfo is set", ERRCODE_CONNECTION_FAILURE);
	connect_primary(conninfo, deadline);
	made_by = MemoryContextStrdup(TopMemoryContext, conninfo);
}

/* ---- asking ---- */

static void
send_question(const DpsLinkQuestion *question, TimestampTz deadline)
{
	int			lengths[DPS_LINK_PARAMETERS] = {0};
	int			formats[DPS_LINK_PARAMETERS] = {0};
	int			left;

	lengths[DPS_LINK_PARAMETERS - 1] = question->last_length;
	formats[DPS_LINK_PARAMETERS - 1] = 1;
	/* any part of it may have left once this is called */
	is_sent = true;
	if (!PQsendQueryParams(connection, question->text, DPS_LINK_PARAMETERS, NULL, question->values, lengths, formats, 0))
		fail_connection();
	while ((left = PQflush(connection)) > 0)
	{
		await_socket(WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE, deadline);
		if (!PQconsumeInput(connection))
			fail_connection();
	}
	if (left < 0)
		fail_connection();
}

/* The next result, NULL after the last one. */
static PGresult *
await_result(TimestampTz deadline)
{
	while (PQisBusy(connection))
	{
		await_socket(WL_SOCKET_READABLE, deadline);
		if (!PQconsumeInput(connection))
			fail_connection();
	}
	return PQgetResult(connection);
}

/* The row's columns. */
static char **
take_row(const PGresult *result, int n)
{
	char	  **row = palloc0(n * sizeof(char *));
	int			i;

	for (i = 0; i < n; i++)
		row[i] = PQgetisnull(result, 0, i) ? NULL : pstrdup(PQgetvalue(result, 0, i));
	return row;
}

static void
refuse_result(const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	is_sent = sqlstate == NULL || strncmp(sqlstate, NOT_BEGUN, strlen(NOT_BEGUN)) != 0;
	fail(pchomp(PQresultErrorMessage(result)), ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE);
}

static char **
read_result(const PGresult *result, int n)
{
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		refuse_result(result);
	if (PQntuples(result) != 1 || PQnfields(result) != n)
		fail("its answer has another form", ERRCODE_PROTOCOL_VIOLATION);
	return take_row(result, n);
}

static char **
receive_answer(int n, TimestampTz deadline)
{
	PGresult   *volatile result = await_result(deadline);
	char	  **row = NULL;

	if (result == NULL)
		fail_connection();
	PG_TRY();
	{
		row = read_result(result, n);
	}
	PG_FINALLY();
	{
		PQclear(result);
	}
	PG_END_TRY();
	while ((result = await_result(deadline)) != NULL)
		PQclear(result);
	return row;
}

char **
dps_link_ask(const DpsLinkQuestion *question, int n, TimestampTz deadline)
{
	char	  **row = NULL;

	is_sent = false;
	PG_TRY();
	{
		require_connection(deadline);
		send_question(question, deadline);
		row = receive_answer(n, deadline);
	}
	PG_CATCH();
	{
		/* an answer that comes later must not be taken for that to another question */
		disconnect();
		PG_RE_THROW();
	}
	PG_END_TRY();
	return row;
}
