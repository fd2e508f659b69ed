/*
 * builtin.c
 *		The server's types and functions, and their counterparts in a graph.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/import/builtin.h"

/* Builtins that are SQL functions, and their names in the operation table. */
static const struct
{
	const char *name;
	Oid			argtype;
	const char *alias;
}			sql_builtins[] =
{
	{"round", NUMERICOID, "numeric_round_whole"},
	{"trunc", NUMERICOID, "numeric_trunc_whole"},
	{"log", NUMERICOID, "numeric_log10"},
	{"log10", NUMERICOID, "numeric_log10"},
};

/* Builtins that return their argument, in the same or another type. */
static const char *const value_casts[] = {
	"i2toi4", "i4toi2", "int28", "int82", "int48", "int84",
	"i2tod", "i4tod", "i8tod", "i2tof", "i4tof", "i8tof", "ftod", "dtof",
	"int2_numeric", "int4_numeric", "int8_numeric", "float4_numeric", "float8_numeric",
	"numeric_float4", "numeric_float8", "bool_int4",
	"int2up", "int4up", "int8up", "float4up", "float8up", "numeric_uplus",
	NULL
};

/* From floating point to integers, ties to even. */
static const char *const even_casts[] = {
	"dtoi2", "dtoi4", "dtoi8", "ftoi2", "ftoi4", "ftoi8", NULL
};

/* From numeric to integers, ties away from zero. */
static const char *const away_casts[] = {
	"numeric_int2", "numeric_int4", "numeric_int8", NULL
};

bool
dps_type_from_oid(Oid type, DpsType *result)
{
	switch (getBaseType(type))
	{
		case BOOLOID:
			*result = DPS_BOOL;
			return true;
		case INT2OID:
			*result = DPS_INT2;
			return true;
		case INT4OID:
			*result = DPS_INT4;
			return true;
		case INT8OID:
			*result = DPS_INT8;
			return true;
		case NUMERICOID:
			*result = DPS_NUMERIC;
			return true;
		case FLOAT4OID:
			*result = DPS_FLOAT4;
			return true;
		case FLOAT8OID:
			*result = DPS_FLOAT8;
			return true;
		default:
			return false;
	}
}

bool
dps_type_has_epoch(Oid type)
{
	Oid			base = getBaseType(type);

	return base == DATEOID || base == TIMESTAMPOID || base == TIMESTAMPTZOID;
}

Oid
dps_type_to_oid(DpsType type)
{
	static const Oid oids[] = {
		[DPS_BOOL] = BOOLOID, [DPS_INT2] = INT2OID, [DPS_INT4] = INT4OID, [DPS_INT8] = INT8OID,
		[DPS_NUMERIC] = NUMERICOID, [DPS_FLOAT4] = FLOAT4OID, [DPS_FLOAT8] = FLOAT8OID
	};

	return oids[type];
}

static const char *
sql_builtin_alias(const FormData_pg_proc *proc)
{
	int			i;

	if (proc->pronargs != 1)
		return NULL;
	for (i = 0; i < (int) lengthof(sql_builtins); i++)
	{
		if (strcmp(NameStr(proc->proname), sql_builtins[i].name) == 0 &&
			proc->proargtypes.values[0] == sql_builtins[i].argtype)
			return sql_builtins[i].alias;
	}
	return NULL;
}

const char *
dps_builtin_name(Oid function)
{
	HeapTuple	tuple;
	Form_pg_proc proc;
	const char *name = NULL;

	if (function >= FirstNormalObjectId)
		return NULL;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return NULL;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	if (proc->prolang == INTERNALlanguageId)
	{
		bool		isnull;
		Datum		source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);

		if (!isnull)
			name = TextDatumGetCString(source);
	}
	else if (proc->prolang == SQLlanguageId)
		name = sql_builtin_alias(proc);
	ReleaseSysCache(tuple);
	return name;
}

bool
dps_is_listed(const char *name, const char *const *list)
{
	for (; name != NULL && *list != NULL; list++)
	{
		if (strcmp(name, *list) == 0)
			return true;
	}
	return false;
}

/* extra_float_digits, bytea_output, IntervalStyle and quote_all_identifiers. */
static const char *const setting_functions[] = {
	"float4out", "float8out", "point_out", "lseg_out", "line_out", "path_out", "box_out", "poly_out", "circle_out",
	"byteaout", "interval_out", "quote_ident", NULL
};

bool
dps_reads_settings(Oid function)
{
	return dps_is_listed(dps_builtin_name(function), setting_functions);
}

static bool
is_listed(const char *name, const char *const *list)
{
	for (; *list != NULL; list++)
	{
		if (strcmp(name, *list) == 0)
			return true;
	}
	return false;
}

/* Is the word in the blank-separated list? */
static bool
has_word(const char *list, const char *word)
{
	size_t		length = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word)) != NULL)
	{
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
		at += length;
	}
	return false;
}

DpsOpcode
dps_find_operation(const char *builtin)
{
	int			op;

	for (op = DPS_OP_FIRST_ROW; op < DPS_OP_COUNT; op++)
	{
		if (has_word(dps_ops[op].builtins, builtin))
			return op;
	}
	if (strcmp(builtin, "numeric_round_whole") == 0)
		return DPS_OP_ROUND;
	if (strcmp(builtin, "numeric_trunc_whole") == 0)
		return DPS_OP_TRUNC;
	if (strcmp(builtin, "numeric_log10") == 0)
		return DPS_OP_LOG10;
	return DPS_OP_COUNT;
}

bool
dps_find_cast(const char *builtin, DpsOpcode *rounding)
{
	*rounding = is_listed(builtin, even_casts) ? DPS_OP_RINT :
		is_listed(builtin, away_casts) ? DPS_OP_ROUND : DPS_OP_COUNT;
	return *rounding != DPS_OP_COUNT || is_listed(builtin, value_casts);
}

bool
dps_is_operation(Oid function, int nargs)
{
	const char *name = dps_builtin_name(function);
	DpsOpcode	op;

	if (name == NULL)
		return false;
	if (is_listed(name, value_casts))
		return true;
	op = dps_find_operation(name);
	return op != DPS_OP_COUNT && dps_ops[op].arity == nargs;
}
