/*
 * jacobian.c
 *		How steep a vector of row expressions is: the Lipschitz constant from the
 *		weighted Euclidean distance of private columns to a norm of the vector.
 *
 * f is continuous and has derivatives outside of a set that a segment can
 * avoid, and the box is convex, so the constant is sup ||J(x)|| with J_ij =
 * d_j f_i / w_j and ||J|| = max over |v|_2 = 1 of ||J v||:
 *
 * maximum norm: ||J|| = max_i |J_i|_2, the rows' lengths, so the constant is the
 *	 greatest of the entries' own.
 *
 * 1-norm: ||J|| = max over sign vectors s of |J^T s|_2, since ||t||_1 = max_s s.t.
 *	 With G = J J^T, |J^T s|^2 = s^T G s <= sum |G_ik|, with equality where signs
 *	 can be chosen such that s_i s_k G_ik >= 0, for two entries always.
 *
 * 2-norm: ||J||^2 is the greatest eigenvalue of J J^T, or of J^T J, and
 *	 ||J||^2 = sup over unit vectors u of |u^T J|^2, of a row or a column space.
 *	 In spherical coordinates u is a function of angles; the search takes them as
 *	 further columns.
 *	 For any V with ||V^T V - I||_inf <= d < 1, u = V y gives
 *		u^T G u / u^T u = y^T V^T G V y / y^T V^T V y <= l_max(V^T G V) / (1 - d)
 *	 Let N_ik = sup |(V^T G V)_ik|; then l_max <= l_max(N), since a matrix of
 *	 greater magnitudes has the greater spectral radius, and for any v > 0,
 *	 l_max(N) <= max_i (N v)_i / v_i (Collatz and Wielandt).  With V = I that is
 *	 exact where all entries of G are greatest together, for instance for
 *	 increasing functions; with V the eigenvectors at the witness it is exact if
 *	 the map is linear.  It takes no further columns.
 *
 * The Frobenius norm of the rows' constants bounds ||J|| for the maximum norm
 * and the 2-norm, the sum of the rows' constants bounds ||J|| for the 1-norm.
 *
 * An entry that jumps between two integers has no derivatives, but may have a
 * constant for rows (bound/quantity/lattice.c).  Then ||f(a) - f(b)|| is at most
 * that norm of the entries' own constants times the distance.
 *
 * At a kink, enclosures hold the derivatives of all branches of each entry, so
 * bounds by enclosures hold there, too.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/lattice.h"
#include "bound/quantity/lift_conditions.h"
#include "bound/quantity/vector_space.h"
#include "bound/relax/factor.h"
#include "bound/vector/joint.h"
#include "bound/vector/matrix.h"

/* Up to so many entries, each sign vector is searched by itself. */
#define MAX_SIGNED 6

/* With more angles, a search over directions takes too long. */
#define MAX_ANGLES 3

/* Half a turn, rounded up. */
#define HALF_TURN 3.1415926535897936

/* Boxes for each entry of a Gram matrix.  The few boxes are for searches with
 * angles: climbs do not begin in them. */
#define ENTRY_BOXES 2000
#define ENTRY_BOXES_BEFORE_ANGLES 7

/*
 * The Jacobian times 2^-e, without columns that are 0 everywhere, and a bracket
 * of the square of its norm.
 */
typedef struct Jacobian
{
	const DpsJoint *joint;
	DpsSpace	space;
	DpsBoundOptions options;	/* options for squares */
	DpsDomain	relaxed[DPS_SPACE_DIMENSIONS];
	int			n;				/* entries */
	int			d;				/* columns */
	const DpsNode **node;		/* n x d */
	const DpsProgram *program;	/* of the nodes */
	int			e;
	double		lower;
	double		upper;
	DpsPoint	witness;
	uint64_t	boxes;
	bool		exhausted;
} Jacobian;

static DpsStatus
find_slopes(DpsJoint *joint)
{
	int			i;

	for (i = 0; i < joint->n && !joint->has_slopes; i++)
		DPS_TRY(dps_lipschitz_by_lines(joint->graph, joint->entry[i], joint->box, joint->policy, DPS_NORM_2,
									   &joint->options, &joint->slope[i]));
	joint->has_slopes = true;
	return DPS_OK;
}

static bool
refuse_slopes(const DpsJoint *joint, DpsJointBracket *result)
{
	int			i;

	for (i = 0; i < joint->n; i++)
	{
		if (joint->slope[i].status == DPS_OK)
			continue;
		result->bracket = joint->slope[i];
		result->bracket.lower = 0.0;
		result->bracket.upper = INFINITY;
		result->other = result->bracket.witness;
		return true;
	}
	return false;
}

/* The bracket by the entries' own constants, where there is no Jacobian. */
static DpsStatus
join_entries(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result)
{
	DpsBracket	all = {0};
	int			i;

	for (i = 0; i < joint->n; i++)
	{
		DpsBracket	own;

		DPS_TRY(dps_lipschitz(joint->graph, joint->entry[i], joint->box, joint->policy, DPS_NORM_2, &joint->options, &own));
		if (own.status != DPS_OK)
			return DPS_OK;
		dps_norm_add_part(&all, &own, 1.0, norm);
	}
	dps_norm_close(&all, norm);
	if (all.status != DPS_OK)
		return DPS_OK;
	result->bracket = all;
	result->other = all.witness;
	result->loose = all.lower < all.upper && !all.exhausted;
	return DPS_OK;
}

/*
 * Setting up
 */

static const DpsNode *
apply(const Jacobian *jacobian, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	return dps_apply(jacobian->space.graph, op, DPS_FLOAT8, x, y);
}

static const DpsNode *
zero(const Jacobian *jacobian)
{
	return dps_constant(jacobian->space.graph, DPS_FLOAT8, 0.0);
}

static const DpsNode *
entry(const Jacobian *jacobian, int i, int j)
{
	return jacobian->node[i * jacobian->d + j];
}

/* All derivatives by private columns, n x columns; `flat` marks columns of
 * zeros. */
static DpsStatus
differentiate(Jacobian *jacobian, const DpsNode **all, bool *flat)
{
	const DpsJoint *joint = jacobian->joint;
	DpsGraph   *graph = joint->graph;
	int			columns = jacobian->space.ncolumns;
	int			i;
	int			j;

	for (j = 0; j < columns; j++)
		flat[j] = true;
	for (i = 0; i < joint->n; i++)
	{
		const DpsNode *gradient[DPS_SPACE_DIMENSIONS];

		DPS_TRY(dps_gradient(graph, joint->entry[i], gradient));
		for (j = 0; j < columns; j++)
		{
			const DpsNode *node = gradient[j];

			if (!(joint->policy->private_variables & (UINT64_C(1) << j)))
				continue;
			if (joint->policy->weights[j] != 1)
				node = apply(jacobian, DPS_OP_DIV, node, dps_constant(graph, DPS_FLOAT8, joint->policy->weights[j]));
			node = dps_scale_node(graph, node, jacobian->e);
			if (node == NULL)
				return DPS_NOMEM;
			all[i * columns + j] = node;
			flat[j] = flat[j] && dps_is_constant(node, 0);
		}
	}
	return DPS_OK;
}

static DpsStatus
set_nodes(Jacobian *jacobian)
{
	DpsArena   *arena = jacobian->joint->graph->arena;
	int			columns = jacobian->space.ncolumns;
	const DpsNode **all = dps_arena_alloc(arena, sizeof(DpsNode *) * (jacobian->n * columns + 1));
	bool		flat[DPS_SPACE_DIMENSIONS];
	int			i;
	int			j;
	int			k = 0;

	if (all == NULL)
		return DPS_NOMEM;
	DPS_TRY(differentiate(jacobian, all, flat));
	for (i = 0; i < jacobian->n; i++)
		for (j = 0; j < columns; j++)
			if (!flat[j])
				all[k++] = all[i * columns + j];
	jacobian->d = k / jacobian->n;
	jacobian->node = all;
	/* a constant vector has no columns */
	return k == 0 ? DPS_OK : dps_compile(jacobian->space.graph, all, k, &jacobian->program);
}

static DpsStatus
set_jacobian(const DpsJoint *joint, Jacobian *jacobian)
{
	double		largest = 0.0;
	int			i;

	memset(jacobian, 0, sizeof(*jacobian));
	jacobian->joint = joint;
	jacobian->n = joint->n;
	jacobian->options = joint->options;
	/* half the relative width of a square is its root's */
	jacobian->options.tolerance *= 2;
	jacobian->space.graph = joint->graph;
	jacobian->space.ncolumns = dps_columns(joint->graph);
	jacobian->space.box = jacobian->relaxed;
	jacobian->space.options = &jacobian->options;
	if (joint->valid != NULL)
		jacobian->space.guards[jacobian->space.nguards++] = joint->valid;
	for (i = 0; i < jacobian->space.ncolumns; i++)
	{
		jacobian->relaxed[i] = joint->box[i];
		jacobian->relaxed[i].integral = false;
	}
	for (i = 0; i < joint->n; i++)
		largest = fmax(largest, joint->slope[i].upper);
	jacobian->e = dps_scale_exponent(largest);
	return set_nodes(jacobian);
}

/*
 * Bookkeeping
 */

static bool
is_closed(const Jacobian *jacobian)
{
	return jacobian->upper - jacobian->lower <= jacobian->options.tolerance * jacobian->upper;
}

static void
offer_lower(Jacobian *jacobian, double lower, const DpsPoint *witness)
{
	if (lower <= jacobian->lower)
		return;
	jacobian->lower = lower;
	jacobian->witness = *witness;
}

static DpsStatus
maximise(Jacobian *jacobian, const DpsNode *node, double floor, DpsBracket *bracket)
{
	const DpsNode *lifted = node == NULL ? NULL :
		dps_lift_conditions(jacobian->space.graph, node, jacobian->joint->policy->private_variables);

	DPS_TRY(dps_space_maximise(&jacobian->space, lifted, floor, bracket));
	jacobian->boxes += bracket->boxes;
	jacobian->exhausted = jacobian->exhausted || bracket->exhausted;
	if (bracket->status != DPS_OK)
		bracket->upper = INFINITY;
	return DPS_OK;
}

/* |J^T c|^2 */
static const DpsNode *
square_along(const Jacobian *jacobian, const double *c)
{
	const DpsNode *rows[DPS_SPACE_DIMENSIONS];
	const DpsNode *sum;
	int			i;
	int			j;

	for (j = 0; j < jacobian->d; j++)
	{
		rows[j] = zero(jacobian);
		for (i = 0; i < jacobian->n; i++)
			rows[j] = apply(jacobian, DPS_OP_ADD, rows[j],
							apply(jacobian, DPS_OP_MUL, dps_constant(jacobian->space.graph, DPS_FLOAT8, c[i]),
								  entry(jacobian, i, j)));
		if (rows[j] == NULL)
			return NULL;
	}
	sum = dps_factored_squares(jacobian->space.graph, rows, jacobian->d);
	if (sum != NULL)
		return sum;
	sum = zero(jacobian);
	for (j = 0; j < jacobian->d; j++)
		sum = apply(jacobian, DPS_OP_ADD, sum, apply(jacobian, DPS_OP_SQR, rows[j], NULL));
	return sum;
}

/* G_ik */
static const DpsNode *
gram(const Jacobian *jacobian, int i, int k)
{
	const DpsNode *sum = zero(jacobian);
	int			j;

	for (j = 0; j < jacobian->d; j++)
		sum = apply(jacobian, DPS_OP_ADD, sum, i == k ? apply(jacobian, DPS_OP_SQR, entry(jacobian, i, j), NULL) :
					apply(jacobian, DPS_OP_MUL, entry(jacobian, i, j), entry(jacobian, k, j)));
	return sum;
}

/*
 * Directions, as hints
 */

/* G in floating point. */
static DpsStatus
gram_at(const Jacobian *jacobian, const DpsPoint *point, DpsMatrix g, bool *finite)
{
	DpsArena   *arena = jacobian->joint->graph->arena;
	int			count = jacobian->n * jacobian->d;
	const double *columns[DPS_SPACE_DIMENSIONS];
	double	   *values = dps_arena_alloc(arena, sizeof(double) * count);
	double	  **outputs = dps_arena_alloc(arena, sizeof(double *) * count);
	double	   *scratch = dps_arena_alloc(arena, sizeof(double) * dps_scratch_size(jacobian->program));
	int			i;
	int			j;
	int			k;

	if (values == NULL || outputs == NULL || scratch == NULL)
		return DPS_NOMEM;
	for (j = 0; j < DPS_SPACE_DIMENSIONS; j++)
		columns[j] = &point->x[j];
	for (i = 0; i < count; i++)
		outputs[i] = &values[i];
	dps_evaluate(jacobian->program, columns, 1, scratch, outputs);
	for (i = 0; i < jacobian->n; i++)
	{
		for (k = 0; k < jacobian->n; k++)
		{
			g[i][k] = 0.0;
			for (j = 0; j < jacobian->d; j++)
				g[i][k] += values[i * jacobian->d + j] * values[k * jacobian->d + j];
		}
	}
	*finite = dps_matrix_is_finite(g, jacobian->n);
	return DPS_OK;
}

/* Raises the lower end by ||J||^2 at a point, in a direction that is good
 * there. */
static DpsStatus
try_point(Jacobian *jacobian, DpsGradientNorm norm, const DpsPoint *point)
{
	DpsMatrix	g;
	double		c[DPS_MAX_ENTRIES];
	double		length = 0.0;
	double		value;
	bool		finite;
	int			i;

	DPS_TRY(gram_at(jacobian, point, g, &finite));
	if (!finite)
		return DPS_OK;
	if (norm == DPS_NORM_1)
		dps_steepest_signs(g, jacobian->n, c);
	else if (norm == DPS_NORM_INFINITY)
		dps_steepest_entry(g, jacobian->n, c);
	else
		dps_steepest_direction(g, jacobian->n, c);
	for (i = 0; i < jacobian->n; i++)
		length = dps_add_up(length, dps_mul_up(c[i], c[i]));
	DPS_TRY(dps_space_value(&jacobian->space, square_along(jacobian, c), point, &value));
	if (value > 0)
		offer_lower(jacobian, norm == DPS_NORM_1 ? value : dps_div_down(value, length), point);
	return DPS_OK;
}

/* Begins with the bound by the rows' constants. */
static DpsStatus
start(Jacobian *jacobian, DpsGradientNorm norm)
{
	const DpsBracket *slope = jacobian->joint->slope;
	double		sum = 0.0;
	int			i;

	jacobian->witness = slope[0].witness;
	for (i = 0; i < jacobian->n; i++)
	{
		double		length = dps_round_up(ldexp(slope[i].upper, -jacobian->e));

		jacobian->exhausted = jacobian->exhausted || slope[i].exhausted;
		if (slope[i].upper == 0)
			length = 0.0;
		if (norm == DPS_NORM_INFINITY)
			sum = fmax(sum, dps_mul_up(length, length));
		else
			sum = dps_add_up(sum, norm == DPS_NORM_2 ? dps_mul_up(length, length) : length);
	}
	jacobian->upper = norm == DPS_NORM_1 ? dps_mul_up(sum, sum) : sum;
	for (i = 0; i < jacobian->n && !is_closed(jacobian); i++)
		DPS_TRY(try_point(jacobian, norm, &slope[i].witness));
	return DPS_OK;
}

/* Searches one of several squares whose greatest supremum is that of the norm, and
 * raises *upper to its bound. */
static DpsStatus
search_square(Jacobian *jacobian, const DpsNode *square, double *upper)
{
	DpsBracket	bracket;

	DPS_TRY(maximise(jacobian, square, jacobian->lower, &bracket));
	*upper = fmax(*upper, bracket.upper);
	if (bracket.status == DPS_OK && !bracket.empty)
		offer_lower(jacobian, bracket.lower, &bracket.witness);
	return DPS_OK;
}

/*
 * The maximum norm where some rows have no vector: the entries' own constants
 * count these rows as well
 */

static DpsStatus
search_entries(Jacobian *jacobian)
{
	double		upper = 0.0;
	int			i;

	for (i = 0; i < jacobian->n; i++)
		DPS_TRY(search_square(jacobian, gram(jacobian, i, i), &upper));
	jacobian->upper = fmin(jacobian->upper, upper);
	return DPS_OK;
}

/*
 * The 1-norm
 */

static DpsStatus
search_magnitudes(Jacobian *jacobian)
{
	const DpsNode *sum = zero(jacobian);
	DpsBracket	bracket;
	int			i;
	int			k;

	for (i = 0; i < jacobian->n; i++)
	{
		sum = apply(jacobian, DPS_OP_ADD, sum, gram(jacobian, i, i));
		for (k = 0; k < i; k++)
			sum = apply(jacobian, DPS_OP_ADD, sum,
						apply(jacobian, DPS_OP_MUL, dps_constant(jacobian->space.graph, DPS_FLOAT8, 2),
							  apply(jacobian, DPS_OP_ABS, gram(jacobian, i, k), NULL)));
	}
	DPS_TRY(maximise(jacobian, sum, -INFINITY, &bracket));
	jacobian->upper = fmin(jacobian->upper, bracket.upper);
	return bracket.status == DPS_OK && !bracket.empty ? try_point(jacobian, DPS_NORM_1, &bracket.witness) : DPS_OK;
}

static DpsStatus
search_signs(Jacobian *jacobian)
{
	double		upper = 0.0;
	unsigned	mask;

	for (mask = 0; mask < 1u << (jacobian->n - 1); mask++)
	{
		double		c[DPS_MAX_ENTRIES] = {1};
		int			i;

		for (i = 1; i < jacobian->n; i++)
			c[i] = mask & 1u << (i - 1) ? -1.0 : 1.0;
		DPS_TRY(search_square(jacobian, square_along(jacobian, c), &upper));
	}
	jacobian->upper = fmin(jacobian->upper, upper);
	return DPS_OK;
}

/*
 * The 2-norm
 */

/* The Frobenius norm: it equals ||J|| where J has rank one, and its maximum is
 * a good first point. */
static DpsStatus
search_frobenius(Jacobian *jacobian)
{
	const DpsNode *sum = zero(jacobian);
	DpsBracket	bracket;
	int			i;

	for (i = 0; i < jacobian->n; i++)
		sum = apply(jacobian, DPS_OP_ADD, sum, gram(jacobian, i, i));
	DPS_TRY(maximise(jacobian, sum, -INFINITY, &bracket));
	jacobian->upper = fmin(jacobian->upper, bracket.upper);
	return bracket.status == DPS_OK && !bracket.empty ? try_point(jacobian, DPS_NORM_2, &bracket.witness) : DPS_OK;
}

/* V^T J, in place of J. */
static DpsStatus
turn_rows(Jacobian *jacobian, DpsMatrix v)
{
	int			count = jacobian->n * jacobian->d;
	const DpsNode **turned = dps_arena_alloc(jacobian->joint->graph->arena, sizeof(DpsNode *) * count);
	int			i;
	int			j;
	int			a;

	if (turned == NULL)
		return DPS_NOMEM;
	for (i = 0; i < jacobian->n; i++)
	{
		for (j = 0; j < jacobian->d; j++)
		{
			const DpsNode *sum = zero(jacobian);

			for (a = 0; a < jacobian->n; a++)
				sum = apply(jacobian, DPS_OP_ADD, sum,
							apply(jacobian, DPS_OP_MUL, dps_constant(jacobian->space.graph, DPS_FLOAT8, v[a][i]),
								  entry(jacobian, a, j)));
			turned[i * jacobian->d + j] = sum;
			if (sum == NULL)
				return DPS_NOMEM;
		}
	}
	jacobian->node = turned;
	return DPS_OK;
}

/* sup |G_ik|, rounded up. */
static DpsStatus
magnitude_of(Jacobian *jacobian, int i, int k, double *upper)
{
	const DpsNode *node = gram(jacobian, i, k);
	DpsBracket	bracket;

	DPS_TRY(maximise(jacobian, node, 0.0, &bracket));
	*upper = fmax(bracket.upper, 0.0);
	if (i == k)
		return DPS_OK;
	DPS_TRY(maximise(jacobian, apply(jacobian, DPS_OP_NEG, node, NULL), *upper, &bracket));
	*upper = fmax(bracket.upper, *upper);
	return DPS_OK;
}

/* *upper bounds the square, by the magnitudes of the entries of G.  There are
 * many entries, so each search is short. */
static DpsStatus
search_entrywise(Jacobian *jacobian, uint64_t boxes, double *upper)
{
	DpsBoundOptions options = jacobian->options;
	bool		exhausted = jacobian->exhausted;
	DpsMatrix	magnitude = {{0}};
	int			i;
	int			k;

	if (jacobian->options.max_boxes > boxes)
		jacobian->options.max_boxes = boxes;
	for (i = 0; i < jacobian->n; i++)
	{
		for (k = 0; k <= i; k++)
		{
			DPS_TRY(magnitude_of(jacobian, i, k, &magnitude[i][k]));
			magnitude[k][i] = magnitude[i][k];
		}
	}
	jacobian->options = options;
	jacobian->exhausted = exhausted;
	*upper = dps_spectral_bound(magnitude, jacobian->n);
	return DPS_OK;
}

/* The same by the entries of V^T G V. */
static DpsStatus
search_turned(Jacobian *jacobian, uint64_t boxes)
{
	const DpsNode **rows = jacobian->node;
	double		upper = INFINITY;
	double		delta;
	DpsStatus	status;
	DpsMatrix	g;
	DpsMatrix	v;
	bool		finite;

	DPS_TRY(gram_at(jacobian, &jacobian->witness, g, &finite));
	if (!finite)
		return DPS_OK;
	dps_diagonalise(g, v, jacobian->n);
	delta = dps_orthogonality_error(v, jacobian->n);
	if (!(delta < 0.5))
		return DPS_OK;
	status = turn_rows(jacobian, v);
	if (status == DPS_OK)
		status = search_entrywise(jacobian, boxes, &upper);
	jacobian->node = rows;
	jacobian->upper = fmin(jacobian->upper, dps_div_up(upper, dps_sub_down(1.0, delta)));
	return status;
}

/* Component i of a unit vector of `count` components in spherical
 * coordinates. */
static const DpsNode *
component(DpsGraph *graph, const DpsNode *const *angle, int count, int i)
{
	const DpsNode *product = dps_constant(graph, DPS_FLOAT8, 1.0);
	int			k;

	for (k = 0; k < i; k++)
		product = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, product,
							dps_apply(graph, DPS_OP_SIN, DPS_FLOAT8, angle[k], NULL));
	if (i < count - 1)
		product = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, product,
							dps_apply(graph, DPS_OP_COS, DPS_FLOAT8, angle[i], NULL));
	return product;
}

/*
 * |u^T B|^2 for B = J or J^T, whichever has fewer rows.  All angles run through
 * half a turn: u and -u give the same value.
 */
static const DpsNode *
square_by_angles(const Jacobian *jacobian, DpsTwins *twins, int nangles)
{
	DpsGraph   *graph = twins->graph;
	const DpsNode *angle[MAX_ANGLES];
	const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0.0);
	bool		by_rows = jacobian->n <= jacobian->d;
	int			others = by_rows ? jacobian->d : jacobian->n;
	int			i;
	int			k;

	for (i = 0; i < nangles; i++)
	{
		int			variable = dps_twins_add(twins, 0.0, HALF_TURN);

		if (variable < 0)
			return NULL;
		angle[i] = dps_variable(graph, variable);
	}
	for (k = 0; k < others; k++)
	{
		const DpsNode *along = dps_constant(graph, DPS_FLOAT8, 0.0);

		for (i = 0; i <= nangles; i++)
		{
			const DpsNode *b = dps_twins_copy(twins, by_rows ? entry(jacobian, i, k) : entry(jacobian, k, i), 0);

			along = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, along,
							  dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, component(graph, angle, nangles + 1, i), b));
		}
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum, dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, along, NULL));
	}
	return sum;
}

static DpsStatus
search_angles(Jacobian *jacobian, DpsTwins *twins, int nangles)
{
	const DpsJoint *joint = jacobian->joint;
	DpsSpace	space = {.options = &jacobian->options, .nguards = jacobian->space.nguards};
	uint64_t	used = 0;
	DpsStatus	status;
	const DpsNode *node;
	DpsBracket	bracket;
	DpsPoint	there;
	DpsPoint	other;
	int			i;

	for (i = 0; i < joint->n; i++)
		used |= joint->entry[i]->variables;
	status = dps_twins_init(twins, joint->graph, jacobian->relaxed, used, 0);
	/* without room for the angles, only the other bounds are left */
	if (status == DPS_UNABLE || (status == DPS_OK && twins->graph->nvariables + nangles > DPS_SPACE_DIMENSIONS))
		return DPS_OK;
	DPS_TRY(status);
	node = square_by_angles(jacobian, twins, nangles);
	if (node == NULL)
		return DPS_NOMEM;
	if (space.nguards > 0)
		space.guards[0] = dps_twins_copy(twins, joint->valid, 0);
	space.graph = twins->graph;
	space.box = twins->box;
	space.ncolumns = twins->graph->nvariables;
	DPS_TRY(dps_space_maximise(&space, dps_lift_conditions(twins->graph, node, 0), -INFINITY, &bracket));
	jacobian->boxes += bracket.boxes;
	jacobian->exhausted = jacobian->exhausted || bracket.exhausted;
	if (bracket.status != DPS_OK || bracket.empty)
		return DPS_OK;
	jacobian->upper = fmin(jacobian->upper, bracket.upper);
	dps_twins_split(twins, jacobian->relaxed, &bracket.witness, &there, &other);
	return try_point(jacobian, DPS_NORM_2, &there);
}

static DpsStatus
search_directions(Jacobian *jacobian)
{
	int			nangles = (jacobian->n <= jacobian->d ? jacobian->n : jacobian->d) - 1;
	/* fewer boxes if the search over angles follows */
	uint64_t	boxes = nangles > MAX_ANGLES ? ENTRY_BOXES : ENTRY_BOXES_BEFORE_ANGLES;
	double		upper = INFINITY;
	DpsTwins	twins;
	DpsStatus	status;

	DPS_TRY(search_frobenius(jacobian));
	if (!is_closed(jacobian))
		DPS_TRY(search_entrywise(jacobian, boxes, &upper));
	jacobian->upper = fmin(jacobian->upper, upper);
	if (!is_closed(jacobian))
		DPS_TRY(search_turned(jacobian, boxes));
	if (is_closed(jacobian) || nangles > MAX_ANGLES)
		return DPS_OK;
	status = search_angles(jacobian, &twins, nangles);
	dps_twins_clear(&twins);
	return status;
}

DpsStatus
dps_joint_lipschitz(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result)
{
	DpsBracket *bracket = &result->bracket;
	Jacobian	jacobian;

	memset(result, 0, sizeof(*result));
	DPS_TRY(find_slopes(joint));
	if (refuse_slopes(joint, result))
		return join_entries(joint, norm, result);
	DPS_TRY(set_jacobian(joint, &jacobian));
	DPS_TRY(start(&jacobian, norm));
	if (norm == DPS_NORM_INFINITY && joint->valid != NULL && !is_closed(&jacobian))
		DPS_TRY(search_entries(&jacobian));
	if (norm == DPS_NORM_1 && !is_closed(&jacobian))
		DPS_TRY(search_magnitudes(&jacobian));
	if (norm == DPS_NORM_1 && !is_closed(&jacobian) && jacobian.n <= MAX_SIGNED)
		DPS_TRY(search_signs(&jacobian));
	if (norm == DPS_NORM_2 && !is_closed(&jacobian))
		DPS_TRY(search_directions(&jacobian));
	bracket->upper = dps_root_up(jacobian.upper, jacobian.e);
	bracket->lower = fmin(dps_root_down(jacobian.lower, jacobian.e), bracket->upper);
	bracket->witness = jacobian.witness;
	bracket->boxes = jacobian.boxes;
	bracket->exhausted = jacobian.exhausted && !is_closed(&jacobian);
	result->loose = !is_closed(&jacobian) && !bracket->exhausted;
	result->other = jacobian.witness;
	if (!isfinite(bracket->upper))
		bracket->status = DPS_UNABLE;
	return DPS_OK;
}
