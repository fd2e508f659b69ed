-- Views beside and above protected rows are read by who has been granted them: whatever
-- becomes of a query, the rights that it was written with are asked for.
-- Files: guard/restrict/asker.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE ROLE rights_tap_ana;
CREATE SCHEMA rights_tap;
GRANT USAGE ON SCHEMA rights_tap, public TO rights_tap_ana;
SET search_path = rights_tap, public;
SELECT plan(26);

CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, s text NOT NULL);
INSERT INTO t SELECT i, i % 50, chr(65 + i % 3) FROM generate_series(1, 300) i;
CREATE TABLE more (LIKE t INCLUDING ALL);
INSERT INTO more SELECT i, i % 50, 'D' FROM generate_series(301, 400) i;
DO $$ BEGIN
    PERFORM dpsens.protect(r::regclass, unit => 'id'), dpsens.set_range(r::regclass, 'x', 0, 100), dpsens.set_values(r::regclass, 's', 'A', 'B', 'C', 'D'),
        dpsens.grant_budget(r::regclass, 'rights_tap_ana', 1000) FROM unnest('{t,more}'::text[]) r;
END $$;
CREATE VIEW plain AS SELECT id, x, s FROM t WHERE x > 3;
CREATE VIEW listed (k, name) AS VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE VIEW both_tables AS SELECT id, x, s, 1 AS part FROM t UNION ALL SELECT id, x, s, 2 FROM more;
CREATE VIEW grouped AS SELECT id, max(x) AS x FROM t GROUP BY id;

CREATE TABLE question (view text, query text);
INSERT INTO question VALUES
    ('plain', 'SELECT dp_sum(x, 1) FROM plain'),
    ('plain', 'SELECT s, dp_count(true, 1) FROM plain GROUP BY s'),
    ('plain', 'SELECT dp_count(true, 1) FROM more LEFT JOIN plain USING (id) WHERE plain.id IS NULL'),
    ('plain', 'SELECT dp_count(true, 1) FROM more WHERE NOT EXISTS (SELECT FROM plain p WHERE p.id = more.id)'),
    ('plain', 'SELECT dp_count(true, 1) FROM (SELECT id FROM plain) q'),
    ('listed', 'SELECT dp_sum(t.x, 1) FROM t JOIN listed ON k = id'),
    ('listed', 'SELECT name, dp_count(t.x, 1) FROM listed LEFT JOIN t ON k = id GROUP BY name'),
    ('both_tables', 'SELECT dp_sum(x, 1) FROM both_tables'),
    ('both_tables', 'SELECT s, dp_count(true, 1) FROM both_tables WHERE part = 2 GROUP BY s'),
    ('both_tables', 'SELECT dp_count(true, 1) FROM both_tables JOIN listed ON k = id'),
    ('grouped', 'SELECT dp_sum(x, 1) FROM grouped'),
    ('grouped', 'SELECT dp_count(true, 1) FROM t JOIN grouped g USING (id)');

GRANT SELECT ON question TO rights_tap_ana;
SET ROLE rights_tap_ana;
SELECT throws_ok(query, '42501', NULL, view || ' without a grant: ' || query) FROM question WHERE view <> 'both_tables' OR query NOT LIKE '%listed%';
RESET ROLE;
-- each view for itself: where two stand in a query, either is asked for
GRANT SELECT ON both_tables TO rights_tap_ana;
SET ROLE rights_tap_ana;
SELECT throws_ok(query, '42501', NULL, 'listed without a grant: ' || query) FROM question WHERE query LIKE '%both_tables%listed%';
RESET ROLE;
GRANT SELECT ON plain, listed, grouped TO rights_tap_ana;
SET ROLE rights_tap_ana;
SELECT lives_ok(query, view || ' with a grant: ' || query) FROM question;
RESET ROLE;
-- through columns
REVOKE SELECT ON plain FROM rights_tap_ana;
GRANT SELECT (id, s) ON plain TO rights_tap_ana;
SET ROLE rights_tap_ana;
SELECT throws_ok('SELECT dp_sum(x, 1) FROM plain', '42501', NULL, 'a column without a grant');
SELECT lives_ok('SELECT dp_count(s, 1) FROM plain', 'a column with a grant');
RESET ROLE;

SELECT * FROM finish();
DROP SCHEMA rights_tap CASCADE;
DROP OWNED BY rights_tap_ana;
DROP ROLE rights_tap_ana;
