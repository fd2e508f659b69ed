-- Budgets that count answers of at most an epsilon, or in Gaussian DP, and such as keep no delta for selections: what is admitted,
-- shown, kept, recomputed, changed and refused.
--
-- Everything is committed as it goes: another process reads the budgets.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(65);

CREATE ROLE rules_tap_owner;
CREATE ROLE rules_tap_analyst;
CREATE SCHEMA rules_tap AUTHORIZATION rules_tap_owner;
GRANT USAGE ON SCHEMA rules_tap TO PUBLIC;
SET search_path = rules_tap, public;

CREATE FUNCTION make_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE rules_tap.%1$I (x float8 NOT NULL, k int NOT NULL DEFAULT 1); INSERT INTO rules_tap.%1$I SELECT generate_series(1, 10);
        ALTER TABLE rules_tap.%1$I OWNER TO rules_tap_owner', name);
    PERFORM dpsens.protect(name::regclass), dpsens.set_range(name::regclass, 'x', 0, 10);
END $$;
\ir answers.psql
CREATE FUNCTION hint_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    EXECUTE query;
    RETURN 'answered';
EXCEPTION WHEN configuration_limit_exceeded THEN
    GET STACKED DIAGNOSTICS said = PG_EXCEPTION_HINT;
    RETURN said;
END $$;
CREATE FUNCTION purse(name text, asked text DEFAULT '') RETURNS dpsens.purse LANGUAGE sql AS
$$SELECT p FROM dpsens.purse p WHERE relation = ('rules_tap.' || name)::regclass AND role_name = asked AND column_name = ''$$;
CREATE FUNCTION budget(name text) RETURNS dpsens.budget LANGUAGE sql AS
$$SELECT b FROM dpsens.budget b WHERE relation = ('rules_tap.' || name)::regclass AND role_name = '' AND column_name = ''$$;

SELECT make_table(n) FROM unnest('{capped, kept, gauss, plain, member, changed, late, gone, full}'::text[]) n;
SET dpsens.mechanism = 'laplace';
SET dpsens.delta = 1e-6;

-- Answers of at most an epsilon.
SELECT dpsens.set_budget('capped', 3, 1e-6, largest_answer => 0.1, selections => false), dpsens.set_budget('kept', 3, 1e-6, largest_answer => 0.1);
SELECT is((SELECT renyi_order FROM budget('capped')), -0.1::float8, 'the rule takes the place of the order');
SELECT is((SELECT array_agg(counts ORDER BY counts) FROM dpsens.budgets WHERE relation IN ('capped'::regclass, 'kept'::regclass)),
    '{answers of epsilon 0.1 or less,answers of epsilon 0.1 or less}', 'as the view says');
SELECT is((SELECT cap_delta FROM budget('capped')), 0::bigint, 'no delta is kept');
SELECT ok((SELECT cap_delta > 0 FROM budget('kept')), 'unless it is');
SET dpsens.epsilon = 0.1;
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM capped'), 45::bigint, 'the query is said to be answered 45 times, of the 46 that would be possible');
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM kept'), 42::bigint, 'and 42 times beside selections');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'capped'::regclass), 45::bigint, 'counts, too');
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.05) FROM capped'), 150::bigint, 'three times as many of half');
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.025) FROM capped'), 450::bigint, 'and ten times of a quarter');
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.2) FROM capped'), 0::bigint, 'a larger answer has no place');
SELECT is(answers('SELECT dp_sum(x) FROM capped', 40) + answers('SELECT dp_count(*) FROM capped'), 45, 'and is answered so');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'rules_tap.capped'), true, 'and the history agrees');
SELECT is((SELECT spent_renyi FROM purse('capped')), (SELECT sum(dpsens_internal.rho_at_order(p.renyi_order, r.mechanism, r.sensitivities, r.scales,
    r.joined, r.steps, r.rate, r.grid, r.charge_rho))::bigint FROM dpsens.release r, purse('capped') p WHERE r.relation = p.relation), 'to the unit');
SELECT is((SELECT left_percent FROM dpsens.budgets WHERE relation = 'capped'::regclass), 0::float8, 'nothing is left');
SELECT is(hint_of('SELECT dp_sum(x, 0.2) FROM kept'), 'This budget is for answers of an epsilon of at most 0.1, by mechanisms without a delta: ask with a smaller epsilon and another dpsens.mechanism, or ask the owner for another budget.',
    'a larger answer is refused, although its epsilon is left');
SET dpsens.mechanism = 'gaussian';
SELECT is(answers('SELECT dp_sum(x, 0.01) FROM kept', 1), 0, 'and so is Gaussian noise');
SET dpsens.mechanism = 'laplace';
SELECT is((SELECT count(*) FROM dpsens.release WHERE relation = 'kept'::regclass), 0::bigint, 'which costs nothing');
SELECT is(answers('SELECT dp_avg(x), dp_median(x, 0.05), dp_count(*) FROM kept', 2), 2, 'means, draws and counts of one statement are answers of their own');
SET dpsens.delta = 1e-8;
SELECT is(answers('SELECT k, dp_sum(x, 0.05) FROM kept GROUP BY k', 1), 1, 'a selection costs its epsilon and its delta');
SELECT ok((SELECT spent_delta > 0 FROM purse('kept')), 'of what is kept');
SET dpsens.delta = 1e-6;
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'rules_tap.kept'), true, 'as the history says');

-- Gaussian DP.
SELECT dpsens.set_budget('gauss', 3, 1e-6, gaussian => true), dpsens.set_budget('plain', 3, 1e-6), dpsens.set_budget('full', 3, 1e-6, gaussian => true, selections => false);
SELECT is((SELECT renyi_order FROM budget('gauss')), 'Infinity'::float8, 'a Gaussian budget has its rule');
SELECT is((SELECT counts FROM dpsens.my_budget WHERE relation = 'gauss'::regclass), 'Gaussian DP', 'as the view says');
SET dpsens.mechanism = 'gaussian';
SELECT ok((SELECT g.cap_rho BETWEEN 1.12 * p.cap_rho AND 1.14 * p.cap_rho AND f.cap_rho BETWEEN 1.19 * p.cap_rho AND 1.21 * p.cap_rho
    FROM budget('gauss') g, budget('plain') p, budget('full') f), 'an eighth more fits, and a fifth where none is kept for selections');
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.3) FROM gauss') - dpsens.answers_left('SELECT dp_sum(x, 0.3) FROM plain'), 7::bigint, 'of answers of 0.3 seven more');
SELECT dpsens.answers_left('SELECT dp_sum(x, 0.3) FROM gauss') AS left, answers('SELECT dp_sum(x, 0.3) FROM gauss', 12) AS got \gset
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.3) FROM gauss'), :left - :got::bigint, 'as they are given');
SELECT is((SELECT spent_renyi FROM purse('gauss')), (SELECT spent_rho FROM purse('gauss')), 'Gaussian noise counts its rho');
SET dpsens.mechanism = 'laplace';
SELECT is(answers('SELECT dp_sum(x) FROM gauss', 1), 1, 'other noise is answered');
SELECT ok((SELECT spent_renyi > spent_rho + 0.0025 * 2 ^ 40 FROM purse('gauss')), 'and counts more than its rho');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'rules_tap.gauss'), true, 'as the history says');

-- A role's.
SELECT dpsens.grant_budget('member', 'rules_tap_analyst', 3, 1e-6, largest_answer => 0.1, selections => false);
SET ROLE rules_tap_analyst;
SELECT dpsens.answers_left('SELECT dp_sum(x) FROM rules_tap.member') AS left, (SELECT counts FROM dpsens.my_budget) AS counts \gset
SELECT rules_tap.answers('SELECT dp_sum(x) FROM rules_tap.member') AS got \gset
RESET ROLE;
SELECT is(:'counts'::text, 'answers of epsilon 0.1 or less', 'a role is told the rule');
SELECT is(:got, :left, 'and gets the answers that it was told of');
SELECT is(:got, 45, 'by its own rule');
SELECT dpsens.grant_budget('member', 'rules_tap_analyst', refresh => '1 day', own_tables => true);
SELECT ok((SELECT renyi_order = -0.1 AND cap_delta = 0 FROM dpsens.budget WHERE relation = 'member'::regclass AND role <> 0), 'what is not named stays');
SELECT is((SELECT array_agg(valid) FROM dpsens.verify_ledger() WHERE relation = 'rules_tap.member'), '{t,t}', 'the history agrees');

-- Another rule, and none.
SELECT dpsens.set_budget('changed', 3, 1e-6);
SELECT answers('SELECT dp_sum(x, 0.05) FROM changed', 2) \g /dev/null
SELECT dpsens.set_budget('changed', largest_answer => 0.1);
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM changed'), 42::bigint, 'what was spent before is counted by the rule');
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.025) FROM changed'), 423::bigint, 'three parts of each answer');
SELECT is(answers('SELECT dp_sum(x) FROM changed', 1), 1, 'which goes on');
SELECT is((SELECT 429 * spent_renyi FROM purse('changed')), (SELECT 16 * cap_rho FROM budget('changed')), 'from there');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'rules_tap.changed'), true, 'which is what the history says');
SELECT dpsens.set_budget('changed', gaussian => true);
SELECT ok((SELECT abs(cap_rho - left_rho * 2 ^ 40 - (SELECT sum(dpsens_internal.rho_at_order('Infinity', r.mechanism, r.sensitivities, r.scales, r.joined,
    r.steps, r.rate, r.grid, r.charge_rho)) FROM dpsens.release r WHERE r.relation = 'changed'::regclass)) < 2000
    FROM budget('changed'), dpsens.budgets b WHERE b.relation = 'changed'::regclass), 'from one rule to the other likewise');
SELECT dpsens.set_budget('changed', largest_answer => 'Infinity');
SELECT ok((SELECT renyi_order BETWEEN 9.35 AND 9.36 FROM budget('changed')), 'and back to an order');
SELECT answers('SELECT dp_sum(x) FROM changed', 1) \g /dev/null
SELECT ok((SELECT spent_renyi < spent_rho FROM purse('changed')), 'which counts the rho of all orders of what was spent');
SELECT dpsens.set_budget('changed', rho => 0.2);
SELECT is((SELECT renyi_order FROM budget('changed')), NULL, 'a rho has no rule');
SELECT dpsens.set_budget('changed', 3, 1e-6, selections => false);
SELECT dpsens.set_budget('changed', 4);
SELECT is((SELECT cap_delta FROM budget('changed')), 0::bigint, 'a budget without selections stays so');
SELECT dpsens.set_budget('changed', selections => true);
SELECT ok((SELECT cap_delta > 0 FROM budget('changed')), 'until it is said otherwise');

SET dpsens.mechanism = 'gaussian';
SELECT answers('SELECT dp_sum(x) FROM late', 1) \g /dev/null
SELECT dpsens.set_budget('late', 3, 1e-6, gaussian => true);
SELECT is(answers('SELECT dp_sum(x, 0.01) FROM late', 1), 1, 'Gaussian noise of before is counted from the history');
SELECT is((SELECT spent_renyi FROM purse('late')), (SELECT spent_rho FROM purse('late')), 'by its rho');
SELECT dpsens.set_budget('late', largest_answer => 0.1);
SELECT is(answers('SELECT dp_sum(x, 0.01) FROM late', 1), 0, 'by a rule that does not admit it it leaves nothing');
SET dpsens.mechanism = 'laplace';
SELECT is(answers('SELECT dp_sum(x, 0.01) FROM late', 1), 0, 'to nobody');
SET dpsens.mechanism = 'gaussian';
SELECT dpsens.set_budget('late', largest_answer => 'Infinity');
SELECT is(answers('SELECT dp_sum(x, 0.01) FROM late', 1), 1, 'and is counted by an order');
SELECT is((SELECT valid FROM dpsens.verify_ledger() WHERE relation = 'rules_tap.late'), true, 'as the history says');
SET dpsens.mechanism = 'laplace';

-- A table that is dropped and made again.
SELECT dpsens.set_budget('gone', 3, 1e-6, largest_answer => 0.1);
SELECT answers('SELECT dp_sum(x) FROM gone', 7) \g /dev/null
DROP TABLE gone;
SELECT make_table('gone');
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM gone'), 35::bigint, 'one that was made again has what was spent on the former one');
SELECT is(answers('SELECT dp_sum(x) FROM gone'), 35, 'by the same rule');
SELECT is((SELECT array_agg(DISTINCT valid) FROM dpsens.verify_ledger() WHERE relation LIKE 'rules_tap.%'), '{t}', 'all of it is what the history says');

-- What is refused.
SELECT throws_ok($$SELECT dpsens.set_budget('plain', largest_answer => 0.1, gaussian => true)$$, '22023', 'what a budget counts is stated by largest_answer or by gaussian, not by both', 'two rules');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', largest_answer => 0)$$, '22023', 'largest_answer 0 is outside the valid range', 'no epsilon');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', largest_answer => 'NaN')$$, '22023', 'largest_answer NaN is outside the valid range', 'no number');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', largest_answer => 3.1)$$, '22023', 'largest_answer 3.1 is outside the valid range', 'more than the budget');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', largest_answer => 0.02)$$, '22023', 'largest_answer 0.02 is outside the valid range', 'too small a part of it');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', 200, largest_answer => 10)$$, '22023', 'epsilon 200 is outside the valid range', 'too large a budget');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', delta => 0, gaussian => true)$$, '22023', 'a budget that counts by gaussian needs epsilon and delta', 'no delta');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', rho => 1, largest_answer => 0.1)$$, '22023', 'a budget that counts by largest_answer needs epsilon and delta', 'a rule of a rho');
SELECT throws_ok($$SELECT dpsens.set_budget('plain', rho => 1, selections => false)$$, '22023', 'a budget of a rho keeps all of its delta for selections', 'a rho without selections');
SELECT is((SELECT renyi_order BETWEEN 9.35 AND 9.36 FROM budget('plain')), true, 'and the budget is as it was');

SELECT * FROM finish();
DROP SCHEMA rules_tap CASCADE;
DROP ROLE rules_tap_owner, rules_tap_analyst;
