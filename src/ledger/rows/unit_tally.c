/*
 * unit_tally.c
 *		How far the rows of one unit can have moved a sum, or a number of rows, if a limited
 *		number of them counted.
 *
 * Which rows of a unit count follows from a hash of all that a statement reads of them (agg/unit/row_order.h),
 * and is not recorded.  So what is said here holds for every choice.
 *
 * Precondition: the integers q that were added are those of all rows of the unit that may have been selected; of
 * these at most m counted, and at most c in a group.  Others added nothing.
 *
 * Claim.  Let S_g be the sum of q over the rows that counted in group g.  Whichever they were,
 *
 * - without several groups |S| <= max(P, N), P and N the sums of the m largest q and -q that are positive;
 * - sum_g |S_g| <= A, the sum of the m largest |q|;
 * - the root of sum_g S_g^2 is at most that of B = sum_i b_i^2, where b_1 is the sum of the c largest |q|, b_2
 *   that of the next c, and so on through the m largest;
 * - if other rows take the unit's place, of which at most m count and add between lo and hi each, |S - S'| <=
 *   max(P + m max(0, -lo), N + m max(0, hi)).
 *
 * Proof.  S is at most the sum of the positive q among those that counted, of which there are at most m, and so
 * at most P; -S likewise.  |S_g| is at most the sum of |q| in its group, which adds up to the second line.  For
 * the third order the groups by a_g, the sum of |q| in them, the largest first.  The first k groups hold
 * at most kc rows, so a_1 + ... + a_k <= b_1 + ... + b_k for each k: the b majorise the a weakly, both
 * fall and are not negative, so sum a_g^2 <= sum b_i^2 (Marshall, Olkin and Arnold 2011, 3.C.1.b: the squares
 * of numbers that are not negative are increasing and convex).  For the last line S is in [-N, P] and S' in
 * [-m max(0, -lo), m max(0, hi)].
 *
 * Each of these grows, or stays, if a row is added: with rows that the unit did not have at that time a loss is
 * overstated and never understated.  That is why q of different signs are not set off against each other even
 * where all rows counted.
 *
 * Of a limit above KEPT_MOST it is not made use: all rows are added up, which is no less.
 */
#include "postgres.h"

#include "ledger/rows/unit_tally.h"
#include "num/whole.h"

/* More numbers than this are not kept. */
#define KEPT_MOST 1024

/* The largest of the numbers that were added. */
typedef struct Largest
{
	int			limit;			/* as many; 0: all, of which the sum alone is known */
	int			n;
	int			room;
	uint64	   *kept;
	uint64		sum;			/* if there is no limit */
} Largest;

struct DpsUnitTally
{
	DpsCountingRows counting;
	int64		nrows;
	Largest		positive;		/* q, or |q| if rows spread */
	Largest		negative;		/* -q */
};

/* ---- the largest numbers ---- */

static int
compare_falling(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return (x < y) - (x > y);
}

/* Leaves the largest ones, in falling order. */
static void
trim(Largest *largest)
{
	qsort(largest->kept, largest->n, sizeof(uint64), compare_falling);
	largest->n = Min(largest->n, largest->limit);
}

static void
make_room(Largest *largest)
{
	if (largest->room < 2 * largest->limit)
	{
		largest->room = Min(2 * largest->room, 2 * largest->limit);
		largest->kept = repalloc(largest->kept, sizeof(uint64) * largest->room);
	}
	else
		trim(largest);
}

static void
keep(Largest *largest, uint64 number)
{
	if (largest->limit == 0)
	{
		largest->sum = dps_whole_add(largest->sum, number);
		return;
	}
	if (largest->n == largest->room)
		make_room(largest);
	largest->kept[largest->n++] = number;
}

static void
clear(Largest *largest)
{
	largest->n = 0;
	largest->sum = 0;
}

static void
prepare(Largest *largest, int32 rows)
{
	largest->limit = rows <= KEPT_MOST ? rows : 0;
	largest->room = Max(2 * Min(largest->limit, 8), 1);
	largest->kept = palloc(sizeof(uint64) * largest->room);
	clear(largest);
}

/* The sum of the largest ones behind the first so many, of at most so many; they are in order. */
static uint64
sum_of(const Largest *largest, int first, int most)
{
	uint64		sum = 0;
	int			i;

	for (i = first; i < largest->n && i - first < most; i++)
		sum = dps_whole_add(sum, largest->kept[i]);
	return sum;
}

static uint64
sum_all(Largest *largest)
{
	if (largest->limit == 0)
		return largest->sum;
	trim(largest);
	return sum_of(largest, 0, largest->limit);
}

/* The root of B. */
static uint64
root_of_blocks(Largest *largest, int in_group)
{
	unsigned __int128 squares = 0;
	int			first;

	if (largest->limit == 0)
		return largest->sum;
	trim(largest);
	for (first = 0; first < largest->n; first += in_group)
		squares = dps_whole_squares(squares, sum_of(largest, first, in_group));
	return dps_whole_root(squares);
}

/* ---- tallies ---- */

DpsUnitTally *
dps_unit_tally_make(const DpsCountingRows *counting)
{
	DpsUnitTally *tally = palloc0(sizeof(DpsUnitTally));

	tally->counting = *counting;
	prepare(&tally->positive, counting->rows);
	prepare(&tally->negative, counting->rows);
	return tally;
}

void
dps_unit_tally_clear(DpsUnitTally *tally)
{
	tally->nrows = 0;
	clear(&tally->positive);
	clear(&tally->negative);
}

void
dps_unit_tally_add(DpsUnitTally *tally, int64 q)
{
	if (tally->nrows < tally->counting.rows)
		tally->nrows++;
	if (q > 0 || tally->counting.spreads)
		keep(&tally->positive, q > 0 ? (uint64) q : -(uint64) q);
	else if (q < 0)
		keep(&tally->negative, -(uint64) q);
}

uint64
dps_unit_tally_move(DpsUnitTally *tally, int norm)
{
	uint64		up;
	uint64		down;

	if (tally->counting.spreads)
		return norm == 1 ? sum_all(&tally->positive) : root_of_blocks(&tally->positive, tally->counting.in_group);
	up = sum_all(&tally->positive);
	down = sum_all(&tally->negative);
	return Max(up, down);
}

/* The claim for q = unit. */
uint64
dps_unit_tally_rows(const DpsUnitTally *tally, int norm, uint64 unit)
{
	uint64		rows = (uint64) tally->nrows;
	uint64		in_group = (uint64) tally->counting.in_group;
	uint64		block = dps_whole_times(in_group, unit);
	unsigned __int128 squares;

	if (norm == 1 || !tally->counting.spreads)
		return dps_whole_times(rows, unit);
	if (__builtin_mul_overflow((unsigned __int128) block * block, (unsigned __int128) (rows / in_group), &squares))
		return DPS_TOO_MANY;
	return dps_whole_root(dps_whole_squares(squares, dps_whole_times(rows % in_group, unit)));
}

uint64
dps_unit_tally_replace(DpsUnitTally *tally, int64 lo, int64 hi)
{
	uint64		below = dps_whole_times(lo < 0 ? -(uint64) lo : 0, (uint64) tally->counting.rows);
	uint64		above = dps_whole_times(hi > 0 ? (uint64) hi : 0, (uint64) tally->counting.rows);
	uint64		up = dps_whole_add(sum_all(&tally->positive), below);
	uint64		down = dps_whole_add(sum_all(&tally->negative), above);

	return Max(up, down);
}
