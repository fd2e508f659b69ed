/*
 * aggregate_request.h
 *		What one dp aggregate of a query asks for, and whether a release answers it.
 */
#ifndef DPS_GUARD_RELEASE_AGGREGATE_REQUEST_H
#define DPS_GUARD_RELEASE_AGGREGATE_REQUEST_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* Of an interval whose level is not given. */
#define DPS_DEFAULT_LEVEL 0.95

struct DpsReleasePlan;

/* One dp aggregate of a query. */
typedef struct DpsRequest
{
	Aggref	   *aggref;			/* as the user wrote it */
	int			family;			/* row of dps_aggregates */
	int			statistic;		/* row of dps_statistics; -1: the release's value
								 * is the aggregate's */
	bool		interval;		/* it is the companion with an interval */
	List	   *arguments;		/* of Node *: its values */
	Expr	   *epsilon;		/* the user's, or NULL for the setting */
	DpsParameter *parameter;	/* what else is asked for, or NULL */
	Const	   *parameter_value;	/* as it was given, or NULL */
	Expr	   *level;			/* of the interval, or NULL */
	bool		level_is_unknown;	/* one that is drawn */
	struct DpsReleasePlan *release;	/* that it is computed from, set by the rewriter */
	DpsFinish  *finish;			/* how, or NULL */
	const char *set;			/* that it is grouped by, if there are several;
								 * else NULL */
} DpsRequest;

/* What the aggregate asks for.  Raises an error if it cannot be answered as it is
 * written. */
extern DpsRequest *dps_read_request(DpsProtectedSource *source, Aggref *aggref);

/* The aggregate with its simplified expression, "dp_sum(a * b)". */
extern char *dps_request_text(const DpsRequest *request);

/* What it is about alone: "a * b", "*" for rows. */
extern char *dps_request_values(const DpsRequest *request);

/*
 * Can the request be computed from the release as well as from one of its own?
 * Then its finish and release are set.
 */
extern bool dps_share_release(DpsRequest *request, struct DpsReleasePlan *plan);

/* Which moments its statistic wants of its arguments, DpsMomentKind. */
extern int	dps_request_moments(const DpsRequest *request);

/* Requests that others can be computed from have more. */
extern int	dps_request_breadth(const DpsRequest *request);

#endif							/* DPS_GUARD_RELEASE_AGGREGATE_REQUEST_H */
