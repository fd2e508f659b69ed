/*
 * enum_labels.h
 *		The labels of an enum type, read once.
 */
#ifndef DPS_GLUE_IMPORT_ENUM_LABELS_H
#define DPS_GLUE_IMPORT_ENUM_LABELS_H

#include "postgres.h"

typedef struct DpsEnumLabel
{
	Oid			oid;			/* what cells are */
	int32		place;			/* in the order of labels, from 1 */
	uint32		text;			/* where its text begins, from the table's own start;
								 * it ends with a null byte */
	int32		by_text;		/* of the i-th: which label's text is the i-th in
								 * the order of bytes */
} DpsEnumLabel;

/* A varlena of one type's labels by their OIDs, alone in memory: equal ones have
 * equal bytes. */
typedef struct DpsEnumLabels
{
	int32		vl_len_;
	Oid			type;
	int32		n;
	DpsEnumLabel label[FLEXIBLE_ARRAY_MEMBER];	/* texts follow, in the order of labels */
} DpsEnumLabels;

/* The weakest that ALTER TYPE, which takes ExclusiveLock to add or rename a label,
 * waits for, as DROP does. */
#define DPS_TYPE_LOCK RowShareLock

/*
 * Keeps others from dropping the type, and from changing the labels that it has if it
 * is an enum, until the transaction ends.  An error if there is no such type any more.
 */
extern void dps_lock_type(Oid type);

/* Locks the type, and reads the labels that are committed, or of a type that this
 * transaction has made. */
extern DpsEnumLabels *dps_read_enum_labels(Oid type);

/* NULL: no cell has this OID. */
extern const DpsEnumLabel *dps_find_enum_label(const DpsEnumLabels *labels, Oid oid);

/* NULL if there is no such label. */
extern const DpsEnumLabel *dps_find_enum_text(const DpsEnumLabels *labels, const char *text);

extern const char *dps_enum_text(const DpsEnumLabels *labels, const DpsEnumLabel *label);

#endif							/* DPS_GLUE_IMPORT_ENUM_LABELS_H */
