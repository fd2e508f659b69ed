/*
 * norm_slopes.c
 *		Bounds the slopes of an expression through the tips of its roots, and of its arcs.
 *
 * Let f(x) = F(x, r(x)) with r = |w|, the Euclidean norm of a vector w of
 * expressions.  Where w = 0, r has a tip and no derivative, and near it the
 * entries of the gradient J'w / |w| (J the derivative of w) are quotients that
 * no enclosure can bound.  But w / |w| is a unit vector, and nothing else about
 * it matters:
 *
 * Along a segment x(t) with direction d in a box on which F and w have
 * derivatives, r(x(t)) is Lipschitz since the norm is, hence absolutely
 * continuous, and so is f(x(t)).  Almost everywhere |dr/dt| <= |J d|, and f
 * changes by the integral of df/dt, which is at most
 *
 *		F_x d + |F_r| |J d|
 *
 * That bounds the Lipschitz constant on the box, tips included, by the dual
 * norm of the coefficients of d; away from tips it bounds the norm of the
 * gradient:
 *
 *		one column k:		|J d| is |d_k| times the length of J's column k
 *		largest entries:	|J d| <= the sum of |w_i' d|; so the sum of the
 *							gradient's magnitudes is at most that of F_x plus
 *							|F_r| sqrt(sum_i (sum_k |J_ik|)^2)
 *		Euclidean:			see below
 *
 * Almost everywhere on the segment dr/dt = u' J d for a vector u of length at most 1, since
 * the norm is 1-Lipschitz: df/dt = (F_x + sum_r F_r J_r' u_r)' d, and the square of that
 * vector's length is at most
 *
 *		|F_x|^2 + 2 sum_r |F_r| |J_r F_x| + (sum_r |F_r| sqrt(e_r))^2
 *
 * with e_r the greatest eigenvalue of J_r J_r', by F_x' J' u = (J F_x)' u and by the
 * Cauchy-Schwarz inequality for each two roots.  Where the derivatives with the roots fixed
 * are at right angles to those of the legs, this is much less than (|F_x| + ...)^2.
 *
 * The eigenvalue is at most the greatest sum of magnitudes in a row of JJ';
 * for two legs the quadratic formula gives it.  Several roots add up.
 *
 * An arc r, of angles w (arc.c), is Lipschitz in them as well, and dr/dt = v' J d almost everywhere.  With
 * l_k and c_k for what arc.h calls least and greatest, and g_k for c_k |w_k'|:
 *
 *		one column k:		|v' J d| <= |d_k| times the sum of l times the magnitudes in J's column k
 *		largest entries:	the sum of these
 *		Euclidean:			if no column is in two angles, |J' v|^2 = sum_k (v_k / c_k)^2 g_k^2.  With
 *							V = (v_k / c_k)^2 that is linear, greatest at a vertex of
 *							{ 0 <= V <= 1, V_a + V_h <= 1 }, whose vertices are 0 or 1 (the pairs are a bipartite graph): with a latitude that
 *							is 1 no longitude is.  So it is at most
 *							G^2 = max(sum over latitudes, sum over longitudes) of g_k^2,
 *							and the whole at most (|F_x| + |F_r| G)^2
 */
#include <math.h>
#include <string.h>

#include "bound/quantity/norm_slopes.h"
#include "expr/enclose.h"

#define MAX_ROOTS 32

#define ADD(a, b) dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, a, b)
#define SUB(a, b) dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, a, b)
#define MUL(a, b) dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, a, b)
#define DIV(a, b) dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, a, b)
#define SQR(a) dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, a, NULL)
#define ABS(a) dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, a, NULL)
#define NEG(a) dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, a, NULL)
#define GREATEST(a, b) dps_apply(graph, DPS_OP_GREATEST, DPS_FLOAT8, a, b)
#define ROOT(a) dps_apply(graph, DPS_OP_SQRT, DPS_FLOAT8, a, NULL)
#define NUM(v) dps_constant(graph, DPS_FLOAT8, v)

/* Square roots below the node, each once. */
static void
collect_roots(const DpsNode *node, bool *seen, const DpsNode **roots, int *nroots)
{
	int			i;

	if (seen[node->id] || *nroots == MAX_ROOTS)
		return;
	seen[node->id] = true;
	if (node->op == DPS_OP_SQRT)
		roots[(*nroots)++] = node;
	for (i = 0; i < node->nargs; i++)
		collect_roots(node->arg[i], seen, roots, nroots);
}

/* Can the root be 0 in the box, with legs that are defined on the whole
 * box? */
static DpsStatus
has_tip(DpsGraph *graph, const DpsTip *tip, const DpsDomain *box, bool *found)
{
	const DpsNode *outputs[DPS_MAX_LEGS + 1];
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	int			i;

	memcpy(outputs, tip->leg, sizeof(DpsNode *) * tip->nlegs);
	outputs[tip->nlegs] = tip->root;
	DPS_TRY(dps_compile(graph, outputs, tip->nlegs + 1, &program));
	enclosures = dps_arena_alloc(graph->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(program, box, enclosures);
	*found = dps_iv_contains(enclosures[dps_program_outputs(program)[tip->nlegs]].value, 0);
	for (i = 0; i < tip->nlegs; i++)
		*found = *found && enclosures[dps_program_outputs(program)[i]].defined == DPS_DEFINED;
	return DPS_OK;
}

static DpsStatus
find_tips(DpsCover *cover, const DpsNode *node, const DpsDomain *box)
{
	const DpsNode *roots[MAX_ROOTS];
	bool	   *seen = dps_arena_alloc(cover->graph->arena, sizeof(bool) * (node->id + 1));
	int			nroots = 0;
	int			i;

	if (seen == NULL)
		return DPS_NOMEM;
	collect_roots(node, seen, roots, &nroots);
	for (i = 0; i < nroots && cover->ntips < DPS_MAX_TIPS; i++)
	{
		bool		found = false;

		if (dps_legs(cover->graph, roots[i], &cover->tip[cover->ntips]))
			DPS_TRY(has_tip(cover->graph, &cover->tip[cover->ntips], box, &found));
		cover->ntips += found;
	}
	return DPS_OK;
}

/* Divides by the columns' weights; slopes of columns that do not move become
 * 0. */
static void
weigh(const DpsCover *cover, uint64_t private_variables, const double *weights, const DpsNode **gradient)
{
	DpsGraph   *graph = cover->graph;
	int			j;

	for (j = 0; j < cover->ncolumns; j++)
	{
		if (!(private_variables & (UINT64_C(1) << j)))
			gradient[j] = NUM(0);
		else if (weights != NULL && weights[j] != 1)
			gradient[j] = DIV(gradient[j], NUM(weights[j]));
	}
}

static DpsStatus
gradient_beside_arc(DpsCover *cover, const DpsNode *node, uint64_t private_variables, const double *weights)
{
	DpsTip		root = {.root = cover->arc.root};
	int			k;

	DPS_TRY(dps_gradient_beside(cover->graph, node, &root, 1, cover->gradient, cover->by_root));
	weigh(cover, private_variables, weights, cover->gradient);
	for (k = 0; k < cover->arc.nangles; k++)
	{
		DPS_TRY(dps_gradient(cover->graph, cover->arc.angle[k], cover->turn[k]));
		weigh(cover, private_variables, weights, cover->turn[k]);
	}
	return DPS_OK;
}

DpsStatus
dps_cover_init(DpsCover *cover, DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			   int ncolumns, uint64_t private_variables, const double *weights)
{
	int			t;
	int			i;

	memset(cover, 0, sizeof(*cover));
	cover->graph = graph;
	cover->ncolumns = ncolumns;
	DPS_TRY(find_tips(cover, node, box));
	if (cover->ntips == 0)
	{
		DPS_TRY(dps_find_arc(graph, node, &cover->arc));
		return cover->arc.root == NULL ? DPS_OK : gradient_beside_arc(cover, node, private_variables, weights);
	}
	DPS_TRY(dps_gradient_beside(graph, node, cover->tip, cover->ntips, cover->gradient, cover->by_root));
	weigh(cover, private_variables, weights, cover->gradient);
	for (t = 0; t < cover->ntips; t++)
	{
		for (i = 0; i < cover->tip[t].nlegs; i++)
		{
			DPS_TRY(dps_gradient(graph, cover->tip[t].leg[i], cover->slope[t][i]));
			weigh(cover, private_variables, weights, cover->slope[t][i]);
		}
	}
	return DPS_OK;
}

/* Adds |F_r| times the bound of |J d|, for each root. */
static const DpsNode *
add_roots(const DpsCover *cover, const DpsNode *sum, const DpsNode *(*square) (const DpsCover *cover, int t, int column),
		  int column)
{
	DpsGraph   *graph = cover->graph;
	int			t;

	for (t = 0; t < cover->ntips; t++)
		sum = ADD(sum, MUL(ABS(cover->by_root[t]), ROOT(square(cover, t, column))));
	return sum;
}

/* The square of the length of a column of J. */
static const DpsNode *
column_square(const DpsCover *cover, int t, int column)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			i;

	for (i = 0; i < cover->tip[t].nlegs; i++)
		sum = ADD(sum, SQR(cover->slope[t][i][column]));
	return sum;
}

/* The sum over rows of J of the square of the row's sum of magnitudes. */
static const DpsNode *
rows_square(const DpsCover *cover, int t, int column)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			i;

	(void) column;
	for (i = 0; i < cover->tip[t].nlegs; i++)
	{
		const DpsNode *row = NUM(0);
		int			j;

		for (j = 0; j < cover->ncolumns; j++)
			row = ADD(row, ABS(cover->slope[t][i][j]));
		sum = ADD(sum, SQR(row));
	}
	return sum;
}

/* An entry of JJ'. */
static const DpsNode *
product_entry(const DpsCover *cover, int t, int a, int b)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			j;

	for (j = 0; j < cover->ncolumns; j++)
		sum = ADD(sum, MUL(cover->slope[t][a][j], cover->slope[t][b][j]));
	return sum;
}

/* The greatest eigenvalue of [p q; q r]. */
static const DpsNode *
eigenvalue_of_two(DpsGraph *graph, const DpsNode *p, const DpsNode *q, const DpsNode *r)
{
	const DpsNode *half = NUM(0.5);

	return ADD(MUL(half, ADD(p, r)), ROOT(ADD(SQR(MUL(half, SUB(p, r))), SQR(q))));
}

/* Bounds the greatest eigenvalue of JJ'. */
static const DpsNode *
eigenvalue(const DpsCover *cover, int t, int column)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *greatest = NULL;
	int			n = cover->tip[t].nlegs;
	int			a;
	int			b;

	(void) column;
	if (n == 2)
		return eigenvalue_of_two(graph, product_entry(cover, t, 0, 0), product_entry(cover, t, 0, 1),
								 product_entry(cover, t, 1, 1));
	for (a = 0; a < n; a++)
	{
		const DpsNode *row = NUM(0);

		for (b = 0; b < n; b++)
			row = ADD(row, a == b ? product_entry(cover, t, a, b) : ABS(product_entry(cover, t, a, b)));
		greatest = a == 0 ? row : GREATEST(greatest, row);
	}
	return greatest;
}

/* ---- arcs ---- */

/* The sum of the magnitudes in a column of the angles' derivatives. */
static const DpsNode *
turned_by(const DpsCover *cover, int column)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			k;

	for (k = 0; k < cover->arc.nangles; k++)
		sum = ADD(sum, MUL(cover->arc.least[k], ABS(cover->turn[k][column])));
	return sum;
}

/* Has no column part in two angles? */
static bool
are_apart(const DpsArc *arc)
{
	uint64_t	columns = 0;
	int			k;

	for (k = 0; k < arc->nangles; k++)
	{
		if (columns & arc->angle[k]->variables)
			return false;
		columns |= arc->angle[k]->variables;
	}
	return true;
}

/* G^2 */
static const DpsNode *
turned_square(const DpsCover *cover)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum[2] = {NUM(0), NUM(0)};
	int			j;
	int			k;

	for (k = 0; k < cover->arc.nangles; k++)
	{
		const DpsNode **own = &sum[cover->arc.longitude[k]];

		for (j = 0; j < cover->ncolumns; j++)
			*own = ADD(*own, SQR(MUL(cover->arc.greatest[k], cover->turn[k][j])));
	}
	return GREATEST(sum[0], sum[1]);
}

static const DpsNode *
arc_norm2(const DpsCover *cover)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			j;

	if (!are_apart(&cover->arc))
		return NULL;
	for (j = 0; j < cover->ncolumns; j++)
		sum = ADD(sum, SQR(cover->gradient[j]));
	return SQR(ADD(ROOT(sum), MUL(ABS(cover->by_root[0]), ROOT(turned_square(cover)))));
}

/* ---- together ---- */

const DpsNode *
dps_cover_entry(const DpsCover *cover, int column, bool negative)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *entry = cover->gradient[column];

	if (!dps_covers(cover))
		return NULL;
	if (negative)
		entry = NEG(entry);
	if (cover->arc.root != NULL)
		return ADD(entry, MUL(ABS(cover->by_root[0]), turned_by(cover, column)));
	return add_roots(cover, entry, column_square, column);
}

const DpsNode *
dps_cover_norm1(const DpsCover *cover)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			j;

	if (!dps_covers(cover))
		return NULL;
	for (j = 0; j < cover->ncolumns; j++)
		sum = ADD(sum, ABS(cover->gradient[j]));
	for (j = 0; j < cover->ncolumns && cover->arc.root != NULL; j++)
		sum = ADD(sum, MUL(ABS(cover->by_root[0]), turned_by(cover, j)));
	return add_roots(cover, sum, rows_square, 0);
}

/* The square of the length of J times the derivatives with the roots fixed. */
static const DpsNode *
moved_square(const DpsCover *cover, int t, int column)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			i;

	(void) column;
	for (i = 0; i < cover->tip[t].nlegs; i++)
	{
		const DpsNode *product = NUM(0);
		int			j;

		for (j = 0; j < cover->ncolumns; j++)
			product = ADD(product, MUL(cover->slope[t][i][j], cover->gradient[j]));
		sum = ADD(sum, SQR(product));
	}
	return sum;
}

const DpsNode *
dps_cover_norm2(const DpsCover *cover)
{
	DpsGraph   *graph = cover->graph;
	const DpsNode *sum = NUM(0);
	int			j;

	if (cover->arc.root != NULL)
		return arc_norm2(cover);
	if (cover->ntips == 0)
		return NULL;
	for (j = 0; j < cover->ncolumns; j++)
		sum = ADD(sum, SQR(cover->gradient[j]));
	sum = ADD(sum, MUL(NUM(2), add_roots(cover, NUM(0), moved_square, 0)));
	return ADD(sum, SQR(add_roots(cover, NUM(0), eigenvalue, 0)));
}
