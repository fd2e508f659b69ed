-- Every aggregate in every way of writing it: what the catalog holds, times what is
-- promised of each of them.  An aggregate that is new fails the first test until the
-- table of arguments knows it.
--
-- Without noise an answer is a function of the rows, so that two queries over the same
-- rows must agree to the last bit.  With noise it is only asked that there is an answer.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(2443);

DROP SCHEMA IF EXISTS catalogue_tap CASCADE;
CREATE SCHEMA catalogue_tap;
SET search_path = catalogue_tap, public;
CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad');
-- x can be NULL and NaN; site is a private key with declared values, of which z is not met
CREATE TABLE t (id int PRIMARY KEY, x float8, y float8 NOT NULL, k int, b boolean, m mood, site text NOT NULL);
INSERT INTO t SELECT i, CASE WHEN i % 17 = 0 THEN NULL WHEN i % 19 = 0 THEN 'NaN' ELSE (i * 7919 % 1000) / 100.0 END, (i * 31 % 300) / 100.0, i * 7 % 40,
    CASE WHEN i % 13 > 0 THEN i % 3 > 0 END, (ARRAY['sad', 'fine', 'fine', NULL])[1 + i % 4]::mood, (ARRAY['north', 'south'])[1 + i % 2]
FROM generate_series(1, 3000) i;
CREATE TABLE nothing (LIKE t INCLUDING ALL);
CREATE TABLE one (LIKE t INCLUDING ALL);
INSERT INTO one VALUES (1, 4, 2, 3, true, 'fine', 'north');
CREATE TABLE nulls (LIKE t INCLUDING ALL);
INSERT INTO nulls SELECT i, NULL, 1, NULL, NULL, NULL, 'north' FROM generate_series(1, 50) i;
-- what no number should be, and the same rows as they are read
CREATE TABLE odd (LIKE t INCLUDING ALL);
INSERT INTO odd SELECT i, (ARRAY['NaN', 'Infinity', '-Infinity', '1e308', '-1e-320', '-0', NULL, '7'])[1 + i % 8]::float8, (ARRAY['NaN', 'Infinity', '-Infinity', '1', '2'])[1 + i % 5]::float8,
    (ARRAY[2147483647, -2147483648, NULL, 5])[1 + i % 4], NULL, NULL, 'elsewhere' FROM generate_series(1, 200) i;
CREATE TABLE as_read (LIKE t INCLUDING ALL);
INSERT INTO as_read SELECT id, CASE WHEN x <> 'NaN' THEN greatest(0, least(10, x)) END, CASE WHEN y = 'NaN' THEN 3 ELSE greatest(0, least(3, y)) END, greatest(0, least(39, k)), b, m, 'north' FROM odd;
ANALYZE t;

CREATE PROCEDURE declare_all() LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['t', 'nothing', 'one', 'nulls', 'odd', 'as_read'] LOOP
        PERFORM dpsens.protect(name::regclass, unit => 'id'), dpsens.set_range(name::regclass, 'x', 0, 10), dpsens.set_range(name::regclass, 'y', 0, 3),
            dpsens.set_range(name::regclass, 'k', 0, 39), dpsens.set_values(name::regclass, 'site', 'north', 'south', 'z');
    END LOOP;
END $$;
CALL declare_all();

-- ---- the aggregates ----

-- The arguments of an aggregate without epsilon, by its name and the types of the first ones.
CREATE TABLE arguments (pattern text, types text, text text, shortest int);
INSERT INTO arguments VALUES
    ('count', '"any"', 'x', 1), ('sum|avg|min|max|median|var(iance|_samp|_pop)|stddev(_samp|_pop)?', 'double precision', 'x', 1),
    ('covar_(samp|pop)|corr|regr_(slope|intercept|r2|count|avgx|avgy|sxx|syy|sxy)', 'double precision, double precision', 'y, x', 2),
    ('sum|avg', 'double precision[]', 'ARRAY[x, y]', 1), ('linregr', 'double precision, double precision[]', 'y, ARRAY[x, x * y]', 2),
    ('quantile', 'double precision, double precision', 'x, 0.3', 2), ('quantile', 'double precision, double precision[]', 'x, ARRAY[0.25, 0.5, 1]', 2),
    ('histogram', 'double precision, integer', 'x, 4', 2), ('histogram', 'double precision, double precision[]', 'x, ARRAY[0, 2, 5, 10]', 2),
    ('bool_(and|or)', 'boolean', 'b', 1), ('mode', 'anyelement', 'm', 1), ('top', 'anyelement, integer', 'm, 2', 2);
CREATE TABLE calls AS
SELECT p.oid, format('%s(%s)', proname, text || CASE WHEN pronargs > shortest THEN ', 0.5' ELSE '' END || CASE WHEN pronargs > shortest + 1 THEN ', 0.9' ELSE '' END) AS call,
    proname ~ '_ci$' AS interval, pronargs > shortest AS epsilon, pronargs > shortest + 1 AS level, text AS of
FROM pg_proc p JOIN arguments ON regexp_replace(proname, '^dp_|_ci$', '', 'g') ~ ('^(' || pattern || ')$')
    AND array_to_string(proargtypes[0:shortest - 1]::regtype[], ', ') = types AND pronargs - shortest <= CASE WHEN proname ~ '_ci$' THEN 2 ELSE 1 END
WHERE prokind = 'a' AND proname ~ '^dp_';
INSERT INTO calls SELECT p.oid, proname || '(*)', proname ~ '_ci$', false, false, '' FROM pg_proc p WHERE prokind = 'a' AND proname ~ '^dp_count(_ci)?$' AND pronargs = 0;
SELECT is((SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p WHERE prokind = 'a' AND proname ~ '^dp_' AND p.oid NOT IN (SELECT oid FROM calls)), NULL,
    'every aggregate of the catalog is known here');
SELECT is((SELECT string_agg(oid::regprocedure::text, ', ') FROM calls GROUP BY oid HAVING count(*) > 1 LIMIT 1), NULL, 'by one way of calling it');
INSERT INTO calls SELECT NULL, replace(call, '(x', '(DISTINCT k'), interval, epsilon, level, 'k' FROM calls WHERE call ~ '^dp_count(_ci)?\(x';
SELECT cmp_ok((SELECT count(*) FROM calls), '>=', 177::bigint, 'and they are all here');

-- ---- the catalog ----

SELECT is((SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p JOIN calls USING (oid) WHERE obj_description(p.oid, 'pg_proc') IS NULL), NULL, 'all are described');
SELECT is((SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p JOIN calls USING (oid)
           WHERE interval AND obj_description(p.oid, 'pg_proc') !~ 'intervals? of its noise'), NULL, 'what an interval is of is said');
SELECT is((SELECT string_agg(p.typname, ', ') FROM pg_type p WHERE typname ~ '^noise_' AND typtype = 'c' AND obj_description(p.oid, 'pg_type') !~ 'what (it|the estimates) would be without noise'), NULL,
    'and what it holds');
SELECT is((SELECT string_agg(call, ', ') FROM calls c WHERE NOT interval AND NOT EXISTS
           (SELECT FROM calls d WHERE d.interval AND d.of = c.of AND d.level AND split_part(d.call, '(', 1) = split_part(c.call, '(', 1) || '_ci') AND call <> 'dp_count(*)' AND call !~ '^dp_top'), NULL,
    'every one has a companion with a level, but for lists of values');
SELECT is((SELECT string_agg(call, ', ') FROM calls c WHERE NOT epsilon AND NOT EXISTS
           (SELECT FROM calls d WHERE d.epsilon AND d.of = c.of AND split_part(d.call, '(', 1) = split_part(c.call, '(', 1)) AND call !~ '\(\*\)'), NULL,
    'and each can be given an epsilon');

-- ---- what a query answers ----

-- As text, rows in the order that they come in.
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT string_agg(q::text, '' '') FROM (' || query || ') q' INTO result;
    RETURN result;
END $$;

CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM answer(query);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

SET dpsens.epsilon = 1;
SET dpsens.noise = off;
CREATE TABLE serial AS
SELECT call, answer(format('SELECT %s FROM t', call)) AS single, answer(format('SELECT site, %s FROM t GROUP BY site', call)) AS grouped FROM calls;
SELECT is(answer(format('SELECT %s FILTER (WHERE id %% 3 = 1) FROM t', call)), answer(format('SELECT %s FROM t WHERE id %% 3 = 1', call)), call || ': FILTER') FROM calls;
SELECT isnt(answer(format('SELECT %s FILTER (WHERE id %% 3 = 1 AND y < 1.5) FROM t', call)), single, call || ': FILTER makes a difference') FROM serial
WHERE call !~ '^dp_(mode|top|max|min|count(_ci)?\(DISTINCT|bool|quantile)';
SELECT is(grouped, (SELECT string_agg(format('(%s,%s', site, substr(answer(format('SELECT %s FROM t WHERE site = %L', call, site)), 2)), ' ' ORDER BY site)
          FROM unnest('{north,south,z}'::text[]) site), call || ': GROUP BY') FROM serial;
SELECT is(answer(format('SELECT %s FROM odd', call)), answer(format('SELECT %s FROM as_read', call)), call || ': NaN and infinities') FROM calls;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET dpsens.enable_table_sums = off;
SET dpsens.enable_row_sums = off;
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan::text ~ '"Gather' AND plan::text ~ '"Partial Mode": "Partial"';
END $$;
SELECT ok(is_parallel(format('SELECT %s FROM t', call)), call || ': workers make states, which are merged') FROM calls;
SELECT is(answer(format('SELECT %s FROM t', call)), single, call || ': in parallel') FROM serial;
SELECT is(answer(format('SELECT site, %s FROM t GROUP BY site', call)), grouped, call || ': in parallel, in groups') FROM serial;
RESET dpsens.enable_row_sums;
SELECT is(answer(format('SELECT site, %s FROM t GROUP BY site', call)), grouped, call || ': in parallel, in groups, by sums of rows')
FROM serial JOIN calls USING (call) WHERE NOT epsilon;
RESET dpsens.enable_table_sums;
SELECT is(answer(format('SELECT site, %s FROM t GROUP BY site', call)), grouped, call || ': in parallel, in groups, by sums of the table')
FROM serial JOIN calls USING (call) WHERE NOT epsilon;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
RESET dpsens.noise;

-- ---- with noise: no data, strange data ----

CREATE FUNCTION failures(call text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(source || ': ' || outcome, '; ')
    FROM unnest('{nothing,one,nulls,odd}'::text[]) source, outcome(format('SELECT %s FROM %s%s', call, source, CASE WHEN source <> 'odd' THEN ' GROUP BY site' END))
    WHERE outcome <> 'answered' $$;
SET dpsens.delta = 1e-6;
SELECT is(failures(call), NULL, call || ': answered whatever the rows are') FROM calls;
SET dpsens.mechanism = gaussian;
SELECT is(failures(call), NULL, call || ': and by gaussian noise') FROM calls WHERE NOT epsilon;
RESET dpsens.mechanism;
SELECT isnt(answer(format('SELECT %s FROM t', call)), answer(format('SELECT %s FROM t', call)), call || ': there is noise') FROM calls
WHERE call ~ '^dp_(sum|avg|var|stddev|covar|corr|regr_(slope|intercept|r2|avgx|avgy|sxx|syy|sxy)|linregr)';

-- ---- the charge ----

CREATE FUNCTION cost(query text) RETURNS float8 LANGUAGE sql AS 'SELECT sum(cost_epsilon) FROM dpsens.explain(query, 3000)';
SET dpsens.epsilon = 0.25;
SELECT ok(abs(cost(format('SELECT %s FROM t', call)) / CASE WHEN epsilon THEN 0.5 ELSE 0.25 END - 1) < 1e-6, call || ': costs the epsilon ' || CASE WHEN epsilon THEN 'of the argument' ELSE 'of the setting' END)
FROM calls;
SET dpsens.epsilon = 1;
SELECT ok((SELECT bool_and(CASE WHEN error_95 IS NULL THEN note LIKE '%the error depends on how far the values spread%' AND aggregate ~ '^dp_(corr|linregr|regr_(slope|intercept|r2))(_ci)?\(' ELSE error_95 > 0 AND error_95 < 'Infinity' END) FROM dpsens.explain(format('SELECT %s FROM t',
    call), 3000)), call || ': explain states an error, or why there is none') FROM calls;
SET dpsens.mechanism = gaussian;
SELECT ok((SELECT bool_and(CASE WHEN error_95 IS NULL THEN note LIKE '%the error depends on how far the values spread%' AND aggregate ~ '^dp_(corr|linregr|regr_(slope|intercept|r2))(_ci)?\(' ELSE error_95 > 0 AND error_95 < 'Infinity' END) FROM dpsens.explain(format('SELECT %s FROM t',
    call), 3000)), call || ': and a gaussian one') FROM calls;
RESET dpsens.mechanism;
RESET dpsens.epsilon;
SELECT is(outcome(format('SELECT %s FROM t', call)) = 'answered', epsilon, call || CASE WHEN epsilon THEN ': needs no setting' ELSE ': does not guess epsilon' END) FROM calls;

SELECT * FROM finish();
DROP SCHEMA catalogue_tap CASCADE;
