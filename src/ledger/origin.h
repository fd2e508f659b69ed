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
 * Is the ledger charged here?  A ledger without any spending becomes this
 * database's.  Inside SPI, in the worker.
 */
extern bool dps_origin_is_here(void);

/* Makes it this database's, whatever it was; inside SPI. */
extern void dps_origin_set(void);

/* Forgets whose it is, so that it has to be acknowledged; inside SPI. */
extern void dps_origin_forget(void);

#endif							/* DPS_LEDGER_ORIGIN_H */
