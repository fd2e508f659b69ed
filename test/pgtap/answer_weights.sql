-- Answers of a statement share epsilon by weights (dpsens.weights): which share, what each is asked and charged at, and
-- what is refused before anything is charged.
-- Files: guard/run/answer_weights.c, guard/run/found_releases.c, guard/sql_explain.c, glue/settings.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA weights_tap;
SET search_path = weights_tap, public;
SELECT plan(47);

CREATE TABLE t (id int PRIMARY KEY, a float8 NOT NULL, b float8 NOT NULL, k text NOT NULL CHECK (k IN ('x', 'y')), free text NOT NULL);
INSERT INTO t SELECT i, i % 10, i % 7, (ARRAY['x', 'y'])[1 + i % 2], 'all' FROM generate_series(1, 1000) i;
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'a', 0, 10), dpsens.set_range('t', 'b', 0, 10), dpsens.set_values('t', 'k', 'x', 'y'); END $$;
SET dpsens.epsilon = 0.5;
-- 3 and 1, of squares that add up to 2
\set high '3 / sqrt(5::float8)'
\set low '1 / sqrt(5::float8)'

CREATE FUNCTION factors(query text) RETURNS numeric[] LANGUAGE sql AS $$
    SELECT array_agg(round((e.epsilon / current_setting('dpsens.epsilon')::float8)::numeric, 6)) FROM dpsens.explain(query) e
$$;
-- what the releases of the statement were charged, in the order in which they ran
CREATE FUNCTION charged(query text) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
    latest bigint := (SELECT coalesce(max(release), 0) FROM dpsens.release); answer record;
BEGIN
    FOR answer IN EXECUTE query LOOP NULL; END LOOP;
    RETURN (SELECT array_agg(round((r.epsilon / current_setting('dpsens.epsilon')::float8)::numeric, 6) ORDER BY r.epsilon DESC, release) FROM dpsens.release r WHERE release > latest);
END $$;
SELECT round((:high)::numeric, 6) AS h, round((:low)::numeric, 6) AS l \gset

-- ---- which ----

SET dpsens.weights = '3, 1';
SELECT is(charged('SELECT dp_sum(a), dp_sum(b) FROM t'), ARRAY[:h, :l], 'two sums are charged by their weights');
SELECT is((SELECT array_agg(round((scales[1] * (r.epsilon / (sensitivities[1] / 1099511627776.0)))::numeric / 1099511627776, 6)) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 2) r),
    '{1,1}'::numeric[], 'and drawn at what they are charged');
SELECT is((SELECT array_agg(round(e.epsilon::numeric, 6)) FROM dpsens.explain('SELECT dp_sum(a), dp_sum(b) FROM t') e), ARRAY[round((0.5 * :high)::numeric, 6), round((0.5 * :low)::numeric, 6)], 'explain says so');
SELECT is((SELECT array_agg(note) FROM dpsens.explain('SELECT dp_sum(a), dp_sum(b) FROM t')), '{at 1.34 times epsilon,at 0.45 times epsilon}', 'and in words');
SELECT is((SELECT array_agg(aggregate || round(e.epsilon::numeric, 3)) FROM dpsens.explain('SELECT dp_sum(b), dp_sum(a) FROM t') e), '{dp_sum(b)0.671,dp_sum(a)0.224}', 'in the order in which they are written');
SELECT is((SELECT array_agg(aggregate || round(e.epsilon::numeric, 3)) FROM dpsens.explain('SELECT (SELECT dp_sum(b) FROM t), dp_sum(a) FROM t') e), '{dp_sum(b)0.671,dp_sum(a)0.224}', 'which is that of explain, with subqueries, too');
SELECT is(charged('SELECT (SELECT dp_sum(b) FROM t), dp_sum(a) FROM t'), ARRAY[:h, :l], 'which are charged so');
SELECT is((SELECT array_agg(round(r.epsilon::numeric, 3) ORDER BY expression) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 2) r), '{0.224,0.671}', 'each by its own');
SELECT is(charged('SELECT dp_sum(a), dp_count(true, 0.5), dp_sum(b) FROM t'), ARRAY[:h, 1, :l], 'an answer that names its epsilon does not share');
SELECT is(charged('SELECT k, dp_sum(a), dp_sum(b) FROM t GROUP BY k'), ARRAY[:h, :l], 'all groups of an answer have one weight');
SELECT is(charged('SELECT free, dp_sum(a), dp_sum(b) FROM t GROUP BY free'), ARRAY[:h, 1, :l], 'and to find out which groups there are has none');
SELECT is(charged('SELECT dp_stddev(a), dp_variance(a), dp_sum(b) FROM t'), ARRAY[:h, :l], 'answers from one release are one');
SELECT is(charged('SELECT dp_sum(a) + dp_sum(b), dp_sum(a) FROM t'), ARRAY[:h, :l], 'the same aggregate twice is one answer');
SELECT is(charged('SELECT dp_sum_ci(a), dp_avg(b) FROM t'), ARRAY[:h, :l], 'intervals and averages');
PREPARE two (float8) AS SELECT dp_sum(a), dp_sum(b, $1), dp_sum(a * b / 10) FROM t;
SELECT is((SELECT array_agg(round(r.epsilon::numeric, 3) ORDER BY r.epsilon) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 2) r), '{0.224,0.671}', 'of intervals as of sums');
SET plan_cache_mode = force_generic_plan;
EXECUTE two (0.25) \g /dev/null
SELECT is((SELECT array_agg(round(r.epsilon::numeric, 3) ORDER BY r.epsilon) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 3) r), '{0.224,0.25,0.671}', 'an epsilon that is a parameter is named');
SET dpsens.weights = '1, 3';
EXECUTE two (0.25) \g /dev/null
SELECT is((SELECT array_agg(round(r.epsilon::numeric, 3) ORDER BY release) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 3) r), '{0.224,0.25,0.671}', 'a prepared statement takes the weights of when it runs');
RESET plan_cache_mode;
SET dpsens.weights = '3, 1';

-- those of the statement's start, whoever fetches, and when
BEGIN;
DECLARE c CURSOR FOR SELECT dp_sum(a), dp_sum(b) FROM t;
SET LOCAL dpsens.weights = '1, 1';
SET LOCAL work_mem = '1MB';
FETCH c \g /dev/null
COMMIT;
SELECT is((SELECT array_agg(round(r.epsilon::numeric, 3) ORDER BY r.epsilon) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 2) r), '{0.224,0.671}', 'a cursor has the weights with which it began');

-- no dearer together
RESET dpsens.weights;
SELECT sum(cost_epsilon) AS even_epsilon, sum(cost_rho) AS even_rho FROM dpsens.explain('SELECT dp_sum(a), dp_sum(b) FROM t') \gset
SET dpsens.weights = '3, 1';
-- each cost is rounded up to the ledger's unit
SELECT ok((SELECT sum(cost_epsilon) <= :even_epsilon * (1 + 1e-9) AND sum(cost_rho) <= :even_rho * (1 + 1e-9) FROM dpsens.explain('SELECT dp_sum(a), dp_sum(b) FROM t')), 'together they cost no more than without');
SET dpsens.mechanism = gaussian;
SELECT is(charged('SELECT dp_sum(a), dp_sum(b) FROM t'), ARRAY[:h, :l], 'Gaussian noise is for the shares, too');
RESET dpsens.mechanism;
SET dpsens.weights = '7,7';
SELECT is(factors('SELECT dp_sum(a), dp_sum(b) FROM t'), '{1,1}'::numeric[], 'equal weights change nothing');
SELECT is((SELECT array_agg(note) FROM dpsens.explain('SELECT dp_sum(a), dp_sum(b) FROM t')), '{NULL,NULL}', 'and are not spoken of');
SET dpsens.weights = '5';
SELECT is(charged('SELECT dp_sum(a) FROM t'), '{1}'::numeric[], 'nor does one of a single answer');

-- ---- refused, and nothing is charged ----

SELECT max(release) AS latest FROM dpsens.release \gset
SET dpsens.weights = '3, 1';
SELECT throws_ok('SELECT dp_sum(a) FROM t', '22023', 'dpsens.weights does not have as many weights as there are answers that share epsilon', 'too many weights');
SELECT throws_ok('SELECT dp_sum(a), dp_sum(b), dp_count(*) FROM t', '22023', 'dpsens.weights does not have as many weights as there are answers that share epsilon', 'too few');
SELECT throws_ok('SELECT dp_sum(a, 1), dp_sum(b, 1) FROM t', '22023', 'dpsens.weights does not have as many weights as there are answers that share epsilon', 'none shares');
SELECT throws_ok($q$SELECT * FROM dpsens.explain('SELECT dp_sum(a) FROM t')$q$, '22023', 'dpsens.weights does not have as many weights as there are answers that share epsilon', 'explain says it, too');
SELECT throws_ok($q$SELECT dpsens.answers_left('SELECT dp_sum(a) FROM t')$q$, '22023', 'dpsens.weights does not have as many weights as there are answers that share epsilon', 'and what asks for costs');
SELECT throws_ok('SELECT k, dp_sum(a) FROM t GROUP BY ROLLUP (k)', '0A000', 'grouping sets that are made to add up do not share epsilon by weights', 'sets that are fitted');
SELECT throws_ok($q$SELECT * FROM dpsens.explain('SELECT k, dp_sum(a) FROM t GROUP BY ROLLUP (k)')$q$, '0A000', NULL, 'and explain');
SET dpsens.weights = '1000000, 0.000001';
SELECT throws_ok('SELECT dp_sum(a), dp_sum(b) FROM t', '22023', NULL, 'a share below the least epsilon');
SET dpsens.epsilon = 60;
SET dpsens.weights = '3, 1';
SELECT throws_ok('SELECT dp_sum(a), dp_sum(b) FROM t', '22023', NULL, 'or above the greatest');
SET dpsens.epsilon = 0.5;
SELECT is((SELECT max(release) FROM dpsens.release), :latest::bigint, 'nothing of it was charged');
SELECT throws_ok(format('SET dpsens.weights = %L', w), '22023', NULL, w || ' are no weights') FROM unnest('{"3,","3 4",",3","3,0","3,-1","nan, 1",inf,three,"1;2"}'::text[]) w;
SELECT throws_ok(format('SET dpsens.weights = %L', (SELECT string_agg('1', ',') FROM generate_series(1, 33))), '22023', NULL, 'nor are 33');

-- ---- limits of one answer are asked of the share ----

CREATE ROLE weights_tap_ana;
GRANT USAGE ON SCHEMA weights_tap TO weights_tap_ana;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA weights_tap TO weights_tap_ana;
DO $$ BEGIN PERFORM dpsens.grant_budget('t', 'weights_tap_ana', 10, 1e-6), dpsens.set_policy('t', epsilon => 0.6); END $$;
CREATE FUNCTION pg_temp.why(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; answer record;
BEGIN
    FOR answer IN EXECUTE query LOOP NULL; END LOOP;
    RETURN NULL;
EXCEPTION WHEN configuration_limit_exceeded THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN detail;
END $$;
SET ROLE weights_tap_ana;
SELECT is(pg_temp.why('SELECT dp_sum(a), dp_sum(b) FROM t'), 'The limit is 0.6. Answers of the statement share epsilon (dpsens.share_sets, dpsens.weights), and this one is asked with 1.34 times what is written.', 'a share beyond the limit of an answer is refused');
SET dpsens.epsilon = 0.4;
SELECT is(pg_temp.why('SELECT dp_sum(a), dp_sum(b) FROM t'), NULL, 'and within it is answered in a clean room');
RESET ROLE;
SELECT is((SELECT array_agg(round(r.epsilon::numeric, 3) ORDER BY r.epsilon) FROM (SELECT * FROM dpsens.release ORDER BY release DESC LIMIT 2) r), '{0.179,0.537}', 'at the shares');
RESET dpsens.weights;
SELECT is(charged('SELECT dp_sum(a), dp_sum(b) FROM t'), '{1,1}'::numeric[], 'without weights each has the whole');

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA weights_tap CASCADE;
DROP OWNED BY weights_tap_ana;
DROP ROLE weights_tap_ana;
