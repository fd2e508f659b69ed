/*
 * certificate_turn.h
 *		Between the files of certificates: columns with phases.
 */
#ifndef DPS_BOUND_PROOF_CERTIFICATE_TURN_H
#define DPS_BOUND_PROOF_CERTIFICATE_TURN_H

#include "bound/proof/certificate_box.h"

/* Gives columns of the claim phases, as further dimensions; DPS_UNABLE if there is none that
 * goes through many periods. */
extern DPS_MUST_USE DpsStatus dps_claim_turn(DpsGraph *graph, DpsClaim *claim);

/* The claim's phase of the column; NULL if there is none. */
extern const DpsPhase *dps_claim_phase(const DpsClaim *claim, int column);

/* Has the region a phase of this column? */
static inline bool
dps_has_phase(const DpsPhase *phase, const DpsDomain *region)
{
	return region[phase->dimension].nullness == DPS_NEVER_NULL;
}

/* The part of the column's range that has the region's phase, rounded outward; empty if no
 * value has. */
extern DpsInterval dps_range_of_phase(const DpsPhase *phase, const DpsDomain *region);

/* Is there a column of which no value has the region's phase? */
extern bool dps_lacks_phase(const DpsClaim *claim, const DpsDomain *region);

/* Ends the phase of a region, whose column is from now on between these ends. */
extern void dps_end_phase(const DpsPhase *phase, DpsDomain *region, double lo, double hi);

/*
 * The provers of a claim, one for each set of phases that a region may have.
 */
typedef struct DpsProvers
{
	const DpsClaim *claim;
	DpsArena   *arena;
	DpsClaim	view[1 << DPS_MAX_PHASES];	/* the claim with these phases */
	DpsProver	prover[1 << DPS_MAX_PHASES];
	bool		made[1 << DPS_MAX_PHASES];
} DpsProvers;

/* Lives in the arena. */
extern DPS_MUST_USE DpsStatus dps_provers_init(DpsProvers **provers, DpsArena *arena, const DpsClaim *claim);

/* The prover for the region. */
extern DPS_MUST_USE DpsStatus dps_choose_prover(DpsProvers *provers, const DpsDomain *region, DpsProver **prover);

#endif							/* DPS_BOUND_PROOF_CERTIFICATE_TURN_H */
