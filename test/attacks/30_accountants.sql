-- Row 30: an accountant that fails, and lets pass.
\ir start.sql
CREATE TABLE clinic.paid (x float8 NOT NULL);
INSERT INTO clinic.paid SELECT 1 FROM generate_series(1, 100);
DO $$ BEGIN
    PERFORM dpsens.protect('paid'), dpsens.set_range('paid', 'x', 0, 1), dpsens.grant_budget('paid', 'dpsens_attack_ana', epsilon => 2, delta => 1e-6);
END $$;
SELECT attempt('delta ' || d || ' and epsilon ' || e, ARRAY['SET dpsens.mechanism = gaussian', format('SET dpsens.delta = %s', d),
    format('SELECT dp_sum(x, %s) FROM paid', e), 'RESET dpsens.mechanism', 'RESET dpsens.delta'], '(.*\n)*(22023|53400|55000)', ARRAY['SELECT sum(age) FROM open_people'],
    '00000.\(')
FROM (VALUES ('0', '1'), ('1', '1'), ('0.999999', '60'), ('1e-300', '64'), ('''NaN''', '1'), ('-1', '1')) list (d, e);
CREATE FUNCTION lab.until_refused() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..3000 LOOP
        PERFORM dp_sum(x, 0.5) FROM clinic.paid;
    END LOOP;
    RETURN 'never';
EXCEPTION WHEN configuration_limit_exceeded THEN
    RETURN SQLSTATE;
END $$;
SELECT attempt('the budget ends: ' || m, ARRAY[format('SET dpsens.mechanism = %s', m), 'SELECT lab.until_refused()', 'RESET dpsens.mechanism'], '00000
00000.\(53400\)', ARRAY['SELECT count(*) FROM generate_series(1, 3000)'], '3000') FROM unnest('{gaussian,laplace}'::text[]) m;
DROP TABLE clinic.paid;
SELECT * FROM finish();
