/*
 * joint.c
 *		How large a vector of row expressions gets, and how far two rows, or two
 *		values of one column, can be apart.
 *
 * Every quantity is the supremum of a norm of a vector v over a box: v = f(x)
 * of a row, or f(x) - f(x') of a pair, where x' has the same columns as x
 * except those that move.  Then, with [0, u_i] a bracket of sup |v_i|:
 *
 * maximum norm: sup max_i |v_i| = max_i sup |v_i|, since suprema commute.
 *
 * 1-norm: sum |v_i| is itself an expression, to be maximised as it stands.  For
 *	 pairs, where that takes twice the columns, it is also
 *		sup_{x, x'} max_s s.(f(x) - f(x')) = max_s (sup s.f - inf s.f)
 *	 over the sign vectors s, because |t| = max(t, -t) for each entry and
 *	 suprema commute.  s and -s give the same length, so s_1 = 1 suffices.
 *	 A pair's distance is also at most twice the greatest from any one point.
 *
 * 2-norm: sup ||v|| = sqrt(sup ||v||^2), the root being monotone; the square has
 *	 derivatives where the norm has none.
 *
 * All are at most the norm of (u_1 .. u_n), because these norms grow with each
 * |v_i|.  If one pair attains all u_i at once, for instance because entries
 * use different columns, that norm is the answer and no search is needed; so a
 * few likely candidates are tried first.
 *
 * Pairs are ordered, so sup (v_i) = sup |v_i| for them: exchanging the rows
 * changes the sign.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/lift_conditions.h"
#include "bound/quantity/vector_space.h"
#include "bound/relax/factor.h"
#include "bound/vector/joint.h"

/* Up to so many entries, each sign vector is searched by itself. */
#define MAX_SIGNED 5

/* A supremum to be found: the entries, their space, and a bracket of each. */
typedef struct Problem
{
	DpsSpace	space;
	int			n;
	const DpsNode *entry[DPS_MAX_ENTRIES];
	double		lower[DPS_MAX_ENTRIES]; /* of sup |entry| */
	double		upper[DPS_MAX_ENTRIES];
	DpsPoint	witness[DPS_MAX_ENTRIES];
} Problem;

DpsStatus
dps_joint_init(DpsJoint *joint, DpsGraph *graph, const DpsNode *const *entries, int n, const DpsDomain *box,
			   const DpsPolicy *policy, const DpsBoundOptions *options)
{
	int			i;

	if (n < 1 || n > DPS_MAX_ENTRIES)
		return DPS_UNABLE;
	memset(joint, 0, sizeof(*joint));
	joint->graph = graph;
	joint->box = box;
	joint->policy = policy;
	joint->options = options != NULL ? *options : DPS_BOUND_DEFAULTS;
	joint->n = n;
	for (i = 0; i < n; i++)
	{
		const DpsNode *sign;

		joint->entry[i] = dps_as_float8(graph, entries[i]);
		if (joint->entry[i] == NULL)
			return DPS_NOMEM;
		if (!joint->entry[i]->nullable)
			continue;
		/* sign() is finite for every entry, and NULL exactly where the entry
		 * is */
		sign = dps_apply(graph, DPS_OP_SIGN, DPS_FLOAT8, joint->entry[i], NULL);
		joint->valid = joint->valid == NULL ? sign : dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, joint->valid, sign);
		if (joint->valid == NULL)
			return DPS_NOMEM;
	}
	return DPS_OK;
}

static void
set_space(const DpsJoint *joint, DpsSpace *space)
{
	memset(space, 0, sizeof(*space));
	space->graph = joint->graph;
	space->box = joint->box;
	space->ncolumns = dps_columns(joint->graph);
	space->options = &joint->options;
	if (joint->valid != NULL)
		space->guards[space->nguards++] = joint->valid;
}

/*
 * The ends of the entries
 */

/* -sup -f as inf f */
static void
turn_round(DpsBracket *bracket)
{
	double		upper = -bracket->lower;

	bracket->lower = bracket->status == DPS_OK ? -bracket->upper : -INFINITY;
	bracket->upper = upper;
}

static DpsStatus
find_ends(DpsJoint *joint)
{
	DpsSpace	space;
	int			i;

	if (joint->has_ends)
		return DPS_OK;
	set_space(joint, &space);
	for (i = 0; i < joint->n; i++)
	{
		const DpsNode *negative = dps_apply(joint->graph, DPS_OP_NEG, DPS_FLOAT8, joint->entry[i], NULL);

		DPS_TRY(dps_space_maximise(&space, joint->entry[i], -INFINITY, &joint->supremum[i]));
		DPS_TRY(dps_space_maximise(&space, negative, -INFINITY, &joint->infimum[i]));
		if (joint->infimum[i].culprit == negative)
			joint->infimum[i].culprit = joint->entry[i];
		turn_round(&joint->infimum[i]);
	}
	joint->has_ends = true;
	return DPS_OK;
}

/* Does an entry have no bound?  Then the vector has none. */
static bool
refuse_ends(const DpsJoint *joint, DpsJointBracket *result)
{
	int			i;

	for (i = 0; i < joint->n; i++)
	{
		const DpsBracket *refused = joint->supremum[i].status != DPS_OK ? &joint->supremum[i] : &joint->infimum[i];

		if (refused->status == DPS_OK)
			continue;
		result->bracket = *refused;
		result->bracket.lower = 0.0;
		result->bracket.upper = INFINITY;
		result->other = refused->witness;
		return true;
	}
	return false;
}

/*
 * From the entries' bounds to the vector's
 */

/* The norm of the entries' upper ends, rounded up. */
static double
norm_of_uppers(const Problem *problem, DpsGradientNorm norm)
{
	double		largest = 0.0;
	double		sum = 0.0;
	int			i;

	for (i = 0; i < problem->n; i++)
		largest = fmax(largest, problem->upper[i]);
	if (norm == DPS_NORM_INFINITY || largest == 0 || isinf(largest))
		return largest;
	for (i = 0; i < problem->n; i++)
	{
		double		share = dps_div_up(problem->upper[i], largest);

		sum = norm == DPS_NORM_1 ? dps_add_up(sum, problem->upper[i]) : dps_add_up(sum, dps_mul_up(share, share));
	}
	return norm == DPS_NORM_1 ? sum : dps_mul_up(largest, dps_sqrt_up(sum));
}

static bool
is_closed(const Problem *problem, const DpsBracket *bracket)
{
	return bracket->upper - bracket->lower <= problem->space.options->tolerance * bracket->upper;
}

static void
offer_lower(DpsBracket *bracket, double lower, const DpsPoint *witness)
{
	if (lower <= bracket->lower)
		return;
	bracket->lower = lower;
	bracket->witness = *witness;
}

/* The bracket for the maximum norm; its lower end is valid in any norm. */
static void
take_largest(const Problem *problem, DpsBracket *bracket)
{
	int			i;

	memset(bracket, 0, sizeof(*bracket));
	bracket->witness = problem->witness[0];
	for (i = 0; i < problem->n; i++)
	{
		offer_lower(bracket, problem->lower[i], &problem->witness[i]);
		bracket->upper = fmax(bracket->upper, problem->upper[i]);
	}
}

/* A candidate: each column has its value in the witness of the first entry
 * that depends on it. */
static void
compose_witness(const Problem *problem, DpsPoint *point)
{
	uint64_t	set = 0;
	int			i;
	int			j;

	*point = problem->witness[0];
	for (i = 0; i < problem->n; i++)
	{
		uint64_t	columns = problem->entry[i]->variables & ~set;

		for (j = 0; j < problem->space.ncolumns; j++)
			if (columns & (UINT64_C(1) << j))
				point->x[j] = problem->witness[i].x[j];
		set |= columns;
	}
}

/* The expression to maximise: the 1-norm, or the square of the 2-norm of the
 * entries times 2^-e. */
static const DpsNode *
norm_node(const Problem *problem, DpsGradientNorm norm, int e)
{
	DpsGraph   *graph = problem->space.graph;
	const DpsNode *sum = NULL;
	int			i;

	if (e == 0)
		sum = (norm == DPS_NORM_2 ? dps_factored_squares : dps_factored_magnitudes) (graph, problem->entry, problem->n);
	if (sum != NULL)
		return dps_lift_conditions(graph, sum, 0);
	sum = dps_constant(graph, DPS_FLOAT8, 0.0);
	for (i = 0; i < problem->n; i++)
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum,
						dps_apply(graph, norm == DPS_NORM_1 ? DPS_OP_ABS : DPS_OP_SQR, DPS_FLOAT8,
								  dps_scale_node(graph, problem->entry[i], e), NULL));
	return dps_lift_conditions(graph, sum, 0);
}

static double
unscaled_down(DpsGradientNorm norm, double value, int e)
{
	return norm == DPS_NORM_2 ? dps_root_down(value, e) : value;
}

static DpsStatus
try_candidates(const Problem *problem, const DpsNode *node, DpsGradientNorm norm, int e, DpsBracket *bracket)
{
	DpsPoint	composed;
	int			i;

	compose_witness(problem, &composed);
	for (i = -1; i < problem->n && !is_closed(problem, bracket); i++)
	{
		const DpsPoint *point = i < 0 ? &composed : &problem->witness[i];
		double		value;

		DPS_TRY(dps_space_value(&problem->space, node, point, &value));
		if (value > -INFINITY)
			offer_lower(bracket, unscaled_down(norm, value, e), point);
	}
	return DPS_OK;
}

/* Searches for the supremum of the norm itself and improves the bracket. */
static DpsStatus
search_norm(const Problem *problem, const DpsNode *node, DpsGradientNorm norm, int e, DpsBracket *bracket)
{
	DpsBoundOptions doubled = *problem->space.options;
	DpsSpace	space = problem->space;
	DpsBracket	found;

	/* half the relative width of a square is its root's */
	if (norm == DPS_NORM_2)
		doubled.tolerance *= 2;
	space.options = &doubled;
	DPS_TRY(dps_space_maximise(&space, node, -INFINITY, &found));
	bracket->boxes += found.boxes;
	bracket->exhausted = found.exhausted;
	if (found.status != DPS_OK || found.empty)
		return DPS_OK;
	offer_lower(bracket, unscaled_down(norm, found.lower, e), &found.witness);
	bracket->upper = fmin(bracket->upper, norm == DPS_NORM_2 ? dps_root_up(found.upper, e) : found.upper);
	return DPS_OK;
}

/* The bracket of the norm by the entries' bounds, and the expression and scale
 * of the search that is left; no node if none is needed. */
static DpsStatus
approach(const Problem *problem, DpsGradientNorm norm, const DpsNode **node, int *e, DpsBracket *bracket)
{
	*node = NULL;
	take_largest(problem, bracket);
	if (norm == DPS_NORM_INFINITY || problem->n == 1)
		return DPS_OK;
	*e = norm == DPS_NORM_2 ? dps_scale_exponent(bracket->upper) : 0;
	bracket->upper = norm_of_uppers(problem, norm);
	*node = norm_node(problem, norm, *e);
	if (*node == NULL)
		return DPS_NOMEM;
	DPS_TRY(try_candidates(problem, *node, norm, *e, bracket));
	if (is_closed(problem, bracket))
		*node = NULL;
	return DPS_OK;
}

static DpsStatus
solve(const Problem *problem, DpsGradientNorm norm, DpsBracket *bracket)
{
	const DpsNode *node;
	int			e;

	DPS_TRY(approach(problem, norm, &node, &e, bracket));
	return node == NULL ? DPS_OK : search_norm(problem, node, norm, e, bracket);
}

/* The final state of a bracket that bounds a norm. */
static void
conclude(const DpsJoint *joint, const Problem *problem, DpsJointBracket *result)
{
	DpsBracket *bracket = &result->bracket;
	bool		closed;
	int			i;

	bracket->lower = fmin(bracket->lower, bracket->upper);
	for (i = 0; i < joint->n; i++)
		bracket->exhausted = bracket->exhausted || joint->infimum[i].exhausted || joint->supremum[i].exhausted;
	closed = is_closed(problem, bracket);
	bracket->exhausted = bracket->exhausted && !closed;
	result->loose = !closed && !bracket->exhausted;
	bracket->empty = joint->supremum[0].empty;
	/* finite entries with an infinite norm: it exceeds every double */
	if (!isfinite(bracket->upper))
		bracket->status = DPS_UNABLE;
}

DpsStatus
dps_joint_magnitude(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result)
{
	Problem		problem = {.n = joint->n};
	int			i;

	memset(result, 0, sizeof(*result));
	DPS_TRY(find_ends(joint));
	if (refuse_ends(joint, result))
		return DPS_OK;
	set_space(joint, &problem.space);
	for (i = 0; i < joint->n; i++)
	{
		DpsBracket	magnitude;

		dps_bracket_magnitude(&joint->infimum[i], &joint->supremum[i], &magnitude);
		problem.entry[i] = joint->entry[i];
		problem.lower[i] = magnitude.lower;
		problem.upper[i] = magnitude.upper;
		problem.witness[i] = magnitude.witness;
	}
	DPS_TRY(solve(&problem, norm, &result->bracket));
	result->other = result->bracket.witness;
	conclude(joint, &problem, result);
	return DPS_OK;
}

/*
 * Pairs
 */

static uint64_t
used_columns(const DpsJoint *joint)
{
	uint64_t	used = 0;
	int			i;

	for (i = 0; i < joint->n; i++)
		used |= joint->entry[i]->variables;
	return used;
}

/* Sets up the differences of the entries, with a guard for each row. */
static DpsStatus
set_pairs(const DpsJoint *joint, DpsTwins *twins, Problem *problem)
{
	DpsSpace   *space = &problem->space;
	int			i;

	memset(space, 0, sizeof(*space));
	space->graph = twins->graph;
	space->box = twins->box;
	space->ncolumns = twins->graph->nvariables;
	space->options = &joint->options;
	for (i = 0; i < 2 && joint->valid != NULL; i++)
	{
		space->guards[i] = dps_twins_copy(twins, joint->valid, i);
		space->nguards++;
	}
	for (i = 0; i < joint->n; i++)
	{
		problem->entry[i] = dps_twins_difference(twins, joint->entry[i]);
		if (problem->entry[i] == NULL)
			return DPS_NOMEM;
	}
	return DPS_OK;
}

/* Brackets of the differences by the lengths of the entries' ranges. */
static void
take_lengths(const DpsJoint *joint, const DpsTwins *twins, Problem *problem)
{
	int			i;

	for (i = 0; i < joint->n; i++)
	{
		DpsBracket	length;

		dps_bracket_length(&joint->infimum[i], &joint->supremum[i], &length);
		problem->lower[i] = length.lower;
		problem->upper[i] = length.upper;
		dps_twins_join(twins, &joint->supremum[i].witness, &joint->infimum[i].witness, &problem->witness[i]);
	}
}

/* s.f for the sign vector whose minus signs are the mask's. */
static const DpsNode *
signed_sum(const DpsJoint *joint, unsigned mask)
{
	const DpsNode *sum = joint->entry[0];
	int			i;

	for (i = 1; i < joint->n; i++)
		sum = dps_apply(joint->graph, mask & 1u << (i - 1) ? DPS_OP_SUB : DPS_OP_ADD, DPS_FLOAT8, sum, joint->entry[i]);
	return dps_lift_conditions(joint->graph, sum, 0);
}

/*
 * The greatest sup s.f - inf s.f over sign vectors s.  sup is searched for
 * only above the value that would exceed the best so far; if nothing is found
 * there, this floor is an upper bound.
 */
static DpsStatus
search_signs(const DpsJoint *joint, DpsJointBracket *result)
{
	DpsBracket *best = &result->bracket;
	DpsSpace	space;
	double		upper = 0.0;
	unsigned	mask;

	set_space(joint, &space);
	for (mask = 0; mask < 1u << (joint->n - 1); mask++)
	{
		const DpsNode *sum = signed_sum(joint, mask);
		DpsBracket	least;
		DpsBracket	most;

		DPS_TRY(dps_space_maximise(&space, dps_apply(joint->graph, DPS_OP_NEG, DPS_FLOAT8, sum, NULL), -INFINITY, &least));
		turn_round(&least);
		if (least.status != DPS_OK)
			return DPS_OK;
		DPS_TRY(dps_space_maximise(&space, sum, best->lower + least.upper, &most));
		if (most.status != DPS_OK)
			return DPS_OK;
		best->boxes += least.boxes + most.boxes;
		best->exhausted = best->exhausted || least.exhausted || most.exhausted;
		upper = fmax(upper, dps_sub_up(most.upper, least.lower));
		if (most.lower > best->lower + least.upper && dps_sub_down(most.lower, least.upper) > best->lower)
		{
			best->lower = dps_sub_down(most.lower, least.upper);
			best->witness = most.witness;
			result->other = least.witness;
		}
	}
	best->upper = fmin(best->upper, upper);
	return DPS_OK;
}

/* The bracket by the entries alone, where two rows do not fit into one
 * graph. */
static void
bound_by_parts(const DpsJoint *joint, Problem *problem, DpsGradientNorm norm, DpsJointBracket *result)
{
	int			i;

	set_space(joint, &problem->space);
	for (i = 0; i < joint->n; i++)
	{
		DpsBracket	length;

		dps_bracket_length(&joint->infimum[i], &joint->supremum[i], &length);
		problem->lower[i] = length.lower;
		problem->upper[i] = length.upper;
		if (i == 0 || length.lower > result->bracket.lower)
		{
			result->bracket.lower = length.lower;
			result->bracket.witness = joint->supremum[i].witness;
			result->other = joint->infimum[i].witness;
		}
	}
	result->bracket.upper = norm_of_uppers(problem, norm);
}

/*
 * ||f(x) - f(x')|| <= ||f(x) - c|| + ||c - f(x')|| <= 2 sup ||f - c||.  This
 * needs one row only, and is exact for a circle.
 */
static DpsStatus
search_ball(const DpsJoint *joint, DpsGradientNorm norm, DpsBracket *bracket)
{
	Problem		ball = {.n = joint->n};
	DpsBracket	radius = {.upper = INFINITY};
	const DpsNode *node;
	int			e;
	int			i;

	set_space(joint, &ball.space);
	for (i = 0; i < joint->n; i++)
	{
		double		centre = joint->infimum[i].lower / 2 + joint->supremum[i].upper / 2;

		ball.entry[i] = dps_apply(joint->graph, DPS_OP_SUB, DPS_FLOAT8, joint->entry[i],
								  dps_constant(joint->graph, DPS_FLOAT8, centre));
		if (ball.entry[i] == NULL)
			return DPS_NOMEM;
	}
	e = norm == DPS_NORM_2 ? dps_scale_exponent(bracket->upper) : 0;
	node = norm_node(&ball, norm, e);
	if (node == NULL)
		return DPS_NOMEM;
	DPS_TRY(search_norm(&ball, node, norm, e, &radius));
	bracket->boxes += radius.boxes;
	bracket->upper = fmin(bracket->upper, dps_add_up(radius.upper, radius.upper));
	return DPS_OK;
}

/* Searches by sign vectors or by pairs of rows; problem, and the bracket so
 * far, are those of pairs. */
static DpsStatus
search_diameter(DpsJoint *joint, DpsTwins *twins, DpsGradientNorm norm, Problem *problem, DpsJointBracket *result)
{
	DpsBracket *bracket = &result->bracket;
	bool		by_signs = norm == DPS_NORM_1 && joint->n <= MAX_SIGNED;
	const DpsNode *node;
	int			e;

	DPS_TRY(approach(problem, norm, &node, &e, bracket));
	if (node != NULL && !by_signs)
	{
		DPS_TRY(search_ball(joint, norm, bracket));
		if (!is_closed(problem, bracket))
			DPS_TRY(search_norm(problem, node, norm, e, bracket));
	}
	dps_twins_split(twins, joint->box, &bracket->witness, &bracket->witness, &result->other);
	return node != NULL && by_signs ? search_signs(joint, result) : DPS_OK;
}

static DpsStatus
solve_diameter(DpsJoint *joint, DpsTwins *twins, DpsGradientNorm norm, Problem *problem, DpsJointBracket *result)
{
	DpsStatus	status = dps_twins_init(twins, joint->graph, joint->box, used_columns(joint), ~UINT64_C(0));

	if (status == DPS_UNABLE)
	{
		bound_by_parts(joint, problem, norm, result);
		if (norm == DPS_NORM_1 && joint->n > 1 && joint->n <= MAX_SIGNED)
			return search_signs(joint, result);
		return norm == DPS_NORM_INFINITY || joint->n == 1 ? DPS_OK : search_ball(joint, norm, &result->bracket);
	}
	DPS_TRY(status);
	DPS_TRY(set_pairs(joint, twins, problem));
	take_lengths(joint, twins, problem);
	return search_diameter(joint, twins, norm, problem, result);
}

DpsStatus
dps_joint_diameter(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result)
{
	Problem		problem = {.n = joint->n};
	DpsTwins	twins;
	DpsStatus	status;

	memset(result, 0, sizeof(*result));
	DPS_TRY(find_ends(joint));
	if (refuse_ends(joint, result))
		return DPS_OK;
	status = solve_diameter(joint, &twins, norm, &problem, result);
	dps_twins_clear(&twins);
	DPS_TRY(status);
	conclude(joint, &problem, result);
	return DPS_OK;
}

/* Brackets of each entry's own move, as bounds of the vector's. */
static DpsStatus
find_moves(Problem *problem, bool *found, bool *exhausted)
{
	int			i;

	*found = true;
	for (i = 0; i < problem->n && *found; i++)
	{
		DpsBracket	move;

		DPS_TRY(dps_space_maximise(&problem->space, problem->entry[i], -INFINITY, &move));
		*found = move.status == DPS_OK;
		*exhausted = *exhausted || move.exhausted;
		problem->lower[i] = fmax(move.lower, 0.0);
		problem->upper[i] = fmax(move.upper, 0.0);
		problem->witness[i] = move.witness;
	}
	return DPS_OK;
}

static DpsStatus
solve_attribute(DpsJoint *joint, DpsTwins *twins, int variable, DpsGradientNorm norm, Problem *problem,
				DpsJointBracket *result)
{
	DpsBracket *bracket = &result->bracket;
	uint64_t	column = UINT64_C(1) << variable;
	bool		exhausted = false;
	bool		found;

	DPS_TRY(dps_twins_init(twins, joint->graph, joint->box, used_columns(joint) | column, column));
	DPS_TRY(set_pairs(joint, twins, problem));
	DPS_TRY(find_moves(problem, &found, &exhausted));
	if (found)
		DPS_TRY(solve(problem, norm, bracket));
	else
	{
		bracket->upper = INFINITY;
		memset(&bracket->witness, 0, sizeof(bracket->witness));
	}
	bracket->exhausted = bracket->exhausted || exhausted;
	dps_twins_split(twins, joint->box, &bracket->witness, &bracket->witness, &result->other);
	return DPS_OK;
}

DpsStatus
dps_joint_attribute(DpsJoint *joint, int variable, DpsGradientNorm norm, DpsJointBracket *result)
{
	Problem		problem = {.n = joint->n};
	DpsTwins	twins;
	DpsStatus	status;

	memset(result, 0, sizeof(*result));
	DPS_TRY(find_ends(joint));
	if (refuse_ends(joint, result))
		return DPS_OK;
	status = solve_attribute(joint, &twins, variable, norm, &problem, result);
	dps_twins_clear(&twins);
	DPS_TRY(status);
	conclude(joint, &problem, result);
	return DPS_OK;
}
