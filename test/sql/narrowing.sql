-- WHERE and FILTER narrow the box that bounds are proved on, to the clamp image
-- of what they admit; they change what is stated, never what is summed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_narrowing;
SET search_path = dpsens_narrowing, public;
SET extra_float_digits = -3;
\set SHOW_CONTEXT never

CREATE TABLE t (income float8 NOT NULL, k int, n numeric(8, 2), s text);
INSERT INTO t SELECT 50 * i, i % 10, i, 'a' FROM generate_series(0, 2000) AS i;
INSERT INTO t VALUES ('NaN', NULL, NULL, NULL), ('Infinity', 4, 'NaN', 'a'), (-1e308, 5, 7, 'a');
SELECT dpsens.protect('t'), dpsens.set_range('t', 'income', 0, 50000), dpsens.set_range('t', 'k', 0, 9),
       dpsens.set_range('t', 'n', 0, 100);

CREATE FUNCTION stated(query text, OUT lower float8, OUT upper float8, OUT sensitivity float8, OUT refused text)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT e.lower, e.upper, e.sensitivity INTO lower, upper, sensitivity FROM dpsens.explain(query) AS e;
EXCEPTION WHEN OTHERS THEN
    refused = SQLERRM;
END $$;
SELECT query, (stated('SELECT ' || query)).* FROM (VALUES
    ('dp_sum(ln(income), 1) FROM t'),
    ('dp_sum(ln(income), 1) FROM t WHERE income >= 1000'),
    ('dp_sum(ln(income), 1) FILTER (WHERE income BETWEEN 1000 AND 2000) FROM t'),
    ('dp_sum(income, 1) FROM (SELECT * FROM t WHERE income >= 1000) AS q WHERE income < 2000'),
    -- outside of the range: the clamped cell is at its end
    ('dp_sum(income, 1) FROM t WHERE income > 60000'),
    ('dp_sum(income, 1) FROM t WHERE income < -5'),
    -- several columns, alternatives, integers
    ('dp_sum(income * k, 1) FROM t WHERE s = ''a'' AND k <= 5 AND income + 10 < 110 AND (k = 4 OR k = 5)'),
    ('dp_sum(1 / k, 1) FROM t WHERE k > 0'),
    ('dp_sum(1 / n, 1) FROM t WHERE n >= 0.5'),
    -- what is no bound: another column, a list, a function of time, NaN
    ('dp_sum(income, 1) FROM t WHERE k > 3'),
    ('dp_sum(income, 1) FROM t WHERE income IN (5, 6)'),
    ('dp_sum(income, 1) FROM t WHERE income < extract(epoch FROM now())'),
    ('dp_sum(income, 1) FROM t WHERE income > ''NaN''::float8'),
    ('dp_sum(income, 1) FROM t WHERE income < 10 OR k < 3')
) AS queries (query);

-- What is summed over the selected rows is what PostgreSQL computes on the
-- clamped cells.
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT dp_sum(ln(income), 1) FROM t WHERE income >= 1000;
SELECT sum(ln(CASE WHEN income > 50000 THEN 50000 ELSE income END)) FROM t WHERE income >= 1000;
SELECT dp_sum(income, 1), dp_count(true, 1) FROM t WHERE income > 60000;
SELECT dp_sum(income, 1), dp_count(true, 1) FROM t WHERE income < -5;
SELECT dp_sum(1 / n, 1) AS n, dp_count(n, 1) AS rows FROM t WHERE n >= 0.5;
SELECT sum(1 / least(n, 100)) AS n, count(*) AS rows FROM t WHERE n >= 0.5 AND n <> 'NaN';

-- Conditions of a CASE narrow what they guard, differences too; what was
-- rounded to an integer lies up to a half beyond what the condition says of it.
SELECT expression, quantity, lower, upper, note
FROM (VALUES ('CASE WHEN x > y THEN x - y ELSE 0 END'),
             ('CASE WHEN x * y >= 50 THEN 2 * (x * y - 50) ELSE 0 END'),
             ('CASE WHEN x * y > 50 THEN 50 ELSE x * y END'),
             ('CASE WHEN x::int4 <= 1 THEN 1 / (1.6 - x) ELSE 0 END'),
             ('CASE WHEN x::int4 <= 1 THEN 1 / (1.4 - x) ELSE 0 END')) AS e (expression),
     dpsens.sensitivity(expression, '{"x": [0, 20], "y": [0, 10]}')
WHERE quantity IN ('infimum', 'supremum');

SET client_min_messages = warning;
DROP SCHEMA dpsens_narrowing CASCADE;
