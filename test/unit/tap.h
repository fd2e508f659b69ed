/*
 * tap.h
 *		Test Anything Protocol in a page, for the unit tests.
 */
#ifndef DPS_TEST_TAP_H
#define DPS_TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/host.h"

static int	tap_count;
static int	tap_failures;

/* One test; the format names it.  Returns the condition. */
static inline bool __attribute__((format(printf, 2, 3)))
ok(bool condition, const char *format,...)
{
	va_list		args;

	tap_count++;
	if (!condition)
		tap_failures++;
	printf("%sok %d - ", condition ? "" : "not ", tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	return condition;
}

/* A line that helps to reproduce a failure. */
static inline void __attribute__((format(printf, 1, 2)))
diag(const char *format,...)
{
	va_list		args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static inline int
done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures == 0 ? 0 : 1;
}

/* A host on malloc and the kernel's randomness. */
static inline void *
tap_allocate(void *context, size_t size)
{
	(void) context;
	return malloc(size);
}

static inline void
tap_release(void *context, void *block)
{
	(void) context;
	free(block);
}

static inline bool
tap_random_bytes(void *context, void *buffer, size_t size)
{
	FILE	   *source = fopen("/dev/urandom", "rb");
	bool		read;

	(void) context;
	if (source == NULL)
		return false;
	read = fread(buffer, 1, size, source) == size;
	fclose(source);
	return read;
}

static inline bool
tap_should_stop(void *context)
{
	(void) context;
	return false;
}

static const DpsHost tap_host = {
	.allocate = tap_allocate,
	.release = tap_release,
	.random_bytes = tap_random_bytes,
	.should_stop = tap_should_stop,
};

#endif							/* DPS_TEST_TAP_H */
