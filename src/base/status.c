/*
 * status.c
 *		Names of the core's answers.
 */
#include "base/status.h"

const char *
dps_status_name(DpsStatus status)
{
	switch (status)
	{
		case DPS_OK:
			return "ok";
		case DPS_DOMAIN:
			return "domain";
		case DPS_UNABLE:
			return "unable";
		case DPS_NOMEM:
			return "out of memory";
		case DPS_CANCELLED:
			return "cancelled";
	}
	return "unknown";
}
