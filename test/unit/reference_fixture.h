/*
 * reference_fixture.h
 *		A reference function, read and ready to be bounded.
 */
#ifndef DPS_TEST_REFERENCE_FIXTURE_H
#define DPS_TEST_REFERENCE_FIXTURE_H

#include "bound/quantity/bound.h"
#include "parse.h"
#include "reference_cases.h"
#include "tap.h"

typedef struct ReferenceFixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	DpsDomain	box[REFERENCE_COLUMNS];
	DpsPolicy	policy;			/* all columns are private */
} ReferenceFixture;

/* False if it cannot be read; the arena is to be cleared either way. */
static inline bool
reference_set_up(ReferenceFixture *fixture, const ReferenceCase *reference)
{
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	fixture->policy.private_variables = UINT64_MAX;
	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		fixture->policy.weights[j] = 1.0;
	if (dps_arena_init(&fixture->arena, &tap_host) != DPS_OK ||
		dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	for (j = 0; j < reference->ncolumns; j++)
	{
		const ReferenceColumn *column = &reference->columns[j];

		(void) dps_graph_add_variable(fixture->graph, column->name, column->integer ? DPS_INT4 : DPS_FLOAT8, false);
		fixture->box[j] = (DpsDomain) {column->lo, column->hi, DPS_NEVER_NULL, column->integer};
	}
	fixture->node = parse_expression(fixture->graph, reference->sql);
	return fixture->node != NULL;
}

#endif							/* DPS_TEST_REFERENCE_FIXTURE_H */
