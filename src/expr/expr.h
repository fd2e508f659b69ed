/*
 * expr.h
 *		Row expressions as hash-consed graphs: build, simplify, differentiate,
 *		print.
 *
 * Equal nodes of one graph are one pointer, and an argument always has a
 * smaller id than the node that uses it.  Constructors simplify; they return
 * NULL when memory ran out and pass a NULL argument on, so one check at the
 * end of a construction is enough.
 */
#ifndef DPS_EXPR_EXPR_H
#define DPS_EXPR_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/chains.h"
#include "expr/ops.h"

/* Columns of one expression; one more bit of a mask is kept for the moving
 * copy of a column that attribute sensitivity needs. */
#define DPS_MAX_VARIABLES 63

/* The bit of a variable in a mask.  In a wide graph, variables from the 64th on
 * share the last bit. */
static inline uint64_t
dps_variable_bit(int variable)
{
	return UINT64_C(1) << (variable < DPS_MAX_VARIABLES ? variable : DPS_MAX_VARIABLES);
}

/*
 * Callers refuse deeper expressions: much of the core recurses over them, and
 * their derivatives are a few times deeper.
 */
#define DPS_MAX_DEPTH 500

typedef struct DpsNode DpsNode;
typedef struct DpsFraction DpsFraction;
struct DpsNode
{
	DpsLink		link;			/* its hash is that of the structure: the same in
								 * any graph with the same variables */
	uint32_t	id;
	uint16_t	op;				/* DpsOpcode */
	uint8_t		type;			/* DpsType */
	uint8_t		nargs;
	bool		nullable;		/* can be NULL */
	bool		total;			/* defined for all values of the variables */
	bool		integral;		/* always an integer */
	uint32_t	depth;			/* of the expression below; a leaf has 0 */
	uint64_t	variables;		/* bit j: depends on variable j; the last bit
								 * of a wide graph: on one of the rest */
	double		value;			/* of a constant; NaN is NULL */
	DpsInterval range;			/* around a constant and around an operation
								 * on constants that has a value; else empty */
	const DpsFraction *exact;	/* of a constant that no double equals, whose
								 * nearest double is value; else NULL */
	int			variable;		/* of a DPS_OP_VAR */
	const DpsNode *arg[3];
};

typedef struct DpsVariable
{
	const char *name;			/* as it is written in SQL, quoted if need be */
	DpsType		type;
	bool		nullable;
} DpsVariable;

/*
 * An expression means the real function of its constants, and each constant that
 * is written is a double.  Constructors round nothing: the product of 0.1 and 3, or
 * a coefficient of a derivative, that no double equals is a constant with its exact
 * fraction, an interval around it for enclosures, and its nearest double for
 * evaluation and for people.  Where there is no such fraction, as for ln(2), the
 * operation stays as it is; it is enclosed and evaluated as a constant.
 */
typedef struct DpsGraph
{
	DpsArena   *arena;
	DpsVariable *variables;
	int			nvariables;
	int			max_variables;
	uint32_t	nnodes;
	bool		plain;			/* set by dps_graph_keep */
	DpsChains	nodes;
} DpsGraph;

extern DPS_MUST_USE DpsStatus dps_graph_init(DpsGraph **graph, DpsArena *arena);

/*
 * A graph of more variables, for example of a histogram's cells.  It can be
 * built, printed, differentiated once, compiled, evaluated and enclosed; the
 * bounds of bound.h, dps_hessian, dps_strict_variables and
 * dps_evaluation_error are for graphs of DPS_MAX_VARIABLES.
 */
extern DPS_MUST_USE DpsStatus dps_graph_init_wide(DpsGraph **graph, DpsArena *arena, int max_variables);

/*
 * From now on nothing is simplified, except that constants are retyped or negated
 * without rounding: nodes are what SQL evaluates, operation by operation.
 */
extern void dps_graph_keep(DpsGraph *graph);

/* Adds a variable and returns its index.  -1 when there are DPS_MAX_VARIABLES +
 * 1 already (the last is for the moving copy), or the maximum of a wide graph.
 * The name must outlive the graph. */
extern int	dps_graph_add_variable(DpsGraph *graph, const char *name, DpsType type, bool nullable);

/* The node with this id, or NULL; searches all nodes. */
extern const DpsNode *dps_node_of(const DpsGraph *graph, uint32_t id);

/* The leaf of a variable. */
extern const DpsNode *dps_variable(DpsGraph *graph, int index);

/* A constant.  Constants are interned by bit pattern; every NaN is NULL. */
extern const DpsNode *dps_constant(DpsGraph *graph, DpsType type, double value);

/* A constant of another graph, exactly. */
extern const DpsNode *dps_copy_constant(DpsGraph *graph, const DpsNode *constant);

/* A node of another graph that has the same variables, as it is.  What the copy is
 * made into depends on the node alone, not on what else the other graph has. */
extern const DpsNode *dps_copy_node(DpsGraph *graph, const DpsNode *node);

/* An operation of the table, simplified; y is NULL for arity 1. */
extern const DpsNode *dps_apply(DpsGraph *graph, DpsOpcode op, DpsType type,
								const DpsNode *x, const DpsNode *y);

/* CASE WHEN condition THEN yes ELSE no END; a NULL condition takes no. */
extern const DpsNode *dps_choose(DpsGraph *graph, const DpsNode *condition,
								 const DpsNode *yes, const DpsNode *no);

/* Appends what tells a constant, or an operation on constants, from all others. */
extern void dps_text_constant(DpsText *text, const DpsNode *constant);

/* The node as double precision: itself, a retyped constant or a cast. */
extern const DpsNode *dps_as_float8(DpsGraph *graph, const DpsNode *node);

/* The node with every occurrence of a part replaced; the part has variables. */
extern const DpsNode *dps_replace(DpsGraph *graph, const DpsNode *node, const DpsNode *part, const DpsNode *replacement);

/* The same for a variable. */
extern const DpsNode *dps_substitute(DpsGraph *graph, const DpsNode *node,
									 int variable, const DpsNode *replacement);

/*
 * Variables whose NULL makes the node NULL whatever the others are, as a mask.
 */
extern uint64_t dps_strict_variables(DpsGraph *graph, const DpsNode *node);

/*
 * Can values, and not only NULLs, of the variables make the node NULL: by a NULL
 * that is written in it (CASE without ELSE, NULLIF), or by a choice between NULL and
 * a value?  False only if it is proved that the node is NULL exactly where one of
 * its variables is NULL.
 */
extern bool dps_values_decide_null(DpsGraph *graph, const DpsNode *node);

/* Is the node a constant with this value? */
static inline bool
dps_is_constant(const DpsNode *node, double value)
{
	return node->op == DPS_OP_CONST && node->exact == NULL && node->value == value;
}

/*
 * Partial derivatives of a scalar by reverse mode, one per variable, symbolic
 * and sharing sub-expressions: O(size) nodes for all of them together.
 * Derivatives are double precision; those of steps and conditions are 0.
 * gradient must have room for graph->nvariables entries.
 */
extern DPS_MUST_USE DpsStatus dps_gradient(DpsGraph *graph, const DpsNode *node,
										   const DpsNode **gradient);

/* The Hessian, row-major, nvariables x nvariables. */
extern DPS_MUST_USE DpsStatus dps_hessian(DpsGraph *graph, const DpsNode *node,
										  const DpsNode **hessian);

/* sqrt(sum_j (gradient_j / weight_j)^2) over the variables of the mask;
 * weights NULL means 1. */
extern const DpsNode *dps_norm2(DpsGraph *graph, const DpsNode *const *gradient,
								uint64_t mask, const double *weights);

/*
 * Prints to SQL or LaTeX.  SQL text, parsed again over the same columns,
 * yields the same graph; a constant that no double equals, which only proofs
 * have, is printed as the nearest double.  DPS_UNABLE when the text would
 * exceed 256 kB (a shared sub-expression is written out at each use).
 */
extern DPS_MUST_USE DpsStatus dps_print_sql(const DpsGraph *graph, const DpsNode *node, DpsText *text);
extern DPS_MUST_USE DpsStatus dps_print_latex(const DpsGraph *graph, const DpsNode *node, DpsText *text);

/*
 * Prints expressions, one or an array of them, with a name for each node that is
 * used more than once: s1, s2 and so on, or ss1 where a column has such a name.  The
 * SQL is a scalar sub-select over the columns, whose WITH queries, part1, part2 and so
 * on, compute the names; it is not for being read again.  What a CASE,
 * AND, OR or coalesce may leave out has no name, unless it is needed anyway: it
 * may have no value where it is left out.  DPS_UNABLE above 256 kB.
 */
extern DPS_MUST_USE DpsStatus dps_print_parts(const DpsGraph *graph, const DpsNode *const *nodes, int n, bool latex,
											  DpsText *text);

#endif							/* DPS_EXPR_EXPR_H */
