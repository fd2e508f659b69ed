-- demo/bars.sql on 200 images and one start: it runs to its end, what it says of signed
-- maxima is so, and its claims fail on figures that contradict them.  Its output is between
-- the tests, and no TAP.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(21);

\set folder `mktemp -d`
\set rows 200
\set starts 1
\set keep 1
\set figures :folder
\i demo/bars.sql
\set QUIET on
\pset format unaligned
\pset tuples_only on

-- What the statistic is, by itself.
SELECT is((SELECT string_agg(region(0, pixel) || ' ' || region(1, pixel), ', ' ORDER BY pixel) FROM unnest('{2,10,12,13,24}'::int[]) pixel),
    'other own, own other, crossing crossing, own other, outside outside', 'regions by class');
SELECT results_eq('SELECT region, count(*)::int FROM generate_series(0, 24) pixel, region(1, pixel) region GROUP BY region ORDER BY region',
    $$VALUES ('crossing', 1), ('other', 4), ('outside', 16), ('own', 4)$$, 'and their sizes');
SELECT is((SELECT count(*)::int FROM entries), 200 * 25 * 9, 'every entry of every image in every network');
SELECT ok(bool_and(partial = (dpsens.partial_sensitivity('dpsens_bars code SGD', i.pixels, i.label))[pixel + 1] AND normalized = (dpsens.normalized_gradient('dpsens_bars code SGD', i.pixels, i.label))[pixel + 1]), 'as the functions say')
FROM entries JOIN open_images i USING (id) WHERE model = 'code SGD';
-- of entries that are as great, as all are where a network under much noise has no gradient left, any may be it
SELECT is((SELECT count(*)::int FROM maxima m, LATERAL (SELECT max(value) AS greatest, max(value) FILTER (WHERE region = m.region) AS there
        FROM (SELECT region, CASE m.quantity WHEN 'partial sensitivity' THEN partial ELSE normalized END AS value FROM entries e WHERE (e.model, e.id) = (m.model, m.id)) v) g WHERE g.there IS DISTINCT FROM g.greatest),
    0, 'the signed maximum is the greatest entry, not the one of the greatest magnitude');
SELECT ok((SELECT bool_and(greatest >= 0) FROM (SELECT max(greatest) AS greatest FROM maps GROUP BY quantity, model, label) g), 'some entry of a map is positive');
SELECT ok(bool_and(abs(other + own + crossing + outside - 1) < 1e-9), 'shares are shares') FROM (SELECT * FROM maximum_shares UNION ALL SELECT * FROM magnitude_shares) s;
-- The figures: noise of a run of 200 rows is that of the published one on the mean.
SELECT ok(bool_and(other = 1) AND count(*) = 8, 'every signed maximum is on the bar of the other class') FROM maximum_shares WHERE model !~ 'start';
SELECT ok(bool_and(other BETWEEN 0.3 AND 0.45 AND own BETWEEN 0.3 AND 0.45), 'which averages of magnitudes hide') FROM magnitude_shares WHERE model !~ 'start';
SELECT ok(bool_and(value < 0) AND count(*) = 200, 'the greatest magnitude on an image''s own bar is of a negative entry')
FROM (SELECT (array_agg(normalized ORDER BY abs(normalized) DESC))[1] AS value FROM entries WHERE model = 'code SGD' AND region = 'own' GROUP BY id) v;
SELECT ok(like_clip > 0.98, 'noise as published leaves the map of the clip: ' || like_clip) FROM start_results WHERE noise = 1;
-- noise as published leaves 1 - 4e-6 of it; 400 times as much changes 10^5 times as much of a map, by the square, which
-- is of many numbers
SELECT ok(other < 1 OR outside > 0 OR like_clip < 0.9999, 'and 400 times as much does not: ' || like_clip) FROM start_results WHERE noise = 400;
SELECT is((SELECT string_agg(n::text, ' ' ORDER BY n) FROM claims WHERE holds AND n <= 6), '1 2 3 4 5 6', 'what the demo claims is so');
SELECT ok(NOT :'is_whole'::boolean, 'a short run checks nothing by itself');
\setenv FOLDER :folder
\set figures_whole `grep -l '</svg>' "$FOLDER"/bars_*.svg | wc -l | tr -d ' '`
SELECT is(:'figures_whole'::text, '8', 'eight figures');

-- Claims that figures contradict do not hold.
BEGIN;
UPDATE maxima SET region = 'own' WHERE model = 'text SGD' AND id % 20 = 0;
SELECT is((SELECT string_agg(n::text, ' ' ORDER BY n) FROM claims WHERE NOT holds AND n <= 6), '2', 'one image in twenty elsewhere is seen');
ROLLBACK;
BEGIN;
UPDATE maps SET greatest = 10 WHERE model = 'code DP-SGD' AND pixel = 0;
SELECT is((SELECT string_agg(n::text, ' ' ORDER BY n) FROM claims WHERE NOT holds AND n <= 6), '3', 'so is a pixel of a map');
ROLLBACK;
BEGIN;
UPDATE maps SET magnitude = 2 * magnitude WHERE model = 'code SGD' AND region = 'own';
SELECT is((SELECT string_agg(n::text, ' ' ORDER BY n) FROM claims WHERE NOT holds AND n <= 6), '4', 'bars that are unlike');
ROLLBACK;
BEGIN;
UPDATE start_results SET like_clip = 0.9 WHERE noise = 1;
SELECT is((SELECT string_agg(n::text, ' ' ORDER BY n) FROM claims WHERE NOT holds AND n <= 6), '6', 'and a map that noise has changed');
ROLLBACK;

SELECT is((SELECT count(*)::int FROM dpsens.models WHERE name ~ '^dpsens_(bars|start|bounds) '), 12, 'the networks');
\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name ~ '^dpsens_(bars|start|bounds) ';
\o
DROP SCHEMA dpsens_bars CASCADE;
RESET search_path;
\! rm -r "$FOLDER"
SELECT is((SELECT count(*)::int FROM dpsens.models WHERE name ~ '^dpsens_(bars|start|bounds) '), 0, 'are gone');
SELECT * FROM finish();
