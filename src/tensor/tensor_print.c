/*
 * tensor_print.c
 *		A graph of tensors as text: a line for each node, arguments first.
 *
 *		t3 (1, 8) = matmul(x, layer1.weights)
 */
#include "tensor/internal.h"

typedef struct Printer
{
	const DpsTensorGraph *g;
	const DpsTensor **node;		/* by id; NULL if not needed */
	DpsText    *text;
} Printer;

static void
print_shape(DpsText *text, const DpsShape *shape)
{
	int			i;

	if (shape->rank == 0)
		return;
	dps_text_append(text, " (");
	for (i = 0; i < shape->rank; i++)
		dps_text_printf(text, "%s%d", i > 0 ? ", " : "", (int) shape->extent[i]);
	dps_text_append(text, ")");
}

static void
print_argument(const Printer *p, const DpsTensor *arg)
{
	if (arg->op == DPS_OP_CONST)
		dps_text_printf(p->text, "%.17g", arg->value);
	else if (arg->op == DPS_OP_VAR)
		dps_text_append(p->text, p->g->names[arg->input]);
	else
		dps_text_printf(p->text, "t%u", (unsigned) arg->id);
}

static void
print_name(DpsText *text, const char *name)
{
	char		lower[2] = {0};

	for (; *name != '\0'; name++)
	{
		lower[0] = *name >= 'A' && *name <= 'Z' ? (char) (*name - 'A' + 'a') : *name;
		dps_text_append(text, lower);
	}
}

static int
attributes_of(const DpsTensor *node)
{
	if (!dps_tensor_has_row(node->op))
		return 0;
	return node->op == DPS_TENSOR_PERMUTE ? node->shape.rank : dps_tensor_row(node->op)->nattributes;
}

static void
print_call(const Printer *p, const DpsTensor *node)
{
	int			k;

	print_name(p->text, dps_tensor_has_row(node->op) ? dps_tensor_row(node->op)->name :
			   node->op == DPS_OP_CASE ? "choose" : dps_ops[node->op].name);
	dps_text_append(p->text, "(");
	for (k = 0; k < node->nargs; k++)
	{
		dps_text_append(p->text, k > 0 ? ", " : "");
		print_argument(p, node->arg[k]);
	}
	for (k = 0; k < attributes_of(node); k++)
		dps_text_printf(p->text, "%s%d", k > 0 ? ", " : "; ", (int) node->attribute[k]);
	dps_text_append(p->text, ")");
}

static void
print_lines(const Printer *p, uint32_t limit)
{
	uint32_t	id;
	int			k;

	for (id = limit; id-- > 0;)
	{
		for (k = 0; p->node[id] != NULL && k < p->node[id]->nargs; k++)
			p->node[p->node[id]->arg[k]->id] = p->node[id]->arg[k];
	}
	for (id = 0; id < limit; id++)
	{
		if (p->node[id] == NULL || p->node[id]->nargs == 0)
			continue;
		dps_text_printf(p->text, "t%u", (unsigned) id);
		print_shape(p->text, &p->node[id]->shape);
		dps_text_append(p->text, " = ");
		print_call(p, p->node[id]);
		dps_text_append(p->text, "\n");
	}
}

DpsStatus
dps_tensor_print(const DpsTensorGraph *g, const DpsTensor *const *nodes, const char *const *names, int n,
				 DpsText *text)
{
	Printer		printer = {.g = g, .text = text};
	uint32_t	limit = 0;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (nodes[k] == NULL)
			return dps_arena_status(g->arena, DPS_NOMEM);
		limit = nodes[k]->id >= limit ? nodes[k]->id + 1 : limit;
	}
	printer.node = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * limit);
	if (printer.node == NULL)
		return dps_arena_status(g->arena, DPS_NOMEM);
	for (k = 0; k < n; k++)
		printer.node[nodes[k]->id] = nodes[k];
	print_lines(&printer, limit);
	for (k = 0; k < n; k++)
	{
		dps_text_printf(text, "%s = ", names[k]);
		print_argument(&printer, nodes[k]);
		dps_text_append(text, k + 1 < n ? "\n" : "");
	}
	return text->failed ? dps_arena_status(g->arena, DPS_NOMEM) : DPS_OK;
}
