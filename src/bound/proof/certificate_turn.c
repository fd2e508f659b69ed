/*
 * certificate_turn.c
 *		A column that turns many times has its phase beside it.
 *
 * Needs: a column t with a range X, no integer and never NULL, and sines, cosines and tangents of
 * the expression E whose arguments are c t + r with constants c, r without t, such that P c is a
 * multiple of 2 pi for each of them (of pi for tangents).  P is known as an interval.
 *
 * Promises: with u in place of t in these arguments, and t elsewhere, E becomes G(t, u); and
 *
 *		sup { E(t) : t in X } <= sup { G(t, u) : t in X, 0 <= u <= P }
 *		sup { E(t) : t in X, t - m P in U for an integer m } <= sup { G(t, u) : t in X, u in U }
 *
 * and E is undefined, or NULL, only where G is.  Proof: E(t) = G(t, t - m P) for every integer m,
 * since each such sine has the same value at both arguments; and one m has t - m P in [0, P], of
 * which the phase's range in the root is a superset.  So each value on the left is one on the
 * right.
 *
 * So a region of X and U stands for the rows of the set on the left, and cuts of t or of u part it.
 * G is bounded like any other expression of two columns.  Where the bound over all t of a
 * range is low enough for all phases, that settles any number of periods at once; without this
 * each of them needs boxes of its own, by the square of their number with two such columns.
 *
 * But G may be greater than E, since t and u are taken to be independent.  A turn leads back to E:
 * where t - m P in U for an integer m, t is in the union over m of X and U + m P, and the region
 * becomes any range that contains that union, without a phase.  If the union is empty there are
 * no rows in the region.  Intervals with P inside make the union no smaller than it is.
 */
#include <math.h>
#include <string.h>

#include "bound/proof/certificate_score.h"
#include "bound/proof/certificate_turn.h"
#include "bound/quantity/reduce.h"
#include "num/whole.h"

/* A column with fewer periods needs no phase. */
#define LEAST_PERIODS 4

/* More turns are not told apart; and beyond so many they are not counted. */
#define MOST_TURNS 64
#define MOST_COUNTED 0x1p40

typedef struct Turner
{
	DpsGraph   *graph;
	DpsClaim   *claim;
	DpsTurns	turns[DPS_MAX_PHASES];
	const DpsNode *node[DPS_MAX_PHASES];	/* of the phases */
} Turner;

static bool
is_turned_by(const DpsTurns *turns, const DpsNode *node)
{
	int			i;

	for (i = 0; i < turns->n; i++)
		if (turns->node[i] == node)
			return true;
	return false;
}

/* The node with the largest number below the limit that is in a list of the mask; NULL if there
 * is none.  What a node is made of has lower numbers. */
static const DpsNode *
outermost(const Turner *t, unsigned mask, uint32_t limit)
{
	const DpsNode *found = NULL;
	int			p;
	int			i;

	for (p = 0; p < t->claim->nphases; p++)
		for (i = 0; i < t->turns[p].n && (mask & 1u << p); i++)
			if (t->turns[p].node[i]->id < limit && (found == NULL || t->turns[p].node[i]->id > found->id))
				found = t->turns[p].node[i];
	return found;
}

/* The claim's expression with the phases of the mask. */
static const DpsNode *
turn(const Turner *t, unsigned mask)
{
	const DpsNode *node = t->claim->node;
	const DpsNode *part;
	uint32_t	limit = UINT32_MAX;
	int			p;

	while (node != NULL && (part = outermost(t, mask, limit)) != NULL)
	{
		const DpsNode *image = part;

		for (p = 0; p < t->claim->nphases && image != NULL; p++)
			if ((mask & 1u << p) && is_turned_by(&t->turns[p], part))
				image = dps_substitute(t->graph, image, t->claim->phase[p].column, t->node[p]);
		node = image == NULL ? NULL : dps_replace(t->graph, node, part, image);
		limit = part->id;
	}
	return node;
}

/* Adds a phase of the column if it goes through many periods. */
static DpsStatus
add_phase(Turner *t, int column)
{
	DpsClaim   *claim = t->claim;
	const DpsDomain *domain = &claim->root[column];
	int			p = claim->nphases;
	int			n = claim->ndimensions;
	DpsTurns   *turns = &t->turns[p];

	if (domain->integral || domain->nullness != DPS_NEVER_NULL || !isfinite(domain->hi - domain->lo))
		return DPS_OK;
	DPS_TRY(dps_find_turns(t->graph, t->graph->arena, claim->node, column, turns));
	if (dps_iv_is_empty(turns->period) || !(turns->period.hi * LEAST_PERIODS <= domain->hi - domain->lo))
		return DPS_OK;
	if (n == DPS_CLAIM_DIMENSIONS)
		return DPS_UNABLE;
	DPS_TRY(dps_claim_variable(t->graph, n, DPS_FLOAT8, &t->node[p]));
	claim->root[n] = claim->box[n] = (DpsDomain) {0, turns->period.hi, DPS_NEVER_NULL, false};
	claim->phase[p] = (DpsPhase) {column, n, turns->period};
	claim->ndimensions = n + 1;
	claim->nphases = p + 1;
	return DPS_OK;
}

DpsStatus
dps_claim_turn(DpsGraph *graph, DpsClaim *claim)
{
	Turner		t = {.graph = graph, .claim = claim};
	int			columns = claim->ndimensions;
	unsigned	mask;
	int			k;

	for (k = 0; k < columns && claim->nphases < DPS_MAX_PHASES; k++)
		DPS_TRY(add_phase(&t, k));
	if (claim->nphases == 0)
		return DPS_UNABLE;
	for (mask = 0; mask < 1u << claim->nphases; mask++)
	{
		claim->turned[mask] = turn(&t, mask);
		if (claim->turned[mask] == NULL)
			return DPS_NOMEM;
	}
	claim->node = claim->turned[mask - 1];
	return DPS_OK;
}

/*
 * Regions
 */

const DpsPhase *
dps_claim_phase(const DpsClaim *claim, int column)
{
	int			p;

	for (p = 0; p < claim->nphases; p++)
		if (claim->phase[p].column == column)
			return &claim->phase[p];
	return NULL;
}

DpsInterval
dps_range_of_phase(const DpsPhase *phase, const DpsDomain *region)
{
	const DpsDomain *domain = &region[phase->column];
	DpsInterval all = dps_iv(domain->lo, domain->hi);
	DpsInterval own = dps_iv(region[phase->dimension].lo, region[phase->dimension].hi);
	DpsInterval turns = dps_iv_div(dps_iv_sub(all, own), phase->period);
	DpsInterval left = DPS_EMPTY;
	int64_t		last;
	int64_t		m;

	if (!(turns.lo > -MOST_COUNTED && turns.hi < MOST_COUNTED && turns.hi - turns.lo < MOST_TURNS))
		return all;
	last = dps_to_int64(floor(turns.hi));
	for (m = dps_to_int64(ceil(turns.lo)); m <= last; m++)
	{
		DpsInterval moved = dps_iv_add(own, dps_iv_mul(dps_iv_point((double) m), phase->period));

		left = dps_iv_hull(left, dps_iv_intersect(all, moved));
	}
	return left;
}

bool
dps_lacks_phase(const DpsClaim *claim, const DpsDomain *region)
{
	int			p;

	for (p = 0; p < claim->nphases; p++)
		if (dps_has_phase(&claim->phase[p], region) && dps_iv_is_empty(dps_range_of_phase(&claim->phase[p], region)))
			return true;
	return false;
}

void
dps_end_phase(const DpsPhase *phase, DpsDomain *region, double lo, double hi)
{
	region[phase->column].lo = lo;
	region[phase->column].hi = hi;
	region[phase->dimension] = (DpsDomain) {.nullness = DPS_ALWAYS_NULL};
}

/*
 * Provers
 */

DpsStatus
dps_provers_init(DpsProvers **provers, DpsArena *arena, const DpsClaim *claim)
{
	*provers = dps_arena_alloc(arena, sizeof(DpsProvers));
	if (*provers == NULL)
		return DPS_NOMEM;
	(*provers)->claim = claim;
	(*provers)->arena = arena;
	return DPS_OK;
}

DpsStatus
dps_choose_prover(DpsProvers *provers, const DpsDomain *region, DpsProver **prover)
{
	const DpsClaim *claim = provers->claim;
	unsigned	mask = 0;
	int			p;

	for (p = 0; p < claim->nphases; p++)
		if (dps_has_phase(&claim->phase[p], region))
			mask |= 1u << p;
	*prover = &provers->prover[mask];
	if (provers->made[mask])
		return DPS_OK;
	provers->made[mask] = true;
	provers->view[mask] = *claim;
	if (claim->nphases > 0)
		provers->view[mask].node = claim->turned[mask];
	return dps_prover_init(*prover, provers->arena, &provers->view[mask]);
}
