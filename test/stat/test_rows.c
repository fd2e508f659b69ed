/*
 * test_rows.c
 *		What one row adds to exact sums, whatever its values are.
 *
 * A sensitivity is of sums to which each row adds what DpsSummand says: the integers of
 * its values are within their ranges, and within the norms about their centres, or are
 * the centres.  Bounds that are right never let the latter happen, so no query shows
 * what it does: here the plan is made by hand, its norms smaller than its ranges.  Rows
 * are random, NaN, infinite and at the ends; what each adds is computed here again,
 * in another way, and compared with the states, exactly.
 *
 *	ROWS_SEED=17 build/stat/test_rows
 *
 * draws others.  Nothing is left to chance but which rows are tried.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "agg/state/row_batch.h"
#include "expr/program.h"

/* the server's are not here */
#undef printf
#undef vprintf
#undef fprintf
#undef snprintf
#undef qsort
#include "splitmix.h"
#include "tap.h"

#define VALUES 3
#define ROUNDS 2000

static uint64_t words;

typedef struct Expected
{
	int64		count;
	__int128	sum[VALUES];
	__int128	product;
} Expected;

/* Where rows often are: at an end of the range, beyond it, at the centre, nowhere. */
static double
any_value(const DpsSummandValue *value)
{
	double		middle = ldexp((double) value->centre, value->grid);

	switch (splitmix64(&words) % 8)
	{
		case 0:
			return value->value_lo;
		case 1:
			return value->value_hi;
		case 2:
			return splitmix64(&words) % 2 ? INFINITY : -INFINITY;
		case 3:
			return splitmix64(&words) % 4 ? middle : NAN;
		case 4:
			return middle + ldexp((double) (splitmix64(&words) % 5) - 2, value->grid);
		default:
			return value->value_lo + (value->value_hi - value->value_lo) * ldexp((double) (splitmix64(&words) >> 11), -53);
	}
}

static int64
integer_of(const DpsSummandValue *how, double value)
{
	double		clamped = fmin(fmax(value, how->value_lo), how->value_hi);
	int64		integer = (int64) nearbyint(ldexp(clamped, -how->grid));

	return integer < how->lo ? how->lo : integer > how->hi ? how->hi : integer;
}

/* The row by the words of DpsSummand. */
static void
expect(Expected *expected, const DpsSummand *summand, const double *row)
{
	int64		centred[VALUES];
	unsigned __int128 l1 = 0;
	unsigned __int128 square = 0;
	bool		within;
	int			i;

	for (i = 0; i < VALUES; i++)
	{
		if (isnan(row[i]))
			return;
		centred[i] = integer_of(&summand->value[i], row[i]) - summand->value[i].centre;
		l1 += (uint64) llabs(centred[i]);
		square += (unsigned __int128) ((__int128) centred[i] * centred[i]);
	}
	within = summand->limit_l1 == 0 ||
		(l1 <= summand->limit_l1 && square <= (unsigned __int128) summand->limit_l2 * summand->limit_l2);
	expected->count++;
	for (i = 0; i < VALUES; i++)
		expected->sum[i] += summand->value[i].centre + (within ? centred[i] : 0);
	if (within)
		expected->product += (__int128) centred[0] * centred[1];
}

static __int128
sum_of(const DpsExactSums *sums, int i)
{
	return ((__int128) sums->sum[i].high << 64) + sums->sum[i].low;
}

static bool
agree(const Expected *expected, const DpsExactSums *sums)
{
	int			i;

	if (sums->count != expected->count || sum_of(sums, VALUES) != expected->product)
		return false;
	for (i = 0; i < VALUES; i++)
	{
		if (sum_of(sums, i) != expected->sum[i])
			return false;
	}
	return true;
}

/* The values of a row are its cells. */
static const DpsProgram *
cells_themselves(void)
{
	static const char *const names[VALUES] = {"a", "b", "c"};
	const DpsProgram *program;
	const DpsNode *nodes[VALUES];
	DpsGraph   *graph;
	DpsArena   *arena;
	int			i;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_graph_init(&graph, arena) != DPS_OK)
		abort();
	for (i = 0; i < VALUES; i++)
	{
		dps_graph_add_variable(graph, names[i], DPS_FLOAT8, true);
		nodes[i] = dps_variable(graph, i);
	}
	if (dps_compile(graph, nodes, VALUES, &program) != DPS_OK)
		abort();
	return program;
}

/* Many batches of rows under these limits; some rows are beyond them if there are any. */
static void
test_limits(uint64 limit_l1, uint64 limit_l2)
{
	DpsSummand	summand = {.nvalues = VALUES, .nproducts = 1, .limit_l1 = limit_l1, .limit_l2 = limit_l2};
	DpsCell		cells[VALUES] = {{0}};
	DpsBatch	batch;
	DpsExactState *state;
	Expected	expected = {0};
	int			differing = 0;
	int			beyond = 0;
	int			round;
	int			i;

	for (i = 0; i < VALUES; i++)
	{
		cells[i].type = FLOAT8OID;
		cells[i].domain = (DpsDomain) {-10, 20, DPS_MAYBE_NULL, false};
		summand.value[i] = (DpsSummandValue) {.grid = -2, .lo = -40, .hi = 80, .centre = 20, .value_lo = -10, .value_hi = 20};
	}
	summand.product[0] = (DpsValueProduct) {.first = 0, .second = 1, .shift = 0};
	dps_batch_init(&batch, dps_summand_build(&summand, cells, VALUES, cells_themselves()));
	state = dps_exact_state_make(CurrentMemoryContext, &batch);
	batch.is_single = true;
	for (round = 0; round < ROUNDS; round++)
	{
		int			n = 1 + (int) (splitmix64(&words) % DPS_BATCH);
		double		row[VALUES];
		int			k;

		for (k = 0; k < n; k++)
		{
			Expected	alone = {0};

			for (i = 0; i < VALUES; i++)
				batch.columns[i][k] = row[i] = any_value(&summand.value[i]);
			batch.states[k] = &state->sums;
			expect(&expected, &summand, row);
			expect(&alone, &summand, row);
			beyond += alone.count == 1 && integer_of(&summand.value[0], row[0]) != (int64) alone.sum[0];
		}
		batch.nrows = n;
		dps_batch_flush(&batch);
		differing += !agree(&expected, &state->sums);
	}
	ok(differing == 0, "sums of rows within norms of %llu and %llu", (unsigned long long) limit_l1, (unsigned long long) limit_l2);
	ok((beyond > ROUNDS) == (limit_l1 != 0), "%s", limit_l1 != 0 ? "where some rows are beyond them" : "where there are none");
}

int
main(void)
{
	const char *given = getenv("ROWS_SEED");

	words = given != NULL ? strtoull(given, NULL, 10) : 20261126;
	diag("ROWS_SEED=%llu", (unsigned long long) words);
	test_limits(0, 0);
	test_limits(100, 60);
	test_limits(60, 60);
	test_limits(1000, 40);
	test_limits(1, 1);
	return done_testing();
}
