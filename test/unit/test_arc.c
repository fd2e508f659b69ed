/*
 * test_arc.c
 *		Arcs on a sphere: which expressions are taken for one, and that none of these moves
 *		further than is said.
 *
 * Random sums of two products of sines and cosines are given to dps_find_arc.  What it takes is
 * what the head of arc.c describes, decided here by its table of factors, and derivatives,
 * worked out here from the same table, are within the bounds; near |u| = 1, where they do not exist,
 * values at neighbouring points are.
 *
 * Files: bound/quantity/arc.c.
 */
#include <math.h>
#include <stdio.h>

#include "bound/quantity/arc.h"
#include "fixture.h"
#include "parse.h"
#include "splitmix.h"
#include "tap.h"

#define ANGLES 4
#define EXPRESSIONS 20000
#define POINTS 8

/* What a product has of an angle. */
typedef enum Factor
{
	NOTHING,
	SINE,
	COSINE
} Factor;

typedef struct Sum
{
	Factor		factor[2][ANGLES];
	double		coefficient[2];
	bool		subtracted;
	bool		clamped;
	bool		acos;
} Sum;

static uint64_t seed = 20260731;

static int
below(int n)
{
	return (int) (splitmix64(&seed) % (uint64_t) n);
}

static double
uniform(double lo, double hi)
{
	return lo + (hi - lo) * ((double) (splitmix64(&seed) >> 11) * 0x1p-53);
}

static void
draw_sum(Sum *sum)
{
	static const double coefficients[] = {1, 1, 1, -1, 0.5, -0.25, 1.5};
	int			angles = 2 + below(ANGLES - 1);
	int			latitudes = below(4);
	int			k;
	int			i;

	*sum = (Sum) {.subtracted = below(2), .clamped = below(3) == 0, .acos = below(2)};
	for (i = 0; i < 2; i++)
		sum->coefficient[i] = coefficients[below(7)];
	for (k = 0; k < angles; k++)
	{
		bool		swap = below(2);

		for (i = 0; i < 2; i++)
			sum->factor[i][k] = k < latitudes && below(8) != 0 ? (i == (int) swap ? SINE : COSINE) : (Factor) below(3);
	}
}

static void
write_sum(const Sum *sum, char *sql, size_t size)
{
	size_t		n = 0;
	int			i;
	int			k;

	n += snprintf(sql + n, size - n, "%s(%s", sum->acos ? "acos" : "asin", sum->clamped ? "least(1, greatest(-1, " : "");
	for (i = 0; i < 2; i++)
	{
		n += snprintf(sql + n, size - n, "%s%g", i == 0 ? "" : sum->subtracted ? " - " : " + ", sum->coefficient[i]);
		for (k = 0; k < ANGLES; k++)
			if (sum->factor[i][k] != NOTHING)
				n += snprintf(sql + n, size - n, "*%s(%c)", sum->factor[i][k] == SINE ? "sin" : "cos", 'a' + k);
	}
	snprintf(sql + n, size - n, "%s)", sum->clamped ? "))" : "");
}

static bool
is_latitude(const Sum *sum, int k)
{
	return sum->factor[0][k] != NOTHING && sum->factor[1][k] != NOTHING && sum->factor[0][k] != sum->factor[1][k];
}

static bool
is_described(const Sum *sum)
{
	int			latitudes = 0;
	int			k;

	for (k = 0; k < ANGLES; k++)
	{
		if (sum->factor[0][k] == sum->factor[1][k] && sum->factor[0][k] != NOTHING)
			return false;
		latitudes += is_latitude(sum, k);
	}
	return latitudes >= 2 && fabs(sum->coefficient[0]) <= 1 && fabs(sum->coefficient[1]) <= 1;
}

static double
factor_at(Factor factor, double x)
{
	return factor == NOTHING ? 1 : factor == SINE ? sin(x) : cos(x);
}

/* u, and its derivative by each angle. */
static double
value_at(const Sum *sum, const double *x, double *derivative)
{
	double		u = 0;
	int			i;
	int			k;
	int			m;

	for (k = 0; k < ANGLES; k++)
		derivative[k] = 0;
	for (i = 0; i < 2; i++)
	{
		double		sign = i == 1 && sum->subtracted ? -1 : 1;
		double		product = sign * sum->coefficient[i];

		for (k = 0; k < ANGLES; k++)
			product *= factor_at(sum->factor[i][k], x[k]);
		u += product;
		for (k = 0; k < ANGLES; k++)
		{
			double		part = sign * sum->coefficient[i];

			if (sum->factor[i][k] == NOTHING)
				continue;
			for (m = 0; m < ANGLES; m++)
				if (m != k)
					part *= factor_at(sum->factor[i][m], x[m]);
			derivative[k] += part * (sum->factor[i][k] == SINE ? cos(x[k]) : -sin(x[k]));
		}
	}
	return u;
}

/* The magnitudes of what a longitude is multiplied with. */
static void
cosines_of(const Sum *sum, const double *x, int k, double *least, double *greatest)
{
	int			i = sum->factor[0][k] != NOTHING ? 0 : 1;
	int			m;

	*least = 1;
	*greatest = 0;
	for (m = 0; m < ANGLES; m++)
	{
		double		size = fabs(factor_at(sum->factor[i][m], x[m]));

		if (!is_latitude(sum, m))
			continue;
		*least = fmin(*least, size);
		*greatest = fmax(*greatest, size);
	}
}

/* Is what is said true at a point? */
static bool
holds_at(const Sum *sum, const double *x)
{
	double		derivative[ANGLES];
	double		u = value_at(sum, x, derivative);
	double		room = 1 - u * u;
	bool		right = fabs(u) <= 1 + 1e-15;
	int			a;
	int			h;

	if (room < 1e-6)
		return right;
	for (h = 0; h < ANGLES; h++)
	{
		double		least;
		double		greatest;
		double		square = derivative[h] * derivative[h] / room;

		if (is_latitude(sum, h))
			right &= square <= 1 + 1e-9;
		if (is_latitude(sum, h) || (sum->factor[0][h] == NOTHING && sum->factor[1][h] == NOTHING))
			continue;
		cosines_of(sum, x, h, &least, &greatest);
		right &= square <= least * least + 1e-9;
		for (a = 0; a < ANGLES; a++)
			if (is_latitude(sum, a) && greatest > 1e-3)
				right &= derivative[a] * derivative[a] / room + square / (greatest * greatest) <= 1 + 1e-9;
	}
	return right;
}

static double
arc_of(const Sum *sum, double u)
{
	u = fmax(-1, fmin(1, u));
	return sum->acos ? acos(u) : asin(u);
}

/* Does one angle move the arc no further than itself, across tips as well? */
static bool
moves_no_further(const Sum *sum, const double *x, int k)
{
	double		y[ANGLES];
	double		unused[ANGLES];
	int			m;

	for (m = 0; m < ANGLES; m++)
		y[m] = m == k ? x[m] + uniform(-0.5, 0.5) : x[m];
	return fabs(arc_of(sum, value_at(sum, x, unused)) - arc_of(sum, value_at(sum, y, unused))) <= fabs(y[k] - x[k]) + 1e-7;
}

/* Points all over, and with the angles at multiples of a quarter turn or alike, where |u| is 1. */
static void
draw_point(double *x)
{
	bool		alike = below(2);
	int			k;

	for (k = 0; k < ANGLES; k++)
		x[k] = alike && k > 0 && below(2) ? x[k - 1] : below(4) == 0 ? 1.5707963267948966 * (below(5) - 2) : uniform(-3.2, 3.2);
}

int
main(void)
{
	int			described = 0;
	int			wrong = 0;
	int			further = 0;
	int			mistaken = 0;
	int			i;

	for (i = 0; i < EXPRESSIONS; i++)
	{
		DpsArena   *arena;
		DpsGraph   *graph;
		const DpsNode *node;
		DpsArc		arc;
		Sum			sum;
		char		sql[400];
		double		x[ANGLES];
		int			point;
		int			k;

		draw_sum(&sum);
		write_sum(&sum, sql, sizeof(sql));
		if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_graph_init(&graph, arena) != DPS_OK)
			return 1;
		for (k = 0; k < ANGLES; k++)
			(void) dps_graph_add_variable(graph, (const char *[]) {"a", "b", "c", "d"}[k], DPS_FLOAT8, false);
		node = parse_expression(graph, sql);
		if (node == NULL || dps_find_arc(graph, node, &arc) != DPS_OK)
			return 1;
		if ((arc.root != NULL) != is_described(&sum) && ++mistaken < 5)
			diag("%s is %staken for an arc", sql, arc.root == NULL ? "not " : "");
		described += arc.root != NULL;
		for (point = 0; point < POINTS && arc.root != NULL; point++)
		{
			draw_point(x);
			if (!holds_at(&sum, x) && ++wrong < 5)
				diag("%s at %.17g, %.17g, %.17g, %.17g", sql, x[0], x[1], x[2], x[3]);
			for (k = 0; k < ANGLES; k++)
				if (!moves_no_further(&sum, x, k) && ++further < 5)
					diag("%s from %.17g, %.17g, %.17g, %.17g by angle %d", sql, x[0], x[1], x[2], x[3], k);
		}
		dps_arena_clear(arena);
	}
	ok(mistaken == 0, "what is taken for an arc is what is described");
	ok(described > EXPRESSIONS / 20, "%d of %d are arcs", described, EXPRESSIONS);
	ok(wrong == 0, "derivatives are within what is said");
	ok(further == 0, "an angle moves the arc by no more than itself, through tips as well");
	return done_testing();
}
