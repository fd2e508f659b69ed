/*
 * group_parts.h
 *		States of more groups than memory holds.
 *
 * The groups are cut into parts of as many as there is room for.  While rows are
 * read the first part is in memory, and a row of another one is written to that
 * part's file: the number of its group, its raw cells, and which filters it
 * passes.  Then the states are asked for in the order of their groups, and each
 * part takes the place of the one before and adds up the rows of its file.
 *
 * What the aggregate yields is not a block but a name of parts in the memory of
 * this process, so no worker may compute it.
 */
#ifndef DPS_AGG_STATE_GROUP_PARTS_H
#define DPS_AGG_STATE_GROUP_PARTS_H

#include "postgres.h"

typedef struct DpsGroupParts DpsGroupParts;
struct DpsGroupSums;
struct DpsState;

/* For groups whose plan says so, in the current memory context.  Parts must be
 * ended before their context is; after an error the server removes the files
 * instead, and parts must not be ended. */
extern DpsGroupParts *dps_parts_make(struct DpsGroupSums *groups, uint32 span);

/* Closes the files. */
extern void dps_parts_end(DpsGroupParts *parts);

/* Is the group in memory?  Then *group becomes its number there, and otherwise the
 * row that is at place nrows is written away. */
extern bool dps_parts_admit(DpsGroupParts *parts, uint32 *group);

/* Starts anew: all rows are read again. */
extern void dps_parts_reset(DpsGroupParts *parts);

/* The name of these parts, as a value of type dpsens_internal.states. */
extern Datum dps_parts_name(DpsGroupParts *parts);

/* Of a value of the type: the parts that it names, NULL if it is a block.  An error
 * if they are gone. */
extern DpsGroupParts *dps_parts_find(const void *states);

/* A copy of one state. */
extern struct DpsState *dps_parts_state(DpsGroupParts *parts, uint32 group, uint32 state);

#endif							/* DPS_AGG_STATE_GROUP_PARTS_H */
