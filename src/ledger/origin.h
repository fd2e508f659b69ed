/*
 * origin.h
 *		Whether this database is the one whose spending its ledger records.
 *
 * A copy of a database has a copy of what was spent so far; if both answered,
 * each budget would be spent twice.  So a ledger belongs to a cluster, a
 * database in it, and a timeline of its log, and has to be acknowledged
 * elsewhere.  A copy of the files that is started without recovery looks like
 * the original: that cannot be seen from inside.
 */
#ifndef DPS_LEDGER_ORIGIN_H
#define DPS_LEDGER_ORIGIN_H

#include "postgres.h"

/*
 * Is the ledger charged here?  One in which nothing stands yet becomes this
 * database's.  Inside SPI, in the worker, or in a function that may write the
 * ledger.
 */
extern bool dps_origin_is_here(void);

/* Is it charged here, by what is recorded?  Inside SPI; changes nothing. */
extern bool dps_origin_is_known_here(void);

/* Makes it this database's, whatever it was; inside SPI. */
extern void dps_origin_set(void);

/* Forgets whose it is, so that it has to be acknowledged; inside SPI. */
extern void dps_origin_forget(void);

#endif							/* DPS_LEDGER_ORIGIN_H */
