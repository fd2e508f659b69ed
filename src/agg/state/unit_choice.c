/*
 * unit_choice.c
 *		Which rows of a unit count.
 *
 * Rows, and groups, come in the order of row_order.h.  The words that are ordered are
 * made of a row as the states read it, or are those of an image (unit_image.h).  Of
 * each unit, the rows that count are
 *
 * - of the groups that come first, so many as may count,
 * - in each of them the rows that come first, as many as may count in a group,
 * - and of these the rows that come first, as many as may count in all.
 *
 * Claim.  What is kept of a unit while rows come suffices: a row that is dropped
 * does not count, whatever comes after it.
 *
 * Proof.  With a limit of groups: rows are kept in the groups that come first so
 * far.  A group that so many others precede will always be preceded by them; and
 * a row that as many rows of its group precede as may count there likewise.
 * Without: let the survivors be the rows that fewer than rows_per_group of their
 * group precede.  Kept are the survivors that come first.  More rows change the
 * number of survivors before a given row by no less than 0, since in each group
 * it is the smaller of rows_per_group and the number of its rows before that
 * row.  So a row that as many survivors precede as may count never counts.
 *
 * The order in which rows come has no part in it, nor have rows of other units.
 */
#include "postgres.h"

#include "agg/state/unit_choice.h"
#include "agg/unit/row_order.h"

/* ---- the order ---- */

/* The words of a row as the states read it. */
typedef struct OrderWords
{
	int			n;
	uint64		word[1 + DPS_MAX_VARIABLES + DPS_MAX_UNIT_FILTERS];
} OrderWords;

static inline const uint32 *
halves(const uint64 *words)
{
	return (const uint32 *) words;
}

static void
find_words(const DpsUnitRowLayout *layout, const uint32 *row, OrderWords *words)
{
	int			i;

	words->n = 0;
	if (layout->is_grouped)
		words->word[words->n++] = dps_unit_row_group(layout, row);
	for (i = 0; i < layout->ncells; i++)
	{
		double		cell = dps_unit_row_cell(layout, row, i);

		dps_clamp_cells(&cell, 1, &layout->cells[i].domain);
		memcpy(&words->word[words->n++], &cell, sizeof(cell));
	}
	for (i = 0; i < layout->nfilters; i++)
		words->word[words->n++] = (dps_unit_row_filters(layout, row) >> i) & 1;
}

static uint64
hash_row(const DpsUnitRowLayout *layout, const uint32 *row)
{
	OrderWords	words;

	if (layout->image != NULL)
		return dps_unit_row_head(layout, row)->order;
	find_words(layout, row, &words);
	return dps_order_hash(halves(words.word), 2 * words.n, 0);
}

/* Compares words with equal hashes. */
static int
compare_read(const DpsUnitRowLayout *layout, const uint32 *a, const uint32 *b)
{
	OrderWords	one;
	OrderWords	other;

	find_words(layout, a, &one);
	find_words(layout, b, &other);
	return dps_order_compare(halves(one.word), 2 * one.n, 0, halves(other.word), 2 * other.n, 0);
}

static int
compare_images(const DpsUnitRowLayout *layout, const uint32 *a, const uint32 *b)
{
	const DpsUnitRowHead *one = dps_unit_row_head(layout, a);
	const DpsUnitRowHead *other = dps_unit_row_head(layout, b);
	int			n = layout->image->nordered;

	return dps_order_compare(dps_unit_row_image(layout, a), one->ordered, dps_first_columns(one->nulls, n),
							 dps_unit_row_image(layout, b), other->ordered, dps_first_columns(other->nulls, n));
}

static int
compare_keys(const DpsUnitRowLayout *layout, const uint32 *a, const uint32 *b)
{
	const DpsImageLayout *image = layout->image;
	const uint32 *of_one = dps_unit_row_image(layout, a);
	const uint32 *of_other = dps_unit_row_image(layout, b);
	uint32		nulls = dps_first_columns(dps_unit_row_head(layout, a)->nulls, image->nkeys);
	uint32		other = dps_first_columns(dps_unit_row_head(layout, b)->nulls, image->nkeys);

	return dps_order_compare(of_one, dps_image_words_at(image, of_one, nulls, image->nkeys), nulls,
							 of_other, dps_image_words_at(image, of_other, other, image->nkeys), other);
}

static inline bool
is_before(const DpsUnitRowLayout *layout, const DpsUnitEntry *a, const DpsUnitEntry *b)
{
	if (a->order != b->order)
		return a->order < b->order;
	return (layout->image != NULL ? compare_images : compare_read) (layout, a->row, b->row) < 0;
}

/* The hash of a number of a group is a bijection. */
static inline uint64
group_order(const DpsUnitRowLayout *layout, const DpsUnitEntry *entry)
{
	uint64		number = dps_unit_row_group(layout, entry->row);

	return layout->image != NULL ? dps_unit_row_head(layout, entry->row)->group : dps_order_hash(halves(&number), 2, 0);
}

/* Negative, 0 or positive if the first row's group is before, equal to or after the
 * second row's. */
static pg_attribute_always_inline int
compare_groups(const DpsUnitRowLayout *layout, const DpsUnitEntry *a, const DpsUnitEntry *b)
{
	uint64		one = group_order(layout, a);
	uint64		other = group_order(layout, b);

	if (one != other)
		return one < other ? -1 : 1;
	return layout->image != NULL ? compare_keys(layout, a->row, b->row) : 0;
}

static inline bool
is_of_one_group(const DpsUnitRowLayout *layout, const DpsUnitEntry *a, const DpsUnitEntry *b)
{
	return layout->image != NULL ? compare_groups(layout, a, b) == 0 :
		dps_unit_row_group(layout, a->row) == dps_unit_row_group(layout, b->row);
}

/* ---- the rows of a unit ---- */

/* Rows are kept in order of their groups, if these are limited. */
static inline bool
is_kept_before(const DpsUnitChoice *choice, const DpsUnitEntry *a, const DpsUnitEntry *b)
{
	int			order = choice->bounds.groups > 0 ? compare_groups(&choice->layout, a, b) : 0;

	return order != 0 ? order < 0 : is_before(&choice->layout, a, b);
}

static void
remove_rows(DpsUnitChoice *choice, uint32 first, uint32 n)
{
	memmove(&choice->kept[first], &choice->kept[first + n], sizeof(DpsUnitEntry *) * (choice->nkept - first - n));
	choice->nkept -= n;
}

static inline void
insert_row(DpsUnitChoice *choice, DpsUnitEntry *row)
{
	uint32		first = 0;
	uint32		last = choice->nkept;

	while (first < last)
	{
		uint32		middle = (first + last) / 2;

		if (is_kept_before(choice, row, choice->kept[middle]))
			last = middle;
		else
			first = middle + 1;
	}
	memmove(&choice->kept[first + 1], &choice->kept[first], sizeof(DpsUnitEntry *) * (choice->nkept - first));
	choice->kept[first] = row;
	choice->nkept++;
}

/* How many rows of the row's group are kept, and the last of them. */
static uint32
count_in_group(const DpsUnitChoice *choice, const DpsUnitEntry *row, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < choice->nkept; i++)
	{
		if (is_of_one_group(&choice->layout, choice->kept[i], row))
		{
			*last = i;
			n++;
		}
	}
	return n;
}

/* The groups that are kept, and where the rows of the last one begin. */
static uint32
count_groups(const DpsUnitChoice *choice, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < choice->nkept; i++)
	{
		if (i == 0 || !is_of_one_group(&choice->layout, choice->kept[i], choice->kept[i - 1]))
		{
			*last = i;
			n++;
		}
	}
	return n;
}

/* Is there no room for a row of another group?  Makes room if it is before the
 * last one. */
static bool
refuses_group(DpsUnitChoice *choice, const DpsUnitEntry *row)
{
	uint32		first = 0;

	if (choice->bounds.groups == 0 || (int32) count_groups(choice, &first) < choice->bounds.groups)
		return false;
	if (compare_groups(&choice->layout, row, choice->kept[first]) > 0)
		return true;
	remove_rows(choice, first, choice->nkept - first);
	return false;
}

/* Keeps the row if it may count. */
static inline void
offer_row(DpsUnitChoice *choice, DpsUnitEntry *row)
{
	const DpsUnitBounds *bounds = &choice->bounds;
	bool		limits_all = bounds->groups == 0;
	uint32		last = 0;
	uint32		n;

	if (limits_all && (int32) choice->nkept == bounds->rows &&
		!is_before(&choice->layout, row, choice->kept[choice->nkept - 1]))
		return;
	n = !limits_all || bounds->rows_per_group < bounds->rows ? count_in_group(choice, row, &last) : 0;
	if (n == 0 && refuses_group(choice, row))
		return;
	if (n > 0 && (int32) n == bounds->rows_per_group)
	{
		if (!is_before(&choice->layout, row, choice->kept[last]))
			return;
		remove_rows(choice, last, 1);
	}
	else if (limits_all && (int32) choice->nkept == bounds->rows)
		choice->nkept--;
	insert_row(choice, row);
}

static inline DpsUnitEntry *
entry_at(DpsUnitEntry *entries, uint64 number)
{
	return &entries[number - 1];
}

void
dps_keep_rows(DpsUnitChoice *choice, DpsUnitEntry *entries, uint64 first)
{
	uint64		number = first;

	for (choice->nkept = 0; number != 0 && choice->nkept < choice->harmless; number = entry_at(entries, number)->order)
		choice->kept[choice->nkept++] = entry_at(entries, number);
	if (number == 0)
		return;
	choice->nkept = 0;
	for (number = first; number != 0;)
	{
		DpsUnitEntry *row = entry_at(entries, number);

		number = row->order;
		row->order = hash_row(&choice->layout, row->row);
		offer_row(choice, row);
	}
}

static int
compare_rows(const void *a, const void *b, void *layout)
{
	const DpsUnitEntry *one = *(DpsUnitEntry *const *) a;
	const DpsUnitEntry *other = *(DpsUnitEntry *const *) b;

	return is_before(layout, one, other) ? -1 : is_before(layout, other, one);
}

void
dps_choose_rows(DpsUnitChoice *choice)
{
	if ((int32) choice->nkept <= choice->bounds.rows)
		return;
	qsort_arg(choice->kept, choice->nkept, sizeof(DpsUnitEntry *), compare_rows, &choice->layout);
	choice->nkept = choice->bounds.rows;
}

bool
dps_is_first_of_group(const DpsUnitChoice *choice, uint32 place)
{
	uint32		i;

	for (i = 0; i < place; i++)
	{
		if (is_of_one_group(&choice->layout, choice->kept[i], choice->kept[place]))
			return false;
	}
	return true;
}

/* How many rows of a unit count whatever they are. */
static uint32
harmless_rows(const DpsUnitBounds *bounds)
{
	int32		n = Min(bounds->rows, bounds->rows_per_group);

	return bounds->groups > 0 ? Min(n, bounds->groups) : n;
}

void
dps_unit_choice_init(DpsUnitChoice *choice, const DpsUnitBounds *bounds)
{
	choice->bounds = *bounds;
	choice->harmless = harmless_rows(bounds);
	choice->nkept = 0;
}
