-- The second line of defence behind the proof that a join multiplies nothing: what a
-- row, or a unit, has more than it may is left out when the statement runs.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA counted_joins_tap;
SET search_path = counted_joins_tap, public;
SELECT plan(39);

-- an index that says to be unique and is not, as after damage, or a new version of a
-- collation: 42 is there five hundred times, with as many values
CREATE TABLE damaged (k int NOT NULL, v int NOT NULL);
INSERT INTO damaged SELECT i, 1 FROM generate_series(1, 100) i UNION ALL SELECT 42, i FROM generate_series(2, 500) i;
CREATE INDEX damaged_k ON damaged (k);
UPDATE pg_index SET indisunique = true WHERE indexrelid = 'damaged_k'::regclass;
ANALYZE damaged;
CREATE TABLE with_unit (id int PRIMARY KEY, k int NOT NULL);
CREATE TABLE without_unit (id int, k int NOT NULL);
CREATE TABLE maybe_unit (id int, k int NOT NULL);
CREATE TABLE several (id int NOT NULL, k int NOT NULL);
CREATE TABLE parted (id int, k int NOT NULL) PARTITION BY LIST (k);
CREATE TABLE parted_42 PARTITION OF parted FOR VALUES IN (42);
CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
INSERT INTO with_unit SELECT i, i FROM generate_series(1, 100) i;
INSERT INTO without_unit SELECT NULL, k FROM with_unit;
INSERT INTO maybe_unit SELECT CASE WHEN id <> 42 THEN id END, k FROM with_unit;
INSERT INTO several SELECT * FROM with_unit;
INSERT INTO parted SELECT * FROM with_unit;
SELECT dpsens.protect('with_unit', unit => 'id'), dpsens.protect('without_unit'), dpsens.protect('maybe_unit', unit => 'id', max_rows => 2), dpsens.protect('several', unit => 'id', max_rows => 3), dpsens.protect('parted');
SELECT dpsens.set_range('damaged', 'v', 0, 1000);
SET dpsens.epsilon = 1;

CREATE FUNCTION answer(query text, VARIADIC settings text[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE setting text; answer text;
BEGIN
    FOREACH setting IN ARRAY settings LOOP
        PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true);
    END LOOP;
    PERFORM set_config('dpsens.noise', 'off', true);
    EXECUTE format('SELECT s::text FROM (%s) s', query) INTO answer;
    RETURN answer;
END $$;
CREATE TABLE answers (query text, settings text, answer text);
CREATE PROCEDURE try_plan(query text, VARIADIC settings text[]) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO answers SELECT query, settings::text, answer(query, VARIADIC settings);
    COMMIT;
END $$;

-- the whole answer is that of a hundred rows, or with as many more as a unit may have
CREATE TABLE asked (query text, most int);
INSERT INTO asked VALUES
    ('SELECT dp_count(*) FROM damaged d JOIN with_unit p USING (k)', 100),
    ('SELECT dp_count(*) FROM damaged d JOIN without_unit p USING (k)', 100),
    ('SELECT dp_count(*) FROM damaged d JOIN maybe_unit p USING (k)', 101),
    ('SELECT dp_count(*) FROM damaged d JOIN several p USING (k)', 102),
    ('SELECT dp_count(*) FROM damaged d JOIN parted p USING (k)', 100),
    ('SELECT dp_count(*) FROM without_unit p JOIN damaged a USING (k) JOIN damaged b USING (k)', 100),
    ('SELECT dp_count(*) FROM without_unit p LEFT JOIN damaged a USING (k) LEFT JOIN damaged b USING (k)', 100),
    ('SELECT dp_count(*) FROM (SELECT k FROM with_unit UNION ALL SELECT k FROM (SELECT * FROM parted WHERE k < 100) s) u JOIN damaged d USING (k)', 199),
    ('SELECT dp_count(*) FROM (SELECT k FROM with_unit JOIN damaged USING (k) UNION ALL SELECT p.k FROM damaged d JOIN without_unit p ON p.k = d.k WHERE p.k > 1) u', 199),
    ('SELECT dp_count(*) FROM (SELECT k FROM with_unit JOIN damaged USING (k) ORDER BY 1) u', 100),
    ('SELECT dp_count(*) FROM (SELECT id, max(k) AS k FROM with_unit GROUP BY id) u JOIN damaged USING (k)', 100),
    ('SELECT dp_sum(v) FROM damaged d JOIN with_unit p USING (k)', 700),
    ('SELECT dp_sum(v) FROM damaged d JOIN without_unit p USING (k)', 700),
    ('SELECT dp_count(*) FILTER (WHERE v > 3) FROM damaged d JOIN without_unit p USING (k)', 1),
    ('SELECT max(c) AS c FROM (SELECT v, dp_count(*) AS c FROM damaged d JOIN without_unit p USING (k) WHERE k = 42 GROUP BY v) s', 1),
    ('SELECT sum(c) AS c FROM (SELECT v, dp_count(*) AS c FROM damaged d JOIN without_unit p USING (k) WHERE k = 42 GROUP BY v) s', 1);
SELECT format('CALL try_plan(%L, %s)', query, settings) FROM asked, unnest(ARRAY[
    '''enable_mergejoin=off'', ''join_collapse_limit=1''', '''enable_hashjoin=off'', ''enable_nestloop=off''',
    '''dpsens.enable_group_states=off'', ''enable_mergejoin=off'', ''join_collapse_limit=1''']) settings \gexec
SELECT cmp_ok(max(trim(answer, '()')::float8), '<=', most::float8, 'no more than it may be: ' || query) FROM answers JOIN asked USING (query) GROUP BY query, most;
-- without the proof there is nothing to say of plain SQL, but with it there is: a plan may stop early
SELECT is((SELECT count(*) FROM damaged d JOIN with_unit p ON p.k + 0 = d.k + 0), 599::bigint, 'there are more');
-- where the proof holds nothing is left out, and nothing costs more
CREATE TABLE sound (k int PRIMARY KEY, v int NOT NULL);
INSERT INTO sound SELECT i, i FROM generate_series(1, 90) i;
\ir same.psql
SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM sound JOIN with_unit USING (k)', 'SELECT dp_count(*), dp_count(v) FROM without_unit LEFT JOIN sound USING (k)', 'SELECT dp_count(*), dp_count(v) FROM maybe_unit LEFT JOIN sound USING (k)',
    'SELECT dp_count(*) FROM several JOIN sound USING (k)', 'SELECT dp_count(*) FROM parted p JOIN sound a USING (k) JOIN sound b ON b.k = p.k + 1',
    'SELECT dp_count(*) FROM (SELECT k FROM with_unit UNION ALL SELECT k FROM parted) u JOIN sound USING (k)',
    'SELECT dp_count(*) FROM (SELECT k FROM with_unit JOIN sound USING (k) UNION ALL SELECT k FROM (SELECT * FROM parted WHERE k < 50) p UNION ALL SELECT q.k FROM without_unit q JOIN sound s ON s.k = q.k) u'
]) query;
SELECT is(sensitivities('SELECT dp_count(*) FROM several JOIN sound USING (k)'), '{3}', 'several rows');
SELECT is(sensitivities('SELECT dp_count(*), dp_count(*) FILTER (WHERE v > 3) FROM without_unit JOIN sound USING (k)'), '{1,1}', 'one');

-- ---- rows without a unit ----

CREATE TABLE orders (id int PRIMARY KEY, customer int);
CREATE TABLE lines (id int PRIMARY KEY, "order" int REFERENCES orders, x int NOT NULL);
CREATE TABLE parts (id int PRIMARY KEY, line int NOT NULL REFERENCES lines);
INSERT INTO orders SELECT i, CASE WHEN i > 1 THEN i / 2 END FROM generate_series(1, 21) i;
-- the first order has no customer, and a hundred lines
INSERT INTO lines SELECT i, CASE WHEN i <= 100 THEN 1 WHEN i <= 140 THEN i % 20 + 2 END, i FROM generate_series(1, 150) i;
INSERT INTO parts SELECT i, i % 150 + 1 FROM generate_series(1, 1500) i;
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 3), dpsens.protect('lines', unit => 'orders.customer', max_rows => 5), dpsens.protect('parts', unit => 'lines.order', max_rows => 7);
SELECT is(sensitivities('SELECT dp_count(*) FROM lines'), '{5}', 'five lines');
SELECT is(answer('SELECT dp_count(*) FROM lines'), '(55)', 'five of the order without a customer, all of customers, and all that refer to none');
SELECT is(answer('SELECT dp_count(*) FROM lines', 'dpsens.enable_group_states=off'), '(55)', 'chosen in another way');
SELECT is(answer('SELECT dp_count(*) FROM orders'), '(21)', 'in its own table it is a person');
SELECT is(answer('SELECT dp_count(*) FROM parts WHERE line > 140'), '(70)', 'a line that refers to no order has seven parts at most');
SELECT is(answer('SELECT dp_count(*) FROM parts WHERE line <= 100'), '(7)', 'parts of lines of an order without a customer: seven in all');
-- units whose equal values can differ are told from rows without one in another way
ALTER TABLE orders ADD city float8;
UPDATE orders SET city = CASE WHEN id > 11 THEN '-0' WHEN id > 5 THEN 0 WHEN id > 1 THEN 1 END;
SELECT dpsens.protect('orders', unit => 'city', max_rows => 3), dpsens.protect('lines', unit => 'orders.city', max_rows => 5);
SELECT is(answer('SELECT dp_count(*) FROM lines', VARIADIC settings), '(25)', format('five of a unit, of either zero, and of the order without: %s', settings))
FROM (VALUES ('{dpsens.enable_group_states=on}'::text[]), ('{dpsens.enable_group_states=off}')) s (settings);
-- and are within the limits of groups, too
ALTER TABLE lines ADD kind text;
SELECT dpsens.set_values('lines', 'kind', 'a', 'b', 'c', 'd', 'e');
UPDATE lines SET kind = 'a';
SELECT dpsens.protect('lines', max_rows => 0, max_rows_per_group => 2, max_groups => 3);
SELECT is(answer($$SELECT kind, dp_count(*) FROM lines WHERE "order" = 1 AND kind = 'a' GROUP BY kind$$, VARIADIC settings), '(a,2)', format('two of the order without a unit in a group: %s', settings))
FROM (VALUES ('{dpsens.enable_group_states=on}'::text[]), ('{dpsens.enable_group_states=off}')) s (settings);
UPDATE lines SET kind = chr(97 + id % 5);
SELECT dpsens.protect('lines', max_rows_per_group => 5, max_groups => 1);
SELECT is(answer('SELECT max(n), count(*) FILTER (WHERE n > 0) FROM (SELECT kind, dp_count(*) AS n FROM lines WHERE "order" = 1 GROUP BY kind) q', VARIADIC settings), '(5,1)', format('five, in one group: %s', settings))
FROM (VALUES ('{dpsens.enable_group_states=on}'::text[]), ('{dpsens.enable_group_states=off}')) s (settings);
SELECT dpsens.protect('lines', max_rows => 5, max_rows_per_group => 0, max_groups => 0);
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 3), dpsens.protect('lines', unit => 'orders.customer', max_rows => 5);
-- removing that order, with all that refers to it, moves the answer by no more than five
DELETE FROM parts WHERE line <= 100;
DELETE FROM lines WHERE "order" = 1;
DELETE FROM orders WHERE id = 1;
SELECT is(answer('SELECT dp_count(*) FROM lines'), '(50)', 'without the order: five fewer');

SELECT * FROM finish();
DROP SCHEMA counted_joins_tap CASCADE;
