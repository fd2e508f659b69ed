/*
 * enum_labels.c
 *		The labels of an enum type, read once.
 *
 * When the server compares or prints cells, it looks up their labels in the catalogs,
 * cell by cell.  A label that is not committed, or that was dropped with its type, then
 * causes an error, or a warning of a cache entry that was not released; both reveal that
 * such a cell exists.  Here all labels are read at once, by one snapshot, and later
 * lookups of cells are answered from memory, without errors.
 *
 * Claim.  Every cell that a statement sees has a label in the table, whether the table
 * was read, under the lock, before or after the statement's snapshot was taken.
 *
 * Argument.  The server makes no value of a label before the label is committed, unless
 * the same transaction has created the type.  Labels are removed only with the type.
 * The lock prevents that, and it prevents other sessions from adding or renaming labels.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "glue/import/enum_labels.h"

/* Bytes of a table.  A plan has a copy of it for each call. */
#define MAX_TABLE (1 << 20)

void
dps_lock_type(Oid type)
{
	LockDatabaseObject(TypeRelationId, type, 0, DPS_TYPE_LOCK);
	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("a type that the statement uses was dropped"),
				 errdetail("Its OID was %u.", type)));
}

/* ---- reading ---- */

static Size
head_size(int n)
{
	return offsetof(DpsEnumLabels, label) + sizeof(DpsEnumLabel) * n;
}

static int
by_oid(const void *a, const void *b)
{
	Oid			first = ((const DpsEnumLabel *) a)->oid;
	Oid			second = ((const DpsEnumLabel *) b)->oid;

	return first < second ? -1 : first > second;
}

/* Appends a label; called in the order of labels.  label->text is an offset in `texts`. */
static void
append_label(DpsEnumLabels **labels, int *room, StringInfo texts, const FormData_pg_enum *form)
{
	DpsEnumLabel *label;

	if ((*labels)->n == *room)
	{
		*room *= 2;
		*labels = repalloc(*labels, head_size(*room));
	}
	label = &(*labels)->label[(*labels)->n++];
	label->oid = form->oid;
	label->place = (*labels)->n;
	label->text = texts->len;
	appendBinaryStringInfo(texts, NameStr(form->enumlabel), (int) strlen(NameStr(form->enumlabel)) + 1);
}

static int
by_text(const void *a, const void *b, void *labels)
{
	const DpsEnumLabels *all = labels;

	return strcmp(dps_enum_text(all, &all->label[*(const int32 *) a]), dps_enum_text(all, &all->label[*(const int32 *) b]));
}

static void
sort_texts(DpsEnumLabels *labels)
{
	int32	   *order = palloc(sizeof(int32) * (labels->n + 1));
	int			i;

	for (i = 0; i < labels->n; i++)
		order[i] = i;
	qsort_arg(order, labels->n, sizeof(int32), by_text, labels);
	for (i = 0; i < labels->n; i++)
		labels->label[i].by_text = order[i];
	pfree(order);
}

static DpsEnumLabels *
with_texts(DpsEnumLabels *labels, const StringInfoData *texts)
{
	Size		head = head_size(labels->n);
	int			i;

	if (head + texts->len > MAX_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("type %s has too many labels", format_type_be(labels->type)),
				 errdetail("Together they take %zu bytes, of at most %d.", head + texts->len, MAX_TABLE),
				 errhint("Use a table that numbers them.")));
	labels = repalloc(labels, head + texts->len);
	for (i = 0; i < labels->n; i++)
		labels->label[i].text += head;
	memcpy((char *) labels + head, texts->data, texts->len);
	SET_VARSIZE(labels, head + texts->len);
	qsort(labels->label, labels->n, sizeof(DpsEnumLabel), by_oid);
	sort_texts(labels);
	return labels;
}

DpsEnumLabels *
dps_read_enum_labels(Oid type)
{
	int			room = 16;
	DpsEnumLabels *labels = palloc(head_size(room));
	StringInfoData texts;
	Relation	catalog;
	Relation	index;
	Snapshot	snapshot;
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple	tuple;

	dps_lock_type(type);
	labels->type = type;
	labels->n = 0;
	initStringInfo(&texts);
	catalog = table_open(EnumRelationId, AccessShareLock);
	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(catalog, index, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		const FormData_pg_enum *form = (const FormData_pg_enum *) GETSTRUCT(tuple);

		if (!EnumUncommitted(form->oid))
			append_label(&labels, &room, &texts, form);
	}
	systable_endscan_ordered(scan);
	UnregisterSnapshot(snapshot);
	index_close(index, AccessShareLock);
	table_close(catalog, AccessShareLock);
	return with_texts(labels, &texts);
}

/* ---- asking ---- */

const DpsEnumLabel *
dps_find_enum_label(const DpsEnumLabels *labels, Oid oid)
{
	DpsEnumLabel key = {.oid = oid};

	return bsearch(&key, labels->label, labels->n, sizeof(DpsEnumLabel), by_oid);
}

const char *
dps_enum_text(const DpsEnumLabels *labels, const DpsEnumLabel *label)
{
	return (const char *) labels + label->text;
}

const DpsEnumLabel *
dps_find_enum_text(const DpsEnumLabels *labels, const char *text)
{
	int			low = 0;
	int			high = labels->n;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;
		const DpsEnumLabel *label = &labels->label[labels->label[middle].by_text];
		int			order = strcmp(dps_enum_text(labels, label), text);

		if (order == 0)
			return label;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
