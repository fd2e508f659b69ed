/*
 * protected_source.h
 *		What a level of a query with dp aggregates reads, and what is known of its
 *		columns.
 *
 * A level of a query that holds dp aggregates reads one protected relation,
 * directly or through views and simple subqueries, or a join of one with others
 * (join.h).  A column is known by a Var: varno is the place of its relation among
 * the level's parts, 1 without joins, and varattno its number there.
 */
#ifndef DPS_GUARD_SOURCE_PROTECTED_SOURCE_H
#define DPS_GUARD_SOURCE_PROTECTED_SOURCE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "glue/label/annotation.h"
#include "glue/compat.h"

/* The name of the CTE that the rewriter puts below the user's query. */
#define DPS_RELEASE_CTE "dpsens release"

/* One relation of a level with joins. */
typedef struct DpsPart
{
	RangeTblEntry *entry;		/* in the level that names it */
	Query	   *level;			/* NULL if the guard has added it */
	int			referrer;		/* for the sake of the part of this number, or 0 */
	Oid			relation;
	DpsRelationAnnotation annotation;
	bool		is_restricted;	/* whoever asks must not look at it */
	bool		needs_budget;	/* ... and may not read it */
	bool		is_private;		/* it depends on private cells which of its rows
								 * is met */
	bool		nullable;		/* there may be none */
	List	   *security;		/* row-level security, expanded */
	List	   *arms;			/* of DpsArm *, if it is a UNION ALL; then relation
								 * and annotation are those of the first */
	struct DpsGrouping *grouping;	/* if its rows are groups; then relation and
								 * annotation are those of what has the unit */
	struct DpsConstants *constants; /* if it is VALUES; then there is no relation */
	bool		tells_rows;		/* a UNION ALL has a column more (row_owner.h) */
} DpsPart;

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
	bool		is_restricted;	/* whoever asks must not look at the relation itself,
								 * or one of them */
	bool		needs_budget;	/* ... and may not read it; of one relation alone */
	bool		selection_is_private;	/* a WHERE in the chain depends on a
										 * private column */
	List	   *conditions;		/* of Node *: the WHERE of every step, expanded */
	List	   *functions;		/* OIDs of registered functions that were
								 * expanded */

	/* of a level with joins */
	List	   *parts;			/* of DpsPart *, NIL for one relation; the first is
								 * the one whose rows are counted */
	Node	   *from;			/* FROM with WHERE over parts, expanded */
	List	   *levels;			/* of Query *: those that name the parts */
	List	   *padded;			/* of RangeTblEntry *: subqueries whose columns an
								 * outer join makes NULL */
	List	   *indexes;		/* OIDs of what proves that rows are not multiplied */
	Var		   *unit;			/* expanded; NULL if none is declared */
	List	   *owners;			/* of numbers of parts: those whose references lead
								 * to the unit, the counted one first */
	List	   *semijoins;		/* of DpsSemiJoin *: subqueries in conditions */
	bool		in_condition;	/* it is of such a subquery */
	bool		allows_optional;	/* protected parts may stand on the optional
									 * side of an outer join */
	bool		swaps_rows;		/* a unit's rows can come to count while others of
								 * it cease to, though rows come and go only */
} DpsProtectedSource;

/* One of the queries of a UNION ALL. */
typedef struct DpsArm
{
	DpsProtectedSource *source;
	List	   *columns;		/* of Var *, expanded; NULL for what is computed */
} DpsArm;

/* What messages call the part. */
extern char *dps_part_name(const DpsPart *part);

/* What is known of the column that an expanded Var stands for; its relation is
 * InvalidOid if it is of VALUES. */
extern Oid	dps_var_relation(const DpsProtectedSource *source, const Var *var);
extern void dps_get_var_annotation(const DpsProtectedSource *source, const Var *var, DpsColumnAnnotation *annotation);
/* *column is InvalidAttrNumber where it is of constants. */
extern void dps_var_origin(const DpsProtectedSource *source, const Var *var, Oid *relation, AttrNumber *column);
extern bool dps_var_is_not_null(const DpsProtectedSource *source, const Var *var);
extern char *dps_var_name(const DpsProtectedSource *source, const Var *var, bool epoch);

/* How far the rows of a unit that count can change: that of the relation, but
 * replace where rows of a unit take each other's places. */
extern DpsAdjacency dps_row_adjacency(const DpsProtectedSource *source);

/* The place of an entry among the parts, from 1. */
extern int	dps_part_number(const DpsProtectedSource *source, const RangeTblEntry *entry);

/* Which of the parts it is of; NULL without joins. */
extern DpsPart *dps_var_part(const DpsProtectedSource *source, const Var *var);

extern bool dps_unit_is_not_null(const DpsProtectedSource *source);

/* Does an expanded expression depend on a column that is not public? */
extern bool dps_depends_on_private(const DpsProtectedSource *source, Node *expanded);

/* Refuses the source for what it holds. */
pg_noreturn extern void dps_refuse_source(const DpsProtectedSource *source, const char *what, const char *hint);

/* The same, about a construct that stands somewhere in the statement. */
pg_noreturn extern void dps_refuse_at(const DpsProtectedSource *source, Node *where, const char *what, const char *hint);
/* LATERAL (SELECT expressions), which is one row for each of what it refers to. */
extern bool dps_is_row_of_expressions(const RangeTblEntry *entry);

/* What errposition() takes for a location in the query's text; 0 for none. */
extern int	dps_query_position(const DpsProtectedSource *source, int location);

/* An error unless the current role has a budget on the source's relation, needs none, or
 * nothing will be executed, and the relation is one that it can be served. */
extern void dps_check_analyst(const DpsProtectedSource *source);

/* An error if the executor must not evaluate the condition, over columns of the
 * relation, for a restricted role. */
extern void dps_check_total(const DpsProtectedSource *source, Node *expanded);

#endif							/* DPS_GUARD_SOURCE_PROTECTED_SOURCE_H */
