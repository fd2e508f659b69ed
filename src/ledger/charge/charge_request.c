/*
 * charge_request.c
 *		A charge as bytes in shared memory, and the answer.
 *
 * Both ends run the same build of the library, so structures are copied as they are.  Layout: header,
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
	DpsRequestKind kind;
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
	RequestHeader header = {charge->role, charge->nitems, charge->oldest_change, charge->settles, charge->kind};
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

/* Returns the text at *position, and advances *position past it. */
static const char *
read_text(const char *buffer, Size *position)
{
	const char *text = buffer + *position;

	*position += strlen(text) + 1;
	return text;
}

DpsCharge *
dps_request_read(const char *buffer, Size length)
{
	DpsCharge  *charge = palloc(sizeof(DpsCharge));
	RequestHeader header;
	Size		position = MAXALIGN(sizeof(header));
	Size		items_size;
	char	   *copy = palloc(length);
	int			i;

	memcpy(copy, buffer, length);
	memcpy(&header, copy, sizeof(header));
	items_size = mul_size(header.nitems, sizeof(DpsChargeItem));
	charge->role = header.role;
	charge->nitems = header.nitems;
	charge->oldest_change = header.oldest_change;
	charge->settles = header.settles;
	charge->kind = header.kind;
	charge->items = (DpsChargeItem *) (copy + position);
	position += items_size;
	for (i = 0; i < charge->nitems; i++)
	{
		charge->items[i].columns = (DpsColumnMoves *) (copy + position);
		position += charge->items[i].ncolumns * sizeof(DpsColumnMoves);
	}
	charge->query = read_text(copy, &position);
	for (i = 0; i < charge->nitems; i++)
	{
		DpsChargeItem *item = &charge->items[i];

		item->expression = read_text(copy, &position);
		item->contribution = read_text(copy, &position);
		if (*item->contribution == '\0')
			item->contribution = NULL;
	}
	Assert(position == length);
	return charge;
}

void
dps_charge_answer_refuse(DpsChargeAnswer *answer, int sqlerrcode, const char *message,
				  const char *detail, const char *hint)
{
	memset(answer, 0, sizeof(DpsChargeAnswer));
	answer->sqlerrcode = sqlerrcode;
	strlcpy(answer->message, message, DPS_ANSWER_TEXT);
	strlcpy(answer->detail, detail != NULL ? detail : "", DPS_ANSWER_TEXT);
	strlcpy(answer->hint, hint != NULL ? hint : "", DPS_ANSWER_TEXT);
}

void
dps_charge_answer_stopped(DpsChargeAnswer *answer)
{
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					  "the privacy ledger was stopped",
					  "The request may have been charged nevertheless.", "Try again.");
}
