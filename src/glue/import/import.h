/*
 * import.h
 *		From PostgreSQL's analysed expressions to graphs.
 *
 * Operators, functions, casts and types are SQL's: the server's own parser has resolved
 * them, and builtins are identified by their entries of pg_proc, never by name alone.
 * An unsupported construct is an error that names it, with its position in the query
 * and a hint.
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
	 * parameter) stands for and returns its index.  If `epoch` is set, the
	 * leaf is a date or timestamp, and the variable is its seconds since 1970,
	 * or an interval, and the variable is its length in seconds; the variable
	 * then has type DPS_NUMERIC, and its name is the extract() expression.
	 * Raises an error for a leaf that cannot be used.
	 */
	int			(*resolve) (struct DpsImport *import, Node *leaf, bool epoch);

	/*
	 * Finds or adds a boolean variable for a condition that has no operation
	 * in the table, sex = 'Female' for instance, and returns its index, or -1
	 * if the condition cannot be a variable.  NULL if the caller has no such
	 * variables.
	 */
	int			(*resolve_condition) (struct DpsImport *import, Node *condition);

	/*
	 * Sets the ends of the declared range of a leaf that is a date or timestamp;
	 * false if it has none.  NULL if no leaf has one.
	 */
	bool		(*range) (struct DpsImport *import, Node *leaf, double *lo, double *hi);
	void	   *context;		/* for the callbacks */
	const char *source_text;	/* the text that locations refer to, or NULL */
} DpsImport;

/* The graph of an expression; raises an error if it cannot be imported. */
extern const DpsNode *dps_import(DpsImport *import, Node *expression);

/* The graph of CASE, COALESCE, GREATEST or LEAST, whose type may be one that is imported
 * as seconds. */
extern const DpsNode *dps_import_choice(DpsImport *import, Node *node);

/*
 * The elements of ARRAY[...], or NIL for any other expression; an error for one
 * that is empty or nested, or of more than max elements.
 */
extern List *dps_import_elements(DpsImport *import, Node *expression, int max);

/* errposition() for a location in import->source_text; 0 if there is none. */
extern int	dps_import_position(const DpsImport *import, int location);

/* The argument of errposition() for a location in a text; 0 if either is missing. */
extern int	dps_text_position(const char *text, int location);

/* The elements of a constant array, or of ARRAY[...], as expressions; false if it is
 * neither. */
extern bool dps_list_elements(Node *array, List **elements);

#endif							/* DPS_GLUE_IMPORT_IMPORT_H */
