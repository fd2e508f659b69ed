/*
 * group_history.h
 *		What was answered to smaller groups of units than are protected now.
 */
#ifndef DPS_LEDGER_JOURNAL_GROUP_HISTORY_H
#define DPS_LEDGER_JOURNAL_GROUP_HISTORY_H

#include "postgres.h"

#include "catalog/objectaddress.h"

/* How many units the relation protects together, as is declared of it or of a relation that shares rows with it: the
 * most of these; 1: each by itself, and for a relation that is not protected.  Takes no locks on relations. */
extern int	dps_declared_group_size(Oid relation);

/* Is there a release about the relation of these names (identity.h), or one that persons of it as an entity were charged for,
 * whose cost is that of less than `size` units?  Connected to SPI, as somebody who may read the ledger. */
extern bool dps_told_smaller_groups(const Datum identity[4], int size);

/* Raises an error if the label, NULL for none, is about to promise to larger groups than the history was charged for. */
extern void dps_check_group_label(const ObjectAddress *object, const char *label);

#endif							/* DPS_LEDGER_JOURNAL_GROUP_HISTORY_H */
