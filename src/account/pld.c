/*
 * pld.c
 *		The distribution of the privacy loss of a whole history.
 *
 * Postcondition: an epsilon (or delta) such that the releases, had they been
 * fixed in advance, are (epsilon, delta)-DP.
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

#include "account/account.h"
#include "account/accountant.h"
#include "account/convolve.h"
#include "account/elementary.h"
#include "account/fold.h"
#include "account/loss_grid.h"
#include "account/order.h"
#include "num/rational.h"

/* More different losses than this are not convolved. */
#define PARTS_MAX 4096

/* Transforms times their size, for a second or so. */
#define WORK_MAX 0x1p26

#define TILT_MIN 0x1p-4
#define TILT_MAX 1000.0

/* The smallest size that is worth while: a few milliseconds. */
#define SIZE_FIRST ((size_t) 1 << 14)

/* What discretisation may add to epsilon, relatively. */
#define ACCURACY 4e-6

/* ln of the tilted mass that may lie above the window. */
#define OUTSIDE (-40.0)

#define SHIFT_MAX 50

typedef struct LossParts
{
	const DpsHost *host;
	DpsLossPart *parts;
	size_t		nparts;
	DpsFolded	folded;			/* what folding adds */
} LossParts;

typedef struct LossPlan
{
	double		tilt;
	double		probe;
	int			shift;
	size_t		size;
	double		low;			/* index of the first grid point of the window */
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

/* --- The history as independent losses. --- */

/* A pure epsilon of one release; Infinity if there is none. */
static double
pure_epsilon(const DpsRelease *release)
{
	if (release->law == DPS_LAW_LAPLACE)
		return fmin(release->epsilon, dps_ratio_up(release->sensitivity, release->scale));
	return release->epsilon;
}

static bool
is_folded(const DpsRelease *release)
{
	return release->law == DPS_LAW_GAUSSIAN &&
		(release->coordinates != 1 || release->scale > DPS_LATTICE_SCALE_MAX ||
		 release->sensitivity > DPS_LATTICE_SENSITIVITY_MAX);
}

/* The part for a release that is not folded; false if nothing is known that
 * bounds its loss. */
static bool
make_part(const DpsRelease *release, DpsLossPart *part)
{
	part->count = release->count;
	part->scale = release->scale;
	part->sensitivity = release->sensitivity;
	if (release->law == DPS_LAW_GAUSSIAN)
	{
		part->kind = DPS_LOSS_LATTICE;
		part->size = dps_ratio_up(release->sensitivity, release->scale);
		return true;
	}
	part->kind = DPS_LOSS_RESPONSE;
	if (release->law == DPS_LAW_LAPLACE && release->coordinates == 1)
		part->kind = DPS_LOSS_LAPLACE;
	part->size = part->kind == DPS_LOSS_LAPLACE ?
		dps_ratio_up(release->sensitivity, release->scale) : pure_epsilon(release);
	return part->size < INFINITY;
}

/* A release that cannot be told from its neighbour. */
static bool
is_lossless(const DpsRelease *release)
{
	return release->epsilon == 0.0 ||
		(release->law != DPS_LAW_UNKNOWN && release->sensitivity == 0);
}

static DpsStatus
make_parts(DpsArena *arena, const DpsHistory *history, double delta, LossParts *result)
{
	DpsHistory	grouped;
	DpsFold		fold = {0};

	DPS_TRY(dps_history_group(arena, history, &grouped));
	result->host = dps_arena_host(arena);
	result->nparts = 0;
	if (grouped.nreleases >= PARTS_MAX)
		return DPS_UNABLE;
	result->parts = dps_arena_alloc(arena, (grouped.nreleases + 1) * sizeof(DpsLossPart));
	if (result->parts == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < grouped.nreleases; i++)
	{
		if (is_lossless(&grouped.releases[i]))
			continue;
		if (is_folded(&grouped.releases[i]))
			dps_fold_add(&fold, &grouped.releases[i]);
		else if (!make_part(&grouped.releases[i], &result->parts[result->nparts++]))
			return DPS_UNABLE;
	}
	dps_fold_finish(&fold, delta, &result->folded);
	if (result->folded.mu > 0.0)
	{
		DpsLossPart normal = {DPS_LOSS_NORMAL, 1, 0, 0, result->folded.mu};

		result->parts[result->nparts++] = normal;
	}
	return DPS_OK;
}

/* --- Tilt, step and window. --- */

static double
cumulant(const LossParts *parts, double lambda)
{
	double		sum = 0.0;

	for (size_t i = 0; i < parts->nparts; i++)
		sum += (double) parts->parts[i].count * dps_loss_cumulant(&parts->parts[i], lambda);
	return sum;
}

static double
largest_loss(const LossParts *parts)
{
	double		largest = 0.0;

	for (size_t i = 0; i < parts->nparts; i++)
		largest = fmax(largest, dps_loss_largest(&parts->parts[i]));
	return largest;
}

typedef struct TiltProblem
{
	const LossParts *parts;
	double		given;			/* ln delta, or epsilon */
} TiltProblem;

static double
epsilon_at_tilt(double lambda, const void *context)
{
	const TiltProblem *problem = context;

	if (should_stop(problem->parts->host))
		return INFINITY;
	return cumulant(problem->parts, lambda) / lambda +
		dps_order_conversion(lambda, problem->given);
}

static double
log_delta_at_tilt(double lambda, const void *context)
{
	const TiltProblem *problem = context;

	if (should_stop(problem->parts->host))
		return INFINITY;
	return cumulant(problem->parts, lambda) - lambda * problem->given +
		lambda * log(lambda) - (1.0 + lambda) * log1p(lambda);
}

/* ln of Markov's bound on the tilted mass above top, at the best of some
 * probes. */
static double
outside(const LossParts *parts, double tilt, double at_tilt, double top, double deviation,
		double largest, double *probe)
{
	double		best = INFINITY;

	for (double s = 0.5 / deviation; s < 64.0 / deviation; s *= 1.6)
	{
		double		capped = fmin(s, 300.0 / largest);
		double		bound = cumulant(parts, tilt + capped) - at_tilt - capped * top;

		if (bound < best)
		{
			best = bound;
			*probe = capped;
		}
	}
	return best;
}

/* About what a step adds to epsilon: each split between grid points adds
 * h^2/8 (1 + tilt). */
static double
step_cost(const LossParts *parts, double tilt, double step)
{
	double		count = 0.0;

	for (size_t i = 0; i < parts->nparts; i++)
		count += (double) parts->parts[i].count;
	return count * (1.0 + tilt) * 0.125 * step * step;
}

static DpsStatus
choose_grid(const LossParts *parts, double bottom, double top, double target, LossPlan *plan)
{
	size_t		most = DPS_CONVOLUTION_MAX;

	while (most > SIZE_FIRST && (double) most * (double) parts->nparts > WORK_MAX)
		most /= 4;
	for (plan->size = SIZE_FIRST; plan->size <= most; plan->size *= 4)
	{
		plan->shift = -(int) ceil(log2((top - bottom) / (double) (plan->size - 2)));
		if (step_cost(parts, plan->tilt, ldexp(1.0, -plan->shift)) <= ACCURACY * target)
			break;
	}
	if (plan->size > most)
		plan->size = most;
	if (plan->shift < 0 || plan->shift > SHIFT_MAX)
		return DPS_UNABLE;
	plan->low = floor(ldexp(bottom, plan->shift));
	return DPS_OK;
}

/* The window holds the target and what has any weight after tilting. */
static DpsStatus
make_plan(const LossParts *parts, double tilt, double target, LossPlan *plan)
{
	double		near = 0.05 * (plan->tilt = fmin(fmax(tilt, TILT_MIN), TILT_MAX));
	double		here = cumulant(parts, plan->tilt);
	double		above = cumulant(parts, plan->tilt + near);
	double		below = cumulant(parts, plan->tilt - near);
	double		mean = (above - below) / (2.0 * near);
	double		largest = largest_loss(parts);
	double		deviation = sqrt(fmax((above - 2.0 * here + below) / (near * near), 0.0));
	double		reach;

	deviation = fmax(deviation, 1e-3 * largest);
	reach = 9.0 * deviation + largest;
	if (!(isfinite(mean) && isfinite(reach) && reach > 0.0 && isfinite(target)))
		return DPS_UNABLE;
	plan->probe = 1.0 / deviation;
	for (int i = 0; i < 24; i++)
	{
		if (outside(parts, plan->tilt, here, fmax(mean + reach, target), deviation, largest,
					&plan->probe) <= OUTSIDE)
			break;
		reach *= 1.2;
	}
	return choose_grid(parts, fmin(mean - reach, target - deviation),
					   fmax(mean + reach, target + deviation), fmax(target, deviation), plan);
}

/* --- The convolution. --- */

static DpsStatus
include_part(DpsConvolution *convolution, const LossParts *parts, const DpsLossPart *part,
			 LossCurve *curve, double *log_outside)
{
	double		count = dps_count_up(part->count);
	DpsLossGrid grid = {.masses = dps_convolution_masses(convolution)};

	if (should_stop(parts->host))
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
make_curve(DpsConvolution *convolution, const LossParts *parts, LossCurve *curve)
{
	double		step = ldexp(1.0, -curve->plan.shift);
	double		top = (curve->plan.low + (double) curve->plan.size) * step;
	double		log_outside = 0.0;
	double		error;

	for (size_t i = 0; i < parts->nparts; i++)
		DPS_TRY(include_part(convolution, parts, &parts->parts[i], curve, &log_outside));
	log_outside = dps_sub_up(log_outside, dps_mul_down(curve->plan.probe, top));
	DPS_TRY(dps_convolution_finish(convolution, &curve->masses, &error));
	error = dps_mul_up(error, norm_of_weights(curve->plan.tilt, step));
	curve->error = dps_add_up(error, dps_div_up(dps_iv_exp(dps_point(log_outside)).hi,
												dps_add_down(1.0, curve->plan.tilt)));
	return DPS_OK;
}

/* --- Reading the curve. --- */

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
	int64_t		slot = (int64_t) point->index % (int64_t) curve->plan.size;

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
		if ((int64_t) point.index % 4096 == 0 && should_stop(curve->host))
			return DPS_CANCELLED;
	}
	if (!(best < INFINITY))
		return DPS_UNABLE;
	*epsilon = best;
	return DPS_OK;
}

/* delta at an epsilon >= 0 of the window, on the chord between grid points
 * a <= epsilon < b; its weight at a is (e^b - e^epsilon) / (e^b - e^a). */
static double
curve_delta_at(const LossCurve *curve, double epsilon)
{
	CurveFactors factors = curve_factors(curve);
	CurvePoint	point = curve_top(curve);
	double		step = ldexp(1.0, -curve->plan.shift);
	double		index = floor(ldexp(epsilon, curve->plan.shift));
	double		above;
	double		rest = dps_sub_up((index + 1) * step, epsilon);
	double		weight;

	if (!(index >= curve->plan.low && index + 1 <= point.index))
		return 1.0;
	while (point.index > index + 1)
		curve_step_down(curve, &factors, &point);
	above = curve_delta(curve, &point);
	curve_step_down(curve, &factors, &point);
	weight = dps_iv_div(dps_one_minus_exp(dps_point(rest)), dps_one_minus_exp(dps_point(step))).hi;
	weight = fmin(weight, 1.0);
	return dps_add_up(dps_mul_up(weight, curve_delta(curve, &point)),
					  dps_mul_up(dps_sub_up(1.0, weight), above));
}

/* --- From history to answer. --- */

/* Finds the tilt, makes the plan, and hands the curve to the reader. */
typedef DpsStatus (*CurveReader) (const LossCurve *curve, const LossParts *parts, double given,
								  double *answer);

static DpsStatus
read_curve(DpsArena *arena, const LossParts *parts, DpsOrderObjective objective,
		   const TiltProblem *problem, CurveReader reader, double given, double *answer)
{
	LossCurve	curve = {.host = parts->host};
	DpsConvolution *convolution = NULL;
	double		tilt = dps_order_best(objective, problem);
	double		clamped = fmin(fmax(tilt, TILT_MIN), TILT_MAX);
	double		target = objective == epsilon_at_tilt ?
		epsilon_at_tilt(clamped, problem) : problem->given;
	DpsStatus	status;

	if (should_stop(parts->host))
		return DPS_CANCELLED;
	DPS_TRY(make_plan(parts, tilt, fmax(target, 0.0), &curve.plan));
	status = dps_convolution_init(arena, curve.plan.size, &convolution);
	if (status == DPS_OK)
		status = make_curve(convolution, parts, &curve);
	if (status == DPS_OK)
		status = reader(&curve, parts, given, answer);
	dps_convolution_clear(convolution);
	return status;
}

/* delta(epsilon + shift) <= factor * curve(epsilon) + tail */
static DpsStatus
read_epsilon(const LossCurve *curve, const LossParts *parts, double delta, double *epsilon)
{
	double		left = dps_sub_down(delta, parts->folded.tail);
	double		read;

	DPS_TRY(curve_epsilon(curve, dps_div_down(left, parts->folded.factor), &read));
	*epsilon = dps_add_up(read, parts->folded.shift);
	return DPS_OK;
}

static DpsStatus
read_delta(const LossCurve *curve, const LossParts *parts, double epsilon, double *delta)
{
	*delta = dps_add_up(dps_mul_up(parts->folded.factor, curve_delta_at(curve, epsilon)),
						parts->folded.tail);
	return DPS_OK;
}

static DpsStatus
pld_epsilon(DpsArena *arena, const DpsHistory *history, double delta, double *epsilon)
{
	LossParts	parts;
	TiltProblem problem = {&parts, log(delta)};

	DPS_TRY(make_parts(arena, history, delta, &parts));
	if (parts.nparts == 0)
	{
		*epsilon = 0.0;
		return DPS_OK;
	}
	return read_curve(arena, &parts, epsilon_at_tilt, &problem, read_epsilon, delta, epsilon);
}

/* The tail of what is folded has to be small against a delta not yet known. */
#define FOLD_DELTA 0x1p-100

static DpsStatus
pld_delta(DpsArena *arena, const DpsHistory *history, double epsilon, double *delta)
{
	LossParts	parts;
	TiltProblem problem = {&parts, 0.0};

	DPS_TRY(make_parts(arena, history, FOLD_DELTA, &parts));
	problem.given = dps_sub_down(epsilon, parts.folded.shift);
	if (parts.nparts == 0 || !(problem.given >= 0.0))
	{
		*delta = parts.nparts == 0 ? 0.0 : 1.0;
		return DPS_OK;
	}
	return read_curve(arena, &parts, log_delta_at_tilt, &problem, read_delta, problem.given,
					  delta);
}

/* The sum of pure losses is a bound as well, at delta = 0 the only one; so is
 * the Renyi figure, the better one where the grid has to be too coarse. */
DpsStatus
dps_accountant_pld(const DpsHost *host, const DpsHistory *history, double delta,
				   double *epsilon)
{
	DpsArena   *arena;
	DpsStatus	status;
	DpsStatus	basic;
	double		sum = INFINITY;
	double		read = INFINITY;
	double		renyi = INFINITY;
	double		left;

	basic = dps_accountant_basic(host, history, delta, &sum);
	if (basic == DPS_DOMAIN)
		return basic;
	status = dps_history_delta_left(history, delta, &left);
	if (status == DPS_OK)
	{
		DPS_TRY(dps_arena_init(&arena, host));
		status = pld_epsilon(arena, history, left, &read);
		dps_arena_clear(arena);
	}
	if (status == DPS_OK)
	{
		DpsStatus	other = dps_accountant_rdp(host, history, delta, &renyi);

		if (other != DPS_OK && other != DPS_UNABLE)
			return other;
	}
	if (status != DPS_OK && !(status == DPS_UNABLE && basic == DPS_OK))
		return status;
	*epsilon = fmin(fmin(sum, renyi), read);
	return DPS_OK;
}

DpsStatus
dps_pld_delta(const DpsHost *host, const DpsHistory *history, double epsilon, double *delta)
{
	DpsArena   *arena;
	DpsStatus	status;
	double		own;
	double		read = 1.0;

	if (!(epsilon >= 0.0 && epsilon < INFINITY))
		return DPS_DOMAIN;
	DPS_TRY(dps_history_check(history));
	own = dps_history_delta(history);
	if (dps_history_epsilon(history) <= epsilon)
		read = 0.0;
	else
	{
		DPS_TRY(dps_arena_init(&arena, host));
		status = pld_delta(arena, history, epsilon, &read);
		dps_arena_clear(arena);
		/* not being able to say more than 1 is an answer */
		if (status != DPS_OK && status != DPS_UNABLE)
			return status;
		if (status == DPS_UNABLE)
			read = 1.0;
	}
	*delta = fmin(dps_add_up(read, own), 1.0);
	return DPS_OK;
}
