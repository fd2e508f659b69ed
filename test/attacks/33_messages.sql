-- Row 33: cells in messages, details, hints, contexts.
\ir start.sql
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.strict33 (n text UNIQUE CHECK (n !~ 'Zeb'), k int NOT NULL DEFAULT 1);
GRANT ALL ON lab.strict33 TO PUBLIC;
INSERT INTO lab.strict33 VALUES ('1', 1);
CREATE DOMAIN lab.plain33 AS text CHECK (VALUE !~ 'Zeb');
CREATE FUNCTION lab.trigger33() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'got %', NEW.n; END $$;
CREATE TABLE lab.triggered33 (n text);
CREATE TRIGGER t BEFORE INSERT ON lab.triggered33 FOR EACH ROW EXECUTE FUNCTION lab.trigger33();
GRANT ALL ON lab.triggered33 TO PUBLIC;
RESET ROLE;
SELECT attempt('words: ' || what, question, '(42501|0A000|42804|55000|42|00000.\(-?[0-9]+\)$|00000.\(,-?[0-9]+\)$)', twin, '[Zz]ebedee')
FROM (VALUES
    ('a check''s failing row', 'INSERT INTO lab.strict33 (n) SELECT name FROM people', 'INSERT INTO lab.strict33 (n) SELECT name FROM people WHERE secret'),
    ('a trigger', 'INSERT INTO lab.triggered33 SELECT name FROM people', 'INSERT INTO lab.triggered33 SELECT name FROM people WHERE secret'),
    ('an input function', 'SELECT dp_count(*) FROM people WHERE name::int > 0', 'SELECT count(*) FROM people WHERE name::int > 0'),
    ('an input function, in a value', 'SELECT dp_sum(name::int) FROM people', 'SELECT sum(name::int) FROM people'),
    ('a number''s input', 'SELECT dp_sum(name::float8) FROM people WHERE secret', 'SELECT sum(name::float8) FROM people WHERE secret'),
    ('json', 'SELECT dp_count(*) FROM people WHERE name::json IS NULL', 'SELECT count(*) FROM people WHERE secret AND name::json IS NULL'),
    ('xml', 'SELECT dp_count(*) FROM people WHERE (''<'' || name)::xml IS NULL', 'SELECT count(*) FROM people WHERE secret AND (''<'' || name)::xml IS NULL'),
    ('an enum', 'SELECT dp_count(*) FROM people WHERE name::lab.mood = ''sad''', 'SELECT count(*) FROM people WHERE secret AND name::lab.mood = ''sad'''),
    ('a relation''s name', 'SELECT dp_count(*) FROM people WHERE name::regclass = 0', 'SELECT count(*) FROM people WHERE secret AND name::regclass = 0'),
    ('a setting''s name', 'SELECT dp_count(*) FROM people WHERE current_setting(''a.'' || name) = ''''', 'SELECT count(*) FROM people WHERE secret AND current_setting(''a.'' || name) = '''''),
    ('a time zone', 'SELECT dp_count(*) FROM people WHERE seen AT TIME ZONE name > now()', 'SELECT count(*) FROM people WHERE secret AND seen AT TIME ZONE name > now()'),
    ('a time unit', 'SELECT dp_count(*) FROM people WHERE date_trunc(name, seen) > now()', 'SELECT count(*) FROM people WHERE secret AND date_trunc(name, seen) > now()'),
    ('an encoding', 'SELECT dp_count(*) FROM people WHERE encode(''x'', name) = ''''', 'SELECT count(*) FROM people WHERE secret AND encode(''x'', name) = '''''),
    ('an encoding, in FILTER', 'SELECT dp_count(*) FILTER (WHERE encode(''x'', name) = '''') FROM people WHERE age > 0', 'SELECT count(*) FILTER (WHERE encode(''x'', name) = '''') FROM people WHERE secret'),
    ('a query', 'SELECT dp_count(*) FROM people WHERE query_to_xml(name, true, true, '''') IS NULL', 'SELECT count(*) FROM people WHERE secret AND query_to_xml(name, true, true, '''') IS NULL'),
    ('a text search configuration', 'SELECT dp_count(*) FROM people WHERE to_tsvector(name::regconfig, ''x'') IS NULL', 'SELECT count(*) FROM people WHERE secret AND to_tsvector(name::regconfig, ''x'') IS NULL'),
    ('a key of groups', 'SELECT name::lab.mood, dp_count(*) FROM people GROUP BY 1', 'SELECT name::lab.mood, count(*) FROM people WHERE secret GROUP BY 1')
) AS list (what, question, twin);
-- a client that wants to hear everything
\setenv ASK 'SET client_min_messages = debug5; SET log_error_verbosity = default; SET SESSION AUTHORIZATION dpsens_attack_ana; SELECT dp_count(*) > -10000, dp_sum(CASE WHEN name = $$x$$ THEN age END) < 1e9 FROM people WHERE id = 42 AND name LIKE $$Z%$$; SELECT 1 / (dp_count(*) * 0) FROM people WHERE secret; SELECT * FROM people'
\set said `psql -XAtq -v VERBOSITY=verbose -v SHOW_CONTEXT=always -c "$ASK" 2>&1`
SELECT doesnt_match(:'said'::text, 'Zebedee', 'nothing is said at debug5');
\setenv ASK 'SET client_min_messages = debug5; SET SESSION AUTHORIZATION dpsens_attack_reader; SELECT count(*) FROM people WHERE name::int > 0'
\set said `psql -XAtq -v VERBOSITY=verbose -v SHOW_CONTEXT=always -c "$ASK" 2>&1`
SELECT matches(:'said'::text, 'Zebedee', 'nothing is said at debug5: open to others');
-- a collation of another version than the library's is warned of when it is loaded
UPDATE pg_collation SET collversion = '0' WHERE collname = 'fr-x-icu';
CREATE FUNCTION lab.ask33(who text, id int, aggregate text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SET SESSION AUTHORIZATION %s; SELECT %s > -1000 FROM people WHERE id = %s AND name COLLATE "fr-x-icu" = %L', who, aggregate, id, 'z') $$;
SELECT lab.ask33('dpsens_attack_ana', 42, 'dp_count(*)') AS ana_there, lab.ask33('dpsens_attack_ana', 4242, 'dp_count(*)') AS ana_not,
    lab.ask33('dpsens_attack_reader', 42, 'count(*)') AS reader_there, lab.ask33('dpsens_attack_reader', 4242, 'count(*)') AS reader_not \gset
\setenv ASK :ana_there
\set there `psql -XAtq -c "$ASK" 2>&1`
\setenv ASK :ana_not
\set nobody `psql -XAtq -c "$ASK" 2>&1`
SELECT is(:'there'::text, :'nobody'::text, 'a collation of another version');
\setenv ASK :reader_there
\set there `psql -XAtq -c "$ASK" 2>&1`
\setenv ASK :reader_not
\set nobody `psql -XAtq -c "$ASK" 2>&1`
SELECT isnt(:'there'::text, :'nobody'::text, 'a collation of another version: open to others');
UPDATE pg_collation SET collversion = pg_collation_actual_version(oid) WHERE collname = 'fr-x-icu';
SELECT * FROM finish();
