/*
 * parabola.h
 *		Parabolas close to functions of one argument.
 */
#ifndef DPS_BOUND_RELAX_PARABOLA_H
#define DPS_BOUND_RELAX_PARABOLA_H

#include "bound/relax/function.h"

/* a + b t + c t^2 in t = x - middle; off by at most `off` */
typedef struct DpsParabola
{
	double		middle;
	double		coefficient[3];
	double		off;
} DpsParabola;

/* A parabola for a function over a range.  False if it has no third derivative
 * there, or none is known. */
extern bool dps_parabola(const DpsFunction *function, DpsInterval range, DpsParabola *parabola);

#endif							/* DPS_BOUND_RELAX_PARABOLA_H */
