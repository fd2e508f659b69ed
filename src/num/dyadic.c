/*
 * dyadic.c
 *		Positive numbers m * 2^e, added and multiplied exactly.
 */
#include <float.h>
#include <string.h>

#include "num/dyadic.h"
#include "num/whole.h"

#define LIMB_BITS 64

/* Room for a product, or for a sum before it is known to fit. */
#define WIDE_LIMBS (2 * DPS_DYADIC_LIMBS)

/* Zeros at the low end; x is not 0. */
static int
trailing_zeros(const uint64_t *x)
{
	int			i = 0;

	while (x[i] == 0)
		i++;
	return i * LIMB_BITS + __builtin_ctzll(x[i]);
}

/* Limbs without the zeros at the high end. */
static int
significant(const uint64_t *x, int n)
{
	while (n > 0 && x[n - 1] == 0)
		n--;
	return n;
}

/* Bits of m. */
static int
bit_length(const DpsDyadic *x)
{
	return x->n * LIMB_BITS - __builtin_clzll(x->limb[x->n - 1]);
}

static void
shift_right(uint64_t *x, int n, int bits)
{
	int			limbs = bits / LIMB_BITS;
	int			i;

	bits %= LIMB_BITS;
	for (i = 0; i < n; i++)
	{
		uint64_t	low = i + limbs < n ? x[i + limbs] : 0;
		uint64_t	high = i + limbs + 1 < n ? x[i + limbs + 1] : 0;

		x[i] = bits == 0 ? low : low >> bits | high << (LIMB_BITS - bits);
	}
}

/* x = m * 2^bits, of WIDE_LIMBS; it must fit. */
static void
shift_left(uint64_t *x, const DpsDyadic *m, int bits)
{
	int			limbs = bits / LIMB_BITS;
	int			i;

	bits %= LIMB_BITS;
	memset(x, 0, sizeof(uint64_t) * WIDE_LIMBS);
	for (i = 0; i < m->n; i++)
	{
		x[i + limbs] |= m->limb[i] << bits;
		if (bits > 0)
			x[i + limbs + 1] |= m->limb[i] >> (LIMB_BITS - bits);
	}
}

static int
compare(const uint64_t *x, const uint64_t *y, int n)
{
	while (n-- > 0)
	{
		if (x[n] != y[n])
			return x[n] < y[n] ? -1 : 1;
	}
	return 0;
}

/* x += y; a carry out of x is lost. */
static void
add(uint64_t *x, const uint64_t *y, int n)
{
	unsigned __int128 sum = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		sum += (unsigned __int128) x[i] + y[i];
		x[i] = (uint64_t) sum;
		sum >>= LIMB_BITS;
	}
}

/* x -= factor * y modulo 2^(64 n) */
static void
subtract(uint64_t *x, const uint64_t *y, uint64_t factor, int n)
{
	uint64_t	carry = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		/* at most (2^64-1)^2 + 2^64-1, and 1 for what is borrowed */
		unsigned __int128 product = (unsigned __int128) factor * y[i] + carry;
		uint64_t	before = x[i];

		x[i] -= (uint64_t) product;
		carry = (uint64_t) (product >> LIMB_BITS) + (x[i] > before);
	}
}

/* Brings x * 2^exponent, of at most WIDE_LIMBS, to normal form. */
static bool
settle(DpsDyadic *result, uint64_t *x, int n, int exponent)
{
	int			zeros;

	n = significant(x, n);
	if (n == 0)
		return false;
	zeros = trailing_zeros(x);
	shift_right(x, n, zeros);
	n = significant(x, n);
	if (n > DPS_DYADIC_LIMBS)
		return false;
	memset(result->limb, 0, sizeof(result->limb));
	memcpy(result->limb, x, sizeof(uint64_t) * n);
	result->n = n;
	result->exponent = exponent + zeros;
	return true;
}

void
dps_dyadic_set(DpsDyadic *result, double x)
{
	uint64_t	limb[WIDE_LIMBS] = {0};
	int			exponent;

	limb[0] = dps_to_uint64(ldexp(frexp(fabs(x), &exponent), DBL_MANT_DIG));
	(void) settle(result, limb, 1, exponent - DBL_MANT_DIG);
}

/* Both over the same power of 2; false if they are too far apart. */
static bool
align(const DpsDyadic *x, const DpsDyadic *y, uint64_t *a, uint64_t *b, int *exponent)
{
	*exponent = x->exponent < y->exponent ? x->exponent : y->exponent;
	/* one limb is left for the carry */
	if (bit_length(x) + x->exponent - *exponent > (WIDE_LIMBS - 2) * LIMB_BITS ||
		bit_length(y) + y->exponent - *exponent > (WIDE_LIMBS - 2) * LIMB_BITS)
		return false;
	shift_left(a, x, x->exponent - *exponent);
	shift_left(b, y, y->exponent - *exponent);
	return true;
}

bool
dps_dyadic_add(DpsDyadic *result, const DpsDyadic *x, const DpsDyadic *y)
{
	uint64_t	a[WIDE_LIMBS];
	uint64_t	b[WIDE_LIMBS];
	int			exponent;

	if (!align(x, y, a, b, &exponent))
		return false;
	add(a, b, WIDE_LIMBS);
	return settle(result, a, WIDE_LIMBS, exponent);
}

bool
dps_dyadic_subtract(DpsDyadic *result, const DpsDyadic *x, const DpsDyadic *y)
{
	uint64_t	a[WIDE_LIMBS];
	uint64_t	b[WIDE_LIMBS];
	int			exponent;
	bool		less;

	if (!align(x, y, a, b, &exponent))
		return false;
	less = compare(a, b, WIDE_LIMBS) < 0;
	subtract(less ? b : a, less ? a : b, 1, WIDE_LIMBS);
	return settle(result, less ? b : a, WIDE_LIMBS, exponent);
}

bool
dps_dyadic_multiply(DpsDyadic *result, const DpsDyadic *x, const DpsDyadic *y)
{
	uint64_t	product[WIDE_LIMBS] = {0};
	int			i;
	int			k;

	for (i = 0; i < x->n; i++)
	{
		uint64_t	carry = 0;

		for (k = 0; k < y->n; k++)
		{
			/* at most (2^64-1)^2 + 2 (2^64-1) = 2^128 - 1 */
			unsigned __int128 sum = (unsigned __int128) x->limb[i] * y->limb[k] + product[i + k] + carry;

			product[i + k] = (uint64_t) sum;
			carry = (uint64_t) (sum >> LIMB_BITS);
		}
		product[i + y->n] = carry;
	}
	return settle(result, product, x->n + y->n, x->exponent + y->exponent);
}

int
dps_dyadic_compare(const DpsDyadic *x, const DpsDyadic *y)
{
	int			left = bit_length(x) + x->exponent;
	int			right = bit_length(y) + y->exponent;
	uint64_t	a[WIDE_LIMBS];
	uint64_t	b[WIDE_LIMBS];
	int			exponent;

	/* as it is for equal numbers */
	if (x->exponent == y->exponent)
		return compare(x->limb, y->limb, x->n > y->n ? x->n : y->n);
	/* of equally long numbers neither is shifted by more than a number's length */
	if (left != right || !align(x, y, a, b, &exponent))
		return left < right ? -1 : 1;
	return compare(a, b, WIDE_LIMBS);
}

static uint64_t
remainder_of(const DpsDyadic *x, uint64_t divisor)
{
	unsigned __int128 rest = 0;
	int			i;

	for (i = x->n; i-- > 0;)
		rest = (rest << LIMB_BITS | x->limb[i]) % divisor;
	return (uint64_t) rest;
}

/* The greatest common divisor of the two m, by subtraction of odd numbers.  Most
 * often one of them is short. */
static void
common_divisor(const DpsDyadic *x, const DpsDyadic *y, uint64_t *divisor)
{
	int			n = x->n > y->n ? x->n : y->n;
	uint64_t	other[DPS_DYADIC_LIMBS];
	int			order;

	memcpy(divisor, x->limb, sizeof(x->limb));
	memcpy(other, y->limb, sizeof(y->limb));
	if (x->n == 1 || y->n == 1)
	{
		uint64_t	least = y->n == 1 ? y->limb[0] : x->limb[0];
		uint64_t	rest = remainder_of(y->n == 1 ? x : y, least);

		memset(divisor, 0, sizeof(x->limb));
		memset(other, 0, sizeof(y->limb));
		divisor[0] = other[0] = least;
		if (rest != 0)
			other[0] = rest >> __builtin_ctzll(rest);
		n = 1;
	}
	while ((order = compare(divisor, other, n)) != 0)
	{
		uint64_t   *greater = order > 0 ? divisor : other;

		subtract(greater, order > 0 ? other : divisor, 1, n);
		shift_right(greater, n, trailing_zeros(greater));
		while (n > 1 && divisor[n - 1] == 0 && other[n - 1] == 0)
			n--;
	}
}

/*
 * m / divisor where that is an integer, limb by limb from the lowest one: both
 * are odd, so the quotient's lowest limb is m * divisor^-1 modulo 2^64.
 */
static void
divide(DpsDyadic *x, const uint64_t *divisor)
{
	uint64_t	rest[DPS_DYADIC_LIMBS];
	uint64_t	inverse = divisor[0];
	int			i;

	/* x * x = 1 modulo 8 for odd x, and each step doubles the bits */
	for (i = 0; i < 5; i++)
		inverse *= 2 - divisor[0] * inverse;
	memcpy(rest, x->limb, sizeof(rest));
	for (i = 0; i < x->n; i++)
	{
		x->limb[i] = rest[i] * inverse;
		subtract(rest + i, divisor, x->limb[i], x->n - i);
	}
	x->n = significant(x->limb, x->n);
}

static bool
is_power_of_two(const DpsDyadic *x)
{
	return x->n == 1 && x->limb[0] == 1;
}

void
dps_dyadic_reduce(DpsDyadic *x, DpsDyadic *y)
{
	uint64_t	divisor[DPS_DYADIC_LIMBS];

	common_divisor(x, y, divisor);
	divide(x, divisor);
	divide(y, divisor);
	if (is_power_of_two(y))
	{
		x->exponent -= y->exponent;
		y->exponent = 0;
	}
}

bool
dps_dyadic_round(const DpsDyadic *x, double *nearest, DpsInterval *around)
{
	int			length = bit_length(x);
	int			lost = length - DBL_MANT_DIG;
	uint64_t	m[DPS_DYADIC_LIMBS];
	uint64_t	half;
	double		unit;
	bool		up;

	if (length + x->exponent > DBL_MAX_EXP - 1 || length + x->exponent < DBL_MIN_EXP)
		return false;
	memcpy(m, x->limb, sizeof(m));
	if (lost <= 0)
	{
		*nearest = ldexp((double) m[0], x->exponent);
		*around = dps_iv(*nearest, *nearest);
		return true;
	}
	/* keeps one bit more than a double has.  The bits below it are not all 0,
	 * unless it is the last bit, which is 1 */
	shift_right(m, x->n, lost - 1);
	half = m[0] & 1;
	m[0] >>= 1;
	unit = ldexp(1, x->exponent + lost);
	*around = dps_iv((double) m[0] * unit, (double) (m[0] + 1) * unit);
	up = half == 1 && (lost > 1 || (m[0] & 1) == 1);
	*nearest = up ? around->hi : around->lo;
	return true;
}
