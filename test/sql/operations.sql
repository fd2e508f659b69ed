-- Every operation of row expressions, for every type that has it: the value
-- is PostgreSQL's, printed formulas parse to themselves, and what is not
-- supported is refused with its position.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
SET extra_float_digits = -3;
\set SHOW_CONTEXT never

SELECT name, arity, sql, latex FROM dpsens.operations();

-- Each server function that an operation stands for exists (erf: from 16 on).
SELECT operation.name, builtin
FROM dpsens.operations() AS operation, unnest(operation.builtins) AS builtin
WHERE builtin NOT IN ('derf', 'derfc')
  AND NOT EXISTS (SELECT FROM pg_proc WHERE prosrc = builtin AND prolang = 12);

-- And stands for one operation only.
SELECT builtin, count(*)
FROM dpsens.operations() AS operation, unnest(operation.builtins) AS builtin
GROUP BY builtin HAVING count(*) > 1;

-- Values: expressions over a and b of a type, at points of it.
CREATE TABLE points (type text, a text, b text);
INSERT INTO points VALUES
    ('float8', '0.5', '2'), ('float8', '-1.5', '0.25'), ('float8', '3.75', '-3'), ('float8', '0', '0.5'),
    ('float8', '2.5', '2.5'), ('float8', '-2.5', '0'), ('float8', '1e-3', '1e3'), ('float8', NULL, '1'),
    ('float8', '1', NULL), ('float8', '3.5', '4'),
    ('float4', '0.5', '2'), ('float4', '-1.5', '0.25'), ('float4', '0.1', '0.3'), ('float4', '0', '0.5'),
    ('float4', '-2.5', '0'), ('float4', NULL, '1'),
    ('numeric', '2.5', '2'), ('numeric', '-2.5', '0.5'), ('numeric', '0.125', '-1.5'), ('numeric', '0', '3'),
    ('numeric', '10', '10'), ('numeric', '1.005', '0'), ('numeric', NULL, '1'), ('numeric', '-0.5', '0.25'),
    ('int2', '7', '2'), ('int2', '-7', '2'), ('int2', '7', '-2'), ('int2', '0', '3'), ('int2', '181', '182'),
    ('int2', '5', '0'), ('int2', '3', '3'), ('int2', NULL, '1'), ('int2', '-32768', '-1'),
    ('int4', '7', '2'), ('int4', '-7', '2'), ('int4', '7', '-2'), ('int4', '0', '3'), ('int4', '65536', '65536'),
    ('int4', '5', '0'), ('int4', '3', '3'), ('int4', NULL, '1'), ('int4', '-2147483648', '-1'),
    ('int8', '7', '2'), ('int8', '-7', '2'), ('int8', '7', '-2'), ('int8', '0', '3'), ('int8', '3000000', '3000000'),
    ('int8', '5', '0'), ('int8', '3', '3'), ('int8', NULL, '1'),
    ('boolean', 'true', 'true'), ('boolean', 'true', 'false'), ('boolean', 'false', 'true'),
    ('boolean', 'false', 'false'), ('boolean', NULL, 'true'), ('boolean', NULL, 'false'), ('boolean', 'false', NULL);

CREATE TABLE operations (id int GENERATED ALWAYS AS IDENTITY, types text[], expression text);
INSERT INTO operations (types, expression)
-- all numbers
SELECT '{float8,float4,numeric,int2,int4,int8}'::text[], unnest(ARRAY[
    'a + b', 'a - b', 'a * b', 'a / b', 'a ^ b', '-a', '+a', '-a ^ 2', 'a - b - a', 'a / b / 2', '2 / a * b',
    'abs(a)', '@ a', 'sign(a)', 'greatest(a, b)', 'least(a, b, 1)', 'greatest(a, NULL)',
    'coalesce(a, b)', 'coalesce(NULL, a, 1)', 'nullif(a, b)', 'nullif(a, 0)',
    'CASE WHEN a > b THEN a ELSE b END', 'CASE WHEN a > b THEN a WHEN a < b THEN b END',
    'CASE a WHEN 0 THEN 1 WHEN b THEN 2 ELSE 3 END', 'CASE WHEN a IS NULL THEN b ELSE a END',
    '(a = b)::int', '(a <> b)::int', '(a < b)::int', '(a <= b)::int', '(a > b)::int', '(a >= b)::int',
    '(a > 0 AND b > 0)::int', '(a > 0 OR b > 0)::int', '(NOT a > 0)::int',
    '(a BETWEEN 0 AND 3)::int', '(a NOT BETWEEN b AND 3)::int', '(a BETWEEN SYMMETRIC 3 AND b)::int',
    '(a IN (0, 3, 7))::int', '(a NOT IN (0, b))::int', '(a = ANY (ARRAY[a, b]))::int', '(a < ALL (ARRAY[b, a + 1]))::int',
    '(a IS NULL)::int', '(a IS NOT NULL)::int', '(a IS DISTINCT FROM b)::int', '(a IS NOT DISTINCT FROM NULL)::int',
    '((a > 1) IS TRUE)::int', '((a > 1) IS NOT TRUE)::int', '((a > 1) IS FALSE)::int', '((a > 1) IS UNKNOWN)::int',
    'sqrt(a)', '|/ a', 'exp(a)', 'ln(a)', 'log(a)', 'power(a, b)', 'floor(a)', 'ceil(a)', 'ceiling(a)',
    'round(a)', 'trunc(a)', 'cbrt(a)', '||/ a',
    'sin(a)', 'cos(a)', 'tan(a)', 'cot(a)', 'asin(a / 4.0)', 'acos(a / 4.0)', 'atan(a)', 'atan2(a, b)', 'asin(a)', 'acos(a)',
    'sinh(a)', 'cosh(a)', 'tanh(a)', 'asinh(a)', 'acosh(a)', 'atanh(a / 4.0)', 'atanh(a)',
    'degrees(a)', 'radians(a)', 'pi() * a', '(a + b) * (a - b)', 'a * a - 2 * a * b + b * b', 'a ^ 2 * b ^ 3', 'a ^ -1',
    'width_bucket(a, 0, 4, 8)', 'width_bucket(a, 4, 0, 8)',
    'a::int2', 'a::int4', 'a::int8', 'a::float4', 'a::float8', 'a::numeric', 'a::numeric(12, 2)', '(a * 1.5)::numeric(12, 1)::int',
    'a + 1', 'a * 0.5', 'a / 2', '1 / a', 'a + 1::int2', 'a * 2::int8', 'a - 0.25::float4', 'a + b::float8', 'a * b::numeric::float8'])
UNION ALL
-- numbers with a remainder
SELECT '{numeric,int2,int4,int8}', unnest(ARRAY['a % b', 'mod(a, b)', 'a % 3', 'mod(a, b) * b + a', 'a - a % b', 'div(a, b)',
    'log(2, a)', 'log(a, b)', 'round(a, 1)', 'round(a / 7.0, 2)', 'trunc(a, 1)', 'trunc(a / 7.0, 2)', 'round(a * 10.0, -1)'])
UNION ALL
-- numbers of two types
SELECT ARRAY[type], format(expression, other)
FROM unnest('{float8,float4,numeric,int2,int4,int8}'::text[]) AS type,
     unnest('{float8,float4,numeric,int2,int4,int8}'::text[]) AS other,
     unnest('{a + b::%1$s,a * b::%1$s,b::%1$s - a,b::%1$s / a,(a < b::%1$s)::int}'::text[]) AS expression
WHERE type <> other
UNION ALL
SELECT '{boolean}', unnest(ARRAY['a::int', '(a AND b)::int', '(a OR b)::int', '(NOT a)::int', '(a = b)::int', '(a <> b)::int',
    '(a < b)::int', '(a <= b)::int', '(a > b)::int', '(a >= b)::int', 'CASE WHEN a THEN 1 ELSE 2 END', 'CASE WHEN a AND NOT b THEN 1.5 END',
    'CASE a WHEN b THEN 1 ELSE 0 END', '(a IS TRUE)::int', '(a IS NOT TRUE)::int', '(a IS FALSE)::int', '(a IS UNKNOWN)::int', '(a IS NOT UNKNOWN)::int',
    '(a IS NULL)::int', 'coalesce(a, b)::int', 'a::int + b::int', 'nullif(a, b)::int', '(a IS DISTINCT FROM b)::int', '(5 - 5)::boolean::int',
    '(a::int - b::int)::boolean::int', '(a AND b OR NOT a AND NOT b)::int']);

-- A value, NULL, or an error.  The server calls some results infinite that
-- are out of range here, and results too small for it are 0 here.
CREATE FUNCTION by_server(expression text, type text, a text, b text, OUT value float8, OUT state text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT (%s)::float8 FROM (SELECT %L::%s AS a, %L::%s AS b) AS r', expression, a, type, b, type) INTO value;
    state := CASE WHEN value IS NULL THEN 'null' WHEN abs(value) = 'Infinity' THEN 'error' ELSE 'value' END;
EXCEPTION WHEN undefined_function OR cannot_coerce THEN
    state := 'no such operation';
WHEN OTHERS THEN
    state := CASE WHEN SQLERRM ~ 'underflow' THEN 'value' ELSE 'error' END;
    value := CASE WHEN SQLERRM ~ 'underflow' THEN 0 END;
END $$;

CREATE FUNCTION by_dpsens(expression text, type text, a text, b text, OUT value float8, OUT state text)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT e.value INTO value
    FROM dpsens.evaluate(expression, format('{"a": {"value": %s, "type": "%s"}, "b": {"value": %s, "type": "%s"}}',
                                            coalesce(a, 'null'), type, coalesce(b, 'null'), type)::jsonb) AS e;
    state := CASE WHEN value IS NULL THEN 'null' ELSE 'value' END;
EXCEPTION WHEN undefined_function OR cannot_coerce THEN
    state := 'no such operation';
WHEN numeric_value_out_of_range OR division_by_zero THEN
    state := 'error';
WHEN OTHERS THEN
    state := SQLERRM;
END $$;

CREATE TABLE comparison AS
SELECT o.expression, p.type, p.a, p.b,
       s.value AS server, s.state AS server_state, d.value AS dpsens, d.state AS dpsens_state
FROM operations AS o
JOIN points AS p ON p.type = ANY (o.types)
CROSS JOIN LATERAL by_server(o.expression, p.type, p.a, p.b) AS s
CROSS JOIN LATERAL by_dpsens(o.expression, p.type, p.a, p.b) AS d;

-- Different answers.  Real arithmetic and casts are not rounded to single
-- precision; numeric division is exact to 16 digits at least.
SELECT * FROM comparison
WHERE server_state <> dpsens_state
   OR abs(server - dpsens) > CASE WHEN type = 'float4' OR expression ~ 'float4' THEN 1e-6 ELSE 1e-13 END * greatest(abs(server), 1e-3)
ORDER BY expression, type, a, b;

SELECT type, server_state, count(*) FROM comparison GROUP BY type, server_state ORDER BY type COLLATE "C", server_state COLLATE "C";

-- Division by zero has the server's SQLSTATE.
SELECT value FROM dpsens.evaluate('a / b', '{"a": 1, "b": 0}');
\echo :LAST_ERROR_SQLSTATE
SELECT value FROM dpsens.evaluate('a % b', '{"a": {"value": 1, "type": "int4"}, "b": {"value": 0, "type": "int4"}}');
\echo :LAST_ERROR_SQLSTATE

-- Printed formulas are parsed to the same formulas.  f is printed as the
-- derivative of f * z by z; twice, because the product is simplified first.
CREATE FUNCTION ranges(type text) RETURNS jsonb
LANGUAGE sql AS $$
    SELECT format('{"z": [1, 2], "a": {"type": "%1$s" %2$s}, "b": {"type": "%1$s" %2$s}}', type,
                  CASE WHEN type <> 'boolean' THEN ', "range": [1, 2]' END)::jsonb
$$;
CREATE FUNCTION reprinted(formula text, type text) RETURNS text
LANGUAGE sql AS $$
    SELECT sql FROM dpsens.gradient(format('(%s) * z', formula), ranges(type)) WHERE name = 'z'
$$;

CREATE TABLE formulas AS
WITH expressions AS (SELECT DISTINCT expression, type FROM comparison WHERE server_state IN ('value', 'null'))
SELECT expression, type, formula.name, formula.sql AS printed
FROM expressions CROSS JOIN LATERAL dpsens.gradient(expression, ranges(type)) AS formula
WHERE formula.name NOT IN ('z', 'normalized:z', 'partial:z')
UNION ALL
SELECT expression, type, 'itself', reprinted(expression, type) FROM expressions;

SELECT expression, type, name, once, twice
FROM formulas,
     LATERAL reprinted(printed, type) AS once,
     LATERAL reprinted(once, type) AS twice
WHERE twice IS DISTINCT FROM once
ORDER BY expression, type, name;

SELECT name, count(*), count(printed) AS printed FROM formulas GROUP BY name ORDER BY name COLLATE "C";

-- What is not supported is refused by name, with its position.
SELECT value FROM dpsens.evaluate('1 + sind(a)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a # 3', '{"a": {"value": 1, "type": "int4"}}');
SELECT value FROM dpsens.evaluate('a + (a << 2)', '{"a": {"value": 1, "type": "int4"}}');
SELECT value FROM dpsens.evaluate('gcd(a, 3)', '{"a": {"value": 1, "type": "int4"}}');
SELECT value FROM dpsens.evaluate('a * random()', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + length(a::text)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + extract(epoch FROM now())::float8', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + extract(year FROM date ''2020-01-01'')::float8', '{"a": 1}');
SELECT value FROM dpsens.evaluate('CASE WHEN a = 1 THEN ''NaN''::float8 ELSE a END', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a * 9007199254740995', '{"a": {"value": 1, "type": "int8"}}');
SELECT value FROM dpsens.evaluate('(ARRAY[a, 2])[1]', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + sum(a)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + rank() OVER ()', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + (SELECT 1)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('generate_series(1, 3) * a', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a + current_user::text::float8', '{"a": 1}');
SELECT value FROM dpsens.evaluate('(ROW(a, a) IS NULL)::int', '{"a": 1}');
SELECT value FROM dpsens.evaluate('width_bucket(a, b, 3, 4)', '{"a": 1, "b": 0}');
SELECT value FROM dpsens.evaluate('width_bucket(a, 3, 3, 4)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('width_bucket(a, 1, 3, 0)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('width_bucket(a, -1e308, 1.7e308, 4)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('a <-> 1', '{"a": 1}');

-- A function of the same name is not the server's.
CREATE SCHEMA impostor;
CREATE FUNCTION impostor.exp(float8) RETURNS float8 LANGUAGE sql RETURN 42;
SELECT value FROM dpsens.evaluate('impostor.exp(a)', '{"a": 1}');
SET search_path = impostor, pg_catalog, public;
SELECT value FROM dpsens.evaluate('exp(a)', '{"a": 1}');
SELECT value FROM dpsens.evaluate('pg_catalog.exp(a)', '{"a": 1}');
RESET search_path;

DROP SCHEMA impostor CASCADE;
DROP TABLE formulas, comparison, operations, points;
DROP FUNCTION by_server, by_dpsens, reprinted, ranges;
