/*
 * authority.h
 *		Whose budget lets a role ask.
 */
#ifndef DPS_LEDGER_AUTHORITY_H
#define DPS_LEDGER_AUTHORITY_H

#include "postgres.h"

/*
 * Has the role a budget on the relation, of its own or of a role that it is a
 * member of?  As committed now, whatever the transaction's snapshot.  The
 * ledger decides again when it charges.
 */
extern bool dps_has_budget(Oid relation, Oid role);

#endif							/* DPS_LEDGER_AUTHORITY_H */
