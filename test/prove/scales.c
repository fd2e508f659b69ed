/*
 * scales.c
 *		Scales of noise (noise/laplace.c by num/whole.h): a sensitivity that is not 0 has a
 *		scale that is not 0, for all arguments; and scale times loss is no less
 *		than the sensitivity, for numbers of up to 8 and 5 bits, beyond which quotients
 *		and products of bits are too much for a solver: test/unit/test_whole.c and
 *		test/stat/test_scales.c go further.
 *
 * unwind: 2
 */
#include "num/whole.c"

#include "prove.h"

void
prove_not_zero(void)
{
	uint64_t	sensitivity = nondet_uint64();
	uint64_t	a = nondet_uint64();
	uint64_t	scale = dps_whole_ratio((unsigned __int128) sensitivity << 40, a);

	CLAIM((sensitivity != 0) == (scale != 0) || a == 0, "a scale of 0 is that of no sensitivity");
	CLAIM(a != 0 || scale == DPS_TOO_MANY, "no loss is no scale");
}

void
prove_covers(void)
{
	uint64_t	n = nondet_uint64();
	uint64_t	a = nondet_uint64();
	uint64_t	scale;

	ASSUME(n < 1 << 8 && a > 0 && a < 1 << 5);
	scale = dps_whole_ratio(n, a);
	CLAIM(scale * a >= n, "scale times loss is no less than the sensitivity");
	CLAIM(scale == 0 || (scale - 1) * a < n, "and one less would not do");
}
