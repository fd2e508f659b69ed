-- Closed forms of models with some inputs known: what is left is the whole at
-- every point.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(33);

CREATE FUNCTION pg_temp.near(a float8[], b float8[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT cardinality(a) = cardinality(b) AND bool_and(abs(x - y) <= 1e-9 * (SELECT max(abs(z)) FROM unnest(b) z) + 1e-300) FROM unnest(a, b) AS u (x, y)';
CREATE FUNCTION pg_temp.uniform(i bigint, k bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN ((hashint8extended(i, k) & 9007199254740991)::float8 + 0.5) / 9007199254740992;
-- A closed form with the free features of x at their values.
CREATE FUNCTION pg_temp.left_over(model name, quantity text, x float8[], y float8, free int[]) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    known jsonb := jsonb_build_object('y', y, 'features', (SELECT jsonb_agg(CASE WHEN i = ANY (free) THEN NULL ELSE v END ORDER BY i) FROM unnest(x) WITH ORDINALITY u (v, i)));
    written text := dpsens.closed_form(model, quantity, 'sql', true, known);
    result float8[];
BEGIN
    EXECUTE format('SELECT ARRAY[%s]::float8[] FROM (SELECT %s) s', written, (SELECT string_agg(format('%L::float8 AS x%s', x[i], i), ', ') FROM unnest(free) i)) INTO result;
    RETURN ARRAY(SELECT unnest(result));
END$$;
CREATE FUNCTION pg_temp.pick(x float8[], free int[]) RETURNS float8[] LANGUAGE sql IMMUTABLE AS 'SELECT array_agg(x[i] ORDER BY i) FROM unnest(free) i';

SELECT dpsens.create_model('partial_tap linear', '{"input": 6, "seed": 2, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}');
SELECT dpsens.create_model('partial_tap logistic', '{"input": 6, "seed": 3, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}');
SELECT dpsens.create_model('partial_tap bars', '{"input": [5, 5], "seed": 4, "layers": [{"type": "dense", "units": 8, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}');
CREATE TEMP TABLE points AS
SELECT model, i, free, array_agg(2 * pg_temp.uniform(i, k) - 1 ORDER BY k) AS x, (i % 2)::float8 AS y
FROM (VALUES ('partial_tap linear', 6, '{1,4,6}'::int[]), ('partial_tap logistic', 6, '{2,3}'), ('partial_tap bars', 25, '{7,13}')) m (model, n, free),
    generate_series(1, 10) i, LATERAL generate_series(1, n) k GROUP BY model, i, free;

SELECT ok(bool_and(pg_temp.near(pg_temp.left_over(model, 'prediction', x, y, free), dpsens.predict(model, x))
        AND pg_temp.near(pg_temp.left_over(model, 'loss', x, y, free), ARRAY[dpsens.loss(model, x, y)])
        AND pg_temp.near(pg_temp.left_over(model, 'gradient_norm', x, y, free), ARRAY[dpsens.gradient_norm(model, x, y)])),
    model || ': prediction, loss and gradient norm of what is left, at ' || count(*) || ' points')
FROM points GROUP BY model ORDER BY model;
SELECT ok(bool_and(pg_temp.near(pg_temp.left_over(model, 'partial_sensitivity', x, y, free), pg_temp.pick(dpsens.partial_sensitivity(model, x, y), free))
        AND pg_temp.near(pg_temp.left_over(model, 'plis', x, y, free), pg_temp.pick(dpsens.plis(model, x, y), free))),
    model || ': derivatives have entries for the free features')
FROM points WHERE model <> 'partial_tap bars' GROUP BY model ORDER BY model;
SELECT ok(bool_and(pg_temp.near(pg_temp.left_over(model, 'plis', x, y, '{13}'), pg_temp.pick(dpsens.plis(model, x, y), '{13}'))),
    'PLIS of 25-8-1 by one pixel, the others known') FROM points WHERE model = 'partial_tap bars';
-- The gradient of what is left is that of the differences of what is left.
SELECT ok(bool_and(abs((pg_temp.left_over(model, 'feature_gradient', x, y, free))[1] -
        (dpsens.loss(model, pg_temp.moved, y) - dpsens.loss(model, pg_temp.moved_back, y)) / 2e-5) < 1e-8), model || ': and its gradient')
FROM points, LATERAL (SELECT x[:free[1]-1] || x[free[1]] + 1e-5 || x[free[1]+1:], x[:free[1]-1] || x[free[1]] - 1e-5 || x[free[1]+1:]) AS pg_temp (moved, moved_back)
GROUP BY model ORDER BY model;
SELECT ok(bool_and(pg_temp.near(pg_temp.left_over(model, 'feature_gradient_norm', x, y, free),
        ARRAY[(SELECT sqrt(sum(v ^ 2)) FROM unnest(pg_temp.left_over(model, 'feature_gradient', x, y, free)) v)])), model || ': the norm is over the free ones')
FROM points GROUP BY model ORDER BY model;

-- Names, and arrays in arrays.
SELECT ok(pg_temp.near(ARRAY[v], ARRAY[dpsens.loss('partial_tap linear', '{1,2,3,4,5,6}', 7)]), 'everything known by name: ' || v)
FROM CAST(split_part(dpsens.closed_form('partial_tap linear', 'loss', 'sql', true, '{"x1": 1, "x2": 2, "x3": 3, "x4": 4, "x5": 5, "x6": 6, "y": 7}'), ':', 1) AS float8) v;
SELECT is(dpsens.closed_form('partial_tap bars', 'loss', 'sql', true, '{"features": [[0.5,0.5,0.5,0.5,0.5],[0.5,0.5,0.5,0.5,0.5],[0.5,0.5,0.5,0.5,0.5],[0.5,0.5,0.5,0.5,0.5],[0.5,0.5,0.5,0.5,null]], "target": 1}'),
    dpsens.closed_form('partial_tap bars', 'loss', 'sql', true, (SELECT jsonb_object_agg('x' || i, 0.5) || '{"y": 1}' FROM generate_series(1, 24) i)), 'arrays of any dimensions');
SELECT is(dpsens.closed_form('partial_tap linear', 'loss', 'sql', true, '{}'), dpsens.closed_form('partial_tap linear', 'loss', 'sql', true), 'nothing known');
SELECT ok(dpsens.closed_form('partial_tap logistic', 'loss', 'sql', false, '{"w1_1_1": 0, "features": [1, 0, 0, 0, 0, 0], "target": 0}') = 'ln(1 + exp(b1_1))', 'parameters, too');
SELECT ok(dpsens.closed_form('partial_tap logistic', 'gradient_norm', 'latex', true, '{"features": [1, 0, 0, 0, null, 0], "target": 0}') ~ 'mathit.x5', 'as LaTeX');

-- A convolutional network, which is far too large to be written out, by two of
-- its pixels.
SELECT dpsens.create_model('partial_tap images', '{"input": [1, 12, 12], "seed": 3, "loss": "categorical_cross_entropy", "layers": [
    {"type": "conv2d", "filters": 2, "kernel": 3, "activation": "tanh"}, {"type": "average_pool", "kernel": 2}, {"type": "dense", "units": 3, "activation": "softmax"}]}');
SELECT dpsens.create_model('partial_tap halves', '{"input": [1, 12, 12], "seed": 3, "loss": "binary_cross_entropy", "layers": [
    {"type": "conv2d", "filters": 2, "kernel": 3, "activation": "tanh"}, {"type": "average_pool", "kernel": 2}, {"type": "dense", "units": 1, "activation": "sigmoid"}]}');
CREATE TEMP TABLE image AS SELECT array_agg(0.5 + 0.5 * sin(1.3 * i)) AS x FROM generate_series(1, 144) i;
CREATE FUNCTION pg_temp.of_image(model name, quantity text, x float8[], class int, free int[]) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    known jsonb := jsonb_build_object('target', class, 'features', (SELECT jsonb_agg(CASE WHEN i = ANY (free) THEN NULL ELSE v END ORDER BY i) FROM unnest(x) WITH ORDINALITY u (v, i)));
    result float8[];
BEGIN
    EXECUTE format('SELECT ARRAY[%s]::float8[] FROM (SELECT %s) s', dpsens.closed_form(model, quantity, 'sql', true, known),
        (SELECT string_agg(format('%L::float8 AS x%s', x[i], i), ', ') FROM unnest(free) i)) INTO result;
    RETURN ARRAY(SELECT unnest(result));
END$$;
SELECT ok(pg_temp.near(pg_temp.of_image('partial_tap images', 'loss', x, class, '{30,77}'), ARRAY[dpsens.loss('partial_tap images', x, class)]), 'loss of a convolutional network, class ' || class)
FROM image, generate_series(0, 2) class;
SELECT ok(abs((pg_temp.of_image('partial_tap halves', 'feature_gradient', x, 1, '{30}'))[1] - (dpsens.loss('partial_tap halves', x[:29] || x[30] + 1e-4 || x[31:], 1) -
    dpsens.loss('partial_tap halves', x[:29] || x[30] - 1e-4 || x[31:], 1)) / 2e-4) < 1e-8, 'and the gradient by a pixel') FROM image;
SELECT throws_ok($$SELECT dpsens.closed_form('partial_tap images', 'loss', 'sql', true, (SELECT jsonb_build_object('features', array_agg(0.5), 'target', 3) FROM generate_series(1, 144)))$$,
    '22023', '"target" is no class', 'no such class');
-- So bounds can be proved of a large network by a few features.
SELECT ok(upper BETWEEN greatest AND greatest + 1e-4, 'the gradient norm over all values of a pixel is at most ' || upper)
FROM (SELECT dpsens.closed_form('partial_tap bars', 'gradient_norm', 'sql', true, (SELECT jsonb_build_object('target', 1, 'features', jsonb_agg(CASE WHEN i <> 13 THEN 0.25 END ORDER BY i)) FROM generate_series(1, 25) i)) AS f) AS form,
    LATERAL dpsens.sensitivity(f, '{"x13": [0, 1]}'),
    (SELECT max(dpsens.gradient_norm('partial_tap bars', (SELECT array_agg(CASE WHEN i <> 13 THEN 0.25 ELSE v / 100.0 END ORDER BY i) FROM generate_series(1, 25) i), 1)) FROM generate_series(0, 100) v) g (greatest)
WHERE quantity = 'supremum';

SELECT throws_ok(format('SELECT dpsens.closed_form(%L, %L, %L, true, %L)', 'partial_tap logistic', quantity, format, known), '22023', message, message)
FROM (VALUES ('loss', 'sql', '{"x7": 1}', '"x7" is no input of the model'), ('loss', 'sql', '[1]', '"known" must be an object'),
    ('loss', 'sql', '{"x1": "a"}', '"x1" must be a finite number'), ('loss', 'sql', '{"x1": 1e400}', '"x1" must be a finite number'),
    ('loss', 'sql', '{"features": 1}', '"features" must be an array of numbers and nulls'), ('loss', 'sql', '{"features": [1, 2]}', '"features" must have 6 elements, not 2'),
    ('loss', 'sql', '{"features": [{}, 2]}', '"features" must be an array of numbers and nulls'), ('loss', 'sql', '{"target": [1, 2]}', '"target" must have 1 elements, not 2'),
    ('loss', 'tensor', '{"x1": 1}', 'single inputs are known only where every entry is written out'),
    ('plis', 'sql', '{"features": [1, 2, 3, 4, 5, 6]}', 'no feature is left to derive plis by')) t (quantity, format, known, message);
SELECT * FROM finish();
ROLLBACK;
