/*
 * sql_training_cost.c
 *		dpsens.training_epsilon: the cost of a run of training.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "account/accountant/steps_cost.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "noise/poisson.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_training_epsilon);

/* The norm of the clip, in units of the grid.  How many parameters there are, and which grid a run has, changes epsilon by
 * less than a double can tell (account/fold.c). */
#define CLIP (UINT64CONST(1) << 40)

static void
require(bool holds, const char *message)
{
	if (!holds)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", message)));
}

/* training_epsilon(noise_multiplier, steps, delta, sampling_rate) */
Datum
dpsens_training_epsilon(PG_FUNCTION_ARGS)
{
	double		multiplier = PG_GETARG_FLOAT8(0);
	int64		steps = PG_GETARG_INT64(1);
	double		delta = PG_GETARG_FLOAT8(2);
	double		rate = PG_GETARG_FLOAT8(3);
	double		scale = floor(multiplier * (double) CLIP);
	DpsRunSteps	run = {rate, CLIP, 1, 0};
	DpsHost		host = dps_server_host();
	double		epsilon;
	DpsStatus	status;

	require(multiplier > 0 && scale >= 1 && scale < 0x1p62, "noise_multiplier must be between 2^-40 and 2^22");
	require(steps >= 0, "steps must not be negative");
	require(delta > 0 && delta < 1, "delta must be greater than 0 and less than 1");
	require(rate == 1 || dps_rate_units(rate) > 0, "sampling_rate must be greater than 0 and at most 1");
	run.steps = steps;
	status = dps_steps_epsilon(&host, &run, dps_to_uint64(scale), delta, &epsilon);
	if (status == DPS_UNABLE)
		PG_RETURN_FLOAT8(INFINITY);
	dps_check_status(status);
	PG_RETURN_FLOAT8(epsilon);
}
