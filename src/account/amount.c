/*
 * amount.c
 *		Privacy amounts in fixed point.
 */
#include <math.h>

#include "account/amount.h"
#include "num/whole.h"

DpsAmount
dps_amount_of_loss(double loss, int bits)
{
	/* exact: a power of two, and an overflow to Infinity is a loss too large */
	double		units = ceil(ldexp(loss, bits));

	if (!(loss >= 0.0 && units < 0x1p63))
		return DPS_AMOUNT_UNBOUNDED;
	return dps_to_int64(units);
}

DpsAmount
dps_amount_of_cap(double cap, int bits)
{
	double		units = floor(ldexp(cap, bits));

	if (!(cap >= 0.0))
		return 0;
	return units < 0x1p63 ? dps_to_int64(units) : DPS_AMOUNT_CAP_MAX;
}

/* An amount has up to 63 bits, so the conversion rounds, and to nearest. */
static double
amount_to_double(DpsAmount amount, int bits, bool up)
{
	double		nearest = (double) amount;
	__int128	error = dps_to_int128(nearest) - amount;

	if (amount < 0 || amount == DPS_AMOUNT_UNBOUNDED)
		return INFINITY;
	if (up && error < 0)
		nearest = nextafter(nearest, INFINITY);
	else if (!up && error > 0)
		nearest = nextafter(nearest, 0.0);
	return ldexp(nearest, -bits);
}

double
dps_amount_up(DpsAmount amount, int bits)
{
	return amount_to_double(amount, bits, true);
}

double
dps_amount_down(DpsAmount amount, int bits)
{
	return amount_to_double(amount, bits, false);
}

/* Powers of ten up to this one are doubles, so that a quotient by them is the double that its digits mean. */
#define MOST_PLACES 22

/* amount * 2^-bits * 10^places, a whole number.  Whoever calls it takes care that it has few digits. */
static __int128
in_places(DpsAmount amount, int bits, __int128 power, bool up)
{
	__int128	product = (__int128) amount * power;
	__int128	unit = (__int128) 1 << bits;

	return (product + (up ? unit - 1 : 0)) / unit;
}

static double
amount_shown(DpsAmount amount, int bits, bool up)
{
	__int128	power = 1;
	double		tens = 1;
	double		exact = amount_to_double(amount, bits, up);
	double		shown;
	int			places = 0;

	if (isinf(exact))
		return exact;
	while (places < MOST_PLACES && exact * tens < 1e8)
	{
		places++;
		power *= 10;
		tens *= 10;
	}
	shown = (double) in_places(amount, bits, power, up) / tens;
	return (up ? shown < exact : shown > exact) ? exact : shown;
}

double
dps_amount_shown_up(DpsAmount amount, int bits)
{
	return amount_shown(amount, bits, true);
}

double
dps_amount_shown_down(DpsAmount amount, int bits)
{
	return amount_shown(amount, bits, false);
}

DpsAmount
dps_amount_add(DpsAmount x, DpsAmount y)
{
	if (x < 0 || y < 0 || x > DPS_AMOUNT_UNBOUNDED - y)
		return DPS_AMOUNT_UNBOUNDED;
	return x + y;
}

DpsAmount
dps_amount_times(DpsAmount x, uint64_t times)
{
	if (x < 0)
		return DPS_AMOUNT_UNBOUNDED;
	if (x == 0 || times == 0)
		return 0;
	if (times > (uint64_t) (DPS_AMOUNT_UNBOUNDED / x))
		return DPS_AMOUNT_UNBOUNDED;
	return x * (DpsAmount) times;
}

bool
dps_amount_fits(DpsAmount cap, DpsAmount spent, DpsAmount cost)
{
	if (cap < 0 || spent < 0 || cost < 0 || cap > DPS_AMOUNT_CAP_MAX)
		return false;
	/* two numbers >= 0, so the difference does not wrap */
	return cost <= cap - spent;
}

uint64_t
dps_amount_left(DpsAmount cap, DpsAmount spent, DpsAmount cost)
{
	if (!dps_amount_fits(cap, spent, cost))
		return 0;
	return cost == 0 ? UINT64_MAX : (uint64_t) ((cap - spent) / cost);
}
