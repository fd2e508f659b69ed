/*
 * default_epsilon.h
 *		What an answer is asked with that nobody has named an epsilon for.
 */
#ifndef DPS_LEDGER_BUDGET_DEFAULT_EPSILON_H
#define DPS_LEDGER_BUDGET_DEFAULT_EPSILON_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * The epsilon that policies (dpsens.set_policy, dpsens.set_entity_policy) say the role asks about these relations with, a
 * list of OIDs, if it names none; 0 if none of them says so.  As committed now.  To be called outside SPI; reads no
 * protected relation.
 */
extern double dps_default_epsilon(const List *relations, Oid role);

/*
 * What they say of the current role, as far as it is shown to it (dpsens.policies), about the relation, or, of_entity, about
 * persons of it as an entity; 0 for nothing.  For what is said of answers before they are asked for.
 */
extern double dps_shown_default_epsilon(Oid relation, bool of_entity);

#endif							/* DPS_LEDGER_BUDGET_DEFAULT_EPSILON_H */
