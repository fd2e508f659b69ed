/*
 * statement_charge.h
 *		What the releases of a statement cost, and charging it.
 */
#ifndef DPS_GUARD_RUN_STATEMENT_CHARGE_H
#define DPS_GUARD_RUN_STATEMENT_CHARGE_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "ledger/ledger.h"

/* The sensitivity in the value's unit and in the mechanism's norm: norms differ where a row can
 * move between groups, and for a pair of sums. */
extern double dps_real_sensitivity(const DpsRelease *release, const DpsMechanism *mechanism);

/* The noise of one release at this epsilon and these settings; raises if none will do. */
extern void dps_plan_charge(const DpsRelease *release, const DpsTerms *terms, double epsilon, DpsNoisePlan *plan);

/*
 * What it costs, read from the plan that it is drawn by.  Whatever the
 * number of groups, it is charged once: their sensitivities are those of the
 * whole vector (definitions, section 2).
 */
extern DpsChargeItem *dps_charge_item(const DpsRelease *release, const DpsTerms *terms, const DpsNoisePlan *plan);

/* The same for the other relations that the release is joined from and that pay. */
extern List *dps_joined_items(const DpsRelease *release, const DpsChargeItem *item);

/* Charges a list of them to whoever runs the statement; returns the number of
 * the last release in the history. */
extern int64 dps_charge_statement(const QueryDesc *query, List *items);

/* The same charge, for another process to ask for; whoever runs the statement settles
 * it. */
extern StringInfoData dps_draft_charge(const QueryDesc *query, List *items);

/* The error of a release for which there is no epsilon. */
pg_noreturn extern void dps_refuse_no_epsilon(const DpsRelease *release);

#endif							/* DPS_GUARD_RUN_STATEMENT_CHARGE_H */
