-- Joins with public relations: what is counted, what a row may change, what is refused.
-- Files: guard/trace/join_query.c, guard/query/range_table.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA joins_tap;
SET search_path = joins_tap, public;
SELECT plan(128);

CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL, factor float8 NOT NULL, code varchar(5) UNIQUE);
INSERT INTO regions SELECT i, 'r' || i, i, 'c' || i FROM generate_series(1, 5) i;
CREATE TABLE towns (town text PRIMARY KEY, region int REFERENCES regions, size int, harbour boolean);
INSERT INTO towns SELECT 't' || i, i % 4 + 1, i, i % 2 = 0 FROM generate_series(1, 10) i;
CREATE TABLE pairs (a int NOT NULL, b text NOT NULL, v float8 NOT NULL, UNIQUE (a, b));
INSERT INTO pairs SELECT i % 7, 't' || i / 7, i FROM generate_series(0, 97) i;
CREATE TABLE people (id int PRIMARY KEY, town text, x float8, y int NOT NULL, shift bigint NOT NULL DEFAULT 2, income numeric);
INSERT INTO people SELECT i, CASE WHEN i % 50 > 0 THEN 't' || i % 12 + 1 END, CASE WHEN i % 9 > 0 THEN i % 100 END, i % 7, i % 5, i % 31 FROM generate_series(1, 1200) i;
SELECT dpsens.protect('people', unit => 'id'), dpsens.set_range('people', 'x', 0, 100), dpsens.set_range('people', 'income', 10, 20);
SELECT dpsens.set_range('people', 'y', 0, 6), dpsens.set_range('regions', 'factor', 1, 3), dpsens.set_range('pairs', 'v', 0, 100), dpsens.set_values('towns', 'size', '1', '2', '3');
SET dpsens.epsilon = 1;

\ir same.psql
\ir refused.psql

-- ---- what is counted ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people JOIN towns USING (town)',
    'SELECT dp_count(*), dp_count(size) FROM people LEFT JOIN towns USING (town)',
    'SELECT dp_count(*), dp_count(towns.size) FROM towns RIGHT JOIN people USING (town)',
    'SELECT dp_count(*) FROM people NATURAL JOIN towns',
    'SELECT dp_count(*) FROM people p, towns w WHERE w.town = p.town AND harbour',
    'SELECT dp_count(*) FROM people p JOIN towns w ON p.town = w.town AND w.harbour WHERE p.y > 3',
    'SELECT dp_count(w.town) FROM people p LEFT JOIN towns w ON p.town = w.town AND w.harbour WHERE p.y > 3',
    'SELECT dp_count(*) FROM people p LEFT JOIN towns w ON p.town = w.town AND p.y > 3 WHERE w.town IS NULL',
    'SELECT dp_count(*) FROM people p JOIN towns w USING (town) JOIN regions r ON r.id = w.region AND r.name <> ''r2''',
    'SELECT dp_count(*) FROM people p LEFT JOIN (towns w JOIN regions r ON r.id = w.region) USING (town) WHERE r.id IS NULL',
    'SELECT dp_count(q.name) FROM people p LEFT JOIN (SELECT town, name FROM towns w JOIN regions r ON r.id = w.region WHERE r.id > 2) q USING (town)',
    'SELECT dp_count(*) FROM (SELECT p.*, w.harbour FROM people p JOIN towns w USING (town)) s JOIN regions ON regions.id = s.y WHERE harbour',
    'WITH w AS (SELECT * FROM towns WHERE harbour) SELECT dp_count(*) FROM people JOIN w USING (town)',
    'SELECT dp_count(*) FROM people p JOIN regions r ON r.id = p.shift',
    'SELECT dp_sum(z) FROM people, LATERAL (SELECT x * 2 AS z) l WHERE z < 50',
    'SELECT dp_sum(z + w) FROM people p CROSS JOIN LATERAL (SELECT p.x * 2 AS z, y) l(z, w), LATERAL (SELECT l.z + 1 AS one) m WHERE one < 50',
    'SELECT dp_count(*) FROM people p, LATERAL (SELECT x AS a) a, LATERAL (SELECT a AS b) b, LATERAL (SELECT b AS c) c, (SELECT 7 AS d) d WHERE c > d',
    'SELECT dp_sum(z) FROM people p JOIN regions r ON r.id = p.y, LATERAL (SELECT r.factor * p.x AS z) l WHERE factor < 3',
    'SELECT dp_sum(z) FROM (SELECT z, y FROM people CROSS JOIN LATERAL (SELECT x - 1 AS z) l) s JOIN (SELECT 3 AS three) o ON y < three',
    'SELECT dp_count(*) FROM people p JOIN regions r ON p.town IS NOT NULL AND r.id = 3',
    'SELECT dp_count(*) FROM people p JOIN regions r ON r.code = ''c'' || p.y::text',
    'SELECT dp_count(*) FROM people p JOIN pairs ON a = y AND b = town',
    'SELECT dp_sum(v) FROM people p LEFT JOIN pairs ON (a, b) = (y, town)',
    'SELECT dp_count(*) FROM people LEFT JOIN pairs ON a = y WHERE b = town',
    'SELECT dp_count(*) FROM people p JOIN towns w ON w.town = p.town AND p.y < 3 OR w.town = p.town AND p.y > 4',
    'SELECT dp_count(*) FROM people p JOIN towns w USING (town) JOIN towns o ON o.town = p.town',
    'SELECT dp_sum(x * factor) FROM people p JOIN regions r ON r.id = p.y WHERE r.id < 3',
    'SELECT dp_count(*) FILTER (WHERE harbour AND x > 3) FROM people p JOIN towns USING (town)'
]) query;
CREATE VIEW inhabitants AS SELECT p.id, p.x, w.harbour, w.region FROM people p JOIN towns w USING (town) WHERE w.size > 1;
SELECT same('SELECT dp_count(*) FROM inhabitants JOIN regions r ON r.id = region WHERE harbour');
CREATE VIEW harbours AS SELECT town, size * 2 AS twice, region FROM towns WHERE harbour;
SELECT same('SELECT dp_count(*), dp_count(*) FILTER (WHERE twice > 8) FROM people JOIN harbours USING (town)');

-- ---- what a row may change ----

SELECT is(sensitivities('SELECT dp_count(*), dp_sum(x) FROM people JOIN towns USING (town)'), '{1,100}', 'a row is met once');
SELECT is(sensitivities('SELECT dp_sum(x * factor) FROM people JOIN regions r ON r.id = y'), '{300}', 'both ranges');
SELECT is(sensitivities('SELECT dp_sum(factor) FROM people JOIN regions r ON r.id = y WHERE factor < 2'), '{2}', 'WHERE narrows a public column');
SELECT is(sensitivities('SELECT dp_sum(x) FROM people JOIN regions r ON r.id = y AND x < 7'), '{7}', 'ON narrows');
SELECT is(sensitivities('SELECT dp_sum(x) FROM people LEFT JOIN regions r ON r.id = y AND x < 7'), '{100}', 'ON of an outer join does not');
SELECT is(sensitivities('SELECT dp_sum(z) FROM (SELECT y, 2 * x + 1 AS z FROM people) p JOIN regions r ON r.id = y'), '{201}', 'arithmetic of a subquery');
SELECT is(sensitivities('SELECT dp_sum(z) FROM people, LATERAL (SELECT 2 * x - 1 AS z) l WHERE x > 80'), '{199}', 'a lateral expression has bounds');
SELECT dpsens.protect('people', unit => 'id', adjacency => 'replace');
SELECT is(sensitivities('SELECT dp_count(*), dp_count(*) FILTER (WHERE x > 3), dp_sum(income) FROM people LEFT JOIN regions r ON r.id = y'), '{0,1,20}', 'replace: rows that are kept, rows that are selected');
SELECT is(sensitivities('SELECT dp_sum(factor) FROM people JOIN regions r ON r.id = y'), '{3}', 'replace: a row can meet another row, or none');
SELECT is(sensitivities('SELECT dp_sum(factor) FROM people LEFT JOIN regions r ON r.id = y'), '{3}', 'replace: it is private what is met');
SELECT dpsens.set_public('people', 'y');
SELECT is(sensitivities('SELECT dp_sum(factor), dp_count(*), dp_sum(x) FROM people JOIN regions r ON r.id = y'), '{0,0,100}', 'replace: it is public what is met');
SELECT is(sensitivities('SELECT dp_sum(coalesce(factor, 2)) FROM people LEFT JOIN regions r ON r.id = y'), '{0}', 'replace: and whether anything is');
-- a condition that is not about a relation decides all the same whether the optional side is met
SELECT is(sensitivities(format(query, 'people LEFT JOIN regions r ON r.id = y AND x > 3')), sensitivity, 'replace: an outer join on what is private: ' || query)
FROM (VALUES ('SELECT dp_sum(coalesce(factor, 2)) FROM %s', '{2}'::float8[]), ('SELECT dp_sum(CASE WHEN factor IS NULL THEN 1 ELSE 0 END) FROM %s', '{1}'),
    ('SELECT dp_count(*) FILTER (WHERE factor IS NULL) FROM %s', '{1}'), ('SELECT dp_count(coalesce(factor, NULL)) FROM %s', '{1}'), ('SELECT name, dp_count(*) FROM %s GROUP BY name', '{2}'),
    ('SELECT dp_sum(coalesce(v, 5)) FROM %s LEFT JOIN pairs q ON q.a = r.id AND q.b = ''t1''', '{100}')) AS list (query, sensitivity);
SELECT is(sensitivities('SELECT dp_sum(coalesce(w, 2)) FROM people LEFT JOIN (VALUES (1, 1.5::float8), (2, 2.5)) l (i, w) ON i = y AND x > 3'), '{1}', 'replace: rows of constants, too');
SELECT is(sensitivities('SELECT dp_sum(coalesce(v, 5)) FROM people LEFT JOIN (regions r JOIN pairs q ON q.a = r.id AND q.b = ''t1'') ON r.id = y AND x > 3'), '{100}', 'replace: all relations of the side');
SELECT is(sensitivities('SELECT dp_sum(coalesce(factor, 2)) FROM people JOIN pairs q ON q.a = y AND q.b = ''t1'' AND x > 3 LEFT JOIN regions r ON r.id = q.a'), '{3}', 'replace: the other side is selected');
SELECT is(sensitivities('SELECT dp_sum(factor) FROM people JOIN regions r ON r.id = y AND r.id < x'), '{3}', 'replace: public and private');
SELECT dpsens.protect('people', unit => 'id', adjacency => 'attribute');
SELECT is(sensitivities('SELECT dp_sum(factor * income) FROM people JOIN regions r ON r.id = y'), '{60}', 'attribute: it is public what is met');
SELECT refused('SELECT dp_sum(coalesce(factor, 2)) FROM people LEFT JOIN regions r ON r.id = y AND x > 3', '%A change of one private column%attribute%');
SELECT refused('SELECT dp_sum(factor) FROM people JOIN regions r ON r.id = income::int', '%A change of one private column%attribute%');
SELECT dpsens.protect('people', unit => 'id', adjacency => 'metric');
SELECT is(sensitivities('SELECT dp_sum(factor * x) FROM people JOIN regions r ON r.id = y'), '{3}', 'metric: public columns are constants');
SELECT refused('SELECT dp_count(*) FROM people JOIN towns USING (town)', '%A change of one private column%metric%');
SELECT dpsens.protect('people', unit => 'id', adjacency => 'add_remove'), dpsens.clear('people', 'y'), dpsens.set_range('people', 'y', 0, 6);

-- ---- groups ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT name, dp_count(*), dp_sum(x) FROM people JOIN regions r ON r.id = y GROUP BY name ORDER BY name'
]) query;
SET dpsens.noise = off;
SELECT results_eq('SELECT w.town, dp_count(*)::int FROM people p JOIN towns w ON w.town = p.town AND p.y = 1 AND w.size < 3 GROUP BY w.town', 'SELECT town, (SELECT count(*)::int FROM people p WHERE p.town = w.town AND y = 1 AND size < 3) FROM towns w ORDER BY town', 'every key appears');
SELECT results_eq('SELECT w.region, harbour, dp_count(*)::int FROM people p JOIN towns w USING (town) GROUP BY w.region, harbour',
    'SELECT r, h, (SELECT count(*)::int FROM people JOIN towns w USING (town) WHERE w.region = r AND harbour = h) FROM (SELECT DISTINCT region, harbour FROM towns) w (r, h) ORDER BY r, h',
    'every pair of keys appears that a town has');
-- of several keys of one relation those combinations appear that it has, met or not
CREATE TYPE joins_mood AS ENUM ('low', 'high');
CREATE TABLE shops (shop int PRIMARY KEY, owner varchar(8) COLLATE "C" NOT NULL, "Open" numeric, floor joins_mood);
INSERT INTO shops VALUES (1, 'b', 1.0, 'low'), (2, 'B', 1.00, 'low'), (3, 'a', 2, 'high'), (4, 'b', 2, NULL), (99, 'a', NULL, 'low'), (100, 'never', 3, 'high');
SELECT results_eq('SELECT owner, "Open", dp_count(*)::int FROM people JOIN shops ON shop = y GROUP BY owner, "Open"',
    'SELECT owner, "Open", (SELECT count(*)::int FROM people WHERE y = shop) FROM shops WHERE "Open" IS NOT NULL ORDER BY owner, "Open"', 'combinations that a relation has');
SELECT results_eq('SELECT s.owner, r.name, s.floor, dp_count(*)::int FROM people p JOIN shops s ON shop = p.y JOIN regions r ON r.id = p.y GROUP BY s.owner, r.name, s.floor HAVING dp_count(*) > -5',
    'SELECT owner, r.name, floor, (SELECT count(*)::int FROM people WHERE y = shop AND r.id = shop) FROM shops CROSS JOIN regions r WHERE floor IS NOT NULL ORDER BY owner, r.name, floor', 'beside all keys of another');
SELECT results_eq('SELECT a.owner, b.floor, dp_count(*)::int FROM people p JOIN shops a ON a.shop = p.y JOIN shops b ON b.shop = p.y GROUP BY a.owner, b.floor',
    'SELECT o, f, (SELECT count(*)::int FROM people JOIN shops ON shop = y WHERE owner = o AND floor = f) FROM (SELECT DISTINCT owner FROM shops) a (o), (SELECT DISTINCT floor FROM shops WHERE floor IS NOT NULL) b (f) ORDER BY o, f', 'two of its rows are not one');
SELECT results_eq('SELECT owner, grouping(floor), floor, dp_count(*)::int FROM people JOIN shops ON shop = y GROUP BY GROUPING SETS ((owner, floor), (floor)) ORDER BY 1, 3',
    'SELECT owner, 0, floor, (SELECT count(*)::int FROM people WHERE y = shop) FROM shops WHERE floor IS NOT NULL
     UNION ALL SELECT NULL, 0, floor, (SELECT count(*)::int FROM people p JOIN shops s ON s.shop = p.y WHERE s.floor = f.floor) FROM (SELECT DISTINCT floor FROM shops WHERE floor IS NOT NULL) f ORDER BY 1, 3', 'in each set');
ALTER TABLE shops ADD kind text;
UPDATE shops SET kind = (ARRAY['z', 'a', 'other'])[1 + shop % 3];
SELECT dpsens.set_values('shops', 'kind', 'z', 'b', 'a') \g /dev/null
SELECT results_eq('SELECT owner, kind, dp_count(*)::int FROM people JOIN shops ON shop = y GROUP BY owner, kind ORDER BY owner, kind', 'SELECT owner, kind, (SELECT count(*)::int FROM people JOIN shops o ON o.shop = y WHERE (o.owner, o.kind) = (s.owner, s.kind))
    FROM (SELECT DISTINCT owner, kind FROM shops WHERE kind < ''b'' OR kind = ''z'') s ORDER BY owner, kind', 'of declared values those that it has, in whatever order');
PREPARE by_pair AS SELECT owner, floor, dp_count(*)::int FROM people JOIN shops ON shop = y GROUP BY owner, floor;
CREATE TEMP TABLE had AS EXECUTE by_pair;
UPDATE shops SET floor = 'high' WHERE shop = 2;
SELECT results_eq('EXECUTE by_pair', 'SELECT owner, CASE WHEN owner = ''B'' THEN ''high'' ELSE floor::text END::joins_mood, dp_count FROM had ORDER BY 1, 2', 'a plan from the cache knows new combinations');
SELECT results_eq('SELECT size, dp_count(*)::int FROM people JOIN towns USING (town) GROUP BY size', 'SELECT s, (SELECT count(*)::int FROM people JOIN towns USING (town) WHERE size = s) FROM generate_series(1, 3) s', 'declared values of a public column');
-- a plan from the cache knows new keys
PREPARE by_name AS SELECT name, dp_count(*)::int FROM people JOIN regions r ON r.id = y GROUP BY name;
CREATE TEMP TABLE first AS EXECUTE by_name;
CREATE TEMP TABLE again AS EXECUTE by_name;
INSERT INTO regions VALUES (6, 'r6', 6, 'c6'), (77, 'r77', 1, 'c77');
CREATE TEMP TABLE later AS EXECUTE by_name;
SELECT is((SELECT array_agg(name ORDER BY name) FROM again), '{r1,r2,r3,r4,r5}', 'keys of now');
SELECT is((SELECT array_agg(ROW(name, dp_count)::text ORDER BY name) FROM later WHERE name > 'r5'), '{"(r6,171)","(r77,0)"}', 'keys of later');
SELECT throws_ok('SELECT factor, dp_count(*) FROM people JOIN (SELECT * FROM regions WHERE id > 2) r ON r.id = y GROUP BY factor', '0A000', NULL, 'keys that a subquery hides');
SET dpsens.noise = on;
-- keys of the protected side, and expressions, are selected
SET dpsens.epsilon = 20;
SELECT results_eq(query, wanted, query) FROM (VALUES
    ('SELECT p.town FROM people p JOIN regions r ON r.id = y GROUP BY p.town HAVING dp_count(*) > 0 AND p.town IS NOT NULL', 'SELECT ''t'' || i FROM generate_series(1, 12) i ORDER BY 1'),
    ('SELECT upper(r.name) FROM people p JOIN regions r ON r.id = y GROUP BY upper(r.name) HAVING dp_count(*) > 0', 'SELECT ''R'' || i FROM generate_series(1, 6) i'),
    ('SELECT r.name, w.harbour FROM people p JOIN regions r ON r.id = y JOIN towns w ON w.town = p.town GROUP BY GROUPING SETS ((r.name), (w.harbour)) HAVING dp_count(*) > 50', 'SELECT ''r'' || i, NULL::boolean FROM generate_series(1, 6) i UNION ALL VALUES (NULL, false), (NULL, true)')
) list (query, wanted);
SET dpsens.epsilon = 1;
SELECT dpsens.protect('people', unit => 'id', adjacency => 'replace');
SELECT is(sensitivities('SELECT name, dp_count(*) FROM people JOIN regions r ON r.id = y GROUP BY name'), '{2}', 'replace: from one group to another');
SELECT is((SELECT array_agg((mechanism, round(noise_scale::numeric, 6))::text) FROM dpsens.explain('SELECT p.town, dp_count(*) FROM people p JOIN regions r ON r.id = y GROUP BY p.town')), '{"(geometric,2.000000)","(partition,2.000000)"}', 'replace: from one undeclared key to another');
SELECT dpsens.set_public('people', 'town');
SELECT is((SELECT array_agg((mechanism, round(noise_scale::numeric, 6))::text) FROM dpsens.explain('SELECT p.town, dp_count(*) FROM people p JOIN regions r ON r.id = y GROUP BY p.town')), '{"(geometric,1.000000)","(partition,2.000000)"}', 'replace: private cells decide which public keys are met');
SET dpsens.epsilon = 20;
SELECT results_eq('SELECT upper(p.town) FROM people p JOIN regions r ON r.id = y GROUP BY upper(p.town) HAVING dp_count(*) > 0 AND upper(p.town) IS NOT NULL', 'SELECT ''T'' || i FROM generate_series(1, 12) i ORDER BY 1', 'replace: selected keys');
SELECT dpsens.protect('people', unit => 'id', adjacency => 'metric'), dpsens.set_public('people', 'y');
SELECT refused('SELECT income, dp_sum(x) FROM people p JOIN regions r ON r.id = y GROUP BY income', '%');
SELECT is((SELECT array_agg(cost_epsilon) FROM dpsens.explain('SELECT p.town, dp_sum(x) FROM people p JOIN regions r ON r.id = y GROUP BY p.town') WHERE aggregate LIKE 'GROUP%'), '{0}', 'metric: public keys, met by public columns, cost nothing');
SET dpsens.epsilon = 1;
SELECT dpsens.clear('people', 'y'), dpsens.set_range('people', 'y', 0, 6), dpsens.clear('people', 'town');
SELECT dpsens.protect('people', unit => 'id', adjacency => 'add_remove');

-- ---- what is refused ----

CREATE TABLE doubled (id int, v int, w int, u int, f int);
INSERT INTO doubled SELECT 1, i, i, i, i FROM generate_series(1, 9) i;
CREATE UNIQUE INDEX ON doubled (v) WHERE v < 5;
CREATE UNIQUE INDEX ON doubled ((w + 1));
ALTER TABLE doubled ADD UNIQUE (u) DEFERRABLE INITIALLY IMMEDIATE;
CREATE INDEX ON doubled (f);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent VALUES (1);
INSERT INTO child VALUES (1);
CREATE COLLATION fold (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE folded (name text COLLATE fold, strict text PRIMARY KEY);
INSERT INTO folded VALUES ('t1', 't1'), ('T1', 'T1');
SELECT refused(query, message) FROM (VALUES
    ('SELECT dp_count(*) FROM people, regions', '%"regions"%could multiply%'),
    ('SELECT dp_count(*) FROM people CROSS JOIN regions', '%"regions"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN doubled d ON d.id = people.id', '%"doubled"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN doubled d ON d.v = people.y', '%"doubled"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN doubled d ON d.v = people.y AND d.v < 5', '%"doubled"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN doubled d ON d.w + 1 = people.y', '%"doubled"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN doubled d ON d.u = people.y', '%"doubled"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN doubled d ON d.f = people.y', '%"doubled"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN parent d ON d.id = people.y', '%"parent"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN folded d ON d.strict = people.town COLLATE fold', '%"folded"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN pairs ON a = y', '%"pairs"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN pairs ON a = y AND b >= town', '%"pairs"%could multiply%'),
    ('SELECT dp_count(*) FROM people LEFT JOIN pairs ON a = y WHERE b = town OR y = 1', '%"pairs"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN towns w ON w.town = people.town OR w.size = y', '%"towns"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN regions r ON r.id = r.factor', '%"regions"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN regions r ON r.id + 0 = y', '%"regions"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN regions r ON r.id IS NOT DISTINCT FROM y', '%"regions"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN regions r ON r.id::text = y::text', '%"regions"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (regions r JOIN towns w ON w.region = r.id) ON r.id = y', '%"towns"%could multiply%'),
    ('SELECT dp_count(*) FROM people LEFT JOIN (regions r JOIN towns w ON w.region = r.id) ON r.id = y', '%"%"%could multiply%'),
    ('SELECT dp_count(*) FROM towns w JOIN regions r ON r.id = w.region JOIN people ON people.y = r.id', '%"towns"%could multiply%'),
    ('SELECT dp_count(*) FROM people FULL JOIN towns USING (town)', 'FULL JOIN%'),
    ('SELECT dp_count(*) FROM towns LEFT JOIN people USING (town)', '%optional side%'),
    ('SELECT dp_count(*) FROM people RIGHT JOIN towns USING (town)', '%optional side%'),
    ('SELECT dp_count(*) FROM people JOIN pg_class c ON c.oid = people.y', '%"pg_class"%'),
    ('SELECT dp_count(*) FROM people JOIN dpsens.release c ON c.release = people.y', '%"release"%'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(1, 3) g ON g < y', '%"g"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (SELECT DISTINCT region FROM towns) g ON region = y', '%without a protected relation%'),
    ('SELECT dp_count(*) FROM people JOIN (SELECT region FROM towns GROUP BY 1) g ON region = y', '%GROUP BY%'),
    ('SELECT dp_count(*) FROM people JOIN (SELECT * FROM regions LIMIT 3) g ON g.id = y', 'LIMIT%'),
    ('SELECT dp_count(*) FROM people LEFT JOIN (SELECT 1 AS one) g ON one = y', '%without FROM%'),
    ('SELECT dp_count(*) FROM people LEFT JOIN LATERAL (SELECT x + 1 AS z) g ON z > 3', '%without FROM%'),
    ('SELECT dp_count(*) FROM people, LATERAL (SELECT generate_series(1, y) AS z) g', '%set-returning%'),
    ('SELECT dp_sum(column1) FROM people, LATERAL (VALUES (x) ORDER BY "*VALUES*") g', 'LATERAL%'),
    ('SELECT dp_count(*) FROM people, LATERAL (SELECT y AS z LIMIT 0) g', 'LIMIT%'),
    ('SELECT dp_count(*) FROM people, LATERAL (SELECT (SELECT 1) AS z) g', '%subquery%'),
    ('SELECT dp_count(*) FROM people JOIN regions r TABLESAMPLE BERNOULLI (50) ON r.id = y', 'TABLESAMPLE%'),
    ('SELECT dp_count(*) FROM people JOIN LATERAL (SELECT * FROM regions WHERE id = y) r ON true', 'LATERAL%'),
    ('SELECT dp_count(*) FROM people JOIN regions r ON r.id = y AND r.id IN (SELECT region FROM towns GROUP BY region)', '%GROUP BY%'),
    ('SELECT dp_count(*) FROM people JOIN regions r ON r.id = y WHERE EXISTS (SELECT 1 FROM people o WHERE o.id = r.id)', '%subquery of relation "people"%same unit%'),
    ('SELECT dp_count(COALESCE(twice, y)) FROM people LEFT JOIN (SELECT town, COALESCE(size, 1) AS twice FROM towns) w USING (town)', '%optional side%')
) AS list (query, message);
SELECT throws_ok('SELECT dp_sum(region) FROM people JOIN towns USING (town)', '55000', NULL, 'a public column without a range');
SELECT throws_ok('SELECT dp_count(*) FROM regions r JOIN towns w ON w.region = r.id', '55000', NULL, 'nothing protected');

-- ---- plans do not outlive their proof ----

PREPARE once AS SELECT dp_count(*)::int FROM people JOIN regions r ON r.code = 'c' || y::text;
SET dpsens.noise = off;
CREATE TEMP TABLE before AS EXECUTE once;
ALTER TABLE regions DROP CONSTRAINT regions_code_key;
INSERT INTO regions SELECT 100 + i, 'more', 1, 'c1' FROM generate_series(1, 50) i;
SELECT throws_ok('EXECUTE once', '0A000', NULL, 'the index was dropped');
DELETE FROM regions WHERE name = 'more';
ALTER TABLE regions ADD UNIQUE (code);
SELECT results_eq('EXECUTE once', 'SELECT dp_count FROM before', 'and made again');
BEGIN;
CREATE UNIQUE INDEX fresh ON doubled (f);
SELECT throws_ok('SELECT dp_count(*) FROM people JOIN doubled d ON d.f = y', '55000', 'a unique index that dp aggregates need proves nothing for this snapshot', 'an index of this transaction');
COMMIT;
SELECT lives_ok('SELECT dp_count(*) FROM people JOIN doubled d ON d.f = y', 'an index that is committed');

-- ---- any plan ----

SELECT dpsens.set_range('people', 'income', 0, 31);
CREATE PROCEDURE try_plan(VARIADIC settings text[]) LANGUAGE plpgsql AS $$
DECLARE setting text;
BEGIN
    FOREACH setting IN ARRAY settings LOOP
        PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true);
    END LOOP;
    INSERT INTO answers SELECT settings::text, dp_sum(income * factor) FROM people p JOIN towns w USING (town) LEFT JOIN regions r ON r.id = w.region WHERE p.y <> 2;
    COMMIT;
END $$;
CREATE TABLE answers (settings text, answer float8);
CALL try_plan('enable_hashjoin=off');
CALL try_plan('enable_hashjoin=off', 'enable_mergejoin=off');
CALL try_plan('enable_mergejoin=off', 'enable_nestloop=off');
SELECT name AS always_parallel FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
CALL try_plan('parallel_setup_cost=0', 'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0', :'always_parallel' || '=on');
CALL try_plan('join_collapse_limit=1');
SELECT is(count(DISTINCT answer), 1::bigint, 'every plan adds the same') FROM answers;
SELECT is(max(answer), (SELECT sum(income * LEAST(factor, 3))::float8 FROM people p JOIN towns w USING (town) LEFT JOIN regions r ON r.id = w.region WHERE p.y <> 2), 'and rightly') FROM answers;

SELECT * FROM finish();
DROP SCHEMA joins_tap CASCADE;
