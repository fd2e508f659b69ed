/*
 * noised.h
 *		Whole numbers of a grid with the noise of DP-SGD.
 */
#ifndef DPS_MODEL_NOISED_H
#define DPS_MODEL_NOISED_H

#include "num/random.h"

/* The number of units of 2^grid plus one exact draw of discrete Gaussian noise of this
 * scale, in the same units; a scale of 0 is none. */
extern double dps_noised_number(DpsRandom *random, __int128 units, uint64_t scale, int grid);

#endif							/* DPS_MODEL_NOISED_H */
