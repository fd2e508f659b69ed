-- What curators, analysts and auditors are told of budgets and releases, and
-- that the ledger can be recomputed.
--
-- In a database of its own: a table that is dropped and made again keeps what was
-- spent.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(67);

CREATE ROLE views_tap_curator;
CREATE ROLE views_tap_analyst;
CREATE ROLE views_tap_group;
CREATE ROLE views_tap_member IN ROLE views_tap_group;
CREATE SCHEMA views_tap;
GRANT USAGE ON SCHEMA views_tap TO PUBLIC;
SET search_path = views_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, sex text);
INSERT INTO t SELECT i, i % 10, 'F' FROM generate_series(1, 100) i;
CREATE TABLE other (id int PRIMARY KEY, x float8);
ALTER TABLE t OWNER TO views_tap_curator;
GRANT SELECT ON t, other TO views_tap_analyst, views_tap_member;
SET ROLE views_tap_curator;
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 9), dpsens.set_values('t', 'sex', 'F', 'M'); END $$;
DO $$ BEGIN
    PERFORM dpsens.grant_budget('t', 'views_tap_analyst', epsilon => 2);
    PERFORM dpsens.grant_budget('t', 'views_tap_group', rho => 0.5, refresh => '1 day');
    PERFORM dpsens.set_budget('t', epsilon => 50, delta => 1e-6);
END $$;

-- what the budget is before anything was spent
SELECT results_eq('SELECT relation::text, role::text COLLATE "default", epsilon, delta, rho, refresh::text, spent_epsilon, spent_rho, left_epsilon FROM dpsens.budgets ORDER BY role',
    $$VALUES ('t', 'views_tap_analyst', 2::float8, 0::float8, NULL::float8, NULL, 0::float8, 0::float8, 2::float8),
             ('t', 'views_tap_group', NULL, 0, 0.5, '1 day', 0, 0, 0), ('t', NULL, 50, 1e-6, NULL, NULL, 0, 0, 50)$$, 'the curator sees all budgets');
RESET ROLE;
SELECT isnt_empty('SELECT FROM dpsens.budgets WHERE relation = ''t''::regclass', 'and so does a superuser');
SET ROLE views_tap_analyst;
SELECT is_empty('SELECT FROM dpsens.budgets', 'nobody else does');
SELECT is((SELECT answers_left FROM dpsens.my_budget), NULL, 'no epsilon, no number of answers');
SET dpsens.epsilon = 0.25;
SELECT results_eq('SELECT relation::text, budget_of::text COLLATE "default", epsilon, spent_epsilon, left_epsilon, left_rho, answers_left FROM dpsens.my_budget',
    $$VALUES ('t', 'views_tap_analyst', 2::float8, 0::float8, 2::float8, 0::float8, 8::bigint)$$, 'the analyst''s own budget');
SET dpsens.mechanism = gaussian;
SELECT is((SELECT answers_left FROM dpsens.my_budget), 0::bigint, 'a pure budget admits no Gaussian noise');
RESET dpsens.mechanism;

-- what the views say is what happens
CREATE TEMP TABLE answers (n float8);
SELECT is(dpsens.answers_left('SELECT dp_sum(x), dp_count(true, 0.5) FROM t'), 2::bigint, 'how many more of a query');
INSERT INTO answers SELECT dp_sum(x) + dp_count(true, 0.5) FROM t;
SELECT is(dpsens.answers_left('SELECT dp_sum(x), dp_count(true, 0.5) FROM t'), 1::bigint, 'one less');
INSERT INTO answers SELECT dp_sum(x) + dp_count(true, 0.5) FROM t;
SELECT is(dpsens.answers_left('SELECT dp_sum(x), dp_count(true, 0.5) FROM t'), 0::bigint, 'none');
SELECT throws_ok('INSERT INTO answers SELECT dp_sum(x) + dp_count(true, 0.5) FROM t', '53400',
    'the privacy budget of role "views_tap_analyst" on relation "views_tap.t" does not allow this statement', 'and it is refused');
SELECT lives_ok('INSERT INTO answers SELECT dp_sum(x) + dp_count(*) FROM t', 'another that fits is not');
SELECT is((SELECT answers_left FROM dpsens.my_budget), 0::bigint, 'all is spent');
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM t WHERE x > 3'), 0::bigint, 'for every query');
SELECT throws_ok('SELECT dpsens.answers_left(''SELECT 1'')', '22023', 'the query has no dp aggregates', 'a query that costs nothing');

-- what fits on paper fits
RESET ROLE;
CREATE TABLE ten (x float8);
GRANT SELECT ON ten TO views_tap_analyst;
DO $$ BEGIN PERFORM dpsens.protect('ten'); PERFORM dpsens.grant_budget('ten', 'views_tap_analyst', epsilon => 1); END $$;
SET ROLE views_tap_analyst;
DO $$ BEGIN FOR i IN 1..10 LOOP PERFORM dp_count(true, 0.1) FROM ten; END LOOP; END $$;
SELECT throws_ok('SELECT dp_count(true, 0.00001) FROM ten', '53400', NULL, 'ten answers at 0.1 are an epsilon of 1, less than 1e-11 short of it');
SELECT is((SELECT cost_epsilon FROM dpsens.explain('SELECT dp_count(true, 0.1) FROM ten')),
    (SELECT max(charge_epsilon) FROM dpsens.releases WHERE relation = 'views_tap.ten'), 'explain says what is charged');

-- a group's purse is shared
RESET ROLE;
SET ROLE views_tap_member;
SELECT results_eq('SELECT budget_of::text COLLATE "default", rho, left_rho, answers_left FROM dpsens.my_budget',
    $$VALUES ('views_tap_group', 0.5::float8, 0.5::float8, 16::bigint)$$, 'a member sees the group''s budget');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
CREATE TEMP TABLE more (n float8);
INSERT INTO more SELECT dp_avg(x, 0.5) FROM t;
SELECT ok((SELECT left_rho < 0.5 AND left_rho > 0.4 AND spent_epsilon = 'Infinity' FROM dpsens.my_budget), 'and spends it');
RESET dpsens.mechanism;
RESET ROLE;

-- the history
SELECT is((SELECT count(*) FROM dpsens.releases WHERE relation = 'views_tap.t'), 7::bigint, 'every release is in the history');
SET ROLE views_tap_curator;
SELECT is((SELECT count(*) FROM dpsens.releases), 7::bigint, 'the curator sees all of them');
SET ROLE views_tap_analyst;
SELECT is((SELECT count(*) FROM dpsens.releases WHERE relation = 'views_tap.t'), 6::bigint, 'an analyst sees their own');
SELECT results_eq($$SELECT expression, adjacency, mechanism, epsilon, sensitivity, scale, charge_epsilon, budget_of::text COLLATE "default", query FROM dpsens.releases ORDER BY release LIMIT 2$$,
    $$VALUES ('dp_sum(x)', 'add_remove', 'laplace', 0.25::float8, 9::float8, 36::float8, 0.25::float8, 'views_tap_analyst', 'INSERT INTO answers SELECT dp_sum(x) + dp_count(true, 0.5) FROM t'),
             ('dp_count(*)', 'add_remove', 'geometric', 0.5, 1, 2, 0.5, 'views_tap_analyst', 'INSERT INTO answers SELECT dp_sum(x) + dp_count(true, 0.5) FROM t')$$, 'with what they asked for');
SELECT is((SELECT count(DISTINCT statement) FROM dpsens.releases WHERE relation = 'views_tap.t'), 3::bigint, 'releases of one statement belong together');
SELECT is_empty('SELECT FROM dpsens.verify_ledger()', 'an analyst verifies nothing');

-- and it can be recomputed, and a change would be noticed
SET ROLE views_tap_curator;
SELECT results_eq('SELECT relation COLLATE "default", role::text COLLATE "default", releases, valid FROM dpsens.verify_ledger()',
    $$VALUES ('views_tap.t', NULL, 7::bigint, true), ('views_tap.t', 'views_tap_analyst', 6, true), ('views_tap.t', 'views_tap_group', 1, true)$$, 'the ledger is what follows from its history');
RESET ROLE;
SELECT throws_ok('UPDATE dpsens.release SET charge_rho = 0 WHERE relation = ''t''::regclass', '42501', 'the privacy ledger cannot be changed', 'nobody changes the history');
BEGIN;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release SET scales = ARRAY[scales[1] * 2] WHERE relation = 't'::regclass AND mechanism = 'geometric' AND epsilon = 0.5;
SELECT results_eq('SELECT role::text COLLATE "default", valid FROM dpsens.verify_ledger() WHERE relation = ''views_tap.t''',
    $$VALUES (NULL, false), ('views_tap_analyst', false), ('views_tap_group', true)$$, 'a changed scale is noticed');
ROLLBACK;
BEGIN;
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse SET spent_epsilon = spent_epsilon - 1 WHERE relation = 't'::regclass AND role = 'views_tap_analyst'::regrole;
SELECT results_eq('SELECT role::text COLLATE "default", valid FROM dpsens.verify_ledger() WHERE relation = ''views_tap.t''',
    $$VALUES (NULL, true), ('views_tap_analyst', false), ('views_tap_group', true)$$, 'and so is a purse that is one unit short');
ROLLBACK;

-- 0.1.0 charged Laplace noise the rho of any mechanism of its epsilon, and charges stay what they were
SELECT results_eq($$SELECT round(dpsens_internal.former_rho(m, '{1099511627776}', '{1099511627776}') / 2.0 ^ 40, 10), round(c.charge_rho / 2.0 ^ 40, 10)
    FROM unnest('{laplace,permute_flip}'::text[]) m, dpsens_internal.charge_of_release(m, '{1099511627776}', '{1099511627776}', '{1}') c$$,
    'VALUES (0.4621171573, 0.3678794412), (NULL, 0.4621171573)', 'of epsilon 1 that is tanh(1/2), now 1/e');
SELECT throws_ok('SELECT dpsens_internal.former_rho(''laplace'', ''{1,2}'', ''{1}'')', '2202E', NULL, 'as many scales as sensitivities');
BEGIN;
RESET ROLE;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
CREATE TEMP TABLE former ON COMMIT DROP AS SELECT COALESCE(purse_role, 0) AS role, GROUPING(purse_role) AS whole, sum(dpsens_internal.former_rho(mechanism, sensitivities, scales) - charge_rho) AS rho
    FROM dpsens.release WHERE relation = 't'::regclass AND mechanism = 'laplace' GROUP BY ROLLUP (purse_role);
UPDATE dpsens.purse p SET spent_rho = spent_rho + m.rho FROM pg_temp.former m WHERE p.relation = 't'::regclass AND p.role = m.role AND (m.whole = 1) = (p.role = 0);
UPDATE dpsens.release SET charge_rho = dpsens_internal.former_rho(mechanism, sensitivities, scales) WHERE relation = 't'::regclass AND mechanism = 'laplace';
SELECT results_eq('SELECT count(*), bool_and(valid) FROM dpsens.verify_ledger() WHERE relation = ''views_tap.t''', 'VALUES (3::bigint, true)', 'a history that was charged so is valid');
UPDATE dpsens.release SET charge_rho = charge_rho + 1 WHERE release = (SELECT min(release) FROM dpsens.release WHERE relation = 't'::regclass AND mechanism = 'laplace');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger() WHERE relation = 'views_tap.t'), false, 'and no other');
ROLLBACK;

-- what all of it has cost
SET ROLE views_tap_curator;
SELECT is(array_agg(accountant ORDER BY accountant), '{basic,gdp,pld,rdp,zcdp}', 'all accountants speak') FROM dpsens.privacy_spent('t');
SELECT ok(bool_and(CASE accountant WHEN 'basic' THEN epsilon = 'Infinity' WHEN 'gdp' THEN epsilon = 'Infinity' ELSE epsilon BETWEEN 1 AND 8 END),
    'where they can: neither pure nor Gaussian noise alone') FROM dpsens.privacy_spent('t', 1e-6);
SELECT ok((SELECT epsilon FROM dpsens.privacy_spent('t') WHERE accountant = 'pld') <= (SELECT epsilon FROM dpsens.privacy_spent('t') WHERE accountant = 'rdp'),
    'the distribution of the loss says it best');
RESET ROLE;
SELECT ok((SELECT epsilon FROM dpsens.privacy_spent('ten', 0) WHERE accountant = 'basic') BETWEEN 0.99999 AND 1, 'ten tenths are one');
SELECT ok((SELECT bool_and(epsilon = 0) FROM dpsens.privacy_spent('other')), 'nothing was released of that one');
SELECT throws_ok('SELECT dpsens.privacy_spent(''t'', 1)', '22023', NULL, 'a delta of 1');
SELECT throws_ok('SET ROLE views_tap_analyst; SELECT dpsens.privacy_spent(''views_tap.t'')', '42501', NULL, 'somebody else''s relation');
RESET ROLE;

-- and at all times at once
SELECT results_eq('SELECT epsilon BETWEEN 0.99999 AND 1, at_delta FROM dpsens.odometer(''ten'')', 'VALUES (true, 1e-6::float8)', 'ten tenths are one at any time');
SELECT results_eq('SELECT epsilon, at_delta FROM dpsens.odometer(''other'', 0.5)', 'VALUES (0::float8, 0.5::float8)', 'nothing was charged of that one');
SELECT ok(o.epsilon > s.epsilon AND o.epsilon < 1.4 * s.epsilon AND o.at_delta = 1e-6, 'it is more than at one time: ' || o.epsilon)
    FROM dpsens.odometer('t', 1e-6) o, dpsens.privacy_spent('t', 1e-6) s WHERE s.accountant = 'zcdp';
SELECT throws_ok(format('SELECT dpsens.odometer(''t'', %s)', bad), '22023', NULL, 'delta ' || bad) FROM unnest('{0,1,-1,''NaN''}'::text[]) bad;
SELECT throws_ok('SET ROLE views_tap_analyst; SELECT dpsens.odometer(''views_tap.t'')', '42501', NULL, 'of somebody else''s relation');
RESET ROLE;

-- queries are recorded without what means nothing
SET dpsens.epsilon = 0.25;
DO $x$ BEGIN PERFORM dp_count(*) FROM
    -- a comment; with 'quotes'
    t WHERE   sex =  'a  -- b' /* another /* nested */ one */ AND sex <> $$ c  d $$ AND sex <> E'it\'s  so'; END $x$;
SELECT is((SELECT query FROM dpsens.releases ORDER BY release DESC LIMIT 1),
    $y$SELECT dp_count(*) FROM t WHERE sex = 'a  -- b' AND sex <> $$ c  d $$ AND sex <> E'it\'s  so'$y$, 'a normalised query');

-- the scale is that of noise, which choices and selections of groups have none of
CREATE TABLE visits (id int PRIMARY KEY, stay int NOT NULL, mood text, ward text);
INSERT INTO visits SELECT i, i % 10, 'good', 'a' FROM generate_series(1, 200) i;
DO $$ BEGIN
    PERFORM dpsens.protect('visits', unit => 'id'), dpsens.set_range('visits', 'stay', 0, 9), dpsens.set_values('visits', 'mood', 'good', 'bad');
    PERFORM dp_median(stay), dp_mode(mood), dp_sum(stay), dp_sum(stay + 0.5) FROM visits;
    SET LOCAL dpsens.delta = 1e-6;
    PERFORM ward, dp_count(*) FROM visits GROUP BY ward;
    SET LOCAL dpsens.mechanism = gaussian;
    PERFORM dp_sum(stay) FROM visits;
END $$;
SELECT results_eq($$SELECT mechanism, max(scale) IS NOT NULL, min(array_length(scales, 1)) FROM dpsens.releases WHERE relation = 'views_tap.visits' GROUP BY mechanism ORDER BY mechanism$$,
    $$VALUES ('exponential', false, 1), ('gaussian', true, 1), ('geometric', true, 1), ('laplace', true, 1), ('partition', false, 2), ('permute_flip', false, 1)$$, 'the scale of each mechanism');

SELECT ok(o.epsilon < 30 AND o.at_delta > 1.5e-6, 'what has a delta adds it: ' || o.at_delta) FROM dpsens.odometer('visits') o;

-- what is not to be had
SELECT throws_ok('SELECT dpsens_internal.charge_of_release(''none of these'', ''{1}'', ''{1}'', ''{1}'')', '22023', NULL, 'an unknown mechanism');
SELECT throws_ok('SELECT dpsens_internal.charge_of_release(''laplace'', ''{1,2}'', ''{1}'', ''{1}'')', '2202E', NULL, 'a scale that is missing');
SELECT is((SELECT charge_epsilon FROM dpsens_internal.charge_of_release('laplace', '{1}', '{0}', '{1}')), 9223372036854775807, 'no noise costs everything');
SELECT is((SELECT charge_epsilon FROM dpsens_internal.charge_of_release('laplace', '{-1}', '{5}', '{1}')), 9223372036854775807, 'and so does a sensitivity that is none');
SELECT is((SELECT (charge_epsilon, charge_rho) FROM dpsens_internal.charge_of_release('laplace', '{}', '{}', '{}')), (0::bigint, 0::bigint), 'an exact answer that nothing private can change costs nothing');
SELECT throws_ok('SELECT dpsens_internal.answers_left(''{1,2}'', ''{0,0,0}'', ''{1,1,0}'')', '2202E', NULL, 'amounts are three');
SELECT throws_ok(format('SET ROLE views_tap_analyst; %s', statement), '42501', NULL, statement)
FROM unnest(ARRAY['SELECT * FROM dpsens.budget', 'SELECT * FROM dpsens.purse', 'SELECT * FROM dpsens.release', 'SELECT * FROM dpsens_internal.budget_state',
    'TRUNCATE dpsens.release', 'DELETE FROM dpsens.purse', 'SELECT dpsens.grant_budget(''views_tap.t'', ''views_tap_analyst'', 9)',
    'SELECT dpsens.set_budget(''views_tap.t'', 9)', 'SELECT dpsens.revoke_budget(''views_tap.t'')', 'SELECT dpsens.acknowledge_restore()']) AS statement;
RESET ROLE;
-- A view that is written out in others many times takes a second to plan and compile, whatever is in it.
CREATE FUNCTION lines_of_plan(v regclass) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int := 0;
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN SELECT * FROM %s', v) LOOP
        n = n + 1;
    END LOOP;
    RETURN n;
END $$;
SELECT is((SELECT string_agg(format('%s %s', c.oid::regclass, lines_of_plan(c.oid)), ', ') FROM pg_class c WHERE c.relnamespace = 'dpsens'::regnamespace AND c.relkind = 'v' AND lines_of_plan(c.oid) > 400), NULL, 'no view is large to plan');
SELECT * FROM finish();
DROP SCHEMA views_tap CASCADE;
DROP OWNED BY views_tap_curator, views_tap_analyst, views_tap_group, views_tap_member;
DROP ROLE views_tap_curator, views_tap_analyst, views_tap_member, views_tap_group;
