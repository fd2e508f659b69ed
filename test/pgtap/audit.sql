-- Auditing: derivatives at rows, their properties, and who may see them.
-- Files: audit/all_rows.c, audit/key.c, audit/row_numbers.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(55);

CREATE ROLE dpsens_curator;
CREATE ROLE dpsens_analyst;
CREATE SCHEMA audit_tap AUTHORIZATION dpsens_curator;
GRANT USAGE ON SCHEMA audit_tap TO dpsens_analyst;
SET LOCAL ROLE dpsens_curator;
SET LOCAL search_path = audit_tap, public;

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE pronamespace = 'dpsens'::regnamespace AND proname IN
        ('expression_columns', 'value_of', 'slope_of', 'gradient_of', 'gradient_norm_of', 'contribution_of', 'partial_sensitivity_of', 'plis_of', 'audit_row',
         'individual_loss', 'individual_epsilon', 'first_order_loss')
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
    WHERE (dpsens.value_of(f, q), dpsens.gradient_of(f, q), dpsens.gradient_norm_of(f, q), dpsens.contribution_of(f, q), dpsens.partial_sensitivity_of(f, q), dpsens.plis_of(f, q))
        IS DISTINCT FROM (a.value, a.gradient, a.gradient_norm, a.contribution, a.partial, a.plis)$$, 'one by one or together, the numbers are the same');
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

SET LOCAL ROLE dpsens_curator;

-- Individual losses: of the noise that explain announces, and never above the
-- loss of the release.
CREATE TABLE staff (id int PRIMARY KEY, pay float8 NOT NULL, years int NOT NULL, bonus float8);
SELECT dpsens.set_range('staff', 'pay', -10, 100);
SELECT dpsens.set_range('staff', 'years', 0, 40);
SELECT dpsens.set_range('staff', 'bonus', 1, 5);
INSERT INTO staff SELECT i, (i * 37 % 150) - 30, i * 7 % 41, CASE WHEN i % 5 > 0 THEN 1 + i % 4 END FROM generate_series(1, 600) AS i;
SELECT dpsens.register('worth', 'staff', 'pay * years');
SELECT dpsens.register('extra', 'staff', 'pay + 20 * bonus');
CREATE TABLE own_sensitivity AS
SELECT * FROM (VALUES
    ('worth(staff)', 'add_remove', 'abs(s.v)'),
    ('worth(staff)', 'replace', 'greatest(4000 - s.v, s.v + 400)'),
    ('worth(staff)', 'attribute', 'greatest(s.years * greatest(100 - s.clamped, s.clamped + 10), abs(s.clamped) * greatest(40 - s.years, s.years))'),
    ('extra(staff)', 'add_remove', 'coalesce(abs(s.v), 0)'),
    ('extra(staff)', 'replace', 'greatest(200 - coalesce(s.v, 0), coalesce(s.v, 0))')) AS own (f, adjacency, formula);

CREATE FUNCTION losses(f regprocedure, adjacency text, mechanism text)
RETURNS TABLE (id int, v float8, years int, clamped float8, loss float8, first_order float8, norm float8, sigma float8, rho float8)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('staff', 'id', adjacency);
    PERFORM set_config('dpsens.epsilon', '0.5', true), set_config('dpsens.mechanism', mechanism, true);
    RETURN QUERY SELECT s.id, (dpsens.audit_row(f, s)).value, s.years, least(greatest(s.pay, -10), 100),
        dpsens.individual_loss(f, s, 3), dpsens.first_order_loss(f, s, 3), (dpsens.audit_row(f, s)).gradient_norm, e.noise_scale, e.cost_rho
    FROM staff AS s, dpsens.explain(format('SELECT dp_sum(%s) FROM staff', f)) AS e;
END$$;

SELECT is_empty(format($$
    SELECT * FROM losses(%L, %L, 'gaussian') AS s, LATERAL (SELECT 3 * (%s) ^ 2 / (2 * sigma ^ 2)) AS formula (loss)
    WHERE s.loss IS NULL OR s.loss NOT BETWEEN formula.loss * (1 - 1e-14) AND formula.loss * (1 + 1e-7) OR s.loss > 3 * rho * (1 + 1e-9)$$, f, adjacency, formula),
    format('loss of %s under %s: Gaussian noise', f, adjacency))
FROM own_sensitivity;
SELECT is_empty(format($$
    SELECT * FROM losses(%L, %L, 'laplace') AS s,
         LATERAL (SELECT (%s) / sigma) AS pure (loss),
         LATERAL (SELECT ln(3::float8 / 5 * exp(2 * pure.loss) + 2::float8 / 5 * exp(-3 * pure.loss)) / 2) AS formula (loss)
    WHERE s.loss IS NULL OR abs(s.loss - formula.loss) > 1e-7 * formula.loss + 1e-15 OR s.first_order IS NOT NULL$$, f, adjacency, formula),
    format('loss of %s under %s: Laplace noise', f, adjacency))
FROM own_sensitivity;
SELECT is_empty($$
    SELECT * FROM losses('worth(staff)', 'metric', 'gaussian')
    WHERE loss IS NOT NULL OR first_order IS NULL OR abs(first_order - 3 * norm ^ 2 / (2 * sigma ^ 2)) > 1e-9 * first_order$$,
    'metric has the first-order formula alone');
SELECT dpsens.protect('staff', 'id', 'add_remove');
SELECT is((SELECT count(dpsens.individual_loss('worth(staff)', s)) FROM staff AS s), 600::bigint, 'a setting that is there');
RESET dpsens.epsilon;
SELECT is((SELECT count(dpsens.individual_loss('worth(staff)', s)) FROM staff AS s), 0::bigint, 'no epsilon, no loss');
SET LOCAL dpsens.epsilon = 1;

-- Sets of rows: batch by batch the numbers are those of each row.
SELECT results_eq($$SELECT (key ->> 'id')::int, value, gradient, gradient_norm, contribution, partial, plis FROM dpsens.row_sensitivity('extra(staff)')$$,
    $$SELECT id, n.* FROM staff AS s, dpsens.audit_row('extra(staff)', s) AS n$$, 'row_sensitivity is audit_row over the table');
SELECT is((SELECT count(*) FROM dpsens.row_sensitivity('extra(staff)') WHERE value IS NULL), 120::bigint, 'rows without a value are there');

-- Summaries: the server's own aggregates agree.
CREATE FUNCTION statistics(x float8[], bound float8) RETURNS text[] LANGUAGE sql IMMUTABLE RETURN
    (SELECT ARRAY[count(v), min(v), percentile_cont(0.25) WITHIN GROUP (ORDER BY v), percentile_cont(0.5) WITHIN GROUP (ORDER BY v),
                  percentile_cont(0.75) WITHIN GROUP (ORDER BY v), max(v), avg(v), bound, max(abs(v)) / bound,
                  count(v) FILTER (WHERE abs(v) > 0.26 * bound), count(v) FILTER (WHERE abs(v) > 0.76 * bound)]::numeric(30, 9)[]
     FROM unnest(x) AS v);
SELECT results_eq($$
    SELECT quantity, ARRAY[rows, min, q1, median, q3, max, mean, bound, realised, rows_above[1], rows_above[2]]::numeric(30, 9)[]::text[]
    FROM dpsens.sensitivity_summary('worth(staff)', '{0.26, 0.76}') WHERE quantity !~ 'partial|plis'$$, $$
    SELECT name, statistics(array_agg(x), bound) FROM staff AS s, dpsens.audit_row('worth(staff)', s) AS n,
        LATERAL (VALUES (1, 'value', n.value, 4000), (2, 'gradient_norm', n.gradient_norm, sqrt(100 ^ 2 + 40 ^ 2)),
            (3, 'slope:pay', n.gradient[1], 40), (4, 'slope:years', n.gradient[2], 100),
            (5, 'contribution:pay', n.contribution[1], 1), (6, 'contribution:years', n.contribution[2], 1)) AS q (place, name, x, bound)
    GROUP BY place, name, bound ORDER BY place$$, 'summaries with bounds');
SELECT results_eq($$
    SELECT quantity, rows, mean::numeric(30, 9), median::numeric(30, 9) FROM dpsens.sensitivity_summary('extra(staff)')
    WHERE quantity ~ 'partial|plis' AND bound IS NULL AND realised IS NULL AND rows_above IS NULL$$, $$
    SELECT name, count(x), avg(x)::numeric(30, 9), percentile_cont(0.5) WITHIN GROUP (ORDER BY x)::numeric(30, 9)
    FROM staff AS s, dpsens.audit_row('extra(staff)', s) AS n,
        LATERAL (VALUES (1, 'partial:pay', n.partial[1]), (2, 'partial:bonus', n.partial[2]),
            (3, 'plis:pay', n.plis[1]), (4, 'plis:bonus', n.plis[2])) AS q (place, name, x)
    GROUP BY place, name ORDER BY place$$, 'and those without');

-- The audit view.
ALTER DEFAULT PRIVILEGES IN SCHEMA audit_tap GRANT SELECT ON TABLES TO dpsens_analyst, PUBLIC;
SELECT is(dpsens.create_audit_view('extra(staff)')::text, 'extra_audit', 'an audit view');
SELECT is(dpsens.create_audit_view('worth(staff)', 'Value of "work"', rdp_order => 3)::text, '"Value of ""work"""', 'of another name');
SELECT columns_are('audit_tap', 'extra_audit', ARRAY['id', 'value', 'gradient', 'gradient_norm', 'slope_pay', 'slope_bonus',
    'contribution_pay', 'contribution_bonus', 'partial_pay', 'partial_bonus', 'plis_pay', 'plis_bonus', 'individual_loss', 'individual_epsilon', 'first_order_loss']);
SELECT view_owner_is('audit_tap', 'extra_audit', 'dpsens_curator', 'its owner is the owner of the table');
SELECT is((SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = 'extra_audit'::regclass AND grantee <> relowner), 0::bigint,
    'and nobody else may read it, whatever the default privileges say');
SELECT results_eq('SELECT id, value, gradient, contribution_bonus, partial_pay, plis_bonus, individual_loss FROM extra_audit',
    $$SELECT id, n.value, n.gradient, n.contribution[2], n.partial[1], n.plis[2], dpsens.individual_loss('extra(staff)', s)
      FROM staff AS s, dpsens.audit_row('extra(staff)', s) AS n$$, 'its columns are what they are called');
SELECT results_eq('SELECT individual_loss FROM "Value of ""work"""',
    $$SELECT dpsens.individual_loss('worth(staff)', s, 3) FROM staff AS s$$, 'losses are of the order asked for');
SET LOCAL ROLE dpsens_analyst;
SELECT throws_ok('SELECT * FROM audit_tap.extra_audit', '42501', NULL, 'an analyst does not read it');
SELECT throws_ok($$SELECT dpsens.create_audit_view('extra(staff)', 'mine')$$, '42501', NULL, 'nor make one');
SELECT throws_ok($$SELECT * FROM dpsens.row_sensitivity('extra(staff)')$$, '42501', NULL, 'nor the rows');
SELECT throws_ok($$SELECT * FROM dpsens.sensitivity_summary('extra(staff)')$$, '42501', 'must be owner or auditor of table staff', 'nor a summary');
RESET ROLE;
GRANT SELECT ON audit_tap.staff TO dpsens_analyst;
SET LOCAL ROLE dpsens_analyst;
SELECT throws_ok($$SELECT * FROM dpsens.sensitivity_summary('extra(staff)')$$, '42501', 'must be owner or auditor of table staff',
    'a summary is for the owner, whoever reads the table');
SELECT is((SELECT count(*) FROM dpsens.row_sensitivity('extra(staff)')), 600::bigint, 'who reads the table reads its rows');
RESET ROLE;
REVOKE SELECT ON audit_tap.staff FROM dpsens_analyst;
RESET ROLE;
SELECT dpsens.create_audit_view('extra(staff)', 'by_superuser');
SELECT view_owner_is('audit_tap', 'by_superuser', 'dpsens_curator', 'a superuser makes it for the owner');
SET LOCAL ROLE dpsens_curator;
GRANT SELECT ON extra_audit TO dpsens_analyst;
SET LOCAL ROLE dpsens_analyst;
SELECT is((SELECT count(value) FROM extra_audit), 480::bigint, 'an auditor reads the view without reading the table');
SET LOCAL ROLE dpsens_curator;
ALTER TABLE staff RENAME bonus TO premium;
ALTER TABLE staff RENAME TO employees;
ALTER FUNCTION extra RENAME TO additional;
SELECT is((SELECT max(slope_bonus) FROM extra_audit), 20::float8, 'renames are followed');
SELECT lives_ok($$SELECT dpsens.unregister('additional', 'employees')$$, 'the expression is dropped');
SELECT hasnt_view('audit_tap', 'extra_audit', 'and the view with it');

SELECT * FROM finish();
ROLLBACK;
