-- Rows of units that are chosen in parallel, in memory and in files: the same
-- bits however they are read.
-- Files: agg/state/unit_table.c, agg/unit/unit_image.c, agg/unit/unit_key.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA unit_states_tap;
SET search_path = unit_states_tap, public;
SELECT plan(76);

CREATE DOMAIN code AS text;
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
-- 1,500 units of about ten rows, one of 9,000, and rows without a unit
CREATE TABLE numbers AS SELECT i, CASE WHEN i % 83 = 0 THEN NULL WHEN i % 5 < 2 THEN 7 ELSE (hashint4(i) & 2147483647) % 1500 END AS n
    FROM generate_series(1, 22500) i;
CREATE TABLE stays AS
SELECT n::int AS i4, n::smallint AS i2, n * 4000000000 AS i8, n::text AS t, n / 3.0::float8 AS f8, n / 7.0 AS num,
    md5(n::text)::uuid AS id, (repeat(md5(n::text), 66) || n)::text AS long, n::text::code AS dom, n::text::name AS nam,
    (CASE WHEN i % 2 = 0 THEN 'unit ' ELSE 'UNIT ' END || n)::text COLLATE caseless AS folded, n * interval '1 hour' AS span,
    (i * 7) % 5 AS kind, ((hashint4(i + 1) & 65535) % 50)::float8 AS a, CASE WHEN i % 3 > 0 THEN (i % 20)::float8 END AS b
FROM numbers;
ALTER TABLE stays ALTER kind SET NOT NULL, ALTER a SET NOT NULL;
CREATE TABLE kinds (kind int PRIMARY KEY, w float8 NOT NULL);
INSERT INTO kinds SELECT k, k FROM generate_series(0, 4) k;
VACUUM ANALYZE stays, kinds;

SET dpsens.epsilon = 1;
SET client_min_messages = error;
SET dpsens.noise = off;
SET hash_mem_multiplier = 1;
SET jit = off;

CREATE FUNCTION declare(unit text, m int, mg int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('stays', unit, 'add_remove', coalesce(m, 0), coalesce(mg, 0), coalesce(g, 0)), dpsens.set_range('stays', 'a', 0, 50), dpsens.set_range('stays', 'b', 0, 20),
        dpsens.set_range('kinds', 'w', 0, 4), dpsens.set_values('stays', 'kind', '0', '1', '2', '3', '4');
END $$;
CREATE TABLE queries (n int, query text);
INSERT INTO queries VALUES
    (1, 'SELECT dp_count(*) FROM stays'),
    (2, 'SELECT dp_sum(a), dp_count(b), dp_avg(b), dp_variance(a), dp_sum(a * b) FILTER (WHERE kind < 3) FROM stays'),
    (3, 'SELECT kind, dp_sum(a), dp_count(*), dp_avg(a * b), dp_covar_pop(a, b), dp_sum(b) FILTER (WHERE a > 20) FROM stays GROUP BY kind'),
    (4, 'SELECT s.kind, dp_sum(a * w), dp_count(*) FILTER (WHERE w > 1) FROM stays s JOIN kinds k ON k.kind = s.kind GROUP BY s.kind'),
    (5, 'SELECT kind, dp_count(*) FROM stays WHERE a > 100 GROUP BY kind');
\ir answer.psql
CREATE FUNCTION answers() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(answer(query), '/' ORDER BY n) FROM queries $$;
\ir plan_of.psql

CREATE TABLE ways (n int, way text, settings text[]);
INSERT INTO ways VALUES
    (0, 'alone', '{}'),
    (1, 'alone, by rows', '{dpsens.enable_table_sums=off}'),
    (2, 'alone, by files', '{work_mem=64kB}'),
    (3, 'alone, by rows and files', '{work_mem=64kB,dpsens.enable_table_sums=off}'),
    (4, 'one worker', '{max_parallel_workers_per_gather=1}'),
    (5, 'two workers', '{max_parallel_workers_per_gather=2}'),
    (6, 'four workers', '{max_parallel_workers_per_gather=4}'),
    (7, 'workers alone', '{max_parallel_workers_per_gather=2,parallel_leader_participation=off}'),
    (8, 'no worker comes', '{max_parallel_workers_per_gather=2,max_parallel_workers=0}'),
    (9, 'two workers, by rows', '{max_parallel_workers_per_gather=2,dpsens.enable_table_sums=off}'),
    (10, 'two workers, by files', '{max_parallel_workers_per_gather=2,work_mem=64kB}'),
    (11, 'two workers, some files', '{max_parallel_workers_per_gather=2,work_mem=300kB}'),
    (12, 'four workers, by rows and files', '{max_parallel_workers_per_gather=4,work_mem=64kB,dpsens.enable_table_sums=off}');
INSERT INTO ways VALUES (14, 'by the aggregate', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}'), (15, 'by the aggregate and files', '{work_mem=64kB,dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}');
INSERT INTO ways SELECT 13, 'where parallel plans are forced',
    ARRAY[CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END || '=on'];
CREATE FUNCTION set_way(which int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true)
    FROM unnest('{work_mem=64MB,max_parallel_workers_per_gather=0,max_parallel_workers=8,parallel_leader_participation=on,dpsens.enable_table_sums=on,dpsens.enable_row_sums=on,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}'::text[]
        || (SELECT settings FROM ways WHERE n = which)) s;
END $$;
CREATE FUNCTION by_way(which int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_way(which);
    RETURN answers();
END $$;
CREATE FUNCTION plan_by_way(which int, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_way(which);
    RETURN plan_of(query);
END $$;

-- ---- the same bits ----

CREATE TABLE bounds (unit text, m int, mg int, g int);
INSERT INTO bounds VALUES ('i4', 3, NULL, NULL), ('i4', 4, 2, NULL), ('i4', 5, 2, 2), ('i4', NULL, 3, 1), ('i4', 1, NULL, 2), ('i4', 100, 60, 2), ('i4', 900, 300, 3),
    ('i2', 5, 2, 2), ('i8', 5, 2, 2), ('t', 5, 2, 2), ('f8', 5, 2, 2), ('num', 5, 2, 2), ('id', 5, 2, 2), ('long', 5, 2, 2), ('dom', 5, 2, 2), ('nam', 5, 2, 2),
    ('folded', 5, 2, 2), ('span', 5, 2, 2);
CREATE TABLE alone (b bounds, answer text);
DO $$ DECLARE one bounds; BEGIN
    FOR one IN SELECT * FROM bounds LOOP
        PERFORM declare(one.unit, one.m, one.mg, one.g);
        INSERT INTO alone VALUES (one, by_way(0));
    END LOOP;
END $$;
CREATE FUNCTION declared_way(b bounds, which int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM declare(b.unit, b.m, b.mg, b.g);
    RETURN by_way(which);
END $$;
SELECT is(declared_way(b, n), answer, format('%s: %s', b, way)) FROM alone, ways WHERE n > 0 AND ((b).unit || (b).m = 'i45' OR n = 10 OR ((b).unit = 'i4' AND n IN (5, 12)));
SELECT is(count(DISTINCT answer), 7::bigint, 'the limits matter, the type of the unit does not') FROM alone;
SELECT is((SELECT count(*) FROM ways w WHERE n IN (4, 5, 6, 7, 8, 10, 11) AND
    plan_by_way(n, 'SELECT dp_sum(a) FROM stays') !~ 'added sums.*Gather.*Parallel Custom Scan .dpsens exact sums\)'), 0::bigint, 'workers read pages');
SELECT matches(plan_by_way(9, 'SELECT dp_sum(a) FROM stays'), 'added sums.*Gather.*Parallel Custom Scan .dpsens exact sums of rows.*Parallel Seq Scan', 'workers read rows');
SELECT declare('i4', 5, 2, 2);
SELECT matches(plan_by_way(5, query), 'added sums.*Gather.*Parallel Custom Scan .dpsens exact sums of rows.*Join', 'of joins, too') FROM queries WHERE n = 4;

-- what they should be: with a limit of rows only, each unit has as many as it may
CREATE FUNCTION by_way(which int, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_way(which);
    RETURN answer(query);
END $$;
DO $$ BEGIN PERFORM declare('long', 3, NULL, NULL); END $$;
SELECT is(by_way(n, 'SELECT dp_count(*) FROM stays'),
    (SELECT format('(%s)', sum(CASE WHEN i4 IS NULL THEN c ELSE least(c, 3) END)) FROM (SELECT i4, count(*) AS c FROM stays GROUP BY i4) q), format('counted: %s', way))
FROM ways WHERE n IN (3, 5, 10);

-- partitions, an index, a view of both
CREATE TABLE parted (unit int, a float8 NOT NULL, k int NOT NULL) PARTITION BY RANGE (k);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (3);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (3) TO (9);
INSERT INTO parted SELECT i4, a, kind FROM stays;
CREATE INDEX ON parted_1 (a);
CREATE INDEX ON parted_2 (a);
CREATE INDEX ON stays (a);
VACUUM ANALYZE parted, stays;
DO $$ BEGIN PERFORM declare('i4', 5, 2, 2), dpsens.protect('parted', 'unit', 'add_remove', 5, 2, 2), dpsens.set_range('parted', 'a', 0, 50),
    dpsens.set_values('parted', 'k', '0', '1', '2', '3', '4'); END $$;
SELECT is(by_way(n, 'SELECT k, dp_sum(a), dp_count(*) FROM parted GROUP BY k'), by_way(0, 'SELECT kind, dp_sum(a), dp_count(*) FROM stays GROUP BY kind'), format('partitions: %s', way)) FROM ways WHERE n IN (2, 5, 12);
SELECT is(by_way(n, 'SELECT k, dp_sum(a), dp_count(*) FROM parted WHERE a < 2 GROUP BY k'), by_way(0, 'SELECT kind, dp_sum(a), dp_count(*) FROM stays WHERE a < 2 GROUP BY kind'), format('an index: %s', way)) FROM ways WHERE n IN (0, 5, 10);
SET plan_cache_mode = force_generic_plan;
PREPARE below AS SELECT kind, dp_sum(a), dp_count(*) FROM stays WHERE a < $1 GROUP BY kind;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE first AS EXECUTE below(30);
CREATE TABLE second AS EXECUTE below(30);
SELECT results_eq('TABLE first', 'SELECT kind, dp_sum(a), dp_count(*) FROM stays WHERE a < 30 GROUP BY kind', 'a generic plan');
SELECT results_eq('TABLE second', 'TABLE first', 'executed again');

-- a cursor that goes back, and one that is left
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT kind, dp_sum(a), dp_count(*) FROM stays GROUP BY kind;
\ir went_back.psql
DECLARE d CURSOR FOR SELECT kind, dp_sum(a) FROM stays GROUP BY kind;
FETCH d \gset left_
CLOSE d;
COMMIT;
SELECT results_eq('TABLE again', 'SELECT kind, dp_sum(a), dp_count(*) FROM stays GROUP BY kind', 'a cursor that went back');

-- ---- a million units ----

CREATE TABLE many AS SELECT i AS unit, (i % 100)::float8 AS a FROM generate_series(1, 1000000) i;
INSERT INTO many SELECT (i - 1) * 1000 + 1, 1000 FROM generate_series(1, 1000) i, generate_series(1, 20);
ALTER TABLE many ALTER unit SET NOT NULL, ALTER a SET NOT NULL;
VACUUM ANALYZE many;
DO $$ BEGIN PERFORM dpsens.protect('many', 'unit', 'add_remove', 4), dpsens.set_range('many', 'a', 0, 100); END $$;
SELECT is(by_way(n, 'SELECT dp_count(*) FROM many'), '(1003000)', format('a million units: %s', way)) FROM ways WHERE n IN (0, 5);
SELECT is(by_way(n, 'SELECT dp_count(*), dp_sum(a) FROM many'), by_way(0, 'SELECT dp_count(*), dp_sum(a) FROM many'), format('a million units: %s', way)) FROM ways WHERE n IN (2, 5, 9, 10);

-- ---- files ----

SET temp_file_limit = '100kB';
SELECT is(by_way(n, 'SELECT dp_count(*) FROM many'), '(1003000)', format('no file where there is memory: %s', way)) FROM ways WHERE n IN (0, 5);
SELECT throws_ok(format('SELECT by_way(%s, ''SELECT dp_count(*) FROM many'')', n), '53400', NULL, format('files where there is not: %s', way)) FROM ways WHERE n IN (2, 10);
-- but for those who must not learn how many rows there are
CREATE ROLE unit_states_tap_ana;
GRANT USAGE ON SCHEMA unit_states_tap TO unit_states_tap_ana;
DO $$ BEGIN PERFORM dpsens.grant_budget('many', 'unit_states_tap_ana', epsilon => 1000); END $$;
SET dpsens.noise = on;
SET hash_mem_multiplier = 1;
SET work_mem = '64kB';
SET ROLE unit_states_tap_ana;
SET max_parallel_workers_per_gather = 0;
-- a count is off by 400 with probability exp(-100)
SELECT ok(abs(dp_count(*) - 1003000) < 400, 'alone') FROM many;
SET max_parallel_workers_per_gather = 2;
SELECT ok(abs(dp_count(*) - 1003000) < 400, 'with workers') FROM many;
RESET ROLE;
SET dpsens.noise = off;
RESET temp_file_limit;

-- in the middle of it
CREATE FUNCTION is_cancelled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN false;
EXCEPTION WHEN query_canceled THEN
    RETURN true;
END $$;
SET statement_timeout = '200ms'; -- clock: powers of a million numbers take a hundred times as long
SET max_parallel_workers_per_gather = 2;
SELECT ok(is_cancelled('SELECT dp_sum(a) FROM many WHERE unit::numeric ^ 30.3 > 0'), 'workers are cancelled');
SET max_parallel_workers_per_gather = 0;
SELECT ok(is_cancelled('SELECT dp_sum(a) FROM many WHERE unit::numeric ^ 30.3 > 0'), 'and who works alone');
RESET statement_timeout;
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'no file is left');
SELECT is(by_way(10, 'SELECT dp_count(*) FROM many'), '(1003000)', 'nor is anything else');

SELECT * FROM finish();
DROP SCHEMA unit_states_tap CASCADE;
DROP OWNED BY unit_states_tap_ana;
DROP ROLE unit_states_tap_ana;
