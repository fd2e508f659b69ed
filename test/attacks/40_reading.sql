-- Plain ways to the rows, and some that are less plain.
\ir start.sql
SELECT attempt(statement, statement, '(42501|0A000|55000)', replace(statement, 'dp_', ''), 'Zebedee|00000')
FROM unnest(ARRAY['SELECT * FROM people', 'TABLE people', 'SELECT name FROM people WHERE secret', 'SELECT people FROM people', 'SELECT people.*::text FROM people',
    'SELECT row_to_json(p) FROM people p', 'SELECT to_jsonb(p) FROM people p', 'SELECT json_agg(p) FROM people p', 'SELECT (p).name FROM people p',
    'SELECT p::text FROM people p',
    'SELECT (json_populate_record(p, ''{}'')).name FROM people p', 'SELECT ctid FROM people', 'SELECT xmin, cmin FROM people', 'SELECT tableoid FROM people', 'SELECT count(*) FROM people', 'SELECT 1 FROM people', 'SELECT FROM people', 'SELECT EXISTS (SELECT FROM people WHERE secret)',
    'SELECT max(name) FROM people', 'SELECT array_agg(name) FROM people', 'SELECT string_agg(name, '''') FROM people', 'SELECT count(DISTINCT name) FROM people',
    'SELECT mode() WITHIN GROUP (ORDER BY name) FROM people', 'SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY name) FROM people',
    'SELECT first_value(name) OVER (ORDER BY secret DESC) FROM people',
    'SELECT lag(name) OVER (ORDER BY id) FROM people', 'SELECT DISTINCT ON (feels) name FROM people', 'SELECT name FROM people ORDER BY random()',
    'SELECT name FROM people TABLESAMPLE SYSTEM (100)', 'SELECT name FROM people FOR UPDATE', 'SELECT name FROM people FOR SHARE SKIP LOCKED',
    'SELECT s.city, p.name FROM shops s LEFT JOIN people p ON p.id = s.id',
    'SELECT s.city FROM shops s WHERE s.id IN (SELECT id FROM people)', 'SELECT (SELECT name FROM people p WHERE p.id = s.id + 41 LIMIT 1) FROM shops s',
    'SELECT l.name FROM shops s, LATERAL (SELECT name FROM people p WHERE p.id = s.id + 41) l', 'WITH p AS MATERIALIZED (SELECT * FROM people) SELECT name FROM p',
    'WITH RECURSIVE p AS (SELECT id, name FROM people WHERE secret UNION ALL SELECT id, name FROM p WHERE id < 0) SELECT * FROM p',
    'SELECT name FROM people UNION SELECT city FROM shops', 'SELECT city FROM shops EXCEPT SELECT name FROM people',
    'SELECT name FROM people GROUP BY GROUPING SETS ((name), ())', 'VALUES ((SELECT name FROM people WHERE secret))', 'SELECT * FROM wards_old',
    'SELECT head FROM wards', 'SELECT head FROM ONLY wards', 'SELECT name FROM nurses', 'SELECT name FROM ONLY staff',
    'SELECT name FROM walled', 'SELECT count(*) FROM walled', 'SELECT query_to_xml(''SELECT name FROM people'', true, true, '''')', 'SELECT table_to_xml(''people'', true, true, '''')', 'SELECT * FROM ts_stat(''SELECT to_tsvector(name) FROM people'')',
    'SELECT currtid2(''people'', ''(0,1)'')', 'SELECT dp_count(*), (SELECT name FROM people WHERE secret) FROM people', 'SELECT name FROM people WHERE (SELECT dp_count(*) FROM people) > -1e6', 'SELECT dp_count(*) FROM people WHERE id = (SELECT id FROM people WHERE secret)',
    'SELECT n, (SELECT max(name) FROM people) FROM (SELECT dp_count(*) AS n FROM people) s', 'SELECT a.n, p.name FROM (SELECT dp_count(*) AS n FROM people) a, people p',
    'SELECT dp_count(*)::text FROM people UNION ALL SELECT name FROM people', 'SELECT dp_count(*) FROM people HAVING (SELECT count(*) FROM people WHERE secret) > 0',
    'SELECT dp_count(*) FROM people ORDER BY (SELECT max(name) FROM people)',
    'SELECT dp_count(*) FROM people LIMIT (SELECT count(*) FROM people)', 'SELECT dp_count(*) FROM people OFFSET (SELECT id - 42 FROM people WHERE secret)',
    'WITH p AS (SELECT * FROM people) SELECT dp_count(*), (SELECT max(name) FROM p) FROM p',
    'WITH p AS MATERIALIZED (SELECT * FROM people), a AS (SELECT dp_count(*) AS n FROM p) SELECT n, name FROM a, p',
    'SELECT dp_count(*) FROM people p WHERE p::text ~ ''Zebedee''', 'SELECT dp_count(p) FROM people p WHERE p IS NOT NULL',
    'SELECT dp_count(*) FROM people WHERE ctid = ''(0,1)''', 'SELECT dp_count(*) FROM people WHERE tableoid = 0',
    'SELECT dp_count(*) FROM people WHERE xmin::text = ''1''', 'SELECT dp_count(ctid) FROM people', 'SELECT dp_count(*) FROM wards_new',
    'SELECT dp_count(*) FROM nurses',
    'SELECT dp_sum(id) FROM people WHERE name = ''Zebedee'' AND id = ANY (SELECT id FROM people)',
    'SELECT dp_count(*) FILTER (WHERE EXISTS (SELECT FROM people WHERE secret)) FROM others',
    'SELECT dp_count(*) FROM others WHERE EXISTS (SELECT FROM people WHERE secret)',
    'SELECT (SELECT dp_count(*) FROM others WHERE others.id = people.id) FROM people']) statement;
SELECT attempt('a model', ARRAY['SELECT dpsens.create_model(''m40'', ''{"input": [1], "loss": "squared", "seed": 1, "layers": [{"type": "dense", "units": 1, "activation": "linear"}]}'')',
    'CALL dpsens.train(''m40'', ''people'', features => ''{age}'', target => ''pay'', steps => 1, learning_rate => 0.05, clip => 0.1, expected_rows => 100, epsilon => 1, delta => 1e-5)',
    'SELECT dpsens.loss(''m40'', ARRAY[age], 1) FROM people'], '(.*\n)*42501[^\n]*$', ARRAY['SELECT name FROM people'], 'Zebedee');
SELECT attempt('a cursor', ARRAY['DECLARE c40 CURSOR FOR SELECT name FROM people', 'FETCH ALL c40', 'CLOSE c40'], '42501', ARRAY['DECLARE c40 CURSOR FOR SELECT name FROM people', 'FETCH ALL c40', 'CLOSE c40'], 'Zebedee');
SELECT attempt('a prepared statement', ARRAY['PREPARE p40 AS SELECT name FROM people', 'EXECUTE p40', 'DEALLOCATE p40'], '42501', ARRAY['PREPARE p40 AS SELECT name FROM people', 'EXECUTE p40', 'DEALLOCATE p40'], 'Zebedee');
SELECT attempt('a view of one''s own', ARRAY['CREATE VIEW lab.v40 AS SELECT * FROM clinic.people', 'SELECT name FROM lab.v40', 'DROP VIEW lab.v40'], '00000
42501', ARRAY['CREATE TEMP VIEW v40 AS SELECT * FROM clinic.people', 'SELECT name FROM v40', 'DROP VIEW v40'], 'Zebedee');
SELECT attempt('a materialized view', ARRAY['CREATE MATERIALIZED VIEW lab.v40 AS SELECT * FROM clinic.people'], '42501', ARRAY['CREATE TEMP TABLE v40 AS SELECT * FROM people', 'SELECT name FROM v40', 'DROP TABLE v40'], 'Zebedee');
-- a client's ways
\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_ana; COPY people TO STDOUT; COPY people (name) TO STDOUT WITH CSV; COPY (SELECT name FROM people) TO STDOUT; COPY (TABLE people) TO STDOUT; COPY (DELETE FROM people RETURNING name) TO STDOUT; COPY (SELECT dp_count(*), max(name) FROM people) TO STDOUT; COPY wards_old TO STDOUT; COPY binary people TO STDOUT'
\set said `psql -XAtq -c "$ASK" 2>&1; for q in "COPY people (name) TO STDOUT CSV" "COPY (SELECT name FROM people) TO STDOUT" "COPY (TABLE people) TO STDOUT" "COPY (DELETE FROM people RETURNING name) TO STDOUT" "COPY wards TO STDOUT" "COPY wards_old TO STDOUT"; do psql -XAtq -c "SET SESSION AUTHORIZATION dpsens_attack_ana" -c "$q" 2>&1; done`
SELECT doesnt_match(:'said'::text, 'Zebedee', 'COPY');
SELECT is((SELECT count(*) FROM regexp_matches(:'said', 'permission denied|not supported', 'g')), 7::bigint, 'each is refused');
\set said `psql -XAtq -c "SET SESSION AUTHORIZATION dpsens_attack_reader" -c "COPY people (name) TO STDOUT CSV" 2>&1`
SELECT matches(:'said'::text, 'Zebedee', 'COPY: open to others');
\set said `printf '%s\n' "SET SESSION AUTHORIZATION dpsens_attack_ana;" "SELECT name FROM people \\gdesc" "SELECT name FROM people WHERE secret = \$1 \\bind true \\g" "SELECT name FROM people \\watch 1" "\\copy people to stdout" "SELECT format('SELECT name FROM people') \\gexec" "\\d people" | psql -XAtq 2>&1`
SELECT doesnt_match(:'said'::text, 'Zebedee', 'psql''s own commands');
SELECT * FROM finish();
