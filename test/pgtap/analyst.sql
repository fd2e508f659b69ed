-- A role with a budget and no SELECT privilege: what it is answered, and ways to
-- single rows that a careless build leaves open.  Beside each attack stands what
-- a role that may read the table gets, so that an attack that would not work
-- anywhere is noticed.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(274);

CREATE ROLE analyst_tap_owner;
CREATE ROLE analyst_tap_ana;
CREATE ROLE analyst_tap_group;
CREATE ROLE analyst_tap_member IN ROLE analyst_tap_group;
CREATE ROLE analyst_tap_reader;
CREATE ROLE analyst_tap_nobody;
CREATE SCHEMA analyst_tap;
GRANT ALL ON SCHEMA analyst_tap TO PUBLIC;
SET search_path = analyst_tap, public;
SET dpsens.epsilon = 4;

-- Row 42 is the one to be found.
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, n numeric, name text NOT NULL, note varchar, feels mood NOT NULL,
    born date NOT NULL, seen timestamptz, secret boolean NOT NULL, pad char(4));
INSERT INTO t SELECT i, i % 50, i / 10.0, 'name' || i, CASE WHEN i % 2 = 0 THEN 'even' END, CASE WHEN i % 4 = 0 THEN 'sad' ELSE 'happy' END::mood,
    '1980-01-01'::date + i, '2020-01-01'::timestamptz + i * interval '1 day', i = 42, 'p' FROM generate_series(1, 1000) i;
UPDATE t SET name = 'Zebedee42' WHERE id = 42;
CREATE TABLE other (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO other SELECT i, 1 FROM generate_series(1, 500) i;
CREATE TABLE parent (id int NOT NULL, x float8 NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF parent FOR VALUES FROM (0) TO (1000);
INSERT INTO parent SELECT i, 1 FROM generate_series(1, 300) i;
CREATE TABLE walled (id int PRIMARY KEY, whose name NOT NULL, x float8 NOT NULL);
INSERT INTO walled SELECT i, CASE WHEN i <= 700 THEN 'analyst_tap_ana' ELSE 'analyst_tap_member' END, 1 FROM generate_series(1, 1000) i;
CREATE POLICY own ON walled USING (whose = CURRENT_USER);
ALTER TABLE walled ENABLE ROW LEVEL SECURITY;
ALTER TABLE t OWNER TO analyst_tap_owner;
ALTER TABLE other OWNER TO analyst_tap_owner;
ALTER TABLE parent OWNER TO analyst_tap_owner;
ALTER TABLE part1 OWNER TO analyst_tap_owner;
ALTER TABLE walled OWNER TO analyst_tap_owner;
ANALYZE t;
GRANT SELECT ON t, other, parent, part1 TO analyst_tap_reader;
SET ROLE analyst_tap_owner;
DO $$ BEGIN
    PERFORM dpsens.protect(r, adjacency => 'add_remove') FROM unnest('{t, other, parent, walled}'::regclass[]) r;
    PERFORM dpsens.set_range(r, 'x', 0, 50) FROM unnest('{t, other, parent, walled}'::regclass[]) r;
    PERFORM dpsens.set_range('t', 'id', 0, 1000);
    PERFORM dpsens.register('twice', 't', 'x * 2');
END $$;
GRANT EXECUTE ON FUNCTION twice(t) TO PUBLIC;
DO $$ BEGIN
    PERFORM dpsens.grant_budget(r, g, epsilon => 100000, own_tables => true) FROM unnest('{t, other, parent, walled}'::regclass[]) r,
        unnest('{analyst_tap_ana, analyst_tap_group}'::regrole[]) g;
END $$;
RESET ROLE;

-- SQLSTATE, then the value or what was said, all of it.
CREATE FUNCTION run(who name, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    value record;
    state text = '00000';
    message text;
    detail text;
    hint text;
    row text;
BEGIN
    EXECUTE format('SET ROLE %I', who);
    BEGIN
        IF statement ~ '^(CREATE|INSERT|ALTER)' THEN
            EXECUTE statement;
        ELSE
            EXECUTE statement INTO value;
            row = value::text;
        END IF;
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    END;
    RESET ROLE;
    RETURN concat_ws('|', state, row, message, detail, hint);
END $$;

CREATE FUNCTION answered(statement text, what text) RETURNS text LANGUAGE sql AS $$
    SELECT is(run('analyst_tap_ana', statement), '00000|(t)', what);
$$;
CREATE FUNCTION attack(statement text, state text, twin text, outcome text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    said text = run('analyst_tap_ana', statement);
BEGIN
    RETURN NEXT ok(split_part(said, '|', 1) = state AND said !~ 'Zebedee|estimated', what);
    IF split_part(said, '|', 1) <> state THEN RETURN NEXT diag(said); END IF;
    RETURN NEXT matches(run('analyst_tap_reader', twin), outcome, what || ': a reader');
END $$;
-- the same statement, from both
CREATE FUNCTION attack(statement text, state text, outcome text, what text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT attack(statement, state, statement, outcome, what);
$$;

-- ---- what is answered ----

SELECT answered('SELECT abs(dp_count(*) - 1000) < 30 FROM t', 'a count');
SELECT answered('SELECT abs(dp_sum(x) - 24500) < 1000 AND abs(dp_avg(x) - 24.5) < 2 FROM t', 'a sum and an average');
SELECT answered('SELECT bool_and(abs(n - 500) < 300) FROM (SELECT feels, dp_count(*) AS n FROM t GROUP BY feels) s', 'groups');
SELECT answered('SELECT abs(a.n - b.n) < 50 FROM (SELECT dp_count(*) AS n FROM t) a, (SELECT dp_count(*) + 500 AS n FROM other) b', 'two relations');
SELECT answered('SELECT (SELECT dp_count(*) FROM t) > (SELECT dp_count(*) FROM other)', 'scalar subqueries');
SELECT answered('WITH c AS (SELECT dp_count(*) AS n FROM t) SELECT n * 2 > 1000 FROM c ORDER BY n LIMIT 1', 'WITH, ORDER BY, LIMIT');
SELECT answered('WITH c AS (SELECT * FROM t WHERE x > 10) SELECT abs(dp_count(*) - 780) < 30 FROM c', 'a WITH query below');
SELECT answered('SELECT count(*) = 2 FROM (SELECT dp_count(*) FROM t UNION ALL SELECT dp_count(*) FROM other) u', 'UNION of answers');
SELECT answered('SELECT abs(dp_count(*) FILTER (WHERE feels = ''sad'') - 250) < 30 FROM t', 'FILTER');
SELECT answered('SELECT dp_count(*) > 700 FROM t HAVING dp_count(*) > 500', 'HAVING');
SELECT answered('SELECT rank() OVER (ORDER BY n) = 1 FROM (SELECT dp_count(*) AS n FROM t) s', 'a window over answers');
SELECT answered('SELECT count(*) = 3 FROM (SELECT generate_series(1, 3), dp_count(*) AS n FROM t) s', 'set-returning functions beside answers');
SELECT answered('SELECT abs(dp_sum(twice(t)) - 49000) < 2000 FROM t', 'a registered expression');
SELECT answered('SELECT abs(dp_sum(CASE WHEN sqrt(x) >= 7 THEN 1 ELSE 0 END) - 20) < 30 FROM t', 'a condition that could fail, in the aggregate');
SELECT answered('SELECT abs(dp_count(*) - 300) < 30 FROM parent', 'a partitioned table');
SELECT answered($$SELECT dp_count(*) > -50 FROM t WHERE id = 42 AND x <> 3.5 AND n > 1.5 AND n BETWEEN 0 AND 10 AND name LIKE 'Z%' AND note IS NOT NULL
    AND feels >= 'sad' AND feels IN ('sad', 'happy') AND name IN ('a', 'b') AND note = 'even' AND (secret OR NOT secret) AND secret IS TRUE
    AND born >= '1980-02-03' AND born < current_date AND born BETWEEN date '1970-01-01' + 3 AND '2030-01-01'::timestamp AND seen < now()
    AND CASE WHEN secret THEN x > 3 ELSE coalesce(note, 'none') = 'none' END AND pad = 'p' AND name COLLATE "C" < 'z' AND nullif(id, 3) > 1
    AND greatest(id, 3) > 2 AND id = ANY ('{1, 42}'::int[]) AND name IS DISTINCT FROM 'y' AND 3.5 < 2 + 2 AND lower('ABC') <> name$$, 'all conditions that are total');
SELECT is(run('analyst_tap_member', 'SELECT abs(dp_count(*) - 1000) < 30 FROM t'), '00000|(t)', 'a member of a group that has a budget');

-- objects of the analyst's own
SET ROLE analyst_tap_ana;
CREATE VIEW own_answer AS SELECT dp_count(*) AS n FROM t;
CREATE VIEW own_rows AS SELECT id, x, name, feels FROM t;
CREATE FUNCTION own_function() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_count(*) FROM t); END $$;
CREATE FUNCTION own_sql() RETURNS bigint LANGUAGE sql AS $$ SELECT dp_count(*) FROM t $$;
CREATE FUNCTION own_loop() RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE r record; n bigint = 0;
    BEGIN FOR r IN SELECT feels, dp_count(*) AS c FROM t GROUP BY feels LOOP n := n + r.c; END LOOP; RETURN n; END $$;
CREATE FUNCTION own_definer() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_count(*) FROM analyst_tap.t); END $$;
CREATE FUNCTION own_rows() RETURNS SETOF t STABLE LANGUAGE sql AS $$ SELECT * FROM t $$;
CREATE FUNCTION own_merged() RETURNS SETOF bigint STABLE LANGUAGE sql AS $$ SELECT dp_count(*) FROM t $$;
CREATE FUNCTION own_volatile() RETURNS SETOF bigint VOLATILE LANGUAGE sql AS $$ SELECT dp_count(*) FROM t $$;
CREATE FUNCTION own_definer_rows() RETURNS SETOF t STABLE SECURITY DEFINER LANGUAGE sql AS $$ SELECT * FROM analyst_tap.t $$;
GRANT SELECT ON own_answer, own_rows TO PUBLIC;
RESET ROLE;
SELECT answered('SELECT abs(n - 1000) < 30 FROM own_answer', 'a view with an answer');
SELECT answered('SELECT abs(dp_count(*) - 1000) < 30 FROM own_rows', 'a view below');
SELECT answered('SELECT abs(own_function() - 1000) < 30', 'PL/pgSQL');
SELECT answered('SELECT abs(own_sql() - 1000) < 30', 'an SQL function');
SELECT answered('SELECT abs(own_loop() - 1000) < 60', 'a loop');
SELECT answered('SELECT abs(n - 1000) < 60 FROM own_volatile() n', 'a set-returning SQL function');
SELECT matches(run('analyst_tap_ana', format('SELECT %s own_merged() n', q)), '^0A000.*Declare such a function VOLATILE', 'must be VOLATILE: ' || q)
FROM unnest('{* FROM,n + 1 FROM (SELECT 1) s CROSS JOIN,(SELECT max(n)) FROM,"* FROM pg_class RIGHT JOIN own_merged() m ON relpages = m, "}'::text[]) q;
-- where no row is read and no group is there, nothing else would refuse it
CREATE FUNCTION own_merged_groups() RETURNS SETOF bigint STABLE LANGUAGE sql AS $$ SELECT dp_count(*) FROM t WHERE false GROUP BY feels $$;
SELECT matches(run(who, 'SELECT n + 1 FROM own_merged_groups() n WHERE n > 0'), '^0A000.*Declare such a function VOLATILE', 'must be VOLATILE, with no groups: ' || who)
FROM unnest('{analyst_tap_ana,postgres}'::text[]) who;
SELECT is(run('analyst_tap_ana', 'CREATE TABLE made AS SELECT feels, dp_count(*) AS n FROM t GROUP BY feels'), '00000', 'CREATE TABLE AS');
SELECT is(run('analyst_tap_ana', 'INSERT INTO made SELECT feels, dp_count(*) FROM t GROUP BY feels'), '00000', 'INSERT ... SELECT');
SELECT is(run('analyst_tap_ana', 'CREATE MATERIALIZED VIEW kept AS SELECT dp_count(*) AS n FROM t'), '00000', 'a materialized view');

-- public facts
SELECT answered('SELECT sensitivity = 50 FROM dpsens.explain(''SELECT dp_sum(x) FROM t'')', 'explain');
SELECT answered('SELECT cost[1] > 0 FROM dpsens_internal.statement_cost(''SELECT dp_sum(x) FROM t'')', 'statement_cost');
SELECT answered('SELECT cost[1] > 0 FROM dpsens_internal.statement_charges(''SELECT dp_sum(x) FROM t'', ''{}'')', 'statement_charges');
SELECT answered('SELECT dpsens.answers_left(''SELECT dp_sum(x) FROM t'') > 1000', 'answers_left');
SELECT answered('SELECT count(*) = 4 FROM dpsens.my_budget', 'my_budget');
SELECT is(split_part(run('analyst_tap_ana', 'SELECT dpsens.explain(''SELECT dp_sum(x) FROM t WHERE name ~ note'')'), '|', 1), '0A000', 'explain refuses what would be refused');

-- ---- reading ----

SELECT attack('SELECT name FROM t WHERE id = 42', '42501', 'Zebedee', 'SELECT');
SELECT attack('SELECT ctid::text FROM t LIMIT 1', '42501', '^00000\|\(', 'a system column');
SELECT attack('SELECT count(*) FROM t', '42501', '1000', 'an exact count');
SELECT attack('SELECT count(*) FROM part1', '42501', '300', 'a partition');
SELECT attack('SELECT dp_count(*) FROM part1', '55000', 'SELECT count(*) FROM part1', '300', 'answers of a partition');
SELECT attack('SELECT max(name) FROM own_rows WHERE id = 42', '42501', 'SELECT max(name) FROM t WHERE id = 42', 'Zebedee', 'a view of rows');
SELECT attack('SELECT name FROM own_rows() WHERE id = 42', '42501', 'Zebedee', 'an inlined function');
SELECT attack('SELECT name FROM own_definer_rows() WHERE id = 42', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'a SECURITY DEFINER function');
SELECT attack('SELECT dp_count(*), (SELECT name FROM t WHERE id = 42) FROM t', '42501', 'Zebedee', 'a subquery beside an answer');
SELECT attack('SELECT a.n, b.name FROM (SELECT dp_count(*) AS n FROM t) a, t b WHERE b.id = 42', '42501', 'Zebedee', 'a join with an answer');
SELECT attack('SELECT t.name FROM t WHERE id = 42 AND (SELECT dp_count(*) FROM other) IS NOT NULL', '42501', 'Zebedee', 'an answer in a condition');
SELECT attack('WITH c AS (SELECT * FROM t) SELECT dp_count(*), (SELECT max(name) FROM c) FROM c', '0A000', 'WITH c AS (SELECT * FROM t WHERE id = 42) SELECT (SELECT max(name) FROM c) FROM c', 'Zebedee', 'a WITH query used twice');
SELECT attack('WITH c AS MATERIALIZED (SELECT * FROM t) SELECT a.n, c.name FROM (SELECT dp_count(*) AS n FROM t) a, c WHERE c.id = 42', '42501', 'Zebedee', 'a WITH query beside an answer');
SELECT attack('SELECT dp_count(*)::text FROM t UNION ALL SELECT name FROM t WHERE id = 42 ORDER BY 1 DESC', '42501', 'Zebedee', 'UNION with rows');
SELECT attack('SELECT name, dp_count(*) FROM t GROUP BY name ORDER BY 1 DESC', '53400', 'SELECT name, count(*) FROM t WHERE id = 42 GROUP BY name', 'Zebedee', 'keys of the data');
SELECT attack('SELECT name, dp_count(*) OVER () FROM t WHERE id = 42', '0A000', 'SELECT name, count(*) OVER () FROM t WHERE id = 42', 'Zebedee', 'a window function');
SELECT attack('SELECT dp_count(*), max(name) FROM t', '0A000', 'SELECT max(name) FROM t WHERE id = 42', 'Zebedee', 'an exact aggregate beside it');
SELECT attack('SELECT dp_count(*), name FROM t', '42803', 'SELECT count(*), name FROM t WHERE id = 42 GROUP BY name', 'Zebedee', 'a bare column');
SELECT attack('SELECT (SELECT dp_sum(t.x) FROM other LIMIT 1) FROM t LIMIT 1', '0A000', 'SELECT (SELECT sum(t.x) FROM other LIMIT 1) FROM t WHERE id = 42', '00000', 'an aggregate of an outer query');
SELECT attack('SELECT dp_count(*) FROM (SELECT * FROM t ORDER BY id LIMIT 1) s', '0A000', 'SELECT name FROM (SELECT * FROM t WHERE id = 42 LIMIT 1) s', 'Zebedee', 'LIMIT below');
SELECT attack('SELECT dp_count(*) FROM t TABLESAMPLE SYSTEM (1)', '0A000', 'SELECT count(*) > 0 FROM t TABLESAMPLE SYSTEM (100)', '(t)', 'TABLESAMPLE');
SELECT attack('SELECT dp_count(*) FROM t FOR UPDATE', '0A000', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'FOR UPDATE');
SELECT attack('SELECT dp_count(*) FROM t a JOIN t b ON a.id = b.id', '0A000', 'SELECT a.name FROM t a JOIN t b ON a.id = b.id WHERE a.id = 42', 'Zebedee', 'a self-join');
SELECT attack('SELECT dpsens.row_sensitivity(''twice(t)'')', '42501', '00000', 'an auditing function');
SELECT attack('SELECT dpsens.sensitivity_summary(''twice(t)'', ''{0.5}'')', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'a summary of rows');
SELECT attack('SELECT dpsens.local_sensitivity(''twice(t)'', ''median'', 1)', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'a local sensitivity');
SELECT attack('SELECT table_to_xml(''t'', true, false, '''')::text', '42501', 'Zebedee', 'a function that reads tables');
SELECT attack('CREATE TABLE copy AS SELECT * FROM t', '42501', '00000', 'a copy');
SELECT attack('DELETE FROM t WHERE id = 42 RETURNING name', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'DELETE ... RETURNING');
SELECT attack('ALTER TABLE t DISABLE ROW LEVEL SECURITY', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'ALTER TABLE');
SELECT attack('SELECT most_common_vals FROM pg_stats WHERE tablename = ''t'' AND attname = ''feels''', '00000', 'happy', 'pg_stats');
SELECT is(run('analyst_tap_ana', 'SELECT count(*) FROM pg_stats WHERE tablename = ''t'''), '00000|(0)', 'pg_stats shows nothing');

-- ---- errors that a row's values decide ----

-- Arithmetic, dates and strings are attempted, for everybody: the plain statement fails.
SELECT attack(format('SELECT dp_count(*) > -100 FROM t WHERE %s', condition), '00000', format('SELECT count(*) FROM t WHERE %s', condition), outcome, condition)
FROM (VALUES
    ('1 / (id - 42) >= -1000', '^22012'),
    ('NOT secret OR 1 / (x - x) > 0', '^22012'),
    ('CASE WHEN secret THEN name::int > 0 ELSE true END', '^22P02'),
    ('substr(name, 1, 3 - id) IS NOT NULL', '^22011'),
    ('exp(x * 100) > 0', '^22003'),
    ('sqrt(x - 40) >= 0', '^2201F'),
    ('ln(n - 4.1) IS NOT NULL', '^2201E'),
    ('id * 3000000 > 0', '^22003'),
    ('(born + id * 3000000) IS NOT NULL', '^22008|^22003'),
    ('name ILIKE ''zebedee42''', '^00000'),
    ('extract(year FROM born) > 1970', '^00000'),
    ('seen > now() - interval ''1 year''', '^00000'),
    ('born::timestamp > ''1980-01-01''', '^00000')
) AS list (condition, outcome);
-- so it fails for nobody
SELECT matches(run('analyst_tap_reader', format('SELECT dp_count(*) > -100 FROM t WHERE %s', condition)), '^00000', 'a reader: ' || condition)
FROM unnest(ARRAY['1 / (id - 42) >= -1000', 'NOT secret OR 1 / (x - x) > 0', 'name::int > 0 OR true', 'secret AND (''{"a": 1}''::jsonb -> name)::int > 0',
    'NOT secret OR name::json IS NOT NULL']) condition;
SELECT attack('SELECT dp_count(*) FILTER (WHERE 1 / (id - 42) > 0) > -100 FROM t', '00000', 'SELECT count(*) FILTER (WHERE 1 / (id - 42) > 0) FROM t', '^22012', 'FILTER that fails');
SELECT attack('SELECT dp_count(*) > -100 FROM (SELECT 1 / (id - 42) AS y FROM t) s WHERE y > 0', '00000',
    'SELECT count(*) FROM (SELECT 1 / (id - 42) AS y FROM t) s WHERE y > 0', '^22012', 'a column that fails');
SELECT attack('SELECT dp_count(*) > -100 FROM own_rows WHERE 1 / (id - 42) > 0', '00000', 'SELECT count(*) FROM t WHERE 1 / (id - 42) > 0', '^22012', 'a view that fails');
-- the rest is refused
SELECT attack(format('SELECT dp_count(*) > -100 FROM t WHERE %s', condition), '0A000', format('SELECT count(*) FROM t WHERE %s', condition), outcome, condition)
FROM (VALUES
    ('name LIKE ''Zebedee4\''', '^22025'),
    ('name LIKE pad || ''\''', '^00000|^22025'),
    ('name || repeat(name, id) > ''a''', '^00000'),
    ('name ~ note', '^00000'),
    ('secret AND name LIKE ''Z!%'' ESCAPE note', '^22025|^00000'),
    ('NOT secret OR name::json IS NOT NULL', '^22P02'),
    ('NOT secret OR cardinality(array_fill(1, ARRAY[id, 2147483647])) > 0', '^54000'),
    ('(ARRAY[1, 2])[id] > 0', '^00000'),
    ('t::text LIKE ''%Zebedee%''', '^00000'),
    ('t IS NOT NULL', '^00000'),
    ('name = ANY (ARRAY[repeat(note, 2), note])', '^00000'),
    ('ROW(id, name) < ROW(42, repeat(note, id))', '^00000'),
    ('secret AND pg_sleep(0.01) IS NULL', '^00000'),
    ('secret AND set_config(''analyst_tap.seen'', ''yes'', false) = ''yes''', '^00000'),
    ('secret AND pg_advisory_xact_lock(42) IS NULL', '^00000'),
    ('secret AND pg_notify(''analyst_tap'', name) IS NULL', '^00000'),
    ('secret AND random() < 2', '^00000')
) AS list (condition, outcome);
-- constants fail for everybody, or for nobody
SELECT is(split_part(run('analyst_tap_ana', 'SELECT dp_count(*) FROM t WHERE id = 42 AND 1 / 0 > 0'), '|', 1), '22012', 'a constant fails where a row gets to it');
SELECT is(split_part(run('analyst_tap_ana', 'SELECT dp_count(*) FROM t WHERE id = -1 AND 1 / 0 > 0'), '|', 1), '22012', 'and where none does');
CREATE FUNCTION unassigned(wanted int) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE r record; BEGIN RETURN (SELECT dp_count(*) FROM t WHERE id = wanted AND x > r.field); END $$;
SELECT is(split_part(run('analyst_tap_ana', 'SELECT unassigned(42)'), '|', 1), '55000', 'a variable without a value');
SELECT is(split_part(run('analyst_tap_ana', 'SELECT unassigned(-1)'), '|', 1), '55000', 'whatever the rows are');
CREATE FUNCTION unassigned_generic(wanted int) RETURNS bigint SET plan_cache_mode = force_generic_plan LANGUAGE plpgsql AS $$
    DECLARE r record; BEGIN RETURN (SELECT dp_count(*) FROM t WHERE id = wanted AND x > r.field); END $$;
SELECT is(split_part(run('analyst_tap_ana', 'SELECT unassigned_generic(42)'), '|', 1), '55000', 'a variable without a value in a generic plan');
SELECT is(split_part(run('analyst_tap_ana', 'SELECT unassigned_generic(-1)'), '|', 1), '55000', 'whatever the rows are in a generic plan');
-- a field that has another type than the plan was made for
CREATE FUNCTION changed(wanted int) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE r record; i int; n bigint;
    BEGIN
        FOR i IN 1..2 LOOP
            IF i = 1 THEN SELECT 1.5::float8 AS field INTO r; ELSE SELECT 'a'::text AS field INTO r; END IF;
            n := (SELECT dp_count(*) FROM t WHERE id = wanted AND x > r.field);
        END LOOP;
        RETURN n;
    END $$;
SELECT is(split_part(run('analyst_tap_ana', 'SELECT changed(42)'), '|', 1), '42804', 'a variable of another type');
SELECT is(split_part(run('analyst_tap_ana', 'SELECT changed(-1)'), '|', 1), '42804', 'whatever the rows are, of another type');
SELECT is(split_part(run('analyst_tap_reader', 'SELECT changed(42)'), '|', 1), '42804', 'a reader sees that a row gets to it');
SELECT is(split_part(run('analyst_tap_reader', 'SELECT changed(-1)'), '|', 1), '00000', 'and that none does');
-- collations that are unknown, or not for patterns before 18
CREATE COLLATION loose (provider = icu, locale = 'und', deterministic = false);
SELECT attack('SELECT dp_count(*) > -100 FROM t WHERE secret AND name COLLATE loose LIKE ''Z%''', '0A000',
    'SELECT count(*) FROM t WHERE secret AND name COLLATE loose LIKE ''Z%''', '^(0A000\|nondeterministic|00000\|\(1\))', 'LIKE under a loose collation');
SELECT attack('SELECT dp_count(*) > -100 FROM t WHERE secret AND name COLLATE "C" < note COLLATE "POSIX"', '42P21', '^42P21', 'collations at odds');
CREATE VIEW two_collations AS SELECT name COLLATE "C" AS a, note COLLATE "POSIX" AS b, secret FROM t;
GRANT SELECT ON two_collations TO PUBLIC;
ALTER VIEW two_collations OWNER TO analyst_tap_ana;
SELECT attack('SELECT dp_count(*) > -100 FROM two_collations WHERE secret AND a < b', '0A000',
    'SELECT count(*) FROM (SELECT name COLLATE "C" AS a, note COLLATE "POSIX" AS b, secret FROM t) s WHERE secret AND a < b', '^42P22', 'an indeterminate collation');

-- ---- functions that see a row ----

CREATE TABLE loot (what text);
GRANT ALL ON loot TO PUBLIC;
CREATE FUNCTION leak(what text) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO analyst_tap.loot VALUES (what); RETURN true; END $$;
CREATE FUNCTION leak_immutable(what text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE '%', what; END $$;
CREATE FUNCTION leak_compare(a text, b int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE '%', a; END $$;
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = int, FUNCTION = leak_compare, RESTRICT = eqsel);
CREATE TYPE trap AS (v text);
CREATE FUNCTION to_trap(text) RETURNS trap IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE '%', $1; END $$;
CREATE CAST (text AS trap) WITH FUNCTION to_trap(text);
CREATE DOMAIN watched AS text CHECK (leak_immutable(value));
SELECT attack('SELECT dp_count(*) FROM t WHERE id = 42 AND leak(name)', '0A000', 'SELECT count(*) FROM t WHERE id = 42 AND leak(name)', '00000', 'a function in WHERE');
SELECT attack('SELECT dp_count(*) FROM t WHERE id = 42 AND leak_immutable(name)', '0A000', 'SELECT count(*) FROM t WHERE id = 42 AND leak_immutable(name)', 'Zebedee', 'an immutable one');
SELECT attack('SELECT dp_count(*) FROM t WHERE id = 42 AND name = 7', '0A000', 'SELECT count(*) FROM t WHERE id = 42 AND name = 7', 'Zebedee', 'an operator');
SELECT attack('SELECT dp_count(*) FROM t WHERE id = 42 AND name::trap IS NOT NULL', '0A000', 'SELECT count(*) FROM t WHERE id = 42 AND name::trap IS NOT NULL', 'Zebedee', 'a cast');
SELECT attack('SELECT dp_count(*) FROM t WHERE id = 42 AND name::watched IS NOT NULL', '0A000', 'SELECT count(*) FROM t WHERE id = 42 AND name::watched IS NOT NULL', 'Zebedee', 'a domain');
SELECT attack('SELECT dp_count(*) FILTER (WHERE leak(name)) FROM t', '0A000', 'SELECT count(*) FILTER (WHERE leak(name)) FROM t WHERE id = 42', '00000', 'a function in FILTER');
SELECT attack('SELECT dp_sum(CASE WHEN leak(name) THEN x END) FROM t', '0A000', 'SELECT sum(CASE WHEN leak(name) THEN x END) FROM t WHERE id = 42', '00000', 'a function in the value');
SELECT attack('SELECT dp_count(*) FROM t GROUP BY leak(name)', '0A000', 'SELECT count(*) FROM t WHERE id = 42 GROUP BY leak(name)', '00000', 'a function in GROUP BY');
-- nobody needs what these compute
TRUNCATE loot;
SELECT answered('SELECT dp_count(*) > 0 FROM (SELECT x, leak(name) AS l FROM t) s', 'a volatile column that nobody needs');
SELECT answered('SELECT dp_sum(x) > 0 FROM (SELECT x, leak(name) AS l, random() AS r FROM t ORDER BY leak(name), id) s', 'ORDER BY below');
SELECT answered('SELECT dp_sum(x) > 0 FROM (SELECT x, l FROM (SELECT x, leak(name) AS l FROM t) i WINDOW w AS (ORDER BY l)) s WHERE x >= 0', 'two steps and a window');
SELECT is_empty('SELECT what FROM loot', 'nothing was called');
SELECT matches(run('analyst_tap_reader', 'SELECT count(*) > 0 FROM (SELECT x, leak(name) AS l FROM t OFFSET 0) s'), '^00000', 'a reader''s statement');
SELECT isnt_empty('SELECT what FROM loot WHERE what = ''Zebedee42''', 'calls it');

-- subqueries over tables of the analyst's own
SET ROLE analyst_tap_ana;
CREATE TABLE mine (id int PRIMARY KEY);
INSERT INTO mine VALUES (42);
GRANT SELECT ON mine TO PUBLIC;
RESET ROLE;
SELECT attack('SELECT dp_count(*) > -100 FROM t WHERE EXISTS (SELECT FROM mine m WHERE m.id = t.id)', '00000', '^00000', 'a correlated subquery');
SELECT attack('SELECT dp_count(*) > -100 FROM t WHERE id IN (SELECT id FROM mine)', '00000', '^00000', 'a subquery as list');
SELECT attack('SELECT dp_count(*) > -100 FROM t WHERE secret AND EXISTS (SELECT FROM mine)', '00000', '^00000', 'a subquery of its own');
SELECT attack('SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM t s WHERE s.id = 42 AND s.secret)', '0A000',
    'SELECT count(*) FROM t WHERE EXISTS (SELECT FROM t s WHERE s.id = 42 AND s.secret)', '1000', 'the relation again');

-- ---- internals ----

SELECT attack('SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, name) FROM t', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'exact_state by hand');
SELECT attack('SELECT dpsens_internal.release_count(NULL, NULL)', '42501', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'release by hand');
SELECT attack('SELECT ''x''::dpsens_internal.plan', '0A000', 'SELECT name FROM t WHERE id = 42', 'Zebedee', 'a plan by hand');
SELECT is(left(run('analyst_tap_ana', format('CREATE AGGREGATE own (dpsens_internal.plan) (SFUNC = dpsens.%I, STYPE = internal)', aggtransfn)), 1) <> '0', true,
    'an aggregate over ' || aggtransfn)
FROM (SELECT DISTINCT split_part(aggtransfn::text, '.', 2) AS aggtransfn FROM pg_aggregate WHERE aggfnoid::text = 'dpsens_internal.exact_state') s;

-- ---- who asks ----

SELECT is(run('analyst_tap_nobody', 'SELECT dp_count(*) FROM t'),
    '42501|permission denied for table t|Role "analyst_tap_nobody" has neither the privilege to read it nor a privacy budget on it.|Its owner can grant a budget with dpsens.grant_budget().',
    'neither privilege nor budget');
SELECT is(split_part(run('analyst_tap_nobody', 'SELECT * FROM own_answer'), '|', 1), '42501', 'a view of somebody who has a budget');
SELECT is(split_part(run('analyst_tap_nobody', 'SELECT dp_count(*) FROM own_rows'), '|', 1), '42501', 'a view of rows of somebody who has a budget');
SELECT is(run('analyst_tap_nobody', 'SELECT abs(own_definer() - 1000) < 30'), '00000|(t)', 'a SECURITY DEFINER function spends its owner''s budget');
SELECT is((SELECT role::text FROM dpsens.releases ORDER BY release DESC LIMIT 1), 'analyst_tap_ana', 'as recorded');
SELECT is(split_part(run('analyst_tap_owner', 'SELECT abs(dp_count(*) - 1000) < 30 FROM t'), '|', 2), '(t)', 'the owner');
GRANT SELECT (x) ON t TO analyst_tap_nobody;
SELECT is(split_part(run('analyst_tap_nobody', 'SELECT dp_sum(x) > 0 FROM t WHERE 1 / (x + 1) > 0'), '|', 2), '(t)', 'who may read a column may ask about it');
SELECT is(split_part(run('analyst_tap_nobody', 'SELECT dp_sum(x) > 0 FROM t WHERE secret'), '|', 1), '42501', 'and about no other');
REVOKE SELECT (x) ON t FROM analyst_tap_nobody;

-- row-level security: the policies of the one who asks
SELECT is(run('analyst_tap_ana', 'SELECT abs(dp_count(*) - 700) < 30 FROM walled'), '00000|(t)', 'the analyst''s policies');
SELECT is(run('analyst_tap_member', 'SELECT abs(dp_count(*) - 300) < 30 FROM walled'), '00000|(t)', 'another''s');
SELECT matches(run('analyst_tap_ana', 'SELECT count(*) FROM walled'), '^42501', 'no row of them');
ALTER POLICY own ON walled USING (whose = CURRENT_USER AND 1 / (id - 42) IS NOT NULL);
SELECT is(run('analyst_tap_ana', 'SELECT abs(dp_count(*) - 699) < 30 FROM walled'), '00000|(t)', 'a policy that fails on a row');
ALTER POLICY own ON walled USING (whose = CURRENT_USER AND leak(whose));
SELECT matches(run('analyst_tap_ana', 'SELECT dp_count(*) FROM walled'), '^0A000', 'a policy that calls a function');

-- ---- showing plans ----

SELECT attack('EXPLAIN SELECT dp_count(*) FROM t WHERE id < 100', '42501', 'Scan', 'EXPLAIN');
SELECT attack('EXPLAIN (FORMAT JSON, VERBOSE) SELECT (SELECT dp_count(*) FROM t)', '42501', 'Plan', 'EXPLAIN of a subquery');
SELECT attack('EXPLAIN ANALYZE SELECT dp_count(*) FROM t', '42501', '^0A000', 'EXPLAIN ANALYZE');
SELECT attack('EXPLAIN CREATE TABLE x AS SELECT dp_count(*) FROM t', '42501', 'Scan|Aggregate|CTE', 'EXPLAIN CREATE TABLE AS');
SELECT attack('EXPLAIN SELECT n FROM own_answer', '42501', 'EXPLAIN SELECT dp_count(*) FROM t', 'Scan', 'EXPLAIN of a view');
SELECT attack('EXPLAIN SELECT * FROM t', '42501', 'Scan', 'EXPLAIN of rows');
SET debug_print_plan = on;
SELECT matches(run('analyst_tap_ana', 'SELECT dp_count(*) FROM t'), '^42501.*debug_print_plan', 'debug_print_plan');
RESET debug_print_plan;
SET trace_sort = on;
SELECT matches(run('analyst_tap_ana', 'SELECT dp_count(*) FROM t'), '^42501.*trace_sort', 'trace_sort');
RESET trace_sort;

-- ---- counters and locks ----

CREATE FUNCTION counted(who name, statement text, wanted text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint = (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_xact_user_tables WHERE relname = 't')
        + (SELECT sum(pg_stat_get_xact_numscans(i.indexrelid) + pg_stat_get_xact_tuples_returned(i.indexrelid)) FROM pg_index i WHERE i.indrelid = 't'::regclass);
    said text = run(who, statement);
BEGIN
    IF said !~ wanted THEN RAISE '%', said; END IF;
    RETURN (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_xact_user_tables WHERE relname = 't')
        + (SELECT sum(pg_stat_get_xact_numscans(i.indexrelid) + pg_stat_get_xact_tuples_returned(i.indexrelid)) FROM pg_index i WHERE i.indrelid = 't'::regclass) - before;
END $$;
SELECT is(counted('analyst_tap_ana', statement, '^00000'), 0::bigint, 'nothing is counted: ' || statement)
FROM unnest('{SELECT dp_count(*) FROM t, SELECT dp_count(*) FROM t WHERE id = 42, SELECT dp_sum(x) FROM t WHERE id > 900, SELECT own_loop()}'::text[]) statement;
SELECT cmp_ok(counted('analyst_tap_reader', statement, '^00000'), '>', 0::bigint, 'a reader''s rows are counted: ' || statement)
FROM unnest('{SELECT dp_count(*) FROM t, SELECT dp_count(*) FROM t WHERE id = 42, SELECT dp_sum(x) FROM t WHERE id > 900}'::text[]) statement;
-- between the opening of a cursor and its first row somebody opens the table
CREATE FUNCTION late(wanted int) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE c CURSOR FOR SELECT dp_count(*) FROM t WHERE id = wanted; n bigint;
    BEGIN
        OPEN c;
        BEGIN EXECUTE 'SELECT id FROM t'; EXCEPTION WHEN insufficient_privilege THEN NULL; END;
        FETCH c INTO n;
        RETURN n;
    END $$;
SELECT is(counted('analyst_tap_ana', 'SELECT late(42)', '^00000'), 0::bigint, 'nor by a cursor that waited');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT matches(run('analyst_tap_reader', 'EXPLAIN (FORMAT JSON) SELECT dp_count(*) FROM t WHERE x >= 0'), 'Gather', 'a parallel plan');
SELECT is(counted('analyst_tap_ana', 'SELECT dp_count(*) FROM t WHERE x >= 0', '^00000'), 0::bigint, 'nor by a parallel worker');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT is(current_setting('track_counts'), 'on', 'counting goes on');
SELECT cmp_ok(counted('analyst_tap_reader', 'SELECT count(*) FROM t', '^00000'), '>', 0::bigint, 'for the same table too');

-- temporary files
CREATE TABLE wide (k boolean NOT NULL, x float8 NOT NULL);
INSERT INTO wide SELECT i % 2 = 0, 1 FROM generate_series(1, 20000) i;
ALTER TABLE wide OWNER TO analyst_tap_owner;
GRANT SELECT ON wide TO analyst_tap_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('wide'), dpsens.set_range('wide', 'x', 0, 1), dpsens.set_values('wide', 'k', 'true', 'false');
    PERFORM dpsens.grant_budget('wide', 'analyst_tap_ana', epsilon => 100000);
END $$;
SET stats_fetch_consistency = none;
SET work_mem = '64kB';
SET enable_hashagg = off;
-- in one block they need no files
SET dpsens.enable_group_states = off;
CREATE FUNCTION spilled() RETURNS bigint LANGUAGE sql AS
    $$ SELECT pg_stat_get_db_temp_bytes(oid) FROM pg_database WHERE datname = current_database() $$;
DO 'BEGIN PERFORM pg_stat_force_next_flush(); END';
SELECT spilled() AS start \gset
SELECT matches(run('analyst_tap_ana', 'SELECT k, dp_sum(x) FROM wide GROUP BY k'), '^00000', 'an answer that needs temporary files');
DO 'BEGIN PERFORM pg_stat_force_next_flush(); END';
SELECT spilled() AS ana \gset
SELECT matches(run('analyst_tap_ana', 'SELECT 1 / (n - n)::int FROM (SELECT k, dp_sum(x) AS n FROM wide GROUP BY k) s'), '^22012', 'one that fails');
DO 'BEGIN PERFORM pg_stat_force_next_flush(); END';
SELECT spilled() AS failed \gset
SELECT matches(run('analyst_tap_reader', 'SELECT k, dp_sum(x) FROM wide GROUP BY k'), '^00000', 'a reader''s');
DO 'BEGIN PERFORM pg_stat_force_next_flush(); END';
SELECT spilled() AS reader \gset
SELECT is((:ana - :start)::bigint, 0::bigint, 'their size is not counted');
SELECT is((:failed - :ana)::bigint, 0::bigint, 'nor after an error');
SELECT cmp_ok((:reader - :failed)::bigint, '>', 0::bigint, 'a reader''s is');
RESET work_mem;
RESET enable_hashagg;
RESET stats_fetch_consistency;

BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT matches(run('analyst_tap_ana', 'SELECT dp_count(*) FROM t WHERE id = 42'), '^0A000.*serializable', 'no row is locked');
SELECT is((SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 't'::regclass AND locktype = 'tuple'), 0::bigint, 'as everybody can see');
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SELECT matches(run('analyst_tap_reader', 'SELECT dp_count(*) FROM t WHERE id = 42'), '^00000', 'a reader''s statement');
SELECT is((SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 't'::regclass AND locktype = 'tuple'), 1::bigint, 'locks the row');
COMMIT;

SELECT * FROM finish();
DROP SCHEMA analyst_tap CASCADE;
DROP OWNED BY analyst_tap_owner, analyst_tap_ana, analyst_tap_group, analyst_tap_member, analyst_tap_reader, analyst_tap_nobody;
DROP ROLE analyst_tap_owner, analyst_tap_ana, analyst_tap_group, analyst_tap_member, analyst_tap_reader, analyst_tap_nobody;
