/*
 * annotation_cache.h
 *		A backend's cache of annotations.
 *
 * The cache holds facts about relations: the meaning of their labels, but not lists of
 * declared values, which may be long.  A fact is removed when an invalidation message
 * for the relation arrives.  The server also sends one when a label is set, and when a
 * rollback reverts that.  A fact that was read while such a message arrived is not
 * cached.
 */
#ifndef DPS_GLUE_LABEL_ANNOTATION_CACHE_H
#define DPS_GLUE_LABEL_ANNOTATION_CACHE_H

#include "postgres.h"

/* The number of a fact about a column is the column's number; these are the numbers of
 * other facts. */
#define DPS_FACT_RELATION 0
#define DPS_FACT_FINGERPRINT (-1)

/*
 * Copies a fact of this size; false if it is not cached.  Processes invalidation messages
 * first, so the fact is as recent as the result of a catalog scan.
 */
extern bool dps_recall_fact(Oid relation, int number, void *fact, Size size);

/* Processes the invalidation messages of other sessions. */
extern void dps_receive_annotation_changes(void);

/* A number that changes with each invalidation message.  The caller must get it before
 * it reads the catalogs. */
extern uint64 dps_annotation_changes(void);

/* Caches a fact that was read since dps_annotation_changes() returned `changes`, unless a
 * message has arrived since. */
extern void dps_remember_fact(Oid relation, int number, const void *fact, Size size, uint64 changes);

/* Called when the facts about a relation are invalid, possibly several times. */
typedef void (*DpsForgetRelation) (Oid relation);

/* Registers the only callback for invalidation messages; InvalidOid: all relations. */
extern void dps_on_annotation_change(DpsForgetRelation forget);

#endif							/* DPS_GLUE_LABEL_ANNOTATION_CACHE_H */
