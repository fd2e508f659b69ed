/*
 * ops.h
 *		The table of operations: what each one is called, where it is defined,
 *		what it yields.
 *
 * The rows are in ops.def; every fact about an operation is a cell there, and
 * other files read dps_ops[].  Leaves and CASE are opcodes without a row.
 *
 * Opcodes are switched on where an algorithm is about particular operations: forms,
 * products and fractions of arithmetic, constraints of a comparison, the argument
 * that a choice takes, the inverse of a function.  A fact that a new row could miss
 * belongs into a cell: a row without it does not compile.
 */
#ifndef DPS_EXPR_OPS_H
#define DPS_EXPR_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/interval_fn.h"

typedef enum DpsOpcode
{
	DPS_OP_CONST,
	DPS_OP_VAR,
	DPS_OP_CASE,				/* (condition, then, else) */
#define DPS_OP(id, ...) DPS_OP_##id,
#include "expr/ops.def"
#undef DPS_OP
	DPS_OP_COUNT
} DpsOpcode;

/* The first opcode that has a row. */
#define DPS_OP_FIRST_ROW (DPS_OP_CASE + 1)

/* SQL types of values.  The order of the integers and floats is that of
 * PostgreSQL's implicit casts. */
typedef enum DpsType
{
	DPS_BOOL,
	DPS_INT2,
	DPS_INT4,
	DPS_INT8,
	DPS_NUMERIC,
	DPS_FLOAT4,
	DPS_FLOAT8
} DpsType;

/*
 * Flags of an operation.  NULL is the NaN of the evaluator; an operation
 * yields NULL if any argument is NULL unless a DPS_NULL_ flag says otherwise.
 */
#define DPS_COMMUTES	0x0001	/* f(x, y) = f(y, x) */
#define DPS_CONSTANT_IF_SAME 0x0002	/* f(x, x) is one value, wherever defined */
#define DPS_KEEPS_INTEGERS 0x0004	/* yields integers of integers, without
									 * rounding error below 2^53 */
#define DPS_TOTAL		0x0008	/* defined for all finite arguments (overflow
								 * aside) */
#define DPS_INTEGRAL	0x0010	/* yields integers */
#define DPS_NULL_IF_ALL 0x0020	/* NULL only if every argument is NULL */
#define DPS_NULL_NEVER	0x0040	/* never NULL */
#define DPS_NULL_LOGIC	0x0080	/* SQL's three-valued AND, OR */
#define DPS_LOGICAL		0x0100	/* yields boolean */
#define DPS_ROUNDS		0x0200	/* rounds to integers, and keeps integers */
#define DPS_OF_INTEGERS 0x0400	/* the server has it for integers, too, and
								 * does not convert these to double
								 * precision */
#define DPS_LIKE_ITSELF 0x0800	/* f(t) / t goes to 1 as t goes to 0, in doubles
								 * as well, is monotone for 0 < t < 4.49, and
								 * even or so for -4.49 < t, too (singular.c) */
#define DPS_LOGARITHM	0x1000	/* a multiple of ln */

/* How tightly the printed form of an expression binds, in the server's
 * grammar; DPS_BIND_ATOM needs no parentheses anywhere. */
typedef enum DpsBinding
{
	DPS_BIND_OR = 1,
	DPS_BIND_AND,
	DPS_BIND_NOT,
	DPS_BIND_IS,
	DPS_BIND_COMPARE,
	DPS_BIND_ADD,
	DPS_BIND_MUL,
	DPS_BIND_POW,
	DPS_BIND_NEG,
	DPS_BIND_CAST,
	DPS_BIND_ATOM
} DpsBinding;

/*
 * Can an argument be NULL?
 */
typedef enum DpsNullness
{
	DPS_NEVER_NULL = 0,
	DPS_MAYBE_NULL,
	DPS_ALWAYS_NULL
} DpsNullness;

typedef struct DpsOp
{
	const char *name;			/* the row's id */
	uint8_t		arity;			/* 1 or 2 */
	uint16_t	flags;
	const char *sql;			/* %x, %y the arguments, %t the node's type;
								 * %(x) an argument that is delimited already */
	DpsBinding	sql_binding;
	const char *latex;
	DpsBinding	latex_binding;
	const char *builtins;		/* pg_proc.prosrc names, separated by spaces */
	/* Where it is defined. */
	DpsDefined	(*defined) (DpsInterval x, DpsInterval y);
	/* One value; NaN stands for NULL. */
	double		(*value) (double x, double y);
	/* n values. */
	void		(*batch) (double *restrict result, const double *restrict x,
						  const double *restrict y, int n);
	/* Can the value jump inside these arguments?  f encloses the value. */
	bool		(*jumps) (DpsInterval x, DpsInterval y, DpsInterval f);
	double		ulps;			/* bound of |evaluated - exact| in units in the
								 * last place of the exact value; 0: exact; less
								 * than 0: of no units, its magnitude */
	uint8_t		cost;			/* of an enclosure, in sums */
	bool		smooth;			/* differentiable all over the inside of its
								 * domain */
	/* Enclose the derivatives by x and by y where it is smooth; f encloses the
	 * values over x and y. */
	DpsInterval (*slope[2]) (DpsInterval x, DpsInterval y, DpsInterval f);
	/* Of a smooth operation as a function of one argument (x; of a quotient y):
	 * an enclosure with the sign of the second derivative, and one of the
	 * third. */
	DpsInterval (*curvature) (DpsInterval x, DpsInterval y, DpsInterval f);
	DpsInterval (*third) (DpsInterval x, DpsInterval y);
	/* Encloses the values over non-NULL arguments. */
	DpsInterval (*enclosure) (DpsInterval x, DpsInterval y, DpsNullness x_null, DpsNullness y_null);
} DpsOp;

/* Indexed by opcode; the leaves' and CASE's entries are zero. */
extern const DpsOp dps_ops[DPS_OP_COUNT];

static inline bool
dps_op_is_exact(const DpsOp *op)
{
	return op->ulps == 0;
}

/* The SQL name of a type, as format_type prints it. */
extern const char *dps_type_name(DpsType type);

/* The values that a type can hold: integers' ends, +-FLT_MAX, +-DBL_MAX; int8
 * is limited to +-2^53, where doubles are exact. */
extern DpsInterval dps_type_range(DpsType type);

static inline bool
dps_type_is_integer(DpsType type)
{
	return type == DPS_INT2 || type == DPS_INT4 || type == DPS_INT8;
}

#endif							/* DPS_EXPR_OPS_H */
