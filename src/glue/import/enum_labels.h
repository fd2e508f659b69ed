/*
 * enum_labels.h
 *		The labels of an enum type, read once.
 */
#ifndef DPS_GLUE_IMPORT_ENUM_LABELS_H
#define DPS_GLUE_IMPORT_ENUM_LABELS_H

#include "postgres.h"

typedef struct DpsEnumLabel
{
	Oid			oid;			/* the value of a cell */
	int32		place;			/* in the order of labels, from 1 */
	uint32		text;			/* offset of its text from the table's start; the
								 * text ends with a null byte */
	int32		by_text;		/* of entry i: the index of the label whose text is
								 * the i-th in byte order */
} DpsEnumLabel;

/* A varlena of one type's labels, ordered by OID.  It contains no pointers: equal tables
 * have equal bytes. */
typedef struct DpsEnumLabels
{
	int32		vl_len_;
	Oid			type;
	int32		n;
	DpsEnumLabel label[FLEXIBLE_ARRAY_MEMBER];	/* texts follow, in the order of labels */
} DpsEnumLabels;

/* The weakest lock that conflicts with ALTER TYPE, which takes ExclusiveLock to add or
 * rename a label, and with DROP TYPE. */
#define DPS_TYPE_LOCK RowShareLock

/*
 * Takes DPS_TYPE_LOCK on the type until the transaction ends: other sessions cannot drop
 * it, nor change its labels if it is an enum.  Raises an error if the type does not exist
 * any more.
 */
extern void dps_lock_type(Oid type);

/* Locks the type and reads its labels, palloc'd: those that are committed, and those of a
 * type that this transaction has created. */
extern DpsEnumLabels *dps_read_enum_labels(Oid type);

/* NULL if no label has this OID; then no cell has it. */
extern const DpsEnumLabel *dps_find_enum_label(const DpsEnumLabels *labels, Oid oid);

/* NULL if there is no such label. */
extern const DpsEnumLabel *dps_find_enum_text(const DpsEnumLabels *labels, const char *text);

extern const char *dps_enum_text(const DpsEnumLabels *labels, const DpsEnumLabel *label);

#endif							/* DPS_GLUE_IMPORT_ENUM_LABELS_H */
