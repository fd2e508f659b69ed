-- Row 18 again: beside rows that one may not read one uses what an owner of them has
-- declared to be public, and other tables where the budget says so.
\ir start.sql
SET dpsens.epsilon = 60;
CREATE ROLE dpsens_attack_bob;
CREATE ROLE dpsens_attack_group;
GRANT dpsens_attack_group TO dpsens_attack_ana;
CREATE TABLE clinic.known52 (k int PRIMARY KEY, city text NOT NULL);
INSERT INTO clinic.known52 SELECT i, CASE WHEN i = 42 THEN 'Zebedee' ELSE 'C' || i % 10 END FROM generate_series(1, 400) i;
CREATE TABLE clinic.unsaid52 (LIKE clinic.known52 INCLUDING ALL);
CREATE TABLE clinic.bobs52 (LIKE clinic.known52 INCLUDING ALL);
CREATE TABLE clinic.supers52 (LIKE clinic.known52 INCLUDING ALL);
CREATE TABLE clinic.guarded52 (id int PRIMARY KEY);
INSERT INTO clinic.guarded52 SELECT i FROM generate_series(1, 400) i;
INSERT INTO clinic.unsaid52 TABLE clinic.known52;
INSERT INTO clinic.bobs52 TABLE clinic.known52;
INSERT INTO clinic.supers52 TABLE clinic.known52;
ALTER TABLE clinic.known52 OWNER TO dpsens_attack_owner;
ALTER TABLE clinic.unsaid52 OWNER TO dpsens_attack_owner;
ALTER TABLE clinic.guarded52 OWNER TO dpsens_attack_owner;
ALTER TABLE clinic.bobs52 OWNER TO dpsens_attack_bob;
GRANT SELECT ON clinic.known52, clinic.unsaid52, clinic.bobs52, clinic.supers52 TO PUBLIC;
GRANT SELECT ON clinic.guarded52 TO dpsens_attack_reader;
GRANT USAGE ON SCHEMA clinic TO dpsens_attack_bob;
SELECT dpsens.set_public('supers52') \g /dev/null
SET ROLE dpsens_attack_owner;
SELECT dpsens.set_public('known52'), dpsens.protect('guarded52', unit => 'id'), dpsens.grant_budget('guarded52', 'dpsens_attack_ana', epsilon => 100000) \g /dev/null
CREATE VIEW known_view52 AS SELECT * FROM known52;
CREATE VIEW unsaid_view52 AS SELECT * FROM unsaid52;
CREATE VIEW joined_view52 AS SELECT g.id FROM guarded52 g JOIN unsaid52 u ON u.k = g.id WHERE u.city = 'C1';
GRANT SELECT ON known_view52, unsaid_view52, joined_view52 TO PUBLIC;
SET ROLE dpsens_attack_bob;
SELECT dpsens.set_public('bobs52') \g /dev/null
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.mine52 AS TABLE clinic.known52;
ALTER TABLE lab.mine52 ADD PRIMARY KEY (k);
SELECT dpsens.set_public('lab.mine52') \g /dev/null
RESET ROLE;
GRANT SELECT ON lab.mine52 TO PUBLIC;

CREATE TEMP TABLE asked52 (tab text, is_known boolean);
INSERT INTO asked52 VALUES ('known52', true), ('supers52', true), ('known_view52', true), ('unsaid52', false), ('unsaid_view52', false), ('bobs52', false), ('lab.mine52', false);
CREATE TEMP TABLE ways52 (question text, answer text);
INSERT INTO ways52 VALUES
    ('SELECT dp_count(*) FROM guarded52 g JOIN %s w ON w.k = g.id WHERE w.city = ''C1''', '(40)'),
    ('SELECT dp_count(*) FROM guarded52 g LEFT JOIN %s w ON w.k = g.id AND w.city = ''C1'' WHERE w.k IS NULL', '(360)'),
    ('SELECT dp_count(*) FROM guarded52 g WHERE EXISTS (SELECT FROM %s w WHERE w.k = g.id AND w.city = ''C1'')', '(40)'),
    ('SELECT dp_count(*) FROM guarded52 g WHERE g.id NOT IN (SELECT k FROM %s WHERE city = ''C1'')', '(360)'),
    ('SELECT dp_count(*) FROM (SELECT g.id FROM guarded52 g JOIN %s w ON w.k = g.id WHERE w.city = ''C1'') q', '(40)'),
    ('WITH w AS (SELECT k FROM %s WHERE city = ''C1'') SELECT dp_count(*) FROM guarded52 g JOIN w ON w.k = g.id', '(40)');
CREATE FUNCTION pg_temp.tried(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text = lab.try('dpsens_attack_ana', question);
BEGIN
    PERFORM set_config('role', 'none', false);
    RETURN said;
END $$;
CREATE FUNCTION pg_temp.asked(what text, granted boolean) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT CASE WHEN is_known OR granted
        THEN is(pg_temp.tried(format(question, tab)), '00000|' || answer, what || ': ' || format(question, tab))
        ELSE matches(pg_temp.tried(format(question, tab)),
            '^42501\|relation "[a-z]+52" cannot be used beside relation "guarded52" by a role without SELECT privilege on it\|[^|]*\|The owner of relation "guarded52" can declare it.\|+$',
            what || ': ' || format(question, tab)) END
    FROM asked52, ways52;
$$;
SELECT pg_temp.asked('what is declared', false);

-- it is about what is read beside private rows, by those who may not read these
SELECT is(lab.try('dpsens_attack_ana', 'SELECT dp_count(*), (SELECT count(*) FROM lab.mine52) FROM guarded52', 'SELECT q.n, m.k FROM (SELECT dp_count(*) AS n FROM guarded52) q JOIN lab.mine52 m ON m.k = q.n',
    'WITH m AS (SELECT k FROM lab.mine52) SELECT dp_count(*) FROM guarded52'), E'00000|(400,400)\n00000|(400,400)\n00000|(400)', 'beside answers anything');
RESET ROLE;
SELECT is(lab.try('dpsens_attack_reader', 'SELECT dp_count(*) FROM guarded52 g JOIN lab.mine52 w ON w.k = g.id'), '00000|(400)', 'who may read it, too');
RESET ROLE;
SELECT is(lab.try('dpsens_attack_ana', 'SELECT dp_count(*) FROM joined_view52'), '00000|(40)', 'a view of the owner joins what it likes');
RESET ROLE;
SELECT matches(lab.try('dpsens_attack_ana', 'CREATE TEMP TABLE t52 AS TABLE known52', 'ALTER TABLE t52 ADD PRIMARY KEY (k)', 'SELECT dpsens.set_public(''t52'')', 'SELECT dp_count(*) FROM guarded52 g JOIN t52 w ON w.k = g.id'),
    '42501\|relation "t52" cannot be used beside relation "guarded52"', 'a temporary table');
RESET ROLE;

-- whose budget says so
SELECT dpsens.grant_budget('guarded52', 'dpsens_attack_group', epsilon => 100000, own_tables => true) \g /dev/null
SELECT matches(pg_temp.tried('SELECT dp_count(*) FROM guarded52 g JOIN lab.mine52 w ON w.k = g.id'), '^42501', 'a budget of one''s own counts before that of a group');
SELECT is((SELECT own_tables FROM dpsens.budgets WHERE relation = 'guarded52'::regclass AND role = 'dpsens_attack_ana'), false, 'shown to the owner');
SELECT dpsens.revoke_budget('guarded52', 'dpsens_attack_ana') \g /dev/null
SELECT is(pg_temp.tried('SELECT dp_count(*) FROM guarded52 g JOIN lab.mine52 w ON w.k = g.id'), '00000|(400)', 'that of a group');
SELECT is(pg_temp.tried('SELECT own_tables FROM dpsens.my_budget WHERE relation = ''guarded52''::regclass'), '00000|(t)', 'shown to its members');
SELECT dpsens.grant_budget('guarded52', 'dpsens_attack_ana', epsilon => 100000, own_tables => true) \g /dev/null
SELECT pg_temp.asked('own tables', true);
SELECT is(pg_temp.tried('SELECT own_tables FROM dpsens.my_budget WHERE relation = ''guarded52''::regclass'), '00000|(t)', 'shown to whoever has it');

-- a plan that outlives the leave
SET ROLE dpsens_attack_ana;
PREPARE mine52 AS SELECT dp_count(*) FROM guarded52 g JOIN lab.mine52 w ON w.k = g.id;
PREPARE known52 AS SELECT dp_count(*) FROM guarded52 g JOIN known52 w ON w.k = g.id;
SELECT results_eq('EXECUTE mine52', ARRAY[400::bigint], 'a plan over a table of one''s own');
SELECT results_eq('EXECUTE known52', ARRAY[400::bigint], 'and over one that is declared');
BEGIN;
DECLARE c52 CURSOR FOR SELECT dp_count(*) FROM guarded52 g JOIN lab.mine52 w ON w.k = g.id;
\! psql -Xq -c "SELECT dpsens.grant_budget('clinic.guarded52', 'dpsens_attack_ana', own_tables => false)" >/dev/null 2>&1
SELECT throws_ok('FETCH c52', '42501', NULL, 'a cursor that outlives own_tables');
COMMIT;
SELECT throws_ok('EXECUTE mine52', '42501', NULL, 'a plan that does');
SELECT results_eq('EXECUTE known52', ARRAY[400::bigint], 'what is declared needs none');
BEGIN;
DECLARE d52 CURSOR FOR SELECT dp_count(*) FROM guarded52 g JOIN known52 w ON w.k = g.id;
\! psql -Xq -c "SELECT dpsens.unprotect('clinic.known52')" >/dev/null
SELECT throws_ok('FETCH d52', '42501', NULL, 'a cursor that outlives the declaration');
COMMIT;
SELECT throws_ok('EXECUTE known52', '42501', NULL, 'a plan that does, too');
RESET ROLE;
SELECT dpsens.set_public('known52') \g /dev/null
SET ROLE dpsens_attack_ana;
SELECT results_eq('EXECUTE known52', ARRAY[400::bigint], 'declared again');
RESET ROLE;
ALTER TABLE known52 OWNER TO dpsens_attack_bob;
SET ROLE dpsens_attack_ana;
SELECT throws_ok('EXECUTE known52', '42501', NULL, 'of another owner the declaration says nothing');
RESET ROLE;
GRANT dpsens_attack_owner TO dpsens_attack_bob;
SET ROLE dpsens_attack_ana;
SELECT results_eq('EXECUTE known52', ARRAY[400::bigint], 'unless he owns the protected relation, too');
RESET ROLE;
SELECT * FROM finish();
