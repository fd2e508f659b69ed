/*
 * instructions_sums.c
 *		Exact sums, whose instructions are counted, outside of a server.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "agg/state/row_batch.h"
#include "instructions.h"

#define BATCHES 500
#define CELLS 3

typedef struct Sums
{
	DpsBatch	batch;
	DpsExactSums **states;
	double	   *columns[CELLS];
} Sums;

void *
dps_bench_prepare_sums(const Work *work)
{
	Sums	   *sums = calloc(1, sizeof(*sums));
	DpsSummand	summand = {.nvalues = 1};
	DpsCell		cells[CELLS];
	int			i;

	summand.value[0] = (DpsSummandValue) {.grid = -25, .lo = 0, .hi = INT64CONST(30000) << 25, .value_lo = 0, .value_hi = 30000};
	for (i = 0; i < CELLS; i++)
	{
		memset(&cells[i], 0, sizeof(cells[i]));
		cells[i].type = FLOAT8OID;
		cells[i].domain = (DpsDomain) {18, 300, DPS_MAYBE_NULL, false};
	}
	dps_batch_init(&sums->batch, dps_summand_build(&summand, cells, CELLS, dps_bench_program("a * b / (c / 100)^2")));
	sums->states = malloc(sizeof(DpsExactSums *) * work->parameter);
	for (i = 0; i < work->parameter; i++)
		sums->states[i] = &dps_exact_state_make(CurrentMemoryContext, &sums->batch)->sums;
	sums->batch.is_single = work->parameter == 1;
	dps_bench_cells(sums->columns, DPS_BATCH);
	return sums;
}

void
dps_bench_sum(const Work *work, void *prepared)
{
	Sums	   *sums = prepared;
	int			group = 0;
	int			k;
	int			i;

	for (k = 0; k < BATCHES; k++)
	{
		for (i = 0; i < CELLS; i++)
			memcpy(sums->batch.columns[i], sums->columns[i], sizeof(double) * DPS_BATCH);
		for (i = 0; i < DPS_BATCH; i++)
		{
			sums->batch.states[i] = sums->states[group];
			group = (group + 7) % work->parameter;
		}
		sums->batch.nrows = DPS_BATCH;
		dps_batch_flush(&sums->batch);
	}
	if (sums->states[0]->count == 0)
		abort();
}
