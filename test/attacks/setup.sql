-- What every file here attacks: a protected table with one person to be found,
-- whose cells are where conditions fail, and the same as a table that nobody
-- protects.  In a database of its own, since charges take committed relations.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION pgtap;
CREATE EXTENSION dpsens;

-- what a broken-off run left behind
SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname LIKE 'dpsens\_attack\_%' \gexec

CREATE ROLE dpsens_attack_owner;
CREATE ROLE dpsens_attack_ana;
CREATE ROLE dpsens_attack_reader;
CREATE ROLE dpsens_attack_nobody;

-- "lab" is everybody's; "clinic" is the owner's.
CREATE SCHEMA lab;
GRANT ALL ON SCHEMA lab TO PUBLIC;
CREATE SCHEMA clinic AUTHORIZATION dpsens_attack_owner;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
SET search_path = clinic, lab, public;

CREATE TYPE lab.mood AS ENUM ('sad', 'calm', 'happy');

-- Names are numbers but for one, so that a cast finds it.
CREATE TABLE people (
    id int PRIMARY KEY,
    age float8 NOT NULL,
    pay numeric NOT NULL,
    name text NOT NULL,
    note varchar,
    feels lab.mood NOT NULL,
    born date NOT NULL,
    seen timestamptz NOT NULL,
    member boolean NOT NULL,
    secret boolean NOT NULL,
    tags text[] NOT NULL,
    spare int4 GENERATED ALWAYS AS (id % 7) STORED
);
INSERT INTO people
SELECT i, 20 + i % 60, i / 4.0, i::text, CASE WHEN i % 3 = 0 THEN 'seen' END, CASE WHEN i % 4 = 0 THEN 'sad' ELSE 'happy' END::lab.mood,
    '1970-01-01'::date + i, '2020-01-01 12:00+00'::timestamptz + i * interval '1 hour', i % 2 = 0, false, ARRAY['t' || i]
FROM generate_series(1, 400) AS i;
UPDATE people SET name = 'Zebedee', note = 'Zebedee wrote this', secret = true, pay = 0, tags = ARRAY['Zebedee'] WHERE id = 42;
-- the same without the person
CREATE TABLE others (LIKE people INCLUDING ALL);
DO $$ BEGIN
    EXECUTE (SELECT format('INSERT INTO others (%1$s) SELECT %1$s FROM people WHERE id <> 42', string_agg(quote_ident(attname), ', ' ORDER BY attnum))
        FROM pg_attribute WHERE attrelid = 'people'::regclass AND attnum > 0 AND attgenerated = '');
END $$;
CREATE TABLE wards (id int NOT NULL, beds float8 NOT NULL, head text NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE wards_old PARTITION OF wards FOR VALUES FROM (0) TO (100);
CREATE TABLE wards_new PARTITION OF wards FOR VALUES FROM (100) TO (1000);
INSERT INTO wards SELECT i, i % 10, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 200) AS i;
CREATE TABLE staff (id int PRIMARY KEY, pay float8 NOT NULL, name text NOT NULL);
CREATE TABLE nurses (shift int NOT NULL DEFAULT 1) INHERITS (staff);
INSERT INTO staff SELECT i, i % 10, i::text FROM generate_series(1, 100) AS i;
INSERT INTO nurses SELECT i, i % 10, CASE WHEN i = 142 THEN 'Zebedee' ELSE i::text END FROM generate_series(101, 200) AS i;
CREATE TABLE walled (id int PRIMARY KEY, whose name NOT NULL, x float8 NOT NULL, name text NOT NULL);
INSERT INTO walled SELECT i, CASE WHEN i <= 300 THEN 'dpsens_attack_ana' ELSE 'dpsens_attack_reader' END, 1,
    CASE WHEN i = 342 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 400) AS i;
CREATE POLICY own ON walled USING (whose = CURRENT_USER);
ALTER TABLE walled ENABLE ROW LEVEL SECURITY;
-- the same people, whom nobody protects
CREATE TABLE lab.open_people AS SELECT * FROM people;
GRANT ALL ON lab.open_people TO PUBLIC;
CREATE TABLE lab.shops (id int PRIMARY KEY, city text NOT NULL, x float8 NOT NULL);
INSERT INTO lab.shops SELECT i, 'city ' || i % 5, i FROM generate_series(1, 20) AS i;
GRANT ALL ON lab.shops TO PUBLIC;

SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', relname) FROM pg_class
WHERE relnamespace = 'clinic'::regnamespace AND relkind IN ('r', 'p') \gexec
ANALYZE people, others, wards, staff, walled;
GRANT ALL ON ALL TABLES IN SCHEMA clinic TO dpsens_attack_reader;

SET ROLE dpsens_attack_owner;
DO $$
DECLARE
    r regclass;
BEGIN
    FOREACH r IN ARRAY '{people, others, wards, staff, walled}'::regclass[] LOOP
        PERFORM dpsens.protect(r);
    END LOOP;
    FOREACH r IN ARRAY '{people, others}'::regclass[] LOOP
        PERFORM dpsens.set_range(r, 'id', 0, 1000), dpsens.set_range(r, 'age', 0, 120), dpsens.set_range(r, 'pay', 0, 1000);
        PERFORM dpsens.set_values(r, 'feels', 'sad', 'calm', 'happy'), dpsens.set_values(r, 'member', 'true', 'false');
    END LOOP;
    PERFORM dpsens.set_range('wards', 'beds', 0, 10), dpsens.set_range('staff', 'pay', 0, 10), dpsens.set_range('walled', 'x', 0, 1);
    PERFORM dpsens.register('double_age', 'people', 'age * 2');
    FOREACH r IN ARRAY '{people, others, wards, staff, walled}'::regclass[] LOOP
        PERFORM dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000000, delta => 0.01, own_tables => true);
        PERFORM dpsens.grant_budget(r, 'dpsens_attack_reader', epsilon => 1000000);
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION double_age(people) TO PUBLIC;
RESET ROLE;

-- ---- how an attempt is made ----

/*
 * Runs statements as a role, one after the other, all of them whatever becomes
 * of each, and says of each: SQLSTATE, rows, and every word of the error.
 */
CREATE FUNCTION lab.try(who name, VARIADIC statements text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    statement text;
    value record;
    said text[] = '{}';
    rows text;
    state text;
    message text;
    detail text;
    hint text;
    context text;
    col text;
    con text;
    typ text;
    tab text;
BEGIN
    EXECUTE format('SET ROLE %I', who);
    FOREACH statement IN ARRAY statements LOOP
        rows = NULL;
        state = '00000';
        message = NULL; detail = NULL; hint = NULL; context = NULL;
        col = NULL; con = NULL; typ = NULL; tab = NULL;
        BEGIN
            IF statement ~* '^\s*(SELECT|WITH|TABLE|VALUES|EXPLAIN|EXECUTE|SHOW|FETCH)' OR statement ~* 'RETURNING' THEN
                FOR value IN EXECUTE statement LOOP
                    rows = concat_ws(' ', rows, value::text);
                END LOOP;
            ELSE
                EXECUTE statement;
            END IF;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
                hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
            GET STACKED DIAGNOSTICS col = COLUMN_NAME, con = CONSTRAINT_NAME, typ = PG_DATATYPE_NAME, tab = TABLE_NAME;
            -- what the statement itself says, or this function, is no news
            context = regexp_replace(replace(context, statement, ''), '(SQL statement "")?\s*PL/pgSQL function try\(.*', '');
        END;
        said = said || concat_ws('|', state, rows, message, detail, hint, context, col, con, typ, tab);
    END LOOP;
    RETURN array_to_string(said, E'\n');
EXCEPTION WHEN insufficient_privilege THEN
    RETURN 'cannot become ' || who;
END $$;

/*
 * One attempt and its twin.  The attempt as dpsens_attack_ana must end as
 * expected, and show nothing of the person; the twin, of a role that may look,
 * must show what the attempt is after, or nobody would be attacked.
 */
CREATE FUNCTION lab.attempt(what text, attack text[], expected text, twin_role name, twin text[], loot text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    said text = lab.try('dpsens_attack_ana', VARIADIC attack);
    last text = (regexp_split_to_array(said, '\n'))[array_length(regexp_split_to_array(said, '\n'), 1)];
    open text;
BEGIN
    PERFORM set_config('role', 'none', false);
    RETURN NEXT ok(said ~ ('(^|\n)' || expected) AND said !~* 'zebedee' AND said !~ '(^|\n)(XX|57|58)', what);
    IF said !~ ('(^|\n)' || expected) OR said ~* 'zebedee' OR said ~ '(^|\n)(XX|57|58)' THEN
        RETURN NEXT diag(E'expected ' || expected || E', was told:\n' || said);
    END IF;
    open = lab.try(twin_role, VARIADIC twin);
    PERFORM set_config('role', 'none', false);
    RETURN NEXT matches(open, loot, what || ': open to others');
END $$;
-- the same statements by the reader
CREATE FUNCTION lab.attempt(what text, attack text[], expected text, loot text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT lab.attempt(what, attack, expected, 'dpsens_attack_reader', attack, loot);
$$;
CREATE FUNCTION lab.attempt(what text, attack text, expected text, loot text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT lab.attempt(what, ARRAY[attack], expected, 'dpsens_attack_reader', ARRAY[attack], loot);
$$;
-- another statement by the reader
CREATE FUNCTION lab.attempt(what text, attack text, expected text, twin text, loot text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT lab.attempt(what, ARRAY[attack], expected, 'dpsens_attack_reader', ARRAY[twin], loot);
$$;
CREATE FUNCTION lab.attempt(what text, attack text[], expected text, twin text[], loot text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT lab.attempt(what, attack, expected, 'dpsens_attack_reader', twin, loot);
$$;
/*
 * A question that ends differently with and without the person tells of them:
 * %s is the table.  Asked of what nobody protects it must, or it is no attack.
 */
CREATE FUNCTION lab.outcome(who name, question text, tab text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(regexp_replace(lab.try(who, replace(question, '%s', tab)), '^00000.*', '00000'), tab, 'table');
$$;
CREATE FUNCTION lab.oracle(what text, question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    present text = lab.outcome('dpsens_attack_ana', question, 'people');
    absent text = lab.outcome('dpsens_attack_ana', question, 'others');
    plain text = replace(question, 'dp_', '');
BEGIN
    PERFORM set_config('role', 'none', false);
    RETURN NEXT ok(present = absent AND present !~* 'zebedee' AND present !~ '^(XX|57|58|42601|42883|42703)', what);
    IF present <> absent OR present ~* 'zebedee' OR present ~ '^(XX|57|58|42601|42883|42703)' THEN
        RETURN NEXT diag(E'with: ' || present || E'\nwithout: ' || absent);
    END IF;
    present = lab.outcome('dpsens_attack_reader', plain, 'people');
    absent = lab.outcome('dpsens_attack_reader', plain, 'others');
    PERFORM set_config('role', 'none', false);
    RETURN NEXT isnt(present, absent, what || ': open to others');
END $$;

-- how many releases dpsens_attack_ana has paid for
CREATE FUNCTION lab.charged() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM dpsens.releases WHERE role = 'dpsens_attack_ana';
$$;
