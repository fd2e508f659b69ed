#!/usr/bin/env python3
"""
verify_certificate.py
	Checks plain parts of a certificate of dpsens.certificate, by the standard library and mpmath.

	usage: verify_certificate.py [FILE]		(or the JSON on standard input)

Of the document it believes only "expression" and "ranges", which say what is claimed: compare these
with the ones that were meant.  It reads the expression, follows the tree of cuts and faces to the
boxes, bounds what each part is about on each of them by intervals of its own (mpmath.iv, 100 bits),
with derivatives beside the values, and compares.  One line a quantity: "proved"; "refused", with what
is wrong or could not be confirmed; or "not checked by this verifier", with what is beyond it (forms
that are not plain, integers, truth values, NULL, CASE, steps): verify_certificate_forms.py knows more.
Exit status: 0 if all are proved, 1 if one is refused, 2 if something is not checked, 3 if malformed.
"""
import json
import math
import re
import sys
from fractions import Fraction
from mpmath import iv, mp

iv.prec, mp.prec, PIECES = 100, 160, 300		# pieces of a box, where our enclosure is wider than the document's
# It does not prove what it states; what is beyond this verifier; no certificate; not proved to be defined and finite on a box.
Refused, NotChecked, Malformed, Undefined = (type(name, (Exception,), {}) for name in ('Refused', 'NotChecked', 'Malformed', 'Undefined'))

# ---- Expressions: ('col', name), ('num', value), (operation, arguments...).  A constant is the
# double nearest to what is written.
TOKEN = re.compile(r'\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|"((?:[^"]|"")*)"|([A-Za-z_]\w*)|((?!--)(?:::|[-+*/^(),]))|(\S.*))')		# -- begins a comment
BINDS = {'+': 1, '-': 1, '*': 2, '/': 2, '^': 3}		# all from the left; a sign binds tighter
class Parser:
	def __init__(self, text, columns):
		self.columns, self.at = columns, 0
		self.tokens = [('number', n) if n else ('word', w.lower()) if w else ('sign', s) if s else ('other', o) if o else ('name', q.replace('""', '"'))
					   for n, q, w, s, o in TOKEN.findall(text)] + [('end', '')]
		self.node = self.level(1)
		self.need(self.tokens[self.at][0] == 'end')
	def need(self, found):
		if not found:
			raise NotChecked('the expression at "%s"' % self.tokens[self.at][1])
	def take(self, sign):
		self.at += (found := self.tokens[self.at] == ('sign', sign))
		return found
	def level(self, n):
		x = self.operand()
		while self.tokens[self.at][0] == 'sign' and BINDS.get(self.tokens[self.at][1], 0) >= n:
			op = self.tokens[self.at][1]
			self.at += 1
			y = self.level(BINDS[op] + 1)
			self.need(y[0] == 'num' if op == '^' else x[0] != 'num' or y[0] != 'num')		# 1 / 2 is 0, and 0.1 * 3 is decimal
			x = (op, x, y)
		return x
	def operand(self):
		if self.take('-'):
			x = self.operand()
			return ('num', -x[1]) if x[0] == 'num' else ('neg', x)
		(kind, value), self.at = self.tokens[self.at], self.at + 1
		if kind == 'number' or kind in ('word', 'name') and value in self.columns:
			x = ('num', Fraction(float(value))) if kind == 'number' else ('col', value)
		else:
			function = kind == 'word' and value in FUNCTIONS and self.take('(')
			self.need(function or (kind, value) == ('sign', '('))
			x = self.level(1)
			self.need(self.take(')') and (not function or x[0] != 'num'))
			x = (value, x) if function else x
		while self.tokens[self.at:self.at + 3] == [('sign', '::'), ('word', 'double'), ('word', 'precision')]:
			self.at += 3
		return x
def columns_of(node):
	return {node[1]} if node[0] == 'col' else {c for a in node[1:] if isinstance(a, tuple) for c in columns_of(a)}
def replaced(node, column, other):
	return ('col', other) if node == ('col', column) else tuple(replaced(a, column, other) if isinstance(a, tuple) else a for a in node)
def moved(node, column, other):
	"""The node less the node with another column in the place of one, without the terms that do not move."""
	op, x, y = (*node, None)[:3]
	if column not in columns_of(node):
		return ('num', Fraction(0))
	if op in '+-':
		return (op, moved(x, column, other), moved(y, column, other))
	if op in '*/' and column not in columns_of(y):
		return (op, moved(x, column, other), y)
	return ('*', x, moved(y, column, other)) if op == '*' and column not in columns_of(x) else ('-', node, replaced(node, column, other))

# ---- Intervals, and functions on them as (value, derivative, second derivative) ---------------
ZERO, ONE, ENTIRE = iv.mpf(0), iv.mpf(1), iv.mpf(['-inf', 'inf'])
def interval(lo, hi):
	return iv.mpf([mp.mpf(lo), mp.mpf(hi)])
def ends(x):
	return tuple(mp.make_mpf(end) for end in x._mpi_)		# of what is not known NaN, which compares as false
def ratio(q):
	return iv.mpf(q.numerator) / q.denominator
def inverse(x):
	return ENTIRE if 0 in x else 1 / x
def rising(function, x):
	"""mpmath promises no direction of functions: ends of 160 bits, moved outward by 2^-90 of themselves."""
	(a, b), slack = ends(x), mp.mpf(2) ** -90				# at 0 they are exact
	lo, hi = function(a), function(b)
	return interval(lo - abs(lo) * slack * (a != 0), hi + abs(hi) * slack * (b != 0))
def least(x, lo):
	if not lo <= ends(x)[0]:
		raise Undefined
	return x
def power(x, p):
	"""x ^ p of a constant p: whole, or of positive x."""
	if p.denominator == 1 and not (p < 0 and 0 in x):
		n = int(p)
		return tuple(ZERO if c == 0 else c * (ONE if k == 0 else x ** k if k > 0 else inverse(x ** -k)) for c, k in ((1, n), (n, n - 1), (n * (n - 1), n - 2)))
	least(x, 5e-324)
	value = power(iv.sqrt(x), 2 * p)[0] if p.denominator == 2 else rising(mp.exp, ratio(p) * rising(mp.ln, x))
	return value, ratio(p) * value / x, ratio(p * (p - 1)) * value / x ** 2
def absolute(x):
	(lo, hi) = ends(x)
	return (x, ONE, ZERO) if lo >= 0 else (-x, -ONE, ZERO) if hi <= 0 else (interval(0, max(-lo, hi)), interval(-1, 1), ZERO)
FUNCTIONS = {
	'sqrt': lambda x: (iv.sqrt(least(x, 0)), inverse(2 * iv.sqrt(x)), -inverse(4 * x * iv.sqrt(x))), 'abs': absolute, 'exp': lambda x: (rising(mp.exp, x),) * 3,
	'ln': lambda x: (rising(mp.ln, least(x, 5e-324)), 1 / x, -1 / x ** 2),
	'sin': lambda x: (iv.sin(x), iv.cos(x), -iv.sin(x)), 'cos': lambda x: (iv.cos(x), -iv.sin(x), -iv.cos(x)),
	'atan': lambda x: (rising(mp.atan, x), 1 / (1 + x ** 2), -2 * x / (1 + x ** 2) ** 2)}

class Look:
	"""Encloses an expression on a region: (value, {column: derivative}, {(column, column): second})."""
	def __init__(self, region):
		self.region, self.kinks = region, False
	def at(self, node):
		result = self.enclose(*node)
		if not (-sys.float_info.max <= ends(result[0])[0] and ends(result[0])[1] <= sys.float_info.max):
			raise Undefined			# where an intermediate result overflows, SQL raises an error
		return result
	def enclose(self, op, *args):
		if op == 'num':
			return ratio(args[0]), {}, {}
		if op == 'col':
			return interval(*self.region[args[0]]), {args[0]: ONE}, {}
		x = self.at(args[0])
		if op == 'neg':
			return self.composed(x, -x[0], -ONE, ZERO)
		if op in FUNCTIONS:
			self.kinks = self.kinks or op == 'abs' and ends(x[0])[0] < 0 < ends(x[0])[1]
			return self.composed(x, *FUNCTIONS[op](x[0]))
		if op == '^':
			return self.composed(x, *power(x[0], args[1][1]))
		y = self.at(args[1])
		if op == '*' and args[0] == args[1]:
			return self.composed(x, *power(x[0], Fraction(2)))
		if op in '*/':
			p = self.product(x, y if op == '*' else self.composed(y, *power(y[0], Fraction(-1))))
			return p if op == '*' else (x[0] / y[0], *p[1:])
		y = y if op == '+' else self.composed(y, -y[0], -ONE, ZERO)
		return x[0] + y[0], *({k: a.get(k, ZERO) + b.get(k, ZERO) for k in {**a, **b}} for a, b in zip(x[1:], y[1:]))
	def composed(self, x, value, first, second):
		return value, {c: first * s for c, s in x[1].items()}, {(c, d): first * x[2].get((c, d), ZERO) + second * x[1][c] * x[1][d] for c in x[1] for d in x[1]}
	def product(self, x, y):
		(a, g, h), (b, k, m), columns = x, y, {**x[1], **y[1]}
		return a * b, {c: g.get(c, ZERO) * b + a * k.get(c, ZERO) for c in columns}, {
			(c, d): h.get((c, d), ZERO) * b + a * m.get((c, d), ZERO) + g.get(c, ZERO) * k.get(d, ZERO) + g.get(d, ZERO) * k.get(c, ZERO)
			for c in columns for d in columns}

# ---- What parts are about, and their boxes ---------------------------------------------------
def numeric(x):
	if isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x):
		raise Malformed('a number is missing')
	return float(x)
def read_range(name, r):
	"""(lo, hi, weight, is it public)"""
	r = {'range': r} if isinstance(r, list) else r
	if not isinstance(r, dict) or set(r) - {'range', 'type', 'weight', 'public', 'nullable'} or not numeric(r.get('weight', 1)) > 0 or not isinstance(r.get('public', False), bool) or \
			not isinstance(r.get('range', []), list) or not (lambda lo, hi: lo <= hi)(*map(numeric, r.get('range', [0, 1]))):
		raise Malformed('the range of "%s"' % name)
	if r.get('nullable') or str(r.get('type', 'float8')).lower() not in ('float8', 'double precision', 'numeric'):
		raise NotChecked('the column "%s", of type %s%s' % (name, r.get('type', 'float8'), ' and nullable' * bool(r.get('nullable'))))
	return (*map(numeric, r['range']), numeric(r.get('weight', 1)), bool(r.get('public')))

class Part:
	"""A claim that something is at most `upper`, which its boxes prove, and attains `lower` at a witness."""
	def __init__(self, document, name):
		part = document['parts'].get(name)
		if not isinstance(part, dict) or not all(isinstance(part.get(k), list) for k in ('tree', 'boxes', 'columns')):
			raise Malformed('part "%s" is missing' % name)
		if part.get('form') != 'plain':
			raise NotChecked('%s: its form is %s' % (name, part.get('form')))
		self.kind, _, self.column = name.partition(':')
		ranges = {c: read_range(c, r) for c, r in document['ranges'].items()}
		self.root, self.f = {c: r[:2] for c, r in ranges.items()}, Parser(document['expression'], ranges).node
		self.weights = {c: ratio(Fraction(r[2])) for c, r in ranges.items() if not r[3]}
		self.private = columns_of(self.f) & set(self.weights)
		if self.kind == 'move':
			other = next('other' + '_' * n for n in range(100) if 'other' + '_' * n not in ranges)
			self.root[other], self.other, self.move = self.root[self.column], replaced(self.f, self.column, other), moved(self.f, self.column, other)
		self.names, self.boxes = part['columns'], part['boxes']
		self.lower, self.upper = (None if part.get(k) is None else numeric(part[k]) for k in ('lower', 'upper'))
		try:
			if sorted(self.names) != sorted(self.root) or (self.upper is None) != (self.kind == 'continuity'):
				raise Refused('its columns or its end are not those of such a part')
			if self.lower is not None:
				row = dict(zip(self.names, [numeric(x) for x in part['witness']], strict=True))
				if not all(lo <= row[c] <= hi for c, (lo, hi) in self.root.items()) or not ends(self.claim(Look({c: (x, x) for c, x in row.items()}))[0])[0] >= self.lower:
					raise Refused('the witness does not reach %r' % self.lower)
			self.follow(part['tree'])
		except (Refused, Undefined, AttributeError, KeyError, TypeError, ValueError, IndexError, StopIteration) as e:
			raise Refused('%s: %s' % (name, str(e) or 'a box is missing, or there is no value at the witness')) from e
	def claim(self, look):
		"""The value of what is bounded, and its derivatives; None for these where they do not say how it moves."""
		v, g, h = look.at(self.f)
		if self.kind == 'move':
			look.at(self.other)		# is defined, too
			return look.at(self.move)[:2]
		if self.kind in ('value', 'continuity', 'negated_value'):
			return (v, g) if self.kind != 'negated_value' else (-v, {c: -s for c, s in g.items()})
		slopes = {c: (g[c], {d: h.get((c, d), ZERO) for d in g}) for c in g}
		if self.kind in ('slope', 'negated_slope'):
			(s, of), sign = slopes.get(self.column, (ZERO, {})), 1 if self.kind == 'slope' else -1
			return sign * s, None if look.kinks else {c: sign * x for c, x in of.items()}
		steep = [(s / self.weights[c], {d: x / self.weights[c] for d, x in of.items()}) for c, (s, of) in slopes.items() if c in self.weights]
		if self.kind == 'steepness' and len(self.private) > 1:
			return sum((s ** 2 for s, _ in steep), ZERO), None if look.kinks else {d: sum(2 * s * of[d] for s, of in steep) for d in g}
		(s, of), = steep or [(ZERO, {})]
		size, sign, _ = absolute(s)
		return size, None if look.kinks else {d: sign * x for d, x in of.items()}
	def follow(self, tree):
		"""Regions come from the ranges and the cuts; each box must be the one that is left for it.
		`wide` is the region but for faces that are not confirmed: all of it has to be bounded then."""
		waiting, boxes = [(self.root,) * 3], iter(self.boxes)
		for step in tree:
			region, covered, wide = waiting.pop()
			if step is None:
				self.box(next(boxes), region, covered, wide)
			elif set(step) == {'face'}:
				face = {c: (region[c][('lo', 'hi').index(end)],) * 2 for c, end in step['face'].items()}
				signs = self.signs(wide)
				waiting.append(({**region, **face}, covered, {**wide, **{c: x for c, x in face.items() if signs.get(c) in ('flat', step['face'][c])}}))
			elif set(step) == {'cut', 'at'} and region[step['cut']][0] < numeric(step['at']) < region[step['cut']][1]:
				c, at = step['cut'], numeric(step['at'])
				waiting += [tuple({**r, c: to} for r in (region, covered, wide)) for to in ((at, region[c][1]), (region[c][0], at))]
			else:
				raise Refused('a step %s does not part its region' % json.dumps(step))
		if waiting or next(boxes, None) is not None:
			raise Refused('the boxes do not cover the ranges, or there are more')
	def box(self, box, region, covered, wide):
		upper = math.inf if self.kind == 'continuity' else numeric(box.get('upper'))
		stated = dict(zip(self.names, [tuple(numeric(x) for x in d) for d in box['box']], strict=True))
		if stated != covered or {**stated, **{c: (numeric(x),) * 2 for c, x in box.get('face', {}).items()}} != region or self.upper is not None and upper > self.upper or \
				box.get('by') not in (['continuity'] if self.kind == 'continuity' else ['interval', 'mean value']):
			raise Refused('a box is not what the cuts and faces leave for it, or reaches up to %r, by "%s"' % (upper, box.get('by')))
		self.bound(wide, upper)
	def signs(self, region):
		"""The end of each column's range where the value is greatest, if it is monotone there."""
		try:
			slopes = self.claim(Look(region))[1] or {}
			return {c: 'flat' if lo == hi == 0 else 'hi' if lo >= 0 else 'lo' if hi <= 0 else None for c, (lo, hi) in ((c, ends(s)) for c, s in slopes.items())}
		except Undefined:
			return {}
	def bound(self, region, upper):
		"""On the region or on parts that cover it: by values, where it is monotone at its end, or by the mean value theorem."""
		waiting, left = [region], PIECES
		while waiting:
			region = here = waiting.pop()
			while here and not self.below(here, upper):
				to = {c: (here[c][end != 'lo'],) * 2 for c, end in self.signs(here).items() if end and here[c][0] < here[c][1]}
				here = to and {**here, **to}
			if not here:
				c = max(region, key=lambda c: (region[c][1] - region[c][0]) / ((self.root[c][1] - self.root[c][0]) or 1))
				(lo, hi), left = region[c], left - 1
				if not (left and lo < lo / 2 + hi / 2 < hi):
					raise Refused('a box is not proved to stay below %r' % upper)
				waiting += [{**region, c: (lo, lo / 2 + hi / 2)}, {**region, c: (lo / 2 + hi / 2, hi)}]
	def centre(self, a, b, lo, hi):
		"""Where the mean value theorem says the most, for slopes from a to b."""
		return hi if a >= 0 else lo if b <= 0 else lo / 2 + hi / 2 if math.inf in (-a, b) else min(max(float(lo + (hi - lo) * (b / (b - a))), lo), hi)
	def below(self, region, upper):
		try:
			value, slopes = self.claim(Look(region))
			if ends(value)[1] <= upper or not slopes:
				return bool(ends(value)[1] <= upper)
			at = {c: self.centre(*ends(slopes.get(c, ONE)), *region[c]) for c in region}
			return bool(ends(self.claim(Look({c: (x, x) for c, x in at.items()}))[0] + sum(s * (interval(*region[c]) - at[c]) for c, s in slopes.items()))[1] <= upper)
		except Undefined:
			return False

# ---- Documents -----------------------------------------------------------------------------
VALUES = ['value', 'negated_value']
PARTS = {'infimum': VALUES[1:], 'supremum': VALUES[:1], 'add_remove': VALUES, 'replace': VALUES, 'metric': ['continuity', 'steepness'],
		 'attribute': ['move:'], 'slope': ['slope:', 'negated_slope:']}
def check(document, quantity, stated):
	kind, _, column = quantity.partition(':')
	if kind not in (*PARTS, 'metric_l1', 'metric_linf') or not isinstance(stated, dict) or (column in document['ranges']) != (kind in ('attribute', 'slope')):
		raise Malformed('"%s" is not a quantity' % quantity)
	if kind in ('metric_l1', 'metric_linf') or kind == 'metric' and document.get('steps'):
		raise NotChecked('other norms, and columns that move by whole steps')
	parts = [Part(document, p + column if p[-1] == ':' else p) for p in PARTS[kind]]
	low, high = (None if stated.get(k) is None else Fraction(numeric(stated[k])) for k in ('lower', 'upper'))
	if kind == 'infimum':
		low, high = None if high is None else -high, None if low is None else -low
	if kind == 'metric' and len(parts[0].private) > 1:		# its part is the square
		low, high = (x and x * abs(x) for x in (low, high))
	lows, highs = ([None if x is None else Fraction(x) for x in (getattr(p, k) for p in parts if p.kind != 'continuity')] for k in ('lower', 'upper'))
	lower, upper = (None if None in lows else sum(lows), sum(highs)) if kind == 'replace' else (max((x for x in lows if x is not None), default=None), max(highs))
	if kind not in ('infimum', 'supremum'):
		lower, upper = max(lower or 0, 0), max(upper, 0)
	if high is None or high < upper or low is not None and (lower is None or low > lower):
		raise Refused('its parts do not prove its ends')
	return sum(len(p.boxes) for p in parts)
def verify(text):
	"""A list of (quantity, verdict, reason, lower, upper)."""
	try:
		d, result = json.loads(text), []
	except ValueError as e:
		raise Malformed(str(e)) from e
	if not isinstance(d, dict) or (d.get('format'), d.get('version')) != ('dpsens certificate', 1) or not isinstance(d.get('expression'), str) or \
			not all(isinstance(d.get(k), dict) and d[k] for k in ('ranges', 'quantities', 'parts')):
		raise Malformed('it is not a dpsens certificate of version 1')
	for name, stated in d['quantities'].items():
		try:
			verdict, reason = 'proved', '%d boxes' % check(d, name, stated)
		except (Refused, NotChecked) as e:
			verdict, reason = 'refused' if isinstance(e, Refused) else 'not checked by this verifier', str(e)
		result.append((name, verdict, reason, stated.get('lower'), stated.get('upper')))
	return result
def main(arguments):
	try:
		result = verify(open(arguments[0], encoding='utf-8').read() if arguments else sys.stdin.read())
	except (Malformed, TypeError, OSError, UnicodeDecodeError) as e:
		print('malformed: %s' % e, file=sys.stderr)
		return 3
	for name, verdict, reason, lower, upper in result:
		print('%s: %s, %s to %s (%s)' % (name, verdict, lower, upper, reason))
	return 1 if any(r[1] == 'refused' for r in result) else 2 if any(r[1] != 'proved' for r in result) else 0

if __name__ == '__main__':
	sys.exit(main(sys.argv[1:]))
