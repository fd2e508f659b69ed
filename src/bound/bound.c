/*
 * bound.c
 *		Certified extrema of row expressions: interval branch and bound.
 *
 * Boxes wait in a queue, the one with the greatest upper bound first; the
 * first is cut in two and the halves are bounded:
 *
 * - the enclosure of the expression over the box is an upper bound;
 * - where the expression is continuous and NULL nowhere, a dimension in which
 *	 its derivative has one sign collapses to the end where the value is
 *	 greatest.  This holds on a lattice as well, since the relaxed expression
 *	 is what is monotone;
 * - there, too, f(x) <= f(c) + sum_j g_j (x_j - c_j) for g_j the enclosure of
 *	 the derivative (the mean value theorem along the segment from c to x; at
 *	 kinks in Clarke's form, the enclosure of a derivative being that of all
 *	 its branches);
 * - in searches that take long, quadratic forms do the same to the next order
 *	 (quadratic.c).
 *
 * A box on which the expression is not proved defined and finite comes before
 * all others, the smallest first, until it is proved, found undefined at a
 * point, or too small to cut.
 *
 * Upper bounds are of the exact values: an evaluated one may exceed them by its
 * rounding error (dps_evaluation_error).
 *
 * Only enclosures at points raise the lower end, so it holds as well.  The
 * search ends when upper - lower is at most
 *
 *		tolerance * max(|upper|, |lower|), or
 *		tolerance * 1e-6 * (the greatest - the least value seen), for suprema
 *			close to 0, or
 *		4 * (the width of the enclosure at the witness), the rounding errors
 *			below which no search can see.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bound/affine.h"
#include "bound/contract.h"
#include "bound/factor.h"
#include "bound/local.h"
#include "bound/quadratic.h"
#include "bound/queue.h"
#include "bound/search.h"
#include "expr/enclose.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* Values of a program: the objective, then the guards. */
#define MAX_VALUES 3

/* A dimension this small a part of the root's is not cut to find out whether
 * the expression is defined. */
#define SMALLEST_PART 1e-18

#define MAX_QUEUE_BYTES ((size_t) 128 * 1024 * 1024)
#define BOXES_BEFORE_CLIMBS 8
#define BOXES_BEFORE_FORMS 10
#define WHOLE_PHASE 6.2831853071795871
#define BOXES_BEFORE_QUADRATICS 100
#define QUADRATIC_TRIES 50
#define QUADRATIC_GAIN 4
#define QUADRATIC_PAUSE 16
#define CLIMB_STARTS 5
#define CLIMBS_LATER 24
#define COST_OF_FAILURE 7
#define LEAST_PERIODS 20
#define MAX_PERIODS 2
#define SMALLEST_PHASE 0.4
#define SLAB_SHARE 0.5
#define SHRUNK_PART 0.6

/* How many times wider than the dimension that is cut another one may be. */
#define MOST_WIDER 64

#define SPREAD_PART 1e-6
#define NOISE_FACTOR 4.0
/* What forms cost, in enclosures of the program. */
#define WORK_OF_FORMS 3
#define WORK_OF_QUADRATICS 3

/*
 * With so few columns a box stands for so many operations at most, so that the
 * default number of boxes takes a second: they take 20 to 35 ns each.
 */
#define FEW_COLUMNS 3
#define WORK_OF_FUNCTION 6
#define WORK_OF_BOX 90

#define OUT_OF_RANGE (DBL_MAX * (1 - 1e-12))

typedef enum Verdict
{
	BOX_SETTLED,				/* nothing more to learn from it */
	BOX_OPEN,					/* its upper bound is worth a cut */
	BOX_UNRESOLVED				/* not proved defined and finite */
} Verdict;

typedef struct Search
{
	DpsGraph   *graph;
	const DpsObjective *objective;
	const DpsBoundOptions *options;
	DpsBracket *bracket;
	DpsArena   *arena;			/* of this search alone */

	/* Programs: the values alone for points, with derivatives for boxes. */
	const DpsNode *outputs[MAX_VALUES + 2 * MAX_DIMENSIONS];
	int			nvalues;
	bool		sloped;
	int			nothers;		/* other forms of slopes, after them */
	int			other_of[MAX_DIMENSIONS];	/* the dimension each is for */
	const DpsProgram *at_points;
	const DpsProgram *on_boxes;
	const DpsProgram *cover;	/* NULL if there is none */
	DpsEnclosure *point;
	DpsEnclosure *box;
	DpsEnclosure *covered;
	uint64_t   *point_variables;
	uint64_t   *box_variables;
	DpsAffine	affine;			/* of on_boxes */
	bool		formed;			/* forms are made */
	bool		kinked;			/* there are choices or steps on the way */
	int			slab_compound[DPS_MAX_SLABS];	/* whose argument it is of */
	DpsClimb	climb;
	int			climbs;			/* still allowed; -1 before the first */
	DpsQuadratics *quadratics;	/* once they are worth it */
	int			tried;			/* bounds by them, */
	int			settled_by;		/* those that put the box away */

	/* Dimension k is variable[k]. */
	int			n;
	int			variable[MAX_DIMENSIONS];
	DpsDomain	root[MAX_DIMENSIONS];
	DpsDomain	domain[MAX_DIMENSIONS]; /* by variable, for dps_enclose */

	double		lower;
	double		settled;		/* upper bound of what was put away */
	double		noise;			/* width of the enclosure at the witness */
	double		greatest;		/* of the values seen, */
	double		least;
	double		bottom;			/* least lower end of boxes, in want of values */
	bool		sampled;
	bool		valued;			/* some box may have a value */
	bool		refused;		/* the bracket's status says why */
	DpsStatus	trouble;		/* of examine */

	uint32_t	point_work;		/* of one enclosure of at_points, */
	uint32_t	box_work;		/* of on_boxes */
	uint64_t	work;			/* done, */
	uint64_t	most_work;		/* and how much may be */
	DpsBoxQueue queue;
} Search;

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

/* Over many orders of magnitude the middle is the geometric one. */
static double
cut_point(const DpsDomain *domain)
{
	double		lo = domain->lo;
	double		hi = domain->hi;

	if (lo > 0 && hi / 1e3 > lo)
		return sqrt(lo) * sqrt(hi);
	if (hi < 0 && lo / 1e3 < hi)
		return -(sqrt(-lo) * sqrt(-hi));
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

static bool
can_cut(const DpsDomain *domain)
{
	DpsDomain	below;
	DpsDomain	above;

	return domain->nullness != DPS_ALWAYS_NULL && dps_cut(domain, &below, &above);
}

/*
 * Setting up
 */

static void
choose_dimensions(Search *s)
{
	const DpsObjective *objective = s->objective;
	uint64_t	used = objective->node->variables;
	uint64_t	strict = dps_strict_variables(s->graph, objective->node);
	int			i;
	int			j;

	for (i = 0; i < objective->nguards; i++)
	{
		used |= objective->guards[i]->variables;
		strict |= dps_strict_variables(s->graph, objective->guards[i]);
	}
	for (j = 0; j < objective->ncolumns; j++)
	{
		DpsDomain	domain = objective->box[j];

		if (!(used & (UINT64_C(1) << j)))
			continue;
		/* its NULLs make the row's value NULL, and that does not count */
		if ((strict & (UINT64_C(1) << j)) && domain.nullness == DPS_MAYBE_NULL)
			domain.nullness = DPS_NEVER_NULL;
		s->root[s->n] = domain;
		s->variable[s->n++] = j;
	}
}

/* Slopes that have another form as a fraction are enclosed in both. */
static DpsStatus
add_alternatives(Search *s)
{
	int			k;

	for (k = 0; k < s->n; k++)
	{
		const DpsNode *slope = s->outputs[s->nvalues + k];
		const DpsNode *other = dps_together(s->graph, slope);

		if (other == NULL)
			return DPS_NOMEM;
		if (other == slope)
			continue;
		s->other_of[s->nothers] = k;
		s->outputs[s->nvalues + s->n + s->nothers++] = other;
	}
	return DPS_OK;
}

static DpsStatus
compile_outputs(Search *s)
{
	const DpsObjective *objective = s->objective;
	const DpsNode *gradient[MAX_DIMENSIONS];
	DpsStatus	status;
	int			i;

	s->outputs[0] = objective->node;
	for (i = 0; i < objective->nguards; i++)
		s->outputs[1 + i] = objective->guards[i];
	s->nvalues = 1 + objective->nguards;
	DPS_TRY(dps_compile(s->graph, s->outputs, s->nvalues, &s->at_points));
	status = dps_gradient(s->graph, objective->node, gradient);
	if (status == DPS_NOMEM || status == DPS_CANCELLED)
		return status;
	s->sloped = status == DPS_OK;
	for (i = 0; s->sloped && i < s->n; i++)
		s->outputs[s->nvalues + i] = gradient[s->variable[i]];
	if (s->sloped)
		DPS_TRY(add_alternatives(s));
	return dps_compile(s->graph, s->outputs, s->nvalues + (s->sloped ? s->n : 0) + s->nothers, &s->on_boxes);
}

static DpsStatus
set_up_climbs(Search *s)
{
	DpsClimb   *climb = &s->climb;

	climb->program = s->on_boxes;
	climb->arena = s->arena;
	climb->slope = s->sloped ? s->nvalues : 0;
	climb->point = dps_arena_alloc(s->arena, sizeof(double) * MAX_DIMENSIONS);
	climb->work = dps_arena_alloc(s->arena, sizeof(double) * MAX_DIMENSIONS);
	climb->outputs = dps_arena_alloc(s->arena, sizeof(double) * s->on_boxes->noutputs);
	climb->scratch = dps_arena_alloc(s->arena, sizeof(double) * dps_scratch_size(s->on_boxes));
	return climb->point == NULL || climb->work == NULL || climb->outputs == NULL ||
		climb->scratch == NULL ? DPS_NOMEM : DPS_OK;
}

/* Adds a slab for the argument of a sine that goes through many periods. */
static void
find_period(Search *s, uint32_t i)
{
	const DpsInstruction *instruction = &s->on_boxes->code[i];
	DpsInterval argument;

	if (instruction->op != DPS_OP_SIN && instruction->op != DPS_OP_COS)
		return;
	argument = s->box[instruction->arg[0]].value;
	if (argument.hi - argument.lo > LEAST_PERIODS * 6.28)
		(void) dps_affine_add_slab(&s->affine, instruction->arg[0], true);
}

/*
 * Slabs are worth it for a factor of the value that is a function of what
 * several columns share, and for sines of an argument that goes through several
 * periods.
 */
static void
choose_slabs(Search *s)
{
	const DpsCompounds *compounds = &s->affine.compounds;
	uint32_t	value = dps_program_outputs(s->on_boxes)[0];
	uint32_t	i;
	int			k;

	for (k = 0; k < s->n; k++)
		s->domain[s->variable[k]] = s->root[k];
	dps_enclose(s->on_boxes, s->domain, s->box);
	for (k = 0; k < compounds->nproducts; k++)
	{
		const DpsProduct *product = &compounds->product[k];
		int			f;

		for (f = 0; f < product->n && product->n > 1 && product->instruction == value; f++)
		{
			uint32_t	argument = compounds->compound[product->factor[f].index].argument;

			if (!product->factor[f].compound || s->on_boxes->code[argument].op == DPS_OP_VAR)
				continue;
			s->slab_compound[s->affine.nslabs < DPS_MAX_SLABS ? s->affine.nslabs : 0] = product->factor[f].index;
			(void) dps_affine_add_slab(&s->affine, argument, false);
		}
	}
	if (s->affine.nslabs == 0)
		for (i = 0; i < value; i++)
			find_period(s, i);
	if (s->affine.nslabs > MAX_PERIODS)
	{
		/* too many to cut one by one */
		memset(s->affine.slab_of, 0, s->on_boxes->ninstructions);
		s->affine.nslabs = 0;
	}
}

static bool
is_kink(DpsOpcode op)
{
	switch (op)
	{
		case DPS_OP_CONST:
		case DPS_OP_VAR:
		case DPS_OP_ADD:
		case DPS_OP_SUB:
		case DPS_OP_MUL:
		case DPS_OP_DIV:
		case DPS_OP_NEG:
		case DPS_OP_POW:
		case DPS_OP_SQR:
		case DPS_OP_SQRT:
		case DPS_OP_EXP:
		case DPS_OP_LN:
		case DPS_OP_LOG10:
		case DPS_OP_SIN:
		case DPS_OP_COS:
		case DPS_OP_TAN:
		case DPS_OP_COT:
		case DPS_OP_ASIN:
		case DPS_OP_ACOS:
		case DPS_OP_ATAN:
		case DPS_OP_SINH:
		case DPS_OP_COSH:
		case DPS_OP_TANH:
		case DPS_OP_ASINH:
		case DPS_OP_ACOSH:
		case DPS_OP_ATANH:
		case DPS_OP_ERF:
		case DPS_OP_ERFC:
		case DPS_OP_CAST:
			return false;
		default:
			return true;
	}
}

/* Is there an operation that is not differentiable all over its domain, or a
 * cast to a type that is rounded to? */
static bool
has_kinks(const DpsProgram *program)
{
	uint32_t	i;

	for (i = 0; i < program->ninstructions; i++)
		if (is_kink(program->code[i].op) ||
			(program->code[i].op == DPS_OP_CAST && program->code[i].type != DPS_FLOAT8 && program->code[i].type != DPS_NUMERIC))
			return true;
	return false;
}

static DpsStatus
set_up_cover(Search *s)
{
	if (s->objective->cover == NULL)
		return DPS_OK;
	DPS_TRY(dps_compile(s->graph, &s->objective->cover, 1, &s->cover));
	s->covered = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->cover->ninstructions);
	return s->covered == NULL ? DPS_NOMEM : DPS_OK;
}

/* In operations of arithmetic: functions of libm cost six of them. */
static uint32_t
work_of(const DpsProgram *program)
{
	uint32_t	work = 0;
	uint32_t	i;

	for (i = 0; i < program->ninstructions; i++)
	{
		switch ((DpsOpcode) program->code[i].op)
		{
			case DPS_OP_CONST:
			case DPS_OP_VAR:
			case DPS_OP_ADD:
			case DPS_OP_SUB:
			case DPS_OP_MUL:
			case DPS_OP_DIV:
			case DPS_OP_NEG:
			case DPS_OP_SQR:
			case DPS_OP_SQRT:
			case DPS_OP_ABS:
			case DPS_OP_CAST:
				work++;
				break;
			default:
				work += WORK_OF_FUNCTION;
		}
	}
	return work;
}

/* The moving copy of a column, which dps_attribute adds, is not counted. */
static uint64_t
most_work(const Search *s)
{
	int			ncolumns = s->n - (s->objective->ncolumns > dps_columns(s->graph));

	if (ncolumns > FEW_COLUMNS || s->options->max_boxes > UINT64_MAX / WORK_OF_BOX)
		return UINT64_MAX;
	return s->options->max_boxes * WORK_OF_BOX;
}

static DpsStatus
set_up(Search *s)
{
	choose_dimensions(s);
	DPS_TRY(compile_outputs(s));
	DPS_TRY(set_up_climbs(s));
	s->point = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->at_points->ninstructions);
	s->box = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->on_boxes->ninstructions);
	s->point_variables = dps_arena_alloc(s->arena, sizeof(uint64_t) * s->at_points->ninstructions);
	s->box_variables = dps_arena_alloc(s->arena, sizeof(uint64_t) * s->on_boxes->ninstructions);
	if (s->point == NULL || s->box == NULL || s->point_variables == NULL || s->box_variables == NULL)
		return DPS_NOMEM;
	DPS_TRY(set_up_cover(s));
	dps_instruction_variables(s->at_points, s->point_variables);
	dps_instruction_variables(s->on_boxes, s->box_variables);
	s->kinked = has_kinks(s->on_boxes);
	s->queue = (DpsBoxQueue) {.arena = s->arena, .ndimensions = s->n + DPS_MAX_SLABS};
	s->lower = s->objective->floor;
	s->settled = -INFINITY;
	s->greatest = -INFINITY;
	s->least = INFINITY;
	s->bottom = INFINITY;
	s->point_work = work_of(s->at_points);
	s->box_work = work_of(s->on_boxes);
	s->most_work = most_work(s);
	return DPS_OK;
}

/*
 * Points
 */

static bool
is_finite(DpsInterval x)
{
	return isfinite(x.lo) && isfinite(x.hi);
}

/* The worst answer of the values to "is it defined?". */
static DpsDefined
values_defined(const Search *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	DpsDefined	worst = DPS_DEFINED;
	int			k;

	for (k = 0; k < s->nvalues; k++)
		if (enclosures[outputs[k]].defined > worst)
			worst = enclosures[outputs[k]].defined;
	return worst;
}

/* NULL always if one of the values is, never if none can be. */
static DpsNullness
values_nullness(const Search *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	DpsNullness worst = DPS_NEVER_NULL;
	int			k;

	for (k = 0; k < s->nvalues; k++)
		if (enclosures[outputs[k]].nullness > worst)
			worst = enclosures[outputs[k]].nullness;
	return worst;
}

/* An empty enclosure, of nothing but NULL, is as good as finite. */
static bool
values_finite(const Search *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	int			k;

	for (k = 0; k < s->nvalues; k++)
		if (!dps_iv_is_empty(enclosures[outputs[k]].value) && !is_finite(enclosures[outputs[k]].value))
			return false;
	return true;
}

/* Are the guards defined and finite, where the objective perhaps is not? */
static bool
guards_hold(const Search *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	int			k;

	for (k = 1; k < s->nvalues; k++)
	{
		const DpsEnclosure *e = &enclosures[outputs[k]];

		if (e->defined != DPS_DEFINED || !(dps_iv_is_empty(e->value) || is_finite(e->value)))
			return false;
	}
	return true;
}

/* The upper end of the cover on s->domain; Infinity if it is not defined and
 * finite all over it, or if there is none. */
static double
cover_bound(Search *s)
{
	const DpsEnclosure *e;

	if (s->cover == NULL)
		return INFINITY;
	dps_enclose_guarded(s->cover, s->domain, s->covered);
	e = &s->covered[dps_program_outputs(s->cover)[0]];
	if (e->defined != DPS_DEFINED || e->nullness != DPS_NEVER_NULL || dps_iv_is_empty(e->value) || !is_finite(e->value))
		return INFINITY;
	return e->value.hi;
}

/* Counts that a program of this work was enclosed, or so many times. */
static void
count_work(Search *s, uint32_t work, uint32_t times)
{
	(void) dps_arena_work(s->arena, work * times);
	s->work += (uint64_t) work * times;
}

/* Encloses the values at a point; x by dimension, NaN is NULL. */
static void
enclose_point(Search *s, const double *x)
{
	int			k;

	for (k = 0; k < s->n; k++)
	{
		DpsDomain  *domain = &s->domain[s->variable[k]];

		domain->integral = false;
		domain->nullness = isnan(x[k]) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		domain->lo = domain->hi = isnan(x[k]) ? s->root[k].lo : x[k];
	}
	count_work(s, s->point_work, 1);
	dps_enclose_guarded(s->at_points, s->domain, s->point);
}

/* Columns that do not matter get any value they may have. */
static void
write_witness(Search *s, const double *x)
{
	DpsPoint   *witness = &s->bracket->witness;
	int			j;
	int			k;

	memset(witness, 0, sizeof(*witness));
	for (j = 0; j < s->objective->ncolumns; j++)
		witness->x[j] = s->objective->box[j].nullness == DPS_ALWAYS_NULL ?
			(double) NAN : dps_middle(&s->objective->box[j]);
	for (k = 0; k < s->n; k++)
		witness->x[s->variable[k]] = x[k];
}

/* Takes the values that enclose_point has enclosed at x into account; false
 * if they are no values. */
static bool
note_values(Search *s, const double *x)
{
	DpsInterval value = s->point[dps_program_outputs(s->at_points)[0]].value;

	if (values_defined(s, s->at_points, s->point) != DPS_DEFINED ||
		values_nullness(s, s->at_points, s->point) != DPS_NEVER_NULL ||
		!values_finite(s, s->at_points, s->point) || dps_iv_is_empty(value))
		return false;
	s->greatest = fmax(s->greatest, value.lo);
	s->least = fmin(s->least, value.hi);
	if (!s->sampled || value.lo > s->lower)
	{
		write_witness(s, x);
		if (value.lo > s->lower)
		{
			s->lower = value.lo;
			s->noise = value.hi - value.lo;
		}
	}
	s->sampled = true;
	return true;
}

static bool
sample(Search *s, const double *x)
{
	enclose_point(s, x);
	return note_values(s, x);
}

static void
middle_of(const Search *s, const DpsDomain *domain, double *x)
{
	int			k;

	for (k = 0; k < s->n; k++)
		x[k] = domain[k].nullness == DPS_ALWAYS_NULL ? (double) NAN : dps_middle(&domain[k]);
}

/*
 * Refusals
 */

/* At a point: beyond every double, up to the error of a function of libm. */
static bool
out_of_range(const DpsEnclosure *e)
{
	return (e->value.hi == INFINITY && e->value.lo >= OUT_OF_RANGE) ||
		(e->value.lo == -INFINITY && e->value.hi <= -OUT_OF_RANGE);
}

static bool
is_unbounded(const DpsEnclosure *e)
{
	return !dps_iv_is_empty(e->value) && !is_finite(e->value);
}

static bool
is_discontinuous(const DpsEnclosure *e)
{
	return !e->continuous;
}

/* The innermost instruction of a property below one that has it; -1 if that
 * has not. */
static int
innermost(const DpsProgram *program, const DpsEnclosure *enclosures, uint32_t i,
		  bool (*has) (const DpsEnclosure *e))
{
	int			found = -1;
	int			a;

	while (has(&enclosures[i]) && found != (int) i)
	{
		found = i;
		for (a = 0; program->code[i].op != DPS_OP_VAR && a < program->code[i].nargs; a++)
		{
			if (has(&enclosures[program->code[i].arg[a]]))
			{
				i = program->code[i].arg[a];
				break;
			}
		}
	}
	return found;
}

/* Who is to blame for values not being defined and finite; -1 if unknown. */
static int
culprit_of(const Search *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	int			k;

	for (k = s->nvalues - 1; k >= 0; k--)
	{
		int			culprit = enclosures[outputs[k]].defined == DPS_DEFINED ?
			innermost(program, enclosures, outputs[k], is_unbounded) :
			dps_culprit(program, enclosures, k);

		if (culprit >= 0)
			return culprit;
	}
	return -1;
}

static void
refuse(Search *s, DpsStatus status, int culprit, const DpsProgram *program, const double *x)
{
	s->refused = true;
	s->bracket->status = status;
	s->bracket->culprit = culprit < 0 ? s->objective->node :
		dps_node_of(s->graph, program->code[culprit].node);
	write_witness(s, x);
}

/*
 * Is a value proved to be undefined or beyond every double at x?  Then refuses.
 * "Not proved defined" is no proof, nor is an infinite end.
 */
static bool
refuse_at(Search *s, const double *x)
{
	DpsDefined	defined;
	int			culprit;

	enclose_point(s, x);
	defined = values_defined(s, s->at_points, s->point);
	if (note_values(s, x) || (defined == DPS_DEFINED && values_finite(s, s->at_points, s->point)))
		return false;
	culprit = culprit_of(s, s->at_points, s->point);
	if (guards_hold(s, s->at_points, s->point) && isfinite(cover_bound(s)))
		return false;
	if (defined != DPS_UNDEFINED && !(culprit >= 0 && out_of_range(&s->point[culprit])))
		return false;
	refuse(s, DPS_DOMAIN, culprit, s->at_points, x);
	return true;
}

/* Tries the middle of the box and, if thorough, its corners in the first
 * three dimensions of the mask and the point nearest to 0. */
static bool
find_undefined(Search *s, const DpsBox *box, uint64_t mask, bool thorough)
{
	double		x[MAX_DIMENSIONS];
	int			some[3];
	int			nsome = 0;
	int			corner;
	int			k;

	middle_of(s, box->domain, x);
	if (refuse_at(s, x))
		return true;
	if (!thorough)
		return false;
	for (k = 0; k < s->n && nsome < 3; k++)
		if ((mask & (UINT64_C(1) << s->variable[k])) && can_cut(&box->domain[k]))
			some[nsome++] = k;
	for (corner = 0; corner < 1 << nsome; corner++)
	{
		for (k = 0; k < nsome; k++)
			x[some[k]] = corner & (1 << k) ? box->domain[some[k]].hi : box->domain[some[k]].lo;
		if (refuse_at(s, x))
			return true;
	}
	for (k = 0; k < s->n; k++)
		if (!isnan(x[k]))
			x[k] = fmax(box->domain[k].lo, fmin(box->domain[k].hi, 0.0));
	return refuse_at(s, x);
}

/*
 * Bounding a box
 */

static double
allowance(const Search *s, double upper)
{
	double		allowed = s->options->tolerance * fmax(fabs(upper), fabs(s->lower));

	if (s->lower == -INFINITY)
		return 0.0;
	if (s->greatest > s->least)
		allowed = fmax(allowed, s->options->tolerance * (SPREAD_PART * s->greatest - SPREAD_PART * s->least));
	return fmax(allowed, NOISE_FACTOR * s->noise);
}

static bool
good_enough(const Search *s, double upper)
{
	return upper <= s->lower || upper - s->lower <= allowance(s, upper);
}

/* Puts a box away: it holds no value above this. */
static void
settle(Search *s, double upper)
{
	if (upper > s->settled)
		s->settled = upper;
}

static double
relative_width(const Search *s, const DpsBox *box, int k)
{
	double		part = box->domain[k].hi / 2 - box->domain[k].lo / 2;
	double		whole = s->root[k].hi / 2 - s->root[k].lo / 2;

	return whole > 0 ? part / whole : 0.0;
}

/* The widest dimension of the mask, relative to the root; -1 if none is wider
 * than this and can be cut. */
static int
widest(const Search *s, const DpsBox *box, uint64_t mask, double than)
{
	int			best = -1;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		double		width = relative_width(s, box, k);

		if ((mask & (UINT64_C(1) << s->variable[k])) && width > than && can_cut(&box->domain[k]))
		{
			best = k;
			than = width;
		}
	}
	return best;
}

static int
maybe_null(const Search *s, const DpsBox *box, uint64_t mask)
{
	int			k;

	for (k = 0; k < s->n; k++)
		if ((mask & (UINT64_C(1) << s->variable[k])) && box->domain[k].nullness == DPS_MAYBE_NULL)
			return k;
	return -1;
}

/* Which way to cut a box that is not proved defined; -1 if it is too small. */
static int
choose_unresolved_cut(const Search *s, const DpsBox *box, uint64_t mask)
{
	int			k = maybe_null(s, box, mask);

	return k >= 0 ? s->n + DPS_MAX_SLABS + k : widest(s, box, mask, SMALLEST_PART);
}

static Verdict
examine_unresolved(Search *s, DpsBox *box)
{
	int			culprit = culprit_of(s, s->on_boxes, s->box);
	uint64_t	mask = culprit >= 0 ? s->box_variables[culprit] : ~UINT64_C(0);
	double		x[MAX_DIMENSIONS];

	box->unresolved = true;
	box->upper = INFINITY;
	box->cut = choose_unresolved_cut(s, box, mask);
	/* a decided condition or a cancelled term may be what is missing */
	if (box->cut < 0)
		box->cut = choose_unresolved_cut(s, box, ~UINT64_C(0));
	if (find_undefined(s, box, mask, box->cut < 0 || box->depth % 4 == 0))
		return BOX_SETTLED;
	if (box->cut < 0)
	{
		middle_of(s, box->domain, x);
		refuse(s, DPS_UNABLE, culprit, s->on_boxes, x);
		return BOX_SETTLED;
	}
	return BOX_UNRESOLVED;
}

/* A box on which the objective is not proved defined, but its cover is. */
static Verdict
examine_covered(Search *s, DpsBox *box)
{
	double		x[MAX_DIMENSIONS];

	box->upper = cover_bound(s);
	s->valued = true;
	s->bottom = -INFINITY;
	middle_of(s, box->domain, x);
	(void) sample(s, x);
	box->cut = good_enough(s, box->upper) ? -1 : choose_unresolved_cut(s, box, ~UINT64_C(0));
	if (box->cut >= 0)
		return BOX_OPEN;
	settle(s, box->upper);
	return BOX_SETTLED;
}

static const DpsEnclosure *
slope(const Search *s, int k)
{
	return &s->box[dps_program_outputs(s->on_boxes)[s->nvalues + k]];
}

static bool
usable_slope(const DpsEnclosure *slope)
{
	return slope->defined == DPS_DEFINED && slope->nullness == DPS_NEVER_NULL &&
		!dps_iv_is_empty(slope->value);
}

/* Cuts slopes by what their other forms say; one that overflows on the way
 * takes the other's place. */
static void
compare_slopes(Search *s)
{
	const uint32_t *outputs = dps_program_outputs(s->on_boxes);
	int			i;

	for (i = 0; i < s->nothers; i++)
	{
		DpsEnclosure *own = &s->box[outputs[s->nvalues + s->other_of[i]]];
		const DpsEnclosure *other = &s->box[outputs[s->nvalues + s->n + i]];
		DpsInterval both = dps_iv_intersect(own->value, other->value);

		if (!usable_slope(other))
			continue;
		if (!usable_slope(own))
			*own = *other;
		else if (!dps_iv_is_empty(both) && (both.lo >= 0 || both.hi <= 0))
			own->value = both;
	}
}

/* Continuous, with a value everywhere: slopes mean something. */
static bool
is_smooth(const Search *s)
{
	return s->sloped && s->box[dps_program_outputs(s->on_boxes)[0]].continuous &&
		values_nullness(s, s->on_boxes, s->box) == DPS_NEVER_NULL;
}

/* Collapses the dimensions in which the value is monotone; true if any. */
static bool
collapse(Search *s, DpsBox *box)
{
	bool		collapsed = false;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		DpsDomain  *domain = &box->domain[k];
		const DpsEnclosure *e = slope(s, k);

		if (domain->nullness != DPS_NEVER_NULL || domain->lo >= domain->hi || !usable_slope(e))
			continue;
		if (e->value.lo >= 0)
			domain->lo = domain->hi;
		else if (e->value.hi <= 0)
			domain->hi = domain->lo;
		else
			continue;
		collapsed = true;
	}
	return collapsed;
}

/*
 * The centre from which the mean value form is lowest: what growth remains
 * toward one end equals what remains toward the other.
 */
static double
centre(const DpsDomain *domain, DpsInterval slope)
{
	double		share = slope.hi / (slope.hi - slope.lo);
	double		at = domain->lo + (domain->hi - domain->lo) * share;

	if (domain->integral)
		at = rint(at);
	if (!(at >= domain->lo))
		return domain->lo;
	return at > domain->hi ? domain->hi : at;
}

/* An upper bound by the mean value form, which also samples its centre;
 * Infinity if slopes are missing. */
static double
mean_value_bound(Search *s, const DpsBox *box)
{
	double		c[MAX_DIMENSIONS];
	DpsInterval bound;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		const DpsDomain *domain = &box->domain[k];

		c[k] = domain->nullness == DPS_ALWAYS_NULL ? (double) NAN : domain->lo;
		if (domain->lo >= domain->hi || isnan(c[k]))
			continue;
		if (domain->nullness != DPS_NEVER_NULL || !usable_slope(slope(s, k)) ||
			!is_finite(slope(s, k)->value))
			return INFINITY;
		c[k] = centre(domain, slope(s, k)->value);
	}
	if (!sample(s, c))
		return INFINITY;
	bound = s->point[dps_program_outputs(s->at_points)[0]].value;
	for (k = 0; k < s->n; k++)
	{
		const DpsDomain *domain = &box->domain[k];

		if (domain->lo >= domain->hi || isnan(c[k]))
			continue;
		bound = dps_iv_add(bound, dps_iv_mul(slope(s, k)->value,
											 dps_iv_sub(dps_iv(domain->lo, domain->hi), dps_iv(c[k], c[k]))));
	}
	return bound.hi;
}

/* The dimension along which the value may vary most; -1 if slopes are
 * missing. */
static int
steepest(const Search *s, const DpsBox *box)
{
	double		most = -1.0;
	int			best = -1;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		DpsInterval g = slope(s, k)->value;
		double		rise;

		if (!can_cut(&box->domain[k]))
			continue;
		if (!usable_slope(slope(s, k)) || !is_finite(g))
			return -1;
		rise = fmax(fabs(g.lo), fabs(g.hi)) * (box->domain[k].hi - box->domain[k].lo);
		if (rise > most)
		{
			most = rise;
			best = k;
		}
	}
	return best;
}

/* What the innermost jump depends on. */
static uint64_t
jump_variables(const Search *s)
{
	int			jump = innermost(s->on_boxes, s->box, dps_program_outputs(s->on_boxes)[0],
								 is_discontinuous);

	return jump < 0 ? 0 : s->box_variables[jump];
}

/*
 * A slab to cut: a phase before the periods that it is of, a compound's argument
 * while the compound varies by more than what is left to find out.
 */
static int
choose_slab(const Search *s, const DpsBox *box)
{
	double		gap = (box->upper - s->lower) / fmax(fabs(box->upper), fabs(s->lower));
	int			a;
	int			i;

	for (a = 0; a < s->affine.nslabs && is_smooth(s); a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];

		if (!can_cut(&box->domain[s->n + a]))
			continue;
		if (slab->periodic && slab->wide && slab->within.hi - slab->within.lo > SMALLEST_PHASE)
			return s->n + a;
		for (i = 0; i < s->affine.compounds.n && !slab->periodic; i++)
		{
			DpsInterval range = s->affine.compound_range[i];

			if (s->affine.compounds.compound[i].argument == slab->instruction && s->slab_compound[a] == i &&
				!dps_iv_is_empty(range) &&
				(range.hi - range.lo) / fmax(fabs(range.lo), fabs(range.hi)) > SLAB_SHARE * gap)
				return s->n + a;
		}
	}
	return -1;
}

static int
choose_cut(const Search *s, const DpsBox *box)
{
	int			wider = -1;
	int			k = maybe_null(s, box, ~UINT64_C(0));

	if (k >= 0)
		return s->n + DPS_MAX_SLABS + k;
	k = choose_slab(s, box);
	if (k >= 0)
		return k;
	/* slopes are blind to jumps, so every other cut is for the jump */
	if (!is_smooth(s) && box->depth % 2 == 0)
		k = widest(s, box, jump_variables(s), 0.0);
	if (k < 0 && s->sloped)
	{
		k = steepest(s, box);
		/* what is steep may be so because of another dimension, left too wide */
		if (k >= 0)
			wider = widest(s, box, ~UINT64_C(0), relative_width(s, box, k) * MOST_WIDER);
		if (wider >= 0)
			return wider;
	}
	return k >= 0 ? k : widest(s, box, ~UINT64_C(0), 0.0);
}

static void
enclose_box(Search *s, const DpsBox *box)
{
	int			k;

	for (k = 0; k < s->n; k++)
	{
		s->domain[s->variable[k]] = box->domain[k];
		/* slopes are those of the relaxed expression */
		s->domain[s->variable[k]].integral = false;
	}
	s->bracket->boxes++;
	count_work(s, s->box_work, 1);
	dps_enclose_guarded(s->on_boxes, s->domain, s->box);
}

/* Narrows the value and its slopes to what the affine forms leave of them. */
static void
tighten(Search *s)
{
	const uint32_t *outputs = dps_program_outputs(s->on_boxes);
	uint32_t	k;

	count_work(s, s->box_work, WORK_OF_FORMS);
	dps_affine_enclose(&s->affine, s->domain, s->box);
	for (k = 0; k < s->on_boxes->noutputs; k++)
		if (!dps_iv_is_empty(s->affine.range[outputs[k]]))
			s->box[outputs[k]].value = s->affine.range[outputs[k]];
}

/* Sets the slabs to those of the box, */
static void
put_slabs(Search *s, DpsBox *box)
{
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		DpsDomain  *own = &box->domain[s->n + a];

		/* boxes may be older than the slabs */
		if (s->affine.slab[a].periodic && isinf(own->lo))
		{
			own->lo = 0;
			own->hi = WHOLE_PHASE;
		}
		s->affine.slab[a].within = dps_iv(own->lo, own->hi);
	}
}

/* and those of the box to what the instructions leave of them. */
static void
cut_slabs(const Search *s, DpsBox *box)
{
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];
		DpsDomain  *own = &box->domain[s->n + a];

		if (slab->periodic || dps_iv_is_empty(slab->natural))
			continue;
		own->lo = fmax(own->lo, slab->natural.lo);
		own->hi = fmin(own->hi, slab->natural.hi);
	}
}

/* Does a slab leave out any of the box? */
static bool
is_sliced(const Search *s)
{
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];

		if (slab->periodic ? slab->within.hi - slab->within.lo < 6.28 :
			slab->within.lo > slab->natural.lo || slab->within.hi < slab->natural.hi)
			return true;
	}
	return false;
}

/* What the value's form says within the slabs: cuts the box's upper bound and
 * the box. */
static bool
bound_in_slabs(Search *s, DpsBox *box, const DpsDomain *whole)
{
	const DpsForm *form = &s->affine.form[dps_program_outputs(s->on_boxes)[0]];
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];
		const DpsForm *other = &s->affine.form[slab->instruction];
		DpsInterval range = s->affine.range[slab->instruction];
		DpsForm		relaxed;

		if (slab->wide || dps_iv_is_empty(range))
			continue;
		box->upper = fmin(box->upper, dps_bound_within(form, other, range, s->n, &relaxed));
		if (!dps_contract(&relaxed, s->n, whole, box->domain, dps_iv(s->lower, INFINITY)) ||
			!dps_contract(other, s->n, whole, box->domain, range))
			return false;
	}
	return true;
}

/*
 * Takes away parts of the box without which the greatest value stays what it
 * is: those where no value beats the best one known, and those where the value
 * still rises towards an end of the box at which the root goes on.  Where a
 * differentiable expression is greatest it rises nowhere but out of the root.
 * At a kink it may rise into it, and a box that only touches the kink would not
 * know: so the latter is for expressions that have none.
 */
static bool
cut_away(Search *s, DpsBox *box)
{
	const uint32_t *outputs = dps_program_outputs(s->on_boxes);
	DpsDomain	whole[MAX_DIMENSIONS];
	int			k;

	memcpy(whole, box->domain, sizeof(DpsDomain) * s->n);
	if (dps_iv_is_empty(s->affine.range[outputs[0]]))
		return true;
	if (!dps_contract(&s->affine.form[outputs[0]], s->n, whole, box->domain, dps_iv(s->lower, INFINITY)) ||
		!bound_in_slabs(s, box, whole))
		return false;
	for (k = 0; k < s->n; k++)
	{
		DpsInterval wanted = DPS_ENTIRE;
		DpsInterval g = slope(s, k)->value;

		if (s->kinked || whole[k].integral || whole[k].nullness != DPS_NEVER_NULL || !usable_slope(slope(s, k)))
			continue;
		if (whole[k].hi < s->root[k].hi)
			wanted.hi = 0;
		if (whole[k].lo > s->root[k].lo)
			wanted.lo = 0;
		if (dps_iv_is_empty(dps_iv_intersect(g, wanted)))
			return false;
		if (!dps_iv_is_empty(s->affine.range[outputs[s->nvalues + k]]) &&
			!dps_contract(&s->affine.form[outputs[s->nvalues + k]], s->n, whole, box->domain, wanted))
			return false;
		/* at an end of the root, if it has not been cut away */
		if (g.lo > 0)
			box->domain[k].lo = box->domain[k].hi;
		else if (g.hi < 0)
			box->domain[k].hi = box->domain[k].lo;
		else
			continue;
		if (box->domain[k].lo != (g.lo > 0 ? s->root[k].hi : s->root[k].lo))
			return false;
	}
	return true;
}

/* Whether quadratic forms are worth a try: not in a short search, and seldom if
 * they have not helped. */
static bool
wants_quadratics(const Search *s)
{
	if (!s->formed || s->n > DPS_MAX_CURVED || s->bracket->boxes < BOXES_BEFORE_QUADRATICS)
		return false;
	return s->tried < QUADRATIC_TRIES || s->settled_by > s->tried / QUADRATIC_GAIN ||
		s->bracket->boxes % QUADRATIC_PAUSE == 0;
}

static DpsStatus
set_up_quadratics(Search *s)
{
	DpsQuadratics *quadratics = dps_arena_alloc(s->arena, sizeof(DpsQuadratics));

	if (quadratics == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_quadratics_init(quadratics, s->arena, &s->affine, dps_program_outputs(s->on_boxes)[0]));
	s->quadratics = quadratics;
	return DPS_OK;
}

/* Samples a box at places from -1 to 1. */
static void
sample_places(Search *s, const DpsBox *box, const double *place)
{
	double		x[MAX_DIMENSIONS];
	int			k;

	for (k = 0; k < s->n; k++)
	{
		const DpsDomain *own = &box->domain[k];
		double		at = own->lo * (0.5 - 0.5 * place[k]) + own->hi * (0.5 + 0.5 * place[k]);

		x[k] = fmax(own->lo, fmin(own->hi, own->integral ? rint(at) : at));
	}
	(void) sample(s, x);
}

/* An upper bound by quadratic forms in *bound, if it is lower; samples about
 * where they are greatest. */
static DpsStatus
bound_by_quadratics(Search *s, const DpsBox *box, double *bound)
{
	const DpsQuadratic *form;
	double		top[DPS_MAX_CURVED];
	double		found;

	if (s->quadratics == NULL)
		DPS_TRY(set_up_quadratics(s));
	count_work(s, s->box_work, WORK_OF_QUADRATICS * s->n);
	form = dps_quadratics_make(s->quadratics, s->box);
	if (form == NULL)
		return DPS_OK;
	found = dps_crest(form, s->n, top);
	s->tried++;
	if (found < *bound)
	{
		*bound = found;
		sample_places(s, box, top);
		s->settled_by += good_enough(s, found);
	}
	return DPS_OK;
}

/*
 * Forms are made from some box on: what is done before that is as good without
 * them, and what is monotone has bounds without rounding errors.
 */
static bool
has_forms(Search *s)
{
	if (s->formed || !s->sloped || s->n > DPS_MAX_AFFINE || s->bracket->boxes < BOXES_BEFORE_FORMS)
		return s->formed;
	s->trouble = dps_affine_init(&s->affine, s->graph, s->arena, s->on_boxes, s->outputs, s->n, s->variable);
	s->formed = s->trouble == DPS_OK;
	if (s->formed)
		choose_slabs(s);
	return s->formed;
}

/* Tightens within the box's slabs; false if it has no point in them. */
static bool
slice(Search *s, DpsBox *box)
{
	put_slabs(s, box);
	tighten(s);
	if (s->affine.impossible)
		return false;
	cut_slabs(s, box);
	return true;
}

/* Has a dimension lost most of its width? */
static bool
has_shrunk(const Search *s, const DpsDomain *before, const DpsDomain *after)
{
	int			k;

	for (k = 0; k < s->n; k++)
		if (before[k].lo < before[k].hi && after[k].hi - after[k].lo < SHRUNK_PART * (before[k].hi - before[k].lo))
			return true;
	return false;
}

/* Bounds the expression on the box, which may shrink on the way. */
static Verdict
examine(Search *s, DpsBox *box)
{
	const DpsEnclosure *value = &s->box[dps_program_outputs(s->on_boxes)[0]];
	double		x[MAX_DIMENSIONS];
	DpsDomain	whole[MAX_DIMENSIONS];

	box->unresolved = false;
	if (!has_forms(s) && s->trouble != DPS_OK)
		return BOX_SETTLED;
	do
	{
		enclose_box(s, box);
		if (values_defined(s, s->on_boxes, s->box) != DPS_DEFINED || !values_finite(s, s->on_boxes, s->box))
		{
			if (guards_hold(s, s->on_boxes, s->box) && isfinite(cover_bound(s)))
				return examine_covered(s, box);
			return examine_unresolved(s, box);
		}
		if (values_nullness(s, s->on_boxes, s->box) == DPS_ALWAYS_NULL || dps_iv_is_empty(value->value))
			return BOX_SETTLED;
		if (s->formed && is_smooth(s) && !slice(s, box))
			return BOX_SETTLED;
		compare_slopes(s);
		/* what a slab says of a slope need not hold on the way to the end */
	} while (is_smooth(s) && !is_sliced(s) && collapse(s, box));
	s->valued = true;
	s->bottom = fmin(s->bottom, value->value.lo);
	box->upper = fmin(value->value.hi, cover_bound(s));
	if (is_smooth(s))
	{
		if (!is_sliced(s))
			box->upper = fmin(box->upper, mean_value_bound(s, box));
		else
		{
			middle_of(s, box->domain, x);
			(void) sample(s, x);
		}
		if (!good_enough(s, box->upper) && wants_quadratics(s))
			s->trouble = bound_by_quadratics(s, box, &box->upper);
		if (s->trouble != DPS_OK)
			return BOX_SETTLED;
	}
	else if (!good_enough(s, box->upper))
	{
		middle_of(s, box->domain, x);
		(void) sample(s, x);
	}
	if (s->formed && is_smooth(s) && !good_enough(s, box->upper))
	{
		memcpy(whole, box->domain, sizeof(DpsDomain) * s->n);
		if (!cut_away(s, box))
			return BOX_SETTLED;
		if (!good_enough(s, box->upper) && has_shrunk(s, whole, box->domain))
			return examine(s, box);
	}
	box->cut = good_enough(s, box->upper) ? -1 : choose_cut(s, box);
	if (box->cut < 0)
	{
		settle(s, box->upper);
		return BOX_SETTLED;
	}
	return BOX_OPEN;
}

/*
 * Witnesses
 */

/* Climbs from x within the box and samples where it ends. */
static DpsStatus
climb_from(Search *s, const DpsDomain *domain, const double *x)
{
	double		lo[MAX_DIMENSIONS];
	double		hi[MAX_DIMENSIONS];
	int			variable[MAX_DIMENSIONS];
	double		end[MAX_DIMENSIONS];
	DpsClimb   *climb = &s->climb;
	int			k;

	climb->n = 0;
	climb->lo = lo;
	climb->hi = hi;
	climb->variable = variable;
	for (k = 0; k < s->n; k++)
	{
		climb->point[s->variable[k]] = x[k];
		if (isnan(x[k]) || domain[k].integral || domain[k].lo >= domain[k].hi)
			continue;
		lo[climb->n] = domain[k].lo;
		hi[climb->n] = domain[k].hi;
		variable[climb->n++] = s->variable[k];
	}
	DPS_TRY(dps_climb(climb));
	for (k = 0; k < s->n; k++)
		end[k] = climb->point[s->variable[k]];
	(void) sample(s, end);
	return DPS_OK;
}

/* A few starts spread over the box by an additive recurrence. */
static DpsStatus
climb_at_first(Search *s)
{
	double		x[MAX_DIMENSIONS];
	int			start;
	int			k;

	for (start = 0; start < CLIMB_STARTS; start++)
	{
		double		share = 0.5;

		for (k = 0; k < s->n; k++)
		{
			const DpsDomain *domain = &s->root[k];

			/* the fractional parts of multiples of roots of 2 are spread */
			share = start == 0 ? 0.5 : fmod(start * pow(2.0, (k + 1.0) / (s->n + 1.0)) + 0.25, 1.0);
			x[k] = domain->lo * (1.0 - share) + domain->hi * share;
			if (domain->integral)
				x[k] = rint(x[k]);
			if (domain->nullness == DPS_ALWAYS_NULL ||
				(domain->nullness == DPS_MAYBE_NULL && start % 2 == 1))
				x[k] = (double) NAN;
		}
		(void) sample(s, x);
		DPS_TRY(climb_from(s, s->root, x));
	}
	return DPS_OK;
}

/* A better witness found by chance is worth a climb, if it is much better. */
static DpsStatus
climb_again(Search *s, double before)
{
	double		x[MAX_DIMENSIONS];
	int			k;

	if (s->climbs <= 0 || !(s->lower - before > allowance(s, s->lower)))
		return DPS_OK;
	s->climbs--;
	for (k = 0; k < s->n; k++)
		x[k] = s->bracket->witness.x[s->variable[k]];
	before = s->lower;
	DPS_TRY(climb_from(s, s->root, x));
	/* one that leads nowhere, at a jump for instance, bodes ill for others */
	if (!(s->lower - before > allowance(s, s->lower)))
		s->climbs -= COST_OF_FAILURE;
	return DPS_OK;
}

/*
 * The search
 */

static DpsStatus
add_box(Search *s, DpsBox *box)
{
	double		before = s->lower;
	Verdict		verdict = examine(s, box);

	DPS_TRY(s->trouble);
	if (verdict == BOX_SETTLED)
		dps_free_box(&s->queue, box);
	else
		DPS_TRY(dps_push_box(&s->queue, box));
	return s->refused ? DPS_OK : climb_again(s, before);
}

static void
cut_box(const Search *s, const DpsBox *box, DpsBox *below, DpsBox *above)
{
	int			n = s->n + DPS_MAX_SLABS;
	size_t		size = sizeof(DpsDomain) * n;

	memcpy(below->domain, box->domain, size);
	memcpy(above->domain, box->domain, size);
	below->depth = above->depth = box->depth + 1;
	if (box->cut >= n)
	{
		below->domain[box->cut - n].nullness = DPS_NEVER_NULL;
		above->domain[box->cut - n].nullness = DPS_ALWAYS_NULL;
	}
	else
		(void) dps_cut(&box->domain[box->cut], &below->domain[box->cut], &above->domain[box->cut]);
}

static bool
is_exhausted(const Search *s)
{
	const DpsHost *host = dps_arena_host(s->graph->arena);

	if (s->options->deadline > 0 && host->milliseconds(host->context) >= s->options->deadline)
		s->bracket->late = true;
	return s->bracket->late || s->bracket->boxes >= s->options->max_boxes ||
		s->work >= s->most_work || s->queue.bytes > MAX_QUEUE_BYTES;
}

/* Cuts the first box of the queue. */
static DpsStatus
advance(Search *s)
{
	DpsBox		   *box = dps_pop_box(&s->queue);
	DpsBox		   *below = dps_new_box(&s->queue);
	DpsBox		   *above = dps_new_box(&s->queue);

	if (below == NULL || above == NULL)
		return DPS_NOMEM;
	cut_box(s, box, below, above);
	dps_free_box(&s->queue, box);
	DPS_TRY(add_box(s, below));
	return s->refused ? DPS_OK : add_box(s, above);
}

static DpsStatus
search(Search *s)
{
	while (s->queue.n > 0 && !s->refused)
	{
		const DpsBox  *first = s->queue.heap[0];

		if (!first->unresolved && good_enough(s, first->upper))
			break;
		if (!first->unresolved && s->climbs < 0 && s->bracket->boxes >= BOXES_BEFORE_CLIMBS)
		{
			s->climbs = CLIMBS_LATER;
			DPS_TRY(climb_at_first(s));
			continue;
		}
		if (is_exhausted(s))
		{
			s->bracket->exhausted = true;
			break;
		}
		if (!dps_arena_step(s->arena))
			return DPS_CANCELLED;
		DPS_TRY(advance(s));
	}
	return DPS_OK;
}

/* Boxes ran out before everything was proved defined. */
static void
refuse_unresolved(Search *s, DpsBox *box)
{
	double		x[MAX_DIMENSIONS];

	enclose_box(s, box);
	middle_of(s, box->domain, x);
	refuse(s, DPS_UNABLE, culprit_of(s, s->on_boxes, s->box), s->on_boxes, x);
}

static void
conclude(Search *s)
{
	DpsBracket *bracket = s->bracket;

	if (s->queue.n > 0 && s->queue.heap[0]->unresolved && !s->refused)
		refuse_unresolved(s, s->queue.heap[0]);
	if (s->refused)
	{
		bracket->lower = s->sampled ? s->lower : -INFINITY;
		bracket->upper = INFINITY;
		return;
	}
	bracket->empty = !s->valued && s->queue.n == 0;
	if (bracket->empty && s->lower == -INFINITY)
		return;
	if (s->queue.n > 0)
		settle(s, s->queue.heap[0]->upper);
	bracket->lower = s->lower > -INFINITY ? s->lower : s->bottom;
	bracket->upper = fmax(bracket->lower, s->settled);
}

static DpsStatus
run(Search *s)
{
	DpsBox		   *root;
	double		x[MAX_DIMENSIONS];
	int			a;

	DPS_TRY(set_up(s));
	middle_of(s, s->root, x);
	write_witness(s, x);
	root = dps_new_box(&s->queue);
	if (root == NULL)
		return DPS_NOMEM;
	memcpy(root->domain, s->root, sizeof(DpsDomain) * s->n);
	for (a = 0; a < DPS_MAX_SLABS; a++)
		root->domain[s->n + a] = (DpsDomain) {-INFINITY, INFINITY, DPS_NEVER_NULL, false};
	s->climbs = -1;
	DPS_TRY(add_box(s, root));
	DPS_TRY(search(s));
	conclude(s);
	return DPS_OK;
}

DpsBoundOptions
dps_bound_options(const DpsGraph *graph, const DpsBoundOptions *options)
{
	const DpsHost *host = dps_arena_host(graph->arena);
	DpsBoundOptions chosen = options != NULL ? *options : DPS_BOUND_DEFAULTS;

	if (chosen.deadline == 0 && chosen.max_ms > 0 && host->milliseconds != NULL)
		chosen.deadline = host->milliseconds(host->context) + chosen.max_ms;
	return chosen;
}

DpsStatus
dps_search(DpsGraph *graph, const DpsObjective *objective, const DpsBoundOptions *options,
		   DpsBracket *bracket)
{
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	Search	   *s;
	DpsArena   *arena;
	DpsStatus	status;

	memset(bracket, 0, sizeof(*bracket));
	DPS_TRY(dps_arena_init(&arena, dps_arena_host(graph->arena)));
	s = dps_arena_alloc(arena, sizeof(Search));
	if (s == NULL)
	{
		dps_arena_clear(arena);
		return DPS_NOMEM;
	}
	s->graph = graph;
	s->objective = objective;
	s->options = &chosen;
	s->bracket = bracket;
	s->arena = arena;
	status = dps_arena_status(graph->arena, dps_arena_status(arena, run(s)));
	dps_arena_clear(arena);
	return status;
}

static DpsStatus
supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
		 const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective objective = {.box = box, .floor = -INFINITY};

	objective.node = dps_as_float8(graph, node);
	objective.ncolumns = dps_columns(graph);
	return dps_maximise(graph, &objective, options, bracket);
}

DpsStatus
dps_supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			 const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);
	DpsStatus	status = supremum(graph, node, box, options, bracket);

	(void) dps_graph_prove(graph, before);
	return status;
}

static DpsStatus
infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
		const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective objective = {.box = box, .floor = -INFINITY};
	double		upper;

	objective.node = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, dps_as_float8(graph, node), NULL);
	objective.ncolumns = dps_columns(graph);
	DPS_TRY(dps_maximise(graph, &objective, options, bracket));
	if (bracket->culprit == objective.node)
		bracket->culprit = node;
	if (bracket->status != DPS_OK)
	{
		bracket->lower = -INFINITY;
		return DPS_OK;
	}
	upper = -bracket->lower;
	bracket->lower = -bracket->upper;
	bracket->upper = upper;
	return DPS_OK;
}

DpsStatus
dps_infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);
	DpsStatus	status = infimum(graph, node, box, options, bracket);

	(void) dps_graph_prove(graph, before);
	return status;
}
