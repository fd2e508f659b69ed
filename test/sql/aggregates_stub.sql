-- The catalog side of the aggregates: what they are called, what refuses to
-- run, and that their exact stage does not depend on the plan.

SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;

SELECT p.oid::regprocedure AS aggregate, p.prorettype::regtype AS result, d.description IS NOT NULL AS described
  FROM pg_proc p LEFT JOIN pg_description d ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass
 WHERE p.prokind = 'a' AND p.proname LIKE 'dp\_%' ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Opaque types have no text form.
SELECT ''::dpsens_internal.state;
SELECT '\x00'::dpsens_internal.plan;
SELECT NULL::dpsens_internal.state IS NULL;
SELECT NULL::dpsens_internal.state::bytea;
SELECT count(*) FROM pg_operator
 WHERE oprleft IN ('dpsens_internal.state'::regtype, 'dpsens_internal.plan'::regtype);
SELECT count(*) FROM pg_cast
 WHERE castsource IN ('dpsens_internal.state'::regtype, 'dpsens_internal.plan'::regtype)
    OR casttarget IN ('dpsens_internal.state'::regtype, 'dpsens_internal.plan'::regtype);
SELECT typname, typreceive, typsend, typstorage FROM pg_type
 WHERE oid IN ('dpsens_internal.state'::regtype, 'dpsens_internal.plan'::regtype) ORDER BY 1;
SELECT oid::regprocedure AS function, provolatile, proparallel, proisstrict FROM pg_proc
 WHERE pronamespace = 'dpsens_internal'::regnamespace AND proname ~ '^(exact|release)_' ORDER BY oid::regprocedure::text COLLATE "C";

-- Internal functions are not for users.
SELECT dpsens_internal.release_count(NULL, NULL);
SELECT dpsens_internal.release_value(NULL, NULL);
SELECT dpsens_internal.exact_state(NULL);
SELECT dpsens_internal.exact_state(NULL, 1);
SELECT dpsens_internal.stub_count(1);

-- A query that was planned without dpsens gives no answer, on no rows either.
CREATE TABLE stub_rows (id int PRIMARY KEY, part int NOT NULL, x float8, y numeric);
INSERT INTO stub_rows
SELECT i, i % 7, CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 1e308 ELSE i % 100 END, i / 8.0
  FROM generate_series(1, 5000) i;
ANALYZE stub_rows;
SELECT dpsens.protect('stub_rows', unit => 'id');
SELECT dpsens.set_range('stub_rows', 'x', 0, 50);
SELECT dpsens.set_range('stub_rows', 'y', -10, 500);
SET dpsens.epsilon = 1;

CREATE FUNCTION merged_count() RETURNS TABLE (n bigint) LANGUAGE sql STABLE
AS 'SELECT dp_count(*) FROM stub_rows';
CREATE FUNCTION merged_empty() RETURNS TABLE (s float8) LANGUAGE sql STABLE
AS 'SELECT dp_sum(x) FROM stub_rows WHERE false';
SELECT * FROM merged_count();
SELECT * FROM merged_empty();
ALTER FUNCTION merged_count() VOLATILE;
SELECT n BETWEEN 4000 AND 6000 AS answers FROM merged_count();

SELECT dp_sum(x) OVER () FROM stub_rows;

-- Without noise, which only a superuser can turn off, the value is exact, with
-- cells clamped into their ranges; NULL and NaN add nothing and are not
-- counted.
SET dpsens.noise = off;
SELECT dp_count(*) AS rows, dp_count(x) AS valid, dp_sum(x) AS sum, dp_avg(x) AS avg FROM stub_rows;
SET client_min_messages = error;
SELECT sum(least(x, 50)) AS sum, avg(least(x, 50)) AS avg FROM stub_rows WHERE x <> 'NaN';

-- The same bits from any plan.
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE serial AS
SELECT dp_count(x) AS n, dp_sum(x * y / 3) AS s, dp_avg(y) AS a FROM stub_rows;
SET enable_seqscan = off;
CREATE TEMP TABLE by_index AS
SELECT dp_count(x) AS n, dp_sum(x * y / 3) AS s, dp_avg(y) AS a FROM stub_rows WHERE id > 0;
RESET enable_seqscan;
SET dpsens.enable_table_sums = off;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dp_count(x) AS n, dp_sum(x * y / 3) AS s, dp_avg(y) AS a FROM stub_rows;
CREATE TEMP TABLE parallel AS
SELECT dp_count(x) AS n, dp_sum(x * y / 3) AS s, dp_avg(y) AS a FROM stub_rows;
SELECT count(*) AS plans, count(DISTINCT (n, s, a)) AS answers
  FROM (TABLE serial UNION ALL TABLE by_index UNION ALL TABLE parallel) AS answers;

RESET client_min_messages;
RESET dpsens.noise;
DROP FUNCTION merged_count(), merged_empty();
DROP TABLE stub_rows;
