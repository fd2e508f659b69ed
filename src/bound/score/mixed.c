/*
 * mixed.c
 *		Sums whose terms have columns in common, as one dimension.
 *
 * A risk score multiplies the logarithms of its columns by that of the age: (a - b ln(age)) ln(x) +
 * (c - d ln(age)) ln(y) + ...  No score of terms of one column each is in it, and a search over all
 * columns finds the greatest value along a surface, which no few boxes cover.  But for each age the
 * terms are those of one column each.
 *
 * Needs: a group of terms p of columns x and others c (sums.c), with columns x that occur nowhere else in
 * the objective, which so is G(p(x, c), c, y).  Each p is, once all columns of x with two values only
 * have theirs, affine in each of z_j = t_j(x_j) by itself, which are expressions of one column each,
 * and all there is of these.
 *
 * Claim: let [l_j, h_j] enclose t_j, and let L(c) be the terms without x, and the sum over components, which are terms
 * linked by columns of x, of the least value at the corners: with each z_j at l_j or h_j and each column of two values at one of
 * them; and H(c) of the greatest.  Then
 *
 *		sup { G(p(x, c), c, y) } <= sup { G(L(c) + u (H(c) - L(c)), c, y) : 0 <= u <= 1 }
 *
 * and if c occur in p alone, <= sup { G(u, y) : inf L <= u <= sup H }.
 *
 * Proof: what is affine in z_j for all others as they are is not greater between l_j and h_j than at one of
 * them.  So a component is no greater than where z_1 is at that end, there no greater than where z_2 is
 * at one of its ends as well, and so on: no greater than at one of the corners.  Likewise for the least.
 * So L(c) <= p(x, c) <= H(c), and p(x, c) is one of L + u (H - L).
 *
 * Any choice of x and any enclosure give a bound.  It is as tight if p takes all of these values for each c.
 * For real columns it does, as the t_j are continuous.  A column of two values, or an integer, is among x if
 * its steps are no further than the real columns can move p: for each c, or for one if c occur in p
 * alone.  Otherwise it is one of c.
 */
#include <math.h>

#include "bound/score/sums.h"

/* Columns of one component, each corner of which is an expression. */
#define MAX_LINKED 3
#define MAX_CORNERS (1 << MAX_LINKED)

/* Nodes below a term that are looked at. */
#define MAX_STEPS 500

/* An expression with a score that has so many times the instructions costs more than it gains. */
#define MOST_LONGER 2

/* Of the search for the ends of the range, which the objective may be steep in. */
#define BOXES_FOR_ENDS 1000
#define TOLERANCE_OF_ENDS 1e-11

/* How a column is part of its terms. */
typedef struct Letter
{
	const DpsNode *node;		/* t_j; NULL if there are only two values */
	double		lo;
	double		hi;
	double		step;			/* the furthest step, as a part of hi - lo; 0 of
								 * reals */
} Letter;

/* Terms linked by columns of x. */
typedef struct Component
{
	uint64_t	columns;
	int			column[MAX_LINKED];
	int			ncolumns;
	const DpsNode *corner[MAX_CORNERS]; /* bit k: column[k] is at its higher end */
	double		reach;			/* how far real columns move it */
	bool		rises[MAX_LINKED];	/* for any other columns */
	bool		falls[MAX_LINKED];
} Component;

typedef struct Mixer
{
	DpsScorer  *s;
	DpsTermList group;
	uint64_t	own;			/* x */
	uint64_t	inner;			/* c, if they occur in p alone */
	uint64_t	outer;			/* c, if they also occur elsewhere */
	uint64_t	barred;			/* may not be among x */
	Letter		letter[DPS_SCORE_DIMENSIONS];
	Component	component[DPS_SCORE_LINKS];
	int			ncomponents;
	int			widest;			/* the column of the furthest step */
	double		step;
	const DpsNode *least;		/* L */
	const DpsNode *greatest;	/* H */
	const DpsNode *width;		/* H - L, by components */
} Mixer;

#define APPLY(op, x, y) dps_apply(m->s->graph, DPS_OP_##op, DPS_FLOAT8, x, y)

/* ---- letters ---- */

/* What a column is seen through. */
typedef struct Sight
{
	uint64_t	column;
	const DpsNode *node;
	bool		several;
	int			steps;			/* left */
} Sight;

static void
see(Sight *sight, const DpsNode *node)
{
	if (sight->node != NULL && sight->node != node)
		sight->several = true;
	sight->node = node;
	if (node->type != DPS_FLOAT8 || !dps_has_one(node->variables))
		sight->several = true;
}

/* Finds the parts of the node in which it is affine, and which have the column. */
static void
look_through(Sight *sight, const DpsNode *node)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (!(node->variables & sight->column) || sight->several)
		return;
	if (sight->steps-- <= 0)
		sight->several = true;
	else if (node->type != DPS_FLOAT8)
		see(sight, node);
	else if (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB)
	{
		look_through(sight, x);
		look_through(sight, y);
	}
	else if (node->op == DPS_OP_NEG || ((node->op == DPS_OP_MUL || node->op == DPS_OP_DIV) && !(y->variables & sight->column)))
		look_through(sight, x);
	else if (node->op == DPS_OP_MUL && !(x->variables & sight->column))
		look_through(sight, y);
	else if (node->op == DPS_OP_CASE && !(x->variables & sight->column))
	{
		look_through(sight, y);
		look_through(sight, node->arg[2]);
	}
	else
		see(sight, node);
}

static bool
has_two_values(const DpsDomain *domain)
{
	return domain->integral && domain->hi - domain->lo == 1;
}

/* Sets the ends of a letter; `known` is false if it neither rises nor falls. */
static DpsStatus
measure_letter(const DpsScorer *s, Letter *letter, int j, bool *known)
{
	const DpsDomain *domain = &s->box[j];
	DpsEnclosure value;
	DpsEnclosure slope;
	DpsEnclosure low;
	DpsEnclosure high;
	DpsEnclosure unused;
	DpsInterval range;

	DPS_TRY(dps_enclose_term(s, letter->node, j, (DpsDomain) {domain->lo, domain->hi, DPS_NEVER_NULL, false}, &value, &slope));
	DPS_TRY(dps_enclose_term(s, letter->node, j, (DpsDomain) {domain->lo, domain->lo, DPS_NEVER_NULL, false}, &low, &unused));
	DPS_TRY(dps_enclose_term(s, letter->node, j, (DpsDomain) {domain->hi, domain->hi, DPS_NEVER_NULL, false}, &high, &unused));
	*known = dps_has_values(&value) && value.continuous && dps_has_values(&slope) &&
		(slope.value.lo >= 0 || slope.value.hi <= 0) && dps_has_values(&low) && dps_has_values(&high);
	if (!*known)
		return DPS_OK;
	range = dps_iv_hull(low.value, high.value);
	letter->lo = range.lo;
	letter->hi = range.hi;
	letter->step = domain->integral ? fmax(fabs(slope.value.lo), fabs(slope.value.hi)) / (range.hi - range.lo) : 0;
	return DPS_OK;
}

/* Is the column a letter of the group's terms, or one of two values? */
static DpsStatus
find_letter(Mixer *m, int j, bool *found)
{
	Sight		sight = {.column = dps_bit(j), .steps = MAX_STEPS};
	Letter	   *letter = &m->letter[j];
	int			i;

	*letter = (Letter) {.lo = m->s->box[j].lo, .hi = m->s->box[j].hi, .step = 1};
	*found = dps_may_score(m->s, j) && !(m->barred & dps_bit(j));
	if (!*found || has_two_values(&m->s->box[j]))
		return DPS_OK;
	for (i = 0; i < m->group.n; i++)
		look_through(&sight, m->group.node[i]);
	*found = sight.node != NULL && !sight.several;
	letter->node = sight.node;
	return *found ? measure_letter(m->s, letter, j, found) : DPS_OK;
}

/* ---- groups ---- */

static DpsStatus
find_letters(Mixer *m, uint64_t columns)
{
	int			j;

	m->own = 0;
	for (j = 0; j < m->s->objective->ncolumns; j++)
	{
		bool		found = false;

		if (columns & dps_bit(j))
			DPS_TRY(find_letter(m, j, &found));
		if (found)
			m->own |= dps_bit(j);
	}
	return DPS_OK;
}

/* Leaves the terms with a column of x; is there another? */
static bool
drop_terms(Mixer *m)
{
	int			n = m->group.n;
	int			i;

	for (i = n - 1; i >= 0; i--)
		if (!(m->group.node[i]->variables & m->own))
			dps_remove_term(&m->group, i);
	return m->group.n < n;
}

/* May the columns be left out as those of x are? */
static bool
may_leave_out(const Mixer *m, uint64_t columns)
{
	int			j;

	for (j = 0; j < DPS_SCORE_DIMENSIONS; j++)
		if ((columns & dps_bit(j)) && !dps_may_score(m->s, j))
			return false;
	return true;
}

/* Finds the group among the terms of the sum, and its columns. */
static DpsStatus
choose_group(Mixer *m, const DpsScoreSum *sum)
{
	bool		again = true;

	m->group = sum->terms;
	while (again && m->group.n > 0)
	{
		uint64_t	all;
		uint64_t	inside;

		dps_narrow_group(m->s, &m->group);
		all = dps_term_columns(&m->group);
		inside = all & ~dps_columns_outside(m->s, &m->group);
		DPS_TRY(find_letters(m, inside));
		m->inner = inside & ~m->own;
		m->outer = all & ~inside;
		again = false;
		if (m->outer != 0 || !may_leave_out(m, m->inner))
		{
			m->outer |= m->inner;
			m->inner = 0;
			again = drop_terms(m);
		}
	}
	return DPS_OK;
}

/* ---- components ---- */

static bool
link_terms(Mixer *m)
{
	uint64_t	left = m->own;

	m->ncomponents = 0;
	while (left != 0)
	{
		Component  *c = &m->component[m->ncomponents];
		uint64_t	before = 0;
		int			i;
		int			j;

		if (m->ncomponents == DPS_SCORE_LINKS)
			return false;
		*c = (Component) {.columns = left & -left};
		while (before != c->columns)
		{
			before = c->columns;
			for (i = 0; i < m->group.n; i++)
				if (m->group.node[i]->variables & c->columns)
					c->columns |= m->group.node[i]->variables & m->own;
		}
		left &= ~c->columns;
		m->ncomponents++;
		for (j = 0; j < DPS_SCORE_DIMENSIONS; j++)
			if (c->columns & dps_bit(j))
			{
				if (c->ncolumns == MAX_LINKED)
					return false;
				c->column[c->ncolumns++] = j;
			}
	}
	return true;
}

/* The column of x that is in most terms with others of x. */
static int
most_linked(const Mixer *m)
{
	int			most = 0;
	int			best = -1;
	int			i;
	int			j;

	for (j = 0; j < DPS_SCORE_DIMENSIONS; j++)
	{
		int			links = 0;

		if (!(m->own & dps_bit(j)))
			continue;
		for (i = 0; i < m->group.n; i++)
			links += (m->group.node[i]->variables & dps_bit(j)) != 0 && !dps_has_one(m->group.node[i]->variables & m->own);
		if (links > most)
		{
			most = links;
			best = j;
		}
	}
	return best;
}

static const DpsNode *
put_at_end(const Mixer *m, const DpsNode *node, int j, bool high)
{
	DpsGraph   *graph = m->s->graph;
	const Letter *letter = &m->letter[j];
	double		end = high ? letter->hi : letter->lo;

	if (node == NULL || !(node->variables & dps_bit(j)))
		return node;
	if (letter->node == NULL)
		return dps_substitute(graph, node, j, dps_constant(graph, graph->variables[j].type, end));
	return dps_replace(graph, node, letter->node, dps_constant(graph, DPS_FLOAT8, end));
}

/* Makes the corners; `known` is false if a column is left in one. */
static DpsStatus
make_corners(const Mixer *m, Component *c, bool *known)
{
	const DpsNode *sum = dps_constant(m->s->graph, DPS_FLOAT8, 0);
	int			corner;
	int			k;
	int			i;

	for (i = 0; i < m->group.n && sum != NULL; i++)
		if (m->group.node[i]->variables & c->columns)
			sum = dps_add_term(m->s->graph, sum, m->group.node[i], m->group.negated[i]);
	for (corner = 0; corner < 1 << c->ncolumns; corner++)
	{
		c->corner[corner] = sum;
		for (k = 0; k < c->ncolumns; k++)
			c->corner[corner] = put_at_end(m, c->corner[corner], c->column[k], corner >> k & 1);
		if (c->corner[corner] == NULL)
			return DPS_NOMEM;
		*known = *known && !(c->corner[corner]->variables & c->columns);
	}
	return DPS_OK;
}

/* How far column k moves the component, whatever the others are. */
static DpsStatus
enclose_move(const Mixer *m, const Component *c, int k, DpsInterval *move, double *least, bool *known)
{
	const DpsScorer *s = m->s;
	int			corner;

	*known = true;
	*least = INFINITY;
	*move = DPS_EMPTY;
	for (corner = 0; corner < 1 << c->ncolumns && *known; corner++)
	{
		const DpsNode *difference;
		const DpsProgram *program;
		DpsEnclosure *e;
		DpsInterval own;

		if (corner >> k & 1)
			continue;
		difference = APPLY(SUB, c->corner[corner | 1 << k], c->corner[corner]);
		if (difference == NULL)
			return DPS_NOMEM;
		DPS_TRY(dps_compile(s->graph, &difference, 1, &program));
		e = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * program->ninstructions);
		if (e == NULL)
			return DPS_NOMEM;
		dps_enclose(program, s->box, e);
		*known = dps_has_values(&e[dps_program_outputs(program)[0]]);
		own = e[dps_program_outputs(program)[0]].value;
		*least = fmin(*least, dps_iv_abs(own).lo);
		*move = dps_iv_is_empty(*move) ? own : dps_iv_hull(*move, own);
	}
	return DPS_OK;
}

/* Sets what the component's columns do, and notes the furthest step. */
static DpsStatus
measure_component(Mixer *m, Component *c, bool *known)
{
	int			k;

	*known = true;
	for (k = 0; k < c->ncolumns && *known; k++)
	{
		double		part = m->letter[c->column[k]].step;
		DpsInterval move;
		double		least;

		DPS_TRY(enclose_move(m, c, k, &move, &least, known));
		c->rises[k] = move.lo >= 0;
		c->falls[k] = move.hi <= 0;
		if (part == 0)
			c->reach = fmax(c->reach, m->outer != 0 ? least : dps_iv_abs(move).hi);
		else if (dps_iv_abs(move).hi * part > m->step)
		{
			m->step = dps_iv_abs(move).hi * part;
			m->widest = c->column[k];
		}
	}
	return DPS_OK;
}

/* The least or the greatest corner. */
static const DpsNode *
extreme_corner(const Mixer *m, const Component *c, bool greatest)
{
	const DpsNode *extreme = NULL;
	int			corner;
	int			k;

	for (corner = 0; corner < 1 << c->ncolumns; corner++)
	{
		bool		needed = true;

		for (k = 0; k < c->ncolumns; k++)
			if (c->rises[k] || c->falls[k])
				needed = needed && (corner >> k & 1) == (c->rises[k] == greatest);
		if (!needed)
			continue;
		if (extreme == NULL)
			extreme = c->corner[corner];
		else
			extreme = greatest ? APPLY(GREATEST, extreme, c->corner[corner]) : APPLY(LEAST, extreme, c->corner[corner]);
	}
	return extreme;
}

/* The terms without a column of x. */
static const DpsNode *
add_others(const Mixer *m)
{
	const DpsNode *sum = dps_constant(m->s->graph, DPS_FLOAT8, 0);
	int			i;

	for (i = 0; i < m->group.n && sum != NULL; i++)
		if (!(m->group.node[i]->variables & m->own))
			sum = dps_add_term(m->s->graph, sum, m->group.node[i], m->group.negated[i]);
	return sum;
}

/* Sets L and H - L; `known` is false if the real columns do not reach as far as a step. */
static DpsStatus
add_components(Mixer *m, bool *known)
{
	double		reach = 0;
	int			i;

	m->step = 0;
	m->widest = -1;
	m->width = dps_constant(m->s->graph, DPS_FLOAT8, 0);
	m->least = m->greatest = add_others(m);
	*known = true;
	for (i = 0; i < m->ncomponents && *known; i++)
	{
		Component  *c = &m->component[i];
		const DpsNode *least;
		const DpsNode *greatest;
		const DpsNode *width;

		DPS_TRY(make_corners(m, c, known));
		if (*known)
			DPS_TRY(measure_component(m, c, known));
		reach += c->reach;
		least = extreme_corner(m, c, false);
		greatest = extreme_corner(m, c, true);
		if (c->ncolumns == 1 && !c->rises[0] && !c->falls[0])
			width = APPLY(ABS, APPLY(SUB, c->corner[1], c->corner[0]), NULL);
		else
			width = APPLY(SUB, greatest, least);
		m->least = APPLY(ADD, m->least, least);
		m->greatest = APPLY(ADD, m->greatest, greatest);
		m->width = APPLY(ADD, m->width, width);
	}
	if (m->least == NULL || m->greatest == NULL || m->width == NULL)
		return DPS_NOMEM;
	*known = *known && m->step <= reach;
	return DPS_OK;
}

/* ---- scores ---- */

/* The supremum of an expression of the columns c; `known` if it is as close as it should be. */
static DpsStatus
bound_end(const DpsScorer *s, const DpsNode *node, DpsBracket *bracket, DpsScore *score, bool *known)
{
	DpsObjective end = {.node = node, .box = s->box, .ncolumns = s->objective->ncolumns, .floor = -INFINITY, .real = true};
	DpsBoundOptions options = {.tolerance = TOLERANCE_OF_ENDS, .max_boxes = BOXES_FOR_ENDS};

	if (node == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_search(s->graph, &end, &options, bracket));
	score->boxes += bracket->boxes;
	*known = bracket->status == DPS_OK && !bracket->empty && !bracket->exhausted;
	return DPS_OK;
}

/* The range of the sum over all columns; `known` if there is one. */
static DpsStatus
bound_sum(const Mixer *m, DpsScore *score, bool *known)
{
	DpsBracket	bracket;

	DPS_TRY(bound_end(m->s, APPLY(NEG, m->least, NULL), &bracket, score, known));
	if (!*known)
		return DPS_OK;
	score->range.lo = -bracket.upper;
	score->lowest = bracket.witness;
	DPS_TRY(bound_end(m->s, m->greatest, &bracket, score, known));
	score->range.hi = bracket.upper;
	score->highest = bracket.witness;
	*known = *known && score->range.lo < score->range.hi;
	return DPS_OK;
}

/* The column that stands for the score: a real one of double precision; -1 if there is none. */
static int
choose_column(const Mixer *m)
{
	int			j;

	for (j = 0; j < m->s->objective->ncolumns; j++)
		if (((m->own | m->inner) & dps_bit(j)) && !m->s->box[j].integral && m->s->graph->variables[j].type == DPS_FLOAT8)
			return j;
	return -1;
}

static uint64_t
steps_of(const Mixer *m, uint64_t columns)
{
	uint64_t	steps = 0;
	int			j;

	for (j = 0; j < m->s->objective->ncolumns; j++)
		if ((columns & dps_bit(j)) && m->s->box[j].integral)
			steps |= dps_bit(j);
	return steps;
}

/* Is the objective affine in this letter? */
static bool
is_affine_in(const Mixer *m, int j)
{
	Sight		sight = {.column = dps_bit(j), .steps = MAX_STEPS};

	look_through(&sight, m->s->objective->node);
	return !sight.several && sight.node == m->letter[j].node;
}

/* Is the objective affine, or rises or falls, in each real column of x?  Then it is greatest at their ends, which
 * a search by boxes sees without a score. */
static DpsStatus
is_greatest_at_ends(const Mixer *m, bool *at_ends)
{
	const DpsScorer *s = m->s;
	const DpsNode *gradient[DPS_SCORE_DIMENSIONS];
	const DpsProgram *program;
	DpsEnclosure *e;
	int			j;

	*at_ends = true;
	DPS_TRY(dps_gradient(s->graph, s->objective->node, gradient));
	DPS_TRY(dps_compile(s->graph, gradient, s->objective->ncolumns, &program));
	e = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (e == NULL)
		return DPS_NOMEM;
	dps_enclose(program, s->box, e);
	for (j = 0; j < s->objective->ncolumns && *at_ends; j++)
	{
		const DpsEnclosure *slope = &e[dps_program_outputs(program)[j]];

		if ((m->own & dps_bit(j)) && m->letter[j].node != NULL && !is_affine_in(m, j))
			*at_ends = dps_has_values(slope) && (slope->value.lo >= 0 || slope->value.hi <= 0);
	}
	return DPS_OK;
}

/* Chooses columns of the sum by which it is a score, if there are such. */
static DpsStatus
choose_columns(Mixer *m, const DpsScoreSum *sum, bool *found)
{
	bool		at_ends;

	for (;;)
	{
		*found = false;
		DPS_TRY(choose_group(m, sum));
		if (m->group.n == 0 || m->own == 0 || dps_has_one(m->own | m->inner))
			return DPS_OK;
		DPS_TRY(is_greatest_at_ends(m, &at_ends));
		if (at_ends)
			return DPS_OK;
		m->widest = -1;
		if (!link_terms(m))
			m->widest = most_linked(m);
		else
			DPS_TRY(add_components(m, found));
		if (*found || m->widest < 0)
			return DPS_OK;
		m->barred |= dps_bit(m->widest);
	}
}

/* The instructions of the expression and its slopes. */
static DpsStatus
count_work(const Mixer *m, const DpsNode *node, uint32_t *work)
{
	const DpsNode *outputs[DPS_SCORE_DIMENSIONS];
	const DpsProgram *program;

	DPS_TRY(dps_gradient(m->s->graph, node, outputs));
	DPS_TRY(dps_compile(m->s->graph, outputs, m->s->objective->ncolumns, &program));
	*work = program->ninstructions;
	return DPS_OK;
}

/* Puts the sum's range, or its ends, in its place; not if boxes then take too long. */
static DpsStatus
put_in_place(const Mixer *m, DpsObjective *objective, const DpsScore *score, const DpsNode *stand_in, bool *done)
{
	DpsObjective reduced = *objective;
	uint32_t	before;
	uint32_t	after;

	DPS_TRY(dps_apply_score(m->s, &reduced, &m->group, score, stand_in, done));
	if (!*done)
		return DPS_OK;
	DPS_TRY(count_work(m, objective->node, &before));
	DPS_TRY(count_work(m, reduced.node, &after));
	*done = after <= MOST_LONGER * before;
	if (*done)
		*objective = reduced;
	return DPS_OK;
}

static DpsStatus
take_sum(Mixer *m, DpsObjective *objective, DpsDomain *box, DpsScore *score, bool *found)
{
	const DpsNode *stand_in;
	int			i;

	*score = (DpsScore) {.part = dps_constant(m->s->graph, DPS_FLOAT8, 0), .mixed = true};
	score->column = choose_column(m);
	score->columns = m->own | m->inner;
	score->steps = steps_of(m, score->columns);
	score->shared = m->outer != 0;
	score->range = dps_iv(0, 1);
	*found = score->column >= 0;
	if (!*found)
		return DPS_OK;
	if (!score->shared)
		DPS_TRY(bound_sum(m, score, found));
	if (!*found)
		return DPS_OK;
	for (i = 0; i < m->group.n; i++)
		score->part = dps_add_term(m->s->graph, score->part, m->group.node[i], m->group.negated[i]);
	if (score->part == NULL)
		return DPS_NOMEM;
	for (i = 0; i < m->ncomponents; i++)
		score->link[i] = m->component[i].columns;
	score->nlinks = m->ncomponents;
	/* what SQL computes must be proved defined, and is no longer there */
	if (objective->nguards == 0 && !objective->real)
		DPS_TRY(dps_has_values_on(m->s->graph, m->s->arena, score->part, m->s->box, found));
	if (!*found)
		return DPS_OK;
	stand_in = dps_variable(m->s->graph, score->column);
	if (score->shared)
		stand_in = APPLY(ADD, m->least, APPLY(MUL, stand_in, m->width));
	DPS_TRY(put_in_place(m, objective, score, stand_in, found));
	if (*found)
		box[score->column] = (DpsDomain) {score->range.lo, score->range.hi, DPS_NEVER_NULL, false};
	return DPS_OK;
}

DpsStatus
dps_take_mixed_score(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box, uint64_t taken,
					 DpsScore *score, bool *found)
{
	DpsScorer	s = {.graph = graph, .arena = scratch, .objective = objective, .box = box, .taken = taken};
	int			i;

	*found = false;
	DPS_TRY(dps_scorer_init(&s));
	for (i = 0; i < s.nsums && !*found; i++)
	{
		Mixer	   *m = dps_arena_alloc(scratch, sizeof(Mixer));

		if (m == NULL)
			return DPS_NOMEM;
		*m = (Mixer) {.s = &s};
		DPS_TRY(choose_columns(m, &s.sum[i], found));
		if (*found)
			DPS_TRY(take_sum(m, objective, box, score, found));
	}
	return DPS_OK;
}
