-- Row 12: an empty input, or group, that is answered without noise, or for free.
\ir start.sql
-- An average of nothing is mostly one end of the range or the other: 40 alike are
-- less likely than 1e-9.
CREATE FUNCTION lab.silent(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint = (SELECT count(*) FROM dpsens.releases);
    v float8;
    seen float8[] = '{}';
BEGIN
    FOR i IN 1..40 LOOP
        EXECUTE question INTO v;
        seen := seen || v;
    END LOOP;
    RETURN (SELECT CASE WHEN count(DISTINCT s) > 1 AND count(s) = 40 THEN 'noised' ELSE 'silent' END FROM unnest(seen) s)
        || CASE WHEN (SELECT count(*) FROM dpsens.releases) - before >= 40 THEN ' charged' ELSE ' free' END;
END $$;
SELECT attempt('nobody is there: ' || question, ARRAY['SET dpsens.epsilon = 0.3', format('SELECT lab.silent(%L)', question), 'SET dpsens.epsilon = 4'], '00000.\("noised charged"\)', ARRAY[format('SELECT lab.silent(%L)', replace(question, 'dp_', ''))], 'silent')
FROM unnest(ARRAY['SELECT dp_count(*) FROM people WHERE id < 0', 'SELECT dp_sum(age) FROM people WHERE false', 'SELECT dp_count(*) FILTER (WHERE id < 0) FROM people',
    'SELECT v FROM (SELECT feels, dp_count(*) AS v FROM people GROUP BY feels) s WHERE feels = ''calm''', 'SELECT dp_avg(age) FROM people WHERE id < 0', 'SELECT dp_sum(pay) FROM people WHERE name IS NULL',
    'SELECT v FROM (SELECT feels, dp_sum(age) AS v FROM people WHERE id < 0 GROUP BY feels) s WHERE feels = ''sad''']) question;
SELECT * FROM finish();
