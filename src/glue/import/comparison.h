/*
 * comparison.h
 *		Operators that compare, and what they prove.
 */
#ifndef DPS_GLUE_IMPORT_COMPARISON_H
#define DPS_GLUE_IMPORT_COMPARISON_H

#include "postgres.h"

/*
 * The strategy of an operator in a btree family, if conclusions may be drawn from it:
 * that values equal to the same one are equal to each other, that an order is one.
 * 0 for anything else.  Nobody else asks for a strategy.
 */
extern int	dps_comparison_strategy(Oid opno, Oid family);

/* That of the default family of a type, which is looked up. */
extern int	dps_type_comparison_strategy(Oid opno, Oid type);

/* Do two collations call the same values equal? */
extern bool dps_same_equality(Oid a, Oid b);

/* Does the operator compare, and go by more than its arguments? */
extern bool dps_is_unsteady_comparison(Oid opno);

#endif							/* DPS_GLUE_IMPORT_COMPARISON_H */
