/*
 * test_width.c
 *		Matrix products of the objects that are shipped, which are compiled for
 *		vectors of several widths: the same bits as plain loops that add up in the
 *		same order.
 */
#include <string.h>

#include "tap.h"
#include "tensor/network/schedule.h"

#define MAX_SIZE 40000

static double x[MAX_SIZE];
static double y[MAX_SIZE];
static double got[MAX_SIZE];
static double expected[MAX_SIZE];

static uint64_t state = 20260611;

/* Of magnitudes far apart, so that another order or a fused operation would show. */
static double
any_number(void)
{
	double		number;

	state = state * 6364136223846793005u + 1442695040888963407u;
	number = (double) (int64_t) (state >> 11) * 0x1p-52 - 1;
	return state & 512 ? number : number * 1e-7;
}

/* Each element from the first product to the last. */
static void
multiply(int m, int n, int k, bool tx, bool ty)
{
	int			i;
	int			j;
	int			p;

	for (i = 0; i < m; i++)
	{
		for (j = 0; j < n; j++)
		{
			volatile double sum = 0;

			for (p = 0; p < k; p++)
			{
				volatile double product = x[tx ? p * m + i : i * k + p] * y[ty ? j * k + p : p * n + j];

				sum += product;
			}
			expected[i * n + j] = sum;
		}
	}
}

static void
check(int m, int n, int k, bool tx, bool ty)
{
	DpsArena   *arena;
	DpsTensorGraph *g;
	const DpsTensor *left;
	const DpsTensor *right;
	const DpsTensor *node;
	const DpsSchedule *schedule;
	const double *inputs[2] = {x, y};
	double	   *outputs[1] = {got};
	double	   *workspace;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_tensor_graph_init(&g, arena) != DPS_OK)
		abort();
	left = dps_tensor_input(g, "x", tx ? DPS_MATRIX(k, m) : DPS_MATRIX(m, k));
	right = dps_tensor_input(g, "y", ty ? DPS_MATRIX(n, k) : DPS_MATRIX(k, n));
	node = dps_tensor_matmul(g, left, right, tx, ty);
	if (dps_schedule_init(g, &node, 1, &schedule) != DPS_OK)
		abort();
	workspace = malloc(sizeof(double) * dps_schedule_workspace(schedule));
	if (dps_schedule_run(schedule, inputs, workspace, outputs) != DPS_OK)
		abort();
	multiply(m, n, k, tx, ty);
	ok(memcmp(got, expected, sizeof(double) * (size_t) (m * n)) == 0, "%d x %d times %d x %d%s%s: the same bits", m, k, k, n,
	   tx ? ", left transposed" : "", ty ? ", right transposed" : "");
	free(workspace);
	dps_arena_clear(arena);
}

int
main(void)
{
	static const int sizes[][3] = {{4, 8, 64}, {5, 9, 65}, {64, 64, 64}, {131, 70, 200}, {7, 200, 129}, {150, 33, 3}};
	size_t		k;
	int			which;

	for (k = 0; k < MAX_SIZE; k++)
	{
		x[k] = any_number();
		y[k] = any_number();
	}
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
	{
		for (which = 0; which < 4; which++)
			check(sizes[k][0], sizes[k][1], sizes[k][2], which & 1, which & 2);
	}
	return done_testing();
}
