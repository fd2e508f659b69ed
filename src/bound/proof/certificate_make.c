/*
 * certificate_make.c
 *		Looks for proofs: cuts the box whose bound is greatest until all are
 *		low enough.
 *
 * The proof found here is only a proposal; dps_check_proof decides.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/proof/certificate_turn.h"

/* The loose bound is enough after this part of all boxes. */
#define PATIENCE 8

#define BOXES_BETWEEN_STOPS 64
#define FIRST_NODES 64

/* A region; the first of its parts is at `child`, the second after it. */
typedef struct Node
{
	DpsStep		step;
	DpsDomain  *region;
	DpsDomain  *covered;
	uint32_t	child;			/* 0: none */
	uint32_t	depth;
	int			cut;			/* as in choose_cut; -1 for none */
} Node;

typedef struct Maker
{
	const DpsClaim *claim;
	const DpsProofOptions *options;
	DpsArena   *arena;			/* of the proof */
	DpsProvers *provers;
	DpsProver  *prover;			/* of the region at hand */
	Node	   *nodes;
	uint32_t	nnodes;
	uint32_t	capacity;
	uint32_t   *heap;			/* of boxes that can be cut, greatest bound first */
	size_t		nheap;
	size_t		nboxes;
	double		settled;		/* greatest bound of boxes that cannot be cut */
} Maker;

/*
 * The heap
 */

static bool
is_before(const Maker *m, uint32_t a, uint32_t b)
{
	const Node *x = &m->nodes[a];
	const Node *y = &m->nodes[b];

	if (x->step.upper != y->step.upper)
		return x->step.upper > y->step.upper;
	return a < b;
}

static void
swap(uint32_t *a, uint32_t *b)
{
	uint32_t	kept = *a;

	*a = *b;
	*b = kept;
}

static void
push_node(Maker *m, uint32_t node)
{
	size_t		i = m->nheap++;

	m->heap[i] = node;
	for (; i > 0 && is_before(m, m->heap[i], m->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&m->heap[i], &m->heap[(i - 1) / 2]);
}

static uint32_t
pop_node(Maker *m)
{
	uint32_t	first = m->heap[0];
	size_t		i = 0;

	m->heap[0] = m->heap[--m->nheap];
	for (;;)
	{
		size_t		child = 2 * i + 1;

		if (child >= m->nheap)
			break;
		if (child + 1 < m->nheap && is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!is_before(m, m->heap[child], m->heap[i]))
			break;
		swap(&m->heap[i], &m->heap[child]);
		i = child;
	}
	return first;
}

/*
 * Nodes
 */

static DpsStatus
grow(Maker *m)
{
	uint32_t	capacity = m->capacity == 0 ? FIRST_NODES : 2 * m->capacity;
	Node	   *nodes = dps_arena_alloc(m->arena, sizeof(Node) * capacity);
	uint32_t   *heap = dps_arena_alloc(m->arena, sizeof(uint32_t) * capacity);

	if (nodes == NULL || heap == NULL)
		return DPS_NOMEM;
	if (m->nnodes > 0)
	{
		memcpy(nodes, m->nodes, sizeof(Node) * m->nnodes);
		memcpy(heap, m->heap, sizeof(uint32_t) * m->nheap);
	}
	m->nodes = nodes;
	m->heap = heap;
	m->capacity = capacity;
	return DPS_OK;
}

/* A new box with copies of these. */
static DpsStatus
add_node(Maker *m, const DpsDomain *region, const DpsDomain *covered, uint32_t depth, uint32_t *index)
{
	size_t		size = sizeof(DpsDomain) * m->claim->ndimensions;
	Node	   *node;

	if (m->nnodes == m->capacity)
		DPS_TRY(grow(m));
	node = &m->nodes[m->nnodes];
	*node = (Node) {.depth = depth};
	node->region = dps_arena_alloc(m->arena, size);
	node->covered = dps_arena_alloc(m->arena, size);
	if (node->region == NULL || node->covered == NULL)
		return DPS_NOMEM;
	memcpy(node->region, region, size);
	memcpy(node->covered, covered, size);
	node->step.region = node->region;
	node->step.covered = node->covered;
	*index = m->nnodes++;
	m->nboxes++;
	return DPS_OK;
}

/*
 * Where to cut
 */

static bool
may_cut(const Maker *m, const DpsDomain *region, int k)
{
	const DpsDomain *domain = &region[k];
	DpsDomain	below;
	DpsDomain	above;

	return dps_claim_cuts(m->claim, k) && domain->nullness != DPS_ALWAYS_NULL && dps_cut(domain, &below, &above);
}

/* The widest dimension of the mask by the root's measure; -1 if none can be
 * cut. */
static int
widest(const Maker *m, const DpsDomain *region, uint64_t mask)
{
	double		most = 0;
	int			best = -1;
	int			k;

	for (k = 0; k < m->claim->ndimensions; k++)
	{
		const DpsDomain *root = &m->claim->root[k];
		double		part = dps_width_scale(root, region[k].hi) - dps_width_scale(root, region[k].lo);
		double		whole = dps_width_scale(root, root->hi) - dps_width_scale(root, root->lo);

		if (!(mask & (UINT64_C(1) << k)) || !may_cut(m, region, k) || !(part / whole > most))
			continue;
		most = part / whole;
		best = k;
	}
	return best;
}

/* The dimension along which the expression may vary most; -1 if slopes are
 * missing. */
static int
steepest(const Maker *m, const DpsDomain *region, uint64_t mask)
{
	double		most = -1;
	int			best = -1;
	int			k;

	for (k = 0; k < m->claim->ndimensions; k++)
	{
		const DpsInterval *slope;
		double		rise;

		if (!(mask & (UINT64_C(1) << k)) || !may_cut(m, region, k))
			continue;
		slope = m->prover->sloped ? dps_prover_slope(m->prover, k) : NULL;
		rise = slope == NULL ? (double) NAN :
			fmax(fabs(slope->lo), fabs(slope->hi)) * (region[k].hi - region[k].lo);
		if (!isfinite(rise))
			return -1;
		if (rise > most)
		{
			most = rise;
			best = k;
		}
	}
	return best;
}

/* The variables of a culprit that is not proved defined. */
static uint64_t
undefined_variables(const Maker *m)
{
	const DpsProver *prover = m->prover;
	uint64_t	mask = 0;
	int			k;

	for (k = 0; k <= m->claim->nguards && mask == 0; k++)
	{
		int			culprit = dps_culprit(prover->on_boxes, prover->box, k);

		if (culprit >= 0)
			mask = prover->variables[culprit];
	}
	return mask;
}

/*
 * The dimension to cut; ndimensions + dimension to separate NULL from the
 * rest; -1 if there is nothing left to cut.  Slopes say nothing of jumps, so
 * every other cut ignores slopes.
 */
static int
choose_cut(const Maker *m, const Node *node, bool defined)
{
	uint64_t	used = m->prover->claim->node->variables;
	int			best = -1;
	int			k;

	for (k = 0; k < m->claim->nguards; k++)
		used |= m->claim->guard[k]->variables;
	for (k = 0; k < m->claim->ndimensions; k++)
		if ((used & (UINT64_C(1) << k)) && node->region[k].nullness == DPS_MAYBE_NULL)
			return m->claim->ndimensions + k;
	if (!defined)
		best = widest(m, node->region, undefined_variables(m));
	else if (dps_prover_smooth(m->prover) || node->depth % 2 == 1)
		best = steepest(m, node->region, m->prover->claim->node->variables);
	return best >= 0 ? best : widest(m, node->region, used);
}

/*
 * Bounds
 */

/* The point where the mean value form is lowest: the growth toward one end
 * equals the growth toward the other. */
static double
best_centre(const DpsDomain *domain, const DpsInterval *slope)
{
	double		share;
	double		at;

	if (slope == NULL || slope->lo >= 0)
		return domain->hi;
	if (slope->hi <= 0)
		return domain->lo;
	share = slope->hi / (slope->hi - slope->lo);
	at = domain->lo + (domain->hi - domain->lo) * share;
	if (domain->integral)
		at = rint(at);
	return at >= domain->lo ? fmin(at, domain->hi) : domain->lo;
}

static DpsStatus
try_mean_value(Maker *m, Node *node)
{
	double		centre[DPS_CLAIM_DIMENSIONS];
	double	   *kept;
	double		upper;
	int			k;

	for (k = 0; k < m->claim->ndimensions; k++)
	{
		const DpsDomain *domain = &node->region[k];

		centre[k] = domain->nullness == DPS_ALWAYS_NULL ? (double) NAN : dps_middle(domain);
		if (domain->nullness == DPS_NEVER_NULL && domain->lo < domain->hi)
			centre[k] = best_centre(domain, dps_prover_slope(m->prover, k));
	}
	upper = dps_prover_mean_value(m->prover, node->region, centre);
	if (!(upper < node->step.upper))
		return DPS_OK;
	kept = dps_arena_alloc(m->arena, sizeof(double) * m->claim->ndimensions);
	if (kept == NULL)
		return DPS_NOMEM;
	memcpy(kept, centre, sizeof(double) * m->claim->ndimensions);
	node->step.method = DPS_BY_MEAN_VALUE;
	node->step.centre = kept;
	node->step.upper = upper;
	return DPS_OK;
}

/* Has the region a phase of this dimension, or is the dimension one?  A face would leave no
 * turn. */
static bool
turns(const Maker *m, const DpsDomain *region, int k)
{
	int			p;

	for (p = 0; p < m->claim->nphases; p++)
		if (dps_has_phase(&m->claim->phase[p], region) &&
			(m->claim->phase[p].column == k || m->claim->phase[p].dimension == k))
			return true;
	return false;
}

/* Turns the box into a face if the expression, which is smooth, is monotone in
 * a column of it. */
static bool
find_face(const Maker *m, Node *node)
{
	int			k;

	for (k = 0; k < m->claim->ndimensions; k++)
	{
		uint64_t	bit = UINT64_C(1) << k;

		if (!(m->prover->claim->node->variables & bit) || turns(m, node->region, k))
			continue;
		if (dps_prover_monotone(m->prover, node->region, k, true))
			node->step.to_hi |= bit;
		else if (dps_prover_monotone(m->prover, node->region, k, false))
			node->step.to_lo |= bit;
	}
	if ((node->step.to_hi | node->step.to_lo) == 0)
		return false;
	node->step.kind = DPS_STEP_FACE;
	return true;
}

static void
move_to_face(const Maker *m, const DpsStep *step, DpsDomain *region)
{
	int			k;

	for (k = 0; k < m->claim->ndimensions; k++)
	{
		if (step->to_hi & (UINT64_C(1) << k))
			region[k].lo = region[k].hi;
		if (step->to_lo & (UINT64_C(1) << k))
			region[k].hi = region[k].lo;
	}
}

static void
take_lower(Node *node, DpsBoxMethod method, double upper)
{
	if (!(upper < node->step.upper))
		return;
	node->step.method = method;
	node->step.upper = upper;
}

/* Bounds a box; Infinity if it is not proved defined, or without a jump. */
static DpsStatus
bound_node(Maker *m, Node *node)
{
	double		covered;
	bool		defined;

	DPS_TRY(dps_choose_prover(m->provers, node->region, &m->prover));
	if (dps_lacks_phase(m->claim, node->covered))
	{
		node->step.method = DPS_BY_PHASE;
		node->step.upper = -INFINITY;
		node->cut = -1;
		return DPS_OK;
	}
	dps_prover_enclose(m->prover, node->region);
	node->step.upper = INFINITY;
	if (m->claim->kind == DPS_CLAIM_CONTINUITY)
	{
		node->step.method = DPS_BY_CONTINUITY;
		if (dps_prover_steady(m->prover))
			node->step.upper = -INFINITY;
		node->cut = choose_cut(m, node, true);
		return DPS_OK;
	}
	defined = dps_prover_defined(m->prover);
	node->cut = choose_cut(m, node, defined);
	node->step.method = DPS_BY_COVER;
	node->step.upper = dps_prover_cover(m->prover, node->region);
	if (!defined)
		return DPS_OK;
	covered = node->step.upper;
	node->step.method = DPS_BY_NULL;
	node->step.upper = -INFINITY;
	if (dps_prover_valueless(m->prover))
		return DPS_OK;
	node->step.method = DPS_BY_INTERVAL;
	node->step.upper = dps_prover_interval(m->prover);
	take_lower(node, DPS_BY_COVER, covered);
	/* low enough by itself: a face would be one step more */
	if (node->step.upper <= m->options->upper || !dps_prover_smooth(m->prover) || find_face(m, node))
		return DPS_OK;
	DPS_TRY(try_mean_value(m, node));
	if (node->step.upper > m->options->upper)
		take_lower(node, DPS_BY_QUADRATIC, dps_prover_quadratic(m->prover));
	return DPS_OK;
}

/* Bounds a new box, or the face that it leads to, and queues it. */
static DpsStatus
examine(Maker *m, uint32_t index)
{
	for (;;)
	{
		Node	   *node = &m->nodes[index];
		uint32_t	face;

		DPS_TRY(bound_node(m, node));
		if (m->prover->failed)
			return dps_arena_status(m->arena, DPS_NOMEM);
		if (node->step.kind != DPS_STEP_FACE)
			break;
		DPS_TRY(add_node(m, node->region, node->covered, node->depth, &face));
		m->nboxes--;
		m->nodes[index].child = face;
		move_to_face(m, &m->nodes[index].step, m->nodes[face].region);
		index = face;
	}
	if (m->nodes[index].cut >= 0)
		push_node(m, index);
	else
		m->settled = fmax(m->settled, m->nodes[index].step.upper);
	return DPS_OK;
}

/* The phase that the region no longer needs: what is left of the column is less than a period, so
 * that one turn has the phase; NULL if there is none. */
static const DpsPhase *
phase_to_end(const Maker *m, const DpsDomain *region)
{
	int			p;

	for (p = 0; p < m->claim->nphases; p++)
	{
		const DpsPhase *phase = &m->claim->phase[p];
		const DpsDomain *own = &region[phase->dimension];
		const DpsDomain *column = &region[phase->column];

		if (dps_has_phase(phase, region) && column->hi - column->lo + (own->hi - own->lo) < phase->period.lo)
			return phase;
	}
	return NULL;
}

static DpsStatus
turn_node(Maker *m, uint32_t index, const DpsPhase *phase)
{
	Node	   *node = &m->nodes[index];
	DpsInterval left = dps_range_of_phase(phase, node->region);
	uint32_t	turned;

	node->step = (DpsStep) {.kind = DPS_STEP_TURN, .variable = phase->column, .lo = left.lo, .hi = left.hi};
	DPS_TRY(add_node(m, node->region, node->covered, node->depth + 1, &turned));
	m->nboxes--;
	m->nodes[index].child = turned;
	dps_end_phase(phase, m->nodes[turned].region, left.lo, left.hi);
	dps_end_phase(phase, m->nodes[turned].covered, left.lo, left.hi);
	return examine(m, turned);
}

static DpsStatus
cut_node(Maker *m, uint32_t index)
{
	Node	   *node = &m->nodes[index];
	const DpsDomain *region = node->region;
	const DpsDomain *covered = node->covered;
	bool		null = node->cut >= m->claim->ndimensions;
	int			k = null ? node->cut - m->claim->ndimensions : node->cut;
	DpsDomain	below = region[k];
	DpsDomain	above = region[k];
	uint32_t	depth = node->depth + 1;
	const DpsPhase *phase = phase_to_end(m, region);
	uint32_t	first;
	uint32_t	second;

	if (phase != NULL)
		return turn_node(m, index, phase);
	node->step = (DpsStep) {.kind = null ? DPS_STEP_CUT_NULL : DPS_STEP_CUT, .variable = k};
	if (null)
	{
		below.nullness = DPS_NEVER_NULL;
		above.nullness = DPS_ALWAYS_NULL;
	}
	else
	{
		(void) dps_cut(&region[k], &below, &above);
		node->step.at = below.hi;
	}
	DPS_TRY(add_node(m, region, covered, depth, &first));
	DPS_TRY(add_node(m, region, covered, depth, &second));
	m->nboxes--;
	m->nodes[index].child = first;
	m->nodes[first].region[k] = m->nodes[first].covered[k] = below;
	m->nodes[second].region[k] = m->nodes[second].covered[k] = above;
	DPS_TRY(examine(m, first));
	return examine(m, second);
}

/*
 * The proof
 */

static double
greatest(const Maker *m)
{
	double		first = m->nheap > 0 ? m->nodes[m->heap[0]].step.upper : -INFINITY;

	return fmax(first, m->settled);
}

static bool
is_done(const Maker *m)
{
	double		upper = greatest(m);

	if (m->nheap == 0 || upper <= m->options->upper || m->nboxes >= m->options->max_boxes)
		return true;
	/* a box that cannot be cut has the greatest bound */
	if (m->nodes[m->heap[0]].step.upper <= m->settled)
		return true;
	return upper <= m->options->loose && m->nboxes >= m->options->max_boxes / PATIENCE;
}

/*
 * Writes the steps depth first.  The first part of a region follows it; the
 * second waits.
 */
static DpsStatus
write_steps(Maker *m, DpsProof *proof)
{
	DpsStep    *steps = dps_arena_alloc(m->arena, sizeof(DpsStep) * m->nnodes);
	uint32_t   *waiting = dps_arena_alloc(m->arena, sizeof(uint32_t) * m->nnodes);
	size_t		nwaiting = 1;
	size_t		n = 0;

	if (steps == NULL || waiting == NULL)
		return DPS_NOMEM;
	waiting[0] = 0;
	while (nwaiting > 0)
	{
		const Node *node = &m->nodes[waiting[--nwaiting]];

		steps[n++] = node->step;
		if (node->step.kind == DPS_STEP_BOX)
			continue;
		if (node->step.kind != DPS_STEP_FACE && node->step.kind != DPS_STEP_TURN)
			waiting[nwaiting++] = node->child + 1;
		waiting[nwaiting++] = node->child;
	}
	proof->steps = steps;
	proof->nsteps = n;
	return DPS_OK;
}

static DpsStatus
make(Maker *m, DpsProof *proof)
{
	const DpsHost *host = dps_arena_host(m->arena);
	uint32_t	root;
	size_t		asked = 0;

	DPS_TRY(add_node(m, m->claim->root, m->claim->root, 0, &root));
	DPS_TRY(examine(m, root));
	while (!is_done(m))
	{
		if (m->nboxes >= asked + BOXES_BETWEEN_STOPS)
		{
			asked = m->nboxes;
			if (host->should_stop != NULL && host->should_stop(host->context))
				return DPS_CANCELLED;
		}
		DPS_TRY(cut_node(m, pop_node(m)));
	}
	if (greatest(m) == INFINITY)
		return DPS_UNABLE;
	proof->upper = fmax(greatest(m), m->options->upper);
	return write_steps(m, proof);
}

DpsStatus
dps_make_proof(const DpsClaim *claim, const DpsProofOptions *options, DpsProof *proof)
{
	Maker		m = {.claim = claim, .options = options, .arena = claim->graph->arena, .settled = -INFINITY};
	DpsStatus	status = dps_provers_init(&m.provers, m.arena, claim);

	memset(proof, 0, sizeof(*proof));
	if (status == DPS_OK)
		status = make(&m, proof);
	return dps_arena_status(m.arena, status);
}
