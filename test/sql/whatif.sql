-- What-if analysis: sensitivities without a table.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
SET extra_float_digits = -3;
\set SHOW_CONTEXT never

-- The example of Müller et al.: K = 330.97, a fifth of which they print for the
-- mean of five.
SELECT * FROM dpsens.sensitivity('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}');
SELECT * FROM dpsens.gradient('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}');
SELECT * FROM dpsens.evaluate('a^2 + exp(2*b - a)', '{"a": 1.5, "b": 1}');

SELECT quantity, lower <= figure AND figure <= upper AS contained, upper / lower - 1 <= 1e-6 AS tight, witness
FROM dpsens.sensitivity('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}')
JOIN (VALUES ('metric', 330.9723195942876::float8), ('replace', 5 * 29.48263182051532)) AS known (quantity, figure) USING (quantity);

-- Their second example, on the box that they state and on the one they meant.
SELECT box, lower <= figure * (1 + 1e-12) AND figure * (1 - 1e-12) <= upper AS contained, upper / lower - 1 <= 1e-6 AS tight, witness
FROM (VALUES ('{"x": [1, 2], "y": [1, 1.5]}'::jsonb, 61.18758502747134::float8),
             ('{"x": [1, 1.5], "y": [1, 2]}', 59.22008712736099)) AS known (box, figure),
     dpsens.sensitivity('x^3+2*x*y+1/y^2+5+sqrt(x+ln(y))+exp(x*y)-2*sqrt(exp(x))', box)
WHERE quantity = 'metric';

-- Ziller et al., equation (3): the norm, and the corner where it is greatest.
SELECT name, sql, latex FROM dpsens.gradient('a*w/h^2', '{"a": [18, 100], "w": [30, 250], "h": [1.2, 2.2]}') WHERE name !~ ':';
SELECT s.quantity, s.lower, s.upper, s.witness, at.gradient_norm
FROM dpsens.sensitivity('a*w/h^2', '{"a": [18, 100], "w": [30, 250], "h": [1.2, 2.2]}') AS s,
     dpsens.evaluate('a*w/h^2', s.witness) AS at
WHERE s.quantity = 'metric';

-- Precedence is the server's.
SELECT value FROM dpsens.evaluate('-x^2 + 2^3^x', '{"x": 2}');

-- Types.  Integers are divided as integers, and their values lie on the
-- lattice; distances are measured between its points.
SELECT * FROM dpsens.sensitivity('k * (7 - k)', '{"k": {"range": [0, 7], "type": "integer"}}');
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('5 / k', '{"k": {"range": [0.5, 7.5], "type": "integer"}}');
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('CASE WHEN smoker THEN 2 ELSE 1 END * age', '{"age": [20, 30], "smoker": {"type": "boolean"}}');
SELECT value, gradient FROM dpsens.evaluate('CASE WHEN smoker THEN 2 ELSE 1 END * age', '{"age": 20, "smoker": true}');

-- Public columns are constants, weights change distances.
SELECT quantity, lower, upper FROM dpsens.sensitivity('price * qty', '{"price": {"range": [0, 4], "public": true}, "qty": [0, 3]}');
SELECT quantity, lower, upper FROM dpsens.sensitivity('price * qty', '{"price": {"range": [0, 4], "weight": 0.5}, "qty": {"range": [0, 3], "weight": 2}}');
SELECT name, sql FROM dpsens.gradient('price * qty', '{"price": {"range": [0, 4], "weight": 0.5}, "qty": {"range": [0, 3], "weight": 2}}');
SELECT gradient, gradient_norm, normalized_gradient, partial_sensitivity
FROM dpsens.evaluate('price * qty', '{"price": {"value": 4, "weight": 0.5}, "qty": {"value": 3, "weight": 2}}');
SELECT name, sql FROM dpsens.gradient('price * qty', '{"price": {"range": [0, 4], "public": true}, "qty": [0, 3]}');
SELECT gradient, hessian FROM dpsens.evaluate('price * qty ^ 2', '{"price": {"value": 4, "public": true}, "qty": 3}');

-- Rows that may be NULL add 0 then, which replace and attribute must reach.
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('x', '{"x": {"range": [5, 7], "nullable": true}}');
SELECT quantity, round(lower::numeric, 4) AS lower, round(upper::numeric, 4) AS upper, note
FROM dpsens.sensitivity('CASE WHEN x > 6 THEN x END', '{"x": [5, 7]}') WHERE quantity !~ 'metric|slope';
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('coalesce(x, 0)', '{"x": {"range": [5, 7], "nullable": true}}') WHERE quantity !~ 'slope';

-- Quoted names.
SELECT quantity, lower, upper, witness FROM dpsens.sensitivity('"A b" * "say ""x"""', '{"A b": [1, 2], "say \"x\"": [3, 4]}');
SELECT name, sql, latex FROM dpsens.gradient('"A b" * "say ""x""" ^ 2', '{"A b": [1, 2], "say \"x\"": [3, 4]}') WHERE name !~ ':';

-- What has no bound is a row that says why.
SELECT * FROM dpsens.sensitivity('1/x', '{"x": [-1, 1]}');
SELECT quantity, lower, upper, witness, note FROM dpsens.sensitivity('sqrt(x)', '{"x": [0, 4]}');
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('floor(x / 10)', '{"x": [0, 25]}') WHERE quantity !~ 'attribute';
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('CASE WHEN x >= 1 THEN 1 ELSE 0 END', '{"x": [0, 4]}') WHERE quantity !~ 'attribute';
SELECT quantity, upper, note FROM dpsens.sensitivity('y + ln(x - 2)', '{"x": [1, 3], "y": [0, 1]}') WHERE quantity = 'supremum';
SELECT quantity, upper, note FROM dpsens.sensitivity('exp(x)', '{"x": [0, 1000]}') WHERE quantity IN ('supremum', 'metric');
SELECT quantity, upper, note FROM dpsens.sensitivity('a * b', '{"a": {"range": [0, 100000], "type": "integer"}, "b": {"range": [0, 100000], "type": "integer"}}') WHERE quantity = 'supremum';
SELECT quantity, upper, note FROM dpsens.sensitivity('1 / (x - y)', '{"x": [0, 1], "y": [0.5, 2]}') WHERE quantity = 'supremum';
SELECT quantity, upper, note FROM dpsens.sensitivity('1 / (5 - 5)', '{}') WHERE quantity = 'supremum';
SELECT quantity, upper, note FROM dpsens.sensitivity('acos(x)', '{"x": [0, 1]}') WHERE quantity IN ('supremum', 'metric');
-- A condition that keeps the server from dividing keeps the bound.
SELECT quantity, round(lower::numeric, 4) AS lower, round(upper::numeric, 4) AS upper
FROM dpsens.sensitivity('CASE WHEN abs(x) >= 0.5 THEN 1/x ELSE 0 END', '{"x": [-1, 1]}') WHERE quantity !~ 'metric';
-- A search that ends early is valid but wide.
SET dpsens.max_boxes = 3;
SELECT quantity, upper >= 8.5 AS valid, regexp_replace(note, 'after \d+ boxes with a gap of [0-9.e+-]+', 'after N boxes with a gap of G') AS note
FROM dpsens.sensitivity('sin(5*x*y) * cos(7*y) + x*y', '{"x": [0, 3], "y": [0, 3]}') WHERE quantity = 'supremum';
RESET dpsens.max_boxes;
-- So is one that takes too long; a quick one does not mind.
SET dpsens.max_ms = 1; -- clock: nothing else can end it
SET dpsens.max_boxes = 2000000000;
SELECT quantity, upper > lower AS valid, regexp_replace(note, 'after \d+ boxes with a gap of [0-9.e+-]+', 'after N boxes with a gap of G') AS note
FROM dpsens.sensitivity('exp(-9*(a-0.1)^2-7*(b-0.2)^2-5*(c-0.3)^2-(d-e)^2)*sin(40*a*b+30*c*d+20*e*f+9*a*f)*13',
    '{"a": [0, 1], "b": [0, 1], "c": [0, 1], "d": [0, 1], "e": [0, 1], "f": [0, 1]}') WHERE quantity = 'metric';
SELECT quantity, upper, note FROM dpsens.sensitivity('2*x', '{"x": [0, 1]}') WHERE quantity = 'supremum';
RESET dpsens.max_ms;
RESET dpsens.max_boxes;

-- A public boolean chooses a branch and does not move; a private one jumps.
SELECT quantity, upper, note FROM dpsens.sensitivity('CASE WHEN s THEN 2 ELSE 1 END * n', '{"s": {"type": "bool", "public": true}, "n": [0, 10]}') WHERE quantity = 'metric';
SELECT quantity, upper, note FROM dpsens.sensitivity('CASE WHEN s THEN 2 ELSE 1 END * n', '{"s": {"type": "bool"}, "n": [0, 10]}') WHERE quantity = 'metric';

-- Constants, unused columns, no columns.
SELECT quantity, lower, upper, witness FROM dpsens.sensitivity('42', '{"x": [0, 1]}');
SELECT * FROM dpsens.gradient('42', '{"x": [0, 1]}');
SELECT * FROM dpsens.evaluate('42', '{"x": 0}');
SELECT * FROM dpsens.evaluate('42', '{}');
SELECT quantity, lower, upper FROM dpsens.sensitivity('NULL::float8', '{"x": [0, 1]}');
SELECT count(*) FROM dpsens.sensitivity(NULL, '{}');

-- Points: NULL, zero gradients, kinks, extreme magnitudes.
SELECT * FROM dpsens.evaluate('a * b', '{"a": 2, "b": null}');
SELECT * FROM dpsens.evaluate('a^2 + b^2', '{"a": 0, "b": 0}');
SELECT * FROM dpsens.evaluate('abs(a)', '{"a": 0}');
SELECT * FROM dpsens.evaluate('greatest(a, 2*b)', '{"a": 2, "b": 1}');
SELECT * FROM dpsens.evaluate('sqrt(a)', '{"a": 0}');
SELECT value, gradient, gradient_norm, normalized_gradient FROM dpsens.evaluate('3e300*a + 4e300*b', '{"a": 0, "b": 0}');
SELECT value, gradient, gradient_norm, normalized_gradient FROM dpsens.evaluate('3e-200*a + 4e-200*b', '{"a": 0, "b": 0}');
SELECT * FROM dpsens.evaluate('b / a', '{"a": 0, "b": 1}');
SELECT * FROM dpsens.evaluate('b + ln(a - 1)', '{"a": 1, "b": 1}');
SELECT * FROM dpsens.evaluate('b * exp(a)', '{"a": 1000, "b": 1}');
SELECT * FROM dpsens.evaluate('a * a', '{"a": {"value": 50000, "type": "integer"}}');

-- Expressions that are none.
SELECT * FROM dpsens.sensitivity('a +', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a; DROP TABLE t', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a FROM pg_class', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a WHERE true', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a, a', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a AS b', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('DISTINCT a', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a LIMIT 1', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('*', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a.b', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a > 0', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('''x''', '{"a": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a + b', '{"a": [0, 1], "B": [0, 1]}');
SELECT * FROM dpsens.sensitivity('a + $1', '{"a": [0, 1]}');
SELECT * FROM dpsens.gradient('a + sin(a, 1)', '{"a": [0, 1]}');

-- Ranges and points that are none.
SELECT * FROM dpsens.sensitivity('a', '[0, 1]');
SELECT * FROM dpsens.sensitivity('a', '{"a": 1}');
SELECT * FROM dpsens.sensitivity('a', '{"a": [0]}');
SELECT * FROM dpsens.sensitivity('a', '{"a": [0, null]}');
SELECT * FROM dpsens.sensitivity('a', '{"a": ["NaN", 1]}');
SELECT * FROM dpsens.sensitivity('a', '{"a": [2, 1]}');
SELECT * FROM dpsens.sensitivity('a', '{"a": [0, 1e400]}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 1], "wieght": 2}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 1], "weight": 0}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 1], "weight": "2"}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 1], "public": 1}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 1], "type": "text"}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 1], "type": 7}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"type": "integer"}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0.2, 0.8], "type": "integer"}}');
SELECT * FROM dpsens.sensitivity('a', '{"a": {"range": [0, 40000], "type": "smallint"}}');
SELECT * FROM dpsens.sensitivity('a::int', '{"a": {"range": [0, 1], "type": "boolean"}}');
SELECT * FROM dpsens.evaluate('a', '{"a": [0, 1]}');
SELECT * FROM dpsens.evaluate('a', '{"a": "1"}');
SELECT * FROM dpsens.evaluate('a', '{"a": {"value": 1.5, "type": "integer"}}');
SELECT * FROM dpsens.evaluate('a', '{"a": {"value": true, "type": "integer"}}');
SELECT * FROM dpsens.evaluate('a', '{"a": {"range": [0, 1]}}');
SELECT * FROM dpsens.sensitivity('c1', (SELECT jsonb_object_agg('c' || i, '[0, 1]'::jsonb) FROM generate_series(1, 64) AS i));
SELECT quantity, lower, upper FROM dpsens.sensitivity('c1', (SELECT jsonb_object_agg('c' || i, '[0, 1]'::jsonb) FROM generate_series(1, 63) AS i)) WHERE quantity IN ('metric', 'attribute:c1', 'attribute:c63');
