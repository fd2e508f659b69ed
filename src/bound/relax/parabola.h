/*
 * parabola.h
 *		Parabolas close to functions of one argument.
 */
#ifndef DPS_BOUND_PARABOLA_H
#define DPS_BOUND_PARABOLA_H

#include "expr/program.h"

/* a + b t + c t^2 in t = x - middle; off by at most `off` */
typedef struct DpsParabola
{
	double		middle;
	double		coefficient[3];
	double		off;
} DpsParabola;

/*
 * A parabola for an operation over a range: for DPS_OP_POW the power of a
 * constant exponent, for DPS_OP_DIV the inverse of its argument.  False if the
 * operation has no third derivative there, or none is known.
 */
extern bool dps_parabola(DpsOpcode op, DpsInterval exponent, DpsInterval range, DpsParabola *parabola);

#endif							/* DPS_BOUND_PARABOLA_H */
