-- demo/reconstruction.sql on a few small images that are made here, in the format of the
-- real ones: it runs to its end, and what it says is so.  Its output is between the tests,
-- and no TAP.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(12);

\ir made_digits.psql
\set images 1
\set restarts 1
\set iterations 20
\set steps 10
\set keep 1
\set figures :folder
\i demo/reconstruction.sql
\set QUIET on
\pset format unaligned
\pset tuples_only on

SELECT is((SELECT string_agg(format('%s %s %s', training, noise, plis), ', ' ORDER BY training COLLATE "C", noise COLLATE "C", plis) FROM attacks),
    'DP-SGD 0.001 high, DP-SGD 0.001 low, DP-SGD 1.75 high, DP-SGD 1.75 low, DP-SGD none high, DP-SGD none low, ' ||
    'SGD 0.001 high, SGD 0.001 low, SGD 1.75 high, SGD 1.75 low, SGD none high, SGD none low', 'an attack on each');
SELECT ok(bool_and(cardinality(image) = 784 AND v.least >= 0 AND v.greatest <= 1), 'what is found is an image')
FROM attacks, LATERAL (SELECT min(p) AS least, max(p) AS greatest FROM unnest(image) p) v;
SELECT ok((SELECT min(magnitude) FROM chosen WHERE plis = 'high' AND training = t) >= (SELECT max(magnitude) FROM chosen WHERE plis = 'low' AND training = t), t || ': high is above low')
FROM unnest('{SGD,DP-SGD}'::text[]) t;
SELECT ok(bool_and(ssim = dpsens.ssim(pixels, image, 28) AND haarpsi = dpsens.haarpsi(pixels, image, 28)), 'and is compared with what was sought') FROM attacks;
SELECT ok(bool_and(g.gradient = dpsens.gradient(g.model, g.pixels, g.label)) AND count(*) = 4, 'no noise is none') FROM given g WHERE noise = 'none';
-- noise of deviation 0.001 on 11,274 numbers: its norm is 0.106, within a tenth more than 14 deviations
SELECT ok(bool_and(abs(dpsens.l2_norm(dpsens.subtract(g.gradient, dpsens.multiply(c.gradient, ARRAY[least(1, 1 / g.norm)]))) - 0.1062) < 0.0106), 'weak noise is weak')
FROM given g JOIN given c USING (model, id, plis) WHERE g.noise = '0.001' AND c.noise = 'none';
-- The derivative of what is descended, total variation and all.
SELECT ok(max(abs((o).slope[k] - ((a).value - (b).value) / 2e-5)) < 1e-6 AND max(abs((o).slope[k])) > 1e-4, 'the slope is that of the value')
FROM (SELECT k, objective(model, x, label, gradient, 0.01) AS o, objective(model, x[:k-1] || x[k] + 1e-5 || x[k+1:], label, gradient, 0.01) AS a,
          objective(model, x[:k-1] || x[k] - 1e-5 || x[k+1:], label, gradient, 0.01) AS b
      FROM (SELECT * FROM given WHERE noise = 'none' AND plis = 'high' AND training = 'SGD') g,
          (SELECT array_agg(0.5 + 0.4 * sin(0.7 * i)) AS x FROM generate_series(1, 784) i) s, unnest('{1,28,300,400,757,784}'::int[]) k) d;
SELECT is(into_box('{-1,0,0.25,1,7}')::text, '{0,0,0.25,1,1}', 'pixels stay in their box');
SELECT ok(sum(a.matching) < 0.9 * sum(b.matching), format('a search gets closer, to %s from %s', sum(a.matching), sum(b.matching)))
FROM (SELECT * FROM given WHERE noise = 'none') g, LATERAL reconstruct(model, label, gradient, 1, 1, '{1e-5}') b, LATERAL reconstruct(model, label, gradient, 1, 40, '{1e-5}') a;
\set figures_whole `grep -l '</svg>' "$DPSENS_MNIST"/reconstruction_*.svg | wc -l | tr -d ' '`
SELECT is(:'figures_whole'::text, '2', 'two figures');

\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_reconstruction %';
\o
DROP SCHEMA dpsens_reconstruction CASCADE;
RESET search_path;

-- Without digits it says where to get them, and makes nothing.
\! rm -r "$DPSENS_MNIST"
\set said `psql -X -q -f demo/reconstruction.sql 2>&1`
SELECT ok(:'said' LIKE 'There are no digits here.%DPSENS_MNIST.' AND to_regnamespace('dpsens_reconstruction') IS NULL, 'and without digits it says so, and does nothing');
SELECT * FROM finish();
