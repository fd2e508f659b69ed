-- The hospital of docs/cookbook.md, from its setup to the audit of a month of questions, each part as the role that it is for:
-- the curator, who owns the tables, analysts, of whom one shares a group's budget, and an officer, who only audits.
-- Files: glue/constraint/undeclared.c, ledger/budget/schema_usage.c, sql/72_individual.sql, demo/hospital.sql, demo/hospital_month.sql.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
-- what other files of the database have changed is not looked at
SELECT coalesce(max(change), 0) AS before FROM dpsens.changes \gset
SELECT dpsens.seal_ledger() \g /dev/null
SELECT coalesce((SELECT seal FROM dpsens.ledger_head()), 0) AS sealed \gset
SELECT plan(47);

CREATE ROLE keeper;
CREATE ROLE ada;
CREATE ROLE bob;
CREATE ROLE research;
CREATE ROLE cleo IN ROLE research;
CREATE ROLE officer;
SELECT format('GRANT CREATE ON DATABASE %I TO keeper', current_database()) \gexec

-- ---- the curator ----

SET SESSION AUTHORIZATION keeper;
\set patients 1000
\ir ../../demo/hospital.sql
CREATE FUNCTION left_of(whose name, what regclass) RETURNS float8 LANGUAGE sql AS
    'SELECT left_epsilon FROM dpsens.my_budget WHERE relation = what AND budget_of IS NOT DISTINCT FROM whose';
CREATE VIEW lacking AS SELECT column_name, missing FROM dpsens.columns WHERE missing IS NOT NULL AND relation = ANY ('{patients,visits,labs}'::regclass[]);
SELECT is_empty('SELECT * FROM dpsens.relations', 'nothing is protected at first');
\o /dev/null
SELECT dpsens.suggest_setup('hospital') \gexec
\o
SELECT set_eq('SELECT relation, unit, one_row, max_rows FROM dpsens.relations', $$VALUES ('patients'::regclass, 'patient_id'::name, true, NULL::int), ('visits', 'patient_id', false, 10), ('labs', 'visit_id', false, 10)$$,
    'the suggested script protects what has rows of persons');
SELECT results_eq('SELECT column_name FROM lacking', $$VALUES ('district'::name), ('weight_kg'), ('ward'), ('value'), ('taken')$$, 'and says what is left to be decided, names and notes not among it');
SELECT lives_ok($$SELECT dpsens.set_public('wards'), dpsens.set_public('doctors'), dpsens.set_values('patients', 'district', 'east', 'north', 'south'), dpsens.set_range('patients', 'weight_kg', 1, 300),
    dpsens.set_range('labs', 'value', 0, 200), dpsens.set_range('labs', 'taken', '2024-01-01', '2025-01-01'), dpsens.protect('visits', max_rows => 15), dpsens.protect('labs', max_rows => 45)$$, 'decisions');
SELECT is((SELECT count(*) FROM lacking WHERE missing ~ 'VARIADIC'), 2::bigint, 'the keys of public tables are values');
\o /dev/null
SELECT missing FROM lacking \gexec
\o
SELECT is_empty('SELECT * FROM lacking', 'what was missing runs as it is, and nothing is missing then');
SELECT results_eq('SELECT DISTINCT unnest(warnings) FROM dpsens.relations', $$VALUES ('nobody has a budget, and whoever may read it is answered without end' COLLATE "default")$$, 'but a budget');
SELECT lives_ok($$SELECT dpsens.set_entity_budget('patients', epsilon => 40, delta => 1e-6), dpsens.set_entity_policy('patients', epsilon => 1, statement_epsilon => 2)$$, 'one for each person');
SELECT lives_ok($$SELECT dpsens.grant_budget(t, r, epsilon => 15, delta => 1e-6, refresh => '1 month') FROM unnest('{patients,visits,labs}'::regclass[]) t, unnest('{ada,bob,research}'::regrole[]) r$$, 'for analysts and a group');
SELECT lives_ok($$SELECT dpsens.grant_audit(t, 'officer', rows => false) FROM unnest('{patients,visits,labs}'::regclass[]) t$$, 'and somebody who audits');
GRANT USAGE ON SCHEMA hospital TO ada, bob, research, officer;
GRANT SELECT ON wards, doctors TO ada, bob, research;
SELECT is_empty('SELECT * FROM dpsens.relations WHERE warnings <> ''{}''', 'then there is nothing to look at');
SELECT is_empty('SELECT * FROM dpsens.check_security() WHERE severity = ''critical''', 'and no way around the guard');

-- ---- an analyst ----

SET SESSION AUTHORIZATION ada;
SET search_path = hospital, public;
SET dpsens.epsilon = 1;
SELECT throws_ok(statement, '42501', NULL, statement) FROM (VALUES ('SELECT name FROM patients'), ('SELECT count(*) FROM visits'), ($$SELECT dpsens.grant_budget('patients', 'ada', epsilon => 100)$$)) v (statement);
-- geometric noise of scale 15: a draw is farther away than 450 with a probability of e^-30
SELECT is((SELECT count(*) FROM (SELECT ward, dp_count(true, 1) AS n FROM visits GROUP BY ward) v JOIN (VALUES ('bones', 548), ('children', 312), ('heart', 548), ('lung', 312)) w (ward, rows) USING (ward) WHERE abs(n - rows) <= 450), 4::bigint, 'is answered, by ward');
SELECT results_eq('SELECT relation, budget_of, entity, left_epsilon FROM dpsens.my_budget',
    $$VALUES ('patients'::regclass, NULL::name, true, 39::float8), ('patients', 'ada', false, 15), ('visits', 'ada', false, 14), ('labs', 'ada', false, 15)$$, 'and charged, on the table and for a person');
SELECT throws_ok(statement, state, NULL, statement) FROM (VALUES ('SELECT dp_avg(days, 3) FROM visits', '53400'), ('SELECT dp_avg(days, 0.8), dp_sum(days, 0.7), dp_count(true, 0.6) FROM visits', '53400'),
    ('SELECT dp_count(DISTINCT patient_id) FROM visits', '0A000'), ('SELECT patient_id, dp_sum(days) FROM visits GROUP BY patient_id', '53400')) v (statement, state);
SELECT is(left_of('ada', 'visits'), 14::float8, 'what is refused costs nothing');
SELECT results_eq('SELECT w.ward, w.beds FROM (SELECT w.ward, w.beds, dp_count(true, 0.5) FROM visits JOIN wards w USING (ward) GROUP BY w.ward, w.beds) w', 'SELECT ward, beds FROM wards ORDER BY ward', 'of public tables beside it she sees what there is');
SELECT is_empty('SELECT * FROM dpsens.refusals', 'she does not see what was refused');
SELECT is_empty('SELECT * FROM dpsens.stat', 'nor what others ask');

-- ---- a statement about three tables costs a person once; a member spends what the group has ----

SET SESSION AUTHORIZATION cleo;
SELECT isnt((SELECT dp_sum(l.value, 0.5) FROM labs l JOIN visits v USING (visit_id) JOIN patients p USING (patient_id) WHERE p.sex = 'f'), NULL, 'a join of three');
SELECT results_eq('SELECT relation, budget_of, left_epsilon FROM dpsens.my_budget',
    $$VALUES ('patients'::regclass, NULL::name, 38::float8), ('patients', 'research', 14.5), ('visits', 'research', 14.5), ('labs', 'research', 14.5)$$, 'costs each table, and a person once');
SET dpsens.delta = 1e-8;
-- a month is that of about 143 visits
SELECT ok((SELECT count(*) BETWEEN 0 AND 12 FROM (SELECT date_trunc('month', admitted) AS month, dp_count(true, 1) FROM visits GROUP BY 1) m), 'months are chosen by a draw');
SELECT ok((SELECT spent_delta > 0 AND spent_delta <= 1e-8 AND left_delta < 5e-7 FROM dpsens.my_budget WHERE relation = 'visits'::regclass AND NOT entity), 'which costs a delta');

-- ---- the month ----

\o /dev/null
SET SESSION AUTHORIZATION ada;
\ir ../../demo/hospital_month.sql
SET SESSION AUTHORIZATION bob;
\ir ../../demo/hospital_month.sql
SET SESSION AUTHORIZATION cleo;
\ir ../../demo/hospital_month.sql
\o

-- ---- the officer ----

SET SESSION AUTHORIZATION officer;
SET search_path = hospital, public;
SELECT throws_ok(statement, '42501', NULL, statement) FROM (VALUES ('SELECT count(*) FROM visits'), ('SELECT dp_count(true, 0.1) FROM visits'), ('SELECT * FROM wards'),
    ($$SELECT dpsens.set_policy('visits', epsilon => 5)$$), ($$SELECT dpsens.report('visits')$$)) v (statement);
SELECT results_eq('SELECT role, count(DISTINCT statement) FROM dpsens.releases GROUP BY role ORDER BY role', $$VALUES ('ada'::name, 32::bigint), ('bob', 30), ('cleo', 32)$$, 'a statement a day of each, and those before');
SELECT results_eq('SELECT relation, role, sum(statements)::bigint, sum(answers)::bigint, sum(refusals)::bigint, round(sum(epsilon)::numeric, 6) FROM dpsens.stat GROUP BY relation, role ORDER BY relation, role',
    $$SELECT s.relation, s.role, s.statements, s.answers, coalesce((SELECT count(*) FROM dpsens.refusals f WHERE f.role = s.role AND s.relation = ANY (f.relations)), 0), s.epsilon
      FROM (SELECT relation, role, count(DISTINCT statement) AS statements, count(*) AS answers, round(sum(charge_epsilon)::numeric, 6) AS epsilon FROM dpsens.releases GROUP BY relation, role) s ORDER BY 1, 2$$, 'figures are those of releases and refusals');
SELECT results_eq('SELECT role, sqlstate FROM dpsens.refusals ORDER BY refusal', $$VALUES ('ada'::name, '53400'), ('ada', '53400'), ('ada', '0A000'), ('ada', '53400')$$, 'refusals, with reasons');
SELECT results_eq('SELECT act, count(*) FROM dpsens.changes WHERE change > ' || :before || ' GROUP BY act ORDER BY act', $$VALUES ('grant_audit', 3::bigint), ('grant_budget', 9), ('label', 20), ('set_entity_budget', 1), ('set_entity_policy', 1)$$, 'what was decided');
SELECT is_empty('SELECT * FROM dpsens.changes WHERE change > ' || :before || ' AND (session_role, changed_by) IS DISTINCT FROM (''keeper'', ''keeper'')', 'by whom');
SELECT results_eq('SELECT count(*), bool_and(valid) FROM dpsens.verify_ledger()', 'VALUES (11::bigint, true)', 'accounts add up');
-- what a person has lost is what all statements cost, each once
SELECT results_eq('SELECT round(spent_epsilon::numeric, 6) FROM dpsens.budgets WHERE entity', $$SELECT round(sum(cost)::numeric, 6) FROM (SELECT max(cost) AS cost FROM
    (SELECT statement, relation, sum(charge_epsilon) AS cost FROM dpsens.releases GROUP BY statement, relation) r GROUP BY statement) s$$, 'a join is paid for once');
SELECT dpsens.seal_ledger() \g /dev/null
SELECT seal, hash FROM dpsens.ledger_head() \gset
SELECT is_empty(format('SELECT * FROM dpsens.verify_seals(%s, %L) WHERE sealed_by > %s', :seal, :'hash', :sealed), 'all is as it was written');
SELECT results_eq('SELECT relation, role, days, left_percent FROM dpsens.forecast WHERE epsilon_a_day > 0', 'SELECT b.relation, b.role, 1, b.left_percent FROM dpsens.budgets b WHERE b.spent_epsilon > 0', 'a forecast for each budget that was spent of');
SELECT matches(dpsens.report('visits', rows => false), 'ROLLUP \(ward, urgent\)', 'the page has the questions');
SELECT unalike(dpsens.report('visits', rows => false), '%patient 1%', 'and nobody''s name');

-- ---- nobody else, and not unseen ----

SET SESSION AUTHORIZATION bob;
SELECT is((SELECT count(*) FROM dpsens.changes) + (SELECT count(*) FROM dpsens.refusals) + (SELECT count(*) FROM dpsens.releases WHERE role <> 'bob'), 0::bigint, 'an analyst sees nothing of others');
RESET SESSION AUTHORIZATION;
BEGIN;
ALTER TABLE dpsens.refusal DISABLE TRIGGER ALL;
DELETE FROM dpsens.refusal WHERE role_name = 'ada';
SELECT count(*) > 0 AS is_found FROM dpsens.verify_seals(:seal, :'hash') WHERE kind = 'refusal' \gset
ROLLBACK;
SELECT ok(:'is_found', 'who deletes a refusal is found out');

SELECT * FROM finish();
RESET search_path;
DROP SCHEMA hospital CASCADE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM keeper', current_database()) \gexec
DROP ROLE keeper, ada, bob, cleo, research, officer;
