/*
 * entity.h
 *		Entities: relations whose rows are the persons that units of other relations are.
 */
#ifndef DPS_LEDGER_ENTITY_H
#define DPS_LEDGER_ENTITY_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* In budgets and purses the name of a column is this where they are an entity's.  No column of this name can
 * have a budget. */
#define DPS_ENTITY_NAME "(entity)"

/* In SQL: the relations that were charged, which the purses name, and are of the entity $1, as an array. */
#define DPS_CHARGED_OF_ENTITY \
	"ARRAY(SELECT d.relation FROM (SELECT DISTINCT p.relation FROM dpsens.purse p) d" \
	" WHERE $1 OPERATOR(pg_catalog.=) ANY (dpsens_internal.entities_of(d.relation)))"

/* In SQL: has the role's budget of the entity paid for the release r? */
#define DPS_PAID_BY(r, entity, role) \
	"COALESCE(dpsens_internal.has_paid(" r ".payer_entities, " r ".payer_roles, " entity ", " role "), false)"

/* In SQL: has the period of this length that began at a time not ended now?  One without an end (NULL) has not. */
#define DPS_IN_PERIOD(start, length, now) \
	"(" length " IS NULL OR dpsens_internal.period_end(" start ", " length ") OPERATOR(pg_catalog.>) " now ")"

extern bool dps_is_entity_name(const char *column);

/*
 * The relations that the relation's units refer to, itself among them, directly or through others, whatever is
 * declared of these: a list of OIDs.  Those of protected parents and children, too, since they share rows.  Of what is
 * committed now, or was done by this transaction.  Takes no locks on relations.
 */
extern List *dps_entities_of(Oid relation);

/* NULL if the loss that a release is charged for the relation bounds what a person of the entity loses by it
 * (definitions, 6.2), else why not, as a sentence. */
extern const char *dps_why_not_of_entity(Oid relation, Oid entity);

/*
 * Does a role's budget of the entity, which this role agreed to as its owner, let the role ask about the relation, too?
 * Only if the relation is of the entity, keeps its promise, and both are the property of who agreed: nobody else's table
 * is opened by it, nor stays open once one of them is somebody else's.
 */
extern bool dps_entity_opens(Oid entity, Oid agreed_owner, Oid relation);

/* The protected tables that are of the entity, as a list of OIDs.  Looks at all labels. */
extern List *dps_relations_of_entity(Oid entity);

/* A number that changes whenever a declaration does that says which rows a unit of the relation has: its own labels, and
 * where its unit is that of another row those of that relation.  The same in all processes that see the same labels. */
extern uint64 dps_unit_fingerprint(Oid relation);

#endif							/* DPS_LEDGER_ENTITY_H */
