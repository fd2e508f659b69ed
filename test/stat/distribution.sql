-- distribution.sql
--	The noise of released values has the law that dpsens.explain states:
--	discrete Laplace or discrete Gaussian of that scale, on the public lattice.
--
-- Noise cannot be seeded, so a failure prints the counts per bin, expected and
-- observed, and the query.
--
-- Every draw is standardised to a variable z that is symmetric about 0, of one
-- of the laws below.  Four statistics are taken of the n values of z: Pearson's
-- chi-square over 13 bins, the mean, the mean of |z| and the mean of z^2, the
-- last three in standard deviations from what is expected.  An experiment fails
-- at p < 1e-9 for the first and beyond 6 for the others, beyond 8 for z^2 of
-- Laplace noise, whose skewness is 6.6.
--
-- False alarms: 12 experiments with 1e-9 + 3 * 2e-9 each by the limit laws, 8.4e-8
-- together.  Finite samples have heavier tails, by a factor of about
-- exp(skewness x^3 / (6 sqrt(n)) + kurtosis x^4 / (24 n)) at x deviations.  With
-- n >= 4000 that is below 10 at worst, for |z| and z^2 of the four experiments of
-- single values (for z^2 of Laplace noise it is e^13 on a tail of 1.2e-15), and
-- below 2 for the others: together less than 3e-7.  A scale that is wrong by 3 %
-- is not seen with probability below 2e-8 in each of 16 cases, as said there, which
-- is another 3.2e-7.  The rate of the file is below 7e-7.
--
-- Scales are above 2^33 units, so that the discrete laws and the continuous
-- ones differ by less than 1e-9 in probability and are not distinguished here;
-- the samplers' own test looks at small scales.  A count gets whole numbers as noise (geometric),
-- or is rounded after it (Gaussian): that moves none of the moments, and no probability, by
-- more than 2e-5 at a scale of 100 (1 - 1/cosh(1/200)), and its bins have half-integer edges.

\set QUIET on
SET client_min_messages = error;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_distribution CASCADE;
CREATE SCHEMA dps_distribution;
SET search_path = dps_distribution, public;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET synchronous_commit = off;

-- ---- laws ----

-- P(|a Z1 + b Z2| <= |x|) / 2 with the sign of x, for standard Laplace
-- variables and a + b = 1, b = share: the law of an average of a pair.
CREATE FUNCTION pair_law(x float8, share float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN sign(x) * 0.5 * (1 - CASE
    WHEN abs(1 - 2 * share) < 1e-6 THEN (1 + abs(x)) * exp(-2 * least(abs(x), 300))
    ELSE ((1 - share) ^ 2 * exp(-least(abs(x) / (1 - share), 300)) - share ^ 2 * exp(-least(abs(x) / share, 300))) / (1 - 2 * share) END);

-- The normal distribution function: by the series x + x^3/3 + x^5/(3 5) + ..., and
-- far out by the continued fraction x + 1/(x + 2/(x + 3/(x + ...))).
CREATE FUNCTION normal(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    density float8 := exp(-least(x * x / 2, 700)) / sqrt(2 * pi());
    term float8 := x;
    total float8 := x;
BEGIN
    IF abs(x) > 3 THEN
        FOR i IN REVERSE 200..1 LOOP
            total := x + i / total;
        END LOOP;
        RETURN CASE WHEN x > 0 THEN 1 ELSE 0 END - density / total;
    END IF;
    FOR i IN 1..40 LOOP
        term := term * x * x / (2 * i + 1);
        total := total + term;
    END LOOP;
    RETURN 0.5 + density * total;
END
$$;

CREATE FUNCTION below(law text, z float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE law
    WHEN 'laplace' THEN CASE WHEN z < 0 THEN exp(z) / 2 ELSE 1 - exp(-z) / 2 END
    WHEN 'gaussian' THEN normal(z)
    ELSE least(greatest(z + 0.5, 0), 1) END;

-- The quantiles that cut 13 equal parts.
CREATE FUNCTION quantiles(law text) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    result float8[] := '{}';
    lo float8;
    hi float8;
BEGIN
    FOR i IN 1..12 LOOP
        lo := -10;
        hi := 10;
        FOR step IN 1..50 LOOP
            IF below(law, (lo + hi) / 2) < i / 13.0 THEN
                lo := (lo + hi) / 2;
            ELSE
                hi := (lo + hi) / 2;
            END IF;
        END LOOP;
        result := result || lo;
    END LOOP;
    RETURN result;
END
$$;

CREATE TABLE law (name text PRIMARY KEY, quantiles float8[], absolute float8, absolute_variance float8, square float8, square_variance float8, square_limit float8);
INSERT INTO law VALUES
    ('laplace', quantiles('laplace'), 1, 1, 2, 20, 8),
    ('gaussian', quantiles('gaussian'), sqrt(2 / pi()), 1 - 2 / pi(), 1, 2, 6),
    ('uniform', quantiles('uniform'), 1 / 4.0, 1 / 48.0, 1 / 12.0, 1 / 180.0, 6);

\ir chi_square.psql

-- ---- data ----

-- A third of the keys has no rows, others up to five; all values are multiples of
-- 1/8, so that true sums and the lattice need no rounding.
CREATE TABLE t (id int PRIMARY KEY, k int NOT NULL, x float8 NOT NULL);
INSERT INTO t SELECT row_number() OVER (), k, -1 + (k * 7 + i * 5) % 33 / 8.0
FROM generate_series(1, 1000) k, generate_series(1, 5) i WHERE k % 3 > 0 AND i <= k % 5 + 1;
CREATE TABLE five (id int PRIMARY KEY, k int NOT NULL, x float8 NOT NULL);
INSERT INTO five SELECT row_number() OVER (), k, -1 + (8 + (k * 7 + i * 5) % 15) / 8.0
FROM generate_series(1, 1000) k, generate_series(1, 5) i;
CREATE TABLE fixed (LIKE five INCLUDING ALL);
INSERT INTO fixed SELECT * FROM five;
DO $$
DECLARE
    one regclass;
BEGIN
    FOREACH one IN ARRAY ARRAY['t', 'five', 'fixed']::regclass[] LOOP
        PERFORM dpsens.protect(one, unit => 'id', adjacency => CASE WHEN one = 'fixed'::regclass THEN 'replace' ELSE 'add_remove' END);
        PERFORM dpsens.set_range(one, 'x', -1, 3);
        PERFORM dpsens.set_values(one, 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, 1000) i));
        PERFORM dpsens.set_public(one, 'k');
    END LOOP;
END
$$;
ANALYZE t, five, fixed;

-- What is not private: sums of the rows, of their distances to either end, and numbers.
CREATE FUNCTION truth(source regclass) RETURNS TABLE (k int, n float8, total float8) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT i, count(x)::float8, coalesce(sum(x), 0) FROM generate_series(1, 1000) i LEFT JOIN %s ON k = i GROUP BY i
        UNION ALL SELECT 0, count(x)::float8, sum(x) FROM %s', source, source);
END
$$;

-- ---- experiments ----

CREATE TABLE experiment (name text PRIMARY KEY, law text, scale float8, grid float8, counts boolean, query text, sensitivity float8, epsilon float8, delta float8);
-- z = x / (factor of the scale), or where share is given pair_law(x / factor, share)
CREATE UNLOGGED TABLE draw (name text, value float8, x float8, share float8);
CREATE UNLOGGED TABLE answer (k int, a float8, b float8);

-- Runs a query of (k, a, b) and keeps the answers.
CREATE PROCEDURE ask(query text, runs int) LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE answer;
    EXECUTE 'PREPARE asked AS INSERT INTO answer ' || query;
    FOR run IN 1..runs LOOP
        EXECUTE 'EXECUTE asked';
    END LOOP;
    DEALLOCATE asked;
END
$$;

CREATE FUNCTION mechanism() RETURNS text LANGUAGE sql STABLE
RETURN current_setting('dpsens.mechanism');

-- Sums and counts; of every key at once, or key 0 for the whole table.
CREATE PROCEDURE try_sums(kind text, query text, runs int) LANGUAGE plpgsql AS $$
BEGIN
    CALL ask(query, runs);
    INSERT INTO experiment SELECT format('%s, %s, %s', substring(aggregate FROM '^\w+'), mechanism(), kind), mechanism(), noise_scale, grid,
        aggregate ~ 'count', query, sensitivity, epsilon, delta FROM dpsens.explain(query);
    INSERT INTO draw
    SELECT e.name, e.value, (e.value - e.truth) / e.scale FROM (
        SELECT name, scale, CASE WHEN counts THEN b ELSE a END AS value, CASE WHEN counts THEN truth.n ELSE truth.total END AS truth
        FROM answer JOIN truth('t') USING (k), experiment
        WHERE name LIKE format('%%, %s, %s', mechanism(), kind)) AS e;
END
$$;

-- Averages over the private number of rows in a group.  The noised A = sum(x - L)
-- and B = sum(U - x) (laplace), or T = sum(x - c) and n (gaussian, c the middle),
-- make a mean below m iff a linear combination of the noises is below a number.
-- That is so of a release in one stage: under laplace of the table of adjacency
-- replace with a condition that makes the number of rows private, though it is
-- true of all.
CREATE PROCEDURE try_averages(query text, runs int) LANGUAGE plpgsql AS $$
DECLARE
    title text := 'dp_avg, ' || mechanism();
    lo float8 := -1;
    hi float8 := 3;
BEGIN
    CALL ask(query, runs);
    INSERT INTO experiment SELECT title, CASE mechanism WHEN 'laplace' THEN 'uniform' ELSE mechanism END, noise_scale, grid, false, query, sensitivity, epsilon, delta
    FROM dpsens.explain(query);
    IF mechanism() = 'laplace' THEN
        INSERT INTO draw
        SELECT title, m, (share * (n * hi - total) - (1 - share) * (total - n * lo)) / scale, share
        FROM (SELECT k, a AS m, (a - lo) / (hi - lo) AS share FROM answer) AS q JOIN truth('five') USING (k), experiment WHERE name = title;
    ELSE
        -- T has four times the rho of n, so its scale is half of what sensitivities, (hi - lo) / 2
        -- and 1, would make of that of n
        INSERT INTO draw
        SELECT title, a, (d * n - (total - n * (lo + hi) / 2)) / (scale * sqrt(1 + (4 * d / (hi - lo)) ^ 2))
        FROM (SELECT k, a, a - (lo + hi) / 2 AS d FROM answer) AS q JOIN truth('five') USING (k), experiment WHERE name = title;
    END IF;
END
$$;

-- Averages over a public number of rows: a noised sum, divided.
CREATE PROCEDURE try_fixed_averages(query text, runs int) LANGUAGE plpgsql AS $$
DECLARE
    title text := format('dp_avg, %s, replace', mechanism());
BEGIN
    CALL ask(query, runs);
    INSERT INTO experiment SELECT title, mechanism, noise_scale, grid, false, query, sensitivity, epsilon, delta FROM dpsens.explain(query);
    INSERT INTO draw SELECT title, a * n, (a * n - total) / scale FROM answer JOIN truth('fixed') USING (k), experiment WHERE name = title;
END
$$;

SET dpsens.mechanism = laplace;
CALL try_sums('by group', 'SELECT k, dp_sum(x, 1), dp_count(true, 0.01) FROM t GROUP BY k', 200);
CALL try_sums('single', 'SELECT 0, dp_sum(x, 0.1), dp_count(x, 0.01) FROM t', 4000);
CALL try_averages('SELECT k, dp_avg(x, 64) FROM fixed WHERE x > -2 GROUP BY k', 200);
CALL try_fixed_averages('SELECT k, dp_avg(x, 64) FROM fixed GROUP BY k', 200);
SET dpsens.mechanism = gaussian;
CALL try_sums('by group', 'SELECT k, dp_sum(x, 1), dp_count(true, 0.01) FROM t GROUP BY k', 80);
CALL try_sums('single', 'SELECT 0, dp_sum(x, 0.1), dp_count(x, 0.01) FROM t', 4000);
CALL try_averages('SELECT k, dp_avg(x, 64) FROM five GROUP BY k', 80);
CALL try_fixed_averages('SELECT k, dp_avg(x, 64) FROM fixed GROUP BY k', 80);

-- ---- statistics ----

-- z if the scale were another by this factor
CREATE FUNCTION standardised(x float8, share float8, factor float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN share IS NULL THEN x / factor ELSE pair_law(x / factor, share) END;

-- Where the bins of an experiment end, in z.
CREATE FUNCTION edges(e experiment, factor float8) RETURNS float8[] LANGUAGE sql STABLE
RETURN (SELECT array_agg(CASE WHEN e.counts THEN (floor(q * e.scale * factor) + 0.5) / (e.scale * factor) ELSE q END ORDER BY q)
        FROM law, unnest(quantiles) AS q WHERE law.name = e.law);

CREATE TABLE result (name text, factor float8, n bigint, p float8, mean float8, absolute float8, square float8, bins text, fails boolean);

CREATE PROCEDURE judge(title text, factor float8) LANGUAGE plpgsql AS $$
DECLARE
    e experiment := (SELECT experiment FROM experiment WHERE name = title);
    l law := (SELECT law FROM law WHERE name = e.law);
    cuts float8[] := edges(e, factor);
BEGIN
    INSERT INTO result
    WITH binned AS MATERIALIZED (
        SELECT width_bucket(z, cuts) AS bin, count(*) AS observed, sum(z) AS total, sum(abs(z)) AS absolute, sum(z * z) AS square
        FROM (SELECT standardised(x, share, factor) AS z FROM draw WHERE name = title OFFSET 0) AS s GROUP BY 1
    ), number AS (
        SELECT sum(observed)::float8 AS n, sum(total) AS total, sum(absolute) AS absolute, sum(square) AS square FROM binned
    ), compared AS (
        SELECT bin, coalesce(observed, 0) AS observed,
               n * (CASE bin WHEN 12 THEN 1 ELSE below(e.law, cuts[bin + 1]) END - CASE bin WHEN 0 THEN 0 ELSE below(e.law, cuts[bin]) END) AS expected
        FROM generate_series(0, 12) AS bin LEFT JOIN binned USING (bin), number
    )
    SELECT title, factor, n, chi_square_tail((SELECT sum((observed - expected) ^ 2 / expected) FROM compared), 12),
           total / sqrt(n * l.square), (absolute - n * l.absolute) / sqrt(n * l.absolute_variance), (square - n * l.square) / sqrt(n * l.square_variance),
           (SELECT string_agg(format('below %s: %s expected, %s observed', coalesce(round(cuts[bin + 1]::numeric, 4)::text, 'infinity'),
                                     round(expected::numeric, 1), observed), E'\n' ORDER BY bin) FROM compared)
    FROM number;
    UPDATE result SET fails = (p >= 1e-9 AND abs(mean) <= 6 AND abs(absolute) <= 6 AND abs(square) <= l.square_limit) IS NOT TRUE
    WHERE name = title AND result.factor = judge.factor;
END
$$;

-- A right scale, and ones that are wrong.  With n draws a scale that is wrong by
-- 3 % moves the mean of |z| by 0.029 sqrt(n) deviations under Laplace noise, that of
-- z^2 by 0.057 sqrt(n / 2) under Gaussian noise, and those of |z| and z^2 by
-- 0.026 and 0.030 sqrt(n) for pairs, or by more: 13, 11.5 and 13 for the numbers of
-- draws here.  It is not seen only if chance takes off all but 6, which is 5.5
-- deviations or more.
DO $$
DECLARE
    title text;
    factor float8;
BEGIN
    FOR title IN SELECT name FROM experiment LOOP
        CALL judge(title, 1);
        CONTINUE WHEN title LIKE '%single';
        FOREACH factor IN ARRAY ARRAY[0.97, 1.03] LOOP
            CALL judge(title, factor);
        END LOOP;
    END LOOP;
END
$$;

-- delta of Gaussian noise for neighbours at distance 1: the analytic formula.
CREATE FUNCTION gaussian_delta(sigma float8, epsilon float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN normal(1 / (2 * sigma) - epsilon * sigma) - exp(epsilon) * normal(-1 / (2 * sigma) - epsilon * sigma);
\o

SELECT plan(36);

SELECT is(
    (SELECT array_agg(round(q::numeric, 6)) FROM (SELECT unnest(quantiles('laplace')) AS q) AS l WHERE q > 0),
    (SELECT array_agg(round(-ln(2 * (13 - i) / 13.0), 6) ORDER BY i) FROM generate_series(7, 12) i), 'this file''s Laplace quantiles');
SELECT is((SELECT array_agg(round((normal(x) / p)::numeric, 9)) FROM (VALUES (-4.753424308822899, 1e-6), (-12.2, 1.5541197863896e-34), (1.959963984540054, 0.975)) v (x, p)),
    '{1,1,1}'::numeric[], 'this file''s normal distribution function');
SELECT is(round(chi_square_tail(32.90949040736021, 12)::numeric, 9), 0.001000000, 'this file''s chi-square distribution function');

SELECT ok(NOT fails, name)
FROM result WHERE factor = 1 ORDER BY name;
SELECT diag(format(E'%s: %s draws, chi-square has p = %s; deviations of the means of z %s, |z| %s, z^2 %s\nnoise_scale %s, grid %s: %s\n%s',
    result.name, n, p, mean, absolute, square, scale, grid, query, bins))
FROM result JOIN experiment USING (name) WHERE factor = 1 AND fails;

SELECT ok(fails, format('%s: a scale of %s would be seen', name, factor))
FROM result WHERE factor <> 1 ORDER BY name, factor;

-- the stated scale is what the mechanism needs, and little more
SELECT is((SELECT string_agg(name, ', ') FROM experiment
           WHERE name LIKE '%laplace%' AND (scale * epsilon / sensitivity BETWEEN 1 AND 1 + 1e-6) IS NOT TRUE),
    NULL, 'Laplace noise has scale sensitivity / epsilon');
SELECT is((SELECT string_agg(name, ', ') FROM experiment
           WHERE name LIKE '%gaussian%' AND name <> 'dp_avg, gaussian' AND (gaussian_delta(scale / sensitivity, epsilon) <= delta * (1 + 1e-6)) IS NOT TRUE),
    NULL, 'Gaussian noise keeps delta');
SELECT is((SELECT string_agg(name, ', ') FROM experiment
           WHERE name LIKE '%gaussian%' AND name <> 'dp_avg, gaussian' AND (gaussian_delta(scale / sensitivity / 1.0001, epsilon) > delta) IS NOT TRUE),
    NULL, 'and uses it up');

-- sums are (S + Z) 2^k; those divided by n are so when multiplied again, but for the
-- rounding of the quotient
SELECT is((SELECT string_agg(format('%s: %s', name, value), E'\n') FROM (
        SELECT name, value FROM draw JOIN experiment USING (name)
        WHERE NOT name LIKE 'dp_avg%' AND value / CASE WHEN counts THEN 1 ELSE grid END <> trunc(value / CASE WHEN counts THEN 1 ELSE grid END) LIMIT 5) AS q),
    NULL, 'all sums and counts are on the lattice');
SELECT is((SELECT string_agg(format('%s: %s', name, value), E'\n') FROM (
        SELECT name, value FROM draw JOIN experiment USING (name)
        WHERE name LIKE '%replace' AND abs(value / grid - round(value / grid)) > 0.05 LIMIT 5) AS q),
    NULL, 'so are averages times a public number of rows');
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_distribution CASCADE;
