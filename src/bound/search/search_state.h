/*
 * search_state.h
 *		The state of one search, and the functions that its files share.  All
 *		other files need search.h only.
 */
#ifndef DPS_BOUND_SEARCH_SEARCH_STATE_H
#define DPS_BOUND_SEARCH_SEARCH_STATE_H

#include <math.h>

#include "bound/dimension.h"
#include "bound/relax/affine.h"
#include "bound/relax/posynomial.h"
#include "bound/relax/quadratic.h"
#include "bound/search/box_queue.h"
#include "bound/search/local.h"
#include "bound/search/search.h"
#include "expr/enclose.h"

#define DPS_MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* Values of a program: the objective, then the guards. */
#define DPS_MAX_VALUES 3

typedef enum DpsVerdict
{
	DPS_BOX_SETTLED,				/* it needs no more cuts */
	DPS_BOX_OPEN,					/* its upper bound is worth a cut */
	DPS_BOX_UNRESOLVED				/* not proved defined and finite */
} DpsVerdict;

/* The second derivative by a dimension (search_ends.c). */
typedef struct DpsBend
{
	bool		made;
	const DpsProgram *program;	/* NULL if it is too long */
	DpsEnclosure *enclosures;
	uint32_t	asked;			/* questions about boxes */
	uint32_t	bent;			/* and those with the answer yes */
} DpsBend;

typedef struct DpsSearch
{
	DpsGraph   *graph;
	const DpsObjective *objective;
	const DpsBoundOptions *options;
	DpsBracket *bracket;
	DpsArena   *arena;			/* of this search alone */

	/* Programs: the values alone for points, with derivatives for boxes. */
	const DpsNode *outputs[DPS_MAX_VALUES + 2 * DPS_MAX_DIMENSIONS];
	int			nvalues;
	int			nothers;		/* second forms of slopes, after these */
	int			other_of[DPS_MAX_DIMENSIONS];	/* the dimension of each */
	const DpsProgram *at_points;
	const DpsProgram *on_boxes;
	const DpsProgram *cover;	/* NULL if there is none */
	DpsEnclosure *point;
	DpsEnclosure *halves;		/* of at_points, to compare cuts */
	DpsEnclosure *box;
	DpsEnclosure *covered;
	uint64_t   *point_variables;
	uint64_t   *box_variables;
	uint64_t   *box_jumps;		/* scratch: masks */
	DpsAffine	affine;			/* of on_boxes */
	bool		formed;			/* forms are made */
	bool		kinked;			/* there are choices or steps */
	int			slab_compound[DPS_MAX_SLABS];	/* the compound of each slab */
	DpsClimb	climb;
	int			climbs;			/* still allowed; -1 before the first */
	DpsQuadratics *quadratics;	/* once they are worth it */
	int			tried;			/* bounds tried with them */
	int			settled_by;		/* boxes that they settled */
	const DpsPosynomial *posynomial;	/* of the value, if it has this form */
	bool		posed;			/* that is known */
	uint32_t	powered;		/* bounds tried with it */
	uint32_t	lowered;		/* and those that it lowered */
	DpsBend		bend[DPS_MAX_DIMENSIONS];

	/* Dimension k is variable[k]. */
	int			n;
	int			variable[DPS_MAX_DIMENSIONS];
	DpsDomain	root[DPS_MAX_DIMENSIONS];
	DpsDomain	domain[DPS_MAX_DIMENSIONS]; /* by variable, for dps_enclose */

	double		lower;
	double		settled;		/* greatest upper bound of discarded boxes */
	double		noise;			/* width of the enclosure at the witness */
	double		greatest;		/* of the values at points */
	double		top[DPS_MAX_DIMENSIONS];	/* where that is, by dimension */
	double		least;
	double		bottom;			/* least lower end of boxes, if there are no
								 * values */
	bool		sampled;
	bool		valued;			/* some box may have a value */
	bool		paused;			/* the owner has been asked */
	bool		refused;		/* the bracket's status says why */
	DpsStatus	trouble;		/* of dps_examine */

	uint32_t	point_work;		/* of one enclosure of at_points */
	uint32_t	box_work;		/* of on_boxes */
	uint64_t	most_work;		/* limit on the arena's count */
	DpsBoxQueue queue;
} DpsSearch;

/* search_setup.c: everything up to the queue, for a state that holds the graph,
 * objective, options, bracket and arena. */
extern DPS_MUST_USE DpsStatus dps_set_up_search(DpsSearch *s);

/*
 * search_points.c.  Points are given by dimension, with NaN for NULL.
 */

/* The worst answer of a program's values to "is it defined?". */
extern DpsDefined dps_values_defined(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* Always NULL if one of the values is; never NULL if no value can be. */
extern DpsNullness dps_values_nullness(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* Are the values finite?  NULL counts as finite. */
extern bool dps_values_finite(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* Are the guards defined and finite, where the objective perhaps is not? */
extern bool dps_guards_hold(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* The upper end of the cover on s->domain; Infinity if it is not defined and
 * finite all over it, or if there is none. */
extern double dps_cover_bound(DpsSearch *s);

/* The middle of a box. */
extern void dps_middle_of(const DpsSearch *s, const DpsDomain *domain, double *x);

/* Encloses the values at a point. */
extern void dps_enclose_point(DpsSearch *s, const double *x);

/* Raises the lower end by what was enclosed at a point; false if there are no values. */
extern bool dps_note_values(DpsSearch *s, const double *x);

/* Encloses the values at a point and raises the lower end by them, likewise. */
extern bool dps_sample(DpsSearch *s, const double *x);

/* Calls `visit` for the corners of a box in the first three dimensions of the mask, until it says true, and says
 * whether it did.  x is a point of the box, and then the corner. */
extern bool dps_any_corner(DpsSearch *s, const DpsBox *box, uint64_t mask, bool (*visit) (DpsSearch *s, const double *x),
						   double *x);

/* Samples these corners, of all dimensions. */
extern void dps_look_at_corners(DpsSearch *s, const DpsBox *box);

/* Makes the point the bracket's witness. */
extern void dps_write_witness(DpsSearch *s, const double *x);

/* The greatest difference of the ends at which a search is done, for this
 * upper end; and is it reached? */
extern double dps_allowance(const DpsSearch *s, double upper);
extern bool dps_good_enough(const DpsSearch *s, double upper);

/*
 * search_refusal.c
 */

/* The innermost instruction with a property, along arguments with it; -1 if
 * instruction i has not the property. */
extern int	dps_innermost(const DpsProgram *program, const DpsEnclosure *enclosures, uint32_t i,
						  bool (*has) (const DpsEnclosure *e));

/* The culprit of values that are not defined and finite; -1 if unknown. */
extern int	dps_culprit_of(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* Ends the search; a culprit of -1 is the objective itself. */
extern void dps_refuse(DpsSearch *s, DpsStatus status, int culprit, const DpsProgram *program, const double *x);

/*
 * Looks for a point of the box at which the values are proved undefined, and
 * refuses if there is one: tries the middle and, if thorough, the corners in
 * the first three dimensions of the mask and the point nearest to 0.
 */
extern bool dps_find_undefined(DpsSearch *s, const DpsBox *box, uint64_t mask, bool thorough);

/* Refuses when boxes ran out before everything was proved defined. */
extern void dps_refuse_unresolved(DpsSearch *s, DpsBox *box);

/*
 * search_cut.c.  Cut k < n is of a dimension, the next DPS_MAX_SLABS cuts are of
 * slabs, further ones separate NULL in a dimension; -1 is none.
 */
extern int	dps_choose_cut(DpsSearch *s, const DpsBox *box);

/* The cut of a box that is not proved defined because of these variables. */
extern int	dps_choose_unresolved_cut(const DpsSearch *s, const DpsBox *box, uint64_t mask);

extern DPS_MUST_USE DpsStatus dps_cut_box(DpsSearch *s, const DpsBox *box, DpsBox *below, DpsBox *above);

/*
 * search_ends.c.  Is the value nowhere greater on the box than where dimension k is at one of its ends?
 */
extern DPS_MUST_USE DpsStatus dps_is_greatest_at_ends(DpsSearch *s, const DpsBox *box, int k, bool *at_ends);

/*
 * search_slabs.c
 */

/* Chooses the search's slabs, once. */
extern void dps_choose_slabs(DpsSearch *s);

/* Sets the slabs to those of the box. */
extern void dps_put_slabs(DpsSearch *s, DpsBox *box);

/* Narrows the box's slabs to the ranges of their instructions. */
extern void dps_cut_slabs(const DpsSearch *s, DpsBox *box);

/* Does a slab exclude a part of the box? */
extern bool dps_is_sliced(const DpsSearch *s);

/* Cuts the box and its upper bound by the form of the value within the slabs;
 * false if nothing is left. */
extern bool dps_bound_in_slabs(DpsSearch *s, DpsBox *box, const DpsDomain *whole);

/*
 * search_forms.c
 */

/* Are there forms?  Makes them in searches that take long; s->trouble is the
 * status if that failed. */
extern bool dps_has_forms(DpsSearch *s);

/* Narrows values and slopes within the box's slabs; false if no point of the box
 * is in them. */
extern bool dps_slice(DpsSearch *s, DpsBox *box);

/* Cuts away parts of the box that do not hold the greatest value; false if
 * nothing is left. */
extern bool dps_cut_away(DpsSearch *s, DpsBox *box);

/* Are quadratic forms worth a try?  If so, the next function may lower the
 * bound. */
extern bool dps_wants_quadratics(const DpsSearch *s);
extern DPS_MUST_USE DpsStatus dps_bound_by_quadratics(DpsSearch *s, const DpsBox *box, double *bound);

/* In a long search, lowers the bound by the logarithms of columns if the value is made of products
 * of powers (posynomial.c). */
extern DPS_MUST_USE DpsStatus dps_bound_by_powers(DpsSearch *s, const DpsBox *box, double *bound);

/*
 * search_box.c
 */

/* Encloses values and slopes of the relaxed expression on the box. */
extern void dps_enclose_box(DpsSearch *s, const DpsBox *box);

/* Bounds the expression on the box, which may shrink on the way. */
extern DpsVerdict dps_examine(DpsSearch *s, DpsBox *box);

/* Discards a box: it holds no value above `upper`. */
extern void dps_settle(DpsSearch *s, double upper);

/*
 * search_climbs.c
 */

/* Climbs from a few starts spread over the root. */
extern DPS_MUST_USE DpsStatus dps_climb_at_first(DpsSearch *s);

/* Climbs from x within the box and samples its last point, which x becomes. */
extern DPS_MUST_USE DpsStatus dps_climb_from(DpsSearch *s, const DpsDomain *domain, double *x);

/* Climbs from a witness found by chance that is much better than `before`. */
extern DPS_MUST_USE DpsStatus dps_climb_again(DpsSearch *s, double before);

/* Counts so many enclosures of a program with this work. */
static inline void
dps_count_work(DpsSearch *s, uint32_t work, uint32_t times)
{
	(void) dps_arena_work(s->arena, work * times);
}

static inline const DpsEnclosure *
dps_slope_of(const DpsSearch *s, int k)
{
	return &s->box[dps_program_outputs(s->on_boxes)[s->nvalues + k]];
}

static inline bool
dps_usable_slope(const DpsEnclosure *slope)
{
	return slope->defined == DPS_DEFINED && slope->nullness == DPS_NEVER_NULL &&
		!dps_iv_is_empty(slope->value);
}

/* Is the expression continuous, with a value everywhere?  Only then do slopes
 * mean something. */
static inline bool
dps_is_smooth(const DpsSearch *s)
{
	return s->box[dps_program_outputs(s->on_boxes)[0]].continuous &&
		dps_values_nullness(s, s->on_boxes, s->box) == DPS_NEVER_NULL;
}

#endif							/* DPS_BOUND_SEARCH_SEARCH_STATE_H */
