/*
 * accounted.c
 *		Who may see what the units of a relation have lost.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "audit/accounted.h"
#include "glue/compat.h"
#include "glue/label/annotation.h"
#include "ledger/rows/unit.h"

static void
require_units_of_one_row(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_protected_annotation(relation, &annotation);
	if (dps_rows_may_be_one_units(&annotation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("of units of several rows neither susceptibilities nor losses by training are known"),
				 errdetail("Which rows of a unit counted in an answer is not recorded, and no model is trained on such rows."),
				 errhint("dpsens.row_loss() says what such units have lost.")));
}

static void
refuse_units(Oid relation, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("losses of units of relation \"%s\" are not accounted for", get_rel_name(relation)),
			 errdetail("%s", detail),
			 errhint("dpsens.privacy_spent() says what bounds the loss of every unit.")));
}

/* Rows of a unit are found together by the text of its key. */
static void
check_units(Oid relation)
{
	DpsRelationAnnotation annotation;
	DpsAccountKey *key;

	dps_get_protected_annotation(relation, &annotation);
	if (dps_unit_is_lost(&annotation))
		refuse_units(relation, "It is not known any more which columns say whose a row is.");
	if (!dps_unit_has_rows(&annotation))
		return;
	if (annotation.unit_by_reference)
		refuse_units(relation, "The unit of a row is that of the row of another table that it refers to.");
	key = dps_unit_key(relation);
	if (key == NULL || !dps_unit_key_is_stable(key))
		refuse_units(relation, "A unit can have several rows, and equal keys of units can be written differently.");
}

void
dps_require_accounted(Oid relation)
{
	dps_check_annotatable(relation, 0);
	if (!dps_owns_relation(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	require_units_of_one_row(relation);
}

static DpsAudit
audit_rows(Oid relation, void (*check) (Oid relation))
{
	DpsAudit	audit;

	dps_check_annotatable(relation, 0);
	audit = dps_begin_audit(relation, DPS_AUDIT_ROWS);
	check(relation);
	return audit;
}

DpsAudit
dps_audit_accounted(Oid relation)
{
	return audit_rows(relation, require_units_of_one_row);
}

DpsAudit
dps_audit_units(Oid relation)
{
	return audit_rows(relation, check_units);
}
