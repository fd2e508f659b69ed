/*
 * comparison.c
 *		Operators that compare, and what they prove.
 *
 * The server's families of operators for btree indexes promise that their operators
 * agree: a = b and b = c says a = c, whatever the types.  One of them does not keep
 * that.  In datetime_ops an operator between timestamptz and a type without a zone
 * goes by the session's time zone, where an hour comes twice every autumn, or never:
 *
 *		SET timezone = 'Europe/Berlin';
 *		'2020-03-29 02:30'::timestamp = '2020-03-29 01:30+00'::timestamptz	and
 *		'2020-03-29 03:30'::timestamp = '2020-03-29 01:30+00'::timestamptz
 *
 * are both true.  The server calls such operators stable, so only immutable ones
 * prove anything here.  Somebody else's prove nothing either, nor do those in
 * somebody else's family.
 *
 * For the same reason none of them may reach the planner as an operator: merge
 * joins, index scans and derived equalities take the promise for granted, and then
 * which rows are met, or an error "mergejoin input data is out of order", depends on
 * other rows.  As a call of its function it is a condition like any other
 * (guard/condition/attempt.c).
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
