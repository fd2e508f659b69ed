-- tallies.sql
--	Quantiles, extremes, modes, truth values, histograms and distinct counts, drawn
--	through SQL, against their exact distributions on small tables.
--
-- A table has 4,000 groups with the same few rows, so one statement makes 4,000
-- independent draws; ten make a sample.  Distributions are computed here from the
-- definitions: of distances, of their range under each adjacency, of noise.
--
-- A chi-square test fails when p < 1e-9.  Bins that expect fewer than 1,000 draws
-- are joined, so that the approximation of such a tail is good to a factor of a
-- few; 17 tests together make a false alarm in fewer than 1e-7 of all runs.  The
-- same samples are tested against the distributions of wrong ranges, which must
-- fail.  A failure prints what was seen and what was expected.
\set QUIET on
SET client_min_messages = error;
SET log_min_messages = fatal;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_tallies CASCADE;
CREATE SCHEMA dps_tallies;
SET search_path = dps_tallies, public;

-- ---- data ----

CREATE TABLE few (a int, s text, flag boolean);
INSERT INTO few VALUES (1, 'u', false), (1, 'u', false), (3, 'v', true), (6, 'u', false);
-- x is a as a number, on a lattice of 1/8192
CREATE TABLE t (id int PRIMARY KEY, k int NOT NULL, a int NOT NULL, x float8 NOT NULL, s text NOT NULL, flag boolean NOT NULL);
INSERT INTO t SELECT row_number() OVER (), k, a, a, s, flag FROM generate_series(1, 4000) k, few;
CREATE TABLE r (LIKE t INCLUDING ALL);
INSERT INTO r SELECT * FROM t;
DO $$
DECLARE
    one regclass;
BEGIN
    FOREACH one IN ARRAY ARRAY['t', 'r']::regclass[] LOOP
        PERFORM dpsens.protect(one, unit => 'id', adjacency => CASE one WHEN 'r'::regclass THEN 'replace' ELSE 'add_remove' END);
        PERFORM dpsens.set_range(one, 'a', 0, 7), dpsens.set_range(one, 'x', 0, 7), dpsens.set_values(one, 's', 'u', 'v', 'w'), dpsens.set_public(one, 'k');
        PERFORM dpsens.set_values(one, 'k', VARIADIC (SELECT array_agg(k::text) FROM generate_series(1, 4000) k));
    END LOOP;
END
$$;

-- ---- distributions ----

-- P(z) for z = 0 ... 7 by the quantile p/r, at epsilon, for distances of this range.
CREATE FUNCTION quantile_law(p int, r int, epsilon float8, range float8) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    SELECT z::text, weight / sum(weight) OVER ()
    FROM (SELECT z, exp(-epsilon / range * greatest(0, r * (SELECT count(*) FROM few WHERE a < z) - p * 4,
                                                   r * (SELECT count(*) FROM few WHERE a > z) - (r - p) * 4)) AS weight
          FROM generate_series(0, 7) z) AS w;
END;

-- P(floor(z)) on a lattice of 1/8192 from 0 to 7: z itself and what lies between.
CREATE FUNCTION fine_law(p int, r int, epsilon float8, range float8) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    SELECT z::text, sum(weight) / sum(sum(weight)) OVER ()
    FROM (SELECT z, CASE WHEN between_points THEN 8191 ELSE 1 END
                 * exp(-epsilon / range * greatest(0, r * (SELECT count(*) FROM few WHERE a < z OR a = z AND between_points) - p * 4,
                                                   r * (SELECT count(*) FROM few WHERE a > z) - (r - p) * 4)) AS weight
          FROM generate_series(0, 7) z, (VALUES (true), (false)) v (between_points) WHERE z < 7 OR NOT between_points) AS w
    GROUP BY z;
END;

-- The quantiles 1/4 and 3/4 on 0 ... 7, each draw at epsilon 1: a cut of level 3/4, of 65,537 at each point, and a quantile p/r of
-- what is below it (noise/quantile/split.c).
CREATE FUNCTION split_law(p int, r int) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    SELECT y || ' ' || z, sum(of_cut * weight / below_weight) FROM (
        SELECT z, y, of_cut, weight, sum(weight) OVER (PARTITION BY z, b) AS below_weight FROM (
            SELECT c.z, c.b, c.of_cut, y, exp(-1 / (2.0 * greatest(p, r - p)) * greatest(0, r * l.before - p * c.below,
                r * (c.below - l.before - CASE WHEN y = c.z THEN c.b ELSE l.here END) - (r - p) * c.below)) AS weight
            FROM (SELECT z, b, before + b AS below, ways * exp(-1 / 6.0 * abs(4 * (before + b) - 3 * 4)) / sum(ways * exp(-1 / 6.0 * abs(4 * (before + b) - 3 * 4))) OVER () AS of_cut
                FROM (SELECT z, before, floor(here * k / 65536.0 + 0.5)::int AS b, count(*) AS ways
                    FROM (SELECT z, (SELECT count(*) FROM few WHERE a < z) AS before, (SELECT count(*) FROM few WHERE a = z) AS here FROM generate_series(0, 7) z) w, generate_series(0, 65536) k
                    GROUP BY 1, 2, 3) u) c,
                LATERAL (SELECT y, (SELECT count(*) FROM few WHERE a < y) AS before, (SELECT count(*) FROM few WHERE a = y) AS here FROM generate_series(0, c.z) y) l) v) q
    GROUP BY 1;
END;

-- By the rank-th smallest, or the rank-th largest.
CREATE FUNCTION rank_law(rank int, largest boolean, epsilon float8, range float8) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    SELECT z::text, weight / sum(weight) OVER ()
    FROM (SELECT z, exp(-epsilon / range * greatest(0, before - (rank - 1), rank - before - here)) AS weight
          FROM (SELECT z, (SELECT count(*) FROM few WHERE CASE WHEN largest THEN a > z ELSE a < z END) AS before,
                       (SELECT count(*) FROM few WHERE a = z) AS here
                FROM generate_series(0, 7) z) AS c) AS w;
END;

CREATE FUNCTION mode_law(epsilon float8, range float8) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    SELECT v, weight / sum(weight) OVER ()
    FROM (SELECT v, exp(epsilon / range * (SELECT count(*) FROM few WHERE s = v)) AS weight FROM (VALUES ('u'), ('v'), ('w')) AS d (v)) AS w;
END;

-- Permute-and-flip of three: q of each, and sums over the subsets of both others.
CREATE FUNCTION flip_law(epsilon float8, range float8) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    WITH q AS (SELECT v, exp(epsilon / range * (c - max(c) OVER ())) AS q FROM (SELECT v, (SELECT count(*) FROM few WHERE s = v) AS c FROM (VALUES ('u'), ('v'), ('w')) AS d (v)) AS n)
    SELECT a.v, a.q * (1 - (b.q + c.q) / 2 + b.q * c.q / 3) FROM q a JOIN q b ON b.v <> a.v JOIN q c ON c.v <> a.v AND c.v > b.v;
END;

-- A count with geometric noise of this scale: P(Z < z), for z half way between integers.
CREATE FUNCTION below(z float8, scale float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN z < 0 THEN exp((z - 0.5) / scale) / (1 + exp(-1 / scale)) ELSE 1 - exp(-(z + 0.5) / scale) / (1 + exp(-1 / scale)) END;
CREATE FUNCTION count_law(n int, scale float8) RETURNS TABLE (outcome text, probability float8) LANGUAGE sql
BEGIN ATOMIC
    SELECT (n + z)::text, below(z + 0.5, scale) - below(z - 0.5, scale) FROM generate_series(-60, 60) z;
END;

\ir chi_square.psql

-- ---- samples ----

CREATE TABLE experiment (name text PRIMARY KEY, query text);
INSERT INTO experiment VALUES
    ('median', 'SELECT dp_median(a, 1) FROM t GROUP BY k'),
    ('median, replace', 'SELECT dp_median(a, 1) FROM r GROUP BY k'),
    ('quantile 0.9', 'SELECT dp_quantile(a, 0.9, 2) FROM t GROUP BY k'),
    ('quantile 0.2, replace', 'SELECT dp_quantile(a, 0.2, 3) FROM r GROUP BY k'),
    ('minimum', 'SELECT dp_min(a, 2.5) FROM t GROUP BY k'),
    ('maximum', 'SELECT dp_max(a, 2.5) FROM t GROUP BY k'),
    ('maximum, replace', 'SELECT dp_max(a, 5) FROM r GROUP BY k'),
    ('mode', 'SELECT dp_mode(s, 1) FROM t GROUP BY k'),
    ('mode, replace', 'SELECT dp_mode(s, 1) FROM r GROUP BY k'),
    ('mode, gaussian', 'SELECT dp_mode(s, 1) FROM t GROUP BY k'),
    ('fine median', 'SELECT floor(dp_median(x, 2)) FROM t GROUP BY k'),
    ('two quantiles', 'SELECT q[2] || '' '' || q[1] FROM (SELECT dp_quantile(a, ARRAY[0.75, 0.25], 2) AS q FROM t GROUP BY k) AS q'),
    ('any', 'SELECT dp_bool_or(flag, 1) FROM t GROUP BY k'),
    ('every', 'SELECT dp_bool_and(flag, 0.5) FROM t GROUP BY k'),
    ('distinct', 'SELECT dp_count(DISTINCT a, 0.5) FROM t GROUP BY k'),
    ('bucket with rows', 'SELECT (dp_histogram(a, 4, 0.5))[1] FROM t GROUP BY k'),
    ('empty bucket', 'SELECT (dp_histogram(a, 4, 0.5))[3] FROM t GROUP BY k'),
    ('bucket, replace', 'SELECT (dp_histogram(a, ARRAY[0, 2, 7], 1))[2] FROM r GROUP BY k');
CREATE TABLE sample (name text, outcome text, n bigint);
DO $$
DECLARE
    one experiment;
BEGIN
    FOR one IN SELECT * FROM experiment LOOP
        PERFORM set_config('dpsens.mechanism', CASE WHEN one.name ~ 'gaussian' THEN 'gaussian' ELSE 'laplace' END, false),
            set_config('dpsens.delta', CASE WHEN one.name ~ 'gaussian' THEN '1e-6' ELSE current_setting('dpsens.delta') END, false);
        FOR i IN 1..10 LOOP
            EXECUTE format('INSERT INTO sample SELECT %L, v::text, count(*) FROM (%s) AS q (v) GROUP BY v', one.name, one.query);
        END LOOP;
    END LOOP;
END
$$;

-- What is right, and what a wrong range would give.
CREATE TABLE law (name text, careless text, outcome text, probability float8);
INSERT INTO law SELECT 'median', c, l.* FROM (VALUES (NULL, 2.0), ('half the range', 1.0), ('twice the range', 4.0)) v (c, range), quantile_law(1, 2, 1, range) l;
INSERT INTO law SELECT 'median, replace', c, l.* FROM (VALUES (NULL, 4.0), ('the range of add_remove', 2.0)) v (c, range), quantile_law(1, 2, 1, range) l;
INSERT INTO law SELECT 'quantile 0.9', c, l.* FROM (VALUES (NULL, 18.0), ('a range of 10', 10.0)) v (c, range), quantile_law(9, 10, 2, range) l;
INSERT INTO law SELECT 'quantile 0.2, replace', c, l.* FROM (VALUES (NULL, 10.0), ('the range of add_remove', 8.0)) v (c, range), quantile_law(1, 5, 3, range) l;
-- ceil(2 ln 8 / epsilon) is 2 at 2.5 and 1 at 5
INSERT INTO law SELECT 'minimum', c, l.* FROM (VALUES (NULL, 2, 2.0), ('another rank', 1, 2.0), ('half the range', 2, 1.0)) v (c, rank, range), rank_law(rank, false, 2.5, range) l;
INSERT INTO law SELECT 'maximum', c, l.* FROM (VALUES (NULL, 2, 2.0), ('another rank', 3, 2.0)) v (c, rank, range), rank_law(rank, true, 2.5, range) l;
INSERT INTO law SELECT 'maximum, replace', NULL, l.* FROM rank_law(1, true, 5, 2) l;
INSERT INTO law SELECT 'mode', c, l.* FROM (VALUES (NULL, 1.0), ('twice the range', 2.0)) v (c, range), flip_law(1, range) l;
INSERT INTO law SELECT 'mode', 'the exponential mechanism', l.* FROM mode_law(1, 1) l;
INSERT INTO law SELECT 'mode, replace', c, l.* FROM (VALUES (NULL, 2.0), ('the range of add_remove', 1.0)) v (c, range), flip_law(1, range) l;
INSERT INTO law SELECT 'mode, gaussian', c, l.* FROM (VALUES (NULL, 1.0), ('twice the range', 2.0)) v (c, range), mode_law(1, range) l;
INSERT INTO law SELECT 'two quantiles', c, l.* FROM (VALUES (NULL, 3), ('a level of everything', 4)) v (c, r), split_law(1, r) l;
INSERT INTO law SELECT 'fine median', NULL, l.* FROM fine_law(1, 2, 2, 2) l;
INSERT INTO law SELECT 'any', NULL, o::text, CASE WHEN o THEN 1 - below(-0.5, 1) ELSE below(-0.5, 1) END FROM (VALUES (true), (false)) v (o);
INSERT INTO law SELECT 'any', 'noise that is rounded', o::text, CASE WHEN o THEN 1 - exp(-0.5) / 2 ELSE exp(-0.5) / 2 END FROM (VALUES (true), (false)) v (o);
INSERT INTO law SELECT 'every', NULL, o::text, CASE WHEN o THEN below(-2.5, 2) ELSE 1 - below(-2.5, 2) END FROM (VALUES (true), (false)) v (o);
INSERT INTO law SELECT 'distinct', c, l.* FROM (VALUES (NULL, 2.0), ('scale 1.75', 1.75)) v (c, scale), count_law(3, scale) l;
INSERT INTO law SELECT 'bucket with rows', c, l.* FROM (VALUES (NULL, 2.0), ('scale 2.25', 2.25)) v (c, scale), count_law(2, scale) l;
INSERT INTO law SELECT 'empty bucket', NULL, l.* FROM count_law(0, 2) l;
INSERT INTO law SELECT 'bucket, replace', c, l.* FROM (VALUES (NULL, 2.0), ('the scale of add_remove', 1.0)) v (c, scale), count_law(2, scale) l;

-- ---- verdicts ----

-- Rare outcomes are one bin, and join the rarest common one where that makes the
-- number of bins odd.  Two bins are judged as if they were three, which is milder.
CREATE FUNCTION judge(of text, how text) RETURNS TABLE (p float8, bins text) LANGUAGE plpgsql AS $$
DECLARE
    total float8 := (SELECT sum(n) FROM sample WHERE sample.name = of);
BEGIN
    RETURN QUERY WITH pair AS
        (SELECT coalesce(l.outcome, s.outcome) AS outcome, coalesce(l.probability, 0) * total AS expected, coalesce(s.n, 0) AS n
         FROM (SELECT * FROM law WHERE law.name = of AND law.careless IS NOT DISTINCT FROM how) l
         FULL JOIN (SELECT sample.outcome, sum(sample.n) AS n FROM sample WHERE sample.name = of GROUP BY 1) s ON s.outcome = l.outcome),
    ranked AS (SELECT *, row_number() OVER (ORDER BY expected DESC) AS place, count(*) FILTER (WHERE expected >= 1000) OVER () AS common FROM pair),
    -- the least of the common outcomes is joined with the rare ones if those are too few
    joined AS (SELECT CASE WHEN common <= 2 OR place < common - (common + 1) % 2 THEN place ELSE 9999 END AS bin, sum(expected) AS expected, sum(n) AS n,
                      string_agg(outcome, ',' ORDER BY place) AS outcomes
               FROM ranked GROUP BY 1),
    merged AS (SELECT count(*) AS k, sum((n - expected) ^ 2 / nullif(expected, 0)) AS x,
                      string_agg(format('%s: %s, expected %s', left(outcomes, 40), n, round(expected)), '; ' ORDER BY bin) AS seen FROM joined)
    SELECT CASE WHEN k % 2 = 1 THEN chi_square_tail(x::float8, (k - 1)::int)
                ELSE chi_square_tail(x::float8, k::int) END, format('chi-square %s of %s bins: %s', x, k, seen)
    FROM merged;
END
$$;
\o

SELECT no_plan();
SELECT is(round(chi_square_tail(32.90949040736021, 12)::numeric, 9), 0.001000000, 'this file''s chi-square distribution function');
SELECT is((SELECT count(*) FROM (SELECT name FROM law GROUP BY name, careless HAVING abs(sum(probability) - 1) > 1e-9) AS q), 0::bigint,
    'this file''s distributions add up');
SELECT is((SELECT count(*) FROM (SELECT name FROM sample GROUP BY name HAVING sum(n) = 40000) AS q), 18::bigint, '40000 draws of each');
SELECT ok(p >= 1e-9, format('%s: p = %s', name, p)) || CASE WHEN p >= 1e-9 THEN '' ELSE E'\n' || diag(bins) END
FROM experiment, judge(name, NULL) ORDER BY name;
SELECT ok(p < 1e-9, format('%s: %s would be seen', name, careless)) || CASE WHEN p < 1e-9 THEN '' ELSE E'\n' || diag(bins) END
FROM (SELECT DISTINCT name, careless FROM law WHERE careless IS NOT NULL) AS wrong, judge(name, careless) ORDER BY name, careless;
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_tallies CASCADE;
