/*
 * contract.h
 *		Cuts boxes by affine forms.
 */
#ifndef DPS_BOUND_RELAX_CONTRACT_H
#define DPS_BOUND_RELAX_CONTRACT_H

#include "bound/relax/affine.h"

/*
 * Narrows each dimension of `box` to the part in which the form may lie in
 * `wanted`; false if there is none.  The form was made over `whole`, which
 * contains the box.
 */
extern bool dps_contract(const DpsForm *form, int n, const DpsDomain *whole, DpsDomain *box, DpsInterval wanted);

/*
 * An upper bound of the form where another form lies in `within`; it may be
 * lower than the form's own.  *relaxed is a form with that upper bound that is
 * not below the first form there.
 */
extern double dps_bound_within(const DpsForm *form, const DpsForm *other, DpsInterval within, int n, DpsForm *relaxed);

#endif							/* DPS_BOUND_RELAX_CONTRACT_H */
