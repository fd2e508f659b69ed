/*
 * similarity.c
 *		How alike two grey images look to people.
 *
 * SSIM is that of Wang, Bovik, Sheikh and Simoncelli 2004: in each window, with weights
 * of a Gaussian of deviation 1.5 that add up to 1, means m, variances v and the covariance c
 * make (2 m_x m_y + C1) (2 c + C2) / ((m_x^2 + m_y^2 + C1) (v_x + v_y + C2)) with
 * C1 = (0.01 range)^2 and C2 = (0.03 range)^2; what is returned is the mean.
 *
 * HaarPSI is that of Reisenhofer, Bosse, Kutyniok and Wiegand 2018 for grey images of range
 * 255, which are halved first by means of 2 by 2 pixels: Haar coefficients of the two finer
 * scales are compared where they are, those of the third say how much a place counts.  As in
 * the authors' program an image is followed by zeros on all sides, and a window of 2 h by 2 h
 * begins h - 1 before its pixel.
 */
#include <math.h>
#include <stdbool.h>

#include "tensor/similarity.h"

/*
 * SSIM
 */

#define SSIM_DEVIATION 1.5

/* Weights along one axis; those of a window are their products. */
static void
set_weights(double *weight, int window)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < window; i++)
	{
		double		away = i - (window - 1) / 2.0;

		weight[i] = exp(-away * away / (2 * SSIM_DEVIATION * SSIM_DEVIATION));
		sum += weight[i];
	}
	for (i = 0; i < window; i++)
		weight[i] /= sum;
}

typedef struct Moments
{
	double		x;
	double		y;
	double		xx;
	double		yy;
	double		xy;
} Moments;

/* The weighted means of the pixels of a window. */
static Moments
window_means(const DpsImagePair *pair, const double *weight, int window, int row, int column)
{
	Moments		mean = {0};
	int			i;
	int			j;

	for (i = 0; i < window; i++)
	{
		for (j = 0; j < window; j++)
		{
			int64_t		at = (int64_t) (row + i) * pair->columns + column + j;

			mean.x += weight[i] * weight[j] * pair->x[at];
			mean.y += weight[i] * weight[j] * pair->y[at];
		}
	}
	return mean;
}

/* Means, with variances and covariance around them: differences from the means are
 * squared, not subtracted afterwards, so that nothing cancels, and multiplied first, so
 * that the order of the images makes no difference in the last bit. */
static Moments
window_moments(const DpsImagePair *pair, const double *weight, int window, int row, int column)
{
	Moments		m = window_means(pair, weight, window, row, column);
	int			i;
	int			j;

	for (i = 0; i < window; i++)
	{
		for (j = 0; j < window; j++)
		{
			int64_t		at = (int64_t) (row + i) * pair->columns + column + j;
			double		dx = pair->x[at] - m.x;
			double		dy = pair->y[at] - m.y;

			m.xx += weight[i] * weight[j] * (dx * dx);
			m.yy += weight[i] * weight[j] * (dy * dy);
			m.xy += weight[i] * weight[j] * (dx * dy);
		}
	}
	return m;
}

double
dps_ssim(const DpsImagePair *pair, int window)
{
	double		weight[DPS_MAX_SSIM_WINDOW];
	double		c1 = 0.01 * pair->range * (0.01 * pair->range);
	double		c2 = 0.03 * pair->range * (0.03 * pair->range);
	double		sum = 0;
	int64_t		rows = pair->rows - window + 1;
	int64_t		columns = pair->columns - window + 1;
	int			i;
	int			j;

	set_weights(weight, window);
	for (i = 0; i < rows; i++)
	{
		for (j = 0; j < columns; j++)
		{
			Moments		m = window_moments(pair, weight, window, i, j);

			sum += (2 * m.x * m.y + c1) / (m.x * m.x + m.y * m.y + c1) * ((2 * m.xy + c2) / (m.xx + m.yy + c2));
		}
	}
	return sum / (double) (rows * columns);
}

/*
 * HaarPSI
 */

#define HAARPSI_RANGE 255.0
#define HAARPSI_C 30.0
#define HAARPSI_ALPHA 4.2
#define HAARPSI_SCALES 3

/* A pixel of the halved image, from 0 to 255; 0 outside of it. */
static double
halved_pixel(const DpsImagePair *pair, const double *image, int row, int column)
{
	double		sum = 0;
	int			i;
	int			j;

	if (row < 0 || column < 0)
		return 0;
	for (i = 2 * row; i <= 2 * row + 1; i++)
	{
		for (j = 2 * column; j <= 2 * column + 1; j++)
		{
			if (i < pair->rows && j < pair->columns)
				sum += image[(int64_t) i * pair->columns + j];
		}
	}
	return sum / 4 * (HAARPSI_RANGE / pair->range);
}

/* The magnitude of the Haar coefficient of a scale: one half of the window less the other,
 * above and below or left and right. */
static double
haar_coefficient(const DpsImagePair *pair, const double *image, int scale, bool across, int row, int column)
{
	int			half = 1 << (scale - 1);
	double		sum = 0;
	int			i;
	int			j;

	for (i = 0; i < 2 * half; i++)
	{
		for (j = 0; j < 2 * half; j++)
		{
			double		pixel = halved_pixel(pair, image, row - half + 1 + i, column - half + 1 + j);

			sum += (across ? j : i) < half ? -pixel : pixel;
		}
	}
	return fabs(sum) / (2 * half);
}

static double
logistic(double x)
{
	return 1 / (1 + exp(-HAARPSI_ALPHA * x));
}

static double
coefficient_similarity(double a, double b)
{
	return (2 * a * b + HAARPSI_C) / (a * a + b * b + HAARPSI_C);
}

/* How alike the two are at a place in one direction, and how much that counts. */
static double
place_similarity(const DpsImagePair *pair, bool across, int row, int column, double *weight)
{
	double		sum = 0;
	int			scale;

	for (scale = 1; scale < HAARPSI_SCALES; scale++)
		sum += coefficient_similarity(haar_coefficient(pair, pair->x, scale, across, row, column),
									  haar_coefficient(pair, pair->y, scale, across, row, column));
	*weight = fmax(haar_coefficient(pair, pair->x, HAARPSI_SCALES, across, row, column),
				   haar_coefficient(pair, pair->y, HAARPSI_SCALES, across, row, column));
	return sum / (HAARPSI_SCALES - 1);
}

double
dps_haarpsi(const DpsImagePair *pair)
{
	double		weights = 0;
	double		sum = 0;
	double		mean;
	double		root;
	int			row;
	int			column;
	int			across;

	for (row = 0; row < (pair->rows + 1) / 2; row++)
	{
		for (column = 0; column < (pair->columns + 1) / 2; column++)
		{
			for (across = 0; across <= 1; across++)
			{
				double		weight;
				double		similarity = place_similarity(pair, across == 1, row, column, &weight);

				sum += weight * logistic(similarity);
				weights += weight;
			}
		}
	}
	mean = sum / weights;
	root = log(mean / (1 - mean)) / HAARPSI_ALPHA;
	/* where all similarities are 1, rounding can make it a little more */
	return root > 1 ? 1 : root * root;
}
