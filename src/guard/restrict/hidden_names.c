/*
 * hidden_names.c
 *		Functions that show counters, by their names.
 *
 * Functions are listed by name, because most of them belong to other versions of the server, or to
 * extensions that need not be installed.
 */
#include "postgres.h"

#include "guard/restrict/hidden_names.h"

/*
 * Prefixes of the server's functions that show how many rows or pages a relation or the database has, or
 * how many of them were read or written, or the position of the write-ahead log.  Some exist in later
 * versions only ...
 */
static const char *const hidden_prefixes[] = {
	"pg_stat_get_", "pg_stat_reset_backend_stats", "pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size",
	"pg_database_size", "pg_tablespace_size", "pg_current_wal_", "pg_last_wal_", "pg_logical_emit_message", "pg_get_replication_slots",
	"pg_control_checkpoint", "pg_control_recovery", "pg_get_aios", "pg_get_wal_summarizer_state", "pg_available_wal_summaries",
	"pg_wal_summary_contents", NULL
};

/* ... except those with these prefixes, about sessions, transactions and functions. */
static const char *const shown_prefixes[] = {
	"pg_stat_get_activity", "pg_stat_get_db_conflict_", "pg_stat_get_db_deadlocks", "pg_stat_get_db_numbackends",
	"pg_stat_get_db_session", "pg_stat_get_db_stat_reset_time", "pg_stat_get_db_xact_", "pg_stat_get_db_active_time",
	"pg_stat_get_db_idle_", "pg_stat_get_db_checksum_", "pg_stat_get_backend_activity", "pg_stat_get_backend_client_",
	"pg_stat_get_backend_dbid", "pg_stat_get_backend_idset", "pg_stat_get_backend_pid", "pg_stat_get_backend_start",
	"pg_stat_get_backend_subxact", "pg_stat_get_backend_userid", "pg_stat_get_backend_wait_event", "pg_stat_get_backend_xact_start",
	"pg_stat_get_function_", "pg_stat_get_xact_function_", "pg_stat_get_snapshot_timestamp", "pg_stat_get_progress_info",
	"pg_stat_get_replication_slot", "pg_stat_get_wal_receiver", "pg_stat_get_wal_senders",
	"pg_stat_get_bgwriter_stat_reset_time", "pg_stat_get_recovery_prefetch", NULL
};

/* Prefixes of those that show one relation of the database they are called in. */
static const char *const relation_prefixes[] = {
	"pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size", "pg_stat_get_numscans", "pg_stat_get_lastscan",
	"pg_stat_get_tuples_", "pg_stat_get_live_tuples", "pg_stat_get_dead_tuples", "pg_stat_get_mod_since_analyze",
	"pg_stat_get_ins_since_vacuum", "pg_stat_get_blocks_", "pg_stat_get_last_vacuum_time", "pg_stat_get_last_autovacuum_time",
	"pg_stat_get_last_analyze_time", "pg_stat_get_last_autoanalyze_time", "pg_stat_get_vacuum_count", "pg_stat_get_autovacuum_count",
	"pg_stat_get_analyze_count", "pg_stat_get_autoanalyze_count", "pg_stat_get_xact_", NULL
};

/*
 * Prefixes of functions of extensions, in any schema, that show what statements read or wrote
 * (pg_stat_statements, pg_stat_kcache, pg_stat_monitor; pg_wait_sampling; pgsentinel; powa), which values
 * they compared (pg_qualstats), their plans with estimates (pg_store_plans, pg_show_plans, hypopg), and
 * what is in buffers, pages and the log.
 */
static const char *const extension_prefixes[] = {
	"pg_stat_", "pg_wait_sampling_", "pg_active_session_history", "powa_", "pg_qualstats", "pg_store_plans", "pg_show_plans", "hypopg",
	"pg_buffercache", "pgfincore", "pg_freespace", "pgstat", "pg_visibility", "pgrowlocks", "pg_get_wal_", NULL
};

/*
 * Functions of Citus that the server's own statements, and those of whoever may read a distributed
 * table, call by themselves: the condition that Citus adds to queries of pg_class, what its event
 * trigger does for each DROP, and what begins a transaction on another node.  They tell of names,
 * numbers of shards and transactions.  any_value computes from its arguments.
 */
static const char *const shown_of_citus[] = {
	"relation_is_a_known_shard", "citus_table_is_visible", "citus_drop_trigger", "master_remove_distributed_table_metadata_from_workers",
	"citus_drop_all_shards", "master_remove_partition_metadata", "master_unmark_object_distributed", "notify_constraint_dropped",
	"unregister_tenant_schema_globally", "assign_distributed_transaction_id", "lock_shard_resources", "lock_shard_metadata", "citus_version",
	"any_value", "any_value_agg", NULL
};

/* Its relations that say what is distributed, not how much; the event trigger reads the first. */
static const char *const shown_relations_of_citus[] = {"pg_dist_schema", "pg_dist_partition", NULL};

static bool
is_any(const char *name, const char *const *names)
{
	for (; *names != NULL; names++)
	{
		if (strcmp(name, *names) == 0)
			return true;
	}
	return false;
}

static bool
begins_with_any(const char *name, const char *const *prefixes)
{
	for (; *prefixes != NULL; prefixes++)
	{
		if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
			return true;
	}
	return false;
}

DpsHidden
dps_kind_of_builtin_name(const char *name)
{
	if (name == NULL || !begins_with_any(name, hidden_prefixes) || begins_with_any(name, shown_prefixes))
		return DPS_HIDDEN_NOTHING;
	return begins_with_any(name, relation_prefixes) ? DPS_HIDDEN_ALL : DPS_HIDDEN_SERVER;
}

DpsHidden
dps_kind_of_extension_name(const char *name)
{
	return name != NULL && begins_with_any(name, extension_prefixes) ? DPS_HIDDEN_SERVER : DPS_HIDDEN_NOTHING;
}

DpsHidden
dps_kind_of_citus_function(const char *name)
{
	return name != NULL && is_any(name, shown_of_citus) ? DPS_HIDDEN_NOTHING : DPS_HIDDEN_SERVER;
}

DpsHidden
dps_kind_of_citus_relation(const char *name)
{
	return name != NULL && is_any(name, shown_relations_of_citus) ? DPS_HIDDEN_NOTHING : DPS_HIDDEN_SERVER;
}
