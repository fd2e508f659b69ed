/*
 * role_label.h
 *		The label ANALYST of a role: it has, or had, a budget in some database.
 *
 * Server-wide counters reveal the activity of one database in all others, where its
 * budgets cannot be read.  Labels of roles are in a shared catalog.  Granting a budget
 * sets the label, in the same transaction.  Revoking keeps it, since other databases may
 * have granted a budget, too; DROP ROLE or a superuser removes it.
 */
#ifndef DPS_GLUE_LABEL_ROLE_LABEL_H
#define DPS_GLUE_LABEL_ROLE_LABEL_H

#include "postgres.h"

#define DPS_ROLE_LABEL "ANALYST"

/* Raises an error unless the text is this label, or NULL, which removes it, and the
 * current user may change labels of roles. */
extern void dps_check_role_label(const char *text);

/* Sets the label of a role that has none, and locks the role until the transaction ends;
 * raises an error if the role does not exist any more. */
extern void dps_mark_role(Oid role);

/* Does the role, or a role that it is a member of, have the label, as committed now? */
extern bool dps_is_marked_role(Oid role);

/* Gives the role its label on all other nodes of Citus on which it exists; an error if one cannot be asked.
 * On the coordinator (role_nodes.c). */
extern void dps_mark_role_on_nodes(Oid role);

#endif							/* DPS_GLUE_LABEL_ROLE_LABEL_H */
