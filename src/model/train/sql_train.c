/*
 * sql_train.c
 *		CALL dpsens.train: gradient descent on a table, with noise on a protected
 *		one.  Its cost is computed in run_charge.c.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "base/once.h"
#include "glue/citus.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/constraint/unique_proof.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "ledger/ledger.h"
#include "ledger/rows/training_loss.h"
#include "model/compiled.h"
#include "model/train/examples.h"
#include "model/train/run.h"
#include "model/train/run_charge.h"
#include "model/train/run_losses.h"
#include "model/train/source.h"
#include "model/train/train.h"
#include "noise/poisson.h"
#include "noise/sample.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_train);
DPS_SQL_FUNCTION(dpsens_resume_training);

#define MAX_STEPS 10000000

/* Arguments, in the order of CREATE PROCEDURE. */
enum
{
	ARG_MODEL,
	ARG_RELATION,
	ARG_FEATURES,
	ARG_TARGET,
	ARG_STEPS,
	ARG_RATE,
	ARG_CLIP,
	ARG_EXPECTED_ROWS,
	ARG_EPSILON,
	ARG_DELTA,
	ARG_NOISE_MULTIPLIER,
	ARG_OPTIMIZER,
	ARG_MOMENTUM,
	ARG_PARAMETER_BOUND,
	ARG_SAMPLING_RATE,
	ARG_BOUND,
	ARG_FEATURE_RANGE,
	ARG_TARGET_RANGE,
	ARG_BOUND_BOXES,
	ARG_CHECKPOINT,
	ARG_TEST_RELATION,
	ARG_QUERY
};

#define MAX_BOXES 1000000

/* Refuses a stored run, which commits parts, where the call cannot commit. */
static void
require_transactions(FunctionCallInfo fcinfo)
{
	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) || ((CallContext *) fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("training with checkpoints cannot be part of a transaction"),
				 errhint("Use CALL outside of a transaction block, or leave out checkpoint.")));
}

/*
 * Arguments
 */

static void
refuse_number(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be a number greater than 0", name)));
}

static double
positive_argument(FunctionCallInfo fcinfo, int k, const char *name)
{
	double		value;

	dps_refuse_null(fcinfo, k, name);
	value = PG_GETARG_FLOAT8(k);
	if (!(value > 0 && isfinite(value)))
		refuse_number(name);
	return value;
}

static void
read_descent(FunctionCallInfo fcinfo, DpsTraining *training)
{
	char	   *name;

	dps_refuse_null(fcinfo, ARG_STEPS, "steps");
	training->steps = PG_GETARG_INT32(ARG_STEPS);
	if (training->steps < 1 || training->steps > MAX_STEPS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("steps must be between 1 and %d", MAX_STEPS)));
	training->rate = positive_argument(fcinfo, ARG_RATE, "learning_rate");
	dps_refuse_null(fcinfo, ARG_OPTIMIZER, "optimizer");
	name = text_to_cstring(PG_GETARG_TEXT_PP(ARG_OPTIMIZER));
	training->optimizer = dps_find_optimizer(name);
	if (training->optimizer == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized optimizer \"%s\"", name),
				 errhint("Optimizers are sgd, momentum and adam.")));
	dps_refuse_null(fcinfo, ARG_MOMENTUM, "momentum");
	training->momentum = PG_GETARG_FLOAT8(ARG_MOMENTUM);
	if (!(training->momentum >= 0 && training->momentum < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("momentum must be at least 0 and less than 1")));
	training->parameter_bound = PG_ARGISNULL(ARG_PARAMETER_BOUND) ? INFINITY :
		positive_argument(fcinfo, ARG_PARAMETER_BOUND, "parameter_bound");
}

static void
read_rate(FunctionCallInfo fcinfo, DpsTrainingRun *run)
{
	run->rate = PG_ARGISNULL(ARG_SAMPLING_RATE) ? 1 : PG_GETARG_FLOAT8(ARG_SAMPLING_RATE);
	if (run->rate == 1)
		return;
	run->training.is_sampled = true;
	run->training.rate_units = dps_rate_units(run->rate);
	if (run->training.rate_units == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sampling_rate must be greater than 0 and at most 1")));
	run->rate = dps_rate_of_units(run->training.rate_units);
}

static void
set_clip(DpsTraining *training, double clip)
{
	training->is_clipped = true;
	if (!dps_clipping_init(&training->clipping, clip, training->network->size))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("clip is too extreme for a model of %lld parameters", (long long) training->network->size)));
}

static void
refuse_undeclared_query(const char *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a bound on gradients of a query's rows needs %s", argument)));
}

static void
read_example_box(FunctionCallInfo fcinfo, const DpsTrainingRun *run, DpsExampleBox *box)
{
	const DpsNetwork *network = run->training.network;
	ArrayType  *features = PG_GETARG_ARRAYTYPE_P(ARG_FEATURES);
	const char *target = NameStr(*PG_GETARG_NAME(ARG_TARGET));
	int64		n = dps_tensor_size(network->features);
	double	   *low;
	double	   *high;

	if (run->source.query != NULL && PG_ARGISNULL(ARG_FEATURE_RANGE))
		refuse_undeclared_query("feature_range");
	if (PG_ARGISNULL(ARG_FEATURE_RANGE))
		dps_declared_feature_range(run->relation, features, n, &low, &high);
	else
		dps_read_feature_range(PG_GETARG_ARRAYTYPE_P(ARG_FEATURE_RANGE), n, &low, &high);
	box->feature_low = low;
	box->feature_high = high;
	box->target_is_class = dps_target_is_class(&run->source, target, network);
	if (box->target_is_class)
		return;
	if (run->source.query != NULL && PG_ARGISNULL(ARG_TARGET_RANGE))
		refuse_undeclared_query("target_range");
	if (PG_ARGISNULL(ARG_TARGET_RANGE))
		dps_declared_target_range(run->relation, target, &box->target_low, &box->target_high);
	else
		dps_read_target_range(PG_GETARG_ARRAYTYPE_P(ARG_TARGET_RANGE), &box->target_low, &box->target_high);
}

/* Sets the clip to the argument, or to the bound that is proved at the given parameters.
 * With a bound for every step this is that of the first step. */
static void
read_clip(FunctionCallInfo fcinfo, DpsTrainingRun *run, const double *parameters)
{
	DpsTraining *training = &run->training;
	DpsBounding *bounding = &run->bounding;
	DpsSteepness steepness;

	bounding->kind = dps_bound_kind(PG_ARGISNULL(ARG_BOUND) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(ARG_BOUND)));
	if (bounding->kind == DPS_BOUND_NONE)
	{
		if (!PG_ARGISNULL(ARG_CLIP))
			set_clip(training, positive_argument(fcinfo, ARG_CLIP, "clip"));
		return;
	}
	if (!PG_ARGISNULL(ARG_CLIP))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gradients are clipped to clip or to what bound proves, not to both")));
	if (bounding->kind == DPS_BOUND_WEIGHTS && isinf(training->parameter_bound))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bound weights needs parameter_bound")));
	dps_refuse_null(fcinfo, ARG_BOUND_BOXES, "bound_boxes");
	bounding->max_boxes = PG_GETARG_INT32(ARG_BOUND_BOXES);
	if (bounding->max_boxes < 1 || bounding->max_boxes > MAX_BOXES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bound_boxes must be between 1 and %d", MAX_BOXES)));
	read_example_box(fcinfo, run, &bounding->box);
	dps_bounding_init(bounding, training->network, training->parameter_bound);
	dps_bounding_find(bounding, parameters, &steepness);
	dps_bounding_require(&steepness);
	set_clip(training, steepness.upper);
	if (bounding->kind == DPS_BOUND_ITERATION)
		training->bounding = bounding;
}

/*
 * Noise
 */

/* Checks of a protected relation that do not depend on the arguments. */
static void
check_relation(const DpsTrainingRun *run)
{
	const char *name = get_rel_name(run->relation);

	if (!dps_preloaded)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is protected, and dpsens is not preloaded", name),
				 errhint("Set shared_preload_libraries = 'dpsens' and restart the server.")));
	dps_citus_refuse_use(run->relation, "models that are trained on", "Examples are read, and their gradients clipped and added up, on one server.",
						 "Train on a protected table of the coordinator that has these rows, which has a budget of its own; undistribute_table() brings this one there with what it has spent.");
	if (run->annotation.adjacency == DPS_METRIC)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("models cannot be trained on relation \"%s\", whose adjacency is metric", name),
				 errdetail("A clipped gradient says nothing about how far a small move of a row takes it.")));
	if (dps_least_weight(run->relation) < 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("models cannot be trained on relation \"%s\", a column of which has a weight below 1", name),
				 errdetail("A clipped gradient may depend on any column as much as on any other."),
				 errhint("Declare the column's range with weight 1.")));
	if (dps_rows_may_be_one_units(&run->annotation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("models cannot be trained on relation \"%s\", whose units can have several rows", name),
				 errhint("Make the unit NOT NULL with a unique index of its own.")));
	if (run->annotation.group_size > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("models cannot be trained on relation \"%s\", which protects groups of up to %d units", name, run->annotation.group_size),
				 errdetail("A clipped gradient bounds what one unit adds to a step, and samples are of units."),
				 errhint("Train on a table of its own that is protected with group_size => 1, if that promise is enough for the model.")));
	/* with a policy, whether a row is read may depend on other rows */
	if (check_enable_rls(run->relation, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("models cannot be trained on relation \"%s\", of which policies show the role some rows", name)));
}

static void
check_protected(FunctionCallInfo fcinfo, const DpsTrainingRun *run)
{
	const char *name = get_rel_name(run->relation);

	check_relation(run);
	if (run->training.is_sampled && run->annotation.adjacency != DPS_ADD_REMOVE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("models cannot be trained on samples of relation \"%s\", whose adjacency is %s", name,
						dps_adjacency_name(run->annotation.adjacency)),
				 errdetail("What a secret sample hides is proved for a row that is added or removed."),
				 errhint("Leave out sampling_rate, or protect the relation with adjacency add_remove.")));
	if ((PG_ARGISNULL(ARG_CLIP) && PG_ARGISNULL(ARG_BOUND)) || PG_ARGISNULL(ARG_EXPECTED_ROWS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("training on protected relation \"%s\" needs clip and expected_rows", name),
				 errdetail("Gradients are clipped to a norm of clip, or to what bound proves, and their noisy sum is divided by expected_rows, a public number.")));
	if (PG_ARGISNULL(ARG_EPSILON) == PG_ARGISNULL(ARG_NOISE_MULTIPLIER))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("training on protected relation \"%s\" needs either epsilon or noise_multiplier", name)));
}

/* The scale for a total of (epsilon, delta) over all steps. */
static uint64
scale_for_epsilon(FunctionCallInfo fcinfo, DpsTrainingRun *run)
{
	/* what suffices by a rho; less does by the distribution of the loss */
	DpsTarget	target = {.delta = run->delta, .shares = run->training.steps, .vector = DPS_VECTOR_OF_ANY};
	uint64_t	scale;
	DpsStatus	status;

	run->epsilon = positive_argument(fcinfo, ARG_EPSILON, "epsilon");
	target.epsilon = run->epsilon;
	status = dps_gaussian.calibrate(&target, run->sensitivity, &scale);
	if (status == DPS_DOMAIN || status == DPS_UNABLE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon %g cannot be met in %d steps", run->epsilon, run->training.steps),
				 errhint("Epsilon is between 2^-20 and 64; use a larger one, or fewer steps.")));
	dps_check_status(status);
	return dps_run_scale(run, scale);
}

/* The scale that is this multiple of the clip's bound; sets the epsilon that follows. */
static uint64
scale_for_multiplier(FunctionCallInfo fcinfo, DpsTrainingRun *run)
{
	double		multiplier = positive_argument(fcinfo, ARG_NOISE_MULTIPLIER, "noise_multiplier");
	double		scale = ceil(multiplier * (double) run->training.clipping.bound);

	if (!(scale < (double) DPS_SCALE_LIMIT / 2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("noise_multiplier %g is too large", multiplier)));
	run->epsilon = dps_run_epsilon(run, dps_to_uint64(scale));
	if (!(run->epsilon < INFINITY))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("noise_multiplier %g is too small", multiplier)));
	return dps_to_uint64(scale);
}

static void
set_noise(FunctionCallInfo fcinfo, DpsTrainingRun *run)
{
	DpsTraining *training = &run->training;

	run->delta = PG_ARGISNULL(ARG_DELTA) ? dps_setting_delta : PG_GETARG_FLOAT8(ARG_DELTA);
	if (!(run->delta > 0 && run->delta < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta must be greater than 0 and less than 1")));
	/* one vector is added or removed, or replaced by another one */
	run->sensitivity = training->clipping.bound * (run->annotation.adjacency == DPS_ADD_REMOVE ? 1 : 2);
	training->scale = PG_ARGISNULL(ARG_EPSILON) ? scale_for_multiplier(fcinfo, run) : scale_for_epsilon(fcinfo, run);
}

static void
refuse_noise(FunctionCallInfo fcinfo, const DpsTrainingRun *run)
{
	if (!PG_ARGISNULL(ARG_EPSILON) || !PG_ARGISNULL(ARG_NOISE_MULTIPLIER) || !PG_ARGISNULL(ARG_DELTA))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" is not protected, so there is nothing to hide", get_rel_name(run->relation)),
				 errhint("Use dpsens.protect, or leave out epsilon, delta and noise_multiplier.")));
	dps_refuse_hidden_source(run->relation);
}

static void
set_divisor(FunctionCallInfo fcinfo, DpsTrainingRun *run)
{
	double		rows = (double) Max(run->training.examples.n, 1);

	if (!PG_ARGISNULL(ARG_EXPECTED_ROWS))
		rows = (double) PG_GETARG_INT64(ARG_EXPECTED_ROWS);
	if (!(rows > 0))
		refuse_number("expected_rows");
	run->training.divisor = rows * run->rate;
}

static void
read_checkpoint(FunctionCallInfo fcinfo, DpsTrainingRun *run)
{
	if (PG_ARGISNULL(ARG_CHECKPOINT))
		return;
	run->checkpoint = PG_GETARG_INT32(ARG_CHECKPOINT);
	if (run->checkpoint < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("checkpoint must be a number of steps greater than 0")));
	require_transactions(fcinfo);
}

static void
check_adjacency(const DpsTrainingRun *run, const DpsRelationAnnotation *stored)
{
	if (run->annotation.is_protected != stored->is_protected ||
		(stored->is_protected && run->annotation.adjacency != stored->adjacency))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("what protects relation \"%s\" has changed since its training began", get_rel_name(run->relation)),
				 errhint("Begin another run with dpsens.train.")));
}

/* Reads the test relation, which must not be protected: its losses are shown. */
static void
read_tests(DpsTrainingRun *run)
{
	DpsRowSource tests = {.relation = run->test_relation};
	DpsRelationAnnotation annotation;
	Relation	relation;

	if (!OidIsValid(run->test_relation))
		return;
	relation = table_open(run->test_relation, AccessShareLock);
	dps_get_relation_annotation(run->test_relation, &annotation);
	if (annotation.is_protected)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("losses on relation \"%s\" are not shown, since it is protected", get_rel_name(run->test_relation)),
				 errhint("Use a test_relation of public data.")));
	dps_refuse_hidden_source(run->test_relation);
	dps_read_examples(&tests, run->features, NameStr(run->target), run->training.network, &run->tests, NULL);
	table_close(relation, NoLock);
}

static void
read_rows(DpsTrainingRun *run)
{
	DpsTraining *training = &run->training;

	run->source.is_protected = run->annotation.is_protected;
	/* the relation may have been changed between the snapshot and its lock */
	if (OidIsValid(run->annotation.unit_index))
		dps_check_unique_proof(run->annotation.unit_index, GetActiveSnapshot());
	dps_read_examples(&run->source, run->features, NameStr(run->target), training->network, &training->examples,
					  run->has_accounts ? &run->rows : NULL);
	if (run->bounding.kind != DPS_BOUND_NONE)
		dps_bounding_clamp(&run->bounding, training->examples.numbers, training->examples.n, training->examples.width);
	read_tests(run);
}

static void
read_run(FunctionCallInfo fcinfo, const DpsModel *model, DpsTrainingRun *run)
{
	DpsTraining *training = &run->training;
	int64		n = model->network->size;

	training->network = model->network;
	run->source.relation = run->relation;
	if (!PG_ARGISNULL(ARG_QUERY))
	{
		run->source.query = text_to_cstring(PG_GETARG_TEXT_PP(ARG_QUERY));
		run->source.columns = dps_check_training_query(run->relation, run->annotation.is_protected, run->source.query);
	}
	run->features = PG_GETARG_ARRAYTYPE_P(ARG_FEATURES);
	namestrcpy(&run->target, NameStr(*PG_GETARG_NAME(ARG_TARGET)));
	run->test_relation = PG_ARGISNULL(ARG_TEST_RELATION) ? InvalidOid : PG_GETARG_OID(ARG_TEST_RELATION);
	read_descent(fcinfo, training);
	read_rate(fcinfo, run);
	read_checkpoint(fcinfo, run);
	if (run->annotation.is_protected)
		check_protected(fcinfo, run);
	else
		refuse_noise(fcinfo, run);
	run->has_accounts = dps_run_check_accounts(run);
	run->parameters = unconstify(double *, dps_array_numbers(model->stored.parameters, n, "parameters"));
	run->states = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(double) * dps_max(dps_descent_states(training), 1),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	dps_project(run->parameters, n, training->parameter_bound);
	read_clip(fcinfo, run, run->parameters);
	if (run->annotation.is_protected)
		set_noise(fcinfo, run);
}

static void
train_model(FunctionCallInfo fcinfo, Name name)
{
	DpsTrainingRun		run = {0};
	DpsModel	model;
	Relation	relation;

	namestrcpy(&run.model, NameStr(*name));
	run.relation = PG_GETARG_OID(ARG_RELATION);
	dps_open_model(name, &model);
	relation = table_open(run.relation, AccessShareLock);
	dps_get_relation_annotation(run.relation, &run.annotation);
	read_run(fcinfo, &model, &run);
	read_rows(&run);
	set_divisor(fcinfo, &run);
	if (run.annotation.is_protected)
		run.release = dps_run_charge(&run, GetActiveSnapshot());
	if (!dps_setting_noise)
		run.training.scale = 0;
	dps_run_begin_losses(&run, relation, GetActiveSnapshot());
	/* the rows are in memory; the lock is kept until the transaction ends */
	table_close(relation, NoLock);
	if (run.checkpoint > 0)
	{
		dps_run_insert(&run);
		dps_run_enter_losses(&run);
		dps_run_commit();
	}
	dps_run_carry_out(&run, run.checkpoint > 0);
}

static void
resume_model(Name name)
{
	DpsTrainingRun		run;
	DpsModel	model;
	DpsRelationAnnotation stored;
	Relation	relation;

	dps_open_model(name, &model);
	dps_run_read(name, model.network, &run);
	stored = run.annotation;
	relation = table_open(run.relation, AccessShareLock);
	dps_get_relation_annotation(run.relation, &run.annotation);
	check_adjacency(&run, &stored);
	if (run.annotation.is_protected)
		check_relation(&run);
	else
		dps_refuse_hidden_source(run.relation);
	if (run.source.query != NULL)
		run.source.columns = dps_check_training_query(run.relation, run.annotation.is_protected, run.source.query);
	if (run.release != 0)
		dps_ledger_check_server();
	if (run.bounding.kind != DPS_BOUND_NONE)
		dps_bounding_init(&run.bounding, model.network, run.training.parameter_bound);
	if (run.bounding.kind == DPS_BOUND_ITERATION)
		run.training.bounding = &run.bounding;
	run.has_accounts = run.release != 0 && dps_training_unit(run.release) != NULL;
	read_rows(&run);
	dps_run_resume_losses(&run, relation, GetActiveSnapshot());
	table_close(relation, NoLock);
	dps_run_carry_out(&run, true);
}

/* train(model, relation, features, target, steps, learning_rate, clip,
 * expected_rows, epsilon, delta, noise_multiplier, optimizer, momentum,
 * parameter_bound, sampling_rate, bound, feature_range, target_range,
 * bound_boxes, checkpoint, test_relation, query) */
Datum
dpsens_train(PG_FUNCTION_ARGS)
{
	dps_refuse_null(fcinfo, ARG_MODEL, "model");
	dps_refuse_null(fcinfo, ARG_RELATION, "relation");
	dps_refuse_null(fcinfo, ARG_FEATURES, "features");
	dps_refuse_null(fcinfo, ARG_TARGET, "target");
	/* before anything is charged */
	PreventCommandIfReadOnly("dpsens.train()");
	SPI_connect_ext(PG_ARGISNULL(ARG_CHECKPOINT) ? 0 : SPI_OPT_NONATOMIC);
	/* CALL does not provide an active snapshot outside of a function */
	PushActiveSnapshot(GetTransactionSnapshot());
	train_model(fcinfo, PG_GETARG_NAME(ARG_MODEL));
	PopActiveSnapshot();
	SPI_finish();
	PG_RETURN_VOID();
}

/* resume_training(model) */
Datum
dpsens_resume_training(PG_FUNCTION_ARGS)
{
	NameData	model;

	dps_refuse_null(fcinfo, 0, "model");
	PreventCommandIfReadOnly("dpsens.resume_training()");
	require_transactions(fcinfo);
	namestrcpy(&model, NameStr(*PG_GETARG_NAME(0)));
	SPI_connect_ext(SPI_OPT_NONATOMIC);
	PushActiveSnapshot(GetTransactionSnapshot());
	resume_model(&model);
	PopActiveSnapshot();
	SPI_finish();
	PG_RETURN_VOID();
}
