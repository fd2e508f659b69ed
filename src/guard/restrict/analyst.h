/*
 * analyst.h
 *		Restricted analysts: roles that may ask but not look, with a budget on a
 *		protected relation, and no SELECT privilege.
 *
 * Such a role reads the relation through the one range-table entry that the
 * guard has proved to feed dp aggregates and nothing else; that entry is read
 * with the rights of the relation's owner.  Every other entry of the statement
 * is read with the role's own rights, so whatever else touches the relation
 * fails as if there were no extension.
 */
#ifndef DPS_GUARD_RESTRICT_ANALYST_H
#define DPS_GUARD_RESTRICT_ANALYST_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Must whoever asks (or, in a view, its owner) not look at the rows of this entry of the
 * query?  So it is without the privileges that the entry needs, and for a test also with
 * them. */
extern bool dps_is_restricted(Query *query, RangeTblEntry *entry);

/* Is it without them? */
extern bool dps_needs_budget(Query *query, RangeTblEntry *entry);

/* An error unless the role has a budget on the relation. */
extern void dps_check_served(Oid relation, Oid role);

/* Lets an entry of a query be read as its relation's owner. */
extern void dps_admit_entry(Query *query, RangeTblEntry *entry);

extern Oid	dps_relation_owner(Oid relation);

#endif							/* DPS_GUARD_RESTRICT_ANALYST_H */
