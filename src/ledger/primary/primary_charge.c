/*
 * primary_charge.c
 *		Charges of a standby, which its primary makes.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "glue/settings.h"
#include "glue/version.h"
#include "ledger/ledger.h"
#include "ledger/primary/catalogs.h"
#include "ledger/primary/link.h"
#include "ledger/primary/primary_charge.h"

#define ASK "SELECT a.sqlstate, a.message, a.detail, a.hint, a.last_release" \
	" FROM dpsens.charge_for_standby($1, $2, $3, $4, $5, $6) a"

enum
{
	SQLSTATE,
	MESSAGE,
	DETAIL,
	HINT,
	LAST_RELEASE,
	NCOLUMNS
};

/* The catalogs that were noted last. */
static DpsCatalogs noted;
static bool has_noted = false;

const char *
dps_primary_build(void)
{
	return psprintf(DPS_VERSION " %d %zu %zu", PG_VERSION_NUM / 10000, sizeof(DpsChargeItem), sizeof(DpsColumnMoves));
}

void
dps_primary_check(void)
{
	if (!dps_link_is_configured())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("private answers are not given during recovery"),
				 errdetail("Their cost cannot be recorded here, and no primary is known that could."),
				 errhint("Ask the primary, or have the administrator of this standby set dpsens.primary_conninfo.")));
}

/* ---- the catalogs ---- */

void
dps_ledger_note_catalogs(void)
{
	if (!RecoveryInProgress())
		return;
	noted = dps_catalogs_now();
	has_noted = true;
}

/*
 * A plan that was kept was checked by the server just before it runs, and this is called after that.  If what
 * was noted before the statement is what there is now, there was no change in between.
 */
DpsCatalogs
dps_ledger_noted_catalogs(void)
{
	DpsCatalogs now = {{0}};
	bool		same;

	if (!RecoveryInProgress())
		return now;
	now = dps_catalogs_now();
	same = has_noted && dps_catalogs_same(&now, &noted);
	noted = now;
	has_noted = true;
	if (!same)
		ereport(ERROR,
				(errcode(DPS_STALE_CODE),
				 errmsg(DPS_STALE_MESSAGE),
				 errdetail(DPS_STALE_DETAIL),
				 errhint(DPS_STALE_HINT)));
	return now;
}

/* ---- the charge ---- */

/* A text of the primary, "" for none. */
static void
copy_text(char *to, const char *text)
{
	strlcpy(to, text != NULL ? text : "", DPS_ANSWER_TEXT);
}

/* Only the plain words that it was charged count as that. */
static void
read_answer(char **row, DpsChargeAnswer *answer)
{
	char	   *end = NULL;

	memset(answer, 0, sizeof(DpsChargeAnswer));
	if (row[SQLSTATE] == NULL || strlen(row[SQLSTATE]) != 5)
	{
		dps_charge_answer_refuse(answer, ERRCODE_PROTOCOL_VIOLATION, "the primary's answer to a charge cannot be read",
								 "The request may have been charged nevertheless.", "Look into the logs of both servers.");
		return;
	}
	if (strcmp(row[SQLSTATE], "00000") != 0)
	{
		answer->sqlerrcode = MAKE_SQLSTATE(row[SQLSTATE][0], row[SQLSTATE][1], row[SQLSTATE][2], row[SQLSTATE][3], row[SQLSTATE][4]);
		/* of characters that no SQLSTATE has */
		if (answer->sqlerrcode == 0)
			answer->sqlerrcode = ERRCODE_PROTOCOL_VIOLATION;
		copy_text(answer->message, row[MESSAGE]);
		copy_text(answer->detail, row[DETAIL]);
		copy_text(answer->hint, row[HINT]);
		return;
	}
	answer->last_release = row[LAST_RELEASE] != NULL ? strtoll(row[LAST_RELEASE], &end, 10) : 0;
}

void
dps_primary_submit(const char *request, Size length, DpsChargeAnswer *answer)
{
	TimestampTz deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), dps_setting_ledger_timeout);
	TimeLineID	timeline;
	XLogRecPtr	replayed = GetXLogReplayRecPtr(&timeline);
	DpsLinkQuestion question = {.text = ASK, .last_length = (int) length};

	question.values[0] = dps_primary_build();
	question.values[1] = psprintf(INT64_FORMAT, (int64) GetSystemIdentifier());
	question.values[2] = psprintf("%u", MyDatabaseId);
	question.values[3] = psprintf("%u", timeline);
	question.values[4] = psprintf("%X/%X", LSN_FORMAT_ARGS(replayed));
	question.values[5] = request;
	read_answer(dps_link_ask(&question, NCOLUMNS, deadline), answer);
}
