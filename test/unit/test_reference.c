/*
 * test_reference.c
 *		Bounds and derivatives against values computed elsewhere.
 */
#include <float.h>
#include <math.h>

#include "bound/quantity/bound.h"
#include "parse.h"
#include "reference_fixture.h"
#include "tap.h"

/* A private integer column decides a jump. */
static const char *const stepped_metric[] = {"R03", "R25"};

static const DpsBoundOptions options = DPS_BOUND_DEFAULTS;

/* The absolute width at which a search stops near 0. */
static double
absolute_width(const ReferenceCase *reference)
{
	double		spread = reference->supremum.hi - reference->infimum.lo;

	return isfinite(spread) ? spread * 1e-12 + 1e-15 : 0.0;
}

static void
check_bracket(const ReferenceCase *reference, const char *quantity, ReferenceBracket expected,
			  const DpsBracket *bracket)
{
	bool		unbounded = isinf(expected.lo) || isinf(expected.hi);
	double		size = fmax(fabs(bracket->lower), fabs(bracket->upper));
	bool		right;

	if (unbounded)
	{
		ok(bracket->status == DPS_DOMAIN && bracket->culprit != NULL && bracket->upper == INFINITY,
		   "%s %s is unbounded: %s", reference->id, quantity, reference->sql);
		return;
	}
	right = ok(bracket->status == DPS_OK && bracket->lower <= expected.hi && bracket->upper >= expected.lo,
			   "%s %s contains the reference", reference->id, quantity);
	right &= ok(bracket->upper - bracket->lower <= 1.01e-6 * size ||
				bracket->upper - bracket->lower <= absolute_width(reference),
				"%s %s is narrow", reference->id, quantity);
	if (!right)
		diag("%s: %s %s [%.17g, %.17g] expected [%.17g, %.17g], %llu boxes", reference->sql, quantity,
			 dps_status_name(bracket->status), bracket->lower, bracket->upper, expected.lo, expected.hi,
			 (unsigned long long) bracket->boxes);
}

/* The column in which it jumps between two integers; -1 if there is none. */
static int
stepped_column(const ReferenceCase *reference)
{
	size_t		i;
	int			j;

	for (i = 0; i < sizeof(stepped_metric) / sizeof(stepped_metric[0]); i++)
	{
		if (strcmp(reference->id, stepped_metric[i]) != 0)
			continue;
		for (j = 0; j < reference->ncolumns; j++)
		{
			if (strcmp(reference->columns[j].name, "female") == 0)
				return j;
		}
	}
	return -1;
}

/* The reference's gradient, in which an integer that jumps has no part, and its step. */
static void
check_steps(const ReferenceCase *reference, const char *name, int norm, double gradient, double step, const DpsBracket *bracket)
{
	double		expected = norm == DPS_NORM_1 ? gradient + step :
		norm == DPS_NORM_2 ? sqrt(gradient * gradient + step * step) : fmax(gradient, step);

	if (!ok(bracket->status == DPS_OK && fabs(bracket->upper - expected) <= 1.01e-6 * expected &&
			bracket->lower >= fmax(gradient, step) * (1 - 1.01e-6), "%s %s is of a gradient and a step", reference->id, name))
		diag("%s [%.17g, %.17g] expected %.17g", dps_status_name(bracket->status), bracket->lower, bracket->upper, expected);
}

static void
check_values(const ReferenceCase *reference, ReferenceFixture *fixture)
{
	DpsBracket	infimum;
	DpsBracket	supremum;
	DpsBracket	joined;

	if (!ok(dps_infimum(fixture->graph, fixture->node, fixture->box, &options, &infimum) == DPS_OK &&
			dps_supremum(fixture->graph, fixture->node, fixture->box, &options, &supremum) == DPS_OK,
			"%s values", reference->id))
		return;
	check_bracket(reference, "infimum", reference->infimum, &infimum);
	check_bracket(reference, "supremum", reference->supremum, &supremum);
	dps_bracket_magnitude(&infimum, &supremum, &joined);
	check_bracket(reference, "add_remove", reference->add_remove, &joined);
	dps_bracket_length(&infimum, &supremum, &joined);
	check_bracket(reference, "replace", reference->replace, &joined);
}

static void
check_metric(const ReferenceCase *reference, ReferenceFixture *fixture)
{
	static const char *const names[] = {"metric_l1", "metric", "metric_linf"};
	int			stepped = stepped_column(reference);
	int			norm;

	for (norm = DPS_NORM_1; norm <= DPS_NORM_INFINITY; norm++)
	{
		ReferenceBracket expected = norm == DPS_NORM_1 ? reference->metric_l1 :
			norm == DPS_NORM_2 ? reference->metric : reference->metric_linf;
		DpsBracket	bracket;

		if (!ok(dps_lipschitz(fixture->graph, fixture->node, fixture->box, &fixture->policy, norm,
							  &options, &bracket) == DPS_OK, "%s %s", reference->id, names[norm]))
			continue;
		if (stepped >= 0)
			check_steps(reference, names[norm], norm, expected.hi, reference->columns[stepped].attribute.hi, &bracket);
		else
			check_bracket(reference, names[norm], expected, &bracket);
	}
}

static void
check_columns(const ReferenceCase *reference, ReferenceFixture *fixture)
{
	int			j;

	for (j = 0; j < reference->ncolumns; j++)
	{
		const ReferenceColumn *column = &reference->columns[j];
		DpsBracket	bracket;
		char		quantity[64];

		snprintf(quantity, sizeof(quantity), "slope:%s", column->name);
		if (ok(dps_slope(fixture->graph, fixture->node, fixture->box, j, &options, &bracket) == DPS_OK,
			   "%s %s", reference->id, quantity))
			check_bracket(reference, quantity, column->slope, &bracket);
		snprintf(quantity, sizeof(quantity), "attribute:%s", column->name);
		if (ok(dps_attribute(fixture->graph, fixture->node, fixture->box, j, &options, &bracket) == DPS_OK,
			   "%s %s", reference->id, quantity))
			check_bracket(reference, quantity, column->attribute, &bracket);
	}
}

/* To 9 digits; what cancels is not asked for more than the rounding errors of
 * its terms leave, whose size is that of the entries at all points. */
static bool
close_to(double value, double expected, double magnitude)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-14 * magnitude;
}

static double
magnitude_of(const double *entries, int n)
{
	double		largest = 0.0;
	int			i;

	for (i = 0; i < n; i++)
		largest = fmax(largest, fabs(entries[i]));
	return largest;
}

static bool
check_entries(const ReferenceCase *reference, const char *what, const double *values,
			  const double *expected, int n, double magnitude)
{
	bool		right = true;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (close_to(values[i], expected[i], magnitude))
			continue;
		diag("%s %s[%d] %.17g expected %.17g", reference->id, what, i, values[i], expected[i]);
		right = false;
	}
	return right;
}

/* f, gradient, Hessian, normalised gradient, gradient of the norm. */
static DpsStatus
compile_derivatives(const ReferenceCase *reference, ReferenceFixture *fixture, const DpsProgram **program)
{
	DpsGraph   *graph = fixture->graph;
	int			d = reference->ncolumns;
	int			n = graph->nvariables;
	const DpsNode *value = dps_as_float8(graph, fixture->node);
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *gng[DPS_MAX_VARIABLES + 1];
	const DpsNode *hessian[(REFERENCE_COLUMNS + 1) * (REFERENCE_COLUMNS + 1)];
	const DpsNode *outputs[1 + 3 * REFERENCE_COLUMNS + REFERENCE_COLUMNS * REFERENCE_COLUMNS];
	const DpsNode *norm;
	int			at = 0;
	int			i;
	int			j;

	DPS_TRY(dps_gradient(graph, value, gradient));
	DPS_TRY(dps_hessian(graph, value, hessian));
	norm = dps_norm2(graph, gradient, UINT64_MAX, NULL);
	DPS_TRY(dps_gradient(graph, norm, gng));
	outputs[at++] = value;
	for (j = 0; j < d; j++)
		outputs[at++] = gradient[j];
	for (i = 0; i < d; i++)
		for (j = 0; j < d; j++)
			outputs[at++] = hessian[i * n + j];
	for (j = 0; j < d; j++)
		outputs[at++] = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, gradient[j], norm);
	for (j = 0; j < d; j++)
		outputs[at++] = gng[j];
	return dps_compile(graph, outputs, at, program);
}

/* The largest entries at any point. */
typedef struct Magnitudes
{
	double		f;
	double		gradient;
	double		hessian;
} Magnitudes;

static Magnitudes
magnitudes_of(const ReferenceCase *reference)
{
	Magnitudes	m = {0};
	int			d = reference->ncolumns;
	int			i;

	for (i = 0; i < reference->npoints; i++)
	{
		const ReferencePoint *point = &reference->points[i];

		m.f = fmax(m.f, fabs(point->f));
		m.gradient = fmax(m.gradient, magnitude_of(point->gradient, d));
		m.hessian = fmax(m.hessian, magnitude_of(point->hessian, d * d));
	}
	return m;
}

/* Gradients that small have squares that are no doubles. */
#define SMALLEST_GRADIENT 1e-150

static bool
check_point(const ReferenceCase *reference, const ReferencePoint *point, const Magnitudes *m,
			const DpsProgram *program, double *scratch)
{
	const double *columns[DPS_MAX_VARIABLES + 1];
	double		values[1 + 3 * REFERENCE_COLUMNS + REFERENCE_COLUMNS * REFERENCE_COLUMNS];
	double	   *outputs[1 + 3 * REFERENCE_COLUMNS + REFERENCE_COLUMNS * REFERENCE_COLUMNS];
	double		unused = 0.0;
	int			d = reference->ncolumns;
	uint32_t	k;
	bool		right;

	for (k = 0; k < program->nvariables; k++)
		columns[k] = (int) k < d ? &point->x[k] : &unused;
	for (k = 0; k < program->noutputs; k++)
		outputs[k] = &values[k];
	dps_evaluate(program, columns, 1, scratch, outputs);
	right = check_entries(reference, "f", values, &point->f, 1, m->f);
	right &= check_entries(reference, "gradient", values + 1, point->gradient, d, m->gradient);
	right &= check_entries(reference, "hessian", values + 1 + d, point->hessian, d * d, m->hessian);
	if (point->moves && magnitude_of(point->gradient, d) > SMALLEST_GRADIENT)
	{
		right &= check_entries(reference, "unit", values + 1 + d + d * d, point->unit, d, 1.0);
		right &= check_entries(reference, "gng", values + 1 + 2 * d + d * d, point->gng, d, m->hessian);
	}
	return right;
}

static void
check_points(const ReferenceCase *reference, ReferenceFixture *fixture)
{
	const DpsProgram *program;
	Magnitudes	m = magnitudes_of(reference);
	double	   *scratch;
	bool		right = true;
	int			i;

	if (!ok(compile_derivatives(reference, fixture, &program) == DPS_OK, "%s derivatives", reference->id))
		return;
	scratch = dps_arena_alloc(fixture->arena, sizeof(double) * (dps_scratch_size(program) + 1));
	if (!ok(scratch != NULL, "%s scratch", reference->id))
		return;
	for (i = 0; i < reference->npoints; i++)
		right &= check_point(reference, &reference->points[i], &m, program, scratch);
	ok(right, "%s values and derivatives at %d points", reference->id, reference->npoints);
}

int
main(void)
{
	int			i;

	for (i = 0; i < REFERENCE_CASES; i++)
	{
		const ReferenceCase *reference = &reference_cases[i];
		ReferenceFixture fixture;

		if (ok(reference_set_up(&fixture, reference), "%s is read: %s", reference->id, reference->sql))
		{
			check_points(reference, &fixture);
			check_values(reference, &fixture);
			check_metric(reference, &fixture);
			check_columns(reference, &fixture);
		}
		dps_arena_clear(fixture.arena);
	}
	return done_testing();
}
