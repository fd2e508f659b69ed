/*
 * contract.h
 *		Boxes cut by what affine forms say about them.
 */
#ifndef DPS_BOUND_CONTRACT_H
#define DPS_BOUND_CONTRACT_H

#include "bound/relax/affine.h"

/*
 * Leaves of each dimension of `box` the part in which the form may lie between
 * the ends of `wanted`; false if there is none.  The form was made over `whole`,
 * of which the box is a part.
 */
extern bool dps_contract(const DpsForm *form, int n, const DpsDomain *whole, DpsDomain *box, DpsInterval wanted);

/*
 * An upper bound of the form where another one lies in `within`, which may be
 * lower than its own.  *relaxed is a form that is not below it there, with that
 * upper bound.
 */
extern double dps_bound_within(const DpsForm *form, const DpsForm *other, DpsInterval within, int n, DpsForm *relaxed);

#endif							/* DPS_BOUND_CONTRACT_H */
