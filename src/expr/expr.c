/*
 * expr.c
 *		The graph: interning, leaves, substitution.
 */
#include <string.h>

#include "expr/intern.h"

DpsStatus
dps_graph_init_wide(DpsGraph **graph, DpsArena *arena, int max_variables)
{
	DpsGraph   *result = dps_arena_alloc(arena, sizeof(DpsGraph));

	*graph = result;
	if (result == NULL)
		return DPS_NOMEM;
	result->arena = arena;
	result->max_variables = max_variables;
	result->variables = dps_arena_alloc(arena, sizeof(DpsVariable) * max_variables);
	return result->variables == NULL ? DPS_NOMEM : dps_chains_init(&result->nodes, arena);
}

DpsStatus
dps_graph_init(DpsGraph **graph, DpsArena *arena)
{
	return dps_graph_init_wide(graph, arena, DPS_MAX_VARIABLES + 1);
}

int
dps_graph_add_variable(DpsGraph *graph, const char *name, DpsType type, bool nullable)
{
	DpsVariable *variable;

	if (graph->nvariables >= graph->max_variables)
		return -1;
	variable = &graph->variables[graph->nvariables];
	variable->name = name;
	variable->type = type;
	variable->nullable = nullable;
	return graph->nvariables++;
}

void
dps_graph_keep(DpsGraph *graph)
{
	graph->plain = true;
}

static uint64_t
number_hash(uint64_t hash, DpsNumber number)
{
	int			i;

	hash = dps_hash_word(hash, dps_double_word(number.value));
	for (i = 0; number.exact != NULL && i < number.exact->n; i++)
		hash = dps_hash_word(hash, number.exact->limb[i]);
	return hash;
}

static uint64_t
node_hash(const DpsNode *node)
{
	uint64_t	hash = dps_hash_word(node->op, node->type);
	int			i;

	if (node->op == DPS_OP_CONST && node->exact != NULL)
		return number_hash(number_hash(hash, node->exact->num), node->exact->den);
	if (node->op == DPS_OP_CONST)
		return dps_hash_word(hash, dps_double_word(node->value));
	if (node->op == DPS_OP_VAR)
		return dps_hash_word(hash, node->variable);
	for (i = 0; i < node->nargs; i++)
		hash = dps_hash_word(hash, node->arg[i]->link.hash);
	return hash;
}

static bool
same_fraction(const DpsFraction *a, const DpsFraction *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return dps_compare_numbers(a->num, b->num) == 0 && dps_compare_numbers(a->den, b->den) == 0;
}

static bool
same_node(const DpsNode *a, const DpsNode *b)
{
	return a->link.hash == b->link.hash && a->op == b->op && a->type == b->type && a->nargs == b->nargs &&
		a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2] &&
		a->variable == b->variable &&
		(a->op != DPS_OP_CONST ||
		 (dps_double_word(a->value) == dps_double_word(b->value) && same_fraction(a->exact, b->exact)));
}

static const DpsNode *
find_node(const DpsGraph *graph, const DpsNode *wanted)
{
	const DpsLink *link = dps_chain_of(&graph->nodes, wanted->link.hash);

	while (link != NULL && !same_node((const DpsNode *) link, wanted))
		link = link->next;
	return (const DpsNode *) link;
}

const DpsNode *
dps_node_of(const DpsGraph *graph, uint32_t id)
{
	const DpsLink *link;
	uint32_t	i;

	for (i = 0; i < graph->nodes.nchains; i++)
		for (link = graph->nodes.first[i]; link != NULL; link = link->next)
			if (((const DpsNode *) link)->id == id)
				return (const DpsNode *) link;
	return NULL;
}

/* Can the operation yield NULL for some values of its arguments? */
static bool
can_be_null(const DpsNode *node)
{
	uint16_t	flags = dps_ops[node->op].flags;
	bool		all = true;
	bool		any = false;
	int			i;

	if (node->op == DPS_OP_CASE)
		return node->arg[1]->nullable || node->arg[2]->nullable;
	for (i = 0; i < node->nargs; i++)
	{
		any |= node->arg[i]->nullable;
		all &= node->arg[i]->nullable;
	}
	if (flags & DPS_NULL_NEVER)
		return false;
	return (flags & DPS_NULL_IF_ALL) ? all : any;
}

static bool
is_total(const DpsNode *node)
{
	int			i;

	for (i = 0; i < node->nargs; i++)
	{
		if (!node->arg[i]->total)
			return false;
	}
	if (node->op == DPS_OP_CASE)
		return true;
	/* an integer is a double */
	if (node->op == DPS_OP_CAST && node->type == DPS_FLOAT8 && dps_type_is_integer(node->arg[0]->type))
		return true;
	if (!(dps_ops[node->op].flags & DPS_TOTAL))
		return false;
	/* in types that are not real, overflow is an error */
	return dps_is_real(node->type) || node->type == DPS_BOOL;
}

static bool
is_integral(const DpsNode *node)
{
	int			i;

	if (dps_type_is_integer(node->type) || node->type == DPS_BOOL)
		return true;
	if (node->op == DPS_OP_CASE)
		return node->arg[1]->integral && node->arg[2]->integral;
	if (dps_ops[node->op].flags & DPS_INTEGRAL)
		return true;
	if (!(dps_ops[node->op].flags & DPS_KEEPS_INTEGERS))
		return false;
	for (i = 0; i < node->nargs; i++)
		if (!node->arg[i]->integral)
			return false;
	return true;
}

/* Adds the node if it is new; the fields that identify it are set. */
static const DpsNode *
add_node(DpsGraph *graph, DpsNode *wanted)
{
	const DpsNode *found;
	DpsNode    *node;

	if (!dps_arena_step(graph->arena))
		return NULL;
	wanted->link.hash = node_hash(wanted);
	found = find_node(graph, wanted);
	if (found != NULL)
		return found;
	node = dps_arena_alloc(graph->arena, sizeof(DpsNode));
	if (node == NULL)
		return NULL;
	*node = *wanted;
	if (wanted->exact != NULL)
	{
		DpsFraction *fraction = dps_arena_alloc(graph->arena, sizeof(DpsFraction));

		if (fraction == NULL)
			return NULL;
		*fraction = *wanted->exact;
		node->exact = fraction;
	}
	node->id = graph->nnodes++;
	dps_chains_add(&graph->nodes, &node->link);
	return node;
}

const DpsNode *
dps_variable(DpsGraph *graph, int index)
{
	DpsNode		node = {.op = DPS_OP_VAR};

	node.type = graph->variables[index].type;
	node.variable = index;
	node.range = DPS_EMPTY;
	node.nullable = graph->variables[index].nullable;
	node.total = true;
	node.integral = dps_type_is_integer(node.type) || node.type == DPS_BOOL;
	node.variables = dps_variable_bit(index);
	return add_node(graph, &node);
}

const DpsNode *
dps_intern_constant(DpsGraph *graph, DpsType type, double value, DpsInterval range, const DpsFraction *exact)
{
	DpsNode		node = {.op = DPS_OP_CONST};

	node.type = type;
	node.value = value;
	node.range = range;
	node.exact = exact;
	node.nullable = value != value;
	node.total = true;
	node.integral = exact == NULL && value == rint(value);
	return add_node(graph, &node);
}

const DpsNode *
dps_constant(DpsGraph *graph, DpsType type, double value)
{
	/* only floats have a -0 */
	if (value == 0 && type != DPS_FLOAT4 && type != DPS_FLOAT8)
		value = 0;
	if (value != value)
		return dps_intern_constant(graph, type, (double) NAN, DPS_EMPTY, NULL);
	return dps_intern_constant(graph, type, value, dps_iv(value, value), NULL);
}

static bool
copy_digits(DpsGraph *graph, DpsNumber *number)
{
	DpsDyadic  *copy;

	if (number->exact == NULL)
		return true;
	copy = dps_arena_alloc(graph->arena, sizeof(DpsDyadic));
	if (copy == NULL)
		return false;
	*copy = *number->exact;
	number->exact = copy;
	return true;
}

const DpsNode *
dps_copy_constant(DpsGraph *graph, const DpsNode *constant)
{
	DpsFraction fraction;

	if (constant->exact == NULL)
		return dps_constant(graph, constant->type, constant->value);
	fraction = *constant->exact;
	if (!copy_digits(graph, &fraction.num) || !copy_digits(graph, &fraction.den))
		return NULL;
	return dps_intern_constant(graph, constant->type, constant->value, constant->range, &fraction);
}

/* An operation on constants that is not folded has an enclosure, which is
 * computed here, once. */
static void
settle_constant(DpsNode *node)
{
	const DpsOp *op = &dps_ops[node->op];
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[node->nargs - 1];
	DpsInterval range;
	double		value;

	node->range = DPS_EMPTY;
	if (node->variables != 0 || node->op == DPS_OP_CASE ||
		dps_iv_is_empty(x->range) || dps_iv_is_empty(y->range) || op->defined(x->range, y->range) != DPS_DEFINED)
		return;
	range = op->enclosure(x->range, y->range, DPS_NEVER_NULL, DPS_NEVER_NULL);
	value = op->value(x->value, y->value);
	if (!dps_iv_contains(range, value) || !dps_iv_contains(dps_type_range(node->type), range.lo) ||
		!dps_iv_contains(dps_type_range(node->type), range.hi))
		return;
	node->range = range;
	node->value = value;
	node->total = true;
}

const DpsNode *
dps_intern(DpsGraph *graph, DpsOpcode op, DpsType type, int nargs,
		   const DpsNode *x, const DpsNode *y, const DpsNode *z)
{
	DpsNode		node = {.op = op};
	const DpsNode *arg[3] = {x, y, z};
	int			i;

	node.type = type;
	node.nargs = nargs;
	for (i = 0; i < nargs; i++)
	{
		if (arg[i] == NULL)
			return NULL;
		node.arg[i] = arg[i];
		node.variables |= arg[i]->variables;
		if (node.depth <= arg[i]->depth)
			node.depth = arg[i]->depth + 1;
	}
	if (op != DPS_OP_CASE && (dps_ops[op].flags & DPS_COMMUTES))
	{
		DpsNode		swapped = node;
		const DpsNode *found;

		swapped.arg[0] = y;
		swapped.arg[1] = x;
		swapped.link.hash = node_hash(&swapped);
		found = find_node(graph, &swapped);
		if (found != NULL)
			return found;
	}
	node.nullable = can_be_null(&node);
	node.total = is_total(&node);
	node.integral = is_integral(&node);
	settle_constant(&node);
	return add_node(graph, &node);
}

static const DpsNode *
copy_node(DpsGraph *graph, const DpsNode *node, const DpsNode **memo)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			i;

	if (node->op == DPS_OP_CONST)
		return dps_copy_constant(graph, node);
	if (node->op == DPS_OP_VAR)
		return dps_variable(graph, node->variable);
	if (memo[node->id] != NULL)
		return memo[node->id];
	for (i = 0; i < node->nargs; i++)
	{
		arg[i] = copy_node(graph, node->arg[i], memo);
		if (arg[i] == NULL)
			return NULL;
	}
	memo[node->id] = dps_intern(graph, node->op, node->type, node->nargs, arg[0], arg[1], arg[2]);
	return memo[node->id];
}

const DpsNode *
dps_copy_node(DpsGraph *graph, const DpsNode *node)
{
	const DpsNode **memo = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * (node->id + 1));

	return memo == NULL ? NULL : copy_node(graph, node, memo);
}

/* The variable that the node is, in whatever type, or -1. */
static int
plain_variable(const DpsNode *node)
{
	while (node->op == DPS_OP_CAST)
		node = node->arg[0];
	return node->op == DPS_OP_VAR ? node->variable : -1;
}

static int
compare_fractions(const DpsNode *a, const DpsNode *b)
{
	DpsNumber	p[2];
	DpsNumber	q[2];
	int			order;

	dps_constant_ratio(a, &p[0], &p[1]);
	dps_constant_ratio(b, &q[0], &q[1]);
	order = dps_compare_numbers(p[0], q[0]);
	return order != 0 ? order : dps_compare_numbers(p[1], q[1]);
}

int
dps_compare_nodes(const DpsNode *a, const DpsNode *b)
{
	int			p = plain_variable(a);
	int			q = plain_variable(b);
	int			i;

	if (a == b)
		return 0;
	/* plain variables first, then operations */
	if ((p < 0) != (q < 0))
		return p >= 0 ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->op == DPS_OP_CONST)
	{
		uint64_t	left = dps_double_word(a->value);
		uint64_t	right = dps_double_word(b->value);

		if (left == right && (a->exact != NULL || b->exact != NULL))
			return compare_fractions(a, b);
		return left < right ? -1 : left > right;
	}
	for (i = 0; i < a->nargs; i++)
	{
		int			order = dps_compare_nodes(a->arg[i], b->arg[i]);

		if (order != 0)
			return order;
	}
	return 0;
}

const DpsNode *
dps_as_float8(DpsGraph *graph, const DpsNode *node)
{
	if (node == NULL || node->type == DPS_FLOAT8)
		return node;
	return dps_apply(graph, DPS_OP_CAST, DPS_FLOAT8, node, NULL);
}

/* Arguments have smaller ids, but only reachable nodes are rebuilt. */
static const DpsNode *
replace(DpsGraph *graph, const DpsNode *node, const DpsNode *part, const DpsNode *replacement, const DpsNode **memo)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			i;

	if (node == part)
		return replacement;
	if (!(node->variables & part->variables) || node->nargs == 0)
		return node;
	if (memo[node->id] != NULL)
		return memo[node->id];
	for (i = 0; i < node->nargs; i++)
	{
		arg[i] = replace(graph, node->arg[i], part, replacement, memo);
		if (arg[i] == NULL)
			return NULL;
	}
	memo[node->id] = node->op == DPS_OP_CASE ? dps_choose(graph, arg[0], arg[1], arg[2]) :
		dps_apply(graph, node->op, node->type, arg[0], arg[1]);
	return memo[node->id];
}

const DpsNode *
dps_replace(DpsGraph *graph, const DpsNode *node, const DpsNode *part, const DpsNode *replacement)
{
	const DpsNode **memo;

	if (node == NULL || part == NULL || replacement == NULL)
		return NULL;
	memo = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * (node->id + 1));
	return memo == NULL ? NULL : replace(graph, node, part, replacement, memo);
}

const DpsNode *
dps_substitute(DpsGraph *graph, const DpsNode *node, int variable, const DpsNode *replacement)
{
	return dps_replace(graph, node, dps_variable(graph, variable), replacement);
}

static uint64_t
strict_variables(const DpsNode *node, uint64_t *memo, bool *known)
{
	uint16_t	flags = dps_ops[node->op].flags;
	uint64_t	mask = 0;
	int			i;

	if (node->op == DPS_OP_VAR)
		return UINT64_C(1) << node->variable;
	if (node->nargs == 0 || (flags & (DPS_NULL_NEVER | DPS_NULL_LOGIC)))
		return 0;
	if (known[node->id])
		return memo[node->id];
	if (node->op == DPS_OP_CASE)
		mask = strict_variables(node->arg[1], memo, known) &
			strict_variables(node->arg[2], memo, known);
	else if (flags & DPS_NULL_IF_ALL)
		mask = strict_variables(node->arg[0], memo, known) &
			strict_variables(node->arg[1], memo, known);
	else
	{
		for (i = 0; i < node->nargs; i++)
			mask |= strict_variables(node->arg[i], memo, known);
	}
	known[node->id] = true;
	memo[node->id] = mask;
	return mask;
}

uint64_t
dps_strict_variables(DpsGraph *graph, const DpsNode *node)
{
	uint64_t   *memo = dps_arena_alloc(graph->arena, sizeof(uint64_t) * (node->id + 1));
	bool	   *known = dps_arena_alloc(graph->arena, sizeof(bool) * (node->id + 1));

	/* without memory: no variable is always a safe answer */
	if (memo == NULL || known == NULL)
		return 0;
	return strict_variables(node, memo, known);
}

/* Can the node be NULL where no variable is?  A NULL condition does not make the
 * result NULL. */
static bool
writes_null(const DpsNode *node, uint8_t *memo)
{
	uint16_t	flags = dps_ops[node->op].flags;
	bool		all = true;
	bool		any = false;
	int			first = node->op == DPS_OP_CASE ? 1 : 0;
	int			i;

	if (node->op == DPS_OP_CONST)
		return node->value != node->value;
	if (node->op == DPS_OP_VAR || (flags & DPS_NULL_NEVER))
		return false;
	if (memo[node->id] != 0)
		return memo[node->id] == 1;
	for (i = first; i < node->nargs; i++)
	{
		bool		one = writes_null(node->arg[i], memo);

		any |= one;
		all &= one;
	}
	any = (flags & DPS_NULL_IF_ALL) ? all : any;
	memo[node->id] = any ? 1 : 2;
	return any;
}

bool
dps_values_decide_null(DpsGraph *graph, const DpsNode *node)
{
	uint8_t    *memo;

	if (!node->nullable)
		return false;
	memo = dps_arena_alloc(graph->arena, node->id + 1);
	return memo == NULL || writes_null(node, memo) || dps_strict_variables(graph, node) != node->variables;
}
