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

/* What rows are read from. */
typedef struct DpsRowSource
{
	Oid			relation;
	const char *query;			/* over it, or NULL: all rows of the relation */
	TupleDesc	columns;		/* of the query */
	bool		is_protected;	/* no row's cells may cause an error */
} DpsRowSource;

/*
 * Reads the features and the target from columns of a source, as the current
 * user, into CurrentMemoryContext.  Rows in which something is NULL, not
 * finite or of another length are left out; of a protected relation what has no
 * value in SQL is NULL, as in conditions.  Raises if a column is missing or not of
 * numbers.
 */
extern void dps_read_examples(const DpsRowSource *source, ArrayType *features, const char *target, const DpsNetwork *network,
							  DpsExamples *examples);

/* Whether the target is the number of a class; of a missing column it is not. */
extern bool dps_target_is_class(const DpsRowSource *source, const char *target, const DpsNetwork *network);

#endif							/* DPS_MODEL_TRAIN_EXAMPLES_H */
