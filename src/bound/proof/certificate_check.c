/*
 * certificate_check.c
 *		Checks a proof in one pass, one enclosure a face or box.
 *
 * Regions are computed from the claim's root and the cuts, never read from the
 * proof.  The two parts of a cut cover its region; a region that is replaced
 * by a face has its greatest value there; a box must be the region that is
 * left.  By induction from the last step to the first, the greatest bound of
 * the boxes is a bound of the root.
 */
#include <math.h>
#include <string.h>

#include "bound/proof/certificate_turn.h"

/* An enclosure may differ where the library's functions round differently.
 * The enclosure that is computed here decides. */
#define AGREEMENT 1e-9

#define STEPS_BETWEEN_STOPS 64

/* Regions that no step has dealt with yet.  A column that a face has moved is a
 * point in `domain` and keeps its range in `covered`; it cannot be cut any more.
 * All other columns are the same in both. */
typedef struct Region
{
	struct Region *below;
	DpsDomain  *covered;		/* after the domain */
	DpsDomain	domain[];
} Region;

typedef struct Check
{
	const DpsClaim *claim;
	const DpsProof *proof;
	DpsCertificateVerdict *verdict;
	DpsArena   *arena;			/* of this check alone */
	DpsProvers *provers;
	DpsProver  *prover;			/* of the region at hand */
	Region	   *stack;
	Region	   *unused;
} Check;

static void
find_flaw(Check *check, DpsFlaw flaw, double stated, double found)
{
	check->verdict->flaw = flaw;
	check->verdict->stated = stated;
	check->verdict->found = found;
}

static Region *
push_region(Check *check, const DpsDomain *domain, const DpsDomain *covered)
{
	size_t		size = sizeof(DpsDomain) * check->claim->ndimensions;
	Region	   *region = check->unused;

	if (region != NULL)
		check->unused = region->below;
	else
		region = dps_arena_alloc(check->arena, sizeof(Region) + 2 * size);
	if (region == NULL)
		return NULL;
	region->covered = region->domain + check->claim->ndimensions;
	memcpy(region->domain, domain, size);
	memcpy(region->covered, covered, size);
	region->below = check->stack;
	check->stack = region;
	return region;
}

static Region *
pop_region(Check *check)
{
	Region	   *region = check->stack;

	check->stack = region->below;
	return region;
}

/* A cut must leave a part on either side. */
static bool
can_cut(const Check *check, const DpsStep *step, const DpsDomain *domain)
{
	/* whether a column is NULL is public */
	if (step->kind == DPS_STEP_CUT_NULL)
		return domain->nullness == DPS_MAYBE_NULL;
	if (!dps_claim_cuts(check->claim, step->variable))
		return false;
	if (domain->nullness == DPS_ALWAYS_NULL || !(step->at < domain->hi))
		return false;
	return domain->integral ? step->at == rint(step->at) && domain->lo <= step->at : domain->lo < step->at;
}

static DpsStatus
follow_cut(Check *check, const DpsStep *step, Region *region)
{
	Region	   *above;
	Region	   *below;
	int			k = step->variable;

	if (k < 0 || k >= check->claim->ndimensions || !can_cut(check, step, &region->domain[k]))
	{
		find_flaw(check, DPS_FLAW_CUT, step->at, 0);
		return DPS_OK;
	}
	above = push_region(check, region->domain, region->covered);
	below = above == NULL ? NULL : push_region(check, region->domain, region->covered);
	if (below == NULL)
		return DPS_NOMEM;
	if (step->kind == DPS_STEP_CUT_NULL)
	{
		below->domain[k].nullness = DPS_NEVER_NULL;
		above->domain[k].nullness = DPS_ALWAYS_NULL;
	}
	else
	{
		below->domain[k].hi = step->at;
		above->domain[k].lo = region->domain[k].integral ? step->at + 1 : step->at;
	}
	below->covered[k] = below->domain[k];
	above->covered[k] = above->domain[k];
	return DPS_OK;
}

static DpsStatus
follow_face(Check *check, const DpsStep *step, Region *region)
{
	Region	   *face;
	int			k;

	DPS_TRY(dps_choose_prover(check->provers, region->domain, &check->prover));
	dps_prover_enclose(check->prover, region->domain);
	if (!dps_prover_defined(check->prover))
	{
		find_flaw(check, DPS_FLAW_UNDEFINED, 0, 0);
		return DPS_OK;
	}
	face = push_region(check, region->domain, region->covered);
	if (face == NULL)
		return DPS_NOMEM;
	for (k = 0; k < check->claim->ndimensions; k++)
	{
		bool		to_lo = step->to_lo & (UINT64_C(1) << k);
		bool		to_hi = step->to_hi & (UINT64_C(1) << k);

		if (!to_lo && !to_hi)
			continue;
		if ((to_lo && to_hi) || !dps_prover_smooth(check->prover) ||
			!dps_prover_monotone(check->prover, region->domain, k, to_hi))
		{
			find_flaw(check, DPS_FLAW_FACE, 0, 0);
			return DPS_OK;
		}
		if (to_hi)
			face->domain[k].lo = face->domain[k].hi;
		else
			face->domain[k].hi = face->domain[k].lo;
	}
	return DPS_OK;
}

/* What a face has moved is no longer all that has the phase. */
static bool
is_whole(const Region *region, int k)
{
	return region->domain[k].lo == region->covered[k].lo && region->domain[k].hi == region->covered[k].hi;
}

/* The range that is left must hold all that has the phase. */
static bool
can_turn(const DpsPhase *phase, const DpsStep *step, const Region *region)
{
	const DpsDomain *domain;
	DpsInterval needed;

	if (phase == NULL || !dps_has_phase(phase, region->domain) || !is_whole(region, phase->column) ||
		!is_whole(region, phase->dimension))
		return false;
	domain = &region->domain[phase->column];
	needed = dps_range_of_phase(phase, region->domain);
	return domain->lo <= step->lo && step->lo <= step->hi && step->hi <= domain->hi &&
		(dps_iv_is_empty(needed) || (step->lo <= needed.lo && needed.hi <= step->hi));
}

static DpsStatus
follow_turn(Check *check, const DpsStep *step, Region *region)
{
	const DpsPhase *phase = dps_claim_phase(check->claim, step->variable);
	Region	   *turned;

	if (!can_turn(phase, step, region))
	{
		find_flaw(check, DPS_FLAW_TURN, step->lo, step->hi);
		return DPS_OK;
	}
	turned = push_region(check, region->domain, region->covered);
	if (turned == NULL)
		return DPS_NOMEM;
	dps_end_phase(phase, turned->domain, step->lo, step->hi);
	dps_end_phase(phase, turned->covered, step->lo, step->hi);
	return DPS_OK;
}

/* a is the proof's region, NULL if it states none. */
static bool
same_domains(const DpsDomain *a, const DpsDomain *b, int n)
{
	int			k;

	if (a == NULL)
		return false;
	for (k = 0; k < n; k++)
	{
		if (a[k].nullness != b[k].nullness)
			return false;
		if (a[k].nullness != DPS_ALWAYS_NULL && !(a[k].lo == b[k].lo && a[k].hi == b[k].hi))
			return false;
	}
	return true;
}

/* The bound that the box's method gives; DPS_FLAW_NONE if it applies. */
static DpsFlaw
bound_box(Check *check, const DpsStep *step, const DpsDomain *region, const DpsDomain *covered, double *upper)
{
	DpsProver  *prover = check->prover;

	*upper = -INFINITY;
	if (step->method == DPS_BY_PHASE)
		return dps_lacks_phase(check->claim, covered) ? DPS_FLAW_NONE : DPS_FLAW_TURN;
	if (check->claim->kind == DPS_CLAIM_CONTINUITY)
	{
		if (step->method != DPS_BY_CONTINUITY)
			return DPS_FLAW_METHOD;
		return dps_prover_steady(prover) ? DPS_FLAW_NONE : DPS_FLAW_JUMP;
	}
	if (step->method == DPS_BY_COVER)
	{
		*upper = dps_prover_cover(prover, region);
		return isfinite(*upper) ? DPS_FLAW_NONE : DPS_FLAW_METHOD;
	}
	if (!dps_prover_defined(prover))
		return DPS_FLAW_UNDEFINED;
	switch (step->method)
	{
		case DPS_BY_NULL:
			return dps_prover_valueless(prover) ? DPS_FLAW_NONE : DPS_FLAW_METHOD;
		case DPS_BY_INTERVAL:
			*upper = dps_prover_interval(prover);
			return DPS_FLAW_NONE;
		case DPS_BY_MEAN_VALUE:
			*upper = step->centre == NULL ? (double) INFINITY :
				dps_prover_mean_value(prover, region, step->centre);
			return isfinite(*upper) ? DPS_FLAW_NONE : DPS_FLAW_METHOD;
		case DPS_BY_QUADRATIC:
			*upper = dps_prover_quadratic(prover);
			return isfinite(*upper) ? DPS_FLAW_NONE : DPS_FLAW_METHOD;
		case DPS_BY_CONTINUITY:
		case DPS_BY_COVER:
		case DPS_BY_PHASE:
			break;
	}
	return DPS_FLAW_METHOD;
}

static bool
agree(double stated, double found, double upper)
{
	if (stated == found)
		return true;
	return fabs(stated - found) <= AGREEMENT * fmax(fabs(stated), fmax(fabs(found), fabs(upper)));
}

static DpsStatus
follow_box(Check *check, const DpsStep *step, const Region *region)
{
	double		upper;
	DpsFlaw		flaw;

	if (!same_domains(step->region, region->domain, check->claim->ndimensions) ||
		!same_domains(step->covered, region->covered, check->claim->ndimensions))
	{
		find_flaw(check, DPS_FLAW_BOX, 0, 0);
		return DPS_OK;
	}
	DPS_TRY(dps_choose_prover(check->provers, region->domain, &check->prover));
	dps_prover_enclose(check->prover, region->domain);
	flaw = bound_box(check, step, region->domain, region->covered, &upper);
	/* NaN is above every claim */
	if (flaw == DPS_FLAW_NONE && upper > -INFINITY && !(upper <= check->proof->upper))
		find_flaw(check, DPS_FLAW_ABOVE, check->proof->upper, upper);
	else if (flaw == DPS_FLAW_NONE && check->claim->kind != DPS_CLAIM_CONTINUITY &&
			 !agree(step->upper, upper, check->proof->upper))
		find_flaw(check, DPS_FLAW_UPPER, step->upper, upper);
	else if (flaw != DPS_FLAW_NONE)
		find_flaw(check, flaw, step->upper, upper);
	else
		check->verdict->box++;
	return DPS_OK;
}

static DpsStatus
follow_step(Check *check, const DpsStep *step)
{
	Region	   *region = pop_region(check);

	switch (step->kind)
	{
		case DPS_STEP_CUT:
		case DPS_STEP_CUT_NULL:
			DPS_TRY(follow_cut(check, step, region));
			break;
		case DPS_STEP_FACE:
			DPS_TRY(follow_face(check, step, region));
			break;
		case DPS_STEP_TURN:
			DPS_TRY(follow_turn(check, step, region));
			break;
		case DPS_STEP_BOX:
			DPS_TRY(follow_box(check, step, region));
			break;
	}
	region->below = check->unused;
	check->unused = region;
	return check->prover != NULL && check->prover->failed ? DPS_NOMEM : DPS_OK;
}

static DpsStatus
follow_proof(Check *check)
{
	const DpsHost *host = dps_arena_host(check->arena);
	const DpsProof *proof = check->proof;
	size_t		i;

	if (push_region(check, check->claim->root, check->claim->root) == NULL)
		return DPS_NOMEM;
	for (i = 0; i < proof->nsteps && check->verdict->flaw == DPS_FLAW_NONE; i++)
	{
		check->verdict->step = i;
		if (check->stack == NULL)
		{
			find_flaw(check, DPS_FLAW_LEFT_OVER, 0, 0);
			return DPS_OK;
		}
		if (i % STEPS_BETWEEN_STOPS == 0 && host->should_stop != NULL && host->should_stop(host->context))
			return DPS_CANCELLED;
		DPS_TRY(follow_step(check, &proof->steps[i]));
	}
	if (check->stack != NULL && check->verdict->flaw == DPS_FLAW_NONE)
		find_flaw(check, DPS_FLAW_MISSING, 0, 0);
	return DPS_OK;
}

static DpsStatus
begin(Check *check, const DpsClaim *claim, DpsCertificateVerdict *verdict)
{
	memset(verdict, 0, sizeof(*verdict));
	check->claim = claim;
	check->verdict = verdict;
	DPS_TRY(dps_arena_init(&check->arena, dps_arena_host(claim->graph->arena)));
	return dps_arena_status(check->arena, dps_provers_init(&check->provers, check->arena, claim));
}

DpsStatus
dps_check_proof(const DpsClaim *claim, const DpsProof *proof, DpsCertificateVerdict *verdict)
{
	Check		check = {.proof = proof};
	DpsStatus	status = begin(&check, claim, verdict);

	if (status == DPS_OK)
		status = dps_arena_status(check.arena, follow_proof(&check));
	dps_arena_clear(check.arena);
	return status;
}

static bool
is_point_of(const DpsDomain *domain, double x)
{
	if (isnan(x))
		return domain->nullness != DPS_NEVER_NULL;
	return domain->nullness != DPS_ALWAYS_NULL && domain->lo <= x && x <= domain->hi &&
		(!domain->integral || x == rint(x));
}

static DpsStatus
look_at_witness(Check *check, const double *witness, double lower)
{
	const DpsClaim *claim = check->claim;
	DpsInterval value;
	int			k;

	for (k = 0; k < claim->nwitness; k++)
	{
		if (is_point_of(&claim->root[k], witness[k]))
			continue;
		find_flaw(check, DPS_FLAW_WITNESS, witness[k], 0);
		return DPS_OK;
	}
	DPS_TRY(dps_choose_prover(check->provers, claim->root, &check->prover));
	if (!dps_prover_witness(check->prover, witness, &value))
		find_flaw(check, DPS_FLAW_WITNESS, 0, 0);
	else if (!(value.lo >= lower))
		find_flaw(check, DPS_FLAW_LOWER, lower, value.lo);
	else
		check->verdict->found = value.lo;
	return DPS_OK;
}

DpsStatus
dps_check_witness(const DpsClaim *claim, const double *witness, double lower, DpsCertificateVerdict *verdict)
{
	Check		check = {0};
	DpsStatus	status = begin(&check, claim, verdict);

	if (status == DPS_OK)
		status = dps_arena_status(check.arena, look_at_witness(&check, witness, lower));
	dps_arena_clear(check.arena);
	return status;
}
