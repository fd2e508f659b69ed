/*
 * quantity_certificate.h
 *		Certificates: quantities of an expression, the claims that they follow
 *		from, and a proof of each claim.
 *
 * A certificate is one jsonb document, which contains all that is needed to check it:
 * dpsens.verify_certificate's comment in sql/ describes it.
 */
#ifndef DPS_GLUE_CERTIFICATE_QUANTITY_CERTIFICATE_H
#define DPS_GLUE_CERTIFICATE_QUANTITY_CERTIFICATE_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "bound/proof/certificate.h"
#include "glue/analysis/analysis.h"

#define DPS_CERTIFICATE_FORMAT "dpsens certificate"
#define DPS_CERTIFICATE_VERSION 1

/* The most claims that one quantity follows from: of a metric, two and those of each step. */
#define DPS_MAX_QUANTITY_CLAIMS (2 + 2 * DPS_MAX_VARIABLES)

/* A claim by its name; the variable is -1 if it is about none. */
typedef struct DpsClaimName
{
	DpsClaimKind kind;
	int			variable;
} DpsClaimName;

/* A claim and its proof. */
typedef struct DpsCertificatePart
{
	DpsClaim	claim;
	DpsProof	proof;
	char	   *expression;		/* the claim's; NULL if it is too long */
	char	   *score;			/* the expression of the last column; NULL if
								 * there is no score */
	double		lower;			/* attained at the witness; -Infinity: no witness */
	double		witness[DPS_CLAIM_DIMENSIONS];
} DpsCertificatePart;

typedef struct DpsCertified
{
	DpsQuantityKind kind;
	int			variable;
	double		lower;
	double		upper;
} DpsCertified;

/*
 * The analysis is that of the expression and ranges as they are written in the
 * document, so that the certificate is made and checked with the same graph.
 * Claims number the columns from 0 to ncolumns - 1.
 */
typedef struct DpsCertificate
{
	char	   *expression;
	Jsonb	   *ranges;
	DpsAnalysis analysis;
	int			ncolumns;
	uint64_t	steps;			/* integers and booleans that move by whole steps in
								 * metrics (lattice.c) */
	DpsCertificatePart   **part;
	int			nparts;
	DpsCertified *quantity;
	int			nquantities;
	char	  **refused;		/* name and reason, alternating, of each quantity
								 * that has no certificate */
	int			nrefused;
} DpsCertificate;

extern void dps_certificate_init(DpsCertificate *certificate, const char *expression, Jsonb *ranges);

/* Append a quantity or a part.  A quantity's address is valid until the next one is
 * added, that of a part for the life of the certificate. */
extern DpsCertified *dps_add_quantity(DpsCertificate *certificate);
extern DpsCertificatePart *dps_add_part(DpsCertificate *certificate);

/* The part of a claim, or NULL. */
extern DpsCertificatePart *dps_find_part(const DpsCertificate *certificate, DpsClaimKind kind, int variable);

/* The claims that a quantity follows from; returns their number, at most
 * DPS_MAX_QUANTITY_CLAIMS. */
extern int	dps_quantity_claims(const DpsCertificate *certificate, DpsQuantityKind kind, int variable,
								DpsClaimName *claims);

/* The norm of a metric quantity's gradients; false for other quantities. */
extern bool dps_metric_norm(DpsQuantityKind kind, DpsGradientNorm *norm);

/*
 * Lets these columns move by whole steps in all metrics.  To be called before the parts
 * are stated.  Returns NULL, or why they cannot.
 */
extern char *dps_set_steps(DpsCertificate *certificate, uint64_t steps);

/* The policy of a claim, without what moves by steps. */
extern DpsPolicy dps_claim_policy(const DpsCertificate *certificate, DpsClaimKind kind);

/* The bounds of the quantity that follow if the parts hold.  Raises an error if a part
 * is missing. */
extern void dps_quantity_ends(const DpsCertificate *certificate, DpsQuantityKind kind, int variable,
							  double *lower, double *upper);

/* Makes the claim's expression from its kind, variable and form, and fills in the part's
 * texts; false if the claim has no such form. */
extern bool dps_state_claim(DpsCertificate *certificate, DpsCertificatePart *part);

/* Fills in the part's texts, by its claim. */
extern void dps_describe_claim(DpsCertificatePart *part);

/* Names as in the document, "slope:age" for instance; palloc'd.  Parsing returns false
 * if the name is unknown; variable is -1 for a name without a column. */
extern char *dps_claim_name(const DpsCertificate *certificate, DpsClaimKind kind, int variable);
extern bool dps_parse_claim_name(const DpsCertificate *certificate, const char *name, DpsClaimKind *kind, int *variable);
extern bool dps_parse_quantity_name(const DpsCertificate *certificate, const char *name, DpsQuantityKind *kind,
									int *variable);

/* The column of a dimension, of a claim's graph; palloc'd. */
extern char *dps_dimension_name(const DpsGraph *graph, int k);

extern const char *dps_form_name(DpsClaimForm form);
extern const char *dps_method_name(DpsBoxMethod method);

/* The ranges of an analysis as dpsens.sensitivity takes them, as JSON. */
extern char *dps_ranges_to_json(const DpsAnalysis *analysis);

/*
 * Makes a certificate of the named quantities.  names is an array of text, of which none
 * may be refused, or NULL: infimum, supremum, add_remove, replace and metric, as far as
 * they can be certified.  max_boxes limits the boxes of each proof.
 */
extern Jsonb *dps_make_certificate(const DpsAnalysis *analysis, ArrayType *names, int32 max_boxes);

/* To and from the document.  A malformed document is an error. */
extern Jsonb *dps_certificate_to_jsonb(const DpsCertificate *certificate);
extern void dps_certificate_from_jsonb(DpsCertificate *certificate, Jsonb *document);

#endif							/* DPS_GLUE_CERTIFICATE_QUANTITY_CERTIFICATE_H */
