/*
 * column_move.h
 *		How far one column moves an expression.
 */
#ifndef DPS_BOUND_QUANTITY_COLUMN_MOVE_H
#define DPS_BOUND_QUANTITY_COLUMN_MOVE_H

#include "expr/expr.h"

/* f less f with the variable replaced, simplified as in column_move.c; NULL if
 * memory ran out. */
extern const DpsNode *dps_column_move(DpsGraph *graph, const DpsNode *f, int variable, const DpsNode *other);

#endif							/* DPS_BOUND_QUANTITY_COLUMN_MOVE_H */
