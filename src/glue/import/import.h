/*
 * import.h
 *		From PostgreSQL's analysed expressions to graphs.
 *
 * Operators, functions, casts and types are SQL's: they come resolved from the
 * server's own parser, and builtins are identified by what pg_proc says they
 * are, never by name alone.  What is not supported is an error that names it,
 * with its position in the query and a hint.
 */
#ifndef DPS_GLUE_IMPORT_IMPORT_H
#define DPS_GLUE_IMPORT_IMPORT_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "expr/expr.h"
#include "glue/import/builtin.h"

typedef struct DpsImport
{
	DpsGraph   *graph;

	/*
	 * Finds or adds the variable that a leaf (Var, Param, or FieldSelect of a
	 * parameter) stands for and returns its index.  `epoch` says that the
	 * leaf is a date or timestamp of which the seconds since 1970 are meant;
	 * its variable has type DPS_NUMERIC and its name is the extract()
	 * expression.  Raises an error for a leaf that cannot be used.
	 */
	int			(*resolve) (struct DpsImport *import, Node *leaf, bool epoch);

	/*
	 * Finds or adds a boolean variable for a condition that no operation of
	 * the table stands for, sex = 'Female' for instance, and returns its
	 * index, or -1 if it cannot be one.  NULL where there are no such
	 * variables.
	 */
	int			(*resolve_condition) (struct DpsImport *import, Node *condition);

	/*
	 * Sets the ends of the declared range of a leaf that is a date or timestamp;
	 * false if it has none.  NULL where no leaf has one.
	 */
	bool		(*range) (struct DpsImport *import, Node *leaf, double *lo, double *hi);
	void	   *context;		/* the resolver's */
	const char *source_text;	/* what locations refer to, or NULL for none */
} DpsImport;

/* The graph of an expression; raises an error if it cannot be imported. */
extern const DpsNode *dps_import(DpsImport *import, Node *expression);

/* The same of CASE, COALESCE, GREATEST and LEAST, which can be of a type that is
 * imported as seconds. */
extern const DpsNode *dps_import_choice(DpsImport *import, Node *node);

/*
 * The elements of ARRAY[...], or NIL for any other expression; an error for one
 * that is empty or nested, or of more than max elements.
 */
extern List *dps_import_elements(DpsImport *import, Node *expression, int max);

/* errposition() for a location in import->source_text; 0 if there is none. */
extern int	dps_import_position(const DpsImport *import, int location);

/* What errposition() takes for a location in a text; 0 if either is missing. */
extern int	dps_text_position(const char *text, int location);

/* The elements of a constant array, or of ARRAY[...], as expressions; false if it is
 * neither. */
extern bool dps_list_elements(Node *array, List **elements);

#endif							/* DPS_GLUE_IMPORT_IMPORT_H */
