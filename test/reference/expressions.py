"""Row expressions as trees: how SQL writes them, and what they are worth.

A Node knows its SQL type, how it is printed by PostgreSQL's precedence, and makes from an
arithmetic (values.py) a function of a row.  Rows are dictionaries of numbers, booleans and
None.  The types of results are those that PostgreSQL's operators have.
"""
from values import SqlError, Uncertain

INTEGERS = {'int2': 15, 'int4': 31, 'int8': 63}
RANK = {'int2': 0, 'int4': 1, 'int8': 2, 'numeric': 3, 'float8': 4}

# How strongly SQL's syntax binds.
OR, AND, NOT, IS, COMPARE, BETWEEN, ADD, MUL, POW, MINUS, CAST, ATOM = range(12)


class Node:
    """kind is a key of KINDS, or column, constant, cast, case; `extra` is what a kind needs besides arguments."""
    __slots__ = ('kind', 'args', 'type', 'extra')

    def __init__(self, kind, args, type_, extra=None):
        self.kind = kind
        self.args = args
        self.type = type_
        self.extra = extra

    def walk(self):
        yield self
        for argument in self.args:
            yield from argument.walk()


def wider(*types):
    return max(types, key=RANK.__getitem__)


def whole(type_):
    return type_ in INTEGERS


def column(name, type_):
    return Node('column', [], type_, name)


def constant(text, type_, suffix=''):
    """text is what SQL reads; its value is the double, or the integer."""
    return Node('constant', [], type_, (text, suffix))


def null(type_):
    return Node('constant', [], type_, (None, '::' + type_))


# ---- printing ----

def sql(node, loose=lambda: False):
    """SQL with the parentheses that precedence needs, and more where `loose` says so."""
    return _print(node, loose)[0]


def _print(node, loose):
    def part(argument, least):
        text, binding = _print(argument, loose)
        return text if binding >= least and not (binding < ATOM and loose()) else '(' + text + ')'

    kind, args, extra = node.kind, node.args, node.extra
    if kind == 'column':
        return extra, ATOM
    if kind == 'constant':
        text, suffix = extra
        if text is None:
            return 'NULL' + suffix, CAST
        if text.startswith('-'):
            return ('(' + text + ')' + suffix, CAST) if suffix else (text, MINUS)
        return text + suffix, CAST if suffix else ATOM
    if kind == 'cast':
        return part(args[0], CAST) + '::' + extra, CAST
    if kind == 'case':
        words = ['CASE']
        for condition, result in zip(args[0:-1:2], args[1::2]):
            words += ['WHEN', part(condition, OR), 'THEN', part(result, OR)]
        if extra:
            words += ['ELSE', part(args[-1], OR)]
        return ' '.join(words + ['END']), ATOM
    if kind == 'simple_case':
        words = ['CASE', part(args[0], OR)]
        for value, result in zip(args[1:-1:2], args[2::2]):
            words += ['WHEN', part(value, OR), 'THEN', part(result, OR)]
        return ' '.join(words + ['ELSE', part(args[-1], OR), 'END']), ATOM
    form = KINDS[kind].form
    if isinstance(form, str):
        return form + '(' + ', '.join(part(argument, OR) for argument in args) + ')', ATOM
    symbol, binding = form
    if symbol == 'between':
        return '%s BETWEEN %s AND %s' % tuple(part(argument, ADD) for argument in args), BETWEEN
    if symbol == 'in':
        return '%s IN (%s)' % (part(args[0], ADD), ', '.join(part(a, OR) for a in args[1:])), BETWEEN
    if symbol == 'negative':
        text = part(args[0], CAST)
        return '-' + (' ' if text.startswith('-') else '') + text, MINUS
    if symbol == 'NOT':
        return 'NOT ' + part(args[0], NOT), NOT
    if symbol.startswith('IS') and len(args) == 1:
        return part(args[0], COMPARE) + ' ' + symbol, IS
    left = part(args[0], binding if binding in (ADD, MUL, POW, AND, OR) else binding + 1)
    right = part(args[1], binding + 1)
    return left + ' ' + symbol + ' ' + right, binding


# ---- evaluation ----

class Kind:
    def __init__(self, form, function, strict=True):
        self.form = form
        self.function = function
        self.strict = strict


KINDS = {}


def kind(name, form, strict=True):
    """The function gets the arithmetic, the node and the values of its arguments; if it
    is not strict, functions of the row, and the row."""
    def declare(function):
        KINDS[name] = Kind(form, function, strict)
        return function
    return declare


def compile_node(node, a):
    """A function of a row, in the arithmetic `a`."""
    kind_, args = node.kind, [compile_node(argument, a) for argument in node.args]
    if kind_ == 'column':
        name = node.extra
        return lambda row: row[name]
    if kind_ == 'constant':
        text = node.extra[0]
        if text is None:
            return lambda row: None
        if node.type == 'boolean':
            value = text == 'true'
        else:
            value = a.constant(int(text) if whole(node.type) else float(text))
        return lambda row: value
    if kind_ == 'case':
        return _case(a, args)
    if kind_ == 'simple_case':
        return _simple_case(a, args)
    function = _cast if kind_ == 'cast' else KINDS[kind_].function
    if kind_ != 'cast' and not KINDS[kind_].strict:
        return lambda row: function(a, node, args, row)
    if len(args) == 1:
        only = args[0]

        def unary(row):
            x = only(row)
            return None if x is None else function(a, node, x)
        return unary
    if len(args) == 2:
        first, second = args

        def binary(row):
            x, y = first(row), second(row)
            return None if x is None or y is None else function(a, node, x, y)
        return binary

    def several(row):
        values = [argument(row) for argument in args]
        return None if None in values else function(a, node, *values)
    return several


def _case(a, args):
    pairs, last = list(zip(args[0:-1:2], args[1::2])), args[-1]

    def choose(row):
        for condition, result in pairs:
            if condition(row) is True:
                a.trace.append('then')
                return result(row)
            a.trace.append('not')
        return last(row)
    return choose


def _simple_case(a, args):
    pairs, last = list(zip(args[1:-1:2], args[2::2])), args[-1]

    def choose(row):
        x = args[0](row)
        for value, result in pairs:
            y = value(row)
            if x is not None and y is not None and compare(a, x, y) == 0:
                return result(row)
        return last(row)
    return choose


def compare(a, x, y):
    if isinstance(x, bool):
        x, y = a.constant(int(x)), a.constant(int(y))
    result = a.sign_of_difference(x, y)
    a.trace.append(result)
    return result


def limited(a, node, x):
    """A result that the type cannot hold is an error."""
    if node.type == 'float8':
        if not abs(x) <= a.largest:
            raise SqlError
    elif node.type in INTEGERS:
        limit = 2 ** INTEGERS[node.type]
        if not -limit <= x < limit:
            raise SqlError
    elif not abs(x) <= a.largest:
        raise SqlError
    return x


def floor(a, x):
    result = a.floor(x)
    a.trace.append(result)
    a.trace.append(x == result)
    return result


def truncate(a, x):
    return floor(a, x) if x >= 0 else -floor(a, -x)


def round_away(a, x):
    return floor(a, x + a.half) if x >= 0 else -floor(a, a.half - x)


def round_even(a, x):
    result = floor(a, x + a.half)
    if result == x + a.half and result != 2 * a.floor(result / 2):
        return result - 1
    return result


def quotient(a, x, y):
    if y == 0:
        raise SqlError
    return truncate(a, x / y)


@kind('add', ('+', ADD))
def _(a, node, x, y):
    return limited(a, node, a.add(x, y))


@kind('sub', ('-', ADD))
def _(a, node, x, y):
    return limited(a, node, a.sub(x, y))


@kind('mul', ('*', MUL))
def _(a, node, x, y):
    return limited(a, node, x * y)


@kind('div', ('/', MUL))
def _(a, node, x, y):
    if node.type in INTEGERS:
        return limited(a, node, quotient(a, x, y))
    if y == 0:
        raise SqlError
    return limited(a, node, x / y)


@kind('mod', ('%', MUL))
def _(a, node, x, y):
    return a.sub(x, y * quotient(a, x, y))


KINDS['mod_call'] = Kind('mod', KINDS['mod'].function)


@kind('trunc_div', 'div')
def _(a, node, x, y):
    return limited(a, node, quotient(a, x, y))


@kind('neg', ('negative', MINUS))
def _(a, node, x):
    return limited(a, node, -x)


@kind('abs', 'abs')
def _(a, node, x):
    compare(a, x, a.constant(0))
    return limited(a, node, abs(x))


@kind('sign', 'sign')
def _(a, node, x):
    return a.constant(compare(a, x, a.constant(0)))


@kind('pow', ('^', POW))
def _(a, node, x, y):
    if x == 0:
        a.trace.append('power of zero')
        if y < 0:
            raise SqlError
        return a.constant(1 if y == 0 else 0)
    if x < 0 and a.floor(y) != y:
        raise SqlError
    return limited(a, node, a.power(x, y))


KINDS['power'] = Kind('power', KINDS['pow'].function)


def function_of_one(name, function, domain=None):
    def call(a, node, x):
        if domain is not None and not domain(x):
            raise SqlError
        return limited(a, node, function(a, x))
    KINDS[name] = Kind(name, call)


def _reciprocal(x, y):
    if y == 0:
        raise SqlError
    return x / y


function_of_one('sqrt', lambda a, x: a.sqrt(x), lambda x: x >= 0)
function_of_one('cbrt', lambda a, x: a.cbrt(x))
function_of_one('exp', lambda a, x: a.exp(x))
function_of_one('ln', lambda a, x: a.ln(x), lambda x: x > 0)
function_of_one('log', lambda a, x: a.ln(x) / a.ln(a.ten), lambda x: x > 0)
function_of_one('sin', lambda a, x: a.sine(x))
function_of_one('cos', lambda a, x: a.cosine(x))
function_of_one('asin', lambda a, x: a.asin(x), lambda x: -1 <= x <= 1)
function_of_one('acos', lambda a, x: a.acos(x), lambda x: -1 <= x <= 1)
function_of_one('atan', lambda a, x: a.atan(x))
function_of_one('sinh', lambda a, x: a.sinh(x))
function_of_one('cosh', lambda a, x: a.cosh(x))
function_of_one('tanh', lambda a, x: a.tanh(x))
function_of_one('asinh', lambda a, x: a.asinh(x))
function_of_one('acosh', lambda a, x: a.acosh(x), lambda x: x >= 1)
function_of_one('atanh', lambda a, x: a.atanh(x), lambda x: -1 < x < 1)
function_of_one('erf', lambda a, x: a.erf(x))
function_of_one('erfc', lambda a, x: a.erfc(x))
function_of_one('floor', floor)
function_of_one('ceil', lambda a, x: -floor(a, -x))
function_of_one('trunc', truncate)
function_of_one('degrees', lambda a, x: x / a.radians_per_degree)
function_of_one('radians', lambda a, x: x * a.radians_per_degree)


@kind('tan', 'tan')
def _(a, node, x):
    a.trace.append(a.cosine(x) > 0)
    return limited(a, node, _reciprocal(a.sine(x), a.cosine(x)))


@kind('cot', 'cot')
def _(a, node, x):
    a.trace.append(a.sine(x) > 0)
    return limited(a, node, _reciprocal(a.cosine(x), a.sine(x)))


@kind('round', 'round')
def _(a, node, x):
    return round_away(a, x) if node.type == 'numeric' else round_even(a, x)


def _scale(a, node, x, digits):
    """The power of ten.  A constant by itself is rounded by SQL before anybody sees the
    double, and 137.88 has two digits, though its double has not."""
    if abs(float(x)) in (abs(float(n.extra[0])) for n in node.walk()
                         if n.kind == 'constant' and n.type in ('numeric', 'float8') and n.extra[0]):
        raise Uncertain
    return a.ten ** int(digits)


@kind('round_to', 'round')
def _(a, node, x, digits):
    scale = _scale(a, node, x, digits)
    return round_away(a, x * scale) / scale


@kind('trunc_to', 'trunc')
def _(a, node, x, digits):
    scale = _scale(a, node, x, digits)
    return truncate(a, x * scale) / scale


@kind('atan2', 'atan2')
def _(a, node, y, x):
    zero = a.constant(0)
    above = compare(a, y, zero)
    right = compare(a, x, zero)
    if above == 0:
        return zero if right >= 0 else a.constant(4) * a.atan(a.constant(1))
    return a.atan2(y, x)


@kind('log_base', 'log')
def _(a, node, base, x):
    if base <= 0 or x <= 0 or base == 1:
        raise SqlError
    return limited(a, node, a.ln(x) / a.ln(base))


@kind('pi', 'pi')
def _(a, node):
    return a.constant(a.pi)


@kind('width_bucket', 'width_bucket')
def _(a, node, x, low, high, count):
    direction = 1 if low < high else -1
    if compare(a, x, low) == -direction:
        return a.constant(0)
    if compare(a, x, high) != -direction:
        return count + 1
    return floor(a, count * a.sub(x, low) / a.sub(high, low)) + 1


def _extreme(wanted):
    def choose(a, node, args, row):
        best = None
        for argument in args:
            value = argument(row)
            if value is None:
                a.trace.append(None)
            elif best is None or compare(a, value, best) == wanted:
                best = value
        return best
    return choose


KINDS['greatest'] = Kind('greatest', _extreme(1), strict=False)
KINDS['least'] = Kind('least', _extreme(-1), strict=False)


@kind('coalesce', 'coalesce', strict=False)
def _(a, node, args, row):
    for argument in args:
        value = argument(row)
        a.trace.append(value is None)
        if value is not None:
            return value
    return None


@kind('nullif', 'nullif', strict=False)
def _(a, node, args, row):
    x, y = args[0](row), args[1](row)
    if x is None or y is None:
        return x
    return None if compare(a, x, y) == 0 else x


def comparison(name, symbol, holds):
    def call(a, node, x, y):
        return holds(compare(a, x, y))
    KINDS[name] = Kind((symbol, COMPARE), call)


comparison('eq', '=', lambda sign: sign == 0)
comparison('ne', '<>', lambda sign: sign != 0)
comparison('lt', '<', lambda sign: sign < 0)
comparison('le', '<=', lambda sign: sign <= 0)
comparison('gt', '>', lambda sign: sign > 0)
comparison('ge', '>=', lambda sign: sign >= 0)


@kind('not', ('NOT', NOT))
def _(a, node, x):
    return not x


def _decided(deciding):
    """AND and OR: an argument that decides does so whatever the other is.  Which of two
    SQL evaluates first is not said, so an error beside it is neither way."""
    def call(a, node, args, row):
        try:
            x = args[0](row)
        except SqlError:
            if args[1](row) is deciding:
                raise Uncertain from None
            raise
        if x is deciding:
            try:
                args[1](row)
            except SqlError:
                raise Uncertain from None
            return deciding
        y = args[1](row)
        if y is deciding:
            return deciding
        return None if x is None or y is None else not deciding
    return call


KINDS['and'] = Kind(('AND', AND), _decided(False), strict=False)
KINDS['or'] = Kind(('OR', OR), _decided(True), strict=False)


def _and(x, y):
    if x is False or y is False:
        return False
    return None if x is None or y is None else True


@kind('between', ('between', BETWEEN), strict=False)
def _(a, node, args, row):
    x, low, high = (argument(row) for argument in args)

    def at_least(p, q):
        return None if p is None or q is None else compare(a, p, q) >= 0
    return _and(at_least(x, low), at_least(high, x))


@kind('in', ('in', BETWEEN), strict=False)
def _(a, node, args, row):
    x = args[0](row)
    result = False
    for argument in args[1:]:
        y = argument(row)
        if x is None or y is None:
            result = None
        elif compare(a, x, y) == 0:
            return True
    return result


@kind('distinct', ('IS DISTINCT FROM', IS), strict=False)
def _(a, node, args, row):
    x, y = args[0](row), args[1](row)
    if x is None or y is None:
        return (x is None) != (y is None)
    return compare(a, x, y) != 0


def test(name, symbol, holds):
    def call(a, node, args, row):
        value = args[0](row)
        a.trace.append(value is None)
        return holds(value)
    KINDS[name] = Kind((symbol, IS), call, strict=False)


test('is_null', 'IS NULL', lambda x: x is None)
test('is_not_null', 'IS NOT NULL', lambda x: x is not None)
test('is_true', 'IS TRUE', lambda x: x is True)
test('is_not_true', 'IS NOT TRUE', lambda x: x is not True)
test('is_false', 'IS FALSE', lambda x: x is False)
test('is_unknown', 'IS UNKNOWN', lambda x: x is None)


def _cast(a, node, x):
    source = node.args[0].type
    if source == 'boolean':
        return a.constant(int(x))
    if node.type == 'boolean':
        return compare(a, x, a.constant(0)) != 0
    if whole(node.type) and source == 'float8':
        x = round_even(a, x)
    elif whole(node.type) and source == 'numeric':
        x = round_away(a, x)
    elif node.extra.startswith('numeric('):
        scale = _scale(a, node, x, int(node.extra[:-1].split(',')[1]))
        x = round_away(a, x * scale) / scale
    return limited(a, node, x)
