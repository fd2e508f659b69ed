/*
 * joint.h
 *		Certified bounds of vectors of row expressions, in the 1-, 2- and maximum
 *		norm: how large, how far apart, how steep.
 *
 * The norm is that of the vector as a whole, which may be much less than the
 * sum of what its entries allow: (x, 1 - x) on [0, 1] is never longer than 1
 * in the 1-norm.
 *
 * A row has a vector where all entries have a value; suprema are over these
 * rows.  The caller decides what a row without a vector adds.
 */
#ifndef DPS_BOUND_VECTOR_JOINT_H
#define DPS_BOUND_VECTOR_JOINT_H

#include "bound/quantity/bound.h"

#define DPS_MAX_ENTRIES 16

/* One vector and what is known of it so far.  Lives in the graph's arena;
 * entries and box must outlive it. */
typedef struct DpsJoint
{
	DpsGraph   *graph;
	const DpsDomain *box;
	const DpsPolicy *policy;
	DpsBoundOptions options;
	int			n;
	const DpsNode *entry[DPS_MAX_ENTRIES];	/* double precision */
	const DpsNode *valid;		/* NULL where the vector is; NULL pointer if it
								 * never is */

	bool		has_ends;
	DpsBracket	infimum[DPS_MAX_ENTRIES];
	DpsBracket	supremum[DPS_MAX_ENTRIES];
	bool		has_slopes;
	DpsBracket	slope[DPS_MAX_ENTRIES];
} DpsJoint;

/*
 * A bracket as that of dps_supremum, without a culprit if the entries are
 * finite and their norm is not.  If the norm is attained by two rows, they are
 * witness and other; otherwise other equals witness.  `loose`: it is wider than
 * the tolerance although the search was not `exhausted`.
 */
typedef struct DpsJointBracket
{
	DpsBracket	bracket;
	DpsPoint	other;
	bool		loose;
} DpsJointBracket;

/* DPS_UNABLE for no entries or more than DPS_MAX_ENTRIES. */
extern DPS_MUST_USE DpsStatus dps_joint_init(DpsJoint *joint, DpsGraph *graph, const DpsNode *const *entries, int n,
											 const DpsDomain *box, const DpsPolicy *policy,
											 const DpsBoundOptions *options);

/* sup ||f(x)|| */
extern DPS_MUST_USE DpsStatus dps_joint_magnitude(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result);

/* sup ||f(x) - f(x')|| over pairs of rows */
extern DPS_MUST_USE DpsStatus dps_joint_diameter(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result);

/* The same over pairs of rows that differ in one column only. */
extern DPS_MUST_USE DpsStatus dps_joint_attribute(DpsJoint *joint, int variable, DpsGradientNorm norm,
												  DpsJointBracket *result);

/*
 * The Lipschitz constant: sup of the norm of the Jacobian as an operator from
 * the weighted Euclidean distance of private columns to the norm of vectors.
 * Refused where dps_lipschitz refuses an entry.
 */
extern DPS_MUST_USE DpsStatus dps_joint_lipschitz(DpsJoint *joint, DpsGradientNorm norm, DpsJointBracket *result);

#endif							/* DPS_BOUND_VECTOR_JOINT_H */
