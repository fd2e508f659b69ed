/*
 * second.c
 *		Upper bounds by second derivatives.
 *
 * With the centre c in the box, d = x - c and [H] an enclosure of the Hessian
 * over the box,
 *
 *		f(x) <= f(c) + g(c) d + sup { d' H d / 2 : H in [H] }
 *
 * for f with a Lipschitz gradient (Taylor along the segment from c to x: the
 * derivative of the slope along it lies in d' [H] d wherever it exists, which
 * is almost everywhere).  In coordinates d = V s, V nearly orthogonal, with
 * A = V' H V,
 *
 *		s' A s <= sum_i r_i s_i^2,	r_i = A_ii + sum_j |A_ij|, j other than i
 *
 * (2 |s_i s_j| <= s_i^2 + s_j^2).  V is made of the eigenvectors of the middle
 * of [H], so the r_i are close to its eigenvalues, and where f is greatest
 * those are not above 0.  The centre is where the quadratic model is greatest
 * on the box, so that g(c) d is hardly ever above 0.  Then the bound is off by
 * the third power of the box's width, where the mean value form is off by the
 * second: what makes maxima on curves affordable.
 *
 * s = W d for any W with V W = 1 would do, but an inverse is not computed:
 * s is bounded through s = V' d + (1 - V' V) s.
 */
#include <math.h>
#include <string.h>

#include "bound/second.h"
#include "expr/enclose.h"

#define N DPS_MAX_CURVED
#define SWEEPS 6
#define ASCENTS 4

static DpsInterval
point(double x)
{
	return dps_iv(x, x);
}

static double
magnitude(DpsInterval x)
{
	return fmax(fabs(x.lo), fabs(x.hi));
}

DpsStatus
dps_second_init(DpsSecond *second, DpsGraph *graph, DpsArena *arena, const DpsNode *node, int n, const int *variable)
{
	const DpsNode *outputs[1 + N + N * (N + 1) / 2];
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *row[DPS_MAX_VARIABLES + 1];
	int			at = 1;
	int			k;
	int			l;

	second->n = n;
	outputs[0] = node;
	DPS_TRY(dps_gradient(graph, node, gradient));
	for (k = 0; k < n; k++)
	{
		second->variable[k] = variable[k];
		outputs[at++] = gradient[variable[k]];
	}
	for (k = 0; k < n; k++)
	{
		DPS_TRY(dps_gradient(graph, gradient[variable[k]], row));
		for (l = k; l < n; l++)
			outputs[at++] = row[variable[l]];
	}
	DPS_TRY(dps_compile(graph, outputs, at, &second->program));
	second->box = dps_arena_alloc(arena, sizeof(DpsEnclosure) * second->program->ninstructions);
	second->point = dps_arena_alloc(arena, sizeof(DpsEnclosure) * second->program->ninstructions);
	return second->box == NULL || second->point == NULL ? DPS_NOMEM : DPS_OK;
}

static bool
is_usable(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL && !dps_iv_is_empty(e->value) &&
		isfinite(e->value.lo) && isfinite(e->value.hi);
}

/* Reads the Hessian over the box; false if it is of no use. */
static bool
read_hessian(DpsSecond *second)
{
	const uint32_t *outputs = dps_program_outputs(second->program);
	int			at = 1;
	int			k;
	int			l;

	for (k = 0; k < second->n; k++, at++)
		if (!is_usable(&second->box[outputs[at]]) || !second->box[outputs[at]].continuous)
			return false;
	for (k = 0; k < second->n; k++)
	{
		for (l = k; l < second->n; l++, at++)
		{
			const DpsEnclosure *e = &second->box[outputs[at]];

			if (!is_usable(e))
				return false;
			second->hessian[k][l] = second->hessian[l][k] = e->value;
		}
	}
	return true;
}

/* Encloses value and gradient at the centre. */
static bool
enclose_centre(DpsSecond *second, DpsDomain *domain, const double *centre)
{
	const uint32_t *outputs = dps_program_outputs(second->program);
	DpsDomain	kept[N];
	bool		usable = true;
	int			k;

	for (k = 0; k < second->n; k++)
	{
		DpsDomain  *own = &domain[second->variable[k]];

		kept[k] = *own;
		own->lo = own->hi = centre[k];
	}
	dps_enclose_guarded(second->program, domain, second->point);
	for (k = 0; k < second->n; k++)
		domain[second->variable[k]] = kept[k];
	for (k = 0; k <= second->n; k++)
		usable = usable && is_usable(&second->point[outputs[k]]);
	return usable;
}

static double
middle(DpsInterval x)
{
	return x.lo / 2 + x.hi / 2;
}

/* Moves the centre to where the model about it is greatest, one coordinate
 * after the other. */
static void
ascend(const DpsSecond *second, const DpsDomain *domain, double *centre)
{
	const uint32_t *outputs = dps_program_outputs(second->program);
	double		slope[N];
	int			sweep;
	int			k;
	int			l;

	for (k = 0; k < second->n; k++)
		slope[k] = middle(second->point[outputs[1 + k]].value);
	for (sweep = 0; sweep < ASCENTS; sweep++)
	{
		for (k = 0; k < second->n; k++)
		{
			const DpsDomain *own = &domain[second->variable[k]];
			double		bend = middle(second->hessian[k][k]);
			double		to = slope[k] > 0 ? own->hi : own->lo;
			double		by;

			if (bend < 0)
				to = fmax(own->lo, fmin(own->hi, centre[k] - slope[k] / bend));
			by = to - centre[k];
			if (slope[k] == 0 || !isfinite(by))
				continue;
			centre[k] = to;
			for (l = 0; l < second->n; l++)
				slope[l] += middle(second->hessian[k][l]) * by;
		}
	}
}

/* Approximate eigenvectors of a symmetric matrix, by Jacobi's rotations; the
 * columns of v. */
static void
eigenvectors(int n, double a[N][N], double v[N][N])
{
	int			sweep;
	int			p;
	int			q;
	int			k;

	for (p = 0; p < n; p++)
		for (q = 0; q < n; q++)
			v[p][q] = p == q;
	for (sweep = 0; sweep < SWEEPS; sweep++)
		for (p = 0; p < n; p++)
			for (q = p + 1; q < n; q++)
			{
				double		theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
				double		t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
				double		c = 1 / sqrt(t * t + 1);
				double		s = t * c;

				if (a[p][q] == 0 || !isfinite(t))
					continue;
				for (k = 0; k < n; k++)
				{
					double		x = a[k][p];
					double		y = a[k][q];

					a[k][p] = c * x - s * y;
					a[k][q] = s * x + c * y;
				}
				for (k = 0; k < n; k++)
				{
					double		x = a[p][k];
					double		y = a[q][k];

					a[p][k] = c * x - s * y;
					a[q][k] = s * x + c * y;
				}
				for (k = 0; k < n; k++)
				{
					double		x = v[k][p];
					double		y = v[k][q];

					v[k][p] = c * x - s * y;
					v[k][q] = s * x + c * y;
				}
			}
}

/*
 * Bounds |s_i| for d / scale = V s; false if V is too far from orthogonal.
 * |s| <= |V' t| + skew |s| in the greatest component, skew bounding the rows of
 * 1 - V' V.
 */
static bool
bound_reach(int n, double v[N][N], const DpsInterval *d, const double *scale, double *reach)
{
	double		skew = 0;
	double		longest = 0;
	int			i;
	int			j;
	int			k;

	for (i = 0; i < n; i++)
	{
		DpsInterval s = point(0);
		double		row = 0;

		for (k = 0; k < n; k++)
			s = dps_iv_add(s, dps_iv_mul(point(v[k][i]), dps_iv_div(d[k], point(scale[k]))));
		reach[i] = magnitude(s);
		longest = fmax(longest, reach[i]);
		for (j = 0; j < n; j++)
		{
			DpsInterval off = point(i == j ? -1 : 0);

			for (k = 0; k < n; k++)
				off = dps_iv_add(off, dps_iv_mul(point(v[k][i]), point(v[k][j])));
			row = dps_add_up(row, magnitude(off));
		}
		skew = fmax(skew, row);
	}
	if (!(skew < 0.5))
		return false;
	longest = dps_div_up(dps_mul_up(longest, skew), dps_sub_down(1, skew));
	for (i = 0; i < n; i++)
		reach[i] = dps_add_up(reach[i], longest);
	return true;
}

/* V' [H] V, scaled. */
static void
turn_hessian(const DpsSecond *second, double v[N][N], const double *scale, DpsInterval turned[N][N])
{
	DpsInterval half[N][N];
	int			n = second->n;
	int			i;
	int			j;
	int			k;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			half[i][j] = point(0);
			for (k = 0; k < n; k++)
				half[i][j] = dps_iv_add(half[i][j], dps_iv_mul(dps_iv_mul(second->hessian[i][k], point(v[k][j])),
															   dps_iv_mul(point(scale[i]), point(scale[k]))));
		}
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			turned[i][j] = point(0);
			for (k = 0; k < n; k++)
				turned[i][j] = dps_iv_add(turned[i][j], dps_iv_mul(point(v[k][i]), half[k][j]));
		}
}

/* sup d' H d / 2 over the box about the centre; scale[k] brings dimension k to
 * about the size of the others. */
static double
bound_bend(const DpsSecond *second, const DpsInterval *d, const double *scale)
{
	int			n = second->n;
	double		a[N][N];
	double		v[N][N];
	DpsInterval turned[N][N];
	double		reach[N];
	double		total = 0;
	int			i;
	int			j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			a[i][j] = middle(second->hessian[i][j]) * scale[i] * scale[j];
	eigenvectors(n, a, v);
	if (!bound_reach(n, v, d, scale, reach))
		return INFINITY;
	turn_hessian(second, v, scale, turned);
	for (i = 0; i < n; i++)
	{
		double		r = turned[i][i].hi;

		for (j = 0; j < n; j++)
			if (j != i)
				r = dps_add_up(r, fmax(magnitude(turned[i][j]), magnitude(turned[j][i])));
		if (!(r <= 0))
			total = dps_add_up(total, dps_mul_up(dps_mul_up(r, dps_mul_up(reach[i], reach[i])), 0.5));
	}
	return total;
}

double
dps_second_bound(DpsSecond *second, DpsDomain *domain, double *centre)
{
	const uint32_t *outputs = dps_program_outputs(second->program);
	DpsInterval d[N];
	double		scale[N];
	double		bound;
	int			k;

	dps_enclose_guarded(second->program, domain, second->box);
	if (!read_hessian(second) || !enclose_centre(second, domain, centre))
		return INFINITY;
	ascend(second, domain, centre);
	if (!enclose_centre(second, domain, centre))
		return INFINITY;
	bound = second->point[outputs[0]].value.hi;
	for (k = 0; k < second->n; k++)
	{
		const DpsDomain *own = &domain[second->variable[k]];

		d[k] = dps_iv_sub(dps_iv(own->lo, own->hi), point(centre[k]));
		scale[k] = own->hi > own->lo ? own->hi / 2 - own->lo / 2 : 1;
		bound = dps_add_up(bound, dps_iv_mul(second->point[outputs[1 + k]].value, d[k]).hi);
	}
	bound = dps_add_up(bound, bound_bend(second, d, scale));
	return isnan(bound) ? INFINITY : bound;
}
