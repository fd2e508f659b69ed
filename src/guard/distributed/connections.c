/*
 * connections.c
 *		Settings by which Citus sends exact sums to the nodes.
 *
 * Those of connections are of a clean room's.  A room takes none of the settings of Citus from the session that asks (guard/restrict/run_settings.c
 * names those that are sent).  What the server's configuration, or the room's own planning, could have set
 * otherwise is listed here with the value that it has in a room.
 */
#include "postgres.h"

#include "utils/guc.h"

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

int
dps_take_writing_settings(void)
{
	int			taken = NewGUCNestLevel();
	int			i;

	for (i = 0; i < (int) lengthof(writing); i++)
		set(&writing[i], GUC_ACTION_SAVE);
	return taken;
}
