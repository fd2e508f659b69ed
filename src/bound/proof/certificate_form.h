/*
 * certificate_form.h
 *		Between the files of certificates: enclosures cut by affine forms.
 */
#ifndef DPS_BOUND_PROOF_CERTIFICATE_FORM_H
#define DPS_BOUND_PROOF_CERTIFICATE_FORM_H

#include "bound/proof/certificate_box.h"

/* Are a claim's enclosures of this form cut by affine forms? */
static inline bool
dps_form_is_affine(DpsClaimForm form)
{
	return form == DPS_FORM_AFFINE || form == DPS_FORM_SCORED_AFFINE;
}

/* outputs are the nodes of on_boxes.  DPS_UNABLE if the expression has too many
 * columns. */
extern DPS_MUST_USE DpsStatus dps_prover_forms_init(DpsProver *prover, DpsGraph *graph, DpsArena *arena,
													const DpsNode *const *outputs);

/* Cuts the enclosures of the outputs over the region, on which the expression is
 * defined, continuous and never NULL. */
extern void dps_prover_tighten(DpsProver *prover, const DpsDomain *region);

#endif							/* DPS_BOUND_PROOF_CERTIFICATE_FORM_H */
