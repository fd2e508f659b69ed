-- Runs a query and says what became of it.
CREATE FUNCTION pg_temp.run(statement text, OUT answer jsonb, OUT state text, OUT message text, OUT ms float8) LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz;
BEGIN
    started = clock_timestamp();
    state = '00000';
    BEGIN
        EXECUTE format('SELECT jsonb_agg(to_jsonb(q)) FROM (%s) q', statement) INTO answer;
    EXCEPTION WHEN feature_not_supported OR object_not_in_prerequisite_state THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    END;
    ms = extract(epoch FROM clock_timestamp() - started) * 1000;
END $$;

-- Every number of an answer, by the keys of its row: strings, and the number that
-- query 13 groups by.
CREATE FUNCTION pg_temp.numbers(answer jsonb, OUT keys text, OUT field text, OUT value float8) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT (SELECT COALESCE(string_agg(v #>> '{}', ' ' ORDER BY k), '') FROM jsonb_each(line) AS f (k, v) WHERE jsonb_typeof(v) = 'string' OR k = 'c_count'), k, (v #>> '{}')::float8
    FROM jsonb_array_elements(answer) AS line, jsonb_each(line) AS f (k, v) WHERE jsonb_typeof(v) = 'number' AND k <> 'c_count'
$$;
