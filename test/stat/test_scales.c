/*
 * test_scales.c
 *		No release has less noise than its rows can do harm: for every family, mechanism,
 *		adjacency, limit on the rows of a unit and epsilon, scale times charge is at least
 *		what neighbours change, or the release is refused.
 *
 * Derives releases as they are shipped, from facts that are made up, and does by brute force
 * what a unit of m equal rows can do to the integers that are noised: all pairs of
 * rows from the ends of the ranges, their middle, 0 and others, a row that goes, or comes, or moves to
 * another group.  A change of c in the norm of the mechanism costs c / t at a scale of t of
 * Laplace noise, c^2 / 2 t^2 of Gaussian noise; the plan, which is what is charged, must
 * say at least that, coordinate by coordinate and in all, and of how many integers they move at
 * once, in all groups of the unit together.  Families that choose among points
 * are held to how far apart they bring the distances of two points.
 *
 * Then they are charged and drawn as a statement does it.  What the ledger is told costs what is
 * recomputed from its scales; each noised integer was drawn with one of them, and a choice by the law
 * that they state; a plan that was altered after the charge is not drawn by; and nothing
 * beyond the release's constant was read, which would end the program.  And the
 * gate that stands before draws and charges lets nothing pass that has no noise and no proof.
 *
 * Without chance, but for which rows are tried.
 */
#include "postgres.h"

#include <math.h>
#include <sys/mman.h>

#include "utils/array.h"

#include "agg/aggregate.h"
#include "agg/families/quantile.h"
#include "agg/families/tallied.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "base/once.h"
#include "guard/run/found_releases.h"
#include "guard/run/statement_charge.h"
#include "moment/moment.h"
#include "noise/flip.h"
#include "num/interval.h"

/* the server's are not here */
#undef printf
#undef vprintf
#undef fprintf
#undef snprintf
#undef qsort
#include "server_errors.h"
#include "splitmix.h"
#include "tap.h"

/* ---- randomness ---- */

static uint64 word_state = 20240711;

static uint64
next_word(void)
{
	return splitmix64(&word_state);
}

static bool
seeded_bytes(void *context, void *buffer, size_t size)
{
	unsigned char *bytes = buffer;
	size_t		i;

	for (i = 0; i < size; i++)
		bytes[i] = (unsigned char) next_word();
	return true;
}

/* ---- situations ---- */

static const double limits[] = {1.0, 10.0, 1e3, 1e6};
static const double epsilons[] = {0x1p-20, 0.001, 1.0, 64.0};

#define DELTA 1e-6
#define MOST_VALUES 5

/* What is private. */
typedef enum Privacy
{
	VALUE = 1,
	SELECTION = 2,
	KEY = 4
} Privacy;

static const int privacies[] = {VALUE, VALUE | SELECTION, VALUE | KEY, SELECTION, KEY, VALUE | SELECTION | KEY};

typedef struct Range
{
	double		lo;
	double		hi;
	bool		integral;
} Range;

static const Range ranges[] = {
	{-3.0, 17.0, false}, {0.0, 1.0, false}, {0.0, 122.0, true}, {1e-300, 1e-299, false}, {-1e300, 1.7e308, false},
	{1e15, 1e15 + 1.0, false}, {-1.7e308, 1.7e308, false}, {0.0, 1.0, true}, {-2.7, 25.3, true}
};

typedef struct Subject
{
	int			row;			/* of the family */
	const DpsAggregate *family;
	const DpsMechanism *mechanism;	/* of the settings, which records what it draws */
	DpsFacts	facts;
	DpsRelease	derived;
	DpsSummand	summand;
	DpsRelease *release;
	const DpsMomentDesign *moments;	/* of that family, else NULL */
	DpsMomentBasis basis;
	DpsNoisePlan plan;
	double		epsilon;
} Subject;


static bool
is_moments(const Subject *subject)
{
	return subject->family == &dps_aggregate_moments;
}

static bool
is_vector(const Subject *subject)
{
	return subject->family == &dps_aggregate_vector_sum || subject->family == &dps_aggregate_vector_mean;
}

/* How far an attribute moves each value: a tenth of its range. */
static double
reach(const Range *range)
{
	return range->hi / 10.0 - range->lo / 10.0;
}

static void
set_joint(DpsFacts *facts, bool centred)
{
	int			norm;
	int			i;

	for (norm = 1; norm <= 2; norm++)
	{
		DpsJointFacts *joint = &facts->joint[norm - 1];
		double		sum = 0.0;

		for (i = 0; i < facts->nvalues; i++)
		{
			double		half = facts->value[i].sup / 2.0 - facts->value[i].inf / 2.0;
			double		most = centred ? dps_round_up(half) : fmax(fabs(facts->value[i].inf), fabs(facts->value[i].sup));

			sum = norm == 1 ? dps_add_up(sum, most) : dps_round_up(hypot(sum, most));
		}
		joint->magnitude = sum;
		joint->distance = dps_mul_up(2.0, sum);
		joint->lipschitz = sum;
	}
}

static void
set_facts(Subject *subject, DpsAdjacency adjacency, int privacy, const Range *range, int nvalues, double limit)
{
	static double attributes[1][DPS_MAX_VALUES];
	DpsFacts   *facts = &subject->facts;
	int			i;

	memset(facts, 0, sizeof(*facts));
	facts->adjacency = adjacency;
	facts->inf = range->lo;
	facts->sup = range->hi;
	facts->integral = range->integral;
	facts->attribute = reach(range);
	facts->lipschitz = reach(range);
	facts->value_is_private = (privacy & VALUE) != 0;
	facts->selection_is_private = (privacy & SELECTION) != 0;
	facts->key_is_private = (privacy & KEY) != 0;
	/* all of its rows may be in one group all the same */
	facts->unit_groups = limit > 1.0 ? 3 : 1;
	facts->unit_l1 = facts->unit_l2 = limit;
	facts->nvalues = nvalues;
	facts->nattributes = 1;
	facts->attributes = attributes;
	for (i = 0; i < nvalues; i++)
	{
		facts->value[i] = (DpsValueFacts) {.inf = range->lo, .sup = range->hi, .lipschitz = reach(range)};
		attributes[0][i] = reach(range);
	}
	facts->moments = nvalues == 1 ? DPS_MOMENT_SQUARES : DPS_MOMENT_ALL;
	/* one value is a quantile, an array several */
	facts->parameter.nlevels = subject->family == &dps_aggregate_quantile ? 1 : 2;
	facts->parameter.level[0] = (DpsQuantile) {1, 2};
	facts->parameter.level[1] = (DpsQuantile) {1, 3};
	if (subject->family->parameter == DPS_NO_PARAMETER && subject->family->level.denominator != 0)
	{
		facts->parameter.nlevels = 1;
		facts->parameter.level[0] = subject->family->level;
	}
	facts->parameter.nbuckets = 3;
	facts->parameter.edges = NULL;
	facts->parameter.confidence = 0.95;
	if (subject->family->is_centred != NULL)
		set_joint(facts, subject->family->is_centred(facts));
}

/* ---- brute force: what a row adds to the noised integers ---- */

#define MOST_OUTPUTS 64

typedef struct Outputs
{
	int			n;
	__int128	value[MOST_OUTPUTS];
	int			coordinate[MOST_OUTPUTS];	/* with which it is noised; -1: with all */
} Outputs;

static void
add_output(Outputs *outputs, __int128 value, int coordinate)
{
	outputs->value[outputs->n] = value;
	outputs->coordinate[outputs->n++] = coordinate;
}

/* As agg/state/row_batch.c and agg/state/state.c do it. */
static int64
integer_of(const DpsSummandValue *value, double x)
{
	double		units = rint(ldexp(fmin(fmax(x, value->value_lo), value->value_hi), -value->grid));
	int64		integer = units >= 0x1p62 ? INT64_C(1) << 62 : units <= -0x1p62 ? -(INT64_C(1) << 62) : (int64) units;

	return Min(Max(integer, value->lo), value->hi);
}

static void
moment_outputs(const Subject *subject, const double *row, Outputs *outputs)
{
	__int128	moment[DPS_MAX_MOMENTS] = {1};
	int64		z[MOST_VALUES];
	int			i;
	int			j;
	int			k;

	for (i = 0; i < subject->facts.nvalues; i++)
	{
		z[i] = integer_of(&subject->summand.value[i], row[i]) - subject->summand.value[i].centre;
		moment[dps_moment_linear(i)] = z[i];
	}
	for (i = 0; i < subject->facts.nvalues; i++)
	{
		for (j = i; j < subject->facts.nvalues; j++)
		{
			int			m = dps_moment_cross(subject->moments, i, j);

			if (m >= 0)
				moment[m] = dps_moment_product(z[i], z[j], subject->moments->bits);
		}
	}
	for (i = 0; i < subject->basis.noutputs; i++)
	{
		__int128	sum = 0;

		for (k = 0; k < subject->basis.output[i].nterms; k++)
			sum += subject->basis.output[i].weight[k] * moment[subject->basis.output[i].moment[k]];
		add_output(outputs, sum, -1);
	}
}

static void
mean_outputs(const Subject *subject, int64 q, Outputs *outputs)
{
	const DpsRelease *release = subject->release;

	if (release->divides_by_count)
		add_output(outputs, q, -1);
	else if (subject->mechanism->norm == 1)
	{
		add_output(outputs, (__int128) q - release->lo, -1);
		add_output(outputs, (__int128) release->hi - q, -1);
	}
	else
	{
		add_output(outputs, (__int128) q - release->centre, 0);
		add_output(outputs, dps_count_unit(release), 1);
	}
}

static void
vector_outputs(const Subject *subject, const double *row, Outputs *outputs)
{
	/* as in vector_aggregates.c: two ints, then the weights of n by norm */
	const uint64 *weight = (const uint64 *) ((const char *) dps_release_design(subject->release) + 2 * sizeof(int32));
	uint64		limit = subject->mechanism->norm == 1 ? subject->summand.limit_l1 : subject->summand.limit_l2;
	unsigned __int128 squares = 0;
	unsigned __int128 sum = 0;
	int64		z[MOST_VALUES];
	int			i;

	for (i = 0; i < subject->facts.nvalues; i++)
	{
		uint64		size;

		z[i] = integer_of(&subject->summand.value[i], row[i]) - subject->summand.value[i].centre;
		size = (uint64) (z[i] < 0 ? -z[i] : z[i]);
		squares += (unsigned __int128) size * size;
		sum += size;
	}
	/* a row beyond the limit adds nothing but its centres */
	if (limit != 0 && (subject->mechanism->norm == 1 ? sum > limit : squares > (unsigned __int128) limit * limit))
		memset(z, 0, sizeof(z));
	for (i = 0; i < subject->facts.nvalues; i++)
		add_output(outputs, z[i], -1);
	if (weight[subject->mechanism->norm - 1] != 0)
		add_output(outputs, weight[subject->mechanism->norm - 1], -1);
}

static void
row_outputs(const Subject *subject, const double *row, Outputs *outputs)
{
	const DpsAggregate *family = subject->family;
	int			bucket;

	outputs->n = 0;
	if (is_moments(subject))
		moment_outputs(subject, row, outputs);
	else if (is_vector(subject))
		vector_outputs(subject, row, outputs);
	else if (family == &dps_aggregate_avg)
		mean_outputs(subject, integer_of(&subject->summand.value[0], row[0]), outputs);
	else if (family == &dps_aggregate_sum)
		add_output(outputs, (__int128) integer_of(&subject->summand.value[0], row[0]) * dps_release_step(subject->release), -1);
	else if (family == &dps_aggregate_bool_and || family == &dps_aggregate_bool_or ||
			 family == &dps_aggregate_and_interval || family == &dps_aggregate_or_interval)
		add_output(outputs, row[0] > subject->facts.inf / 2 + subject->facts.sup / 2 ? dps_count_unit(subject->release) : 0, -1);
	else if (family->is_distinct)
		/* whether one point is met */
		add_output(outputs, row[0] > subject->facts.inf / 2 + subject->facts.sup / 2 ? dps_count_unit(subject->release) : 0, -1);
	else if (subject->summand.tallies)
	{
		/* one of three buckets, which may be the points themselves */
		for (bucket = 0; bucket < 3; bucket++)
		{
			double		place = (row[0] / 2 - subject->facts.inf / 2) / (subject->facts.sup / 2 - subject->facts.inf / 2);

			add_output(outputs, Min((int) (place * 3), 2) == bucket ? dps_count_unit(subject->release) : 0, -1);
		}
	}
	else
		add_output(outputs, dps_count_unit(subject->release), -1);
}

/* What neighbours can do to the integers of a coordinate, at most. */
typedef struct Harm
{
	double		norm;			/* by which they move them */
	int			integers;		/* how many they move at once */
	bool		strays;			/* is one of the integers no multiple of the step? */
} Harm;

/* What m times the difference of two rows, or of a row and none (NULL), is in the norm, and how many
 * integers that moves if the rows are in as many groups as may be; moves: each in two groups. */
static void
add_change(const Subject *subject, const double *before, const double *after, bool moves, int coordinate, Harm *most)
{
	Outputs		was = {0};
	Outputs		is = {0};
	double		sum = 0.0;
	int			moved = 0;
	int			i;

	if (before != NULL)
		row_outputs(subject, before, &was);
	row_outputs(subject, after, &is);
	for (i = 0; i < is.n; i++)
	{
		double		one = before != NULL ? (double) was.value[i] : 0.0;
		double		two = (double) is.value[i];

		if (is.coordinate[i] >= 0 && is.coordinate[i] != coordinate)
			continue;
		if (coordinate < subject->plan.ncoordinates && is.value[i] % (__int128) subject->plan.coordinate[coordinate].step != 0)
			most->strays = true;
		if (before != NULL && !moves)
		{
			two -= one;
			moved += was.value[i] != is.value[i];
		}
		else
			moved += (is.value[i] != 0) + (moves && was.value[i] != 0);
		if (subject->mechanism->norm == 1)
			sum += fabs(two) + (moves ? fabs(one) : 0.0);
		else
			sum += two * two + (moves ? one * one : 0.0);
	}
	if (subject->mechanism->norm != 1)
		sum = sqrt(sum);
	most->norm = fmax(most->norm, sum * subject->facts.unit_l1);
	most->integers = Max(most->integers, moved * subject->facts.unit_groups);
}

static double
sample(double lo, double hi, int i)
{
	double		u = (double) (next_word() >> 11) * 0x1p-53;

	switch (i)
	{
		case 0:
			return lo;
		case 1:
			return hi;
		case 2:
			return lo / 2 + hi / 2;
		case 3:
			return lo <= 0 && hi >= 0 ? 0.0 : lo;
		default:
			return fmin(fmax(lo * (1.0 - u) + hi * u, lo), hi);
	}
}

#define ROWS 12

/* Of a sum of integers all rows are integers, whatever its bounds are. */
static bool
is_whole(const Subject *subject)
{
	return subject->family == &dps_aggregate_sum && subject->facts.integral;
}

/* The largest of all changes that neighbours can make. */
static Harm
brute_force(const Subject *subject, int coordinate)
{
	const DpsFacts *facts = &subject->facts;
	bool		values = facts->value_is_private;
	bool		toggles = facts->adjacency == DPS_ADD_REMOVE || facts->selection_is_private;
	double		row[ROWS][MOST_VALUES];
	Harm		most = {0};
	int			i;
	int			j;
	int			k;

	for (i = 0; i < ROWS; i++)
	{
		for (k = 0; k < MOST_VALUES; k++)
		{
			row[i][k] = sample(facts->inf, facts->sup, i < 6 ? (i >> k & 1) : (i < 9 ? i - 6 : 4));
			if (is_whole(subject))
				row[i][k] = fmin(fmax(rint(row[i][k]), ceil(facts->inf)), floor(facts->sup));
		}
	}
	for (i = 0; i < ROWS; i++)
	{
		if (toggles)
			add_change(subject, NULL, row[i], false, coordinate, &most);
		for (j = 0; j < ROWS && facts->adjacency != DPS_ADD_REMOVE; j++)
		{
			double		near[MOST_VALUES];

			memcpy(near, row[j], sizeof(near));
			for (k = 0; k < MOST_VALUES && facts->adjacency != DPS_REPLACE; k++)
			{
				near[k] = fmin(fmax(near[k], row[i][k] - facts->attribute), fmin(row[i][k] + facts->attribute, facts->sup));
				if (is_whole(subject))
					near[k] = rint(near[k]);
				/* rounded to beyond its reach */
				if (fabs(near[k] - row[i][k]) > facts->attribute)
					near[k] = row[i][k];
			}
			if (values)
				add_change(subject, row[i], near, false, coordinate, &most);
			if (facts->key_is_private)
				add_change(subject, row[i], values ? near : row[i], true, coordinate, &most);
		}
	}
	return most;
}

/* Under metric a value moves by K d and is rounded, which d0 allows for. */
static Harm
brute_force_metric(const Subject *subject, int coordinate)
{
	Harm		most = brute_force(subject, coordinate);
	Outputs		outputs;

	row_outputs(subject, (double[MOST_VALUES]) {0}, &outputs);
	/* products move by both of their values', so this is in proportion */
	most.norm = most.norm * (1.0 - 0x1p-19) - 4.0 * outputs.n * subject->facts.unit_l1;
	return most;
}

/* ---- choices ---- */

/* How far a unit can bring the distances of two points apart, over few tallies. */
static uint64
brute_force_range(const Subject *subject, DpsQuantile level)
{
	const DpsFacts *facts = &subject->facts;
	uint64		m = (uint64) facts->unit_l1;
	uint64		most = 0;
	int			from;
	int			to;
	int			k;

	for (from = -1; from < 3; from++)
	{
		for (to = -1; to < 3; to++)
		{
			DpsRun		before[3] = {{1, m + 7}, {1, m + 3}, {1, m}};
			DpsRun		after[3];
			DpsCandidate was[3];
			DpsCandidate is[3];
			int64		lo = INT64_MAX;
			int64		hi = INT64_MIN;

			if (from == to || ((from < 0 || to < 0) && facts->adjacency != DPS_ADD_REMOVE && !facts->selection_is_private &&
							   !facts->key_is_private) ||
				(from >= 0 && to >= 0 && (facts->adjacency == DPS_ADD_REMOVE || !facts->value_is_private)))
				continue;
			memcpy(after, before, sizeof(after));
			if (from >= 0)
				after[from].count -= m;
			if (to >= 0)
				after[to].count += m;
			if (level.denominator == 0)
			{
				for (k = 0; k < 3; k++)
				{
					was[k].distance = 4 * m + 10 - before[k].count;
					is[k].distance = 4 * m + 10 - after[k].count;
				}
			}
			else if (dps_level_is_extreme(level))
			{
				dps_rank_distances(5, level.numerator > 0, before, 3, was);
				dps_rank_distances(5, level.numerator > 0, after, 3, is);
			}
			else
			{
				dps_quantile_distances(level, before, 3, 0, 0, was);
				dps_quantile_distances(level, after, 3, 0, 0, is);
			}
			for (k = 0; k < 3; k++)
			{
				lo = Min(lo, (int64) (is[k].distance - was[k].distance));
				hi = Max(hi, (int64) (is[k].distance - was[k].distance));
			}
			most = Max(most, (uint64) (hi - lo));
		}
	}
	return most;
}

/* The levels of quantiles; 0 where values are counted, whatever the number of answers is. */
static int
number_of_levels(const Subject *subject)
{
	return subject->family == &dps_aggregate_top ? 0 : subject->release->nlevels;
}

static bool
choice_is_covered(Subject *subject)
{
	const DpsQuantile *levels = dps_release_design(subject->release);
	int			n = number_of_levels(subject);
	const DpsCoordinate *coordinate = &subject->plan.coordinate[0];
	int			i;

	/* a tree of counts: each of a row's levels changes by one, or two do */
	if (subject->plan.tree.height > 0)
	{
		double		least = ldexp(subject->facts.unit_l1, -(subject->release->count_grid));

		return (double) coordinate->sensitivity >= least;
	}
	for (i = 0; i < Max(n, 1); i++)
	{
		DpsQuantile level = n > 0 ? levels[i] : (DpsQuantile) {0, 0};
		uint64		range = n > 0 ? dps_level_range(subject->release, level) : dps_tallied_range(subject->release, 1, 2);
		double		share = subject->epsilon / coordinate->joined;
		DpsExponential law;
		uint64_t	units;

		if (brute_force_range(subject, level) > range ||
			dps_exponential_release(&law, share, range, &units) != DPS_OK ||
			units > coordinate->sensitivity || (double) units * 0x1p-40 > share ||
			(double) law.num * (double) range > (double) law.den * (double) units * 0x1p-40 * (1.0 + 1e-15))
			return false;
	}
	return true;
}

/* ---- the claim ---- */

/* What may be charged under Gaussian noise: as much as the least noise for one integer costs. */
static double
most_rho(const Subject *subject)
{
	DpsTarget	target = {subject->epsilon, DELTA, 1, 0};
	uint64_t	sensitivity = UINT64_C(1) << 40;
	uint64_t	scale;
	DpsLoss		loss;

	if (subject->mechanism->calibrate(&target, sensitivity, &scale) != DPS_OK)
		return INFINITY;
	subject->mechanism->loss(scale, 1, sensitivity, &loss);
	return loss.rho * (1.0 + 1e-6);
}

static bool
is_covered(Subject *subject)
{
	double		charged = 0.0;
	double		whole;
	int			i;

	for (i = 0; i < subject->plan.ncoordinates; i++)
	{
		const DpsCoordinate *coordinate = &subject->plan.coordinate[i];
		Harm		harm = subject->facts.adjacency == DPS_METRIC ? brute_force_metric(subject, i) : brute_force(subject, i);
		double		ratio = harm.norm / (double) coordinate->scale;
		DpsLoss		loss;

		/* what is charged for is what it can do */
		if (coordinate->scale == 0 || (double) coordinate->sensitivity * (1.0 + 1e-12) < harm.norm ||
			coordinate->joined < harm.integers || harm.strays)
			return false;
		subject->mechanism->loss(coordinate->scale, coordinate->step, coordinate->sensitivity, &loss);
		charged += subject->mechanism->norm == 1 ? loss.epsilon : loss.rho;
		if ((subject->mechanism->norm == 1 ? ratio : ratio * ratio / 2.0) >
			(subject->mechanism->norm == 1 ? loss.epsilon : loss.rho) * (1.0 + 1e-12))
			return false;
	}
	whole = subject->mechanism->norm == 1 ? subject->plan.loss.epsilon : subject->plan.loss.rho;
	return charged <= whole * (1.0 + 1e-12) &&
		(subject->mechanism->norm == 1 ? whole <= subject->epsilon : whole <= most_rho(subject));
}

/* ---- as charged ---- */

/* Scales of which noise was drawn. */
#define MOST_DRAWN 100000

static uint64_t drawn[MOST_DRAWN];
static uint64_t drawn_step[MOST_DRAWN];
static int	ndrawn;

static void
record(uint64_t scale, uint64_t step)
{
	if (ndrawn == MOST_DRAWN)
		return;
	drawn_step[ndrawn] = step;
	drawn[ndrawn++] = scale;
}

static DpsStatus
record_laplace(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	record(scale, step);
	return dps_laplace.draw(random, scale, step, noise);
}

static DpsStatus
record_gaussian(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	record(scale, step);
	return dps_gaussian.draw(random, scale, step, noise);
}

/* The mechanisms, which record. */
static const DpsMechanism *
recording(int row)
{
	static DpsMechanism mechanisms[2];

	mechanisms[row] = *dps_mechanisms[row];
	mechanisms[row].draw = dps_mechanisms[row] == &dps_laplace ? record_laplace : record_gaussian;
	return &mechanisms[row];
}

/* the server's, too */
void
pg_qsort(void *base, size_t n, size_t size, int (*compare) (const void *, const void *))
{
	qsort(base, n, size, compare);
}

ArrayType *
construct_array(Datum *elements, int nelements, Oid type, int length, bool byval, char align)
{
	return NULL;
}

static void
set_up_receipt(DpsReceipt *receipt, DpsPermit *permit)
{
	static DpsHost host = {.random_bytes = seeded_bytes};

	*receipt = (DpsReceipt) {.permits = permit, .npermits = 1};
	dps_random_init(&receipt->random, &host);
	permit->draws = 1;
}

static bool
permits_draw(const DpsPermit *permit)
{
	DpsPermit	copy = *permit;
	DpsReceipt	receipt;
	jmp_buf		outer;
	volatile bool permits = false;

	memcpy(outer, raised, sizeof(outer));
	set_up_receipt(&receipt, &copy);
	if (setjmp(raised) == 0)
		permits = dps_receipt_draw(&receipt, copy.release) == &copy.noise && copy.draws == 0;
	memcpy(raised, outer, sizeof(outer));
	return permits;
}

/* Is it drawn by as it is, and in no other way? */
static bool
is_sealed(const DpsPermit *permit)
{
	int			i;
	int			k;

	for (i = 0; i < permit->noise.ncoordinates; i++)
	{
		for (k = 0; k < 7; k++)
		{
			DpsPermit	altered = *permit;

			altered.noise.coordinate[i].scale -= k == 0;
			altered.noise.coordinate[i].scale += k == 1;
			altered.noise.coordinate[i].sensitivity += k == 2;
			altered.noise.coordinate[i].joined += k == 3;
			altered.noise.ncoordinates -= k == 4;
			altered.noise.silent = k == 5;
			altered.noise.coordinate[i].step *= k == 6 ? 2 : 1;
			if (permits_draw(&altered))
				return false;
		}
	}
	return permits_draw(permit);
}

/* Does the loss that is recorded follow from what is recorded beside it? */
static bool
is_charged_by_scales(const DpsChargeItem *item)
{
	const DpsMechanism *mechanism = dps_mechanism_find(item->mechanism);
	DpsLoss		loss = {0};
	int			i;

	for (i = 0; i < item->ncoordinates; i++)
		dps_add_loss(mechanism, (int64) item->sensitivities[i], (int64) item->scales[i], (int64) item->joined[i],
					 dps_step_of_name(item->mechanism, item->grid), &loss);
	return loss.epsilon == item->loss.epsilon && loss.rho == item->loss.rho && loss.delta == item->loss.delta;
}

static bool
is_charged_scale(const DpsChargeItem *item, uint64 scale)
{
	int			i;

	for (i = 0; i < item->ncoordinates; i++)
	{
		if (item->scales[i] == scale)
			return true;
	}
	return false;
}

/* The draws of the exponential mechanism are as many as charged at most, by the law of what each costs. */
static bool
is_chosen_as_charged(const Subject *subject, const DpsChargeItem *item)
{
	const DpsQuantile *levels = dps_release_design(subject->release);
	uint64		range = number_of_levels(subject) > 0 ? dps_level_range(subject->release, levels[0]) :
		dps_tallied_range(subject->release, 1, 2);
	const DpsExponential *law = dps_tallied_law(&subject->plan, range);

	return ndrawn == 0 && (uint64) subject->release->nlevels <= item->joined[0] && law->epsilon + 1 == item->sensitivities[0] &&
		(double) law->num / (double) law->den * (double) range <= ldexp((double) item->sensitivities[0], -DPS_EXPONENTIAL_BITS);
}

/* Charged and drawn for a group without rows. */
static bool
is_drawn_as_charged(Subject *subject)
{
	DpsTerms	terms = {.epsilon = subject->epsilon, .delta = DELTA, .mechanism = subject->mechanism};
	DpsState   *state = dps_state_make(subject->release->nsums);
	DpsChargeItem *item = dps_charge_item(subject->release, &terms, &subject->plan);
	DpsPermit	permit = dps_permit_of(subject->release, &subject->plan, item);
	DpsReceipt	receipt;
	DpsDraw		draw;
	bool		isnull;
	int			i;

	if (!is_charged_by_scales(item) || !is_sealed(&permit))
		return false;
	set_up_receipt(&receipt, &permit);
	draw = (DpsDraw) {subject->release, dps_receipt_draw(&receipt, subject->release), &receipt.random};
	ndrawn = 0;
	(void) subject->family->release(&draw, state, &isnull);
	if (subject->plan.mechanism == &dps_exponential || subject->plan.mechanism == &dps_flip)
		return is_chosen_as_charged(subject, item);
	for (i = 0; i < ndrawn; i++)
	{
		if (!is_charged_scale(item, drawn[i]) || drawn_step[i] != dps_step_of_name(item->mechanism, item->grid))
			return false;
	}
	return ndrawn > 0;
}

/* ---- all of them ---- */

typedef struct Tallies
{
	int			derived;
	int			refused;
	int			proved;
	int			released;
	int			uncovered;
	int			misdrawn;
	int			unanswered;		/* for an epsilon of no small size */
} Tallies;

static void
complain(const Subject *subject, int privacy, const char *what)
{
	diag("%s: %s, %s, adjacency %d, private %d, range %g to %g, %d values, %g rows, epsilon %g", what, subject->family->name,
		 subject->mechanism->name, subject->facts.adjacency, privacy, subject->facts.inf, subject->facts.sup,
		 subject->facts.nvalues, subject->facts.unit_l1, subject->epsilon);
}

/* Units of several rows have two adjacencies. */
static bool
is_admissible(const Subject *subject)
{
	return subject->facts.unit_l1 == 1.0 || subject->facts.adjacency == DPS_ADD_REMOVE || subject->facts.adjacency == DPS_REPLACE;
}

static void
try_epsilon(Subject *subject, int privacy, Tallies *tallies)
{
	bool		chooses = subject->family->chooses;

	if (setjmp(raised) != 0)
	{
		tallies->uncovered++;
		complain(subject, privacy, raised_with);
		return;
	}
	if (dps_release_plan_noise(subject->release, subject->mechanism, subject->epsilon, DELTA, &subject->plan) != DPS_OK)
	{
		tallies->refused++;
		if (subject->epsilon >= (is_admissible(subject) ? 0.001 : 1.0))
		{
			tallies->unanswered++;
			complain(subject, privacy, "refused");
		}
		return;
	}
	if (dps_release_is_public(subject->release))
	{
		tallies->proved++;
		/* the claim of the proof, by brute force */
		if (!chooses && brute_force(subject, 0).norm != 0.0)
		{
			tallies->uncovered++;
			complain(subject, privacy, "not public");
		}
		return;
	}
	tallies->released++;
	if (!(chooses ? choice_is_covered(subject) : is_covered(subject)))
	{
		tallies->uncovered++;
		complain(subject, privacy, "not covered");
	}
	if (!is_drawn_as_charged(subject))
	{
		tallies->misdrawn++;
		complain(subject, privacy, "not drawn as charged");
	}
}

#define ROOM (UINT64CONST(1) << 20)
#define PAGE 65536

/* A copy behind whose end no memory can be read, but for what aligns it: nothing may be, as
 * constants of a plan are as long as what they hold.  Until the next. */
static DpsRelease *
at_the_end_of_memory(const DpsRelease *release)
{
	static char *end = NULL;

	if (end == NULL)
	{
		char	   *room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (room == MAP_FAILED || mprotect(room + ROOM, PAGE, PROT_NONE) != 0)
			exit(1);
		end = room + ROOM;
	}
	return memcpy(end - MAXALIGN(VARSIZE(release)), release, VARSIZE(release));
}

static void
try_release(Subject *subject, int privacy, Tallies *tallies)
{
	const char *why = NULL;
	DpsStatus	status;
	int			i;

	tallies->derived++;
	if (setjmp(raised) != 0)
	{
		tallies->uncovered++;
		complain(subject, privacy, raised_with);
		return;
	}
	status = dps_aggregate_derive(subject->row, &subject->facts, &subject->derived, &subject->summand, &why);
	if (status != DPS_OK)
	{
		tallies->refused++;
		return;
	}
	subject->release = at_the_end_of_memory(dps_release_describe(&subject->derived, subject->summand.design, "x", NULL));
	if (is_moments(subject))
	{
		subject->moments = dps_release_design(subject->release);
		dps_moment_basis(subject->moments, subject->mechanism->norm, &subject->basis);
	}
	for (i = 0; i < (int) lengthof(epsilons); i++)
	{
		subject->epsilon = epsilons[i];
		try_epsilon(subject, privacy, tallies);
	}
}

static void
try_adjacency(Subject *subject, DpsAdjacency adjacency, int nvalues, Tallies *tallies)
{
	int			l;
	int			p;
	int			r;

	for (l = 0; l < (int) lengthof(limits); l++)
	{
		for (p = 0; p < (int) lengthof(privacies); p++)
		{
			for (r = 0; r < (int) lengthof(ranges); r++)
			{
				set_facts(subject, adjacency, privacies[p], &ranges[r], nvalues, limits[l]);
				try_release(subject, privacies[p], tallies);
			}
		}
	}
}

static void
try_family(int row)
{
	static const DpsAdjacency adjacencies[] = {DPS_ADD_REMOVE, DPS_REPLACE, DPS_ATTRIBUTE, DPS_METRIC};
	static const int counts[] = {1, 2, MOST_VALUES};
	const DpsAggregate *family = dps_aggregates[row];
	int			several = family == &dps_aggregate_moments || family->is_centred != NULL ? 3 : 1;
	int			m;
	int			a;
	int			n;

	for (m = 0; dps_mechanisms[m] != NULL; m++)
	{
		Tallies		tallies = {0};

		for (a = 0; a < (int) lengthof(adjacencies); a++)
		{
			for (n = 0; n < several; n++)
			{
				Subject		subject = {.row = row, .family = family, .mechanism = recording(m)};

				try_adjacency(&subject, adjacencies[a], counts[n], &tallies);
			}
		}
		ok(tallies.uncovered == 0 && tallies.misdrawn == 0 && tallies.released > 0,
		   "%s, %s: noise covers what units can do: %d of %d, %d public, %d refused", family->name, dps_mechanisms[m]->name,
		   tallies.released, tallies.derived * (int) lengthof(epsilons), tallies.proved, tallies.refused);
		ok(tallies.unanswered == 0, "%s, %s: answered from epsilon 0.001 on, whatever the limit", family->name, dps_mechanisms[m]->name);
	}
}

/* ---- the gate ---- */

static bool
passes(const DpsRelease *release, uint64 sensitivity, uint64 scale)
{
	if (setjmp(raised) != 0)
		return false;
	dps_check_scale(release, sensitivity, scale);
	return true;
}

static bool
passes_plan(const DpsRelease *release, const DpsNoisePlan *plan)
{
	if (setjmp(raised) != 0)
		return false;
	dps_check_plan(release, plan);
	return true;
}

static bool
passes_draw(const DpsRelease *release, uint64 scale, int ncoordinates)
{
	DpsHost		host = {.random_bytes = seeded_bytes};
	DpsRandom	random;
	DpsNoisePlan plan = {.mechanism = dps_mechanisms[0], .ncoordinates = ncoordinates, .coordinate = {{5, scale, 1, 1}}};
	DpsDraw		draw = {release, &plan, &random};

	dps_random_init(&random, &host);
	if (setjmp(raised) != 0)
		return false;
	(void) dps_add_noise(&draw, 0, 7);
	return true;
}

/* What is between the steps of noise is never released. */
static bool
hides_parts(void)
{
	DpsRelease	private = {.aggregate = 0};
	DpsHost		host = {.random_bytes = seeded_bytes};
	DpsRandom	random;
	DpsNoisePlan plan = {.mechanism = dps_mechanisms[0], .ncoordinates = 1, .coordinate = {{8, 24, 1, 8}}};
	DpsDraw		draw = {&private, &plan, &random};
	bool		hides = true;
	int			i;

	dps_random_init(&random, &host);
	for (i = -20; i < 20; i++)
		hides = hides && dps_add_noise(&draw, 0, i) % 8 == 0;
	return hides;
}

static void
test_gate(void)
{
	DpsRelease	private = {.aggregate = 0};
	DpsRelease	public = {.aggregate = 0, .proof = DPS_NOTHING_CHANGES};
	DpsNoisePlan nothing = {0};
	DpsNoisePlan free = {.ncoordinates = 1, .coordinate = {{.sensitivity = 5, .scale = 5, .joined = 1, .step = 1}}};
	DpsNoisePlan bare = {.ncoordinates = 1, .coordinate = {{.sensitivity = 5, .scale = 0, .joined = 1, .step = 1}}, .loss = {1.0, 1.0, 0.0}};
	DpsNoisePlan paid = {.ncoordinates = 1, .coordinate = {{.sensitivity = 5, .scale = 5, .joined = 1, .step = 1}}, .loss = {1.0, 0.5, 0.0}};

	ok(!passes(&private, 0, 0) && !passes(&private, 5, 0) && !passes(&private, 0, 5) && passes(&private, 5, 5),
	   "what is private needs a sensitivity and a scale");
	ok(passes(&public, 0, 0) && !passes(&public, 5, 0) && !passes(&public, 0, 5),
	   "what is proved to be public has neither");
	ok(!passes_draw(&private, 0, 1) && !passes_draw(&private, 5, 0) && passes_draw(&private, 5, 1) && passes_draw(&public, 0, 0),
	   "nothing private is drawn without a scale that was planned");
	ok(!passes_plan(&private, &nothing) && !passes_plan(&private, &free) && !passes_plan(&private, &bare) &&
	   passes_plan(&private, &paid), "nothing private is charged nothing");
	ok(passes_plan(&public, &nothing) && !passes_plan(&public, &paid), "nothing public is charged");
	ok(setjmp(raised) == 0 && hides_parts(), "nothing between the steps of noise is released");
}

/* Facts that are true of no row make a sensitivity of 0; that is no proof. */
static void
test_false_facts(void)
{
	DpsFacts	facts = {.adjacency = DPS_METRIC, .inf = 0.0, .sup = 1.0, .value_is_private = true, .unit_groups = 1,
		.unit_l1 = 1.0, .unit_l2 = 1.0, .evaluation_error = 1e-17, .lipschitz = 1e-17};
	DpsFacts	moments = {.adjacency = DPS_ADD_REMOVE, .inf = 0.0, .sup = 1.0, .value_is_private = true, .unit_groups = 1,
		.unit_l1 = 0x1p31, .unit_l2 = 0x1p31, .nvalues = MOST_VALUES, .moments = DPS_MOMENT_ALL};
	DpsRelease	release;
	DpsSummand	summand;
	const char *why = NULL;
	int			i;

	for (i = 0; i < MOST_VALUES; i++)
		moments.value[i] = (DpsValueFacts) {.inf = 0.0, .sup = 1.0};
	ok(setjmp(raised) == 0 &&
	   (dps_aggregate_derive(dps_aggregate_find("dp_sum"), &facts, &release, &summand, &why) != DPS_OK || release.l1 > 0),
	   "a tiny slope is noised or refused");
	ok(setjmp(raised) == 0 &&
	   (dps_aggregate_derive(dps_aggregate_find("moments"), &moments, &release, &summand, &why) != DPS_OK ||
		(release.l1 > UINT64CONST(1) << 31 && release.l2 > UINT64CONST(1) << 31)),
	   "two thousand million rows of a unit are noised or refused");
}

/* Which groups are shown: charged as two quotients, drawn by a law that must be theirs. */
static void
test_selection(void)
{
	DpsFacts	facts = {.adjacency = DPS_ADD_REMOVE, .counts_rows = true, .unit_groups = 3, .unit_l1 = 1.0, .unit_l2 = 1.0};
	DpsTerms	terms = {.delta = DELTA, .mechanism = dps_mechanisms[0]};
	DpsRelease	derived;
	DpsSummand	summand;
	DpsRelease *release;
	DpsNoisePlan plan;
	DpsChargeItem *item;
	DpsPermit	permit;
	DpsPermit	altered;
	const char *why = NULL;
	DpsReceipt	receipt;
	int			step;

	if (dps_aggregate_derive(dps_aggregate_find("GROUP BY"), &facts, &derived, &summand, &why) != DPS_OK)
		abort();
	release = dps_release_describe(&derived, NULL, "k", NULL);
	if (dps_release_plan_noise(release, terms.mechanism, 1.0, DELTA, &plan) != DPS_OK)
		abort();
	item = dps_charge_item(release, &terms, &plan);
	permit = dps_permit_of(release, &plan, item);
	ok(is_charged_by_scales(item) && item->loss.epsilon <= 1.0 && item->loss.delta > 0.0 && item->loss.delta <= DELTA,
	   "a selection of groups costs what its quotients say");
	altered = permit;
	altered.noise.partition.num++;
	ok(is_sealed(&permit) && !permits_draw(&altered), "and is drawn by their law alone");
	for (step = -1; step <= 1; step += 2)
	{
		altered = permit;
		altered.noise.partition.threshold += step;
		ok(!permits_draw(&altered), "with the threshold that was charged, not with one that differs by %d", step);
	}
	set_up_receipt(&receipt, &permit);
	ok(setjmp(raised) == 0 && dps_receipt_pass(&receipt, release, 1) == &permit.noise && dps_receipt_pass(&receipt, release, 2) == &permit.noise,
	   "groups pass one by one");
	permit.noise.partition.threshold--;
	ok(setjmp(raised) != 0 || dps_receipt_pass(&receipt, release, 3) == NULL, "each with the threshold that was charged");
	permit.noise.partition.threshold++;
	altered.noise.partition.threshold = 0;
	ok(!permits_draw(&altered), "nor with none");
	altered = permit;
	altered.noise.partition.groups--;
	ok(!permits_draw(&altered), "nor for units of fewer groups");
}

/* Integers that move together are calibrated as what they are, which is seen where they are many. */
static void
test_joined(void)
{
	DpsTarget	target = {1.0, 1e-6, 1, 0};
	DpsNoisePlan one;
	DpsNoisePlan two;

	dps_noise_plan_init(&one, &dps_gaussian, 1.0, 1e-6);
	dps_noise_plan_init(&two, &dps_gaussian, 1.0, 1e-6);
	ok(dps_noise_plan_add(&one, &target, 1, UINT64_C(1) << 40, 1) == DPS_OK && dps_noise_plan_add(&two, &target, 1, UINT64_C(1) << 40, 1 << 20) == DPS_OK &&
	   two.coordinate[0].scale > one.coordinate[0].scale, "a vector is no integer");
}

/* ---- noise that is aimed at attributes ---- */

#define AIMED_VALUES 4
#define AIMED_COLUMNS 3

/* How far each column moves each value, in parts of its range. */
static const double aimed_parts[AIMED_COLUMNS][AIMED_VALUES] = {{0.5, 0.0, 0.25, 0.0}, {0.0, 0x1p-10, 0.0, 0.0}, {0x1p-20, 0.0, 0.5, 0x1p-5}};

static void
set_aimed_facts(Subject *subject, const Range *range)
{
	static double attributes[AIMED_COLUMNS][DPS_MAX_VALUES];
	static AttrNumber numbers[AIMED_COLUMNS] = {4, 7, 9};
	DpsFacts   *facts = &subject->facts;
	int			i;
	int			j;

	set_facts(subject, DPS_ATTRIBUTE, VALUE, range, AIMED_VALUES, 1.0);
	facts->nattributes = AIMED_COLUMNS;
	facts->attributes = attributes;
	facts->attribute_columns = numbers;
	for (j = 0; j < AIMED_COLUMNS; j++)
	{
		for (i = 0; i < AIMED_VALUES; i++)
			attributes[j][i] = aimed_parts[j][i] * (range->hi / 2.0 - range->lo / 2.0);
	}
}

/* The furthest that changes of one column move the integers, each counted in its own scale, by rows of which the
 * column is at either end of how far it moves values, from many places. */
static double
aimed_harm(const Subject *subject, int column)
{
	const DpsFacts *facts = &subject->facts;
	double		most = 0.0;
	int			k;
	int			i;

	for (k = 0; k < 400; k++)
	{
		double		row[MOST_VALUES];
		double		near[MOST_VALUES];
		Outputs		was = {0};
		Outputs		is = {0};
		double		squares = 0.0;

		for (i = 0; i < MOST_VALUES; i++)
		{
			double		move = i < AIMED_VALUES ? facts->attributes[column][i] : 0.0;

			row[i] = sample(facts->inf, facts->sup, k < 4 ? k : 4);
			near[i] = row[i] > facts->inf / 2 + facts->sup / 2 ? row[i] - move : row[i] + move;
			/* rounded to beyond its reach */
			if (fabs(near[i] - row[i]) > move)
				near[i] = row[i];
		}
		row_outputs(subject, row, &was);
		row_outputs(subject, near, &is);
		for (i = 0; i < is.n; i++)
		{
			double		part = (double) (is.value[i] - was.value[i]) / (double) subject->plan.aim.scale[i];

			squares += part * part;
		}
		most = fmax(most, sqrt(squares));
	}
	return most;
}

/* Is an altered plan neither what was charged nor drawn by? */
static bool
refuses_aim(const Subject *subject, DpsPermit permit)
{
	volatile bool refused = false;
	DpsState   *state = dps_state_make(subject->release->nsums);
	DpsReceipt	receipt;
	DpsDraw		draw;
	bool		isnull;

	set_up_receipt(&receipt, &permit);
	if (setjmp(raised) == 0)
	{
		draw = (DpsDraw) {subject->release, dps_receipt_draw(&receipt, subject->release), &receipt.random};
		ndrawn = 0;
		(void) subject->family->release(&draw, state, &isnull);
	}
	else
		refused = ndrawn == 0;
	return refused;
}

static bool
aim_is_sealed(const Subject *subject, const DpsPermit *permit)
{
	int			i;

	for (i = 0; i <= AIMED_VALUES; i++)
	{
		DpsPermit	altered = *permit;

		ndrawn = 0;
		if (i == AIMED_VALUES)
			altered.noise.aim.n = 0;
		else
			altered.noise.aim.scale[i] /= 2;
		if (!refuses_aim(subject, altered))
			return false;
	}
	return is_sealed(permit);
}

/* Drawn with the scales of the aim, in their order; and a column is charged what it moves. */
static bool
aim_is_drawn(Subject *subject)
{
	DpsTerms	terms = {.epsilon = subject->epsilon, .delta = DELTA, .mechanism = subject->mechanism};
	DpsState   *state = dps_state_make(subject->release->nsums);
	DpsChargeItem *item = dps_charge_item(subject->release, &terms, &subject->plan);
	DpsPermit	permit = dps_permit_of(subject->release, &subject->plan, item);
	DpsReceipt	receipt;
	DpsDraw		draw;
	bool		isnull;
	int			i;

	if (!is_charged_by_scales(item) || !aim_is_sealed(subject, &permit))
		return false;
	set_up_receipt(&receipt, &permit);
	draw = (DpsDraw) {subject->release, dps_receipt_draw(&receipt, subject->release), &receipt.random};
	ndrawn = 0;
	(void) subject->family->release(&draw, state, &isnull);
	for (i = 0; i < ndrawn; i++)
	{
		if (drawn[i] != subject->plan.aim.scale[i] || drawn_step[i] != 1)
			return false;
	}
	return ndrawn == AIMED_VALUES;
}

static bool
column_is_covered(const Subject *subject, int column)
{
	const DpsCoordinate *charged = &subject->plan.coordinate[0];
	DpsColumnChange change = {.column = subject->facts.attribute_columns[column], .effect = DPS_COLUMN_VALUE};
	DpsColumnChange other = {.column = 5, .effect = DPS_COLUMN_VALUE};
	uint64		moves[DPS_MAX_COORDINATES] = {0};
	double		harm = aimed_harm(subject, column);

	if (!subject->family->moves(subject->release, &subject->plan, &change, moves) || moves[0] > charged->sensitivity ||
		harm * (1.0 - 1e-12) > (double) moves[0] / (double) charged->scale || moves[1] != 0)
		return false;
	/* of a row that may begin or cease to count, and of other columns, it says nothing */
	change.effect = DPS_COLUMN_COUNTS;
	return !subject->family->moves(subject->release, &subject->plan, &change, moves) &&
		!subject->family->moves(subject->release, &subject->plan, &other, moves);
}

/* Facts under which a row can do more than move values, or a unit has more rows, are not aimed at. */
static bool
is_aimed_without(Subject *subject, void (*change) (DpsFacts *facts))
{
	DpsFacts	facts = subject->facts;
	DpsRelease	derived;
	DpsSummand	summand;
	DpsRelease *release;
	DpsNoisePlan plan;
	const char *why = NULL;

	change(&facts);
	if (dps_aggregate_derive(subject->row, &facts, &derived, &summand, &why) != DPS_OK)
		return false;
	release = dps_release_describe(&derived, summand.design, "x", NULL);
	if (dps_release_plan_noise(release, subject->mechanism, 1.0, DELTA, &plan) != DPS_OK)
		return false;
	return plan.aim.n != 0;
}

static void
keep_facts(DpsFacts *facts)
{
	(void) facts;
}

static void
select_rows(DpsFacts *facts)
{
	facts->selection_is_private = true;
}

static void
null_values(DpsFacts *facts)
{
	facts->validity_is_private = true;
}

static void
move_rows(DpsFacts *facts)
{
	facts->key_is_private = true;
}

static void
replace_rows(DpsFacts *facts)
{
	facts->adjacency = DPS_REPLACE;
}

static void
add_rows(DpsFacts *facts)
{
	facts->adjacency = DPS_ADD_REMOVE;
}

static void
spread_units(DpsFacts *facts)
{
	facts->unit_groups = 3;
}

static void
take_one_column(DpsFacts *facts)
{
	facts->nattributes = 1;
	facts->attributes[0][1] = facts->attributes[0][2] = facts->attributes[0][3] = facts->attributes[0][0];
}

static void
try_aimed(int row)
{
	static void (*const changes[]) (DpsFacts *facts) = {select_rows, null_values, move_rows, replace_rows, add_rows, spread_units, take_one_column};
	Subject		subject = {.row = row, .family = dps_aggregates[row], .mechanism = recording(dps_mechanisms[0] == &dps_gaussian ? 0 : 1)};
	const char *why = NULL;
	int			released = 0;
	int			failed = 0;
	int			aimed = 0;
	int			r;
	int			e;
	int			j;

	for (r = 0; r < (int) lengthof(ranges); r++)
	{
		set_aimed_facts(&subject, &ranges[r]);
		if (dps_aggregate_derive(row, &subject.facts, &subject.derived, &subject.summand, &why) != DPS_OK)
			continue;
		subject.release = at_the_end_of_memory(dps_release_describe(&subject.derived, subject.summand.design, "x", NULL));
		for (e = 0; e < (int) lengthof(epsilons); e++)
		{
			subject.epsilon = epsilons[e];
			if (dps_release_plan_noise(subject.release, subject.mechanism, subject.epsilon, DELTA, &subject.plan) != DPS_OK || subject.plan.aim.n == 0)
				continue;
			released++;
			failed += !aim_is_drawn(&subject);
			for (j = 0; j < AIMED_COLUMNS; j++)
				failed += !column_is_covered(&subject, j);
		}
	}
	ok(released > 20 && failed == 0, "%s: %d releases of noise that is aimed cover what each column can do, and are drawn with their scales alone",
	   dps_aggregates[row]->name, released);
	for (j = 0; j < (int) lengthof(changes); j++)
	{
		set_aimed_facts(&subject, &ranges[0]);
		aimed += is_aimed_without(&subject, changes[j]);
	}
	set_aimed_facts(&subject, &ranges[0]);
	ok(aimed == 0 && is_aimed_without(&subject, keep_facts), "%s: rows that can do more than move values have noise of one scale", dps_aggregates[row]->name);
}

/* ---- units of several rows ---- */

#define UNIT_GROUPS 4
#define UNIT_VALUES 3

typedef struct Unit
{
	int			rows;
	int			rows_per_group;
	double		value[UNIT_VALUES];
	double		most;			/* square of the furthest that a unit moves all groups together */
} Unit;

/* The furthest that sums of so many values from the list are apart; of one row, if it is before or after. */
static double
furthest(const Unit *unit, int before, int after)
{
	double		lo = INFINITY;
	double		hi = -INFINITY;
	int			i;

	for (i = 0; i < UNIT_VALUES; i++)
	{
		lo = fmin(lo, unit->value[i]);
		hi = fmax(hi, unit->value[i]);
	}
	return fmax(fabs(after * hi - before * lo), fabs(after * lo - before * hi));
}

/* All ways to divide rows before and after over the groups from this one on. */
static void
divide_rows(Unit *unit, int group, int before, int after, double square)
{
	int			i;
	int			j;

	if (group == UNIT_GROUPS)
	{
		unit->most = fmax(unit->most, square);
		return;
	}
	for (i = 0; i <= Min(before, unit->rows_per_group); i++)
		for (j = 0; j <= Min(after, unit->rows_per_group); j++)
		{
			double		far = furthest(unit, i, j);

			divide_rows(unit, group + 1, before - i, after - j, square + far * far);
		}
}

/* The 2-norm by which units move sums, by brute force: no more than the root says, and as much where rows fill
 * whole groups. */
static void
test_unit_root(void)
{
	static const double values[][UNIT_VALUES] = {{0, 1, 1}, {-1, 1, 0.5}, {-3, 17, 4}, {0.25, 1, 0.5}, {-2, -1, 0}};
	bool		covered = true;
	bool		attained = true;
	int			v;
	int			m;
	int			m_g;
	int			replaces;

	for (v = 0; v < (int) lengthof(values); v++)
		for (m_g = 1; m_g <= 3; m_g++)
			for (m = m_g; m <= 6 && m <= UNIT_GROUPS * m_g; m++)
				for (replaces = 0; replaces <= 1; replaces++)
				{
					Unit		unit = {m, m_g, {values[v][0], values[v][1], values[v][2]}, 0.0};
					Unit		row = {1, 1, {values[v][0], values[v][1], values[v][2]}, 0.0};
					double		root = dps_unit_root(m, m_g);

					divide_rows(&unit, 0, replaces ? m : 0, m, 0.0);
					divide_rows(&row, 0, replaces ? 1 : 0, 1, 0.0);
					covered = covered && sqrt(unit.most) <= root * sqrt(row.most) * (1.0 + 1e-12);
					/* before in half of the groups and after in the others, or in the same ones */
					if (m % m_g == 0 && 2 * m / m_g <= UNIT_GROUPS)
						attained = attained && sqrt(unit.most) >= root * sqrt(row.most) * (1.0 - 1e-12);
				}
	ok(covered, "a unit of several rows moves no more than its root says");
	ok(attained, "and as much where its rows fill groups");
	ok(dps_unit_root(20, 1) < 4.4722 && dps_unit_root(20, 1) * dps_unit_root(20, 1) >= 20.0 && dps_unit_root(5, 5) == 5.0 &&
	   dps_unit_root(1, 1) == 1.0, "the root of 20 rows in as many groups is 4.47");
}

/* Without noise all is lost, which is charged, and what was charged so is drawn so. */
static void
test_silence(void)
{
	DpsNoisePlan plan;
	DpsTarget	target = {1.0, 0.0, 1, 0};
	DpsPermit	permit = {.release = &target, .ncharged = 1};

	dps_noise_plan_init(&plan, dps_mechanisms[0], 1.0, 0.0);
	if (dps_noise_plan_add(&plan, &target, 1, 5, 1) != DPS_OK)
		abort();
	permit.noise = plan;
	permit.charged[0] = plan.coordinate[0];
	ok(permits_draw(&permit) && plan.loss.epsilon <= 1.0, "noise that was charged is drawn");
	dps_noise_plan_silence(&permit.noise);
	ok(isinf(permit.noise.loss.epsilon) && isinf(permit.noise.loss.rho), "without noise everything is lost");
	ok(!permits_draw(&permit), "and nothing is drawn without noise that was charged with it");
	permit.charged[0].scale = 0;
	ok(permits_draw(&permit), "but what was charged so");
	permit.noise.silent = false;
	ok(!permits_draw(&permit), "which is not drawn as if it had noise");
}

/* The scale of a plan for one neighbour. */
static uint64
scale_of_one(const DpsMechanism *mechanism, double epsilon, uint64 sensitivity)
{
	DpsNoisePlan plan;
	DpsTarget	target = {epsilon, DELTA, 1, false};

	dps_noise_plan_init(&plan, mechanism, epsilon, DELTA);
	if (dps_noise_plan_add(&plan, &target, 1, sensitivity, 1) != DPS_OK)
		abort();
	return plan.coordinate[0].scale;
}

/* Does the move cost at most epsilon times the weight by Laplace noise of this scale?  In integers. */
static bool
costs_its_weight(double epsilon, const DpsWeightedMove *move, uint64 scale)
{
	uint64		a = dps_to_uint64(floor(ldexp(epsilon * move->weight, 40)));

	return (unsigned __int128) move->sensitivity << 40 <= (unsigned __int128) scale * a;
}

/* Each neighbour of a weight of its own loses at most its part of epsilon, no more noise is added than one of
 * them asks for, and what is charged is the loss of the furthest. */
static void
test_weights(void)
{
	static const double of_epsilon[] = {0.25, 1.0, 7.0};
	const DpsMechanism *mechanisms[] = {&dps_laplace, &dps_gaussian};
	int			wrong = 0;
	int			i;

	for (i = 0; i < 600; i++)
	{
		const DpsMechanism *mechanism = mechanisms[i % 2];
		double		epsilon = of_epsilon[i % 3];
		uint64		sensitivity = 1 + next_word() % (UINT64CONST(1) << 40);
		DpsWeightedMove moves[3];
		DpsTarget	target = {epsilon, DELTA, 1, 0};
		uint64		least = scale_of_one(mechanism, epsilon, sensitivity);
		DpsNoisePlan plan;
		int			k;

		dps_noise_plan_init(&plan, mechanism, epsilon, DELTA);
		for (k = 0; k < 3; k++)
		{
			moves[k].weight = ldexp((double) (16 + next_word() % 1000000), -20);
			moves[k].sensitivity = next_word() % (sensitivity + 1) * (uint64) (k > 0 || i % 5 != 0);
			if (moves[k].sensitivity > 0)
				least = dps_max(least, scale_of_one(mechanism, epsilon * moves[k].weight, moves[k].sensitivity));
		}
		if (dps_noise_plan_add_weighted(&plan, &target, 1, 1, sensitivity, 1, 3, moves) != DPS_OK)
			abort();
		for (k = 0; k < 3; k++)
			wrong += mechanism == &dps_laplace && !costs_its_weight(epsilon, &moves[k], plan.coordinate[0].scale);
		wrong += plan.coordinate[0].sensitivity != sensitivity || plan.coordinate[0].scale > least ||
			plan.coordinate[0].scale < scale_of_one(mechanism, epsilon, sensitivity) || plan.loss.epsilon > epsilon * (mechanism == &dps_laplace ? 1.0 : INFINITY);
	}
	ok(wrong == 0, "of %d plans with weights none has the wrong noise, but %d", i, wrong);
}

int
main(void)
{
	int			row;

	for (row = 0; dps_aggregates[row] != NULL; row++)
	{
		if (dps_aggregates[row] != &dps_aggregate_selection)
			try_family(row);
	}
	test_gate();
	test_selection();
	test_silence();
	test_weights();
	test_unit_root();
	test_joined();
	try_aimed(dps_aggregate_find(dps_aggregate_vector_sum.name));
	try_aimed(dps_aggregate_find(dps_aggregate_vector_mean.name));
	test_false_facts();
	return done_testing();
}
