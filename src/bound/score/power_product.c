/*
 * power_product.c
 *		Products of powers of columns, as one dimension.
 *
 * The risk 1 - exp(-i q p t / v) and all that is derived of it by i depend on q, p, t and v through
 * u = q p t / v alone.  A search over the four finds the greatest value along a surface, which no few
 * boxes cover; over u it finds a point.
 *
 * Needs: letters x_a, x_b ..., which are columns, of which none is negative or NULL, and an objective whose expression
 * is made of
 *
 * - monomials: what products, quotients, negatives and powers with constant exponents make of columns and
 *	 other expressions.  The exponents of x_a, x_b ... in each are a multiple k of the same r_a = 1, r_b ...;
 * - and what other operations make of monomials and constants.
 *
 * Claim: with u = x_a x_b^r_b ..., the expression has the same value, or has none likewise, where x_a is u and
 * x_b ... are 1, all other columns being the same.
 *
 * Proof, by induction over the expression: it is enough for monomials.  For x > 0 and any B and c,
 * (x B)^c = x^c B^c, and both sides are defined for the same B.  So positive columns can be taken to the front: the
 * monomial is x_a^k x_b^(k r_b) ... M = u^k M, with an M in which they do not occur.  Where some of the columns
 * are 0, u is 0, since these have r > 0; and x_a and the columns that can be 0 have, in each monomial,
 * integer exponents of one sign.  If it is positive, then nothing with them is below a line: the monomial is 0 on both sides, where M
 * is defined.  If it is negative, something with them is, which is 0 on both sides, so that neither is defined.
 *
 * So sup over the columns is at most the sup over u in U, for U that has all values of u.  It is as great if
 * u takes every value of U: a product of powers of reals does, between its values at ends; with integers the values for
 * fixed integers are an interval, and intervals of neighbours overlap if no step of an integer multiplies by more than
 * the reals can (as for sums, score.c).
 *
 * What is said of a column holds as well of an expression of one column that occurs in its place everywhere: it is
 * a letter here.  Letters are continuous and rise or fall, so that they take every value between their
 * ends.
 *
 * Exponents are multiples of 1/4 below 2^10, so that sums and products of two of them are exact.
 */
#include <math.h>

#include "bound/score/power_product.h"
#include "bound/score/sums.h"
#include "bound/terms.h"

#define MAX_MONOMIALS 128
#define MAX_EXPONENT 1024
#define MAX_STEPS 2000

/* Steps of an integer are compared with this much to spare. */
#define SPARE 1e-9

typedef struct Monomial
{
	uint64_t	columns;		/* with an exponent */
	uint64_t	mixed;			/* those with exponents of both signs, or that are no
								 * integers */
	double		exponent[DPS_SCORE_DIMENSIONS];
} Monomial;

/* What stands for a column in monomials: the column, or an expression of it alone that rises or
 * falls. */
typedef struct Letter
{
	const DpsNode *node;		/* NULL if there is none yet */
	bool		measured;
	bool		falls;
	double		lo;
	double		hi;
} Letter;

typedef struct Collector
{
	DpsGraph   *graph;
	DpsArena   *arena;
	const DpsDomain *box;
	Letter		letter[DPS_SCORE_DIMENSIONS];
	int			ncolumns;
	uint64_t	refused;		/* columns that may not be a part */
	Monomial   *monomial;
	int			n;
	int			steps;			/* left */
	bool	   *seen;			/* by node id */
} Collector;

/* ---- monomials ---- */

/* The constant exponent of a power, the two of a square and so on; 0 if the node is none, or if
 * sums of such exponents might be rounded. */
static double
power_of(const DpsNode *node)
{
	const DpsNode *y = node->arg[node->nargs - 1];
	double		power = 0;

	if (node->type != DPS_FLOAT8)
		return 0;
	if (node->op == DPS_OP_SQR)
		return 2;
	if (node->op == DPS_OP_SQRT)
		return 0.5;
	if (node->op == DPS_OP_NEG)
		return 1;
	if (node->op == DPS_OP_POW && y->op == DPS_OP_CONST && y->exact == NULL)
		power = y->value;
	return fabs(power) < MAX_EXPONENT && power * 4 == rint(power * 4) ? power : 0;
}

static bool
is_quotient(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV);
}

static void
add_power(Collector *c, Monomial *m, const DpsNode *letter, double exponent)
{
	int			column = __builtin_ctzll(letter->variables);
	double	   *own = &m->exponent[column];

	if (c->letter[column].node == NULL)
		c->letter[column].node = letter;
	if (c->letter[column].node != letter)
		c->refused |= dps_bit(column);
	if (*own * exponent < 0 || exponent != rint(exponent))
		m->mixed |= dps_bit(column);
	*own += exponent;
	m->columns |= dps_bit(column);
	if (!(fabs(*own) < MAX_EXPONENT) || *own * 4 != rint(*own * 4))
		c->refused |= dps_bit(column);
}

/* An expression of one column. */
static bool
is_letter(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && (node->variables & (node->variables - 1)) == 0;
}

static void collect(Collector *c, const DpsNode *node);

static void
multiply(Collector *c, Monomial *m, const DpsNode *node, double exponent)
{
	const DpsNode *inner = dps_uncast(node);

	if (node->variables == 0)
		return;
	if (c->steps-- <= 0 || !(fabs(exponent) < MAX_EXPONENT))
		c->refused |= node->variables;
	else if (inner->op == DPS_OP_VAR)
		add_power(c, m, inner, exponent);
	else if (is_quotient(node))
	{
		multiply(c, m, node->arg[0], exponent);
		multiply(c, m, node->arg[1], node->op == DPS_OP_DIV ? -exponent : exponent);
	}
	else if (power_of(node) != 0)
	{
		if (power_of(node) != rint(power_of(node)))
			m->mixed |= node->variables;
		multiply(c, m, node->arg[0], exponent * power_of(node));
	}
	else if (is_letter(node))
		add_power(c, m, node, exponent);
	else
		collect(c, node);
}

/* Adds the monomials that the node is made of. */
static void
collect(Collector *c, const DpsNode *node)
{
	const DpsNode *inner;
	int			i;

	if (node == NULL || node->variables == 0 || c->seen[node->id])
		return;
	c->seen[node->id] = true;
	inner = dps_uncast(node);
	if (inner->op == DPS_OP_VAR || is_quotient(node) || power_of(node) != 0 || is_letter(node))
	{
		/* it may be used up by what is below */
		int			own = c->n < MAX_MONOMIALS ? c->n++ : -1;

		if (own < 0)
			c->refused |= node->variables;
		else
			multiply(c, &c->monomial[own], node, 1);
		return;
	}
	for (i = 0; i < node->nargs; i++)
		collect(c, node->arg[i]);
}

/* ---- groups ---- */

/* Has each monomial the columns' exponents in the proportion of this one? */
static bool
go_together(const Collector *c, const Monomial *model, int a, int b)
{
	int			i;

	for (i = 0; i < c->n; i++)
	{
		const Monomial *m = &c->monomial[i];

		if (m->exponent[a] * model->exponent[b] != m->exponent[b] * model->exponent[a])
			return false;
	}
	return true;
}

/* Sets the range of a letter; refuses its column if it is not known to rise or to fall. */
static DpsStatus
measure_letter(Collector *c, int j)
{
	Letter	   *letter = &c->letter[j];
	DpsEnclosure value;
	DpsEnclosure slope;

	letter->measured = true;
	letter->lo = c->box[j].lo;
	letter->hi = c->box[j].hi;
	if (letter->node->op == DPS_OP_VAR)
		return DPS_OK;
	DPS_TRY(dps_enclose_with_slope(c->graph, c->arena, letter->node, j, c->box, &value, &slope));
	letter->lo = value.value.lo;
	letter->hi = value.value.hi;
	letter->falls = slope.value.hi <= 0;
	if (c->box[j].integral || !dps_has_values(&value) || !value.continuous || !dps_has_values(&slope) ||
		(slope.value.lo < 0 && slope.value.hi > 0))
		c->refused |= dps_bit(j);
	return DPS_OK;
}

static DpsStatus
admit(Collector *c, int j, bool *admitted)
{
	Letter	   *letter = &c->letter[j];

	*admitted = false;
	if (j >= c->ncolumns || (c->refused & dps_bit(j)) || letter->node == NULL || c->box[j].nullness != DPS_NEVER_NULL)
		return DPS_OK;
	if (!letter->measured)
		DPS_TRY(measure_letter(c, j));
	*admitted = !(c->refused & dps_bit(j)) && letter->lo >= 0 && letter->lo < letter->hi;
	return DPS_OK;
}

/* Has the column, in each monomial, integer exponents of one sign? */
static bool
has_one_sign(const Collector *c, int j)
{
	int			i;

	for (i = 0; i < c->n; i++)
		if (c->monomial[i].mixed & dps_bit(j))
			return false;
	return true;
}

/* The exponents of a product of powers. */
typedef struct Group
{
	uint64_t	columns;
	int			leader;			/* the column that stands for it, with the exponent 1 */
	double		exponent[DPS_SCORE_DIMENSIONS];
} Group;

static bool
add_to_group(const Collector *c, const Monomial *model, Group *group, int j)
{
	double		ratio = model->exponent[j] / model->exponent[group->leader];

	/* the quotient of multiples of 1/4 is exact if it is one */
	if (!(fabs(ratio) < MAX_EXPONENT) || ratio * 4 != rint(ratio * 4) || ratio == 0)
		return false;
	if (c->letter[j].lo == 0 && !(ratio > 0 && has_one_sign(c, j) && has_one_sign(c, group->leader)))
		return false;
	group->columns |= dps_bit(j);
	group->exponent[j] = ratio;
	return true;
}

/* The columns that always occur with the leader, as powers of it; not `formed` if there are
 * none. */
static DpsStatus
form_group(Collector *c, const Monomial *model, int leader, bool integers, Group *group, bool *formed)
{
	int			j;

	*group = (Group) {.leader = leader};
	*formed = false;
	if (c->graph->variables[leader].type != DPS_FLOAT8 || c->box[leader].integral || !add_to_group(c, model, group, leader))
		return DPS_OK;
	for (j = 0; j < c->ncolumns; j++)
	{
		bool		admitted;

		if (j == leader || !(model->columns & dps_bit(j)) || (!integers && c->box[j].integral) || !go_together(c, model, leader, j))
			continue;
		DPS_TRY(admit(c, j, &admitted));
		if (admitted)
			(void) add_to_group(c, model, group, j);
	}
	*formed = (group->columns & (group->columns - 1)) != 0;
	return DPS_OK;
}

/* Do the values of the product leave no gaps? */
static bool
is_gapless(const Collector *c, const Group *group)
{
	double		reach = 0;
	double		step = 0;
	int			j;

	for (j = 0; j < c->ncolumns; j++)
	{
		const Letter *letter = &c->letter[j];

		if (!(group->columns & dps_bit(j)))
			continue;
		if (c->box[j].integral)
			step = fmax(step, fabs(group->exponent[j]) * log((letter->lo + 1) / letter->lo));
		else
			reach += fabs(group->exponent[j]) * log(letter->hi / letter->lo);
	}
	return reach == INFINITY || step * (1 + SPARE) <= reach;
}

/* ---- the objective with the product as a column ---- */

static DpsStatus
measure_group(const Collector *c, const Group *group, DpsScore *score, bool *known)
{
	DpsGraph   *graph = c->graph;
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	const DpsEnclosure *e;
	int			j;

	*score = (DpsScore) {.part = dps_constant(graph, DPS_FLOAT8, 1), .column = group->leader, .columns = group->columns};
	for (j = 0; j < c->ncolumns; j++)
	{
		const DpsNode *power;

		if (!(group->columns & dps_bit(j)))
			continue;
		power = dps_apply(graph, DPS_OP_POW, DPS_FLOAT8, dps_as_float8(graph, c->letter[j].node),
						  dps_constant(graph, DPS_FLOAT8, fabs(group->exponent[j])));
		score->part = dps_apply(graph, group->exponent[j] < 0 ? DPS_OP_DIV : DPS_OP_MUL, DPS_FLOAT8, score->part, power);
		if (c->letter[j].falls != (group->exponent[j] < 0))
			score->falling |= dps_bit(j);
		if (c->box[j].integral)
			score->steps |= dps_bit(j);
	}
	if (score->part == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_compile(graph, &score->part, 1, &program));
	enclosures = dps_arena_alloc(c->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(program, c->box, enclosures);
	e = &enclosures[dps_program_outputs(program)[0]];
	score->range = e->value;
	*known = dps_has_values(e) && e->value.lo >= 0;
	return DPS_OK;
}

/* Puts the stand-in in the place of the leader's letter, and 1 in that of the others. */
static const DpsNode *
put_in_place(const Collector *c, const DpsNode *node, const Group *group, const DpsNode *stand_in)
{
	int			j;

	for (j = 0; j < c->ncolumns && node != NULL; j++)
	{
		const DpsNode *letter = c->letter[j].node;

		if (group->columns & node->variables & dps_bit(j))
			node = dps_replace(c->graph, node, letter, j == group->leader ? stand_in : dps_constant(c->graph, letter->type, 1));
	}
	return node;
}

/* The columns of the group that are left with a number in the leader's place.  It is one by which no
 * term vanishes. */
static DpsStatus
columns_left(const Collector *c, const DpsNode *node, const Group *group, uint64_t *left)
{
	const DpsNode *without;

	if (node == NULL)
		return DPS_OK;
	without = put_in_place(c, node, group, dps_constant(c->graph, DPS_FLOAT8, 0.7310585786));
	if (without == NULL)
		return DPS_NOMEM;
	*left |= without->variables & group->columns;
	return DPS_OK;
}

/* Whatever chose the letters, nothing else may depend on their columns. */
static DpsStatus
apply_group(const Collector *c, DpsObjective *objective, DpsDomain *box, const Group *group, const DpsScore *score, bool *applied)
{
	const DpsNode *stand_in = dps_variable(c->graph, group->leader);
	uint64_t	left = 0;

	DPS_TRY(columns_left(c, objective->node, group, &left));
	DPS_TRY(columns_left(c, objective->cover, group, &left));
	*applied = left == 0;
	if (!*applied)
		return DPS_OK;
	objective->node = put_in_place(c, objective->node, group, stand_in);
	if (objective->cover != NULL)
	{
		objective->cover = put_in_place(c, objective->cover, group, stand_in);
		if (objective->cover == NULL)
			return DPS_NOMEM;
	}
	objective->real = true;
	box[group->leader].lo = score->range.lo;
	box[group->leader].hi = score->range.hi;
	return objective->node == NULL ? DPS_NOMEM : DPS_OK;
}

/* ---- together ---- */

/* What SQL computes has to have values all over the box, so that no part of a product can be
 * out of range. */
static DpsStatus
has_values(DpsGraph *graph, DpsArena *scratch, const DpsObjective *objective, const DpsDomain *box, bool *has)
{
	*has = objective->real || objective->nguards > 0;
	return *has ? DPS_OK : dps_has_values_on(graph, scratch, objective->node, box, has);
}

/* The first group that there is, with as many columns as go together. */
static DpsStatus
find_group(Collector *c, Group *group, bool *found)
{
	int			i;
	int			j;

	*found = false;
	for (i = 0; i < c->n; i++)
	{
		const Monomial *model = &c->monomial[i];

		for (j = 0; j < c->ncolumns; j++)
		{
			if (!(model->columns & dps_bit(j)) || model->exponent[j] == 0 || (model->columns & (model->columns - 1)) == 0)
				continue;
			DPS_TRY(admit(c, j, found));
			if (*found)
				DPS_TRY(form_group(c, model, j, true, group, found));
			if (*found && !is_gapless(c, group))
				DPS_TRY(form_group(c, model, j, false, group, found));
			if (*found)
				return DPS_OK;
		}
	}
	return DPS_OK;
}

DpsStatus
dps_take_product(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box, uint64_t taken,
				 DpsScore *score, bool *found)
{
	Collector	c = {.graph = graph, .arena = scratch, .box = box, .ncolumns = objective->ncolumns, .refused = taken, .steps = MAX_STEPS};
	Group		group;
	int			i;

	*found = false;
	if (objective->partial)
		return DPS_OK;
	for (i = 0; i < objective->nguards; i++)
		c.refused |= objective->guards[i]->variables;
	c.monomial = dps_arena_alloc(scratch, sizeof(Monomial) * MAX_MONOMIALS);
	c.seen = dps_arena_alloc(scratch, sizeof(bool) * graph->nnodes);
	if (c.monomial == NULL || c.seen == NULL)
		return DPS_NOMEM;
	collect(&c, objective->node);
	collect(&c, objective->cover);
	DPS_TRY(find_group(&c, &group, found));
	if (*found)
		DPS_TRY(has_values(graph, scratch, objective, box, found));
	if (*found)
		DPS_TRY(measure_group(&c, &group, score, found));
	return *found ? apply_group(&c, objective, box, &group, score, found) : DPS_OK;
}
