/*
 * budget.h
 *		Setting budgets of relations, roles and columns: what their SQL functions share.
 */
#ifndef DPS_LEDGER_BUDGET_BUDGET_H
#define DPS_LEDGER_BUDGET_BUDGET_H

#include "postgres.h"

#include "fmgr.h"

#include "ledger/rows/standing.h"

/* The relation of the first argument, locked so that it is not dropped and curators change it one after
 * the other.  An error unless the caller owns it, it is protected, and Citus has not its rows. */
extern Oid	dps_budget_relation(FunctionCallInfo fcinfo, const char *function);

/* The same for what takes away, also of a table that Citus has distributed. */
extern Oid	dps_revoked_relation(FunctionCallInfo fcinfo, const char *function);

/* The role of the second argument; an error if there is none. */
extern Oid	dps_budget_role(FunctionCallInfo fcinfo);

/* A NOTICE if the role cannot name the relation, for want of a privilege on its schema. */
extern void dps_tell_of_schema(Oid relation, Oid role);

/* Reads epsilon, delta and rho, the arguments from `first` on; an error if epsilon and rho are both stated. */
extern void dps_budget_read(FunctionCallInfo fcinfo, int first, DpsStatedBudget *stated);

/* Takes the budget away, and tells the curator, if it is stated to be infinite; returns whether it is.  An error if a
 * delta is stated with it. */
extern bool dps_budget_end(const DpsBudgetHolder *holder, const DpsStatedBudget *stated);

/* Takes the budget away; returns whether there was one. */
extern bool dps_budget_take_away(const DpsBudgetHolder *holder);

/* Grants a budget to its role, as stated by arguments: epsilon, delta, refresh, rho, own_tables, from the third one on. */
extern void dps_budget_grant(FunctionCallInfo fcinfo, const DpsBudgetHolder *holder);

/* Changes the stated parts of a budget; the others stay as they were. */
extern void dps_budget_set(const DpsBudgetHolder *holder, DpsStatedBudget *stated);

#endif							/* DPS_LEDGER_BUDGET_BUDGET_H */
