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
 * the other.  An error unless the caller owns it and it is protected. */
extern Oid	dps_budget_relation(FunctionCallInfo fcinfo, const char *function);

/* The role of the second argument; an error if there is none. */
extern Oid	dps_budget_role(FunctionCallInfo fcinfo);

/* A number that an argument may state. */
extern void dps_budget_number(FunctionCallInfo fcinfo, int argument, bool *has, double *number);

/* Does the caller take the budget away?  An error if a delta is stated with it. */
extern bool dps_budget_is_infinite(const DpsStatedBudget *stated);

/* Changes the stated parts of a budget; the others stay as they were. */
extern void dps_budget_set(const DpsBudgetHolder *holder, DpsStatedBudget *stated);

/* Removes a budget; returns whether there was one. */
extern bool dps_budget_take_away(const DpsBudgetHolder *holder);

/* Tells the curator what becomes of a budget, of which nothing is stated. */
extern void dps_budget_tell_of_standing(const DpsBudgetHolder *holder, bool goes);

#endif							/* DPS_LEDGER_BUDGET_BUDGET_H */
