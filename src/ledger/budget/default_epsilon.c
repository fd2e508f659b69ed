/*
 * default_epsilon.c
 *		What an answer is asked with that nobody has named an epsilon for.
 *
 * It follows from policies and from who asks, which are public to whoever asks: from no row.  The charge compares what is
 * asked for with budgets and limits as if it had been written, so nothing is promised here.
 *
 * Of a relation what is said of the asking role goes before what is said of all, and what is said of the relation before
 * what is said of the entities that its units refer to.  Of a role that is its own budget, or else the least of those of
 * its groups.  Where several say something in the same place, and of several relations, the least counts, since an owner
 * who names a small epsilon does not want a greater one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "ledger/budget/default_epsilon.h"
#include "ledger/entity.h"
#include "ledger/identity.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

/* Of relation $1 by itself, with $2 '', or as an entity, with $2 DPS_ENTITY_NAME: of role 0 is what is said of all. */
static DpsStatement read_defaults = {
	.text = "SELECT b.role, b.default_epsilon FROM dpsens.budget b WHERE b.role OPERATOR(pg_catalog.<>) '0'::pg_catalog.oid"
	" AND b.column_name OPERATOR(pg_catalog.=) $2 AND b.default_epsilon IS NOT NULL AND " DPS_NOW_RELATION("b")
	" UNION ALL SELECT '0'::pg_catalog.oid, p.default_epsilon FROM dpsens.policy p"
	" WHERE p.entity OPERATOR(pg_catalog.=) ($2 OPERATOR(pg_catalog.<>) ''::pg_catalog.name)"
	" AND p.default_epsilon IS NOT NULL AND " DPS_NOW_RELATION("p"),
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

/* The same, as far as the current role is shown it: the view decides, which is read with the rights of that role. */
static DpsStatement read_shown_defaults = {
	.text = "SELECT COALESCE(r.oid, '0'::pg_catalog.oid), p.default_epsilon FROM dpsens.policies p"
	" LEFT JOIN pg_catalog.pg_roles r ON r.rolname OPERATOR(pg_catalog.=) p.role"
	" WHERE p.relation::pg_catalog.oid OPERATOR(pg_catalog.=) $1 AND p.entity OPERATOR(pg_catalog.=) ($2 OPERATOR(pg_catalog.<>) ''::pg_catalog.name)"
	" AND p.default_epsilon IS NOT NULL AND (p.role IS NULL OR r.oid IS NOT NULL)",
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

/* What is said in one place, 0 for nothing. */
typedef struct Said
{
	double		of_role;
	double		of_groups;
	double		of_all;
} Said;

static void
take_less(double *epsilon, double other)
{
	if (other > 0 && (*epsilon == 0 || other < *epsilon))
		*epsilon = other;
}

static void
read_said(DpsStatement *statement, Oid relation, const char *kind, Oid role, Said *said)
{
	NameData	column;
	Datum		values[] = {ObjectIdGetDatum(relation), NameGetDatum(&column)};
	uint64		i;

	namestrcpy(&column, kind);
	dps_statement_read(statement, values, NULL);
	for (i = 0; i < SPI_processed; i++)
	{
		Oid			holder = DatumGetObjectId(dps_statement_value(i, 1));
		double		epsilon = DatumGetFloat8(dps_statement_value(i, 2));

		if (!OidIsValid(holder))
			take_less(&said->of_all, epsilon);
		else if (holder == role)
			take_less(&said->of_role, epsilon);
		else if (is_member_of_role_nosuper(role, holder))
			take_less(&said->of_groups, epsilon);
	}
}

static double
first_of(const Said *on_it, const Said *on_entities)
{
	const double said[] = {on_it->of_role, on_it->of_groups, on_entities->of_role, on_entities->of_groups, on_it->of_all,
	on_entities->of_all};
	int			i;

	for (i = 0; i < (int) lengthof(said); i++)
	{
		if (said[i] > 0)
			return said[i];
	}
	return 0;
}

static double
default_of_relation(DpsStatement *statement, Oid relation, Oid role)
{
	Said		on_it = {0};
	Said		on_entities = {0};
	ListCell   *cell;

	read_said(statement, relation, "", role, &on_it);
	foreach(cell, dps_entities_of(relation))
		read_said(statement, lfirst_oid(cell), DPS_ENTITY_NAME, role, &on_entities);
	return first_of(&on_it, &on_entities);
}

double
dps_default_epsilon(const List *relations, Oid role)
{
	double		epsilon = 0;
	DpsElevation saved;
	ListCell   *cell;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	saved = dps_elevate();
	foreach(cell, relations)
		take_less(&epsilon, default_of_relation(&read_defaults, lfirst_oid(cell), role));
	dps_descend(saved);
	SPI_finish();
	return epsilon;
}

double
dps_shown_default_epsilon(Oid relation, bool of_entity)
{
	Said		nothing = {0};
	Said		on_entity = {0};
	double		epsilon;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (of_entity)
		read_said(&read_shown_defaults, relation, DPS_ENTITY_NAME, GetUserId(), &on_entity);
	epsilon = of_entity ? first_of(&nothing, &on_entity) : default_of_relation(&read_shown_defaults, relation, GetUserId());
	SPI_finish();
	return epsilon;
}
