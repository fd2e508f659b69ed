/*
 * status.h
 *		What the core answers.
 *
 * "Impossible" and "could not tell" are different answers; both refuse.  The
 * core never prints, raises or aborts: one function in glue turns a status
 * into an error message.
 */
#ifndef DPS_BASE_STATUS_H
#define DPS_BASE_STATUS_H

typedef enum DpsStatus
{
	DPS_OK = 0,
	DPS_DOMAIN,					/* proved impossible: undefined, unbounded, out
								 * of range */
	DPS_UNABLE,					/* not proved either way */
	DPS_NOMEM,					/* the host has no more memory */
	DPS_CANCELLED				/* the host asked to stop */
} DpsStatus;

#define DPS_MUST_USE __attribute__((warn_unused_result))

/* Passes any answer but DPS_OK on to the caller. */
#define DPS_TRY(call) \
	do { \
		DpsStatus	dps_try_status = (call); \
		if (dps_try_status != DPS_OK) \
			return dps_try_status; \
	} while (0)

/* The worse of two statuses: DPS_OK only if both are. */
static inline DpsStatus
dps_worse(DpsStatus a, DpsStatus b)
{
	if (a == DPS_DOMAIN || b == DPS_DOMAIN)
		return DPS_DOMAIN;
	return a != DPS_OK ? a : b;
}

/* The status's name in lower case, for logs and tests; never NULL. */
extern const char *dps_status_name(DpsStatus status);

#endif							/* DPS_BASE_STATUS_H */
