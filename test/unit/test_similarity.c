/*
 * test_similarity.c
 *		Similarities of images: equal and symmetric ones, whole images of one grey,
 *		sizes at the edges.  Values by another program are in pgtap/similarity.sql.
 */
#include <math.h>

#include "splitmix.h"
#include "tap.h"
#include "tensor/similarity.h"

#define SEED 20221118
#define MOST 40

static void
fill(uint64_t *random, double *image, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		image[i] = (double) (splitmix64(random) >> 11) * 0x1p-53;
}

/* Both similarities of a pair and of its mirror image. */
static void
check_pair(const double *x, const double *y, int rows, int columns)
{
	DpsImagePair pair = {x, y, rows, columns, 1};
	DpsImagePair mirrored = {y, x, rows, columns, 1};
	DpsImagePair same = {x, x, rows, columns, 1};
	int			window = rows < columns ? rows : columns;
	double		ssim;
	double		haarpsi = dps_haarpsi(&pair);

	window = window < 11 ? window : 11;
	ssim = dps_ssim(&pair, window);
	ok(ssim >= -1 && ssim < 1 && ssim == dps_ssim(&mirrored, window), "%d x %d: SSIM %.3f, the same both ways", rows, columns, ssim);
	ok(haarpsi > 0 && haarpsi < 1 && haarpsi == dps_haarpsi(&mirrored), "%d x %d: HaarPSI %.3f, the same both ways", rows, columns, haarpsi);
	ok(fabs(dps_ssim(&same, window) - 1) < 1e-12 && fabs(dps_haarpsi(&same) - 1) < 1e-9 && dps_haarpsi(&same) <= 1,
	   "%d x %d: 1 with itself", rows, columns);
}

int
main(void)
{
	static const int sizes[][2] = {{2, 2}, {2, 3}, {3, 3}, {5, 17}, {16, 16}, {28, 28}, {33, 40}};
	static double x[MOST * MOST];
	static double y[MOST * MOST];
	uint64_t	random = SEED;
	DpsImagePair pair = {x, y, 12, 12, 1};
	size_t		k;
	int			i;

	diag("seed %d", SEED);
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
	{
		fill(&random, x, sizes[k][0] * sizes[k][1]);
		fill(&random, y, sizes[k][0] * sizes[k][1]);
		check_pair(x, y, sizes[k][0], sizes[k][1]);
	}
	for (i = 0; i < 144; i++)
		x[i] = y[i] = 0;
	ok(dps_ssim(&pair, 11) == 1 && isnan(dps_haarpsi(&pair)), "black images have no contrast");
	x[70] = NAN;
	ok(isnan(dps_ssim(&pair, 11)) && isnan(dps_haarpsi(&pair)), "what is no number makes none");
	return done_testing();
}
