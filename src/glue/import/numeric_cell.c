/*
 * numeric_cell.c
 *		A numeric as the nearest double, without conversion to text.
 *
 * The server converts by writing decimal digits and parsing them.  Most numerics do not
 * need that: they are an integer below 2^53, times or divided by a power of ten up to
 * 10^22.  Integer and power are exact doubles, so one operation rounds the exact value
 * to nearest, as parsing the digits does (W. D. Clinger, How to read floating point
 * numbers accurately, 1990).  All others are left to the server.
 *
 * A numeric is stored as base-10000 digits behind one of two headers: short,
 * of 16 bits, with sign, scale and a weight of 7 bits; or sign and scale and
 * then a weight of 16 bits.  The weight is that of the first digit, in powers
 * of 10000.  NaN and infinities have headers of their own.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "glue/import/cell.h"
#include "glue/compat.h"

#define BASE 10000
#define BASE_EXPONENT 4

/* Masks of the first 16 bits. */
#define KIND_MASK 0xC000
#define KIND_POSITIVE 0x0000
#define KIND_NEGATIVE 0x4000
#define KIND_SHORT 0x8000
#define SHORT_NEGATIVE 0x2000
#define SHORT_WEIGHT_SIGN 0x0040
#define SHORT_WEIGHT 0x003F

#define EXACT_LIMIT (UINT64CONST(1) << 53)
#define EXACT_EXPONENT 22

static const double powers_of_ten[EXACT_EXPONENT + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
	1e20, 1e21, 1e22
};

/* The parts of a numeric.  Its digits may not be aligned. */
typedef struct Digits
{
	const char *at;
	int			n;
	int			weight;
	bool		negative;
} Digits;

static inline uint16
read_16(const char *at)
{
	uint16		bits;

	memcpy(&bits, at, sizeof(bits));
	return bits;
}

static inline bool
read_digits(const struct varlena *numeric, Digits *digits)
{
	const char *at = VARDATA_ANY(numeric);
	int			size = VARSIZE_ANY_EXHDR(numeric);
	int			header = sizeof(uint16);
	uint16		first;

	if (size < header)
		return false;
	first = read_16(at);
	switch (first & KIND_MASK)
	{
		case KIND_SHORT:
			digits->negative = (first & SHORT_NEGATIVE) != 0;
			digits->weight = (first & SHORT_WEIGHT) - ((first & SHORT_WEIGHT_SIGN) ? SHORT_WEIGHT + 1 : 0);
			break;
		case KIND_POSITIVE:
		case KIND_NEGATIVE:
			header += sizeof(int16);
			if (size < header)
				return false;
			digits->negative = (first & KIND_MASK) == KIND_NEGATIVE;
			digits->weight = (int16) read_16(at + sizeof(uint16));
			break;
		default:
			return false;
	}
	digits->at = at + header;
	digits->n = (size - header) / (int) sizeof(int16);
	return true;
}

/* False if one operation does not suffice. */
static inline bool
convert(const Digits *digits, double *result)
{
	uint64		integer = 0;
	int			exponent = BASE_EXPONENT * (digits->weight - digits->n + 1);
	double		value;
	int			i;

	/* up to 4 digits are below 10000^4, so the integer does not overflow before it is compared */
	if (digits->n > 4 || exponent > EXACT_EXPONENT || exponent < -EXACT_EXPONENT)
		return false;
	for (i = 0; i < digits->n; i++)
		integer = integer * BASE + read_16(digits->at + i * sizeof(int16));
	if (integer >= EXACT_LIMIT)
		return false;
	value = exponent >= 0 ? (double) integer * powers_of_ten[exponent] : (double) integer / powers_of_ten[-exponent];
	*result = digits->negative ? -value : value;
	return true;
}

double
dps_read_numeric(Datum cell)
{
	const struct varlena *numeric = (const struct varlena *) DatumGetPointer(cell);
	Digits		digits;
	double		result;

	/* a numeric that is compressed or stored out of line has many digits */
	if ((VARATT_IS_4B_U(numeric) || (VARATT_IS_SHORT(numeric) && !VARATT_IS_EXTERNAL(numeric))) &&
		read_digits(numeric, &digits) && convert(&digits, &result))
		return result;
	/* infinite where a cast would raise an error */
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, cell));
}
