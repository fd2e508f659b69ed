-- demo/digits.sql on a few small images that are made here, in the format of the
-- real ones: it runs to its end, and what it says is so.  Its output is between
-- the tests, and no TAP.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(13);

\ir made_digits.psql
\set steps 15
\set keep 1
\set figures :folder
\i demo/digits.sql
\set QUIET on
\pset format unaligned
\pset tuples_only on

SELECT results_eq('SELECT count(*)::int, sum(label)::int, min(cardinality(pixels)), max(cardinality(pixels)) FROM (TABLE digits UNION ALL TABLE test_digits) d',
    'VALUES (250, 1125, 784, 784)', 'images and labels are read');
SELECT is((SELECT count(*)::int FROM digits NATURAL JOIN test_digits), 0, 'none is trained on and tested with');
SELECT ok((SELECT avg(p) > 5 * avg(q) FROM digits, unnest(pixels[113 + 56 * label : 112 + 56 * (label + 1)]) p, unnest(pixels[1:28]) q), 'and in their places');
SELECT ok((SELECT avg((predicted = label)::int) > 0.9 FROM shown WHERE training = 'SGD'), 'the network learns what there is to learn');
SELECT ok((SELECT count(*) = 100 AND bool_and(cardinality(plis) = 784 AND loss >= 0 AND magnitude > 0) FROM shown), 'every image has its privacy loss and its PLIS');
SELECT ok((SELECT bool_and(abs(loss * s.sigma ^ 2 - norm ^ 2) <= 1e-9 * norm ^ 2)
    FROM shown, (SELECT scale * sqrt(15) AS sigma FROM dpsens.releases WHERE relation = 'dpsens_digits.digits' ORDER BY release DESC LIMIT 1) s), 'in the noise of one step');
SELECT results_eq('SELECT epsilon <= 1, delta, mechanism FROM dpsens.releases WHERE relation = ''dpsens_digits.digits'' ORDER BY release DESC LIMIT 1',
    $$VALUES (true, 1e-5::float8, 'gaussian')$$, 'one release, at (1, 1e-5)');
SELECT results_eq('SELECT kind, count(*)::int FROM strange GROUP BY kind ORDER BY kind',
    $$VALUES ('digits', 100), ('negative', 100), ('noise', 600), ('on their side', 100), ('scattered', 100)$$, 'strangers of every kind');
SELECT ok((SELECT bool_and(s.pixels[28 * ((k - 1) % 28) + (k - 1) / 28 + 1] = o.pixels[k]) FROM test_digits s JOIN others o USING (id), generate_series(1, 784) k WHERE o.kind = 'on their side'), 'on their side');
SELECT ok((SELECT bool_and(ARRAY(SELECT unnest(s.pixels) ORDER BY 1) = ARRAY(SELECT unnest(o.pixels) ORDER BY 1) AND s.pixels <> o.pixels) FROM test_digits s JOIN others o USING (id) WHERE o.kind = 'scattered'), 'scattered, no pixel lost');
\set figures_made `ls "$DPSENS_MNIST" | grep -c '^digits_.*svg$'`
\set figures_whole `grep -l '</svg>' "$DPSENS_MNIST"/*.svg | wc -l | tr -d ' '`
SELECT is(:'figures_made' || ' ' || :'figures_whole', '6 6', 'six figures');

\o /dev/null
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'dpsens_digits %';
\o
DROP SCHEMA dpsens_digits CASCADE;
RESET search_path;

-- Without digits it says where to get them, and makes nothing.
\! rm -r "$DPSENS_MNIST"
\set said `psql -X -q -f demo/digits.sql 2>&1`
SELECT ok(:'said' LIKE 'There are no digits here.%DPSENS_MNIST.', 'and without digits it says so');
SELECT is(to_regnamespace('dpsens_digits'), NULL, 'and does nothing');
SELECT * FROM finish();
