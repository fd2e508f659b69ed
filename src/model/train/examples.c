/*
 * examples.c
 *		Rows of a relation as examples: columns of numbers or of arrays of
 *		numbers, read by a query as the current user.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "parser/parse_coerce.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "model/train/examples.h"
#include "model/train/source.h"
#include "num/whole.h"

/* The initial capacity, in examples. */
#define FIRST_ROOM 1000

/* The way in which a column is read. */
typedef struct Reader
{
	bool		is_array;
} Reader;

typedef struct Reading
{
	int			ncolumns;		/* the last is the target */
	Reader	   *column;
	const DpsNetwork *network;
	MemoryContext context;
	DpsExamples *examples;
	int64		room;			/* examples */
	DpsExampleRows *rows;		/* or NULL; the query has one more column then */
} Reading;

pg_noreturn static void
refuse_type(const char *column, Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of type %s cannot be trained on", column, format_type_be(type)),
			 errhint("Use numbers, booleans or arrays of numbers.")));
	pg_unreachable();
}

/* The declared type of a column; InvalidOid if no column, or more than one, has the
 * name. */
static Oid
find_column(const DpsRowSource *source, const char *column)
{
	Oid			found = InvalidOid;
	int			k;

	if (source->query == NULL)
	{
		AttrNumber	number = get_attnum(source->relation, column);

		return number > 0 ? get_atttype(source->relation, number) : InvalidOid;
	}
	for (k = 0; k < source->columns->natts; k++)
	{
		if (strcmp(NameStr(TupleDescAttr(source->columns, k)->attname), column) != 0)
			continue;
		if (OidIsValid(found))
			return InvalidOid;
		found = TupleDescAttr(source->columns, k)->atttypid;
	}
	return found;
}

/* Appends the column as an expression of type float8 or float8[]. */
static void
append_column(StringInfo query, const DpsRowSource *source, const char *column, Reader *reader)
{
	Oid			declared = find_column(source, column);
	Oid			type;
	Oid			element;

	if (!OidIsValid(declared) && source->query != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the query has no column \"%s\", or several", column)));
	if (!OidIsValid(declared))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", column, get_rel_name(source->relation))));
	type = getBaseType(declared);
	element = get_element_type(type);
	reader->is_array = OidIsValid(element);
	if (OidIsValid(element))
		element = getBaseType(element);
	else
		element = type;
	if (TypeCategory(element) == TYPCATEGORY_NUMERIC && element != MONEYOID)
		appendStringInfo(query, "%s::pg_catalog.float8%s", quote_identifier(column), reader->is_array ? "[]" : "");
	else if (element == BOOLOID && !reader->is_array)
		appendStringInfo(query, "%s::pg_catalog.int4::pg_catalog.float8", quote_identifier(column));
	else
		refuse_type(column, declared);
}

static char *
build_query(Reading *reading, const DpsRowSource *source, const Datum *features, const char *target)
{
	StringInfoData query;
	Oid			relation = source->relation;
	int			k;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	for (k = 0; k < reading->ncolumns; k++)
	{
		bool		is_target = k == reading->ncolumns - 1;

		appendStringInfoString(&query, k > 0 ? ", " : "");
		append_column(&query, source, is_target ? target : NameStr(*DatumGetName(features[k])), &reading->column[k]);
	}
	if (reading->rows != NULL)
		appendStringInfoString(&query, ", ctid");
	if (source->query != NULL)
	{
		/* the line break ends a comment at the end of the query */
		appendStringInfo(&query, " FROM (%s\n) AS q", source->query);
		return query.data;
	}
	/* the index that proves the unit of a table does not cover its children */
	appendStringInfo(&query, " FROM %s%s", get_rel_relkind(relation) == RELKIND_RELATION ? "ONLY " : "",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation)));
	return query.data;
}

/* Appends a cell's numbers to the n that there are; false if there are more than `room`
 * then, or a NULL. */
static bool
append_numbers(const Reader *reader, Datum cell, double *numbers, int64 room, int64 *n)
{
	ArrayType  *array;

	if (!reader->is_array)
	{
		if (*n >= room)
			return false;
		numbers[(*n)++] = DatumGetFloat8(cell);
		return true;
	}
	array = DatumGetArrayTypeP(cell);
	if (array_contains_nulls(array) || ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > room - *n)
		return false;
	memcpy(numbers + *n, ARR_DATA_PTR(array), sizeof(double) * ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
	*n += ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return true;
}

/* Sets the target; the number of a class becomes a vector with 1 for this class and 0
 * elsewhere.  False if it is no target of the network. */
static bool
append_target(const Reading *reading, const Reader *reader, Datum cell, double *target)
{
	int64		room = dps_tensor_size(reading->network->target);
	int64		n = 0;

	if (reader->is_array || !reading->network->loss_kind->distribution)
		return append_numbers(reader, cell, target, room, &n) && n == room;
	{
		double		class = DatumGetFloat8(cell);

		memset(target, 0, sizeof(double) * room);
		if (!(class >= 0 && class < room && class == (double) dps_to_int64(class)))
			return false;
		target[dps_to_int64(class)] = 1;
	}
	return true;
}

static void
make_room(Reading *reading)
{
	DpsExamples *examples = reading->examples;
	Size		size;

	if (examples->n < reading->room)
		return;
	reading->room = Max(reading->room * 2, FIRST_ROOM);
	size = sizeof(double) * examples->width * reading->room;
	examples->numbers = examples->numbers == NULL ?
		MemoryContextAllocHuge(reading->context, size) : repalloc_huge(examples->numbers, size);
}

static void
append_row(Reading *reading, const Datum *cells, const bool *nulls)
{
	DpsExamples *examples = reading->examples;
	double	   *numbers;
	int64		n = 0;
	int			k;

	make_room(reading);
	numbers = examples->numbers + examples->n * examples->width;
	for (k = 0; k < reading->ncolumns; k++)
	{
		bool		is_target = k == reading->ncolumns - 1;

		if (nulls[k])
			return;
		if (is_target ? !append_target(reading, &reading->column[k], cells[k], numbers + examples->nfeatures) :
			!append_numbers(&reading->column[k], cells[k], numbers, examples->nfeatures, &n))
			return;
	}
	if (n == examples->nfeatures && dps_are_finite(numbers, examples->width))
		examples->n++;
}

/* Notes the place of the row that was just read.  before: the number of examples before it. */
static void
note_row(Reading *reading, Datum place, int64 before)
{
	DpsExampleRows *rows = reading->rows;

	if (rows->n == rows->room)
	{
		rows->room = Max(rows->room * 2, FIRST_ROOM);
		rows->places = rows->n == 0 ? MemoryContextAllocHuge(reading->context, sizeof(ItemPointerData) * rows->room) :
			repalloc_huge(rows->places, sizeof(ItemPointerData) * rows->room);
		rows->examples = rows->n == 0 ? MemoryContextAllocHuge(reading->context, sizeof(int64) * rows->room) :
			repalloc_huge(rows->examples, sizeof(int64) * rows->room);
	}
	rows->places[rows->n] = *(ItemPointer) DatumGetPointer(place);
	rows->examples[rows->n++] = reading->examples->n > before ? before : -1;
}

/*
 * Reading
 */

/* The receiver of the executor's rows. */
typedef struct Receiver
{
	DestReceiver base;
	Reading    *reading;
	MemoryContext row;			/* for detoasted arrays; reset after each row */
} Receiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *base)
{
	Receiver   *receiver = (Receiver *) base;
	MemoryContext previous = MemoryContextSwitchTo(receiver->row);
	Reading    *reading = receiver->reading;
	int64		before = reading->examples->n;

	slot_getallattrs(slot);
	append_row(reading, slot->tts_values, slot->tts_isnull);
	if (reading->rows != NULL)
		note_row(reading, slot->tts_values[reading->ncolumns], before);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(receiver->row);
	return true;
}

static void
receive_nothing(DestReceiver *base)
{
}

static void
receive_start(DestReceiver *base, int operation, TupleDesc columns)
{
}

static void
read_rows(Reading *reading, PlannedStmt *statement, const char *text)
{
	Receiver	receiver = {
		.base = {receive_row, receive_start, receive_nothing, receive_nothing, DestNone},
		.reading = reading,
		.row = AllocSetContextCreate(CurrentMemoryContext, "dpsens row of an example", ALLOCSET_DEFAULT_SIZES)
	};
	QueryDesc  *query = CreateQueryDesc(statement, text, GetActiveSnapshot(), InvalidSnapshot, &receiver.base, NULL, NULL, 0);

	ExecutorStart(query, 0);
	dps_run_to_end(ExecutorRun, query);
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	MemoryContextDelete(receiver.row);
}

bool
dps_target_is_class(const DpsRowSource *source, const char *target, const DpsNetwork *network)
{
	Oid			type = find_column(source, target);

	return network->loss_kind->distribution && OidIsValid(type) && !OidIsValid(get_element_type(getBaseType(type)));
}

void
dps_read_examples(const DpsRowSource *source, ArrayType *features, const char *target, const DpsNetwork *network,
				  DpsExamples *examples, DpsExampleRows *rows)
{
	Reading		reading = {.network = network, .context = CurrentMemoryContext, .examples = examples, .rows = rows};
	char	   *query;
	Datum	   *names;
	int			n;

	if (ARR_NDIM(features) > 1 || array_contains_nulls(features))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("features must be a one-dimensional array of columns without nulls")));
	deconstruct_array(features, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, NULL, &n);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("features must name a column")));
	reading.ncolumns = n + 1;
	reading.column = palloc0(sizeof(Reader) * reading.ncolumns);
	memset(examples, 0, sizeof(*examples));
	if (rows != NULL)
		memset(rows, 0, sizeof(*rows));
	examples->nfeatures = dps_tensor_size(network->features);
	examples->width = examples->nfeatures + dps_tensor_size(network->target);
	query = build_query(&reading, source, names, target);
	read_rows(&reading, dps_plan_source(source->relation, source->is_protected, query), query);
}
