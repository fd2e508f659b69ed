/*
 * row_history.c
 *		What the rows of a relation have lost by all releases so far.
 *
 * Releases with the same contribution, adjacency, mechanism and sensitivities share a meter, so that a row
 * is evaluated once for all of them.  With s_k the row's sensitivity in coordinate k and t_k the scale of
 * its noise, the loss is
 *
 *	pure epsilon    sum_k s_k / t_k        (discrete Laplace),
 *	rho             sum_k s_k^2 / 2 t_k^2  (discrete Gaussian; for discrete Laplace
 *										   this is epsilon^2 / 2 of each coordinate),
 *
 * so only the sums of 1 / t_k and 1 / 2 t_k^2 over the releases are needed.  The loss is never more than
 * the releases were charged.  Sums are kept from each release to the last, for units whose loss is known
 * up to some release.
 *
 * Of units of several rows all rows are measured together.  With one row to a unit this is the same for what
 * was released when units could have several.
 *
 * What a unit lost by training is stored, not computed (training_loss.h), under add_remove and for units of one row
 * that the same columns name.  A unit of which nothing is stored pays in full, as all do while the run goes on.
 *
 * Doubles are only added and multiplied here, and are >= 0, with a relative error of 2^-53 each; the
 * result is enlarged by more than all these errors.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"

#include "account/account.h"
#include "account/filter.h"
#include "glue/label/annotation.h"
#include "ledger/rows/contribution.h"
#include "ledger/identity.h"
#include "ledger/keep.h"
#include "ledger/rows/meter.h"
#include "ledger/rows/row_history.h"
#include "ledger/rows/training_loss.h"
#include "ledger/rows/unit.h"
#include "ledger/statement.h"

/* The cost of releases. */
typedef struct Sums
{
	double		epsilon;		/* charged */
	double		rho;
	double		inverse[DPS_CHARGE_COORDINATES];	/* sum of 1 / t; infinite
													 * where there is no pure
													 * epsilon */
	double		half_square[DPS_CHARGE_COORDINATES];	/* sum of 1 / 2 t^2 */
} Sums;

/* Releases that share a meter. */
typedef struct ReleaseGroup
{
	char	   *contribution;	/* NULL: every row pays in full */
	char	   *adjacency;
	char	   *mechanism;
	int			n;
	uint64		sensitivities[DPS_CHARGE_COORDINATES];
	DpsMeter   *meter;			/* NULL: every row pays in full */

	int			nreleases;
	int			room;
	int64	   *numbers;		/* ascending */
	Sums	   *sums;			/* of each release and all later ones */
} ReleaseGroup;

struct DpsRowHistory
{
	MemoryContext memory;
	Oid			relation;
	bool		with_slopes;
	List	   *groups;			/* of ReleaseGroup * */
	int			nreleases;
	int64	   *numbers;
	uint64	   *oldest_change;	/* the minimum over each release and all later ones */
	DpsCost    *charges;
	DpsUnitLoss full;			/* of a unit without a frozen loss: the charges of releases that may have read
								 * rows of a former relation */
	int64		full_until;		/* the number of the last of these releases */
	int			nruns;			/* finished runs of training with row accounts */
	int64	   *runs;			/* their releases, ascending */
	DpsCost    *run_charges;
	DpsTrainingLosses *training;	/* what units lost by them; NULL if there are none */
	DpsAccountKey *key;
	DpsMeterUnits units;
	ExprContext *context;
	TupleDesc	descriptor;
	TupleTableSlot *slot;
	bool		has_rows;		/* the unit that is measured has any */
};

/* Releases of the relation, and of a dropped one with its names, whose history becomes this relation's
 * with the next charge (accounts.c). */
#define ITS_RELEASES \
	"r.relation OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT $1 UNION SELECT p.relation FROM dpsens.purse p" \
	" WHERE " DPS_IS_CALLED("p") "))"

static DpsStatement read_releases = {
	.text = "SELECT r.release, r.oldest_change, r.contribution, r.contribution::pg_catalog.text, r.adjacency, r.mechanism,"
	" r.sensitivities, r.scales, r.charge_epsilon, r.charge_rho, r.steps, a.release"
	" FROM dpsens.release r LEFT JOIN dpsens.training_account a ON a.release OPERATOR(pg_catalog.=) r.release"
	" AND a.finished AND a.unit OPERATOR(pg_catalog.=) $3"
	" WHERE " ITS_RELEASES " AND r.release OPERATOR(pg_catalog.<=) $2"
	" ORDER BY r.release",
	.nargs = 3, .argtypes = {OIDOID, INT8OID, TEXTOID}
};

static DpsStatement read_full = {
	.text = "SELECT CASE WHEN a.relation OPERATOR(pg_catalog.=) $1 THEN a.full_until ELSE 9223372036854775807 END"
	" FROM dpsens.row_account a WHERE " DPS_NOW_RELATION("a")
	" ORDER BY a.relation OPERATOR(pg_catalog.=) $1 DESC LIMIT 1",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement read_number = {
	.text = "SELECT r.release FROM dpsens.release r WHERE " ITS_RELEASES
	" ORDER BY r.release DESC LIMIT 1",
	.nargs = 1, .argtypes = {OIDOID}
};

/* ---- reading ---- */

static char *
text_value(uint64 row, int column)
{
	return TextDatumGetCString(dps_statement_value(row, column));
}

/* The elements of a bigint[]; false if there are too many. */
static bool
read_integers(uint64 row, int column, uint64 *integers, int *n)
{
	ArrayType  *array = DatumGetArrayTypeP(dps_statement_value(row, column));
	Datum	   *elements;
	bool	   *nulls;
	int			i;

	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, &nulls, n);
	for (i = 0; i < *n && i < DPS_CHARGE_COORDINATES; i++)
	{
		if (nulls[i])
			return false;
		integers[i] = (uint64) DatumGetInt64(elements[i]);
	}
	return *n <= DPS_CHARGE_COORDINATES;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static ReleaseGroup *
find_group(DpsRowHistory *history, const ReleaseGroup *wanted)
{
	ListCell   *cell;
	ReleaseGroup	   *group;

	foreach(cell, history->groups)
	{
		group = lfirst(cell);
		if (same_text(group->contribution, wanted->contribution) &&
			strcmp(group->adjacency, wanted->adjacency) == 0 && strcmp(group->mechanism, wanted->mechanism) == 0 &&
			group->n == wanted->n &&
			memcmp(group->sensitivities, wanted->sensitivities, sizeof(uint64) * wanted->n) == 0)
			return group;
	}
	group = palloc(sizeof(ReleaseGroup));
	*group = *wanted;
	if (wanted->contribution != NULL)
		group->contribution = pstrdup(wanted->contribution);
	group->adjacency = pstrdup(wanted->adjacency);
	group->mechanism = pstrdup(wanted->mechanism);
	history->groups = lappend(history->groups, group);
	return group;
}

static void
add_release(ReleaseGroup *group, int64 number, const Sums *sums)
{
	if (group->nreleases == group->room)
	{
		group->room = Max(16, 2 * group->room);
		group->numbers = group->numbers == NULL ? palloc(sizeof(int64) * group->room) :
			repalloc(group->numbers, sizeof(int64) * group->room);
		group->sums = group->sums == NULL ? palloc(sizeof(Sums) * group->room) :
			repalloc(group->sums, sizeof(Sums) * group->room);
	}
	group->numbers[group->nreleases] = number;
	group->sums[group->nreleases++] = *sums;
}

static bool
find_adjacency(const char *name, DpsAdjacency *adjacency)
{
	int			i;

	for (i = DPS_ADD_REMOVE; i <= DPS_METRIC; i++)
	{
		if (strcmp(dps_adjacency_name(i), name) == 0)
		{
			*adjacency = i;
			return true;
		}
	}
	return false;
}

/* The losses of a sensitivity of 1 under the release's noise. */
static void
set_noise(Sums *sums, const char *mechanism_name, const uint64 *scales, int n)
{
	const DpsMechanism *mechanism = dps_mechanism_find(mechanism_name);
	int			k;

	for (k = 0; k < n; k++)
	{
		double		inverse = 1 / (double) scales[k];
		bool		noised = mechanism != NULL && scales[k] > 0;

		sums->inverse[k] = noised && mechanism->norm == 1 ? inverse : INFINITY;
		sums->half_square[k] = noised ? inverse * inverse / 2 : INFINITY;
	}
}

/*
 * The charge of sampled steps holds up to a delta, which row accounts do not have.  If
 * the sample is not taken to be secret, the steps have a rho that needs no delta.
 */
static DpsAmount
unsampled_rho(const ReleaseGroup *release, const uint64 *scales, int64 steps)
{
	if (release->n != 1 || scales[0] == 0 || steps < 0)
		return DPS_AMOUNT_UNBOUNDED;
	return dps_amount_times(dps_amount_of_loss(dps_gaussian_rho(scales[0], release->sensitivities[0]), DPS_LOSS_BITS),
							steps);
}

static void
read_release(DpsRowHistory *history, uint64 row)
{
	ReleaseGroup		wanted = {0};
	Sums		sums = {0};
	DpsCost		charge = {0};
	uint64		scales[DPS_CHARGE_COORDINATES] = {0};
	int64		number = DatumGetInt64(dps_statement_value(row, 1));
	int			nscales;
	bool		isnull;

	(void) SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 3, &isnull);
	wanted.contribution = isnull ? NULL : text_value(row, 4);
	wanted.adjacency = text_value(row, 5);
	wanted.mechanism = text_value(row, 6);
	if (!read_integers(row, 7, wanted.sensitivities, &wanted.n) ||
		!read_integers(row, 8, scales, &nscales) || nscales != wanted.n)
	{
		wanted.contribution = NULL;
		wanted.n = 0;
	}
	charge.epsilon = DatumGetInt64(dps_statement_value(row, 9));
	charge.rho = DatumGetInt64(dps_statement_value(row, 10));
	history->numbers[row] = number;
	history->oldest_change[row] = (uint64) DatumGetInt64(dps_statement_value(row, 2));
	(void) SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 12, &isnull);
	if (!isnull)
	{
		history->charges[row] = charge;
		history->run_charges[history->nruns] = charge;
		history->runs[history->nruns++] = number;
		return;
	}
	(void) SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 11, &isnull);
	if (!isnull)
		charge.rho = unsampled_rho(&wanted, scales, DatumGetInt64(dps_statement_value(row, 11)));
	sums.epsilon = dps_amount_up(charge.epsilon, DPS_LOSS_BITS);
	sums.rho = dps_amount_up(charge.rho, DPS_LOSS_BITS);
	set_noise(&sums, wanted.mechanism, scales, wanted.n);
	history->charges[row] = charge;
	/* otherwise the release's answer does not depend on the data */
	if (sums.epsilon > 0 || sums.rho > 0)
		add_release(find_group(history, &wanted), number, &sums);
}

/* Replaces each entry by the sum from it to the last. */
static void
accumulate(Sums *sums, int n)
{
	int			i;
	int			k;

	for (i = n - 2; i >= 0; i--)
	{
		sums[i].epsilon += sums[i + 1].epsilon;
		sums[i].rho += sums[i + 1].rho;
		for (k = 0; k < DPS_CHARGE_COORDINATES; k++)
		{
			sums[i].inverse[k] += sums[i + 1].inverse[k];
			sums[i].half_square[k] += sums[i + 1].half_square[k];
		}
	}
}

/* The columns that name units, as stored losses are looked up by; NULL if stored losses are
 * not to be used. */
static char *
stored_unit(DpsRowHistory *history)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(history->relation, &annotation);
	history->key = dps_unit_key(history->relation);
	history->units.several_rows = dps_unit_has_rows(&annotation);
	if (history->key != NULL)
		history->units.columns = dps_unit_key_columns(history->relation, history->key);
	if (history->units.several_rows || annotation.adjacency != DPS_ADD_REMOVE)
		return NULL;
	return unconstify(char *, history->units.columns);
}

static void
read_history(DpsRowHistory *history, int64 last)
{
	char	   *unit = stored_unit(history);
	Datum		values[3] = {ObjectIdGetDatum(history->relation), Int64GetDatum(last), (Datum) 0};
	DpsElevation saved;
	MemoryContext spi;
	uint64		row;
	ListCell   *cell;
	int			i;

	SPI_connect();
	if (unit != NULL)
		values[2] = CStringGetTextDatum(unit);
	saved = dps_elevate();
	dps_statement_read(&read_full, values, NULL);
	history->full_until = SPI_processed > 0 ? DatumGetInt64(dps_statement_value(0, 1)) : 0;
	dps_statement_read(&read_releases, values, unit != NULL ? NULL : "  n");
	dps_descend(saved);
	spi = MemoryContextSwitchTo(history->memory);
	history->nreleases = (int) SPI_processed;
	history->numbers = palloc(sizeof(int64) * Max(history->nreleases, 1));
	history->oldest_change = palloc(sizeof(uint64) * Max(history->nreleases, 1));
	history->charges = palloc0(sizeof(DpsCost) * Max(history->nreleases, 1));
	history->runs = palloc(sizeof(int64) * Max(history->nreleases, 1));
	history->run_charges = palloc(sizeof(DpsCost) * Max(history->nreleases, 1));
	for (row = 0; row < SPI_processed; row++)
		read_release(history, row);
	foreach(cell, history->groups)
	{
		ReleaseGroup	   *group = lfirst(cell);

		accumulate(group->sums, group->nreleases);
	}
	for (i = 0; i < history->nreleases && history->numbers[i] <= history->full_until; i++)
	{
		history->full.epsilon = dps_amount_add(history->full.epsilon, history->charges[i].epsilon);
		history->full.rho = dps_amount_add(history->full.rho, history->charges[i].rho);
		history->full.releases++;
	}
	for (i = history->nreleases - 2; i >= 0; i--)
		history->oldest_change[i] = Min(history->oldest_change[i], history->oldest_change[i + 1]);
	MemoryContextSwitchTo(spi);
	SPI_finish();
	if (history->nruns > 0)
		history->training = dps_training_losses_load(history->runs, history->nruns);
}

/* ---- compiling ---- */

static DpsMeter *
make_meter(const DpsRowHistory *history, const ReleaseGroup *group)
{
	const DpsMechanism *mechanism = dps_mechanism_find(group->mechanism);
	DpsContribution *contribution;
	DpsAdjacency adjacency;
	Datum		jsonb;

	if (group->contribution == NULL || !find_adjacency(group->adjacency, &adjacency))
		return NULL;
	jsonb = DirectFunctionCall1(jsonb_in, CStringGetDatum(group->contribution));
	contribution = dps_contribution_read(jsonb);
	if (contribution == NULL)
		return NULL;
	/* without noise every loss is infinite, whatever the norm */
	return dps_meter_make(contribution, adjacency, mechanism != NULL ? mechanism->norm : group->n,
						  group->sensitivities, group->n, history->with_slopes, &history->units, history->relation);
}

/*
 * A meter, or NULL.  A contribution that cannot be parsed any more (because a type's value was removed,
 * for instance) raises an error in a subtransaction of its own.
 */
static DpsMeter *
try_meter(const DpsRowHistory *history, const ReleaseGroup *group)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	DpsMeter   *volatile meter = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(history->memory);
	PG_TRY();
	{
		meter = make_meter(history, group);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
			ReThrowError(error);
		FreeErrorData(error);
		meter = NULL;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return meter;
}

static void
compile(DpsRowHistory *history)
{
	Relation	relation = relation_open(history->relation, NoLock);
	ListCell   *cell;

	history->descriptor = CreateTupleDescCopyConstr(RelationGetDescr(relation));
	relation_close(relation, NoLock);
	history->slot = MakeSingleTupleTableSlot(history->descriptor, &TTSOpsHeapTuple);
	history->context = CreateStandaloneExprContext();
	foreach(cell, history->groups)
	{
		ReleaseGroup	   *group = lfirst(cell);

		group->meter = try_meter(history, group);
	}
}

DpsRowHistory *
dps_row_history_load(Oid relation, int64 last, bool with_slopes, MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "dpsens history", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(memory);
	DpsRowHistory *history = palloc0(sizeof(DpsRowHistory));

	history->memory = memory;
	history->relation = relation;
	history->with_slopes = with_slopes;
	read_history(history, last);
	compile(history);
	MemoryContextSwitchTo(previous);
	return history;
}

void
dps_row_history_free(DpsRowHistory *history)
{
	MemoryContextDelete(history->memory);
}

int64
dps_row_history_number(Oid relation)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	int64		number;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_number, values, NULL);
	dps_descend(saved);
	number = SPI_processed > 0 ? DatumGetInt64(dps_statement_value(0, 1)) : 0;
	SPI_finish();
	return number;
}

TupleTableSlot *
dps_row_history_slot(DpsRowHistory *history)
{
	return history->slot;
}

/* ---- a row ---- */

/* The first entry with a number above this one. */
static int
first_after(const int64 *numbers, int n, int64 number)
{
	int			lo = 0;
	int			hi = n;

	while (lo < hi)
	{
		int			middle = lo + (hi - lo) / 2;

		if (numbers[middle] > number)
			hi = middle;
		else
			lo = middle + 1;
	}
	return lo;
}

/* s * w; 0 if s is 0, even if w is infinite */
static double
product(double s, double w)
{
	return s == 0 ? 0 : s * w;
}

static void
add_group(ReleaseGroup *group, ExprContext *context, int64 after, double *epsilon, double *rho, int64 *releases)
{
	int			first = after <= 0 ? 0 : first_after(group->numbers, group->nreleases, after);
	uint64		sensitivities[DPS_CHARGE_COORDINATES];
	const Sums *sums;
	double		pure = 0;
	double		concentrated = 0;
	int			k;

	if (first == group->nreleases)
		return;
	sums = &group->sums[first];
	if (group->meter == NULL)
	{
		*epsilon += sums->epsilon;
		*rho += sums->rho;
		*releases += group->nreleases - first;
		return;
	}
	if (dps_meter_is_of_units(group->meter))
		dps_meter_read_unit(group->meter, sensitivities);
	else
		dps_meter_read(group->meter, context, sensitivities);
	for (k = 0; k < group->n; k++)
	{
		/* the conversion may round down by 2^-53 */
		double		s = (double) sensitivities[k];

		pure += product(s, sums->inverse[k]);
		concentrated += product(s * s, sums->half_square[k]);
	}
	*epsilon += Min(pure, sums->epsilon);
	*rho += Min(concentrated, sums->rho);
	if (concentrated > 0)
		*releases += group->nreleases - first;
}

/*
 * Releases after the unit's change that may still have seen its old row: those
 * up to the last one that did not certainly see the change.  They are paid in
 * full.  Returns the number of the last.
 */
static int64
add_unseen(const DpsRowHistory *history, const DpsFrozenLoss *frozen, DpsUnitLoss *loss)
{
	int			first = first_after(history->numbers, history->nreleases, frozen->release);
	int			lo = first;
	int			hi = history->nreleases;
	int			i;

	if (frozen->changed_by == 0)
		return frozen->release;
	/* ascending, since each is the minimum over it and all later ones */
	while (lo < hi)
	{
		int			middle = lo + (hi - lo) / 2;

		if (history->oldest_change[middle] > frozen->changed_by)
			hi = middle;
		else
			lo = middle + 1;
	}
	for (i = first; i < lo; i++)
	{
		loss->epsilon = dps_amount_add(loss->epsilon, history->charges[i].epsilon);
		loss->rho = dps_amount_add(loss->rho, history->charges[i].rho);
		loss->releases++;
	}
	return lo > first ? history->numbers[lo - 1] : frozen->release;
}

static DpsAmount
to_amount(const DpsRowHistory *history, double loss)
{
	return dps_amount_of_loss(loss * (1 + ldexp(history->nreleases + 16.0, -51)), DPS_LOSS_BITS);
}

/* The sum, over the group's releases after the number, of |2 v grad v| / sigma^2, with sigma the scale of the
 * noise: it needs no proof, since it decides nothing but who is left out. */
static double
susceptibility(ReleaseGroup *group, ExprContext *context, int64 after)
{
	int			first = after <= 0 ? 0 : first_after(group->numbers, group->nreleases, after);

	if (first == group->nreleases || group->meter == NULL)
		return 0;
	return product(4 * dps_meter_susceptibility(group->meter, context), group->sums[first].half_square[0]);
}

/* Adds what the unit of the row in the slot lost by runs of training after the number `after`. */
static void
add_training(DpsRowHistory *history, TupleTableSlot *slot, int64 after, DpsUnitLoss *loss)
{
	const DpsTrainingLosses *training = history->training;
	MemoryContext previous = MemoryContextSwitchTo(history->context->ecxt_per_tuple_memory);
	const char *unit = dps_unit_text(history->key, slot);
	int64		k = dps_training_losses_find(training, unit);
	int			i;

	MemoryContextSwitchTo(previous);
	for (i = 0; i < history->nruns; i++)
	{
		const DpsCost *charge = &history->run_charges[i];
		DpsAmount	rho = charge->rho;

		if (history->runs[i] <= after)
			continue;
		while (k < training->n && training->losses[k].release < history->runs[i] &&
			   strcmp(training->losses[k].unit, unit) == 0)
			k++;
		if (k < training->n && training->losses[k].release == history->runs[i] &&
			strcmp(training->losses[k].unit, unit) == 0)
			rho = Min(rho, training->losses[k].rho);
		if (rho == 0)
			continue;
		loss->epsilon = dps_amount_add(loss->epsilon, charge->epsilon);
		loss->rho = dps_amount_add(loss->rho, rho);
		loss->releases++;
	}
}

void
dps_row_history_begin_unit(DpsRowHistory *history)
{
	ListCell   *cell;

	history->has_rows = false;
	foreach(cell, history->groups)
	{
		ReleaseGroup *group = lfirst(cell);

		if (group->meter != NULL && dps_meter_is_of_units(group->meter))
			dps_meter_begin_unit(group->meter);
	}
}

void
dps_row_history_add_row(DpsRowHistory *history, TupleTableSlot *slot)
{
	ListCell   *cell;

	history->has_rows = true;
	ResetExprContext(history->context);
	history->context->ecxt_scantuple = slot;
	foreach(cell, history->groups)
	{
		ReleaseGroup *group = lfirst(cell);

		if (group->meter != NULL && dps_meter_is_of_units(group->meter))
			dps_meter_add_row(group->meter, history->context);
	}
}

/* The loss of the unit that was measured; the slot has its row, if it can have only one. */
static void
read_loss(DpsRowHistory *history, TupleTableSlot *slot, const DpsFrozenLoss *frozen, DpsUnitLoss *loss)
{
	int64		after = 0;
	double		epsilon = 0;
	double		rho = 0;
	ListCell   *cell;

	memset(loss, 0, sizeof(DpsUnitLoss));
	if (frozen != NULL)
	{
		loss->epsilon = frozen->epsilon;
		loss->rho = frozen->rho;
		after = add_unseen(history, frozen, loss);
	}
	else
	{
		*loss = history->full;
		after = history->full_until;
	}
	foreach(cell, history->has_rows ? history->groups : NIL)
		add_group(lfirst(cell), history->context, after, &epsilon, &rho, &loss->releases);
	loss->epsilon = dps_amount_add(loss->epsilon, to_amount(history, epsilon));
	loss->rho = dps_amount_add(loss->rho, to_amount(history, rho));
	foreach(cell, slot != NULL && history->with_slopes ? history->groups : NIL)
		loss->susceptibility += susceptibility(lfirst(cell), history->context, after);
	if (slot != NULL && history->nruns > 0)
		add_training(history, slot, after, loss);
}

void
dps_row_history_end_unit(DpsRowHistory *history, const DpsFrozenLoss *frozen, DpsUnitLoss *loss)
{
	read_loss(history, NULL, frozen, loss);
}

void
dps_row_history_measure(DpsRowHistory *history, TupleTableSlot *slot, const DpsFrozenLoss *frozen, DpsUnitLoss *loss)
{
	dps_row_history_begin_unit(history);
	if (slot != NULL)
		dps_row_history_add_row(history, slot);
	read_loss(history, slot, frozen, loss);
}

bool
dps_row_history_has_units(const DpsRowHistory *history)
{
	return history->units.several_rows;
}

DpsUnitLoss
dps_row_history_full(const DpsRowHistory *history)
{
	return history->full;
}

DpsUnitLoss
dps_row_history_most(const DpsRowHistory *history)
{
	DpsUnitLoss most = {.releases = history->nreleases};
	int			i;

	for (i = 0; i < history->nreleases; i++)
	{
		most.epsilon = dps_amount_add(most.epsilon, history->charges[i].epsilon);
		most.rho = dps_amount_add(most.rho, history->charges[i].rho);
	}
	return most;
}
