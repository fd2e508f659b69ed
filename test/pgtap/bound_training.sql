-- Bounds on gradients that are proved instead of clips: no example exceeds them,
-- nothing is clipped, and noise is in proportion.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(36);

DROP SCHEMA IF EXISTS bound_tap CASCADE;
CREATE SCHEMA bound_tap;
SET search_path = bound_tap, public;
\ir new_model.psql

SELECT new_model('bound_tap_net', '{"input": 2, "layers": [{"type": "dense", "units": 4, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 5}') \g /dev/null
SELECT new_model('bound_tap_line', '{"input": 2, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 5}') \g /dev/null
SELECT new_model('bound_tap_class', '{"input": 3, "layers": [{"type": "dense", "units": 4, "activation": "tanh"}, {"type": "dense", "units": 3, "activation": "softmax"}], "loss": "categorical_cross_entropy", "seed": 5}') \g /dev/null
CREATE TABLE begin_at AS SELECT m, dpsens.model_parameters(m) AS p FROM unnest('{bound_tap_net,bound_tap_line,bound_tap_class}'::name[]) m;

-- The bound by itself.
CREATE TABLE probes AS SELECT ARRAY[a, b] AS x, y FROM
    (SELECT k / 16.0::float8 AS a FROM generate_series(0, 16) k) i, (SELECT -1 + k / 8.0::float8 AS b FROM generate_series(0, 16) k) j, unnest('{0,0.3,1}'::float8[]) y;
SELECT ok(g.upper >= n.most AND g.upper <= 1.05 * n.most AND g.lower <= n.most * 1.0001, format('of a net at its parameters: %s <= %s <= %s', g.lower, n.most, g.upper))
FROM dpsens.gradient_bound('bound_tap_net', '{{0,1},{-1,1}}', '{0,1}') g, (SELECT max(dpsens.gradient_norm('bound_tap_net', x, y)) AS most FROM probes) n;
SELECT ok(a.upper >= b.upper AND b.boxes <= 1000 AND a.boxes = 1, 'a search improves it')
FROM dpsens.gradient_bound('bound_tap_net', '{{0,1},{-1,1}}', '{0,1}', max_boxes => 1) a, dpsens.gradient_bound('bound_tap_net', '{{0,1},{-1,1}}', '{0,1}') b;
SELECT ok(near(upper, sqrt(3), 1e-9), 'of a logistic regression it is that of the features, whatever the weights') FROM dpsens.gradient_bound('bound_tap_line', '{-1,1}', '{0,1}', 'Infinity', 1);
SELECT throws_ok($$SELECT dpsens.gradient_bound('bound_tap_net', '{-1,1}', '{0,1}', 'Infinity')$$, '22023', 'gradients of the model have no bound', 'two layers need bounded weights');
SELECT ok(upper > 1 AND upper < 10, 'classes need no range') FROM dpsens.gradient_bound('bound_tap_class', '{-1,1}');
SELECT throws_ok($$SELECT dpsens.gradient_bound('bound_tap_net', '{-1,1}')$$, '22004', NULL, 'other targets do');
SELECT throws_ok(format($$SELECT dpsens.gradient_bound('bound_tap_net', %L, '{0,1}')$$, r), state, NULL, 'features of range ' || r)
FROM (VALUES ('{1,-1}', '22023'), ('{0,Infinity}', '22023'), ('{0,NaN}', '22023'), ('{0}', '2202E'), ('{0,1,0,1,0,1}', '2202E'), ('{0,NULL}', '2202E')) v (r, state);
SELECT throws_ok($$SELECT dpsens.gradient_bound('bound_tap_net', '{-1,1}', '{0,1}', 0)$$, '22023', NULL, 'no parameters');
SELECT throws_ok($$SELECT dpsens.gradient_bound('bound_tap_net', '{-1,1}', '{0,1}', 1, 0)$$, '22023', NULL, 'no boxes');
SELECT is(dpsens.gradient_bound(NULL, '{-1,1}'), NULL, 'no model, no bound');

-- Parameters anywhere in a box, also where attacks find the greatest norm.
SELECT setseed(0.5) \g /dev/null
DO $$
DECLARE
    upper float8 := (SELECT g.upper FROM dpsens.gradient_bound('bound_tap_net', '{{0,1},{-1,1}}', '{0,1}', 3, 50) g);
    most float8 := 0;
BEGIN
    FOR trial IN 1..60 LOOP
        PERFORM dpsens.set_model_parameters('bound_tap_net', ARRAY(SELECT CASE WHEN trial % 2 = 0 THEN 6 * random() - 3 WHEN random() < 0.5 THEN -3 ELSE 3 END FROM generate_series(1, 17)));
        most := greatest(most, (SELECT max(dpsens.gradient_norm('bound_tap_net', x, y)) FROM bound_tap.probes));
    END LOOP;
    CREATE TABLE bound_tap.extremes AS SELECT most, upper;
END $$;
SELECT ok(most <= upper AND most > upper / 3, format('in a box of parameters: %s <= %s', most, upper)) FROM extremes;

-- Training without noise: with a bound nothing is clipped, so the same is learnt.
CREATE TABLE dots AS SELECT i, (i % 17) / 16.0::float8 AS a, -1 + (i % 13) / 6.0::float8 AS b, (i % 17 > i % 13)::int AS y FROM generate_series(1, 200) i;
INSERT INTO dots VALUES (0, 40, -7, 1);
CREATE TABLE tame AS SELECT i, least(a, 1) AS a, greatest(b, -1) AS b, y FROM dots;
CREATE TABLE learnt (how text, p float8[]);
DO $$
DECLARE
    how text;
BEGIN
    FOREACH how IN ARRAY '{none,weights,iteration,lipschitz}'::text[] LOOP
        PERFORM dpsens.set_model_parameters('bound_tap_net', (SELECT p FROM bound_tap.begin_at WHERE m = 'bound_tap_net'));
        EXECUTE format('CALL dpsens.train(''bound_tap_net'', %L, ''{a,b}'', ''y'', 20, 2, parameter_bound => 4%s)',
            CASE how WHEN 'none' THEN 'bound_tap.tame' ELSE 'bound_tap.dots' END,
            CASE WHEN how <> 'none' THEN format(', bound => %L, feature_range => ''{0,1,-1,1}'', target_range => ''{0,1}''', how) END);
        INSERT INTO learnt VALUES (how, dpsens.model_parameters('bound_tap_net'));
    END LOOP;
END $$;
SELECT ok(bool_and(near(u.a, u.b, 1e-9)), 'bound ' || l.how || ' clips nothing, and brings examples into their ranges')
FROM learnt l, learnt n, unnest(l.p, n.p) u (a, b) WHERE n.how = 'none' AND l.how <> 'none' GROUP BY l.how ORDER BY l.how;
SELECT ok(NOT bool_and(near(u.a, u.b, 1e-3)), 'which is not where it began') FROM learnt l, begin_at b, unnest(l.p, b.p) u (a, b) WHERE l.how = 'none' AND b.m = 'bound_tap_net';

-- On a protected table, with declared ranges.
CREATE TABLE people AS SELECT * FROM dots;
ALTER TABLE people ADD PRIMARY KEY (i);
CREATE TABLE nobody (LIKE people INCLUDING ALL);
SELECT dpsens.protect(t, unit => 'i'), dpsens.set_range(t, 'a', 0, 1), dpsens.set_range(t, 'b', -1, 1), dpsens.set_range(t, 'y', 0, 1) FROM unnest('{people,nobody}'::regclass[]) t \g /dev/null
CREATE FUNCTION run(model name, relation regclass, more text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CALL dpsens.train(%L, %L, ''{a,b}'', ''y'', 5, 1, expected_rows => 200, noise_multiplier => 20, delta => 1e-6%s)', model, relation, more);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT is(run('bound_tap_line', 'people', ', bound => ''iteration'''), 'trained', 'at every step');
SELECT is(run('bound_tap_line', 'people', ', bound => ''lipschitz'''), 'trained', 'known in advance');
SELECT is(run('bound_tap_net', 'people', ', bound => ''weights'', parameter_bound => 2'), 'trained', 'from bounded weights');
SELECT is(run('bound_tap_net', 'people', ', bound => ''lipschitz'', parameter_bound => 2, sampling_rate => 0.5'), 'trained', 'on samples');
SELECT ok(bool_and(near(charge_rho, 5 / 800.0, 1e-8)), 'what is charged depends on the noise multiplier alone') FROM dpsens.releases WHERE relation = 'bound_tap.people' AND mechanism = 'gaussian';
SELECT ok(near(sensitivity, sqrt(3), 1e-9), 'the sensitivity is the bound: ' || sensitivity) FROM (SELECT * FROM dpsens.releases WHERE relation = 'bound_tap.people' ORDER BY release OFFSET 1 LIMIT 1) r;

-- Noise of every step is in proportion to its bound.  On an empty table the model
-- moves by noise alone.  A logistic regression of 500 features in [-1, 1] with weights
-- of 0 has gradients of at most K = sqrt(501) / 2, and of twice that once they are far
-- from 0, as they are after the first of two steps.  So the squares of the moves add up
-- to 1 + 4 times 501 (3 K)^2 times a chi-squared of 501 degrees over 501: below 3.2 or
-- above 7 with a probability below 1e-8.  Noise that stays as it was is at 2, and above
-- 3.2 with one below 1e-15.
CREATE TABLE nobodies (x float8[] NOT NULL, y float8 NOT NULL);
SELECT dpsens.protect('nobodies') \g /dev/null
SELECT new_model('bound_tap_wide', '{"input": 500, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}') \g /dev/null
SELECT dpsens.set_model_parameters('bound_tap_wide', array_fill(0::float8, ARRAY[501])) \g /dev/null
CALL dpsens.train('bound_tap_wide', 'nobodies', '{x}', 'y', 2, 1, expected_rows => 1, noise_multiplier => 3, bound => 'iteration', feature_range => '{-1,1}', target_range => '{0,1}', bound_boxes => 1);
SELECT ok(sum(p ^ 2) / (501 * 9 * 501 / 4.0) BETWEEN 3.2 AND 7, 'noise follows the bound: ' || sum(p ^ 2) / (501 * 9 * 501 / 4.0)) FROM unnest(dpsens.model_parameters('bound_tap_wide')) p;

-- Refusals.
CREATE TABLE arrays (x float8[], y float8);
SELECT dpsens.protect('arrays') \g /dev/null
CREATE TABLE undeclared (LIKE people INCLUDING ALL);
SELECT dpsens.protect('undeclared', unit => 'i') \g /dev/null
SELECT is(run('bound_tap_net', 'people', ', bound => ''weights'''), 'bound weights needs parameter_bound', 'weights without a box');
SELECT is(run('bound_tap_net', 'people', ', bound => ''lipschitz'''), 'gradients of the model have no bound', 'two layers with any weights');
SELECT is(run('bound_tap_net', 'people', ', bound => ''iteration'', clip => 1'), 'gradients are clipped to clip or to what bound proves, not to both', 'two clips');
SELECT is(run('bound_tap_net', 'people', ', bound => ''hope'''), 'unrecognized bound "hope"', 'no such bound');
SELECT is(run('bound_tap_net', 'people', ', bound => ''iteration'', bound_boxes => 0'), 'bound_boxes must be between 1 and 1000000', 'no boxes');
SELECT is(run('bound_tap_net', 'undeclared', ', bound => ''iteration'''), 'a bound on gradients needs the range of column "a"', 'no ranges');
SELECT is(run('bound_tap_net', 'undeclared', ', bound => ''iteration'', feature_range => ''{0,1}'''), 'a bound on gradients needs the range of column "y"', 'no range of the target');
SELECT is(run('bound_tap_net', 'people', ', bound => ''iteration'', feature_range => ''{0,1,2}'''), 'feature_range must have 2 elements, or 2 for each of 2 features, and no nulls', 'odd ranges');
SELECT throws_ok($$CALL dpsens.train('bound_tap_net', 'bound_tap.arrays', '{x}', 'y', 5, 1, expected_rows => 200, noise_multiplier => 20, bound => 'iteration')$$, '22023',
    'a bound on gradients needs the range of column "x"', 'arrays have no declared range');

SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'bound_tap%' \g /dev/null
SELECT * FROM finish();
DROP SCHEMA bound_tap CASCADE;
