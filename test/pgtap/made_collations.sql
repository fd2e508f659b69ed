-- made_collations.sql
--	A collation that cannot be loaded where answers are computed is an error before the charge, whether or not a private
--	row needs it: wherever in a statement it stands.
-- Files: guard/query/expression_types.c, guard/run/room_answers.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA made_collations;
SET search_path = made_collations, public;
CREATE ROLE made_collations_analyst;
GRANT USAGE ON SCHEMA made_collations TO made_collations_analyst;
SELECT plan(11);

CREATE TABLE patients (pid int PRIMARY KEY, name text NOT NULL, age int NOT NULL);
INSERT INTO patients SELECT i, 'n' || i, 20 + i % 60 FROM generate_series(1, 200) i;
CREATE TABLE visits (vid int PRIMARY KEY, pid int NOT NULL REFERENCES patients, diag text NOT NULL, n int NOT NULL);
INSERT INTO visits SELECT i, 1 + i % 200, 'd' || i % 3, i % 10 FROM generate_series(1, 600) i;
SELECT dpsens.protect('patients', unit => 'pid', max_rows => 1), dpsens.protect('visits', unit => 'pid', max_rows => 4),
    dpsens.grant_budget('patients', 'made_collations_analyst', epsilon => 100), dpsens.grant_budget('visits', 'made_collations_analyst', epsilon => 100) \g /dev/null

-- what is said of a statement in a transaction that has made the collation, and of how much was charged
SELECT (SELECT count(*) FROM dpsens.releases WHERE relation LIKE 'made_collations.%') AS before \gset
\ir said.psql
SET SESSION AUTHORIZATION made_collations_analyst;
SET dpsens.epsilon = 1;
SET enable_hashagg = off;
BEGIN;
CREATE COLLATION pg_temp.made (provider = libc, locale = 'C');
CREATE TEMPORARY TABLE outcome AS
SELECT n, said(replace(q, 'AGE', '53')) AS met, said(replace(q, 'AGE', '52')) AS missed
FROM (VALUES (1, $q$ SELECT dp_sum(c) FROM (SELECT pid, count(DISTINCT name COLLATE pg_temp.made) AS c FROM patients WHERE name = 'n33' AND age = AGE GROUP BY pid) s $q$),
    (2, $q$ SELECT dp_count(*) FROM patients p JOIN (SELECT pid, diag::name COLLATE pg_temp.made AS k, sum(n) AS t FROM visits GROUP BY 1, 2) g ON g.pid = p.pid WHERE p.name = 'n33' AND p.age = AGE $q$),
    (3, $q$ SELECT dp_count(*) FROM patients WHERE name = 'n33' AND age = AGE AND name > 'm' COLLATE pg_temp.made $q$),
    (4, $q$ SELECT dp_sum(c) FROM (SELECT pid, max(name COLLATE pg_temp.made) = 'n33' AS c, count(*) AS n FROM patients WHERE age = AGE GROUP BY pid) s (pid, yes, c) WHERE yes $q$),
    (5, $q$ SELECT dp_count(*) FROM patients WHERE age = AGE AND (name, age) < ('n34' COLLATE pg_temp.made, 90) $q$)) v (n, q);
SELECT array_agg(met ORDER BY n)::text AS met, array_agg(missed ORDER BY n)::text AS missed FROM outcome \gset
ROLLBACK;
RESET SESSION AUTHORIZATION;
SELECT is((:'met'::text[])[n], (:'missed'::text[])[n], 'the same whether or not the row is there: ' || n) FROM generate_series(1, 5) n;
SELECT isnt((:'met'::text[])[n], 'XX000 the private answers of the statement could not be computed', 'it does not fail after the charge: ' || n) FROM generate_series(1, 5) n;
SELECT is((SELECT count(*) FROM dpsens.releases WHERE relation LIKE 'made_collations.%') - :before, 2 * (SELECT count(*) FROM unnest(:'met'::text[]) m WHERE m = 'answered'), 'what failed was not charged');

SELECT * FROM finish();
DROP SCHEMA made_collations CASCADE;
DROP OWNED BY made_collations_analyst;
DROP ROLE made_collations_analyst;
