/*
 * run_settings.h
 *		The settings with which a statement runs for a role that may not read rows.
 */
#ifndef DPS_GUARD_RESTRICT_RUN_SETTINGS_H
#define DPS_GUARD_RESTRICT_RUN_SETTINGS_H

#include "postgres.h"

#include "lib/stringinfo.h"

/*
 * Until they are given back, settings of the role that asks have no effect, except those on the list in
 * run_settings.c; settings that show or steer rows have the values listed there, whoever set them.  Returns
 * the argument for dps_give_back_settings; an error also gives the settings back, when it ends the
 * (sub)transaction.
 */
extern int	dps_take_settings(void);
extern void dps_give_back_settings(int taken);

/* Takes only the settings that show or steer rows; nothing in it can fail. */
extern int	dps_take_steering_settings(void);

/* Takes only the setting that counts calls of functions, when a statement is started. */
extern int	dps_take_call_settings(void);

/* Sends to a clean room all settings that have an effect, with their values in the asker's session.  The
 * room sets them for the rest of the transaction; settings of the room's own role or database have no
 * effect. */
extern void dps_send_settings(StringInfo request);
extern void dps_receive_settings(StringInfo request);

/* While locked, as rows are read, the settings that show or steer rows cannot be changed.  Calls must be
 * balanced. */
extern void dps_lock_settings(void);
extern void dps_unlock_settings(void);

/* Sets the hooks that do it; called by dps_hooks_init. */
extern void dps_run_settings_init(void);

#endif							/* DPS_GUARD_RESTRICT_RUN_SETTINGS_H */
