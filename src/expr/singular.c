/*
 * singular.c
 *		Products and quotients that have a limit where SQL does not evaluate them.
 *
 *		CASE WHEN x > 0 THEN x * ln(x) ELSE 0 END
 *		CASE WHEN x = 0 THEN 1 ELSE sin(x) / x END
 *		CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END
 *
 * Precondition: the argument x is not 0 in the branch, or NULL.  An enclosure holds it in a
 * closed interval, which may have 0 as an end or within, where ln(x) and 1 / x have no bound.
 *
 * t ln(t) falls from its limit 0 at 0 to its least value at 1/e and rises then.  g(t) / t has
 * the limit 1 at 0, for the functions with the flag.  It is even and moves in one direction as
 * |t| grows to 4.49, beyond which sin(t) / t turns; or it moves in one direction all the way,
 * as the means of exp and of 1 / (1 + t) between 0 and t, which (exp(t) - 1) / t and
 * ln(1 + t) / t are.  Both ways its values between two ends on either side of 0, or at 0, are
 * between the least and the greatest of 1 and those at the ends.
 *
 * The evaluator's values are enclosed, too: ln and g are within a few ulps of the exact
 * values, at the smallest doubles as well, where g(t) is t itself.  exp(x) - 1 as such is 0 for
 * small x; removable.c makes it one of these functions.  t can be -x, which is exact, but no
 * other multiple of x, whose smallest doubles are rounded.
 */
#include <math.h>

#include "expr/enclose.h"

/* More than ulps of an operation and of a multiplication. */
#define SLACK 0x1p-48

#define MONOTONE_TO 4.49
#define ONE_OVER_E 0.36787944117144233

static DpsInterval
widen(DpsInterval x)
{
	return dps_iv(x.lo - SLACK * fabs(x.lo), x.hi + SLACK * fabs(x.hi));
}

static DpsInterval
value_of(DpsOpcode op, double x)
{
	return dps_ops[op].enclosure(dps_iv_point(x), dps_iv_point(x), DPS_NEVER_NULL, DPS_NEVER_NULL);
}

static DpsInterval
times_itself(DpsOpcode log, double t)
{
	return dps_iv_mul(dps_iv_point(t), value_of(log, t));
}

/* t ln(t), or of another base, for 0 < t <= top. */
static DpsInterval
times_log(DpsOpcode log, double top)
{
	DpsInterval result = dps_iv_hull(times_itself(log, top), dps_iv(0, 0));

	return widen(top > 0.36 ? dps_iv_hull(result, times_itself(log, ONE_OVER_E)) : result);
}

static DpsInterval
ratio_at(DpsOpcode g, double t)
{
	return t == 0 ? dps_iv(1, 1) : dps_iv_div(value_of(g, t), dps_iv_point(t));
}

/* g(s) / s for all s of t but 0, which is within t. */
static DpsInterval
over_itself(DpsOpcode g, DpsInterval t)
{
	return widen(dps_iv_hull(dps_iv_hull(ratio_at(g, t.lo), ratio_at(g, t.hi)), dps_iv(1, 1)));
}

/* Takes a value that the operation has wherever x has one. */
static void
take(DpsEnclosure *e, const DpsEnclosure *x, DpsInterval value)
{
	e->value = value;
	e->nullness = x->nullness;
	e->defined = x->defined;
	e->continuous = x->continuous;
}

static void
limit_product(const DpsProgram *program, const DpsInstruction *product, const DpsEnclosure *enclosures,
			  const DpsConstraints *constraints, DpsEnclosure *e)
{
	int			i;

	for (i = 0; i < 2; i++)
	{
		const DpsInstruction *log = &program->code[product->arg[i]];
		uint32_t	factor = product->arg[1 - i];
		bool		negative = program->code[factor].op == DPS_OP_NEG;
		uint32_t	x = negative ? program->code[factor].arg[0] : factor;
		DpsInterval value;

		if (!(dps_ops[log->op].flags & DPS_LOGARITHM) || log->type != DPS_FLOAT8 || log->arg[0] != x || !dps_is_nonzero(constraints, x) ||
			enclosures[x].value.lo != 0 || !(enclosures[x].value.hi > 0 && enclosures[x].value.hi < INFINITY))
			continue;
		value = times_log(log->op, enclosures[x].value.hi);
		take(e, &enclosures[x], negative ? dps_iv_neg(value) : value);
		return;
	}
}

/* Leaves out a sign; true if there was one. */
static bool
skip_sign(const DpsProgram *program, uint32_t *i)
{
	bool		signed_ = program->code[*i].op == DPS_OP_NEG;

	if (signed_)
		*i = program->code[*i].arg[0];
	return signed_;
}

static void
limit_quotient(const DpsProgram *program, const DpsInstruction *quotient, const DpsEnclosure *enclosures,
			   const DpsConstraints *constraints, DpsEnclosure *e)
{
	uint32_t	numerator = quotient->arg[0];
	uint32_t	x = quotient->arg[1];
	bool		negative = skip_sign(program, &numerator);
	const DpsInstruction *g = &program->code[numerator];
	uint32_t	t = g->arg[0];
	const DpsEnclosure *argument = &enclosures[x];
	double		top = dps_iv_magnitude(argument->value);
	DpsInterval value;

	if (!(dps_ops[g->op].flags & DPS_LIKE_ITSELF) || g->type != DPS_FLOAT8)
		return;
	if (t != x && skip_sign(program, &t))
		negative = !negative;
	if (t != x || !dps_is_nonzero(constraints, x) || !dps_iv_contains(argument->value, 0) || !(top > 0 && top <= MONOTONE_TO) ||
		enclosures[numerator].defined != DPS_DEFINED || !dps_iv_is_finite(enclosures[numerator].value))
		return;
	value = over_itself(g->op, enclosures[g->arg[0]].value);
	take(e, argument, negative ? dps_iv_neg(value) : value);
}

void
dps_enclose_limit(const DpsProgram *program, const DpsInstruction *instruction, const DpsEnclosure *enclosures,
				  const DpsConstraints *constraints, DpsEnclosure *e)
{
	if (constraints->nnonzero == 0 || instruction->type != DPS_FLOAT8)
		return;
	if (instruction->op == DPS_OP_MUL)
		limit_product(program, instruction, enclosures, constraints, e);
	else if (instruction->op == DPS_OP_DIV)
		limit_quotient(program, instruction, enclosures, constraints, e);
}
