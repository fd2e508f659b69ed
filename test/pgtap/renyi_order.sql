-- Budgets of (epsilon, delta) count rho at one Renyi order: what is admitted, shown, kept and recomputed.
--
-- Everything is committed as it goes: another process reads the budgets.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(47);

CREATE ROLE order_tap_owner;
CREATE ROLE order_tap_analyst;
CREATE SCHEMA order_tap AUTHORIZATION order_tap_owner;
GRANT USAGE ON SCHEMA order_tap TO PUBLIC;
SET search_path = order_tap, public;

CREATE FUNCTION make_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE order_tap.%1$I (x float8 NOT NULL); INSERT INTO order_tap.%1$I SELECT generate_series(1, 10);
        ALTER TABLE order_tap.%1$I OWNER TO order_tap_owner', name);
    PERFORM dpsens.protect(name::regclass), dpsens.set_range(name::regclass, 'x', 0, 10);
END $$;
\ir answers.psql
CREATE FUNCTION purse(name text, asked text DEFAULT '') RETURNS dpsens.purse LANGUAGE sql AS
$$SELECT p FROM dpsens.purse p WHERE relation = ('order_tap.' || name)::regclass AND role_name = asked AND column_name = ''$$;
CREATE FUNCTION rho_left(name text) RETURNS float8 LANGUAGE sql AS
$$SELECT left_rho FROM dpsens.budgets WHERE relation = ('order_tap.' || name)::regclass AND role IS NULL AND column_name IS NULL AND NOT entity$$;

SELECT make_table(n) FROM unnest('{one, rho, pure, again, mixed, member, changed, gone}'::text[]) n;
SET dpsens.mechanism = 'laplace';

SELECT dpsens.set_budget('one', 3, 1e-6), dpsens.set_budget('rho', rho => 0.175749, delta => 1e-6), dpsens.set_budget('pure', 3);
SELECT ok((SELECT renyi_order BETWEEN 9.35 AND 9.36 FROM dpsens.budget WHERE relation = 'one'::regclass), 'a budget of (epsilon, delta) has the order of its conversion');
SELECT is((SELECT count(renyi_order) FROM dpsens.budget WHERE relation IN ('rho'::regclass, 'pure'::regclass)), 0::bigint, 'that of a rho counts at all orders, and a pure one no rho');
SET dpsens.epsilon = 0.1;
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM one'), 40::bigint, 'the query is said to be answered 40 times');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'one'::regclass), 39::bigint, 'a count, which the view speaks of, too, one time less');
SELECT is(answers('SELECT dp_sum(x) FROM one'), 40, 'and is, which is 4 more than by the rho of all orders');
SELECT is(answers('SELECT dp_sum(x) FROM rho'), 36, 'as many as a budget of that rho admits');
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM rho'), 0::bigint, 'which says so');
SELECT is(answers('SELECT dp_sum(x) FROM pure'), 30, 'a pure budget admits what it admitted');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'one'::regclass), 0::bigint, 'nothing is left');
SELECT throws_ok('SELECT dp_sum(x) FROM one', '53400', 'the privacy budget of relation "order_tap.one" does not allow this statement', 'and so it is refused');
SELECT ok((SELECT spent_renyi < spent_rho AND spent_renyi > 0.85 * spent_rho FROM purse('one')), 'the purse has both');
SELECT is((SELECT array_agg(DISTINCT valid) FROM dpsens.verify_ledger() WHERE relation LIKE 'order_tap.%'), '{t}', 'and the history agrees');
SELECT is((SELECT spent_renyi FROM purse('one')), (SELECT sum(dpsens_internal.rho_at_order(p.renyi_order, r.mechanism, r.sensitivities, r.scales,
    r.joined, r.steps, r.rate, r.grid, r.charge_rho))::bigint FROM dpsens.release r, purse('one') p WHERE r.relation = p.relation), 'to the unit');
SELECT ok((SELECT sum(charge_rho) = (SELECT spent_rho FROM purse('one')) FROM dpsens.release WHERE relation = 'one'::regclass), 'in the history stands the rho of all orders');

-- Gaussian noise costs the same at every order, and a mix no more than its rho.
SELECT dpsens.set_budget('mixed', 3, 1e-6);
SET dpsens.mechanism = 'gaussian';
SET dpsens.delta = 1e-6;
SELECT is(answers('SELECT dp_sum(x, 1) FROM mixed', 3), 3, 'Gaussian noise');
SELECT ok((SELECT spent_renyi BETWEEN spent_rho - 3 AND spent_rho FROM purse('mixed')), 'costs its rho at the order, too');
SET dpsens.mechanism = 'laplace';
SELECT is(answers('SELECT dp_sum(x), dp_count(*), dp_median(x, 0.1), dp_avg(x) FROM mixed', 2), 2, 'sums, counts, draws and means of one statement');
SELECT ok((SELECT spent_renyi < spent_rho FROM purse('mixed')), 'cost less there');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'order_tap.mixed'), true, 'as the history says');

-- A role's budget, of another order than the relation's.
SELECT dpsens.set_budget('member', 8, 1e-5), dpsens.grant_budget('member', 'order_tap_analyst', 2, 1e-7);
SET ROLE order_tap_analyst;
SELECT dpsens.answers_left('SELECT dp_sum(x) FROM order_tap.member') AS left \gset
RESET ROLE;
SELECT set_config('role', 'order_tap_analyst', false) \g /dev/null
SELECT order_tap.answers('SELECT dp_sum(x) FROM order_tap.member') AS got \gset
RESET ROLE;
SELECT is(:got, :left, 'a role gets the answers that it was told of');
SELECT ok((SELECT a.renyi_order <> b.renyi_order AND a.spent_rho = b.spent_rho AND a.spent_renyi <> b.spent_renyi
    FROM purse('member') a, purse('member', 'order_tap_analyst') b), 'each purse counts at the order of its budget');
SELECT is((SELECT array_agg(valid) FROM dpsens.verify_ledger() WHERE relation = 'order_tap.member'), '{t,t}', 'and both are what the history says');

-- Another order: what was spent is known by its rho of all orders.
SELECT dpsens.set_budget('changed', 3, 1e-6);
SELECT answers('SELECT dp_sum(x) FROM changed', 20) \g /dev/null
SELECT (purse('changed')).spent_rho AS before \gset
SELECT dpsens.set_budget('changed', 4, 1e-6);
SELECT is(round(rho_left('changed')::numeric, 9), (SELECT trunc(((cap_rho - :before) / 2 ^ 40)::numeric, 9) FROM dpsens.budget WHERE relation = 'changed'::regclass),
    'a budget of another order counts the rho of all orders before its first answer');
SELECT answers('SELECT dp_sum(x) FROM changed', 1) \g /dev/null
SELECT ok((SELECT p.renyi_order = b.renyi_order AND spent_renyi BETWEEN :before AND spent_rho - 1 FROM purse('changed') p JOIN dpsens.budget b USING (relation)),
    'and goes on from there');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'order_tap.changed'), true, 'which is more than the history says, and valid');
SELECT dpsens.revoke_budget('changed');
SELECT answers('SELECT dp_sum(x) FROM changed', 1) \g /dev/null
SELECT dpsens.set_budget('changed', rho => 1);
SELECT is(round(rho_left('changed')::numeric, 9), (SELECT trunc((1 - spent_rho / 2 ^ 40)::numeric, 9) FROM purse('changed')), 'a budget of a rho counts at all orders what was spent at one');
SELECT dpsens.set_budget('changed', epsilon => 4, delta => 1e-6);
SELECT is(round(rho_left('changed')::numeric, 9), (SELECT trunc(((cap_rho - spent_renyi) / 2 ^ 40)::numeric, 9) FROM purse('changed') JOIN dpsens.budget USING (relation)),
    'and the purse has kept its order while it had another budget, or none');

-- A table that is dropped and made again.
SELECT dpsens.set_budget('gone', 3, 1e-6);
SELECT answers('SELECT dp_sum(x) FROM gone', 7) \g /dev/null
SELECT (purse('gone')).spent_renyi AS before \gset
DROP TABLE gone;
SELECT make_table('gone');
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM gone'), 33::bigint, 'one that was made again has what was spent on the former one');
SELECT is(answers('SELECT dp_sum(x) FROM gone'), 33, 'at the same order');
SELECT is((SELECT array_agg(DISTINCT valid) FROM dpsens.verify_ledger() WHERE relation LIKE 'order_tap.%'), '{t}', 'all of it is what the history says');

-- Columns: what is known of one costs it by that, at the order of its budget.
CREATE TABLE parts (x float8 NOT NULL, y float8 NOT NULL);
INSERT INTO parts SELECT i, i FROM generate_series(1, 10) i;
SELECT dpsens.protect('parts', adjacency => 'replace'), dpsens.set_range('parts', 'x', 0, 10), dpsens.set_range('parts', 'y', 0, 10);
SELECT dpsens.set_column_budget('parts', 'x', 3, 1e-6), dpsens.set_column_budget('parts', 'y', 1, 1e-6);
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM parts'), 40::bigint, 'a column counts at an order, too');
SELECT matches((SELECT note FROM dpsens.explain('SELECT dp_sum(x) FROM parts')), 'column x epsilon 0\.1 and rho 0\.00433', 'and the note says what it counts');
SELECT is(answers('SELECT dp_sum(x) FROM parts'), 40, 'as it is told');
SELECT is((SELECT spent_renyi FROM dpsens.purse WHERE relation = 'parts'::regclass AND column_name = 'y'), 0::bigint, 'a column that is not read pays nothing');
SELECT is(answers('SELECT dp_sum(x + y, 0.2) FROM parts', 1), 0, 'a column is exhausted by itself');
SELECT dpsens.set_column_budget('parts', 'x', 'Infinity') \g /dev/null
SELECT is(dpsens.answers_left('SELECT dp_median(y, 0.1) FROM parts'), answers('SELECT dp_median(y, 0.1) FROM parts')::bigint, 'of what only the charge is known it counts that of a replaced row');
SELECT is((SELECT array_agg(DISTINCT valid) FROM dpsens.verify_ledger() WHERE relation LIKE 'order_tap.parts%'), '{t}', 'as the history says');

CREATE TABLE two (x float8 NOT NULL, k int NOT NULL);
SELECT dpsens.protect('two'), dpsens.set_range('two', 'x', 0, 10), dpsens.set_values('two', 'k', '1', '2'), dpsens.set_column_budget('two', 'k', 3, 1e-6) \g /dev/null
SELECT answers('SELECT k, dp_sum(x, 0.1) FROM two GROUP BY k', 3) \g /dev/null
SELECT is((SELECT row(spent_rho, spent_renyi) FROM dpsens.purse WHERE relation = 'two'::regclass AND column_name = 'k'),
    (SELECT row(4 * sum(charge_rho)::bigint, 4 * sum(charge_rho)::bigint) FROM dpsens.release WHERE relation = 'two'::regclass), 'a removal and an addition cost a column four times their rho of all orders');

-- Persons in two tables.
CREATE TABLE persons (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY REFERENCES persons, x float8 NOT NULL);
INSERT INTO persons SELECT i, i FROM generate_series(1, 10) i;
INSERT INTO visits SELECT * FROM persons;
SELECT dpsens.protect(r, 'id'), dpsens.set_range(r, 'x', 0, 10) FROM unnest('{persons, visits}'::regclass[]) r;
SELECT dpsens.set_entity_budget('persons', 3, 1e-6);
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM visits'), 40::bigint, 'and so does an entity');
SELECT is(answers('SELECT dp_sum(x) FROM visits', 20) + answers('SELECT dp_sum(x) FROM persons'), 40, 'whichever of its relations is asked');
SELECT dpsens.set_entity_budget('persons', 6, 1e-6);
SELECT answers('SELECT dp_sum(x) FROM persons', 1) \g /dev/null
SELECT spent_rho AS rho, spent_renyi AS renyi FROM dpsens.purse WHERE relation = 'persons'::regclass AND column_name = '(entity)' \gset
SELECT is(answers('SELECT dp_sum(x) FROM (SELECT x FROM persons UNION ALL SELECT x FROM visits) u', 2), 2, 'arms are answered');
SELECT is((SELECT spent_renyi - :renyi FROM dpsens.purse WHERE relation = 'persons'::regclass AND column_name = '(entity)'),
    (SELECT spent_rho - :rho FROM dpsens.purse WHERE relation = 'persons'::regclass AND column_name = '(entity)'), 'and cost a person their rho of all orders');
SELECT ok((SELECT spent_renyi BETWEEN 0.85 * spent_rho AND spent_rho FROM dpsens.purse WHERE relation = 'persons'::regclass AND column_name = '(entity)'),
    'an entity has both sums');
SELECT is((SELECT array_agg(DISTINCT valid) FROM dpsens.verify_ledger() WHERE relation LIKE 'order_tap.%'), '{t}', 'and they are what the history says');

-- Units that move several rows: noise in steps of a row is then told from its neighbour's less easily than that of one.
CREATE TABLE four (id int PRIMARY KEY);
CREATE TABLE visited (visit int PRIMARY KEY, id int NOT NULL);
INSERT INTO four SELECT i FROM generate_series(1, 100) i;
INSERT INTO visited SELECT i, i / 4 FROM generate_series(1, 100) i;
SELECT dpsens.protect('four', 'id', group_size => 4), dpsens.protect('visited', 'id', max_rows => 4), dpsens.set_budget('four', 3, 1e-6), dpsens.set_budget('visited', 3, 1e-6) \g /dev/null
SELECT results_eq('SELECT relation::text COLLATE "default", answers_left FROM dpsens.my_budget WHERE relation IN (''four''::regclass, ''visited''::regclass) ORDER BY 1', $$VALUES ('four'::text, 40::bigint), ('visited', 40)$$,
    'of four persons, or of four rows of one, more counts are left than of one row');
SELECT results_eq($$SELECT dpsens.answers_left('SELECT dp_count(*) FROM four'), dpsens.answers_left('SELECT dp_count(*) FROM visited')$$, 'VALUES (40::bigint, 40::bigint)', 'as the query is said to have');
SELECT results_eq($$SELECT answers('SELECT dp_count(*) FROM four'), answers('SELECT dp_count(*) FROM visited')$$, 'VALUES (40, 40)', 'and has');

SELECT * FROM finish();
DROP SCHEMA order_tap CASCADE;
DROP ROLE order_tap_owner, order_tap_analyst;
