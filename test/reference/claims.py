"""Looks for rows that contradict what dpsens claims of an expression."""
import itertools
import math
import os

from mpmath import mpf

from expressions import compile_node
from generator import random_row, random_value
from values import Exact, Quick, SqlError, Uncertain

# dpsens bounds the real function of constants that are doubles, with ends rounded outward,
# so a bound should be no lower than any exact value.  Constants that SQL folds are rounded
# once, to 2^-53 of their size; the rest is room for sums of a few that cancel in part.
TOLERANCE = mpf(os.environ.get('REFERENCE_TOLERANCE') or '1e-12')
# Lower ends are enclosed at their witness, whose roundings they contain.
ATTAINED = mpf('1e-9')
# The step of difference quotients, in units of the column's range; 100 digits hold it.
STEP = mpf('1e-36')
# And what curvature adds to such a quotient, where the slope is 0: with much room, of the values over the range.
CURVED = mpf('1e-25')
# What rounding at 100 digits may have done to a value, as a share of what it is a sum of.
NOISE = mpf('1e-90')
ROUNDING = ('floor', 'ceil', 'round', 'trunc', 'round_to', 'trunc_to', 'trunc_div', 'div', 'mod', 'mod_call', 'cast')
NORMS = ('l1', 'l2', 'linf')


class Failure(Exception):
    def __init__(self, quantity, claimed, found, rows):
        super().__init__(quantity)
        self.quantity = quantity
        self.claimed = claimed
        self.found = found
        self.rows = rows


def norm_of(values, name):
    values = [abs(v) for v in values]
    if name == 'l1':
        return sum(values)
    if name == 'linf':
        return max(values, default=0)
    if len(values) == 1:
        return values[0]
    total = sum(v * v for v in values)
    return math.sqrt(total) if isinstance(total, float) else mpf(total).sqrt()


class Subject:
    """The entries of a vector, or one expression, as functions of rows."""

    def __init__(self, nodes, columns):
        self.columns = columns
        self.private = [c for c in columns if not c.public]
        self.arithmetic = {}
        self.functions = {}
        for arithmetic in (Exact(), Quick()):
            kind = type(arithmetic)
            self.arithmetic[kind] = arithmetic
            self.functions[kind] = [compile_node(node, arithmetic) for node in nodes]
        # An integer that is rounded is itself, but for its derivative as a real number.
        self.rounds = any(n.kind in ROUNDING for node in nodes for n in node.walk())
        self.has_choice = any(n.kind in ('and', 'or', 'between', 'in') for node in nodes for n in node.walk())
        self.constants = [float(n.extra[0]) for node in nodes for n in node.walk()
                          if n.kind == 'constant' and n.type != 'boolean' and n.extra[0] is not None]

    def _values(self, kind, row):
        trace = self.arithmetic[kind].trace
        trace.clear()
        values = [function(row) for function in self.functions[kind]]
        return (None if None in values else values), tuple(trace)

    def quick(self, row):
        try:
            return self._values(Quick, row)
        except OverflowError:
            raise SqlError from None

    def exact(self, row):
        """Values, or None for NULL, and the trace."""
        values, trace = self._values(Exact, {name: value if value is None or isinstance(value, bool) else mpf(value)
                                             for name, value in row.items()})
        # products are rounded, too
        arithmetic = self.arithmetic[Exact]
        arithmetic.scale = max([arithmetic.scale] + [abs(v) for v in values or []])
        return values, trace

    def exact_or_nothing(self, row):
        try:
            return self.exact(row)
        except Uncertain:
            return None


def pattern(row):
    return tuple(value is None for value in row.values())


class Rows:
    """Rows worth a look, found by quick arithmetic."""

    def __init__(self, subject, random, effort=1.0):
        self.subject = subject
        self.random = random
        self.good = []          # (row, values, trace) with a value
        self.nulls = []         # rows without one
        self.errors = []
        self.jumps = []         # pairs next to a kink or a jump, and where
        columns = subject.columns
        self.special = {c.name: self._special_values(c) for c in columns}
        for row in self._first_rows(int(30 * effort)):
            self.look(row)
        self._find_jumps(int(5 * effort))
        self.best = {}
        for sign in (1, -1):
            for entry in range(len(subject.functions[Quick])):
                self._climb(sign, entry)

    def _special_values(self, c):
        if c.type == 'boolean':
            values = [False, True]
        elif c.is_discrete():
            values = {c.low, c.high, min(c.low + 1, c.high), c.clamp(0), c.clamp(1), c.clamp(-1), (c.low + c.high) // 2}
            values |= {int(k) for k in self.subject.constants if c.low <= k <= c.high and k == int(k)}
            values = sorted(values)
        else:
            values = {c.low, c.high, (c.low + c.high) / 2, math.nextafter(c.low, c.high), math.nextafter(c.high, c.low)}
            inside = [k for k in self.subject.constants + [0.0, 1.0, -1.0, 0.5, 2.0] if c.low <= k <= c.high]
            for k in inside:
                values |= {k, c.clamp(math.nextafter(k, math.inf)), c.clamp(math.nextafter(k, -math.inf))}
            values = sorted(values)
        return values + ([None] if c.nullable else [])

    def _first_rows(self, many):
        columns, random = self.subject.columns, self.random
        ends = [[c.low, c.high] if c.type != 'boolean' else [False, True] for c in columns]
        for corner in itertools.islice(itertools.product(*ends), 16):
            yield dict(zip((c.name for c in columns), corner))
        for _ in range(many):
            yield random_row(random, columns)
        base = random_row(random, columns)
        for c in columns:
            values = self.special[c.name]
            for value in random.sample(values, min(len(values), 8)):
                yield {**base, c.name: value}

    def look(self, row):
        """Notes the row and returns what it is worth; None for an error or NULL."""
        try:
            values, trace = self.subject.quick(row)
        except (SqlError, Uncertain):
            self.errors.append(row)
            return None
        if values is None:
            self.nulls.append((row, trace))
            return None
        self.good.append((row, values, trace))
        return values

    def trace(self, row):
        try:
            values, trace = self.subject.quick(row)
            return trace, values is None
        except (SqlError, Uncertain):
            return None

    def _find_jumps(self, many):
        if not self.good:
            return
        for _ in range(many * 3):
            if len(self.jumps) >= many:
                return
            row = self.random.choice(self.good)[0]
            c = self.random.choice(self.subject.columns)
            if row[c.name] is None or c.type == 'boolean' or c.low == c.high:
                continue
            other = random_value(self.random, c)
            if self.trace(row) != self.trace({**row, c.name: other}):
                self._bisect(row, c, row[c.name], other)

    def _bisect(self, row, c, x, y):
        """To neighbouring numbers of different traces."""
        at_x = self.trace(row)
        for _ in range(80):
            middle = (x + y) // 2 if c.is_discrete() else x / 2 + y / 2
            if middle in (x, y):
                break
            if self.trace({**row, c.name: middle}) == at_x:
                x = middle
            else:
                y = middle
        self.jumps.append(({**row, c.name: x}, {**row, c.name: y}, c))
        near = [x, y]
        if not c.is_discrete():
            for end, away in ((x, x - y), (y, y - x)):
                for _ in range(2):
                    end = math.nextafter(end, math.copysign(math.inf, away))
                    near.append(c.clamp(end))
        for value in near:
            self.look({**row, c.name: value})
        self.special[c.name].extend(value for value in near if value not in self.special[c.name])

    def _climb(self, sign, entry):
        """Coordinate search from the best row so far."""
        if not self.good:
            return
        row, values, _ = max(self.good, key=lambda found: sign * found[1][entry])
        best = sign * values[entry]
        share = 0.2
        for _ in range(7):
            for c in self.subject.columns:
                x = row[c.name]
                if x is None or c.type == 'boolean' or c.low == c.high:
                    continue
                for direction in (share, -share):
                    step = direction * (c.high - c.low)
                    if c.is_discrete():
                        step = int(math.copysign(max(1, abs(step)), step))
                    candidate = {**row, c.name: c.clamp(x + step)}
                    values = self.look(candidate)
                    if values is not None and sign * values[entry] > best:
                        row, best = candidate, sign * values[entry]
                        break
            share *= 0.3
        self.best[sign, entry] = row


class Claims:
    """Compares the answers about one expression with rows."""

    def __init__(self, subject, answers, random, effort=1.0):
        self.subject = subject
        self.answers = answers
        self.random = random
        self.rows = Rows(subject, random, effort)
        self.known = {}
        self.checks = 0

    # ---- claims ----

    def upper(self, quantity):
        """The claimed bound if there is one, else None."""
        answer = self.answers.get(quantity)
        return None if answer is None or math.isinf(answer['upper']) else mpf(answer['upper'])

    def noise(self):
        return NOISE * self.subject.arithmetic[Exact].scale

    def curved(self, step):
        return CURVED * max(1, self.subject.arithmetic[Exact].scale) * STEP / abs(step)

    def demand(self, quantity, value, rows, slack=0):
        claimed = self.upper(quantity)
        if claimed is None:
            return
        self.checks += 1
        if value > claimed + TOLERANCE * abs(claimed) + slack + self.noise():
            raise Failure(quantity, claimed, value, rows)

    def exact(self, row):
        """(values or None, trace); None where it is uncertain; an error contradicts
        whatever has a bound."""
        key = tuple(row.values())
        if key not in self.known:
            try:
                self.known[key] = self.subject.exact_or_nothing(row)
            except SqlError:
                self.known[key] = 'error'
        found = self.known[key]
        if found == 'error':
            for quantity in ('add_remove', 'add_remove_linf', 'add_remove_l1'):
                if self.upper(quantity) is not None:
                    raise Failure('defined (' + quantity + ')', self.upper(quantity), 'an error', [row])
            return None
        return found

    def contribution(self, row):
        found = self.exact(row)
        if found is None:
            return None
        return found[0] if found[0] is not None else [mpf(0)] * len(self.subject.functions[Exact])

    # ---- rows ----

    def chosen(self):
        rows = self.rows
        chosen = list(rows.best.values())
        for x, y, _ in rows.jumps:
            chosen += [x, y]
        chosen += [row for row, _ in rows.nulls[:2]] + rows.errors[:4]
        chosen += [found[0] for found in self.random.sample(rows.good, min(6, len(rows.good)))]
        chosen += self.suspects()
        return chosen

    def suspects(self):
        """Rows whose quick value is beyond what is claimed."""
        for quantity, measure in self.measures():
            claimed = self.upper(quantity)
            if claimed is None:
                continue
            over = [(measure(found[1]), k) for k, found in enumerate(self.rows.good)]
            over = sorted((o for o in over if o[0] > float(claimed)), reverse=True)
            yield from (self.rows.good[k][0] for _, k in over[:3])

    def measures(self):
        if 'add_remove' in self.answers:
            return [('supremum', lambda v: v[0]), ('add_remove', lambda v: abs(v[0]))]
        return [('add_remove_' + name, lambda v, name=name: norm_of(v, name)) for name in NORMS]

    def check(self):
        rows = self.chosen()
        for row in rows:
            self.check_value(row)
        self.check_replace()
        for c in self.subject.private:
            self.check_attribute(c)
        bases = self.steepest() + rows[:2] + [x for pair in self.rows.jumps[:3] for x in pair[:2]]
        bases += [found[0] for found in self.random.sample(self.rows.good, min(3, len(self.rows.good)))]
        for row in bases:
            self.check_slopes(row)
        self.check_pairs(rows)
        self.check_witnesses()

    def check_value(self, row):
        found = self.exact(row)
        if found is None or found[0] is None:
            return
        for quantity, measure in self.measures():
            self.demand(quantity, measure(found[0]), [row])
        infimum = self.answers.get('infimum')
        if infimum is not None and not math.isinf(infimum['upper']) and infimum['lower'] is not None:
            self.checks += 1
            claimed = mpf(infimum['lower'])
            if found[0][0] < claimed - TOLERANCE * abs(claimed) - self.noise():
                raise Failure('infimum', claimed, found[0][0], [row])

    def same_publics(self, row, other):
        return all(row[c.name] == other[c.name] for c in self.subject.columns if c.public)

    def far_apart(self):
        """Pairs of rows whose values are far apart, with the same public columns."""
        good = self.rows.good
        if not good:
            return
        publics = any(c.public for c in self.subject.columns)
        nulls = [row for row, _ in self.rows.nulls]
        for entry in range(len(good[0][1])):
            order = sorted(good, key=lambda found: found[1][entry])
            extremes = [order[0], order[-1]]
            for row, _, _ in extremes:
                others = [order[0][0], order[-1][0]] + nulls[:3]
                if publics:
                    same = [f for f in order if self.same_publics(row, f[0])]
                    others = [same[0][0], same[-1][0]] + [n for n in nulls if self.same_publics(row, n)][:3]
                for other in others:
                    yield row, other

    def check_replace(self):
        names = ['replace'] if 'replace' in self.answers else ['replace_' + n for n in NORMS]
        pairs = list(self.far_apart())
        if len(names) == 3 and not any(c.public for c in self.subject.columns):
            sample = self.random.sample(self.rows.good, min(25, len(self.rows.good)))
            for name in NORMS:
                best = max(itertools.combinations(sample, 2), default=None,
                           key=lambda p: norm_of([u - v for u, v in zip(p[0][1], p[1][1])], name))
                if best:
                    pairs.append((best[0][0], best[1][0]))
        for row, other in pairs:
            self.check_pair(names, row, other)

    def check_pair(self, names, row, other):
        x, y = self.contribution(row), self.contribution(other)
        if x is None or y is None:
            return
        difference = [u - v for u, v in zip(x, y)]
        for name in names:
            norm = name.split(':')[0].rsplit('_', 1)[-1]
            self.demand(name, norm_of(difference, norm if norm in NORMS else 'linf'), [row, other])

    def check_attribute(self, c):
        names = ['attribute:' + c.name] if 'replace' in self.answers else ['attribute_%s:%s' % (n, c.name) for n in NORMS]
        if all(self.upper(name) is None for name in names) or not self.rows.good:
            return
        bases = list(self.rows.best.values())[:2] + [self.random.choice(self.rows.good)[0] for _ in range(2)]
        for base in bases:
            found = []
            values = self.rows.special[c.name]
            values = self.random.sample(values, min(12, len(values))) + [random_value(self.random, c) for _ in range(4)]
            for value in values:
                row = {**base, c.name: value}
                try:
                    quick = self.subject.quick(row)[0]
                except (SqlError, Uncertain):
                    self.exact(row)
                    continue
                found.append((quick or [0.0] * len(self.subject.functions[Quick]), row))
            for entry in range(len(found[0][0]) if found else 0):
                low = min(found, key=lambda f: f[0][entry])
                high = max(found, key=lambda f: f[0][entry])
                self.check_pair(names, high[1], low[1])

    # ---- derivatives ----

    def steepest(self):
        """Rows where quick difference quotients are steepest."""
        good = self.rows.good
        scored = []
        for row, values, trace in self.random.sample(good, min(25, len(good))):
            steepness = 0
            for c in self.subject.private:
                step = (c.high - c.low) * 1e-6
                x = row[c.name]
                if x is None or isinstance(x, bool) or step == 0:
                    continue
                if c.is_discrete():
                    step = 1
                to = x + step if x + step <= c.high else x - step
                try:
                    other = self.subject.quick({**row, c.name: to})[0]
                except (SqlError, Uncertain):
                    continue
                if other is not None:
                    steepness = max(steepness, norm_of([u - v for u, v in zip(other, values)], 'linf') / (step * c.weight))
            scored.append((steepness, len(scored), row))
        scored.sort(key=lambda s: -s[0])
        return [row for _, _, row in scored[:3]]

    def metric_names(self):
        if 'replace' in self.answers:
            return {'l2': 'metric', 'l1': 'metric_l1', 'linf': 'metric_linf'}
        return {}

    def check_slopes(self, row):
        """The gradient where the row lies on a smooth piece, by columns that are real;
        whole steps of the others."""
        here = self.exact(row)
        if here is None or here[0] is None:
            return
        jacobian = []
        noise = mpf(0)
        for c in self.subject.private:
            x = row[c.name]
            if x is None:
                continue
            if isinstance(x, bool):
                self.check_distance(row, {**row, c.name: not x})
                continue
            if c.is_discrete():
                for to in (x - 1, x + 1):
                    if c.low <= to <= c.high:
                        self.check_distance(row, {**row, c.name: to})
            if c.low == c.high:
                continue
            step = STEP * (mpf(c.high) - mpf(c.low))
            if mpf(x) + step > c.high:
                step = -step
            there = self.beside({**row, c.name: mpf(x) + step}, c)
            if there is None or there[0] is None or there[1] != here[1]:
                if not c.is_discrete():
                    self.check_distance(row, {**row, c.name: mpf(x) + step})
                return
            slopes = [(u - v) / step for u, v in zip(there[0], here[0])]
            if 'replace' in self.answers and not (c.is_discrete() and self.subject.rounds):
                self.demand('slope:' + c.name, abs(slopes[0]), [row], slack=self.noise() / abs(step) + self.curved(step))
            if not c.is_discrete():
                jacobian.append([s / mpf(c.weight) for s in slopes])
                noise += (self.noise() / abs(step) + self.curved(step)) / mpf(c.weight)
        if jacobian:
            self.check_jacobian(row, jacobian, noise)

    def beside(self, row, c):
        """As exact; but an integer that is moved as if it were real may leave the domain."""
        if not c.is_discrete():
            return self.exact(row)
        try:
            return self.subject.exact_or_nothing(row)
        except SqlError:
            return None

    def check_jacobian(self, row, by_column, noise):
        for norm, name in self.metric_names().items():
            self.demand(name, norm_of([slopes[0] for slopes in by_column], norm), [row], noise)
        if 'replace' in self.answers:
            return
        entries = list(zip(*by_column))
        self.demand('metric_linf', max(norm_of(entry, 'l2') for entry in entries), [row], noise)
        for signs in itertools.product((1, -1), repeat=len(entries)):
            total = [sum(s * entry[j] for s, entry in zip(signs, entries)) for j in range(len(by_column))]
            self.demand('metric_l1', norm_of(total, 'l2'), [row], noise * len(entries))
        direction = [mpf(1)] * len(by_column)
        for _ in range(12):
            image = [sum(e * d for e, d in zip(entry, direction)) for entry in entries]
            back = [sum(i * entry[j] for i, entry in zip(image, entries)) for j in range(len(by_column))]
            size = norm_of(back, 'l2')
            if size == 0:
                return
            direction = [b / size for b in back]
        self.demand('metric_l2', norm_of([sum(e * d for e, d in zip(entry, direction)) for entry in entries], 'l2'), [row], noise * len(entries))

    def check_distance(self, row, other):
        """Lipschitz: what two rows differ by is at most K times their distance."""
        if pattern(row) != pattern(other) or not self.same_publics(row, other):
            return
        x, y = self.exact(row), self.exact(other)
        if x is None or y is None:
            return
        if x[0] is None or y[0] is None:
            self.check_validity(x, y, [row, other])
            return
        moves = [mpf(c.weight) * abs(mpf(row[c.name]) - mpf(other[c.name])) for c in self.subject.private
                 if row[c.name] is not None]
        difference = [u - v for u, v in zip(x[0], y[0])]
        # branches that meet up to the rounding of constants are no jump
        slack = self.noise() if x[1] == y[1] else mpf('1e-13') * max(max(map(abs, x[0])), max(map(abs, y[0])), mpf('1e-20'))
        if 'replace' in self.answers:
            dual = {'l1': 'linf', 'l2': 'l2', 'linf': 'l1'}
            claims = [(name, difference[0], norm_of(moves, dual[norm])) for norm, name in self.metric_names().items()]
        else:
            claims = [('metric_' + n, norm_of(difference, n), norm_of(moves, 'l2')) for n in NORMS]
        for name, moved, distance in claims:
            claimed = self.upper(name)
            if claimed is None or distance == 0:
                continue
            self.checks += 1
            if abs(moved) > claimed * distance * (1 + TOLERANCE) + slack:
                raise Failure(name, claimed, abs(moved) / distance, [row, other])

    def check_validity(self, x, y, rows):
        """Under metric, whether there is a value is decided by the cells that are NULL, which
        are the same in both rows."""
        for name in list(self.metric_names().values()) + ['metric_' + n for n in NORMS]:
            if (x[0] is None) != (y[0] is None) and self.upper(name) is not None:
                raise Failure('validity under (' + name + ')', self.upper(name), 'a value, and none', rows)

    def check_pairs(self, rows):
        for x, y, _ in self.rows.jumps:
            self.check_distance(x, y)
        for _ in range(8):
            if len(rows) > 1:
                row, other = self.random.sample(rows, 2)
                other = {c.name: row[c.name] if c.public or (row[c.name] is None) != (other[c.name] is None) else other[c.name]
                         for c in self.subject.columns}
                self.check_distance(row, other)

    # ---- what is said beside the bound ----

    def witness_row(self, answer):
        witness = answer['witness']
        row = {}
        for c in self.subject.columns:
            value = witness[c.name]
            row[c.name] = value if value is None or isinstance(value, bool) else int(value) if c.is_discrete() else float(value)
        return row

    def check_witnesses(self):
        for quantity in ('infimum', 'supremum', 'add_remove'):
            answer = self.answers.get(quantity)
            if answer is None or answer['lower'] is None:
                continue
            row = self.witness_row(answer)
            if math.isinf(answer['upper']):
                self.check_note(quantity, answer, row)
                continue
            found = self.exact(row)
            if found is None or found[0] is None:
                continue
            value = found[0][0]
            reached = {'infimum': -value, 'supremum': value, 'add_remove': abs(value)}[quantity]
            claimed = mpf(-answer['upper'] if quantity == 'infimum' else answer['lower'])
            self.checks += 1
            if reached < claimed - ATTAINED * abs(claimed) - self.noise():
                raise Failure('witness of ' + quantity, claimed, reached, [row])

    def check_note(self, quantity, answer, row):
        note = answer['note'] or ''
        if not (note.startswith('division by zero in') or note.startswith('undefined value in')) or ' at ' not in note:
            return
        self.checks += 1
        try:
            found = self.subject.exact(row)
        except (SqlError, Uncertain):
            return
        raise Failure('note of ' + quantity, note, found[0], [row])
