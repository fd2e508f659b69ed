/*
 * vector_bounds.h
 *		Certified quantities of vectors of row expressions, by name.
 */
#ifndef DPS_GLUE_ANALYSIS_VECTOR_BOUNDS_H
#define DPS_GLUE_ANALYSIS_VECTOR_BOUNDS_H

#include "postgres.h"

#include "bound/vector/joint.h"
#include "glue/analysis/analysis.h"

/*
 * The input of an analysis: n entries over the columns, box and policy of `analysis`,
 * whose node is the first entry.  A row adds its vector where all entries have a value,
 * else nothing; so the deciding variables are those of all entries.
 */
typedef struct DpsVectorAnalysis
{
	DpsAnalysis analysis;
	int			n;				/* 0 for an expression that is no vector */
	const DpsNode *entry[DPS_MAX_ENTRIES];
	DpsJoint	joint;
} DpsVectorAnalysis;

/* Fills in the analysis's node and deciding variables, and `joint`, from the other
 * fields. */
extern void dps_prepare_vector(DpsVectorAnalysis *vector);

/* The bracket of DPS_SUM_ADD_REMOVE, DPS_SUM_REPLACE, DPS_SUM_METRIC or, of a
 * variable, DPS_SUM_ATTRIBUTE, in a norm of the vector. */
extern void dps_vector_quantity(DpsVectorAnalysis *vector, DpsQuantityKind kind, DpsGradientNorm norm, int variable,
								DpsJointBracket *result);

/* "replace_l2", "attribute_l1:age" and so on, palloc'd. */
extern char *dps_vector_quantity_name(const DpsVectorAnalysis *vector, DpsQuantityKind kind, DpsGradientNorm norm,
									  int variable);

/* A note for the user on such a bracket, palloc'd, or NULL if there is none. */
extern char *dps_vector_quantity_note(const DpsVectorAnalysis *vector, DpsQuantityKind kind, int variable,
									  const DpsJointBracket *result);

#endif							/* DPS_GLUE_ANALYSIS_VECTOR_BOUNDS_H */
