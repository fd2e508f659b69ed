/*
 * smooth_median.c
 *		How far one replaced value moves the median of given values.
 *
 * K. Nissim, S. Raskhodnikova, A. Smith, "Smooth sensitivity and sampling in private
 * data analysis" (2007), section 3.1.  Let x_1 <= ... <= x_n in [lower, upper] be the
 * values, x_i = lower for i < 1 and upper for i > n, and m the number of the median.
 *
 * One value of y replaced by another moves y_m to somewhere between y_(m-1) and
 * y_(m+1), and can move it to both: one from m on becomes lower, or one up to m
 * becomes upper.  So the local sensitivity of y is max(y_m - y_(m-1), y_(m+1) - y_m).
 * Where k values of x were replaced, t of them by greater ones, only those move the
 * value of a number up, by one place each, and only the k - t others move it down: y_m
 * is at most x_(m+t), y_(m-1) at least x_(m-1-(k-t)), and y_(m+1) and y_m likewise one
 * place higher.  So the local sensitivity of y is at most x_(m+t) - x_(m+t-k-1) for a t
 * from 0 to k + 1, and it is that where of the k values between these two as many become
 * upper, and the rest lower, as leave the two side by side at m.  With i = m+t-k-1 and
 * j = m+t the smooth sensitivity is
 *
 *		max over i <= m <= j, i < j of (x_j - x_i) exp(-beta (j - i - 1)),
 *
 * and below i = 0 and above j = n + 1 there is nothing greater.  For a greater i the
 * best j is no smaller, since (x_j - x_i) exp(-beta j) loses more of a smaller j's
 * where x_i is greater.  So a search by halves takes O(n log n), as in the paper.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "audit/local/smooth_median.h"

typedef struct Search
{
	const DpsSorted *sorted;
	double		beta;
	double		greatest;
} Search;

static double
value_at(const DpsSorted *sorted, int64 i)
{
	if (i < 1)
		return sorted->lower;
	return i > sorted->count ? sorted->upper : sorted->value[i - 1];
}

static int64
median_of(const DpsSorted *sorted)
{
	return (sorted->count + 1) / 2;
}

double
dps_local_median(const DpsSorted *sorted)
{
	int64		m = median_of(sorted);
	double		median = value_at(sorted, m);

	return fmax(median - value_at(sorted, m - 1), value_at(sorted, m + 1) - median);
}

/* The best j of first..last for i; what it reaches is noted. */
static int64
best_partner(Search *s, int64 i, int64 first, int64 last)
{
	double		least = value_at(s->sorted, i);
	double		greatest = -1;
	int64		best = first;
	int64		j;

	for (j = Max(first, i + 1); j <= last; j++)
	{
		double		reached = (value_at(s->sorted, j) - least) * exp(-s->beta * (double) (j - i - 1));

		if (reached > greatest)
		{
			greatest = reached;
			best = j;
		}
	}
	s->greatest = fmax(s->greatest, greatest);
	return best;
}

/* All i from..to, whose best j are within first..last. */
static void
search(Search *s, int64 from, int64 to, int64 first, int64 last)
{
	int64		middle = from + (to - from) / 2;
	int64		best;

	if (from > to)
		return;
	CHECK_FOR_INTERRUPTS();
	best = best_partner(s, middle, first, last);
	search(s, from, middle - 1, first, best);
	search(s, middle + 1, to, best, last);
}

double
dps_smooth_median(const DpsSorted *sorted, double beta)
{
	Search		s = {sorted, beta, 0};

	search(&s, 0, median_of(sorted), median_of(sorted), sorted->count + 1);
	return s.greatest;
}
