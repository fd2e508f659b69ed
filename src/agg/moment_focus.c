/*
 * moment_focus.c
 *		The one sum over rows that a statistic of second moments turns on.
 *
 * Precondition: as in moment.c.  Postcondition: for integer weights w of the moments,
 * `bound` is at least the absolute value of what any row adds to the sum w . moments.
 *
 * The bound.  A row adds Q(x) and the rounding of its products, at most half a unit
 * each, where x_i = z_i / R_i is in [-1, 1] and Q is a polynomial of degree 2:
 *
 *		Q(x) = c + sum a_i x_i + sum_(i <= j) b_ij x_i x_j.
 *
 * For two values and less Q is largest in a corner, at a stationary point of an
 * edge where it is concave there, or at a stationary point inside if it is
 * concave: a maximum elsewhere would be a stationary point along some line on
 * which Q is not concave.  All of these are computed in interval arithmetic; what
 * cannot be ruled out is taken to be there.  -Q likewise.  For more values the
 * bound is the sum of what each moment can add.
 *
 * The weights are the gradient of the statistic by the moments, by differences, at
 * what is known of them so far.  How far that may lead astray is tried out: the
 * outputs are moved by their deviation, the sum being as it was.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agg/moment_focus.h"

/* What a row adds at most has so many bits more than its values: those of the weights. */
#define WEIGHT_BITS 16

/* The rows that are known must be so many standard deviations. */
#define LEAST_COUNT 4.0

/* Differences are taken over so much of the noise. */
#define STEP 0.125

/* ---- the bound ---- */

/* Q of two values or less; of one, those of the other are 0. */
typedef struct Form
{
	DpsInterval constant;
	DpsInterval linear[2];
	DpsInterval square[2];
	DpsInterval cross;
} Form;

static const DpsInterval UNIT = {-1.0, 1.0};

static DpsInterval
negate(DpsInterval x)
{
	return dps_iv(-x.hi, -x.lo);
}

static DpsInterval
whole(int64_t n)
{
	double		x = (double) n;

	/* a double holds 53 bits of it */
	if (fabs(x) <= 0x1p53)
		return dps_iv(x, x);
	return dps_iv(dps_round_down(x), dps_round_up(x));
}

/* The weight of z_i z_j / U in terms of x. */
static DpsInterval
product_weight(const DpsMomentDesign *design, int64_t weight, int i, int j)
{
	DpsInterval product = dps_iv_mul(whole(dps_moment_radius(design, i)), whole(dps_moment_radius(design, j)));

	product.lo = ldexp(product.lo, -design->bits);
	product.hi = ldexp(product.hi, -design->bits);
	return dps_iv_mul(whole(weight), product);
}

static int64_t
weight_of(const DpsMomentFocus *focus, int moment)
{
	return moment < 0 ? 0 : focus->weight[moment];
}

static void
make_form(const DpsMomentDesign *design, const DpsMomentFocus *focus, Form *form)
{
	int			i;

	memset(form, 0, sizeof(*form));
	form->constant = whole(focus->weight[0]);
	for (i = 0; i < design->nvalues; i++)
	{
		form->linear[i] = dps_iv_mul(whole(focus->weight[dps_moment_linear(i)]), whole(dps_moment_radius(design, i)));
		form->square[i] = product_weight(design, weight_of(focus, dps_moment_cross(design, i, i)), i, i);
	}
	if (design->nvalues == 2)
		form->cross = product_weight(design, weight_of(focus, dps_moment_cross(design, 0, 1)), 0, 1);
}

static Form
negative(const Form *form)
{
	Form		result;
	int			i;

	result.constant = negate(form->constant);
	for (i = 0; i < 2; i++)
	{
		result.linear[i] = negate(form->linear[i]);
		result.square[i] = negate(form->square[i]);
	}
	result.cross = negate(form->cross);
	return result;
}

/*
 * The largest of c + a t + b t^2, t in [-1, 1]: at an end, or at t = -a / 2b if b < 0, where
 * it is c - a^2 / 4b.
 */
static double
largest_on_line(DpsInterval c, DpsInterval a, DpsInterval b)
{
	DpsInterval ends = dps_iv_add(dps_iv_add(c, b), dps_iv_mul(a, UNIT));
	DpsInterval vertex;

	if (b.lo >= 0.0)
		return ends.hi;
	/* concave only where b is negative for sure; otherwise each term by itself */
	if (b.hi >= 0.0)
		return dps_iv_add(dps_iv_add(c, dps_iv_mul(a, UNIT)), dps_iv(0.0, b.hi)).hi;
	if (fmin(fabs(a.lo), fabs(a.hi)) > -2.0 * b.lo && a.lo * a.hi > 0.0)
		return ends.hi;
	vertex = dps_iv_sub(c, dps_iv_div(dps_iv_sqr(a), dps_iv_mul(dps_iv(4.0, 4.0), b)));
	return fmax(ends.hi, vertex.hi);
}

/* The edge where x_i = end. */
static double
largest_on_edge(const Form *form, int i, double end)
{
	DpsInterval at = dps_iv(end, end);

	return largest_on_line(dps_iv_add(dps_iv_add(form->constant, form->square[i]), dps_iv_mul(form->linear[i], at)),
						   dps_iv_add(form->linear[1 - i], dps_iv_mul(form->cross, at)), form->square[1 - i]);
}

/* Does the interval reach into [-1, 1]? */
static bool
may_be_inside(DpsInterval x)
{
	return x.lo <= 1.0 && x.hi >= -1.0;
}

/* What the terms add up to at most, each by itself. */
static double
crude_bound(const Form *form)
{
	DpsInterval sum = form->constant;
	int			i;

	for (i = 0; i < 2; i++)
		sum = dps_iv_add(dps_iv_add(sum, dps_iv_mul(form->linear[i], UNIT)), dps_iv_mul(form->square[i], dps_iv(0.0, 1.0)));
	return dps_iv_add(sum, dps_iv_mul(form->cross, UNIT)).hi;
}

/*
 * Inside: -infinity if Q is not concave or the stationary point is not there.  With
 * D = 4 b_11 b_22 - b_12^2 > 0 that is x_1 = (b_12 a_2 - 2 b_22 a_1) / D and so on, and Q = c +
 * (a_1 x_1 + a_2 x_2) / 2.
 */
static double
largest_inside(const Form *form)
{
	const DpsInterval two = {2.0, 2.0};
	DpsInterval determinant = dps_iv_sub(dps_iv_mul(dps_iv(4.0, 4.0), dps_iv_mul(form->square[0], form->square[1])),
										 dps_iv_sqr(form->cross));
	DpsInterval sum = {0.0, 0.0};
	int			i;

	if (form->square[0].lo >= 0.0 || form->square[1].lo >= 0.0 || determinant.hi <= 0.0)
		return -INFINITY;
	if (determinant.lo <= 0.0 || form->square[0].hi >= 0.0 || form->square[1].hi >= 0.0)
		return crude_bound(form);
	for (i = 0; i < 2; i++)
	{
		DpsInterval x = dps_iv_div(dps_iv_sub(dps_iv_mul(form->cross, form->linear[1 - i]),
											  dps_iv_mul(two, dps_iv_mul(form->square[1 - i], form->linear[i]))),
								   determinant);

		if (!may_be_inside(x))
			return -INFINITY;
		sum = dps_iv_add(sum, dps_iv_mul(form->linear[i], x));
	}
	return dps_iv_add(form->constant, dps_iv_div(sum, two)).hi;
}

static double
largest_form(const Form *form)
{
	double		most = largest_inside(form);
	int			i;

	for (i = 0; i < 2; i++)
		most = fmax(most, fmax(largest_on_edge(form, i, -1.0), largest_on_edge(form, i, 1.0)));
	return most;
}

/* The largest absolute value of a moment of one row. */
static double
row_size(const DpsMomentDesign *design, int moment)
{
	int			i;
	int			j;

	if (moment == 0)
		return 1.0;
	if (moment <= design->nvalues)
		return (double) dps_moment_radius(design, moment - 1);
	for (i = 0; i < design->nvalues; i++)
	{
		for (j = i; j < design->nvalues; j++)
		{
			if (dps_moment_cross(design, i, j) == moment)
				return ldexp(dps_mul_up((double) dps_moment_radius(design, i), (double) dps_moment_radius(design, j)),
							 -design->bits) + 1.0;
		}
	}
	return INFINITY;
}

static double
bound_row(const DpsMomentDesign *design, const DpsMomentFocus *focus)
{
	int			n = dps_moment_count(design);
	double		rounding = 0.0;
	double		sum = 0.0;
	Form		form;
	Form		opposite;
	int			k;

	for (k = 0; k < n; k++)
	{
		double		weight = fmax(whole(focus->weight[k]).hi, -whole(focus->weight[k]).lo);

		sum = dps_add_up(sum, dps_mul_up(weight, row_size(design, k)));
		if (k > design->nvalues)
			rounding = dps_add_up(rounding, weight / 2.0);
	}
	if (design->nvalues > 2)
		return sum;
	make_form(design, focus, &form);
	opposite = negative(&form);
	return fmin(sum, dps_add_up(fmax(largest_form(&form), largest_form(&opposite)), rounding));
}

void
dps_moment_focus_complete(const DpsMomentDesign *design, const DpsMomentBasis *basis, DpsMomentFocus *focus)
{
	double		bound = ceil(bound_row(design, focus));
	int			n = dps_moment_count(design);
	int			i;
	int			k;

	focus->bound = bound < 0x1p62 ? (uint64_t) fmax(bound, 1.0) : UINT64_MAX;
	memset(focus->along, 0, sizeof(focus->along));
	for (i = 0; i < n; i++)
	{
		const DpsMomentInverse *inverse = &basis->inverse[i];

		for (k = 0; k < inverse->nterms; k++)
		{
			if (inverse->output[k] < basis->noutputs)
				focus->along[inverse->output[k]] += (double) focus->weight[i] * inverse->weight[k];
		}
	}
}

/* ---- choosing ---- */

static bool
value_at(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
		 const double *output, double *value)
{
	const double nowhere[DPS_MAX_MOMENTS] = {0};
	DpsMomentBox box;
	DpsInterval result;

	dps_moment_box(design, basis, output, nowhere, -1.0, &box);
	box.npicks = question->npicks;
	box.pick = question->pick;
	if (question->evaluate(&box, 0, &result) != DPS_OK)
		return false;
	*value = result.lo / 2.0 + result.hi / 2.0;
	return isfinite(*value);
}

/* By the outputs; false if the statistic does not exist near them. */
static bool
find_gradient(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
			  const double *output, double step, double *gradient)
{
	double		moved[DPS_MAX_MOMENTS];
	double		above;
	double		below;
	int			k;

	memcpy(moved, output, basis->noutputs * sizeof(double));
	for (k = 0; k < basis->noutputs; k++)
	{
		moved[k] = output[k] + step;
		if (!value_at(design, basis, question, moved, &above))
			return false;
		moved[k] = output[k] - step;
		if (!value_at(design, basis, question, moved, &below))
			return false;
		moved[k] = output[k];
		gradient[k] = (above - below) / (2.0 * step);
	}
	return true;
}

static double
length(const double *x, int n)
{
	double		sum = 0.0;
	int			k;

	for (k = 0; k < n; k++)
		sum += x[k] * x[k];
	return sqrt(sum);
}

/* Sets the weights for a gradient by the outputs; by how much they exceed it, or 0 if
 * there is nothing to measure. */
static double
set_weights(const DpsMomentDesign *design, const DpsMomentBasis *basis, const double *gradient, DpsMomentFocus *focus)
{
	double		by_moment[DPS_MAX_MOMENTS] = {0};
	int			n = dps_moment_count(design);
	double		size = 0.0;
	double		scale;
	int			i;
	int			k;

	for (k = 0; k < basis->noutputs; k++)
	{
		for (i = 0; i < basis->output[k].nterms; i++)
			by_moment[basis->output[k].moment[i]] += gradient[k] * (double) basis->output[k].weight[i];
	}
	for (i = 0; i < n; i++)
		size += fabs(by_moment[i]) * row_size(design, i);
	scale = ldexp(1.0, design->bits + WEIGHT_BITS) / size;
	if (!(size > 0.0) || !isfinite(size) || !isfinite(scale))
		return 0.0;
	for (i = 0; i < n; i++)
		focus->weight[i] = (int64_t) rint(by_moment[i] * scale);
	return scale;
}

void
dps_moment_refine(const DpsMomentFocus *focus, int noutputs, double measured, double first, double second,
				  double *output)
{
	double		squares = 0.0;
	double		missing = measured;
	double		gain;
	int			k;

	for (k = 0; k < noutputs; k++)
	{
		squares += focus->along[k] * focus->along[k];
		missing -= focus->along[k] * output[k];
	}
	/* first^2 / (first^2 squares + second^2), without large squares */
	gain = missing / (squares + (second / first) * (second / first));
	for (k = 0; k < noutputs; k++)
		output[k] += gain * focus->along[k];
}

/*
 * The way that output k, of eight at most, is moved in trial i of 16: a design of
 * resolution IV (Box and Hunter 1961), in which the signs of any two outputs, and
 * of any three, agree as often as not, and each trial's opposite is one, too.
 */
static double
way(int i, int k)
{
	static const unsigned mask[8] = {1, 2, 4, 8, 7, 11, 13, 14};

	return __builtin_parity((unsigned) i & mask[k % 8]) == 0 ? 1.0 : -1.0;
}

#define TRIALS 16

/*
 * What is left of an error of the known outputs when the sum is known: all outputs
 * are off by their deviation, one way or the other.  Infinite if the statistic does
 * not exist there.
 */
static double
remaining_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
				const double *output, const DpsMomentFocus *focus, double first, double second)
{
	double		measured = 0.0;
	double		squares = 0.0;
	double		here;
	int			i;
	int			k;

	if (!value_at(design, basis, question, output, &here))
		return INFINITY;
	for (k = 0; k < basis->noutputs; k++)
		measured += focus->along[k] * output[k];
	for (i = 0; i < TRIALS; i++)
	{
		double		moved[DPS_MAX_MOMENTS];
		double		there;

		for (k = 0; k < basis->noutputs; k++)
			moved[k] = output[k] + way(i, k) * first;
		dps_moment_refine(focus, basis->noutputs, measured, first, second, moved);
		if (!value_at(design, basis, question, moved, &there))
			return INFINITY;
		squares += (there - here) * (there - here) / TRIALS;
	}
	return sqrt(squares);
}

/* Are there enough rows for any of it? */
static bool
has_rows(const DpsMomentBasis *basis, const double *output, double first)
{
	const DpsMomentInverse *inverse = &basis->inverse[0];
	double		rows = 0.0;
	int			k;

	for (k = 0; k < inverse->nterms; k++)
		rows += inverse->weight[k] * output[inverse->output[k]];
	return rows > LEAST_COUNT * first * length(inverse->weight, inverse->nterms);
}

bool
dps_moment_focus_choose(const DpsMomentDesign *design, const DpsMomentBasis *basis,
						const DpsMomentQuestion *question, const double *output,
						const DpsMomentNoise *noise, DpsMomentFocus *focus, double *error)
{
	double		gradient[DPS_MAX_MOMENTS];
	double		scale;
	double		sum_noise;
	double		focused;

	*error = INFINITY;
	memset(focus, 0, sizeof(*focus));
	if (!has_rows(basis, output, noise->first) ||
		!find_gradient(design, basis, question, output, STEP * noise->first, gradient))
		return false;
	*error = noise->second * length(gradient, basis->noutputs);
	scale = set_weights(design, basis, gradient, focus);
	if (scale == 0.0)
		return false;
	dps_moment_focus_complete(design, basis, focus);
	sum_noise = noise->second * (double) focus->bound / (double) basis->magnitude;
	focused = hypot(sum_noise / scale, remaining_error(design, basis, question, output, focus, noise->first, sum_noise));
	if (!(focused < *error))
		return false;
	*error = focused;
	return true;
}
