-- audit.sql
--	What a column of an audit view costs beside the same closed form written by
--	hand, on the same rows in the same session: the two take turns, after a turn
--	of each that is not counted.
--
--	psql -v rows=1000000 -v turns=7 -f bench/audit.sql
--
-- Needs a database of its own and a server that preloads dpsens.
\set ON_ERROR_STOP 1
\set QUIET on
\if :{?rows}
\else
\set rows 1000000
\endif
\if :{?turns}
\else
\set turns 7
\endif
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP TABLE IF EXISTS people CASCADE;
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, weight_kg float8 NOT NULL, height_cm float8 NOT NULL);
INSERT INTO people SELECT i, 18 + i * 37 % 82, 40 + i * 31 % 100, 140 + i * 29 % 70 FROM generate_series(1, :rows) AS i;
VACUUM ANALYZE people;
\o /dev/null
SELECT dpsens.protect('people', 'id'), dpsens.set_range('people', 'age', 18, 100), dpsens.set_range('people', 'weight_kg', 20, 300),
    dpsens.set_range('people', 'height_cm', 100, 230);
SELECT dpsens.register('bmi_age', 'people', 'age * weight_kg / (height_cm / 100) ^ 2');
SELECT dpsens.create_audit_view('bmi_age(people)');
\o

-- The closed forms are those of dpsens.gradient.
CREATE TEMP TABLE columns AS
WITH forms AS (SELECT name, sql FROM dpsens.gradient('age * weight_kg / (height_cm / 100) ^ 2', '{"age": [18, 100], "weight_kg": [20, 300], "height_cm": [100, 230]}'))
SELECT 1 AS place, 'value' AS name, 'age * weight_kg / (height_cm / 100) ^ 2' AS by_hand
UNION ALL SELECT 2, 'gradient_norm', sql FROM forms WHERE name = 'norm'
UNION ALL SELECT 3, 'slope_age', sql FROM forms WHERE name = 'age'
UNION ALL SELECT 4, 'contribution_age', sql FROM forms WHERE name = 'normalized:age'
UNION ALL SELECT 5, 'partial_age', sql FROM forms WHERE name = 'partial:age'
UNION ALL SELECT 6, 'plis_age', '2 * age * weight_kg / (height_cm / 100) ^ 2 * (' || sql || ')' FROM forms WHERE name = 'age';
INSERT INTO columns
SELECT 7, string_agg(name, ', ' ORDER BY place), string_agg(by_hand, ', ' ORDER BY place) FROM columns;

CREATE FUNCTION pg_temp.milliseconds(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 ->> 'Execution Time';
END$$;
CREATE TEMP TABLE turns AS
SELECT turn, place, pg_temp.milliseconds(format('SELECT %s FROM people', by_hand)) AS by_hand,
       pg_temp.milliseconds(format('SELECT %s FROM bmi_age_audit', name)) AS view
FROM generate_series(0, :turns) AS turn, LATERAL (SELECT * FROM columns ORDER BY place + 0 * turn) AS c;
SELECT CASE place WHEN 7 THEN 'these six' ELSE name END AS "column", round(h::numeric, 1) AS "by hand, ms", round(v::numeric, 1) AS "view, ms",
       round((v / h)::numeric, 2) AS ratio
FROM (SELECT place, percentile_cont(0.5) WITHIN GROUP (ORDER BY by_hand) AS h, percentile_cont(0.5) WITHIN GROUP (ORDER BY view) AS v
      FROM turns WHERE turn > 0 GROUP BY place) AS medians JOIN columns USING (place) ORDER BY place;
DROP TABLE people CASCADE;
