/*
 * moment.c
 *		Second moments of several values: which integers are noised, and how
 *		far one row moves them.
 *
 * Precondition: |z_i| <= R_i, and p_ij is z_i z_j / U rounded to the nearest, U =
 * 2^bits.  Below, x = z / R is a value scaled to [-1, 1], m its mean over the rows
 * and v their variance.
 * Postcondition: `magnitude` bounds the norm of the outputs of any row, with 1 for
 * n, `distance` that of the difference of any two; the inverse of the basis
 * yields the moments from the outputs.
 *
 * Why not the moments themselves.  The moments (1, x, x^2) of one row add up to 3
 * in the 1-norm, but the row gives away less than that: other forms that span
 * the same space are shorter.  Let a statistic have the influence function phi, a
 * quadratic in x; to first order it errs by Z.w / n, where the weights w make phi
 * of the outputs and Z is their noise.  Since |phi(x)| <= |w| |outputs(x)| for
 * dual norms, no basis can do better than sup |phi| times the noise of
 * sensitivity 1 (that is what asking for this one phi alone would cost, if m and
 * v were known).  For the variance phi = (x - m)^2 - v, and the least favourable
 * rows are those at one end of the range: m = 1, v = 0, sup |phi| = 4.
 *
 * Norm 2, n private, one value: (1, x, 2 x^2 - 5/4).  Squared length 1 + x^2 + (2
 * x^2 - 5/4)^2 = 41/16 + 4 x^4 - 4 x^2 <= 41/16, attained at -1, 0 and 1.  The
 * variance errs by sqrt(41/16 (1/4 + 4 m^2 + (5/8 + m^2 - v)^2)) sigma / n.  At m =
 * 1, v = 0 that is 4.20, of the least possible 4; at m = 0.3, v = 0.05 1.641, of
 * 1.640; at m = 0, v = 0.05 1.22, of 0.95.  (sqrt(7)/4, x / sqrt(2), x^2 - 3/4) would
 * be exactly optimal at m = 1, at the expense of the middle.
 *
 * Norm 2 in general: (a, b x_i, c (x_i^2 - h), e x_i x_j).  The square of its length
 * is convex in each x_i^2, all others fixed, so it is largest where all of them
 * are 0 or 1.  With D = c^2 h^2, E = c^2 (1 - h)^2 + b^2 and F = e^2, and S the set of
 * those that are 1, it is
 *		a^2 + sum_(i not in S) D_i + sum_(i in S) (E_i + 1/2 sum_(j in S, j != i) F_ij)
 *	  <= a^2 + sum_i max(D_i, E_i + 1/2 sum_(j != i) F_ij).
 * h = (4 + d) / 8 makes both equal for b = 1, c = 2, e^2 = 2 and d values, as long as
 * that is at most 1.  Two rows are at most twice the length without a apart, and
 * at most the length of the vector of the ranges.
 *
 * Norm 1, n private: forms that are nowhere negative and add up to the same number
 * everywhere; the 1-norm of a row's outputs is that number.
 *	 One value: (1 + 2 x)^2, (1 - 2 x)^2, 8 (1 - x^2); sum 10.
 *	 The product of two: (1 + s x) (1 + t y), s and t = +-1; sum 4.
 *	 All moments of two: (1 + 3/2 (s x + t y))^2 and 9 (1 - x^2), 9 (1 - y^2); sum 22.
 * For one value, ((1 + x)^2, (1 - x)^2, 2 (1 - x^2)), the Bernstein polynomials, attain
 * the optimum 4 at m = 1 and err by 1.70 at m = 0, v = 0.05; those with 2 x err by 4.59
 * and 1.38.  In the same way (1 + s x) (1 + t y) is optimal in the corners.
 *
 * Norm 1 elsewhere: 2 x_i^2 + x_i - h and 2 x_i^2 - x_i - h, and the products; in pairs,
 * |u + v| + |u - v| = 2 max(|u|, |v|).  With n public, h = 0, two rows differ by at
 * most 4 in a pair.
 *
 * In integers.  U takes the place of 1, R_i that of x_i = 1, and weights are
 * rounded; whatever they are, magnitude and distance are computed from them.
 * - A form that is to be nowhere negative has a weight for n that exceeds the
 *	 form's by what rounding can take away: half of each other moment, and half a
 *	 weight for each product.  The other weights cancel in the sum of all forms.
 * - The rounding of products moves the outputs by at most half the sum of their
 *	 weights.
 */
#include <math.h>
#include <string.h>

#include "moment/grid.h"
#include "moment/moment.h"

/* Weights are in units of 2^-8 for magnitudes of U. */
#define WEIGHT 256.0

/* ---- sizes ---- */

static int64_t
unit(const DpsMomentDesign *design)
{
	return INT64_C(1) << design->bits;
}

/*
 * R, for all that is derived here.  A grid that is coarse for the range would
 * make weights large without need; a larger radius is always true.
 */
int64_t
dps_moment_radius(const DpsMomentDesign *design, int i)
{
	int64_t		least = unit(design) >> 4;

	return design->value[i].radius > least ? design->value[i].radius : least;
}

/* The largest |p_ij|. */
static int64_t
product_radius(const DpsMomentDesign *design, int i, int j)
{
	__int128	product = (__int128) dps_moment_radius(design, i) * dps_moment_radius(design, j);

	return (int64_t) ((product + unit(design) - 1) >> design->bits);
}

/* What makes 1 of a value at the end of its range. */
static double
normaliser(const DpsMomentDesign *design, int i)
{
	return (double) unit(design) / (double) dps_moment_radius(design, i);
}

static int64_t
rounded(double weight)
{
	return dps_to_int64(rint(weight));
}

static unsigned __int128
square(int64_t n)
{
	uint64_t	magnitude = (uint64_t) (n < 0 ? -n : n);

	return (unsigned __int128) magnitude * magnitude;
}

/* ---- building ---- */

static DpsMomentOutput *
add_output(DpsMomentBasis *basis)
{
	return &basis->output[basis->noutputs++];
}

static void
add_term(DpsMomentOutput *output, int moment, int64_t weight)
{
	output->moment[output->nterms] = moment;
	output->weight[output->nterms++] = weight;
}

static void
add_inverse(DpsMomentBasis *basis, int moment, int output, double weight)
{
	DpsMomentInverse *inverse = &basis->inverse[moment];

	inverse->output[inverse->nterms] = output;
	inverse->weight[inverse->nterms++] = weight;
}

/* An output that is one moment times a weight, and nothing else. */
static void
add_single(DpsMomentBasis *basis, int moment, int64_t weight)
{
	add_inverse(basis, moment, basis->noutputs, 1.0 / (double) weight);
	add_term(add_output(basis), moment, weight);
}

/* The weight of n that keeps a form from being negative. */
static int64_t
safe_weight(double weight, int64_t rounding)
{
	return rounded(weight) + 1 + rounding;
}

/* How far rounding a weight, and the product itself, moves a form. */
static int64_t
linear_rounding(const DpsMomentDesign *design, int i)
{
	return dps_moment_radius(design, i) / 2 + 1;
}

static int64_t
product_rounding(const DpsMomentDesign *design, int i, int j, int64_t weight)
{
	return product_radius(design, i, j) / 2 + weight / 2 + 2;
}

/* (1 + 2 x)^2, (1 - 2 x)^2, 8 (1 - x^2) */
static void
build_square_partition(const DpsMomentDesign *design, DpsMomentBasis *basis)
{
	double		one = WEIGHT / 4.0;
	double		scale = normaliser(design, 0);
	int64_t		linear = rounded(4.0 * one * scale);
	int64_t		product = rounded(4.0 * one * scale * scale);
	int64_t		count = safe_weight(one * (double) unit(design),
									linear_rounding(design, 0) + product_rounding(design, 0, 0, product));
	int64_t		rest = 2 * product * product_radius(design, 0, 0);
	double		sum = 2.0 * (double) count + (double) rest;
	int			square_moment = dps_moment_cross(design, 0, 0);
	int			s;

	for (s = 0; s < 3; s++)
	{
		DpsMomentOutput *output = add_output(basis);

		add_term(output, 0, s < 2 ? count : rest);
		add_term(output, square_moment, s < 2 ? product : -2 * product);
		if (s < 2)
			add_term(output, 1, s == 0 ? linear : -linear);
		add_inverse(basis, 0, s, 1.0 / sum);
		add_inverse(basis, square_moment, s,
					((double) rest / sum - (s < 2 ? 0.0 : 1.0)) / (2.0 * (double) product));
		if (s < 2)
			add_inverse(basis, 1, s, (s == 0 ? 0.5 : -0.5) / (double) linear);
	}
	basis->magnitude = (uint64_t) (2 * count + rest);
	basis->distance = 2 * basis->magnitude;
}

static int
sign(int choice)
{
	return choice == 0 ? 1 : -1;
}

/* (1 + s x) (1 + t y) */
static void
build_cross_partition(const DpsMomentDesign *design, DpsMomentBasis *basis)
{
	double		scale[2] = {normaliser(design, 0), normaliser(design, 1)};
	int64_t		linear[2] = {rounded(WEIGHT * scale[0]), rounded(WEIGHT * scale[1])};
	int64_t		product = rounded(WEIGHT * scale[0] * scale[1]);
	int64_t		count = safe_weight(WEIGHT * (double) unit(design),
									linear_rounding(design, 0) + linear_rounding(design, 1) +
									product_rounding(design, 0, 1, product));
	int			k;

	for (k = 0; k < 4; k++)
	{
		DpsMomentOutput *output = add_output(basis);
		int			s = sign(k & 1);
		int			t = sign(k & 2);

		add_term(output, 0, count);
		add_term(output, 1, s * linear[0]);
		add_term(output, 2, t * linear[1]);
		add_term(output, 3, s * t * product);
		add_inverse(basis, 0, k, 0.25 / (double) count);
		add_inverse(basis, 1, k, 0.25 * s / (double) linear[0]);
		add_inverse(basis, 2, k, 0.25 * t / (double) linear[1]);
		add_inverse(basis, 3, k, 0.25 * s * t / (double) product);
	}
	basis->magnitude = (uint64_t) (4 * count);
	basis->distance = 2 * basis->magnitude;
}

/* (1 + 3/2 (s x + t y))^2 = 1 + 3 (s x + t y) + 9/4 (x^2 + y^2) + 9/2 s t x y */
static void
build_pair_partition(const DpsMomentDesign *design, DpsMomentBasis *basis)
{
	double		one = WEIGHT / 4.0;
	double		scale[2] = {normaliser(design, 0), normaliser(design, 1)};
	int64_t		linear[2] = {rounded(3.0 * one * scale[0]), rounded(3.0 * one * scale[1])};
	int64_t		squares[2] = {rounded(2.25 * one * scale[0] * scale[0]), rounded(2.25 * one * scale[1] * scale[1])};
	int64_t		cross = rounded(4.5 * one * scale[0] * scale[1]);
	int64_t		rest[2] = {4 * squares[0] * product_radius(design, 0, 0), 4 * squares[1] * product_radius(design, 1, 1)};
	int64_t		count = safe_weight(one * (double) unit(design),
									linear_rounding(design, 0) + linear_rounding(design, 1) +
									product_rounding(design, 0, 0, squares[0]) +
									product_rounding(design, 1, 1, squares[1]) +
									product_rounding(design, 0, 1, cross));
	double		sum = 4.0 * (double) count + (double) rest[0] + (double) rest[1];
	int			square_moment[2] = {dps_moment_cross(design, 0, 0), dps_moment_cross(design, 1, 1)};
	int			cross_moment = dps_moment_cross(design, 0, 1);
	int			k;
	int			i;

	for (k = 0; k < 4; k++)
	{
		DpsMomentOutput *output = add_output(basis);
		int			s = sign(k & 1);
		int			t = sign(k & 2);

		add_term(output, 0, count);
		add_term(output, 1, s * linear[0]);
		add_term(output, 2, t * linear[1]);
		add_term(output, square_moment[0], squares[0]);
		add_term(output, square_moment[1], squares[1]);
		add_term(output, cross_moment, s * t * cross);
		add_inverse(basis, 1, k, 0.25 * s / (double) linear[0]);
		add_inverse(basis, 2, k, 0.25 * t / (double) linear[1]);
		add_inverse(basis, cross_moment, k, 0.25 * s * t / (double) cross);
	}
	for (i = 0; i < 2; i++)
	{
		DpsMomentOutput *output = add_output(basis);

		add_term(output, 0, rest[i]);
		add_term(output, square_moment[i], -4 * squares[i]);
	}
	/* n is the sum of all; p_ii = (rest n - output) / (4 weight) */
	for (k = 0; k < 6; k++)
	{
		add_inverse(basis, 0, k, 1.0 / sum);
		for (i = 0; i < 2; i++)
			add_inverse(basis, square_moment[i], k,
						((double) rest[i] / sum - (k == 4 + i ? 1.0 : 0.0)) / (4.0 * (double) squares[i]));
	}
	basis->magnitude = (uint64_t) (4 * count + rest[0] + rest[1]);
	basis->distance = 2 * basis->magnitude;
}

/* 2 x^2 + x - h and 2 x^2 - x - h of every value, the products, n */
static void
add_difference(const DpsMomentDesign *design, DpsMomentBasis *basis, int i)
{
	double		scale = normaliser(design, i);
	int64_t		linear = rounded(WEIGHT * scale);
	int64_t		product = rounded(2.0 * WEIGHT * scale * scale);
	int64_t		largest = product * product_radius(design, i, i);
	int64_t		middle = design->count_is_public ? 0 : largest / 2;
	int64_t		end = linear * dps_moment_radius(design, i);
	int			square_moment = dps_moment_cross(design, i, i);
	int			s;

	for (s = 0; s < 2; s++)
	{
		int			k = basis->noutputs;
		DpsMomentOutput *output = add_output(basis);

		if (middle != 0)
			add_term(output, 0, -middle);
		add_term(output, square_moment, product);
		add_term(output, dps_moment_linear(i), sign(s) * linear);
		add_inverse(basis, dps_moment_linear(i), k, 0.5 * sign(s) / (double) linear);
		add_inverse(basis, square_moment, k, 0.5 / (double) product);
	}
	basis->npairs++;
	basis->magnitude += (uint64_t) (2 * (largest - middle > end ? largest - middle : end));
	basis->distance += (uint64_t) (2 * (largest > 2 * end ? largest : 2 * end));
}

static void
build_differences(const DpsMomentDesign *design, DpsMomentBasis *basis)
{
	int			d = design->nvalues;
	int			count = -1;
	int			i;
	int			j;

	for (i = 0; i < d; i++)
	{
		int64_t		linear = rounded(WEIGHT * normaliser(design, i));
		uint64_t	end = (uint64_t) (linear * dps_moment_radius(design, i));

		if (design->kind & DPS_MOMENT_SQUARES)
		{
			add_difference(design, basis, i);
			continue;
		}
		add_single(basis, dps_moment_linear(i), linear);
		basis->magnitude += end;
		basis->distance += 2 * end;
	}
	for (i = 0; i < d && (design->kind & DPS_MOMENT_CROSS); i++)
	{
		for (j = i + 1; j < d; j++)
		{
			int64_t		weight = rounded(WEIGHT * normaliser(design, i) * normaliser(design, j));
			uint64_t	end = (uint64_t) (weight * product_radius(design, i, j));

			add_single(basis, dps_moment_cross(design, i, j), weight);
			basis->magnitude += end;
			basis->distance += 2 * end;
		}
	}
	if (!design->count_is_public)
	{
		count = basis->noutputs;
		add_single(basis, 0, rounded(WEIGHT * (double) unit(design)));
		basis->magnitude += (uint64_t) basis->output[count].weight[0];
	}
	/* p_ii = (A + B + 2 h n) / (2 weight) */
	for (i = 0; i < basis->npairs && count >= 0; i++)
		add_inverse(basis, dps_moment_cross(design, i, i), count,
					(double) -basis->output[2 * i].weight[0] / (double) basis->output[2 * i].weight[1] /
					(double) basis->output[count].weight[0]);
}

/* The weights of a, b x, c (x^2 - h), e x y of norm 2. */
typedef struct Weights
{
	double		count;
	double		linear;
	double		square;
	double		middle;
	double		cross;
} Weights;

static Weights
choose_weights(const DpsMomentDesign *design)
{
	double		d = design->nvalues;
	double		middle = fmin((4.0 + d) / 8.0, 1.0);

	if (design->kind == DPS_MOMENT_CROSS)
		return (Weights) {.count = 0.5, .linear = 0.625, .cross = 1.0};
	return (Weights) {.count = 1.6 * sqrt(d) * middle, .linear = 1.0, .square = 2.0, .middle = middle, .cross = sqrt(2.0)};
}

/* What the columns of one value contribute to the squared length. */
typedef struct Lengths
{
	unsigned __int128 at_middle;	/* D */
	unsigned __int128 at_end;	/* 2 E + sum_j F_ij */
} Lengths;

/* The greatest squared length without n: sum_i max(D_i, E_i + F_i / 2), rounded
 * up. */
static unsigned __int128
sum_lengths(const Lengths *lengths, int n)
{
	unsigned __int128 sum = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		unsigned __int128 end = lengths[i].at_end / 2 + 1;

		sum += lengths[i].at_middle > end ? lengths[i].at_middle : end;
	}
	return sum;
}

static void
build_lengths(const DpsMomentDesign *design, DpsMomentBasis *basis)
{
	Weights		weights = choose_weights(design);
	Lengths		lengths[DPS_MAX_ENTRIES];
	unsigned __int128 ranges = 0;
	unsigned __int128 longest;
	uint64_t	slack = 1;
	int64_t		middle[DPS_MAX_ENTRIES] = {0};
	int			d = design->nvalues;
	int			count = -1;
	int			i;
	int			j;

	memset(lengths, 0, sizeof(lengths));
	for (i = 0; i < d; i++)
	{
		int64_t		linear = rounded(weights.linear * WEIGHT * normaliser(design, i));
		int64_t		end = linear * dps_moment_radius(design, i);

		add_single(basis, dps_moment_linear(i), linear);
		lengths[i].at_end += 2 * square(end);
		ranges += square(2 * end);
	}
	for (i = 0; i < d && (design->kind & DPS_MOMENT_SQUARES); i++)
	{
		double		scale = normaliser(design, i);
		int64_t		weight = rounded(weights.square * WEIGHT * scale * scale);
		int64_t		end = weight * product_radius(design, i, i);

		middle[i] = rounded(weights.middle * (double) end);
		add_single(basis, dps_moment_cross(design, i, i), weight);
		add_term(&basis->output[basis->noutputs - 1], 0, -middle[i]);
		lengths[i].at_middle += square(middle[i]);
		/* beyond the middle the length grows, so the end is what counts, even
		 * where it is not attained */
		lengths[i].at_end += 2 * square(end - middle[i]);
		ranges += square(end);
		slack += (uint64_t) weight;
	}
	for (i = 0; i < d && (design->kind & DPS_MOMENT_CROSS); i++)
	{
		for (j = i + 1; j < d; j++)
		{
			int64_t		weight = rounded(weights.cross * WEIGHT * normaliser(design, i) * normaliser(design, j));
			int64_t		end = weight * product_radius(design, i, j);

			add_single(basis, dps_moment_cross(design, i, j), weight);
			lengths[i].at_end += square(end);
			lengths[j].at_end += square(end);
			ranges += square(2 * end);
			slack += (uint64_t) weight;
		}
	}
	longest = sum_lengths(lengths, d);
	basis->distance = 2 * (dps_whole_root(longest) + slack);
	if (dps_whole_root(ranges) < basis->distance)
		basis->distance = dps_whole_root(ranges);
	if (!design->count_is_public)
	{
		int64_t		weight = rounded(weights.count * WEIGHT * (double) unit(design));

		count = basis->noutputs;
		add_single(basis, 0, weight);
		longest += square(weight);
	}
	basis->magnitude = dps_whole_root(longest) + slack;
	/* p_ii = (output + h n) / weight */
	for (i = 0; i < d && (design->kind & DPS_MOMENT_SQUARES); i++)
	{
		int			output = d + i;
		double		share = (double) middle[i] / (double) basis->output[output].weight[0];

		add_inverse(basis, dps_moment_cross(design, i, i), count >= 0 ? count : basis->noutputs,
					count >= 0 ? share / (double) basis->output[count].weight[0] : share);
	}
}

void
dps_moment_basis(const DpsMomentDesign *design, int norm, DpsMomentBasis *basis)
{
	memset(basis, 0, sizeof(*basis));
	if (norm != 1)
		build_lengths(design, basis);
	else if (design->count_is_public || design->nvalues > 2)
		build_differences(design, basis);
	else if (design->kind == DPS_MOMENT_SQUARES)
		build_square_partition(design, basis);
	else if (design->kind == DPS_MOMENT_CROSS)
		build_cross_partition(design, basis);
	else
		build_pair_partition(design, basis);
	if (design->count_is_public)
		add_inverse(basis, 0, basis->noutputs, 1.0);
}

/* ---- moves ---- */

/*
 * |z_i z_j - z_i' z_j'| <= R_i |z_j - z_j'| + R_j |z_i - z_i'|, which is linear in the
 * moves.  Where moves are lengths and not slopes, it is at most 2 R_i R_j, and a
 * square moves by at most t (2 R - t) for t < R, at most R^2.
 */
static unsigned __int128
product_move(const DpsMomentDesign *design, const uint64_t *moves, int i, int j, int rounding)
{
	unsigned __int128 product = (unsigned __int128) dps_moment_radius(design, i) * (uint64_t) dps_moment_radius(design, j);
	unsigned __int128 move = (unsigned __int128) dps_moment_radius(design, i) * moves[j] +
		(unsigned __int128) dps_moment_radius(design, j) * moves[i];

	if (move == 0)
		return 0;
	if (rounding > 0 && i == j)
		move = moves[i] < (uint64_t) dps_moment_radius(design, i) ? move - (unsigned __int128) moves[i] * moves[i] : product;
	else if (rounding > 0 && move > 2 * product)
		move = 2 * product;
	return ((move + (uint64_t) unit(design) - 1) >> design->bits) + (unsigned) rounding;
}

static void
find_moves(const DpsMomentDesign *design, const uint64_t *moves, int rounding, unsigned __int128 *by_moment)
{
	int			i;
	int			j;

	by_moment[0] = 0;
	for (i = 0; i < design->nvalues; i++)
	{
		uint64_t	most = 2 * (uint64_t) dps_moment_radius(design, i);

		by_moment[dps_moment_linear(i)] = rounding > 0 && moves[i] > most ? most : moves[i];
		for (j = i; j < design->nvalues; j++)
		{
			int			moment = dps_moment_cross(design, i, j);

			if (moment >= 0)
				by_moment[moment] = product_move(design, moves, i, j, rounding);
		}
	}
}

/* The sum of the moves of the first n terms. */
static unsigned __int128
output_move(const DpsMomentOutput *output, int n, const unsigned __int128 *by_moment)
{
	unsigned __int128 sum = 0;
	int			k;

	for (k = 0; k < n; k++)
		sum += by_moment[output->moment[k]] * (uint64_t) (output->weight[k] < 0 ? -output->weight[k] : output->weight[k]);
	return sum;
}

uint64_t
dps_moment_move(const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm, const uint64_t *moves,
				int rounding)
{
	const unsigned __int128 limit = (unsigned __int128) 1 << 62;
	unsigned __int128 by_moment[DPS_MAX_MOMENTS];
	unsigned __int128 total = 0;
	int			k;

	for (k = 0; k < design->nvalues; k++)
	{
		if (moves[k] > limit)
			return UINT64_MAX;
	}
	find_moves(design, moves, rounding, by_moment);
	for (k = 0; k < basis->noutputs; k++)
	{
		const DpsMomentOutput *output = &basis->output[k];
		unsigned __int128 move = output_move(output, output->nterms, by_moment);

		if (k < 2 * basis->npairs)
		{
			/* half of 2 max(|u|, |v|) for each of the two */
			unsigned __int128 u = output_move(output, output->nterms - 1, by_moment);

			move = move - u > u ? move - u : u;
		}
		/* 2^62 squared, 153 times, is below 2^132; so stop before */
		if (move > limit >> 4)
			return UINT64_MAX;
		total += norm == 1 ? move : move * move;
	}
	if (norm != 1)
		return dps_whole_root(total);
	return total > limit ? UINT64_MAX : (uint64_t) total;
}
