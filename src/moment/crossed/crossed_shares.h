/*
 * crossed_shares.h
 *		How grouping sets of any kind share epsilon.
 */
#ifndef DPS_MOMENT_CROSSED_CROSSED_SHARES_H
#define DPS_MOMENT_CROSSED_CROSSED_SHARES_H

#include "moment/crossed/crossed_family.h"

/*
 * Factors of epsilon for the sets of a family whose fit is asked for (crossed.h).  The factors add up to the number of sets at
 * most, and so do their squares; none is 0.  All are 1 if no others are found that do better.
 */
extern void dps_share_crossed(const DpsCrossedFamily *family, double *factors);

#endif							/* DPS_MOMENT_CROSSED_CROSSED_SHARES_H */
