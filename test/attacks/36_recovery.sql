-- Row 36: a server that cannot write the charge.  Standbys are tested where
-- servers are started; here, what a session can do to look like one.
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
SELECT * FROM finish();
