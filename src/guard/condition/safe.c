/*
 * safe.c
 *		Which conditions can be evaluated for a role that must learn nothing of
 *		single rows.
 *
 * AND, OR and CASE evaluate their arguments only where they must, so any error, even one of constants,
 * tells whether some row made the server evaluate that part: secret = 42 AND 1/0 > 0.  Hence every function
 * in such a condition must be total, or be attempted.  The server marks some total functions as leakproof;
 * the mark is trusted for the types below, and a few more functions were read and found total.  Others were
 * read and found only to compute, in little memory: they are attempted.
 *
 * Comparisons of strings are total if their collation is known, and LIKE if its pattern is well-formed.
 * Regular expressions are attempted (pattern.c).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"

#include "glue/import/builtin.h"
#include "glue/import/relabel.h"
#include "guard/condition/attempt.h"
#include "guard/condition/pattern.h"
#include "guard/condition/safe.h"
#include "guard/condition/written.h"

/* Limits on the number of calls in one condition that lengthen strings, and of calls that make strings: the
 * strings of a row share 16 MB (attempt.c). */
#define MAX_CONCATENATIONS 32
#define MAX_STRINGS 128
/* The replacement may be at most so many times as long as the text that it replaces. */
#define MAX_GROWTH 8

/* Types whose leakproof functions are total.  Geometry is not among them:
 * distances overflow. */
static const Oid types[] = {
	BOOLOID, CHAROID, NAMEOID, INT2OID, INT4OID, INT8OID, OIDOID, FLOAT4OID, FLOAT8OID, NUMERICOID, CASHOID,
	TEXTOID, VARCHAROID, BPCHAROID, BYTEAOID, BITOID, VARBITOID, UUIDOID, INETOID, CIDROID, MACADDROID, MACADDR8OID,
	DATEOID, TIMEOID, TIMETZOID, TIMESTAMPOID, TIMESTAMPTZOID, INTERVALOID,
	/* constants without a type */
	UNKNOWNOID
};

/* pg_proc.prosrc of comparisons between types, where values out of the other type's range count as
 * infinite, and of other total functions. */
static const char *const total_functions[] = {
	"numeric_eq", "numeric_ne", "numeric_lt", "numeric_le", "numeric_gt", "numeric_ge",
	"enum_eq", "enum_ne",
	"date_eq_timestamp", "date_ne_timestamp", "date_lt_timestamp", "date_le_timestamp", "date_gt_timestamp", "date_ge_timestamp",
	"timestamp_eq_date", "timestamp_ne_date", "timestamp_lt_date", "timestamp_le_date", "timestamp_gt_date", "timestamp_ge_date",
	"date_eq_timestamptz", "date_ne_timestamptz", "date_lt_timestamptz", "date_le_timestamptz", "date_gt_timestamptz",
	"date_ge_timestamptz", "timestamptz_eq_date", "timestamptz_ne_date", "timestamptz_lt_date", "timestamptz_le_date",
	"timestamptz_gt_date", "timestamptz_ge_date", "timestamp_eq_timestamptz", "timestamp_ne_timestamptz",
	"timestamp_lt_timestamptz", "timestamp_le_timestamptz", "timestamp_gt_timestamptz", "timestamp_ge_timestamptz",
	"timestamptz_eq_timestamp", "timestamptz_ne_timestamp", "timestamptz_lt_timestamp", "timestamptz_le_timestamp",
	"timestamptz_gt_timestamp", "timestamptz_ge_timestamp",
	/* read the header alone */
	"textoctetlen", "bpcharoctetlen", "byteaoctetlen", "bitoctetlength",
	/* return the argument's digits, without trailing zeros or in another form */
	"numeric_trim_scale", "numeric_send",
	"now", NULL
};

/* These pad or cut their first argument to the length in the second. */
static const char *const length_functions[] = {
	"bpchar", "lpad", "rpad", NULL
};

/* These format their first argument by the second: the result has a few characters for each character of
 * the format. */
static const char *const format_functions[] = {
	"int4_to_char", "int8_to_char", "numeric_to_char", "float4_to_char", "float8_to_char", "timestamp_to_char",
	"timestamptz_to_char", "interval_to_char", "numeric_to_number", "to_date", "to_timestamp", NULL
};

/* The result of these is as long as their arguments together. */
static const char *const concatenations[] = {
	"textcat", "byteacat", "text_concat", "text_concat_ws", "textoverlay", "textoverlay_no_len", NULL
};

/*
 * pg_proc.prosrc of functions of the types above that may fail and otherwise only compute, beside the
 * operations of row expressions.  Their results are no longer than their arguments together.
 */
static const char *const pure_functions[] = {
	/* casts */
	"dtoi2", "dtoi4", "dtoi8", "ftoi2", "ftoi4", "ftoi8", "numeric_int2", "numeric_int4", "numeric_int8", "int4_bool",
	"booltext", "numeric", "varchar", "timestamp_scale", "timestamptz_scale", "time_scale", "timetz_scale", "interval_scale",
	"date_timestamp", "date_timestamptz", "timestamp_date", "timestamp_timestamptz", "timestamp_time", "timestamptz_date",
	"timestamptz_timestamp", "timestamptz_time", "timestamptz_timetz", "time_interval", "interval_time",
	/* numbers */
	"numeric_log", "degrees", "radians", "width_bucket_float8", "width_bucket_numeric", "int4gcd", "int8gcd", "int4lcm", "int8lcm",
	"int4and", "int4or", "int4xor", "int4not", "int8and", "int8or", "int8xor", "int8not", "dasin", "dacos",
	/* time */
	"date_mi", "date_pli", "date_mii", "date_pl_interval", "date_mi_interval", "datetime_timestamp", "datetimetz_timestamptz",
	"timestamp_mi", "timestamp_pl_interval", "timestamp_mi_interval", "timestamptz_mi", "timestamptz_pl_interval",
	"timestamptz_mi_interval", "time_mi_time", "time_pl_interval", "time_mi_interval", "timetz_pl_interval", "timetz_mi_interval",
	"interval_pl", "interval_mi", "interval_mul", "mul_d_interval", "interval_div", "interval_um", "interval_justify_interval",
	"interval_justify_hours", "interval_justify_days", "timestamp_age", "timestamptz_age", "timestamp_part",
	"timestamptz_part", "interval_part", "time_part", "timetz_part", "extract_date", "extract_timestamp", "extract_timestamptz",
	"extract_interval", "extract_time", "extract_timetz", "timestamp_trunc", "timestamptz_trunc", "interval_trunc",
	"timestamp_bin", "timestamptz_bin",
	"make_date", "make_time", "make_timestamp", "float8_timestamptz",
	/* strings */
	"textlen", "bpcharlen", "text_substr", "text_substr_no_len", "bytea_substr",
	"bytea_substr_no_len", "textpos", "byteapos", "text_left", "text_right", "text_reverse", "split_part", "lower", "upper", "initcap",
	"btrim", "btrim1", "ltrim", "ltrim1", "rtrim", "rtrim1", "ascii", "chr", "text_starts_with", "translate", "md5_text", "md5_bytea",
	"to_hex32", "to_hex64",
	/* by a table of labels (enum_cells.c) */
	"enum_lt", "enum_le", "enum_gt", "enum_ge",
	/* patterns; only public ones are admitted */
	"like_escape", "similar_to_escape_1", "similar_to_escape_2",
	/* settings, which are the same for every row */
	"show_config_by_name", "show_config_by_name_missing_ok",
	NULL
};

bool
dps_is_known_type(Oid type)
{
	Oid			base = getBaseType(type);
	Size		i;

	for (i = 0; i < lengthof(types); i++)
	{
		if (types[i] == base)
			return true;
	}
	return type_is_enum(base);
}

/* Is the collation known, if the arguments need one?  Without a collation a comparison fails, and some
 * comparisons fail if it is not deterministic; a collation that a user made could fail to load. */
static bool
has_collation(Oid collation, List *arguments)
{
	ListCell   *cell;
	bool		needed = false;

	foreach(cell, arguments)
	{
		Node	   *argument = lfirst(cell);

		needed |= type_is_collatable(exprType(argument)) ||
			type_is_collatable(get_base_element_type(exprType(argument)));
	}
	if (!needed)
		return true;
	if (!OidIsValid(collation) || collation >= FirstNormalObjectId)
		return false;
	/* Loads the collation, once in a session.  Loading may warn of its version, or fail, and must do so
	 * here and not when the first row needs it. */
	(void) pg_newlocale_from_collation(collation);
	return true;
}

static bool
column_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, SubLink) || IsA(node, Query))
		return true;
	return expression_tree_walker(node, column_walker, context);
}

/* Whether the functions in the expression are safe is checked elsewhere. */
bool
dps_is_public(Node *node)
{
	return !column_walker(node, NULL);
}

/* The constant that the planner will make of the expression, or NULL. */
static Const *
planned_constant(Node *node)
{
	return dps_is_plan_constant(node) ? (Const *) eval_const_expressions(NULL, copyObject(node)) : NULL;
}

/* A constant pattern is checked here, another public one when the statement runs. */
static bool
is_sound_pattern(DpsPatternKind kind, Node *node, Oid collation)
{
	Const	   *pattern = planned_constant(node);

	if (pattern == NULL)
		return dps_is_public(node) && exprType(node) == TEXTOID;
	return pattern->constisnull ||
		((pattern->consttype == TEXTOID || pattern->consttype == BYTEAOID) &&
		 dps_is_sound_pattern(kind, (struct varlena *) DatumGetPointer(pattern->constvalue), collation));
}

static bool
are_known_types(List *arguments)
{
	ListCell   *cell;

	foreach(cell, arguments)
	{
		if (!dps_is_known_type(exprType(lfirst(cell))))
			return false;
	}
	return true;
}

static bool
is_total_call(Oid function, Oid collation, List *arguments)
{
	const char *name = dps_builtin_name(function);

	if (function >= FirstNormalObjectId || func_volatile(function) == PROVOLATILE_VOLATILE ||
		!are_known_types(arguments) || !has_collation(collation, arguments))
		return false;
	if (dps_pattern_kind(name) == DPS_LIKE_PATTERN)
		return dps_is_plan_constant(lsecond(arguments)) && is_sound_pattern(DPS_LIKE_PATTERN, lsecond(arguments), collation);
	return get_func_leakproof(function) || dps_is_listed(name, total_functions);
}

/* width_bucket(x, array) is total if the array is a constant of one dimension without NULLs. */
static bool
is_total_search(Oid function, Oid collation, List *arguments)
{
	Const	   *array = list_length(arguments) == 2 ? (Const *) dps_strip_relabel(lsecond(arguments)) : NULL;
	ArrayType  *values;

	if (function != F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY ||
		!IsA(array, Const) || array->constisnull)
		return false;
	values = DatumGetArrayTypeP(array->constvalue);
	return dps_is_known_type(ARR_ELEMTYPE(values)) && has_collation(collation, arguments) &&
		ARR_NDIM(values) == 1 && !array_contains_nulls(values);
}

/* x = ANY (array) is total if the comparison of the elements is. */
static bool
is_total_membership(ScalarArrayOpExpr *membership)
{
	const char *name;
	Node	   *scalar = linitial(membership->args);
	Node	   *array = dps_strip_relabel(lsecond(membership->args));

	set_sa_opfuncid(membership);
	name = dps_builtin_name(membership->opfuncid);
	return (IsA(array, Const) || IsA(array, ArrayExpr) || IsA(array, Param) || IsA(array, Var)) &&
		membership->opfuncid < FirstNormalObjectId && dps_is_known_type(exprType(scalar)) &&
		dps_is_known_type(get_base_element_type(exprType(array))) &&
		has_collation(membership->inputcollid, membership->args) &&
		(get_func_leakproof(membership->opfuncid) || dps_is_listed(name, total_functions));
}

bool
dps_never_fails(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
			return ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varattno > 0;
		case T_Param:
			return ((Param *) node)->paramkind == PARAM_EXTERN;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			set_opfuncid((OpExpr *) node);
			return is_total_call(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->inputcollid,
								 ((OpExpr *) node)->args);
		case T_FuncExpr:
			return is_total_call(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->inputcollid,
								 ((FuncExpr *) node)->args) ||
				is_total_search(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->inputcollid,
								((FuncExpr *) node)->args);
		case T_ScalarArrayOpExpr:
			return is_total_membership((ScalarArrayOpExpr *) node);
		case T_MinMaxExpr:
			return dps_is_known_type(((MinMaxExpr *) node)->minmaxtype) &&
				!type_is_enum(getBaseType(((MinMaxExpr *) node)->minmaxtype)) &&
				has_collation(((MinMaxExpr *) node)->inputcollid, ((MinMaxExpr *) node)->args);
		case T_NullTest:
			return !((NullTest *) node)->argisrow && !type_is_rowtype(exprType((Node *) ((NullTest *) node)->arg));
		case T_ArrayExpr:
			/* arrays of columns are not limited in size */
			return !((ArrayExpr *) node)->multidims && !contain_vars_of_level(node, 0);
		case T_List:
		case T_Const:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_RelabelType:
		case T_CollateExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_SQLValueFunction:
			return true;
		default:
			return false;
	}
}

static bool
variable_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, Param) || IsA(node, SubLink) || IsA(node, Query))
		return true;
	return expression_tree_walker(node, variable_walker, context);
}

bool
dps_is_plan_constant(Node *node)
{
	return !variable_walker(node, NULL) && !contain_mutable_functions(node) &&
		IsA(eval_const_expressions(NULL, copyObject(node)), Const);
}

/* In characters of up to 4 bytes: 1 MB, the length that a result of a call may have (attempt.c). */
#define MAX_LENGTH (1 << 18)

/* Is the length a constant within the limit?  A column's value could make the result arbitrarily long. */
static bool
is_sound_length(Node *node)
{
	Const	   *length = planned_constant(node);

	return length != NULL && !length->constisnull && length->consttype == INT4OID &&
		DatumGetInt32(length->constvalue) <= MAX_LENGTH;
}

/* replace(x, from, to) */
static bool
is_sound_replacement(Node *from, Node *to)
{
	Const	   *old = planned_constant(from);
	Const	   *new = planned_constant(to);

	return old != NULL && new != NULL && !old->constisnull && !new->constisnull &&
		VARSIZE_ANY_EXHDR(new->constvalue) <= MAX_GROWTH * VARSIZE_ANY_EXHDR(old->constvalue);
}

/* Are the flags constant, and do they leave the syntax of the regular expression unchanged? */
static bool
are_sound_flags(Node *node)
{
	Const	   *flags = planned_constant(node);
	char	   *letters;

	if (flags == NULL)
		return false;
	letters = flags->constisnull ? pstrdup("") : TextDatumGetCString(flags->constvalue);
	return strspn(letters, "ics") == strlen(letters);
}

static bool
is_pure_function(Oid function, Oid collation, List *arguments)
{
	const char *name = dps_builtin_name(function);
	DpsPatternKind pattern = dps_pattern_kind(name);

	if (!are_known_types(arguments) || !has_collation(collation, arguments))
		return false;
	if (pattern != DPS_NO_PATTERN)
		return (list_length(arguments) == 2 || are_sound_flags(lthird(arguments))) &&
			is_sound_pattern(pattern, lsecond(arguments), collation);
	if (dps_is_listed(name, length_functions))
		return is_sound_length(lsecond(arguments));
	if (dps_is_listed(name, format_functions))
		return dps_is_public(lsecond(arguments));
	if (name != NULL && strcmp(name, "replace_text") == 0)
		return is_sound_replacement(lsecond(arguments), lthird(arguments));
	return dps_is_operation(function, list_length(arguments)) || dps_is_listed(name, pure_functions) ||
		dps_is_listed(name, concatenations);
}

static bool
makes_longer(Oid function)
{
	const char *name = dps_builtin_name(function);

	return dps_is_listed(name, concatenations) || dps_is_listed(name, length_functions) ||
		(name != NULL && strcmp(name, "replace_text") == 0);
}

static bool
is_concatenation(Node *node)
{
	if (IsA(node, OpExpr))
		return makes_longer(((OpExpr *) node)->opfuncid);
	return IsA(node, FuncExpr) && makes_longer(((FuncExpr *) node)->funcid);
}

static bool
makes_string(const Node *node)
{
	char		category;
	bool		is_preferred;

	if (!IsA(node, OpExpr) && !IsA(node, FuncExpr) && !IsA(node, CoerceViaIO))
		return false;
	get_type_category_preferred(exprType(node), &category, &is_preferred);
	return category == TYPCATEGORY_STRING || category == TYPCATEGORY_BITSTRING || exprType(node) == BYTEAOID;
}

/* Is the call one that may be attempted?  Its arguments are checked separately. */
static bool
is_pure(Node *node)
{
	if (!dps_can_attempt(node))
		return false;
	switch (nodeTag(node))
	{
		case T_OpExpr:
			return is_pure_function(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->inputcollid, ((OpExpr *) node)->args);
		case T_FuncExpr:
			return is_pure_function(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->inputcollid,
									((FuncExpr *) node)->args);
		case T_CoerceViaIO:
			return dps_is_known_type(exprType(node)) && dps_is_known_type(exprType((Node *) ((CoerceViaIO *) node)->arg));
		default:
			return false;
	}
}

/* A message about a pattern names the pattern, not the operator.  NULL if the function has no pattern. */
static char *
describe_pattern(Oid function)
{
	switch (dps_pattern_kind(dps_builtin_name(function)))
	{
		case DPS_NO_PATTERN:
			return NULL;
		case DPS_LIKE_PATTERN:
		case DPS_FOLDED_PATTERN:
			return pstrdup("LIKE with this pattern");
		default:
			return pstrdup("a regular expression with this pattern");
	}
}

char *
dps_describe_node(Node *node)
{
	char	   *pattern = NULL;

	if (IsA(node, OpExpr))
		pattern = describe_pattern(((OpExpr *) node)->opfuncid);
	else if (IsA(node, FuncExpr))
		pattern = describe_pattern(((FuncExpr *) node)->funcid);
	if (pattern != NULL)
		return pattern;
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return psprintf("operator %s", format_operator(((OpExpr *) node)->opno));
		case T_ScalarArrayOpExpr:
			return psprintf("operator %s over this list", format_operator(((ScalarArrayOpExpr *) node)->opno));
		case T_FuncExpr:
			return psprintf("function %s", format_procedure(((FuncExpr *) node)->funcid));
		case T_SubLink:
			return pstrdup("a subquery");
		case T_Var:
			return pstrdup("a system column or a whole row");
		case T_NullTest:
			return pstrdup("a null test of a row");
		case T_CoerceViaIO:
			return psprintf("a cast to type %s", format_type_be(exprType(node)));
		default:
			return psprintf("an expression of type %s", format_type_be(exprType(node)));
	}
}

typedef struct UnsafeSearch
{
	DpsUnsafe  *unsafe;
	int			concatenations;
	int			strings;
} UnsafeSearch;

static bool
found(UnsafeSearch *search, Node *node, char *what)
{
	search->unsafe->what = what;
	search->unsafe->location = exprLocation(node);
	return true;
}

static bool
unsafe_walker(Node *node, UnsafeSearch *search)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	node = dps_written_out(node);
	if (!dps_never_fails(node) && !is_pure(node))
		return dps_is_plan_constant(node) ? false : found(search, node, dps_describe_node(node));
	if (is_concatenation(node) && ++search->concatenations > MAX_CONCATENATIONS)
		return found(search, node, psprintf("making strings longer more than %d times", MAX_CONCATENATIONS));
	if (makes_string(node) && ++search->strings > MAX_STRINGS)
		return found(search, node, psprintf("making strings more than %d times", MAX_STRINGS));
	return expression_tree_walker(node, unsafe_walker, search);
}

void
dps_find_unsafe(Node *expression, DpsUnsafe *unsafe)
{
	UnsafeSearch search = {unsafe, 0, 0};

	unsafe->what = NULL;
	unsafe->location = -1;
	(void) unsafe_walker(expression, &search);
}
