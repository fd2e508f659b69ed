-- k_norm.sql
--	K-norm noise of vectors: which sums get it, what it costs, and who says so.
-- Files: noise/k_norm.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA k_norm;
SET search_path = k_norm, public;
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;
SELECT plan(39);

CREATE TABLE t (id int PRIMARY KEY, g text NOT NULL, a float8 NOT NULL, b float8 NOT NULL, c float8 NOT NULL, d float8 NOT NULL);
INSERT INTO t SELECT i, CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END, 1, 2, -3, 4 FROM generate_series(1, 100) i;
CREATE FUNCTION declare_all(t regclass) RETURNS void LANGUAGE sql AS $$
    SELECT dpsens.set_range(t, 'a', 0, 1), dpsens.set_range(t, 'b', 0, 2), dpsens.set_range(t, 'c', -3, 3), dpsens.set_range(t, 'd', 0, 4), dpsens.set_values(t, 'g', 'x', 'y')
$$;
SELECT dpsens.protect('t'), declare_all('t') \g /dev/null
CREATE FUNCTION noise_of(query text) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(format('%s %s', mechanism, noise_scale), ' ') FROM dpsens.explain(query) $$;

-- which
SELECT is(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM t'), 'k_norm 4', 'a sum of a vector, by the scale of its largest entry');
SELECT is(noise_of('SELECT dp_sum(ARRAY[a, b, c, d], 0.5) FROM t'), 'k_norm 8', 'at half of epsilon twice as much');
SELECT is(noise_of('SELECT g, dp_sum(ARRAY[a, b]) FROM t GROUP BY g'), 'k_norm 2', 'by groups');
SELECT is(noise_of('SELECT dp_sum(ARRAY[a * 1.0, b]), dp_sum(ARRAY[d, d]) FROM t'), 'k_norm 2 k_norm 4', 'each by itself');
SELECT alike(noise_of('SELECT dp_sum(ARRAY[a, a, a, 100 * d]) FROM t'), 'laplace %', 'one entry that is nearly all of it: less in the 1-norm');
SELECT alike(noise_of('SELECT dp_sum(ARRAY[CASE WHEN a <= 0.5 THEN 1 ELSE 0 END, CASE WHEN a > 0.5 THEN 1 ELSE 0 END]) FROM t'), 'laplace %', 'one entry of each row: less in the 1-norm');
SELECT alike(noise_of('SELECT dp_sum(a) FROM t'), 'laplace %', 'a single number has Laplace noise');
SELECT is(noise_of('SELECT dp_avg(ARRAY[a, b, c, d]) FROM t'), 'k_norm 3', 'a mean of a vector, each entry about the middle of its range');
SELECT alike(noise_of('SELECT dp_avg(ARRAY[a, a, a, a, a, a, a, a, a, a, a, a, a, a, 100 * d]) FROM t'), 'laplace %', 'but not where one entry is nearly all of it');
SELECT alike(noise_of('SELECT dp_avg(a) FROM t'), 'laplace %', 'nor a single number');
SET dpsens.mechanism = gaussian;
SELECT alike(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM t'), 'gaussian %', 'who asks for Gaussian noise gets it');
RESET dpsens.mechanism;
CREATE TABLE other (LIKE t INCLUDING ALL);
SELECT dpsens.protect('other', adjacency => 'replace'), declare_all('other') \g /dev/null
SELECT is(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM other'), 'k_norm 6', 'under replace by the lengths of ranges');
SELECT is(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM other WHERE a > 0.5'), 'k_norm 6', 'also where a row can cease to count');
SELECT alike(noise_of('SELECT g, dp_sum(ARRAY[a, b, c, d]) FROM other GROUP BY g'), 'laplace %', 'a row that can move to another group moves both');
SELECT dpsens.protect('other', adjacency => 'attribute') \g /dev/null
SELECT alike(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM other'), 'laplace %', 'not under attribute');
SELECT dpsens.protect('other', adjacency => 'metric') \g /dev/null
SELECT alike(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM other'), 'laplace %', 'nor under metric');

SELECT dpsens.protect('other', adjacency => 'replace') \g /dev/null
SELECT is(noise_of('SELECT dp_avg(ARRAY[a, b, c, d]) FROM other'), 'k_norm 6', 'a mean under replace by the lengths of ranges');
SELECT is(noise_of('SELECT dp_avg(ARRAY[a, b, c, d]) FROM other WHERE a > 0.5'), 'k_norm 6', 'also where a row can cease to count');
SELECT alike(noise_of('SELECT g, dp_avg(ARRAY[a, b, c, d]) FROM other GROUP BY g'), 'laplace %', 'not where it can move to another group');

-- units of several rows
CREATE TABLE several (LIKE t, person int);
SELECT dpsens.protect('several', unit => 'person', max_rows => 3), declare_all('several') \g /dev/null
SELECT is(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM several'), 'k_norm 12', 'of three rows three times as much');

-- answers
CREATE TABLE exact (LIKE t INCLUDING ALL);
INSERT INTO exact TABLE t;
SELECT dpsens.protect('exact'), declare_all('exact') \g /dev/null
SELECT dpsens.set_budget('t', epsilon => 1000, delta => 1e-3) \g /dev/null
SELECT is(pg_typeof(dp_sum(ARRAY[a, b, c, d]))::text, 'double precision[]', 'an answer') FROM t;
SELECT is((SELECT format('%s %s %s %s %s', mechanism, scale, charge_epsilon, charge_rho, joined) FROM dpsens.releases WHERE relation = 'k_norm.t'), 'k_norm 4 1 0.462117158 {1}',
    'the ledger has the scale in the unit of the values, and the rho of pure epsilon');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'k_norm.t'), true, 'and can be verified');
SELECT cmp_ok((SELECT epsilon FROM dpsens.privacy_spent('t') WHERE accountant = 'pld'), '<=', 1::float8, 'what was spent is known by the distribution of losses');
SELECT cmp_ok((SELECT epsilon FROM dpsens.privacy_spent('t') WHERE accountant = 'rdp'), '<=', 1::float8, 'and by Renyi losses');
SELECT ok((v).lower[4] < (v).estimate[4] AND (v).estimate[4] < (v).upper[4] AND (v).upper[1] - (v).lower[1] < (v).upper[4] - (v).lower[4], 'an interval, the wider the more an entry has')
FROM (SELECT dp_sum_ci(ARRAY[a, b, c, d]) AS v FROM t) q;
SET dpsens.noise = off;
SELECT is(dp_sum(ARRAY[a, b, c, d])::text, '{100,200,-300,400}', 'without noise it is exact') FROM exact;
SELECT is(dp_avg(ARRAY[a, b, c, d])::text, '{1,2,-3,4}', 'so is a mean') FROM exact;
SET dpsens.noise = on;

-- means: by how much they err, of draws at many groups.  Of n = 5 integers the squares of an entry's noise are 14 w^2 on average, and for a mean at m radii
-- from the middle (1 + m^2) times that, over 1,000 rows; the mean of 2,400 such squares deviates by less than 3.5 % (their fourth moment is less than 4 squares), so
-- 25 % are seven deviations and more.
CREATE TABLE many (id int PRIMARY KEY, k int NOT NULL, p float8 NOT NULL, q float8 NOT NULL, r float8 NOT NULL, s float8 NOT NULL);
INSERT INTO many SELECT i, i % 12, 0, 1, -1, 0.9 FROM generate_series(0, 11999) i;
SELECT dpsens.protect('many'), dpsens.set_range('many', c, -1, 1) FROM unnest('{p,q,r,s}'::text[]) c \g /dev/null
SELECT dpsens.set_values('many', 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(0, 11) i)) \g /dev/null
CREATE TABLE means (v float8[], l float8[], u float8[]);
DO $$ BEGIN FOR i IN 1 .. 200 LOOP
    INSERT INTO means SELECT (c).estimate, (c).lower, (c).upper FROM (SELECT k, dp_avg_ci(ARRAY[p, q, r, s], 1, 0.8) AS c FROM many GROUP BY k) x;
END LOOP; END $$;
SELECT ok(avg(v[1] ^ 2) / (14 / 1e6) BETWEEN 0.75 AND 1.25, format('a mean in the middle of its range errs by 14 widths squared: %s', round((avg(v[1] ^ 2) * 1e6)::numeric, 2))) FROM means;
SELECT ok(avg((v[4] - 0.9) ^ 2) / (14 * 1.81 / 1e6) BETWEEN 0.75 AND 1.25, format('one at 0.9 radii by 1.81 times that: %s', round((avg((v[4] - 0.9) ^ 2) * 1e6)::numeric, 2))) FROM means;
-- the interval of all four holds with 0.8 at least: of 2,400 fewer than 0.75 with a probability below exp(-2 * 2400 * 0.05^2) = 6e-6
SELECT ok(avg((l[1] <= 0 AND 0 <= u[1] AND l[2] <= 1 AND 1 <= u[2] AND l[3] <= -1 AND -1 <= u[3] AND l[4] <= 0.9 AND 0.9 <= u[4])::int) > 0.75, format('intervals hold together: %s', round(avg((l[1] <= 0 AND 0 <= u[1] AND l[2] <= 1 AND 1 <= u[2] AND l[3] <= -1 AND -1 <= u[3] AND l[4] <= 0.9 AND 0.9 <= u[4])::int), 3))) FROM means;
-- Each by itself holds with 0.8 ^ (1 / 4) = 0.946
SELECT ok(abs(avg((l[1] <= 0 AND 0 <= u[1])::int) - 0.946) < 0.04 AND abs(avg((l[4] <= 0.9 AND 0.9 <= u[4])::int) - 0.946) < 0.04, 'each as often as it is to, and not more often') FROM means;
SELECT ok(error_95 BETWEEN 1.9 * 3.74 / 12000 AND 2.2 * 3.74 * sqrt(2) / 12000, format('explain tells the error at an end of the range: %s', error_95)) FROM dpsens.explain('SELECT dp_avg(ARRAY[p, q, r, s]) FROM many', 12000);

-- policies: it is what laplace is for vectors
CREATE ROLE k_norm_analyst;
GRANT USAGE ON SCHEMA k_norm TO k_norm_analyst;
SELECT dpsens.grant_budget('t', 'k_norm_analyst', epsilon => 100), dpsens.set_policy('t', 'k_norm_analyst', mechanisms => '{laplace}') \g /dev/null
SET ROLE k_norm_analyst;
SELECT lives_ok('SELECT dp_sum(ARRAY[a, b, c, d]) FROM t', 'a policy of laplace admits it');
RESET ROLE;
SELECT dpsens.set_policy('t', 'k_norm_analyst', mechanisms => '{gaussian}') \g /dev/null
SET ROLE k_norm_analyst;
SELECT throws_ok('SELECT dp_sum(ARRAY[a, b, c, d]) FROM t', '53400', NULL, 'one of gaussian does not');
RESET ROLE;

-- row accounts
CREATE TABLE accounted (LIKE t INCLUDING ALL);
INSERT INTO accounted TABLE t;
SELECT dpsens.protect('accounted'), declare_all('accounted') \g /dev/null
SELECT dp_sum(ARRAY[a, b, c, d]) FROM accounted WHERE id < 50 \g /dev/null
SELECT is((SELECT array_agg(DISTINCT round(epsilon::numeric, 6)) FROM dpsens.row_loss('accounted')), '{1.000000}'::numeric[], 'losses of rows are all of it, whatever they had a part in');
SELECT dpsens.set_budget('accounted', row_epsilon => 5) \g /dev/null
SELECT alike(noise_of('SELECT dp_sum(ARRAY[a, b, c, d]) FROM accounted'), 'laplace %', 'rows with accounts are charged by their norm');
SELECT dp_sum(ARRAY[a, b, c, d]) FROM accounted \g /dev/null
SELECT is((SELECT array_agg(DISTINCT round(epsilon::numeric, 6)) FROM dpsens.row_loss('accounted')), '{2.000000}'::numeric[], 'and both add up');

-- columns with budgets pay as for a replaced row
SELECT dpsens.set_column_budget('t', 'a', epsilon => 100) \g /dev/null
SELECT spent_epsilon AS before FROM dpsens.budgets WHERE relation = 't'::regclass AND column_name = 'a' \gset
SELECT dp_sum(ARRAY[a, b, c, d]) FROM t \g /dev/null
SELECT is(round((spent_epsilon - :before)::numeric, 6), 2.000000, 'a change of a column costs what a replaced row does') FROM dpsens.budgets WHERE relation = 't'::regclass AND column_name = 'a';

SELECT * FROM finish();
DROP SCHEMA k_norm CASCADE;
DROP OWNED BY k_norm_analyst;
DROP ROLE k_norm_analyst;
