/*
 * entity_claims.h
 *		What a statement costs a person of an entity, and whether that is for all who are protected together.
 *
 * A release is charged to several relations if it reads them, each as its own neighbours lose by it.  A person of an
 * entity loses by it once, whatever it reads of the entity's relations, but for arms of UNION ALL (definitions, 6.2):
 * by the first of its items whose relation is of the entity.  These are the items that the history names the entity in.
 */
#ifndef DPS_LEDGER_CHARGE_ENTITY_CLAIMS_H
#define DPS_LEDGER_CHARGE_ENTITY_CLAIMS_H

#include "postgres.h"

#include "ledger/charge/accounts.h"
#include "ledger/charge/charge_request.h"

/* The account of a relation that the statement is charged to. */
typedef const DpsAccount *(*DpsFindAccount) (void *context, Oid relation);

/* Is the entity charged by this item of the charge? */
extern bool dps_entity_pays_by(const DpsCharge *charge, const DpsChargeItem *item, Oid entity, DpsFindAccount find, void *context);

/* What all of the statement costs a person of the entity, of a budget of this Renyi order, 0 for all orders. */
extern DpsCost dps_entity_cost(const DpsCharge *charge, Oid entity, double order, DpsFindAccount find, void *context);

/* Refusals: a relation of an entity with a budget does not bound what a person loses; a statement was planned with
 * declarations of a relation that are not committed. */
extern void dps_entity_refuse(const char *relation, const char *entity, const char *why, DpsChargeAnswer *answer);
extern void dps_entity_refuse_labels(const char *relation, DpsChargeAnswer *answer);

/* Is an item of the charge, or the history that its relation or one of its entities has, for smaller groups than are declared?
 * Then sets the answer.  The accounts of all items are there. */
extern bool dps_groups_refuse(const DpsCharge *charge, DpsFindAccount find, void *context, DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_ENTITY_CLAIMS_H */
