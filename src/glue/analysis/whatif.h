/*
 * whatif.h
 *		Columns without a table: expressions over ranges or values from JSON.
 *
 * The names in an expression are the keys of a JSON object.  Each value is [lo, hi]
 * (for a point: a number, a boolean or null), or an object with
 *
 *		"range": [lo, hi]		(for a point: "value")
 *		"type"					a numeric type or boolean, by default
 *								double precision; a boolean has no range
 *		"weight"				a positive number, 1 by default
 *		"public", "nullable"	false by default
 */
#ifndef DPS_GLUE_ANALYSIS_WHATIF_H
#define DPS_GLUE_ANALYSIS_WHATIF_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "glue/analysis/vector_bounds.h"

/*
 * Parses the text and prepares its analysis.  Variable j is the j-th key of
 * the object, in jsonb's order.  Raises an error for an expression that cannot be
 * analysed, and for an array.
 */
extern void dps_prepare_ranges(const char *text, Jsonb *ranges, DpsAnalysis *analysis);

/* The same for an expression that may be a vector: ARRAY[...] of at most
 * DPS_MAX_ENTRIES numbers. */
extern void dps_prepare_vector_ranges(const char *text, Jsonb *ranges, DpsVectorAnalysis *vector);

/* The same over a box that is a single point; a null is DPS_ALWAYS_NULL. */
extern void dps_prepare_point(const char *text, Jsonb *point, DpsAnalysis *analysis);

#endif							/* DPS_GLUE_ANALYSIS_WHATIF_H */
