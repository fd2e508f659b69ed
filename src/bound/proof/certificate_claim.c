/*
 * certificate_claim.c
 *		The expressions to be bounded from above for each kind of claim.
 */
#include <string.h>

#include "bound/proof/certificate_score.h"
#include "bound/proof/certificate_turn.h"
#include "bound/quantity/column_move.h"
#include "bound/quantity/lattice.h"
#include "bound/quantity/lift_conditions.h"
#include "bound/quantity/norm_slopes.h"
#include "bound/quantity/reduce.h"
#include "bound/relax/factor.h"
#include "bound/relax/share.h"

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

/* The derivatives by private columns, each divided by its weight, without those
 * that are 0. */
static DpsStatus
private_slopes(DpsGraph *graph, const DpsNode *f, const DpsPolicy *policy, int ncolumns, const DpsNode **entries,
			   int *nentries)
{
	const DpsNode *gradient[DPS_CLAIM_DIMENSIONS];
	int			j;

	*nentries = 0;
	DPS_TRY(dps_gradient(graph, f, gradient));
	for (j = 0; j < ncolumns; j++)
	{
		const DpsNode *entry = gradient[j];

		if (!has_bit(policy->private_variables, j) || dps_is_constant(entry, 0))
			continue;
		if (policy->weights[j] != 1)
			entry = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, entry,
							  dps_constant(graph, DPS_FLOAT8, policy->weights[j]));
		entries[(*nentries)++] = entry;
	}
	return DPS_OK;
}

/* The sum of the entries' magnitudes or squares, or the greatest magnitude. */
static const DpsNode *
join_slopes(DpsGraph *graph, DpsClaimKind kind, const DpsNode *const *entries, int n)
{
	DpsOpcode	each = kind == DPS_CLAIM_STEEPNESS ? DPS_OP_SQR : DPS_OP_ABS;
	DpsOpcode	all = kind == DPS_CLAIM_STEEPEST ? DPS_OP_GREATEST : DPS_OP_ADD;
	const DpsNode *joined = dps_constant(graph, DPS_FLOAT8, 0);
	int			k;

	for (k = 0; k < n; k++)
	{
		const DpsNode *own = dps_apply(graph, each, DPS_FLOAT8, entries[k], NULL);

		joined = k == 0 ? own : dps_apply(graph, all, DPS_FLOAT8, joined, own);
	}
	return joined;
}

/* A bound of the same quantity where roots have no slopes. */
static const DpsNode *
cover_slopes(DpsGraph *graph, const DpsClaim *claim, const DpsCover *cover)
{
	const DpsNode *greatest = dps_constant(graph, DPS_FLOAT8, 0);
	int			j;

	if (claim->squared)
		return dps_cover_norm2(cover);
	if (claim->kind == DPS_CLAIM_STEEPNESS_SUM)
		return dps_cover_norm1(cover);
	for (j = 0; j < cover->ncolumns; j++)
		if (has_bit(claim->private_variables, j))
			greatest = dps_apply(graph, DPS_OP_GREATEST, DPS_FLOAT8, greatest,
								 dps_apply(graph, DPS_OP_GREATEST, DPS_FLOAT8, dps_cover_entry(cover, j, false),
										   dps_cover_entry(cover, j, true)));
	return greatest;
}

/* The magnitude of a single entry does not overflow where its square would. */
static DpsStatus
claim_steepness(DpsGraph *graph, const DpsNode *f, const DpsPolicy *policy, DpsClaim *claim)
{
	const DpsNode *entries[DPS_CLAIM_DIMENSIONS];
	const DpsNode *factored = NULL;
	DpsCover	cover;
	int			n;

	DPS_TRY(private_slopes(graph, f, policy, claim->ndimensions, entries, &n));
	claim->squared = claim->kind == DPS_CLAIM_STEEPNESS && n > 1;
	claim->node = join_slopes(graph, n == 1 ? DPS_CLAIM_STEEPEST : claim->kind, entries, n);
	if (claim->node == NULL)
		return DPS_NOMEM;
	if (dps_form_is_plain(claim->form))
		return DPS_OK;
	if (claim->squared)
		factored = dps_factored_squares(graph, entries, n);
	else
		factored = (claim->kind == DPS_CLAIM_STEEPEST ? dps_factored_greatest : dps_factored_magnitudes) (graph, entries, n);
	if (factored != NULL)
		claim->node = factored;
	DPS_TRY(dps_cover_init(&cover, graph, claim->guard[0], claim->box, claim->ndimensions, policy->private_variables, policy->weights));
	claim->cover = cover_slopes(graph, claim, &cover);
	return claim->cover == NULL && cover.ntips > 0 ? DPS_NOMEM : DPS_OK;
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
	/* two claims of one graph would share it, so it has the widest type */
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
	claim->guard[claim->nguards++] = dps_substitute(graph, claim->guard[0], variable, other);
	claim->node = dps_form_is_plain(claim->form) ? dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, f, claim->guard[1]) :
		dps_column_move(graph, f, variable, other);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

/* A column that steps is not NULL, and has a next integer within its range. */
static DpsStatus
claim_step(DpsGraph *graph, const DpsNode *f, int variable, DpsClaim *claim)
{
	const DpsNode *next = dps_next_integer(graph, variable);
	DpsDomain  *domain = &claim->box[variable];

	if (next == NULL)
		return DPS_NOMEM;
	if (!domain->integral || next->type == DPS_BOOL || !(domain->lo < domain->hi) || domain->nullness == DPS_ALWAYS_NULL)
		return DPS_UNABLE;
	domain->hi -= 1;
	domain->nullness = DPS_NEVER_NULL;
	claim->guard[claim->nguards++] = dps_substitute(graph, claim->guard[0], variable, next);
	claim->node = dps_form_is_plain(claim->form) ? dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, f, claim->guard[1]) :
		dps_column_move(graph, f, variable, next);
	if (claim->kind == DPS_CLAIM_STEP_UP)
		claim->node = negate(graph, claim->node);
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
		case DPS_CLAIM_STEEPNESS_SUM:
		case DPS_CLAIM_STEEPEST:
			return claim_steepness(graph, f, policy, claim);
		case DPS_CLAIM_MOVE:
			return claim_move(graph, f, claim->variable, claim);
		case DPS_CLAIM_SLOPE:
		case DPS_CLAIM_NEGATED_SLOPE:
			return claim_slope(graph, f, claim->variable, claim);
		case DPS_CLAIM_STEP_DOWN:
		case DPS_CLAIM_STEP_UP:
			return claim_step(graph, f, claim->variable, claim);
	}
	return DPS_UNABLE;
}

/* Lifts conditions: the new expression is equal, except for a steepness or slope on a set
 * that does not matter. */
static DpsStatus
rewrite(DpsGraph *graph, DpsClaim *claim)
{
	uint64_t	private_variables = dps_is_steepness(claim->kind) ? claim->private_variables : 0;

	if (claim->kind == DPS_CLAIM_SLOPE || claim->kind == DPS_CLAIM_NEGATED_SLOPE)
		private_variables = UINT64_C(1) << claim->variable;
	if (dps_form_is_plain(claim->form) || claim->kind == DPS_CLAIM_CONTINUITY)
		return DPS_OK;
	claim->node = dps_lift_conditions(graph, claim->node, private_variables);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

/*
 * A column whose NULL makes the expression or a guard NULL need not be looked at
 * where it is NULL.  For Lipschitz constants private integers are relaxed to reals;
 * a boolean is not, since it has no values between its two.
 */
static void
set_root(DpsGraph *graph, DpsClaim *claim)
{
	bool		relaxed = dps_is_steepness(claim->kind) || claim->kind == DPS_CLAIM_CONTINUITY;
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
		if (relaxed && graph->variables[k].type != DPS_BOOL && has_bit(claim->private_variables, k))
			domain->integral = false;
	}
}

/* A score of f that does not depend on the moved column is the same in both
 * values; without one, any score of the difference. */
static DpsStatus
score_move(DpsGraph *graph, const DpsNode *f, DpsClaim *claim)
{
	const DpsNode *other;
	const DpsNode *scored;
	DpsStatus	status;

	DPS_TRY(dps_claim_variable(graph, claim->ndimensions - 1, graph->variables[claim->variable].type, &other));
	status = dps_claim_score_but(graph, claim, f, UINT64_C(1) << claim->variable, &scored);
	if (status == DPS_UNABLE)
		return dps_claim_score(graph, claim);
	DPS_TRY(status);
	claim->node = dps_lift_conditions(graph, dps_column_move(graph, scored, claim->variable, other), 0);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

/* Shortens ranges of periodic columns to one period. */
static DpsStatus
leave_periods(DpsGraph *graph, DpsClaim *claim)
{
	DpsObjective objective = {.node = claim->node, .guards = {claim->guard[0], claim->guard[1]}, .nguards = claim->nguards,
	.ncolumns = claim->ndimensions, .cover = claim->cover};
	bool		shortened = false;

	return dps_shorten_periods(graph, graph->arena, &objective, claim->root, &shortened);
}

static DpsStatus
claim_init(DpsClaim *claim, DpsGraph *graph, const DpsNode *f, const DpsDomain *box, int ncolumns,
		   const DpsPolicy *policy)
{
	/* shares are rewritten before derivatives are taken */
	claim->guard[0] = f;
	if (!dps_form_is_plain(claim->form) && claim->kind != DPS_CLAIM_CONTINUITY)
		DPS_TRY(dps_shares(graph, f, box, &f));
	claim->nguards = 1;
	claim->ndimensions = ncolumns;
	claim->private_variables = policy->private_variables;
	memcpy(claim->box, box, sizeof(DpsDomain) * ncolumns);
	DPS_TRY(choose_node(graph, f, policy, claim));
	DPS_TRY(rewrite(graph, claim));
	set_root(graph, claim);
	claim->plain = claim->node;
	claim->nwitness = claim->ndimensions;
	if (claim->kind == DPS_CLAIM_CONTINUITY)
		return claim->form <= DPS_FORM_REWRITTEN ? DPS_OK : DPS_UNABLE;
	if (claim->form == DPS_FORM_SCORED || claim->form == DPS_FORM_SCORED_AFFINE)
	{
		/* no cover is derived for the expression with a score */
		claim->cover = NULL;
		DPS_TRY(claim->kind == DPS_CLAIM_MOVE ? score_move(graph, f, claim) : dps_claim_score(graph, claim));
	}
	if (claim->form == DPS_FORM_TURNING)
		return dps_claim_turn(graph, claim);
	return claim->form == DPS_FORM_PLAIN ? DPS_OK : leave_periods(graph, claim);
}

/*
 * How terms are ordered and what is found to be equal depends on the nodes that a
 * graph has already.  The expression of a claim must not, since it is derived
 * again, beside other claims or none, when the proof is checked.
 */
static DpsStatus
own_graph(const DpsGraph *source, int ncolumns, DpsGraph **graph)
{
	int			j;

	DPS_TRY(dps_graph_init(graph, source->arena));
	for (j = 0; j < ncolumns; j++)
	{
		const DpsVariable *variable = &source->variables[j];

		if (dps_graph_add_variable(*graph, variable->name, variable->type, variable->nullable) < 0)
			return DPS_UNABLE;
	}
	return DPS_OK;
}

static DpsStatus
state_claim(DpsClaim *claim, const DpsGraph *source, const DpsNode *f, const DpsDomain *box, int ncolumns,
			const DpsPolicy *policy)
{
	const DpsNode *own;

	DPS_TRY(own_graph(source, ncolumns, &claim->graph));
	own = dps_copy_node(claim->graph, f);
	if (own == NULL)
		return DPS_NOMEM;
	return claim_init(claim, claim->graph, own, box, ncolumns, policy);
}

DpsStatus
dps_claim_init(DpsClaim *claim, const DpsGraph *graph, const DpsNode *f, const DpsDomain *box, int ncolumns,
			   const DpsPolicy *policy)
{
	return dps_arena_status(graph->arena, state_claim(claim, graph, f, box, ncolumns, policy));
}
