/*
 * prove.h
 *		What the harnesses of the bounded model checker share.
 *
 * A harness is a function that calls the core with arguments of which nothing is known but
 * what it assumes, and says what is true afterwards.  CBMC shows for all arguments that what is said is
 * true and that nothing overflows, shifts too far, divides by 0 or is out of bounds,
 * within the unwindings of loops that the harness states in its first lines.  Plain C
 * over the core, compiled by nothing else.
 */
#ifndef DPS_TEST_PROVE_H
#define DPS_TEST_PROVE_H

#include <stdbool.h>
#include <stdint.h>

#define ASSUME(condition) __CPROVER_assume(condition)
#define CLAIM(condition, what) __CPROVER_assert(condition, what)

extern uint64_t nondet_uint64(void);
extern int64_t nondet_int64(void);
extern int nondet_int(void);
extern unsigned __int128 nondet_uint128(void);
extern __int128 nondet_int128(void);

#endif							/* DPS_TEST_PROVE_H */
