/*
 * histogram_forms.h
 *		Functions of a histogram, in few dimensions.
 *
 * Most functions of many counts depend on a few linear forms of the counts only:
 * a mean on the number of rows and their sum.  Here such a function becomes
 * terms over dimensions.  The dimensions are these forms, or the counts
 * themselves if there are no more counts than forms.  Linear inequalities hold
 * between forms of the same counts.
 *
 * Cells with the same coefficient in each form are one class; counts are those
 * of classes.
 */
#ifndef DPS_BOUND_HISTOGRAM_HISTOGRAM_FORMS_H
#define DPS_BOUND_HISTOGRAM_HISTOGRAM_FORMS_H

#include "bound/histogram/histogram_sensitivity.h"

/* A summand of an output: linear in the counts, or a node over the
 * dimensions. */
typedef struct DpsTerm
{
	int			output;
	bool		negated;
	const double *linear;		/* coefficients by class, or NULL */
	const DpsNode *node;		/* over the dimensions, if not linear */
	const bool *depends;		/* by dimension, if not linear */
} DpsTerm;

/* sum of coefficient[t] * dimension[t] lies in [lo, hi] */
typedef struct DpsInequality
{
	int			n;
	const int  *dimension;
	const double *coefficient;
	double		lo;
	double		hi;
	const double *share;		/* by class: what one row adds to the sum,
								 * rounded toward 0; 0 if the sign is open */
} DpsInequality;

typedef struct DpsForms
{
	DpsArena   *arena;
	const DpsHistogramDomain *domain;
	int			noutputs;

	/* Classes, in an order in which the forms' coefficients rise. */
	int			nclasses;
	int		   *class_of;		/* by cell */
	int		   *ncells;			/* by class */
	double	   *capacity;		/* by class: what its cells hold together */

	/*
	 * Dimensions: the classes' counts (`plain`), or forms, the last of which is
	 * the number of rows.  form has the coefficients of dimension k at
	 * k * nclasses.
	 */
	bool		plain;
	int			ndimensions;
	double	   *form;
	DpsDomain  *root;
	int			ninequalities;
	DpsInequality *inequality;

	DpsGraph   *graph;			/* over the dimensions */
	int			nterms;
	DpsTerm    *term;

	/* For dps_forms_find: by class and dimension, the least and the greatest
	 * coefficient of this class and those after it; by class, their room
	 * together; by dimension, the sum of the rows placed so far. */
	double	   *least;
	double	   *greatest;
	double	   *room_from;
	double	   *placed;
} DpsForms;

/* Limits of the number of rows, and classes that need room for one more (or
 * -1). */
typedef struct DpsRoom
{
	double		min_rows;
	double		max_rows;
	int			class[2];
} DpsRoom;

typedef enum DpsFound
{
	DPS_FOUND,
	DPS_NOT_FOUND,				/* there is no such histogram */
	DPS_NOT_KNOWN				/* the search was given up */
} DpsFound;

/* Fills in forms, whose arena is set.  The outputs are as dps_difference takes
 * them; the domain must outlive the forms. */
extern DPS_MUST_USE DpsStatus dps_forms_init(DpsForms *forms, const DpsNode *const *outputs, int noutputs,
											 const DpsHistogramDomain *domain);

/* Encloses the coefficients of dimension k over a range of classes. */
extern DpsInterval dps_forms_step(const DpsForms *forms, int k, int first, int last);

/* Encloses the dimensions' values for counts by class, as tightly as doubles
 * can. */
extern void dps_forms_values(const DpsForms *forms, const double *counts, DpsDomain *values);

/* Removes from a box what the inequalities exclude; false if nothing is
 * left. */
extern bool dps_forms_narrow(const DpsForms *forms, const DpsRoom *room, DpsDomain *box);

/* Searches for counts by class that lie in the box and leave the room, in at
 * most `limit` steps. */
extern DpsFound dps_forms_find(DpsForms *forms, const DpsRoom *room, const DpsDomain *box,
							   int limit, double *counts);

/* Counts by cell, for counts by class that leave room; cells of one class are
 * filled in turn, and cell[k] has room for the row of class[k]. */
extern void dps_forms_spread(const DpsForms *forms, const DpsRoom *room, const double *counts,
							 double *histogram, int *cell);

#endif							/* DPS_BOUND_HISTOGRAM_HISTOGRAM_FORMS_H */
