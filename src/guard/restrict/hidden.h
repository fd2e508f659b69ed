/*
 * hidden.h
 *		Sizes and counters that the server shows to everybody, hidden from roles that
 *		may ask but not read rows.
 *
 * Such a role has a budget on a relation that it may not read, and is no member of pg_read_all_stats.  For
 * it, the sizes and counters of all relations are unknown: NULL, or the values of a table that was never
 * analysed.  Counters of the server and of whole databases are hidden in every database, if the role, or
 * one that it is a member of, has the label ANALYST.  References that the planner hook does not see, and
 * those in COPY, are refused.  So are calls of SECURITY DEFINER functions whose owner may read more, unless
 * the owner has labelled them as TRUSTED, and writing where triggers would call them.
 */
#ifndef DPS_GUARD_RESTRICT_HIDDEN_H
#define DPS_GUARD_RESTRICT_HIDDEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* How much is hidden; each value includes the ones before. */
typedef enum DpsHidden
{
	DPS_HIDDEN_NOTHING,
	DPS_HIDDEN_SERVER,			/* what shows other databases, too */
	DPS_HIDDEN_ALL				/* and what shows relations of this database */
} DpsHidden;

/* Does the node refer to something that is hidden from some roles?  Independent of the present role; called
 * for every node of every query. */
extern bool dps_mentions_hidden(Node *node);

/* What is hidden from the present role? */
extern DpsHidden dps_hides(void);

/* Returns a copy of the query in which constants replace what is hidden. */
extern Query *dps_hide(Query *query, DpsHidden hidden);

/* Refuses a SECURITY DEFINER function whose owner may read what the present role, or whoever asks, may not, unless it is TRUSTED. */
extern void dps_refuse_door(Oid function);

/* The same, called for a role. */
extern void dps_refuse_door_to(Oid function, Oid role);

/* The same of the functions of all triggers of a relation, which is locked and about to be written (trigger_doors.c). */
extern void dps_refuse_trigger_doors(Oid relation);

/*
 * Does the asking role run with the rights of somebody who may read a relation which it may not itself?  Then somebody has
 * opened a door to it, and what is called from there is the opener's (trigger_doors.c).
 */
extern bool dps_is_lent_more(Oid asker);

/* Has the server tell of calls of SECURITY DEFINER functions (trigger_doors.c). */
extern void dps_calls_init(void);

/* Sets the hooks that refuse what is not replaced; called by dps_hooks_init. */
extern void dps_hidden_init(void);

#endif							/* DPS_GUARD_RESTRICT_HIDDEN_H */
