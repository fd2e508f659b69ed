-- accuracy_published.sql
--	The part of accuracy.sql about answers for which no mechanism is known to be the
--	best: what published ones would err on the same data, computed exactly where
--	they are draws from a few candidates, else simulated.
-- relative: the standard error of what is simulated, as a part of it
-- What is simulated here is the same on each run; the noise of dpsens cannot be seeded.
SELECT setseed(0.25);
CREATE TABLE published (id int, mechanism text, error float8, source text, relative float8 DEFAULT 0);

-- ---- quantiles ----

-- In ranks: how far the part of the values below an answer, or at it, is from the
-- quantile.
CREATE TABLE values_of (attribute text, v float8, upto float8, here float8, n float8, PRIMARY KEY (attribute, v));
CREATE TABLE ranges (attribute text PRIMARY KEY, lo float8, hi float8);
INSERT INTO ranges VALUES ('weight_kg', 20, 300), ('chol_mg_dl', 50, 600), ('income_ratio', 0, 5), ('height_cm', 100, 230), ('waist_cm', 30, 250), ('blood_lead_ug_dl', 0, 100);
SELECT format('INSERT INTO values_of SELECT %1$L, v, sum(count(*)) OVER (ORDER BY v), count(*), sum(count(*)) OVER () '
              'FROM (SELECT least(greatest(%1$I::float8, %2$s), %3$s) AS v FROM nhanes WHERE %1$I IS NOT NULL) c GROUP BY v', attribute, lo, hi) FROM ranges \gexec
CREATE FUNCTION rank_error(a text, answer float8, q float8) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT greatest(0, coalesce((SELECT upto FROM values_of WHERE attribute = a AND v < answer ORDER BY v DESC LIMIT 1), 0) - q * n,
                        q * n - coalesce((SELECT upto FROM values_of WHERE attribute = a AND v <= answer ORDER BY v DESC LIMIT 1), 0))
        FROM (SELECT n FROM values_of WHERE attribute = a LIMIT 1) c);

-- Smith's mechanism (2011): the exponential mechanism on the range, with |rank - k| for a
-- distance and 1 for its sensitivity.  Between two values the rank is that of the first.
CREATE FUNCTION smith(a text, k float8, epsilon float8) RETURNS TABLE (rank float8, lower float8, upper float8, p float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH gaps AS (SELECT upto AS rank, v AS lower, lead(v, 1, hi) OVER (ORDER BY v) AS upper FROM values_of JOIN ranges USING (attribute) WHERE attribute = a
                  UNION ALL SELECT 0, lo, (SELECT min(v) FROM values_of WHERE attribute = a) FROM ranges WHERE attribute = a),
        weights AS (SELECT gaps.*, (upper - lower) * exp(greatest(-epsilon * abs(rank - k) / 2, -600)) AS w FROM gaps)
    SELECT rank, lower, upper, w / sum(w) OVER () FROM weights;
END;
CREATE FUNCTION smith_error(a text, q float8, epsilon float8) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT sum(p * abs(rank - q * n)) FROM (SELECT max(n) AS n FROM values_of WHERE attribute = a) c, smith(a, q * n, epsilon));
INSERT INTO asked (private, plain, source, loss, mechanisms)
SELECT format('dp_quantile(%I, %s)', attribute, q), 'NULL::float8', 'nhanes', format('rank_error(%L, a, %s)', attribute, q), '{laplace}'
FROM (VALUES ('weight_kg', 0.5), ('weight_kg', 0.25), ('weight_kg', 0.9), ('weight_kg', 0.99), ('chol_mg_dl', 0.5), ('income_ratio', 0.5)) v (attribute, q);
UPDATE asked SET private = format('dp_median(%s)', substring(private, '\((\w+),')) WHERE private ~ ', 0.5\)';
INSERT INTO published SELECT id, 'laplace', smith_error(substring(loss, '''(\w+)'''), substring(loss, ', ([\d.]+)\)')::float8, 1), 'Smith 2011' FROM asked WHERE loss ~ '^rank_error';

-- The extreme values, in the unit of the column: the same mechanism about the first or the
-- last value, which is uniform beyond all values: half of what the range has there.
CREATE FUNCTION smith_extreme(a text, k float8, extreme float8) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT sum(p * abs((lower + upper) / 2 - extreme)) FROM smith(a, k, 1));
INSERT INTO asked (private, plain, source, mechanisms)
SELECT format('dp_%s(%s)', f, attribute), format('%s(%s)::float8', f, attribute), 'nhanes', '{laplace}' FROM (VALUES ('min', 'weight_kg'), ('max', 'weight_kg'), ('min', 'height_cm'), ('max', 'height_cm'), ('max', 'blood_lead_ug_dl'), ('min', 'waist_cm')) v (f, attribute);
INSERT INTO published
SELECT id, 'laplace', CASE WHEN plain ~ '^min' THEN smith_extreme(attribute, 0, least) ELSE smith_extreme(attribute, n, greatest) END, 'Smith 2011, q = 0 or 1'
FROM asked JOIN (SELECT attribute, min(v) AS least, max(v) AS greatest, max(n) AS n FROM values_of GROUP BY attribute) e ON private ~ ('^dp_(min|max)\(' || attribute || '\)');

-- Three quantiles at once.  Kaplan, Schnapp and Stemmer (2022): the median at half of
-- epsilon, then those of both halves at the other half; here those of the true median, which is to
-- its advantage.
INSERT INTO ranges SELECT 'weight_kg ' || half, CASE half WHEN 'low' THEN 20 ELSE v END, CASE half WHEN 'low' THEN v ELSE 300 END
FROM unnest('{low,high}'::text[]) half, (SELECT min(v) AS v FROM values_of WHERE attribute = 'weight_kg' AND upto >= n / 2) m;
INSERT INTO values_of SELECT r.attribute, v, sum(here) OVER (PARTITION BY r.attribute ORDER BY v), here, sum(here) OVER (PARTITION BY r.attribute)
FROM values_of o, ranges r WHERE o.attribute = 'weight_kg' AND r.attribute ~ '^weight_kg ' AND CASE WHEN r.attribute ~ 'low' THEN v <= hi ELSE v > lo END;
INSERT INTO asked (private, plain, source, loss, mechanisms) VALUES ('dp_quantile(weight_kg, ARRAY[0.25, 0.5, 0.75])', 'NULL::float8', 'nhanes',
    '(rank_error(''weight_kg'', a[1], 0.25) + rank_error(''weight_kg'', a[2], 0.5) + rank_error(''weight_kg'', a[3], 0.75)) / 3', '{laplace}');
INSERT INTO published SELECT id, 'laplace', (smith_error('weight_kg low', 0.5, 0.5) + smith_error('weight_kg', 0.5, 0.5) + smith_error('weight_kg high', 0.5, 0.5)) / 3,
    'Kaplan, Schnapp and Stemmer 2022' FROM asked WHERE private ~ 'dp_quantile.*ARRAY';

-- ---- modes ----

-- How much rarer the answer is than the mode, where two are close.  Permute-and-flip
-- (McKenna and Sheldon 2020): of candidates that are d rarer, q = exp(-epsilon d), one is the answer with
-- probability q sum over sets S of others of (-1)^|S| / (|S| + 1) times the q of S.
CREATE TABLE tally AS SELECT education AS key, count(*)::float8 AS c, row_number() OVER () - 1 AS i FROM people WHERE age = 47 AND education IS NOT NULL GROUP BY education;
CREATE FUNCTION flipped(k text) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT sum(term) FROM generate_series(0, 31) s,
        LATERAL (SELECT exp(sum(c - (SELECT max(c) FROM tally)) FILTER (WHERE key = k OR s >> i::int & 1 = 1)) * (-1) ^ (count(*) FILTER (WHERE s >> i::int & 1 = 1))
                        / (count(*) FILTER (WHERE s >> i::int & 1 = 1) + 1) AS term FROM tally) t
        WHERE s >> (SELECT i::int FROM tally WHERE key = k) & 1 = 0 AND s < 2 ^ (SELECT count(*) FROM tally));
INSERT INTO asked (private, plain, source, loss, mechanisms) VALUES ('dp_mode(education)', 'NULL::text', 'people WHERE age = 47',
    '(SELECT max(c) - coalesce(max(c) FILTER (WHERE key = a), 0) FROM tally)', '{laplace}');
INSERT INTO published SELECT id, 'laplace', (SELECT sum(flipped(key) * ((SELECT max(c) FROM tally) - c)) FROM tally), 'McKenna and Sheldon 2020' FROM asked WHERE private ~ 'dp_mode.education';

-- ---- vectors ----

-- Under pure epsilon: the mechanism of Hardt and Talwar (2010) in the norm of the box, a point of
-- it taken a Gamma(3) variate times: squares of 12 c^2 / 3.
INSERT INTO published
SELECT id, 'laplace', 2 * CASE figure WHEN 'sums' THEN sqrt(xhi ^ 2 + yhi ^ 2) ELSE sqrt(largest('mean') ^ 2 + largest('mean_y') ^ 2) END, 'Hardt and Talwar 2010, of a box'
FROM asked, facts WHERE figure IN ('sums', 'means') AND mechanisms = '{laplace}';

-- ---- grouping sets ----

-- The sum of the squares of what all groups are off, over keys of 4, 5 and 6 values, beside that of an answer of its own for
-- each set: of no rows, as the noise is the same of any.
CREATE TYPE four AS ENUM ('1', '2', '3', '4');
CREATE TYPE five AS ENUM ('1', '2', '3', '4', '5');
CREATE TYPE six AS ENUM ('1', '2', '3', '4', '5', '6');
CREATE TABLE nobody (id int PRIMARY KEY, a four NOT NULL, b five NOT NULL, c six NOT NULL, x float8 NOT NULL);
SELECT dpsens.protect('nobody', unit => 'id'), dpsens.set_range('nobody', 'x', 0, 1);
INSERT INTO asked (private, plain, source, loss, mechanisms, shares, goal)
SELECT format('sum(n ^ 2) /* %s, %s%s */', f, k, CASE WHEN s THEN ', shared' END), '0::float8', format('(SELECT %s::float8 AS n FROM nobody GROUP BY %s) s', f, k), 'a', ARRAY[m], s, CASE WHEN s AND k = 'ROLLUP (a, b, c)' THEN 0.6 END
FROM unnest('{"ROLLUP (a, b)","ROLLUP (a, b, c)","CUBE (a, b, c)"}'::text[]) k, unnest('{dp_sum(x),dp_count(*)}'::text[]) f, unnest('{f,t}'::boolean[]) s, unnest('{laplace,gaussian}'::text[]) m;
INSERT INTO published SELECT id, mechanisms[1], CASE WHEN source ~ 'CUBE' THEN 210 WHEN source ~ ', c' THEN 145 ELSE 25 END * CASE WHEN mechanisms[1] = 'gaussian' THEN sigma ^ 2 WHEN source ~ 'count' THEN 2 * exp(-1) / (1 - exp(-1)) ^ 2 ELSE 2 END, 'separate answers'
FROM asked, noise WHERE source ~ 'nobody';

-- ---- regression ----

-- The root of the mean square by which predictions for the people are off.  x is 1, age and
-- weight, all scaled to [-1, 1] as y is.
CREATE VIEW scaled AS SELECT ARRAY[1, (age - 49) / 31.0, (weight_kg - 160) / 140.0]::float8[] AS x, ((sys_bp - 160) / 100.0)::float8 AS y FROM people WHERE weight_kg IS NOT NULL;
CREATE TABLE gram AS SELECT i, j, sum(x[i] * CASE WHEN j <= 3 THEN x[j] ELSE y END) AS s FROM scaled, generate_series(1, 3) i, generate_series(1, 4) j GROUP BY i, j;
CREATE TABLE predicted AS SELECT i, j, s / max(s) OVER () AS s FROM gram WHERE j <= 3;
-- of coefficients for these
CREATE FUNCTION prediction_error(a float8[], e float8[]) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT sum((a[i] - e[i]) * (a[j] - e[j]) * s) FROM predicted);
-- to them, of the unscaled ones
CREATE FUNCTION scaled_line(b float8[]) RETURNS float8[] LANGUAGE sql IMMUTABLE
RETURN ARRAY[(b[1] + 49 * b[2] + 160 * b[3] - 160) / 100, 31 * b[2] / 100, 140 * b[3] / 100];
CREATE FUNCTION determinant(m float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN m[1] * (m[5] * m[9] - m[6] * m[8]) - m[2] * (m[4] * m[9] - m[6] * m[7]) + m[3] * (m[4] * m[8] - m[5] * m[7]);
-- m by rows, and a column of the right side put in place of one of its columns
CREATE FUNCTION solve(m float8[], r float8[]) RETURNS float8[] LANGUAGE sql IMMUTABLE
RETURN ARRAY[determinant(ARRAY[r[1], m[2], m[3], r[2], m[5], m[6], r[3], m[8], m[9]]) / determinant(m), determinant(ARRAY[m[1], r[1], m[3], m[4], r[2], m[6], m[7], r[3], m[9]]) / determinant(m),
             determinant(ARRAY[m[1], m[2], r[1], m[4], m[5], r[2], m[7], m[8], r[3]]) / determinant(m)];
-- of a symmetric matrix, by the cosine of its angle (Smith 1961)
CREATE FUNCTION least_eigenvalue(m float8[]) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    q float8 := (m[1] + m[5] + m[9]) / 3;
    p float8 := sqrt(((m[1] - q) ^ 2 + (m[5] - q) ^ 2 + (m[9] - q) ^ 2 + 2 * (m[2] ^ 2 + m[3] ^ 2 + m[6] ^ 2)) / 6);
BEGIN
    RETURN q + 2 * p * cos(acos(determinant(ARRAY[m[1] - q, m[2], m[3], m[4], m[5] - q, m[6], m[7], m[8], m[9] - q]) / p ^ 3 / 2) / 3 + 2 * pi() / 3);
END $$;
CREATE FUNCTION normal() RETURNS float8 LANGUAGE sql RETURN sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random());
CREATE FUNCTION laplace() RETURNS float8 LANGUAGE sql RETURN ln(1 - random()) - ln(1 - random());

-- Squares of the prediction error of AdaSSP (Wang 2018, Algorithm 2, its failure probability
-- 0.05), where |x|^2 is at most 3 and |y| at most 1; and of Laplace noise for each of the nine
-- sums that matter (Vu and Slavkovic 2009).
CREATE FUNCTION published_line(mechanism text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    m float8[] := (SELECT array_agg(s ORDER BY i, j) FROM gram WHERE j <= 3);
    r float8[] := (SELECT array_agg(s ORDER BY i) FROM gram WHERE j = 4);
    e float8[] := solve(m, r);
    per float8 := 3 / 1.0;
    l float8 := ln(6 / 1e-6);
    least float8;
    ridge float8 := 0;
BEGIN
    IF mechanism = 'laplace' THEN
        -- x1 is 1: six sums of products, three with y
        m := (SELECT array_agg(m[3 * (least(i, j) - 1) + greatest(i, j)] + z[3 * (least(i, j) - 1) + greatest(i, j)] ORDER BY i, j)
              FROM (SELECT array_agg(9 * laplace()) AS z FROM generate_series(1, 9)) n, generate_series(1, 3) i, generate_series(1, 3) j);
        r := (SELECT array_agg(v + 9 * laplace() ORDER BY o) FROM unnest(r) WITH ORDINALITY u (v, o));
    ELSE
        least := greatest(0, least_eigenvalue(m) + sqrt(l) * per * 3 * normal() - l * per * 3);
        ridge := greatest(0, sqrt(3 * l * ln(2 * 9 / 0.05)) * 3 * per - least);
        m := (SELECT array_agg(m[3 * (least(i, j) - 1) + greatest(i, j)] + sqrt(l) * 3 * per * z[3 * (least(i, j) - 1) + greatest(i, j)] + CASE WHEN i = j THEN ridge ELSE 0 END ORDER BY i, j)
              FROM (SELECT array_agg(normal()) AS z FROM generate_series(1, 9)) n, generate_series(1, 3) i, generate_series(1, 3) j);
        r := (SELECT array_agg(v + sqrt(l) * sqrt(3) * per * normal() ORDER BY o) FROM unnest(r) WITH ORDINALITY u (v, o));
    END IF;
    RETURN prediction_error(solve(m, r), e);
END $$;
INSERT INTO asked (private, plain, source, loss, squared)
SELECT 'dp_linregr(sys_bp, ARRAY[age, weight_kg])', format('%L::float8[]', solve((SELECT array_agg(s ORDER BY i, j) FROM gram WHERE j <= 3), (SELECT array_agg(s ORDER BY i) FROM gram WHERE j = 4))),
    'people', 'prediction_error(scaled_line(a), e)', true;
INSERT INTO published SELECT id, m, sqrt(avg(e)), CASE m WHEN 'laplace' THEN 'Vu and Slavkovic 2009' ELSE 'Wang 2018 (AdaSSP)' END, stddev_samp(e) / sqrt(count(*)) / avg(e) / 2
FROM asked, unnest('{laplace,gaussian}'::text[]) m, LATERAL (SELECT published_line(m) AS e FROM generate_series(1, :draws) OFFSET 0) d WHERE private ~ 'linregr' GROUP BY id, m;
