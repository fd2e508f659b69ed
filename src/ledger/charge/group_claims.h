/*
 * group_claims.h
 *		Refusals where a charge is not for all units that are protected together.
 */
#ifndef DPS_LEDGER_CHARGE_GROUP_CLAIMS_H
#define DPS_LEDGER_CHARGE_GROUP_CLAIMS_H

#include "postgres.h"

#include "ledger/charge/accounts.h"
#include "ledger/charge/entity_claims.h"

/* Is an item of the charge, or the history that its relation or one of its entities has, for smaller groups than are declared?
 * Then sets the answer.  The accounts of all items are there. */
extern bool dps_groups_refuse(const DpsCharge *charge, DpsFindAccount find, void *context, DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_GROUP_CLAIMS_H */
