/*
 * fuzz.h
 *		What fuzz targets share: a target is one function of bytes that ends the
 *		process where a property does not hold.
 *
 * The same file is linked with libFuzzer, which looks for such bytes, and with
 * replay.c, which runs the stored ones.
 */
#ifndef DPS_TEST_FUZZ_H
#define DPS_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "properties.h"
#include "read.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes to be used up; zeros when there are no more. */
typedef struct FuzzBytes
{
	const uint8_t *at;
	size_t		left;
} FuzzBytes;

static inline unsigned
fuzz_byte(FuzzBytes *bytes)
{
	if (bytes->left == 0)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

/* Samples depend on the bytes alone. */
static inline void
fuzz_seed(const uint8_t *data, size_t size)
{
	size_t		i;

	random_state = 0xcbf29ce484222325u;
	for (i = 0; i < size; i++)
		random_state = (random_state ^ data[i]) * 0x100000001b3u;
}

static inline void
fuzz_require(bool condition, const char *property, const DpsGraph *graph, const DpsNode *node)
{
	if (condition)
		return;
	diag("does not hold: %s", property);
	if (node != NULL)
		gen_describe(graph, "expression", node);
	fflush(stdout);
	abort();
}

#endif							/* DPS_TEST_FUZZ_H */
