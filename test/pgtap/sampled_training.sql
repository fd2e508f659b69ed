-- Training on secret samples: what a step does, what is charged, how it adds up
-- with other releases, and what is refused.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(50);

DROP SCHEMA IF EXISTS sampled_tap CASCADE;
CREATE SCHEMA sampled_tap;
SET search_path = sampled_tap, public;
\ir new_model.psql

-- Which rows a step takes.  The gradient of half_squared at 0 is -y x, and every
-- row has a feature of its own, so that one step from 0 shows the sample: on a
-- table that is not protected, where nothing hides it.  Of 1000 rows 6 deviations
-- are 6 sqrt(1000 * 0.25 * 0.75) = 82, exceeded less than once in 10^8 runs.
CREATE TABLE marks AS SELECT i, (SELECT array_agg((i = k)::int ORDER BY k) FROM generate_series(1, 1000) k) AS x, 1 AS y FROM generate_series(1, 1000) i;
SELECT new_model('sampled_tap_marks', '{"input": 1000, "layers": [{"type": "dense", "units": 1, "bias": false}], "loss": "half_squared"}') \g /dev/null
CREATE TABLE samples (step int, i int, taken boolean);
DO $$
BEGIN
    FOR step IN 1..4 LOOP
        PERFORM dpsens.set_model_parameters('sampled_tap_marks', array_fill(0::float8, ARRAY[1000]));
        CALL dpsens.train('sampled_tap_marks', 'sampled_tap.marks', '{x}', 'y', 1, 250, sampling_rate => 0.25);
        INSERT INTO samples SELECT step, i, p > 0 FROM unnest(dpsens.model_parameters('sampled_tap_marks')) WITH ORDINALITY u (p, i);
    END LOOP;
END $$;
SELECT ok(count(*) FILTER (WHERE taken) BETWEEN 250 - 82 AND 250 + 82, 'step ' || step || ' takes part of the rows: ' || count(*) FILTER (WHERE taken)) FROM samples GROUP BY step ORDER BY step;
SELECT ok(count(DISTINCT taken_by) > 1, 'not the same in every step') FROM (SELECT step, array_agg(i ORDER BY i) AS taken_by FROM samples WHERE taken GROUP BY step) s;
SELECT ok(count(*) BETWEEN 250 * 0.25 - 6 * 7.7 AND 250 * 0.25 + 6 * 7.7, 'two steps share as many as chance would have it: ' || count(*))
FROM samples a JOIN samples b USING (i) WHERE a.step = 1 AND b.step = 2 AND a.taken AND b.taken;
SELECT ok(count(*) BETWEEN 125 - 6 * 9.7 AND 125 + 6 * 9.7, 'whatever the order of the rows: ' || count(*)) FROM samples WHERE step = 1 AND i <= 500 AND taken;
SELECT ok(bool_and(p IN (0, 1)), 'the divisor is the expected size of a sample') FROM unnest(dpsens.model_parameters('sampled_tap_marks')) p;

-- What is charged.
CREATE TABLE people (id int PRIMARY KEY, x float8[] NOT NULL, y int NOT NULL);
INSERT INTO people SELECT i, ARRAY[i % 2, 1 - i % 2, (i % 10) / 10.0], i % 2 FROM generate_series(1, 2000) i;
CREATE TABLE replaced (LIKE people INCLUDING ALL);
SELECT dpsens.protect('people', unit => 'id'), dpsens.protect('replaced', adjacency => 'replace') \g /dev/null
SELECT new_model('sampled_tap_people', '{"input": 3, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}') \g /dev/null
SELECT dpsens.set_budget('people', epsilon => 3, delta => 1e-5) \g /dev/null
CALL dpsens.train('sampled_tap_people', 'people', '{x}', 'y', 300, 2, clip => 0.25, expected_rows => 2000, epsilon => 1, delta => 1e-6, sampling_rate => 0.05);
SELECT ok(avg((((dpsens.predict('sampled_tap_people', x))[1] > 0.5) = (y = 1))::int) > 0.95, 'something is learnt under noise') FROM people;
CREATE VIEW runs AS SELECT * FROM dpsens.releases WHERE relation = 'sampled_tap.people';
SELECT is(row(mechanism, epsilon, delta, steps, rate, joined)::text, row('subsampled', 1::float8, 1e-6::float8, 300, 0.05::float8, '{4}'::bigint[])::text, 'a run is one release') FROM runs;
SELECT ok(abs(charge_delta - 1.25e-7) < 1e-18, 'its rho holds up to an eighth of delta') FROM runs;
SELECT ok(CASE accountant WHEN 'pld' THEN epsilon BETWEEN 0.998 AND 1 ELSE epsilon BETWEEN 1.05 AND 1.12 END, 'the distribution of the loss gives the epsilon that was asked for, Renyi losses more: ' || epsilon) FROM dpsens.privacy_spent('people', 1e-6) WHERE accountant IN ('rdp', 'pld');
SELECT ok(epsilon BETWEEN 1.05 AND 1.3, 'the charge is worth more: ' || epsilon) FROM dpsens.privacy_spent('people', 1e-6) WHERE accountant = 'zcdp';
SELECT ok(steps * (sensitivities[1]::float8 / scales[1]) ^ 2 / 2 > 20 * charge_rho, 'and far less than without samples') FROM runs;
SELECT ok(bool_and(valid), 'the history adds up') FROM dpsens.verify_ledger() WHERE relation = 'sampled_tap.people';
SELECT is((SELECT charge_rho FROM dpsens_internal.charge_of_release(mechanism, sensitivities, scales, joined, steps + 1, rate, (charge_delta * 2 ^ 62)::bigint)) > charge_rho * 2 ^ 40, true, 'one step more costs more') FROM runs;

-- Beside other releases.
SET dpsens.epsilon = 0.1;
SELECT dp_count(*) FROM people \g /dev/null
SELECT ok(epsilon BETWEEN CASE accountant WHEN 'pld' THEN 0.97 ELSE 1.0001 END AND 1.4, 'it composes with counts: ' || epsilon) FROM dpsens.privacy_spent('people', 1e-6) WHERE accountant IN ('zcdp', 'rdp', 'pld');
SELECT ok(bool_and(valid), 'and the history adds up') FROM dpsens.verify_ledger() WHERE relation = 'sampled_tap.people';
CALL dpsens.train('sampled_tap_people', 'people', '{x}', 'y', 100, 2, clip => 0.25, expected_rows => 2000, noise_multiplier => 2, delta => 1e-6, sampling_rate => 0.05);
SELECT ok(scales[1] / sensitivities[1]::float8 BETWEEN 1.999999 AND 2.000001 AND epsilon BETWEEN 1 AND 1.8, 'a multiplier has an epsilon: ' || epsilon) FROM runs WHERE steps = 100;
CREATE TABLE kept AS SELECT dpsens.model_parameters('sampled_tap_people') AS p;
SELECT throws_ok($$CALL dpsens.train('sampled_tap_people', 'people', '{x}', 'y', 300, 2, clip => 0.25, expected_rows => 2000, epsilon => 2.9, delta => 1e-6, sampling_rate => 0.05)$$, '53400');
SELECT is(dpsens.model_parameters('sampled_tap_people'), p, 'a budget ends it before anything is drawn') FROM kept;

-- What single rows have lost is told without the secret of the sample.
SELECT ok(abs(max(l.rho) / sum(c.rho) - 1) < 1e-6, 'a row''s own loss is that without samples: ' || max(l.rho)) FROM
    (SELECT max(rho) AS rho FROM dpsens.row_loss('people')) l,
    (SELECT CASE WHEN mechanism = 'subsampled' THEN steps * (sensitivities[1]::float8 / scales[1]) ^ 2 / 2 ELSE charge_rho END AS rho FROM runs) c;

-- Noise: on an empty table the model moves by it alone, 3 * 0.5 over 0.1 * 10 rows.
-- The sum of 1000 squares has a deviation of 44.7; 6 of them are exceeded less than once in
-- 10^8 runs.
CREATE TABLE nobody (x float8[] NOT NULL, y float8 NOT NULL);
SELECT dpsens.protect('nobody') \g /dev/null
SELECT dpsens.set_model_parameters('sampled_tap_marks', array_fill(0::float8, ARRAY[1000])) \g /dev/null
CALL dpsens.train('sampled_tap_marks', 'nobody', '{x}', 'y', 1, 1, clip => 0.5, expected_rows => 10, noise_multiplier => 3, sampling_rate => 0.1);
SELECT ok(sum(p ^ 2) / 1.5 ^ 2 BETWEEN 1000 - 6 * 44.8 AND 1000 + 6 * 44.8, 'noise has the deviation of multiplier * clip over the expected sample') FROM unnest(dpsens.model_parameters('sampled_tap_marks')) p;

-- What a run would cost.
SELECT ok(dpsens.training_epsilon(1, 1000, 1e-5, 0.01) BETWEEN 1.828203531 AND 1.8292, 'on samples, by the distribution of the loss: 2.1078 by Renyi losses');
SELECT ok(dpsens.training_epsilon(0.6, 100, 1e-5, 0.01) BETWEEN 3.815532796 AND 3.8175, 'and 3.82 where Renyi losses are 5.23');
SELECT ok(bool_and(abs(dpsens.training_epsilon(scales[1] / sensitivities[1]::float8, steps, 1e-6, rate) / epsilon - 1) < 1e-6), 'as in the history') FROM runs WHERE steps = 100;
SELECT ok(dpsens.training_epsilon(5, 500, 1e-5) BETWEEN 28.36 AND 28.38, 'in full batches, as of Gaussian noise');
SELECT ok(dpsens.training_epsilon(1e-9, 1000000000000, 1e-5, 0.5) > 1e20, 'little noise costs much');
SELECT throws_ok(format('SELECT dpsens.training_epsilon(%s)', a), '22023', NULL, 'training_epsilon of ' || a)
FROM unnest('{"0,1,1e-5","''NaN'',1,1e-5","1e9,1,1e-5","1,-1,1e-5","1,1,0","1,1,1","1,1,1e-5,0","1,1,1e-5,1.1"}'::text[]) a;

-- Full batches by another name.
CALL dpsens.train('sampled_tap_people', 'people', '{x}', 'y', 10, 2, clip => 0.25, expected_rows => 2000, noise_multiplier => 100, delta => 1e-6, sampling_rate => 1);
SELECT is(count(*), 1::bigint, 'a rate of 1 is a full batch') FROM runs WHERE mechanism = 'gaussian' AND steps IS NULL;

-- Refusals.
CREATE FUNCTION try(relation regclass, more text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CALL dpsens.train(''sampled_tap_people'', %L, ''{x}'', ''y'', 10, 1, clip => 1, expected_rows => 2000, epsilon => 1%s)', relation, more);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT is(try('people', format(', sampling_rate => %L', rate)), 'sampling_rate must be greater than 0 and at most 1', 'rate ' || rate) FROM unnest('{0,-1,1.5,NaN,Infinity,1e-30}'::float8[]) rate;
SELECT is(try('replaced', ', sampling_rate => 0.1'), 'models cannot be trained on samples of relation "replaced", whose adjacency is replace', 'samples under replace');
SELECT throws_ok($$SELECT dpsens.set_budget('people', rho => 1, row_rho => 1)$$, '55000', NULL, 'rows of a sample have no accounts');
SELECT throws_ok($$SELECT dpsens_internal.charge_of_release('subsampled', '{1}', '{1}', '{1}')$$, '22023', NULL, 'a run without steps');
SELECT is((SELECT charge_epsilon FROM dpsens_internal.charge_of_release(NULL, '{1}', '{1}', '{1}')), NULL, 'no mechanism, no charge');

SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'sampled_tap%' \g /dev/null
SELECT dpsens.revoke_budget('people') \g /dev/null
SELECT * FROM finish();
DROP SCHEMA sampled_tap CASCADE;
