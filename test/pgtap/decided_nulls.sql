-- decided_nulls.sql
--	A row that its values make NULL adds nothing, and 0 counts among the values then;
--	conditions as the server evaluates them; generated columns.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA decided_nulls;
SET search_path = decided_nulls, public;
SELECT plan(39);

-- On a in [4, 7] the values lie in [8, 14], and some a has none.
CREATE TABLE expressions (sql text, least float8);
INSERT INTO expressions VALUES
    ('a + CASE WHEN a > 5 AND a < 6 THEN NULL ELSE a END', 14),
    ('a + CASE WHEN a <= 5 OR a >= 6 THEN a END', 14),
    ('nullif(trunc(a), 5) + a', 13.99),
    ('2 * nullif(floor(a), 4) + 0 * a', 14);

SELECT cmp_ok(upper, '>=', least, format('%s of %s', quantity, sql))
FROM expressions, dpsens.sensitivity(sql, '{"a": [4, 7]}') WHERE quantity IN ('replace', 'attribute:a');
SELECT cmp_ok(upper, '>=', least, format('%s of ARRAY[%s, 1]', quantity, sql))
FROM expressions, dpsens.sensitivity(format('ARRAY[%s, 1]', sql), '{"a": [4, 7]}')
WHERE quantity IN ('replace_l2', 'attribute_l1:a');
SELECT ok(v.valid AND v.upper >= least, 'the valid certificate of ' || sql || ' has 0 among the values')
FROM expressions, dpsens.certificate(sql, '{"a": [4, 7]}', '{replace}') AS c, dpsens.verify_certificate(c) AS v
WHERE v.quantity = 'replace';

-- The other way round: no NULL is decided here.
SELECT is(round(upper::numeric, 6), 6::numeric, format('%s of %s', quantity, sql))
FROM unnest(ARRAY['a + CASE WHEN a > 5 AND a < 6 THEN a ELSE a END', 'a + coalesce(nullif(a, 5), 5)']) AS sql,
     dpsens.sensitivity(sql, '{"a": [4, 7]}') WHERE quantity = 'replace';

-- Releases, which have bounds of their own.
CREATE TABLE t (a float8 NOT NULL, b float8 NOT NULL, g float8 GENERATED ALWAYS AS (100 * a) STORED, band text GENERATED ALWAYS AS (CASE WHEN a > 5 THEN 'high' ELSE 'low' END) STORED);
CREATE FUNCTION prepare(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('t', adjacency => adjacency);
    PERFORM dpsens.set_range('t', 'a', 4, 7), dpsens.set_range('t', 'b', 0, 100), dpsens.set_range('t', 'g', 0, 1000);
    PERFORM dpsens.set_public('t', 'b');
END $$;
CREATE FUNCTION sensitivity(value text, condition text DEFAULT 'true') RETURNS float8 LANGUAGE sql AS $$
    SELECT sensitivity FROM dpsens.explain(format('SELECT dp_sum(%s, 1) FROM t WHERE %s', value, condition))
$$;
SELECT prepare('replace') \g /dev/null
SELECT cmp_ok(sensitivity(sql), '>=', least, 'dp_sum under replace: ' || sql) FROM expressions;
SELECT prepare('attribute') \g /dev/null
SELECT cmp_ok(sensitivity(sql), '>=', least, 'dp_sum under attribute: ' || sql) FROM expressions;
-- a moves by 3, b is public; the server's sum is 0 for every b in [0, 100]
SELECT cmp_ok(sensitivity('a * b', '(b + 1e20) - 1e20 <= 0'), '>=', 300::float8, 'a condition that rounding makes true narrows nothing, attribute');
SELECT throws_like($$SELECT sensitivity('g')$$, '%generated column "g" cannot be used under adjacency attribute%');
-- a moves by 3, and what it generates by as much again
SELECT throws_like(format('SELECT sensitivity(%L)', sql), '%generated column "band" cannot be used under adjacency attribute%', sql)
FROM unnest('{"a + CASE WHEN band = ''high'' THEN 3 ELSE 0 END","CASE WHEN band LIKE ''h%'' THEN a END","a + CASE WHEN band IS NULL THEN 3 ELSE 0 END"}'::text[]) sql;
SELECT is(sensitivity('a', 'band = ''high'''), 7::float8, 'a condition on it only says whether the row counts');
SELECT prepare('metric') \g /dev/null
SELECT cmp_ok(sensitivity('a * b', '(b + 1e20) - 1e20 <= 0'), '>=', 100::float8, 'and under metric');
SELECT throws_like($$SELECT sensitivity('g')$$, '%generated column "g" cannot be used under adjacency metric%');
SELECT throws_like(format('SELECT sensitivity(%L)', sql), '%under adjacency metric%') FROM expressions WHERE sql LIKE 'nullif%';

SELECT * FROM finish();
SET client_min_messages = warning;
DROP SCHEMA decided_nulls CASCADE;
