"""Random columns with ranges, and random row expressions over them."""
import math

from expressions import (Node, column, compile_node, constant, null, sql, whole, wider)
from values import Quick, SqlError, Uncertain

TESTS = ['is_null', 'is_not_null', 'is_true', 'is_not_true', 'is_false', 'is_unknown']


class Column:
    def __init__(self, name, type_, low, high, nullable, public, weight):
        self.name = name
        self.type = type_
        self.low = low
        self.high = high
        self.nullable = nullable
        self.public = public
        self.weight = weight

    def is_discrete(self):
        return whole(self.type) or self.type == 'boolean'

    def json(self):
        if self.type == 'float8' and not self.nullable and not self.public and self.weight == 1:
            return [self.low, self.high]
        result = {'type': self.type}
        if self.type != 'boolean':
            result['range'] = [self.low, self.high]
        if self.nullable:
            result['nullable'] = True
        if self.public:
            result['public'] = True
        if self.weight != 1:
            result['weight'] = self.weight
        return result

    def clamp(self, x):
        return min(max(x, self.low), self.high)


def nice_number(random):
    """A number as people write them, of some magnitude."""
    shape = random.random()
    if shape < 0.35:
        return random.choice([0, 1, 2, 3, 4, 5, 7, 10, 12, 100, 1000])
    if shape < 0.6:
        return random.choice([0.5, 0.25, 0.1, 0.2, 0.3, 0.7, 1.5, 2.5, 0.01, 0.05, 0.15, 1.005, 0.125, 3.3, 0.001])
    if shape < 0.8:
        return float('%.3g' % (random.uniform(0.1, 1) * 10 ** random.randint(-3, 4)))
    if shape < 0.9:
        return 2.0 ** random.randint(-20, 20)
    if shape < 0.97:
        return random.uniform(0.1, 10)
    if shape < 0.98:
        return random.choice([5e-324, 2.5e-308, 1e-300, 1e-30, 1e15, 2.0 ** 53, 1e30, 1e150, 1e300])
    return float('%.2g' % (random.uniform(1, 10) * 10 ** random.randint(-12, 12)))


def signed_number(random):
    number = nice_number(random)
    return -number if random.random() < 0.35 else number


def random_ends(random, type_):
    if whole(type_):
        limit = {'int2': 32767, 'int4': 2 ** 31 - 1, 'int8': 2 ** 50}[type_]
        low = random.choice([0, 0, 1, -1, -3, -10, -100, random.randint(-50, 50)])
        high = low + random.choice([0, 1, 1, 2, 3, 5, 7, 10, 20, 100, 1000])
        if random.random() < 0.03:
            low, high = -limit, limit
        return low, high
    shape = random.random()
    if shape < 0.4:
        low, high = random.choice([(0, 1), (-1, 1), (1, 2), (0, 10), (-5, 5), (0, 100), (0.5, 3), (-2, 3), (0.1, 0.3), (10, 230),
                                   (-0.5, 0.5), (0, 1000), (-100, -1)])
    elif shape < 0.97:
        low, high = sorted((signed_number(random), signed_number(random)))
    else:
        low = high = signed_number(random)
    return float(low), float(high)


def random_columns(random):
    columns = []
    for name in 'abcd'[:random.choice([1, 1, 2, 2, 2, 3, 3, 4])]:
        type_ = random.choice(['float8'] * 9 + ['numeric'] * 4 + ['int4'] * 5 + ['int2', 'int8', 'boolean', 'boolean'])
        low, high = (0, 1) if type_ == 'boolean' else random_ends(random, type_)
        columns.append(Column(name, type_, low, high, random.random() < 0.3, random.random() < 0.1,
                              random.choice([0.5, 2, 10, 0.1]) if random.random() < 0.15 else 1))
    if all(c.public for c in columns):
        columns[0].public = False
    return columns


def random_value(random, column_):
    """A value of the column, often one at which something may happen; NULL not."""
    low, high = column_.low, column_.high
    if column_.type == 'boolean':
        return random.random() < 0.5
    shape = random.random()
    if whole(column_.type):
        return random.choice([low, high, column_.clamp(0), random.randint(low, high), random.randint(low, high)])
    if shape < 0.1:
        return low
    if shape < 0.2:
        return high
    if shape < 0.55:
        value = random.uniform(low, high)
    elif shape < 0.7:
        value = column_.clamp(random.choice([0.0, 1.0, -1.0, 0.5, -0.5, 2.0]))
    elif shape < 0.85:
        value = round(random.uniform(low, high), random.randint(0, 3))
    else:
        value = math.copysign(2.0 ** random.uniform(-30, 10), random.random() - 0.5)
    return column_.clamp(value)


def random_row(random, columns):
    row = {}
    for c in columns:
        row[c.name] = None if c.nullable and random.random() < 0.25 else random_value(random, c)
    return row


class Generator:
    """Makes expressions that mostly have a value: an operation whose arguments leave its
    domain at a few rows is tried again, most of the time."""

    def __init__(self, random, columns, has_erf):
        self.random = random
        self.columns = columns
        self.has_erf = has_erf
        self.arithmetic = Quick()
        self.made = []
        low = {c.name: c.low if c.type != 'boolean' else False for c in columns}
        high = {c.name: c.high if c.type != 'boolean' else True for c in columns}
        self.rows = [low, high] + [random_row(random, columns) for _ in range(6)]

    def is_tame(self, node):
        function = compile_node(node, self.arithmetic)
        for row in self.rows:
            self.arithmetic.trace.clear()
            try:
                value = function(row)
            except (SqlError, Uncertain):
                return False
            if value is not None and not isinstance(value, bool) and abs(value) > 1e40:
                return False
        return True

    def tamed(self, make):
        for _ in range(6):
            node = make()
            if node is not None and (self.is_tame(node) or self.random.random() < 0.03):
                return node
        return self.leaf('number')

    # ---- leaves ----

    def number_column(self):
        numbers = [c for c in self.columns if c.type != 'boolean']
        return self.random.choice(numbers) if numbers else None

    def leaf(self, wanted):
        random = self.random
        if wanted == 'boolean':
            flags = [c for c in self.columns if c.type == 'boolean']
            if flags and random.random() < 0.7:
                return column(random.choice(flags).name, 'boolean')
            return self.comparison(1)
        c = self.number_column()
        if c is None:
            return Node('cast', [column(random.choice(self.columns).name, 'boolean')], 'int4', 'int')
        return column(c.name, c.type)

    def near_constant(self):
        """A constant in or near the range of a column."""
        random = self.random
        c = self.number_column()
        if c is None or random.random() < 0.5:
            return self.constant()
        return self.constant(random_value(random, c))

    def constant(self, value=None):
        random = self.random
        if value is None:
            value = signed_number(random)
        if value == int(value) and abs(value) < 2 ** 31 and random.random() < 0.8:
            return constant(str(int(value)), 'int4')
        text = repr(float(value))
        suffix = '::float8' if random.random() < 0.2 else ''
        return constant(text, 'float8' if suffix else 'numeric', suffix)

    # ---- numbers ----

    def number(self, depth):
        random = self.random
        if depth <= 0:
            return self.leaf('number')
        maker = random.choice([self.arithmetic_of_two] * 8 + [self.function] * 6 + [self.choice] * 4 +
                              [self.rounding] * 2 + [self.cast, self.special] + [self.remainder] * 2 + [self.idiom] * 5 + [self.smooth_sum] * 4)
        node = self.tamed(lambda: maker(depth - 1))
        self.made.append(node)
        return node

    def shallower(self, depth):
        # what is there twice depends on itself, which enclosures have to notice
        if depth > 0 and self.made and self.random.random() < 0.15:
            return self.random.choice(self.made[-6:])
        return self.number(depth - self.random.choice([0, 0, 1, 2]))

    def arithmetic_of_two(self, depth):
        random = self.random
        kind = random.choice(['add', 'add', 'sub', 'sub', 'mul', 'mul', 'mul', 'div', 'pow', 'neg', 'atan2'])
        x = self.shallower(depth)
        if kind == 'neg':
            return Node('neg', [x], x.type)
        if kind == 'pow':
            kind = random.choice(['pow', 'pow', 'power'])
            if random.random() < 0.8:
                y = self.constant(random.choice([2, 2, 3, 4, -1, -2, 0, 1, 0.5, 1.5, -0.5, 0.3, 2.5]))
            else:
                y = self.shallower(depth)
            type_ = wider(x.type, y.type)
            return Node(kind, [x, y], type_ if type_ == 'numeric' else 'float8')
        y = self.near_constant() if random.random() < 0.35 else self.shallower(depth)
        if random.random() < 0.2:
            x, y = y, x
        if kind == 'atan2':
            return Node('atan2', [x, y], 'float8')
        return Node(kind, [x, y], wider(x.type, y.type))

    def function(self, depth):
        names = ['sqrt', 'cbrt', 'exp', 'ln', 'log', 'sin', 'cos', 'tan', 'cot', 'asin', 'acos', 'atan', 'sinh', 'cosh',
                 'tanh', 'asinh', 'acosh', 'atanh', 'abs', 'abs', 'sign', 'degrees', 'radians']
        if self.has_erf:
            names += ['erf', 'erfc']
        name = self.random.choice(names)
        x = self.shallower(depth)
        if self.random.random() < 0.3:
            x = self.into_domain(name, x)
        if name == 'abs':
            type_ = x.type
        elif x.type == 'numeric' and name in ('sqrt', 'exp', 'ln', 'log', 'sign'):
            type_ = 'numeric'
        else:
            type_ = 'float8'
        return Node(name, [x], type_)

    def into_domain(self, name, x):
        one = constant('1', 'int4')
        if name in ('sqrt', 'ln', 'log', 'acosh'):
            x = Node('abs', [x], x.type)
            return x if name == 'sqrt' else Node('add', [x, one], wider(x.type, 'int4'))
        if name in ('asin', 'acos', 'atanh'):
            x = Node('sin', [x], 'float8')
            return Node('div', [x, constant('2', 'int4')], 'float8') if name == 'atanh' else x
        if name in ('exp', 'sinh', 'cosh'):
            return Node('div', [x, constant('100.0', 'numeric')], wider(x.type, 'numeric'))
        return x

    def idiom(self, depth):
        """Shapes that people write, and for which bounds are proved in ways of their own:
        guards, roots of sums of squares, bells, periods, fractions, arcs."""
        random = self.random
        e, x = self.shallower(depth), self.shallower(depth)
        zero, one, two = (constant(digit, 'int4') for digit in '012')

        def of(kind, *args):
            return Node(kind, list(args), wider(*(n.type for n in args)))

        def real(kind, *args):
            return Node(kind, list(args), 'float8')

        def as_real(node):
            return node if node.type == 'float8' else Node('cast', [node], 'float8', 'float8')

        def guarded(kind, test, then):
            otherwise = random.choice([None, zero, self.near_constant(), e])
            return Node('case', [Node(kind, test, 'boolean'), then, otherwise or null('float8')], 'float8', True)

        def squared(node):
            return real('pow', as_real(node), two)

        e = as_real(e)
        shape = random.randrange(17)
        if shape == 0:
            return guarded(random.choice(['gt', 'ne']), [e, zero], real('div', x, e))
        if shape == 1:
            least = self.constant(abs(nice_number(random)) or 1)
            return guarded(random.choice(['gt', 'ge']), [e, least], real(random.choice(['ln', 'log', 'sqrt']), e))
        if shape == 15:
            # what has a limit as it is divided by 0
            small = random.choice([real(random.choice(['sin', 'tan', 'atan', 'tanh', 'asinh', 'sinh']), e), real('sub', real('exp', e), one),
                                   real('sub', one, real('exp', real('neg', e))), real('ln', real('add', one, e))])
            return guarded(random.choice(['gt', 'ne', 'ne', 'ne']), [e, zero], real('div', small, e))
        if shape == 16:
            # multiples of it, and products with others
            inside = real('mul', random.choice([self.constant(), as_real(x)]), e)
            small = random.choice([real('sin', inside), real('sub', real('exp', inside), one), real('sub', one, real('exp', inside)),
                                   real('ln', real('add', one, inside)), real('sub', one, real('cos', inside))])
            small = random.choice([small, real('mul', self.constant(), small)])
            below = squared(e) if small.kind == 'sub' and small.args[1].kind == 'cos' and random.random() < 0.7 else e
            otherwise = random.choice(['eq', 'ne', 'gt', 'ne'])
            quotient = real('div', small, below)
            if otherwise == 'eq':
                return Node('case', [Node('eq', [e, zero], 'boolean'), random.choice([as_real(x), zero, self.constant()]), quotient], 'float8', True)
            return guarded(otherwise, [e, zero], quotient)
        if shape == 2:
            return real('div', x, Node('nullif', [e, zero], 'float8'))
        if shape == 3:
            bound = self.constant(random.choice([1, 1, 0.5, 2]))
            return guarded(random.choice(['lt', 'le']), [Node('abs', [e], 'float8'), bound], real(random.choice(['asin', 'acos', 'atan']), e))
        if shape == 4:
            return real('sqrt', real('add', squared(e), random.choice([squared(x), one, self.constant()])))
        if shape == 5:
            return real('exp', real('neg', squared(e)))
        if shape == 6:
            return real(random.choice(['sin', 'cos']), real('mul', self.constant(), e))
        if shape == 7:
            return real('sub', e, real(random.choice(['floor', 'round', 'trunc', 'ceil']), e))
        if shape == 8:
            return real('div', one, real('add', one, real('exp', real('neg', e))))
        if shape == 9:
            return real('div', x, real('add', one, squared(e)))
        if shape == 10:
            return real('div', of('mul', e, as_real(x)), real('add', of('add', e, as_real(x)), self.constant()))
        if shape == 11:
            inside = Node('between', [e, zero, self.near_constant()], 'boolean')
            return Node('case', [inside, real(random.choice(['sqrt', 'exp', 'cbrt']), e), as_real(x)], 'float8', True)
        if shape == 12:
            return real('ln', Node('greatest', [e, self.constant(random.choice([1, 0.5, 0.01, 10]))], 'float8'))
        if shape == 13:
            return self.arc(e, as_real(x))
        return real('sub', real('mul', e, e), real('mul', e, as_real(x)))

    def arc(self, latitude, longitude):
        """The side of a triangle on a sphere, or what looks like one."""
        random = self.random

        def real(kind, *args):
            return Node(kind, list(args), 'float8')

        def product(*factors):
            result = factors[0]
            for factor in factors[1:]:
                result = real('mul', result, factor)
            return result

        other = self.leaf('number') if random.random() < 0.7 else self.near_constant()
        first, second = random.choice([('sin', 'cos'), ('sin', 'cos'), ('cos', 'sin'), ('sin', 'sin')])
        one = product(real(first, latitude), real('sin', other))
        two = product(real(second, latitude), real('cos', other), real(random.choice(['cos', 'cos', 'sin']), longitude))
        u = real(random.choice(['add', 'sub']), one, two)
        u = Node('least', [self.constant(1), Node('greatest', [self.constant(-1), u], 'float8')], 'float8')
        return real(random.choice(['acos', 'asin']), u)

    def smooth_sum(self, _):
        """Sums of monomials and of smooth functions of one column, whose extremes lie inside
        of ranges: quadratic forms, tangents and turns are what bounds them."""
        random = self.random
        total = None
        for _ in range(random.choice([2, 2, 3, 4])):
            x = self.leaf('number')
            name = random.choice(['monomial', 'monomial', 'monomial', 'sqrt', 'cbrt', 'exp', 'ln', 'sin', 'cos', 'atan', 'tanh', 'asinh',
                                  'cosh', 'log', 'acosh', 'atanh', 'asin', 'tan'])
            if name == 'monomial':
                term = x
                for _ in range(random.choice([0, 1, 1, 2])):
                    other = random.choice([x, self.leaf('number')])
                    term = Node('mul', [term, other], wider(term.type, other.type))
            else:
                term = Node(name, [Node('cast', [x], 'float8', 'float8') if x.type != 'float8' else x], 'float8')
                if not self.is_tame(term):
                    term = Node('sin', [x], 'float8')
            if random.random() < 0.7:
                factor = self.constant()
                term = Node('mul', [factor, term], wider(factor.type, term.type))
            total = term if total is None else Node(random.choice(['add', 'sub']), [total, term], wider(total.type, term.type))
        return total

    def rounding(self, depth):
        random = self.random
        name = random.choice(['floor', 'ceil', 'round', 'trunc', 'round_to', 'trunc_to'])
        x = self.shallower(depth)
        if name in ('round_to', 'trunc_to'):
            if x.type == 'float8':
                x = Node('cast', [x], 'numeric', 'numeric')
            return Node(name, [x, constant(str(random.choice([0, 1, 1, 2, 3, -1, -2])), 'int4')], 'numeric')
        return Node(name, [x], 'numeric' if x.type == 'numeric' else 'float8')

    def remainder(self, depth):
        random = self.random
        x = self.shallower(depth)
        y = self.near_constant() if random.random() < 0.4 else self.shallower(depth)
        if y.kind != 'constant' and random.random() < 0.5:
            y = Node('add', [Node('abs', [y], y.type), constant(str(random.choice([1, 2, 5])), 'int4')], wider(y.type, 'int4'))
        x, y = (Node('cast', [n], 'numeric', 'numeric') if n.type == 'float8' else n for n in (x, y))
        type_ = wider(x.type, y.type)
        kind = random.choice(['mod', 'mod_call', 'trunc_div'])
        return Node(kind, [x, y], 'numeric' if kind == 'trunc_div' else type_)

    def cast(self, depth):
        random = self.random
        if random.random() < 0.4:
            return Node('cast', [self.condition(depth)], 'int4', 'int')
        name = random.choice(['int', 'int2', 'int8', 'numeric', 'float8', 'numeric(30,1)', 'numeric(30,2)'])
        type_ = {'int': 'int4', 'numeric(30,1)': 'numeric', 'numeric(30,2)': 'numeric'}.get(name, name)
        return Node('cast', [self.shallower(depth)], type_, name)

    def special(self, depth):
        random = self.random
        shape = random.random()
        x = self.shallower(depth)
        if shape < 0.5:
            low, high = random.sample([-10, -1, 0, 1, 2, 4, 5, 10, 100], 2)
            type_ = wider(x.type, 'numeric')
            ends = [constant('%d.%d' % (end, random.choice([0, 0, 5])), 'numeric') for end in (low, high)]
            return Node('width_bucket', [x] + ends + [constant(str(random.randint(1, 12)), 'int4')], 'int4', type_)
        if shape < 0.7:
            if x.type == 'float8':
                x = Node('cast', [x], 'numeric', 'numeric')
            return Node('log_base', [constant(random.choice(['2', '10', '0.5', '3']), 'numeric'), x], 'numeric')
        return Node('mul', [Node('pi', [], 'float8'), x], 'float8')

    def choice(self, depth):
        random = self.random
        kind = random.choice(['case', 'case', 'case', 'simple_case', 'greatest', 'least', 'coalesce', 'coalesce', 'nullif'])
        if kind == 'case':
            return self.case(depth)
        x = self.shallower(depth)
        nullable = [c for c in self.columns if c.nullable and c.type != 'boolean']
        if kind in ('coalesce', 'greatest', 'least') and nullable and random.random() < 0.5:
            c = random.choice(nullable)
            x = column(c.name, c.type)
        if kind == 'simple_case':
            arms = [x]
            results = []
            for _ in range(random.choice([1, 1, 2])):
                results.append(self.shallower(depth))
                arms += [self.near_constant(), results[-1]]
            results.append(self.shallower(depth))
            return Node(kind, arms + [results[-1]], wider(*(r.type for r in results)))
        if kind == 'nullif':
            y = self.near_constant() if random.random() < 0.7 else self.shallower(depth)
            # of both types if the comparison converts the first
            return Node(kind, [x, y], x.type if whole(x.type) and whole(y.type) else wider(x.type, y.type))
        rest = [self.near_constant() if random.random() < 0.5 else self.shallower(depth)
                for _ in range(random.choice([1, 1, 2]))]
        args = [x] + rest
        if random.random() < 0.2:
            args.reverse()
        if random.random() < 0.05:
            args.insert(random.randrange(len(args) + 1), null('int4'))
        return Node(kind, args, wider(*(n.type for n in args)))

    def case(self, depth):
        random = self.random
        args, results = [], []
        for _ in range(random.choice([1, 1, 1, 2])):
            results.append(self.near_constant() if random.random() < 0.25 else self.shallower(depth))
            args += [self.condition(depth), results[-1]]
        shown = random.random() < 0.85
        if not shown:
            last = null('float8')
        else:
            last = self.near_constant() if random.random() < 0.2 else self.shallower(depth)
        results.append(last)
        type_ = wider(*(r.type for r in (results if shown else results[:-1])))
        return Node('case', args + [last], type_, shown)

    # ---- conditions ----

    def comparison(self, depth):
        random = self.random
        kind = random.choice(['lt', 'le', 'gt', 'ge', 'lt', 'gt', 'eq', 'ne'])
        x = self.shallower(depth - 1)
        y = self.near_constant() if random.random() < 0.7 else self.shallower(depth - 1)
        if random.random() < 0.15:
            x, y = y, x
        return Node(kind, [x, y], 'boolean')

    def condition(self, depth):
        random = self.random
        shape = random.random()
        if depth <= 0 or shape < 0.55:
            flags = [c for c in self.columns if c.type == 'boolean']
            if flags and random.random() < 0.35:
                return column(random.choice(flags).name, 'boolean')
            return self.comparison(depth)
        if shape < 0.7:
            return Node(random.choice(['and', 'or']), [self.condition(depth - 1), self.condition(depth - 1)], 'boolean')
        if shape < 0.76:
            return Node('not', [self.condition(depth - 1)], 'boolean')
        if shape < 0.82:
            return Node('between', [self.shallower(depth - 1), self.near_constant(), self.near_constant()], 'boolean')
        if shape < 0.86:
            return Node('in', [self.shallower(depth - 1)] + [self.near_constant() for _ in range(random.randint(1, 3))],
                        'boolean')
        if shape < 0.9:
            return Node('distinct', [self.shallower(depth - 1), self.near_constant()], 'boolean')
        if shape < 0.93:
            return Node('cast', [Node('cast', [self.shallower(depth - 1)], 'int4', 'int')], 'boolean', 'boolean')
        name = random.choice(TESTS)
        if name in ('is_null', 'is_not_null'):
            return Node(name, [self.shallower(depth - 1)], 'boolean')
        return Node(name, [self.condition(depth - 1)], 'boolean')

    def expression(self):
        node = self.number(self.random.choice([1, 2, 2, 3, 3, 4, 4, 5]))
        if not any(n.kind == 'column' for n in node.walk()):
            return self.leaf('number')
        return node

    def sql(self, node):
        chance = self.random.choice([0, 0, 0.3])
        return sql(node, lambda: self.random.random() < chance)


def used_kinds(nodes):
    return {n.kind for node in nodes for n in node.walk()}
