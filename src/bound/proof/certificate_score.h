/*
 * certificate_score.h
 *		Between the files of certificates: claims over one variable more.
 */
#ifndef DPS_BOUND_CERTIFICATE_SCORE_H
#define DPS_BOUND_CERTIFICATE_SCORE_H

#include "bound/proof/certificate.h"

/* The graph's variable n, which is none of its n columns, as this type has it. */
extern DPS_MUST_USE DpsStatus dps_claim_variable(DpsGraph *graph, int n, DpsType type, const DpsNode **node);

/* Puts a variable in the place of a score of the claim's expression; DPS_UNABLE
 * if there is none. */
extern DPS_MUST_USE DpsStatus dps_claim_score(DpsGraph *graph, DpsClaim *claim);

/* Puts one in the place of a sum's terms that do not depend on the columns of a
 * mask; *scored is the node with it. */
extern DPS_MUST_USE DpsStatus dps_claim_score_but(DpsGraph *graph, DpsClaim *claim, const DpsNode *node, uint64_t but,
												  const DpsNode **scored);

#endif							/* DPS_BOUND_CERTIFICATE_SCORE_H */
