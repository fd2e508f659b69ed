#!/usr/bin/env python3
"""
verify_certificate_forms.py
	Checks a certificate of dpsens.certificate without dpsens or a server: further forms, integers,
	NULL, CASE, steps and quotients without a gap at 0 beside what verify_certificate.py checks, which is short.

	usage: verify_certificate_forms.py [FILE]		(or the JSON on standard input)

Of the document it believes only "expression" and "ranges", which say what is claimed;
compare these with the ones that were meant.  It parses the expression, derives what each
part is about, walks through the tree of cuts and faces, bounds each box by intervals of
its own and compares.  It needs python3 and python3-mpmath, and shares no code with dpsens.

One line a quantity: "proved"; "not checked", where the proof needs more than plain
enclosures, with what would have to be trusted; or "refused", with what is wrong or could
not be confirmed.  Exit status: 0 if all are proved, 1 if one is refused, 2 if none is but
something is not checked, 3 if the document is malformed.

What is rigorous: an interval's ends are mpmath's raw binary numbers.  Sums, products,
quotients and square roots of these are correctly rounded in a direction that is asked for
(mpmath.libmp), and so are all intervals of arithmetic.  For other functions mpmath promises
no direction, so mpmath.iv is not used for them: each end is computed with 160 bits and moved
outward by 2^-90 of itself.  That leaves mpmath 70 wrong bits.  Constants of the expression
are the doubles nearest to what is written, and computed with exactly (fractions.Fraction).
"""
import json
import math
import operator
import re
import sys
from fractions import Fraction

import mpmath
from mpmath import libmp
from mpmath.libmp import finf, fninf, fone, fzero, from_float, from_man_exp, mpf_cmp, mpf_le, mpf_lt, mpf_neg
from mpmath.libmp.libmpi import mpi_add, mpi_div, mpi_mul, mpi_neg, mpi_sub

PRECISION = 100					# bits of intervals' ends
PIECES = 400					# parts of one box, where our enclosure of it is wider than dpsens's
LARGEST = from_float(sys.float_info.max)
mpmath.mp.prec = 160			# of functions, before they are moved outward


class Refused(Exception):
	"""The document does not prove what it states."""


class NotChecked(Exception):
	"""What a proof rests on that is not confirmed here."""


class Malformed(Exception):
	"""Not a certificate."""


# ---- Intervals: pairs of raw numbers; None is empty --------------------------------

ONE = (fone, fone)
ZERO = (fzero, fzero)
ENTIRE = (fninf, finf)


def point(x):
	x = from_float(float(x))
	return (x, x)


def rational(q):
	n, d = libmp.from_int(q.numerator), libmp.from_int(q.denominator)
	return (libmp.mpf_div(n, d, PRECISION, 'f'), libmp.mpf_div(n, d, PRECISION, 'c'))


def fraction(x):
	"""The exact value of a raw number."""
	sign, man, exp, _ = x
	value = Fraction(int(man)) * Fraction(2) ** exp
	return -value if sign else value


def least(a, b):
	return a if mpf_le(a, b) else b


def greatest(a, b):
	return b if mpf_le(a, b) else a


def hull(a, b):
	if a is None or b is None:
		return b if a is None else a
	return (least(a[0], b[0]), greatest(a[1], b[1]))


def meet(a, b):
	if a is None or b is None:
		return None
	lo, hi = greatest(a[0], b[0]), least(a[1], b[1])
	return (lo, hi) if mpf_le(lo, hi) else None


def has(x, number):
	return mpf_le(x[0], number) and mpf_le(number, x[1])


def add(a, b):
	return mpi_add(a, b, PRECISION)


def sub(a, b):
	return mpi_sub(a, b, PRECISION)


def mul(a, b):
	return mpi_mul(a, b, PRECISION)


def div(a, b):
	return mpi_div(a, b, PRECISION)


def finite(x):
	return mpf_le(mpf_neg(LARGEST), x[0]) and mpf_le(x[1], LARGEST)


def whole_power(x, n):
	"""x ^ n by products; n may be negative."""
	if n < 0:
		return ENTIRE if has(x, fzero) else div(ONE, whole_power(x, -n))
	if n % 2 == 0:
		x = magnitude(x)
	ends = []
	for end in x:
		negative = mpf_lt(end, fzero)
		base, value, k = (mpf_neg(end),) * 2 if negative else (end,) * 2, ONE, n
		while k:
			if k & 1:
				value = mul(value, base)
			base, k = mul(base, base), k >> 1
		ends.append(mpi_neg(value) if negative else value)
	return (ends[0][0], ends[1][1])


def magnitude(x):
	if not mpf_lt(x[0], fzero):
		return x
	return mpi_neg(x) if not mpf_lt(fzero, x[1]) else (fzero, greatest(mpf_neg(x[0]), x[1]))


def outward(function, end, up):
	"""A function of mpmath at an end, moved outward by 2^-90 of itself."""
	if end in (finf, fninf):
		return finf if up else fninf
	value = function(mpmath.mp.make_mpf(end))
	if isinstance(value, mpmath.mpc):
		raise ArithmeticError
	value = mpmath.mpf(value)
	if value == mpmath.nint(value) and function in EXACT and EXACT[function](value) == mpmath.mp.make_mpf(end):
		return value._mpf_
	slack = abs(value) * mpmath.mpf(2) ** -90
	return (value + slack if up else value - slack)._mpf_


def cube_root(x):
	return mpmath.cbrt(x) if x >= 0 else -mpmath.cbrt(-x)


# Inverses that tell whether a whole value is the exact one.
EXACT = {mpmath.exp: lambda v: 0 if v == 1 else None, cube_root: lambda v: v * v * v, mpmath.cosh: lambda v: 0 if v == 1 else None,
		 mpmath.log10: lambda v: mpmath.mpf(10) ** int(v) if 0 <= v < 23 else None, mpmath.cos: lambda v: 0 if v == 1 else None,
		 mpmath.erfc: lambda v: 0 if v == 1 else None, mpmath.ln: lambda v: 1 if v == 0 else None}


def rising(function, clip=None):
	return lambda x: meet((outward(function, x[0], False), outward(function, x[1], True)), clip or ENTIRE)


def falling(function, clip=None):
	return lambda x: meet((outward(function, x[1], False), outward(function, x[0], True)), clip or ENTIRE)


def turns(x, shift):
	"""The whole numbers n with n + shift in x / pi, a few too many rather than too few."""
	if not finite(x):
		return None
	a, b = (mpmath.mp.make_mpf(end) / mpmath.pi - shift for end in x)
	slack = mpmath.mpf(2) ** -60 * (1 + abs(a) + abs(b))
	return range(int(mpmath.ceil(a - slack)), int(mpmath.floor(b + slack)) + 1) if b - a < 4 else None


def wave(function, shift):
	def enclose(x):
		top = turns(x, shift)
		if top is None:
			return (mpf_neg(fone), fone)
		result = hull((outward(function, x[0], False), outward(function, x[0], True)),
					  (outward(function, x[1], False), outward(function, x[1], True)))
		if x[0] != x[1]:
			for n in top:
				result = hull(result, mpi_neg(ONE) if n % 2 else ONE)
		return meet(result, (mpf_neg(fone), fone))
	return enclose


def cosh(x):
	return rising(mpmath.cosh)(magnitude(x))


def root(x):
	x = meet(x, (fzero, finf))
	return x and (libmp.mpf_sqrt(x[0], PRECISION, 'f') if x[0] != finf else finf,
				  libmp.mpf_sqrt(x[1], PRECISION, 'c') if x[1] != finf else finf)


def step(function):
	"""A function that rises by steps, of exact fractions."""
	def enclose(x):
		return tuple(end if end in (finf, fninf) else rational(Fraction(function(fraction(end))))[k] for k, end in enumerate(x))
	return enclose


def away(q):
	return math.floor(q + Fraction(1, 2)) if q >= 0 else -math.floor(-q + Fraction(1, 2))


def at_place(function):
	def enclose(x, digits):
		if digits[0] != digits[1]:
			return ENTIRE
		scale = Fraction(10) ** math.trunc(fraction(digits[0]))
		return step(lambda q: Fraction(function(q * scale)) / scale)(x)
	return enclose


def power(x, y):
	if y[0] == y[1]:
		twice = 2 * fraction(y[0])
		if twice.denominator == 1 and abs(twice) < 2000:
			return whole_power(x, int(twice) // 2) if twice % 2 == 0 else root(x) and whole_power(root(x), int(twice))
	x = meet(x, (fzero, finf))
	if x is None:
		return ENTIRE
	if x[0] == fzero:
		if not mpf_lt(fzero, y[0]):
			return (fzero, finf)
		if x[1] == fzero:
			return ZERO
		top = power((x[1], x[1]), y)
		return (fzero, greatest(top[1], fone) if mpf_lt(x[1], fone) and y[0] != y[1] else top[1])
	return rising(mpmath.exp, (fzero, finf))(mul(y, LOG(x)))


def angle(x, y):
	"""atan2(x, y) of the point with abscissa y and ordinate x, where zeros have no sign."""
	pi = outward(lambda _: +mpmath.pi, fone, True)
	lo, hi = mpf_neg(pi), pi
	corners = [(mpmath.atan2(mpmath.mp.make_mpf(a), mpmath.mp.make_mpf(b))) for a in x for b in y]
	slack = mpmath.mpf(2) ** -90 * 4
	least_one, greatest_one = ((e + s * slack * abs(e))._mpf_ for e, s in ((min(corners), -1), (max(corners), 1)))
	if not has(x, fzero) or mpf_lt(fzero, y[0]) or y[0] == fzero:
		return (least_one, greatest_one)
	# some abscissa is negative, where the ordinate 0 has pi; without a negative ordinate none has less than 0
	return (lo if mpf_lt(x[0], fzero) else least_one if mpf_lt(y[1], fzero) else fzero, hi)


def quotient(x, y):
	return ENTIRE if has(y, fzero) else step(math.trunc)(div(x, y))


def remainder(x, y):
	if has(y, fzero):
		return ENTIRE
	if x[0] == x[1] and y[0] == y[1]:
		a, b = fraction(x[0]), fraction(y[0])
		return rational(a - b * math.trunc(a / b))
	most = least(magnitude(y)[1], magnitude(x)[1])
	result = (mpf_neg(most) if mpf_lt(x[0], fzero) else fzero, most if mpf_lt(fzero, x[1]) else fzero)
	n = quotient(x, y)
	return meet(result, sub(x, mul(n, y))) if n[0] == n[1] else result


def sign(x):
	return tuple(ONE[0] if mpf_lt(fzero, e) else fzero if e == fzero else mpf_neg(fone) for e in x)


def truth(can_be_false, can_be_true):
	return (fzero if can_be_false else fone, fone if can_be_true else fzero)


def less(x, y):
	return truth(mpf_le(y[0], x[1]), mpf_lt(x[0], y[1]))


def equal(x, y):
	return truth(not x == y or x[0] != x[1], meet(x, y) is not None)


def opposite(x):
	return sub(ONE, x)


# ---- Quotients without a gap ----------------------------------------------------------
# CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END and CASE WHEN x = 0 THEN 1 ELSE sin(x) / x END are
# the means of exp and cos between 0 and x.  Their derivatives of order n are the integrals over s from
# 0 to 1 of s^n g(n, s x), g(n, t) being the derivative of exp or cos of order n at t: M(n, x).  The series
# of g gives M(n, x) = sum of g(n + k, 0) x^k / (k! (n + k + 1)); by parts, x M(n, x) = g(n - 1, x) -
# n M(n - 1, x) for n > 0, and x M(0, x) is exp(x) - 1, or sin(x).

ORDERS = range(5)				# more than derivatives of derivatives need


def at_zero(wave, n):
	"""g(n, 0)"""
	return (1, 0, -1, 0)[n % 4] if wave else 1


def mean_number(wave, n, x):
	"""M(n, x), off by less than 2^-150, and exp's by less than 2^-150 of itself: for |x| < 1 what follows 50
	terms is less than 2^-213, and beyond, by parts, the roundings of 400 bits grow to less than 2^-380."""
	with mpmath.workprec(400):
		if abs(x) < 1:
			return mpmath.fsum(at_zero(wave, n + k) * x ** k / (mpmath.factorial(k) * (n + k + 1)) for k in range(50))
		g = [mpmath.cos(x), -mpmath.sin(x), -mpmath.cos(x), mpmath.sin(x)] if wave else [mpmath.exp(x)] * 4
		value = g[3] / x if wave else mpmath.expm1(x) / x
		for k in range(1, n + 1):
			value = (g[(k - 1) % 4] - k * value) / x
		return value


def mean_at(wave, n, end):
	"""M(n, x) at an end: exact at 0.  exp's is positive and moved outward by 2^-90 of itself, cos's by 2^-90."""
	if end in (finf, fninf):
		return (mpf_neg(fone), fone) if wave else (fzero, finf)
	if end == fzero:
		return rational(Fraction(at_zero(wave, n), n + 1))
	value = mean_number(wave, n, mpmath.mp.make_mpf(end))
	slack = mpmath.mpf(2) ** -90 * (1 if wave else value)
	return ((value - slack)._mpf_, (value + slack)._mpf_)


def mean_exp(n):
	"""It is positive and rises, as what is integrated does."""
	return lambda x: (mean_at(False, n, x[0])[0], mean_at(False, n, x[1])[1])


def cos_of_order(m, x):
	"""g(m, x) of cos"""
	value = wave(mpmath.sin, mpmath.mpf(1) / 2)(x) if m % 2 else wave(mpmath.cos, 0)(x)
	return mpi_neg(value) if m % 4 in (1, 2) else value


def mean_cos(n):
	"""n even: symmetric about 0, and from 0 to pi it moves in one direction, since the next derivative of
	cos has one sign there.  n odd: so it does from -pi/2 to pi/2.  Elsewhere by parts, by its value in
	the middle and a slope of no more than the integral of s^(n + 1), and, where the next order has one
	sign by these, by both ends."""
	def loose(x, m):
		centre = libmp.mpf_shift(libmp.mpf_add(x[0], x[1], PRECISION, 'n'), -1)
		away = mul(sub(x, (centre, centre)), (rational(Fraction(-1, m + 2))[0], rational(Fraction(1, m + 2))[1]))
		result = add(mean_at(True, m, centre), away)
		if not has(x, fzero):
			parts = div(cos_of_order(3, x), x)
			for k in range(1, m + 1):
				parts = div(sub(cos_of_order(k - 1, x), mul(point(k), parts)), x)
			result = meet(result, parts)
		return meet(result, UNIT)

	def ends(x):
		return hull(mean_at(True, n, x[0]), mean_at(True, n, x[1]))

	def one(x):
		"""On one side of where it turns, or between."""
		turn = from_float(1.57 if n % 2 else 3.14)
		if mpf_le(mpf_neg(turn), x[0]) and mpf_le(x[1], turn):
			return hull(ends(x), mean_at(True, n, fzero) if n % 2 == 0 and has(x, fzero) else None)
		steep = loose(x, n + 1)
		return ends(x) if not (mpf_lt(steep[0], fzero) and mpf_lt(fzero, steep[1])) else loose(x, n)

	def enclose(x):
		if not finite(x):
			return UNIT
		turn, result = from_float(1.57 if n % 2 else 3.14), None
		for part in ((fninf, mpf_neg(turn)), (mpf_neg(turn), turn), (turn, finf)):
			inside = meet(x, part)
			result = hull(result, inside and one(inside))
		return meet(result, UNIT)
	return enclose


LOG = rising(mpmath.ln)
UNIT = (mpf_neg(fone), fone)

# Each function: number of arguments, enclosure, is an argument outside its domain, does it jump.
ALWAYS = lambda *x: True
NOWHERE = lambda *x: False
STEPS = lambda *x: True
FUNCTIONS = {
	'int_div': (2, quotient, lambda x, y: not has(y, fzero), STEPS),
	'mod': (2, remainder, lambda x, y: not has(y, fzero), lambda x, y: quotient(x, y)[0] != quotient(x, y)[1]),
	'abs': (1, magnitude, ALWAYS, NOWHERE), 'sign': (1, sign, ALWAYS, STEPS),
	'pow': (2, power, lambda x, y: mpf_lt(fzero, x[0]) or (x[0] == fzero and not mpf_lt(y[0], fzero)) or
			(y[0] == y[1] and fraction(y[0]).denominator == 1 and (not mpf_lt(y[0], fzero) or not has(x, fzero))),
			lambda x, y: has(x, fzero) and has(y, fzero) and y[0] != y[1]),
	'sqrt': (1, root, lambda x: not mpf_lt(x[0], fzero), NOWHERE),
	'cbrt': (1, rising(cube_root), ALWAYS, NOWHERE),
	'exp': (1, rising(mpmath.exp, (fzero, finf)), ALWAYS, NOWHERE),
	'ln': (1, LOG, lambda x: mpf_lt(fzero, x[0]), NOWHERE),
	'log': (1, rising(mpmath.log10), lambda x: mpf_lt(fzero, x[0]), NOWHERE),
	'sin': (1, wave(mpmath.sin, mpmath.mpf(1) / 2), ALWAYS, NOWHERE), 'cos': (1, wave(mpmath.cos, 0), ALWAYS, NOWHERE),
	'tan': (1, rising(mpmath.tan), lambda x: turns(x, mpmath.mpf(1) / 2) == range(0) or not (turns(x, mpmath.mpf(1) / 2) or [0]), NOWHERE),
	'cot': (1, falling(mpmath.cot), lambda x: turns(x, 0) is not None and not turns(x, 0), NOWHERE),
	'asin': (1, rising(mpmath.asin), lambda x: meet(x, UNIT) == x, NOWHERE),
	'acos': (1, falling(mpmath.acos), lambda x: meet(x, UNIT) == x, NOWHERE),
	'atan': (1, rising(mpmath.atan), ALWAYS, NOWHERE),
	'atan2': (2, angle, ALWAYS, lambda x, y: has(x, fzero) and not mpf_lt(fzero, y[0]) and (mpf_lt(x[0], fzero) or not mpf_lt(y[1], fzero))),
	'sinh': (1, rising(mpmath.sinh), ALWAYS, NOWHERE), 'cosh': (1, cosh, ALWAYS, NOWHERE),
	'tanh': (1, rising(mpmath.tanh, UNIT), ALWAYS, NOWHERE), 'asinh': (1, rising(mpmath.asinh), ALWAYS, NOWHERE),
	'acosh': (1, rising(mpmath.acosh), lambda x: mpf_le(fone, x[0]), NOWHERE),
	'atanh': (1, rising(mpmath.atanh), lambda x: mpf_lt(mpf_neg(fone), x[0]) and mpf_lt(x[1], fone), NOWHERE),
	'erf': (1, rising(mpmath.erf, UNIT), ALWAYS, NOWHERE), 'erfc': (1, falling(mpmath.erfc, (fzero, libmp.from_int(2))), ALWAYS, NOWHERE),
	'floor': (1, step(math.floor), ALWAYS, STEPS), 'ceil': (1, step(math.ceil), ALWAYS, STEPS),
	'rint': (1, step(round), ALWAYS, STEPS), 'round': (1, step(away), ALWAYS, STEPS), 'trunc': (1, step(math.trunc), ALWAYS, STEPS),
	'round_to': (2, at_place(away), ALWAYS, STEPS), 'trunc_to': (2, at_place(math.trunc), ALWAYS, STEPS),
	'greatest': (2, lambda x, y: (greatest(x[0], y[0]), greatest(x[1], y[1])), ALWAYS, NOWHERE),
	'least': (2, lambda x, y: (least(x[0], y[0]), least(x[1], y[1])), ALWAYS, NOWHERE),
	'coalesce': (2, lambda x, y: x, ALWAYS, NOWHERE),
	'=': (2, equal, ALWAYS, STEPS), '<>': (2, lambda x, y: opposite(equal(x, y)), ALWAYS, STEPS),
	'<': (2, less, ALWAYS, STEPS), '>': (2, lambda x, y: less(y, x), ALWAYS, STEPS),
	'<=': (2, lambda x, y: opposite(less(y, x)), ALWAYS, STEPS), '>=': (2, lambda x, y: opposite(less(x, y)), ALWAYS, STEPS),
	'not': (1, opposite, ALWAYS, STEPS),
	'and': (2, lambda x, y: truth(has(x, fzero) or has(y, fzero), has(x, fone) and has(y, fone)), ALWAYS, STEPS),
	'or': (2, lambda x, y: truth(has(x, fzero) and has(y, fzero), has(x, fone) or has(y, fone)), ALWAYS, STEPS),
	'is null': (1, None, ALWAYS, NOWHERE),
	# SQL has exp(x) beside
	**{'mean exp %d' % n: (1, mean_exp(n), lambda x: finite(rising(mpmath.exp)(x)), NOWHERE) for n in ORDERS},
	**{'mean cos %d' % n: (1, mean_cos(n), ALWAYS, NOWHERE) for n in ORDERS},
}
CHOICES = ('greatest', 'least', 'coalesce')

# ---- Expressions: nodes that are made once -----------------------------------------

TYPES = ('bool', 'int2', 'int4', 'int8', 'numeric', 'float4', 'float8')
TYPE_NAMES = {'boolean': 'bool', 'smallint': 'int2', 'integer': 'int4', 'int': 'int4', 'bigint': 'int8', 'decimal': 'numeric',
			  'real': 'float4', 'double precision': 'float8', **{t: t for t in TYPES}}
RANGES = {'bool': (0, 1), 'int2': (-2 ** 15, 2 ** 15 - 1), 'int4': (-2 ** 31, 2 ** 31 - 1), 'int8': (-2 ** 63, 2 ** 63 - 1)}
INTEGERS = ('int2', 'int4', 'int8')


class Node:
	"""An operation on nodes.  "lin" is a sum of products of powers: val has (product, factor),
	a product (number of a node, exponent); it has the type real, which SQL does not evaluate.
	written: the decimal of a numeric constant, whose nearest double is val."""
	made = {}
	numbered = []

	def __new__(cls, op, type, *args, val=None, written=None):
		key = (op, type, tuple(a.id for a in args), val, written)
		if key not in cls.made:
			self = super().__new__(cls)
			self.op, self.type, self.args, self.val, self.written, self.id = op, type, args, val, written, len(cls.numbered)
			self.names = frozenset([val]) if op == 'var' else frozenset().union(*(a.names for a in args))
			cls.made[key] = self
			cls.numbered.append(self)
		return cls.made[key]


def number(q):
	return lin({(): Fraction(q)})


def lin(terms):
	terms = {p: c for p, c in terms.items() if c != 0}
	if list(terms.values()) == [1] and len(list(terms)[0]) == 1 and list(terms)[0][0][1] == 1:
		return Node.numbered[list(terms)[0][0][0]]
	atoms = sorted({i for p in terms for i, _ in p})
	return Node('lin', 'real', *(Node.numbered[i] for i in atoms), val=tuple(sorted(terms.items())))


def terms_of(node):
	return dict(node.val) if node.op == 'lin' else {((node.id, 1),): Fraction(1)}


def constant_of(node):
	"""The number that a node is, or None."""
	if node.op != 'lin' or len(node.val) > 1:
		return None
	return Fraction(0) if not node.val else node.val[0][1] if node.val[0][0] == () else None


def plus(a, b, factor=1):
	terms = terms_of(a)
	for p, c in terms_of(b).items():
		terms[p] = terms.get(p, 0) + c * factor
	return lin(terms)


def minus(a, b):
	return plus(a, b, -1)


def raised(node, n):
	"""A node to a whole power, as a product and a factor."""
	terms = list(terms_of(node).items())
	if n == 0 or not terms and n > 0:
		return {}, Fraction(1 if n == 0 else 0)
	if len(terms) == 1:
		return {i: e * n for i, e in terms[0][0]}, terms[0][1] ** n
	return {node.id: n}, Fraction(1)


def times(*factors):
	"""The product of nodes, or (node, whole exponent)."""
	product, factor = {}, Fraction(1)
	for f in factors:
		node, n = f if isinstance(f, tuple) else (f, 1)
		powers, c = raised(node, n)
		factor *= c
		for i, e in powers.items():
			product[i] = product.get(i, 0) + e
	for i, e in [(i, e) for i, e in product.items() if abs(e) > 1 and Node.numbered[i].op == 'sqrt']:
		powers, c = raised(Node.numbered[i].args[0], int(e / 2))
		factor *= c
		product[i] = e - 2 * int(e / 2)
		for k, n in powers.items():
			product[k] = product.get(k, 0) + n
	product = tuple(sorted((i, e) for i, e in product.items() if e != 0))
	if len(product) == 1 and product[0][1] == 1:
		return lin({p: c * factor for p, c in terms_of(Node.numbered[product[0][0]]).items()})
	return lin({product: factor})


def over(a, b):
	return times(a, (b, -1))


def apply(op, *args):
	"""A function of real numbers."""
	if op == 'case' and args[0].op == 'truth':
		return args[1] if args[0].val else args[2]
	if op == 'case' and args[1] is args[2]:
		return args[1]
	if op in MEANS and constant_of(args[0]) == 0:
		return number(Fraction(at_zero(*MEANS[op]), MEANS[op][1] + 1))
	if op in COMPARISONS:
		d = constant_of(minus(args[0], args[1]))
		if d is not None and all(constant_of(a) is not None for a in args):
			return Node('truth', 'bool', val=COMPARISONS[op](d))
	if op == 'sqrt' and args[0].op == 'lin' and len(args[0].val) == 1 and args[0].val[0][1] == 1 and \
			len(args[0].val[0][0]) == 1 and args[0].val[0][0][0][1] == 2:
		return Node('abs', 'real', Node.numbered[args[0].val[0][0][0][0]])
	return Node(op, 'bool' if op in LOGIC else 'real', *args)


COMPARISONS = {'=': lambda d: d == 0, '<>': lambda d: d != 0, '<': lambda d: d < 0, '<=': lambda d: d <= 0,
			   '>': lambda d: d > 0, '>=': lambda d: d >= 0}
MEANS = {'mean %s %d' % (name, n): (name == 'cos', n) for name in ('exp', 'cos') for n in ORDERS}
LOGIC = (*COMPARISONS, 'not', 'and', 'or', 'is null')
ARITHMETIC = {'+': plus, '-': minus, '*': times, '/': over, 'neg': lambda x: times(number(-1), x)}


def remembered(function):
	memo = {}

	def call(node, *args):
		key = (node.id, *args)
		if key not in memo:
			memo[key] = function(node, *args)
		return memo[key]
	return call


@remembered
def real(node):
	"""An SQL expression as a function of real numbers, in a form in which like terms meet."""
	if node.type == 'real':
		return node
	args = [real(a) for a in node.args]
	if node.op == 'const':
		return node if node.val is None else Node('truth', 'bool', val=node.val) if node.type == 'bool' else number(node.val)
	if node.op in ARITHMETIC:
		return ARITHMETIC[node.op](*args)
	if node.op == 'cast':
		return args[0]
	if node.op == 'pow':
		n = constant_of(args[1])
		if n is not None and n.denominator == 1 and abs(n) < 1000:
			return times((args[0], int(n)))
	return apply(node.op, *args) if args else Node(node.op, 'bool' if node.type == 'bool' else 'real', val=node.val)


def with_args(node, args):
	"""The operation on other nodes, by the numbers of its own."""
	if node.op != 'lin':
		return apply(node.op, *(args[a.id] for a in node.args))
	result = number(0)
	for product, factor in node.val:
		result = plus(result, times(number(factor), *((args[i], e) for i, e in product)))
	return result


@remembered
def substitute(node, name, other):
	"""A real expression with another in the place of a column."""
	other = Node.numbered[other]
	if name not in node.names:
		return node
	if node.op == 'var':
		return other
	return with_args(node, {a.id: substitute(a, name, other.id) for a in node.args})


# ---- Derivatives --------------------------------------------------------------------

def scaled_gauss(x):
	pi = apply('acos', number(-1))
	return times(number(2), (apply('sqrt', pi), -1), apply('exp', times(number(-1), (x, 2))))


def next_mean(op):
	"""The derivative of a mean is the one of the next order."""
	def derivative(f, x):
		if MEANS[op][1] + 1 not in ORDERS:
			raise NotChecked('a derivative of a quotient of order %d' % (MEANS[op][1] + 1))
		return [apply('%s%d' % (op[:-1], MEANS[op][1] + 1), x)]
	return derivative


ln10 = apply('ln', number(10))
DERIVATIVES = {
	'abs': lambda f, x: [apply('sign', x)],
	'sqrt': lambda f, x: [over(number(Fraction(1, 2)), f)],
	'cbrt': lambda f, x: [times(number(Fraction(1, 3)), (f, -2))],
	'exp': lambda f, x: [f],
	'ln': lambda f, x: [times((x, -1))],
	'log': lambda f, x: [times((x, -1), (ln10, -1))],
	'sin': lambda f, x: [apply('cos', x)],
	'cos': lambda f, x: [times(number(-1), apply('sin', x))],
	'tan': lambda f, x: [plus(number(1), times((f, 2)))],
	'cot': lambda f, x: [minus(number(-1), times((f, 2)))],
	'asin': lambda f, x: [times((apply('sqrt', minus(number(1), times((x, 2)))), -1))],
	'acos': lambda f, x: [times(number(-1), (apply('sqrt', minus(number(1), times((x, 2)))), -1))],
	'atan': lambda f, x: [times((plus(number(1), times((x, 2))), -1))],
	'atan2': lambda f, x, y: [over(y, plus(times((x, 2)), times((y, 2)))), over(times(number(-1), x), plus(times((x, 2)), times((y, 2))))],
	'sinh': lambda f, x: [apply('cosh', x)],
	'cosh': lambda f, x: [apply('sinh', x)],
	'tanh': lambda f, x: [minus(number(1), times((f, 2)))],
	'asinh': lambda f, x: [times((apply('sqrt', plus(number(1), times((x, 2)))), -1))],
	'acosh': lambda f, x: [times((apply('sqrt', minus(times((x, 2)), number(1))), -1))],
	'atanh': lambda f, x: [times((minus(number(1), times((x, 2))), -1))],
	'erf': lambda f, x: [scaled_gauss(x)],
	'erfc': lambda f, x: [times(number(-1), scaled_gauss(x))],
	'pow': lambda f, x, y: [times(y, apply('pow', x, minus(y, number(1)))), times(f, apply('ln', x)) if y.names else number(0)],
	'mod': lambda f, x, y: [number(1), times(number(-1), apply('trunc', over(x, y)))],
	**{op: next_mean(op) for op in MEANS},
}


@remembered
def slope(node, name):
	"""The derivative by a column, where there is one; of a choice, that of the one taken.
	From the node down: what depends on a node in several ways is added up first."""
	if name not in node.names:
		return number(0)
	if node.op == 'var':
		return number(1)
	if node.op == 'case':
		return apply('case', node.args[0], slope(node.args[1], name), slope(node.args[2], name))
	if node.op in CHOICES:
		x, y = node.args
		order = {'greatest': '>=', 'least': '<='}.get(node.op)
		if order is None:
			return apply('case', apply('is null', x), slope(y, name), slope(x, name))
		return apply('case', apply('or', apply(order, x, y), apply('is null', y)), slope(x, name), slope(y, name))
	by, result = {node.id: number(1)}, number(0)
	while by:
		i = max(by)				# arguments have lower numbers
		inner, outer = Node.numbered[i], by.pop(i)
		if inner.op == 'var' or inner.op == 'case' or inner.op in CHOICES:
			result = plus(result, times(outer, slope(inner, name)))
			continue
		for arg, local in local_slopes(inner):
			if name in arg.names:
				by[arg.id] = plus(by.get(arg.id, number(0)), times(outer, local))
	return result


def local_slopes(node):
	if node.op != 'lin':		# steps have the derivative 0
		return list(zip(node.args, DERIVATIVES[node.op](node, *node.args))) if node.op in DERIVATIVES else []
	return [(Node.numbered[i], times(number(factor * e), *((Node.numbered[k], n - (k == i)) for k, n in product)))
			for product, factor in node.val for i, e in product]


@remembered
def taken_out(node):
	"""Common factors of a sum, and the sum of what is left."""
	products = [dict(product) for product, _ in node.val]
	common = {i: min(p.get(i, 0) for p in products) for i in {i for p in products for i in p}} if len(products) > 1 else {}
	common = {i: e for i, e in common.items() if e}
	rest = number(0)
	for product, factor in node.val if common else ():
		powers = {**dict.fromkeys(common, 0), **dict(product)}
		rest = plus(rest, times(number(factor), *((Node.numbered[i], e - common.get(i, 0)) for i, e in powers.items())))
	return sorted(common.items()), rest


# ---- SQL ----------------------------------------------------------------------------

TOKEN = re.compile(r'''\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<word>[A-Za-z_\u0080-\uffff][\w$]*)
	|"(?P<name>(?:[^"]|"")*)"|'(?P<text>[^']*)'|(?P<sign>::|<=|>=|<>|!=|[-+*/%^<>=(),]))''', re.X)
LEVELS = [('or',), ('and',), ('not',), ('is',), ('<', '>', '=', '<=', '>=', '<>', '!='), ('+', '-'), ('*', '/', '%'), ('^',)]
# One-argument functions that keep integers or numeric, and those for double precision alone.
KEEPING = ('abs',)
NUMERIC_TOO = ('sign', 'sqrt', 'exp', 'ln', 'log', 'floor', 'ceil', 'round', 'trunc')


class Parser:
	"""PostgreSQL's grammar, as far as row expressions are printed in it."""

	def __init__(self, text, types):
		self.types, self.tokens, at = types, [], 0
		text = text.rstrip()
		while at < len(text):
			m = TOKEN.match(text, at)
			if not m:
				raise Malformed('the expression cannot be read at "%s"' % text[at:at + 20])
			value = m.group(m.lastgroup)
			if m.lastgroup == 'word':
				value = value.lower()
			self.tokens.append((m.lastgroup, value.replace('""', '"') if m.lastgroup == 'name' else value))
			at = m.end()
		self.at = 0

	def whole(self):
		node = self.level(0)
		if self.at < len(self.tokens):
			raise Malformed('the expression goes on after its end at "%s"' % self.tokens[self.at][1])
		return node

	def peek(self, *values):
		kind, value = self.tokens[self.at] if self.at < len(self.tokens) else ('end', '')
		return value if kind in ('word', 'sign') and value in values else None

	def take(self, *values):
		value = self.peek(*values)
		self.at += value is not None
		return value

	def need(self, value):
		if not self.take(value):
			raise Malformed('the expression lacks "%s"' % value)

	def level(self, n):
		if n == len(LEVELS):
			return self.unary()
		if LEVELS[n] == ('not',):
			return Node('not', 'bool', self.level(n)) if self.take('not') else self.level(n + 1)
		left = self.level(n + 1)
		while True:
			op = self.take(*LEVELS[n])
			if op is None:
				return left
			if op == 'is':
				negated = self.take('not')
				self.need('null')
				left = Node('is null', 'bool', left)
				left = Node('not', 'bool', left) if negated else left
			else:
				left = binary(op, left, self.level(n + 1))
			if n == 4:					# comparisons do not associate
				return left

	def unary(self):
		if self.take('-'):
			# a sign before digits is part of the constant, but :: binds before it
			x = self.unary()
			if x.op != 'const' or x.val is None:
				return Node('neg', x.type, x)
			return Node('const', x.type, val=-x.val, written=None if x.written is None else -x.written)
		if self.take('+'):
			return self.unary()
		node = self.primary()
		while self.take('::'):
			node = cast(node, self.type())
		return node

	def type(self):
		name = self.tokens[self.at][1]
		self.at += 1
		if name == 'double':
			self.need('precision')
			name = 'double precision'
		if name not in TYPE_NAMES:
			raise Malformed('unknown type "%s"' % name)
		return TYPE_NAMES[name]

	def primary(self):
		if self.at == len(self.tokens):
			raise Malformed('the expression ends too early')
		kind, value = self.tokens[self.at]
		self.at += 1
		if kind == 'number':
			type = 'numeric' if not value.isdigit() or int(value) >= 2 ** 63 else 'int4' if int(value) < 2 ** 31 else 'int8'
			return Node('const', type, val=nearest(value), written=Fraction(value))
		if kind == 'text':
			return Node('const', 'unknown', val=nearest(value))
		if value == '(' and kind == 'sign':
			node = self.level(0)
			self.need(')')
			return node
		if kind == 'word' and value in ('true', 'false'):
			return Node('const', 'bool', val=Fraction(value == 'true'))
		if kind == 'word' and value == 'null':
			return Node('const', 'unknown', val=None)
		if kind == 'word' and value == 'case':
			return self.case()
		if kind == 'word' and self.take('('):
			args = [self.level(0)]
			while self.take(','):
				args.append(self.level(0))
			self.need(')')
			return call(value, args)
		if kind in ('word', 'name') and value in self.types:
			return Node('var', self.types[value], val=value)
		raise Malformed('"%s" is not a column' % value)

	def case(self):
		branches = []
		while self.take('when'):
			condition = self.level(0)
			self.need('then')
			branches.append((condition, self.level(0)))
		node = self.level(0) if self.take('else') else Node('const', 'unknown', val=None)
		self.need('end')
		type = common(*(b for _, b in branches), node)
		node = cast(node, type)
		for condition, branch in reversed(branches):
			branch = cast(branch, type)
			node = without_gap(condition, branch, node) or Node('case', type, condition, branch, node)
		return node


def is_number(node, number):
	return node.op == 'const' and node.val == number


def without_gap(condition, yes, no):
	"""CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END, or sin(x) / x, as a mean of x; else None.  A NULL
	is NULL in both, and SQL has an error in both where exp(x) overflows."""
	if condition.op != '=' or not is_number(condition.args[1], 0) or not is_number(yes, 1) or no.op != '/' or no.type != 'float8':
		return None
	numerator, x = no.args
	minus_one = numerator.op == '-' and is_number(numerator.args[1], 1)
	g = numerator.args[0] if minus_one else numerator
	if condition.args[0] is not x or x.type != 'float8' or g.op != ('exp' if minus_one else 'sin') or g.args[0] is not x:
		return None
	return Node('mean %s 0' % ('exp' if minus_one else 'cos'), 'float8', x)


def nearest(digits):
	"""Constants are evaluated as doubles."""
	return Fraction(float(digits))


def common(*nodes):
	types = [n.type for n in nodes if n.type != 'unknown']
	if not types or ('bool' in types and set(types) != {'bool'}):
		raise Malformed('types do not match')
	return max(types, key=TYPES.index)


def cast(node, type):
	if node.type == type:
		return node
	if node.op == 'const' and (node.type == 'unknown' or node.val is None or type not in INTEGERS):
		return Node('const', type, val=node.val, written=node.written if type == 'numeric' else None)
	if type in INTEGERS and node.type in ('numeric', 'float4', 'float8'):
		node = Node('round' if node.type == 'numeric' else 'rint', node.type, node)
	return Node('cast', type, node)


def binary(op, x, y):
	type = common(x, y)
	op = {'!=': '<>', '%': 'mod', '^': 'pow', '/': 'int_div' if type in INTEGERS else '/'}.get(op, op)
	if op == 'pow' and type in INTEGERS:
		type = 'float8'
	x, y = cast(x, type), cast(y, type)
	if op in ('and', 'or') and type != 'bool':
		raise Malformed('types do not match')
	if op in ('int_div', 'mod') and type not in (*INTEGERS, 'numeric'):
		raise Malformed('there is no such operator of double precision')
	if op in ('+', '-', '*') and type == 'numeric' and x.written is not None and y.written is not None:
		written = {'+': operator.add, '-': operator.sub, '*': operator.mul}[op](x.written, y.written)
		return Node('const', type, val=Fraction(float(written)), written=written)
	return Node(op, 'bool' if op in LOGIC else type, x, y)


def call(name, args):
	name = {'ceiling': 'ceil', 'power': 'pow'}.get(name, name)
	types = [a.type for a in args]
	if name in CHOICES and args:
		type = common(*args)
		result = cast(args[0], type)
		for a in args[1:]:
			result = Node(name, type, result, cast(a, type))
		return result
	if name == 'pow' and len(args) == 2:
		return binary('^', *args)
	if name == 'mod' and len(args) == 2:
		return binary('%', *args)
	if name == 'div' and len(args) == 2:
		return Node('int_div', 'numeric', *(cast(a, 'numeric') for a in args))
	if name in ('round', 'trunc') and len(args) == 2:
		return Node(name + '_to', 'numeric', cast(args[0], 'numeric'), args[1])
	if name not in FUNCTIONS or name in CHOICES or len(args) != FUNCTIONS[name][0]:
		raise Malformed('"%s" is not a function of row expressions' % name)
	type = types[0] if name in KEEPING or (name in NUMERIC_TOO and types[0] == 'numeric') else 'float8'
	if name == 'round' and type == 'float8':
		name = 'rint'
	return Node(name, type, *(cast(a, type) for a in args))


# ---- Enclosures ---------------------------------------------------------------------
# NULL: 0 never, 1 perhaps, 2 always.  A region has (lo, hi, null) for each column.

class Never(Exception):
	"""No row of the region is here."""


class Seen:
	"""What is known of a node on a region: an enclosure of its values, whether it is NULL,
	whether it is proved defined, whether it is proved continuous."""
	__slots__ = ('value', 'null', 'defined', 'smooth')

	def __init__(self, value, null, defined=True, smooth=True):
		self.value, self.null, self.defined, self.smooth = value, null, defined, smooth

	def is_constant(self):
		return self.null == 2 or (self.null == 0 and self.value is not None and self.value[0] == self.value[1])


def product_of(value, product, values):
	"""A quotient of two products, so that what is a double stays one."""
	below = ONE
	for i, e in product:
		if e > 0:
			value = mul(value, whole_power(values[i], e))
		else:
			below = mul(below, whole_power(values[i], -e))
	return value if below == ONE else div(value, below)


class Look:
	"""Encloses nodes on one region; `known` has what holds beside, under a condition."""

	def __init__(self, region, known=None):
		self.region, self.known, self.seen = region, known or {}, {}

	def at(self, node):
		if node.id not in self.seen:
			seen = self.enclose(node)
			if self.known and seen.value is not None:
				own = node if node.type == 'real' else real(node)
				seen.value = meet(seen.value, self.known.get(own.id, ENTIRE))
				if seen.value is None:
					raise Never
			self.seen[node.id] = seen
		return self.seen[node.id]

	def enclose(self, node):
		if node.op in ('const', 'truth'):
			return Seen(None, 2) if node.val is None else Seen(rational(Fraction(node.val)), 0)
		if node.op == 'var':
			lo, hi, null = self.region[node.val]
			return Seen(None if null == 2 else (from_float(lo), from_float(hi)), null)
		if node.op == 'case':
			return self.case(node)
		args = [self.at(a) for a in node.args]
		if node.op == 'is null':
			x = args[0]
			return Seen(truth(x.null != 2, x.null != 0), 0, x.defined, x.smooth and x.null != 1)
		if node.op in CHOICES:
			return self.choice(node, *args)
		if node.op in ('and', 'or'):
			return self.logic(node, *args)
		null = max([a.null for a in args], default=0)
		defined = all(a.defined for a in args)
		if any(a.value is None for a in args):
			return Seen(None, 2, defined)
		values = [a.value for a in args]
		if node.op == 'lin':
			value, fits, jumps = *self.sum(node), False
		else:
			value, fits, jumps = self.operation(node, *values)
		if value is None:
			return Seen(None, null, False, False)
		result = Seen(value, null, defined and fits and self.holds(node, value), all(a.smooth for a in args) and not jumps)
		result.smooth = result.smooth or result.is_constant()
		return result

	def operation(self, node, *values):
		if node.op in ('+', '-', '*'):
			same = len(values) == 2 and node.args[0] is node.args[1]
			return (whole_power(values[0], 2) if same and node.op == '*' else ZERO if same and node.op == '-' else
					{'+': add, '-': sub, '*': mul}[node.op](*values)), True, False
		if node.op == '/':
			return div(*values), not has(values[1], fzero), False
		if node.op in ('neg', 'cast'):
			return (mpi_neg(values[0]) if node.op == 'neg' else values[0]), True, False
		if node.op in COMPARISONS and real(node.args[0]) is real(node.args[1]):
			return truth(not COMPARISONS[node.op](0), COMPARISONS[node.op](0)), True, False
		_, enclosure, domain, jumps = FUNCTIONS[node.op]
		if not domain(*values):
			return None, False, False
		value = enclosure(*values)
		return value, True, jumps(*values) and not (value and value[0] == value[1] and jumps is STEPS)

	def holds(self, node, value):
		"""Can the type hold it?  SQL does not evaluate real numbers."""
		if node.type in INTEGERS:
			lo, hi = RANGES[node.type]
			return mpf_le(libmp.from_int(lo), value[0]) and mpf_le(value[1], libmp.from_int(hi))
		return node.type == 'real' or finite(value)

	def sum(self, node):
		values = {a.id: self.at(a).value for a in node.args}
		fits = all(e > 0 or not has(values[i], fzero) for product, _ in node.val for i, e in product)
		if fits and all(v[0] == v[1] and finite(v) for v in values.values()):
			exact = {i: fraction(v[0]) for i, v in values.items()}
			return rational(sum(factor * math.prod(exact[i] ** e for i, e in product) for product, factor in node.val) + Fraction(0)), fits
		total = ZERO
		for product, factor in node.val:
			total = add(total, meet(product_of(rational(factor), product, values), self.share(product, factor)))
		common, rest = taken_out(node)
		if common:
			total = meet(total, product_of(self.at(rest).value, common, values))
		return total, fits

	def share(self, product, factor):
		"""u / (c + u) is 1 - c / (c + u), where u occurs once."""
		if len(product) != 2 or sorted(e for _, e in product) != [-1, 1]:
			return ENTIRE
		u, below = (Node.numbered[i] for i, _ in sorted(product, key=lambda p: -p[1]))
		k = terms_of(below).get(((u.id, 1),))
		if below.op != 'lin' or not k or has(self.at(below).value, fzero):
			return ENTIRE
		rest = self.at(minus(below, times(number(k), u))).value
		return mul(rational(factor / k), sub(ONE, div(rest, self.at(below).value)))

	def choice(self, node, x, y):
		if node.op == 'coalesce' and x.null == 0:
			return x
		both = None
		if x.value is not None and y.value is not None:
			both = FUNCTIONS[node.op][1](x.value, y.value)
		value = None if x.null == 2 or y.null == 2 else both
		value = hull(value, y.value if x.null else None)
		value = hull(value, x.value if y.null and node.op != 'coalesce' else None)
		if node.op == 'coalesce' and x.null != 2:
			value = hull(value, x.value)
		return Seen(value, min(x.null, y.null), x.defined and y.defined, x.smooth and y.smooth and 1 not in (x.null, y.null))

	def logic(self, node, x, y):
		def can(s):
			return [v for v, possible in ((0, s.value and has(s.value, fzero)), (1, s.value and has(s.value, fone)), (None, s.null)) if possible]
		strong = 0 if node.op == 'and' else 1
		results = {strong if strong in (a, b) else None if None in (a, b) else 1 - strong for a in can(x) for b in can(y)}
		value = truth(0 in results, 1 in results) if results - {None} else None
		result = Seen(value, 0 if None not in results else 2 if value is None else 1, x.defined and y.defined, False)
		result.smooth = result.is_constant()
		return result

	def case(self, node):
		condition, yes, no = node.args
		c = self.at(condition)
		taken = [b for b, possible in ((yes, c.value is not None and has(c.value, fone)),
									   (no, c.null or (c.value is not None and has(c.value, fzero)))) if possible]
		if len(taken) == 1:
			only = self.at(taken[0])
			return Seen(only.value, only.null, c.defined and only.defined, only.smooth)
		results = []
		for branch in taken:
			try:
				known = dict(self.known)
				self.constrain(condition, branch is yes, known)
				results.append(Look(self.region, known).at(branch))
			except Never:
				pass
		if not results:
			raise Never
		value, nulls = None, {r.null for r in results}
		for r in results:
			value = hull(value, r.value)
		result = Seen(value, nulls.pop() if len(nulls) == 1 else 1, c.defined and all(r.defined for r in results))
		result.smooth = result.is_constant() or (len(results) == 1 and results[0].smooth)
		return result

	def constrain(self, node, holds, known):
		"""What follows if a condition is true, or is not, for its sides and their difference."""
		if not holds and self.at(node).null:
			return
		if node.op == 'not':
			if not self.at(node).null:
				self.constrain(node.args[0], not holds, known)
		elif node.op in ('and', 'or'):
			if holds == (node.op == 'and'):
				for a in node.args:
					self.constrain(a, holds, known)
		elif node.op in COMPARISONS:
			x, y = (real(a) if a.type != 'real' else a for a in node.args)
			op = node.op if holds else {'<': '>', '<=': '>', '>': '<', '>=': '<', '=': '<>', '<>': '='}[node.op]
			if op in ('<', '<=', '='):
				self.positive(minus(y, x), known)
			if op in ('>', '>=', '='):
				self.positive(minus(x, y), known)

	def positive(self, node, known):
		"""Adds that a node is at least 0, and so its terms."""
		def limit(n, lo, hi):
			known[n.id] = meet(known.get(n.id, ENTIRE), (lo, hi))
			if known[n.id] is None:
				raise Never
		if self.at(node).value is None:
			return
		limit(node, fzero, finf)
		limit(times(number(-1), node), fninf, fzero)
		for product, factor in terms_of(node).items():
			if len(product) == 1 and product[0][1] == 1 and node.op == 'lin':
				atom = Node.numbered[product[0][0]]
				end = div(self.at(minus(times(number(factor), atom), node)).value, rational(factor))
				limit(atom, end[0] if factor > 0 else fninf, finf if factor > 0 else end[1])


def resolve(node, look):
	"""A real expression without the choices that are decided on the region, so that more of it cancels."""
	if node.op == 'case':
		c = look.at(node.args[0])
		if c.null == 2 or c.is_constant():
			return resolve(node.args[1 if c.null == 0 and has(c.value, fone) else 2], look)
	if node.op in ('abs', 'sign') and look.at(node.args[0]).value is not None:
		signs = sign(look.at(node.args[0]).value)
		if signs[0] == signs[1] != fzero:
			factor = 1 if signs[0] == fone else -1
			return number(factor) if node.op == 'sign' else times(number(factor), resolve(node.args[0], look))
	if node.op == 'coalesce' and look.at(node.args[0]).null != 1:
		return resolve(node.args[0 if look.at(node.args[0]).null == 0 else 1], look)
	if not node.args or node.type == 'bool':
		return node
	return with_args(node, {a.id: resolve(a, look) for a in node.args})


# ---- Claims -------------------------------------------------------------------------

def middle(lo, hi, integral):
	m = lo / 2 + hi / 2
	return float(math.floor(m)) if integral else m


class Claim:
	"""What a part is about: an expression, the guards that SQL evaluates, the columns."""

	def __init__(self, document, name):
		self.kind, _, column = name.partition(':')
		self.name, f = name, document.f
		self.private, self.ranges = document.private, dict(document.ranges)
		self.guards, g = [f], real(f)
		self.squared, self.phases = False, []
		self.relaxed = self.kind in ('steepness', 'steepness_sum', 'steepest', 'continuity')
		if self.relaxed:
			self.private = self.private - document.steps
		if self.kind in ('move', 'slope', 'negated_slope', 'step_down', 'step_up') and column not in document.ranges:
			raise Malformed('"%s" is not a part' % name)
		if self.kind == 'move':
			self.other = 'other'
			while self.other in self.ranges:
				self.other += '_'
			self.ranges[self.other] = self.ranges[column]
			self.guards.append(replace(f, column, Node('var', self.ranges[column].type, val=self.other)))
			self.node = minus(g, real(self.guards[1]))
		elif self.kind in ('step_down', 'step_up'):
			here = Node('var', self.ranges[column].type, val=column)
			self.guards.append(replace(f, column, binary('+', here, Node('const', here.type, val=Fraction(1)))))
			self.node = times(number(1 if self.kind == 'step_down' else -1), minus(g, real(self.guards[1])))
		elif self.kind in ('value', 'continuity'):
			self.node = g
		elif self.kind == 'negated_value':
			self.node = times(number(-1), g)
		elif self.kind in ('slope', 'negated_slope'):
			self.node = times(number(1 if self.kind == 'slope' else -1), slope(g, column))
		elif self.kind in ('steepness', 'steepness_sum', 'steepest'):
			self.node = self.steepness(g, document)
		else:
			raise Malformed('"%s" is not a part' % name)
		needed = frozenset().union(strict(self.node), *(strict(n) for n in self.guards))
		self.root = {c: (r.lo, r.hi, 1 if r.nullable and c not in needed else 0) for c, r in self.ranges.items()}
		if self.kind in ('step_down', 'step_up'):
			self.root[column] = (self.ranges[column].lo, self.ranges[column].hi - 1, 0)

	def steepness(self, g, document):
		slopes = [over(slope(g, c), number(document.ranges[c].weight)) for c in document.ranges if c in self.private]
		slopes = [s for s in slopes if constant_of(s) != 0]
		self.squared = self.kind == 'steepness' and len(slopes) > 1
		if self.squared:
			total = number(0)
			for s in slopes:
				total = plus(total, times((s, 2)))
			return total
		sizes = [number(abs(constant_of(s))) if constant_of(s) is not None else apply('abs', s) for s in slopes]
		total = sizes[0] if sizes else number(0)
		for s in sizes[1:]:
			total = apply('greatest', total, s) if self.kind == 'steepest' else plus(total, s)
		return total

	def phase_of(self, column):
		return None

	def on(self, region):
		return self

	def integral(self, column):
		type = self.ranges[column].type
		return type == 'bool' or (type in INTEGERS and not (self.relaxed and column in self.private))

	def uncut(self, column):
		"""A half of the range of a private boolean would hide its jump."""
		return self.kind == 'continuity' and self.integral(column) and column in self.private

	# -- what enclosures prove on a region

	def defined(self, look):
		nodes = [look.at(g) for g in self.guards] + [look.at(self.node)]
		return all(n.defined and (n.value is None or finite(n.value)) for n in nodes)

	def valueless(self, look):
		return any(n.null == 2 or n.value is None for n in [look.at(g) for g in self.guards] + [look.at(self.node)])

	def smooth(self, look):
		return look.at(self.node).smooth and all(n.null == 0 for n in [look.at(g) for g in self.guards] + [look.at(self.node)])

	def slope(self, look, column):
		node = slope(self.node, column)
		s = look.at(node)
		if not s.defined or s.null or s.value is None:
			return None
		return meet(s.value, look.at(resolve(node, look)).value) if mpf_lt(s.value[0], fzero) and mpf_lt(fzero, s.value[1]) else s.value

	def top(self, look):
		value = look.at(self.node).value
		# with phases, a face of the region is not where the expression itself is looked at
		if self.kind == 'value' and not self.phases and look.at(self.guards[0]).value is not None:
			value = meet(value, look.at(self.guards[0]).value)
		return value[1]

	def mean_value(self, look, region, centre):
		total = Look({c: (x, x, 0) if x is not None else (None, None, 2) for c, x in centre.items()}).at(self.node)
		if not total.defined or total.null or total.value is None:
			return finf
		total = total.value
		for c in self.node.names:
			lo, hi, null = region[c]
			if null == 2 and centre[c] is None or null == 0 and lo == hi == centre[c]:
				continue
			s = self.slope(look, c)
			if s is None or null or centre[c] is None or not lo <= centre[c] <= hi:
				return finf
			total = add(total, mul(s, sub((from_float(lo), from_float(hi)), point(centre[c]))))
		return total[1]

	def best_centre(self, look, region):
		centre = {}
		for c, (lo, hi, null) in region.items():
			s = self.slope(look, c) if c in self.node.names else None
			centre[c] = None if null == 2 else middle(lo, hi, self.integral(c))
			if s is not None and null == 0 and lo < hi and finite(s):
				a, b = libmp.to_float(s[0]), libmp.to_float(s[1])
				centre[c] = hi if a >= 0 else lo if b <= 0 else min(max(lo + (hi - lo) * (b / (b - a)), lo), hi)
		return centre

	def parts(self, region, depth):
		"""The region in two, or None."""
		names = frozenset(self.node.names).union(*(g.names for g in self.guards))
		for c in sorted(names):
			if region[c][2] == 1:
				return [{**region, c: (*region[c][:2], 0)}, {**region, c: (None, None, 2)}]
		def width(c):
			lo, hi, null = region[c]
			if null == 2 or self.uncut(c):
				return 0
			root = self.root[c]
			return (hi / 2 - lo / 2) / (root[1] / 2 - root[0] / 2) if hi > lo else 0
		c = max(sorted(names), key=width, default=None)
		if c is None or width(c) <= 0:
			return None
		lo, hi, null = region[c]
		at = middle(lo, hi, self.integral(c))
		if self.integral(c):
			return [{**region, c: (lo, at, null)}, {**region, c: (at + 1, hi, null)}]
		return [{**region, c: (lo, at, null)}, {**region, c: (at, hi, null)}] if lo < at < hi else None

	def everywhere(self, region, test, budget):
		"""Does a test hold on a region, or on parts that cover it?"""
		waiting, depth = [region], 0
		while waiting:
			region = waiting.pop()
			try:
				if test(Look(region), region):
					continue
			except Never:
				continue
			budget -= 1
			parts = self.parts(region, depth) if budget > 0 else None
			if parts is None:
				return False
			waiting += parts
		return True

	def below(self, region, upper, centre=None, budget=PIECES):
		"""Is the expression defined, and at most `upper`, on the region?"""
		target = from_float(upper)

		def test(look, region):
			if not self.defined(look):
				return False
			if self.valueless(look) or mpf_le(self.top(look), target):
				return True
			if not self.smooth(look):
				return False
			face = dict(region)
			for c in self.node.names:
				lo, hi, null = region[c]
				s = self.slope(look, c) if null == 0 and lo < hi else None
				if s is not None and (not mpf_lt(s[0], fzero) or not mpf_lt(fzero, s[1])):
					face[c] = (hi, hi, 0) if not mpf_lt(s[0], fzero) else (lo, lo, 0)
			if face != region:
				return test(Look(face), face)
			at = centre if centre and all(x is None or (region[c][2] == 0 and region[c][0] <= x <= region[c][1]) for c, x in centre.items()) else None
			return any(mpf_le(self.mean_value(look, region, c), target) for c in (at, self.best_centre(look, region)) if c)
		return self.everywhere(region, test, budget)

	def monotone(self, region, column, rising):
		lo, hi, null = region[column]
		if null or not lo < hi:
			return False

		def test(look, region):
			s = self.slope(look, column)
			return self.defined(look) and self.smooth(look) and s is not None and \
				(not mpf_lt(s[0], fzero) if rising else not mpf_lt(fzero, s[1]))
		return self.everywhere(region, test, PIECES)

	def steady(self, look, node):
		"""Does an SQL expression move without a jump as private columns do?  Whether a column is
		NULL is public."""
		if not node.names & self.private or look.at(node).is_constant():
			return True
		if node.op == 'var':
			return True
		if node.op != 'case':
			arguments = [a for i, a in enumerate(node.args) if not (node.op == 'coalesce' and i and look.at(node.args[0]).null == 0)]
			values = [look.at(a).value for a in node.args]
			if not all(self.steady(look, a) for a in arguments):
				return False
			return node.op not in FUNCTIONS or node.op == 'is null' or node.op in CHOICES or None in values or not FUNCTIONS[node.op][3](*values)
		condition, yes, no = node.args
		c = look.at(condition)
		taken = [b for b, possible in ((yes, c.value is not None and has(c.value, fone)),
									   (no, c.null or (c.value is not None and has(c.value, fzero)))) if possible]
		if len(taken) == 2 and condition.names & self.private and not self.meets(look, condition, real(yes), real(no)):
			raise NotChecked('that the branches of a CASE meet where its condition changes')
		return all(self.steady(look, b) for b in taken)

	def meets(self, look, condition, yes, no):
		"""Are both branches equal wherever a comparison of private columns turns over?  What is
		compared must not jump itself."""
		if not condition.names & self.private or condition.op == 'is null':
			return True
		if condition.op in ('and', 'or', 'not'):
			return all(self.meets(look, a, yes, no) for a in condition.args)
		if condition.op not in ('<', '<=', '>', '>=') or not all(self.steady(look, a) for a in condition.args):
			return False
		difference = minus(*(real(a) for a in condition.args))
		for product, factor in terms_of(difference).items():
			if len(product) == 1 and product[0][1] == 1 and Node.numbered[product[0][0]].op == 'var':
				column = Node.numbered[product[0][0]]
				rest = minus(difference, times(number(factor), column))
				if column.val not in rest.names:
					end = times(number(-1 / factor), rest).id
					if substitute(yes, column.val, end) is substitute(no, column.val, end):
						return True
		return False


def replace(node, name, other):
	"""An SQL expression with another one in the place of a column."""
	if node.op == 'var' and node.val == name:
		return other
	return Node(node.op, node.type, *(replace(a, name, other) for a in node.args), val=node.val) if name in node.names else node


@remembered
def strict(node):
	"""Columns whose NULL makes the node NULL."""
	if node.op == 'var':
		return node.names
	sets = [strict(a) for a in node.args]
	if node.op in ('and', 'or', 'is null') or not sets:
		return frozenset()
	if node.op == 'case':
		return sets[1] & sets[2]
	return sets[0] & sets[1] if node.op in CHOICES else frozenset().union(*sets)


@remembered
def writes_null(node):
	"""Can it be NULL where no column is?"""
	if node.op in ('var', 'is null'):
		return False
	if not node.args:
		return node.val is None
	each = [writes_null(a) for a in (node.args[1:] if node.op == 'case' else node.args)]
	return all(each) if node.op in CHOICES else any(each)


def can_be_null(node, nullable):
	"""May the node be NULL if no columns but these may be?"""
	if node.op in ('var', 'is null'):
		return node.val in nullable
	if not node.args:
		return node.val is None
	each = [can_be_null(a, nullable) for a in (node.args[1:] if node.op == 'case' else node.args)]
	return all(each) if node.op in CHOICES else any(each)


# ---- Documents ----------------------------------------------------------------------

PLAIN = ('plain', 'turning')	# what is followed here
FORMS = {'rewritten': 'that the expression was rewritten rightly', 'scored': 'that a score may stand as one column',
		 'affine': 'affine and quadratic forms', 'scored affine': 'a score as one column, affine and quadratic forms'}


class Range:
	def __init__(self, name, value):
		value = {'range': value} if isinstance(value, list) else value
		if not isinstance(value, dict) or set(value) - {'range', 'type', 'weight', 'public', 'nullable'}:
			raise Malformed('the range of "%s" cannot be read' % name)
		self.type = TYPE_NAMES.get(str(value.get('type', 'float8')).lower())
		self.weight = Fraction(numeric(value.get('weight', 1)))
		self.public, self.nullable = value.get('public', False), value.get('nullable', False)
		if self.type is None or self.weight <= 0 or not isinstance(self.public, bool) or not isinstance(self.nullable, bool):
			raise Malformed('the range of "%s" cannot be read' % name)
		ends = [0, 1] if self.type == 'bool' else value.get('range')
		if not isinstance(ends, list) or len(ends) != 2:
			raise Malformed('the range of "%s" must be two numbers' % name)
		self.lo, self.hi = (numeric(x) for x in ends)
		if self.type in INTEGERS:
			self.lo, self.hi = float(math.ceil(self.lo)), float(math.floor(self.hi))
		if not self.lo <= self.hi:
			raise Malformed('the range of "%s" is empty' % name)


def numeric(x):
	if isinstance(x, bool) or not isinstance(x, (int, float)):
		raise Malformed('a number is missing')
	x = float(x)
	if not math.isfinite(x):
		raise Malformed('a number is out of range')
	return x + 0.0


class Document:
	def __init__(self, json_document):
		d = self.d = json_document
		if not isinstance(d, dict) or d.get('format') != 'dpsens certificate' or d.get('version') != 1:
			raise Malformed('it is not a dpsens certificate of version 1')
		for key, type in (('expression', str), ('ranges', dict), ('quantities', dict), ('parts', dict)):
			if not isinstance(d.get(key), type):
				raise Malformed('"%s" is missing' % key)
		if not d['quantities']:
			raise Malformed('it certifies no quantity')
		self.ranges = {c: Range(c, r) for c, r in d['ranges'].items()}
		self.private = frozenset(c for c, r in self.ranges.items() if not r.public)
		f = Parser(d['expression'], {c: r.type for c, r in self.ranges.items()}).whole()
		self.f = cast(f, 'float8')
		self.verdicts, self.claims = {}, {}
		self.steps = frozenset(self.step(c) for c in self.list_of_steps())

	def list_of_steps(self):
		"""Columns that move by whole steps in metrics."""
		steps = self.d.get('steps', [])
		if not isinstance(steps, list) or not all(isinstance(c, str) for c in steps):
			raise Malformed('"steps" is not a list of columns')
		return steps

	def step(self, c):
		r = self.ranges.get(c)
		if r is None or r.public or not (r.type == 'bool' or r.type in INTEGERS) or not r.lo < r.hi:
			raise Malformed('"%s" does not move by steps' % c)
		return c

	def deciding(self, column=None):
		"""May a private column, or this one, make the row NULL?"""
		nullable = frozenset(c for c in self.f.names if self.ranges[c].nullable)
		if not can_be_null(self.f, nullable):
			return False
		deciding = self.private & (self.f.names if writes_null(self.f) or strict(self.f) != self.f.names else nullable)
		return bool(deciding) if column is None else column in deciding

	def claim(self, name):
		if name not in self.claims:
			self.claims[name] = Claim(self, name)
		return self.claims[name]

	def part(self, name):
		part = self.d['parts'].get(name)
		if not isinstance(part, dict):
			raise Malformed('part "%s" is missing' % name)
		return part

	def verdict(self, name):
		"""None if a part is proved, or why not; each is looked at once."""
		if name not in self.verdicts:
			try:
				self.verdicts[name] = Part(self, name).check()
			except (Refused, NotChecked) as e:
				self.verdicts[name] = e
		return self.verdicts[name]

	def ends(self, name):
		part = self.part(name)
		lower = part.get('lower')
		return (None if lower is None else Fraction(numeric(lower)), Fraction(numeric(part.get('upper'))))

	def check(self, quantity, stated):
		"""Raises why a quantity is not proved; returns how many boxes prove it."""
		kind, _, column = quantity.partition(':')
		of_values = ['value', 'negated_value']
		parts = {'infimum': ['negated_value'], 'supremum': ['value'], 'add_remove': of_values, 'replace': of_values,
				 'metric': ['continuity', 'steepness'], 'metric_l1': ['continuity', 'steepness_sum'],
				 'metric_linf': ['continuity', 'steepest'], 'attribute': ['move:' + column],
				 'slope': ['slope:' + column, 'negated_slope:' + column]}.get(kind)
		metric = kind in ('metric', 'metric_l1', 'metric_linf')
		if metric and self.steps and writes_null(self.f):
			raise NotChecked('that the expression is null only where a column is')
		if metric:
			parts = parts + [s + c for c in sorted(self.steps) for s in (['move:'] if self.ranges[c].type == 'bool' else ['step_down:', 'step_up:'])]
		if parts is None or (column in self.ranges) != (kind in ('attribute', 'slope')):
			raise Malformed('"%s" is not a quantity' % quantity)
		zero = kind == 'attribute' and self.deciding(column) or kind == 'replace' and self.deciding()
		if zero and kind == 'attribute':
			parts = parts + of_values
		reasons = [(name, self.verdict(name)) for name in parts]
		for name, why in reasons:
			if isinstance(why, Refused):
				raise Refused('%s: %s' % (name, why))
		ends = [self.ends(name) for name in parts if name != 'continuity']
		if metric and self.steps:
			self.check_steps(kind, dict(zip(parts[1:], ends)), stated)
		else:
			self.check_ends(kind, ends, zero, stated)
		for name, why in reasons:
			if why is not None:
				raise NotChecked('%s: %s' % (name, why))
		return sum(len(self.part(name)['boxes']) for name in parts)

	def stated_ends(self, stated):
		return (None if stated.get(k) is None else Fraction(numeric(stated[k])) for k in ('lower', 'upper'))

	def check_steps(self, kind, ends, stated):
		"""A column moves by whole steps, one after the other, then all others along a line: a
		norm's bound is that of the vector of the bounds of these moves, by Hoelder's inequality."""
		low, high = self.stated_ends(stated)
		lines = next(iter(ends))
		lower, upper = ends.pop(lines)
		squared = kind == 'metric' and self.claim(lines).squared
		longest = {}
		for name, (a, b) in ends.items():
			c = name.partition(':')[2]
			weight = self.ranges[c].weight
			longest[c] = max(longest.get(c, Fraction(0)), b / weight)
			if a is not None and a > 0:
				a = a / weight
				lower = max(lower or 0, a * a if squared else a)
		upper = max(upper, 0)
		if kind == 'metric':
			reached = (upper if squared else upper ** 2) + sum(x ** 2 for x in longest.values())
		else:
			reached = upper + sum(longest.values()) if kind == 'metric_l1' else max(upper, *longest.values())
		if high is None or high < 0 or (high ** 2 if kind == 'metric' else high) < reached:
			raise Refused('its parts do not prove its upper end')
		if low is not None and (low * abs(low) if squared else low) > max(lower or 0, 0):
			raise Refused('its parts do not prove its lower end')

	def check_ends(self, kind, ends, zero, stated):
		low, high = self.stated_ends(stated)
		if kind == 'infimum':
			low, high = None if high is None else -high, None if low is None else -low
		lows, highs = [a for a, _ in ends], [b for _, b in ends]
		lower = max((a for a in lows if a is not None), default=None)
		upper = max(highs)
		if kind == 'replace':
			lower = sum(lows) if None not in lows else None
			upper = sum(highs)
			if zero:
				lower = max([lower, *lows], key=lambda a: -math.inf if a is None else a)
				upper = max(upper, *highs)
		if kind not in ('infimum', 'supremum'):
			lower, upper = max(lower or 0, 0), max(upper, 0)
		squared = kind == 'metric' and self.claim('steepness').squared
		if high is None or (high * abs(high) if squared else high) < upper:
			raise Refused('its parts do not prove its upper end')
		if low is not None and (lower is None or (low * abs(low) if squared else low) > lower):
			raise Refused('its parts do not prove its lower end')


class Phase:
	"""A column of a claim that stands for another one, `column`, in sines, cosines and tangents of
	`column` times a constant plus what does not depend on it.  `period` is a common one of them,
	so that they do not change if the column is reduced by a whole number of periods."""
	MOST = 24					# of the longest period, in the common one

	def __init__(self, name, column, node):
		self.name, self.column = name, column
		self.sines = {n.id: n for n in parts_of(node) if n.op in ('sin', 'cos', 'tan') and self.factor(n) is not None}
		self.period = self.find_period()

	def factor(self, sine):
		"""What the column is multiplied by: a constant other than 0; twice that in tangents, whose period is pi."""
		if self.column not in sine.names:
			return None
		by = slope(sine.args[0], self.column)
		rest = minus(sine.args[0], times(by, Node('var', 'real', val=self.column)))
		if by.names or self.column in rest.names or has(Look({}).at(by).value, fzero):
			return None
		return times(number(2 if sine.op == 'tan' else 1), by)

	def find_period(self):
		factors = [self.factor(n) for n in self.sines.values()]
		if not factors:
			return None
		least = min(factors, key=lambda n: fraction(magnitude(Look({}).at(n).value)[0]))
		ratios = [constant_of(over(n, least)) for n in factors]
		if None in ratios:
			return None
		for n in range(1, self.MOST + 1):
			if all((n * r).denominator == 1 for r in ratios):
				pi = (outward(lambda _: +mpmath.pi, fone, False), outward(lambda _: +mpmath.pi, fone, True))
				return div(mul(rational(Fraction(2 * n)), pi), magnitude(Look({}).at(least).value))
		return None

	def present(self, region):
		return region[self.name][2] == 0

	def ranges(self, region):
		"""Parts of the column's range that cover what has the phase; they may have ends in common."""
		own = (from_float(region[self.name][0]), from_float(region[self.name][1]))
		whole = (from_float(region[self.column][0]), from_float(region[self.column][1]))
		turns = div(sub(whole, own), self.period)
		first, last = math.floor(fraction(turns[0])), math.ceil(fraction(turns[1]))
		if last - first > 10 ** 5:
			return [whole]
		parts = (meet(whole, add(own, mul(rational(Fraction(m)), self.period))) for m in range(first, last + 1))
		return [p for p in parts if p is not None]

	def missing(self, region):
		return self.present(region) and not self.ranges(region)

	def turned(self, region, lo, hi):
		"""The column from lo to hi, without a phase."""
		a, b, _ = region[self.column]
		if not self.present(region) or not a <= lo <= hi <= b:
			raise Refused('a turn of "%s" is not within its region' % self.column)
		if any(mpf_lt(p[0], from_float(lo)) or mpf_lt(from_float(hi), p[1]) for p in self.ranges(region)):
			raise Refused('a turn of "%s" leaves out values that have its phase' % self.column)
		return {self.column: (lo, hi, 0), self.name: (None, None, 2)}


def parts_of(node):
	"""The node and all that it is made of."""
	seen, waiting = {}, [node]
	while waiting:
		n = waiting.pop()
		if n.id not in seen:
			seen[n.id] = n
			waiting += n.args
	return seen.values()


def turned(node, phases, memo=None):
	"""An expression with the phases in the place of their columns, in their sines."""
	memo = {} if memo is None else memo
	if not node.args or not any(p.column in node.names for p in phases):
		return node
	if node.id not in memo:
		result = with_args(node, {a.id: turned(a, phases, memo) for a in node.args})
		for p in phases:
			if node.id in p.sines:
				result = substitute(result, p.column, Node('var', 'real', val=p.name).id)
		memo[node.id] = result
	return memo[node.id]


class Turning(Claim):
	"""A claim with phases: the expression E with a phase u in the place of a column t, in the sines
	that have a common period P in t, is G(t, u), and E(t) = G(t, t - m P) for each whole m.  A
	region of t and u stands for the rows with such an m.  So what bounds G on the product of both
	ranges bounds E on the region, and the root, which has all u from 0 to P, has all rows."""

	def __init__(self, claim, stated):
		self.__dict__.update(claim.__dict__)
		self.ranges, self.root, self.phases, self.views = dict(claim.ranges), dict(claim.root), [], {}
		if not isinstance(stated, dict) or not stated:
			raise Malformed('a part that turns has no phases')
		for name, value in stated.items():
			if not isinstance(value, dict) or not isinstance(value.get('range'), list) or len(value['range']) != 2:
				raise Malformed('the phase "%s" cannot be read' % name)
			c, ends = value.get('of'), [numeric(x) for x in value['range']]
			if c not in claim.ranges or name in self.ranges or claim.root[c][2] or claim.integral(c) or self.phase_of(c):
				raise Refused('"%s" is not a phase of a column' % name)
			phase = Phase(name, c, claim.node)
			if phase.period is None:
				raise Refused('"%s" has no period' % c)
			if ends[0] > 0 or mpf_lt(from_float(ends[1]), phase.period[1]):
				raise Refused('the phase "%s" has not all of a period' % name)
			self.phases.append(phase)
			self.ranges[name] = Range(name, ends)
			self.root[name] = (*ends, 0)
		self.plain = claim.node
		self.node = turned(claim.node, self.phases)

	def phase_of(self, column):
		return next((p for p in self.phases if p.column == column), None)

	def on(self, region):
		"""The claim with those phases that the region has."""
		phases = [p for p in self.phases if p.present(region)]
		key = tuple(p.name for p in phases)
		if key not in self.views:
			self.views[key] = Claim.__new__(Claim)
			self.views[key].__dict__.update(self.__dict__)
			self.views[key].node = turned(self.plain, phases)
		return self.views[key]


class Part:
	"""One part of a document: a claim and its proof."""

	def __init__(self, document, name):
		self.part, self.claim, self.document = document.part(name), document.claim(name), document
		self.columns = self.part.get('columns')
		for key in ('tree', 'boxes', 'columns'):
			if not isinstance(self.part.get(key), list):
				raise Malformed('"%s" of part "%s" is missing' % (key, name))
		self.boxes = self.part['boxes']
		self.upper = None if self.claim.kind == 'continuity' else numeric(self.part.get('upper'))

	def check(self):
		form = self.part.get('form')
		if form not in PLAIN and form not in FORMS:
			raise Malformed('there is no form "%s"' % form)
		if self.claim.kind != 'continuity':
			self.check_witness()
		if form not in PLAIN:
			raise NotChecked('its form is %s: %s' % (form, FORMS[form]))
		if form == 'turning':
			self.claim = Turning(self.claim, self.part.get('phases'))
		if len(set(self.columns)) != len(self.columns) or set(self.columns) != set(self.claim.root):
			raise Refused('its columns are not those of the ranges')
		self.check_expression()
		self.follow()

	def check_witness(self):
		lower, witness = self.part.get('lower'), self.part.get('witness')
		if lower is None:
			return
		claim, row = self.claim, {}
		columns = list(self.columns)[:len(claim.root)]
		if not isinstance(witness, list) or len(witness) != len(columns) or set(columns) != set(claim.root):
			raise Refused('the witness is not a row of the ranges')
		for c, x in zip(columns, witness):
			lo, hi, null = claim.root[c]
			row[c] = (None, None, 2) if x is None else (numeric(x), numeric(x), 0)
			if (x is None and not null) or (x is not None and (not lo <= x <= hi or (claim.integral(c) and x != math.floor(x)))):
				raise Refused('the witness is not a row of the ranges')
		look = Look(row)
		if not claim.defined(look) or claim.valueless(look) or look.at(claim.node).null:
			raise Refused('there is no value at the witness')
		if mpf_lt(look.at(resolve(claim.node, look)).value[0], from_float(numeric(lower))):
			raise Refused('the witness does not reach %r' % lower)

	def check_expression(self):
		"""Compares the expression that the part states with the one derived here: it is there to be
		read, and no proof rests on it.  It must be the same; what is derived may be written in
		another way, and then agrees at the witness and the boxes' middles."""
		claim, text = self.claim, self.part.get('expression')
		if text is None:
			return
		types = {c: r.type for c, r in claim.ranges.items()}
		stated = real(cast(Parser(text, types).whole(), 'float8'))
		if stated is claim.node:
			return
		if claim.kind in ('value', 'continuity'):
			raise Refused('the expression stated is not the one that is bounded')
		witness = self.part.get('witness')
		points = [witness] if isinstance(witness, list) and len(witness) == len(self.columns) else []
		for box in self.boxes[:100]:
			if isinstance(box, dict) and isinstance(box.get('box'), list):
				points.append([None if d is None else middle(numeric(d[0]), numeric(d[1]), claim.integral(c)) for c, d in zip(self.columns, box['box'])])
		for p in points:
			look = Look({c: (None, None, 2) if x is None else (float(x), float(x), 0) for c, x in zip(self.columns, p)})
			a, b = look.at(claim.node), look.at(stated)
			if a.defined and b.defined and a.value and b.value:
				slack = rational(Fraction(0) if claim.kind == 'negated_value' else Fraction(1, 10 ** 13))
				size = mul(slack, magnitude(hull(hull(a.value, b.value), ZERO)))[1]
				if meet((a.value[0], libmp.mpf_add(a.value[1], size, PRECISION, 'c')), add(b.value, (fzero, size))) is None and \
						meet(add(a.value, (fzero, size)), b.value) is None:
					raise Refused('the expression stated is not the one that is bounded')

	def column(self, name):
		if name not in self.claim.root:
			raise Refused('there is no column "%s"' % name)
		return name

	def follow(self):
		"""Regions come from the ranges and the cuts; a box must be the region that is left for it.
		Below a face that is not confirmed, a box has to be bounded on all of what it covers:
		`wide` is the region but for the columns of such faces."""
		root, count = self.claim.root, 0
		waiting = [(dict(root), dict(root), dict(root))]
		for step in self.part['tree']:
			if not waiting:
				raise Refused('there are steps beyond those that cover the ranges')
			region, covered, wide = waiting.pop()
			if step is None:
				if count == len(self.boxes):
					raise Refused('the %d boxes do not cover the ranges' % count)
				self.box(count + 1, self.boxes[count], region, covered, wide)
				count += 1
			elif isinstance(step, dict) and isinstance(step.get('face'), dict):
				face, confirmed = dict(region), dict(wide)
				for c, end in step['face'].items():
					lo, hi, null = region[self.column(c)]
					if end not in ('lo', 'hi') or null or not lo < hi:
						raise Refused('there is no face of "%s" before box %d' % (c, count + 1))
					face[c] = (hi, hi, 0) if end == 'hi' else (lo, lo, 0)
					if self.claim.on(wide).monotone(wide, c, end == 'hi'):
						confirmed[c] = face[c]
				waiting.append((face, covered, confirmed))
			elif isinstance(step, dict) and 'turn' in step:
				c = self.column(step['turn'])
				own, to = self.claim.phase_of(c), step.get('to')
				if own is None or region[c] != covered[c] or region[own.name] != covered[own.name]:
					raise Refused('there is no turn of "%s" before box %d' % (c, count + 1))
				if not isinstance(to, list) or len(to) != 2:
					raise Malformed('a turn of "%s" cannot be read' % c)
				here = own.turned(region, numeric(to[0]), numeric(to[1]))
				waiting.append(({**region, **here}, {**covered, **here}, {**wide, **here}))
			elif isinstance(step, dict) and ('cut' in step or 'null' in step):
				c = self.column(step.get('cut', step.get('null')))
				for d in self.cut(region, c, numeric(step.get('at'))) if 'cut' in step else self.cut_null(region, c):
					waiting.append(({**region, c: d}, {**covered, c: d}, {**wide, c: d}))
			else:
				raise Malformed('a step of "tree" cannot be read')
		if waiting or count < len(self.boxes):
			raise Refused('the boxes do not cover the ranges' if waiting else 'there are boxes beyond those that cover the ranges')

	def cut_null(self, region, c):
		if region[c][2] != 1:
			raise Refused('"%s" is cut by NULL where it is not nullable' % c)
		return [(None, None, 2), (*region[c][:2], 0)]

	def cut(self, region, c, at):
		lo, hi, null = region[c]
		integral = self.claim.integral(c)
		if null == 2 or not (lo <= at < hi if integral else lo < at < hi) or (integral and at != math.floor(at)) or \
				self.claim.uncut(c):
			raise Refused('a cut of "%s" at %r does not part its region' % (c, at))
		return [(at + 1 if integral else at, hi, null), (lo, at, null)]

	def box(self, n, box, region, covered, wide):
		if not isinstance(box, dict) or not isinstance(box.get('box'), list) or len(box['box']) != len(self.columns):
			raise Malformed('box %d cannot be read' % n)
		stated = {c: (None, None, 2) if d is None else (numeric(d[0]), numeric(d[1]), 1 if len(d) == 3 else 0)
				  for c, d in zip(self.columns, box['box'])}
		if stated != covered:
			raise Refused('box %d is not what the cuts leave for it' % n)
		for c, x in box.get('face', {}).items():
			stated[self.column(c)] = (numeric(x), numeric(x), 0)
		if stated != region:
			raise Refused('box %d is not the face that the tree leads to' % n)
		by, upper, claim = box.get('by'), box.get('upper'), self.claim
		if claim.kind == 'continuity':
			if by != 'continuity' or not claim.everywhere(wide, lambda look, r: claim.steady(look, claim.guards[0]), PIECES):
				raise Refused('a jump is not excluded on box %d' % n)
			return
		if by == 'phase':
			if upper is not None or not any(p.missing(covered) for p in claim.phases):
				raise Refused('box %d has values with its phases' % n)
			return
		claim = claim.on(wide)
		if by == 'null':
			if upper is not None or not claim.everywhere(wide, lambda look, r: claim.defined(look) and claim.valueless(look), PIECES):
				raise Refused('box %d is not proved to have no value' % n)
			return
		if by not in ('interval', 'mean value') or upper is None:
			raise Refused('box %d is bounded by "%s", which is not plain' % (n, by))
		if numeric(upper) > self.upper:
			raise Refused('box %d reaches up to %r, above %r' % (n, upper, self.upper))
		centre = box.get('centre')
		if by == 'mean value' and (not isinstance(centre, list) or len(centre) != len(self.columns)):
			raise Refused('box %d has no centre' % n)
		if not claim.below(wide, numeric(upper), dict(zip(self.columns, centre)) if centre else None):
			raise Refused('box %d is not proved to stay below %r' % (n, upper))


def unique(pairs):
	if len({k for k, _ in pairs}) != len(pairs):
		raise Malformed('a key is there twice')
	return dict(pairs)


def refuse_constant(name):
	raise Malformed('%s is not a number of JSON' % name)


def verify(text):
	"""A list of (quantity, verdict, reason, lower, upper)."""
	try:
		document = Document(json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant))
	except (json.JSONDecodeError, RecursionError) as e:
		raise Malformed(str(e))
	result = []
	for name, stated in document.d['quantities'].items():
		if not isinstance(stated, dict):
			raise Malformed('"%s" is not an object' % name)
		try:
			verdict, reason = 'proved', '%d boxes' % document.check(name, stated)
		except (Refused, NotChecked) as e:
			verdict, reason = 'refused' if isinstance(e, Refused) else 'not checked', str(e)
		result.append((name, verdict, reason, stated.get('lower'), stated.get('upper')))
	return result


def main(arguments):
	if len(arguments) > 1 or any(a.startswith('-') and a != '-' for a in arguments):
		print(__doc__.strip())
		return 0 if arguments in (['-h'], ['--help']) else 3
	sys.setrecursionlimit(100000)
	try:
		if arguments and arguments[0] != '-':
			with open(arguments[0], encoding='utf-8') as file:
				text = file.read()
		else:
			text = sys.stdin.read()
		result = verify(text)
	except (Malformed, OSError, UnicodeDecodeError) as e:
		print('malformed: %s' % e, file=sys.stderr)
		return 3
	for name, verdict, reason, lower, upper in result:
		print('%s: %s, %s to %s (%s)' % (name, verdict, lower, upper, reason))
	verdicts = {r[1] for r in result}
	return 1 if 'refused' in verdicts else 2 if 'not checked' in verdicts else 0


if __name__ == '__main__':
	sys.exit(main(sys.argv[1:]))
