/*
 * origin.h
 *		Whether the ledger belongs to this database.
 *
 * A copy of a database has a copy of what was spent so far.  If both answered, each budget would be spent
 * twice.  So a ledger belongs to a cluster, a database in it, and a timeline of its log.  Elsewhere the
 * ledger has to be acknowledged.  A copy of the files that is started without recovery looks like the
 * original; this cannot be detected.
 */
#ifndef DPS_LEDGER_ORIGIN_H
#define DPS_LEDGER_ORIGIN_H

#include "postgres.h"

/*
 * Does the ledger belong to this database?  An empty ledger becomes this database's.  Inside SPI, in the
 * worker, or in a function that may write the ledger.
 */
extern bool dps_origin_is_here(void);

/* Does the ledger belong to this database, by what is recorded?  Inside SPI; changes nothing. */
extern bool dps_origin_is_known_here(void);

/* The same as dps_origin_is_here, as an error if it does not. */
extern void dps_origin_require(void);

/* Makes the ledger this database's.  Inside SPI. */
extern void dps_origin_set(void);

/* Deletes the recorded origin, so that the ledger has to be acknowledged.  Inside SPI. */
extern void dps_origin_forget(void);

#endif							/* DPS_LEDGER_ORIGIN_H */
