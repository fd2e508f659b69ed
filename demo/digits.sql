-- Which pixels of a handwritten digit a convolutional network is told most about
-- while it is trained, without and with differential privacy at (1, 1e-5): PLIS
-- (T. T. Mueller et al., "How do input attributes impact the privacy loss in
-- differential privacy?", 2022), its maps, the examples with the highest and the
-- lowest, and examples that are no digits.
--
--		DPSENS_MNIST=/some/directory psql -X -q -f demo/digits.sql
--		DPSENS_MNIST=/some/directory psql -X -q -v figures=/another -f demo/digits.sql		(maps as SVG, too)
--
-- or make demo-digits.  The directory holds the test images of the MNIST database, as mnist.sql
-- says.
--
-- The database must be on a server that preloads dpsens.  Everything is made in
-- the schema dpsens_digits, committed (a charge needs that), and dropped at the end.
-- A few minutes on one core; -v steps=10 is a short run.

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset pager off
SET client_min_messages = warning;

-- Images that are trained on and others, in digits and test_digits.
\set schema dpsens_digits
\ir mnist.sql
\if :found
\else
\quit
\endif

SELECT count(*) AS train_rows FROM digits \gset
SELECT count(*) AS test_rows FROM test_digits \gset

\if :{?steps}
\else
\set steps 60
\endif
\o /dev/null
SELECT dpsens.protect('digits', unit => 'id');
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_digits %';
SELECT dpsens.create_model('dpsens_digits ' || training, '{"input": [1, 28, 28], "loss": "categorical_cross_entropy", "seed": 1, "layers": [
    {"type": "conv2d", "filters": 8, "kernel": 5, "stride": 2, "padding": 2, "activation": "tanh"}, {"type": "max_pool", "kernel": 2},
    {"type": "conv2d", "filters": 16, "kernel": 3, "activation": "tanh"}, {"type": "max_pool", "kernel": 2, "stride": 1},
    {"type": "dense", "units": 10, "activation": "softmax"}]}')
FROM unnest('{SGD,DP-SGD}'::text[]) AS training;
\o

\echo 'The network:'
\echo
SELECT layer, type, activation, shape, parameters FROM dpsens.model_summary('dpsens_digits SGD');

-- Without noise on samples of a hundredth, 20 steps for every one of the private
-- run; with noise on all rows in every step, which for so few steps costs less
-- than sampling saves.
SELECT 20 * :steps AS open_steps, greatest(0.01, 20.0 / :train_rows) AS rate \gset
CALL dpsens.train('dpsens_digits SGD', 'open_digits', '{pixels}', 'label', :open_steps, 0.1, optimizer => 'momentum', sampling_rate => :rate);
CALL dpsens.train('dpsens_digits DP-SGD', 'digits', '{pixels}', 'label', :steps, 0.5, optimizer => 'momentum',
    clip => 1, expected_rows => :train_rows, epsilon => 1, delta => 1e-5);

CREATE FUNCTION best(p float8[]) RETURNS int LANGUAGE sql IMMUTABLE
RETURN (SELECT k - 1 FROM unnest(p) WITH ORDINALITY AS u (v, k) ORDER BY v DESC LIMIT 1);

\echo 'Accuracy and loss, on' :train_rows 'images that were trained on and' :test_rows 'others:'
\echo
SELECT substr(m.name, 15) AS training, images, round(avg((best(dpsens.predict(m.name, pixels)) = label)::int), 4) AS accuracy,
    round(avg(dpsens.loss(m.name, pixels, label))::numeric, 4) AS loss
FROM dpsens.models m, (SELECT 'trained on' AS images, label, pixels FROM open_digits UNION ALL SELECT 'others', label, pixels FROM test_digits) d
WHERE m.name LIKE 'dpsens_digits %' GROUP BY m.name, images ORDER BY m.name DESC, images DESC;

\echo 'What the private run cost, and the noise of all its steps together:'
\echo
SELECT epsilon, delta, round(charge_rho::numeric, 6) AS rho, round(scale::numeric, 2) AS noise
FROM dpsens.releases WHERE relation = 'dpsens_digits.digits' ORDER BY release DESC LIMIT 1;
-- The noise of one step is that of all steps together times the root of their number.
SELECT scale * sqrt(:steps) AS sigma FROM dpsens.releases WHERE relation = 'dpsens_digits.digits' ORDER BY release DESC LIMIT 1 \gset

-- One more step of the same noise, image by image: privacy loss and PLIS as if
-- nothing were clipped (whoever is clipped at 1 has a loss of 1 / sigma^2 and a PLIS
-- of 0).  The noise is that of the private run for both networks, so that they
-- can be compared.
CREATE TABLE shown AS
SELECT substr(m.name, 15) AS training, id, label, pixels, best(dpsens.predict(m.name, pixels)) AS predicted,
    dpsens.gradient_norm(m.name, pixels, label) AS norm, dpsens.privacy_loss(m.name, pixels, label, :sigma) AS loss, dpsens.plis(m.name, pixels, label, :sigma) AS plis
FROM dpsens.models m, test_digits WHERE m.name LIKE 'dpsens_digits %';
ALTER TABLE shown ADD magnitude float8;
UPDATE shown SET magnitude = dpsens.l2_norm(plis);
CREATE VIEW maps AS
SELECT training, label, k AS pixel, avg(abs(v)) AS plis FROM shown, unnest(plis) WITH ORDINALITY AS u (v, k) GROUP BY training, label, k;

\echo 'Privacy loss of one step and magnitude of PLIS, over the images that were not trained on:'
\echo
SELECT training, to_char(avg(loss), '9.99EEEE') AS average_loss, to_char(max(loss), '9.99EEEE') AS greatest_loss,
    to_char(avg(magnitude), '9.99EEEE') AS average_plis, to_char(max(magnitude), '9.99EEEE') AS greatest_plis, round(avg((norm > 1)::int), 3) AS clipped
FROM shown GROUP BY training ORDER BY training DESC;

\echo 'Share of the magnitude of PLIS on the middle 14 by 14 of the 28 by 28 pixels, which are a quarter, and on the'
\echo 'border of 4, which is half of them and nearly empty in these images: what would be on it would not go unseen.'
\echo
SELECT training, round((sum(plis) FILTER (WHERE (pixel - 1) / 28 BETWEEN 7 AND 20 AND (pixel - 1) % 28 BETWEEN 7 AND 20) / sum(plis))::numeric, 3) AS middle,
    round((sum(plis) FILTER (WHERE NOT ((pixel - 1) / 28 BETWEEN 4 AND 23 AND (pixel - 1) % 28 BETWEEN 4 AND 23)) / sum(plis))::numeric, 3) AS border
FROM maps GROUP BY training ORDER BY training DESC;

\echo 'The three images with the highest PLIS, and the three with the lowest:'
\echo
SELECT training, which, id, label, predicted, round(norm::numeric, 4) AS gradient_norm, to_char(magnitude, '9.99EEEE') AS plis
FROM (SELECT *, CASE WHEN row_number() OVER (PARTITION BY training ORDER BY magnitude DESC, id) <= 3 THEN 'highest'
                     WHEN row_number() OVER (PARTITION BY training ORDER BY magnitude, id) <= 3 THEN 'lowest' END AS which FROM shown) s
WHERE which IS NOT NULL ORDER BY training DESC, which, magnitude DESC;

\echo 'Those of the private network with the highest: the image, and its PLIS.'
\echo
\pset format unaligned
\pset tuples_only on
SELECT dpsens.heatmap(pixels, 28, 'image ' || id || ', a ' || label || ' taken for a ' || predicted, 'text') || E'\n' || dpsens.heatmap(plis, 28, 'PLIS', 'text')
FROM shown WHERE training = 'DP-SGD' ORDER BY magnitude DESC, id LIMIT 1;
\echo
\echo 'Average magnitude of PLIS by pixel, of zeros and of ones, in the private network:'
\echo
SELECT dpsens.heatmap(array_agg(plis ORDER BY pixel), 28, 'digit ' || label, 'text') FROM maps WHERE training = 'DP-SGD' AND label <= 1 GROUP BY label ORDER BY label;
\pset tuples_only off
\pset format aligned

-- Out of distribution: digits lying on their side, in negative, and with their
-- pixels scattered, the label as it was; and noise with a label of its own.
CREATE TABLE others AS
SELECT 'digits' AS kind, id, label, pixels FROM (SELECT * FROM test_digits ORDER BY id LIMIT 300) d
UNION ALL SELECT 'on their side', id, label, ARRAY(SELECT unnest(dpsens.transpose(array_agg(line ORDER BY r))))
    FROM (SELECT * FROM test_digits ORDER BY id LIMIT 300) d, LATERAL (SELECT r, pixels[28 * r + 1 : 28 * r + 28] AS line FROM generate_series(0, 27) r) l GROUP BY id, label
UNION ALL SELECT 'negative', id, label, ARRAY(SELECT 1 - v FROM unnest(pixels) v) FROM (SELECT * FROM test_digits ORDER BY id LIMIT 300) d
UNION ALL SELECT 'scattered', id, label, ARRAY(SELECT pixels[(k * 293) % 784 + 1] FROM generate_series(0, 783) k) FROM (SELECT * FROM test_digits ORDER BY id LIMIT 300) d
UNION ALL SELECT 'noise', i, i % 10, ARRAY(SELECT ((hashint8extended(i, k) & 65535) / 65535.0)::float8 FROM generate_series(1, 784) k) FROM generate_series(1, 300) i;
CREATE TABLE strange AS
SELECT substr(m.name, 15) AS training, kind, dpsens.privacy_loss(m.name, pixels, label, :sigma) AS loss, dpsens.l2_norm(dpsens.plis(m.name, pixels, label, :sigma)) AS magnitude
FROM dpsens.models m, others WHERE m.name LIKE 'dpsens_digits %';

\echo 'Images that are no digits as the network knows them.  told_by_... is the share of pairs of a stranger and a'
\echo 'digit in which the stranger has the greater privacy loss, or PLIS (0.5: it cannot be told from a digit):'
\echo
SELECT s.training, s.kind, to_char(avg(s.loss), '9.99EEEE') AS average_loss, to_char(avg(s.magnitude), '9.99EEEE') AS average_plis,
    round(avg(p.by_loss), 3) AS told_by_loss, round(avg(p.by_plis), 3) AS told_by_plis
FROM strange s, LATERAL (SELECT avg((s.loss > d.loss)::int + (s.loss = d.loss)::int / 2.0) AS by_loss, avg((s.magnitude > d.magnitude)::int + (s.magnitude = d.magnitude)::int / 2.0) AS by_plis
    FROM strange d WHERE d.training = s.training AND d.kind = 'digits') p
GROUP BY s.training, s.kind ORDER BY s.training DESC, avg(p.by_plis);

\if :{?figures}
\pset format unaligned
\pset tuples_only on
\set file :figures '/digits_plis_sgd.svg'
\o :file
SELECT dpsens.heatmap(array_agg(plis ORDER BY pixel), 28, 'average magnitude of PLIS, SGD') FROM (SELECT pixel, avg(plis) AS plis FROM maps WHERE training = 'SGD' GROUP BY pixel) m;
\set file :figures '/digits_plis_dp_sgd.svg'
\o :file
SELECT dpsens.heatmap(array_agg(plis ORDER BY pixel), 28, 'average magnitude of PLIS, DP-SGD') FROM (SELECT pixel, avg(plis) AS plis FROM maps WHERE training = 'DP-SGD' GROUP BY pixel) m;
\set file :figures '/digits_highest_image.svg'
\o :file
SELECT dpsens.heatmap(pixels, 28, 'highest PLIS, DP-SGD: a ' || label) FROM shown WHERE training = 'DP-SGD' ORDER BY magnitude DESC, id LIMIT 1;
\set file :figures '/digits_highest_plis.svg'
\o :file
SELECT dpsens.heatmap(plis, 28, 'its PLIS') FROM shown WHERE training = 'DP-SGD' ORDER BY magnitude DESC, id LIMIT 1;
\set file :figures '/digits_lowest_image.svg'
\o :file
SELECT dpsens.heatmap(pixels, 28, 'lowest PLIS, DP-SGD: a ' || label) FROM shown WHERE training = 'DP-SGD' ORDER BY magnitude, id LIMIT 1;
\set file :figures '/digits_lowest_plis.svg'
\o :file
SELECT dpsens.heatmap(plis, 28, 'its PLIS') FROM shown WHERE training = 'DP-SGD' ORDER BY magnitude, id LIMIT 1;
\o
\pset tuples_only off
\pset format aligned
\endif

\if :{?keep}
\else
\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_digits %';
\o
DROP SCHEMA dpsens_digits CASCADE;
\endif
