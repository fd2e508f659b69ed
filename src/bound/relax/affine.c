/*
 * affine.c
 *		Affine forms of a program's instructions over a box.
 *
 * An interval forgets that two values move together: in r / (1 - v(r)) the
 * same r is at its least above the line and at its greatest below it.  A form
 * keeps the linear part of every value in the columns; sums and differences of
 * forms cancel (Comba and Stolfi, Affine arithmetic and its applications to
 * computer graphics, 1993).  The nonlinear part goes into one symmetric rest,
 * which shrinks with the square of the box.  Forms and enclosures cut each
 * other.
 *
 * Forms are computed in round to nearest.  Every operation adds to the rest a
 * bound on its rounding errors: each is at most 2^-53 of the result's magnitude
 * or, below the normal range, 2^-1075, and twice their sum also covers the
 * rounding of that sum.  Slopes are by the places e_k, which are never
 * computed.
 *
 * Forms are of the exact values.  Enclosures alone decide which operation is
 * evaluated and whether it is defined.
 */
#include <float.h>
#include <math.h>

#include "bound/relax/affine.h"
#include "bound/relax/function.h"
#include "num/whole.h"

/* More than the relative error of the few operations of a rest. */
#define SLACK (1 + 0x1p-46)
#define TINY 0x1p-1000

/* After so many tries, a product that does not help is tried only now and
 * then. */
#define PRODUCT_TRIES 24
#define PRODUCT_GAIN 6
#define PRODUCT_PAUSE 16

#define TWO_PI dps_iv(6.2831853071795862, 6.2831853071795871)

/* Up to so many turns from 0, a multiple of 2 pi is known to 2^-10. */
#define MOST_TURNS INT64_C(0x4000000000)

/* The number n of slopes, and the sum of the magnitudes that were rounded so
 * far. */
typedef struct Maker
{
	int			n;
	double		rounded;
} Maker;

/* An upper bound of sum |slope| + rest. */
static double
reach(const DpsForm *form, int n)
{
	double		sum = form->rest;
	int			k;

	for (k = 0; k < n; k++)
		sum += fabs(form->slope[k]);
	return sum * SLACK + TINY;
}

/* The form of a value of which only its range is known. */
static void
make_range(DpsForm *form, DpsInterval x, int n)
{
	int			k;

	form->centre = x.lo / 2 + x.hi / 2;
	form->rest = x.lo == x.hi ? 0 : fmax(dps_sub_up(x.hi, form->centre), dps_sub_up(form->centre, x.lo));
	for (k = 0; k < n; k++)
		form->slope[k] = 0;
}

/* form = factor * x + shift, off by `more` */
static void
make_linear(DpsForm *form, const DpsForm *x, double factor, DpsInterval shift, double more, int n)
{
	double		middle = shift.lo / 2 + shift.hi / 2;
	double		half = shift.hi / 2 - shift.lo / 2;
	double		rounded = fabs(middle) + half;
	double		product = factor * x->centre;
	int			k;

	rounded += fabs(product);
	form->centre = product + middle;
	rounded += fabs(form->centre);
	for (k = 0; k < n; k++)
	{
		form->slope[k] = factor * x->slope[k];
		rounded += fabs(form->slope[k]);
	}
	form->rest = (fabs(factor) * x->rest + more + half + rounded * (2 * DBL_EPSILON)) * SLACK + TINY;
}

static void
make_sum(DpsForm *form, const DpsForm *x, const DpsForm *y, double sign, int n)
{
	double		rounded;
	int			k;

	form->centre = x->centre + sign * y->centre;
	rounded = fabs(form->centre);
	for (k = 0; k < n; k++)
	{
		form->slope[k] = x->slope[k] + sign * y->slope[k];
		rounded += fabs(form->slope[k]);
	}
	form->rest = (x->rest + y->rest + rounded * DBL_EPSILON) * SLACK + TINY;
}

/*
 * The product of the linear parts is sum_k x_k y_k e_k^2, of which half is the
 * middle, and the sum of (x_k y_l + x_l y_k) e_k e_l.
 */
static void
make_product(DpsForm *form, const DpsForm *x, const DpsForm *y, int n)
{
	double		more = 0;
	double		squares = 0;
	double		size_x = 0;
	double		size_y = 0;
	double		rounded = fabs(x->centre * y->centre);
	int			k;
	int			l;

	for (k = 0; k < n; k++)
	{
		double		square = x->slope[k] * y->slope[k] / 2;
		double		left = x->centre * y->slope[k];
		double		right = y->centre * x->slope[k];

		squares += square;
		more += fabs(square);
		rounded += fabs(left) + fabs(right);
		form->slope[k] = left + right;
		size_x += fabs(x->slope[k]);
		size_y += fabs(y->slope[k]);
		for (l = 0; l < k; l++)
		{
			double		one = x->slope[k] * y->slope[l];
			double		other = x->slope[l] * y->slope[k];

			more += fabs(one + other);
			rounded += fabs(one) + fabs(other);
		}
	}
	rounded += more;
	form->centre = x->centre * y->centre + squares;
	rounded += fabs(form->centre) + n * more;
	more += x->rest * (fabs(y->centre) + size_y) + y->rest * (fabs(x->centre) + size_x) + x->rest * y->rest;
	form->rest = (more + rounded * (4 * DBL_EPSILON)) * SLACK + TINY;
}

/*
 * Functions of one argument
 */

/* f - slope * x at a point */
static DpsInterval
less_line(DpsInterval f, double x, double slope)
{
	return dps_iv_sub(f, dps_iv_mul(dps_iv_point(slope), dps_iv_point(x)));
}

/*
 * Makes f(x) from the form of x, which has this range; f encloses the values over the
 * range.  The line goes through the middle, with the slope there if the function is
 * convex or concave, else with the middle of all slopes.  A convex function less that
 * line is greatest at the ends, and is above its tangent in the middle.  False if
 * there is no such line.
 */
static bool
make_function(DpsForm *form, const DpsFunction *function, const DpsForm *x, DpsInterval range, DpsInterval f, int n)
{
	double		middle = range.lo / 2 + range.hi / 2;
	double		width = dps_sub_up(range.hi, range.lo);
	int			side = dps_function_bend(function, range, f);
	DpsInterval at_middle;
	DpsInterval slopes;
	DpsInterval rest;
	double		slope;
	double		off;

	if (!(width > 0) || !dps_ops[function->op].smooth)
		return false;
	at_middle = dps_function_value(function, dps_iv_point(middle));
	slopes = side != 0 ? dps_function_slope(function, dps_iv_point(middle), at_middle) : dps_function_slope(function, range, f);
	if (dps_iv_is_empty(slopes) || !dps_iv_is_finite(slopes))
		return false;
	slope = slopes.lo / 2 + slopes.hi / 2;
	/* how far the tangents can be from the line, toward either end */
	off = dps_mul_up(fmax(dps_sub_up(slopes.hi, slope), dps_sub_up(slope, slopes.lo)),
					 fmax(dps_sub_up(range.hi, middle), dps_sub_up(middle, range.lo)));
	rest = less_line(at_middle, middle, slope);
	rest = dps_iv(dps_sub_down(rest.lo, off), dps_add_up(rest.hi, off));
	if (side != 0)
	{
		DpsInterval ends = dps_iv_hull(less_line(dps_function_value(function, dps_iv_point(range.lo)), range.lo, slope),
									   less_line(dps_function_value(function, dps_iv_point(range.hi)), range.hi, slope));

		rest = side > 0 ? dps_iv(rest.lo, ends.hi) : dps_iv(ends.lo, rest.hi);
	}
	if (!(rest.lo <= rest.hi) || !dps_iv_is_finite(rest))
		return false;
	make_linear(form, x, slope, rest, 0, n);
	return true;
}

/*
 * Programs
 */

bool
dps_cut_by_form(double centre, double reach, double rest, DpsInterval *range)
{
	DpsInterval own;

	if (!isfinite(centre) || !isfinite(reach))
		return false;
	own = dps_iv_intersect(*range, dps_iv(dps_sub_down(centre, reach), dps_add_up(centre, reach)));
	/* range and form both hold the value, if there is one */
	if (!dps_iv_is_empty(own))
		*range = own;
	return rest < range->hi / 2 - range->lo / 2;
}

/* A form and its range. */
typedef struct Known
{
	DpsForm		form;
	DpsInterval range;
} Known;

/* Cuts form and range by each other; the form becomes that of the range if its
 * own rest is no narrower. */
static void
settle(DpsForm *form, DpsInterval *range, int n)
{
	if (!dps_cut_by_form(form->centre, reach(form, n), form->rest, range))
		make_range(form, *range, n);
}

/* Applies a function of one argument to a form and its range. */
static void
apply_function(Known *result, DpsFunction function, const Known *x, int n)
{
	result->range = dps_function_value(&function, x->range);
	if (make_function(&result->form, &function, &x->form, x->range, result->range, n))
		settle(&result->form, &result->range, n);
	else
		make_range(&result->form, result->range, n);
}

static void
make_quotient(DpsForm *form, const DpsForm *x, const DpsForm *y, DpsInterval y_range, int n)
{
	Known		divisor = {*y, y_range};
	Known		inverse;

	apply_function(&inverse, dps_inverse_function(), &divisor, n);
	make_product(form, x, &inverse.form, n);
}

/* x ^ y = exp(y ln x) for x > 0 */
static void
make_power(DpsForm *form, const DpsForm *x, DpsInterval x_range, const DpsForm *y, DpsInterval y_range, int n)
{
	Known		base = {*x, x_range};
	Known		logarithm;
	Known		product;
	Known		power;

	apply_function(&logarithm, dps_function(DPS_OP_LN), &base, n);
	make_product(&product.form, y, &logarithm.form, n);
	product.range = dps_iv_mul(y_range, logarithm.range);
	settle(&product.form, &product.range, n);
	apply_function(&power, dps_function(DPS_OP_EXP), &product, n);
	*form = power.form;
}

int
dps_chosen_argument(const DpsInstruction *instruction, const DpsEnclosure *e)
{
	const DpsEnclosure *x = &e[instruction->arg[0]];
	const DpsEnclosure *y = &e[instruction->arg[1]];
	bool		greater;

	if (instruction->op == DPS_OP_CASE)
	{
		if (x->nullness != DPS_NEVER_NULL || !dps_iv_is_point(x->value))
			return -1;
		return x->value.lo == 1 ? 1 : 2;
	}
	if (x->nullness != DPS_NEVER_NULL || y->nullness != DPS_NEVER_NULL)
		return -1;
	if (x->value.lo >= y->value.hi)
		greater = true;
	else if (y->value.lo >= x->value.hi)
		greater = false;
	else
		return -1;
	return greater == (instruction->op == DPS_OP_GREATEST) ? 0 : 1;
}

/* Is the value a constant, up to rounding? */
static bool
is_number(const DpsAffine *affine, uint32_t i)
{
	return affine->program->code[i].op == DPS_OP_CONST || dps_iv_is_point(affine->range[i]);
}

/* Makes the form of an operation; false if its range is all that is known. */
static bool
make_operation(DpsAffine *affine, const DpsInstruction *instruction, const DpsEnclosure *e, DpsForm *form,
			   DpsInterval f)
{
	const DpsForm *x = &affine->form[instruction->arg[0]];
	const DpsForm *y = &affine->form[instruction->arg[instruction->nargs - 1]];
	DpsInterval x_range = affine->range[instruction->arg[0]];
	DpsInterval y_range = affine->range[instruction->arg[instruction->nargs - 1]];
	int			n = affine->n;
	DpsFunction function;
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
			make_linear(form, x, -1, dps_iv_point(0), 0, n);
			return true;
		case DPS_OP_CAST:
			*form = *x;
			return true;
		case DPS_OP_MUL:
		case DPS_OP_SQR:
			make_product(form, x, y, n);
			return true;
		case DPS_OP_DIV:
			if (dps_iv_contains(y_range, 0))
				return false;
			make_quotient(form, x, y, y_range, n);
			return true;
		case DPS_OP_ABS:
			if (x_range.lo < 0 && x_range.hi > 0)
				return false;
			make_linear(form, x, x_range.lo >= 0 ? 1 : -1, dps_iv_point(0), 0, n);
			return true;
		case DPS_OP_POW:
			function = dps_power_function(y_range);
			if (is_number(affine, instruction->arg[1]))
				return make_function(form, &function, x, x_range, f, n);
			if (!(x_range.lo > 0))
				return false;
			make_power(form, x, x_range, y, y_range, n);
			return true;
		case DPS_OP_CASE:
		case DPS_OP_GREATEST:
		case DPS_OP_LEAST:
			chosen = dps_chosen_argument(instruction, e);
			if (chosen < 0)
				return false;
			*form = affine->form[instruction->arg[chosen]];
			return true;
		default:
			function = dps_function(instruction->op);
			return instruction->nargs == 1 && make_function(form, &function, x, x_range, f, n);
	}
}

static bool
is_known(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL && !dps_iv_is_empty(e->value) &&
		dps_iv_is_finite(e->value);
}

/* The values over the arguments' tightened ranges. */
static DpsInterval
tightened(const DpsAffine *affine, const DpsInstruction *instruction, const DpsEnclosure *e)
{
	const DpsOp *op = &dps_ops[instruction->op];
	DpsInterval x = affine->range[instruction->arg[0]];
	DpsInterval y = affine->range[instruction->arg[instruction->nargs - 1]];
	DpsInterval value;

	if (instruction->op == DPS_OP_CASE || (op->flags & (DPS_LOGICAL | DPS_NULL_IF_ALL | DPS_NULL_NEVER)))
		return e->value;
	value = dps_iv_intersect(e->value, op->enclosure(x, y, DPS_NEVER_NULL, DPS_NEVER_NULL));
	return dps_iv_is_empty(value) ? e->value : value;
}

bool
dps_has_form(const DpsInstruction *instruction)
{
	return instruction->type != DPS_FLOAT4 && instruction->type != DPS_BOOL;
}

static bool
arguments_known(const DpsAffine *affine, const DpsInstruction *instruction)
{
	int			k;

	for (k = 0; k < instruction->nargs; k++)
		if (dps_iv_is_empty(affine->range[instruction->arg[k]]))
			return false;
	return true;
}

static void
make_variable(DpsForm *form, const DpsDomain *domain, int dimension, int n)
{
	make_range(form, dps_iv(domain->lo, domain->hi), n);
	if (dimension < 0)
		return;
	form->slope[dimension] = form->rest;
	form->rest = 0;
}

/*
 * Compounds
 */

/* Makes the form of a compound, once for each box. */
static void
make_compound(DpsAffine *affine, uint32_t i, bool *made)
{
	DpsCompound *c = &affine->compounds.compound[i];
	DpsInterval *range = &affine->compound_range[i];
	DpsInterval argument = affine->range[c->argument];
	DpsInterval rest;
	double		slope;

	if (made[i])
		return;
	made[i] = true;
	*range = DPS_EMPTY;
	if (dps_iv_is_empty(argument) ||
		!dps_compound_line(affine->compounds.arena, c, argument, &slope, &rest, range))
	{
		*range = DPS_EMPTY;
		return;
	}
	make_linear(&affine->compound_form[i], &affine->form[c->argument], slope, rest, 0, affine->n);
	settle(&affine->compound_form[i], range, affine->n);
}

/* The form and range of a product's factor; false if they are not known. */
static bool
make_factor(DpsAffine *affine, const DpsFactor *factor, Known *known, bool *made)
{
	Known		divisor;

	if (factor->compound)
		make_compound(affine, factor->index, made);
	known->range = factor->compound ? affine->compound_range[factor->index] : affine->range[factor->index];
	if (dps_iv_is_empty(known->range))
		return false;
	known->form = factor->compound ? affine->compound_form[factor->index] : affine->form[factor->index];
	if (!factor->inverse)
		return true;
	if (dps_iv_contains(known->range, 0))
		return false;
	divisor = *known;
	apply_function(known, dps_inverse_function(), &divisor, affine->n);
	return true;
}

/* Cuts the form and range of an instruction by those of its product. */
static void
apply_product(DpsAffine *affine, const DpsProduct *product, bool *made)
{
	DpsForm    *form = &affine->form[product->instruction];
	DpsInterval *range = &affine->range[product->instruction];
	Known		result;
	Known		factor;
	int			k;

	uint16_t   *tried = &affine->tried[product - affine->compounds.product];
	uint16_t   *helped = &affine->helped[product - affine->compounds.product];
	double		before = form->rest;

	if (dps_iv_is_empty(*range) || dps_iv_is_point(*range))
		return;
	*tried = *tried == UINT16_MAX ? PRODUCT_TRIES : *tried + 1;
	if (*tried > PRODUCT_TRIES && *helped < PRODUCT_TRIES / PRODUCT_GAIN && *tried % PRODUCT_PAUSE != 0)
		return;
	if (!make_factor(affine, &product->factor[0], &result, made))
		return;
	for (k = 1; k < product->n; k++)
	{
		Known		left = result;

		if (!make_factor(affine, &product->factor[k], &factor, made))
			return;
		make_product(&result.form, &left.form, &factor.form, affine->n);
		result.range = dps_iv_mul(left.range, factor.range);
		settle(&result.form, &result.range, affine->n);
	}
	result.range = dps_iv_intersect(*range, result.range);
	if (dps_iv_is_empty(result.range))
		return;
	*range = result.range;
	if (result.form.rest < form->rest)
		*form = result.form;
	settle(form, range, affine->n);
	if (form->rest < before / 2 && *helped < PRODUCT_TRIES)
		(*helped)++;
}

/*
 * Slabs
 */

/*
 * Is the range longer than a period, or so far from 0 that multiples of 2 pi are
 * not known well enough?
 */
static bool
takes_all_phases(DpsInterval x)
{
	double		most = (double) MOST_TURNS * TWO_PI.lo;

	return !(x.lo > -most && x.hi < most && x.hi - x.lo < TWO_PI.hi);
}

/*
 * Intersects the natural range, which does not take all phases, with the slab moved
 * by multiples of 2 pi.  Turns are counted in integers: adding 1 to a double of
 * 2^53 or more may not change it.
 */
static DpsInterval
cut_by_period(DpsInterval natural, DpsInterval within)
{
	DpsInterval left = DPS_EMPTY;
	int64_t		first = dps_to_int64(floor((natural.lo - within.hi) / TWO_PI.lo)) - 1;
	int64_t		last = dps_to_int64(ceil((natural.hi - within.lo) / TWO_PI.lo)) + 1;
	int64_t		m;

	for (m = first; m <= last; m++)
	{
		DpsInterval shifted = dps_iv_add(within, dps_iv_mul(dps_iv_point((double) m), TWO_PI));

		left = dps_iv_hull(left, dps_iv_intersect(natural, shifted));
	}
	return left;
}

static void
apply_slab(DpsAffine *affine, DpsSlab *slab)
{
	DpsInterval *range = &affine->range[slab->instruction];
	DpsInterval left;

	slab->natural = *range;
	slab->wide = false;
	if (dps_iv_is_empty(*range))
		return;
	if (slab->periodic)
	{
		slab->wide = takes_all_phases(*range);
		if (slab->wide)
			return;
		left = cut_by_period(*range, slab->within);
	}
	else
		left = dps_iv_intersect(*range, slab->within);
	affine->impossible = affine->impossible || dps_iv_is_empty(left);
	if (dps_iv_is_empty(left))
		return;
	*range = left;
	settle(&affine->form[slab->instruction], range, affine->n);
}

/* Cuts a sine or cosine by its argument's slab, if the argument takes all
 * phases. */
static void
apply_phase(DpsAffine *affine, uint32_t i)
{
	const DpsInstruction *instruction = &affine->program->code[i];
	int			at = affine->slab_of[instruction->arg[0]] - 1;
	DpsInterval phase;

	if (at < 0 || !affine->slab[at].wide)
		return;
	phase = affine->slab[at].within;
	phase = dps_iv_intersect(affine->range[i], instruction->op == DPS_OP_SIN ? dps_iv_sin(phase) : dps_iv_cos(phase));
	if (dps_iv_is_empty(phase))
		return;
	affine->range[i] = phase;
	make_range(&affine->form[i], phase, affine->n);
}

bool
dps_affine_add_slab(DpsAffine *affine, uint32_t instruction, bool periodic)
{
	if (affine->nslabs == DPS_MAX_SLABS || affine->slab_of[instruction] != 0)
		return false;
	affine->slab[affine->nslabs++] = (DpsSlab) {.instruction = instruction, .periodic = periodic,
	.within = periodic ? dps_iv(0, TWO_PI.hi) : DPS_ENTIRE};
	affine->slab_of[instruction] = affine->nslabs;
	return true;
}

static void
make_instruction(DpsAffine *affine, const DpsDomain *box, const DpsEnclosure *enclosures, uint32_t i)
{
	const DpsInstruction *instruction = &affine->program->code[i];
	const DpsEnclosure *e = &enclosures[i];
	DpsForm    *form = &affine->form[i];
	DpsInterval *range = &affine->range[i];
	int			n = affine->n;

	*range = is_known(e) ? e->value : DPS_EMPTY;
	if (dps_iv_is_empty(*range))
		return;
	if (instruction->op == DPS_OP_VAR)
		make_variable(form, &box[instruction->arg[0]], affine->dimension[instruction->arg[0]], n);
	else if (instruction->op == DPS_OP_CONST || dps_iv_is_point(*range))
		make_range(form, *range, n);
	else if (instruction->op == DPS_OP_CASE || !dps_has_form(instruction))
	{
		int			chosen = instruction->op == DPS_OP_CASE ? dps_chosen_argument(instruction, enclosures) : -1;

		if (chosen >= 0 && !dps_iv_is_empty(affine->range[instruction->arg[chosen]]))
		{
			*form = affine->form[instruction->arg[chosen]];
			*range = affine->range[instruction->arg[chosen]];
		}
		else
			make_range(form, *range, n);
	}
	else if (!arguments_known(affine, instruction))
		make_range(form, *range, n);
	else
	{
		*range = tightened(affine, instruction, e);
		if (make_operation(affine, instruction, enclosures, form, *range))
			settle(form, range, n);
		else
			make_range(form, *range, n);
	}
}

void
dps_affine_enclose(DpsAffine *affine, const DpsDomain *box, const DpsEnclosure *enclosures)
{
	bool		made[DPS_MAX_COMPOUNDS] = {false};
	int			next = 0;
	uint32_t	i;
	int			k;

	affine->impossible = false;
	/* no compound keeps its range over another box if its product is not
	 * tried */
	for (k = 0; k < affine->compounds.n; k++)
		affine->compound_range[k] = DPS_EMPTY;
	for (i = 0; i < affine->program->ninstructions; i++)
	{
		make_instruction(affine, box, enclosures, i);
		if (affine->slab_of[i] != 0)
			apply_slab(affine, &affine->slab[affine->slab_of[i] - 1]);
		if (affine->nslabs > 0 && !dps_iv_is_empty(affine->range[i]) &&
			(affine->program->code[i].op == DPS_OP_SIN || affine->program->code[i].op == DPS_OP_COS))
			apply_phase(affine, i);
		if (next < affine->compounds.nproducts && affine->compounds.product[next].instruction == i)
			apply_product(affine, &affine->compounds.product[next++], made);
	}
}

DpsStatus
dps_affine_init(DpsAffine *affine, DpsGraph *graph, DpsArena *arena, const DpsProgram *program,
				const DpsNode *const *nodes, int n, const int *variable)
{
	int			k;

	affine->program = program;
	affine->n = n;
	affine->nslabs = 0;
	for (k = 0; k <= DPS_MAX_VARIABLES; k++)
		affine->dimension[k] = -1;
	for (k = 0; k < n; k++)
		affine->dimension[variable[k]] = k;
	DPS_TRY(dps_compounds_init(&affine->compounds, graph, arena, program, nodes));
	affine->tried = dps_arena_alloc(arena, sizeof(uint16_t) * (affine->compounds.nproducts + 1));
	affine->helped = dps_arena_alloc(arena, sizeof(uint16_t) * (affine->compounds.nproducts + 1));
	affine->slab_of = dps_arena_alloc(arena, program->ninstructions);
	if (affine->tried == NULL || affine->helped == NULL || affine->slab_of == NULL)
		return DPS_NOMEM;
	affine->compound_form = dps_arena_alloc(arena, sizeof(DpsForm) * (affine->compounds.n + 1));
	affine->compound_range = dps_arena_alloc(arena, sizeof(DpsInterval) * (affine->compounds.n + 1));
	affine->form = dps_arena_alloc(arena, sizeof(DpsForm) * program->ninstructions);
	affine->range = dps_arena_alloc(arena, sizeof(DpsInterval) * program->ninstructions);
	return affine->compound_form == NULL || affine->compound_range == NULL || affine->form == NULL || affine->range == NULL ? DPS_NOMEM : DPS_OK;
}
