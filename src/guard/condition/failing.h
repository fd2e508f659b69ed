/*
 * failing.h
 *		What a row could make fail though its calls are attempted.
 */
#ifndef DPS_GUARD_CONDITION_FAILING_H
#define DPS_GUARD_CONDITION_FAILING_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * What of the expressions, over columns of one relation, may look at anything but the
 * row, or fail on a row where calls are attempted (attempt.h): a description for a
 * message, palloc'd, or NULL.  For whoever may read the relation: values may take
 * memory, and patterns may be cells.
 */
extern char *dps_find_failing(Node *expressions);

#endif							/* DPS_GUARD_CONDITION_FAILING_H */
