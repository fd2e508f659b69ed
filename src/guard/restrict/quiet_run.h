/*
 * quiet_run.h
 *		Statements of roles that may ask but not look, run so that counters, timeouts,
 *		traces and the log show nothing of rows.
 */
#ifndef DPS_GUARD_RESTRICT_QUIET_RUN_H
#define DPS_GUARD_RESTRICT_QUIET_RUN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "glue/compat.h"

/* Refuses what would show the plan of a restricted role, its progress, or the
 * rows that it locks. */
extern void dps_refuse_tracing(void);

/* An error unless much of the stack is left. */
extern void dps_require_stack(void);

/*
 * Takes the settings that rows are read with (run_settings.h), and counts no rows
 * that are read from here on, by the relations of an execution (NULL: by those
 * opened later), until it is resumed with the value returned.  An error resumes
 * by itself.
 */
extern int	dps_pause_counting(EState *estate);
extern void dps_resume_counting(int paused);

/* What was left of each timeout when it was paused, in milliseconds; 0: it was
 * not running. */
typedef struct DpsPausedTimeouts
{
	int64		left[lengthof(dps_statement_timeouts)];
} DpsPausedTimeouts;

/*
 * No timeout ends the statement until it is resumed: how long the rows of a
 * relation take would be seen.  What was left before is left then, so that many
 * answers have no more time beside their rows than one.  Pausing what is zero.
 */
extern void dps_pause_timeouts(DpsPausedTimeouts *paused);
extern void dps_resume_timeouts(const DpsPausedTimeouts *paused);

/* From now on the session's client gets no messages of the server's log:
 * plans and counters are written there. */
extern void dps_silence_log(void);

/* Sets the hook that does it; called by dps_hooks_init. */
extern void dps_quiet_run_init(void);

#endif							/* DPS_GUARD_RESTRICT_QUIET_RUN_H */
