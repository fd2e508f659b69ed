/*
 * row_accounts.h
 *		Row accounting: caps on the loss of each unit.
 *
 * While it is on, triggers record what a unit has lost before its row changes, and releases leave out
 * units whose loss would exceed the cap.  Caps are public.
 */
#ifndef DPS_LEDGER_ROWS_ROW_ACCOUNTS_H
#define DPS_LEDGER_ROWS_ROW_ACCOUNTS_H

#include "postgres.h"

#include "account/amount.h"

/* One of epsilon and rho is a cap, the other DPS_AMOUNT_UNBOUNDED. */
typedef struct DpsRowCaps
{
	DpsAmount	epsilon;
	DpsAmount	rho;
	double		susceptibility; /* of the sum of the norms of PLIS; Infinity: none */
} DpsRowCaps;

/* Row caps as they are stated. */
typedef struct DpsStatedRows
{
	bool		has_epsilon;
	bool		has_rho;
	double		epsilon;
	double		rho;
} DpsStatedRows;

/*
 * Is row accounting on for the relation, as committed now?  An error if it is on but cannot work: a
 * trigger is missing, the unit's columns have changed, or the relation has parents or children or is unlogged.
 */
extern bool dps_row_caps(Oid relation, DpsRowCaps *caps);

/*
 * Raises an error if this transaction has written to the relation, whose rows have accounts: what it has written may never
 * come to be, and then nothing says what was answered of it.
 */
extern void dps_refuse_uncommitted_rows(Oid relation);

/* Raises an error unless row accounting with these caps is possible for the relation. */
extern void dps_check_rows(Oid relation, const DpsStatedRows *stated);

/* Switches row accounting on, or off if no cap is stated.  Inside SPI, for the owner of the relation; the
 * names identify the relation as everywhere in the ledger. */
extern void dps_set_rows(Oid relation, const NameData *schema, const NameData *name, const NameData *owner,
						 const DpsStatedRows *stated);

/* Caps the susceptibility of the rows; Infinity removes the cap.  For the owner of the relation.  An error if
 * row accounting is off, or the adjacency is not add_remove. */
extern void dps_set_susceptibility_cap(Oid relation, double cap);

/* Is row accounting on, whether or not it can work?  Inside SPI. */
extern bool dps_has_row_caps(Oid relation);

#endif							/* DPS_LEDGER_ROWS_ROW_ACCOUNTS_H */
