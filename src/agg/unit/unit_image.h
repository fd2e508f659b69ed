/*
 * unit_image.h
 *		Rows of a plan as words that are kept (units.c), and back.
 *
 * The columns of a row come one after the other, each 8-aligned, NULLs not at
 * all: first the keys that rows are grouped by, then what else the states read,
 * then what is only carried along.  Rows with equal values have equal words,
 * however they were stored.
 */
#ifndef DPS_AGG_UNIT_UNIT_IMAGE_H
#define DPS_AGG_UNIT_UNIT_IMAGE_H

#include "postgres.h"

#define DPS_MAX_IMAGE_COLUMNS 32

typedef struct DpsImageColumn
{
	int16		length;			/* of its type; -1: as varlena is */
	bool		byval;
} DpsImageColumn;

typedef struct DpsImageLayout
{
	int			ncolumns;
	int			nkeys;			/* the first ones */
	int			nordered;		/* the first ones, by which rows are ordered */
	DpsImageColumn column[DPS_MAX_IMAGE_COLUMNS];
} DpsImageLayout;

/* A row's columns, in the order of the image. */
typedef struct DpsImageRow
{
	Datum		value[DPS_MAX_IMAGE_COLUMNS];
	uint32		nulls;			/* a bit for each column */
} DpsImageRow;

/* The bits of the first n columns. */
static inline uint32
dps_first_columns(uint32 nulls, int n)
{
	return n < 32 ? nulls & (((uint32) 1 << n) - 1) : nulls;
}

/* Makes values plain, in the current memory context. */
extern void dps_image_prepare(const DpsImageLayout *layout, DpsImageRow *row);

/* Words of the first n columns of a row that is prepared; an even number. */
extern Size dps_image_words(const DpsImageLayout *layout, const DpsImageRow *row, int n);

/* Writes all columns; `to` is 8-aligned. */
extern void dps_image_write(const DpsImageLayout *layout, const DpsImageRow *row, uint32 *to);

/* The row with row->nulls; values may point into the words. */
extern void dps_image_read(const DpsImageLayout *layout, const uint32 *from, DpsImageRow *row);

/* Words of the first n columns, of what was written. */
extern Size dps_image_words_at(const DpsImageLayout *layout, const uint32 *image, uint32 nulls, int n);

/* The same for one value that is not NULL; `to` is 4-aligned. */
extern Datum dps_image_plain(const DpsImageColumn *column, Datum value);
extern Size dps_image_value_words(const DpsImageColumn *column, Datum value);
extern void dps_image_write_value(const DpsImageColumn *column, Datum value, uint32 *to, Size words);

#endif							/* DPS_AGG_UNIT_UNIT_IMAGE_H */
