/*
 * change.h
 *		The record of acts that alter what may be revealed.
 */
#ifndef DPS_LEDGER_JOURNAL_CHANGE_H
#define DPS_LEDGER_JOURNAL_CHANGE_H

#include "postgres.h"

/* An act of a curator on a relation, between its beginning and its end. */
typedef struct DpsChange
{
	const char *act;			/* the function's name */
	Oid			relation;
	Datum		before;			/* what curators have set of the relation, as jsonb */
} DpsChange;

/* Reads what is set of a relation that the caller has locked, before it is altered. */
extern DpsChange dps_change_begin(const char *act, Oid relation);

/* Records what is set otherwise now, in this transaction. */
extern void dps_change_end(const DpsChange *change);

/* Who acted. */
typedef struct DpsActor
{
	Oid			session;
	Oid			current;
} DpsActor;

extern DpsActor dps_change_actor(void);

/* What was altered otherwise: the relation, or InvalidOid, the object by its name, and texts of before and after, or
 * NULL for none.  Also outside SPI. */
extern void dps_change_note(DpsActor actor, const char *act, Oid relation, const char *object, const char *before, const char *after);

/* The same of what is no relation, from states as jsonb objects, unless they are alike. */
extern void dps_change_state(DpsActor actor, const char *act, const char *object, Datum before, Datum after);

/* Has this database the table of changes, and may it be written?  Not while a script makes it, nor in pg_upgrade, nor
 * during recovery. */
extern bool dps_change_is_kept(void);

/* Records labels, which the label provider tells of; called from _PG_init, preloaded or not. */
extern void dps_change_init(void);

#endif							/* DPS_LEDGER_JOURNAL_CHANGE_H */
