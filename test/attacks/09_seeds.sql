-- Row 9: noise that can be foretold.
\ir start.sql
SELECT attempt('setseed', ARRAY['SELECT setseed(0.5)', 'CREATE TEMP TABLE draws AS SELECT dp_sum(age * 0.5) AS a FROM people', 'SELECT setseed(0.5)', 'INSERT INTO draws SELECT dp_sum(age * 0.5) FROM people',
    'SELECT count(DISTINCT a) FROM draws', 'DROP TABLE draws'], '00000.\(2\)',
    ARRAY['SELECT setseed(0.5)', 'CREATE TEMP TABLE draws AS SELECT random() AS a', 'SELECT setseed(0.5)', 'INSERT INTO draws SELECT random()', 'SELECT count(DISTINCT a) FROM draws', 'DROP TABLE draws'], '00000.\(1\)');
-- the first draws of sessions that are forked from one process
\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_ana; SELECT dp_sum(age * 0.5) FROM people'
\set one `psql -XAtq -c "$ASK"`
\set two `psql -XAtq -c "$ASK"`
\set three `psql -XAtq -c "$ASK"`
SELECT is(count(DISTINCT v), 3::bigint, 'sessions'' first draws differ') FROM unnest(ARRAY[:'one', :'two', :'three']) v WHERE v ~ '^[0-9.]+$';
SELECT is((SELECT count(*) FROM pg_settings WHERE name LIKE 'dpsens.%seed%'), 0::bigint, 'no setting has a seed');
-- nor does the count of earlier statements decide
SELECT attempt('the same question', ARRAY['CREATE TEMP TABLE draws AS SELECT dp_sum(age * 0.5) AS b FROM people', 'INSERT INTO draws SELECT dp_sum(age * 0.5) FROM people',
    'INSERT INTO draws SELECT dp_sum(age * 0.5) FROM people', 'SELECT count(DISTINCT b) FROM draws', 'DROP TABLE draws'], '00000.\(3\)', ARRAY['SELECT count(DISTINCT b) FROM (SELECT sum(age) AS b FROM people, generate_series(1, 3) g GROUP BY g) s'], '00000.\(1\)');
SELECT * FROM finish();
