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

/*
 * Do the role's budgets let it use, beside the relation, tables that nobody has
 * declared to be public?  Its own budget decides; if it has none, any budget that
 * allows it.
 */
extern bool dps_may_use_own_tables(Oid relation, Oid role);

/*
 * Is there a relation that the role has a budget on and may not read as a whole, as
 * committed now?  dps_analyst_sees_less: one that the other role may read?
 */
extern bool dps_is_analyst(Oid role);
extern bool dps_analyst_sees_less(Oid role, Oid other);

#endif							/* DPS_LEDGER_AUTHORITY_H */
