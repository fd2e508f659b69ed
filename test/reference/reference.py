"""reference.py
    Certified bounds beside an evaluator of their own.

Random expressions over random columns are given to dpsens.sensitivity, and what it claims
is compared with values that are computed here, at 100 digits and by SQL's rules, of rows
that might contradict it: random ones, the ends of ranges, constants, both sides of kinks
and jumps, rows that a search comes to, NULL.  No code is shared with dpsens: types,
precedence, rounding and errors are written down in expressions.py and values.py.

    infimum, supremum, add_remove   no row's value is beyond
    replace, attribute              no two rows' values are further apart
    metric and its norms            no quotient of values and distance, and no gradient, is larger
    slope                           no derivative is larger
    a bound at all                  no row raises an error
    witnesses                       attain the other end, to 1e-9
    notes                           a row that is said to be undefined is

Vectors, weights, public and nullable columns are among them; so are functions of small
histograms (histograms.py), all of whose neighbours are compared.  Conditions in WHERE
narrow ranges: queries of an empty table are explained (conditions.py).

REFERENCE_COUNT says how many expressions, REFERENCE_SEED which; REFERENCE_FIRST and a
count of 1 repeat a single one.  Each depends on the seed and its number alone, and nothing on the clock.
TAP: one line for each batch of expressions; and where there are many, one that says whether
all operations that dpsens lists were among them.
"""
import json
import math
import os
import random
import sys
from concurrent.futures import ProcessPoolExecutor

from claims import Claims, Failure, Subject
from conditions import ConditionQuestion
from generator import Generator, random_columns, used_kinds
from histograms import HistogramQuestion
from questions import ask, described, numbers, psql, quoted

BATCH = 50
# Of ten questions, how many are about histograms and about conditions.
KINDS = ['row'] * 8 + ['condition', 'histogram']


class RowQuestion:
    """One expression, or a vector, and its columns."""

    def __init__(self, seed, number, has_erf):
        self.number = number
        self.random = random.Random('%s %s' % (seed, number))
        self.columns = random_columns(self.random)
        generator = Generator(self.random, self.columns, has_erf)
        many = self.random.choice([2, 2, 3]) if self.random.random() < 0.1 else 1
        self.nodes = [generator.expression() for _ in range(many)]
        texts = [generator.sql(node) for node in self.nodes]
        self.sql = 'ARRAY[' + ', '.join(texts) + ']' if many > 1 else texts[0]
        self.ranges = json.dumps({c.name: c.json() for c in self.columns})

    def ask(self):
        return 'SELECT pg_temp.ask(%s, %s);\n' % (quoted(self.sql), quoted(self.ranges))

    def judge(self, answers, outcome):
        if 'error' in answers:
            outcome.count('error')
            outcome.errors[answers['error']] = outcome.errors.get(answers['error'], 0) + 1
            outcome.last_error[answers['error']] = self.sql
            return
        numbers(answers)
        outcome.kinds |= used_kinds(self.nodes)
        finite = sum(not math.isinf(a['upper']) for a in answers.values())
        outcome.count('asked')
        outcome.count('bounds', finite)
        outcome.count('refused', len(answers) - finite)
        claims = None
        try:
            claims = Claims(Subject(self.nodes, self.columns), answers, self.random)
            claims.check()
        except Failure as failure:
            name = failure.quantity.split('(')[-1].rstrip(')').split(' of ')[-1]
            outcome.failures.append(described(self, failure, answers.get(name)))
        outcome.count('checks', claims.checks if claims else 0)


class Outcome:
    def __init__(self):
        self.failures = []
        self.counts = {}
        self.errors = {}
        self.last_error = {}
        self.kinds = set()

    def count(self, what, many=1):
        self.counts[what] = self.counts.get(what, 0) + many

    def add(self, other):
        self.failures += other.failures
        self.kinds |= other.kinds
        self.last_error.update(other.last_error)
        for mine, its in ((self.counts, other.counts), (self.errors, other.errors)):
            for key, many in its.items():
                mine[key] = mine.get(key, 0) + many


def question(seed, number, has_erf):
    classes = {'row': RowQuestion, 'condition': ConditionQuestion, 'histogram': HistogramQuestion}
    return classes[KINDS[number % len(KINDS)]](seed, number, has_erf)


def batch(seed, first, count, has_erf):
    outcome = Outcome()
    questions = [question(seed, number, has_erf) for number in range(first, first + count)]
    answers = ask(q.ask() for q in questions)
    for q, answer in zip(questions, answers, strict=True):
        q.judge(answer, outcome)
    return outcome


# Operations of dpsens that have another name here.
NAMES = {'int_div': 'div', 'sqr': 'pow', 'log10': 'log', 'rint': 'round'}
# From so many expressions on each operation is among them.
MANY = 2000


# Made of exp(x) - 1, ln(1 + x) and sin(x) where these are divided by x, and written so.
MADE = ('expm1', 'log1p', 'mean_exp', 'mean_exp_1', 'mean_exp_2', 'mean_cos', 'mean_cos_1', 'mean_cos_2')


def missing_operations(kinds, has_erf):
    names = psql('SELECT jsonb_agg(name) FROM dpsens.operations()')[0]
    return [name for name in names if name not in MADE and NAMES.get(name, name) not in kinds and (has_erf or not name.startswith('erf'))]


def main():
    seed = os.environ.get('REFERENCE_SEED') or str(random.SystemRandom().randrange(10 ** 9))
    count = int(os.environ.get('REFERENCE_COUNT') or 2000)
    first = int(os.environ.get('REFERENCE_FIRST') or 0)
    jobs = int(os.environ.get('REFERENCE_JOBS') or 2)
    print('# REFERENCE_SEED=%s' % seed, flush=True)
    has_erf = psql("SELECT to_jsonb(to_regprocedure('erf(float8)') IS NOT NULL)")[0]
    total, tests, failed = Outcome(), 0, 0
    batches = [(seed, start, min(BATCH, first + count - start), has_erf) for start in range(first, first + count, BATCH)]
    with ProcessPoolExecutor(jobs) as pool:
        for (_, start, many, _), outcome in zip(batches, pool.map(batch, *zip(*batches))):
            tests += 1
            failed += bool(outcome.failures)
            print('%sok %d - expressions %d to %d' % ('not ' if outcome.failures else '', tests, start, start + many - 1), flush=True)
            for failure in outcome.failures:
                print('#   REFERENCE_SEED=%s REFERENCE_FIRST=%d REFERENCE_COUNT=1' % (seed, failure['number']))
                for key, value in failure.items():
                    print('#     %s: %s' % (key, value if isinstance(value, str) else json.dumps(value)), flush=True)
            total.add(outcome)
    if count >= MANY:
        missing = missing_operations(total.kinds, has_erf)
        tests += 1
        failed += bool(missing)
        print('%sok %d - all operations are asked about%s' % ('not ' if missing else '', tests, ''.join('\n#   not ' + m for m in missing)))
    print('# %s' % ', '.join('%d %s' % (many, what) for what, many in sorted(total.counts.items())))
    for error, many in sorted(total.errors.items(), key=lambda e: -e[1]):
        print('# %d: %s  %s' % (many, error, total.last_error[error]))
    print('1..%d' % tests)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
