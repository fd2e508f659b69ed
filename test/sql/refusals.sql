-- What is refused: each with its name, place and a way out.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_refusals;
SET search_path = dpsens_refusals, public;
SET DateStyle = 'ISO, YMD';

CREATE TABLE t (id int PRIMARY KEY, sex text, x float8, y float8 NOT NULL, k int NOT NULL, born date,
                bare float8, note json, pub int NOT NULL);
INSERT INTO t SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i % 50, i % 10, i % 7, '2020-01-01', i, '{}', i % 3
FROM generate_series(1, 100) i;
CREATE TABLE plain (id int PRIMARY KEY, x float8);
INSERT INTO plain SELECT i, i FROM generate_series(1, 5) i;
\o /dev/null
SELECT dpsens.protect('t', unit => 'id');
SELECT dpsens.set_range('t', 'x', 0, 50), dpsens.set_range('t', 'y', 0, 10), dpsens.set_range('t', 'k', 0, 6);
SELECT dpsens.set_values('t', 'sex', 'F', 'M');
SELECT dpsens.set_public('t', 'pub');
\o
RESET client_min_messages;

-- epsilon: nothing is chosen
SELECT dp_count(*) FROM t;
SELECT dp_sum(x) FROM t WHERE false;
\echo :SQLSTATE
-- as a setting
SET dpsens.epsilon = 0;
SET dpsens.epsilon = -1;
SET dpsens.epsilon = 'NaN';
SET dpsens.epsilon = 'Infinity';
SET dpsens.epsilon = '-Infinity';
SET dpsens.epsilon = 1e-30;
SET dpsens.epsilon = 1e30;
SET dpsens.epsilon = 'much';
SELECT set_config('dpsens.epsilon', NULL, false);
SHOW dpsens.epsilon;
SET dpsens.epsilon = 1;
-- as a constant
SELECT dp_sum(x, 0) FROM t;
\echo :SQLSTATE
SELECT dp_sum(x, -1) FROM t;
SELECT dp_sum(x, 'NaN') FROM t;
SELECT dp_avg(x, 'Infinity') FROM t;
SELECT dp_count(x, '-Infinity') FROM t;
SELECT dp_count(true, 1e-30) FROM t;
SELECT dp_sum(x, 1e30) FROM t;
SELECT dp_sum(x, NULL) FROM t;
\echo :SQLSTATE
SELECT dp_sum(x, 2 - 2) FROM t;
SELECT dp_sum(x, 1 / 0.0) FROM t;
-- as a parameter, whichever way it is planned
PREPARE e(float8) AS SELECT dp_sum(x, $1) > -1e6 AS answered FROM t;
SET plan_cache_mode = force_generic_plan;
EXECUTE e(1);
EXECUTE e(0);
EXECUTE e(-1);
EXECUTE e('NaN');
EXECUTE e('Infinity');
EXECUTE e('-Infinity');
EXECUTE e(NULL);
EXECUTE e(1e-30);
EXECUTE e(1e30);
SET plan_cache_mode = force_custom_plan;
EXECUTE e(1);
EXECUTE e(0);
EXECUTE e(-1);
EXECUTE e('NaN');
EXECUTE e('Infinity');
EXECUTE e('-Infinity');
EXECUTE e(NULL);
EXECUTE e(1e-30);
EXECUTE e(1e30);
RESET plan_cache_mode;
DO $$
DECLARE
    e float8;
    answer float8;
BEGIN
    FOREACH e IN ARRAY ARRAY[1, 0, -1, 'NaN', 'Infinity', '-Infinity', NULL, 1e-30, 1e30]::float8[] LOOP
        BEGIN
            answer := (SELECT dp_sum(x, e) FROM t);
            RAISE INFO 'epsilon %: answered', e;
        EXCEPTION WHEN OTHERS THEN
            RAISE INFO 'epsilon %: % %', e, SQLSTATE, SQLERRM;
        END;
    END LOOP;
END $$;
-- from the data, or from nowhere
SELECT dp_sum(x, y) FROM t;
\echo :SQLSTATE
SELECT dp_count(x, y) FROM t;
SELECT dp_sum(x, id) FROM t;
SELECT sex, dp_sum(x, length(sex)) FROM t GROUP BY sex;
SELECT dp_sum(x, random()) FROM t;
SELECT dp_sum(x, extract(epoch FROM now())::float8) FROM t;
SELECT dp_sum(x, (SELECT 1.0)) FROM t;
SELECT dp_sum(x, (SELECT avg(x) FROM t)) FROM t;
SELECT dp_sum(x, CASE WHEN x > 1 THEN 1 ELSE 2 END) FROM t;
SELECT dp_sum(x, current_setting('dpsens.epsilon')::float8) FROM t;
SELECT (SELECT dp_sum(x, p.x) FROM t) FROM plain p;
SELECT dp_sum(x, 1, 2) FROM t;

-- where the rows come from
SELECT dp_count(*);
\echo :SQLSTATE
SELECT dp_sum(x) FROM plain;
\echo :SQLSTATE
SELECT dp_count(*) FROM pg_class;
SELECT dp_count(*) FROM generate_series(1, 10);
SELECT dp_count(*) FROM (VALUES (1), (2)) v;
SELECT dp_count(*) FROM t, plain;
\echo :SQLSTATE
SELECT dp_count(*) FROM t a, t b;
SELECT dp_count(*) FROM t JOIN plain ON plain.id < t.id;
SELECT dp_count(*) FROM t LEFT JOIN plain ON plain.id = t.id OR plain.id = 1;
SELECT dp_count(*) FROM t FULL JOIN plain USING (id);
SELECT dp_count(*) FROM plain LEFT JOIN t USING (id);
SELECT dp_count(*) FROM t JOIN LATERAL (SELECT p.x FROM plain p WHERE p.id < t.id) l ON true;
SELECT dp_count(*) FROM (SELECT 1) a, (SELECT 2) b;
SELECT dp_count(*) FROM t TABLESAMPLE bernoulli (50);
SELECT dp_sum(x) FROM (SELECT x FROM t UNION ALL SELECT x FROM t) s;
SELECT dp_sum(x) FROM (SELECT x FROM t INTERSECT SELECT x FROM t) s;
SELECT dp_sum(x) FROM (SELECT DISTINCT x FROM t) s;
SELECT dp_sum(x) FROM (SELECT DISTINCT ON (x) x FROM t) s;
SELECT dp_sum(x) FROM (SELECT x FROM t LIMIT 3) s;
SELECT dp_sum(x) FROM (SELECT x FROM t OFFSET 3) s;
SELECT dp_sum(x) FROM (SELECT x FROM t GROUP BY x) s;
SELECT dp_sum(x) FROM (SELECT sum(x) AS x FROM t) s;
SELECT dp_sum(x) FROM (SELECT x, rank() OVER (ORDER BY x) FROM t) s;
SELECT dp_sum(x) FROM (SELECT x, generate_series(1, 2) FROM t) s;
SELECT dp_sum(x) FROM (SELECT x FROM t FOR UPDATE) s;
SELECT dp_sum(x) FROM (SELECT s.x FROM (SELECT x FROM t LIMIT 3) s) r;
WITH s AS (SELECT x FROM t LIMIT 3) SELECT dp_sum(x) FROM s;
WITH s AS (DELETE FROM t WHERE false RETURNING x) SELECT dp_sum(x) FROM s;
SELECT dp_sum(n) FROM (SELECT dp_count(*) AS n FROM t GROUP BY sex) s;
CREATE MATERIALIZED VIEW copied AS SELECT * FROM t;
SELECT dp_sum(x) FROM copied;
DROP MATERIALIZED VIEW copied;

-- whose rows they are
CREATE TABLE unit (id int, x float8);
SELECT dpsens.protect('unit', unit => 'id');
SELECT dp_count(*) FROM unit;
\echo :SQLSTATE
\set VERBOSITY terse
CREATE UNIQUE INDEX ON unit (id) WHERE x > 0;
CREATE UNIQUE INDEX ON unit (id, x);
CREATE UNIQUE INDEX ON unit (abs(id));
CREATE INDEX ON unit (id);
ALTER TABLE unit ADD EXCLUDE USING btree (id WITH =);
ALTER TABLE unit ADD UNIQUE (id) DEFERRABLE;
ALTER TABLE unit ALTER id SET NOT NULL;
SELECT dp_count(*) FROM unit;
ALTER TABLE unit ALTER id DROP NOT NULL;
CREATE UNIQUE INDEX unit_id ON unit (id);
SELECT dp_count(*) FROM unit;
ALTER TABLE unit ALTER id SET NOT NULL;
PREPARE unit_count AS SELECT abs(dp_count(*)) < 60 AS answered FROM unit;
EXECUTE unit_count;
ALTER TABLE unit ALTER id DROP NOT NULL;
EXECUTE unit_count;
ALTER TABLE unit ALTER id SET NOT NULL;
EXECUTE unit_count;
DROP INDEX unit_id;
EXECUTE unit_count;
CREATE UNIQUE INDEX unit_id ON unit (id) INCLUDE (x);
EXECUTE unit_count;
CREATE TABLE unit_child () INHERITS (unit);
EXECUTE unit_count;
SELECT dp_count(*) FROM unit_child;
DROP TABLE unit_child;
EXECUTE unit_count;
\o /dev/null
SELECT dpsens.unprotect('unit');
\o
EXECUTE unit_count;
\set VERBOSITY default

-- which columns
SELECT dp_sum(bare) FROM t;
\echo :SQLSTATE
SELECT dp_sum(x + s.bare) FROM (SELECT x, bare FROM t) s;
SELECT dp_avg(extract(epoch FROM born)::float8) FROM t;
SELECT dp_sum(t.*) FROM t;
SELECT dp_count(t) FROM t;
SELECT dp_count(s) FROM (SELECT x FROM t) s;
SELECT dp_count(ctid) FROM t;
SELECT dp_sum(note) FROM t;
SELECT dp_sum(sex) FROM t;
SELECT dp_sum(nowhere) FROM t;
PREPARE p(float8) AS SELECT dp_sum(x * $1) FROM t;
EXECUTE p(1);

-- which operations
SELECT dp_sum(x + random()) FROM t;
\echo :SQLSTATE
SELECT dp_sum(x + (SELECT 1)) FROM t;
SELECT dp_sum((SELECT max(x) FROM t)) FROM t;
SELECT dp_sum(length(sex)) FROM t;
SELECT dp_count(upper(sex)) FROM t;
SELECT dp_sum(x::text::float8) FROM t;
SELECT dp_sum((note->>'a')::float8) FROM t;
SELECT dp_sum((ARRAY[x, y])[1]) FROM t;
SELECT dp_sum(extract(year FROM born)::float8) FROM t;
SELECT dp_sum(1 / x) FROM t;
\echo :SQLSTATE
SELECT dp_sum(ln(x - 1)) FROM t;
SELECT dp_sum(sqrt(y - 1)) FROM t;
SELECT dp_sum(k % (k - 3)) FROM t;
SELECT dp_sum(exp(x * 100)) FROM t;
-- somebody's own functions and operators, whatever they are called
CREATE SCHEMA dpsens_shadow;
CREATE FUNCTION dpsens_shadow.exp(float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT 1.0::float8';
CREATE FUNCTION dpsens_shadow.minus(float8, float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE FUNCTION dpsens_shadow.halve(float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 / 2; END';
CREATE OPERATOR dpsens_shadow.- (LEFTARG = float8, RIGHTARG = float8, FUNCTION = dpsens_shadow.minus);
CREATE FUNCTION dpsens_shadow.own_exp(float8) RETURNS float8 IMMUTABLE STRICT LANGUAGE internal AS 'dexp';
CREATE FUNCTION dpsens_shadow.dp_sum_step(float8, float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT $1 + $2';
CREATE AGGREGATE dpsens_shadow.dp_sum(float8) (SFUNC = dpsens_shadow.dp_sum_step, STYPE = float8, INITCOND = 0);
SELECT dp_sum(dpsens_shadow.halve(x)) FROM t;
SELECT dp_sum(dpsens_shadow.own_exp(x)) FROM t;
SELECT public.dp_sum(x), dpsens_shadow.dp_sum(x) FROM t;
SET search_path = dpsens_shadow, pg_catalog, dpsens_refusals, public;
SELECT public.dp_sum(exp(x)) FROM t;
SELECT public.dp_sum(x - y) FROM t;
SELECT public.dp_sum(x + y) > -1e6 AS answered FROM t;
SET search_path = dpsens_refusals, public;
SET client_min_messages = warning;
DROP SCHEMA dpsens_shadow CASCADE;
RESET client_min_messages;

-- how the aggregate is written
SELECT dp_count(DISTINCT x) FROM t;
\echo :SQLSTATE
SELECT dp_sum(DISTINCT x) FROM t;
SELECT dp_sum(x ORDER BY y) FROM t;
SELECT dp_sum(x), dp_sum(x ORDER BY y) FROM t;
SELECT dp_sum(x) OVER () FROM t;
SELECT dp_count(*) OVER (PARTITION BY sex ORDER BY x) FROM t;
SELECT dp_sum(x) WITHIN GROUP (ORDER BY x) FROM t;
SELECT dp_sum(dp_count(*)) FROM t;
SELECT dp_sum(x => x) FROM t;
SELECT dp_count(*, 1.0) FROM t;

-- what stands beside it
SELECT dp_count(*), count(*) FROM t;
\echo :SQLSTATE
SELECT dp_count(*) FROM t HAVING max(x) > 1;
SELECT sex, dp_count(*) FROM t GROUP BY sex ORDER BY avg(x);
SELECT x, dp_count(*) FROM t;
SELECT dp_count(*), (SELECT max(p.x) FROM plain p WHERE p.x < avg(t.x)) FROM t;
SELECT sex, dp_count(*), (SELECT count(*) FROM plain WHERE t.sex = 'F') FROM t GROUP BY sex;
WITH a AS (SELECT 1 AS one) SELECT dp_count(*), (SELECT one FROM a) FROM t;

-- groups
SELECT dp_count(*) FROM t GROUP BY note::text;
\echo :SQLSTATE
SELECT dp_count(*) FROM t GROUP BY age(born);
\echo :SQLSTATE
SELECT dp_count(*) FROM t GROUP BY random() < 0.5;
SELECT dp_count(*) FROM t GROUP BY (SELECT 1);
SELECT dp_count(*) FROM t GROUP BY repeat(sex, k);
SELECT dp_count(*) FROM t GROUP BY t;
SELECT dp_count(*) FROM t GROUP BY ctid;
SELECT s, dp_count(*) FROM (SELECT sex || random() AS s FROM t) q GROUP BY s;
RESET dpsens.epsilon;
SELECT x, dp_count(true, 1) FROM t GROUP BY x;
\echo :SQLSTATE
SET dpsens.epsilon = 1;
SELECT dp_suppressed();
SELECT dp_suppressed() FROM t GROUP BY x;
SELECT sex, (SELECT count(*) FROM plain WHERE t.sex = 'F'), dp_count(*) FROM t GROUP BY CUBE (sex);
\echo :SQLSTATE
WITH a AS (SELECT 1 AS one) SELECT sex, dp_count(*) FROM t WHERE x > (SELECT one FROM a) GROUP BY ROLLUP (sex);
SELECT sex, dp_count(*) FROM t GROUP BY CUBE (sex, x, y, k, pub, id, born, bare);
SELECT sex, dp_count(*), count(*) FROM t GROUP BY ROLLUP (sex);

-- which rows
SELECT dp_count(*) FROM t WHERE random() < 0.5;
\echo :SQLSTATE
CREATE SEQUENCE drawn;
SELECT dp_count(*) FROM t WHERE nextval('drawn') < 10;
SELECT dp_count(*) FROM t WHERE set_config('dpsens_refusals.x', x::text, false) = '5';
SELECT dp_count(*) FILTER (WHERE random() < 0.5) FROM t;
SELECT dp_count(*) FROM (SELECT * FROM t WHERE random() < 0.5) s;
SELECT dp_count(*) FROM t WHERE x > (SELECT avg(x) FROM t);
\echo :SQLSTATE
SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM t other WHERE other.x = t.x AND other.id < t.id);
SELECT dp_count(*) FILTER (WHERE x > (SELECT avg(x) FROM t)) FROM t;
SELECT dp_count(*) FILTER (WHERE id IN (SELECT id FROM plain)) FROM t;

-- which statements
SELECT dp_count(*) FROM t FOR UPDATE;
SELECT * FROM plain WHERE x < (SELECT dp_count(*) FROM t) FOR UPDATE;
\echo :SQLSTATE
UPDATE plain SET x = (SELECT dp_count(*) FROM t);
\echo :SQLSTATE
DELETE FROM plain WHERE x > (SELECT dp_count(*) FROM t);
MERGE INTO plain USING (SELECT dp_count(*) AS n FROM t) s ON plain.x = s.n WHEN MATCHED THEN DO NOTHING;
UPDATE plain SET x = dp_count(*);
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT dp_count(*) FROM t) AND n < 5) SELECT * FROM r;
SELECT p.x, (SELECT dp_count(*) FROM t WHERE t.x = p.x) FROM plain p;
\echo :SQLSTATE
SELECT * FROM plain p, LATERAL (SELECT dp_count(*) FROM t WHERE t.x = p.x) l;
SELECT * FROM plain p WHERE EXISTS (SELECT 1 FROM t WHERE t.x = p.x HAVING dp_count(*) > 3);
SELECT * FROM plain p WHERE p.x IN (SELECT dp_count(*) + p.x FROM t);

-- what is not for users
SELECT dpsens_internal.release_count(NULL, NULL);
\echo :SQLSTATE
SELECT dpsens_internal.release_value(NULL, NULL);
SELECT dpsens_internal.release_value('\x0102'::dpsens_internal.plan, NULL);
SELECT dpsens_internal.release_value('\x0102'::bytea::dpsens_internal.plan, NULL);
SELECT dpsens_internal.release_value(NULL::text::dpsens_internal.plan, NULL);
SELECT dpsens_internal.exact_state(NULL) FROM t;
SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, x) FROM t;
SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, x) OVER () FROM t;
SELECT dp_count(*), dpsens_internal.exact_state(NULL::dpsens_internal.plan, x) FROM t;
SELECT dp_count(*) FROM t HAVING dpsens_internal.release_count(NULL, NULL) > 0;
SELECT dp_count(*) FROM t WHERE dpsens_internal.release_count(NULL, NULL) > 0;
EXPLAIN (COSTS OFF) SELECT dpsens_internal.release_count(NULL, NULL);
CREATE FUNCTION call_release() RETURNS bigint LANGUAGE sql AS 'SELECT dpsens_internal.release_count(NULL, NULL)';
CREATE FUNCTION do_release() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN dpsens_internal.release_count(NULL, NULL); END';
SELECT do_release();
CREATE TABLE defaults (n bigint, m bigint DEFAULT dpsens_internal.release_count(NULL, NULL));
INSERT INTO defaults (n) VALUES (1);
INSERT INTO defaults (n) SELECT dp_count(*) FROM t;
TABLE defaults;

-- The rest needs no more than a code: refused before any row is read.
CREATE FUNCTION refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE = 'XX000' THEN SQLERRM ELSE SQLSTATE END;
END $$;
CREATE TABLE checked (n bigint CHECK (dpsens_internal.release_count(NULL, NULL) > 0));
CREATE VIEW v AS SELECT * FROM t;
CREATE VIEW filtered AS SELECT * FROM t WHERE x < (SELECT max(x) FROM t);
CREATE VIEW locked AS SELECT * FROM plain WHERE x < (SELECT dp_count(*) FROM t) FOR UPDATE;
SELECT query, refusal(query) FROM (VALUES
    -- whether a row counts must depend on this row alone, at every level below
    ('SELECT dp_count(*) FROM (SELECT * FROM t WHERE x IN (SELECT x FROM t)) s'),
    ('SELECT dp_count(*) FROM filtered'),
    ('SELECT dp_count(*) FROM t WHERE x IN (SELECT x FROM v)'),
    ('SELECT dp_count(*) FROM t WHERE x IN (SELECT y FROM (SELECT y FROM plain, v) s)'),
    ('WITH w AS (SELECT x FROM t) SELECT dp_count(*) FROM t WHERE x IN (SELECT x FROM w)'),
    ('WITH w AS MATERIALIZED (SELECT avg(x) AS a FROM t) SELECT dp_count(*) FROM t WHERE x > (SELECT a FROM w)'),
    ('SELECT * FROM (WITH w AS (SELECT x FROM v) SELECT dp_count(*) FROM t WHERE x IN (TABLE w)) s'),
    ('WITH w AS (SELECT x FROM t) SELECT (SELECT dp_count(*) FROM t WHERE x IN (SELECT x FROM w))'),
    ('WITH w AS (SELECT avg(x) AS a FROM t) SELECT dp_count(*) FILTER (WHERE x > (SELECT a FROM w)) FROM t'),
    ('WITH s AS (SELECT x FROM t WHERE x > (SELECT avg(x) FROM t)) SELECT dp_sum(x) FROM s'),
    ('WITH s AS (SELECT x FROM t LIMIT 3) SELECT (SELECT dp_sum(x) FROM s)'),
    ('WITH s AS (SELECT x FROM t), r AS (SELECT x FROM s UNION ALL SELECT x FROM s) SELECT dp_sum(x) FROM r'),
    ('WITH s AS (SELECT x FROM t) SELECT dp_sum(a.x) FROM s a, s b'),
    ('WITH s AS (SELECT x FROM t) SELECT dp_sum(x) FROM s WHERE x IN (SELECT x FROM s)'),
    ('WITH RECURSIVE s AS (SELECT x FROM t UNION ALL SELECT x + 1 FROM s WHERE x < 3) SELECT dp_sum(x) FROM s'),
    ('WITH s AS (INSERT INTO plain SELECT id + 100, x FROM t RETURNING x) SELECT dp_sum(x) FROM s'),
    ('SELECT dp_count(*) FROM t WHERE ctid > ''(0,5)'''),
    ('SELECT dp_count(*) FROM t WHERE xmin::text <> ''7'''),
    ('SELECT dp_count(*) FILTER (WHERE ctid > ''(0,5)'') FROM t'),
    ('SELECT dp_count(*) FROM (SELECT * FROM t WHERE ctid > ''(0,5)'') s'),
    ('SELECT dp_count(*) FROM (SELECT ctid AS c FROM t) s WHERE c > ''(0,5)'''),
    ('SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM plain WHERE t.ctid > ''(0,5)'')'),
    ('SELECT dp_count(*) FROM t WHERE id IN (SELECT id FROM plain ORDER BY t.tableoid LIMIT 1)'),
    ('SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM plain p WHERE 1 IN (SELECT 1 WHERE t.xmin <> p.xmin))'),
    ('SELECT dp_sum(tableoid::int) FROM t'),
    -- statements that may run the answers again, at any depth
    ('WITH w AS (UPDATE plain SET x = (SELECT dp_count(*) FROM t) RETURNING x) SELECT * FROM w'),
    ('WITH w AS (DELETE FROM plain WHERE x > (SELECT dp_count(*) FROM t) RETURNING x) SELECT * FROM w'),
    ('WITH n AS (SELECT dp_count(*) AS n FROM t), w AS (UPDATE plain SET x = n FROM n RETURNING x) SELECT * FROM w'),
    ('SELECT * FROM (SELECT * FROM plain WHERE x < (SELECT dp_count(*) FROM t) FOR UPDATE) s'),
    ('SELECT * FROM locked'),
    ('SELECT (SELECT max(x) FROM (SELECT x FROM plain WHERE x < (SELECT dp_count(*) FROM t) FOR SHARE) s)'),
    -- an aggregate of an outer query
    ('SELECT (SELECT dp_sum(t.x)) FROM t'),
    ('SELECT (SELECT dp_sum(t.x) FROM plain) FROM t'),
    ('SELECT dp_count(*), (SELECT dp_sum(t.x) FROM plain LIMIT 1) FROM t'),
    ('SELECT sex FROM t GROUP BY sex HAVING EXISTS (SELECT 1 FROM plain WHERE plain.x < dp_sum(t.x))'),
    -- correlated at some depth
    ('SELECT p.x, (SELECT n FROM (SELECT dp_count(*) AS n FROM t WHERE t.x > p.x) s) FROM plain p'),
    ('SELECT p.x, (SELECT n FROM (SELECT dp_count(*) + p.x AS n FROM t) s) FROM plain p'),
    ('SELECT p.x, (SELECT dp_count(*) FROM t LIMIT p.x) FROM plain p'),
    ('SELECT p.x, (SELECT dp_count(*) FROM (SELECT * FROM t WHERE t.x > p.x) s) FROM plain p'),
    -- internals that are written where no planner hook sees them
    ('SELECT call_release()'),
    ('SELECT dp_count(*) + call_release() FROM t'),
    ('INSERT INTO checked SELECT dp_count(*) FROM t')
) AS queries (query);

SET client_min_messages = warning;
DROP SCHEMA dpsens_refusals CASCADE;
