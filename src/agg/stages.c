/*
 * stages.c
 *		Releases in two stages: a rough look at everything, then a measurement of
 *		what the answer turns on.
 *
 * A mean, a variance or a slope is a function of sums over rows.  To first order
 * it errs as one sum does, that of its influence on each row; but which sum that
 * is depends on the data.  So a share of the loss goes to a release of all sums.
 * From it, and from nothing else, follows one sum to be released with the rest
 * of the loss, alone or with others beside it, if the first was precise enough.  The idea is that of one-step
 * estimation (Le Cam 1956; Bickel 1975); for private means that of Biswas, Dong,
 * Kamath and Ullman (2020), for whom each step narrows the next one's range.
 *
 * Precondition: adjacency is add_remove.  What is released in a stage, given
 * all that was released before it, are sums over rows; the sensitivity of the
 * first stage's is `l` in the mechanism's norm, over all groups and for whole
 * units.  In the second stage it is as follows.  Let one row change the first
 * stage's sums of its group by at most `base`, and l be at least f base for the
 * factor f by which a unit of several rows changes sums more than one row does
 * (definitions, section 2; it is the same for any sums of one row's group).
 *
 * Postcondition: with t1 calibrated to one of k shares of the loss,
 *
 * 1-norm: l / t1 <= floor(a / k) 2^-40 for the epsilon a 2^-40, and l / t2 <= (a -
 *		floor(a / k)) 2^-40; both together cost at most epsilon (adaptive
 *		composition: account/accountant/compose.c).
 * 2-norm: k = 10, l^2 / 2 t1^2 <= rho / 10.  t2 = ceil(t1 / 3), so l^2 / 2 t2^2 <= 9 l^2 / 2
 *		t1^2, and both together cost at most rho (adaptive composition of zCDP: Bun
 *		and Steinke 2016, Lemma 2.3).
 *
 * Integers that one row changes by at most b >= base, in the norm of all of them, get the scale
 * t = ceil(b t2 / base) in place of t2: a unit changes them by at most f b, norms being
 * homogeneous and obeying the triangle inequality, and f b / t <= f base / t2 <= l / t2.
 * That is so for any such b and any number of integers, so these may depend on what the first
 * stage released.  And t >= t2: at the same quotient noise of a larger scale costs no more, at
 * any order (account/accountant/rdp.c).  So l and t2 say what the second stage costs at most,
 * whatever b is, which is a function of what the first stage released.
 *
 * Where scales would pass 2^62 the release has one stage; that depends on
 * epsilon and l alone.
 */
#include "postgres.h"

#include <math.h>

#include "agg/family.h"
#include "agg/stages.h"
#include "noise/sample.h"

/* In the 2-norm: one of ten shares and the others, which are a square. */
#define SHARES_2 10
#define ROOT_2 3

/* A generous upper bound of scale * epsilon / l, for delta from 1e-300 on. */
#define SCALE_FACTOR 512.0

/* Each stage has a scale.  Half of epsilon must be in range, too; the second stage has more
 * than half. */
static bool
can_split(const DpsRelease *release, uint64 l, double epsilon)
{
	return release->adjacency == DPS_ADD_REMOVE && l > 0 && epsilon >= 2.0 * DPS_EPSILON_MIN && (double) l * SCALE_FACTOR / epsilon < 0x1p61;
}

/* The target of either stage; in the 2-norm they are the same. */
static DpsTarget
stage_target(const DpsTarget *target, const DpsMechanism *mechanism, int shares, bool second)
{
	DpsTarget	stage = *target;
	uint64_t	a;

	stage.shares = mechanism->norm == 1 ? shares : SHARES_2;
	if (second && mechanism->norm == 1 && dps_epsilon_ratio(target->epsilon, &a) == DPS_OK)
	{
		stage.epsilon = ldexp((double) (a - a / (uint64_t) shares), -40);
		stage.shares = 1;
	}
	return stage;
}

bool
dps_plan_stages(const DpsRelease *release, uint64 l, int shares, int joined, DpsNoisePlan *plan)
{
	DpsNoisePlan both = *plan;
	DpsTarget	whole = dps_target(release, plan, 1);
	DpsTarget	first = stage_target(&whole, plan->mechanism, shares, false);
	DpsTarget	second = stage_target(&whole, plan->mechanism, shares, true);
	int			root = plan->mechanism->norm == 1 ? 1 : ROOT_2;

	StaticAssertStmt(SHARES_2 - 1 == ROOT_2 * ROOT_2, "the other shares must be a square");
	if (!can_split(release, l, plan->epsilon) || dps_noise_plan_add(&both, &first, 1, l, joined) != DPS_OK ||
		dps_noise_plan_add(&both, &second, root, l, joined) != DPS_OK)
		return false;
	*plan = both;
	return true;
}

uint64
dps_focused_scale(const DpsNoisePlan *plan, uint64 bound, uint64 base)
{
	uint64		scale = dps_whole_ratio((unsigned __int128) bound * plan->coordinate[1].scale, base);

	return bound < base || scale >= DPS_SCALE_LIMIT ? 0 : scale;
}
