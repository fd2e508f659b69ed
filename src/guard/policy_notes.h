/*
 * policy_notes.h
 *		Whether a policy would refuse what a query asks.
 */
#ifndef DPS_GUARD_POLICY_NOTES_H
#define DPS_GUARD_POLICY_NOTES_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The policies that apply to these items, a list of DpsChargeItem *, and that the current role may see
 * (dpsens.policies). */
extern List *dps_read_policies(const List *items);

/* The refusal of a statement with these items by these policies, as a text; NULL if they admit it. */
extern char *dps_policy_note(const List *policies, const List *items);

#endif							/* DPS_GUARD_POLICY_NOTES_H */
