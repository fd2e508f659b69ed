/*
 * quantity_certificate.c
 *		The claims that a quantity follows from, and how its bounds follow.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "bound/quantity/lattice.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/certificate/quantity_certificate.h"
#include "glue/glue.h"

static const struct
{
	const char *name;
	bool		of_column;
}			claim_names[] =
{
	[DPS_CLAIM_VALUE] = {"value", false},
	[DPS_CLAIM_NEGATED] = {"negated_value", false},
	[DPS_CLAIM_STEEPNESS] = {"steepness", false},
	[DPS_CLAIM_CONTINUITY] = {"continuity", false},
	[DPS_CLAIM_MOVE] = {"move", true},
	[DPS_CLAIM_SLOPE] = {"slope", true},
	[DPS_CLAIM_NEGATED_SLOPE] = {"negated_slope", true},
	[DPS_CLAIM_STEEPNESS_SUM] = {"steepness_sum", false},
	[DPS_CLAIM_STEEPEST] = {"steepest", false},
	[DPS_CLAIM_STEP_DOWN] = {"step_down", true},
	[DPS_CLAIM_STEP_UP] = {"step_up", true}
};

/* Quantities that can be certified. */
static const struct
{
	DpsQuantityKind kind;
	const char *name;
	bool		of_column;
}			quantity_names[] =
{
	{DPS_INFIMUM, "infimum", false},
	{DPS_SUPREMUM, "supremum", false},
	{DPS_SUM_ADD_REMOVE, "add_remove", false},
	{DPS_SUM_REPLACE, "replace", false},
	{DPS_SUM_METRIC, "metric", false},
	{DPS_SUM_METRIC_L1, "metric_l1", false},
	{DPS_SUM_METRIC_LINF, "metric_linf", false},
	{DPS_SUM_ATTRIBUTE, "attribute", true},
	{DPS_SLOPE, "slope", true}
};

static const char *const form_names[] = {
	[DPS_FORM_PLAIN] = "plain",
	[DPS_FORM_REWRITTEN] = "rewritten",
	[DPS_FORM_SCORED] = "scored",
	[DPS_FORM_AFFINE] = "affine",
	[DPS_FORM_SCORED_AFFINE] = "scored affine",
	[DPS_FORM_TURNING] = "turning"
};

static const char *const method_names[] = {
	[DPS_BY_INTERVAL] = "interval",
	[DPS_BY_MEAN_VALUE] = "mean value",
	[DPS_BY_NULL] = "null",
	[DPS_BY_CONTINUITY] = "continuity",
	[DPS_BY_COVER] = "cover",
	[DPS_BY_QUADRATIC] = "quadratic",
	[DPS_BY_PHASE] = "phase"
};

/*
 * Names
 */

const char *
dps_form_name(DpsClaimForm form)
{
	return form_names[form];
}

const char *
dps_method_name(DpsBoxMethod method)
{
	return method_names[method];
}

char *
dps_dimension_name(const DpsGraph *graph, int k)
{
	return dps_variable_key(graph, k);
}

char *
dps_claim_name(const DpsCertificate *certificate, DpsClaimKind kind, int variable)
{
	if (!claim_names[kind].of_column)
		return pstrdup(claim_names[kind].name);
	return psprintf("%s:%s", claim_names[kind].name, dps_dimension_name(certificate->analysis.graph, variable));
}

/* Is it this name, followed by a colon and a column if of_column is set? */
static bool
is_name(const DpsCertificate *certificate, const char *name, const char *known, bool of_column, int *variable)
{
	size_t		length = strlen(known);
	int			j;

	*variable = -1;
	if (!of_column)
		return strcmp(name, known) == 0;
	if (strncmp(name, known, length) != 0 || name[length] != ':')
		return false;
	for (j = 0; j < certificate->ncolumns; j++)
	{
		if (strcmp(dps_dimension_name(certificate->analysis.graph, j), name + length + 1) != 0)
			continue;
		*variable = j;
		return true;
	}
	return false;
}

bool
dps_parse_claim_name(const DpsCertificate *certificate, const char *name, DpsClaimKind *kind, int *variable)
{
	int			i;

	for (i = 0; i < (int) lengthof(claim_names); i++)
	{
		*kind = i;
		if (is_name(certificate, name, claim_names[i].name, claim_names[i].of_column, variable))
			return true;
	}
	return false;
}

bool
dps_parse_quantity_name(const DpsCertificate *certificate, const char *name, DpsQuantityKind *kind, int *variable)
{
	int			i;

	for (i = 0; i < (int) lengthof(quantity_names); i++)
	{
		*kind = quantity_names[i].kind;
		if (is_name(certificate, name, quantity_names[i].name, quantity_names[i].of_column, variable))
			return true;
	}
	return false;
}

/*
 * Parts
 */

void
dps_certificate_init(DpsCertificate *certificate, const char *expression, Jsonb *ranges)
{
	memset(certificate, 0, sizeof(*certificate));
	certificate->expression = pstrdup(expression);
	certificate->ranges = ranges;
	dps_prepare_ranges(certificate->expression, ranges, &certificate->analysis);
	certificate->ncolumns = certificate->analysis.graph->nvariables;
}

DpsCertified *
dps_add_quantity(DpsCertificate *certificate)
{
	int			n = certificate->nquantities++;

	if (n == 0)
		certificate->quantity = palloc(sizeof(DpsCertified));
	else
		certificate->quantity = repalloc(certificate->quantity, sizeof(DpsCertified) * (n + 1));
	return &certificate->quantity[n];
}

/* The new part's claim, proof and witness are zero. */
DpsCertificatePart *
dps_add_part(DpsCertificate *certificate)
{
	int			n = certificate->nparts++;

	if (n == 0)
		certificate->part = palloc(sizeof(DpsCertificatePart *));
	else
		certificate->part = repalloc(certificate->part, sizeof(DpsCertificatePart *) * (n + 1));
	certificate->part[n] = palloc0(sizeof(DpsCertificatePart));
	certificate->part[n]->lower = -INFINITY;
	return certificate->part[n];
}

DpsCertificatePart *
dps_find_part(const DpsCertificate *certificate, DpsClaimKind kind, int variable)
{
	int			i;

	for (i = 0; i < certificate->nparts; i++)
	{
		DpsCertificatePart    *part = certificate->part[i];

		if (part->claim.kind == kind && (!claim_names[kind].of_column || part->claim.variable == variable))
			return part;
	}
	return NULL;
}

bool
dps_state_claim(DpsCertificate *certificate, DpsCertificatePart *part)
{
	DpsAnalysis *a = &certificate->analysis;
	DpsPolicy	policy = dps_claim_policy(certificate, part->claim.kind);
	DpsStatus	status;

	status = dps_claim_init(&part->claim, a->graph, a->node, a->box, certificate->ncolumns, &policy);
	if (status == DPS_UNABLE)
		return false;
	dps_check_status(status);
	dps_describe_claim(part);
	return true;
}

void
dps_describe_claim(DpsCertificatePart *part)
{
	const DpsGraph *graph = part->claim.graph;

	part->expression = dps_node_sql(graph, part->claim.node);
	part->score = part->claim.score == NULL ? NULL : dps_node_sql(graph, part->claim.score);
}

/*
 * Steps
 */

static bool
moves_by_steps(const DpsCertificate *c, int k)
{
	return (c->steps & (UINT64_C(1) << k)) != 0;
}

/* Only a private integer that is not constant has steps. */
static char *
refuse_step(const DpsCertificate *c, int k)
{
	const DpsAnalysis *a = &c->analysis;

	if (k < c->ncolumns && a->box[k].integral && a->box[k].lo < a->box[k].hi && a->box[k].nullness != DPS_ALWAYS_NULL &&
		(a->policy.private_variables & (UINT64_C(1) << k)))
		return NULL;
	return psprintf("\"%s\" does not move by steps", dps_dimension_name(a->graph, k));
}

char *
dps_set_steps(DpsCertificate *certificate, uint64_t steps)
{
	DpsAnalysis *a = &certificate->analysis;
	bool		only_by_cells;
	char	   *why = NULL;
	int			k;

	for (k = 0; k < certificate->ncolumns && why == NULL; k++)
		if (steps & (UINT64_C(1) << k))
			why = refuse_step(certificate, k);
	if (why != NULL)
		return why;
	dps_check_status(dps_null_by_cells(a->graph, a->node, a->box, &only_by_cells));
	if (!only_by_cells)
		return pstrdup("the expression may be null where no column is");
	certificate->steps = steps;
	return NULL;
}

static bool
is_about_lines(DpsClaimKind kind)
{
	return kind == DPS_CLAIM_CONTINUITY || dps_is_steepness(kind);
}

DpsPolicy
dps_claim_policy(const DpsCertificate *certificate, DpsClaimKind kind)
{
	DpsPolicy	policy = certificate->analysis.policy;

	if (is_about_lines(kind))
		policy.private_variables &= ~certificate->steps;
	return policy;
}

/*
 * Quantities
 */

static const struct
{
	DpsQuantityKind kind;
	DpsClaimKind claim;
	DpsGradientNorm norm;
}			metrics[] =
{
	{DPS_SUM_METRIC, DPS_CLAIM_STEEPNESS, DPS_NORM_2},
	{DPS_SUM_METRIC_L1, DPS_CLAIM_STEEPNESS_SUM, DPS_NORM_1},
	{DPS_SUM_METRIC_LINF, DPS_CLAIM_STEEPEST, DPS_NORM_INFINITY}
};

static int
find_metric(DpsQuantityKind kind)
{
	int			i;

	for (i = 0; i < (int) lengthof(metrics); i++)
		if (metrics[i].kind == kind)
			return i;
	return -1;
}

bool
dps_metric_norm(DpsQuantityKind kind, DpsGradientNorm *norm)
{
	int			i = find_metric(kind);

	if (i >= 0)
		*norm = metrics[i].norm;
	return i >= 0;
}

/* Does the quantity include 0, the contribution of a row that does not count?  It does
 * if its column, or any column if variable is -1, can decide whether the row counts. */
static bool
includes_zero(const DpsCertificate *certificate, int variable)
{
	uint64_t	deciding = certificate->analysis.deciding_variables;

	return variable < 0 ? deciding != 0 : (deciding & (UINT64_C(1) << variable)) != 0;
}

/* A boolean has two values and no sum, so one move is its step. */
static int
step_claims(const DpsCertificate *c, int k, DpsClaimName *claims)
{
	if (c->analysis.graph->variables[k].type == DPS_BOOL)
	{
		claims[0] = (DpsClaimName) {DPS_CLAIM_MOVE, k};
		return 1;
	}
	claims[0] = (DpsClaimName) {DPS_CLAIM_STEP_DOWN, k};
	claims[1] = (DpsClaimName) {DPS_CLAIM_STEP_UP, k};
	return 2;
}

static int
metric_claims(const DpsCertificate *c, DpsClaimKind steepness, DpsClaimName *claims)
{
	int			n = 0;
	int			k;

	claims[n++] = (DpsClaimName) {DPS_CLAIM_CONTINUITY, -1};
	claims[n++] = (DpsClaimName) {steepness, -1};
	for (k = 0; k < c->ncolumns; k++)
		if (moves_by_steps(c, k))
			n += step_claims(c, k, claims + n);
	return n;
}

int
dps_quantity_claims(const DpsCertificate *certificate, DpsQuantityKind kind, int variable, DpsClaimName *claims)
{
	int			metric = find_metric(kind);
	int			n = 0;

	if (metric >= 0)
		return metric_claims(certificate, metrics[metric].claim, claims);

	switch (kind)
	{
		case DPS_INFIMUM:
			claims[n++] = (DpsClaimName) {DPS_CLAIM_NEGATED, -1};
			break;
		case DPS_SUPREMUM:
			claims[n++] = (DpsClaimName) {DPS_CLAIM_VALUE, -1};
			break;
		case DPS_SUM_ADD_REMOVE:
		case DPS_SUM_REPLACE:
			claims[n++] = (DpsClaimName) {DPS_CLAIM_VALUE, -1};
			claims[n++] = (DpsClaimName) {DPS_CLAIM_NEGATED, -1};
			break;
		case DPS_SUM_ATTRIBUTE:
			claims[n++] = (DpsClaimName) {DPS_CLAIM_MOVE, variable};
			if (includes_zero(certificate, variable))
			{
				claims[n++] = (DpsClaimName) {DPS_CLAIM_VALUE, -1};
				claims[n++] = (DpsClaimName) {DPS_CLAIM_NEGATED, -1};
			}
			break;
		case DPS_SLOPE:
			claims[n++] = (DpsClaimName) {DPS_CLAIM_SLOPE, variable};
			claims[n++] = (DpsClaimName) {DPS_CLAIM_NEGATED_SLOPE, variable};
			break;
		default:
			break;
	}
	return n;
}

typedef struct Ends
{
	double		lower;
	double		upper;
} Ends;

static Ends
ends_of(const DpsCertificate *certificate, DpsClaimKind kind, int variable)
{
	const DpsCertificatePart *part = dps_find_part(certificate, kind, variable);

	if (part == NULL)
		elog(ERROR, "certificate has no part \"%s\"", claim_names[kind].name);
	return (Ends) {part->lower, part->proof.upper};
}

static Ends
greater(Ends a, Ends b)
{
	return (Ends) {fmax(a.lower, b.lower), fmax(a.upper, b.upper)};
}

static Ends
magnitude(const DpsCertificate *certificate)
{
	return greater(ends_of(certificate, DPS_CLAIM_VALUE, -1), ends_of(certificate, DPS_CLAIM_NEGATED, -1));
}

/* sup f - inf f; with 0 among the values, the greater of that and sup |f|: 0 lies
 * between the ends or beyond one of them. */
static Ends
length(const DpsCertificate *certificate)
{
	Ends		value = ends_of(certificate, DPS_CLAIM_VALUE, -1);
	Ends		negated = ends_of(certificate, DPS_CLAIM_NEGATED, -1);
	Ends		sum = {dps_add_down(value.lower, negated.lower), dps_add_up(value.upper, negated.upper)};

	return includes_zero(certificate, -1) ? greater(sum, magnitude(certificate)) : sum;
}

static Ends
steepness(const DpsCertificate *certificate, DpsClaimKind kind)
{
	Ends		ends = ends_of(certificate, kind, -1);

	if (!dps_find_part(certificate, kind, -1)->claim.squared)
		return ends;
	return (Ends) {dps_sqrt_down(fmax(ends.lower, 0)), dps_sqrt_up(fmax(ends.upper, 0))};
}

static Ends
step(const DpsCertificate *certificate, int k)
{
	DpsClaimName claims[2];
	Ends		ends = {0, 0};
	int			n = step_claims(certificate, k, claims);

	while (n-- > 0)
		ends = greater(ends, ends_of(certificate, claims[n].kind, k));
	return ends;
}

static void
add_ends(DpsBracket *whole, Ends ends, double weight, DpsGradientNorm norm)
{
	DpsBracket	part = {.lower = ends.lower, .upper = ends.upper, .boxes = 1};

	dps_norm_add_part(whole, &part, weight, norm);
}

static Ends
metric(const DpsCertificate *certificate, DpsQuantityKind kind)
{
	int			i = find_metric(kind);
	DpsBracket	whole = {0};
	int			k;

	if (certificate->steps == 0)
		return steepness(certificate, metrics[i].claim);
	add_ends(&whole, greater(steepness(certificate, metrics[i].claim), (Ends) {0, 0}), 1.0, metrics[i].norm);
	for (k = 0; k < certificate->ncolumns; k++)
		if (moves_by_steps(certificate, k))
			add_ends(&whole, step(certificate, k), certificate->analysis.policy.weights[k], metrics[i].norm);
	dps_norm_close(&whole, metrics[i].norm);
	return (Ends) {whole.lower, whole.upper};
}

static Ends
attribute(const DpsCertificate *certificate, int variable)
{
	Ends		ends = ends_of(certificate, DPS_CLAIM_MOVE, variable);

	return includes_zero(certificate, variable) ? greater(ends, magnitude(certificate)) : ends;
}

static Ends
quantity_ends(const DpsCertificate *certificate, DpsQuantityKind kind, int variable)
{
	const Ends	zero = {0, 0};

	switch (kind)
	{
		case DPS_INFIMUM:
			{
				Ends		negated = ends_of(certificate, DPS_CLAIM_NEGATED, -1);

				return (Ends) {-negated.upper, -negated.lower};
			}
		case DPS_SUPREMUM:
			return ends_of(certificate, DPS_CLAIM_VALUE, -1);
		case DPS_SUM_ADD_REMOVE:
			return greater(magnitude(certificate), zero);
		case DPS_SUM_REPLACE:
			return greater(length(certificate), zero);
		case DPS_SUM_METRIC:
		case DPS_SUM_METRIC_L1:
		case DPS_SUM_METRIC_LINF:
			return greater(metric(certificate, kind), zero);
		case DPS_SUM_ATTRIBUTE:
			return greater(attribute(certificate, variable), zero);
		case DPS_SLOPE:
			return greater(greater(ends_of(certificate, DPS_CLAIM_SLOPE, variable),
								   ends_of(certificate, DPS_CLAIM_NEGATED_SLOPE, variable)), zero);
		default:
			break;
	}
	elog(ERROR, "quantity %d cannot be certified", (int) kind);
	return zero;				/* keep the compiler quiet */
}

void
dps_quantity_ends(const DpsCertificate *certificate, DpsQuantityKind kind, int variable, double *lower, double *upper)
{
	Ends		ends = quantity_ends(certificate, kind, variable);

	/* -0 is shown as 0 */
	*lower = ends.lower + 0.0;
	*upper = ends.upper + 0.0;
}
