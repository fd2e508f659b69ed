-- Section 5.2 of T. T. Mueller et al., "Partial sensitivity analysis in
-- differential privacy" (2021): which pixels of an image give it away to whoever
-- sees how a network was trained on it, without and with differential privacy.
--
--		psql -X -q -f demo/bars.sql
--		psql -X -q -v figures=/some/directory -f demo/bars.sql		(figures as SVG, too)
--
-- or make demo-bars, which fails where a figure is outside of its tolerance.  Four minutes on
-- one core; -v rows=200 -v starts=1 is a short run, of which nothing is checked.
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
--
-- The statistic is the published code's: the signed maximum.  An image's is at the pixel whose
-- entry is the greatest, not the one of the greatest magnitude; the figure shows of each pixel the
-- greatest entry that any image has there.  Entries are those of the normalized gradient,
-- which the code computes, and beside them of Definition 3.
--
-- The code starts from weights drawn uniformly from [-1, 1].  Such starts are trained, too:
-- without a clip, with the clip alone, and with the clip and more and more noise.

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset pager off
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
\if :{?rows}
\else
\set rows 2000
\endif
\if :{?starts}
\else
\set starts 3
\endif
\if :{?steps}
\else
\set steps 2000
\endif
-- Noise is in proportion to the rows, so that on their mean it is the same.
SELECT :rows >= 2000 AND :starts >= 3 AND :steps >= 2000 AS is_whole, :steps / 4 AS text_steps, :steps / 2 AS open_steps, greatest(:steps / 20, 1) AS bound_steps,
    :rows * 0.0025 AS text_noise, :rows * 0.005 AS code_noise \gset
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
            FROM generate_series(1, :rows + 400) i, generate_series(0, 24) k) noisy
      WINDOW w AS (PARTITION BY i)) scaled
GROUP BY i;
CREATE TABLE test_images AS SELECT * FROM images WHERE id > :rows;
DELETE FROM images WHERE id > :rows;
-- The same images, to be trained on without noise.
CREATE TABLE open_images AS SELECT * FROM images;

\o /dev/null
SELECT dpsens.protect('images', unit => 'id');
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name ~ '^dpsens_(bars|bounds|start) ';
SELECT dpsens.create_model(name, definition::jsonb)
FROM (VALUES
    ('text', '{"input": [5, 5], "loss": "binary_cross_entropy", "seed": 1, "layers": [{"type": "dense", "units": 8, "activation": "sigmoid"},
        {"type": "dense", "units": 8, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}]}'),
    ('code', '{"input": [5, 5], "loss": "binary_cross_entropy", "seed": 1, "layers": [
        {"type": "dense", "units": 8, "activation": "sigmoid", "bias": "after"}, {"type": "dense", "units": 1, "activation": "sigmoid", "bias": false}]}'))
    AS d (variant, definition),
    (VALUES ('SGD'), ('DP-SGD')) AS t (training), LATERAL format('dpsens_bars %s %s', variant, training) AS name;

-- The same starts for every kind of training: noise 0 is the clip alone, NULL is neither.
CREATE TABLE starts AS
SELECT format('dpsens_start %s %s', COALESCE(noise::text, 'SGD'), start)::name AS name, start, noise FROM generate_series(1, :starts) start, unnest('{NULL,0,1,100,400}'::float8[]) noise;
SELECT dpsens.create_model(s.name, m.definition) FROM starts s, dpsens.models m WHERE m.name = 'dpsens_bars code SGD';
SELECT dpsens.set_model_parameters(name, ARRAY(SELECT 2 * uniform(77 + start, i) - 1 FROM generate_series(1, 216) i)) FROM starts;
\o

CALL dpsens.train('dpsens_bars text SGD', 'open_images', '{pixels}', 'label', :text_steps, 0.1, optimizer => 'momentum');
CALL dpsens.train('dpsens_bars text DP-SGD', 'images', '{pixels}', 'label', :text_steps, 0.1, optimizer => 'momentum',
    clip => 0.1, expected_rows => :rows, noise_multiplier => :text_noise, delta => 1e-5);
CALL dpsens.train('dpsens_bars code SGD', 'open_images', '{pixels}', 'label', :steps, 0.1);
CALL dpsens.train('dpsens_bars code DP-SGD', 'images', '{pixels}', 'label', :steps, 0.1,
    clip => 0.1, expected_rows => :rows, noise_multiplier => :code_noise, delta => 1e-5);

-- The papers' alternatives to a clip that is chosen: bounds that are proved, of the
-- smaller network with noise multiplier 5.  Weights are held in [-2, 2], since noise in
-- proportion to a bound that rises with the weights makes them rise.
SELECT dpsens.create_model(('dpsens_bounds ' || kind)::name, definition) FROM dpsens.models, unnest('{weights,iteration,lipschitz}'::text[]) kind
WHERE name = 'dpsens_bars code SGD' \g /dev/null
CALL dpsens.train('dpsens_bounds weights', 'images', '{pixels}', 'label', :bound_steps, 0.5, optimizer => 'momentum', expected_rows => :rows,
    noise_multiplier => :text_noise, delta => 1e-5, parameter_bound => 2, bound => 'weights', feature_range => '{0,1}', target_range => '{0,1}');
CALL dpsens.train('dpsens_bounds iteration', 'images', '{pixels}', 'label', :bound_steps, 0.5, optimizer => 'momentum', expected_rows => :rows,
    noise_multiplier => :text_noise, delta => 1e-5, parameter_bound => 2, bound => 'iteration', feature_range => '{0,1}', target_range => '{0,1}');
CALL dpsens.train('dpsens_bounds lipschitz', 'images', '{pixels}', 'label', :bound_steps, 0.5, optimizer => 'momentum', expected_rows => :rows,
    noise_multiplier => :text_noise, delta => 1e-5, parameter_bound => 2, bound => 'lipschitz', feature_range => '{0,1}', target_range => '{0,1}');

-- Starts of the published code: its steps without a clip are half as many.
SELECT format('CALL dpsens.train(%L, ''open_images'', ''{pixels}'', ''label'', %s, 0.1)', name, :open_steps) FROM starts WHERE noise IS NULL \gexec
SELECT format('CALL dpsens.train(%L, ''open_images'', ''{pixels}'', ''label'', %s, 0.1, clip => 0.1, expected_rows => %s)', name, :steps, :rows) FROM starts WHERE noise = 0 \gexec
SELECT format('CALL dpsens.train(%L, ''images'', ''{pixels}'', ''label'', %s, 0.1, clip => 0.1, expected_rows => %s, noise_multiplier => %s, delta => 1e-5)', name, :steps, :rows, noise * :code_noise)
FROM starts WHERE noise > 0 \gexec

-- Every entry of 1,000 images that were trained on, as in the published code.
CREATE FUNCTION region(class int, pixel int) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN pixel = 12 THEN 'crossing' WHEN is_bar(1 - class, pixel) THEN 'other' WHEN is_bar(class, pixel) THEN 'own' ELSE 'outside' END;
CREATE TABLE entries AS
SELECT regexp_replace(m.name, '^dpsens_(bars )?', '') AS model, id, label, (place - 1)::int AS pixel, region(label, (place - 1)::int), partial, normalized
FROM dpsens.models m, open_images,
    LATERAL unnest(dpsens.partial_sensitivity(m.name, pixels, label), dpsens.normalized_gradient(m.name, pixels, label))
        WITH ORDINALITY AS u (partial, normalized, place)
WHERE m.name ~ '^dpsens_(bars|start) ' AND id <= 1000;
CREATE VIEW long_entries AS
SELECT model, id, label, pixel, region, quantity, value FROM entries, LATERAL (VALUES ('partial sensitivity', partial), ('normalised gradient', normalized)) AS q (quantity, value);

-- Where each image has its signed maximum; the greatest entry of each pixel; averages.
CREATE TABLE maxima AS
SELECT quantity, model, id, label, (array_agg(region ORDER BY value DESC))[1] AS region FROM long_entries GROUP BY quantity, model, id, label;
CREATE TABLE maps AS
SELECT quantity, model, label, pixel, region, max(value) AS greatest, avg(abs(value)) AS magnitude FROM long_entries GROUP BY quantity, model, label, pixel, region;
CREATE VIEW maximum_shares AS
SELECT quantity, model, avg((region = 'other')::int) AS other, avg((region = 'own')::int) AS own, avg((region = 'crossing')::int) AS crossing, avg((region = 'outside')::int) AS outside
FROM maxima GROUP BY quantity, model;
CREATE VIEW magnitude_shares AS
SELECT quantity, model, sum(magnitude) FILTER (WHERE region = 'other') / sum(magnitude) AS other, sum(magnitude) FILTER (WHERE region = 'own') / sum(magnitude) AS own,
    sum(magnitude) FILTER (WHERE region = 'crossing') / sum(magnitude) AS crossing, sum(magnitude) FILTER (WHERE region = 'outside') / sum(magnitude) AS outside
FROM maps GROUP BY quantity, model;

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

\echo 'Figure 2: the greatest normalized gradient that any image of class 0 (middle row) has in each pixel:'
\echo
\pset format unaligned
\pset tuples_only on
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, model, 'text') FROM maps WHERE label = 0 AND quantity = 'normalised gradient' AND model !~ 'start' GROUP BY model ORDER BY model DESC;
\pset tuples_only off
\pset format aligned

\echo 'The paper says that the greatest is on the bar of the other class, and that DP-SGD'
\echo 'spreads it at random.  The share of images whose signed maximum is on the bar of the other class, on their'
\echo 'own, on the pixel where they cross, and outside of both (at random: 0.16, 0.16, 0.04 and 0.64):'
\echo
SELECT quantity, model, round(other, 3) AS other, round(own, 3) AS own, round(crossing, 3) AS crossing, round(outside, 3) AS outside
FROM maximum_shares WHERE model !~ 'start' ORDER BY quantity, model DESC;

\echo 'Magnitudes hide that: their average is as great on an image''s own bar, where entries are negative.  Shares of'
\echo 'the average magnitude:'
\echo
SELECT quantity, model, round(other::numeric, 3) AS other, round(own::numeric, 3) AS own, round(crossing::numeric, 3) AS crossing, round(outside::numeric, 3) AS outside
FROM magnitude_shares WHERE model !~ 'start' ORDER BY quantity, model DESC;

\echo 'From the published code''s starts: signed maxima by region, shares of the average magnitude, and how alike the'
\echo 'maps are to those of the clip alone (the least correlation over classes), of the normalized gradient.  noise is in'
\echo 'units of the published one; 0 is the clip alone, and without a number neither.'
\echo
CREATE TABLE start_results AS
SELECT start, noise, m.other, m.own, m.crossing, m.outside, a.other + a.own AS magnitude_bars, a.outside AS magnitude_outside, p.accuracy, c.like_clip
FROM starts s JOIN maximum_shares m ON m.model = substr(s.name, 8) JOIN magnitude_shares a USING (quantity, model),
    LATERAL (SELECT avg((((dpsens.predict(s.name, pixels))[1] > 0.5) = (label = 1))::int) AS accuracy FROM test_images) p,
    LATERAL (SELECT min(r) AS like_clip FROM (SELECT corr(x.greatest, y.greatest) AS r FROM maps x JOIN maps y USING (quantity, label, pixel)
             WHERE quantity = 'normalised gradient' AND x.model = substr(s.name, 8) AND y.model = format('start 0 %s', s.start) GROUP BY label) r) c
WHERE quantity = 'normalised gradient';
SELECT start, noise, round(accuracy, 4) AS accuracy, round(other, 3) AS other, round(own, 3) AS own, round(crossing, 3) AS crossing, round(outside, 3) AS outside,
    round(magnitude_bars::numeric, 3) AS magnitude_on_bars, round(magnitude_outside::numeric, 3) AS outside_of_them, round(like_clip::numeric, 4) AS like_clip
FROM start_results ORDER BY start, noise NULLS FIRST;

CREATE VIEW claims AS
SELECT 1 AS n, 'every network has a test accuracy of at least 0.99' AS claim, bool_and(accuracy >= 0.99) AS holds FROM results
UNION ALL SELECT 2, 'of at least 99 of 100 images the signed maximum is on the bar of the other class, by both quantities, with noise and without',
    bool_and(other >= 0.99) FROM maximum_shares WHERE model !~ 'start'
UNION ALL SELECT 3, 'so are the four greatest pixels of every map of figure 2', bool_and(four = ARRAY['other', 'other', 'other', 'other'])
    FROM (SELECT (array_agg(region ORDER BY greatest DESC))[1:4] AS four FROM maps WHERE model !~ 'start' GROUP BY quantity, model, label) f
UNION ALL SELECT 4, 'averages of magnitudes do not show it: the two bars have shares within 0.06 of each other', bool_and(abs(other - own) <= 0.06) FROM magnitude_shares WHERE model !~ 'start'
UNION ALL SELECT 5, 'from the published starts it is so without a clip', bool_and(other >= 0.99) FROM start_results WHERE noise IS NULL
UNION ALL SELECT 6, 'noise as published changes nothing that the clip has not: maps correlate by at least 0.98, and shares of images differ by at most 0.03',
    bool_and(n.like_clip >= 0.98 AND abs(n.other - c.other) <= 0.03) FROM start_results n JOIN start_results c USING (start) WHERE n.noise = 1 AND c.noise = 0
UNION ALL SELECT 7, 'the clip alone moves magnitude off the bars, by at least 0.03 on average, and 400 times the noise leaves other maps, which correlate by at most 0.9 on average',
    avg(c.magnitude_outside - o.magnitude_outside) >= 0.03 AND avg(n.like_clip) <= 0.9
    FROM start_results o JOIN start_results c USING (start) JOIN start_results n USING (start) WHERE o.noise IS NULL AND c.noise = 0 AND n.noise = 400;
\echo 'Found here, with tolerances since noise is never twice the same:'
\echo
\ir show_claims.sql

\if :{?figures}
\pset format unaligned
\pset tuples_only on
\set file :figures '/bars_2a_row.svg'
\o :file
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, 'figure 2A: greatest entry by pixel, images of a middle row, SGD') FROM maps
WHERE quantity = 'normalised gradient' AND model = 'code SGD' AND label = 0;
\set file :figures '/bars_2a_column.svg'
\o :file
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, 'figure 2A: greatest entry by pixel, images of a middle column, SGD') FROM maps
WHERE quantity = 'normalised gradient' AND model = 'code SGD' AND label = 1;
\set file :figures '/bars_2b_row.svg'
\o :file
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, 'figure 2B: greatest entry by pixel, images of a middle row, DP-SGD') FROM maps
WHERE quantity = 'normalised gradient' AND model = 'code DP-SGD' AND label = 0;
\set file :figures '/bars_2b_column.svg'
\o :file
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, 'figure 2B: greatest entry by pixel, images of a middle column, DP-SGD') FROM maps
WHERE quantity = 'normalised gradient' AND model = 'code DP-SGD' AND label = 1;
\set file :figures '/bars_noise_images.svg'
\o :file
SELECT dpsens.bar_chart(array_agg(what ORDER BY place), array_agg(share ORDER BY place), 'share of images with the signed maximum on the other class''s bar, average of the starts (at random 0.16)')
FROM (SELECT row_number() OVER (ORDER BY noise NULLS FIRST) AS place, COALESCE('noise x ' || NULLIF(noise, 0), CASE noise WHEN 0 THEN 'clip alone' ELSE 'no clip' END) AS what, avg(other) AS share FROM start_results GROUP BY noise) s;
\set file :figures '/bars_noise_magnitude.svg'
\o :file
SELECT dpsens.bar_chart(array_agg(what ORDER BY place), array_agg(share ORDER BY place), 'share of the average magnitude on the two bars, average of the starts (at random 0.32)')
FROM (SELECT row_number() OVER (ORDER BY noise NULLS FIRST) AS place, COALESCE('noise x ' || NULLIF(noise, 0), CASE noise WHEN 0 THEN 'clip alone' ELSE 'no clip' END) AS what, avg(magnitude_bars) AS share FROM start_results GROUP BY noise) s;
\set file :figures '/bars_start_clip.svg'
\o :file
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, 'from the last start, images of a middle row: clip without noise') FROM maps
WHERE quantity = 'normalised gradient' AND model = 'start 0 ' || :starts AND label = 0;
\set file :figures '/bars_start_noise.svg'
\o :file
SELECT dpsens.heatmap(array_agg(greatest ORDER BY pixel), 5, 'from the last start, images of a middle row: clip and noise as published') FROM maps
WHERE quantity = 'normalised gradient' AND model = 'start 1 ' || :starts AND label = 0;
\o
\endif

\ir fail_claims.sql

\if :{?keep}
\else
\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name ~ '^dpsens_(bars|bounds|start) ';
\o
DROP SCHEMA dpsens_bars CASCADE;
\endif
