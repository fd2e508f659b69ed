-- The conditions of one row hold a few dozen MB, however many calls they make and however long
-- its cells are: a limit of memory would be an error that says which row met it.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(13);

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


-- The server keeps each time zone that a text names for as long as the process lives, and takes
-- 'XYZ5' for one.
SELECT setseed(0.375) \g /dev/null
CREATE TABLE times (id int PRIMARY KEY, said text);
INSERT INTO times SELECT i, (ARRAY['', '10:00', '10:00 ', '2020-01-01', '2020-01-01 10:00', '2020-01-01 10:00 ', '2020-01-01 ', '20200101T100000'])[1 + floor(random() * 8)] || (
    SELECT string_agg(CASE floor(random() * 4) WHEN 0 THEN (ARRAY[' ', ' ', ' ', '-', '+', '/', '.', ':', '_', ',', '#', '<', '>', '"', '\', 'T'])[1 + floor(random() * 16)]
        WHEN 1 THEN floor(random() * 10 ^ floor(1 + random() * 4))::text
        WHEN 2 THEN (ARRAY['jan', 'mon', 'zzz', 'q', 'bc', 'am', 'GMT', 'Etc/GMT', 'utc', 'pst', 'j', 'y', 'America/New_York', 'today', 'zulu', 'é'])[1 + floor(random() * 16)]
        ELSE translate(left(md5(random()::text), 1 + (i + k) % 4), '0123456789', 'ghijklmnop') END, CASE WHEN i % 2 = 0 THEN '' ELSE ' ' END)
    FROM generate_series(1, 1 + i % 6) k)
FROM generate_series(1, 30000) i;
-- and words that the server knows before what would make a zone of another
INSERT INTO times SELECT 30000 + row_number() OVER (), format('%s%s%s%s:%s', start, word, sign, i, 7 * i)
FROM unnest('{"10:00 ", "2020-01-01 "}'::text[]) start, unnest('{t, j, jd, julian, am, pm, ad, bc, y, m, d, h, s, jan, sept, december, mon, tues, thurs, sunday, dow, epoch, now, on, at, z, utc, gmt, bst}'::text[]) word,
    unnest('{"", +, -, /, ., ":", _}'::text[]) sign, generate_series(1, 8) i;
SELECT dpsens.protect('times', unit => 'id') \g /dev/null
CREATE FUNCTION zones() RETURNS bigint LANGUAGE sql AS $$ SELECT sum(used_bytes)::bigint FROM pg_backend_memory_contexts WHERE 'Timezones' IN (name, ident) $$;
CREATE FUNCTION kept(condition text) RETURNS text LANGUAGE plpgsql SET search_path = memory_tap, public SET dpsens.epsilon = 1 SET dpsens.noise = off SET client_min_messages = error AS $$
DECLARE
    before bigint = zones();
BEGIN
    EXECUTE 'SELECT dp_count(*) FROM memory_tap.times WHERE ' || condition;
    RETURN CASE WHEN zones() - before < 8000000 THEN 'few zones' ELSE zones() - before || ' bytes of zones' END;
END $$;
-- where a conversion fails, too
CREATE FUNCTION kept_by_server() RETURNS boolean LANGUAGE plpgsql SET search_path = memory_tap, public AS $$
DECLARE
    before bigint = zones();
    found record;
BEGIN
    FOR found IN SELECT said, type FROM times, unnest('{timestamptz, time}'::text[]) type LOOP
        BEGIN
            EXECUTE format('SELECT %L::%s', found.said, found.type);
        EXCEPTION WHEN OTHERS THEN
        END;
    END LOOP;
    RETURN zones() - before > 16000000;
END $$;
\set answer `psql -XAtqc "SELECT memory_tap.kept('said::date < now() OR said::timestamp < now() OR said::timestamptz < now() IS NULL')"`
SELECT is(:'answer'::text, 'few zones', 'texts made into dates');
\set answer `psql -XAtqc "SELECT memory_tap.kept('said::time < now()::time OR said::timetz < now()::timetz IS NULL')"`
SELECT is(:'answer'::text, 'few zones', 'into times');
\set answer `psql -XAtqc "SELECT memory_tap.kept_by_server()"`
SELECT is(:'answer'::text, 't', 'the server keeps many of these');
CREATE TABLE known AS SELECT row_number() OVER ()::int AS id, said, said::timestamptz AS at FROM unnest(ARRAY['2020-01-01 10:00 America/New_York', 'Jan-08-1999', 'January/8/1999', '08-Jan-1999', '1999-Jan-08', 'January 8, 1999',
    'Mon Jan  8 04:05:06 1999 PST', '20010204T040506-08', '2020-01-01T10:00:00Z', '2020-01-01 10:00 GMT+3', '2020-01-01 10:00 UTC-03', '2020-01-01 10:00 Etc/GMT-14', '2020-01-01 10:00 PST8PDT', 'J2451187',
    '2020-01-01 04:05 PM', '2020-01-01 04:05:06.789+05:30', '2001.034', '0099 Jan 08 BC', 'infinity', '20010204 040506 zulu', '2020-01-01 04:05 AM Europe/Berlin', 'Jan8 1999', 'Feb-28-2020 10:00 +02']) said;
ALTER TABLE known ADD PRIMARY KEY (id);
SELECT dpsens.protect('known', unit => 'id') \g /dev/null
SELECT is(dp_count(*), (SELECT count(*) FROM known), 'others are read as the server does') FROM known WHERE said::timestamptz = at;

SELECT * FROM finish();
DROP SCHEMA memory_tap CASCADE;
DROP ROLE memory_tap_ana;
