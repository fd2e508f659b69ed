/*
 * key.h
 *		The columns by which an auditor recognises a row.
 */
#ifndef DPS_AUDIT_KEY_H
#define DPS_AUDIT_KEY_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The table's primary key, else the column of its privacy unit: a list of
 * integers.  Empty if it has neither. */
extern List *dps_key_columns(Oid relation);

#endif							/* DPS_AUDIT_KEY_H */
