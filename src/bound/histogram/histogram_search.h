/*
 * histogram_search.h
 *		What the files of a search for the sensitivity of functions of a histogram share.
 *
 * For histogram_sensitivity.c and the files that it is made of alone.
 */
#ifndef DPS_BOUND_HISTOGRAM_HISTOGRAM_SEARCH_H
#define DPS_BOUND_HISTOGRAM_HISTOGRAM_SEARCH_H

#include "bound/histogram/histogram_forms.h"
#include "bound/histogram/histogram_sensitivity.h"
#include "bound/search/box_queue.h"
#include "expr/enclose.h"

/* Steps of a search for a histogram in a box: of points, and else. */
#define DPS_FIND_AT_POINT 20000
#define DPS_FIND_IN_BOX 300

typedef struct DpsHistogramStep
{
	int			first;			/* classes that gain a row */
	int			last;
	int			first_removed;	/* and that lose one */
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
	DpsRoom		room;			/* of the histogram n */

	/* Values of the terms that are not linear, and then their derivatives. */
	const DpsProgram *values;
	const DpsProgram *slopes;	/* NULL if there are none */
	int			nvalues;
	int			nslopes;
	int		   *slope_term;
	int		   *slope_dimension;
	DpsEnclosure *with;			/* n + e_i */
	DpsEnclosure *without;		/* n, or n + e_j */
	DpsEnclosure *between;
	bool		sloped;			/* between is that of the last box */
	DpsDomain  *moved;			/* scratch: a box of dimensions */
	DpsDomain  *corner;
	DpsInterval *change;		/* by output */
	double	   *counts;			/* scratch: by class */
	double	   *influence;		/* scratch: by dimension, and of the step */
	bool	   *marks;			/* scratch: by dimension, then by instruction */

	/* The best witness. */
	bool		found;
	double		lower;
	double		greatest;		/* of the upper ends at points */
	double	   *best;			/* counts by class */
	DpsHistogramStep best_step;

	double		settled;		/* of boxes that cannot be cut */
	double		work;			/* left for the first witness */
	DpsBoxQueue queue;
	uint64_t	asked;
	int			finds;
} DpsHistogramSearch;

/* ---- histogram_search.c ---- */

extern void dps_histogram_init_queue(DpsHistogramSearch *s);

/* One more box; the host is asked now and then whether to go on. */
extern DpsStatus dps_histogram_count_box(DpsHistogramSearch *s);

/* Were there as many as may be, or is there no memory for more? */
extern bool dps_histogram_is_exhausted(const DpsHistogramSearch *s);

extern bool dps_histogram_is_cuttable(const DpsDomain *domain);
extern void dps_histogram_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above);

/* How far from a point the widest dimension is of those that matter, 1 at the root; which is
 * *dimension, -1 if nothing can be cut. */
extern double dps_histogram_extent(const DpsHistogramSearch *s, const DpsDomain *domain, const bool *matters,
								   int *dimension);

/* ---- histogram_change.c ---- */

static inline const DpsEnclosure *
dps_histogram_output(const DpsProgram *program, const DpsEnclosure *enclosures, int k)
{
	return &enclosures[dps_program_outputs(program)[k]];
}

/* Has it a finite value wherever it was enclosed? */
extern bool dps_histogram_is_usable(const DpsEnclosure *e);

/* What the row that comes, and the one that goes, add to dimension k. */
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

/* What histograms n may hold, with the step beside them. */
extern DpsRoom dps_histogram_room(const DpsHistogramSearch *s, const DpsHistogramStep *step);

/* Looks for a histogram in the box, with a step of its, and takes it if none was better. */
extern DpsFound dps_histogram_find_witness(DpsHistogramSearch *s, const DpsBox *box, DpsHistogramStep step, int limit);

/* Those that need no search. */
extern void dps_histogram_first_witness(DpsHistogramSearch *s);

/* ---- histogram_proof.c ---- */

/* Is there a value everywhere?  If not, or if that cannot be told, the result has a status. */
extern DpsStatus dps_histogram_prove_values(DpsHistogramSearch *s);

/* Puts the counts into the result as a histogram of the caller's cells. */
extern DpsStatus dps_histogram_show(DpsHistogramSearch *s, const DpsRoom *room, const double *counts);

/* No finite bound: because of the counts at hand, if there is room. */
extern DpsStatus dps_histogram_refuse(DpsHistogramSearch *s, const DpsRoom *room, DpsStatus status);

#endif							/* DPS_BOUND_HISTOGRAM_HISTOGRAM_SEARCH_H */
