-- Section 5.2 of T. T. Mueller et al., "Partial sensitivity analysis in
-- differential privacy" (2021): which pixels of an image give it away to whoever
-- sees how a network was trained on it, without and with differential privacy.
--
--		psql -X -q -f demo/bars.sql
--		psql -X -q -v figures=/some/directory -f demo/bars.sql		(figures as SVG, too)
--
-- The database must be on a server that preloads dpsens.  Everything is made in
-- the schema dpsens_bars, committed (a charge needs that), and dropped at the end.
--
-- 2,000 images of 5 x 5 pixels, half with a bar along the middle row (class 0), half
-- with one along the middle column (class 1), Gaussian noise of deviation 0.2 on
-- every pixel, each image scaled to [0, 1]; 400 more for testing.  Made from a
-- hash, so they are the same everywhere.
--
-- Two networks, because the paper's text and its published code differ:
--   text  25-8-8-1, biases before the activations; noise multiplier 5
--   code  25-8-1, biases after the activation, none at the output; its noise of 0.1 * 5 / 1000
--         on a mean over 2,000 images is one of multiplier 10
-- Both: sigmoid, binary cross-entropy, learning rate 0.1, clip 0.1, full batches.
-- Gradients have norms of about 1 at first, and those of the two classes point
-- against each other: clipped to 0.1, they cancel to a mean of norm 0.016 in the smaller
-- network and 0.006 in the deeper one, and a learning rate of 0.1 moves by a tenth of
-- that.  The smaller one gets there in 2,000 steps, of the 1,000 and 2,000 that text and
-- code name (after 1,000 its accuracy under noise is 0.9875 to 0.9925).  The deeper one is
-- then still at a loss of 0.65: it is trained with momentum 0.9, which makes steps in one
-- direction ten times as long and costs no privacy, and is done after 500.

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset pager off
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_bars CASCADE;
CREATE SCHEMA dpsens_bars;
-- What was released before stays in the history.
SELECT COALESCE(max(release), 0) AS before FROM dpsens.releases \gset
SET search_path = dpsens_bars, public;

CREATE FUNCTION uniform(i bigint, k bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN ((hashint8extended(i, k) & 9007199254740991)::float8 + 0.5) / 9007199254740992;
CREATE FUNCTION normal(i bigint, k bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN sqrt(-2 * ln(uniform(i, 2 * k))) * cos(2 * pi() * uniform(i, 2 * k + 1));
CREATE FUNCTION is_bar(class int, pixel int) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN CASE class WHEN 0 THEN pixel / 5 = 2 ELSE pixel % 5 = 2 END;

CREATE TABLE images (id int PRIMARY KEY, label int NOT NULL, pixels float8[] NOT NULL);
INSERT INTO images
SELECT i, i % 2, array_agg((v - least_v) / (greatest_v - least_v) ORDER BY k)
FROM (SELECT i, k, v, min(v) OVER w AS least_v, max(v) OVER w AS greatest_v
      FROM (SELECT i, k, is_bar(i % 2, k)::int + 0.2 * normal(i, k) AS v
            FROM generate_series(1, 2400) i, generate_series(0, 24) k) noisy
      WINDOW w AS (PARTITION BY i)) scaled
GROUP BY i;
CREATE TABLE test_images AS SELECT * FROM images WHERE id > 2000;
DELETE FROM images WHERE id > 2000;
-- The same images, to be trained on without noise.
CREATE TABLE open_images AS SELECT * FROM images;

\o /dev/null
SELECT dpsens.protect('images', unit => 'id');
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_bars %' OR name LIKE 'dpsens_bounds %';
SELECT dpsens.create_model(name, definition::jsonb)
FROM (VALUES
    ('text', '{"input": [5, 5], "loss": "binary_cross_entropy", "seed": 1, "layers": [{"type": "dense", "units": 8, "activation": "sigmoid"},
        {"type": "dense", "units": 8, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}]}'),
    ('code', '{"input": [5, 5], "loss": "binary_cross_entropy", "seed": 1, "layers": [
        {"type": "dense", "units": 8, "activation": "sigmoid", "bias": "after"}, {"type": "dense", "units": 1, "activation": "sigmoid", "bias": false}]}'))
    AS d (variant, definition),
    (VALUES ('SGD'), ('DP-SGD')) AS t (training), LATERAL format('dpsens_bars %s %s', variant, training) AS name;
\o

CALL dpsens.train('dpsens_bars text SGD', 'open_images', '{pixels}', 'label', 500, 0.1, optimizer => 'momentum');
CALL dpsens.train('dpsens_bars text DP-SGD', 'images', '{pixels}', 'label', 500, 0.1, optimizer => 'momentum',
    clip => 0.1, expected_rows => 2000, noise_multiplier => 5, delta => 1e-5);
CALL dpsens.train('dpsens_bars code SGD', 'open_images', '{pixels}', 'label', 2000, 0.1);
CALL dpsens.train('dpsens_bars code DP-SGD', 'images', '{pixels}', 'label', 2000, 0.1,
    clip => 0.1, expected_rows => 2000, noise_multiplier => 10, delta => 1e-5);

-- The papers' alternatives to a clip that is chosen: bounds that are proved, of the
-- smaller network with noise multiplier 5.  Weights are held in [-2, 2], since noise in
-- proportion to a bound that rises with the weights makes them rise.
SELECT dpsens.create_model(('dpsens_bounds ' || kind)::name, definition) FROM dpsens.models, unnest('{weights,iteration,lipschitz}'::text[]) kind
WHERE name = 'dpsens_bars code SGD' \g /dev/null
CALL dpsens.train('dpsens_bounds weights', 'images', '{pixels}', 'label', 100, 0.5, optimizer => 'momentum', expected_rows => 2000,
    noise_multiplier => 5, delta => 1e-5, parameter_bound => 2, bound => 'weights', feature_range => '{0,1}', target_range => '{0,1}');
CALL dpsens.train('dpsens_bounds iteration', 'images', '{pixels}', 'label', 100, 0.5, optimizer => 'momentum', expected_rows => 2000,
    noise_multiplier => 5, delta => 1e-5, parameter_bound => 2, bound => 'iteration', feature_range => '{0,1}', target_range => '{0,1}');
CALL dpsens.train('dpsens_bounds lipschitz', 'images', '{pixels}', 'label', 100, 0.5, optimizer => 'momentum', expected_rows => 2000,
    noise_multiplier => 5, delta => 1e-5, parameter_bound => 2, bound => 'lipschitz', feature_range => '{0,1}', target_range => '{0,1}');

CREATE VIEW maps AS
SELECT substr(m.name, 13) AS model, label, place - 1 AS pixel, avg(abs(partial)) AS partial, avg(abs(normalized)) AS normalized
FROM dpsens.models m, test_images,
    LATERAL unnest(dpsens.partial_sensitivity(m.name, pixels, label), dpsens.normalized_gradient(m.name, pixels, label))
        WITH ORDINALITY AS u (partial, normalized, place)
WHERE m.name LIKE 'dpsens_bars %'
GROUP BY m.name, label, place;

CREATE TABLE results AS
SELECT substr(m.name, 13) AS model, round(avg((((dpsens.predict(m.name, pixels))[1] > 0.5) = (label = 1))::int), 4) AS accuracy,
    round(avg(dpsens.loss(m.name, pixels, label))::numeric, 4) AS loss,
    round(avg(dpsens.gradient_norm(m.name, pixels, label))::numeric, 4) AS gradient_norm
FROM dpsens.models m, test_images WHERE m.name LIKE 'dpsens_bars %' GROUP BY m.name;

\echo 'Accuracy and loss on 400 other images:'
\echo
SELECT *, accuracy >= 0.99 AS as_published FROM results ORDER BY model;

\echo 'With bounds that are proved instead of a clip of 0.1: the bound (of the first step), the'
\echo 'greatest gradient norm of test images at the end, and the accuracy:'
\echo
SELECT kind AS bound, round(r.sensitivity::numeric, 3) AS proved, round(max(dpsens.gradient_norm(m, pixels, label))::numeric, 3) AS greatest,
    round(avg((((dpsens.predict(m, pixels))[1] > 0.5) = (label = 1))::int), 4) AS accuracy, round(r.epsilon::numeric, 2) AS epsilon
FROM unnest('{weights,iteration,lipschitz}'::text[]) kind, LATERAL (SELECT ('dpsens_bounds ' || kind)::name) n (m),
    dpsens.releases r, test_images
WHERE r.release > :before AND r.expression LIKE '%"' || m || '"%' GROUP BY kind, m, r.sensitivity, r.epsilon ORDER BY kind;

\echo 'What the two private runs cost at delta = 1e-5, each by itself:'
\echo
SELECT substring(expression FROM '"dpsens_bars ([^"]*)"') AS model, round(epsilon::numeric, 2) AS epsilon, round(charge_rho::numeric, 4) AS rho
FROM dpsens.releases WHERE release > :before AND expression LIKE '%"dpsens_bars %' ORDER BY release;

\echo 'Average magnitude of the partial sensitivity (Definition 3), by pixel, for images of class 0 (middle row):'
\echo
\pset format unaligned
\pset tuples_only on
SELECT dpsens.heatmap(array_agg(partial ORDER BY pixel), 5, model, 'text') FROM maps WHERE label = 0 GROUP BY model ORDER BY model DESC;
\pset tuples_only off
\pset format aligned

\echo 'The paper says that the greatest is on the bar of the other class, and that DP-SGD'
\echo 'spreads it: here the greatest pixel is on whose bar, and the share of both bars. (On'
\echo 'the pixel that they share nothing depends.)'
\echo
SELECT quantity, model, label,
    CASE WHEN is_bar(1 - label, best) THEN 'of the other class' WHEN is_bar(label, best) THEN 'of its own' ELSE 'none' END AS greatest_on_bar,
    round(share::numeric, 3) AS share_of_bars
FROM (SELECT quantity, model, label, (array_agg(pixel ORDER BY amount DESC))[1]::int AS best,
          sum(amount) FILTER (WHERE is_bar(0, pixel::int) OR is_bar(1, pixel::int)) / sum(amount) AS share
      FROM maps, LATERAL (VALUES ('partial sensitivity', partial), ('normalised gradient', normalized)) AS q (quantity, amount)
      GROUP BY quantity, model, label) s
ORDER BY quantity, model DESC, label;

\if :{?figures}
\pset format unaligned
\pset tuples_only on
\set file :figures '/bars_sgd.svg'
\o :file
SELECT dpsens.heatmap(array_agg(partial ORDER BY pixel), 5, 'partial sensitivity, class 0, SGD') FROM maps WHERE model = 'code SGD' AND label = 0;
\set file :figures '/bars_dp_sgd.svg'
\o :file
SELECT dpsens.heatmap(array_agg(partial ORDER BY pixel), 5, 'partial sensitivity, class 0, DP-SGD') FROM maps WHERE model = 'code DP-SGD' AND label = 0;
\o
\endif

\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_bars %' OR name LIKE 'dpsens_bounds %';
\o
DROP SCHEMA dpsens_bars CASCADE;
