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

/* The level of an interval if none is given. */
#define DPS_DEFAULT_LEVEL 0.95

struct DpsReleasePlan;

/* One dp aggregate of a query. */
typedef struct DpsRequest
{
	Aggref	   *aggref;			/* as the user wrote it */
	int			family;			/* row of dps_aggregates */
	int			statistic;		/* row of dps_statistics; -1: the release's value
								 * is the aggregate's */
	bool		interval;		/* the aggregate's variant that returns an interval */
	List	   *arguments;		/* of Node *: its values */
	Expr	   *epsilon;		/* as given by the user; NULL: the setting decides */
	DpsParameter *parameter;	/* quantiles or buckets, or NULL */
	Const	   *parameter_value;	/* the constant for them, or NULL */
	Expr	   *level;			/* of the interval, or NULL */
	bool		level_is_unknown;	/* of an interval that is drawn: it is not a constant */
	struct DpsReleasePlan *release;	/* the release that it is computed from, set by the
									 * rewriting */
	DpsFinish  *finish;			/* how it is computed from the release, or NULL */
	const char *set;			/* the grouping set, if there are several; else NULL */
	bool		is_fitted;		/* the answer is made to add up with those of the other sets */
} DpsRequest;

/* Reads an aggregate's request.  Raises an error if it is not supported as it is written. */
extern DpsRequest *dps_read_request(DpsProtectedSource *source, Aggref *aggref);

/* The aggregate with its simplified expression, "dp_sum(a * b)". */
extern char *dps_request_text(const DpsRequest *request);

/* Its values alone: "a * b", "*" for rows. */
extern char *dps_request_values(const DpsRequest *request);

/*
 * Can the request be computed from the release as well as from one of its own?
 * Then its finish and release are set.
 */
extern bool dps_share_release(DpsRequest *request, struct DpsReleasePlan *plan);

/* The moments that its statistic needs of its arguments, DpsMomentKind. */
extern int	dps_request_moments(const DpsRequest *request);

/* A measure that is larger for requests from whose release other requests can be computed. */
extern int	dps_request_breadth(const DpsRequest *request);

#endif							/* DPS_GUARD_RELEASE_AGGREGATE_REQUEST_H */
