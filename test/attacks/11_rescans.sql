-- Row 11: many draws for one charge.  Each attempt is refused, or shows no more
-- values than it paid for.
\ir start.sql

CREATE FUNCTION lab.unpaid(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint = (SELECT count(*) FROM dpsens.releases);
    seen bigint;
BEGIN
    EXECUTE format('SELECT count(DISTINCT v) FROM (%s) s (v)', question) INTO seen;
    RETURN CASE WHEN seen > (SELECT count(*) FROM dpsens.releases) - before THEN 'unpaid: ' || seen ELSE 'paid' END;
EXCEPTION WHEN feature_not_supported THEN
    RETURN 'refused';
END $$;
SELECT attempt('once for each row: ' || question, format('SELECT lab.unpaid(%L)', question), '00000.\("?(paid|refused)', format('SELECT count(DISTINCT v) FROM (%s) s (v)', twin), '00000.\([0-9][0-9]+\)')
FROM (VALUES
    ('SELECT (SELECT dp_sum(age * 0.5) FROM people) FROM generate_series(1, 50)', 'SELECT (SELECT random() FROM people WHERE g > 0 LIMIT 1) FROM generate_series(1, 50) g'),
    ('SELECT (SELECT dp_sum(age * 0.5) + 0 * g FROM people) FROM generate_series(1, 50) g', 'SELECT (SELECT sum(age) + g FROM people) FROM generate_series(1, 50) g'),
    ('SELECT (SELECT dp_sum(age * 0.5) FROM people WHERE id > g) FROM generate_series(1, 50) g', 'SELECT (SELECT sum(age) FROM people WHERE id > g) FROM generate_series(1, 50) g'),
    ('SELECT a FROM generate_series(1, 50) g, LATERAL (SELECT dp_sum(age * 0.5) AS a FROM people) s', 'SELECT a FROM generate_series(1, 50) g, LATERAL (SELECT random() AS a WHERE g > 0) s'),
    ('SELECT a FROM generate_series(1, 50) g, LATERAL (SELECT dp_sum(age * 0.5) AS a FROM people WHERE id <> g) s', 'SELECT a FROM generate_series(1, 50) g, LATERAL (SELECT sum(age) AS a FROM people WHERE id > g) s'),
    ('SELECT a FROM generate_series(1, 50) g LEFT JOIN (SELECT dp_sum(age * 0.5) AS a FROM people) s ON a > g', 'SELECT a FROM generate_series(1, 50) g LEFT JOIN LATERAL (SELECT random() + g AS a) s ON true'),
    ('SELECT dp_sum(age * 0.5) OVER (ORDER BY id) FROM people', 'SELECT sum(age) OVER (ORDER BY id) FROM people'),
    ('SELECT dp_count(*) OVER (PARTITION BY id % 20 ORDER BY id) FROM people', 'SELECT sum(id) OVER (PARTITION BY id % 20 ORDER BY id) FROM people'),
    ('WITH RECURSIVE r (v, n) AS (SELECT 0::float8, 0 UNION ALL SELECT (SELECT dp_sum(age * 0.5) FROM people), n + 1 FROM r WHERE n < 50) SELECT v FROM r',
        'WITH RECURSIVE r (v, n) AS (SELECT 0::float8, 0 UNION ALL SELECT (SELECT sum(age) + n FROM people), n + 1 FROM r WHERE n < 50) SELECT v FROM r'),
    ('WITH a AS NOT MATERIALIZED (SELECT dp_sum(age * 0.5) AS s FROM people) SELECT s FROM a UNION ALL SELECT s FROM a UNION ALL SELECT s FROM a',
        'SELECT random() FROM generate_series(1, 50)'),
    ('SELECT CASE WHEN g % 2 = 0 THEN (SELECT dp_sum(age * 0.5) FROM people) ELSE (SELECT dp_sum(age * 0.5) FROM people) END FROM generate_series(1, 50) g', 'SELECT CASE WHEN g % 2 = 0 THEN random() ELSE random() END FROM generate_series(1, 50) g'),
    ('SELECT (SELECT v FROM (SELECT dp_sum(age * 0.5) AS v FROM people) s WHERE v > g - 1000) FROM generate_series(1, 50) g', 'SELECT (SELECT v FROM (SELECT sum(age) + g AS v FROM people) s) FROM generate_series(1, 50) g')
) AS list (question, twin);
-- groups are of different people, so that one charge pays for one value of each
SELECT attempt('groups again and again', 'SELECT count(DISTINCT v) FROM (SELECT member, dp_sum(age * 0.5) AS v FROM people GROUP BY member) s, generate_series(1, 50)', '00000.\(2\)',
    'SELECT count(DISTINCT v) FROM (SELECT random() AS v FROM generate_series(1, 50)) s', '\(50\)');
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT attempt('a nested loop', $$SELECT lab.unpaid('SELECT v + g * 0 FROM generate_series(1, 50) g JOIN (SELECT dp_sum(age * 0.5) AS v FROM people) s ON v <> g')$$, '00000.\("?(paid|refused)',
    'SELECT count(DISTINCT v) FROM generate_series(1, 50) g JOIN LATERAL (SELECT random() + g AS v) s ON v <> g', '\(50\)');
RESET enable_material;
RESET enable_hashjoin;
RESET enable_mergejoin;
-- a cursor that goes back shows what it has shown
SELECT attempt('a cursor that goes back', ARRAY['DECLARE back SCROLL CURSOR FOR SELECT dp_sum(age * 0.5) FROM people', 'CREATE TEMP TABLE seen (v text)',
    'DO $$DECLARE c refcursor = ''back''; v float8; BEGIN FOR i IN 1..9 LOOP FETCH FIRST FROM c INTO v; INSERT INTO seen VALUES (v); FETCH NEXT FROM c INTO v; END LOOP; END$$', 'SELECT count(*), count(DISTINCT v) FROM seen', 'DROP TABLE seen', 'CLOSE back'],
    '00000.\(9,1\)', ARRAY['SELECT 9, count(DISTINCT random()) FROM generate_series(1, 9)'], '\(9,9\)');
SELECT * FROM finish();
