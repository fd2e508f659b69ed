/*
 * limit_ladder.h
 *		What limits of rows per person would leave out, and what noise they would add.
 */
#ifndef DPS_GLUE_SETUP_LIMIT_LADDER_H
#define DPS_GLUE_SETUP_LIMIT_LADDER_H

#include "postgres.h"

/* A rung of the ladder: a limit, and beside it the persons of whom there are more rows than the rung
 * below has, and no more than this one. */
typedef struct DpsLimitRung
{
	int32		limit;
	double		persons;		/* noised, of this rung alone */
	double		share_of_persons;	/* all of whose rows would count */
	double		share_of_rows;	/* that would count */
	double		rows_left_out;
	double		noise;			/* of a count of all rows: root of its mean square */
	double		error;			/* root of the mean square of noise and left out rows together */
	bool		is_best;
} DpsLimitRung;

/* The ladder up to a limit, itself included; 0: up to the largest that can be declared.  Public. */
extern DpsLimitRung *dps_limit_ladder(int32 limit, int *n);

/*
 * What is said of each rung follows from the persons of all of them.  scale: of their noise.  epsilon: of the answers that the limits are for, in (0, 64].  False, and no more
 * than noise is known, if no person is left.
 */
extern bool dps_weigh_limits(DpsLimitRung *rungs, int n, double scale, double epsilon);

#endif							/* DPS_GLUE_SETUP_LIMIT_LADDER_H */
