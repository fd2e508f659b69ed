-- Row 26: many sessions that spend one budget at the same time.
\ir start.sql
CREATE TABLE clinic.raced (x float8 NOT NULL);
INSERT INTO clinic.raced SELECT 1 FROM generate_series(1, 100);
DO $$ BEGIN
    PERFORM dpsens.protect('raced'), dpsens.grant_budget('raced', 'dpsens_attack_ana', epsilon => 3.5);
END $$;
CREATE TABLE lab.own_budget (spent int);
INSERT INTO lab.own_budget VALUES (0);
CREATE TABLE lab.sold (n int);
GRANT ALL ON lab.own_budget, lab.sold TO PUBLIC;
-- twelve clients, three answers' worth
\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_ana; SELECT dp_count(true, 1.0) IS NOT NULL FROM raced'
\set answers `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do psql -XAtq -c "$ASK" 2>/dev/null & done | grep -c t; wait`
SELECT is(:answers, 3, 'a budget of three and a half answers three');
-- a careless one looks first and spends then: all have looked before the first is let go
SELECT pg_advisory_lock(26) \g /dev/null
\setenv ASK 'INSERT INTO lab.sold SELECT 1 FROM lab.own_budget, pg_advisory_lock_shared(26) WHERE spent < 3; UPDATE lab.own_budget SET spent = spent + 1'
\! for i in 1 2 3 4 5 6 7 8 9 10 11 12; do psql -XAtq -c "$ASK" >/dev/null 2>&1 & done
\! bash until.sh "SELECT count(*) = 12 FROM pg_locks WHERE locktype = 'advisory' AND objid = 26 AND NOT granted"
SELECT pg_advisory_unlock(26) \g /dev/null
\! bash until.sh "SELECT spent = 12 FROM lab.own_budget"
SELECT is((SELECT count(*) FROM lab.sold), 12::bigint, 'who looks first and spends then sells more');
DROP TABLE clinic.raced;
SELECT * FROM finish();
