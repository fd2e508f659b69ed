-- import.sql
--	Random expression text through the server's parser into dpsens: nothing
--	crashes, every error is one that users can act on, every answer is of the
--	declared form, and evaluate is what the server computes itself.
--
-- Trials are derived from a seed and their number, so a right implementation
-- passes always: the false-alarm rate is 0.  More of them, from elsewhere:
-- make fuzzcheck-server.  A failure prints trial and text.

\set QUIET on
SET client_min_messages = error;
SET log_min_messages = fatal;
\if :{?first}
\else
\set first 0
\endif
\if :{?trials}
\else
\set trials 1500
\endif
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_fuzz CASCADE;
CREATE SCHEMA dps_fuzz;
SET search_path = dps_fuzz, public;
SET dpsens.max_boxes = 100;

CREATE FUNCTION below(n int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT floor(random() * n)::int';
CREATE FUNCTION one_of(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS
    'SELECT choices[1 + floor(random() * cardinality(choices))::int]';

-- Grammar: numbers and conditions, most of them well-typed.
CREATE FUNCTION condition(depth int) RETURNS text LANGUAGE sql AS $$ SELECT NULL::text $$;
CREATE FUNCTION number(depth int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    d int := depth - 1 - below(2);
BEGIN
    IF depth <= 0 OR below(8) = 0 THEN
        RETURN CASE below(3)
            WHEN 0 THEN one_of('0', '1', '2', '3', '7', '0.5', '1.5', '0.25', '100', '1e3', '-1', '-2.5', '32767::smallint',
                               '2147483647', '3000000000', '1e300::float8', '1e-300::float8', 'NULL', '''NaN''::float8', '''-inf''::float8',
                               '1e400', '9007199254740993', '''12''', '''-0''::float8', 'pi()', '''x''', 'now()', 'random()')
            ELSE one_of('x', 'x', 'y', 'z', 'i', 'i', 'k', 's', 'n', 'n', 'r', 'q.x')
        END;
    END IF;
    RETURN CASE below(12)
        WHEN 0 THEN format('%s(%s)', one_of('exp', 'ln', 'log', 'log10', 'sqrt', 'cbrt', 'abs', 'sign', 'floor', 'ceil', 'ceiling', 'round',
                           'trunc', 'sin', 'cos', 'tan', 'cot', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh',
                           'atanh', 'degrees', 'radians', 'sind', 'factorial', 'length', 'scale', 'float8', 'int4', 'sum', 'dp_sum'),
                           number(d))
        WHEN 1 THEN format('%s(%s, %s)', one_of('power', 'pow', 'atan2', 'mod', 'div', 'greatest', 'least', 'coalesce', 'nullif', 'gcd',
                           'log', 'round', 'trunc', 'random'), number(d), number(d))
        WHEN 2 THEN format('CASE WHEN %s THEN %s ELSE %s END', condition(d), number(d), number(d))
        WHEN 3 THEN format('CASE %s WHEN %s THEN %s WHEN %s THEN %s END', number(d), number(0), number(d), number(0), number(d))
        WHEN 4 THEN format('(%s)::%s', number(d), one_of('float8', 'float8', 'int', 'bigint', 'smallint', 'numeric', 'numeric(6,2)', 'real', 'text', 'boolean'))
        WHEN 5 THEN format('(%s %s)', one_of('-', '+', '|/', '||/', '@', '~', '- -'), number(d))
        WHEN 6 THEN format('round((%s)::numeric, %s)', number(d), below(6) - 2)
        WHEN 7 THEN format('width_bucket(%s, %s, %s, %s)', number(d), below(4), 4 + below(9), below(12))
        ELSE format('(%s %s %s)', number(d), one_of('+', '-', '*', '/', '+', '-', '*', '/', '%', '^', '&', '#', '||'), number(d))
    END;
END $$;
CREATE OR REPLACE FUNCTION condition(depth int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    d int := depth - 1;
BEGIN
    IF depth <= 0 THEN
        RETURN one_of('b', 'c', 'true', 'x > 1', 'i = 2', 'NULL', 'NOT b');
    END IF;
    RETURN CASE below(9)
        WHEN 0 THEN format('(%s AND %s)', condition(d), condition(d))
        WHEN 1 THEN format('(%s OR %s)', condition(d), condition(d))
        WHEN 2 THEN format('NOT (%s)', condition(d))
        WHEN 3 THEN format('(%s) IS %s', number(d), one_of('NULL', 'NOT NULL', 'DISTINCT FROM 1', 'NOT DISTINCT FROM x'))
        WHEN 4 THEN format('(%s) BETWEEN %s AND %s', number(d), number(0), number(0))
        WHEN 5 THEN format('(%s) %s (%s, %s, %s)', number(d), one_of('IN', 'NOT IN'), number(0), number(0), number(0))
        WHEN 6 THEN format('(%s) IS %s', condition(d), one_of('TRUE', 'FALSE', 'UNKNOWN', 'NOT TRUE'))
        ELSE format('(%s) %s (%s)', number(d), one_of('<', '<=', '>', '>=', '=', '<>'), number(d))
    END;
END $$;

-- Some of the text loses, doubles or swaps what it is made of.
CREATE FUNCTION garble(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    at int;
BEGIN
    FOR k IN 0 .. below(3) LOOP
        at := 1 + below(length(sql));
        sql := CASE below(4)
            WHEN 0 THEN overlay(sql PLACING '' FROM at FOR 1 + below(4))
            WHEN 1 THEN overlay(sql PLACING substr(sql, 1 + below(length(sql)), 1 + below(8)) FROM at FOR 0)
            WHEN 2 THEN overlay(sql PLACING one_of('(', ')', ',', '''', '"', ' ', '--', '/*', '$1', ';', E'\\', '::', '.', '*', 'é', ' OVER ()', '(SELECT 1)') FROM at FOR 0)
            ELSE reverse(substr(sql, 1, at)) || substr(sql, at + 1)
        END;
    END LOOP;
    RETURN sql;
END $$;

CREATE TABLE columns (name text, type text, nullable bool);
INSERT INTO columns VALUES ('x', 'float8', false), ('y', 'float8', true), ('z', 'float8', false), ('i', 'int4', false), ('k', 'int8', true),
                           ('s', 'int2', false), ('n', 'numeric', false), ('r', 'float4', false), ('b', 'bool', false), ('c', 'bool', true);

CREATE FUNCTION ranges() RETURNS jsonb LANGUAGE sql VOLATILE AS $$
    SELECT jsonb_object_agg(name, jsonb_build_object('type', type, 'nullable', nullable, 'public', random() < 0.1) ||
                                  CASE WHEN type = 'bool' THEN '{}' ELSE jsonb_build_object('range', jsonb_build_array(lo, lo + below(9))) END)
    FROM (SELECT *, below(9) - 4 AS lo FROM columns) AS c
$$;
-- Values are exact in every type, as literals are: dpsens calculates numeric in
-- double precision.  A step of a numeric quotient may still differ, as round(1.0 / 3 * 3 - 0.5).
CREATE FUNCTION point() RETURNS jsonb LANGUAGE sql VOLATILE AS $$
    SELECT jsonb_object_agg(name, jsonb_build_object('type', type, 'value',
        CASE WHEN nullable AND random() < 0.25 THEN 'null'
             WHEN type = 'bool' THEN to_jsonb(random() < 0.5)
             WHEN type LIKE 'int%' THEN to_jsonb(below(9) - 4)
             ELSE to_jsonb((below(33) - 16) / 4.0) END))
    FROM columns
$$;

-- What the server makes of the text at the point; NULL if it raises an error.
CREATE FUNCTION server_value(sql text, point jsonb, OUT value float8, OUT raised bool) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT (%s)::float8 FROM (SELECT %s) AS q', sql,
                   (SELECT string_agg(format('%L::%s AS %I', point -> name ->> 'value', type, name), ', ') FROM columns)) INTO value;
    raised := false;
EXCEPTION WHEN OTHERS THEN
    raised := true;
END $$;

CREATE TABLE found (trial int, sql text, what text, detail text);
CREATE TABLE tally (what text, n int);

-- Errors that say what is wrong with the text or the ranges.
CREATE FUNCTION is_known(state text) RETURNS bool LANGUAGE sql AS $$
    SELECT state IN ('42601',   -- syntax error
                     '42883',   -- undefined function or operator
                     '42703',   -- undefined column
                     '42P01', '3F000', -- undefined table, schema
                     '42725',   -- ambiguous function
                     '42804',   -- datatype mismatch
                     '42846',   -- cannot coerce
                     '42P02',   -- undefined parameter
                     '42P20',   -- windowing
                     '42803',   -- grouping
                     '42809',   -- wrong object type
                     '42704',   -- undefined object
                     '42611', '42702', '42712', '42P10', '42P18', '42P08', '42622', '42602', '42939', '42P22',
                     '22P02',   -- invalid text of a type
                     '22003', '22012', '22008', '22007', '2201E', '2201F', '2201G', '22023', -- a constant that the server folds
                     '22021', '22025', '22P06',
                     '0A000',   -- not supported
                     '54001')   -- statement too complex
$$;

CREATE PROCEDURE try(trial int, sql text, call text, argument jsonb, INOUT answered bool) LANGUAGE plpgsql AS $$
DECLARE
    state text;
    message text;
BEGIN
    answered := false;
    EXECUTE format('SELECT count(*) FROM dpsens.%s(%L, %L::jsonb)', call, sql, argument);
    answered := true;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    INSERT INTO tally VALUES (call || ': ' || state, 1);
    IF NOT is_known(state) THEN
        INSERT INTO found VALUES (trial, sql, call || ' raises ' || state, message);
    END IF;
END $$;

CREATE FUNCTION is_close(a float8, b float8) RETURNS bool LANGUAGE sql AS $$
    SELECT a IS NOT DISTINCT FROM b OR coalesce(abs(a - b) <= 1e-9 * (abs(a) + abs(b)) + 1e-12, false)
$$;

CREATE PROCEDURE compare(trial int, sql text, point jsonb) LANGUAGE plpgsql AS $$
DECLARE
    own float8;
    server record;
BEGIN
    -- dpsens keeps the digits that real drops
    IF sql ~* '\m(r|real|float4)\M' THEN
        RETURN;
    END IF;
    SELECT value INTO own FROM dpsens.evaluate(sql, point);
    server := server_value(sql, point);
    IF server.raised OR server.value IN ('NaN', 'Infinity', '-Infinity') THEN
        RETURN;
    END IF;
    INSERT INTO tally VALUES ('compared', 1);
    IF NOT is_close(own, server.value) THEN
        INSERT INTO found VALUES (trial, sql, 'evaluate differs', format('%s, the server %s, at %s', own, server.value, point));
    END IF;
END $$;

CREATE PROCEDURE run(first int, trials int) LANGUAGE plpgsql AS $$
DECLARE
    sql text;
    at jsonb;
    answered bool;
    garbled bool;
BEGIN
    FOR trial IN first .. first + trials - 1 LOOP
        PERFORM setseed((hashint4(trial)::float8 / 2147483648.0));
        sql := number(1 + below(5));
        garbled := below(4) = 0;
        IF garbled THEN
            sql := garble(sql);
        END IF;
        CALL try(trial, sql, 'sensitivity', ranges(), answered);
        CALL try(trial, sql, 'gradient', ranges(), answered);
        at := point();
        CALL try(trial, sql, 'evaluate', at, answered);
        IF answered THEN
            INSERT INTO tally VALUES ('answered', 1);
            CALL compare(trial, sql, at);
        END IF;
        COMMIT;
    END LOOP;
END $$;
CALL run(:first, :trials);
\o
\pset format unaligned
\t on
SELECT plan(3);
SELECT is((SELECT count(*) FROM found WHERE what LIKE '%raises%'), 0::bigint, 'every error is one of those that users can act on');
SELECT is((SELECT count(*) FROM found WHERE what LIKE '%differs'), 0::bigint, 'evaluate is what the server computes');
SELECT cmp_ok((SELECT count(*) FROM tally WHERE what = 'compared') * 8, '>', :trials::bigint, 'enough of them are compared');
SELECT diag(format('trial %s: %s: %s: %s', trial, what, detail, sql)) FROM found ORDER BY trial LIMIT 20;
SELECT diag(string_agg(format('%s %s', what, n), ', ' ORDER BY what)) FROM (SELECT what, sum(n) AS n FROM tally GROUP BY what) AS t;
SELECT finish();
\o /dev/null
DROP SCHEMA dps_fuzz CASCADE;
