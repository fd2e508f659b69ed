-- Row 27: charges so small that a sum forgets them.
\ir start.sql
CREATE TABLE clinic.small (x float8 NOT NULL);
INSERT INTO clinic.small SELECT 1 FROM generate_series(1, 100);
DO $$ BEGIN
    PERFORM dpsens.protect('small'), dpsens.grant_budget('small', 'dpsens_attack_ana', epsilon => 1000000);
END $$;
SELECT lab.try('dpsens_attack_ana', 'SELECT dp_count(true, 60) FROM small') AS said, set_config('role', 'none', false) \gset
CREATE FUNCTION lab.spent() RETURNS float8 LANGUAGE sql SECURITY DEFINER AS $$ SELECT spent_epsilon FROM dpsens.budgets WHERE relation::text ~ 'small' AND role::text = 'dpsens_attack_ana' $$;
SELECT lab.spent() AS before \gset
CREATE FUNCTION lab.many() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    FOR i IN 1..40 LOOP
        n := (SELECT dp_count(true, 9.5367431640625e-07) FROM clinic.small);
    END LOOP;
    RETURN 40;
END $$;
SELECT attempt('forty charges of 2^-20', 'SELECT lab.many()', '00000.\(40\)', 'SELECT 1e10::float8 + 9.5367431640625e-07 = 1e10', '\(t\)');
SELECT cmp_ok(lab.spent() - :'before'::float8, '>=', 40 * 9.5367431640625e-07::float8, 'all of them count');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'the ledger adds up to the unit');
DROP TABLE clinic.small;
SELECT * FROM finish();
