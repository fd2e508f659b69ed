/*
 * print_parts.c
 *		Expressions as SQL and LaTeX in which what is used more than once is
 *		written once, and has a name.
 *
 * A graph shares its nodes, and a text that writes each use out may be
 * exponentially longer.  Here each node with several uses is a column of a WITH
 * query, or an equation behind "where".  A name's level is 0 if it is made of no
 * names, else one more than the highest level in it; one query computes the names
 * of a level, from the queries that it uses.  Each has one row.  They are
 * MATERIALIZED, since the planner would put their expressions back into their
 * uses.
 */
#include <string.h>

#include "expr/print/print.h"

/* Columns of a WITH query; the server has room for 1,664. */
#define MAX_COLUMNS 1000

typedef struct Parts
{
	const DpsGraph *graph;
	bool		latex;
	uint32_t	limit;			/* above the ids of all nodes */
	const DpsNode **node;		/* by id; NULL if it is not below the expressions */
	uint8_t    *uses;			/* by id: 0, 1, or 2 for more */
	bool	   *always;			/* by id: computed whatever the row is */
	uint32_t   *level;			/* by id: of the names in it */
	DpsNames	names;
	uint32_t	nnames;
	uint32_t	ngroups;
	const DpsNode **defined;	/* by number, from 1 */
} Parts;

/* Is the argument computed wherever the node is? */
static bool
is_needed(const Parts *p, const DpsNode *node, int argument)
{
	if (p->latex || argument == 0)
		return true;
	return node->op != DPS_OP_CASE && node->op != DPS_OP_AND && node->op != DPS_OP_OR && node->op != DPS_OP_COALESCE;
}

static bool
has_name(const Parts *p, uint32_t id)
{
	const DpsNode *node = p->node[id];

	/* LaTeX has no casts */
	if (node == NULL || node->nargs == 0 || (p->latex && node->op == DPS_OP_CAST))
		return false;
	return p->uses[id] > 1 && p->always[id];
}

static void
use(Parts *p, const DpsNode *node, uint8_t times, bool always)
{
	uint32_t	id = node->id;

	p->node[id] = node;
	p->uses[id] = p->uses[id] + times > 1 ? 2 : 1;
	p->always[id] = p->always[id] || always;
}

/* Arguments have smaller ids: a node's uses are known when it is come to.  What has
 * no name is written as often as it is used, and so are its arguments. */
static void
count_uses(Parts *p)
{
	uint32_t	id;
	int			k;

	for (id = p->limit; id-- > 0;)
	{
		const DpsNode *node = p->node[id];

		for (k = 0; node != NULL && k < node->nargs; k++)
			use(p, node->arg[k], has_name(p, id) ? 1 : p->uses[id], p->always[id] && is_needed(p, node, k));
	}
}

/* The greatest level of a name. */
static uint32_t
find_levels(Parts *p)
{
	uint32_t	greatest = 0;
	uint32_t	id;
	int			k;

	for (id = 0; id < p->limit; id++)
	{
		const DpsNode *node = p->node[id];

		for (k = 0; node != NULL && k < node->nargs; k++)
		{
			uint32_t	below = node->arg[k]->id;
			uint32_t	level = p->level[below] + has_name(p, below);

			p->level[id] = level > p->level[id] ? level : p->level[id];
		}
		if (has_name(p, id) && p->level[id] > greatest)
			greatest = p->level[id];
	}
	return greatest;
}

/* Numbers rise with levels. */
static void
give_names(Parts *p)
{
	uint32_t	greatest = find_levels(p);
	uint32_t	level;
	uint32_t	id;
	uint32_t	n;

	for (level = 0; level <= greatest; level++)
	{
		n = 0;
		for (id = 0; id < p->limit; id++)
		{
			if (p->level[id] != level || !has_name(p, id))
				continue;
			p->ngroups += n++ % MAX_COLUMNS == 0;
			p->names.number[id] = ++p->nnames;
			p->names.group[p->nnames] = p->ngroups;
			p->defined[p->nnames] = p->node[id];
		}
	}
}

/* Is there a variable whose name is the prefix and a digit? */
static bool
is_taken(const DpsGraph *graph, const char *prefix)
{
	size_t		length = strlen(prefix);
	int			j;

	for (j = 0; j < graph->nvariables; j++)
	{
		const char *name = graph->variables[j].name;

		if (strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9')
			return true;
	}
	return false;
}

/* "s", "ss", "sss" ...: one that no variable takes, as each takes one at most. */
static const char *
find_prefix(const DpsGraph *graph)
{
	char	   *prefix = dps_arena_alloc(graph->arena, (size_t) graph->nvariables + 2);
	int			length = 0;

	if (prefix == NULL)
		return NULL;
	do
		prefix[length++] = 's';
	while (is_taken(graph, prefix));
	return prefix;
}

static DpsStatus
find_parts(Parts *p, const DpsNode *const *nodes, int n)
{
	DpsArena   *arena = p->graph->arena;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (nodes[k] == NULL)
			return dps_arena_status(arena, DPS_NOMEM);
		p->limit = nodes[k]->id >= p->limit ? nodes[k]->id + 1 : p->limit;
	}
	p->node = dps_arena_alloc(arena, sizeof(DpsNode *) * p->limit);
	p->uses = dps_arena_alloc(arena, p->limit);
	p->always = dps_arena_alloc(arena, sizeof(bool) * p->limit);
	p->level = dps_arena_alloc(arena, sizeof(uint32_t) * p->limit);
	p->names.number = dps_arena_alloc(arena, sizeof(uint32_t) * p->limit);
	p->names.group = dps_arena_alloc(arena, sizeof(uint32_t) * (p->limit + 1));
	p->names.used = dps_arena_alloc(arena, sizeof(bool) * (p->limit + 1));
	p->defined = dps_arena_alloc(arena, sizeof(DpsNode *) * (p->limit + 1));
	p->names.prefix = find_prefix(p->graph);
	if (p->names.prefix == NULL || p->node == NULL || p->uses == NULL || p->always == NULL || p->level == NULL || p->names.number == NULL ||
		p->names.group == NULL || p->names.used == NULL || p->defined == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	for (k = 0; k < n; k++)
		use(p, nodes[k], 1, true);
	count_uses(p);
	give_names(p);
	return DPS_OK;
}

/* The queries whose names were printed since the last call. */
static void
print_from(Parts *p, DpsText *text)
{
	bool		is_first = true;
	uint32_t	group;

	for (group = 1; group <= p->ngroups; group++)
	{
		if (!p->names.used[group])
			continue;
		dps_text_printf(text, "%s part%u", is_first ? " FROM" : ",", (unsigned) group);
		is_first = false;
		p->names.used[group] = false;
	}
}

static DpsStatus
print_queries(Parts *p, DpsText *text)
{
	DpsStatus	status = DPS_OK;
	uint32_t	k;

	for (k = 1; k <= p->nnames && status == DPS_OK; k++)
	{
		uint32_t	group = p->names.group[k];
		bool		is_first = k == 1 || p->names.group[k - 1] != group;
		bool		is_last = k == p->nnames || p->names.group[k + 1] != group;

		if (is_first)
			dps_text_printf(text, "%s part%u AS MATERIALIZED (SELECT ", group == 1 ? "WITH" : ",", (unsigned) group);
		status = dps_print_named(p->graph, p->defined[k], &p->names, false, false, text);
		dps_text_printf(text, " AS %s%u%s", p->names.prefix, (unsigned) k, is_last ? "" : ", ");
		if (is_last)
		{
			print_from(p, text);
			dps_text_append(text, ")");
		}
	}
	return status;
}

static DpsStatus
print_equations(Parts *p, DpsText *text)
{
	DpsStatus	status = DPS_OK;
	uint32_t	k;

	for (k = 1; k <= p->nnames && status == DPS_OK; k++)
	{
		dps_text_printf(text, " \\\\ %s s_{%u} = ", k == 1 ? "\\text{where } &" : "&", (unsigned) k);
		status = dps_print_named(p->graph, p->defined[k], &p->names, false, true, text);
	}
	return status;
}

/* A number, or an array of them. */
static DpsStatus
print_entries(Parts *p, const DpsNode *const *nodes, int n, DpsText *text)
{
	DpsStatus	status = DPS_OK;
	int			k;

	if (n > 1)
		dps_text_append(text, p->latex ? "\\begin{pmatrix} " : "ARRAY[");
	for (k = 0; k < n && status == DPS_OK; k++)
	{
		dps_text_append(text, k == 0 ? "" : p->latex ? " \\\\ " : ", ");
		status = dps_print_named(p->graph, nodes[k], &p->names, true, p->latex, text);
	}
	if (n > 1)
		dps_text_append(text, p->latex ? " \\end{pmatrix}" : "]");
	return status;
}

static DpsStatus
print_sql(Parts *p, const DpsNode *const *nodes, int n, DpsText *text)
{
	DpsStatus	status;

	dps_text_append(text, "(");
	status = print_queries(p, text);
	dps_text_append(text, " SELECT ");
	if (status == DPS_OK)
		status = print_entries(p, nodes, n, text);
	print_from(p, text);
	dps_text_append(text, ")");
	return status;
}

static DpsStatus
print_latex(Parts *p, const DpsNode *const *nodes, int n, DpsText *text)
{
	DpsStatus	status;

	dps_text_append(text, "\\begin{aligned} & ");
	status = print_entries(p, nodes, n, text);
	if (status == DPS_OK)
		status = print_equations(p, text);
	dps_text_append(text, " \\end{aligned}");
	return status;
}

DpsStatus
dps_print_parts(const DpsGraph *graph, const DpsNode *const *nodes, int n, bool latex, DpsText *text)
{
	Parts		parts = {.graph = graph, .latex = latex};
	DpsStatus	status = find_parts(&parts, nodes, n);

	if (status != DPS_OK)
		return status;
	if (parts.nnames == 0)
		return print_entries(&parts, nodes, n, text);
	return latex ? print_latex(&parts, nodes, n, text) : print_sql(&parts, nodes, n, text);
}
