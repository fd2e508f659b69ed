/*
 * label.h
 *		The grammar of dpsens labels (label.c), and what a column's label means for
 *		its type (label_meaning.c).
 *
 * Nothing here raises an error for a label that is wrong: it fills a
 * DpsLabelProblem, which some callers raise and the overview of annotations
 * only reports.
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

/* The clauses of a column's label, as they are written. */
typedef struct DpsColumnLabel
{
	char	   *lo;				/* ends of the range, without quotes; NULL if
								 * there is none */
	char	   *hi;
	bool		quoted;			/* the ends are dates or timestamps */
	bool		has_weight;
	double		weight;
	bool		has_values;
	List	   *values;			/* of char *; NIL also if it is not kept */
	bool		is_public;
	bool		is_unit;
	bool		by_reference;	/* it is the unit of the row that is referred to */
} DpsColumnLabel;

/* Strings, one after the other, each with a null byte at its end. */
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

/* What a table's label says. */
typedef struct DpsRelationLabel
{
	DpsAdjacency adjacency;
	DpsUnitLimits limits;
	bool		is_public;		/* it is PUBLIC, and nothing else */
} DpsRelationLabel;

/* How the base type of a column is annotated. */
typedef struct DpsLabelType
{
	Oid			type;
	bool		integral;
	bool		quoted;			/* range ends and values are ISO 8601 */
	double		lo;				/* of an integral type: its smallest and largest
								 * value, or the last that a double counts up
								 * to */
	double		hi;
} DpsLabelType;

/* NULL if columns of this type have no range to declare.  Look through
 * domains first. */
extern const DpsLabelType *dps_find_label_type(Oid base_type);

/*
 * A declared value must mean the same in every session.  That holds for types
 * whose input depends on nothing but its text, for enums, and for dates and
 * timestamps in ISO 8601.  They must have an order, too, since that is how
 * released groups are sorted.
 */
extern bool dps_can_declare_values(Oid type);

extern bool dps_find_adjacency(const char *name, DpsAdjacency *adjacency);

/* False if the label is not one, and then the problem says why. */
extern bool dps_parse_relation_label(const char *text, DpsRelationLabel *label, DpsLabelProblem *problem);
extern bool dps_parse_column_label(const char *text, DpsColumnLabel *label, DpsLabelProblem *problem);

/* The same for a column's label, whose values are appended to `values`, which is
 * empty, instead: the text is the caller's own and becomes their bytes. */
extern bool dps_parse_column_label_in_place(char *text, DpsColumnLabel *label, DpsTexts *values,
											DpsLabelProblem *problem);

/* The same for a column's label, whose values are not kept. */
extern bool dps_parse_column_clauses(const char *text, DpsColumnLabel *label, DpsLabelProblem *problem);

/* EXPRESSION: a registered expression; TRUSTED: a SECURITY DEFINER function
 * that roles which must not look may call. */
extern bool dps_parse_function_label(const char *text, bool *is_trusted, DpsLabelProblem *problem);

/* The inverse, palloc'd; NULL for a label without clauses. */
extern char *dps_format_relation_label(const DpsRelationLabel *label);
extern char *dps_format_column_label(const DpsColumnLabel *label);

/*
 * What the label means for a column of this name and base type; defaults of
 * enums and booleans are not filled in.  False if it does not fit the type.
 */
extern bool dps_resolve_column_label(const DpsColumnLabel *label, const char *column, Oid base_type,
									 DpsColumnAnnotation *annotation, DpsLabelProblem *problem);

/* A finite double as the shortest number that reads back as the same. */
extern char *dps_format_number(double number);

/* The number that a word of a label is; false if it is none. */
extern bool dps_parse_number(const char *text, double *number);

/* Fills the problem, without a detail and a hint; false. */
extern bool dps_fail_label(DpsLabelProblem *problem, int sqlerrcode, const char *format,...) pg_attribute_printf(3, 4);

/* Raises the problem. */
extern void dps_refuse_label(const DpsLabelProblem *problem) __attribute__((noreturn));

#endif							/* DPS_GLUE_LABEL_LABEL_H */
