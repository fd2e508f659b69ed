/*
 * test_aim.c
 *		Noise aimed at attributes: scales near the optimum, found by looking everywhere, and
 *		what is charged never less than what the worst move costs, whatever the shape is.
 *
 * Random matrices of moves, the same in every run.  The cost of moves v is |(v_i / N_i)_i|^2 / 2; all v are
 * tried whose entries are 0 or as far as the column moves them, since each is at its largest there.
 * Without chance.
 */
#include <math.h>
#include <string.h>

#include "account/account.h"
#include "moment/aim.h"
#include "noise/plan.h"
#include "noise/sample.h"
#include "splitmix.h"
#include "tap.h"

#define MOST 8

typedef struct Matrix
{
	int			n;
	int			ncolumns;
	uint64_t	moves[DPS_MAX_AIMED_COLUMNS * DPS_MAX_AIMED];
	double		weights[DPS_MAX_AIMED_COLUMNS];
	uint64_t	shape[DPS_MAX_AIMED];
} Matrix;

static uint64_t state = 20261127;

static double
uniform_number(void)
{
	return (double) (splitmix64(&state) >> 11) * 0x1p-53;
}

/* Moves of many sizes, a third of them 0, but one in each row and in each column at least. */
static void
make_matrix(Matrix *matrix, int n, int ncolumns, bool weighted)
{
	memset(matrix, 0, sizeof(*matrix));
	matrix->n = n;
	matrix->ncolumns = ncolumns;
	for (int j = 0; j < ncolumns; j++)
	{
		matrix->weights[j] = weighted ? 1.0 / (double) (1 + splitmix64(&state) % 4) : 1.0;
		for (int i = 0; i < n; i++)
		{
			bool		zero = splitmix64(&state) % 3 == 0 && i % ncolumns != j && j % n != i;

			matrix->moves[j * n + i] = zero ? 0 : 1 + (uint64_t) exp2(30.0 + 10.0 * uniform_number());
		}
	}
}

/* The scale that all entries need alike, at a loss at which a move by m alone needs m / weight. */
static double
same_scale(const Matrix *matrix)
{
	double		most = 0.0;

	for (int j = 0; j < matrix->ncolumns; j++)
	{
		double		squares = 0.0;

		for (int i = 0; i < matrix->n; i++)
			squares += pow((double) matrix->moves[j * matrix->n + i], 2);
		most = fmax(most, sqrt(squares) / matrix->weights[j]);
	}
	return most;
}

static double
alone(const Matrix *matrix, int i)
{
	double		most = 0.0;

	for (int j = 0; j < matrix->ncolumns; j++)
		most = fmax(most, (double) matrix->moves[j * matrix->n + i] / matrix->weights[j]);
	return most;
}

/* The sum of variances, each as a multiple of that which the entry needs alone, of scales in these proportions. */
static double
cost_of(const Matrix *matrix, const double *scales)
{
	double		most = 0.0;
	double		sum = 0.0;

	for (int j = 0; j < matrix->ncolumns; j++)
	{
		double		squares = 0.0;

		for (int i = 0; i < matrix->n; i++)
			squares += pow((double) matrix->moves[j * matrix->n + i] / matrix->weights[j] / scales[i], 2);
		most = fmax(most, squares);
	}
	for (int i = 0; i < matrix->n; i++)
		sum += pow(scales[i] / alone(matrix, i), 2);
	return sum * most;
}

static double
cost_of_shape(const Matrix *matrix)
{
	double		scales[DPS_MAX_AIMED];

	for (int i = 0; i < matrix->n; i++)
		scales[i] = (double) matrix->shape[i];
	return cost_of(matrix, scales);
}

/* The least cost of two or three scales of a fine lattice of proportions. */
static double
least_cost(const Matrix *matrix)
{
	double		least = INFINITY;
	int			steps = matrix->n == 3 ? 240 : 4000;

	for (int a = -steps; a <= steps; a++)
	{
		for (int b = -steps; b <= (matrix->n == 3 ? steps : -steps); b++)
		{
			/* n times the least variance of each would do, so no variance is above n^2 - n + 1 times its least */
			double		scales[3] = {
				alone(matrix, 0), alone(matrix, 1) * exp2(1.5 * a / steps),
				matrix->n == 3 ? alone(matrix, 2) * exp2(1.5 * b / steps) : 0.0
			};

			least = fmin(least, cost_of(matrix, scales));
		}
	}
	return least;
}

static void
test_optimum(void)
{
	double		worst = 0.0;
	int			aimed = 0;
	int			missed = 0;

	for (int k = 0; k < 120; k++)
	{
		Matrix		matrix;
		double		least;
		double		same;
		double		equal[3];

		make_matrix(&matrix, k % 4 == 3 ? 3 : 2, 1 + k % 5, k % 2 == 1);
		least = least_cost(&matrix);
		equal[0] = equal[1] = equal[2] = 1.0;
		same = cost_of(&matrix, equal);
		if (dps_aim(matrix.n, matrix.ncolumns, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape))
		{
			aimed++;
			worst = fmax(worst, cost_of_shape(&matrix) / least);
		}
		else
			missed += least < 0.89 * same;
	}
	ok(aimed > 60 && worst <= 1.0015, "%d random matrices: at most %.5f times the least that a search of all proportions finds", aimed, worst);
	ok(missed == 0, "none is left with one scale for which others are better by more than a tenth");
}

/* A large one: the optimum meets the conditions of Karush, Kuhn and Tucker, by the gap to the dual. */
static void
test_many(void)
{
	int			worse = 0;

	for (int k = 0; k < 40; k++)
	{
		Matrix		matrix;

		make_matrix(&matrix, DPS_MAX_AIMED, 1 + (int) (splitmix64(&state) % DPS_MAX_AIMED_COLUMNS), k % 2 == 1);
		if (!dps_aim(matrix.n, matrix.ncolumns, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape))
			continue;
		/* no scale can be made a little smaller or larger to gain more than what is left */
		for (int i = 0; i < matrix.n; i++)
		{
			for (int sign = -1; sign <= 1; sign += 2)
			{
				Matrix		other = matrix;

				other.shape[i] = (uint64_t) ((double) matrix.shape[i] * (1.0 + 0.05 * sign));
				worse += cost_of_shape(&other) < cost_of_shape(&matrix) / 1.002;
			}
		}
	}
	ok(worse == 0, "as many columns and entries as there may be: no scale can be moved to gain more than a five-hundredth");
}

static DpsAimedColumns
columns_of(const Matrix *matrix)
{
	return (DpsAimedColumns) {matrix->n, matrix->ncolumns, matrix->moves, matrix->weights, matrix->shape};
}

static DpsStatus
plan_at(const Matrix *matrix, double epsilon, double delta, DpsNoisePlan *plan)
{
	DpsAimedColumns columns = columns_of(matrix);
	DpsTarget	target = {epsilon, delta, 1, 1};

	dps_noise_plan_init(plan, &dps_gaussian, epsilon, delta);
	return dps_noise_plan_aimed(plan, &target, &columns, 2 * matrix->n);
}

/* The largest sum of squares of moves, each in its scale, among all in which column j is changed. */
static long double
worst_squares(const Matrix *matrix, const DpsNoisePlan *plan, int j)
{
	long double worst = 0;

	for (unsigned corner = 0; corner < 1u << matrix->n; corner++)
	{
		long double squares = 0;

		for (int i = 0; i < matrix->n; i++)
		{
			long double part = (long double) (corner >> i & 1 ? matrix->moves[j * matrix->n + i] : 0) / (long double) plan->aim.scale[i];

			squares += part * part;
		}
		worst = fmaxl(worst, squares);
	}
	return worst;
}

/* Is column j told no more than its weight of what was asked for, and all that it is told charged? */
static bool
is_covered(const Matrix *matrix, const DpsNoisePlan *plan, int j)
{
	const DpsCoordinate *charged = &plan->coordinate[0];
	long double squares = worst_squares(matrix, plan, j);
	long double ratio = (long double) charged->sensitivity / (long double) charged->scale;

	/* the error of long doubles */
	return squares <= ratio * ratio * (1 + 1e-17L) && (double) (squares / 2) <= plan->loss.rho * (1 + 1e-15) &&
		dps_gaussian_delta((double) sqrtl(squares) * (1 - 1e-12), plan->epsilon * matrix->weights[j]) <= plan->delta;
}

static void
test_certificate(void)
{
	static const double epsilons[] = {0.01, 1.0, 20.0};
	int			planned = 0;
	int			uncovered = 0;
	int			loose = 0;

	for (int k = 0; k < 240; k++)
	{
		Matrix		matrix;
		DpsNoisePlan plan;

		make_matrix(&matrix, 2 + k % (MOST - 1), 1 + k % 7, k % 2 == 1);
		/* what is charged does not depend on the optimum: one shape in three is anything */
		if (k % 3 == 0 || !dps_aim(matrix.n, matrix.ncolumns, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape))
		{
			for (int i = 0; i < matrix.n; i++)
				matrix.shape[i] = 1 + (splitmix64(&state) >> (44 + splitmix64(&state) % 16));
		}
		if (plan_at(&matrix, epsilons[k % 3], 1e-6, &plan) != DPS_OK)
			continue;
		planned++;
		for (int j = 0; j < matrix.ncolumns; j++)
			uncovered += !is_covered(&matrix, &plan, j);
		if (k % 3 != 0)
		{
			long double most = 0;

			for (int j = 0; j < matrix.ncolumns; j++)
				most = fmaxl(most, worst_squares(&matrix, &plan, j));
			loose += (double) most / 2 < plan.loss.rho * (1 - 1e-4);
		}
	}
	ok(planned > 200 && uncovered == 0, "%d plans: no column loses more than is charged, nor more than its weight of what was asked for", planned);
	ok(loose == 0, "and what is charged is no more than a ten-thousandth above the worst");
}

/* Columns that move one entry each: every entry has the noise that it would have alone. */
static void
test_diagonal(void)
{
	Matrix		matrix = {.n = 3, .ncolumns = 3, .moves = {UINT64_C(1) << 40, 0, 0, 0, UINT64_C(1) << 33, 0, 0, 0, UINT64_C(3) << 36}, .weights = {1, 1, 1}};
	DpsTarget	target = {1.0, 1e-6, 1, 6};
	DpsNoisePlan plan;
	uint64_t	one;
	bool		same = true;

	ok(dps_aim(3, 3, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape) && plan_at(&matrix, 1.0, 1e-6, &plan) == DPS_OK,
	   "columns of one entry each");
	for (int i = 0; i < 3; i++)
	{
		if (dps_gaussian.calibrate(&target, matrix.moves[4 * i], &one) != DPS_OK)
			same = false;
		same &= fabs((double) plan.aim.scale[i] / (double) one - 1.0) < 1e-5;
	}
	ok(same, "each entry has the noise of a release of its own at the same epsilon");
	ok(plan.coordinate[0].scale == plan.aim.scale[1] && plan.ncoordinates == 1 && plan.coordinate[0].joined == 6,
	   "the coordinate has the least scale, and stands for all");
}

static void
test_fallback(void)
{
	Matrix		matrix = {.n = 3, .ncolumns = 2, .weights = {1, 1}};
	DpsNoisePlan plan;

	ok(!dps_aim(3, 2, matrix.moves, matrix.weights, 1.0, matrix.shape), "nothing moves anything: no aim");
	matrix.moves[0] = 1000;
	ok(!dps_aim(1, 2, matrix.moves, matrix.weights, 1000.0, matrix.shape), "one entry: no aim");
	ok(!dps_aim(3, 0, matrix.moves, matrix.weights, 1000.0, matrix.shape), "no column: no aim");
	ok(!dps_aim(3, DPS_MAX_AIMED_COLUMNS + 1, matrix.moves, matrix.weights, 1000.0, matrix.shape) &&
	   !dps_aim(DPS_MAX_AIMED + 1, 2, matrix.moves, matrix.weights, 1000.0, matrix.shape), "too many: no aim");
	for (int i = 0; i < 6; i++)
		matrix.moves[i] = UINT64_C(1) << 40;
	ok(!dps_aim(3, 2, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape), "all moves alike: one scale is best");
	matrix.moves[0] += matrix.moves[0] / 50;
	ok(!dps_aim(3, 2, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape), "nearly alike: not worth it");
	ok(!dps_aim(3, 2, matrix.moves, matrix.weights, NAN, matrix.shape), "not a number is no reason to aim");
	matrix = (Matrix) {.n = 3, .ncolumns = 2, .moves = {UINT64_C(1) << 40, UINT64_C(1) << 20, 0, 0, 0, 0}, .weights = {1, 1}};
	ok(dps_aim(3, 2, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape) && matrix.shape[2] == matrix.shape[1] &&
	   plan_at(&matrix, 1.0, 1e-6, &plan) == DPS_OK && plan.aim.scale[2] > 0, "an entry and a column that nothing moves: the entry has the least noise, and some");
	matrix.moves[1] = 1;
	ok(dps_aim(3, 2, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape) && matrix.shape[0] == matrix.shape[1] << 24,
	   "no scale is more than 2^24 times another");
}

/* What cannot be planned leaves the plan as it was. */
static void
test_limits(void)
{
	Matrix		matrix = {.n = 2, .ncolumns = 2, .moves = {UINT64_C(1) << 61, 0, 0, UINT64_C(1) << 40}, .weights = {1, 1}};
	DpsTarget	target = {1.0, 1e-6, 1, 4};
	DpsAimedColumns columns = columns_of(&matrix);
	DpsNoisePlan plan;
	DpsNoisePlan before;

	matrix.shape[0] = UINT64_C(1) << 53;
	matrix.shape[1] = UINT64_C(1) << 32;
	before = (DpsNoisePlan) {0};
	ok(plan_at(&matrix, 0.001, 1e-6, &plan) != DPS_OK && plan.ncoordinates == 0 && plan.aim.n == 0, "a scale beyond what can be drawn");
	matrix.moves[0] = matrix.moves[3] = UINT64_C(1) << 40;
	dps_noise_plan_init(&plan, &dps_laplace, 1.0, 1e-6);
	before = plan;
	ok(dps_noise_plan_aimed(&plan, &target, &columns, 4) == DPS_DOMAIN && memcmp(&plan, &before, sizeof(plan)) == 0, "Laplace noise");
	dps_noise_plan_init(&plan, &dps_gaussian, 1.0, 1e-6);
	ok(dps_noise_plan_aimed(&plan, &target, &columns, 1) == DPS_DOMAIN, "fewer integers than entries");
	matrix.shape[1] = 0;
	ok(dps_noise_plan_aimed(&plan, &target, &columns, 4) == DPS_DOMAIN, "a shape of no noise");
	matrix.shape[1] = 7;
	matrix.moves[0] = matrix.moves[3] = 0;
	ok(dps_noise_plan_aimed(&plan, &target, &columns, 4) != DPS_OK && plan.ncoordinates == 0, "columns that move nothing are no reason for noise of no loss");
}

/* A plan that was altered is not covered, or not what was charged. */
static void
test_seal(void)
{
	Matrix		matrix;
	DpsNoisePlan plan;
	DpsAimedColumns columns;
	DpsCoordinate charged;
	int			passed = 0;

	make_matrix(&matrix, 4, 4, false);
	for (int k = 0; k < 16; k++)
		matrix.moves[k] = k % 5 == 0 ? UINT64_C(1) << (30 + k / 2) : 0;
	columns = columns_of(&matrix);
	if (!dps_aim(4, 4, matrix.moves, matrix.weights, same_scale(&matrix), matrix.shape) || plan_at(&matrix, 1.0, 1e-6, &plan) != DPS_OK)
	{
		ok(false, "no plan");
		return;
	}
	charged = plan.coordinate[0];
	ok(dps_noise_plan_is(&plan, 1, &charged) && dps_noise_plan_covers(&plan, &columns), "a plan is what was charged");
	for (int i = 0; i < 4; i++)
	{
		DpsNoisePlan altered = plan;

		altered.aim.scale[i] -= altered.aim.scale[i] / 1000;
		passed += dps_noise_plan_is(&altered, 1, &charged) && dps_noise_plan_covers(&altered, &columns);
		altered = plan;
		altered.aim.scale[i] = 0;
		passed += dps_noise_plan_is(&altered, 1, &charged) || dps_noise_plan_covers(&altered, &columns);
		altered = plan;
		altered.aim.n = i;
		passed += dps_noise_plan_covers(&altered, &columns);
	}
	ok(passed == 0, "one with less noise of any entry, or for fewer entries, is not");
	matrix.moves[5] += matrix.moves[5] / 1000;
	ok(!dps_noise_plan_covers(&plan, &columns), "nor for columns that move further");
	dps_noise_plan_silence(&plan);
	ok(plan.aim.n == 0 && plan.silent && plan.loss.rho == INFINITY && plan.coordinate[0].sensitivity >= matrix.moves[15], "without noise nothing is aimed, and the loss has no bound");
}

int
main(void)
{
	test_optimum();
	test_many();
	test_certificate();
	test_diagonal();
	test_fallback();
	test_limits();
	test_seal();
	return done_testing();
}
