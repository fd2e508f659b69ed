/*
 * product.c
 *		Matrix products and inner products.
 *
 * Loops run along rows of the matrices as they lie in memory, eight numbers at
 * a time so that the compiler vectorises them.  A product of two larger matrices
 * is made in tiles of four rows and eight columns of the result, whose sums stay
 * in registers while they run over a stretch of the right factor that has been
 * copied to where it is read one after the other.  Every element is added up in
 * an order that depends on the shapes of one example alone, whatever the number
 * of examples and the width of the processor's vectors: a lane of a vector is a
 * number by itself.
 */
#include <math.h>
#include <string.h>

#include "tensor/internal.h"

#define LANES 8

/* Rows and columns of a tile. */
#define TILE_ROWS 4
#define TILE_COLUMNS LANES

/* Columns of a strip, and rows of the right factor that are used at a time:
 * 32 kB of it. */
#define STRIP 64
#define DEPTH 64

/* Eight numbers, as the compiler sees fit for the processor. */
typedef double Vector __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/* Compiled more than once, for wider vectors where the processor has them; a
 * multiplication and an addition stay two roundings.  Sanitizers would have to
 * be there before such functions are chosen. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define FOR_EVERY_WIDTH __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define FOR_EVERY_WIDTH
#endif

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
	int64_t		y_row;			/* the same of y' */
	int64_t		y_column;
	bool		adds;			/* to what z holds */
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

/* A single row or a few, y as it is: rows of z are sums of multiples of rows of y. */
static void
multiply_by_rows(const Product *product)
{
	int64_t		i;
	int64_t		p;

	if (!product->adds)
		memset(product->z, 0, sizeof(double) * (size_t) (product->m * product->n));
	for (i = 0; i < product->m; i++)
	{
		for (p = 0; p < product->k; p++)
			add_multiple(product->z + i * product->n, product->y + p * product->n,
						 product->x[i * product->x_row + p * product->x_column], product->n);
	}
}

/* A single row or a few, y transposed: elements of z are inner products of rows. */
static void
multiply_by_columns(const Product *product)
{
	int64_t		i;
	int64_t		j;

	for (i = 0; i < product->m; i++)
	{
		for (j = 0; j < product->n; j++)
		{
			double		sum = dps_inner_product(product->x + i * product->k, product->y + j * product->k, product->k);
			double	   *z = &product->z[i * product->n + j];

			*z = product->adds ? *z + sum : sum;
		}
	}
}

/* A stretch of y' as columns of eight, which lie one after the other; what is
 * missing to the last eight is 0. */
typedef struct Panel
{
	int64_t		depth;
	int64_t		width;
	double		number[STRIP * DEPTH];
} Panel;

static void
pack(const Product *product, int64_t column, int64_t p0, Panel *panel)
{
	double	   *to = panel->number;
	int64_t		j;
	int64_t		p;
	int			k;

	for (j = 0; j < panel->width; j += LANES)
	{
		int			lanes = panel->width - j < LANES ? (int) (panel->width - j) : LANES;

		for (p = 0; p < panel->depth; p++, to += LANES)
		{
			const double *from = product->y + (p0 + p) * product->y_row + (column + j) * product->y_column;

			for (k = 0; k < lanes; k++)
				to[k] = from[k * product->y_column];
			for (; k < LANES; k++)
				to[k] = 0;
		}
	}
}

/* A tile of four rows: z += x' y', with z in rows of eight. */
static inline __attribute__((always_inline)) void
multiply_tile(const double *x, int64_t x_row, int64_t x_column, const double *y, int64_t depth, double *z)
{
	Vector		sum0 = *(Vector *) z;
	Vector		sum1 = *(Vector *) (z + LANES);
	Vector		sum2 = *(Vector *) (z + 2 * LANES);
	Vector		sum3 = *(Vector *) (z + 3 * LANES);
	int64_t		p;

	for (p = 0; p < depth; p++, x += x_column, y += LANES)
	{
		Vector		row = *(const Vector *) y;

		sum0 += x[0] * row;
		sum1 += x[x_row] * row;
		sum2 += x[2 * x_row] * row;
		sum3 += x[3 * x_row] * row;
	}
	*(Vector *) z = sum0;
	*(Vector *) (z + LANES) = sum1;
	*(Vector *) (z + 2 * LANES) = sum2;
	*(Vector *) (z + 3 * LANES) = sum3;
}

static inline __attribute__((always_inline)) void
multiply_row(const double *x, int64_t x_column, const double *y, int64_t depth, double *z)
{
	Vector		sum = *(Vector *) z;
	int64_t		p;

	for (p = 0; p < depth; p++, x += x_column, y += LANES)
		sum += x[0] * *(const Vector *) y;
	*(Vector *) z = sum;
}

static inline __attribute__((always_inline)) void
copy_tile(double *to, int64_t to_row, const double *from, int64_t from_row, int64_t rows, int64_t columns)
{
	int64_t		i;
	int64_t		j;

	for (i = 0; i < rows; i++)
	{
		for (j = 0; j < columns; j++)
			to[i * to_row + j] = from[i * from_row + j];
	}
}

/* Adds the product with a panel to all rows of a strip of z. */
FOR_EVERY_WIDTH
static void
multiply_panel(const Product *product, int64_t column, int64_t p0, const Panel *panel)
{
	double		tile[TILE_ROWS * LANES] = {0};
	int64_t		i;
	int64_t		j;

	for (i = 0; i < product->m; i += TILE_ROWS)
	{
		int64_t		rows = product->m - i < TILE_ROWS ? product->m - i : TILE_ROWS;
		const double *x = product->x + i * product->x_row + p0 * product->x_column;
		int64_t		k;

		for (j = 0; j < panel->width; j += LANES)
		{
			int64_t		columns = panel->width - j < LANES ? panel->width - j : LANES;
			const double *y = panel->number + j * panel->depth;
			double	   *z = product->z + i * product->n + column + j;

			if (columns == LANES)
				copy_tile(tile, LANES, z, product->n, rows, LANES);
			else
				copy_tile(tile, LANES, z, product->n, rows, columns);
			if (rows == TILE_ROWS)
				multiply_tile(x, product->x_row, product->x_column, y, panel->depth, tile);
			for (k = 0; rows < TILE_ROWS && k < rows; k++)
				multiply_row(x + k * product->x_row, product->x_column, y, panel->depth, tile + k * LANES);
			if (columns == LANES)
				copy_tile(z, product->n, tile, LANES, rows, LANES);
			else
				copy_tile(z, product->n, tile, LANES, rows, columns);
		}
	}
}

static void
multiply_by_tiles(const Product *product)
{
	Panel		panel;
	int64_t		column;
	int64_t		p;

	if (!product->adds)
		memset(product->z, 0, sizeof(double) * (size_t) (product->m * product->n));
	for (column = 0; column < product->n; column += STRIP)
	{
		panel.width = product->n - column < STRIP ? product->n - column : STRIP;
		for (p = 0; p < product->k; p += DEPTH)
		{
			panel.depth = product->k - p < DEPTH ? product->k - p : DEPTH;
			pack(product, column, p, &panel);
			multiply_panel(product, column, p, &panel);
		}
	}
}

static bool
is_of_columns(const Product *product)
{
	return product->n == 1 && product->x_column == 1 && product->y_row == 1;
}

static void
multiply(const Product *product)
{
	bool		x_in_rows = product->x_column == 1;
	bool		y_in_rows = product->y_column == 1;

	if (is_of_columns(product))
		multiply_by_columns(product);
	else if (product->m >= TILE_ROWS)
		multiply_by_tiles(product);
	else if (y_in_rows)
		multiply_by_rows(product);
	else if (x_in_rows)
		multiply_by_columns(product);
	else
		multiply_by_tiles(product);
}

/*
 * Rows of several examples.  What one of them comes to must not depend on how
 * many rows there are: a single row would differ in its last bits from the same
 * row among others, by far more if large products cancel, and with it the
 * gradient of an example by who else is in its batch.  So the number of rows
 * chooses only between ways that add up in the same order: tiles and multiples
 * of rows add the products of an element one by one.
 */
static void
multiply_rows_of_examples(const Product *product)
{
	if (is_of_columns(product))
		multiply_by_columns(product);
	else if (product->m < TILE_ROWS && product->y_column == 1)
		multiply_by_rows(product);
	else
		multiply_by_tiles(product);
}

static Product
product_of(const DpsTensorCall *call)
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
	product.y_row = ty ? 1 : product.n;
	product.y_column = ty ? product.k : 1;
	return product;
}

/* From one example to the next. */
static void
advance(const DpsTensorCall *call, Product *product)
{
	product->x += call->each[0] ? dps_tensor_size(call->node->arg[0]) : 0;
	product->y += call->each[1] ? dps_tensor_size(call->node->arg[1]) : 0;
}

void
dps_run_matmul(const DpsTensorCall *call)
{
	Product		product = product_of(call);
	int64_t		i;

	/* rows of all examples times one matrix are one product */
	if (call->each[0] && !call->each[1] && call->node->attribute[0] == 0)
	{
		product.m *= dps_call_examples(call);
		multiply_rows_of_examples(&product);
		return;
	}
	for (i = 0; i < dps_call_examples(call); i++)
	{
		multiply(&product);
		advance(call, &product);
		product.z += product.m * product.n;
	}
}

/*
 * The factors of all examples one below the other are the factors of the sum if
 * they lie so in memory: in rows of one element of k, or transposed where k is 1.
 */
static bool
stacks(const DpsTensorCall *call, const Product *product)
{
	bool		x_stacks = call->node->attribute[0] != 0 || product->k == 1;
	bool		y_stacks = call->node->attribute[1] == 0 || product->k == 1;

	return call->each[0] && call->each[1] && x_stacks && y_stacks;
}

void
dps_run_matmul_total(const DpsTensorCall *call)
{
	Product		product = product_of(call);
	int64_t		i;

	if (stacks(call, &product))
	{
		product.k *= dps_call_examples(call);
		product.x_row = 1;
		product.x_column = product.m;
		product.y_row = product.n;
		product.y_column = 1;
		multiply(&product);
		return;
	}
	for (i = 0; i < dps_call_examples(call); i++)
	{
		multiply(&product);
		advance(call, &product);
		product.adds = true;
	}
}

void
dps_run_dot(const DpsTensorCall *call)
{
	int64_t		n = dps_tensor_size(call->node->arg[0]);
	const double *x = call->arg[0];
	const double *y = call->arg[1];
	int64_t		i;

	for (i = 0; i < dps_call_examples(call); i++)
	{
		call->result[i] = dps_inner_product(x, y, n);
		x += call->each[0] ? n : 0;
		y += call->each[1] ? n : 0;
	}
}
