/*
 * travel.h
 *		Plans and exact states on their way between the nodes of a cluster (glue/cluster_key.h).
 *
 * The coordinator writes a plan in full while it sends a statement, and for nothing else; a node that can
 * read it writes states for the statement whose plan its session has received last; and the coordinator takes states of the
 * statement that it has sent, while it waits for them.
 */
#ifndef DPS_AGG_STATE_TRAVEL_H
#define DPS_AGG_STATE_TRAVEL_H

#include "postgres.h"

#include "glue/cluster_key.h"

struct DpsGroupsPlan;
struct DpsSummandPlan;

/* A statement that this session sends, and what has come back. */
typedef struct DpsTravel
{
	DpsStatementNumber number;
	uint64		values;			/* states that came as text */
	uint64		sender;			/* the process that sent the first */
	bool		has_senders;	/* another one has sent some, too */
} DpsTravel;

/* From now on this session sends a statement of a new number.  Returns what it has sent until now, which
 * dps_travel_leave restores, after an error, too. */
extern DpsTravel *dps_travel_enter(DpsTravel *statement);
extern void dps_travel_leave(DpsTravel *before);

/* A plan as text, if a statement is being sent; else NULL. */
extern char *dps_plan_sent(DpsTravellerKind kind, const struct varlena *plan);

/* The plan of a text that was sent; NULL if the text is something else. */
extern struct varlena *dps_plan_received(DpsTravellerKind kind, const char *text);

/* States as text, if this session has received a plan, or sends one; else NULL. */
extern char *dps_states_sent(DpsTravellerKind kind, const struct varlena *states);

/* The states, a block or a single one, of a text of the statement that is being sent; NULL if the text is
 * something else, an error if it is of another statement. */
extern struct varlena *dps_states_received(DpsTravellerKind kind, const char *text);

/* Does the plan mean the same on another node: no types or lists of values of this database? */
extern bool dps_groups_can_travel(const struct DpsGroupsPlan *plan);
extern bool dps_summand_can_travel(const struct DpsSummandPlan *plan);

#endif							/* DPS_AGG_STATE_TRAVEL_H */
