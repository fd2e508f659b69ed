/*
 * run_charge.c
 *		The cost of a run of training, and its charge.
 *
 * Claim: the result of a run on a protected table is rho-zCDP for one row with
 * rho = T D^2 / 2N^2, which is charged before the first step.
 *
 * Proof.  A step adds up, over the rows, vectors of integers of Euclidean norm B
 * at most (descent.c), each a function of its row and of the parameters alone: the
 * gradient of an example does not depend on its batch (example_batch.h).  So one row
 * more or less moves the sum by at most D = B, and other values in a row by at most
 * D = 2B, for any parameters.  Each coordinate gets independent discrete Gaussian noise
 * of scale N: that is D^2 / 2N^2-zCDP (CKS 2020, Proposition 5, coordinate by
 * coordinate).  T steps, each of which may depend on the results of those before, have T
 * times this rho (Bun and Steinke 2016, Lemma 2.3).  The next parameters are computed
 * from the noisy sum and public numbers.  Nothing else depends on the rows: rows that
 * are not examples count as 0, and the divisor is given.
 *
 * With a bound that is proved at the parameters of every step, B and N change from step
 * to step.  D / N is at most, and N at least, the one that is charged
 * (dps_clipping_follow).  Both follow from declared ranges and from the parameters,
 * which are public by then.
 *
 * The history records one release of scale floor(N / sqrt T), whose rho is not less, of
 * T times as many integers as the model has parameters.  The loss that integer noise
 * adds is not less, either: with scales of at least N and integers that move by at most
 * D / N scales, the sums over all coordinates in fold.c are at most sqrt T-th parts of
 * those of the record.
 *
 * Claim: with a sampling rate q, under add_remove, a run has the Renyi losses of T
 * steps of subsampled.c for sensitivity B, scale N and rate q, and what is charged
 * is a rho and a delta such that it is delta-approximately rho-zCDP.
 *
 * Proof.  In each step every row takes part with probability exactly q, by an
 * independent secret draw (noise/poisson.c), whatever the other rows and its own place
 * are.  Given which other rows take part, a row moves the sum by a vector of norm at
 * most B with probability q, which is the mixture of subsampled.c.  Renyi losses are
 * quasi-convex, so the bound holds without that condition.  The losses of steps add up.
 * The second half is the claim of account/sampled.c.  Under replace and attribute there
 * is no such bound, and sampling is refused.  The divisor is q times the expected number
 * of rows, not the number of rows that take part.
 *
 * The epsilon that is shown is not what is charged: it is what all steps together cost at the delta of the run, by
 * Renyi losses or the distribution of the privacy loss, whichever says less (account/accountant/steps_cost.c), of the same steps.
 * A budget adds up rho, because the next answer may depend on this one and an epsilon at a delta does not add up
 * that well.
 *
 * A run is one transaction, unless it has checkpoints (run.c).  If it fails or is
 * cancelled, its noise is discarded and its charge stays; another run is charged again.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "account/accountant/steps_cost.h"
#include "account/amount.h"
#include "glue/glue.h"
#include "glue/settings.h"
#include "ledger/cost.h"
#include "ledger/entity.h"
#include "ledger/ledger.h"
#include "model/train/run_charge.h"

/* A sampled run is charged 1/DELTA_PART of its delta; the rest is left for the conversion
 * from zCDP, and for other runs. */
#define DELTA_PART 8

static DpsRunSteps
steps_of(const DpsTrainingRun *run)
{
	return (DpsRunSteps) {run->training.is_sampled ? run->rate : 1, run->sensitivity, run->training.network->size, run->training.steps};
}

double
dps_run_epsilon(const DpsTrainingRun *run, uint64 scale)
{
	DpsHost		host = dps_server_host();
	DpsRunSteps	steps = steps_of(run);
	double		epsilon;
	DpsStatus	status = dps_steps_epsilon(&host, &steps, scale, run->delta, &epsilon);

	if (status == DPS_UNABLE)
		return INFINITY;
	dps_check_status(status);
	return epsilon;
}

uint64
dps_run_scale(const DpsTrainingRun *run, uint64 enough)
{
	DpsHost		host = dps_server_host();
	DpsRunSteps	steps = steps_of(run);
	uint64_t	scale;

	dps_check_status(dps_steps_scale(&host, &steps, run->epsilon, run->delta, enough, &scale));
	return scale;
}

/* floor(scale / sqrt(steps)) */
static uint64
scale_of_all_steps(uint64 scale, int steps)
{
	unsigned __int128 square = (unsigned __int128) scale * scale / (unsigned) steps;
	uint64		lo = 0;
	uint64		hi = scale;

	while (lo < hi)
	{
		uint64		middle = hi - (hi - lo) / 2;

		if ((unsigned __int128) middle * middle <= square)
			lo = middle;
		else
			hi = middle - 1;
	}
	return lo;
}

uint64
dps_oldest_change(Snapshot snapshot)
{
	FullTransactionId next = ReadNextFullTransactionId();

	/* xmin is one of the last 2^31 transactions, so the difference modulo 2^32 is exact */
	return U64FromFullTransactionId(next) - (uint32) (XidFromFullTransactionId(next) - snapshot->xmin);
}

/* States all steps as one release of Gaussian noise. */
static void
state_full_batches(const DpsTrainingRun *run, DpsChargeItem *item)
{
	int			steps = run->training.steps;

	item->scales[0] = dps_setting_noise ? scale_of_all_steps(run->training.scale, steps) : 0;
	item->joined[0] = (uint64) steps * (uint64) run->training.network->size;
	dps_add_loss(&dps_gaussian, item->sensitivities[0], item->scales[0], item->joined[0], 1, &item->loss);
	item->expression = psprintf("in %d steps, gradients clipped to %g", steps, run->training.clipping.clip);
}

static void
state_samples(const DpsTrainingRun *run, DpsChargeItem *item)
{
	DpsAmount	delta = dps_amount_of_cap(run->delta / DELTA_PART, DPS_DELTA_BITS);

	strlcpy(item->mechanism, DPS_SUBSAMPLED, sizeof(item->mechanism));
	item->scales[0] = run->training.scale;
	item->joined[0] = run->training.network->size;
	item->steps = run->training.steps;
	item->rate = run->rate;
	dps_sampled_loss(run->rate, run->training.steps, run->sensitivity, run->training.scale,
					 dps_amount_down(delta, DPS_DELTA_BITS), &item->loss);
	item->expression = psprintf("in %d steps on samples of rate %g, gradients clipped to %g",
								run->training.steps, run->rate, run->training.clipping.clip);
}

/* A step clips what a row, or a unit, adds; nothing is known of single columns. */
static DpsReplacement
replacement_of(DpsAdjacency adjacency)
{
	if (adjacency == DPS_METRIC)
		return DPS_REPLACEMENT_UNBOUNDED;
	return adjacency == DPS_ADD_REMOVE ? DPS_REPLACEMENT_TWO : DPS_REPLACEMENT_ONE;
}

int64
dps_run_charge(const DpsTrainingRun *run, Snapshot snapshot)
{
	DpsChargeItem item = {0};
	DpsCharge	charge = {.role = GetUserId(), .nitems = 1, .items = &item};
	int64		release;

	item.relation = run->relation;
	item.arms = item.group_size = 1;
	item.labels = dps_unit_fingerprint(run->relation);
	strlcpy(item.mechanism, dps_setting_noise ? dps_gaussian.name : DPS_NO_MECHANISM, sizeof(item.mechanism));
	strlcpy(item.adjacency, dps_adjacency_name(run->annotation.adjacency), sizeof(item.adjacency));
	item.replacement = replacement_of(run->annotation.adjacency);
	item.epsilon = run->epsilon;
	item.delta = run->delta;
	item.sensitivity = ldexp((double) run->sensitivity, run->training.clipping.grid);
	item.grid = run->training.clipping.grid;
	item.ncoordinates = 1;
	item.sensitivities[0] = run->sensitivity;
	if (run->training.is_sampled && dps_setting_noise)
		state_samples(run, &item);
	else
		state_full_batches(run, &item);
	item.expression = psprintf("training of model \"%s\" %s", NameStr(run->model), item.expression);
	charge.query = item.expression;
	charge.oldest_change = dps_oldest_change(snapshot);
	release = dps_ledger_charge(&charge);
	if (!dps_setting_noise)
		ereport(WARNING,
				(errmsg("exact gradients are released: dpsens.noise is off")));
	return release;
}
