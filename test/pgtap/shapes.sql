-- Shapes of queries, one by one: what is answered answers what plain SQL does, and one
-- person more or less moves it by no more than explain says.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA shapes_tap;
SET search_path = shapes_tap, public;
SET timezone = 'America/New_York';
SELECT plan(240);

CREATE TYPE sex AS ENUM ('male', 'female');
CREATE DOMAIN amount AS numeric(8, 2) CHECK (VALUE >= 0);
CREATE TABLE wards (id int PRIMARY KEY, name text NOT NULL UNIQUE, floor int, cost float8 NOT NULL);
INSERT INTO wards SELECT i, 'ward ' || i, NULLIF(i % 3, 0), i FROM generate_series(1, 6) i;
-- ward 6 has nobody, some are in none
CREATE TABLE people (id int PRIMARY KEY, ward int, sex sex NOT NULL, smokes boolean NOT NULL, born date NOT NULL, weight float8, income amount, code varchar(3) NOT NULL, seen timestamp NOT NULL);
INSERT INTO people SELECT i, NULLIF(i % 6, 0), (ARRAY['male', 'female'])[1 + i % 2]::sex, i % 3 = 0, date '1950-01-01' + i * 97, CASE WHEN i % 7 > 0 THEN 50 + i % 50 END, i % 40, (ARRAY['E11', 'I10', 'J45', 'K'])[1 + i % 4],
    timestamp '2023-01-01' + i * interval '1 day' FROM generate_series(1, 120) i;
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL, ward int, cost numeric NOT NULL, kind text, at timestamp NOT NULL);
-- every fifth person has none
INSERT INTO visits SELECT i, i, i % 7, i % 90, CASE WHEN i % 3 > 0 THEN 'kind ' || i % 3 END, timestamp '2023-01-15 12:00' + i * interval '1 day' FROM generate_series(1, 120) i WHERE i % 5 > 0;
INSERT INTO visits SELECT 1000 + i, i, i % 5, i % 80, 'kind 1', timestamp '2023-02-15' + i * interval '1 day' FROM generate_series(1, 120) i WHERE i % 4 = 1;
CREATE TABLE notes (ward int REFERENCES wards);
DO $$ BEGIN
    PERFORM dpsens.protect('people', unit => 'id'), dpsens.protect('visits', unit => 'person', max_rows => 4, max_rows_per_group => 2, max_groups => 3);
    PERFORM dpsens.set_range('people', 'weight', 0, 200), dpsens.set_range('people', 'income', 0, 50), dpsens.set_range('visits', 'cost', 0, 100), dpsens.set_range('wards', 'cost', 0, 10),
        dpsens.set_values('people', 'code', 'K', 'E11', 'I10', 'J45', 'Z99'), dpsens.set_values('visits', 'kind', 'kind 1', 'kind 2', 'kind 3'), dpsens.set_range('people', 'born', '1940-01-01', '2020-01-01');
END $$;
CREATE VIEW renamed AS SELECT id AS who, weight AS kilograms, ward AS place, code AS letter FROM people;
CREATE VIEW guarded WITH (security_barrier) AS SELECT who, kilograms * 2 AS pounds, place FROM renamed WHERE letter <> 'K';
CREATE VIEW with_wards AS SELECT p.*, w.name, w.floor FROM people p JOIN wards w ON w.id = p.ward;
CREATE TABLE parts (id int, k int NOT NULL, x float8 NOT NULL, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1) PARTITION BY RANGE (id);
CREATE TABLE parts_1_low PARTITION OF parts_1 FOR VALUES FROM (0) TO (50);
CREATE TABLE parts_1_high PARTITION OF parts_1 FOR VALUES FROM (50) TO (1000);
INSERT INTO parts SELECT i, i % 2, i % 10 FROM generate_series(1, 100) i;
DO $$ BEGIN PERFORM dpsens.protect('parts'), dpsens.set_range('parts', 'x', 0, 10); END $$;
SET dpsens.epsilon = 1;

CREATE FUNCTION plain(query text) RETURNS text LANGUAGE sql RETURN regexp_replace(query, 'dp_(count|sum|bool_or)', '\1', 'g');
-- each query, and what each answer may move by
CREATE TABLE shapes (number int GENERATED ALWAYS AS IDENTITY, query text NOT NULL);
INSERT INTO shapes (query) VALUES
    -- ---- lists of constants ----
    ('SELECT dp_count(*), dp_sum(f * weight) FROM people JOIN (VALUES (''E11'', 1), (''I10'', 2.5), (NULL, 7)) v(c, f) ON v.c = code'),
    ('SELECT dp_count(*), dp_count(label) AS count2 FROM people LEFT JOIN (VALUES (''E11'', ''a''), (''I10'', NULL)) v(c, label) ON v.c = code'),
    ('WITH v(c, label) AS (VALUES (''E11'', ''a''), (''I10'', ''b''), (''J45'', ''a'')) SELECT label, dp_count(*) FROM people JOIN v ON c = code GROUP BY label'),
    ('SELECT label, dp_sum(cost) FROM visits JOIN (VALUES (''kind 1'', ''a''), (''kind 2'', ''b'')) v(k, label) ON k = kind GROUP BY label'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1, 50), (1, 51), (2, 50)) v(w, y) ON w = ward AND y = weight::int'),
    ('SELECT dp_count(*) FROM people JOIN (SELECT column1 AS w FROM (VALUES (1), (2), (2 + 1)) v WHERE column1 > 1) v ON w = ward'),
    ('SELECT dp_count(*) FROM people WHERE code IN (VALUES (''E11''), (''E11''))'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v JOIN (VALUES (''kind 1'')) k(k) ON k.k = v.kind WHERE v.person = p.id)'),
    ('SELECT dp_sum(l.z) FROM people CROSS JOIN LATERAL (VALUES (weight * 2)) l(z)'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(2, 9, 3) g ON g = ward'),
    ('SELECT dp_count(*), dp_sum(g) FROM people JOIN generate_series(1::bigint, 4) g ON g = ward'),
    ('SELECT g, dp_count(*) FROM people JOIN generate_series(1, 5) g ON g = ward GROUP BY g'),
    ('SELECT m, dp_count(*) FROM generate_series(timestamp ''2023-01-01'', ''2023-04-01'', ''1 month'') m JOIN people ON date_trunc(''month'', seen) = m GROUP BY m'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (2)) v(w) ON w % 2 = ward AND w < 9'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (2)) v(w) ON w::text = ward::text'),
    ('SELECT dp_sum(b.f) FROM people JOIN (VALUES (70, 1000, 3), (0, 60, 1), (60, 70, 2), (5, NULL, 7)) b(lo, hi, f) ON weight >= b.lo AND weight < b.hi'),
    ('SELECT label, dp_count(*) FROM people p JOIN (VALUES (date ''1940-01-01'', date ''1960-01-01'', ''a''), (''1960-01-02'', ''2000-01-01'', ''b'')) b(lo, hi, label) ON p.born BETWEEN b.lo AND b.hi GROUP BY label'),
    ('SELECT dp_count(b.f) FROM people JOIN (VALUES (0, 60, 1), (60, NULL, 2)) b(lo, hi, f) ON b.lo < weight AND COALESCE(b.hi, 1e9) >= weight'),
    -- ---- outer joins that are inner ones ----
    ('SELECT dp_count(p.id), dp_sum(p.weight), dp_count(*) FILTER (WHERE p.weight > 60) AS count2 FROM wards w LEFT JOIN people p ON p.ward = w.id'),
    ('SELECT dp_count(p.id) FROM people p RIGHT JOIN wards w ON p.ward = w.id AND w.floor = 1'),
    ('SELECT dp_count(p.id), dp_bool_or(p.smokes) FROM wards w FULL JOIN people p ON p.ward = w.id WHERE w.floor IS NOT NULL'),
    ('SELECT dp_count(p.id) FROM wards w FULL JOIN people p ON p.ward = w.id'),
    ('SELECT dp_count(*) FROM wards w LEFT JOIN people p ON p.ward = w.id WHERE p.weight < 70'),
    ('SELECT dp_sum(v.cost) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE p.smokes'),
    ('SELECT dp_count(p.id) FROM wards w LEFT JOIN (SELECT id, ward FROM people WHERE smokes) p ON p.ward = w.id'),
    ('SELECT dp_count(p.id) FROM wards w LEFT JOIN people p USING (id)'),
    ('SELECT dp_count(p.id) FROM wards w LEFT JOIN (people p JOIN visits v ON v.person = p.id) ON p.ward = w.id'),
    ('SELECT code, dp_sum(v.cost) FROM people p LEFT JOIN visits v ON v.person = p.id GROUP BY code HAVING code <> ''Z99'' AND code <> ''K'''),
    -- ---- and NOT EXISTS ----
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE v.id IS NULL'),
    ('SELECT dp_count(*), dp_sum(weight) FROM people p LEFT JOIN visits v ON v.person = p.id AND v.kind = ''kind 1'' AND v.cost > p.weight - 40 WHERE v.id IS NULL AND v.kind IS NULL AND p.smokes'),
    ('SELECT dp_count(*) FROM visits v RIGHT JOIN people p ON v.person = p.id AND v.ward = p.ward WHERE v.ward IS NULL'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN wards w ON w.id = p.ward WHERE w.name IS NULL'),
    ('SELECT dp_count(*) FROM people p JOIN wards w ON w.id = p.ward LEFT JOIN visits v ON v.person = p.id AND v.ward = w.id WHERE v.id IS NULL AND w.floor = 1'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN (SELECT person FROM visits WHERE cost > 50) v ON v.person = p.id WHERE v.person IS NULL'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id LEFT JOIN wards w ON w.id = p.ward WHERE v.id IS NULL AND w.floor > 1'),
    -- ---- views, WITH, partitions, other joins ----
    ('SELECT dp_count(*), dp_sum(kilograms) FROM renamed WHERE place < 4'),
    ('SELECT dp_sum(pounds) FROM guarded WHERE pounds > 120'),
    ('SELECT letter, dp_count(*) FROM renamed WHERE letter <> ''Z99'' GROUP BY letter HAVING letter <> ''Z99'''),
    ('SELECT dp_sum(weight) FROM with_wards WHERE floor = 1 AND name <> ''ward 4'''),
    ('SELECT dp_count(*) FROM with_wards w JOIN visits v ON v.person = w.id'),
    ('WITH p AS MATERIALIZED (SELECT * FROM people WHERE smokes) SELECT dp_count(*), dp_sum(weight) FROM p WHERE ward > 2'),
    ('WITH p AS NOT MATERIALIZED (SELECT id, weight + 1 AS w FROM people) SELECT dp_sum(w) FROM p WHERE w > 60'),
    ('WITH a AS (SELECT * FROM people WHERE smokes) SELECT dp_count(*) FROM a JOIN wards ON wards.id = a.ward'),
    ('SELECT dp_count(*), dp_sum(x) FROM parts WHERE id < 70'),
    ('SELECT dp_count(*) FROM people a JOIN people b ON a.id = b.id AND b.weight > 60 WHERE a.smokes'),
    ('SELECT dp_count(*) FROM people a JOIN people b USING (id) WHERE b.weight > a.weight - 1'),
    ('SELECT dp_sum(p.weight) FROM people p, visits v WHERE v.person = p.id AND v.kind = ''kind 1'''),
    ('SELECT dp_sum(z) FROM (SELECT weight * 2 AS z FROM people ORDER BY weight DESC) s'),
    ('SELECT dp_sum(z) FROM (SELECT y + 1 AS z FROM (SELECT weight * 2 AS y FROM people WHERE smokes) a WHERE y < 150) b WHERE z > 110'),
    ('SELECT sex, dp_count(*) FROM people GROUP BY sex'),
    ('SELECT smokes, sex, dp_sum(weight) FROM people GROUP BY sex, smokes');

-- ---- every answer is right, and one person moves it by no more than explain says ----

CREATE FUNCTION answers(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE result jsonb;
BEGIN
    EXECUTE format('SELECT jsonb_agg(to_jsonb(q) ORDER BY to_jsonb(q)) FROM (%s) q', query) INTO result;
    RETURN result;
END $$;
-- all numbers that are no keys, in some order
CREATE FUNCTION entries(answer jsonb) RETURNS TABLE (line text, field text, value float8) LANGUAGE sql AS $$
    SELECT (SELECT string_agg(format('%s', v), ' ' ORDER BY k) FROM jsonb_each(l) f (k, v) WHERE k !~ 'dp_|count|sum|bool_or'), replace(k, 'dp_', ''),
        CASE jsonb_typeof(v) WHEN 'number' THEN (v #>> '{}')::float8 WHEN 'boolean' THEN (v #>> '{}')::boolean::int ELSE 0 END
    FROM jsonb_array_elements(answer) l, jsonb_each(l) f (k, v) WHERE k ~ 'dp_|count|sum|bool_or'
$$;
CREATE FUNCTION sensitivity_of(query text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT sum(sensitivity) FROM dpsens.explain(query) WHERE mechanism <> 'partition' OR mechanism IS NULL);
EXCEPTION WHEN feature_not_supported THEN
    RETURN NULL;
END $$;
CREATE TEMP TABLE said AS SELECT number, query, sensitivity_of(query) AS sensitivity FROM shapes;
SET dpsens.noise = off;
CREATE TEMP TABLE before AS SELECT number, answers(query) AS answer FROM shapes;
SELECT is((SELECT count(*) FROM entries(b.answer) d FULL JOIN entries(answers(plain(s.query))) e ON d.line IS NOT DISTINCT FROM e.line AND d.field = e.field
    WHERE abs(COALESCE(d.value, 0) - COALESCE(e.value, 0)) > 1e-6), 0::bigint, s.query)
FROM shapes s JOIN before b USING (number) ORDER BY number;

-- what becomes of a person: nothing, or another
CREATE TABLE moved (number int, change text, by float8);
CREATE FUNCTION change(who int, other int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    numbers int[];
    moves float8[];
BEGIN
    BEGIN
        IF other IS NULL THEN
            DELETE FROM visits WHERE person = who;
            DELETE FROM people WHERE id = who;
            DELETE FROM parts WHERE id = who;
        ELSE
            UPDATE people p SET (ward, sex, smokes, born, weight, income, code, seen) = (SELECT ward, sex, smokes, born, weight, income, code, seen FROM people WHERE id = other) WHERE id = who;
            UPDATE visits SET ward = other % 6, cost = 100 - cost, kind = CASE kind WHEN 'kind 1' THEN 'kind 2' ELSE 'kind 1' END WHERE person = who;
            UPDATE parts SET x = 10 - x WHERE id = who;
        END IF;
        SELECT array_agg(number), array_agg((SELECT COALESCE(sum(abs(COALESCE(d.value, 0) - COALESCE(e.value, 0))), 0)
            FROM entries(b.answer) d FULL JOIN entries(answers(s.query)) e ON d.line IS NOT DISTINCT FROM e.line AND d.field = e.field))
        INTO numbers, moves FROM said s JOIN before b USING (number) WHERE sensitivity IS NOT NULL;
        RAISE EXCEPTION USING ERRCODE = 'UX000';
    EXCEPTION WHEN SQLSTATE 'UX000' THEN
        NULL;
    END;
    INSERT INTO moved SELECT n, COALESCE(other::text, 'gone'), m FROM unnest(numbers, moves) x (n, m);
END $$;
SELECT change(i, NULL) FROM unnest(ARRAY[1, 20, 30, 57]) i \g /dev/null
SELECT cmp_ok(max(by), '<=', max(sensitivity) * (1 + 1e-9), 'one person less: ' || query) FROM moved JOIN said USING (number) GROUP BY number, query ORDER BY number;
SELECT cmp_ok(count(*), '>=', (SELECT count(*) - 3 FROM shapes), 'which moves nearly all of them') FROM (SELECT number FROM moved GROUP BY number HAVING max(by) > 0) s;

DO $$ BEGIN
    PERFORM dpsens.protect('people', unit => 'id', adjacency => 'replace'), dpsens.protect('visits', unit => 'person', adjacency => 'replace', max_rows => 4, max_rows_per_group => 2, max_groups => 3), dpsens.protect('parts', adjacency => 'replace');
END $$;
TRUNCATE moved;
UPDATE said SET sensitivity = sensitivity_of(query);
SELECT cmp_ok(count(sensitivity), '>=', 40::bigint, 'most are answered under replace') FROM said;
SELECT change(i, o) FROM (VALUES (1, 30), (9, 33), (20, 3)) v (i, o) \g /dev/null
SELECT cmp_ok(max(by), '<=', max(sensitivity) * (1 + 1e-9), 'another person: ' || query) FROM moved JOIN said USING (number) GROUP BY number, query ORDER BY number;
SELECT cmp_ok(count(*), '>=', 35::bigint, 'which moves most of them') FROM (SELECT number FROM moved GROUP BY number HAVING max(by) > 0) s;
DO $$ BEGIN
    PERFORM dpsens.protect('people', unit => 'id', adjacency => 'add_remove'), dpsens.protect('visits', unit => 'person', adjacency => 'add_remove', max_rows => 4, max_rows_per_group => 2, max_groups => 3), dpsens.protect('parts', adjacency => 'add_remove');
END $$;

-- ---- groups that nobody is in ----

SELECT results_eq(query, wanted, query) FROM (VALUES
    ('SELECT name, dp_count(p.id)::int FROM wards w LEFT JOIN people p ON p.ward = w.id GROUP BY name', 'SELECT name, (SELECT count(*)::int FROM people WHERE ward = w.id) FROM wards w ORDER BY name'),
    ('SELECT g, dp_count(p.id)::int FROM generate_series(4, 8) g LEFT JOIN people p ON p.ward = g GROUP BY g', 'SELECT g, (SELECT count(*)::int FROM people WHERE ward = g) FROM generate_series(4, 8) g'),
    ('SELECT l, dp_count(*)::int FROM people JOIN (VALUES (''Z99'', ''z''), (''nobody'', ''y''), (''K'', NULL), (''E11'', ''e'')) v(c, l) ON c = code GROUP BY l', 'VALUES (''e'', 30), (''y'', 0), (''z'', 0)'),
    ('SELECT code, dp_count(*)::int FROM people WHERE false GROUP BY code', 'SELECT c::varchar(3), 0 FROM unnest(ARRAY[''K'', ''E11'', ''I10'', ''J45'', ''Z99'']) WITH ORDINALITY x (c, o) ORDER BY o')
) v (query, wanted);

-- ---- the order of answers is never that of rows ----

SET dpsens.noise = on;
SET dpsens.epsilon = 30;
CREATE FUNCTION order_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(k::text, '' '') FROM (%s) q (k, n)', query) INTO result;
    RETURN result;
END $$;
CREATE TABLE orders AS SELECT q AS query, order_of(q) AS before FROM unnest(ARRAY[
    'SELECT code, dp_count(*) FROM people GROUP BY code',
    'SELECT code, dp_count(*) FROM (SELECT * FROM people ORDER BY code DESC, id) s GROUP BY code',
    'SELECT code, dp_count(*) FROM (SELECT * FROM people ORDER BY weight) s GROUP BY code LIMIT 2',
    'SELECT code, dp_count(*) FROM people GROUP BY code OFFSET 3',
    'SELECT DISTINCT ON (sex) sex, dp_count(*) FROM people GROUP BY sex, code',
    'SELECT upper(code), dp_count(*) FROM people WHERE code <> ''Z99'' GROUP BY 1',
    'SELECT upper(code), dp_count(*) FROM (SELECT * FROM people ORDER BY code DESC) s GROUP BY 1 LIMIT 3',
    'SELECT CASE WHEN weight < 60 THEN ''b'' WHEN weight < 90 THEN ''a'' END, dp_count(*) FROM people WHERE weight < 90 GROUP BY 1',
    'SELECT w.name, dp_count(*) FROM people p JOIN wards w ON w.id = p.ward GROUP BY w.name FETCH FIRST 2 ROWS ONLY',
    'SELECT l, dp_count(*) FROM people JOIN (VALUES (''K'', ''z''), (''E11'', ''a'')) v(c, l) ON c = code GROUP BY l',
    'SELECT sex, dp_count(*) FROM people GROUP BY ROLLUP (sex)']) q;
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY code DESC, md5(id::text);
TRUNCATE people;
INSERT INTO people SELECT * FROM shuffled;
ANALYZE people;
SELECT is(order_of(query), before, 'another order of rows: ' || query) FROM orders;
CREATE INDEX ON people (code DESC);
CLUSTER people USING people_code_idx;
SET enable_hashagg = off;
SET enable_seqscan = off;
SELECT is(order_of(query), before, 'by an index: ' || query) FROM orders;
RESET enable_hashagg;
RESET enable_seqscan;
SELECT is(before, 'K E11 I10 J45 Z99', 'that of the declaration') FROM orders LIMIT 1;

-- ---- what is refused ----

\ir refused.psql
SELECT refused(query, message) FROM (VALUES
    ('SELECT dp_count(*) FROM people JOIN (VALUES (''E11'', 1), (''E11'', 2)) v(c, f) ON c = code', '%"*VALUES*"%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1.0, 1), (1.00, 2)) v(w, f) ON w = ward', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1, 1), (2, 1)) v(w, f) ON f = ward', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1, 1), (2, 1)) v(w, f) ON w <= ward', '%could multiply%'),
    ('SELECT dp_count(*) FROM people, (VALUES (1), (2)) v', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (3)) v(w) ON w % 2 = ward', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (2)) v(w) ON w + ward = 5', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (2)) v(w) ON w = ward + w', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (0, 60), (60, 70)) b(lo, hi) ON weight BETWEEN b.lo AND b.hi', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (0, 60), (59, 70)) b(lo, hi) ON weight >= b.lo AND weight < b.hi', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (0, 60), (60, 70)) b(lo, hi) ON weight >= b.lo AND income < b.hi', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (0, 60), (60, 70)) b(lo, hi) ON weight >= b.lo', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (0, 60), (10, 20), (60, 70)) b(lo, hi) ON weight >= b.lo AND weight < b.hi', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (0, 60), (60, 70)) b(lo, hi) ON weight >= b.lo OR weight < b.hi', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (random()::int)) v(w) ON w = ward', 'VALUES of other than constants%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (now()), (now())) v(w) ON w = seen', 'VALUES of other than constants%'),
    ('SELECT dp_count(*) FROM people CROSS JOIN LATERAL (VALUES (weight), (income)) v(w)', '%LATERAL%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1), (2) LIMIT 1) v(w) ON w = ward', 'LIMIT%'),
    ('SELECT dp_count(*) FROM people JOIN (VALUES (1) UNION ALL VALUES (2)) v(w) ON w = ward', '%'),
    ('SELECT dp_count(*) FROM people, generate_series(1, 2)', '%could multiply%'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(1, 20000) g ON g = ward', 'generate_series() of more than%'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(2, 1) g ON g = ward', '%without rows%'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(1, 9) WITH ORDINALITY g(g, o) ON g = ward', 'reading functions%'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(timestamptz ''2020-01-01'', ''2021-01-01'', ''1 day'') g ON g = seen', 'reading this function%'),
    ('SELECT dp_count(*) FROM people JOIN generate_series(1, (random() * 3)::int) g ON g = ward', '%other than constants%'),
    ('SELECT dp_count(*) FROM people, generate_series(1, ward) g', '%other than constants%'),
    ('SELECT dp_count(*) FROM people JOIN unnest(ARRAY[1, 2]) g ON g = ward', 'reading this function%'),
    ('SELECT dp_count(*) FROM people JOIN pg_ls_dir(''.'') g ON g = code', 'reading this function%'),
    ('SELECT dp_count(*) FROM wards w LEFT JOIN people p ON p.ward = w.id', '%"people"%optional side%'),
    ('SELECT dp_count(w.id), dp_count(p.id) FROM wards w LEFT JOIN people p ON p.ward = w.id', '%"people"%optional side%'),
    ('SELECT dp_sum(COALESCE(p.weight, 0)) FROM wards w LEFT JOIN people p ON p.ward = w.id', '%"people"%optional side%'),
    ('SELECT dp_sum(ARRAY[p.weight, p.income]) FROM wards w LEFT JOIN people p ON p.ward = w.id', '%"people"%optional side%'),
    ('SELECT dp_count(p.id) FROM people p FULL JOIN visits v ON v.person = p.id', '%"visits"%optional side%'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id', '%"visits"%optional side%'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE v.kind IS NULL', '%"visits"%optional side%'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE v.id IS NULL OR p.smokes', '%"visits"%optional side%'),
    ('SELECT dp_count(v.cost) FROM people p LEFT JOIN visits v ON v.person = p.id + 1 WHERE p.smokes', '%'),
    ('SELECT dp_count(*), dp_sum(COALESCE(v.cost, 1)) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE v.id IS NULL', '%"visits"%optional side%'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.ward = p.ward WHERE v.id IS NULL', '%"visits"%same unit%'),
    ('SELECT dp_count(*) FROM wards w LEFT JOIN (people p LEFT JOIN visits v ON v.person = p.id) ON p.ward = w.id WHERE v.id IS NULL', '%optional side%'),
    ('SELECT dp_count(*) FROM people a JOIN people b ON a.ward = b.ward', '%'),
    ('SELECT dp_count(*) FROM people a, people b', '%'),
    ('SELECT dp_count(*) FROM people a JOIN people b ON a.id < b.id', '%'),
    ('SELECT dp_count(*) FROM people JOIN LATERAL (SELECT * FROM wards WHERE wards.id <= ward LIMIT 1) l ON true', '%'),
    ('WITH RECURSIVE r AS (SELECT id FROM people UNION ALL SELECT id + 1 FROM r WHERE id < 5) SELECT dp_count(*) FROM r', '%'),
    ('WITH w AS (INSERT INTO notes VALUES (7) RETURNING ward) SELECT dp_count(*) FROM people', 'WITH queries that write%'),
    ('WITH w AS (INSERT INTO notes VALUES (7) RETURNING ward) SELECT dp_count(*) FROM people JOIN wards ON wards.id = ward', 'WITH queries that write%'),
    ('SELECT dp_sum(n) FROM (SELECT weight, row_number() OVER (ORDER BY weight) AS n FROM people) s', 'a window function%'),
    ('SELECT dp_sum(weight) FROM (SELECT weight, rank() OVER (ORDER BY weight) AS n FROM people) s WHERE n < 3', 'a window function%'),
    ('SELECT dp_count(*) FROM (SELECT DISTINCT ON (ward) * FROM people ORDER BY ward, weight) s', 'DISTINCT%'),
    ('SELECT dp_count(*) FROM people TABLESAMPLE SYSTEM (10)', 'TABLESAMPLE%'),
    ('SELECT dp_count(DISTINCT person) FROM visits', 'DISTINCT of the privacy unit%'),
    ('SELECT dp_sum(current_date - born) FROM people', '%clock%'),
    ('SELECT dp_avg(extract(year FROM age(born))) FROM people', '%extract()%')
) list (query, message);
-- above the level they are the server's, with their constraints
SELECT lives_ok('WITH w AS (INSERT INTO notes VALUES (6) RETURNING ward) SELECT s.* FROM (SELECT dp_count(*) FROM people) s', 'a WITH query that writes, beside answers');
SELECT throws_ok('WITH w AS (INSERT INTO notes VALUES (7) RETURNING ward) SELECT s.* FROM (SELECT dp_count(*) FROM people) s', '23503', NULL, 'and fails as it does alone');
SELECT throws_ok('SELECT dp_sum(f) FROM people JOIN (VALUES (1, ''infinity''::float8), (2, 0)) v(w, f) ON w = ward', '0A000', NULL, 'a list without a finite range');

-- an analyst without privileges
CREATE ROLE shapes_analyst;
GRANT USAGE ON SCHEMA shapes_tap TO shapes_analyst;
GRANT SELECT ON wards TO shapes_analyst;
DO $$ BEGIN PERFORM dpsens.grant_budget('people', 'shapes_analyst', epsilon => 1000000, own_tables => true), dpsens.grant_budget('visits', 'shapes_analyst', epsilon => 1000000, own_tables => true); END $$;
SET ROLE shapes_analyst;
SELECT lives_ok(query, query) FROM (VALUES
    ('SELECT label, dp_count(*) FROM people JOIN (VALUES (''E11'', ''a''), (''I10'', ''b'')) v(c, label) ON c = code GROUP BY label'),
    ('SELECT g, dp_count(p.id) FROM generate_series(1, 8) g LEFT JOIN people p ON p.ward = g GROUP BY g'),
    ('SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE v.id IS NULL'),
    ('SELECT w.name, dp_sum(p.weight) FROM wards w LEFT JOIN people p ON p.ward = w.id GROUP BY w.name')) v (query);
SELECT throws_ok('SELECT * FROM people', '42501', NULL, 'not the rows');
RESET ROLE;
SELECT ok(count(*) >= 1, 'NOT EXISTS is paid for by the relation that nobody is met of') FROM dpsens.releases WHERE relation LIKE '%visits' AND role = 'shapes_analyst';

SELECT * FROM finish();
DROP SCHEMA shapes_tap CASCADE;
DROP OWNED BY shapes_analyst;
DROP ROLE shapes_analyst;
