/*
 * mechanism.c
 *		The mechanisms by name, and what they share.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "account/account.h"
#include "noise/exponential.h"
#include "noise/flip.h"
#include "noise/k_norm.h"
#include "noise/mechanism.h"
#include "noise/partition.h"
#include "num/rational.h"
#include "num/whole.h"

const DpsMechanism *const dps_mechanisms[] = {
#define DPS_MECHANISM(symbol) &dps_##symbol,
#include "noise/mechanisms.def"
#undef DPS_MECHANISM
	NULL
};

const DpsMechanism *
dps_mechanism_find(const char *name)
{
	for (int i = 0; dps_mechanisms[i] != NULL; i++)
	{
		if (strcmp(dps_mechanisms[i]->name, name) == 0)
			return dps_mechanisms[i];
	}
	if (strcmp(DPS_GEOMETRIC, name) == 0)
		return &dps_laplace;
	if (strcmp(dps_exponential.name, name) == 0)
		return &dps_exponential;
	if (strcmp(dps_flip.name, name) == 0)
		return &dps_flip;
	if (strcmp(dps_k_norm.name, name) == 0)
		return &dps_k_norm;
	if (strcmp(dps_partition.name, name) == 0)
		return &dps_partition;
	return NULL;
}

DpsStatus
dps_epsilon_ratio(double epsilon, uint64_t *a)
{
	/* written so that NaN fails */
	if (!(epsilon >= DPS_EPSILON_MIN && epsilon <= DPS_EPSILON_MAX))
		return DPS_DOMAIN;
	/* scaling by a power of two is exact, and the product is at most 2^46 */
	*a = dps_to_uint64(floor(ldexp(epsilon, 40)));
	return DPS_OK;
}

void
dps_pure_loss(uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss)
{
	(void) step;
	loss->epsilon = dps_ratio_up(sensitivity, scale);
	loss->rho = dps_pure_rho(loss->epsilon);
	loss->delta = 0.0;
}
