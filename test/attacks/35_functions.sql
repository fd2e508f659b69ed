-- Row 35: functions that return rows of the table, take them, or run as
-- somebody else.
-- Files: guard/restrict/trigger_doors.c, ledger/sees_more.c.
\ir start.sql
SET ROLE dpsens_attack_ana;
CREATE FUNCTION lab.all_sql() RETURNS SETOF clinic.people STABLE LANGUAGE sql AS $$ SELECT * FROM clinic.people $$;
CREATE FUNCTION lab.all_volatile() RETURNS SETOF clinic.people LANGUAGE sql AS $$ SELECT * FROM clinic.people $$;
CREATE FUNCTION lab.all_block() RETURNS SETOF clinic.people LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM clinic.people; END $$;
CREATE FUNCTION lab.all_definer() RETURNS SETOF clinic.people SECURITY DEFINER STABLE LANGUAGE sql AS $$ SELECT * FROM clinic.people $$;
CREATE FUNCTION lab.all_table() RETURNS TABLE (name text) LANGUAGE sql BEGIN ATOMIC SELECT p.name FROM clinic.people p; END;
CREATE FUNCTION lab.one_name() RETURNS text STABLE LANGUAGE sql AS $$ SELECT name FROM clinic.people WHERE secret $$;
CREATE FUNCTION lab.name_of(clinic.people) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT $1.name $$;
CREATE FUNCTION lab.age_of(clinic.people) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1.secret THEN RAISE EXCEPTION '%', $1.name; END IF; RETURN $1.age; END $$;
CREATE FUNCTION lab.answer_and_rows() RETURNS text LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN SELECT dp_count(*) INTO n FROM clinic.people; RETURN (SELECT name FROM clinic.people WHERE secret); END $$;
CREATE FUNCTION lab.one_condition(text) RETURNS boolean STABLE LANGUAGE sql AS $$ SELECT $1 = 'a' $$;
CREATE PROCEDURE lab.proc(INOUT n text) LANGUAGE plpgsql AS $$ BEGIN n := (SELECT name FROM clinic.people WHERE secret); END $$;
CREATE AGGREGATE lab.gather(text) (SFUNC = textcat, STYPE = text, INITCOND = '');
RESET ROLE;
SELECT attempt('functions: ' || question, question, '(42501|0A000|42803|55000)', twin, 'Zebedee')
FROM (VALUES
    ('SELECT name FROM lab.all_sql() WHERE secret', 'SELECT name FROM lab.all_sql() WHERE secret'), ('SELECT name FROM lab.all_volatile()', 'SELECT name FROM lab.all_volatile()'), ('SELECT name FROM lab.all_block()', 'SELECT name FROM lab.all_block()'),
    ('SELECT name FROM lab.all_definer()', 'SELECT name FROM people'), ('SELECT name FROM lab.all_table()', 'SELECT name FROM lab.all_table()'), ('SELECT lab.one_name()', 'SELECT lab.one_name()'), ('SELECT dp_count(*), lab.one_name() FROM people', 'SELECT count(*), lab.one_name() FROM people'),
    ('SELECT dp_count(*) FROM lab.all_sql()', 'SELECT string_agg(name, '','') FROM lab.all_sql()'), ('SELECT dp_count(*) FROM people p WHERE lab.name_of(p) = ''a''',
    'SELECT lab.name_of(p) FROM people p'), ('SELECT lab.name_of(p) FROM people p', 'SELECT lab.name_of(p) FROM people p'), ('SELECT p.name_of FROM people p',
    'SELECT p.name_of FROM people p'),
    ('SELECT dp_sum(lab.age_of(p)) FROM people p', 'SELECT sum(lab.age_of(p)) FROM people p'),
    ('SELECT dp_sum(age) FILTER (WHERE lab.age_of(p) > 0) FROM people p WHERE age > 0',
    'SELECT sum(age) FILTER (WHERE lab.age_of(p) > 0) FROM people p WHERE age > 0'), ('SELECT lab.answer_and_rows()', 'SELECT lab.answer_and_rows()'),
    -- a second entry for the table, which the planner puts beside the one that is read for the answer
    ('SELECT q.n, s.name FROM (SELECT dp_count(*) AS n FROM people) q, lab.all_sql() s WHERE s.secret', 'SELECT q.n, s.name FROM (SELECT count(*) AS n FROM people) q, lab.all_sql() s WHERE s.secret'),
    ('WITH q AS (SELECT dp_count(*) AS n FROM people) SELECT (SELECT s.name FROM lab.all_sql() s WHERE s.secret AND n > -1e9) FROM q', 'WITH q AS (SELECT count(*) AS n FROM people) SELECT (SELECT s.name FROM lab.all_sql() s WHERE s.secret AND n > -1e9) FROM q'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.all_sql() s WHERE s.id = p.id AND s.secret)', 'SELECT name FROM people p WHERE EXISTS (SELECT FROM lab.all_sql() s WHERE s.id = p.id AND s.secret)'),
    ('SELECT dp_count(*) FROM people, lab.all_sql() s WHERE s.name = ''Zebedee''', 'SELECT s.name FROM people, lab.all_sql() s WHERE s.name = ''Zebedee'''),
    ('SELECT lab.gather(name), dp_count(*) FROM people', 'SELECT lab.gather(name), count(*) FROM people'),
    ('SELECT dp_count(*) FROM people WHERE lab.one_name() = ''Zebedee''', 'SELECT name FROM people WHERE lab.one_name() = ''Zebedee'' AND secret'),
    ('SELECT dp_count(*) + length(lab.one_name()) FROM people', 'SELECT lab.one_name()'),
    ('SELECT dp_count(*) FROM people HAVING lab.one_name() IS NOT NULL', 'SELECT max(name) FROM people HAVING lab.one_name() IS NOT NULL'), ('SELECT dp_count(*) FROM people ORDER BY lab.one_name()', 'SELECT max(name) FROM people ORDER BY lab.one_name()'),
    ('SELECT dp_count(*) FROM people LIMIT length((SELECT lab.one_name()))', 'SELECT max(name) FROM people LIMIT length((SELECT lab.one_name()))'), ('SELECT (SELECT lab.name_of(p)) FROM people p', 'SELECT (SELECT lab.name_of(p)) FROM people p')
) AS list (question, twin);
-- functions that run as somebody who may read, until their owner trusts them
SET ROLE dpsens_attack_owner;
CREATE FUNCTION clinic.owners35() RETURNS SETOF text SECURITY DEFINER STABLE LANGUAGE sql AS $$ SELECT name FROM clinic.people WHERE secret $$;
RESET ROLE;
GRANT EXECUTE ON FUNCTION clinic.owners35() TO PUBLIC;
SELECT attempt('an owner''s function: ' || question, question, '42501', question, 'Zebedee')
FROM unnest(ARRAY['SELECT * FROM clinic.owners35()', 'SELECT clinic.owners35()']) question;
SELECT attempt('an owner''s function beside an answer', 'SELECT (SELECT max(n) FROM clinic.owners35() n), dp_count(*) FROM people', '42501', 'SELECT (SELECT max(n) FROM clinic.owners35() n), count(*) FROM people', 'Zebedee');
DROP FUNCTION clinic.owners35();
-- of roles that may read a column alone, what shares rows with the table, or a view of it
CREATE ROLE dpsens_attack_partial;
GRANT ALL ON SCHEMA lab TO dpsens_attack_partial;
GRANT USAGE ON SCHEMA clinic TO dpsens_attack_partial;
SET ROLE dpsens_attack_owner;
CREATE VIEW clinic.view35 AS SELECT p.id, p.name FROM clinic.people p WHERE p.secret;
CREATE VIEW clinic.views35 AS SELECT v.name FROM clinic.view35 v;
CREATE MATERIALIZED VIEW clinic.kept35 AS SELECT s.name FROM clinic.staff s WHERE s.name = 'Zebedee';
RESET ROLE;
SET ROLE dpsens_attack_partial;
CREATE FUNCTION lab.partial35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT string_agg(name, ' ') FROM clinic.people WHERE name > 'A'); END $$;
CREATE FUNCTION lab.viewed35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(name) FROM clinic.views35); END $$;
CREATE FUNCTION lab.kept35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(name) FROM clinic.kept35); END $$;
CREATE FUNCTION lab.child35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(name) FROM clinic.nurses); END $$;
CREATE FUNCTION lab.seven35() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 7';
RESET ROLE;
SELECT is(lab.try('dpsens_attack_ana', 'SELECT lab.seven35()'), '00000|(7)', 'a function of who sees no more');
RESET ROLE;
-- a view of somebody who sees nothing shows nothing
SET ROLE dpsens_attack_nobody;
CREATE VIEW lab.nothing35 AS SELECT name FROM clinic.people;
GRANT SELECT ON lab.nothing35 TO dpsens_attack_partial;
RESET ROLE;
SELECT is(lab.try('dpsens_attack_ana', 'SELECT lab.seven35()'), '00000|(7)', 'nor by a view of who may read nothing');
RESET ROLE;
GRANT SELECT ON clinic.views35 TO dpsens_attack_partial, dpsens_attack_ana;
SELECT is(lab.try('dpsens_attack_ana', 'SELECT lab.seven35()'), '00000|(7)', 'nor by a view that both may read');
RESET ROLE;
REVOKE SELECT ON clinic.views35 FROM dpsens_attack_ana;
SELECT attempt('by a view of a view', 'SELECT lab.viewed35()', '42501', 'SELECT lab.viewed35()', 'Zebedee');
REVOKE SELECT ON clinic.views35 FROM dpsens_attack_partial;
GRANT SELECT (name) ON clinic.people TO dpsens_attack_partial;
SELECT attempt('by a column', 'SELECT lab.partial35()', '42501', 'SELECT lab.partial35()', 'Zebedee');
REVOKE SELECT (name) ON clinic.people FROM dpsens_attack_partial;
GRANT SELECT ON clinic.kept35 TO dpsens_attack_partial;
SELECT attempt('by a materialized view', 'SELECT lab.kept35()', '42501', 'SELECT lab.kept35()', 'Zebedee');
-- which keeps its rows when its owner may no longer read the table
RESET ROLE;
ALTER MATERIALIZED VIEW clinic.kept35 OWNER TO dpsens_attack_nobody;
SELECT attempt('by what a materialized view has kept', 'SELECT lab.kept35()', '42501', 'SELECT lab.kept35()', 'Zebedee');
REFRESH MATERIALIZED VIEW clinic.kept35 WITH NO DATA;
SELECT is(lab.try('dpsens_attack_ana', 'SELECT lab.seven35()'), '00000|(7)', 'but not by one without rows');
RESET ROLE;
REVOKE SELECT ON clinic.kept35 FROM dpsens_attack_partial;
GRANT SELECT ON clinic.nurses TO dpsens_attack_partial;
SELECT attempt('by a child', 'SELECT lab.child35()', '42501', 'SELECT lab.child35()', 'Zebedee');
DROP VIEW lab.nothing35, clinic.views35, clinic.view35;
DROP MATERIALIZED VIEW clinic.kept35;
DROP OWNED BY dpsens_attack_partial;
DROP ROLE dpsens_attack_partial;
-- as functions of triggers on tables of one's own, which the server calls without asking
SET ROLE dpsens_attack_owner;
CREATE FUNCTION clinic.trigger35() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'INSERT' THEN NEW.n = (SELECT name FROM clinic.people WHERE secret); RETURN NEW; END IF;
    RAISE 'there is %', (SELECT name FROM clinic.people WHERE secret); END $$;
RESET ROLE;
SET ROLE dpsens_attack_reader;
CREATE TABLE lab.rows35 (n text);
CREATE TRIGGER any35 BEFORE INSERT OR UPDATE OR DELETE ON lab.rows35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
CREATE TABLE lab.parts35 (n text) PARTITION BY LIST (n);
CREATE TABLE lab.part35 PARTITION OF lab.parts35 DEFAULT;
CREATE TRIGGER any35 BEFORE INSERT OR UPDATE OR DELETE ON lab.part35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
CREATE VIEW lab.seen35 AS SELECT n FROM lab.rows35;
CREATE TRIGGER any35 INSTEAD OF INSERT ON lab.seen35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
CREATE TABLE lab.emptied35 (n text);
CREATE TRIGGER any35 BEFORE TRUNCATE ON lab.emptied35 EXECUTE FUNCTION clinic.trigger35();
CREATE TABLE lab.late35 (n text);
CREATE CONSTRAINT TRIGGER any35 AFTER UPDATE ON lab.late35 DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
INSERT INTO lab.late35 VALUES ('x');
CREATE TABLE lab.key35 (k int PRIMARY KEY);
CREATE TABLE lab.refers35 (k int REFERENCES lab.key35 ON DELETE CASCADE, n text);
INSERT INTO lab.key35 VALUES (1);
INSERT INTO lab.refers35 VALUES (1);
CREATE TRIGGER any35 BEFORE DELETE ON lab.refers35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
GRANT ALL ON lab.rows35, lab.parts35, lab.part35, lab.seen35, lab.emptied35, lab.late35, lab.key35 TO PUBLIC;
RESET ROLE;
SELECT attempt('an owner''s function in a trigger: ' || question, question, '42501', question, 'Zebedee')
FROM unnest(ARRAY['INSERT INTO lab.rows35 VALUES ('''') RETURNING n', 'WITH w AS (INSERT INTO lab.rows35 VALUES ('''') RETURNING n) SELECT n FROM w', 'INSERT INTO lab.parts35 VALUES ('''') RETURNING n',
    'INSERT INTO lab.part35 VALUES ('''') RETURNING n', 'INSERT INTO lab.seen35 VALUES ('''') RETURNING n',
    'MERGE INTO lab.rows35 USING (VALUES (1)) AS v ON false WHEN NOT MATCHED THEN INSERT VALUES (''x''); DELETE FROM lab.rows35', 'TRUNCATE lab.emptied35',
    'UPDATE lab.late35 SET n = n; SET CONSTRAINTS ALL IMMEDIATE']) question;
-- before there is a row to write, and so before anything is charged
SELECT matches(lab.try('dpsens_attack_ana', 'INSERT INTO lab.' || t || ' SELECT '''' WHERE false'), '^42501', 'without rows for ' || t) FROM unnest(ARRAY['rows35', 'parts35']) t;
RESET ROLE;
\setenv COPY 'SET ROLE dpsens_attack_ana; COPY lab.rows35 FROM STDIN'
\set said `printf 'x\n' | psql -XAtq -c "$COPY" 2>&1`
SELECT matches(:'said'::text, 'permission denied for function .*trigger35', 'an owner''s function in a trigger: COPY');
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.own35 (n text);
CREATE TRIGGER any35 BEFORE INSERT ON lab.own35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
CREATE TABLE lab.own_key35 (k int PRIMARY KEY);
CREATE TABLE lab.own_refers35 (k int REFERENCES lab.own_key35 ON DELETE CASCADE);
INSERT INTO lab.own_key35 VALUES (1);
INSERT INTO lab.own_refers35 VALUES (1);
CREATE TRIGGER any35 BEFORE DELETE ON lab.own_refers35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
RESET ROLE;
SELECT attempt('on a table of one''s own', 'INSERT INTO lab.own35 VALUES ('''') RETURNING n', '42501', 'INSERT INTO lab.rows35 VALUES ('''') RETURNING n', 'Zebedee');
SELECT attempt('by a foreign key', 'DELETE FROM lab.own_key35', '42501', 'DELETE FROM lab.key35', 'Zebedee');
-- a trigger that the statement makes itself, on a partition that it has not come to
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.own_parts35 (k int, n text) PARTITION BY LIST (k);
CREATE TABLE lab.own_part35 PARTITION OF lab.own_parts35 FOR VALUES IN (1);
CREATE FUNCTION lab.made35() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    CREATE TRIGGER made35 BEFORE INSERT ON lab.own_part35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35(); RETURN NULL; END $$;
CREATE TRIGGER making35 BEFORE INSERT ON lab.own_parts35 EXECUTE FUNCTION lab.made35();
RESET ROLE;
SELECT attempt('a trigger that the statement makes', 'INSERT INTO lab.own_parts35 VALUES (1, '''') RETURNING n', '42501', 'INSERT INTO lab.rows35 VALUES ('''') RETURNING n', 'Zebedee');
-- by a function, and a foreign key, of somebody who sees no more, and to whom doors are open
SET ROLE dpsens_attack_owner;
CREATE FUNCTION clinic.door35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT name FROM clinic.people WHERE secret); END $$;
CREATE FUNCTION clinic.opened35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN INSERT INTO lab.rows35 VALUES ('') RETURNING n INTO r; RETURN r || lab.by_nobody35(); END $$;
SECURITY LABEL FOR dpsens ON FUNCTION clinic.opened35() IS 'TRUSTED';
RESET ROLE;
SET ROLE dpsens_attack_nobody;
CREATE FUNCTION lab.by_nobody35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN clinic.door35(); END $$;
CREATE FUNCTION lab.opened_by_nobody35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN clinic.opened35(); END $$;
CREATE FUNCTION lab.fails35() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN 1 / 0; END $$;
CREATE TABLE lab.his_key35 (k int PRIMARY KEY);
CREATE TABLE lab.his_refers35 (k int REFERENCES lab.his_key35 ON DELETE CASCADE, n text);
INSERT INTO lab.his_key35 VALUES (1);
INSERT INTO lab.his_refers35 VALUES (1);
CREATE TRIGGER any35 BEFORE DELETE ON lab.his_refers35 FOR EACH ROW EXECUTE FUNCTION clinic.trigger35();
GRANT ALL ON lab.his_key35 TO PUBLIC;
RESET ROLE;
SELECT attempt('a function of who sees no more, which calls one of who does', 'SELECT lab.by_nobody35()', '42501', 'SELECT lab.by_nobody35()', 'Zebedee');
SELECT attempt('a foreign key of who sees no more', 'DELETE FROM lab.his_key35', '42501', 'DELETE FROM lab.his_key35', 'Zebedee');
SELECT is(lab.try('dpsens_attack_ana', 'SELECT clinic.opened35()'), '00000|(ZebedeeZebedee)', 'but what a trusted function calls, and writes, is its owner''s');
RESET ROLE;
SELECT is(lab.try('dpsens_attack_ana', 'SELECT lab.opened_by_nobody35()'), '00000|(ZebedeeZebedee)', 'and others may call it');
RESET ROLE;
SELECT lab.try('dpsens_attack_ana', 'SELECT lab.fails35()'), lab.try('dpsens_attack_ana', 'SELECT lab.by_nobody35()') FROM generate_series(1, 3) \g /dev/null
RESET ROLE;
SELECT attempt('after errors within others', 'SELECT lab.by_nobody35()', '42501', 'SELECT lab.by_nobody35()', 'Zebedee');
SELECT is(lab.try('dpsens_attack_ana', 'SELECT clinic.opened35()'), '00000|(ZebedeeZebedee)', 'nor do errors close what is open');
RESET ROLE;
DROP FUNCTION lab.by_nobody35(), lab.opened_by_nobody35(), lab.fails35(), clinic.opened35(), clinic.door35();
DROP TABLE lab.own_parts35, lab.his_key35, lab.his_refers35 CASCADE;
DROP FUNCTION lab.made35();
SELECT attempt('without the trigger', ARRAY['ALTER TABLE lab.own35 DISABLE TRIGGER any35', 'INSERT INTO lab.own35 VALUES (''plain'') RETURNING n'], '(.*\n)*00000\|\(plain\)', ARRAY['INSERT INTO lab.rows35 VALUES ('''') RETURNING n'], 'Zebedee');
SECURITY LABEL FOR dpsens ON FUNCTION clinic.trigger35() IS 'TRUSTED';
SELECT is(lab.try('dpsens_attack_ana', 'INSERT INTO lab.rows35 VALUES ('''') RETURNING n'), '00000|(Zebedee)', 'until its owner trusts it');
RESET ROLE;
DROP TABLE lab.rows35, lab.parts35, lab.emptied35, lab.late35, lab.key35, lab.refers35, lab.own35, lab.own_key35, lab.own_refers35 CASCADE;
DROP FUNCTION clinic.trigger35();
SELECT attempt('a procedure', ARRAY['CALL lab.proc(NULL)', 'DO $$ DECLARE n text; BEGIN CALL lab.proc(n); RAISE ''%'', n; END $$'], '42501', ARRAY['DO $$ DECLARE n text; BEGIN CALL lab.proc(n); RAISE ''%'', n; END $$'], 'Zebedee');
SELECT attempt('a function''s settings: ' || clause,
    ARRAY[format('CREATE FUNCTION lab.set35() RETURNS text LANGUAGE plpgsql %s AS $$ BEGIN RETURN (SELECT name FROM clinic.people WHERE secret); END $$', clause),
    'SELECT lab.set35()', 'DROP FUNCTION IF EXISTS lab.set35()'], '(.*\n)*42501', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee')
FROM unnest(ARRAY['SET row_security = off', 'SECURITY DEFINER', 'SET search_path = clinic', 'LEAKPROOF']) clause;
-- the session's role may not become just anybody
CREATE FUNCTION lab.become35(who text) RETURNS text LANGUAGE sql AS $$ SELECT format('SET SESSION AUTHORIZATION %s; CREATE FUNCTION pg_temp.become() RETURNS text SET role = dpsens_attack_reader LANGUAGE plpgsql AS %L; SELECT pg_temp.become(); SET ROLE dpsens_attack_reader; SELECT name FROM people WHERE secret',
    who, 'BEGIN RETURN (SELECT name FROM clinic.people WHERE secret); END') $$;
SELECT lab.become35('dpsens_attack_ana') AS ana, lab.become35(CURRENT_USER) AS super \gset
\setenv ASK :ana
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT doesnt_match(:'said'::text, 'Zebedee', 'a function that runs as another role');
\setenv ASK :super
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT matches(:'said'::text, 'Zebedee', 'a function that runs as another role: open to others');
SELECT attempt('becoming somebody else: ' || statement, statement, '42501', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['ALTER FUNCTION lab.all_sql() OWNER TO dpsens_attack_owner', 'ALTER ROLE dpsens_attack_ana SUPERUSER', 'GRANT pg_read_all_data TO dpsens_attack_ana', 'SELECT pg_read_file(''postgresql.conf'')', 'COPY clinic.people TO PROGRAM ''cat''', 'SELECT lo_import(''/etc/passwd'')',
    'CREATE FUNCTION lab.c35() RETURNS int LANGUAGE c AS ''$libdir/dpsens''', 'SELECT pg_ls_dir(''base'')', 'SELECT pg_log_backend_memory_contexts(pg_backend_pid())']) statement;
-- of whoever asks and of no row: the planner of a session calls it, a room does not
CREATE FUNCTION lab.tossed35(text) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$;
SELECT current_setting('dpsens.clean_rooms') <> '0' AS rooms \gset
SELECT matches(lab.try('dpsens_attack_ana', 'SELECT count(*) > 0 FROM (SELECT member, CASE WHEN lab.tossed35(''x'') THEN id % 2 ELSE 3 END AS half, dp_count(true, 60) AS n FROM people WHERE NOT secret GROUP BY 1, 2) q'),
    CASE WHEN :'rooms' THEN '^0A000' ELSE '^00000\|\(t\)' END, 'a function of no row in a key');
SELECT * FROM finish();
