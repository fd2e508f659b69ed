/*
 * rewriter.h
 *		Other forms of an expression that are the same function on a box.
 */
#ifndef DPS_BOUND_REWRITER_H
#define DPS_BOUND_REWRITER_H

#include "expr/enclose.h"

/* Begins a structure with what the rules of one rewriting share; all but the graph and the two
 * functions is filled in by dps_rewrite. */
typedef struct DpsRewriter
{
	DpsGraph   *graph;
	bool		(*applies) (const struct DpsRewriter *r);	/* is it worth while?  NULL: yes */
	const DpsNode *(*rule) (struct DpsRewriter *r, const DpsNode *node);	/* another form, or NULL: see to
																		 * its arguments */
	DpsArena   *scratch;
	const DpsProgram *program;	/* of the node */
	const DpsEnclosure *enclosure;	/* of its instructions, on the box */
	const DpsNode **memo;		/* by node id, up to the last */
	uint32_t	last;
} DpsRewriter;

/* The node by the rule, applied from the outside inward; the node itself where it does not apply. */
extern DPS_MUST_USE DpsStatus dps_rewrite(DpsRewriter *r, const DpsNode *node, const DpsDomain *box, const DpsNode **result);

/* The same for a part, within a rule. */
extern const DpsNode *dps_rewrite_part(DpsRewriter *r, const DpsNode *node);

/* The enclosure of a node of the expression; NULL of others. */
extern const DpsEnclosure *dps_rewriter_enclosure(const DpsRewriter *r, const DpsNode *node);

/* Is it defined, above 0 and finite, on the whole box, wherever it is not NULL? */
extern bool dps_rewriter_is_positive(const DpsRewriter *r, const DpsNode *node);

#endif							/* DPS_BOUND_REWRITER_H */
