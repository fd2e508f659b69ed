/*
 * request.c
 *		A charge as the bytes that go through shared memory, and the answer.
 *
 * Both ends are the same build of the library, so structures are copied as
 * they are.  Layout: header, items, then the query and the expressions, each
 * with its zero byte.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "ledger/request.h"

typedef struct RequestHeader
{
	Oid			role;
	int32		nitems;
} RequestHeader;

/* A text of at most limit bytes at *position; false if it does not fit. */
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

/* With texts of at most these lengths; 0 if they do not fit. */
static Size
write_request(const DpsCharge *charge, char *buffer, Size query_limit, Size expression_limit)
{
	RequestHeader header = {charge->role, charge->nitems};
	Size		items_size = mul_size(charge->nitems, sizeof(DpsChargeItem));
	Size		position = MAXALIGN(sizeof(header));
	int			i;

	if (items_size > DPS_REQUEST_SIZE - position)
		return 0;
	memcpy(buffer, &header, sizeof(header));
	memcpy(buffer + position, charge->items, items_size);
	position += items_size;
	if (!write_text(charge->query, query_limit, buffer, &position))
		return 0;
	for (i = 0; i < charge->nitems; i++)
	{
		if (!write_text(charge->items[i].expression, expression_limit, buffer, &position))
			return 0;
	}
	return position;
}

Size
dps_request_write(const DpsCharge *charge, char *buffer)
{
	Size		query_limit = DPS_QUERY_LENGTH;
	Size		expression_limit = DPS_EXPRESSION_LENGTH;

	while (expression_limit >= 8)
	{
		Size		length = write_request(charge, buffer, query_limit, expression_limit);

		if (length > 0)
			return length;
		query_limit /= 2;
		expression_limit /= 2;
	}
	return 0;
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
	charge->items = (DpsChargeItem *) (copy + position);
	position += items_size;
	charge->query = copy + position;
	position += strlen(charge->query) + 1;
	for (i = 0; i < charge->nitems; i++)
	{
		charge->items[i].expression = copy + position;
		position += strlen(copy + position) + 1;
	}
	Assert(position == length);
	return charge;
}

void
dps_answer_refuse(DpsAnswer *answer, int sqlerrcode, const char *message,
				  const char *detail, const char *hint)
{
	memset(answer, 0, sizeof(DpsAnswer));
	answer->sqlerrcode = sqlerrcode;
	strlcpy(answer->message, message, DPS_ANSWER_TEXT);
	strlcpy(answer->detail, detail != NULL ? detail : "", DPS_ANSWER_TEXT);
	strlcpy(answer->hint, hint != NULL ? hint : "", DPS_ANSWER_TEXT);
}
