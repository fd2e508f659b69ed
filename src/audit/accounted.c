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

static void
require_units_of_one_row(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_protected_annotation(relation, &annotation);
	if (dps_rows_may_be_one_units(&annotation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("losses of units of several rows are not accounted for"),
				 errdetail("Which rows of a unit counted in an answer is not recorded."),
				 errhint("dpsens.privacy_spent() says what bounds the loss of every unit.")));
}

void
dps_require_accounted(Oid relation)
{
	dps_check_annotatable(relation, 0);
	if (!dps_owns_relation(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	require_units_of_one_row(relation);
}

DpsAudit
dps_audit_accounted(Oid relation)
{
	DpsAudit	audit;

	dps_check_annotatable(relation, 0);
	audit = dps_begin_audit(relation, DPS_AUDIT_ROWS);
	require_units_of_one_row(relation);
	return audit;
}
