-- Operations on tensors as functions of arrays.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

CREATE FUNCTION pg_temp.near(a float8[], b float8[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT array_dims(a) = array_dims(b) AND bool_and(abs(x - y) <= 1e-12 * (1 + abs(y))) FROM unnest(a, b) AS u (x, y)';
CREATE FUNCTION pg_temp.near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b) <= 1e-12 * (1 + abs(b))';

SELECT is(dpsens.matmul('{{1,2},{3,4},{5,6}}', '{{1,0,2},{0,1,3}}'), '{{1,2,8},{3,4,18},{5,6,28}}', 'matmul');
SELECT is(dpsens.transpose('{{1,2,3},{4,5,6}}'), '{{1,4},{2,5},{3,6}}', 'transpose');
SELECT is(dpsens.dot('{1,2,3}', '{4,5,6}'), 32::float8, 'dot');
SELECT is(dpsens.outer_product('{1,2}', '{3,4,5}'), '{{3,4,5},{6,8,10}}', 'outer_product');
SELECT is(dpsens.l2_norm('{{3,0},{0,4}}'), 5::float8, 'l2_norm');
SELECT is(dpsens.sum_over('{{1,2,3},{4,5,6}}', 1), '{5,7,9}', 'sum_over rows');
SELECT is(dpsens.sum_over('{{1,2,3},{4,5,6}}', 2), '{6,15}', 'sum_over columns');
SELECT is(dpsens.max_over('{{1,9,3},{4,5,6}}', 1), '{4,9,6}', 'max_over');
SELECT is(dpsens.mean_over('{{{1,2},{3,4}},{{5,6},{7,8}}}', 2), '{{2,3},{6,7}}', 'mean_over');
SELECT is(dpsens.sum_over('{1,2,3}', 1), '{6}', 'of a vector');
SELECT is(dpsens.conv2d('{{1,2,3},{4,5,6},{7,8,9}}', '{{{{1,0},{0,1}}}}'), '{{{6,8},{12,14}}}', 'conv2d');
SELECT is(dpsens.conv2d('{{1,2,3},{4,5,6},{7,8,9}}', '{{{{1,0},{0,1}}}}', 2, 1), '{{{1,3},{7,14}}}', 'conv2d with stride and padding');
SELECT is(dpsens.max_pool('{{1,2,3,4},{5,6,7,8}}', 2, 2), '{{{6,8}}}', 'max_pool');
SELECT is(dpsens.average_pool('{{1,2,3,4},{5,6,7,8}}', 2, 2), '{{{3.5,5.5}}}', 'average_pool');
SELECT is(dpsens.max_pool('{{-1,-2},{-3,-4}}', 2, 1, 1), '{{{-1,-1,-2},{-1,-1,-2},{-3,-3,-4}}}', 'padding is not greater');
SELECT t.line
FROM (VALUES ('{-3,-0.5,0,0.25,2,9}'::float8[])) s (x), LATERAL (VALUES
    (ok(pg_temp.near(dpsens.sigmoid(x), ARRAY(SELECT 1 / (1 + exp(-v)) FROM unnest(x) v)), 'sigmoid')),
    (ok(pg_temp.near(dpsens.tempered_sigmoid(x, 1.5, 3, 0.5), ARRAY(SELECT 1.5 / (1 + exp(-3 * v)) - 0.5 FROM unnest(x) v)), 'tempered_sigmoid')),
    (ok(pg_temp.near(dpsens.tanh(x), ARRAY(SELECT pg_catalog.tanh(v) FROM unnest(x) v)), 'tanh')),
    (ok(pg_temp.near(dpsens.relu(x), ARRAY(SELECT greatest(v, 0) FROM unnest(x) v)), 'relu')),
    (ok(pg_temp.near(dpsens.softplus(x), ARRAY(SELECT ln(1 + exp(v)) FROM unnest(x) v)), 'softplus')),
    (ok(pg_temp.near(dpsens.softmax(x), ARRAY(SELECT exp(v) / sum(exp(v)) OVER () FROM unnest(x) v)), 'softmax')),
    (ok(pg_temp.near(dpsens.log_sum_exp(x), (SELECT ln(sum(exp(v))) FROM unnest(x) v)), 'log_sum_exp')),
    (ok(pg_temp.near(dpsens.squared_loss(x, x[2:] || 7::float8), (SELECT sum((a - b) ^ 2) FROM unnest(x, x[2:] || 7::float8) u (a, b))), 'squared_loss')),
    (ok(pg_temp.near(dpsens.huber_loss(x, x[2:] || 7::float8, 2), (SELECT sum(CASE WHEN abs(a - b) <= 2 THEN (a - b) ^ 2 / 2 ELSE 2 * (abs(a - b) - 1) END) FROM unnest(x, x[2:] || 7::float8) u (a, b))), 'huber_loss'))) AS t (line);
SELECT ok(pg_temp.near(dpsens.gelu('{1,-2}'), '{0.84134474606854295,-0.045500263896358417}'), 'gelu');
SELECT ok(pg_temp.near(dpsens.binary_cross_entropy('{0.25,0.5}', '{1,0}'), -ln(0.25) - ln(0.5)), 'binary_cross_entropy');
SELECT ok(pg_temp.near(dpsens.categorical_cross_entropy('{0.25,0.75}', '{0,1}'), -ln(0.75)), 'categorical_cross_entropy');
SELECT ok(pg_temp.near(dpsens.softmax('{{1000,1000},{-1000,-1000}}'), '{{0.5,0.5},{0.5,0.5}}'), 'softmax of large numbers, row by row');
SELECT is(dpsens.dot('{1,2}'::float4[], '{3,4}'::int[]::float8[]), 11::float8, 'real[] is taken, too');

-- A model by hand is the model.
SELECT dpsens.create_model('tensors_tap', '{"input": 3, "seed": 4, "layers": [{"type": "dense", "units": 2, "activation": "tanh"}, {"type": "dense", "units": 2, "activation": "softmax"}], "loss": "categorical_cross_entropy"}');
SELECT ok(pg_temp.near(dpsens.predict('tensors_tap', '{0.5,-1,2}'),
    ARRAY(SELECT unnest(dpsens.softmax(dpsens.matmul(dpsens.tanh(dpsens.matmul('{{0.5,-1,2}}', ARRAY[p[1:2], p[3:4], p[5:6]])), ARRAY[p[9:10], p[11:12]]))))), 'a model by hand')
FROM dpsens.model_parameters('tensors_tap') p;

-- Shapes may change from row to row.
SELECT ok(pg_temp.near(array_agg(dpsens.l2_norm(array_fill(2::float8, ARRAY[n])) ^ 2 ORDER BY n), '{4,8,12,16}'), 'shapes of every row') FROM generate_series(1, 4) n;
SELECT is(array_agg(dpsens.sum_over('{{1,2},{3,4}}', axis)::text ORDER BY axis), '{"{4,6}","{3,7}"}', 'numbers of every row') FROM generate_series(1, 2) axis;

SELECT is(dpsens.dot('{1,NULL}', '{1,2}'), NULL, 'NULL of a NULL element');
SELECT is(dpsens.l2_norm('{1,Infinity}'), NULL, 'of an infinity');
SELECT is(dpsens.binary_cross_entropy('{0}', '{1}'), NULL, 'of an infinite loss');
SELECT throws_ok($$SELECT dpsens.dot('{1,2}', '{1}')$$, '2202E', 'arguments of dot do not fit', 'unlike lengths');
SELECT throws_ok($$SELECT dpsens.matmul('{1,2}', '{1,2}')$$, '2202E', 'arguments of matmul do not fit', 'vectors are no matrices');
SELECT throws_ok($$SELECT dpsens.sum_over('{1,2}', 2)$$, '2202E', 'arguments of sum_over do not fit', 'no such axis');
SELECT throws_ok($$SELECT dpsens.max_pool('{{1,2},{3,4}}', 3, 1)$$, '2202E', 'arguments of max_pool do not fit', 'a window too large');
SELECT throws_ok($$SELECT dpsens.huber_loss('{1}', '{1}', 0)$$, '2202E', 'arguments of huber_loss do not fit', 'no delta');
SELECT throws_ok($$SELECT dpsens.relu('{}')$$, '2202E', 'arrays given to relu must have 1 to 4 dimensions', 'an empty array');
SELECT * FROM finish();
ROLLBACK;
