/*
 * label.h
 *		The grammar of dpsens labels (label.c), and what a column's label means for
 *		its type (label_meaning.c).
 *
 * For a label that is wrong, functions do not raise an error but fill a DpsLabelProblem,
 * which some callers raise and the view of annotations only shows.
 */
#ifndef DPS_GLUE_LABEL_LABEL_H
#define DPS_GLUE_LABEL_LABEL_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "glue/import/iso_time.h"
#include "glue/label/annotation.h"

typedef struct DpsLabelProblem
{
	int			sqlerrcode;
	char	   *message;
	char	   *detail;			/* or NULL */
	char	   *hint;			/* or NULL */
} DpsLabelProblem;

/* A range, not yet interpreted. */
typedef struct DpsLabelRange
{
	char	   *lo;				/* ends of the range, without quotes; NULL if
								 * there is none */
	char	   *hi;
	bool		quoted;			/* the ends are dates or timestamps */
} DpsLabelRange;

/* The most of a column that depend on another. */
#define DPS_MAX_KEYED_RANGES 10000

/* One that holds where another column has a value (keyed_range.h). */
typedef struct DpsKeyedLabel
{
	DpsLabelRange range;
	char	   *key;			/* the other column's name */
	char	   *value;
} DpsKeyedLabel;

/* The clauses of a column's label, not yet interpreted. */
typedef struct DpsColumnLabel
{
	DpsLabelRange range;
	List	   *keyed;			/* of DpsKeyedLabel *, no two for the same value of the same column */
	bool		has_weight;
	double		weight;
	bool		has_values;
	List	   *values;			/* of char *; NIL also if the parser does not keep
								 * them */
	bool		is_public;
	bool		is_unit;
	bool		by_reference;	/* the unit is that of the referenced row */
	int32		unit_place;		/* if it is the unit: its place among as many columns, from 1 */
	int32		unit_size;
} DpsColumnLabel;

/* Consecutive strings, each with a null byte at its end. */
typedef struct DpsTexts
{
	char	   *bytes;
	char	   *end;
	int			n;
} DpsTexts;

static inline char *
dps_next_text(char *text)
{
	return text + strlen(text) + 1;
}

/* The parsed label of a table. */
typedef struct DpsRelationLabel
{
	DpsAdjacency adjacency;
	DpsUnitLimits limits;
	int32		group_size;		/* so many units are protected together; 0 or 1: each by itself */
	bool		is_public;		/* the label is PUBLIC */
} DpsRelationLabel;

/* How the base type of a column is annotated. */
typedef struct DpsLabelType
{
	Oid			type;
	bool		integral;
	bool		quoted;			/* range ends and values are ISO 8601 */
	double		lo;				/* of an integral type: its smallest and largest
								 * value, of bigint -2^53 and 2^53 */
	double		hi;
} DpsLabelType;

/* NULL if no range can be declared for columns of this type.  The type must not be a
 * domain. */
extern const DpsLabelType *dps_find_label_type(Oid base_type);

/*
 * Can values be declared for columns of this type?  A declared value must mean the same
 * in every session.  That holds for types whose input function depends on the text only,
 * for enums, and for dates and timestamps in ISO 8601.  The type must have an order, too,
 * by which released groups are sorted.
 */
extern bool dps_can_declare_values(Oid type);

extern bool dps_find_adjacency(const char *name, DpsAdjacency *adjacency);

/* False, with the problem, if the text is not a label. */
extern bool dps_parse_relation_label(const char *text, DpsRelationLabel *label, DpsLabelProblem *problem);
extern bool dps_parse_column_label(const char *text, DpsColumnLabel *label, DpsLabelProblem *problem);

/* The same for a column's label, but the values go to `values`, which must be zero.  Their
 * bytes are in the text, which is overwritten and must live as long as they. */
extern bool dps_parse_column_label_in_place(char *text, DpsColumnLabel *label, DpsTexts *values,
											DpsLabelProblem *problem);

/* The same for a column's label, whose values are not kept. */
extern bool dps_parse_column_clauses(const char *text, DpsColumnLabel *label, DpsLabelProblem *problem);

/* The range of the list that holds where the column of this name has the value; NULL if there is none. */
extern DpsKeyedLabel *dps_find_keyed_label(const List *keyed, const char *key, const char *value);

/* The ends that a range means for a column of this name and base type.  False, with the problem, if it does not fit
 * the type. */
extern bool dps_resolve_range(const DpsLabelRange *range, const char *column, Oid base_type, double *lo, double *hi,
							  DpsLabelProblem *problem);

/* EXPRESSION: a registered expression; TRUSTED: a SECURITY DEFINER function that roles
 * without SELECT may call. */
extern bool dps_parse_function_label(const char *text, bool *is_trusted, DpsLabelProblem *problem);

/* The label as text, palloc'd; NULL for a column's label without clauses. */
extern char *dps_format_relation_label(const DpsRelationLabel *label);
extern char *dps_format_column_label(const DpsColumnLabel *label);

/*
 * The annotation that the label means for a column of this name and base type, without
 * the defaults of enums and booleans.  False, with the problem, if it does not fit the
 * type.
 */
extern bool dps_resolve_column_label(const DpsColumnLabel *label, const char *column, Oid base_type,
									 DpsColumnAnnotation *annotation, DpsLabelProblem *problem);

/* A finite double as the shortest decimal that is parsed as the same double; palloc'd. */
extern char *dps_format_number(double number);

/* Parses a number of a label, which may be NaN or infinite; false if it is none. */
extern bool dps_parse_number(const char *text, double *number);

/* Fills the problem, without a detail and a hint; returns false. */
extern bool dps_fail_label(DpsLabelProblem *problem, int sqlerrcode, const char *format,...) pg_attribute_printf(3, 4);

/* Raises the problem as an error. */
extern void dps_refuse_label(const DpsLabelProblem *problem) __attribute__((noreturn));

#endif							/* DPS_GLUE_LABEL_LABEL_H */
