/*
 * test_stages.c
 *		The law of releases in two stages: what is drawn, at which scale and about
 *		which sum, is what agg/stages.c, moments.c and avg.c prove to be private.
 *
 * Calls the release functions that are shipped, with a seed of its own for their
 * randomness, and looks at the integers of the answers.  Each case is 10,000 releases
 * about the same rows.  Of each release, without chance:
 *
 * - the first stage's scale is the least for its share of the loss, and the second's
 *	 is within the rest: both as explain says them;
 * - the sums of the second stage follow from what the first released and from nothing
 *	 else: they are computed again from its noised integers;
 * - no row of a grid adds more to them, in the norm, than their scale allows for, which is no less than
 *	 the one that is charged.
 *
 * By chance: U, the place of a draw's noise in the distribution of its scale, is uniform,
 * for each integer of the first stage; so it is for the second stage's, given that the
 * noise of an integer of the first was above its median, or below; and whether
 * both are above it is a toss of a coin.  A distance sqrt(n) D beyond 3.4 of an empirical
 * distribution has a probability of at most 2 exp(-2 3.4^2) = 1.9e-10 (Massart 1990), a share of
 * heads beyond 3.4 / sqrt(n) of 1/2 too (Hoeffding 1963).  There are fewer than 1,000 such
 * tests: the false-alarm rate is below 2e-7.
 *
 *	STAGES_SEED=17 build/stat/test_stages
 *
 * draws others; a failure prints the seed.  The test's own eyes: noise of 0.7 of its
 * scale would be found out, and so would a second stage that knows the first's noise.
 * The distribution of the former is 0.065 from the uniform one, 6.5 / sqrt(n), so that it
 * is within 3.4 with a probability of at most 2 exp(-2 3.1^2) = 9e-9; heads of the latter are 3/4.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/pg_list.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "moment/moment_focus.h"

/* the server's are not here */
#undef printf
#undef vprintf
#undef fprintf
#undef snprintf
#undef qsort
#include "splitmix.h"
#include "tap.h"

#define RUNS 10000
#define LIMIT 3.4
#define MOST_INTEGERS (2 * DPS_FEW_MOMENTS)

static uint64 seed = 20240601;
static uint64 word_state;

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

	(void) context;
	for (i = 0; i < size; i++)
		bytes[i] = (unsigned char) next_word();
	return true;
}

/* ---- what is released ---- */

typedef struct Case
{
	const char *statistic;
	bool		of_pair;		/* of two values */
	int			rows;
	int			shares;			/* as the headers state them */
	int			focusing;		/* norms of which the second stage is of other sums more
								 * often than not */
} Case;

#define NONE 0
#define LAPLACE 1
#define BOTH 2

static const Case cases[] = {
	{"dp_var_pop", false, 4000, 10, LAPLACE},
	{"dp_stddev", false, 3, 10, NONE},
	{"dp_covar_samp", true, 4000, 10, BOTH},
	{"dp_corr", true, 4000, 7, BOTH},
	{"dp_corr", true, 3, 7, NONE},
	{"dp_regr_slope", true, 4000, 7, BOTH},
	{"dp_regr_intercept", true, 60000, 7, BOTH},
	{"dp_avg", false, 4000, 10, LAPLACE},
	{"dp_avg", false, 3, 10, NONE},
};

/* Everything about a release that is fixed. */
typedef struct Subject
{
	const Case *what;
	const DpsMechanism *mechanism;
	const DpsAggregate *family;
	DpsRelease *release;
	DpsState   *state;
	const DpsMomentDesign *design;	/* NULL: a mean */
	DpsMomentBasis basis;
	__int128	moment[DPS_MAX_MOMENTS];
	DpsNoisePlan plan;
	DpsDraw		draw;
	DpsRandom	random;
	DpsHost		host;
} Subject;

static double
fraction(double x)
{
	return x - floor(x);
}

/* Row i of value k as an integer of its range. */
static int64
row_value(int i, int k, int64 lo, int64 hi)
{
	double		x = fraction(0.6180339887 * i);
	double		place = k == 0 ? 0.2 + 0.2 * x + 0.1 * fraction(0.3247179572 * i) : x;

	return lo + (int64) (place * (double) (hi - lo));
}

static void
set_sum(DpsState *state, int k, __int128 value)
{
	state->sum[k].low = (uint64) value;
	state->sum[k].high = (int64) (value >> 64);
}

/* Adds rows as the engine does: integers, and products of centred ones. */
static void
add_rows(Subject *subject, const DpsSummand *summand)
{
	__int128	sum[DPS_MAX_MOMENTS] = {0};
	int			i;
	int			k;

	for (i = 0; i < subject->what->rows; i++)
	{
		int64		centred[2] = {0};

		for (k = 0; k < summand->nvalues; k++)
		{
			int64		integer = row_value(i, k, summand->value[k].lo, summand->value[k].hi);

			sum[k] += integer;
			centred[k] = integer - summand->value[k].centre;
			subject->moment[1 + k] += centred[k];
		}
		for (k = 0; k < summand->nproducts; k++)
		{
			const DpsValueProduct *product = &summand->product[k];

			sum[summand->nvalues + k] += dps_moment_product(centred[product->first], centred[product->second], product->shift);
		}
	}
	subject->moment[0] = subject->what->rows;
	subject->state = dps_state_make(summand->nvalues + summand->nproducts);
	subject->state->count = subject->what->rows;
	for (k = 0; k < summand->nvalues + summand->nproducts; k++)
	{
		set_sum(subject->state, k, sum[k]);
		if (k >= summand->nvalues)
			subject->moment[1 + k] = sum[k];
	}
}

/* Tells the release that it is for this statistic alone. */
static void
focus(Subject *subject, int statistic)
{
	DpsFinish	finish = {.statistic = statistic, .nvalues = subject->what->of_pair ? 2 : 1, .value = {0, 1}};
	ListCell	cell = {.ptr_value = &finish};
	List		finishes = {.type = T_List, .length = 1, .max_length = 1, .elements = &cell};

	if (subject->family->focus != NULL)
		subject->family->focus(subject->release, &finishes);
}

static void
set_up(Subject *subject, const Case *what, const DpsMechanism *mechanism)
{
	DpsFacts	facts = {.adjacency = DPS_ADD_REMOVE, .inf = -3.0, .sup = 17.0, .value_is_private = true, .unit_groups = 1, .unit_l1 = 1.0, .unit_l2 = 1.0};
	DpsRelease	release;
	DpsSummand	summand;
	const char *why = NULL;
	bool		interval;
	int			statistic = dps_statistic_find(what->statistic, false, &interval);
	int			row = 0;

	memset(subject, 0, sizeof(*subject));
	subject->what = what;
	subject->mechanism = mechanism;
	subject->family = dps_statistics[statistic].family;
	while (dps_aggregates[row] != subject->family)
		row++;
	facts.nvalues = what->of_pair ? 2 : 1;
	facts.value[0] = (DpsValueFacts) {.inf = -3.0, .sup = 17.0};
	facts.value[1] = (DpsValueFacts) {.inf = 0.0, .sup = 1.0};
	facts.moments = dps_statistics[statistic].moments;
	if (dps_aggregate_derive(row, &facts, &release, &summand, &why) != DPS_OK)
		abort();
	subject->release = dps_release_describe(&release, summand.design, what->statistic, NULL);
	focus(subject, statistic);
	if (facts.moments != 0)
	{
		subject->design = dps_release_design(subject->release);
		dps_moment_basis(subject->design, mechanism->norm, &subject->basis);
	}
	add_rows(subject, &summand);
	subject->host.random_bytes = seeded_bytes;
	dps_random_init(&subject->random, &subject->host);
	if (dps_release_plan_noise(subject->release, mechanism, 1.0, 1e-6, &subject->plan) != DPS_OK)
		abort();
	subject->draw = (DpsDraw) {subject->release, &subject->plan, &subject->random};
}

/* ---- the proof, for one release ---- */

/* Noise without its sum, of one release. */
typedef struct Draws
{
	int			nfirst;
	int			nsecond;
	double		place[MOST_INTEGERS];	/* U of each */
} Draws;

static double
place_of(const DpsMechanism *mechanism, __int128 noise, uint64 scale)
{
	double		x = (double) noise / (double) scale;

	if (mechanism->norm != 1)
		return 0.5 * erfc(-x / sqrt(2.0));
	return x < 0.0 ? 0.5 * exp(x) : 1.0 - 0.5 * exp(-x);
}

static void
take_draw(const Subject *subject, const DpsAnswer *answer, int k, __int128 exact, Draws *draws)
{
	draws->place[draws->nfirst + draws->nsecond] =
		place_of(subject->mechanism, dps_sum_read(&answer->noised[k].value) - exact, answer->noised[k].scale);
}

static uint64
first_scale(const Subject *subject)
{
	return subject->plan.coordinate[0].scale;
}

static uint64
second_scale(const Subject *subject)
{
	return subject->plan.coordinate[1].scale;
}

/* Without noise, the integer k of a first stage. */
static __int128
exact_output(const Subject *subject, int k)
{
	const DpsRelease *release = subject->release;
	__int128	n = subject->state->count;
	__int128	sum = 0;
	int			i;

	if (subject->design == NULL)
	{
		sum = dps_sum_read(&subject->state->sum[0]);
		return k == 0 ? sum - n * release->lo : n * release->hi - sum;
	}
	for (i = 0; i < subject->basis.output[k].nterms; i++)
		sum += subject->basis.output[k].weight[i] * subject->moment[subject->basis.output[k].moment[i]];
	return sum;
}

/* ceil(bound t2 / base) */
static uint64
scale_for(const Subject *subject, uint64 bound, uint64 base)
{
	return (uint64) (((unsigned __int128) bound * second_scale(subject) + base - 1) / base);
}

/* Is the scale no less than the one that the accountants are told? */
static bool
is_fine(const Subject *subject, uint64 scale)
{
	return scale >= second_scale(subject);
}

/* What a row adds to all sums, in the 1-norm. */
static __int128
row_size_of(const DpsMomentDesign *design, const DpsMomentFocus *focused, int64 z0, int64 z1)
{
	const int64 z[2] = {z0, z1};
	__int128	total = 0;
	int			s;
	int			i;
	int			j;

	for (s = 0; s < focused->nsums; s++)
	{
		__int128	sum = focused->weight[s][0];

		for (i = 0; i < design->nvalues; i++)
		{
			sum += (__int128) focused->weight[s][dps_moment_linear(i)] * z[i];
			for (j = i; j < design->nvalues; j++)
			{
				int			moment = dps_moment_cross(design, i, j);

				if (moment >= 0)
					sum += (__int128) focused->weight[s][moment] * dps_moment_product(z[i], z[j], design->bits);
			}
		}
		total += sum < 0 ? -sum : sum;
	}
	return total;
}

/* Is no row of a grid beyond what the scale is for? */
static bool
rows_are_within(const Subject *subject, const DpsMomentFocus *focused, uint64 scale)
{
	const DpsMomentDesign *design = subject->design;
	int			i;
	int			j;

	for (i = -10; i <= 10; i++)
	{
		for (j = -10; j <= 10; j++)
		{
			int64		z0 = design->value[0].radius * i / 10;
			int64		z1 = design->nvalues > 1 ? design->value[1].radius * j / 10 : 0;
			double		size = (double) row_size_of(design, focused, z0, z1);

			/* size / scale <= base / t2 */
			if (size / (double) scale > (double) subject->basis.magnitude / (double) second_scale(subject) * (1.0 + 1e-12))
				return false;
		}
	}
	return true;
}

/* The sums that follow from the first stage's integers; false for none. */
static bool
choose_again(const Subject *subject, const DpsAnswer *answer, DpsMomentFocus *focused)
{
	const DpsMomentDesign *design = subject->design;
	bool		interval;
	const DpsStatistic *statistic = &dps_statistics[dps_statistic_find(subject->what->statistic, false, &interval)];
	DpsMomentQuestion question = {statistic->evaluate, design->npicks, design->pick};
	DpsMomentNoise noise = {subject->mechanism->deviation(first_scale(subject), 1), subject->mechanism->deviation(second_scale(subject), 1)};
	double		output[DPS_MAX_MOMENTS];
	double		error;
	int			k;

	/* of these the sums are those of the variance and the covariance */
	if (strcmp(subject->what->statistic, "dp_stddev") == 0)
		question.evaluate = dps_moment_variance_pop;
	if (strcmp(subject->what->statistic, "dp_covar_samp") == 0)
		question.evaluate = dps_moment_covariance_pop;
	for (k = 0; k < subject->basis.noutputs; k++)
		output[k] = dps_answer_value(answer, k);
	return dps_moment_focus_choose(design, &subject->basis, subject->mechanism->norm, &question, output, &noise, focused, &error);
}

/* The second stage of a mean. */
static bool
check_mean(const Subject *subject, const DpsAnswer *answer, Draws *draws, bool *is_focused)
{
	const DpsRelease *release = subject->release;
	uint64		width = (uint64) (release->hi - release->lo);
	__int128	centre = dps_sum_read(&answer->noised[3].value);
	double		from_lo = dps_answer_value(answer, 0);
	double		share = from_lo / (from_lo + dps_answer_value(answer, 1));
	uint64		bound;

	*is_focused = answer->noised[3].scale == 0;
	if (!*is_focused)
	{
		for (draws->nsecond = 0; draws->nsecond < 2; draws->nsecond++)
			take_draw(subject, answer, 2 + draws->nsecond, exact_output(subject, draws->nsecond), draws);
		return answer->noised[2].scale == second_scale(subject) && answer->noised[3].scale == second_scale(subject);
	}
	take_draw(subject, answer, 2, 2 * dps_sum_read(&subject->state->sum[0]) - centre * subject->state->count, draws);
	draws->nsecond = 1;
	bound = (uint64) Max(2 * release->hi - centre, centre - 2 * release->lo);
	return is_fine(subject, answer->noised[2].scale) && answer->noised[2].scale == scale_for(subject, bound, width) &&
		centre >= 2 * release->lo && centre <= 2 * release->hi &&
		fabs((double) (centre - 2 * release->lo) - fmin(fmax(share, 0.0), 1.0) * 2.0 * (double) width) <= 1.0;
}

/* The second stage of moments. */
static bool
check_moments(const Subject *subject, const DpsAnswer *answer, Draws *draws, bool *is_focused)
{
	int			nmoments = dps_moment_count(subject->design);
	int			noutputs = subject->basis.noutputs;
	DpsMomentFocus focused;
	bool		holds = true;
	int			i;
	int			k;

	*is_focused = choose_again(subject, answer, &focused);
	if (!*is_focused)
	{
		for (k = 0; k < noutputs; k++, draws->nsecond++)
		{
			take_draw(subject, answer, noutputs + k, exact_output(subject, k), draws);
			holds = holds && answer->noised[noutputs + k].scale == second_scale(subject);
		}
		return holds && answer->nnoised == 2 * noutputs;
	}
	if (answer->nnoised != noutputs + focused.nsums * (1 + nmoments))
		return false;
	for (k = 0; k < focused.nsums; k++, draws->nsecond++)
	{
		__int128	sum = 0;

		for (i = 0; i < nmoments; i++)
		{
			const DpsNoised *weight = &answer->noised[noutputs + focused.nsums + k * nmoments + i];

			holds = holds && weight->scale == 0 && dps_sum_read(&weight->value) == focused.weight[k][i];
			sum += focused.weight[k][i] * subject->moment[i];
		}
		take_draw(subject, answer, noutputs + k, sum, draws);
		holds = holds && answer->noised[noutputs + k].scale == scale_for(subject, focused.bound, subject->basis.magnitude);
	}
	return holds && is_fine(subject, answer->noised[noutputs].scale) && rows_are_within(subject, &focused, answer->noised[noutputs].scale);
}

static bool
check_release(const Subject *subject, const DpsAnswer *answer, Draws *draws, bool *is_focused)
{
	int			noutputs = subject->design != NULL ? subject->basis.noutputs : 2;
	bool		holds = true;
	int			k;

	memset(draws, 0, sizeof(*draws));
	for (k = 0; k < noutputs; k++, draws->nfirst++)
	{
		take_draw(subject, answer, k, exact_output(subject, k), draws);
		holds = holds && answer->noised[k].scale == first_scale(subject);
	}
	if (subject->design != NULL)
		return check_moments(subject, answer, draws, is_focused) && holds;
	return check_mean(subject, answer, draws, is_focused) && holds;
}

/* ---- the scales ---- */

/* What both stages cost together, and that the first has its share. */
static void
test_scales(const Subject *subject, const char *name)
{
	unsigned __int128 l = dps_release_sensitivity(subject->release, subject->mechanism);
	unsigned __int128 first = first_scale(subject);
	unsigned __int128 second = second_scale(subject);
	DpsTarget	target = dps_target(subject->release, &subject->plan, 1);
	uint64_t	a;
	uint64_t	whole;

	if (subject->mechanism->norm == 1)
	{
		uint64		part;

		if (dps_epsilon_ratio(1.0, &a) != DPS_OK)
			abort();
		part = a / subject->what->shares;
		ok(l << 40 <= first * part && l << 40 > (first - 1) * part, "%s: the first stage has the least scale for its share", name);
		ok(l << 40 <= second * (a - part) && l << 40 > (second - 1) * (a - part), "%s: and the second for the rest", name);
		return;
	}
	/* shares are parts of rho, not of the profile that one scale alone has */
	target.vector = DPS_VECTOR_OF_ANY;
	if (subject->mechanism->calibrate(&target, (uint64_t) l, &whole) != DPS_OK)
		abort();
	ok(1.0 / ((double) first * (double) first) + 1.0 / ((double) second * (double) second) <= 1.0 / (((double) whole - 1.0) * ((double) whole - 1.0)),
	   "%s: both stages cost no more than one", name);
	ok(fabs((double) first / ((double) second * 3.0) - 1.0) < 1e-6 && fabs((double) whole * sqrt(10.0) / (double) first - 1.0) < 1e-3,
	   "%s: a tenth of it is the first's", name);
}

/* ---- the distribution ---- */

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* sqrt(n) times the distance from the uniform distribution; the sample is sorted. */
static double
distance(double *sample, int n)
{
	double		most = 0.0;
	int			i;

	qsort(sample, n, sizeof(double), compare_doubles);
	for (i = 0; i < n; i++)
		most = fmax(most, fmax((i + 1.0) / n - sample[i], sample[i] - (double) i / n));
	return most * sqrt((double) n);
}

static Draws runs[RUNS];

/* The worst over the integers of a stage. */
static double
worst_distance(bool second)
{
	double		sample[RUNS];
	double		worst = 0.0;
	int			k;
	int			i;

	for (k = 0; k < MOST_INTEGERS; k++)
	{
		int			n = 0;

		for (i = 0; i < RUNS; i++)
		{
			int			place = second ? runs[i].nfirst + k : k;

			if (k < (second ? runs[i].nsecond : runs[i].nfirst))
				sample[n++] = runs[i].place[place];
		}
		worst = fmax(worst, n > 0 ? distance(sample, n) : 0.0);
	}
	return worst;
}

/* The second stage's first integer, given which side of the median integer k of the first
 * was on; sets how far heads are from half of all, in units of 1 / sqrt(n). */
static double
distance_given(int k, double *heads)
{
	double		sample[2][RUNS];
	int			n[2] = {0};
	int			same = 0;
	int			i;

	for (i = 0; i < RUNS; i++)
	{
		double		second = runs[i].place[runs[i].nfirst];
		int			side = runs[i].place[k] > 0.5;

		sample[side][n[side]++] = second;
		same += side == (second > 0.5);
	}
	*heads = fabs((double) same / RUNS - 0.5) * sqrt((double) RUNS);
	return fmax(distance(sample[0], n[0]), distance(sample[1], n[1]));
}

static void
test_distribution(const char *name)
{
	double		first = worst_distance(false);
	double		second = worst_distance(true);
	double		given = 0.0;
	double		most_heads = 0.0;
	int			k;

	for (k = 0; k < runs[0].nfirst; k++)
	{
		double		heads;

		given = fmax(given, distance_given(k, &heads));
		most_heads = fmax(most_heads, heads);
	}
	ok(first < LIMIT, "%s: the first stage's noise has its distribution (%.2f)", name, first);
	ok(second < LIMIT, "%s: so has the second's (%.2f)", name, second);
	ok(given < LIMIT && most_heads < LIMIT, "%s: and given the first's (%.2f, %.2f)", name, given, most_heads);
}

/* Are there eyes for noise that is too small, and for noise that is not new? */
static void
test_eyes(const char *name)
{
	double		sample[RUNS];
	double		heads;
	int			i;

	for (i = 0; i < RUNS; i++)
	{
		double		place = runs[i].place[0];

		/* 0.7 of a Laplace variate */
		sample[i] = place < 0.5 ? 0.5 * pow(2.0 * place, 0.7) : 1.0 - 0.5 * pow(2.0 * (1.0 - place), 0.7);
		runs[i].place[runs[i].nfirst] = 0.5 * runs[i].place[runs[i].nfirst] + 0.5 * place;
	}
	ok(distance(sample, RUNS) > LIMIT, "%s: noise of 0.7 of its scale would be found out", name);
	(void) distance_given(0, &heads);
	ok(heads > LIMIT, "%s: so would half of the noise that is the first stage's", name);
}

static void
test_case(const Case *what, const DpsMechanism *mechanism)
{
	char		name[100];
	Subject		subject;
	int			broken = 0;
	int			focused = 0;
	int			i;

	snprintf(name, sizeof(name), "%s, %d rows, %s", what->statistic, what->rows, mechanism->name);
	set_up(&subject, what, mechanism);
	/* a mean of this norm has one stage */
	if (subject.plan.ncoordinates != 2 || (subject.design == NULL && mechanism->norm != 1))
		return;
	test_scales(&subject, name);
	for (i = 0; i < RUNS; i++)
	{
		bool		isnull;
		bool		is_focused;
		DpsAnswer  *answer = (DpsAnswer *) DatumGetPointer(subject.family->release(&subject.draw, subject.state, &isnull));

		if (!check_release(&subject, answer, &runs[i], &is_focused))
			broken++;
		focused += is_focused;
		pfree(answer);
	}
	ok(broken == 0, "%s: what is released is what was proven (%d are not; %d of %d focused)", name, broken, focused, RUNS);
	ok((focused > RUNS / 2) == (what->focusing >= mechanism->norm), "%s: the second stage is mostly %s", name,
	   what->focusing >= mechanism->norm ? "focused" : "the first again");
	test_distribution(name);
	if (what == cases && mechanism->norm == 1)
		test_eyes(name);
}

int
main(void)
{
	const char *given = getenv("STAGES_SEED");
	size_t		i;
	int			k;

	if (given != NULL)
		seed = strtoull(given, NULL, 10);
	word_state = seed;
	diag("STAGES_SEED=%llu", (unsigned long long) seed);
	for (i = 0; i < lengthof(cases); i++)
	{
		for (k = 0; dps_mechanisms[k] != NULL; k++)
			test_case(&cases[i], dps_mechanisms[k]);
	}
	return done_testing();
}
