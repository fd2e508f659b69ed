/*
 * dimension.c
 *		The dimensions of boxes: their columns and middles, and cutting them.
 */
#include <math.h>

#include "bound/dimension.h"

/* A range with half a width above this is cut by asinh: halving it would take
 * too many cuts. */
#define VAST 1e9

/* The moving copy is recognised by this pointer, not by the text. */
const char	dps_moving_name[] = "x'";

int
dps_moving_variable(const DpsGraph *graph)
{
	int			last = graph->nvariables - 1;

	return last >= 0 && graph->variables[last].name == dps_moving_name ? last : -1;
}

int
dps_columns(const DpsGraph *graph)
{
	int			moving = dps_moving_variable(graph);

	return moving >= 0 ? moving : graph->nvariables;
}

void
dps_instruction_variables(const DpsProgram *program, uint64_t *masks)
{
	uint32_t	i;
	int			a;

	for (i = 0; i < program->ninstructions; i++)
	{
		const DpsInstruction *instruction = &program->code[i];

		masks[i] = 0;
		if (instruction->op == DPS_OP_VAR)
			masks[i] = UINT64_C(1) << instruction->arg[0];
		else
			for (a = 0; a < instruction->nargs; a++)
				masks[i] |= masks[instruction->arg[a]];
	}
}

double
dps_middle(const DpsDomain *domain)
{
	double		lo = domain->lo;
	double		hi = domain->hi;
	double		middle = lo + (hi - lo) / 2;

	if (!isfinite(middle))
		middle = lo / 2 + hi / 2;
	if (domain->integral)
		middle = floor(middle);
	return middle < lo ? lo : middle > hi ? hi : middle;
}

/* Do its ends, of one sign, differ by orders of magnitude? */
static bool
has_magnitudes(double lo, double hi)
{
	return (lo > 0 && hi / 1e3 > lo) || (hi < 0 && lo / 1e3 < hi);
}

double
dps_width_scale(const DpsDomain *domain, double x)
{
	if (has_magnitudes(domain->lo, domain->hi))
		return log(fabs(x));
	return domain->hi / 2 - domain->lo / 2 > VAST ? asinh(x) : x / 2;
}

/* Where to cut a range.  Ends of one sign that differ by orders of magnitude
 * have their geometric mean; a vast range that holds 0 is halved on the scale
 * of asinh. */
static double
cut_point(const DpsDomain *domain)
{
	double		lo = domain->lo;
	double		hi = domain->hi;

	if (has_magnitudes(lo, hi))
		return copysign(sqrt(fabs(lo)) * sqrt(fabs(hi)), lo);
	if (hi / 2 - lo / 2 > VAST)
		return sinh(asinh(lo) / 2 + asinh(hi) / 2);
	return dps_middle(domain);
}

bool
dps_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above)
{
	double		at = cut_point(domain);

	*below = *domain;
	*above = *domain;
	if (domain->integral)
	{
		at = floor(at);
		below->hi = at;
		above->lo = at + 1;
		return domain->lo <= at && at < domain->hi;
	}
	below->hi = at;
	above->lo = at;
	return domain->lo < at && at < domain->hi;
}

bool
dps_can_cut(const DpsDomain *domain)
{
	DpsDomain	below;
	DpsDomain	above;

	return domain->nullness != DPS_ALWAYS_NULL && dps_cut(domain, &below, &above);
}
