/*
 * search_state.h
 *		One search: its state, and what the files that do its parts do for each
 *		other.  Everybody else needs search.h alone.
 */
#ifndef DPS_BOUND_SEARCH_STATE_H
#define DPS_BOUND_SEARCH_STATE_H

#include <math.h>

#include "bound/dimension.h"
#include "bound/relax/affine.h"
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
	DPS_BOX_SETTLED,				/* nothing more to learn from it */
	DPS_BOX_OPEN,					/* its upper bound is worth a cut */
	DPS_BOX_UNRESOLVED				/* not proved defined and finite */
} DpsVerdict;

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
	int			nothers;		/* other forms of slopes, after them */
	int			other_of[DPS_MAX_DIMENSIONS];	/* the dimension each is for */
	const DpsProgram *at_points;
	const DpsProgram *on_boxes;
	const DpsProgram *cover;	/* NULL if there is none */
	DpsEnclosure *point;
	DpsEnclosure *box;
	DpsEnclosure *covered;
	uint64_t   *point_variables;
	uint64_t   *box_variables;
	uint64_t   *box_jumps;		/* room for masks */
	DpsAffine	affine;			/* of on_boxes */
	bool		formed;			/* forms are made */
	bool		kinked;			/* there are choices or steps on the way */
	int			slab_compound[DPS_MAX_SLABS];	/* whose argument it is of */
	DpsClimb	climb;
	int			climbs;			/* still allowed; -1 before the first */
	DpsQuadratics *quadratics;	/* once they are worth it */
	int			tried;			/* bounds by them, */
	int			settled_by;		/* those that put the box away */

	/* Dimension k is variable[k]. */
	int			n;
	int			variable[DPS_MAX_DIMENSIONS];
	DpsDomain	root[DPS_MAX_DIMENSIONS];
	DpsDomain	domain[DPS_MAX_DIMENSIONS]; /* by variable, for dps_enclose */

	double		lower;
	double		settled;		/* upper bound of what was put away */
	double		noise;			/* width of the enclosure at the witness */
	double		greatest;		/* of the values seen, */
	double		least;
	double		bottom;			/* least lower end of boxes, in want of values */
	bool		sampled;
	bool		valued;			/* some box may have a value */
	bool		refused;		/* the bracket's status says why */
	DpsStatus	trouble;		/* of examine */

	uint32_t	point_work;		/* of one enclosure of at_points, */
	uint32_t	box_work;		/* of on_boxes */
	uint64_t	most_work;		/* that the arena may count */
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

/* NULL always if one of the values is, never if none can be. */
extern DpsNullness dps_values_nullness(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* Are the values finite?  Nothing but NULL is. */
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

/* Makes the point the bracket's witness. */
extern void dps_write_witness(DpsSearch *s, const double *x);

/* How far the ends may be from each other, with this upper one; and are they
 * as near? */
extern double dps_allowance(const DpsSearch *s, double upper);
extern bool dps_good_enough(const DpsSearch *s, double upper);

/*
 * search_refusal.c
 */

/* The innermost instruction of a property below one that has it; -1 if that
 * has not. */
extern int	dps_innermost(const DpsProgram *program, const DpsEnclosure *enclosures, uint32_t i,
						  bool (*has) (const DpsEnclosure *e));

/* Who is to blame for values not being defined and finite; -1 if unknown. */
extern int	dps_culprit_of(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures);

/* Ends the search; a culprit of -1 is the objective itself. */
extern void dps_refuse(DpsSearch *s, DpsStatus status, int culprit, const DpsProgram *program, const double *x);

/*
 * Looks for a point of the box at which the values are proved undefined, and
 * refuses if it finds one: tries the middle and, if thorough, the corners in
 * the first three dimensions of the mask and the point nearest to 0.
 */
extern bool dps_find_undefined(DpsSearch *s, const DpsBox *box, uint64_t mask, bool thorough);

/* Boxes ran out before everything was proved defined. */
extern void dps_refuse_unresolved(DpsSearch *s, DpsBox *box);

/*
 * search_cut.c.  Cut k < n is of a dimension, the next DPS_MAX_SLABS are of slabs,
 * further ones take NULL away from dimensions; -1 is none.
 */
extern int	dps_choose_cut(const DpsSearch *s, const DpsBox *box);

/* The same for a box that is not proved defined because of these variables. */
extern int	dps_choose_unresolved_cut(const DpsSearch *s, const DpsBox *box, uint64_t mask);

extern void dps_cut_box(const DpsSearch *s, const DpsBox *box, DpsBox *below, DpsBox *above);

/*
 * search_slabs.c
 */

/* Chooses the search's slabs, once, */
extern void dps_choose_slabs(DpsSearch *s);

/* sets them to those of the box, */
extern void dps_put_slabs(DpsSearch *s, DpsBox *box);

/* and those of the box to what the instructions leave of them. */
extern void dps_cut_slabs(const DpsSearch *s, DpsBox *box);

/* Does a slab leave out any of the box? */
extern bool dps_is_sliced(const DpsSearch *s);

/* Cuts the box and its upper bound by what the value's form says within the
 * slabs; false if nothing is left. */
extern bool dps_bound_in_slabs(DpsSearch *s, DpsBox *box, const DpsDomain *whole);

/*
 * search_forms.c
 */

/* Are there forms?  Makes them when it is time; s->trouble says what failed. */
extern bool dps_has_forms(DpsSearch *s);

/* Tightens values and slopes within the box's slabs; false if it has no point in
 * them. */
extern bool dps_slice(DpsSearch *s, DpsBox *box);

/* Takes parts of the box away that hold no greatest value; false if nothing is
 * left. */
extern bool dps_cut_away(DpsSearch *s, DpsBox *box);

/* Are quadratic forms worth a try?  Then they may lower the bound. */
extern bool dps_wants_quadratics(const DpsSearch *s);
extern DPS_MUST_USE DpsStatus dps_bound_by_quadratics(DpsSearch *s, const DpsBox *box, double *bound);

/*
 * search_box.c
 */

/* Encloses values and slopes of the relaxed expression on the box. */
extern void dps_enclose_box(DpsSearch *s, const DpsBox *box);

/* Bounds the expression on the box, which may shrink on the way. */
extern DpsVerdict dps_examine(DpsSearch *s, DpsBox *box);

/* Puts a box away: it holds no value above this. */
extern void dps_settle(DpsSearch *s, double upper);

/*
 * search_climbs.c
 */

/* From a few starts spread over the root, */
extern DPS_MUST_USE DpsStatus dps_climb_at_first(DpsSearch *s);

/* and from a witness found by chance that is much better than before. */
extern DPS_MUST_USE DpsStatus dps_climb_again(DpsSearch *s, double before);

/* Counts that a program of this work was enclosed, or so many times. */
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

/* Continuous, with a value everywhere: slopes mean something. */
static inline bool
dps_is_smooth(const DpsSearch *s)
{
	return s->box[dps_program_outputs(s->on_boxes)[0]].continuous &&
		dps_values_nullness(s, s->on_boxes, s->box) == DPS_NEVER_NULL;
}

#endif							/* DPS_BOUND_SEARCH_STATE_H */
