/*
 * loss_grid.h
 *		The distribution of one release's privacy loss, on a grid and tilted.
 *
 * The loss is ln P(o)/Q(o) of the outcome o ~ P, for the pair of neighbouring
 * output distributions P, Q that is hardest to hide.  Masses stand at whole
 * multiples of the step 2^-shift, as upper bounds of a distribution that is at
 * least as hard to hide; mass at index i is multiplied by
 * exp(tilt * i * step - norm), and i counts modulo size.
 */
#ifndef DPS_ACCOUNT_ACCOUNTANT_LOSS_GRID_H
#define DPS_ACCOUNT_ACCOUNTANT_LOSS_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "account/fold.h"
#include "account/history.h"

typedef enum DpsLossLaw
{
	DPS_LOSS_RESPONSE,			/* randomised response: all epsilon-DP */
	DPS_LOSS_LAPLACE,			/* discrete Laplace, one integer, perhaps in steps */
	DPS_LOSS_LATTICE,			/* discrete Gaussian, one integer, small scale */
	DPS_LOSS_NORMAL,			/* continuous Gaussian */
	DPS_LOSS_REMOVED,			/* continuous Gaussian on a secret sample; P has
								 * the row that may be in it */
	DPS_LOSS_ADDED				/* the same where Q has it */
} DpsLossLaw;

/* `count` independent copies of one loss. */
typedef struct DpsLossPart
{
	DpsLossLaw kind;
	uint64_t	count;
	uint64_t	scale;			/* Laplace, lattice */
	uint64_t	sensitivity;	/* Laplace, lattice; >= 1 */
	uint64_t	step;			/* Laplace; >= 1, and the sensitivity is a
								 * multiple of it */
	double		size;			/* epsilon of a response or Laplace, mu of a
								 * Gaussian; > 0 */
	double		rate;			/* of a sample, between 0 and 1 */
} DpsLossPart;

typedef struct DpsLossGrid
{
	double	   *masses;			/* size, 0 at the beginning */
	size_t		size;
	int			shift;			/* >= 0 */
	double		step;			/* 2^-shift */
	double		tilt;			/* > 0 */
	double		norm;
	double		probe;			/* > 0 */
	double		probe_sum;		/* sum of masses * exp(probe * loss), rounded up */
	double		infinite;		/* mass, not tilted, of infinite loss, rounded up */
} DpsLossGrid;

/* Above this scale, or for several integers, Gaussian noise is folded. */
#define DPS_LATTICE_SCALE_MAX 4096
#define DPS_LATTICE_SENSITIVITY_MAX ((uint64_t) 1 << 20)

/* ln of the mean of exp(lambda * loss), lambda > 0, in plain doubles: for
 * choosing the grid. */
extern double dps_loss_cumulant(const DpsLossPart *part, double lambda);

/* The largest loss of a bounded kind; 0 for Gaussians. */
extern double dps_loss_largest(const DpsLossPart *part);

/* Adds the part's masses (once).  DPS_UNABLE if the grid is too fine for it. */
extern DPS_MUST_USE DpsStatus dps_loss_fill(const DpsLossPart *part, DpsLossGrid *grid);

#endif							/* DPS_ACCOUNT_ACCOUNTANT_LOSS_GRID_H */
