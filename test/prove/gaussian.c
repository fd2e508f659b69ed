/*
 * gaussian.c
 *		The search for a scale (noise/gaussian.c): for conditions that hold from some scale
 *		on, whichever, the smallest that holds is found or refused; for any conditions
 *		what is found has been accepted.  Scales of up to 12 bits, or 8, and the last 256 below
 *		the limit: all of them would be 124 steps that depend on each other.
 *
 * The condition by rho is decided in whole numbers, for up to 3 bits of each; the one by
 * delta, and shares of rho, are doubles: test/unit/test_mechanism.c has them.  GSL's
 * headers must be where the checker looks for headers.
 *
 * unwind: 65
 */
#include "noise/gaussian.c"
#include "num/rational.c"

#include "prove.h"

static uint64_t least;
static uint64_t last_accepted;

static bool
is_enough(uint64_t scale, const GaussianTarget *target)
{
	return scale >= least;
}

/* Below 256 whatever it likes. */
static bool
is_erratic(uint64_t scale, const GaussianTarget *target)
{
	bool		accepts = scale >= 256 || nondet_int() != 0;

	if (accepts)
		last_accepted = scale;
	return accepts;
}

void
prove_smallest(void)
{
	GaussianTarget target = {0};
	uint64_t	scale = 0;

	least = nondet_uint64();
	ASSUME(least < 1 << 12);
	CLAIM(smallest_scale(is_enough, &target, &scale) == DPS_OK, "there is one");
	CLAIM(scale == (least == 0 ? 1 : least), "and it is the smallest, and not 0");
}

void
prove_limit(void)
{
	GaussianTarget target = {0};
	uint64_t	scale = 0;
	DpsStatus	status;

	least = nondet_uint64();
	ASSUME(least >= DPS_SCALE_LIMIT - 256);
	status = smallest_scale(is_enough, &target, &scale);
	CLAIM(status == (least < DPS_SCALE_LIMIT ? DPS_OK : DPS_UNABLE), "up to the limit, and not beyond");
	CLAIM(scale == (status == DPS_OK ? least : 0), "what is refused is not set");
}

void
prove_accepted(void)
{
	GaussianTarget target = {0};
	uint64_t	scale = 0;

	CLAIM(smallest_scale(is_erratic, &target, &scale) == DPS_OK, "there is one");
	CLAIM(scale > 0 && scale == last_accepted, "it was accepted itself");
}

void
prove_rho(void)
{
	GaussianTarget target = {.sensitivity = nondet_uint64(), .rho_numerator = nondet_uint64(), .rho_exponent = (unsigned) nondet_int()};
	uint64_t	scale = nondet_uint64();
	bool		suffices;
	uint64_t	need;
	uint64_t	have;

	ASSUME(target.sensitivity > 0 && target.sensitivity < 1 << 3 && target.rho_numerator < 1 << 3 && scale < 1 << 3);
	suffices = rho_suffices(scale, &target);
	need = (uint32_t) target.sensitivity * (uint32_t) target.sensitivity;
	have = (uint32_t) scale * (uint32_t) scale * (uint32_t) target.rho_numerator * 2;
	CLAIM(suffices == (target.rho_exponent < 32 && need << (target.rho_exponent & 31) <= have), "D^2 2^e <= 2 m N^2");
}
