/*
 * import_tensor.h
 *		Operations on arrays in row expressions, written out element by element.
 */
#ifndef DPS_GLUE_IMPORT_IMPORT_TENSOR_H
#define DPS_GLUE_IMPORT_IMPORT_TENSOR_H

#include "postgres.h"

#include "glue/import/import.h"

/*
 * What a call of a function of arrays (dpsens.dot, dpsens.huber_loss and so on)
 * returns, if that is a number; NULL if the function is none of them.
 */
extern const DpsNode *dps_import_tensor_call(DpsImport *import, Node *call, Oid function, List *arguments);

/* One element of what such a function returns; NULL for anything else. */
extern const DpsNode *dps_import_tensor_element(DpsImport *import, Node *subscript);

#endif							/* DPS_GLUE_IMPORT_IMPORT_TENSOR_H */
