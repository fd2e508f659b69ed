/*
 * test_arena.c
 *		Arenas and texts, and what the core does when memory runs out.
 *
 * Files: base/chains.c.
 */
#include "generate.h"

/* A host that counts its blocks and has only so many. */
typedef struct Budget
{
	int			left;
	int			held;
	int			given;
	size_t		offset;			/* of the blocks from their natural alignment */
} Budget;

static void *
budget_allocate(void *context, size_t size)
{
	Budget	   *budget = context;
	char	   *block;

	if (budget->left <= 0)
		return NULL;
	block = malloc(size + 16);
	if (block == NULL)
		return NULL;
	/* what was there before shows if it is not cleared */
	memset(block, 0xa5, size + 16);
	budget->left--;
	budget->given++;
	budget->held++;
	return block + budget->offset;
}

static void
budget_release(void *context, void *block)
{
	Budget	   *budget = context;

	budget->held--;
	free((char *) block - budget->offset);
}

static DpsHost
budget_host(Budget *budget, int blocks)
{
	DpsHost		host = tap_host;

	memset(budget, 0, sizeof(*budget));
	budget->left = blocks;
	host.allocate = budget_allocate;
	host.release = budget_release;
	host.context = budget;
	return host;
}

static bool
is_zeroed(const unsigned char *memory, size_t size)
{
	size_t		i;

	for (i = 0; i < size; i++)
	{
		if (memory[i] != 0)
			return false;
	}
	return true;
}

static void
test_pieces(size_t offset)
{
	Budget		budget;
	DpsHost		host = budget_host(&budget, 10000);
	DpsArena   *arena;
	unsigned char *piece[2000];
	size_t		size[2000];
	bool		aligned = true;
	bool		zeroed = true;
	bool		separate = true;
	int			i;

	budget.offset = offset;
	if (dps_arena_init(&arena, &host) != DPS_OK)
		abort();
	for (i = 0; i < 2000; i++)
	{
		size[i] = random_below(20) == 0 ? random_below(60000) : random_below(10) == 0 ? 16384 - random_below(20) : random_below(200);
		piece[i] = dps_arena_alloc(arena, size[i]);
		aligned = aligned && (uintptr_t) piece[i] % 16 == 0;
		zeroed = zeroed && is_zeroed(piece[i], size[i]);
		memset(piece[i], i % 251 + 1, size[i]);
	}
	for (i = 0; i < 2000; i++)
	{
		size_t		k;

		for (k = 0; k < size[i]; k++)
			separate = separate && piece[i][k] == i % 251 + 1;
	}
	ok(aligned, "pieces are aligned to 16 bytes, blocks %zu off", offset);
	ok(zeroed, "pieces are zeroed");
	ok(separate, "pieces do not overlap");
	ok(dps_arena_alloc(arena, 0) != NULL && dps_arena_alloc(arena, 0) != dps_arena_alloc(arena, 0), "empty pieces are pieces");
	ok(budget.held > 3 && budget.held < 700, "small pieces share a block (%d blocks)", budget.held);
	ok(dps_arena_host(arena)->context == &budget, "the host is what it was made with");
	dps_arena_clear(arena);
	ok(budget.held == 0, "clearing gives every block back");
}

static void
test_limits(void)
{
	Budget		budget;
	DpsHost		host = budget_host(&budget, 0);
	DpsArena   *arena = (DpsArena *) &budget;

	ok(dps_arena_init(&arena, &host) == DPS_NOMEM && arena == NULL, "no memory, no arena");
	dps_arena_clear(NULL);
	dps_arena_clear(arena);
	ok(budget.held == 0, "nothing to clear");
	host = budget_host(&budget, 2);
	if (dps_arena_init(&arena, &host) != DPS_OK)
		abort();
	ok(dps_arena_alloc(arena, SIZE_MAX) == NULL && dps_arena_alloc(arena, SIZE_MAX - 8) == NULL &&
	   dps_arena_alloc(arena, SIZE_MAX / 2 + 1) == NULL, "absurd sizes");
	ok(dps_arena_alloc(arena, 16000) != NULL && dps_arena_alloc(arena, 1000) == NULL, "the host has no more");
	ok(dps_arena_alloc(arena, 200) != NULL, "what is left in a block can still be had");
	dps_arena_clear(arena);
	ok(budget.held == 0, "clearing after a failure");
}

static void
test_text(void)
{
	Budget		budget;
	DpsHost		host = budget_host(&budget, 1000);
	DpsArena   *arena;
	DpsText		text;
	char		long_one[700];
	char		expected[70000];
	size_t		length = 0;
	int			i;

	if (dps_arena_init(&arena, &host) != DPS_OK)
		abort();
	dps_text_init(&text, arena);
	ok(!text.failed && text.length == 0 && text.data[0] == '\0', "an empty text");
	for (i = 0; i < 10000; i++)
	{
		const char *piece = i % 3 == 0 ? "a" : i % 3 == 1 ? "" : "bcd%s";

		dps_text_append(&text, piece);
		memcpy(expected + length, piece, strlen(piece));
		length += strlen(piece);
	}
	dps_text_append_n(&text, "xyz", 2);
	memcpy(expected + length, "xy", 3);
	ok(!text.failed && text.length == length + 2 && strcmp(text.data, expected) == 0, "10000 appends");
	ok(text.capacity <= 4 * text.length + 64 && budget.held < 30, "the room grows by factors (%d blocks)", budget.held);
	dps_text_init(&text, arena);
	dps_text_printf(&text, "%d %s", 42, "%d");
	ok(strcmp(text.data, "42 %d") == 0, "formatted");
	memset(long_one, 'x', sizeof(long_one));
	long_one[511] = '\0';
	dps_text_printf(&text, "%s", long_one);
	ok(!text.failed && text.length == 5 + 511, "formatted, as long as it may be");
	long_one[511] = 'x';
	long_one[512] = '\0';
	dps_text_printf(&text, "%s", long_one);
	ok(text.failed && text.length == 5 + 511 && text.data[text.length] == '\0', "longer fails and leaves what was there");
	dps_text_append(&text, "more");
	ok(text.failed && text.length == 5 + 511, "and stays failed");
	dps_text_init(&text, arena);
	dps_text_append(&text, "abc");
	dps_text_append_n(&text, "d", SIZE_MAX - 3);
	ok(text.failed && strcmp(text.data, "abc") == 0, "a length that would wrap around");
	dps_text_init(&text, arena);
	budget.left = 0;
	for (i = 0; i < 2000; i++)
		dps_text_append(&text, "0123456789abcdef");
	ok(text.failed && text.length < 32000 && strlen(text.data) == text.length, "out of memory while growing");
	dps_text_init(&text, arena);
	while (!text.failed)
		dps_text_init(&text, arena);
	dps_text_append(&text, "a");
	dps_text_printf(&text, "%d", 1);
	ok(text.failed && text.data == NULL, "out of memory at once");
	dps_arena_clear(arena);
	ok(budget.held == 0, "all given back");
}

/* Everything the core does with an expression.  How far it got, and the worst
 * status; what could not be made must be NULL or DPS_NOMEM. */

typedef struct Work
{
	DpsStatus	status;
	int			step;
} Work;

static void
note(Work *work, DpsStatus status)
{
	if (status != DPS_OK && work->status == DPS_OK)
		work->status = status;
	work->step++;
}

static const DpsNode *
build(DpsGraph *graph)
{
	const DpsNode *x = dps_variable(graph, GEN_X);
	const DpsNode *y = dps_variable(graph, GEN_Y);
	const DpsNode *i = dps_as_float8(graph, dps_variable(graph, GEN_I));
	const DpsNode *sum = NULL;
	const DpsNode *node;
	const DpsNode *condition;

#define F8(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, a, b)
	node = F8(DIV, F8(MUL, x, F8(SQR, y, NULL)), F8(ADD, x, dps_constant(graph, DPS_FLOAT8, 3)));
	sum = F8(ADD, F8(SUB, F8(MUL, dps_constant(graph, DPS_FLOAT8, 2), node), F8(DIV, y, F8(DIV, x, i))), node);
	condition = dps_apply(graph, DPS_OP_GT, DPS_BOOL, F8(LN, x, NULL), y);
	node = dps_choose(graph, condition, F8(SIN, sum, NULL), F8(GREATEST, F8(SQRT, sum, NULL), F8(POW, x, y)));
	node = dps_choose(graph, dps_apply(graph, DPS_OP_IS_NULL, DPS_BOOL, dps_variable(graph, GEN_Z), NULL), F8(EXP, node, NULL),
					  F8(MUL, node, F8(COALESCE, dps_variable(graph, GEN_Z), x)));
#undef F8
	return dps_substitute(graph, node, GEN_Y, dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, i, i));
}

static void
work_on(Work *work, DpsGraph *graph)
{
	const DpsNode *node = build(graph);
	const DpsNode *gradient[GEN_COLUMNS];
	const DpsNode *hessian[GEN_COLUMNS * GEN_COLUMNS];
	const DpsNode *norm;
	const DpsProgram *program;
	DpsText		text;

	note(work, node == NULL ? DPS_NOMEM : DPS_OK);
	note(work, dps_gradient(graph, node, gradient));
	if (work->status != DPS_OK)
		return;
	norm = dps_norm2(graph, gradient, 0xff, NULL);
	note(work, norm == NULL ? DPS_NOMEM : DPS_OK);
	note(work, dps_hessian(graph, node, hessian));
	if (dps_strict_variables(graph, node) & ~node->variables)
		note(work, DPS_DOMAIN);
	note(work, dps_compile(graph, &norm, 1, &program));
	dps_text_init(&text, graph->arena);
	note(work, dps_print_sql(graph, norm, &text));
	dps_text_init(&text, graph->arena);
	note(work, dps_print_latex(graph, norm, &text));
	dps_text_init(&text, graph->arena);
	note(work, dps_print_parts(graph, gradient, GEN_COLUMNS, false, &text));
	note(work, text.failed ? dps_arena_status(graph->arena, DPS_NOMEM) : DPS_OK);
}

/* `filler` bytes of the first block are taken, so that blocks end elsewhere. */
static Work
work_within(Budget *budget, int blocks, size_t filler)
{
	DpsHost		host = budget_host(budget, blocks);
	Work		work = {DPS_OK, 0};
	DpsArena   *arena;
	DpsGraph   *graph = NULL;
	int			j;

	note(&work, dps_arena_init(&arena, &host));
	if (work.status == DPS_OK)
	{
		note(&work, filler > 0 && dps_arena_alloc(arena, filler) == NULL ? DPS_NOMEM : DPS_OK);
		note(&work, dps_graph_init(&graph, arena));
	}
	if (work.status == DPS_OK)
	{
		for (j = 0; j < GEN_COLUMNS; j++)
			dps_graph_add_variable(graph, gen_columns[j].name, gen_columns[j].type, gen_columns[j].nullable);
		work_on(&work, graph);
	}
	dps_arena_clear(arena);
	return work;
}

static void
test_out_of_memory(void)
{
	Budget		budget;
	Work		whole = work_within(&budget, 10000, 0);
	int			needed = budget.given;
	int			failed_at[64] = {0};
	int			wrong = 0;
	int			leaks = 0;
	int			steps = 0;
	int			blocks;
	size_t		filler;
	int			i;

	ok(whole.status == DPS_OK && needed > 5, "it works with memory (%d blocks)", needed);
	for (blocks = 0; blocks < needed; blocks++)
	{
		Work		work = work_within(&budget, blocks, 0);

		wrong += work.status != DPS_NOMEM;
		leaks += budget.held != 0;
	}
	ok(wrong == 0 && leaks == 0, "with each smaller number of blocks there is no memory, and no leak");
	/* blocks end at every place of the work */
	for (blocks = 2; blocks < needed; blocks++)
	{
		for (filler = 0; filler < 16384; filler += 400)
		{
			Work		work = work_within(&budget, blocks, filler);

			wrong += work.status != DPS_NOMEM && work.status != DPS_OK;
			wrong += work.status == DPS_OK && blocks + 1 < needed;
			leaks += budget.held != 0;
			failed_at[work.step < 64 ? work.step : 63]++;
		}
	}
	for (i = 0; i < 64; i++)
		steps += failed_at[i] > 0;
	ok(wrong == 0 && leaks == 0, "wherever the memory ends");
	ok(steps >= 3, "it ended in %d different steps", steps);
}

int
main(void)
{
	test_pieces(0);
	test_pieces(8);
	test_limits();
	test_text();
	test_out_of_memory();
	return done_testing();
}
