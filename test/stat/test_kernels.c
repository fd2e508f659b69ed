/*
 * test_kernels.c
 *		The kernels that are shipped, as this processor runs them, against the
 *		same source compiled without vectors of its own: every operation yields
 *		the same bits for every pair of many doubles, in every place of a batch.
 */
#include <math.h>
#include <string.h>

#define DPS_KERNEL
#define dps_ops plain_ops
#define dps_type_name plain_type_name
#define dps_type_range plain_type_range
#include "expr/ops.c"
#undef dps_ops
#undef dps_type_name
#undef dps_type_range

#include "expr/program.h"
#include "splitmix.h"
#include "tap.h"

extern const DpsOp dps_ops[DPS_OP_COUNT];

static const double special[] = {
	0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 2, 3, 10, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p52, 0x1p53, -0x1p53, 0x1p53 - 1,
	DBL_MAX, -DBL_MAX, DBL_EPSILON, 1e-300, 1e300, INFINITY, -INFINITY, NAN, 2.675, 1.005, 0.1, 0.2, 0.3, 709.5, -745.2, 100.25
};
#define NSPECIAL ((int) (sizeof(special) / sizeof(special[0])))

/* A special one, any bits at all, or one of a usual size. */
static double
next_double(uint64_t *state)
{
	uint64_t	bits = splitmix64(state);
	double		value;

	switch (splitmix64(state) % 3)
	{
		case 0:
			return special[bits % NSPECIAL];
		case 1:
			memcpy(&value, &bits, sizeof(value));
			return value;
		default:
			return ldexp((double) (int64_t) bits, (int) (splitmix64(state) % 40) - 70);
	}
}

/* Which NaN it is does not matter. */
static bool
is_same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

static bool
kernels_agree(int op, uint64_t *state)
{
	double		a[DPS_BATCH];
	double		b[DPS_BATCH];
	double		shipped[DPS_BATCH];
	double		plain[DPS_BATCH];
	int			n = 1 + (int) (splitmix64(state) % DPS_BATCH);
	int			i;

	for (i = 0; i < n; i++)
	{
		a[i] = next_double(state);
		b[i] = next_double(state);
	}
	dps_ops[op].batch(shipped, a, b, n);
	plain_ops[op].batch(plain, a, b, n);
	for (i = 0; i < n; i++)
	{
		if (!is_same(shipped[i], plain[i]) || !is_same(shipped[i], dps_ops[op].value(a[i], b[i])))
		{
			printf("# %s(%a, %a) at %d of %d: %a, and %a without\n", dps_ops[op].name, a[i], b[i], i, n, shipped[i], plain[i]);
			return false;
		}
	}
	return true;
}

int
main(void)
{
	uint64_t	state = 20260901;
	int			op;
	int			turn;

	for (op = DPS_OP_FIRST_ROW; op < DPS_OP_COUNT; op++)
	{
		bool		agree = true;

		for (turn = 0; turn < 400 && agree; turn++)
			agree = kernels_agree(op, &state);
		ok(agree, "%s", dps_ops[op].name);
	}
	return done_testing();
}
