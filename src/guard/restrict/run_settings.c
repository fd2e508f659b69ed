/*
 * run_settings.c
 *		The settings with which a statement runs for a role that may not read rows.
 *
 * A setting can make visible what a row does: exit_on_error ends the session with the message of an error
 * that would be caught, client_min_messages shows what the caches load, gin_fuzzy_search_limit leaves rows
 * out at random, track_functions counts calls.  The settings of all servers and modules cannot be
 * enumerated.  So those that may have an effect are listed, and any other setting that the role that asks
 * has set, at any time and in any way, has its built-in value while rows are read.  Values of the server's
 * configuration stay: whoever writes it can read the rows anyway.
 *
 * The settings that are known to show or steer rows are set whatever the configuration says.  No code of
 * the asker is called while rows are read (guard/condition/allow.c); if some were, it could not change
 * these settings.
 */
#include "postgres.h"

#include "utils/guc.h"
#include "utils/guc_tables.h"

#include "glue/compat.h"
#include "guard/restrict/run_settings.h"
#include "room/message.h"

/* ---- which ---- */

typedef struct Steering
{
	const char *name;
	const char *value;
} Steering;

static const Steering steering[] = {
	/* would end the session at an error that is caught, and show it */
	{"exit_on_error", "off"},
	/* would leave out rows at random that an index finds */
	{"gin_fuzzy_search_limit", "0"},
	/* would count what is read and called */
	{"track_counts", "off"},
	{"track_functions", "none"},
	/* the size of sorts, and failing by it, would show how many rows there are */
	{"temp_file_limit", "-1"}
};

/* Messages below this level are not sent to the client.  Not in the table, since a higher level is left
 * unchanged. */
#define MESSAGES "client_min_messages"
#define MESSAGES_LEVEL ERROR
#define MESSAGES_VALUE "error"

/*
 * Settings of the role that asks that keep their values: their effect is the same for all rows.  Those of
 * the planner and of memory choose among ways to compute the same answer; the planner has no statistics of
 * the rows.
 */
static const char *const allowed[] = {
	/* what names, constants and answers mean and look like */
	"DateStyle", "IntervalStyle", "TimeZone", "timezone_abbreviations", "extra_float_digits", "bytea_output",
	"lc_messages", "lc_monetary", "lc_numeric", "lc_time", "default_text_search_config", "array_nulls",
	"backslash_quote", "escape_string_warning", "standard_conforming_strings", "transform_null_equals",
	"quote_all_identifiers", "xmlbinary", "xmloption",
	/* the way to compute the answer */
	"seq_page_cost", "random_page_cost", "cpu_tuple_cost", "cpu_index_tuple_cost", "cpu_operator_cost",
	"parallel_setup_cost", "parallel_tuple_cost", "effective_cache_size", "min_parallel_table_scan_size",
	"min_parallel_index_scan_size", "cursor_tuple_fraction", "recursive_worktable_factor", "from_collapse_limit",
	"join_collapse_limit", "constraint_exclusion", "plan_cache_mode", "force_parallel_mode", "debug_parallel_query",
	"parallel_leader_participation", "max_parallel_workers", "max_parallel_workers_per_gather",
	"work_mem", "hash_mem_multiplier", "max_stack_depth",
	"effective_io_concurrency", "maintenance_io_concurrency", "backend_flush_after"
};

/* ... and those that do not affect how rows are read, so they are not sent to a clean room. */
static const char *const of_session[] = {
	/* names have been looked up already; in the code of functions they would be looked up by it */
	"search_path",
	/* who asks, how, and in which transaction */
	"role", "session_authorization", "transaction_isolation", "transaction_read_only", "transaction_deferrable",
	"default_transaction_isolation", "default_transaction_read_only", "default_transaction_deferrable",
	"session_replication_role", "row_security", "application_name", "update_process_title", "track_activities", "client_encoding",
	/* storage of a table of answers */
	"default_tablespace", "default_table_access_method", "default_toast_compression",
	/* settings that cannot be set once they are in use, or where setting has a side effect */
	"temp_buffers", "seed", "stats_fetch_consistency",
	NULL
};

/* ... and all with these prefixes. */
static const char *const allowed_prefixes[] = {
	"dpsens.", "enable_", "geqo", "jit", NULL
};

static bool
is_listed(const char *const *list, const char *name)
{
	int			i;

	for (i = 0; list[i] != NULL; i++)
	{
		if (strcmp(name, list[i]) == 0)
			return true;
	}
	return false;
}

static int
compare_names(const void *one, const void *other)
{
	return strcmp(*(const char *const *) one, *(const char *const *) other);
}

/* Uses bisection, since all settings of the server are looked up for each statement. */
static bool
is_among_allowed(const char *name)
{
	static const char *sorted[lengthof(allowed)];

	if (sorted[0] == NULL)
	{
		memcpy(sorted, allowed, sizeof(allowed));
		qsort(sorted, lengthof(sorted), sizeof(char *), compare_names);
	}
	return bsearch(&name, sorted, lengthof(sorted), sizeof(char *), compare_names) != NULL;
}

/* Does the setting affect how rows are read? */
static bool
has_meaning(const char *name)
{
	int			i;

	if (is_among_allowed(name))
		return true;
	for (i = 0; allowed_prefixes[i] != NULL; i++)
	{
		if (strncmp(name, allowed_prefixes[i], strlen(allowed_prefixes[i])) == 0)
			return true;
	}
	return false;
}

static bool
is_allowed(const char *name)
{
	return has_meaning(name) || is_listed(of_session, name);
}

/* Can the setting be set in a session?  A placeholder of a module that is not loaded has no effect. */
static bool
can_be_set(const struct config_generic *setting)
{
	return (setting->flags & GUC_CUSTOM_PLACEHOLDER) == 0 &&
		(setting->context == PGC_USERSET || setting->context == PGC_SUSET);
}

/* Was the setting set by the role that asks? */
static bool
is_of_asker(const struct config_generic *setting)
{
	return setting->source > PGC_S_GLOBAL && can_be_set(setting);
}

/* ---- setting ---- */

/* Is this file setting a value now? */
static bool is_setting = false;

/* The number of runs that are reading rows. */
static int	locks = 0;

static void
set(const char *name, const char *value)
{
	is_setting = true;
	PG_TRY();
	{
		(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	}
	PG_FINALLY();
	{
		is_setting = false;
	}
	PG_END_TRY();
}

/* The built-in value, as text. */
static const char *
built_in_value(struct config_generic *setting)
{
	switch (setting->vartype)
	{
		case PGC_BOOL:
			return ((struct config_bool *) setting)->boot_val ? "on" : "off";
		case PGC_INT:
			return psprintf("%d", ((struct config_int *) setting)->boot_val);
		case PGC_REAL:
			return psprintf("%.17g", ((struct config_real *) setting)->boot_val);
		case PGC_STRING:
			return ((struct config_string *) setting)->boot_val != NULL ? ((struct config_string *) setting)->boot_val : "";
		case PGC_ENUM:
			return config_enum_lookup_by_value((struct config_enum *) setting, ((struct config_enum *) setting)->boot_val);
	}
	elog(ERROR, "a setting of an unknown kind: %s", setting->name);
	return NULL;
}

/* Does nothing if the setting already has the value: while rows are read it cannot be changed. */
static void
make_sure(const char *name, const char *value)
{
	if (strcmp(GetConfigOption(name, false, false), value) != 0)
		set(name, value);
}

static void
set_steering(void)
{
	int			i;

	for (i = 0; i < (int) lengthof(steering); i++)
		make_sure(steering[i].name, steering[i].value);
	if (client_min_messages < MESSAGES_LEVEL)
		set(MESSAGES, MESSAGES_VALUE);
}

static bool
is_steering(const char *name)
{
	int			i;

	for (i = 0; i < (int) lengthof(steering); i++)
	{
		if (strcmp(name, steering[i].name) == 0)
			return true;
	}
	return strcmp(name, MESSAGES) == 0;
}

int
dps_take_settings(void)
{
	int			taken = NewGUCNestLevel();
	int			n;
	struct config_generic **settings = dps_server_settings(&n);
	int			i;

	for (i = 0; i < n; i++)
	{
		if (is_of_asker(settings[i]) && !is_allowed(settings[i]->name) && !is_steering(settings[i]->name))
			set(settings[i]->name, built_in_value(settings[i]));
	}
	set_steering();
	return taken;
}

int
dps_take_steering_settings(void)
{
	int			taken = NewGUCNestLevel();

	set_steering();
	return taken;
}

int
dps_take_call_settings(void)
{
	int			taken = NewGUCNestLevel();

	make_sure("track_functions", "none");
	return taken;
}

void
dps_give_back_settings(int taken)
{
	AtEOXact_GUC(true, taken);
}

/* ---- to a clean room ---- */

/* Sent separately, with their values when the statement began, and checked there. */
static const char *const terms[] = {
	"dpsens.epsilon", "dpsens.selection_epsilon", "dpsens.delta", "dpsens.mechanism", NULL
};

static bool
is_sent(const struct config_generic *setting)
{
	return can_be_set(setting) && has_meaning(setting->name) && !is_listed(terms, setting->name);
}

/* The settings that are sent to a room.  All are of the server and of this module, so none is added later,
 * and the list is cached. */
static struct config_generic **
sent_settings(int *n)
{
	static struct config_generic **sent = NULL;
	static int	nsent = 0;

	if (sent == NULL)
	{
		int			nall;
		struct config_generic **all = dps_server_settings(&nall);
		struct config_generic **found = MemoryContextAlloc(TopMemoryContext, nall * sizeof(*found));
		int			i;

		for (i = 0; i < nall; i++)
		{
			if (is_sent(all[i]))
				found[nsent++] = all[i];
		}
		sent = found;
	}
	*n = nsent;
	return sent;
}

static bool
is_same_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* Does the setting have its built-in value?  Compares without converting to text. */
static bool
is_built_in(const struct config_generic *setting)
{
	switch (setting->vartype)
	{
		case PGC_BOOL:
			return *((const struct config_bool *) setting)->variable == ((const struct config_bool *) setting)->boot_val;
		case PGC_INT:
			return *((const struct config_int *) setting)->variable == ((const struct config_int *) setting)->boot_val;
		case PGC_REAL:
			return *((const struct config_real *) setting)->variable == ((const struct config_real *) setting)->boot_val;
		case PGC_STRING:
			return is_same_text(*((const struct config_string *) setting)->variable,
								((const struct config_string *) setting)->boot_val);
		case PGC_ENUM:
			return *((const struct config_enum *) setting)->variable == ((const struct config_enum *) setting)->boot_val;
	}
	return false;
}

/* The present value as text, with all digits. */
static const char *
present_value(struct config_generic *setting)
{
	if (setting->vartype == PGC_REAL)
		return psprintf("%.17g", *((struct config_real *) setting)->variable);
	return GetConfigOption(setting->name, false, false);
}

static void
set_in_room(struct config_generic *setting, const char *value)
{
	if (strcmp(present_value(setting), value) != 0)
		(void) set_config_option(setting->name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}

/* Sends only settings without their built-in values: asker and room belong to the same server. */
void
dps_send_settings(StringInfo request)
{
	int			n;
	struct config_generic **settings = sent_settings(&n);
	int			i;

	for (i = 0; i < n; i++)
	{
		if (is_built_in(settings[i]))
			continue;
		dps_put_text(request, settings[i]->name);
		dps_put_text(request, present_value(settings[i]));
	}
	dps_put_text(request, "");
}

/* Settings arrive in the order of sent_settings(); those that are missing have their built-in values. */
void
dps_receive_settings(StringInfo request)
{
	int			n;
	struct config_generic **settings = sent_settings(&n);
	const char *name = dps_get_text(request);
	int			i;

	for (i = 0; i < n; i++)
	{
		if (strcmp(name, settings[i]->name) == 0)
		{
			set_in_room(settings[i], dps_get_text(request));
			name = dps_get_text(request);
		}
		else if (!is_built_in(settings[i]))
			set_in_room(settings[i], built_in_value(settings[i]));
	}
	if (*name != '\0')
		elog(ERROR, "unexpected setting \"%s\" in the request of a clean room", name);
}

/* ---- locking ---- */

void
dps_lock_settings(void)
{
	locks++;
}

void
dps_unlock_settings(void)
{
	locks--;
}

/* May a setting be changed now? */
static bool
may_set(void)
{
	if (is_setting || locks == 0)
		return true;
	GUC_check_errcode(ERRCODE_OBJECT_IN_USE);
	GUC_check_errmsg("settings that could show rows cannot be changed while a private answer is computed");
	GUC_check_errhint("Change them before the statement.");
	return false;
}

static bool
check_bool(bool *newval, void **extra, GucSource source)
{
	return may_set();
}

static bool
check_int(int *newval, void **extra, GucSource source)
{
	return may_set();
}

/* A setting with a check hook already, of the server or a module, is not locked, but is still taken at the
 * start of each run. */
static void
lock_setting(struct config_generic *setting)
{
	if (setting->vartype == PGC_BOOL && ((struct config_bool *) setting)->check_hook == NULL)
		((struct config_bool *) setting)->check_hook = check_bool;
	else if (setting->vartype == PGC_INT && ((struct config_int *) setting)->check_hook == NULL)
		((struct config_int *) setting)->check_hook = check_int;
	else if (setting->vartype == PGC_ENUM && ((struct config_enum *) setting)->check_hook == NULL)
		((struct config_enum *) setting)->check_hook = check_int;
}

void
dps_run_settings_init(void)
{
	int			n;
	struct config_generic **settings = dps_server_settings(&n);
	int			i;

	for (i = 0; i < n; i++)
	{
		if (is_steering(settings[i]->name))
			lock_setting(settings[i]);
	}
}
