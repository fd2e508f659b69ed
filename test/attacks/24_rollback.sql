-- Row 24: getting the charge back.  Each block asks once and undoes what can be
-- undone; the answer has been seen, so it stays paid.
\ir start.sql
CREATE TABLE lab.own_ledger (n int);
GRANT ALL ON lab.own_ledger TO PUBLIC;
CREATE FUNCTION lab.refunded(block text, plain boolean DEFAULT false) RETURNS text LANGUAGE sql AS $$
    SELECT format('SET SESSION AUTHORIZATION dpsens_attack_ana; %s', replace(replace(block, '@', CASE WHEN plain THEN 'INSERT INTO lab.own_ledger VALUES (1)' ELSE 'SELECT dp_count(*) FROM people' END), 'FOR INSERT', 'FOR SELECT 1; INSERT'));
$$;
\set block 'BEGIN; @; ROLLBACK'
\ir refund.psql
\set block 'BEGIN; SAVEPOINT a; @; ROLLBACK TO a; COMMIT'
\ir refund.psql
\set block '@; SELECT 1 / 0'
\ir refund.psql
\set block 'BEGIN; @; SELECT 1 / 0; COMMIT'
\ir refund.psql
\set block 'BEGIN; @; ABORT'
\ir refund.psql
\set block 'DO $$ BEGIN BEGIN PERFORM lab.ask24(); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END; END $$'
\ir refund.psql
\set block 'BEGIN; SELECT lab.ask24(); ROLLBACK'
\ir refund.psql
\set block 'SELECT lab.ask24(), 1 / (random() * 0)'
\ir refund.psql
\set block 'BEGIN; DECLARE c CURSOR FOR SELECT lab.ask24(); FETCH 1 FROM c; CLOSE c; ROLLBACK'
\ir refund.psql
\set block 'BEGIN; COPY (SELECT lab.ask24()) TO STDOUT; ROLLBACK'
\ir refund.psql
\set block 'BEGIN; CREATE TEMP TABLE t24 AS SELECT lab.ask24(); ROLLBACK'
\ir refund.psql
\set block 'BEGIN; SET LOCAL synchronous_commit = off; @; ROLLBACK'
\ir refund.psql
SELECT * FROM finish();
