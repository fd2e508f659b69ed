/*
 * group_history.c
 *		What was answered to smaller groups of units than are protected now.
 *
 * A release is charged what it costs group_size units together, as that was declared when it was planned.  To a larger group it
 * has cost more.  So a relation whose history has releases for smaller groups is not declared to protect larger ones: the label
 * is refused here, and, where labels and charges have raced, the ledger refuses to answer (charge/entity_claims.c).
 * Smaller groups lose less than was charged: a group_size that is lowered refunds nothing, and cannot be raised
 * again once something was released under it.
 *
 * NULL in a release stands for 1: it was made before there were groups.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "glue/constraint/inheritance.h"
#include "glue/glue.h"
#include "glue/label/label.h"
#include "glue/label/view_label.h"
#include "glue/owner.h"
#include "ledger/entity.h"
#include "ledger/journal/group_history.h"
#include "ledger/identity.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

int
dps_declared_group_size(Oid relation)
{
	DpsRelationAnnotation declared;
	int			size = 1;
	ListCell   *cell;

	/* the relation is among them */
	foreach(cell, dps_relation_family(relation))
	{
		dps_get_relation_labels(lfirst_oid(cell), &declared);
		if (declared.is_protected)
			size = Max(size, declared.group_size);
	}
	return size;
}

#define DPS_SMALLER_GROUPS \
	"SELECT 1 FROM dpsens.release r WHERE COALESCE(r.group_size, 1) OPERATOR(pg_catalog.<) $5" \
	" AND (" DPS_SAME_RELATION("r") " OR $1 OPERATOR(pg_catalog.=) ANY (r.entities)" \
	" OR (r.relation OPERATOR(pg_catalog.=) ANY (" DPS_CHARGED_OF_ENTITY ") AND EXISTS (SELECT 1 FROM dpsens.budget b" \
	" WHERE b.relation OPERATOR(pg_catalog.=) $1 AND b.column_name OPERATOR(pg_catalog.=) '" DPS_ENTITY_NAME "')))" \
	" LIMIT 1"

static DpsStatement find_smaller = {
	.text = DPS_SMALLER_GROUPS,
	.nargs = 5, .argtypes = {DPS_IDENTITY_TYPES, INT4OID}
};

bool
dps_told_smaller_groups(const Datum identity[4], int size)
{
	Datum		values[5] = {identity[0], identity[1], identity[2], identity[3], Int32GetDatum(size)};

	if (size <= 1)
		return false;
	dps_statement_read(&find_smaller, values, NULL);
	return SPI_processed > 0;
}

/* There is no history to look at before CREATE EXTENSION, nor one with groups before ALTER EXTENSION UPDATE, and pg_upgrade brings
 * it later. */
static bool
has_history(void)
{
	Oid			schema = dps_schema_oid();
	Oid			releases = OidIsValid(schema) ? get_relname_relid("release", schema) : InvalidOid;

	return !IsBinaryUpgrade && OidIsValid(releases) && get_attnum(releases, "group_size") != InvalidAttrNumber;
}

static bool
told_smaller(Oid relation, int size)
{
	DpsRelationNames names;
	Datum		identity[4] = {ObjectIdGetDatum(relation), NameGetDatum(&names.schema), NameGetDatum(&names.name), NameGetDatum(&names.owner)};
	DpsElevation saved;
	bool		found;

	/* a relation that this transaction has made has the names that it will be found by */
	if (!dps_relation_names(relation, &names))
		return false;
	SPI_connect();
	saved = dps_elevate();
	found = dps_told_smaller_groups(identity, size);
	dps_descend(saved);
	SPI_finish();
	return found;
}

void
dps_check_group_label(const ObjectAddress *object, const char *label)
{
	DpsRelationLabel parsed;
	DpsLabelProblem problem;

	if (object->classId != RelationRelationId || object->objectSubId != 0 || label == NULL ||
		dps_is_view_label(object->objectId, label) || !dps_parse_relation_label(label, &parsed, &problem))
		return;
	if (parsed.group_size <= 1 || !has_history() || !told_smaller(object->objectId, parsed.group_size))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" cannot protect groups of %d units", get_rel_name(object->objectId), parsed.group_size),
			 errdetail("It has answered before, and what that cost was counted for smaller groups."),
			 errhint("Declare group_size before the first answer; dpsens.releases shows those that there are.")));
}
