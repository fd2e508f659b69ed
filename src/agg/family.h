/*
 * family.h
 *		What the families of dp aggregates share: how far a neighbour can move
 *		what a row adds, plans of noise, and drawing.
 */
#ifndef DPS_AGG_FAMILY_H
#define DPS_AGG_FAMILY_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "moment/grid.h"

/*
 * What a neighbouring relation (definitions, section 2) can do to a row, apart from
 * moving its value inside the range.  add_remove is not described this way.
 */
typedef struct DpsRowChange
{
	bool		values;			/* the value can change */
	bool		toggles;		/* the row can begin or cease to count */
	bool		moves;			/* it can move to another group */
} DpsRowChange;

extern DpsRowChange dps_row_change(const DpsFacts *facts);

/* Can a neighbour change anything at all? */
static inline bool
dps_can_change(DpsRowChange change)
{
	return change.values || change.toggles || change.moves;
}

/* DPS_DOMAIN and the reason if a row may toggle or move under metric, which
 * has no finite sensitivity then. */
extern DPS_MUST_USE DpsStatus dps_check_row(const DpsFacts *facts, const char **why);

/* DPS_DOMAIN and the reason unless the value has finite bounds. */
extern DPS_MUST_USE DpsStatus dps_check_value(const DpsFacts *facts, const char **why);

/* sup - inf, rounded up. */
extern double dps_value_length(const DpsFacts *facts);

/*
 * The furthest that the value of one row moves (it staying in its group,
 * counted before and after) under replace or attribute: in real terms, with
 * the evaluator's rounding, for choosing a grid, and in units of that grid.
 */
extern double dps_value_change(const DpsFacts *facts);
extern uint64 dps_value_change_units(const DpsFacts *facts, const DpsGrid *grid);

/* The grid that suits the sensitivity of one row, for units of as many rows as the facts
 * say. */
extern DpsGrid dps_facts_grid(const DpsFacts *facts, double sensitivity);

/* Copies the grid and the bounds to both plan constants. */
extern void dps_set_grid(const DpsFacts *facts, const DpsGrid *grid, DpsRelease *release, DpsSummand *summand);

/* The sensitivity of counts of which so many change by one each: 0, 1 or 2. */
extern void dps_set_count_sensitivity(DpsRelease *release, int counts);

/* How many times as much as one row, in the 2-norm, a unit changes of whose rows so many count at most, in
 * all and in a group (guard/trace/unit_rows.c): rounded up. */
extern double dps_unit_root(int64 rows, int64 rows_per_group);

/* How far a change of a column (agg/aggregate.h, moves) moves a plain sum, whose value has moved by these units
 * while the row counts. */
extern uint64 dps_sum_moves(const DpsRelease *release, const DpsColumnChange *change);

/* The furthest that a value moves with its row counting, in units of the grid: if a column moves what the
 * evaluator computes of it by `change`, rounded up. */
extern uint64 dps_change_units(double change, int grid, uint64 length);

/* The sensitivity of a plain sum, for dp_sum and for dp_avg over a public
 * number of rows. */
extern DPS_MUST_USE DpsStatus dps_derive_sum(const DpsFacts *facts, DpsRelease *release,
											 DpsSummand *summand, const char **why);

/* The same for a column of a weight of its own (derive_column). */
extern void dps_derive_sum_column(const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand,
								  DpsWeightedNorms *norms);

/* The release's sensitivity in the mechanism's norm. */
static inline uint64
dps_release_sensitivity(const DpsRelease *release, const DpsMechanism *mechanism)
{
	return mechanism->norm == 1 ? release->l1 : release->l2;
}

/* A count as an integer: so many units, of 2^count_grid. */
static inline uint64
dps_count_unit(const DpsRelease *release)
{
	return UINT64CONST(1) << -release->count_grid;
}

static inline __int128
dps_count_integer(const DpsRelease *release, int64 count)
{
	return (__int128) count * dps_count_unit(release);
}

static inline __int128
dps_sum_read(const DpsSum *sum)
{
	return (__int128) (((unsigned __int128) (uint64) sum->high << 64) | sum->low);
}

/* The sum of a state's first value. */
static inline __int128
dps_state_sum(const DpsState *state)
{
	return dps_sum_read(&state->sum[0]);
}

/* The step of noise for the release: a whole number, in units of its grid, if that is what it
 * releases; else 1. */
static inline uint64
dps_release_step(const DpsRelease *release)
{
	return release->whole && release->grid < 0 && release->grid > -DPS_STEP_BITS_LIMIT ? UINT64CONST(1) << -release->grid : 1;
}

/* The target of a release that has this many shares, at the plan's epsilon and delta. */
extern DpsTarget dps_target(const DpsRelease *release, const DpsNoisePlan *plan, int shares);

/* How many integers a unit moves that moves `of_group` in each of its groups.  Unless adjacency is
 * add_remove, it may also leave as many groups. */
static inline int
dps_integers_moved(const DpsRelease *release, int of_group)
{
	return of_group * release->unit_groups * (release->adjacency == DPS_ADD_REMOVE ? 1 : 2);
}

/* Plans one coordinate, of all integers together, for the release's sensitivity; in steps, if the
 * release is of whole numbers. */
extern DPS_MUST_USE DpsStatus dps_plan_integer(const DpsRelease *release, DpsNoisePlan *plan);

/*
 * value plus one draw of a coordinate's scale, or the value itself if the release is exact; raises
 * if the random source fails, or if the scale is 0 and the release is not exact (agg/proof.h).
 * Saturates.  Where noise is in steps the value is a multiple of them, and if it were not,
 * its nearest multiple would be taken: what is released never shows what is between.
 */
extern __int128 dps_add_noise(const DpsDraw *draw, int coordinate, __int128 value);

/* An answer of so many integers, to be drawn one by one. */
extern DpsAnswer *dps_answer_make(const DpsDraw *draw, int nnoised);

/* Sets an integer of an answer to the value plus noise, as dps_add_noise does. */
extern void dps_answer_draw(const DpsDraw *draw, int coordinate, DpsAnswer *answer, int k, __int128 value);

/* The same for integer k of the only coordinate: with its own scale, if noise is aimed. */
extern void dps_answer_draw_aimed(const DpsDraw *draw, DpsAnswer *answer, int k, __int128 value);

/* Sets all integers of an answer to the values plus one draw of K-norm noise. */
extern void dps_answer_draw_box(const DpsDraw *draw, DpsAnswer *answer, const __int128 *values);

/* The same with the scale of dps_focused_scale (agg/stages.h). */
extern void dps_answer_draw_focused(const DpsDraw *draw, uint64 bound, uint64 base, DpsAnswer *answer, int k, __int128 value);

/* Sets an integer to what is released already, or follows from that. */
extern void dps_answer_put(DpsAnswer *answer, int k, __int128 value);

/* The answer that a value of type dpsens_internal.answer holds; raises if its bytes are not one. */
extern const DpsAnswer *dps_answer_of_datum(Datum datum);

/* An integer of an answer as a double. */
extern double dps_answer_value(const DpsAnswer *answer, int k);

/* r >= 0 with P(|Z| > r) <= probability, for the noise Z of that integer. */
extern double dps_answer_tail(const DpsAnswer *answer, int k, double probability);

/* The step of the noise of an answer. */
static inline uint64
dps_answer_step(const DpsAnswer *answer)
{
	return UINT64CONST(1) << answer->step_bits;
}

/* The mechanism that drew an answer. */
extern const DpsMechanism *dps_answer_mechanism(const DpsAnswer *answer);

/* n 2^grid, grid <= 0, to the nearest integer, ties upward, as a bigint. */
extern int64 dps_nearest_count(__int128 n, int grid);

/* x, clamped into the bounds of the value. */
extern double dps_clamp_value(const DpsRelease *release, double x);

/* The 95 % tail of the noise of a coordinate, in grid units. */
extern double dps_plan_tail(const DpsNoisePlan *plan, int coordinate);

/* Explain integers that have noise of their own: in the unit of values; in rows, for counts. */
extern void dps_explain_integer(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation);
extern void dps_explain_count(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation);

/*
 * The functions that statistics.def names; DpsStatistic says what they do.  Intervals
 * of declared values are numbers of these, from 0.  There is no function
 * dps_finish_none: aggregate.c has NULL in its place.
 */
#define DPS_FINISH(f) \
	extern Datum f(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull);
#define DPS_INTERVAL(f) \
	extern void f(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n, \
				  DpsNoiseInterval *interval);
#define DPS_STATISTIC(name, family, nvalues, array, type, function, finishes, encloses) \
	DPS_FINISH(finishes) DPS_INTERVAL(encloses)
#define DPS_MOMENT_STATISTIC(name, nvalues, array, sums, type, function, finishes, formula, turns_on) \
	DPS_FINISH(finishes)
#include "agg/statistics.def"
DPS_INTERVAL(dps_interval_moment)
#undef DPS_FINISH
#undef DPS_INTERVAL
#undef DPS_STATISTIC
#undef DPS_MOMENT_STATISTIC

/* The interval of integer k of an answer, a number of dps_count_unit(release). */
extern void dps_interval_noised_count(const DpsRelease *release, const DpsAnswer *answer, int k, double miss,
									  DpsNoiseInterval *interval);

/* A float8[]. */
extern Datum dps_array_of_doubles(const double *values, int n);

#endif							/* DPS_AGG_FAMILY_H */
