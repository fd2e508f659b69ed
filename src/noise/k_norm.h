/*
 * k_norm.h
 *		The K-norm mechanism for a box: noise for several integers at once.
 */
#ifndef DPS_NOISE_K_NORM_H
#define DPS_NOISE_K_NORM_H

#include <stdint.h>

#include "noise/mechanism.h"

#define DPS_MAX_BOX 16

/* Bits of the steps that a box is divided into, at most: a neighbour moves no integer by more than 2^DPS_BOX_BITS
 * of its widths. */
#define DPS_BOX_BITS 20

/* Scales, in steps, are below this: a radius of more than 2^62 has a probability below e^-(2^14) then. */
#define DPS_BOX_SCALE_LIMIT (UINT64_C(1) << 47)

/* What a step of the noise's radius is for each integer.  n = 0: there is no box. */
typedef struct DpsNoiseBox
{
	int			n;
	int			bits;			/* all widths are at most 2^bits, and some is more than half of it */
	uint64_t	width[DPS_MAX_BOX];
} DpsNoiseBox;

/*
 * The box of n integers that a neighbour moves by at most moves[i] each, and its steps, by no more than which it
 * moves all of them.  DPS_DOMAIN unless 1 <= n <= DPS_MAX_BOX and some move is neither 0 nor above 2^61.
 */
extern DPS_MUST_USE DpsStatus dps_box_make(int n, const uint64_t *moves, DpsNoiseBox *box, uint64_t *steps);

/* By how many steps of the box integers that move so are moved, rounded up: what their norm is. */
extern uint64_t dps_box_norm(const DpsNoiseBox *box, const uint64_t *moves);

/* One exact draw for all integers of the box; the scale is in steps.  DPS_UNABLE if the random source failed, DPS_DOMAIN
 * if a scale is none; noise is then not to be used. */
extern DPS_MUST_USE DpsStatus dps_k_norm_draw(DpsRandom *random, const DpsNoiseBox *box, uint64_t scale, __int128 *noise);

/* Smallest r, as a double, with P(|Z| > r) <= probability, to a relative 1e-6, of one of n integers whose width
 * times the scale is so large; and its standard deviation, of the continuous law.  For people. */
extern double dps_k_norm_tail(int n, double scale, double probability);

/* P(|X + Y| > r) for two of n integers whose widths times the scale, and times what each is multiplied by, are a
 * and b, of the continuous law; and the smallest such r.  For people. */
extern double dps_k_norm_beyond(int n, double a, double b, double r);
extern double dps_k_norm_tail_of_two(int n, double a, double b, double probability);
extern double dps_k_norm_deviation(int n, double scale);

/* For a ledger: a draw of epsilon sensitivity / scale, in steps of the box. */
extern const DpsMechanism dps_k_norm;

#endif							/* DPS_NOISE_K_NORM_H */
