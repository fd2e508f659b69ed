-- Sensitivities of functions of a histogram.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;

-- Ages 0 to 122, up to 1000 people of each.
CREATE TEMP TABLE ages AS
SELECT array_agg('n' || i ORDER BY i) AS cells, array_agg(1000 ORDER BY i) AS upper,
    string_agg(i || ' * n' || i, ' + ' ORDER BY i) AS sum,
    string_agg(i * i || ' * n' || i, ' + ' ORDER BY i) AS squares,
    string_agg('n' || i, ' + ' ORDER BY i) AS count,
    'greatest(' || string_agg(format('CASE WHEN n%s > 0 THEN %s END', i, i), ', ' ORDER BY i) || ')' AS max
FROM generate_series(0, 122) i;

CREATE FUNCTION pg_temp.of_ages(template text, p float8 DEFAULT 1, nonempty boolean DEFAULT true, rows int4range DEFAULT '(,)')
RETURNS TABLE (adjacency text, lower numeric, upper float8, witness jsonb, note text) LANGUAGE sql AS $$
    SELECT d.adjacency, round(d.lower::numeric, 9), round(d.upper::numeric, 9)::float8, d.witness, left(d.note, 30)
    FROM ages a, dpsens.discrete_sensitivity(
        ARRAY[replace(replace(replace(replace(template, 'SUM', a.sum), 'SQUARES', a.squares), 'COUNT', a.count), 'MAX', a.max)],
        a.cells, a.upper, p, nonempty, rows) d
$$;

SELECT * FROM pg_temp.of_ages('(SUM) / (COUNT)');
SELECT * FROM pg_temp.of_ages('(SUM) / (COUNT)', rows => '[10,50]');
SELECT * FROM pg_temp.of_ages('CASE WHEN COUNT = 0 THEN 0 ELSE (SUM) / (COUNT) END', nonempty => false);
SELECT * FROM pg_temp.of_ages('(SQUARES) / (COUNT) - ((SUM) / (COUNT)) ^ 2');
SELECT * FROM pg_temp.of_ages('COUNT', nonempty => false);
SELECT * FROM pg_temp.of_ages('SUM', nonempty => false);
SELECT * FROM pg_temp.of_ages('MAX');

-- The mean of nobody does not exist, nor does the oldest of them.
SELECT adjacency, lower, upper, witness, note FROM pg_temp.of_ages('(SUM) / (COUNT)', nonempty => false);
SELECT adjacency, lower, upper, witness, note FROM pg_temp.of_ages('MAX', nonempty => false);

-- Every p: of all the counts themselves.
SELECT p, d.adjacency, round(d.lower::numeric, 12) AS lower, round(d.upper::numeric, 12) AS upper
FROM ages a, unnest(ARRAY[1, 1.5, 2, 3, 'Infinity']::float8[]) p, dpsens.discrete_sensitivity(a.cells, a.cells, a.upper, p) d;

-- All of a small lattice against a join of it with itself.
CREATE FUNCTION pg_temp.enumerated(expressions text[], p float8, min_rows int, max_rows int)
RETURNS TABLE (add_remove float8, replace float8) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH histogram AS MATERIALIZED (
            SELECT a, b, c, ARRAY[%s]::float8[] AS f
            FROM (SELECT a::float8, b::float8, c::float8
                  FROM generate_series(0, 3) a, generate_series(0, 2) b, generate_series(0, 4) c
                  WHERE a + b + c BETWEEN %s AND %s) n)
        SELECT max(change) FILTER (WHERE abs(rows) = 1), max(change) FILTER (WHERE rows = 0)
        FROM (SELECT y.a + y.b + y.c - x.a - x.b - x.c AS rows,
                  abs(y.a - x.a) + abs(y.b - x.b) + abs(y.c - x.c) AS moved,
                  (SELECT CASE WHEN %L = 'Infinity'::float8 THEN max(abs(u - v)) ELSE sum(abs(u - v) ^ %L) ^ (1 / %L::float8) END
                   FROM unnest(x.f, y.f) AS t(u, v)) AS change
              FROM histogram x, histogram y
              WHERE abs(y.a - x.a) + abs(y.b - x.b) + abs(y.c - x.c) IN (1, 2)) pair
        WHERE (abs(rows) = 1 AND moved = 1) OR (rows = 0 AND moved = 2)
        $q$, array_to_string(expressions, ', '), min_rows, max_rows, p, least(p, 9), p);
END
$$;

SELECT e.expressions, p, s.adjacency, round(s.lower::numeric, 9) AS lower,
    abs(s.upper - s.lower) < 1e-12 * s.upper AS exact,
    abs(s.upper - CASE s.adjacency WHEN 'replace' THEN d.replace ELSE d.add_remove END) < 1e-9 * s.upper AS enumerated
FROM (VALUES
        (1, ARRAY['(a + 2 * b + 5 * c) / (a + b + c)'], 1, 9),
        (2, ARRAY['(a + 2 * b + 5 * c) / (a + b + c)', 'a + b + c'], 3, 6),
        (3, ARRAY['sqrt(a * b + c)', 'a * c', 'greatest(a, b, c)'], 0, 9),
        (4, ARRAY['CASE WHEN a > b THEN exp(-c) ELSE ln(1 + a) END', 'floor((a + b) / 2) * c'], 0, 7),
        (5, ARRAY['(a + 4 * b + 25 * c) / (a + b + c) - ((a + 2 * b + 5 * c) / (a + b + c)) ^ 2', 'a'], 2, 9)
    ) e(id, expressions, min_rows, max_rows),
    unnest(ARRAY[1, 2, 3, 'Infinity']::float8[]) p,
    dpsens.discrete_sensitivity(e.expressions, '{a,b,c}', '{3,2,4}', p, rows => int4range(e.min_rows, e.max_rows, '[]')) s,
    pg_temp.enumerated(e.expressions, p, e.min_rows, e.max_rows) d
ORDER BY e.id, p, s.adjacency;

-- Cells need not be numbered, and need not be equal.
SELECT * FROM dpsens.discrete_sensitivity('{"\"Young\" * old"}', '{Young,old}', '{5,7}');
SELECT * FROM dpsens.discrete_sensitivity('{n / 2}', '{n}', '{10}', 2);

SELECT adjacency, lower, round(upper::numeric, 12) AS upper FROM dpsens.discrete_sensitivity('{a,b}', '{a,b}', '{3,3}', 1e300);
-- 0.1 * 3 + 0.7 is 1 as numbers are written, but rounding decides whether it is
SELECT * FROM dpsens.discrete_sensitivity('{floor(0.1 * a + 0.7)}', '{a}', '{4}') WHERE adjacency = 'add_remove';

-- What has no value somewhere has no sensitivity.
SELECT * FROM dpsens.discrete_sensitivity('{1 / (a - 3) + b}', '{a,b}', '{5,5}');
SELECT * FROM dpsens.discrete_sensitivity('{a,ln(a - b)}', '{a,b}', '{5,5}', rows => '[2,4]');
SELECT * FROM dpsens.discrete_sensitivity('{"nullif(a, 2)"}', '{a,b}', '{5,5}');
SELECT * FROM dpsens.discrete_sensitivity('{exp(a * 200)}', '{a,b}', '{5,5}');
SELECT * FROM dpsens.discrete_sensitivity(ARRAY['NULL', 'a'], '{a,b}', '{5,5}');
-- what SQL would not evaluate does not matter
SELECT * FROM dpsens.discrete_sensitivity('{CASE WHEN a = 3 THEN 0 ELSE 1 / (a - 3) END}', '{a,b}', '{5,5}');

-- A search that ends early.
SET dpsens.max_boxes = 50;
SELECT adjacency, lower <= upper AS ordered, upper <= 2 AS bounded, note
FROM dpsens.discrete_sensitivity('{sin(a * b + c) * cos(b * c - a)}', '{a,b,c}', '{1000000,1000000,1000000}');
RESET dpsens.max_boxes;

-- Wrong inputs.
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a,b}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a,b,a}', '{1,1,1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a,""}', '{1,1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', ARRAY[repeat('a', 64)], '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a,b}', '{1,-1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a,b}', '{1,0}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a,NULL}', '{1,1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{{a},{b}}', '{1,1}');
SELECT * FROM dpsens.discrete_sensitivity('{}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{}', '{}');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a}', '{1}', 0.5);
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a}', '{1}', 'NaN');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a}', '{1}', rows => '[3,5]');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a}', '{1}', rows => 'empty');
SELECT * FROM dpsens.discrete_sensitivity('{a}', '{a}', '{1}', nonempty => true, rows => '[0,0]');
SELECT d.* FROM (SELECT array_agg('n' || i) AS c, array_agg(1) AS u FROM generate_series(1, 1001) i) x, dpsens.discrete_sensitivity(c, c, u) d;
SELECT * FROM dpsens.discrete_sensitivity('{a,a + z}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a > 0}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a ||}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{''x''}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a + random()}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{a % 2}', '{a}', '{1}');
SELECT * FROM dpsens.discrete_sensitivity('{sum(a)}', '{a}', '{1}');

-- Anybody may ask.
SELECT has_function_privilege('public', 'dpsens.discrete_sensitivity(text[], text[], int4[], float8, boolean, int4range)', 'EXECUTE');
