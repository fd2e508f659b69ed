-- What works on a server that does not preload dpsens, and what does not: no
-- shape of query gets a number out of a dp aggregate, and nothing crashes.
-- Files: glue/dpsens.c.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_unpreloaded;
SET search_path = dpsens_unpreloaded, public;
RESET client_min_messages;

-- analysis without data needs no hooks
SELECT quantity, round(upper::numeric, 6) AS upper
FROM dpsens.sensitivity('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}') WHERE quantity IN ('metric', 'replace');
SELECT name, sql FROM dpsens.gradient('a * b', '{"a": [1, 2], "b": [0.5, 3]}') WHERE name IN ('a', 'b');
SELECT value FROM dpsens.evaluate('a * b', '{"a": 2, "b": 3}');
SET dpsens.epsilon = 1;
SET dpsens.epsilon = 0;
SHOW dpsens.mechanism;

CREATE TABLE t (id int PRIMARY KEY, sex text, x float8);
INSERT INTO t VALUES (1, 'F', 1), (2, 'M', 2);
\o /dev/null
SELECT dpsens.protect('t', unit => 'id');
SELECT dpsens.set_range('t', 'x', 0, 10);
SELECT dpsens.set_values('t', 'sex', 'F', 'M');
\o
SECURITY LABEL FOR dpsens ON COLUMN t.x IS 'RANGE [0, 5]';
SECURITY LABEL FOR dpsens ON COLUMN t.x IS 'nonsense';
SELECT column_name, role, lo, hi, "values" FROM dpsens.columns WHERE relation = 't'::regclass;

-- one answer of each kind of query would be one too many
SELECT dp_count(*), dp_sum(x), dp_avg(x, 0.5) FROM t;
\echo :SQLSTATE
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT sex, dp_count(*) FROM t GROUP BY sex;
SELECT dp_sum(x) FROM t WHERE false;
SELECT sex FROM t GROUP BY sex HAVING dp_count(*) > 0;
SELECT 1 FROM t ORDER BY dp_count(*);
SELECT dp_count(*) FILTER (WHERE false) FROM t;
SELECT dp_sum(x) OVER (ORDER BY x) FROM t;
SELECT * FROM (SELECT dp_sum(x) FROM t) s;
SELECT EXISTS (SELECT 1 FROM t HAVING dp_sum(x) > 0);
WITH a AS MATERIALIZED (SELECT dp_sum(x) FROM t) SELECT * FROM a;
SELECT x, (SELECT dp_sum(x) FROM t) FROM t;
SELECT dp_count(*), count(*) FROM t;
SELECT dp_sum(x) FROM t, generate_series(1, 3);
SELECT dp_sum(v) FROM (VALUES (1.0), (2.0)) s (v);
CREATE TABLE kept AS SELECT dp_sum(x) FROM t;
CREATE VIEW answers AS SELECT dp_sum(x) AS s FROM t;
TABLE answers;
PREPARE answer(float8) AS SELECT dp_sum(x, $1) FROM t;
EXECUTE answer(1);
COPY (SELECT dp_sum(x) FROM t) TO STDOUT;
INSERT INTO t SELECT 3, 'F', dp_sum(x) FROM t;
UPDATE t SET x = (SELECT dp_sum(x) FROM t);
CREATE FUNCTION sum_of_t() RETURNS float8 LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_sum(x) FROM t); END';
SELECT sum_of_t();
BEGIN;
DECLARE c CURSOR FOR SELECT dp_sum(x) FROM t;
FETCH c;
ROLLBACK;
SET dpsens.noise = off;
SELECT dp_sum(x) FROM t;
RESET dpsens.noise;
EXPLAIN ANALYZE SELECT dp_sum(x) FROM t;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT dp_sum(x) FROM t;
SELECT sex, dp_sum(x) FROM t GROUP BY sex;
RESET max_parallel_workers_per_gather;

-- loading it later installs nothing
LOAD 'dpsens';
SELECT dp_count(*) FROM t;
SELECT dpsens_internal.release_count(NULL, NULL);
SELECT dpsens_internal.release_value(NULL, NULL);
SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan) FROM t;
SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, x) FROM t;
SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, x) OVER () FROM t;
SELECT 'x'::dpsens_internal.plan;
SELECT count(*) AS rows FROM t;

-- what a query would cost is still known
SELECT aggregate, sensitivity, noise_scale FROM dpsens.explain('SELECT dp_sum(x), dp_count(*) FROM t');

DROP SCHEMA dpsens_unpreloaded CASCADE;
