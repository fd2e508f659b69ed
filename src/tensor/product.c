/*
 * product.c
 *		Matrix products and inner products.
 *
 * Loops run along rows of the matrices as they lie in memory, eight numbers at
 * a time so that the compiler vectorises them.  A product of two matrices is
 * made four rows of the result at a time, in strips of columns whose part of
 * the right factor stays in the cache.  Every element is added up in an order
 * that depends on the shapes alone.
 */
#include <math.h>
#include <string.h>

#include "tensor/internal.h"

#define LANES 8

/* Columns of a strip, and rows of the right factor that are used at a time. */
#define STRIP 256
#define DEPTH 64

typedef struct Product
{
	const double *x;
	const double *y;
	double	   *z;
	int64_t		m;				/* z is m by n, k products are added up */
	int64_t		n;
	int64_t		k;
	int64_t		x_row;			/* from x'[i][p] to x'[i + 1][p], */
	int64_t		x_column;		/* and to x'[i][p + 1]; ' is transposed or not */
} Product;

double
dps_inner_product(const double *restrict x, const double *restrict y, int64_t n)
{
	double		lane[LANES] = {0};
	double		sum;
	int64_t		i = 0;
	int			k;

	for (; i + LANES <= n; i += LANES)
	{
		for (k = 0; k < LANES; k++)
			lane[k] += x[i + k] * y[i + k];
	}
	sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
	for (; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* z += a * y */
static void
add_multiple(double *restrict z, const double *restrict y, double a, int64_t n)
{
	int64_t		i = 0;
	int			k;

	for (; i + LANES <= n; i += LANES)
	{
		for (k = 0; k < LANES; k++)
			z[i + k] += a * y[i + k];
	}
	for (; i < n; i++)
		z[i] += a * y[i];
}

/* The same for four rows of z, which lie `stride` apart, with one pass of y. */
static void
add_multiples(double *restrict z, int64_t stride, const double *restrict y, const double *a, int64_t n)
{
	double	   *restrict z0 = z;
	double	   *restrict z1 = z + stride;
	double	   *restrict z2 = z + 2 * stride;
	double	   *restrict z3 = z + 3 * stride;
	int64_t		i = 0;
	int			k;

	for (; i + LANES <= n; i += LANES)
	{
		for (k = 0; k < LANES; k++)
		{
			z0[i + k] += a[0] * y[i + k];
			z1[i + k] += a[1] * y[i + k];
			z2[i + k] += a[2] * y[i + k];
			z3[i + k] += a[3] * y[i + k];
		}
	}
	for (; i < n; i++)
	{
		z0[i] += a[0] * y[i];
		z1[i] += a[1] * y[i];
		z2[i] += a[2] * y[i];
		z3[i] += a[3] * y[i];
	}
}

/* One strip of columns, one stretch of p. */
static void
multiply_block(const Product *product, int64_t column, int64_t width, int64_t p0, int64_t p1)
{
	int64_t		i = 0;
	int64_t		p;

	for (; i + 4 <= product->m; i += 4)
	{
		for (p = p0; p < p1; p++)
		{
			const double *x = product->x + i * product->x_row + p * product->x_column;
			const double a[4] = {x[0], x[product->x_row], x[2 * product->x_row], x[3 * product->x_row]};

			add_multiples(product->z + i * product->n + column, product->n,
						  product->y + p * product->n + column, a, width);
		}
	}
	for (; i < product->m; i++)
	{
		for (p = p0; p < p1; p++)
			add_multiple(product->z + i * product->n + column, product->y + p * product->n + column,
						 product->x[i * product->x_row + p * product->x_column], width);
	}
}

/* y as it is: rows of z are sums of multiples of rows of y. */
static void
multiply_by_rows(const Product *product)
{
	/* a single row needs no blocks: each element of y is used once */
	int64_t		strip = product->m > 1 ? STRIP : product->n;
	int64_t		column;
	int64_t		p;

	memset(product->z, 0, sizeof(double) * (size_t) (product->m * product->n));
	for (column = 0; column < product->n; column += strip)
	{
		int64_t		width = product->n - column < strip ? product->n - column : strip;

		for (p = 0; p < product->k; p += DEPTH)
			multiply_block(product, column, width, p, p + DEPTH < product->k ? p + DEPTH : product->k);
	}
}

/* y transposed, x as it is: elements of z are inner products of rows. */
static void
multiply_by_columns(const Product *product)
{
	int64_t		i;
	int64_t		j;

	for (i = 0; i < product->m; i++)
	{
		for (j = 0; j < product->n; j++)
			product->z[i * product->n + j] =
				dps_inner_product(product->x + i * product->k, product->y + j * product->k, product->k);
	}
}

/* Both transposed: z[i][j] = sum x[p][i] * y[j][p]. */
static void
multiply_transposed(const Product *product)
{
	int64_t		i;
	int64_t		j;
	int64_t		p;

	memset(product->z, 0, sizeof(double) * (size_t) (product->m * product->n));
	for (p = 0; p < product->k; p++)
	{
		for (i = 0; i < product->m; i++)
		{
			double		a = product->x[p * product->m + i];
			double	   *row = product->z + i * product->n;

			for (j = 0; j < product->n; j++)
				row[j] += a * product->y[j * product->k + p];
		}
	}
}

void
dps_run_matmul(const DpsTensorCall *call)
{
	const DpsTensor *node = call->node;
	bool		tx = node->attribute[0] != 0;
	bool		ty = node->attribute[1] != 0;
	Product		product = {.x = call->arg[0], .y = call->arg[1], .z = call->result};

	product.m = node->shape.extent[0];
	product.n = node->shape.extent[1];
	product.k = node->arg[0]->shape.extent[tx ? 0 : 1];
	product.x_row = tx ? 1 : product.k;
	product.x_column = tx ? product.m : 1;
	if (!ty)
		multiply_by_rows(&product);
	else if (!tx)
		multiply_by_columns(&product);
	else
		multiply_transposed(&product);
}

void
dps_run_dot(const DpsTensorCall *call)
{
	call->result[0] = dps_inner_product(call->arg[0], call->arg[1], dps_tensor_size(call->node->arg[0]));
}
