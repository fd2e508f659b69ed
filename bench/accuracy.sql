-- accuracy.sql
--	How far answers of dpsens are off on the bundled survey at epsilon = 1, beside
--	the least that any mechanism could be off.  One table; the same as JSON in a
--	file.  Start psql in the root of the source tree.
--
--	psql -v draws=200 -v result=build/bench/accuracy.json -f bench/accuracy.sql
--
-- Needs a database of its own, a server that preloads dpsens, and a superuser (who
-- owns the table, so that no budget ends the run).
\set ON_ERROR_STOP 1
\set QUIET on
\if :{?draws}
\else
\set draws 200
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
    WHEN 'variance' THEN (x - mx) ^ 2 - vx
    WHEN 'deviation' THEN ((x - mx) ^ 2 - vx) / (2 * sqrt(vx))
    WHEN 'covariance' THEN (x - mx) * (y - my) - c
    WHEN 'correlation' THEN (x - mx) * (y - my) / sqrt(vx * vy) - c / sqrt(vx * vy) / 2 * ((x - mx) ^ 2 / vx + (y - my) ^ 2 / vy)
    WHEN 'r2' THEN 2 * c / sqrt(vx * vy) * ((x - mx) * (y - my) / sqrt(vx * vy) - c / sqrt(vx * vy) / 2 * ((x - mx) ^ 2 / vx + (y - my) ^ 2 / vy))
    WHEN 'slope' THEN (x - mx) * ((y - my) - c / vx * (x - mx)) / vx
    WHEN 'intercept' THEN ((y - my) - c / vx * (x - mx)) * (1 - mx * (x - mx) / vx)
    WHEN 'squares' THEN n * (x - mx) ^ 2 END FROM facts);

CREATE TABLE figures (id int PRIMARY KEY, figure text, private text, plain text);
INSERT INTO figures VALUES (1, 'count', 'dp_count(*)', 'count(*)'), (2, 'sum', 'dp_sum(age)', 'sum(age)'), (3, 'mean', 'dp_avg(age)', 'avg(age)'),
    (4, 'variance', 'dp_var_pop(age)', 'var_pop(age)'), (5, 'deviation', 'dp_stddev_pop(age)', 'stddev_pop(age)'),
    (6, 'covariance', 'dp_covar_pop(sys_bp, age)', 'covar_pop(sys_bp, age)'), (7, 'correlation', 'dp_corr(sys_bp, age)', 'corr(sys_bp, age)'),
    (8, 'r2', 'dp_regr_r2(sys_bp, age)', 'regr_r2(sys_bp, age)'), (9, 'slope', 'dp_regr_slope(sys_bp, age)', 'regr_slope(sys_bp, age)'),
    (10, 'intercept', 'dp_regr_intercept(sys_bp, age)', 'regr_intercept(sys_bp, age)'), (11, 'squares', 'dp_regr_sxx(sys_bp, age)', 'regr_sxx(sys_bp, age)'),
    (12, 'count', 'dp_count(DISTINCT age)', 'count(DISTINCT least(greatest(age, 18), 80))'), (13, 'count', '(dp_histogram(age, 10))[5]', 'count(*) FILTER (WHERE age >= 42.8 AND age < 49)');

-- The greatest influence over a grid of the ranges; they are quadratic, so that a
-- grid of 60 by 60 with the ends in it is near enough.
CREATE TABLE largest AS
SELECT figure, max(abs(influence(figure, xlo + (xhi - xlo) * i / 60, ylo + (yhi - ylo) * j / 60))) / max(n) AS sensitivity
FROM figures, facts, generate_series(0, 60) i, generate_series(0, 60) j GROUP BY figure;

-- Mean absolute error of the best noise for sensitivity 1: the staircase (Geng and
-- Viswanath 2014) for pure epsilon, Gaussian noise at the exact calibration for
-- (epsilon, delta).
CREATE TABLE mechanisms (mechanism text, best float8);
INSERT INTO mechanisms VALUES ('laplace', exp(0.5) / (exp(1) - 1));
SET dpsens.mechanism = gaussian;
INSERT INTO mechanisms SELECT 'gaussian', noise_scale * sqrt(2 / pi()) FROM dpsens.explain('SELECT dp_count(*) FROM people');

CREATE TABLE errors (id int, mechanism text, error float8);
CREATE PROCEDURE draw(times int) LANGUAGE plpgsql AS $$
DECLARE
    f figures;
    m mechanisms;
    exact float8;
    answer float8;
    total float8;
BEGIN
    FOR f IN SELECT * FROM figures ORDER BY id LOOP
        EXECUTE format('SELECT %s FROM people', f.plain) INTO exact;
        FOR m IN SELECT * FROM mechanisms LOOP
            PERFORM set_config('dpsens.mechanism', m.mechanism, false);
            total := 0;
            FOR i IN 1..times LOOP
                EXECUTE format('SELECT %s FROM people', f.private) INTO answer;
                total := total + abs(answer - exact);
            END LOOP;
            INSERT INTO errors VALUES (f.id, m.mechanism, total / times);
        END LOOP;
        COMMIT;
    END LOOP;
END $$;
CALL draw(:draws);

CREATE VIEW ratios AS
SELECT id, private, mechanism, error, sensitivity * best AS optimum, error / (sensitivity * best) AS ratio
FROM errors JOIN figures USING (id) JOIN largest USING (figure) JOIN mechanisms USING (mechanism);

-- ---- quantiles ----

-- In ranks: how far the part of the values below an answer, or at it, is from the
-- quantile.  Beside what Smith's mechanism (2011) would err, exactly: the
-- exponential mechanism on the range, with |rank - q n| for a distance and 1
-- for its sensitivity, which others have as well.
CREATE TABLE asked (id int PRIMARY KEY, private text, attribute text, lo float8, hi float8, q float8);
INSERT INTO asked VALUES (1, 'dp_median(weight_kg)', 'weight_kg', 20, 300, 0.5), (2, 'dp_quantile(weight_kg, 0.25)', 'weight_kg', 20, 300, 0.25),
    (3, 'dp_quantile(weight_kg, 0.9)', 'weight_kg', 20, 300, 0.9), (4, 'dp_quantile(weight_kg, 0.99)', 'weight_kg', 20, 300, 0.99),
    (5, 'dp_median(chol_mg_dl)', 'chol_mg_dl', 50, 600, 0.5), (6, 'dp_median(income_ratio)', 'income_ratio', 0, 5, 0.5);
CREATE TABLE values_of (attribute text, v float8, before float8, upto float8, n float8, PRIMARY KEY (attribute, v));
CREATE TABLE rank_errors (id int, error float8, published float8);
CREATE PROCEDURE draw_quantiles(times int) LANGUAGE plpgsql AS $$
DECLARE
    a asked;
    answer float8;
    total float8;
BEGIN
    PERFORM set_config('dpsens.mechanism', 'laplace', false);
    FOR a IN SELECT DISTINCT ON (attribute) * FROM asked LOOP
        EXECUTE format('INSERT INTO values_of SELECT %L, v, upto - here, upto, sum(here) OVER () FROM
                        (SELECT v, count(*) AS here, sum(count(*)) OVER (ORDER BY v) AS upto
                         FROM (SELECT least(greatest(%I::float8, %s), %s) AS v FROM nhanes WHERE %2$I IS NOT NULL) c GROUP BY v) c',
                       a.attribute, a.attribute, a.lo, a.hi);
    END LOOP;
    FOR a IN SELECT * FROM asked ORDER BY id LOOP
        total := 0;
        FOR i IN 1..times LOOP
            EXECUTE format('SELECT %s FROM nhanes', a.private) INTO answer;
            total := total + (SELECT greatest(0, sum(upto - before) FILTER (WHERE v < answer) - a.q * max(n), a.q * max(n) - sum(upto - before) FILTER (WHERE v <= answer))
                              FROM values_of WHERE attribute = a.attribute);
        END LOOP;
        -- between two values the rank is that of the first
        INSERT INTO rank_errors
        SELECT a.id, total / times, sum(w * abs(rank - a.q * n)) / sum(w)
        FROM (SELECT rank, n, (upper - lower) * exp(greatest(-abs(rank - a.q * n) / 2, -600)) AS w
              FROM (SELECT upto AS rank, n, v AS lower, lead(v, 1, a.hi) OVER (ORDER BY v) AS upper FROM values_of WHERE attribute = a.attribute
                    UNION ALL SELECT 0, max(n), a.lo, min(v) FROM values_of WHERE attribute = a.attribute) gaps) weights;
        COMMIT;
    END LOOP;
END $$;
CALL draw_quantiles(:draws);

\o
\pset footer off
\echo :draws draws over the survey at epsilon = 1, delta = 1e-6; mean absolute error, the bound, and their ratio
SELECT private AS "aggregate", mechanism, round(error::numeric, 6) AS error, round(optimum::numeric, 6) AS bound, round(ratio::numeric, 2) AS ratio
FROM ratios ORDER BY id, mechanism DESC;

\echo Quantiles at epsilon = 1: mean error in ranks, that of the mechanism of Smith (2011), and their ratio
SELECT private AS "aggregate", round(error::numeric, 3) AS error, round(published::numeric, 3) AS published, round((error / published)::numeric, 2) AS ratio
FROM rank_errors JOIN asked USING (id) ORDER BY id;

\t on
\pset format unaligned
\o :result
SELECT jsonb_pretty(jsonb_build_object('draws', :draws, 'version', version(), 'quantiles',
       (SELECT jsonb_agg(jsonb_build_object('aggregate', private, 'error', error, 'published', published, 'ratio', error / published) ORDER BY id)
        FROM rank_errors JOIN asked USING (id)), 'results',
       jsonb_agg(jsonb_build_object('aggregate', private, 'mechanism', mechanism, 'error', error, 'bound', optimum, 'ratio', ratio) ORDER BY id, mechanism)))
FROM ratios;
\o
DROP SCHEMA dpsens_accuracy CASCADE;
