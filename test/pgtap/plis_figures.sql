-- demo/plis_figures.sql on a few small images that are made here, in the format of the real
-- ones: it runs to its end, its figures show what it says, and its claims fail on figures
-- that contradict them.  Its output is between the tests, and no TAP.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(16);

\ir made_digits.psql
\set steps 15
\set keep 1
\set figures :folder
\i demo/plis_figures.sql
\set QUIET on
\pset format unaligned
\pset tuples_only on

SELECT is((SELECT string_agg(concat_ws(' ', training, kind, which, n), ', ' ORDER BY training, kind, which) FROM (SELECT training, kind, which, count(*) AS n FROM chosen WHERE kind IN ('digits', 'noise') GROUP BY training, kind, which) c),
    'DP-SGD digits high 6, DP-SGD digits low 6, DP-SGD noise high 3, DP-SGD noise low 3, SGD digits high 6, SGD digits low 6, SGD noise high 3, SGD noise low 3', 'six digits and three strangers of each kind');
SELECT ok(bool_and(h.least >= l.greatest), 'high is above low')
FROM (SELECT training, kind, min(magnitude) AS least FROM chosen WHERE which = 'high' GROUP BY training, kind) h JOIN (SELECT training, kind, max(magnitude) AS greatest FROM chosen WHERE which = 'low' GROUP BY training, kind) l USING (training, kind);
SELECT ok(bool_and(h.least >= o.magnitude), 'nothing that is not shown is above') FROM (SELECT training, kind, min(magnitude) AS least FROM chosen WHERE which = 'high' GROUP BY training, kind) h
JOIN looked_at o USING (training, kind) WHERE NOT EXISTS (SELECT FROM chosen c WHERE (c.training, c.kind, c.id, c.which) = (o.training, o.kind, o.id, 'high'));
SELECT ok(bool_and(plis = dpsens.plis(('dpsens_digits ' || training)::name, pixels, label, :sigma) AND magnitude = dpsens.l2_norm(plis)), 'maps are PLIS in the noise of a step') FROM chosen;
SELECT ok(avg((abs(rise / magnitude - 1) < 1e-3)::int) >= 0.75 AND count(*) > 3, 'which is the slope of the privacy loss') FROM rises WHERE kind = 'noise' AND magnitude > 1e-6;
SELECT results_eq('SELECT * FROM ink_shares(array_fill(0, ARRAY[28, 28])::float8[], array_fill(1, ARRAY[784])::float8[])', 'VALUES (0::float8, 0::float8, 0::float8, 0::float8)', 'no ink');
SELECT results_eq($$SELECT round((on_ink * 784)::numeric), round((near_ink * 784)::numeric), round((ink * 784)::numeric), round((near * 784)::numeric)
    FROM ink_shares((SELECT array_agg((k = 100)::int::float8 ORDER BY k) FROM generate_series(1, 784) k), array_fill(-1, ARRAY[784])::float8[])$$, 'VALUES (1::numeric, 25::numeric, 1::numeric, 25::numeric)', 'a drop of it, and what is near');

-- Pictures have as many tiles as there are images and maps, in their places.
SELECT is((SELECT string_agg(concat_ws(' ', figure, n, places), ', ' ORDER BY figure) FROM (SELECT figure, count(*) AS n, count(DISTINCT (across, down)) AS places FROM tiles GROUP BY figure) t), '1 48 48, 2 DP-SGD 48 48, 2 SGD 48 48', 'images and maps');
SELECT ok(bool_and(t.signed = (t.down % 2 = 1)) AND bool_and(NOT t.signed OR t.pixels = (SELECT plis FROM chosen c JOIN tiles i ON i.pixels = c.pixels WHERE c.plis = t.pixels AND (i.figure, i.across, i.down) = (t.figure, t.across, t.down - 1) LIMIT 1)), 'each map below its image') FROM tiles t;
\setenv FOLDER :folder
\set figures_whole `grep -l '</svg>' "$FOLDER"/plis_*.svg | wc -l | tr -d ' '`
SELECT is(:'figures_whole'::text, '3', 'three figures');
SELECT ok(picture('1', 'a')::xml IS DOCUMENT, 'well-formed');
-- one black image with a white corner, and a map of one red and one blue pixel
INSERT INTO tiles SELECT 'test', k, 0, k = 1, (SELECT array_agg(CASE WHEN i = 1 THEN 1 WHEN i = 784 THEN -k ELSE 0 END ORDER BY i) FROM generate_series(1, 784) i) FROM generate_series(0, 1) k;
SELECT ok(svg LIKE '%<path stroke="#fff" d="M0 0.5h1%' AND svg LIKE '%<path stroke="#000" d="M1 0.5h27%' AND svg LIKE '%<path stroke="#f11" d="M30 0.5h1"/>%' AND svg LIKE '%<path stroke="#11f" d="M57 27.5h1"/>%', 'in their colours')
FROM picture('test', 'a') svg;

-- Claims that figures contradict do not hold.
BEGIN;
UPDATE rises SET rise = 2 * magnitude WHERE kind = 'noise';
SELECT ok((SELECT NOT holds FROM claims WHERE n = 6), 'a map that is no slope is seen');
UPDATE kinds SET above_digits = 0.5 WHERE kind = 'negative';
UPDATE chosen SET predicted = label;
SELECT is((SELECT string_agg(n::text, ' ' ORDER BY n) FROM claims WHERE n IN (2, 4, 5) AND NOT holds), '2 4 5', 'so are strangers like digits, and digits that are all read');
ROLLBACK;

\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_digits %';
\o
DROP SCHEMA dpsens_digits CASCADE;
RESET search_path;

-- Without digits it says where to get them, and makes nothing.
\! rm -r "$DPSENS_MNIST"
\set said `psql -X -q -f demo/plis_figures.sql 2>&1`
SELECT ok(:'said' LIKE 'There are no digits here.%DPSENS_MNIST.', 'and without digits it says so');
SELECT is(to_regnamespace('dpsens_digits'), NULL, 'and does nothing');
SELECT * FROM finish();
