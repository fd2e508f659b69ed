/*
 * moment_focus.h
 *		The sum over rows that a statistic of second moments turns on, and those
 *		that are measured beside it.
 *
 * Knows nothing of the server, so that the unit tests can run it.  What is chosen
 * is chosen from outputs with noise; the bound of the sums holds whatever was
 * chosen.
 */
#ifndef DPS_MOMENT_MOMENT_FOCUS_H
#define DPS_MOMENT_MOMENT_FOCUS_H

#include "moment/moment_beside.h"
#include "moment/moment_box.h"

/* What is asked of moments: a function of moment_box.h and its arguments. */
typedef struct DpsMomentQuestion
{
	DpsStatus	(*evaluate) (const DpsMomentBox *box, DpsInterval *result);
	int			npicks;
	const int16_t *pick;
} DpsMomentQuestion;

/* The standard deviation of the noise of each output: of those that are known, and
 * of those that could be drawn again. */
typedef struct DpsMomentNoise
{
	double		first;
	double		second;
} DpsMomentNoise;

typedef struct DpsMomentFocus
{
	int			nsums;			/* from 1 to DPS_MOMENT_SUMS; more than 1 only of two
								 * values or less */
	int64_t		weight[DPS_MOMENT_SUMS][DPS_MAX_MOMENTS];	/* of the moments */
	double		along[DPS_MOMENT_SUMS][DPS_MAX_MOMENTS];	/* of the outputs */
	uint64_t	bound;			/* no row changes the sums by more, in the 1-norm
								 * of all of them */
} DpsMomentFocus;

/* The rest of a focus of which the number of sums and their weights are set. */
extern void dps_moment_focus_complete(const DpsMomentDesign *design, const DpsMomentBasis *basis, DpsMomentFocus *focus);

/*
 * Would the statistic err by less with sums than with all outputs once more?  The
 * noise of each sum is that of an output, second, times bound / magnitude.  Where the
 * norm is not 1 there is one sum.  *error is about the standard deviation of what is
 * better, infinite if the statistic does not exist near these outputs.
 */
extern bool dps_moment_focus_choose(const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm,
									const DpsMomentQuestion *question, const double *output,
									const DpsMomentNoise *noise, DpsMomentFocus *focus, double *error);

/* Outputs by least squares, of those with noise of deviation `first` and of the sums,
 * found to be `measured` with noise of deviation `second`. */
extern void dps_moment_refine(const DpsMomentFocus *focus, int noutputs, const double *measured, double first, double second,
							  double *output);

#endif							/* DPS_MOMENT_MOMENT_FOCUS_H */
