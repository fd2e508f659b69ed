/*
 * comparison.c
 *		Comparison operators, and the conclusions that they allow.
 *
 * The operators of a btree family must be consistent: a = b and b = c imply a = c,
 * whatever the types.  One of the server's families violates that.  In datetime_ops an
 * operator between timestamptz and a type without a zone depends on the session's time
 * zone, in which some local times occur twice and others never:
 *
 *		SET timezone = 'Europe/Berlin';
 *		'2020-03-29 02:30'::timestamp = '2020-03-29 01:30+00'::timestamptz	and
 *		'2020-03-29 03:30'::timestamp = '2020-03-29 01:30+00'::timestamptz
 *
 * are both true.  The server marks such operators as stable, so conclusions are drawn
 * from immutable operators only.  None are drawn from operators or families that are
 * not the server's own.
 *
 * For the same reason no such operator may reach the planner: merge joins, index scans
 * and derived equalities assume consistency.  Otherwise the rows that are read, or an
 * error "mergejoin input data is out of order", would depend on other rows.  A call of
 * the operator's function is an ordinary condition (guard/condition/attempt.c).
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "glue/import/comparison.h"
#include "glue/compat.h"

int
dps_comparison_strategy(Oid opno, Oid family)
{
	if (!OidIsValid(opno) || !OidIsValid(family) || opno >= FirstNormalObjectId || family >= FirstNormalObjectId ||
		op_volatile(opno) != PROVOLATILE_IMMUTABLE)
		return 0;
	return get_op_opfamily_strategy(opno, family);
}

int
dps_type_comparison_strategy(Oid opno, Oid type)
{
	return dps_comparison_strategy(opno, lookup_type_cache(getBaseType(type), TYPECACHE_BTREE_OPFAMILY)->btree_opf);
}

bool
dps_is_unsteady_comparison(Oid opno)
{
	return OidIsValid(opno) && op_volatile(opno) != PROVOLATILE_IMMUTABLE && dps_orderings_of(opno) != NIL;
}

bool
dps_same_equality(Oid a, Oid b)
{
	return a == b || (OidIsValid(a) && OidIsValid(b) && get_collation_isdeterministic(a) && get_collation_isdeterministic(b));
}
