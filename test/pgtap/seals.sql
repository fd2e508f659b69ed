-- The chain of hashes over releases, refusals and changes (dpsens.verify_seals): what a superuser does to a row with triggers
-- switched off is found and named, renames and what is made again are not taken for it, and who may look.
-- Each tampering is rolled back.  No noise decides anything here.
-- Files: ledger/journal/seal.c, ledger/budget/sql_seal.c, sql/85_seals.sql.
-- In a database of its own, whose chain begins here.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
SELECT current_database() AS tap_database \gset
CREATE DATABASE seals_tap;
\c seals_tap
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(52);

CREATE ROLE seals_tap_owner;
CREATE ROLE seals_tap_ana;
CREATE ROLE seals_tap_auditor;
CREATE SCHEMA seals_tap AUTHORIZATION seals_tap_owner;
GRANT USAGE ON SCHEMA seals_tap TO PUBLIC;
SET search_path = seals_tap, public;
SET ROLE seals_tap_owner;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO t SELECT i, i FROM generate_series(0, 9) i;
DO $$ BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 9);
    PERFORM dpsens.set_budget('t', epsilon => 20), dpsens.grant_budget('t', 'seals_tap_ana', epsilon => 10), dpsens.grant_audit('t', 'seals_tap_auditor', rows => false);
END $$;
BEGIN;
DO $$ BEGIN PERFORM dpsens.set_budget('t', epsilon => 20.5); END $$;
SELECT isnt_empty($$SELECT FROM dpsens.verify_seals() WHERE finding = 'it is not sealed yet' AND kind = 'change'$$, 'changes are not sealed at once');
COMMIT;
SET ROLE seals_tap_ana;
SELECT dp_sum(x, 0.5), dp_count(true, 0.5) FROM t \g /dev/null
SELECT dpsens.seal_ledger() \g /dev/null
SELECT dp_sum(x * 0.5, 0.25) FROM t \g /dev/null
\set ON_ERROR_STOP 0
SELECT dp_sum(x * 0.5) FROM t;
SELECT dp_sum(x * 0.5, 20) FROM t;
\set ON_ERROR_STOP 1
RESET ROLE;
SELECT dpsens.seal_ledger() \g /dev/null
SELECT is_empty('SELECT * FROM dpsens.verify_seals()', 'until that is asked for');
SET ROLE seals_tap_owner;
BEGIN;
SELECT dpsens.set_budget('t', epsilon => 30) \g /dev/null
SELECT results_eq('SELECT finding, kind, sealed_by FROM dpsens.verify_seals()', $$VALUES ('it is not sealed yet', 'change', NULL::bigint)$$, 'a change that is not');
COMMIT;
SELECT dpsens.seal_ledger() \g /dev/null
SELECT is_empty('SELECT * FROM dpsens.verify_seals()', 'sealed');
SELECT dpsens.seal_ledger() \g /dev/null
BEGIN;
SELECT dpsens.set_budget('t', epsilon => 40) \g /dev/null
SELECT throws_ok('SELECT dpsens.seal_ledger()', '55000', NULL, 'not by a transaction that has changed something');
ROLLBACK;

-- ---- the head ----

RESET ROLE;
SELECT is((SELECT count(*) FROM dpsens.seal), (SELECT seal FROM dpsens.ledger_head()), 'nothing to seal is no seal, and the head is the last one');
SELECT seal, hash FROM dpsens.ledger_head() \gset
SELECT is((SELECT cardinality(array_agg(n)) FROM dpsens.seal s, unnest(s.releases) n), (SELECT count(*)::int FROM dpsens.release), 'each release is in one seal');
SELECT is_empty(format('SELECT * FROM dpsens.verify_seals(%s, %L)', :seal, upper(:'hash')), 'a head that was kept');
SELECT results_eq(format('SELECT * FROM dpsens.verify_seals(%s, %L)', :seal, repeat('0', 64)), format($$VALUES ('it is not the one that was kept', 'seal', %1$s::bigint, %1$s::bigint)$$, :seal), 'and another');
SELECT results_eq(format('SELECT finding FROM dpsens.verify_seals(%s, %L)', :seal + 1, :'hash'), $$VALUES ('it is not the one that was kept')$$, 'and one that is not there');
-- by the definition, not by the functions of the view
SELECT is((SELECT encode(hash, 'hex') FROM dpsens.seal WHERE seal = 2), (SELECT encode(sha256((SELECT hash FROM dpsens.seal WHERE seal = 1)
    || convert_to(ROW(seal, encode(timestamptz_send(sealed_at), 'hex'), format, releases, refusals, changes)::text, 'UTF8') || digests), 'hex') FROM dpsens.seal WHERE seal = 2), 'a hash can be computed by hand');
SELECT is((SELECT encode(substr(digests, 1, 32), 'hex') FROM dpsens.seal WHERE releases[1] = 1), (SELECT encode(digest, 'hex') FROM dpsens_internal.release_digests WHERE number = 1), 'digests stand in the order of releases');

-- ---- tampering ----

-- What is found after a statement of a superuser's, of which nothing stays.
CREATE FUNCTION found(VARIADIC tampering text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    one text;
    findings text[];
BEGIN
    BEGIN
        FOREACH one IN ARRAY ARRAY['release', 'refusal', 'change', 'seal'] LOOP
            EXECUTE format('ALTER TABLE dpsens.%I DISABLE TRIGGER ALL', one);
        END LOOP;
        FOREACH one IN ARRAY tampering LOOP
            EXECUTE one;
        END LOOP;
        SELECT array_agg(v.kind || ' ' || v.finding ORDER BY v.kind, v.number, v.finding) INTO findings FROM dpsens.verify_seals() v;
        RAISE EXCEPTION 'enough' USING ERRCODE = 'P0099';
    EXCEPTION WHEN SQLSTATE 'P0099' THEN
        RETURN QUERY SELECT unnest(findings);
    END;
END $$;
SELECT (SELECT count(*) FROM dpsens.seal s, unnest(s.releases) WHERE s.seal = 1) AS of_releases, (SELECT count(*) FROM dpsens.seal s, unnest(s.changes) WHERE s.seal = 1) AS of_changes,
    (SELECT cardinality(s.releases) > 1 AND s.releases[1] = 1 FROM dpsens.seal s WHERE 2 = ANY (s.releases)) AS are_together \gset
SELECT is_empty('SELECT found(''SELECT 1'')', 'nothing done, nothing found');
SELECT results_eq(format('SELECT found(%L)', format('UPDATE dpsens.release SET %1$s = %2$s WHERE release = 2', column_name, value)), $$VALUES ('release it was changed')$$, 'a release whose ' || column_name || ' is another')
FROM (VALUES ('role_name', '''else'''), ('query', 'query || '' '''), ('charge_epsilon', 'charge_epsilon - 1'), ('epsilon', 'epsilon * (1 + 2.3e-16)'), ('released_at', 'released_at + interval ''1 us'''),
    ('scales', 'scales || 1::bigint'), ('column_names', '''{x}'''), ('relation_name', '''u'''), ('mechanism', '''gaussian'''), ('statement', '7'), ('purse_role_name', 'NULL'), ('contribution', 'NULL'), ('group_size', '2')) v (column_name, value);
SELECT results_eq('SELECT found(''DELETE FROM dpsens.release WHERE release = 2'')', $$VALUES ('release it is missing')$$, 'one that was deleted');
SELECT results_eq('SELECT found(''UPDATE dpsens.release SET release = -5 WHERE release = 2'')', $$VALUES ('release it was inserted'), ('release it is missing')$$, 'one with another number, and one that was inserted');
SELECT results_eq(format('SELECT found(%L)', format('UPDATE dpsens.refusal SET %1$s = %2$s WHERE refusal = 1', column_name, value)), $$VALUES ('refusal it was changed')$$, 'a refusal whose ' || column_name || ' is another')
FROM (VALUES ('role_name', '''else'''), ('message', ''''''), ('sqlstate', '''00000'''), ('relation_names', '''{}''')) v (column_name, value);
SELECT results_eq('SELECT found(''DELETE FROM dpsens.refusal WHERE refusal = 2'')', $$VALUES ('refusal it is missing')$$, 'one that was deleted');
SELECT results_eq(format('SELECT found(%L)', format('UPDATE dpsens.change SET %1$s = %2$s WHERE change = (SELECT min(change) FROM dpsens.change WHERE after IS NOT NULL)', column_name, value)), $$VALUES ('change it was changed')$$, 'a change whose ' || column_name || ' is another')
FROM (VALUES ('changed_by', '''else'''), ('after', '''{}'''), ('act', '''none'''), ('object', '''none'''), ('session_role', '''else''')) v (column_name, value);
SELECT results_eq('SELECT found(''DELETE FROM dpsens.change WHERE change = (SELECT min(change) FROM dpsens.change)'')', $$VALUES ('change it is missing')$$, 'one that was deleted');
SELECT results_eq('SELECT found(''INSERT INTO dpsens.change SELECT change + 1, changed_at, session_role, changed_by, act, relation, relation_schema, relation_name, relation_owner, object, before, after FROM dpsens.change ORDER BY change DESC LIMIT 1'')',
    $$VALUES ('change it is not sealed yet')$$, 'one that was inserted is not sealed');

-- the chain itself
SELECT is(:'are_together'::text, 't', 'releases of one statement are in one seal');
SELECT results_eq('SELECT found(''DELETE FROM dpsens.release WHERE release = 2'', ''UPDATE dpsens.seal SET releases = ARRAY[1], digests = substr(digests, 1, 32) || substr(digests, 65) WHERE 2 = ANY (releases)'')',
    $$VALUES ('seal it was changed')$$, 'a seal that was changed with a release');
SELECT results_eq('SELECT found(''DELETE FROM dpsens.seal WHERE seal = 1'')', format($$SELECT 'change it is not sealed yet' FROM generate_series(1, %s) UNION ALL SELECT 'release it was inserted' FROM generate_series(1, %s)
    UNION ALL VALUES ('seal it was changed'), ('seal seals before it are missing')$$, :of_changes, :of_releases), 'a seal that was deleted');
-- a superuser who computes all hashes anew is found by a head that was kept, and by nothing else
CREATE FUNCTION rewritten() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    s dpsens.seal;
    before bytea := '';
    findings text[];
    d bytea;
BEGIN
    BEGIN
        ALTER TABLE dpsens.release DISABLE TRIGGER ALL;
        ALTER TABLE dpsens.seal DISABLE TRIGGER ALL;
        UPDATE dpsens.release SET query = 'nothing' WHERE release = 2;
        FOR s IN SELECT * FROM dpsens.seal ORDER BY seal LOOP
            SELECT string_agg(CASE WHEN n = 2 THEN (SELECT digest FROM dpsens_internal.release_digests WHERE number = 2) ELSE substr(s.digests, (place * 32 - 31)::int, 32) END, '' ORDER BY place) INTO d
                FROM unnest(s.releases) WITH ORDINALITY u (n, place);
            s.digests := COALESCE(d, '') || substr(s.digests, cardinality(s.releases) * 32 + 1);
            s.hash := dpsens_internal.seal_hash(before, s.seal, s.sealed_at, s.format, s.releases, s.refusals, s.changes, s.digests);
            before := s.hash;
            UPDATE dpsens.seal x SET digests = s.digests, hash = s.hash WHERE x.seal = s.seal;
        END LOOP;
        SELECT ARRAY[(SELECT count(*)::text FROM dpsens.verify_seals()), (SELECT finding FROM dpsens.verify_seals((SELECT max(seal) FROM dpsens.seal), current_setting('seals.kept')))] INTO findings;
        RAISE EXCEPTION 'enough' USING ERRCODE = 'P0099';
    EXCEPTION WHEN SQLSTATE 'P0099' THEN
        RETURN QUERY SELECT unnest(findings);
    END;
END $$;
SELECT set_config('seals.kept', :'hash', false) \g /dev/null
SELECT results_eq('SELECT rewritten()', $$VALUES ('0'), ('it is not the one that was kept')$$, 'a chain that was written anew is found by a head that was kept alone');

-- ---- what is no tampering ----

SET TimeZone = 'Asia/Tokyo';
SET DateStyle = 'German';
SET IntervalStyle = 'iso_8601';
SET extra_float_digits = 0;
SET bytea_output = 'escape';
SELECT is_empty('SELECT * FROM dpsens.verify_seals()', 'other settings');
RESET ALL;
SET client_min_messages = error;
SET search_path = seals_tap, public;
ALTER TABLE t RENAME TO renamed;
ALTER ROLE seals_tap_ana RENAME TO seals_tap_bea;
SET ROLE seals_tap_bea;
SELECT dp_sum(x, 0.25) FROM renamed \g /dev/null
SET ROLE seals_tap_owner;
ALTER TABLE renamed RENAME TO t;
DROP TABLE t;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 9), dpsens.grant_audit('t', 'seals_tap_auditor', rows => false); END $$;
SELECT dp_sum(x, 0.25) FROM t \g /dev/null
SELECT dpsens.seal_ledger() \g /dev/null
SELECT is_empty('SELECT * FROM dpsens.verify_seals()', 'renames, and a table that was made again');

-- ---- who ----

SET ROLE seals_tap_auditor;
SELECT isnt((SELECT seal FROM dpsens.ledger_head()), NULL, 'an auditor');
SET ROLE seals_tap_owner;
SELECT isnt((SELECT hash FROM dpsens.ledger_head()), NULL, 'and an owner');
SET ROLE seals_tap_bea;
SELECT is((SELECT seal FROM dpsens.ledger_head()), NULL, 'but no analyst');
SELECT is_empty('SELECT * FROM dpsens_internal.seal_check', 'nor what is found');
SELECT throws_ok('TABLE dpsens.seal', '42501', NULL, 'nor the table');
RESET ROLE;
SELECT throws_ok('UPDATE dpsens.seal SET hash = ''''', '42501', 'the privacy ledger cannot be changed', 'which is the worker''s');

SELECT * FROM finish();
\c :tap_database
DROP DATABASE seals_tap WITH (FORCE);
DROP ROLE seals_tap_owner, seals_tap_bea, seals_tap_auditor;
