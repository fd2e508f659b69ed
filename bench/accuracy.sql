-- accuracy.sql
--	How far answers of dpsens are off on the bundled survey at epsilon = 1, beside
--	the least that any mechanism could be off, or beside the best published one; and
--	how many answers a budget admits.  Three tables; the same as JSON in a file.  Start psql in the root of the source tree.
--
--	psql -v draws=10000 -v seconds=60 -v result=build/bench/accuracy.json -f bench/accuracy.sql
--
-- Each figure is of so many draws, or of as many as these seconds are enough for, but 400 at least.
--
-- Ends with status 3 if an error is more than 1.3 of a known optimum, or a ratio more than its
-- goal, and so by more than four standard errors of the measurement: fewer than one run in 300 says so by chance
-- of what is not; or if a rule admits less than 0.95 of the answers that are possible.
--
-- Needs a database of its own, a server that preloads dpsens, and a superuser (who
-- owns the table, so that no budget ends the run).
\set ON_ERROR_STOP 1
\set QUIET on
\if :{?draws}
\else
\set draws 10000
\endif
\if :{?seconds}
\else
\set seconds 60
\endif
\if :{?result}
\else
\set result accuracy.json
\endif
SET client_min_messages = error;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_accuracy CASCADE;
CREATE SCHEMA dpsens_accuracy;
SET search_path = dpsens_accuracy, public;
\ir ../demo/schema.sql
\ir ../demo/load.sql
\ir ../demo/annotate.sql
\o /dev/null
-- x is years, y the systolic blood pressure; only people who have both
CREATE VIEW people AS SELECT * FROM nhanes WHERE sys_bp IS NOT NULL;
-- it would compile plans that are used once
SET jit = off;
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;

-- The range, the moments, and the number of rows.
CREATE TABLE facts AS
SELECT 18::float8 AS xlo, 80::float8 AS xhi, 60::float8 AS ylo, 260::float8 AS yhi, count(*)::float8 AS n, avg(age)::float8 AS mx, avg(sys_bp)::float8 AS my,
       var_pop(age)::float8 AS vx, var_pop(sys_bp)::float8 AS vy, covar_pop(sys_bp, age) AS c
FROM people;

-- What one row more at (x, y) does to each figure, to first order, times n.
CREATE FUNCTION influence(figure text, x float8, y float8) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT CASE figure
    WHEN 'count' THEN n
    WHEN 'sum' THEN n * x
    WHEN 'mean' THEN x - mx
    WHEN 'mean_y' THEN y - my
    WHEN 'variance' THEN (x - mx) ^ 2 - vx
    WHEN 'deviation' THEN ((x - mx) ^ 2 - vx) / (2 * sqrt(vx))
    WHEN 'covariance' THEN (x - mx) * (y - my) - c
    WHEN 'correlation' THEN (x - mx) * (y - my) / sqrt(vx * vy) - c / sqrt(vx * vy) / 2 * ((x - mx) ^ 2 / vx + (y - my) ^ 2 / vy)
    WHEN 'r2' THEN 2 * c / sqrt(vx * vy) * ((x - mx) * (y - my) / sqrt(vx * vy) - c / sqrt(vx * vy) / 2 * ((x - mx) ^ 2 / vx + (y - my) ^ 2 / vy))
    WHEN 'slope' THEN (x - mx) * ((y - my) - c / vx * (x - mx)) / vx
    WHEN 'intercept' THEN ((y - my) - c / vx * (x - mx)) * (1 - mx * (x - mx) / vx)
    WHEN 'squares' THEN n * (x - mx) ^ 2 END FROM facts);

-- Answers and what their error is: `loss` of the answer a, given the exact e.
CREATE TABLE asked (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, private text, plain text, figure text, source text DEFAULT 'people',
                    loss text DEFAULT 'abs(a - e)', squared boolean DEFAULT false, mechanisms text[] DEFAULT '{laplace,gaussian}', shares boolean DEFAULT false,
                    -- what the ratio is to be at most
                    goal float8);
INSERT INTO asked (figure, private, plain) VALUES ('count', 'dp_count(*)', 'count(*)'), ('count', 'dp_count(DISTINCT age)', 'count(DISTINCT least(greatest(age, 18), 80))'),
    ('sum', 'dp_sum(age)', 'sum(age)'), ('mean', 'dp_avg(age)', 'avg(age)'), ('variance', 'dp_variance(age)', 'variance(age)'), ('variance', 'dp_var_pop(age)', 'var_pop(age)'),
    ('deviation', 'dp_stddev(age)', 'stddev(age)'), ('deviation', 'dp_stddev_pop(age)', 'stddev_pop(age)'), ('covariance', 'dp_covar_samp(sys_bp, age)', 'covar_samp(sys_bp, age)'),
    ('covariance', 'dp_covar_pop(sys_bp, age)', 'covar_pop(sys_bp, age)'), ('correlation', 'dp_corr(sys_bp, age)', 'corr(sys_bp, age)'),
    ('r2', 'dp_regr_r2(sys_bp, age)', 'regr_r2(sys_bp, age)'), ('slope', 'dp_regr_slope(sys_bp, age)', 'regr_slope(sys_bp, age)'),
    ('intercept', 'dp_regr_intercept(sys_bp, age)', 'regr_intercept(sys_bp, age)'), ('squares', 'dp_regr_sxx(sys_bp, age)', 'regr_sxx(sys_bp, age)');
-- every bucket: the mean over them
INSERT INTO asked (figure, private, plain, loss) VALUES
    ('count', 'dp_histogram(age, 10)', '(SELECT array_agg(n ORDER BY i) FROM (SELECT i, count(p) AS n FROM generate_series(1, 10) i LEFT JOIN people p '
     'ON least(width_bucket(p.age, 18, 80, 10), 10) = i GROUP BY i) b)', '(SELECT avg(abs(u - v)) FROM unnest(a, e) w (u, v))');
-- one row decides: how often the answer is wrong
INSERT INTO asked (figure, private, plain, loss) SELECT 'truth', format('dp_bool_and(sys_bp < %s)', max(sys_bp)), format('bool_and(sys_bp < %s)', max(sys_bp)), '(a <> e)::int' FROM people;
INSERT INTO asked (figure, private, plain, loss) SELECT 'truth', format('dp_bool_or(sys_bp >= %s)', max(sys_bp)), format('bool_or(sys_bp >= %s)', max(sys_bp)), '(a <> e)::int' FROM people;
-- two values, of which one is had by one person more
INSERT INTO asked (figure, private, plain, source, loss, mechanisms) VALUES ('choice', 'dp_mode(sex)', 'mode() WITHIN GROUP (ORDER BY sex)', 'people WHERE age = 44', '(a <> e)::int', '{laplace}');
-- the root of the mean square of the whole vector
INSERT INTO asked (figure, private, plain, loss, squared, mechanisms)
SELECT figure, private, plain, '(SELECT sum((u - v) ^ 2) FROM unnest(a, e) w (u, v))', true, ARRAY[mechanism]
FROM (VALUES ('sums', 'dp_sum(ARRAY[age, sys_bp])', 'ARRAY[sum(age), sum(sys_bp)]::float8[]'), ('means', 'dp_avg(ARRAY[age, sys_bp])', 'ARRAY[avg(age), avg(sys_bp)]::float8[]')) v (figure, private, plain),
    unnest('{laplace,gaussian}'::text[]) mechanism;

-- The greatest influence over a grid of the ranges; they are quadratic, so that a
-- grid of 60 by 60 with the ends in it is near enough.
CREATE TABLE largest AS
SELECT figure, max(abs(influence(figure, xlo + (xhi - xlo) * i / 60, ylo + (yhi - ylo) * j / 60))) / max(n) AS size
FROM (SELECT DISTINCT figure FROM asked UNION SELECT 'mean_y') f, facts, generate_series(0, 60) i, generate_series(0, 60) j GROUP BY figure;
CREATE FUNCTION largest(f text) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT size FROM largest WHERE figure = f);

-- Noise for sensitivity 1: the mean absolute error of the staircase (Geng and Viswanath 2014)
-- for pure epsilon, the standard deviation of Gaussian noise at its exact calibration for
-- (epsilon, delta) (Balle and Wang 2018).
SET dpsens.mechanism = gaussian;
CREATE TABLE noise AS
SELECT exp(0.5) / (exp(1) - 1) AS staircase, noise_scale AS sigma,
    (SELECT abs(sum(CASE sex WHEN 'Male' THEN 1 ELSE -1 END)) FROM people WHERE age = 44) AS gap FROM dpsens.explain('SELECT dp_count(*) FROM people');
RESET dpsens.mechanism;

-- P(Z > t) of a normal variate, by Simpson's rule.
CREATE FUNCTION normal_tail(t float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (SELECT sum(CASE WHEN i IN (0, 2000) THEN 1 WHEN i % 2 = 1 THEN 4 ELSE 2 END * exp(-((t + i * 0.005) ^ 2) / 2)) * 0.005 / 3 / sqrt(2 * pi()) FROM generate_series(0, 2000) i);

-- The least error, told everything about the others.
--	truth	a test of no row against one: both errors of 1 / (1 + e) (Kairouz, Oh and Viswanath 2015);
--			among those no better than Gaussian, of P(Z > 1 / 2 sigma) (Dong, Roth and Su 2022)
--	choice	between two, of which one is `gap` ahead: with none, one of them is wrong half of the time, and a
--			row less multiplies that by e at most: exp(-gap) / 2, which is what McKenna and Sheldon
--			(2020) attain
--	sums	of a box of half-lengths c: among Gaussian mechanisms variances in proportion to c,
--			which add up to (c1 + c2)^2 sigma^2
--	means	the same of the boxes of influences
CREATE FUNCTION optimum(figure text, mechanism text) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT CASE WHEN figure = 'truth' AND mechanism = 'laplace' THEN 1 / (1 + exp(1))
                    WHEN figure = 'truth' THEN normal_tail(1 / (2 * sigma))
                    WHEN figure = 'choice' THEN exp(-gap) / 2
                    WHEN figure IN ('sums', 'means') AND mechanism = 'laplace' THEN NULL
                    WHEN figure = 'sums' THEN sigma * (xhi + yhi)
                    WHEN figure = 'means' THEN sigma * (largest('mean') + largest('mean_y'))
                    ELSE largest(figure) * CASE mechanism WHEN 'laplace' THEN staircase ELSE sigma * sqrt(2 / pi()) END END
        FROM noise, facts);

CREATE TABLE measured (id int, mechanism text, mean float8, deviation float8, draws int);
-- Each figure so many times, or as often as within so many seconds, but 400 times at least.
CREATE PROCEDURE draw(times int, seconds float8) LANGUAGE plpgsql AS $$
DECLARE
    f asked;
    m text;
    query text;
    kind text;
    exact text;
    loss float8;
    total float8;
    squares float8;
    drawn int;
    begun timestamptz;
BEGIN
    FOR f IN SELECT * FROM asked ORDER BY goal IS NULL, id LOOP
        EXECUTE format('SELECT %s::text, pg_typeof(%1$s) FROM %s LIMIT 1', f.plain, f.source) INTO exact, kind;
        query := format('SELECT %s FROM (SELECT %s AS a FROM %s) q, (SELECT %L::%s AS e) r', f.loss, f.private, f.source, exact, kind);
        FOREACH m IN ARRAY f.mechanisms LOOP
            PERFORM set_config('dpsens.mechanism', m, false), set_config('dpsens.share_sets', f.shares::text, false);
            total := 0;
            squares := 0;
            drawn := 0;
            begun := clock_timestamp();
            WHILE drawn < times AND (drawn < 400 OR clock_timestamp() - begun < seconds * interval '1 second') LOOP
                drawn := drawn + 1;
                EXECUTE query INTO loss;
                total := total + loss;
                squares := squares + loss ^ 2;
            END LOOP;
            INSERT INTO measured VALUES (f.id, m, total / drawn, sqrt(greatest(0, squares / drawn - (total / drawn) ^ 2) / drawn), drawn);
        END LOOP;
        COMMIT;
    END LOOP;
END $$;
\ir accuracy_published.sql
\ir accuracy_tables.sql
\ir accuracy_deciles.sql
\ir accuracy_goals.sql
CALL draw(:draws, :seconds);
\o /dev/null

-- Of squares the root is the error, and half of the relative deviation its own.
CREATE VIEW errors AS
SELECT id, a.private, m.mechanism, a.figure, CASE WHEN squared THEN sqrt(mean) ELSE mean END AS error,
    deviation / nullif(mean, 0) / CASE WHEN squared THEN 2 ELSE 1 END AS relative
FROM measured m JOIN asked a USING (id);
CREATE TABLE ratios AS
SELECT id, private, mechanism, error, optimum, error / optimum AS ratio, relative * error / optimum AS uncertainty
FROM (SELECT *, optimum(figure, mechanism) FROM errors OFFSET 0) e WHERE optimum IS NOT NULL;
CREATE VIEW beside_published AS
SELECT e.id, e.private, e.mechanism, p.source, e.error, p.error AS published, ratio, sqrt(coalesce(e.relative, 0) ^ 2 + p.relative ^ 2) * ratio AS uncertainty, CASE WHEN p.source !~ 'sharp' THEN goal END AS goal
FROM errors e JOIN asked USING (id) JOIN published p ON p.id = e.id AND p.mechanism = e.mechanism,
    -- 1 where both are exact
    LATERAL (SELECT CASE WHEN p.error > 0 THEN e.error / p.error WHEN e.error > 0 THEN 'Infinity' ELSE 1 END AS ratio) r;

-- How many answers a budget of (3, 1e-6) admits, counted by its order as by default, and by a rule that knows what will be
-- asked; and the most that the distribution of their losses allows, were all fixed in advance (test/unit/test_rules.c).
CREATE TABLE admitted (mechanism text, epsilon float8, possible int, by_order int, by_rule int);
INSERT INTO admitted VALUES ('laplace', 0.1, 46), ('laplace', 0.5, 6), ('laplace', 1, 3), ('gaussian', 0.3, 70);
CREATE TABLE asked_about (x float8 NOT NULL);
SELECT dpsens.protect('asked_about'), dpsens.set_range('asked_about', 'x', 0, 10);
CREATE PROCEDURE admit() LANGUAGE plpgsql AS $$
DECLARE
    a admitted;
BEGIN
    FOR a IN SELECT * FROM admitted LOOP
        PERFORM set_config('dpsens.mechanism', a.mechanism, false);
        PERFORM dpsens.set_budget('asked_about', 3, 1e-6, largest_answer => 'Infinity', selections => true);
        UPDATE admitted SET by_order = dpsens.answers_left(format('SELECT dp_sum(x, %s) FROM asked_about', a.epsilon)) WHERE (mechanism, epsilon) = (a.mechanism, a.epsilon);
        PERFORM dpsens.set_budget('asked_about', 3, 1e-6, largest_answer => CASE a.mechanism WHEN 'laplace' THEN a.epsilon END, gaussian => a.mechanism = 'gaussian', selections => false);
        UPDATE admitted SET by_rule = dpsens.answers_left(format('SELECT dp_sum(x, %s) FROM asked_about', a.epsilon)) WHERE (mechanism, epsilon) = (a.mechanism, a.epsilon);
    END LOOP;
END $$;
CALL admit();

\o
\pset footer off
\pset null ''
SELECT format('%s of %s figures are of %s draws', count(*) FILTER (WHERE draws = :draws), count(*), :draws) || CASE WHEN min(draws) < :draws THEN format(', the others of %s at least', min(draws)) ELSE '' END AS drawn FROM measured \gset
\echo Over the survey and three generated tables at epsilon = 1, delta = 1e-6: the error, the least that any mechanism could have, their ratio and its standard error
SELECT private AS "aggregate", mechanism, round(error::numeric, 6) AS error, round(optimum::numeric, 6) AS optimum, round(ratio::numeric, 2) AS ratio,
    round(uncertainty::numeric, 2) AS "±", CASE WHEN ratio > 1.3 + 4 * uncertainty THEN 'FAIL: above 1.3' WHEN ratio > 1.3 THEN 'above 1.3, by chance?' END AS "?"
FROM ratios ORDER BY id, mechanism DESC;

\echo :drawn
\echo Where no optimum is known: the error beside that of a published mechanism
SELECT private AS "aggregate", mechanism, round(error::numeric, 4) AS error, round(published::numeric, 4) AS published, round(ratio::numeric, 2) AS ratio,
    round(uncertainty::numeric, 3) AS "±", goal, CASE WHEN ratio > goal + 4 * uncertainty THEN 'FAIL: above the goal' WHEN ratio > goal THEN 'above the goal, by chance?' END AS "?", source AS "that of"
FROM beside_published ORDER BY id, mechanism DESC, source;

\echo Answers that a budget of (3, 1e-6) admits
SELECT mechanism, epsilon, possible, by_order, round(by_order::numeric / possible, 2) AS ratio, by_rule, round(by_rule::numeric / possible, 2) AS "ratio by rule", 0.95 AS "at least",
    CASE WHEN by_rule < 0.95 * possible THEN 'FAIL: too few' END AS "?" FROM admitted ORDER BY mechanism DESC, epsilon;

\t on
\pset format unaligned
\o :result
SELECT jsonb_pretty(jsonb_build_object('draws', :draws, 'drawn', :'drawn', 'version', version(),
    'results', (SELECT jsonb_agg(jsonb_build_object('aggregate', private, 'mechanism', mechanism, 'error', error, 'optimum', optimum, 'ratio', ratio, 'uncertainty', uncertainty)
                                 ORDER BY id, mechanism) FROM ratios),
    'admitted', (SELECT jsonb_agg(jsonb_build_object('mechanism', mechanism, 'epsilon', epsilon, 'possible', possible, 'by_order', by_order, 'by_rule', by_rule)) FROM admitted),
    'published', (SELECT jsonb_agg(jsonb_build_object('aggregate', private, 'mechanism', mechanism, 'error', error, 'published', published, 'ratio', ratio, 'uncertainty', uncertainty,
                                                      'goal', goal, 'source', source) ORDER BY id, mechanism) FROM beside_published)));
\o
SELECT EXISTS (SELECT FROM ratios WHERE ratio > 1.3 + 4 * uncertainty) AS failed, EXISTS (SELECT FROM beside_published WHERE ratio > goal + 4 * uncertainty) OR EXISTS (SELECT FROM admitted WHERE by_rule < 0.95 * possible) AS missed \gset
DROP SCHEMA dpsens_accuracy CASCADE;
\if :failed
DO $$ BEGIN RAISE 'an error is above 1.3 of a known optimum'; END $$;
\endif
\if :missed
DO $$ BEGIN RAISE 'a goal is missed'; END $$;
\endif
