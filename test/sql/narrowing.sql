-- WHERE and FILTER narrow the box that bounds are proved on, to the clamp image
-- of what they admit; they change what is stated, never what is summed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_narrowing;
SET search_path = dpsens_narrowing, public;
SET extra_float_digits = -3;
\set SHOW_CONTEXT never

CREATE DOMAIN positive AS numeric(8, 2) CHECK (VALUE >= 0);
CREATE TABLE t (income float8 NOT NULL, k int, n numeric(8, 2), s text, amount positive);
INSERT INTO t SELECT 50 * i, i % 10, i, 'a' FROM generate_series(0, 2000) AS i;
INSERT INTO t VALUES ('NaN', NULL, NULL, NULL), ('Infinity', 4, 'NaN', 'a'), (-1e308, 5, 7, 'a');
SELECT dpsens.protect('t'), dpsens.set_range('t', 'income', 0, 50000), dpsens.set_range('t', 'k', 0, 9),
       dpsens.set_range('t', 'n', 0, 100), dpsens.set_range('t', 'amount', 0, 100);

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
    -- lists, a domain
    ('dp_sum(income, 1) FROM t WHERE income IN (5, 6)'),
    ('dp_sum(k, 1) FROM t WHERE k = ANY (ARRAY[7, 4, 40])'),
    ('dp_sum(k, 1) FROM t WHERE k < ALL (''{7, 4}'')'),
    ('dp_sum(ln(amount), 1) FROM t WHERE amount >= 0.5 AND amount NOT IN (7, 8)'),
    -- what is said of several columns
    ('dp_sum(income - k, 1) FROM t WHERE income >= k'),
    ('dp_sum(income * k, 1) FROM t WHERE income * k BETWEEN 10 AND 100'),
    ('dp_avg(income * k, 1) FILTER (WHERE income * k < 100) FROM t WHERE income * k > 10 AND s = ''a'''),
    ('dp_sum(p, 1) FROM (SELECT income * k AS p FROM t) AS q WHERE p > 400000'),
    ('dp_sum(income, 1) FROM t WHERE income * k < 0'),
    ('dp_sum(income - k, 1) FROM t WHERE income >= k OR s = ''a'''),
    -- what is no bound: another column, what is not in a list, a list of expressions, a function of time, NaN
    ('dp_sum(income, 1) FROM t WHERE k > 3'),
    ('dp_sum(income, 1) FROM t WHERE income NOT IN (5, 6)'),
    ('dp_sum(k, 1) FROM t WHERE k IN (4, k + 1)'),
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
SELECT dp_sum(income * k, 1) FROM t WHERE income * k BETWEEN 10 AND 1000;
SELECT sum(CASE WHEN income BETWEEN 0 AND 50000 AND k < 10 THEN income * k END) FROM t WHERE CASE WHEN income BETWEEN 0 AND 50000 THEN income * k BETWEEN 10 AND 1000 END;
-- a row whose cells are clamped, and no longer do what its condition says, adds what that says at most
INSERT INTO t VALUES (-5, -10, NULL, 'b');
SELECT dp_sum(income * k, 1), dp_count(true, 1) FROM t WHERE s = 'b' AND income * k BETWEEN 10 AND 100;
DELETE FROM t WHERE s = 'b';
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
