/*
 * run.c
 *		The table of runs that can be resumed.
 *
 * Claim: each step of a run is released at most once, and a run has no more steps
 * than were charged, however often it is interrupted and resumed, by any number of
 * concurrent sessions.
 *
 * Proof.  A session that trains reveals only what it commits: the state after some
 * steps, here, or the model at the end; losses on other data are computed from such
 * states only (carry_out.c).  A commit replaces the state after step j, and only that,
 * by the one after step k > j, or deletes the row (the condition of the statement is
 * checked under the row's lock).  So all states that are ever committed, by any
 * sessions, form one chain 0 < k1 < k2 < ... <= T.  Each is made from the one before by
 * steps whose noise is used in no other link: these are the steps of one run of T
 * steps.  Noise that a session drew and did not commit is lost with the session.  No
 * one has seen it, so it is no release, and drawing the step again is the first
 * release of that step.  A commit is flushed before it can be seen, even if
 * synchronous_commit is off, so no crash reverts a state that was seen.
 *
 * Sessions end without a commit for reasons that do not depend on noise: crashes,
 * cancellation, a lack of memory.  If the noise itself ends a run, because numbers
 * overflow or gradients have no bound any more, the row is deleted before the error is
 * raised (carry_out.c): the error reveals something about the steps before it, and
 * these are not taken again.  A restored database has no runs, since the table is not
 * dumped; a cloned one refuses to resume them, like any release (ledger/origin.c).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/label/label.h"
#include "ledger/keep.h"
#include "ledger/origin.h"
#include "model/compiled.h"
#include "model/train/run.h"
#include "noise/poisson.h"

enum
{
	RUN_MODEL = 1,
	RUN_ROLE,
	RUN_RELATION,
	RUN_FEATURES,
	RUN_TARGET,
	RUN_TEST_RELATION,
	RUN_ADJACENCY,
	RUN_RELEASE,
	RUN_EPSILON,
	RUN_DELTA,
	RUN_STEP,
	RUN_STEPS,
	RUN_CHECKPOINT,
	RUN_LEARNING_RATE,
	RUN_OPTIMIZER,
	RUN_MOMENTUM,
	RUN_PARAMETER_BOUND,
	RUN_SAMPLING_RATE,
	RUN_DIVISOR,
	RUN_CLIP,
	RUN_SCALE,
	RUN_BOUND,
	RUN_FEATURE_LOW,
	RUN_FEATURE_HIGH,
	RUN_TARGET_RANGE,
	RUN_BOUND_BOXES,
	RUN_PARAMETERS,
	RUN_STATES,
	RUN_QUERY,
	RUN_COLUMNS = RUN_QUERY
};

static DpsStatement insert_run = {
	.text = "INSERT INTO dpsens.training_run (model, role, relation, features, target, test_relation, adjacency, release,"
	" epsilon, delta, step, steps, checkpoint, learning_rate, optimizer, momentum, parameter_bound, sampling_rate, divisor,"
	" clip, scale, bound, feature_low, feature_high, target_range, bound_boxes, parameters, states, query)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,"
	" $25, $26, $27, $28, $29)",
	.nargs = RUN_COLUMNS,
	.argtypes = {NAMEOID, OIDOID, OIDOID, NAMEARRAYOID, NAMEOID, OIDOID, TEXTOID, INT8OID, FLOAT8OID, FLOAT8OID, INT4OID,
	INT4OID, INT4OID, FLOAT8OID, TEXTOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, INT8OID, TEXTOID,
	FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, INT4OID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, TEXTOID}
};

static DpsStatement read_run = {
	.text = "SELECT model, role, relation, features, target, test_relation, adjacency, release,"
	" epsilon, delta, step, steps, checkpoint, learning_rate, optimizer, momentum, parameter_bound, sampling_rate, divisor,"
	" clip, scale, bound, feature_low, feature_high, target_range, bound_boxes, parameters, states, query"
	" FROM dpsens.training_run r WHERE r.model OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {NAMEOID}
};

#define SAME_STATE \
	" WHERE r.model OPERATOR(pg_catalog.=) $1 AND r.release OPERATOR(pg_catalog.=) $2 AND r.step OPERATOR(pg_catalog.=) $3" \
	" AND r.relation OPERATOR(pg_catalog.=) $4"

static DpsStatement advance_run = {
	.text = "UPDATE dpsens.training_run AS r SET step = $5, parameters = $6, states = $7, changed = pg_catalog.clock_timestamp()"
	SAME_STATE,
	.nargs = 7, .argtypes = {NAMEOID, INT8OID, INT4OID, OIDOID, INT4OID, FLOAT8ARRAYOID, FLOAT8ARRAYOID}
};

static DpsStatement delete_run = {
	.text = "DELETE FROM dpsens.training_run AS r" SAME_STATE,
	.nargs = 4, .argtypes = {NAMEOID, INT8OID, INT4OID, OIDOID}
};

static DpsStatement delete_any = {
	.text = "DELETE FROM dpsens.training_run AS r WHERE r.model OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {NAMEOID}
};

/* Executes the statement as the owner of the table; the caller has checked privileges.
 * Leaves SPI connected. */
static void
write_run(DpsStatement *statement, Datum *values, const char *nulls)
{
	DpsElevation saved;

	SPI_connect();
	saved = dps_elevate();
	dps_ledger_write(statement, values, nulls);
	dps_descend(saved);
}

static Datum
numbers_datum(const double *numbers, int64 n)
{
	return PointerGetDatum(dps_numbers_array(numbers, n));
}

static Datum
text_datum(const char *text)
{
	return CStringGetTextDatum(text);
}

static void
bounding_values(const DpsTrainingRun *run, Datum *values, char *nulls)
{
	const DpsExampleBox *box = &run->bounding.box;
	double		target[2] = {box->target_low, box->target_high};

	values[RUN_BOUND - 1] = text_datum(dps_bound_name(run->bounding.kind));
	values[RUN_BOUND_BOXES - 1] = Int32GetDatum(run->bounding.max_boxes);
	nulls[RUN_FEATURE_LOW - 1] = nulls[RUN_FEATURE_HIGH - 1] = nulls[RUN_TARGET_RANGE - 1] = 'n';
	if (run->bounding.kind == DPS_BOUND_NONE)
		return;
	values[RUN_FEATURE_LOW - 1] = numbers_datum(box->feature_low, run->bounding.nfeatures);
	values[RUN_FEATURE_HIGH - 1] = numbers_datum(box->feature_high, run->bounding.nfeatures);
	nulls[RUN_FEATURE_LOW - 1] = nulls[RUN_FEATURE_HIGH - 1] = ' ';
	values[RUN_TARGET_RANGE - 1] = numbers_datum(target, 2);
	nulls[RUN_TARGET_RANGE - 1] = box->target_is_class ? 'n' : ' ';
}

void
dps_run_insert(const DpsTrainingRun *run)
{
	const DpsTraining *training = &run->training;
	Datum		values[RUN_COLUMNS];
	char		nulls[RUN_COLUMNS + 1];

	memset(nulls, ' ', RUN_COLUMNS);
	nulls[RUN_COLUMNS] = '\0';
	memset(values, 0, sizeof(values));
	values[RUN_MODEL - 1] = NameGetDatum(&run->model);
	values[RUN_ROLE - 1] = ObjectIdGetDatum(GetUserId());
	values[RUN_RELATION - 1] = ObjectIdGetDatum(run->relation);
	values[RUN_FEATURES - 1] = PointerGetDatum(run->features);
	values[RUN_TARGET - 1] = NameGetDatum(&run->target);
	values[RUN_TEST_RELATION - 1] = ObjectIdGetDatum(run->test_relation);
	values[RUN_ADJACENCY - 1] = text_datum(run->annotation.is_protected ? dps_adjacency_name(run->annotation.adjacency) : "");
	values[RUN_RELEASE - 1] = Int64GetDatum(run->release);
	values[RUN_EPSILON - 1] = Float8GetDatum(run->epsilon);
	values[RUN_DELTA - 1] = Float8GetDatum(run->delta);
	values[RUN_STEP - 1] = Int32GetDatum(0);
	values[RUN_STEPS - 1] = Int32GetDatum(training->steps);
	values[RUN_CHECKPOINT - 1] = Int32GetDatum(run->checkpoint);
	values[RUN_LEARNING_RATE - 1] = Float8GetDatum(training->rate);
	values[RUN_OPTIMIZER - 1] = text_datum(training->optimizer->name);
	values[RUN_MOMENTUM - 1] = Float8GetDatum(training->momentum);
	values[RUN_PARAMETER_BOUND - 1] = Float8GetDatum(training->parameter_bound);
	values[RUN_SAMPLING_RATE - 1] = Float8GetDatum(run->rate);
	values[RUN_DIVISOR - 1] = Float8GetDatum(training->divisor);
	values[RUN_CLIP - 1] = Float8GetDatum(training->is_clipped ? training->clipping.clip : 0);
	values[RUN_SCALE - 1] = Int64GetDatum((int64) training->scale);
	bounding_values(run, values, nulls);
	values[RUN_PARAMETERS - 1] = numbers_datum(run->parameters, training->network->size);
	values[RUN_STATES - 1] = numbers_datum(run->states, dps_descent_states(training));
	nulls[RUN_QUERY - 1] = run->source.query != NULL ? ' ' : 'n';
	if (run->source.query != NULL)
		values[RUN_QUERY - 1] = text_datum(run->source.query);
	write_run(&delete_any, values, NULL);
	SPI_finish();
	write_run(&insert_run, values, nulls);
	SPI_finish();
}

static void
write_state(DpsStatement *statement, const DpsTrainingRun *run, Datum *values, int before)
{
	bool		done;

	values[0] = NameGetDatum(&run->model);
	values[1] = Int64GetDatum(run->release);
	values[2] = Int32GetDatum(before);
	values[3] = ObjectIdGetDatum(run->relation);
	write_run(statement, values, NULL);
	done = SPI_processed == 1;
	SPI_finish();
	if (!done)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the training of model \"%s\" was continued, replaced or ended by another session", NameStr(run->model))));
}

void
dps_run_advance(const DpsTrainingRun *run, int before)
{
	Datum		values[7];

	values[4] = Int32GetDatum(run->step);
	values[5] = numbers_datum(run->parameters, run->training.network->size);
	values[6] = numbers_datum(run->states, dps_descent_states(&run->training));
	write_state(&advance_run, run, values, before);
}

void
dps_run_delete(const DpsTrainingRun *run, int before)
{
	Datum		values[4];

	write_state(&delete_run, run, values, before);
}

/*
 * Reading
 */

static double
number(int column)
{
	return DatumGetFloat8(dps_statement_value(0, column));
}

static bool
is_null(int column)
{
	bool		isnull;

	(void) SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);
	return isnull;
}

static double *
copy_numbers(int column, int64 n, MemoryContext context)
{
	ArrayType  *array = DatumGetArrayTypeP(dps_statement_value(0, column));
	const double *numbers = dps_array_numbers(array, n, "the state of a run");
	double	   *copy = MemoryContextAllocHuge(context, sizeof(double) * Max(n, 1));

	if (numbers == NULL)
		elog(ERROR, "nulls in the state of a run");
	memcpy(copy, numbers, sizeof(double) * n);
	return copy;
}

static void
check_run(Name model)
{
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" has no unfinished training", NameStr(*model)),
				 errhint("Training can be resumed that was given checkpoint; dpsens.training_runs lists it.")));
	if (!has_privs_of_role(GetUserId(), DatumGetObjectId(dps_statement_value(0, RUN_ROLE))))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for the training of model \"%s\"", NameStr(*model)),
				 errhint("It can be resumed by the role that began it and by its members.")));
}

static void
read_bounding(DpsTrainingRun *run, MemoryContext context)
{
	DpsBounding *bounding = &run->bounding;
	int64		n = dps_tensor_size(run->training.network->features);
	char	   *name = TextDatumGetCString(dps_statement_value(0, RUN_BOUND));

	bounding->kind = name[0] == '\0' ? DPS_BOUND_NONE : dps_bound_kind(name);
	bounding->max_boxes = DatumGetInt32(dps_statement_value(0, RUN_BOUND_BOXES));
	if (bounding->kind == DPS_BOUND_NONE)
		return;
	bounding->box.feature_low = copy_numbers(RUN_FEATURE_LOW, n, context);
	bounding->box.feature_high = copy_numbers(RUN_FEATURE_HIGH, n, context);
	bounding->box.target_is_class = is_null(RUN_TARGET_RANGE);
	if (!bounding->box.target_is_class)
	{
		const double *range = copy_numbers(RUN_TARGET_RANGE, 2, context);

		bounding->box.target_low = range[0];
		bounding->box.target_high = range[1];
	}
}

static void
read_training(DpsTraining *training)
{
	double		clip = number(RUN_CLIP);

	training->optimizer = dps_find_optimizer(TextDatumGetCString(dps_statement_value(0, RUN_OPTIMIZER)));
	training->steps = DatumGetInt32(dps_statement_value(0, RUN_STEPS));
	training->rate = number(RUN_LEARNING_RATE);
	training->momentum = number(RUN_MOMENTUM);
	training->parameter_bound = number(RUN_PARAMETER_BOUND);
	training->divisor = number(RUN_DIVISOR);
	training->is_clipped = clip > 0;
	training->scale = (uint64) DatumGetInt64(dps_statement_value(0, RUN_SCALE));
	if (training->optimizer == NULL || (clip > 0 && !dps_clipping_init(&training->clipping, clip, training->network->size)))
		elog(ERROR, "a stored run of training cannot be read");
}

static void
read_values(DpsNetwork *network, DpsTrainingRun *run, MemoryContext context)
{
	DpsTraining *training = &run->training;
	char	   *adjacency = TextDatumGetCString(dps_statement_value(0, RUN_ADJACENCY));

	training->network = network;
	read_training(training);
	read_bounding(run, context);
	run->relation = DatumGetObjectId(dps_statement_value(0, RUN_RELATION));
	run->source.relation = run->relation;
	if (!is_null(RUN_QUERY))
		run->source.query = TextDatumGetCString(dps_statement_value(0, RUN_QUERY));
	run->features = DatumGetArrayTypePCopy(dps_statement_value(0, RUN_FEATURES));
	namestrcpy(&run->target, NameStr(*DatumGetName(dps_statement_value(0, RUN_TARGET))));
	run->test_relation = DatumGetObjectId(dps_statement_value(0, RUN_TEST_RELATION));
	run->annotation.is_protected = adjacency[0] != '\0';
	run->annotation.adjacency = DPS_ADD_REMOVE;
	if (run->annotation.is_protected && !dps_find_adjacency(adjacency, &run->annotation.adjacency))
		elog(ERROR, "there is no adjacency \"%s\"", adjacency);
	run->release = DatumGetInt64(dps_statement_value(0, RUN_RELEASE));
	run->epsilon = number(RUN_EPSILON);
	run->delta = number(RUN_DELTA);
	run->step = DatumGetInt32(dps_statement_value(0, RUN_STEP));
	run->checkpoint = DatumGetInt32(dps_statement_value(0, RUN_CHECKPOINT));
	run->rate = number(RUN_SAMPLING_RATE);
	training->is_sampled = run->rate < 1;
	training->rate_units = dps_rate_units(run->rate);
	run->sensitivity = training->clipping.bound * (run->annotation.adjacency == DPS_ADD_REMOVE ? 1 : 2);
	run->parameters = copy_numbers(RUN_PARAMETERS, network->size, context);
	run->states = copy_numbers(RUN_STATES, dps_descent_states(training), context);
}

/* Refuses in a copy of the database: the original could be resumed as well. */
static void
check_origin(const DpsTrainingRun *run)
{
	if (run->release != 0 && !dps_origin_is_known_here())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the training of model \"%s\" was charged in another database", NameStr(run->model)),
				 errdetail("This database was restored, cloned, upgraded or promoted; if both went on, steps would be released twice."),
				 errhint("A superuser may call dpsens.acknowledge_restore() once the original answers no more.")));
}

void
dps_run_read(Name model, DpsNetwork *network, DpsTrainingRun *run)
{
	MemoryContext context = CurrentMemoryContext;
	Datum		values[1] = {NameGetDatum(model)};
	DpsElevation saved;
	MemoryContext spi;

	memset(run, 0, sizeof(*run));
	namestrcpy(&run->model, NameStr(*model));
	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_run, values, NULL);
	dps_descend(saved);
	check_run(model);
	spi = MemoryContextSwitchTo(context);
	read_values(network, run, context);
	MemoryContextSwitchTo(spi);
	saved = dps_elevate();
	check_origin(run);
	dps_descend(saved);
	SPI_finish();
}
