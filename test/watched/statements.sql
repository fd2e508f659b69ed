-- What pg_stat_statements keeps of statements of a role that must not look; in a
-- server that preloads it.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION pgtap;
CREATE EXTENSION dpsens;
CREATE EXTENSION pg_stat_statements;
SET client_min_messages = notice;
SELECT no_plan();

CREATE ROLE watched_ana;
CREATE ROLE watched_reader;
CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL);
-- the one that is asked about has pages to itself
INSERT INTO people SELECT i, repeat('x', CASE WHEN i = 42 THEN 4000 ELSE 40 END) FROM generate_series(1, 5000) AS i;
ALTER TABLE people ALTER COLUMN name SET STORAGE PLAIN;
UPDATE people SET name = repeat('y', 5000) WHERE id = 42;
CREATE TABLE own (k int PRIMARY KEY, v text NOT NULL);
INSERT INTO own SELECT i, repeat('x', 40) FROM generate_series(1, 20000) AS i;
VACUUM ANALYZE people, own;
GRANT SELECT ON own TO PUBLIC;
GRANT SELECT ON people TO watched_reader;
SELECT dpsens.protect('people') \g /dev/null
SELECT dpsens.grant_budget('people', 'watched_ana', epsilon => 1000000, own_tables => true) \g /dev/null
SET dpsens.epsilon = 1;

/* The pages that a cursor for the question has read, by pg_stat_statements. */
CREATE FUNCTION pages(who regrole, question text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    cursor_name text = 'c' || md5(question);
    i int;
    row record;
BEGIN
    EXECUTE format('SET ROLE %s', who);
    FOR i IN 1 .. 3 LOOP
        EXECUTE format('DECLARE %I CURSOR FOR %s', cursor_name, question);
        IF i = 3 THEN
            RESET ROLE;
            PERFORM pg_stat_statements_reset();
            EXECUTE format('SET ROLE %s', who);
        END IF;
        EXECUTE format('FETCH ALL FROM %I', cursor_name);
        EXECUTE format('CLOSE %I', cursor_name);
    END LOOP;
    RESET ROLE;
    RETURN (SELECT sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements WHERE query ~ 'FETCH');
END $$;
CREATE FUNCTION more(who regrole, question text) RETURNS bigint LANGUAGE sql AS $$
    SELECT pages(who, replace(question, '%s', '42')) - pages(who, replace(question, '%s', '99999'));
$$;
SET pg_stat_statements.track = 'all';
SELECT unnest(ARRAY[is(more('watched_ana', question), 0::bigint, 'pages of a statement: ' || question),
    isnt(more('watched_reader', replace(question, 'dp_', '')), 0::bigint, 'pages of a statement: open to others')])
FROM unnest(ARRAY['SELECT dp_count(*) FROM people WHERE id = %s', 'SELECT dp_count(*) FROM people p JOIN own o ON o.k = p.id WHERE p.id = %s',
    'SELECT dp_count(*) FROM people p WHERE p.id = %s AND EXISTS (SELECT FROM own o WHERE o.k = p.id)']) question;

-- no statement of its own
SELECT pg_stat_statements_reset() \g /dev/null
SET ROLE watched_ana;
SELECT dp_count(*) FROM people WHERE id = 42 \g /dev/null
CREATE FUNCTION pg_temp.asks() RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT dp_count(*)::float8 FROM people WHERE id = 42';
SELECT pg_temp.asks() \g /dev/null
SET ROLE watched_reader;
SELECT count(*) FROM people WHERE id = 42 \g /dev/null
RESET ROLE;
SELECT is_empty($$SELECT query, shared_blks_hit FROM pg_stat_statements WHERE query ~ '^SELECT dp_count'$$, 'a statement with answers is not kept');
SELECT isnt_empty($$SELECT query FROM pg_stat_statements WHERE query ~ '^SELECT count'$$, 'others are');
SELECT * FROM finish();
DROP OWNED BY watched_ana, watched_reader;
DROP ROLE watched_ana, watched_reader;
