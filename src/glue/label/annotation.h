/*
 * annotation.h
 *		The declarations of a curator: security labels of provider "dpsens",
 *		read and written.
 *
 * Declarations are stored in labels only; the SQL functions write labels.  A relation's
 * label is
 *
 *		PROTECTED [ADJACENCY add_remove|replace|attribute|metric]
 *			[MAX ROWS n] [MAX ROWS PER GROUP n] [MAX GROUPS n] [GROUP SIZE k]
 *
 * or PUBLIC, which says that all of its rows are public knowledge,
 * and a column's is one or more of these clauses, separated by blanks:
 *
 *		RANGE [lo, hi]    numbers; quoted dates or timestamps for such columns;
 *						  seconds for intervals
 *		RANGE [lo, hi] WHEN "column" = 'value'
 *						  where another column has that value (keyed_range.h)
 *		WEIGHT w          a positive number (with a range; default 1)
 *		VALUES ('a', 'b') public group keys
 *		PUBLIC
 *		UNIT              the privacy unit of a row
 *		UNIT BY REFERENCE the unit of the row that this foreign key refers to
 *		UNIT 1 OF 2 [BY REFERENCE]
 *						  the same, of several columns together: this one's place among so many.
 *						  Where not all of them are there the unit is broken, and nothing is answered
 *
 * A function's label is EXPRESSION or TRUSTED, a view's AUDIT (view_label.h), a role's
 * ANALYST (role_label.h).  The label hook checks syntax and column type, and invalidates
 * the relation's cached plans.
 */
#ifndef DPS_GLUE_LABEL_ANNOTATION_H
#define DPS_GLUE_LABEL_ANNOTATION_H

#include "postgres.h"

#include "access/attnum.h"
#include "catalog/objectaddress.h"
#include "nodes/pg_list.h"
#include "utils/snapshot.h"

#include "glue/constraint/unit_columns.h"

#define DPS_LABEL_PROVIDER "dpsens"

/* Neighbouring relations, definitions, section 2. */
typedef enum DpsAdjacency
{
	DPS_ADD_REMOVE,
	DPS_REPLACE,
	DPS_ATTRIBUTE,
	DPS_METRIC
} DpsAdjacency;

/* How many rows of a unit count in an answer; 0: not limited. */
typedef struct DpsUnitLimits
{
	int32		rows;
	int32		rows_per_group;
	int32		groups;
} DpsUnitLimits;

/* The largest that can be declared. */
#define DPS_MAX_UNIT_ROWS 1000000

/* The most units that can be declared to be protected together, such as the persons of a household. */
#define DPS_MAX_GROUP_SIZE 1024

typedef struct DpsRelationAnnotation
{
	bool		is_protected;
	bool		is_public;		/* declared PUBLIC; never both */
	DpsAdjacency adjacency;
	DpsUnitLimits limits;
	int32		group_size;		/* the promise is to as many units together; 1: to each by itself.  0 if it is not protected */
	DpsUnitColumns unit;		/* the columns labelled UNIT, in their order */
	bool		unit_by_reference;	/* they are a foreign key to a table with the
									 * unit */
	bool		unit_is_broken; /* labels name columns of a unit, and not all of them; then it has none */
	bool		unit_is_unique; /* a unique index over those columns alone (not
								 * partial, not deferrable, valid, columns NOT
								 * NULL) proves one row per unit */
	Oid			unit_index;		/* that index, or InvalidOid (unique_proof.h) */
	uint64		labels;			/* dps_annotation_fingerprint of the labels that it
								 * was read from; 0 if the relation has no label */
} DpsRelationAnnotation;

typedef struct DpsColumnAnnotation
{
	bool		has_range;
	double		lo;				/* in the column's own unit; dates and timestamps
								 * in seconds since 1970 (UTC), intervals in
								 * seconds */
	double		hi;
	bool		has_keyed_ranges;	/* ranges that hold where another column has a value (keyed_range.h) */
	double		weight;			/* w_j, 1 by default */
	bool		is_public;
	bool		is_unit;
	bool		by_reference;
	bool		has_values;
	Oid			values_of;		/* if it has values: the relation that declares them */
	AttrNumber	values_column;
} DpsColumnAnnotation;

/* Is a range declared, for all rows or for some, or values? */
static inline bool
dps_has_domain(const DpsColumnAnnotation *annotation)
{
	return annotation->has_range || annotation->has_keyed_ranges || annotation->has_values;
}

static inline bool
dps_has_unit(const DpsRelationAnnotation *annotation)
{
	return annotation->unit.n > 0;
}

/* Do columns say whose a row is, and can one of them have several? */
static inline bool
dps_unit_has_rows(const DpsRelationAnnotation *annotation)
{
	return dps_has_unit(annotation) && !annotation->unit_is_unique;
}

/* Is a column of the unit gone, or are there limits for units, although no column is the unit? */
static inline bool
dps_unit_is_lost(const DpsRelationAnnotation *annotation)
{
	return annotation->unit_is_broken || (!dps_has_unit(annotation) &&
		(annotation->limits.rows > 0 || annotation->limits.rows_per_group > 0 || annotation->limits.groups > 0));
}

/* May a unit have several rows, as far as labels and indexes prove?  Then no row is one by itself. */
static inline bool
dps_rows_may_be_one_units(const DpsRelationAnnotation *annotation)
{
	return dps_unit_has_rows(annotation) || dps_unit_is_lost(annotation);
}

/* What a column's weight counts as under adjacency attribute: no answer at epsilon tells more than
 * epsilon of any column. */
static inline double
dps_attribute_weight(const DpsColumnAnnotation *annotation)
{
	return annotation->weight < 1 ? annotation->weight : 1;
}

/* The least of them over all columns of the relation that are not public; 1 if it is not
 * protected, or by another adjacency. */
extern double dps_least_weight(Oid relation);

/* "add_remove" and so on. */
extern const char *dps_adjacency_name(DpsAdjacency adjacency);

/* Registers the label provider; called from _PG_init. */
extern void dps_annotation_init(void);

/* The annotation of a relation; all false if it has none. */
extern void dps_get_relation_annotation(Oid relation, DpsRelationAnnotation *annotation);

/* The same without unit_is_unique and unit_index: takes no lock on the relation. */
extern void dps_get_relation_labels(Oid relation, DpsRelationAnnotation *annotation);

/* The annotation, for owners' functions: an error with a hint if it is not protected. */
extern void dps_get_protected_annotation(Oid relation, DpsRelationAnnotation *annotation);

/* The columns of the relation's unit; does not search for an index that proves it
 * unique. */
extern void dps_get_unit_columns(Oid relation, DpsUnitColumns *columns);

/*
 * The annotation of a column; all false (weight 1) if it has none.  For an
 * enum column without VALUES, the values are its labels; for a boolean, the
 * range is [0, 1] and the values are false and true.  Ranges of integer
 * columns are shrunk to integers.  A generated column is never public.
 * Raises an error for a label that is wrong.  Cached until it changes, like the
 * annotation of a relation.
 */
extern void dps_get_column_annotation(Oid relation, AttrNumber column, DpsColumnAnnotation *annotation);

/* The same, not cached, but false, with the reason in the problem, for a label that is
 * wrong or does not fit the column's type, which may have changed since. */
struct DpsLabelProblem;
extern bool dps_read_column_annotation(Oid relation, AttrNumber column, DpsColumnAnnotation *annotation,
									   struct DpsLabelProblem *problem);

/* Sets texts, which must be zero, to the values that are declared for a column, in their
 * order: those of its label, else those of its type.  None if the label is wrong.  The
 * label is that of the snapshot, or the newest one for InvalidSnapshot. */
struct DpsTexts;
extern void dps_declared_texts(Oid relation, AttrNumber column, Snapshot snapshot, struct DpsTexts *texts);

/* A number that changes whenever a label of the relation or of one of its
 * columns does. */
extern uint64 dps_annotation_fingerprint(Oid relation);

/* Does the function carry the label EXPRESSION? */
extern bool dps_is_registered_expression(Oid function);

/* Does the function carry the label TRUSTED: may roles without SELECT call it? */
extern bool dps_is_trusted_function(Oid function);

/* Raises an error unless the relation is a table that can be protected and the
 * column (0 for the relation itself) is not a system column. */
extern void dps_check_annotatable(Oid relation, AttrNumber column);

/*
 * Does what SECURITY LABEL does: checks the label, writes it (NULL removes it) and
 * invalidates cached plans.  The caller has checked ownership and holds a lock on the
 * object that conflicts with itself.
 */
extern void dps_set_label(const ObjectAddress *object, const char *text);

/* Calls the function with each label that is about to be written, once it is known to be right, and with the one before;
 * NULL is no label. */
typedef void (*DpsLabelWatcher) (const ObjectAddress *object, const char *before, const char *after);
extern void dps_watch_labels(DpsLabelWatcher watcher);

/* The number of labels of an enum. */
extern int	dps_enum_size(Oid type);

#endif							/* DPS_GLUE_LABEL_ANNOTATION_H */
