/*
 * fixture.h
 *		An expression over columns with ranges, all of them private.
 */
#ifndef DPS_TEST_FIXTURE_H
#define DPS_TEST_FIXTURE_H

#include <string.h>

#include "bound/quantity/bound.h"
#include "parse.h"
#include "tap.h"

#define FIXTURE_COLUMNS 6

typedef struct Column
{
	const char *name;
	DpsType		type;
	double		lo;
	double		hi;
	bool		nullable;
} Column;

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	int			ncolumns;
	DpsDomain	box[FIXTURE_COLUMNS];
	DpsPolicy	policy;
} Fixture;

static inline bool
set_up_on(Fixture *fixture, const DpsHost *host, const Column *columns, int ncolumns, const char *sql)
{
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	fixture->ncolumns = ncolumns;
	fixture->policy.private_variables = UINT64_MAX;
	if (dps_arena_init(&fixture->arena, host) != DPS_OK ||
		dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	for (j = 0; j < ncolumns; j++)
	{
		(void) dps_graph_add_variable(fixture->graph, columns[j].name, columns[j].type, columns[j].nullable);
		fixture->box[j].lo = columns[j].lo;
		fixture->box[j].hi = columns[j].hi;
		fixture->box[j].nullness = columns[j].nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
		fixture->box[j].integral = dps_type_is_integer(columns[j].type) || columns[j].type == DPS_BOOL;
	}
	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		fixture->policy.weights[j] = 1.0;
	fixture->node = dps_as_float8(fixture->graph, parse_expression(fixture->graph, sql));
	return fixture->node != NULL;
}

#endif							/* DPS_TEST_FIXTURE_H */
