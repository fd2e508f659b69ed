/*
 * meter.h
 *		How far one row can move a release that was made: its individual
 *		sensitivity.
 */
#ifndef DPS_LEDGER_METER_H
#define DPS_LEDGER_METER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "glue/label/annotation.h"
#include "ledger/rows/contribution.h"
#include "ledger/ledger.h"

typedef struct DpsMeter DpsMeter;

/*
 * Compiles a contribution, into CurrentMemoryContext.  norm is that of the
 * mechanism that was used; limits are the release's own sensitivities, which no
 * row's can pass, n of them.  NULL if the relation's columns are not what they
 * were, or the contribution does not fit the numbers.  May raise for what
 * cannot be parsed any more.
 */
extern DpsMeter *dps_meter_make(const DpsContribution *contribution, DpsAdjacency adjacency, int norm,
								const uint64 *limits, int n, Oid relation);

/*
 * The sensitivity of each released integer to the row in ecxt_scantuple, in its
 * own units, n of them.  No row makes it fail.
 */
extern void dps_meter_read(DpsMeter *meter, ExprContext *context, uint64 *sensitivities);

#endif							/* DPS_LEDGER_METER_H */
