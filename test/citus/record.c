/*
 * record.c
 *		Private questions of a session, as they come to its planner, for copies.pl: of each statement with dp
 *		aggregates the whole, or the subqueries that have them, as SQL that can be asked again elsewhere.
 *
 * A record is fields that end with US, and ends with RS: search_path, settings of dpsens and of reading and writing
 * that the session has made, what the role lacks, the tables that are read, the query.  A query with a parameter
 * whose value the planner is not told is no record but the text UNBOUND.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

PG_MODULE_MAGIC;

#define RS '\x1e'
#define US '\x1f'

void		_PG_init(void);

static char *file_name = NULL;
static planner_hook_type planner_below;
static bool is_recording = false;

/* ---- what is asked ---- */

static bool
is_of_extension(Oid function)
{
	Oid			extension = getExtensionOfObject(ProcedureRelationId, function);

	return OidIsValid(extension) && extension == get_extension_oid("dpsens", true);
}

static bool
is_private(Oid function)
{
	char	   *name = get_func_name(function);

	return name != NULL && strncmp(name, "dp_", 3) == 0 && is_of_extension(function);
}

/* Of a query: has it a dp aggregate, at this level, and refers it to queries around it? */
typedef struct Level
{
	int			depth;			/* of the query that is walked, within the one that is asked about */
	bool		asks;
	bool		is_open;
} Level;

static bool
level_walker(Node *node, Level *level)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		level->is_open = level->is_open || (int) ((Var *) node)->varlevelsup > level->depth;
	if (IsA(node, Aggref))
	{
		int			above = (int) ((Aggref *) node)->agglevelsup - level->depth;

		level->is_open = level->is_open || above > 0;
		level->asks = level->asks || (above == 0 && is_private(((Aggref *) node)->aggfnoid));
	}
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		level->is_open = level->is_open || (entry->rtekind == RTE_CTE && (int) entry->ctelevelsup > level->depth);
		return false;
	}
	if (IsA(node, Query))
	{
		bool		result;

		level->depth++;
		result = query_tree_walker((Query *) node, level_walker, level, QTW_EXAMINE_RTES_BEFORE);
		level->depth--;
		return result;
	}
	return expression_tree_walker(node, level_walker, level);
}

static Level
look_at(Query *query)
{
	Level		level = {0};

	(void) query_tree_walker(query, level_walker, &level, QTW_EXAMINE_RTES_BEFORE);
	return level;
}

static bool
is_made_or_volatile(Oid function, void *context)
{
	if (function >= FirstNormalObjectId)
		return !is_of_extension(function);
	return func_volatile(function) == PROVOLATILE_VOLATILE;
}

static bool
unclean_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_made_or_volatile, NULL))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, unclean_walker, context, 0);
	return expression_tree_walker(node, unclean_walker, context);
}

/* ---- answers without what a test makes of them ---- */

static bool
answers_walker(Node *node, List **answers)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && is_private(((Aggref *) node)->aggfnoid) && ((Aggref *) node)->agglevelsup == 0)
	{
		*answers = lappend(*answers, node);
		return false;
	}
	return expression_tree_walker(node, answers_walker, answers);
}

/* In the place of a column that calls functions of others, as those of pgTAP, its answers are shown. */
static void
show_answers(Query *query)
{
	List	   *shown = NIL;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		List	   *answers = NIL;
		ListCell   *other;

		if (entry->ressortgroupref != 0 || !unclean_walker((Node *) entry->expr, NULL))
			answers = list_make1(entry->expr);
		else
			(void) answers_walker((Node *) entry->expr, &answers);
		foreach(other, answers)
		{
			TargetEntry *one = copyObject(entry);

			one->expr = lfirst(other);
			one->resno = list_length(shown) + 1;
			shown = lappend(shown, one);
		}
	}
	if (shown != NIL)
		query->targetList = shown;
}

/* ---- values of parameters ---- */

typedef struct Values
{
	ParamListInfo params;
	bool		lacks;			/* one that is not known */
} Values;

static Node *
value_of(const Param *param, Values *values)
{
	ParamExternData room;
	ParamExternData *value = NULL;
	int16		length;
	bool		byval;

	if (values->params != NULL && param->paramid <= values->params->numParams)
		value = values->params->paramFetch != NULL ? values->params->paramFetch(values->params, param->paramid, true, &room) :
			&values->params->params[param->paramid - 1];
	if (value == NULL || value->ptype != param->paramtype)
	{
		values->lacks = true;
		return (Node *) copyObject((Param *) param);
	}
	get_typlenbyval(param->paramtype, &length, &byval);
	return (Node *) makeConst(param->paramtype, param->paramtypmod, param->paramcollid, length, value->value, value->isnull, byval);
}

static Node *
put_values(Node *node, Values *values)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, put_values, values, 0);
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return value_of((Param *) node, values);
	return expression_tree_mutator(node, put_values, values);
}

/* ---- what is read ---- */

static bool
relation_walker(Node *node, List **relations)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		if (entry->rtekind == RTE_RELATION && entry->relid >= FirstNormalObjectId && get_rel_relkind(entry->relid) != RELKIND_VIEW)
			*relations = list_append_unique_oid(*relations, entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, relation_walker, relations, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, relation_walker, relations);
}

/* search_path, with the schemas of these relations before it */
static char *
path_with(const List *relations)
{
	List	   *schemas = NIL;
	StringInfoData path;
	ListCell   *cell;

	foreach(cell, relations)
		schemas = list_append_unique_oid(schemas, get_rel_namespace(lfirst_oid(cell)));
	initStringInfo(&path);
	foreach(cell, schemas)
		appendStringInfo(&path, "%s, ", quote_identifier(get_namespace_name(lfirst_oid(cell))));
	appendStringInfoString(&path, namespace_search_path[0] == '\0' ? "pg_catalog" : namespace_search_path);
	return path.data;
}

static char *
sql_of(Query *query, const char *path)
{
	int			settings = NewGUCNestLevel();
	char	   *sql;

	(void) set_config_option("search_path", path, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "1", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	sql = pg_get_querydef(query, false);
	AtEOXact_GUC(false, settings);
	return sql;
}

/* ---- what the session has set ---- */

static bool
is_told(const struct config_generic *setting)
{
	static const char *const others[] = {"TimeZone", "DateStyle", "IntervalStyle", "plan_cache_mode"};
	Size		i;

	if (setting->source != PGC_S_SESSION || strcmp(setting->name, "dpsens.noise") == 0)
		return false;
	for (i = 0; i < lengthof(others); i++)
	{
		if (strcmp(setting->name, others[i]) == 0)
			return true;
	}
	return strncmp(setting->name, "dpsens.", 7) == 0;
}

static void
add_settings(StringInfo record)
{
#if PG_VERSION_NUM >= 160000
	int			n;
	struct config_generic **settings = get_guc_variables(&n);
#else
	int			n = GetNumConfigOptions();
	struct config_generic **settings = get_guc_variables();
#endif
	int			i;

	for (i = 0; i < n; i++)
	{
		if (is_told(settings[i]))
			appendStringInfo(record, "SET %s = %s; ", settings[i]->name, quote_literal_cstr(GetConfigOption(settings[i]->name, true, false)));
	}
}

/* ---- records ---- */

static void
write_record(StringInfo record)
{
	int			file = open(file_name, O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (file < 0 || write(file, record->data, record->len) != record->len || close(file) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not write \"%s\": %m", file_name)));
}

static void
record_query(Query *asked, ParamListInfo params)
{
	Values		values = {params, false};
	Query	   *query = (Query *) put_values((Node *) copyObject(asked), &values);
	List	   *relations = NIL;
	bool		may_read = true;
	StringInfoData record;
	char	   *path;
	ListCell   *cell;

	(void) relation_walker((Node *) query, &relations);
	path = path_with(relations);
	foreach(cell, relations)
		may_read = may_read && pg_class_aclcheck(lfirst_oid(cell), GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	initStringInfo(&record);
	if (values.lacks)
		appendStringInfoString(&record, "UNBOUND");
	else
	{
		appendStringInfo(&record, "%s%c", path, US);
		add_settings(&record);
		appendStringInfo(&record, "%c%s%c", US, may_read ? "" : "restricted", US);
		foreach(cell, relations)
			appendStringInfo(&record, "%u ", lfirst_oid(cell));
		appendStringInfo(&record, "%c%s", US, sql_of(query, path));
	}
	appendStringInfoChar(&record, RS);
	write_record(&record);
}

typedef struct Search
{
	ParamListInfo params;
	bool		asks;			/* within the query is a question that refers to it, or is it */
} Search;

static bool search_walker(Node *node, Search *search);

/* Records the smallest queries below this one, or itself, that ask and refer to nothing around them. */
static void
search_query(Query *query, Search *above)
{
	Level		level = look_at(query);
	Search		search = {above->params, level.asks};

	(void) query_tree_walker(query, search_walker, &search, 0);
	if (!search.asks)
		return;
	if (level.is_open || query->commandType != CMD_SELECT)
		above->asks = true;
	else
	{
		if (query->setOperations == NULL && query->distinctClause == NIL)
			show_answers(query);
		record_query(query, above->params);
	}
}

static bool
search_walker(Node *node, Search *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		search_query((Query *) node, search);
		return false;
	}
	return expression_tree_walker(node, search_walker, search);
}

static bool
asks_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && is_private(((Aggref *) node)->aggfnoid))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, asks_walker, context, 0);
	return expression_tree_walker(node, asks_walker, context);
}

static void
record(Query *query, ParamListInfo params)
{
	Search		search = {params, false};

	if (!query_tree_walker(query, asks_walker, NULL, 0))
		return;
	if (query->commandType == CMD_SELECT && query->rowMarks == NIL && !query->hasModifyingCTE &&
		!query_tree_walker(query, unclean_walker, NULL, 0))
		record_query(query, params);
	else
		search_query(query, &search);
}

static PlannedStmt *
plan(Query *query, const char *text, int options, ParamListInfo params)
{
	if (file_name != NULL && file_name[0] != '\0' && !is_recording)
	{
		is_recording = true;
		PG_TRY();
		{
			record(copyObject(query), params);
		}
		PG_FINALLY();
		{
			is_recording = false;
		}
		PG_END_TRY();
	}
	return planner_below != NULL ? planner_below(query, text, options, params) : standard_planner(query, text, options, params);
}

void
_PG_init(void)
{
	DefineCustomStringVariable("record.file", "Where private questions are recorded.", NULL, &file_name, "", PGC_SUSET, 0, NULL, NULL, NULL);
	planner_below = planner_hook;
	planner_hook = plan;
}
