/*
 * similarity.h
 *		How alike two grey images look to people.
 *
 * Images are rows by columns, row by row.  What does not exist is NaN.
 */
#ifndef DPS_TENSOR_SIMILARITY_H
#define DPS_TENSOR_SIMILARITY_H

#include <stdint.h>

typedef struct DpsImagePair
{
	const double *x;
	const double *y;
	int			rows;
	int			columns;
	double		range;			/* from black to white, > 0 */
} DpsImagePair;

/* Windows of dps_ssim are no larger. */
#define DPS_MAX_SSIM_WINDOW 101

/*
 * The mean structural similarity, of all square windows of this size that lie within the
 * images, which are no smaller; 1 to DPS_MAX_SSIM_WINDOW.
 */
extern double dps_ssim(const DpsImagePair *pair, int window);

/* The Haar wavelet-based perceptual similarity; NaN of two images that are black. */
extern double dps_haarpsi(const DpsImagePair *pair);

#endif							/* DPS_TENSOR_SIMILARITY_H */
