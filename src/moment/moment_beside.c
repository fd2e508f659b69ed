/*
 * moment_beside.c
 *		Sums that are measured beside the one that a statistic turns on.
 *
 * No guarantee rests on this file: it proposes, moment_focus.c bounds.
 *
 * Why more than one sum.  Let the outputs be known up to an error e, of covariance 1 in
 * the units used here.  The statistic f turns on the sum g = f', and once that is
 * measured what is left of f's error is of second order, e' f'' r / 2 and the like, r
 * being what is then left of e.  It is small only where e or r is; with five
 * thousand rows it is not, where a variance is small within its range.  Now the
 * noise of the sum is that of the row which adds most to it, and other rows leave room: a
 * sum h with
 *
 *		|g(row)| + |h(row)| <= (1 + eta) max |g|
 *
 * can be released beside it, in the 1-norm, for eta more noise.  A multiple of g
 * may be added to h at will, g being known, to make it small where g is large: so
 * there is such an h for nearly all that f'' makes one wish to know.
 *
 * Which.  If sums with rows A (of outputs) are measured with noise of variance s^2 each, r
 * has the covariance P = (1 + A'A / s^2)^-1, and e - r, which is independent of
 * it if all are normal, 1 - P.  Then f is off by g.r + (e - r)' f'' r + r' f'' r / 2, so by
 *
 *		J = g'Pg + tr f''(1 - P)f''P + tr (f''P)^2 / 2 + (tr f''P)^2 / 4
 *
 * in the mean of squares.  J is made small: each h starts as a principal direction of
 * f'' across g, of the best of some lengths and with the best of some multiples
 * of g; then coefficients are moved by steps that become shorter.
 */
#include <math.h>
#include <string.h>

#include "moment/moment_beside.h"

#define FEW DPS_FEW_MOMENTS

/* Lengths of a direction: from 2^-7 of that of the sum to 4 of it. */
#define LENGTHS 10

/* Multiples of the sum: from -1 to 1. */
#define MULTIPLES 9

/* Steps, in parts of the sum, are halved from the first to the last. */
#define FIRST_STEP 0.2
#define LAST_STEP 0.0125
#define MAX_ROUNDS 24

/* What makes one J better than another. */
#define GAIN 1e-4

typedef double Row[FEW];
typedef Row Matrix[FEW];

/* ---- the sums ---- */

/* Q of two values, as in moment_focus.c but in doubles. */
typedef struct Quadratic
{
	double		constant;
	double		linear[2];
	double		square[2];
	double		cross;
} Quadratic;

static double
coefficient(const double *form, int moment)
{
	return moment < 0 ? 0.0 : form[moment];
}

static Quadratic
to_quadratic(const DpsMomentDesign *design, const double *form)
{
	Quadratic	q = {.constant = form[0]};
	int			i;

	for (i = 0; i < design->nvalues; i++)
	{
		q.linear[i] = form[dps_moment_linear(i)];
		q.square[i] = coefficient(form, dps_moment_cross(design, i, i));
	}
	if (design->nvalues == 2)
		q.cross = coefficient(form, dps_moment_cross(design, 0, 1));
	return q;
}

static double
quadratic_at(const Quadratic *q, double x, double y)
{
	return q->constant + x * (q->linear[0] + q->square[0] * x + q->cross * y) + y * (q->linear[1] + q->square[1] * y);
}

/* The vertex of a t + b t^2, if it is in [-1, 1]; else an end. */
static double
vertex(double a, double b)
{
	double		t = -a / (2.0 * b);

	return fabs(t) < 1.0 ? t : 1.0;
}

/* The largest absolute value: in a corner, at the vertex of an edge or inside. */
static double
largest_size(const Quadratic *q)
{
	double		determinant = 4.0 * q->square[0] * q->square[1] - q->cross * q->cross;
	double		x = (q->cross * q->linear[1] - 2.0 * q->square[1] * q->linear[0]) / determinant;
	double		y = (q->cross * q->linear[0] - 2.0 * q->square[0] * q->linear[1]) / determinant;
	double		most = 0.0;
	int			s;
	int			t;

	for (s = -1; s <= 1; s += 2)
	{
		for (t = -1; t <= 1; t += 2)
			most = fmax(most, fabs(quadratic_at(q, s, t)));
		most = fmax(most, fabs(quadratic_at(q, s, vertex(q->linear[1] + s * q->cross, q->square[1]))));
		most = fmax(most, fabs(quadratic_at(q, vertex(q->linear[0] + s * q->cross, q->square[0]), s)));
	}
	if (fabs(x) < 1.0 && fabs(y) < 1.0)
		most = fmax(most, fabs(quadratic_at(q, x, y)));
	return most;
}

/* What a row adds at most to all sums together: the sum of absolute values is the
 * largest of their sums with signs. */
static double
joint_size(const DpsMomentDesign *design, double form[][FEW], int nforms)
{
	double		most = 0.0;
	unsigned	signs;
	int			i;
	int			k;

	for (signs = 0; signs < 1u << (nforms - 1); signs++)
	{
		Row			sum;
		Quadratic	q;

		memcpy(sum, form[0], sizeof(sum));
		for (k = 1; k < nforms; k++)
		{
			for (i = 0; i < FEW; i++)
				sum[i] += signs >> (k - 1) & 1 ? -form[k][i] : form[k][i];
		}
		q = to_quadratic(design, sum);
		most = fmax(most, largest_size(&q));
	}
	return most;
}

/* ---- what they leave unknown ---- */

static double
dot(const double *x, const double *y, int n)
{
	double		sum = 0.0;
	int			i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* P, one sum after the other. */
static void
find_rest(const DpsMomentShape *shape, double form[][FEW], int nforms, double variance, Matrix rest)
{
	int			n = shape->n;
	int			i;
	int			j;
	int			k;

	memset(rest, 0, sizeof(Matrix));
	for (i = 0; i < n; i++)
		rest[i][i] = 1.0;
	for (k = 0; k < nforms; k++)
	{
		Row			row;
		Row			image;
		double		total = variance;

		for (i = 0; i < n; i++)
			row[i] = dot(shape->across[i], form[k], n);
		for (i = 0; i < n; i++)
			image[i] = dot(rest[i], row, n);
		total += dot(row, image, n);
		for (i = 0; i < n; i++)
		{
			for (j = 0; j < n; j++)
				rest[i][j] -= image[i] * image[j] / total;
		}
	}
}

/* J */
static double
error_of(const DpsMomentDesign *design, const DpsMomentShape *shape, double form[][FEW], int nforms)
{
	double		deviation = shape->noise * joint_size(design, form, nforms);
	int			n = shape->n;
	double		first = 0.0;
	double		trace = 0.0;
	double		both = 0.0;
	double		alone = 0.0;
	Matrix		rest;
	Matrix		bent;
	int			i;
	int			j;

	find_rest(shape, form, nforms, deviation * deviation, rest);
	for (i = 0; i < n; i++)
	{
		first += shape->gradient[i] * dot(rest[i], shape->gradient, n);
		/* f''P, P being symmetric */
		for (j = 0; j < n; j++)
			bent[i][j] = dot(shape->curvature[i], rest[j], n);
		trace += bent[i][i];
		/* tr f'' f'' P */
		both += dot(shape->curvature[i], bent[i], n);
	}
	for (i = 0; i < n; i++)
	{
		for (j = 0; j < n; j++)
			alone += bent[i][j] * bent[j][i];
	}
	return first + (both - alone) + alone / 2.0 + trace * trace / 4.0;
}

/* ---- directions ---- */

/* f'' across the gradient. */
static void
project(const DpsMomentShape *shape, Matrix curvature)
{
	double		squares = dot(shape->gradient, shape->gradient, shape->n);
	int			n = shape->n;
	Row			image;
	double		twice;
	int			i;
	int			j;

	for (i = 0; i < n; i++)
		image[i] = dot(shape->curvature[i], shape->gradient, n) / squares;
	twice = dot(image, shape->gradient, n) / squares;
	for (i = 0; i < n; i++)
	{
		for (j = 0; j < n; j++)
			curvature[i][j] = shape->curvature[i][j] - shape->gradient[i] * image[j] - image[i] * shape->gradient[j] +
				twice * shape->gradient[i] * shape->gradient[j];
	}
}

static void
turn(double *x, double *y, double cosine, double sine)
{
	double		turned = cosine * *x - sine * *y;

	*y = sine * *x + cosine * *y;
	*x = turned;
}

/* Principal directions, the columns of `axes`; a becomes diagonal (Jacobi). */
static void
find_axes(Matrix a, int n, Matrix axes)
{
	int			sweep;
	int			p;
	int			q;
	int			k;

	memset(axes, 0, sizeof(Matrix));
	for (k = 0; k < n; k++)
		axes[k][k] = 1.0;
	for (sweep = 0; sweep < 10; sweep++)
	{
		for (p = 0; p < n; p++)
		{
			for (q = p + 1; q < n; q++)
			{
				double		angle = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
				double		cosine = cos(angle);
				double		sine = sin(angle);

				if (a[p][q] == 0.0)
					continue;
				for (k = 0; k < n; k++)
					turn(&a[k][p], &a[k][q], cosine, sine);
				for (k = 0; k < n; k++)
					turn(&a[p][k], &a[q][k], cosine, sine);
				for (k = 0; k < n; k++)
					turn(&axes[k][p], &axes[k][q], cosine, sine);
			}
		}
	}
}

/* The place of the largest diagonal entry that is left, which is taken out. */
static int
take_largest(Matrix a, int n)
{
	int			best = 0;
	int			i;

	for (i = 1; i < n; i++)
	{
		if (fabs(a[i][i]) > fabs(a[best][best]))
			best = i;
	}
	a[best][best] = 0.0;
	return best;
}

/* The weights of the moments, of those of the outputs. */
static void
to_form(const DpsMomentShape *shape, const double *outputs, double *form)
{
	int			i;
	int			k;

	memset(form, 0, sizeof(Row));
	for (k = 0; k < shape->n; k++)
	{
		for (i = 0; i < shape->n; i++)
			form[i] += outputs[k] * shape->along[k][i];
	}
}

/* ---- choosing ---- */

/* The direction with the best length and multiple of the sum; false if none helps. */
static bool
start_form(const DpsMomentDesign *design, const DpsMomentShape *shape, const double *direction, double form[][FEW],
		   int nforms, double *least)
{
	double		size = joint_size(design, form, 1);
	double		before = *least;
	Row			best = {0};
	Row			unit;
	double		length;
	int			i;
	int			k;
	int			m;

	memcpy(unit, direction, sizeof(unit));
	length = joint_size(design, &unit, 1);
	for (k = 0; k < LENGTHS && length > 0.0; k++)
	{
		for (m = 0; m < MULTIPLES; m++)
		{
			double		multiple = (double) (2 * m - (MULTIPLES - 1)) / (MULTIPLES - 1);
			double		scale = ldexp(1.0, 2 - k);
			double		error;

			for (i = 0; i < FEW; i++)
				form[nforms][i] = scale * (unit[i] * size / length - multiple * form[0][i]);
			error = error_of(design, shape, form, nforms + 1);
			if (error < *least)
			{
				*least = error;
				memcpy(best, form[nforms], sizeof(best));
			}
		}
	}
	memcpy(form[nforms], best, sizeof(best));
	return *least < before;
}

/* One step for each coefficient, up or down; does any help? */
static bool
try_steps(const DpsMomentDesign *design, const DpsMomentShape *shape, double step, double form[][FEW], int nforms,
		  double *least)
{
	bool		better = false;
	int			i;
	int			k;
	int			s;

	for (k = 1; k < nforms; k++)
	{
		for (i = 0; i < shape->n; i++)
		{
			for (s = -1; s <= 1; s += 2)
			{
				double		before = form[k][i];
				double		error;

				form[k][i] += s * step;
				error = error_of(design, shape, form, nforms);
				if (error < *least * (1.0 - GAIN))
				{
					*least = error;
					better = true;
				}
				else
					form[k][i] = before;
			}
		}
	}
	return better;
}

int
dps_moment_beside(const DpsMomentDesign *design, const DpsMomentShape *shape, int limit,
				  double form[DPS_MOMENT_SUMS][DPS_FEW_MOMENTS])
{
	int			nforms = 1;
	int			rounds = 0;
	Matrix		curvature;
	Matrix		axes;
	double		least;
	double		size;
	double		step;
	int			i;

	memset(form, 0, sizeof(double) * DPS_MOMENT_SUMS * FEW);
	to_form(shape, shape->gradient, form[0]);
	size = joint_size(design, form, 1);
	if (!(size > 0.0) || !isfinite(size))
		return 0;
	project(shape, curvature);
	find_axes(curvature, shape->n, axes);
	least = error_of(design, shape, form, 1);
	if (!isfinite(least) || limit == 1)
		return 1;
	while (nforms < limit)
	{
		int			axis = take_largest(curvature, shape->n);
		Row			outputs = {0};
		Row			direction;

		for (i = 0; i < shape->n; i++)
			outputs[i] = axes[i][axis];
		to_form(shape, outputs, direction);
		if (!start_form(design, shape, direction, form, nforms, &least))
			break;
		nforms++;
	}
	for (step = FIRST_STEP * size; step > LAST_STEP * size && rounds < MAX_ROUNDS; rounds++)
	{
		if (!try_steps(design, shape, step, form, nforms, &least))
			step /= 2.0;
	}
	return nforms;
}
