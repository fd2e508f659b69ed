/*
 * message.h
 *		What is sent to clean rooms and back: numbers and texts, one after the other, as
 *		they are in memory.
 */
#ifndef DPS_ROOM_MESSAGE_H
#define DPS_ROOM_MESSAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Writes at the end; NULL is written as an empty text. */
extern void dps_put_bytes(StringInfo message, const void *bytes, int length);
extern void dps_put_text(StringInfo message, const char *text);

/* Read on from the cursor; an error if there is not as much.  A text stays where it is. */
extern void dps_get_bytes(StringInfo message, void *bytes, int length);
extern const char *dps_get_text(StringInfo message);

#define dps_put(message, value) dps_put_bytes(message, &(value), sizeof(value))
#define dps_get(message, place) dps_get_bytes(message, place, sizeof(*(place)))

#endif							/* DPS_ROOM_MESSAGE_H */
