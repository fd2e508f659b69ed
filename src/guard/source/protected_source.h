/*
 * protected_source.h
 *		What a level of a query with dp aggregates reads, and what is known of its
 *		columns.
 *
 * A level of a query with dp aggregates reads one protected relation, directly or through views and simple
 * subqueries, or a join of one with others (join.h).  A Var identifies a column: varno is the number of
 * its part among the level's parts, 1 without joins, and varattno is its number in that part.
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
	RangeTblEntry *entry;		/* an entry of level */
	Query	   *level;			/* NULL if the guard has added it */
	int			referrer;		/* the guard added this part for the part of this number; 0 if the query names it */
	Oid			relation;
	DpsRelationAnnotation annotation;
	bool		is_restricted;	/* the asking role must not see its rows */
	bool		needs_budget;	/* ... and lacks the privilege to read it */
	bool		is_private;		/* private cells decide which of its rows matches */
	bool		nullable;		/* it is on the optional side of an outer join */
	List	   *security;		/* row-level security conditions, expanded */
	List	   *arms;			/* of DpsArm *, if the part is a UNION ALL; relation and annotation are then
								 * those of the first arm */
	struct DpsGrouping *grouping;	/* if the part's rows are groups; relation and annotation are then those
									 * of the relation with the unit */
	struct DpsConstants *constants; /* if the part is a list of constants; it has no relation then */
	bool		tells_rows;		/* the entry of a UNION ALL has an additional column that identifies rows
								 * (row_owner.h) */
} DpsPart;

typedef struct DpsProtectedSource
{
	Query	   *query;			/* the level with the dp aggregates */
	List	   *enclosing;		/* of Query *: the level, then the queries around it, outwards */
	const char *source_text;
	ParamListInfo params;		/* values of parameters, or NULL */
	int			location;		/* of an aggregate of the level, for errors without a better place */
	Oid			relation;
	DpsRelationAnnotation annotation;
	bool		limits_unit;	/* a unit may have several rows, and not all of them may count */
	bool		is_individual;	/* units whose loss would pass their cap are left out */
	bool		is_analysis;	/* nothing will be executed */
	bool		is_restricted;	/* the asking role must not see rows of the relation, or of one of several */
	bool		needs_budget;	/* ... and lacks the privilege to read it; only set for a single relation */
	bool		selection_is_private;	/* a WHERE of the chain depends on a private column */
	List	   *conditions;		/* of Node *: the WHERE of every step, expanded */
	List	   *functions;		/* OIDs of registered functions that were inlined */

	/* for a level with joins: */
	List	   *parts;			/* of DpsPart *, NIL for a single relation; the rows of the first part are
								 * counted */
	Node	   *from;			/* FROM and WHERE over the parts, expanded */
	List	   *levels;			/* of Query *: the levels that name the parts */
	List	   *padded;			/* of RangeTblEntry *: subqueries whose columns an outer join may pad with NULL */
	List	   *indexes;		/* OIDs of the indexes that prove that rows are not multiplied */
	List	   *unit_vars;		/* of Var *: the unit's columns in their order, expanded; NIL if none is declared */
	List	   *owners;			/* of int: numbers of the parts on the way from the counted part, by
								 * references, to the part with the unit */
	List	   *semijoins;		/* of DpsSemiJoin *: subqueries in conditions */
	bool		in_condition;	/* this is the source of such a subquery */
	bool		allows_optional;	/* protected parts may be on the optional side of an outer join */
	bool		swaps_rows;		/* rows of a unit can begin to count while others of it cease to, although
								 * adjacency only adds or removes rows */
} DpsProtectedSource;

/* A query of a UNION ALL. */
typedef struct DpsArm
{
	DpsProtectedSource *source;
	List	   *columns;		/* of Var * or Const *, expanded; NULL for a computed column */
} DpsArm;

/* A subquery in a condition; its tree is that of a level with joins. */
typedef struct DpsSemiJoin
{
	DpsProtectedSource *source; /* Vars with varlevelsup 1 belong to the outer parts */
	bool		is_required;	/* a row counts only if the subquery has rows */
	bool		reads_protected;
} DpsSemiJoin;

/* The part's name for messages. */
extern char *dps_part_name(const DpsPart *part);

/* What is known of the column of an expanded Var.  Its relation is InvalidOid if it is a column of VALUES. */
extern Oid	dps_var_relation(const DpsProtectedSource *source, const Var *var);
extern void dps_get_var_annotation(const DpsProtectedSource *source, const Var *var, DpsColumnAnnotation *annotation);
/* The relation and column that the Var's values come from; *column is InvalidAttrNumber if they are
 * constants. */
extern void dps_var_origin(const DpsProtectedSource *source, const Var *var, Oid *relation, AttrNumber *column);
extern bool dps_var_is_not_null(const DpsProtectedSource *source, const Var *var);
extern char *dps_var_name(const DpsProtectedSource *source, const Var *var, bool epoch);

/* The adjacency by which the rows of a unit that count can change: that of the relation, or replace where
 * rows of a unit can take the place of others. */
extern DpsAdjacency dps_row_adjacency(const DpsProtectedSource *source);

/* The number of an entry's part, from 1; an error if it is no part. */
extern int	dps_part_number(const DpsProtectedSource *source, const RangeTblEntry *entry);

/* The part of the Var; NULL without joins. */
extern DpsPart *dps_var_part(const DpsProtectedSource *source, const Var *var);

extern bool dps_unit_is_not_null(const DpsProtectedSource *source);

/* Does an expanded expression depend on a column that is not public? */
extern bool dps_depends_on_private(const DpsProtectedSource *source, Node *expanded);

/* Raises the error that something in the source is not supported.  what ends with a verb, for instance
 * "LIMIT is". */
pg_noreturn extern void dps_refuse_source(const DpsProtectedSource *source, const char *what, const char *hint);

/* The same, with the position of a construct in the statement. */
pg_noreturn extern void dps_refuse_at(const DpsProtectedSource *source, Node *where, const char *what, const char *hint);
/* Is the entry LATERAL (SELECT expressions), which is one row for each row that it refers to? */
extern bool dps_is_row_of_expressions(const RangeTblEntry *entry);

/* The position for errposition() of a location in the query's text; 0 for none. */
extern int	dps_query_position(const DpsProtectedSource *source, int location);

/* An error unless the current role needs no budget on the source's relation, or has one, or nothing will
 * be executed; and an error if the relation cannot be served to restricted roles. */
extern void dps_check_analyst(const DpsProtectedSource *source);

/* An error if the executor must not evaluate the condition, over columns of the
 * relation, for a restricted role. */
extern void dps_check_total(const DpsProtectedSource *source, Node *expanded);

#endif							/* DPS_GUARD_SOURCE_PROTECTED_SOURCE_H */
