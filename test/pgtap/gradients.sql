-- dpsens.gradient, private_gradient and gradient_matching: closed forms, differences, what
-- training does, the law of the noise, ownership, and what is refused.  Of the noise two
-- tests are statistical: each fails by chance in less than 1 of 10 million runs.
-- Files: model/noised.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(101);

CREATE FUNCTION pg_temp.near(a float8, b float8, tolerance float8 DEFAULT 1e-12) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT abs(a - b) <= tolerance * (1 + abs(b))';
CREATE FUNCTION pg_temp.near(a float8[], b float8[], tolerance float8 DEFAULT 1e-12) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT cardinality(a) = cardinality(b) AND bool_and(abs(x - y) <= tolerance * (1 + abs(y))) FROM unnest(a, b) AS u (x, y)';
CREATE FUNCTION pg_temp.dot(a float8[], b float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT sum(x * y) FROM unnest(a, b) AS u (x, y)';

SELECT dpsens.create_model('gradients_tap_linear', '{"input": 3, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}');
SELECT dpsens.set_model_parameters('gradients_tap_linear', '{0.5,-0.25,1.5,0.125}');
SELECT dpsens.create_model('gradients_tap_logistic', '{"input": 3, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}');
SELECT dpsens.set_model_parameters('gradients_tap_logistic', '{0.5,-0.25,1.5,0.125}');
SELECT dpsens.create_model('gradients_tap_images', '{"input": [1, 6, 6], "seed": 3, "loss": "categorical_cross_entropy", "layers": [
    {"type": "conv2d", "filters": 4, "kernel": 3, "padding": 1, "activation": "tanh"}, {"type": "average_pool", "kernel": 2},
    {"type": "dense", "units": 3, "activation": "softmax"}]}');

-- Of a linear and a logistic model the gradient is (r x, r), with r = w x + b - y, and
-- sigmoid(w x + b) - y.  slope is what r gains for one unit of w x.
CREATE TEMP TABLE example AS
SELECT model, x, y, given, w, CASE model WHEN 'gradients_tap_linear' THEN z - y ELSE 1 / (1 + exp(-z)) - y END AS r,
    CASE model WHEN 'gradients_tap_linear' THEN 1 ELSE 1 / (1 + exp(-z)) * (1 - 1 / (1 + exp(-z))) END AS slope
FROM (VALUES ('gradients_tap_linear'::name), ('gradients_tap_logistic')) m (model),
    (VALUES ('{0.25,0.75,-0.5}'::float8[], 1::float8, '{0.3,-0.2,0.1,0.9}'::float8[]), ('{1,0.5,0.25}', 0, '{-1,2,0.5,-0.25}')) e (x, y, given),
    LATERAL (SELECT (dpsens.model_parameters(model))[1:3] AS w) p, LATERAL (SELECT pg_temp.dot(w, x) + 0.125 AS z) q;

SELECT ok(pg_temp.near(dpsens.gradient(model, x, y), dpsens.multiply(x, ARRAY[r]) || r), model || ', ' || y || ': the gradient') FROM example;
SELECT is(dpsens.gradient(model, x, ARRAY[y]), dpsens.gradient(model, x, y), model || ', ' || y || ': of a target as an array') FROM example;
SELECT ok(pg_temp.near(dpsens.l2_norm(dpsens.gradient(model, x, y)), dpsens.gradient_norm(model, x, y)), model || ', ' || y || ': and its norm') FROM example;
-- |r x - a|^2 + (r - c)^2, by x_i: 2 (slope w_i ((r x - a) x + r - c) + r (r x_i - a_i))
SELECT ok(pg_temp.near((m).loss, (SELECT sum((r * x[i] - given[i]) ^ 2) FROM generate_series(1, 3) i) + (r - given[4]) ^ 2), model || ', ' || y || ': how far one is from another')
FROM (SELECT *, dpsens.gradient_matching(model, x, y, given) AS m FROM example) e;
SELECT ok(pg_temp.near((m).feature_gradient, ARRAY(SELECT 2 * (slope * w[i] * ((SELECT sum((r * x[j] - given[j]) * x[j]) FROM generate_series(1, 3) j) + r - given[4]) + r * (r * x[i] - given[i]))
    FROM generate_series(1, 3) i ORDER BY i)), model || ', ' || y || ': and which way is closer')
FROM (SELECT *, dpsens.gradient_matching(model, x, y, given, 'squared') AS m FROM example) e;
-- 1 - sign(r) (a x + c) / (n g) with n = |(x, 1)| and g = |given|, by x_i: -sign(r) (a_i / n - (a x + c) x_i / n^3) / g
SELECT ok(pg_temp.near((m).loss, 1 - sign(r) * (pg_temp.dot(given[1:3], x) + given[4]) / sqrt((1 + pg_temp.dot(x, x)) * pg_temp.dot(given, given))), model || ', ' || y || ': the angle')
FROM (SELECT *, dpsens.gradient_matching(model, x, y, given, 'cosine') AS m FROM example) e;
SELECT ok(pg_temp.near((m).feature_gradient, ARRAY(SELECT -sign(r) * (given[i] / n - (pg_temp.dot(given[1:3], x) + given[4]) * x[i] / n ^ 3) / sqrt(pg_temp.dot(given, given))
    FROM generate_series(1, 3) i ORDER BY i)), model || ', ' || y || ': and its derivative')
FROM (SELECT *, dpsens.gradient_matching(model, x, ARRAY[y], given, 'cosine') AS m, sqrt(1 + pg_temp.dot(x, x)) AS n FROM example) e;
SELECT ok(bool_and(n = 2), 'one call site tells kinds apart')
FROM (SELECT count(DISTINCT m) AS n FROM (SELECT model, y, dpsens.gradient_matching(model, x, y, given, kind) AS m FROM example, unnest('{squared,cosine,squared,cosine}'::text[]) kind) s GROUP BY model, y) c;

-- Through convolutions, by differences.
CREATE TEMP TABLE image AS SELECT array_agg(0.5 + 0.5 * sin(1.3 * i) ORDER BY i) AS x, array_agg(0.5 + 0.5 * cos(0.7 * i) ORDER BY i) AS other FROM generate_series(1, 36) i;
SELECT ok(bool_and(abs(((dpsens.gradient_matching('gradients_tap_images', x, 1, given, kind)).feature_gradient)[k] -
    ((dpsens.gradient_matching('gradients_tap_images', x[:k-1] || x[k] + 1e-5 || x[k+1:], 1, given, kind)).loss -
     (dpsens.gradient_matching('gradients_tap_images', x[:k-1] || x[k] - 1e-5 || x[k+1:], 1, given, kind)).loss) / 2e-5) < 1e-7), 'convolutions, ' || kind || ', by differences')
FROM image, LATERAL (SELECT dpsens.gradient('gradients_tap_images', other, 1) AS given) g, unnest('{squared,cosine}'::text[]) kind, generate_series(1, 36) k GROUP BY kind;
SELECT ok((m).loss < 1e-15 AND dpsens.l2_norm((m).feature_gradient) < 1e-7, 'convolutions, ' || kind || ': nothing is closer than the example itself')
FROM image, unnest('{squared,cosine}'::text[]) kind, LATERAL (SELECT dpsens.gradient_matching('gradients_tap_images', x, 1, dpsens.gradient('gradients_tap_images', x, 1), kind) AS m) s;

-- The order of parameters is that of the model's: a step of training goes along it.
CREATE TABLE gradients_tap_rows AS SELECT x, 2 AS label FROM image;
SELECT dpsens.create_model('gradients_tap_trained', definition) FROM dpsens.models WHERE name = 'gradients_tap_images';
CALL dpsens.train('gradients_tap_trained', 'gradients_tap_rows', '{x}', 'label', 1, 0.5);
SELECT ok(pg_temp.near(dpsens.model_parameters('gradients_tap_trained'),
    dpsens.subtract(dpsens.model_parameters('gradients_tap_images'), dpsens.multiply(dpsens.gradient('gradients_tap_images', x, 2), '{0.5}'))), 'a step of training goes along the gradient') FROM image;

-- Clipped and noised: of a gradient of norm 1.25.
SELECT dpsens.set_model_parameters('gradients_tap_linear', '{0,0,0,0}');
CREATE TEMP TABLE draw AS SELECT i, dpsens.private_gradient('gradients_tap_linear', '{0.75,0,0}', -1, 0.5, 3) AS g FROM generate_series(1, 3000) i;
SELECT ok(bool_and(cardinality(g) = 4), 'a number for each parameter') FROM draw;
SELECT is(count(DISTINCT g), 3000::bigint, 'each drawn anew') FROM draw;
SELECT ok(bool_and(v * 2 ^ 40 = trunc(v * 2 ^ 40)), 'on the grid of training') FROM draw, unnest(g) v;
-- Noise of deviation 1.5 around (0.3, 0, 0, 0.4), which is (0.75, 0, 0, 1) clipped to 0.5.
SELECT ok(abs(sum(v - m) / 1.5 / sqrt(count(*))) < 5.5, 'around the clipped gradient, within 5.5 deviations: ' || round((sum(v - m) / 1.5 / sqrt(count(*)))::numeric, 2))
FROM draw, unnest(g, '{0.3,0,0,0.4}'::float8[]) AS u (v, m);
SELECT ok(abs((sum(((v - m) / 1.5) ^ 2) - count(*)) / sqrt(2 * count(*))) < 5.6, 'with the deviation that was asked for, within 5.6 deviations: ' ||
    round(((sum(((v - m) / 1.5) ^ 2) - count(*)) / sqrt(2 * count(*)))::numeric, 2))
FROM draw, unnest(g, '{0.3,0,0,0.4}'::float8[]) AS u (v, m);
SET LOCAL client_min_messages = error;
SET LOCAL dpsens.noise = off;
SELECT ok(pg_temp.near(dpsens.private_gradient('gradients_tap_linear', '{0.75,0,0}', '{-1}'::float8[], 0.5, 3), '{0.3,0,0,0.4}', 1e-10), 'without noise it is clipped');
SELECT ok(pg_temp.near(dpsens.private_gradient('gradients_tap_linear', '{0.75,0,0}', -1, 100, 3), '{0.75,0,0,1}', 1e-9), 'or as it is');
SET LOCAL dpsens.noise = on;
SET LOCAL client_min_messages = warning;
SELECT is((SELECT count(*) FROM dpsens.releases WHERE query LIKE '%private_gradient%'), 0::bigint, 'nothing of it is a release');

-- What does not exist is NULL.
SELECT is(dpsens.gradient('gradients_tap_linear', x, y), NULL, 'no gradient of ' || x::text || ' and ' || y)
FROM (VALUES ('{1,NULL,3}'::float8[], 1::float8), ('{1,NaN,3}', 1), ('{1,2,3}', 'Infinity'), ('{1e308,2,3}', 1e10)) e (x, y);
SELECT is(dpsens.private_gradient('gradients_tap_linear', '{1,NULL,3}', 1, 1, 1), NULL, 'nor a private one');
SELECT is(dpsens.private_gradient('gradients_tap_linear', '{1,NaN,3}', 1, 1, 1), NULL, 'also where it is no number');
SELECT is(dpsens.gradient('gradients_tap_images', x, 3), NULL, 'of a class that is none') FROM image;
SELECT is(dpsens.gradient_matching('gradients_tap_linear', x, 0, given, kind)::text, '(,)', 'nothing matches: ' || what)
FROM (VALUES ('a gradient with a hole', '{1,2,3}'::float8[], '{1,2,NULL,4}'::float8[], 'squared'), ('one that is none', '{1,2,3}', '{1,2,NaN,4}', 'squared'),
    ('an example with a hole', '{1,NULL,3}', '{1,2,3,4}', 'squared'), ('the angle of 0', '{1,2,3}', '{1,2,3,4}', 'cosine')) e (what, x, given, kind);

-- Errors.
SELECT throws_ok($$SELECT dpsens.gradient('gradients_tap_linear', '{1,2}', 1)$$, '2202E', 'features must have 3 elements, not 2', 'features are counted');
SELECT throws_ok($$SELECT dpsens.gradient_matching('gradients_tap_linear', '{1,2,3}', 1, '{1}')$$, '2202E', 'gradient must have 4 elements, not 1', 'and numbers of a gradient');
SELECT throws_ok($$SELECT dpsens.gradient_matching('gradients_tap_linear', '{1,2,3}', 1, '{1,2,3,4}', 'Cosine')$$, '22023', 'unrecognized kind "Cosine"', 'of kinds that there are');
SELECT throws_ok(format('SELECT dpsens.private_gradient(''gradients_tap_linear'', ''{1,2,3}'', 1, %L, %L)', clip, multiplier), '22023', message, message)
FROM (VALUES ('0', '1', 'clip must be greater than 0'), ('NaN', '1', 'clip must be greater than 0'), ('Infinity', '1', 'clip is too extreme for a model of 4 parameters'),
    ('1', '0', 'noise_multiplier must be greater than 0'), ('1', '1e10', 'noise_multiplier 1e+10 is too large')) e (clip, multiplier, message);

-- Ownership.
CREATE ROLE gradients_tap_ana;
GRANT SELECT ON gradients_tap_rows TO gradients_tap_ana;
SET LOCAL ROLE gradients_tap_ana;
SELECT throws_ok(format('SELECT dpsens.%s', call), '42501', 'permission denied for model "gradients_tap_linear"', call)
FROM unnest(ARRAY[$$gradient('gradients_tap_linear', '{1,2,3}', 1)$$, $$gradient('gradients_tap_linear', '{1,2,3}', '{1}'::float8[])$$,
    $$private_gradient('gradients_tap_linear', '{1,2,3}', 1, 1, 1)$$, $$gradient_matching('gradients_tap_linear', '{1,2,3}', 1, '{1,2,3,4}')$$]) call;
RESET ROLE;

-- None sees a protected cell, whoever asks.
CREATE TABLE gradients_tap_private (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('gradients_tap_private', unit => 'id'), dpsens.set_range('gradients_tap_private', 'x', 0, 1), dpsens.grant_budget('gradients_tap_private', 'gradients_tap_ana', 10);
SET LOCAL dpsens.epsilon = 1;
CREATE FUNCTION pg_temp.asks() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format(shape, call) FROM unnest(ARRAY['SELECT dp_sum(%s) FROM gradients_tap_private', 'SELECT dp_count(*) FROM gradients_tap_private WHERE %s > 0', 'SELECT dp_count(*) FROM gradients_tap_private GROUP BY %s']) shape,
        unnest(ARRAY['(dpsens.gradient(''gradients_tap_linear'', ARRAY[x, 0, 0], 1))[1]', '(dpsens.private_gradient(''gradients_tap_linear'', ARRAY[x, 0, 0], 1, 1, 1))[1]',
            '(dpsens.gradient_matching(''gradients_tap_linear'', ARRAY[x, 0, 0], 1, ''{1,1,1,1}'')).loss', 'dpsens.ssim(ARRAY[x], ''{1}'', window_size => 1)', 'dpsens.haarpsi(ARRAY[x], ''{1}'')']) call $$;
SELECT throws_ok(ask, '0A000', NULL, 'refused: ' || ask) FROM pg_temp.asks() ask;
SET LOCAL ROLE gradients_tap_ana;
SELECT throws_ok(ask, '0A000', NULL, 'refused for an analyst: ' || ask) FROM pg_temp.asks() ask;
RESET ROLE;

SELECT is(provolatile::text || proparallel::text || proisstrict::text, CASE proname WHEN 'private_gradient' THEN 'vstrue' ELSE 'sstrue' END, oid::regprocedure || ' is as volatile as it says')
FROM pg_proc WHERE pronamespace = 'dpsens'::regnamespace AND proname IN ('gradient', 'private_gradient', 'gradient_matching') AND pronargs > 2;
SELECT * FROM finish();
ROLLBACK;
