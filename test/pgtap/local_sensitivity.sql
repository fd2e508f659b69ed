-- Local, smooth and global sensitivity beside their definitions: all tables of a few
-- rows with values from a grid, which has the ends and all values of the table, since
-- the greatest differences are between these.
-- Files: audit/local/smooth_median.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(51);

CREATE SCHEMA local_tap;
SET LOCAL search_path = local_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, z float8);
SELECT dpsens.protect('t', unit => 'id', adjacency => 'replace');
SELECT dpsens.set_range('t', 'x', -1, 6), dpsens.set_range('t', 'z', 2, 6);
SELECT dpsens.register('plain', 't', 'x'), dpsens.register('doubled', 't', '2 * x + 1'), dpsens.register('gaps', 't', 'z');

CREATE FUNCTION statistic(kind text, v float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
SELECT CASE kind WHEN 'sum' THEN sum(x) WHEN 'mean' THEN avg(x) ELSE percentile_disc(0.5) WITHIN GROUP (ORDER BY x) END FROM unnest(v) x $$;
-- All tables of n values from the grid, with what their statistic is.
CREATE FUNCTION tables(kind text, n int, grid float8[]) RETURNS TABLE (v float8[], s float8) LANGUAGE sql AS $$
WITH RECURSIVE made AS (
    SELECT ARRAY[]::float8[] AS v UNION ALL SELECT v || g FROM made, unnest(grid) g WHERE cardinality(v) < n)
SELECT v, statistic(kind, v) FROM made WHERE cardinality(v) = n $$;
CREATE FUNCTION brute(kind text, x float8[], ends float8[], beta float8, OUT local float8, OUT smooth float8, OUT global float8) LANGUAGE sql AS $$
WITH grid AS (SELECT array_agg(DISTINCT g) AS grid FROM unnest(x || ends) g),
    every AS MATERIALIZED (SELECT t.* FROM grid, tables(kind, cardinality(x), grid) t),
    local AS (SELECT y.v, max(abs(y.s - n.s)) AS ls FROM every y, generate_subscripts(x, 1) i, grid, unnest(grid) g,
            LATERAL (SELECT statistic(kind, y.v[:i-1] || g || y.v[i+1:]) AS s) n GROUP BY y.v)
SELECT max(ls) FILTER (WHERE v = x), max(ls * exp(-beta * (SELECT count(*) FROM unnest(v, x) u (a, b) WHERE a <> b))), max(ls) FROM local $$;
CREATE FUNCTION fill(v float8[]) RETURNS void LANGUAGE sql AS $$
TRUNCATE t; INSERT INTO t SELECT i, x, x FROM unnest(v) WITH ORDINALITY u (x, i) $$;
CREATE FUNCTION compared(kind text, v float8[], beta float8) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM fill(v);
    RETURN (SELECT l.rows = cardinality(v) AND abs(l.local_sensitivity - b.local) < 1e-9 AND abs(l.smooth_sensitivity - b.smooth) < 1e-9 AND abs(l.global_sensitivity - b.global) < 1e-9
        FROM dpsens.local_sensitivity('plain(t)', kind, beta) l, brute(kind, v, '{-1,6}', beta) b);
END$$;

SELECT ok(compared(kind, v::float8[], beta), format('%s of %s at %s', kind, v, beta))
FROM unnest('{sum,mean,median}'::text[]) kind, unnest(ARRAY['{2}', '{0,5}', '{3,2,2}', '{1,4,5}', '{2,-1,3,3}']) v, unnest('{0.1,1}'::float8[]) beta;

-- Where there are many: the search by halves beside all pairs.
SELECT fill(ARRAY(SELECT 2.5 + 2.4 * sin(i * i) FROM generate_series(1, 301) i));
CREATE TEMP TABLE numbered AS SELECT row_number() OVER (ORDER BY x) AS n, x FROM t UNION ALL VALUES (0, -1), (302, 6);
SELECT ok(abs((dpsens.local_sensitivity('plain(t)', 'median', beta)).smooth_sensitivity - greatest_pair) < 1e-12, 'the median of many at ' || beta)
FROM (SELECT beta, max((b.x - a.x) * exp(-beta * (b.n - a.n - 1))) AS greatest_pair
    FROM unnest('{0.001,0.1,100}'::float8[]) beta, numbered a, numbered b WHERE a.n <= 151 AND b.n >= 151 AND a.n < b.n AND beta * (b.n - a.n) < 700 GROUP BY beta) pairs ORDER BY beta;

-- Values outside of the ranges are clamped, and an expression has a range of its own.
SELECT fill('{-5,3,9}');
SELECT is(l::text, '(3,7,7,7)', 'clamped') FROM dpsens.local_sensitivity('plain(t)', 'sum', 1) l;
SELECT fill('{1,2}');
SELECT is(l::text, '(2,10,10,14)', 'of an expression') FROM dpsens.local_sensitivity('doubled(t)', 'sum', 5) l;
-- A row whose value can vanish adds 0.
SELECT fill('{3}');
SELECT is(l::text, '(1,3,3,6)', 'a value that can vanish') FROM dpsens.local_sensitivity('gaps(t)', 'sum', 5) l;
UPDATE t SET z = NULL;
SELECT is(l::text, '(1,6,6,6)', 'and one that has') FROM dpsens.local_sensitivity('gaps(t)', 'sum', 5) l;
SELECT throws_ok(format($$SELECT dpsens.local_sensitivity('gaps(t)', %L, 1)$$, kind), '0A000', format('the local sensitivity of a %s needs a value of every row', kind), kind)
FROM unnest('{mean,median}'::text[]) kind;
TRUNCATE t;
SELECT is(l::text, text, 'no rows: ' || kind) FROM (VALUES ('sum', '(0,0,0,0)'), ('mean', '(0,,,)'), ('median', '(0,,,)')) k (kind, text), dpsens.local_sensitivity('plain(t)', kind, 1) l;

-- Under add_remove any row may be added.
CREATE TABLE a (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('a', unit => 'id'), dpsens.set_range('a', 'x', -1, 6), dpsens.register('plain', 'a', 'x');
INSERT INTO a VALUES (1, 2), (2, 3);
SELECT is(l::text, '(2,6,6,6)', 'a row more') FROM dpsens.local_sensitivity('plain(a)', 'sum', 1) l;

-- Refused.
SELECT throws_ok(format($$SELECT dpsens.local_sensitivity('plain(%s)', %L, %L)$$, relation, kind, beta), state, message, format('%s, %s, %s', relation, kind, beta))
FROM (VALUES ('a', 'mean', '1', '0A000', 'the local sensitivity of a mean is not supported under this adjacency'), ('t', 'mode', '1', '22023', 'unrecognized statistic "mode"'),
    ('t', 'sum', '0', '22023', 'beta must be a positive number'), ('t', 'sum', 'Infinity', '22023', 'beta must be a positive number'),
    ('t', 'sum', 'NaN', '22023', 'beta must be a positive number')) r (relation, kind, beta, state, message);
CREATE TABLE open (x float8 NOT NULL);
SELECT dpsens.set_range('open', 'x', 0, 1), dpsens.register('plain', 'open', 'x');
SELECT throws_ok($$SELECT dpsens.local_sensitivity('plain(open)', 'sum', 1)$$, '55000', 'relation "open" is not protected', 'not protected');
CREATE TABLE visits (patient int NOT NULL, x float8 NOT NULL);
SELECT dpsens.protect('visits', unit => 'patient', max_rows => 2), dpsens.set_range('visits', 'x', 0, 1), dpsens.register('plain', 'visits', 'x');
SELECT throws_ok($$SELECT dpsens.local_sensitivity('plain(visits)', 'sum', 1)$$, '0A000', 'local sensitivities of units of several rows are not supported', 'several rows');
SELECT is(l::text, NULL, 'NULL') FROM (SELECT dpsens.local_sensitivity('plain(t)', NULL, 1) AS l) n;
SELECT * FROM finish();
ROLLBACK;
