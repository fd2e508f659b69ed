/*
 * capped.c
 *		Budgets of answers of which each has a pure epsilon of at most a largest one.
 *
 * Theorem (filters by a convex potential).  Let V_b(x), for what is left of a budget b >= 0 and x >= 0, be convex in x
 * with
 *		(1) V_b(x) >= max(x - e^epsilon, 0), and
 *		(2) E V_(b-c)(x Z) <= V_b(x) for each release of cost c <= b, Z being the ratio P/Q of its outcome's
 *			probabilities under two neighbours, whatever was answered before, and E over Q.
 * Then what is answered while costs add up to no more than B, however it is chosen, is (epsilon, V_B(1))-DP.
 * Proof.  With X the ratio P/Q of the transcript so far and b what is left, both after n requests, V_b(X) is a supermartingale
 * under Q: a request that is answered by (2), one that is refused changes neither.  Costs are public, so that b
 * follows from the transcript.  By (1) E max(X - e^epsilon, 0) <= V_B(1) at the end, and that is at least P(S) - e^epsilon Q(S) for
 * each event S.  P and Q change places likewise.  A release that is within delta_i of one like that, as a selection of groups,
 * adds its delta_i: the induction of filter.c.  (Where Q has no mass, P has none by pure DP, and of Gaussian noise neither.)
 *
 * Here b is a whole number of parts and V_b is the least solution: W_0(x) = max(x - e^epsilon, 0), and W_b(x) the largest of it
 * and of E W_(b - k(k+1)/2)(x e^(+-kh)) over k = 1 ... 4, h a quarter of the largest epsilon, where e^(kh) has the probability
 * 1 / (1 + e^(kh)), which makes the mean 1: randomised response of kh.  W_b is convex, as a maximum of mixtures of convex functions of multiples
 * of x, and does not fall.  The ratio Z of a release of an epsilon in ((k-1)h, kh] lies between e^(-kh) and e^(kh) with mean 1, and
 * a convex function is at most its chord, so that E W(x Z) is at most that of randomised response (Kairouz, Oh and Viswanath 2015,
 * whose theorem is this for numbers fixed in advance).  That is (2).  A release of epsilon 0 has Z = 1 and costs
 * nothing.  So any cost per quarter would do, dearer or cheaper: the total follows.  These let answers of less than the largest epsilon
 * cost near to its square, while the adversary of (2), who keeps small ones for the moment at which x is near e^epsilon,
 * gains one answer of the largest epsilon by it and not five.
 *
 * Computation.  From x = 1 all arguments are e^(ih) with whole i.  Beyond the end of a row W_b(x) <= x, since max(x - e^epsilon, 0) <= x and x Z
 * has the mean x; below its beginning W_b is at most what it is there.  All values are positive and rounded up: of two
 * products and a sum each loses a factor of 1 - 2^-53 at most, for which both probabilities are made 1 + 2^-50 times as
 * large, since an upper bound on either makes the mean no smaller.  Values begin at 2^-900, so that none is denormal.
 */
#include <math.h>

#include "account/capped.h"
#include "num/interval.h"
#include "num/interval_fn.h"
#include "num/whole.h"

/* What the rounding of an answer's epsilon, and of the sum over its parts, may add, in units of the ledger. */
#define SLACK 16

/* The longest list of parts. */
#define MOST_PARTS (1 << 17)

#define LEAST_VALUE 0x1p-900
#define ROUNDING (1.0 + 0x1p-50)

/* Rows of W for the last numbers of parts, and the steps. */
typedef struct Search
{
	double		gamma;			/* e^epsilon, down */
	int			middle;			/* index of i = 0 */
	int			width;
	double	   *x;				/* e^(ih), up */
	double	   *rows[DPS_CAPPED_PARTS + 1];
	double		up[DPS_CAPPED_LEVELS + 1];
	double		down[DPS_CAPPED_LEVELS + 1];
} Search;

static int
parts_of(int level)
{
	return level * (level + 1) / 2;
}

/* The largest epsilon in units of the ledger; unbounded if there is none. */
static DpsAmount
largest_amount(double largest)
{
	DpsAmount	amount = dps_amount_of_loss(largest, DPS_LOSS_BITS);

	return largest > 0.0 && amount < DPS_AMOUNT_UNBOUNDED >> 8 ? amount + SLACK : DPS_AMOUNT_UNBOUNDED;
}

/* One part, in units of rho. */
static DpsAmount
part_amount(DpsAmount largest)
{
	__int128	part = ((__int128) largest * largest >> DPS_LOSS_BITS) / (2 * DPS_CAPPED_PARTS);

	if (part < 1)
		return 1;
	return part < DPS_AMOUNT_UNBOUNDED / MOST_PARTS ? (DpsAmount) part : DPS_AMOUNT_UNBOUNDED / MOST_PARTS - 1;
}

DpsAmount
dps_capped_cost(double largest, double epsilon)
{
	DpsAmount	most = largest_amount(largest);
	DpsAmount	one = dps_amount_of_loss(epsilon, DPS_LOSS_BITS);
	int			level = 0;

	if (most == DPS_AMOUNT_UNBOUNDED || one > most)
		return DPS_AMOUNT_UNBOUNDED;
	while ((__int128) level * most < (__int128) one * DPS_CAPPED_LEVELS)
		level++;
	return dps_amount_times(part_amount(most), (uint64_t) parts_of(level));
}

static DpsInterval
power(double h, int i)
{
	return dps_iv_exp(dps_iv_mul(dps_iv_point(h), dps_iv_point(i)));
}

/* Rows that reach to twice epsilon, where hardly any transcript comes, on either side. */
static bool
make_rows(DpsArena *arena, double h, double epsilon, Search *search)
{
	search->middle = (int) dps_to_int64(ceil(2.0 * epsilon / h)) + 2 * DPS_CAPPED_LEVELS;
	search->width = 2 * search->middle + 1;
	search->x = dps_arena_alloc(arena, sizeof(double) * (size_t) search->width);
	for (int i = 0; i <= DPS_CAPPED_PARTS; i++)
	{
		search->rows[i] = dps_arena_alloc(arena, sizeof(double) * (size_t) search->width);
		if (search->rows[i] == NULL)
			return false;
	}
	return search->x != NULL;
}

/* x - e^epsilon, or the least value. */
static double
last_value(const Search *search, int i)
{
	return fmax(dps_sub_up(search->x[i], search->gamma), LEAST_VALUE);
}

static void
begin(Search *search, double h)
{
	DpsInterval one = dps_iv_point(1.0);

	for (int k = 1; k <= DPS_CAPPED_LEVELS; k++)
	{
		search->up[k] = dps_mul_up(dps_iv_div(one, dps_iv_add(one, power(h, k))).hi, ROUNDING);
		search->down[k] = dps_mul_up(dps_iv_div(one, dps_iv_add(one, power(h, -k))).hi, ROUNDING);
	}
	for (int i = 0; i < search->width; i++)
	{
		search->x[i] = power(h, i - search->middle).hi;
		search->rows[0][i] = last_value(search, i);
	}
}

/* The ends of a row, where nothing is computed. */
static void
extend(const Search *search, double *row)
{
	for (int i = 0; i < DPS_CAPPED_LEVELS; i++)
	{
		row[i] = row[DPS_CAPPED_LEVELS];
		row[search->width - 1 - i] = search->x[search->width - 1 - i];
	}
}

/* The row of so many parts, of those before it. */
static double *
next_row(Search *search, int parts)
{
	double	   *row = search->rows[parts % (DPS_CAPPED_PARTS + 1)];

	for (int i = 0; i < search->width; i++)
		row[i] = last_value(search, i);
	for (int k = 1; k <= DPS_CAPPED_LEVELS && parts_of(k) <= parts; k++)
	{
		const double *from = search->rows[(parts - parts_of(k)) % (DPS_CAPPED_PARTS + 1)];

		for (int i = DPS_CAPPED_LEVELS; i < search->width - DPS_CAPPED_LEVELS; i++)
		{
			double		value = search->up[k] * from[i + k] + search->down[k] * from[i - k];

			row[i] = value > row[i] ? value : row[i];
		}
	}
	extend(search, row);
	return row;
}

DpsStatus
dps_capped_total(DpsArena *arena, double largest, double epsilon, double delta, DpsAmount *total)
{
	DpsAmount	most = largest_amount(largest);
	double		h = ldexp((double) most, -DPS_LOSS_BITS) / DPS_CAPPED_LEVELS;
	int			parts = 0;
	Search		search = {.gamma = dps_iv_exp(dps_iv_point(epsilon)).lo};

	if (!(delta > 0.0 && delta < 1.0 && largest <= epsilon && epsilon <= DPS_CAPPED_RATIO * largest && epsilon <= DPS_CAPPED_EPSILON_MAX) ||
		most == DPS_AMOUNT_UNBOUNDED)
		return DPS_DOMAIN;
	if (!make_rows(arena, h, epsilon, &search))
		return DPS_NOMEM;
	begin(&search, h);
	while (parts < MOST_PARTS - 1 && next_row(&search, parts + 1)[search.middle] <= delta)
	{
		parts++;
		if (!dps_arena_work(arena, (uint32_t) search.width))
			return DPS_CANCELLED;
	}
	*total = dps_amount_times(part_amount(most), (uint64_t) parts);
	return DPS_OK;
}
