-- accuracy_deciles.sql
--	The part of accuracy.sql about nine deciles from one answer, in ranks, beside the mechanism
--	of Kaplan, Schnapp and Stemmer (2022, Algorithm 1) at the same epsilon on the same values.
--	It is written out here and drawn in two forms: as published, with 1 for the sensitivity of |rank - k|, which the goal is about; and
--	sharp, with max(q, 1 - q) for that of |rank - q n|, which is what it is where a row comes or goes.
--
-- It asks for values that are all different.  Where it is told the step of a column, equal values are first spread over it, and
-- its answers rounded to it, as those of dpsens then are.  Columns of integers are compared in that form alone.
CREATE TABLE of_deciles (attribute text PRIMARY KEY, source text NOT NULL, step float8 NOT NULL);
INSERT INTO of_deciles VALUES ('weight_kg', 'nhanes', 0.1), ('height_cm', 'nhanes', 0.1), ('chol_mg_dl', 'nhanes', 1), ('income_ratio', 'nhanes', 0.01),
    ('price', 'lines', 0.01), ('amount', 'payments', 0.01), ('visits', 'pages', 1);

-- Between two values that follow each other, the number of values below.
CREATE TABLE gaps (attribute text, spread boolean, rank float8, lower float8, upper float8);
INSERT INTO gaps
WITH of_values AS (SELECT attribute, spread, CASE WHEN spread THEN v + step * ((i - 0.5) / here - 0.5) ELSE v END AS v, CASE WHEN spread THEN upto - here + i ELSE upto END AS upto
                   FROM of_deciles JOIN values_of USING (attribute), unnest('{f,t}'::boolean[]) spread, LATERAL generate_series(1, CASE WHEN spread THEN here ELSE 1 END::int) i),
     ends AS (SELECT attribute, spread, CASE WHEN spread THEN lo - step / 2 ELSE lo END AS lo, CASE WHEN spread THEN hi + step / 2 ELSE hi END AS hi
              FROM of_deciles JOIN ranges USING (attribute), unnest('{f,t}'::boolean[]) spread)
SELECT * FROM (SELECT attribute, spread, upto, v AS lower, lead(v, 1, hi) OVER (PARTITION BY attribute, spread ORDER BY v) AS upper FROM of_values JOIN ends USING (attribute, spread)
               UNION ALL SELECT attribute, spread, 0, lo, min(v) FROM of_values JOIN ends USING (attribute, spread) GROUP BY attribute, spread, lo) g
WHERE lower < upper;
CREATE INDEX ON gaps (attribute, spread, lower);
CREATE INDEX ON gaps (attribute, spread, rank);
ANALYZE gaps;

-- The number of values below x.
CREATE FUNCTION below(a text, s boolean, x float8) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT rank FROM gaps WHERE attribute = a AND spread = s AND lower <= x ORDER BY lower DESC LIMIT 1);

-- The quantiles of these levels, ascending, of the values between lo and hi: the one in the
-- middle by the exponential mechanism, then the others on either side of it, of the values there.
-- By Gumbel noise: the greatest of log weights with such noise is a draw in proportion to weights.
-- Ranks are near enough whose weight is above exp(-16) of the nearest one's.
CREATE FUNCTION recursive_quantiles(a text, s boolean, sharp boolean, levels float8[], epsilon float8, lo float8, hi float8) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    middle int := (cardinality(levels) + 1) / 2;
    p float8 := levels[middle];
    -- of a rank more
    exponent float8 := epsilon / 2 / CASE WHEN sharp THEN greatest(p, 1 - p) ELSE 1 END;
    first float8;
    last float8;
    k float8;
    reach float8;
    answer float8;
    lower_levels float8[] := '{}';
    upper_levels float8[] := '{}';
BEGIN
    IF cardinality(levels) = 0 THEN
        RETURN '{}';
    END IF;
    first := below(a, s, lo);
    last := below(a, s, hi);
    k := (1 - p) * first + p * last;
    -- none is that near where many values are equal
    FOREACH reach IN ARRAY ARRAY[16 / exponent + 1, 'Infinity'] LOOP
        SELECT greatest(lower, lo) + random() * (least(upper, hi) - greatest(lower, lo)) INTO answer FROM gaps
        WHERE attribute = a AND spread = s AND rank BETWEEN greatest(first, k - reach) AND least(last, k + reach) AND least(upper, hi) > greatest(lower, lo)
        ORDER BY ln(least(upper, hi) - greatest(lower, lo)) - exponent * abs(rank - k) - ln(-ln(greatest(random(), 1e-300))) DESC LIMIT 1;
        EXIT WHEN answer IS NOT NULL;
    END LOOP;
    FOR i IN 1..cardinality(levels) LOOP
        IF i < middle THEN
            lower_levels := lower_levels || levels[i] / p;
        ELSIF i > middle THEN
            upper_levels := upper_levels || (levels[i] - p) / (1 - p);
        END IF;
    END LOOP;
    RETURN recursive_quantiles(a, s, sharp, lower_levels, epsilon, lo, answer) || answer || recursive_quantiles(a, s, sharp, upper_levels, epsilon, answer, hi);
END $$;

-- The mean error of nine, of which each value is part of four draws at most: 5 of them, 4 and 4, of
-- these 2 on one side, of these 1; so each draw has a quarter of epsilon.
CREATE FUNCTION deciles_error(a text, answer float8[]) RETURNS float8 LANGUAGE sql STABLE
RETURN (SELECT avg(rank_error(a, v, i / 10.0)) FROM unnest(answer) WITH ORDINALITY d (v, i));
CREATE FUNCTION recursive_deciles(a text, s boolean, sharp boolean, epsilon float8) RETURNS float8[] LANGUAGE sql VOLATILE
RETURN (SELECT recursive_quantiles(a, s, sharp, '{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}', epsilon / 4, min(lower), max(upper)) FROM gaps WHERE attribute = a AND spread = s);
-- to the nearest step of the column
CREATE FUNCTION stepped(answer float8[], step float8) RETURNS float8[] LANGUAGE sql IMMUTABLE
RETURN (SELECT array_agg((round((v / step)::numeric) * step::numeric)::float8 ORDER BY i) FROM unnest(answer) WITH ORDINALITY d (v, i));
CREATE TABLE drawn_deciles AS
SELECT attribute, told, sharp, avg(e) AS error, coalesce(stddev_samp(e) / sqrt(count(*)) / nullif(avg(e), 0), 0) AS relative
FROM (SELECT attribute, told, sharp, deciles_error(attribute, CASE WHEN told THEN stepped(recursive_deciles(attribute, told, sharp, 1), step) ELSE recursive_deciles(attribute, told, sharp, 1) END) AS e
      FROM of_deciles, unnest('{f,t}'::boolean[]) told, unnest('{f,t}'::boolean[]) sharp, generate_series(1, least(:draws, 1000)) WHERE told OR step < 1 OFFSET 0) d GROUP BY attribute, told, sharp;

INSERT INTO asked (figure, private, plain, source, loss, mechanisms, goal)
SELECT DISTINCT attribute, format('dp_quantile(%I, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])', attribute) || CASE WHEN told AND step < 1 THEN format(' /* rounded to %s */', step) ELSE '' END,
    'NULL::float8', source, CASE WHEN told THEN format('deciles_error(%L, stepped(a, %s))', attribute, step) ELSE format('deciles_error(%L, a)', attribute) END, '{laplace}'::text[], 1.05
FROM of_deciles JOIN drawn_deciles USING (attribute) ORDER BY 2;
INSERT INTO published SELECT id, 'laplace', d.error, 'Kaplan, Schnapp and Stemmer 2022, ' || CASE WHEN sharp THEN 'sharp' ELSE 'as published' END, d.relative
FROM asked JOIN drawn_deciles d ON attribute = figure AND told = (loss ~ 'stepped') WHERE loss ~ '^deciles_error';
