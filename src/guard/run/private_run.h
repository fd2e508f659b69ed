/*
 * private_run.h
 *		A node around all that reads protected rows, for roles that must not look.
 */
#ifndef DPS_GUARD_RUN_PRIVATE_RUN_H
#define DPS_GUARD_RUN_PRIVATE_RUN_H

#include "postgres.h"

#include "executor/instrument.h"
#include "nodes/pathnodes.h"

/* What the statement names; its cache entries are loaded before the first row. */
typedef struct DpsPrivateRun
{
	bool		joins;			/* the statement reads several relations */
	List	   *types;			/* OIDs */
	List	   *collations;		/* OIDs */
	List	   *enum_tables;	/* from dps_enum_tables() */
} DpsPrivateRun;

/* A path of the node around the path of a query that releases. */
extern Path *dps_private_run_path(RelOptInfo *rel, Path *below, const DpsPrivateRun *run);

/* The session's counters of pages and of the log's bytes, as EXPLAIN and similar modules read them. */
typedef struct DpsUsage
{
	BufferUsage buffers;
	WalUsage	wal;
} DpsUsage;

extern DpsUsage dps_usage_now(void);

/* Resets the counters to these values. */
extern void dps_usage_restore(const DpsUsage *usage);

/* Registers the node; called by dps_private_plan_init. */
extern void dps_private_run_init(void);

#endif							/* DPS_GUARD_RUN_PRIVATE_RUN_H */
