/*
 * attempt.c
 *		Conditions that the executor evaluates on raw cells, without an error
 *		that a cell could cause.
 *
 * dpsens_internal.exact_attempt(plan, type, arguments ...) calls a function of the server and is NULL where
 * that function raises.  Such an error is caught without a subtransaction.  This is safe because the
 * functions are written in C and only compute: all they can hold when they find an argument out of range is
 * memory or a tuple of a catalog, and both are released.  A function in SQL would run an executor of its
 * own, so it is not called here.
 *
 * Texts that are read as times may name only zones that the server knows (zone_text.h), because the server
 * keeps each zone that it has read.
 *
 * The labels of enums are in the plan (glue/import/enum_labels.h); the server's functions would read its
 * catalogs for each cell.
 *
 * An error that does not depend on the arguments is raised again: a cancel, a shortage of memory, a damaged
 * file.  To make sure that no arguments cause a shortage of memory, the sizes of the arguments are checked
 * before the call and the size of the result after it: strings that are far longer than the cells they are
 * made of are NULL, however many calls made them.  All results of one expression stay in memory until the
 * row is done, so each call has its share of a few MB; what a call allocates beside its result is freed
 * with it.
 *
 * A call costs some 20 ns more than the function alone, an error that is caught 1 to 2 us.
 */
#include "postgres.h"

#include <signal.h>

#include "access/detoast.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "agg/aggregate.h"
#include "base/once.h"
#include "glue/glue.h"
#include "glue/import/builtin.h"
#include "glue/import/comparison.h"
#include "glue/import/enum_labels.h"
#include "glue/version.h"
#include "guard/condition/attempt.h"
#include "guard/condition/enum_cells.h"
#include "guard/condition/pattern.h"
#include "guard/condition/safe.h"
#include "guard/condition/sent_attempt.h"
#include "guard/condition/written.h"
#include "guard/condition/zone_text.h"

DPS_SQL_FUNCTION(dps_exact_attempt);

/* Arguments 0 and 1 are the plan and a NULL of the result's type. */
#define FIRST_ARGUMENT 2

/*
 * The largest total size of the arguments of a call, in bytes.  Each function takes at most some ten times
 * as much memory, and returns at most 8 times as much or as its constant arguments say (safe.c).
 */
#define MAX_ARGUMENTS (INT64_C(16) << 20)

/* The largest length of a result, in bytes, unless an argument is longer.  So no string of a condition is
 * longer, except a prefix of a long cell. */
#define MAX_LENGTH (INT64_C(1) << 20)

/* The total of all results of an expression, in bytes: the calls that make strings or arrays have equal
 * shares of it.  safe.c admits at most MAX_SHARES such calls. */
#define MAX_RESULTS (INT64_C(16) << 20)
#define MAX_SHARES 128

/* Calls whose arguments have more bytes than this, together, run in a memory context of their own. */
#define FEW_BYTES 1024

/* ---- at run time ---- */

/* How the length of the result is bounded before the call. */
typedef enum Growth
{
	DPS_NO_GROWTH,
	DPS_REPLACES,				/* the second argument by the third */
	DPS_REPEATS,				/* the first argument, as many times as the second says */
	DPS_PADS					/* to the second argument's characters */
} Growth;

typedef struct Attempt
{
	FmgrInfo	function;
	FmgrInfo	input;
	Oid			param;
	int			nargs;
	bool		has_input;
	DpsPatternKind pattern;		/* of the second argument, if it must be checked */
	struct varlena *sound;		/* the last pattern that was found to be sound */
	ResourceOwner holds;		/* what a call holds while it runs */
	bool		is_long[FUNC_MAX_ARGS]; /* can the argument be of any length? */
	bool		any_is_long;
	bool		is_result_long;
	int64		longest_result;
	int16		length;			/* of the result's type */
	bool		is_by_value;
	Growth		growth;
	MemoryContext scratch;		/* what the call takes beside its result */
	bool		reads_zones;	/* may the string name time zones? */
	DpsLabelUse use;			/* of the labels */
	const DpsEnumLabels *labels;	/* in the plan */
} Attempt;

/* Do the size and the version of the plan fit? */
static bool
is_whole(const DpsAttempt *plan)
{
	if (VARSIZE(plan) < sizeof(DpsAttempt) || plan->version != DPS_ATTEMPT_VERSION)
		return false;
	if (plan->labels == DPS_NO_LABELS)
		return VARSIZE(plan) == sizeof(DpsAttempt);
	return VARSIZE(plan) > MAXALIGN(sizeof(DpsAttempt)) + sizeof(DpsEnumLabels) &&
		VARSIZE(plan) == MAXALIGN(sizeof(DpsAttempt)) + VARSIZE(DPS_ATTEMPT_LABELS(plan));
}

static const DpsAttempt *
read_plan(FunctionCallInfo fcinfo)
{
	const DpsAttempt *plan;

	if (PG_NARGS() <= FIRST_ARGUMENT || PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function dpsens_internal.exact_attempt can only be called by dpsens")));
	plan = (const DpsAttempt *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	if (!is_whole(plan))
		elog(ERROR, "a plan of another kind or version");
	return plan;
}

/* The expression of the call that the function would see without the attempt; NULL if unknown. */
static Node *
inner_call(FunctionCallInfo fcinfo, Oid function)
{
	FuncExpr   *outer = (FuncExpr *) fcinfo->flinfo->fn_expr;

	if (outer == NULL || !IsA(outer, FuncExpr))
		return NULL;
	return (Node *) makeFuncExpr(function, outer->funcresulttype, list_copy_tail(outer->args, FIRST_ARGUMENT),
								 outer->funccollid, outer->inputcollid, COERCE_EXPLICIT_CALL);
}

/* Finds out which arguments, and whether the result, are of variable length. */
static void
prepare_sizes(FunctionCallInfo fcinfo, Attempt *attempt)
{
	Oid			result = get_fn_expr_rettype(fcinfo->flinfo);
	int			i;

	for (i = 0; i < attempt->nargs; i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, FIRST_ARGUMENT + i);

		attempt->is_long[i] = OidIsValid(type) && get_typlen(type) == -1;
		attempt->any_is_long |= attempt->is_long[i];
	}
	attempt->length = OidIsValid(result) ? get_typlen(result) : -1;
	attempt->is_by_value = OidIsValid(result) && get_typbyval(result);
	attempt->is_result_long = OidIsValid(result) && attempt->length == -1;
	if (attempt->any_is_long)
		attempt->scratch = AllocSetContextCreate(CurrentMemoryContext, "dpsens attempt", ALLOCSET_SMALL_SIZES);
}

/* One that was sent is called with the arguments that it was made for, whoever has got hold of it. */
static void
check_sent(FunctionCallInfo fcinfo, const DpsAttempt *plan)
{
	Oid			types[FUNC_MAX_ARGS];
	int			i;

	if (get_fn_expr_argtype(fcinfo->flinfo, 0) == dps_internal_type("plan"))
		return;
	for (i = FIRST_ARGUMENT; i < PG_NARGS(); i++)
		types[i - FIRST_ARGUMENT] = get_fn_expr_argtype(fcinfo->flinfo, i);
	if (!dps_fits_sent(plan, PG_NARGS() - FIRST_ARGUMENT, types, get_fn_expr_rettype(fcinfo->flinfo)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function dpsens_internal.attempt can only be called by dpsens")));
}

static Attempt *
prepare(FunctionCallInfo fcinfo)
{
	const DpsAttempt *plan = read_plan(fcinfo);
	MemoryContext memory = fcinfo->flinfo->fn_mcxt;
	MemoryContext previous = MemoryContextSwitchTo(memory);
	Attempt    *attempt = palloc0(sizeof(Attempt));

	check_sent(fcinfo, plan);
	attempt->nargs = PG_NARGS() - FIRST_ARGUMENT;
	fmgr_info_cxt(plan->function, &attempt->function, memory);
	fmgr_info_set_expr(inner_call(fcinfo, plan->function), &attempt->function);
	attempt->has_input = OidIsValid(plan->input);
	attempt->param = plan->param;
	attempt->pattern = plan->pattern;
	attempt->reads_zones = plan->reads_zones != 0;
	attempt->use = plan->labels;
	attempt->labels = plan->labels == DPS_NO_LABELS ? NULL : DPS_ATTEMPT_LABELS(plan);
	attempt->longest_result = plan->longest;
	attempt->growth = plan->growth;
	if (attempt->has_input)
		fmgr_info_cxt(plan->input, &attempt->input, memory);
	prepare_sizes(fcinfo, attempt);
	attempt->holds = ResourceOwnerCreate(CurrentResourceOwner, "dpsens attempt");
	MemoryContextSwitchTo(previous);
	fcinfo->flinfo->fn_extra = attempt;
	return attempt;
}

/* Is the pattern sound?  It is mostly the same for all rows, so the last one is remembered.  A public
 * pattern that is not sound was an error before the first row. */
static bool
is_sound(Attempt *attempt, FunctionCallInfo fcinfo, Datum argument)
{
	struct varlena *pattern = PG_DETOAST_DATUM_PACKED(argument);
	Size		size = VARSIZE_ANY(pattern);

	if (attempt->sound != NULL && VARSIZE_ANY(attempt->sound) == size && memcmp(attempt->sound, pattern, size) == 0)
		return true;
	if (!dps_is_sound_pattern(attempt->pattern, pattern, PG_GET_COLLATION()))
		return false;
	if (attempt->sound != NULL)
		pfree(attempt->sound);
	attempt->sound = memcpy(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, size), pattern, size);
	return true;
}

/* The size in memory, header included, without detoasting. */
static int64
size_of(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	return VARATT_IS_4B_U(value) ? (int64) VARSIZE_4B(value) : (int64) toast_raw_datum_size(datum);
}

/* An upper bound of the size of replace(x, from, to): the number of matches is at most the number of places
 * where the first byte of `from` occurs.  Detoasts the first argument in place. */
static int64
replaced_size(NullableDatum *args)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(args[0].value);
	struct varlena *from = PG_DETOAST_DATUM_PACKED(args[1].value);
	int64		size = VARSIZE_ANY_EXHDR(text);
	int64		added = size_of(args[2].value) - VARHDRSZ - VARSIZE_ANY_EXHDR(from);
	const char *at = VARDATA_ANY(text);
	const char *end = at + size;
	int64		places = 0;

	args[0].value = PointerGetDatum(text);
	if (VARSIZE_ANY_EXHDR(from) == 0 || added <= 0)
		return size;
	while ((at = memchr(at, *VARDATA_ANY(from), end - at)) != NULL)
	{
		places++;
		at++;
	}
	return size + places * added;
}

/* The total size of the arguments, and in *longest the largest of their sizes; nothing is detoasted. */
static int64
sum_of_sizes(const Attempt *attempt, const NullableDatum *args, int64 *longest)
{
	int64		sum = 0;
	int			i;

	for (i = 0; attempt->any_is_long && i < attempt->nargs; i++)
	{
		int64		size;

		if (!attempt->is_long[i] || args[i].isnull)
			continue;
		size = size_of(args[i].value);
		*longest = dps_max(*longest, size);
		sum += size;
	}
	return sum;
}

/* The function's result.  For labels of cells the table in the plan is read instead of calling the server's
 * function. */
static Datum
call_function(const Attempt *attempt, FunctionCallInfo inner)
{
	const DpsEnumLabel *label;

	if (attempt->use != DPS_LABEL_PLACE && attempt->use != DPS_LABEL_TEXT)
		return FunctionCallInvoke(inner);
	label = dps_find_enum_label(attempt->labels, DatumGetObjectId(inner->args[0].value));
	inner->isnull = label == NULL;
	if (label == NULL)
		return (Datum) 0;
	return attempt->use == DPS_LABEL_PLACE ? Int32GetDatum(label->place) :
		CStringGetDatum(dps_enum_text(attempt->labels, label));
}

/* The string as a value of the result's type; a text that may name an unknown zone, or is no label, is
 * NULL. */
static Datum
read_string(Attempt *attempt, char *string, bool *isnull)
{
	const DpsEnumLabel *label;

	if (attempt->reads_zones && !dps_names_known_zones(string))
	{
		*isnull = true;
		return (Datum) 0;
	}
	if (attempt->use != DPS_TEXT_LABEL)
		return InputFunctionCall(&attempt->input, string, attempt->param, -1);
	label = dps_find_enum_text(attempt->labels, string);
	*isnull = label == NULL;
	return label == NULL ? (Datum) 0 : ObjectIdGetDatum(label->oid);
}

/* Would the result be longer than `limit`?  The functions are strict, so no argument is NULL. */
static bool
would_be_longer(const Attempt *attempt, NullableDatum *args, int64 limit)
{
	switch (attempt->growth)
	{
		case DPS_REPLACES:
			return replaced_size(args) > limit;
		case DPS_REPEATS:
			return (size_of(args[0].value) - VARHDRSZ) * dps_max(DatumGetInt32(args[1].value), 0) > limit;
		case DPS_PADS:
			return DatumGetInt32(args[1].value) > limit;
		default:
			return false;
	}
}

/* The function itself; a result that is too long is NULL. */
static Datum
invoke(Attempt *attempt, FunctionCallInfo fcinfo, FunctionCallInfo inner, int64 longest)
{
	int64		limit = dps_min(attempt->longest_result, dps_max(longest, MAX_LENGTH));
	Datum		result;

	if (would_be_longer(attempt, inner->args, limit))
		PG_RETURN_NULL();
	if (attempt->pattern != DPS_NO_PATTERN && !is_sound(attempt, fcinfo, inner->args[1].value))
		PG_RETURN_NULL();
	result = call_function(attempt, inner);
	fcinfo->isnull = inner->isnull;
	if (attempt->has_input && !fcinfo->isnull)
		result = read_string(attempt, DatumGetCString(result), &fcinfo->isnull);
	if (attempt->is_result_long && !fcinfo->isnull && size_of(result) > limit)
		PG_RETURN_NULL();
	return result;
}

/* Some functions return one of their arguments unchanged. */
static bool
is_an_argument(const Attempt *attempt, FunctionCallInfo fcinfo, Datum result)
{
	int			i;

	for (i = 0; i < attempt->nargs; i++)
	{
		if (attempt->is_long[i] && !fcinfo->args[FIRST_ARGUMENT + i].isnull && fcinfo->args[FIRST_ARGUMENT + i].value == result)
			return true;
	}
	return false;
}

/* Like invoke(), with all memory freed except the result: detoasted cells and intermediate values. */
static Datum
invoke_apart(Attempt *attempt, FunctionCallInfo fcinfo, FunctionCallInfo inner, int64 longest)
{
	MemoryContext memory = MemoryContextSwitchTo(attempt->scratch);
	Datum		result = invoke(attempt, fcinfo, inner, longest);

	MemoryContextSwitchTo(memory);
	if (!fcinfo->isnull && !attempt->is_by_value && !is_an_argument(attempt, fcinfo, result))
		result = datumCopy(result, false, attempt->length);
	MemoryContextReset(attempt->scratch);
	return result;
}

/* The attempt without the protection against errors: may raise. */
static Datum
call(Attempt *attempt, FunctionCallInfo fcinfo)
{
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
	int64		longest = 0;
	int64		sum;
	int			i;

	InitFunctionCallInfoData(*inner, &attempt->function, attempt->nargs, PG_GET_COLLATION(), NULL, NULL);
	for (i = 0; i < attempt->nargs; i++)
	{
		inner->args[i] = fcinfo->args[FIRST_ARGUMENT + i];
		if (attempt->function.fn_strict && inner->args[i].isnull)
			PG_RETURN_NULL();
	}
	sum = sum_of_sizes(attempt, inner->args, &longest);
	if (sum > MAX_ARGUMENTS)
		PG_RETURN_NULL();
	return sum > FEW_BYTES ? invoke_apart(attempt, fcinfo, inner, longest) : invoke(attempt, fcinfo, inner, longest);
}

/* Does the error depend on the arguments? */
static bool
is_about_arguments(void)
{
	int			category = ERRCODE_TO_CATEGORY(geterrcode());

	/* also elog() of conditions thought impossible, or of too long a string */
	if (geterrcode() == ERRCODE_INTERNAL_ERROR)
		return true;
	return category != ERRCODE_OPERATOR_INTERVENTION && category != ERRCODE_INSUFFICIENT_RESOURCES &&
		category != ERRCODE_SYSTEM_ERROR && category != ERRCODE_INTERNAL_ERROR &&
		geterrcode() != ERRCODE_STATEMENT_TOO_COMPLEX;
}

/*
 * An integer division that the processor refuses is raised by the signal handler of SIGFPE.  The signal is
 * blocked while its handler runs, and stays blocked if the error is caught: the next such division would
 * kill the process.  Before 15.19 money divided by a smallint can cause it.
 */
static void
unblock_arithmetic(void)
{
#ifndef WIN32
	sigset_t	signals;

	if (geterrcode() != ERRCODE_FLOATING_POINT_EXCEPTION)
		return;
	sigemptyset(&signals);
	sigaddset(&signals, SIGFPE);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
#endif
}

/*
 * A function that raises may hold a tuple of a catalog, as that of an enum does where a label is not
 * committed, and the server would warn of each at the end of the transaction: so a call has a resource
 * owner of its own.  Locks are passed to the parent, as after a call that did not raise.
 */
static void
let_go(Attempt *attempt)
{
	ResourceOwner parent = ResourceOwnerGetParent(attempt->holds);

	ResourceOwnerRelease(attempt->holds, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(attempt->holds, RESOURCE_RELEASE_LOCKS, true, false);
	ResourceOwnerRelease(attempt->holds, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(attempt->holds);
	attempt->holds = ResourceOwnerCreate(parent, "dpsens attempt");
}

/* The call, or NULL. */
static Datum
try_call(Attempt *attempt, FunctionCallInfo fcinfo)
{
	MemoryContext memory = CurrentMemoryContext;
	uint32		holdoffs = InterruptHoldoffCount;
	uint32		cancel_holdoffs = QueryCancelHoldoffCount;
	ResourceOwner owner = CurrentResourceOwner;
	volatile Datum result = (Datum) 0;

	CurrentResourceOwner = attempt->holds;
	PG_TRY();
	{
		result = call(attempt, fcinfo);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		CurrentResourceOwner = owner;
		if (!is_about_arguments())
			PG_RE_THROW();
		let_go(attempt);
		/* errfinish() has reset them */
		InterruptHoldoffCount = holdoffs;
		QueryCancelHoldoffCount = cancel_holdoffs;
		unblock_arithmetic();
		MemoryContextSwitchTo(memory);
		FlushErrorState();
		if (attempt->scratch != NULL)
			MemoryContextReset(attempt->scratch);
		fcinfo->isnull = true;
		result = (Datum) 0;
	}
	PG_END_TRY();
	return result;
}

Datum
dps_exact_attempt(PG_FUNCTION_ARGS)
{
	Attempt    *attempt = fcinfo->flinfo->fn_extra;

	return try_call(attempt != NULL ? attempt : prepare(fcinfo), fcinfo);
}

/* ---- when a query is rewritten ---- */

bool
dps_can_attempt(Node *node)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			return dps_is_stable_builtin(((OpExpr *) node)->opfuncid, INTERNALlanguageId);
		case T_FuncExpr:
			{
				FuncExpr   *call = (FuncExpr *) node;

				return call->args != NIL && !call->funcvariadic &&
					list_length(call->args) + FIRST_ARGUMENT <= FUNC_MAX_ARGS && dps_is_stable_builtin(call->funcid, INTERNALlanguageId);
			}
		case T_CoerceViaIO:
			return exprType(node) < FirstNormalObjectId ||
				(type_is_enum(exprType(node)) && !dps_is_enum(exprType((Node *) ((CoerceViaIO *) node)->arg)));
		default:
			return false;
	}
}

typedef struct Attempts
{
	bool		restricted;		/* the role that asks may not read rows */
	List	   *checks;			/* of FuncExpr *: of the patterns that are known
								 * when the statement runs */
	uint32		longest;		/* bytes of one result */
} Attempts;

/* How the call's pattern must be checked once it is known. */
static DpsPatternKind
late_pattern(Oid function, List *args)
{
	DpsPatternKind kind = dps_pattern_kind(dps_builtin_name(function));

	return kind == DPS_NO_PATTERN || dps_is_plan_constant(lsecond(args)) ? DPS_NO_PATTERN : kind;
}

static Oid
attempt_function_oid(void)
{
	Oid			argtypes[3] = {dps_internal_type("plan"), ANYELEMENTOID, ANYOID};

	return dps_internal_function("exact_attempt", 3, argtypes);
}

bool
dps_is_immutable_attempt(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;
	const DpsAttempt *plan;

	if (!IsA(node, FuncExpr) || call->funcid < FirstNormalObjectId || call->funcid != attempt_function_oid())
		return false;
	plan = (const DpsAttempt *) DatumGetPointer(linitial_node(Const, call->args)->constvalue);
	/* labels in the plan can get stale */
	return plan->labels == DPS_NO_LABELS && func_volatile(plan->function) == PROVOLATILE_IMMUTABLE &&
		(!OidIsValid(plan->input) || func_volatile(plan->input) == PROVOLATILE_IMMUTABLE);
}

/* Found when the query is rewritten: at run time the catalog would be read when the function is first
 * called, and whether it is called depends on rows. */
static Growth
growth_of(Oid function, int nargs)
{
	const char *name = dps_builtin_name(function);

	if (name == NULL)
		return DPS_NO_GROWTH;
	if (nargs == 3 && strcmp(name, "replace_text") == 0)
		return DPS_REPLACES;
	if (nargs == 2 && strcmp(name, "repeat") == 0)
		return DPS_REPEATS;
	if (nargs == 3 && (strcmp(name, "lpad") == 0 || strcmp(name, "rpad") == 0))
		return DPS_PADS;
	return DPS_NO_GROWTH;
}

Node *
dps_make_attempt(const DpsAttempt *plan, const DpsEnumLabels *labels, List *args, const DpsResult *result)
{
	Size		size = labels == NULL ? sizeof(DpsAttempt) : MAXALIGN(sizeof(DpsAttempt)) + VARSIZE(labels);
	DpsAttempt *copy = palloc0(size);
	FuncExpr   *call;

	*copy = *plan;
	SET_VARSIZE(copy, size);
	copy->version = DPS_ATTEMPT_VERSION;
	copy->growth = growth_of(plan->function, list_length(args));
	if (labels != NULL)
		memcpy((char *) copy + MAXALIGN(sizeof(DpsAttempt)), labels, VARSIZE(labels));
	args = lcons(makeConst(dps_internal_type("plan"), -1, InvalidOid, -1, PointerGetDatum(copy), false, false),
				 lcons(makeNullConst(result->type, -1, result->collation), args));
	call = makeFuncExpr(attempt_function_oid(), result->type, args,
						result->collation, result->input_collation, COERCE_EXPLICIT_CALL);
	call->location = result->location;
	return (Node *) call;
}

static DpsResult
result_of(Node *original, Oid input_collation)
{
	return (DpsResult) {exprType(original), exprCollation(original), input_collation, exprLocation(original)};
}

/* A cast through text: the output function of one type, the input function of the other. */
static Node *
attempt_conversion(CoerceViaIO *cast, Node *argument, const Attempts *attempts)
{
	Oid			from = getBaseType(exprType(argument));
	DpsAttempt	plan = {0};
	DpsResult	result = result_of((Node *) cast, InvalidOid);
	bool		is_varlena;
	Oid			labels = InvalidOid;

	plan.longest = attempts->longest;
	getTypeOutputInfo(from, &plan.function, &is_varlena);
	getTypeInputInfo(cast->resulttype, &plan.input, &plan.param);
	plan.reads_zones = dps_reads_zones(cast->resulttype);
	if (type_is_enum(from))
	{
		plan.labels = DPS_LABEL_TEXT;
		labels = from;
	}
	else if (type_is_enum(cast->resulttype))
	{
		plan.labels = DPS_TEXT_LABEL;
		labels = cast->resulttype;
	}
	return dps_make_attempt(&plan, OidIsValid(labels) ? dps_read_enum_labels(labels) : NULL, list_make1(argument), &result);
}

static Node *
attempt_function(Oid function, Oid collation, List *args, Node *original, Attempts *attempts)
{
	DpsAttempt	plan = {.function = function, .longest = attempts->longest};
	DpsResult	result = result_of(original, collation);

	plan.pattern = attempts->restricted ? late_pattern(function, args) : DPS_NO_PATTERN;
	/* a public pattern may also be a column of a subquery: then only the check at each row remains */
	if (plan.pattern != DPS_NO_PATTERN && dps_is_public(lsecond(args)))
		attempts->checks = list_append_unique(attempts->checks,
											  dps_pattern_check(plan.pattern, copyObject(lsecond(args)), collation));
	return dps_make_attempt(&plan, NULL, args, &result);
}

/* The array, or NULL if it is too long.  A cast of an array makes as many elements, of up to four times
 * their size, and is not attempted itself. */
static Node *
bounded_array(Node *array, const Attempts *attempts)
{
	DpsAttempt	plan = {.function = F_ARRAY_CAT, .longest = attempts->longest};
	DpsResult	result = result_of(array, InvalidOid);

	return dps_make_attempt(&plan, NULL, list_make2(array, makeNullConst(exprType(array), -1, exprCollation(array))), &result);
}

/* GREATEST of one value is this value, and no index matches it. */
static Node *
hidden_value(Node *value)
{
	MinMaxExpr *result = makeNode(MinMaxExpr);

	result->minmaxtype = exprType(value);
	result->minmaxcollid = result->inputcollid = exprCollation(value);
	result->op = IS_GREATEST;
	result->args = list_make1(value);
	result->location = exprLocation(value);
	return (Node *) result;
}

/* Hides from the planner an operator that does not have the properties of its operator family
 * (glue/import/comparison.c). */
static Node *
without_promises(Node *node)
{
	if (IsA(node, OpExpr) && dps_is_unsteady_comparison(((OpExpr *) node)->opno))
	{
		OpExpr	   *call = (OpExpr *) node;
		FuncExpr   *result = makeFuncExpr(get_opcode(call->opno), call->opresulttype, call->args, call->opcollid,
										  call->inputcollid, COERCE_EXPLICIT_CALL);

		result->location = call->location;
		return (Node *) result;
	}
	if (IsA(node, ScalarArrayOpExpr) && dps_is_unsteady_comparison(((ScalarArrayOpExpr *) node)->opno))
		linitial(((ScalarArrayOpExpr *) node)->args) = hidden_value(linitial(((ScalarArrayOpExpr *) node)->args));
	return node;
}

/* Does the call have a pattern?  LIKE keeps detoasted cells in memory, so it is attempted although it
 * cannot fail.  For a role that may read rows it stays an operator, which can use an index. */
static bool
keeps_cells(Node *node, const Attempts *attempts)
{
	if (!attempts->restricted || !(IsA(node, OpExpr) || IsA(node, FuncExpr)))
		return false;
	return dps_pattern_kind(dps_builtin_name(IsA(node, OpExpr) ? ((OpExpr *) node)->opfuncid : ((FuncExpr *) node)->funcid)) != DPS_NO_PATTERN;
}

static Node *
attempt_mutator(Node *node, Attempts *attempts)
{
	Node	   *copy;

	if (node == NULL)
		return NULL;
	check_stack_depth();
	/* stands for a subquery that is read separately (semijoin.h) */
	if (IsA(node, SubLink) && ((SubLink *) node)->subLinkId > 0)
		return copyObject(node);
	/* any other subquery can contain the row's cells, too */
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, attempt_mutator, attempts, 0);
	node = dps_written_out(node);
	copy = expression_tree_mutator(node, attempt_mutator, attempts);
	if (dps_orders_labels(node) && !dps_is_plan_constant(node))
		return dps_compare_places(copy);
	if (IsA(node, ArrayCoerceExpr) && !dps_is_plan_constant(node))
	{
		((ArrayCoerceExpr *) copy)->arg = (Expr *) bounded_array((Node *) ((ArrayCoerceExpr *) copy)->arg, attempts);
		return copy;
	}
	if ((dps_never_fails(node) && !keeps_cells(node, attempts)) || !dps_can_attempt(node) || dps_is_plan_constant(node))
		return without_promises(copy);
	if (IsA(node, OpExpr))
		return attempt_function(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->inputcollid, ((OpExpr *) copy)->args,
								node, attempts);
	if (IsA(node, FuncExpr))
		return attempt_function(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->inputcollid, ((FuncExpr *) copy)->args,
								node, attempts);
	return attempt_conversion((CoerceViaIO *) node, (Node *) ((CoerceViaIO *) copy)->arg, attempts);
}

/* Counts calls that make strings or arrays, in subqueries as well. */
static bool
count_walker(Node *node, int *calls)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, count_walker, calls, 0);
	node = dps_written_out(node);
	if (dps_can_attempt(node) && exprType(node) != NUMERICOID && get_typlen(exprType(node)) == -1)
		(*calls)++;
	return expression_tree_walker(node, count_walker, calls);
}

static uint32
share_of_results(Node *expression)
{
	int			calls = 0;

	(void) count_walker(expression, &calls);
	return (uint32) (MAX_RESULTS / dps_max(dps_min(calls, MAX_SHARES), 1));
}

Node *
dps_attempt_calls(Node *expression, bool restricted, List **checks)
{
	Attempts	attempts = {restricted, NIL, share_of_results(expression)};
	Node	   *result = attempt_mutator(expression, &attempts);

	*checks = list_concat_unique(*checks, attempts.checks);
	return result;
}
