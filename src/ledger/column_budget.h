/*
 * column_budget.h
 *		Which columns can have a budget of their own.
 */
#ifndef DPS_LEDGER_COLUMN_BUDGET_H
#define DPS_LEDGER_COLUMN_BUDGET_H

#include "postgres.h"

#include "access/attnum.h"

#include "ledger/cost.h"
#include "ledger/entity.h"

/*
 * NULL if a budget of the column can be kept, else why not, as a sentence: its cell must say nothing of whose
 * the row is, nor which rows it belongs to, and the relation alone must hold the row.  Takes no lock on the relation.
 */
extern const char *dps_why_no_column_budget(Oid relation, const char *column);

/* An error if the running command renames a column of a relation with budgets of columns: the ledger knows
 * columns by name.  To be called when a column was altered, before the change is visible. */
extern void dps_check_column_name(Oid relation, AttrNumber column);

/*
 * In SQL: what the release r costs if a column changes, as c.cost; and a sum of that, its first, second or third amount.
 * DPS_COLUMN_PURSES_FOLLOW raises purses of columns to what their releases cost: relations of which one becomes
 * part of another one have their releases, but need not have had purses of the same columns.
 */
#define DPS_COLUMN_COST(column) \
	"CROSS JOIN LATERAL (SELECT dpsens_internal.charge_of_column(" column ", r.mechanism, r.adjacency, r.replacement, r.column_names," \
	" r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta], r.grid, NULL, NULL) AS cost) c"
/* That of a budget that counts rho at this order. */
#define DPS_COLUMN_RHO_AT_ORDER(column, order) \
	"(dpsens_internal.charge_of_column(" column ", r.mechanism, r.adjacency, r.replacement, r.column_names," \
	" r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta], r.grid, " order "," \
	" " DPS_RHO_AT_ORDER(order) "))[2]"
#define DPS_COLUMN_SUM(i) \
	"LEAST(COALESCE(pg_catalog.sum(c.cost[" i "]), 0), 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8"
#define DPS_COLUMN_PURSES_FOLLOW(which) \
	"UPDATE dpsens.purse AS k SET spent_epsilon = GREATEST(k.spent_epsilon, s.epsilon)," \
	" spent_rho = GREATEST(k.spent_rho, s.rho), spent_delta = GREATEST(k.spent_delta, s.delta)," \
	" spent_renyi = GREATEST(k.spent_renyi, s.renyi)" \
	" FROM (SELECT p.relation, p.column_name, " DPS_COLUMN_SUM("1") " AS epsilon, " DPS_COLUMN_SUM("2") " AS rho, " \
	DPS_COLUMN_SUM("3") " AS delta, LEAST(pg_catalog.sum(" DPS_COLUMN_RHO_AT_ORDER("p.column_name", "p.renyi_order") ")," \
	" 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8 AS renyi FROM dpsens.purse p JOIN dpsens.release r ON r.relation OPERATOR(pg_catalog.=) p.relation " \
	DPS_COLUMN_COST("p.column_name") " WHERE p.column_name OPERATOR(pg_catalog.<>) ''" \
	" AND p.column_name OPERATOR(pg_catalog.<>) '" DPS_ENTITY_NAME "'" which " GROUP BY p.relation, p.column_name) s" \
	" WHERE k.relation OPERATOR(pg_catalog.=) s.relation AND k.column_name OPERATOR(pg_catalog.=) s.column_name"

#endif							/* DPS_LEDGER_COLUMN_BUDGET_H */
