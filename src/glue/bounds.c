/*
 * bounds.c
 *		Refusals of the core, said in PostgreSQL's way.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "bound/dimension.h"
#include "glue/bounds.h"
#include "glue/glue.h"

/* A longer sub-expression is cut here. */
#define MAX_SHOWN 200

/* What is wrong with an expression at a point. */
typedef enum Fault
{
	FAULT_DIVISION,
	FAULT_UNDEFINED,
	FAULT_RANGE,
	FAULT_JUMP,
	FAULT_UNPROVED
} Fault;

static const struct
{
	const char *what;
	int			sqlstate;
}			faults[] =
{
	[FAULT_DIVISION] = {"division by zero in", ERRCODE_DIVISION_BY_ZERO},
	[FAULT_UNDEFINED] = {"undefined value in", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
	[FAULT_RANGE] = {"value out of range in", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
	[FAULT_JUMP] = {"jump in", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
	[FAULT_UNPROVED] = {"no proof of a finite value in", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
};

/* Undefined exactly where the second argument is 0: a division. */
static bool
divides(const DpsOp *row)
{
	DpsInterval zero = dps_iv(0, 0);
	DpsInterval one = dps_iv(1, 1);

	return row->arity == 2 && row->defined(one, zero) == DPS_UNDEFINED &&
		row->defined(zero, zero) == DPS_UNDEFINED && row->defined(zero, one) == DPS_DEFINED &&
		row->defined(one, dps_iv(-1, -1)) == DPS_DEFINED;
}

static bool
can_jump(const DpsNode *node)
{
	DpsInterval wide = dps_iv(-100, 100);

	return node->nargs > 0 && node->op != DPS_OP_CASE && dps_ops[node->op].jumps(wide, wide, wide);
}

static DpsDomain
point_domain(double x)
{
	if (isnan(x))
		return (DpsDomain) {0, 0, DPS_ALWAYS_NULL, false};
	return (DpsDomain) {x, x, DPS_NEVER_NULL, false};
}

/* What is blamed may be of the moving copy of a column, which comes after all columns
 * in the graph, and last in points. */
static void
fill_box(const DpsGraph *graph, const DpsPoint *point, DpsDomain *box)
{
	int			ncolumns = dps_columns(graph);
	int			j;

	for (j = 0; j < ncolumns; j++)
		box[j] = point_domain(point->x[j]);
	if (graph->nvariables > ncolumns)
		box[ncolumns] = point_domain(point->x[DPS_MAX_VARIABLES]);
}

/* Is the operation undefined for arguments like these? */
static bool
is_undefined(const DpsOp *row, const DpsInstruction *code, const DpsEnclosure *enclosures)
{
	DpsInterval x = enclosures[code->arg[0]].value;
	DpsInterval y = code->nargs > 1 ? enclosures[code->arg[1]].value : x;

	return row->defined(x, y) != DPS_DEFINED;
}

/* Looks at the culprit and its arguments at the point. */
static Fault
find_fault(const DpsGraph *graph, const DpsBracket *bracket)
{
	const DpsNode *culprit = bracket->culprit;
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	const DpsInstruction *code;
	const DpsEnclosure *result;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];

	/* what is undefined is something inside of it */
	if (culprit->op == DPS_OP_CASE && bracket->status == DPS_DOMAIN)
		return FAULT_JUMP;
	if (dps_compile(graph, &culprit, 1, &program) != DPS_OK)
		return FAULT_UNPROVED;
	enclosures = palloc(sizeof(DpsEnclosure) * program->ninstructions);
	fill_box(graph, &bracket->witness, box);
	dps_enclose(program, box, enclosures);
	code = &program->code[dps_program_outputs(program)[0]];
	result = &enclosures[dps_program_outputs(program)[0]];
	if (result->defined != DPS_DEFINED && code->nargs > 0 && code->op != DPS_OP_CASE &&
		is_undefined(&dps_ops[code->op], code, enclosures))
		return divides(&dps_ops[code->op]) ? FAULT_DIVISION : FAULT_UNDEFINED;
	if (result->defined != DPS_DEFINED || !isfinite(result->value.lo) || !isfinite(result->value.hi))
		return FAULT_RANGE;
	return can_jump(culprit) && bracket->status == DPS_DOMAIN ? FAULT_JUMP : FAULT_UNPROVED;
}

/* A value that is only near the fault is not worth all its digits. */
static void
append_number(StringInfo text, double value, bool boolean, bool near)
{
	if (isnan(value))
		appendStringInfoString(text, "NULL");
	else if (boolean)
		appendStringInfoString(text, value == 0 ? "false" : "true");
	else if (near)
		appendStringInfo(text, "%.6g", value);
	else
		appendStringInfoString(text, float8out_internal(value));
}

/* " at a = 1, b = 2" for the columns that the node depends on. */
static void
append_point(StringInfo text, const DpsGraph *graph, const DpsNode *node, bool near,
			 const DpsPoint *point)
{
	const char *separator = " ";
	int			j;

	for (j = 0; j < dps_columns(graph); j++)
	{
		if (!(node->variables & (UINT64_C(1) << j)))
			continue;
		if (separator[0] == ' ')
			appendStringInfoString(text, near ? " near" : " at");
		appendStringInfo(text, "%s%s = ", separator, graph->variables[j].name);
		append_number(text, point->x[j], graph->variables[j].type == DPS_BOOL, near);
		separator = ", ";
	}
}

static void
append_node(StringInfo text, const DpsGraph *graph, const DpsNode *node)
{
	DpsText		sql;

	dps_text_init(&sql, graph->arena);
	if (dps_print_sql(graph, node, &sql) != DPS_OK || sql.failed)
		appendStringInfoString(text, "a long sub-expression");
	else if (sql.length > MAX_SHOWN)
	{
		/* names are multibyte, so cut where a character ends */
		appendBinaryStringInfo(text, sql.data, pg_mbcliplen(sql.data, sql.length, MAX_SHOWN));
		appendStringInfoString(text, "...");
	}
	else
		appendStringInfoString(text, sql.data);
}

char *
dps_bracket_note(const DpsGraph *graph, const DpsBracket *bracket)
{
	StringInfoData text;
	Fault		fault;

	if (bracket->status == DPS_OK)
		return NULL;
	if (bracket->culprit == NULL)
		return pstrdup("no finite bound was found");
	fault = find_fault(graph, bracket);
	initStringInfo(&text);
	appendStringInfo(&text, "%s ", faults[fault].what);
	append_node(&text, graph, bracket->culprit);
	append_point(&text, graph, bracket->culprit, bracket->status != DPS_DOMAIN || fault == FAULT_JUMP,
				 &bracket->witness);
	return text.data;
}

int
dps_bracket_sqlstate(const DpsGraph *graph, const DpsBracket *bracket)
{
	if (bracket->status == DPS_OK || bracket->culprit == NULL)
		return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
	return faults[find_fault(graph, bracket)].sqlstate;
}

/* The column's name without SQL's quotes. */
char *
dps_variable_key(const DpsGraph *graph, int variable)
{
	const char *c = graph->variables[variable].name;
	StringInfoData key;

	if (c[0] != '"')
		return pstrdup(c);
	initStringInfo(&key);
	for (c++; *c != '\0'; c++)
	{
		/* a quote inside is doubled, the last one ends the name */
		if (*c == '"' && *++c != '"')
			break;
		appendStringInfoChar(&key, *c);
	}
	return key.data;
}

/* Numeric through text: the shortest digits that are the same double. */
static void
set_number(JsonbValue *result, double value)
{
	result->type = jbvNumeric;
	result->val.numeric = DatumGetNumeric(DirectFunctionCall3(numeric_in,
															  CStringGetDatum(float8out_internal(value)),
															  ObjectIdGetDatum(InvalidOid),
															  Int32GetDatum(-1)));
}

Jsonb *
dps_point_to_jsonb(const DpsGraph *graph, const DpsPoint *point)
{
	JsonbParseState *state = NULL;
	JsonbValue *object;
	int			j;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (j = 0; j < dps_columns(graph); j++)
	{
		JsonbValue	key;
		JsonbValue	value;

		key.type = jbvString;
		key.val.string.val = dps_variable_key(graph, j);
		key.val.string.len = strlen(key.val.string.val);
		value.type = jbvNull;
		if (!isnan(point->x[j]) && graph->variables[j].type == DPS_BOOL)
		{
			value.type = jbvBool;
			value.val.boolean = point->x[j] != 0;
		}
		else if (!isnan(point->x[j]))
			set_number(&value, point->x[j]);
		pushJsonbValue(&state, WJB_KEY, &key);
		pushJsonbValue(&state, WJB_VALUE, &value);
	}
	object = pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	return JsonbValueToJsonb(object);
}

void
dps_refuse_bracket(const DpsGraph *graph, const DpsBracket *bracket, const char *what, int position)
{
	char	   *note = dps_bracket_note(graph, bracket);

	if (note == NULL)
		return;
	note[0] = toupper((unsigned char) note[0]);
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s has no finite bound", what),
			 errdetail("%s.", note),
			 errhint("Narrow the ranges of the columns, or rewrite the expression so that it is defined on all of them."),
			 position > 0 ? errposition(position) : 0));
}
