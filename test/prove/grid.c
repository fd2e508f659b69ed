/*
 * grid.c
 *		Sensitivities on the grid (moment/grid.c): for all ends of a range, what is stated
 *		is no less than what rows of that range do.
 *
 * unwind: 41
 */
#include "moment/grid.c"

#include "prove.h"

static DpsGrid
any_grid(void)
{
	DpsGrid		grid = {nondet_int(), nondet_int64(), nondet_int64()};

	ASSUME(grid.lo >= -DPS_GRID_LIMIT && grid.lo <= grid.hi && grid.hi <= DPS_GRID_LIMIT);
	return grid;
}

/* An integer of a row. */
static int64_t
any_within(const DpsGrid *grid)
{
	int64_t		q = nondet_int64();

	ASSUME(q >= grid->lo && q <= grid->hi);
	return q;
}

/* Of a row that counts, or of one that does not. */
static int64_t
any_or_none(const DpsGrid *grid)
{
	return nondet_int() != 0 ? any_within(grid) : 0;
}

static uint64_t
apart(int64_t a, int64_t b)
{
	return a > b ? (uint64_t) a - (uint64_t) b : (uint64_t) b - (uint64_t) a;
}

void
prove_add_remove(void)
{
	DpsGrid		grid = any_grid();
	uint64_t	stated = dps_grid_magnitude(&grid);
	int64_t		q = any_within(&grid);

	CLAIM(stated >= apart(q, 0), "a row adds no more than the magnitude");
	CLAIM(stated != 0 || (grid.lo == 0 && grid.hi == 0), "which is 0 where only zeros are added");
	CLAIM(stated <= (uint64_t) DPS_GRID_LIMIT, "and fits");
}

void
prove_replace(void)
{
	DpsGrid		grid = any_grid();
	uint64_t	stated = dps_grid_length(&grid);
	int64_t		a = any_within(&grid);
	int64_t		b = any_within(&grid);

	CLAIM(stated >= apart(a, b), "two rows are no further apart than the length");
	CLAIM(stated != 0 || grid.lo == grid.hi, "which is 0 where there is one value");
}

void
prove_toggle(void)
{
	DpsGrid		grid = any_grid();
	uint64_t	stated = dps_grid_length_with_zero(&grid);
	int64_t		a = any_or_none(&grid);
	int64_t		b = any_or_none(&grid);

	CLAIM(stated >= apart(a, b), "nor rows that may not count");
	CLAIM(stated != 0 || (grid.lo == 0 && grid.hi == 0), "0 only where only zeros are added");
}

void
prove_counts(void)
{
	uint64_t	rows = nondet_uint64();
	int			k = dps_grid_of_counts(rows);

	CLAIM(k >= DPS_COUNT_GRID && k <= 0, "a count is a whole number of units");
	CLAIM(k == 0 || rows <= UINT64_C(1) << (k - DPS_COUNT_GRID), "and a unit of so many rows changes it by 2^40 at most");
}
