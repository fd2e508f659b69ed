-- What single answers may be asked with (dpsens.set_answer_limits): who is limited, by which budget, and that a
-- refusal costs nothing.
-- Files: ledger/charge/answer_limits.c, ledger/budget/sql_answer_limits.c
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(44);

SET dpsens.answer_epsilon = 1;
CREATE SCHEMA limit_tap;
GRANT USAGE ON SCHEMA limit_tap TO PUBLIC;
SET search_path = limit_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x int, kind text);
INSERT INTO t SELECT i, i % 100, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 1000) i;
CREATE TABLE other (id int PRIMARY KEY, y int);
INSERT INTO other SELECT i, i FROM generate_series(1, 50) i;
SELECT dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 100), dpsens.set_values('t', 'kind', 'a', 'b'), dpsens.protect('other', unit => 'id'), dpsens.set_range('other', 'y', 0, 50);
CREATE ROLE limit_tap_ana;
CREATE ROLE limit_tap_reader;
CREATE ROLE limit_tap_first;
CREATE ROLE limit_tap_second;
CREATE ROLE limit_tap_member IN ROLE limit_tap_first, limit_tap_second;
CREATE ROLE limit_tap_stranger;
GRANT SELECT ON t TO limit_tap_reader;
SELECT dpsens.grant_budget('t', r::regrole, epsilon => 1000, delta => 1e-3) FROM unnest('{limit_tap_ana,limit_tap_reader,limit_tap_first,limit_tap_second}'::text[]) r;
SELECT dpsens.grant_budget('other', 'limit_tap_ana', epsilon => 1000, delta => 1e-3);

CREATE FUNCTION spent() RETURNS float8 LANGUAGE sql AS
    'SELECT spent_epsilon FROM dpsens.my_budget WHERE relation = ''limit_tap.t''::regclass';
CREATE FUNCTION refused(query text, message text, name text) RETURNS text LANGUAGE sql AS 'SELECT throws_ok(query, ''53400'', message, name)';

-- ---- without a word of the owner ----
SET ROLE limit_tap_ana;
SELECT results_eq('SELECT * FROM dpsens.answer_limits WHERE relation = ''t''::regclass',
    $$VALUES ('t'::regclass, 'limit_tap_ana'::name, 1::float8, 'Infinity'::float8, 'Infinity'::float8, 'Infinity'::float8, NULL::text[])$$, 'one answer may have epsilon 1');
SELECT refused('SELECT dp_count(true, 30) FROM limit_tap.t', 'epsilon 30 is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'an answer that is as good as exact');
SELECT refused('SELECT dp_count(true, 1.0000001) FROM limit_tap.t', NULL, 'a little more');
SELECT refused('SELECT dp_count(true, 0.5), dp_sum(x, 2) FROM limit_tap.t', NULL, 'the second answer');
SELECT refused('SELECT kind, dp_count(true, 2) FROM limit_tap.t GROUP BY kind', NULL, 'of groups');
SELECT is(limit_tap.spent(), 0::float8, 'refusals cost nothing');
SELECT lives_ok('SELECT dp_count(true, 1) FROM limit_tap.t', 'as much as the limit');
SELECT lives_ok('SELECT dp_count(true, 1), dp_sum(x, 1), dp_avg(x, 1) FROM limit_tap.t', 'several answers');
SELECT is(limit_tap.spent(), 4::float8, 'which cost what they cost');
SELECT lives_ok('SELECT dp_sum(x * 0, 60) FROM limit_tap.t', 'what is known costs nothing and has no limit');
SELECT is(limit_tap.spent(), 4::float8, 'indeed');
PREPARE later(float8) AS SELECT dp_count(true, $1) FROM limit_tap.t;
SELECT lives_ok('EXECUTE later(0.5)', 'a parameter');
SELECT refused('EXECUTE later(5)', NULL, 'and a greater one');
SELECT throws_ok('SELECT dpsens.set_answer_limits(''limit_tap.t'', ''limit_tap_ana'', epsilon => 1000)', '42501', NULL, 'analysts set no limits');
SELECT throws_ok('SET dpsens.answer_epsilon = 0', '42501', NULL, 'nor the setting');
RESET ROLE;
SET ROLE limit_tap_reader;
SELECT lives_ok('SELECT dp_count(true, 30) FROM limit_tap.t', 'who may read the rows is not limited');
RESET ROLE;
SELECT lives_ok('SELECT dp_count(true, 30) FROM limit_tap.t', 'nor is the owner');

-- ---- what the owner says ----
SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', epsilon => 0.5, statement_epsilon => 1, delta => 1e-6, statement_delta => 1.5e-6);
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.t', NULL, 'a smaller limit');
SELECT refused('SELECT dp_count(true, 0.5), dp_sum(x, 0.5), dp_sum(x + 1, 0.1) FROM limit_tap.t',
    'epsilon 1.1 is more than one statement may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'of all answers together');
SELECT refused('SELECT (SELECT dp_count(true, 0.5) FROM limit_tap.t), (SELECT dp_count(true, 0.5) FROM limit_tap.t WHERE x > 3), dp_count(true, 0.5) FROM limit_tap.t', NULL, 'in subqueries, too');
SELECT lives_ok('SELECT dp_count(true, 0.1), dp_count(x, 0.1), dp_sum(x, 0.1), dp_sum(x + 1, 0.1), dp_sum(x + 2, 0.1), dp_sum(x + 3, 0.1), dp_sum(x + 4, 0.1), dp_sum(x + 5, 0.1), dp_sum(x + 6, 0.1), dp_sum(x + 7, 0.1) FROM limit_tap.t', 'ten tenths are one');
SELECT lives_ok('SELECT (SELECT dp_count(true, 0.5) FROM limit_tap.other), (SELECT dp_sum(y, 1) FROM limit_tap.other), dp_count(true, 0.5) FROM limit_tap.t', 'each relation by itself');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-5;
SELECT refused('SELECT dp_count(true, 0.5) FROM limit_tap.t', 'delta 1e-05 is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'of delta');
SET dpsens.delta = 1e-6;
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM limit_tap.t', 'as much as that');
SELECT refused('SELECT dp_count(true, 0.4), dp_sum(x, 0.4) FROM limit_tap.t', 'delta 2e-06 is more than one statement may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'of delta together');
RESET dpsens.mechanism;
RESET dpsens.delta;
RESET ROLE;
SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', mechanisms => '{gaussian,partition}', statement_delta => 'Infinity');
SELECT results_eq('SELECT epsilon, delta, statement_epsilon, statement_delta, mechanisms FROM dpsens.answer_limits WHERE relation = ''t''::regclass AND role = ''limit_tap_ana''',
    $$VALUES (0.5::float8, 1e-6::float8, 1::float8, 'Infinity'::float8, '{gaussian,partition}'::text[])$$, 'what is not named stays');
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.1) FROM limit_tap.t', 'mechanism geometric may not answer from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'a mechanism that is not let through');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
SELECT lives_ok('SELECT dp_count(true, 0.1) FROM limit_tap.t', 'one that is');
RESET dpsens.mechanism;
RESET dpsens.delta;
RESET ROLE;
SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', mechanisms => '{laplace}');
SET ROLE limit_tap_ana;
SELECT lives_ok('SELECT dp_count(true, 0.1), dp_sum(x * 0.5, 0.1) FROM limit_tap.t', 'laplace is geometric for whole numbers');
RESET ROLE;
SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', mechanisms => '{}');
SELECT dpsens.grant_budget('t', 'limit_tap_ana', epsilon => 2000);
SELECT results_eq('SELECT epsilon, delta, statement_epsilon, statement_delta, mechanisms FROM dpsens.answer_limits WHERE relation = ''t''::regclass AND role = ''limit_tap_ana''',
    $$VALUES (0.5::float8, 1e-6::float8, 1::float8, 'Infinity'::float8, NULL::text[])$$, 'limits stay when a budget is granted again');
SELECT dpsens.revoke_budget('t', 'limit_tap_ana');
SELECT dpsens.grant_budget('t', 'limit_tap_ana', epsilon => 2000, delta => 1e-3);
SELECT is((SELECT epsilon FROM dpsens.answer_limits WHERE relation = 't'::regclass AND role = 'limit_tap_ana'), 1::float8, 'and go when it was revoked');
SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', epsilon => 'Infinity');
SET ROLE limit_tap_ana;
SELECT lives_ok('SELECT dp_count(true, 30) FROM limit_tap.t', 'no limit, if the owner says so');
RESET ROLE;
SET dpsens.answer_epsilon = 0;
SELECT dpsens.grant_budget('other', 'limit_tap_stranger', epsilon => 100);
SELECT is((SELECT epsilon FROM dpsens.answer_limits WHERE relation = 'other'::regclass AND role = 'limit_tap_stranger'), 'Infinity'::float8, 'or the site');
SET dpsens.answer_epsilon = 0.25;
SELECT dpsens.grant_budget('other', 'limit_tap_first', epsilon => 100);
SELECT is((SELECT epsilon FROM dpsens.answer_limits WHERE relation = 'other'::regclass AND role = 'limit_tap_first'), 0.25::float8, 'which may be stricter');

-- ---- groups ----
SELECT dpsens.set_answer_limits('t', 'limit_tap_second', epsilon => 5);
SET ROLE limit_tap_member;
SELECT lives_ok('SELECT dp_count(true, 3) FROM limit_tap.t', 'a group whose limits admit it pays');
SELECT refused('SELECT dp_count(true, 6) FROM limit_tap.t', 'epsilon 6 is more than one answer may be asked with from the budget of role "limit_tap_first" on relation "limit_tap.t"', 'none admits it');
SELECT results_eq('SELECT role FROM dpsens.answer_limits WHERE relation = ''t''::regclass ORDER BY role', $$VALUES ('limit_tap_first'::name), ('limit_tap_second')$$, 'a member sees the groups'' limits');
RESET ROLE;
SET ROLE limit_tap_reader;
SELECT results_eq('SELECT role FROM dpsens.answer_limits', $$VALUES ('limit_tap_reader'::name)$$, 'a role its own');
RESET ROLE;

-- ---- mistakes ----
SELECT results_eq($$SELECT round(spent_epsilon) FROM dpsens.budgets WHERE role IN ('limit_tap_first', 'limit_tap_second') AND relation = 't'::regclass ORDER BY role$$,
    $$VALUES (0::float8), (3)$$, 'that group has paid');
SELECT throws_ok($$SELECT dpsens.set_answer_limits('t', 'limit_tap_member', epsilon => 1)$$, '42704', 'role "limit_tap_member" has no budget on relation "t"', 'no budget');
SELECT throws_ok($$SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', epsilon => 0)$$, '22023', 'epsilon 0 is no limit', 'nothing');
SELECT throws_ok($$SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', statement_delta => 'NaN')$$, '22023', 'statement_delta NaN is no limit', 'NaN');
SELECT throws_ok($$SELECT dpsens.set_answer_limits('t', 'limit_tap_ana', mechanisms => '{laplace,lapalce}')$$, '22023', 'unknown mechanism "lapalce"', 'no mechanism');
SELECT throws_ok($$SELECT dpsens.set_answer_limits('t', NULL)$$, '22004', NULL, 'no role');

SELECT * FROM finish();
-- what is left would be taken for a hole in the surface
DROP SCHEMA limit_tap CASCADE;
