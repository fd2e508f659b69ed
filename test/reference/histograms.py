"""Functions of small histograms: the sensitivity that dpsens claims beside all pairs of
neighbours, one by one."""
import itertools
import json
import math
import random

from mpmath import mpf

from claims import ATTAINED, TOLERANCE, Failure, norm_of
from expressions import compile_node
from generator import Column, Generator, used_kinds
from questions import described, numbers, quoted
from values import Exact, SqlError, Uncertain

NORMS = {'1': 'l1', '2': 'l2', 'Infinity': 'linf'}


class HistogramQuestion:
    def __init__(self, seed, number, has_erf):
        self.number = number
        self.random = random.Random('%s %s' % (seed, number))
        names = 'abcd'[:self.random.choice([1, 2, 2, 3])]
        self.columns = [Column(name, 'float8', 0, self.random.choice([1, 2, 3, 4]), False, False, 1) for name in names]
        generator = Generator(self.random, self.columns, has_erf)
        # cells hold integers
        generator.rows = [{c.name: float(self.random.randint(0, c.high)) for c in self.columns} for _ in range(8)]
        self.nodes = [generator.expression() for _ in range(self.random.choice([1, 1, 1, 2]))]
        self.texts = [generator.sql(node) for node in self.nodes]
        self.sql = ' | '.join(self.texts)
        self.norm = self.random.choice(list(NORMS))
        rows = sum(c.high for c in self.columns)
        self.least = min(rows, self.random.choice([0, 0, 0, 1, 1, 2]))
        self.most = max(self.least, self.random.choice([rows, 3]))
        self.ranges = json.dumps({'cells': [c.name for c in self.columns], 'upper': [c.high for c in self.columns],
                                  'p': self.norm, 'rows': [self.least, self.most]})

    def ask(self):
        return 'SELECT pg_temp.ask_histogram(ARRAY[%s], ARRAY[%s], ARRAY[%s], %s, int4range(%d, %d, %s));\n' % (
            ', '.join(quoted(text) for text in self.texts), ', '.join(quoted(c.name) for c in self.columns),
            ', '.join(str(c.high) for c in self.columns), quoted(self.norm), self.least, self.most, quoted('[]'))

    def judge(self, answers, outcome):
        outcome.kinds |= used_kinds(self.nodes)
        if 'error' in answers:
            outcome.errors[answers['error']] = outcome.errors.get(answers['error'], 0) + 1
            outcome.last_error[answers['error']] = self.sql
            return
        outcome.count('histograms')
        numbers(answers)
        try:
            self.compare(answers, outcome)
        except Uncertain:
            outcome.count('uncertain')
        except Failure as failure:
            outcome.failures.append(described(self, failure, answers.get(failure.quantity.split()[-1])))

    def values(self):
        """By histogram; None where there is no value or an error."""
        exact = Exact()
        functions = [compile_node(node, exact) for node in self.nodes]
        values = {}
        for counts in itertools.product(*(range(c.high + 1) for c in self.columns)):
            if not self.least <= sum(counts) <= self.most:
                continue
            row = {c.name: mpf(n) for c, n in zip(self.columns, counts)}
            try:
                entries = [function(row) for function in functions]
                values[counts] = None if None in entries else entries
            except SqlError:
                values[counts] = None
        return values

    def compare(self, answers, outcome):
        values = self.values()
        for adjacency, answer in answers.items():
            if math.isinf(answer['upper']):
                # A function without a value may be in the way, and must be.
                if answer['note'] and ' at ' in answer['note'] and not any(v is None for v in values.values()):
                    raise Failure('note of ' + adjacency, answer['note'], 'a value everywhere', [])
                continue
            best, pair = mpf(0), []
            for counts, here in values.items():
                if here is None:
                    raise Failure('defined ' + adjacency, answer['upper'], 'no value', [dict(zip('abcd', map(str, counts)))])
                for other in self.neighbours(counts, adjacency):
                    if values.get(other) is not None:
                        moved = norm_of([u - v for u, v in zip(here, values[other])], NORMS[self.norm])
                        if moved > best:
                            best, pair = moved, [counts, other]
            outcome.count('checks')
            rows = [dict(zip('abcd', map(str, counts))) for counts in pair]
            upper, lower = mpf(answer['upper']), mpf(answer['lower'])
            if best > upper + TOLERANCE * upper:
                raise Failure(adjacency, upper, best, rows)
            if best < lower - ATTAINED * lower:
                raise Failure('lower ' + adjacency, lower, best, rows)

    @staticmethod
    def neighbours(counts, adjacency):
        for i in range(len(counts)):
            more = counts[:i] + (counts[i] + 1,) + counts[i + 1:]
            if adjacency == 'add_remove':
                yield more
                continue
            for j in range(len(counts)):
                if j != i:
                    yield more[:j] + (more[j] - 1,) + more[j + 1:]
