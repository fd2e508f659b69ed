-- Operations on tensors as functions of arrays.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(73);

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
SELECT is(dpsens.sum_over('{{{1,2},{3,4}},{{5,6},{7,8}}}', '{1,3}'::int[]), '{14,22}', 'sum_over two dimensions');
SELECT is(dpsens.max_over('{{{1,2},{3,4}},{{5,6},{7,8}}}', '{3,2}'::int[]), '{4,8}', 'max_over two, in any order');
SELECT is(dpsens.mean_over('{{1,2},{3,6}}', '{1,2}'::int[]), '{3}', 'mean_over all');
SELECT is(dpsens.transpose('{{{1,2,3}},{{4,5,6}}}', '{3,1,2}'), '{{{1},{4}},{{2},{5}},{{3},{6}}}', 'transpose of three dimensions');
SELECT is(dpsens.reshape('{{1,2,3},{4,5,6}}', '{3,2}'), '{{1,2},{3,4},{5,6}}', 'reshape');
SELECT is(dpsens.reshape('{{1,2,3},{4,5,6}}', '{6}'), '{1,2,3,4,5,6}', 'to a vector');
SELECT is(dpsens.broadcast_to('{1,2}', '{3,2}'), '{{1,2},{1,2},{1,2}}', 'broadcast_to more dimensions');
SELECT is(dpsens.broadcast_to('{{1},{2}}', '{2,3}'), '{{1,1,1},{2,2,2}}', 'broadcast_to a larger one');
SELECT is(dpsens.add('{{1,2,3},{4,5,6}}', '{10,20,30}'), '{{11,22,33},{14,25,36}}', 'add row by row');
SELECT is(dpsens.subtract('{{1,2,3},{4,5,6}}', '{{1},{2}}'), '{{0,1,2},{2,3,4}}', 'subtract column by column');
SELECT is(dpsens.multiply('{{1},{2}}', '{{3,4}}'), '{{3,4},{6,8}}', 'multiply along both');
SELECT is(dpsens.divide('{1,2,3}', '{2}'), '{0.5,1,1.5}', 'divide by one number');
SELECT is(dpsens.divide('{1,2}', '{1,0}'), NULL, 'NULL where a quotient does not exist');
SELECT is(dpsens.depthwise_conv2d('{{{1,2},{3,4}},{{5,6},{7,8}}}', '{{{1,0},{0,1}},{{1,1},{1,1}}}'), '{{{5}},{{26}}}', 'depthwise_conv2d');
SELECT is(dpsens.reshape('{1,2}', NULL), NULL, 'NULL of NULL');
SELECT is(dpsens.reshape('{1,2}', '{2,NULL}'), NULL, 'and of a NULL extent');
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
SELECT throws_ok(format('SELECT dpsens.%s', call), '2202E', message, call)
FROM (VALUES ($$reshape('{1,2,3}', '{2,2}')$$, 'arguments of reshape do not fit'), ($$reshape('{1,2,3}', '{-3}')$$, 'arguments of reshape do not fit'),
    ($$reshape('{1,2,3}', '{3,1,1,1,1}')$$, 'reshape must be told 1 to 4 dimensions'), ($$reshape('{1,2,3}', '{{3}}')$$, 'reshape must be told 1 to 4 dimensions'),
    ($$broadcast_to('{1,2}', '{2,3}')$$, 'arguments of broadcast_to do not fit'), ($$add('{1,2}', '{1,2,3}')$$, 'arguments of add do not fit'),
    ($$sum_over('{{1,2},{3,4}}', '{1,1}'::int[])$$, 'arguments of sum_over do not fit'), ($$sum_over('{{1,2},{3,4}}', '{0}'::int[])$$, 'arguments of sum_over do not fit'),
    ($$transpose('{{1,2},{3,4}}', '{1}')$$, 'arguments of transpose do not fit'), ($$transpose('{{1,2},{3,4}}', '{2,2}')$$, 'arguments of transpose do not fit'),
    ($$conv2d('{{1,2},{3,4}}', '{{{{1}}}}', 0)$$, 'arguments of conv2d do not fit')) t (call, message);
-- Every operation of the table is a function with the same comment on what is NULL,
-- takes real[], and never raises an error for a number.
SELECT ok(count(*) >= 33 AND bool_and(obj_description(oid) LIKE '%NULL if an element is NULL or a result does not exist or overflows%'), count(*) || ' functions of arrays')
FROM pg_proc WHERE prosrc IN ('dpsens_tensor_array', 'dpsens_tensor_number');
SELECT is(dpsens.matmul('{{1,2}}'::float4[], '{{3},{4}}'::float4[]), '{{11}}', 'real[] for matrices');
SELECT is(dpsens.relu('{-1,2}'::float4[]), '{0,2}', 'and for activations');
SELECT is(dpsens.conv2d('{{1,2,3},{4,5,6},{7,8,9}}'::float4[], '{{{{1,0},{0,1}}}}'::float4[]), '{{{6,8},{12,14}}}', 'and images');
SELECT is(dpsens.huber_loss('{1,5}'::float4[], '{0,0}'::float4[], 2), 8.5::float8, 'and losses');
SELECT * FROM finish();
ROLLBACK;
