/*
 * charge_request.c
 *		A charge as bytes in shared memory.
 *
 * Both ends run the same build of the library, so structures are copied as they are.  The bytes of a standby
 * come from another machine: so reading is total.  Every length is compared with what is left before it is
 * used, every text is ended within the bytes and every name within its array, and a truth value is 0 or 1.
 * Layout: header,
 * items, their columns, then the query, and for each item its expression and its contribution ("" for
 * none), each with a terminating zero byte.  Columns are left out where the rest would not fit: then a
 * change of one costs what a replaced row costs.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "glue/compat.h"
#include "ledger/charge/charge_request.h"

typedef struct RequestHeader
{
	Oid			role;
	int32		nitems;
	uint64		oldest_change;
	bool		settles;
	bool		is_watched;
	DpsRequestKind kind;
	DpsCatalogs catalogs;
} RequestHeader;

/* Writes a text of at most limit bytes at *position; false if it does not fit. */
static bool
write_text(const char *text, Size limit, char *buffer, Size *position)
{
	Size		length = strlen(text);
	Size		room = DPS_REQUEST_SIZE - *position;
	bool		cut = length > limit;

	if (cut)
		length = pg_mbcliplen(text, length, limit - 3);
	if (length + (cut ? 3 : 0) + 1 > room)
		return false;
	memcpy(buffer + *position, text, length);
	*position += length;
	if (cut)
	{
		memcpy(buffer + *position, "...", 3);
		*position += 3;
	}
	buffer[(*position)++] = '\0';
	return true;
}

/* The limits of the texts in a request. */
typedef struct Limits
{
	Size		query;
	Size		expression;
	bool		contributions;	/* all of them or none: a part of a contribution is useless */
	bool		columns;
} Limits;

static bool
write_item_texts(const DpsChargeItem *item, const Limits *limits, char *buffer, Size *position)
{
	const char *contribution = limits->contributions && item->contribution != NULL ? item->contribution : "";

	return write_text(item->expression, limits->expression, buffer, position) &&
		write_text(contribution, DPS_REQUEST_SIZE, buffer, position);
}

/* Copies the items and their columns; false if they do not fit. */
static bool
write_items(const DpsCharge *charge, const Limits *limits, char *buffer, Size *position)
{
	DpsChargeItem *written = (DpsChargeItem *) (buffer + *position);
	Size		size = mul_size(charge->nitems, sizeof(DpsChargeItem));
	int			i;

	if (size > DPS_REQUEST_SIZE - *position)
		return false;
	if (size > 0)
		memcpy(written, charge->items, size);
	*position += size;
	for (i = 0; i < charge->nitems; i++)
	{
		if (!limits->columns)
			written[i].ncolumns = 0;
		/* they mean nothing elsewhere, and tell where this process has its memory */
		written[i].columns = NULL;
		written[i].expression = written[i].contribution = NULL;
		size = written[i].ncolumns * sizeof(DpsColumnMoves);
		if (size > DPS_REQUEST_SIZE - *position)
			return false;
		if (size > 0)
			memcpy(buffer + *position, charge->items[i].columns, size);
		*position += size;
	}
	return true;
}

/* Writes the request with these limits.  Returns its length, 0 if it does not fit. */
static Size
write_request(const DpsCharge *charge, char *buffer, const Limits *limits)
{
	RequestHeader header = {charge->role, charge->nitems, charge->oldest_change, charge->settles, charge->is_watched, charge->kind, charge->catalogs};
	Size		position = MAXALIGN(sizeof(header));
	int			i;

	memcpy(buffer, &header, sizeof(header));
	if (!write_items(charge, limits, buffer, &position))
		return 0;
	if (!write_text(charge->query, limits->query, buffer, &position))
		return 0;
	for (i = 0; i < charge->nitems; i++)
	{
		if (!write_item_texts(&charge->items[i], limits, buffer, &position))
			return 0;
	}
	return position;
}

Size
dps_request_write(const DpsCharge *charge, char *buffer)
{
	Limits		limits = {DPS_QUERY_LENGTH, DPS_EXPRESSION_LENGTH, true, true};

	for (;;)
	{
		Size		length = write_request(charge, buffer, &limits);

		if (length > 0)
			return length;
		limits.query /= 2;
		limits.expression /= 2;
		if (limits.expression >= 8)
			continue;
		if (!limits.columns)
			return 0;
		limits = (Limits) {DPS_QUERY_LENGTH, DPS_EXPRESSION_LENGTH, false, limits.contributions};
	}
}

/* ---- reading ---- */

/* Bytes that are read from the first to the last. */
typedef struct Reader
{
	char	   *bytes;
	Size		length;
	Size		position;
} Reader;

/* The next n elements of this size; NULL if there are not so many. */
static char *
take(Reader *reader, int64 n, Size size)
{
	char	   *taken = reader->bytes + reader->position;

	if (n < 0 || (uint64) n > (reader->length - reader->position) / size)
		return NULL;
	reader->position += n * size;
	return taken;
}

/* The next text, NULL if nothing ends it. */
static const char *
take_text(Reader *reader)
{
	const char *text = reader->bytes + reader->position;
	const char *end = memchr(text, '\0', reader->length - reader->position);

	if (end == NULL)
		return NULL;
	reader->position += end - text + 1;
	return text;
}

static bool
is_ended(const char *name, Size size)
{
	return memchr(name, '\0', size) != NULL;
}

/* Is the byte one that a truth value can be? */
static bool
is_truth(const char *byte)
{
	return *byte == 0 || *byte == 1;
}

static bool
is_whole_item(const char *item)
{
	return is_truth(item + offsetof(DpsChargeItem, needs_budget)) &&
		is_ended(item + offsetof(DpsChargeItem, mechanism), sizeof(((DpsChargeItem *) NULL)->mechanism)) &&
		is_ended(item + offsetof(DpsChargeItem, adjacency), sizeof(((DpsChargeItem *) NULL)->adjacency));
}

static bool
take_header(Reader *reader, DpsCharge *charge)
{
	RequestHeader header;
	const char *bytes = take(reader, 1, MAXALIGN(sizeof(header)));

	if (bytes == NULL || !is_truth(bytes + offsetof(RequestHeader, settles)) || !is_truth(bytes + offsetof(RequestHeader, is_watched)))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if ((int) header.kind < DPS_REQUEST_CHARGE || (int) header.kind >= DPS_REQUEST_KINDS)
		return false;
	charge->role = header.role;
	charge->nitems = header.nitems;
	charge->oldest_change = header.oldest_change;
	charge->settles = header.settles;
	charge->is_watched = header.is_watched;
	charge->kind = header.kind;
	charge->catalogs = header.catalogs;
	return true;
}

static bool
take_columns(Reader *reader, DpsChargeItem *item)
{
	char	   *columns = take(reader, item->ncolumns, sizeof(DpsColumnMoves));
	int			i;

	if (columns == NULL)
		return false;
	item->columns = (DpsColumnMoves *) columns;
	for (i = 0; i < item->ncolumns; i++)
	{
		if (!is_ended(NameStr(item->columns[i].column), NAMEDATALEN))
			return false;
	}
	return true;
}

static bool
take_items(Reader *reader, DpsCharge *charge)
{
	char	   *items = take(reader, charge->nitems, sizeof(DpsChargeItem));
	int			i;

	if (items == NULL)
		return false;
	for (i = 0; i < charge->nitems; i++)
	{
		if (!is_whole_item(items + i * sizeof(DpsChargeItem)))
			return false;
	}
	charge->items = (DpsChargeItem *) items;
	for (i = 0; i < charge->nitems; i++)
	{
		DpsChargeItem *item = &charge->items[i];

		if ((int) item->replacement < DPS_REPLACEMENT_UNBOUNDED || (int) item->replacement > DPS_REPLACEMENT_TWO ||
			item->ncoordinates < 0 || item->ncoordinates > DPS_CHARGE_COORDINATES || !take_columns(reader, item))
			return false;
	}
	return true;
}

static bool
take_texts(Reader *reader, DpsCharge *charge)
{
	int			i;

	charge->query = take_text(reader);
	if (charge->query == NULL)
		return false;
	for (i = 0; i < charge->nitems; i++)
	{
		DpsChargeItem *item = &charge->items[i];

		item->expression = take_text(reader);
		item->contribution = item->expression != NULL ? take_text(reader) : NULL;
		if (item->contribution == NULL)
			return false;
		if (*item->contribution == '\0')
			item->contribution = NULL;
	}
	return true;
}

DpsCharge *
dps_request_read(const char *buffer, Size length)
{
	DpsCharge  *charge = palloc0(sizeof(DpsCharge));
	Reader		reader = {.length = length};

	if (length == 0 || length > DPS_REQUEST_SIZE)
		return NULL;
	reader.bytes = palloc(length);
	memcpy(reader.bytes, buffer, length);
	if (!take_header(&reader, charge) || !take_items(&reader, charge) || !take_texts(&reader, charge) ||
		reader.position != length)
		return NULL;
	return charge;
}
