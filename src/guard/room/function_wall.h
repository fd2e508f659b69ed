/*
 * function_wall.h
 *		While it is up, the process, and those that help it with a plan, look up no function but the server's and the extension's.
 *
 * Guards list what a statement calls before it is planned.  What a plan calls is found out later, and in
 * many places: operators that the planner exchanges, support functions of operator classes, functions of
 * types, conversions, casts.  All of them look a function up by its number, in one place of the server.  So
 * whatever a list has left out is not run.
 *
 * Postcondition: while the wall is up, no code runs that a user wrote in any language; of superusers' extensions none
 * but access methods and Citus.  A call of such a
 * function is an error, which its number alone makes, and no row: the plan looks up what it calls as it starts, before
 * the charge, and what is looked up later follows from the types that it has.
 */
#ifndef DPS_GUARD_ROOM_FUNCTION_WALL_H
#define DPS_GUARD_ROOM_FUNCTION_WALL_H

#include "postgres.h"

/* Raises the wall, or takes it down; returns whether it was up.  An error leaves it as it is: callers restore it. */
extern bool dps_set_function_wall(bool up);

extern void dps_function_wall_init(void);

#endif							/* DPS_GUARD_ROOM_FUNCTION_WALL_H */
