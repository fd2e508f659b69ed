/*
 * histogram_search.c
 *		What both searches over boxes of histograms share: when to stop, and how a box is
 *		cut.
 */
#include <math.h>
#include <string.h>

#include "bound/histogram/histogram_search.h"

#define MAX_QUEUE_BYTES ((size_t) 128 * 1024 * 1024)
#define BOXES_BETWEEN_STOPS 64

/* A real dimension this narrow, relative to its values, is not cut. */
#define NARROWEST 1e-12

/* Asks the host now and then whether to go on. */
DpsStatus
dps_histogram_count_box(DpsHistogramSearch *s)
{
	const DpsHost *host = dps_arena_host(s->arena);

	s->result->boxes++;
	if (s->result->boxes - s->asked < BOXES_BETWEEN_STOPS)
		return DPS_OK;
	s->asked = s->result->boxes;
	return host->should_stop(host->context) ? DPS_CANCELLED : DPS_OK;
}

bool
dps_histogram_is_exhausted(const DpsHistogramSearch *s)
{
	return s->result->boxes >= s->options->max_boxes || s->queue.bytes > MAX_QUEUE_BYTES;
}

void
dps_histogram_init_queue(DpsHistogramSearch *s)
{
	memset(&s->queue, 0, sizeof(s->queue));
	s->queue.arena = s->arena;
	s->queue.ndimensions = s->forms.ndimensions + 2;
}

bool
dps_histogram_is_cuttable(const DpsDomain *domain)
{
	if (domain->integral)
		return domain->lo < domain->hi;
	return domain->hi - domain->lo > NARROWEST * fmax(fabs(domain->lo), fabs(domain->hi));
}

/* The width of a dimension as a part of the root's; 0 if it cannot be cut. */
static double
extent(const DpsDomain *domain, const DpsDomain *root)
{
	double		scale;

	if (!dps_histogram_is_cuttable(domain) || !dps_histogram_is_cuttable(root))
		return 0;
	if (!domain->integral)
		return (domain->hi - domain->lo) / (root->hi - root->lo);
	scale = log2(1 + root->hi - root->lo);
	return log2(1 + domain->hi - domain->lo) / scale;
}

/*
 * Cuts a dimension in two.  Functions of counts change the most at 0, and the
 * less the larger the counts, so 0 becomes a part of its own and large ranges
 * are cut at the geometric mean.
 */
void
dps_histogram_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above)
{
	double		middle = domain->lo + (domain->hi - domain->lo) / 2;

	if (domain->lo > 0 && domain->hi > 4 * domain->lo)
		middle = sqrt(domain->lo) * sqrt(domain->hi);
	*below = *above = *domain;
	if (!domain->integral)
	{
		below->hi = above->lo = middle;
		return;
	}
	middle = domain->lo == 0 ? 0 : floor(middle);
	middle = fmin(fmax(middle, domain->lo), domain->hi - 1);
	below->hi = middle;
	above->lo = middle + 1;
}

double
dps_histogram_extent(const DpsHistogramSearch *s, const DpsDomain *domain, const bool *matters, int *dimension)
{
	double		greatest = 0;
	int			k;

	*dimension = -1;
	for (k = 0; k < s->forms.ndimensions; k++)
	{
		double		e = matters[k] ? extent(&domain[k], &s->forms.root[k]) : 0;

		if (e > greatest)
		{
			greatest = e;
			*dimension = k;
		}
	}
	return greatest;
}
