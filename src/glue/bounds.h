/*
 * bounds.h
 *		Refusals of the core, said in PostgreSQL's way.
 */
#ifndef DPS_GLUE_BOUNDS_H
#define DPS_GLUE_BOUNDS_H

#include "postgres.h"

#include "bound/quantity/bound.h"
#include "utils/jsonb.h"

/*
 * Says why a bracket has no finite upper bound, as a note ("division by zero
 * in 1 / x at x = 0"), palloc'd; NULL if it has one.
 */
extern char *dps_bracket_note(const DpsGraph *graph, const DpsBracket *bracket);

/* The SQLSTATE of an error that says so. */
extern int	dps_bracket_sqlstate(const DpsGraph *graph, const DpsBracket *bracket);

/* The name of a variable without SQL's quotes, palloc'd. */
extern char *dps_variable_key(const DpsGraph *graph, int variable);

/* The witness as jsonb, one key per variable; null for NULL. */
extern Jsonb *dps_point_to_jsonb(const DpsGraph *graph, const DpsPoint *point);

/* Raises the note as an error (numeric value out of range) with a hint to
 * narrow the ranges; location as in errposition, 0 for none. */
extern void dps_refuse_bracket(const DpsGraph *graph, const DpsBracket *bracket,
							   const char *what, int position);

#endif							/* DPS_GLUE_BOUNDS_H */
