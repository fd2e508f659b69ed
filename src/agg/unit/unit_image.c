/*
 * unit_image.c
 *		Rows of a plan as words that are kept (units.c), and back.
 */
#include "postgres.h"

#include "agg/unit/group_keys.h"
#include "agg/unit/unit_image.h"
#include "glue/compat.h"

static bool
is_null(uint32 nulls, int column)
{
	return (nulls >> column) & 1;
}

static Size
even_words(Size bytes)
{
	return TYPEALIGN(2 * sizeof(uint32), bytes) / sizeof(uint32);
}

Datum
dps_image_plain(const DpsImageColumn *column, Datum value)
{
	if (column->byval)
		return dps_stored_bits(value, column->length);
	return column->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(value)) : value;
}

void
dps_image_prepare(const DpsImageLayout *layout, DpsImageRow *row)
{
	int			i;

	for (i = 0; i < layout->ncolumns; i++)
	{
		if (!is_null(row->nulls, i))
			row->value[i] = dps_image_plain(&layout->column[i], row->value[i]);
	}
}

/* Strings have a header of four bytes. */
Size
dps_image_value_words(const DpsImageColumn *column, Datum value)
{
	if (column->byval)
		return even_words(sizeof(Datum));
	if (column->length > 0)
		return even_words(column->length);
	return even_words(VARHDRSZ + VARSIZE_ANY_EXHDR(DatumGetPointer(value)));
}

Size
dps_image_words(const DpsImageLayout *layout, const DpsImageRow *row, int n)
{
	Size		words = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (!is_null(row->nulls, i))
			words += dps_image_value_words(&layout->column[i], row->value[i]);
	}
	return words;
}

void
dps_image_write_value(const DpsImageColumn *column, Datum value, uint32 *to, Size words)
{
	char	   *pointer = DatumGetPointer(value);

	/* what is left of the last words */
	memset(to + words - 2, 0, 2 * sizeof(uint32));
	if (column->byval)
		memcpy(to, &value, sizeof(Datum));
	else if (column->length > 0)
		memcpy(to, pointer, column->length);
	else
	{
		SET_VARSIZE(to, VARHDRSZ + VARSIZE_ANY_EXHDR(pointer));
		memcpy(VARDATA(to), VARDATA_ANY(pointer), VARSIZE_ANY_EXHDR(pointer));
	}
}

void
dps_image_write(const DpsImageLayout *layout, const DpsImageRow *row, uint32 *to)
{
	int			i;

	for (i = 0; i < layout->ncolumns; i++)
	{
		Size		words;

		if (is_null(row->nulls, i))
			continue;
		words = dps_image_value_words(&layout->column[i], row->value[i]);
		dps_image_write_value(&layout->column[i], row->value[i], to, words);
		to += words;
	}
}

static Datum
value_at(const DpsImageColumn *column, const uint32 *at)
{
	return column->byval ? *(const Datum *) at : PointerGetDatum(at);
}

void
dps_image_read(const DpsImageLayout *layout, const uint32 *from, DpsImageRow *row)
{
	int			i;

	for (i = 0; i < layout->ncolumns; i++)
	{
		if (is_null(row->nulls, i))
			continue;
		row->value[i] = value_at(&layout->column[i], from);
		from += dps_image_value_words(&layout->column[i], row->value[i]);
	}
}

Size
dps_image_words_at(const DpsImageLayout *layout, const uint32 *image, uint32 nulls, int n)
{
	Size		words = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (!is_null(nulls, i))
			words += dps_image_value_words(&layout->column[i], value_at(&layout->column[i], image + words));
	}
	return words;
}
