/*
 * rewriter.c
 *		Other forms of an expression that are the same function on a box.
 *
 * A node is rewritten once, however often it occurs.  The arena of the graph holds the result, one of its own
 * what is known meanwhile; steps of that bound the work, beyond which nodes stay as they are.
 */
#include <math.h>

#include "bound/rewriter.h"

const DpsEnclosure *
dps_rewriter_enclosure(const DpsRewriter *r, const DpsNode *node)
{
	uint32_t	i;

	for (i = 0; i < r->program->ninstructions; i++)
		if (r->program->code[i].node == node->id)
			return &r->enclosure[i];
	return NULL;
}

bool
dps_rewriter_is_positive(const DpsRewriter *r, const DpsNode *node)
{
	const DpsEnclosure *found = dps_rewriter_enclosure(r, node);

	return found != NULL && found->defined == DPS_DEFINED && found->value.lo > 0 && isfinite(found->value.hi);
}

static const DpsNode *
rewrite_arguments(DpsRewriter *r, const DpsNode *node)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			i;

	for (i = 0; i < node->nargs; i++)
		arg[i] = dps_rewrite_part(r, node->arg[i]);
	if (arg[0] == node->arg[0] && arg[1] == node->arg[1] && arg[2] == node->arg[2])
		return node;
	return node->op == DPS_OP_CASE ? dps_choose(r->graph, arg[0], arg[1], arg[2]) :
		dps_apply(r->graph, node->op, node->type, arg[0], arg[1]);
}

const DpsNode *
dps_rewrite_part(DpsRewriter *r, const DpsNode *node)
{
	const DpsNode **memo;

	/* what a rule has made stays as it is */
	if (node->id > r->last)
		return node;
	memo = &r->memo[node->id];
	if (*memo != NULL || node->nargs == 0 || !dps_arena_step(r->scratch))
		return *memo != NULL ? *memo : node;
	*memo = r->rule(r, node);
	if (*memo == NULL)
		*memo = rewrite_arguments(r, node);
	return *memo;
}

static DpsStatus
rewrite(DpsRewriter *r, const DpsNode *node, const DpsDomain *box, const DpsNode **result)
{
	DpsEnclosure *enclosure;

	DPS_TRY(dps_compile(r->graph, &node, 1, &r->program));
	if (r->applies != NULL && !r->applies(r))
		return DPS_OK;
	enclosure = dps_arena_alloc(r->scratch, sizeof(DpsEnclosure) * r->program->ninstructions);
	r->last = node->id;
	r->memo = dps_arena_alloc(r->scratch, sizeof(DpsNode *) * (r->last + 1));
	if (enclosure == NULL || r->memo == NULL)
		return DPS_NOMEM;
	dps_enclose(r->program, box, enclosure);
	r->enclosure = enclosure;
	*result = dps_rewrite_part(r, node);
	return *result == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_rewrite(DpsRewriter *r, const DpsNode *node, const DpsDomain *box, const DpsNode **result)
{
	DpsStatus	status;

	*result = node;
	DPS_TRY(dps_arena_init(&r->scratch, dps_arena_host(r->graph->arena)));
	status = rewrite(r, node, box, result);
	status = dps_arena_status(r->graph->arena, dps_arena_status(r->scratch, status));
	dps_arena_clear(r->scratch);
	return status;
}
