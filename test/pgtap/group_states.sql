-- The states of all declared groups in one block: the same bits as a hash table
-- of groups joined to the declared keys, for every kind of key and plan.
-- Files: agg/state/groups_plan.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA group_states_tap;
SET search_path = group_states_tap, public;
SELECT plan(313);

CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE DOMAIN grade AS int;
CREATE TABLE t (kb bool, k2 smallint, k4 int NOT NULL, k8 bigint, ks bigint, kd date, kt timestamp, kz timestamptz, ktext text, kvar varchar(5), kchar char(4), kcoll text COLLATE "C",
    kenum size, knum numeric, kf float8, kuuid uuid, kname name, kdom grade, kbytes bytea, a float8 NOT NULL, b float8, n numeric, i int NOT NULL, note text) WITH (autovacuum_enabled = off);
-- keys that are not declared, and NULL, are among the data
INSERT INTO t SELECT CASE i % 5 WHEN 0 THEN NULL ELSE i % 2 = 0 END, i % 7, i % 9 - 2, CASE i % 11 WHEN 0 THEN NULL ELSE (i % 11) * 1000000000000 END, i % 6,
    date '2024-02-27' + i % 5, timestamp '2024-01-01' + i % 4 * interval '1 day', timestamptz '2024-01-01 UTC' + i % 4 * interval '1 hour',
    CASE i % 8 WHEN 0 THEN NULL WHEN 1 THEN repeat('long', 800) ELSE 'k' || i % 8 END, 'v' || i % 4, 'c' || i % 4, 'x' || i % 3,
    (ARRAY['small', 'medium', 'large'])[1 + i % 3]::size, (i % 5) / 2.0, CASE i % 6 WHEN 0 THEN 'NaN' WHEN 1 THEN -0.0 WHEN 2 THEN 0.0 ELSE i % 6 END,
    ('00000000-0000-0000-0000-00000000000' || i % 4)::uuid, 'n' || i % 3, i % 4, decode('0' || i % 3, 'hex'),
    CASE i % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE i / 7.0 END, CASE WHEN i % 3 <> 0 THEN i / 11.0 END, i / 13.0, i % 100, CASE WHEN i % 2 = 0 THEN repeat('y', i % 300) END
FROM generate_series(1, 6000) i;
CREATE TABLE none (LIKE t);
CREATE TABLE many (k int NOT NULL, a float8 NOT NULL);
INSERT INTO many SELECT (i * 37) % 21000, i % 10 FROM generate_series(1, 20000) i;
CREATE TABLE visits (patient int NOT NULL, ward size NOT NULL, cost float8 NOT NULL, rating float8);
INSERT INTO visits SELECT (i * i) % 300, (ARRAY['small', 'medium', 'large'])[1 + i % 3]::size, i % 90, CASE WHEN i % 4 > 0 THEN i % 10 END FROM generate_series(1, 4000) i;
ANALYZE;
DO $$
DECLARE
    r regclass;
BEGIN
    FOREACH r IN ARRAY ARRAY['t', 'none']::regclass[] LOOP
        PERFORM dpsens.protect(r), dpsens.set_range(r, 'a', 0, 400), dpsens.set_range(r, 'b', 0, 500), dpsens.set_range(r, 'n', 0, 450), dpsens.set_range(r, 'i', 0, 100),
            dpsens.set_values(r, 'k2', '6', '1', '3', '-5'), dpsens.set_values(r, 'k4', '-2', '-1', '0', '1', '2', '3'),
            dpsens.set_values(r, 'k8', '1000000000000', '-9223372036854775808', '9223372036854775807', '5000000000000', '2000000000000'),
            dpsens.set_values(r, 'ks', '5', '4', '100000'), dpsens.set_values(r, 'kd', '2024-02-28', '2024-02-29', '2024-03-01'),
            dpsens.set_values(r, 'kt', '2024-01-03', '2024-01-01', '1999-01-01'), dpsens.set_values(r, 'kz', '2024-01-01 00:00+00', '2024-01-01 02:00+00'),
            dpsens.set_values(r, 'ktext', 'k5', 'k2', '', 'K2', 'k3', repeat('long', 800)), dpsens.set_values(r, 'kvar', 'v3', 'v1', 'w'),
            dpsens.set_values(r, 'kchar', 'c2', 'c1  ', 'd'), dpsens.set_values(r, 'kcoll', 'x2', 'x0'), dpsens.set_values(r, 'knum', '1.50', '0', '2'),
            dpsens.set_values(r, 'kf', '0', '3', 'NaN'), dpsens.set_values(r, 'kuuid', '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000001'),
            dpsens.set_values(r, 'kname', 'n2', 'n0', 'n9'), dpsens.set_values(r, 'kdom', '3', '1', '7'), dpsens.set_values(r, 'kbytes', '\x02', '\x00');
    END LOOP;
    PERFORM dpsens.protect('many'), dpsens.set_range('many', 'a', 0, 10),
        dpsens.set_values('many', 'k', VARIADIC (SELECT array_agg((3 * k)::text ORDER BY k % 10, k) FROM generate_series(0, 6999) k));
    PERFORM dpsens.protect('visits', unit => 'patient', max_rows => 5, max_rows_per_group => 2, max_groups => 2), dpsens.set_range('visits', 'cost', 0, 100), dpsens.set_range('visits', 'rating', 0, 10);
END $$;

SET dpsens.noise = off;
SET client_min_messages = error;
SET dpsens.epsilon = 1;

-- all rows with all bits, in the order in which they come
\ir answer.psql
\ir plan_of.psql

CREATE TABLE queries (n serial, query text);
INSERT INTO queries (query)
SELECT format('SELECT %1$I, dp_count(*), dp_sum(a), dp_sum(a + b), dp_avg(n) FROM t GROUP BY %1$I', key)
FROM unnest(ARRAY['kb', 'k2', 'k4', 'k8', 'ks', 'kd', 'kt', 'kz', 'ktext', 'kvar', 'kchar', 'kcoll', 'kenum', 'knum', 'kf', 'kuuid', 'kname', 'kdom', 'kbytes']) AS key;
INSERT INTO queries (query) VALUES
    ('SELECT k4, kenum, dp_sum(a), dp_count(b) FROM t GROUP BY k4, kenum'),
    ('SELECT kenum, k4, dp_sum(a), dp_count(b) FROM t GROUP BY k4, kenum'),
    ('SELECT kb, k2, ktext, dp_sum(i) FROM t GROUP BY 2, 1, 3'),
    ('SELECT k4, dp_sum(a * b), dp_avg(a * b), dp_variance(a * b), dp_sum(a * b + 1), dp_covar_pop(a, b), dp_count(*) FROM t GROUP BY k4'),
    ('SELECT k4, dp_count(*) FILTER (WHERE i > 50), dp_sum(a) FILTER (WHERE i > 50), dp_sum(a), dp_avg(b) FILTER (WHERE ktext IS NULL), dp_variance(a) FILTER (WHERE i < 10) FROM t GROUP BY k4'),
    ('SELECT k4, dp_count(*) FROM t WHERE i BETWEEN 5 AND 80 AND note IS NOT NULL GROUP BY k4 HAVING dp_count(*) > 0 ORDER BY 2 DESC, 1 LIMIT 4'),
    ('SELECT x, dp_sum(y) FROM (SELECT k4 AS x, a * 2 AS y, i FROM t WHERE kb) s WHERE i > 7 GROUP BY x'),
    ('SELECT k4, dp_sum(CASE WHEN i > 50 THEN a END), dp_sum(CASE WHEN i > 50 THEN a ELSE 0 END), dp_sum(abs(a - b)), dp_sum(exp(b / 100)), dp_avg(exp(b / 100)) FROM t GROUP BY k4'),
    ('SELECT kenum, dp_sum(a), dp_count(*), dp_avg(b) FROM none GROUP BY kenum'),
    ('SELECT kenum, dp_sum(a), dp_count(*) FROM t WHERE i > 1000 GROUP BY kenum'),
    ('SELECT dp_sum(a), dp_avg(a), dp_count(*), dp_count(b), dp_variance(b), dp_sum(a) FILTER (WHERE kb) FROM t'),
    ('SELECT k, dp_sum(a), dp_count(*) FROM many GROUP BY k'),
    ('SELECT ward, dp_sum(cost), dp_count(*), dp_avg(rating) FROM visits GROUP BY ward'),
    ('SELECT ward, dp_sum(cost) FILTER (WHERE rating > 3), dp_count(rating) FROM visits GROUP BY ward'),
    ('SELECT dp_sum(cost), dp_count(*), dp_variance(rating) FROM visits'),
    ('SELECT n, (SELECT dp_sum(a) FROM t) > 0, q.* FROM generate_series(1, 2) n, (SELECT kenum, dp_sum(a) FROM t GROUP BY kenum) q'),
    ('SELECT kenum, dp_sum(a) FROM t GROUP BY kenum UNION ALL SELECT kenum, dp_sum(i) FROM t GROUP BY kenum');
-- more arguments than a function can have: many different cells
INSERT INTO queries (query)
SELECT 'SELECT k4, ' || string_agg(format('dp_sum(CASE WHEN i = %1$s THEN a WHEN ktext = ''k%1$s'' THEN 1 WHEN ktext = ''l%1$s'' THEN 2 WHEN ktext = ''m%1$s'' THEN 3 WHEN ktext = ''n%1$s'' THEN 4 WHEN ktext = ''o%1$s'' THEN 5 END)', i), ', ') || ' FROM t GROUP BY k4' FROM generate_series(1, 20) i;

CREATE TABLE block AS SELECT n, query, answer(query), plan_of(query) AS plan FROM queries;
SELECT is(count(*), 0::bigint, 'no hash table of groups') FROM block WHERE plan LIKE '%Group%' AND n < (SELECT max(n) FROM queries);
SELECT cmp_ok(count(*), '>', 25::bigint, 'scanned by pages') FROM block WHERE plan LIKE '%dpsens exact sums%';
SELECT ok(plan LIKE '%Group%', 'and one where it cannot be') FROM block ORDER BY n DESC LIMIT 1;
SELECT isnt(answer, NULL, query) FROM block WHERE n < (SELECT max(n) FROM queries) ORDER BY n;

SET dpsens.enable_group_states = off;
SELECT is(b.answer, answer(b.query), 'as by groups: ' || left(query, 100)) FROM block b WHERE query NOT LIKE '%visits%' ORDER BY n;
SELECT ok(plan_of(query) LIKE '%Group%', 'which are really made') FROM queries WHERE query LIKE '%kuuid%';
SET enable_hashagg = off;
SELECT is(b.answer, answer(b.query), 'sorted: ' || left(query, 100)) FROM block b WHERE query NOT LIKE '%visits%' AND n % 4 = 0 ORDER BY n;
RESET enable_hashagg;
RESET dpsens.enable_group_states;
SET dpsens.enable_table_sums = off;
SELECT is(b.answer, answer(b.query), 'as by rows: ' || left(query, 100)) FROM block b ORDER BY n;
SELECT is(count(*), 0::bigint, 'really') FROM queries WHERE plan_of(query) LIKE '%dpsens exact sums)%';
SELECT cmp_ok(count(*), '>', 25::bigint, 'from a node') FROM queries WHERE plan_of(query) LIKE '%dpsens exact sums of rows)%';
SET dpsens.enable_row_sums = off;
SELECT is(b.answer, answer(b.query), 'as by the aggregate: ' || left(query, 100)) FROM block b ORDER BY n;
SELECT is(count(*), 0::bigint, 'really') FROM queries WHERE plan_of(query) LIKE '%dpsens exact sums%';

SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;
SELECT is(b.answer, answer(b.query), 'by rows in parallel: ' || left(query, 100)) FROM block b WHERE n % 3 > 0 ORDER BY n;
SELECT cmp_ok(count(*), '>', 20::bigint, 'really') FROM queries WHERE plan_of(query) LIKE '%Partial Aggregate%';
RESET dpsens.enable_row_sums;
SELECT is(b.answer, answer(b.query), 'by rows from a node in parallel: ' || left(query, 100)) FROM block b WHERE n % 3 > 0 ORDER BY n;
SELECT cmp_ok(count(*), '>', 20::bigint, 'really') FROM queries WHERE plan_of(query) ~ 'Gather.*exact sums of rows';
RESET dpsens.enable_table_sums;
SELECT is(b.answer, answer(b.query), 'by pages in parallel: ' || left(query, 100)) FROM block b WHERE n % 2 = 0 ORDER BY n;
SELECT cmp_ok(count(*), '>', 20::bigint, 'really') FROM queries WHERE plan_of(query) LIKE '%Parallel Custom Scan (dpsens exact sums)%';
SET parallel_leader_participation = off;
SELECT is(b.answer, answer(b.query), 'by workers alone: ' || left(query, 100)) FROM block b WHERE n % 4 = 1 ORDER BY n;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
SET jit_above_cost = 0;
SELECT is(b.answer, answer(b.query), 'compiled: ' || left(query, 100)) FROM block b WHERE n % 4 = 2 ORDER BY n;
RESET jit_above_cost;

-- ---- the answers are right ----

SELECT is(answer('SELECT k2, dp_count(*), dp_sum(i) FROM t GROUP BY k2'),
    (SELECT string_agg(format('(%s,%s,%s)', k, (SELECT count(*) FROM t WHERE k2 = k), (SELECT coalesce(sum(i), 0) FROM t WHERE k2 = k)), '|' ORDER BY o)
     FROM unnest(ARRAY[6, 1, 3, -5]) WITH ORDINALITY d (k, o)), 'integers, in the order of declaration');
SELECT is(answer('SELECT kf, dp_count(*) FROM t GROUP BY kf'),
    (SELECT string_agg(format('(%s,%s)', k, (SELECT count(*) FROM t WHERE kf = k)), '|' ORDER BY o) FROM unnest(ARRAY[0, 3, 'NaN']::float8[]) WITH ORDINALITY d (k, o)), 'zeros of either sign');
SELECT is(answer('SELECT kchar, dp_count(*) FROM t GROUP BY kchar'), (SELECT format('("c2  ",%s)|("c1  ",%s)|("d   ",0)', count(*) FILTER (WHERE kchar = 'c2'), count(*) FILTER (WHERE kchar = 'c1')) FROM t), 'padded strings');
SELECT is(answer('SELECT ktext, dp_count(*) FROM t WHERE length(ktext) < 9 GROUP BY ktext'),
    (SELECT string_agg(format('(%s,%s)', CASE k WHEN '' THEN '""' ELSE k END, (SELECT count(*) FROM t WHERE ktext = k AND length(ktext) < 9)), '|' ORDER BY o)
     FROM unnest(ARRAY['k5', 'k2', '', 'K2', 'k3', repeat('long', 800)]) WITH ORDINALITY d (k, o)), 'strings');
SELECT is(answer('SELECT k4, kenum, dp_sum(i), dp_count(*) FILTER (WHERE i > 50) FROM t GROUP BY k4, kenum'),
    (SELECT string_agg(format('(%s,%s,%s,%s)', k, e, (SELECT coalesce(sum(i), 0) FROM t WHERE k4 = k AND kenum = e), (SELECT count(*) FROM t WHERE k4 = k AND kenum = e AND i > 50)), '|' ORDER BY k, e)
     FROM generate_series(-2, 3) k, unnest(enum_range(NULL::size)) e), 'two keys');
SELECT is(answer('SELECT k, dp_sum(a), dp_count(*) FROM many GROUP BY k'),
    (SELECT string_agg(format('(%s,%s,%s)', 3 * d, coalesce(s, 0), coalesce(c, 0)), '|' ORDER BY d % 10, d)
     FROM generate_series(0, 6999) d LEFT JOIN (SELECT k, sum(a) AS s, count(*) AS c FROM many GROUP BY k) g ON g.k = 3 * d), 'seven thousand keys that are no range');
SET work_mem = '64kB';
SELECT ok(plan_of('SELECT k, dp_sum(a), dp_count(*) FROM many GROUP BY k') LIKE '%Group%', 'what memory there may be decides');
SELECT is(answer(query), (SELECT answer FROM block b WHERE b.n = q.n), 'about the plan alone') FROM queries q WHERE query LIKE '%FROM many%';
RESET work_mem;

-- ---- units of several rows ----

CREATE TABLE stays (unit int, word text, small smallint, kind size, a float8 NOT NULL, b float8);
INSERT INTO stays SELECT CASE WHEN i % 97 > 0 THEN (hashint4(i) & 65535) % 8000 END, 'unit ' || (hashint4(i) & 65535) % 8000, (hashint4(i) & 65535) % 8000,
    CASE WHEN i % 89 > 0 THEN (ARRAY['small', 'medium', 'large'])[1 + (hashint4(i + 1) & 1)]::size END, (hashint4(i + 2) & 65535) % 50, CASE WHEN i % 3 > 0 THEN i % 20 END
FROM generate_series(1, 40000) i;
CREATE TABLE stays_reversed AS SELECT * FROM stays ORDER BY ctid DESC;
CREATE FUNCTION bound(unit text, m int, mg int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(r::regclass, unit, 'add_remove', coalesce(m, 0), coalesce(mg, 0), coalesce(g, 0)), dpsens.set_range(r::regclass, 'a', 0, 50), dpsens.set_range(r::regclass, 'b', 0, 20)
    FROM unnest(ARRAY['stays', 'stays_reversed']) r;
END $$;
CREATE FUNCTION of_stays(relation text, condition text DEFAULT 'true') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN answer(format('SELECT kind, dp_sum(a), dp_count(*), dp_count(b), dp_sum(a * b), dp_sum(b) FILTER (WHERE a > 20) FROM %s WHERE %s GROUP BY kind', relation, condition)) || '/' ||
        answer(format('SELECT dp_sum(a), dp_count(*), dp_avg(b) FROM %s WHERE %s', relation, condition));
END $$;
CREATE TABLE bounds (unit text, m int, mg int, g int);
INSERT INTO bounds VALUES ('unit', 3, NULL, NULL), ('unit', 4, 2, NULL), ('unit', 5, 2, 2), ('unit', NULL, 3, 1), ('unit', 1, NULL, 2), ('word', 3, 2, 2), ('small', 3, 2, 2), ('unit', 100, 60, 2);
CREATE FUNCTION all_stays(b bounds, work text, pages boolean, relation text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM bound(b.unit, b.m, b.mg, b.g), set_config('work_mem', work, true), set_config('hash_mem_multiplier', '1', true), set_config('dpsens.enable_table_sums', pages::text, true);
    RETURN of_stays(relation);
END $$;
CREATE TABLE stayed AS SELECT b, all_stays(b, '64MB', true, 'stays') AS answer FROM bounds b;
SELECT is(all_stays(b, '64MB', true, 'stays_reversed'), answer, format('rows in another order: %s', b)) FROM stayed;
SELECT is(all_stays(b, '64MB', false, 'stays'), answer, format('by rows: %s', b)) FROM stayed;
SELECT is(all_stays(b, '64kB', true, 'stays'), answer, format('by files: %s', b)) FROM stayed;
SELECT is(all_stays(b, '64kB', false, 'stays_reversed'), answer, format('by files and rows: %s', b)) FROM stayed;
SELECT is(count(DISTINCT answer), 6::bigint, 'the limits matter') FROM stayed;
-- int and smallint are the same units here, and so are their names
SELECT is((SELECT count(DISTINCT answer) FROM stayed WHERE (b).m = 3 AND (b).g = 2), 1::bigint, 'whatever its type');
SELECT ok(bound('unit', 5, 2, 2) IS NOT NULL AND plan_of('SELECT kind, dp_sum(a) FROM stays GROUP BY kind') ~ 'exact sums' AND plan_of('SELECT kind, dp_sum(a) FROM stays GROUP BY kind') !~ 'Window', 'nothing is sorted');
SELECT ok(bound('unit', 5000, 2000, 2) IS NOT NULL AND plan_of('SELECT kind, dp_sum(a) FROM stays GROUP BY kind') ~ 'Window', 'unless limits are large');
-- each unit alone adds what it adds among others
CREATE FUNCTION alone(u int) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE result float8[];
BEGIN
    EXECUTE format('SELECT array_agg(x ORDER BY kind) FROM (SELECT kind, unnest(ARRAY[dp_sum(a), dp_count(*), dp_sum(a * b)]) AS x FROM few WHERE unit = %s GROUP BY kind) q', u) INTO result;
    RETURN result;
END $$;
CREATE TABLE few AS SELECT * FROM stays WHERE unit < 40;
DO $$ BEGIN PERFORM dpsens.protect('few', 'unit', 'add_remove', 3, 2, 2), dpsens.set_range('few', 'a', 0, 50), dpsens.set_range('few', 'b', 0, 20); END $$;
SELECT is((SELECT array_agg(s ORDER BY i) FROM (SELECT i, sum(x) AS s FROM generate_series(0, 39) u, unnest(alone(u)) WITH ORDINALITY q (x, i) GROUP BY i) r),
    (SELECT array_agg(x ORDER BY kind) FROM (SELECT kind, unnest(ARRAY[dp_sum(a), dp_count(*), dp_sum(a * b)]) AS x FROM few GROUP BY kind) q), 'units do not matter to each other');
SELECT is((SELECT count(*) FROM generate_series(0, 39) u, LATERAL (SELECT alone(u) AS a, (SELECT least(2, count(*)) FROM few WHERE unit = u AND kind = 'small') s,
        (SELECT least(2, count(*)) FROM few WHERE unit = u AND kind = 'medium') m) q
    WHERE a[2] + a[5] <> least(3, s + m) OR a[2] > 2 OR a[5] > 2), 0::bigint, 'as many rows count as may');

-- ---- a value is computed once ----

SELECT matches(plan_of('SELECT k4, dp_sum(a * b), dp_avg(a * b), dp_sum(a), dp_count(*) FROM t GROUP BY k4'), 'exact sums', 'one scan');
CREATE FUNCTION arguments(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        IF line ~ '^ *Output: \(dpsens_internal.exact_groups[^;]*\)$' AND line !~ 'generate_series' THEN
            RETURN regexp_replace(btrim(line), '^Output: \(dpsens_internal.exact_groups\((.*)\)\)$', '\1');
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
SELECT is(arguments('SELECT k4, dp_sum(a * b), dp_avg(b * a + 1), dp_sum(a), dp_count(*) FROM t GROUP BY k4'), '''6 groups, 2 columns, 4 states''::dpsens_internal.plan, k4, a, b', 'columns are fetched once');
SELECT is(arguments('SELECT dp_sum(a) FILTER (WHERE i > 3), dp_count(*) FILTER (WHERE i > 3), dp_sum(a) FROM t'), '''1 groups, 1 columns, 3 states''::dpsens_internal.plan, a, (i > 3)', 'so are conditions');

-- ---- prepared statements, cursors, changes ----

PREPARE above AS SELECT k4, dp_sum(a) FROM t WHERE i > $1 GROUP BY k4;
SET plan_cache_mode = force_generic_plan;
CREATE TABLE by_plan AS EXECUTE above(30);
SELECT is((SELECT string_agg(b::text, '|') FROM by_plan b), answer('SELECT k4, dp_sum(a) FROM t WHERE i > 30 GROUP BY k4'), 'a generic plan');
DROP TABLE by_plan;
SELECT lives_ok($$SELECT dpsens.set_values('t', 'k4', '3', '1')$$, 'other keys');
CREATE TABLE by_plan AS EXECUTE above(30);
SELECT is((SELECT string_agg(b::text, '|') FROM by_plan b), answer('SELECT k4, dp_sum(a) FROM t WHERE i > 30 GROUP BY k4'), 'are the prepared statement''s, too');
SELECT is((SELECT count(*) FROM by_plan), 2::bigint, 'no more');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT kenum, dp_sum(a) FROM t GROUP BY kenum;
MOVE ALL IN c;
CREATE TEMP TABLE seen (line text) ON COMMIT PRESERVE ROWS;
MOVE BACKWARD ALL IN c;
COMMIT;

-- ---- with noise ----

SET dpsens.noise = on;
CREATE TABLE draws AS SELECT k, dp_count(*) AS n, dp_sum(a) AS s FROM many GROUP BY k;
SELECT is(count(*), 7000::bigint, 'every declared key has an answer') FROM draws;
-- at epsilon 1, a count is off by 40 with probability exp(-40) for each of 7000
CREATE TABLE truth AS SELECT d.n - count(m.k) AS error FROM draws d LEFT JOIN many m ON m.k = d.k GROUP BY d.k, d.n;
SELECT is(count(*), 0::bigint, 'that is near the truth') FROM truth WHERE abs(error) > 40;
-- and by 0 with probability 0.46 each: by 12 deviations never more than 3800 of them
SELECT cmp_ok(count(*), '<', 3800::bigint, 'and not the truth') FROM truth WHERE error = 0;

-- ---- not for users ----

SELECT throws_ok(query, '42501', NULL, query) FROM unnest(ARRAY[
    'SELECT dpsens_internal.exact_groups(NULL::dpsens_internal.plan) FROM t', 'SELECT dpsens_internal.exact_groups(NULL::dpsens_internal.plan, a) FROM t',
    'SELECT dpsens_internal.exact_group(NULL::dpsens_internal.states, 0, 0)', 'SELECT dpsens_internal.exact_key(ARRAY[1], 0, 1)',
    'SELECT dpsens_internal.exact_cell(NULL::dpsens_internal.plan, a) FROM t', 'SELECT dpsens_internal.exact_number(NULL::dpsens_internal.plan, a) FROM t',
    'SELECT dp_count(*), dpsens_internal.exact_groups(NULL::dpsens_internal.plan, a) FROM t']) query;
SELECT throws_ok($$SELECT ''::dpsens_internal.states$$, '0A000', NULL, 'no text form');

SELECT * FROM finish();
DROP SCHEMA group_states_tap CASCADE;
