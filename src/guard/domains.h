/*
 * domains.h
 *		From the columns of a query to the declared columns of the protected
 *		relation below it.
 *
 * A level of a query that holds dp aggregates reads one protected relation,
 * directly or through views and simple subqueries.  So a column of the
 * relation is known by its number alone, wherever in that chain it is named.
 */
#ifndef DPS_GUARD_DOMAINS_H
#define DPS_GUARD_DOMAINS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "glue/annotation.h"

/* The name of the CTE that the rewriter puts below the user's query. */
#define DPS_RELEASE_CTE "dpsens release"

typedef struct DpsProtectedSource
{
	Query	   *query;			/* the level with the dp aggregates */
	List	   *enclosing;		/* of Query *: the level, then outward */
	const char *source_text;
	ParamListInfo params;		/* values of parameters, or NULL */
	int			location;		/* of an aggregate of the level, for errors that
								 * have no better place */
	Oid			relation;
	DpsRelationAnnotation annotation;
	bool		limits_unit;	/* a unit may have several rows, of which some
								 * do not count */
	bool		is_individual;	/* units that have lost too much are left out */
	bool		is_analysis;	/* nothing will be executed */
	bool		is_restricted;	/* whoever asks may not read the relation itself */
	bool		selection_is_private;	/* a WHERE in the chain depends on a
										 * private column */
	List	   *conditions;		/* of Node *: the WHERE of every step, expanded */
	List	   *functions;		/* OIDs of registered functions that were
								 * expanded */
} DpsProtectedSource;

/*
 * Finds the relation that the level reads and checks every step down to it;
 * an error says which construct cannot be used.  query, enclosing, source_text,
 * location and is_analysis are set.
 */
extern void dps_trace_source(DpsProtectedSource *source);

/* An entry that reads a WITH query of this level reads the query itself: there
 * is no difference where rows only pass. */
extern void dps_inline_with_query(Query *level, RangeTblEntry *entry);

/*
 * The expression over columns of the relation: every Var is replaced by what
 * it stands for, down to Vars with varno 1 and the relation's attribute
 * number, and calls of registered expressions are written out.
 */
extern Node *dps_expand_expression(DpsProtectedSource *source, Node *expression);

/*
 * A Var of the level for the relation's column, 0 for the whole row; simple subqueries in between
 * get another target entry for it.
 */
extern Var *dps_expose_column(DpsProtectedSource *source, AttrNumber column);

/*
 * Does a condition of the level depend on a column that is not public?  An
 * error if the executor may not decide by it whether a row counts.
 */
extern bool dps_is_private_condition(DpsProtectedSource *source, Node *condition);

/* Does an expanded expression depend on a column that is not public? */
extern bool dps_depends_on_private(const DpsProtectedSource *source, Node *expanded);

/* What errposition() takes for a location in the query's text; 0 for none. */
extern int	dps_query_position(const DpsProtectedSource *source, int location);

#endif							/* DPS_GUARD_DOMAINS_H */
