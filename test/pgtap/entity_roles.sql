-- Budgets of roles on entities: what a role is told of one person, whichever relations tell it.
--
-- A hospital whose analyst has budgets on patients, visits and labs, and one promise to each patient beside them.
-- Everything is committed as it goes.
-- Files: glue/period_end.c, ledger/entity.c, ledger/charge/book.c, ledger/charge/accounts.c, ledger/charge/claim.c,
-- ledger/charge/answer_limits.c, ledger/budget/sql_entity_budget.c, ledger/budget/sql_policy.c, ledger/authority.c,
-- ledger/rows/standing.c, ledger/former.c, ledger/journal/change.c, guard/policy_notes.c, guard/column_costs.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

DROP SCHEMA IF EXISTS roles_tap CASCADE;
DROP ROLE IF EXISTS roles_chemist, roles_heir, roles_eve, roles_team, roles_mia, roles_owner, roles_other, roles_ana, roles_ben, roles_group, roles_second, roles_auditor, roles_nobody;
CREATE ROLE roles_owner;
CREATE ROLE roles_other;
CREATE ROLE roles_group;
CREATE ROLE roles_second;
CREATE ROLE roles_ana;
CREATE ROLE roles_ben IN ROLE roles_group, roles_second;
CREATE ROLE roles_auditor;
CREATE ROLE roles_nobody;
CREATE SCHEMA roles_tap AUTHORIZATION roles_owner;
GRANT USAGE ON SCHEMA roles_tap TO PUBLIC;
SET search_path = roles_tap, public;
SET ROLE roles_owner;
CREATE TABLE patients (patient_id int PRIMARY KEY, age float8 NOT NULL);
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, cost float8 NOT NULL);
CREATE TABLE labs (lab_id int PRIMARY KEY, visit_id int NOT NULL REFERENCES visits, value float8 NOT NULL);
CREATE TABLE bills (patient_id int PRIMARY KEY REFERENCES patients, amount float8 NOT NULL);
CREATE TABLE wards (ward int PRIMARY KEY, beds float8 NOT NULL);
INSERT INTO patients SELECT i, i % 90 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, i % 100 + 1, i % 50 FROM generate_series(1, 300) i;
INSERT INTO labs SELECT i, i % 300 + 1, i % 7 FROM generate_series(1, 900) i;
INSERT INTO bills SELECT i, i FROM generate_series(1, 100) i;
INSERT INTO wards SELECT i, i FROM generate_series(1, 9) i;
SELECT dpsens.protect('patients', 'patient_id'), dpsens.set_range('patients', 'age', 0, 100),
	dpsens.protect('visits', 'patient_id', max_rows => 4), dpsens.set_range('visits', 'cost', 0, 50),
	dpsens.protect('labs', 'visits.patient_id', max_rows => 12), dpsens.set_range('labs', 'value', 0, 7),
	dpsens.protect('bills', 'patient_id'), dpsens.set_range('bills', 'amount', 0, 100),
	dpsens.protect('wards'), dpsens.set_range('wards', 'beds', 0, 10) \g /dev/null
-- Budgets on relations, wide enough to refuse nothing here.
CREATE PROCEDURE let_ask(role regrole) LANGUAGE sql AS $$
	SELECT dpsens.grant_budget(r, $1, 100, 1e-3), dpsens.set_policy(r, $1, 'Infinity') FROM unnest('{roles_tap.patients,roles_tap.visits,roles_tap.labs,roles_tap.bills}'::regclass[]) r;
$$;
CALL let_ask('roles_ana');
RESET ROLE;
SET dpsens.epsilon = 0.5;
-- What a role's purse of patients has of epsilon, NULL if there is none; that of all for role '-'.
CREATE FUNCTION spent(whose text, entity regclass DEFAULT 'roles_tap.patients') RETURNS numeric LANGUAGE sql SECURITY DEFINER AS $$
	SELECT round((p.spent_epsilon / 2.0 ^ 40)::numeric, 6) FROM dpsens.purse p
	WHERE p.relation = entity AND p.column_name = '(entity)' AND p.role = (CASE whose WHEN '-' THEN 0::oid ELSE to_regrole(whose)::oid END)
$$;
CREATE FUNCTION all_valid() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS $$
	SELECT count(*) > 0 AND bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'roles\_tap.%'
$$;
SECURITY LABEL FOR dpsens ON FUNCTION spent(text, regclass) IS 'TRUSTED';
SECURITY LABEL FOR dpsens ON FUNCTION all_valid() IS 'TRUSTED';

-- ---- granting ----

SET ROLE roles_owner;
SELECT throws_like($$SELECT dpsens.grant_entity_budget('visits', 'roles_ana', 1)$$, 'relation "visits" cannot have the budget of an entity', 'a unit of several rows is no entity');
SELECT throws_like($$SELECT dpsens.grant_entity_budget('wards', 'roles_ana', 1)$$, 'relation "wards" cannot have the budget of an entity');
SELECT throws_like($$SELECT dpsens.grant_entity_budget('patients', 'roles_ana')$$, 'a budget needs epsilon or rho');
SELECT throws_like($$SELECT dpsens.grant_entity_budget('patients', 'roles_ana', 1, rho => 1)$$, 'a budget is stated by epsilon or by rho, not by both');
SELECT throws_like($$SELECT dpsens.grant_entity_budget('patients', 'roles_ana', 1, refresh => '-1 day')$$, 'refresh must be a positive interval');
SELECT throws_like($$SELECT dpsens.grant_entity_budget('patients', NULL, 1)$$, '%role%');
SELECT throws_like($$SELECT dpsens.grant_entity_budget(NULL, 'roles_ana', 1)$$, '%relation%');
SELECT throws_like($$SELECT dpsens.grant_entity_budget('patients', 1::oid::regrole, 1)$$, 'role with OID 1 does not exist');
SELECT throws_like($$SELECT dpsens.revoke_entity_budget('patients', 'roles_ana')$$, 'role "roles_ana" has no budget on entity "patients"');
SELECT throws_like($$SELECT dpsens.set_entity_policy('patients', 1, role => 'roles_ana')$$, 'role "roles_ana" has no budget on entity "patients"');
SET ROLE roles_other;
SELECT throws_ok($$SELECT dpsens.grant_entity_budget('patients', 'roles_other', 1)$$, '42501', NULL, 'the owner alone grants');
SELECT throws_ok($$SELECT dpsens.revoke_entity_budget('patients', 'roles_ana')$$, '42501', NULL, 'and takes back');
SELECT throws_ok($$SELECT dpsens.set_entity_policy('patients', 1, role => 'roles_ana')$$, '42501', NULL, 'and limits');

-- ---- what statements cost a role ----

SET ROLE roles_ana;
SELECT dp_count(*) FROM visits \g /dev/null
SELECT dp_sum(v.cost) FROM visits v JOIN patients USING (patient_id) \g /dev/null
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('patients', 'roles_ana', 10) \g /dev/null
SELECT is((SELECT row(role, epsilon, spent_epsilon, left_epsilon, charges, entity, left_percent)::text FROM dpsens.budgets WHERE relation = 'patients'::regclass AND entity),
	'(roles_ana,10,1.5,8.5,0,t,85)', 'before the first charge the owner sees what the role was charged for its relations, each by itself');
SET ROLE roles_ana;
SELECT is((SELECT string_agg(concat_ws(' ', b.relation, b.budget_of, b.epsilon, b.spent_epsilon, b.left_epsilon, b.answers_left), ', ') FROM dpsens.my_budget b WHERE b.entity),
	'patients roles_ana 10 1.5 8.5 17', 'and so does the role, with the answers that are left');
SELECT is(spent('roles_ana'), NULL, 'of a purse that there is not yet');
SELECT dp_count(*) FROM labs \g /dev/null
SELECT is(spent('roles_ana'), 2::numeric, 'the first charge begins with it');
SELECT dp_sum(l.value) FROM labs l JOIN visits v USING (visit_id) JOIN patients p ON p.patient_id = v.patient_id \g /dev/null
SELECT is(spent('roles_ana'), 2.5, 'a join of three costs a person once');
SELECT dp_count(*), (SELECT dp_count(*) FROM visits) FROM patients \g /dev/null
SELECT is(spent('roles_ana'), 3.5, 'releases add up');
SELECT dp_sum(x) FROM (SELECT age AS x FROM patients UNION ALL SELECT amount FROM bills) u \g /dev/null
SELECT is(spent('roles_ana'), 4.5, 'arms of UNION ALL add up');
SELECT is(spent('-'), 4.5, 'the purse of all has as much, where nobody else has asked');
RESET ROLE;
SELECT dp_count(*) FROM patients \g /dev/null
SELECT is(row(spent('roles_ana'), spent('-'))::text, '(4.500000,5.000000)', 'what others ask is not the role''s');
SELECT ok(all_valid(), 'each purse is what its releases cost');
SELECT is((SELECT string_agg(concat_ws(' ', v.role, v.recorded_epsilon), ', ' ORDER BY v.role NULLS FIRST) FROM dpsens.verify_ledger() v WHERE v.relation = 'roles_tap.patients (entity)'), '5, roles_ana 4.5');
SET ROLE roles_ana;
SELECT is(dpsens.answers_left('SELECT dp_count(true, 1) FROM visits'), 5::bigint, 'how often a query can be asked');
SELECT alike(note, '%costs a person of patients epsilon 0.5 and rho %, of epsilon 5.5 and rho % that are left of the budget of role roles_ana%', 'explain says whose budget') FROM dpsens.explain('SELECT dp_count(*) FROM visits');
SELECT throws_like('SELECT dp_count(true, 5.6) FROM visits', 'the privacy budget of role "roles_ana" on persons of entity "roles_tap.patients" does not allow this statement');
SELECT throws_like('SELECT dp_count(true, 3), (SELECT dp_count(true, 3) FROM labs) FROM visits', 'the privacy budget of role "roles_ana" on persons%', 'of two halves, too');
RESET ROLE;
SELECT is(row(spent('roles_ana'), spent('-'), (SELECT round((spent_epsilon / 2.0 ^ 40)::numeric, 6) FROM dpsens.purse WHERE relation = 'visits'::regclass AND role = 0))::text,
	'(4.500000,5.000000,2.000000)', 'a refusal charges nobody');
SET ROLE roles_owner;
SELECT dpsens.set_budget('visits', 2.1) \g /dev/null
SET ROLE roles_ana;
SELECT throws_like('SELECT dp_count(true, 0.2) FROM visits', 'the privacy budget of relation "roles_tap.visits" does not allow this statement');
SELECT is(spent('roles_ana'), 4.5, 'nor does one by another budget');
SET ROLE roles_owner;
SELECT dpsens.set_budget('visits', 'Infinity') \g /dev/null

-- ---- limits ----

RESET ROLE;
SET dpsens.answer_epsilon = 1;
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('patients', 'roles_ana', 20) \g /dev/null
SET ROLE roles_ana;
SELECT lives_ok('SELECT dp_count(true, 1.5) FROM visits', 'limits stay when a budget is granted again: there were none');
SET ROLE roles_owner;
SELECT dpsens.revoke_entity_budget('patients', 'roles_ana'), dpsens.grant_entity_budget('patients', 'roles_ana', 20) \g /dev/null
SET ROLE roles_ana;
SELECT is(spent('roles_ana'), 6::numeric, 'what was spent stays spent');
SELECT throws_like('SELECT dp_count(true, 1.5) FROM visits', 'epsilon 1.5 is more than one answer may be asked with from the budget of role "roles_ana" on persons of entity "roles_tap.patients"', 'an answer may have epsilon 1 by default');
SELECT throws_like('SELECT dp_sum(x, 0.75) FROM (SELECT age AS x FROM patients UNION ALL SELECT amount FROM bills) u', 'epsilon 1.5 is more than one answer%', 'of a person, in all arms');
SELECT alike(note, '%would be refused: epsilon 1.5 is more than one answer may be asked with from the budget of role "roles_ana" on persons%', 'explain says so') FROM dpsens.explain('SELECT dp_count(true, 1.5) FROM visits');
SELECT is(dpsens.answers_left('SELECT dp_count(true, 1.5) FROM visits'), 0::bigint, 'and no such answer is left');
SELECT is((SELECT row(role, epsilon, entity, overrides)::text FROM dpsens.policies WHERE entity), '(roles_ana,1,t,)', 'the role sees its limit');
SET ROLE roles_owner;
SELECT dpsens.set_entity_policy('patients', 2, mechanisms => '{geometric}', role => 'roles_ana') \g /dev/null
SELECT throws_like($$SELECT dpsens.set_entity_policy('patients', role => NULL)$$, '%role%');
SET ROLE roles_ana;
SELECT lives_ok('SELECT dp_count(true, 1.5) FROM visits', 'which the owner can raise');
SELECT throws_like('SELECT dp_sum(cost, 0.1) FROM visits', 'mechanism laplace may not answer from the budget of role "roles_ana" on persons%');
SELECT is((SELECT string_agg(relation || COALESCE(' ' || role, ''), ',') FROM dpsens.policies WHERE epsilon = 2), 'patients roles_ana', 'the policy of a relation stays what it was');
RESET ROLE;
GRANT SELECT ON patients, visits TO roles_ana;
SET ROLE roles_ana;
SELECT lives_ok('SELECT dp_count(true, 2.5) FROM visits', 'who may read all has no need of limits');
SELECT is(spent('roles_ana'), 10::numeric, 'and pays');
RESET ROLE;
REVOKE SELECT ON patients, visits FROM roles_ana;
SET ROLE roles_owner;
SELECT dpsens.set_entity_policy('patients', 'Infinity', mechanisms => '{}', role => 'roles_ana') \g /dev/null
RESET ROLE;
RESET dpsens.answer_epsilon;

-- ---- members ----

RESET ROLE;
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL);
CREATE TABLE trips (id int NOT NULL REFERENCES people, far float8 NOT NULL);
CREATE TABLE calls (id int NOT NULL REFERENCES people, minutes float8 NOT NULL);
INSERT INTO people SELECT i, i FROM generate_series(1, 50) i;
INSERT INTO trips SELECT i, i FROM generate_series(1, 50) i;
INSERT INTO calls SELECT i, i FROM generate_series(1, 50) i;
ALTER TABLE people OWNER TO roles_owner;
ALTER TABLE trips OWNER TO roles_owner;
ALTER TABLE calls OWNER TO roles_owner;
SET ROLE roles_owner;
SELECT dpsens.protect('people', 'id'), dpsens.set_range('people', 'age', 0, 100), dpsens.protect('trips', 'id', max_rows => 2), dpsens.set_range('trips', 'far', 0, 100),
	dpsens.protect('calls', 'id', max_rows => 2), dpsens.set_range('calls', 'minutes', 0, 100) \g /dev/null
SELECT dpsens.grant_budget('trips', 'roles_group', 10), dpsens.grant_entity_budget('people', 'roles_second', 2) \g /dev/null
SET ROLE roles_ben;
SELECT dp_count(true, 0.5) FROM trips \g /dev/null
SELECT is((SELECT string_agg(concat_ws(' ', b.relation, b.budget_of, b.entity, b.left_epsilon, b.answers_left), ', ' ORDER BY b.entity) FROM dpsens.my_budget b WHERE b.relation IN ('trips'::regclass, 'people'::regclass)),
	'trips roles_group f 9.5 3, people roles_second t 1.5 3', 'a member of two groups pays from the relation''s budget of the one and the entity''s of the other');
SELECT throws_like('SELECT dp_count(true, 1.6) FROM trips', 'the privacy budget of role "roles_second" on persons of entity "roles_tap.people"%');
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('people', 'roles_group', 1) \g /dev/null
SET ROLE roles_ben;
SELECT dp_count(true, 0.25) FROM trips \g /dev/null
SELECT is(row(spent('roles_group', 'people'), spent('roles_second', 'people'))::text, '(0.750000,0.500000)', 'of two groups with budgets on the entity the first by name pays, which begins with what its purse has paid');
SELECT dp_count(true, 0.5) FROM trips \g /dev/null
SELECT is(row(spent('roles_group', 'people'), spent('roles_second', 'people'))::text, '(0.750000,1.000000)', 'as long as it admits the cost');
SELECT is((SELECT budget_of::text FROM dpsens.my_budget WHERE entity AND relation = 'people'::regclass), 'roles_second', 'my_budget shows the one that would pay for the next answer');
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('people', 'roles_ben', 5) \g /dev/null
SET ROLE roles_ben;
SELECT is((SELECT row(budget_of, spent_epsilon)::text FROM dpsens.my_budget WHERE entity AND relation = 'people'::regclass), '(roles_ben,1.25)', 'one''s own takes their place, and has all that one was told');
SELECT dp_count(true, 0.25) FROM trips \g /dev/null
SELECT is(row(spent('roles_ben', 'people'), spent('roles_group', 'people'), spent('roles_second', 'people'))::text, '(1.500000,0.750000,1.000000)');
SELECT ok(all_valid(), 'each purse is what its releases cost');

-- ---- who sees it ----

SET ROLE roles_owner;
SELECT dpsens.grant_audit('people', 'roles_auditor', rows => false) \g /dev/null
SELECT dpsens.grant_entity_budget('people', 'roles_nobody', 7), dpsens.set_entity_budget('people', 50) \g /dev/null
RESET ROLE;
GRANT roles_nobody TO roles_other;
SET ROLE roles_auditor;
SELECT is((SELECT string_agg(concat_ws(' ', role, epsilon, spent_epsilon, left_percent), ', ' ORDER BY role NULLS FIRST) FROM dpsens.budgets WHERE entity),
	'50 1.5 97, roles_ben 5 1.5 70, roles_group 1 0.75 25, roles_nobody 7 0 100, roles_second 2 1 50', 'an auditor of the entity sees all of its budgets, of none nothing');
SELECT is((SELECT count(*) FROM dpsens.policies WHERE entity), 4::bigint, 'and their limits');
SELECT is((SELECT count(*) FROM dpsens.forecast WHERE entity), 5::bigint, 'and until when they last');
SELECT is((SELECT count(*) FROM dpsens.my_budget), 0::bigint);
SELECT is((SELECT count(*) FROM dpsens.entities WHERE entity = 'people'::regclass), 3::bigint, 'and its relations once each');
SET ROLE roles_ana;
SELECT is((SELECT count(*) FROM dpsens.budgets), 0::bigint, 'an analyst no budgets of others');
SELECT is((SELECT string_agg(DISTINCT role, ',') FROM dpsens.policies), 'roles_ana', 'nor limits');
SELECT is((SELECT string_agg(DISTINCT role, ',') FROM dpsens.forecast), 'roles_ana', 'nor forecasts');
SELECT is((SELECT count(*) FROM dpsens.entities), 0::bigint);
SELECT is(dpsens_internal.entity_history('people'::regclass, 'roles_nobody'::regrole, NULL), NULL, 'nor, of a purse that there is not yet, what it would begin with');
SET ROLE roles_other;
SELECT is((SELECT string_agg(concat_ws(' ', relation, budget_of, left_epsilon), ', ' ORDER BY budget_of) FROM dpsens.my_budget), 'people roles_nobody 7, people 48.5', 'a member of the group that of the group, and of all, from which it would pay');
SET ROLE roles_owner;
SELECT is((SELECT string_agg(role || ' ' || (days_left > 0)::text, ', ' ORDER BY role) FROM dpsens.forecast WHERE entity AND role = 'roles_ben'), 'roles_ben true', 'the owner until when they last');
SELECT is((SELECT count(*) FROM dpsens.changes WHERE act = 'grant_entity_budget' AND after::text ~ 'budget of role roles_(ana|ben|group|second|nobody) on the entity'), 7::bigint, 'grants are recorded, of which entity and role');
SELECT is((SELECT after->'budget of role roles_group on the entity'->>'epsilon' FROM dpsens.changes WHERE act = 'grant_entity_budget' AND object = 'roles_tap.people' AND after::text ~ 'roles_group'), '1');

-- ---- in place of budgets on relations ----

-- a clinic whose pharmacy is somebody else's
RESET ROLE;
CREATE ROLE roles_chemist;
CREATE ROLE roles_heir;
CREATE ROLE roles_eve;
CREATE ROLE roles_team;
CREATE ROLE roles_mia IN ROLE roles_team;
GRANT CREATE ON SCHEMA roles_tap TO roles_chemist, roles_heir, roles_eve;
SET ROLE roles_owner;
CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL);
CREATE TABLE stays (id int NOT NULL REFERENCES persons, nights float8 NOT NULL);
CREATE TABLE beds (bed int PRIMARY KEY);
GRANT REFERENCES ON persons TO roles_chemist, roles_eve;
INSERT INTO persons SELECT i, i FROM generate_series(1, 50) i;
INSERT INTO stays SELECT i, i FROM generate_series(1, 50) i;
SELECT dpsens.protect('persons', 'id'), dpsens.set_range('persons', 'age', 0, 100), dpsens.protect('stays', 'id', max_rows => 2),
	dpsens.set_range('stays', 'nights', 0, 100), dpsens.protect('beds') \g /dev/null
SET ROLE roles_chemist;
CREATE TABLE drugs (id int NOT NULL REFERENCES persons, dose float8 NOT NULL);
INSERT INTO drugs SELECT i, i FROM generate_series(1, 50) i;
SELECT dpsens.protect('drugs', 'id', max_rows => 2), dpsens.set_range('drugs', 'dose', 0, 100) \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(*) FROM stays', '42501', NULL, 'nothing before');
-- A new owner's, dropped and made again: as long as the test runs.
RESET ROLE;
SET dpsens.answer_epsilon = 1;
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('persons', 'roles_team', 10), dpsens.set_budget('stays', 100) \g /dev/null
RESET ROLE;
RESET dpsens.answer_epsilon;
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(*) FROM persons', 'a member may ask about the entity');
SELECT lives_ok('SELECT dp_sum(s.nights) FROM stays s JOIN persons USING (id)', 'and about relations of its owner');
SELECT is(spent('roles_team', 'persons'), 1::numeric, 'for what it costs a person');
SELECT throws_ok('SELECT * FROM stays', '42501', NULL, 'and read no row');
SELECT throws_ok('SELECT dp_count(*) FROM beds', '42501', NULL, 'what is of no person is not opened');
SELECT throws_ok('SELECT dp_count(*) FROM drugs', '42501', NULL, 'what is somebody else''s is not');
SELECT throws_ok('SELECT dp_count(*) FROM drugs d JOIN persons USING (id)', '42501', NULL, 'nor in a join');
SELECT throws_like('SELECT dp_count(true, 1.5) FROM stays', 'epsilon 1.5 is more than one answer may be asked with from the budget of role "roles_team" on persons%', 'one answer has epsilon 1 at most');
SELECT is((SELECT string_agg(concat_ws(' ', relation, budget_of, entity, left_epsilon, answers_left), ', ' ORDER BY entity) FROM dpsens.my_budget),
	'stays f 99.5 18, persons roles_team t 9 18', 'my_budget has a line for a person''s promise, and the relation''s cap');
SELECT is(dpsens.answers_left('SELECT dp_count(true, 1) FROM stays'), 9::bigint);
SELECT is((SELECT count(*) FROM dpsens.releases WHERE role = 'roles_mia'), 3::bigint, 'its own releases it sees');
SELECT is((SELECT count(budget_of) FROM dpsens.releases WHERE role = 'roles_mia'), 0::bigint, 'for which no budget of a role on the relation paid');
SELECT is((SELECT string_agg(relation::text || ' ' || epsilon, ',') FROM dpsens.policies WHERE role = 'roles_team'), 'persons 1', 'and its group''s limits');
SELECT alike(note, '%left of the budget of role roles_team%') FROM dpsens.explain('SELECT dp_count(*) FROM stays');
SELECT is(pg_total_relation_size('stays'), NULL, 'sizes are hidden, as from who has a budget on the relation');
RESET ROLE;
GRANT SELECT ON persons TO roles_mia;
SET ROLE roles_mia;
SELECT is(pg_total_relation_size('stays'), NULL, 'from who may read the entity, too');
RESET ROLE;
REVOKE SELECT ON persons FROM roles_mia;
SET ROLE roles_owner;
SELECT is((SELECT analysts::text FROM dpsens.relations WHERE relation = 'stays'::regclass), '{roles_team}', 'the owner sees who may ask');
SELECT is((SELECT string_agg(DISTINCT role, ',') FROM dpsens.stat WHERE relation = 'roles_tap.stays' AND answers > 0), 'roles_mia', 'and who has');
SELECT dpsens.set_policy('stays', epsilon => 0.25) \g /dev/null
SET ROLE roles_mia;
SELECT throws_like('SELECT dp_count(*) FROM stays', 'epsilon 0.5 is more than one answer may be asked with about relation%', 'the policy of the relation holds');
SELECT is((SELECT epsilon FROM dpsens.policies WHERE relation = 'stays'::regclass), 0.25::float8, 'and is shown');
SET ROLE roles_owner;
SELECT dpsens.set_policy('stays', epsilon => 'Infinity') \g /dev/null

-- the chemist agrees: both pay
SET ROLE roles_chemist;
SELECT dpsens.grant_budget('drugs', 'roles_team', 5) \g /dev/null
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_sum(d.dose) FROM drugs d JOIN persons USING (id)', 'with a budget on it one may');
SELECT is(row(spent('roles_team', 'persons'), (SELECT spent_epsilon FROM dpsens.my_budget WHERE relation = 'drugs'::regclass))::text, '(1.500000,0.5)', 'and pays from both');
SET ROLE roles_chemist;
SELECT dpsens.revoke_budget('drugs', 'roles_team') \g /dev/null

-- own tables
RESET ROLE;
CREATE TABLE lookup (id int PRIMARY KEY, name text);
INSERT INTO lookup SELECT i, 'x' FROM generate_series(1, 50) i;
GRANT SELECT ON lookup TO roles_mia;
SET ROLE roles_mia;
SELECT throws_like('SELECT dp_count(*) FROM persons p JOIN lookup USING (id)', 'relation "lookup" cannot be used beside relation "persons"%', 'tables of others are not used beside it');
SELECT is((SELECT own_tables FROM dpsens.my_budget WHERE entity), false);
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('persons', 'roles_team', 10, own_tables => true) \g /dev/null
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(*) FROM persons p JOIN lookup USING (id)', 'unless the budget lets them');
SELECT is((SELECT own_tables FROM dpsens.my_budget WHERE entity), true);
SET ROLE roles_owner;
SELECT dpsens.grant_budget('persons', 'roles_team', 100) \g /dev/null
SET ROLE roles_mia;
SELECT throws_like('SELECT dp_count(*) FROM persons p JOIN lookup USING (id)', 'relation "lookup" cannot be used beside relation "persons"%', 'a budget on the relation decides for it');
SET ROLE roles_owner;
SELECT dpsens.revoke_budget('persons', 'roles_team') \g /dev/null

-- a relation that is given away, and comes back
RESET ROLE;
PREPARE ask AS SELECT dp_count(true, 0.125) FROM stays;
SET ROLE roles_mia;
SELECT lives_ok('EXECUTE ask', 'a prepared statement');
RESET ROLE;
ALTER TABLE stays OWNER TO roles_heir;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'a relation that has another owner is not opened any more');
SELECT throws_ok('EXECUTE ask', '42501', NULL, 'whenever the statement was planned');
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM persons', 'the entity is');
RESET ROLE;
-- the entity follows: its new owner has agreed to nothing
ALTER TABLE persons OWNER TO roles_heir;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'the budget of an owner who gave both away opens nothing');
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM persons', '42501', NULL, 'not the entity either');
SET ROLE roles_heir;
CREATE TABLE secrets (id int NOT NULL REFERENCES persons, x float8 NOT NULL);
SELECT dpsens.protect('secrets', 'id', max_rows => 1) \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM secrets', '42501', NULL, 'nor what the new owner has beside');
SET ROLE roles_heir;
SELECT is((SELECT count(*) FROM dpsens.budgets WHERE entity AND relation = 'persons'::regclass), 1::bigint, 'who sees that there is one');
SELECT dpsens.grant_entity_budget('persons', 'roles_team', 10) \g /dev/null
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM secrets', 'and may agree');
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM stays');
RESET ROLE;
ALTER TABLE stays OWNER TO roles_owner;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'to no more than is the new owner''s');
-- REASSIGN OWNED, DROP ROLE, and a role of the name
RESET ROLE;
REASSIGN OWNED BY roles_heir TO roles_owner;
DROP OWNED BY roles_heir;
DROP ROLE roles_heir;
CREATE ROLE roles_heir;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM persons', '42501', NULL, 'the budget of an owner who is gone opens nothing');
RESET ROLE;
ALTER TABLE persons OWNER TO roles_heir;
ALTER TABLE secrets OWNER TO roles_heir;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM persons', '42501', NULL, 'nor for another role of the name');
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM secrets', '42501', NULL);
-- a member's own budget, of another owner than the group's
SET ROLE roles_heir;
SELECT dpsens.grant_entity_budget('persons', 'roles_mia', 10) \g /dev/null
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM secrets');
RESET ROLE;
ALTER TABLE persons OWNER TO roles_owner;
ALTER TABLE stays OWNER TO roles_owner;
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('persons', 'roles_team', 10) \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'the budget that pays is the one that opens');
SET ROLE roles_owner;
SELECT dpsens.revoke_entity_budget('persons', 'roles_mia') \g /dev/null
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM stays');
-- an owner who is renamed is the same
RESET ROLE;
ALTER ROLE roles_owner RENAME TO roles_keeper;
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM stays', 'an owner who is renamed is the same');
RESET ROLE;
SELECT is((SELECT agreed_owner_name FROM dpsens.budget WHERE role = 'roles_team'::regrole AND relation = 'persons'::regclass), 'roles_keeper', 'and called so');
ALTER ROLE roles_keeper RENAME TO roles_owner;
-- the entity dropped, and made again by somebody else
SET ROLE roles_owner;
DROP TABLE persons CASCADE;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'without the entity nothing is opened');
SET ROLE roles_eve;
CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL);
SELECT dpsens.protect('persons', 'id') \g /dev/null
GRANT REFERENCES ON persons TO roles_owner;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM persons', '42501', NULL, 'nor somebody else''s table of its name');
SET ROLE roles_owner;
ALTER TABLE stays ADD CONSTRAINT stays_of FOREIGN KEY (id) REFERENCES persons NOT VALID;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'nor by it');
SET ROLE roles_eve;
SELECT dpsens.grant_entity_budget('persons', 'roles_team', 10) \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'whom the owner of the relation let refer to does not open it');
SET ROLE roles_eve;
DROP TABLE persons CASCADE;
SET ROLE roles_owner;
CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL);
SELECT dpsens.protect('persons', 'id'), dpsens.grant_entity_budget('persons', 'roles_team', 10) \g /dev/null
-- a relation that ceases to keep the promise, or to refer
ALTER TABLE stays ADD CONSTRAINT stays_of FOREIGN KEY (id) REFERENCES persons NOT VALID;
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM stays');
SET ROLE roles_owner;
SELECT dpsens.protect('stays', adjacency => 'replace') \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'of another adjacency it is not opened');
SET ROLE roles_owner;
SELECT dpsens.unprotect('stays') \g /dev/null
SELECT dpsens.protect('stays', max_rows => NULL) \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'nor where its rows are units of their own');
SET ROLE roles_owner;
SELECT dpsens.protect('stays', 'id', max_rows => 2) \g /dev/null
SET ROLE roles_mia;
SELECT lives_ok('SELECT dp_count(true, 0.125) FROM stays');
SET ROLE roles_owner;
ALTER TABLE stays DROP CONSTRAINT stays_of;
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM stays', '42501', NULL, 'nor without the foreign key');
-- revoked
SET ROLE roles_owner;
SELECT dpsens.revoke_entity_budget('persons', 'roles_team') \g /dev/null
SET ROLE roles_mia;
SELECT throws_ok('SELECT dp_count(true, 0.125) FROM persons', '42501', NULL, 'what is revoked opens nothing');
SELECT is((SELECT count(*) FROM dpsens.my_budget), 0::bigint);
RESET ROLE;
SELECT ok(all_valid(), 'every purse of persons is what its releases cost');
DEALLOCATE ask;

-- ---- periods ----

SET ROLE roles_owner;
CREATE TABLE clients (id int PRIMARY KEY);
SELECT dpsens.protect('clients', 'id'), dpsens.grant_budget('clients', 'roles_ana', 100) \g /dev/null
SET ROLE roles_ana;
SELECT dp_count(true, 1) FROM clients \g /dev/null
SELECT dp_count(true, 2) FROM clients \g /dev/null
-- the first of them was long ago
RESET ROLE;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release SET released_at = now() - interval '29 days' WHERE relation = 'clients'::regclass AND epsilon = 1;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse SET period_start = now() - interval '30 days' WHERE relation = 'clients'::regclass AND column_name = '';
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('clients', 'roles_ana', 4, refresh => '28 days') \g /dev/null
SELECT is((SELECT spent_epsilon FROM dpsens.budgets WHERE entity AND relation = 'clients'::regclass), 2::float8, 'a budget with periods begins with what was released in one that has not ended');
SET ROLE roles_ana;
SELECT throws_like('SELECT dp_count(true, 2.5) FROM clients', 'the privacy budget of role "roles_ana" on persons of entity "roles_tap.clients"%', 'and not at nothing');
SELECT dp_count(true, 0.5) FROM clients \g /dev/null
SELECT is(spent('roles_ana', 'clients'), 2.5);
SET ROLE roles_owner;
SELECT ok(period_start < now() - interval '1 microsecond' AND period_start > now() - interval '1 hour', 'the period began with the first of them') FROM dpsens.budgets WHERE entity AND relation = 'clients'::regclass;
SELECT ok(all_valid(), 'which the releases say');
-- months by the calendar
SELECT is(dpsens_internal.period_end('2024-01-31 12:00+00', '1 month'), '2024-02-29 12:00+00'::timestamptz, 'a month ends where the calendar says');
SELECT is(dpsens_internal.period_end('2024-03-01 12:00+00', '1 month'), '2024-04-01 12:00+00'::timestamptz);
RESET ROLE;
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse SET period_start = now() - interval '1 month' - interval '1 second' WHERE relation = 'clients'::regclass AND column_name = '(entity)' AND role <> 0;
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('clients', 'roles_ana', 4, refresh => '1 month') \g /dev/null
SELECT is((SELECT spent_epsilon FROM dpsens.budgets WHERE entity AND relation = 'clients'::regclass), 0::float8, 'then a new one begins');
SET ROLE roles_ana;
SELECT dp_count(true, 3.5) FROM clients \g /dev/null
SELECT is(spent('roles_ana', 'clients'), 3.5, 'with the whole budget');
SELECT ok(all_valid());
-- intervals beyond timestamps
SET ROLE roles_owner;
SELECT dpsens.grant_entity_budget('clients', 'roles_ana', 40, refresh => r::interval) FROM unnest('{300000 years,178000000 years,106751990 days 292271 years}'::text[]) r \g /dev/null
SELECT dpsens.grant_budget('clients', 'roles_ana', 400, refresh => '178000000 years') \g /dev/null
SET ROLE roles_ana;
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM clients', 'a period beyond what timestamps hold is no error');
SELECT is((SELECT count(*) FROM dpsens.my_budget WHERE relation = 'clients'::regclass), 2::bigint, 'nor of the views');
SELECT is((SELECT string_agg(refreshes_at::text, ',') FROM dpsens.forecast WHERE relation = 'clients'::regclass), NULL, 'it does not end');
SELECT is(spent('roles_ana', 'clients'), 4::numeric);
SELECT is((SELECT count(*) FROM unnest('{4713-01-01 BC,2000-01-01,2026-01-01,294000-01-01,infinity,-infinity}'::timestamptz[]) s,
	unnest('{178000000 years,-178000000 years,2147483647 days,-2147483648 days,80000 years 29000000 days 700000000:00:00,-1000 years -366000 days,80001 years,1 month}'::text[]) l,
	dpsens_internal.period_end(s, l::interval) e), 48::bigint, 'whatever the start and the length');
RESET ROLE;

-- ---- relations that come and go ----

SET ROLE roles_owner;
CREATE TABLE orders (id int NOT NULL, amount float8 NOT NULL);
SELECT dpsens.protect('orders'), dpsens.grant_budget('orders', 'roles_ana', 100) \g /dev/null
SET ROLE roles_ana;
SELECT dp_count(true, 1) FROM orders \g /dev/null
SELECT is(spent('roles_ana', 'clients'), 4::numeric, 'what does not refer to the entity does not cost its persons');
SET ROLE roles_owner;
ALTER TABLE orders ADD CONSTRAINT orders_of FOREIGN KEY (id) REFERENCES clients;
SELECT dpsens.protect('orders', 'id', max_rows => 2) \g /dev/null
SET ROLE roles_ana;
SELECT dp_count(true, 1) FROM orders \g /dev/null
SELECT is(spent('roles_ana', 'clients'), 5::numeric, 'from when it does it is charged');
SET ROLE roles_owner;
SELECT dpsens.protect('orders', adjacency => 'replace') \g /dev/null
SET ROLE roles_ana;
SELECT throws_like('SELECT dp_count(true, 1) FROM orders', 'the privacy budget of entity "roles_tap.clients" cannot be kept in answers about relation "orders"', 'where the declarations do not bound what a person loses nothing is answered');
SET ROLE roles_owner;
SELECT lives_ok('SELECT dp_count(true, 1) FROM orders', 'but to those who have no budget on the entity');
SELECT dpsens.protect('orders', adjacency => 'add_remove') \g /dev/null
ALTER TABLE orders DROP CONSTRAINT orders_of;
SET ROLE roles_ana;
SELECT dp_count(true, 1) FROM orders \g /dev/null
SELECT is(spent('roles_ana', 'clients'), 5::numeric, 'one that ceases to refer takes nothing back');

-- made again, renamed
SET ROLE roles_owner;
DROP TABLE clients CASCADE;
CREATE TABLE clients (id int PRIMARY KEY);
SELECT dpsens.protect('clients', 'id') \g /dev/null
SELECT is((SELECT spent_epsilon FROM dpsens.budgets WHERE entity AND relation = 'clients'::regclass AND role IS NOT NULL), 5::float8, 'a table that is made again goes on');
SET ROLE roles_ana;
SELECT dp_count(true, 1) FROM clients \g /dev/null
SELECT is(spent('roles_ana', 'clients'), 6::numeric, 'where it was');
SELECT ok(all_valid(), 'as its releases say');
SET ROLE roles_owner;
ALTER TABLE clients RENAME TO customers;
SET ROLE roles_ana;
SELECT dp_count(true, 1) FROM customers \g /dev/null
SELECT is(spent('roles_ana', 'customers'), 7::numeric, 'as does one that is renamed');
RESET ROLE;
ALTER ROLE roles_ana RENAME TO roles_anna;
SET ROLE roles_anna;
SELECT dp_count(true, 1) FROM customers \g /dev/null
SELECT is(spent('roles_anna', 'customers'), 8::numeric, 'and a role that is');
RESET ROLE;
ALTER ROLE roles_anna RENAME TO roles_ana;
SELECT ok(all_valid());

-- a role that is dropped and made again
DROP ROLE roles_group;
CREATE ROLE roles_group;
GRANT roles_group TO roles_ben;
SET ROLE roles_owner;
SELECT is((SELECT count(*) FROM dpsens.budgets WHERE role = 'roles_group'), 0::bigint, 'one of its name has no part in a role''s budget');
DO $$ DECLARE said text; BEGIN
	SET LOCAL client_min_messages = warning;
	PERFORM dpsens.grant_entity_budget('people', 'roles_group', 1);
END $$;
SELECT is((SELECT spent_epsilon FROM dpsens.budgets WHERE role = 'roles_group' AND entity), 0::float8, 'and begins anew');

-- Costs of what everybody looks at: nothing that the server would compile.
RESET ROLE;
CREATE FUNCTION plan_cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json; BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Total Cost';
END $$;
SELECT cmp_ok(plan_cost('TABLE dpsens.' || v), '<', current_setting('jit_above_cost')::float8, 'view ' || v || ' is cheap to plan') FROM unnest('{policies,budgets,my_budget,entities}'::text[]) v;

DROP SCHEMA roles_tap CASCADE;
DROP ROLE roles_chemist, roles_heir, roles_eve, roles_team, roles_mia, roles_owner, roles_other, roles_ana, roles_ben, roles_group, roles_second, roles_auditor, roles_nobody;
SELECT * FROM finish();
