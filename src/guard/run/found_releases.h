/*
 * found_releases.h
 *		The releases of a statement that is about to run: where they are in its plan,
 *		what they cost, and what must hold for them.
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
	List	   *functions;		/* of Oid: the release functions */
	List	   *releases;		/* of const DpsRelease *: one for each call */
	List	   *drawn_here;		/* those of them that are drawn in this process */
	Oid			epsilon_function;
	List	   *epsilons;		/* of FuncExpr *: calls of epsilon_function */
	Oid			fit_function;
	List	   *fits;			/* of const DpsFitPlan *: arguments of calls of fit_function */
	List	   *parameters;		/* of Param *: external parameters outside of all these calls */
	Oid			pattern_function;
	List	   *patterns;		/* of FuncExpr *: calls of pattern_function */
	List	   *rooms;			/* of DpsRoomQuery *: the queries for clean rooms */
	List	   *distributed;	/* of FuncExpr *: calls that read exact states of distributed tables */
	bool		is_in_room;		/* while one of these is searched */
	bool		only_looks;		/* do not read the queries for rooms: */
	bool		asks_room;		/* only note that there is one */
} DpsFoundReleases;

/* Does the plan depend on a release function?  True may be a collision of hashes. */
extern bool dps_may_release(const PlannedStmt *statement);

/* Finds the releases in a plan whose execution was started. */
extern void dps_find_releases(QueryDesc *query, DpsFoundReleases *found);

/* Is one of them about a relation that the asking role may not read? */
extern bool dps_releases_unread(QueryDesc *query);

/* The charges of the releases, first one for each release, then those of joined relations.  *permits is an
 * array with the permit of each release. */
extern List *dps_charge_items(QueryDesc *query, const DpsFoundReleases *found, DpsPermit **permits);

/* The permit to draw a release with this noise, if it was charged as the item says. */
extern DpsPermit dps_permit_of(const DpsRelease *release, const DpsNoisePlan *noise, const DpsChargeItem *item);

/* An error unless all parameters have values and all patterns are accepted. */
extern void dps_check_parameters(QueryDesc *query, const DpsFoundReleases *found);

/* An error if a release depends on values of parameters that its plan does not have. */
extern void dps_refuse_incomplete(const List *releases);

/* OIDs of the unique indexes on which proofs about joins rest. */
extern List *dps_proofs(const List *releases);

/* An error unless what was proved about joins and units holds in the statement's snapshot. */
extern void dps_check_proofs(const QueryDesc *query, const List *releases);

#endif							/* DPS_GUARD_RUN_FOUND_RELEASES_H */
