/*
 * message.c
 *		Messages between sessions and clean rooms.
 */
#include "postgres.h"

#include "room/message.h"

void
dps_put_bytes(StringInfo message, const void *bytes, int length)
{
	appendBinaryStringInfo(message, bytes, length);
}

void
dps_put_text(StringInfo message, const char *text)
{
	if (text != NULL)
		appendStringInfoString(message, text);
	appendStringInfoChar(message, '\0');
}

static void
require(const StringInfoData *message, size_t length)
{
	if (length > (size_t) (message->len - message->cursor))
		elog(ERROR, "a message of a clean room is too short");
}

void
dps_get_bytes(StringInfo message, void *bytes, int length)
{
	require(message, length);
	memcpy(bytes, message->data + message->cursor, length);
	message->cursor += length;
}

const char *
dps_get_text(StringInfo message)
{
	const char *text = message->data + message->cursor;
	size_t		length = strnlen(text, message->len - message->cursor);

	require(message, length + 1);
	message->cursor += length + 1;
	return text;
}
