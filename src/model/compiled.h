/*
 * compiled.h
 *		A stored model, ready to be asked about examples.
 */
#ifndef DPS_MODEL_COMPILED_H
#define DPS_MODEL_COMPILED_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"

#include "model/definition.h"
#include "model/store.h"
#include "tensor/network/example.h"
#include "tensor/network/matching.h"

/* A stored model with its network. */
typedef struct DpsModel
{
	DpsStoredModel stored;
	DpsDefinition definition;
	DpsNetwork *network;
} DpsModel;

/* In CurrentMemoryContext; errors as of dps_read_model. */
extern void dps_open_model(Name name, DpsModel *model);

/* Quantities are those of tensor/network/example.h; these stand for DpsFisher, and for
 * DpsMatching of the first kind, shifted by one for each that follows. */
#define DPS_COMPILED_FISHER 0x10000
#define DPS_COMPILED_MATCHING 0x20000

typedef struct DpsCompiled
{
	DpsNetwork *network;
	double	   *parameters;
	DpsExample *example;		/* those that are asked for; the others are NULL */
	DpsFisher  *fisher;
	DpsMatching *matching;
} DpsCompiled;

/*
 * The model that a call names in its first argument, compiled for these
 * quantities; kept with the call's FmgrInfo as long as the model stays as it is and the
 * quantities are the same.
 */
extern const DpsCompiled *dps_compiled_model(FunctionCallInfo fcinfo, unsigned quantities);

/*
 * Numbers of an array that must have n elements, as long as the array is; NULL
 * if one of them is NULL.  `what` is for the error's message.
 */
extern const double *dps_array_numbers(ArrayType *array, int64 n, const char *what);

/* An array of float8. */
extern ArrayType *dps_numbers_array(const double *numbers, int64 n);

#endif							/* DPS_MODEL_COMPILED_H */
