-- The cap on susceptibility: what answers' PLIS adds up to, beside dpsens.plis_of and by hand, and who is left out.
--
-- A count with epsilon 60 is off with a probability below 1e-12; fewer than 30 are made here.
-- Files: audit/sql_plis_cap.c, audit/sql_row_loss.c, ledger/rows/meter.c, ledger/rows/row_accounts.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(40);

SELECT format('plis_cap_tap_%s_%s', pg_backend_pid(), floor(random() * 1e9)) AS schema \gset
CREATE SCHEMA :schema;
SET search_path = :schema, public;
CREATE ROLE plis_cap_tap_ana;
GRANT USAGE ON SCHEMA :schema TO plis_cap_tap_ana;
CREATE FUNCTION make(name text, adjacency text DEFAULT 'add_remove') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, x float8, y float8 NOT NULL, p int NOT NULL)', name);
    -- beyond the range, 0, NULL, and two like others
    EXECUTE format('INSERT INTO %I VALUES (1, 1, 2, 1), (2, 3, -1, 2), (3, 12, 4, 1), (4, 0, 1, 2), (5, NULL, 2, 1), (6, 2, 0, 2)', name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency), dpsens.set_range(name::regclass, 'x', 0, 10), dpsens.set_range(name::regclass, 'y', -4, 4),
        dpsens.set_range(name::regclass, 'p', 1, 2), dpsens.set_public(name::regclass, 'p');
END $$;
CREATE FUNCTION plis(name text) RETURNS float8[] LANGUAGE sql AS $$ SELECT array_agg(plis ORDER BY unit::int) FROM dpsens.row_plis(name::regclass) $$;
CREATE FUNCTION about(have float8[], want float8[], description text) RETURNS text LANGUAGE sql AS $$
    SELECT ok((SELECT bool_and(h IS NOT NULL AND abs(h - w) <= 1e-9 * greatest(w, 1e-300)) AND count(*) = cardinality(want) FROM unnest(have, want) AS t (h, w)), description)
        || CASE WHEN (SELECT bool_and(abs(h - w) <= 1e-9 * greatest(w, 1e-300)) FROM unnest(have, want) AS t (h, w)) THEN '' ELSE E'\n' || diag(format('have %s, want %s', have, want)) END
$$;
-- the scale of the last answer's noise
CREATE FUNCTION sigma(name text) RETURNS float8 LANGUAGE sql AS $$
    SELECT scales[1] * 2::float8 ^ grid FROM dpsens.release WHERE relation = name::regclass ORDER BY release DESC LIMIT 1
$$;
CREATE FUNCTION present(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    n int[];
BEGIN
    EXECUTE format('SELECT ARRAY[%s] FROM %I', (SELECT string_agg(format('dp_count(true, 60) FILTER (WHERE id = %s)', i), ', ') FROM generate_series(1, 6) i), name) INTO n;
    RETURN (SELECT string_agg(i::text, ',' ORDER BY i) FROM unnest(n) WITH ORDINALITY t (k, i) WHERE k = 1);
END $$;
SET dpsens.epsilon = 1;

-- ---- the figures ----

SELECT make('t');
SELECT dpsens.register('f', 't', 'x * x + y * p') \g /dev/null
SELECT is(plis('t'), '{0,0,0,0,0,0}', 'nothing was asked');
SET dpsens.mechanism = gaussian;
SELECT dp_sum(f(t)) IS NOT NULL AS done FROM t \g /dev/null
SELECT sigma('t') AS first \gset
SELECT about(plis('t'), (SELECT array_agg(coalesce((SELECT sqrt(sum(e * e)) FROM unnest(dpsens.plis_of('f(t)', t, :first)) e), 0) ORDER BY id) FROM t), 'the norm of plis_of');
-- v = 1 + 2 of gradient (2, 1); 9 - 2 of (6, 2); 100 + 4 of (20, 1), x clamped; 2 of (0, 2)
SELECT about(plis('t'), (SELECT array_agg(2 * v * sqrt(g * g + h * h) / :first / :first ORDER BY i) FROM (VALUES (1, 3, 2, 1), (2, 7, 6, 2), (3, 104, 20, 1), (4, 2, 0, 2), (5, 0, 0, 0), (6, 4, 4, 2)) c (i, v, g, h)),
    'and by hand: a public column is no part of it');
SELECT dp_sum(x, 0.5) IS NOT NULL AS done FROM t WHERE y > 0 \g /dev/null
SELECT sigma('t') AS second \gset
SELECT about(plis('t'), (SELECT array_agg(2 * v * sqrt(g * g + h * h) / :first / :first + 2 * x / :second / :second ORDER BY i)
        FROM (VALUES (1, 3, 2, 1, 1), (2, 7, 6, 2, 0), (3, 104, 20, 1, 10), (4, 2, 0, 2, 0), (5, 0, 0, 0, 0), (6, 4, 4, 2, 0)) c (i, v, g, h, x)), 'another answer adds what it selects');
CREATE TABLE before AS SELECT plis('t') AS p;
SELECT dp_count(*) IS NOT NULL AS done FROM t \g /dev/null
SELECT about(plis('t'), p, 'a count follows no value') FROM before;
SELECT dp_sum(x, 1) IS NOT NULL AS done FROM t WHERE x / 2 > 1000 \g /dev/null
SELECT ok((plis('t'))[1] >= p[1], 'a condition that is not kept may have selected every row') FROM before;

SET dpsens.mechanism = laplace;
SELECT make('pure');
SELECT dp_sum(x) IS NOT NULL AS done FROM pure \g /dev/null
SELECT sigma('pure') AS scale \gset
SELECT about(plis('pure'), (SELECT array_agg(2 * x::float8 / :scale / :scale ORDER BY i) FROM (VALUES (1, 1), (2, 3), (3, 10), (4, 0), (5, 0), (6, 2)) c (i, x)), 'Laplace noise, by its scale');
SET dpsens.mechanism = gaussian;
SELECT make('means');
SELECT dp_avg(x) IS NOT NULL AS done FROM means \g /dev/null
SELECT (contribution ->> 'centre')::float8 * 2::float8 ^ grid AS centre, scales[1] * 2::float8 ^ grid AS scale FROM dpsens.release WHERE relation = 'means'::regclass \gset
SELECT about(plis('means'), (SELECT array_agg(coalesce(2 * abs(x - coalesce(:'centre'::float8, 5)) / :scale / :scale, 0) ORDER BY i) FROM (VALUES (1, 1), (2, 3), (3, 10), (4, 0), (5, NULL), (6, 2)) c (i, x)), 'a mean, around its centre');
SET dpsens.mechanism = laplace;
SELECT make('pairs');
SELECT dp_avg(x) IS NOT NULL AS done FROM pairs \g /dev/null
SELECT sigma('pairs') AS scale \gset
SELECT about(plis('pairs'), (SELECT array_agg(coalesce(2 * abs(2 * x - 10) / :scale::float8 / :scale::float8, 0) ORDER BY i) FROM (VALUES (1, 1), (2, 3), (3, 10), (4, 0), (5, NULL), (6, 2)) c (i, x)), 'a mean of two sums');
SELECT make('other', 'replace');
SELECT dp_sum(x) IS NOT NULL AS done FROM other \g /dev/null
SELECT is(plis('other'), '{0,0,0,0,0,0}', 'nothing is said under replace');
SELECT make('roots');
SELECT dp_sum(sqrt(x)) IS NOT NULL AS done FROM roots \g /dev/null
SELECT ok((plis('roots'))[4] = 0 AND (plis('roots'))[1] > 0, 'where there is no derivative it adds 0');

-- ---- who is left out ----

SET dpsens.mechanism = laplace;
SELECT make('capped');
SELECT throws_ok($$SELECT dpsens.set_plis_cap('capped', 1)$$, '55000', 'row accounting of relation "capped" is off', 'not without row accounting');
DO $$ BEGIN PERFORM dpsens.set_budget('capped', row_epsilon => 1000); END $$;
DO $$ BEGIN PERFORM dpsens.set_plis_cap('capped', 0.05); END $$;
SELECT results_eq($$SELECT row_epsilon, row_plis FROM dpsens.row_budgets WHERE relation = 'capped'::regclass$$, $$VALUES (1000::float8, 0.05::float8)$$, 'the owner sees the cap');
SELECT is(present('capped'), '1,2,3,4,5,6', 'counts leave nobody out');
-- the scale is 10: row 3, of 2 * 10 / 100, is above the cap by the running statement; row 2, of 0.06, too
SELECT dp_sum(x) IS NOT NULL AS done FROM capped \g /dev/null
SELECT about(plis('capped'), '{0.02,0.06,0.2,0,0,0.04}', 'what a sum adds');
SELECT is(present('capped'), '1,4,5,6', 'who is above the cap is out');
SELECT cmp_ok((SELECT dp_sum(x, 60) FROM capped), '<', 9::float8, 'of the statement that passes it, too: nobody but those without a value is left in a sum at epsilon 60');
SELECT is(present('capped'), '4,5', 'and afterwards');
SELECT ok((SELECT bool_and(epsilon <= 1000) FROM dpsens.row_loss('capped')), 'nobody is above what rows may lose');
UPDATE capped SET x = 1 WHERE id = 2;
SELECT is((plis('capped'))[2], 0::float8, 'a row that is changed begins anew');
SELECT is(present('capped'), '2,4,5', 'and counts again');
DO $$ BEGIN PERFORM dpsens.set_budget('capped', row_epsilon => 10); END $$;
SELECT is(present('capped'), NULL, 'but not beyond what rows may lose, which was not forgotten');
DO $$ BEGIN PERFORM dpsens.set_budget('capped', row_epsilon => 5000); END $$;
DO $$ BEGIN PERFORM dpsens.set_plis_cap('capped', NULL); END $$;
SELECT is(present('capped'), '1,2,3,4,5,6', 'without the cap all count that lost little enough');
SELECT is((SELECT row_plis FROM dpsens.row_budgets WHERE relation = 'capped'::regclass), NULL::float8, 'and none is shown');
DO $$ BEGIN PERFORM dpsens.set_plis_cap('capped', 0.03); END $$;
DO $$ BEGIN PERFORM dpsens.set_plis_cap('capped', 'Infinity'); END $$;
SELECT is(present('capped'), '1,2,3,4,5,6', 'Infinity removes it as well');

-- training leaves out who is above it when it begins, and adds nothing
\ir new_model.psql
SELECT new_model('plis_cap_tap', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}') \g /dev/null
SELECT make('trained');
DO $$ BEGIN PERFORM dpsens.set_budget('trained', row_rho => 1000); END $$;
DO $$ BEGIN PERFORM dpsens.set_plis_cap('trained', 0.05); END $$;
SELECT dp_sum(x) IS NOT NULL AS done FROM trained \g /dev/null
CREATE TABLE training_before AS SELECT plis('trained') AS p;
CALL dpsens.train('plis_cap_tap', 'trained', '{y}', 'p', 2, 1e-40, clip => 1, expected_rows => 6, noise_multiplier => 8, delta => 1e-6);
SELECT results_eq($$SELECT unit, left_out, rho > 0 FROM dpsens.row_training_loss('trained') ORDER BY unit::int$$,
    $$VALUES ('1', false, true), ('2', true, false), ('3', true, false), ('4', false, true), ('5', false, true), ('6', false, true)$$, 'training');
SELECT about(plis('trained'), p, 'adds nothing to it') FROM training_before;

-- ---- what is refused ----

SELECT throws_ok($$SELECT dpsens.set_plis_cap('capped', 0)$$, '22023', 'cap must be a number greater than 0', 'nothing');
SELECT throws_ok($$SELECT dpsens.set_plis_cap('capped', 'NaN')$$, '22023', 'cap must be a number greater than 0', 'NaN');
SELECT throws_ok($$SELECT dpsens.set_plis_cap(NULL, 1)$$, '22004', NULL, 'no relation');
DO $$ BEGIN PERFORM dpsens.set_budget('other', row_epsilon => 1); END $$;
SELECT throws_ok($$SELECT dpsens.set_plis_cap('other', 1)$$, '55000', 'the susceptibility of the rows of relation "other" is capped, and its adjacency is replace', 'another adjacency');
DO $$ BEGIN PERFORM dpsens.set_plis_cap('capped', 1); END $$;
SELECT dpsens.protect('capped', adjacency => 'replace') \g /dev/null
SELECT throws_ok('SELECT dp_count(*) FROM capped', '55000', 'the susceptibility of the rows of relation "capped" is capped, and its adjacency is replace', 'nor later');
DO $$ BEGIN PERFORM dpsens.set_plis_cap('capped', NULL); END $$;
SELECT lives_ok('SELECT dp_count(*) FROM capped', 'without the cap it answers');
CREATE TABLE plain (id int PRIMARY KEY);
SELECT throws_ok($$SELECT dpsens.set_plis_cap('plain', 1)$$, '55000', 'relation "plain" is not protected', 'a table that is not protected');
SELECT throws_ok($$SELECT dpsens.row_plis('plain')$$, '55000', 'relation "plain" is not protected', 'has no figures');
SELECT dpsens.grant_budget('trained', 'plis_cap_tap_ana', epsilon => 100) \g /dev/null
SET ROLE plis_cap_tap_ana;
SELECT throws_ok(statement, '42501', NULL, statement)
FROM unnest(ARRAY['SELECT * FROM dpsens.row_plis(''trained'')', 'SELECT dpsens.set_plis_cap(''trained'', 1)', 'SELECT cap_plis FROM dpsens.row_account']) statement;
SELECT is_empty($$SELECT * FROM dpsens.row_budgets$$, 'an analyst sees no cap');
SELECT is((SELECT dp_count(true, 60) FROM trained WHERE id = 3), 0::bigint, 'and is told nothing of who is left out');
RESET ROLE;

SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'plis_cap_tap%' \g /dev/null
SELECT * FROM finish();
DROP SCHEMA :schema CASCADE;
DROP OWNED BY plis_cap_tap_ana;
DROP ROLE plis_cap_tap_ana;
