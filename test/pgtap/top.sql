-- dp_top: several of a column's declared values, the most frequent first: which, by what law, at what cost, and what is refused.
-- Files: agg/families/top.c, agg/families/mode.c, agg/families/release.c.
--
-- The law is seen in 8,000 draws of two of three values: chi-squared of 5 degrees of freedom is above 47 with a probability below 1e-8. Noise cannot be seeded.
\set ON_ERROR_STOP 1
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA top_tap;
SET search_path = top_tap, public;
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;
SELECT plan(31);

CREATE TYPE shade AS ENUM ('red', 'green', 'blue');
CREATE TABLE t (id int PRIMARY KEY, s text, e shade NOT NULL, b boolean NOT NULL, n int NOT NULL, g int NOT NULL);
-- 40 of u, 30 of v, 20 of w, 10 of x; y nowhere; some that are not declared
INSERT INTO t SELECT i, CASE WHEN i <= 40 THEN 'u' WHEN i <= 70 THEN 'v' WHEN i <= 90 THEN 'w' WHEN i <= 100 THEN 'x' WHEN i <= 110 THEN 'z' END,
    CASE WHEN i % 3 = 0 THEN 'blue' ELSE 'green' END::shade, i % 4 = 0, i, i % 2 FROM generate_series(1, 120) i;
SELECT dpsens.protect('t', unit => 'id'), dpsens.set_values('t', 's', 'u', 'v', 'w', 'x', 'y'), dpsens.set_values('t', 'g', '0', '1', '2') \g /dev/null

-- which
SET dpsens.noise = off;
SELECT is(dp_top(s, 3), '{u,v,w}'::text[], 'without noise the most frequent, in their order') FROM t;
SELECT is(dp_top(s, 1), ARRAY[dp_mode(s)], 'one of them is the mode') FROM t;
SELECT is(dp_top(s, 5), '{u,v,w,x,y}'::text[], 'all of them, those that nobody has at the end') FROM t;
SELECT is(dp_top(e, 2), '{green,blue}'::shade[], 'of an enum') FROM t;
SELECT is(dp_top(b, 2), '{f,t}'::boolean[], 'of a boolean') FROM t;
SELECT is(dp_top(s, 2) FILTER (WHERE n > 70), '{w,x}'::text[], 'with FILTER') FROM t;
SELECT is(array_agg(top ORDER BY g), ARRAY['{u,v}', '{u,v}', NULL]::text[], 'by groups; NULL of no rows') FROM (SELECT g, dp_top(s, 2)::text AS top FROM t GROUP BY g) q;
SET dpsens.noise = on;
SELECT is(dp_top(s, 4, 64), '{u,v,w,x}'::text[], 'at a large epsilon, too') FROM t;
SELECT is(cardinality(dp_top(s, 3)), 3, 'as many as were asked for') FROM t;
SELECT is((SELECT count(DISTINCT x) FROM unnest(top) x), 5::bigint, 'none of them twice') FROM (SELECT dp_top(s, 5, 0.01) AS top FROM t) q;
SELECT is(mechanism, 'permute_flip', 'one value is drawn as a mode is') FROM dpsens.explain('SELECT dp_top(s, 1) FROM t');
SELECT is(pg_typeof(dp_top(e, 2))::text, 'shade[]', 'an array of the type of the column') FROM t;
PREPARE several(int) AS SELECT cardinality(dp_top(s, $1)) FROM t;
SELECT results_eq('EXECUTE several(2)', 'VALUES (2)', 'a parameter');
SELECT results_eq('EXECUTE several(4)', 'VALUES (4)', 'and another value of it');

-- the law: 5, 4 and 2 rows; at epsilon 1 each of two draws is of weight exp(-d / 2), by the exponential mechanism
CREATE TABLE many (id int PRIMARY KEY, k int NOT NULL, s text NOT NULL);
INSERT INTO many SELECT i, i / 11, CASE WHEN i % 11 < 5 THEN 'u' WHEN i % 11 < 9 THEN 'v' ELSE 'w' END FROM generate_series(0, 2199) i;
SELECT dpsens.protect('many', unit => 'id'), dpsens.set_values('many', 's', 'u', 'v', 'w'), dpsens.set_values('many', 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(0, 199) i)) \g /dev/null
CREATE TABLE drawn (first text, second text);
SET dpsens.mechanism = gaussian;
DO $$ BEGIN FOR i IN 1 .. 40 LOOP
    INSERT INTO drawn SELECT top[1], top[2] FROM (SELECT k, dp_top(s, 2) AS top FROM many GROUP BY k) q;
END LOOP; END $$;
RESET dpsens.mechanism;
CREATE TABLE weights (s text, w float8);
INSERT INTO weights VALUES ('u', exp(5 / 2.0)), ('v', exp(4 / 2.0)), ('w', exp(2 / 2.0));
SELECT ok(sum((coalesce(o, 0) - 8000 * p) ^ 2 / (8000 * p)) < 47 AND count(*) = 6, format('draws have the law of the exponential mechanism without what was drawn: chi-squared is %s', round(sum((coalesce(o, 0) - 8000 * p) ^ 2 / (8000 * p))::numeric, 1)))
FROM (SELECT a.s AS first, b.s AS second, a.w / (SELECT sum(w) FROM weights) * b.w / (SELECT sum(w) FROM weights WHERE s <> a.s) AS p FROM weights a JOIN weights b ON a.s <> b.s) l
    LEFT JOIN (SELECT first, second, count(*)::float8 AS o FROM drawn GROUP BY 1, 2) d USING (first, second);

-- what it costs
SELECT results_eq($$SELECT mechanism, round(cost_epsilon::numeric, 6)::float8, note FROM dpsens.explain('SELECT dp_top(s, 3) FROM t')$$,
    $$VALUES ('exponential', 1::float8, '3 of the values drawn by the exponential mechanism, each at an equal part of epsilon; scale and error are in rows: how much rarer an answer may be than the most frequent value that is left')$$, 'three draws cost epsilon');
SELECT ok(top = 3 * mode, 'the scale is that of a third of it') FROM (SELECT max(noise_scale) FILTER (WHERE aggregate ~ 'top') AS top, max(noise_scale) FILTER (WHERE aggregate ~ 'mode') AS mode FROM dpsens.explain('SELECT dp_top(s, 3), dp_mode(s) FROM t')) q;
SET dpsens.mechanism = gaussian;
SELECT ok(mechanism = 'exponential' AND abs(cost_rho - 3 * (1 / 3.0) ^ 2 / 8) < 1e-6, 'by rho three times that of a third of epsilon') FROM dpsens.explain('SELECT dp_top(s, 3) FROM t');
RESET dpsens.mechanism;
CREATE TABLE paid (LIKE t INCLUDING ALL);
SELECT dpsens.protect('paid', unit => 'id'), dpsens.set_values('paid', 's', 'u', 'v', 'w', 'x') \g /dev/null
SELECT cardinality(dp_top(s, 3)) FROM paid \g /dev/null
SELECT is((SELECT format('%s %s %s', mechanism, round(charge_epsilon::numeric, 6), joined) FROM dpsens.releases WHERE relation = 'top_tap.paid' ORDER BY release DESC LIMIT 1), 'exponential 1.000000 {3}', 'the ledger has them');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'top_tap.paid'), true, 'and can be verified');

-- neighbours
CREATE TABLE other (LIKE t INCLUDING ALL);
SELECT dpsens.protect('other', unit => 'id', adjacency => 'replace'), dpsens.set_values('other', 's', 'u', 'v', 'w') \g /dev/null
SELECT is(noise_scale, 4::float8, 'under replace two counts change') FROM dpsens.explain('SELECT dp_top(s, 2) FROM other');
SELECT dpsens.protect('other', unit => 'id', adjacency => 'metric') \g /dev/null
SELECT throws_ok('SELECT dp_top(s, 2) FROM other', '0A000', NULL, 'not under metric');

-- what is refused
SELECT throws_ok(format('SELECT %s FROM t', call), code, message, call) FROM (VALUES
    ('dp_top(s, 0)', '22023', 'there must be 1 to 128 values, not 0'), ('dp_top(s, 129)', '22023', 'there must be 1 to 128 values, not 129'),
    ('dp_top(s, NULL)', '22004', 'the number of values must not be null'), ('dp_top(s, n)', '22023', 'the number of values must be a constant or a parameter'),
    ('dp_top(s, 6)', '0A000', 'dp_top cannot be answered under adjacency add_remove: only 5 values are declared'), ('dp_top(n, 2)', '55000', 'dp_top needs a column whose values are declared'), ('dp_top(DISTINCT s, 2)', '0A000', NULL),
    ('dp_top(s, 2) OVER ()', '0A000', NULL), ('dpsens_internal.release_keys(NULL, NULL, ARRAY[1])', '42501', 'function dpsens_internal.release_keys cannot be called directly')) q (call, code, message);

SELECT * FROM finish();
DROP SCHEMA top_tap CASCADE;
