/*
 * unit.h
 *		How the ledger names a privacy unit.
 */
#ifndef DPS_LEDGER_UNIT_H
#define DPS_LEDGER_UNIT_H

#include "postgres.h"

#include "executor/tuptable.h"

typedef struct DpsAccountKey DpsAccountKey;

/*
 * The column that is declared as the unit, else the primary key, in
 * CurrentMemoryContext; NULL if the relation has neither.
 */
extern DpsAccountKey *dps_unit_key(Oid relation);

/*
 * Is the same unit always written the same way, whatever the session's
 * settings?  If not, what was frozen might not be found again.
 */
extern bool dps_unit_key_is_stable(const DpsAccountKey *key);

/* The key's columns by name and type, palloc'd, to be compared. */
extern char *dps_unit_key_signature(Oid relation, const DpsAccountKey *key);

/* The unit of a row, palloc'd: its key's text; several columns are separated
 * by commas, with commas and backslashes in them escaped. */
extern char *dps_unit_text(DpsAccountKey *key, TupleTableSlot *slot);

#endif							/* DPS_LEDGER_UNIT_H */
