/*
 * share.h
 *		Shares of a sum, with the numerator once; and powers of one base, joined.
 */
#ifndef DPS_BOUND_RELAX_SHARE_H
#define DPS_BOUND_RELAX_SHARE_H

#include "expr/program.h"

/*
 * The node with its shares a / (a + b) written as 1 / (1 + b / a), where a is positive
 * on the box: c^h / (e^h + c^h) is 1 / (1 + (e / c)^h), which depends on e and c through
 * their quotient alone.  The same real function on the box; its arithmetic may overflow
 * where the node's does not.  The node itself if there is no such share.
 */
extern DPS_MUST_USE DpsStatus dps_shares(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsNode **result);

/* The node with powers joined as in joined_powers.c: the same real function on the box, whose
 * arithmetic may overflow where the node's does not.  The node itself if there are none. */
extern DPS_MUST_USE DpsStatus dps_join_powers(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsNode **result);

#endif							/* DPS_BOUND_RELAX_SHARE_H */
