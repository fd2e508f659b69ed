/*
 * vector_space.h
 *		Shared by joint.c, jacobian.c and quantities.c: the space of a search,
 *		scales for squares, and graphs over pairs of rows.
 */
#ifndef DPS_BOUND_QUANTITY_VECTOR_SPACE_H
#define DPS_BOUND_QUANTITY_VECTOR_SPACE_H

#include "bound/search/search.h"

#define DPS_SPACE_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* A box, and the guards that say which of its points count (see
 * DpsObjective). */
typedef struct DpsSpace
{
	DpsGraph   *graph;
	const DpsDomain *box;
	int			ncolumns;
	const DpsNode *guards[2];
	int			nguards;
	const DpsBoundOptions *options;
} DpsSpace;

/* As dps_maximise. */
extern DPS_MUST_USE DpsStatus dps_space_maximise(const DpsSpace *space, const DpsNode *node, double floor,
												 DpsBracket *bracket);

/* A lower bound of the value at a point, -Infinity if there is no value. */
extern DPS_MUST_USE DpsStatus dps_space_value(const DpsSpace *space, const DpsNode *node, const DpsPoint *point,
											  double *value);

/* The exponent e such that values up to `largest` times 2^-e can be squared: 0
 * unless `largest` is extreme. */
extern int	dps_scale_exponent(double largest);

/* node * 2^-e */
extern const DpsNode *dps_scale_node(DpsGraph *graph, const DpsNode *node, int e);

/* sqrt(square) * 2^e, rounded down or up; a negative square counts as 0. */
extern double dps_root_down(double square, int e);
extern double dps_root_up(double square, int e);

/*
 * A graph over two rows, with expressions copied from a graph over one:
 * columns that do not move are the same in both rows.  It has its own arena
 * and room for more variables.
 */
typedef struct DpsTwins
{
	DpsArena   *arena;
	DpsGraph   *graph;
	int			nsource;		/* columns of the source */
	uint64_t	moved;			/* columns that each row has of its own */
	int			variable[2][DPS_SPACE_DIMENSIONS];	/* of either row, by
													 * column; -1 if unused */
	DpsDomain	box[DPS_SPACE_DIMENSIONS];
	const DpsNode **memo[2];
	int			steps;
} DpsTwins;

/*
 * Prepares for expressions over the columns of a mask, whose nodes are all in
 * the graph by now.  DPS_UNABLE if that makes too many variables.  Call
 * dps_twins_clear whatever the result.
 */
extern DPS_MUST_USE DpsStatus dps_twins_init(DpsTwins *twins, const DpsGraph *source, const DpsDomain *box,
											 uint64_t used, uint64_t moved);
extern void dps_twins_clear(DpsTwins *twins);

/* Adds a variable; -1 if there is no room. */
extern int	dps_twins_add(DpsTwins *twins, double lo, double hi);

/* The expression for row 0 or 1; NULL if memory ran out. */
extern const DpsNode *dps_twins_copy(DpsTwins *twins, const DpsNode *node, int row);

/* The expression for row 0 minus that for row 1; NULL if memory ran out.  It
 * may be defined where a row has no value: guards must say where both have
 * one. */
extern const DpsNode *dps_twins_difference(DpsTwins *twins, const DpsNode *node);

/* Converts two rows to a point of the twins' graph, and back. */
extern void dps_twins_join(const DpsTwins *twins, const DpsPoint *first, const DpsPoint *second, DpsPoint *point);
extern void dps_twins_split(const DpsTwins *twins, const DpsDomain *source_box, const DpsPoint *point,
							DpsPoint *first, DpsPoint *second);

#endif							/* DPS_BOUND_QUANTITY_VECTOR_SPACE_H */
