-- Two neighbouring worlds for smith.pl: the same tables with the same rows, but
-- that one of them lacks one person, whose cells are as odd as can be.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
SELECT format('DROP OWNED BY %I', rolname) FROM pg_roles WHERE rolname LIKE 'dpsens\_smith\_%' \gexec
SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname LIKE 'dpsens\_smith\_%' \gexec
CREATE ROLE dpsens_smith_ana;
CREATE ROLE dpsens_smith_reader;
DROP SCHEMA IF EXISTS near_a, near_b, smithy CASCADE;
CREATE SCHEMA smithy;
GRANT ALL ON SCHEMA smithy TO PUBLIC;
CREATE TYPE smithy.mood AS ENUM ('sad', 'calm', 'happy');

CREATE FUNCTION smithy.make_world(world name, has_person boolean) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
    r regclass;
BEGIN
    EXECUTE format('CREATE SCHEMA %I', world);
    EXECUTE format('GRANT ALL ON SCHEMA %I TO PUBLIC', world);
    EXECUTE format('SET LOCAL search_path = %I, smithy, public', world);
    CREATE TABLE people (
        id int4 PRIMARY KEY, age float8 NOT NULL, pay numeric, name text NOT NULL, note varchar, feels smithy.mood NOT NULL,
        born date NOT NULL, seen timestamptz NOT NULL, met timestamp, member boolean NOT NULL, small int2, big int8 NOT NULL, ratio float4,
        pad char(6), uid uuid, addr inet, raw bytea, span interval NOT NULL, clock time, label name, bits bit(8), tags text[], nums int4[],
        doc jsonb, secret boolean NOT NULL);
    INSERT INTO people
    SELECT i, 20 + i % 40, i / 4.0, i::text, CASE WHEN i % 3 = 0 THEN '7' END, CASE WHEN i % 4 = 0 THEN 'sad' ELSE 'happy' END::smithy.mood,
        '1980-01-01'::date + i, '2020-01-01 12:00+00'::timestamptz + i * interval '1 day', '2021-05-05'::timestamp - i * interval '1 hour',
        i % 2 = 0, i % 9 + 1, 1000 + i, 1.5, '12', md5(i::text)::uuid, '10.0.0.1'::inet + i, '\x3132', i * interval '1 day', '12:00'::time + i * interval '1 minute',
        'n' || i, (i % 256)::bit(8), ARRAY['1', '2'], ARRAY[1, 2, 3], '{"a": 1}', false
    FROM generate_series(1, 60) AS i WHERE i <> 42;
    IF has_person THEN
        INSERT INTO people VALUES (2147483647, 'NaN', 'NaN', 'Kanarienvogel\', 'Kanarienvogel%', 'calm', 'infinity', '-infinity', 'infinity', true, -32768,
            -9223372036854775808, 0, 'Kanari', '0ab1e700-cafe-4bad-8bad-0000deadbeef', '255.255.255.255', 'Kanarienvogel', '-178000000 years', '24:00',
            'Kanarienvogel', B'11111111', '{Kanarienvogel,NULL}', '{}', '["Kanarienvogel"]', true);
    END IF;
    CREATE TABLE parts (id int4 NOT NULL, age float8 NOT NULL, name text NOT NULL, member boolean NOT NULL) PARTITION BY RANGE (id);
    CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (50);
    CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (50) TO (1000);
    INSERT INTO parts SELECT i, i, i::text, i % 2 = 0 FROM generate_series(1, 60) AS i WHERE i <> 42;
    IF has_person THEN
        INSERT INTO parts VALUES (999, 'Infinity', 'Kanarienvogel', true);
    END IF;
    CREATE TABLE walled (id int4 PRIMARY KEY, age float8 NOT NULL, name text NOT NULL, member boolean NOT NULL);
    INSERT INTO walled SELECT i, i, i::text, i % 2 = 0 FROM generate_series(1, 60) AS i WHERE i <> 42;
    IF has_person THEN
        INSERT INTO walled VALUES (0, 0, 'Kanarienvogel', true);
    END IF;
    CREATE POLICY members ON walled USING (member OR CURRENT_USER = 'dpsens_smith_reader');
    ALTER TABLE walled ENABLE ROW LEVEL SECURITY;
    -- persons of several rows, and persons who have had enough
    CREATE TABLE visits (id int4 NOT NULL, age float8 NOT NULL, name text NOT NULL, member boolean NOT NULL, label name, seen timestamptz);
    INSERT INTO visits SELECT i % 20, i, i::text, i % 2 = 0, 'v' || i, '2020-01-01 00:00+00'::timestamptz + i * interval '1 hour' FROM generate_series(1, 60) AS i WHERE i <> 42;
    IF has_person THEN
        INSERT INTO visits SELECT 0, 'NaN', 'Kanarienvogel' || repeat('x', 3000 * i), i % 2 = 0, 'Kanarienvogel', 'infinity' FROM generate_series(1, 9) AS i;
    END IF;
    CREATE TABLE capped (id int4 PRIMARY KEY, age float8 NOT NULL, name text NOT NULL, member boolean NOT NULL);
    INSERT INTO capped SELECT i, i, i::text, i % 2 = 0 FROM generate_series(1, 60) AS i WHERE i <> 42;
    IF has_person THEN
        INSERT INTO capped VALUES (0, '-Infinity', 'Kanarienvogel', true);
    END IF;
    CREATE TABLE shops (id int4 PRIMARY KEY, city text NOT NULL, x float8 NOT NULL);
    INSERT INTO shops SELECT i, 'city ' || i % 3, i FROM generate_series(1, 6) AS i;
    GRANT ALL ON shops TO PUBLIC;
    PERFORM dpsens.set_range('shops', 'x', 0, 5);
    FOREACH r IN ARRAY '{people, parts, walled, visits, capped}'::regclass[] LOOP
        PERFORM dpsens.protect(r), dpsens.set_range(r, 'age', 0, 120), dpsens.set_values(r, 'member', 'true', 'false');
        PERFORM dpsens.grant_budget(r, 'dpsens_smith_ana', epsilon => 1000000, delta => 0.5, own_tables => true), dpsens.grant_budget(r, 'dpsens_smith_reader', epsilon => 1000000, delta => 0.5, own_tables => true);
    END LOOP;
    PERFORM dpsens.protect('visits', unit => 'id', max_rows => 3, max_rows_per_group => 2), dpsens.set_budget('capped', row_epsilon => 0.0001);
    PERFORM dpsens.set_range('people', 'pay', 0, 1000), dpsens.set_range('people', 'id', 0, 1000), dpsens.set_range('people', 'small', 0, 10),
        dpsens.set_range('people', 'big', 0, 10000), dpsens.set_range('people', 'ratio', 0, 2),
        dpsens.set_range('people', 'born', '1980-01-01', '1981-12-31'), dpsens.set_range('people', 'met', '2021-01-01', '2021-12-31'), dpsens.set_range('people', 'span', 0, 1000000);
    PERFORM dpsens.set_values('people', 'feels', 'sad', 'calm', 'happy');
    PERFORM dpsens.register('double_age', 'people', 'age * 2');
    GRANT EXECUTE ON FUNCTION double_age(people) TO PUBLIC;
    GRANT SELECT ON people, parts, walled, visits, capped, parts_low, parts_high TO dpsens_smith_reader;
    CREATE VIEW rows_of_people AS SELECT id, age, name, feels, born, pay, member, secret, small FROM people WHERE age >= 0;
    CREATE VIEW answer AS SELECT dp_count(*) AS n FROM people;
    ALTER VIEW rows_of_people OWNER TO dpsens_smith_ana;
    ALTER VIEW answer OWNER TO dpsens_smith_ana;
    GRANT SELECT ON rows_of_people, answer TO PUBLIC;
    CREATE TABLE loot (what text);
    GRANT ALL ON loot TO PUBLIC;
END $make$;
SET client_min_messages = error;
SELECT smithy.make_world('near_a', true);
SELECT smithy.make_world('near_b', false);
SET client_min_messages = warning;
ANALYZE near_a.people, near_b.people, near_a.parts, near_b.parts, near_a.walled, near_b.walled, near_a.visits, near_b.visits;

-- what an analyst may write
SET ROLE dpsens_smith_ana;
SET search_path = smithy, public;
CREATE FUNCTION leak(what text) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO loot VALUES (what); RETURN true; END $$;
CREATE FUNCTION shout(what text) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '%', what; RETURN true; END $$;
CREATE FUNCTION quiet(what text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT what || '!' $$;
CREATE FUNCTION ask(question text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE r record; said text = ''; BEGIN FOR r IN EXECUTE question LOOP said := said || r::text; END LOOP; RETURN said; END $$;
CREATE DOMAIN loud AS text CHECK (shout(value));
RESET ROLE;
