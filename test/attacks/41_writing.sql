-- Statements that write, and what they give back, or set up for later.
\ir start.sql
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.mine41 (id int PRIMARY KEY, t text);
INSERT INTO lab.mine41 VALUES (42, 'x');
CREATE FUNCTION lab.see41() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '%', NEW; RETURN NEW; END $$;
GRANT ALL ON lab.mine41 TO PUBLIC;
RESET ROLE;
-- each in a transaction of its own that comes to nothing, for the reader too
CREATE FUNCTION lab.undone(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    r record;
    said text = '';
BEGIN
    IF statement ~ 'RETURNING' THEN
        FOR r IN EXECUTE statement LOOP said := said || r::text; END LOOP;
    ELSE
        EXECUTE statement;
        said := (SELECT coalesce(string_agg(t, ','), '') FROM lab.mine41);
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'P0099', MESSAGE = 'did ' || said;
END $$;
SELECT attempt(statement, format('SELECT lab.undone(%L)', statement), '(42501|0A000|55000|42|0L)', format('SELECT lab.undone(%L)', twin), 'P0099')
FROM (SELECT s, regexp_replace(s, 'dp_', '', 'g') FROM unnest(ARRAY['DELETE FROM people WHERE secret RETURNING name',
    'UPDATE people SET note = note WHERE secret RETURNING name', 'UPDATE people SET age = 1e300',
    'INSERT INTO people (id, age, pay, name, feels, born, seen, member, secret, tags) VALUES (1000, 1, 1, ''n'', ''sad'', now(), now(), true, false, ''{}'') RETURNING id',
        'INSERT INTO people (id, age, pay, name, feels, born, seen, member, secret, tags) VALUES (42, 1, 1, ''n'', ''sad'', now(), now(), true, false, ''{}'') ON CONFLICT (id) DO UPDATE SET note = people.name RETURNING note',
        'INSERT INTO people (id, age, pay, name, feels, born, seen, member, secret, tags) VALUES (42, 1, 1, ''n'', ''sad'', now(), now(), true, false, ''{}'') ON CONFLICT DO NOTHING RETURNING id',
        'INSERT INTO lab.mine41 SELECT id + 1000, name FROM people',
        'INSERT INTO lab.mine41 SELECT id, name FROM people WHERE secret ON CONFLICT (id) DO UPDATE SET t = excluded.t',
        'UPDATE lab.mine41 m SET t = p.name FROM people p WHERE p.id = m.id', 'UPDATE lab.mine41 SET t = (SELECT name FROM people WHERE secret)',
        'DELETE FROM lab.mine41 m USING people p WHERE p.id = m.id AND p.secret RETURNING p.name',
        'MERGE INTO lab.mine41 m USING people p ON p.id = m.id WHEN MATCHED THEN UPDATE SET t = p.name',
        'MERGE INTO people p USING lab.mine41 m ON p.id = m.id WHEN MATCHED THEN UPDATE SET note = m.t',
        'WITH d AS (DELETE FROM people WHERE secret RETURNING name) SELECT * FROM d /* RETURNING */',
        'WITH i AS (INSERT INTO lab.mine41 SELECT 1000 + id, name FROM people RETURNING t) SELECT * FROM i /* RETURNING */',
        'UPDATE lab.mine41 SET t = (SELECT dp_count(*) FROM people)::text', 'DELETE FROM lab.mine41 WHERE id > (SELECT dp_count(*) FROM people)',
        'MERGE INTO lab.mine41 m USING (SELECT dp_count(*) AS n FROM people) s ON m.id = s.n WHEN NOT MATCHED THEN INSERT VALUES (1, ''n'')',
        'WITH u AS (UPDATE lab.mine41 SET t = ''y'' RETURNING id) SELECT dp_count(*) FROM people /* RETURNING */',
        'CREATE TABLE lab.into41 AS TABLE people', 'TRUNCATE people', 'LOCK TABLE people IN ACCESS EXCLUSIVE MODE']) s) list (statement, twin);
SELECT attempt('later: ' || statement, statement, '(42501|42809|0A000|42P17)', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['CREATE TRIGGER t41 BEFORE UPDATE ON clinic.people FOR EACH ROW EXECUTE FUNCTION lab.see41()',
    'CREATE TRIGGER t41 AFTER INSERT ON clinic.wards_old FOR EACH ROW EXECUTE FUNCTION lab.see41()',
    'CREATE RULE r41 AS ON SELECT TO clinic.people DO INSTEAD SELECT * FROM clinic.others',
    'CREATE RULE r41 AS ON UPDATE TO clinic.people DO ALSO INSERT INTO lab.mine41 VALUES (OLD.id, OLD.name)',
    'CREATE TABLE lab.fk41 (id int REFERENCES clinic.people (id))', 'ALTER TABLE lab.mine41 ADD FOREIGN KEY (id) REFERENCES clinic.people',
    'CREATE TABLE lab.child41 () INHERITS (clinic.people)', 'ALTER TABLE clinic.people INHERIT lab.mine41',
    'CREATE TABLE clinic.part41 PARTITION OF clinic.wards FOR VALUES FROM (2000) TO (3000)', 'ALTER TABLE clinic.wards DETACH PARTITION clinic.wards_old',
    'CREATE TABLE lab.like41 (LIKE clinic.people INCLUDING ALL)', 'ALTER TABLE clinic.people DISABLE ROW LEVEL SECURITY',
    'ALTER TABLE clinic.walled NO FORCE ROW LEVEL SECURITY', 'CREATE POLICY p41 ON clinic.walled USING (true)', 'ALTER POLICY own ON clinic.walled USING (true)',
    'ALTER TABLE clinic.people ADD col int GENERATED ALWAYS AS (id * 2) STORED',
    'ALTER TABLE clinic.people ALTER name TYPE int USING name::int', 'CREATE UNIQUE INDEX u41 ON clinic.people (secret)',
    'CREATE INDEX ON clinic.people ((1 / (id - 42)))', 'GRANT SELECT ON clinic.people TO dpsens_attack_ana',
    'ALTER DEFAULT PRIVILEGES FOR ROLE dpsens_attack_owner GRANT SELECT ON TABLES TO dpsens_attack_ana', 'CREATE PUBLICATION pub41 FOR TABLE clinic.people',
    'DROP TABLE clinic.people', 'ALTER TYPE lab.mood ADD VALUE ''Zeb''', 'CREATE OPERATOR CLASS lab.ops41 DEFAULT FOR TYPE lab.mood USING hash AS OPERATOR 1 =',
    'ALTER FUNCTION clinic.double_age(clinic.people) RENAME TO x',
    'CREATE OR REPLACE FUNCTION clinic.double_age(clinic.people) RETURNS float8 LANGUAGE sql AS ''SELECT 1.0::float8''']) statement;
-- rules on one's own table run as oneself
SELECT attempt('a rule of one''s own', ARRAY['CREATE TABLE lab.ruled41 (n text)',
    'CREATE RULE also AS ON INSERT TO lab.ruled41 DO ALSO INSERT INTO lab.mine41 SELECT id + 5000, name FROM clinic.people', 'INSERT INTO lab.ruled41 VALUES (1)',
    'DROP TABLE lab.ruled41'], '(.*\n)*42501', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee');
-- an answer may be kept, once for each charge
SELECT lab.charged() AS before \gset
SELECT attempt('answers are kept', ARRAY['INSERT INTO lab.mine41 SELECT 1, dp_count(*)::text FROM people ON CONFLICT (id) DO UPDATE SET t = excluded.t',
    'WITH i AS (INSERT INTO lab.mine41 SELECT 2, dp_sum(age)::text FROM people RETURNING t) SELECT count(*) FROM i', 'SELECT count(*) FROM lab.mine41 WHERE id < 3'],
    '00000
00000.\(1\)
00000.\(2\)', ARRAY['SELECT count(*) FROM lab.mine41'], '[23]');
SELECT is(lab.charged() - :before, 2::bigint, 'and paid');
SELECT * FROM finish();
