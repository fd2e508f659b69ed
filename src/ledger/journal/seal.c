/*
 * seal.c
 *		The chain that seals releases, refusals and changes.
 *
 * A seal names rows that were committed since the one before: it has the SHA-256 of
 * the columns of each of them that never change, and the SHA-256 of the hash before, of its own number, time and names of
 * rows, and of those digests.  What is digested is said in SQL alone (sql/85_seals.sql), which computes by PostgreSQL's own
 * SHA-256, so that anybody can do it again without this library.
 *
 * Precondition: the worker of the database, the only writer of seals.
 * Postcondition: all is sealed that was committed when a transaction began that has called dps_seal_rows until it returned
 * false.
 * Proof that a change of what is sealed shows: a row's digest is in a seal, whose hash depends on it, and each later hash
 * on that.  To change, remove or insert a row and leave all as it should be, somebody has to find a collision of SHA-256, or to
 * compute all later hashes anew, up to the head: who has kept an earlier head elsewhere sees it (dpsens.verify_seals).
 *
 * Nobody waits: changes are read as committed, by MVCC, and the worker is told of them by the invalidation that their trigger
 * sends (keep.c), so that none are read where there are none.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "glue/glue.h"
#include "ledger/journal/seal.h"
#include "ledger/statement.h"

#define HASH_LENGTH 32

/* How many rows of a kind one seal has at most: a backlog is sealed piece by piece. */
#define ROWS_MAX 2000
#define ROWS_TEXT CppAsString2(ROWS_MAX)

/* The last seal, and what is sealed, as this worker knows it. */
typedef struct Head
{
	int64		seal;			/* 0: there is none */
	int64		release;		/* the last one that is sealed */
	int64		refusal;
	bytea	   *hash;			/* of the last seal, empty if there is none */
} Head;

static Head head;
static union
{
	bytea		hash;
	int32		aligned;
	char		bytes[VARHDRSZ + HASH_LENGTH];
}			head_hash;
static bool is_stale = true;

/* May there be changes that are not sealed? */
static bool has_changes = true;
static Oid	tables[3];

#define LAST_OF(column) \
	"COALESCE((SELECT pg_catalog.max(n.number) FROM (SELECT s." column " FROM dpsens.seal s WHERE s." column \
	" OPERATOR(pg_catalog.<>) '{}' ORDER BY s.seal DESC LIMIT 1) l CROSS JOIN pg_catalog.unnest(l." column ") n(number)), 0)"

static DpsStatement read_head = {
	.text = "SELECT COALESCE(h.seal, 0), COALESCE(h.hash, ''), " LAST_OF("releases") ", " LAST_OF("refusals")
	" FROM (SELECT) one LEFT JOIN (SELECT s.seal, s.hash FROM dpsens.seal s ORDER BY s.seal DESC LIMIT 1) h ON true"
};

#define ROWS_OF(view, condition) \
	"(SELECT COALESCE(pg_catalog.array_agg(d.number ORDER BY d.number), '{}') AS numbers," \
	" COALESCE(pg_catalog.string_agg(d.digest, '' ORDER BY d.number), '') AS digests" \
	" FROM (SELECT v.number, v.digest FROM dpsens_internal." view " v WHERE " condition " ORDER BY v.number LIMIT " ROWS_TEXT ") d)"

static DpsStatement insert_seal = {
	.text = "INSERT INTO dpsens.seal (seal, sealed_at, format, releases, refusals, changes, digests, hash)"
	" SELECT n.seal, n.sealed_at, n.format, n.releases, n.refusals, n.changes, n.digests,"
	" dpsens_internal.seal_hash($2, n.seal, n.sealed_at, n.format, n.releases, n.refusals, n.changes, n.digests)"
	" FROM (SELECT $1 OPERATOR(pg_catalog.+) 1 AS seal, $6 AS sealed_at, 1::pg_catalog.int2 AS format, r.numbers AS releases,"
	" f.numbers AS refusals, c.numbers AS changes,"
	" r.digests OPERATOR(pg_catalog.||) f.digests OPERATOR(pg_catalog.||) c.digests AS digests"
	" FROM " ROWS_OF("release_digests", "v.number OPERATOR(pg_catalog.>) $3") " r,"
	" " ROWS_OF("refusal_digests", "v.number OPERATOR(pg_catalog.>) $4") " f,"
	" " ROWS_OF("change_digests", "$5 AND NOT (v.number OPERATOR(pg_catalog.=) ANY (SELECT pg_catalog.unnest(s.changes) FROM dpsens.seal s"
	" WHERE s.changes OPERATOR(pg_catalog.<>) '{}'))") " c) n"
	" WHERE n.digests OPERATOR(pg_catalog.<>) ''"
	" RETURNING hash, COALESCE(releases[pg_catalog.cardinality(releases)], 0), COALESCE(refusals[pg_catalog.cardinality(refusals)], 0),"
	" pg_catalog.cardinality(changes), GREATEST(pg_catalog.cardinality(releases), pg_catalog.cardinality(refusals), pg_catalog.cardinality(changes))",
	.nargs = 6, .argtypes = {INT8OID, BYTEAOID, INT8OID, INT8OID, BOOLOID, TIMESTAMPTZOID}
};

static void
forget_at_abort(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		is_stale = has_changes = true;
}

void
dps_seal_forget_changed(Oid relation)
{
	if (relation == InvalidOid || relation == tables[0])
		has_changes = true;
	if (relation == InvalidOid || relation == tables[1] || relation == tables[2])
		is_stale = has_changes = true;
}

void
dps_seal_note_change(void)
{
	has_changes = true;
}

static void
watch(void)
{
	static bool watches = false;

	if (watches)
		return;
	watches = true;
	RegisterXactCallback(forget_at_abort, NULL);
}

static void
keep_hash(Datum hash)
{
	bytea	   *bytes = DatumGetByteaPP(hash);
	Size		length = VARSIZE_ANY_EXHDR(bytes);

	if (length > HASH_LENGTH)
		elog(ERROR, "unexpected hash of a seal");
	memcpy(VARDATA(&head_hash.hash), VARDATA_ANY(bytes), length);
	SET_VARSIZE(&head_hash.hash, VARHDRSZ + length);
	head.hash = &head_hash.hash;
}

/* The extension may have been dropped and made again. */
static void
know_head(void)
{
	static const char *const names[lengthof(tables)] = {"change", "seal", "refusal"};
	Size		i;

	watch();
	for (i = 0; i < lengthof(tables); i++)
	{
		Oid			table = get_relname_relid(names[i], dps_schema_oid());

		if (tables[i] != table)
			is_stale = has_changes = true;
		tables[i] = table;
	}
	if (!is_stale)
		return;
	is_stale = false;
	dps_statement_run(&read_head, NULL, NULL);
	head.seal = DatumGetInt64(dps_statement_value(0, 1));
	keep_hash(dps_statement_value(0, 2));
	head.release = DatumGetInt64(dps_statement_value(0, 3));
	head.refusal = DatumGetInt64(dps_statement_value(0, 4));
}

bool
dps_seal_rows(TimestampTz now)
{
	Datum		values[6];
	int64		release;
	int64		refusal;
	bool		more;

	know_head();
	values[0] = Int64GetDatum(head.seal);
	values[1] = PointerGetDatum(head.hash);
	values[2] = Int64GetDatum(head.release);
	values[3] = Int64GetDatum(head.refusal);
	values[4] = BoolGetDatum(has_changes);
	values[5] = TimestampTzGetDatum(now);
	/* before they are read: an invalidation may come at any time */
	has_changes = false;
	dps_statement_run(&insert_seal, values, NULL);
	if (SPI_processed == 0)
		return false;
	/* there may be more than were read */
	has_changes |= DatumGetInt32(dps_statement_value(0, 4)) == ROWS_MAX;
	more = DatumGetInt32(dps_statement_value(0, 5)) == ROWS_MAX;
	head.seal++;
	keep_hash(dps_statement_value(0, 1));
	release = DatumGetInt64(dps_statement_value(0, 2));
	refusal = DatumGetInt64(dps_statement_value(0, 3));
	head.release = Max(head.release, release);
	head.refusal = Max(head.refusal, refusal);
	return more;
}
