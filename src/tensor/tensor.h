/*
 * tensor.h
 *		Graphs of tensors: build, simplify, differentiate, print.
 *
 * A node is an operation on whole tensors of known shapes, so a network of
 * millions of parameters is a graph of some hundred nodes.  Operations on
 * single elements are the rows of expr/ops.def, applied to every element, with
 * their derivatives; what moves, adds up or multiplies whole tensors is a row
 * of tensor/tensor_ops.def.  A derivative is made of nodes of the same graph and can be
 * differentiated again.
 *
 * Equal nodes of one graph are one pointer, and an argument always has a
 * smaller id than the node that uses it.  Constructors simplify; they return
 * NULL for shapes that do not go together, for tensors that are too large and
 * when memory ran out, and pass a NULL argument on, so one check at the end of a
 * construction is enough.
 *
 * Why there is a second graph beside that of row expressions (expr/expr.h): a node there
 * is one number of one row, has an SQL type, may be NULL, and is made to be enclosed,
 * narrowed and certified.  So it keeps exact constants, a mask of at most 64 columns, and
 * the errors of SQL.  A node here is an array with a shape, over any number of inputs,
 * never NULL and never certified; its derivatives are transposed products instead of sums
 * of terms.  A matrix product of row expressions would have a node for each element.  Both
 * share the table of operations with its derivatives (expr/ops.def,
 * expr/derivative_cells.h) and the hash table (base/chains.h).  dps_tensor_expand writes a
 * network out as row expressions where something is to be proved of it.
 *
 * NaN stands for a value that does not exist, as in row expressions: overflow
 * and arguments outside an operation's domain make NaN, never an infinity.
 */
#ifndef DPS_TENSOR_TENSOR_H
#define DPS_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "expr/expr.h"

/*
 * Leaves, CASE and operations on elements have the opcodes of expr/ops.h:
 * DPS_OP_CONST is a scalar, DPS_OP_VAR an input, DPS_OP_CASE chooses element by
 * element.
 */
typedef enum DpsTensorOp
{
	DPS_TENSOR_BEFORE_ROWS = DPS_OP_COUNT - 1,
#define DPS_TENSOR_OP(id, ...) DPS_TENSOR_##id,
#define DPS_TENSOR_MAP(id, ...) DPS_TENSOR_##id,
#include "tensor/tensor_ops.def"
#undef DPS_TENSOR_MAP
#undef DPS_TENSOR_OP
	DPS_TENSOR_OP_COUNT
} DpsTensorOp;

#define DPS_MAX_RANK 4

/* A scalar has rank 0. */
typedef struct DpsShape
{
	int8_t		rank;
	int32_t		extent[DPS_MAX_RANK];
} DpsShape;

#define DPS_SCALAR ((DpsShape) {0, {0}})

/* Elements of one tensor, at most: as many as an array of the server can have. */
#define DPS_MAX_ELEMENTS ((INT32_C(1) << 27) - 64)

/* The integer arguments of an operation. */
#define DPS_MAX_ATTRIBUTES 4

typedef struct DpsTensor DpsTensor;
struct DpsTensor
{
	DpsLink		link;
	uint32_t	id;
	uint16_t	op;				/* DpsOpcode or DpsTensorOp */
	uint8_t		nargs;
	DpsShape	shape;
	int32_t		attribute[DPS_MAX_ATTRIBUTES];	/* as the row says */
	double		value;			/* of a constant */
	int32_t		input;			/* of an input, its number */
	const DpsTensor *arg[3];
};

typedef struct DpsTensorGraph
{
	DpsArena   *arena;
	uint32_t	nnodes;
	uint32_t	ninputs;
	const char **names;			/* of the inputs */
	const DpsTensor **inputs;
	uint32_t	max_inputs;
	DpsChains	nodes;
} DpsTensorGraph;

/*
 * The arguments of a kernel, which computes a node for one or more examples at
 * a time.  Results lie one after the other, and so do the arguments that differ
 * between examples; the others are the same for all.
 */
typedef struct DpsTensorCall
{
	const DpsTensor *node;
	int64_t		others;			/* examples besides the first; so 0 is one */
	const double *arg[3];
	bool		each[3];
	double	   *result;			/* overlaps no argument */
} DpsTensorCall;

static inline int64_t
dps_call_examples(const DpsTensorCall *call)
{
	return call->others + 1;
}

/* The arguments of an expansion: one node of a row expression for each
 * element. */
typedef struct DpsTensorExpansion
{
	const DpsTensor *node;
	DpsGraph   *graph;
	const DpsNode *const *arg[3];
	const DpsNode **result;
} DpsTensorExpansion;

typedef struct DpsTensorRow
{
	const char *name;
	uint8_t		arity;
	uint8_t		nattributes;	/* that are printed */
	bool		elementwise;
	/* Sets the node's shape, or checks it where it was asked for; false if the
	 * arguments do not fit. */
	bool		(*shape) (DpsTensor *node);
	void		(*run) (const DpsTensorCall *call);
	/* The same as row expressions; DPS_NOMEM, or NULLs in the result, if memory
	 * ran out. */
	DpsStatus	(*expand) (const DpsTensorExpansion *expansion);
	/* The adjoint of an argument, from that of the node. */
	const DpsTensor *(*derive[2]) (DpsTensorGraph *g, const DpsTensor *f,
								   const DpsTensor *x, const DpsTensor *y,
								   const DpsTensor *adjoint);
} DpsTensorRow;

/* The row of an opcode that has one in tensor/tensor_ops.def. */
extern const DpsTensorRow *dps_tensor_row(int op);

static inline bool
dps_tensor_has_row(int op)
{
	return op > DPS_TENSOR_BEFORE_ROWS;
}

/* Is every element computed from the elements at its place? */
extern bool dps_tensor_is_elementwise(int op);

/*
 * Shapes
 */

static inline int64_t
dps_shape_size(const DpsShape *shape)
{
	int64_t		size = 1;
	int			i;

	for (i = 0; i < shape->rank; i++)
		size *= shape->extent[i];
	return size;
}

static inline int64_t
dps_tensor_size(const DpsTensor *tensor)
{
	return dps_shape_size(&tensor->shape);
}

extern bool dps_shape_equal(const DpsShape *a, const DpsShape *b);

/* Extents that are not positive, or more than DPS_MAX_ELEMENTS: false. */
extern bool dps_shape_is_possible(const DpsShape *shape);

#define DPS_VECTOR(n) ((DpsShape) {1, {n}})
#define DPS_MATRIX(m, n) ((DpsShape) {2, {m, n}})
#define DPS_IMAGE(c, h, w) ((DpsShape) {3, {c, h, w}})

/*
 * Building
 */

extern DPS_MUST_USE DpsStatus dps_tensor_graph_init(DpsTensorGraph **graph, DpsArena *arena);

/* A new input; the name must outlive the graph. */
extern const DpsTensor *dps_tensor_input(DpsTensorGraph *g, const char *name, DpsShape shape);

extern const DpsTensor *dps_tensor_constant(DpsTensorGraph *g, double value);

/*
 * An operation on elements: a row of expr/ops.def or a DPS_TENSOR_MAP.  The
 * shapes are equal, or one is scalar.  y is NULL for arity 1.
 */
extern const DpsTensor *dps_tensor_map(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y);

/* Where the condition is 1 the element of yes, elsewhere that of no. */
extern const DpsTensor *dps_tensor_choose(DpsTensorGraph *g, const DpsTensor *condition,
										  const DpsTensor *yes, const DpsTensor *no);

/* Product of two matrices, each transposed first if so asked. */
extern const DpsTensor *dps_tensor_matmul(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y,
										  bool transpose_x, bool transpose_y);

/* The sum of the products of the elements at equal places: a scalar. */
extern const DpsTensor *dps_tensor_dot(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y);

/* The same elements, row by row, in another shape of equal size. */
extern const DpsTensor *dps_tensor_reshape(DpsTensorGraph *g, const DpsTensor *x, DpsShape shape);

/* Axis k of the result is axis permutation[k] of x. */
extern const DpsTensor *dps_tensor_permute(DpsTensorGraph *g, const DpsTensor *x, const int *permutation);

/* Axes of extent 1 repeated to the shape's extents; a scalar fits any shape. */
extern const DpsTensor *dps_tensor_broadcast(DpsTensorGraph *g, const DpsTensor *x, DpsShape shape);

/*
 * Over the axes whose bits are set, which stay with extent 1; op is
 * DPS_TENSOR_SUM, DPS_TENSOR_MAX or DPS_TENSOR_LOG_SUM_EXP.
 */
extern const DpsTensor *dps_tensor_reduce(DpsTensorGraph *g, int op, const DpsTensor *x, unsigned axes);

/* The sum of all elements: a scalar. */
extern const DpsTensor *dps_tensor_total(DpsTensorGraph *g, const DpsTensor *x);

/* Windows onto an image: how large, how far apart, and how many zeros around
 * the image. */
typedef struct DpsWindow
{
	int32_t		height;
	int32_t		width;
	int32_t		stride;
	int32_t		padding;
} DpsWindow;

/* How many windows fit along an extent; 0 or less if none. */
extern int64_t dps_window_count(int32_t extent, int32_t window, int32_t stride, int32_t padding);

/*
 * The windows of an image (channels, height, width) as columns: a matrix of
 * channels * window height * window width rows, and a column a window.
 */
extern const DpsTensor *dps_tensor_unfold(DpsTensorGraph *g, const DpsTensor *image, DpsWindow window);

/*
 * The transposed map: every element of a matrix of windows added where it came
 * from in the image of this shape.
 */
extern const DpsTensor *dps_tensor_fold(DpsTensorGraph *g, const DpsTensor *columns, DpsWindow window, DpsShape image);

/*
 * Made of the above (composed_ops.c)
 */

extern const DpsTensor *dps_tensor_mean(DpsTensorGraph *g, const DpsTensor *x, unsigned axes);

/* scale * sigmoid(temperature * x) - offset */
extern const DpsTensor *dps_tensor_tempered_sigmoid(DpsTensorGraph *g, const DpsTensor *x, double scale,
													double temperature, double offset);
extern const DpsTensor *dps_tensor_gelu(DpsTensorGraph *g, const DpsTensor *x);
extern const DpsTensor *dps_tensor_softmax(DpsTensorGraph *g, const DpsTensor *x, unsigned axes);

/* (n) and (m) to (n, m) */
extern const DpsTensor *dps_tensor_outer(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y);

/* The Euclidean norm of all elements of all tensors together, and its square. */
extern const DpsTensor *dps_tensor_norm_squared(DpsTensorGraph *g, const DpsTensor *const *x, int n);
extern const DpsTensor *dps_tensor_norm(DpsTensorGraph *g, const DpsTensor *const *x, int n);

/* image (c, h, w) with filters (n, c, window): (n, rows, columns). */
extern const DpsTensor *dps_tensor_conv2d(DpsTensorGraph *g, const DpsTensor *image, const DpsTensor *filters,
										  int32_t stride, int32_t padding);

/* Each channel with a filter of its own: filters (c, window height, window width). */
extern const DpsTensor *dps_tensor_depthwise_conv2d(DpsTensorGraph *g, const DpsTensor *image,
													const DpsTensor *filters, int32_t stride, int32_t padding);

/* Padding counts as zeros in the average, and as nothing in the maximum. */
extern const DpsTensor *dps_tensor_average_pool(DpsTensorGraph *g, const DpsTensor *image, DpsWindow window);
extern const DpsTensor *dps_tensor_max_pool(DpsTensorGraph *g, const DpsTensor *image, DpsWindow window);

/* Losses, summed over the elements: scalars. */
extern const DpsTensor *dps_tensor_squared_loss(DpsTensorGraph *g, const DpsTensor *prediction, const DpsTensor *target);
extern const DpsTensor *dps_tensor_huber_loss(DpsTensorGraph *g, const DpsTensor *prediction, const DpsTensor *target,
											  double delta);

/* Of probabilities; and of what sigmoid and softmax make probabilities of,
 * which is accurate where those round to 0 or 1. */
extern const DpsTensor *dps_tensor_binary_cross_entropy(DpsTensorGraph *g, const DpsTensor *probability,
														const DpsTensor *target);
extern const DpsTensor *dps_tensor_binary_cross_entropy_logits(DpsTensorGraph *g, const DpsTensor *logit,
															   const DpsTensor *target);
extern const DpsTensor *dps_tensor_cross_entropy(DpsTensorGraph *g, const DpsTensor *probability,
												 const DpsTensor *target);
extern const DpsTensor *dps_tensor_cross_entropy_logits(DpsTensorGraph *g, const DpsTensor *logit,
														const DpsTensor *target);

/*
 * Derivatives of a scalar by n nodes, by reverse mode: gradient[k] has the shape
 * of by[k].  As many new nodes as a small multiple of those below the scalar,
 * whatever their shapes.  At a kink: that of the branch that is taken.
 */
extern DPS_MUST_USE DpsStatus dps_tensor_gradient(DpsTensorGraph *g, const DpsTensor *scalar,
												  const DpsTensor *const *by, int n, const DpsTensor **gradient);

/* A line for each node that the nodes are made of, arguments first. */
extern DPS_MUST_USE DpsStatus dps_tensor_print(const DpsTensorGraph *g, const DpsTensor *const *nodes,
											   const char *const *names, int n, DpsText *text);

/*
 * The elements of n nodes as row expressions over a graph's variables, one after
 * the other; inputs[k] are the elements of input k.  DPS_UNABLE if the nodes and
 * what they are made of have more than DPS_MAX_EXPANDED elements.
 */
#define DPS_MAX_EXPANDED 100000

extern DPS_MUST_USE DpsStatus dps_tensor_expand(const DpsTensorGraph *g, const DpsTensor *const *nodes, int n,
												DpsGraph *graph, const DpsNode *const *const *inputs,
												const DpsNode **results);

#endif							/* DPS_TENSOR_TENSOR_H */
