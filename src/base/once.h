/*
 * once.h
 *		The greater and the lesser of two numbers, each of which is evaluated once.
 *
 * The server's Max and Min evaluate the greater or lesser operand twice, so they
 * are for variables and constants only; these are for operands that are computed
 * or read.  The type is that of a ? b : c, and a NaN is treated as there.
 */
#ifndef DPS_BASE_ONCE_H
#define DPS_BASE_ONCE_H

#include <stdint.h>

#define DPS_ONCE_TYPES(DO) \
	DO(int, int) \
	DO(unsigned, unsigned int) \
	DO(long, long) \
	DO(ulong, unsigned long) \
	DO(llong, long long) \
	DO(ullong, unsigned long long) \
	DO(wide, __int128) \
	DO(uwide, unsigned __int128) \
	DO(float, float) \
	DO(double, double)

#define DPS_DEFINE_ONCE(name, type) \
static inline type \
dps_max_##name(type a, type b) \
{ \
	return a > b ? a : b; \
} \
static inline type \
dps_min_##name(type a, type b) \
{ \
	return a < b ? a : b; \
}
DPS_ONCE_TYPES(DPS_DEFINE_ONCE)
#undef DPS_DEFINE_ONCE

#define DPS_ONCE_CASE_MAX(name, type) type: dps_max_##name,
#define DPS_ONCE_CASE_MIN(name, type) type: dps_min_##name,

/* the first operand of _Generic is not evaluated */
#define dps_max(a, b) _Generic((a) + (b), DPS_ONCE_TYPES(DPS_ONCE_CASE_MAX) void *: 0)((a), (b))
#define dps_min(a, b) _Generic((a) + (b), DPS_ONCE_TYPES(DPS_ONCE_CASE_MIN) void *: 0)((a), (b))

#endif							/* DPS_BASE_ONCE_H */
