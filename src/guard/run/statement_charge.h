/*
 * statement_charge.h
 *		What the releases of a statement cost, and their charge.
 */
#ifndef DPS_GUARD_RUN_STATEMENT_CHARGE_H
#define DPS_GUARD_RUN_STATEMENT_CHARGE_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "ledger/ledger.h"

/* The sensitivity in the value's unit and in the mechanism's norm.  The norms differ for a pair of sums,
 * and where a row can move between groups. */
extern double dps_real_sensitivity(const DpsRelease *release, const DpsMechanism *mechanism);

/* The plan of noise of one release at this epsilon and these settings.  An error if the mechanism cannot
 * provide it. */
extern void dps_plan_charge(const DpsRelease *release, const DpsTerms *terms, double epsilon, DpsNoisePlan *plan);

/*
 * The charge of a release, from the plan by which it is drawn.  It is charged once for any number of
 * groups: the sensitivities are those of the vector of all groups (definitions, section 2).
 */
extern DpsChargeItem *dps_charge_item(const DpsRelease *release, const DpsTerms *terms, const DpsNoisePlan *plan);

/* The same charge for each other relation of the release that pays. */
extern List *dps_joined_items(const DpsRelease *release, const DpsNoisePlan *plan, const DpsChargeItem *item);

/* Charges a list of items to the role that runs the statement, which was checked after these catalogs were
 * noted.  Returns the number of the last release in the history. */
extern int64 dps_charge_statement(const QueryDesc *query, List *items, const DpsCatalogs *catalogs);

/* Drafts the same charge, to be decided by another process.  The process that runs the statement settles
 * it. */
extern StringInfoData dps_draft_charge(const QueryDesc *query, List *items, const DpsCatalogs *catalogs);

/* What a release is asked with by the role if neither the statement nor a setting names an epsilon: what policies of its
 * relations say; an error if they say nothing. */
extern double dps_unnamed_epsilon(const DpsRelease *release, Oid role);

#endif							/* DPS_GUARD_RUN_STATEMENT_CHARGE_H */
