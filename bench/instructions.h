/*
 * instructions.h
 *		Between the two files of instructions: the core's work, and work of the
 *		aggregates, whose objects need the server's headers.
 */
#ifndef DPS_BENCH_INSTRUCTIONS_H
#define DPS_BENCH_INSTRUCTIONS_H

#include "expr/program.h"

typedef struct Work
{
	const char *name;
	void	   *(*prepare) (const struct Work *work);
	void		(*run) (const struct Work *work, void *prepared);
	int			parameter;
} Work;

/* An expression over columns a, b and c, and n cells of each. */
extern const DpsProgram *dps_bench_program(const char *sql);
extern void dps_bench_cells(double **columns, int n);

/* Exact sums of one value by so many groups as work->parameter. */
extern void *dps_bench_prepare_sums(const Work *work);
extern void dps_bench_sum(const Work *work, void *prepared);

#endif							/* DPS_BENCH_INSTRUCTIONS_H */
