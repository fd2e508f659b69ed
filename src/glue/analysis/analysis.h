/*
 * analysis.h
 *		Certified quantities of a row expression, by name.
 */
#ifndef DPS_GLUE_ANALYSIS_ANALYSIS_H
#define DPS_GLUE_ANALYSIS_ANALYSIS_H

#include "postgres.h"

#include "bound/quantity/bound.h"

/*
 * The input of an analysis.  The caller fills everything up to `options`, which
 * usually come from dps_setting_bound_options(); the rest starts as zero.
 */
typedef struct DpsAnalysis
{
	DpsGraph   *graph;
	const DpsNode *node;		/* double precision */
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsPolicy	policy;

	/*
	 * Private variables on which it depends whether a row counts: by its
	 * selection, its validity or NULL.  Under replace and attribute a row
	 * that does not count adds 0.  metric takes the NULL pattern as public:
	 * its quantities do not hold where private columns select rows.
	 */
	uint64_t	deciding_variables;
	DpsBoundOptions options;

	/* The bounds of the value, once they have been searched for. */
	bool		has_infimum;
	bool		has_supremum;
	DpsBracket	infimum;
	DpsBracket	supremum;

	/* Receives the questions and answers; may be NULL. */
	struct DpsBracketRecord *record;
} DpsAnalysis;

typedef enum DpsQuantityKind
{
	DPS_INFIMUM,
	DPS_SUPREMUM,
	DPS_SUM_ADD_REMOVE,			/* max |f| */
	DPS_SUM_REPLACE,			/* the length of H, definitions, section 2 */
	DPS_SUM_METRIC,				/* K */
	DPS_SUM_METRIC_L1,			/* sup of the gradient's 1-norm */
	DPS_SUM_METRIC_LINF,		/* and of its maximum norm */
	DPS_SUM_ATTRIBUTE,			/* D_j */
	DPS_SLOPE,					/* sup |d_j f| */
	DPS_EVALUATION_ERROR		/* eta; only the upper end is set */
} DpsQuantityKind;

/* Private variables of the policy that can make the expression NULL: the
 * deciding ones of a query without conditions. */
extern uint64_t dps_null_deciding_variables(const DpsAnalysis *analysis);

/*
 * The bracket of a quantity; `variable` is used by DPS_SUM_ATTRIBUTE and DPS_SLOPE
 * only.  If no finite bound was proved, the bracket's status is not DPS_OK.
 */
extern void dps_quantity(DpsAnalysis *analysis, DpsQuantityKind kind, int variable, DpsBracket *bracket);

/* The infimum or supremum of the rows that have a value, where dps_quantity refuses
 * that of all rows; false if there is no such number either. */
extern bool dps_partial_quantity(DpsAnalysis *a, DpsQuantityKind kind, DpsBracket *bracket);

/* "infimum", "attribute:age" and so on, palloc'd. */
extern char *dps_quantity_name(const DpsAnalysis *analysis, DpsQuantityKind kind, int variable);

/* A note for the user on the bracket of a quantity, palloc'd, or NULL if there is
 * none. */
extern char *dps_quantity_note(const DpsAnalysis *analysis, DpsQuantityKind kind, int variable,
							   const DpsBracket *bracket);

/* The text of a node, palloc'd; NULL if it would be too long. */
extern char *dps_node_sql(const DpsGraph *graph, const DpsNode *node);
extern char *dps_node_latex(const DpsGraph *graph, const DpsNode *node);

/* The same to be read by people and computed by the server: of a node whose text would
 * be too long, with a name for each part that is used more than once. */
extern char *dps_formula_sql(const DpsGraph *graph, const DpsNode *node);
extern char *dps_formula_latex(const DpsGraph *graph, const DpsNode *node);

/*
 * Closed forms of definitions, section 3, arrays with an entry per variable.  With
 * weights w, norm = sqrt(sum (g_j / w_j)^2) over the private variables;
 * normalized_j = g_j / w_j / norm, whose squares sum to 1; partial_j =
 * sum_k H_jk g_k / w_k^2 / norm, which is d norm / dx_j.
 */
typedef struct DpsDerivatives
{
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *norm;
	const DpsNode *normalized[DPS_MAX_VARIABLES + 1];
	const DpsNode *partial[DPS_MAX_VARIABLES + 1];
} DpsDerivatives;

extern void dps_derive(const DpsAnalysis *analysis, DpsDerivatives *derivatives);

#endif							/* DPS_GLUE_ANALYSIS_ANALYSIS_H */
