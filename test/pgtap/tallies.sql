-- Quantiles, extremes, histograms, truth values, modes and distinct counts: the same
-- as the plain aggregates without noise, in any shape of query; sensitivities
-- under every adjacency; what answers with noise can be; what is charged;
-- refusals.
--
-- Of what is drawn, only what always holds is tested here: test/stat/tallies.sql
-- has the distributions.
-- Files: agg/tally.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(448);

CREATE SCHEMA tallies_tap;
SET search_path = tallies_tap, public;
CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad');
-- a is an integer; x is a number, sometimes missing; s is a private key, ps and p
-- are public
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, x float8, m numeric NOT NULL, s text, feels mood, flag boolean, ps text NOT NULL, p int NOT NULL);
INSERT INTO t SELECT i, (i * 7919) % 90, CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 1e300 WHEN 3 THEN '-Infinity' ELSE (i * 31) % 1000 / 8.0 END,
    (i % 500) / 4.0, (ARRAY['u', 'v', NULL, 'elsewhere', 'v'])[1 + i % 5], (ARRAY['fine', 'fine', 'sad', NULL])[1 + i % 4]::mood,
    CASE i % 6 WHEN 0 THEN NULL ELSE i % 6 > 2 END, (ARRAY['x', 'y'])[1 + i % 2], i % 10
FROM generate_series(1, 4000) i;
CREATE TABLE nobody (LIKE t INCLUDING ALL);
CREATE TABLE one (LIKE t INCLUDING ALL);
INSERT INTO one SELECT * FROM t WHERE id = 4;
CREATE TABLE missing (LIKE t INCLUDING ALL);
INSERT INTO missing SELECT id, a, NULL, m, NULL, NULL, NULL, ps, p FROM t WHERE id < 4;
ANALYZE t;
CREATE FUNCTION annotate(one regclass, adjacency text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(one, unit => 'id', adjacency => adjacency);
    PERFORM dpsens.set_range(one, 'a', 0, 120), dpsens.set_range(one, 'x', 0, 128), dpsens.set_range(one, 'm', -5, 200), dpsens.set_range(one, 'p', 0, 9),
            dpsens.set_values(one, 's', 'u', 'v', 'w'), dpsens.set_values(one, 'ps', 'y', 'x'), dpsens.set_public(one, 'ps'),
            dpsens.set_public(one, 'p');
END $$;
SELECT annotate(one, 'add_remove') FROM unnest(ARRAY['t', 'nobody', 'one', 'missing']::regclass[]) one \g /dev/null
CREATE VIEW old AS SELECT id, a AS age, x * 2 AS doubled, s, flag FROM t WHERE a >= 40;
SET dpsens.epsilon = 1;

-- ---- without noise: the plain aggregates ----

CREATE FUNCTION rows_of(query text, VARIADIC settings text[] DEFAULT '{}') RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    item text;
    result text[];
BEGIN
    FOREACH item IN ARRAY settings LOOP
        PERFORM set_config(split_part(item, '=', 1), split_part(item, '=', 2), true);
    END LOOP;
    EXECUTE 'SELECT array_agg(to_json(q)::text) FROM (' || query || ') AS q' INTO result;
    RETURN result;
END $$;
SET dpsens.noise = off;
SET client_min_messages = error;

CREATE TABLE shape (dp text, plain text);
INSERT INTO shape VALUES
    ('dp_median(a) AS r', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY a) AS r'),
    ('dp_quantile(a, 0.25) AS r', 'percentile_disc(0.25) WITHIN GROUP (ORDER BY a) AS r'),
    ('dp_quantile(a, 1/3.0) AS r', 'percentile_disc(1/3.0) WITHIN GROUP (ORDER BY a) AS r'),
    ('dp_quantile(a, 0) AS r', 'min(a) AS r'),
    ('dp_quantile(a, 1) AS r', 'max(a) AS r'),
    ('dp_min(a) AS r', 'min(a) AS r'),
    ('dp_max(a, 0.5) AS r', 'max(a) AS r'),
    ('dp_quantile(a, ARRAY[0.75, 0, 0.5, 1]) AS r', 'percentile_disc(ARRAY[0.75, 0, 0.5, 1]) WITHIN GROUP (ORDER BY a) AS r'),
    ('dp_quantile(a, ''{0.1}''::float8[], 2) AS r', 'percentile_disc(ARRAY[0.1]) WITHIN GROUP (ORDER BY a) AS r'),
    -- a lattice of 1/512, which 1/8 is a multiple of; NaN does not count where NULL may stand
    ('dp_median(x) AS r', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY CASE WHEN x < 0 THEN 0 WHEN x <= 128 THEN x WHEN x <> ''NaN'' THEN 128 END) AS r'),
    ('dp_max(m) AS r', 'max(m)::float8 AS r'),
    ('dp_median(m * 2) AS r', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY m * 2)::float8 AS r'),
    ('dp_min(CASE WHEN a > 50 THEN a END) AS r', 'min(a) FILTER (WHERE a > 50) AS r'),
    ('dp_max(a) FILTER (WHERE x < 50) AS r', 'max(a) FILTER (WHERE x < 50) AS r'),
    ('dp_histogram(a, 12) AS r',
     'ARRAY[count(*) FILTER (WHERE a < 10), count(*) FILTER (WHERE a BETWEEN 10 AND 19), count(*) FILTER (WHERE a BETWEEN 20 AND 29), '
     'count(*) FILTER (WHERE a BETWEEN 30 AND 39), count(*) FILTER (WHERE a BETWEEN 40 AND 49), count(*) FILTER (WHERE a BETWEEN 50 AND 59), '
     'count(*) FILTER (WHERE a BETWEEN 60 AND 69), count(*) FILTER (WHERE a BETWEEN 70 AND 79), count(*) FILTER (WHERE a BETWEEN 80 AND 89), '
     'count(*) FILTER (WHERE a >= 90), 0, 0] AS r'),
    ('dp_histogram(x, ARRAY[-1, 0, 1, 50, 128]) AS r',
     'ARRAY[0, count(*) FILTER (WHERE x < 1), count(*) FILTER (WHERE x >= 1 AND x < 50), count(*) FILTER (WHERE x >= 50 AND x <> ''NaN'')] AS r'),
    ('dp_histogram(a, ARRAY[10, 20, 30]) AS r', 'ARRAY[count(*) FILTER (WHERE a >= 10 AND a < 20), count(*) FILTER (WHERE a BETWEEN 20 AND 30)] AS r'),
    ('dp_histogram(a, 1, 0.5) AS r', 'ARRAY[count(*)] AS r'),
    ('dp_bool_and(flag) AS r', 'bool_and(flag) AS r'),
    ('dp_bool_or(flag) AS r', 'bool_or(flag) AS r'),
    ('dp_bool_and(a < 90) AS r', 'bool_and(a < 90) AS r'),
    ('dp_bool_or(a > 200, 0.25) AS r', 'bool_or(a > 200) AS r'),
    ('dp_bool_or(a = 17 AND flag) AS r', 'bool_or(a = 17 AND flag) AS r'),
    ('dp_mode(s) AS r', 'mode() WITHIN GROUP (ORDER BY CASE WHEN s IN (''u'', ''v'', ''w'') THEN s END) AS r'),
    ('dp_mode(feels, 2) AS r', 'mode() WITHIN GROUP (ORDER BY feels) AS r'),
    ('dp_mode(flag) AS r', 'mode() WITHIN GROUP (ORDER BY flag) AS r'),
    ('dp_count(DISTINCT a) AS r', 'count(DISTINCT a) AS r'),
    ('dp_count(DISTINCT a / 7) AS r', 'count(DISTINCT a / 7) AS r'),
    ('dp_count(DISTINCT s, 0.5) AS r', 'count(DISTINCT s) FILTER (WHERE s IN (''u'', ''v'', ''w'')) AS r'),
    ('dp_count(DISTINCT feels) AS r', 'count(DISTINCT feels) AS r'),
    ('dp_count(DISTINCT flag) AS r', 'count(DISTINCT flag) AS r'),
    ('dp_count(DISTINCT a), dp_count(a), dp_mode(s), dp_quantile(a, ARRAY[0.25, 0.75]), dp_sum(a)',
     'count(DISTINCT a) AS dp_count, count(a) AS dp_count, mode() WITHIN GROUP (ORDER BY CASE WHEN s IN (''u'', ''v'', ''w'') THEN s END) AS dp_mode, '
     'percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY a) AS dp_quantile, sum(a) AS dp_sum');

SELECT is(rows_of('SELECT ' || dp || ' FROM t'), rows_of('SELECT ' || plain || ' FROM t'), dp) FROM shape;
SELECT is(rows_of('SELECT ' || dp || ' FROM t WHERE a % 3 = 1 AND ps = ''x'''), rows_of('SELECT ' || plain || ' FROM t WHERE a % 3 = 1 AND ps = ''x'''),
    dp || ', selected') FROM shape;
SELECT is(rows_of('SELECT ps, ' || dp || ' FROM t GROUP BY ps ORDER BY ps'), rows_of('SELECT ps, ' || plain || ' FROM t GROUP BY ps ORDER BY ps'),
    dp || ', in groups') FROM shape;
-- the same from parallel workers, in a hash table that spills, and from sorted input
SELECT is(rows_of('SELECT ' || dp || ' FROM t', 'parallel_setup_cost=0', 'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0',
                  'max_parallel_workers_per_gather=3', 'jit=off'), rows_of('SELECT ' || plain || ' FROM t'), dp || ', in parallel') FROM shape;
SELECT is(rows_of('SELECT ps, ' || dp || ' FROM t GROUP BY ps', 'parallel_setup_cost=0', 'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0',
                  'max_parallel_workers_per_gather=3', 'enable_hashagg=off', 'jit=off'), rows_of('SELECT ps, ' || plain || ' FROM t GROUP BY ps ORDER BY ps DESC'),
    dp || ', in sorted groups in parallel') FROM shape;
SELECT is(rows_of('SELECT s, ' || dp || ' FROM t GROUP BY s', 'work_mem=64kB', 'enable_sort=off', 'jit=off'),
          rows_of('SELECT v.s, ' || replace(plain, 'FILTER (WHERE', 'FILTER (WHERE t.s = v.s AND') || ' FROM (VALUES (''u''), (''v'')) v (s) JOIN t USING (s) GROUP BY v.s ORDER BY v.s')
          || rows_of('SELECT ''w'' AS s, ' || dp || ' FROM nobody'), dp || ', in groups of a private key')
FROM shape WHERE dp NOT LIKE '%dp_mode(s)%' AND dp NOT LIKE '%DISTINCT s%';
SELECT is(rows_of('SELECT dp_median(age), dp_max(doubled), dp_histogram(age, ARRAY[40, 60, 90]), dp_bool_or(flag), dp_mode(s), dp_count(DISTINCT age) FROM old'),
    rows_of('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a) AS dp_median, 256 AS dp_max, '
            'ARRAY[count(*) FILTER (WHERE a < 60), count(*) FILTER (WHERE a >= 60)] AS dp_histogram, bool_or(flag) AS dp_bool_or, '
            '''v'' AS dp_mode, count(DISTINCT a) AS dp_count FROM t WHERE a >= 40'), 'over a view');
SELECT is(rows_of('SELECT dp_median(q.b), dp_mode(q.c) FROM (SELECT a + 1 AS b, feels AS c FROM t WHERE a > 3) q'),
    rows_of('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a + 1) AS dp_median, mode() WITHIN GROUP (ORDER BY feels) AS dp_mode FROM t WHERE a > 3'),
    'over a subquery');
-- the certified range follows the condition, and buckets follow the range
SELECT is(rows_of('SELECT dp_histogram(a, 3) AS r FROM t WHERE a BETWEEN 30 AND 59'),
    rows_of('SELECT ARRAY[count(*) FILTER (WHERE a < 39.666), count(*) FILTER (WHERE a BETWEEN 39.667 AND 49.333), count(*) FILTER (WHERE a > 49.334)] AS r '
            'FROM t WHERE a BETWEEN 30 AND 59'), 'buckets of a narrowed range');
PREPARE asked (int, float8) AS SELECT dp_median(a, $2), dp_count(DISTINCT a, $2), dp_histogram(a, 2, $2), dp_mode(s, $2) FROM t WHERE a > $1;
CREATE TABLE executed (median float8, n bigint, histogram bigint[], mode text);
DO $$
BEGIN
    FOR i IN 1..8 LOOP
        EXECUTE format('INSERT INTO executed EXECUTE asked (%s, 0.5)', 40);
    END LOOP;
EXCEPTION WHEN syntax_error THEN
    NULL;
END $$;
EXECUTE asked (40, 0.5) \g /dev/null
SELECT results_eq('EXECUTE asked (40, 0.5)', 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a)::float8, count(DISTINCT a), '
    'ARRAY[count(*) FILTER (WHERE a < 60), count(*) FILTER (WHERE a >= 60)], ''v''::text FROM t WHERE a > 40', 'prepared');
SELECT is(rows_of('SELECT dp_median(a), dp_bool_and(flag), dp_bool_or(flag), dp_mode(s), dp_count(DISTINCT a), dp_histogram(a, 2) FROM nobody'),
    ARRAY['{"dp_median":null,"dp_bool_and":null,"dp_bool_or":null,"dp_mode":null,"dp_count":0,"dp_histogram":[0,0]}'], 'nobody');
SET client_min_messages = warning;
RESET dpsens.noise;

-- ---- with noise: what an answer can be ----

CREATE TABLE drawn (of text, median float8, quantiles float8[], many float8[], low float8, high float8, histogram bigint[], every boolean, any_one boolean,
                    mode text, feeling mood, n bigint);
CREATE FUNCTION draw(one regclass, adjacency text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM annotate(one, adjacency);
    EXECUTE format('INSERT INTO drawn SELECT %L, dp_median(x), dp_quantile(a, ARRAY[0.25, 0.5, 1], 0.25), '
                   'dp_quantile(x, ARRAY[0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]), '
                   'dp_min(m, 0.01), dp_max(a), dp_histogram(x, 7, 0.1), dp_bool_and(flag), dp_bool_or(flag), dp_mode(s, 0.01), dp_mode(feels), '
                   'dp_count(DISTINCT a, 0.5) FROM %s WHERE s IS NULL OR s <> ''z''', adjacency, one);
END $$;
SELECT draw(one, adjacency) FROM unnest(ARRAY['t', 'nobody', 'one', 'missing']::regclass[]) one, unnest(ARRAY['add_remove', 'replace', 'attribute']) adjacency,
    generate_series(1, 5) \g /dev/null
SELECT is((SELECT count(*) FROM drawn), 60::bigint, 'every kind of table is answered');
SELECT is((SELECT count(*) FROM drawn WHERE num_nulls(median, quantiles, many, low, high, histogram, every, any_one, mode, feeling, n) > 0), 0::bigint,
    'no answer is null');
SELECT is((SELECT count(*) FROM drawn WHERE median NOT BETWEEN 0 AND 128 OR low NOT BETWEEN -5 AND 200 OR high NOT BETWEEN 0 AND 120), 0::bigint,
    'values lie in their ranges');
SELECT is((SELECT count(*) FROM drawn WHERE median * 512 <> trunc(median * 512) OR high <> trunc(high)
           OR EXISTS (SELECT FROM unnest(quantiles) q WHERE q <> trunc(q) OR q NOT BETWEEN 0 AND 120)
           OR EXISTS (SELECT FROM unnest(many) q WHERE q * 512 <> trunc(q * 512) OR q NOT BETWEEN 0 AND 128)), 0::bigint, 'and on the lattice; integers stay integers');
SELECT is((SELECT count(*) FROM drawn WHERE cardinality(quantiles) <> 3 OR cardinality(many) <> 21 OR cardinality(histogram) <> 7), 0::bigint,
    'as many as were asked for');
SELECT is((SELECT count(*) FROM drawn d, generate_series(2, 21) i WHERE d.many[i] < d.many[i - 1] OR d.quantiles[i] < d.quantiles[i - 1]), 0::bigint,
    'quantiles of one release never cross');
SELECT is((SELECT count(*) FROM drawn WHERE mode NOT IN ('u', 'v', 'w')), 0::bigint, 'modes are declared values');
SELECT cmp_ok((SELECT count(DISTINCT median) FROM drawn WHERE of = 'add_remove'), '>', 3::bigint, 'draws differ');
SELECT is((SELECT count(*) FROM (SELECT dp_quantile(a, ARRAY[0.5, 0.5]) AS q, dp_median(x) = dp_median(x) AS same FROM t) r WHERE same), 1::bigint,
    'a value that is used twice is drawn once');
SELECT lives_ok('SELECT dp_mode(s), dp_count(DISTINCT s), dp_median(a) FROM t GROUP BY s, ps, flag HAVING dp_median(a) > 1 ORDER BY dp_mode(s)', 'groups of three keys');

-- one possible answer: exact, but it must not tell whether there are rows
SELECT annotate('nobody', 'add_remove'), dpsens.set_values('nobody', 's', 'u') \g /dev/null
SELECT results_eq('SELECT dp_median(2), dp_quantile(2, ARRAY[0.5]), dp_min(2), dp_mode(s) FROM nobody', $$VALUES (2::float8, '{2}'::float8[], 2::float8, 'u'::text)$$,
    'one possible answer is given over no rows, too');

-- ---- sensitivities ----

CREATE FUNCTION sensitivity(query text, adjacency text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('t', unit => 'id', adjacency => adjacency);
    RETURN (SELECT e.sensitivity FROM dpsens.explain(query) e);
EXCEPTION WHEN feature_not_supported OR numeric_value_out_of_range THEN
    RETURN NULL;
END $$;
SELECT is(sensitivity('SELECT ' || query, adjacency), want::float8, adjacency || ': ' || query)
FROM (VALUES
    -- quantiles: ranges in ranks
    ('dp_median(a) FROM t', 1, 2, 2, NULL),
    ('dp_quantile(a, 0.9) FROM t', 1.8, 2, 2, NULL),
    ('dp_quantile(a, ARRAY[0.5, 0.9]) FROM t', 1.8, 2, 2, NULL),
    ('dp_min(a) FROM t', 2, 2, 2, NULL),
    ('dp_median(a) FROM t WHERE x > 5', 1, 2, 2, NULL),
    ('dp_median(p) FROM t WHERE x > 5', 1, 1, 1, NULL),
    ('dp_median(a) FROM t GROUP BY s', 1, 2, 2, NULL),
    ('dp_quantile(a, 0.9) FROM t GROUP BY s', 1.8, 3.6, 3.6, NULL),
    ('dp_max(a) FROM t GROUP BY s', 2, 4, 4, NULL),
    ('dp_median(a) FROM t GROUP BY ps', 1, 2, 2, NULL),
    ('dp_median(p) FROM t GROUP BY ps', 1, 0, 0, 0),
    ('dp_median(p) FROM t GROUP BY s', 1, 2, 2, NULL),
    ('dp_median(2) FROM t WHERE x > 5', 0, 0, 0, NULL),
    -- counts of buckets
    ('dp_histogram(a, 4) FROM t', 1, 2, 2, NULL),
    ('dp_histogram(a, 1) FROM t', 1, 1, 1, NULL),
    ('dp_histogram(p, 4) FROM t', 1, 0, 0, 0),
    ('dp_histogram(p, 4) FROM t WHERE a > 1', 1, 1, 1, NULL),
    ('dp_histogram(a, 4) FROM t GROUP BY s', 1, 2, 2, NULL),
    ('dp_histogram(p, 4) FROM t GROUP BY s', 1, 2, 2, NULL),
    -- rows that decide
    ('dp_bool_and(flag) FROM t', 1, 1, 1, NULL),
    ('dp_bool_or(a > 3) FROM t GROUP BY s', 1, 2, 2, NULL),
    ('dp_bool_or(p > 3) FROM t', 1, 0, 0, 0),
    ('dp_bool_or(p > 3) FROM t WHERE a > 3', 1, 1, 1, NULL),
    -- modes
    ('dp_mode(s) FROM t', 1, 2, 2, NULL),
    ('dp_mode(ps) FROM t', 1, 0, 0, 0),
    ('dp_mode(ps) FROM t WHERE a > 3', 1, 1, 1, NULL),
    ('dp_mode(ps) FROM t GROUP BY s', 1, 2, 2, NULL),
    -- distinct values
    ('dp_count(DISTINCT a) FROM t', 1, 1, 1, NULL),
    ('dp_count(DISTINCT s) FROM t', 1, 1, 1, NULL),
    ('dp_count(DISTINCT p) FROM t', 1, 0, 0, 0),
    ('dp_count(DISTINCT a) FROM t GROUP BY s', 1, 2, 2, NULL)
) AS queries (query, add_remove, replace, attribute, metric),
LATERAL (VALUES ('add_remove', add_remove), ('replace', replace), ('attribute', attribute), ('metric', metric)) AS adjacencies (adjacency, want);
-- one value, whatever the data: nothing is drawn and nothing spent
SELECT is((SELECT cost_epsilon FROM dpsens.explain('SELECT dp_median(2) FROM t')), 0::float8, 'a constant costs nothing');
SELECT annotate('t', 'replace') \g /dev/null
SELECT results_eq('SELECT ps, dp_median(p), dp_mode(ps), dp_histogram(p, 2), dp_bool_or(p > 8), dp_count(DISTINCT p) FROM t GROUP BY ps',
    'SELECT ps, percentile_disc(0.5) WITHIN GROUP (ORDER BY p)::float8, ps, ARRAY[count(*) FILTER (WHERE p < 4.5), count(*) FILTER (WHERE p > 4.5)], '
    'bool_or(p > 8), count(DISTINCT p) FROM t GROUP BY ps ORDER BY ps DESC', 'what is public under replace is exact');
SELECT annotate('t', 'add_remove') \g /dev/null

-- ---- units of several rows ----

CREATE TABLE visits (unit int, a int NOT NULL, x float8, m numeric NOT NULL, s text, feels mood, flag boolean, ps text NOT NULL, p int NOT NULL);
INSERT INTO visits SELECT id % 40, a, x, m, s, feels, flag, ps, p FROM t WHERE id <= 400;
CREATE FUNCTION of_units(query text, adjacency text, rows int, per_group int, groups int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('visits', 'unit', adjacency, coalesce(rows, 0), coalesce(per_group, 0), coalesce(groups, 0)), dpsens.set_range('visits', 'a', 0, 120), dpsens.set_values('visits', 's', 'u', 'v', 'w');
    RETURN (SELECT round(sensitivity::numeric, 6) || ' ' || round(noise_scale::numeric, 6) || ' ' || cost_epsilon FROM dpsens.explain(query));
END $$;
SELECT is(of_units('SELECT ' || query, adjacency, coalesce(rows, 0), coalesce(per_group, 0), coalesce(groups, 0)), want, format('%s of units of %s rows, %s', query, rows, adjacency))
FROM (VALUES
    ('dp_median(a) FROM visits', 'add_remove', 3, NULL::int, NULL::int, '3.000000 3.000000 1'),
    ('dp_median(a) FROM visits', 'replace', 3, NULL, NULL, '6.000000 6.000000 1'),
    ('dp_quantile(a, 0.9) FROM visits GROUP BY s', 'add_remove', 10, 2, 3, '10.800000 10.800000 1'),
    ('dp_min(a) FROM visits', 'add_remove', 4, NULL, NULL, '8.000000 8.000000 1'),
    ('dp_mode(s) FROM visits', 'add_remove', 5, NULL, NULL, '5.000000 5.000000 1'),
    ('dp_mode(s) FROM visits', 'replace', 5, NULL, NULL, '10.000000 10.000000 1'),
    ('dp_histogram(a, 3) FROM visits', 'add_remove', 5, NULL, NULL, '5.000000 5.000000 1'),
    ('dp_histogram(a, 3) FROM visits', 'replace', 5, NULL, NULL, '10.000000 10.000000 1'),
    ('dp_bool_or(flag) FROM visits', 'add_remove', 5, NULL, NULL, '5.000000 5.000000 1'),
    ('dp_count(DISTINCT a) FROM visits', 'add_remove', 5, NULL, NULL, '5.000000 5.000000 1'),
    ('dp_count(DISTINCT a) FROM visits GROUP BY s', 'replace', 5, NULL, NULL, '10.000000 10.000000 1')) AS v (query, adjacency, rows, per_group, groups, want);
SELECT throws_ok('SELECT of_units(''SELECT dp_median(a) FROM visits'', ''add_remove'', 65536, NULL, NULL)', '0A000',
    'dp_median cannot be answered under adjacency add_remove: a unit may have too many rows', 'too many rows');
SELECT of_units('SELECT dp_median(a) FROM visits', 'add_remove', 2, NULL, NULL) \g /dev/null
SET client_min_messages = error;
SET dpsens.noise = off;
-- two rows of each unit count, whichever they are; without a limit that tells, all
SELECT is((SELECT sum(h) FROM (SELECT dp_histogram(a, 5) AS b FROM visits) q, unnest(b) h), 80::numeric, 'rows beyond the limit do not count');
SELECT of_units('SELECT dp_median(a) FROM visits', 'add_remove', 10, NULL, NULL) \g /dev/null
SELECT is(rows_of('SELECT ' || dp || ' FROM visits'), rows_of('SELECT ' || plain || ' FROM visits'), dp || ', units of ten rows')
FROM shape WHERE dp ~ '^dp_(median|quantile|histogram)\(a|DISTINCT a|dp_mode\(s\)' AND dp NOT LIKE '%FILTER%';
RESET dpsens.noise;
SET client_min_messages = warning;
SELECT lives_ok('SELECT s, dp_median(a), dp_quantile(a, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]), dp_max(a), dp_mode(s), dp_histogram(a, 4), '
    'dp_bool_and(flag), dp_count(DISTINCT a) FROM visits GROUP BY s', 'all of them');

-- ---- neighbours ----

-- Without noise, what a row changes in the counts of all groups: never more than
-- the sensitivity that is stated.
CREATE TABLE before (LIKE t INCLUDING ALL);
CREATE TABLE after (LIKE t INCLUDING ALL);
INSERT INTO before SELECT * FROM t WHERE id % 331 = 7;
CREATE FUNCTION counts(one regclass) RETURNS TABLE (what text, counts float8[]) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT ''histogram'', array_agg(h::float8 ORDER BY s, i) FROM (SELECT s, dp_histogram(a, 7) AS b FROM %1$s GROUP BY s) q, unnest(b) WITH ORDINALITY u (h, i)', one);
    RETURN QUERY EXECUTE format('SELECT ''edges'', array_agg(h::float8 ORDER BY i) FROM (SELECT dp_histogram(x, ARRAY[0, 60, 128]) AS b FROM %1$s) q, unnest(b) WITH ORDINALITY u (h, i)', one);
    RETURN QUERY EXECUTE format('SELECT ''values'', array_agg(n::float8 ORDER BY s) FROM (SELECT s, dp_count(DISTINCT a) AS n FROM %1$s GROUP BY s) q', one);
    RETURN QUERY EXECUTE format('SELECT ''moods'', ARRAY[dp_count(DISTINCT feels)::float8] FROM %1$s', one);
END $$;
CREATE FUNCTION furthest(adjacency text, trials int) RETURNS TABLE (what text, l1 float8) LANGUAGE plpgsql AS $$
DECLARE
    one int;
BEGIN
    PERFORM annotate('before', adjacency), annotate('after', adjacency);
    CREATE TEMP TABLE changes (what text, l1 float8);
    FOR trial IN 1..trials LOOP
        TRUNCATE after;
        INSERT INTO after SELECT * FROM before;
        SELECT id INTO one FROM before ORDER BY id OFFSET trial - 1 LIMIT 1;
        DELETE FROM after WHERE id = one;
        IF adjacency <> 'add_remove' THEN
            INSERT INTO after SELECT one, o.a, o.x, o.m, o.s, o.feels, o.flag, b.ps, b.p
            FROM (SELECT * FROM t WHERE id = trial * 97) o, before b WHERE b.id = one;
        END IF;
        INSERT INTO changes SELECT c.what, (SELECT sum(abs(u.p - u.q)) FROM unnest(c.counts, d.counts) u (p, q))
        FROM counts('before') c JOIN counts('after') d USING (what);
    END LOOP;
    RETURN QUERY SELECT c.what, max(c.l1) FROM changes c GROUP BY c.what;
    DROP TABLE changes;
END $$;
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT results_eq('SELECT what, l1 FROM furthest(''add_remove'', 12) ORDER BY what COLLATE "C"', $$VALUES ('edges', 1::float8), ('histogram', 1), ('moods', 0), ('values', 1)$$,
    'a row removed');
SELECT results_eq('SELECT what, l1 FROM furthest(''replace'', 12) ORDER BY what COLLATE "C"', $$VALUES ('edges', 2::float8), ('histogram', 2), ('moods', 0), ('values', 2)$$,
    'a row replaced');
RESET dpsens.noise;
SET client_min_messages = warning;

-- ---- what it costs ----

CREATE FUNCTION cost(aggregate text) RETURNS text LANGUAGE sql
RETURN (SELECT format('%s %s %s %s %s', mechanism, round(noise_scale::numeric, 6), cost_epsilon, round(cost_rho::numeric, 9), cost_delta)
        FROM dpsens.explain('SELECT ' || aggregate || ' FROM t'));
SELECT is(cost(aggregate), want, aggregate || ' costs')
FROM (VALUES
    ('dp_median(a)', 'exponential 1.000000 1 0.125000000 0'),
    ('dp_median(a, 0.5)', 'exponential 2.000000 0.5 0.031250000 0'),
    ('dp_quantile(a, 0.9, 0.25)', 'exponential 7.200000 0.25 0.007812500 0'),
    ('dp_min(a)', 'exponential 2.000000 1 0.125000000 0'),
    ('dp_mode(s)', 'permute_flip 1.000000 1 0.462117158 0'),
    ('dp_quantile(a, ARRAY[0.25, 0.75], 0.5)', 'exponential 6.000000 0.5 0.015625000 0'),
    ('dp_histogram(a, 10)', 'geometric 1.000000 1 0.462117158 0'),
    ('dp_bool_or(flag)', 'geometric 1.000000 1 0.462117158 0'),
    ('dp_count(DISTINCT s)', 'geometric 1.000000 1 0.462117158 0')) AS v (aggregate, want);
SET dpsens.mechanism = 'gaussian';
SELECT is(cost('dp_median(a)'), 'exponential 1.000000 1 0.125000000 0', 'a quantile is drawn alike under gaussian');
SELECT is(cost('dp_mode(s)'), 'exponential 1.000000 1 0.125000000 0', 'a mode by the mechanism of the smaller rho');
SELECT is(cost('dp_histogram(a, 10)'), cost('dp_bool_and(flag)'), 'a histogram costs as much as one count');
SELECT ok(cost(format('dp_quantile(x, %L::float8[])', (SELECT array_agg(i / 100.0) FROM generate_series(1, 99) i))) LIKE 'gaussian % Infinity % 1e-06',
    'many quantiles are a tree of Gaussian counts');
RESET dpsens.mechanism;
SELECT cmp_ok((SELECT error_95_times_rows FROM dpsens.explain('SELECT dp_quantile(x, ARRAY[0.25, 0.5, 0.75]) FROM t')), '<',
    4 * (SELECT error_95_times_rows FROM dpsens.explain('SELECT dp_quantile(x, 0.25) FROM t')) + 1e-6, 'three quantiles err at most as four draws, however many values are equal');
SELECT is((SELECT error_95 FROM dpsens.explain('SELECT dp_median(a) FROM t', 1000)),
    (SELECT error_95_times_rows / 1000 FROM dpsens.explain('SELECT dp_median(a) FROM t')), 'the error of a quantile is a part of all values');

CREATE TABLE tenths (LIKE t INCLUDING ALL);
CREATE TABLE halves (LIKE t INCLUDING ALL);
SELECT annotate('tenths', 'add_remove'), annotate('halves', 'replace'), dpsens.set_budget('tenths', epsilon => 1), dpsens.set_budget('halves', epsilon => 1) \g /dev/null
SELECT lives_ok('SELECT dp_median(a, 0.1) FROM tenths', 'answer ' || i || ' of ten at 0.1') FROM generate_series(1, 10) i;
SELECT throws_ok('SELECT dp_median(a, 0.1) FROM tenths', NULL, NULL, 'and no more');
SELECT lives_ok('SELECT dp_quantile(x, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 0.25), dp_histogram(x, 100, 0.25), dp_mode(s, 0.25), dp_bool_or(flag, 0.125), '
    'dp_count(DISTINCT s, 0.125) FROM halves GROUP BY ps', 'several quantiles, buckets and groups are charged once');
SELECT throws_ok('SELECT dp_mode(s, 0.001) FROM halves', NULL, NULL, 'which used up the budget');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges can be computed again');
SELECT ok((SELECT bool_and(epsilon > 0 AND epsilon < 2) FROM dpsens.privacy_spent('tenths', 1e-6) WHERE accountant <> 'gdp'), 'every accountant knows the exponential mechanism');

-- units that have lost too much are left out; a draw costs them its whole epsilon
CREATE TABLE worn (LIKE t INCLUDING ALL);
INSERT INTO worn SELECT * FROM t WHERE id <= 50;
SELECT annotate('worn', 'add_remove'), dpsens.set_budget('worn', epsilon => 10, row_epsilon => 1) \g /dev/null
SELECT dp_median(a, 0.75) FROM worn \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.row_loss('worn') WHERE round(epsilon::numeric, 6) = 0.75), 50::bigint, 'a draw costs every unit its epsilon');

-- ---- refusals ----

SELECT throws_ok('SELECT ' || query, code, message, query)
FROM (VALUES
    ('dp_quantile(a, 1.5) FROM t', '22023', 'quantile 1.5 is not between 0 and 1'),
    ('dp_quantile(a, ''NaN''::float8) FROM t', '22023', 'quantile NaN is not between 0 and 1'),
    ('dp_quantile(a, p) FROM t', '22023', 'the quantile must be a constant or a parameter'),
    ('dp_quantile(a, random()) FROM t', '22023', 'the quantile must be a constant or a parameter'),
    ('dp_quantile(a, (SELECT 0.5)) FROM t', '22023', 'the quantile must be a constant or a parameter'),
    ('dp_quantile(a, ARRAY[0.5, p]) FROM t', '22023', 'the quantile must be a constant or a parameter'),
    ('dp_quantile(a, NULL::float8) FROM t', '22004', 'the quantile must not be null'),
    ('dp_quantile(a, ''{}''::float8[]) FROM t', '22023', 'there must be 1 to 128 quantiles, not 0'),
    ('dp_quantile(a, ''{0.5,NULL}''::float8[]) FROM t', '22023', 'the array must have one dimension and no nulls'),
    ('dp_quantile(a, ''{{0.5,0.6}}''::float8[]) FROM t', '22023', 'the array must have one dimension and no nulls'),
    ('dp_quantile(a, array_fill(0.5::float8, ARRAY[129])) FROM t', '22023', 'there must be 1 to 128 quantiles, not 129'),
    ('dp_quantile(a, ARRAY[0.5, 2]) FROM t', '22023', 'quantile 2 is not between 0 and 1'),
    ('dp_histogram(a, 0) FROM t', '22023', 'there must be 1 to 10000 buckets, not 0'),
    ('dp_histogram(a, 10001) FROM t', '22023', 'there must be 1 to 10000 buckets, not 10001'),
    ('dp_histogram(a, p) FROM t', '22023', 'the buckets must be a constant or a parameter'),
    ('dp_histogram(a, ARRAY[1]) FROM t', '22023', 'there must be 2 to 10001 edges of buckets, not 1'),
    ('dp_histogram(a, ARRAY[1, 1]) FROM t', '22023', 'edges of buckets must be finite and ascending'),
    ('dp_histogram(a, ''{1,2,Infinity}''::float8[]) FROM t', '22023', 'edges of buckets must be finite and ascending'),
    ('dp_median(a, 0) FROM t', '22023', 'epsilon 0 is outside the valid range'),
    ('dp_mode(a) FROM t', '55000', 'dp_mode needs a column whose values are declared'),
    ('dp_mode(s || ''x'') FROM t', '55000', 'dp_mode needs a column whose values are declared'),
    ('dp_count(DISTINCT x) FROM t', '55000', 'DISTINCT needs a column whose values are declared, or integers of a bounded range'),
    ('dp_count(DISTINCT a * 1000000) FROM t', '0A000', 'dp_count cannot be answered under adjacency add_remove: there are more than 65536 values that it can have'),
    ('dp_median(DISTINCT a) FROM t', '0A000', 'DISTINCT is not supported in dp_median'),
    ('dp_median(a) OVER () FROM t', '0A000', 'dp aggregates cannot be used as window functions'),
    ('dpsens_internal.release_values(NULL, NULL)', '42501', 'function dpsens_internal.release_values cannot be called directly'),
    ('dpsens_internal.release_key(NULL, NULL, ARRAY[1])', '42501', 'function dpsens_internal.release_key cannot be called directly')
) AS v (query, code, message);
PREPARE level (float8, int) AS SELECT dp_quantile(a, $1), cardinality(dp_histogram(a, $2)) AS n FROM t;
CREATE FUNCTION executed(level float8, buckets int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    median float8;
    n int;
BEGIN
    SELECT dp_quantile(a, level, 64), cardinality(dp_histogram(a, buckets)) INTO median, n FROM t;
    RETURN CASE WHEN abs(median - level * 90) < 20 THEN n END;
END $$;
SELECT is(executed((i % 10 + 0.5) / 11, i), i, 'a variable of PL/pgSQL, time ' || i) FROM generate_series(1, 12) i;
SELECT lives_ok('EXECUTE level (0.5, 3)', 'a parameter') FROM generate_series(1, 8);
SET plan_cache_mode = force_generic_plan;
SELECT throws_ok('EXECUTE level (0.5, 3)', '0A000', 'quantiles, buckets and levels that are parameters need a plan of their own', 'not in a plan for all values');
RESET plan_cache_mode;
SELECT throws_ok('EXECUTE level (1.5, 3)', '22023', 'quantile 1.5 is not between 0 and 1', 'a parameter out of range');

CREATE FUNCTION refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    hint text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN message || '; ' || hint;
END $$;
SELECT annotate('t', 'metric') \g /dev/null
SELECT is(refusal(format('SELECT %s(%s) FROM t', name, arguments)),
    name || ' cannot be answered under adjacency metric: however small a move of a value, it can change what is counted; '
    'Sums and means of continuous expressions can be answered.', name || ' under metric')
FROM (VALUES ('dp_median', 'a'), ('dp_quantile', 'a, ARRAY[0.5]'), ('dp_min', 'm'), ('dp_histogram', 'x, 3'), ('dp_count', 'DISTINCT a')) v (name, arguments);
SELECT is(refusal('SELECT dp_mode(s) FROM t'), 'a condition on a private column is not possible under metric adjacency; ', 'dp_mode under metric');
SELECT annotate('t', 'add_remove') \g /dev/null

-- a role without SELECT
DROP ROLE IF EXISTS tallies_ana;
CREATE ROLE tallies_ana;
GRANT USAGE ON SCHEMA tallies_tap TO tallies_ana;
SELECT dpsens.grant_budget('t', 'tallies_ana', epsilon => 100) \g /dev/null
SET ROLE tallies_ana;
SELECT lives_ok('SELECT ps, dp_median(a), dp_quantile(x, ARRAY[0.1, 0.9]), dp_min(m), dp_histogram(a, 4), dp_bool_or(flag), dp_mode(s), dp_mode(feels), '
    'dp_count(DISTINCT s), dp_count(DISTINCT a) FROM t WHERE a < 50 GROUP BY ps', 'all of them without SELECT');
RESET ROLE;
SELECT * FROM finish();

SELECT dpsens.revoke_budget('t', 'tallies_ana') \g /dev/null
DROP SCHEMA tallies_tap CASCADE;
DROP ROLE tallies_ana;
