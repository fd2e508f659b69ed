/*
 * analyst.h
 *		Roles that may ask but not look: a budget on a protected relation, and
 *		no SELECT privilege.
 *
 * Such a role reads the relation through the one range-table entry that the
 * guard has proved to feed dp aggregates and nothing else; that entry is read
 * with the rights of the relation's owner.  Every other entry of the statement
 * is read with the role's own rights, so whatever else touches the relation
 * fails as if there were no extension.
 */
#ifndef DPS_GUARD_SOURCE_ANALYST_H
#define DPS_GUARD_SOURCE_ANALYST_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "guard/source/domains.h"

/* Must whoever asks (or, in a view, its owner) not look at the rows of this entry of the
 * query?  So it is without the privileges that the entry needs, and for a test also with
 * them. */
extern bool dps_is_restricted(Query *query, RangeTblEntry *entry);

/* Is it without them? */
extern bool dps_needs_budget(Query *query, RangeTblEntry *entry);

/* An error unless the current role has a budget on the source's relation, needs none, or
 * nothing will be executed, and the relation is one that it can be served. */
extern void dps_check_analyst(const DpsProtectedSource *source);

/* An error if the executor must not evaluate the condition, over columns of the
 * relation, for a restricted role. */
extern void dps_check_total(const DpsProtectedSource *source, Node *expanded);

/* Lets the entry at the end of the traced chain of a query of exact states be
 * read as the relation's owner; the parts of a join are admitted by themselves. */
extern void dps_admit_source(Query *states);

/* Lets an entry of a query be read as its relation's owner. */
extern void dps_admit_entry(Query *query, RangeTblEntry *entry);

extern Oid	dps_relation_owner(Oid relation);

/* Says in a release for whom its plan is made, and from which annotations. */
extern void dps_mark_release(DpsRelease *release, bool is_restricted);

/*
 * Of the releases of a plan that is about to run: may the role that asked have
 * them, and are they still what the annotations say?  An error if not.
 */
extern void dps_authorise(const List *releases, Oid role);

/* Is any of them for a role that must not look? */
extern bool dps_any_restricted(const List *releases);

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
extern void dps_analyst_init(void);

#endif							/* DPS_GUARD_SOURCE_ANALYST_H */
