/*
 * tree.c
 *		Noisy counts of the buckets of a public grid and of their unions.
 *
 * Precondition: neighbouring data differ by one unit of at most `rows` values
 * added or removed, or all replaced.  Postcondition: all noisy counts together cost
 * what the mechanism states for the sensitivity below (noise/laplace.c, noise/gaussian.c);
 * everything else is a function of them, which costs nothing (Dwork and Roth 2014,
 * Proposition 2.1).
 *
 * Noise is in steps of a row where the mechanism has it so: counts are whole rows.
 *
 * Proof.  Every level below the root counts every value once.  Adding m values
 * changes the counts of a level by m in L1, hence in L2 too, and those of h levels by
 * m h in L1 and m sqrt(h) in L2.  Replacing m values takes m from some nodes and adds
 * m to others: 2m in L1 a level; in L2 at most sqrt(m^2 + m^2), as nodes that have
 * both only cancel; so 2 m h and m sqrt(2h).
 *
 * The estimates.  First the least-squares fit of counts that add up (Hay, Rastogi,
 * Miklau and Suciu 2010, section 4, without a count at the root): from the
 * leaves up, a node at height l averages its own count, weighted F^l - F^(l-1),
 * with its children's sum, weighted F^(l-1) - 1, over F^l - 1; then from the root
 * down, children share equally what is missing to their parent.  Then, from the root
 * down, negative estimates become 0 and the others are scaled to their parent, so
 * that the noise of empty buckets does not pile up beyond one level.
 */
#include <math.h>

#include "noise/tree.h"
#include "num/whole.h"

#define COUNT_LIMIT ((UINT64_C(1) << 62) - 1)

/* --- the plan ----------------------------------------------------------------- */

/* The smallest r with r >= sqrt(n), n < 2^122. */
static uint64_t
sqrt_up(unsigned __int128 n)
{
	uint64_t	r = 0;

	for (uint64_t bit = UINT64_C(1) << 61; bit > 0; bit >>= 1)
	{
		if ((unsigned __int128) (r + bit) * (r + bit) <= n)
			r += bit;
	}
	return (unsigned __int128) r * r < n ? r + 1 : r;
}

/* fanout^height if it is at most DPS_TREE_BUCKETS, else 0. */
static uint64_t
count_buckets(int fanout, int height)
{
	uint64_t	buckets = 1;

	if (fanout < 2 || height < 1)
		return 0;
	for (int level = 0; level < height; level++)
	{
		buckets *= (uint64_t) fanout;
		if (buckets > DPS_TREE_BUCKETS)
			return 0;
	}
	return buckets;
}

DpsStatus
dps_tree_plan(DpsTreePlan *plan, const DpsMechanism *mechanism, const DpsTarget *target,
			  int fanout, int height, uint64_t rows, bool replace)
{
	DpsTreePlan made = {mechanism, fanout, height, DPS_TREE_UNIT_BITS, count_buckets(fanout, height), 0, 0, 1, {0, 0, 0}};
	uint64_t	levels = (uint64_t) height * (replace ? 2 : 1);
	DpsTarget	whole = {target->epsilon, target->delta, 1, 0};

	/* levels are 48 at most */
	if (made.buckets == 0 || rows == 0 || rows >= UINT64_C(1) << 16)
		return DPS_DOMAIN;
	whole.vector = (int) (rows * levels);
	while (rows > UINT64_C(1) << (DPS_TREE_UNIT_BITS - made.unit_bits))
		made.unit_bits--;
	/* below 2^46 */
	if (mechanism->norm == 1)
		made.sensitivity = rows * levels << made.unit_bits;
	else
		made.sensitivity = sqrt_up((unsigned __int128) (rows * rows * levels) << 2 * made.unit_bits);
	DPS_TRY(mechanism->calibrate(&whole, made.sensitivity, &made.scale));
	if (mechanism->steps)
		made.step = UINT64_C(1) << made.unit_bits;
	mechanism->loss(made.scale, made.step, made.sensitivity, &made.loss);
	if (mechanism->uses_delta)
		made.loss.delta = target->delta;
	*plan = made;
	return DPS_OK;
}

/* --- the draw ----------------------------------------------------------------- */

static size_t
nodes_at(const DpsTree *tree, int level)
{
	size_t		nodes = 1;

	for (int i = 0; i < level; i++)
		nodes *= (size_t) tree->fanout;
	return nodes;
}

static DpsStatus
allocate_tree(DpsArena *arena, const DpsTreePlan *plan, DpsTree **tree)
{
	DpsTree    *made = dps_arena_alloc(arena, sizeof(*made));

	if (made == NULL)
		return DPS_NOMEM;
	made->fanout = plan->fanout;
	made->height = plan->height;
	made->mass = dps_arena_alloc(arena, ((size_t) plan->height + 1) * sizeof(*made->mass));
	if (made->mass == NULL)
		return DPS_NOMEM;
	for (int level = 0; level <= plan->height; level++)
	{
		made->mass[level] = dps_arena_alloc(arena, nodes_at(made, level) * sizeof(double));
		if (made->mass[level] == NULL)
			return DPS_NOMEM;
	}
	*tree = made;
	return DPS_OK;
}

/* Noisy counts of one level; each node covers as many buckets as fit. */
static DpsStatus
draw_level(DpsRandom *random, const DpsTreePlan *plan, const uint64_t *counts,
		   double *mass, size_t nodes)
{
	size_t		width = (size_t) plan->buckets / nodes;

	for (size_t node = 0; node < nodes; node++)
	{
		__int128	sum = 0;
		__int128	noise;

		for (size_t i = node * width; i < (node + 1) * width; i++)
			sum += counts[i] < COUNT_LIMIT ? counts[i] : COUNT_LIMIT;
		DPS_TRY(plan->mechanism->draw(random, plan->scale, plan->step, &noise));
		/* below 2^(62 + 24 + 40) and 2^126 */
		mass[node] = ldexp((double) ((sum << plan->unit_bits) + noise), -plan->unit_bits);
	}
	return DPS_OK;
}

static double
sum_children(const DpsTree *tree, int level, size_t node)
{
	const double *child = tree->mass[level + 1] + node * (size_t) tree->fanout;
	double		sum = 0.0;

	for (int i = 0; i < tree->fanout; i++)
		sum += child[i];
	return sum;
}

static void
average_upward(DpsTree *tree)
{
	double		fanout = tree->fanout;
	double		below = fanout;	/* F^(l-1) for the node's height l */

	for (int level = tree->height - 1; level > 0; level--)
	{
		size_t		nodes = nodes_at(tree, level);
		double		own = (below * fanout - below) / (below * fanout - 1.0);

		for (size_t node = 0; node < nodes; node++)
			tree->mass[level][node] = own * tree->mass[level][node] +
				(1.0 - own) * sum_children(tree, level, node);
		below *= fanout;
	}
	tree->mass[0][0] = sum_children(tree, 0, 0);
}

/* The children's sum differs from the node: each child gets an equal part of
 * the difference. */
static void
share_missing(DpsTree *tree, int level, size_t node)
{
	double	   *child = tree->mass[level + 1] + node * (size_t) tree->fanout;
	double		part = (tree->mass[level][node] - sum_children(tree, level, node)) / tree->fanout;

	for (int i = 0; i < tree->fanout; i++)
		child[i] += part;
}

/* Scales the children without the negative ones to the sum of the node; if all
 * are negative, or the node is empty, they get equal parts. */
static void
scale_to_parent(DpsTree *tree, int level, size_t node)
{
	double	   *child = tree->mass[level + 1] + node * (size_t) tree->fanout;
	double		parent = tree->mass[level][node];
	double		sum;

	for (int i = 0; i < tree->fanout; i++)
		child[i] = fmax(child[i], 0.0);
	sum = sum_children(tree, level, node);
	for (int i = 0; i < tree->fanout; i++)
		child[i] = sum > 0.0 ? child[i] / sum * parent : parent / tree->fanout;
}

static void
fit(DpsTree *tree)
{
	average_upward(tree);
	for (int level = 0; level < tree->height; level++)
	{
		for (size_t node = 0; node < nodes_at(tree, level); node++)
			share_missing(tree, level, node);
	}
	tree->mass[0][0] = fmax(tree->mass[0][0], 0.0);
	for (int level = 0; level < tree->height; level++)
	{
		for (size_t node = 0; node < nodes_at(tree, level); node++)
			scale_to_parent(tree, level, node);
	}
}

DpsStatus
dps_tree_draw(DpsArena *arena, DpsRandom *random, const DpsTreePlan *plan,
			  const uint64_t *counts, DpsTree **tree)
{
	DpsTree    *made;

	DPS_TRY(allocate_tree(arena, plan, &made));
	for (int level = 1; level <= made->height; level++)
		DPS_TRY(draw_level(random, plan, counts, made->mass[level], nodes_at(made, level)));
	fit(made);
	*tree = made;
	return DPS_OK;
}

/* --- quantiles ------------------------------------------------------------------ */

/*
 * Goes down from the root to the child in which the running sum of the children
 * passes the rank.  A tree without mass is taken as uniform.
 */
double
dps_tree_quantile(const DpsTree *tree, double q)
{
	double		rank = fmin(fmax(q, 0.0), 1.0);
	size_t		node = 0;

	/* the rank is kept as a part of the node's mass */
	for (int level = 0; level < tree->height; level++)
	{
		const double *child = tree->mass[level + 1] + node * (size_t) tree->fanout;
		double		sum = sum_children(tree, level, node);
		double		target = rank * sum;
		int			last = tree->fanout - 1;
		int			i = 0;

		/* rounding must not lead into empty buckets at the end */
		while (last > 0 && sum > 0.0 && !(child[last] > 0.0))
			last--;
		if (!(sum > 0.0))
		{
			i = dps_to_int32(fmin(floor(rank * tree->fanout), last));
			rank = rank * tree->fanout - i;
		}
		else
		{
			while (i < last && (child[i] < target || !(child[i] > 0.0)))
				target -= child[i++];
			rank = fmin(fmax(target / child[i], 0.0), 1.0);
		}
		node = node * (size_t) tree->fanout + (size_t) i;
	}
	return (double) node + rank;
}
