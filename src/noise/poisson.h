/*
 * poisson.h
 *		Secret samples in which every row takes part by itself with the same
 *		probability.
 *
 * Integers only: a row takes part if 64 uniform bits are below units.
 */
#ifndef DPS_NOISE_POISSON_H
#define DPS_NOISE_POISSON_H

#include <stdbool.h>

#include "num/random.h"

/* A probability below 1 in units of 2^-64, rounded down; 0 unless it is in (0, 1). */
extern uint64_t dps_rate_units(double rate);

/* The probability again, exactly. */
extern double dps_rate_of_units(uint64_t units);

/* Whether one row takes part; DPS_UNABLE if the random source failed. */
extern DPS_MUST_USE DpsStatus dps_sample_row(DpsRandom *random, uint64_t units, bool *taken);

#endif							/* DPS_NOISE_POISSON_H */
