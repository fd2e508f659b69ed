/*
 * setting.h
 *		The record of changes of dpsens' settings.
 */
#ifndef DPS_LEDGER_JOURNAL_SETTING_H
#define DPS_LEDGER_JOURNAL_SETTING_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The settings as they are before a utility statement that may change some; 0 if it changes none. */
extern Datum dps_settings_before(Node *statement);

/* Records in this transaction what the statement has changed of them. */
extern void dps_settings_after(Node *statement, Datum before);

#endif							/* DPS_LEDGER_JOURNAL_SETTING_H */
