"""WHERE narrows ranges: what dpsens.explain claims of a query of an empty table beside rows
that the server itself selects.  A condition sees a row's own values, which may lie outside
of the declared ranges, and the expression sees them clamped.  Whether a row is selected is
asked of the server, whose rounding it is."""
import json
import math
import random

from mpmath import mpf

from claims import TOLERANCE, Failure, Subject
from expressions import compile_node
from generator import Generator, random_columns, random_row, used_kinds
from questions import described, quoted
from values import Quick, SqlError, Uncertain

TYPES = {'float8': 'float8', 'numeric': 'numeric', 'int2': 'int2', 'int4': 'int4', 'int8': 'int8', 'boolean': 'boolean'}


def parts(condition):
    """What AND, OR and NOT join."""
    if condition.kind in ('and', 'or', 'not'):
        for argument in condition.args:
            yield from parts(argument)
    else:
        yield condition


class ConditionQuestion:
    def __init__(self, seed, number, has_erf):
        self.number = number
        self.random = random.Random('%s %s' % (seed, number))
        self.columns = random_columns(self.random)
        for c in self.columns:
            c.weight = 1
        generator = Generator(self.random, self.columns, has_erf)
        self.condition = generator.condition(self.random.choice([1, 2, 3]))
        node = generator.expression()
        self.nodes = [node]
        # A condition that compares columns with each other bounds the expression of rows that
        # lie in their ranges; what others add is clamped to these bounds (docs/queries.md).
        self.apart = all(len({n.extra for n in part.walk() if n.kind == 'column'}) <= 1 for part in parts(self.condition))
        self.where, text = generator.sql(self.condition), generator.sql(node)
        self.adjacency = self.random.choice(['add_remove', 'add_remove', 'replace'])
        self.sql = 'SELECT dp_sum(%s, 1) FROM w WHERE %s' % (text, self.where)
        self.ranges = json.dumps({c.name: c.json() for c in self.columns})
        self.rows = self.candidates()

    def candidates(self):
        """Rows inside and outside of the ranges, and on both sides of where the condition changes."""
        quick = Quick()
        function = compile_node(self.condition, quick)
        subject = Subject([self.condition], self.columns)
        random_ = self.random

        def holds(row):
            try:
                return function(row) is True
            except (SqlError, Uncertain, OverflowError):
                return None

        rows = []
        for _ in range(12):
            row = random_row(random_, self.columns)
            rows.append(row)
            for c in self.columns:
                if c.type == 'boolean' or random_.random() < 0.4:
                    continue
                value = self.beyond(c, subject.constants)
                rows.append({**row, c.name: value})
                x, y = row[c.name], value
                if x is None or holds(row) == holds(rows[-1]):
                    continue
                there = holds(row)
                for _ in range(70):
                    middle = (x + y) // 2 if c.is_discrete() else x / 2 + y / 2
                    if middle in (x, y):
                        break
                    if holds({**row, c.name: middle}) == there:
                        x = middle
                    else:
                        y = middle
                rows += [{**row, c.name: x}, {**row, c.name: y}]
        return rows

    def beyond(self, c, constants):
        r = self.random
        if c.is_discrete():
            limit = {'int2': 32767, 'int4': 2 ** 31 - 1, 'int8': 2 ** 50}[c.type]
            value = r.choice([c.low - 1, c.high + 1, c.low - r.randint(0, 1000), c.high + r.randint(0, 1000), c.low, c.high])
            return max(-limit, min(limit, value))
        width = c.high - c.low + 1
        value = r.choice([c.low - r.random() * width, c.high + r.random() * width, c.low, c.high, c.high + 1e6, c.low - 1e6] +
                         constants[:6])
        return r.choice([value, value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)])

    def literal(self, row):
        return {c.name: None if row[c.name] is None else str(row[c.name]).lower() for c in self.columns}

    def ask(self):
        words = ', '.join('%s %s%s' % (c.name, TYPES[c.type], '' if c.nullable else ' NOT NULL') for c in self.columns)
        declared = ['SELECT dpsens.protect(%s, adjacency => %s)' % (quoted('w'), quoted(self.adjacency))]
        for c in self.columns:
            if c.type != 'boolean':
                declared.append('SELECT dpsens.set_range(%s, %s, %r::float8, %r::float8)' % (
                    quoted('w'), quoted(c.name), float(c.low), float(c.high)))
            if c.public:
                declared.append('SELECT dpsens.set_public(%s, %s)' % (quoted('w'), quoted(c.name)))
        return 'SELECT pg_temp.explain(%s, ARRAY[%s], %s, %s, %s);\n' % (
            quoted(words), ', '.join(quoted(d) for d in declared), quoted(self.sql), quoted(self.where),
            quoted(json.dumps([self.literal(row) for row in self.rows])))

    def judge(self, answer, outcome):
        outcome.kinds |= used_kinds(self.nodes + [self.condition])
        if answer.get('error'):
            outcome.count('conditions refused')
            message = 'no finite bound' if 'finite bound' in answer['error'] else answer['error']
            outcome.errors[message] = outcome.errors.get(message, 0) + 1
            outcome.last_error[message] = self.sql
            return
        outcome.count('conditions')
        try:
            self.compare(answer, outcome)
        except Failure as failure:
            outcome.failures.append(described(self, failure, answer['explained']))

    def compare(self, answer, outcome):
        lower, upper, sensitivity = (mpf(float(answer['explained'][k])) for k in ('lower', 'upper', 'sensitivity'))
        subject = Subject(self.nodes, self.columns)
        values = []
        for row, selected in zip(self.rows, answer['selected']):
            if not selected:
                continue
            clamped = {c.name: row[c.name] if row[c.name] is None or isinstance(row[c.name], bool) else c.clamp(row[c.name])
                       for c in self.columns}
            if clamped != row and not self.apart:
                continue
            outcome.count('checks')
            try:
                found = subject.exact_or_nothing(clamped)
            except SqlError:
                raise Failure('defined', sensitivity, 'an error', [row, clamped]) from None
            if found is None or found[0] is None:
                continue
            value = found[0][0]
            values.append((value, row))
            if value > upper + TOLERANCE * abs(upper):
                raise Failure('upper', upper, value, [row, clamped])
            if value < lower - TOLERANCE * abs(lower):
                raise Failure('lower', lower, value, [row, clamped])
            if self.adjacency == 'add_remove' and abs(value) > sensitivity * (1 + TOLERANCE):
                raise Failure('sensitivity', sensitivity, value, [row, clamped])
        if self.adjacency == 'replace' and values and not any(c.public for c in self.columns):
            low, high = min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])
            if high[0] - low[0] > sensitivity * (1 + TOLERANCE):
                raise Failure('sensitivity', sensitivity, high[0] - low[0], [low[1], high[1]])
