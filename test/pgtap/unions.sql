-- UNION ALL of protected relations.
-- Files: guard/source/union_columns.c, guard/query/range_table.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA unions_tap;
SET search_path = unions_tap, public;
SELECT plan(76);

CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE north (id int PRIMARY KEY, x float8, y int NOT NULL, feels mood NOT NULL, kind text, born date);
INSERT INTO north SELECT i, i % 100, i % 9, (ARRAY['sad', 'happy'])[i % 2 + 1]::mood, 'k' || i % 3, '2000-01-01'::date + i FROM generate_series(1, 200) i;
CREATE TABLE south (number int PRIMARY KEY, x float8 NOT NULL, y int NOT NULL, feels mood NOT NULL, kind text, born date);
INSERT INTO south SELECT i, i % 50 - 20, i % 7, 'sad', 'k' || i % 4, '2010-01-01'::date + i FROM generate_series(1, 150) i;
CREATE TABLE west (id int, x float8, y int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE west1 PARTITION OF west FOR VALUES FROM (0) TO (1000);
INSERT INTO west SELECT i, i % 10, 3 FROM generate_series(1, 70) i;
CREATE TABLE kinds (kind text PRIMARY KEY, price float8 NOT NULL);
INSERT INTO kinds SELECT 'k' || i, i FROM generate_series(1, 5) i;
SELECT dpsens.protect('north', unit => 'id'), dpsens.protect('south', unit => 'number'), dpsens.protect('west');
SELECT dpsens.set_range('north', 'x', 0, 100), dpsens.set_range('south', 'x', -20, 30), dpsens.set_range('west', 'x', 0, 10), dpsens.set_range('north', 'y', 0, 9), dpsens.set_range('south', 'y', 0, 8),
    dpsens.set_values('north', 'kind', 'k0', 'k1', 'k2'), dpsens.set_values('south', 'kind', 'k0', 'k1', 'k2'), dpsens.set_range('kinds', 'price', 0, 5), dpsens.set_range('north', 'born', '2000-01-01', '2001-01-01');
CREATE TABLE other (x float8);
SELECT dpsens.protect('other'), dpsens.set_range('other', 'x', 0, 1);
SET dpsens.epsilon = 1;

\ir same.psql
CREATE VIEW everybody AS SELECT id, x, y, feels, kind FROM north UNION ALL SELECT number, x, y, feels, kind FROM south;
SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*), dp_sum(x), dp_count(x) FROM (SELECT x FROM north UNION ALL SELECT x FROM south) s',
    'SELECT dp_sum(x) FROM (SELECT x, y FROM north WHERE y > 2 UNION ALL SELECT x, y FROM south UNION ALL SELECT x, y FROM west) s',
    'SELECT dp_sum(x) FROM (SELECT x, y FROM north UNION ALL (SELECT x, y FROM south UNION ALL SELECT x, y FROM west)) s WHERE x > 3 AND y < 5',
    'SELECT dp_sum(x * y) FROM everybody',
    'SELECT feels, dp_count(*), dp_sum(x) FROM everybody GROUP BY feels ORDER BY feels',
    'SELECT kind, dp_count(*) FROM everybody WHERE kind < ''k3'' GROUP BY kind ORDER BY kind',
    'SELECT dp_sum(x * price) FROM everybody JOIN kinds USING (kind)',
    'SELECT dp_count(*), dp_count(price) FROM everybody LEFT JOIN kinds USING (kind)',
    'SELECT dp_sum(z) FROM (SELECT 2 * x + 1 AS z FROM everybody WHERE y > 1) s',
    'SELECT dp_count(*) FILTER (WHERE feels = ''sad'' AND x > 0) FROM everybody',
    'WITH w AS (SELECT x FROM north UNION ALL SELECT x FROM south) SELECT dp_sum(x) FROM w',
    'SELECT dp_count(*) FROM (SELECT n.id FROM north n JOIN kinds USING (kind) UNION ALL SELECT number FROM south) s',
    'SELECT dp_sum(x) FROM (SELECT x FROM everybody WHERE y > 2 UNION ALL SELECT x FROM west) s',
    'SELECT side, dp_count(*), dp_sum(x) FROM (SELECT ''north'' AS side, x FROM north UNION ALL SELECT ''south'', x FROM south) s GROUP BY side ORDER BY side',
    'SELECT side, feels, dp_count(*) FROM (SELECT 1 AS side, feels FROM north UNION ALL SELECT 2, feels FROM south) s GROUP BY side, feels HAVING side = 1 OR feels = ''sad'' ORDER BY side, feels',
    'SELECT dp_count(*), dp_sum(arm), dp_sum(arm * x) FROM (SELECT x, 1 AS arm FROM north UNION ALL SELECT x, 2 FROM south) s WHERE arm = 1 OR x > 3',
    'SELECT dp_count(*) FROM (SELECT x, ''n'' AS arm FROM north UNION ALL SELECT x, ''s'' FROM south) s WHERE arm = ''s''',
    'SELECT dp_sum(z), dp_count(z), dp_count(*) FROM (SELECT x AS z FROM north UNION ALL SELECT NULL FROM south) s',
    'SELECT dp_sum(CASE arm WHEN ''n'' THEN x END) FROM (SELECT x, ''n'' AS arm FROM north UNION ALL SELECT x, ''s'' FROM south) s',
    'SELECT dp_sum(price) FROM (SELECT kind FROM north UNION ALL SELECT ''k2'' FROM south) s JOIN kinds USING (kind)'
]) query;
SET dpsens.noise = off;
SELECT is((SELECT dp_sum(x) FROM (SELECT x, 1 / y AS computed FROM north UNION ALL SELECT x, 2 FROM south) s), (SELECT sum(x) FROM everybody), 'what nobody uses is not computed');
SET dpsens.noise = on;

SELECT is(sensitivities('SELECT dp_count(*), dp_sum(x), dp_sum(y) FROM everybody'), '{1,100,9}', 'hulls of ranges');
SELECT is(sensitivities('SELECT dp_sum(x - y) FROM everybody'), '{100}', 'of the differences, too');
SELECT is(sensitivities('SELECT dp_sum(x) FROM everybody WHERE x < 7'), '{20}', 'WHERE narrows');
SELECT is(sensitivities('SELECT dp_sum(arm), dp_sum(z) FROM (SELECT 3 AS arm, NULL::float8 AS z FROM north UNION ALL SELECT 2, x FROM south) s'), '{3,30}', 'hulls of constants');
SET dpsens.noise = off;
SELECT results_eq('SELECT side, dp_count(*)::int FROM (SELECT ''z'' AS side, x FROM north UNION ALL SELECT ''y'', x FROM south UNION ALL SELECT ''z'', x FROM west UNION ALL SELECT NULL, x FROM (SELECT x FROM other) o) s WHERE x < -100 GROUP BY side',
    'VALUES (''z'', 0), (''y'', 0)', 'which query a row is of: every key appears');
SET dpsens.noise = on;
SELECT dpsens.protect('north', unit => 'id', adjacency => 'replace'), dpsens.protect('south', unit => 'number', adjacency => 'replace');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(x) FROM everybody'), '{0,120}', 'replace');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(y) FROM (SELECT y FROM north WHERE x > 3 UNION ALL SELECT y FROM south) s'), '{1,9}', 'replace with a selection in one arm');

SELECT dpsens.protect('south', unit => 'number', adjacency => 'add_remove');
CREATE FUNCTION refused(query text, message text, expected text DEFAULT '0A000') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE state text; said text; hint text;
BEGIN
    BEGIN
        EXECUTE query;
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, said = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    END;
    RETURN NEXT ok(COALESCE(state = expected AND said LIKE message AND hint <> '', false), query);
    IF NOT COALESCE(state = expected AND said LIKE message AND hint <> '', false) THEN
        RETURN NEXT diag(concat_ws(E'\n', COALESCE(state, 'answered'), said, hint));
    END IF;
END $$;
SELECT refused('SELECT dp_count(*) FROM everybody', 'UNION ALL of relations with different adjacencies%');
SELECT dpsens.protect('north', unit => 'id', adjacency => 'add_remove');
SELECT refused(query, message) FROM (VALUES
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION SELECT x FROM south) s', 'UNION, INTERSECT%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north EXCEPT ALL SELECT x FROM south) s', 'UNION, INTERSECT%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT x FROM north) s', '%twice%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT x FROM (SELECT n.x FROM south JOIN north n ON n.id = number) o) s', '%twice%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT x FROM everybody) s', '%twice%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT x FROM south LIMIT 3) s', 'LIMIT%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL (SELECT x FROM south LIMIT 3)) s', 'LIMIT%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT DISTINCT x FROM west) s', 'DISTINCT%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT sum(x) FROM west) s', '%aggregates%'),
    ('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT row_number() OVER () FROM west) s', '%window%'),
    ('SELECT dp_count(*) FROM everybody a JOIN everybody b USING (id)', '%'),
    ('SELECT dp_count(*) FROM everybody a JOIN north b USING (id)', '%'),
    ('SELECT dp_count(*) FROM kinds LEFT JOIN everybody USING (kind)', '%'),
    ('SELECT dp_count(*) FROM everybody, kinds', '%"kinds"%')
) list (query, message);
SELECT throws_ok('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT price FROM kinds) s', '55000', NULL, 'an arm of a public relation');
SELECT throws_ok('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT * FROM generate_series(1.0, 9)) s', '0A000', NULL, 'an arm of a function');
SELECT throws_ok('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT 1) s', '0A000', NULL, 'an arm of nothing');
SELECT throws_ok('SELECT dp_sum(extract(epoch from born)) FROM (SELECT born FROM north UNION ALL SELECT born FROM south) s', '55000', 'column "born" of relation "south" has no declared range', 'which column has no range');
SELECT refused('SELECT dp_sum(z) FROM (SELECT x + 1 AS z FROM north UNION ALL SELECT x FROM south) s', 'a column of UNION ALL that is computed%');
SELECT refused('SELECT dp_count(*) FROM (SELECT x, 1 AS arm FROM north UNION ALL SELECT x, y FROM south) s WHERE arm * x = 1 AND 1 / (arm - 1) > 3 AND arm > random()', '%random()%');
SELECT refused('SELECT dp_sum(arm) FROM (SELECT 1 AS arm FROM north UNION ALL SELECT random() FROM south) s', 'a column of UNION ALL that is computed%');
SELECT refused('SELECT dp_sum(arm) FROM (SELECT 1.5 AS arm FROM north UNION ALL SELECT ''NaN'' FROM south) s', 'a column of UNION ALL that is computed%');
SELECT refused('SELECT dp_sum(z) FROM (SELECT y AS z FROM north UNION ALL SELECT x FROM south) s', 'a column of UNION ALL that is computed%');
SELECT refused('SELECT kind, dp_count(*) FROM (SELECT kind || '''' AS kind FROM north UNION ALL SELECT kind FROM south) s GROUP BY kind', 'a column of UNION ALL that is computed%');

-- a person in several arms loses what a change of as many rows loses
CREATE FUNCTION said(query text) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(substring(note FROM 'a person who stands in several arms of UNION ALL loses more than one who stands in one: (.*)')) FROM dpsens.explain(query)
$$;
SELECT is(said(query), expected, 'in several arms: ' || query) FROM (VALUES
    ('SELECT dp_count(*) FROM everybody', ARRAY['at most 2 times epsilon, 4 times rho']),
    ('SELECT feels, dp_count(*), dp_avg(x) FROM everybody GROUP BY feels', ARRAY['at most 2 times epsilon, 4 times rho', 'at most 2 times epsilon, 4 times rho']),
    ('SELECT dp_variance(x), dp_stddev(x) FROM everybody', ARRAY['at most 2 times epsilon, 4 times rho', NULL]),
    ('SELECT dp_sum(x) FROM (SELECT x FROM north UNION ALL SELECT x FROM south UNION ALL SELECT x FROM west) s', ARRAY['at most 3 times epsilon, 9 times rho']),
    ('SELECT dp_sum(x) FROM (SELECT x FROM everybody WHERE y > 2 UNION ALL SELECT x FROM west) s', ARRAY['at most 3 times epsilon, 9 times rho']),
    ('SELECT dp_sum(x * price) FROM everybody JOIN kinds USING (kind)', ARRAY['at most 2 times epsilon, 4 times rho']),
    ('SELECT dp_count(*) FROM (SELECT n.id FROM north n JOIN north m USING (id) UNION ALL SELECT number FROM south) s', ARRAY['at most 2 times epsilon, 4 times rho']),
    ('SELECT y, dp_count(*) FROM everybody GROUP BY y', ARRAY['at most 2 times epsilon, 4 times rho', 'at most 2 times epsilon, 4 times rho, 2 exp(epsilon) times delta']),
    ('SELECT y, dp_count(*) FROM (SELECT y FROM everybody UNION ALL SELECT y FROM west) s GROUP BY y', ARRAY['at most 3 times epsilon, 9 times rho', 'at most 3 times epsilon, 9 times rho, 3 exp(2 epsilon) times delta']),
    -- released exactly: nobody loses anything
    ('SELECT dp_sum(x * 0) FROM everybody', ARRAY[NULL]),
    -- joined on its unit a relation has one row of a person, however often it is read
    ('SELECT dp_count(*) FROM north', ARRAY[NULL]),
    ('SELECT dp_count(*) FROM north n JOIN north m USING (id)', ARRAY[NULL]),
    ('SELECT dp_count(*) FROM north n JOIN south s ON n.id = s.number', ARRAY[NULL])
) list (query, expected);
SET dpsens.mechanism = gaussian;
SELECT is(said('SELECT dp_count(*) FROM everybody'), ARRAY['at most 2 times epsilon, 4 times rho, 2 exp(epsilon) times delta'], 'in several arms: Gaussian noise');
RESET dpsens.mechanism;

ALTER TABLE south DROP CONSTRAINT south_pkey;
SELECT dpsens.protect('south', unit => 'number', max_rows => 3);
SELECT refused('SELECT dp_count(*) FROM everybody', '%units have several rows%');
ALTER TABLE south ADD PRIMARY KEY (number);
CREATE TABLE more (LIKE south);
CREATE TABLE fewer () INHERITS (more);
SELECT dpsens.protect('more'), dpsens.protect('fewer');
SELECT refused('SELECT dp_count(*) FROM (SELECT x FROM more UNION ALL SELECT x FROM fewer) s', '%twice%');

-- both pay, and both need a budget
CREATE ROLE unions_analyst;
GRANT USAGE ON SCHEMA unions_tap TO unions_analyst;
GRANT SELECT ON everybody TO unions_analyst;
ALTER VIEW everybody OWNER TO unions_analyst;
SELECT dpsens.grant_budget('north', 'unions_analyst', epsilon => 10);
SET ROLE unions_analyst;
SELECT throws_ok('SELECT dp_count(*) FROM (SELECT x FROM north UNION ALL SELECT x FROM south) s', '42501', NULL, 'one has no budget');
RESET ROLE;
SELECT dpsens.grant_budget('south', 'unions_analyst', epsilon => 5);
SET ROLE unions_analyst;
SELECT lives_ok('SELECT dp_count(*), dp_sum(x) FROM (SELECT x, 1 / (y - 3) AS computed FROM north WHERE 1 / y > 0 UNION ALL SELECT x, 2 FROM south ORDER BY 2) s WHERE 1 / x > 0', 'conditions that fail');
SELECT lives_ok('SELECT feels, dp_sum(x) FROM everybody GROUP BY feels', 'a view of its own');
SELECT throws_ok('SELECT x FROM everybody', '42501', NULL, 'not the rows');
SET dpsens.epsilon = 3;
SELECT throws_like('SELECT dp_count(*) FROM everybody', '%privacy budget%south%', 'the smaller budget decides');
RESET ROLE;
SELECT is(sum(round(epsilon::numeric, 3))::text, '3.000', r || ' pays') FROM (VALUES ('north'), ('south')) v (r) JOIN dpsens.releases x ON x.relation LIKE '%' || r AND x.role = 'unions_analyst' GROUP BY r;

SELECT * FROM finish();
DROP SCHEMA unions_tap CASCADE;
DROP OWNED BY unions_analyst;
DROP ROLE unions_analyst;
