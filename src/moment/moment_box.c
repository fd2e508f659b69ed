/*
 * moment_box.c
 *		Statistics of second moments that are known up to noise.
 *
 * Means and covariances are computed for the centred integers z, where nothing
 * cancels but what has to, and brought to the values' units last.  What the
 * values' ranges imply is used: |mean| <= R, 0 <= variance <= R^2 (Popoviciu), n >= 2
 * where a sample variance exists, so that it is at most twice the variance.
 */
#include <math.h>

#include "moment/moment_box.h"

void
dps_moment_box(const DpsMomentDesign *design, const DpsMomentBasis *basis, const double *output,
			   const double *reach, double count, DpsMomentBox *box)
{
	int			n = dps_moment_count(design);
	int			i;
	int			k;

	box->design = design;
	for (i = 0; i < n; i++)
	{
		const DpsMomentInverse *inverse = &basis->inverse[i];
		DpsInterval sum = dps_iv(0.0, 0.0);

		for (k = 0; k < inverse->nterms; k++)
		{
			int			place = inverse->output[k];
			DpsInterval term = dps_iv(count, count);

			if (place < basis->noutputs)
				term = dps_iv(dps_sub_down(output[place], reach[place]), dps_add_up(output[place], reach[place]));
			sum = dps_iv_add(sum, dps_iv_mul(dps_iv(inverse->weight[k], inverse->weight[k]), term));
		}
		box->moment[i] = sum;
	}
}

#define NUMBER DpsInterval
#define MOMENTS DpsMomentBox
#define NAME(f) f
#define LOWER(x) (x).lo
#define UPPER(x) (x).hi
#define RANGE(lo, hi) dps_iv(lo, hi)
#define EXACT(d) dps_iv(d, d)
#define ANYTHING DPS_ENTIRE
#define SCALED(d, k) ldexp(d, k)
#define ADD(x, y) dps_iv_add(x, y)
#define SUB(x, y) dps_iv_sub(x, y)
#define MUL(x, y) dps_iv_mul(x, y)
#define DIV(x, y) dps_iv_div(x, y)
#define SQR(x) dps_iv_sqr(x)
#define SQRT(x) dps_iv_sqrt(x)

#include "moment/moment_formulas.h"
