/*
 * linked_operators.h
 *		What an operator can be exchanged for while a statement is planned.
 */
#ifndef DPS_GLUE_IMPORT_LINKED_OPERATORS_H
#define DPS_GLUE_IMPORT_LINKED_OPERATORS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * The first operator of the node that a user has made over a function of the server, or for which the planner can put one
 * that a user has made: its negator or commutator, or one of these of these.  InvalidOid if there is none, or the node has no
 * operator.  Of an operator over a user's function the function tells, wherever functions are looked at.
 */
extern Oid	dps_foreign_operator(Node *node);

/* Has the node an operator that is not the server's, over whatever function? */
extern bool dps_has_made_operator(Node *node);

/* Raises an error if there is one in the expression, or query, or a query below it. */
extern void dps_refuse_foreign_operators(Node *tree, const char *text);

#endif							/* DPS_GLUE_IMPORT_LINKED_OPERATORS_H */
