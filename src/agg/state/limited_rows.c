/*
 * limited_rows.c
 *		Functions that queries call which limit the rows of units (guard/trace/unit_rows.c).
 *
 * Called for each row: beside what they yield they allocate nothing.  Nothing here raises
 * because of what a cell holds.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/sha2.h"
#include "fmgr.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "agg/state/groups.h"
#include "agg/state/limited_rows.h"
#include "agg/unit/row_order.h"
#include "agg/unit/unit_image.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/receipt.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_exact_cell);
DPS_SQL_FUNCTION(dps_exact_number);
DPS_SQL_FUNCTION(dps_unit_order);

/* ---- cells ---- */

DpsCellPlan *
dps_cell_plan(const DpsCell *cell)
{
	DpsCellPlan *plan = palloc0(sizeof(DpsCellPlan));

	SET_VARSIZE(plan, sizeof(DpsCellPlan));
	plan->version = DPS_CELL_VERSION;
	memcpy(&plan->cell, cell, sizeof(DpsCell));
	return plan;
}

/* The plan is a constant, so that the checks of the first call hold for later ones. */
static const void *
plan_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0) || !get_fn_expr_arg_stable(fcinfo->flinfo, 0))
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	return PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
}

static const DpsCell *
begin_cell(FunctionCallInfo fcinfo)
{
	const DpsCellPlan *plan = plan_argument(fcinfo);
	DpsCell    *cell = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(DpsCell));

	if (VARSIZE(plan) != sizeof(DpsCellPlan) || plan->version != DPS_CELL_VERSION ||
		getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 1)) != plan->cell.type)
		elog(ERROR, "invalid cell");
	fcinfo->flinfo->fn_extra = memcpy(cell, &plan->cell, sizeof(DpsCell));
	return cell;
}

/* exact_cell(dpsens_internal.plan, "any"): the double that programs are given; NaN for NULL. */
Datum
dps_exact_cell(PG_FUNCTION_ARGS)
{
	const DpsCell *cell = fcinfo->flinfo->fn_extra != NULL ? fcinfo->flinfo->fn_extra : begin_cell(fcinfo);
	double		value = PG_ARGISNULL(1) ? NAN : dps_read_cell(cell->type, PG_GETARG_DATUM(1));

	dps_clamp_cells(&value, 1, &cell->domain);
	PG_RETURN_FLOAT8(value);
}

/* ---- groups ---- */

typedef struct Numbers
{
	int			nkeys;
	DpsKeyMap  *maps;
} Numbers;

static const Numbers *
begin_numbers(FunctionCallInfo fcinfo)
{
	const DpsGroupsPlan *plan = plan_argument(fcinfo);
	MemoryContext previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Numbers    *numbers = palloc(sizeof(Numbers));

	/* maps may refer to it */
	plan = memcpy(palloc(VARSIZE(plan)), plan, VARSIZE(plan));
	numbers->nkeys = plan->nkeys;
	numbers->maps = dps_groups_maps(plan);
	if (PG_NARGS() != 1 + numbers->nkeys)
		elog(ERROR, "groups expect %d keys, not %d", numbers->nkeys, PG_NARGS() - 1);
	MemoryContextSwitchTo(previous);
	fcinfo->flinfo->fn_extra = numbers;
	return numbers;
}

/* exact_number(dpsens_internal.plan, VARIADIC "any"): the number of the row's group; NULL if a
 * key is not declared. */
Datum
dps_exact_number(PG_FUNCTION_ARGS)
{
	const Numbers *numbers = fcinfo->flinfo->fn_extra != NULL ? fcinfo->flinfo->fn_extra : begin_numbers(fcinfo);
	int64		group = dps_groups_find(numbers->maps, numbers->nkeys, &fcinfo->args[1]);

	if (group < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(group);
}

/* Is it a type of ours, whose bytes are shown to nobody, or one that can hold any? */
static bool
shows_own(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(getBaseType(type)));
	Form_pg_type form;
	Oid			element;
	bool		is_own;

	if (!HeapTupleIsValid(tuple))
		return true;
	form = (Form_pg_type) GETSTRUCT(tuple);
	element = form->typelem;
	is_own = form->oid == RECORDOID || form->typnamespace == dps_internal_schema_oid();
	ReleaseSysCache(tuple);
	return is_own || (OidIsValid(element) && shows_own(element));
}


/* ---- the order ---- */

static const DpsImageColumn *
argument_columns(FunctionCallInfo fcinfo)
{
	DpsImageColumn *columns = fcinfo->flinfo->fn_extra;
	int			i;

	if (columns != NULL)
		return columns;
	columns = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(DpsImageColumn) * Max(PG_NARGS(), 1));
	for (i = 0; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		get_typlenbyval(type, &columns[i].length, &columns[i].byval);
		if (columns[i].length == -2 || shows_own(type))
			dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	}
	fcinfo->flinfo->fn_extra = columns;
	return columns;
}

#define MASK_BITS 32
#define MASKS(n) (((n) + MASK_BITS - 1) / MASK_BITS)

/*
 * A string that is longer than this stands in the order with its length and its digest: as many strings of a row as there can be would be more than an
 * allocation takes, and whether a row has such strings would be seen by the error.  Units alone can be as long: keys of groups
 * are not (guard/trace/key_form.c), and so rows of a unit come in the order of their own words, as others write them.
 *
 * A list with a digest is equal to no list but that of the same columns: its header has a bit that headers of
 * whole strings do not have, and what comes before the first of them is read alike.  Two long strings are told apart by their lengths or by SHA-256, of which
 * nobody knows two strings that have the same.
 */
#define LONG_STRING 65536

typedef struct Columns
{
	Datum		value[FUNC_MAX_ARGS];
	Size		words[FUNC_MAX_ARGS];	/* 0: it is NULL */
	Size		total;
	uint32		nulls[MASKS(FUNC_MAX_ARGS)];	/* a bit for each */
	uint32		any_nulls;		/* folded into as many as an image has */
} Columns;

static bool
is_long(const DpsImageColumn *column, Datum value)
{
	return column->length == -1 && VARSIZE_ANY_EXHDR(DatumGetPointer(value)) > LONG_STRING;
}

/* The words of header and digest, an even number. */
#define DIGEST_WORDS (TYPEALIGN(2 * sizeof(uint32), VARHDRSZ + PG_SHA256_DIGEST_LENGTH) / sizeof(uint32))

static void
write_digest(Datum value, uint32 *to)
{
	bytea	   *digest = DatumGetByteaPP(DirectFunctionCall1(sha256_bytea, value));

	memset(to, 0, DIGEST_WORDS * sizeof(uint32));
	SET_VARSIZE_COMPRESSED(to, VARHDRSZ + VARSIZE_ANY_EXHDR(DatumGetPointer(value)));
	memcpy(VARDATA(to), VARDATA_ANY(digest), PG_SHA256_DIGEST_LENGTH);
	pfree(digest);
}

static void
find_columns(FunctionCallInfo fcinfo, const DpsImageColumn *columns, Columns *found)
{
	int			i;

	found->total = 0;
	found->any_nulls = 0;
	memset(found->nulls, 0, sizeof(found->nulls));
	for (i = 0; i < PG_NARGS(); i++)
	{
		uint32		bit = (uint32) 1 << (i % MASK_BITS);

		found->words[i] = 0;
		if (PG_ARGISNULL(i))
		{
			found->nulls[i / MASK_BITS] |= bit;
			found->any_nulls ^= bit;
			continue;
		}
		found->value[i] = dps_image_plain(&columns[i], PG_GETARG_DATUM(i));
		found->words[i] = is_long(&columns[i], found->value[i]) ? DIGEST_WORDS : dps_image_value_words(&columns[i], found->value[i]);
		found->total += found->words[i];
	}
}

/*
 * unit_order(VARIADIC "any"): bytes in the order of row_order.h: the hash, which columns
 * are NULL, and the words of the others, or digests of long ones.  They are equal if and only if the columns' are.
 */
Datum
dps_unit_order(PG_FUNCTION_ARGS)
{
	const DpsImageColumn *columns = argument_columns(fcinfo);
	int			nmasks = MASKS(PG_NARGS());
	Columns		found;
	Size		size;
	uint64		hash;
	bytea	   *order;
	uint32	   *to;
	int			i;

	find_columns(fcinfo, columns, &found);
	size = VARHDRSZ + sizeof(hash) + sizeof(uint32) * (nmasks + found.total);
	order = palloc(size);
	SET_VARSIZE(order, size);
	to = (uint32 *) (VARDATA(order) + sizeof(hash));
	for (i = 0; i < nmasks; i++)
		*to++ = pg_hton32(found.nulls[i]);
	for (i = 0; i < PG_NARGS(); i++)
	{
		if (found.words[i] > 0 && is_long(&columns[i], found.value[i]))
			write_digest(found.value[i], to);
		else if (found.words[i] > 0)
			dps_image_write_value(&columns[i], found.value[i], to, found.words[i]);
		to += found.words[i];
	}
	hash = pg_hton64(dps_order_hash(to - found.total, found.total, found.any_nulls));
	memcpy(VARDATA(order), &hash, sizeof(hash));
	PG_RETURN_BYTEA_P(order);
}
