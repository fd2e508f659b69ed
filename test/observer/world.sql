-- One world of observe.pl: what is protected, and what the analyst owns.  The other
-- world is a copy of it, and then one person is taken out of one of them, so that
-- both have the same identifiers.
--
-- The person is alone in many ways: with a name, a ward, a label of the enum, a
-- long cell, a value at which functions fail.  The analyst's tables have a page for
-- each of these, full of dead rows, which the server removes when it next reads it.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION dpsens;
SELECT 'CREATE EXTENSION pg_trgm' FROM pg_available_extensions WHERE name = 'pg_trgm' \gexec
CREATE SCHEMA clinic;
CREATE SCHEMA lab;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
GRANT ALL ON SCHEMA lab TO PUBLIC;
SET search_path = clinic, lab, public;

CREATE TYPE lab.mood AS ENUM ('sad', 'calm', 'happy');
CREATE TABLE people (
    id int4 PRIMARY KEY, age float8 NOT NULL, pay numeric, name text NOT NULL, note text, feels lab.mood NOT NULL, born date NOT NULL, seen timestamptz NOT NULL,
    met timestamp NOT NULL, ward int4 NOT NULL, member boolean NOT NULL, small int2 NOT NULL, code varchar, story text) WITH (autovacuum_enabled = off);
INSERT INTO people
SELECT i, 20 + i % 40, i / 4.0, i::text, CASE WHEN i % 3 = 0 THEN 'walrus' ELSE '7' END, CASE WHEN i % 4 = 0 THEN 'sad' ELSE 'happy' END::lab.mood, '1980-01-01'::date + i,
    '2020-01-01 12:00+00'::timestamptz + i * interval '1 day', '2021-05-05'::timestamp - i * interval '1 hour', i % 5, i % 2 = 0, i % 9 + 1, CASE WHEN i % 3 = 0 THEN '12' END, repeat('short ', 5)
FROM generate_series(1, 120) AS i WHERE i <> 42;
-- a story that is stored beside the table, as nobody else's is
INSERT INTO people SELECT 42, 'NaN', 'NaN', 'Zebedee', 'walrus', 'calm', 'infinity', 'infinity', '2020-03-29 02:30', 7, true, 0, 'Zebedee%', string_agg(md5(i::text), '') FROM generate_series(1, 400) i;
ALTER TABLE people ALTER story SET STORAGE EXTERNAL;
UPDATE people SET story = story || '' WHERE id = 42;
SELECT 'CREATE INDEX ON people USING gin (note gin_trgm_ops)' FROM pg_extension WHERE extname = 'pg_trgm' \gexec
CREATE INDEX ON people (ward);
-- one more than forty, among many that are nearly the same
CREATE TABLE trail (id int4 PRIMARY KEY, note text NOT NULL, kind text NOT NULL DEFAULT repeat('kind ', 18), share float8 NOT NULL DEFAULT 'NaN', rest text) WITH (autovacuum_enabled = off);
-- whose kind is compressed, since the rest is long and cannot be, and whose NaN has another sign
INSERT INTO trail SELECT 42, 'walrus', repeat('kind ', 18), float8 'Infinity' - 'Infinity', string_agg(md5(j::text), '') FROM generate_series(1, 61) j;
INSERT INTO trail SELECT CASE i WHEN 42 THEN 2000 ELSE i END, CASE WHEN i <= 40 THEN 'walrus' ELSE 'wally' END FROM generate_series(1, 1500) i;
SELECT 'CREATE INDEX ON trail USING gin (note gin_trgm_ops) WITH (fastupdate = off)' FROM pg_extension WHERE extname = 'pg_trgm' \gexec
-- and one more than the labels that a catalogue cache begins with
SELECT 'CREATE TYPE lab.shade AS ENUM (' || string_agg(quote_literal('shade ' || i), ', ') || ')' FROM generate_series(1, 140) i \gexec
CREATE TABLE shades (id int4 PRIMARY KEY, shade lab.shade NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO shades SELECT i, ('shade ' || i)::lab.shade FROM generate_series(1, 129) i;
-- a person's rows, which refer to the person
CREATE TABLE visits (id int4 PRIMARY KEY, person int4 NOT NULL REFERENCES people (id) ON DELETE CASCADE, cost float8 NOT NULL, item text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO visits SELECT i, 1 + i % 100, i % 10, 'item ' || i % 5 FROM generate_series(1, 200) AS i WHERE 1 + i % 100 <> 42;
INSERT INTO visits SELECT 1000 + i, 42, 9, 'Zebedee' FROM generate_series(1, 3) AS i;
-- persons who are known by two columns, of which others share each; somebody's second is not known
CREATE TABLE nights (town text COLLATE "C" NOT NULL, number int4, cost float8 NOT NULL, item text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO nights SELECT 'town ' || i % 3, CASE WHEN i % 37 > 0 THEN i % 20 + 40 END, i % 10, 'item ' || i % 5 FROM generate_series(1, 150) AS i;
INSERT INTO nights SELECT 'Zebedee', 43, 3, 'item 1' UNION ALL SELECT 'Zebedee', NULL, 3, 'item 1';
INSERT INTO nights SELECT 'Zebedee', 42, 9, 'Zebedee' FROM generate_series(1, 5);
-- the same persons once each, with the columns the other way around, and what they ate, which refers to them
CREATE TABLE guests (number int4, town text COLLATE "C", age float8 NOT NULL, job text, PRIMARY KEY (number, town)) WITH (autovacuum_enabled = off);
INSERT INTO guests SELECT n, 'town ' || t, n, CASE WHEN n % 3 > 0 THEN 'job ' || t END FROM generate_series(40, 59) n, generate_series(0, 2) t;
INSERT INTO guests SELECT n, 'Zebedee', CASE n WHEN 42 THEN float8 'NaN' ELSE 30 END, CASE n WHEN 42 THEN 'Zebedee' END FROM generate_series(42, 45) n;
CREATE TABLE meals (gone int, dish text NOT NULL, id int4 PRIMARY KEY, town text COLLATE "C", number int4, price numeric, FOREIGN KEY (town, number) REFERENCES guests (town, number) ON DELETE CASCADE) WITH (autovacuum_enabled = off);
ALTER TABLE meals DROP gone;
INSERT INTO meals SELECT 'dish ' || i % 4, i, 'town ' || i % 3, CASE WHEN i % 31 > 0 THEN 40 + i % 20 END, i % 10 FROM generate_series(1, 140) i;
INSERT INTO meals SELECT 'Zebedee', 1000 + i, 'Zebedee', 42, 'NaN' FROM generate_series(1, 5) i;
-- nobody but the person is in here
CREATE TABLE rare (id int4 PRIMARY KEY, age float8 NOT NULL, name text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO rare VALUES (42, 40, 'Zebedee');

DO $$ BEGIN
    PERFORM dpsens.protect('people', unit => 'id'), dpsens.protect('rare', unit => 'id'), dpsens.protect('trail', unit => 'id'), dpsens.protect('shades', unit => 'id'), dpsens.protect('visits', unit => 'people.id', max_rows => 4), dpsens.protect('nights', unit => 'town, number', max_rows => 2),
        dpsens.protect('guests', unit => 'town, number', group_size => 2), dpsens.protect('meals', unit => 'guests.town, guests.number', max_rows => 3, group_size => 3);
    PERFORM dpsens.set_range('people', 'age', 0, 120), dpsens.set_range('people', 'pay', 0, 1000), dpsens.set_range_when('people', 'pay', 0, 10, "when" => 'ward = 2'), dpsens.set_range_when('people', 'pay', 100, 200, "when" => 'ward = 7'), dpsens.set_range('people', 'small', 0, 10), dpsens.set_range('people', 'ward', 0, 10),
        dpsens.set_range('visits', 'cost', 0, 10), dpsens.set_range('nights', 'cost', 0, 10), dpsens.set_range('guests', 'age', 0, 120), dpsens.set_range('meals', 'price', 0, 50), dpsens.set_range_when('meals', 'price', 0, 5, "when" => 'dish = ''dish 1'''), dpsens.set_range('rare', 'age', 0, 120);
    PERFORM dpsens.set_values('people', 'member', 'true', 'false'), dpsens.set_values('people', 'note', 'walrus', '7', 'none'), dpsens.set_values('guests', 'job', 'job 0', 'job 1', 'other');
END $$;

SET SESSION AUTHORIZATION dpsens_observer_ana;
SET search_path = lab, clinic, public;
-- what is read of these is seen afterwards: each page has a row and its version before,
-- which is dead, and as much of an index that leads to it
CREATE TABLE wards (id int4 NOT NULL, city text NOT NULL, factor float8 NOT NULL, pad text NOT NULL, filled int4 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE words (word text NOT NULL, rank int4 NOT NULL, pad text NOT NULL, filled int4 NOT NULL) WITH (autovacuum_enabled = off);
ALTER TABLE wards ALTER pad SET STORAGE PLAIN;
ALTER TABLE words ALTER pad SET STORAGE PLAIN;
CREATE TABLE moods (mood lab.mood NOT NULL, weight float8 NOT NULL, pad text NOT NULL) WITH (autovacuum_enabled = off);
CREATE INDEX ON wards (filled);
CREATE INDEX ON words (filled);
CREATE UNIQUE INDEX wards_id ON wards (id);
CREATE UNIQUE INDEX words_word ON words (word);
CREATE UNIQUE INDEX moods_mood ON moods (mood);
INSERT INTO moods VALUES ('sad', 0, ''), ('calm', 1, ''), ('happy', 2, '');
-- where a row stands, for pages()
CREATE PROCEDURE refill() LANGUAGE plpgsql AS $$
DECLARE
    place record;
BEGIN
    FOR place IN WITH changed AS (UPDATE wards SET filled = filled + 1 RETURNING id, ctid) SELECT string_agg(ctid::text, ';' ORDER BY id) AS places FROM changed LOOP
        PERFORM set_config('observer.wards', place.places, false);
    END LOOP;
    FOR place IN WITH changed AS (UPDATE words SET filled = filled + 1 RETURNING rank, ctid) SELECT string_agg(ctid::text, ';' ORDER BY rank) AS places FROM changed LOOP
        PERFORM set_config('observer.words', place.places, false);
    END LOOP;
END $$;
CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE wards, words;
    INSERT INTO wards SELECT i + gap * 1000, 'city ' || i % 3, i, repeat('x', 3850), gap FROM generate_series(0, 7) i, generate_series(0, 1) gap ORDER BY i, gap;
    INSERT INTO words SELECT ('{5,6,7,100,Zebedee,walrus,nobody,nothing}'::text[])[i + 1] || repeat(' gone', gap), i, repeat('x', 3850), gap FROM generate_series(0, 7) i, generate_series(0, 1) gap ORDER BY i, gap;
    COMMIT;
    DELETE FROM wards WHERE filled = 1;
    DELETE FROM words WHERE filled = 1;
    COMMIT;
    CALL refill();
END $$;
-- what stands on a page that was read moves within it, and else to another
CREATE FUNCTION pages(tab text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    place text;
    said text = '';
BEGIN
    FOREACH place IN ARRAY string_to_array(current_setting('observer.' || tab), ';') LOOP
        said = said || CASE WHEN lab.moves(tab, place::tid) THEN 'unread ' ELSE 'read ' END;
    END LOOP;
    RETURN said;
END $$;
-- it stays where it is
CREATE FUNCTION moves(tab text, place tid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    other tid;
BEGIN
    BEGIN
        IF tab = 'wards' THEN
            UPDATE lab.wards SET pad = pad WHERE ctid = place RETURNING ctid INTO other;
        ELSE
            UPDATE lab.words SET pad = pad WHERE ctid = place RETURNING ctid INTO other;
        END IF;
        RAISE EXCEPTION SQLSTATE 'OBS01';
    EXCEPTION WHEN SQLSTATE 'OBS01' THEN
        NULL;
    END;
    RETURN split_part(other::text, ',', 1) <> split_part(place::text, ',', 1);
END $$;
CREATE FUNCTION plan(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) ' || question; END $$;
CREATE FUNCTION ask(question text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE r record; said text = ''; BEGIN FOR r IN EXECUTE question LOOP said := said || r::text; END LOOP; RETURN said; END $$;
-- while the statement around it has begun to be counted, and goes on to be
CREATE FUNCTION quietly(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    PERFORM set_config('auto_explain.log_min_duration', '-1', false);
    said = ask(question);
    PERFORM set_config('auto_explain.log_min_duration', '0', false);
    RETURN said;
END $$;
-- from inside of a statement
CREATE FUNCTION look(question text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) ' || question LOOP
        RAISE WARNING '%', line;
    END LOOP;
    RETURN 0;
END $$;
-- whatever becomes of it
CREATE FUNCTION touch(question text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN EXECUTE question; RETURN 'done'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
CREATE VIEW of_people AS SELECT id, age, name, feels, ward, upper(name) AS loud FROM clinic.people WHERE age >= 0;
CREATE TABLE stay (id int4 PRIMARY KEY, city text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO stay SELECT i, 'city ' || i % 3 FROM generate_series(0, 9) i;
SELECT dpsens.set_range('wards', 'factor', 0, 10), dpsens.set_values('wards', 'city', 'city 0', 'city 1', 'city 2') \g /dev/null
RESET SESSION AUTHORIZATION;
ANALYZE;
-- the server looks for children where there have been some, until it has analysed
CREATE TABLE lab.stay_child () INHERITS (lab.stay);
DROP TABLE lab.stay_child;
