/*
 * settings.c
 *		The dpsens.* settings.
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "access/parallel.h"

#include "glue/compat.h"
#include "glue/settings.h"

/* Rows of mechanisms.def. */
enum
{
#define DPS_MECHANISM(symbol) MECHANISM_##symbol,
#include "noise/mechanisms.def"
#undef DPS_MECHANISM
	MECHANISM_COUNT
};

double		dps_setting_epsilon = 0;
double		dps_setting_delta = 1e-6;
double		dps_setting_selection_epsilon = 0;
bool		dps_setting_enable_table_sums = true;
bool		dps_setting_enable_row_sums = true;
bool		dps_setting_enable_group_states = true;
bool		dps_setting_share_sets = false;
bool		dps_setting_noise = true;
double		dps_setting_tolerance = 1e-6;
int			dps_setting_max_boxes = 200000;
int			dps_setting_max_ms = 0;
int			dps_setting_ledger_slots = 128;
int			dps_setting_ledger_timeout = DPS_LEDGER_TIMEOUT;
int			dps_setting_ledger_idle_timeout = 10000;
char	   *dps_setting_primary_conninfo = NULL;
char	   *dps_setting_cluster_key_file = NULL;
int			dps_setting_clean_rooms = 2;
int			dps_setting_clean_room_visits = 10000;
int			dps_setting_max_failures = 10;
int			dps_setting_refusal_log_limit = 10000;
double		dps_setting_answer_epsilon = 1;
int			dps_setting_max_public_rows = 1000000;
int			dps_setting_max_public_size = 1024 * 1024;
bool		dps_setting_require_fsync = true;
bool		dps_setting_debug_restricted = false;
int			dps_setting_bracket_cache_size = 8192;
int			dps_setting_key_cache_size = 131072;

static char *weights_text = NULL;
static const DpsShares *shares = NULL;	/* NULL: none */

static int	mechanism_row = MECHANISM_laplace;
static struct config_enum_entry mechanism_options[MECHANISM_COUNT + 1];

/*
 * 0 means that nothing was chosen.  It is the boot value, and only RESET leads
 * back to it: whoever writes SET dpsens.epsilon = 0 expects something that no
 * mechanism can give.
 */
static bool
is_epsilon(double value, GucSource source, const char *name)
{
	if (source == PGC_S_DEFAULT && value == 0)
		return true;
	if (value >= DPS_EPSILON_MIN && value <= DPS_EPSILON_MAX)
		return true;
	GUC_check_errdetail("Epsilon must lie between %.17g and %g.", DPS_EPSILON_MIN, DPS_EPSILON_MAX);
	GUC_check_errhint("Smaller values add more noise.  RESET %s leaves it unset.", name);
	return false;
}

static bool
check_epsilon(double *newval, void **extra, GucSource source)
{
	return is_epsilon(*newval, source, "dpsens.epsilon");
}

static bool
check_selection_epsilon(double *newval, void **extra, GucSource source)
{
	return is_epsilon(*newval, source, "dpsens.selection_epsilon");
}

/* 0 stands for a setting that has no value; nobody can set it. */
static const char *
show_number_or_unset(double value)
{
	return value == 0 ? "unset" : psprintf("%g", value);
}

static const char *
show_epsilon(void)
{
	return show_number_or_unset(dps_setting_epsilon);
}

static const char *
show_selection_epsilon(void)
{
	return show_number_or_unset(dps_setting_selection_epsilon);
}

static bool
check_delta(double *newval, void **extra, GucSource source)
{
	if (*newval > 0 && *newval < 1)
		return true;
	GUC_check_errdetail("Delta must be greater than 0 and less than 1.");
	GUC_check_errhint("Choose a value well below one over the number of units.");
	return false;
}

/* Numbers with commas between them.  -1 if the text is not such, or has too many. */
static int
read_weights(const char *text, double *weights)
{
	int			n = 0;

	do
	{
		char	   *end;

		if (n == DPS_MAX_SHARES)
			return -1;
		weights[n++] = strtod(text, &end);
		if (end == text)
			return -1;
		text = end + strspn(end, " \t\n");
	} while (*text++ == ',');
	return text[-1] == '\0' ? n : -1;
}

static bool
check_weights(char **newval, void **extra, GucSource source)
{
	double		weights[DPS_MAX_SHARES];
	DpsShares	read;

	if ((*newval)[strspn(*newval, " \t\n")] == '\0')
		return true;
	if (!dps_share_by_weights(read_weights(*newval, weights), weights, &read))
	{
		GUC_check_errdetail("Weights are up to %d numbers between %g and %g, with commas between them.",
							DPS_MAX_SHARES, DPS_LEAST_WEIGHT, DPS_GREATEST_WEIGHT);
		return false;
	}
	*extra = dps_setting_malloc(sizeof(DpsShares));
	if (*extra == NULL)
		return false;
	memcpy(*extra, &read, sizeof(DpsShares));
	return true;
}

static void
assign_weights(const char *newval, void *extra)
{
	shares = extra;
}

/* Parallel workers receive the leader's settings one by one and would repeat
 * the warning. */
static bool
check_noise(bool *newval, void **extra, GucSource source)
{
	if (!*newval && source != PGC_S_DEFAULT && !InitializingParallelWorker)
		ereport(WARNING,
				(errmsg("answers are not private while \"%s\" is off", "dpsens.noise")));
	return true;
}

static void
list_mechanisms(void)
{
	int			i;

	for (i = 0; i < MECHANISM_COUNT; i++)
	{
		mechanism_options[i].name = dps_mechanisms[i]->name;
		mechanism_options[i].val = i;
		mechanism_options[i].hidden = false;
	}
	mechanism_options[MECHANISM_COUNT].name = NULL;
}

static void
define_room_settings(void)
{
	/* shared memory is laid out once */
	if (process_shared_preload_libraries_in_progress)
		DefineCustomIntVariable("dpsens.clean_rooms",
								"Sets the number of processes that read protected rows for roles that may not.",
								"0 reads them in the sessions of those roles.  Each takes a slot of max_worker_processes "
								"while it is there.",
								&dps_setting_clean_rooms, 2, 0, 1000,
								PGC_POSTMASTER, 0, NULL, NULL, NULL);
	/* memory that a session of the server gathers over time is freed when it ends */
	DefineCustomIntVariable("dpsens.clean_room_visits",
							"Sets how many statements a clean room serves before it ends, and another process takes its place.",
							NULL,
							&dps_setting_clean_room_visits, 10000, 1, INT_MAX,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.max_failures",
							"Sets how many statements of a role may fail while a clean room reads private rows for it.",
							"After that it gets no private answers until dpsens.forgive_failures() is called.  0 is no limit.",
							&dps_setting_max_failures, 10, 0, INT_MAX,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	/* owners set other limits, one role at a time */
	DefineCustomRealVariable("dpsens.answer_epsilon",
							 "Sets the greatest epsilon of one answer from budgets that are granted from now on.",
							 "It holds for who may not read the relation, until dpsens.set_policy() sets another one.  0 is no limit.",
							 &dps_setting_answer_epsilon, 1, 0, DBL_MAX,
							 PGC_SUSET, 0, NULL, NULL, NULL);
	/* rooms are shared by all: users must not raise their own limit */
	DefineCustomIntVariable("dpsens.max_public_rows",
							"Sets how many rows of public relations a statement may bring into a clean room.",
							"A statement that needs more is refused before it is charged.  0 is no limit.",
							&dps_setting_max_public_rows, 1000000, 0, INT_MAX,
							PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.max_public_size",
							"Sets how large the rows of public relations are together that a statement may bring into a clean room.",
							"A statement that needs more is refused before it is charged.  0 is no limit.",
							&dps_setting_max_public_size, 1024 * 1024, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
}

static void
define_ledger_settings(void)
{
	/* shared memory is laid out once */
	if (process_shared_preload_libraries_in_progress)
		DefineCustomIntVariable("dpsens.ledger_slots",
								"Sets the number of statements that can be charged at the same time.",
								"Others wait for their turn.  Each slot takes about 17 kB of shared memory.",
								&dps_setting_ledger_slots, 128, 1, 10000,
								PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.ledger_timeout",
							"Sets how long a statement waits for its charge to be recorded.",
							"After that it is refused; it may have been charged nevertheless.",
							&dps_setting_ledger_timeout, DPS_LEDGER_TIMEOUT, 1, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.ledger_idle_timeout",
							"Sets how long a ledger's worker that has nothing to do stays.",
							"It occupies a slot of max_worker_processes and a connection to its database.",
							&dps_setting_ledger_idle_timeout, 10000, 1, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.refusal_log_limit",
							"Sets how many refused statements of a role are logged on a day.",
							"What is beyond is counted.  0 logs none.",
							&dps_setting_refusal_log_limit, 10000, 0, INT_MAX,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dpsens.primary_conninfo",
							   "Sets how a standby connects to its primary, which charges the answers that the standby gives.",
							   "As primary_conninfo, which is used if this is empty.  The database is always that of the session.",
							   &dps_setting_primary_conninfo, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomStringVariable("dpsens.cluster_key_file",
							   "Names the file with the key under which exact sums travel between the nodes of a cluster of Citus.",
							   "64 hexadecimal digits, the same on all nodes; nobody but the server's account may read it.  If this is empty, no distributed table is answered about.",
							   &dps_setting_cluster_key_file, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomBoolVariable("dpsens.require_fsync",
							 "Refuses private answers while fsync is off.",
							 "Turned off for tests only: a crash may then forget what was spent.",
							 &dps_setting_require_fsync, true,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
}

void
dps_settings_init(void)
{
	/*
	 * epsilon and delta have no limits here, because the server's message about
	 * them would name 0 as allowed; their check functions know better.
	 */
	DefineCustomRealVariable("dpsens.epsilon",
							 "Sets the privacy loss of each dp aggregate that does not name its own.",
							 "Between 2^-20 and 64; there is no default.  "
							 "An aggregate's last argument takes precedence.",
							 &dps_setting_epsilon, 0, -INFINITY, INFINITY,
							 PGC_USERSET, 0, check_epsilon, NULL, show_epsilon);
	DefineCustomRealVariable("dpsens.selection_epsilon",
							 "Sets the privacy loss of finding out which groups there are.",
							 "Of a GROUP BY whose keys are not declared; unset, it is that of dpsens.epsilon.",
							 &dps_setting_selection_epsilon, 0, -INFINITY, INFINITY,
							 PGC_USERSET, 0, check_selection_epsilon, NULL, show_selection_epsilon);
	DefineCustomRealVariable("dpsens.delta",
							 "Sets the delta of mechanisms that need one.",
							 "Greater than 0 and less than 1: the probability with which the "
							 "promise of epsilon may fail.",
							 &dps_setting_delta, 1e-6, -INFINITY, INFINITY,
							 PGC_USERSET, 0, check_delta, NULL, NULL);
	list_mechanisms();
	DefineCustomEnumVariable("dpsens.mechanism",
							 "Sets the distribution of the noise.",
							 "\"laplace\" promises pure epsilon-differential privacy, \"gaussian\" "
							 "(epsilon, delta)-differential privacy.",
							 &mechanism_row, MECHANISM_laplace, mechanism_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dpsens.share_sets",
							 "Shares epsilon among grouping sets that are made to add up so that their total error is small.",
							 "Of sums and counts that are made to add up the sets together cost no more epsilon "
							 "than otherwise, but some are asked at more than the given one, and others at less. "
							 "The budget of a column that is a key of the finest set only is charged at that set's, "
							 "which is more. Counts at large epsilon can be less exact in coarse sets than otherwise.",
							 &dps_setting_share_sets, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dpsens.weights",
							   "Sets how the answers of a statement that name no epsilon share that of dpsens.epsilon.",
							   "A weight for each, as '3, 1', in the order of dpsens.explain(): each is asked with epsilon in proportion to its "
							   "weight, so that the squares add up as without. Together they cost no more epsilon than otherwise, "
							   "and no more rho of Laplace noise. An empty text shares evenly.",
							   &weights_text, "",
							   PGC_USERSET, 0, check_weights, assign_weights, NULL);
	DefineCustomBoolVariable("dpsens.enable_table_sums",
							 "Enables the planner's use of scans that sum a whole table.",
							 "Answers are the same without.",
							 &dps_setting_enable_table_sums, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("dpsens.enable_row_sums",
							 "Enables the planner's use of a node that sums the rows of any plan.",
							 "Answers are the same without.",
							 &dps_setting_enable_row_sums, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("dpsens.enable_group_states",
							 "Enables keeping the sums of all declared groups in one table without hashing.",
							 "Answers are the same without.",
							 &dps_setting_enable_group_states, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("dpsens.noise",
							 "Adds noise to answers.",
							 "Turned off for tests only: answers are then exact and nobody's "
							 "privacy is protected.",
							 &dps_setting_noise, true,
							 PGC_SUSET, 0, check_noise, NULL, NULL);
	DefineCustomBoolVariable("dpsens.debug_restricted",
							 "Answers roles that may read protected relations in the way of those that may not.",
							 "For tests: they are refused what those are refused, and clean rooms read the rows; "
							 "they need no budget.",
							 &dps_setting_debug_restricted, false,
							 PGC_SUSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomRealVariable("dpsens.tolerance",
							 "Sets the relative width at which a certified bound is good enough.",
							 "Noise follows the upper end of the bound, so a larger tolerance "
							 "means faster planning and slightly more noise.",
							 &dps_setting_tolerance, 1e-6, 1e-12, 0.1,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.max_boxes",
							"Sets the number of boxes examined for one certified bound.",
							"A search that ends here returns a bound that is valid but wider "
							"than dpsens.tolerance asks for.",
							&dps_setting_max_boxes, 200000, 1, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.max_ms",
							"Sets the time spent on one certified bound of a what-if analysis.",
							"As dpsens.max_boxes, but how wide the bound is then depends on the machine: "
							"so releases and dpsens.explain do not use it.  0 is no limit.",
							&dps_setting_max_ms, 0, 0, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	define_ledger_settings();
	define_room_settings();
	DefineCustomIntVariable("dpsens.bracket_cache_size",
							"Sets the memory in which a session remembers certified bounds.",
							"What does not fit is searched for again.  0 remembers nothing.",
							&dps_setting_bracket_cache_size, 8192, 0, 1024 * 1024,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsens.key_cache_size",
							"Sets the memory in which a session remembers the values that are declared for columns.",
							"Lists that do not fit are read from their labels again.  0 remembers none.",
							&dps_setting_key_cache_size, 131072, 0, 1024 * 1024,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	MarkGUCPrefixReserved("dpsens");
}

double
dps_setting_selection(void)
{
	return dps_setting_selection_epsilon != 0 ? dps_setting_selection_epsilon : dps_setting_epsilon;
}

const DpsShares *
dps_setting_shares(void)
{
	static const DpsShares none = {0};

	return shares != NULL ? shares : &none;
}

const DpsMechanism *
dps_setting_mechanism(void)
{
	return dps_mechanisms[mechanism_row];
}

DpsBoundOptions
dps_setting_bound_options(void)
{
	DpsBoundOptions options = {
		.tolerance = dps_setting_tolerance,
		.max_boxes = dps_setting_max_boxes
	};

	return options;
}

DpsBoundOptions
dps_setting_whatif_options(void)
{
	DpsBoundOptions options = dps_setting_bound_options();

	options.max_ms = dps_setting_max_ms;
	return options;
}
