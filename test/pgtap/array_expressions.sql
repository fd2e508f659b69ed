-- Functions of arrays in row expressions: written out element by element they are
-- what the functions return, with derivatives that differences confirm, and dp
-- aggregates take them.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(86);

-- Every function, of columns a, b and c, as one number.
CREATE TEMP TABLE calls AS SELECT call FROM unnest(ARRAY[
    'dpsens.dot(ARRAY[a, b, c], ARRAY[b, 2, a])', 'dpsens.l2_norm(ARRAY[[a, b], [c, 1]])',
    'dpsens.l2_norm(dpsens.outer_product(ARRAY[a, b], ARRAY[c, 2, a]))', 'dpsens.l2_norm(dpsens.matmul(ARRAY[[a, b], [c, a]], ''{{1,2,3},{4,5,6}}''))',
    '(dpsens.transpose(ARRAY[[a, b, c], [c, a, b]]))[3][2]', 'dpsens.dot(ARRAY[a, b], (dpsens.transpose(ARRAY[[[a, b, c]], [[c, a, b]]], ''{3,1,2}''))[2:2][1:1][1:1])',
    'dpsens.l2_norm(dpsens.transpose(ARRAY[[[a, b, c]], [[c, a, 2]]], ARRAY[3, 1, 2]))',
    '(dpsens.add(ARRAY[[a, b], [c, a]], ARRAY[c, b]))[2][1]', '(dpsens.subtract(ARRAY[[a], [b]], ARRAY[[c, a]]))[2][1]', '(dpsens.multiply(ARRAY[a, b], ARRAY[c]))[2]',
    '(dpsens.divide(ARRAY[a, b], ARRAY[2 + c, 3]))[1]', '(dpsens.reshape(ARRAY[a, b, c, a], ''{2,2}''))[2][1]', '(dpsens.broadcast_to(ARRAY[a, b], ''{3,2}''))[3][2]',
    '(dpsens.sum_over(ARRAY[[a, b], [c, a]], 1))[2]', '(dpsens.mean_over(ARRAY[[a, b], [c, a]], ''{1,2}''::int[]))[1]', '(dpsens.max_over(ARRAY[[a, b], [c, a]], axis => 2))[2]',
    'dpsens.l2_norm(dpsens.sigmoid(ARRAY[a, b, c]))', 'dpsens.l2_norm(dpsens.tempered_sigmoid(ARRAY[a, b], 1.5, 3, 0.5))', 'dpsens.l2_norm(dpsens.tanh(ARRAY[a, b]))',
    'dpsens.dot(dpsens.relu(ARRAY[a - b, c - a]), ARRAY[c, b])', 'dpsens.l2_norm(dpsens.softplus(ARRAY[a, b]))', 'dpsens.l2_norm(dpsens.gelu(ARRAY[a, b]))',
    '(dpsens.softmax(ARRAY[[a, b], [c, 1]]))[1][2]', 'dpsens.log_sum_exp(ARRAY[a, b, c])',
    'dpsens.l2_norm(dpsens.conv2d(ARRAY[[a, b, c], [c, a, b], [1, a, c]], ''{{{{1,-2},{0.5,3}}}}'', 1, 1))', 'dpsens.l2_norm(dpsens.depthwise_conv2d(ARRAY[[a, b], [c, a]], ARRAY[[[a, b]]]))',
    'dpsens.l2_norm(dpsens.average_pool(ARRAY[[a, b, c], [c, a, b]], 2, 1))', '(dpsens.max_pool(ARRAY[[a, b], [c, 0]], 2, 1))[1][1][1]',
    'dpsens.squared_loss(ARRAY[a, b], ARRAY[c, 1])', 'dpsens.huber_loss(ARRAY[a, 3 * b], ARRAY[c, 1 - a])', 'dpsens.huber_loss(delta => 0.25, prediction => ARRAY[a, b], target => ARRAY[c, 1])',
    'dpsens.binary_cross_entropy(dpsens.sigmoid(ARRAY[a, b]), ARRAY[c, 0.5])', 'dpsens.categorical_cross_entropy(dpsens.softmax(ARRAY[a, b, c]), ''{0,1,0}'')',
    'dpsens.squared_loss(dpsens.sigmoid(dpsens.add(dpsens.matmul(dpsens.tanh(dpsens.matmul(ARRAY[[a, b]], ''{{1,2},{-1,0.5}}'')), ARRAY[[0.5], [-2]]), ARRAY[[0.1]])), ARRAY[[c]])']) call;
DELETE FROM calls WHERE call LIKE '%2:2%';
CREATE TEMP TABLE points AS SELECT n, a, b, c FROM (VALUES (1, 0.3, 0.7, 0.9), (2, 0.8, 0.2, 0.5), (3, 0.15, 0.4, 0.1)) p (n, a, b, c);
CREATE FUNCTION pg_temp.by_sql(call text, a float8, b float8, c float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE r float8;
BEGIN
    EXECUTE 'SELECT ' || call || ' FROM (SELECT $1 AS a, $2 AS b, $3 AS c) p' INTO r USING a, b, c;
    RETURN r;
END$$;
CREATE FUNCTION pg_temp.slopes(call text, p float8[]) RETURNS float8[] LANGUAGE sql AS $$
    SELECT array_agg((pg_temp.by_sql(call, p[1] + h * (k = 1)::int, p[2] + h * (k = 2)::int, p[3] + h * (k = 3)::int) -
                      pg_temp.by_sql(call, p[1] - h * (k = 1)::int, p[2] - h * (k = 2)::int, p[3] - h * (k = 3)::int)) / (2 * h) ORDER BY k)
    FROM generate_series(1, 3) k, (VALUES (1e-6)) s (h) $$;
-- Columns that an expression does not name are none of its point.
CREATE FUNCTION pg_temp.point(call text, a float8, b float8, c float8) RETURNS jsonb LANGUAGE sql AS
$$ SELECT jsonb_object_agg(k, v) FROM (VALUES ('a', a), ('b', b), ('c', c)) p (k, v) WHERE call ~ ('\y' || k || '\y') $$;

SELECT ok(bool_and(abs(e.value - pg_temp.by_sql(call, a, b, c)) <= 1e-9 * abs(e.value)), 'value: ' || call)
FROM calls, points, LATERAL dpsens.evaluate(call, pg_temp.point(call, a, b, c)) e GROUP BY call ORDER BY call;
SELECT ok(bool_and(abs(g - d) <= 1e-7 * (1 + abs(d))), 'gradient: ' || call)
FROM calls, points, LATERAL dpsens.evaluate(call, pg_temp.point(call, a, b, c)) e, LATERAL jsonb_object_keys(pg_temp.point(call, a, b, c)) WITH ORDINALITY AS k (name, n),
    LATERAL (SELECT e.gradient[k.n] AS g, (pg_temp.slopes(call, ARRAY[a, b, c]))[strpos('abc', k.name)] AS d) s
GROUP BY call ORDER BY call;
SELECT is((SELECT count(DISTINCT f)::int FROM calls, regexp_matches(call, 'dpsens\.(\w+)', 'g') AS m (f)),
    (SELECT count(DISTINCT proname)::int FROM pg_proc WHERE prosrc LIKE 'dpsens_tensor_%'), 'every function is among them');

-- Bounds: those of the loss of a logistic regression, written as a row expression.
SELECT ok(upper BETWEEN ln(1 + exp(2)) AND ln(1 + exp(2)) + 1e-5, 'its supremum is certified: ' || upper)
FROM dpsens.sensitivity('dpsens.binary_cross_entropy(dpsens.sigmoid(dpsens.matmul(ARRAY[[a, b]], ''{{1},{-1}}'')), ARRAY[[y]])',
    '{"a": [0, 1], "b": [0, 2], "y": {"range": [0, 1], "type": "int4"}}') WHERE quantity = 'supremum';
SELECT ok(upper < 1.05 * least, 'Huber loss has no jump, and is Lipschitz: ' || quantity || ' ' || upper)
FROM dpsens.sensitivity('dpsens.huber_loss(ARRAY[a], ARRAY[1], 0.5)', '{"a": [-1, 3]}'), (VALUES ('metric', 0.5), ('slope:a', 0.5)) t (name, least) WHERE quantity = name;

-- In dp aggregates, without noise: NULL and clamping as everywhere.
CREATE SCHEMA arrays_tap;
SET search_path = arrays_tap, public;
CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL, weight float8, sick boolean, pixels float8[]);
INSERT INTO people SELECT i, 20 + i % 60, CASE WHEN i % 7 > 0 THEN 50 + i % 50 END, i % 3 = 0, ARRAY[i, 2] FROM generate_series(1, 500) i;
SELECT dpsens.protect('people', unit => 'id');
SELECT dpsens.set_range('people', 'age', 18, 80);
SELECT dpsens.set_range('people', 'weight', 20, 200);
-- what is not private says so
SET client_min_messages = error;
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN abs(a - b) <= 1e-6 * (1 + abs(b));
CREATE FUNCTION answers(call text, OUT private float8, OUT plain float8) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT dp_sum(%s) FROM people', call) INTO private;
    EXECUTE format('SELECT sum(%s) FROM people', call) INTO plain;
END$$;
SELECT ok(near(private, plain), format('%s: %s is %s', call, private, plain))
FROM unnest(ARRAY['dpsens.squared_loss(ARRAY[weight / 100], ARRAY[age / 50.0])', 'dpsens.dot(ARRAY[age, weight], ''{1,2}'')',
    'dpsens.dot(dpsens.relu(ARRAY[weight / 50 - 1, age / 40.0 - 1]), ''{1,1}'')', '(dpsens.max_over(ARRAY[weight, age], 1))[1]',
    'dpsens.binary_cross_entropy(dpsens.sigmoid(dpsens.matmul(ARRAY[[age / 80.0, weight / 200]], ''{{1},{-1}}'')), ARRAY[[CASE WHEN age > 50 THEN 1 ELSE 0 END]])']) call, LATERAL answers(call) s;
SELECT dpsens.register('misfit', 'people', 'dpsens.huber_loss(ARRAY[weight / 100], ARRAY[age / 50.0], 0.5)');
SELECT ok(near((SELECT dp_sum(misfit(p)) FROM people p), (SELECT sum(misfit(p)) FROM people p)), 'registered');
SELECT ok(near((SELECT dp_sum(p.misfit) FROM people p WHERE age > 40), (SELECT sum(p.misfit) FROM people p WHERE age > 40)), 'as a column, of some rows');
RESET dpsens.noise;
SET client_min_messages = warning;

SELECT throws_ok('SELECT dp_sum(' || call || ') FROM people', code, message, message)
FROM (VALUES ('dpsens.dot(pixels, ''{1,2}'')', '0A000', 'this array is not supported in a row expression'),
    ('dpsens.dot(ARRAY[age, weight], ''{1,2,3}'')', '2202E', 'arguments of dot do not fit'),
    ('(dpsens.sum_over(ARRAY[[weight, 1]], age))[1]', '0A000', 'a size, axis or parameter that is not a constant is not supported in a row expression'),
    ('(dpsens.relu(ARRAY[weight]))[2]', '0A000', 'an element that is not there is not supported in a row expression'),
    ('(dpsens.relu(ARRAY[[weight]]))[1]', '0A000', 'a part of an array is not supported in a row expression'),
    ('(ARRAY[weight, 2])[1]', '0A000', 'an array is not supported in a row expression'),
    ('dpsens.l2_norm(NULL)', '0A000', 'a NULL array is not supported in a row expression'),
    ('dpsens.l2_norm(dpsens.outer_product(array_fill(1::float8, ARRAY[5]), ARRAY[weight]))', '0A000', 'this array is not supported in a row expression'),
    ('dpsens.predict(''m'', ARRAY[weight])', NULL, NULL)) t (call, code, message) WHERE code IS NOT NULL;
SELECT throws_ok($$SELECT * FROM dpsens.gradient('dpsens.l2_norm(dpsens.broadcast_to(ARRAY[a], ''{5000}''))', '{"a": [0, 1]}')$$, '54001', 'row expression is too complex', 'not what is too large');

RESET search_path;
DROP SCHEMA arrays_tap CASCADE;
SELECT * FROM finish();
