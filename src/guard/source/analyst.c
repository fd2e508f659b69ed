/*
 * analyst.c
 *		Roles that may ask but not look.
 *
 * What such a role could still learn, beside answers:
 *
 * - From errors, where a row's values decide whether there is one: conditions
 *	 are total or attempted (safe.c), and whatever the chain of subqueries
 *	 computes without need is taken out of it (chain.c).
 * - From functions that are called with a row's values: only the server's own
 *	 pass, by the same rule.
 * - From the plan, which is made with the owner's statistics: EXPLAIN and its
 *	 relatives are refused.
 * - From the server's counters and locks: rows that an index finds are counted
 *	 for everybody to see, and under SERIALIZABLE they are locked one by one.
 *	 Counting is switched off, that isolation level refused.
 * - From limits of resources: that of temporary files is lifted while rows are
 *	 read.
 * - From the depth of the stack: LIKE goes deeper the more a value matches, and
 *	 fails where there is no room.  There must be room to spare.
 * - From a plan that was made for somebody else: a plan says for whom it is
 *	 made, and is checked when it runs.  The plan cache makes it anew for
 *	 another role; cursors are left to this check.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/timeout.h"

#include "base/once.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "guard/condition/safe.h"
#include "guard/restrict/run_settings.h"
#include "guard/restrict/utility.h"
#include "guard/source/analyst.h"
#include "guard/source/beside.h"
#include "guard/source/join.h"
#include "ledger/authority.h"

/* Queries around the aggregates. */
#define MAX_NESTING 32

static emit_log_hook_type previous_emit_log;

/* Has this session asked for a role that must not look? */
static bool log_is_silent = false;

bool
dps_is_restricted(Query *query, RangeTblEntry *entry)
{
	return dps_setting_debug_restricted || dps_needs_budget(query, entry);
}

bool
dps_needs_budget(Query *query, RangeTblEntry *entry)
{
	return !dps_may_read_entry(query, entry);
}

static void
check_served(Oid relation, Oid role)
{
	char	   *name;

	if (dps_has_budget(relation, role))
		return;
	name = get_rel_name(relation);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for table %s", name != NULL ? name : "?"),
			 errdetail("Role \"%s\" has neither the privilege to read it nor a privacy budget on it.",
					   GetUserNameFromId(role, false)),
			 errhint("Its owner can grant a budget with dpsens.grant_budget().")));
}

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
		check_served(source->relation, GetUserId());
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

/* ---- the one entry ---- */

Oid
dps_relation_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relation);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

void
dps_admit_entry(Query *query, RangeTblEntry *entry)
{
	dps_read_entry_as(query, entry, dps_relation_owner(entry->relid));
}

void
dps_admit_source(Query *states)
{
	Query	   *level = states;
	RangeTblEntry *entry;

	for (;;)
	{
		int			index;

		/* its parts were admitted one by one */
		if (dps_is_join_query(level))
			return;
		index = linitial_node(RangeTblRef, level->jointree->fromlist)->rtindex;

		entry = rt_fetch(index, level->rtable);
		if (entry->rtekind == RTE_RELATION)
			break;
		level = entry->subquery;
	}
	dps_admit_entry(level, entry);
}

/* ---- a plan and who runs it ---- */

/* Of all relations whose annotations decide noise. */
static uint64
fingerprint(const DpsRelease *release)
{
	uint64		result = dps_annotation_fingerprint(release->relation);
	int			i;

	for (i = 0; i < release->njoined; i++)
		result = hash_combine64(result, dps_annotation_fingerprint(release->joined[i].relation));
	return result;
}

void
dps_mark_release(DpsRelease *release, bool is_restricted)
{
	release->role = GetUserId();
	release->is_restricted = is_restricted;
	release->annotations = fingerprint(release);
}

static void
check_all_served(const DpsRelease *release, Oid role)
{
	int			i;

	if (release->needs_budget)
		check_served(release->relation, role);
	for (i = 0; i < release->njoined; i++)
	{
		if (release->joined[i].needs_budget)
			check_served(release->joined[i].relation, role);
	}
}

static void
authorise_release(const DpsRelease *release, Oid role)
{
	if (release->role != role)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a private answer that was planned for role \"%s\" cannot be given to role \"%s\"",
						GetUserNameFromId(release->role, true) ? GetUserNameFromId(release->role, true) : "?",
						GetUserNameFromId(role, false)),
				 errhint("Run the statement again.")));
	check_all_served(release, role);
	dps_check_beside(release, role, 0);
	if (release->annotations != fingerprint(release))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the annotations of the relation have changed since the statement was planned"),
				 errhint("Run the statement again.")));
}

void
dps_authorise(const List *releases, Oid role)
{
	ListCell   *cell;

	foreach(cell, releases)
		authorise_release(lfirst(cell), role);
}

bool
dps_any_restricted(const List *releases)
{
	ListCell   *cell;

	foreach(cell, releases)
	{
		if (((const DpsRelease *) lfirst(cell))->is_restricted)
			return true;
	}
	return false;
}

/* ---- plans and counters that the server shows ---- */

/* auto_explain's messages are kept from the client where they pass emit_log():
 * those of level LOG, unless the log is told to leave these out. */
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
 * A level that is planned or run takes a few kB, so those that
 * check_nesting admits, and what is done with a value below them, need less
 * than half of the least default.
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

/* Whether a relation counts is decided when it is opened; the caches of the
 * server may have it open. */
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
		/* one that is due fires all the same, 0 says that there is none */
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

/* auto_explain writes when a statement ends, which may be in another one: so
 * this lasts as long as the session. */
static void
emit_log(ErrorData *message)
{
	if (log_is_silent && message->elevel < INFO)
		message->output_to_client = false;
	if (previous_emit_log != NULL)
		previous_emit_log(message);
}

/* What a statement that failed, or a cursor of a transaction that did, leaves
 * behind is removed next, and then settings are as they were. */
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
dps_analyst_init(void)
{
	RegisterXactCallback(abort_transaction, NULL);
	RegisterSubXactCallback(abort_subtransaction, NULL);
	previous_emit_log = emit_log_hook;
	emit_log_hook = emit_log;
}
