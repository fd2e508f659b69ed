/*
 * analyst.h
 *		Restricted analysts: roles that may ask but not read rows, with a budget on a
 *		protected relation and no SELECT privilege.
 *
 * Such a role reads the relation only through the range-table entry that the guard has proved to be used by
 * dp aggregates alone; that entry is read with the privileges of the relation's owner.  Every other entry
 * of the statement is read with the role's own privileges, so any other access to the relation fails as
 * without the extension.
 */
#ifndef DPS_GUARD_RESTRICT_ANALYST_H
#define DPS_GUARD_RESTRICT_ANALYST_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Must the rows of this entry be hidden from the role that reads it, which is the role that asks or the
 * owner of a view?  True if the role lacks the privileges that the entry needs, and, for tests, always
 * under debug_restricted. */
extern bool dps_is_restricted(Query *query, RangeTblEntry *entry);

/* Does that role lack the privileges that the entry needs? */
extern bool dps_needs_budget(Query *query, RangeTblEntry *entry);

/* Raises an error unless the role has a budget on the relation. */
extern void dps_check_served(Oid relation, Oid role);

/* Makes an entry of a query be read with the privileges of its relation's owner. */
extern void dps_admit_entry(Query *query, RangeTblEntry *entry);

#endif							/* DPS_GUARD_RESTRICT_ANALYST_H */
