/*
 * pld.c
 *		The accountant that follows the distribution of the privacy loss.
 *
 * Precondition: as in compose.c.  Postcondition: all releases together are (epsilon,
 * delta)-DP for the figures returned, rounded up.
 *
 * Proof.  Each release becomes a loss that is at least as hard to hide: its own law's
 * (loss_grid.c), a share of one continuous Gaussian (fold.c), as are steps of training in which everybody takes part, or that of
 * randomised response, which stands for any epsilon-DP.  Their sum is in
 * loss_curve.c.  A release's own delta is mass of infinite loss, so these deltas
 * are added.  Steps on samples have a loss in each direction (loss_sampled.c): the row that
 * neighbours differ in is there in one of the two data, for all steps, and the figure is the larger one; the
 * other losses are the same in both directions.
 */
#include <math.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/fold.h"
#include "account/accountant/loss_curve.h"
#include "num/interval.h"
#include "num/rational.h"

typedef struct LossProblem
{
	DpsLossParts losses;
	DpsFolded	folded;			/* what folding adds */
} LossProblem;

/* A pure epsilon of one release; Infinity if there is none. */
static double
pure_epsilon(const DpsPastRelease *release)
{
	if (release->law == DPS_LAW_LAPLACE || release->law == DPS_LAW_GEOMETRIC)
		return fmin(release->epsilon, dps_ratio_up(release->sensitivity, release->scale));
	return release->epsilon;
}

static bool
is_folded(const DpsPastRelease *release)
{
	return release->law == DPS_LAW_GAUSSIAN &&
		(release->coordinates != 1 || release->scale > DPS_LATTICE_SCALE_MAX ||
		 release->sensitivity > DPS_LATTICE_SENSITIVITY_MAX);
}

/* The part for a release that is not folded; false if nothing is known that
 * bounds its loss. */
static bool
make_part(const DpsPastRelease *release, DpsLossLaw direction, DpsLossPart *part)
{
	part->rate = 0.0;
	part->count = release->count;
	part->scale = release->scale;
	part->sensitivity = release->sensitivity;
	part->step = 1;
	if (release->law == DPS_LAW_GAUSSIAN)
	{
		part->kind = DPS_LOSS_LATTICE;
		part->size = dps_ratio_up(release->sensitivity, release->scale);
		return true;
	}
	if (release->law == DPS_LAW_SUBSAMPLED)
	{
		part->kind = direction;
		part->size = dps_fold_step_mu(release->scale, release->sensitivity);
		part->rate = release->rate;
		return part->size < INFINITY;
	}
	part->kind = DPS_LOSS_RESPONSE;
	if (release->law == DPS_LAW_LAPLACE && release->coordinates == 1)
		part->kind = DPS_LOSS_LAPLACE;
	/* at a step that does not divide the sensitivity a response is a bound, too */
	if (release->law == DPS_LAW_GEOMETRIC && release->coordinates == 1 && release->sensitivity % release->step == 0)
	{
		part->kind = DPS_LOSS_LAPLACE;
		part->step = release->step;
	}
	part->size = part->kind == DPS_LOSS_LAPLACE ?
		dps_ratio_up(release->sensitivity, release->scale) : pure_epsilon(release);
	return part->size < INFINITY;
}

/* A release that cannot be told from its neighbour. */
static bool
is_lossless(const DpsPastRelease *release)
{
	return release->epsilon == 0.0 ||
		(release->law != DPS_LAW_UNKNOWN && release->sensitivity == 0) ||
		(release->law == DPS_LAW_SUBSAMPLED && release->rate == 0.0);
}

/* Makes of runs of steps as many releases of one. */
static bool
separate_steps(DpsPastRelease *release)
{
	if (release->count > UINT64_MAX / release->steps)
		return false;
	release->count *= release->steps;
	release->steps = 1;
	return true;
}

typedef struct LossQuestion
{
	const DpsHistory *history;
	double		given;			/* delta, or epsilon */
	double		accuracy;		/* of the grid (loss_curve.h) */
} LossQuestion;

static DpsStatus
make_parts(DpsArena *arena, const LossQuestion *question, DpsLossLaw direction, double delta, LossProblem *result)
{
	DpsHistory	grouped;
	DpsFold		fold = {0};
	DpsLossParts *losses = &result->losses;

	DPS_TRY(dps_history_group(arena, question->history, &grouped));
	if (grouped.nreleases >= DPS_LOSS_PARTS_MAX)
		return DPS_UNABLE;
	losses->accuracy = question->accuracy;
	losses->nparts = 0;
	losses->parts = dps_arena_alloc(arena, (grouped.nreleases + 1) * sizeof(DpsLossPart));
	if (losses->parts == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < grouped.nreleases; i++)
	{
		DpsPastRelease release = grouped.releases[i];

		if (is_lossless(&release))
			continue;
		if (is_folded(&release))
		{
			dps_fold_add(&fold, &release);
			continue;
		}
		if (release.law == DPS_LAW_SUBSAMPLED && release.rate == 1.0)
		{
			dps_fold_add_steps(&fold, &release);
			continue;
		}
		if (release.law == DPS_LAW_SUBSAMPLED)
		{
			if (!separate_steps(&release))
				return DPS_UNABLE;
			dps_fold_add_rounding(&fold, &release);
		}
		if (!make_part(&release, direction, &losses->parts[losses->nparts++]))
			return DPS_UNABLE;
	}
	dps_fold_finish(&fold, delta, &result->folded);
	if (!(result->folded.mu < INFINITY))
		return DPS_UNABLE;
	if (result->folded.mu > 0.0)
	{
		DpsLossPart normal = {DPS_LOSS_NORMAL, 1, 0, 0, 1, result->folded.mu, 0.0};

		losses->parts[losses->nparts++] = normal;
	}
	return DPS_OK;
}

/* delta(epsilon + shift) <= factor * curve(epsilon) + tail */
static DpsStatus
directed_epsilon(DpsArena *arena, const LossQuestion *question, DpsLossLaw direction, double *epsilon)
{
	LossProblem problem;
	double		left;
	double		read;

	DPS_TRY(make_parts(arena, question, direction, question->given, &problem));
	if (problem.losses.nparts == 0)
	{
		*epsilon = 0.0;
		return DPS_OK;
	}
	left = dps_div_down(dps_sub_down(question->given, problem.folded.tail), problem.folded.factor);
	if (!(left > 0.0))
		return DPS_UNABLE;
	DPS_TRY(dps_loss_curve_epsilon(arena, &problem.losses, left, &read));
	*epsilon = dps_add_up(read, problem.folded.shift);
	return DPS_OK;
}

/* The tail of what is folded has to be small against a delta not yet known. */
#define FOLD_DELTA 0x1p-100

static DpsStatus
directed_delta(DpsArena *arena, const LossQuestion *question, DpsLossLaw direction, double *delta)
{
	LossProblem problem;
	double		left;
	double		read;

	DPS_TRY(make_parts(arena, question, direction, FOLD_DELTA, &problem));
	if (problem.losses.nparts == 0)
	{
		*delta = 0.0;
		return DPS_OK;
	}
	left = dps_sub_down(question->given, problem.folded.shift);
	if (!(left >= 0.0))
		return DPS_UNABLE;
	DPS_TRY(dps_loss_curve_delta(arena, &problem.losses, left, &read));
	*delta = dps_add_up(dps_mul_up(problem.folded.factor, read), problem.folded.tail);
	return DPS_OK;
}

typedef DpsStatus (*DirectedFigure) (DpsArena *arena, const LossQuestion *question, DpsLossLaw direction, double *figure);

/* Whether the row may be in a sample, so that the loss is another one in the other direction. */
static bool
has_directions(const DpsHistory *history)
{
	for (size_t i = 0; i < history->nreleases; i++)
	{
		if (history->releases[i].law == DPS_LAW_SUBSAMPLED && history->releases[i].rate < 1.0)
			return true;
	}
	return false;
}

/* The figure that holds in both directions. */
static DpsStatus
both_directions(const DpsHost *host, const LossQuestion *question, DirectedFigure read, double *figure)
{
	DpsArena   *arena;
	DpsStatus	status;
	double		one = 0.0;
	double		other = 0.0;

	DPS_TRY(dps_arena_init(&arena, host));
	status = read(arena, question, DPS_LOSS_REMOVED, &one);
	if (status == DPS_OK && has_directions(question->history))
		status = read(arena, question, DPS_LOSS_ADDED, &other);
	/* of one direction alone it is no figure */
	if (status == DPS_OK)
		*figure = fmax(one, other);
	dps_arena_clear(arena);
	return status;
}

/* The sum of pure losses is a bound as well, at delta = 0 the only one; so is
 * the Renyi figure, the better one where the grid has to be too coarse. */
DpsStatus
dps_accountant_pld(const DpsHost *host, const DpsHistory *history, double delta,
				   double *epsilon)
{
	return dps_pld_epsilon(host, history, delta, 0.0, epsilon);
}

DpsStatus
dps_pld_epsilon(const DpsHost *host, const DpsHistory *history, double delta, double accuracy,
				double *epsilon)
{
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
		LossQuestion question = {history, left, accuracy};

		status = both_directions(host, &question, directed_epsilon, &read);
	}
	/* steps that are not known that well have their Renyi losses */
	if (status == DPS_UNABLE && dps_history_has(history, DPS_LAW_SUBSAMPLED))
		return dps_accountant_rdp(host, history, delta, epsilon);
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
		LossQuestion question = {history, epsilon, 0.0};

		status = both_directions(host, &question, directed_delta, &read);
		/* not being able to say more than 1 is an answer */
		if (status != DPS_OK && status != DPS_UNABLE)
			return status;
		if (status == DPS_UNABLE)
			read = 1.0;
	}
	*delta = fmin(dps_add_up(read, own), 1.0);
	return DPS_OK;
}
