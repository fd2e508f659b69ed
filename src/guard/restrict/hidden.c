/*
 * hidden.c
 *		Sizes and counters that the server shows to everybody, hidden from roles that
 *		may ask but not read rows.
 *
 * Clients read many columns of catalogs at once, so an error for one column would break them: the planner
 * hook replaces it by a constant.  It sees queries after views were expanded, but not functions in SQL that
 * the planner inlines, expressions that are stored in catalogs, or utility commands.  Two more hooks see
 * all of these: the one for permissions sees the columns of every range table that is executed, the one for
 * object access every function before its first call, but for those of triggers (trigger_doors.c).  They cannot
 * replace anything, so they refuse.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "glue/citus.h"
#include "glue/cluster_key.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/role_label.h"
#include "guard/restrict/distributed.h"
#include "guard/restrict/hidden.h"
#include "guard/restrict/hidden_names.h"
#include "ledger/authority.h"
#include "ledger/column_budget.h"
#include "ledger/ledger.h"

static object_access_hook_type previous_object_access;
static ExecutorCheckPerms_hook_type previous_check_permissions;

/* ---- what is hidden ---- */

typedef struct KnownFunction
{
	Oid			function;
	DpsHidden	kind;
} KnownFunction;

/* The kinds of the server's own functions, which do not change. */
static HTAB *known_functions = NULL;

static DpsHidden
kind_of_builtin(Oid function)
{
	KnownFunction *entry;
	DpsHidden	kind;
	bool		found;

	if (known_functions == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownFunction)};

		known_functions = hash_create("dpsens known functions", 256, &control, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(known_functions, &function, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->kind;
	/* may raise, so it is called before the entry is made */
	kind = dps_kind_of_builtin_name(get_func_name(function));
	entry = hash_search(known_functions, &function, HASH_ENTER, &found);
	entry->kind = kind;
	return kind;
}

/* The least DpsHidden that hides the function, or DPS_HIDDEN_NOTHING if none does. */
static DpsHidden
kind_of_function(Oid function)
{
	if (function < FirstNormalObjectId)
		return kind_of_builtin(function);
	if (dps_citus_owns(ProcedureRelationId, function))
		return dps_kind_of_citus_function(get_func_name(function));
	return dps_kind_of_extension_name(get_func_name(function));
}

static bool
is_hidden_kind(DpsHidden kind, DpsHidden hidden)
{
	return kind != DPS_HIDDEN_NOTHING && kind <= hidden;
}

static bool
is_hidden_call(Node *node, DpsHidden hidden)
{
	return IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid < FirstNormalObjectId &&
		is_hidden_kind(kind_of_builtin(((FuncExpr *) node)->funcid), hidden);
}

/*
 * Like kind_of_function, for a column of a catalog, or with InvalidAttrNumber its whole rows.  Ages are
 * hidden because they change when a table is vacuumed, which autovacuum decides by the number of its rows;
 * those of a database are the greatest of its tables, and are shown in every database.
 */
static DpsHidden
kind_of_column(Oid relation, AttrNumber column)
{
	if (relation == RelationRelationId &&
		(column == InvalidAttrNumber || column == Anum_pg_class_relpages || column == Anum_pg_class_reltuples ||
		 column == Anum_pg_class_relallvisible || column == Anum_pg_class_relfrozenxid || column == Anum_pg_class_relminmxid || dps_counts_frozen_pages(column)))
		return DPS_HIDDEN_ALL;
	if (relation == DatabaseRelationId &&
		(column == InvalidAttrNumber || column == Anum_pg_database_datfrozenxid || column == Anum_pg_database_datminmxid))
		return DPS_HIDDEN_SERVER;
	return DPS_HIDDEN_NOTHING;
}

static bool
uses_hidden_column(Oid relation, const Bitmapset *columns)
{
	int			column = -1;

	while ((column = bms_next_member(columns, column)) >= 0)
	{
		if (kind_of_column(relation, column + FirstLowInvalidHeapAttributeNumber) != DPS_HIDDEN_NOTHING)
			return true;
	}
	return false;
}

static bool
has_hidden_columns(Oid relation)
{
	return kind_of_column(relation, InvalidAttrNumber) != DPS_HIDDEN_NOTHING;
}

static bool
reads_hidden_column(Query *query)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION && has_hidden_columns(entry->relid) &&
			uses_hidden_column(entry->relid, *dps_entry_columns(query, entry)))
			return true;
	}
	return false;
}

bool
dps_mentions_hidden(Node *node)
{
	return is_hidden_call(node, DPS_HIDDEN_ALL) || (IsA(node, Query) && reads_hidden_column((Query *) node));
}

/* What is hidden from the role?  Its SELECT privileges are known only in the database of its budget; in
 * other databases the counters of the server are hidden from every role with a budget. */
static DpsHidden
hidden_from(Oid role)
{
	if (superuser_arg(role) || has_privs_of_role(role, ROLE_PG_READ_ALL_STATS))
		return DPS_HIDDEN_NOTHING;
	if (OidIsValid(dps_schema_oid()) && dps_is_analyst(role))
		return DPS_HIDDEN_ALL;
	/* on other nodes of Citus nobody knows which relations the budgets are on */
	if (dps_is_marked_role(role))
		return dps_citus_is_present() ? DPS_HIDDEN_ALL : DPS_HIDDEN_SERVER;
	/* where there is a key labels are copies (glue/label/undistributed.h), and say nothing of whoever has no budget */
	return !dps_has_cluster_key() && dps_citus_is_worker() && dps_is_barred_from_label(role) ? DPS_HIDDEN_ALL : DPS_HIDDEN_NOTHING;
}

DpsHidden
dps_hides(void)
{
	return hidden_from(GetUserId());
}

/* ---- replacing ---- */

/* Does the present role read the entry, not the owner of a view? */
static bool
reads_as_self(Query *query, RangeTblEntry *entry)
{
	Oid			role = dps_entry_reader(query, entry);

	return !OidIsValid(role) || role == GetUserId();
}

static bool
is_catalog_entry(Query *query, RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION && has_hidden_columns(entry->relid) && reads_as_self(query, entry);
}

/* The value in pg_class of a table that was never analysed, or the invalid transaction ID. */
static Node *
unknown_column(const Var *var)
{
	if (var->vartype == FLOAT4OID)
		return (Node *) makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4), Float4GetDatum(-1), false, true);
	return (Node *) makeConst(var->vartype, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);
}

static void
drop_columns(Query *query, RangeTblEntry *entry, DpsHidden hidden)
{
	Bitmapset **columns = dps_entry_columns(query, entry);
	AttrNumber	number;

	StaticAssertStmt(Natts_pg_database <= Natts_pg_class, "pg_class has the most columns");
	for (number = 1; number <= Natts_pg_class; number++)
	{
		if (is_hidden_kind(kind_of_column(entry->relid, number), hidden))
			*columns = bms_del_member(*columns, number - FirstLowInvalidHeapAttributeNumber);
	}
}

/* One row of NULLs in place of the call; no row if the function returns a set. */
static Query *
unknown_rows(const FuncExpr *call, TupleDesc columns)
{
	Query	   *query = makeNode(Query);
	int			i;

	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->jointree = makeFromExpr(NIL, call->funcretset ? makeBoolConst(false, false) : NULL);
	for (i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);
		Node	   *value = (Node *) makeNullConst(column->atttypid, column->atttypmod, column->attcollation);

		query->targetList = lappend(query->targetList,
									makeTargetEntry((Expr *) value, i + 1, pstrdup(NameStr(column->attname)), false));
	}
	return query;
}

/* A hidden function that returns columns becomes a subquery. */
static void
hide_rows(RangeTblEntry *entry, DpsHidden hidden)
{
	FuncExpr   *call;
	TupleDesc	columns;
	Oid			type;

	if (entry->rtekind != RTE_FUNCTION || entry->funcordinality || list_length(entry->functions) != 1)
		return;
	call = (FuncExpr *) linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (!is_hidden_call((Node *) call, hidden) ||
		get_expr_result_type((Node *) call, &type, &columns) != TYPEFUNC_COMPOSITE)
		return;
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = unknown_rows(call, columns);
	entry->functions = NIL;
}

typedef struct Hiding
{
	DpsHidden	hidden;
	List	   *ancestors;		/* the enclosing queries, the innermost first */
} Hiding;

static Node *hide_mutator(Node *node, Hiding *hiding);

static bool
is_hidden_var(const Var *var, const Hiding *hiding)
{
	Query	   *query;
	RangeTblEntry *entry;

	if ((int) var->varlevelsup >= list_length(hiding->ancestors))
		return false;
	query = list_nth_node(Query, hiding->ancestors, var->varlevelsup);
	if (var->varno <= 0 || var->varno > list_length(query->rtable))
		return false;
	entry = rt_fetch(var->varno, query->rtable);
	/* whole rows are refused */
	return var->varattno != InvalidAttrNumber && is_catalog_entry(query, entry) &&
		is_hidden_kind(kind_of_column(entry->relid, var->varattno), hiding->hidden);
}

static Node *
hide_in_query(Query *query, const Hiding *hiding)
{
	Hiding		inner = {hiding->hidden, lcons(query, list_copy(hiding->ancestors))};

	return (Node *) query_tree_mutator(query, hide_mutator, &inner, 0);
}

static Node *
hide_mutator(Node *node, Hiding *hiding)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && is_hidden_var((Var *) node, hiding))
		return unknown_column((Var *) node);
	if (is_hidden_call(node, hiding->hidden) && !((FuncExpr *) node)->funcretset &&
		!type_is_rowtype(((FuncExpr *) node)->funcresulttype))
		return (Node *) makeNullConst(((FuncExpr *) node)->funcresulttype, -1, ((FuncExpr *) node)->funccollid);
	if (IsA(node, Query))
		return hide_in_query((Query *) node, hiding);
	return expression_tree_mutator(node, hide_mutator, hiding);
}

static bool
hide_entries_walker(Node *node, DpsHidden *hidden)
{
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, hide_entries_walker, hidden);
	foreach(cell, ((Query *) node)->rtable)
	{
		hide_rows(lfirst_node(RangeTblEntry, cell), *hidden);
		if (is_catalog_entry((Query *) node, lfirst_node(RangeTblEntry, cell)))
			drop_columns((Query *) node, lfirst_node(RangeTblEntry, cell), *hidden);
	}
	return query_tree_walker((Query *) node, hide_entries_walker, hidden, 0);
}

Query *
dps_hide(Query *query, DpsHidden hidden)
{
	Hiding		hiding = {hidden, NIL};
	Query	   *result = (Query *) hide_mutator((Node *) copyObject(query), &hiding);

	(void) hide_entries_walker((Node *) result, &hidden);
	return result;
}

/* ---- refusing ---- */

/* What the client sent, which may be more than the statement: not if it may set a password. */
static const char *
client_text(void)
{
	return debug_query_string != NULL && strcasestr(debug_query_string, "password") == NULL ? debug_query_string : "";
}

/* The message, once it is in the log of refusals; of which relation somebody wanted to know is not known. */
static const char *
logged(Oid role, const char *message)
{
	if (dps_ledger_logs_refusals() && dps_is_marked_role(role))
		dps_ledger_note_refusal(role, NIL, client_text(), ERRCODE_INSUFFICIENT_PRIVILEGE, message);
	return message;
}

static void
check_class_entry(Oid reader, const Bitmapset *columns)
{
	Oid			role = OidIsValid(reader) ? reader : GetUserId();

	if (uses_hidden_column(RelationRelationId, columns) && hidden_from(role) == DPS_HIDDEN_ALL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("%s", logged(role, "permission denied for columns of table pg_class that show the size of tables")),
				 errdetail("Role \"%s\" has a privacy budget on a table that it may not read.",
						   GetUserNameFromId(role, false)),
				 errhint("Name the columns that you need, in a plain query.")));
}

static void
check_database_entry(Oid reader, const Bitmapset *columns)
{
	Oid			role = OidIsValid(reader) ? reader : GetUserId();

	if (uses_hidden_column(DatabaseRelationId, columns) && hidden_from(role) != DPS_HIDDEN_NOTHING)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("%s", logged(role, "permission denied for columns of table pg_database that show the age of databases")),
				 errdetail("Role \"%s\" has, or had, a privacy budget in a database of this server.",
						   GetUserNameFromId(role, false)),
				 errhint("Name the columns that you need, in a plain query.")));
}

/* For relations of Citus; views are not looked into, since one of them is itself among these. */
static void
check_citus_entry(Oid reader, const Bitmapset *columns)
{
	Oid			role = OidIsValid(reader) ? reader : GetUserId();

	if (hidden_from(role) != DPS_HIDDEN_NOTHING)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("%s", logged(role, "permission denied for a relation of Citus")),
				 errdetail("Role \"%s\" has, or had, a privacy budget in a database of this server, and what Citus shows tells how much there is in tables.",
						   GetUserNameFromId(role, false)),
				 errhint("Ask an administrator to grant membership in pg_read_all_stats.")));
}

static bool
is_hidden_relation(Oid relation)
{
	return relation >= FirstNormalObjectId && dps_citus_owns(RelationRelationId, relation) &&
		dps_kind_of_citus_relation(get_rel_name(relation)) != DPS_HIDDEN_NOTHING;
}

static bool
check_permissions(DPS_CHECK_PERMISSIONS_PARAMETERS)
{
	ListCell   *cell;

	foreach(cell, rangeTable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind != RTE_RELATION || !IsTransactionState())
			continue;
		/* what is written, by COPY, too */
		if (entry->rellockmode >= RowExclusiveLock)
			dps_refuse_trigger_doors(entry->relid);
		if (entry->relid == RelationRelationId)
			dps_for_entry_permissions(entry, check_class_entry);
		else if (entry->relid == DatabaseRelationId)
			dps_for_entry_permissions(entry, check_database_entry);
		else if (is_hidden_relation(entry->relid))
			dps_for_entry_permissions(entry, check_citus_entry);
	}
	return previous_check_permissions == NULL || previous_check_permissions(DPS_CHECK_PERMISSIONS_ARGUMENTS);
}

static void
refuse_door(Oid function, Oid role)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("%s", logged(role, psprintf("permission denied for function %s", format_procedure(function)))),
			 errdetail("Role \"%s\" has a privacy budget on a table that it may not read, and this one runs with the rights of somebody who may read it.",
					   GetUserNameFromId(role, false)),
			 errhint("Its owner can declare that what it returns is public: SECURITY LABEL FOR dpsens ON FUNCTION ... IS 'TRUSTED'.")));
}

static void
check_counters(Oid function)
{
	DpsHidden	kind = kind_of_function(function);
	DpsHidden	hidden = kind == DPS_HIDDEN_NOTHING ? DPS_HIDDEN_NOTHING : dps_hides();

	if (!is_hidden_kind(kind, hidden))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("%s", logged(GetUserId(), psprintf("permission denied for function %s", format_procedure(function)))),
			 hidden == DPS_HIDDEN_ALL ?
			 errdetail("Role \"%s\" has a privacy budget on a table that it may not read, and this one shows how much there is in tables, or was read of them.",
					   GetUserNameFromId(GetUserId(), false)) :
			 errdetail("Role \"%s\" has, or had, a privacy budget in a database of this server, and this one shows how much there is in databases, or was read of them.",
					   GetUserNameFromId(GetUserId(), false)),
			 errhint("Ask an administrator to grant membership in pg_read_all_stats.")));
}

/*
 * On a worker of Citus, to which functions and calls of them come from the coordinator, nobody knows which tables there are budgets
 * on: there all distributed tables are taken to be such.
 */
static bool
sees_less_on_worker(Oid role, Oid other)
{
	ListCell   *cell;

	if (!dps_citus_is_worker() || !dps_is_marked_role(role))
		return false;
	foreach(cell, dps_citus_tables())
	{
		if (dps_check_select(lfirst_oid(cell), role) != ACLCHECK_OK && dps_sees_more(lfirst_oid(cell), role, other))
			return true;
	}
	return false;
}

/* Does the function run as a role that may read a relation which this one may not? */
static bool
is_open_door(Oid function, Oid role)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return false;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prosecdef)
		owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return OidIsValid(owner) && owner != role && !superuser_arg(role) && OidIsValid(dps_schema_oid()) &&
		(dps_analyst_sees_less(role, owner) || sees_less_on_worker(role, owner)) && !dps_is_trusted_function(function) &&
		getExtensionOfObject(ProcedureRelationId, function) != get_extension_oid("dpsens", true);
}

/*
 * The same for whoever asks, where the present role is another: that of somebody who sees no more, whose function or foreign key
 * lends its rights to find doors for others.  Within a function that is open to whoever asks it is not asked.
 */
static bool
is_door_to_asker(Oid function, Oid role, Oid asker)
{
	return asker != role && OidIsValid(asker) && is_open_door(function, asker) && !dps_is_lent_more(asker);
}

void
dps_refuse_door_to(Oid function, Oid role)
{
	if (function < FirstNormalObjectId)
		return;
	if (is_open_door(function, role))
		refuse_door(function, role);
	if (is_door_to_asker(function, role, GetOuterUserId()))
		refuse_door(function, GetOuterUserId());
}

void
dps_refuse_door(Oid function)
{
	dps_refuse_door_to(function, GetUserId());
}

static void
check_object_access(ObjectAccessType access, Oid class, Oid object, int column, void *arg)
{
	if (previous_object_access != NULL)
		previous_object_access(access, class, object, column, arg);
	if (access == OAT_POST_ALTER && class == RelationRelationId && column > 0)
		dps_check_column_name(object, (AttrNumber) column);
	if (access != OAT_FUNCTION_EXECUTE || !IsTransactionState())
		return;
	check_counters(object);
	dps_refuse_door(object);
}

void
dps_hidden_init(void)
{
	previous_object_access = object_access_hook;
	object_access_hook = check_object_access;
	dps_calls_init();
	previous_check_permissions = ExecutorCheckPerms_hook;
	ExecutorCheckPerms_hook = check_permissions;
}
