-- Row 17 again: labels of enums that are gone when rows are compared by them, or not
-- committed.  The types are the analyst's own, so that no lock keeps them.
\ir start.sql
\setenv PREPARE 'SET dpsens.epsilon = 60; SET SESSION AUTHORIZATION dpsens_attack_ana'
SET SESSION AUTHORIZATION dpsens_attack_ana;
CREATE TYPE lab.brief47 AS ENUM ('b', 'c');
-- whose OIDs are not in the order of labels
ALTER TYPE lab.brief47 ADD VALUE 'a' BEFORE 'b';
ALTER TYPE lab.brief47 ADD VALUE 'd' BEFORE 'b';
CREATE TABLE lab.letters47 (letter lab.brief47);
INSERT INTO lab.letters47 VALUES ('a'), ('d'), ('c');
CREATE DOMAIN lab.word47 AS text;
CREATE TABLE lab.words47 (word lab.word47);
INSERT INTO lab.words47 VALUES ('Zebedee'), ('d'), ('c');
RESET SESSION AUTHORIZATION;
-- a cursor of the role over the table, whose last row is asked for when the type is
-- gone; nothing of it stays
CREATE FUNCTION lab.without_type(question text, tab text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    said = lab.try('dpsens_attack_ana', 'DECLARE c47 CURSOR FOR ' || replace(replace(question, '%s', tab), '%c', $c$CASE WHEN secret THEN 'a'::lab.brief47 WHEN id = 41 THEN 'd' ELSE 'c' END$c$), 'DROP DOMAIN lab.word47 CASCADE', 'DROP TYPE lab.brief47 CASCADE', 'FETCH c47');
    RAISE EXCEPTION USING ERRCODE = 'P0047', MESSAGE = replace(said, tab, 'table');
EXCEPTION WHEN SQLSTATE 'P0047' THEN
    PERFORM set_config('role', 'none', false);
    RETURN SQLERRM;
END $$;
CREATE TEMP TABLE asked47 AS SELECT * FROM (VALUES
    ('a condition', 'SELECT dp_count(*) FROM %s WHERE %c < ''b'' OR id < 11'),
    ('an equality', 'SELECT dp_count(*) FROM %s WHERE secret AND %c = ''a'''),
    ('a cast to text', 'SELECT dp_count(*) FROM %s WHERE secret AND %c::text = ''a'''),
    ('a cast from text', 'SELECT dp_count(*) FROM %s WHERE secret AND left(lower(note), 1)::lab.brief47 IS NULL'),
    ('a bucket', 'SELECT dp_count(*) FROM %s WHERE secret AND width_bucket(%c, ''{d,b,c}''::lab.brief47[]) = 0'),
    ('a row expression', 'SELECT dp_sum(CASE WHEN secret AND %c < ''b'' THEN age ELSE 0 END) FROM %s WHERE id < 50'),
    ('FILTER', 'SELECT dp_sum(age) FILTER (WHERE secret AND %c < ''b'') FROM %s'),
    ('a key', 'SELECT sum(n) FROM (SELECT %c AS k, dp_count(*) AS n FROM %s WHERE id IN (41, 42) GROUP BY 1) q'),
    ('a join with a list', 'SELECT dp_count(*) FROM %s JOIN (VALUES (''a''::lab.brief47), (''d''), (''c'')) v (letter) ON letter = %c WHERE secret'),
    ('IN', 'SELECT dp_count(*) FROM %s WHERE secret AND %c IN (SELECT letter FROM lab.letters47)'),
    ('IN of a domain', 'SELECT dp_count(*) FROM %s WHERE secret AND name IN (SELECT word FROM lab.words47)'),
    ('EXISTS', 'SELECT dp_count(*) FROM %s WHERE secret AND EXISTS (SELECT FROM lab.letters47 WHERE letter = %c)')
) v (what, question);
-- with all kinds of plans
CREATE TEMP TABLE said47 AS SELECT what, kind, set_config('enable_hashjoin', kind, true) AS a, set_config('enable_hashagg', kind, true) AS b, set_config('enable_nestloop', kind, true) AS c,
    lab.without_type(question, 'people') AS with_her, lab.without_type(question, 'others') AS without_her
FROM asked47, unnest('{off, on}'::text[]) kind;
SELECT is(with_her, without_her, format('a type that is gone: %s (%s)', what, kind)) FROM said47;
SELECT matches(with_her, '^00000[^\n]*\n00000[^\n]*\n00000[^\n]*\n55000', format('and what is said of it: %s (%s)', what, kind)) FROM said47;
-- a label that is not committed is none, and none is looked for with a cell
\setenv COUNT 'WHERE name::lab.brief47 IS NOT NULL OR id < 11'
\set with_her `psql -XAtq -c "$PREPARE" -c "BEGIN; ALTER TYPE lab.brief47 ADD VALUE 'Zebedee'" -c "SELECT dp_count(*) FROM people $COUNT" -c "COMMIT" 2>&1`
SELECT CASE WHEN :'rooms' THEN '^ERROR:  type brief47 was changed or locked in the same transaction\nDETAIL:[^\n]*\nHINT:[^\n]*$' ELSE '^10$' END AS uncommitted \gset
SELECT matches(:'with_her'::text, :'uncommitted', 'a label that is not committed, with her');
\set without_her `psql -XAtq -c "$PREPARE" -c "BEGIN; ALTER TYPE lab.brief47 ADD VALUE '7up'" -c "SELECT dp_count(*) FROM others $COUNT" -c "COMMIT" 2>&1`
SELECT matches(:'without_her'::text, :'uncommitted', 'and without her');
-- where that was an error it is not there yet
ALTER TYPE lab.brief47 ADD VALUE IF NOT EXISTS 'Zebedee';
\set with_her `psql -XAtq -c "$PREPARE" -c "SELECT dp_count(*) FROM people $COUNT" 2>&1`
SELECT is(:'with_her'::text, '11', 'once it is committed');
DROP TABLE lab.letters47, lab.words47;
DROP TYPE lab.brief47;
DROP DOMAIN lab.word47;
SELECT * FROM finish();
