/*
 * sql_charge_for_standby.c
 *		The primary's side of a standby's charge: an SQL function that only the role of standbys may call.
 *
 * Precondition: none.  Arguments are bytes of another machine.  Whoever may call it may charge any role, and
 * count failures of any; nothing else is read or written for him, and he learns what the ledger answers.
 * Postcondition: if it returns SQLSTATE 00000, the request is charged, durable here, and on the synchronous
 * standbys if there are any; and what the standby had noted of the catalogs is what this server has now
 * (catalogs.h).  Every other SQLSTATE that it returns is a refusal by the ledger, or by what is compared here
 * before the ledger is asked.
 * Why: the request is read by a reader that is total (charge_request.c), its numbers are looked at, and it is
 * written anew, without what only a session of this server may say, before it comes into shared memory.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/pg_lsn.h"

#include "glue/citus.h"
#include "glue/version.h"
#include "ledger/charge/slots.h"
#include "ledger/primary/catalogs.h"
#include "ledger/primary/primary_charge.h"

DPS_SQL_FUNCTION(dps_charge_for_standby);

/* Who asks, by its own account. */
typedef struct Standby
{
	char	   *build;
	int64		system_identifier;
	Oid			database;
	int32		timeline;
	XLogRecPtr	replayed;
} Standby;

/* ---- which standby ---- */

static void
refuse(DpsChargeAnswer *answer, const char *message, const char *detail, const char *hint)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message, detail, hint);
}

/* Is it a standby of this server?  If not, sets the answer. */
static bool
is_of_here(const Standby *standby, DpsChargeAnswer *answer)
{
	if (RecoveryInProgress())
		refuse(answer, "the server that was asked to charge the statement is a standby itself", "Nothing was charged.",
			   "The administrator of this standby can set dpsens.primary_conninfo to the primary.");
	else if (strcmp(standby->build, dps_primary_build()) != 0)
		refuse(answer, "the standby and its primary run different versions of dpsens", "Nothing was charged.",
			   "The administrator can install the same version on both, and restart them.");
	else if (standby->system_identifier != (int64) GetSystemIdentifier() || standby->database != MyDatabaseId)
		refuse(answer, "the server that was asked to charge the statement is not the primary of this standby",
			   "It is another database cluster.  Nothing was charged.",
			   "The administrator of this standby can set dpsens.primary_conninfo to its primary.");
	else if (standby->timeline != (int32) GetWALInsertionTimeLine() || standby->replayed > GetXLogInsertRecPtr())
		refuse(answer, "the server that was asked to charge the statement is not the primary of this standby",
			   "The two have different histories, as after a failover.  Nothing was charged.",
			   "Try again once the standby follows the primary, or have its administrator set dpsens.primary_conninfo.");
	return answer->sqlerrcode == 0;
}

/* ---- the request ---- */

/* A cost, or a size: not negative, possibly infinite. */
static bool
is_amount(double value)
{
	return value >= 0;
}

static bool
is_text(const char *text)
{
	return text == NULL || pg_verify_mbstr(GetDatabaseEncoding(), text, strlen(text), true);
}

static bool
is_sound_item(const DpsChargeItem *item)
{
	int			i;

	for (i = 0; i < item->ncolumns; i++)
	{
		if (!is_text(NameStr(item->columns[i].column)))
			return false;
	}
	return OidIsValid(item->relation) && item->arms >= 1 && item->group_size >= 1 && item->shown_units >= 0 && isfinite(item->factor) && isfinite(item->epsilon) && is_amount(item->epsilon) &&
		is_amount(item->delta) && item->delta <= 1 && is_amount(item->sensitivity) && is_amount(item->rate) && item->rate <= 1 &&
		is_amount(item->loss.epsilon) && is_amount(item->loss.rho) && is_amount(item->loss.delta) &&
		is_text(item->mechanism) && is_text(item->adjacency) && is_text(item->expression) && is_text(item->contribution);
}

/* Can a statement of a standby have made this request? */
static bool
is_sound(const DpsCharge *charge)
{
	int			i;

	if (!OidIsValid(charge->role) || !is_text(charge->query))
		return false;
	if (charge->kind != DPS_REQUEST_CHARGE)
		return charge->kind == DPS_REQUEST_FAILURE && charge->nitems == 0;
	for (i = 0; i < charge->nitems; i++)
	{
		if (!is_sound_item(&charge->items[i]))
			return false;
	}
	return charge->nitems > 0;
}

/* A failure says nothing of a plan. */
static bool
is_current(const DpsCharge *charge)
{
	DpsCatalogs now;

	if (charge->kind != DPS_REQUEST_CHARGE)
		return true;
	now = dps_catalogs_now();
	return dps_catalogs_same(&charge->catalogs, &now);
}

static void
submit(DpsCharge *charge, DpsChargeAnswer *answer)
{
	char	   *request = palloc0(DPS_REQUEST_SIZE);
	Size		length;
	int			i;

	dps_ledger_check_server();
	for (i = 0; i < charge->nitems; i++)
	{
		if (!dps_citus_can_add_up(charge->items[i].relation))
			dps_citus_refuse_source(charge->items[i].relation);
		/* it would be read as SQL when losses of rows are asked for; without it all rows count as having lost in full */
		charge->items[i].contribution = NULL;
	}
	/* nobody else flushes it */
	charge->settles = false;
	memset(&charge->catalogs, 0, sizeof(charge->catalogs));
	length = dps_request_write(charge, request);
	if (length > 0)
		dps_slots_submit(request, length, answer);
	else
		refuse(answer, "a standby's request to the privacy ledger is too long", "Nothing was charged.", NULL);
}

static void
charge_for(const Standby *standby, const bytea *bytes, DpsChargeAnswer *answer)
{
	DpsCharge  *charge;

	memset(answer, 0, sizeof(DpsChargeAnswer));
	if (!is_of_here(standby, answer))
		return;
	charge = dps_request_read(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	if (charge == NULL || !is_sound(charge))
		refuse(answer, "a standby's request to the privacy ledger cannot be read", "Nothing was charged.", NULL);
	else if (!is_current(charge))
		dps_charge_answer_refuse(answer, DPS_STALE_CODE, DPS_STALE_MESSAGE, DPS_STALE_DETAIL, DPS_STALE_HINT);
	else
		submit(charge, answer);
}

static Datum
make_row(FunctionCallInfo fcinfo, const DpsChargeAnswer *answer)
{
	TupleDesc	columns;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = CStringGetTextDatum(unpack_sql_state(answer->sqlerrcode));
	values[1] = CStringGetTextDatum(answer->message);
	values[2] = CStringGetTextDatum(answer->detail);
	values[3] = CStringGetTextDatum(answer->hint);
	values[4] = Int64GetDatum(answer->last_release);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

/* charge_for_standby(build, system_identifier, database, timeline, replayed, request) */
Datum
dps_charge_for_standby(PG_FUNCTION_ARGS)
{
	Standby		standby = {
		.build = text_to_cstring(PG_GETARG_TEXT_PP(0)), .system_identifier = PG_GETARG_INT64(1), .database = PG_GETARG_OID(2),
		.timeline = PG_GETARG_INT32(3), .replayed = PG_GETARG_LSN(4)
	};
	DpsChargeAnswer answer;

	charge_for(&standby, PG_GETARG_BYTEA_PP(5), &answer);
	PG_RETURN_DATUM(make_row(fcinfo, &answer));
}
