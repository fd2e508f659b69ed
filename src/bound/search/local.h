/*
 * local.h
 *		Hill climbing with GSL's minimisers: proposes witnesses, proves
 *		nothing.
 */
#ifndef DPS_BOUND_SEARCH_LOCAL_H
#define DPS_BOUND_SEARCH_LOCAL_H

#include "expr/program.h"

/*
 * A maximisation over n of the program's variables.  Output 0 is the value,
 * output slope + k its derivative by variable[k]; slope = 0 if the program has
 * no derivatives.  All memory is the caller's.
 */
typedef struct DpsClimb
{
	const DpsProgram *program;
	DpsArena   *arena;			/* counts the work */
	int			slope;
	int			n;
	const int  *variable;
	const double *lo;			/* n ends each, finite */
	const double *hi;
	double	   *point;			/* a value for each of the program's
								 * variables; the climb starts here and leaves
								 * the best point here */
	double	   *scratch;		/* dps_scratch_size doubles */
	double	   *outputs;		/* one for each output */
	double	   *work;			/* n doubles */
	int			values;			/* asked for in this climb */
} DpsClimb;

/*
 * Moves the point to a better one of the box if it finds any.  DPS_NOMEM if
 * GSL has no memory.
 */
extern DPS_MUST_USE DpsStatus dps_climb(DpsClimb *climb);

#endif							/* DPS_BOUND_SEARCH_LOCAL_H */
