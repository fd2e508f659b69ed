/*
 * terms.h
 *		Sums as lists of their terms.
 */
#ifndef DPS_BOUND_TERMS_H
#define DPS_BOUND_TERMS_H

#include "expr/expr.h"

#define DPS_MAX_TERMS 40

typedef struct DpsTermList
{
	int			n;
	const DpsNode *node[DPS_MAX_TERMS]; /* double precision */
	bool		negated[DPS_MAX_TERMS];
} DpsTermList;

/* The node below casts that do not change values. */
extern const DpsNode *dps_uncast(const DpsNode *node);

/* Is the node itself a sum, a difference or a negative, of integers, numeric or double
 * precision? */
extern bool dps_adds(const DpsNode *node);

/* Is it a sum, a difference or a negative, or a multiple of one, of double precision or
 * cast to it? */
extern bool dps_is_sum(const DpsNode *node);

/* The terms of a sum, of sums within it and their multiples as well; what one column alone
 * adds is one term.  False if there are too many, or memory ran out. */
extern bool dps_collect_terms(DpsGraph *graph, DpsTermList *terms, const DpsNode *sum);

/* sum + term, or sum - term; NULL if memory ran out. */
extern const DpsNode *dps_add_term(DpsGraph *graph, const DpsNode *sum, const DpsNode *term, bool negated);

#endif							/* DPS_BOUND_TERMS_H */
