/*
 * connections.c
 *		Settings by which Citus sends exact sums to the nodes.
 *
 * Those of connections, and of the transactions that nodes run, are of a clean room's.  A room takes none of the settings of Citus from the session that asks (guard/restrict/run_settings.c
 * names those that are sent).  What the server's configuration, or the room's own planning, could have set
 * otherwise is listed here with the value that it has in a room.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "glue/compat.h"
#include "guard/distributed/connections.h"

typedef struct Setting
{
	const char *name;
	const char *value;
} Setting;

static const Setting settings[] = {
	/* the connections are the room's own, and end with the visit */
	{"citus.max_cached_conns_per_worker", "0"},
	/* how many there are follows from the number of shards, and not from how long the first ones take */
	{"citus.executor_slow_start_interval", "0"},
	{"citus.enable_cost_based_connection_establishment", "off"},
	/* shards on this server are asked like all others, in a session of their owner */
	{"citus.enable_local_execution", "off"},
	{"citus.enable_local_fast_path_query_optimization", "off"},
	/* nothing else is sent */
	{"citus.propagate_set_commands", "none"},
	/* nothing of what is sent is shown or counted */
	{"citus.log_remote_commands", "off"},
	{"citus.log_local_commands", "off"},
	{"citus.log_multi_join_order", "off"},
	{"citus.log_intermediate_results", "off"},
	{"citus.multi_task_query_log_level", "off"},
	{"citus.worker_min_messages", "warning"},
	{"citus.stat_statements_track", "none"},
	{"citus.stat_tenants_track", "none"},
	{"citus.enable_stat_counters", "off"},
	{"citus.explain_all_tasks", "off"},
	/* rows are neither guessed nor left out */
	{"citus.limit_clause_row_fetch_count", "-1"},
	{"citus.coordinator_aggregation_strategy", "disabled"}
};

/* Constants are sent as text, which every node reads in the same way if it is written so.  The order of
 * day and month, by which other constants may yet be read here, stays. */
static const Setting writing[] = {
	{"DateStyle", "ISO"},
	{"IntervalStyle", "postgres"},
	{"extra_float_digits", "1"},
	{"bytea_output", "hex"},
	{"quote_all_identifiers", "off"}
};

/* In the transactions that nodes run for a room, whatever is set there for the owner of the table. */
static const Setting on_nodes[] = {
	/* shards are read from the first page to the last, by one process: neither which pages are read nor how
	 * many processes read them follows from the rows (blind.c, private_plan.c).  Here a room's own plans may have
	 * workers, as many as the table's owner has said, since sizes are assumed; on nodes they are not: the planner
	 * sees the pages of the shard, and a number that was said would be a limit of what it makes of them */
	{"max_parallel_workers_per_gather", "0"},
	{"enable_indexscan", "off"},
	{"enable_indexonlyscan", "off"},
	{"enable_bitmapscan", "off"},
	{"enable_tidscan", "off"},
	{"enable_seqscan", "on"},
	/* of a table that is stored by columns, nothing is passed over in which no row can meet a condition */
	{"columnar.enable_custom_scan", "off"},
	{"columnar.enable_qual_pushdown", "off"},
	/* they see that a condition which no row can meet is one (dps_try_distributed) */
	{"constraint_exclusion", "on"},
	/* keys of groups come back with all digits */
	{"extra_float_digits", "1"},
	/* nodes wait for the room, and say nothing else */
	{"client_min_messages", "error"},
	{"row_security", "on"},
	DPS_NO_TIMEOUTS
};

/* Other versions of Citus may lack some. */
static void
set(const Setting *setting, GucAction action)
{
	const char *present = GetConfigOption(setting->name, true, false);

	if (present != NULL && strcmp(present, setting->value) != 0)
		(void) set_config_option(setting->name, setting->value, PGC_SUSET, PGC_S_SESSION, action, true, 0, false);
}

void
dps_set_connection_settings(void)
{
	int			i;

	for (i = 0; i < (int) lengthof(settings); i++)
		set(&settings[i], GUC_ACTION_LOCAL);
}

/* ---- transactions on nodes ---- */

static void
tell_nodes(const char *statement)
{
	if (SPI_execute(statement, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "a setting for nodes was not set: %s", statement);
}

/* Names in queries are those of the server, or qualified.  A temporary schema that is not named comes before all others. */
#define SEARCH_PATH "SET LOCAL search_path = pg_catalog, pg_temp"

/* Citus sends these with what begins each transaction; here they are undone. */
static void
tell_all_nodes(void)
{
	int			i;

	SPI_connect();
	tell_nodes(SEARCH_PATH);
	for (i = 0; i < (int) lengthof(on_nodes); i++)
	{
		/* this node runs the same version of Citus as others do */
		if (GetConfigOption(on_nodes[i].name, true, false) != NULL)
			tell_nodes(psprintf("SET LOCAL %s = %s", on_nodes[i].name, quote_literal_cstr(on_nodes[i].value)));
	}
	/* as long as the room waits for locks itself, so that nobody keeps it from others by a lock on a node */
	tell_nodes(psprintf("SET LOCAL lock_timeout = %d", LockTimeout));
	tell_nodes("SET TRANSACTION READ ONLY");
	SPI_finish();
}

/*
 * The room's transaction becomes a block, as by BEGIN, since Citus begins transactions on nodes for nothing
 * else.  Of errors the server makes the same either way; room.c ends it.
 */
void
dps_begin_on_nodes(void)
{
	int			settings;

	if (IsTransactionBlock())
		return;
	BeginTransactionBlock();
	settings = NewGUCNestLevel();
	set(&(Setting) {"citus.propagate_set_commands", "local"}, GUC_ACTION_SAVE);
	tell_all_nodes();
	AtEOXact_GUC(false, settings);
}

/* ---- text ---- */

int
dps_take_writing_settings(void)
{
	int			taken = NewGUCNestLevel();
	int			i;

	for (i = 0; i < (int) lengthof(writing); i++)
		set(&writing[i], GUC_ACTION_SAVE);
	return taken;
}
