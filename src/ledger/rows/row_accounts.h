/*
 * row_accounts.h
 *		Row accounting: caps for what each unit may lose.
 *
 * While it is on, triggers freeze what a unit has lost before its row changes,
 * and releases leave out units whose loss would pass the cap.  Caps are public.
 */
#ifndef DPS_LEDGER_ROW_ACCOUNTS_H
#define DPS_LEDGER_ROW_ACCOUNTS_H

#include "postgres.h"

#include "account/amount.h"

/* One of them is a cap, the other DPS_AMOUNT_UNBOUNDED. */
typedef struct DpsRowCaps
{
	DpsAmount	epsilon;
	DpsAmount	rho;
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
 * Is row accounting on for the relation, as it is committed now?  Raises an
 * error if it is but cannot work: a trigger is missing, the unit is another
 * one, the relation has children.
 */
extern bool dps_row_caps(Oid relation, DpsRowCaps *caps);

/* Raises an error unless row accounting can be stated so for the relation. */
extern void dps_check_rows(Oid relation, const DpsStatedRows *stated);

/* Switches it on, or off if neither cap is stated.  Inside SPI, for the owner
 * of the relation; names identify it as everywhere in the ledger. */
extern void dps_set_rows(Oid relation, const NameData *schema, const NameData *name, const NameData *owner,
						 const DpsStatedRows *stated);

/* Is it on, whether or not it can work?  Inside SPI. */
extern bool dps_has_row_caps(Oid relation);

#endif							/* DPS_LEDGER_ROW_ACCOUNTS_H */
