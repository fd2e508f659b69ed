/*
 * room_constants.h
 *		What of a query does not depend on rows becomes a constant, before the query
 *		leaves the session of whoever asks.
 */
#ifndef DPS_GUARD_ROOM_ROOM_CONSTANTS_H
#define DPS_GUARD_ROOM_ROOM_CONSTANTS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A copy in which parameters, and whatever asks the session for something (now(),
 * current_user, settings), are the values that they have now.  Errors are those of the
 * functions that are called.
 */
extern Query *dps_with_constants(const Query *query, ParamListInfo params);

#endif							/* DPS_GUARD_ROOM_ROOM_CONSTANTS_H */
