/*
 * message.h
 *		Messages between sessions and clean rooms: a sequence of numbers and texts as
 *		they are in memory.
 */
#ifndef DPS_ROOM_MESSAGE_H
#define DPS_ROOM_MESSAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Append to the message; NULL is written as an empty text. */
extern void dps_put_bytes(StringInfo message, const void *bytes, int length);
extern void dps_put_text(StringInfo message, const char *text);

/* Read at the message's cursor and advance it; raise an error if too few bytes are
 * left.  A text is not copied. */
extern void dps_get_bytes(StringInfo message, void *bytes, int length);
extern const char *dps_get_text(StringInfo message);

#define dps_put(message, value) dps_put_bytes(message, &(value), sizeof(value))
#define dps_get(message, place) dps_get_bytes(message, place, sizeof(*(place)))

#endif							/* DPS_ROOM_MESSAGE_H */
