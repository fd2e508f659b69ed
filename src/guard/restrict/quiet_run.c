/*
 * quiet_run.c
 *		Statements of roles that may ask but not read rows, run so that counters,
 *		timeouts, traces and the log disclose nothing about rows; analyst.c has the
 *		list.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/timeout.h"

#include "base/once.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "guard/restrict/quiet_run.h"
#include "guard/restrict/run_settings.h"
#include "guard/restrict/utility.h"

static emit_log_hook_type previous_emit_log;

/* Has this session run a statement for a role that may not read rows? */
static bool log_is_silent = false;

/* Would auto_explain show plans to the client?  emit_log() suppresses its messages if their level is LOG
 * and log_min_messages does not exclude errors. */
static bool
shows_plans(void)
{
	const char *duration = GetConfigOption("auto_explain.log_min_duration", true, false);
	const char *level = GetConfigOption("auto_explain.log_level", true, false);

	return duration != NULL && strcmp(duration, "-1") != 0 &&
		((level != NULL && strcmp(level, "log") != 0) || log_min_messages > ERROR);
}

void
dps_refuse_tracing(void)
{
	const char *setting = NULL;

	if (dps_is_explaining())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("EXPLAIN of a private answer needs the privilege to read the relation"),
				 errdetail("Estimates are made from its rows."),
				 errhint("Use dpsens.explain().")));
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("no private answer is given to a role without SELECT privilege in a serializable transaction"),
				 errdetail("Its locks on rows are seen by everybody."),
				 errhint("Use REPEATABLE READ or READ COMMITTED.")));
	if (Debug_print_plan)
		setting = "debug_print_plan";
	else if (dps_traces_sorts())
		setting = "trace_sort";
	else if (shows_plans())
		setting = "auto_explain.log_min_duration";
	if (setting != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("no private answer is given to a role without SELECT privilege while \"%s\" is on", setting),
				 errhint("Turn it off.")));
}

/*
 * Planning or running a level takes a few kB of stack, so the levels that dps_check_analyst admits, and the
 * functions that are called for a value below them, need less than half of the least default.
 */
void
dps_require_stack(void)
{
	pg_stack_base_t base = set_stack_base();
	char		here;

	restore_stack_base(base);
	if (labs(base - &here) / 1024 > max_stack_depth / 2)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("no private answer is given to a role without SELECT privilege so deep inside of other statements"),
				 errdetail("Half of \"max_stack_depth\" must be left, so that no row needs more than there is."),
				 errhint("Ask from fewer functions that call each other.")));
}

/* Stops counting for a relation and its indexes.  Whether a relation counts is decided when it is opened;
 * the server's caches may hold it open. */
static void
stop_counting(Relation relation)
{
	List	   *indexes = RelationGetIndexList(relation);
	ListCell   *cell;

	pgstat_init_relation(relation);
	foreach(cell, indexes)
		index_close(index_open(lfirst_oid(cell), AccessShareLock), NoLock);
	list_free(indexes);
}

int
dps_pause_counting(EState *estate)
{
	int			paused = dps_take_settings();
	Index		i;

	for (i = 0; estate != NULL && i < estate->es_range_table_size; i++)
	{
		if (estate->es_relations[i] != NULL)
			stop_counting(estate->es_relations[i]);
	}
	return paused;
}

void
dps_resume_counting(int paused)
{
	dps_give_back_settings(paused);
}

void
dps_pause_timeouts(DpsPausedTimeouts *paused)
{
	TimestampTz now = GetCurrentTimestamp();
	int			i;

	for (i = 0; i < (int) lengthof(dps_statement_timeouts); i++)
	{
		if (!get_timeout_active(dps_statement_timeouts[i]))
			continue;
		/* at least 1: an overdue timeout must fire, and 0 means that it was not running */
		paused->left[i] = dps_max((get_timeout_finish_time(dps_statement_timeouts[i]) - now) / 1000, 1);
		disable_timeout(dps_statement_timeouts[i], false);
	}
}

void
dps_resume_timeouts(const DpsPausedTimeouts *paused)
{
	int			i;

	for (i = 0; i < (int) lengthof(dps_statement_timeouts); i++)
	{
		if (paused->left[i] > 0)
			enable_timeout_after(dps_statement_timeouts[i], (int) paused->left[i]);
	}
}

void
dps_silence_log(void)
{
	log_is_silent = true;
}

/* auto_explain writes when a statement ends, which may be during another statement, so the suppression
 * lasts as long as the session. */
static void
emit_log(ErrorData *message)
{
	if (log_is_silent && message->elevel < INFO)
		message->output_to_client = false;
	if (previous_emit_log != NULL)
		previous_emit_log(message);
}

/* The cleanup after a failed statement, or of a cursor of a failed transaction, follows this callback, and
 * at this time the settings have their former values. */
static void
abort_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT && log_is_silent)
		(void) dps_take_steering_settings();
}

static void
abort_subtransaction(SubXactEvent event, SubTransactionId mySubid, SubTransactionId parentSubid, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB && log_is_silent)
		(void) dps_take_steering_settings();
}

void
dps_quiet_run_init(void)
{
	RegisterXactCallback(abort_transaction, NULL);
	RegisterSubXactCallback(abort_subtransaction, NULL);
	previous_emit_log = emit_log_hook;
	emit_log_hook = emit_log;
}
