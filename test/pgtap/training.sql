-- Training: what descent finds, what noise is added and charged, and what is
-- refused.
--
-- Everything is committed as it goes: another process records the charges.
-- Files: model/train/run_charge.c, model/train/train.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(74);

DROP SCHEMA IF EXISTS training_tap CASCADE;
CREATE SCHEMA training_tap;
SET search_path = training_tap, public;
\ir new_model.psql

-- Without noise: a line through points that lie on one, by every optimizer.
CREATE TABLE points AS SELECT i % 7 - 3 AS a, i % 5 - 2.0::real AS b, (i % 7 - 3) * 2 - (i % 5 - 2) * 0.5 + 1 AS y FROM generate_series(1, 70) i;
INSERT INTO points VALUES (NULL, 1, 1000), (1, NULL, 1000), (1, 'NaN', 1000), (1, 1, NULL);
SELECT new_model('training_tap_line', '{"input": 2, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared", "seed": 1}') \g /dev/null
CREATE TABLE begin_at AS SELECT dpsens.model_parameters('training_tap_line') AS p;
CALL dpsens.train('training_tap_line', 'points', '{a,b}', 'y', 400, 0.1, expected_rows => 70);
SELECT ok(near(p[1], 2, 1e-6) AND near(p[2], -0.5, 1e-6) AND near(p[3], 1, 1e-6), 'sgd finds the line: ' || p::text)
FROM dpsens.model_parameters('training_tap_line') p;
SELECT dpsens.set_model_parameters('training_tap_line', p) FROM begin_at \g /dev/null
CALL dpsens.train('training_tap_line', 'points', '{a,b}', 'y', 400, 0.02, optimizer => 'momentum');
SELECT ok(near(p[1], 2, 1e-4) AND near(p[2], -0.5, 1e-4) AND near(p[3], 1, 1e-4), 'so does momentum') FROM dpsens.model_parameters('training_tap_line') p;
SELECT dpsens.set_model_parameters('training_tap_line', p) FROM begin_at \g /dev/null
CALL dpsens.train('training_tap_line', 'points', '{a,b}', 'y', 1000, 0.05, optimizer => 'adam', momentum => 0.8);
SELECT ok(near(p[1], 2, 1e-3) AND near(p[2], -0.5, 1e-3) AND near(p[3], 1, 1e-3), 'and adam: ' || p::text) FROM dpsens.model_parameters('training_tap_line') p;

-- One step, by hand: the mean of the gradients of 70 rows, and of clipped ones.
SELECT dpsens.set_model_parameters('training_tap_line', '{0,0,0}') \g /dev/null
CALL dpsens.train('training_tap_line', 'points', '{a,b}', 'y', 1, 1);
SELECT ok(near(p[1], (SELECT avg(y * a) FROM points WHERE b < 'NaN'), 1e-12) AND near(p[3], (SELECT avg(y) FROM points WHERE a IS NOT NULL AND b < 'NaN'), 1e-12), 'a step is the mean gradient')
FROM dpsens.model_parameters('training_tap_line') p;
SELECT dpsens.set_model_parameters('training_tap_line', '{0,0,0}') \g /dev/null
CALL dpsens.train('training_tap_line', 'points', '{a,b}', 'y', 1, 1, clip => 0.5, expected_rows => 70);
SELECT ok(near(p[3], (SELECT sum(y * least(1, 0.5 / (abs(y) * sqrt(a ^ 2 + b ^ 2 + 1)))) / 70 FROM points WHERE y <> 0 AND a IS NOT NULL AND b < 'NaN'), 1e-11), 'or the mean of clipped ones')
FROM dpsens.model_parameters('training_tap_line') p;

-- Classes, booleans, arrays.
CREATE TABLE shapes AS SELECT ARRAY[[i % 3, i % 2], [1, -i % 3]]::int[] AS x, i % 2 = 0 AS even, i % 3 AS class FROM generate_series(1, 60) i;
INSERT INTO shapes VALUES ('{1,2}', true, 0), ('{1,2,3,4,5}', true, 0), ('{1,2,3,NULL}', true, 0), ('{1,0,1,0}', true, 3), ('{1,0,1,0}', true, -1);
SELECT new_model('training_tap_classes', '{"input": 5, "layers": [{"type": "dense", "units": 3, "activation": "softmax"}], "loss": "categorical_cross_entropy"}') \g /dev/null
CALL dpsens.train('training_tap_classes', 'shapes', '{x,even}', 'class', 300, 1);
SELECT ok(bool_and((SELECT n - 1 FROM unnest(dpsens.predict('training_tap_classes', ARRAY(SELECT unnest(x)::float8) || even::int::float8)) WITH ORDINALITY AS u (p, n) ORDER BY p DESC LIMIT 1) = class),
    'classes are learnt from arrays and booleans') FROM shapes WHERE cardinality(x) = 4 AND class BETWEEN 0 AND 2 AND x[2][2] IS NOT NULL;

-- Noise.  On an empty table a step moves every parameter by noise alone.  The
-- sum of 1000 squares over the variance has standard deviation 44.7; beyond 6 of
-- them by chance less than once in 10^8 runs.
CREATE TABLE nobody (x float8[] NOT NULL, y float8 NOT NULL);
SELECT dpsens.protect('nobody') \g /dev/null
SELECT new_model('training_tap_wide', '{"input": 999, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}') \g /dev/null
CREATE TABLE noise AS SELECT 0 AS run, dpsens.model_parameters('training_tap_wide') AS p;
CALL dpsens.train('training_tap_wide', 'nobody', '{x}', 'y', 1, 1, clip => 0.5, expected_rows => 1, noise_multiplier => 3);
INSERT INTO noise SELECT 1, dpsens.model_parameters('training_tap_wide');
CALL dpsens.train('training_tap_wide', 'nobody', '{x}', 'y', 1, 1, clip => 0.5, expected_rows => 1, noise_multiplier => 3);
INSERT INTO noise SELECT 2, dpsens.model_parameters('training_tap_wide');
CREATE VIEW moves AS SELECT n.run, u.i, u.after - u.before AS move FROM noise n JOIN noise o ON o.run = n.run - 1, unnest(o.p, n.p) WITH ORDINALITY AS u (before, after, i);
SELECT ok(sum(move ^ 2) / 1.5 ^ 2 BETWEEN 1000 - 6 * 44.8 AND 1000 + 6 * 44.8, 'noise has the deviation of multiplier * clip in run ' || run) FROM moves GROUP BY run ORDER BY run;
SELECT ok(abs(avg(move)) < 6 * 1.5 / sqrt(1000), 'and no bias') FROM moves WHERE run = 1;
SELECT is((SELECT count(*) FROM moves a JOIN moves b USING (i) WHERE a.run = 1 AND b.run = 2 AND a.move = b.move)::int, 0, 'runs draw anew');

-- What is charged.
CREATE TABLE people (id int PRIMARY KEY, x float8[] NOT NULL, y int NOT NULL);
INSERT INTO people SELECT i, ARRAY[i % 2, 1 - i % 2, (i % 10) / 10.0], i % 2 FROM generate_series(1, 500) i;
CREATE TABLE replaced (LIKE people INCLUDING ALL);
INSERT INTO replaced SELECT * FROM people;
SELECT dpsens.protect('people', unit => 'id'), dpsens.protect('replaced', adjacency => 'replace') \g /dev/null
SELECT new_model('training_tap_people', '{"input": 3, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}') \g /dev/null
CALL dpsens.train('training_tap_people', 'people', '{x}', 'y', 100, 2, clip => 0.25, expected_rows => 500, epsilon => 1, delta => 1e-6);
SELECT ok(avg((((dpsens.predict('training_tap_people', x))[1] > 0.5) = (y = 1))::int) > 0.95, 'something is learnt under noise') FROM people;
CREATE VIEW runs AS SELECT r.*, (SELECT epsilon FROM dpsens.privacy_spent(r.relation::regclass, 1e-6) WHERE accountant = 'zcdp') AS zcdp
    FROM dpsens.releases r WHERE r.relation IN ('training_tap.people', 'training_tap.replaced');
SELECT ok(mechanism = 'gaussian' AND epsilon = 1 AND delta = 1e-6 AND near(sensitivity, 0.25, 1e-9) AND joined = '{400}' AND
    near(charge_rho, (sensitivities[1]::float8 / scales[1]) ^ 2 / 2, 1e-9), 'a run is one release') FROM runs;
SELECT ok((SELECT epsilon FROM dpsens.privacy_spent(relation::regclass, 1e-6) WHERE accountant = 'gdp') BETWEEN 0.998 AND 1 AND zcdp > 1.05, 'of the epsilon that was asked for, as Gaussian noise; by its charge ' || zcdp) FROM runs;
CALL dpsens.train('training_tap_people', 'replaced', '{x}', 'y', 100, 2, clip => 0.25, expected_rows => 500, noise_multiplier => 50);
SELECT ok(near(sensitivity, 0.5, 1e-9) AND near(charge_rho, 100 * (2 / 50.0) ^ 2 / 2, 1e-9), 'replacing a row moves a gradient twice as far') FROM runs WHERE relation = 'training_tap.replaced';
SELECT ok(bool_and(valid), 'the history adds up') FROM dpsens.verify_ledger() WHERE relation IN ('training_tap.people', 'training_tap.replaced');

-- A budget ends it before anything is drawn, and nothing is refunded.
SELECT dpsens.set_budget('people', epsilon => 1.2, delta => 1e-6) \g /dev/null
CREATE TABLE kept AS SELECT dpsens.model_parameters('training_tap_people') AS p;
SELECT throws_ok($$CALL dpsens.train('training_tap_people', 'people', '{x}', 'y', 100, 2, clip => 0.25, expected_rows => 500, epsilon => 1, delta => 1e-6)$$, '53400');
SELECT is(dpsens.model_parameters('training_tap_people'), p, 'the model stays as it was') FROM kept;
CREATE TABLE before AS SELECT count(*) AS n FROM runs;
BEGIN;
CALL dpsens.train('training_tap_people', 'replaced', '{x}', 'y', 10, 1, clip => 0.25, expected_rows => 500, epsilon => 0.1);
ROLLBACK;
SELECT is(dpsens.model_parameters('training_tap_people'), p, 'a run that is rolled back leaves the model') FROM kept;
SELECT is((SELECT count(*) FROM runs), n + 1, 'and its charge') FROM before;
SELECT throws_ok($$CALL dpsens.train('training_tap_line', 'points', '{a,b}', 'y', 2000, 10)$$, '22003', 'training has diverged', 'what diverges is not stored');

-- Instead of a clip that is chosen: parameters kept in a box, over which a bound
-- on every gradient is proved.  Then nothing is ever clipped.
CREATE TABLE pairs AS SELECT (i % 10) / 10.0::float8 AS a, i % 2 AS y FROM generate_series(1, 200) i;
SELECT dpsens.protect('pairs') \g /dev/null
SELECT new_model('training_tap_box', '{"input": 1, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}') \g /dev/null
SET dpsens.max_boxes = 20000;
CREATE TABLE bound AS SELECT upper AS k FROM dpsens.sensitivity(dpsens.closed_form('training_tap_box', 'gradient_norm', 'sql'),
    '{"x1": [0, 1], "y": [0, 1], "w1_1_1": [-2, 2], "b1_1": [-2, 2]}') WHERE quantity = 'supremum';
RESET dpsens.max_boxes;
SELECT ok(k BETWEEN 1.388 AND 1.5, 'gradients are bounded by ' || k) FROM bound;
DO $$ BEGIN EXECUTE format('CALL dpsens.train(''training_tap_box'', ''pairs'', ''{a}'', ''y'', 50, 50, clip => %s, expected_rows => 200, noise_multiplier => 5, parameter_bound => 2)', (SELECT k FROM training_tap.bound)); END $$;
SELECT ok(bool_and(abs(p) <= 2) AND bool_or(abs(p) = 2), 'parameters stay in their box') FROM unnest(dpsens.model_parameters('training_tap_box')) p;
SELECT ok(max(dpsens.gradient_norm('training_tap_box', ARRAY[a], y)) <= k, 'so gradients within their bound') FROM pairs, bound GROUP BY k;

-- Refusals.
CREATE TABLE distances (x float8[], y float8);
CREATE TABLE several (id int NOT NULL, x float8[], y float8, what text);
SELECT dpsens.protect('distances', adjacency => 'metric'), dpsens.protect('several') \g /dev/null
SECURITY LABEL FOR dpsens ON COLUMN several.id IS 'UNIT';
CREATE FUNCTION try(relation regclass, more text, model name DEFAULT 'training_tap_people', features text DEFAULT '{x}', target text DEFAULT 'y', steps int DEFAULT 1, rate float8 DEFAULT 1)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CALL dpsens.train(%L, %L, %L, %L, %s, %L%s)', model, relation, features, target, steps, rate, more);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT is(try('replaced', ''), 'training on protected relation "replaced" needs clip and expected_rows', 'no clip');
SELECT is(try('replaced', ', clip => 1'), 'training on protected relation "replaced" needs clip and expected_rows', 'no divisor');
SELECT is(try('replaced', ', clip => 1, expected_rows => 500'), 'training on protected relation "replaced" needs either epsilon or noise_multiplier', 'no noise');
SELECT is(try('replaced', ', clip => 1, expected_rows => 500, epsilon => 1, noise_multiplier => 1'), 'training on protected relation "replaced" needs either epsilon or noise_multiplier', 'both');
SELECT is(try('replaced', format(', clip => %s, expected_rows => 500, epsilon => 1', clip)), 'clip must be a number greater than 0', 'clip ' || clip)
FROM unnest(ARRAY['0', '-1', '''NaN''', '''Infinity''']) clip;
SELECT is(try('replaced', ', clip => 1e-300, expected_rows => 500, epsilon => 1'), 'clip is too extreme for a model of 4 parameters', 'a tiny clip');
SELECT is(try('replaced', ', clip => 1, expected_rows => 0, epsilon => 1'), 'expected_rows must be a number greater than 0', 'expected_rows 0');
SELECT ok(try('replaced', format(', clip => 1, expected_rows => 500, epsilon => %L', epsilon)) ~ 'epsilon', 'epsilon ' || epsilon) FROM unnest('{0,-1,NaN,1e-9,100,Infinity}'::float8[]) epsilon;
SELECT ok(try('replaced', format(', clip => 1, expected_rows => 500, noise_multiplier => %L', z)) ~ 'noise_multiplier', 'noise_multiplier ' || z) FROM unnest('{0,-1,NaN,1e9,Infinity}'::float8[]) z;
SELECT is(try('replaced', format(', clip => 1, expected_rows => 500, epsilon => 1, delta => %L', delta)), 'delta must be greater than 0 and less than 1', 'delta ' || delta) FROM unnest('{0,1,NaN}'::float8[]) delta;
SELECT ok(try('distances', ', clip => 1, expected_rows => 500, epsilon => 1') ~ 'adjacency is metric', 'metric');
SELECT ok(try('several', ', clip => 1, expected_rows => 500, epsilon => 1') ~ 'units can have several rows', 'several rows of a unit');
SELECT ok(try('points', ', epsilon => 1', 'training_tap_line', '{a,b}') ~ 'is not protected', 'noise without need');
SELECT is(try('points', '', 'training_tap_line', '{a,c}'), 'column "c" of relation "points" does not exist', 'no column');
SELECT is(try('points', '', 'training_tap_line', '{}'), 'features must name a column', 'no features');
SELECT is(try('several', ', clip => 1, expected_rows => 1, epsilon => 1', features => '{what}'), 'models cannot be trained on relation "several", whose units can have several rows', 'units first');
SELECT is(try('points', ', optimizer => ''SGD''', 'training_tap_line', '{a,b}'), 'unrecognized optimizer "SGD"', 'no optimizer');
SELECT is(try('points', ', momentum => 1', 'training_tap_line', '{a,b}'), 'momentum must be at least 0 and less than 1', 'too much momentum');
SELECT is(try('points', '', 'training_tap_line', '{a,b}', steps => 0), 'steps must be between 1 and 10000000', 'no step');
SELECT is(try('points', '', 'training_tap_line', '{a,b}', rate => 'NaN'), 'learning_rate must be a number greater than 0', 'no rate');
SELECT is(try('points', ', parameter_bound => 0', 'training_tap_line', '{a,b}'), 'parameter_bound must be a number greater than 0', 'no box');
SELECT is(try('points', '', 'training_tap_none', '{a,b}'), 'model "training_tap_none" does not exist', 'no model');
CREATE TABLE words (x text, y float8, day date);
SELECT is(try('words', '', 'training_tap_line', '{x}'), 'column "x" of type text cannot be trained on', 'text');
SELECT is(try('words', '', 'training_tap_line', '{y}', 'day'), 'column "day" of type date cannot be trained on', 'dates');

-- What shows rows of a protected table is not trained on without noise.
CREATE VIEW seen AS SELECT id, x, y FROM people WHERE id < 100;
CREATE VIEW seen_through AS WITH w AS (SELECT x, y FROM seen) SELECT x, y FROM w WHERE EXISTS (SELECT FROM points);
CREATE MATERIALIZED VIEW copied AS SELECT x, y FROM people;
CREATE VIEW asked AS SELECT ARRAY[a, b, 1] AS x, y FROM points p WHERE a > (SELECT count(*) - 1000 FROM people);
CREATE TABLE parts (id int NOT NULL, x float8[], y float8) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (10);
SELECT dpsens.protect('part') \g /dev/null
CREATE TABLE wholes (id int NOT NULL, x float8[], y float8) PARTITION BY RANGE (id);
CREATE TABLE one_part PARTITION OF wholes FOR VALUES FROM (0) TO (10);
SELECT dpsens.protect('wholes') \g /dev/null
SELECT is(try(r::regclass, ''), format('relation "%s" shows rows of protected relation "%s"', r, p), 'none on ' || r)
FROM (VALUES ('seen', 'people'), ('seen_through', 'people'), ('copied', 'people'), ('asked', 'people'), ('parts', 'part'), ('one_part', 'wholes')) v (r, p);
SELECT is(try('points', ', test_relation => ''seen''', 'training_tap_line', '{a,b}'), 'relation "seen" shows rows of protected relation "people"', 'nor tested on');
CREATE VIEW harmless AS SELECT ARRAY[a, b] AS x, y FROM points;
SELECT is(try('harmless', '', 'training_tap_line'), 'trained', 'other views are trained on');

-- Privileges: the table's, and the model's.
DROP ROLE IF EXISTS training_tap_ana;
CREATE ROLE training_tap_ana;
GRANT USAGE ON SCHEMA training_tap TO training_tap_ana;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA training_tap TO training_tap_ana;
SET ROLE training_tap_ana;
SELECT is(try('points', '', 'training_tap_line', '{a,b}'), 'permission denied for model "training_tap_line"', 'another''s model');
RESET ROLE;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO training_tap_ana', current_database()); END $$;
SET ROLE training_tap_ana;
SELECT new_model('training_tap_hers', '{"input": 3, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}') \g /dev/null
SELECT is(try('replaced', ', clip => 1, expected_rows => 500, epsilon => 1', 'training_tap_hers'), 'permission denied for table replaced', 'another''s table');
SELECT is(dpsens.model_parameters('training_tap_hers'), (SELECT array_agg(p ORDER BY i) FROM unnest(dpsens.model_parameters('training_tap_hers')) WITH ORDINALITY u (p, i)), 'her own model');
RESET ROLE;

-- Beside a dp aggregate a model would be a way to single rows.
SELECT dpsens.grant_budget('people', 'training_tap_ana', epsilon => 1) \g /dev/null
SET ROLE training_tap_ana;
SELECT throws_matching($$SELECT dp_count(true, 0.1) FROM people WHERE dpsens.loss('training_tap_hers', x, y::float8) > 0$$, 'loss|permission', 'models are refused beside dp aggregates');
SELECT throws_matching($$SELECT dp_sum(dpsens.loss('training_tap_hers', x, y::float8), 0.1) FROM people$$, 'loss|permission', 'and in them');
SELECT dpsens.drop_model('training_tap_hers') \g /dev/null
RESET ROLE;
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM training_tap_ana', current_database()); END $$;
SELECT dpsens.revoke_budget('people', 'training_tap_ana'), dpsens.revoke_budget('people') \g /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'training_tap%' \g /dev/null
SELECT * FROM finish();
DROP SCHEMA training_tap CASCADE;
DROP ROLE training_tap_ana;
