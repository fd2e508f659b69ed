/*
 * link.h
 *		A connection of this process to its primary.
 *
 * It is made at first use, kept until the process ends, and made anew after a failure or when the settings
 * that it was made by have changed.  Waiting for it ends with a cancel or the end of the process, and at the
 * deadline.  What fails is written to the server's log; who asks learns only that it did, since libpq's
 * messages name hosts and roles.  Only looking up the name of a host cannot be interrupted.
 */
#ifndef DPS_LEDGER_PRIMARY_LINK_H
#define DPS_LEDGER_PRIMARY_LINK_H

#include "postgres.h"

#include "utils/timestamp.h"

#define DPS_LINK_PARAMETERS 6

/* A statement with parameters in text, but for the last one, which is binary. */
typedef struct DpsLinkQuestion
{
	const char *text;
	const char *values[DPS_LINK_PARAMETERS];
	int			last_length;	/* of the last parameter */
} DpsLinkQuestion;

/* Is it known which server is asked? */
extern bool dps_link_is_configured(void);

/* Has the primary run the statement, which must return one row of n columns.  Returns them as texts, NULL for
 * a null, in CurrentMemoryContext.  The statement is sent once or not at all: an error says which. */
extern char **dps_link_ask(const DpsLinkQuestion *question, int n, TimestampTz deadline);

#endif							/* DPS_LEDGER_PRIMARY_LINK_H */
