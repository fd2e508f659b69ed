/*
 * known.h
 *		Values given for some inputs of a model, as JSON.
 */
#ifndef DPS_MODEL_KNOWN_H
#define DPS_MODEL_KNOWN_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "tensor/network/network.h"

typedef struct DpsKnown
{
	JsonbContainer *json;
	double	   *features;		/* NaN where not given; NULL: none is */
	double	   *target;
	List	   *found;			/* names that were asked for and are there */
} DpsKnown;

/*
 * Reads {"features": [0.5, null, 1], "target": 1, "x2": 3, "w1_2_1": 0.1}: arrays,
 * in which null is not given, and single inputs by the names that written-out
 * expressions have.  Raises if something else is there, but for names of inputs.
 */
extern void dps_read_known(Jsonb *json, const DpsNetwork *network, DpsKnown *known);

/* The value of an input by its name, or of element i of an array (NULL: none). */
extern bool dps_known_value(DpsKnown *known, const char *name, const double *array, int64 i, double *value);

/* Raises if a name was given that was never asked for. */
extern void dps_check_known(const DpsKnown *known);

#endif							/* DPS_MODEL_KNOWN_H */
