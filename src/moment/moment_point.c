/*
 * moment_point.c
 *		Statistics of second moments that are taken as they are.
 */
#include <math.h>

#include "moment/moment_point.h"

void
dps_moment_point(const DpsMomentDesign *design, const DpsMomentBasis *basis, const double *output, double count,
				 DpsMomentPoint *point)
{
	int			n = dps_moment_count(design);
	int			i;
	int			k;

	point->design = design;
	for (i = 0; i < n; i++)
	{
		const DpsMomentInverse *inverse = &basis->inverse[i];

		point->moment[i] = 0.0;
		for (k = 0; k < inverse->nterms; k++)
			point->moment[i] += inverse->weight[k] *
				(inverse->output[k] < basis->noutputs ? output[inverse->output[k]] : count);
	}
}

/* x 2^k: as ldexp, which takes a fifth of the time of all that is done here. */
static inline double
times_power(double x, int k)
{
	union
	{
		uint64_t	bits;
		double		number;
	}			power;

	if (k < -1022 || k > 1023)
		return ldexp(x, k);
	power.bits = (uint64_t) (k + 1023) << 52;
	return x * power.number;
}

static inline double
square_at(double x)
{
	return x * x;
}

#define NUMBER double
#define MOMENTS DpsMomentPoint
#define NAME(f) f##_at
#define LOWER(x) (x)
#define UPPER(x) (x)
#define RANGE(lo, hi) ((void) (hi), (lo))
#define EXACT(d) (d)
#define ANYTHING NAN
#define SCALED(d, k) times_power(d, k)
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define SQR(x) square_at(x)
#define SQRT(x) sqrt(x)

#include "moment/moment_formulas.h"
