/*
 * train.c
 *		Training a network on rows in memory: full batches, and secret samples.
 *
 * Clipped gradients are added as integers of 128 bits: the sum does not depend on the
 * order of the rows, and no number of rows overflows it.  In a step on a sample, each
 * row takes part by an independent draw from the strong random source; which rows do,
 * and how many, is never shown.  Gradients are computed for a batch of rows at a time,
 * and clipped one by one.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "glue/glue.h"
#include "model/noised.h"
#include "model/train/progress.h"
#include "model/train/train.h"
#include "noise/poisson.h"
#include "num/whole.h"
#include "tensor/network/example_batch.h"

/* The smallest clip. */
#define LEAST_CLIP 0x1p-800

struct DpsDescent
{
	const DpsTraining *training;
	double	   *parameters;
	DpsExampleBatch *batch;
	int64_t		waiting;		/* examples in the batch */
	int64	   *numbers;		/* of these examples */
	int64_t    *rounded;		/* one gradient, clipped */
	DpsStoredInt128 *total;			/* of clipped gradients */
	double	   *gradient;		/* mean, with noise */
	double	   *states;			/* of the optimizer */
	DpsClipping clipping;		/* of this step */
	uint64		scale;
	DpsHost		host;
	DpsRandom	random;
};

static void *
allocate_numbers(Size size, int64 n)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, size * Max(n, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Is the row in this step's sample, and not left out for what it has lost? */
static bool
takes_part(const DpsTraining *training, DpsDescent *step, int64 row)
{
	bool		taken = true;

	CHECK_FOR_INTERRUPTS();
	if (training->losses != NULL)
		return !dps_row_is_out(training->losses, row);
	if (training->is_sampled)
		dps_check_status(dps_sample_row(&step->random, training->rate_units, &taken));
	return taken;
}

/* If the rows have accounts, is the step's loss within that of the row whose gradient was clipped? */
static bool
pays(const DpsTraining *training, const DpsDescent *step, int64 row)
{
	return training->losses == NULL ||
		dps_row_pays(training->losses, step->numbers[row], step->scale, dps_clipped_norm(step->rounded, training->network->size));
}

/* Adds the gradients of the waiting examples, clipped or as they are. */
static void
add_waiting(const DpsTraining *training, DpsDescent *step, const double *parameters)
{
	int64		n = training->network->size;
	int64		row;
	int64		i;

	if (step->waiting == 0)
		return;
	dps_check_status(dps_example_batch_run(step->batch, parameters, step->waiting));
	for (row = 0; training->is_clipped && row < step->waiting; row++)
	{
		/* a gradient that does not exist counts as 0 */
		if (!dps_clip_gradient(&step->clipping, step->batch->gradients + row * n, n, step->rounded) ||
			!pays(training, step, row))
			continue;
		for (i = 0; i < n; i++)
			step->total[i] += step->rounded[i];
	}
	for (i = 0; !training->is_clipped && i < n; i++)
		step->gradient[i] += step->batch->sum[i];
	step->waiting = 0;
}

/* The sum of the gradients of the rows that take part. */
static void
sum_gradients(const DpsTraining *training, DpsDescent *step, const double *parameters)
{
	const DpsExamples *examples = &training->examples;
	DpsExampleBatch *batch = step->batch;
	int64		ntargets = examples->width - examples->nfeatures;
	int64		row;

	for (row = 0; row < examples->n; row++)
	{
		const double *numbers = examples->numbers + row * examples->width;

		if (!takes_part(training, step, row))
			continue;
		step->numbers[step->waiting] = row;
		memcpy(batch->features + step->waiting * examples->nfeatures, numbers, sizeof(double) * examples->nfeatures);
		memcpy(batch->targets + step->waiting * ntargets, numbers + examples->nfeatures, sizeof(double) * ntargets);
		if (++step->waiting == batch->capacity)
			add_waiting(training, step, parameters);
	}
	add_waiting(training, step, parameters);
}

/* gradient = sum of clipped gradients with noise, over the divisor */
static void
sum_clipped(const DpsTraining *training, DpsDescent *step, const double *parameters)
{
	int64		n = training->network->size;
	int64		i;

	memset(step->total, 0, sizeof(DpsStoredInt128) * n);
	sum_gradients(training, step, parameters);
	for (i = 0; i < n; i++)
		step->gradient[i] = dps_noised_number(&step->random, step->total[i], step->scale, step->clipping.grid) / training->divisor;
}

static void
sum_plain(const DpsTraining *training, DpsDescent *step, const double *parameters)
{
	int64		n = training->network->size;
	int64		i;

	memset(step->gradient, 0, sizeof(double) * n);
	sum_gradients(training, step, parameters);
	for (i = 0; i < n; i++)
		step->gradient[i] /= training->divisor;
}

/*
 * Sets the clip that is proved at these parameters, and a scale of noise that is not
 * fewer clips than was charged.  Both follow from public numbers.  False if there is no
 * such clip.
 */
static bool
bound_step(const DpsTraining *training, DpsDescent *step, const double *parameters)
{
	DpsSteepness steepness;

	dps_bounding_find(training->bounding, parameters, &steepness);
	/* if all gradients are 0, there must be a grid all the same */
	return dps_clipping_follow(&training->clipping, training->scale, Max(steepness.upper, LEAST_CLIP), training->network->size,
							   &step->clipping, &step->scale);
}

int64
dps_descent_states(const DpsTraining *training)
{
	return training->network->size * training->optimizer->nstates;
}

DpsDescent *
dps_descent_begin(const DpsTraining *training, double *parameters, double *states)
{
	int64		n = training->network->size;
	DpsDescent *descent = palloc0(sizeof(DpsDescent));

	descent->training = training;
	descent->parameters = parameters;
	descent->states = states;
	dps_check_status(dps_example_batch_init(training->network, training->is_clipped ? DPS_BATCH_GRADIENTS : DPS_BATCH_SUM,
											training->examples.n, &descent->batch));
	descent->numbers = allocate_numbers(sizeof(int64), descent->batch->capacity);
	descent->rounded = allocate_numbers(sizeof(int64_t), training->is_clipped ? n : 0);
	descent->total = allocate_numbers(sizeof(DpsStoredInt128), training->is_clipped ? n : 0);
	descent->gradient = allocate_numbers(sizeof(double), n);
	descent->clipping = training->clipping;
	descent->scale = training->scale;
	descent->host = dps_server_host();
	dps_random_init(&descent->random, &descent->host);
	return descent;
}

bool
dps_are_finite(const double *numbers, int64 n)
{
	int64		i;

	for (i = 0; i < n; i++)
	{
		if (!isfinite(numbers[i]))
			return false;
	}
	return true;
}

DpsDescentOutcome
dps_descent_run(DpsDescent *descent, int from, int to)
{
	const DpsTraining *training = descent->training;
	int64		n = training->network->size;
	int			k;

	for (k = from + 1; k <= to; k++)
	{
		if (training->bounding != NULL && !bound_step(training, descent, descent->parameters))
			return DPS_DESCENT_UNBOUNDED;
		if (training->is_clipped)
			sum_clipped(training, descent, descent->parameters);
		else
			sum_plain(training, descent, descent->parameters);
		training->optimizer->step(descent->parameters, descent->gradient, descent->states, n, training->rate,
								  training->momentum, k);
		dps_project(descent->parameters, n, training->parameter_bound);
		dps_progress_step(k);
	}
	return dps_are_finite(descent->parameters, n) && dps_are_finite(descent->states, dps_descent_states(training)) ?
		DPS_DESCENT_DONE : DPS_DESCENT_DIVERGED;
}

void
dps_descent_end(DpsDescent *descent)
{
	dps_random_clear(&descent->random);
}
