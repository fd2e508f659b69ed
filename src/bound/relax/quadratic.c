/*
 * quadratic.c
 *		Quadratic forms of a program's instructions over a box.
 *
 * The second order of what affine.c does to the first: sums of squares and
 * their exponentials keep their curvature, and the error shrinks with the
 * third power of the box.  So boxes may stay large close to a maximum on which
 * several columns have little influence.
 *
 * Polynomials are written in T1(e) = e and T2(e) = 2 e^2 - 1, and cut off in
 * these instead of in powers of e, which at least halves the error:
 *
 *		e_k e_k           = 1/2 + T2(e_k) / 2
 *		e_k T2(e_k)       = e_k / 2 + T3(e_k) / 2
 *		e_l (e_k e_l)     = e_k / 2 + e_k T2(e_l) / 2
 *		T2(e_k) T2(e_k)   = 1/2 + T4(e_k) / 2
 *		(e_k e_l)(e_k e_l) = 1/4 + T2(e_k) / 4 + T2(e_l) / 4 + T2(e_k) T2(e_l) / 4
 *
 * with |T3|, |T4| <= 1.  Each term that is not kept adds its magnitude to the
 * rest.
 *
 * Rounding errors are bounded as in affine.c: each is at most 2^-53 of the result's
 * magnitude or, below the normal range, 2^-1075.  A coefficient of a product, and
 * the part not kept, are sums of at most 1 + 2 N + N (N - 1) / 2 and 2 N^2 + N^3 /
 * 6 terms of at most six products each for N dimensions, fewer than 250 terms for
 * the N here.  The magnitudes of all products add up to no more than the product of
 * the operands' reaches.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bound/relax/parabola.h"
#include "bound/relax/quadratic.h"

#define N DPS_MAX_CURVED

/* More than the relative error of a sum of positive numbers. */
#define SLACK (1 + 0x1p-44)

/* More than the error of any sum, as a part of the sum of its terms'
 * magnitudes. */
#define ROUNDING (256 * DBL_EPSILON)
#define TINY 0x1p-1000

static int
crossed(int k, int l)
{
	return k > l ? k * (k - 1) / 2 + l : l * (l - 1) / 2 + k;
}

static double
slope_reach(const DpsQuadratic *x, int n)
{
	double		sum = 0;
	int			k;

	for (k = 0; k < n; k++)
		sum += fabs(x->slope[k]);
	return sum;
}

static double
bend_reach(const DpsQuadratic *x, int n)
{
	double		sum = 0;
	int			k;

	for (k = 0; k < n; k++)
		sum += fabs(x->bend[k]);
	for (k = 0; k < n * (n - 1) / 2; k++)
		sum += fabs(x->cross[k]);
	return sum;
}

static void
make_constant(DpsQuadratic *form, DpsInterval x)
{
	memset(form, 0, sizeof(DpsQuadratic));
	form->centre = x.lo / 2 + x.hi / 2;
	form->rest = x.lo == x.hi ? 0 : fmax(dps_sub_up(x.hi, form->centre), dps_sub_up(form->centre, x.lo));
}

static void
make_affine(DpsQuadratic *form, const DpsForm *x, int n)
{
	int			k;

	memset(form, 0, sizeof(DpsQuadratic));
	form->centre = x->centre;
	form->rest = x->rest;
	for (k = 0; k < n; k++)
		form->slope[k] = x->slope[k];
}

/* form = factor * x + shift, off by `more` */
static void
make_linear(DpsQuadratic *form, const DpsQuadratic *x, double factor, double shift, double more, int n)
{
	double		product = factor * x->centre;
	double		rounded = fabs(shift) + fabs(product);
	int			k;

	form->centre = product + shift;
	for (k = 0; k < n; k++)
	{
		form->slope[k] = factor * x->slope[k];
		form->bend[k] = factor * x->bend[k];
	}
	for (k = 0; k < n * (n - 1) / 2; k++)
		form->cross[k] = factor * x->cross[k];
	rounded += slope_reach(form, n) + bend_reach(form, n);
	form->rest = (fabs(factor) * x->rest + more + rounded * ROUNDING) * SLACK + TINY;
}

static void
make_sum(DpsQuadratic *form, const DpsQuadratic *x, const DpsQuadratic *y, double sign, int n)
{
	double		rounded;
	int			k;

	form->centre = x->centre + sign * y->centre;
	for (k = 0; k < n; k++)
	{
		form->slope[k] = x->slope[k] + sign * y->slope[k];
		form->bend[k] = x->bend[k] + sign * y->bend[k];
	}
	for (k = 0; k < n * (n - 1) / 2; k++)
		form->cross[k] = x->cross[k] + sign * y->cross[k];
	rounded = fabs(form->centre) + slope_reach(form, n) + bend_reach(form, n);
	form->rest = (x->rest + y->rest + rounded * ROUNDING) * SLACK + TINY;
}

/* The products of terms up to the second order, with the parts of lower order
 * of the squares of second-order terms. */
static void
multiply_squares(DpsQuadratic *form, const DpsQuadratic *x, const DpsQuadratic *y, int n)
{
	double		a = x->centre;
	double		b = y->centre;
	int			k;
	int			l;

	form->centre = a * b;
	for (k = 0; k < n; k++)
	{
		double		square = x->slope[k] * y->slope[k] / 2;

		form->centre += square + x->bend[k] * y->bend[k] / 2;
		form->slope[k] = a * y->slope[k] + b * x->slope[k];
		form->bend[k] = a * y->bend[k] + b * x->bend[k] + square;
	}
	for (k = 0; k < n; k++)
		for (l = 0; l < k; l++)
		{
			int			i = crossed(k, l);
			double		square = x->cross[i] * y->cross[i] / 4;

			form->centre += square;
			form->bend[k] += square;
			form->bend[l] += square;
			form->cross[i] = a * y->cross[i] + b * x->cross[i] + x->slope[k] * y->slope[l] + x->slope[l] * y->slope[k];
		}
}

/*
 * The products of the third order: adds their parts of first order to the
 * slopes, and returns a bound of the other parts.
 */
static double
multiply_cubes(DpsQuadratic *form, const DpsQuadratic *x, const DpsQuadratic *y, int n)
{
	double		lost = 0;
	int			k;
	int			l;
	int			m;

	for (k = 0; k < n; k++)
	{
		double		own = (x->slope[k] * y->bend[k] + y->slope[k] * x->bend[k]) / 2;

		form->slope[k] += own;
		lost += fabs(own);
		for (l = 0; l < n; l++)
		{
			double		half;

			if (l == k)
				continue;
			half = (x->slope[l] * y->cross[crossed(k, l)] + y->slope[l] * x->cross[crossed(k, l)]) / 2;
			form->slope[k] += half;
			/* e_k T2(e_l) */
			lost += fabs(half + x->slope[k] * y->bend[l] + y->slope[k] * x->bend[l]);
		}
		for (l = 0; l < k; l++)
			for (m = 0; m < l; m++)
				lost += fabs(x->slope[k] * y->cross[crossed(l, m)] + y->slope[k] * x->cross[crossed(l, m)] +
							 x->slope[l] * y->cross[crossed(k, m)] + y->slope[l] * x->cross[crossed(k, m)] +
							 x->slope[m] * y->cross[crossed(k, l)] + y->slope[m] * x->cross[crossed(k, l)]);
	}
	return lost;
}

/* A bound of the part of the fourth order that is not kept: all but half of the
 * squares of a bend, and all but three quarters of those of a cross. */
static double
lose_fourth(const DpsQuadratic *x, const DpsQuadratic *y, double x_bend, double y_bend, int n)
{
	double		kept = 0;
	int			k;

	for (k = 0; k < n; k++)
		kept += fabs(x->bend[k] * y->bend[k]) / 2;
	for (k = 0; k < n * (n - 1) / 2; k++)
		kept += fabs(x->cross[k] * y->cross[k]) * 0.75;
	return fmax(x_bend * y_bend - kept, 0);
}

static void
make_product(DpsQuadratic *form, const DpsQuadratic *x, const DpsQuadratic *y, int n)
{
	double		x_slope = slope_reach(x, n);
	double		y_slope = slope_reach(y, n);
	double		x_bend = bend_reach(x, n);
	double		y_bend = bend_reach(y, n);
	double		x_reach = fabs(x->centre) + x_slope + x_bend;
	double		y_reach = fabs(y->centre) + y_slope + y_bend;
	double		lost;

	multiply_squares(form, x, y, n);
	lost = multiply_cubes(form, x, y, n) + lose_fourth(x, y, x_bend, y_bend, n);
	lost += x->rest * y_reach + y->rest * x_reach + x->rest * y->rest;
	form->rest = (lost + x_reach * y_reach * ROUNDING) * SLACK + TINY;
}

/* Makes f(x) from the form of x, which has this range; false if no parabola is
 * close. */
static bool
make_function(DpsQuadratic *form, DpsFunction function, const DpsQuadratic *x, DpsInterval range, int n)
{
	DpsParabola p;
	DpsQuadratic t;
	DpsQuadratic factor;

	if (!dps_parabola(&function, range, &p))
		return false;
	/* a + t (b + c t) */
	make_linear(&t, x, 1, -p.middle, 0, n);
	make_linear(&factor, &t, p.coefficient[2], p.coefficient[1], 0, n);
	make_product(form, &t, &factor, n);
	t = *form;
	make_linear(form, &t, 1, p.coefficient[0], p.off, n);
	return true;
}

/*
 * Programs
 */

/* Cuts form and range by each other; the form becomes that of the range if its
 * own rest is no narrower. */
static void
settle(DpsQuadratic *form, DpsInterval *range, int n)
{
	double		by = (slope_reach(form, n) + bend_reach(form, n) + form->rest) * SLACK + TINY;

	if (!dps_cut_by_form(form->centre, by, form->rest, range))
		make_constant(form, *range);
}

static bool
make_quotient(DpsQuadratic *form, const DpsQuadratic *x, const DpsQuadratic *y, DpsInterval y_range, int n)
{
	DpsQuadratic inverse;
	DpsInterval range;

	if (dps_iv_contains(y_range, 0) || !make_function(&inverse, dps_inverse_function(), y, y_range, n))
		return false;
	range = dps_iv_div(dps_iv_point(1), y_range);
	settle(&inverse, &range, n);
	make_product(form, x, &inverse, n);
	return true;
}

/* Makes the form of an operation; false if its range is all that is known. */
static bool
make_operation(const DpsQuadratics *q, const DpsInstruction *instruction, const DpsEnclosure *e, DpsQuadratic *form)
{
	uint32_t	last = instruction->arg[instruction->nargs - 1];
	const DpsQuadratic *x = &q->form[instruction->arg[0]];
	const DpsQuadratic *y = &q->form[last];
	DpsInterval x_range = q->range[instruction->arg[0]];
	DpsInterval y_range = q->range[last];
	int			n = q->affine->n;
	int			chosen;

	/* operations that join forms; functions of one form are in the table */
	switch (instruction->op)
	{
		case DPS_OP_ADD:
			make_sum(form, x, y, 1, n);
			return true;
		case DPS_OP_SUB:
			make_sum(form, x, y, -1, n);
			return true;
		case DPS_OP_NEG:
			make_linear(form, x, -1, 0, 0, n);
			return true;
		case DPS_OP_CAST:
			*form = *x;
			return true;
		case DPS_OP_MUL:
		case DPS_OP_SQR:
			make_product(form, x, y, n);
			return true;
		case DPS_OP_DIV:
			return make_quotient(form, x, y, y_range, n);
		case DPS_OP_ABS:
			if (x_range.lo < 0 && x_range.hi > 0)
				return false;
			make_linear(form, x, x_range.lo >= 0 ? 1 : -1, 0, 0, n);
			return true;
		case DPS_OP_POW:
			return (dps_iv_is_point(y_range) || q->affine->program->code[last].op == DPS_OP_CONST) &&
				make_function(form, dps_power_function(y_range), x, x_range, n);
		case DPS_OP_CASE:
		case DPS_OP_GREATEST:
		case DPS_OP_LEAST:
			chosen = dps_chosen_argument(instruction, e);
			if (chosen < 0 || dps_iv_is_empty(q->range[instruction->arg[chosen]]))
				return false;
			*form = q->form[instruction->arg[chosen]];
			return true;
		default:
			return instruction->nargs == 1 && make_function(form, dps_function(instruction->op), x, x_range, n);
	}
}

/* Are the arguments known?  A CASE is not asked: it needs only the argument it
 * chooses. */
static bool
arguments_known(const DpsQuadratics *q, const DpsInstruction *instruction)
{
	int			k;

	for (k = 0; k < instruction->nargs && instruction->op != DPS_OP_CASE; k++)
		if (dps_iv_is_empty(q->range[instruction->arg[k]]))
			return false;
	return true;
}

/* Takes the affine form where the quadratic one is no narrower. */
static void
make_instruction(DpsQuadratics *q, const DpsEnclosure *enclosures, uint32_t i)
{
	const DpsInstruction *instruction = &q->affine->program->code[i];
	const DpsForm *affine = &q->affine->form[i];
	DpsInterval *range = &q->range[i];
	DpsQuadratic *form = &q->form[i];
	int			n = q->affine->n;

	*range = q->affine->range[i];
	if (dps_iv_is_empty(*range))
		return;
	if (instruction->op != DPS_OP_VAR && instruction->op != DPS_OP_CONST && !dps_iv_is_point(*range) &&
		dps_has_form(instruction) && arguments_known(q, instruction) && make_operation(q, instruction, enclosures, form))
	{
		settle(form, range, n);
		if (form->rest < affine->rest)
			return;
	}
	make_affine(form, affine, n);
}

const DpsQuadratic *
dps_quadratics_make(DpsQuadratics *quadratics, const DpsEnclosure *enclosures)
{
	uint32_t	i;

	for (i = 0; i <= quadratics->value; i++)
		if (quadratics->needed[i])
			make_instruction(quadratics, enclosures, i);
	return dps_iv_is_empty(quadratics->range[quadratics->value]) ? NULL : &quadratics->form[quadratics->value];
}

DpsStatus
dps_quadratics_init(DpsQuadratics *quadratics, DpsArena *arena, const DpsAffine *affine, uint32_t value)
{
	const DpsProgram *program = affine->program;
	uint32_t	i;
	int			k;

	quadratics->affine = affine;
	quadratics->value = value;
	quadratics->needed = dps_arena_alloc(arena, sizeof(bool) * (value + 1));
	quadratics->range = dps_arena_alloc(arena, sizeof(DpsInterval) * (value + 1));
	quadratics->form = dps_arena_alloc(arena, sizeof(DpsQuadratic) * (value + 1));
	if (quadratics->needed == NULL || quadratics->range == NULL || quadratics->form == NULL)
		return DPS_NOMEM;
	quadratics->needed[value] = true;
	for (i = value + 1; i-- > 0;)
		for (k = 0; quadratics->needed[i] && program->code[i].op != DPS_OP_VAR && k < program->code[i].nargs; k++)
			quadratics->needed[program->code[i].arg[k]] = true;
	return DPS_OK;
}
