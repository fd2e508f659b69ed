-- Row 25: an answer that is seen before its charge is safe.  While the client
-- still has its transaction open, everybody else sees the charge.
\ir start.sql
SELECT attempt('the charge waits for nobody: ' || settings, ARRAY[settings, 'SELECT dp_count(*) FROM people WHERE id = 25'], '00000.\(', ARRAY['SELECT count(*) FROM people WHERE id = 25'], '\(1\)')
FROM unnest(ARRAY['SET synchronous_commit = off', 'SET default_transaction_read_only = off', 'SET statement_timeout = 0', 'SET lock_timeout = 1']) settings;
CREATE TABLE lab.seen25 (n bigint);
SELECT lab.charged() AS before \gset
BEGIN;
SET LOCAL synchronous_commit = off;
SET LOCAL ROLE dpsens_attack_ana;
SELECT dp_count(*) AS answer FROM people \gset
RESET ROLE;
INSERT INTO lab.seen25 VALUES (1);
\set charged `psql -XAtq -c "SELECT lab.charged()"`
\set rows `psql -XAtq -c "SELECT count(*) FROM lab.seen25"`
ROLLBACK;
SELECT is((:charged - :before)::bigint, 1::bigint, 'another session sees the charge of an open transaction');
SELECT is(:rows::bigint, 0::bigint, 'it does not see its rows');
SELECT lab.charged() AS before \gset
BEGIN READ ONLY;
SET LOCAL ROLE dpsens_attack_ana;
SELECT dp_count(*) AS answer FROM people \gset
ROLLBACK;
SELECT is(lab.charged() - :before, 1::bigint, 'a transaction that may not write pays');
SELECT * FROM finish();
