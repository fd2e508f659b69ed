/*
 * frozen.h
 *		What units lost before their rows were changed or removed.
 */
#ifndef DPS_LEDGER_ROWS_FROZEN_H
#define DPS_LEDGER_ROWS_FROZEN_H

#include "postgres.h"

#include "ledger/rows/row_history.h"

/* One unit. */
typedef struct DpsFrozenUnit
{
	char	   *unit;
	DpsFrozenLoss loss;
	bool		seen;			/* for use by the caller */
} DpsFrozenUnit;

typedef struct DpsFrozenUnits
{
	int			n;
	DpsFrozenUnit *units;		/* in the order of strcmp */
} DpsFrozenUnits;

/* All units of a relation, as they are committed now, in
 * CurrentMemoryContext. */
extern DpsFrozenUnits *dps_frozen_load(Oid relation);

/* NULL if nothing is known of the unit. */
extern DpsFrozenUnit *dps_frozen_find(const DpsFrozenUnits *units, const char *unit);

/* ---- inside SPI, as the owner of the ledger's tables ---- */

/* One unit, as this transaction sees it; false if nothing is known of it. */
extern bool dps_frozen_read(Oid relation, const char *unit, DpsFrozenLoss *loss);

/*
 * Holds what is written of the unit until the transaction ends, so that no other one changes its rows meanwhile that
 * have this written, too, and reads it as it is then; false if nothing was known of it.  dps_frozen_write follows.
 */
extern bool dps_frozen_claim(Oid relation, const char *unit, uint64 transaction, DpsFrozenLoss *loss);

/* Writes the loss of one unit, and replaces an existing one.  An error if the relation has no row
 * accounts. */
extern void dps_frozen_write(Oid relation, const char *unit, const DpsFrozenLoss *loss);

#endif							/* DPS_LEDGER_ROWS_FROZEN_H */
