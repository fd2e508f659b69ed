/*
 * test_extremes.c
 *		Every operation at ranges from the smallest double to the largest: what
 *		is asked of an expression ends, within its budget.
 *
 * Work is counted, not timed: the core asks its host every 1024 steps whether to
 * go on, a step being a microsecond or so.  An alarm on the processor's time, far beyond
 * what any question takes, ends what does not count its steps.
 *
 * usage: test_extremes [FIRST [COUNT]]: the expressions with these numbers
 */
#include <float.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "tap.h"

#include "splitmix.h"

#include "bound/quantity/bound.h"
#include "bound/proof/certificate.h"
#include "bound/vector/joint.h"
#include "expr/program.h"

#define EXPRESSIONS 1600

#define STEPS_BETWEEN_STOPS 1024

/* One second of steps, and 500 MB. */
#define MOST_STEPS UINT64_C(1000000)
#define MOST_BYTES ((size_t) 500 * 1000 * 1000)

/* Some fifty times what the slowest question takes under sanitizers. */
#define ALARM_SECONDS 20

typedef struct Watch
{
	uint64_t	asked;
	uint64_t	stop_at;		/* the question that is answered with a yes; 0: none */
	size_t		held;
	size_t		most;
} Watch;

/* Every block is preceded by its size. */
#define BLOCK_HEADER 16

static void *
watched_allocate(void *context, size_t size)
{
	Watch	   *watch = context;
	char	   *block;

	if (size > MOST_BYTES - watch->held)
	{
		watch->most = SIZE_MAX;
		return NULL;
	}
	block = malloc(BLOCK_HEADER + size);
	if (block == NULL)
		return NULL;
	*(size_t *) block = size;
	watch->held += size;
	watch->most = watch->most > watch->held ? watch->most : watch->held;
	return block + BLOCK_HEADER;
}

static void
watched_release(void *context, void *block)
{
	Watch	   *watch = context;
	char	   *start = (char *) block - BLOCK_HEADER;

	watch->held -= *(size_t *) start;
	free(start);
}

static bool
watched_stop(void *context)
{
	Watch	   *watch = context;

	return ++watch->asked == watch->stop_at;
}

static DpsHost
watched_host(Watch *watch)
{
	DpsHost		host = tap_host;

	host.allocate = watched_allocate;
	host.release = watched_release;
	host.should_stop = watched_stop;
	host.context = watch;
	return host;
}

/* What is asked just now, for the alarm. */
static char asked_now[8192];

static void
end_hung(int signal)
{
	static const char head[] = "not ok - it ends: ";

	(void) signal;
	if (write(STDOUT_FILENO, head, sizeof(head) - 1) < 0 || write(STDOUT_FILENO, asked_now, strlen(asked_now)) < 0 ||
		write(STDOUT_FILENO, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

/*
 * Expressions
 */

static const double ends[][2] = {
	{0, 0x1p-1074}, {0x1p-1074, 0x1p-1072}, {-0x1p-1074, 0x1p-1074}, {-1e-310, 1e-310}, {0, DBL_MIN},
	{-1e-300, 1e-300}, {1e-300, 1e300}, {0, 1e308}, {-1e308, 1e308}, {-DBL_MAX, DBL_MAX}, {1e308, DBL_MAX},
	{-1e150, 1e150}, {1e150, 1e150}, {1e150, 1.0000001e150}, {1e16, 1e16 + 1000}, {0x1p52, 0x1p52 + 2},
	{0x1p53, 0x1p53 + 8}, {-0x1p63, 0x1p63}, {-1, 1}, {0, 1}, {0.5, 0.75}, {-1e20, 1e20}, {1, 1e9}, {-1e9, -1},
	{0, 0}, {-700, 710}, {0, 1e-5}, {3, 3}, {-3, -2.9999999}
};

static const double numbers[] = {
	0, 1, -1, 0.3, 2, 3, 0.5, 1e150, -1e150, 1e308, 0x1p-1074, 1e-300, 0x1p53, 24, -2, 7, 100
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;

static uint64_t
below(uint64_t n)
{
	return splitmix64(&state) % n;
}

static const DpsNode *random_node(DpsGraph *graph, int depth);

static bool
is_number_operation(int op)
{
	return dps_ops[op].arity > 0 && !(dps_ops[op].flags & DPS_LOGICAL);
}

/* The table's row over arguments of so much depth. */
static const DpsNode *
operation(DpsGraph *graph, int op, int depth)
{
	const DpsNode *x = random_node(graph, depth - 1);
	const DpsNode *y = random_node(graph, depth - 1);

	return dps_apply(graph, op, DPS_FLOAT8, x, y);
}

static const DpsNode *
random_condition(DpsGraph *graph, int depth)
{
	static const DpsOpcode comparisons[] = {DPS_OP_LT, DPS_OP_LE, DPS_OP_EQ, DPS_OP_GT};
	const DpsNode *x = random_node(graph, depth - 1);

	return dps_apply(graph, comparisons[below(4)], DPS_BOOL, x, random_node(graph, depth - 1));
}

static const DpsNode *
random_node(DpsGraph *graph, int depth)
{
	static const DpsOpcode arithmetic[] = {DPS_OP_ADD, DPS_OP_SUB, DPS_OP_MUL, DPS_OP_DIV};
	uint64_t	kind = below(10);
	int			op;

	if (depth <= 0 || kind == 0)
		return below(3) > 0 ? dps_variable(graph, (int) below(2)) :
			dps_constant(graph, DPS_FLOAT8, numbers[below(COUNT_OF(numbers))]);
	if (kind == 1)
	{
		const DpsNode *condition = random_condition(graph, depth);
		const DpsNode *yes = random_node(graph, depth - 1);

		return dps_choose(graph, condition, yes, random_node(graph, depth - 1));
	}
	if (kind <= 5)
		return operation(graph, arithmetic[below(4)], depth);
	do
		op = (int) below(DPS_OP_COUNT);
	while (!is_number_operation(op));
	return operation(graph, op, depth);
}

typedef struct Fixture
{
	Watch		watch;
	DpsHost		host;
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsPolicy	policy;
} Fixture;

static void
begin(Fixture *fixture)
{
	memset(fixture, 0, sizeof(*fixture));
	fixture->host = watched_host(&fixture->watch);
	fixture->policy = (DpsPolicy) {3, {1, 1}};
	if (dps_arena_init(&fixture->arena, &fixture->host) != DPS_OK ||
		dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK ||
		dps_graph_add_variable(fixture->graph, "a", DPS_FLOAT8, false) != 0 ||
		dps_graph_add_variable(fixture->graph, "b", DPS_FLOAT8, true) != 1)
		abort();
}

static void
set_range(Fixture *fixture, int variable, const double *range, bool integral)
{
	fixture->box[variable] = (DpsDomain) {range[0], range[1], variable == 0 ? DPS_NEVER_NULL : DPS_MAYBE_NULL,
	integral && range[0] == rint(range[0]) && range[1] == rint(range[1])};
}

/* The expression with this number: its outermost operation goes through the table. */
static bool
make_expression(Fixture *fixture, uint64_t number)
{
	int			op = (int) (number % DPS_OP_COUNT);

	state = number;
	(void) splitmix64(&state);
	set_range(fixture, 0, ends[below(COUNT_OF(ends))], below(8) == 0);
	set_range(fixture, 1, ends[below(COUNT_OF(ends))], below(8) == 0);
	if (!is_number_operation(op))
		fixture->node = random_node(fixture->graph, 3);
	else
		fixture->node = operation(fixture->graph, op, 1 + (int) below(2));
	if (fixture->node != NULL && below(3) == 0)
		fixture->node = dps_apply(fixture->graph, DPS_OP_ADD, DPS_FLOAT8, fixture->node, random_node(fixture->graph, 2));
	return fixture->node != NULL;
}

/*
 * Questions
 */

typedef enum Question
{
	INFIMUM,
	SUPREMUM,
	LIPSCHITZ_1,
	LIPSCHITZ_2,
	LIPSCHITZ_INFINITY,
	ATTRIBUTE,
	SLOPE,
	EVALUATION_ERROR,
	NARROW,
	PROOF,
	JOINT_MAGNITUDE,
	JOINT_DIAMETER,
	JOINT_LIPSCHITZ,
	QUESTIONS
} Question;

static const char *const question_names[QUESTIONS] = {
	"infimum", "supremum", "metric_l1", "metric", "metric_linf", "attribute", "slope", "evaluation error", "narrowing",
	"proof", "joint magnitude", "joint diameter", "joint metric"
};

static const DpsBoundOptions few_boxes = {.tolerance = 1e-6, .max_boxes = 300};

static DpsStatus
ask_joint(Fixture *f, Question question)
{
	const DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 30};
	const DpsNode *entries[2] = {f->node, dps_apply(f->graph, DPS_OP_MUL, DPS_FLOAT8, dps_variable(f->graph, 0),
														 dps_variable(f->graph, 1))};
	DpsGradientNorm norm = below(2) == 0 ? DPS_NORM_1 : DPS_NORM_2;
	DpsJoint	joint;
	DpsJointBracket bracket;
	DpsStatus	status;

	status = dps_joint_init(&joint, f->graph, entries, 2, f->box, &f->policy, &options);
	if (status != DPS_OK)
		return status;
	switch (question)
	{
		case JOINT_MAGNITUDE:
			return dps_joint_magnitude(&joint, norm, &bracket);
		case JOINT_DIAMETER:
			return dps_joint_diameter(&joint, norm, &bracket);
		default:
			return dps_joint_lipschitz(&joint, norm, &bracket);
	}
}

static DpsStatus
narrow(Fixture *f)
{
	static const DpsOpcode comparisons[] = {DPS_OP_LE, DPS_OP_GT, DPS_OP_EQ};
	const DpsNode *limit = dps_constant(f->graph, DPS_FLOAT8, numbers[below(COUNT_OF(numbers))]);
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	bool		empty;

	memcpy(box, f->box, sizeof(box));
	return dps_narrow(f->graph, dps_apply(f->graph, comparisons[below(3)], DPS_BOOL, f->node, limit), ~UINT64_C(0),
					  box, &empty);
}

static DpsStatus
prove(Fixture *f)
{
	DpsProofGoal goal = {.upper = INFINITY, .lower = -INFINITY, .tolerance = 1e-6, .max_boxes = 300};
	DpsClaim	claim = {.kind = (DpsClaimKind) below(DPS_CLAIM_KINDS)};
	DpsProof	proof;
	bool		loose;

	return dps_prove(f->graph, f->node, f->box, 2, &f->policy, &goal, &claim, &proof, &loose);
}

static DpsStatus
ask(Fixture *f, Question question)
{
	DpsBracket	bracket;
	double		error;

	switch (question)
	{
		case INFIMUM:
			return dps_infimum(f->graph, f->node, f->box, &few_boxes, &bracket);
		case SUPREMUM:
			return dps_supremum(f->graph, f->node, f->box, &few_boxes, &bracket);
		case LIPSCHITZ_1:
			return dps_lipschitz(f->graph, f->node, f->box, &f->policy, DPS_NORM_1, &few_boxes, &bracket);
		case LIPSCHITZ_2:
			return dps_lipschitz(f->graph, f->node, f->box, &f->policy, DPS_NORM_2, &few_boxes, &bracket);
		case LIPSCHITZ_INFINITY:
			return dps_lipschitz(f->graph, f->node, f->box, &f->policy, DPS_NORM_INFINITY, &few_boxes, &bracket);
		case ATTRIBUTE:
			return dps_attribute(f->graph, f->node, f->box, 0, &few_boxes, &bracket);
		case SLOPE:
			return dps_slope(f->graph, f->node, f->box, 0, &few_boxes, &bracket);
		case EVALUATION_ERROR:
			return dps_evaluation_error(f->graph, f->node, f->box, &error);
		case NARROW:
			return narrow(f);
		case PROOF:
			return prove(f);
		default:
			return ask_joint(f, question);
	}
}

/* Sets the text for the alarm and starts it anew. */
static void
set_alarm(const Fixture *f, Question question, const char *number)
{
	const struct itimerval limit = {{0, 0}, {ALARM_SECONDS, 0}};
	DpsText		text;

	dps_text_init(&text, f->arena);
	if (dps_print_sql(f->graph, f->node, &text) != DPS_OK || text.failed)
		abort();
	snprintf(asked_now, sizeof(asked_now), "%s of %s, a in [%.17g, %.17g]%s, b in [%.17g, %.17g]%s (%s)",
			 question_names[question], text.data, f->box[0].lo, f->box[0].hi, f->box[0].integral ? ", integers" : "",
			 f->box[1].lo, f->box[1].hi, f->box[1].integral ? ", integers" : "", number);
	if (setitimer(ITIMER_VIRTUAL, &limit, NULL) != 0)
		abort();
}

/* Does the answer come within its budget? */
static bool
ends_in_time(Fixture *f, Question question, const char *number)
{
	DpsStatus	status;
	bool		good;

	set_alarm(f, question, number);
	f->watch.asked = 0;
	f->watch.most = f->watch.held;
	status = ask(f, question);
	good = f->watch.asked * STEPS_BETWEEN_STOPS <= MOST_STEPS && f->watch.most <= MOST_BYTES &&
		(status == DPS_OK || status == DPS_UNABLE || status == DPS_DOMAIN);
	if (!good)
		diag("%s: status %d, %llu steps, %.1f MB", asked_now, (int) status,
			 (unsigned long long) f->watch.asked * STEPS_BETWEEN_STOPS, (double) f->watch.most / 1e6);
	return good;
}

static void
test_expressions(uint64_t first, uint64_t count)
{
	uint64_t	failed = 0;
	uint64_t	asked = 0;
	uint64_t	i;
	int			question;

	diag("expressions %llu to %llu", (unsigned long long) first, (unsigned long long) (first + count - 1));
	for (i = first; i < first + count; i++)
	{
		Fixture		f;
		char		number[64];

		begin(&f);
		snprintf(number, sizeof(number), "number %llu", (unsigned long long) i);
		for (question = 0; question < QUESTIONS && (question > 0 || make_expression(&f, i)); question++)
		{
			failed += !ends_in_time(&f, question, number);
			asked++;
		}
		dps_arena_clear(f.arena);
		failed += f.watch.held != 0;
	}
	ok(failed == 0 && asked >= count * QUESTIONS / 2, "%llu questions about %llu expressions end in time",
	   (unsigned long long) asked, (unsigned long long) count);
}

/* sin(a) + cos(0.3 * a) */
static const DpsNode *
waves(DpsGraph *graph)
{
	const DpsNode *a = dps_variable(graph, 0);
	const DpsNode *slow = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, dps_constant(graph, DPS_FLOAT8, 0.3), a);

	return dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, dps_apply(graph, DPS_OP_SIN, DPS_FLOAT8, a, NULL),
					 dps_apply(graph, DPS_OP_COS, DPS_FLOAT8, slow, NULL));
}

/* Phases of arguments beyond which doubles do not grow by one. */
static void
test_phases(void)
{
	static const double reaches[] = {1e6, 0x1p38, 0x1p41, 0x1p53, 1e17, 1e150, 1e308};
	size_t		i;
	int			question;

	for (i = 0; i < COUNT_OF(reaches); i++)
	{
		double		around[2] = {-reaches[i], reaches[i]};
		double		beyond[2] = {reaches[i], 2 * (reaches[i] / 2) + 1000};
		bool		good = true;
		Fixture		f;

		begin(&f);
		f.node = waves(f.graph);
		set_range(&f, 1, around, false);
		for (question = 0; question < QUESTIONS; question++)
		{
			set_range(&f, 0, around, false);
			good &= ends_in_time(&f, question, "around 0");
			set_range(&f, 0, beyond, false);
			good &= ends_in_time(&f, question, "beyond");
		}
		dps_arena_clear(f.arena);
		ok(good, "waves to %g are bounded in time", reaches[i]);
	}
}

/* Phases are still told apart where they can be. */
static void
test_waves(void)
{
	const DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 20000};
	static const double range[2] = {0, 1e6};
	DpsBracket	bracket;
	Fixture		f;

	begin(&f);
	f.node = waves(f.graph);
	set_range(&f, 0, range, false);
	set_alarm(&f, SUPREMUM, "bracket");
	ok(dps_supremum(f.graph, f.node, f.box, &options, &bracket) == DPS_OK && bracket.status == DPS_OK &&
	   bracket.lower > 1.98 && bracket.upper < 2.01,
	   "sin(a) + cos(0.3 * a) rises to about 2 on [0, 1e6]");
	diag("[%.17g, %.17g]", bracket.lower, bracket.upper);
	dps_arena_clear(f.arena);
}

/* Whoever asked no longer wants to know. */
static void
test_stopping(void)
{
	static const double range[2] = {-1e150, 1e150};
	const DpsBoundOptions many = {.tolerance = 0, .max_boxes = UINT64_MAX};
	DpsBracket	bracket;
	DpsStatus	status;
	Fixture		f;

	begin(&f);
	f.node = waves(f.graph);
	set_range(&f, 0, range, false);
	f.watch.stop_at = 20;
	set_alarm(&f, SUPREMUM, "stopped");
	status = dps_supremum(f.graph, f.node, f.box, &many, &bracket);
	ok(status == DPS_CANCELLED && f.watch.asked == 20, "a search without limits ends when it is told to");
	dps_arena_clear(f.arena);
}

int
main(int argc, char **argv)
{
	signal(SIGVTALRM, end_hung);
	if (argc > 1)
		test_expressions(strtoull(argv[1], NULL, 10), argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
	else
	{
		test_phases();
		test_waves();
		test_stopping();
		test_expressions(0, EXPRESSIONS);
	}
	return done_testing();
}
