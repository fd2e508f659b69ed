-- Row 3: a row that another plan evaluates to another value.
\ir start.sql
SET client_min_messages = error;
SET dpsens.noise = off;
CREATE FUNCTION lab.by_plan(question text) RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE
    plan text;
BEGIN
    FOREACH plan IN ARRAY '{jit, enable_seqscan, enable_hashagg, enable_indexscan, enable_bitmapscan}'::text[] LOOP
        EXECUTE format('SET LOCAL %s = off', plan);
        RETURN QUERY EXECUTE question;
        EXECUTE format('SET LOCAL %s = on', plan);
        SET LOCAL jit_above_cost = 0;
        RETURN QUERY EXECUTE question;
    END LOOP;
END $$;
SELECT is(count(DISTINCT v), 1::bigint, 'the same under every plan: ' || question)
FROM unnest(ARRAY['SELECT dp_sum(age / 7 * 1.1) FROM people WHERE id > 3', 'SELECT dp_sum(exp(age / 50) + sin(age)) FROM people WHERE id BETWEEN 3 AND 50',
    'SELECT dp_sum(age ^ 1.5 - age * 3) FROM people']) question, lab.by_plan(question) v GROUP BY question;
SELECT * FROM finish();
