/*
 * quiet_run.h
 *		Statements of roles that may ask but not read rows, run so that counters,
 *		timeouts, traces and the log disclose nothing about rows.
 */
#ifndef DPS_GUARD_RESTRICT_QUIET_RUN_H
#define DPS_GUARD_RESTRICT_QUIET_RUN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "glue/compat.h"

/* Raises an error where something would show the plan of a restricted role's statement, its progress, or
 * the rows that it locks. */
extern void dps_refuse_tracing(void);

/* Raises an error unless at least half of the stack is left. */
extern void dps_require_stack(void);

/*
 * Takes the settings that rows are read with (run_settings.h), and stops counting the rows that are read,
 * by the relations of an execution (NULL: by relations that are opened later), until dps_resume_counting is
 * called with the value returned.  After an error counting is resumed without a call.
 */
extern int	dps_pause_counting(EState *estate);
extern void dps_resume_counting(int paused);

/* The remaining time of each timeout when it was paused, in milliseconds; 0: it was not running. */
typedef struct DpsPausedTimeouts
{
	int64		left[lengthof(dps_statement_timeouts)];
} DpsPausedTimeouts;

/*
 * Pauses the timeouts, since a timeout would show how long reading the rows of a relation takes.
 * dps_resume_timeouts continues with the time that was left, so many answers have together, beside reading
 * rows, no more time than one.  Precondition: *paused is zero.
 */
extern void dps_pause_timeouts(DpsPausedTimeouts *paused);
extern void dps_resume_timeouts(const DpsPausedTimeouts *paused);

/* From now on no messages of the server's log, which contain plans and counters, are sent to the session's
 * client. */
extern void dps_silence_log(void);

/* Sets the hook that does it; called by dps_hooks_init. */
extern void dps_quiet_run_init(void);

#endif							/* DPS_GUARD_RESTRICT_QUIET_RUN_H */
