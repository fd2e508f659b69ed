/*
 * quantity_certificate.h
 *		Certificates: quantities of an expression, the claims that they follow
 *		from, and a proof of each.
 *
 * A certificate is one jsonb document, which says all that it takes to check
 * it: dpsens.verify_certificate's comment in sql/ describes it.
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

/* Claims that one quantity can need. */
#define DPS_MAX_QUANTITY_CLAIMS 3

/* A claim and its proof. */
typedef struct DpsCertificatePart
{
	DpsClaim	claim;
	DpsProof	proof;
	char	   *expression;		/* the claim's; NULL if it is too long */
	char	   *score;			/* what the last column stands for; NULL if there
								 * is no score */
	double		lower;			/* reached at the witness; -Infinity: none */
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
 * document, so that who makes it and who checks it start from the same graph.
 * Claims number its columns from 0 to ncolumns - 1.
 */
typedef struct DpsCertificate
{
	char	   *expression;
	Jsonb	   *ranges;
	DpsAnalysis analysis;
	int			ncolumns;
	DpsCertificatePart   **part;
	int			nparts;
	DpsCertified *quantity;
	int			nquantities;
	char	  **refused;		/* names of quantities and why, in turn */
	int			nrefused;
} DpsCertificate;

extern void dps_certificate_init(DpsCertificate *certificate, const char *expression, Jsonb *ranges);

/* Room for a quantity or a part more. */
extern DpsCertified *dps_add_quantity(DpsCertificate *certificate);
extern DpsCertificatePart *dps_add_part(DpsCertificate *certificate);

/* The part of a claim, or NULL. */
extern DpsCertificatePart *dps_find_part(const DpsCertificate *certificate, DpsClaimKind kind, int variable);

/* The claims that a quantity follows from; returns how many.  They are about
 * the quantity's own variable, or about none. */
extern int	dps_quantity_claims(const DpsCertificate *certificate, DpsQuantityKind kind, int variable,
								DpsClaimKind *claims);

/* What follows for the quantity if the parts are right: it lies between. */
extern void dps_quantity_ends(const DpsCertificate *certificate, DpsQuantityKind kind, int variable,
							  double *lower, double *upper);

/* Makes the claim's expression of what the part asks for; false if it has no
 * such form. */
extern bool dps_state_claim(DpsCertificate *certificate, DpsCertificatePart *part);

/* Fills in the part's texts, by its claim. */
extern void dps_describe_claim(DpsCertificatePart *part);

/* Names as in the document, "slope:age" for instance; false if it is none. */
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
 * Makes a certificate of the quantities named, by default the usual ones; names
 * is NULL or an array of text.
 */
extern Jsonb *dps_make_certificate(const DpsAnalysis *analysis, ArrayType *names, int32 max_boxes);

/* From and to the document.  One that is malformed is an error. */
extern Jsonb *dps_certificate_to_jsonb(const DpsCertificate *certificate);
extern void dps_certificate_from_jsonb(DpsCertificate *certificate, Jsonb *document);

#endif							/* DPS_GLUE_CERTIFICATE_QUANTITY_CERTIFICATE_H */
