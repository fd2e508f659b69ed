/*
 * certificate_prove.c
 *		Looks for the form in which a claim is proved best.
 *
 * A plain proof needs the least trust, and it is tried first.  But where the form
 * does not suit the expression no number of boxes helps, so each form gets a part
 * of the boxes, and then the most promising form gets all of them.
 */
#include <math.h>

#include "bound/proof/certificate.h"

/* Each form first gets this part of the boxes. */
#define FIRST_PART 8

typedef struct Prover
{
	const DpsGraph *graph;
	const DpsNode *f;
	const DpsDomain *box;
	int			ncolumns;
	const DpsPolicy *policy;
	const DpsProofGoal *goal;
} Prover;

/* The aim and the loose bound of a claim.  Bounds of squares are rounded so that
 * their roots are no more than those of the goal. */
static DpsProofOptions
options_of(const DpsProofGoal *goal, const DpsClaim *claim, size_t max_boxes)
{
	DpsProofOptions options = {.upper = goal->upper, .max_boxes = max_boxes};
	double		lower = goal->lower;
	double		tolerance = goal->tolerance;

	if (claim->kind == DPS_CLAIM_CONTINUITY)
		return (DpsProofOptions) {.max_boxes = max_boxes};
	if (claim->squared)
	{
		options.upper = dps_mul_down(options.upper, options.upper);
		lower = dps_mul_down(lower, lower);
		tolerance *= 2;
	}
	options.loose = fmax(options.upper, lower + tolerance * fmax(fabs(lower), fabs(options.upper)));
	return options;
}

/* Proves the claim in one form, and keeps the proof if it is the best; `loose` is
 * enough. */
static DpsStatus
try_form(const Prover *p, DpsClaimForm form, size_t max_boxes, DpsClaim *claim, DpsProof *proof, bool *proved,
		 bool *loose)
{
	DpsClaim	stated = {.kind = claim->kind, .variable = claim->variable, .form = form};
	DpsProofOptions options;
	DpsProof	made;
	DpsStatus	status = dps_claim_init(&stated, p->graph, p->f, p->box, p->ncolumns, p->policy);

	*loose = false;
	if (status != DPS_OK)
		return status == DPS_UNABLE ? DPS_OK : status;
	options = options_of(p->goal, &stated, max_boxes);
	status = dps_make_proof(&stated, &options, &made);
	if (status != DPS_OK)
		return status == DPS_UNABLE ? DPS_OK : status;
	/* all forms are squared or none is */
	if (*proved && !(made.upper < proof->upper))
		return DPS_OK;
	*claim = stated;
	*proof = made;
	*proved = true;
	*loose = made.upper <= options.loose;
	return DPS_OK;
}

/* The order in which forms are tried: those first that need the least trust. */
static const DpsClaimForm order[] = {DPS_FORM_PLAIN, DPS_FORM_TURNING, DPS_FORM_REWRITTEN, DPS_FORM_SCORED, DPS_FORM_AFFINE,
DPS_FORM_SCORED_AFFINE};

/* Tries each form; then again the form that came closest or, if none succeeded,
 * each. */
static DpsStatus
prove(const Prover *p, DpsClaim *claim, DpsProof *proof, bool *proved, bool *loose)
{
	size_t		part = p->goal->max_boxes / FIRST_PART;
	int			i;

	*proved = *loose = false;
	for (i = 0; i < DPS_CLAIM_FORMS && part > 0 && !*loose; i++)
		DPS_TRY(try_form(p, order[i], part, claim, proof, proved, loose));
	if (*loose)
		return DPS_OK;
	if (*proved)
		return try_form(p, claim->form, p->goal->max_boxes, claim, proof, proved, loose);
	for (i = 0; i < DPS_CLAIM_FORMS && !*loose; i++)
		DPS_TRY(try_form(p, order[i], p->goal->max_boxes, claim, proof, proved, loose));
	return DPS_OK;
}

DpsStatus
dps_prove(const DpsGraph *graph, const DpsNode *f, const DpsDomain *box, int ncolumns, const DpsPolicy *policy,
		  const DpsProofGoal *goal, DpsClaim *claim, DpsProof *proof, bool *loose)
{
	Prover		p = {graph, f, box, ncolumns, policy, goal};
	bool		proved;

	DPS_TRY(prove(&p, claim, proof, &proved, loose));
	return proved ? DPS_OK : DPS_UNABLE;
}
