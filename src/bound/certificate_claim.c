/*
 * certificate_claim.c
 *		What is claimed of an expression, as expressions to be bounded from
 *		above.
 */
#include <string.h>

#include "bound/certificate_score.h"
#include "bound/search.h"

static inline bool
has_bit(uint64_t mask, int k)
{
	return (mask & (UINT64_C(1) << k)) != 0;
}

static const DpsNode *
negate(DpsGraph *graph, const DpsNode *node)
{
	return dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, node, NULL);
}

static DpsStatus
claim_slope(DpsGraph *graph, const DpsNode *f, int variable, DpsClaim *claim)
{
	const DpsNode *gradient[DPS_CLAIM_DIMENSIONS];

	DPS_TRY(dps_gradient(graph, f, gradient));
	claim->node = gradient[variable];
	if (claim->kind == DPS_CLAIM_NEGATED_SLOPE)
		claim->node = negate(graph, claim->node);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

/* The sum of the squares, or the magnitude of the only entry, which does not
 * overflow where its square would. */
static DpsStatus
claim_steepness(DpsGraph *graph, const DpsNode *f, const DpsPolicy *policy, DpsClaim *claim)
{
	const DpsNode *gradient[DPS_CLAIM_DIMENSIONS];
	const DpsNode *entries[DPS_CLAIM_DIMENSIONS];
	const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0);
	int			n = 0;
	int			j;

	DPS_TRY(dps_gradient(graph, f, gradient));
	for (j = 0; j < claim->ndimensions; j++)
	{
		const DpsNode *entry = gradient[j];

		if (!has_bit(policy->private_variables, j) || dps_is_constant(entry, 0))
			continue;
		if (policy->weights[j] != 1)
			entry = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, entry,
							  dps_constant(graph, DPS_FLOAT8, policy->weights[j]));
		entries[n++] = entry;
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum, dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, entry, NULL));
	}
	claim->squared = n > 1;
	claim->node = n == 1 ? dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, entries[0], NULL) : sum;
	if (claim->form != DPS_FORM_PLAIN && claim->squared)
	{
		sum = dps_factored_squares(graph, entries, n);
		claim->node = sum == NULL ? claim->node : sum;
	}
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

/* A name that no column has; NULL if memory ran out. */
static const char *
other_name(DpsGraph *graph)
{
	DpsText		name;
	int			j;

	dps_text_init(&name, graph->arena);
	dps_text_append(&name, "other");
	for (j = 0; j < graph->nvariables && !name.failed; j++)
	{
		if (strcmp(graph->variables[j].name, name.data) != 0)
			continue;
		dps_text_append(&name, "_");
		j = -1;
	}
	return name.failed ? NULL : name.data;
}

DpsStatus
dps_claim_variable(DpsGraph *graph, int n, DpsType type, const DpsNode **node)
{
	const char *name = other_name(graph);

	if (name == NULL)
		return DPS_NOMEM;
	/* it serves all claims, so it is of the widest type */
	if (graph->nvariables == n && dps_graph_add_variable(graph, name, DPS_FLOAT8, true) < 0)
		return DPS_UNABLE;
	*node = dps_variable(graph, n);
	if (type != DPS_FLOAT8)
		*node = dps_apply(graph, DPS_OP_CAST, type, *node, NULL);
	return *node == NULL ? DPS_NOMEM : DPS_OK;
}

static DpsStatus
claim_move(DpsGraph *graph, const DpsNode *f, int variable, DpsClaim *claim)
{
	int			n = claim->ndimensions;
	const DpsNode *other;

	DPS_TRY(dps_claim_variable(graph, n, graph->variables[variable].type, &other));
	claim->box[n] = claim->box[variable];
	claim->ndimensions = n + 1;
	claim->guard[claim->nguards++] = dps_substitute(graph, f, variable, other);
	claim->node = dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, f, claim->guard[1]);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

static DpsStatus
choose_node(DpsGraph *graph, const DpsNode *f, const DpsPolicy *policy, DpsClaim *claim)
{
	switch (claim->kind)
	{
		case DPS_CLAIM_VALUE:
		case DPS_CLAIM_CONTINUITY:
			claim->node = f;
			return DPS_OK;
		case DPS_CLAIM_NEGATED:
			claim->node = negate(graph, f);
			return claim->node == NULL ? DPS_NOMEM : DPS_OK;
		case DPS_CLAIM_STEEPNESS:
			return claim_steepness(graph, f, policy, claim);
		case DPS_CLAIM_MOVE:
			return claim_move(graph, f, claim->variable, claim);
		case DPS_CLAIM_SLOPE:
		case DPS_CLAIM_NEGATED_SLOPE:
			return claim_slope(graph, f, claim->variable, claim);
	}
	return DPS_UNABLE;
}

/* Equal to what was chosen, but for a steepness on a set that does not matter. */
static DpsStatus
rewrite(DpsGraph *graph, DpsClaim *claim)
{
	uint64_t	private_variables = claim->kind == DPS_CLAIM_STEEPNESS ? claim->private_variables : 0;

	if (claim->form == DPS_FORM_PLAIN || claim->kind == DPS_CLAIM_CONTINUITY)
		return DPS_OK;
	claim->node = dps_lift_conditions(graph, claim->node, private_variables);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

/*
 * A column whose NULL makes the expression or a guard NULL need not be looked at
 * where it is NULL.  Relaxed integers are reals, for Lipschitz constants; a
 * boolean stays what it is, having no values between its two.
 */
static void
set_root(DpsGraph *graph, DpsClaim *claim)
{
	bool		relaxed = claim->kind == DPS_CLAIM_STEEPNESS || claim->kind == DPS_CLAIM_CONTINUITY;
	uint64_t	strict = dps_strict_variables(graph, claim->node);
	int			k;

	for (k = 0; k < claim->nguards; k++)
		strict |= dps_strict_variables(graph, claim->guard[k]);
	for (k = 0; k < claim->ndimensions; k++)
	{
		DpsDomain  *domain = &claim->root[k];

		*domain = claim->box[k];
		if (has_bit(strict, k) && domain->nullness == DPS_MAYBE_NULL)
			domain->nullness = DPS_NEVER_NULL;
		if (relaxed && graph->variables[k].type != DPS_BOOL)
			domain->integral = false;
	}
}

static DpsStatus
claim_init(DpsClaim *claim, DpsGraph *graph, const DpsNode *f, const DpsDomain *box, int ncolumns,
		   const DpsPolicy *policy)
{
	claim->guard[0] = f;
	claim->nguards = 1;
	claim->ndimensions = ncolumns;
	claim->private_variables = policy->private_variables;
	memcpy(claim->box, box, sizeof(DpsDomain) * ncolumns);
	DPS_TRY(choose_node(graph, f, policy, claim));
	DPS_TRY(rewrite(graph, claim));
	set_root(graph, claim);
	claim->plain = claim->node;
	claim->nwitness = claim->ndimensions;
	if (claim->form != DPS_FORM_SCORED)
		return DPS_OK;
	if (claim->kind == DPS_CLAIM_MOVE || claim->kind == DPS_CLAIM_CONTINUITY)
		return DPS_UNABLE;
	return dps_claim_score(graph, claim);
}

DpsStatus
dps_claim_init(DpsClaim *claim, DpsGraph *graph, const DpsNode *f, const DpsDomain *box, int ncolumns,
			   const DpsPolicy *policy)
{
	bool		before = dps_graph_prove(graph, true);
	DpsStatus	status = claim_init(claim, graph, f, box, ncolumns, policy);

	(void) dps_graph_prove(graph, before);
	return status;
}
