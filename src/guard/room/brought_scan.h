/*
 * brought_scan.h
 *		A scan node for rows that were brought into a clean room.
 */
#ifndef DPS_GUARD_ROOM_BROUGHT_SCAN_H
#define DPS_GUARD_ROOM_BROUGHT_SCAN_H

#include "postgres.h"

/* Makes this node the only path of the function that replaces such rows in a query (room_rows.h).  Called
 * by dps_private_plan_init. */
extern void dps_brought_scan_init(void);

#endif							/* DPS_GUARD_ROOM_BROUGHT_SCAN_H */
