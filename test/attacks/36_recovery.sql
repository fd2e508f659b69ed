-- Row 36: a server that cannot write the charge.  Standbys are tested where
-- servers are started (crash/standby); here, what a session can do to look like one.
\ir start.sql
CREATE FUNCTION lab.answered(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint = (SELECT count(*) FROM dpsens.releases);
BEGIN
    EXECUTE question;
    RETURN CASE WHEN (SELECT count(*) FROM dpsens.releases) > before THEN 'paid' ELSE 'free' END;
END $$;
SELECT attempt('what cannot write: ' || setting, ARRAY[setting, 'SELECT lab.answered(''SELECT dp_count(*) FROM clinic.people'')'], '00000
00000.\(paid\)', ARRAY[setting, 'SELECT lab.answered(''SELECT count(*) FROM clinic.people'')'], '\(free\)')
FROM unnest(ARRAY['SET LOCAL transaction_read_only = on', 'SET LOCAL default_transaction_read_only = on', 'SET LOCAL synchronous_commit = off', 'SET LOCAL idle_in_transaction_session_timeout = 0', 'SET LOCAL lock_timeout = 1']) setting;
-- What a standby has the primary charge by is its role's alone, and where that is, is nobody's to read or set.
SELECT attempt('to charge as a standby does', $$SELECT dpsens.charge_for_standby('', 0, 0, 1, '0/0', '')$$, '42501', 'SELECT dpsens.version()', '^00000');
SELECT attempt('to see where the primary is', 'SHOW dpsens.primary_conninfo', '42501', 'SHOW dpsens.ledger_timeout', '^00000');
SELECT attempt('to have another server asked', 'SET dpsens.primary_conninfo = ''host=elsewhere''', '55P02', 'SET dpsens.ledger_timeout = 1000', '^00000');
SELECT * FROM finish();
