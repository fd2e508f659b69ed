/*
 * noised.c
 *		Whole numbers of a grid with the noise of DP-SGD.
 */
#include "postgres.h"

#include <math.h>

#include "glue/glue.h"
#include "model/noised.h"
#include "noise/sample.h"

double
dps_noised_number(DpsRandom *random, __int128 units, uint64_t scale, int grid)
{
	__int128	noise = 0;

	if (scale > 0)
		dps_check_status(dps_sample_gaussian(random, scale, &noise));
	return ldexp((double) (units + noise), grid);
}
