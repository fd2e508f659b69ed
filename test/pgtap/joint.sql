-- Joint sensitivities of vectors against the server's own arithmetic.
-- Files: glue/analysis/derived.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(69);

CREATE SCHEMA joint_tap;
SET LOCAL search_path = joint_tap, public;

CREATE FUNCTION norm(v float8[], p text) RETURNS float8 IMMUTABLE LANGUAGE sql RETURN
    CASE p WHEN 'l1' THEN (SELECT sum(abs(e)) FROM unnest(v) e)
           WHEN 'l2' THEN (SELECT sqrt(sum(e * e)) FROM unnest(v) e)
           ELSE (SELECT max(abs(e)) FROM unnest(v) e) END;

CREATE FUNCTION minus(v float8[], w float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql RETURN
    (SELECT array_agg(a - b) FROM unnest(v, w) AS u (a, b));

-- What the server makes of a vector at sampled rows, corners among them.
CREATE FUNCTION sampled(expression text, n int, lo float8, hi float8)
RETURNS TABLE (i int, x float8, y float8, z float8, v float8[]) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH coordinate AS (SELECT i, k, floor(random() * 4) AS kind, random() AS share FROM generate_series(1, %s) i, generate_series(1, 3) k),
        row AS (SELECT i,
                max(CASE kind WHEN 0 THEN %2$s WHEN 1 THEN %3$s ELSE %2$s + (%3$s - %2$s) * share END) FILTER (WHERE k = 1) AS x,
                max(CASE kind WHEN 0 THEN %2$s WHEN 1 THEN %3$s ELSE %2$s + (%3$s - %2$s) * share END) FILTER (WHERE k = 2) AS y,
                max(CASE kind WHEN 0 THEN %2$s WHEN 1 THEN %3$s ELSE %2$s + (%3$s - %2$s) * share END) FILTER (WHERE k = 3) AS z
            FROM coordinate GROUP BY i)
        SELECT i, x, y, z, (%4$s)::float8[] FROM row $q$, n, lo, hi, expression);
END $$;

-- The largest share of each bound that pairs of sampled rows reach.
CREATE FUNCTION worst(expression text, lo float8, hi float8)
RETURNS TABLE (quantity text, share float8) LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE sample ON COMMIT DROP AS SELECT * FROM sampled(expression, 60, lo, hi);
    CREATE TEMP TABLE bound ON COMMIT DROP AS
        SELECT s.quantity, s.upper, substring(s.quantity FROM 'l1|l2|linf') AS p
        FROM dpsens.sensitivity(expression, jsonb_build_object('x', ARRAY[lo, hi], 'y', ARRAY[lo, hi],
            'z', jsonb_build_object('range', ARRAY[lo, hi], 'weight', 2))) AS s;
    RETURN QUERY
    WITH pair AS (
        SELECT minus(a.v, b.v) AS moved, sqrt((a.x - b.x)^2 + (a.y - b.y)^2 + 4 * (a.z - b.z)^2) AS distance
        FROM sample a, sample b WHERE a.i < b.i)
    SELECT b.quantity, max(norm(s.v, b.p)) / b.upper FROM bound b, sample s WHERE b.quantity ~ 'add_remove' GROUP BY b.quantity, b.upper
    UNION ALL
    SELECT b.quantity, max(norm(pair.moved, b.p)) / b.upper FROM bound b, pair WHERE b.quantity ~ 'replace' GROUP BY b.quantity, b.upper
    UNION ALL
    SELECT b.quantity, max(norm(pair.moved, b.p) / pair.distance) / b.upper FROM bound b, pair
    WHERE b.quantity ~ 'metric' AND pair.distance > 1e-3 GROUP BY b.quantity, b.upper;
    DROP TABLE sample, bound;
END $$;

CREATE FUNCTION term() RETURNS text VOLATILE LANGUAGE sql RETURN
    (ARRAY['x', 'y', 'z', 'x*y', 'y*z', 'x^2', 'exp(z/2)', 'sin(x)', 'cos(2*y)', 'x/(3 + y)', 'sqrt(3 + z)', 'x*y*z',
           'ln(4 + x + z)', 'atan(y - x)', '1.5'])[1 + floor(random() * 15)];

-- Twenty-four random vectors, the same in every run.
SELECT setseed(0.2718);
CREATE TABLE vectors AS
SELECT i, 'ARRAY[' || string_agg(entry, ', ' ORDER BY k) || ']' AS expression
FROM (SELECT i, k, term() || (CASE WHEN random() < 0.5 THEN ' + ' ELSE ' - ' END) || round((3 * random())::numeric, 2) || '*' || term() AS entry
      FROM generate_series(1, 24) AS i, generate_series(1, 4) AS k WHERE k <= 2 + i % 3) AS e
GROUP BY i;
SET LOCAL dpsens.tolerance = 1e-3;
SET LOCAL dpsens.max_boxes = 20000;
CREATE TABLE shares AS SELECT v.i, v.expression, w.quantity, w.share FROM vectors v, LATERAL worst(v.expression, -1, 1.5) w;

SELECT is((SELECT count(*)::int FROM shares), 24 * 9, 'every quantity of every vector has a bound');
SELECT ok(bool_and(share <= 1 + 1e-12), format('%s: no sample beyond a bound; the furthest is at %s', expression, round(max(share)::numeric, 6)))
FROM shares GROUP BY i, expression ORDER BY i;
SELECT ok(bool_or(share > 0.5), format('... nor is a bound of %s far from all of them', expression))
FROM shares WHERE quantity !~ 'metric' GROUP BY i, expression ORDER BY i;
RESET dpsens.tolerance;
RESET dpsens.max_boxes;

-- Lower ends are attained by the server's arithmetic, too.
SELECT ok(abs(norm(v, 'l2') - s.lower) <= 1e-9 * s.lower, 'the witness of add_remove_l2')
FROM dpsens.sensitivity('ARRAY[x*y - z, x + y*z, exp(x - y)]', '{"x": [-1, 2], "y": [0, 1], "z": [-2, 1]}') s,
    LATERAL (SELECT ARRAY[x*y - z, x + y*z, exp(x - y)] AS v
             FROM (SELECT (witness->>'x')::float8 AS x, (witness->>'y')::float8 AS y, (witness->>'z')::float8 AS z) w) e
WHERE s.quantity = 'add_remove_l2';

-- Norms compare as norms do.
CREATE TABLE ordered AS
SELECT v.i, substring(s.quantity FROM '^[a-z_]+(?=_l)') AS kind, substring(s.quantity FROM ':.*$') AS col,
    max(s.upper) FILTER (WHERE s.quantity ~ '_l1') AS l1, max(s.upper) FILTER (WHERE s.quantity ~ '_l2') AS l2, max(s.upper) FILTER (WHERE s.quantity ~ '_linf') AS linf
FROM vectors v, LATERAL dpsens.sensitivity(v.expression, '{"x": [-1, 1.5], "y": [0, 1], "z": [0, 1]}') s WHERE v.i <= 6 GROUP BY 1, 2, 3;
SELECT is_empty('SELECT * FROM ordered WHERE linf > l2 * (1 + 2e-6) OR l2 > l1 * (1 + 2e-6) OR l1 > 2.0000001 * l2', 'l_inf <= l_2 <= l_1 <= sqrt(m) l_2');
SELECT is_empty($$SELECT * FROM ordered a JOIN ordered b ON a.i = b.i WHERE a.kind = 'attribute' AND b.kind = 'replace'
    AND (a.l1 > b.l1 * (1 + 2e-6) OR a.l2 > b.l2 * (1 + 2e-6) OR a.linf > b.linf * (1 + 2e-6))$$, 'an attribute moves no further than a row');
SELECT is_empty($$SELECT * FROM ordered a JOIN ordered b ON a.i = b.i WHERE a.kind = 'replace' AND b.kind = 'add_remove'
    AND (a.l1 > 2 * b.l1 * (1 + 2e-6) OR a.l2 > 2 * b.l2 * (1 + 2e-6))$$, 'rows are no further apart than both are long');

-- A vector of one entry is that entry.
SELECT results_eq(
    $$SELECT replace(quantity, '_l2', ''), upper FROM dpsens.sensitivity('ARRAY[x * y + z]', '{"x": [-1, 2], "y": [0, 3], "z": [0, 1]}')
      WHERE quantity ~ '_l2' AND quantity !~ 'metric' ORDER BY 1$$,
    $$SELECT quantity, upper FROM dpsens.sensitivity('x * y + z', '{"x": [-1, 2], "y": [0, 3], "z": [0, 1]}')
      WHERE quantity IN ('add_remove', 'replace') OR quantity ~ 'attribute' ORDER BY 1$$, 'one entry alone');

-- The lattice, by force.
CREATE TABLE lattice AS SELECT k, l, ARRAY[k * l, k - l, k / 3]::float8[] AS v FROM generate_series(-3, 5) k, generate_series(0, 4) l;
CREATE TABLE known AS
SELECT p, 'replace_' || p AS quantity, max(norm(minus(a.v, b.v), p)) AS figure FROM lattice a, lattice b, unnest(ARRAY['l1', 'l2', 'linf']) p GROUP BY p
UNION ALL
SELECT p, 'add_remove_' || p, max(norm(v, p)) FROM lattice, unnest(ARRAY['l1', 'l2', 'linf']) p GROUP BY p
UNION ALL
SELECT p, 'attribute_' || p || ':k', max(norm(minus(a.v, b.v), p)) FROM lattice a JOIN lattice b USING (l), unnest(ARRAY['l1', 'l2', 'linf']) p GROUP BY p
UNION ALL
SELECT p, 'attribute_' || p || ':l', max(norm(minus(a.v, b.v), p)) FROM lattice a JOIN lattice b USING (k), unnest(ARRAY['l1', 'l2', 'linf']) p GROUP BY p;
SELECT ok(s.lower <= figure * (1 + 1e-12) AND figure * (1 - 1e-12) <= s.upper AND s.upper - s.lower <= 1e-6 * figure,
          format('%s of integers is %s', quantity, round(figure::numeric, 6)))
FROM known JOIN dpsens.sensitivity('ARRAY[k * l, k - l, k / 3]', '{"k": {"range": [-3, 5], "type": "integer"}, "l": {"range": [0, 4], "type": "integer"}}') s USING (quantity)
ORDER BY quantity;

-- Advice: bounds over the range as it was cut, asked for by themselves.
SELECT is_empty($$
    SELECT a.* FROM dpsens.advise('x * y - z^2', '{"x": [-1, 2], "y": [0, 3], "z": [0.5, 2]}') a,
        LATERAL dpsens.sensitivity('x * y - z^2', '{"x": [-1, 2], "y": [0, 3], "z": [0.5, 2]}'::jsonb || jsonb_build_object(a.column_name, a.tightened_range::jsonb)) s
    WHERE s.quantity = a.quantity AND abs(s.upper - a.tightened) > 1e-9 * s.upper$$, 'advice is what sensitivity says of the shorter range');
SELECT is_empty($$SELECT * FROM dpsens.advise('x * y - z^2', '{"x": [-1, 2], "y": [0, 3], "z": [0.5, 2]}')
    WHERE tightened > upper OR shrink < 0 OR shrink > 1 OR abs(shrink - (1 - tightened / upper)) > 1e-15$$, 'shrink is a share');
SELECT is((SELECT count(*)::int FROM dpsens.advise('x * y - z^2', '{"x": [-1, 2], "y": [0, 3], "z": [0.5, 2]}')), 3 * 3 * 4, 'a row for each column, side and quantity');

SELECT * FROM finish();
ROLLBACK;
