/*
 * brought_scan.h
 *		A node that scans rows that were brought into a clean room.
 */
#ifndef DPS_GUARD_ROOM_BROUGHT_SCAN_H
#define DPS_GUARD_ROOM_BROUGHT_SCAN_H

#include "postgres.h"

/* Gives the function that stands in a query for such rows (room_rows.h) paths of this
 * node, and no other; called by dps_private_plan_init. */
extern void dps_brought_scan_init(void);

#endif							/* DPS_GUARD_ROOM_BROUGHT_SCAN_H */
