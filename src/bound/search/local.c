/*
 * local.c
 *		Hill climbing with GSL's minimisers: proposes witnesses, proves
 *		nothing.
 *
 * The minimisers see the unit cube: coordinate u stands for
 * lo + clamp(u) (hi - lo), so that columns of different units weigh the same
 * and every evaluation lies inside the box.
 */
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>

#include "bound/search/local.h"

#define CLIMB_STEPS 60

/* The most values of a climb, and more for each column: a line search along a
 * wall of the cube would take hundreds. */
#define CLIMB_VALUES 60
#define CLIMB_VALUES_PER_COLUMN 40

/* A step with a smaller relative gain ends the climb. */
#define CLIMB_GAIN 1e-11
#define CLIMB_CELLS 16

static double
value_at(DpsClimb *climb)
{
	const double *columns[DPS_MAX_VARIABLES + 1];
	double	   *outputs[DPS_MAX_VARIABLES + 4];
	uint32_t	i;

	/* the greatest possible value: the minimiser then stops soon */
	if (climb->values++ > CLIMB_VALUES + CLIMB_VALUES_PER_COLUMN * climb->n || !dps_arena_work(climb->arena, climb->program->ninstructions))
		return (double) NAN;
	for (i = 0; i < climb->program->nvariables; i++)
		columns[i] = &climb->point[i];
	for (i = 0; i < climb->program->noutputs; i++)
		outputs[i] = &climb->outputs[i];
	dps_evaluate(climb->program, columns, 1, climb->scratch, outputs);
	return climb->outputs[0];
}

static void
place(DpsClimb *climb, int k, double u)
{
	double		lo = climb->lo[k];
	double		hi = climb->hi[k];
	double		x = u <= 0.0 ? lo : u >= 1.0 ? hi : lo * (1.0 - u) + hi * u;

	climb->point[climb->variable[k]] = x < lo ? lo : x > hi ? hi : x;
}

static double
place_and_value(DpsClimb *climb, const gsl_vector *u)
{
	double		value;
	int			k;

	for (k = 0; k < climb->n; k++)
		place(climb, k, gsl_vector_get(u, k));
	value = value_at(climb);
	/* the minimisers give up on anything that is not finite */
	return isfinite(value) ? -value : DBL_MAX / 4;
}

static void
slopes(DpsClimb *climb, const gsl_vector *u, gsl_vector *gradient)
{
	int			k;

	for (k = 0; k < climb->n; k++)
	{
		double		slope = -climb->outputs[climb->slope + k] * (climb->hi[k] - climb->lo[k]);
		double		at = gsl_vector_get(u, k);

		/* beyond a wall the clamped function is flat */
		if (!isfinite(slope) || at < 0.0 || at > 1.0)
			slope = 0.0;
		gsl_vector_set(gradient, k, slope);
	}
}

static double
minimand(const gsl_vector *u, void *context)
{
	return place_and_value(context, u);
}

static void
minimand_slopes(const gsl_vector *u, void *context, gsl_vector *gradient)
{
	(void) place_and_value(context, u);
	slopes(context, u, gradient);
}

static void
minimand_both(const gsl_vector *u, void *context, double *value, gsl_vector *gradient)
{
	*value = place_and_value(context, u);
	slopes(context, u, gradient);
}

static double
minimand_line(double u, void *context)
{
	DpsClimb   *climb = context;
	double		value;

	place(climb, 0, u);
	value = value_at(climb);
	return isfinite(value) ? -value : DBL_MAX / 4;
}

/* Brent's method in the best of a few intervals. */
static DpsStatus
climb_line(DpsClimb *climb, double *best)
{
	gsl_function function = {minimand_line, climb};
	gsl_min_fminimizer *minimizer;
	double		values[CLIMB_CELLS + 1];
	int			at = 0;
	int			i;

	for (i = 0; i <= CLIMB_CELLS; i++)
	{
		values[i] = minimand_line((double) i / CLIMB_CELLS, climb);
		if (values[i] < values[at])
			at = i;
	}
	*best = (double) at / CLIMB_CELLS;
	if (at == 0 || at == CLIMB_CELLS)
		return DPS_OK;
	minimizer = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	if (minimizer == NULL)
		return DPS_NOMEM;
	if (gsl_min_fminimizer_set_with_values(minimizer, &function,
										   *best, values[at],
										   (at - 1.0) / CLIMB_CELLS, values[at - 1],
										   (at + 1.0) / CLIMB_CELLS, values[at + 1]) == GSL_SUCCESS)
	{
		for (i = 0; i < CLIMB_STEPS; i++)
		{
			if (gsl_min_fminimizer_iterate(minimizer) != GSL_SUCCESS ||
				gsl_min_test_interval(gsl_min_fminimizer_x_lower(minimizer),
									  gsl_min_fminimizer_x_upper(minimizer),
									  1e-10, 0.0) == GSL_SUCCESS)
				break;
		}
		*best = gsl_min_fminimizer_x_minimum(minimizer);
	}
	gsl_min_fminimizer_free(minimizer);
	return DPS_OK;
}

static DpsStatus
climb_by_slopes(DpsClimb *climb, gsl_vector *u)
{
	gsl_multimin_function_fdf function = {minimand, minimand_slopes, minimand_both, climb->n, climb};
	gsl_multimin_fdfminimizer *minimizer =
		gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, climb->n);
	int			i;

	if (minimizer == NULL)
		return DPS_NOMEM;
	if (gsl_multimin_fdfminimizer_set(minimizer, &function, u, 0.1, 0.1) == GSL_SUCCESS)
	{
		for (i = 0; i < CLIMB_STEPS; i++)
		{
			double		before = gsl_multimin_fdfminimizer_minimum(minimizer);

			if (gsl_multimin_fdfminimizer_iterate(minimizer) != GSL_SUCCESS ||
				before - gsl_multimin_fdfminimizer_minimum(minimizer) <= CLIMB_GAIN * fabs(before))
				break;
		}
		gsl_vector_memcpy(u, gsl_multimin_fdfminimizer_x(minimizer));
	}
	gsl_multimin_fdfminimizer_free(minimizer);
	return DPS_OK;
}

static DpsStatus
climb_by_values(DpsClimb *climb, gsl_vector *u)
{
	gsl_multimin_function function = {minimand, climb->n, climb};
	gsl_multimin_fminimizer *minimizer =
		gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, climb->n);
	gsl_vector *size = gsl_vector_alloc(climb->n);
	DpsStatus	status = minimizer == NULL || size == NULL ? DPS_NOMEM : DPS_OK;
	int			i;

	if (status == DPS_OK)
	{
		gsl_vector_set_all(size, 0.1);
		if (gsl_multimin_fminimizer_set(minimizer, &function, u, size) == GSL_SUCCESS)
		{
			for (i = 0; i < CLIMB_STEPS; i++)
				if (gsl_multimin_fminimizer_iterate(minimizer) != GSL_SUCCESS ||
					gsl_multimin_fminimizer_size(minimizer) < 1e-10)
					break;
			gsl_vector_memcpy(u, gsl_multimin_fminimizer_x(minimizer));
		}
	}
	if (size != NULL)
		gsl_vector_free(size);
	if (minimizer != NULL)
		gsl_multimin_fminimizer_free(minimizer);
	return status;
}

/* Are the start's value and slopes finite, so that a method with slopes can
 * begin? */
static bool
has_slopes(DpsClimb *climb)
{
	int			k;

	if (climb->slope == 0 || !isfinite(value_at(climb)))
		return false;
	for (k = 0; k < climb->n; k++)
		if (!isfinite(climb->outputs[climb->slope + k]))
			return false;
	return true;
}

static DpsStatus
climb_space(DpsClimb *climb)
{
	gsl_vector *u = gsl_vector_alloc(climb->n);
	DpsStatus	status;
	int			k;

	if (u == NULL)
		return DPS_NOMEM;
	for (k = 0; k < climb->n; k++)
		gsl_vector_set(u, k, (climb->work[k] - climb->lo[k]) / (climb->hi[k] - climb->lo[k]));
	status = has_slopes(climb) ? climb_by_slopes(climb, u) : climb_by_values(climb, u);
	for (k = 0; k < climb->n; k++)
		place(climb, k, gsl_vector_get(u, k));
	gsl_vector_free(u);
	return status;
}

DpsStatus
dps_climb(DpsClimb *climb)
{
	gsl_error_handler_t *handler;
	DpsStatus	status;
	double		before;
	double		after;
	int			k;

	if (climb->n == 0)
		return DPS_OK;
	for (k = 0; k < climb->n; k++)
	{
		climb->work[k] = climb->point[climb->variable[k]];
		if (!(climb->hi[k] > climb->lo[k]) || !isfinite(climb->hi[k] - climb->lo[k]))
			return DPS_OK;
	}
	climb->values = 0;
	before = value_at(climb);
	handler = gsl_set_error_handler_off();
	if (climb->n == 1)
	{
		double		best = 0.0;

		status = climb_line(climb, &best);
		place(climb, 0, best);
	}
	else
		status = climb_space(climb);
	gsl_set_error_handler(handler);
	climb->values = 0;
	after = value_at(climb);
	if (status != DPS_OK || !(after > before || !isfinite(before)))
		for (k = 0; k < climb->n; k++)
			climb->point[climb->variable[k]] = climb->work[k];
	return status;
}
