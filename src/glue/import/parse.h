/*
 * parse.h
 *		Row expressions as text, and as the bodies of SQL functions.
 *
 * The server's own parser reads them.  The results are passed to dps_import, which
 * refuses aggregates, functions that return sets and everything else that cannot be in
 * a row expression.
 */
#ifndef DPS_GLUE_IMPORT_PARSE_H
#define DPS_GLUE_IMPORT_PARSE_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/primnodes.h"
#include "utils/elog.h"
#include "utils/relcache.h"

/*
 * While a source is entered, the positions of errors refer to its text and not
 * to the statement that the client sent.  Sources nest; an error leaves all of them.
 * The source must live until it is left.
 */
typedef struct DpsSource
{
	ErrorContextCallback callback;
	const char *text;
} DpsSource;

extern void dps_source_enter(DpsSource *source, const char *text);
extern void dps_source_leave(DpsSource *source);

/* A name that an expression may use. */
typedef struct DpsParseColumn
{
	const char *name;			/* not quoted */
	Oid			type;
} DpsParseColumn;

typedef struct DpsParseColumns
{
	const DpsParseColumn *column;
	int			n;
	const char *missing_hint;	/* the hint for a name that is not among them */
} DpsParseColumns;

/*
 * The analysed expression; column i is the external Param of paramid i + 1.
 * The text must stand for exactly one expression.  The caller has entered it
 * as a source.
 */
extern Node *dps_parse_expression(const char *text, const DpsParseColumns *columns);

/* The same over the columns of a relation, which are Vars of varno 1. */
extern Node *dps_parse_row_expression(const char *text, Relation relation);

/*
 * The expression that an SQL function with a parsed body (RETURN) returns, cast to the
 * function's result type.  Its parameters are Params, so that a column of a row-typed
 * parameter is a FieldSelect.  For other functions dps_expression_body raises an error,
 * dps_find_expression_body returns NULL.
 */
extern Node *dps_expression_body(Oid function);
extern Node *dps_find_expression_body(Oid function);

/* The column that a leaf of such an expression selects from parameter 1, or
 * InvalidAttrNumber. */
extern AttrNumber dps_body_column(Node *leaf);

/* The relation whose row type is the function's only parameter, or
 * InvalidOid. */
extern Oid	dps_expression_relation(Oid function);

#endif							/* DPS_GLUE_IMPORT_PARSE_H */
