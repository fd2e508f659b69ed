/*
 * session_values.h
 *		What of a query depends on the asking session, before the query leaves it: parts that do not depend on
 *		rows become constants; parts that do are found.
 */
#ifndef DPS_GUARD_QUERY_SESSION_VALUES_H
#define DPS_GUARD_QUERY_SESSION_VALUES_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A copy of the query in which parameters, and expressions that depend on the session (now(),
 * current_user, settings), are replaced by their present values.  Raises the errors of the functions that
 * it calls.
 */
extern Query *dps_with_constants(const Query *query, ParamListInfo params);

/*
 * Has the query an expression of columns that depends on the session, as by its time zone, which
 * dps_with_constants leaves as it is?  Parameters may still be without values.
 */
extern bool dps_rows_meet_session(Query *query);

#endif							/* DPS_GUARD_QUERY_SESSION_VALUES_H */
