-- Training on a query: which queries keep a row to one example, and which do not.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(51);

DROP SCHEMA IF EXISTS query_tap CASCADE;
CREATE SCHEMA query_tap;
SET search_path = query_tap, public;
\ir new_model.psql
SELECT new_model(m, '{"input": 2, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 1}') FROM unnest('{query_tap_a,query_tap_b}'::name[]) m \g /dev/null

-- The same rows, made by a query and made before.
CREATE TABLE people AS SELECT i AS id, 20 + i % 50 AS age, 50 + i % 40 AS weight, i % 50 > 25 AS ill FROM generate_series(1, 400) i;
ALTER TABLE people ADD PRIMARY KEY (id);
CREATE TABLE made AS SELECT ARRAY[age / 70.0, weight / 90.0] AS x, ill::int AS y FROM people WHERE age > 30;
CREATE TABLE open_people AS TABLE people;
\set rows 'SELECT ARRAY[age / 70.0, weight / 90.0] AS x, ill::int AS y FROM open_people WHERE age > 30 -- and no more'
CALL dpsens.train('query_tap_a', 'made', '{x}', 'y', 20, 1);
CALL dpsens.train('query_tap_b', 'open_people', '{x}', 'y', 20, 1, query => :'rows');
SELECT is(dpsens.model_parameters('query_tap_a'), dpsens.model_parameters('query_tap_b'), 'a query makes examples');
CALL dpsens.train('query_tap_b', 'open_people', '{x}', 'y', 20, 1, query => 'WITH w AS (TABLE made) SELECT * FROM w ORDER BY random() LIMIT 100');
SELECT pass('any query, where nothing is protected');

SELECT dpsens.protect('people', unit => 'id') \g /dev/null
CREATE FUNCTION try(query text, more text DEFAULT '', features text DEFAULT '{x}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CALL dpsens.train(''query_tap_a'', ''people'', %L, ''y'', 2, 1, clip => 1, expected_rows => 300, epsilon => 1, delta => 1e-6, query => %L%s)', features, query, more);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT is(try('SELECT ARRAY[age / 70.0, weight / 90.0] AS x, ill::int AS y FROM people WHERE age > 30'), 'trained', 'a selection and expressions');
SELECT is(try('SELECT age / 70.0 AS a, p.weight / 90.0 AS b, ill AS y FROM ONLY people AS p ORDER BY age', ', sampling_rate => 0.5', '{a,b}'), 'trained', 'under another name, in columns, on samples');
SELECT is(count(*), 2::bigint, 'both are charged') FROM dpsens.releases WHERE relation = 'query_tap.people';

-- What has no value in SQL is no example, and no error: it would tell of the row, in its message even the cell.
CREATE TABLE odd AS SELECT i AS id, (20 + i % 50)::numeric AS age, ARRAY[i / 400.0, 1] AS x, i % 2 AS y FROM generate_series(1, 400) i;
ALTER TABLE odd ADD PRIMARY KEY (id);
UPDATE odd SET age = 1e400, x = '{1,-1e400}' WHERE id = 7;
SELECT dpsens.protect('odd', unit => 'id') \g /dev/null
CREATE FUNCTION try_odd(features text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CALL dpsens.train(''query_tap_a'', ''odd'', %L, ''y'', 2, 1, clip => 1, expected_rows => 300, epsilon => 1, delta => 1e-6, query => %L)', features, query);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT is(try_odd(features, query), 'trained', coalesce(query, features || ' of the table'))
FROM (VALUES ('{age,id}', NULL), ('{x}', NULL), ('{a,id}', 'SELECT 1 / (id - 7) AS a, id, y FROM odd'), ('{id,a}', 'SELECT id, y, ln(id - 7) AS a FROM odd'), ('{id,a}', 'SELECT id, y, age::int AS a FROM odd'),
    ('{x}', 'SELECT ARRAY[id, sqrt(id - 8)] AS x, y FROM odd'), ('{id,id2}', 'SELECT id, id AS id2, y FROM odd WHERE 1 / (id - 7) >= 0'), ('{id,id2}', 'SELECT id, id AS id2, y / (id - 7) AS y FROM odd'),
    ('{id,a}', 'SELECT id, y, CASE WHEN (''x'' || id::text)::int > 0 THEN 1 ELSE 2 END AS a FROM odd')) v (features, query);
SELECT throws_ok($$SELECT 1 / (id - 7), age::float8 FROM query_tap.odd$$, '22012', NULL, 'plain SQL fails');
CREATE TABLE open_odd AS TABLE odd;
SELECT throws_ok($$CALL dpsens.train('query_tap_a', 'query_tap.open_odd', '{id,a}', 'y', 2, 1, query => 'SELECT id, y, 1 / (id - 7) AS a FROM query_tap.open_odd')$$, '22012', NULL, 'as it does where nothing is protected');

-- What lets a row make several examples, or change those of others.
CREATE TABLE twice AS SELECT 1 AS k UNION ALL SELECT 2;
CREATE VIEW seen AS SELECT * FROM people;
CREATE FUNCTION average() RETURNS float8 LANGUAGE sql STABLE AS 'SELECT avg(age) FROM people';
SELECT is(try('SELECT ARRAY[1, 2] AS x, 1 AS y ' || q), 'models cannot be trained on a query of a protected relation with ' || what, q)
FROM (VALUES
    ('FROM people, twice', 'anything but that relation in FROM'),
    ('FROM people a JOIN people b USING (age)', 'anything but that relation in FROM'),
    ('FROM open_people', 'anything but that relation in FROM'),
    ('FROM seen', 'anything but that relation in FROM'),
    ('', 'anything but that relation in FROM'),
    ('FROM (SELECT * FROM people LIMIT 10) p', 'anything but that relation in FROM'),
    ('FROM people, generate_series(1, 3)', 'anything but that relation in FROM'),
    ('FROM people TABLESAMPLE SYSTEM (50)', 'TABLESAMPLE'),
    ('FROM people WHERE age > (SELECT avg(age) FROM people)', 'WITH or subqueries'),
    ('FROM people UNION ALL SELECT ''{1,2}'', 1 FROM people', 'UNION, INTERSECT or EXCEPT'),
    ('FROM people GROUP BY age', 'aggregates, window functions, GROUP BY or DISTINCT'),
    ('FROM people HAVING count(*) > 1', 'aggregates, window functions, GROUP BY or DISTINCT'),
    (', rank() OVER (ORDER BY age) FROM people', 'aggregates, window functions, GROUP BY or DISTINCT'),
    ('FROM people ORDER BY age LIMIT 10', 'LIMIT, OFFSET or FOR UPDATE'),
    ('FROM people OFFSET 10', 'LIMIT, OFFSET or FOR UPDATE'),
    ('FROM people FOR UPDATE', 'LIMIT, OFFSET or FOR UPDATE'),
    (', generate_series(1, 3) FROM people', 'functions that return sets'),
    ('FROM people WHERE age > query_tap.average()', 'functions that are not immutable'),
    ('FROM people WHERE random() < 0.5', 'functions that are not immutable')) v (q, what);
SELECT is(try('WITH w AS (SELECT 1) SELECT ARRAY[1, 2] AS x, 1 AS y FROM people'), 'models cannot be trained on a query of a protected relation with WITH or subqueries', 'WITH');
SELECT is(try('SELECT DISTINCT ARRAY[1, 2] AS x, 1 AS y FROM people'), 'models cannot be trained on a query of a protected relation with aggregates, window functions, GROUP BY or DISTINCT', 'DISTINCT');
SELECT is(try(q), 'the query of a training must be one SELECT', q)
FROM unnest('{"DELETE FROM people RETURNING 1","SELECT 1; SELECT 2","",VACUUM}'::text[]) q;
SELECT ok(try('SELECT 1) q; DROP TABLE query_tap.twice; --') ~ 'syntax error', 'half a query');
SELECT is(try('SELECT 1 AS x, 1 AS x, 1 AS y FROM people'), 'the query has no column "x", or several', 'two columns of a name');
SELECT is(try('SELECT 1 AS x FROM people'), 'the query has no column "y", or several', 'no target');
SELECT is(count(*), 2::bigint, 'nothing of that is charged') FROM dpsens.releases WHERE relation = 'query_tap.people';
CREATE TABLE children () INHERITS (people);
SELECT is(try('SELECT ARRAY[1, 2] AS x, 1 AS y FROM people'), 'models cannot be trained on a query of a protected relation with children of the relation', 'children have rows of their own');
DROP TABLE children;
SELECT throws_ok($$CALL dpsens.train('query_tap_a', 'query_tap.open_people', '{x}', 'y', 2, 1, query => 'SELECT ARRAY[age, 1] AS x, 1 AS y FROM query_tap.people')$$, '0A000',
    'relation "open_people" shows rows of protected relation "people"', 'a protected relation under the name of another');
SELECT throws_ok($$CALL dpsens.train('query_tap_a', 'query_tap.people', '{x}', 'y', 2, 1, expected_rows => 300, epsilon => 1, bound => 'iteration', query => 'SELECT ARRAY[age, 1] AS x, 1 AS y FROM query_tap.people')$$, '22023',
    'a bound on gradients of a query''s rows needs feature_range', 'what is computed has no declared range');

-- Policies may look at other rows.
DROP ROLE IF EXISTS query_tap_ana;
CREATE ROLE query_tap_ana;
GRANT USAGE ON SCHEMA query_tap TO query_tap_ana;
GRANT SELECT ON people TO query_tap_ana;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO query_tap_ana', current_database()); END $$;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY older ON people USING (age > 30);
SET ROLE query_tap_ana;
SELECT new_model('query_tap_hers', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}') \g /dev/null
SELECT throws_ok($$CALL dpsens.train('query_tap_hers', 'query_tap.people', '{age}', 'weight', 2, 1, clip => 1, expected_rows => 300, epsilon => 1)$$, '0A000',
    'models cannot be trained on relation "people", of which policies show the role some rows', 'row-level security');
SELECT dpsens.drop_model('query_tap_hers') \g /dev/null
RESET ROLE;
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM query_tap_ana', current_database()); END $$;

-- A run is cancelled when it has come to a step, not after a time: the checkpoint that
-- says so is the one that is lost.
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped' USING ERRCODE = 'query_canceled'; END $$;
CREATE TRIGGER stop BEFORE UPDATE ON dpsens.training_run FOR EACH ROW WHEN (NEW.model LIKE 'query_tap%' AND NEW.step::text = current_setting('tap.stop', true)) EXECUTE FUNCTION stop();

-- A stored run keeps its query.
CALL dpsens.train('query_tap_b', 'people', '{a,b}', 'y', 4, 1, clip => 1, expected_rows => 300, noise_multiplier => 50, delta => 1e-6, checkpoint => 2, query => 'SELECT age / 70.0 AS a, weight / 90.0 AS b, ill AS y FROM people');
SELECT is(count(*), 3::bigint, 'with checkpoints') FROM dpsens.releases WHERE relation = 'query_tap.people';
\set ON_ERROR_STOP 0
SET tap.stop = 500;
CALL dpsens.train('query_tap_b', 'people', '{a,b}', 'y', 2000, 1, clip => 1, expected_rows => 300, noise_multiplier => 5000, delta => 1e-6, checkpoint => 100, query => 'SELECT age / 70.0 AS a, weight / 90.0 AS b, ill AS y FROM people');
RESET tap.stop;
\set ON_ERROR_STOP 1
CREATE TABLE stopped AS SELECT step FROM dpsens.training_runs;
CALL dpsens.resume_training('query_tap_b');
SELECT ok(step = 400, 'and after a pause at step ' || step) FROM stopped;

DROP TRIGGER stop ON dpsens.training_run;
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'query_tap%' \g /dev/null
SELECT * FROM finish();
DROP SCHEMA query_tap CASCADE;
DROP ROLE query_tap_ana;
