/*
 * row_numbers.h
 *		The numbers of an evaluated row as SQL values.
 */
#ifndef DPS_AUDIT_ROW_NUMBERS_H
#define DPS_AUDIT_ROW_NUMBERS_H

#include "postgres.h"

#include "audit/evaluator.h"

/* value, gradient, gradient_norm, contribution, partial, plis: the columns of
 * type dpsens.row_numbers. */
#define DPS_ROW_NUMBERS 6

/* A row's entries of n columns as float8[]; NULL where one is not finite. */
extern Datum dps_row_array(double *const *columns, int n, int row);

/* The same of what dps_evaluator_plis says. */
extern Datum dps_row_plis(const DpsEvaluator *evaluator, int row, double sigma);

/* All of them, PLIS at sigma = 1.  The evaluator's detail is
 * DPS_DETAIL_PARTIAL. */
extern void dps_row_numbers(const DpsEvaluator *evaluator, int row, Datum *values, bool *nulls);

#endif							/* DPS_AUDIT_ROW_NUMBERS_H */
