-- What is public: tables that are not protected.  What depends on protected rows in any
-- other way must not decide whether a row counts, wherever a condition stands.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA public_relations_tap;
SET search_path = public_relations_tap, public;
SELECT plan(190);

CREATE TABLE cats (id int PRIMARY KEY, age int NOT NULL);
INSERT INTO cats SELECT i, i % 20 FROM generate_series(1, 100) i;
CREATE MATERIALIZED VIEW copied AS SELECT id, age FROM cats;
CREATE TABLE plain (k int PRIMARY KEY, v int);
INSERT INTO plain SELECT i, i FROM generate_series(1, 5) i;
CREATE VIEW shown AS SELECT * FROM plain WHERE v > 1;
CREATE VIEW shown_copied AS SELECT * FROM copied;
CREATE VIEW shown_class AS SELECT oid AS k, reltuples AS v FROM pg_class;
CREATE SEQUENCE numbers;
CREATE FOREIGN DATA WRAPPER public_relations_wrapper;
CREATE SERVER public_relations_server FOREIGN DATA WRAPPER public_relations_wrapper;
CREATE FOREIGN TABLE foreigners (k int, v int) SERVER public_relations_server;
CREATE TABLE parted (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE near PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE FOREIGN TABLE far PARTITION OF parted FOR VALUES FROM (10) TO (20) SERVER public_relations_server;
CREATE TABLE local_parted (k int PRIMARY KEY, v int) PARTITION BY RANGE (k);
CREATE TABLE local_part PARTITION OF local_parted FOR VALUES FROM (0) TO (10);
INSERT INTO local_parted SELECT i, i FROM generate_series(1, 5) i;
CREATE TABLE kittens () INHERITS (cats);
CREATE TABLE tagged (k int);
CREATE TABLE tigers () INHERITS (cats, tagged);
CREATE TABLE young_tigers () INHERITS (tigers);
ANALYZE cats;
SELECT dpsens.protect('cats'), dpsens.set_range('cats', 'age', 0, 20);
SET dpsens.epsilon = 1;

\ir same.psql
\ir refused.psql

SELECT refused(query, '%subquery of relation "' || relation || '" in a condition%' || reason) FROM
    (VALUES
        ('pg_class', '(SELECT max(reltuples) FROM pg_class WHERE oid = ''cats''::regclass)', '%server%'),
        ('pg_class', '(SELECT max(v) FROM shown_class)', '%server%'),
        ('pg_class', '(WITH w AS (SELECT reltuples FROM pg_class) SELECT max(reltuples) FROM w)', '%server%'),
        ('pg_class', '(SELECT max(x) FROM plain, LATERAL (SELECT reltuples + v AS x FROM pg_class) l)', '%server%'),
        ('pg_statistic', '(SELECT max(stadistinct) FROM pg_statistic)', '%server%'),
        ('release', '(SELECT max(release) FROM dpsens.release)', '%server%'),
        ('copied', '(SELECT count(*) FROM copied)', '%not a table%'),
        ('copied', '(SELECT max(age) FROM shown_copied)', '%not a table%'),
        ('numbers', '(SELECT last_value FROM numbers)', '%not a table%'),
        ('foreigners', '(SELECT max(v) FROM foreigners)', '%not a table%'),
        ('parted', '(SELECT max(v) FROM parted)', '%elsewhere%'),
        ('kittens', '(SELECT count(*) FROM kittens)', '%parents and children%'),
        ('tagged', '(SELECT count(*) FROM tagged)', '%parents and children%')
    ) sources (relation, source, reason),
    unnest(ARRAY[
        format('SELECT dp_count(*) FROM cats WHERE %s >= 100', source),
        format('SELECT dp_count(*) FROM cats WHERE age > 3 AND NOT (age < %s OR age > 9)', source),
        format('SELECT dp_sum(age) FROM (SELECT * FROM cats WHERE age > %s) c', source),
        format('SELECT dp_count(*) FROM cats WHERE CASE WHEN age > 3 THEN %s > 1 END', source),
        format('SELECT dp_count(*) FROM cats WHERE age = ANY (ARRAY[%s, 1])', source),
        format('SELECT dp_count(*) FROM cats JOIN plain ON k = id AND age > %s', source)
    ]) query;
SELECT refused(query, '%') FROM
    unnest(ARRAY['pg_class', 'pg_statistic', 'pg_stats', 'information_schema.tables', 'dpsens.release', 'dpsens.budgets', 'copied', 'shown_copied', 'shown_class', 'numbers', 'foreigners', 'parted', 'kittens', 'tagged', 'cats']) source,
    unnest(ARRAY[
        format('SELECT dp_count(*) FROM cats WHERE EXISTS (SELECT FROM %s)', source),
        format('SELECT dp_count(*) FROM cats WHERE NOT EXISTS (SELECT FROM %s s, plain)', source),
        format('SELECT dp_count(*) FROM cats WHERE age NOT IN (SELECT 1 FROM %s)', source),
        format('SELECT dp_count(*) FROM cats WHERE age < ALL (SELECT 1 FROM %s)', source),
        format('SELECT dp_count(*) FROM cats WHERE age < (SELECT count(*) FROM %s)', source),
        format('SELECT dp_count(*) FROM cats JOIN plain p ON p.k = id AND EXISTS (SELECT FROM %s)', source),
        format('SELECT dp_count(*) FROM cats LEFT JOIN %s s ON true', source)
    ]) query;
-- row-level security is a condition, too
CREATE ROLE public_relations_reader;
GRANT USAGE ON SCHEMA public_relations_tap TO public_relations_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public_relations_tap TO public_relations_reader;
ALTER TABLE cats ENABLE ROW LEVEL SECURITY;
CREATE POLICY many ON cats USING ((SELECT reltuples FROM pg_class WHERE oid = 'cats'::regclass) >= 100);
SET ROLE public_relations_reader;
SELECT refused('SELECT dp_count(*) FROM cats', '%subquery of relation "pg_class"%');
RESET ROLE;
DROP POLICY many ON cats;
ALTER TABLE cats DISABLE ROW LEVEL SECURITY;
-- the rows that a trigger is about
CREATE TABLE said (message text);
CREATE FUNCTION ask() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n float8;
BEGIN
    SELECT dp_count(*) INTO n FROM cats WHERE (SELECT max(age) FROM added) > 15;
    INSERT INTO said VALUES ('answered');
    RETURN NULL;
EXCEPTION WHEN feature_not_supported THEN
    INSERT INTO said VALUES (SQLERRM);
    RETURN NULL;
END $$;
CREATE TRIGGER ask AFTER INSERT ON cats REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ask();
INSERT INTO cats VALUES (1000, 19);
SELECT matches(message, 'not known to be public', 'the rows that a trigger is about') FROM said;
DROP TRIGGER ask ON cats;

-- ---- what is public may ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM cats WHERE age > (SELECT avg(v) FROM plain)',
    'SELECT dp_count(*) FROM cats WHERE age > (SELECT max(v) FROM shown)',
    'SELECT dp_count(*) FROM cats WHERE age > (WITH w AS (SELECT v FROM local_parted) SELECT max(v) FROM w)',
    'SELECT dp_count(*) FROM cats WHERE age > (SELECT max(a + g) FROM (VALUES (1), (2)) v(a), generate_series(1, 3) g)',
    'SELECT dp_count(*) FROM cats WHERE age <> ALL (SELECT v FROM plain) AND EXISTS (SELECT FROM local_parted p WHERE p.k = age % 5)'
]) query;

SELECT * FROM finish();
DROP SCHEMA public_relations_tap CASCADE;
DROP FOREIGN DATA WRAPPER public_relations_wrapper CASCADE;
DROP OWNED BY public_relations_reader;
DROP ROLE public_relations_reader;
