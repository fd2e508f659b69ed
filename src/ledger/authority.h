/*
 * authority.h
 *		Whether a budget lets a role ask.
 */
#ifndef DPS_LEDGER_AUTHORITY_H
#define DPS_LEDGER_AUTHORITY_H

#include "postgres.h"

/*
 * Has the role a budget on the relation, of its own or of a role that it is a
 * member of, or one of an entity of the relation's that opens it (ledger/entity.h)?  As
 * committed now, whatever the transaction's snapshot.  The ledger decides again when it
 * charges.
 */
extern bool dps_has_budget(Oid relation, Oid role);

/*
 * Do the role's budgets allow it to use, in addition to the relation, tables that are not declared
 * public?  Its own budget on the relation decides; if it has none, any on it that allows it; if there is none,
 * those of entities, by the same rule.
 */
extern bool dps_may_use_own_tables(Oid relation, Oid role);

/*
 * dps_is_analyst: is there a relation, as committed now, on which the role has a budget and which it may
 * not read as a whole?  dps_analyst_sees_less: is there such a relation of which the other role sees more (dps_sees_more)?
 */
extern bool dps_is_analyst(Oid role);
extern bool dps_analyst_sees_less(Oid role, Oid other);

/* The numbers of the relation's columns that have a budget of their own, as an integer list, as committed
 * now.  None while somebody has locked the table of budgets: then their changes cost what replaced rows
 * cost. */
extern List *dps_columns_with_budget(Oid relation);

/* Has the relation the budget of an entity, as committed now?  False while somebody has locked the table of budgets: for
 * what is said of a query, the ledger finds out by itself. */
extern bool dps_has_entity_budget(Oid relation);

/* The same of a budget that is for all roles together. */
extern bool dps_has_entity_budget_of_all(Oid relation);

/* May the other role read a part of the relation, or of what shows rows of it, that the role may not, who may not read all of
 * the relation (sees_more.c)? */
extern bool dps_sees_more(Oid relation, Oid role, Oid other);

#endif							/* DPS_LEDGER_AUTHORITY_H */
