/*
 * certificate_box.h
 *		What one enclosure proves about a claim on a region.
 */
#ifndef DPS_BOUND_PROOF_CERTIFICATE_BOX_H
#define DPS_BOUND_PROOF_CERTIFICATE_BOX_H

#include "bound/proof/certificate.h"

typedef struct DpsProver
{
	const DpsClaim *claim;
	const DpsProgram *on_boxes; /* the expression, the guards, the slopes */
	const DpsProgram *at_points;	/* the expression and the guards */
	const DpsProgram *at_witness;	/* the same without a score */
	const DpsProgram *cover;	/* NULL if there is none */
	DpsEnclosure *box;
	DpsEnclosure *point;
	DpsEnclosure *covered;
	bool		sloped;
	DpsEnclosure slope[DPS_CLAIM_DIMENSIONS];	/* where the expression has a value */
	int			nothers;		/* second forms of slopes, after these */
	int			other_of[DPS_CLAIM_DIMENSIONS];	/* the dimension of each */
	bool		failed;			/* memory ran out on the way */
	struct DpsProverForms *forms;	/* NULL if the claim's form has none */
	uint64_t   *variables;		/* dependencies of each instruction of on_boxes */
	bool	   *meets;			/* whether the branches of a CASE meet */
	bool	   *steady;			/* whether each instruction moves without a jump */
} DpsProver;

/* The prover lives in the arena. */
extern DPS_MUST_USE DpsStatus dps_prover_init(DpsProver *prover, DpsArena *arena, const DpsClaim *claim);

/* Encloses the expression on a region.  The functions below, except those of
 * points, are about the region that was enclosed last. */
extern void dps_prover_enclose(DpsProver *prover, const DpsDomain *region);

/* Are the expression and the guards proved defined and finite? */
extern bool dps_prover_defined(const DpsProver *prover);

/* Is the expression or a guard always NULL? */
extern bool dps_prover_valueless(const DpsProver *prover);

/* Is it continuous, never NULL and with slopes? */
extern bool dps_prover_smooth(const DpsProver *prover);

/* The slope in a dimension; NULL if there is none all over the region. */
extern const DpsInterval *dps_prover_slope(const DpsProver *prover, int k);

/* Is the expression greatest where dimension k is at its upper or lower end? */
extern bool dps_prover_monotone(const DpsProver *prover, const DpsDomain *region, int k, bool rising);

/* Upper bounds; the mean value form is Infinity where it does not apply. */
extern double dps_prover_interval(const DpsProver *prover);
extern double dps_prover_mean_value(DpsProver *prover, const DpsDomain *region, const double *centre);

/* Upper bounds by the cover, where the guards are defined, and by the
 * quadratic form; Infinity where there is none. */
extern double dps_prover_cover(DpsProver *prover, const DpsDomain *region);
extern double dps_prover_quadratic(DpsProver *prover);

/* Does the guard move without a jump in the private variables? */
extern bool dps_prover_steady(DpsProver *prover);

extern bool dps_prover_witness(DpsProver *prover, const double *x, DpsInterval *value);

#endif							/* DPS_BOUND_PROOF_CERTIFICATE_BOX_H */
