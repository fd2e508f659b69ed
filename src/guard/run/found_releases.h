/*
 * found_releases.h
 *		The releases of a statement that is about to run: where they are in its plan,
 *		what they cost, and what must hold of them.
 */
#ifndef DPS_GUARD_RUN_FOUND_RELEASES_H
#define DPS_GUARD_RUN_FOUND_RELEASES_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "agg/aggregate.h"
#include "glue/receipt.h"
#include "ledger/ledger.h"

typedef struct DpsFoundReleases
{
	List	   *functions;		/* of Oid: those that release */
	List	   *releases;		/* of const DpsRelease *, of each of their calls */
	List	   *drawn_here;		/* those of them that no other process draws */
	Oid			epsilon_function;
	List	   *epsilons;		/* of FuncExpr *: calls of that one */
	List	   *parameters;		/* of Param *: outside of all these calls */
	Oid			pattern_function;
	List	   *patterns;		/* of FuncExpr *: calls of that one */
	List	   *rooms;			/* of DpsRoomQuery *: what a clean room is to compute */
	bool		is_in_room;		/* while one of these is looked at */
	bool		only_looks;		/* what rooms are to compute is not read: */
	bool		asks_room;		/* there is some */
} DpsFoundReleases;

/* Does the plan depend on a release function?  Hashes may collide, so yes is
 * only maybe. */
extern bool dps_may_release(const PlannedStmt *statement);

/* Those of a plan whose execution was started. */
extern void dps_find_releases(QueryDesc *query, DpsFoundReleases *found);

/* Is one of them of a relation that whoever asks may not read? */
extern bool dps_releases_unread(QueryDesc *query);

/* What the releases cost, and in *permits, one for each, what that allows. */
extern List *dps_charge_items(QueryDesc *query, const DpsFoundReleases *found, DpsPermit **permits);

/* What allows to draw a release with this noise, if it was charged as the item says. */
extern DpsPermit dps_permit_of(const DpsRelease *release, const DpsNoisePlan *noise, const DpsChargeItem *item);

/* Have all parameters values, and are all patterns sound?  An error if not. */
extern void dps_check_parameters(QueryDesc *query, const DpsFoundReleases *found);

/* An error if one needs the values of parameters to be planned. */
extern void dps_refuse_incomplete(const List *releases);

/* OIDs of the indexes that prove something of joins. */
extern List *dps_proofs(const List *releases);

/* Is what was proved of joins and units true of what the statement sees?  An error if not. */
extern void dps_check_proofs(const QueryDesc *query, const List *releases);

#endif							/* DPS_GUARD_RUN_FOUND_RELEASES_H */
