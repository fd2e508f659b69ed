"""Arithmetic that SQL's operations are made of, twice: by mpmath at 100 digits, which is
what claims are compared with, and by floats, which say where to look.

NULL is None.  A row for which SQL raises an error raises SqlError here.  Where 100 digits
do not tell on which side of a jump a value is, Uncertain says so, and the row is left out.
Functions note in `trace` which way they went at a kink or a jump: two rows of the same
trace lie on one smooth piece.
"""
import math

import mpmath
from mpmath import mp, mpf

mp.dps = 100

LARGEST = float.fromhex('0x1.fffffffffffffp+1023')
RADIANS_PER_DEGREE = math.pi / 180


class SqlError(Exception):
    """SQL raises an error for the row, or has an infinite value."""


class Uncertain(Exception):
    """The digits do not suffice to tell which way the row goes."""


def not_lost(x, result):
    """A function that is 1 at 0 alone, of x: (exp(x) - 1) / x is not 0 where x is too small for the digits."""
    if result == 1 and x != 0:
        raise Uncertain
    return result


class Exact:
    """Real arithmetic.  Values from doubles are exact; what is rounded is rounded at 100
    digits, so that a difference of less than 1e-60 of the operands is an accident."""
    number = mpf
    largest = mpf(LARGEST)
    pi = mpf(math.pi)
    radians_per_degree = mpf(RADIANS_PER_DEGREE)
    half = mpf('0.5')
    ten = mpf(10)

    def __init__(self):
        self.trace = []
        self.grain = mpf(10) ** -60
        self.scale = mpf(0)     # of the largest number in a sum so far: what may cancel

    @staticmethod
    def constant(value):
        return mpf(value)

    def sign_of_difference(self, x, y):
        if x == y:
            return 0
        if abs(x - y) < self.grain * max(abs(x), abs(y)):
            raise Uncertain
        return 1 if x > y else -1

    def sub(self, x, y):
        result = x - y
        larger = max(abs(x), abs(y))
        if larger > self.scale:
            self.scale = larger
        if result != 0 and abs(result) < self.grain * larger:
            raise Uncertain
        # what is too small for the digits of the sum may be divided by: ln(1 + x) / x
        if 0 < min(abs(x), abs(y)) < self.grain * larger:
            raise Uncertain
        return result

    def add(self, x, y):
        return self.sub(x, -y)

    def floor(self, x):
        whole = mpmath.nint(x)
        if x != whole and abs(x - whole) < self.grain * max(1, abs(x)):
            raise Uncertain
        return mpmath.floor(x)

    def power(self, x, y):
        size = y * mpmath.log(abs(x))
        if size > 10000:
            raise SqlError
        if size < -1e9:
            raise Uncertain
        return x ** int(y) if y == mpmath.floor(y) else mpmath.power(x, y)

    @staticmethod
    def exp(x):
        if x > 10000:
            raise SqlError
        if x < -1e9:
            raise Uncertain
        return not_lost(x, mpmath.exp(x))

    @staticmethod
    def sinh(x):
        if abs(x) > 10000:
            raise SqlError
        return mpmath.sinh(x)

    @staticmethod
    def cosh(x):
        if abs(x) > 10000:
            raise SqlError
        return not_lost(x, mpmath.cosh(x))

    @staticmethod
    def sine(x):
        if abs(x) > mpf(10) ** 40:
            raise Uncertain
        return mpmath.sin(x)

    @staticmethod
    def cosine(x):
        if abs(x) > mpf(10) ** 40:
            raise Uncertain
        return not_lost(x, mpmath.cos(x))

    @staticmethod
    def cbrt(x):
        return mpmath.sign(x) * mpmath.cbrt(abs(x))

    @staticmethod
    def atan2(y, x):
        return mpmath.atan2(y, x)

    sqrt = staticmethod(mpmath.sqrt)
    ln = staticmethod(mpmath.log)
    asin = staticmethod(mpmath.asin)
    acos = staticmethod(mpmath.acos)
    atan = staticmethod(mpmath.atan)
    tanh = staticmethod(mpmath.tanh)
    asinh = staticmethod(mpmath.asinh)
    acosh = staticmethod(mpmath.acosh)
    atanh = staticmethod(mpmath.atanh)
    erf = staticmethod(mpmath.erf)
    erfc = staticmethod(mpmath.erfc)


def _guarded(function):
    def call(*arguments):
        try:
            return function(*arguments)
        except (OverflowError, ValueError, ZeroDivisionError):
            raise SqlError from None
    return staticmethod(call)


class Quick:
    """The same in doubles: a hint, never a verdict."""
    number = float
    largest = LARGEST
    pi = math.pi
    radians_per_degree = RADIANS_PER_DEGREE
    half = 0.5
    ten = 10.0

    def __init__(self):
        self.trace = []

    @staticmethod
    def constant(value):
        return float(value)

    @staticmethod
    def sign_of_difference(x, y):
        return (x > y) - (x < y)

    @staticmethod
    def add(x, y):
        return x + y

    @staticmethod
    def sub(x, y):
        return x - y

    @staticmethod
    def floor(x):
        if not abs(x) < 1e300:
            raise SqlError
        return float(math.floor(x))

    @staticmethod
    def cbrt(x):
        return math.copysign(abs(x) ** (1 / 3), x)

    power = _guarded(math.pow)
    exp = _guarded(math.exp)
    sinh = _guarded(math.sinh)
    cosh = _guarded(math.cosh)
    sine = _guarded(math.sin)
    cosine = _guarded(math.cos)
    sqrt = _guarded(math.sqrt)
    ln = _guarded(math.log)
    asin = _guarded(math.asin)
    acos = _guarded(math.acos)
    atan = _guarded(math.atan)
    atan2 = _guarded(math.atan2)
    tanh = _guarded(math.tanh)
    asinh = _guarded(math.asinh)
    acosh = _guarded(math.acosh)
    atanh = _guarded(math.atanh)
    erf = _guarded(math.erf)
    erfc = _guarded(math.erfc)
