/*
 * relabel.h
 *		Expressions below changes of type that change nothing else.
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
