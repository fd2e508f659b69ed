/*
 * role_nodes.h
 *		Labels of roles on the other nodes of a cluster of Citus.
 */
#ifndef DPS_GLUE_LABEL_ROLE_NODES_H
#define DPS_GLUE_LABEL_ROLE_NODES_H

#include "postgres.h"

/* Gives the role its label on all other nodes on which it exists; an error if a node cannot be asked.  On the
 * coordinator. */
extern void dps_mark_role_on_nodes(Oid role);

#endif							/* DPS_GLUE_LABEL_ROLE_NODES_H */
