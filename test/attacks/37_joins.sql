-- Row 15 again: joins. The analyst owns one side and puts into it what it likes.
\ir start.sql
SET ROLE dpsens_attack_ana;
-- 400 rows for the person, in every way in which no index keeps them out
CREATE TABLE lab.many37 (k int, partial int, expr int, later int, plain int, label text);
INSERT INTO lab.many37 SELECT 42, 42, 42, 42, 42, 'x' || i FROM generate_series(1, 400) i;
CREATE UNIQUE INDEX ON lab.many37 (partial) WHERE label = 'nowhere';
CREATE UNIQUE INDEX ON lab.many37 (expr, label);
CREATE UNIQUE INDEX ON lab.many37 ((label || plain::text));
CREATE TABLE lab.deferred37 (k int UNIQUE DEFERRABLE INITIALLY DEFERRED);
INSERT INTO lab.deferred37 VALUES (42);
CREATE TABLE lab.parent37 (k int PRIMARY KEY);
CREATE TABLE lab.child37 () INHERITS (lab.parent37);
INSERT INTO lab.child37 SELECT 42 FROM generate_series(1, 400);
CREATE TABLE lab.one37 (k int PRIMARY KEY, name text UNIQUE, v float8 NOT NULL, city text);
INSERT INTO lab.one37 SELECT i, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END, 1e300, 'c' || i % 3 FROM generate_series(1, 400) i;
SELECT dpsens.set_range('lab.one37', 'v', 0, 10);
CREATE FUNCTION lab.spy37(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1::text IN ('Zebedee', '42') THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN true; END $$;
CREATE FUNCTION lab.spy37(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1 = 42 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN $1 = $2; END $$;
CREATE OPERATOR lab.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = lab.spy37, COMMUTATOR = OPERATOR(lab.===));
CREATE OPERATOR lab.= (LEFTARG = int, RIGHTARG = int, FUNCTION = lab.spy37, COMMUTATOR = OPERATOR(lab.=));
CREATE TYPE lab.wrap37 AS (x int);
CREATE FUNCTION lab.wrap37(int) RETURNS lab.wrap37 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1 = 42 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN ROW($1)::lab.wrap37; END $$;
CREATE CAST (int AS lab.wrap37) WITH FUNCTION lab.wrap37(int) AS IMPLICIT;
CREATE TABLE lab.wrapped37 (k lab.wrap37 PRIMARY KEY);
INSERT INTO lab.wrapped37 SELECT ROW(i)::lab.wrap37 FROM generate_series(1, 400) i;
CREATE DOMAIN lab.checked37 AS int CHECK (lab.spy37(VALUE));
-- rows that are shown if a function says so
CREATE TABLE lab.policed37 (k int PRIMARY KEY);
INSERT INTO lab.policed37 SELECT i FROM generate_series(1, 400) i;
ALTER TABLE lab.policed37 ENABLE ROW LEVEL SECURITY;
ALTER TABLE lab.policed37 FORCE ROW LEVEL SECURITY;
CREATE POLICY looks ON lab.policed37 USING (lab.spy37(k));
CREATE VIEW lab.mirror37 AS SELECT * FROM clinic.people;
CREATE TABLE lab.parted37 (k int PRIMARY KEY) PARTITION BY RANGE (k);
CREATE TABLE lab.part37 PARTITION OF lab.parted37 FOR VALUES FROM (0) TO (1000);
INSERT INTO lab.parted37 SELECT i FROM generate_series(1, 400) i;
RESET ROLE;
GRANT ALL ON ALL TABLES IN SCHEMA lab TO PUBLIC;
CREATE VIEW lab.shown37 AS SELECT * FROM clinic.people;
ALTER VIEW lab.shown37 OWNER TO dpsens_attack_reader;
GRANT SELECT ON lab.shown37 TO PUBLIC;

SELECT attempt('multiplying: ' || question, question, '0A000.*could multiply', regexp_replace(question, 'dp_', '', 'g'), '00000.\(([4-9]|..+)')
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people p JOIN lab.many37 m ON m.k = p.id', 'SELECT dp_count(*) FROM people p JOIN lab.many37 m ON m.partial = p.id', 'SELECT dp_count(*) FROM people p JOIN lab.many37 m ON m.expr = p.id',
    'SELECT dp_count(*) FROM people p JOIN lab.many37 m ON m.label || m.plain::text LIKE ''x%'' AND m.plain = p.id', 'SELECT dp_count(*) FROM people p LEFT JOIN lab.many37 m ON m.k = p.id', 'SELECT dp_count(*) FROM lab.many37 m RIGHT JOIN people p ON m.k = p.id',
    'SELECT dp_count(*) FROM people p JOIN lab.parent37 m ON m.k = p.id', 'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id JOIN lab.many37 m ON m.k = o.k', 'SELECT dp_count(*) FROM lab.many37 m JOIN lab.one37 o ON o.k = m.k JOIN people p ON p.id = o.k',
    'SELECT dp_count(*) FROM people p, lab.one37', 'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id OR p.secret',
    'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k >= p.id AND o.k <= p.id',
    'SELECT dp_count(*) FROM (SELECT p.id FROM people p JOIN lab.many37 m ON m.k = p.id) s JOIN lab.one37 o ON o.k = s.id'
]) question;
SELECT attempt('a key that is checked later', 'SELECT dp_count(*) FROM people p JOIN lab.deferred37 m ON m.k = p.id', '0A000.*could multiply', 'SELECT count(*) FROM people p JOIN lab.deferred37 m ON m.k = p.id', '00000.\(1\)');
SELECT attempt('the protected relation again: ' || question, question, '(0A000|42501|55000)', regexp_replace(question, 'dp_', '', 'g'), '00000.\([1-9]')
FROM unnest(ARRAY['SELECT dp_count(*) FROM people p JOIN people q ON q.id = p.id', 'SELECT dp_count(*) FROM people p JOIN lab.shown37 q ON q.id = p.id',
    'SELECT dp_count(*) FROM lab.one37 o JOIN lab.shown37 q ON q.id = o.k JOIN people p ON p.id = o.k',
    'SELECT dp_count(*) FROM people p JOIN others q ON q.id = p.id']) question;
SELECT attempt('the protected relation through an own view', 'SELECT dp_count(*) FROM people p JOIN lab.mirror37 q ON q.id = p.id', '(0A000|42501)', 'SELECT count(*) FROM people p JOIN people q ON q.id = p.id', '00000.\([1-9]');
SELECT attempt('another function sees the cells: ' || question, question, '0A000', regexp_replace(question, 'dp_', '', 'g'), 'Zebedee')
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id AND lab.spy37(p.name)', 'SELECT dp_count(o.city) FROM people p LEFT JOIN lab.one37 o ON o.k = p.id AND lab.spy37(p.name)', 'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id WHERE lab.spy37(o.name)',
    'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON p.id OPERATOR(lab.===) o.k', 'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON p.id OPERATOR(lab.=) o.k',
    'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id AND p.id OPERATOR(lab.===) o.k',
    'SELECT dp_count(*) FROM people p JOIN lab.wrapped37 w ON w.k = p.id::lab.wrap37',
    'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id::lab.checked37', 'SELECT dp_sum(CASE WHEN lab.spy37(p.name) THEN v END) FROM people p JOIN lab.one37 o ON o.k = p.id', 'SELECT dp_count(*) FILTER (WHERE lab.spy37(p.name)) FROM people p JOIN lab.one37 o ON o.k = p.id',
    'SELECT dp_count(*) FROM people p JOIN (SELECT k, lab.spy37(name) AS s FROM lab.one37) o ON o.k = p.id AND s'
]) question;
SELECT attempt('row-level security that calls another function', ARRAY['SELECT dp_count(*) FROM people p JOIN lab.policed37 q ON q.k = p.id'], '0A000', 'dpsens_attack_ana', ARRAY['SELECT count(*) FROM lab.policed37'], 'Zebedee');
SELECT oracle('a join condition that fails: ' || question, question)
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM %s p JOIN lab.one37 o ON o.k = 100 / CASE WHEN secret THEN 0 ELSE 1 END',
    'SELECT dp_count(*) FROM %s p JOIN lab.one37 o ON o.k = p.name::int', 'SELECT dp_count(o.city) FROM %s p LEFT JOIN lab.one37 o ON o.k = p.name::int',
    'SELECT dp_count(o.city) FROM %s p LEFT JOIN lab.one37 o ON o.k = p.id AND 1 / p.pay > 0',
    'SELECT dp_count(*) FROM %s p JOIN lab.one37 o ON o.k = p.id AND p.name = o.name WHERE p.name::int > 0',
    'SELECT dp_count(*) FROM %s p JOIN lab.one37 o ON o.k = p.id AND 1 / (p.pay * o.k) > 0',
    'SELECT dp_count(*) FROM (SELECT id, 1 / pay AS inverse FROM %s) p JOIN lab.one37 o ON o.k = p.id AND inverse > 0',
    'SELECT o.city, dp_count(*) FROM %s p JOIN lab.one37 o ON o.k = p.name::int GROUP BY o.city', 'SELECT dp_count(*) FILTER (WHERE p.name::int > 0) FROM %s p JOIN lab.one37 o ON o.k = p.id'
]) question;
-- what is met counts for no more than its range says, and a row is met once
SET dpsens.noise = off;
SELECT cmp_ok(dp_sum(v) FILTER (WHERE o.name = 'Zebedee'), '<=', 10::float8, 'a weight of somebody''s own is clamped') FROM people p JOIN lab.one37 o ON o.k = p.id;
RESET dpsens.noise;
-- groups are those of the public relation
SET ROLE dpsens_attack_ana;
SELECT results_eq('SELECT city FROM (SELECT o.city, dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id AND o.name = p.name GROUP BY o.city) s', 'SELECT DISTINCT city FROM lab.one37 ORDER BY 1', 'all groups, whoever is there');
SELECT results_eq('SELECT city FROM (SELECT o.city, dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id WHERE p.secret GROUP BY o.city) s', 'SELECT DISTINCT city FROM lab.one37 ORDER BY 1', 'all groups, though nobody is there');
RESET ROLE;
-- how often the public side is read tells how many rows asked for it
CREATE FUNCTION lab.counters37() RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT sum(seq_scan + seq_tup_read + coalesce(idx_scan, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables WHERE relname = 'one37')::bigint
        + (SELECT sum(pg_stat_get_xact_numscans(indexrelid) + pg_stat_get_xact_tuples_returned(indexrelid) + pg_stat_get_xact_tuples_fetched(indexrelid) + pg_stat_get_xact_blocks_fetched(indexrelid)
            + pg_stat_get_xact_blocks_hit(indexrelid)) FROM pg_index WHERE indrelid = 'lab.one37'::regclass)::bigint + pg_stat_get_xact_blocks_fetched('lab.one37'::regclass)
$$;
CREATE FUNCTION lab.counted37(question text) RETURNS bigint LANGUAGE plpgsql SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    before bigint = lab.counters37();
BEGIN
    EXECUTE question;
    RETURN lab.counters37() - before;
END $$;
GRANT pg_read_all_stats TO dpsens_attack_ana;
SELECT attempt('counters of the public side', 'SELECT lab.counted37(''SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id AND p.secret'')', '00000.\(0\)', 'SELECT lab.counted37(''SELECT count(*) FROM people p JOIN lab.one37 o ON o.k = p.id AND p.secret'')', '00000.\([1-9]');
REVOKE pg_read_all_stats FROM dpsens_attack_ana;
SELECT attempt('the plan of a join: ' || question, question, '42501', regexp_replace(question, 'dp_', '', 'g'), 'Scan')
FROM unnest(ARRAY['EXPLAIN SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id', 'EXPLAIN (ANALYZE) SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id']) question;
-- joins that are answered, and only the protected side needs no privilege
SELECT attempt('a join is answered', 'SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.k = p.id LEFT JOIN lab.parted37 USING (k)', '00000', 'SELECT count(*), max(p.name) FROM people p JOIN lab.one37 o ON o.k = p.id', 'Zebedee');
CREATE TABLE clinic.rooms37 (k int PRIMARY KEY, name text);
INSERT INTO clinic.rooms37 VALUES (42, 'Zebedee');
GRANT SELECT ON clinic.rooms37 TO dpsens_attack_reader;
SELECT attempt('a public side that may not be read', 'SELECT dp_count(*) FROM people p JOIN rooms37 o ON o.k = p.id', '42501', 'SELECT max(o.name) FROM people p JOIN rooms37 o ON o.k = p.id', 'Zebedee');
SELECT attempt('its keys', 'SELECT o.name, dp_count(*) FROM people p JOIN rooms37 o ON o.k = p.id GROUP BY o.name', '42501', 'SELECT max(o.name) FROM people p JOIN rooms37 o ON o.k = p.id', 'Zebedee');
SELECT attempt('a plan that outlives the index', ARRAY['PREPARE p37 AS SELECT dp_count(*) FROM people p JOIN lab.one37 o ON o.name = p.name', 'EXECUTE p37',
    'ALTER TABLE lab.one37 DROP CONSTRAINT one37_name_key', 'INSERT INTO lab.one37 SELECT 1000 + i, ''Zebedee'', 1, ''c'' FROM generate_series(1, 400) i', 'EXECUTE p37',
    'DEALLOCATE p37'], '(.*\n)*0A000.*could multiply',
    ARRAY['SELECT count(*), max(p.name) FROM people p JOIN lab.one37 o ON o.name = p.name'], '800,Zebedee');
SELECT * FROM finish();
