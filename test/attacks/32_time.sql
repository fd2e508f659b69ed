-- Row 32: time.  That a query's time depends on its data is documented and not
-- closed; what makes a row take longer because of what it says is refused.
\ir start.sql
-- What a row makes the server do is counted, not timed: how often it sleeps, and
-- how many rows of a subquery it has read.
CREATE SEQUENCE lab.naps;
GRANT ALL ON SEQUENCE lab.naps TO PUBLIC;
CREATE FUNCTION lab.nap(float8) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('lab.naps'); END $$;
CREATE FUNCTION lab.nap_for(interval) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('lab.naps'); END $$;
CREATE FUNCTION lab.slow(boolean) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1 THEN PERFORM lab.nap(0.3); END IF; RETURN true; END $$;
CREATE FUNCTION lab.naps(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint = nextval('lab.naps');
BEGIN
    EXECUTE query;
    RETURN nextval('lab.naps') - before - 1;
END $$;
CREATE FUNCTION lab.rows_read(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN sum(n::numeric) FROM jsonb_path_query(plan::jsonb, 'strict $.**."Actual Rows"') n;
END $$;
SELECT attempt('slow for one: ' || condition, format('SELECT dp_count(*) FROM people WHERE %s', condition), '0A000',
    format('SELECT lab.naps(%L), lab.naps(%L)', format('SELECT count(*) FROM people WHERE %s', control), format('SELECT count(*) FROM others WHERE %s', control)), '\(1,0\)')
FROM (VALUES ('secret AND pg_sleep(0.3) IS NOT NULL', 'secret AND lab.nap(0.3) IS NOT NULL'), ('lab.slow(secret)', 'lab.slow(secret)'),
    ('CASE WHEN secret THEN pg_sleep_for(''0.3 s'') IS NOT NULL END', 'CASE WHEN secret THEN lab.nap_for(''0.3 s'') IS NOT NULL END')) AS sleepers (condition, control);
SELECT attempt('slow for one, in FILTER', 'SELECT dp_count(*) FILTER (WHERE lab.slow(secret)) FROM people WHERE age > 0', '0A000',
    'SELECT lab.naps(''SELECT count(*) FILTER (WHERE lab.slow(secret)) FROM people WHERE age > 0''), lab.naps(''SELECT count(*) FILTER (WHERE lab.slow(secret)) FROM others WHERE age > 0'')', '\(1,0\)');
SELECT attempt('slow for one: much is read', 'SELECT dp_count(*) FROM people WHERE NOT secret OR (SELECT count(*) FROM generate_series(1, 300000)) > 0', '0A000',
    'SELECT lab.rows_read(''SELECT count(*) FROM people WHERE NOT secret OR (SELECT count(*) FROM generate_series(1, 300000)) > 0'') > 300000 AS with_the_person,
        lab.rows_read(''SELECT count(*) FROM others WHERE NOT secret OR (SELECT count(*) FROM generate_series(1, 300000)) > 0'') > 300000 AS without', '\(t,f\)');
-- and so does what goes deep into the stack: tried at every depth that is left
CREATE FUNCTION lab.deep(n int, question text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN IF n > 0 THEN RETURN lab.deep(n - 1, question); END IF; EXECUTE question; RETURN 'answered'; END $$;
CREATE FUNCTION lab.how_deep(aggregate text, pattern text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    lo int = 0;
    hi int = 5000;
    middle int;
BEGIN
    WHILE hi - lo > 1 LOOP
        middle := (lo + hi) / 2;
        BEGIN
            PERFORM lab.deep(middle, format('SELECT %s FROM clinic.long_names WHERE name LIKE %L', aggregate, pattern));
            lo := middle;
        EXCEPTION WHEN statement_too_complex THEN
            hi := middle;
        END;
    END LOOP;
    RETURN lo;
END $$;
CREATE TABLE clinic.long_names (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO clinic.long_names VALUES (42, repeat('Zebedee', 90));
ALTER TABLE clinic.long_names OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.long_names TO dpsens_attack_reader;
DO $$ BEGIN PERFORM dpsens.protect('long_names'), dpsens.grant_budget('long_names', 'dpsens_attack_ana', epsilon => 100000, own_tables => true); END $$;
SELECT attempt('the depth of the stack', 'SELECT lab.how_deep(''dp_count(*)'', repeat(''%e'', 90)) = lab.how_deep(''dp_count(*)'', repeat(''%q'', 90))', '00000.\(t\)',
    'SELECT lab.how_deep(''count(*)'', repeat(''%e'', 250)) = lab.how_deep(''count(*)'', repeat(''%q'', 250))', '00000.\(f\)');
SELECT attempt('so many levels that the planner is deep in the stack', (SELECT string_agg('SELECT * FROM (', '') FROM generate_series(1, 40)) || 'SELECT dp_count(*) FROM people' || (SELECT string_agg(') s' || i, '') FROM generate_series(1, 40) i), '54001',
    (SELECT string_agg('SELECT * FROM (', '') FROM generate_series(1, 40)) || 'SELECT count(*) FROM people' || (SELECT string_agg(') s' || i, '') FROM generate_series(1, 40) i), '\(400\)');
DROP TABLE clinic.long_names;
SELECT * FROM finish();
