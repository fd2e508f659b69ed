/*
 * compound.c
 *		Parts of a program that are functions of one value, and products of
 *		such parts.
 *
 * A risk score s enters its own derivative as exp(s) / (1 + exp(s))^2: one value
 * in several places, which an enclosure takes for unrelated values.  But a
 * function of one value is easy to bound: by its second derivative where that
 * has one sign, else piece by piece.
 *
 * The base of a node is the one value that the node is a function of.  Columns,
 * and nodes that join different bases, are their own bases.  In a product,
 * factors of one base are brought together, exp(u + v) counting as exp(u)
 * exp(v).  The graph's constructors do the same, so the parts are the same
 * functions, as exact values, wherever the product is defined.
 */
#include <math.h>
#include <string.h>

#include "bound/relax/compound.h"
#include "bound/relax/factor.h"

#define MAX_PRODUCTS 80
#define MAX_FLAT 40
#define PIECES 4

/* A profile is made when a compound was asked for so often. */
#define ASKED_BEFORE_PROFILE 16

/* It is made again for a larger domain so many times. */
#define MAX_PROFILES 6

/* Two derivatives of a taller function cost more than they gain. */
#define MAX_HEIGHT 24

typedef struct Finder
{
	DpsGraph   *graph;
	DpsArena   *arena;
	DpsCompounds *found;
	const DpsProgram *program;
	uint32_t	limit;			/* ids of the program's nodes are below this */
	const DpsNode **nodes;		/* of each instruction */
	uint32_t   *instruction;	/* by id, plus 1 */
	uint32_t	known;			/* ids up to here have an entry in bases */
	const DpsNode **bases;		/* by id; NULL until found */
} Finder;

/* Factors or terms of a node. */
typedef struct Flat
{
	int			n;
	const DpsNode *node[MAX_FLAT];
	bool		opposite[MAX_FLAT];
} Flat;

static bool
is_smooth_operation(const DpsNode *node)
{
	if (node->nargs == 0 || node->op == DPS_OP_CASE || node->nullable)
		return false;
	return !(dps_ops[node->op].flags & (DPS_LOGICAL | DPS_NULL_IF_ALL | DPS_NULL_NEVER)) &&
		(node->type == DPS_FLOAT8 || node->type == DPS_NUMERIC);
}

/* The value that a node is a function of; NULL for a constant. */
static const DpsNode *
base_of(const Finder *f, const DpsNode *node)
{
	const DpsNode *x;
	const DpsNode *y;
	const DpsNode *base;

	if (node->variables == 0)
		return NULL;
	if (!is_smooth_operation(node))
		return node;
	if (node->id < f->known && f->bases[node->id] != NULL)
		return f->bases[node->id];
	x = base_of(f, node->arg[0]);
	y = node->nargs > 1 ? base_of(f, node->arg[1]) : NULL;
	if (x == NULL || y == NULL)
		base = x == NULL ? y : x;
	else
		base = x == y ? x : node;
	if (node->id < f->known)
		f->bases[node->id] = base;
	return base;
}

/* Does the base occur more than once? */
static bool
joins(const DpsNode *node, const DpsNode *base)
{
	while (node != base)
	{
		const DpsNode *next = node->arg[0];

		if (node->nargs == 2 && next->variables != 0 && node->arg[1]->variables != 0)
			return true;
		node = next->variables != 0 ? next : node->arg[1];
	}
	return false;
}

static bool
add_flat(Flat *flat, const DpsNode *node, bool opposite)
{
	if (flat->n == MAX_FLAT)
		return false;
	flat->node[flat->n] = node;
	flat->opposite[flat->n++] = opposite;
	return true;
}

static bool
flatten_sum(Flat *flat, const DpsNode *node, bool opposite)
{
	if (node->type != DPS_FLOAT8)
		return add_flat(flat, node, opposite);
	if (node->op == DPS_OP_NEG)
		return flatten_sum(flat, node->arg[0], !opposite);
	if (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB)
		return flatten_sum(flat, node->arg[0], opposite) &&
			flatten_sum(flat, node->arg[1], opposite != (node->op == DPS_OP_SUB));
	return add_flat(flat, node, opposite);
}

static const DpsNode *
join(DpsGraph *graph, DpsOpcode with, DpsOpcode against, const DpsNode *sum, const DpsNode *node, bool opposite)
{
	return dps_apply(graph, opposite ? against : with, DPS_FLOAT8, sum, dps_as_float8(graph, node));
}

/* Adds exp(sum) as one factor exp() for each base of the sum's terms. */
static bool
split_exp(Finder *f, Flat *flat, const DpsNode *node, bool inverse)
{
	Flat		terms = {0};
	bool		used[MAX_FLAT] = {false};
	int			i;
	int			j;

	if (!flatten_sum(&terms, node->arg[0], inverse))
		return add_flat(flat, node, inverse);
	for (i = 0; i < terms.n; i++)
	{
		const DpsNode *base = base_of(f, terms.node[i]);
		const DpsNode *sum = dps_constant(f->graph, DPS_FLOAT8, 0);

		if (used[i])
			continue;
		for (j = i; j < terms.n; j++)
		{
			if (used[j] || base_of(f, terms.node[j]) != base)
				continue;
			used[j] = true;
			sum = join(f->graph, DPS_OP_ADD, DPS_OP_SUB, sum, terms.node[j], terms.opposite[j]);
		}
		sum = dps_apply(f->graph, DPS_OP_EXP, DPS_FLOAT8, sum, NULL);
		if (sum == NULL || !add_flat(flat, sum, false))
			return false;
	}
	return true;
}

static bool
flatten_product(Flat *flat, const DpsNode *node, bool inverse)
{
	if (node->type == DPS_FLOAT8 && node->variables != 0)
	{
		if (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV)
			return flatten_product(flat, node->arg[0], inverse) &&
				flatten_product(flat, node->arg[1], inverse != (node->op == DPS_OP_DIV));
	}
	return add_flat(flat, node, inverse);
}

/* Does another factor have the same base? */
static bool
has_company(const Finder *f, const Flat *flat, int i)
{
	const DpsNode *base = base_of(f, flat->node[i]);
	int			j;

	for (j = 0; j < flat->n; j++)
		if (j != i && base_of(f, flat->node[j]) == base)
			return true;
	return false;
}

/* Splits exp(u + v) unless another factor is a function of u + v; false if
 * that makes too many factors. */
static bool
split_exps(Finder *f, Flat *flat)
{
	Flat		before = *flat;
	int			i;

	flat->n = 0;
	for (i = 0; i < before.n; i++)
	{
		const DpsNode *node = before.node[i];
		bool		split = node->type == DPS_FLOAT8 && node->op == DPS_OP_EXP &&
			base_of(f, node) == node->arg[0] && !has_company(f, &before, i);

		if (!(split ? split_exp(f, flat, node, before.opposite[i]) : add_flat(flat, node, before.opposite[i])))
			return false;
	}
	return true;
}

/* A column that can stand for the base; -1 if none is of its type. */
static int
stand_in(const DpsGraph *graph, const DpsNode *base)
{
	int			j;

	if (base->op == DPS_OP_VAR)
		return base->variable;
	for (j = 0; j < graph->nvariables; j++)
		if ((base->variables & (UINT64_C(1) << j)) && graph->variables[j].type == base->type &&
			!graph->variables[j].nullable)
			return j;
	return -1;
}

static DpsStatus
compile_compound(Finder *f, DpsCompound *c, bool *done)
{
	const DpsNode *outputs[3];
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *variable = dps_variable(f->graph, c->f.variable);
	int			k;

	*done = false;
	outputs[0] = c->node;
	if (variable != c->base)
		outputs[0] = dps_replace(f->graph, c->node, c->base, variable);
	if (outputs[0] == NULL || variable == NULL)
		return DPS_NOMEM;
	/* the base may be taken apart when the expression is simplified */
	if (outputs[0]->variables != variable->variables)
		return DPS_OK;
	for (k = 1; k < 3; k++)
	{
		DPS_TRY(dps_gradient(f->graph, outputs[k - 1], gradient));
		outputs[k] = dps_together(f->graph, gradient[c->f.variable]);
		if (outputs[k] == NULL)
			return DPS_NOMEM;
	}
	*done = true;
	return dps_compile(f->graph, outputs, 3, &c->f.program);
}

/* Finds or makes the node's compound; `done` is false if it has none. */
static DpsStatus
find_compound(Finder *f, const DpsNode *node, uint32_t *index, bool *done)
{
	DpsCompounds *found = f->found;
	DpsCompound c = {.node = node, .base = base_of(f, node)};
	int			i;

	*done = false;
	for (i = 0; i < found->n; i++)
		if (found->compound[i].node == node)
		{
			*index = i;
			*done = true;
			return DPS_OK;
		}
	if (c.base == NULL || c.base == node || node->depth > c.base->depth + MAX_HEIGHT || c.base->id >= f->limit || f->instruction[c.base->id] == 0 ||
		found->n == DPS_MAX_COMPOUNDS)
		return DPS_OK;
	c.argument = f->instruction[c.base->id] - 1;
	c.f.variable = stand_in(f->graph, c.base);
	if (c.f.variable < 0)
		return DPS_OK;
	DPS_TRY(compile_compound(f, &c, done));
	if (!*done)
		return DPS_OK;
	*index = found->n;
	found->compound[found->n++] = c;
	return DPS_OK;
}

/* The factor as an instruction before the product; false if there is none. */
static bool
find_earlier(const Finder *f, const DpsProduct *product, const DpsNode *node, DpsFactor *factor)
{
	if (node->id >= f->limit || f->instruction[node->id] == 0 ||
		f->instruction[node->id] - 1 >= product->instruction)
		return false;
	factor->compound = false;
	factor->index = f->instruction[node->id] - 1;
	return true;
}

/* Adds a group of factors as one factor of the product; `done` is false if
 * that is not possible. */
static DpsStatus
add_group(Finder *f, DpsProduct *product, const DpsNode *node, bool *done)
{
	DpsFactor	factor = {.compound = true};

	*done = false;
	if (product->n == DPS_MAX_FACTORS)
		return DPS_OK;
	DPS_TRY(find_compound(f, node, &factor.index, done));
	/* factors must come before the product */
	if (*done)
		*done = f->found->compound[factor.index].argument < product->instruction;
	else
		*done = find_earlier(f, product, node, &factor);
	if (*done)
		product->factor[product->n++] = factor;
	return DPS_OK;
}

/* Adds a factor in the denominator that is no compound. */
static bool
add_inverse(Finder *f, DpsProduct *product, const DpsNode *node)
{
	DpsFactor	factor = {.inverse = true};

	if (product->n == DPS_MAX_FACTORS || !find_earlier(f, product, node, &factor))
		return false;
	product->factor[product->n++] = factor;
	return true;
}

/* The product with its factors grouped by base; `done` is false if no two have
 * the same base. */
static DpsStatus
regroup(Finder *f, const DpsNode *node, DpsProduct *product, bool *done)
{
	Flat		flat = {0};
	bool		used[MAX_FLAT] = {false};
	int			groups = 0;
	int			i;
	int			j;

	*done = false;
	if (!flatten_product(&flat, node, false) || !split_exps(f, &flat))
		return DPS_OK;
	for (i = 0; i < flat.n; i++)
	{
		const DpsNode *base = base_of(f, flat.node[i]);
		const DpsNode *group = dps_constant(f->graph, DPS_FLOAT8, 1);
		bool		added;

		if (used[i] || base == NULL)
			continue;
		groups++;
		for (j = 0; j < flat.n; j++)
		{
			/* constants go with the first group */
			const DpsNode *own = base_of(f, flat.node[j]);

			if (used[j] || (own != base && !(own == NULL && groups == 1)))
				continue;
			used[j] = true;
			group = join(f->graph, DPS_OP_MUL, DPS_OP_DIV, group, flat.node[j], flat.opposite[j]);
		}
		if (group == NULL)
			return DPS_NOMEM;
		DPS_TRY(add_group(f, product, group, &added));
		if (!added && !(flat.opposite[i] && group == dps_apply(f->graph, DPS_OP_DIV, DPS_FLOAT8, dps_constant(f->graph, DPS_FLOAT8, 1), flat.node[i]) &&
						add_inverse(f, product, flat.node[i])))
			return DPS_OK;
	}
	*done = groups < flat.n && groups > 1;
	return DPS_OK;
}

static DpsStatus
add_product(Finder *f, uint32_t i)
{
	DpsCompounds *found = f->found;
	const DpsNode *node = f->nodes[i];
	const DpsNode *base = base_of(f, node);
	DpsProduct	product = {.instruction = i};
	bool		done = false;

	if (base == NULL || found->nproducts == MAX_PRODUCTS)
		return DPS_OK;
	if (base != node && joins(node, base))
		DPS_TRY(add_group(f, &product, node, &done));
	else if (base == node && node->type == DPS_FLOAT8 && (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV))
		DPS_TRY(regroup(f, node, &product, &done));
	if (done && product.factor[0].compound + (product.n > 1) > 0)
		found->product[found->nproducts++] = product;
	return DPS_OK;
}

/* Marks instructions whose values are read by more than functions of their own
 * base and longer products. */
static void
find_read(const Finder *f, bool *read)
{
	const uint32_t *outputs = dps_program_outputs(f->program);
	uint32_t	i;
	uint32_t	k;

	for (k = 0; k < f->program->noutputs; k++)
		read[outputs[k]] = true;
	for (i = 0; i < f->program->ninstructions; i++)
	{
		const DpsInstruction *instruction = &f->program->code[i];
		bool		multiplies = (instruction->op == DPS_OP_MUL || instruction->op == DPS_OP_DIV) &&
			instruction->type == DPS_FLOAT8;
		const DpsNode *base = base_of(f, f->nodes[i]);

		if (base != f->nodes[i])
		{
			/* a function of one value reads that value */
			if (base != NULL && base->id < f->limit && f->instruction[base->id] != 0)
				read[f->instruction[base->id] - 1] = true;
			continue;
		}
		for (k = 0; k < instruction->nargs && instruction->op != DPS_OP_VAR; k++)
		{
			uint32_t	a = instruction->arg[k];
			bool		product = f->program->code[a].op == DPS_OP_MUL || f->program->code[a].op == DPS_OP_DIV;

			read[a] = read[a] || !multiplies || !product;
		}
	}
}

static void
collect(Finder *f, const DpsNode *node)
{
	int			k;

	if (f->instruction[node->id] == 0 || f->nodes[f->instruction[node->id] - 1] != NULL)
		return;
	f->nodes[f->instruction[node->id] - 1] = node;
	for (k = 0; k < node->nargs; k++)
		collect(f, node->arg[k]);
}

static DpsStatus
map_nodes(Finder *f, const DpsNode *const *nodes)
{
	uint32_t	i;

	for (i = 0; i < f->program->ninstructions; i++)
		if (f->program->code[i].node >= f->limit)
			f->limit = f->program->code[i].node + 1;
	/* with room for the nodes made later */
	f->known = f->graph->nnodes * 2 + 256;
	f->bases = dps_arena_alloc(f->arena, sizeof(DpsNode *) * f->known);
	f->nodes = dps_arena_alloc(f->arena, sizeof(DpsNode *) * f->program->ninstructions);
	f->instruction = dps_arena_alloc(f->arena, sizeof(uint32_t) * f->limit);
	if (f->nodes == NULL || f->instruction == NULL || f->bases == NULL)
		return DPS_NOMEM;
	for (i = 0; i < f->program->ninstructions; i++)
		f->instruction[f->program->code[i].node] = i + 1;
	for (i = 0; i < f->program->noutputs; i++)
		collect(f, nodes[i]);
	return DPS_OK;
}

DpsStatus
dps_compounds_init(DpsCompounds *compounds, DpsGraph *graph, DpsArena *arena, const DpsProgram *program,
				   const DpsNode *const *nodes)
{
	Finder		f = {.graph = graph, .arena = arena, .found = compounds, .program = program};
	uint32_t	largest = 1;
	uint32_t	i;
	bool	   *read;
	DpsDomain  *domain;
	DpsEnclosure *scratch;
	int			k;

	memset(compounds, 0, sizeof(*compounds));
	compounds->arena = arena;
	compounds->compound = dps_arena_alloc(arena, sizeof(DpsCompound) * DPS_MAX_COMPOUNDS);
	compounds->product = dps_arena_alloc(arena, sizeof(DpsProduct) * MAX_PRODUCTS);
	domain = dps_arena_alloc(arena, sizeof(DpsDomain) * (DPS_MAX_VARIABLES + 1));
	read = dps_arena_alloc(arena, sizeof(bool) * program->ninstructions);
	if (compounds->compound == NULL || compounds->product == NULL || domain == NULL || read == NULL)
		return DPS_NOMEM;
	DPS_TRY(map_nodes(&f, nodes));
	find_read(&f, read);
	for (i = 0; i < program->ninstructions; i++)
		if (read[i])
			DPS_TRY(add_product(&f, i));
	for (k = 0; k < compounds->n; k++)
		if (compounds->compound[k].f.program->ninstructions > largest)
			largest = compounds->compound[k].f.program->ninstructions;
	scratch = dps_arena_alloc(arena, sizeof(DpsEnclosure) * largest);
	for (k = 0; k < compounds->n; k++)
	{
		compounds->compound[k].f.scratch = scratch;
		compounds->compound[k].f.arena = arena;
		compounds->compound[k].f.domain = domain;
	}
	return scratch == NULL ? DPS_NOMEM : DPS_OK;
}
/*
 * Bounds
 */

static DpsInterval
less_line(DpsInterval value, double slope, DpsInterval x)
{
	return dps_iv_sub(value, dps_iv_mul(dps_iv(slope, slope), x));
}

/* value(c) + derivative * (x - c), intersected with the values */
static DpsInterval
mean_value(DpsInterval value, DpsInterval at_centre, DpsInterval derivative, DpsInterval x, double centre)
{
	DpsInterval mean = dps_iv_add(at_centre, dps_iv_mul(derivative, dps_iv_sub(x, dps_iv(centre, centre))));
	DpsInterval both = dps_iv_intersect(value, mean);

	return dps_iv_is_empty(both) ? value : both;
}

static bool
line_by_pieces(const DpsUnivariate *f, DpsInterval x, double slope, DpsInterval *rest, DpsInterval *range)
{
	double		lo = x.lo;
	int			k;

	*rest = *range = DPS_EMPTY;
	for (k = 0; k < PIECES; k++)
	{
		double		hi = k + 1 == PIECES ? x.hi : fmin(x.hi, x.lo + (x.hi - x.lo) * ((k + 1.0) / PIECES));
		DpsInterval piece = dps_iv(lo, fmax(lo, hi));
		double		centre = fmax(piece.lo, fmin(piece.hi, piece.lo / 2 + piece.hi / 2));
		DpsJet		whole;
		DpsJet		middle;

		if (!dps_jet(f, piece, &whole) || !dps_jet(f, dps_iv(centre, centre), &middle))
			return false;
		*range = dps_iv_hull(*range, mean_value(whole.d[0], middle.d[0], whole.d[1], piece, centre));
		*rest = dps_iv_hull(*rest, mean_value(less_line(whole.d[0], slope, piece),
											  less_line(middle.d[0], slope, dps_iv(centre, centre)),
											  dps_iv_sub(whole.d[1], dps_iv(slope, slope)), piece, centre));
		lo = piece.hi;
	}
	return true;
}

/* The compound's profile over x or more; NULL if it is not worth its cost. */
static const DpsProfile *
profile_over(DpsArena *arena, DpsCompound *c, DpsInterval x)
{
	if (c->profile != NULL && dps_iv_contains(c->profile->domain, x.lo) && dps_iv_contains(c->profile->domain, x.hi))
		return c->profile;
	if (c->settled)
	{
		if (c->profiled > 0)
			return NULL;
		x = c->whole;
	}
	else if (c->asked++ < ASKED_BEFORE_PROFILE || c->profiled == MAX_PROFILES)
		return NULL;
	else if (c->profile != NULL)
		x = dps_iv_hull(x, c->profile->domain);
	c->profiled++;
	c->failed = !dps_profile_make(arena, &c->f, x, &c->profile) || c->failed;
	return c->profile;
}

void
dps_compound_settle(DpsCompound *c, DpsInterval x)
{
	c->settled = true;
	c->whole = x;
}

/* The slope of the line through the ends, for a function that is neither
 * convex nor concave. */
static bool
line_through_ends(const DpsUnivariate *f, DpsInterval x, const DpsJet *low, const DpsJet *high, bool profiled,
				  double *slope, DpsInterval *rest, DpsInterval *range)
{
	*slope = ((high->d[0].lo + high->d[0].hi) / 2 - (low->d[0].lo + low->d[0].hi) / 2) / (x.hi - x.lo);
	if (!isfinite(*slope))
		return false;
	*rest = *range = DPS_ENTIRE;
	return profiled || line_by_pieces(f, x, *slope, rest, range);
}

/*
 * The slope in the middle, for a convex (1) or concave (-1) function: the rest
 * of a convex function is greatest at an end, that of a concave one least.
 */
static bool
line_through_middle(const DpsUnivariate *f, DpsInterval x, const DpsJet *low, const DpsJet *high, int bend,
					double *slope, DpsInterval *rest, DpsInterval *range)
{
	double		centre = fmax(x.lo, fmin(x.hi, x.lo / 2 + x.hi / 2));
	DpsJet		middle;
	DpsInterval ends;
	double		off;

	if (!dps_jet(f, dps_iv(centre, centre), &middle) || !isfinite(middle.d[1].lo) || !isfinite(middle.d[1].hi))
		return false;
	*slope = middle.d[1].lo / 2 + middle.d[1].hi / 2;
	off = dps_mul_up(dps_sub_up(x.hi, x.lo), fmax(dps_sub_up(middle.d[1].hi, *slope), dps_sub_up(*slope, middle.d[1].lo)));
	*rest = less_line(middle.d[0], *slope, dps_iv(centre, centre));
	*rest = dps_iv(dps_sub_down(rest->lo, off), dps_add_up(rest->hi, off));
	ends = dps_iv_hull(less_line(low->d[0], *slope, dps_iv(x.lo, x.lo)), less_line(high->d[0], *slope, dps_iv(x.hi, x.hi)));
	*range = DPS_ENTIRE;
	if (bend > 0)
	{
		*rest = dps_iv(rest->lo, fmax(rest->lo, ends.hi));
		range->hi = fmax(low->d[0].hi, high->d[0].hi);
	}
	else
	{
		*rest = dps_iv(fmin(rest->hi, ends.lo), rest->hi);
		range->lo = fmin(low->d[0].lo, high->d[0].lo);
	}
	return true;
}

bool
dps_compound_line(DpsArena *arena, DpsCompound *c, DpsInterval x, double *slope, DpsInterval *rest,
				  DpsInterval *range)
{
	const DpsProfile *profile = NULL;
	DpsJet		whole;
	DpsJet		low;
	DpsJet		high;
	bool		straight;		/* convex or concave */
	bool		rises;			/* monotone */

	if (!(x.hi > x.lo) || !dps_jet(&c->f, x, &whole) || !dps_jet(&c->f, dps_iv(x.lo, x.lo), &low) ||
		!dps_jet(&c->f, dps_iv(x.hi, x.hi), &high))
		return false;
	straight = whole.d[2].lo >= 0 || whole.d[2].hi <= 0;
	rises = whole.d[1].lo >= 0 || whole.d[1].hi <= 0;
	if (!straight || !rises)
		profile = profile_over(arena, c, x);
	if (!(straight ? line_through_middle(&c->f, x, &low, &high, whole.d[2].lo >= 0 ? 1 : -1, slope, rest, range) :
		  line_through_ends(&c->f, x, &low, &high, profile != NULL, slope, rest, range)))
		return false;
	*range = dps_iv_intersect(*range, whole.d[0]);
	if (rises)
		*range = dps_iv_intersect(*range, dps_iv_hull(low.d[0], high.d[0]));
	if (profile != NULL)
	{
		DpsInterval own_range;
		DpsInterval own_rest;

		dps_profile_bound(profile, &c->f, x, *slope, &own_range, &own_rest);
		*range = dps_iv_intersect(*range, own_range);
		*rest = dps_iv_intersect(*rest, own_rest);
	}
	return isfinite(rest->lo) && isfinite(rest->hi) && rest->lo <= rest->hi && range->lo <= range->hi;
}
