/*
 * normalise.h
 *		A statement's text as the history records it.
 */
#ifndef DPS_GUARD_QUERY_NORMALISE_H
#define DPS_GUARD_QUERY_NORMALISE_H

#include "postgres.h"

/*
 * The text without comments, with single blanks for white space, and without a semicolon at the end.
 * Quoted parts are unchanged.  Constants stay, since they are public.  Accepts any text; palloc'd.
 */
extern char *dps_normalise_statement(const char *text, Size length);

/* The same of one statement in a message of several, NULL for none: where it begins and how long it is, as the parser
 * says, 0 for not known. */
extern char *dps_statement_text(const char *message, int location, int length);

#endif							/* DPS_GUARD_QUERY_NORMALISE_H */
