/*
 * fixed.h
 *		exp(-x) for rational x in fixed point, to as many words as are asked for.
 *
 * A number in [0, 1) of `words` words is word[0 ... words - 1] with the least
 * significant first, in units of 2^-(64 words).  For samplers that must compare
 * a uniform real with an exponential and get it right.
 */
#ifndef DPS_NOISE_FIXED_H
#define DPS_NOISE_FIXED_H

#include <stdint.h>

/* Precision is from 2 to this many words. */
#define DPS_FIXED_WORDS 32

/* The largest exponent. */
#define DPS_FIXED_EXPONENT 72

/* Enclosures are 2^DPS_FIXED_ERROR units wide. */
#define DPS_FIXED_ERROR 18

/*
 * out <= exp(-n/d) < out + 2^DPS_FIXED_ERROR units, for 0 < n/d <=
 * DPS_FIXED_EXPONENT and d < 2^62.
 */
extern void dps_fixed_exp(uint64_t *out, int words, unsigned __int128 n, uint64_t d);

/* out = floor(x y), in units; out may be x or y. */
extern void dps_fixed_product(uint64_t *out, const uint64_t *x, const uint64_t *y, int words);

/* x *= m, an integer of `words` words; what does not fit is returned. */
extern uint64_t dps_fixed_scale(uint64_t *x, int words, uint64_t m);

/* x += n, an integer of `words` >= 2 words; what does not fit is dropped. */
extern void dps_fixed_add(uint64_t *x, int words, unsigned __int128 n);

/* Less than, equal to or greater than 0 as x is to y. */
extern int	dps_fixed_compare(const uint64_t *x, const uint64_t *y, int words);

#endif							/* DPS_NOISE_FIXED_H */
