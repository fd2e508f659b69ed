/*
 * private_run.h
 *		A node around all that reads protected rows, for roles that must not look.
 */
#ifndef DPS_GUARD_RUN_PRIVATE_RUN_H
#define DPS_GUARD_RUN_PRIVATE_RUN_H

#include "postgres.h"

#include "executor/instrument.h"
#include "nodes/pathnodes.h"

/* What a statement names whose caches are opened before the first row. */
typedef struct DpsPrivateRun
{
	bool		joins;			/* it reads several relations */
	List	   *types;			/* OIDs */
	List	   *collations;		/* OIDs */
	List	   *enum_tables;	/* of dps_enum_tables() */
} DpsPrivateRun;

/* The path around one that releases. */
extern Path *dps_private_run_path(RelOptInfo *rel, Path *below, const DpsPrivateRun *run);

/* What the server has counted of pages and of its log, for EXPLAIN and its like. */
typedef struct DpsUsage
{
	BufferUsage buffers;
	WalUsage	wal;
} DpsUsage;

extern DpsUsage dps_usage_now(void);

/* Makes the server forget what it has counted since. */
extern void dps_usage_restore(const DpsUsage *usage);

/* Registers the node; called by dps_private_plan_init. */
extern void dps_private_run_init(void);

#endif							/* DPS_GUARD_RUN_PRIVATE_RUN_H */
