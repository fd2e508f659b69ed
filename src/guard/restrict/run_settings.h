/*
 * run_settings.h
 *		The settings that a statement is run with for a role that must not look.
 */
#ifndef DPS_GUARD_RESTRICT_RUN_SETTINGS_H
#define DPS_GUARD_RESTRICT_RUN_SETTINGS_H

#include "postgres.h"

#include "lib/stringinfo.h"

/*
 * From here on, until they are given back, no setting of whoever asks has a
 * say, but those of the list in run_settings.c, and those that show or steer
 * rows are as it says, whoever set them.  Returns what dps_give_back_settings
 * takes; an error, too, gives them back when it ends the (sub)transaction.
 */
extern int	dps_take_settings(void);
extern void dps_give_back_settings(int taken);

/* Only those that show or steer rows: takes nothing that could fail. */
extern int	dps_take_steering_settings(void);

/* Only what says whether calls are counted, when a statement is started. */
extern int	dps_take_call_settings(void);

/* To a clean room: all settings that have a say, as they are for whoever asks, and there,
 * for the rest of the transaction, the same: what a room has of its own role or database
 * has no say. */
extern void dps_send_settings(StringInfo request);
extern void dps_receive_settings(StringInfo request);

/* While rows are read: nobody sets one of these.  As often locked as unlocked. */
extern void dps_lock_settings(void);
extern void dps_unlock_settings(void);

/* Sets the hooks that do it; called by dps_hooks_init. */
extern void dps_run_settings_init(void);

#endif							/* DPS_GUARD_RESTRICT_RUN_SETTINGS_H */
