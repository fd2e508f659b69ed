/*
 * kernel.h
 *		How loops over rows are compiled.
 *
 * The functions marked DPS_KERNEL have a version for processors with AVX2
 * besides the ordinary one, chosen when the library is loaded.  Both do the
 * same IEEE operations in the same order for each row; neither has fused
 * ones.  So their results are the same bit for bit.
 */
#ifndef DPS_EXPR_KERNEL_H
#define DPS_EXPR_KERNEL_H

#include <stddef.h>

/* Sanitizers do not run before the choice is made. */
#if !defined(DPS_KERNEL) && defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define DPS_KERNEL __attribute__((target_clones("avx2", "default")))
#elif !defined(DPS_KERNEL)
#define DPS_KERNEL
#endif

#endif							/* DPS_EXPR_KERNEL_H */
