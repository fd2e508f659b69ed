/*
 * derivative_cells.h
 *		The functions in which the derivatives of ops.def are written.
 *
 * An includer defines UNARY(op, x) and BINARY(op, x, y), which apply an operation to
 * its kind of values, and NUM, NONE, LOG10_E, TWO_BY_SQRT_PI, IF and the conditions.
 */
#ifndef DPS_EXPR_DERIVATIVE_CELLS_H
#define DPS_EXPR_DERIVATIVE_CELLS_H

#define ADD(a, b) BINARY(ADD, a, b)
#define SUB(a, b) BINARY(SUB, a, b)
#define MUL(a, b) BINARY(MUL, a, b)
#define DIV(a, b) BINARY(DIV, a, b)
#define POW(a, b) BINARY(POW, a, b)
#define NEG(a) UNARY(NEG, a)
#define SQR(a) UNARY(SQR, a)
#define SQRT(a) UNARY(SQRT, a)
#define EXP(a) UNARY(EXP, a)
#define LN(a) UNARY(LN, a)
#define SIN(a) UNARY(SIN, a)
#define COS(a) UNARY(COS, a)
#define TAN(a) UNARY(TAN, a)
#define COT(a) UNARY(COT, a)
#define SINH(a) UNARY(SINH, a)
#define COSH(a) UNARY(COSH, a)
#define TANH(a) UNARY(TANH, a)
#define MEAN_EXP_1(a) UNARY(MEAN_EXP_1, a)
#define MEAN_EXP_2(a) UNARY(MEAN_EXP_2, a)
#define MEAN_COS_1(a) UNARY(MEAN_COS_1, a)
#define MEAN_COS_2(a) UNARY(MEAN_COS_2, a)
#define SIGN(a) UNARY(SIGN, a)
#define TRUNC(a) UNARY(TRUNC, a)

/* Derivatives without an operation of their own, by parts (num/mean.c) from what they are the
 * derivative of; not at 0, unless the includer knows better. */
#ifndef MEAN_EXP_3
#define MEAN_EXP_3(x, second) DIV(SUB(EXP(x), MUL(NUM(3), second)), x)
#define MEAN_COS_3(x, second) DIV(NEG(ADD(COS(x), MUL(NUM(3), second))), x)
#endif

#endif							/* DPS_EXPR_DERIVATIVE_CELLS_H */
