/*
 * loss_chords.h
 *		The loss by one release as a function of a row's sensitivity, quick to
 *		read for a million rows.
 *
 * To bound a loss exactly takes longer than to evaluate the row.  Both losses
 * kept here are convex in the sensitivity (of noise in steps from the step on, which is a power of
 * two and so among the bounds; less than a step is no loss), so the chord between two bounds is a
 * bound: it is read between neighbours that differ by at most one part in
 * 2^DPS_CHORD_BITS, which makes it too large by about one part in ten millions at most.  Bounds
 * are computed when they are first needed; what is answered does not depend on
 * what was asked before.
 */
#ifndef DPS_AUDIT_LOSS_CHORDS_H
#define DPS_AUDIT_LOSS_CHORDS_H

#include "postgres.h"

#include "noise/mechanism.h"

#define DPS_CHORD_BITS 11
#define DPS_CHORDS (1 << DPS_CHORD_BITS)	/* between powers of two */

typedef enum DpsRowLossKind
{
	DPS_LOSS_RDP,				/* of Laplace noise; parameter: order */
	DPS_LOSS_EPSILON			/* of Gaussian noise; parameter: delta, above 0 */
} DpsRowLossKind;

typedef struct DpsLossChords
{
	MemoryContext memory;		/* of this and the values */
	DpsRowLossKind kind;
	uint64		scale;			/* of the noise */
	uint64		step;
	double		parameter;
	double		most;			/* at the sensitivity of the release */
	double	   *values[64];		/* at 2^k (1 + i / DPS_CHORDS), NaN if not known
								 * yet; the last one is 2^(k+1) */
	double		slack[64];		/* of Gaussian noise, see loss_chords.c */
	double		least[64];
} DpsLossChords;

/* Chords for sensitivities up to that of the release. */
extern DpsLossChords *dps_chords_make(DpsRowLossKind kind, uint64 scale, uint64 step, uint64 sensitivity, double parameter,
									  MemoryContext parent);

/* An upper bound at a sensitivity that is not 0. */
extern double dps_chords_read(DpsLossChords *chords, uint64 sensitivity);

#endif							/* DPS_AUDIT_LOSS_CHORDS_H */
