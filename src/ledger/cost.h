/*
 * cost.h
 *		What a release costs, for charging and for checking charges.  noise/plan.h
 *		has the cost of noise on integers, this file that of steps on samples, and of
 *		a change of one column.
 */
#ifndef DPS_LEDGER_COST_H
#define DPS_LEDGER_COST_H

#include "postgres.h"

#include "account/filter.h"
#include "ledger/ledger.h"
#include "noise/plan.h"

/* The history's name for an answer without noise. */
#define DPS_NO_MECHANISM "none"

/* The history's name for steps of noise on samples. */
#define DPS_SUBSAMPLED "subsampled"

/* The loss of a number of steps of Gaussian noise on secret samples of this rate, for a composition that
 * may fail with probability delta (account/sampled.h).  delta is a whole number of units of the ledger.
 * The loss is infinite without noise, and for numbers out of range. */
extern void dps_sampled_loss(double rate, int64 steps, int64 sensitivity, int64 scale, double delta, DpsLoss *loss);

/* The noise of a release as the history has it; of each coordinate a sensitivity, a scale and a number of joined integers. */
typedef struct DpsPublicNoise
{
	const char *mechanism;
	int			grid;
	int			n;
	const uint64 *sensitivities;
	const uint64 *scales;
	const uint64 *joined;
	uint64		steps;			/* 0 unless the mechanism is DPS_SUBSAMPLED */
	double		rate;
} DpsPublicNoise;

/* What this noise costs of a budget that counts at this Renyi order (account/at_order.h), never more than its rho;
 * the rho for order 0. */
extern DpsAmount dps_noise_at_order(double order, const DpsPublicNoise *noise, DpsAmount rho);

/* In SQL: the same of a release r. */
#define DPS_RHO_AT_ORDER(order) \
	"dpsens_internal.rho_at_order(" order ", r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.grid, r.charge_rho)"

/* In SQL: what was spent of a purse s counts at this order (account/at_order.h). */
#define DPS_AMOUNT_CAPPED(sum) "LEAST(" sum ", 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8"
#define DPS_SPENT_AT_ORDER(order, s) \
	"dpsens_internal.spent_at_order(" order ", " DPS_AMOUNT_CAPPED(s ".spent_epsilon") ", " DPS_AMOUNT_CAPPED(s ".spent_rho") "," \
	" " s ".renyi_order, " DPS_AMOUNT_CAPPED(s ".spent_renyi") ")"

/* The same of two purses that become one, k and s: at the order of k, by the rho of all orders where s has another one. */
#define DPS_ADD_AT_ORDER(s) \
	"spent_renyi = CASE WHEN k.renyi_order IS NOT NULL THEN LEAST(k.spent_renyi::pg_catalog.numeric OPERATOR(pg_catalog.+)" \
	" " DPS_SPENT_AT_ORDER("k.renyi_order", s) "," \
	" 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8 END"

/* What an item costs of a budget of this order, 0 for that of all orders. */
extern DpsCost dps_item_cost(const DpsChargeItem *item, double order);

/*
 * What a release costs if one private column of one row changes.  dps_moved_cost: if that moves the
 * integers of its coordinates, in units of 2^grid, by these sensitivities, 0 for not at all (cost.c).  dps_replaced_cost: if
 * nothing is known of that, from what the release is charged.  The order is that of the budget, 0 for all orders.
 */
extern DpsCost dps_moved_cost(const char *mechanism, int grid, int n, const uint64 *moves, const uint64 *scales, const uint64 *joined,
							  double order);
extern DpsCost dps_replaced_cost(const char *mechanism, const DpsCost *charge, DpsReplacement replacement);

/* The same of an item, by what it says of the column. */
extern DpsCost dps_column_cost(const DpsChargeItem *item, const char *column, double order);

/* What the item's release costs a person who can have a row in each of its arms. */
extern DpsCost dps_person_cost(const DpsChargeItem *item, double order);

/*
 * One number with noise at this epsilon and else at the present settings: of a sum, or of a count, which `rows` rows can
 * change by one each and which is on the grid of such counts (moment/grid.h).  A count costs as much as a sum or more, at
 * each Renyi order, since noise in steps is told from its neighbour's the more easily, the larger the steps are beside the
 * sensitivity (dps_past_release_geometric); of a single row they are as large.  False if epsilon is 0, or there is no such noise.
 */
extern bool dps_present_answer(double epsilon, uint64 rows, int grid, bool is_count, DpsChargeItem *item);

/* Of epsilon, rho and delta each, what the dearer of two items costs a budget of this order. */
extern DpsCost dps_dearer_cost(const DpsChargeItem *one, const DpsChargeItem *other, double order);

/* A cost as a bigint[] of epsilon, rho and delta. */
extern Datum dps_cost_array(const DpsCost *cost);

#endif							/* DPS_LEDGER_COST_H */
