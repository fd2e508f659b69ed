#!/usr/bin/env python3
"""
falsify.py
	tools/verify_certificate_forms.py and the short tools/verify_certificate.py prove
	certificates that dpsens.certificate makes, and none that was falsified.  TAP.

Of the expressions below, of the cases of test/unit/reference_cases.h and of random ones,
certificates of all their quantities are made by a running server.  Each is checked by the
server and by the first program, and short ones of columns of reals by the second; then it is falsified in each way below that applies to it, so
that what it states is wrong or does not follow, and none of these may be proved.

VERIFIER_SEED and VERIFIER_RANDOM say which and how many random expressions, VERIFIER_MOST
how many certificates are falsified in each way.
"""
import copy
import json
import math
import os
import random
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
PROGRAM = os.path.join(ROOT, 'tools', 'verify_certificate_forms.py')
SHORT = os.path.join(ROOT, 'tools', 'verify_certificate.py')
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(PROGRAM))
try:
	import mpmath
except ImportError:
	print('1..0 # SKIP python3-mpmath is missing')
	sys.exit(0)
import verify_certificate as short_verifier
import verify_certificate_forms as verifier

SEED = int(os.environ.get('VERIFIER_SEED', '1'))
RANDOM = int(os.environ.get('VERIFIER_RANDOM', '40'))
MOST = int(os.environ.get('VERIFIER_MOST', '15'))
BOXES = 500
REAL = {'x': [0.5, 2], 'y': [-1, 1.5]}

# Every operation of src/expr/ops.def, types, NULL, choices.
FIXED = [
	('x + y - 3 * x * y', REAL), ('-x ^ 2 + 2 ^ 3 ^ y', REAL), ('x / (2 + y) - y / x', REAL), ('abs(y) * sign(x)', REAL), ('sign(y)', REAL),
	('x ^ y', REAL), ('x ^ 0.5 + x ^ (-1.5) + y ^ 3', REAL), ('sqrt(x) + cbrt(x) + cbrt(y)', REAL), ('exp(y) - ln(x) + log(x)', REAL),
	('sin(3 * x) + cos(y)', REAL), ('tan(y / 2) + cot(x)', REAL), ('asin(y / 2) + acos(x / 3) + atan(x * y)', REAL), ('atan2(y, x) + atan2(x, y - 3)', REAL),
	('sinh(y) + cosh(y) + tanh(x)', REAL), ('asinh(y) + acosh(1 + x) + atanh(y / 2)', REAL), 
	('erf(y) + erfc(x)', REAL),
	('floor(x) + ceil(y) * round(x) - trunc(3 * y)', REAL), ('greatest(x, y, 1) - least(x, y ^ 2)', REAL),
	('CASE WHEN x < 1 THEN x ELSE 2 * x - 1 END + y', REAL), ('CASE WHEN x > 1 AND NOT y <= 0 OR y = 1 THEN x * y ELSE x END', REAL),
	('CASE WHEN y <> 0 THEN x ELSE y END', REAL), ('x * (0.1 * 3) + (0.7 - 0.1) * y * 0.3 * 0.7', REAL), ('x ^ 2 / (1 + x ^ 2) + 0.3 * y ^ 3', REAL), ('x * (1 - x) * y', REAL),
	('round(q, 1) + trunc(q, 2) + round(q) + div(q, 0.7) + q % 0.3', {'q': {'range': [0.5, 3], 'type': 'numeric'}}),
	('i / 2 + i % 3 - i * k', {'i': {'range': [-5, 9], 'type': 'integer'}, 'k': {'range': [1, 4], 'type': 'smallint'}}),
	('i / k + abs(i)', {'i': {'range': [-5, 9], 'type': 'bigint'}, 'k': {'range': [2, 4], 'type': 'integer'}}),
	('x * i + i ^ 2', {'x': [0, 1], 'i': {'range': [-2, 3], 'type': 'integer', 'weight': 2}}),
	('r * 0.1 + r ^ 2', {'r': {'range': [0, 2], 'type': 'real'}}),
	('coalesce(x, 3) + y', {'x': {'range': [0, 1], 'nullable': True}, 'y': [0, 1]}),
	('coalesce(x, y, 5)', {'x': {'range': [0, 1], 'nullable': True}, 'y': {'range': [2, 3], 'nullable': True}}),
	('x * y', {'x': {'range': [0, 1], 'nullable': True}, 'y': {'range': [2, 3], 'public': True, 'nullable': True}}),
	('greatest(x, y) + least(x, 7)', {'x': {'range': [0, 1], 'nullable': True}, 'y': [0.5, 3]}),
	('CASE WHEN x IS NULL THEN 9 ELSE x END', {'x': {'range': [0, 1], 'nullable': True}}), ('CASE WHEN x > 0.5 THEN x END', {'x': [0, 1]}),
	('price * other + CASE WHEN smoker THEN 2 ELSE 1 END * coalesce(n, 0)', {'price': {'range': [0, 4], 'weight': 0.5}, 'other': {'range': [0, 3], 'public': True},
		'smoker': {'type': 'boolean', 'public': True}, 'n': {'range': [1.5, 7.5], 'type': 'smallint', 'nullable': True}}),
	('CASE WHEN b OR NOT c THEN x ELSE 1 - x END', {'b': {'type': 'boolean', 'nullable': True}, 'c': {'type': 'boolean'}, 'x': [0, 1]}),
	('"A b" / "say ""x"""', {'A b': {'range': [5, 7], 'nullable': True}, 'say "x"': [3, 4]}),
	('175 * scr ^ (-1.154) * age ^ (-0.203) * CASE WHEN female = 1 THEN 0.742 ELSE 1 END * CASE WHEN black THEN 1.212 ELSE 1 END',
		{'scr': [0.5, 8], 'age': {'range': [18, 90], 'type': 'integer', 'weight': 0.5}, 'female': {'range': [0, 1], 'type': 'smallint', 'weight': 3}, 'black': {'type': 'boolean'}}),
	('CASE WHEN age < 19 THEN 540 WHEN age < 41 THEN 300 ELSE 390 END + visits / 5', {'age': {'range': [0, 90], 'type': 'integer'}, 'visits': {'range': [0, 9], 'type': 'integer', 'nullable': True}}),
	('sqrt(visits) + x', {'visits': {'range': [0, 9], 'type': 'integer'}, 'x': [0, 1]}),
	('greatest(0, kwh - 100) * 0.30 + least(kwh, 100) * 0.10', {'kwh': [0, 400]}),
	('1 / (1 + exp(5 - 0.04 * age - 0.02 * (sbp - 120)))', {'age': [18, 90], 'sbp': [80, 220]}),
	('y * (1 + 0.3 * sin(2 * pi() * t / 365.25))', {'t': [0, 36525], 'y': [0, 10]}),
	('(x ^ 2 + y ^ 2) / 4000 - cos(x) * cos(y / sqrt(2)) + 1', {'x': [-600, 600], 'y': [-600, 600]}), ('x / 30 + sin(x)', {'x': [-60, 60]}), ('x / 30000 + sin(x) * cos(x + 1)', {'x': [0, 60000]}),
	('x / 9 + cos(2 * x) - 2 * sin(3 * x + y) + y / 9', {'x': [0, 70], 'y': [-50, 0]}),
	# quotients without a gap at 0
	('CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END', {'x': [-1, 1]}), ('CASE WHEN x <> 0 THEN sin(2 * x) / x ELSE 2 END', {'x': [-1, 7]}),
	('CASE WHEN r > 0 THEN (1 - exp(-r * t)) / r ELSE t END', {'r': [0, 0.2], 't': [0, 30]}), ('CASE WHEN x = 0 THEN 0.5 ELSE (1 - cos(x)) / x ^ 2 END + y', {'x': [-2, 5], 'y': [0, 1]}),
	('CASE WHEN x <> 0 THEN ln(1 + x) / x ELSE 1 END', {'x': [-0.5, 3]}), ('CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END', {'x': {'range': [0, 2], 'nullable': True}}),
]
tests = failures = 0


def ok(passed, name, *details):
	global tests, failures
	tests += 1
	failures += not passed
	print('%sok %d - %s' % ('' if passed else 'not ', tests, name))
	for d in () if passed else details[:20]:
		print('# ' + str(d)[:400])


def references():
	"""Expressions and ranges of the C header."""
	with open(os.path.join(ROOT, 'test', 'unit', 'reference_cases.h'), encoding='utf-8') as file:
		text = file.read()
	for case in re.split(r'\n(?=\{"[A-Z]\d+", ")', text)[1:]:
		sql = re.match(r'\{"[A-Z]\d+", "((?:[^"\\]|\\.)*)"', case).group(1)
		columns = re.findall(r'^  \{"(\w+)", ([^,]+), ([^,]+), (true|false),', case, re.M)
		yield sql, {c: {'range': [float(lo), float(hi)], **({'type': 'integer'} if whole == 'true' else {})} for c, lo, hi, whole in columns}


def random_case(r):
	ranges = {}
	for c in 'xyz'[:r.randint(1, 3)]:
		type = r.choice(['float8'] * 4 + ['integer', 'smallint', 'numeric'])
		lo = r.choice([-3, -1, 0, 0.5, 2])
		ranges[c] = {'range': [math.floor(lo), math.floor(lo) + r.randint(1, 5)] if type in ('integer', 'smallint') else [lo, lo + r.choice([0.5, 1, 3])],
					 'type': type, 'nullable': r.random() < 0.2, 'public': r.random() < 0.15, 'weight': r.choice([1, 1, 1, 0.5, 2])}

	def column():
		return r.choice(sorted(ranges))

	def condition(d):
		return r.choice([lambda: '%s %s %s' % (term(d), r.choice(['<', '<=', '>', '>=', '=', '<>']), term(0)), lambda: column() + ' IS NULL',
						 lambda: '(%s %s NOT %s)' % (condition(0), r.choice(['AND', 'OR']), condition(0))])()

	def term(d):
		if d <= 0 or r.random() < 0.1:
			return r.choice([column(), column(), r.choice(['1', '2', '3', '0.1', '0.3', '2.5', '7'])])
		t = lambda: term(d - 1)
		return r.choice([
			lambda: '(%s + %s)' % (t(), t()), lambda: '(%s - %s)' % (t(), t()), lambda: '(%s * %s)' % (t(), t()), lambda: '(%s)^%d' % (t(), r.randint(2, 4)),
			lambda: '%s / (1 + (%s)^2)' % (t(), t()), lambda: '%s(%s)' % (r.choice(['sin', 'cos', 'atan', 'tanh', 'asinh', 'erf', 'abs', 'cbrt', 'floor', 'round']), t()),
			lambda: 'exp(%s / 4)' % t(), lambda: 'ln(1.5 + abs(%s))' % t(), lambda: 'sqrt(1 + abs(%s))' % t(),
			lambda: '%s(%s, %s)' % (r.choice(['greatest', 'least', 'coalesce']), column(), t()),
			lambda: 'CASE WHEN %s THEN %s ELSE %s END' % (condition(d - 1), t(), t()), lambda: '-' + column()])()
	return term(r.choice([2, 3])), ranges


MAKE = '''
CREATE FUNCTION pg_temp.certify(e text, r jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE good text[] := '{}'; q text; c jsonb;
BEGIN
	FOR q IN SELECT quantity FROM dpsens.sensitivity(e, r) WHERE isfinite(upper) AND isfinite(lower) LOOP
		BEGIN
			PERFORM dpsens.certificate(e, r, ARRAY[q], %d);
			good := good || q;
		EXCEPTION WHEN numeric_value_out_of_range THEN NULL;
		END;
	END LOOP;
	c := dpsens.certificate(e, r, good, %d);
	RETURN jsonb_build_object('document', c, 'wrong', (SELECT jsonb_agg(v) FROM dpsens.verify_certificate(c) v WHERE NOT valid));
EXCEPTION WHEN OTHERS THEN RETURN jsonb_build_object('error', SQLERRM);
END $$;
'''.replace('isfinite(upper)', "upper < 'Infinity'").replace('isfinite(lower)', "lower > '-Infinity'") % (BOXES, BOXES)


def make(cases):
	"""One answer of the server for each case."""
	sql = "SET client_min_messages = error;\nCREATE EXTENSION IF NOT EXISTS dpsens;\n" + MAKE
	for e, r in cases:
		sql += "SELECT pg_temp.certify($e$%s$e$, $r$%s$r$);\n" % (e, json.dumps(r))
	answer = subprocess.run(['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1'], input=sql, capture_output=True, text=True, check=False)
	if answer.returncode:
		print('Bail out! psql: %s' % answer.stderr)
		sys.exit(1)
	return [json.loads(line) for line in answer.stdout.splitlines()]


def verdicts(document, only=None, program=verifier):
	"""Of all quantities, or of some."""
	if only:
		document['quantities'] = {q: document['quantities'][q] for q in only}
	try:
		return {r[0]: (r[1], r[2]) for r in program.verify(json.dumps(document))}
	except program.Malformed as e:
		return {'': ('malformed', str(e))}


# ---- Falsifications: each changes a copy, and says which quantity must not be proved any
# more; None if it does not apply to the document.

OF_VALUE = {'value': ('supremum', 'add_remove', 'replace'), 'negated_value': ('infimum', 'add_remove', 'replace'),
			'steepness': ('metric',), 'steepness_sum': ('metric_l1',), 'steepest': ('metric_linf',), 'continuity': ('metric', 'metric_l1', 'metric_linf')}
METRICS = OF_VALUE['continuity']
OF_VALUE['step_down'] = OF_VALUE['step_up'] = METRICS


def resting_on(part, document):
	kind, _, column = part.partition(':')
	names = OF_VALUE.get(kind) or (('attribute:' + column,) if kind == 'move' else ('slope:' + column,))
	if kind == 'move' and column in document.get('steps', []) and document['ranges'][column].get('type') == 'boolean':
		names += METRICS
	return [q for q in names if q in document['quantities']]


def down(x):
	return math.nextafter(x, -math.inf)


def lower_quantity(d, name, p, r):
	q = r.choice(sorted(d['quantities']))
	if q == 'infimum':
		d['quantities'][q]['lower'] = math.nextafter(d['quantities'][q]['lower'], math.inf)
	else:
		d['quantities'][q]['upper'] = down(d['quantities'][q]['upper'])
	return [q]


def lower_part(d, name, p, r):
	"""Below what is reached at the witness, wherever the bound is stated."""
	if p.get('lower') is None:
		return None
	new = down(p['lower'])
	for box in p['boxes']:
		if box.get('upper') is not None:
			box['upper'] = min(box['upper'], new)
	p['upper'] = new
	del p['lower'], p['witness']
	for q in d['quantities'].values():
		q['lower'] = None
	return resting_on(name, d)


def lower_box(d, name, p, r):
	"""Below the value at its middle."""
	boxes = [b for b in p['boxes'] if b.get('upper') is not None]
	claim = verifier.Document(d).claim(name)
	if not boxes:
		return None
	box = r.choice(boxes)
	row = {}
	for c, x in zip(p['columns'], box['box']):
		at = box.get('face', {}).get(c, None if x is None else x[0])
		row[c] = (None, None, 2) if at is None else (float(at), float(at), 0)
	seen = verifier.Look(row).at(claim.node)
	if not seen.defined or seen.null or seen.value is None:
		return None
	box['upper'] = down(float(verifier.fraction(seen.value[0])))
	return resting_on(name, d)


def remove_box(d, name, p, r):
	del p['boxes'][r.randrange(len(p['boxes']))]
	return resting_on(name, d)


def remove_box_and_step(d, name, p, r):
	steps = [i for i, s in enumerate(p['tree']) if s is None]
	k = r.randrange(len(steps))
	del p['tree'][steps[k]], p['boxes'][k]
	return resting_on(name, d)


def shift_box(d, name, p, r):
	ranges = [x for b in p['boxes'] for x in b['box'] if x is not None]
	x = r.choice(ranges)
	k = r.randrange(2)
	x[k] = math.nextafter(x[k], math.inf if k == 0 else -math.inf)
	return resting_on(name, d)


def move_cut(d, name, p, r):
	cuts = [s for s in p['tree'] if s and 'cut' in s]
	if not cuts:
		return None
	cut = r.choice(cuts)
	cut['at'] = math.nextafter(cut['at'], math.inf)
	return resting_on(name, d)


def turn_face(d, name, p, r):
	faces = [s for s in p['tree'] if s and 'face' in s]
	if not faces:
		return None
	face = r.choice(faces)['face']
	c = r.choice(sorted(face))
	face[c] = 'lo' if face[c] == 'hi' else 'hi'
	return resting_on(name, d)


def witness_outside(d, name, p, r):
	places = [i for i, x in enumerate(p.get('witness') or []) if x is not None]
	if not places:
		return None
	i = r.choice(places)
	p['witness'][i] = 1e6
	return resting_on(name, d)


def raise_lower(d, name, p, r):
	"""A witness that does not reach what it is said to."""
	if p.get('lower') is None:
		return None
	p['lower'] += 1e-6 * (1 + abs(p['lower']))
	return resting_on(name, d)


def change_constant(d, name, p, r):
	"""One unit in the last place, in the expression alone."""
	places = list(re.finditer(r'(?<![\w."])\d+(\.\d+)?(e-?\d+)?(?![\w."])', d['expression']))
	if not places:
		return None
	m = r.choice(places)
	d['expression'] = d['expression'][:m.start()] + repr(math.nextafter(float(m.group()), math.inf)) + d['expression'][m.end():]
	return [q for q in ('supremum', 'add_remove', 'replace') if q in d['quantities']]


def raise_expression(d, name, p, r):
	"""By a little, wherever it is stated."""
	if 'supremum' not in d['quantities'] or d['parts']['value'].get('lower') is None:
		return None
	top = d['parts']['value']['upper']
	d['expression'] = '(%s) + %r' % (d['expression'], 1e-9 + 2e-3 * abs(top) + top - d['parts']['value']['lower'])
	for part in d['parts'].values():
		part['expression'] = None
	return ['supremum']


def widen_range(d, name, p, r):
	c = r.choice(sorted(d['ranges']))
	if 'range' not in d['ranges'][c]:
		return None
	d['ranges'][c]['range'][1] += 1
	return sorted(d['quantities'])


def halve_weight(d, name, p, r):
	if 'metric' not in d['quantities'] or not d['quantities']['metric']['lower']:
		return None
	for c in d['ranges'].values():
		c['weight'] = c.get('weight', 1) / 2
	return ['metric']


def forget_step(d, name, p, r):
	"""A column that jumps, as if it moved along a line."""
	if not d.get('steps'):
		return None
	d['steps'].remove(r.choice(d['steps']))
	return [q for q in METRICS if q in d['quantities']]


def real_step(d, name, p, r):
	"""A column of reals that is said to move by steps."""
	reals = [c for c, x in d['ranges'].items() if x.get('type', 'float8') not in ('smallint', 'integer', 'bigint', 'boolean')]
	metrics = [q for q in METRICS if q in d['quantities']]
	if not reals or not metrics:
		return None
	d['steps'] = d.get('steps', []) + [r.choice(sorted(reals))]
	return metrics


def leave_null_out(d, name, p, r):
	"""The tree below the column that is not NULL, in the place of both."""
	places = [i for i, s in enumerate(p['tree']) if s and 'null' in s]
	if not places:
		return None
	i = places[-1]
	def end(k):						# after the region that begins here
		waiting = 1
		while waiting:
			s = p['tree'][k]
			waiting += 1 if s and ('cut' in s or 'null' in s) else -1 if s is None else 0
			k += 1
		return k
	first, second = end(i + 1), end(end(i + 1))
	before = p['tree'][:first].count(None)
	del p['boxes'][before:p['tree'][:second].count(None)]
	p['tree'][i:second] = p['tree'][i + 1:first]
	return resting_on(name, d)


def claim_nullable(d, name, p, r):
	"""A NULL that the proof does not know of, in a row that has a value then."""
	f = verifier.Document(d).f
	columns = [c for c in sorted(f.names) if not d['ranges'][c].get('nullable') and c not in verifier.strict(f)]
	if not columns:
		return None
	d['ranges'][r.choice(columns)]['nullable'] = True
	return [q for q in ('supremum', 'infimum') if q in d['quantities']]


def not_plain(d, name, p, r):
	p['form'] = r.choice(['rewritten', 'affine', 'scored'])
	return resting_on(name, d)


def other_method(d, name, p, r):
	b = r.choice(p['boxes'])
	b['by'] = {'interval': 'null', 'mean value': 'quadratic', 'null': 'cover', 'phase': 'interval', 'continuity': 'interval'}[b['by']]
	return resting_on(name, d)


def ends_swapped(d, name, p, r):
	c = r.choice(sorted(d['ranges']))
	if 'range' not in d['ranges'][c] or d['ranges'][c]['range'][0] == d['ranges'][c]['range'][1]:
		return None
	d['ranges'][c]['range'].reverse()
	return ['']


def narrow_turn(d, name, p, r):
	"""A turn that leaves out what has the phase."""
	turns = [s for s in p['tree'] if s and 'turn' in s]
	if not turns:
		return None
	turn = r.choice(turns)['to']
	turn[0] = turn[0] + (turn[1] - turn[0]) * 0.01
	return resting_on(name, d)


def shorten_phase(d, name, p, r):
	"""Less than a period."""
	if not p.get('phases'):
		return None
	phase = r.choice(sorted(p['phases']))
	p['phases'][phase]['range'][1] -= 1e-6
	return resting_on(name, d)


def other_phase(d, name, p, r):
	"""A box with values, as one whose phase no value has."""
	if not p.get('phases'):
		return None
	k = r.choice([i for i, b in enumerate(p['boxes']) if b['by'] != 'phase'])
	p['boxes'][k]['by'] = 'phase'
	del p['boxes'][k]['upper']
	return resting_on(name, d)


def version_changed(d, name, p, r):
	d['version'] = 2
	return ['']


WAYS = [lower_quantity, lower_part, lower_box, remove_box, remove_box_and_step, shift_box, move_cut, turn_face, witness_outside, raise_lower, change_constant,
		raise_expression, widen_range, halve_weight, forget_step, real_step, leave_null_out, claim_nullable, not_plain, other_method, ends_swapped, narrow_turn, shorten_phase, other_phase, version_changed]


def falsify(way, document, r, program=verifier):
	"""(What was changed, what is proved nevertheless), or None."""
	proved = [n for n in sorted(document['parts']) if document['parts'][n]['form'] in verifier.PLAIN]
	r.shuffle(proved)
	for name in proved:
		d = copy.deepcopy(document)
		must = way(d, name, d['parts'][name], r)
		if must:
			found = verdicts(d, must if must != [''] else None, program)
			return name, [q for q in must if found.get(q, ('', ''))[0] == 'proved']
	return None


def main():
	sys.setrecursionlimit(100000)
	r = random.Random(SEED)
	print('# VERIFIER_SEED=%d' % SEED)
	cases = FIXED + list(references()) + [random_case(r) for _ in range(RANDOM)]
	answers = make(cases)
	documents = [a['document'] for a in answers if 'document' in a]
	errors = ['%s: %s' % (c, a['error']) for c, a in zip(cases, answers) if 'error' in a]
	# there is no erf before PostgreSQL 16
	fixed = [e for e, a in zip(cases[:len(FIXED)], answers) if 'error' in a and 'function erf' not in a['error']]
	ok(not fixed, 'certificates of the expressions with every operation are made', *errors)
	ok(len(documents) >= 0.8 * len(cases), '%d certificates of %d expressions are made' % (len(documents), len(cases)), *errors)
	wrong = ['%s: %s' % (a['document']['expression'], a['wrong']) for a in answers if a.get('wrong')]
	ok(not wrong, 'the server finds each of them valid, whatever was asked for together', *wrong)
	refused, count = [], {'proved': 0, 'not checked': 0, 'refused': 0, 'malformed': 0}
	chosen = sum('document' in a for a in answers[:len(cases) - RANDOM])
	for i, d in enumerate(documents):
		for q, (verdict, reason) in verdicts(d).items():
			count[verdict] += 1
			if verdict in ('refused', 'malformed'):
				refused.append('' if i >= chosen else 'chosen')
				print('# %s of %s, %s: %s' % (q, d['expression'], json.dumps(d['ranges']), reason))
	ok('chosen' not in refused, 'the program refuses none that were chosen')
	ok(len(refused) <= 0.005 * count['proved'], 'its enclosures do not confirm %d of the random ones' % len(refused))
	ok(count['proved'] > 8 * count['not checked'], '%d quantities are proved, %d are not checked' % (count['proved'], count['not checked']))
	# what takes long to be proved takes longer to be refused
	short = [d for d in documents if sum(len(p['boxes']) for p in d['parts'].values()) <= (1000 if any('phases' in p for p in d['parts'].values()) else 100)]
	for way in WAYS:
		done, passed = 0, []
		for d in r.sample(short, len(short)):
			if done == MOST:
				break
			result = falsify(way, d, r)
			if result is not None:
				done += 1
				if result[1]:
					passed.append('%s of %s, %s: %s' % (result[0], d['expression'], json.dumps(d['ranges']), result[1]))
		ok(done and not passed, '%s: %d certificates, none of which is proved' % (way.__name__.replace('_', ' '), done), '%d are' % len(passed), *passed)
	check_means(r)
	check_short(documents, r)
	check_program(documents)
	print('1..%d' % tests)
	sys.exit(failures > 0)


# What the short program does not look at: the expression that a part states.
NOT_OF_SHORT = (change_constant,)


def short_enclosures(documents, r):
	"""What the short program's enclosures leave out: values, derivatives and second ones at random rows, as differences of values say them."""
	missed, step = [], mpmath.mpf(2) ** -30
	def at(region, node):
		return short_verifier.Look(region).at(node)
	for d in documents:
		ranges = {c: short_verifier.read_range(c, x) for c, x in d['ranges'].items()}
		node = short_verifier.Parser(d['expression'], ranges).node
		for _ in range(5):
			row = {c: r.uniform(lo, hi) for c, (lo, hi, _, _) in ranges.items()}
			box = {c: (max(lo, row[c] - r.random() * (hi - lo) / 9), min(hi, row[c] + r.random() * (hi - lo) / 9)) for c, (lo, hi, _, _) in ranges.items()}
			try:
				value, slopes, seconds = at(box, node)
				points = [{c: (x, x) for c, x in {**row, c: row[c] + k * step}.items()} for c in row for k in (-1, 1)]
				here, around = at({c: (x, x) for c, x in row.items()}, node), [at(p, node) for p in points]
			except short_verifier.Undefined:
				continue
			wide = lambda x: x + short_verifier.interval(-1, 1) * mpmath.mpf(2) ** -20 * (1 + short_verifier.absolute(x)[0])
			if here[0] not in value:
				missed.append('%s at %s' % (d['expression'], row))
			for i, c in enumerate(row):
				low, high = around[2 * i], around[2 * i + 1]
				zero = short_verifier.ZERO
				if mpmath.mpf(((high[0] - low[0]) / (2 * step)).mid) not in wide(slopes.get(c, zero)):
					missed.append('by %s: %s at %s' % (c, d['expression'], row))
				for e in row:
					if mpmath.mpf(((high[1].get(e, zero) - low[1].get(e, zero)) / (2 * step)).mid) not in wide(seconds.get((c, e), zero)):
						missed.append('by %s and %s: %s at %s' % (c, e, d['expression'], row))
	return missed


def check_short(documents, r):
	"""The short program proves what is plain, of columns of reals, says what it does not check, and proves nothing false."""
	with open(SHORT, encoding='utf-8') as file:
		code = file.read().split('"""', 2)[2].split('\n')
	ok(sum(bool(line.strip()) and not line.strip().startswith('#') for line in code) <= 300, 'the short program has no more than 300 lines below its head')
	imports = {line.split()[1] for line in code if line.startswith(('import ', 'from '))}
	ok(imports <= {'json', 'math', 're', 'sys', 'fractions', 'mpmath'}, 'it needs the standard library and mpmath alone', imports)
	short_verifier.PIECES = 60
	few = [d for d in documents if sum(len(p['boxes']) for p in d['parts'].values()) <= 40]
	count, plain, told = {'proved': 0, 'refused': 0, 'not checked by this verifier': 0}, [], []
	for d in few[:60]:
		of_short = verdicts(copy.deepcopy(d), None, short_verifier)
		for q, (verdict, reason) in of_short.items():
			count[verdict] += 1
			if verdict == 'refused':
				print('# %s of %s: %s' % (q, d['expression'], reason))
			told += [reason] if verdict.startswith('not') and not reason else []
		if all(v[0] == 'proved' or q in ('metric_l1', 'metric_linf') for q, v in of_short.items()):
			plain.append(d)
	ok(count['proved'] >= 40 and count['refused'] <= 0.1 * count['proved'], 'it proves %(proved)d quantities and does not confirm %(refused)d' % count)
	ok(count['not checked by this verifier'] and not told, 'it says why it does not check %d' % count['not checked by this verifier'])
	for way in WAYS:
		done, passed = 0, []
		for d in r.sample(plain, len(plain)) if way not in NOT_OF_SHORT else []:
			if done == 4:
				break
			result = falsify(way, d, r, short_verifier)
			if result is not None:
				done += 1
				if result[1]:
					passed.append('%s of %s, %s: %s' % (result[0], d['expression'], json.dumps(d['ranges']), result[1]))
		ok(not passed, 'short: %s: %d certificates, none of which is proved' % (way.__name__.replace('_', ' '), done), *passed)
	own = [{'expression': '%s(x * y) ^ 3 / (2 + y) - x' % f, 'ranges': {'x': [0.5, 2], 'y': [0.1, 1]}} for f in short_verifier.FUNCTIONS if f != 'abs']
	missed = short_enclosures(own + [d for d in plain if 'abs' not in d['expression']][:25], r)
	ok(len(plain) >= 10 and not missed, 'short: enclosures hold values and derivatives at random rows', *missed)
	wrong = copy.deepcopy(plain[0])
	wrong['expression'] = '(%s) * 1.01 + 1' % wrong['expression']
	ok('proved' not in [v[0] for q, v in verdicts(wrong, None, short_verifier).items() if not q.startswith(('slope', 'attribute', 'replace'))], 'short: another expression')
	small = json.dumps(min(plain, key=lambda d: len(json.dumps(d))))
	run = lambda text: subprocess.run([sys.executable, SHORT], input=text, capture_output=True, text=True, check=False)
	values = json.loads(small)
	values['quantities'] = {q: v for q, v in values['quantities'].items() if q in ('supremum', 'infimum')}
	ok(run(json.dumps(values)).returncode == 0, 'short: exit status 0')
	values['parts']['value']['form'] = 'affine'
	ok(run(json.dumps(values)).returncode == 2 and 'value: its form is affine' in run(json.dumps(values)).stdout, 'short: exit status 2')
	del values['parts']['negated_value']['boxes'][0]
	ok(run(json.dumps(values)).returncode == 1, 'short: exit status 1')
	ok(run('{}').returncode == 3 and run(small[:-1]).returncode == 3 and 'Traceback' not in run('[1]').stderr, 'short: exit status 3')


def check_means(r):
	"""Means of exp and cos between 0 and x, and their derivatives, by the integrals that they are."""
	raw = lambda lo, hi: (verifier.from_float(lo), verifier.from_float(hi))
	missed, wide = [], []
	for op, (wave, n) in verifier.MEANS.items():
		g = [mpmath.cos, lambda t: -mpmath.sin(t), lambda t: -mpmath.cos(t), mpmath.sin][n % 4] if wave else mpmath.exp
		enclose = verifier.FUNCTIONS[op][1]
		for size in (1e-9, 0.5, 1.5, 3, 4, 8, 15, 30):
			lo = r.choice([r.uniform(-size, size), 0.0, -size])
			hi = lo + size * r.choice([0, 1e-9, 0.01, 0.3, 1])
			box = enclose(raw(lo, hi))
			for x in (lo, hi, r.uniform(lo, hi), r.uniform(lo, hi)):
				value = mpmath.quad(lambda s: s ** n * g(s * x), mpmath.linspace(0, 1, 5), method='gauss-legendre', maxdegree=4)
				slack = mpmath.mpf(10) ** -30 * (1 + abs(value))
				if not mpmath.mp.make_mpf(box[0]) - slack <= value <= mpmath.mp.make_mpf(box[1]) + slack:
					missed.append('%s at %r of [%r, %r]: %s' % (op, x, lo, hi, value))
			if mpmath.mp.make_mpf(box[1]) - mpmath.mp.make_mpf(box[0]) > 2 * (hi - lo) * (1 if wave else mpmath.exp(max(hi, 0))) + mpmath.mpf(2) ** -60 * (1 + mpmath.exp(max(hi, 0))):
				wide.append('%s on [%r, %r]' % (op, lo, hi))
	ok(not missed, 'means of exp and cos are within their enclosures', *missed)
	ok(not wide, 'and these are not wide', *wide)
	types = {'x': 'float8', 'y': 'float8', 'i': 'int4'}
	others = ('CASE WHEN x = 0 THEN 2 ELSE sin(x) / x END', 'CASE WHEN x = 0 THEN 1 ELSE sin(x) / y END', 'CASE WHEN y = 0 THEN 1 ELSE sin(x) / x END',
			  'CASE WHEN x = 0 THEN 1 ELSE sin(y) / x END', 'CASE WHEN x = 1 THEN 1 ELSE sin(x) / x END', 'CASE WHEN x <> 0 THEN 1 ELSE sin(x) / x END',
			  'CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 2) / x END', 'CASE WHEN x = 0 THEN 1 ELSE (1 - exp(x)) / x END', 'CASE WHEN x = 0 THEN 1 ELSE exp(x) / x END',
			  'CASE WHEN x = 0 THEN 1 ELSE (sin(x) - 1) / x END', 'CASE WHEN i = 0 THEN 1 ELSE (exp(i) - 1) / i END', 'CASE WHEN x = 0 THEN 1 ELSE x / sin(x) END')
	read = lambda text: verifier.Parser(text, types).whole().op
	ok([read(o) for o in others] == ['case'] * len(others) and read('CASE WHEN x = 0 THEN 1 ELSE sin(x) / x END') == 'mean cos 0' and
	   read('CASE WHEN x * y = 0 THEN 1 ELSE (exp(x * y) - 1) / (x * y) END') == 'mean exp 0', 'other quotients are not taken for them', *map(read, others))


def check_program(documents):
	"""As it is called."""
	def run(text, *arguments):
		return subprocess.run([sys.executable, PROGRAM, *arguments], input=text, capture_output=True, text=True, check=False)
	documents = sorted(documents, key=lambda d: len(json.dumps(d)))
	right = json.dumps(next(d for d in documents if all(v[0] == 'proved' for v in verdicts(d).values())))
	partly = next(d for d in documents if any(v[0] == 'not checked' for v in verdicts(d).values()))
	ok(run(right).returncode == 0 and 'proved' in run(right).stdout, 'exit status 0 where all is proved')
	ok(run(json.dumps(partly)).returncode == 2 and 'not checked' in run(json.dumps(partly)).stdout, 'exit status 2 where something is not checked')
	wrong = json.loads(right)
	lower_quantity(wrong, None, None, random.Random(1))
	ok(run(json.dumps(wrong)).returncode == 1 and 'refused' in run(json.dumps(wrong)).stdout, 'exit status 1 where one is refused')
	for text in ('', '[]', '{}', right[:-1], right.replace('"version": 1', '"version": 1, "version": 1'), right.replace('"version": 1', '"version": NaN')):
		ok(run(text).returncode == 3 and 'malformed' in run(text).stderr and 'Traceback' not in run(text).stderr, 'exit status 3 for %s' % (text[:20] or 'nothing'))
	ok(run('', '/nonexistent').returncode == 3, 'exit status 3 where there is no file')
	ok('usage' in run('', '--help').stdout, 'it says how it is used')


if __name__ == '__main__':
	main()
