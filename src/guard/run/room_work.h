/*
 * room_work.h
 *		What a clean room does with a request.
 */
#ifndef DPS_GUARD_RUN_ROOM_WORK_H
#define DPS_GUARD_RUN_ROOM_WORK_H

#include "room/room.h"

extern const DpsRoomWork dps_room_work;

#endif							/* DPS_GUARD_RUN_ROOM_WORK_H */
