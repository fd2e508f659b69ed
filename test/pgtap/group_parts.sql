-- More declared groups than work_mem holds: answers are those of one block, bit for
-- bit, and no file stays behind.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA parts_tap;
SET search_path = parts_tap, public;
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
SELECT plan(144);

CREATE TABLE rows (id int PRIMARY KEY, k int NOT NULL, m int NOT NULL, a float8, b numeric(8, 3) NOT NULL, f boolean NOT NULL);
INSERT INTO rows SELECT i, hashint4(i) & 8191, i % 3, CASE WHEN i % 7 <> 0 THEN (i % 1000) / 1000.0 END, i % 500 / 8.0, i % 2 = 0 FROM generate_series(1, 12000) i;
CREATE TABLE none (k int NOT NULL, a float8 NOT NULL);
DO $$
BEGIN
    PERFORM dpsens.protect('rows'), dpsens.protect('none'), dpsens.set_range('rows', 'a', 0, 1), dpsens.set_range('rows', 'b', 0, 100), dpsens.set_range('none', 'a', 0, 1);
    PERFORM dpsens.set_values(t, 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(0, 8191) i)) FROM unnest(ARRAY['rows', 'none']::regclass[]) t;
    PERFORM dpsens.set_values('rows', 'm', '2', '0');
END $$;

CREATE FUNCTION answer(query text, memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(q::text, '','')) FROM (%s) q', query) INTO result;
    RETURN result;
END $$;
-- the aggregate that computes the states
CREATE FUNCTION states(query text, memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; result text;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        result := COALESCE(substring(line FROM '(dpsens_internal\.exact_(parts|groups|state|vector))\('), result);
    END LOOP;
    RETURN result;
END $$;

CREATE TABLE queries (name text, query text);
INSERT INTO queries VALUES
    ('a sum', 'SELECT k, dp_sum(b) FROM rows GROUP BY k'),
    ('sums', 'SELECT k, dp_sum(a), dp_sum(b), dp_count(*) FROM rows GROUP BY k'),
    ('filters', 'SELECT k, dp_sum(a) FILTER (WHERE f), dp_count(a), dp_sum(b) FILTER (WHERE b > 10 AND f) FROM rows GROUP BY k'),
    ('a condition', 'SELECT k, dp_sum(a) FROM rows WHERE f AND id % 5 < 3 GROUP BY k'),
    ('two keys', 'SELECT m, k, dp_sum(b), dp_count(*) FROM rows GROUP BY m, k'),
    ('two keys, the other way round', 'SELECT m, k, dp_sum(b), dp_count(*) FROM rows GROUP BY k, m'),
    ('moments', 'SELECT k, dp_variance(a), dp_avg(a) FROM rows GROUP BY k'),
    ('an expression', 'SELECT k, dp_sum(exp(a) * b) FROM rows GROUP BY k'),
    ('an order', 'SELECT k, dp_sum(a) AS n FROM rows GROUP BY k ORDER BY 2 DESC, 1'),
    ('an order of keys', 'SELECT k, dp_sum(a) FROM rows GROUP BY k ORDER BY k DESC'),
    ('an order of other things', 'SELECT k, dp_sum(a) FROM rows GROUP BY k ORDER BY k % 10, k'),
    ('some keys', 'SELECT k, s FROM (SELECT k, dp_sum(a) AS s FROM rows GROUP BY k) q WHERE k % 100 = 7 ORDER BY k DESC LIMIT 20'),
    ('a window', 'SELECT k, s, rank() OVER (ORDER BY k DESC), sum(s) OVER (PARTITION BY k % 10) FROM (SELECT k, dp_sum(a) AS s FROM rows GROUP BY k) q ORDER BY 1'),
    ('read twice', 'WITH q AS MATERIALIZED (SELECT k, dp_sum(a) AS s FROM rows GROUP BY k) SELECT x.k, x.s, y.s FROM q x JOIN q y ON x.k = 8191 - y.k ORDER BY 1'),
    ('read again for each', 'SELECT i, max(s) FROM generate_series(1, 3) i, (SELECT k, dp_sum(a) AS s FROM rows GROUP BY k) q WHERE q.k % i = 0 GROUP BY i ORDER BY i'),
    ('HAVING', 'SELECT k, dp_sum(a) FROM rows GROUP BY k HAVING dp_count(*) > 2'),
    ('no rows', 'SELECT k, dp_sum(a) FROM none GROUP BY k'),
    ('no rows that count', 'SELECT k, dp_sum(a) FROM rows WHERE id < 0 GROUP BY k');

SELECT is(states(query, '4MB'), 'dpsens_internal.exact_groups', name || ': one block') FROM queries;
SELECT is(states(query, '96kB'), 'dpsens_internal.exact_parts', name || ': parts') FROM queries;
SELECT is(answer(query, '96kB'), answer(query, '4MB'), name) FROM queries;
SET dpsens.enable_table_sums = off;
SELECT is(answer(query, '96kB'), answer(query, '4MB'), name || ', by rows') FROM queries;
SET dpsens.enable_row_sums = off;
SELECT is(answer(query, '96kB'), answer(query, '4MB'), name || ', by the aggregate') FROM queries;
RESET dpsens.enable_row_sums;
RESET dpsens.enable_table_sums;
SET dpsens.enable_group_states = off;
SELECT is(answer(query, '4MB'), r, name || ', as other states') FROM (SELECT name, query, answer(query, '4MB') AS r FROM queries) q;
RESET dpsens.enable_group_states;
-- so little that there would be too many files
SELECT isnt(states('SELECT k, m, dp_sum(a), dp_sum(b), dp_count(*) FROM rows GROUP BY k, m', '64kB'), 'dpsens_internal.exact_parts', 'too many files');
SELECT is(answer('SELECT k, m, dp_sum(a), dp_sum(b), dp_count(*) FROM rows GROUP BY k, m', '64kB'), answer('SELECT k, m, dp_sum(a), dp_sum(b), dp_count(*) FROM rows GROUP BY k, m', '256MB'), 'other states in their place');

-- twice in a statement, in a prepared one, and in parallel plans
SET work_mem = '96kB';
SELECT is((SELECT sum(x.n) || ' ' || sum(y.n) FROM (SELECT k, dp_count(a) AS c, dp_count(*) AS n, dp_sum(b) FROM rows GROUP BY k) x JOIN (SELECT k, dp_count(*) AS n, dp_sum(b) FROM rows WHERE f GROUP BY k) y ON x.k = y.k), '12000 6000', 'two at the same time');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT name AS always_parallel FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET :"always_parallel" = on;
SELECT is(answer(query, '96kB'), answer(query, '4MB'), name || ', with workers') FROM queries;
RESET :"always_parallel";
PREPARE p AS SELECT sum(n)::numeric FROM (SELECT k, round(dp_sum(b * 0 + 1)) AS n FROM rows WHERE id <= $1 GROUP BY k) q;
CREATE FUNCTION executed(n int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE result numeric;
BEGIN
    EXECUTE format('EXECUTE p(%s)', n) INTO result;
    RETURN result;
END $$;
SELECT is(executed(n * 1000), n * 1000::numeric, format('%s000 rows', n)) FROM generate_series(1, 7) n;

-- what is not read to its end leaves nothing, nor what fails or is taken back
BEGIN;
DECLARE c CURSOR FOR SELECT k, dp_sum(a) FROM rows GROUP BY k;
FETCH 10 FROM c \g /dev/null
CLOSE c;
DECLARE c CURSOR FOR SELECT k, dp_sum(a) FROM rows GROUP BY k;
FETCH 10 FROM c \g /dev/null
SAVEPOINT s;
DECLARE d CURSOR FOR SELECT k, dp_sum(a) FROM rows GROUP BY k;
FETCH 6000 FROM d \g /dev/null
ROLLBACK TO s;
FETCH 10 FROM c \g /dev/null
COMMIT;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT k, dp_sum(b) AS n FROM rows GROUP BY k;
FETCH 5 FROM c \g /dev/null
COMMIT;
MOVE FORWARD 8000 FROM c;
SELECT throws_ok('SELECT k, dp_sum(a) / (k - 6000) FROM rows GROUP BY k', '22012', NULL, 'an error on the way');
-- a cursor that fails in a subtransaction is closed by the transaction around it
CREATE FUNCTION fail_within() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c refcursor;
BEGIN
    OPEN c FOR EXECUTE 'SELECT k, dp_sum(a) / (k - 1000) FROM rows GROUP BY k';
    BEGIN
        MOVE FORWARD ALL FROM c;
    EXCEPTION WHEN division_by_zero THEN
        NULL;
    END;
    CLOSE c;
    RETURN answer('SELECT k, dp_sum(a) FROM rows GROUP BY k', '96kB');
END $$;
SELECT is(fail_within(), answer('SELECT k, dp_sum(a) FROM rows GROUP BY k', '4MB'), 'an error within');
SET dpsens.enable_table_sums = off;
SELECT is(fail_within(), answer('SELECT k, dp_sum(a) FROM rows GROUP BY k', '4MB'), 'an error within, by rows');
SET dpsens.enable_row_sums = off;
SELECT is(fail_within(), answer('SELECT k, dp_sum(a) FROM rows GROUP BY k', '4MB'), 'an error within, by the aggregate');
RESET dpsens.enable_row_sums;
RESET dpsens.enable_table_sums;
BEGIN;
DECLARE e CURSOR FOR SELECT k, dp_sum(a) FROM rows GROUP BY k;
FETCH 10 FROM e \g /dev/null
ROLLBACK;
CLOSE c;
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'no files are left');
SELECT is((SELECT sum(n) FROM (SELECT k, dp_count(*) AS n, dp_sum(b) FROM rows GROUP BY k LIMIT 3) q), (SELECT count(*)::numeric FROM rows WHERE k < 3), 'LIMIT');
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'nor by LIMIT');
SELECT throws_ok(q, '42501', NULL, q) FROM unnest(ARRAY['SELECT dpsens_internal.exact_parts(NULL::dpsens_internal.plan, 1)']) q;
SELECT * FROM finish();
DROP SCHEMA parts_tap CASCADE;
