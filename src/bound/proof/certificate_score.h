/*
 * certificate_score.h
 *		Between the files of certificates: claims over one variable more.
 */
#ifndef DPS_BOUND_PROOF_CERTIFICATE_SCORE_H
#define DPS_BOUND_PROOF_CERTIFICATE_SCORE_H

#include "bound/proof/certificate.h"

/* The graph's variable n, beyond its n columns, as a node of this type. */
extern DPS_MUST_USE DpsStatus dps_claim_variable(DpsGraph *graph, int n, DpsType type, const DpsNode **node);

/* Replaces a score of the claim's expression by a variable; DPS_UNABLE if there
 * is none. */
extern DPS_MUST_USE DpsStatus dps_claim_score(DpsGraph *graph, DpsClaim *claim);

/* Replaces the terms of a sum that do not depend on the columns of the mask
 * `but` by a variable; *scored is the new node. */
extern DPS_MUST_USE DpsStatus dps_claim_score_but(DpsGraph *graph, DpsClaim *claim, const DpsNode *node, uint64_t but,
												  const DpsNode **scored);

#endif							/* DPS_BOUND_PROOF_CERTIFICATE_SCORE_H */
