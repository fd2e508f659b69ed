-- choices.sql
--	What dpsens.explain promises of the error of quantiles, modes, histograms, distinct counts
--	and truths, and what their intervals say of the noise, on the survey and on two skewed
--	tables, as promises.sql does for statistics of sums.
--
-- A promise of a quantile is one in parts of all values: how far the answer's place among
-- them is from the level.  One of a mode is in rows: by how many the answer is rarer.
-- That of several quantiles holds for all of them together, that of a histogram for each
-- bucket, of which the first is looked at.  A truth that is wrong is so by the rows that would
-- decide it, six in two of the tables.  Intervals hold together.
--
-- Either is to be kept with a probability of 0.95 at least: fewer than 255 of 300 runs (0.85)
-- are as rare as exp(-300 KL(0.85, 0.95)) = 7e-10.
--
-- Intervals of numbers are not to be much wider than the noise asks for: shrunk to 1 / 1.5 they
-- hold the truth in 0.87 of the runs at most (a tail of exp(-3) becomes one of exp(-2)), so that more than 297 of
-- 300 are rarer than 1e-14.
--
-- Quantiles and modes are chosen, and what is said of them holds for all data: as many points of
-- the lattice as there are may lie one value beyond the quantile, so ends keep a distance of
-- log(points / missed) where values that lie densely would ask for log(1 / missed).  Noise alone
-- does not decide that, and 1.5 is not asked for.  But of a quantile they are no farther than the
-- argument of agg/families/quantile_interval.c needs: with thirds of epsilon a draw aims at 3.45
-- times the promised error from the level at most, log(40 (points + 1)) being 1.15 times
-- log(20 points) at most for these.  Ends that are 6.5 times as far are missed by less than 0.05 each, by
-- the promise itself.  Where there are tens of thousands of points, of a density that changes
-- by less than five times within an interval, a draw is 1.15 times the promise beyond its aim with a
-- probability of 5 (20 points)^-0.38 = 0.03: there 4.6 is asked for, and an interval that is twice as wide fails.
-- Intervals of three levels have nine draws, but the answer's two depths: what is promised of it is 1 / 1.35 of what as many
-- draws as levels would err by, at 20 to 60,000 points.  A minimum or maximum aims at 1.3 times and misses 2.5 with less than 0.05.  So fewer than 225 of
-- 300 runs are rarer than exp(-300 KL(0.75, 0.9)) = 1e-12.
--
-- 60 figures of the first kind, 6 of the second and 12 of ends: the false-alarm rate of the file is below 5e-8.
--
-- Noise cannot be seeded: a failure prints the figures.
\set QUIET on
SET client_min_messages = error;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_choices CASCADE;
CREATE SCHEMA dps_choices;
SET search_path = dps_choices, public;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET synchronous_commit = off;
\i demo/schema.sql
\i demo/load.sql
\i demo/annotate.sql

-- Bills of a hospital: most are small, few are near the end of the range.
CREATE TABLE bills (id int PRIMARY KEY, cost float8 NOT NULL, ward text NOT NULL, late boolean NOT NULL);
INSERT INTO bills
SELECT i, least(100000, 500 * exp(2 * z)), 'ward ' || least(9, floor(exp(abs(z)))), i % 600 = 0
FROM (SELECT i, sqrt(-2 * ln((i::bigint * 104729 % 10009 + 0.5) / 10009)) * cos(2 * pi() * (i::bigint * 1299709 % 10037) / 10037.0) AS z FROM generate_series(1, 4000) AS i) AS s;
SELECT dpsens.protect('bills', unit => 'id'), dpsens.set_range('bills', 'cost', 0, 100000),
    dpsens.set_values('bills', 'ward', VARIADIC ARRAY(SELECT 'ward ' || i FROM generate_series(0, 12) i));

-- What people owe: nothing, for most of them.
CREATE TABLE debts (id int PRIMARY KEY, owed int NOT NULL, grade text NOT NULL, old boolean NOT NULL);
INSERT INTO debts
SELECT i, CASE WHEN i % 5 = 0 THEN least(50000, 300 / power((i::bigint * 7919 % 10007 + 0.5) / 10007, 0.6)) ELSE 0 END, chr(65 + (i % 26) * (i % 26) / 26), i % 800 = 0
FROM generate_series(1, 5000) AS i;
SELECT dpsens.protect('debts', unit => 'id'), dpsens.set_range('debts', 'owed', 0, 60000),
    dpsens.set_values('debts', 'grade', VARIADIC ARRAY(SELECT chr(64 + i) FROM generate_series(1, 30) i));
ANALYZE bills, debts;

CREATE TABLE subject (place int PRIMARY KEY, tab text, y text, k text, flag text, flagged bigint);
INSERT INTO subject VALUES (1, 'nhanes', 'age', 'education', 'age > 79'), (2, 'bills', 'cost', 'ward', 'late'), (3, 'debts', 'owed', 'grade', 'old');
CREATE TABLE statistic (n int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text, name text, arguments text, levels float8[]);
INSERT INTO statistic (kind, name, arguments, levels) VALUES
    ('quantile', 'dp_median', '#y', '{0.5}'), ('quantile', 'dp_quantile', '#y, 0.9', '{0.9}'), ('quantile', 'dp_min', '#y', '{0}'), ('quantile', 'dp_max', '#y', '{1}'),
    ('quantile', 'dp_quantile', '#y, ARRAY[0.1, 0.5, 0.75]', '{0.1, 0.5, 0.75}'), ('mode', 'dp_mode', '#k', NULL), ('top', 'dp_top', '#k, 3', NULL), ('number', 'dp_histogram', '#y, 8', NULL),
    ('number', 'dp_count', 'DISTINCT #k', NULL), ('truth', 'dp_bool_or', '#f', NULL), ('truth', 'dp_bool_and', 'NOT #f', NULL);

-- what is measured here, for interval_cases.sh: a quantile's width is how far its ends are, that of a truth or a mode is measured elsewhere; a list of values has no interval
\if :{?list}
\ir epsilon/form.psql
\o
\pset tuples_only on
\pset format unaligned
SELECT 'have', w, form(name || CASE w WHEN 'error' THEN '(' ELSE '_ci(' END || arguments || ')'), tab FROM statistic, subject, unnest(ARRAY['coverage', 'width', 'error']) AS w
WHERE CASE w WHEN 'error' THEN true WHEN 'coverage' THEN kind <> 'top' ELSE kind IN ('number', 'quantile') END;
\q
\endif

-- Its call, and what it answers as an array: of a histogram the first bucket.
CREATE FUNCTION called(s statistic, j subject, suffix text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN s.name || CASE WHEN s.kind = 'top' THEN '' ELSE suffix END || '(' || replace(replace(replace(s.arguments, '#y', j.y), '#k', j.k), '#f', j.flag) || ', 0.5)';
CREATE FUNCTION many(s statistic) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN s.name IN ('dp_histogram', 'dp_top') OR cardinality(s.levels) > 1;
CREATE FUNCTION answered(s statistic, j subject) RETURNS text LANGUAGE sql IMMUTABLE
RETURN format(CASE WHEN many(s) THEN '(%s)::text[]' ELSE 'ARRAY[%s]::text[]' END, called(s, j, ''));
-- ... and its interval as estimates, lower and upper ends
CREATE FUNCTION bounded(s statistic, j subject) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN s.kind = 'top' THEN 'NULL::text[]' WHEN s.kind = 'mode' THEN format('(SELECT ARRAY[ARRAY[c[1]], ARRAY[c[2]], ARRAY[c[3]]]::text[] FROM (SELECT q.c%s AS c) AS o)', s.n)
    WHEN many(s) THEN format('ARRAY[(q.c%1$s).estimate, (q.c%1$s).lower, (q.c%1$s).upper]::text[]', s.n)
    ELSE format('ARRAY[ARRAY[(q.c%1$s).estimate], ARRAY[(q.c%1$s).lower], ARRAY[(q.c%1$s).upper]]::text[]', s.n) END;

CREATE TABLE truth (place int, n int, value text[], error_95 float8);
CREATE TABLE asked (place int, n int, run int, answer text[], ends text[]);
CREATE FUNCTION question(j subject, run text) RETURNS text LANGUAGE sql STABLE
RETURN (SELECT format('SELECT %s, v.n, %s, v.answer, v.ends FROM (SELECT %s, %s FROM %s) AS q, LATERAL (VALUES %s) AS v (n, answer, ends)', j.place, run,
        string_agg(answered(s, j) || ' AS a' || s.n, ', ' ORDER BY s.n), string_agg(called(s, j, '_ci') || ' AS c' || s.n, ', ' ORDER BY s.n), j.tab,
        string_agg(format('(%s, q.a%1$s, %s)', s.n, bounded(s, j)), ', ' ORDER BY s.n)) FROM statistic AS s);
CREATE PROCEDURE measure(j subject, runs int) LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM %s', j.tab) INTO total;
    EXECUTE format('UPDATE subject SET flagged = (SELECT count(*) FROM %s WHERE %s) WHERE place = %s', j.tab, j.flag, j.place);
    SET LOCAL dpsens.noise = off;
    EXECUTE format('INSERT INTO truth (place, n, value) SELECT a, b, d FROM (%s) AS q (a, b, c, d, e)', question(j, '0'));
    SET LOCAL dpsens.noise = on;
    UPDATE truth AS t SET error_95 = p.error_95 FROM statistic AS s, LATERAL dpsens.explain(format('SELECT %s FROM %s', called(s, j, ''), j.tab), rows => total) AS p WHERE (t.place, t.n) = (j.place, s.n);
    EXECUTE 'PREPARE asking AS INSERT INTO asked ' || question(j, '$1');
    FOR i IN 1..runs LOOP
        EXECUTE format('EXECUTE asking(%s)', i);
    END LOOP;
    DEALLOCATE asking;
END $$;
DO $$
DECLARE
    j subject;
BEGIN
    FOR j IN SELECT * FROM subject LOOP
        CALL measure(j, 300);
    END LOOP;
END $$;

-- Where values stand: a cell is rounded to a grid of two in the range of bills.
CREATE TABLE cell (place int, y float8, k text, below float8, upto float8);
INSERT INTO cell (place, y, k)
SELECT 1, age, education FROM nhanes UNION ALL SELECT 2, 2 * round(cost / 2), ward FROM bills UNION ALL SELECT 3, owed, grade FROM debts;
CREATE TABLE stands AS SELECT place, y, (sum(count(*)) OVER w - count(*)) / sum(count(*)) OVER (PARTITION BY place) AS below, sum(count(*)) OVER w / sum(count(*)) OVER (PARTITION BY place) AS upto
FROM cell GROUP BY place, y WINDOW w AS (PARTITION BY place ORDER BY y);
CREATE INDEX ON stands (place, y);
-- how far from the level an answer is, in parts of all values
CREATE FUNCTION away(of int, answer float8, level float8) RETURNS float8 LANGUAGE sql STABLE
RETURN greatest(0, level - coalesce((SELECT upto FROM stands WHERE place = of AND y <= answer ORDER BY y DESC LIMIT 1), 0),
    coalesce((SELECT below FROM stands WHERE place = of AND y >= answer ORDER BY y LIMIT 1), 1) - level);
CREATE FUNCTION rarer(of int, answer text) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT max(n) - coalesce(max(n) FILTER (WHERE k = answer), 0) FROM (SELECT k, count(*) AS n FROM cell WHERE place = of AND k IS NOT NULL GROUP BY k) AS c);

-- ... of several, one after the other, than the most frequent one that is left
CREATE FUNCTION rarer(of int, answers text[]) RETURNS float8 LANGUAGE sql STABLE
RETURN (WITH c AS (SELECT k, count(*) AS n FROM cell WHERE place = of AND k IS NOT NULL GROUP BY k)
    SELECT max((SELECT max(n) FROM c WHERE k <> ALL (answers[1:i - 1])) - coalesce((SELECT n FROM c WHERE k = answers[i]), 0)) FROM generate_subscripts(answers, 1) AS i);

CREATE FUNCTION missed_by(s statistic, t truth, answer text[]) RETURNS float8 LANGUAGE sql STABLE
RETURN CASE s.kind WHEN 'quantile' THEN (SELECT max(away(t.place, a::float8, level)) FROM unnest(answer, s.levels) AS q (a, level))
    WHEN 'mode' THEN rarer(t.place, answer[1]) WHEN 'top' THEN rarer(t.place, answer) WHEN 'number' THEN abs(answer[1]::float8 - t.value[1]::float8) ELSE (SELECT flagged FROM subject WHERE place = t.place AND answer[1] <> t.value[1]) END;
-- between the ends, moved towards the estimate by 1 / shrink
CREATE FUNCTION holds(s statistic, t truth, ends text[], shrink float8) RETURNS boolean LANGUAGE sql STABLE
RETURN (SELECT bool_and(CASE WHEN s.kind IN ('mode', 'truth', 'top') THEN v COLLATE "C" BETWEEN ends[2][i] AND ends[3][i]
        ELSE v::float8 BETWEEN e + (ends[2][i]::float8 - e) / shrink AND e + (ends[3][i]::float8 - e) / shrink END)
    FROM unnest(t.value) WITH ORDINALITY AS u (v, i), LATERAL (SELECT CASE WHEN s.kind IN ('quantile', 'number') THEN ends[1][i]::float8 END) AS c (e));
CREATE VIEW figures AS
SELECT j.tab, s.n, s.kind, s.name, s.arguments, t.error_95, count(*) AS runs, count(*) FILTER (WHERE coalesce(missed_by(s, t, a.answer), 0) <= t.error_95) AS kept, max(missed_by(s, t, a.answer)) AS farthest,
    count(*) FILTER (WHERE holds(s, t, a.ends, 1)) AS held, count(*) FILTER (WHERE holds(s, t, a.ends, 1.5)) AS thin
FROM truth AS t JOIN subject AS j USING (place) JOIN statistic AS s USING (n) JOIN asked AS a USING (place, n) GROUP BY s, t, j, j.tab, s.n, s.kind, s.name, s.arguments, t.error_95;
CREATE TABLE measured AS SELECT * FROM figures;
-- How often both ends are as near to the level as the draws allow, in multiples of what is promised of the answer.
CREATE VIEW ends AS
SELECT tab, n, name, arguments, most, count(*) FILTER (WHERE far <= most) AS near
FROM (SELECT j.tab, s.n, s.name, s.arguments, CASE WHEN s.levels[1] IN (0, 1) THEN 2.5 WHEN j.tab = 'nhanes' THEN 6.5 ELSE 4.6 END * CASE WHEN cardinality(s.levels) > 1 THEN 1.35 ELSE 1 END AS most,
        (SELECT max(greatest(away(t.place, a.ends[2][i]::float8, level), away(t.place, a.ends[3][i]::float8, level))) FROM unnest(s.levels) WITH ORDINALITY AS l (level, i)) / t.error_95 AS far
    FROM truth AS t JOIN subject AS j USING (place) JOIN statistic AS s USING (n) JOIN asked AS a USING (place, n)
    WHERE s.kind = 'quantile') AS e
GROUP BY tab, n, name, arguments, most;
\o

SELECT no_plan();
SELECT ok(runs = 300 AND error_95 > 0 AND kept >= 255, format('%s(%s) of %s: within %s in %s of 300', name, arguments, tab, error_95, kept)) FROM measured ORDER BY tab, n;
SELECT ok(runs = 300 AND held >= 255, format('%s_ci(%s) of %s: held in %s of 300', name, arguments, tab, held)) FROM measured WHERE kind <> 'top' ORDER BY tab, n;
SELECT ok(thin <= 297, format('%s_ci(%s) of %s: not too wide (%s)', name, arguments, tab, thin)) FROM measured WHERE kind = 'number' ORDER BY tab, n;
SELECT ok(near >= 225, format('%s_ci(%s) of %s: its ends are within %s times what is promised of the answer in %s of 300', name, arguments, tab, most, near)) FROM ends ORDER BY tab, n;
SELECT diag(measured::text) FROM measured WHERE kept < 255 OR held < 255 AND kind <> 'top' OR kind = 'number' AND thin > 297;
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_choices CASCADE;
