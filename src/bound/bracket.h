/*
 * bracket.h
 *		What a search may spend, and what it finds: a supremum between two ends.
 *
 * A bracket [lower, upper] of a supremum: lower is attained at the witness
 * (up to the width of the enclosure there), upper is proved.  Noise uses
 * upper.
 */
#ifndef DPS_BOUND_BRACKET_H
#define DPS_BOUND_BRACKET_H

#include "expr/program.h"

typedef struct DpsBoundOptions
{
	double		tolerance;		/* relative width at which a bracket is good
								 * enough, 1e-6 by default */
	uint64_t	max_boxes;		/* boxes examined per bracket; after these the
								 * bracket is returned as wide as it is.  With
								 * up to three columns a box that takes long
								 * counts for more. */
	double		max_ms;			/* the same in milliseconds, if the host has a
								 * clock; 0 is no limit.  The width of the
								 * bracket then depends on the machine. */
	double		deadline;		/* on the host's clock; 0 until a search sets it */
	size_t		max_bytes;		/* of one search, beside the graph; 0 is
								 * DPS_MAX_SEARCH_BYTES */
} DpsBoundOptions;

/* A search that takes more memory ends with the bracket that it has. */
#define DPS_MAX_SEARCH_BYTES ((size_t) 256 * 1024 * 1024)

#define DPS_BOUND_DEFAULTS ((DpsBoundOptions) {.tolerance = 1e-6, .max_boxes = 200000})

/* A point of a box; NaN is NULL. */
typedef struct DpsPoint
{
	double		x[DPS_MAX_VARIABLES + 1];
} DpsPoint;

/*
 * The supremum of an expression's non-NULL values.
 *
 * status DPS_OK: lower <= sup <= upper, both finite.  An expression that is
 * NULL everywhere has lower = upper = 0 and `empty`.
 * status DPS_DOMAIN: proved undefined or unbounded, at or in every
 * neighbourhood of the witness; upper is Infinity, culprit the innermost
 * sub-expression that is at fault.
 * status DPS_UNABLE: neither proved; upper is Infinity, witness and culprit
 * say where the search failed.
 */
typedef struct DpsBracket
{
	DpsStatus	status;
	double		lower;
	double		upper;
	DpsPoint	witness;
	bool		empty;
	bool		exhausted;		/* max_boxes, max_ms or memory ended the search */
	bool		late;			/* max_ms ended the search */
	bool		full;			/* memory ended the search (DPS_MAX_SEARCH_BYTES) */
	uint64_t	boxes;
	uint64_t	steps;			/* of a Lipschitz constant: the integers that move
								 * by whole steps (lattice.c) */
	const DpsNode *culprit;
} DpsBracket;

#endif							/* DPS_BOUND_BRACKET_H */
