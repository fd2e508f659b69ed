/*
 * carry_out.c
 *		Takes the steps of a run, in one transaction or in one for each part of
 *		it.
 *
 * The losses that are shown meanwhile, on data that are not protected, are computed from
 * the parameters.  If the run is stored, uncommitted steps could be taken again (run.c),
 * so losses are shown of committed states only.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "glue/glue.h"
#include "glue/compat.h"
#include "model/compiled.h"
#include "model/train/progress.h"
#include "model/train/run.h"
#include "model/train/run_losses.h"
#include "model/train/train.h"
#include "tensor/network/example.h"

/* A run without checkpoints computes a loss after every 1/LOSSES of its steps. */
#define LOSSES 20

typedef struct Course
{
	DpsTrainingRun	   *run;
	bool		is_stored;
	DpsDescent *descent;
	DpsExample *test;			/* for losses, or NULL */
	TimestampTz started;
	int			first_step;
} Course;

void
dps_run_commit(void)
{
	PopActiveSnapshot();
	/* flushes the commit before it becomes visible, even if synchronous_commit is off */
	ForceSyncCommit();
	SPI_commit();
	PushActiveSnapshot(GetTransactionSnapshot());
}

static double
mean_loss(const Course *course)
{
	const DpsTrainingRun *run = course->run;
	const DpsExamples *tests = &run->tests;
	double		sum = 0;
	int64		row;

	if (course->test == NULL || tests->n == 0)
		return NAN;
	for (row = 0; row < tests->n; row++)
	{
		const double *numbers = tests->numbers + row * tests->width;

		CHECK_FOR_INTERRUPTS();
		dps_check_status(dps_example_run(course->test, run->parameters, numbers, numbers + tests->nfeatures));
		sum += course->test->loss;
	}
	return sum / (double) tests->n;
}

pg_noreturn static void
refuse_outcome(DpsDescentOutcome outcome)
{
	if (outcome == DPS_DESCENT_UNBOUNDED)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("gradients of the model have no bound any more"),
				 errhint("Use parameter_bound.")));
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("training has diverged"),
			 errhint("Use a smaller learning_rate.")));
	pg_unreachable();
}

static void
tell(const Course *course, double loss)
{
	const DpsTrainingRun *run = course->run;
	double		elapsed = (double) (GetCurrentTimestamp() - course->started) / USECS_PER_SEC;
	char	   *epsilon = run->training.scale > 0 ? psprintf(", epsilon %.4g", dps_progress_epsilon(run, run->step)) : "";
	char	   *told = isnan(loss) ? "" : psprintf(", loss %.4g", loss);

	ereport(NOTICE,
			(errmsg("training of model \"%s\": step %d of %d, epoch %.4g%s%s, %.0f seconds left", NameStr(run->model), run->step,
					run->training.steps, run->step * run->rate, epsilon, told,
					dps_progress_left(elapsed, run->step - course->first_step, run->training.steps - run->step))));
}

/* Takes and commits a part of a stored run. */
static void
take_stored_part(Course *course, int to)
{
	DpsTrainingRun	   *run = course->run;
	int			before = run->step;
	DpsDescentOutcome outcome = dps_descent_run(course->descent, before, to);
	double		loss;

	if (outcome != DPS_DESCENT_DONE)
	{
		/* the error reveals something about these steps, so they must not be taken again */
		dps_run_delete(run, before);
		dps_run_store_losses(run, true);
		dps_run_commit();
		refuse_outcome(outcome);
	}
	run->step = to;
	if (to < run->training.steps)
		dps_run_advance(run, before);
	else
	{
		dps_run_delete(run, before);
		dps_update_model(&run->model, dps_numbers_array(run->parameters, run->training.network->size));
	}
	dps_run_store_losses(run, to == run->training.steps);
	dps_run_commit();
	loss = mean_loss(course);
	dps_progress_loss(loss, to);
	tell(course, loss);
}

static void
take_part(Course *course, int to)
{
	DpsTrainingRun	   *run = course->run;
	DpsDescentOutcome outcome = dps_descent_run(course->descent, run->step, to);

	if (outcome != DPS_DESCENT_DONE)
		refuse_outcome(outcome);
	run->step = to;
	if (course->test != NULL)
		dps_progress_loss(mean_loss(course), to);
	if (to < run->training.steps)
		return;
	dps_update_model(&run->model, dps_numbers_array(run->parameters, run->training.network->size));
	dps_run_store_losses(run, true);
}

static void
take_all(Course *course)
{
	DpsTrainingRun	   *run = course->run;
	int			steps = run->training.steps;
	int			part = steps;

	if (run->tests.n > 0)
	{
		dps_check_status(dps_example_init(run->training.network, DPS_EXAMPLE_LOSS, &course->test));
		part = Max(steps / LOSSES, 1);
	}
	if (course->is_stored)
		part = run->checkpoint;
	course->descent = dps_descent_begin(&run->training, run->parameters, run->states);
	while (run->step < steps)
	{
		int			to = run->step + Min(part, steps - run->step);

		if (course->is_stored)
			take_stored_part(course, to);
		else
			take_part(course, to);
	}
	dps_descent_end(course->descent);
}

static void
forget_progress(int code, Datum arg)
{
	dps_progress_end();
}

void
dps_run_carry_out(DpsTrainingRun *run, bool is_stored)
{
	Course		course = {.run = run, .is_stored = is_stored, .started = GetCurrentTimestamp(), .first_step = run->step};

	dps_progress_begin(run);
	PG_ENSURE_ERROR_CLEANUP(forget_progress, (Datum) 0);
	{
		take_all(&course);
	}
	PG_END_ENSURE_ERROR_CLEANUP(forget_progress, (Datum) 0);
	dps_progress_end();
}
