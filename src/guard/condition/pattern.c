/*
 * pattern.c
 *		Patterns that a condition matches cells against.
 *
 * LIKE fails if matching reaches an escape character at the pattern's end, and recurses at each %.
 *
 * Whether a regular expression compiles does not depend on cells.  Matching uses the automaton alone, since
 * nobody asks which part of a cell a subexpression matched: each character of the cell is read once, and
 * the states that it can lead to are kept in a table whose size is that of the compiled pattern (regexec.c,
 * "find" without substrings).  Constructs that need more are not sound: back references, which try all ways
 * to divide a cell, and look-ahead or look-behind constraints, which at each character read the rest of the
 * cell.  Word boundaries read one character.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "regex/regex.h"
#include "regex/regexport.h"

#include "agg/aggregate.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "guard/condition/pattern.h"

DPS_SQL_FUNCTION(dps_exact_parameter);
DPS_SQL_FUNCTION(dps_exact_pattern);

/* Matching LIKE recurses at each %; this is far from any limit. */
#define MAX_PATTERN 200

/* Limits of an automaton: states, and states times colours.  Its table has at most twice as many rows as
 * states, each with 24 bytes for each colour (class of characters), beside a bit for each pair of states. */
#define MAX_STATES 2000
#define MAX_CELLS 100000

static const struct
{
	const char *name;
	DpsPatternKind kind;
}			functions[] =
{
	{"textlike", DPS_LIKE_PATTERN}, {"textnlike", DPS_LIKE_PATTERN},
	{"namelike", DPS_LIKE_PATTERN}, {"namenlike", DPS_LIKE_PATTERN},
	{"bytealike", DPS_LIKE_PATTERN}, {"byteanlike", DPS_LIKE_PATTERN},
	{"texticlike", DPS_FOLDED_PATTERN}, {"texticnlike", DPS_FOLDED_PATTERN},
	{"nameiclike", DPS_FOLDED_PATTERN}, {"nameicnlike", DPS_FOLDED_PATTERN},
	{"textregexeq", DPS_REGEX_PATTERN}, {"textregexne", DPS_REGEX_PATTERN},
	{"nameregexeq", DPS_REGEX_PATTERN}, {"nameregexne", DPS_REGEX_PATTERN},
	{"regexp_like_no_flags", DPS_REGEX_PATTERN},
	/* checked by the automaton of case-insensitive matching */
	{"regexp_like", DPS_FOLDED_REGEX_PATTERN},
	{"texticregexeq", DPS_FOLDED_REGEX_PATTERN}, {"texticregexne", DPS_FOLDED_REGEX_PATTERN},
	{"nameicregexeq", DPS_FOLDED_REGEX_PATTERN}, {"nameicregexne", DPS_FOLDED_REGEX_PATTERN}
};

DpsPatternKind
dps_pattern_kind(const char *name)
{
	Size		i;

	for (i = 0; name != NULL && i < lengthof(functions); i++)
	{
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].kind;
	}
	return DPS_NO_PATTERN;
}

/* ---- soundness ---- */

/* Does the last character escape nothing? */
static bool
ends_in_escape(const char *text, int length)
{
	int			i;

	for (i = 0; i < length; i++)
	{
		if (text[i] == '\\' && ++i == length)
			return true;
	}
	return false;
}

/*
 * Checks the text: every construct that needs back references or look-around begins with one of these, as
 * do options and another syntax.  The same characters in brackets are harmless, but refused as well.
 */
static bool
is_plain_regex(const char *text, int length)
{
	int			i;

	if (length >= 3 && strncmp(text, "***", 3) == 0)
		return false;
	for (i = 0; i + 1 < length; i++)
	{
		if (text[i] == '(' && text[i + 1] == '?' && (i + 2 == length || text[i + 2] != ':'))
			return false;
		if (text[i] != '\\')
			continue;
		i++;
		if (text[i] >= '0' && text[i] <= '9')
			return false;
	}
	return true;
}

/* Checks the size of the automaton; afterwards it is in the server's cache. */
static bool
is_small_regex(DpsPatternKind kind, text *pattern, Oid collation)
{
	int			flags = REG_ADVANCED | REG_NOSUB | (kind == DPS_FOLDED_REGEX_PATTERN ? REG_ICASE : 0);
	regex_t    *regex = RE_compile_and_cache(pattern, flags, collation);
	int64		states = pg_reg_getnumstates(regex);

	return states <= MAX_STATES && states * pg_reg_getnumcolors(regex) <= MAX_CELLS;
}

bool
dps_is_sound_pattern(DpsPatternKind kind, struct varlena *pattern, Oid collation)
{
	const char *text = VARDATA_ANY(pattern);
	int			length = VARSIZE_ANY_EXHDR(pattern);

	if (length > MAX_PATTERN)
		return false;
	if (kind == DPS_LIKE_PATTERN || kind == DPS_FOLDED_PATTERN)
		return !ends_in_escape(text, length);
	return is_plain_regex(text, length) && is_small_regex(kind, pattern, collation);
}

/* Raises an error if the pattern is not sound. */
static void
check_pattern(DpsPatternKind kind, struct varlena *pattern, Oid collation)
{
	if (dps_is_sound_pattern(kind, pattern, collation))
		return;
	if (kind == DPS_LIKE_PATTERN || kind == DPS_FOLDED_PATTERN)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this LIKE pattern is not supported for a role without SELECT privilege"),
				 errhint("Use at most %d bytes, and no escape character at the end.", MAX_PATTERN)));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("this regular expression is not supported for a role without SELECT privilege"),
			 errhint("Use at most %d bytes, no back references, look-around or options, and small repetition counts.",
					 MAX_PATTERN)));
}

/* ---- when the statement begins ---- */

Oid
dps_pattern_check_function(void)
{
	Oid			argtypes[2] = {TEXTOID, INT4OID};

	return dps_internal_function("exact_pattern", 2, argtypes);
}

FuncExpr *
dps_pattern_check(DpsPatternKind kind, Node *pattern, Oid collation)
{
	Const	   *number = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(kind), false, true);

	return makeFuncExpr(dps_pattern_check_function(), BOOLOID, list_make2(pattern, number), InvalidOid, collation,
						COERCE_EXPLICIT_CALL);
}

/* exact_parameter("any"): true.  Its arguments are checked before rows are read (hooks.c). */
Datum
dps_exact_parameter(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

/* exact_pattern(pattern text, kind int4): true, or an error. */
Datum
dps_exact_pattern(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(0))
		check_pattern((DpsPatternKind) PG_GETARG_INT32(1), PG_GETARG_VARLENA_PP(0), PG_GET_COLLATION());
	PG_RETURN_BOOL(true);
}
