/*
 * fitted.h
 *		Answers of grouping sets, made to add up.
 */
#ifndef DPS_AGG_FAMILIES_FITTED_H
#define DPS_AGG_FAMILIES_FITTED_H

#include "postgres.h"

#include "moment/crossed/crossed_family.h"

#define DPS_FIT_VERSION 0x0603

#define DPS_FIT_LEVELS 32
#define DPS_FIT_KEYS 32

/*
 * The sets whose answers are fitted, as a constant of the plan: a group's number within its set counts the combinations of the
 * set's keys, the last of which changes first.
 */
typedef struct DpsFitPlan
{
	int32		vl_len_;
	uint32		version;
	int32		nlevels;		/* sets, those with fewer keys first */
	int32		nkeys;
	int32		step_bits;		/* answers become multiples of 2^step_bits, in units of their grid; -1: of the step of
								 * their noise */
	int32		reserved;		/* 0 */
	int32		values[DPS_FIT_KEYS];	/* of each key */
	uint32		keys[DPS_FIT_LEVELS];	/* of each set, as bits */
	int32		release[DPS_FIT_LEVELS];	/* of each set, the number of its release in the statement */
	double		factor[DPS_FIT_LEVELS];	/* of epsilon, of each set, where sets share it (moment/nested_shares.h,
									 * moment/crossed/crossed_shares.h) */
} DpsFitPlan;

/* The plan that a value of type dpsens_internal.plan holds; raises if its bytes are not one. */
extern const DpsFitPlan *dps_fit_of_datum(Datum datum);

/* The number of groups of a set. */
extern int64 dps_fit_groups(const DpsFitPlan *plan, int level);

/* Are each set's keys among those of the next? */
extern bool dps_fit_is_nested(const DpsFitPlan *plan);

/* The sets of a plan; NULL if they are too large for a fit. */
extern DpsCrossedFamily *dps_fit_family(const DpsFitPlan *plan);

#endif							/* DPS_AGG_FAMILIES_FITTED_H */
