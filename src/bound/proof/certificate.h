/*
 * certificate.h
 *		Bounds with their proofs: boxes that cover the ranges, each with the one
 *		enclosure that bounds the expression there.
 *
 * A checker of proofs trusts no search.  certificate_claim.c says what is
 * claimed, certificate_box.c what one enclosure proves, certificate_check.c
 * walks through the proof.  They use derivatives and enclosures of expr/ and,
 * except for the plain form, the rewriting that DpsClaimForm names.
 * certificate_make.c looks for proofs and need not be right.
 *
 * Bounds are of exact values, as everywhere in bound/; dps_evaluation_error
 * bounds the evaluator's rounding.
 *
 * A proof is a tree of regions.  The region of the root is the whole box, and a
 * region's bound is the greatest bound of the regions below it:
 *
 * - a cut divides a region into two regions that share the cut, or into two
 *	 sets of integers that leave out none, or into the rows where a column is
 *	 NULL and the others;
 * - a turn replaces a column's range by the part of it that has the region's phase, if the
 *	 claim has one of that column (certificate_turn.c);
 * - a face stands for a region of which one enclosure says that the expression
 *	 is continuous, never NULL and monotone in some columns: the expression is
 *	 greatest where these columns are at one end, moved there one after the
 *	 other;
 * - a box ends the tree with a bound of its own.
 *
 * So the boxes cover the ranges by construction.  A box below a face is flat, but
 * its bound holds for the whole box that the face stands for, with the ranges
 * that the moved columns had before: the box `covered`.  The boxes `covered`
 * cover the ranges: the faces above a flat box lead each row of its covered box
 * into the flat box, and each face only raises the value.
 */
#ifndef DPS_BOUND_PROOF_CERTIFICATE_H
#define DPS_BOUND_PROOF_CERTIFICATE_H

#include "bound/quantity/bound.h"

typedef enum DpsClaimKind
{
	DPS_CLAIM_VALUE,			/* f */
	DPS_CLAIM_NEGATED,			/* -f */
	DPS_CLAIM_STEEPNESS,		/* sum of (d_j f / w_j)^2 over the private columns,
								 * or |d_j f / w_j| if no other entry is there;
								 * private integers relaxed to reals */
	DPS_CLAIM_CONTINUITY,		/* no jump as private columns move; no bound */
	DPS_CLAIM_MOVE,				/* f less f with one column replaced */
	DPS_CLAIM_SLOPE,			/* d_j f */
	DPS_CLAIM_NEGATED_SLOPE,	/* -d_j f */
	DPS_CLAIM_STEEPNESS_SUM,	/* sum of |d_j f / w_j| over the private columns */
	DPS_CLAIM_STEEPEST,			/* greatest |d_j f / w_j| */
	DPS_CLAIM_STEP_DOWN,		/* f less f with one integer column 1 higher */
	DPS_CLAIM_STEP_UP			/* the negative of that */
} DpsClaimKind;

/* One past the last. */
#define DPS_CLAIM_KINDS (DPS_CLAIM_STEP_UP + 1)

static inline bool
dps_is_steepness(DpsClaimKind kind)
{
	return kind == DPS_CLAIM_STEEPNESS || kind == DPS_CLAIM_STEEPNESS_SUM || kind == DPS_CLAIM_STEEPEST;
}

/*
 * How the expression is written.  An enclosure does not see that terms cancel or
 * that branches never occur together; in another form it may.
 */
typedef enum DpsClaimForm
{
	DPS_FORM_PLAIN,				/* as derived: needs expr/ alone */
	DPS_FORM_REWRITTEN,			/* common factors taken out (factor.c), conditions
								 * outermost (lift_conditions.c), shares of a sum with
								 * the numerator once (share.c), derivatives over one
								 * denominator as well (fraction.c), slopes of
								 * distances bounded where they have none
								 * and those of arcs by their angles
								 * (norm_slopes.c), moves without what does not move
								 * (column_move.c), one period for all
								 * (period.c) */
	DPS_FORM_SCORED,			/* and a linear score as one column
								 * (certificate_score.c) */
	DPS_FORM_AFFINE,			/* rewritten, and enclosures cut by affine forms
								 * (certificate_form.c) */
	DPS_FORM_SCORED_AFFINE,		/* rewritten, scored and cut */
	DPS_FORM_TURNING			/* plain, and columns that go through many periods of
								 * sines have phases (certificate_turn.c) */
} DpsClaimForm;

/* One past the last. */
#define DPS_CLAIM_FORMS (DPS_FORM_TURNING + 1)

/* Is the expression as derived, but for phases? */
static inline bool
dps_form_is_plain(DpsClaimForm form)
{
	return form == DPS_FORM_PLAIN || form == DPS_FORM_TURNING;
}

#define DPS_CLAIM_DIMENSIONS (DPS_MAX_VARIABLES + 1)

#define DPS_MAX_PHASES 3

/* A column's phase: what it is off from a multiple of the period. */
typedef struct DpsPhase
{
	int			column;
	int			dimension;		/* of the phase */
	DpsInterval period;
} DpsPhase;

/*
 * The claim: an expression, and f, are defined and finite on the whole box,
 * and the expression's values are at most a bound where neither is NULL.
 * Dimension k is variable k; there may be more, for the other value of the
 * column that moves, for a score, or for phases.
 */
typedef struct DpsClaim
{
	/* set by the owner */
	DpsClaimKind kind;
	int			variable;		/* of a move, step or slope */
	DpsClaimForm form;

	/* set by dps_claim_init */
	DpsGraph   *graph;			/* of this claim alone, so that its expressions do not
								 * depend on what was derived before */
	const DpsNode *node;
	const DpsNode *plain;		/* the same without a score, for witnesses */
	const DpsNode *score;		/* what the last dimension stands for, or NULL */
	const DpsNode *cover;		/* bounds a steepness where the guards are defined
								 * and the node is not; or NULL */
	DpsPhase	phase[DPS_MAX_PHASES];
	int			nphases;
	const DpsNode *turned[1 << DPS_MAX_PHASES]; /* the node with these phases */
	bool		squared;		/* a steepness is a sum of squares */
	const DpsNode *guard[2];	/* f, once or twice */
	int			nguards;
	int			ndimensions;
	int			nwitness;		/* dimensions of a witness */
	uint64_t	private_variables;
	DpsDomain	root[DPS_CLAIM_DIMENSIONS]; /* where it is claimed */
	DpsDomain	box[DPS_CLAIM_DIMENSIONS];	/* as given */
} DpsClaim;

/*
 * f is double precision.  The graph, which is read only, has the ncolumns of the box
 * as variables.  DPS_UNABLE if the claim has no such form.
 */
extern DPS_MUST_USE DpsStatus dps_claim_init(DpsClaim *claim, const DpsGraph *graph, const DpsNode *f,
											 const DpsDomain *box, int ncolumns, const DpsPolicy *policy);

/* May a proof of the claim cut this column?  A half of the range of a private boolean
 * would hide its jump. */
static inline bool
dps_claim_cuts(const DpsClaim *claim, int k)
{
	return claim->kind != DPS_CLAIM_CONTINUITY || !claim->root[k].integral ||
		!(claim->private_variables & (UINT64_C(1) << k));
}

typedef enum DpsStepKind
{
	DPS_STEP_BOX,
	DPS_STEP_CUT,				/* below, then above */
	DPS_STEP_CUT_NULL,			/* not NULL, then NULL */
	DPS_STEP_FACE,
	DPS_STEP_TURN
} DpsStepKind;

/* How a box is bounded. */
typedef enum DpsBoxMethod
{
	DPS_BY_INTERVAL,			/* the enclosure's upper end */
	DPS_BY_MEAN_VALUE,			/* f(c) + sum of slope_k (x_k - c_k) */
	DPS_BY_NULL,				/* there is no value, the bound is -Infinity */
	DPS_BY_CONTINUITY,			/* no jump */
	DPS_BY_COVER,				/* the cover's upper end */
	DPS_BY_QUADRATIC,			/* the quadratic form's maximum (quadratic_max.c) */
	DPS_BY_PHASE				/* no value of a column has the phase, the bound is
								 * -Infinity */
} DpsBoxMethod;

/* One past the last. */
#define DPS_BOX_METHODS (DPS_BY_PHASE + 1)

/* A step of a proof; the steps of a region's parts follow it, depth first. */
typedef struct DpsStep
{
	DpsStepKind kind;
	int			variable;		/* of a cut; of a turn, the column */
	double		at;				/* the greatest value below it */
	double		lo;				/* of a turn, the column's range after it */
	double		hi;
	uint64_t	to_lo;			/* of a face: variables moved to this end */
	uint64_t	to_hi;
	DpsBoxMethod method;		/* of a box, as the fields below */
	double		upper;
	const DpsDomain *region;	/* of a box: what is enclosed; ndimensions */
	const DpsDomain *covered;	/* where its bound holds */
	const double *centre;		/* of the mean value form; ndimensions */
} DpsStep;

typedef struct DpsProof
{
	double		upper;			/* at least every box's bound */
	const DpsStep *steps;
	size_t		nsteps;
} DpsProof;

/* What is wrong with a proof. */
typedef enum DpsFlaw
{
	DPS_FLAW_NONE,
	DPS_FLAW_MISSING,			/* the steps end before the box is covered */
	DPS_FLAW_LEFT_OVER,			/* steps after it is covered */
	DPS_FLAW_CUT,				/* a cut that is not inside its region */
	DPS_FLAW_BOX,				/* a box that is not the region left for it */
	DPS_FLAW_UNDEFINED,			/* not proved defined and finite */
	DPS_FLAW_FACE,				/* not proved monotone */
	DPS_FLAW_METHOD,			/* the method does not apply */
	DPS_FLAW_UPPER,				/* the enclosure is not the one stated */
	DPS_FLAW_ABOVE,				/* the enclosure is above the claim */
	DPS_FLAW_JUMP,
	DPS_FLAW_TURN,				/* the range left out has the phase, or there is none */
	DPS_FLAW_WITNESS,			/* not in the box, or no value there */
	DPS_FLAW_LOWER				/* the witness does not reach the claim */
} DpsFlaw;

typedef struct DpsCertificateVerdict
{
	DpsFlaw		flaw;
	size_t		step;			/* where */
	size_t		box;			/* boxes before it */
	double		stated;
	double		found;
} DpsCertificateVerdict;

/* Checks a proof; statuses as for dps_supremum. */
extern DPS_MUST_USE DpsStatus dps_check_proof(const DpsClaim *claim, const DpsProof *proof,
											  DpsCertificateVerdict *verdict);

/* Checks that the claim's expression reaches `lower` at a point of the box;
 * verdict->found is what it reaches there. */
extern DPS_MUST_USE DpsStatus dps_check_witness(const DpsClaim *claim, const double *witness, double lower,
												DpsCertificateVerdict *verdict);

typedef struct DpsProofOptions
{
	double		upper;			/* the aim */
	double		loose;			/* enough after a while */
	size_t		max_boxes;		/* enough in any case */
} DpsProofOptions;

/*
 * Looks for a proof.  DPS_UNABLE if some box could not be proved defined and
 * finite, or without a jump; else proof->upper is what was reached.
 */
extern DPS_MUST_USE DpsStatus dps_make_proof(const DpsClaim *claim, const DpsProofOptions *options, DpsProof *proof);

/* The bound that a proof should reach: the ends of the bracket of the claimed
 * quantity, before any squaring. */
typedef struct DpsProofGoal
{
	double		upper;
	double		lower;
	double		tolerance;		/* relative width that is good enough */
	size_t		max_boxes;		/* of one proof */
} DpsProofGoal;

/*
 * Looks for a proof of the claim of this kind and variable in all forms.  `loose`
 * is enough.  DPS_UNABLE if there is none in any form.
 */
extern DPS_MUST_USE DpsStatus dps_prove(const DpsGraph *graph, const DpsNode *f, const DpsDomain *box, int ncolumns,
										const DpsPolicy *policy, const DpsProofGoal *goal, DpsClaim *claim,
										DpsProof *proof, bool *loose);

#endif							/* DPS_BOUND_PROOF_CERTIFICATE_H */
