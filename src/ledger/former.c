/*
 * former.c
 *		A table that was dropped and made again goes on with what was set for the first one, and with what
 *		was spent; and what names mean in a ledger that was restored.
 *
 * A row of the ledger whose relation is gone is found by the relation's names alone (identity.h).  So it would be lost
 * when the relation that has these names now gets others.  Therefore it becomes that relation's when it is charged, and
 * when a transaction commits that has given others to it.
 *
 * Precondition: names of relations change in statements before which dps_former_note is called; dps_former_settle is
 * called before their transaction commits.
 * Postcondition: whatever names a relation had at the end of a statement, no row of a relation that was gone by then is
 * left with them when it has others, but for rows of an owner who is not its own.
 * Proof sketch: rows of a relation that is gone keep their names, and a relation changes them in such statements
 * alone.  So the names that it had are those that it has before one of them, or has now; all are looked at, with a
 * snapshot that sees what is committed.  Whoever drops a relation commits before another can take its names.
 *
 * Nothing is written before the transaction commits: a charge in progress must not wait for a client's transaction.
 *
 * In a database that was restored and not acknowledged all OIDs of the ledger are those of another one, and names alone say
 * what is meant until somebody acknowledges it: of relations schema and name, of roles the name.  So the ledger's names go with the
 * object that has them when the first statement of a transaction begins that can rename something, to those that it has when the
 * transaction commits; all at once, so that two may change names.  What a (sub)transaction that is rolled back has noted is
 * forgotten.  A role that is renamed from another database is not followed.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "ledger/former.h"
#include "ledger/column_budget.h"
#include "ledger/cost.h"
#include "ledger/identity.h"
#include "ledger/statement.h"

#define FORMER(table) \
	"SELECT 1 FROM ONLY dpsens." table " f WHERE f.relation OPERATOR(pg_catalog.<>) $1 AND " DPS_WAS_CALLED("f")
static DpsStatement find_former = {
	.text = FORMER("purse") " UNION ALL " FORMER("budget") " UNION ALL " FORMER("policy") " LIMIT 1",
	.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
};

/* What was set for a former relation becomes the present one's, of several the last that was set, unless the same was
 * set for it, too. */
#define SET_FOR_FORMER(table, set_at, same) { \
	.text = "UPDATE dpsens." table " AS f SET relation = $1 WHERE f.relation OPERATOR(pg_catalog.<>) $1 AND " DPS_WAS_CALLED("f") \
	" AND NOT EXISTS (SELECT 1 FROM dpsens." table " k WHERE k.ctid OPERATOR(pg_catalog.<>) f.ctid AND " same \
	" AND (k.relation OPERATOR(pg_catalog.=) $1 OR (" DPS_WAS_CALLED("k") " AND (k." set_at " OPERATOR(pg_catalog.>) f." set_at \
	" OR (k." set_at " OPERATOR(pg_catalog.=) f." set_at " AND k.ctid OPERATOR(pg_catalog.>) f.ctid)))))", \
	.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES} \
}

#define FORMER_ACCOUNTS \
	"former AS (SELECT a.account, a.relation FROM dpsens.row_account a WHERE a.relation OPERATOR(pg_catalog.<>) $1 AND " \
	DPS_WAS_CALLED("a") " AND EXISTS (SELECT 1 FROM dpsens.row_account b WHERE b.relation OPERATOR(pg_catalog.=) $1" \
	" AND b.unit OPERATOR(pg_catalog.=) a.unit))"
#define LATER_CHARGES(column) \
	"COALESCE((SELECT pg_catalog.sum(r." column ") FROM dpsens.release r WHERE r.relation OPERATOR(pg_catalog.=) former.relation" \
	" AND r.release OPERATOR(pg_catalog.>) f.release), 0)"
#define CAPPED(sum) "LEAST(" sum ", 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8"
#define ADDED(column) \
	column " = " CAPPED("k." column "::pg_catalog.numeric OPERATOR(pg_catalog.+) s." column)

/*
 * The order matters, since the purses identify the former relations.  Purses of the same role are added
 * up, at the Renyi order of the present one; one that has another order by its rho of all orders.  So are
 * frozen losses of the same unit: the row that a former unit had after its last freeze was
 * dropped with the table, so the table's later releases are paid in full.  If only the former row was
 * frozen, the present row pays for all releases of both relations; if only the present row was, what it
 * was frozen with knows nothing of the former one, or measured the wrong row: all releases of the former
 * relation are paid in full, beside it; if neither was, all releases are paid in full.
 */
static DpsStatement inheriting[] = {
	{
		.text = "UPDATE dpsens.release AS r SET entities = ARRAY(SELECT DISTINCT CASE WHEN e.entity OPERATOR(pg_catalog.=) ANY (f.gone)"
		" THEN $1 ELSE e.entity END FROM pg_catalog.unnest(r.entities) e(entity))"
		" FROM (SELECT pg_catalog.array_agg(DISTINCT p.relation) AS gone FROM dpsens.purse p"
		" WHERE p.relation OPERATOR(pg_catalog.<>) $1 AND " DPS_WAS_CALLED("p") ") f"
		" WHERE r.entities OPERATOR(pg_catalog.&&) f.gone",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		/* beside each of them stands a role */
		.text = "UPDATE dpsens.release AS r SET payer_entities = ARRAY(SELECT CASE WHEN e.entity OPERATOR(pg_catalog.=) ANY (f.gone)"
		" THEN $1 ELSE e.entity END FROM pg_catalog.unnest(r.payer_entities) WITH ORDINALITY e(entity, place) ORDER BY e.place)"
		" FROM (SELECT pg_catalog.array_agg(DISTINCT p.relation) AS gone FROM dpsens.purse p"
		" WHERE p.relation OPERATOR(pg_catalog.<>) $1 AND " DPS_WAS_CALLED("p") ") f"
		" WHERE r.payer_entities OPERATOR(pg_catalog.&&) f.gone",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		.text = "WITH " FORMER_ACCOUNTS ", s AS (SELECT pg_catalog.sum(r.charge_epsilon) AS spent_epsilon, pg_catalog.sum(r.charge_rho) AS spent_rho"
		" FROM dpsens.release r JOIN former ON r.relation OPERATOR(pg_catalog.=) former.relation)"
		" UPDATE dpsens.frozen_loss AS k SET " ADDED("spent_epsilon") ", " ADDED("spent_rho") " FROM s, dpsens.row_account a"
		" WHERE a.relation OPERATOR(pg_catalog.=) $1 AND k.account OPERATOR(pg_catalog.=) a.account AND s.spent_rho IS NOT NULL"
		" AND NOT EXISTS (SELECT 1 FROM dpsens.frozen_loss f JOIN former ON f.account OPERATOR(pg_catalog.=) former.account"
		" WHERE f.unit OPERATOR(pg_catalog.=) k.unit)",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		.text = "WITH " FORMER_ACCOUNTS ", gone AS (DELETE FROM dpsens.frozen_loss f USING former"
		" WHERE f.account OPERATOR(pg_catalog.=) former.account RETURNING f.unit,"
		" f.spent_epsilon OPERATOR(pg_catalog.+) " LATER_CHARGES("charge_epsilon") " AS spent_epsilon,"
		" f.spent_rho OPERATOR(pg_catalog.+) " LATER_CHARGES("charge_rho") " AS spent_rho)"
		" INSERT INTO dpsens.frozen_loss AS k (account, unit, spent_epsilon, spent_rho, release, changed_by)"
		" SELECT a.account, g.unit, " CAPPED("pg_catalog.sum(g.spent_epsilon)") ", " CAPPED("pg_catalog.sum(g.spent_rho)") ", 0, 0"
		" FROM gone g, dpsens.row_account a WHERE a.relation OPERATOR(pg_catalog.=) $1 GROUP BY a.account, g.unit"
		" ON CONFLICT (account, unit) DO UPDATE SET"
		" spent_epsilon = " CAPPED("k.spent_epsilon::pg_catalog.numeric OPERATOR(pg_catalog.+) excluded.spent_epsilon") ","
		" spent_rho = " CAPPED("k.spent_rho::pg_catalog.numeric OPERATOR(pg_catalog.+) excluded.spent_rho"),
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		.text = "WITH " FORMER_ACCOUNTS " UPDATE dpsens.row_account AS k SET full_until = GREATEST(k.full_until,"
		" (SELECT pg_catalog.max(r.release) FROM dpsens.release r JOIN former ON r.relation OPERATOR(pg_catalog.=) former.relation))"
		" WHERE k.relation OPERATOR(pg_catalog.=) $1",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		.text = "WITH " FORMER_ACCOUNTS " DELETE FROM dpsens.row_account a USING former WHERE a.account OPERATOR(pg_catalog.=) former.account",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		.text = "UPDATE dpsens.release AS r SET relation = $1 WHERE r.relation OPERATOR(pg_catalog.=) ANY (ARRAY("
		"SELECT p.relation FROM dpsens.purse p WHERE p.relation OPERATOR(pg_catalog.<>) $1 AND " DPS_WAS_CALLED("p") "))",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		.text = "WITH gone AS (DELETE FROM dpsens.purse AS p WHERE p.relation OPERATOR(pg_catalog.<>) $1 AND " DPS_WAS_CALLED("p")
		" RETURNING p.*),"
		" s AS (SELECT g.role, g.column_name, pg_catalog.max(g.role_name::pg_catalog.text) AS role_name, pg_catalog.min(g.period_start) AS period_start,"
		" pg_catalog.sum(g.spent_epsilon) AS spent_epsilon, pg_catalog.sum(g.spent_rho) AS spent_rho,"
		" pg_catalog.sum(g.spent_delta) AS spent_delta, pg_catalog.sum(g.charges) AS charges, pg_catalog.max(g.common_order) AS renyi_order,"
		" pg_catalog.sum(" DPS_SPENT_AT_ORDER("g.common_order", "g") ") AS spent_renyi"
		" FROM (SELECT o.*, pg_catalog.max(o.renyi_order) OVER (PARTITION BY o.role, o.column_name) AS common_order FROM gone o) g"
		" GROUP BY g.role, g.column_name),"
		" known AS (UPDATE dpsens.purse AS k SET period_start = LEAST(k.period_start, s.period_start), " ADDED("spent_epsilon") ", "
		ADDED("spent_rho") ", " ADDED("spent_delta") ", " ADDED("charges") ", " DPS_ADD_AT_ORDER("s")
		" FROM s WHERE k.relation OPERATOR(pg_catalog.=) $1 AND k.role OPERATOR(pg_catalog.=) s.role"
		" AND k.column_name OPERATOR(pg_catalog.=) s.column_name RETURNING k.role, k.column_name)"
		" INSERT INTO dpsens.purse (relation, relation_schema, relation_name, relation_owner, role, role_name,"
		" period_start, spent_epsilon, spent_rho, spent_delta, charges, column_name, renyi_order, spent_renyi)"
		" SELECT $1, $2, $3, $4, s.role, s.role_name, s.period_start, " CAPPED("s.spent_epsilon") ", " CAPPED("s.spent_rho") ", "
		CAPPED("s.spent_delta") ", " CAPPED("s.charges") ", s.column_name, s.renyi_order, " CAPPED("s.spent_renyi")
		" FROM s WHERE NOT EXISTS (SELECT 1 FROM known WHERE known.role OPERATOR(pg_catalog.=) s.role"
		" AND known.column_name OPERATOR(pg_catalog.=) s.column_name)",
		.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
	},
	{
		/* periods with different beginnings are merged into one from the earlier beginning */
		.text = "UPDATE dpsens.purse AS k SET spent_epsilon = GREATEST(k.spent_epsilon, " CAPPED("s.epsilon") "),"
		" spent_rho = GREATEST(k.spent_rho, " CAPPED("s.rho") "), spent_delta = GREATEST(k.spent_delta, " CAPPED("s.delta") "),"
		" spent_renyi = GREATEST(k.spent_renyi, " CAPPED("s.renyi") ")"
		" FROM (SELECT p.role, pg_catalog.sum(r.charge_epsilon) AS epsilon, pg_catalog.sum(r.charge_rho) AS rho,"
		" pg_catalog.sum(" DPS_RHO_AT_ORDER("p.renyi_order") ") AS renyi,"
		" pg_catalog.sum(r.charge_delta) AS delta FROM dpsens.purse p JOIN dpsens.release r"
		" ON r.relation OPERATOR(pg_catalog.=) p.relation AND r.purse_role OPERATOR(pg_catalog.=) p.role"
		" AND r.released_at OPERATOR(pg_catalog.>=) p.period_start"
		" WHERE p.relation OPERATOR(pg_catalog.=) $1 AND p.column_name OPERATOR(pg_catalog.=) '' GROUP BY p.role) s"
		" WHERE k.relation OPERATOR(pg_catalog.=) $1 AND k.role OPERATOR(pg_catalog.=) s.role AND k.column_name OPERATOR(pg_catalog.=) ''",
		.nargs = 1, .argtypes = {OIDOID}
	},
	{
		.text = DPS_COLUMN_PURSES_FOLLOW(" AND p.relation OPERATOR(pg_catalog.=) $1"),
		.nargs = 1, .argtypes = {OIDOID}
	},
	SET_FOR_FORMER("budget", "granted_at", "k.role OPERATOR(pg_catalog.=) f.role AND k.column_name OPERATOR(pg_catalog.=) f.column_name"),
	SET_FOR_FORMER("policy", "set_at", "k.entity OPERATOR(pg_catalog.=) f.entity"),
};

void
dps_former_inherit(Datum values[4])
{
	Size		i;

	dps_statement_change(&find_former, values, NULL);
	if (SPI_processed == 0)
		return;
	for (i = 0; i < lengthof(inheriting); i++)
		dps_statement_change(&inheriting[i], values, NULL);
}

/* ---- names that relations have in this transaction ---- */

/* A relation that has, or had, the names of one that is gone, or, in a database that is not acknowledged, a relation or a
 * role that the ledger means. */
typedef struct Namesake
{
	Oid			relation;		/* or the role */
	bool		is_role;		/* which has a name only */
	NameData	schema;
	NameData	name;
	NameData	owner;
	int			level;			/* of the (sub)transaction in which it has them */
} Namesake;

static List *namesakes = NIL;	/* of Namesake *, in TopTransactionContext */

#define GONE(table) "SELECT t.relation, t.relation_schema, t.relation_name, t.relation_owner FROM ONLY dpsens." table " t" \
	" WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class g WHERE g.oid OPERATOR(pg_catalog.=) t.relation)"
static DpsStatement find_namesakes = {
	.text = "SELECT DISTINCT c.oid, n.nspname, c.relname, t.relation_owner FROM (" GONE("purse") " UNION " GONE("budget") " UNION " GONE("policy") ") t"
	" JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) t.relation_schema"
	" JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relname OPERATOR(pg_catalog.=) t.relation_name"
	" JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) c.relowner"
	" WHERE o.rolname OPERATOR(pg_catalog.=) t.relation_owner OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles r"
	" WHERE r.rolname OPERATOR(pg_catalog.=) t.relation_owner)"
};

static void
add_namesake(uint64 row)
{
	Namesake   *one = MemoryContextAllocZero(TopTransactionContext, sizeof(Namesake));
	MemoryContext before;

	one->relation = DatumGetObjectId(dps_statement_value(row, 1));
	one->schema = *DatumGetName(dps_statement_value(row, 2));
	one->name = *DatumGetName(dps_statement_value(row, 3));
	one->owner = *DatumGetName(dps_statement_value(row, 4));
	one->level = GetCurrentTransactionNestLevel();
	before = MemoryContextSwitchTo(TopTransactionContext);
	namesakes = lappend(namesakes, one);
	MemoryContextSwitchTo(before);
}

void
dps_former_note(void)
{
	uint64		i;

	dps_statement_read(&find_namesakes, NULL, NULL);
	for (i = 0; i < SPI_processed; i++)
		add_namesake(i);
}

/* ---- not acknowledged ---- */

#define RELATIONS_NAMED(table) "SELECT t.relation_schema, t.relation_name FROM dpsens." table " t"
static DpsStatement find_meant_relations = {
	.text = "SELECT c.oid, t.relation_schema, t.relation_name, ''::pg_catalog.name FROM (" RELATIONS_NAMED("purse") " UNION "
	RELATIONS_NAMED("budget") " UNION " RELATIONS_NAMED("policy") " UNION " RELATIONS_NAMED("row_account") ") t"
	" JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) t.relation_schema"
	" JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relname OPERATOR(pg_catalog.=) t.relation_name"
};
static DpsStatement find_meant_roles = {
	.text = "SELECT r.oid, ''::pg_catalog.name, r.rolname, ''::pg_catalog.name FROM pg_catalog.pg_authid r WHERE r.rolname IN"
	" (SELECT t.role_name FROM dpsens.purse t UNION SELECT t.role_name FROM dpsens.budget t UNION SELECT t.role_name FROM dpsens.failure t"
	" UNION SELECT t.agreed_owner_name FROM dpsens.budget t UNION SELECT t.relation_owner FROM dpsens.purse t"
	" UNION SELECT t.relation_owner FROM dpsens.budget t)"
};

static bool
is_noted(bool is_role, uint64 row)
{
	ListCell   *cell;

	foreach(cell, namesakes)
	{
		const Namesake *one = lfirst(cell);

		if (one->is_role == is_role && strcmp(NameStr(one->schema), NameStr(*DatumGetName(dps_statement_value(row, 2)))) == 0 &&
			strcmp(NameStr(one->name), NameStr(*DatumGetName(dps_statement_value(row, 3)))) == 0)
			return true;
	}
	return false;
}

static void
note_meant(DpsStatement *statement, bool is_role)
{
	uint64		i;

	dps_statement_read(statement, NULL, NULL);
	for (i = 0; i < SPI_processed; i++)
	{
		if (is_noted(is_role, i))
			continue;
		add_namesake(i);
		((Namesake *) llast(namesakes))->is_role = is_role;
	}
}

void
dps_meant_note(void)
{
	note_meant(&find_meant_relations, false);
	note_meant(&find_meant_roles, true);
}

#define RENAME_RELATIONS(table) { \
	.text = "UPDATE dpsens." table " AS t SET relation_schema = n.nspname, relation_name = c.relname" \
	" FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) m(relation, schema, name)" \
	" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) m.relation" \
	" JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace" \
	" WHERE t.relation_schema OPERATOR(pg_catalog.=) m.schema AND t.relation_name OPERATOR(pg_catalog.=) m.name" \
	" AND (n.nspname OPERATOR(pg_catalog.<>) m.schema OR c.relname OPERATOR(pg_catalog.<>) m.name)", \
	.nargs = 3, .argtypes = {OIDARRAYOID, NAMEARRAYOID, NAMEARRAYOID} \
}
#define RENAME_ROLES(table, column) { \
	.text = "UPDATE dpsens." table " AS t SET " column " = r.rolname" \
	" FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) m(role, unused, name)" \
	" JOIN pg_catalog.pg_authid r ON r.oid OPERATOR(pg_catalog.=) m.role" \
	" WHERE t." column " OPERATOR(pg_catalog.=) m.name AND r.rolname OPERATOR(pg_catalog.<>) m.name", \
	.nargs = 3, .argtypes = {OIDARRAYOID, NAMEARRAYOID, NAMEARRAYOID} \
}
static DpsStatement rename_relations[] = {
	RENAME_RELATIONS("budget"),
	RENAME_RELATIONS("policy"),
	RENAME_RELATIONS("purse"),
	RENAME_RELATIONS("row_account"),
};
static DpsStatement rename_roles[] = {
	RENAME_ROLES("budget", "role_name"),
	RENAME_ROLES("purse", "role_name"),
	RENAME_ROLES("failure", "role_name"),
	RENAME_ROLES("budget", "agreed_owner_name"),
	RENAME_ROLES("budget", "relation_owner"),
	RENAME_ROLES("policy", "relation_owner"),
	RENAME_ROLES("purse", "relation_owner"),
	RENAME_ROLES("row_account", "relation_owner"),
};

static void
rename_meant(DpsStatement *statements, Size n, bool are_roles)
{
	Datum	   *columns[3];
	Datum		values[3];
	int			nmeant = 0;
	ListCell   *cell;
	Size		i;

	for (i = 0; i < lengthof(columns); i++)
		columns[i] = palloc(sizeof(Datum) * (list_length(namesakes) + 1));
	foreach(cell, namesakes)
	{
		Namesake   *one = lfirst(cell);

		if (one->is_role != are_roles)
			continue;
		columns[0][nmeant] = ObjectIdGetDatum(one->relation);
		columns[1][nmeant] = NameGetDatum(&one->schema);
		columns[2][nmeant++] = NameGetDatum(&one->name);
	}
	values[0] = PointerGetDatum(construct_array(columns[0], nmeant, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
	for (i = 1; i < lengthof(columns); i++)
		values[i] = PointerGetDatum(construct_array(columns[i], nmeant, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	for (i = 0; i < n; i++)
		dps_statement_change(&statements[i], values, NULL);
}

void
dps_meant_settle(void)
{
	rename_meant(rename_relations, lengthof(rename_relations), false);
	rename_meant(rename_roles, lengthof(rename_roles), true);
}

/* ---- acknowledged ---- */

void
dps_former_settle(void)
{
	ListCell   *cell;

	dps_former_note();
	foreach(cell, namesakes)
	{
		Namesake   *one = lfirst(cell);
		Datum		values[4] = {ObjectIdGetDatum(one->relation), NameGetDatum(&one->schema), NameGetDatum(&one->name),
			NameGetDatum(&one->owner)};

		if (SearchSysCacheExists1(RELOID, values[0]))
			dps_former_inherit(values);
	}
}

/* The names of a subtransaction are its parent's, or none's. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId mySubid, SubTransactionId parentSubid, void *arg)
{
	int			level = GetCurrentTransactionNestLevel();
	ListCell   *cell;

	foreach(cell, namesakes)
	{
		Namesake   *one = lfirst(cell);

		if (one->level < level)
			continue;
		if (event == SUBXACT_EVENT_ABORT_SUB)
			namesakes = foreach_delete_current(namesakes, cell);
		else if (event == SUBXACT_EVENT_COMMIT_SUB)
			one->level = level - 1;
	}
}

/* They are in the transaction's memory. */
static void
end_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
		namesakes = NIL;
}

void
dps_former_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}
