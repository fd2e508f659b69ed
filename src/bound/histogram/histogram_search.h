/*
 * histogram_search.h
 *		What the files of a search for the sensitivity of functions of a histogram share.
 *
 * Included by histogram_sensitivity.c and the other files of this search
 * alone.
 */
#ifndef DPS_BOUND_HISTOGRAM_HISTOGRAM_SEARCH_H
#define DPS_BOUND_HISTOGRAM_HISTOGRAM_SEARCH_H

#include "bound/histogram/histogram_forms.h"
#include "bound/histogram/histogram_sensitivity.h"
#include "bound/search/box_queue.h"
#include "expr/enclose.h"

/* Steps of a search for a histogram in a box of one point, and in another
 * one. */
#define DPS_FIND_AT_POINT 20000
#define DPS_FIND_IN_BOX 300

typedef struct DpsHistogramStep
{
	int			first;			/* classes that gain a row */
	int			last;
	int			first_removed;	/* classes that lose one */
	int			last_removed;
} DpsHistogramStep;

typedef struct DpsHistogramSearch
{
	DpsArena   *arena;
	DpsGraph   *graph;			/* the caller's, as are the outputs */
	const DpsNode *const *outputs;
	DpsForms	forms;
	DpsNeighbours neighbours;
	double		p;
	const DpsBoundOptions *options;
	DpsDifference *result;
	DpsRoom		room;			/* limits of the histogram n */

	/* A program of the values of the terms that are not linear, and one that
	 * has their derivatives as well. */
	const DpsProgram *values;
	const DpsProgram *slopes;	/* NULL if there are none */
	int			nvalues;
	int			nslopes;
	int		   *slope_term;
	int		   *slope_dimension;
	DpsEnclosure *with;			/* n + e_i */
	DpsEnclosure *without;		/* n, or n + e_j */
	DpsEnclosure *between;
	bool		sloped;			/* `between` is of the last box */
	DpsDomain  *moved;			/* scratch: a box of dimensions */
	DpsDomain  *corner;
	DpsInterval *change;		/* by output */
	double	   *counts;			/* scratch: by class */
	double	   *influence;		/* scratch: by dimension, and of the step */
	bool	   *marks;			/* scratch: by dimension, then by instruction */

	/* The best witness. */
	bool		found;
	double		lower;
	double		greatest;		/* greatest upper end at a point tried */
	double	   *best;			/* counts by class */
	DpsHistogramStep best_step;

	double		settled;		/* greatest bound of boxes that cannot be
								 * cut */
	double		work;			/* instructions left for the first witness */
	DpsBoxQueue queue;
	uint64_t	asked;
	int			finds;
} DpsHistogramSearch;

/* ---- histogram_search.c ---- */

extern void dps_histogram_init_queue(DpsHistogramSearch *s);

/* One more box; the host is asked now and then whether to go on. */
extern DpsStatus dps_histogram_count_box(DpsHistogramSearch *s);

/* Is max_boxes reached, or the memory for boxes? */
extern bool dps_histogram_is_exhausted(const DpsHistogramSearch *s);

extern bool dps_histogram_is_cuttable(const DpsDomain *domain);
extern void dps_histogram_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above);

/* The width of the widest dimension that matters, as a part of the root's; *dimension is
 * this dimension, or -1 if nothing can be cut. */
extern double dps_histogram_extent(const DpsHistogramSearch *s, const DpsDomain *domain, const bool *matters,
								   int *dimension);

/* ---- histogram_change.c ---- */

static inline const DpsEnclosure *
dps_histogram_output(const DpsProgram *program, const DpsEnclosure *enclosures, int k)
{
	return &enclosures[dps_program_outputs(program)[k]];
}

/* Does it have a finite value at all points that it encloses? */
extern bool dps_histogram_is_usable(const DpsEnclosure *e);

/* What the added row, and the removed row, contribute to dimension k. */
extern DpsInterval dps_histogram_added(const DpsHistogramSearch *s, const DpsHistogramStep *step, int k);
extern DpsInterval dps_histogram_removed(const DpsHistogramSearch *s, const DpsHistogramStep *step, int k);

/* Does the step leave all that the term depends on as it is? */
extern bool dps_histogram_is_untouched(const DpsHistogramSearch *s, const DpsTerm *term, const DpsHistogramStep *step);

/*
 * Encloses the norm of the change over the box; false if no histogram is in it.
 * A bound no greater than `enough` is not improved.
 */
extern bool dps_histogram_enclose_change(DpsHistogramSearch *s, const DpsDomain *box, const DpsHistogramStep *step,
										 double enough, DpsInterval *result);

/* ---- histogram_witness.c ---- */

/* The limits for histograms n beside which the step is possible. */
extern DpsRoom dps_histogram_room(const DpsHistogramSearch *s, const DpsHistogramStep *step);

/* Searches the box for a histogram n and makes it the witness, with a step of the box, if
 * none was better. */
extern DpsFound dps_histogram_find_witness(DpsHistogramSearch *s, const DpsBox *box, DpsHistogramStep step, int limit);

/* Looks for a witness before the search over boxes. */
extern void dps_histogram_first_witness(DpsHistogramSearch *s);

/* ---- histogram_proof.c ---- */

/* Do the functions have a value everywhere?  If not, or if that is not proved, the result has
 * a status. */
extern DpsStatus dps_histogram_prove_values(DpsHistogramSearch *s);

/* Puts the counts into the result as a histogram of the caller's cells. */
extern DpsStatus dps_histogram_show(DpsHistogramSearch *s, const DpsRoom *room, const double *counts);

/* There is no finite bound.  The witness is s->counts, unless room is NULL. */
extern DpsStatus dps_histogram_refuse(DpsHistogramSearch *s, const DpsRoom *room, DpsStatus status);

#endif							/* DPS_BOUND_HISTOGRAM_HISTOGRAM_SEARCH_H */
