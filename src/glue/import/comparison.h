/*
 * comparison.h
 *		Comparison operators, and the conclusions that they allow.
 */
#ifndef DPS_GLUE_IMPORT_COMPARISON_H
#define DPS_GLUE_IMPORT_COMPARISON_H

#include "postgres.h"

/*
 * The strategy of an operator in a btree family, if its equality is known to be
 * transitive and its order to be an order; else 0.  All code that needs a strategy must
 * get it here (test/structure.sh checks that).
 */
extern int	dps_comparison_strategy(Oid opno, Oid family);

/* The same for the type's default family. */
extern int	dps_type_comparison_strategy(Oid opno, Oid type);

/* Are the same values equal under both collations? */
extern bool dps_same_equality(Oid a, Oid b);

/* Is it a comparison whose result depends on more than its arguments? */
extern bool dps_is_unsteady_comparison(Oid opno);

#endif							/* DPS_GLUE_IMPORT_COMPARISON_H */
