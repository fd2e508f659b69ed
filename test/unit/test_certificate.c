/*
 * test_certificate.c
 *		Proofs are found, hold, and are worth nothing once they are tampered
 *		with.
 *
 * Files: bound/proof/certificate_box.c, bound/proof/certificate_form.c,
 * bound/proof/certificate_score.c, bound/proof/certificate_turn.c, bound/affine_node.c.
 */
#include <float.h>
#include <math.h>
#include <time.h>

#include "bound/proof/certificate.h"
#include "bound/quantity/lattice.h"
#include "fixture.h"
#include "generate.h"
#include "parse.h"
#include "reference.h"
#include "reference_cases.h"
#include "scarce.h"
#include "tap.h"

#define MAX_STEPS 100000
#define BOXES 20000

static bool
set_up(Fixture *fixture, const Column *columns, int ncolumns, const char *sql)
{
	return ok(set_up_on(fixture, &tap_host, columns, ncolumns, sql), "reads %s", sql);
}

static DpsStatus
state(Fixture *fixture, DpsClaimKind kind, int variable, DpsClaimForm form, DpsClaim *claim)
{
	*claim = (DpsClaim) {.kind = kind, .variable = variable, .form = form};
	return dps_claim_init(claim, fixture->graph, fixture->node, fixture->box, fixture->ncolumns, &fixture->policy);
}

static bool
is_valid(const DpsClaim *claim, const DpsProof *proof, DpsCertificateVerdict *verdict)
{
	return dps_check_proof(claim, proof, verdict) == DPS_OK && verdict->flaw == DPS_FLAW_NONE;
}

static size_t
count_boxes(const DpsProof *proof)
{
	size_t		boxes = 0;
	size_t		i;

	for (i = 0; i < proof->nsteps; i++)
		boxes += proof->steps[i].kind == DPS_STEP_BOX;
	return boxes;
}

/*
 * The boxes cover the ranges, and their bounds hold: without a look at the tree.
 */

static bool
is_in(const DpsDomain *domain, const double *x, int n)
{
	int			k;

	for (k = 0; k < n; k++)
	{
		if (isnan(x[k]) ? domain[k].nullness == DPS_NEVER_NULL :
			domain[k].nullness == DPS_ALWAYS_NULL || !(domain[k].lo <= x[k] && x[k] <= domain[k].hi))
			return false;
	}
	return true;
}

/* Often at an end, where boxes meet. */
static void
draw_point(const DpsClaim *claim, double *x)
{
	int			k;

	for (k = 0; k < claim->ndimensions; k++)
	{
		const DpsDomain *root = &claim->root[k];

		x[k] = random_below(8) == 0 ? root->lo : random_below(8) == 0 ? root->hi :
			random_between(root->lo, root->hi);
		if (random_below(4) == 0)
			x[k] = (root->lo + root->hi) / 2;
		if (root->integral)
			x[k] = rint(x[k]);
		if (root->nullness == DPS_MAYBE_NULL && random_below(3) == 0)
			x[k] = (double) NAN;
	}
	/* a phase is its column less a multiple of the period */
	for (k = 0; k < claim->nphases; k++)
	{
		const DpsPhase *phase = &claim->phase[k];
		double		period = (phase->period.lo + phase->period.hi) / 2;

		x[phase->dimension] = x[phase->column] - floor(x[phase->column] / period) * period;
	}
}

/* The same without the phases that a box does not have, and with the others, which are rounded
 * here, within it if they are close to it. */
static const double *
at_phases(const DpsClaim *claim, const DpsDomain *box, const double *x, double *own)
{
	int			k;

	memcpy(own, x, sizeof(double) * claim->ndimensions);
	for (k = 0; k < claim->nphases; k++)
	{
		const DpsDomain *domain = &box[claim->phase[k].dimension];
		double	   *at = &own[claim->phase[k].dimension];

		if (domain->nullness == DPS_ALWAYS_NULL)
			*at = (double) NAN;
		else if (*at > domain->lo - 1e-9 && *at < domain->hi + 1e-9)
			*at = fmax(domain->lo, fmin(domain->hi, *at));
	}
	return own;
}

static bool
holds_at(const DpsClaim *claim, const DpsProof *proof, const double *x)
{
	DpsCertificateVerdict	verdict;
	double		own[DPS_CLAIM_DIMENSIONS];
	bool		covered = false;
	bool		valued;
	size_t		i;

	if (dps_check_witness(claim, x, -INFINITY, &verdict) != DPS_OK)
		return false;
	valued = verdict.flaw == DPS_FLAW_NONE;
	/* boxes are of points that have a score as well */
	if (claim->score != NULL)
		return !valued || verdict.found <= proof->upper;
	for (i = 0; i < proof->nsteps; i++)
	{
		const DpsStep *step = &proof->steps[i];

		if (step->kind != DPS_STEP_BOX || !is_in(step->covered, at_phases(claim, step->covered, x, own), claim->ndimensions))
			continue;
		covered = true;
		/* what is close to a phase is not in it */
		if (valued && claim->kind != DPS_CLAIM_CONTINUITY && !(verdict.found <= step->upper) &&
			(claim->nphases == 0 || memcmp(own, x, sizeof(double) * claim->nwitness) != 0 || step->method != DPS_BY_PHASE))
			return false;
	}
	return covered && (!valued || claim->kind == DPS_CLAIM_CONTINUITY || verdict.found <= proof->upper);
}

static bool
holds_at_points(const DpsClaim *claim, const DpsProof *proof, int npoints)
{
	double		x[DPS_CLAIM_DIMENSIONS];
	int			i;
	int			k;

	for (i = 0; i < npoints; i++)
	{
		draw_point(claim, x);
		if (holds_at(claim, proof, x))
			continue;
		for (k = 0; k < claim->ndimensions; k++)
			diag("column %d: %.17g", k, x[k]);
		return false;
	}
	return true;
}

/*
 * Reference functions
 */

typedef struct Totals
{
	size_t		proofs;
	size_t		boxes;
	size_t		most;
	clock_t		making;
	clock_t		checking;
} Totals;

static bool
set_up_reference(Fixture *fixture, const ReferenceCase *reference)
{
	Column		columns[FIXTURE_COLUMNS];
	int			j;

	for (j = 0; j < reference->ncolumns; j++)
	{
		const ReferenceColumn *from = &reference->columns[j];

		columns[j] = (Column) {from->name, from->integer ? DPS_INT4 : DPS_FLOAT8, from->lo, from->hi, false};
	}
	return set_up_on(fixture, &tap_host, columns, reference->ncolumns, reference->sql);
}

/* With integers relaxed, as the claims have them. */
static DpsStatus
steepness(Fixture *fixture, DpsGradientNorm norm, DpsBracket *bracket)
{
	return dps_lipschitz_by_lines(fixture->graph, fixture->node, fixture->box, &fixture->policy, norm, NULL, bracket);
}

static DpsStatus
find_bracket(Fixture *fixture, DpsClaimKind kind, int variable, DpsBracket *bracket)
{
	double		upper;

	switch (kind)
	{
		case DPS_CLAIM_VALUE:
			return dps_supremum(fixture->graph, fixture->node, fixture->box, NULL, bracket);
		case DPS_CLAIM_NEGATED:
			DPS_TRY(dps_infimum(fixture->graph, fixture->node, fixture->box, NULL, bracket));
			upper = bracket->upper;
			bracket->upper = -bracket->lower;
			bracket->lower = -upper;
			return DPS_OK;
		case DPS_CLAIM_MOVE:
			return dps_attribute(fixture->graph, fixture->node, fixture->box, variable, NULL, bracket);
		case DPS_CLAIM_SLOPE:
		case DPS_CLAIM_NEGATED_SLOPE:
			return dps_slope(fixture->graph, fixture->node, fixture->box, variable, NULL, bracket);
		default:
			return steepness(fixture, kind == DPS_CLAIM_STEEPNESS_SUM ? DPS_NORM_1 :
							 kind == DPS_CLAIM_STEEPEST ? DPS_NORM_INFINITY : DPS_NORM_2, bracket);
	}
}

/* As a search for the claim would report it, and what the reference says. */
static ReferenceBracket
expected_of(const ReferenceCase *reference, DpsClaimKind kind, int variable)
{
	switch (kind)
	{
		case DPS_CLAIM_VALUE:
			return reference->supremum;
		case DPS_CLAIM_NEGATED:
			return (ReferenceBracket) {-reference->infimum.hi, -reference->infimum.lo};
		case DPS_CLAIM_MOVE:
			return reference->columns[variable].attribute;
		case DPS_CLAIM_SLOPE:
		case DPS_CLAIM_NEGATED_SLOPE:
			return (ReferenceBracket) {-INFINITY, reference->columns[variable].slope.hi};
		case DPS_CLAIM_STEEPNESS_SUM:
			return reference->metric_l1;
		case DPS_CLAIM_STEEPEST:
			return reference->metric_linf;
		default:
			return reference->metric;
	}
}

static DpsStatus
prove(Fixture *fixture, DpsClaimKind kind, int variable, const DpsBracket *bracket, DpsClaim *claim, DpsProof *proof)
{
	DpsProofGoal goal = {bracket->upper, bracket->lower, 1e-6, BOXES};
	bool		loose;

	*claim = (DpsClaim) {.kind = kind, .variable = variable};
	return dps_prove(fixture->graph, fixture->node, fixture->box, fixture->ncolumns, &fixture->policy, &goal, claim, proof,
					 &loose);
}

static bool
check_upper(const ReferenceCase *reference, const DpsClaim *claim, const DpsProof *proof)
{
	ReferenceBracket expected = expected_of(reference, claim->kind, claim->variable);
	double		spread = reference->supremum.hi - reference->infimum.lo;
	double		upper = proof->upper;
	bool		right;

	if (claim->kind == DPS_CLAIM_CONTINUITY)
		return true;
	if (claim->squared)
		upper = dps_sqrt_up(upper);
	right = upper >= expected.lo && upper <= expected.hi + 1.01e-6 * fmax(fabs(expected.hi), fabs(expected.lo)) + 1e-9 * fabs(spread) + 1e-15;
	if (!right)
		diag("%s: proves %.17g, the reference is [%.17g, %.17g], %zu boxes", reference->sql, upper,
			 expected.lo, expected.hi, count_boxes(proof));
	return right;
}

static void
check_claim(const ReferenceCase *reference, DpsClaimKind kind, int variable, Totals *totals)
{
	Fixture		searched = {0};
	Fixture		fixture = {0};
	DpsBracket	bracket;
	DpsClaim	claim;
	DpsProof	proof = {0};
	DpsCertificateVerdict	verdict;
	DpsStatus	status;
	clock_t		start;

	if (!set_up_reference(&searched, reference) || !set_up_reference(&fixture, reference) ||
		find_bracket(&searched, kind, variable, &bracket) != DPS_OK)
		ok(false, "%s claim %d is searched", reference->id, kind);
	else if (bracket.status == DPS_OK)
	{
		start = clock();
		status = prove(&fixture, kind, variable, &bracket, &claim, &proof);
		totals->making += clock() - start;
		start = clock();
		ok(status == DPS_OK && is_valid(&claim, &proof, &verdict),
		   "%s claim %d of column %d is proved and valid", reference->id, kind, variable);
		totals->checking += clock() - start;
		ok(check_upper(reference, &claim, &proof), "%s claim %d of column %d is tight", reference->id, kind, variable);
		ok(holds_at_points(&claim, &proof, 20), "%s claim %d of column %d holds", reference->id, kind, variable);
		totals->proofs++;
		totals->boxes += count_boxes(&proof);
		if (count_boxes(&proof) > totals->most)
			totals->most = count_boxes(&proof);
	}
	dps_arena_clear(searched.arena);
	dps_arena_clear(fixture.arena);
}

static void
test_references(void)
{
	Totals		totals = {0};
	int			i;
	int			kind;
	int			j;

	for (i = 0; i < REFERENCE_CASES; i++)
	{
		const ReferenceCase *reference = &reference_cases[i];

		if (reference->ncolumns > 3)
			continue;
		for (kind = DPS_CLAIM_VALUE; kind <= DPS_CLAIM_CONTINUITY; kind++)
			check_claim(reference, kind, 0, &totals);
		check_claim(reference, DPS_CLAIM_STEEPNESS_SUM, 0, &totals);
		check_claim(reference, DPS_CLAIM_STEEPEST, 0, &totals);
		for (kind = DPS_CLAIM_MOVE; kind <= DPS_CLAIM_NEGATED_SLOPE; kind++)
			for (j = 0; j < reference->ncolumns; j++)
				check_claim(reference, kind, j, &totals);
	}
	diag("%zu proofs of %zu boxes, %zu the largest; %.2f s to make, %.2f s to check", totals.proofs, totals.boxes,
		 totals.most, (double) totals.making / CLOCKS_PER_SEC, (double) totals.checking / CLOCKS_PER_SEC);
}

/*
 * Tampering
 */

/* A copy that can be changed. */
typedef struct Forgery
{
	DpsProof	proof;
	DpsStep		steps[MAX_STEPS + 1];
	DpsDomain	region[DPS_CLAIM_DIMENSIONS];	/* of the step that is changed */
	DpsDomain	covered[DPS_CLAIM_DIMENSIONS];
	double		centre[DPS_CLAIM_DIMENSIONS];
} Forgery;

static void
copy_proof(Forgery *forgery, const DpsProof *proof)
{
	memcpy(forgery->steps, proof->steps, sizeof(DpsStep) * proof->nsteps);
	forgery->proof = *proof;
	forgery->proof.steps = forgery->steps;
}

/* The step's boxes and centre become the forgery's own. */
static DpsStep *
open_step(Forgery *forgery, size_t i, int n)
{
	DpsStep    *step = &forgery->steps[i];

	if (step->region != NULL)
		step->region = memcpy(forgery->region, step->region, sizeof(DpsDomain) * n);
	if (step->covered != NULL)
		step->covered = memcpy(forgery->covered, step->covered, sizeof(DpsDomain) * n);
	if (step->centre != NULL)
		step->centre = memcpy(forgery->centre, step->centre, sizeof(double) * n);
	return step;
}

static void
remove_step(Forgery *forgery, size_t i)
{
	forgery->proof.nsteps--;
	memmove(&forgery->steps[i], &forgery->steps[i + 1], sizeof(DpsStep) * (forgery->proof.nsteps - i));
}

static void
repeat_step(Forgery *forgery, size_t i)
{
	memmove(&forgery->steps[i + 1], &forgery->steps[i], sizeof(DpsStep) * (forgery->proof.nsteps - i));
	forgery->proof.nsteps++;
}

static double
nudge(double x)
{
	switch (random_below(5))
	{
		case 0:
			return nextafter(x, INFINITY);
		case 1:
			return nextafter(x, -INFINITY);
		case 2:
			return x * random_between(-1, 2);
		case 3:
			return random_below(2) ? (double) NAN : (double) -INFINITY;
		default:
			return random_between(-100, 100);
	}
}

/* Changes one field, any of them. */
static void
tamper(Forgery *forgery, const DpsClaim *claim)
{
	size_t		i = random_bits() % forgery->proof.nsteps;
	DpsStep    *step = open_step(forgery, i, claim->ndimensions);
	int			k = random_below(claim->ndimensions);

	switch (random_below(15))
	{
		case 0:
			forgery->proof.upper = random_below(2) ? nudge(forgery->proof.upper) :
				forgery->proof.upper - fabs(forgery->proof.upper) * random_between(0, 1e-3);
			break;
		case 1:
			remove_step(forgery, i);
			break;
		case 2:
			repeat_step(forgery, i);
			break;
		case 3:
			step->at = nudge(step->at);
			break;
		case 4:
			step->variable = random_below(claim->ndimensions + 2) - 1;
			break;
		case 5:
			step->to_lo ^= UINT64_C(1) << random_below(claim->ndimensions);
			break;
		case 6:
			step->to_hi ^= UINT64_C(1) << random_below(claim->ndimensions);
			break;
		case 7:
			step->upper = nudge(step->upper);
			break;
		case 8:
			step->method = random_below(DPS_BOX_METHODS);
			break;
		case 9:
			step->kind = random_below(DPS_STEP_TURN + 1);
			break;
		case 10:
			forgery->region[k].lo = nudge(forgery->region[k].lo);
			break;
		case 11:
			forgery->covered[k].hi = nudge(forgery->covered[k].hi);
			break;
		case 12:
			if (step->centre != NULL)
				forgery->centre[k] = nudge(forgery->centre[k]);
			break;
		case 13:
			step->lo = nudge(step->lo);
			break;
		case 14:
			step->hi = nudge(step->hi);
			break;
	}
	/* and the claim with it, since that is what a forger is after */
	if (random_below(2) == 0)
		forgery->proof.upper -= fabs(forgery->proof.upper) * 1e-4;
}

static const Column plane[] = {{"x", DPS_FLOAT8, -1, 2, false}, {"y", DPS_FLOAT8, 0.5, 3, false}};
static const Column cube[] = {{"x", DPS_FLOAT8, -1, 2, false}, {"y", DPS_FLOAT8, 0.5, 3, false}, {"z", DPS_FLOAT8, -1, 1, false}};
static const Column wide[] = {{"x", DPS_FLOAT8, -60, 60, false}, {"y", DPS_FLOAT8, -40, 30, false}};
static const Column mixed[] = {{"x", DPS_FLOAT8, -1, 2, true}, {"k", DPS_INT4, -3, 7, false}, {"b", DPS_BOOL, 0, 1, false}};

static const struct
{
	const Column *columns;
	int			ncolumns;
	const char *sql;
	DpsClaimKind kind;
	DpsClaimForm form;
}			victims[] =
{
	{plane, 2, "x^2 + exp(2*y - x)", DPS_CLAIM_VALUE, DPS_FORM_PLAIN},
	{plane, 2, "x^2 + exp(2*y - x)", DPS_CLAIM_STEEPNESS, DPS_FORM_PLAIN},
	{plane, 2, "sin(3*x)*cos(2*y) + x*y", DPS_CLAIM_NEGATED, DPS_FORM_PLAIN},
	{plane, 2, "sin(3*x)*cos(2*y) + x*y", DPS_CLAIM_MOVE, DPS_FORM_PLAIN},
	{plane, 2, "greatest(x, y) / y", DPS_CLAIM_VALUE, DPS_FORM_PLAIN},
	{mixed, 3, "coalesce(x, k) * k - CASE WHEN b THEN k ELSE x END", DPS_CLAIM_VALUE, DPS_FORM_PLAIN},
	{mixed, 3, "k * (7 - k) + coalesce(x, 5)", DPS_CLAIM_NEGATED, DPS_FORM_PLAIN},
	{plane, 2, "1 / (1 + exp(2*x - y))", DPS_CLAIM_STEEPNESS, DPS_FORM_SCORED},
	{plane, 2, "sin(5*(x + y)) * exp((x + y) / 4)", DPS_CLAIM_NEGATED, DPS_FORM_SCORED},
	{plane, 2, "greatest(x, y)*2 - least(x, y)", DPS_CLAIM_STEEPNESS, DPS_FORM_REWRITTEN},
	{plane, 2, "sin(3*x)*cos(2*y) + x*y", DPS_CLAIM_VALUE, DPS_FORM_AFFINE},
	{plane, 2, "exp(x*y)/(1 + exp(x*y))*y", DPS_CLAIM_STEEPNESS, DPS_FORM_AFFINE},
	{plane, 2, "x^2*y/(1 + x^2) - x*y^2", DPS_CLAIM_STEEPNESS_SUM, DPS_FORM_AFFINE},
	{plane, 2, "exp(-(x^2) - x*y)*sin(x)", DPS_CLAIM_STEEPEST, DPS_FORM_PLAIN},
	{plane, 2, "sqrt(x^2 + (y - 1)^2)*exp(x)", DPS_CLAIM_STEEPNESS, DPS_FORM_REWRITTEN},
	{plane, 2, "sqrt(x^2 + (y - 1)^2)*exp(x)", DPS_CLAIM_STEEPEST, DPS_FORM_AFFINE},
	{cube, 3, "sin(exp(x - z)*y + 2*x) + x*z", DPS_CLAIM_NEGATED, DPS_FORM_AFFINE},
	{cube, 3, "1/(1 + exp(ln(y) - 2*x - z))", DPS_CLAIM_MOVE, DPS_FORM_SCORED},
	{cube, 3, "x/(1 + exp(y - 2*x - z))", DPS_CLAIM_STEEPNESS, DPS_FORM_SCORED_AFFINE},
	{wide, 1, "x/30 + sin(x)", DPS_CLAIM_VALUE, DPS_FORM_TURNING},
	{wide, 2, "x^2/2000 + cos(2*x) + cos(3*x + y) - y/100", DPS_CLAIM_NEGATED, DPS_FORM_TURNING},
	{wide, 2, "(x^2 + y^2)/400 - cos(x)*cos(y/sqrt(2))", DPS_CLAIM_STEEPNESS, DPS_FORM_TURNING},
	{wide, 2, "x/20 + cos(x)*sin(y)", DPS_CLAIM_MOVE, DPS_FORM_TURNING},
};

/* A proof as tight as the boxes allow, and a value that is reached. */
static bool
prove_victim(Fixture *fixture, DpsClaimKind kind, DpsClaimForm form, DpsClaim *claim, DpsProof *proof, double *reached)
{
	DpsProofOptions options = {-INFINITY, -INFINITY, 60};
	double		x[DPS_CLAIM_DIMENSIONS];
	DpsCertificateVerdict	verdict;
	int			i;

	if (state(fixture, kind, 0, form, claim) != DPS_OK ||
		dps_make_proof(claim, &options, proof) != DPS_OK || proof->nsteps > MAX_STEPS)
		return false;
	*reached = -INFINITY;
	for (i = 0; i < 2000; i++)
	{
		draw_point(claim, x);
		if (dps_check_witness(claim, x, -INFINITY, &verdict) == DPS_OK &&
			verdict.flaw == DPS_FLAW_NONE)
			*reached = fmax(*reached, verdict.found);
	}
	return true;
}

static void
test_tampering(void)
{
	Forgery    *forgery = malloc(sizeof(Forgery));
	unsigned	methods = 0;
	size_t		v;
	int			i;

	for (v = 0; v < sizeof(victims) / sizeof(victims[0]); v++)
	{
		Fixture		fixture;
		DpsClaim	claim;
		DpsProof	proof;
		DpsCertificateVerdict	verdict;
		double		reached;
		int			tries = victims[v].form >= DPS_FORM_AFFINE && victims[v].form != DPS_FORM_TURNING ? 80 : 3000;
		int			found = 0;
		bool		fooled = false;
		size_t		k;

		if (!set_up(&fixture, victims[v].columns, victims[v].ncolumns, victims[v].sql) ||
			!ok(prove_victim(&fixture, victims[v].kind, victims[v].form, &claim, &proof, &reached), "is proved") ||
			!ok(is_valid(&claim, &proof, &verdict), "is valid") ||
			!ok(holds_at_points(&claim, &proof, 500), "holds"))
			continue;
		for (i = 0; i < tries && !fooled; i++)
		{
			uint64_t	seed = random_state;

			copy_proof(forgery, &proof);
			tamper(forgery, &claim);
			if (!is_valid(&claim, &forgery->proof, &verdict))
				found++;
			else if (forgery->proof.upper < reached)
			{
				fooled = true;
				diag("seed %llu: %.17g is below %.17g", (unsigned long long) seed, forgery->proof.upper, reached);
			}
		}
		ok(!fooled, "no forgery gets a lower bound past the check; %d of %d are found out", found, i);
		ok(found > tries / 2, "most changes are found out");
		for (k = 0; k < proof.nsteps; k++)
			methods |= proof.steps[k].kind == DPS_STEP_BOX ? 1u << proof.steps[k].method : 0;
		dps_arena_clear(fixture.arena);
	}
	ok((methods | 1u << DPS_BY_CONTINUITY | 1u << DPS_BY_NULL) == (1u << DPS_BOX_METHODS) - 1, "boxes of every method are among them: %x", methods);
	free(forgery);
}

/* What a tampering must be called. */
static void
test_flaws(void)
{
	Forgery    *forgery = malloc(sizeof(Forgery));
	Fixture		fixture;
	DpsClaim	claim;
	DpsProof	proof;
	DpsCertificateVerdict	verdict;
	double		reached;
	size_t		box = 0;
	size_t		cut = 0;
	size_t		face = 0;
	size_t		i;

	if (!set_up(&fixture, plane, 2, "sin(3*x)*cos(2*y) + x*y") ||
		!ok(prove_victim(&fixture, DPS_CLAIM_VALUE, DPS_FORM_PLAIN, &claim, &proof, &reached), "is proved"))
		return;
	for (i = 0; i < proof.nsteps; i++)
	{
		if (proof.steps[i].kind == DPS_STEP_BOX)
			box = i;
		if (proof.steps[i].kind == DPS_STEP_CUT)
			cut = i;
		if (proof.steps[i].kind == DPS_STEP_FACE)
			face = i;
	}
#define FINDS(expected_flaw, change) \
	do { \
		copy_proof(forgery, &proof); \
		(void) open_step(forgery, box, 2); \
		change; \
		if (!ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == (expected_flaw), \
				#change " is " #expected_flaw)) \
			diag("it is %d", verdict.flaw); \
	} while (0)

	FINDS(DPS_FLAW_ABOVE, forgery->proof.upper = nextafter(proof.upper, -INFINITY));
	FINDS(DPS_FLAW_ABOVE, forgery->proof.upper = (double) NAN);
	FINDS(DPS_FLAW_MISSING, remove_step(forgery, box));
	FINDS(DPS_FLAW_LEFT_OVER, repeat_step(forgery, proof.nsteps - 1));
	FINDS(DPS_FLAW_BOX, forgery->covered[1].hi = nextafter(forgery->covered[1].hi, -INFINITY));
	FINDS(DPS_FLAW_BOX, forgery->covered[0].lo = nextafter(forgery->covered[0].lo, INFINITY));
	FINDS(DPS_FLAW_BOX, forgery->region[0].lo = nextafter(forgery->region[0].lo, -INFINITY));
	FINDS(DPS_FLAW_BOX, forgery->region[0].nullness = DPS_MAYBE_NULL);
	FINDS(DPS_FLAW_CUT, forgery->steps[cut].at = 1e9);
	FINDS(DPS_FLAW_CUT, forgery->steps[cut].at = (double) NAN);
	FINDS(DPS_FLAW_CUT, forgery->steps[cut].variable = 2);
	FINDS(DPS_FLAW_CUT, forgery->steps[cut].kind = DPS_STEP_CUT_NULL);
	FINDS(DPS_FLAW_FACE, (forgery->steps[face].to_lo = proof.steps[face].to_hi,
						  forgery->steps[face].to_hi = proof.steps[face].to_lo));
	FINDS(DPS_FLAW_UPPER, forgery->steps[box].upper -= 1e-6);
	FINDS(DPS_FLAW_UPPER, forgery->steps[box].upper += 1e-6);
	FINDS(DPS_FLAW_METHOD, forgery->steps[box].method = DPS_BY_NULL);
	FINDS(DPS_FLAW_METHOD, forgery->steps[box].method = DPS_BY_CONTINUITY);
#undef FINDS
	dps_arena_clear(fixture.arena);
	free(forgery);
}

/* Griewank's metric over many periods, in few boxes; and turns that are wrong. */
static void
test_turns(void)
{
	static const Column square[] = {{"x", DPS_FLOAT8, -600, 600, false}, {"y", DPS_FLOAT8, -600, 600, false}};
	static const DpsClaimKind kinds[] = {DPS_CLAIM_STEEPNESS, DPS_CLAIM_STEEPNESS_SUM};
	static const DpsBracket brackets[] = {{.lower = 1.33290121358, .upper = 1.3329013148}, {.lower = 1.59756075222, .upper = 1.5975619681}};
	Forgery    *forgery = malloc(sizeof(Forgery));
	DpsCertificateVerdict verdict;
	Fixture		fixture;
	DpsClaim	claim;
	DpsProof	proof;
	size_t		k;
	size_t		i;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		size_t		turn = 0;
		size_t		phased = 0;
		size_t		ended = 0;

		if (!set_up(&fixture, square, 2, "(x^2 + y^2)/4000 - cos(x)*cos(y/sqrt(2)) + 1") ||
			!ok(prove(&fixture, kinds[k], 0, &brackets[k], &claim, &proof) == DPS_OK && is_valid(&claim, &proof, &verdict), "is proved"))
			continue;
		ok(claim.form == DPS_FORM_TURNING && claim.nphases == 2 &&
		   (claim.squared ? sqrt(proof.upper) : proof.upper) <= brackets[k].lower * (1 + 1.1e-6) && count_boxes(&proof) < 5000,
		   "by %d phases, up to %.9g, in %zu boxes", claim.nphases, proof.upper, count_boxes(&proof));
		ok(holds_at_points(&claim, &proof, 500), "holds");
		for (i = 0; i < proof.nsteps; i++)
		{
			if (proof.steps[i].kind == DPS_STEP_TURN)
				turn = i;
			if (proof.steps[i].kind != DPS_STEP_BOX)
				continue;
			if (proof.steps[i].region[2].nullness == DPS_NEVER_NULL && proof.steps[i].method != DPS_BY_PHASE)
				phased = i;
			else if (proof.steps[i].region[2].nullness == DPS_ALWAYS_NULL)
				ended = i;
		}
		copy_proof(forgery, &proof);
		forgery->steps[turn].hi = nextafter(proof.steps[turn].hi, -INFINITY);
		ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == DPS_FLAW_TURN, "a turn must not leave out what has the phase");
		copy_proof(forgery, &proof);
		forgery->steps[turn].lo = proof.steps[turn].lo - 1000;
		ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == DPS_FLAW_TURN, "nor go beyond its region");
		copy_proof(forgery, &proof);
		forgery->steps[turn].variable = 2;
		ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == DPS_FLAW_TURN, "nor turn a phase");
		copy_proof(forgery, &proof);
		forgery->steps[phased].method = DPS_BY_PHASE;
		ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == DPS_FLAW_TURN, "a box whose phase there is has a bound");
		copy_proof(forgery, &proof);
		forgery->steps[ended].method = DPS_BY_PHASE;
		ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == DPS_FLAW_TURN, "and so has one without a phase");
		dps_arena_clear(fixture.arena);
	}
	free(forgery);
}

/*
 * Special claims
 */

static void
test_continuity(void)
{
	static const Column x[] = {{"x", DPS_FLOAT8, 0, 4, false}};
	static const struct
	{
		const char *sql;
		bool		continuous;
	}			cases[] = {
		{"abs(x - 1)", true},
		{"CASE WHEN x < 1 THEN x ELSE 2*x - 1 END", true},
		{"CASE WHEN x < 1 THEN x ELSE 2*x END", false},
		{"CASE WHEN x < 5 THEN x ELSE 0 END", true},
		{"floor(x)", false},
		{"floor(x / 8)", true},
		{"greatest(x, 2) * least(x, 3)", true},
	};
	DpsProofOptions options = {0, 0, 500};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Fixture		fixture;
		DpsClaim	claim;
		DpsProof	proof;
		DpsCertificateVerdict	verdict;
		DpsStatus	status;

		if (!set_up(&fixture, x, 1, cases[i].sql) ||
			!ok(state(&fixture, DPS_CLAIM_CONTINUITY, 0, DPS_FORM_PLAIN, &claim) == DPS_OK, "is a claim"))
			continue;
		status = dps_make_proof(&claim, &options, &proof);
		ok(status == (cases[i].continuous ? DPS_OK : DPS_UNABLE), "%s: %s", cases[i].sql, dps_status_name(status));
		if (status == DPS_OK)
			ok(is_valid(&claim, &proof, &verdict), "valid");
		dps_arena_clear(fixture.arena);
	}
}

/* One box of [0, 1] hides no jump of a boolean; its halves would. */
static void
test_booleans(void)
{
	static const Column b[] = {{"b", DPS_BOOL, 0, 1, false}};
	static const DpsDomain half[2] = {{0, 0, DPS_NEVER_NULL, true}, {1, 1, DPS_NEVER_NULL, true}};
	DpsStep		steps[3] = {{.kind = DPS_STEP_CUT, .at = 0}, {.method = DPS_BY_CONTINUITY, .region = &half[0], .covered = &half[0]},
	{.method = DPS_BY_CONTINUITY, .region = &half[1], .covered = &half[1]}};
	DpsProof	proof = {0, steps, 3};
	Fixture		fixture;
	DpsClaim	claim;
	DpsCertificateVerdict	verdict;

	if (!set_up(&fixture, b, 1, "CASE WHEN b THEN 1 ELSE 0 END") ||
		!ok(state(&fixture, DPS_CLAIM_CONTINUITY, 0, DPS_FORM_PLAIN, &claim) == DPS_OK, "is a claim"))
		return;
	ok(!is_valid(&claim, &proof, &verdict) && verdict.flaw == DPS_FLAW_CUT, "a boolean is not cut for continuity");
	steps[1].method = steps[2].method = DPS_BY_INTERVAL;
	steps[2].upper = proof.upper = 1;
	ok(state(&fixture, DPS_CLAIM_VALUE, 0, DPS_FORM_PLAIN, &claim) == DPS_OK &&
	   is_valid(&claim, &proof, &verdict), "but for a bound");
	dps_arena_clear(fixture.arena);
}

/* Integers between two boxes would be lost by a cut that is none of them. */
static void
test_integers(void)
{
	static const Column k[] = {{"k", DPS_INT4, 0, 7, false}};
	DpsProofOptions options = {12, 12, 100};
	Forgery    *forgery = malloc(sizeof(Forgery));
	Fixture		fixture;
	DpsClaim	claim;
	DpsProof	proof;
	DpsCertificateVerdict	verdict;
	size_t		i;

	if (!set_up(&fixture, k, 1, "k * (7 - k)") ||
		!ok(state(&fixture, DPS_CLAIM_VALUE, 0, DPS_FORM_PLAIN, &claim) == DPS_OK &&
			dps_make_proof(&claim, &options, &proof) == DPS_OK, "is proved") ||
		!ok(proof.upper == 12 && is_valid(&claim, &proof, &verdict), "12 at 3 and 4, nothing between"))
		return;
	for (i = 0; i < proof.nsteps; i++)
		if (proof.steps[i].kind == DPS_STEP_CUT)
			break;
	copy_proof(forgery, &proof);
	forgery->steps[i].at += 0.5;
	ok(!is_valid(&claim, &forgery->proof, &verdict) && verdict.flaw == DPS_FLAW_CUT, "a cut between integers");
	dps_arena_clear(fixture.arena);
	free(forgery);
}

static void
test_undefined(void)
{
	DpsProofOptions options = {1, 1, 200};
	static const DpsDomain whole[2] = {{-1, 2, DPS_NEVER_NULL, false}, {0.5, 3, DPS_NEVER_NULL, false}};
	DpsStep		step = {.region = whole, .covered = whole, .upper = 0};
	DpsProof	proof;
	Fixture		fixture;
	DpsClaim	claim;
	DpsCertificateVerdict	verdict;

	/* the derivative is 0 where the value is undefined */
	if (!set_up(&fixture, plane, 2, "y + CASE WHEN x > 0 THEN 1 ELSE ln(x) END") ||
		!ok(state(&fixture, DPS_CLAIM_NEGATED_SLOPE, 1, DPS_FORM_PLAIN, &claim) == DPS_OK, "is a claim"))
		return;
	ok(dps_make_proof(&claim, &options, &proof) == DPS_UNABLE, "a slope of what is undefined is not bounded");
	proof = (DpsProof) {0, &step, 1};
	ok(!is_valid(&claim, &proof, &verdict) && verdict.flaw == DPS_FLAW_UNDEFINED, "nor believed");
	dps_arena_clear(fixture.arena);
}

static void
test_witnesses(void)
{
	static const struct
	{
		double		x[3];
		double		lower;
		DpsFlaw		flaw;
	}			cases[] = {
		{{1, 3, 0}, 3, DPS_FLAW_NONE},
		{{1, 3, 0}, 3.0000001, DPS_FLAW_LOWER},
		{{1, 3, 0}, (double) NAN, DPS_FLAW_LOWER},
		{{2.5, 3, 0}, 0, DPS_FLAW_WITNESS},
		{{1, 3.5, 0}, 0, DPS_FLAW_WITNESS},
		{{1, (double) NAN, 0}, 0, DPS_FLAW_WITNESS},
		{{(double) NAN, 3, 0}, 9, DPS_FLAW_NONE},
		{{1, 3, 0.5}, 0, DPS_FLAW_WITNESS},
	};
	Fixture		fixture;
	DpsClaim	claim;
	DpsCertificateVerdict	verdict;
	size_t		i;

	if (!set_up(&fixture, mixed, 3, "coalesce(x, k) * k + CASE WHEN b THEN 1 ELSE 0 END") ||
		!ok(state(&fixture, DPS_CLAIM_VALUE, 0, DPS_FORM_PLAIN, &claim) == DPS_OK, "is a claim"))
		return;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(dps_check_witness(&claim, cases[i].x, cases[i].lower, &verdict) == DPS_OK &&
		   verdict.flaw == cases[i].flaw, "witness %zu: %d", i, verdict.flaw);
	dps_arena_clear(fixture.arena);
}

/*
 * The host
 */

static DpsStatus
make_and_check(const DpsHost *host, const Column *columns, const char *sql, DpsClaimKind kind, DpsClaimForm form)
{
	DpsProofOptions options = {-INFINITY, -INFINITY, 300};
	Fixture		fixture;
	DpsClaim	claim;
	DpsProof	proof;
	DpsCertificateVerdict	verdict;
	DpsStatus	status = DPS_NOMEM;

	if (set_up_on(&fixture, host, columns, 3, sql))
		status = state(&fixture, kind, 0, form, &claim);
	if (status == DPS_OK)
		status = dps_make_proof(&claim, &options, &proof);
	if (status == DPS_OK)
		status = dps_check_proof(&claim, &proof, &verdict);
	/* what memory decides must not be taken for a flaw */
	if (status == DPS_OK && verdict.flaw != DPS_FLAW_NONE)
		status = DPS_DOMAIN;
	dps_arena_clear(fixture.arena);
	return status;
}

static void
fail_allocations(const Column *columns, const char *sql, DpsClaimKind kind, DpsClaimForm form)
{
	Scarce		scarce;
	DpsHost		host = scarce_host(&scarce);
	DpsStatus	status = DPS_NOMEM;
	bool		right = true;
	long		n;

	for (n = 0; n < 1000 && status == DPS_NOMEM; n++)
	{
		scarce = (Scarce) {.left = n, .once = true};
		status = make_and_check(&host, columns, sql, kind, form);
		right = right && (status == DPS_OK || status == DPS_NOMEM) && scarce.held == 0;
	}
	ok(right && status == DPS_OK, "each of %ld allocations may fail, and none leaks", n - 1);
	host = tap_host;
	host.should_stop = always_stop;
	ok(make_and_check(&host, columns, sql, kind, form) == DPS_CANCELLED, "stops when asked to");
}

static void
test_host(void)
{
	fail_allocations(mixed, "coalesce(x, k) * k - CASE WHEN b THEN k ELSE x END", DPS_CLAIM_MOVE, DPS_FORM_REWRITTEN);
	fail_allocations(cube, "x/(1 + exp(y - 2*x - z))", DPS_CLAIM_STEEPNESS, DPS_FORM_SCORED_AFFINE);
	fail_allocations(cube, "sqrt(x^2 + (y - 1)^2)*exp(x)", DPS_CLAIM_STEEPNESS_SUM, DPS_FORM_AFFINE);
	fail_allocations(cube, "x/40 + sin(9*x) + cos(20*y)*z", DPS_CLAIM_STEEPNESS, DPS_FORM_TURNING);
}

/*
 * Random expressions
 */

/* Ends of any size, often 0 or integers. */
static double
random_end(void)
{
	double		end = ldexp(random_between(-8, 8), random_below(5) == 0 ? random_below(40) - 20 : 0);

	return random_below(3) == 0 ? rint(end) : end;
}

static void
random_domain(const DpsVariable *column, DpsDomain *domain)
{
	double		lo = random_end();
	double		hi = random_below(8) == 0 ? lo : lo + fabs(random_end());
	DpsInterval range = dps_type_range(column->type);

	domain->integral = dps_type_is_integer(column->type) || column->type == DPS_BOOL;
	if (domain->integral)
	{
		lo = rint(lo);
		hi = rint(hi);
	}
	domain->lo = fmax(range.lo, fmin(range.hi, lo));
	domain->hi = fmax(domain->lo, fmin(range.hi, hi));
	domain->nullness = column->nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
}

/* What is proved is proved of the claim that anyone else derives from the expression,
 * whatever was derived from it before. */
static bool
is_derived_again(const DpsNode *f, const DpsDomain *box, const DpsPolicy *policy, const DpsClaim *claim, const DpsProof *proof)
{
	DpsGraph   *graph = gen_graph(claim->graph->arena);
	const DpsNode *node = dps_copy_node(graph, f);
	DpsClaim	again;
	DpsCertificateVerdict verdict;
	DpsText		stated;
	DpsText		found;
	int			kind;

	for (kind = 0; kind < DPS_CLAIM_KINDS; kind++)
	{
		again = (DpsClaim) {.kind = kind, .variable = claim->variable, .form = random_below(DPS_CLAIM_FORMS)};
		(void) !dps_claim_init(&again, graph, node, box, GEN_COLUMNS, policy);
	}
	again = (DpsClaim) {.kind = claim->kind, .variable = claim->variable, .form = claim->form};
	if (dps_claim_init(&again, graph, node, box, GEN_COLUMNS, policy) != DPS_OK)
		return false;
	dps_text_init(&stated, graph->arena);
	dps_text_init(&found, graph->arena);
	return dps_print_sql(claim->graph, claim->node, &stated) == dps_print_sql(again.graph, again.node, &found) &&
		strcmp(stated.data, found.data) == 0 && is_valid(&again, proof, &verdict);
}

/* Any claim in any form: a proof that is made is valid, what is valid holds at
 * points, and what passes as a proof does after it was tampered with. */
static bool
check_random(DpsGraph *graph, const DpsNode *f, Forgery *forgery, int npoints, int *proved)
{
	Fixture		fixture = {.graph = graph, .node = dps_as_float8(graph, f), .ncolumns = GEN_COLUMNS};
	DpsDomain	box[GEN_COLUMNS];
	DpsProofOptions options = {-INFINITY, -INFINITY, 1 + random_below(30)};
	DpsClaim	claim = {.kind = random_below(DPS_CLAIM_KINDS), .form = random_below(DPS_CLAIM_FORMS)};
	DpsProof	proof;
	DpsCertificateVerdict	verdict;
	double		x[DPS_CLAIM_DIMENSIONS];
	DpsStatus	status;
	int			i;
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
		random_domain(&gen_columns[j], &box[j]);
	fixture.policy.private_variables = random_below(4) == 0 ? random_bits() : UINT64_MAX;
	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		fixture.policy.weights[j] = random_below(6) == 0 ? 0.5 : 1;
	claim.variable = f->variables == 0 ? 0 : __builtin_ctzll(f->variables);
	status = dps_claim_init(&claim, graph, fixture.node, box, GEN_COLUMNS, &fixture.policy);
	if (status == DPS_OK)
		status = dps_make_proof(&claim, &options, &proof);
	if (status == DPS_UNABLE)
		return true;
	if (status != DPS_OK || !is_valid(&claim, &proof, &verdict))
	{
		diag("claim %d in form %d: status %d, flaw %d", claim.kind, claim.form, status, verdict.flaw);
		return false;
	}
	(*proved)++;
	if (!is_derived_again(fixture.node, box, &fixture.policy, &claim, &proof))
	{
		diag("claim %d in form %d is another one when it is derived again", claim.kind, claim.form);
		return false;
	}
	for (i = 0; i < npoints; i++)
	{
		draw_point(&claim, x);
		if (!holds_at(&claim, &proof, x))
		{
			diag("claim %d in form %d does not hold", claim.kind, claim.form);
			return false;
		}
		if (proof.nsteps > MAX_STEPS)
			continue;
		copy_proof(forgery, &proof);
		tamper(forgery, &claim);
		if (i < 2 && is_valid(&claim, &forgery->proof, &verdict) && claim.kind != DPS_CLAIM_CONTINUITY &&
			dps_check_witness(&claim, x, -INFINITY, &verdict) == DPS_OK && verdict.flaw == DPS_FLAW_NONE &&
			verdict.found > forgery->proof.upper)
			return false;
	}
	return true;
}

static void
test_random(void)
{
	const char *setting = getenv("DPS_PROPERTY_GRAPHS");
	const char *points = getenv("DPS_PROPERTY_POINTS");
	long		graphs = setting == NULL ? 1500 : atol(setting);
	int			npoints = points == NULL ? 10 : atoi(points) / 5 + 1;
	Forgery    *forgery = malloc(sizeof(Forgery));
	int			proved = 0;
	bool		right = true;
	long		i;

	for (i = 0; i < graphs && right; i++)
	{
		DpsArena   *arena = gen_arena();
		uint64_t	seed = random_state;
		Generator	g = gen_init(arena, random_below(2) ? GEN_ALL_TYPES : GEN_T(FLOAT8));
		GenPair		e;

		g.only_smooth = random_below(2) == 0;
		e = gen_expression(&g, DPS_FLOAT8, 1 + random_below(4));
		right = check_random(g.simple, e.simple, forgery, npoints, &proved);
		if (!right)
		{
			gen_describe(g.simple, "expression", e.simple);
			diag("seed %llu", (unsigned long long) seed);
		}
		dps_arena_clear(arena);
	}
	ok(right, "%d of %ld random expressions are proved, and the proofs hold", proved, i);
	ok(proved > graphs / 10, "which is enough to tell");
	free(forgery);
}

int
main(void)
{
	test_references();
	test_random();
	test_tampering();
	test_flaws();
	test_turns();
	test_continuity();
	test_booleans();
	test_integers();
	test_undefined();
	test_witnesses();
	test_host();
	return done_testing();
}
