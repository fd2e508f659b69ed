/*
 * relabel.h
 *		Expressions without casts that do not change the representation.
 */
#ifndef DPS_GLUE_IMPORT_RELABEL_H
#define DPS_GLUE_IMPORT_RELABEL_H

#include "postgres.h"

#include "nodes/primnodes.h"

static inline Node *
dps_strip_relabel(const void *expression)
{
	Node	   *node = (Node *) expression;

	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

#endif							/* DPS_GLUE_IMPORT_RELABEL_H */
