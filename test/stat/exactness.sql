-- exactness.sql
--	What is summed before noise is the same to the last bit, whatever plan runs
--	and in whatever order the rows come, and it is the sum of integers on the
--	public grid that an independent computation finds.
--
-- Nothing here is random: rows are made from one seed, and noise is off.  The
-- false-alarm rate is 0.  Another seed: psql -v seed=0.25.  A failure prints the
-- settings, the query and the first keys that differ, as hexadecimal float8.
--
-- The table t exists in three schemas, which differ in the order of its rows.
-- Its columns hold numbers of all magnitudes, infinities, NaN, -0 and NULL.

\set QUIET on
SET client_min_messages = error;
SET log_min_messages = error;
\if :{?seed}
\else
\set seed 0.5
\endif
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_exactness, dps_inserted, dps_reversed, dps_shuffled CASCADE;
CREATE SCHEMA dps_exactness;
CREATE SCHEMA dps_inserted;
CREATE SCHEMA dps_reversed;
CREATE SCHEMA dps_shuffled;
SET search_path = dps_exactness, public;

-- ---- rows ----

-- h and u have huge and tiny ranges, y is never NULL, keys that are not declared occur.
CREATE TABLE dps_inserted.t
(
    id  int NOT NULL,
    k   int NOT NULL,
    x   float8,
    y   float8 NOT NULL,
    h   float8,
    u   float8,
    n   numeric,
    i   int
);
CREATE TABLE dps_reversed.t (LIKE dps_inserted.t INCLUDING ALL);
CREATE TABLE dps_shuffled.t (LIKE dps_inserted.t INCLUDING ALL);

CREATE FUNCTION wild_float() RETURNS float8 LANGUAGE sql VOLATILE
RETURN (ARRAY['1e308', '-1e308', '1e-308', '-1e-308', '5e-324', 'NaN', 'Infinity', '-Infinity', '-0', '1.7976931348623157e308', '1e15'])[1 + floor(random() * 11)::int]::float8;
CREATE FUNCTION wild_numeric() RETURNS numeric LANGUAGE sql VOLATILE
RETURN (ARRAY['1e308', '-1e308', '1e-308', '1e400', '-1e5000', '1e-1000', 'NaN', '0.1', '0.1000000000000000055511151231257827021181583404541015625', '-0.3'])[1 + floor(random() * 10)::int]::numeric;
-- of any magnitude up to 10^most
CREATE FUNCTION tame(most int) RETURNS float8 LANGUAGE sql VOLATILE
RETURN (random() - 0.4) * ('1e' || (most - floor(random() ^ 2 * 20)::int))::float8;

SELECT setseed(:seed);
INSERT INTO dps_inserted.t
SELECT id, CASE WHEN random() < 0.02 THEN 10000 ELSE 1 + floor(random() ^ 2 * 600) END,
       CASE WHEN random() < 0.2 THEN wild_float() WHEN random() < 0.9 THEN tame(3) END,
       CASE WHEN random() < 0.1 THEN wild_float() ELSE tame(2) END,
       CASE WHEN random() < 0.3 THEN wild_float() WHEN random() < 0.9 THEN tame(308) END,
       CASE WHEN random() < 0.3 THEN wild_float() WHEN random() < 0.9 THEN tame(-280) END,
       CASE WHEN random() < 0.3 THEN wild_numeric() WHEN random() < 0.9 THEN tame(1)::numeric * (1 + (random() * 1e9)::int::numeric / 1e25) END,
       CASE WHEN random() < 0.9 THEN (random() * 4e9 - 2e9)::int / (1 + (random() * 1e5)::int) END
FROM generate_series(1, 6000) AS id;
INSERT INTO dps_reversed.t SELECT * FROM dps_inserted.t ORDER BY id DESC;
INSERT INTO dps_shuffled.t SELECT * FROM dps_inserted.t ORDER BY md5(id::text || :'seed');
CREATE INDEX ON dps_inserted.t (k);
CREATE INDEX ON dps_shuffled.t (k);
ANALYZE dps_inserted.t, dps_reversed.t, dps_shuffled.t;

CREATE TABLE bounds (name text PRIMARY KEY, lo float8, hi float8);
INSERT INTO bounds VALUES ('x', -100, 1000), ('y', -7.5, 50), ('h', -1e307, 1e308), ('u', -1e-290, 1e-300), ('n', -0.7, 2), ('i', -300, 70000);

CREATE FUNCTION annotate(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one regclass;
    ids text[] := ARRAY(SELECT i::text FROM generate_series(1, 610) i);
BEGIN
    FOREACH one IN ARRAY ARRAY['dps_inserted.t', 'dps_reversed.t', 'dps_shuffled.t']::regclass[] LOOP
        PERFORM dpsens.unprotect(one);
        PERFORM dpsens.protect(one, adjacency => adjacency);
        PERFORM dpsens.set_range(one, name, lo, hi) FROM bounds;
        PERFORM dpsens.set_values(one, 'k', VARIADIC ids);
        PERFORM dpsens.set_public(one, 'k'), dpsens.set_range(one, 'id', 0, 1e6), dpsens.set_public(one, 'id');
    END LOOP;
END
$$;

-- ---- answers ----

SET dpsens.epsilon = 1;
SET dpsens.noise = off;

-- A query of k and an array, as a text with a line for each key.
CREATE FUNCTION bits_of(query text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN format('SELECT string_agg(k || '': '' || (SELECT string_agg(coalesce(encode(float8send(v), ''hex''), ''null''), '' '' ORDER BY i) '
              'FROM unnest(a) WITH ORDINALITY AS u (v, i)), E''\n'' ORDER BY k) FROM (%s) AS q (k, a)', query);

CREATE FUNCTION set_all(settings text[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    SELECT set_config(split_part(s, '=', 1), split_part(s, '=', 2), false) FROM unnest(settings) AS s;
END;

CREATE FUNCTION reset_all() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_all(ARRAY['max_parallel_workers_per_gather=0', 'min_parallel_table_scan_size=8MB', 'min_parallel_index_scan_size=512kB', 'parallel_setup_cost=1000',
        'parallel_tuple_cost=0.1', 'parallel_leader_participation=on', 'enable_hashagg=on', 'enable_sort=on', 'enable_seqscan=on', 'enable_indexscan=on',
        'work_mem=4MB', 'hash_mem_multiplier=2', 'jit=off', 'jit_above_cost=100000', 'jit_inline_above_cost=500000',
        'jit_optimize_above_cost=500000', 'dpsens.mechanism=laplace', 'dpsens.enable_table_sums=on', 'dpsens.enable_row_sums=on', 'dpsens.enable_group_states=on', 'search_path=dps_inserted, dps_exactness, public']);
END
$$;

CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE bits_of(query) INTO result;
    RETURN result;
END
$$;

-- What of the plan of a query matches.
CREATE FUNCTION planned(query text, pattern text, analysed boolean DEFAULT false) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
    result boolean := false;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (COSTS OFF, ANALYZE %s, TIMING OFF, SUMMARY OFF) %s', analysed::text, query) LOOP
        result := result OR line ~ pattern;
    END LOOP;
    RETURN result;
END
$$;

-- The lines in which two answers differ, or NULL.
CREATE FUNCTION difference(have text, want text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT string_agg(format('have %s, want %s', coalesce(h, 'no such key'), coalesce(w, 'no such key')), E'\n')
    FROM (SELECT h, w FROM string_to_table(have, E'\n') AS h FULL JOIN string_to_table(want, E'\n') AS w
              ON split_part(h, ':', 1) = split_part(w, ':', 1)
          WHERE h IS DISTINCT FROM w LIMIT 5) AS d;
END;

CREATE TABLE question (name text PRIMARY KEY, query text);
INSERT INTO question VALUES
    ('groups', 'SELECT k, ARRAY[dp_sum(x), dp_sum(x * y - 3), dp_sum(y + 1000000), dp_sum(h), dp_sum(u), dp_sum(n), dp_sum(i), dp_sum(exp(y / 10) * n + sqrt(x + 100)),
        dp_sum(CASE WHEN x > 0 THEN h END), dp_count(x), dp_count(*), dp_avg(x), dp_avg(n * y), dp_avg(h), dp_sum(x) FILTER (WHERE y > 0)] FROM t GROUP BY k'),
    ('whole', 'SELECT 0, ARRAY[dp_sum(x), dp_sum(x * y - 3), dp_sum(y + 1000000), dp_sum(h), dp_sum(u), dp_sum(n), dp_sum(i), dp_sum(exp(y / 10) * n + sqrt(x + 100)),
        dp_sum(CASE WHEN x > 0 THEN h END), dp_count(x), dp_count(*), dp_avg(x), dp_avg(n * y), dp_avg(h), dp_sum(x) FILTER (WHERE y > 0)] FROM t'),
    ('some', 'SELECT k, ARRAY[dp_sum(x * n), dp_avg(u), dp_count(n)] FROM t WHERE y < 40 GROUP BY k');

-- ways to run them; what their plans must show for at least the questions named
CREATE TABLE way (name text PRIMARY KEY, settings text[], shows text, of_question text);
INSERT INTO way VALUES
    ('hashed', '{enable_sort=off}', 'HashAggregate', 'groups'),
    ('sorted', '{enable_hashagg=off}', 'GroupAggregate', 'groups'),
    ('sorted by an index', '{enable_hashagg=off,enable_seqscan=off,enable_sort=off}', 'Index Scan', 'groups'),
    ('hashed in little memory', '{work_mem=64kB,hash_mem_multiplier=1,enable_sort=off,enable_indexscan=off}', 'HashAggregate', 'groups'),
    ('sorted in little memory', '{work_mem=64kB,enable_hashagg=off}', 'GroupAggregate', 'groups'),
    ('reversed', '{"search_path=dps_reversed, dps_exactness, public"}', 'Aggregate', 'groups'),
    ('reversed and sorted', '{"search_path=dps_reversed, dps_exactness, public",enable_hashagg=off}', 'GroupAggregate', 'groups'),
    ('shuffled', '{"search_path=dps_shuffled, dps_exactness, public"}', 'Aggregate', 'groups'),
    ('shuffled and in little memory', '{"search_path=dps_shuffled, dps_exactness, public",work_mem=64kB,hash_mem_multiplier=1}', 'Aggregate', 'groups'),
    ('two workers', '{max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Workers Planned: 2', 'whole'),
    ('not by pages', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}', 'Aggregate', 'whole'),
    ('by rows', '{dpsens.enable_table_sums=off}', 'Custom Scan .dpsens exact sums of rows', 'whole'),
    ('by pages', '{}', 'Custom Scan .dpsens exact sums\)', 'whole'),
    ('two workers, by rows', '{dpsens.enable_table_sums=off,max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Custom Scan .dpsens exact sums of rows', 'whole'),
    ('two workers, by the aggregate', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off,max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Partial Aggregate', 'whole'),
    ('two workers, groups', '{max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Partial HashAggregate', 'groups'),
    ('two workers alone, shuffled', '{"search_path=dps_shuffled, dps_exactness, public",max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0,parallel_leader_participation=off}',
        'Workers Planned: 2', 'groups'),
    ('two workers, sorted', '{max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0,enable_hashagg=off}', 'Partial GroupAggregate', 'groups'),
    ('two workers in little memory', '{max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0,work_mem=64kB,hash_mem_multiplier=1,enable_sort=off,enable_indexscan=off}',
        'Workers Planned: 2', 'groups'),
    ('four workers', '{max_parallel_workers_per_gather=4,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Workers Planned: [34]', 'whole');
INSERT INTO way VALUES
    ('in a block, by pages', '{}', 'Custom Scan .dpsens exact sums\)', 'groups'),
    ('in a block, by rows', '{dpsens.enable_table_sums=off}', 'Custom Scan .dpsens exact sums of rows', 'groups'),
    ('in a block, by the aggregate', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}', '->  Aggregate', 'groups'),
    ('in a block, two workers', '{max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Parallel Custom Scan .dpsens exact sums', 'groups'),
    ('in a block, two workers, by rows', '{dpsens.enable_table_sums=off,max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Custom Scan .dpsens exact sums of rows', 'groups'),
    ('in a block, two workers, by the aggregate', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off,max_parallel_workers_per_gather=2,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}', 'Partial Aggregate', 'groups');
UPDATE way SET settings = settings || '{dpsens.enable_group_states=off}' WHERE of_question = 'groups' AND name NOT LIKE 'in a block%';
INSERT INTO way SELECT 'compiled', '{jit=on,jit_above_cost=0,jit_inline_above_cost=0,jit_optimize_above_cost=0,dpsens.enable_group_states=off}', 'Aggregate', 'groups' WHERE pg_jit_available();
INSERT INTO way SELECT 'in a block, compiled', '{jit=on,jit_above_cost=0,jit_inline_above_cost=0,jit_optimize_above_cost=0,dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}', '->  Aggregate', 'groups' WHERE pg_jit_available();

CREATE TABLE outcome (adjacency text, way text, question text, mechanism text, settings text[], shown boolean, difference text, lines int);

CREATE FUNCTION compare_ways(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    w way;
    q question;
    mechanism text;
    want text;
BEGIN
    PERFORM annotate(adjacency);
    FOREACH mechanism IN ARRAY ARRAY['laplace', 'gaussian'] LOOP
        FOR q IN SELECT * FROM question LOOP
            PERFORM reset_all(), set_all(ARRAY['dpsens.mechanism=' || mechanism]);
            want := answer(q.query);
            FOR w IN SELECT * FROM way LOOP
                -- without noise the mechanism matters for averages only
                CONTINUE WHEN mechanism = 'gaussian' AND w.name NOT IN ('sorted', 'two workers, groups', 'reversed');
                PERFORM reset_all(), set_all(w.settings || ('dpsens.mechanism=' || mechanism));
                INSERT INTO outcome VALUES (adjacency, w.name, q.name, mechanism, w.settings, q.name <> w.of_question OR planned(q.query, w.shows),
                                            difference(answer(q.query), want), cardinality(string_to_array(want, E'\n')));
            END LOOP;
        END LOOP;
    END LOOP;
    PERFORM reset_all();
END
$$;

-- ---- an independent computation ----

-- A float8 clamped into its range; NaN is NULL where NULL can occur, else above all.
CREATE FUNCTION boxed(name text, value float8) RETURNS float8 LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT CASE WHEN value IS NULL OR value = 'NaN' AND name <> 'y' THEN NULL ELSE least(greatest(value, lo), hi) END FROM bounds WHERE bounds.name = boxed.name;
END;
-- A numeric likewise.  Clamping first changes nothing, since conversion keeps the order
-- and the ends; what is below all doubles must not reach the cast, which would raise.
CREATE FUNCTION boxed(name text, value numeric) RETURNS float8 LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT CASE WHEN value = 'NaN' THEN NULL WHEN abs(value) < 1e-320 THEN 0 ELSE least(greatest(value, lo::numeric), hi::numeric)::float8 END
    FROM bounds WHERE bounds.name = boxed.name AND value IS NOT NULL;
END;

CREATE TABLE cells AS
SELECT id, k, boxed('x', x) AS x, boxed('y', y) AS y, boxed('h', h) AS h, boxed('u', u) AS u, boxed('n', n) AS n, boxed('i', i::float8) AS i
FROM dps_inserted.t;

-- The integer that a value adds: the value clamped into [lower, upper], in units of
-- the grid, to the nearest, ties to even, and clamped into the integers around.
-- Dividing by a power of two is exact, but PostgreSQL raises where it underflows.
CREATE FUNCTION integer_of(f float8, lower float8, upper float8, grid float8) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT
RETURN CASE WHEN abs(least(greatest(f, lower), upper)) <= grid / 4 THEN 0
    ELSE least(greatest(round(least(greatest(f, lower), upper) / grid)::bigint, floor(lower / grid)::bigint), ceil(upper / grid)::bigint) END;

-- The integers' sum as a double, times the grid; infinite where it is too large.
CREATE FUNCTION value_of(total numeric, grid float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN total = 0 THEN 0::float8
    WHEN grid > 1 AND abs(total::float8) >= 2::float8 ^ 1023 / grid * 2 THEN sign(total::float8) * 'Infinity'::float8
    ELSE total::float8 * grid END;

-- dp_sum(expression) over the rows that a condition on public columns selects, in total
-- or by key: the lines in which dpsens and this computation differ.
CREATE FUNCTION compare_with_sql(expression text, plain text, condition text, grouped boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT %s, ARRAY[dp_sum(%s), dp_count(%s + 0)] FROM t WHERE %s %s', CASE WHEN grouped THEN 'k' ELSE '0' END, expression, expression, condition,
                         CASE WHEN grouped THEN 'GROUP BY k' ELSE '' END);
    stated record;
    want text;
BEGIN
    SELECT lower, upper, grid INTO STRICT stated FROM dpsens.explain(query) WHERE aggregate ~ '^dp_sum';
    EXECUTE bits_of(format('SELECT key, ARRAY[value_of(coalesce(sum(integer_of(f, $1, $2, $3)), 0), $3), count(f)] FROM generate_series(%s) AS key
                            LEFT JOIN (SELECT %s AS k, %s AS f FROM cells WHERE %s) AS v ON k = key GROUP BY key',
                           CASE WHEN grouped THEN '1, 610' ELSE '0, 0' END, CASE WHEN grouped THEN 'k' ELSE '0' END, plain, condition))
    INTO want USING stated.lower, stated.upper, stated.grid;
    RETURN difference(answer(query), want) || format(E'\n%s\nlower %s, upper %s, grid %s', query, stated.lower, stated.upper, stated.grid);
END
$$;

-- a * b, and 0 where PostgreSQL would raise since the product is smaller than all doubles
CREATE FUNCTION times(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN ln(abs(nullif(a, 0))) + ln(abs(nullif(b, 0))) < -740 THEN 0 ELSE a * b END;

CREATE TABLE computed (adjacency text, expression text, condition text, grouped boolean, difference text);

CREATE FUNCTION compare_all_with_sql(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    -- operations that IEEE 754 and both evaluators round alike; where PostgreSQL
    -- would raise, what to give it instead follows
    expressions text[] := ARRAY['x', 'y', 'h', 'u', 'n', 'i', 'x * y = times(x, y)', 'x + y * 3 - 0.1', 'y / (x + 101) = CASE WHEN abs(y) < 1e-300 THEN 0 * x ELSE y / (x + 101) END',
        'sqrt(y + 7.5)', 'y + 1000000', 'n * n = times(n, n)', 'i * y', 'abs(x) - y', 'floor(x) * y', 'CASE WHEN x > y THEN h END', 'coalesce(x, y)', 'greatest(x, y * 10)',
        'y * 1e-200 = times(y, 1e-200)', 'y * 1e300', '0 * y'];
    item text[];
    expression text;
    n int;
BEGIN
    PERFORM reset_all();
    FOREACH expression IN ARRAY expressions LOOP
        item := string_to_array(expression, ' = ');
        INSERT INTO computed SELECT adjacency, item[1], 'true', grouped, compare_with_sql(item[1], coalesce(item[2], item[1]), 'true', grouped) FROM unnest(ARRAY[true, false]) AS grouped;
    END LOOP;
    -- batches have 256 rows
    FOREACH n IN ARRAY ARRAY[0, 1, 2, 255, 256, 257, 511, 512, 513, 768] LOOP
        INSERT INTO computed SELECT adjacency, e, 'id <= ' || n, n = 257, compare_with_sql(e, e, 'id <= ' || n, n = 257) FROM unnest(ARRAY['x + y * 3', 'n', 'y + 1000000']) AS e;
    END LOOP;
END
$$;

SELECT compare_ways('add_remove');
SELECT compare_all_with_sql('add_remove');
SELECT compare_ways('replace');
SELECT compare_all_with_sql('replace');
SELECT reset_all();

-- Averages of whole numbers, which the grid holds as they are: sums, and quotients to 40 digits.
CREATE TABLE whole (k int NOT NULL, a int NOT NULL, p boolean NOT NULL);
INSERT INTO whole SELECT k, floor(random() * 2001) - 1000, random() < 0.7 FROM generate_series(1, 300) AS k, generate_series(1, 1 + k % 40);
SELECT dpsens.set_range('whole', 'a', -1000, 1000), dpsens.set_values('whole', 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, 300) AS i));
CREATE TABLE average (how text, k int, private float8, plain float8, joint float8);
CREATE FUNCTION compare_averages(adjacency text, mechanism text, filter text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('whole', adjacency => adjacency), set_config('dpsens.mechanism', mechanism, false);
    IF adjacency = 'replace' THEN
        PERFORM dpsens.set_public('whole', 'k');
    END IF;
    EXECUTE format('INSERT INTO average SELECT %L, k, private, plain, joint FROM (SELECT k, dp_avg(a) %2$s AS private, (dp_avg(ARRAY[a, -a]) %2$s)[1] AS joint FROM whole GROUP BY k) AS q
        JOIN (SELECT k, (sum(a) %2$s / (count(*) %2$s)::numeric(60, 40))::float8 AS plain FROM whole GROUP BY k) AS s USING (k) WHERE plain IS NOT NULL', concat_ws(', ', adjacency, mechanism, filter), filter);
END $$;
SELECT compare_averages(a, m, f) FROM unnest(ARRAY['add_remove', 'replace']) AS a, unnest(ARRAY['laplace', 'gaussian']) AS m, unnest(ARRAY['', 'FILTER (WHERE p)']) AS f;
SELECT set_config('dpsens.mechanism', 'laplace', false);
\o

SELECT plan(9 + (SELECT count(*)::int FROM (SELECT DISTINCT adjacency, way FROM outcome) AS o));

SELECT is(string_agg(E'\n' || question || ', ' || mechanism || E'\n' || difference, ''), NULL,
    format('%s, %s: the same bits', adjacency, way) || CASE WHEN bool_or(difference IS NOT NULL) THEN format(' (seed %s, settings %s)', :'seed', min(settings::text)) ELSE '' END)
FROM outcome GROUP BY adjacency, way ORDER BY adjacency, way;
SELECT is((SELECT string_agg(DISTINCT way, ', ') FROM outcome WHERE NOT shown), NULL, 'every plan is what it should be');
SELECT is((SELECT string_agg(DISTINCT question || ' ' || lines, ', ') FROM outcome), 'groups 610, some 610, whole 1', 'every key has an answer');

SELECT is((SELECT string_agg(format(E'\n%s: %s', adjacency, difference), E'\n') FROM (SELECT * FROM computed WHERE difference IS NOT NULL AND condition = 'true' AND grouped LIMIT 5) AS d),
    NULL, 'groups are what SQL computes on the grid, seed ' || :'seed');
SELECT is((SELECT string_agg(format(E'\n%s: %s', adjacency, difference), E'\n') FROM (SELECT * FROM computed WHERE difference IS NOT NULL AND condition = 'true' AND NOT grouped LIMIT 5) AS d),
    NULL, 'so are totals');
SELECT is((SELECT string_agg(format(E'\n%s: %s', adjacency, difference), E'\n') FROM (SELECT * FROM computed WHERE difference IS NOT NULL AND condition <> 'true' LIMIT 5) AS d),
    NULL, 'and totals of 0 to 768 rows');
SELECT is((SELECT count(*) FROM computed), 2 * (2 * 21 + 30)::bigint, 'all were compared');

SELECT is((SELECT string_agg(format(E'\n%s: %s %s %s %s', how, k, private, plain, joint), '') FROM (SELECT * FROM average WHERE private IS DISTINCT FROM plain OR joint IS DISTINCT FROM plain LIMIT 5) AS d)
    || CASE WHEN (SELECT count(*) FROM average) < 2000 THEN 'too few' ELSE '' END, NULL, 'averages are the nearest doubles, seed ' || :'seed');

-- what these comparisons can see: memory is as little, and rows as wild, as is meant
SELECT set_all(settings) FROM way WHERE name = 'hashed in little memory' \g /dev/null
SELECT ok(planned(query, 'Batches: ([2-9]|\d\d)|Disk Usage', true), 'hash tables spill') FROM question WHERE name = 'groups';
SELECT reset_all() \g /dev/null
SELECT is((SELECT array_agg(DISTINCT sign) FROM (SELECT sign(x) FROM dps_inserted.t WHERE abs(x) IN ('Infinity', 1e308, 1e-308) UNION ALL SELECT 9 FROM dps_inserted.t WHERE x = 'NaN'
           UNION ALL SELECT 10 FROM dps_inserted.t WHERE float8send(x) = '\x8000000000000000' UNION ALL SELECT 11 FROM dps_inserted.t WHERE x IS NULL) AS s (sign)),
    '{-1,1,9,10,11}'::float8[], 'the rows are wild');
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_exactness, dps_inserted, dps_reversed, dps_shuffled CASCADE;
