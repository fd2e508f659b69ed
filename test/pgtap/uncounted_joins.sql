-- Joins whose rows are not counted, since their plan could not yield a row twice even if
-- what was proved were wrong; and that all others are counted.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA uncounted_joins_tap;
SET search_path = uncounted_joins_tap, public;
SELECT plan(102);

CREATE TABLE visits (k int NOT NULL, h int NOT NULL, x float8 NOT NULL);
CREATE TABLE parted (LIKE visits) PARTITION BY RANGE (k);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (50);
CREATE TABLE parted_high PARTITION OF parted DEFAULT;
CREATE TABLE few (k int NOT NULL);
CREATE TABLE few_parted (k int NOT NULL) PARTITION BY RANGE (k);
CREATE TABLE few_low PARTITION OF few_parted FOR VALUES FROM (0) TO (42);
CREATE TABLE few_high PARTITION OF few_parted DEFAULT;
CREATE TABLE persons (id int PRIMARY KEY, k int NOT NULL);
CREATE TABLE several (id int NOT NULL, k int NOT NULL);
CREATE TABLE sites (k int PRIMARY KEY, v int NOT NULL, h int NOT NULL UNIQUE);
CREATE TABLE wide (k int PRIMARY KEY, filler text NOT NULL);
CREATE TABLE listed (k int NOT NULL);
-- an index that says to be unique and is not, as after damage: 42 is there five hundred times
CREATE TABLE damaged (k int NOT NULL, v int NOT NULL);
INSERT INTO visits SELECT i % 100, i % 7, i / 3000.0 FROM generate_series(1, 3000) i;
INSERT INTO parted SELECT * FROM visits;
INSERT INTO few SELECT i FROM generate_series(40, 44) i;
INSERT INTO few_parted SELECT * FROM few;
INSERT INTO persons SELECT i, i % 100 FROM generate_series(1, 3000) i;
INSERT INTO several SELECT id % 1000, k FROM persons;
INSERT INTO sites SELECT i, i, i FROM generate_series(0, 89) i;
INSERT INTO wide SELECT i, repeat('x', 200) FROM generate_series(0, 999) i;
INSERT INTO listed SELECT i % 50 FROM generate_series(1, 500) i;
INSERT INTO damaged SELECT i, 1 FROM generate_series(0, 99) i UNION ALL SELECT 42, i FROM generate_series(2, 500) i;
CREATE INDEX damaged_k ON damaged (k);
UPDATE pg_index SET indisunique = true WHERE indexrelid = 'damaged_k'::regclass;
CREATE INDEX visits_h ON visits (h);
CREATE INDEX parted_h ON parted (h);
VACUUM ANALYZE visits, parted, few, few_parted, persons, several, sites, wide, listed, damaged;
SELECT dpsens.protect('visits'), dpsens.protect('parted'), dpsens.protect('few'), dpsens.protect('few_parted'), dpsens.protect('persons', unit => 'id'),
       dpsens.protect('several', unit => 'id', max_rows => 3);
SELECT dpsens.set_range(name, 'x', 0, 1) FROM unnest(ARRAY['visits', 'parted']::regclass[]) name;
SELECT dpsens.set_range(name, 'v', 0, 1000) FROM unnest(ARRAY['sites', 'damaged']::regclass[]) name;
SELECT dpsens.set_values(name, 'h', '0', '1', '2', '3', '4', '5', '6') FROM unnest(ARRAY['visits', 'parted']::regclass[]) name;
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;
SET jit = off;
\ir plan_of.psql
\ir same.psql

CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, query text, settings text[] DEFAULT '{}', is_counted bool, shows text);
INSERT INTO asked (query, settings, is_counted, shows) VALUES
    -- the protected relation is the outer side, and the inner one believed to be unique
    ('SELECT dp_count(*) FROM visits JOIN sites USING (k)', '{enable_mergejoin=off,enable_nestloop=off}', false, 'Hash Join'),
    ('SELECT dp_count(*) FROM visits JOIN sites USING (k)', '{enable_hashjoin=off,enable_nestloop=off}', false, 'Merge Join.*Sort.*Seq Scan on visits.*Seq Scan on sites|Merge Join.*Sort.*Seq Scan on visits.*Index Scan using sites_pkey'),
    ('SELECT dp_count(*) FROM visits JOIN sites USING (k)', '{enable_hashjoin=off,enable_mergejoin=off}', false, 'Nested Loop.*Seq Scan on visits'),
    ('SELECT dp_sum(x * coalesce(v, 1)) FROM visits LEFT JOIN sites USING (k)', '{enable_mergejoin=off}', false, 'Hash Left Join'),
    ('SELECT dp_sum(x) FROM visits JOIN sites a USING (k) JOIN sites b ON b.h = visits.h', '{enable_mergejoin=off}', false, 'Join.*Join'),
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k) WHERE EXISTS (SELECT FROM listed l WHERE l.k = visits.k)', '{enable_mergejoin=off,enable_hashagg=off,enable_sort=off}', false, 'Semi Join'),
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k) WHERE NOT EXISTS (SELECT FROM listed l WHERE l.k = visits.k)', '{enable_mergejoin=off}', false, 'Anti Join'),
    ('SELECT dp_sum(x) FROM parted JOIN sites USING (k)', '{enable_mergejoin=off}', false, 'Join.*Append'),
    ('SELECT dp_sum(x) FROM (SELECT k AS key, x FROM parted WHERE x > 0.25) s JOIN sites ON k = key', '{enable_mergejoin=off}', false, 'Join.*Append'),
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k) WHERE visits.h = 3', '{enable_seqscan=off,enable_indexscan=off}', false, 'Bitmap Heap Scan on visits'),
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k)', '{max_parallel_workers_per_gather=2,parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0,enable_mergejoin=off}', false, 'Gather.*Rows Counted.*Parallel Seq Scan on visits'),
    ('SELECT dp_sum(x) FROM parted JOIN sites USING (k)', '{max_parallel_workers_per_gather=2,parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0,enable_mergejoin=off}', false, 'Gather.*Rows Counted.*Parallel Append'),
    ('SELECT sum(n) FROM (SELECT visits.h, dp_count(*) AS n FROM visits JOIN sites USING (k) GROUP BY 1) q', '{enable_mergejoin=off}', false, 'Hash Join'),
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k)', '{dpsens.enable_row_sums=off,enable_mergejoin=off}', true, 'Join'),
    ('SELECT sum(n) FROM (SELECT v, dp_count(*) AS n FROM parted JOIN sites USING (k) GROUP BY 1) q', '{enable_mergejoin=off}', false, 'Hash Join.*Append'),
    ('SELECT dp_median(x) FROM visits JOIN sites USING (k)', '{enable_mergejoin=off}', false, 'rows that count.*Rows Counted'),
    ('SELECT dp_median(x) FROM parted JOIN sites USING (k)', '{enable_mergejoin=off}', false, 'rows that count.*Rows Counted.*Append'),
    -- it is the inner side
    ('SELECT dp_count(*) FROM few JOIN wide USING (k)', '{enable_mergejoin=off,enable_nestloop=off}', true, 'Hash Join.*Scan .*on wide.*Hash.*Seq Scan on few'),
    ('SELECT dp_count(*) FROM few_parted JOIN wide USING (k)', '{enable_mergejoin=off,enable_nestloop=off}', true, 'Hash Join.*Scan .*on wide.*Hash.*Append'),
    -- the planner does not know that there is one match at most
    ('SELECT dp_count(*) FROM visits JOIN (VALUES (1), (2), (3)) s (k) USING (k)', '{}', true, 'Join'),
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k) JOIN generate_series(0, 6) g (h) ON g.h = visits.h', '{enable_mergejoin=off}', true, 'Join.*Join'),
    ('SELECT dp_sum(x) FROM parted JOIN generate_series(0, 6) g (h) ON g.h = parted.h', '{enable_mergejoin=off}', true, 'Join.*Append'),
    ('SELECT sum(n) FROM (SELECT g, dp_count(*) AS n FROM visits JOIN generate_series(0, 6) g ON g = h GROUP BY 1) q', '{enable_mergejoin=off}', true, 'exact sums of rows'),
    ('SELECT dp_median(x) FROM visits JOIN generate_series(0, 6) g ON g = h', '{enable_mergejoin=off}', true, 'rows that count'),
    ('SELECT dp_median(x) FROM parted JOIN generate_series(0, 6) g ON g = h', '{enable_mergejoin=off}', true, 'rows that count'),
    -- rows come from an index, which may be damaged
    ('SELECT dp_sum(x) FROM visits JOIN sites USING (k) WHERE visits.h = 3', '{enable_seqscan=off,enable_bitmapscan=off,enable_mergejoin=off}', true, 'Index Scan using visits_h'),
    ('SELECT dp_sum(x) FROM parted JOIN sites USING (k) WHERE parted.h = 3', '{enable_seqscan=off,enable_bitmapscan=off,enable_mergejoin=off}', true, 'Index Scan using parted_'),
    -- units, of which a table may hold several rows
    ('SELECT dp_count(*) FROM persons JOIN sites USING (k)', '{enable_mergejoin=off}', true, 'Join'),
    ('SELECT dp_count(*) FROM several JOIN sites USING (k)', '{enable_mergejoin=off}', true, 'Join'),
    ('SELECT dp_count(*) FROM (SELECT k FROM visits UNION ALL SELECT k FROM parted) u JOIN sites USING (k)', '{enable_mergejoin=off}', true, 'Join');

-- each in a transaction of its own
CREATE PROCEDURE ask(number int) LANGUAGE plpgsql AS $$
DECLARE a asked; setting text; counted bool; plan text; n text;
BEGIN
    SELECT * INTO a FROM asked WHERE asked.n = number;
    FOREACH setting IN ARRAY a.settings LOOP
        PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true);
    END LOOP;
    plan := plan_of(a.query);
    PERFORM set_config('dpsens.noise', 'off', true);
    EXECUTE format('SELECT round(s::numeric, 6)::text FROM (%s) q (s)', a.query) INTO n;
    INSERT INTO found VALUES (number, plan, n);
    COMMIT;
END $$;
CREATE TABLE found (n int, plan text, answer text);
SELECT format('CALL ask(%s)', n) FROM asked ORDER BY n \gexec
SELECT is(plan !~ 'Rows Counted: all, as the plan yields none twice', is_counted, format('counted: %s by %s', query, settings)) FROM asked JOIN found USING (n) ORDER BY n;
SELECT ok(plan ~ shows, format('%s: shows %s', query, shows)) FROM asked JOIN found USING (n) ORDER BY n;
CREATE FUNCTION plain(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
    EXECUTE format('SELECT round(s::numeric, 6)::text FROM (%s) q (s)', regexp_replace(query, 'dp_(count|sum)', '\1', 'g')) INTO n;
    RETURN n;
END $$;
SELECT is(answer, plain(query), 'as plain SQL: ' || query) FROM asked JOIN found USING (n) WHERE query !~ 'dp_median' ORDER BY n;
-- without noise it is a function of the rows alone
SET dpsens.noise = off;
SELECT is(a.answer, (SELECT round(dp_median(x)::numeric, 6) FROM visits WHERE k < 90)::text, format('the median: %s', query)) FROM asked JOIN found a USING (n) WHERE query ~ 'dp_median.*sites' ORDER BY n;
SELECT is(a.answer, (SELECT round(dp_median(x)::numeric, 6) FROM visits)::text, format('the median: %s', query)) FROM asked JOIN found a USING (n) WHERE query ~ 'dp_median.*series' ORDER BY n;
RESET dpsens.noise;

-- where the proof is wrong, and the plan stops at the first match, one row counts of each
TRUNCATE asked, found;
INSERT INTO asked (query, settings, is_counted, shows)
SELECT query, settings, true, '' FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM visits JOIN damaged USING (k)', 'SELECT dp_count(*) FROM few JOIN damaged USING (k)', 'SELECT dp_count(*) FROM few_parted JOIN damaged USING (k)', 'SELECT dp_count(*) FROM visits LEFT JOIN damaged USING (k)', 'SELECT dp_count(*) FROM parted JOIN damaged USING (k)',
    'SELECT dp_count(*) FROM visits JOIN damaged a USING (k) JOIN damaged b ON b.k = a.k', 'SELECT dp_count(*) FROM damaged a JOIN damaged b USING (k) JOIN parted p USING (k)',
    'SELECT sum(n) FROM (SELECT visits.h, dp_count(*) AS n FROM visits JOIN damaged USING (k) GROUP BY 1) q',
    'SELECT sum(n) FROM (SELECT v, dp_count(*) AS n FROM visits JOIN damaged USING (k) GROUP BY 1) q', 'SELECT sum(n) FROM (SELECT v, dp_count(*) AS n FROM parted JOIN damaged USING (k) GROUP BY 1) q']) query,
    (VALUES ('{enable_mergejoin=off,enable_nestloop=off}'::text[]), ('{enable_hashjoin=off,enable_nestloop=off}'), ('{enable_hashjoin=off,enable_mergejoin=off}'),
            ('{enable_mergejoin=off,enable_nestloop=off,work_mem=64kB,hash_mem_multiplier=1}'),
            ('{max_parallel_workers_per_gather=2,parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'), ('{join_collapse_limit=1}')) s (settings);
SELECT format('CALL ask(%s)', n) FROM asked ORDER BY n \gexec
SELECT is(array_agg(DISTINCT answer), ARRAY[CASE WHEN query ~ 'few' THEN '5.000000' ELSE '3000.000000' END], 'one row of each: ' || query) FROM asked JOIN found USING (n) GROUP BY query ORDER BY query;
SELECT cmp_ok(count(*) FILTER (WHERE plan ~ 'Rows Counted'), '>', 10::bigint, 'many of them without counting') FROM found;
SELECT cmp_ok(count(*) FILTER (WHERE plan !~ 'Rows Counted'), '>', 0::bigint, 'and some not') FROM found;

SELECT * FROM finish();
DROP SCHEMA uncounted_joins_tap CASCADE;
