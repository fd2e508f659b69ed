/*
 * import_tensor.h
 *		Operations on arrays in row expressions, written out element by element.
 */
#ifndef DPS_GLUE_IMPORT_IMPORT_TENSOR_H
#define DPS_GLUE_IMPORT_IMPORT_TENSOR_H

#include "postgres.h"

#include "glue/import/import.h"

/*
 * The result of a call of a function of arrays (dpsens.dot, dpsens.huber_loss and so on)
 * that returns a number; NULL for any other function.
 */
extern const DpsNode *dps_import_tensor_call(DpsImport *import, Node *call, Oid function, List *arguments);

/* One element of the array that such a function returns; NULL for any other expression. */
extern const DpsNode *dps_import_tensor_element(DpsImport *import, Node *subscript);

#endif							/* DPS_GLUE_IMPORT_IMPORT_TENSOR_H */
