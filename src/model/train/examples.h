/*
 * examples.h
 *		Rows of a relation as examples.
 */
#ifndef DPS_MODEL_TRAIN_EXAMPLES_H
#define DPS_MODEL_TRAIN_EXAMPLES_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "storage/itemptr.h"
#include "utils/array.h"

#include "model/train/train.h"

/* The source of rows. */
typedef struct DpsRowSource
{
	Oid			relation;
	const char *query;			/* over the relation, or NULL for all its rows */
	TupleDesc	columns;		/* of the query */
	bool		is_protected;	/* then no row's cells may cause an error */
} DpsRowSource;

/* The rows that were read, examples or not. */
typedef struct DpsExampleRows
{
	int64		n;
	int64		room;
	ItemPointerData *places;	/* in the table */
	int64	   *examples;		/* the number of the row's example; -1: it is none */
} DpsExampleRows;

/*
 * Reads the features and the target from columns of a source, as the current user and
 * with the active snapshot, into CurrentMemoryContext.  Rows with a NULL, a number that
 * is not finite or an array of another length are left out.  If the relation is
 * protected, an expression that would raise an error is NULL, as in conditions.  Raises
 * an error if a column is missing or is not of numbers.  rows is NULL, or is set to the
 * rows of a source that is a table without a query.
 */
extern void dps_read_examples(const DpsRowSource *source, ArrayType *features, const char *target, const DpsNetwork *network,
							  DpsExamples *examples, DpsExampleRows *rows);

/* Is the target the number of a class?  False if there is no such column. */
extern bool dps_target_is_class(const DpsRowSource *source, const char *target, const DpsNetwork *network);

#endif							/* DPS_MODEL_TRAIN_EXAMPLES_H */
