/*
 * examples.h
 *		Rows of a relation as examples.
 */
#ifndef DPS_MODEL_EXAMPLES_H
#define DPS_MODEL_EXAMPLES_H

#include "postgres.h"

#include "utils/array.h"

#include "model/train.h"

/*
 * Reads the features and the target from columns of a relation, as the current
 * user, into CurrentMemoryContext.  Rows in which something is NULL, not
 * finite or of another length are left out.  Raises if a column is missing or not of
 * numbers.
 */
extern void dps_read_examples(Oid relation, ArrayType *features, const char *target, const DpsNetwork *network,
							  DpsExamples *examples);

/* Whether the target is the number of a class; of a missing column it is not. */
extern bool dps_target_is_class(Oid relation, const char *target, const DpsNetwork *network);

#endif							/* DPS_MODEL_EXAMPLES_H */
