/*
 * unit.h
 *		The text by which the ledger identifies a privacy unit.
 */
#ifndef DPS_LEDGER_ROWS_UNIT_H
#define DPS_LEDGER_ROWS_UNIT_H

#include "postgres.h"

#include "executor/tuptable.h"

typedef struct DpsAccountKey DpsAccountKey;

/*
 * The declared unit's column, or else the primary key, in CurrentMemoryContext; NULL if the relation has
 * neither.
 */
extern DpsAccountKey *dps_unit_key(Oid relation);

/*
 * Have equal keys one text, whatever the session's settings are?  If they had several, a frozen loss might
 * not be found again.
 */
extern bool dps_unit_key_is_stable(const DpsAccountKey *key);

/* The names and types of the key's columns, palloc'd, for comparison. */
extern char *dps_unit_key_signature(Oid relation, const DpsAccountKey *key);

/* The same with the columns' numbers: another column that takes the name of one is told from it. */
extern char *dps_unit_key_columns(Oid relation, const DpsAccountKey *key);

/* Has the row no unit? */
extern bool dps_unit_is_null(const DpsAccountKey *key, TupleTableSlot *slot);

/* The text of a row's unit, palloc'd: the text of its key.  Several columns are separated by commas, with
 * commas and backslashes in them escaped.  A long text is its beginning and a digest, so that an index of the
 * ledger has room for it whatever keys the table has. */
extern char *dps_unit_text(DpsAccountKey *key, TupleTableSlot *slot);

#endif							/* DPS_LEDGER_ROWS_UNIT_H */
