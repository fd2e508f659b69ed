/*
 * crossed_round.c
 *		Tables of several groupings, rounded so that they add up.
 *
 * There need not be a rounding that adds up with every cell less than a step off, as there is for nested groupings.
 *
 * First the sums F(g) over all cells whose values are at most those of g along every key are rounded, to floor(F + u), one u for
 * all; a cell is the difference of these.  F of a cell that has a key's last value is that of the table without the key, so
 * all tables add up.  A difference along k keys has the errors of 2^k sums, of variance 1/12 each where they are anything: 1/6
 * along one key, 2/3 along three.
 *
 * Then tables are changed by +1 and -1 at the corners of boxes, two values along each key of a part: that changes the table of
 * the part and those that contain it, in that part of all other keys' values, and no other; so what adds up does so after.
 * Boxes are taken as a hash of what was drawn says, so that no cell is preferred, and those kept that lessen the sum of the
 * squared distances.  It never grows.
 */
#include <math.h>

#include "base/hash.h"
#include "moment/crossed/crossed_round.h"

/* Boxes that are tried, for each cell of a part; and along how many keys at most. */
#define TRIES 8
#define MOST_KEYS 5

/* What is nearer is the same but for errors of doubles. */
#define RESOLUTION 0x1p-30

static double
next_number(uint64_t *state)
{
	*state = dps_mix_next(*state, 0);
	return (double) (*state >> 11) * 0x1p-53;
}

static int64_t
next_below(uint64_t *state, int64_t n)
{
	*state = dps_mix_next(*state, 0);
	return (int64_t) (*state % (uint64_t) n);
}

/* One for which the total becomes the nearest whole number; either if two are. */
static double
draw_shift(double total, uint64_t *state)
{
	double		rest = total - floor(total);
	bool		up = fabs(rest - 0.5) < RESOLUTION ? next_number(state) < 0.5 : rest > 0.5;

	return up ? 1 - rest + rest * next_number(state) : (1 - rest) * next_number(state);
}

/* ---- sums, and their differences ---- */

static void
add_along_keys(const DpsCrossedFamily *family, int part, double *table)
{
	for (int i = 0; i < family->nkeys; i++)
	{
		int64_t		stride = dps_crossed_stride(family, part, i);

		for (int64_t j = stride; stride > 0 && j < family->cells[part]; j++)
		{
			if (j / stride % family->values[i] != 0)
				table[j] += table[j - stride];
		}
	}
}

static void
subtract_along_keys(const DpsCrossedFamily *family, int part, DpsStoredInt128 *table)
{
	for (int i = 0; i < family->nkeys; i++)
	{
		int64_t		stride = dps_crossed_stride(family, part, i);

		for (int64_t j = family->cells[part] - 1; stride > 0 && j >= stride; j--)
		{
			if (j / stride % family->values[i] != 0)
				table[j] = (__int128) ((unsigned __int128) table[j] - (unsigned __int128) table[j - stride]);
		}
	}
}

void
dps_crossed_round(const DpsCrossedTables *tables, uint64_t seed)
{
	const DpsCrossedFamily *family = tables->family;
	double		shift = draw_shift(tables->fit[0], &seed);

	for (int a = 0; a < family->nparts; a++)
	{
		double	   *sums = &tables->room[tables->first[a]];
		DpsStoredInt128 *rounded = &tables->rounded[tables->first[a]];

		for (int64_t i = 0; i < family->cells[a]; i++)
			sums[i] = tables->fit[tables->first[a] + i];
		add_along_keys(family, a, sums);
		for (int64_t i = 0; i < family->cells[a]; i++)
			rounded[i] = dps_to_int128(fmax(fmin(floor(sums[i] + shift), 0x1p110), -0x1p110));
		subtract_along_keys(family, a, rounded);
	}
}

/* ---- boxes ---- */

typedef struct Box
{
	int			part;
	int			nkeys;
	int			key[MOST_KEYS];
	int64_t		from[MOST_KEYS];	/* the two values of each */
	int64_t		to[MOST_KEYS];
	int64_t		place[DPS_CROSSED_KEYS];	/* the value of every other key */
} Box;

/* The tables of sets that contain the part. */
typedef struct Touched
{
	int			n;
	int			part[DPS_CROSSED_SETS];
	int64_t		stride[DPS_CROSSED_SETS][DPS_CROSSED_KEYS];
} Touched;

static bool
may_move(const DpsCrossedFamily *family, const bool *is_fixed, int part)
{
	if (__builtin_popcount(family->keys[part]) > MOST_KEYS)
		return false;
	for (int i = 0; i < family->nkeys; i++)
	{
		if ((family->keys[part] & (UINT32_C(1) << i)) != 0 && family->values[i] < 2)
			return false;
	}
	for (int a = 0; a < family->nparts; a++)
	{
		if (is_fixed[a] && dps_crossed_within(family, part, a))
			return false;
	}
	return true;
}

static void
find_touched(const DpsCrossedFamily *family, int part, Touched *touched)
{
	touched->n = 0;
	for (int s = 0; s < family->nsets; s++)
	{
		bool		is_new = dps_crossed_within(family, part, family->part[s]);

		for (int k = 0; k < touched->n; k++)
			is_new &= touched->part[k] != family->part[s];
		if (!is_new)
			continue;
		for (int i = 0; i < family->nkeys; i++)
			touched->stride[touched->n][i] = dps_crossed_stride(family, family->part[s], i);
		touched->part[touched->n++] = family->part[s];
	}
}

static void
draw_box(const DpsCrossedFamily *family, int part, uint64_t *state, Box *box)
{
	box->part = part;
	box->nkeys = 0;
	for (int i = 0; i < family->nkeys; i++)
	{
		int64_t		m = family->values[i];

		box->place[i] = next_below(state, m);
		if ((family->keys[part] & (UINT32_C(1) << i)) == 0)
			continue;
		box->key[box->nkeys] = i;
		box->from[box->nkeys] = box->place[i];
		box->to[box->nkeys++] = (box->place[i] + 1 + next_below(state, m - 1)) % m;
		box->place[i] = 0;
	}
}

/* The sum of the distances at the corners, those with an odd number of `to` negated; first adds `change` so to them. */
static double
visit_corners(const DpsCrossedTables *tables, const Touched *touched, const Box *box, int change)
{
	double		sum = 0;

	for (int t = 0; t < touched->n; t++)
	{
		const int64_t *stride = touched->stride[t];
		int64_t		base = tables->first[touched->part[t]];

		for (int i = 0; i < tables->family->nkeys; i++)
			base += box->place[i] * stride[i];
		for (unsigned corner = 0; corner < 1U << box->nkeys; corner++)
		{
			int64_t		cell = base;
			int			sign = (__builtin_popcount(corner) & 1) != 0 ? -1 : 1;

			for (int k = 0; k < box->nkeys; k++)
				cell += ((corner >> k & 1) != 0 ? box->to[k] : box->from[k]) * stride[box->key[k]];
			if (change != 0)
			{
				tables->rounded[cell] += change * sign;
				tables->room[cell] += change * sign;
			}
			sum += sign * tables->room[cell];
		}
	}
	return sum;
}

void
dps_crossed_approach(const DpsCrossedTables *tables, const bool *is_fixed, uint64_t seed)
{
	const DpsCrossedFamily *family = tables->family;
	Touched		touched;
	Box			box;

	/* distances */
	for (int64_t i = 0; i < tables->first[family->nparts]; i++)
		tables->room[i] = (double) tables->rounded[i] - tables->fit[i];
	for (int a = 0; a < family->nparts; a++)
	{
		if (!may_move(family, is_fixed, a))
			continue;
		find_touched(family, a, &touched);
		for (int64_t times = 0; times < TRIES * family->cells[a]; times++)
		{
			double		sum;
			double		corners = ldexp(touched.n, __builtin_popcount(family->keys[a]));

			draw_box(family, a, &seed, &box);
			sum = visit_corners(tables, &touched, &box, 0);
			/* (d + 1)^2 - d^2 = 2 d + 1 */
			if (2 * fabs(sum) > corners + RESOLUTION)
				(void) visit_corners(tables, &touched, &box, sum > 0 ? -1 : 1);
		}
	}
}
