-- A node that sums the rows of any plan: chosen wherever it can be, and the same
-- bits as the server's aggregation.
-- Files: agg/scan/whole_rows.c, agg/scan/custom_scan.c, agg/state/block_share.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA row_sums_tap;
SET search_path = row_sums_tap, public;
SELECT plan(381);

CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TABLE t (gone int, id int NOT NULL, kind int NOT NULL, word text, scale size, a float8 NOT NULL, b float8, n numeric(8, 3) NOT NULL, i smallint NOT NULL, r real, f boolean NOT NULL);
INSERT INTO t SELECT i, i, i % 5, CASE WHEN i % 11 > 0 THEN 'word ' || i % 4 END, (enum_range(NULL::size))[1 + i % 3], (hashint4(i) & 65535) / 655.36, CASE WHEN i % 3 > 0 THEN i % 50 / 8.0 END, i % 700 / 8.0, i % 90,
    CASE WHEN i % 7 > 0 THEN i / 3.0 END, i % 2 = 0 FROM generate_series(1, 9000) i;
-- the same without and with a column that is gone
CREATE TABLE whole AS SELECT id, kind, word, scale, a, b, n, i, r, f FROM t;
ALTER TABLE t DROP COLUMN gone;
ALTER TABLE whole ADD PRIMARY KEY (id), ALTER kind SET NOT NULL, ALTER a SET NOT NULL, ALTER n SET NOT NULL, ALTER i SET NOT NULL, ALTER f SET NOT NULL;
CREATE INDEX ON whole (a);
CREATE INDEX ON whole (kind, i);
CREATE INDEX ON whole (n) INCLUDE (a, kind);
CREATE TABLE kinds (kind int PRIMARY KEY, w float8 NOT NULL, label text NOT NULL);
INSERT INTO kinds SELECT k, 1.5 * k, 'label ' || k % 2 FROM generate_series(0, 3) k;
-- partitions of one shape, and one of another
CREATE TABLE parted (LIKE whole) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (3000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (3000) TO (6000) PARTITION BY RANGE (id);
CREATE TABLE parted_2_1 PARTITION OF parted_2 FOR VALUES FROM (3000) TO (5000);
CREATE TABLE parted_2_2 PARTITION OF parted_2 FOR VALUES FROM (5000) TO (6000);
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM (6000) TO (10000);
INSERT INTO parted SELECT * FROM whole;
CREATE TABLE mixed (LIKE whole) PARTITION BY RANGE (id);
CREATE TABLE mixed_1 PARTITION OF mixed FOR VALUES FROM (0) TO (5000);
CREATE TABLE mixed_2 (f boolean NOT NULL, gone text, r real, i smallint NOT NULL, n numeric(8, 3) NOT NULL, b float8, a float8 NOT NULL, scale size, word text, kind int NOT NULL, id int NOT NULL);
ALTER TABLE mixed_2 DROP COLUMN gone;
ALTER TABLE mixed ATTACH PARTITION mixed_2 FOR VALUES FROM (5000) TO (10000);
INSERT INTO mixed SELECT * FROM whole;
-- rows that are older than a column
CREATE TABLE older (id int NOT NULL, kind int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE older_1 PARTITION OF older FOR VALUES FROM (0) TO (50);
CREATE TABLE older_2 PARTITION OF older FOR VALUES FROM (50) TO (200);
INSERT INTO older SELECT i, i % 5 FROM generate_series(1, 100) i;
ALTER TABLE older ADD a float8 NOT NULL DEFAULT 6.5;
INSERT INTO older SELECT i, i % 5, i % 10 FROM generate_series(101, 120) i;
CREATE TABLE grown (id int NOT NULL, a float8 NOT NULL);
INSERT INTO grown SELECT i, i % 7 FROM generate_series(1, 100) i;
ALTER TABLE grown ADD b float8, ADD c float8;
INSERT INTO grown SELECT i, i % 7, i % 5, CASE WHEN i % 2 = 0 THEN i % 3 END FROM generate_series(101, 150) i;
CREATE TABLE none (LIKE whole);
CREATE TABLE early (LIKE whole INCLUDING INDEXES);
CREATE TABLE late (LIKE whole INCLUDING INDEXES);
INSERT INTO early SELECT * FROM whole WHERE id <= 5000;
INSERT INTO late SELECT * FROM whole WHERE id > 5000;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM whole WHERE kind < 4;
VACUUM ANALYZE t, whole, kinds, parted, mixed, older, grown, none, early, late;

DO $$
DECLARE r regclass; c text;
BEGIN
    FOREACH r IN ARRAY ARRAY['t', 'whole', 'parted', 'mixed', 'none', 'early', 'late']::regclass[] LOOP
        PERFORM dpsens.protect(r, CASE WHEN r::text IN ('early', 'late') THEN 'id' END), dpsens.set_values(r, 'kind', '0', '1', '2', '3', '4'), dpsens.set_values(r, 'word', 'word 3', 'word 1', 'word 0', 'nothing'),
            dpsens.set_values(r, 'scale', 'large', 'small');
        FOREACH c IN ARRAY ARRAY['a', 'b', 'n', 'i', 'r'] LOOP
            PERFORM dpsens.set_range(r, c, 0, 90);
        END LOOP;
    END LOOP;
    PERFORM dpsens.protect('older'), dpsens.set_range('older', 'a', 0, 10), dpsens.protect('grown'), dpsens.set_range('grown', 'a', 0, 10), dpsens.set_range('grown', 'b',
    0, 10), dpsens.set_range('grown', 'c', 0, 10), dpsens.set_range('kinds', 'w', 0, 5), dpsens.set_values('kinds', 'label', 'label 1', 'label 0');
END $$;
SET dpsens.epsilon = 1;
SET dpsens.noise = off;
SET client_min_messages = error;
SET jit = off;

CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(q::text, ''|'') FROM (%s) q', query) INTO result;
    RETURN result;
EXCEPTION WHEN division_by_zero THEN
    RETURN sqlerrm;
END $$;
\ir plan_of.psql

-- what the plan below the node must show, and what makes it so
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, query text, shows text, settings text[] NOT NULL DEFAULT '{}');
INSERT INTO queries (query, shows, settings) VALUES
    ('SELECT dp_count(*) FROM whole', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_sum(i), dp_sum(r), dp_count(b), dp_avg(r), dp_variance(a), dp_covar_pop(a, b) FROM whole', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_sum(i) FROM t', 'Seq Scan on t', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a * b / (1 + i)), dp_sum(CASE WHEN f THEN a ELSE n END), dp_avg(exp(b / 50)) FROM whole WHERE r > 100', 'Seq Scan on whole\s+Filter', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a) FILTER (WHERE f AND word IS NOT NULL), dp_count(*) FILTER (WHERE length(word) > i), dp_sum(a), dp_count(*) FROM whole', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_count(*) FILTER (WHERE 100 / (i - 20) > 1) FROM whole', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE 100 / (i - 20) > 1', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT kind, dp_sum(a), dp_count(*), dp_sum(n) FROM whole GROUP BY kind', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT word, dp_sum(b), dp_count(b) FROM whole GROUP BY word', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT scale, word, kind, dp_sum(a * b), dp_sum(a) FILTER (WHERE f) FROM whole GROUP BY scale, word, kind', 'Seq Scan on whole', '{enable_indexonlyscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE id = 77', 'Index Scan using whole_pkey', '{}'),
    ('SELECT kind, dp_sum(a), dp_count(*) FROM whole WHERE id BETWEEN 70 AND 300 GROUP BY kind', 'Index Scan using whole_pkey', '{enable_bitmapscan=off,enable_seqscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE a < 3 OR id < 50', 'Bitmap Heap Scan on whole', '{enable_seqscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_count(*) FROM whole WHERE a < 30', 'Bitmap Heap Scan on whole', '{enable_seqscan=off,enable_indexonlyscan=off,enable_indexscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT kind, dp_sum(i), dp_count(*) FROM whole WHERE kind IN (1, 3) GROUP BY kind', 'Index Only Scan using whole_kind_i_idx', '{enable_seqscan=off,enable_bitmapscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FILTER (WHERE kind = 2) FROM whole WHERE n < 20', 'Index Only Scan using whole_n_a_kind_idx', '{enable_seqscan=off,enable_bitmapscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_count(*) FROM whole WHERE kind = 2', 'Index Only Scan using whole_kind_i_idx', '{enable_seqscan=off,enable_bitmapscan=off,dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a * w), dp_count(*), dp_sum(b) FROM whole JOIN kinds USING (kind)', 'Hash Join', '{}'),
    ('SELECT dp_count(*) FROM whole JOIN kinds USING (kind)', 'Hash Join', '{}'),
    ('SELECT label, dp_sum(a), dp_sum(a + w), dp_count(*) FILTER (WHERE w > 2) FROM whole JOIN kinds USING (kind) GROUP BY label', 'Nested Loop', '{enable_hashjoin=off,enable_mergejoin=off}'),
    ('SELECT dp_sum(a * w), dp_count(*) FROM whole JOIN kinds USING (kind) WHERE id < 3000', 'Merge Join', '{enable_hashjoin=off,enable_nestloop=off}'),
    ('SELECT dp_sum(CASE WHEN w IS NULL THEN a ELSE w END), dp_count(w) FROM whole LEFT JOIN kinds USING (kind)', 'Left Join', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE kind IN (SELECT kind FROM kinds WHERE w > 1)', 'Join', '{}'),
    ('SELECT dp_count(*) FROM parted', 'Append\s+->  Seq Scan on parted_1', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_avg(r), dp_count(*) FROM parted', 'Append\s+->  Seq Scan on parted_1', '{dpsens.enable_table_sums=off}'),
    ('SELECT word, dp_sum(a * b), dp_count(*) FROM parted WHERE f GROUP BY word', 'Append\s+->  Seq Scan on parted_1', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FROM parted WHERE id = 5500', 'Seq Scan on parted_2_2', '{dpsens.enable_table_sums=off}'),
    ('SELECT kind, dp_sum(a), dp_sum(b), dp_count(*) FILTER (WHERE f) FROM mixed GROUP BY kind', 'Append\s+->  Seq Scan on mixed_1', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_count(*) FROM mixed', 'Append\s+->  Seq Scan on mixed_1', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FROM older', 'Append\s+->  Seq Scan on older_1', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_count(b), dp_sum(c), dp_count(c) FROM grown', 'Seq Scan on grown', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(x), dp_count(*) FROM (SELECT a AS x FROM early WHERE kind = 1 UNION ALL SELECT b FROM late WHERE f) q', 'Append', '{}'),
    ('SELECT kind, dp_sum(a), dp_count(b) FROM (SELECT * FROM early UNION ALL SELECT * FROM late) q GROUP BY kind', 'Append\s+->  Seq Scan on early', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(s), dp_count(*) FROM (SELECT id, sum(b) AS s FROM early GROUP BY id) q', 'Aggregate', '{}'),
    ('SELECT dp_sum(a * v), dp_count(*) FROM whole JOIN (VALUES (1, 2.5), (3, 0.5)) AS w (kind, v) USING (kind)', 'Hash Join.*VALUES', '{}'),
    ('SELECT dp_sum(a), dp_count(b) FROM barrier WHERE b > 2', 'Seq Scan on whole', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM none JOIN kinds USING (kind)', 'Join|Nested Loop', '{}'),
    ('SELECT kind, dp_sum(a), dp_count(*) FROM none JOIN kinds USING (kind) GROUP BY kind', 'Join|Nested Loop', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole JOIN kinds USING (kind) WHERE w > 100', 'Join|Nested Loop', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE false', 'Result', '{}');


-- ways to run them
CREATE TABLE ways (n int, way text, settings text[]);
INSERT INTO ways VALUES
    (0, 'by the aggregate', '{dpsens.enable_row_sums=off,dpsens.enable_table_sums=off}'),
    (1, 'alone', '{}'),
    (2, 'two workers', '{max_parallel_workers_per_gather=2}'),
    (3, 'workers alone', '{max_parallel_workers_per_gather=2,parallel_leader_participation=off}'),
    (4, 'no worker comes', '{max_parallel_workers_per_gather=2,max_parallel_workers=0}'),
    (5, 'two workers, by the aggregate', '{max_parallel_workers_per_gather=2,dpsens.enable_row_sums=off,dpsens.enable_table_sums=off}');
INSERT INTO ways SELECT 6, 'in a worker', ARRAY[CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END || '=on'];
INSERT INTO ways SELECT 7, 'compiled', '{jit=on,jit_above_cost=0,jit_inline_above_cost=-1,jit_optimize_above_cost=-1}' WHERE pg_jit_available();
CREATE FUNCTION set_way(which int, more text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true)
    FROM unnest('{work_mem=4MB,max_parallel_workers_per_gather=0,max_parallel_workers=8,parallel_leader_participation=on,min_parallel_table_scan_size=0,min_parallel_index_scan_size=0,
        parallel_setup_cost=0,parallel_tuple_cost=0,dpsens.enable_table_sums=on,dpsens.enable_row_sums=on,enable_seqscan=on,enable_indexscan=on,enable_indexonlyscan=on,enable_bitmapscan=on,
        enable_hashjoin=on,enable_mergejoin=on,enable_nestloop=on,jit=off}'::text[]
        || (SELECT replace(settings[1], 'on', 'off') FROM ways WHERE n = 6) || more || (SELECT settings FROM ways WHERE n = which)) s;
END $$;
CREATE FUNCTION answer_by(which int, query text, settings text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_way(which, settings);
    RETURN answer(query);
END $$;
CREATE FUNCTION plan_by(which int, query text, settings text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_way(which, settings);
    RETURN plan_of(query);
END $$;
CREATE TABLE plans AS SELECT q.n, query, shows, w.n AS way, plan_by(w.n, query, q.settings) AS plan FROM queries q, ways w;
SELECT matches(plan, 'Custom Scan \(dpsens exact sums of rows\)(\s+Rows Counted: [^\n]*)?\s+->[^>]*' || shows, query) FROM plans WHERE way = 1 ORDER BY n;
SELECT is(count(*) FILTER (WHERE plan LIKE '%exact sums%' OR plan NOT LIKE '%Aggregate%'), 0::bigint, 'the aggregate alone') FROM plans WHERE way IN (0, 5);
SELECT cmp_ok(count(*) FILTER (WHERE plan ~ 'Custom Scan \(dpsens added sums\)\s+->  Gather\s+Workers Planned: [12]\s+->  Custom Scan \(dpsens exact sums of rows\)'), '>', 20::bigint, format('in parallel: %s', way))
FROM plans WHERE way IN (2, 3, 4) GROUP BY way;
SELECT cmp_ok(count(*), '>', 25::bigint, 'the aggregate in parallel') FROM plans WHERE way = 5 AND plan LIKE '%Partial Aggregate%';

CREATE TABLE exact AS SELECT n, query, settings, answer_by(0, query, settings) AS answer FROM queries;
SELECT isnt(answer, NULL, query) FROM exact ORDER BY n;
SELECT is(answer_by(w.n, query, e.settings), answer, format('%s: %s', way, query)) FROM exact e, ways w WHERE w.n > 0 ORDER BY e.n, w.n;
SELECT is((SELECT answer FROM exact WHERE query = 'SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_avg(r), dp_count(*) FROM parted'),
    answer('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_avg(r), dp_count(*) FROM whole'), 'of partitions as of a table');
SELECT is((SELECT answer FROM exact WHERE query LIKE 'SELECT kind, dp_sum(a), dp_sum(b), dp_count(*) FILTER (WHERE f) FROM mixed%'),
    (SELECT string_agg(format('(%s,%s,%s,%s)', kind, s, b, c), '|' ORDER BY kind) FROM (SELECT kind, sum(least(a, 90)) AS s, sum(b) AS b, count(*) FILTER (WHERE f) AS c FROM whole GROUP BY kind) q), 'the sums are right');

-- what is read is rows as they lie, unless partitions differ
CREATE FUNCTION output_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; result text;
BEGIN
    PERFORM set_way(1, '{dpsens.enable_table_sums=off,enable_indexonlyscan=off}');
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        result := COALESCE(substring(line FROM '^ +Output: (.*)'), result);
    END LOOP;
    RETURN regexp_replace(result, '[^ ]*\.', '', 'g');
END $$;
SELECT is(output_of(query), output, query) FROM (VALUES
    ('SELECT dp_count(*) FROM whole', 'id, kind, word, scale, a, b, n, i, r, f'),
    ('SELECT dp_sum(a) FROM parted', 'id, kind, word, scale, a, b, n, i, r, f'),
    ('SELECT dp_sum(a) FROM mixed', 'a'),
    ('SELECT dp_sum(a) FROM older', 'a')) AS v (query, output);

-- units, more groups than there is memory for, and both kinds of errors
CREATE TABLE stays (unit int NOT NULL, kind int NOT NULL, a float8 NOT NULL, b float8) PARTITION BY LIST (kind);
CREATE TABLE stays_1 PARTITION OF stays FOR VALUES IN (0, 1);
CREATE TABLE stays_2 PARTITION OF stays FOR VALUES IN (2, 3, 4);
INSERT INTO stays SELECT (hashint4(i) & 65535) % 700, i % 5, i % 50, CASE WHEN i % 3 > 0 THEN i % 20 END FROM generate_series(1, 9000) i;
CREATE TABLE many (k int NOT NULL, g int NOT NULL, a float8) PARTITION BY LIST (g);
CREATE TABLE many_1 PARTITION OF many FOR VALUES IN (0);
CREATE TABLE many_2 PARTITION OF many FOR VALUES IN (1, 2);
INSERT INTO many SELECT (hashint4(i) & 65535) % 9000, i % 3, CASE WHEN i % 4 > 0 THEN i % 17 END FROM generate_series(1, 12000) i;
VACUUM ANALYZE stays, many;
DO $$ BEGIN
    PERFORM dpsens.protect('stays', 'unit', 'add_remove', 5, 2, 2), dpsens.set_range('stays', 'a', 0, 50), dpsens.set_range('stays', 'b', 0, 20), dpsens.set_values('stays', 'kind', '0', '1', '2', '3', '4');
    PERFORM dpsens.protect('many'), dpsens.set_range('many', 'a', 0, 20), dpsens.set_values('many', 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(0, 8191) i));
END $$;
TRUNCATE queries;
INSERT INTO queries (query, shows, settings) VALUES
    ('SELECT kind, dp_sum(a), dp_count(*), dp_count(b) FILTER (WHERE a > 10) FROM stays GROUP BY kind', 'Append', '{}'),
    ('SELECT dp_sum(a * b), dp_count(*) FROM stays', 'Append', '{}'),
    ('SELECT kind, dp_sum(a * w), dp_count(*) FROM stays JOIN kinds USING (kind) GROUP BY kind', 'Join', '{work_mem=64kB}'),
    ('SELECT k, dp_sum(a), dp_count(*) FILTER (WHERE a > 3) FROM many GROUP BY k', 'Append', '{dpsens.enable_table_sums=off}'),
    ('SELECT k, dp_sum(a), dp_count(*) FILTER (WHERE a > 3) FROM many GROUP BY k', 'Append', '{work_mem=96kB}');
SELECT matches(plan_by(1, query, settings), 'Custom Scan \(dpsens exact sums of rows\)(\s+Rows Counted: [^\n]*)?\s+->[^>]*' || shows, query) FROM queries ORDER BY n;
SELECT unalike(plan_by(0, query, settings), '%exact sums%', query) FROM queries ORDER BY n;
SELECT is(answer_by(w.n, query, q.settings), answer_by(0, query, q.settings), format('%s, %s: %s', way, q.settings, query)) FROM queries q, ways w WHERE w.n > 0 ORDER BY q.n, w.n;
SELECT is((SELECT answer_by(1, query, settings) FROM queries WHERE settings = '{work_mem=96kB}'), (SELECT answer_by(1, query, settings) FROM queries WHERE query ~ 'many' AND settings = '{dpsens.enable_table_sums=off}'), 'in parts as in one');
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'no files are left');
SET work_mem = '96kB';
SELECT throws_ok('SELECT k, dp_sum(a) / (k - 6000) FROM many GROUP BY k', '22012', NULL, 'an error on the way');
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'nor then');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k, dp_count(*) FROM many GROUP BY k;
MOVE 100 IN c;
MOVE ABSOLUTE 0 IN c;
CREATE FUNCTION rest() RETURNS text LANGUAGE plpgsql AS $$
DECLARE c refcursor := 'c'; r record; sum numeric := 0; n int := 0;
BEGIN
    LOOP
        FETCH c INTO r;
        EXIT WHEN NOT FOUND;
        sum := sum + r.dp_count;
        n := n + 1;
    END LOOP;
    RETURN n || ' ' || sum;
END $$;
CREATE TABLE scrolled AS SELECT rest();
COMMIT;
SELECT is((SELECT rest FROM scrolled), (SELECT '8192 ' || count(*) FROM many WHERE k < 8192), 'a cursor that went back');
RESET work_mem;
-- a query is cancelled while the node reads
CREATE FUNCTION cancelled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN false;
EXCEPTION WHEN query_canceled THEN
    RETURN true;
END $$;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET statement_timeout = '50ms'; -- clock: 10^8 comparisons take a hundred times as long
SELECT is(cancelled('SELECT dp_count(*) FROM mixed JOIN generate_series(1, 10000) g ON id = g'), true, 'cancelled');
RESET statement_timeout;
RESET enable_hashjoin;
RESET enable_mergejoin;

-- a generic plan, executed again, after rows and columns have come
SET plan_cache_mode = force_generic_plan;
PREPARE above AS SELECT kind, dp_sum(a), dp_count(*) FROM parted WHERE b > $1 GROUP BY kind;
CREATE TABLE first AS EXECUTE above(2);
SELECT results_eq('TABLE first', 'SELECT kind, dp_sum(a), dp_count(*) FROM parted WHERE b > 2 GROUP BY kind', 'a generic plan');
ALTER TABLE parted ADD c float8 NOT NULL DEFAULT 7;
SELECT results_eq('EXECUTE above(2)', 'TABLE first', 'after a column has come');
ALTER TABLE parted DROP COLUMN word;
SELECT results_eq('EXECUTE above(2)', 'TABLE first', 'after one has gone');
SELECT results_eq('EXECUTE above(100)', 'SELECT kind, 0::float8, 0::bigint FROM generate_series(0, 4) kind', 'of no rows');

SELECT * FROM finish();
DROP SCHEMA row_sums_tap CASCADE;
