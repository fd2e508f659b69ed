/*
 * room_constants.h
 *		Replaces parts of a query that do not depend on rows by constants, before the
 *		query leaves the asking session.
 */
#ifndef DPS_GUARD_ROOM_ROOM_CONSTANTS_H
#define DPS_GUARD_ROOM_ROOM_CONSTANTS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A copy of the query in which parameters, and expressions that depend on the session (now(),
 * current_user, settings), are replaced by their present values.  Raises the errors of the functions that
 * it calls.
 */
extern Query *dps_with_constants(const Query *query, ParamListInfo params);

#endif							/* DPS_GUARD_ROOM_ROOM_CONSTANTS_H */
