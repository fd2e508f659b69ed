/*
 * examples.h
 *		Rows of a relation as examples.
 */
#ifndef DPS_MODEL_TRAIN_EXAMPLES_H
#define DPS_MODEL_TRAIN_EXAMPLES_H

#include "postgres.h"

#include "access/tupdesc.h"
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

/*
 * Reads the features and the target from columns of a source, as the current user and
 * with the active snapshot, into CurrentMemoryContext.  Rows with a NULL, a number that
 * is not finite or an array of another length are left out.  If the relation is
 * protected, an expression that would raise an error is NULL, as in conditions.  Raises
 * an error if a column is missing or is not of numbers.
 */
extern void dps_read_examples(const DpsRowSource *source, ArrayType *features, const char *target, const DpsNetwork *network,
							  DpsExamples *examples);

/* Is the target the number of a class?  False if there is no such column. */
extern bool dps_target_is_class(const DpsRowSource *source, const char *target, const DpsNetwork *network);

#endif							/* DPS_MODEL_TRAIN_EXAMPLES_H */
