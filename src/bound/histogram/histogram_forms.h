/*
 * histogram_forms.h
 *		Functions of a histogram, in few dimensions.
 *
 * Most functions of many counts see them through a few linear forms only: a mean
 * through the number of rows and their sum.  Here such a function becomes terms
 * over dimensions, which are those forms, or the counts themselves where they
 * are not more, with the linear inequalities that hold between forms because
 * they are of the same counts.
 *
 * Cells that no form tells apart are one class, and a count is one of a class.
 */
#ifndef DPS_BOUND_FORMS_H
#define DPS_BOUND_FORMS_H

#include "bound/histogram/histogram_sensitivity.h"

/* A summand of an output: linear, or of a program over the dimensions. */
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
	const double *share;		/* by class: what a row of it counts for at
								 * least, toward lo if negative, else hi */
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
	 * coefficient from the class on; by class, the room from it on; by
	 * dimension, what is placed. */
	double	   *least;
	double	   *greatest;
	double	   *room_from;
	double	   *placed;
} DpsForms;

/* Rows of a histogram, and cells that must have room for one more (or -1). */
typedef struct DpsRoom
{
	double		min_rows;
	double		max_rows;
	int			class[2];
} DpsRoom;

typedef enum DpsFound
{
	DPS_FOUND,
	DPS_NOT_FOUND,				/* there is none */
	DPS_NOT_KNOWN				/* the search was given up */
} DpsFound;

/* Fills in forms, whose arena is set.  The outputs are as dps_difference takes
 * them; the domain must outlive the forms. */
extern DPS_MUST_USE DpsStatus dps_forms_init(DpsForms *forms, const DpsNode *const *outputs, int noutputs,
											 const DpsHistogramDomain *domain);

/* The coefficient of dimension k, all over a range of classes. */
extern DpsInterval dps_forms_step(const DpsForms *forms, int k, int first, int last);

/* The dimensions' values, as exactly as doubles can say it, for counts by class. */
extern void dps_forms_values(const DpsForms *forms, const double *counts, DpsDomain *values);

/* Cuts off a box what the inequalities exclude; false if nothing is left. */
extern bool dps_forms_narrow(const DpsForms *forms, const DpsRoom *room, DpsDomain *box);

/* Counts by class that lie in the box and leave the room, looked for in at
 * most `limit` steps. */
extern DpsFound dps_forms_find(DpsForms *forms, const DpsRoom *room, const DpsDomain *box,
							   int limit, double *counts);

/* Counts by cell, for counts by class that leave room; cells of one class are
 * filled in turn, and cell[k] has room for the row of class[k]. */
extern void dps_forms_spread(const DpsForms *forms, const DpsRoom *room, const double *counts,
							 double *histogram, int *cell);

#endif							/* DPS_BOUND_FORMS_H */
