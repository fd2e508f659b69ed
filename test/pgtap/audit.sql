-- Auditing: derivatives at rows, their properties, and who may see them.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(20);

CREATE ROLE dpsens_curator;
CREATE ROLE dpsens_analyst;
CREATE SCHEMA audit_tap AUTHORIZATION dpsens_curator;
GRANT USAGE ON SCHEMA audit_tap TO dpsens_analyst;
SET LOCAL ROLE dpsens_curator;
SET LOCAL search_path = audit_tap, public;

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE pronamespace = 'dpsens'::regnamespace AND proname IN
        ('expression_columns', 'gradient_of', 'contribution_of', 'partial_sensitivity_of', 'plis_of', 'audit_row')
      AND (provolatile, proparallel, proisstrict, prosecdef) IS DISTINCT FROM ('s', 's', true, false)$$,
    'functions of a row are stable, parallel safe, strict, and run as their caller');

-- The partial sensitivity is the gradient of the norm: central differences
-- agree, weights, a public column and a CASE included.
CREATE TABLE points (id serial PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL, z float8 NOT NULL, p float8 NOT NULL);
SELECT dpsens.set_range('points', 'x', 0.5, 3, weight => 2);
SELECT dpsens.set_range('points', 'y', 0.5, 3, weight => 0.25);
SELECT dpsens.set_range('points', 'z', 0.5, 3);
SELECT dpsens.set_range('points', 'p', 0.5, 3);
SELECT dpsens.set_public('points', 'p');
CREATE TABLE expressions AS
SELECT dpsens.register('f' || number, 'points', expression) AS f, expression
FROM unnest(ARRAY[
    'x^2 + exp(2*y - x)',
    'x * y / z^2 * p',
    'sqrt(x*x + y*z) * ln(p + z)',
    'CASE WHEN x < y THEN x^3 * z ELSE sin(x + y) * z^2 END',
    'atan2(x, y) + 1 / (1 + exp(-z))',
    'greatest(x, 2*y)^2 * z']) WITH ORDINALITY AS e (expression, number);
INSERT INTO points (x, y, z, p)
SELECT 0.6 + 2.3 * (n * 0.6180339887 % 1), 0.6 + 2.3 * (n * 0.7548776662 % 1),
       0.6 + 2.3 * (n * 0.5698402910 % 1), 0.6 + 2.3 * (n * 0.8191725134 % 1)
FROM generate_series(1, 100) AS n;

CREATE FUNCTION norm_at(f regprocedure, q points) RETURNS float8
LANGUAGE sql STABLE RETURN (dpsens.audit_row(f, q)).gradient_norm;
CREATE FUNCTION moved(q points, j int, h float8) RETURNS points
LANGUAGE sql IMMUTABLE RETURN ROW(q.id, q.x + CASE j WHEN 1 THEN h ELSE 0 END, q.y + CASE j WHEN 2 THEN h ELSE 0 END,
                                  q.z + CASE j WHEN 3 THEN h ELSE 0 END, q.p)::points;
CREATE FUNCTION column_place(name name) RETURNS int
LANGUAGE sql IMMUTABLE RETURN array_position('{x,y,z}'::name[], name);

SELECT is_empty(format($$
    SELECT q.*, name, entry, difference
    FROM points AS q, LATERAL dpsens.audit_row(%L, q) AS a,
         LATERAL unnest(dpsens.expression_columns(%L), a.partial) AS u (name, entry),
         LATERAL (SELECT (norm_at(%L, moved(q, column_place(name), 1e-5)) -
                          norm_at(%L, moved(q, column_place(name), -1e-5))) / 2e-5) AS d (difference)
    WHERE abs(q.x - q.y) > 1e-3 AND abs(q.x - 2 * q.y) > 1e-3
      AND abs(entry - difference) > 1e-6 * greatest(1, a.gradient_norm, abs(difference))$$, f, f, f, f),
    'the partial sensitivity is the gradient of the norm: ' || expression)
FROM expressions;

SELECT is_empty($$
    SELECT f, q FROM expressions, points AS q, LATERAL dpsens.contribution_of(f, q) AS c
    WHERE abs((SELECT sum(share ^ 2) FROM unnest(c) AS share) - 1) > 1e-14$$, 'squares of contributions sum to 1');
SELECT is_empty($$
    SELECT f, q FROM expressions, points AS q, LATERAL dpsens.audit_row(f, q) AS a
    WHERE (dpsens.gradient_of(f, q), dpsens.contribution_of(f, q), dpsens.partial_sensitivity_of(f, q), dpsens.plis_of(f, q))
        IS DISTINCT FROM (a.gradient, a.contribution, a.partial, a.plis)$$, 'one by one or together, the numbers are the same');
SELECT is_empty($$
    SELECT q FROM points AS q, LATERAL dpsens.audit_row('f1(points)', q) AS a
    WHERE (a.value, q.f1) IS NULL OR abs(a.value - q.f1) > 1e-14 * abs(q.f1)$$, 'the value is that of the function');
SELECT is_empty($$
    SELECT q, entry, slope FROM points AS q, LATERAL dpsens.audit_row('f2(points)', q) AS a,
        LATERAL unnest(dpsens.plis_of('f2(points)', q, 3), a.gradient) AS u (entry, slope)
    WHERE abs(entry - 2 * a.value * slope / 9) > 1e-14 * abs(entry)$$, 'PLIS is 2 f grad f / sigma^2');
SELECT dpsens.protect('points', adjacency => 'metric');
SELECT is_empty($$
    SELECT q, signal, slope FROM points AS q, LATERAL dpsens.audit_row('f2(points)', q) AS a,
        LATERAL unnest(a.plis, a.partial) AS u (signal, slope)
    WHERE abs(signal - 2 * a.gradient_norm * slope) > 1e-14 * abs(signal)$$, 'under metric it is that of the gradient norm');

-- What is cached is forgotten when what it was made of changes.
CREATE FUNCTION seen_between(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    f regprocedure := 'f2(points)';
    q points := ROW(0, 10, 1, 1, 2);
    numbers float8[];
    seen text := '';
BEGIN
    FOR i IN 1 .. 2 LOOP
        numbers := dpsens.gradient_of(f, q);
        seen := concat_ws(' ', nullif(seen, ''), numbers);
        IF i = 1 THEN
            EXECUTE change;
        END IF;
    END LOOP;
    RETURN seen;
END$$;
SELECT is(seen_between('SELECT 1'), '{2,6,-12} {2,6,-12}', 'a row is clamped into the ranges');
SELECT is(seen_between($$SELECT dpsens.set_range('points', 'x', 0.5, 4)$$), '{2,6,-12} {2,8,-16}', 'a new range is seen at once');
SELECT is(seen_between($$SELECT dpsens.set_public('points', 'x')$$), '{2,8,-16} {8,-16}', 'and a column that is public now');
SELECT is(seen_between($$CREATE OR REPLACE FUNCTION f2(r points) RETURNS float8 IMMUTABLE PARALLEL SAFE RETURN r.x * r.y$$),
    '{8,-16} {4}', 'and another body');
ALTER TABLE points RENAME y TO why;
ALTER TABLE points ADD COLUMN late float8;
DROP FUNCTION moved(points, int, float8);
ALTER TABLE points DROP COLUMN id;
SELECT is(dpsens.expression_columns('f2(points)'), '{why}', 'names are those of now');
SELECT is((SELECT count(dpsens.gradient_of('f1(points)', q)) FROM points AS q), 100::bigint, 'and columns come and go');
SELECT throws_ok($$SELECT seen_between('SELECT dpsens.clear(''points'', ''x'')')$$, '55000', NULL, 'a range that is gone is missed');

-- Who may look.
SET LOCAL ROLE dpsens_analyst;
SELECT throws_ok($$SELECT dpsens.gradient_of('f1(points)', q) FROM audit_tap.points AS q$$, '42501', NULL,
    'whoever may not read the table reads no gradients of it');

SELECT * FROM finish();
ROLLBACK;
