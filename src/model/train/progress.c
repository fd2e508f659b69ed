/*
 * progress.c
 *		The progress of running trainings.
 *
 * The figures are public: numbers of steps, their cost, and losses on data that are not
 * protected, at states that will not be computed again.  The duration of a step depends
 * on the number of rows that take part.  So a run is shown only to members of the role
 * that trains, which may read the table.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "account/accountant/steps_cost.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "model/train/progress.h"

DPS_SQL_FUNCTION(dpsens_training_progress);

#define TRANCHE "dpsens_training"

/* The most sessions that are shown. */
#define SLOTS 64

typedef struct Slot
{
	int			pid;			/* 0: free */
	Oid			database;
	Oid			role;
	NameData	model;
	Oid			relation;
	int			first_step;		/* number of steps before this session */
	int			step;
	int			steps;
	double		rate;			/* of the samples */
	uint64		scale;			/* 0: no noise */
	uint64		sensitivity;
	double		delta;
	double		epsilon;		/* of all steps */
	double		loss;
	int			loss_step;
	TimestampTz started;
} Slot;

typedef struct Shared
{
	LWLock	   *lock;
	Slot		slots[SLOTS];
} Shared;

static Shared *shared = NULL;
static Slot *mine = NULL;

static shmem_request_hook_type previous_request;
static shmem_startup_hook_type previous_startup;

static void
request_memory(void)
{
	if (previous_request != NULL)
		previous_request();
	RequestAddinShmemSpace(sizeof(Shared));
	RequestNamedLWLockTranche(TRANCHE, 1);
}

static void
start_up(void)
{
	bool		found;

	if (previous_startup != NULL)
		previous_startup();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct(TRANCHE, sizeof(Shared), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(Shared));
		shared->lock = &GetNamedLWLockTranche(TRANCHE)->lock;
	}
	LWLockRelease(AddinShmemInitLock);
}

void
dps_progress_init(void)
{
	previous_request = shmem_request_hook;
	shmem_request_hook = request_memory;
	previous_startup = shmem_startup_hook;
	shmem_startup_hook = start_up;
}

static void
fill_slot(Slot *slot, const DpsTrainingRun *run)
{
	slot->database = MyDatabaseId;
	slot->role = GetUserId();
	slot->model = run->model;
	slot->relation = run->relation;
	slot->first_step = slot->step = run->step;
	slot->steps = run->training.steps;
	slot->rate = run->rate;
	slot->scale = run->training.scale;
	slot->sensitivity = run->sensitivity;
	slot->delta = run->delta;
	slot->epsilon = run->epsilon;
	slot->loss = NAN;
	slot->loss_step = 0;
	slot->started = GetCurrentTimestamp();
	slot->pid = MyProcPid;
}

void
dps_progress_begin(const DpsTrainingRun *run)
{
	int			k;

	if (shared == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (k = 0; k < SLOTS && mine == NULL; k++)
	{
		if (shared->slots[k].pid != 0)
			continue;
		mine = &shared->slots[k];
		fill_slot(mine, run);
	}
	LWLockRelease(shared->lock);
}

void
dps_progress_step(int step)
{
	if (mine == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	mine->step = step;
	LWLockRelease(shared->lock);
}

void
dps_progress_loss(double loss, int step)
{
	if (mine == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	mine->loss = loss;
	mine->loss_step = step;
	LWLockRelease(shared->lock);
}

void
dps_progress_end(void)
{
	if (mine == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	mine->pid = 0;
	LWLockRelease(shared->lock);
	mine = NULL;
}

/* By Renyi losses, which are quick to add up, and never more than all steps cost: some of them are a function of all. */
static double
epsilon_of(const DpsRunSteps *steps, uint64 scale, double delta, double all)
{
	double		epsilon;

	if (scale == 0 || steps->steps == 0)
		return 0;
	if (dps_steps_renyi(steps, scale, delta, &epsilon) != DPS_OK)
		return all;
	return Min(epsilon, all);
}

double
dps_progress_epsilon(const DpsTrainingRun *run, int steps)
{
	DpsRunSteps	taken = {run->rate, run->sensitivity, run->training.network->size, steps};

	return epsilon_of(&taken, run->training.scale, run->delta, run->epsilon);
}

double
dps_progress_left(double elapsed, int taken, int left)
{
	return taken > 0 ? elapsed * left / taken : NAN;
}

static Datum
number_or_null(double number, bool *isnull)
{
	*isnull = isnan(number);
	return Float8GetDatum(number);
}

static void
put_slot(ReturnSetInfo *result, const Slot *slot)
{
	DpsRunSteps	taken = {slot->rate, slot->sensitivity, 1, slot->step};
	double		elapsed = (double) (GetCurrentTimestamp() - slot->started) / USECS_PER_SEC;
	Datum		values[13];
	bool		nulls[13] = {false};

	values[0] = Int32GetDatum(slot->pid);
	values[1] = NameGetDatum(&slot->model);
	values[2] = ObjectIdGetDatum(slot->relation);
	values[3] = Int32GetDatum(slot->step);
	values[4] = Int32GetDatum(slot->steps);
	values[5] = Float8GetDatum(slot->step * slot->rate);
	values[6] = Float8GetDatum(slot->steps * slot->rate);
	values[7] = Float8GetDatum(epsilon_of(&taken, slot->scale, slot->delta, slot->epsilon));
	values[8] = Float8GetDatum(slot->delta);
	nulls[7] = nulls[8] = slot->scale == 0;
	values[9] = number_or_null(slot->loss, &nulls[9]);
	values[10] = Int32GetDatum(slot->loss_step);
	nulls[10] = nulls[9];
	values[11] = TimestampTzGetDatum(slot->started);
	values[12] = number_or_null(dps_progress_left(elapsed, slot->step - slot->first_step, slot->steps - slot->step), &nulls[12]);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* training_progress() */
Datum
dpsens_training_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Slot		slots[SLOTS];
	int			k;

	InitMaterializedSRF(fcinfo, 0);
	if (shared == NULL)
		return (Datum) 0;
	LWLockAcquire(shared->lock, LW_SHARED);
	memcpy(slots, shared->slots, sizeof(slots));
	LWLockRelease(shared->lock);
	for (k = 0; k < SLOTS; k++)
	{
		if (slots[k].pid != 0 && slots[k].database == MyDatabaseId && has_privs_of_role(GetUserId(), slots[k].role))
			put_slot(result, &slots[k]);
	}
	return (Datum) 0;
}
