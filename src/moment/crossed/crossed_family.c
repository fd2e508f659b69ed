/*
 * crossed_family.c
 *		Grouping sets of any kind: their tables, and the interactions that these are made of.
 *
 * A table x_S on the keys of S is the sum of its interactions, one for each A that is a subset of S: let x_A be the sums of
 * x_S over the keys that A has not, N_A the number of its cells, and c_A = C_A x_A, where C_A takes from each line along
 * each key of A its mean.  Then
 *
 *		x_S(g) = sum_(A in S) N_A / N_S c_A(g_A),
 *
 * as the identity along a key is the mean and what is left of it, multiplied out.  The terms of different A are orthogonal,
 * and c_A has d_A = prod (m_i - 1) dimensions, m_i the numbers of values of the keys of A (analysis of variance; as in
 * Xiao, He, Zhang and Kifer 2023, ResidualPlanner).
 *
 * The tables of several sets are sums of one table on all of their keys if and only if those that contain A have the same
 * c_A, for each A; any such c_A are possible.
 */
#include <math.h>
#include <string.h>

#include "moment/crossed/crossed_family.h"
#include "num/whole.h"

static int64_t
count_cells(const DpsCrossedFamily *family, uint32_t keys)
{
	int64_t		cells = 1;

	for (int i = 0; i < family->nkeys; i++)
	{
		if ((keys & (UINT32_C(1) << i)) != 0 && cells <= DPS_CROSSED_CELLS)
			cells *= family->values[i];
	}
	return cells;
}

static double
count_dimensions(const DpsCrossedFamily *family, uint32_t keys)
{
	double		dimension = 1;

	for (int i = 0; i < family->nkeys; i++)
	{
		if ((keys & (UINT32_C(1) << i)) != 0)
			dimension *= (double) (family->values[i] - 1);
	}
	return dimension;
}

static int
find_part(const DpsCrossedFamily *family, uint32_t keys)
{
	for (int i = 0; i < family->nparts; i++)
	{
		if (family->keys[i] == keys)
			return i;
	}
	return -1;
}

/* Adds all subsets of a set; false if there are too many. */
static bool
add_parts(DpsCrossedFamily *family, uint32_t set)
{
	uint32_t	keys = 0;

	if (__builtin_popcount(set) > 9)
		return false;
	/* the next larger subset, until it is 0 again */
	do
	{
		if (find_part(family, keys) < 0)
		{
			if (family->nparts == DPS_CROSSED_PARTS)
				return false;
			family->keys[family->nparts++] = keys;
		}
		keys = (keys - set) & set;
	} while (keys != 0);
	return true;
}

/* By their numbers of keys. */
static void
sort_parts(DpsCrossedFamily *family)
{
	for (int i = 1; i < family->nparts; i++)
	{
		uint32_t	keys = family->keys[i];
		int			j = i;

		for (; j > 0 && __builtin_popcount(family->keys[j - 1]) > __builtin_popcount(keys); j--)
			family->keys[j] = family->keys[j - 1];
		family->keys[j] = keys;
	}
}

/* Steps of a fit, about; infinite if there are too many cells. */
static double
count_work(const DpsCrossedFamily *family)
{
	int64_t		cells = 0;
	double		work = 0;

	for (int i = 0; i < family->nparts; i++)
	{
		cells += family->cells[i];
		if (family->cells[i] > DPS_CROSSED_CELLS || cells > DPS_CROSSED_CELLS)
			return INFINITY;
	}
	for (int whole = 0; whole < family->nparts; whole++)
	{
		for (int part = 0; part < family->nparts; part++)
		{
			if (dps_crossed_within(family, part, whole))
				work += (double) family->cells[whole] + (double) family->cells[part] * __builtin_popcount(family->keys[part]);
		}
	}
	return work;
}

DpsStatus
dps_crossed_make(int nkeys, const int64_t *values, int nsets, const uint32_t *sets, DpsCrossedFamily *family)
{
	memset(family, 0, sizeof(*family));
	if (nkeys < 0 || nkeys > DPS_CROSSED_KEYS || nsets < 1 || nsets > DPS_CROSSED_SETS)
		return DPS_DOMAIN;
	family->nkeys = nkeys;
	family->nsets = nsets;
	for (int i = 0; i < nkeys; i++)
	{
		if (values[i] < 1 || values[i] > DPS_CROSSED_CELLS)
			return DPS_DOMAIN;
		family->values[i] = values[i];
	}
	for (int i = 0; i < nsets; i++)
	{
		if ((nkeys < 32 && sets[i] >> nkeys != 0) || !add_parts(family, sets[i]))
			return DPS_DOMAIN;
	}
	sort_parts(family);
	for (int i = 0; i < family->nparts; i++)
	{
		family->cells[i] = count_cells(family, family->keys[i]);
		family->dimension[i] = count_dimensions(family, family->keys[i]);
	}
	for (int i = 0; i < nsets; i++)
		family->part[i] = find_part(family, sets[i]);
	return count_work(family) <= (double) DPS_CROSSED_WORK ? DPS_OK : DPS_DOMAIN;
}

/* Key by key: each number becomes as many as the key has values, from the last on, so that none is lost. */
void
dps_crossed_map(const DpsCrossedFamily *family, int whole, int part, int64_t *map)
{
	int64_t		n = 1;

	map[0] = 0;
	for (int i = 0; i < family->nkeys; i++)
	{
		int64_t		m = family->values[i];
		uint32_t	bit = UINT32_C(1) << i;

		if ((family->keys[whole] & bit) == 0)
			continue;
		for (int64_t j = n - 1; j >= 0; j--)
		{
			int64_t		kept = map[j];

			for (int64_t k = m - 1; k >= 0; k--)
				map[j * m + k] = (family->keys[part] & bit) != 0 ? kept * m + k : kept;
		}
		n *= m;
	}
}

int64_t
dps_crossed_stride(const DpsCrossedFamily *family, int part, int key)
{
	int64_t		stride = 1;

	if ((family->keys[part] & (UINT32_C(1) << key)) == 0)
		return 0;
	for (int i = key + 1; i < family->nkeys; i++)
	{
		if ((family->keys[part] & (UINT32_C(1) << i)) != 0)
			stride *= family->values[i];
	}
	return stride;
}

/*
 * The estimate of c_A (crossed.c) has the covariance C_A / q, where q = sum 1 / (v_S N_S) over the sets with A, times N_A; the
 * diagonal of C_A is d_A / N_A.  So that of the cell is sum_A (N_A / N_S)^2 d_A / (N_A N_A q).
 */
void
dps_crossed_variances(const DpsCrossedFamily *family, const double *noise, double *fits)
{
	for (int s = 0; s < family->nsets; s++)
		fits[s] = 0;
	for (int a = 0; a < family->nparts; a++)
	{
		double		precision = 0;

		for (int s = 0; s < family->nsets; s++)
		{
			if (dps_crossed_within(family, a, family->part[s]))
				precision += 1 / (noise[s] * (double) family->cells[family->part[s]]);
		}
		for (int s = 0; s < family->nsets; s++)
		{
			double		cells = (double) family->cells[family->part[s]];

			if (dps_crossed_within(family, a, family->part[s]))
				fits[s] += family->dimension[a] / (cells * cells * precision);
		}
	}
}
