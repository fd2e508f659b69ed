-- The conditions of one row hold a few dozen MB, however many calls they make and however long
-- its cells are: a limit of memory would be an error that says which row met it.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(9);

DROP SCHEMA IF EXISTS memory_tap CASCADE;
CREATE SCHEMA memory_tap;
SET search_path = memory_tap, public;
SET dpsens.epsilon = 1;
SET dpsens.noise = off;
CREATE TABLE notes (id int PRIMARY KEY, note text, odd text);
INSERT INTO notes SELECT i, CASE i WHEN 7 THEN repeat('x', 4000000) ELSE 'x' END, CASE i WHEN 7 THEN repeat('x', 900000) ELSE 'x' END FROM generate_series(1, 10) i;
SELECT dpsens.protect('notes', unit => 'id') \g /dev/null

CREATE ROLE memory_tap_ana;
GRANT USAGE ON SCHEMA memory_tap TO memory_tap_ana;
SELECT dpsens.grant_budget('notes', 'memory_tap_ana', epsilon => 100) \g /dev/null
CREATE FUNCTION conditions(one text, times int) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(replace(one, '@', i::text), ' AND ') FROM generate_series(1, times) i;
$$;
CREATE TABLE asked (name text, condition text);
INSERT INTO asked VALUES
    ('reading', conditions('strpos(note, ''y@'') = 0', 100)),
    ('making', conditions('coalesce(upper(note) <> ''@'', true)', 100)),
    ('megabytes', conditions('coalesce(overlay(odd placing ''@'' from 1) <> ''z'', true)', 300)),
    ('building', 'length(' || repeat('replace(', 100) || 'odd' || repeat(', ''x'', ''y'')', 100) || ') > 0'),
    ('repeating', 'length(repeat(''x'', CASE id WHEN 7 THEN 400000000 ELSE 10 END)) > 0'),
    ('padding', 'length(lpad(''x'', CASE id WHEN 7 THEN 100000000 ELSE 10 END)) > 0'),
    ('short', 'length(upper(odd) || ''x'') IN (2, 900001) AND length(repeat(odd, 1)) > 0 AND length(lpad(odd, 1000000)) = 1000000'),
    ('liking', conditions('note NOT LIKE ''%y@%''', 100)),
    ('long', 'upper(note) <> ''''');

-- What the process had at most, in kB, is asked of one process for each.
CREATE FUNCTION highest() RETURNS int LANGUAGE sql AS $$ SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*([0-9]+)')::int $$;
CREATE FUNCTION ask(what text) RETURNS text LANGUAGE plpgsql SET search_path = memory_tap, public SET dpsens.epsilon = 1 SET dpsens.noise = off SET client_min_messages = error AS $$
DECLARE
    before int;
    answer int;
    question text = (SELECT 'SELECT dp_count(*)::int FROM memory_tap.notes WHERE ' || condition FROM memory_tap.asked WHERE name = what);
BEGIN
    -- the first answer of a session loads what others have
    PERFORM dp_count(*) FROM memory_tap.notes;
    before = highest();
    IF what = 'liking' THEN
        PERFORM set_config('dpsens.noise', 'on', true), set_config('dpsens.epsilon', '60', true), set_config('role', 'memory_tap_ana', true);
    END IF;
    EXECUTE question INTO answer;
    PERFORM set_config('role', 'none', true);
    RETURN format('%s in %s memory', answer, CASE WHEN highest() - before < 150000 THEN 'little' ELSE highest() - before || ' kB of' END);
END $$;
\setenv PGOPTIONS '-c client_min_messages=error'
\set answer `psql -XAtqc "SELECT memory_tap.ask('reading')"`
SELECT is(:'answer'::text, '10 in little memory', 'reading');
\set answer `psql -XAtqc "SELECT memory_tap.ask('making')"`
SELECT is(:'answer'::text, '10 in little memory', 'making');
\set answer `psql -XAtqc "SELECT memory_tap.ask('megabytes')"`
SELECT is(:'answer'::text, '10 in little memory', 'megabytes');
\set answer `psql -XAtqc "SELECT memory_tap.ask('building')"`
SELECT is(:'answer'::text, '9 in little memory', 'building');
\set answer `psql -XAtqc "SELECT memory_tap.ask('repeating')"`
SELECT is(:'answer'::text, '9 in little memory', 'repeating');
\set answer `psql -XAtqc "SELECT memory_tap.ask('padding')"`
SELECT is(:'answer'::text, '9 in little memory', 'padding');
\set answer `psql -XAtqc "SELECT memory_tap.ask('short')"`
SELECT is(:'answer'::text, '10 in little memory', 'short');
\set answer `psql -XAtqc "SELECT memory_tap.ask('long')"`
SELECT is(:'answer'::text, '10 in little memory', 'long');
\set answer `psql -XAtqc "SELECT memory_tap.ask('liking')"`
SELECT is(:'answer'::text, '10 in little memory', 'liking');

SELECT * FROM finish();
DROP SCHEMA memory_tap CASCADE;
DROP ROLE memory_tap_ana;
