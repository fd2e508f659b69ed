/*
 * sql_row_loss.c
 *		dpsens.row_loss and dpsens.row_plis: what every unit of a relation has lost so far,
 *		and how susceptible that was to its values.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "audit/accounted.h"
#include "glue/compat.h"
#include "glue/version.h"
#include "ledger/rows/frozen.h"
#include "ledger/rows/row_history.h"
#include "ledger/rows/unit.h"
#include "ledger/rows/unit_sort.h"

DPS_SQL_FUNCTION(dps_row_loss);
DPS_SQL_FUNCTION(dps_row_susceptibility);

/* Columns of the result. */
#define ROW_LOSS_COLUMNS 5

#define FETCH_SIZE 1000

typedef struct RowLoss
{
	ReturnSetInfo *result;
	DpsRowHistory *history;
	DpsAccountKey *key;			/* NULL: units have no names */
	DpsFrozenUnits *frozen;
	DpsUnitSort *sort;			/* of units of several rows; NULL: each row is a unit */
	bool		susceptible;	/* row_plis */
} RowLoss;

static void
put(const RowLoss *loss, const char *unit, const DpsUnitLoss *lost, bool present)
{
	Datum		values[ROW_LOSS_COLUMNS];
	bool		nulls[ROW_LOSS_COLUMNS] = {unit == NULL};

	if (unit != NULL)
		values[0] = CStringGetTextDatum(unit);
	if (loss->susceptible)
	{
		values[1] = Float8GetDatum(lost->susceptibility);
		tuplestore_putvalues(loss->result->setResult, loss->result->setDesc, values, nulls);
		return;
	}
	values[1] = Float8GetDatum(dps_amount_up(lost->epsilon, DPS_LOSS_BITS));
	values[2] = Float8GetDatum(dps_amount_up(lost->rho, DPS_LOSS_BITS));
	values[3] = Int64GetDatum(lost->releases);
	values[4] = BoolGetDatum(present);
	tuplestore_putvalues(loss->result->setResult, loss->result->setDesc, values, nulls);
}

static void
put_row(RowLoss *loss, HeapTupleHeader row)
{
	TupleTableSlot *slot = dps_row_history_slot(loss->history);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	DpsFrozenUnit *frozen = NULL;
	DpsUnitLoss lost;
	char	   *unit = NULL;

	ItemPointerSetInvalid(&tuple.t_self);
	ExecStoreHeapTuple(&tuple, slot, false);
	if (loss->sort != NULL && !dps_unit_is_null(loss->key, slot))
	{
		dps_unit_sort_put(loss->sort, slot);
		ExecClearTuple(slot);
		return;
	}
	/* without a unit a row is one by itself */
	if (loss->key != NULL && loss->sort == NULL)
	{
		unit = dps_unit_text(loss->key, slot);
		frozen = dps_frozen_find(loss->frozen, unit);
	}
	if (frozen != NULL)
		frozen->seen = true;
	dps_row_history_measure(loss->history, slot, frozen != NULL ? &frozen->loss : NULL, &lost);
	put(loss, unit, &lost, true);
	ExecClearTuple(slot);
}

/* Units of several rows. */
static void
put_units(RowLoss *loss)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens unit", ALLOCSET_DEFAULT_SIZES);
	const char *unit;

	dps_unit_sort_perform(loss->sort);
	while ((unit = dps_unit_sort_next_unit(loss->sort)) != NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(memory);
		DpsFrozenUnit *frozen = dps_frozen_find(loss->frozen, unit);
		TupleTableSlot *row;
		DpsUnitLoss lost;

		if (frozen != NULL)
			frozen->seen = true;
		dps_row_history_begin_unit(loss->history);
		while ((row = dps_unit_sort_next_row(loss->sort)) != NULL)
			dps_row_history_add_row(loss->history, row);
		dps_row_history_end_unit(loss->history, frozen != NULL ? &frozen->loss : NULL, &lost);
		put(loss, unit, &lost, true);
		MemoryContextSwitchTo(previous);
		MemoryContextReset(memory);
	}
	dps_unit_sort_end(loss->sort);
	MemoryContextDelete(memory);
}

/* Units whose rows are gone. */
static void
put_absent(const RowLoss *loss)
{
	int			i;

	for (i = 0; i < loss->frozen->n; i++)
	{
		const DpsFrozenUnit *unit = &loss->frozen->units[i];
		DpsUnitLoss lost;

		if (unit->seen)
			continue;
		dps_row_history_measure(loss->history, NULL, &unit->loss, &lost);
		put(loss, unit->unit, &lost, false);
	}
}

/* A query of whole rows: by a name that no column has, as that would be read instead. */
static char *
scan_query(Oid relation)
{
	char	   *alias = pstrdup("row");

	while (get_attnum(relation, alias) != InvalidAttrNumber)
		alias = psprintf("%s_", alias);
	return psprintf("SELECT %s FROM %s AS %s", quote_identifier(alias),
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation)),
					quote_identifier(alias));
}

static void
put_rows(RowLoss *loss, Oid relation)
{
	MemoryContext rows;
	SPIPlanPtr	plan;
	Portal		portal;

	SPI_connect();
	plan = SPI_prepare(scan_query(relation), 0, NULL);
	if (plan == NULL)
		elog(ERROR, "could not read the table: %s", SPI_result_code_string(SPI_result));
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	rows = AllocSetContextCreate(CurrentMemoryContext, "dpsens rows", ALLOCSET_DEFAULT_SIZES);
	for (;;)
	{
		MemoryContext previous;
		uint64		i;

		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(portal, true, FETCH_SIZE);
		if (SPI_processed == 0)
			break;
		if (SPI_gettypeid(SPI_tuptable->tupdesc, 1) != get_rel_type_id(relation))
			elog(ERROR, "rows of relation %u are not read as rows", relation);
		previous = MemoryContextSwitchTo(rows);
		for (i = 0; i < SPI_processed; i++)
		{
			bool		isnull;
			Datum		row = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);

			if (!isnull)
				put_row(loss, DatumGetHeapTupleHeader(row));
		}
		MemoryContextSwitchTo(previous);
		MemoryContextReset(rows);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
}

static void
put_relation(FunctionCallInfo fcinfo, bool susceptible)
{
	Oid			relation = PG_GETARG_OID(0);
	RowLoss		loss = {.result = (ReturnSetInfo *) fcinfo->resultinfo, .susceptible = susceptible};
	DpsAudit	audit;
	Relation	locked;

	audit = susceptible ? dps_audit_accounted(relation) : dps_audit_units(relation);
	InitMaterializedSRF(fcinfo, 0);
	locked = table_open(relation, AccessShareLock);
	loss.key = dps_unit_key(relation);
	loss.frozen = dps_frozen_load(relation);
	loss.history = dps_row_history_load(relation, PG_INT64_MAX, susceptible, CurrentMemoryContext);
	if (dps_row_history_has_units(loss.history))
		loss.sort = dps_unit_sort_begin(RelationGetDescr(locked), loss.key);
	put_rows(&loss, relation);
	if (loss.sort != NULL)
		put_units(&loss);
	if (!susceptible)
		put_absent(&loss);
	dps_row_history_free(loss.history);
	table_close(locked, NoLock);
	dps_end_audit(audit);
}

/* row_loss(relation) */
Datum
dps_row_loss(PG_FUNCTION_ARGS)
{
	put_relation(fcinfo, false);
	return (Datum) 0;
}

/* row_plis(relation) */
Datum
dps_row_susceptibility(PG_FUNCTION_ARGS)
{
	put_relation(fcinfo, true);
	return (Datum) 0;
}
