/*
 * moment_focus.c
 *		The sum over rows that a statistic of second moments turns on, and those
 *		that are measured beside it.
 *
 * Precondition: as in moment.c.  Postcondition: for sums with integer weights w_k of the
 * moments, `bound` is at least what any row adds to all of them in the 1-norm,
 * sum_k |w_k . row|.  For one sum that is its norm in any sense.
 *
 * The bound.  For numbers q_k the sum of |q_k| is the largest of |sum s_k q_k| over
 * signs s_k = +-1, of which s_0 = 1 may be taken.  So it is the largest of 2^(K - 1) bounds of
 * one sum each.  To such a sum a row adds Q(x) and the rounding of its products, at most half
 * a unit each, where x_i = z_i / R_i is in [-1, 1] and Q is a polynomial of degree 2:
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
 * The weights of the sum that counts are the gradient of the statistic by the moments,
 * by differences, at what is known of them so far; for those beside it see
 * moment_beside.c.  How far that may lead astray is tried out: the outputs are moved by
 * their deviation, the sums being as they were.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "moment/moment_focus.h"
#include "num/whole.h"

/* Bits of the weights: a row adds at most so many bits more than its values have. */
#define WEIGHT_BITS 15

/* The rows that are known must be so many standard deviations. */
#define LEAST_COUNT 4.0

/* The step of differences, in standard deviations of the noise. */
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
weight_of(const int64_t *weight, int moment)
{
	return moment < 0 ? 0 : weight[moment];
}

static void
make_form(const DpsMomentDesign *design, const int64_t *weight, Form *form)
{
	int			i;

	memset(form, 0, sizeof(*form));
	form->constant = whole(weight[0]);
	for (i = 0; i < design->nvalues; i++)
	{
		form->linear[i] = dps_iv_mul(whole(weight[dps_moment_linear(i)]), whole(dps_moment_radius(design, i)));
		form->square[i] = product_weight(design, weight_of(weight, dps_moment_cross(design, i, i)), i, i);
	}
	if (design->nvalues == 2)
		form->cross = product_weight(design, weight_of(weight, dps_moment_cross(design, 0, 1)), 0, 1);
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

static Form
add(const Form *a, const Form *b)
{
	Form		result;
	int			i;

	result.constant = dps_iv_add(a->constant, b->constant);
	for (i = 0; i < 2; i++)
	{
		result.linear[i] = dps_iv_add(a->linear[i], b->linear[i]);
		result.square[i] = dps_iv_add(a->square[i], b->square[i]);
	}
	result.cross = dps_iv_add(a->cross, b->cross);
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

/* The largest absolute value of the sum of all forms, with these signs from the second on. */
static double
bound_signed(const Form *form, int nsums, unsigned signs)
{
	Form		sum = form[0];
	Form		opposite;
	int			k;

	for (k = 1; k < nsums; k++)
	{
		Form		term = signs >> (k - 1) & 1 ? negative(&form[k]) : form[k];

		sum = add(&sum, &term);
	}
	opposite = negative(&sum);
	return fmax(largest_form(&sum), largest_form(&opposite));
}

static double
bound_row(const DpsMomentDesign *design, const DpsMomentFocus *focus)
{
	int			n = dps_moment_count(design);
	double		rounding = 0.0;
	double		sum = 0.0;
	double		most = 0.0;
	Form		form[DPS_MOMENT_SUMS];
	unsigned	signs;
	int			i;
	int			k;

	for (i = 0; i < focus->nsums; i++)
	{
		for (k = 0; k < n; k++)
		{
			DpsInterval exact = whole(focus->weight[i][k]);
			double		weight = fmax(exact.hi, -exact.lo);

			sum = dps_add_up(sum, dps_mul_up(weight, row_size(design, k)));
			if (k > design->nvalues)
				rounding = dps_add_up(rounding, weight / 2.0);
		}
	}
	if (design->nvalues > 2)
		return sum;
	for (i = 0; i < focus->nsums; i++)
		make_form(design, focus->weight[i], &form[i]);
	for (signs = 0; signs < 1u << (focus->nsums - 1); signs++)
		most = fmax(most, bound_signed(form, focus->nsums, signs));
	return fmin(sum, dps_add_up(most, rounding));
}

void
dps_moment_focus_complete(const DpsMomentDesign *design, const DpsMomentBasis *basis, DpsMomentFocus *focus)
{
	double		bound = ceil(bound_row(design, focus));
	int			n = dps_moment_count(design);
	int			s;
	int			i;
	int			k;

	focus->bound = bound < 0x1p62 ? dps_whole_up(fmax(bound, 1.0)) : DPS_TOO_MANY;
	memset(focus->along, 0, sizeof(focus->along));
	for (s = 0; s < focus->nsums; s++)
	{
		for (i = 0; i < n; i++)
		{
			const DpsMomentInverse *inverse = &basis->inverse[i];

			for (k = 0; k < inverse->nterms; k++)
			{
				if (inverse->output[k] < basis->noutputs)
					focus->along[s][inverse->output[k]] += (double) focus->weight[s][i] * inverse->weight[k];
			}
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
	if (question->evaluate(&box, &result) != DPS_OK)
		return false;
	*value = result.lo / 2.0 + result.hi / 2.0;
	return isfinite(*value);
}

/* The statistic where outputs k and l have been moved. */
static bool
value_beside(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
			 const double *output, int k, int l, double step, double *value)
{
	double		moved[DPS_MAX_MOMENTS];

	memcpy(moved, output, basis->noutputs * sizeof(double));
	moved[k] += step;
	if (l != k)
		moved[l] += step;
	return value_at(design, basis, question, moved, value);
}

/*
 * Gradient and curvature by the outputs, in steps; false if the statistic does not
 * exist near them.  f(k, l) being the mean of the value with both moved up and with both
 * moved down, f_kl = f(k, l) - f(k) - f(l) + f.
 */
static bool
find_shape(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
		   const double *output, double step, DpsMomentShape *shape)
{
	double		mean[DPS_FEW_MOMENTS][DPS_FEW_MOMENTS];
	int			n = basis->noutputs;
	double		here;
	int			k;
	int			l;

	memset(shape, 0, sizeof(*shape));
	shape->n = n;
	if (n > DPS_FEW_MOMENTS || !value_at(design, basis, question, output, &here))
		return false;
	for (k = 0; k < n; k++)
	{
		for (l = 0; l <= k; l++)
		{
			double		above;
			double		below;

			if (!value_beside(design, basis, question, output, k, l, step, &above) ||
				!value_beside(design, basis, question, output, k, l, -step, &below))
				return false;
			mean[k][l] = above / 2.0 + below / 2.0 - here;
			if (l == k)
				shape->gradient[k] = (above - below) / 2.0;
		}
	}
	for (k = 0; k < n; k++)
	{
		shape->curvature[k][k] = 2.0 * mean[k][k];
		for (l = 0; l < k; l++)
			shape->curvature[k][l] = shape->curvature[l][k] = mean[k][l] - mean[k][k] - mean[l][l];
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

/* From steps to deviations; the moments in units of what a row adds. */
static void
scale_shape(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentNoise *noise,
			DpsMomentShape *shape)
{
	int			i;
	int			k;

	for (k = 0; k < shape->n; k++)
	{
		const DpsMomentOutput *output = &basis->output[k];

		shape->gradient[k] /= STEP;
		for (i = 0; i < shape->n; i++)
			shape->curvature[k][i] /= STEP * STEP;
		for (i = 0; i < output->nterms; i++)
			shape->along[k][output->moment[i]] = (double) output->weight[i] * row_size(design, output->moment[i]) / noise->first;
	}
	for (i = 0; i < shape->n; i++)
	{
		const DpsMomentInverse *inverse = &basis->inverse[i];

		for (k = 0; k < inverse->nterms && inverse->output[k] < shape->n; k++)
			shape->across[inverse->output[k]][i] += inverse->weight[k] * noise->first / row_size(design, i);
	}
	shape->noise = noise->second / (double) basis->magnitude;
}

/* Sets the weights of so many forms; by how much they exceed them, or 0 if there is
 * nothing to measure. */
static double
set_weights(const DpsMomentDesign *design, double form[][DPS_FEW_MOMENTS], int nforms, DpsMomentFocus *focus)
{
	int			n = dps_moment_count(design);
	double		size = 0.0;
	double		scale;
	int			i;
	int			k;

	memset(focus, 0, sizeof(*focus));
	focus->nsums = nforms;
	for (k = 0; k < nforms; k++)
	{
		for (i = 0; i < n; i++)
			size += fabs(form[k][i]);
	}
	scale = ldexp(1.0, design->bits + WEIGHT_BITS) / size;
	if (!(size > 0.0) || !isfinite(size) || !isfinite(scale))
		return 0.0;
	for (k = 0; k < nforms; k++)
	{
		for (i = 0; i < n; i++)
			focus->weight[k][i] = dps_to_int64(rint(form[k][i] * scale / row_size(design, i)));
	}
	return scale;
}

/* The solution of a system that is positive definite; both are overwritten. */
static void
solve_small(double matrix[][DPS_MOMENT_SUMS], int n, double *right)
{
	int			i;
	int			j;
	int			k;

	for (k = 0; k < n; k++)
	{
		for (i = k + 1; i < n; i++)
		{
			double		factor = matrix[i][k] / matrix[k][k];

			for (j = k; j < n; j++)
				matrix[i][j] -= factor * matrix[k][j];
			right[i] -= factor * right[k];
		}
	}
	for (k = n - 1; k >= 0; k--)
	{
		for (j = k + 1; j < n; j++)
			right[k] -= matrix[k][j] * right[j];
		right[k] /= matrix[k][k];
	}
}

/*
 * For sums A of the outputs the gain is first^2 A' (first^2 A A' + second^2)^-1, here
 * without large squares.
 */
void
dps_moment_refine(const DpsMomentFocus *focus, int noutputs, const double *measured, double first, double second,
				  double *output)
{
	double		matrix[DPS_MOMENT_SUMS][DPS_MOMENT_SUMS];
	double		missing[DPS_MOMENT_SUMS];
	int			i;
	int			j;
	int			k;

	for (i = 0; i < focus->nsums; i++)
	{
		missing[i] = measured[i];
		for (k = 0; k < noutputs; k++)
			missing[i] -= focus->along[i][k] * output[k];
		for (j = 0; j < focus->nsums; j++)
		{
			matrix[i][j] = i == j ? (second / first) * (second / first) : 0.0;
			for (k = 0; k < noutputs; k++)
				matrix[i][j] += focus->along[i][k] * focus->along[j][k];
		}
	}
	solve_small(matrix, focus->nsums, missing);
	for (i = 0; i < focus->nsums; i++)
	{
		for (k = 0; k < noutputs; k++)
			output[k] += missing[i] * focus->along[i][k];
	}
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
 * What is left of an error of the known outputs when the sums are known: all outputs
 * are off by their deviation, one way or the other.  Infinite if the statistic does
 * not exist there.
 */
static double
remaining_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
				const double *output, const DpsMomentFocus *focus, double first, double second)
{
	double		measured[DPS_MOMENT_SUMS] = {0};
	double		squares = 0.0;
	double		here;
	int			i;
	int			k;

	if (!value_at(design, basis, question, output, &here))
		return INFINITY;
	for (i = 0; i < focus->nsums; i++)
	{
		for (k = 0; k < basis->noutputs; k++)
			measured[i] += focus->along[i][k] * output[k];
	}
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

/* Are there enough rows for any focus? */
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

/* What the statistic errs by with these sums; sets the focus. */
static double
focused_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentQuestion *question,
			  const double *output, const DpsMomentNoise *noise, double form[][DPS_FEW_MOMENTS], int nforms,
			  DpsMomentFocus *focus)
{
	double		scale = set_weights(design, form, nforms, focus);
	double		sum_noise;

	if (scale == 0.0)
		return INFINITY;
	dps_moment_focus_complete(design, basis, focus);
	sum_noise = noise->second * (double) focus->bound / (double) basis->magnitude;
	return hypot(sum_noise / scale, remaining_error(design, basis, question, output, focus, noise->first, sum_noise));
}

bool
dps_moment_focus_choose(const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm,
						const DpsMomentQuestion *question, const double *output,
						const DpsMomentNoise *noise, DpsMomentFocus *focus, double *error)
{
	double		form[DPS_MOMENT_SUMS][DPS_FEW_MOMENTS];
	DpsMomentShape shape;
	double		focused;
	int			nforms;

	*error = INFINITY;
	memset(focus, 0, sizeof(*focus));
	if (!has_rows(basis, output, noise->first) ||
		!find_shape(design, basis, question, output, STEP * noise->first, &shape))
		return false;
	scale_shape(design, basis, noise, &shape);
	*error = noise->second / noise->first * length(shape.gradient, shape.n);
	nforms = dps_moment_beside(design, &shape, norm == 1 ? DPS_MOMENT_SUMS : 1, form);
	if (nforms == 0)
		return false;
	focused = focused_error(design, basis, question, output, noise, form, nforms, focus);
	if (!(focused < *error))
		return false;
	*error = focused;
	return true;
}
