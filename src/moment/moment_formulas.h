/*
 * moment_formulas.h
 *		The statistics of second moments, over numbers of a kind.
 *
 * Included by moment_box.c for intervals and by moment_point.c for doubles, so that
 * there is one set of formulas.  Whoever includes it has defined
 *
 *		NUMBER					the kind, and MOMENTS the struct that holds moments of it
 *		NAME(f)					what the function f is called for it
 *		LOWER(x), UPPER(x)		the ends of a number
 *		RANGE(lo, hi)			all numbers between two doubles, in order; of doubles the first
 *		EXACT(d), ANYTHING		a double, and what nothing is known of
 *		SCALED(d, k)			a double times 2^k
 *		ADD, SUB, MUL, DIV, SQR, SQRT
 *
 * No guard against a second inclusion: nobody includes it twice.
 */

/* ---- pieces ---- */

/* As fmin(fmax(x, lo), hi), which the compiler calls: lo for what is no number. */
static inline double
between(double x, double lo, double hi)
{
	double		least = x > lo ? x : lo;

	return least < hi ? least : hi;
}

static NUMBER
clamp(NUMBER x, double lo, double hi)
{
	return RANGE(between(LOWER(x), lo, hi), between(UPPER(x), lo, hi));
}

/* Times 2^k. */
static NUMBER
shift(NUMBER x, int k)
{
	return RANGE(SCALED(LOWER(x), k), SCALED(UPPER(x), k));
}

static const DpsMomentValue *
value(const MOMENTS *box, int k)
{
	return &box->design->value[box->pick[k]];
}

static double
largest(const MOMENTS *box, int k)
{
	return (double) value(box, k)->radius;
}

/* Are there more than `least` rows? */
static DpsStatus
check_rows(const MOMENTS *box, double least)
{
	if (!(UPPER(box->moment[0]) > least))
		return DPS_DOMAIN;
	return LOWER(box->moment[0]) > least ? DPS_OK : DPS_UNABLE;
}

/* The mean of z. */
static DpsStatus
mean(const MOMENTS *box, int k, NUMBER *result)
{
	DpsStatus	status = check_rows(box, 0.0);
	double		limit = largest(box, k);

	*result = RANGE(-limit, limit);
	if (status == DPS_OK)
		*result = clamp(DIV(box->moment[dps_moment_linear(box->pick[k])], box->moment[0]), -limit, limit);
	return status;
}

/* The covariance of z_k and z_l; the variance for k = l. */
static DpsStatus
covariance(const MOMENTS *box, int k, int l, NUMBER *result)
{
	DpsStatus	status = check_rows(box, 0.0);
	double		limit = largest(box, k) * largest(box, l);
	double		least = box->pick[k] == box->pick[l] ? 0.0 : -limit;
	int			moment = dps_moment_cross(box->design, box->pick[k], box->pick[l]);
	NUMBER		means[2];
	NUMBER		product;

	*result = RANGE(least, limit);
	if (status != DPS_OK)
		return status;
	/* not among the design's */
	if (moment < 0)
		return DPS_UNABLE;
	(void) mean(box, k, &means[0]);
	(void) mean(box, l, &means[1]);
	product = box->pick[k] == box->pick[l] ? SQR(means[0]) : MUL(means[0], means[1]);
	*result = clamp(SUB(shift(DIV(box->moment[moment], box->moment[0]), box->design->bits), product), least, limit);
	return DPS_OK;
}

/* n / (n - 1), at most 2. */
static DpsStatus
sample_factor(const MOMENTS *box, NUMBER *factor)
{
	DpsStatus	status = check_rows(box, 1.0);
	NUMBER		n = clamp(box->moment[0], 2.0, INFINITY);

	/* 1 + 1 / (n - 1) */
	*factor = ADD(EXACT(1.0), DIV(EXACT(1.0), SUB(n, EXACT(1.0))));
	return status;
}

static NUMBER
to_units(const MOMENTS *box, int k, int l, NUMBER z)
{
	return shift(shift(z, value(box, k)->grid), value(box, l)->grid);
}

static DpsStatus
population(const MOMENTS *box, int k, int l, NUMBER *result)
{
	DpsStatus	status = covariance(box, k, l, result);

	*result = to_units(box, k, l, *result);
	return status;
}

static DpsStatus
sample(const MOMENTS *box, int k, int l, NUMBER *result)
{
	NUMBER		factor;
	DpsStatus	status = sample_factor(box, &factor);

	status = dps_worse(status, population(box, k, l, result));
	*result = MUL(*result, factor);
	return status;
}

/* The mean of a value in its unit. */
static DpsStatus
value_mean(const MOMENTS *box, int k, NUMBER *result)
{
	double		centre = (double) value(box, k)->centre;
	DpsStatus	status = mean(box, k, result);

	*result = clamp(shift(ADD(*result, EXACT(centre)), value(box, k)->grid),
					value(box, k)->lo, value(box, k)->hi);
	return status;
}

/* Is the variance of z_k positive? */
static DpsStatus
spread(const MOMENTS *box, int k, NUMBER *variance)
{
	DpsStatus	status = covariance(box, k, k, variance);

	if (status == DPS_OK && !(UPPER(*variance) > 0.0))
		return DPS_DOMAIN;
	if (status == DPS_OK && !(LOWER(*variance) > 0.0))
		return DPS_UNABLE;
	return status;
}

/* ---- statistics ---- */

DpsStatus
NAME(dps_moment_variance_pop)(const MOMENTS *box, NUMBER *result)
{
	return population(box, 0, 0, result);
}

DpsStatus
NAME(dps_moment_variance_samp)(const MOMENTS *box, NUMBER *result)
{
	return sample(box, 0, 0, result);
}

DpsStatus
NAME(dps_moment_deviation_pop)(const MOMENTS *box, NUMBER *result)
{
	DpsStatus	status = NAME(dps_moment_variance_pop)(box, result);

	*result = SQRT(*result);
	return status;
}

DpsStatus
NAME(dps_moment_deviation_samp)(const MOMENTS *box, NUMBER *result)
{
	DpsStatus	status = NAME(dps_moment_variance_samp)(box, result);

	*result = SQRT(*result);
	return status;
}

DpsStatus
NAME(dps_moment_covariance_pop)(const MOMENTS *box, NUMBER *result)
{
	return population(box, 0, 1, result);
}

DpsStatus
NAME(dps_moment_covariance_samp)(const MOMENTS *box, NUMBER *result)
{
	return sample(box, 0, 1, result);
}

DpsStatus
NAME(dps_moment_correlation)(const MOMENTS *box, NUMBER *result)
{
	NUMBER		variances[2];
	NUMBER		joint;
	DpsStatus	status = dps_worse(spread(box, 0, &variances[0]), spread(box, 1, &variances[1]));

	*result = RANGE(-1.0, 1.0);
	if (status != DPS_OK)
		return status;
	(void) covariance(box, 0, 1, &joint);
	joint = DIV(joint, MUL(SQRT(variances[0]), SQRT(variances[1])));
	*result = clamp(joint, -1.0, 1.0);
	return DPS_OK;
}

DpsStatus
NAME(dps_moment_r2)(const MOMENTS *box, NUMBER *result)
{
	DpsStatus	status = NAME(dps_moment_correlation)(box, result);

	*result = clamp(SQR(*result), 0.0, 1.0);
	return status;
}

/* The number of rows is what it is: noised, it can be negative. */
DpsStatus
NAME(dps_moment_count_rows)(const MOMENTS *box, NUMBER *result)
{
	*result = box->moment[0];
	return DPS_OK;
}

DpsStatus
NAME(dps_moment_mean_x)(const MOMENTS *box, NUMBER *result)
{
	return value_mean(box, 1, result);
}

DpsStatus
NAME(dps_moment_mean_y)(const MOMENTS *box, NUMBER *result)
{
	return value_mean(box, 0, result);
}

/* The sum of products of differences from the means. */
static DpsStatus
sum_of_products(const MOMENTS *box, int k, int l, NUMBER *result)
{
	DpsStatus	status = population(box, k, l, result);

	*result = MUL(*result, clamp(box->moment[0], 0.0, INFINITY));
	return status;
}

DpsStatus
NAME(dps_moment_sum_xx)(const MOMENTS *box, NUMBER *result)
{
	return sum_of_products(box, 1, 1, result);
}

DpsStatus
NAME(dps_moment_sum_yy)(const MOMENTS *box, NUMBER *result)
{
	return sum_of_products(box, 0, 0, result);
}

DpsStatus
NAME(dps_moment_sum_xy)(const MOMENTS *box, NUMBER *result)
{
	return sum_of_products(box, 0, 1, result);
}

/* ---- regression ---- */

/* The normal equations of the z: matrix | right side. */
typedef struct Equations
{
	int			n;
	NUMBER		cell[DPS_MAX_ENTRIES][DPS_MAX_ENTRIES];
} Equations;

static void
set_up(const MOMENTS *box, Equations *equations)
{
	int			i;
	int			j;

	equations->n = box->npicks - 1;
	for (i = 0; i < equations->n; i++)
	{
		for (j = 0; j < equations->n; j++)
			(void) covariance(box, i + 1, j + 1, &equations->cell[i][j]);
		(void) covariance(box, i + 1, 0, &equations->cell[i][equations->n]);
	}
}

/*
 * Elimination without exchanges: pivots of a covariance matrix are positive, and
 * one that is not says that there is no solution.
 */
static DpsStatus
eliminate(Equations *equations)
{
	int			n = equations->n;
	int			i;
	int			j;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (!(UPPER(equations->cell[k][k]) > 0.0))
			return DPS_DOMAIN;
		if (!(LOWER(equations->cell[k][k]) > 0.0))
			return DPS_UNABLE;
		for (i = k + 1; i < n; i++)
		{
			NUMBER		factor = DIV(equations->cell[i][k], equations->cell[k][k]);

			for (j = k + 1; j <= n; j++)
				equations->cell[i][j] = SUB(equations->cell[i][j], MUL(factor, equations->cell[k][j]));
		}
	}
	return DPS_OK;
}

static void
substitute(const Equations *equations, NUMBER *slopes)
{
	int			n = equations->n;
	int			i;
	int			j;

	for (i = n - 1; i >= 0; i--)
	{
		NUMBER		rest = equations->cell[i][n];

		for (j = i + 1; j < n; j++)
			rest = SUB(rest, MUL(equations->cell[i][j], slopes[j]));
		slopes[i] = DIV(rest, equations->cell[i][i]);
	}
}

/* The slopes of y by each x, in their units. */
static DpsStatus
solve(const MOMENTS *box, NUMBER *slopes)
{
	Equations	equations;
	DpsStatus	status = check_rows(box, 0.0);
	int			i;

	for (i = 0; i < box->npicks - 1; i++)
		slopes[i] = ANYTHING;
	if (status != DPS_OK)
		return status;
	set_up(box, &equations);
	DPS_TRY(eliminate(&equations));
	substitute(&equations, slopes);
	for (i = 0; i < equations.n; i++)
		slopes[i] = shift(slopes[i], value(box, 0)->grid - value(box, i + 1)->grid);
	return DPS_OK;
}

/* The intercept, then the slopes. */
DpsStatus
NAME(dps_moment_regression)(const MOMENTS *box, NUMBER *result)
{
	DpsStatus	status = solve(box, result + 1);
	NUMBER		one;
	int			i;

	result[0] = ANYTHING;
	if (status != DPS_OK)
		return status;
	(void) value_mean(box, 0, &result[0]);
	for (i = 1; i < box->npicks; i++)
	{
		(void) value_mean(box, i, &one);
		result[0] = SUB(result[0], MUL(result[i], one));
	}
	return DPS_OK;
}

static DpsStatus
coefficient(const MOMENTS *box, int i, NUMBER *result)
{
	NUMBER		all[DPS_MAX_ENTRIES];
	DpsStatus	status = NAME(dps_moment_regression)(box, all);

	*result = all[i];
	return status;
}

DpsStatus
NAME(dps_moment_slope)(const MOMENTS *box, NUMBER *result)
{
	return coefficient(box, 1, result);
}

DpsStatus
NAME(dps_moment_intercept)(const MOMENTS *box, NUMBER *result)
{
	return coefficient(box, 0, result);
}
