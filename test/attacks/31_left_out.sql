-- Row 31: who is left out, because the answers have cost them too much, must be
-- seen by nobody: not by a refusal, a message, or the time it takes to ask.
\ir start.sql
CREATE TABLE clinic.tired (id int PRIMARY KEY, x float8 NOT NULL, name text NOT NULL);
INSERT INTO clinic.tired SELECT i, 1, i::text FROM generate_series(1, 50) i;
CREATE TABLE clinic.fresh (LIKE clinic.tired INCLUDING ALL);
INSERT INTO clinic.fresh SELECT * FROM clinic.tired WHERE id <> 42;
INSERT INTO clinic.fresh VALUES (51, 1, 'z');
SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', t) FROM unnest('{tired,fresh}'::text[]) t \gexec
GRANT SELECT ON clinic.tired, clinic.fresh TO dpsens_attack_reader;
DO $$ DECLARE r regclass; BEGIN
    FOREACH r IN ARRAY '{tired, fresh}'::regclass[] LOOP
        PERFORM dpsens.protect(r), dpsens.set_range(r, 'x', 0, 1), dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000, own_tables => true), dpsens.set_budget(r, row_epsilon => 3);
    END LOOP;
END $$;
-- 42 has lost more than others, where there is one
SELECT lab.try('dpsens_attack_ana', 'SELECT dp_count(true, 2) FROM tired WHERE id = 42', 'SELECT dp_count(true, 2) FROM fresh WHERE id = 42') AS said, set_config('role', 'none', false) \gset
CREATE FUNCTION lab.untold(question text, one text DEFAULT 'tired', other text DEFAULT 'fresh') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    tired text = lab.outcome('dpsens_attack_ana', question, one);
    fresh text = lab.outcome('dpsens_attack_ana', question, other);
BEGIN
    PERFORM set_config('role', 'none', false);
    RETURN NEXT is(tired, fresh, 'no sign of who is left out: ' || question);
END $$;
SELECT lab.untold(question)
FROM unnest(ARRAY['SELECT dp_count(true, 2) FROM %s WHERE id = 42', 'SELECT dp_sum(x, 2) FROM %s', 'SELECT dp_avg(x, 2) FROM %s WHERE id > 40', 'SELECT cost FROM dpsens_internal.statement_cost(''SELECT dp_sum(x) FROM %s'')', 'SELECT cost FROM dpsens_internal.statement_charges(''SELECT dp_sum(x) FROM %s'')',
    'SELECT count(*) FROM dpsens.row_budgets', 'SELECT dpsens_internal.exact_includes(NULL, t) FROM %s t', 'SELECT dp_count(*) FILTER (WHERE dpsens_internal.exact_includes(NULL, t)) FROM %s t']) question;
SELECT attempt('losses: ' || question, question, '42501', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['SELECT * FROM dpsens.row_account', 'SELECT * FROM dpsens.row_loss(''tired'')', 'SELECT * FROM dpsens.frozen_loss', 'SELECT dpsens.set_budget(''tired'', row_epsilon => 100)']) question;
SELECT cmp_ok((SELECT count(*) FROM dpsens.row_loss('tired') l WHERE l::text ~ '42'), '>', 0::bigint, 'the owner sees the losses');
DROP TABLE clinic.tired, clinic.fresh CASCADE;

-- The same by training: 42 has a gradient at the clip, and is left out after the first of three steps; then
-- an answer would cost it too much, others not.
CREATE TABLE clinic.drilled (id int PRIMARY KEY, x float8 NOT NULL, name text NOT NULL);
INSERT INTO clinic.drilled SELECT i, CASE i WHEN 42 THEN 1 ELSE 0.001 END, i::text FROM generate_series(1, 50) i;
CREATE TABLE clinic.unused (LIKE clinic.drilled INCLUDING ALL);
INSERT INTO clinic.unused SELECT * FROM clinic.drilled WHERE id <> 42;
SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', t) FROM unnest('{drilled,unused}'::text[]) t \gexec
GRANT SELECT ON clinic.drilled, clinic.unused TO dpsens_attack_reader;
DO $$ DECLARE r regclass; BEGIN
    IF EXISTS (SELECT FROM dpsens.models WHERE name = 'dpsens_attack_tiring') THEN
        PERFORM dpsens.drop_model('dpsens_attack_tiring');
    END IF;
    PERFORM dpsens.create_model('dpsens_attack_tiring', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}');
    FOREACH r IN ARRAY '{drilled, unused}'::regclass[] LOOP
        PERFORM dpsens.protect(r), dpsens.set_range(r, 'x', 0, 1), dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000, own_tables => true), dpsens.set_budget(r, row_rho => 3),
            dpsens.set_model_parameters('dpsens_attack_tiring', '{0,0}');
    END LOOP;
END $$;
CALL dpsens.train('dpsens_attack_tiring', 'drilled', '{x}', 'x', 3, 1e-40, clip => 1, expected_rows => 50, noise_multiplier => 0.5, delta => 1e-6);
CALL dpsens.train('dpsens_attack_tiring', 'unused', '{x}', 'x', 3, 1e-40, clip => 1, expected_rows => 50, noise_multiplier => 0.5, delta => 1e-6);
SELECT results_eq($$SELECT unit FROM dpsens.row_training_loss('drilled') WHERE left_out$$, $$VALUES ('42')$$, 'training has left somebody out');
SELECT lab.untold(question, 'drilled', 'unused')
FROM unnest(ARRAY['SELECT dp_count(true, 2) FROM %s WHERE id = 42', 'SELECT dp_sum(x, 2) FROM %s', 'SELECT * FROM dpsens.row_training_loss(''%s'')', 'SELECT count(*) FROM dpsens.training_loss', 'SELECT count(*) FROM dpsens.training_runs',
    'CALL dpsens.train(''dpsens_attack_tiring'', ''%s'', ''{x}'', ''x'', 3, 1, clip => 1, expected_rows => 50, noise_multiplier => 0.5, delta => 1e-6)']) question;
SELECT attempt('losses by training: ' || question, question, '42501', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['SELECT * FROM dpsens.training_account', 'SELECT * FROM dpsens.row_training_loss(''drilled'')', 'SELECT * FROM dpsens.training_loss']) question;
SELECT cmp_ok((SELECT count(*) FROM dpsens.row_training_loss('drilled') l WHERE l::text ~ '42'), '>', 0::bigint, 'the owner sees these, too');
SELECT dpsens.drop_model('dpsens_attack_tiring');
DROP TABLE clinic.drilled, clinic.unused CASCADE;

-- The same by susceptibility: a sum of x^2 follows 42's value too closely, where 42 is.
CREATE TABLE clinic.bent (id int PRIMARY KEY, x float8 NOT NULL, name text NOT NULL);
INSERT INTO clinic.bent SELECT i, CASE i WHEN 42 THEN 1 ELSE 0.001 END, i::text FROM generate_series(1, 50) i;
CREATE TABLE clinic.straight (LIKE clinic.bent INCLUDING ALL);
INSERT INTO clinic.straight SELECT * FROM clinic.bent WHERE id <> 42;
SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', t) FROM unnest('{bent,straight}'::text[]) t \gexec
GRANT SELECT ON clinic.bent, clinic.straight TO dpsens_attack_reader;
DO $$ DECLARE r regclass; BEGIN
    FOREACH r IN ARRAY '{bent, straight}'::regclass[] LOOP
        PERFORM dpsens.protect(r), dpsens.set_range(r, 'x', 0, 1), dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000, own_tables => true), dpsens.set_budget(r, row_epsilon => 1000);
        PERFORM dpsens.set_plis_cap(r, 1);
    END LOOP;
END $$;
SELECT lab.untold(question, 'bent', 'straight')
FROM unnest(ARRAY['SELECT dp_sum(x * x, 2) FROM %s', 'SELECT dp_sum(x, 2) FROM %s WHERE id = 42', 'SELECT dp_count(true, 2) FROM %s WHERE id = 42', 'SELECT * FROM dpsens.row_plis(''%s'')', 'SELECT dpsens.set_plis_cap(''%s'', 100)', 'SELECT count(*) FROM dpsens.row_budgets']) question;
SELECT results_eq($$SELECT unit FROM dpsens.row_plis('bent') WHERE plis > 1$$, $$VALUES ('42')$$, 'somebody is left out');
SELECT attempt('susceptibility: ' || question, question, '42501', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['SELECT * FROM dpsens.row_plis(''bent'')', 'SELECT dpsens.set_plis_cap(''bent'', NULL)']) question;
DROP TABLE clinic.bent, clinic.straight CASCADE;

-- A person with several rows, all of which are left out.
CREATE TABLE clinic.weary (id int PRIMARY KEY, person int NOT NULL, x float8 NOT NULL, name text NOT NULL);
CREATE INDEX ON clinic.weary (person);
INSERT INTO clinic.weary SELECT 10 * i + j, i, 1, i::text FROM generate_series(1, 50) i, generate_series(1, CASE i WHEN 42 THEN 3 ELSE 1 END) j;
CREATE TABLE clinic.rested (LIKE clinic.weary INCLUDING ALL);
INSERT INTO clinic.rested SELECT * FROM clinic.weary WHERE person <> 42;
SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', t) FROM unnest('{weary,rested}'::text[]) t \gexec
GRANT SELECT ON clinic.weary, clinic.rested TO dpsens_attack_reader;
DO $$ DECLARE r regclass; BEGIN
    FOREACH r IN ARRAY '{weary, rested}'::regclass[] LOOP
        PERFORM dpsens.protect(r, 'person', max_rows => 3), dpsens.set_range(r, 'x', 0, 1), dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000, own_tables => true), dpsens.set_budget(r, row_epsilon => 3);
    END LOOP;
END $$;
SELECT lab.untold(question, 'weary', 'rested')
FROM unnest(ARRAY['SELECT dp_sum(x, 2) FROM %s', 'SELECT dp_count(true, 2) FROM %s WHERE person = 42', 'SELECT dp_count(true, 2) FROM %s WHERE id = 421', 'SELECT dp_avg(x, 2) FROM %s WHERE id > 40', 'SELECT cost FROM dpsens_internal.statement_charges(''SELECT dp_sum(x) FROM %s'')',
    'SELECT dp_count(*), dp_count(*) FILTER (WHERE id > 420) FROM %s', 'SELECT dpsens_internal.exact_includes(NULL, t) FROM %s t', 'SELECT * FROM dpsens.row_loss(''%s'')', 'SELECT id, dp_count(*) FROM %s GROUP BY id']) question;
SELECT results_eq($$SELECT unit FROM dpsens.row_loss('weary') WHERE epsilon > 3 EXCEPT SELECT unit FROM dpsens.row_loss('rested') WHERE epsilon > 3$$, $$VALUES ('42')$$, 'one person is left out');
DROP TABLE clinic.weary, clinic.rested CASCADE;
SELECT * FROM finish();
