/*
 * example_arguments.h
 *		What functions of one example are given and return: the model in their first
 *		argument, the features in their second, the target in their third.
 *
 * Numbers never raise an error; what does not exist is NULL.
 */
#ifndef DPS_MODEL_EXAMPLE_ARGUMENTS_H
#define DPS_MODEL_EXAMPLE_ARGUMENTS_H

#include "postgres.h"

#include "fmgr.h"

#include "model/compiled.h"

/* The features; NULL if one of them is. */
extern const double *dps_features_argument(FunctionCallInfo fcinfo, const DpsNetwork *network);

/* The target, a number or an array of them; NULL if there is none. */
extern const double *dps_target_argument(FunctionCallInfo fcinfo, const DpsNetwork *network);

/* Computes these quantities of the example; NULL if a part of the example is.  The model goes
 * to *compiled, which may be NULL. */
extern const DpsExample *dps_run_example(FunctionCallInfo fcinfo, unsigned quantities, const DpsCompiled **compiled);

/* A number greater than 0, the argument of that name. */
extern double dps_positive_argument(FunctionCallInfo fcinfo, int k, const char *name);

/* An array of each number times the factor; false if one does not exist. */
extern bool dps_multiplied_numbers(const double *numbers, int64 n, double factor, Datum *array);

#endif							/* DPS_MODEL_EXAMPLE_ARGUMENTS_H */
