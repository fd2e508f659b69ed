/*
 * kernel.h
 *		How loops over rows are compiled.
 *
 * The functions marked DPS_KERNEL have a second version for processors with
 * AVX2, chosen when the library is loaded.  Both do the same IEEE operations
 * in the same order for each row, without fused operations.  So their results
 * are the same bit for bit.
 */
#ifndef DPS_EXPR_KERNEL_H
#define DPS_EXPR_KERNEL_H

#include <stddef.h>

/* Sanitizers are not ready when the choice is made. */
#if !defined(DPS_KERNEL) && defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define DPS_KERNEL __attribute__((target_clones("avx2", "default")))
#elif !defined(DPS_KERNEL)
#define DPS_KERNEL
#endif

#endif							/* DPS_EXPR_KERNEL_H */
