-- Every shape of query that is answered, by answers without noise beside those
-- of the plain aggregates, and the answers with noise around them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_queries;
SET search_path = dpsens_queries, public;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';
RESET client_min_messages;

CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad');
CREATE DOMAIN percent AS numeric CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN gender AS text;
CREATE TABLE visits (
    gone text,
    id int PRIMARY KEY,
    sex text,
    feels mood,
    smokes boolean,
    age int NOT NULL,
    small smallint,
    big bigint,
    weight float8,
    gone_too float8,
    ratio real,
    fee numeric,
    "Body Height" float8,
    born date,
    seen timestamp,
    entered timestamptz,
    share percent,
    gender gender,
    code char(3),
    region text NOT NULL
);
INSERT INTO visits (id, sex, feels, smokes, age, small, big, weight, ratio, fee, "Body Height",
                    born, seen, entered, share, gender, code, region) VALUES
    (1, 'F', 'sad', true, 30, 1, 100, 60, 0.5, 10.25, 170, '1990-01-02', '2020-01-01 12:00', '2020-01-01 12:00+01', 10, 'w', 'a', 'north'),
    (2, 'F', 'fine', false, 40, 2, 200, 70, 0.25, 20.5, 160, '1980-03-04', '2020-02-01 13:30', '2020-02-01 00:00', 20.5, 'w', 'b', 'south'),
    (3, 'M', 'fine', true, 50, 3, 300, 80, 0.75, 30.75, 180, '1970-05-06', '2020-03-01 06:00', '2020-03-01 00:00', NULL, 'm', 'a', 'north'),
    (4, 'M', NULL, NULL, 60, NULL, NULL, 90, 0.125, NULL, 190, NULL, NULL, NULL, 40, 'm', NULL, 'south'),
    (5, 'F', 'fine', false, 20, 5, 500, NULL, 0.5, 50, 150, '2000-07-08', '2020-05-01 01:01', '2020-05-01 00:00', 50, NULL, 'b', 'north'),
    (6, 'M', 'sad', false, 35, 6, 600, 65.5, NULL, 60, NULL, '1985-09-10', '2020-06-01 10:00', '2020-06-01 00:00', 60, 'm', 'a', 'south'),
    (7, 'F', 'sad', true, 45, -7, -700, 75.25, 0.5, 70, 165, '1975-11-12', '2020-07-01 10:00', '2020-07-01 00:00', 70, 'w', 'zz', 'north'),
    (8, 'M', 'fine', false, 55, 8, 800, 85, 0.5, 80, 175, '1965-12-31', '2020-08-01 10:00', '2020-08-01 00:00', 80, 'm', 'a', 'south'),
    (9, 'X', 'sad', true, 25, 9, 900, 95, 1, 90, 185, '1995-02-28', '2020-09-01 10:00', '2020-09-01 00:00', 90, 'x', 'b', 'north'),
    (10, NULL, NULL, NULL, 65, 10, 1000, 100, 0, 100, 200, '1955-06-30', '2020-10-01 10:00', '2020-10-01 00:00', 100, 'w', 'b', 'south');
ALTER TABLE visits DROP COLUMN gone, DROP COLUMN gone_too;
ANALYZE visits;

\o /dev/null
SELECT dpsens.protect('visits', unit => 'id');
SELECT dpsens.set_range('visits', 'age', 0, 120);
SELECT dpsens.set_range('visits', 'small', -10, 10);
SELECT dpsens.set_range('visits', 'big', -1000, 1000);
SELECT dpsens.set_range('visits', 'weight', 0, 128);
SELECT dpsens.set_range('visits', 'ratio', 0, 1);
SELECT dpsens.set_range('visits', 'fee', 0, 128);
SELECT dpsens.set_range('visits', 'Body Height', 1, 256);
SELECT dpsens.set_range('visits', 'born', '1950-01-01', '2010-12-31');
SELECT dpsens.set_range('visits', 'seen', '2020-01-01', '2020-12-31');
SELECT dpsens.set_range('visits', 'entered', '2020-01-01', '2020-12-31');
SELECT dpsens.set_range('visits', 'share', 0, 100);
SELECT dpsens.set_values('visits', 'sex', 'Z', 'M', 'F');
SELECT dpsens.set_values('visits', 'gender', 'm', 'w');
SELECT dpsens.set_values('visits', 'code', 'a', 'b', 'c');
SELECT dpsens.set_values('visits', 'age', '20', '30', '99');
SELECT dpsens.set_values('visits', 'region', 'west', 'south', 'north');
SELECT dpsens.set_public('visits', 'region');
\o

CREATE TABLE towns (region text, harbour boolean, low int);
INSERT INTO towns VALUES ('north', true, 40), ('south', false, 50), ('west', true, 10);

-- Runs a query, and the same with the plain aggregates; the rows must be the
-- same in the same order, numbers to relative 1e-9.
CREATE FUNCTION rows_of(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    EXECUTE 'SELECT array_agg(replace(to_json(q)::text, ''dp_'', '''')) FROM (' || query || ') AS q' INTO result;
    RETURN result;
END $$;
CREATE FUNCTION differences(query text) RETURNS TABLE (answer text, plain text) LANGUAGE plpgsql AS $$
DECLARE
    pair record;
BEGIN
    FOR pair IN SELECT p.a, p.b, x.key, x.value AS v, y.value AS w
                FROM unnest(rows_of(query), rows_of(replace(query, 'dp_', ''))) AS p (a, b)
                LEFT JOIN json_each_text(p.a::json) WITH ORDINALITY AS x (key, value, i) ON true
                LEFT JOIN json_each_text(p.b::json) WITH ORDINALITY AS y (key, value, i) ON y.i = x.i
    LOOP
        CONTINUE WHEN pair.a IS NOT NULL AND pair.v IS NOT DISTINCT FROM pair.w;
        CONTINUE WHEN pair.v ~ '^-?[0-9.e+-]+$' AND pair.w ~ '^-?[0-9.e+-]+$'
            AND abs(pair.v::float8 - pair.w::float8) <= 1e-9 * abs(pair.w::float8);
        answer := pair.a;
        plain := pair.b;
        RETURN NEXT;
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    answer := SQLERRM;
    RETURN NEXT;
END $$;

-- Without noise, for a superuser only, and never without a word.
SET dpsens.epsilon = 1;
SET dpsens.noise = off;
SELECT dp_count(*) AS n, dp_sum(weight) AS s FROM visits;
SET client_min_messages = error;

SELECT queries.query AS "differs from plain SQL", difference.*
FROM (VALUES
    -- arguments and epsilon
    ('SELECT dp_count(*), dp_count(weight), dp_count(sex), dp_sum(weight), dp_avg(weight) FROM visits'),
    ('SELECT dp_count(true), dp_count(1), dp_count(feels), dp_count(weight + fee), dp_count(NULLIF(age, 30)) FROM visits'),
    ('SELECT 2 * dp_sum(age) + dp_count(*), dp_sum(age) / 8.0, round(dp_avg(age) + 0.1) FROM visits'),
    -- types
    ('SELECT dp_sum(age), dp_sum(small), dp_sum(big), dp_sum(ratio), dp_sum(fee), dp_sum(share) FROM visits'),
    ('SELECT dp_avg(age), dp_avg(small), dp_avg(big), dp_avg(ratio), dp_avg(fee), dp_avg(share) FROM visits'),
    ('SELECT dp_sum("Body Height"), dp_sum(v."Body Height" / 4) FROM visits v'),
    ('SELECT dp_sum(age / 7), dp_sum(age % 7), dp_sum(age / 8.0::float8), dp_sum(big * small), dp_sum(-small) FROM visits'),
    ('SELECT dp_sum(weight::int), dp_sum(fee::int), dp_sum(fee::float8), dp_sum(age::numeric), dp_sum(small::float4) FROM visits'),
    ('SELECT dp_sum(smokes::int), dp_avg(smokes::int), dp_sum(CASE WHEN smokes THEN 4 ELSE 1 END) FROM visits'),
    ('SELECT dp_sum(extract(epoch FROM born)::float8 / 86400), dp_count(born), dp_count(seen) FROM visits'),
    ('SELECT dp_sum((extract(epoch FROM seen) - 1577836800)::float8 / 4), '
     'dp_sum((extract(epoch FROM entered)::float8 - 1577836800) / 4) FROM visits'),
    ('SELECT dp_sum(CASE WHEN age > 40 THEN weight END), dp_sum(coalesce(weight, 1)), dp_sum(greatest(age, 40)), '
     'dp_sum(abs(small)), dp_sum(width_bucket(age, 0, 100, 5)) FROM visits'),
    ('SELECT dp_avg(weight * age / ("Body Height" + 100) ^ 2), dp_avg(sqrt(age) + exp(ratio)) FROM visits'),
    -- selection
    ('SELECT dp_count(*), dp_sum(weight) FROM visits WHERE age BETWEEN 30 AND 50'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE weight > 70 AND sex IN (''F'', ''M'') OR feels IS NULL'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE smokes'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE NOT smokes AND sex LIKE ''F%'''),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE born < ''1980-01-01'' AND code = ''a'' AND fee > 12.5'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE feels > ''sad'' AND region = ''north'''),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE "Body Height" > ALL (ARRAY[150, 160])'),
    ('SELECT dp_count(*), coalesce(dp_sum(age), 0) FROM visits WHERE id = 3 AND weight IS NOT NULL'),
    ('SELECT dp_count(*), dp_count(weight) FROM visits WHERE false'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE region IN (SELECT region FROM towns WHERE harbour)'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE EXISTS '
     '(SELECT FROM towns WHERE towns.region = visits.region AND low < visits.age)'),
    ('SELECT dp_count(*), dp_sum(age) FROM visits WHERE age > (SELECT max(low) FROM towns)'),
    ('WITH t AS (SELECT 40 AS low) SELECT dp_count(*), dp_sum(age) FROM visits WHERE age > (SELECT low FROM t)'),
    ('SELECT dp_count(*) FILTER (WHERE smokes), dp_sum(age) FILTER (WHERE sex = ''F''), '
     'dp_avg(weight) FILTER (WHERE age > 30), dp_sum(age) FILTER (WHERE sex = ''M''), dp_sum(age) FROM visits WHERE fee > 15'),
    -- where the columns come from
    ('SELECT dp_sum(v.age), dp_sum(age) FROM visits AS v'),
    ('SELECT dp_sum(e + f) FROM visits AS v (a, b, c, d, e, f)'),
    ('SELECT dp_sum(age) FROM ONLY visits'),
    ('SELECT dp_sum(dpsens_queries.visits.age) FROM dpsens_queries.visits'),
    ('SELECT dp_sum(a) FROM (SELECT age + 1 AS a, weight FROM visits WHERE smokes) s WHERE weight > 60'),
    ('SELECT dp_sum(a * w), dp_count(w) FROM (SELECT a, w / 2 AS w FROM '
     '(SELECT age - 1 AS a, weight AS w, id FROM visits WHERE age > 25) r WHERE w < 99) s WHERE a <> 49'),
    ('SELECT dp_sum(w) FROM (SELECT weight AS w FROM visits ORDER BY age) s'),
    ('WITH s AS (SELECT age AS a, weight FROM visits WHERE smokes) SELECT dp_sum(a), dp_count(weight) FROM s'),
    ('WITH s AS MATERIALIZED (SELECT age AS a FROM visits WHERE smokes) SELECT dp_sum(a + 1) FROM s WHERE a > 30'),
    -- around the answers
    ('SELECT dp_sum(age) FROM visits HAVING dp_count(*) > 5'),
    ('SELECT dp_sum(age) FROM visits HAVING dp_count(*) > 50'),
    ('SELECT 1 AS one FROM visits HAVING dp_count(*) = 10 AND dp_sum(age) = 425'),
    ('SELECT dp_sum(age) FROM visits LIMIT 0'),
    ('SELECT dp_sum(age) FROM visits OFFSET 1'),
    ('SELECT DISTINCT dp_sum(age) FROM visits ORDER BY dp_sum(age)'),
    ('SELECT (SELECT dp_sum(age) FROM visits) + (SELECT dp_count(*) FROM visits WHERE smokes) AS v'),
    ('SELECT region, (SELECT dp_count(*) FROM visits) AS n FROM towns WHERE low < (SELECT dp_avg(age) FROM visits) ORDER BY 1'),
    ('SELECT EXISTS (SELECT dp_count(*) FROM visits), EXISTS (SELECT 1 FROM visits HAVING dp_count(*) > 10)'),
    ('SELECT 10 IN (SELECT dp_count(*) FROM visits), 10 = ANY (SELECT dp_count(*) FROM visits)'),
    ('SELECT dp_sum(age) FROM visits UNION ALL SELECT dp_count(*) FROM visits UNION ALL SELECT 7'),
    ('SELECT dp_sum(age) FROM visits INTERSECT SELECT 425'),
    ('WITH a AS (SELECT dp_sum(age) AS s FROM visits), b AS (SELECT s + 1 AS t FROM a) SELECT s, t FROM a, b'),
    ('SELECT a.n, b.n AS m, t.region FROM (SELECT dp_count(*) AS n FROM visits) a, '
     'LATERAL (SELECT a.n + 1 AS n) b, towns t ORDER BY region'),
    ('SELECT dp_sum(age), generate_series(1, 2) FROM visits'),
    ('SELECT dp_sum(age), rank() OVER (ORDER BY dp_sum(age)) FROM visits'),
    ('SELECT dp_count(*), (SELECT count(*) FROM towns) AS towns FROM visits')
) AS queries (query), differences(queries.query) AS difference;

-- Groups: every declared key appears and no other, in an order that does not
-- depend on the rows.
SELECT sex, dp_count(*), dp_sum(age), dp_avg(age) FROM visits GROUP BY sex ORDER BY sex;
SELECT feels, dp_count(*) FROM visits GROUP BY feels ORDER BY feels;
SELECT smokes, dp_count(*) FROM visits GROUP BY 1 ORDER BY 1;
SELECT feels, smokes, dp_count(*) AS n, dp_sum(age) FILTER (WHERE sex = 'F') FROM visits GROUP BY smokes, feels ORDER BY 1, 2;
SELECT sex AS s, region AS r, dp_count(*) AS n FROM visits GROUP BY r, s HAVING dp_count(*) > 0 ORDER BY n DESC, s, r LIMIT 3 OFFSET 1;
SELECT gender, dp_count(*) FROM visits GROUP BY gender ORDER BY gender;
SELECT code, length(code), dp_count(*) FROM visits GROUP BY code ORDER BY code;
SELECT age, dp_count(*) FROM visits GROUP BY age ORDER BY age;
SELECT dp_count(*) FROM visits WHERE age > 20 GROUP BY sex HAVING sex <> 'Z' ORDER BY sex;
SELECT upper(sex) || '!' AS key, dp_count(*) + 1 AS n FROM visits GROUP BY sex ORDER BY dp_count(*), sex;
SELECT DISTINCT ON (dp_count(*)) dp_count(*), min_sex.sex FROM visits AS min_sex GROUP BY sex ORDER BY dp_count(*), sex;
SELECT sex, dp_count(*), sum(dp_count(*)) OVER (ORDER BY sex) FROM visits GROUP BY sex ORDER BY sex;
SELECT s, dp_count(*) FROM (SELECT sex AS s, age AS a FROM visits WHERE smokes) q GROUP BY s ORDER BY s;
SELECT sex, dp_count(*) FROM visits GROUP BY sex, sex ORDER BY sex;
SELECT sex, dp_count(*) FROM visits GROUP BY GROUPING SETS ((sex)) ORDER BY sex;
SET enable_hashagg = off;
SET enable_hashjoin = off;
SELECT sex, dp_count(*), dp_sum(age) FROM visits GROUP BY sex ORDER BY dp_sum(age);
SET enable_mergejoin = off;
SELECT sex, smokes, dp_count(*), dp_sum(age) FROM visits GROUP BY sex, smokes ORDER BY 1, 2;
RESET enable_hashagg;
RESET enable_hashjoin;
RESET enable_mergejoin;

-- Views.
CREATE VIEW smokers AS SELECT age AS years, weight * 2 AS double_weight, sex AS "Sex", id FROM visits WHERE smokes;
CREATE VIEW old_smokers AS SELECT years + 1 AS y, double_weight, "Sex" FROM smokers WHERE years > 25;
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM visits WHERE age > 30;
CREATE VIEW by_sex AS SELECT sex, dp_count(*) AS n, dp_sum(age, 0.5) AS s FROM visits GROUP BY sex;
SELECT dp_count(*), dp_sum(years), dp_sum(double_weight) FROM smokers;
SELECT dp_sum(CASE WHEN "Sex" = 'F' THEN years ELSE 0 END) FROM smokers;
SELECT dp_count(*), dp_sum(y), dp_sum(double_weight) FROM old_smokers;
SELECT "Sex", dp_sum(y) FROM old_smokers GROUP BY "Sex" ORDER BY 1;
SELECT dp_count(*), dp_sum(age) FROM guarded WHERE sex = 'F';
SELECT * FROM by_sex WHERE n > 1 ORDER BY sex;
SELECT a.sex, a.n - b.n AS zero, towns.region FROM by_sex a JOIN by_sex b USING (sex) CROSS JOIN towns WHERE harbour ORDER BY 1, 3;
SELECT pg_get_viewdef('by_sex') ~ 'dp_count\(\*\) AS n' AS "stored as written";

-- Prepared statements, cursors, and statements that store what they answer.
PREPARE counts(int, text) AS SELECT dp_count(*), dp_sum(weight) FILTER (WHERE sex = $2) FROM visits WHERE age > $1;
EXECUTE counts(30, 'F');
EXECUTE counts(50, 'M');
SET plan_cache_mode = force_generic_plan;
EXECUTE counts(30, 'F');
EXECUTE counts(50, 'M');
RESET plan_cache_mode;
CREATE TABLE stored AS EXECUTE counts(30, 'F');
INSERT INTO stored SELECT dp_count(*), dp_sum(age) FROM visits RETURNING *;
INSERT INTO stored VALUES ((SELECT dp_count(*) FROM visits), 0);
WITH put AS (INSERT INTO stored SELECT dp_count(*), 1 FROM visits WHERE smokes RETURNING dp_count) SELECT * FROM put;
TABLE stored;
SELECT dp_avg(age) AS mean INTO TEMP stored_too FROM visits;
TABLE stored_too;
CREATE MATERIALIZED VIEW kept AS SELECT sex, dp_count(*) AS n FROM visits GROUP BY sex;
REFRESH MATERIALIZED VIEW kept;
SELECT * FROM kept ORDER BY sex;
COPY (SELECT sex, dp_count(*) FROM visits GROUP BY sex ORDER BY sex) TO STDOUT (FORMAT csv);
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT sex, dp_count(*) FROM visits GROUP BY sex ORDER BY sex;
FETCH 2 FROM back;
FETCH BACKWARD 1 FROM back;
FETCH LAST FROM back;
FETCH ABSOLUTE 1 FROM back;
DECLARE held CURSOR WITH HOLD FOR SELECT dp_sum(age) FROM visits;
COMMIT;
FETCH held;
CLOSE held;
SELECT dp_count(*) AS n FROM visits \gset
\echo :n
SELECT dp_count(*), dp_sum(weight) FROM visits WHERE age > 30 \gdesc

-- Functions.
CREATE FUNCTION sql_count(low int) RETURNS bigint LANGUAGE sql AS 'SELECT dp_count(*) FROM visits WHERE age > low';
CREATE FUNCTION sql_body(e float8) RETURNS float8 LANGUAGE sql RETURN (SELECT dp_sum(age, e) FROM visits);
CREATE FUNCTION sql_rows() RETURNS TABLE (s text, n bigint) LANGUAGE sql
AS 'SELECT sex, dp_count(*) FROM visits GROUP BY sex ORDER BY sex';
CREATE FUNCTION sql_stable() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM visits';
CREATE FUNCTION merged_rows() RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM visits';
CREATE FUNCTION plpgsql_answers(low int, e float8, OUT n bigint, OUT total float8, OUT keys text) LANGUAGE plpgsql AS $$
DECLARE
    item record;
BEGIN
    SELECT dp_count(*) INTO n FROM visits WHERE age > low;
    total := (SELECT dp_sum(age, e) FROM visits WHERE age > low);
    IF (SELECT dp_count(*) FROM visits) > n THEN
        FOR item IN SELECT sex, dp_sum(age, e / 2) AS a FROM visits GROUP BY sex ORDER BY sex LOOP
            keys := concat(keys, item.sex, item.a, '+', (SELECT dp_count(*) FROM visits WHERE visits.sex = item.sex), ' ');
        END LOOP;
    END IF;
    BEGIN
        PERFORM dp_count(*) FROM visits;
        RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN
        EXECUTE 'SELECT dp_count(*) + $1 FROM visits' INTO n USING n;
    END;
END $$;
SELECT sql_count(30), sql_body(1), sql_stable();
SELECT * FROM sql_rows();
SELECT * FROM merged_rows();
SELECT * FROM plpgsql_answers(40, 1);
SELECT low, sql_count(low) FROM towns ORDER BY low;
SELECT dp_count(*) + sql_count(40) AS nested FROM visits;
DO $$
DECLARE
    answers refcursor;
    key text;
    n bigint;
BEGIN
    OPEN answers SCROLL FOR SELECT sex, dp_count(*) FROM visits GROUP BY sex ORDER BY sex;
    FETCH answers INTO key, n;
    RAISE INFO '% %', key, n;
    BEGIN
        FETCH answers INTO key, n;
        RAISE INFO '% %', key, n;
        RAISE SQLSTATE 'XX123';
    EXCEPTION WHEN SQLSTATE 'XX123' THEN
        NULL;
    END;
    FETCH FIRST FROM answers INTO key, n;
    RAISE INFO '% %', key, n;
    CLOSE answers;
END $$;

-- Registered expressions: called, as a column, beside others, in WHERE.
\o /dev/null
SELECT dpsens.register('heaviness', 'visits', 'weight / ("Body Height" + 100)');
\o
SELECT round(dp_avg(heaviness(v))::numeric, 6) AS called, round(dp_avg(v.heaviness)::numeric, 6) AS dotted,
       round(dp_avg(v.heaviness * age)::numeric, 4) AS within, dp_count(v.heaviness) AS n,
       dp_count(*) FILTER (WHERE v.heaviness > 0.25) AS heavy
FROM visits v WHERE v.heaviness > 0.2;
SELECT round(avg(heaviness(v))::numeric, 6) AS called, round(avg(v.heaviness)::numeric, 6) AS dotted,
       round(avg(v.heaviness * age)::numeric, 4) AS within, count(v.heaviness) AS n,
       count(*) FILTER (WHERE v.heaviness > 0.25) AS heavy
FROM visits v WHERE v.heaviness > 0.2;

-- Odd cells have an answer: clamped into the range, and not counted if they
-- are no number.
CREATE TABLE cells (id int PRIMARY KEY, f float8, r real, n numeric, i bigint, s smallint, d date);
\o /dev/null
SELECT dpsens.protect('cells', unit => 'id');
SELECT dpsens.set_range('cells', 'f', -8, 8), dpsens.set_range('cells', 'r', -8, 8), dpsens.set_range('cells', 'n', -8, 8),
       dpsens.set_range('cells', 'i', -8, 8), dpsens.set_range('cells', 's', -8, 8),
       dpsens.set_range('cells', 'd', '2000-01-01', '2000-01-09');
\o
SELECT dp_count(*), dp_count(f), dp_sum(f), dp_avg(f), dp_sum(n), dp_sum(extract(epoch FROM d)::float8) FROM cells;
INSERT INTO cells VALUES (0);
SELECT dp_count(*), dp_count(f), dp_sum(f), dp_avg(f), dp_sum(n), dp_sum(extract(epoch FROM d)::float8) FROM cells;
INSERT INTO cells (id, f, r, n, i, s, d) VALUES
    (1, 'NaN', 'NaN', 'NaN', 9223372036854775807, 32767, 'infinity'),
    (2, 'Infinity', 'Infinity', 'Infinity', -9223372036854775808, -32768, '-infinity'),
    (3, '-Infinity', '-Infinity', '-Infinity', 9007199254740993, 8, '5874897-12-31'),
    (4, 1e308, 3e38, 1e1000, 0, 0, '4713-01-01 BC'),
    (5, -1e308, -3e38, -1e1000, NULL, NULL, NULL),
    (6, 5e-324, 1e-45, 1e-1000, 1, 1, '2000-01-02'),
    (7, -0.0, -0.0, 0.5, 2, 2, '2000-01-03'),
    (8, 5, 5, 5, 3, 3, '2000-01-04');
SELECT dp_count(*), dp_count(f), dp_count(r), dp_count(n), dp_count(i), dp_count(s), dp_count(d) FROM cells;
SELECT dp_sum(f) AS f, dp_sum(r) AS r, dp_sum(n) AS n, dp_sum(i) AS i, dp_sum(s) AS s FROM cells;
SELECT dp_sum(f + 0.5) AS f, round(dp_avg(r)::numeric, 9) AS r, dp_sum(n * 2) AS n, dp_sum(i / 3) AS i, dp_sum(s % 5) AS s FROM cells;
SELECT dp_sum((extract(epoch FROM d)::float8 - 946684800) / 86400) AS days, dp_count(extract(epoch FROM d)) AS n FROM cells;
SELECT round(dp_sum(1 / (f + 9))::numeric, 6) AS ninth, round(dp_sum(exp(f))::numeric, 6) AS one,
       round(dp_sum(ln(f + 9))::numeric, 6) AS ln, round(dp_sum(sqrt(abs(f)))::numeric, 6) AS zero FROM cells WHERE id IN (1, 7);

-- Partitions and parallel plans: the same answers, and the same order.
CREATE TABLE years (id int PRIMARY KEY, part text, x float8, y numeric NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE years_1 PARTITION OF years FOR VALUES FROM (0) TO (1000);
CREATE TABLE years_2 (x float8, odd text, part text, y numeric NOT NULL, id int NOT NULL);
ALTER TABLE years_2 DROP COLUMN odd;
ALTER TABLE years ATTACH PARTITION years_2 DEFAULT;
INSERT INTO years SELECT i, (ARRAY['d', 'b', NULL])[1 + i % 3], (i % 64) / 4.0, i % 16 FROM generate_series(1, 3000) i;
\o /dev/null
SELECT dpsens.protect('years', unit => 'id');
SELECT dpsens.set_range('years', 'x', 0, 16), dpsens.set_range('years', 'y', 0, 16);
SELECT dpsens.set_values('years', 'part', 'd', 'c', 'b', 'a');
\o
SELECT dp_count(*), dp_sum(x), dp_sum(x * y), dp_avg(y) FROM years;
SELECT count(*), sum(x), sum(x * y::float8), avg(y)::float8 FROM years;
SELECT part, dp_count(*), dp_sum(x) FROM years WHERE id > 900 GROUP BY part ORDER BY part;

CREATE TEMP TABLE answers (plan text, part text, n bigint, s float8, a float8);
CREATE TEMP TABLE orders (plan text, keys text);
CREATE PROCEDURE try_plan(VARIADIC settings text[]) LANGUAGE plpgsql AS $$
DECLARE
    item text;
    name text := array_to_string(settings, ' ');
    condition text;
BEGIN
    FOREACH item IN ARRAY settings LOOP
        PERFORM set_config(split_part(item, '=', 1), split_part(item, '=', 2), true)
        FROM pg_settings WHERE pg_settings.name = split_part(item, '=', 1);
    END LOOP;
    FOREACH condition IN ARRAY ARRAY['true', 'false', 'part = ''b''', 'part = ''d''', 'id > 2998'] LOOP
        EXECUTE 'INSERT INTO orders SELECT $1, string_agg(part, '''') FROM '
            '(SELECT part, dp_count(*) FROM years WHERE ' || condition || ' GROUP BY part) q' USING name;
    END LOOP;
    INSERT INTO answers SELECT name, part, dp_count(x), dp_sum(x * y / 3), dp_avg(y) FROM years GROUP BY part;
    INSERT INTO answers SELECT name, 'all', dp_count(x), dp_sum(x * y / 3), dp_avg(y) FROM years;
    EXECUTE 'CREATE TEMP TABLE fresh AS SELECT part, dp_count(x) AS n, dp_sum(x * y / 3) AS s, dp_avg(y) AS a '
        'FROM years GROUP BY part';
    EXECUTE 'INSERT INTO answers SELECT $1, part, n, s, a FROM fresh' USING name;
    DROP TABLE fresh;
    COMMIT;
END $$;
CALL try_plan('enable_sort=on');
CALL try_plan('enable_hashjoin=off');
CALL try_plan('enable_mergejoin=off', 'enable_nestloop=off');
CALL try_plan('enable_hashjoin=off', 'enable_nestloop=off');
CALL try_plan('enable_hashjoin=off', 'enable_mergejoin=off', 'enable_material=off');
CALL try_plan('enable_hashagg=off');
CALL try_plan('enable_seqscan=off', 'enable_bitmapscan=off');
CALL try_plan('enable_partitionwise_aggregate=on', 'enable_partitionwise_join=on');
CALL try_plan('jit=on', 'jit_above_cost=0', 'jit_inline_above_cost=0');
CALL try_plan('force_parallel_mode=on', 'debug_parallel_query=on');
CALL try_plan('max_parallel_workers_per_gather=2', 'parallel_setup_cost=0', 'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0');
CALL try_plan('max_parallel_workers_per_gather=2', 'parallel_setup_cost=0', 'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0',
              'enable_hashagg=off', 'enable_partitionwise_aggregate=on', 'parallel_leader_participation=off');
ANALYZE years;
CALL try_plan('default_statistics_target=101');
SELECT part, count(DISTINCT plan) AS plans, count(DISTINCT (n, s, a)) AS answers FROM answers GROUP BY part ORDER BY part;
SELECT count(*) AS queries, count(DISTINCT keys) AS orders, min(keys) AS keys FROM orders;

-- The caller's privileges and row-level security stay in force.
CREATE ROLE regress_dpsens_reader;
GRANT USAGE ON SCHEMA dpsens_queries TO regress_dpsens_reader;
GRANT SELECT (id, age, sex) ON visits TO regress_dpsens_reader;
GRANT SELECT ON smokers TO regress_dpsens_reader;
RESET dpsens.noise;
RESET client_min_messages;
SET ROLE regress_dpsens_reader;
SELECT abs(dp_count(*) - 10) < 60 AS n, abs(dp_sum(age, 32) - 425) < 225 AS s FROM visits;
SELECT dp_sum(weight) FROM visits;
SELECT dp_sum(age) FROM visits WHERE feels = 'sad';
SELECT abs(dp_sum(double_weight) - 620.5) < 60 * 256 AS through_the_view FROM smokers;
SET dpsens.noise = off;
RESET ROLE;
GRANT SELECT ON visits TO regress_dpsens_reader;
ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON visits TO regress_dpsens_reader USING (region = 'north' AND id > 1);
CREATE VIEW watched AS SELECT id, age FROM visits;
GRANT SELECT ON watched TO regress_dpsens_reader;
SET ROLE regress_dpsens_reader;
-- at epsilon 64 a count is off by 1 with probability 1e-14
SELECT dp_count(true, 64) AS four_rows, abs(dp_sum(age, 64) - 120) < 120 AS s FROM visits;
SELECT dp_count(true, 64) AS ten_rows FROM watched;
SET row_security = off;
SELECT dp_count(*) FROM visits;
RESET row_security;
RESET ROLE;

-- With noise, answers are off by as much as epsilon says; the probability that
-- one of these is false is below 1e-12.
SELECT abs(dp_count(*) - 3000) < 60 AS count, abs(dp_sum(x) - 23562) < 60 * 16 AS sum, abs(dp_avg(y) - 7.5) < 1 AS avg FROM years;
SELECT part, abs(dp_count(*) - CASE WHEN part IN ('b', 'd') THEN 1000 ELSE 0 END) < 60 AS n FROM years GROUP BY part ORDER BY part;
SELECT count(*) AS keys, count(DISTINCT s) > 1 AS different
FROM (SELECT part, dp_sum(x) AS s FROM years WHERE false GROUP BY part) q;
SELECT abs(dp_sum(x)) < 60 * 16 AS s, dp_avg(x) BETWEEN 0 AND 16 AS a, abs(dp_count(x)) < 60 AS n FROM years WHERE x IS NULL;
SET dpsens.mechanism = gaussian;
SELECT abs(dp_count(*) - 3000) < 60 AS count, abs(dp_sum(x) - 23562) < 60 * 16 AS sum, abs(dp_avg(y) - 7.5) < 1 AS avg FROM years;
RESET dpsens.mechanism;

SET client_min_messages = warning;
DROP TABLE answers, orders, stored_too;
DROP SCHEMA dpsens_queries CASCADE;
DROP ROLE regress_dpsens_reader;
