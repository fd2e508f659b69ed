-- A role with a budget and no SELECT privilege: statements that take a session,
-- and what they say.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_analyst;
GRANT ALL ON SCHEMA dpsens_analyst TO PUBLIC;
SET search_path = dpsens_analyst, public;
SET dpsens.epsilon = 4;
SET dpsens.answer_epsilon = 0;
\set SHOW_CONTEXT never
CREATE ROLE regress_dpsens_ana;
CREATE ROLE regress_dpsens_look;
CREATE ROLE regress_dpsens_none;

CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, name text NOT NULL, member boolean NOT NULL);
INSERT INTO people SELECT i, i % 50, 'name' || i, i % 4 = 0 FROM generate_series(1, 1000) i;
SELECT dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 50);
SELECT dpsens.grant_budget('people', 'regress_dpsens_ana', epsilon => 100000);
SELECT dpsens.grant_budget('people', 'regress_dpsens_look', epsilon => 100000);
GRANT SELECT ON people TO regress_dpsens_look;

-- what is answered
SET ROLE regress_dpsens_ana;
SELECT member, dp_count(*) BETWEEN 200 AND 800 AS plausible FROM people GROUP BY member ORDER BY member DESC LIMIT 2;
COPY (SELECT dp_count(*) BETWEEN 950 AND 1050, dp_avg(age) BETWEEN 20 AND 30 FROM people) TO STDOUT;
BEGIN;
DECLARE c CURSOR FOR SELECT member, dp_count(*) BETWEEN 200 AND 800 AS plausible FROM people GROUP BY member;
FETCH 1 FROM c;
SELECT dp_count(*) BETWEEN 950 AND 1050 AS between FROM people;
FETCH 1 FROM c;
COMMIT;
PREPARE older(float8) AS SELECT abs(dp_count(*) - 1000 * (1 - $1 / 50)) < 50 AS plausible FROM people WHERE age >= $1;
EXECUTE older(10);
EXECUTE older(25);
CREATE TEMP TABLE answers AS EXECUTE older(10);
SELECT * FROM answers;

-- what is not, and what is said
SELECT * FROM people;
COPY people TO STDOUT;
COPY (SELECT * FROM people) TO STDOUT;
COPY (SELECT dp_count(*), (SELECT max(name) FROM people) FROM people) TO STDOUT;
SELECT dp_count(*) BETWEEN 50 AND 200 AS plausible FROM people WHERE 100 / (id - 42) > 0;
SELECT dp_count(*) FROM people WHERE age > 3 AND name ~ name;
SELECT dp_count(*) FROM people WHERE name LIKE 'name4\';
SELECT dp_count(*) FROM people WHERE id IN (SELECT id FROM answers, people);
SELECT dp_count(*) FROM people WHERE id IN (SELECT 42);
SELECT dp_count(*) FROM people p WHERE p::text LIKE '%name42%';
SELECT dp_count(*) FROM people p WHERE ctid = '(0,1)';
SELECT dp_count(*) FROM people TABLESAMPLE SYSTEM (1);
EXPLAIN SELECT dp_count(*) FROM people WHERE id < 5;
EXPLAIN EXECUTE older(10);
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM people;
ROLLBACK;
SELECT lower, upper, sensitivity, cost_epsilon FROM dpsens.explain('SELECT dp_sum(age) FROM people WHERE member');
RESET ROLE;

-- A temporary table of the same name is another table.
SET ROLE regress_dpsens_ana;
CREATE TEMP TABLE people (id int, age float8);
SELECT dp_count(*) FROM people;
DROP TABLE pg_temp.people;
RESET ROLE;

-- The role that executes counts, in a plan that another has made too.
SET plan_cache_mode = force_generic_plan;
PREPARE count_all AS SELECT dp_count(*) BETWEEN 950 AND 1050 AS plausible FROM people WHERE id > 0;
PREPARE unsafe AS SELECT dp_count(*) BETWEEN 950 AND 1050 AS plausible FROM people WHERE regexp_replace(name, 'a', 'b') > 'n';
EXECUTE count_all;
EXECUTE unsafe;
SET ROLE regress_dpsens_ana;
EXECUTE count_all;
EXECUTE unsafe;
EXPLAIN EXECUTE count_all;
RESET ROLE;
SET ROLE regress_dpsens_none;
EXECUTE count_all;
EXECUTE unsafe;
RESET ROLE;
SET ROLE regress_dpsens_look;
EXECUTE count_all;
EXECUTE unsafe;
SELECT budget_of, role FROM dpsens.releases ORDER BY release DESC LIMIT 1;
RESET ROLE;
SET SESSION AUTHORIZATION regress_dpsens_none;
EXECUTE count_all;
RESET SESSION AUTHORIZATION;

-- A plan outlives neither the budget nor the privilege that it was made with.
SET ROLE regress_dpsens_ana;
EXECUTE count_all;
RESET ROLE;
SELECT dpsens.revoke_budget('people', 'regress_dpsens_ana');
SET ROLE regress_dpsens_ana;
EXECUTE count_all;
RESET ROLE;
SELECT dpsens.grant_budget('people', 'regress_dpsens_ana', epsilon => 100000);
SET ROLE regress_dpsens_ana;
EXECUTE count_all;
RESET ROLE;
REVOKE SELECT ON people FROM regress_dpsens_look;
SET ROLE regress_dpsens_look;
EXECUTE count_all;
EXECUTE unsafe;
RESET ROLE;
SELECT dpsens.revoke_budget('people', 'regress_dpsens_look');
SET ROLE regress_dpsens_look;
EXECUTE count_all;
RESET ROLE;

-- A cursor that another role has opened, and pays for; one whose budget went; one whose
-- relation was declared anew.
BEGIN;
SET LOCAL ROLE regress_dpsens_ana;
DECLARE c CURSOR FOR SELECT dp_count(*) BETWEEN 950 AND 1050 AS plausible FROM people;
SET LOCAL ROLE regress_dpsens_none;
FETCH c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) BETWEEN 950 AND 1050 AS plausible FROM people;
SET LOCAL ROLE regress_dpsens_none;
FETCH c;
ROLLBACK;
BEGIN;
SET LOCAL ROLE regress_dpsens_ana;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM people;
RESET ROLE;
SELECT dpsens.revoke_budget('people', 'regress_dpsens_ana');
SET LOCAL ROLE regress_dpsens_ana;
FETCH c;
ROLLBACK;
BEGIN;
SET LOCAL ROLE regress_dpsens_ana;
DECLARE c CURSOR FOR SELECT dp_sum(age) FROM people;
RESET ROLE;
SELECT dpsens.set_range('people', 'age', 0, 1000000);
SET LOCAL ROLE regress_dpsens_ana;
FETCH c;
ROLLBACK;

-- What is done with answers is done by the settings of whoever asks, and its messages
-- arrive; while rows are read these have no say.
SET ROLE regress_dpsens_ana;
SET client_min_messages = notice;
SET lock_timeout = '7min'; -- clock: not to be reached
CREATE FUNCTION told(n bigint) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'told'; RETURN concat_ws(' ', current_setting('lock_timeout'), current_setting('client_min_messages')); END $$;
SELECT told(dp_count(*)) FROM people;
SELECT told(n) FROM (SELECT dp_count(*) AS n FROM people UNION ALL SELECT dp_count(*) FROM people WHERE member) u;
SELECT told(1), dp_count(*) BETWEEN 950 AND 1050 AS plausible FROM people;
SELECT dp_count(*) BETWEEN 950 AND 1050 AS built_in FROM people WHERE current_setting(CASE WHEN age >= 0 THEN 'lock_timeout' END) = '0' AND current_setting(CASE WHEN age >= 0 THEN 'client_min_messages' END) = 'error';
BEGIN;
DECLARE c CURSOR FOR SELECT told(dp_count(*)) FROM people GROUP BY member;
FETCH 1 FROM c;
FETCH 1 FROM c;
COMMIT;
CREATE TABLE told_of (told text);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'inserted'; RETURN new; END $$;
CREATE TRIGGER tell BEFORE INSERT ON told_of FOR EACH ROW EXECUTE FUNCTION tell();
INSERT INTO told_of SELECT told(dp_count(*)) FROM people;
SET statement_timeout = '200ms'; -- clock: what is waited for never comes
SELECT pg_sleep(3600 + 0 * dp_count(*)) FROM people;
RESET statement_timeout;
SHOW lock_timeout;
RESET lock_timeout;
SET client_min_messages = warning;
RESET ROLE;

-- The server's log does not reach the client of such a role.
\setenv PGDATABASE :DBNAME
\setenv PGOPTIONS '-c search_path=dpsens_analyst,public -c dpsens.epsilon=4 -c client_min_messages=log'
\! psql -XqAt -c "LOAD 'auto_explain'" -c "SET auto_explain.log_min_duration = 0" -c "SELECT dp_count(*) FROM people" 2>&1 | grep -c 'Query Text'
\! psql -XqAt -c "LOAD 'auto_explain'" -c "SET auto_explain.log_min_duration = 0" -c "SET ROLE regress_dpsens_ana" -c "SELECT dp_count(*) FROM people" 2>&1 | grep -c 'Query Text'

DROP OWNED BY regress_dpsens_ana;
DROP SCHEMA dpsens_analyst CASCADE;
DROP ROLE regress_dpsens_ana, regress_dpsens_look, regress_dpsens_none;
