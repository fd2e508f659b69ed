-- dpsens.jacobian_sensitivity against suprema of the Jacobian's norm that are known in
-- closed form, against pairs of rows, and against dpsens.sensitivity.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(35);

CREATE SCHEMA jacobian_tap;
SET search_path = jacobian_tap, public;
CREATE FUNCTION is_known(expression text, ranges jsonb, p float8, known float8, name text, width float8 DEFAULT 2e-6) RETURNS text LANGUAGE sql RETURN
    (SELECT ok(j.lower <= known * (1 + 1e-12) AND j.upper >= known * (1 - 1e-12) AND j.upper - j.lower <= width * known, format('%s: %s in [%s, %s]', name, known, j.lower, j.upper))
     FROM dpsens.jacobian_sensitivity(expression, ranges, p) j);

-- A matrix is its own Jacobian.  [[1, 2], [3, 4]]: singular values are the roots of
-- 15 +- sqrt(221); to the maximum norm the longest row; to the 1-norm the longest sum of rows.
SELECT is_known('ARRAY[a + 2*b, 3*a + 4*b]', '{"a": [-1, 1], "b": [-1, 1]}', 2, sqrt(15 + sqrt(221)), 'greatest singular value');
SELECT is_known('ARRAY[a + 2*b, 3*a + 4*b]', '{"a": [-1, 1], "b": [-1, 1]}', 1, sqrt(4 ^ 2 + 6 ^ 2), 'to the 1-norm');
SELECT is_known('ARRAY[a + 2*b, 3*a + 4*b]', '{"a": [-1, 1], "b": [-1, 1]}', 'Infinity', 5, 'to the maximum norm');
-- polar coordinates: singular values 1 and r
SELECT is_known('ARRAY[r * cos(t), r * sin(t)]', '{"r": [0, 3], "t": [0, 3]}', 2, 3, 'polar coordinates');
SELECT is_known('ARRAY[r * cos(t), r * sin(t)]', '{"r": [0, 0.5], "t": [0, 3]}', 2, 1, 'of a small disc');
-- J^T J = I + v v^T with v = (b, a)
SELECT is_known('ARRAY[a, b, a * b]', '{"a": [0, 1], "b": [0, 2]}', 2, sqrt(6), 'a product');
-- complex squares: a conformal map, with J = 2 |z| times a rotation
SELECT is_known('ARRAY[a^2 - b^2, 2*a*b]', '{"a": [0, 3], "b": [0, 4]}', 2, 10, 'complex squares');
SELECT is_known('ARRAY[a^2 - b^2, 2*a*b]', '{"a": [0, 3], "b": [0, 4]}', 1, 10 * sqrt(2), 'complex squares, to the 1-norm');
SELECT is_known('ARRAY[a^2 - b^2, 2*a*b]', '{"a": [0, 3], "b": [0, 4]}', 'Infinity', 10, 'complex squares, to the maximum norm');
-- the logistic function, steepest in the middle
SELECT is_known('ARRAY[1/(1 + exp(-a)), 1/(1 + exp(-b))]', '{"a": [-8, 8], "b": [-8, 8]}', 2, 0.25, 'logistic functions', 2e-4);
-- one number: the gradient, and the example of section 5.1 of Mueller et al. 2021
SELECT is_known('3*a + 4*b', '{"a": [0, 1], "b": [0, 1]}', p, 5, 'one number, p = ' || p) FROM unnest('{1,2,Infinity}'::float8[]) p;
SELECT is_known('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}', 2, 330.9723195942876, 'section 5.1');
SELECT is_known('ARRAY[a^2 + exp(2*b - a)]', '{"a": [1, 2], "b": [0.5, 3]}', 2, 330.9723195942876, 'as a vector of one');
-- weights measure the distance of rows; public columns are no part of it
SELECT is_known('ARRAY[a, b]', '{"a": {"range": [0, 1], "weight": 4}, "b": {"range": [0, 1], "weight": 2}}', 2, 0.5, 'weights');
SELECT is_known('ARRAY[a, 7*b]', '{"a": [0, 1], "b": {"range": [0, 1], "public": true}}', 2, 1, 'public columns');
SELECT is_known('ARRAY[1, 2]', '{"a": [0, 1]}', 2, 0, 'a constant');
SELECT is_known('CASE WHEN k > 3 THEN 5 ELSE 1 END', '{"k": {"range": [0, 7], "type": "integer"}}', 2, 4, 'a step of an integer');
SELECT results_eq($$SELECT upper, note FROM dpsens.jacobian_sensitivity('1/a', '{"a": [0, 1]}')$$, $$VALUES ('Infinity'::float8, 'division by zero in 1 / a at a = 0')$$, 'none, and why');

-- The same as dpsens.sensitivity says.
SELECT is(count(*)::int, 3, 'the brackets of dpsens.sensitivity')
FROM (VALUES (1::float8, 'metric_l1'), (2, 'metric_l2'), ('Infinity', 'metric_linf')) n (p, quantity)
JOIN dpsens.sensitivity('ARRAY[a * b, exp(a - b)]', '{"a": [-1, 1], "b": {"range": [0, 2], "weight": 3}}') s USING (quantity),
    dpsens.jacobian_sensitivity('ARRAY[a * b, exp(a - b)]', '{"a": [-1, 1], "b": {"range": [0, 2], "weight": 3}}', p) j
WHERE (j.lower, j.upper, j.witness) = (s.lower, s.upper, s.witness);

-- No two rows are further apart than it says, and some nearly as far.
SELECT ok(max(moved / distance) <= upper AND max(moved / distance) > 0.9 * upper, format('pairs of rows reach %s of %s', max(moved / distance), upper))
FROM (SELECT upper, sqrt((a * b - c * d) ^ 2 + (exp(a - b) - exp(c - d)) ^ 2) AS moved, sqrt((a - c) ^ 2 + (b - d) ^ 2) AS distance
      FROM dpsens.jacobian_sensitivity('ARRAY[a * b, exp(a - b)]', '{"a": [-1, 1], "b": [0, 2]}') j,
          LATERAL (SELECT u / 10.0 - 1 AS a, v / 10.0 AS b FROM generate_series(0, 20) u, generate_series(0, 20) v) x,
          LATERAL (SELECT u / 10.0 - 1 AS c, v / 10.0 AS d FROM generate_series(0, 20) u, generate_series(0, 20) v) y) s
WHERE distance > 0 GROUP BY upper;

-- Over the declared ranges of a table, by anybody.
CREATE TABLE people (id int PRIMARY KEY, a float8 NOT NULL, b float8, k int NOT NULL, ok boolean, born date, open float8, "Odd name" float8);
SELECT '# ' || count(x) FROM (SELECT dpsens.protect('people', unit => 'id'), dpsens.set_range('people', 'a', 1, 2), dpsens.set_range('people', 'b', 0.5, 3, 2), dpsens.set_range('people', 'k', 0, 7),
    dpsens.set_range('people', 'open', 0, 1), dpsens.set_public('people', 'open'), dpsens.set_range('people', 'born', '2000-01-01', '2020-01-01'), dpsens.set_range('people', 'Odd name', -3, 3)) x;
CREATE ROLE jacobian_tap_nobody;
GRANT USAGE ON SCHEMA jacobian_tap TO jacobian_tap_nobody;
SET ROLE jacobian_tap_nobody;
SELECT results_eq($$SELECT * FROM dpsens.jacobian_sensitivity_of('ARRAY[A^2 + exp(2*b - a), a, open]', 'people')$$,
    $$SELECT * FROM dpsens.jacobian_sensitivity('ARRAY[a^2 + exp(2*b - a), a, open]', '{"a": [1, 2], "b": {"range": [0.5, 3], "weight": 2}, "open": {"range": [0, 1], "public": true}}')$$, 'declared ranges and weights');
SELECT results_eq($$SELECT * FROM dpsens.jacobian_sensitivity_of('ARRAY["Odd name" ^ 2, a]', 'people', 'Infinity')$$,
    $$SELECT * FROM dpsens.jacobian_sensitivity('ARRAY["Odd name" ^ 2, a]', '{"a": [1, 2], "Odd name": [-3, 3]}', 'Infinity')$$, 'names as they are, in another norm');
SELECT results_eq($$SELECT upper FROM dpsens.jacobian_sensitivity_of('CASE WHEN ok THEN k * a ELSE 0 END', 'people')$$,
    $$SELECT upper FROM dpsens.jacobian_sensitivity('CASE WHEN ok THEN k * a ELSE 0 END', '{"a": [1, 2], "k": {"range": [0, 7], "type": "int"}, "ok": {"type": "boolean"}}')$$, 'integers and truth values');
SELECT throws_like($$SELECT dpsens.jacobian_sensitivity_of('born', 'people')$$, 'column "born" is not defined', 'no dates');
RESET ROLE;

SELECT throws_like($$SELECT dpsens.jacobian_sensitivity('a', '{"a": [0, 1]}', 3)$$, 'p must be 1, 2 or Infinity', 'another norm');
SELECT throws_like($$SELECT dpsens.jacobian_sensitivity('a', '{"a": [0, 1]}', 'NaN')$$, 'p must be 1, 2 or Infinity', 'no norm');
SELECT throws_like($$SELECT dpsens.jacobian_sensitivity('a + b', '{"a": [0, 1]}')$$, 'column "b" is not defined', 'a name without a range');
SELECT is(dpsens.jacobian_sensitivity(NULL, '{"a": [0, 1]}'), NULL, 'nothing of nothing');

-- Nothing of a cell, from functions that compute from their arguments (docs/attack-surface.md).
CREATE ROLE jacobian_tap_ana;
GRANT USAGE ON SCHEMA jacobian_tap TO jacobian_tap_ana;
INSERT INTO people SELECT i, 1.5, 1, 1 FROM generate_series(1, 100) i;
SELECT dpsens.grant_budget('people', 'jacobian_tap_ana', epsilon => 100) \g /dev/null
SET ROLE jacobian_tap_ana;
SET dpsens.epsilon = 1;
SELECT lives_ok('SELECT dp_count(*) FROM people WHERE a > 1', 'who has a budget is answered');
SELECT throws_ok($$SELECT dp_count(*) FROM people WHERE dpsens.scatter(ARRAY[a], ARRAY[b]) <> ''$$, '0A000', NULL, 'no points of cells in a condition');
SELECT throws_ok($$SELECT dp_count(*) FROM people WHERE (dpsens.jacobian_sensitivity('x', jsonb_build_object('x', ARRAY[a, 9]))).upper > 1$$, '0A000', NULL, 'nor ranges');
SELECT throws_ok($$SELECT dpsens.scatter(array_agg(a), array_agg(b)) FROM people$$, '42501', NULL, 'and no figure of the table');
SELECT ok(dpsens.scatter(ARRAY[n], ARRAY[n]) LIKE '<svg%', 'one of an answer') FROM (SELECT dp_count(*)::float8 AS n FROM people) q;
RESET ROLE;
SELECT * FROM finish();
RESET search_path;
DROP SCHEMA jacobian_tap CASCADE;
DROP OWNED BY jacobian_tap_ana, jacobian_tap_nobody;
DROP ROLE jacobian_tap_ana, jacobian_tap_nobody;
