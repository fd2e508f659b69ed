/*
 * annotation_cache.h
 *		What labels say, remembered until they change.
 *
 * A backend remembers facts of relations: what their labels say, but not lists
 * of declared values, which may be long.  They are forgotten when the server
 * says that the relation has changed, in whichever session, as it also does when
 * a label is set, or taken back by a rollback; nothing is remembered that was
 * read while such a message came in.
 */
#ifndef DPS_GLUE_LABEL_ANNOTATION_CACHE_H
#define DPS_GLUE_LABEL_ANNOTATION_CACHE_H

#include "postgres.h"

/* The fact that a relation's column is labelled so is known by the column's
 * number; these are others. */
#define DPS_FACT_RELATION 0
#define DPS_FACT_FINGERPRINT (-1)

/*
 * Copies a fact of this size; false if it is not known.  Messages of other
 * sessions are received first, so what is known is as new as what a scan of the
 * catalog would find.
 */
extern bool dps_recall_fact(Oid relation, int number, void *fact, Size size);

/* Receives the messages of other sessions. */
extern void dps_receive_annotation_changes(void);

/* A number that changes with each message that makes something forgotten.  To be
 * asked for before the catalogs are read. */
extern uint64 dps_annotation_changes(void);

/* Remembers a fact that was read since there were so many changes. */
extern void dps_remember_fact(Oid relation, int number, const void *fact, Size size, uint64 changes);

/* A relation's facts are not to be relied upon any more; may be called for each
 * of these messages. */
typedef void (*DpsForgetRelation) (Oid relation);

/* Calls back for each message; InvalidOid: all relations.  At most one. */
extern void dps_on_annotation_change(DpsForgetRelation forget);

#endif							/* DPS_GLUE_LABEL_ANNOTATION_CACHE_H */
