/*
 * aggregate.h
 *		The dp aggregates: from public facts to a plan, from exact states to a
 *		released value.
 *
 * A query with dp aggregates runs in three stages.  The exact stage sums, for
 * each group, the integers that the rows add (a DpsSummand says how) into an
 * opaque dpsens_internal.state.  The release stage draws noise once per group and
 * release (a DpsRelease says how much), into a dpsens_internal.answer: from there on all
 * is public.  The last stage computes statistics from answers (a DpsFinish says
 * which), any number of them from one.  All three are constants of the plan,
 * flat varlenas; equal ones have equal bytes.  What a release draws with is in none of them
 * but planned when it is charged (DpsNoisePlan).
 */
#ifndef DPS_AGG_AGGREGATE_H
#define DPS_AGG_AGGREGATE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "agg/tally.h"
#include "bound/vector/joint.h"
#include "expr/program.h"
#include "glue/import/cell.h"
#include "glue/label/annotation.h"
#include "glue/receipt.h"
#include "noise/plan.h"
#include "noise/quantile/quantile_mechanism.h"
#include "num/interval.h"

/* The kinds of plan constant, each with the version of its layout, and the
 * versions of a state and of an answer. */
#define DPS_SUMMAND_VERSION 0x0102
#define DPS_RELEASE_VERSION 0x020E
#define DPS_FINISH_VERSION 0x0301
#define DPS_ATTEMPT_VERSION 0x0405
#define DPS_STATE_VERSION 2
#define DPS_ANSWER_VERSION 3

/* A row has so many values at most, and so many products of two of them. */
#define DPS_MAX_VALUES DPS_MAX_ENTRIES
#define DPS_MAX_PRODUCTS (DPS_MAX_VALUES * (DPS_MAX_VALUES + 1) / 2)

/* How a value of a row becomes an integer. */
typedef struct DpsSummandValue
{
	int32		grid;			/* k: the unit is 2^k */
	int32		reserved;		/* 0: equal values have equal bytes */
	int64		lo;				/* floor(L / 2^k) and ceil(U / 2^k): the integer
								 * is clamped into [lo, hi] */
	int64		hi;
	int64		centre;			/* subtracted where products and norms are taken,
								 * not from the sum */
	double		value_lo;		/* L and U: the value is clamped before it is
								 * scaled */
	double		value_hi;
} DpsSummandValue;

/* The integers of two values, centred, are multiplied; the product is divided by
 * 2^shift and rounded to the nearest, ties upward. */
typedef struct DpsValueProduct
{
	int16		first;
	int16		second;
	int32		shift;
} DpsValueProduct;

/*
 * What one row adds to a group, if all of its values are numbers: 1 to the
 * count, each value's integer and each product to a sum of its own.
 */
typedef struct DpsSummand
{
	int			nvalues;		/* 0: every row counts */
	DpsSummandValue value[DPS_MAX_VALUES];
	int			nproducts;
	DpsValueProduct	product[DPS_MAX_PRODUCTS];
	uint64		limit_l1;		/* a row whose centred integers have a larger
								 * norm adds their centres; 0: no limit */
	uint64		limit_l2;
	bool		tallies;		/* of one value: its integers are counted one by
								 * one as points 0 ... hi - lo, and not added up */
	int			nedges;			/* if not 0: the integer is the number of the
								 * bucket between these edges */
	const double *edges;
	const void *design;			/* what the family's release needs to know beyond
								 * the fields of DpsRelease, or NULL */
	Size		design_size;
} DpsSummand;

/* What the labels that follow a DpsAttempt are for (glue/import/enum_labels.h). */
typedef enum DpsLabelUse
{
	DPS_NO_LABELS,
	DPS_LABEL_PLACE,			/* the argument's place among them, an int4 */
	DPS_LABEL_TEXT,				/* in the place of enum_out */
	DPS_TEXT_LABEL				/* in the place of enum_in */
} DpsLabelUse;

/* What a condition attempts (guard/condition/attempt.h). */
typedef struct DpsAttempt
{
	int32		vl_len_;
	uint32		version;
	Oid			function;
	Oid			input;			/* InvalidOid, or the result type's input
								 * function, to be given the function's result
								 * as a string */
	Oid			param;			/* its second argument */
	uint32		pattern;		/* DpsPatternKind of the second argument, if it
								 * must be looked at when it is known */
	uint32		longest;		/* bytes that its result may have */
	uint32		growth;			/* Growth of the function */
	uint32		labels;			/* DpsLabelUse */
	uint32		reads_zones;	/* 0 or 1: may the string name time zones? */
} DpsAttempt;

/* The labels, where there are any. */
#define DPS_ATTEMPT_LABELS(attempt) ((const DpsEnumLabels *) ((const char *) (attempt) + MAXALIGN(sizeof(DpsAttempt))))

/* The same as a constant of the plan. */
typedef struct DpsSummandPlan
{
	int32		vl_len_;
	uint32		version;
	int32		ncells;
	int32		nvalues;
	int32		nproducts;
	int32		tallies;
	uint64		limit_l1;
	uint64		limit_l2;
	int64		nedges;
	/* then the values, the products, the edges, the cells and the program (one
	 * output for each value), each 8-aligned */
} DpsSummandPlan;

/* 128 bits, two's complement. */
typedef struct DpsSum
{
	uint64		low;
	int64		high;
} DpsSum;

/* The exact result of a group. */
typedef struct DpsState
{
	int32		vl_len_;
	uint32		version;
	int32		nsums;			/* values, then products; none if they are
								 * tallied */
	uint32		points;			/* of a tally; 0 if none was met */
	uint32		nentries;		/* those that were met */
	uint32		reserved;
	int64		count;			/* rows that were valid and not NULL */
	DpsSum		sum[FLEXIBLE_ARRAY_MEMBER];
	/* then the entries of a tally, in the order of their points */
} DpsState;

static inline DpsTallyEntry *
dps_state_entries(const DpsState *state)
{
	return (DpsTallyEntry *) (state->sum + state->nsums);
}

/* One released integer. */
typedef struct DpsNoised
{
	DpsSum		value;			/* noise included */
	uint64		scale;			/* of the noise; 0: none */
} DpsNoised;

/* A state of no rows, with nsums sums, or with room for a tally's entries. */
extern DpsState *dps_state_make(int nsums);
extern DpsState *dps_state_make_tally(const DpsTally *tally);

/* Raises if the bytes are not a state of this version. */
extern void dps_state_check(const DpsState *state);

/* What a release yields for a group; public. */
typedef struct DpsAnswer
{
	int32		vl_len_;
	int32		nnoised:24;
	uint32		step_bits:8;	/* the noise is a multiple of 2^step_bits */
	/* there is one for each group */
	int64		version:8;
	int64		mechanism:7;	/* row of dps_mechanisms */
	uint64		is_box:1;		/* one draw for all of them; that row is of no use then */
	int64		count:48;		/* of rows that count, where that is public; else
								 * -1 */
	DpsNoised	noised[FLEXIBLE_ARRAY_MEMBER];
} DpsAnswer;

/* Of a sum or count that was made to add up with others, the fit is first, and what was drawn is here. */
#define DPS_ANSWER_DRAWN 1

/* What an aggregate's argument after the first says. */
typedef enum DpsParameterKind
{
	DPS_NO_PARAMETER,
	DPS_LEVELS,					/* a quantile or an array of them */
	DPS_BUCKETS,				/* a number of buckets or an array of edges */
	DPS_ANSWERS					/* how many answers: as many levels */
} DpsParameterKind;

/* The most quantiles, and the most buckets, that one release answers. */
#define DPS_MAX_LEVELS 128
#define DPS_MAX_BUCKETS 10000

typedef struct DpsParameter
{
	int			nlevels;
	DpsQuantile level[DPS_MAX_LEVELS];
	int			nbuckets;
	const double *edges;		/* nbuckets + 1 of them, ascending; NULL for
								 * buckets of equal width */
	double		confidence;		/* of intervals that are drawn */
} DpsParameter;

/* What one value of a row is known to be. */
typedef struct DpsValueFacts
{
	double		inf;			/* certified: inf <= f <= sup */
	double		sup;
	double		lipschitz;		/* K, if adjacency is metric */
	double		evaluation_error;	/* eta, if adjacency is attribute or metric or
									 * the family needs joint bounds */
} DpsValueFacts;

/* Certified bounds, in a norm, of the values as one vector f; c is the middle of each
 * range if the family asks for that, else 0. */
typedef struct DpsJointFacts
{
	double		magnitude;		/* sup |f - c| */
	double		distance;		/* sup |f - f'| over two rows, unless adjacency is
								 * add_remove or metric */
	double		lipschitz;		/* if adjacency is metric */
} DpsJointFacts;

/*
 * A private column of a relation under adjacency attribute, and what a change of it can
 * do to the row: no more than the facts say of any column.
 */
typedef struct DpsWeightedColumn
{
	AttrNumber	column;
	double		weight;			/* in (0, 1] */
	bool		is_value;		/* the values, and whether they are NULL, depend on it */
	bool		selects;		/* WHERE or FILTER depends on it */
	bool		is_key;			/* a GROUP BY key depends on it */
	int			attribute;		/* its row of the facts' attributes; -1: it moves values
								 * as any column can */
} DpsWeightedColumn;

typedef struct DpsWeights
{
	double		least;			/* of all columns that can matter at all */
	int			ncolumns;		/* those with an effect, or 0: they are not known */
	DpsWeightedColumn column[FLEXIBLE_ARRAY_MEMBER];
} DpsWeights;

/*
 * What is publicly known about one dp aggregate; made by the guard.
 * Sensitivities are those of definitions, section 2 for one row per unit; a unit of
 * several rows is known by two factors.
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
	int			unit_groups;	/* groups that a unit can have rows in */
	double		unit_l1;		/* an integer: a unit changes the exact result by
								 * no more than so many rows would, in the
								 * 1-norm */
	double		unit_l2;		/* and in the 2-norm, rounded up; 1 where a unit
								 * has one row */
	int			group_size;		/* so many units are protected together, which the factors
								 * above know already, but of a selection; 0 as 1 */
	bool		integral;		/* the value is always an integer */
	DpsParameter parameter;

	/* Of aggregates of several values; the first is described above, too, and
	 * what is said to be private or to be an attribute's is of any of them. */
	int			nvalues;
	DpsValueFacts value[DPS_MAX_VALUES];
	int			nattributes;	/* private columns */
	double	  (*attributes)[DPS_MAX_VALUES];	/* D_j of each value, by column */
	AttrNumber *attribute_columns;	/* the columns, several of which may be the same, and
									 * of several relations; NULL: not known */
	DpsWeights *weights;		/* of columns, NULL if all are 1 (agg/weights.h) */
	int			moments;		/* which ones are wanted, DpsMomentKind */
	DpsJointFacts joint[2];		/* by norm, 1 and 2, if the family asks */
} DpsFacts;

/* The most protected relations that a release joins to its own, indexes that prove that
 * joins do not multiply rows, and public relations that it reads. */
#define DPS_MAX_JOINED 6
#define DPS_MAX_PROOFS 16
#define DPS_MAX_BESIDE 31

typedef struct DpsJoined
{
	Oid			relation;
	bool		pays;			/* its budget, too */
	bool		needs_budget;	/* the role may not read it, and needs a budget */
	int16		reserved;		/* 0 */
} DpsJoined;

/* What a change of one private column of one row, and of nothing else, does to a release. */
typedef enum DpsColumnEffect
{
	DPS_COLUMN_NOTHING = 1,
	DPS_COLUMN_VALUE,			/* moves the row's value; it counts before and after, in the same group */
	DPS_COLUMN_COUNTS			/* the row can begin or cease to count, too, in one group */
} DpsColumnEffect;

/* Of other columns than these nothing is known. */
#define DPS_MAX_COLUMN_CHANGES 16

typedef struct DpsColumnChange
{
	Oid			relation;
	int16		column;
	int16		effect;			/* DpsColumnEffect */
	uint64		units;			/* the furthest that the first value moves while the row counts, in grid
								 * units; 0 of a count */
} DpsColumnChange;

/* How far columns of this weight move the integers of a release, as the sensitivities of a
 * release say it of all columns. */
typedef struct DpsWeightedNorms
{
	double		weight;
	uint64		l1;
	uint64		l2;
	uint64		count_l1;
	uint64		count_l2;
} DpsWeightedNorms;

/* More than so many weights are told apart no further. */
#define DPS_MAX_WEIGHTS 8

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
								 * released exactly, or drawn from a tally */
	uint64		l2;
	uint64		count_l1;		/* sensitivity of a count released beside it, in
								 * units of 2^count_grid */
	uint64		count_l2;
	double		sensitivity;	/* real-valued, for people: Delta of definitions,
								 * section 2 */
	double		value_lo;		/* L and U: dp_avg is clamped into them after the
								 * noise */
	double		value_hi;
	int32		nsums;			/* of the state */
	int32		design_size;	/* of the family's design, before the texts */
	int64		rows;			/* of the answer; each has its own draw */
	Oid			relation;		/* whose budget pays */
	Oid			role;			/* for whom the plan was made */
	uint32		is_restricted;	/* the role may not read the relation itself, or
								 * one of those joined */
	uint32		needs_budget;	/* the role may not read the relation itself */
	int32		njoined;		/* protected relations beside it */
	DpsJoined	joined[DPS_MAX_JOINED];
	int32		nproofs;
	uint32		reads_keys;		/* its groups were read from relations of these
								 * indexes when the plan was made */
	Oid			proofs[DPS_MAX_PROOFS];
	int32		nbeside;		/* public relations, if the role may not read all of
								 * the others */
	Oid			beside[DPS_MAX_BESIDE];
	uint64		annotations;	/* fingerprint of those it was planned from */
	uint32		points;			/* of a tally: 0 ... points - 1 */
	int32		nlevels;		/* quantiles that are asked for: the design; or how many
								 * values */
	int32		replaces;		/* a value can become another within its group */
	int32		removes;		/* a value can begin or cease to count in its group */
	int32		incomplete;		/* what is asked for was not known: not to be
								 * released */
	int32		unit_groups;	/* groups in which a unit can have rows; if several,
								 * what is released is a vector */
	int32		unit_rows;		/* a unit changes as many rows at most, in all
								 * groups together */
	int32		group_size;		/* units that are protected together: what is said here of a
								 * unit is true of them all at once, but in a selection */
	int32		selection;		/* that of the groups to be shown, if their keys are
								 * not declared: its number in the statement, from 1 */
	int32		number;			/* within the statement, from 1 */
	int32		replacement;	/* DpsReplacement: neighbours that lead from a row to
								 * another in its place */
	int32		nchanges;
	int32		whole;			/* what is released are whole numbers: the exact
								 * integers are multiples of 2^-grid, and so is
								 * what a neighbour changes of each */
	DpsColumnChange changes[DPS_MAX_COLUMN_CHANGES];	/* of columns with a budget of their own */
	double		epsilon;		/* as the user gave it; 0: that of the settings; NaN: that
								 * of an expression, which stands beside the release
								 * (guard/rewrite/level_release.c) */
	int32		count_grid;		/* counts are summed in units of 2^count_grid */
	int32		proof;			/* DpsExactnessProof: why no neighbour changes what is
								 * released; without a proof it is noised */
	double		weight;			/* noise is for epsilon times this, in (0, 1], of whatever
								 * column (agg/weights.h) */
	int32		nweighted;
	int32		arms;			/* of UNION ALL, in each of which a person can have a
								 * row; 1 without it */
	DpsWeightedNorms weighted[DPS_MAX_WEIGHTS]; /* noise is for each of these columns, at
												 * epsilon times its weight, too */
	char		rest[FLEXIBLE_ARRAY_MEMBER];	/* the design, 8-aligned; then for
												 * the history what is summed or
												 * counted, its zero byte, and
												 * what a row adds to it */
} DpsRelease;

/* Which statistic is computed from an answer. */
typedef struct DpsFinish
{
	int32		vl_len_;
	uint32		version;
	int32		statistic;		/* row of statistics.def */
	int32		nvalues;
	int16		value[DPS_MAX_VALUES];	/* which of the release's values the
										 * aggregate's arguments are */
} DpsFinish;

/* What a draw of a release needs; made for each draw from the permit of the statement. */
typedef struct DpsDraw
{
	const DpsRelease *release;
	const DpsNoisePlan *plan;
	DpsRandom  *random;
} DpsDraw;

/* What explain says of a plan, for people. */
typedef struct DpsExplanation
{
	double		scale;			/* of the (first) noise, in the value's unit */
	double		error_95;		/* half-width of the 95 % interval; NaN if it
								 * depends on a number of rows that is not given */
	double		error_95_per_row;	/* dp_avg: error_95 = this / rows, an upper
									 * bound over the unknown mean */
	const char *note;			/* the split of the budget, or NULL */
} DpsExplanation;

/* An estimate and the interval of its noise. */
typedef struct DpsNoiseInterval
{
	double		estimate;
	double		lower;
	double		upper;
	bool		isnull;			/* all three */
} DpsNoiseInterval;

/* What the argument of an aggregate says of a row. */
typedef enum DpsArgumentKind
{
	DPS_VALUE_ARGUMENT,			/* a number */
	DPS_VALID_ARGUMENT,			/* whether the row is valid */
	DPS_DECLARED_ARGUMENT,		/* which of a column's declared values it has */
	DPS_POINT_ARGUMENT,			/* the same, or an integer if it is no such
								 * column */
	DPS_GROUP_ARGUMENT			/* none: it is about groups */
} DpsArgumentKind;

typedef struct DpsAggregate
{
	/*
	 * A family without statistics of its own: SQL name of its aggregate, and its
	 * release function in schema dpsens_internal, which yields result_type (as it is
	 * declared: it may be polymorphic).  Else the name is for errors, and a
	 * release yields a dpsens_internal.answer.
	 */
	const char *name;
	Oid			result_type;
	const char *release_function;
	bool		sums_rows;		/* what is released with noise is a sum over rows,
								 * or changes by no more than one, and the
								 * noise depends on the norms of the release
								 * and its unit_rows alone: so units may have
								 * several rows */
	bool		is_distinct;	/* written with DISTINCT */
	DpsArgumentKind argument;
	DpsParameterKind parameter;
	bool		draws_interval; /* the level of the interval is a parameter, too */
	bool		chooses;		/* points of a tally are drawn, by their range, and no
								 * integer is noised */
	DpsQuantile level;			/* the quantile, if there is no parameter;
								 * denominator 0: none */

	/*
	 * Called by dps_aggregate_derive, which has zeroed both and set what does
	 * not depend on the family.
	 */
	DpsStatus	(*derive) (const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why);

	/*
	 * NULL: weights of columns hold for the release as a whole (agg/weights.h).  Else sets the norms of the
	 * release that derive has made from facts that say more, namely what a change of one column alone
	 * can do.
	 */
	void		(*derive_column) (const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand,
								  DpsWeightedNorms *norms);

	/*
	 * NULL unless the family needs joint bounds of its values.  Does it need those of
	 * the centred vector?  Called when the rest of the facts is known.
	 */
	bool		(*is_centred) (const DpsFacts *facts);

	/* Is the answer the same whatever the rows are?  NULL: no. */
	bool		(*has_one_answer) (const DpsFacts *facts, const DpsRelease *release);

	/*
	 * NULL unless the release can be adapted to its statistics.  Gets all finishes
	 * (const DpsFinish *) that are computed from the release, none of them with an
	 * interval, and may change the design, but not its size.
	 */
	void		(*focus) (DpsRelease *release, const List *finishes);

	/*
	 * Calibrates all noise of a release that is not public.  The plan has epsilon, delta and the
	 * mechanism of the settings, and is otherwise empty.  Fails if no scale is large enough.
	 * Nothing else calibrates: later steps use the plan.
	 */
	DpsStatus	(*plan) (const DpsRelease *release, DpsNoisePlan *plan);

	/*
	 * NULL unless it is known what a change of a column costs: how far one with another effect than
	 * DPS_COLUMN_NOTHING moves what each coordinate of the plan adds noise to, in the norm of the plan's
	 * mechanism, which adds noise to integers.  False: not known.
	 */
	bool		(*moves) (const DpsRelease *release, const DpsNoisePlan *plan, const DpsColumnChange *change,
						  uint64 moves[DPS_MAX_COORDINATES]);

	/* Sets scale, errors and note of a plan with noise in an empty explanation.  rows <= 0: not
	 * given. */
	void		(*explain) (const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation);

	/* NULL unless the 95 % error of a statistic is not that of the release: changes the explanation
	 * that explain has made. */
	void		(*explain_finish) (const DpsRelease *release, const DpsFinish *finish, const DpsNoisePlan *plan, double rows,
								   DpsExplanation *explanation);

	/*
	 * Draws by the plan; raises if it cannot.  The caller has made the state of an empty
	 * group.  Sets *isnull for a value that is NULL, never for an answer.
	 */
	Datum		(*release) (const DpsDraw *draw, const DpsState *state, bool *isnull);
} DpsAggregate;

#define DPS_AGGREGATE(symbol) extern const DpsAggregate dps_aggregate_##symbol;
#include "agg/aggregates.def"
#undef DPS_AGGREGATE

/* In the order of aggregates.def; NULL at the end. */
extern const DpsAggregate *const dps_aggregates[];

/* Row of the family, by its name, or -1. */
extern int	dps_aggregate_find(const char *name);

/* The same among the families that yield this type, with DISTINCT or without. */
extern int	dps_aggregate_find_variant(const char *name, Oid result_type, bool is_distinct);

struct DpsMomentBox;
struct DpsMomentPoint;

/* What is computed from an answer; public quantities only. */
typedef struct DpsStatistic
{
	const char *name;			/* SQL name of the aggregate; name_ci is the
								 * companion that yields an interval.  One that
								 * ends in _ci itself has no other form */
	const DpsAggregate *family;
	int			nvalues;		/* arguments before epsilon */
	bool		ends_with_array;	/* the last of them is an array of values */
	int			moments;		/* DpsMomentKind, of the moment family */
	Oid			result_type;
	const char *finish_function;	/* SQL name, in the internal schema */

	Datum		(*finish) (const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer,
						   bool *isnull);

	/*
	 * The interval that holds the statistic without noise with at least this
	 * probability; of an array those of its n entries, which hold all at once.
	 * NULL: there is none.
	 */
	void		(*interval) (const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer,
							 double level, int n, DpsNoiseInterval *interval);

	/* Of the moment family: moment/moment.h. */
	DpsStatus	(*evaluate) (const struct DpsMomentBox *box, struct DpsInterval *result);
	DpsStatus	(*evaluate_at) (const struct DpsMomentPoint *point, double *result);
	/* the sum on which it turns; equal for statistics that are functions of one another */
	DpsStatus	(*turns_on) (const struct DpsMomentBox *box, struct DpsInterval *result);
} DpsStatistic;

/* In the order of statistics.def; the name is NULL at the end. */
extern const DpsStatistic dps_statistics[];

/* Row of the statistic of this SQL name, with an array among its arguments or without;
 * -1 if there is none.  *interval: is it the name of the form with an interval? */
extern int	dps_statistic_find(const char *name, bool has_array, bool *interval);

/* Row of the statistic of this SQL name with DISTINCT, or -1. */
extern int	dps_statistic_find_distinct(const char *name);

/*
 * Fills the release, ready to be described, and the summand from the facts, for
 * a row of dps_aggregates.
 * DPS_DOMAIN: refused under this adjacency, *why says it in a message's style
 * (lower case, no full stop).
 */
extern DPS_MUST_USE DpsStatus dps_aggregate_derive(int aggregate, const DpsFacts *facts,
												   DpsRelease *release, DpsSummand *summand,
												   const char **why);

/*
 * The noise plan of a release, empty if that is public.  DPS_DOMAIN or DPS_UNABLE if no noise will
 * do; then the mechanism is set.  Raises if what is private would get no noise.
 */
extern DPS_MUST_USE DpsStatus dps_release_plan_noise(const DpsRelease *release, const DpsMechanism *mechanism, double epsilon,
													 double delta, DpsNoisePlan *plan);

/* What explain says of a release over so many rows; 0: not given. */
extern void dps_release_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation);

/* A copy of the release in CurrentMemoryContext that says what it is about, a
 * plan constant; design and contribution may be NULL.  The design's size is the
 * release's. */
extern DpsRelease *dps_release_describe(const DpsRelease *release, const void *design, const char *expression,
										const char *contribution);

/* The family's design, NULL if it has none. */
extern const void *dps_release_design(const DpsRelease *release);

/* What dps_release_describe was told. */
extern const char *dps_release_expression(const DpsRelease *release);
extern const char *dps_release_contribution(const DpsRelease *release);

/* The release that a value of type dpsens_internal.plan holds; raises if its bytes are
 * not one of this version. */
extern const DpsRelease *dps_release_of_datum(Datum datum);

/* The release that is the first argument of a release function, and the receipt to draw it
 * under; errors where there is none. */
extern const DpsRelease *dps_release_argument(FunctionCallInfo fcinfo);
extern DpsReceipt *dps_release_receipt(void);

/*
 * Builds the summand's bytes in CurrentMemoryContext, cells and program
 * appended.  program is NULL where every row counts, and then there are no
 * cells.
 */
extern DpsSummandPlan *dps_summand_build(const DpsSummand *summand, const DpsCell *cells, int ncells,
										 const DpsProgram *program);

/* A copy whose cells are doubles that have been brought into their ranges, in
 * CurrentMemoryContext. */
extern DpsSummandPlan *dps_summand_of_doubles(const DpsSummandPlan *summand);

/* The parts of a summand's bytes; program is NULL where every row counts. */
typedef struct DpsSummandParts
{
	const DpsSummandValue *values;
	const DpsValueProduct *products;
	const double *edges;
	const DpsCell *cells;
	const DpsProgram *program;
} DpsSummandParts;

/* Raises if the bytes are not a summand of this version. */
extern void dps_summand_parts(const DpsSummandPlan *summand, DpsSummandParts *parts);

/*
 * Raises the error that PostgreSQL users expect for an epsilon that cannot be
 * used (NULL, NaN, out of range).  position is counted as errposition() does,
 * in characters from 1; 0 or less: none.
 */
extern void dps_check_epsilon(double epsilon, bool isnull, int position);

/* The same for the level of an interval, which is in (0, 1). */
extern void dps_check_level(double level, bool isnull, int position);

/* Raises the error of an aggregate that was planned without dpsens. */
extern void dps_refuse_stub(void);

#endif							/* DPS_AGG_AGGREGATE_H */
