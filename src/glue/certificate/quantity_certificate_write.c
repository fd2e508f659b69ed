/*
 * quantity_certificate_write.c
 *		Certificates as JSON.
 *
 * Numbers are the shortest decimals that read back as the same double,
 * whatever extra_float_digits says.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "bound/quantity/jump.h"
#include "glue/bounds.h"
#include "glue/certificate/quantity_certificate.h"
#include "glue/glue.h"

/* null for a number that is not finite, which JSON cannot express. */
static void
append_number(StringInfo text, double value)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	if (!isfinite(value))
	{
		appendStringInfoString(text, "null");
		return;
	}
	/* numeric has no -0 */
	double_to_shortest_decimal_buf(value + 0.0, digits);
	appendStringInfoString(text, digits);
}

static void
append_string(StringInfo text, const char *string)
{
	if (string == NULL)
		appendStringInfoString(text, "null");
	else
		escape_json(text, string);
}

/* A comma before all but the first. */
static void
separate(StringInfo text, bool *first)
{
	if (!*first)
		appendStringInfoChar(text, ',');
	*first = false;
}

static void
append_key(StringInfo text, const char *key, bool *first)
{
	separate(text, first);
	escape_json(text, key);
	appendStringInfoChar(text, ':');
}

static void
append_numbers(StringInfo text, const double *x, int n)
{
	bool		first = true;
	int			k;

	appendStringInfoChar(text, '[');
	for (k = 0; k < n; k++)
	{
		separate(text, &first);
		append_number(text, x[k]);
	}
	appendStringInfoChar(text, ']');
}

/*
 * Ranges
 */

static void
append_range(StringInfo text, const DpsAnalysis *a, int j)
{
	DpsType		type = a->graph->variables[j].type;

	appendStringInfo(text, "{\"type\":\"%s\"", dps_type_name(type));
	if (type != DPS_BOOL)
	{
		double		ends[2] = {a->box[j].lo, a->box[j].hi};

		appendStringInfoString(text, ",\"range\":");
		append_numbers(text, ends, 2);
	}
	if (a->policy.weights[j] != 1)
	{
		appendStringInfoString(text, ",\"weight\":");
		append_number(text, a->policy.weights[j]);
	}
	if (!(a->policy.private_variables & (UINT64_C(1) << j)))
		appendStringInfoString(text, ",\"public\":true");
	if (a->box[j].nullness != DPS_NEVER_NULL)
		appendStringInfoString(text, ",\"nullable\":true");
	appendStringInfoChar(text, '}');
}

char *
dps_ranges_to_json(const DpsAnalysis *analysis)
{
	StringInfoData text;
	bool		first = true;
	int			j;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (j = 0; j < analysis->graph->nvariables; j++)
	{
		append_key(&text, dps_variable_key(analysis->graph, j), &first);
		append_range(&text, analysis, j);
	}
	appendStringInfoChar(&text, '}');
	return text.data;
}

/*
 * Proofs
 */

static void
append_domains(StringInfo text, const DpsDomain *domain, int n)
{
	bool		first = true;
	int			k;

	appendStringInfoChar(text, '[');
	for (k = 0; k < n; k++)
	{
		separate(text, &first);
		if (domain[k].nullness == DPS_ALWAYS_NULL)
		{
			appendStringInfoString(text, "null");
			continue;
		}
		appendStringInfoChar(text, '[');
		append_number(text, domain[k].lo);
		appendStringInfoChar(text, ',');
		append_number(text, domain[k].hi);
		appendStringInfoString(text, domain[k].nullness == DPS_MAYBE_NULL ? ",null]" : "]");
	}
	appendStringInfoChar(text, ']');
}

/* The columns that faces have moved to an end of their ranges, and that end. */
static void
append_ends(StringInfo text, const DpsGraph *graph, const DpsStep *step, int n)
{
	bool		first = true;
	int			k;

	for (k = 0; k < n; k++)
	{
		const DpsDomain *region = &step->region[k];
		const DpsDomain *covered = &step->covered[k];

		if (region->nullness == DPS_ALWAYS_NULL || (region->lo == covered->lo && region->hi == covered->hi))
			continue;
		if (first)
			appendStringInfoString(text, ",\"face\":{");
		append_key(text, dps_dimension_name(graph, k), &first);
		append_number(text, region->lo);
	}
	if (!first)
		appendStringInfoChar(text, '}');
}

static void
append_box(StringInfo text, const DpsGraph *graph, const DpsStep *step, int n)
{
	appendStringInfoString(text, "{\"box\":");
	append_domains(text, step->covered, n);
	append_ends(text, graph, step, n);
	appendStringInfo(text, ",\"by\":\"%s\"", dps_method_name(step->method));
	if (step->method != DPS_BY_CONTINUITY)
	{
		appendStringInfoString(text, ",\"upper\":");
		append_number(text, step->upper);
	}
	if (step->method == DPS_BY_MEAN_VALUE)
	{
		appendStringInfoString(text, ",\"centre\":");
		append_numbers(text, step->centre, n);
	}
	appendStringInfoChar(text, '}');
}

static void
append_face(StringInfo text, const DpsGraph *graph, const DpsStep *step, int n)
{
	bool		first = true;
	int			k;

	appendStringInfoString(text, "{\"face\":{");
	for (k = 0; k < n; k++)
	{
		uint64_t	bit = UINT64_C(1) << k;

		if (!((step->to_lo | step->to_hi) & bit))
			continue;
		append_key(text, dps_dimension_name(graph, k), &first);
		appendStringInfoString(text, step->to_hi & bit ? "\"hi\"" : "\"lo\"");
	}
	appendStringInfoString(text, "}}");
}

static void
append_branch(StringInfo text, const DpsGraph *graph, const DpsStep *step, int n)
{
	switch (step->kind)
	{
		case DPS_STEP_BOX:
			appendStringInfoString(text, "null");
			break;
		case DPS_STEP_CUT:
			appendStringInfoString(text, "{\"cut\":");
			append_string(text, dps_dimension_name(graph, step->variable));
			appendStringInfoString(text, ",\"at\":");
			append_number(text, step->at);
			appendStringInfoChar(text, '}');
			break;
		case DPS_STEP_CUT_NULL:
			appendStringInfoString(text, "{\"null\":");
			append_string(text, dps_dimension_name(graph, step->variable));
			appendStringInfoChar(text, '}');
			break;
		case DPS_STEP_FACE:
			append_face(text, graph, step, n);
			break;
		case DPS_STEP_TURN:
			appendStringInfoString(text, "{\"turn\":");
			append_string(text, dps_dimension_name(graph, step->variable));
			appendStringInfoString(text, ",\"to\":");
			append_numbers(text, (double[]) {step->lo, step->hi}, 2);
			appendStringInfoChar(text, '}');
			break;
	}
}

static void
append_proof(StringInfo text, const DpsGraph *graph, const DpsProof *proof, int n)
{
	bool		first = true;
	size_t		i;

	appendStringInfoString(text, ",\"tree\":[");
	for (i = 0; i < proof->nsteps; i++)
	{
		separate(text, &first);
		append_branch(text, graph, &proof->steps[i], n);
	}
	appendStringInfoString(text, "],\"boxes\":[");
	first = true;
	for (i = 0; i < proof->nsteps; i++)
	{
		if (proof->steps[i].kind != DPS_STEP_BOX)
			continue;
		separate(text, &first);
		append_box(text, graph, &proof->steps[i], n);
	}
	appendStringInfoChar(text, ']');
}

/* A jump that is no more than the rounding of constants; it is there to be read. */
static void
append_jump(StringInfo text, const DpsClaim *claim)
{
	double		jump;

	dps_check_status(dps_rounded_jumps(claim->graph, claim->guard[0], claim->box, claim->private_variables, &jump));
	if (jump == 0)
		return;
	appendStringInfoString(text, ",\"jump\":");
	append_number(text, jump);
}

/* The columns that have phases: {"other": {"of": "a", "range": [0, 6.3]}} */
static void
append_phases(StringInfo text, const DpsClaim *claim)
{
	bool		first = true;
	int			p;

	if (claim->nphases == 0)
		return;
	appendStringInfoString(text, ",\"phases\":{");
	for (p = 0; p < claim->nphases; p++)
	{
		const DpsPhase *phase = &claim->phase[p];

		append_key(text, dps_dimension_name(claim->graph, phase->dimension), &first);
		appendStringInfoString(text, "{\"of\":");
		append_string(text, dps_dimension_name(claim->graph, phase->column));
		appendStringInfoString(text, ",\"range\":");
		append_numbers(text, (double[]) {claim->root[phase->dimension].lo, claim->root[phase->dimension].hi}, 2);
		appendStringInfoChar(text, '}');
	}
	appendStringInfoChar(text, '}');
}

static void
append_part(StringInfo text, const DpsCertificatePart *part)
{
	const DpsClaim *claim = &part->claim;
	const DpsGraph *graph = claim->graph;
	int			n = claim->ndimensions;
	bool		first = true;
	int			k;

	appendStringInfoString(text, "{\"expression\":");
	append_string(text, part->expression);
	appendStringInfo(text, ",\"form\":\"%s\",\"columns\":[", dps_form_name(claim->form));
	for (k = 0; k < n; k++)
	{
		separate(text, &first);
		append_string(text, dps_dimension_name(graph, k));
	}
	appendStringInfoChar(text, ']');
	if (claim->score != NULL)
	{
		appendStringInfoString(text, ",\"score\":");
		append_string(text, part->score);
	}
	append_phases(text, claim);
	if (claim->kind != DPS_CLAIM_CONTINUITY)
	{
		appendStringInfoString(text, ",\"upper\":");
		append_number(text, part->proof.upper);
	}
	else
		append_jump(text, claim);
	if (isfinite(part->lower))
	{
		appendStringInfoString(text, ",\"lower\":");
		append_number(text, part->lower);
		appendStringInfoString(text, ",\"witness\":");
		append_numbers(text, part->witness, claim->nwitness);
	}
	append_proof(text, graph, &part->proof, n);
	appendStringInfoChar(text, '}');
}

/*
 * The document
 */

static void
append_steps(StringInfo text, const DpsCertificate *certificate)
{
	bool		first = true;
	int			k;

	if (certificate->steps == 0)
		return;
	appendStringInfoString(text, ",\"steps\":[");
	for (k = 0; k < certificate->ncolumns; k++)
	{
		if (!(certificate->steps & (UINT64_C(1) << k)))
			continue;
		separate(text, &first);
		append_string(text, dps_dimension_name(certificate->analysis.graph, k));
	}
	appendStringInfoChar(text, ']');
}

static void
append_quantities(StringInfo text, const DpsCertificate *certificate)
{
	bool		first = true;
	int			i;

	appendStringInfoString(text, ",\"quantities\":{");
	for (i = 0; i < certificate->nquantities; i++)
	{
		const DpsCertified *q = &certificate->quantity[i];

		append_key(text, dps_quantity_name(&certificate->analysis, q->kind, q->variable), &first);
		appendStringInfoString(text, "{\"lower\":");
		append_number(text, q->lower);
		appendStringInfoString(text, ",\"upper\":");
		append_number(text, q->upper);
		appendStringInfoChar(text, '}');
	}
	appendStringInfoChar(text, '}');
}

static void
append_refused(StringInfo text, const DpsCertificate *certificate)
{
	bool		first = true;
	int			i;

	if (certificate->nrefused == 0)
		return;
	appendStringInfoString(text, ",\"refused\":{");
	for (i = 0; i < certificate->nrefused; i++)
	{
		append_key(text, certificate->refused[2 * i], &first);
		append_string(text, certificate->refused[2 * i + 1]);
	}
	appendStringInfoChar(text, '}');
}

Jsonb *
dps_certificate_to_jsonb(const DpsCertificate *certificate)
{
	StringInfoData text;
	bool		first = true;
	int			i;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"format\":\"%s\",\"version\":%d,\"expression\":",
					 DPS_CERTIFICATE_FORMAT, DPS_CERTIFICATE_VERSION);
	append_string(&text, certificate->expression);
	appendStringInfoString(&text, ",\"ranges\":");
	(void) JsonbToCString(&text, &certificate->ranges->root, VARSIZE(certificate->ranges));
	append_steps(&text, certificate);
	append_quantities(&text, certificate);
	append_refused(&text, certificate);
	appendStringInfoString(&text, ",\"parts\":{");
	for (i = 0; i < certificate->nparts; i++)
	{
		const DpsClaim *claim = &certificate->part[i]->claim;

		CHECK_FOR_INTERRUPTS();
		append_key(&text, dps_claim_name(certificate, claim->kind, claim->variable), &first);
		append_part(&text, certificate->part[i]);
	}
	appendStringInfoString(&text, "}}");
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}
