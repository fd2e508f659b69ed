/*
 * role_label.h
 *		The label ANALYST of a role: it has, or had, a budget in some database.
 *
 * Counters that are the whole server's tell of one database in all others, where
 * budgets cannot be read.  Labels of roles are in a shared catalog.  Granting a
 * budget sets one, in the same transaction.  Revoking leaves it, since other
 * databases may have granted, too; DROP ROLE removes it, or a superuser.
 */
#ifndef DPS_GLUE_LABEL_ROLE_LABEL_H
#define DPS_GLUE_LABEL_ROLE_LABEL_H

#include "postgres.h"

#define DPS_ROLE_LABEL "ANALYST"

/* Raises an error unless the present role may give, or with NULL take, a role
 * this label. */
extern void dps_check_role_label(const char *text);

/* Gives the role the label if it has none.  Locks the role until the transaction
 * ends if so; an error if it is no more. */
extern void dps_mark_role(Oid role);

/* Has the role the label, or is it a member of one that has?  As committed now. */
extern bool dps_is_marked_role(Oid role);

#endif							/* DPS_GLUE_LABEL_ROLE_LABEL_H */
