/*
 * quantity_certificate_make.c
 *		Makes certificates: a search finds the bounds that proofs aim at.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "bound/quantity/lattice.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/certificate/quantity_certificate.h"
#include "glue/glue.h"

typedef struct Maker
{
	DpsCertificate *certificate;
	DpsAnalysis search;			/* brackets come from here */
	size_t		max_boxes;
	bool		chosen;			/* the caller named the quantities: none may be
								 * refused */
	bool		metric;			/* a metric is certified, so the steps are settled */
} Maker;

/* The bounds that a proof aims at, and the witness of the lower one. */
typedef struct Goal
{
	double		upper;
	double		lower;
	const DpsPoint *witness;
	double		other;			/* value of the moved column */
} Goal;

static const DpsBracket *
value_bracket(Maker *m, DpsQuantityKind kind)
{
	DpsBracket	bracket;

	dps_quantity(&m->search, kind, -1, &bracket);
	return kind == DPS_INFIMUM ? &m->search.infimum : &m->search.supremum;
}

/* The ends of the bracket that the claim is about, with the claim's sign.  The bracket
 * given is that of the quantity. */
static Goal
choose_goal(Maker *m, DpsClaimKind kind, const DpsBracket *bracket)
{
	switch (kind)
	{
		case DPS_CLAIM_VALUE:
			bracket = value_bracket(m, DPS_SUPREMUM);
			return (Goal) {bracket->upper, bracket->lower, &bracket->witness, 0};
		case DPS_CLAIM_NEGATED:
			bracket = value_bracket(m, DPS_INFIMUM);
			return (Goal) {-bracket->lower, -bracket->upper, &bracket->witness, 0};
		case DPS_CLAIM_CONTINUITY:
			return (Goal) {0, 0, NULL, 0};
		case DPS_CLAIM_STEEPNESS:
		case DPS_CLAIM_STEEPNESS_SUM:
		case DPS_CLAIM_STEEPEST:
		case DPS_CLAIM_MOVE:
		case DPS_CLAIM_SLOPE:
		case DPS_CLAIM_NEGATED_SLOPE:
		case DPS_CLAIM_STEP_DOWN:
		case DPS_CLAIM_STEP_UP:
			break;
	}
	return (Goal) {bracket->upper, bracket->lower, &bracket->witness, bracket->witness.x[DPS_MAX_VARIABLES]};
}

/* Sets the lower end to the value at the witness, if there is one. */
static void
attach_witness(Maker *m, DpsCertificatePart *part, const Goal *goal)
{
	DpsCertificate *c = m->certificate;
	DpsCertificateVerdict	verdict;
	int			k;

	if (goal->witness == NULL)
		return;
	for (k = 0; k < part->claim.nwitness; k++)
		part->witness[k] = k < c->ncolumns ? goal->witness->x[k] : goal->other;
	dps_check_status(dps_check_witness(&part->claim, part->witness, -INFINITY, &verdict));
	if (verdict.flaw == DPS_FLAW_NONE)
		part->lower = verdict.found;
}

/* Adds the part; returns NULL, or the reason why there is no proof. */
static char *
make_part(Maker *m, DpsClaimKind kind, int variable, const DpsBracket *bracket)
{
	DpsCertificate *c = m->certificate;
	DpsAnalysis *a = &c->analysis;
	DpsPolicy	policy = dps_claim_policy(c, kind);
	DpsCertificatePart		part = {.claim = {.kind = kind, .variable = variable}, .lower = -INFINITY};
	Goal		goal = choose_goal(m, kind, bracket);
	DpsProofGoal ends = {goal.upper, goal.lower, m->search.options.tolerance, m->max_boxes};
	DpsStatus	status;
	bool		loose;

	if (dps_find_part(c, kind, variable) != NULL)
		return NULL;
	status = dps_prove(a->graph, a->node, a->box, c->ncolumns, &policy, &ends, &part.claim, &part.proof, &loose);
	if (status == DPS_UNABLE)
		return psprintf("no proof of \"%s\" within %zu boxes", dps_claim_name(c, kind, variable), m->max_boxes);
	dps_check_status(status);
	if (!loose)
		ereport(NOTICE,
				(errmsg("the certificate of \"%s\" is wider than the search's bound", dps_claim_name(c, kind, variable)),
				 errdetail("It proves %g, the search %g.",
						   part.claim.squared ? dps_sqrt_up(part.proof.upper) : part.proof.upper, goal.upper),
				 errhint("It is valid; a larger max_boxes may narrow it.")));
	dps_describe_claim(&part);
	*dps_add_part(c) = part;
	attach_witness(m, dps_find_part(c, kind, variable), &goal);
	return NULL;
}

/* The bracket that the quantity's own claim aims at.  For attribute, dps_quantity would
 * include 0, which the claim of a move does not. */
static void
search_quantity(Maker *m, DpsQuantityKind kind, int variable, DpsBracket *bracket)
{
	if (kind == DPS_SUM_ATTRIBUTE)
		dps_check_status(dps_attribute(m->search.graph, m->search.node, m->search.box, variable,
									   &m->search.options, bracket));
	else
		dps_quantity(&m->search, kind, variable, bracket);
}

/* All metrics of a certificate move the same columns by steps. */
static char *
settle_steps(Maker *m, const DpsBracket *bracket)
{
	DpsCertificate *c = m->certificate;
	bool		settled = m->metric;

	m->metric = true;
	if (!settled && bracket->steps != 0)
		return dps_set_steps(c, bracket->steps);
	return bracket->steps == c->steps ? NULL : pstrdup("other metrics of the certificate move other columns by steps");
}

/* What a claim of a metric with steps aims at. */
static void
search_part(Maker *m, const DpsClaimName *claim, DpsGradientNorm norm, DpsBracket *bracket)
{
	DpsAnalysis *s = &m->search;
	DpsPolicy	policy = dps_claim_policy(m->certificate, claim->kind);
	DpsStatus	status = DPS_OK;

	if (claim->kind == DPS_CLAIM_MOVE)
		status = dps_attribute(s->graph, s->node, s->box, claim->variable, &s->options, bracket);
	else if (dps_is_steepness(claim->kind))
		status = dps_lipschitz_by_lines(s->graph, s->node, s->box, &policy, norm, &s->options, bracket);
	else if (claim->kind != DPS_CLAIM_CONTINUITY)
		status = dps_step_reach(s->graph, dps_as_float8(s->graph, s->node), s->box, claim->variable,
								claim->kind == DPS_CLAIM_STEP_DOWN, &s->options, bracket);
	dps_check_status(status);
}

/* Adds the quantity; returns NULL, or the reason why there is no certificate of it. */
static char *
certify(Maker *m, DpsQuantityKind kind, int variable)
{
	DpsCertificate *c = m->certificate;
	DpsClaimName claims[DPS_MAX_QUANTITY_CLAIMS];
	DpsGradientNorm norm;
	bool		metric = dps_metric_norm(kind, &norm);
	DpsBracket	bracket;
	DpsCertified *quantity;
	char	   *why;
	int			n;
	int			i;

	CHECK_FOR_INTERRUPTS();
	search_quantity(m, kind, variable, &bracket);
	if (bracket.status != DPS_OK)
		return dps_quantity_note(&m->search, kind, variable, &bracket);
	if (metric && (why = settle_steps(m, &bracket)) != NULL)
		return why;
	n = dps_quantity_claims(c, kind, variable, claims);
	for (i = 0; i < n; i++)
	{
		if (metric && c->steps != 0)
			search_part(m, &claims[i], norm, &bracket);
		why = make_part(m, claims[i].kind, claims[i].variable, &bracket);
		if (why != NULL)
			return why;
	}
	quantity = dps_add_quantity(c);
	quantity->kind = kind;
	quantity->variable = variable;
	dps_quantity_ends(c, kind, variable, &quantity->lower, &quantity->upper);
	return NULL;
}

static void
refuse(Maker *m, const char *name, char *why)
{
	DpsCertificate *c = m->certificate;

	if (m->chosen)
	{
		why[0] = pg_toupper((unsigned char) why[0]);
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" cannot be certified", name),
				 errdetail("%s.", why),
				 errhint("dpsens.sensitivity shows what is bounded; a larger max_boxes or narrower ranges may help.")));
	}
	c->refused = c->nrefused == 0 ? palloc(2 * sizeof(char *)) :
		repalloc(c->refused, 2 * sizeof(char *) * (c->nrefused + 1));
	c->refused[2 * c->nrefused] = pstrdup(name);
	c->refused[2 * c->nrefused++ + 1] = why;
}

static void
certify_by_name(Maker *m, const char *name)
{
	DpsQuantityKind kind;
	int			variable;
	char	   *why;
	int			i;

	if (!dps_parse_quantity_name(m->certificate, name, &kind, &variable))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("quantity \"%s\" cannot be certified", name),
				 errhint("Quantities are infimum, supremum, add_remove, replace, metric, metric_l1, metric_linf, attribute:<column> and slope:<column>.")));
	for (i = 0; i < m->certificate->nquantities; i++)
	{
		if (m->certificate->quantity[i].kind == kind && m->certificate->quantity[i].variable == variable)
			return;
	}
	why = certify(m, kind, variable);
	if (why != NULL)
		refuse(m, name, why);
}

/* Raises an error if the value has no bounds, as queries do: nothing can be certified
 * then. */
static void
check_values(Maker *m)
{
	const DpsBracket *infimum = value_bracket(m, DPS_INFIMUM);
	const DpsBracket *supremum = value_bracket(m, DPS_SUPREMUM);

	dps_refuse_bracket(m->search.graph, infimum, "the expression", 0);
	dps_refuse_bracket(m->search.graph, supremum, "the expression", 0);
	if (supremum->empty)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the expression is always null")));
}

static void
certify_all(Maker *m, ArrayType *names)
{
	static const char *const usual[] = {"infimum", "supremum", "add_remove", "replace", "metric"};
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	int			i;

	if (names == NULL)
	{
		for (i = 0; i < (int) lengthof(usual); i++)
			certify_by_name(m, usual[i]);
		return;
	}
	m->chosen = true;
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	for (i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("quantities must not be null")));
		certify_by_name(m, TextDatumGetCString(elements[i]));
	}
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no quantity to be certified")));
}

/* Both analyses are of the text and ranges as the document has them. */
Jsonb *
dps_make_certificate(const DpsAnalysis *analysis, ArrayType *names, int32 max_boxes)
{
	Maker		m = {.max_boxes = max_boxes};
	char	   *expression = dps_node_sql(analysis->graph, analysis->node);
	Jsonb	   *ranges;

	if (max_boxes < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_boxes must be positive")));
	if (expression == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the expression is too long for a certificate")));
	ranges = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(dps_ranges_to_json(analysis))));
	m.certificate = palloc(sizeof(DpsCertificate));
	dps_certificate_init(m.certificate, expression, ranges);
	dps_prepare_ranges(expression, ranges, &m.search);
	check_values(&m);
	certify_all(&m, names);
	return dps_certificate_to_jsonb(m.certificate);
}
