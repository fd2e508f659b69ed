-- A node that sums the rows of any plan: chosen wherever it can be, and the same
-- bits as the server's aggregation.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA row_sums_tap;
SET search_path = row_sums_tap, public;
SELECT no_plan();

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
CREATE TABLE none (LIKE whole);
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM whole WHERE kind < 4;
VACUUM ANALYZE t, whole, kinds, parted, mixed, older, none;

DO $$
DECLARE r regclass; c text;
BEGIN
    FOREACH r IN ARRAY ARRAY['t', 'whole', 'parted', 'mixed', 'none']::regclass[] LOOP
        PERFORM dpsens.protect(r), dpsens.set_values(r, 'kind', '0', '1', '2', '3', '4'), dpsens.set_values(r, 'word', 'word 3', 'word 1', 'word 0', 'nothing'),
            dpsens.set_values(r, 'scale', 'large', 'small');
        FOREACH c IN ARRAY ARRAY['a', 'b', 'n', 'i', 'r'] LOOP
            PERFORM dpsens.set_range(r, c, 0, 90);
        END LOOP;
    END LOOP;
    PERFORM dpsens.protect('older'), dpsens.set_range('older', 'a', 0, 10), dpsens.set_range('kinds', 'w', 0, 5), dpsens.set_values('kinds', 'label', 'label 1', 'label 0');
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
    ('SELECT dp_count(*) FROM whole', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_sum(i), dp_sum(r), dp_count(b), dp_avg(r), dp_variance(a), dp_covar_pop(a, b) FROM whole', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_sum(i) FROM t', 'Seq Scan on t', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a * b / (1 + i)), dp_sum(CASE WHEN f THEN a ELSE n END), dp_avg(exp(b / 50)) FROM whole WHERE r > 100', 'Seq Scan on whole\s+Filter', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a) FILTER (WHERE f AND word IS NOT NULL), dp_count(*) FILTER (WHERE length(word) > i), dp_sum(a), dp_count(*) FROM whole', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_count(*) FILTER (WHERE 100 / (i - 20) > 1) FROM whole', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE 100 / (i - 20) > 1', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT kind, dp_sum(a), dp_count(*), dp_sum(n) FROM whole GROUP BY kind', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT word, dp_sum(b), dp_count(b) FROM whole GROUP BY word', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
    ('SELECT scale, word, kind, dp_sum(a * b), dp_sum(a) FILTER (WHERE f) FROM whole GROUP BY scale, word, kind', 'Seq Scan on whole', '{dpsens.enable_table_sums=off}'),
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
    ('SELECT dp_count(*) FROM parted', 'Append\s+->  Seq Scan on parted_1', '{}'),
    ('SELECT dp_sum(a), dp_sum(b), dp_sum(n), dp_avg(r), dp_count(*) FROM parted', 'Append\s+->  Seq Scan on parted_1', '{}'),
    ('SELECT word, dp_sum(a * b), dp_count(*) FROM parted WHERE f GROUP BY word', 'Append\s+->  Seq Scan on parted_1', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM parted WHERE id = 5500', 'Seq Scan on parted_2_2', '{}'),
    ('SELECT kind, dp_sum(a), dp_sum(b), dp_count(*) FILTER (WHERE f) FROM mixed GROUP BY kind', 'Append\s+->  Seq Scan on mixed_1', '{}'),
    ('SELECT dp_count(*) FROM mixed', 'Append\s+->  Seq Scan on mixed_1', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM older', 'Append\s+->  Seq Scan on older_1', '{}'),
    ('SELECT dp_sum(x) FROM (SELECT a + 1 AS x FROM whole WHERE f OFFSET 0) q', NULL, '{}'),
    ('SELECT dp_sum(a), dp_count(b) FROM barrier WHERE b > 2', 'Seq Scan on whole', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM none JOIN kinds USING (kind)', 'Join|Nested Loop', '{}'),
    ('SELECT kind, dp_sum(a), dp_count(*) FROM none JOIN kinds USING (kind) GROUP BY kind', 'Join|Nested Loop', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole JOIN kinds USING (kind) WHERE w > 100', 'Join|Nested Loop', '{}'),
    ('SELECT dp_sum(a), dp_count(*) FROM whole WHERE false', 'Result', '{}');

CREATE FUNCTION set_all(settings text[]) RETURNS void LANGUAGE sql AS $$ SELECT set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM unnest(settings) s $$;
CREATE FUNCTION plan_with(query text, settings text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_all(settings);
    RETURN plan_of(query);
END $$;
CREATE FUNCTION answer_with(query text, settings text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_all(settings);
    RETURN answer(query);
END $$;
SELECT n, answer(query), plan_of(query) FROM queries;
