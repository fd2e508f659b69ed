-- intervals.sql
--	Intervals of noise hold the answer without noise as often as they say, for every
--	aggregate that has them.
--
-- A query answers for 1,500 groups that are copies of one, each with noise of its own.
-- An interval of level 0.9 that holds the truth with a probability of 0.9 or more does so in
-- fewer than 1,275 of 1,500 groups with a probability below exp(-1,500 KL(0.85, 0.9)) =
-- 1.2e-8 (Chernoff), one of level 0.5 in fewer than 620 with one below 2e-10.  For 39
-- cases of either level the false-alarm rate is below 5e-7.
--
-- What this sees: an interval half as wide as that of one draw is tried, too, and holds
-- the truth in about 1,025 groups (0.684 for Laplace noise); more than 1,150 of them
-- would do so with a probability below 2e-11.
--
-- Noise cannot be seeded: a failure prints the query and how often the truth was held.
\set QUIET on
SET client_min_messages = error;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_intervals CASCADE;
CREATE SCHEMA dps_intervals;
SET search_path = dps_intervals, public;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET synchronous_commit = off;
SET dpsens.delta = 1e-5;

-- k numbers the copies; x spreads over half of its range, y depends on it, few rows have
-- z, one group more has none.
CREATE TABLE t (k int NOT NULL, x float8 NOT NULL, y float8 NOT NULL, a int NOT NULL, s text NOT NULL, f boolean NOT NULL, z float8);
INSERT INTO t SELECT k, 2 + i % 17 / 3.0, 1 + i % 17 / 4.0 + i % 3, i % 6, (ARRAY['u', 'v'])[1 + i % 2], i % 60 > 0, CASE WHEN i % 20 = 0 THEN i / 10.0 END
FROM generate_series(1, 1500) AS k, generate_series(1, 60) AS i;
SELECT dpsens.protect('t'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_range('t', 'y', 0, 10), dpsens.set_range('t', 'a', 0, 9), dpsens.set_range('t', 'z', 0, 10),
       dpsens.set_values('t', 's', 'u', 'v', 'w');
SELECT format('SELECT dpsens.set_values(''t'', ''k'', VARIADIC %L::text[])', (SELECT array_agg(i::text) FROM generate_series(1, 1500) AS i)) \gexec
ANALYZE t;

-- The aggregate without its closing parenthesis, since the level comes last; the kind of what it yields.
CREATE TABLE companion (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, aggregate text, epsilon float8, kind text, sharp boolean, mechanism text DEFAULT 'laplace');
INSERT INTO companion (aggregate, epsilon, kind, sharp) VALUES
    ('dp_count_ci(true', 0.1, 'number', true), ('dp_count_ci(z', 0.1, 'number', true), ('dp_sum_ci(x', 1, 'number', true), ('dp_avg_ci(x', 1, 'number', false),
    ('dp_avg_ci(x', 8, 'number', false), ('dp_avg_ci(x * y', 8, 'number', false), ('dp_var_pop_ci(x', 8, 'number', false), ('dp_stddev_ci(x', 8, 'number', false), ('dp_covar_samp_ci(y, x', 8, 'number', false),
    ('dp_corr_ci(y, x', 16, 'number', false), ('dp_regr_slope_ci(y, x', 16, 'number', false), ('dp_regr_intercept_ci(y, x', 16, 'number', false), ('dp_regr_r2_ci(y, x', 16, 'number', false),
    ('dp_linregr_ci(y, ARRAY[x]', 16, 'numbers', false), ('dp_sum_ci(ARRAY[x, y]', 2, 'numbers', false), ('dp_avg_ci(ARRAY[x, y]', 4, 'numbers', false),
    ('dp_count_ci(DISTINCT s', 0.1, 'number', true), ('dp_histogram_ci(x, 4', 0.1, 'numbers', false), ('dp_histogram_ci(x, ARRAY[0.0, 10]', 0.1, 'numbers', true),
    ('dp_bool_and_ci(f', 0.5, 'truth', false), ('dp_bool_or_ci(NOT f', 0.5, 'truth', false), ('dp_bool_or_ci(x > 9', 0.5, 'truth', false),
    ('dp_median_ci(x', 2, 'number', false), ('dp_median_ci(z', 2, 'number', false), ('dp_quantile_ci(a, 0.25', 2, 'number', false), ('dp_quantile_ci(x, 0.9', 4, 'number', false),
    ('dp_quantile_ci(x, ARRAY[0.2, 0.5, 0.8, 0, 1]', 8, 'numbers', false), ('dp_min_ci(x', 4, 'number', false), ('dp_max_ci(z', 4, 'number', false),
    ('dp_mode_ci(s', 0.2, 'mode', false), ('dp_mode_ci(f', 0.02, 'mode', false),
    -- noise of few whole numbers
    ('dp_count_ci(true', 1, 'number', false), ('dp_sum_ci(a', 4, 'number', false), ('dp_histogram_ci(a, 3', 2, 'numbers', false), ('dp_bool_or_ci(NOT f', 3, 'truth', false), ('dp_mode_ci(s', 2, 'mode', false);
INSERT INTO companion (aggregate, epsilon, kind, sharp, mechanism) VALUES
    ('dp_sum_ci(x', 1, 'number', true, 'gaussian'), ('dp_avg_ci(x', 4, 'number', false, 'gaussian'), ('dp_mode_ci(s', 0.2, 'mode', false, 'gaussian');

CREATE FUNCTION asked(c companion, level float8) RETURNS text LANGUAGE sql STABLE
RETURN format('SELECT k, %s, %s, %s) AS r FROM t GROUP BY k', c.aggregate, c.epsilon, level);

-- Is the truth held, by the interval or by one of so much of its width?
CREATE FUNCTION holds(r dpsens.noise_interval, truth dpsens.noise_interval, part float8) RETURNS boolean LANGUAGE sql STABLE
RETURN (truth.estimate BETWEEN r.estimate - part * (r.estimate - r.lower) AND r.estimate + part * (r.upper - r.estimate)) IS NOT FALSE;
CREATE FUNCTION holds(r dpsens.noise_intervals, truth dpsens.noise_intervals, part float8) RETURNS boolean LANGUAGE sql STABLE
RETURN (SELECT bool_and((t BETWEEN e - part * (e - l) AND e + part * (u - e)) IS NOT FALSE) FROM unnest(r.estimate, r.lower, r.upper, truth.estimate) AS v (e, l, u, t));
CREATE FUNCTION holds(r dpsens.noise_truth, truth dpsens.noise_truth, part float8) RETURNS boolean LANGUAGE sql STABLE
RETURN truth.estimate BETWEEN r.lower AND r.upper;
CREATE FUNCTION holds(r text[], truth text[], part float8) RETURNS boolean LANGUAGE sql STABLE
RETURN truth[1] BETWEEN r[2] AND r[3];
CREATE FUNCTION holds(r boolean[], truth boolean[], part float8) RETURNS boolean LANGUAGE sql STABLE
RETURN truth[1] BETWEEN r[2] AND r[3];

CREATE TABLE held (id int, level float8, whole bigint, half bigint, groups bigint);
CREATE PROCEDURE measure(level float8) LANGUAGE plpgsql AS $$
DECLARE
    c companion;
    truth text;
BEGIN
    FOR c IN SELECT * FROM companion ORDER BY id LOOP
        PERFORM set_config('dpsens.mechanism', c.mechanism, false), set_config('dpsens.noise', 'off', false);
        EXECUTE format('SELECT r::text FROM (%s) AS q WHERE k = 1', asked(c, level)) INTO truth;
        PERFORM set_config('dpsens.noise', 'on', false);
        EXECUTE format('INSERT INTO held SELECT %s, %s, count(*) FILTER (WHERE holds(r, %L, 1)), count(*) FILTER (WHERE holds(r, %3$L, 0.5)), count(*) FROM (%s) AS q',
                       c.id, level, truth, asked(c, level));
    END LOOP;
END $$;
CALL measure(0.9);
CALL measure(0.5);
RESET dpsens.mechanism;
\o

SELECT no_plan();
SELECT ok(groups = 1500 AND whole >= CASE level WHEN 0.9 THEN 1275 ELSE 620 END, format('%s, %s, %s), %s: held in %s of 1500', aggregate, epsilon, level, mechanism, whole))
FROM held JOIN companion USING (id) ORDER BY level DESC, id;
SELECT diag(asked(c, level)) FROM held JOIN companion AS c USING (id) WHERE whole < CASE level WHEN 0.9 THEN 1275 ELSE 620 END;
-- the test's own eyes
SELECT ok(half < 1150, format('half of the interval of %s would be found out (%s)', aggregate, half)) FROM held JOIN companion USING (id) WHERE sharp AND level = 0.9 ORDER BY id;
-- a minimum has no end on its outer side, nor a maximum
SELECT is((SELECT count(*) FROM (SELECT k, dp_min_ci(x, 4) AS a, dp_max_ci(x, 4) AS b FROM t GROUP BY k) AS q WHERE (a).lower <> 0 OR (b).upper <> 10), 0::bigint, 'minimum and maximum have the ends of the range');
-- a mode's interval is more than its estimate where two values are as frequent, and less than all where one is far ahead
SELECT ok((SELECT count(*) FROM (SELECT k, dp_mode_ci(s, 0.2) AS r FROM t GROUP BY k) AS q WHERE r[1] = 'u') BETWEEN 550 AND 950, 'of two that are as frequent either is the mode');
SELECT ok((SELECT count(*) FROM (SELECT k, dp_mode_ci(s, 1) AS r FROM t GROUP BY k) AS q WHERE r[2] = 'u' AND r[3] = 'v') > 1275, 'and what is far behind them is not');
-- of quantiles most are held by intervals that say something
SELECT ok((SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (r).upper - (r).lower) FROM (SELECT k, dp_median_ci(x, 8) AS r FROM t GROUP BY k) AS q) < 6, 'the interval of a median is shorter than the range');
SELECT ok((SELECT count(*) FROM (SELECT k, dp_median_ci(x, 8) AS r FROM t GROUP BY k) AS q WHERE 2.4 BETWEEN (r).lower AND (r).upper) < 1275, 'what is not the median is not held as one');
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_intervals CASCADE;
