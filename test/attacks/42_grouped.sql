-- Row 15 again: groups below the aggregates, and what their exact aggregates say.
\ir start.sql
CREATE TABLE clinic.guests42 (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO clinic.guests42 SELECT i, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 100) i;
-- the person has a thousand stays, one of them where arithmetic ends
CREATE TABLE clinic.stays42 (id int PRIMARY KEY, guest int NOT NULL REFERENCES clinic.guests42, nights float8 NOT NULL, bill numeric NOT NULL, room int NOT NULL, name text NOT NULL);
INSERT INTO clinic.stays42 SELECT i, i % 100 + 1, 1, 1, i % 7, i::text FROM generate_series(1, 300) i;
INSERT INTO clinic.stays42 SELECT i, 42, 1e308, 9e131071, 0, 'Zebedee' FROM generate_series(301, 1300) i;
-- the same without what is to be found
CREATE TABLE clinic.plain42 (LIKE clinic.stays42 INCLUDING ALL);
INSERT INTO clinic.plain42 SELECT * FROM clinic.stays42 WHERE name <> 'Zebedee';
ALTER TABLE clinic.plain42 ADD FOREIGN KEY (guest) REFERENCES clinic.guests42;
SELECT format('ALTER TABLE clinic.%s OWNER TO dpsens_attack_owner', t) FROM unnest(ARRAY['guests42', 'stays42', 'plain42']) t \gexec
GRANT SELECT ON clinic.guests42, clinic.stays42, clinic.plain42 TO dpsens_attack_reader;
SET ROLE dpsens_attack_owner;
DO $$
DECLARE
    r text;
BEGIN
    PERFORM dpsens.protect('guests42', unit => 'id');
    FOREACH r IN ARRAY '{stays42, plain42}'::text[] LOOP
        PERFORM dpsens.protect(r::regclass, unit => 'guest', max_rows => 5);
        PERFORM dpsens.set_range(r::regclass, 'nights', 0, 10), dpsens.set_range(r::regclass, 'bill', 0, 10), dpsens.set_range(r::regclass, 'room', 0, 6);
    END LOOP;
    FOREACH r IN ARRAY '{guests42, stays42, plain42}'::text[] LOOP
        PERFORM dpsens.grant_budget(r::regclass, 'dpsens_attack_ana', epsilon => 1000000, delta => 0.01, own_tables => true);
    END LOOP;
END $$;
RESET ROLE;
SET ROLE dpsens_attack_ana;
CREATE FUNCTION lab.spy42(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1::text IN ('Zebedee', '42') THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN true; END $$;
CREATE FUNCTION lab.add42(float8, float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $2 > 1e300 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN $1 + $2; END $$;
CREATE AGGREGATE lab.sum42(float8) (SFUNC = lab.add42, STYPE = float8, INITCOND = 0);
CREATE AGGREGATE lab.sum(float8) (SFUNC = lab.add42, STYPE = float8, INITCOND = 0);
CREATE TABLE lab.rooms42 (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO lab.rooms42 SELECT i, 'r' || i FROM generate_series(0, 6) i;
CREATE TABLE lab.many42 (id int);
INSERT INTO lab.many42 SELECT i % 7 FROM generate_series(1, 700) i;
RESET ROLE;
GRANT ALL ON lab.rooms42, lab.many42 TO PUBLIC;

-- a thousand rows of one person count for five, whatever is made of them
SET dpsens.noise = off;
SELECT cmp_ok(dp_sum(n), '<=', 5::float8, 'a count') FROM (SELECT guest, count(*) AS n FROM stays42 WHERE guest = 42 GROUP BY guest) s;
SELECT cmp_ok(dp_sum(n), '<=', 50::float8, 'a sum') FROM (SELECT guest, sum(nights) AS n FROM stays42 WHERE guest = 42 GROUP BY guest) s;
SELECT cmp_ok(dp_sum(n), '<=', 5::float8, 'a count that somebody''s own rows multiply') FROM (SELECT guest, count(*) AS n FROM stays42 JOIN lab.many42 m ON m.id = room WHERE guest = 42 GROUP BY guest) s;
SELECT cmp_ok(dp_count(*), '<=', 5::bigint, 'groups of one person') FROM (SELECT guest, id FROM stays42 WHERE guest = 42 GROUP BY guest, id) s;
SELECT cmp_ok(dp_count(*), '<=', 1::bigint, 'groups that the person has one of') FROM (SELECT guest FROM stays42 JOIN lab.many42 m ON m.id = room WHERE guest = 42 GROUP BY guest) s;
RESET dpsens.noise;
SELECT attempt('groups of several people: ' || question, question, '(0A000|42501|55000)', regexp_replace(question, 'dp_', '', 'g'), '00000.\([1-9]')
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM (SELECT name FROM stays42 GROUP BY name HAVING count(*) > 900) s',
    'SELECT dp_sum(n) FROM (SELECT room, count(*) AS n FROM stays42 GROUP BY room) s',
    'SELECT dp_count(*) FROM (SELECT r.id FROM lab.rooms42 r LEFT JOIN stays42 s ON s.room = r.id GROUP BY r.id HAVING count(s.id) > 900) s',
    'SELECT dp_count(*) FROM (SELECT count(*) AS n FROM stays42) s WHERE n > 1000',
    'SELECT dp_count(*) FROM (SELECT guest / 100 AS g, count(*) AS n FROM stays42 GROUP BY 1) s',
    'SELECT dp_count(*) FROM (SELECT g.id FROM guests42 g JOIN stays42 s ON s.room >= 0 GROUP BY g.id HAVING count(*) > 1000) s',
    'SELECT dp_count(*) FROM (SELECT g.id FROM guests42 g LEFT JOIN stays42 s ON s.guest = g.id OR s.name = ''Zebedee'' GROUP BY g.id HAVING count(s.id) > 900) s',
    'SELECT dp_count(*) FROM (SELECT g.id FROM guests42 g LEFT JOIN stays42 s ON s.room = g.id % 7 GROUP BY g.id HAVING count(s.id) > 900) s',
    'SELECT dp_count(*) FROM (SELECT g.id FROM guests42 g LEFT JOIN stays42 s ON s.guest = g.id LEFT JOIN stays42 t ON t.room = s.room GROUP BY g.id HAVING count(t.id) > 900) s',
    'SELECT dp_count(*) FROM (SELECT guest FROM stays42 GROUP BY guest HAVING guest < (SELECT count(*) FROM stays42 WHERE name = ''Zebedee'')) s',
    'SELECT dp_count(*) FROM (SELECT guest, row_number() OVER (ORDER BY count(*) DESC) AS r FROM stays42 GROUP BY guest) s WHERE r = 1 OR guest > 3', 'SELECT dp_count(*) FROM (SELECT guest, sum(count(*)) OVER () AS r FROM stays42 GROUP BY guest) s WHERE r > 1000',
    'SELECT dp_count(*) FROM (SELECT guest, count(*) FROM stays42 GROUP BY GROUPING SETS ((guest), ()) HAVING guest IS NULL AND count(*) > 1000) s', 'SELECT dp_count(*) FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest ORDER BY n DESC LIMIT 1) s WHERE n > 900',
    'SELECT dp_count(*) FROM (SELECT n, count(*) AS m FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s GROUP BY n) t', 'SELECT dp_count(*) FROM lab.rooms42 r LEFT JOIN (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s ON s.guest = 42 WHERE n > 900'
]) question;
-- nobody sees what is below
SELECT attempt('inner values: ' || question, question, '(42501|0A000|42803|55000)', twin, 'Zebedee')
FROM (VALUES ('SELECT guest, count(*) FROM stays42 GROUP BY guest', 'SELECT name, count(*) FROM stays42 GROUP BY name'), ('SELECT n FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s', 'SELECT n FROM (SELECT name || count(*) AS n FROM stays42 GROUP BY name) s'),
    ('SELECT n, dp_count(*) FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s', 'SELECT name, count(*) FROM stays42 GROUP BY name'), ('SELECT max(n), dp_count(*) FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s', 'SELECT max(name), count(*) FROM stays42'),
    ('SELECT dp_count(*) FROM (SELECT guest, string_agg(name, '','') AS n FROM stays42 GROUP BY guest) s WHERE n LIKE ''Z%''', 'SELECT string_agg(name, '','') FROM stays42')) list (question, twin);
SELECT attempt('groups of one person', 'SELECT n, dp_count(*) FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s WHERE n > 500 GROUP BY n', '00000$', 'SELECT guest, count(*) FROM stays42 GROUP BY guest HAVING count(*) > 500', '00000.\(42');
SELECT attempt('the plan', 'EXPLAIN SELECT dp_count(*) FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s', '42501', 'EXPLAIN SELECT count(*) FROM (SELECT guest, count(*) AS n FROM stays42 GROUP BY guest) s', 'Scan');

SELECT attempt('another function sees the cells: ' || question, question, '0A000', regexp_replace(question, 'dp_', '', 'g'), 'Zebedee')
FROM unnest(ARRAY[
    'SELECT dp_sum(n) FROM (SELECT guest, lab.sum42(nights) AS n FROM stays42 GROUP BY guest) s',
    'SELECT dp_sum(n) FROM (SELECT guest, lab.sum(nights) AS n FROM stays42 GROUP BY guest) s',
    'SELECT dp_count(*) FROM (SELECT guest, count(lab.spy42(name)) AS n FROM stays42 GROUP BY guest) s WHERE n > 0',
    'SELECT dp_count(*) FROM (SELECT guest, count(*) FILTER (WHERE lab.spy42(name)) AS n FROM stays42 GROUP BY guest) s WHERE n > 0',
    'SELECT dp_count(*) FROM (SELECT guest, lab.spy42(name) FROM stays42 GROUP BY 1, 2) s',
    'SELECT dp_count(*) FROM (SELECT guest FROM stays42 GROUP BY guest HAVING lab.spy42(max(guest))) s',
    'SELECT dp_count(*) FROM (SELECT guest, max(guest) AS g FROM stays42 GROUP BY guest) s WHERE lab.spy42(g)',
    'SELECT dp_count(*) FROM (SELECT guest FROM stays42 WHERE lab.spy42(name) GROUP BY guest) s',
    'SELECT dp_count(*) FROM (SELECT guest, bool_and(lab.spy42(name)) AS b FROM stays42 GROUP BY guest) s WHERE b',
    'SELECT dp_count(*) FROM (SELECT g.id FROM guests42 g LEFT JOIN stays42 s ON s.guest = g.id AND lab.spy42(s.name) GROUP BY g.id) s'
]) question;

-- an error tells that the person is there: stays42 against plain42, whose outcomes must be the same
CREATE FUNCTION lab.same42(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    present text = replace(regexp_replace(lab.try('dpsens_attack_ana', replace(question, '%s', 'stays42')), '^00000.*', '00000'), 'stays42', 't');
    absent text = replace(regexp_replace(lab.try('dpsens_attack_ana', replace(question, '%s', 'plain42')), '^00000.*', '00000'), 'plain42', 't');
    plain text = regexp_replace(lab.try('dpsens_attack_reader', replace(regexp_replace(question, 'dp_', '', 'g'), '%s', 'stays42')), '^00000.*', '00000');
BEGIN
    PERFORM set_config('role', 'none', false);
    RETURN NEXT ok(present = absent AND present LIKE '00000%', question);
    IF present <> absent OR present NOT LIKE '00000%' THEN RETURN NEXT diag(present || E'\n' || absent); END IF;
    RETURN NEXT matches(plain, '^22', question || ': open to others');
END $$;
SELECT lab.same42(question) FROM unnest(ARRAY[
    'SELECT dp_count(*), dp_sum(n) FROM (SELECT guest, sum(nights) AS n FROM %s GROUP BY guest) s',
    'SELECT dp_count(*), dp_avg(n) FROM (SELECT guest, avg(nights * 10) AS n FROM %s GROUP BY guest) s',
    'SELECT dp_sum(n) FROM (SELECT guest, sum(bill) AS n FROM %s GROUP BY guest) s',
    'SELECT dp_sum(n) FROM (SELECT guest, avg(bill * bill) AS n FROM %s GROUP BY guest) s',
    'SELECT dp_count(*) FROM (SELECT guest, max(name::int) AS n FROM %s GROUP BY guest) s WHERE n > 0',
    'SELECT dp_count(*) FROM (SELECT guest, count(*) AS n FROM %s GROUP BY guest) s WHERE 1 / (n - 1003) >= 0',
    'SELECT dp_count(*) FROM (SELECT guest FROM %s GROUP BY guest HAVING 1 / (count(*) - 1003) >= 0) s',
    'SELECT dp_count(*) FROM (SELECT guest, count(*) FILTER (WHERE name::int > 0) AS n FROM %s GROUP BY guest) s WHERE n > 1',
    'SELECT dp_count(*) FROM (SELECT guest, name::int FROM %s GROUP BY 1, 2) s',
    'SELECT dp_sum(CASE WHEN n < 5 THEN 1 ELSE 2 END) FROM (SELECT guest, sum(nights)::int AS n FROM %s GROUP BY guest) s',
    'SELECT dp_sum(n) FROM (SELECT guest, max(nights)::int4 AS n FROM %s GROUP BY guest) s', 'SELECT dp_count(*) FROM (SELECT g.id, count(s.id) AS n FROM guests42 g LEFT JOIN %s s ON s.guest = g.id AND s.name::int > 0 GROUP BY g.id) s WHERE n > 0'
]) question;
-- sums do not tell in which order rows lie
SELECT attempt('the order of rows', ARRAY['SELECT dp_count(*) FROM (SELECT guest, array_agg(id) AS a FROM stays42 GROUP BY guest) s WHERE a[1] = 41'], '0A000', ARRAY['SELECT array_agg(name) FROM stays42'], 'Zebedee');

-- who pays, and what a plan outlives
SELECT COALESCE(sum(epsilon), 0) AS before FROM dpsens.releases WHERE role = 'dpsens_attack_ana' AND relation LIKE '%guests42' \gset
SET ROLE dpsens_attack_ana;
PREPARE p42 AS SELECT dp_count(true, 3.0) > -1000 FROM (SELECT g.id, count(s.id) AS n FROM guests42 g LEFT JOIN stays42 s ON s.guest = g.id GROUP BY g.id) s WHERE n > 1;
SELECT lives_ok('EXECUTE p42', 'prepared');
RESET ROLE;
SELECT is(sum(epsilon) - :before, 3::float8, 'all that is grouped pays') FROM dpsens.releases WHERE role = 'dpsens_attack_ana' AND relation LIKE '%guests42';
SET ROLE dpsens_attack_owner;
SELECT dpsens.revoke_budget('stays42', 'dpsens_attack_ana');
SET ROLE dpsens_attack_ana;
SELECT throws_ok('EXECUTE p42', '42501', NULL, 'a plan that outlives the budget of what is grouped');
RESET ROLE;
SELECT * FROM finish();
