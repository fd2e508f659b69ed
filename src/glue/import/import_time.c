/*
 * import_time.c
 *		Dates, timestamps and intervals in row expressions: numbers of seconds.
 *
 * A column of such a type is a variable in seconds, clamped into its declared
 * range like any other; an infinite date becomes an end of the range, and nothing
 * here can fail on a row.  Where the server computes a result, the graph computes the
 * same one:
 *
 * - A date is midnight of its day, so dates and timestamps have one scale, on which
 *	 days are 86400 seconds.  That holds for timestamptz except where days are counted:
 *	 sums with days, and casts, depend on the session's time zone, and are refused.
 *	 AT TIME ZONE 'UTC' keeps the number of seconds; its result has fields such as the
 *	 year.
 * - The difference of two timestamps is an interval of days and a time, whose epoch
 *	 is the difference of the seconds.  Constant intervals are accepted if they consist
 *	 of such parts; months have no fixed length.
 * - The difference of two dates is an integer number of days: both are multiples
 *	 of 86400, as are the ends of their ranges, and the quotient is exact.
 * - The year, month and so on of a column are step functions.  The range is known and has
 *	 a limited number of steps, so the graph is a balanced tree of comparisons.  Its
 *	 enclosure is the hull of the values that can be reached.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "glue/glue.h"
#include "glue/import/cell.h"
#include "glue/import/import_time.h"
#include "glue/compat.h"
#include "glue/import/relabel.h"
#include "num/whole.h"

#define DAY_SECONDS ((double) SECS_PER_DAY)

/* The most steps of a range: about 200 years of months. */
#define MAX_STEPS 2412

bool
dps_is_time_type(Oid type)
{
	return dps_type_has_epoch(type) || getBaseType(type) == INTERVALOID;
}

pg_noreturn static void
refuse(DpsImport *import, Node *node, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported in a row expression", what),
			 errhint("%s", hint),
			 dps_import_position(import, exprLocation(node))));
	pg_unreachable();
}

static const char *const zone_hint = "It depends on the session's time zone or on the length of months.  Subtract instead of age(); use timestamp columns, dates, "
	"extract(epoch from ...), or intervals of days and hours.";

/* ---- nodes ---- */

static const DpsNode *
built(const DpsNode *node)
{
	if (node == NULL)
		dps_check_status(DPS_NOMEM);
	return node;
}

static const DpsNode *
number(DpsImport *import, double value)
{
	return built(dps_constant(import->graph, DPS_NUMERIC, value));
}

static const DpsNode *
apply(DpsImport *import, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	return built(dps_apply(import->graph, op, DPS_NUMERIC, x, y));
}

static const DpsNode *
cast(DpsImport *import, const DpsNode *node, DpsType type)
{
	return node->type == type ? node : built(dps_apply(import->graph, DPS_OP_CAST, type, node, NULL));
}

/* The greatest multiple of the unit that is not greater. */
static const DpsNode *
floor_to(DpsImport *import, const DpsNode *x, double unit)
{
	return apply(import, DPS_OP_MUL, apply(import, DPS_OP_FLOOR, apply(import, DPS_OP_DIV, x, number(import, unit)), NULL),
				 number(import, unit));
}

/* ---- seconds ---- */

static bool
is_leaf(Node *node)
{
	return IsA(node, Var) || IsA(node, Param) || IsA(node, FieldSelect);
}

/* The seconds of a constant, NaN for NULL; false if they depend on a calendar or are
 * infinite. */
static bool
constant_seconds(const Const *constant, double *seconds)
{
	Oid			type = getBaseType(constant->consttype);
	const Interval *interval;

	if (constant->constisnull)
	{
		*seconds = NAN;
		return true;
	}
	if (type != INTERVALOID)
	{
		*seconds = dps_read_cell(type, constant->constvalue);
		return isfinite(*seconds);
	}
	interval = DatumGetIntervalP(constant->constvalue);
	*seconds = interval->day * DAY_SECONDS + (double) interval->time / USECS_PER_SEC;
	return interval->month == 0;
}

/* Is it a constant interval without days?  With a time zone, these are not always 24
 * hours. */
static bool
is_without_days(Node *node)
{
	const Const *constant = (const Const *) dps_strip_relabel(node);

	return IsA(constant, Const) &&
		(constant->constisnull || DatumGetIntervalP(constant->constvalue)->day == 0);
}

typedef enum TimeOperation
{
	TIME_SAME,					/* x */
	TIME_ADD,					/* x + y */
	TIME_SUBTRACT,				/* x - y */
	TIME_NEGATE,				/* -x */
	TIME_ADD_DAYS,				/* x + y days */
	TIME_SUBTRACT_DAYS,			/* x - y days */
	TIME_FLOOR,					/* the day of x */
	TIME_TRUNCATE,				/* y, to unit x */
	TIME_AT_ZONE				/* y AT TIME ZONE x */
} TimeOperation;

/* By pg_proc.prosrc. */
static const struct
{
	const char *name;
	TimeOperation operation;
	bool		adds_days;		/* adds an interval to a timestamptz */
}			operations[] =
{
	{"date_timestamp", TIME_SAME, false},
	{"timestamp_date", TIME_FLOOR, false},
	{"date_pli", TIME_ADD_DAYS, false},
	{"date_mii", TIME_SUBTRACT_DAYS, false},
	{"date_pl_interval", TIME_ADD, false},
	{"date_mi_interval", TIME_SUBTRACT, false},
	{"timestamp_pl_interval", TIME_ADD, false},
	{"timestamp_mi_interval", TIME_SUBTRACT, false},
	{"timestamptz_pl_interval", TIME_ADD, true},
	{"timestamptz_mi_interval", TIME_SUBTRACT, true},
	{"timestamp_mi", TIME_SUBTRACT, false},
	{"interval_pl", TIME_ADD, false},
	{"interval_mi", TIME_SUBTRACT, false},
	{"interval_um", TIME_NEGATE, false},
	{"timestamp_trunc", TIME_TRUNCATE, false},
	{"timestamptz_zone", TIME_AT_ZONE, false},
	{"timestamp_zone", TIME_AT_ZONE, false}
};

/* The index in `operations`, or -1; sets *args for a call. */
static int
find_operation(Node *node, List **args)
{
	const char *name = NULL;
	int			i;

	if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		name = dps_builtin_name(((OpExpr *) node)->opfuncid);
		*args = ((OpExpr *) node)->args;
	}
	else if (IsA(node, FuncExpr))
	{
		name = dps_builtin_name(((FuncExpr *) node)->funcid);
		*args = ((FuncExpr *) node)->args;
	}
	for (i = 0; name != NULL && i < (int) lengthof(operations); i++)
	{
		if (strcmp(operations[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* A constant text in lower case, or NULL. */
static char *
constant_text(Node *node)
{
	const Const *constant = (const Const *) dps_strip_relabel(node);

	if (!IsA(constant, Const) || constant->constisnull || constant->consttype != TEXTOID)
		return NULL;
	return asc_tolower(TextDatumGetCString(constant->constvalue), VARSIZE_ANY_EXHDR(DatumGetPointer(constant->constvalue)));
}

static const DpsNode *
truncate_seconds(DpsImport *import, Node *node, List *args)
{
	const char *unit = constant_text(linitial(args));
	const DpsNode *x = dps_import_seconds(import, lsecond(args));

	if (unit != NULL && strcmp(unit, "second") == 0)
		return floor_to(import, x, 1);
	if (unit != NULL && strcmp(unit, "minute") == 0)
		return floor_to(import, x, SECS_PER_MINUTE);
	if (unit != NULL && strcmp(unit, "hour") == 0)
		return floor_to(import, x, SECS_PER_HOUR);
	if (unit != NULL && strcmp(unit, "day") == 0)
		return floor_to(import, x, DAY_SECONDS);
	/* 1970 began on a Thursday, a week begins on Monday */
	if (unit != NULL && strcmp(unit, "week") == 0)
		return apply(import, DPS_OP_SUB, floor_to(import, apply(import, DPS_OP_ADD, x, number(import, 3 * DAY_SECONDS)), 7 * DAY_SECONDS),
					 number(import, 3 * DAY_SECONDS));
	refuse(import, node, "date_trunc() to anything but second, minute, hour, day and week is",
		   "The year, quarter and month of a column are given by extract().");
}

/* Is it UTC, in which a timestamptz is stored? */
static bool
is_universal_time(Node *zone)
{
	const char *name = constant_text(zone);

	return name != NULL && (strcmp(name, "utc") == 0 || strcmp(name, "etc/utc") == 0 || strcmp(name, "gmt") == 0);
}

static const DpsNode *
import_operation(DpsImport *import, Node *node, int row, List *args)
{
	const DpsNode *x;

	if (operations[row].operation == TIME_AT_ZONE)
	{
		if (!is_universal_time(linitial(args)))
			refuse(import, node, "AT TIME ZONE with anything but 'UTC' is",
				   "The clocks of other zones jump, so that their fields are no steps of a column's range.");
		return dps_import_seconds(import, lsecond(args));
	}
	if (operations[row].operation == TIME_TRUNCATE)
		return truncate_seconds(import, node, args);
	if (operations[row].adds_days && !is_without_days(lsecond(args)))
		refuse(import, node, "adding days to a timestamp with time zone is", zone_hint);
	x = dps_import_seconds(import, linitial(args));
	switch (operations[row].operation)
	{
		case TIME_ADD:
			return apply(import, DPS_OP_ADD, x, dps_import_seconds(import, lsecond(args)));
		case TIME_SUBTRACT:
			return apply(import, DPS_OP_SUB, x, dps_import_seconds(import, lsecond(args)));
		case TIME_ADD_DAYS:
		case TIME_SUBTRACT_DAYS:
			return apply(import, operations[row].operation == TIME_ADD_DAYS ? DPS_OP_ADD : DPS_OP_SUB, x,
						 apply(import, DPS_OP_MUL, cast(import, dps_import(import, lsecond(args)), DPS_NUMERIC),
							   number(import, DAY_SECONDS)));
		case TIME_NEGATE:
			return apply(import, DPS_OP_NEG, x, NULL);
		case TIME_FLOOR:
			return floor_to(import, x, DAY_SECONDS);
		default:
			return x;
	}
}

const DpsNode *
dps_import_seconds(DpsImport *import, Node *expression)
{
	Node	   *node = dps_strip_relabel(expression);
	List	   *args = NIL;
	double		seconds;
	int			row;

	if (is_leaf(node) && getBaseType(exprType(node)) == INTERVALOID)
		refuse(import, node, "an interval that may have months is",
			   "Use its extract(epoch from ...), or a difference of timestamps.");
	if (is_leaf(node))
		return built(dps_variable(import->graph, import->resolve(import, node, true)));
	if (IsA(node, Const))
	{
		if (!constant_seconds((Const *) node, &seconds))
			refuse(import, node, "an infinite date, or an interval of months, is", zone_hint);
		return number(import, seconds);
	}
	if (IsA(node, SubLink))
		refuse(import, node, "a subquery is", "Join its relation; or group by the privacy unit in a subquery in FROM, and join that.");
	if (IsA(node, CaseExpr) || IsA(node, CoalesceExpr) || IsA(node, MinMaxExpr))
		return dps_import_choice(import, node);
	row = find_operation(node, &args);
	if (row < 0 && contain_mutable_functions(node) && !contain_var_clause(node))
		refuse(import, node, "a moment that the clock or the session's time zone decides is",
			   "Bounds are proved when the query is planned: write the date itself, as in date '2024-01-01' - born.  In WHERE it can be used.");
	if (row < 0)
		refuse(import, node, psprintf("this operation of type %s is", format_type_be(exprType(node))), zone_hint);
	return import_operation(import, node, row, args);
}

/* ---- extract ---- */

/* A hint what to write instead. */
static const char *
field_hint(Oid type)
{
	if (type == INTERVALOID)
		return "Use extract(epoch FROM ...) of a difference, or its extract(day ...); the years from one date to another are about (d2 - d1) / 365.25.";
	if (type == TIMESTAMPTZOID)
		return "Its fields depend on the session's time zone: use extract(... FROM x AT TIME ZONE 'UTC'), or epoch.";
	return "Use epoch; or of a date or timestamp column year, quarter, month, day, doy, dow and isodow, and of a timestamp hour, minute and second.";
}


/* A field that is a step function: of months, or with a period. */
typedef struct Field
{
	const char *name;
	int			months;			/* between two steps; 0 for a periodic field */
	double		period;			/* of a periodic field, in seconds */
	double		unit;			/* the value is the time within the period in this
								 * unit, rounded down; 0: in seconds, not rounded */
	double		shift;			/* seconds from the beginning of a period to 1970 */
	int			first;			/* the smallest value */
	int			last;			/* of a field that counts days from a step on: the
								 * greatest value; else 0 */
	bool		of_time;		/* dates have no such field */
} Field;

static const Field fields[] = {
	{"year", 12, 0, 0, 0, 0, 0, false},
	{"quarter", 3, 0, 0, 0, 0, 0, false},
	{"month", 1, 0, 0, 0, 0, 0, false},
	{"doy", 12, 0, 0, 0, 1, 366, false},
	{"day", 1, 0, 0, 0, 1, 31, false},
	{"dow", 0, 7 * 86400.0, 86400, 4 * 86400.0, 0, 0, false},
	{"isodow", 0, 7 * 86400.0, 86400, 3 * 86400.0, 1, 0, false},
	{"hour", 0, 86400, 3600, 0, 0, 0, true},
	{"minute", 0, 3600, 60, 0, 0, 0, true},
	{"second", 0, 60, 0, 0, 0, 0, true}
};

/* The beginning of a month, which is counted from January of year 0. */
static double
month_begins(int month)
{
	return (date2j(month / 12, month % 12 + 1, 1) - UNIX_EPOCH_JDATE) * DAY_SECONDS;
}

static int
month_of(double seconds)
{
	int			year;
	int			month;
	int			day;

	j2date(dps_to_int32(floor(seconds / DAY_SECONDS)) + UNIX_EPOCH_JDATE, &year, &month, &day);
	return year * 12 + month - 1;
}

/* The value of the field from the beginning of this month to the next step. */
static const DpsNode *
step_value(DpsImport *import, const Field *field, const DpsNode *x, int month)
{
	const DpsNode *days;

	if (field->last == 0)
		return number(import, field->months == 12 ? month / 12 : month % 12 / field->months + 1);
	days = apply(import, DPS_OP_FLOOR,
				 apply(import, DPS_OP_DIV, apply(import, DPS_OP_SUB, x, number(import, month_begins(month))), number(import, DAY_SECONDS)), NULL);
	days = apply(import, DPS_OP_ADD, days, number(import, 1));
	return apply(import, DPS_OP_LEAST, apply(import, DPS_OP_GREATEST, days, number(import, 1)), number(import, field->last));
}

/* The tree of n steps, field->months apart, of which the first is at month `first`. */
static const DpsNode *
step_tree(DpsImport *import, const Field *field, const DpsNode *x, int first, int n)
{
	int			left = n / 2;
	int			middle = first + left * field->months;

	if (n == 1)
		return step_value(import, field, x, first);
	return built(dps_choose(import->graph,
							built(dps_apply(import->graph, DPS_OP_LT, DPS_BOOL, x, number(import, month_begins(middle)))),
							step_tree(import, field, x, first, left),
							step_tree(import, field, x, middle, n - left)));
}

/* The value, or NULL if x is NULL: CASE treats a NULL condition as false. */
static const DpsNode *
unless_null(DpsImport *import, const DpsNode *x, const DpsNode *value)
{
	if (!x->nullable)
		return value;
	return built(dps_choose(import->graph, built(dps_apply(import->graph, DPS_OP_IS_NULL, DPS_BOOL, x, NULL)),
							number(import, NAN), value));
}

static const DpsNode *
import_steps(DpsImport *import, Node *node, const Field *field, const DpsNode *x, double lo, double hi)
{
	int			first = month_of(lo) / field->months * field->months;
	int			n = (month_of(hi) - first) / field->months + 1;

	if (n > MAX_STEPS)
		refuse(import, node, psprintf("extract(%s ...) of a column of so long a range is", field->name), "Declare a shorter range.");
	return unless_null(import, x, step_tree(import, field, x, first, n));
}

static const DpsNode *
import_periodic(DpsImport *import, const Field *field, const DpsNode *x, double lo)
{
	/* remainders have the sign of the dividend, so the shift makes x positive */
	double		shift = field->shift + (lo < 0 ? ceil(-lo / field->period) * field->period : 0);
	const DpsNode *within = apply(import, DPS_OP_MOD, apply(import, DPS_OP_ADD, x, number(import, shift)), number(import, field->period));

	if (field->unit == 0)
		return within;
	within = apply(import, DPS_OP_FLOOR, apply(import, DPS_OP_DIV, within, number(import, field->unit)), NULL);
	/* an enclosure of the remainder contains the period itself; LEAST ignores NULL, so
	 * unless_null is needed below */
	within = apply(import, DPS_OP_LEAST, within, number(import, field->period / field->unit - 1));
	return unless_null(import, x, apply(import, DPS_OP_ADD, within, number(import, field->first)));
}

/* The operand of AT TIME ZONE 'UTC', or the node itself. */
static Node *
strip_zone(Node *node)
{
	List	   *args = NIL;
	int			row = find_operation(dps_strip_relabel(node), &args);

	if (row < 0 || operations[row].operation != TIME_AT_ZONE || !is_universal_time(linitial(args)))
		return node;
	return dps_strip_relabel(lsecond(args));
}

static const DpsNode *
import_field(DpsImport *import, Node *node, const char *name, Node *source)
{
	Oid			type = getBaseType(exprType(source));
	Node	   *leaf = strip_zone(dps_strip_relabel(source));
	const Field *field = NULL;
	const DpsNode *x = NULL;
	double		lo;
	double		hi;
	int			i;

	for (i = 0; i < (int) lengthof(fields) && name != NULL; i++)
	{
		if (strcmp(fields[i].name, name) == 0)
			field = &fields[i];
	}
	if (field == NULL || (type != DATEOID && type != TIMESTAMPOID) || (field->of_time && type == DATEOID))
		refuse(import, node, "this field of extract() is", field_hint(type));
	/* raises an error if the column has no range */
	if (is_leaf(leaf))
		x = dps_import_seconds(import, leaf);
	if (x == NULL || import->range == NULL || !import->range(import, leaf, &lo, &hi))
		refuse(import, node, psprintf("extract(%s ...) of anything but a column is", name), "Its steps follow from the column's declared range.");
	return field->months > 0 ? import_steps(import, node, field, x, lo, hi) : import_periodic(import, field, x, lo);
}

/* The whole days of a difference of timestamps, which has days and hours but no months;
 * NULL for any other expression. */
static const DpsNode *
import_whole_days(DpsImport *import, Node *difference)
{
	List	   *args = NIL;
	int			row = find_operation(difference, &args);

	if (row < 0 || strcmp(operations[row].name, "timestamp_mi") != 0)
		return NULL;
	return apply(import, DPS_OP_TRUNC, apply(import, DPS_OP_DIV, dps_import_seconds(import, difference), number(import, DAY_SECONDS)), NULL);
}

static const DpsNode *
import_extract(DpsImport *import, Node *node, List *args, DpsType type)
{
	const char *name = constant_text(linitial(args));
	Node	   *leaf = dps_strip_relabel(lsecond(args));
	const DpsNode *days = NULL;

	if (name != NULL && strcmp(name, "epoch") == 0 && is_leaf(leaf))
		return cast(import, built(dps_variable(import->graph, import->resolve(import, leaf, true))), type);
	if (name != NULL && strcmp(name, "epoch") == 0)
		return cast(import, dps_import_seconds(import, leaf), type);
	if (name != NULL && strcmp(name, "day") == 0)
		days = import_whole_days(import, leaf);
	if (days != NULL)
		return cast(import, days, type);
	return cast(import, import_field(import, node, name, lsecond(args)), type);
}

/* ---- differences and comparisons ---- */

static const DpsNode *
import_days(DpsImport *import, List *args)
{
	const DpsNode *seconds = apply(import, DPS_OP_SUB, dps_import_seconds(import, linitial(args)),
								   dps_import_seconds(import, lsecond(args)));

	return cast(import, apply(import, DPS_OP_DIV, seconds, number(import, DAY_SECONDS)), DPS_INT4);
}

/* Does it consist of columns with ranges, constants and operations of the table?  Then
 * dps_import_seconds is called; it may still refuse it, as date_trunc() to months. */
static bool
has_seconds(DpsImport *import, Node *node)
{
	List	   *args = NIL;
	int			row;
	double		lo;
	double		hi;

	node = dps_strip_relabel(node);
	if (is_leaf(node))
		return getBaseType(exprType(node)) != INTERVALOID &&
			(import->range == NULL || import->range(import, node, &lo, &hi));
	if (IsA(node, Const))
		return constant_seconds((Const *) node, &lo);
	/* operations on such operands */
	row = find_operation(node, &args);
	if (row < 0 || (operations[row].operation == TIME_AT_ZONE && !is_universal_time(linitial(args))))
		return false;
	if (dps_is_time_type(exprType(linitial(args))) && !has_seconds(import, linitial(args)))
		return false;
	return list_length(args) != 2 || !dps_is_time_type(exprType(lsecond(args))) || has_seconds(import, lsecond(args));
}

/* The comparison with this builtin name, such as timestamp_ge_date, or DPS_OP_COUNT; so
 * for comparisons that depend on a time zone. */
static DpsOpcode
comparison(const char *name)
{
	static const struct
	{
		const char *word;
		DpsOpcode	op;
	}			words[] = {
		{"eq", DPS_OP_EQ}, {"ne", DPS_OP_NE}, {"lt", DPS_OP_LT}, {"le", DPS_OP_LE}, {"gt", DPS_OP_GT}, {"ge", DPS_OP_GE}
	};
	static const char *const forms[] = {
		"date_%s", "timestamp_%s", "interval_%s", "date_%s_timestamp", "timestamp_%s_date"
	};
	int			i;
	int			j;

	for (i = 0; i < (int) lengthof(words); i++)
	{
		for (j = 0; j < (int) lengthof(forms); j++)
		{
			char		known[32];

			snprintf(known, sizeof(known), forms[j], words[i].word);
			if (strcmp(known, name) == 0)
				return words[i].op;
		}
	}
	return DPS_OP_COUNT;
}

bool
dps_compares_times(Oid function)
{
	const char *name = dps_builtin_name(function);

	return name != NULL && comparison(name) != DPS_OP_COUNT;
}

const DpsNode *
dps_import_time_call(DpsImport *import, const char *name, Node *node, List *args, DpsType type)
{
	DpsOpcode	op;

	if (strncmp(name, "extract_", 8) == 0 || (strlen(name) > 5 && strcmp(name + strlen(name) - 5, "_part") == 0))
		return import_extract(import, node, args, type);
	if (strcmp(name, "date_mi") == 0)
		return import_days(import, args);
	op = comparison(name);
	if (op == DPS_OP_COUNT || !has_seconds(import, linitial(args)) || !has_seconds(import, lsecond(args)))
		return NULL;
	return built(dps_apply(import->graph, op, DPS_BOOL, dps_import_seconds(import, linitial(args)),
						   dps_import_seconds(import, lsecond(args))));
}
