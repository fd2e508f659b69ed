/*
 * program.c
 *		Compiles a graph into a straight line of instructions.
 *
 * Instructions stand in the order of the nodes' ids, so arguments come first.
 * A batch register is given back after the last instruction that reads it;
 * the registers of outputs are kept to the end.
 */
#include <string.h>

#include "expr/intern.h"
#include "expr/program.h"

/* The compiler's state; indices are node ids, values of `number` are
 * instruction numbers + 1. */
typedef struct Compiler
{
	DpsArena   *scratch;
	const DpsNode **reachable;
	uint32_t   *number;
	uint32_t	limit;			/* ids are below this */
	uint32_t	ninstructions;
} Compiler;

static uint32_t
id_limit(const DpsNode *const *nodes, int n)
{
	uint32_t	limit = 0;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (nodes[k]->id >= limit)
			limit = nodes[k]->id + 1;
	}
	return limit;
}

/* Arguments have smaller ids, so one pass downward reaches everything. */
static void
collect_nodes(Compiler *compiler, const DpsNode *const *nodes, int n)
{
	uint32_t	id;
	int			k;

	for (k = 0; k < n; k++)
		compiler->reachable[nodes[k]->id] = nodes[k];
	for (id = compiler->limit; id-- > 0;)
	{
		const DpsNode *node = compiler->reachable[id];

		if (node == NULL)
			continue;
		for (k = 0; k < node->nargs && dps_iv_is_empty(node->range); k++)
			compiler->reachable[node->arg[k]->id] = node->arg[k];
	}
	for (id = 0; id < compiler->limit; id++)
	{
		if (compiler->reachable[id] != NULL)
			compiler->number[id] = ++compiler->ninstructions;
	}
}

static void
emit_instruction(const Compiler *compiler, const DpsNode *node, DpsInstruction *instruction)
{
	int			k;

	instruction->type = node->type;
	instruction->node = node->id;
	/* an operation on constants with a known enclosure is a constant */
	instruction->value = node->value;
	instruction->range = node->range;
	if (!dps_iv_is_empty(node->range))
	{
		instruction->op = DPS_OP_CONST;
		return;
	}
	instruction->op = node->op;
	instruction->nargs = node->nargs;
	if (node->op == DPS_OP_VAR)
		instruction->arg[0] = node->variable;
	for (k = 0; k < node->nargs; k++)
		instruction->arg[k] = compiler->number[node->arg[k]->id] - 1;
}

static DpsStatus
emit_program(const Compiler *compiler, const DpsGraph *graph, const DpsNode *const *nodes, int n,
			 DpsProgram **program)
{
	uint64_t	size = sizeof(DpsProgram) +
		sizeof(DpsInstruction) * (uint64_t) compiler->ninstructions + sizeof(uint32_t) * (uint64_t) n;
	DpsProgram *result;
	DpsInstruction *next;
	uint32_t   *outputs;
	uint32_t	id;
	int			k;

	if (size > UINT32_MAX)
		return DPS_UNABLE;
	result = dps_arena_alloc(graph->arena, size);
	if (result == NULL)
		return DPS_NOMEM;
	result->size = size;
	result->ninstructions = compiler->ninstructions;
	result->noutputs = n;
	result->nvariables = graph->nvariables;
	next = result->code;
	for (id = 0; id < compiler->limit; id++)
	{
		if (compiler->reachable[id] != NULL)
			emit_instruction(compiler, compiler->reachable[id], next++);
	}
	outputs = (uint32_t *) (result->code + result->ninstructions);
	for (k = 0; k < n; k++)
		outputs[k] = compiler->number[nodes[k]->id] - 1;
	*program = result;
	return DPS_OK;
}

/* last_use[i] is the last instruction that reads i, or ninstructions if i is
 * an output. */
static void
find_last_uses(const DpsProgram *program, uint32_t *last_use)
{
	uint32_t	i;
	uint32_t	k;

	for (i = 0; i < program->ninstructions; i++)
	{
		const DpsInstruction *instruction = &program->code[i];

		for (k = 0; k < instruction->nargs; k++)
			last_use[instruction->arg[k]] = i;
	}
	for (k = 0; k < program->noutputs; k++)
		last_use[dps_program_outputs(program)[k]] = program->ninstructions;
}

/*
 * Registers come from a stack of free ones.  A result gets its register before
 * its arguments give theirs back: kernels may not write where they read.
 * Variables have none: they are read from the caller's columns.
 */
static void
allocate_slots(DpsProgram *program, uint32_t *last_use, uint32_t *free_slots)
{
	uint32_t	nfree = 0;
	uint32_t	i;
	uint32_t	k;

	for (i = 0; i < program->ninstructions; i++)
	{
		DpsInstruction *instruction = &program->code[i];

		if (instruction->op == DPS_OP_VAR)
			continue;
		instruction->slot = nfree > 0 ? free_slots[--nfree] : program->nslots++;
		for (k = 0; k < instruction->nargs; k++)
		{
			uint32_t	arg = instruction->arg[k];

			if (last_use[arg] != i || program->code[arg].op == DPS_OP_VAR)
				continue;
			free_slots[nfree++] = program->code[arg].slot;
			/* an argument used twice is given back once */
			last_use[arg] = UINT32_MAX;
		}
	}
}

/* Marks instructions that no output evaluated by SQL depends on.  Readers come
 * later, so one pass downward is enough. */
static void
mark_real(DpsProgram *program, int first, int n_evaluated)
{
	uint32_t	i;
	int			k;

	for (i = 0; i < program->ninstructions; i++)
		program->code[i].real = 1;
	for (k = first; k < first + n_evaluated; k++)
		program->code[dps_program_outputs(program)[k]].real = 0;
	for (i = program->ninstructions; i-- > 0;)
	{
		const DpsInstruction *instruction = &program->code[i];

		for (k = 0; k < instruction->nargs && !instruction->real; k++)
			program->code[instruction->arg[k]].real = 0;
	}
}

static DpsStatus
compile(Compiler *compiler, const DpsGraph *graph, const DpsNode *const *nodes, int n,
		int first, int n_evaluated, const DpsProgram **program)
{
	DpsProgram *result = NULL;
	uint32_t   *last_use;
	uint32_t   *free_slots;

	compiler->limit = id_limit(nodes, n);
	compiler->reachable = dps_arena_alloc(compiler->scratch, sizeof(DpsNode *) * compiler->limit);
	compiler->number = dps_arena_alloc(compiler->scratch, sizeof(uint32_t) * compiler->limit);
	if (compiler->reachable == NULL || compiler->number == NULL)
		return DPS_NOMEM;
	collect_nodes(compiler, nodes, n);
	last_use = dps_arena_alloc(compiler->scratch, sizeof(uint32_t) * compiler->ninstructions);
	free_slots = dps_arena_alloc(compiler->scratch, sizeof(uint32_t) * compiler->ninstructions);
	if (last_use == NULL || free_slots == NULL)
		return DPS_NOMEM;
	DPS_TRY(emit_program(compiler, graph, nodes, n, &result));
	mark_real(result, first, n_evaluated);
	find_last_uses(result, last_use);
	allocate_slots(result, last_use, free_slots);
	*program = result;
	return DPS_OK;
}

DpsStatus
dps_compile(const DpsGraph *graph, const DpsNode *const *nodes, int n, const DpsProgram **program)
{
	return dps_compile_partly(graph, nodes, n, 0, n, program);
}

DpsStatus
dps_compile_partly(const DpsGraph *graph, const DpsNode *const *nodes, int n, int first, int n_evaluated,
				   const DpsProgram **program)
{
	Compiler	compiler = {0};
	DpsStatus	status;
	int			k;

	*program = NULL;
	for (k = 0; k < n; k++)
	{
		/* a constructor returned NULL: memory ran out */
		if (nodes[k] == NULL)
			return dps_arena_status(graph->arena, DPS_NOMEM);
	}
	DPS_TRY(dps_arena_init(&compiler.scratch, dps_arena_host(graph->arena)));
	status = compile(&compiler, graph, nodes, n, first, n_evaluated, program);
	status = dps_arena_status(graph->arena, dps_arena_status(compiler.scratch, status));
	dps_arena_clear(compiler.scratch);
	return status;
}

static bool
is_instruction(const DpsGraph *graph, const DpsInstruction *code, uint32_t i)
{
	const DpsInstruction *instruction = &code[i];
	uint8_t		op = instruction->op;
	uint8_t		arity = 0;
	int			k;

	if (op >= DPS_OP_COUNT || instruction->type > DPS_FLOAT8)
		return false;
	if (op == DPS_OP_CASE)
		arity = 3;
	else if (op >= DPS_OP_FIRST_ROW)
		arity = dps_ops[op].arity;
	if (instruction->nargs != arity)
		return false;
	for (k = 0; k < arity; k++)
	{
		if (instruction->arg[k] >= i)
			return false;
	}
	return op != DPS_OP_VAR || (instruction->arg[0] < (uint32_t) graph->nvariables &&
								graph->variables[instruction->arg[0]].type == instruction->type);
}

/* Can the block be read as a program of the graph? */
static bool
is_program(const DpsGraph *graph, const DpsProgram *program, size_t size, uint32_t n)
{
	uint32_t	i;

	if (size < sizeof(DpsProgram) || program->size != size || program->noutputs != n ||
		size != sizeof(DpsProgram) + sizeof(DpsInstruction) * (uint64_t) program->ninstructions +
		sizeof(uint32_t) * (uint64_t) n)
		return false;
	for (i = 0; i < program->ninstructions; i++)
	{
		if (!is_instruction(graph, program->code, i))
			return false;
	}
	for (i = 0; i < n; i++)
	{
		if (dps_program_outputs(program)[i] >= program->ninstructions)
			return false;
	}
	return true;
}

/* One node, whose arguments have been made. */
static const DpsNode *
rebuild_node(DpsGraph *graph, const DpsInstruction *instruction, const DpsNode *const *nodes)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			k;

	if (instruction->op == DPS_OP_VAR)
		return dps_variable(graph, instruction->arg[0]);
	if (instruction->op == DPS_OP_CONST)
		return dps_constant(graph, instruction->type, instruction->value);
	for (k = 0; k < instruction->nargs; k++)
		arg[k] = nodes[instruction->arg[k]];
	return dps_intern(graph, instruction->op, instruction->type, instruction->nargs, arg[0], arg[1], arg[2]);
}

DpsStatus
dps_decompile(DpsGraph *graph, const DpsProgram *program, size_t size, const DpsNode **outputs, uint32_t n)
{
	const DpsNode **nodes;
	uint32_t	i;

	if (!is_program(graph, program, size, n))
		return DPS_UNABLE;
	nodes = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * program->ninstructions);
	if (nodes == NULL)
		return DPS_NOMEM;
	for (i = 0; i < program->ninstructions; i++)
	{
		nodes[i] = rebuild_node(graph, &program->code[i], nodes);
		if (nodes[i] == NULL)
			return DPS_NOMEM;
	}
	for (i = 0; i < n; i++)
		outputs[i] = nodes[dps_program_outputs(program)[i]];
	return DPS_OK;
}
