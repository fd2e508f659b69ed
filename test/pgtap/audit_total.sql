-- No row makes an audit function fail, whatever is in it, and what is shown is a
-- number or NULL: never NaN, and never infinite.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(17);
CREATE SCHEMA total_tap;
SET LOCAL search_path = total_tap, public;

CREATE DOMAIN amount AS numeric CHECK (VALUE <> 17);
CREATE TABLE rows (id serial PRIMARY KEY, f float8 NOT NULL, g float8, r real, n numeric, m amount NOT NULL, i int NOT NULL, s smallint, l bigint,
                   b boolean, d date, t timestamp, z timestamptz, note text);
-- Every value with every other one of the first two columns; others in turn.
WITH v AS (SELECT x, ordinality - 1 AS place FROM unnest('{0,-0,1,-1,2,0.5,1e-323,-1e-300,1e-17,3.0000000000000004,1e17,1.7e308,-1.7e308,NaN,Infinity,-Infinity,NULL}'::float8[]) WITH ORDINALITY AS u (x, ordinality)),
     w AS (SELECT a.x AS f, b.x AS g, a.place * 17 + b.place AS k FROM v AS a, v AS b WHERE a.x IS NOT NULL)
INSERT INTO rows (f, g, r, n, m, i, s, l, b, d, t, z)
SELECT f, g, (ARRAY[0, 'NaN', 'Infinity', '-Infinity', 3.4e38, 1e-45, NULL, 1, 2]::real[])[1 + k % 9],
    (ARRAY[0, 'NaN', 'Infinity', '-Infinity', 1e400::numeric, -1e-400::numeric, NULL, 3, 10]::numeric[])[1 + k % 9],
    (ARRAY[0, 'NaN', 'Infinity', 10 ^ 1000::numeric, 4]::numeric[])[1 + k % 5],
    (ARRAY[0, 2147483647, -2147483648, 3, 7])[1 + k % 5], (ARRAY[0, 32767, -32768, NULL]::smallint[])[1 + k % 4],
    (ARRAY[0, 9223372036854775807, -9223372036854775808, NULL]::bigint[])[1 + k % 4], (ARRAY[true, false, NULL])[1 + k % 3],
    (ARRAY['infinity', '-infinity', '2000-01-01', '5874897-12-31', '4714-11-24 BC', NULL]::date[])[1 + k % 6],
    (ARRAY['infinity', '-infinity', '2000-01-01', '294276-12-31', '4714-11-24 BC', NULL]::timestamp[])[1 + k % 6],
    (ARRAY['infinity', '-infinity', '2000-01-01', '294276-12-31', '4714-11-24 BC', NULL]::timestamptz[])[1 + k % 6]
FROM w;
SELECT dpsens.set_range('rows', c, lo, hi, weight) FROM (VALUES ('f', 0, 3, 1), ('g', -2, 2, 1e-3), ('r', 0, 3, 1), ('n', 0, 10, 1e6), ('m', 0, 10, 1), ('i', -3, 7, 1), ('s', 0, 9, 1), ('l', 0, 9, 1)) AS c (c, lo, hi, weight);
SELECT dpsens.set_range('rows', c, '1990-01-01', '2020-01-01') FROM unnest('{d,t,z}'::name[]) AS c;
SELECT dpsens.set_public('rows', 's');

CREATE TABLE expressions AS
SELECT dpsens.register('e' || place, 'rows', expression) AS e, expression, place FROM unnest(ARRAY[
    '42', 'f * 0', 'f - f', 'f * g', 'sqrt(1e-9 + f)', 'sqrt(f)', 'sqrt(f * f + g * g)', 'f ^ 2.5', 'abs(g)', 'ln(1 + f)', 'exp(230 * f)', '1e-300 * f * g', 'exp(-240 * f)',
    'f / (1 + g * g)', 'CASE WHEN g > 0 THEN f * g ELSE -f END', 'greatest(f, g, r)', 'coalesce(g, r, 0) * f', 'n / (1 + m)', 'i * i + s', 'sin(f) * cos(g) + tanh(r)',
    'CASE WHEN b THEN f ELSE g END', 'extract(epoch FROM d) * 1e-9 + f', 'extract(epoch FROM t) * 1e-9', 'atan2(f, 1 + r)', 'i / 2 + i % 3', 'l * g',
    'floor(f) + round(g)', 'power(2, f) * g', 'nullif(f, 1) * g', 'f * 1e150 + g * 1e154', 'f * 1e300 * (g + 2)', '1e-160 * f * f']) WITH ORDINALITY AS u (expression, place);
SELECT dpsens.create_audit_view(e) FROM expressions;
SET LOCAL dpsens.epsilon = 1;
SET LOCAL dpsens.delta = 1e-5;

-- The numbers of a row of a view, arrays and all.
CREATE FUNCTION numbers(r jsonb) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
    SELECT value #>> '{}' FROM jsonb_path_query(r - '{id}'::text[], 'lax $.*[*] ? (@ != null)') AS value
$$;
CREATE FUNCTION odd_rows(view name) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT v.id || '': '' || number FROM %I AS v, numbers(to_jsonb(v)) AS number WHERE number ~ ''NaN|Inf''', view);
END$$;
CREATE TABLE settings AS SELECT * FROM unnest('{add_remove,replace,attribute,metric}'::text[]) AS adjacency, unnest('{laplace,gaussian}'::text[]) AS mechanism;
CREATE FUNCTION set(s settings) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('rows', 'id', s.adjacency), set_config('dpsens.mechanism', s.mechanism, true);
END$$;

-- Views: whatever they are asked, they answer with all the rows there are.
CREATE FUNCTION look(s settings) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    place int8;
BEGIN
    PERFORM set(s);
    FOR place IN SELECT e.place FROM expressions AS e ORDER BY 1 LOOP
        RETURN QUERY SELECT format('e%s: %s', place, odd) FROM odd_rows(format('e%s_audit', place)::name) AS odd;
    END LOOP;
END$$;
SELECT is_empty(format('SELECT look(ROW(%L, %L)::settings)', adjacency, mechanism), format('%s, %s: numbers or NULL', adjacency, mechanism)) FROM settings;

-- So do sets of rows, rows that are handed over, summaries and figures of them.
SELECT set(ROW('add_remove', 'gaussian')::settings);
SELECT is_empty($$SELECT e, key, number FROM expressions, dpsens.row_sensitivity(e) AS r, numbers(to_jsonb(r) - 'key') AS number WHERE number ~ 'NaN|Inf'$$, 'sets of rows');
SELECT is_empty($$SELECT e, r.id, number FROM expressions, (SELECT this, id FROM rows AS this OFFSET 0) AS r, numbers(to_jsonb(dpsens.audit_row(e, r.this))) AS number WHERE number ~ 'NaN|Inf'$$, 'rows');
SELECT is((SELECT count(*) FROM expressions, dpsens.row_sensitivity(e) AS r), (SELECT count(*) FROM expressions, rows), 'all of them');
SELECT is_empty($$SELECT e, s FROM expressions, dpsens.sensitivity_summary(e) AS s WHERE s.mean::text ~ 'NaN' OR s.realised > 1 + 1e-12$$, 'summaries stay within the bounds');
SELECT is_empty($$SELECT e, f FROM (SELECT e, dpsens.histogram(array_agg(r.gradient_norm), mark => max(r.value)) AS f FROM expressions, dpsens.row_sensitivity(e) AS r GROUP BY e) AS f
    WHERE NOT f::xml IS DOCUMENT OR f ~* '"[^"]*(nan|inf)[^"]*"'$$, 'figures');

-- What has no direction has neither contribution nor partial sensitivity.
SELECT is_empty($$SELECT e, r FROM expressions, dpsens.row_sensitivity(e) AS r
    WHERE (r.gradient_norm IS NULL OR r.gradient_norm = 0) AND (r.contribution IS NOT NULL OR r.partial IS NOT NULL)
       OR r.value IS NULL AND (r.gradient IS NOT NULL OR r.gradient_norm IS NOT NULL OR r.plis IS NOT NULL)$$, 'NULL where the gradient is 0');
SELECT cmp_ok((SELECT count(*) FROM expressions, dpsens.row_sensitivity(e) AS r WHERE r.gradient_norm = 0), '>', 300::bigint, 'which it is in many rows');

-- Parameters are no data, and say what is wrong with them; a NULL is none.
SELECT is((SELECT count(dpsens.individual_epsilon('e4(rows)', this, NULL)) + count(dpsens.plis_of('e4(rows)', this, NULL)) + count(dpsens.slope_of('e4(rows)', this, NULL)) FROM rows AS this), 0::bigint, 'parameters that are NULL');

-- The same with many rows at once, which batches do not divide.
INSERT INTO rows (f, g, r, n, m, i, s, l, b, d, t, z) SELECT f, g, r, n, m, i, s, l, b, d, t, z FROM rows, generate_series(1, 3);
SELECT is_empty($$SELECT key, value, gradient, gradient_norm, contribution, partial, plis FROM dpsens.row_sensitivity('e14(rows)')
    EXCEPT SELECT jsonb_build_object('id', id), (dpsens.audit_row('e14(rows)', this)).* FROM rows AS this$$, 'batch by batch the same as row by row');

SELECT * FROM finish();
ROLLBACK;
