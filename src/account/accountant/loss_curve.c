/*
 * loss_curve.c
 *		delta as a function of epsilon for many independent losses together.
 *
 * Precondition: the parts are losses as loss_grid.h has them, independent or each given the
 * outcomes before.  Postcondition: delta at the epsilon returned, or the delta returned, is
 * an upper bound for all of them together.
 *
 * Proof.  Each release is replaced by a pair that is at least as hard to hide
 * (loss_grid.c, fold.c).  Let a be the tilted masses of one of them, K their
 * norms summed over releases, L the tilt, c the convolution of all a on the
 * integers.  The loss at grid point l has mass e^(K - L l) c(l), so
 *		delta(epsilon) <= sum of g(l) c(l) over l > epsilon  +  infinite mass,
 *		g(l) = e^(K - L l) (1 - e^(epsilon - l)).
 * c is known on a circle that stands for the window [low, top).  What lies above
 * the window has tilted mass at most prod (sum a e^(s l)) e^(-s top) for any s > 0
 * (Markov), and g is at most e^(K - L epsilon) / (1 + L) for l > epsilon: that
 * product is added.  What lies below is counted in the window too, which only
 * adds, since it contributes nothing where epsilon >= low.  The error of the
 * transform, E in Euclidean norm, adds at most E times the norm of g (Cauchy and
 * Schwarz).  All of these are relative to e^(K - L epsilon), which is about the
 * Renyi bound on delta: that is what the tilt is for.
 *
 * Tilt, step and window come from plain doubles and decide how good the answer
 * is, not whether it holds.
 */
#include <math.h>

#include "account/accountant/convolve.h"
#include "account/elementary.h"
#include "account/accountant/loss_curve.h"
#include "account/order.h"
#include "num/whole.h"

/* Transforms times their size, for a second or so. */
#define WORK_MAX 0x1p26

#define TILT_MIN 0x1p-4
#define TILT_MAX 1000.0

/* The smallest size that is worth while: a few milliseconds. */
#define SIZE_FIRST ((size_t) 1 << 14)

/* What discretisation may add to epsilon, relatively, at the least. */
#define ACCURACY 4e-6

/* Where it would add more than this, or there is no window, half the tilt is tried, so often. */
#define ADDED_MOST 1e-3
#define TILTS 6

/* ln of the tilted mass that may lie above the window. */
#define OUTSIDE (-40.0)

#define SHIFT_MAX 50

/* Of Markov's bound beyond the top. */
#define PROBES 11

typedef struct LossPlan
{
	double		tilt;
	double		probe;
	int			shift;
	size_t		size;
	double		low;			/* index of the first grid point of the window */
	double		added;			/* about what the grid adds to epsilon, relatively */
} LossPlan;

/* delta as a function of epsilon, on the grid. */
typedef struct LossCurve
{
	const DpsHost *host;
	LossPlan	plan;
	const double *masses;
	double		norm;			/* K, rounded up */
	double		error;			/* added to the sum over c: transform and outside */
	double		infinite;
} LossCurve;

static bool
should_stop(const DpsHost *host)
{
	return host->should_stop(host->context);
}

static double
cumulant(const DpsLossParts *parts, double lambda)
{
	double		sum = 0.0;

	for (size_t i = 0; i < parts->nparts; i++)
		sum += (double) parts->parts[i].count * dps_loss_cumulant(&parts->parts[i], lambda);
	return sum;
}

static double
largest_loss(const DpsLossParts *parts)
{
	double		largest = 0.0;

	for (size_t i = 0; i < parts->nparts; i++)
		largest = fmax(largest, dps_loss_largest(&parts->parts[i]));
	return largest;
}

typedef struct TiltProblem
{
	const DpsHost *host;
	const DpsLossParts *parts;
	double		given;			/* ln delta, or epsilon */
} TiltProblem;

static double
epsilon_at_tilt(double lambda, const void *context)
{
	const TiltProblem *problem = context;

	if (should_stop(problem->host))
		return INFINITY;
	return cumulant(problem->parts, lambda) / lambda +
		dps_order_conversion(lambda, problem->given);
}

static double
log_delta_at_tilt(double lambda, const void *context)
{
	const TiltProblem *problem = context;

	if (should_stop(problem->host))
		return INFINITY;
	return cumulant(problem->parts, lambda) - lambda * problem->given +
		lambda * log(lambda) - (1.0 + lambda) * log1p(lambda);
}

/* ln of Markov's bound on the tilted mass above top, at the best of some
 * probes. */
static double
outside(const DpsLossParts *parts, double tilt, double at_tilt, double top, double deviation,
		double largest, double *probe)
{
	double		best = INFINITY;
	double		s = 0.5 / deviation;

	/* the last is the one before 64 / deviation */
	for (int i = 0; i < PROBES && isfinite(s); i++)
	{
		double		capped = fmin(s, 300.0 / largest);
		double		bound = cumulant(parts, tilt + capped) - at_tilt - capped * top;

		if (bound < best)
		{
			best = bound;
			*probe = capped;
		}
		s *= 1.6;
	}
	return best;
}

/* About what a step adds to epsilon: each split between grid points adds
 * h^2/8 (1 + tilt). */
static double
step_cost(const DpsLossParts *parts, double tilt, double step)
{
	double		count = 0.0;

	for (size_t i = 0; i < parts->nparts; i++)
		count += (double) parts->parts[i].count;
	return count * (1.0 + tilt) * 0.125 * step * step;
}

static DpsStatus
choose_grid(const DpsLossParts *parts, double bottom, double top, double target, LossPlan *plan)
{
	size_t		most = DPS_CONVOLUTION_MAX;

	while (most > SIZE_FIRST && (double) most * (double) parts->nparts > WORK_MAX)
		most /= 4;
	for (plan->size = SIZE_FIRST; plan->size <= most; plan->size *= 4)
	{
		plan->shift = -dps_to_int32(ceil(log2((top - bottom) / (double) (plan->size - 2))));
		if (step_cost(parts, plan->tilt, ldexp(1.0, -plan->shift)) <= fmax(parts->accuracy, ACCURACY) * target)
			break;
	}
	if (plan->size > most)
		plan->size = most;
	plan->added = step_cost(parts, plan->tilt, ldexp(1.0, -plan->shift)) / target;
	if (plan->shift < 0 || plan->shift > SHIFT_MAX)
		return DPS_UNABLE;
	plan->low = floor(ldexp(bottom, plan->shift));
	return DPS_OK;
}

/* Chooses the window: it contains the target and all losses that have weight
 * after tilting. */
static DpsStatus
make_plan(const DpsLossParts *parts, double tilt, double target, LossPlan *plan)
{
	double		near = 0.05 * tilt;
	double		here = cumulant(parts, tilt);
	double		above = cumulant(parts, tilt + near);
	double		below = cumulant(parts, tilt - near);
	double		mean = (above - below) / (2.0 * near);
	double		largest = largest_loss(parts);
	double		deviation = sqrt(fmax((above - 2.0 * here + below) / (near * near), 0.0));
	double		reach;

	deviation = fmax(deviation, 1e-3 * largest);
	reach = 9.0 * deviation + largest;
	if (!(isfinite(mean) && isfinite(reach) && reach > 0.0 && isfinite(target)))
		return DPS_UNABLE;
	plan->tilt = tilt;
	plan->probe = 1.0 / deviation;
	for (int i = 0; i < 24; i++)
	{
		if (outside(parts, tilt, here, fmax(mean + reach, target), deviation, largest,
					&plan->probe) <= OUTSIDE)
			break;
		reach *= 1.2;
	}
	return choose_grid(parts, fmin(mean - reach, target - deviation),
					   fmax(mean + reach, target + deviation), fmax(target, deviation), plan);
}

static DpsStatus
include_part(DpsConvolution *convolution, const DpsLossPart *part, LossCurve *curve,
			 double *log_outside)
{
	double		count = dps_count_up(part->count);
	DpsLossGrid grid = {.masses = dps_convolution_masses(convolution)};

	if (should_stop(curve->host))
		return DPS_CANCELLED;
	grid.size = curve->plan.size;
	grid.shift = curve->plan.shift;
	grid.step = ldexp(1.0, -grid.shift);
	grid.tilt = curve->plan.tilt;
	grid.norm = fmax(dps_loss_cumulant(part, grid.tilt), 0.0);
	grid.probe = curve->plan.probe;
	DPS_TRY(dps_loss_fill(part, &grid));
	curve->norm = dps_add_up(curve->norm, dps_mul_up(count, grid.norm));
	curve->infinite = dps_add_up(curve->infinite, dps_mul_up(count, grid.infinite));
	*log_outside = dps_add_up(*log_outside,
							  dps_mul_up(count, dps_iv_ln(dps_point(fmax(grid.probe_sum, 1.0))).hi));
	return dps_convolution_include(convolution, part->count);
}

/* At least the norm of e^(-L x) (1 - e^-x) over x = h, 2h, ...: its squares are
 * at most e^(-2Lx). */
static double
norm_of_weights(double tilt, double step)
{
	double		doubled = dps_mul_down(2.0, tilt);
	DpsInterval factor = dps_one_minus_exp(dps_iv(dps_mul_down(doubled, step), dps_mul_up(doubled, step)));

	/* the sum of those is below 1 / (1 - e^(-2Lh)) */
	return dps_sqrt_up(dps_div_up(1.0, factor.lo));
}

static DpsStatus
make_curve(DpsConvolution *convolution, const DpsLossParts *parts, LossCurve *curve)
{
	double		step = ldexp(1.0, -curve->plan.shift);
	double		top = (curve->plan.low + (double) curve->plan.size) * step;
	double		log_outside = 0.0;
	double		error;

	for (size_t i = 0; i < parts->nparts; i++)
		DPS_TRY(include_part(convolution, &parts->parts[i], curve, &log_outside));
	log_outside = dps_sub_up(log_outside, dps_mul_down(curve->plan.probe, top));
	DPS_TRY(dps_convolution_finish(convolution, &curve->masses, &error));
	error = dps_mul_up(error, norm_of_weights(curve->plan.tilt, step));
	curve->error = dps_add_up(error, dps_div_up(dps_iv_exp(dps_point(log_outside)).hi,
												dps_add_down(1.0, curve->plan.tilt)));
	return DPS_OK;
}

typedef struct CurvePoint
{
	double		index;			/* a grid point of the window */
	double		mass;			/* sum over x > 0 of e^(-L x) c(index + x) */
	double		excess;			/* the same with the factor 1 - e^-x */
} CurvePoint;

/* The last grid point of the window; nothing of the window lies above. */
static CurvePoint
curve_top(const LossCurve *curve)
{
	CurvePoint	point = {curve->plan.low + (double) (curve->plan.size - 1), 0.0, 0.0};

	return point;
}

typedef struct CurveFactors
{
	double		tilt;			/* e^(-L h), and so on, rounded up */
	double		tilt_step;		/* e^(-(L + 1) h) */
	double		excess;			/* 1 - e^-h */
} CurveFactors;

static CurveFactors
curve_factors(const LossCurve *curve)
{
	double		step = ldexp(1.0, -curve->plan.shift);
	double		tilted = dps_mul_down(curve->plan.tilt, step);
	CurveFactors factors;

	factors.tilt = dps_iv_exp(dps_point(-tilted)).hi;
	factors.tilt_step = dps_iv_exp(dps_point(-dps_add_down(tilted, step))).hi;
	factors.excess = dps_one_minus_exp(dps_point(step)).hi;
	return factors;
}

/* One grid point down: the point above is then at x = h. */
static void
curve_step_down(const LossCurve *curve, const CurveFactors *factors, CurvePoint *point)
{
	int64_t		slot = dps_to_int64(point->index) % (int64_t) curve->plan.size;

	if (slot < 0)
		slot += (int64_t) curve->plan.size;
	point->mass = dps_mul_up(factors->tilt, dps_add_up(point->mass, curve->masses[slot]));
	/* 1 - e^-x = (1 - e^-h) + e^-h (1 - e^-(x - h)) */
	point->excess = dps_add_up(dps_mul_up(factors->tilt_step, point->excess),
							   dps_mul_up(factors->excess, point->mass));
	point->index--;
}

/* delta at a grid point of the window. */
static double
curve_delta(const LossCurve *curve, const CurvePoint *point)
{
	double		loss = point->index * ldexp(1.0, -curve->plan.shift);
	double		exponent = dps_sub_up(curve->norm, dps_mul_down(curve->plan.tilt, loss));
	double		sum = dps_add_up(point->excess, curve->error);

	return dps_add_up(dps_mul_up(dps_iv_exp(dps_point(exponent)).hi, sum), curve->infinite);
}

/* An epsilon between a grid point with a delta of `here` and the one below it,
 * with `below`.  delta is convex as a function of e^epsilon, hence at most the
 * given delta where the chord is: at e^epsilon = e^loss (1 - part (1 - e^-h)),
 * part = (delta - here) / (below - here). */
static double
along_chord(double loss, double step, double delta, double here, double below)
{
	double		part = dps_div_down(dps_sub_down(delta, here), dps_sub_up(below, here));
	DpsInterval down;

	if (!(part > 0.0 && part < 1.0))
		return loss;
	down = dps_iv_mul(dps_point(part), dps_one_minus_exp(dps_point(step)));
	down = dps_iv_ln(dps_iv_sub(dps_point(1.0), down));
	return fmin(dps_add_up(loss, down.hi), loss);
}

/* A small epsilon >= 0 of the window that has at most this delta, as have all
 * grid points above it. */
static DpsStatus
curve_epsilon(const LossCurve *curve, double delta, double *epsilon)
{
	CurveFactors factors = curve_factors(curve);
	CurvePoint	point = curve_top(curve);
	double		step = ldexp(1.0, -curve->plan.shift);
	double		best = INFINITY;
	double		here = 0.0;

	while (point.index >= fmax(curve->plan.low, 0.0))
	{
		double		below = curve_delta(curve, &point);

		if (!(below <= delta))
		{
			if (best < INFINITY)
				best = along_chord(best, step, delta, here, below);
			break;
		}
		here = below;
		best = point.index * step;
		curve_step_down(curve, &factors, &point);
		if (dps_to_int64(point.index) % 4096 == 0 && should_stop(curve->host))
			return DPS_CANCELLED;
	}
	if (!(best < INFINITY))
		return DPS_UNABLE;
	*epsilon = best;
	return DPS_OK;
}

/* delta at an epsilon >= 0 of the window, on the chord between grid points
 * a <= epsilon < b; its weight at a is (e^b - e^epsilon) / (e^b - e^a). */
static DpsStatus
curve_delta_at(const LossCurve *curve, double epsilon, double *delta)
{
	CurveFactors factors = curve_factors(curve);
	CurvePoint	point = curve_top(curve);
	double		step = ldexp(1.0, -curve->plan.shift);
	double		index = floor(ldexp(epsilon, curve->plan.shift));
	double		above;
	double		rest = dps_sub_up((index + 1) * step, epsilon);
	double		weight;

	if (!(index >= curve->plan.low && index + 1 <= point.index))
		return DPS_UNABLE;
	while (point.index > index + 1)
		curve_step_down(curve, &factors, &point);
	above = curve_delta(curve, &point);
	curve_step_down(curve, &factors, &point);
	weight = dps_iv_div(dps_one_minus_exp(dps_point(rest)), dps_one_minus_exp(dps_point(step))).hi;
	weight = fmin(weight, 1.0);
	*delta = dps_add_up(dps_mul_up(weight, curve_delta(curve, &point)),
						dps_mul_up(dps_sub_up(1.0, weight), above));
	return DPS_OK;
}

typedef DpsStatus (*CurveReader) (const LossCurve *curve, double given, double *answer);

/* The curve that is best near the target; and about what its grid adds to epsilon. */
static DpsStatus
read_curve(DpsArena *arena, const DpsLossParts *parts, double tilt, double target,
		   CurveReader reader, double given, double *answer, double *added)
{
	LossCurve	curve = {.host = dps_arena_host(arena)};
	DpsConvolution *convolution = NULL;
	DpsStatus	status;

	if (should_stop(curve.host))
		return DPS_CANCELLED;
	DPS_TRY(make_plan(parts, tilt, fmax(target, 0.0), &curve.plan));
	*added = curve.plan.added;
	status = dps_convolution_init(arena, curve.plan.size, &convolution);
	if (status == DPS_OK)
		status = make_curve(convolution, parts, &curve);
	if (status == DPS_OK)
		status = reader(&curve, given, answer);
	dps_convolution_clear(convolution);
	return status;
}

static double
best_tilt(DpsOrderObjective objective, const TiltProblem *problem)
{
	return fmin(fmax(dps_order_best(objective, problem), TILT_MIN), TILT_MAX);
}

/*
 * The best of some curves, each of which holds.  At the best order rare outcomes of large loss can have as much weight as
 * all others, as of steps on small samples, where Renyi losses are several times what the truth is: the window is then
 * wide, and half the tilt has none of it.  target: a function of the tilt, or NULL for the given epsilon.
 */
static DpsStatus
best_curve(DpsArena *arena, const TiltProblem *problem, DpsOrderObjective best, DpsOrderObjective target,
		   CurveReader reader, double given, double *answer)
{
	double		tilt = best_tilt(best, problem);
	DpsStatus	status = DPS_UNABLE;
	double		least = INFINITY;

	for (int i = 0; i < TILTS; i++)
	{
		double		near = target == NULL ? given : target(tilt, problem);
		double		added = INFINITY;
		double		read = INFINITY;

		status = read_curve(arena, problem->parts, tilt, near, reader, given, &read, &added);
		/* once more around what it is, if that is far from where it was looked for */
		if (status == DPS_OK && target != NULL && read > 0.0 && read < 0.5 * near)
		{
			least = fmin(least, read);
			status = read_curve(arena, problem->parts, tilt, read, reader, given, &read, &added);
		}
		if (status != DPS_OK && status != DPS_UNABLE)
			return status;
		if (status == DPS_OK)
			least = fmin(least, read);
		if ((status == DPS_OK && added <= ADDED_MOST) || tilt <= 2.0 * TILT_MIN)
			break;
		tilt *= 0.5;
	}
	*answer = least;
	return least < INFINITY ? DPS_OK : DPS_UNABLE;
}

DpsStatus
dps_loss_curve_epsilon(DpsArena *arena, const DpsLossParts *parts, double delta,
					   double *epsilon)
{
	TiltProblem problem = {dps_arena_host(arena), parts, log(delta)};

	return best_curve(arena, &problem, epsilon_at_tilt, epsilon_at_tilt, curve_epsilon, delta, epsilon);
}

DpsStatus
dps_loss_curve_delta(DpsArena *arena, const DpsLossParts *parts, double epsilon,
					 double *delta)
{
	TiltProblem problem = {dps_arena_host(arena), parts, epsilon};

	return best_curve(arena, &problem, log_delta_at_tilt, NULL, curve_delta_at, epsilon, delta);
}
