-- Images of high and of low PLIS with maps of it, pixel by pixel, of digits and of
-- strangers: figures 1 and 2 of T. T. Mueller et al., "How do input attributes impact the
-- privacy loss in differential privacy?" (2022), as far as the MNIST database's images go.
--
--		DPSENS_MNIST=/some/directory psql -X -q -f demo/plis_figures.sql
--		DPSENS_MNIST=/some/directory psql -X -q -v figures=/another -f demo/plis_figures.sql	(pictures, too)
--
-- or make demo-plis, which fails where a figure is outside of its tolerance.  It runs digits.sql first, whose
-- networks, noise and strangers these are, with what that needs, and drops it all at the end.
--
-- The paper's images, networks and numbers are not here: what is shown is which images of these
-- have the highest and the lowest PLIS, and where in them; what is checked is the order that its
-- measure claims, and that the maps are what they are called.

\if :{?keep}
\set keep_figures 1
\else
\set keep 1
\endif
\if :{?steps}
\else
\set steps 60
\endif
\ir digits.sql
\if :found
\else
\quit
\endif
SELECT :steps >= 60 AND :train_rows >= 8000 AS is_whole \gset

-- PLIS of what the network is told of an image in one more step of the private run's noise,
-- as in digits.sql: of digits that were not trained on, and of strangers.
CREATE TABLE looked_at AS
SELECT training, 'digits' AS kind, id, label, pixels, predicted, norm, loss, plis, magnitude FROM shown
UNION ALL
SELECT substr(m.name, 15), kind, id, label, pixels, best(dpsens.predict(m.name, pixels)), dpsens.gradient_norm(m.name, pixels, label), dpsens.privacy_loss(m.name, pixels, label, :sigma),
    p.plis, dpsens.l2_norm(p.plis)
FROM dpsens.models m, others, LATERAL (SELECT dpsens.plis(m.name, pixels, label, :sigma) AS plis) p WHERE m.name LIKE 'dpsens_digits %' AND kind <> 'digits';

-- Of digits the six highest and the six lowest, of each kind of strangers three.
CREATE TABLE chosen AS
SELECT * FROM (
    SELECT *, CASE WHEN row_number() OVER highest <= CASE kind WHEN 'digits' THEN 6 ELSE 3 END THEN 'high' WHEN row_number() OVER lowest <= CASE kind WHEN 'digits' THEN 6 ELSE 3 END THEN 'low' END AS which,
        row_number() OVER highest AS from_top, row_number() OVER lowest AS from_bottom
    FROM looked_at WINDOW highest AS (PARTITION BY training, kind ORDER BY magnitude DESC, id), lowest AS (PARTITION BY training, kind ORDER BY magnitude, id)) c
WHERE which IS NOT NULL;

-- Where in an image: the share of the magnitude of PLIS on ink, and within two pixels of it.
CREATE FUNCTION ink_shares(pixels float8[], plis float8[], OUT on_ink float8, OUT near_ink float8, OUT ink float8, OUT near float8) LANGUAGE sql IMMUTABLE AS $$
    WITH cell AS (SELECT (k - 1) % 28 AS x, (k - 1) / 28 AS y, v > 0.3 AS is_ink, abs(plis[k]) AS amount FROM unnest(pixels) WITH ORDINALITY u (v, k)),
    marked AS (SELECT is_ink, amount, EXISTS (SELECT FROM cell i WHERE i.is_ink AND greatest(abs(i.x - c.x), abs(i.y - c.y)) <= 2) AS is_near FROM cell c)
    SELECT COALESCE(sum(amount) FILTER (WHERE is_ink), 0) / NULLIF(sum(amount), 0), COALESCE(sum(amount) FILTER (WHERE is_near), 0) / NULLIF(sum(amount), 0),
        avg(is_ink::int), avg(is_near::int) FROM marked $$;
CREATE TABLE figure_rows AS
SELECT c.*, s.* FROM chosen c, LATERAL ink_shares(pixels, plis) s;

\echo
\echo 'Figure 1: digits of the highest and the lowest PLIS.  taken_right is the share that the network reads as what they'
\echo 'are; on_ink and near_ink are shares of the magnitude of PLIS on ink and within two pixels of it, ink and near those of the pixels:'
\echo
SELECT training, which, count(*) AS images, round(avg((predicted = label)::int), 2) AS taken_right, to_char(avg(norm), '9.99EEEE') AS gradient_norm, to_char(avg(magnitude), '9.99EEEE') AS plis,
    round(avg(on_ink)::numeric, 2) AS on_ink, round(avg(ink)::numeric, 2) AS ink, round(avg(near_ink)::numeric, 2) AS near_ink, round(avg(near)::numeric, 2) AS near
FROM figure_rows WHERE kind = 'digits' GROUP BY training, which ORDER BY training DESC, which;

\echo 'Figure 2: strangers, the three of each kind with the highest PLIS and the three with the lowest, and the median of'
\echo 'the kind beside that of digits; above_digits is the share of its images with a higher PLIS than half of the digits:'
\echo
CREATE TABLE kinds AS
SELECT training, kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY magnitude) AS median, avg((magnitude > d.digits)::int) AS above_digits,
    (SELECT corr(a, b) FROM (SELECT rank() OVER (ORDER BY loss) AS a, rank() OVER (ORDER BY magnitude) AS b FROM looked_at r WHERE (r.training, r.kind) = (l.training, l.kind)) ranks) AS rank_correlation
FROM looked_at l JOIN (SELECT training, percentile_cont(0.5) WITHIN GROUP (ORDER BY magnitude) AS digits FROM looked_at WHERE kind = 'digits' GROUP BY training) d USING (training) GROUP BY training, kind;
SELECT k.training, kind, to_char(max(magnitude) FILTER (WHERE which = 'high'), '9.99EEEE') AS highest, to_char(median, '9.99EEEE') AS median, to_char(min(magnitude) FILTER (WHERE which = 'low'), '9.99EEEE') AS lowest,
    round(above_digits, 3) AS above_digits, round(rank_correlation::numeric, 3) AS rank_correlation
FROM kinds k JOIN chosen USING (training, kind) GROUP BY k.training, kind, median, above_digits, rank_correlation ORDER BY k.training DESC, median;

-- What a map says, looked at: along it, per unit of distance, the privacy loss rises by its magnitude.
CREATE TABLE rises AS
SELECT training, kind, id, which, magnitude, (dpsens.privacy_loss(m.name, dpsens.add(pixels, dpsens.multiply(plis, ARRAY[1e-6 / magnitude])), label, :sigma)
    - dpsens.privacy_loss(m.name, dpsens.subtract(pixels, dpsens.multiply(plis, ARRAY[1e-6 / magnitude])), label, :sigma)) / 2e-6 AS rise
FROM chosen JOIN dpsens.models m ON m.name = 'dpsens_digits ' || training WHERE magnitude > 1e-12;

-- Max pooling has kinks where its inputs are equal, as on
-- paper without ink: there a map is one of the slopes.  Noise has no such places.
CREATE VIEW claims AS
SELECT 1 AS n, 'digits of the highest PLIS have a million times that of the lowest, in both networks' AS claim, bool_and(high >= 1e6 * low) AS holds
    FROM (SELECT avg(magnitude) FILTER (WHERE which = 'high') AS high, avg(magnitude) FILTER (WHERE which = 'low') AS low FROM chosen WHERE kind = 'digits' GROUP BY training) m
UNION ALL SELECT 2, 'of the highest at most four of six are read as what they are, in the private network at most two; of the lowest all',
    bool_and(right_ones <= CASE WHEN which = 'low' THEN 6 WHEN training = 'SGD' THEN 4 ELSE 2 END AND (which = 'high' OR right_ones = 6))
    FROM (SELECT training, which, sum((predicted = label)::int) AS right_ones FROM chosen WHERE kind = 'digits' GROUP BY training, which) r
UNION ALL SELECT 3, 'PLIS orders digits as the privacy loss does: rank correlations of at least 0.95', bool_and(rank_correlation >= 0.95) FROM kinds WHERE kind = 'digits'
UNION ALL SELECT 4, 'of strangers of every kind at least seven of ten have a higher PLIS than half of the digits', bool_and(above_digits >= 0.7) FROM kinds WHERE kind <> 'digits'
UNION ALL SELECT 5, 'of strangers of the highest PLIS at most 4 of 24 are read as their label says, of those of the lowest at least 20',
    sum((predicted = label)::int) FILTER (WHERE which = 'high') <= 4 AND sum((predicted = label)::int) FILTER (WHERE which = 'low') >= 20 FROM chosen WHERE kind <> 'digits'
UNION ALL SELECT 6, 'maps are slopes of the privacy loss: of nine of ten of noise to 1 in 1,000, and of the others, where pooling has kinks, between 0.7 and 1.01 of what they say',
    bool_and(share >= 0.9) FROM (SELECT avg((CASE kind WHEN 'noise' THEN abs(rise / magnitude - 1) <= 1e-3 ELSE rise / magnitude BETWEEN 0.7 AND 1.01 END)::int) AS share FROM rises GROUP BY kind = 'noise') s
UNION ALL SELECT 7, 'the highest digits are told of where their ink is: 1.2 times as much within two pixels of it as is such pixels', bool_and(near_ink >= 1.2 * near)
    FROM (SELECT avg(near_ink) AS near_ink, avg(near) AS near FROM figure_rows WHERE kind = 'digits' AND which = 'high' GROUP BY training) s;
\echo 'Found here, with tolerances since training is never twice the same:'
\echo
\pset format unaligned
\pset tuples_only on
SELECT CASE WHEN holds THEN 'so:     ' ELSE 'NOT SO: ' END || claim FROM claims ORDER BY n;

-- Pictures: images above their maps, first the highest and then the lowest.
\if :{?figures}
\ir picture.sql
INSERT INTO tiles
SELECT '1', CASE which WHEN 'high' THEN from_top - 1 ELSE 12 - from_bottom END, 2 * (training = 'DP-SGD')::int + is_map::int, is_map, CASE WHEN is_map THEN plis ELSE pixels END
FROM chosen, unnest('{false,true}'::boolean[]) is_map WHERE kind = 'digits'
UNION ALL
SELECT '2 ' || training, CASE which WHEN 'high' THEN from_top - 1 ELSE 6 - from_bottom END, 2 * (array_position('{on their side,negative,scattered,noise}', kind) - 1) + is_map::int, is_map, CASE WHEN is_map THEN plis ELSE pixels END
FROM chosen, unnest('{false,true}'::boolean[]) is_map WHERE kind <> 'digits';
\set file :figures '/plis_1.svg'
\o :file
SELECT picture('1', 'Digits above maps of their PLIS, the six highest and then the six lowest: without noise, and by DP-SGD');
\set file :figures '/plis_2_sgd.svg'
\o :file
SELECT picture('2 SGD', 'Strangers above maps of their PLIS, without noise: on their side, negative, scattered, noise; the three highest of each and then the three lowest');
\set file :figures '/plis_2_dp_sgd.svg'
\o :file
SELECT picture('2 DP-SGD', 'Strangers above maps of their PLIS, by DP-SGD: on their side, negative, scattered, noise; the three highest of each and then the three lowest');
\o
\endif
\pset tuples_only off
\pset format aligned

\ir fail_claims.sql

\if :{?keep_figures}
\else
\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_digits %';
\o
DROP SCHEMA dpsens_digits CASCADE;
\endif
