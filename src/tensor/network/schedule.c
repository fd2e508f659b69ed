/*
 * schedule.c
 *		Plans the places of the steps' results, and takes the steps.
 *
 * Steps are in the order of the nodes' ids.  A piece of the workspace is freed after the
 * last step that reads it.  A result takes the smallest free piece that is large enough,
 * or else enlarges the largest free one.  The pieces of its arguments are freed only
 * after that, since kernels must not write where they read.  A reshaped tensor has the
 * place of the original one.
 *
 * With several examples, a node that depends on an input with one value for each
 * example has as many results, one after the other; each step computes all of
 * them.  If a matrix product is only used as a sum over the examples, only this
 * sum is computed.
 */
#include <string.h>

#include "tensor/internal.h"
#include "tensor/network/schedule.h"

typedef enum Source
{
	FROM_WORKSPACE,
	FROM_INPUT,
	FROM_CONSTANT
} Source;

/* Where a node's elements are. */
typedef struct Place
{
	Source		source;
	int64_t		at;				/* the piece while planning, then the offset; or
								 * the number of the input */
	double		value;			/* of a constant */
} Place;

typedef struct Step
{
	const DpsTensor *node;
	void		(*run) (const DpsTensorCall *call);
	Place		arg[3];
	bool		each[3];		/* the argument has a value for each example */
	bool		is_each;		/* the step computes each example */
	Place		result;
} Step;

typedef struct Output
{
	Place		place;
	int64_t		size;
	bool		is_each;		/* its place has a value for each example */
	bool		to_add_up;		/* the sum is requested, but not what is at the place */
	bool		is_sum;			/* the sum is at the place */
} Output;

struct DpsSchedule
{
	const DpsHost *host;
	int64_t		examples;		/* at most */
	uint32_t	nsteps;
	Step	   *steps;
	int			noutputs;
	Output	   *outputs;
	uint32_t	ninputs;
	bool	   *reads;			/* by input */
	size_t		workspace;
};

typedef struct Piece
{
	int64_t		size;
	int64_t		at;
	bool		free;
} Piece;

typedef struct Planner
{
	const DpsTensorGraph *g;
	DpsArena   *scratch;
	const bool *each_input;		/* NULL: none */
	int64_t		examples;
	const bool *totals;			/* by output; NULL: none */
	uint32_t	limit;			/* ids are below this */
	bool	   *each;			/* by id: one for each example */
	uint32_t   *uses;			/* by id of the holder of elements: the number of
								 * uses by steps and outputs */
	bool	   *only_total;		/* by id: a product of which only the sum is used */
	const DpsTensor **node;		/* by id; NULL if not needed */
	uint32_t   *last_use;		/* by id of the holder of elements: a node id, or
								 * limit for outputs */
	Place	   *place;			/* by id */
	Piece	   *pieces;
	uint32_t	npieces;
	uint32_t	nsteps;
} Planner;

/* The node that holds the elements: for a reshaped node, the original one. */
static const DpsTensor *
holder(const DpsTensor *node)
{
	while (dps_tensor_has_row(node->op) && dps_tensor_row(node->op)->run == NULL)
		node = node->arg[0];
	return node;
}

static bool
is_computed(const DpsTensor *node)
{
	return node->nargs > 0 && holder(node) == node;
}

static void
find_needed(Planner *p, const DpsTensor *const *nodes, int n)
{
	uint32_t	id;
	int			k;

	for (k = 0; k < n; k++)
		p->node[nodes[k]->id] = nodes[k];
	for (id = p->limit; id-- > 0;)
	{
		const DpsTensor *node = p->node[id];

		for (k = 0; node != NULL && k < node->nargs; k++)
		{
			uint32_t   *last = &p->last_use[holder(node->arg[k])->id];

			p->node[node->arg[k]->id] = node->arg[k];
			if (is_computed(node))
			{
				p->uses[holder(node->arg[k])->id]++;
				if (*last < id)
					*last = id;
			}
		}
		if (node != NULL && is_computed(node))
			p->nsteps++;
	}
	for (k = 0; k < n; k++)
	{
		p->last_use[holder(nodes[k])->id] = p->limit;
		p->uses[holder(nodes[k])->id]++;
	}
}

static void
find_each(Planner *p)
{
	uint32_t	id;
	int			k;

	for (id = 0; id < p->limit; id++)
	{
		const DpsTensor *node = p->node[id];

		if (node == NULL)
			continue;
		if (node->op == DPS_OP_VAR)
			p->each[id] = p->each_input != NULL && p->each_input[node->input];
		for (k = 0; k < node->nargs; k++)
			p->each[id] |= p->each[node->arg[k]->id];
	}
}

static void
find_totals(Planner *p, const DpsTensor *const *nodes, int n)
{
	int			k;

	for (k = 0; p->totals != NULL && k < n; k++)
	{
		const DpsTensor *held = holder(nodes[k]);

		p->only_total[held->id] = p->totals[k] && held->op == DPS_TENSOR_MATMUL && p->each[held->id] &&
			p->uses[held->id] == 1;
	}
}

/* Does the node have a value for each example? */
static bool
is_each(const Planner *p, const DpsTensor *node)
{
	return p->each[node->id] && !p->only_total[holder(node)->id];
}

static int64_t
place_size(const Planner *p, const DpsTensor *node)
{
	return dps_tensor_size(node) * (is_each(p, node) ? p->examples : 1);
}

/* The free piece that fits best: the smallest that is large enough, else the
 * largest; -1 if none is free. */
static int64_t
best_piece(const Planner *p, int64_t size)
{
	int64_t		best = -1;
	uint32_t	i;

	for (i = 0; i < p->npieces; i++)
	{
		const Piece *piece = &p->pieces[i];
		const Piece *other = best < 0 ? NULL : &p->pieces[best];

		if (!piece->free)
			continue;
		if (other == NULL || (other->size < size ? piece->size > other->size :
							  piece->size >= size && piece->size < other->size))
			best = i;
	}
	return best;
}

static int64_t
take_piece(Planner *p, int64_t size)
{
	int64_t		i = best_piece(p, size);

	if (i < 0)
	{
		i = p->npieces++;
		p->pieces[i].size = 0;
	}
	p->pieces[i].free = false;
	if (p->pieces[i].size < size)
		p->pieces[i].size = size;
	return i;
}

static void
give_back(Planner *p, const DpsTensor *arg, uint32_t now)
{
	const DpsTensor *held = holder(arg);

	if (held->nargs > 0 && p->last_use[held->id] == now)
		p->pieces[p->place[held->id].at].free = true;
}

static void
plan_node(Planner *p, const DpsTensor *node)
{
	Place	   *place = &p->place[node->id];
	int			k;

	if (node->op == DPS_OP_CONST)
		*place = (Place) {FROM_CONSTANT, 0, node->value};
	else if (node->op == DPS_OP_VAR)
		*place = (Place) {FROM_INPUT, node->input, 0};
	else if (!is_computed(node))
		*place = p->place[holder(node)->id];
	else
	{
		*place = (Place) {FROM_WORKSPACE, take_piece(p, place_size(p, node)), 0};
		for (k = 0; k < node->nargs; k++)
			give_back(p, node->arg[k], node->id);
	}
}

/* Places the pieces one after the other, their sizes rounded up to cache lines; returns
 * the size of the workspace. */
static size_t
lay_out(Planner *p)
{
	int64_t		at = 0;
	uint32_t	i;

	for (i = 0; i < p->npieces; i++)
	{
		p->pieces[i].at = at;
		at += (p->pieces[i].size + 7) & ~(int64_t) 7;
	}
	return (size_t) at;
}

static Place
final_place(const Planner *p, const DpsTensor *node)
{
	Place		place = p->place[node->id];

	if (place.source == FROM_WORKSPACE)
		place.at = p->pieces[place.at].at;
	return place;
}

static void
emit(const Planner *p, DpsSchedule *schedule)
{
	Step	   *step = schedule->steps;
	uint32_t	id;
	int			k;

	for (id = 0; id < p->limit; id++)
	{
		const DpsTensor *node = p->node[id];

		if (node == NULL)
			continue;
		if (node->op == DPS_OP_VAR)
			schedule->reads[node->input] = true;
		if (!is_computed(node))
			continue;
		step->node = node;
		step->run = p->only_total[id] ? dps_run_matmul_total :
			dps_tensor_has_row(node->op) ? dps_tensor_row(node->op)->run :
			node->op == DPS_OP_CASE ? dps_run_choose : dps_run_scalar_row;
		step->is_each = p->each[id];
		step->result = final_place(p, node);
		for (k = 0; k < node->nargs; k++)
		{
			step->arg[k] = final_place(p, node->arg[k]);
			step->each[k] = is_each(p, node->arg[k]);
		}
		step++;
	}
}

static DpsStatus
plan(Planner *p, const DpsTensor *const *nodes, int n, const DpsSchedule **schedule)
{
	DpsArena   *arena = p->g->arena;
	DpsSchedule *result = dps_arena_alloc(arena, sizeof(DpsSchedule));
	uint32_t	id;
	int			k;

	for (k = 0; k < n; k++)
		p->limit = nodes[k]->id >= p->limit ? nodes[k]->id + 1 : p->limit;
	p->node = dps_arena_alloc(p->scratch, sizeof(DpsTensor *) * p->limit);
	p->last_use = dps_arena_alloc(p->scratch, sizeof(uint32_t) * p->limit);
	p->place = dps_arena_alloc(p->scratch, sizeof(Place) * p->limit);
	p->pieces = dps_arena_alloc(p->scratch, sizeof(Piece) * p->limit);
	p->each = dps_arena_alloc(p->scratch, sizeof(bool) * p->limit);
	p->uses = dps_arena_alloc(p->scratch, sizeof(uint32_t) * p->limit);
	p->only_total = dps_arena_alloc(p->scratch, sizeof(bool) * p->limit);
	if (result == NULL || p->node == NULL || p->last_use == NULL || p->place == NULL || p->pieces == NULL ||
		p->each == NULL || p->uses == NULL || p->only_total == NULL)
		return DPS_NOMEM;
	find_needed(p, nodes, n);
	find_each(p);
	find_totals(p, nodes, n);
	for (id = 0; id < p->limit; id++)
	{
		if (p->node[id] != NULL)
			plan_node(p, p->node[id]);
	}
	result->host = dps_arena_host(arena);
	result->examples = p->examples;
	result->nsteps = p->nsteps;
	result->noutputs = n;
	result->ninputs = p->g->ninputs;
	result->workspace = lay_out(p);
	result->steps = dps_arena_alloc(arena, sizeof(Step) * p->nsteps);
	result->outputs = dps_arena_alloc(arena, sizeof(Output) * n);
	result->reads = dps_arena_alloc(arena, sizeof(bool) * p->g->ninputs);
	if (result->steps == NULL || result->outputs == NULL || result->reads == NULL)
		return DPS_NOMEM;
	emit(p, result);
	for (k = 0; k < n; k++)
	{
		bool		is_sum = p->only_total[holder(nodes[k])->id];

		result->outputs[k] = (Output) {final_place(p, nodes[k]), dps_tensor_size(nodes[k]), is_each(p, nodes[k]),
			p->totals != NULL && p->totals[k] && !is_sum, is_sum};
	}
	*schedule = result;
	return DPS_OK;
}

DpsStatus
dps_schedule_init_examples(const DpsTensorGraph *g, const DpsTensor *const *nodes, const bool *totals, int n,
						   const bool *each, int64_t examples, const DpsSchedule **schedule)
{
	Planner		planner = {.g = g, .each_input = each, .examples = examples, .totals = totals};
	DpsStatus	status;
	int			k;

	*schedule = NULL;
	for (k = 0; k < n; k++)
	{
		if (nodes[k] == NULL)
			return dps_arena_status(g->arena, DPS_NOMEM);
	}
	DPS_TRY(dps_arena_init(&planner.scratch, dps_arena_host(g->arena)));
	status = plan(&planner, nodes, n, schedule);
	status = dps_arena_status(g->arena, dps_arena_status(planner.scratch, status));
	dps_arena_clear(planner.scratch);
	return status;
}

DpsStatus
dps_schedule_init(const DpsTensorGraph *g, const DpsTensor *const *nodes, int n, const DpsSchedule **schedule)
{
	return dps_schedule_init_examples(g, nodes, NULL, n, NULL, 1, schedule);
}

uint32_t
dps_schedule_steps(const DpsSchedule *schedule)
{
	return schedule->nsteps;
}

size_t
dps_schedule_workspace(const DpsSchedule *schedule)
{
	return schedule->workspace;
}

bool
dps_schedule_reads(const DpsSchedule *schedule, int input)
{
	return input >= 0 && (uint32_t) input < schedule->ninputs && schedule->reads[input];
}

static const double *
locate(const Place *place, const double *const *inputs, const double *workspace)
{
	switch (place->source)
	{
		case FROM_INPUT:
			return inputs[place->at];
		case FROM_CONSTANT:
			return &place->value;
		case FROM_WORKSPACE:
			break;
	}
	return workspace + place->at;
}

static DpsStatus
take_steps(const DpsSchedule *schedule, int64_t examples, const double *const *inputs, double *workspace)
{
	const DpsHost *host = schedule->host;
	int64_t		work = 0;
	uint32_t	s;
	int			k;

	for (s = 0; s < schedule->nsteps; s++)
	{
		const Step *step = &schedule->steps[s];
		DpsTensorCall call = {.node = step->node, .others = step->is_each ? examples - 1 : 0,
		.result = workspace + step->result.at};

		for (k = 0; k < step->node->nargs; k++)
		{
			call.arg[k] = locate(&step->arg[k], inputs, workspace);
			call.each[k] = step->each[k];
		}
		step->run(&call);
		/* callers that run small networks repeatedly check for cancellation themselves */
		work += dps_tensor_size(step->node) * dps_call_examples(&call);
		if (work >= 65536)
		{
			work = 0;
			if (host->should_stop != NULL && host->should_stop(host->context))
				return DPS_CANCELLED;
		}
	}
	return DPS_OK;
}

/* to = the sum over the examples; unless is_each, they have one value for all. */
static void
add_up(const double *from, int64_t size, bool is_each, int64_t examples, double *to)
{
	int64_t		e;
	int64_t		i;

	for (i = 0; i < size; i++)
		to[i] = is_each ? from[i] : (double) examples * from[i];
	for (e = 1; is_each && e < examples; e++)
	{
		from += size;
		for (i = 0; i < size; i++)
			to[i] += from[i];
	}
}

static void
write_output(const Output *output, const double *from, int64_t examples, double *to, int64_t stride)
{
	int64_t		e;

	if (output->to_add_up)
	{
		add_up(from, output->size, output->is_each, examples, to);
		return;
	}
	for (e = 0; e < (output->is_sum ? 1 : examples); e++)
		memcpy(to + e * stride, from + (output->is_each ? e * output->size : 0), sizeof(double) * (size_t) output->size);
}

DpsStatus
dps_schedule_run_examples(const DpsSchedule *schedule, int64_t examples, const double *const *inputs,
						  double *workspace, double *const *outputs, const int64_t *strides)
{
	int			k;

	if (examples < 1 || examples > schedule->examples)
		return DPS_UNABLE;
	DPS_TRY(take_steps(schedule, examples, inputs, workspace));
	for (k = 0; k < schedule->noutputs; k++)
	{
		const Output *output = &schedule->outputs[k];

		if (outputs[k] != NULL)
			write_output(output, locate(&output->place, inputs, workspace), examples, outputs[k],
						 strides != NULL ? strides[k] : output->size);
	}
	return DPS_OK;
}

DpsStatus
dps_schedule_run(const DpsSchedule *schedule, const double *const *inputs, double *workspace,
				 double *const *outputs)
{
	return dps_schedule_run_examples(schedule, 1, inputs, workspace, outputs, NULL);
}
