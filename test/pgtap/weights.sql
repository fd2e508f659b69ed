-- Weights of columns under adjacency attribute: an answer at epsilon tells at most weight times epsilon of a change of
-- one column, and budgets are charged what the noise costs any column.
--
-- Figures are computed by hand: a sum of a column of range D and weight w has Laplace noise of scale D / (w epsilon);
-- it costs epsilon D' / scale for the furthest D' that any column moves it.
-- Files: agg/weights.c guard/rewrite/column_weights.c
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

DROP SCHEMA IF EXISTS weight_tap CASCADE;
CREATE SCHEMA weight_tap;
SET search_path = weight_tap, public;
\ir new_model.psql
CREATE TABLE people (id int PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL, z float8, q float8, s text NOT NULL, c text, open int NOT NULL, more int NOT NULL, gone int,
	twice float8 GENERATED ALWAYS AS (y * 2) STORED);
-- labels of all columns are read, and one that was dropped has neither a label nor a type
ALTER TABLE people DROP COLUMN gone;
INSERT INTO people SELECT i, i % 10, i % 7, i % 3, i % 3, 'u', 'c', i % 2, i % 2 FROM generate_series(1, 100) i;
SELECT dpsens.protect('people', unit => 'id', adjacency => 'attribute'), dpsens.set_range('people', 'x', 0, 16), dpsens.set_range('people', 'y', 0, 16, 0.25),
	dpsens.set_range('people', 'z', 0, 1, 0.5), dpsens.set_range('people', 'q', 0, 1), dpsens.set_values('people', 's', 'u', 'v'), dpsens.set_range('people', 'open', 0, 1, 0.001),
	dpsens.set_public('people', 'open'), dpsens.set_range('people', 'more', 0, 1, 4) \g /dev/null
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;
SET dpsens.mechanism = laplace;

-- Scale and cost of the first aggregate.
CREATE FUNCTION noise_of(query text) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s %s', round(noise_scale::numeric, 3)::float8, round(cost_epsilon::numeric, 6)::float8) FROM dpsens.explain(query) LIMIT 1
$$;
CREATE FUNCTION rho_of(query text) RETURNS float8 LANGUAGE sql AS $$ SELECT cost_rho FROM dpsens.explain(query) LIMIT 1 $$;
CREATE FUNCTION scale_of(query text) RETURNS float8 LANGUAGE sql AS $$ SELECT noise_scale FROM dpsens.explain(query) LIMIT 1 $$;

-- ---- values ----

SELECT is(noise_of('SELECT dp_sum(x) FROM people'), '16 1', 'weight 1');
SELECT is(noise_of('SELECT dp_sum(y) FROM people'), '64 0.25', 'weight 1/4');
SELECT is(noise_of('SELECT dp_sum(x + y / 4) FROM people'), '16 1', 'a column of weight 1/4 that moves a quarter');
SELECT is(noise_of('SELECT dp_sum(x + y / 8) FROM people'), '16 1', 'one that moves less');
SELECT is(noise_of('SELECT dp_sum(x + y / 2) FROM people'), '32 0.5', 'one that moves half: both are told half');
SELECT is(noise_of('SELECT dp_sum(x + 0 * open) FROM people'), '16 1', 'weights of public columns do not count');
SELECT is(noise_of('SELECT dp_sum(more) FROM people'), '1 1', 'a weight above 1 counts as 1');
SELECT is(noise_of('SELECT dp_avg(y) FROM people'), '64 0.25', 'a mean over a public number of rows');
SELECT is(noise_of('SELECT dp_avg(z) FROM people'), '4 0.5', 'a mean whose column can be null');
SELECT is(noise_of('SELECT dp_count(z) FROM people'), '2 0.5', 'a count of it');
SELECT is(noise_of('SELECT dp_count(*) FROM people'), '0 0', 'a count of all');
SELECT is(noise_of('SELECT dp_sum(x) FROM people WHERE open = 1'), '16 1', 'a public condition');
SELECT is(noise_of('SELECT dp_sum(ARRAY[x, y]) FROM people'), '64 0.25', 'a vector');
SELECT is(noise_of('SELECT dp_sum(ARRAY[x, y / 4]) FROM people'), '16 1', 'a vector by columns');
SELECT is(noise_of('SELECT dp_sum(ARRAY[x + y / 4, x - y / 4]) FROM people'), '32 1', 'a column of several entries');
SELECT is(scale_of('SELECT dp_variance(y) FROM people') / scale_of('SELECT dp_variance(x) FROM people'), 4::float8, 'moments');
SELECT is(noise_of('SELECT dp_median(y) FROM people'), '8 0.25', 'a draw is at a quarter of epsilon');
SELECT is(noise_of('SELECT dp_bool_or(y > 3) FROM people'), '4 0.25', 'a truth');
SELECT is(noise_of('SELECT dp_histogram(y, 2) FROM people'), '8 0.25', 'a histogram');
SELECT is(noise_of('SELECT dp_histogram(x, 2) FROM people'), '2 1', 'that of another column');

-- ---- rows that begin or cease to count, and groups ----

SELECT is(noise_of('SELECT dp_count(*) FROM people WHERE y > 3'), '4 0.25', 'a condition');
SELECT is(noise_of('SELECT dp_count(*) FILTER (WHERE y > 3) FROM people'), '4 0.25', 'a filter');
SELECT is(noise_of('SELECT dp_count(*) FILTER (WHERE x > 3), dp_sum(y) FROM people'), '1 1', 'that of another column');
SELECT is(noise_of('SELECT dp_sum(x) FROM people WHERE y > 3'), '64 0.25', 'the condition takes the whole value away');
SELECT is(noise_of('SELECT dp_sum(y) FROM people WHERE x > 3'), '64 0.25', 'a condition of weight 1');
SELECT is(noise_of('SELECT dp_avg(x) FROM people WHERE y > 3'), '64 0.5', 'the pair of a mean: the row moves it by the range, the value by twice that');
SELECT is(noise_of('SELECT s, dp_sum(x) FROM people GROUP BY s'), '32 1', 'a key of weight 1');
SELECT is(noise_of('SELECT s, dp_sum(y) FROM people GROUP BY s'), '64 0.5', 'and a value of 1/4');
SECURITY LABEL FOR dpsens ON COLUMN people.s IS 'VALUES (''u'', ''v'') WEIGHT 0.5';
SELECT is(noise_of('SELECT s, dp_count(*) FROM people GROUP BY s'), '4 0.5', 'a key of weight 1/2');
SELECT is(noise_of('SELECT s, dp_sum(x) FROM people GROUP BY s'), '64 0.5', 'and a value of weight 1');
SELECT is(noise_of('SELECT dp_mode(s) FROM people'), '4 0.5', 'a mode of it');
SELECT is(noise_of('SELECT dp_count(*) FROM people WHERE s = ''u'''), '2 0.5', 'a condition on it');
SELECT is((SELECT cost_epsilon FROM dpsens.explain('SELECT c, dp_count(*) FROM people GROUP BY c') WHERE aggregate = 'GROUP BY c'), 1::float8, 'groups of a key of weight 1');
SELECT is((SELECT cost_epsilon FROM dpsens.explain('SELECT c, s, dp_count(*) FROM people GROUP BY c, s') WHERE aggregate LIKE 'GROUP BY c%'), 0.5::float8, 'of two keys');
SELECT is((SELECT cost_epsilon FROM dpsens.explain('SELECT c, dp_count(*) FROM people WHERE y > 3 GROUP BY c') WHERE aggregate LIKE 'GROUP BY c%'), 0.25::float8, 'with a condition');

-- ---- where columns are not followed: the least weight of all ----

CREATE VIEW selected AS SELECT x, z FROM people WHERE x > 3;
CREATE VIEW everything AS SELECT * FROM people WHERE x > 3;
SELECT is(noise_of('SELECT dp_count(*) FROM selected'), '1 1', 'a view is followed');
SELECT is(noise_of('SELECT dp_count(*) FROM people WHERE twice > 3'), '4 0.25', 'a generated column');
SELECT is(noise_of('SELECT dp_count(*) FROM everything'), '4 0.25', 'a view that reads it');
CREATE TABLE places (open int PRIMARY KEY, n float8 NOT NULL);
INSERT INTO places VALUES (1, 1);
SELECT dpsens.set_public('places') \g /dev/null
SELECT is(noise_of('SELECT dp_count(*) FROM people JOIN places USING (open) WHERE x > 3'), '4 0.25', 'a join');
SELECT is(noise_of('SELECT dp_count(*) FROM people WHERE x > 3 AND open IN (SELECT open FROM places)'), '4 0.25', 'a subquery in a condition');
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_some ON people USING (x > 3);
ALTER TABLE people FORCE ROW LEVEL SECURITY;
DROP ROLE IF EXISTS weight_owner;
CREATE ROLE weight_owner;
GRANT USAGE ON SCHEMA weight_tap TO weight_owner;
ALTER TABLE people OWNER TO weight_owner;
SET ROLE weight_owner;
SELECT is(noise_of('SELECT dp_count(*) FROM people'), '4 0.25', 'a policy of row-level security');
RESET ROLE;
ALTER TABLE people OWNER TO CURRENT_USER;
ALTER TABLE people NO FORCE ROW LEVEL SECURITY;
ALTER TABLE people DISABLE ROW LEVEL SECURITY;
DROP POLICY of_some ON people;

-- ---- Gaussian noise ----

SET dpsens.mechanism = gaussian;
SELECT is(scale_of('SELECT dp_sum(y) FROM people'), scale_of('SELECT dp_sum(x, 0.25) FROM people'), 'the scale of a quarter of epsilon');
SELECT is(rho_of('SELECT dp_sum(y) FROM people'), rho_of('SELECT dp_sum(x, 0.25) FROM people'), 'and its cost');
SELECT is(scale_of('SELECT dp_avg(z) FROM people'), scale_of('SELECT dp_avg(q, 0.5) FROM people'), 'both parts of a mean');
SELECT is(rho_of('SELECT dp_avg(z) FROM people'), rho_of('SELECT dp_avg(q, 0.5) FROM people'), 'and their cost');
SELECT ok(scale_of('SELECT dp_sum(ARRAY[x, y / 16]) FROM people') / scale_of('SELECT dp_sum(ARRAY[x, 0]) FROM people') BETWEEN 1 AND 1 + 1e-9, 'a vector by columns');
SET dpsens.mechanism = laplace;

-- ---- what is charged ----

SELECT dpsens.set_column_budget('people', 'x', 100), dpsens.set_column_budget('people', 'y', 100) \g /dev/null
CREATE FUNCTION spent(col name) RETURNS float8 LANGUAGE sql AS $$ SELECT spent_epsilon / 2.0 ^ 40 FROM dpsens.purse WHERE relation = 'people'::regclass AND column_name = col $$;
SELECT dp_sum(x + y / 4) FROM people \g /dev/null
SELECT is(ARRAY[round(spent('')::numeric, 6), round(spent('x')::numeric, 6), round(spent('y')::numeric, 6)], '{1,1,0.25}'::numeric[], 'the relation pays what any column loses, each column what it loses');
SELECT dp_count(*) FROM people WHERE y > 3 \g /dev/null
SELECT is(ARRAY[round(spent('')::numeric, 6), round(spent('x')::numeric, 6), round(spent('y')::numeric, 6)], '{1.25,1,0.5}'::numeric[], 'a count pays its quarter');
SELECT dp_median(y) FROM people \g /dev/null
SELECT is(ARRAY[round(spent('')::numeric, 6), round(spent('x')::numeric, 6), round(spent('y')::numeric, 6)], '{1.5,1,0.75}'::numeric[], 'so does a draw');
SELECT s, dp_count(*) FROM people WHERE x > 3 GROUP BY s \g /dev/null
SELECT is(ARRAY[round(spent('')::numeric, 6), round(spent('x')::numeric, 6), round(spent('y')::numeric, 6)], '{2,1.25,0.75}'::numeric[], 'a key of weight 1/2 has the noise, and the condition pays half of that');
SELECT is(epsilon, 1::float8, 'the history has epsilon as it was asked') FROM dpsens.releases WHERE expression = 'dp_median(y)' AND relation = 'weight_tap.people';
SELECT ok(bool_and(valid), 'the ledger agrees') FROM dpsens.verify_ledger();

-- ---- the audit, and training ----

SELECT dpsens.register('y_of_it', 'people', 'y') \g /dev/null
SELECT dpsens.create_audit_view('y_of_it(people)', 'y_audit') \g /dev/null
SELECT ok(bool_and(abs(a.individual_epsilon - greatest(p.y, 16 - p.y) / 64) < 1e-9), 'a row loses what the noise for the weight costs it') FROM y_audit a JOIN people p USING (id);
SELECT new_model('weight_tap_line', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared", "seed": 1}') \g /dev/null
SELECT throws_like($$CALL dpsens.train('weight_tap_line', 'people', '{x}', 'z', 1, 0.1, clip => 1, expected_rows => 100)$$, 'models cannot be trained on relation "people", a column of which has a weight below 1');

-- ---- changes, and what is refused ----

PREPARE again AS SELECT dp_sum(y) FROM people;
EXECUTE again \g /dev/null
SELECT dpsens.set_range('people', 'y', 0, 16, 0.5) \g /dev/null
EXECUTE again \g /dev/null
SELECT is(array_agg(scale ORDER BY release), '{64,32}', 'a prepared statement is planned anew') FROM dpsens.releases WHERE expression = 'dp_sum(y)' AND relation = 'weight_tap.people';
SELECT dpsens.set_range('people', 'y', 0, 16, 1e-9) \g /dev/null
SELECT throws_like('SELECT dp_sum(y) FROM people', 'epsilon 1 is outside the range of mechanism laplace for this aggregate', 'a weight that leaves less than the least epsilon');
SELECT throws_like('SELECT dp_median(y) FROM people', 'epsilon 1 is outside the range of mechanism%', 'and a draw');
SELECT is(noise_of('SELECT dp_sum(x) FROM people'), '16 1', 'other columns are answered');
SELECT throws_like($$SECURITY LABEL FOR dpsens ON COLUMN people.c IS 'WEIGHT 0.5'$$, 'column "c" has a weight but neither range nor values');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'y', 0, 16, 0)$$, '22023');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'y', 0, 16, 'NaN')$$, '22023');
SELECT dpsens.protect('people', adjacency => 'add_remove') \g /dev/null
SELECT is(noise_of('SELECT dp_sum(y) FROM people'), '16 1', 'weights are nothing to other adjacencies');
SELECT * FROM finish();
DROP SCHEMA weight_tap CASCADE;
DROP ROLE weight_owner;
