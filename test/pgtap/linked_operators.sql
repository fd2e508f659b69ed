-- linked_operators.sql
--	An operator that the planner can put in the place of another is looked at as that one is: a negator or commutator of a
--	user's own does not come to see a row.
-- Files: glue/import/linked_operators.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA linked_operators;
SET search_path = linked_operators, public;
CREATE ROLE linked_operators_analyst;
CREATE ROLE linked_operators_reader;
GRANT USAGE, CREATE ON SCHEMA linked_operators TO linked_operators_analyst, linked_operators_reader;
SELECT plan(26);

CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, diagnosis text);
INSERT INTO people SELECT i, i % 100, 'secret ' || i FROM generate_series(1, 100) i;
SELECT dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 99), dpsens.grant_budget('people', 'linked_operators_analyst', epsilon => 1000) \g /dev/null
GRANT SELECT ON people TO linked_operators_reader;
CREATE TABLE spied (what text);
GRANT INSERT, SELECT ON spied TO PUBLIC;

SET SESSION AUTHORIZATION linked_operators_analyst;
SET search_path = linked_operators, public;
SET dpsens.epsilon = 1;
CREATE FUNCTION spy(text, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'spied %', $1; END $$;
CREATE OPERATOR <<< (LEFTARG = text, RIGHTARG = text, PROCEDURE = pg_catalog.text_lt, NEGATOR = OPERATOR(linked_operators.>>>=));
CREATE OPERATOR >>>= (LEFTARG = text, RIGHTARG = text, PROCEDURE = spy, NEGATOR = OPERATOR(linked_operators.<<<));
CREATE OPERATOR <<<! (LEFTARG = text, RIGHTARG = text, PROCEDURE = pg_catalog.text_lt, COMMUTATOR = OPERATOR(linked_operators.!>>>));
CREATE OPERATOR !>>> (LEFTARG = text, RIGHTARG = text, PROCEDURE = spy, COMMUTATOR = OPERATOR(linked_operators.<<<!));
-- links one of the server's, where the server lets him
DO $$ BEGIN CREATE OPERATOR linked_operators.!^@ (LEFTARG = text, RIGHTARG = text, PROCEDURE = linked_operators.spy, NEGATOR = OPERATOR(pg_catalog.^@));
EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
\ir said.psql
CREATE TEMPORARY TABLE asked (n serial, q text);
INSERT INTO asked (q) VALUES
    ('SELECT dp_count(*) FROM people WHERE NOT (diagnosis <<< '''')'), ('SELECT dp_count(*) FROM people WHERE diagnosis <<< ''x'''),
    ('SELECT dp_count(*) FILTER (WHERE NOT (diagnosis <<< '''')) FROM people'), ('SELECT dp_count(*) FROM people WHERE NOT (diagnosis <<< ANY (ARRAY[''a'', ''b'']))'),
    ('SELECT dp_count(*) FROM people WHERE NOT (diagnosis <<< ''a'' AND id > 3)'), ('SELECT dp_count(*) FROM people WHERE ''x'' <<<! diagnosis'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.id = p.id AND NOT (q.diagnosis <<< ''a''))'),
    ('SELECT dp_sum(c) FROM (SELECT id, count(*) FILTER (WHERE NOT (diagnosis <<< ''a'')) AS c FROM people GROUP BY id) s'),
    ('SELECT dp_sum(CASE WHEN NOT (diagnosis <<< ''a'') THEN 1 ELSE 0 END) FROM people'),
    ('WITH w AS (SELECT * FROM people WHERE NOT (diagnosis <<< ''a'')) SELECT dp_count(*) FROM w'),
    ('SELECT NOT (diagnosis <<< ''a'') AS k, dp_count(*) FROM people GROUP BY 1'),
    ('SELECT dp_count(*) FROM people WHERE NOT (diagnosis ^@ ''secret 1'')');
SELECT alike(said(q), '0A000 operator % is not supported in a private answer', 'an analyst: ' || q) FROM asked WHERE n <= 11 ORDER BY n;
SELECT unalike(said(q), '%spied%', 'a linked operator of the server') FROM asked WHERE n = 12;
RESET SESSION AUTHORIZATION;
GRANT ALL ON asked TO PUBLIC;
SET SESSION AUTHORIZATION linked_operators_reader;
SET dpsens.epsilon = 1;
SELECT alike(said(q), '0A000 operator % is not supported in a private answer', 'a reader: ' || q) FROM asked WHERE n <= 11 ORDER BY n;
RESET SESSION AUTHORIZATION;
SELECT is((SELECT count(*) FROM dpsens.releases WHERE relation = 'linked_operators.people' AND query LIKE '%<<<%'), 0::bigint, 'nothing was charged');
SELECT lives_ok('SELECT dp_count(*) FROM people WHERE NOT (diagnosis < ''x'') AND age >= 3 AND diagnosis IS DISTINCT FROM ''y'' AND diagnosis NOT IN (''a'', ''b'')', 'operators of the server are as they were');
SELECT lives_ok('SELECT dp_count(*) FROM people WHERE (id, age) < (50, 3) AND diagnosis NOT LIKE ''z%'' AND NOT (id = ANY (''{1,2}''))', 'rows and arrays, too');

SELECT * FROM finish();
DROP SCHEMA linked_operators CASCADE;
DROP OWNED BY linked_operators_analyst, linked_operators_reader;
DROP ROLE linked_operators_analyst, linked_operators_reader;
