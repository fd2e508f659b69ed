/*
 * definition.h
 *		Definitions of models, from JSON to layers.
 */
#ifndef DPS_MODEL_DEFINITION_H
#define DPS_MODEL_DEFINITION_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "tensor/network/network.h"

typedef struct DpsDefinition
{
	DpsNetworkPlan plan;
	uint64		seed;
} DpsDefinition;

/* Reads a definition; an error says what is wrong with it. */
extern void dps_read_definition(Jsonb *json, DpsDefinition *definition);

/* The network of a definition, in the arena; an error if there is none. */
extern DpsNetwork *dps_build_network(const DpsDefinition *definition, DpsArena *arena);

#endif							/* DPS_MODEL_DEFINITION_H */
