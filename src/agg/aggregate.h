/*
 * aggregate.h
 *		The dp aggregates: from public facts to a plan, from exact states to a
 *		released value.
 *
 * A query with dp aggregates runs in two stages.  The exact stage sums, for
 * each group, the integers that the rows add (a DpsSummand says how) into an
 * opaque dpsens.state.  The release stage draws noise once per group and
 * aggregate (a DpsRelease says how much).  Both are constants of the plan,
 * flat varlenas without epsilon; equal aggregates have equal bytes.
 */
#ifndef DPS_AGG_AGGREGATE_H
#define DPS_AGG_AGGREGATE_H

#include "postgres.h"

#include "expr/program.h"
#include "glue/annotation.h"
#include "glue/cell.h"
#include "glue/receipt.h"
#include "noise/mechanism.h"

/* The kinds of plan constant, each with the version of its layout, and the
 * version of a state. */
#define DPS_SUMMAND_VERSION 0x0101
#define DPS_ATTEMPT_VERSION 0x0301
#define DPS_RELEASE_VERSION 0x0204
#define DPS_STATE_VERSION 1

/* What one row adds to a group. */
typedef struct DpsSummand
{
	int32		vl_len_;
	uint32		version;
	int32		ncells;			/* without a program (then 0): every row counts
								 * and adds 0 */
	int32		grid;			/* k: the unit is 2^k */
	int64		lo;				/* floor(L / 2^k) and ceil(U / 2^k): the integer
								 * is clamped into [lo, hi] */
	int64		hi;
	double		value_lo;		/* L and U: the value is clamped before it is
								 * scaled */
	double		value_hi;
	/* then the cells, then the program (one output), each 8-aligned */
} DpsSummand;

/* What a condition attempts (guard/attempt.h). */
typedef struct DpsAttempt
{
	int32		vl_len_;
	uint32		version;
	Oid			function;
	Oid			input;			/* InvalidOid, or the result type's input
								 * function, to be given the function's result
								 * as a string */
	Oid			param;			/* its second argument */
} DpsAttempt;

/* The exact result of a group. */
typedef struct DpsState
{
	int32		vl_len_;
	uint32		version;
	int64		count;			/* rows that were valid and not NULL */
	uint64		sum_low;		/* sum of their integers, 128 bits */
	int64		sum_high;
} DpsState;

/*
 * What is publicly known about one dp aggregate; made by the guard.
 * Sensitivities are those of MATH section 2 for one row per unit.
 */
typedef struct DpsFacts
{
	DpsAdjacency adjacency;
	bool		counts_rows;	/* dp_count(*): every selected row, no value */
	double		inf;			/* certified bounds of the value: inf <= f <= sup */
	double		sup;
	double		attribute;		/* max_j D_j over private columns, if adjacency
								 * is attribute */
	double		lipschitz;		/* K, if adjacency is metric; Infinity if refused */
	double		evaluation_error;	/* eta, if adjacency is attribute or metric */
	bool		value_is_private;	/* the value depends on a private column */
	bool		selection_is_private;	/* WHERE or FILTER depends on one */
	bool		validity_is_private;	/* whether the value is NULL depends on one */
	bool		key_is_private; /* a GROUP BY column is one */
} DpsFacts;

/* How a group's state becomes a value. */
typedef struct DpsRelease
{
	int32		vl_len_;
	uint32		version;
	int32		aggregate;		/* row of aggregates.def */
	int32		adjacency;
	int32		grid;			/* as in the summand */
	int32		divides_by_count;	/* dp_avg over a public number of rows */
	int32		vector;			/* the sensitivities are norms over two groups */
	int32		individual;		/* rows whose unit has lost too much are left
								 * out */
	int64		lo;				/* as in the summand */
	int64		hi;
	int64		centre;			/* dp_avg with a separate count: the integer
								 * subtracted from each row's */
	uint64		l1;				/* sensitivity of the (first) released integer or
								 * of the jointly released pair, by norm; 0:
								 * released exactly */
	uint64		l2;
	uint64		count_l1;		/* of a count released beside it, in units of
								 * 2^-40 */
	uint64		count_l2;
	double		sensitivity;	/* real-valued, for people: Delta of MATH
								 * section 2 */
	double		value_lo;		/* L and U: dp_avg is clamped into them after the
								 * noise */
	double		value_hi;
	int64		rows;			/* of the answer; it is drawn once for each */
	Oid			relation;		/* whose budget pays */
	Oid			role;			/* for whom the plan was made */
	uint32		is_restricted;	/* who may not read the relation itself */
	uint64		annotations;	/* fingerprint of those it was made from */
	char		texts[FLEXIBLE_ARRAY_MEMBER];	/* for the history: what is summed
												 * or counted, its zero byte, and
												 * what a row adds to it */
} DpsRelease;

/* The noise of one released integer. */
typedef struct DpsCoordinate
{
	uint64		sensitivity;	/* in grid units, in the mechanism's norm */
	uint64		scale;
	int			joined;			/* integers with this scale whose joint norm the
								 * sensitivity is */
} DpsCoordinate;

#define DPS_MAX_COORDINATES 2

/* What a release would look like at an epsilon, for explain. */
typedef struct DpsForecast
{
	double		scale;			/* of the (first) noise, in the value's unit */
	double		error_95;		/* half-width of the 95 % interval; NaN if it
								 * depends on a number of rows that is not given */
	double		error_95_per_row;	/* dp_avg: error_95 = this / rows, an upper
									 * bound over the unknown mean */
	DpsLoss		loss;			/* of one released row of the result */
	int			ncoordinates;	/* integers that get noise of their own scale */
	DpsCoordinate coordinate[DPS_MAX_COORDINATES];
	const char *note;			/* the split of the budget, or NULL */
} DpsForecast;

typedef struct DpsAggregate
{
	const char *name;			/* SQL name of the aggregate, e.g. "dp_sum" */
	Oid			result_type;
	const char *release_function;	/* SQL name in schema dpsens */

	/*
	 * Called by dps_aggregate_derive, which has zeroed both and set what does
	 * not depend on the family.
	 */
	DpsStatus	(*derive) (const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why);

	/*
	 * Draws; raises if it cannot.  Sets *isnull for dp_avg over a public
	 * number of rows that is 0.  The caller has checked epsilon and made the
	 * state of an empty group.
	 */
	Datum		(*release) (const DpsRelease *release, const DpsState *state, double epsilon,
							DpsReceipt *receipt, bool *isnull);

	/* rows <= 0: not given. */
	void		(*forecast) (const DpsRelease *release, const DpsMechanism *mechanism, double epsilon,
							 double delta, double rows, DpsForecast *forecast);
} DpsAggregate;

#define DPS_AGGREGATE(symbol) extern const DpsAggregate dps_aggregate_##symbol;
#include "agg/aggregates.def"
#undef DPS_AGGREGATE

/* In the order of aggregates.def; NULL at the end. */
extern const DpsAggregate *const dps_aggregates[];

/* Row of the aggregate of this SQL name, or -1. */
extern int	dps_aggregate_find(const char *name);

/*
 * Fills the release, ready to be a plan constant, and the header of the
 * summand (grid and bounds) from the facts, for a row of dps_aggregates.
 * DPS_DOMAIN: refused under this adjacency, *why says it in a message's style
 * (lower case, no full stop).
 */
extern DPS_MUST_USE DpsStatus dps_aggregate_derive(int aggregate, const DpsFacts *facts,
												   DpsRelease *release, DpsSummand *summand,
												   const char **why);

/* A copy of the release in CurrentMemoryContext that says what it is about;
 * contribution may be NULL. */
extern DpsRelease *dps_release_describe(const DpsRelease *release, const char *expression,
										const char *contribution);

/* What dps_release_describe was told. */
extern const char *dps_release_expression(const DpsRelease *release);
extern const char *dps_release_contribution(const DpsRelease *release);

/* The release that a value of type dpsens.plan holds; raises if its bytes are
 * not one of this version. */
extern const DpsRelease *dps_release_of_datum(Datum datum);

/*
 * Builds the summand's bytes in CurrentMemoryContext: the header is copied,
 * cells and program appended.  program is NULL for dp_count(*), and then
 * there are no cells.
 */
extern DpsSummand *dps_summand_build(const DpsSummand *header, const DpsCell *cells, int ncells,
									 const DpsProgram *program);

/* The parts of a summand; *program is NULL for dp_count(*).  Raises if the
 * bytes are not a summand of this version. */
extern void dps_summand_parts(const DpsSummand *summand, const DpsCell **cells,
							  const DpsProgram **program);

/*
 * Raises the error that PostgreSQL users expect for an epsilon that cannot be
 * used (NULL, NaN, out of range).  position is counted as errposition() does,
 * in characters from 1; 0 or less: none.
 */
extern void dps_check_epsilon(double epsilon, bool isnull, int position);

#endif							/* DPS_AGG_AGGREGATE_H */
