-- Who sees what through audit functions, and what becomes of them when what they
-- show is changed.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(68);

DROP SCHEMA IF EXISTS access_tap CASCADE;
CREATE ROLE access_tap_owner;
CREATE ROLE access_tap_ana;
CREATE ROLE access_tap_auditor;
CREATE SCHEMA access_tap AUTHORIZATION access_tap_owner;
GRANT USAGE ON SCHEMA access_tap TO PUBLIC;
SET search_path = access_tap, public;
SET dpsens.epsilon = 1;
SET ROLE access_tap_owner;
CREATE TYPE colour AS ENUM ('red', 'blue');
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, y float8, whose name NOT NULL, extra text);
INSERT INTO t SELECT i, i % 10, i % 7, CASE WHEN i % 4 = 0 THEN 'access_tap_auditor' ELSE 'nobody' END, 'e' FROM generate_series(1, 400) AS i;
DO $$ BEGIN
    PERFORM dpsens.protect('t', 'id'), dpsens.set_range('t', 'x', 0, 9), dpsens.set_range('t', 'y', 0, 6);
    PERFORM dpsens.register('f', 't', 'x ^ 2 * y + x');
    PERFORM dpsens.grant_budget('t', 'access_tap_ana', epsilon => 1000);
    PERFORM dpsens.create_audit_view('f(t)');
END $$;
GRANT EXECUTE ON FUNCTION f(t) TO PUBLIC;

-- A role that is answered, and must not look.
SET ROLE access_tap_ana;
SELECT is((SELECT dp_count(*) FROM t) IS NOT NULL, true, 'the analyst is answered');
SELECT throws_ok(format($$SELECT dpsens.%s('f(t)', t%s) FROM t$$, name, parameter), '42501', 'permission denied for table t', name || parameter)
FROM (VALUES ('value_of', ''), ('slope_of', ', 1'), ('gradient_of', ''), ('gradient_norm_of', ''), ('contribution_of', ''), ('contribution_of', ', 1'),
    ('partial_sensitivity_of', ''), ('partial_sensitivity_of', ', 1'), ('plis_of', ''), ('plis_of', ', 1, 1'), ('audit_row', ''),
    ('individual_loss', ''), ('individual_epsilon', ', 1e-6'), ('first_order_loss', '')) AS f (name, parameter);
SELECT throws_ok(statement, '42501', message, statement) FROM (VALUES
    ($$SELECT * FROM dpsens.row_sensitivity('f(t)')$$, 'permission denied for table t'),
    ($$SELECT dpsens_internal.cells_number(0, 'f(t)', 0, 0, '{2,3}', x, y) FROM t$$, 'permission denied for table t'),
    ($$SELECT * FROM dpsens.sensitivity_summary('f(t)')$$, 'must be owner or auditor of table t'),
    ($$SELECT * FROM dpsens.local_sensitivity('f(t)', 'sum', 1)$$, 'must be owner of table t'),
    ($$SELECT dpsens.report('t')$$, 'must be owner or auditor of table t'),
    ($$SELECT dpsens.report('t', rows => false)$$, 'must be owner or auditor of table t'),
    ($$SELECT * FROM dpsens.row_loss('t')$$, 'must be owner or auditor of table t'),
    ($$SELECT dpsens.create_audit_view('f(t)', 'mine')$$, 'must be owner of table t'),
    ($$SELECT * FROM f_audit$$, 'permission denied for view f_audit'),
    ($$SELECT dp_sum(x), (SELECT max(value) FROM f_audit) FROM t$$, 'permission denied for view f_audit')) AS s (statement, message);
SELECT throws_ok(statement, '0A000', NULL, statement) FROM (VALUES
    ($$SELECT dp_sum(dpsens.value_of('f(t)', t)) FROM t$$),
    ($$SELECT dp_sum(x) FROM t WHERE dpsens.value_of('f(t)', t) > 3$$),
    ($$SELECT dp_sum(x) FROM t WHERE dpsens_internal.cells_number(0, 'f(t)', 0, 0, '{2,3}', x, y) > 3$$),
    ($$SELECT dp_sum(x) FROM t GROUP BY dpsens.slope_of('f(t)', t, 1)$$),
    ($$SELECT dp_count((dpsens.gradient_of('f(t)', t))[1] > 3) FROM t$$)) AS s (statement);
SELECT is((SELECT spent_epsilon FROM dpsens.my_budget WHERE relation = 't'::regclass), 1::float8, 'nothing of this was charged');

-- An auditor reads what was granted: the view with everything on it, whatever
-- policies the table has for others, and not the table.
SELECT throws_ok('SELECT * FROM f_audit', '42501', NULL, 'who was not granted the view does not read it');
SET ROLE access_tap_owner;
GRANT SELECT ON f_audit TO access_tap_auditor;
SET ROLE access_tap_auditor;
SELECT is((SELECT count(*) FILTER (WHERE v.individual_loss > 0 AND v.individual_epsilon > 0) FROM f_audit AS v WHERE v::text IS NOT NULL), 360::bigint, 'an auditor reads the whole view');
SELECT throws_ok('SELECT FROM t', '42501', NULL, 'and not the table');
SELECT throws_ok($$SELECT * FROM dpsens.row_sensitivity('f(t)')$$, '42501', NULL, 'nor all of its rows');

-- Row-level security holds for whoever reads the table.
SET ROLE access_tap_owner;
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON t USING (whose = CURRENT_USER);
GRANT SELECT ON t TO access_tap_auditor;
SET ROLE access_tap_auditor;
SELECT is((SELECT count(*) FROM dpsens.row_sensitivity('f(t)')), 100::bigint, 'sets of rows are those that the policies show');
SELECT is((SELECT count(dpsens.value_of('f(t)', t)) FROM t), 100::bigint, 'and so are functions of a row');
SELECT is_empty($$SELECT id FROM t WHERE whose <> 'access_tap_auditor' AND dpsens.value_of('f(t)', t) > -1$$, 'conditions, too');
SELECT is((SELECT count(*) FROM f_audit), 400::bigint, 'the view shows all rows: it is read as its owner');
SELECT throws_ok($$SELECT * FROM dpsens.sensitivity_summary('f(t)')$$, '42501', NULL, 'a summary would, too');
SET ROLE access_tap_owner;
REVOKE SELECT ON t FROM access_tap_auditor;
GRANT SELECT (id, x) ON t TO access_tap_auditor;
SET ROLE access_tap_auditor;
SELECT throws_ok($$SELECT * FROM dpsens.row_sensitivity('f(t)')$$, '42501', NULL, 'who may read some columns reads nothing of the others');
SELECT throws_ok($$SELECT dpsens.value_of('f(t)', t) FROM t$$, '42501', NULL, 'nor as a row');
SELECT throws_ok($$SELECT dpsens_internal.cells_number(0, 'f(t)', 0, 0, '{2,3}', x, y) FROM t$$, '42501', NULL, 'nor as cells');
SET ROLE access_tap_owner;
REVOKE SELECT (id, x) ON t FROM access_tap_auditor;
REVOKE SELECT ON f_audit FROM access_tap_auditor;

-- Whoever looks at somebody else's table calls nothing of theirs.
CREATE TABLE trap (id colour PRIMARY KEY, x float8 NOT NULL);
INSERT INTO trap VALUES ('red', 1);
CREATE TABLE called (by name);
CREATE FUNCTION spring(c colour) RETURNS json LANGUAGE plpgsql AS $$ BEGIN INSERT INTO access_tap.called VALUES (CURRENT_USER); RETURN '{}'; END $$;
CREATE CAST (colour AS json) WITH FUNCTION spring(colour);
DO $$ BEGIN
    PERFORM dpsens.protect('trap', 'id'), dpsens.set_range('trap', 'x', 0, 9), dpsens.register('g', 'trap', 'x');
END $$;
RESET ROLE;
SELECT isnt_empty($$SELECT * FROM dpsens.sensitivity_summary('g(trap)')$$, 'a superuser makes a summary');
SELECT matches(dpsens.report('trap'), 'gradient_norm', 'and a report');
DO $$ BEGIN PERFORM dpsens.create_audit_view('g(trap)'); END $$;
SELECT is_empty('SELECT * FROM called', 'which call nothing of the table''s owner');
DO $$ BEGIN PERFORM dpsens.row_sensitivity('g(trap)'); END $$;
SELECT isnt_empty('SELECT * FROM called', 'unlike the keys of a set, for whoever asks for them');

-- Names of any length and kind: each column has its own.
SET ROLE access_tap_owner;
SELECT repeat('long_name', 7) AS long \gset
CREATE TABLE named ("value" int PRIMARY KEY, "gradient" float8 NOT NULL, "Odd ""name""" float8 NOT NULL, :"long" float8 NOT NULL);
INSERT INTO named VALUES (7, 1, 2, 3);
ALTER TABLE named ADD COLUMN longer float8 NOT NULL DEFAULT 3;
SELECT left(repeat('long_name', 7), 62) || '!' AS longer \gset
ALTER TABLE named RENAME longer TO :"longer";
SELECT set_config('access_tap.long', :'long', false), set_config('access_tap.longer', :'longer', false) \gset
DO $$ BEGIN
    PERFORM dpsens.set_range('named', name, 0, 9) FROM unnest(ARRAY['gradient', 'Odd "name"', current_setting('access_tap.long'), current_setting('access_tap.longer')]::name[]) AS name;
    PERFORM dpsens.register('%s h', 'named', format('gradient * "Odd ""name""" * %I * %I', current_setting('access_tap.long'), current_setting('access_tap.longer')));
    PERFORM dpsens.create_audit_view('"%s h"(named)');
END $$;
SELECT is((SELECT ("value", value_1, round(gradient_norm ^ 2), "slope_Odd ""name""")::text FROM "%s h_audit"), '(7,18,477,9)', 'a key that is called like a number');
SELECT is((SELECT count(DISTINCT attname) FROM pg_attribute WHERE attrelid = '"%s h_audit"'::regclass AND attname ~ '^(slope|partial|contribution|plis)_long'), 8::bigint, 'long names');
SELECT is((SELECT count(*) FROM pg_attribute WHERE attrelid = '"%s h_audit"'::regclass AND attnum > 0 AND col_description(attrelid, attnum) IS NOT NULL), 21::bigint, 'all of them commented');

-- What is changed under a plan, a cursor, a prepared statement.
BEGIN;
DECLARE rows CURSOR FOR SELECT id, dpsens.value_of('f(t)', t), dpsens.individual_loss('f(t)', t) IS NULL FROM t ORDER BY id;
FETCH rows \g /dev/null
DO $$ BEGIN PERFORM dpsens.set_range('t', 'x', 0, 1), dpsens.protect('t', 'id', 'metric'); END $$;
SELECT results_eq('FETCH 2 FROM rows', 'VALUES (2, 3::float8, true), (3, 4::float8, true)', 'a cursor sees new ranges and another adjacency');
ROLLBACK;
PREPARE audit AS SELECT id, value, plis_x, partial_y FROM f_audit WHERE id < 3 ORDER BY id;
EXECUTE audit \g /dev/null
DO $$ BEGIN PERFORM dpsens.protect('t', 'id', 'metric'); END $$;
SELECT results_eq('EXECUTE audit', $$SELECT id, (n).value, (n).plis[1], (n).partial[2] FROM (SELECT id, dpsens.audit_row('f(t)', t) AS n FROM t) AS s WHERE id < 3 ORDER BY id$$, 'a prepared statement, too');
ALTER TABLE t DROP COLUMN extra;
ALTER TABLE t RENAME y TO why;
ALTER TABLE t RENAME id TO key;
ALTER TABLE t RENAME TO tea;
ALTER FUNCTION f(tea) RENAME TO eff;
SELECT results_eq('EXECUTE audit', $$SELECT key, (n).value, (n).plis[1], (n).partial[2] FROM (SELECT key, dpsens.audit_row('eff(tea)', tea) AS n FROM tea) AS s WHERE key < 3 ORDER BY key$$,
    'renames of table, columns and expression are followed');
SELECT throws_ok($$ALTER TABLE tea ALTER x TYPE numeric$$, '0A000', NULL, 'what it refers to keeps its type');

-- What is compiled is compiled once: one evaluator of each kind at the last row as
-- at the first, however many columns ask, and one table of losses.
CREATE FUNCTION contexts(row_id int, wanted text) RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT count(*) FROM pg_backend_memory_contexts WHERE name = wanted AND row_id IS NOT NULL';
SET SESSION AUTHORIZATION DEFAULT;
GRANT pg_read_all_stats TO access_tap_owner;
SET ROLE access_tap_owner;
DO $$ BEGIN PERFORM dpsens.protect('tea', 'key', 'add_remove'); END $$;
SELECT results_eq($$SELECT DISTINCT contexts(key, 'dpsens evaluator') FROM (SELECT key, dpsens.value_of('eff(tea)', tea) AS v FROM tea OFFSET 0) AS s WHERE s::text IS NOT NULL$$, 'VALUES (1::bigint)', 'a function of a row');
SELECT results_eq($$SELECT DISTINCT contexts(id, 'dpsens evaluator') FROM (SELECT * FROM f_audit OFFSET 0) AS s WHERE s::text IS NOT NULL$$, 'VALUES (6::bigint)',
    'a view: values, two slopes, gradients, norms and partial sensitivities');
SET dpsens.mechanism = gaussian;
SELECT results_eq($$SELECT DISTINCT contexts(id, 'dpsens losses') FROM (SELECT * FROM f_audit OFFSET 0) AS s WHERE s::text IS NOT NULL$$, 'VALUES (1::bigint)', 'its losses');
RESET dpsens.mechanism;
SELECT is(contexts(1, 'dpsens evaluator') + contexts(1, 'dpsens losses'), 0::bigint, 'and nothing of it is left');

-- A function that is no row expression any more, for each way of not being one.
CREATE FUNCTION look_after(body text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'CREATE OR REPLACE FUNCTION eff(r tea) RETURNS float8 IMMUTABLE ' || body;
    RETURN (SELECT value FROM f_audit WHERE id = 2);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END$$;
SELECT is(look_after(body), wanted, body) FROM (VALUES
    ($$LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'$$, '42809'), ($$LANGUAGE sql AS 'SELECT r.x'$$, '42809'), ('LANGUAGE sql BEGIN ATOMIC SELECT r.x; SELECT 2.0::float8; END', '42809'),
    ('LANGUAGE sql RETURN (SELECT max(x) FROM tea)', '42809'), ('LANGUAGE sql RETURN eff(r)', '0A000'), ('LANGUAGE sql RETURN r.x * random()', '0A000'),
    ('LANGUAGE sql RETURN r.why', '2'), ('LANGUAGE sql RETURN 42', '42')) AS b (body, wanted);
SELECT lives_ok($$SELECT dpsens.unregister('eff', 'tea')$$, 'it can still be dropped');
SELECT hasnt_view('access_tap', 'f_audit', 'and its view with it');

SELECT * FROM finish();
RESET ROLE;
DROP SCHEMA access_tap CASCADE;
DROP ROLE access_tap_owner, access_tap_ana, access_tap_auditor;
