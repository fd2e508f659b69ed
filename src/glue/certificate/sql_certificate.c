/*
 * sql_certificate.c
 *		dpsens.certificate, certificate_of and verify_certificate.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/regproc.h"

#include "glue/analysis/row.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/certificate/quantity_certificate.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/parse.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_certificate);
DPS_SQL_FUNCTION(dpsens_certificate_of);
DPS_SQL_FUNCTION(dpsens_verify_certificate);

/* certificate(expression, ranges, quantities, max_boxes) */
Datum
dpsens_certificate(PG_FUNCTION_ARGS)
{
	DpsAnalysis analysis;

	dps_refuse_null(fcinfo, 0, "expression");
	dps_refuse_null(fcinfo, 1, "ranges");
	dps_refuse_null(fcinfo, 3, "max_boxes");
	dps_prepare_ranges(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1), &analysis);
	PG_RETURN_JSONB_P(dps_make_certificate(&analysis, PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
										   PG_GETARG_INT32(3)));
}

/* certificate_of(expression, quantities, max_boxes) */
Datum
dpsens_certificate_of(PG_FUNCTION_ARGS)
{
	Oid			function;
	Oid			relation;
	DpsRowAnalysis row;
	int			j;

	dps_refuse_null(fcinfo, 0, "expression");
	dps_refuse_null(fcinfo, 2, "max_boxes");
	function = PG_GETARG_OID(0);
	relation = dps_expression_relation(function);
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function %s is not a row expression", format_procedure(function))));
	dps_prepare_row(relation, dps_expression_body(function), NULL, &row);
	/* in the document, the epoch of a timestamp is a column with a simple name */
	for (j = 0; j < row.analysis.graph->nvariables; j++)
		row.analysis.graph->variables[j].name = quote_identifier(dps_variable_key(row.analysis.graph, j));
	PG_RETURN_JSONB_P(dps_make_certificate(&row.analysis, PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1),
										   PG_GETARG_INT32(2)));
}

/* Describes a proof's flaw, NULL if it has none; boxes and steps count from 1. */
static char *
describe_flaw(const DpsCertificateVerdict *v)
{
	size_t		box = v->box + 1;
	size_t		step = v->step + 1;

	switch (v->flaw)
	{
		case DPS_FLAW_NONE:
			break;
		case DPS_FLAW_MISSING:
			return psprintf("the %zu boxes do not cover the ranges", v->box);
		case DPS_FLAW_LEFT_OVER:
			return psprintf("there are boxes or cuts beyond the %zu that cover the ranges", v->box);
		case DPS_FLAW_CUT:
			return psprintf("the cut of step %zu does not part its region", step);
		case DPS_FLAW_BOX:
			return psprintf("box %zu is not what the cuts leave for it", box);
		case DPS_FLAW_UNDEFINED:
			return psprintf("not proved defined and finite on box %zu", box);
		case DPS_FLAW_FACE:
			return psprintf("not proved monotone toward the face of step %zu", step);
		case DPS_FLAW_METHOD:
			return psprintf("box %zu is not bounded by the method that it states", box);
		case DPS_FLAW_UPPER:
			return psprintf("the upper end of box %zu is %.17g, not %.17g", box, v->found, v->stated);
		case DPS_FLAW_ABOVE:
			return psprintf("box %zu reaches up to %.17g, above %.17g", box, v->found, v->stated);
		case DPS_FLAW_JUMP:
			return psprintf("a jump is not excluded on box %zu", box);
		case DPS_FLAW_TURN:
			return psprintf("step %zu leaves out values that have its phase", step);
		case DPS_FLAW_WITNESS:
			return pstrdup("the witness is not a row of the ranges with a value");
		case DPS_FLAW_LOWER:
			return psprintf("the witness reaches %.17g, not %.17g", v->found, v->stated);
	}
	return NULL;
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Returns NULL, or the part's flaw; adds the number of boxes. */
static char *
check_part(const DpsCertificatePart *part, int64 *boxes)
{
	const DpsGraph *graph = part->claim.graph;
	DpsCertificateVerdict	verdict;
	char	   *flaw;

	if (!same_text(part->expression, dps_node_sql(graph, part->claim.node)) ||
		!same_text(part->score, part->claim.score == NULL ? NULL : dps_node_sql(graph, part->claim.score)))
		return pstrdup("the expression stated is not the one that is bounded");
	dps_check_status(dps_check_proof(&part->claim, &part->proof, &verdict));
	*boxes += verdict.box;
	flaw = describe_flaw(&verdict);
	if (flaw != NULL || part->lower == -INFINITY)
		return flaw;
	dps_check_status(dps_check_witness(&part->claim, part->witness, part->lower, &verdict));
	return describe_flaw(&verdict);
}

/* Returns NULL if the ends follow from those of the parts, else which does not. */
static char *
check_ends(const DpsCertificate *c, const DpsCertified *q)
{
	double		lower;
	double		upper;

	dps_quantity_ends(c, q->kind, q->variable, &lower, &upper);
	if (q->lower > lower)
		return psprintf("the parts prove a lower end of %.17g, not %.17g", lower, q->lower);
	if (q->upper < upper)
		return psprintf("the parts prove an upper end of %.17g, not %.17g", upper, q->upper);
	return NULL;
}

static void
put_quantity(ReturnSetInfo *result, const DpsCertificate *c, const DpsCertified *q, char **flaws,
			 const int64 *boxes)
{
	Datum		values[6];
	bool		nulls[6] = {false};
	DpsClaimName claims[DPS_MAX_QUANTITY_CLAIMS];
	int			n = dps_quantity_claims(c, q->kind, q->variable, claims);
	int64		total = 0;
	char	   *reason = NULL;
	int			i;
	int			k;

	for (i = 0; i < n; i++)
	{
		const DpsCertificatePart *part = dps_find_part(c, claims[i].kind, claims[i].variable);

		for (k = 0; c->part[k] != part; k++)
			;
		total += boxes[k];
		if (reason == NULL && flaws[k] != NULL)
			reason = psprintf("%s: %s", dps_claim_name(c, claims[i].kind, claims[i].variable), flaws[k]);
	}
	if (reason == NULL)
		reason = check_ends(c, q);
	values[0] = CStringGetTextDatum(dps_quantity_name(&c->analysis, q->kind, q->variable));
	values[1] = BoolGetDatum(reason == NULL);
	values[2] = Int64GetDatum(total);
	values[3] = Float8GetDatum(q->lower);
	nulls[3] = isinf(q->lower);
	values[4] = Float8GetDatum(q->upper);
	nulls[4] = isinf(q->upper);
	nulls[5] = reason == NULL;
	if (reason != NULL)
		values[5] = CStringGetTextDatum(reason);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* verify_certificate(certificate) */
Datum
dpsens_verify_certificate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsCertificate *c = palloc(sizeof(DpsCertificate));
	char	  **flaws;
	int64	   *boxes;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	dps_certificate_from_jsonb(c, PG_GETARG_JSONB_P(0));
	flaws = palloc0(sizeof(char *) * (c->nparts + 1));
	boxes = palloc0(sizeof(int64) * (c->nparts + 1));
	for (i = 0; i < c->nparts; i++)
		flaws[i] = check_part(c->part[i], &boxes[i]);
	for (i = 0; i < c->nquantities; i++)
		put_quantity(result, c, &c->quantity[i], flaws, boxes);
	return (Datum) 0;
}
