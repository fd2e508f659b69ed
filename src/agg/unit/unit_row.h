/*
 * unit_row.h
 *		A row of a unit as it is kept (units.c): words, and where its parts are.
 *
 * A row has its unit's key (unit_key.h); its group, if there are several; its
 * filters, if any; and its cells.  Where units with equal keys can differ, the unit
 * follows, 8-aligned as the row is then where its type may need that.
 *
 * Where rows are those of a plan (unit_image.h): the unit's key, a DpsUnitRowHead,
 * 8-aligned; the unit, if it follows; and the words, 8-aligned.
 */
#ifndef DPS_AGG_UNIT_UNIT_ROW_H
#define DPS_AGG_UNIT_UNIT_ROW_H

#include "postgres.h"

#include "agg/unit/unit_image.h"
#include "agg/unit/unit_key.h"
#include "glue/import/cell.h"

typedef struct DpsUnitRowHead
{
	uint64		order;			/* hash of what it is ordered by */
	uint64		group;			/* that of its group's keys */
	uint32		words;			/* of its image */
	uint32		ordered;		/* those of them that it is ordered by */
	uint32		nulls;
	uint32		reserved;		/* 0 */
} DpsUnitRowHead;

typedef struct DpsUnitRowLayout
{
	DpsUnitKeys keys;
	const DpsImageLayout *image;	/* or */
	const DpsCell *cells;
	int			ncells;
	int			nfilters;
	bool		is_grouped;		/* there are keys */
	int			group_at;		/* in a row; -1: there is but one group */
	int			filters_at;		/* -1: there is none */
	int			cells_at;		/* or the head */
	int			words;			/* of a row without its unit */
} DpsUnitRowLayout;

static inline uint64
dps_unit_row_hash(const DpsUnitRowLayout *layout, const uint32 *row)
{
	return dps_unit_key_hash(&layout->keys, row);
}

static inline bool
dps_are_of_one_unit(DpsUnitRowLayout *layout, const uint32 *a, const uint32 *b)
{
	return dps_is_same_unit(&layout->keys, a, b, layout->words);
}

static inline bool
dps_unit_may_follow(const DpsUnitRowLayout *layout)
{
	return layout->keys.kind >= DPS_UNIT_BYTES;
}

/* With the unit, if it follows. */
static inline Size
dps_unit_row_words_before_image(const DpsUnitRowLayout *layout, const uint32 *row)
{
	return layout->words + (dps_unit_may_follow(layout) ? dps_unit_words_after(&layout->keys, row, row + layout->words) : 0);
}

static inline const DpsUnitRowHead *
dps_unit_row_head(const DpsUnitRowLayout *layout, const uint32 *row)
{
	return (const DpsUnitRowHead *) (row + layout->cells_at);
}

static inline const uint32 *
dps_unit_row_image(const DpsUnitRowLayout *layout, const uint32 *row)
{
	return row + TYPEALIGN(2, dps_unit_row_words_before_image(layout, row));
}

static inline Size
dps_unit_row_words(const DpsUnitRowLayout *layout, const uint32 *row)
{
	if (layout->image != NULL)
		return dps_unit_row_image(layout, row) - row + dps_unit_row_head(layout, row)->words;
	return dps_unit_row_words_before_image(layout, row);
}

static inline uint32
dps_unit_row_group(const DpsUnitRowLayout *layout, const uint32 *row)
{
	return layout->group_at < 0 ? 0 : row[layout->group_at];
}

static inline uint32
dps_unit_row_filters(const DpsUnitRowLayout *layout, const uint32 *row)
{
	return layout->filters_at < 0 ? 0 : row[layout->filters_at];
}

static inline double
dps_unit_row_cell(const DpsUnitRowLayout *layout, const uint32 *row, int i)
{
	double		cell;

	memcpy(&cell, &row[layout->cells_at + 2 * i], sizeof(cell));
	return cell;
}

#endif							/* DPS_AGG_UNIT_UNIT_ROW_H */
