/*
 * quantities.c
 *		The quantities that privacy needs of an expression, as brackets: Lipschitz
 *		constant and slope; and how brackets are combined.
 *
 * Each quantity is the supremum of an expression made for the purpose; search.c
 * finds it.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/jump.h"
#include "bound/quantity/lattice.h"
#include "bound/quantity/lift_conditions.h"
#include "bound/quantity/norm_slopes.h"
#include "bound/quantity/reduce.h"
#include "bound/quantity/vector_space.h"
#include "bound/relax/factor.h"
#include "bound/relax/share.h"
#include "expr/enclose.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* Boxes spent on each of several suprema to guess the greatest. */
#define PROBE_BOXES 64

/* Sums of so many magnitudes are searched by all signs, too, if the boxes were not enough. */
#define MAX_SIGNED 3

/* Joins two brackets' statuses, counts and flags; culprit and witness are
 * those of a bracket that refuses. */
static void
join_brackets(const DpsBracket *a, const DpsBracket *b, DpsBracket *joined)
{
	DpsBracket	result = *a;

	result.status = dps_worse(a->status, b->status);
	if (a->status != result.status)
	{
		result.culprit = b->culprit;
		result.witness = b->witness;
	}
	result.boxes = a->boxes + b->boxes;
	result.exhausted = a->exhausted || b->exhausted;
	result.late = a->late || b->late;
	result.full = a->full || b->full;
	result.empty = a->empty && b->empty;
	*joined = result;
}

static void
refuse_bracket(DpsBracket *bracket, double lower)
{
	bracket->lower = lower;
	bracket->upper = INFINITY;
}

void
dps_bracket_magnitude(const DpsBracket *infimum, const DpsBracket *supremum, DpsBracket *magnitude)
{
	DpsBracket	result;

	join_brackets(infimum, supremum, &result);
	if (result.status != DPS_OK)
		refuse_bracket(&result, 0.0);
	else
	{
		result.lower = fmax(0.0, fmax(supremum->lower, -infimum->upper));
		result.upper = fmax(0.0, fmax(supremum->upper, -infimum->lower));
		result.witness = supremum->lower >= -infimum->upper ? supremum->witness : infimum->witness;
	}
	*magnitude = result;
}

void
dps_bracket_length(const DpsBracket *infimum, const DpsBracket *supremum, DpsBracket *length)
{
	DpsBracket	result;

	join_brackets(supremum, infimum, &result);
	if (result.status != DPS_OK)
		refuse_bracket(&result, 0.0);
	else
	{
		result.lower = fmax(0.0, dps_sub_down(supremum->lower, infimum->upper));
		result.upper = fmax(0.0, dps_sub_up(supremum->upper, infimum->lower));
	}
	*length = result;
}

/* Takes the greater of two brackets of suprema. */
static void
take_greater(DpsBracket *bracket, const DpsBracket *part)
{
	double		lower = fmax(bracket->lower, part->lower);
	double		upper = fmax(bracket->upper, part->upper);

	if (part->lower > bracket->lower)
		bracket->witness = part->witness;
	join_brackets(bracket, part, bracket);
	bracket->lower = lower;
	bracket->upper = upper;
}

/* The expressions, their best lower ends, and whether their searches are still
 * open. */
typedef struct Rivals
{
	const DpsNode **nodes;
	const DpsNode **covers;
	double		lower[2 * MAX_DIMENSIONS];
	bool		open[2 * MAX_DIMENSIONS];
	int			n;
} Rivals;

/* The open rival with the greatest lower end; -1 if none is open. */
static int
strongest(const Rivals *rivals)
{
	int			best = -1;
	int			k;

	for (k = 0; k < rivals->n; k++)
		if (rivals->open[k] && (best < 0 || rivals->lower[k] > rivals->lower[best]))
			best = k;
	return best;
}

/*
 * The greatest of several suprema, none below 0.  A short search of each tells
 * which is likely the greatest.  That search is finished first, since the
 * others then need not look below its lower end.
 */
static DpsStatus
maximise_any(DpsGraph *graph, const DpsObjective *objective, Rivals *rivals,
			 const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective rival = *objective;
	DpsBoundOptions brief = *options;
	DpsBoundOptions full = *options;
	DpsBracket	part;
	int			k;

	memset(bracket, 0, sizeof(*bracket));
	bracket->empty = true;
	if (brief.max_boxes > PROBE_BOXES)
		brief.max_boxes = PROBE_BOXES;
	for (k = 0; k < rivals->n; k++)
	{
		rival.node = rivals->nodes[k];
		rival.cover = rivals->covers[k];
		rival.floor = bracket->lower;
		DPS_TRY(dps_maximise(graph, &rival, &brief, &part));
		rivals->lower[k] = part.lower;
		rivals->open[k] = part.exhausted;
		if (rivals->open[k])
		{
			part.status = DPS_OK;
			part.upper = 0.0;
			part.exhausted = part.late = part.full = false;
		}
		if (k == 0)
			bracket->witness = part.witness;
		take_greater(bracket, &part);
	}
	while (bracket->status == DPS_OK && (k = strongest(rivals)) >= 0)
	{
		rivals->open[k] = false;
		rival.node = rivals->nodes[k];
		rival.cover = rivals->covers[k];
		rival.floor = bracket->lower;
		DPS_TRY(dps_maximise(graph, &rival, &full, &part));
		take_greater(bracket, &part);
		/* all other searches together take as long as the first */
		if (part.exhausted && full.max_boxes / 2 >= PROBE_BOXES)
			full.max_boxes /= 2;
	}
	if (bracket->status != DPS_OK)
		refuse_bracket(bracket, bracket->lower);
	return DPS_OK;
}

/* sup max |entries|, by both signs of each entry; private_variables as in
 * dps_lift_conditions; the entries are derivatives by `columns`. */
static DpsStatus
maximise_magnitudes(DpsGraph *graph, const DpsObjective *objective, const DpsNode *const *entries,
					const int *columns, int nentries, const DpsCover *cover, uint64_t private_variables,
					const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *nodes[2 * MAX_DIMENSIONS];
	const DpsNode *covers[2 * MAX_DIMENSIONS];
	Rivals		rivals = {.nodes = nodes, .covers = covers};
	int			k;

	for (k = 0; k < nentries; k++)
	{
		const DpsNode *entry = dps_lift_conditions(graph, entries[k], private_variables);
		const DpsNode *opposite = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, entries[k], NULL);

		covers[rivals.n] = dps_cover_entry(cover, columns[k], false);
		nodes[rivals.n++] = entry;
		covers[rivals.n] = dps_cover_entry(cover, columns[k], true);
		nodes[rivals.n++] = dps_lift_conditions(graph, opposite, private_variables);
	}
	return maximise_any(graph, objective, &rivals, options, bracket);
}

/*
 * Lipschitz constants
 */

/* The entries of the weighted gradient that are not 0 everywhere. */
static DpsStatus
weighted_gradient(DpsGraph *graph, const DpsNode *node, const DpsPolicy *policy, int ncolumns,
				  const DpsNode **entries, int *columns, int *nentries)
{
	const DpsNode *gradient[MAX_DIMENSIONS];
	int			j;

	*nentries = 0;
	DPS_TRY(dps_gradient(graph, node, gradient));
	for (j = 0; j < ncolumns; j++)
	{
		const DpsNode *entry = gradient[j];

		if (!(policy->private_variables & (UINT64_C(1) << j)) || dps_is_constant(entry, 0))
			continue;
		if (policy->weights[j] != 1)
			entry = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, entry,
							  dps_constant(graph, DPS_FLOAT8, policy->weights[j]));
		if (entry == NULL)
			return DPS_NOMEM;
		columns[*nentries] = j;
		entries[(*nentries)++] = entry;
	}
	return DPS_OK;
}

/* The greatest magnitude of a program's outputs, by the enclosures' least or
 * greatest magnitudes. */
static double
greatest_magnitude(const DpsProgram *program, const DpsEnclosure *enclosures, bool least)
{
	double		greatest = 0.0;
	uint32_t	k;

	for (k = 0; k < program->noutputs; k++)
	{
		DpsInterval value = dps_iv_abs(enclosures[dps_program_outputs(program)[k]].value);

		if (!dps_iv_is_empty(value))
			greatest = fmax(greatest, least ? value.lo : value.hi);
	}
	return greatest;
}

/* The greatest magnitude seen at a few points: both ends, the middle, and the one
 * nearest to 0. */
static double
magnitude_seen(const DpsProgram *program, const DpsDomain *box, int ncolumns, DpsEnclosure *enclosures)
{
	DpsDomain	point[MAX_DIMENSIONS];
	double		seen = 0.0;
	int			place;
	int			j;

	for (place = 0; place < 4; place++)
	{
		for (j = 0; j < ncolumns; j++)
		{
			const DpsDomain *domain = &box[j];
			double		places[] = {domain->lo, domain->hi, dps_middle(domain), fmax(domain->lo, fmin(domain->hi, 0.0))};

			point[j] = *domain;
			point[j].lo = point[j].hi = places[place];
		}
		(void) dps_enclose_guarded(program, point, enclosures);
		seen = fmax(seen, greatest_magnitude(program, enclosures, true));
	}
	return seen;
}

/*
 * The exponent e such that entries times 2^-e can be squared without overflow or
 * underflow: 0 unless magnitudes are extreme.  A wide enclosure over the whole
 * box does not prove large magnitudes, so points are looked at as well.
 */
static DpsStatus
choose_scale(DpsGraph *graph, const DpsNode *const *entries, int nentries, const DpsDomain *box, int ncolumns, int *e)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	double		largest;

	DPS_TRY(dps_compile_partly(graph, entries, nentries, 0, 0, &program));
	enclosures = dps_arena_alloc(graph->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	(void) dps_enclose_guarded(program, box, enclosures);
	largest = greatest_magnitude(program, enclosures, false);
	*e = dps_scale_exponent(largest);
	if (*e > 0 || largest == INFINITY)
		*e = dps_scale_exponent(fmax(1.0, magnitude_seen(program, box, ncolumns, enclosures)));
	return DPS_OK;
}

static const DpsNode *
sum_of_squares(DpsGraph *graph, const DpsNode *const *entries, int nentries, int e)
{
	const DpsNode *sum = e == 0 ? dps_factored_squares(graph, entries, nentries) : NULL;
	int			k;

	if (sum != NULL)
		return sum;
	sum = dps_constant(graph, DPS_FLOAT8, 0.0);
	for (k = 0; k < nentries; k++)
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum,
						dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, dps_scale_node(graph, entries[k], e), NULL));
	return sum;
}

/* sqrt(sup of the sum of squares): the root itself has no derivative at 0.
 * The relative width of the root is half that of the square. */
static DpsStatus
maximise_norm2(DpsGraph *graph, DpsObjective *objective, const DpsNode *const *entries, int nentries,
			   const DpsCover *cover, uint64_t private_variables, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsBoundOptions doubled = *options;
	int			e;

	DPS_TRY(choose_scale(graph, entries, nentries, objective->box, objective->ncolumns, &e));
	objective->node = dps_lift_conditions(graph, sum_of_squares(graph, entries, nentries, e), private_variables);
	if (e == 0)
		objective->cover = dps_cover_norm2(cover);
	doubled.tolerance *= 2;
	DPS_TRY(dps_maximise(graph, objective, &doubled, bracket));
	bracket->lower = dps_root_down(bracket->lower, e);
	bracket->upper = dps_root_up(bracket->upper, e);
	if (bracket->status == DPS_OK && !isfinite(bracket->upper))
		bracket->status = DPS_UNABLE;
	return DPS_OK;
}

static const DpsNode *
sum_of_magnitudes(DpsGraph *graph, const DpsNode *const *entries, int nentries)
{
	const DpsNode *sum = dps_factored_magnitudes(graph, entries, nentries);
	int			k;

	if (sum != NULL)
		return sum;
	sum = dps_constant(graph, DPS_FLOAT8, 0.0);
	for (k = 0; k < nentries; k++)
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum,
						dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, entries[k], NULL));
	return sum;
}

/*
 * A sum of magnitudes is the greatest of the sums with all signs, each of which is as smooth as
 * the entries are, while the magnitudes have kinks where the search loses what slopes tell it.
 */
static DpsStatus
maximise_signs(DpsGraph *graph, const DpsObjective *objective, const DpsNode *const *entries, int nentries,
			   uint64_t private_variables, const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *nodes[1 << MAX_SIGNED];
	const DpsNode *covers[1 << MAX_SIGNED];
	Rivals		rivals = {.nodes = nodes, .covers = covers, .n = 1 << nentries};
	int			signs;
	int			k;

	for (signs = 0; signs < rivals.n; signs++)
	{
		const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0.0);

		for (k = 0; k < nentries; k++)
			sum = dps_apply(graph, signs & 1 << k ? DPS_OP_SUB : DPS_OP_ADD, DPS_FLOAT8, sum, entries[k]);
		nodes[signs] = dps_lift_conditions(graph, sum, private_variables);
		covers[signs] = objective->cover;
	}
	return maximise_any(graph, objective, &rivals, options, bracket);
}

/* Two brackets of one supremum; both hold. */
static void
intersect_brackets(DpsBracket *bracket, const DpsBracket *other)
{
	uint64_t	boxes = bracket->boxes + other->boxes;
	double		upper = fmin(bracket->upper, other->upper);

	if (other->status == DPS_OK && (bracket->status != DPS_OK || other->lower > bracket->lower))
		*bracket = *other;
	bracket->boxes = boxes;
	if (bracket->status == DPS_OK)
		bracket->upper = upper;
}

static DpsStatus
maximise_norm1(DpsGraph *graph, DpsObjective *objective, const DpsNode *const *entries, int nentries,
			   const DpsCover *cover, uint64_t private_variables, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsBracket	signs;

	objective->node = dps_lift_conditions(graph, sum_of_magnitudes(graph, entries, nentries), private_variables);
	objective->cover = dps_cover_norm1(cover);
	DPS_TRY(dps_maximise(graph, objective, options, bracket));
	if (!bracket->exhausted || bracket->status == DPS_DOMAIN || bracket->late || bracket->full || nentries > MAX_SIGNED)
		return DPS_OK;
	DPS_TRY(maximise_signs(graph, objective, entries, nentries, private_variables, options, &signs));
	intersect_brackets(bracket, &signs);
	bracket->exhausted = signs.status != DPS_OK || signs.exhausted;
	return DPS_OK;
}

static DpsStatus
maximise_norm(DpsGraph *graph, DpsObjective *objective, const DpsNode *const *entries, const int *columns,
			  int nentries, const DpsCover *cover, uint64_t private_variables, DpsGradientNorm norm,
			  const DpsBoundOptions *options, DpsBracket *bracket)
{
	if (nentries == 0)
	{
		objective->node = dps_constant(graph, DPS_FLOAT8, 0.0);
		return dps_maximise(graph, objective, options, bracket);
	}
	/* with one entry all norms are its magnitude, which is smooth for either
	 * sign */
	if (nentries == 1 || norm == DPS_NORM_INFINITY)
		return maximise_magnitudes(graph, objective, entries, columns, nentries, cover, private_variables, options, bracket);
	if (norm == DPS_NORM_1)
		return maximise_norm1(graph, objective, entries, nentries, cover, private_variables, options, bracket);
	return maximise_norm2(graph, objective, entries, nentries, cover, private_variables, options, bracket);
}

DpsStatus
dps_lipschitz_by_lines(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsPolicy *policy,
					   DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *entries[MAX_DIMENSIONS];
	DpsDomain	relaxed[MAX_DIMENSIONS];
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	DpsObjective objective = {.nguards = 1, .box = relaxed, .floor = -INFINITY};
	const DpsNode *value = dps_as_float8(graph, node);
	const DpsNode *shared;
	DpsStatus	status;
	DpsCover	cover;
	uint64_t	boxes;
	int			columns[MAX_DIMENSIONS];
	int			nentries;

	if (value == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	objective.guards[0] = value;
	objective.ncolumns = dps_columns(graph);
	dps_relax_box(graph, value, box, objective.ncolumns, policy->private_variables, relaxed);
	DPS_TRY(dps_refuse_jumps(graph, value, box, relaxed, objective.ncolumns, policy->private_variables, bracket));
	if (bracket->status != DPS_OK)
		return DPS_OK;
	boxes = bracket->boxes;
	DPS_TRY(dps_shares(graph, value, relaxed, &shared));
	status = weighted_gradient(graph, shared, policy, objective.ncolumns, entries, columns, &nentries);
	DPS_TRY(dps_arena_status(graph->arena, status));
	status = dps_cover_init(&cover, graph, value, relaxed, objective.ncolumns, policy->private_variables, policy->weights);
	DPS_TRY(dps_arena_status(graph->arena, status));
	status = maximise_norm(graph, &objective, entries, columns, nentries, &cover, policy->private_variables, norm,
						   &chosen, bracket);
	bracket->boxes += boxes;
	return dps_arena_status(graph->arena, status);
}

DpsStatus
dps_slope(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
		  const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *gradient[MAX_DIMENSIONS];
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	DpsObjective objective = {.nguards = 1, .box = box, .floor = -INFINITY};
	const DpsNode *shared;
	DpsStatus	status;
	DpsCover	cover;

	objective.guards[0] = dps_as_float8(graph, node);
	objective.ncolumns = dps_columns(graph);
	DPS_TRY(dps_shares(graph, objective.guards[0], box, &shared));
	DPS_TRY(dps_gradient(graph, shared, gradient));
	status = dps_cover_init(&cover, graph, objective.guards[0], box, objective.ncolumns, UINT64_MAX, NULL);
	DPS_TRY(dps_arena_status(graph->arena, status));
	return dps_arena_status(graph->arena,
							maximise_magnitudes(graph, &objective, &gradient[variable], &variable, 1, &cover,
												UINT64_C(1) << variable, &chosen, bracket));
}
