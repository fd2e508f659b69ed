/*
 * change.c
 *		The record of acts that alter what may be revealed: budgets, policies, caps of rows,
 *		auditors, labels, settings.
 *
 * Precondition: who alters something calls here in the transaction that alters it, with what curators set, which is public
 * to owners and auditors of the relation; no row of a protected relation is read.
 * Postcondition: when that transaction commits, dpsens.change has one row for the act; when it is rolled back, it has none.
 *
 * A row is written once, by the session that acts, and names relations and roles as they are called then.  Its number is the
 * microsecond of the act, the next one where another act has it: no sequence, which roles that may write all data can set, so
 * that nothing is numbered twice in a database whose labels are restored before its changes.  Numbers follow no order of
 * commits; the chain has one.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/owner.h"
#include "glue/version.h"
#include "ledger/journal/group_history.h"
#include "ledger/identity.h"
#include "ledger/journal/change.h"
#include "ledger/keep.h"
#include "ledger/origin.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_note_change);

/* No relation has it, as none that is not found has after a restore (sql_budget.c, NOTHING). */
#define DPS_NO_RELATION ((Oid) 4294967295U)

/* What identifies a row, and what follows from the rest. */
#define WITHOUT_NAMES(t) \
	"pg_catalog.jsonb_strip_nulls(pg_catalog.to_jsonb(" t ")" \
	" OPERATOR(pg_catalog.-) '{relation,role,relation_schema,relation_name,relation_owner,role_name,column_name,entity,account,agreed_owner," \
	"cap_epsilon,cap_rho,cap_delta,full_until}'::pg_catalog.text[])"

/* What curators have set of relation $1, by what it is about. */
static DpsStatement read_state = {
	.text = "SELECT COALESCE(pg_catalog.jsonb_object_agg(s.about, s.is_set), '{}') FROM ("
	"SELECT CASE WHEN b.role OPERATOR(pg_catalog.<>) '0'::pg_catalog.oid THEN pg_catalog.format(CASE WHEN"
	" b.column_name OPERATOR(pg_catalog.=) '(entity)' THEN 'budget of role %I on the entity' ELSE 'budget of role %I' END, b.role_name)"
	" WHEN b.column_name OPERATOR(pg_catalog.=) '(entity)' THEN 'budget of the entity'"
	" WHEN b.column_name OPERATOR(pg_catalog.=) '' THEN 'budget' ELSE pg_catalog.format('budget of column %I', b.column_name) END AS about, "
	WITHOUT_NAMES("b") " AS is_set FROM dpsens.budget b WHERE " DPS_NOW_RELATION("b")
	" UNION ALL SELECT CASE WHEN p.entity THEN 'policy of the entity' ELSE 'policy' END, " WITHOUT_NAMES("p")
	" FROM dpsens.policy p WHERE " DPS_NOW_RELATION("p")
	" UNION ALL SELECT 'caps of rows', " WITHOUT_NAMES("a") " FROM dpsens.row_account a WHERE " DPS_NOW_RELATION("a")
	" UNION ALL SELECT pg_catalog.format('auditor %I', r.rolname), " WITHOUT_NAMES("d") " FROM dpsens.auditor d"
	" JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) d.role WHERE d.relation OPERATOR(pg_catalog.=) $1) s",
	.nargs = 1, .argtypes = {OIDOID}
};

/* The parts of x that are not in y as they are in x; NULL if there are none. */
#define PARTS(x, y) \
	"(SELECT pg_catalog.jsonb_object_agg(e.key, e.value) FROM pg_catalog.jsonb_each(" x ") e(key, value)" \
	" WHERE NOT COALESCE(e.value OPERATOR(pg_catalog.=) (" y " OPERATOR(pg_catalog.->) e.key), false))"

static DpsStatement insert_change = {
	.text = "INSERT INTO dpsens.change (change, changed_at, session_role, changed_by, act, relation, relation_schema, relation_name,"
	" relation_owner, object, before, after)"
	" SELECT $8, $9, $1, $2, $3, $4, $10, $11, $12, COALESCE($5, pg_catalog.format('%I.%I', $10, $11)), "
	PARTS("$6", "$7") ", " PARTS("$7", "$6")
	/* nothing of catalogs, of which an extension may hide rows: Citus those of shards */
	" ON CONFLICT (change) DO NOTHING",
	.nargs = 12,
	.argtypes = {NAMEOID, NAMEOID, TEXTOID, OIDOID, TEXTOID, JSONBOID, JSONBOID, INT8OID, TIMESTAMPTZOID, NAMEOID, NAMEOID, NAMEOID}
};

DpsActor
dps_change_actor(void)
{
	return (DpsActor) {GetSessionUserId(), GetUserId()};
}

bool
dps_change_is_kept(void)
{
	return !IsBinaryUpgrade && !RecoveryInProgress() && OidIsValid(dps_schema_oid()) &&
		OidIsValid(get_relname_relid("change", dps_schema_oid()));
}

/* Reads the state as jsonb in the caller's memory, which is not SPI's. */
static Datum
state_of(Oid relation)
{
	Datum		values[] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	Datum		state;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_state, values, NULL);
	state = SPI_datumTransfer(dps_statement_value(0, 1), false, -1);
	dps_descend(saved);
	SPI_finish();
	return state;
}

/* More acts have no microsecond in common. */
#define TRIES 1000

/* What keeps the row away for another reason, such as somebody's trigger, has the act fail: none goes unrecorded. */
static void
write_row(Datum *values, const char *nulls)
{
	int			i;

	for (i = 0; i < TRIES; i++)
	{
		TimestampTz now = GetCurrentTimestamp();

		CHECK_FOR_INTERRUPTS();
		values[7] = Int64GetDatum(now);
		values[8] = TimestampTzGetDatum(now);
		dps_ledger_write(&insert_change, values, nulls);
		if (SPI_processed > 0)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the change cannot be recorded in table \"dpsens.change\""),
			 errdetail("No row was inserted."),
			 errhint("Look for triggers on that table.")));
}

/* What an act is about, and so who is shown it (view dpsens.changes): InvalidOid if it is no relation. */
typedef struct Subject
{
	Oid			relation;
	bool		is_named;
	DpsRelationNames names;
} Subject;

static Subject
subject_of(Oid relation)
{
	Subject		subject = {.relation = relation};

	subject.is_named = dps_relation_names(relation, &subject.names);
	if (subject.is_named)
		(void) dps_role_written(dps_relation_owner(relation), &subject.names.owner);
	return subject;
}

/* A transaction may be set to read-only after it has altered, and ALTER SYSTEM asks nobody. */
static void
record(DpsActor actor, const char *act, Subject subject, const char *object, Datum before, Datum after)
{
	NameData	session;
	NameData	current;
	Datum		values[12] = {NameGetDatum(&session), NameGetDatum(&current), CStringGetTextDatum(act),
		ObjectIdGetDatum(subject.relation), object != NULL ? CStringGetTextDatum(object) : (Datum) 0, before, after};
	char		is_named = subject.is_named ? ' ' : 'n';
	char		nulls[] = {' ', ' ', ' ', ' ', object != NULL ? ' ' : 'n', ' ', ' ', ' ', ' ', is_named, is_named, is_named, '\0'};
	bool		read_only = XactReadOnly;

	values[9] = NameGetDatum(&subject.names.schema);
	values[10] = NameGetDatum(&subject.names.name);
	values[11] = NameGetDatum(&subject.names.owner);
	(void) dps_role_written(actor.session, &session);
	(void) dps_role_written(actor.current, &current);
	XactReadOnly = false;
	PG_TRY();
	{
		DpsElevation saved;

		PushActiveSnapshot(GetTransactionSnapshot());
		SPI_connect();
		saved = dps_elevate();
		write_row(values, nulls);
		dps_descend(saved);
		SPI_finish();
		PopActiveSnapshot();
	}
	PG_FINALLY();
	{
		XactReadOnly = read_only;
	}
	PG_END_TRY();
}

DpsChange
dps_change_begin(const char *act, Oid relation)
{
	return (DpsChange) {act, relation, dps_change_is_kept() ? state_of(relation) : (Datum) 0};
}

void
dps_change_end(const DpsChange *change)
{
	if (change->before == (Datum) 0 || !dps_change_is_kept())
		return;
	record(dps_change_actor(), change->act, subject_of(change->relation), NULL, change->before, state_of(change->relation));
}

void
dps_change_state(DpsActor actor, const char *act, const char *object, Datum before, Datum after)
{
	if (!DatumGetBool(DirectFunctionCall2(jsonb_eq, before, after)))
		record(actor, act, subject_of(InvalidOid), object, before, after);
}

/* {"value": text}, or {}. */
static Datum
value_of(const char *text)
{
	if (text == NULL)
		return DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"));
	return DirectFunctionCall2(jsonb_object_two_arg,
							   PointerGetDatum(construct_array((Datum[]) {CStringGetTextDatum("value")}, 1, TEXTOID, -1, false, TYPALIGN_INT)),
							   PointerGetDatum(construct_array((Datum[]) {CStringGetTextDatum(text)}, 1, TEXTOID, -1, false, TYPALIGN_INT)));
}

void
dps_change_note(DpsActor actor, const char *act, Oid relation, const char *object, const char *before, const char *after)
{
	if (dps_change_is_kept())
		record(actor, act, subject_of(relation), object, value_of(before), value_of(after));
}

/* ---- around the functions ---- */

/* The row as {"row": what is set in it}. */
static DpsStatement read_row = {
	.text = "SELECT pg_catalog.jsonb_build_object('row', pg_catalog.jsonb_strip_nulls($1"
	" OPERATOR(pg_catalog.-) '{relation,role,relation_schema,relation_name,relation_owner,agreed_owner}'::pg_catalog.text[]))",
	.nargs = 1, .argtypes = {JSONBOID}
};

static Datum
row_state(HeapTuple tuple, TupleDesc descriptor)
{
	Datum		row;
	FmgrInfo	convert;
	Datum		values[1];
	FunctionCallInfo call = palloc0(SizeForFunctionCallInfo(1));

	if (tuple == NULL)
		return DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"));
	fmgr_info(F_TO_JSONB, &convert);
	convert.fn_expr = (Node *) makeFuncExpr(F_TO_JSONB, JSONBOID,
											list_make1(makeNullConst(RECORDOID, -1, InvalidOid)), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	InitFunctionCallInfoData(*call, &convert, 1, InvalidOid, NULL, NULL);
	call->args[0].value = heap_copy_tuple_as_datum(tuple, descriptor);
	values[0] = FunctionCallInvoke(call);
	SPI_connect();
	dps_statement_run(&read_row, values, NULL);
	row = SPI_datumTransfer(dps_statement_value(0, 1), false, -1);
	SPI_finish();
	return row;
}

/* A column of a row, 0 if there is none of that name, or it is NULL. */
static Datum
column_of(HeapTuple tuple, TupleDesc descriptor, const char *column)
{
	int			number = SPI_fnumber(descriptor, column);
	bool		isnull;
	Datum		value = number > 0 ? heap_getattr(tuple, number, descriptor, &isnull) : (Datum) 0;

	return number > 0 && !isnull ? value : (Datum) 0;
}

static bool
take_name(HeapTuple tuple, TupleDesc descriptor, const char *column, NameData *name)
{
	Datum		value = column_of(tuple, descriptor, column);

	if (value != (Datum) 0)
		*name = *DatumGetName(value);
	return value != (Datum) 0;
}

/* The OIDs of a ledger that was restored and not acknowledged are those of another database. */
static bool
knows_oids(void)
{
	DpsElevation saved;
	bool		knows;

	SPI_connect();
	saved = dps_elevate();
	knows = dps_origin_is_known_here();
	dps_descend(saved);
	SPI_finish();
	return knows;
}

/*
 * The relation that a row of budgets, policies, caps of rows or auditors is about: to its owner and its auditors the change
 * is shown, and to nobody else.  By its names if its OID is nobody's, or means another one.
 */
static Subject
subject_of_row(HeapTuple tuple, TupleDesc descriptor)
{
	Oid			relation = DatumGetObjectId(column_of(tuple, descriptor, "relation"));
	bool		known = knows_oids();
	Subject		subject = subject_of(known ? relation : InvalidOid);

	if (subject.is_named)
		return subject;
	subject.relation = relation;
	subject.is_named = take_name(tuple, descriptor, "relation_schema", &subject.names.schema) &&
		take_name(tuple, descriptor, "relation_name", &subject.names.name) &&
		take_name(tuple, descriptor, "relation_owner", &subject.names.owner);
	if (!known)
		subject.relation = DPS_NO_RELATION;
	return subject;
}

/* note_change(): a superuser has written what functions write. */
Datum
dps_note_change(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TupleDesc	descriptor;
	bool		updates;
	Datum		before;
	Datum		after;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager", "note_change")));
	if (dps_ledger_may_write() || !dps_change_is_kept())
		return PointerGetDatum(NULL);
	descriptor = RelationGetDescr(trigger->tg_relation);
	updates = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event);
	before = row_state(trigger->tg_trigtuple, descriptor);
	after = row_state(updates ? trigger->tg_newtuple : NULL, descriptor);
	if (!DatumGetBool(DirectFunctionCall2(jsonb_eq, before, after)))
		record(dps_change_actor(), updates ? "UPDATE" : "DELETE", subject_of_row(trigger->tg_trigtuple, descriptor),
			   psprintf("table dpsens.%s", RelationGetRelationName(trigger->tg_relation)), before, after);
	return PointerGetDatum(NULL);
}

/* ---- labels ---- */

/* The relation that a label is about: of a registered expression that whose rows it takes. */
static Oid
relation_of(const ObjectAddress *object)
{
	Oid		   *types;
	int			n;

	if (object->classId == RelationRelationId)
		return object->objectId;
	if (object->classId != ProcedureRelationId)
		return InvalidOid;
	(void) get_func_signature(object->objectId, &types, &n);
	return n > 0 ? typeidTypeRelid(getBaseType(types[0])) : InvalidOid;
}

/* A label that stays what it is, or that a dump of roles repeats, alters nothing. */
static void
note_label(const ObjectAddress *object, const char *before, const char *after)
{
	dps_check_group_label(object, after);
	if ((before == NULL && after == NULL) || (before != NULL && after != NULL && strcmp(before, after) == 0))
		return;
	dps_change_note(dps_change_actor(), "label", relation_of(object), getObjectDescription(object, false), before, after);
}

void
dps_change_init(void)
{
	dps_watch_labels(note_label);
}
