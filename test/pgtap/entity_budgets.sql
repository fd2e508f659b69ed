-- Budgets of entities: one promise to a person, whichever relations tell of her.
--
-- A hospital: patients, visits, labs, of one person each; three relations, one budget.  Everything is committed as it goes.
-- Files: ledger/entity.c, ledger/charge/entity_claims.c, ledger/budget/sql_entity_budget.c, guard/entity_costs.c,
-- glue/constraint/reference.c, ledger/charge/book.c, ledger/authority.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

DROP SCHEMA IF EXISTS entity_tap CASCADE;
DROP ROLE IF EXISTS entity_owner, entity_analyst, entity_reader, entity_stranger;
CREATE ROLE entity_owner;
CREATE ROLE entity_analyst;
CREATE ROLE entity_reader;
CREATE ROLE entity_stranger;
CREATE SCHEMA entity_tap AUTHORIZATION entity_owner;
GRANT USAGE ON SCHEMA entity_tap TO PUBLIC;
SET search_path = entity_tap, public;
SET ROLE entity_owner;
CREATE TABLE patients (patient_id bigint PRIMARY KEY, age float8 NOT NULL, house int NOT NULL DEFAULT 1);
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, cost float8 NOT NULL);
CREATE TABLE labs (lab_id int PRIMARY KEY, visit_id int NOT NULL REFERENCES visits, value float8 NOT NULL);
CREATE TABLE wards (ward int PRIMARY KEY, beds float8 NOT NULL);
CREATE TABLE bills (patient_id bigint PRIMARY KEY REFERENCES patients, amount float8 NOT NULL);
CREATE TABLE notes (note_id int PRIMARY KEY, patient_id bigint NOT NULL REFERENCES patients, length float8 NOT NULL);
INSERT INTO patients SELECT i, i % 90 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, i % 100 + 1, i % 50 FROM generate_series(1, 300) i;
INSERT INTO labs SELECT i, i % 300 + 1, i % 7 FROM generate_series(1, 900) i;
INSERT INTO wards SELECT i, i FROM generate_series(1, 9) i;
INSERT INTO bills SELECT i, i FROM generate_series(1, 100) i;
INSERT INTO notes SELECT i, i, i FROM generate_series(1, 100) i;
CREATE FUNCTION declare_hospital(adjacency text DEFAULT 'add_remove') RETURNS void LANGUAGE sql AS $$
	SELECT dpsens.protect('patients', 'patient_id', adjacency), dpsens.set_range('patients', 'age', 0, 100),
		dpsens.protect('visits', 'patient_id', adjacency, max_rows => 4), dpsens.set_range('visits', 'cost', 0, 50),
		dpsens.protect('labs', 'visits.patient_id', adjacency, max_rows => 12), dpsens.set_range('labs', 'value', 0, 7),
		dpsens.protect('bills', 'patient_id', adjacency), dpsens.set_range('bills', 'amount', 0, 100),
		dpsens.protect('wards', adjacency => adjacency), dpsens.set_range('wards', 'beds', 0, 10)
$$;
SELECT declare_hospital() \g /dev/null
SET dpsens.epsilon = 0.5;

-- What the persons have spent, {epsilon, rho, delta}, and what since the last call.
CREATE FUNCTION spent(rel text DEFAULT 'patients', col name DEFAULT '(entity)') RETURNS float8[] LANGUAGE sql SECURITY DEFINER AS $$
	SELECT ARRAY[spent_epsilon / 2.0 ^ 40, spent_rho / 2.0 ^ 40, spent_delta / 2.0 ^ 62]::float8[] FROM dpsens.purse
	WHERE relation = ('entity_tap.' || rel)::regclass AND column_name = col AND role = 0
$$;
RESET ROLE;
ALTER FUNCTION spent OWNER TO CURRENT_USER;
CREATE TABLE last_spent AS SELECT '{0,0,0}'::float8[] AS amounts;
CREATE FUNCTION cost() RETURNS float8[] LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	before float8[] := (SELECT amounts FROM entity_tap.last_spent);
	now float8[] := COALESCE(entity_tap.spent(), '{0,0,0}');
BEGIN
	UPDATE entity_tap.last_spent SET amounts = now;
	RETURN (SELECT array_agg(round((n - b)::numeric, 6)::float8 ORDER BY o) FROM unnest(now, before) WITH ORDINALITY u(n, b, o));
END $$;
CREATE FUNCTION costs_epsilon() RETURNS float8 LANGUAGE sql AS 'SELECT (cost())[1]';

-- ---- which relations ----

SELECT throws_like($$SELECT dpsens.set_entity_budget('wards', 1)$$, 'relation "wards" cannot have the budget of an entity', 'rows are no unit that others refer to');
SELECT throws_like($$SELECT dpsens.set_entity_budget('labs', 1)$$, 'relation "labs" cannot have the budget of an entity', 'a unit by reference');
SELECT throws_like($$SELECT dpsens.set_entity_budget('visits', 1)$$, 'relation "visits" cannot have the budget of an entity', 'a unit of several rows');
SELECT throws_like($$SELECT dpsens.set_entity_budget('notes', 1)$$, 'relation "notes" is not protected');
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients')$$, 'a budget needs epsilon or rho');
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients', 1, rho => 1)$$, 'a budget is stated by epsilon or by rho, not by both');
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients', 'Infinity', 1e-6)$$, 'a budget that is taken away has no delta');
SELECT throws_like($$SELECT dpsens.set_entity_budget(NULL, 1)$$, '%relation%');
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients', 0)$$, 'epsilon 0 is outside the valid range');
SET ROLE entity_stranger;
SELECT throws_ok($$SELECT dpsens.set_entity_budget('entity_tap.patients', 1)$$, '42501', NULL, 'the owner alone');
RESET ROLE;
SELECT dpsens.protect('bills', adjacency => 'replace') \g /dev/null
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients', 1)$$, 'relation "bills" cannot share the budget of entity "patients"', 'another adjacency');
SELECT dpsens.protect('bills', adjacency => 'attribute') \g /dev/null
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients', 1)$$, 'relation "bills" cannot share the budget of entity "patients"', 'one about single cells');
SELECT dpsens.protect('bills', adjacency => 'add_remove'), dpsens.protect('patients', adjacency => 'metric') \g /dev/null
SELECT throws_like($$SELECT dpsens.set_entity_budget('patients', 1)$$, 'relation "patients" cannot have the budget of an entity', 'the entity''s own is about distances');
SELECT dpsens.protect('patients', adjacency => 'add_remove') \g /dev/null

-- a key that is compared otherwise: two units of the one could be a person of the other
CREATE TABLE named (name text COLLATE "C" PRIMARY KEY);
CREATE TABLE calls (name varchar(9) COLLATE "POSIX" NOT NULL REFERENCES named, x float8 NOT NULL);
SELECT dpsens.protect('named', 'name'), dpsens.protect('calls', 'name', max_rows => 1), dpsens.set_range('calls', 'x', 0, 1) \g /dev/null
SELECT throws_like($$SELECT dpsens.set_entity_budget('named', 1)$$, 'relation "calls" cannot share the budget of entity "named"', 'of another type and collation');
SELECT is((SELECT array_agg(e::regclass::text ORDER BY e::regclass::text) FROM unnest(dpsens_internal.entities_of('labs'::regclass)) e), '{labs,patients,visits}', 'through a reference and a value');
SELECT is((SELECT array_agg(e::regclass::text ORDER BY e::regclass::text) FROM unnest(dpsens_internal.entities_of('notes'::regclass)) e), '{notes}', 'a foreign key of no unit is none');
SELECT is(dpsens_internal.entities_of(0), '{}'::oid[], 'nothing that is gone');

-- ---- what answers cost ----

SELECT dp_count(*) FROM visits \g /dev/null
SELECT dp_sum(v.cost) FROM visits v JOIN patients USING (patient_id) \g /dev/null
SELECT dpsens.set_entity_budget('patients', 100, 1e-3) \g /dev/null
SELECT is((SELECT row(b.role, b.epsilon, b.delta, b.spent_epsilon, b.charges, b.column_name)::text FROM dpsens.budgets b WHERE b.relation = 'patients'::regclass AND b.entity),
	'(,100,0.001,1.5,0,)', 'answers from before cost what each relation was charged');
SELECT is((SELECT array_agg(relation::text ORDER BY relation::text) FROM dpsens.entities WHERE entity = 'patients'::regclass AND refused IS NULL), '{bills,labs,patients,visits}', 'whose relations are shown');
SELECT dp_count(*) FROM patients \g /dev/null
SELECT is(spent(), ARRAY[2, (spent('patients', ''))[2] + (spent('visits', ''))[2], 0]::float8[], 'and the first charge begins with them');
SELECT cost() \g /dev/null
SELECT dp_count(*) FROM visits \g /dev/null
SELECT is(costs_epsilon(), 0.5::float8, 'a relation with the unit as a column');
SELECT dp_count(*) FROM labs \g /dev/null
SELECT is(costs_epsilon(), 0.5::float8, 'one with the unit by reference');
SELECT dp_count(*), dp_sum(age) FROM patients \g /dev/null
SELECT is(costs_epsilon(), 1::float8, 'releases add up');
SELECT dp_sum(v.cost) FROM visits v JOIN patients USING (patient_id) \g /dev/null
SELECT is(costs_epsilon(), 0.5::float8, 'a join of two costs a person once');
SELECT dp_sum(l.value) FROM labs l JOIN visits v USING (visit_id) JOIN patients p ON p.patient_id = v.patient_id \g /dev/null
SELECT is(costs_epsilon(), 0.5::float8, 'and one of three');
SELECT dp_count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id AND v.cost > 10) \g /dev/null
SELECT is(costs_epsilon(), 0.5::float8, 'a subquery in a condition');
SELECT n, dp_count(*) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) s WHERE n IN (1, 2) GROUP BY n HAVING n > 0 \g /dev/null
SELECT ok(costs_epsilon() >= 0.5, 'groups below');
SELECT dp_count(*), (SELECT dp_count(*) FROM visits) FROM patients \g /dev/null
SELECT is(costs_epsilon(), 1::float8, 'two levels of a statement');
SELECT dp_count(*) FROM wards \g /dev/null
SELECT is(costs_epsilon(), 0::float8, 'what is of nobody costs nobody');
SELECT dp_sum(x) FROM (SELECT age AS x FROM patients UNION ALL SELECT amount FROM bills) u \g /dev/null
SELECT is(costs_epsilon(), 1::float8, 'two arms of UNION ALL cost twice the epsilon');
SELECT dp_sum(x) FROM (SELECT age AS x FROM patients UNION ALL SELECT beds FROM wards) u \g /dev/null
SELECT is(costs_epsilon(), 1::float8, 'whosever the other arm is');
SET dpsens.mechanism = gaussian;
SELECT dp_sum(x) FROM (SELECT age AS x FROM patients UNION ALL SELECT amount FROM bills) u \g /dev/null
SELECT ok(abs((cost())[2] - 4 * (SELECT charge_rho / 2.0 ^ 40 FROM dpsens.release ORDER BY release DESC LIMIT 1)) < 1e-6, 'of Gaussian noise four times the rho');
RESET dpsens.mechanism;
SET dpsens.delta = 1e-6;
SELECT house, dp_count(*) FROM patients GROUP BY house \g /dev/null
SELECT ok((cost())[3] BETWEEN 0 AND 1e-6, 'finding groups costs delta');
SELECT is((SELECT count(*) FROM dpsens.release WHERE mechanism = 'partition' AND 'patients'::regclass = ANY (entities) AND statement = (SELECT max(statement) FROM dpsens.release)), 1::bigint, 'once');
RESET dpsens.delta;
SELECT is((SELECT string_agg(relation || ' ' || COALESCE(entities::text, '-') || ' ' || arms, ', ' ORDER BY release)
	FROM dpsens.releases WHERE statement = (SELECT max(statement) FROM dpsens.release WHERE arms = 2) AND arms = 2),
	'entity_tap.patients {patients} 2, entity_tap.bills - 2', 'the history says by which item the entity paid');
SELECT ok((SELECT count(*) = 6 AND bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'entity\_tap.%'), 'every purse is what its releases cost');
SELECT is((SELECT recorded_epsilon FROM dpsens.verify_ledger() WHERE relation = 'entity_tap.patients (entity)'), 'Infinity', 'the entity''s, too');

-- training, and rows with accounts
\ir new_model.psql
SELECT new_model('entity_model', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}') \g /dev/null
SELECT cost() \g /dev/null
CALL dpsens.train('entity_model', 'patients', '{age}', 'age', 3, 1e-40, clip => 1, expected_rows => 100, noise_multiplier => 8, delta => 1e-6);
SELECT ok(abs((cost())[2] - (SELECT charge_rho / 2.0 ^ 40 FROM dpsens.release ORDER BY release DESC LIMIT 1)) < 1e-6, 'training is charged');
CALL dpsens.train('entity_model', 'patients', '{age}', 'age', 3, 0.1, clip => 1, expected_rows => 100, noise_multiplier => 8, sampling_rate => 0.1, delta => 1e-6);
SELECT ok((spent())[3] > (SELECT amounts[3] FROM last_spent), 'and its delta, on samples');
SELECT dpsens.drop_model('entity_model') \g /dev/null
SELECT dpsens.set_budget('bills', row_epsilon => 1) \g /dev/null
SELECT dp_sum(amount) FROM bills \g /dev/null
SELECT dp_sum(amount) FROM bills \g /dev/null
SELECT dp_sum(amount) FROM bills \g /dev/null
SELECT is((cost())[2] > 0, true, 'rows with accounts of their own are charged in full');
SELECT dpsens.set_budget('bills', row_epsilon => 'Infinity') \g /dev/null

-- ---- the cap ----

CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL);
CREATE TABLE trips (id int NOT NULL REFERENCES persons, far float8 NOT NULL);
CREATE TABLE later (id int NOT NULL REFERENCES persons, x float8 NOT NULL);
INSERT INTO persons SELECT i, i FROM generate_series(1, 50) i;
INSERT INTO trips SELECT i, i FROM generate_series(1, 50) i;
INSERT INTO later SELECT i, i FROM generate_series(1, 50) i;
ALTER TABLE persons OWNER TO entity_owner;
ALTER TABLE trips OWNER TO entity_owner;
ALTER TABLE later OWNER TO entity_owner;
SELECT dpsens.protect('persons', 'id'), dpsens.set_range('persons', 'age', 0, 100), dpsens.protect('trips', 'id', max_rows => 2), dpsens.set_range('trips', 'far', 0, 100) \g /dev/null
SELECT dpsens.protect('later'), dpsens.set_range('later', 'x', 0, 1) \g /dev/null
SELECT dpsens.grant_budget('trips', 'entity_analyst', 10), dpsens.set_policy('trips', 'entity_analyst', 'Infinity') \g /dev/null
GRANT SELECT (far) ON trips TO entity_reader;
SELECT dp_count(*) FROM later \g /dev/null
SET ROLE entity_owner;
SELECT dpsens.set_entity_budget('persons', 2) \g /dev/null
RESET ROLE;
SELECT dp_count(*) FROM persons \g /dev/null
SET ROLE entity_analyst;
SELECT dp_count(*) FROM trips \g /dev/null
SELECT is((SELECT string_agg(concat_ws(' ', b.relation, b.budget_of, b.entity, b.epsilon, b.spent_epsilon, b.left_epsilon, b.answers_left), ', ' ORDER BY b.entity) FROM dpsens.my_budget b),
	'trips entity_analyst f 10 0.5 9.5 2, persons t 2 1 1 2', 'an analyst sees the promise beside the budget, and how many answers both leave');
SELECT is(dpsens.answers_left('SELECT dp_count(true, 0.25) FROM trips'), 4::bigint, 'and how often a query can be asked');
SELECT alike(note, '%costs a person of persons epsilon 0.5 and rho %, of epsilon 1 and rho 0 that are left of its budget', 'which explain says, too') FROM dpsens.explain('SELECT dp_count(*) FROM trips');
SELECT throws_like('SELECT dp_count(true, 1.5) FROM trips', 'the privacy budget of entity "entity_tap.persons" does not allow this statement');
SELECT is((SELECT count(*) FROM dpsens.entities), 0::bigint, 'whose relations are the owners'' to see');
SELECT is((SELECT count(*) FROM dpsens.budgets), 0::bigint, 'and their caps');
SET ROLE entity_reader;
SELECT is((SELECT string_agg(concat_ws(' ', b.relation, b.entity, b.left_epsilon), ', ') FROM dpsens.my_budget b), 'persons t 1', 'who may read a column pays, too, and sees it');
SET ROLE entity_stranger;
SELECT is((SELECT count(*) FROM dpsens.my_budget) + (SELECT count(*) FROM dpsens.budgets) + (SELECT count(*) FROM dpsens.entities), 0::bigint, 'a stranger sees nothing');
SET ROLE entity_owner;
SELECT is((SELECT string_agg(concat_ws(' ', b.relation, b.entity, b.spent_epsilon), ', ') FROM dpsens.budgets b WHERE b.relation = 'persons'::regclass AND b.role IS NULL), 'persons t 1', 'the owner sees what was spent');
RESET ROLE;
SELECT is(spent('persons') || spent('trips', '') || spent('persons', ''), ARRAY[1, (spent('persons'))[2], 0, 0.5, (spent('trips', ''))[2], 0, 0.5, (spent('persons', ''))[2], 0]::float8[], 'a refusal charges nobody');
SELECT throws_like('SELECT dp_count(true, 0.6), (SELECT dp_count(true, 0.6) FROM persons) FROM trips', 'the privacy budget of entity %', 'nor does one of a statement of which each half would be answered');
SELECT is((spent('persons'))[1] || (spent('trips', ''))[1:1] || (spent('persons', ''))[1:1], '{1,0.5,0.5}'::float8[]);
SELECT dpsens.set_budget('trips', 0.75) \g /dev/null
SELECT throws_like('SELECT dp_count(true, 0.3) FROM trips', 'the privacy budget of relation "entity_tap.trips" does not allow this statement', 'a relation refuses for itself');
SELECT is((spent('persons'))[1], 1::float8, 'and the entity is not charged');
SELECT dpsens.set_budget('trips', 'Infinity') \g /dev/null

-- ---- relations that come and go ----

SELECT dp_count(*) FROM later \g /dev/null
SELECT is((spent('persons'))[1], 1::float8, 'whose rows are their own units is not charged');
SELECT dpsens.protect('later', 'id', max_rows => 1) \g /dev/null
SELECT dp_count(true, 0.25) FROM later \g /dev/null
SELECT is((spent('persons'))[1], 1.25::float8, 'from when its unit refers to the entity it is');
BEGIN;
SELECT dpsens.unprotect('later') \g /dev/null
SELECT dpsens.protect('later'), dpsens.set_range('later', 'x', 0, 1) \g /dev/null
SELECT throws_like('SELECT dp_count(true, 0.25) FROM later', 'a private answer about relation "entity_tap.later" needs declarations that are committed');
ROLLBACK;
SELECT dpsens.protect('later', adjacency => 'replace') \g /dev/null
SELECT throws_like('SELECT dp_count(true, 0.25) FROM later', 'the privacy budget of entity "entity_tap.persons" cannot be kept in answers about relation "later"');
SELECT alike((SELECT refused FROM dpsens.entities WHERE relation = 'later'::regclass), 'It is protected with another adjacency%', 'dpsens.entities says why');
SELECT alike((SELECT note FROM dpsens.explain('SELECT dp_sum(x, 0.25) FROM later')), '%costs a person of persons epsilon infinite%', 'explain that it has no bound');
SELECT dpsens.protect('later', adjacency => 'add_remove') \g /dev/null
ALTER TABLE later DROP CONSTRAINT later_id_fkey;
SELECT dp_count(true, 0.25) FROM later \g /dev/null
SELECT is((spent('persons'))[1], 1.25::float8, 'without the foreign key it is the entity''s no more, which gets nothing back');
ALTER TABLE later ADD FOREIGN KEY (id) REFERENCES persons NOT VALID;
SELECT dp_count(true, 0.25) FROM later \g /dev/null
SELECT is((spent('persons'))[1], 1.5::float8, 'one that is not validated counts');
SELECT dpsens.unprotect('persons') \g /dev/null
SELECT throws_like('SELECT dp_count(true, 0.25) FROM trips', 'the privacy budget of entity "entity_tap.persons" cannot be kept in answers about relation "trips"');
SELECT dpsens.protect('persons', 'id'), dpsens.set_range('persons', 'age', 0, 100) \g /dev/null
-- rows that are shared
CREATE TABLE more_trips () INHERITS (trips);
SELECT dpsens.protect('more_trips'), dpsens.set_range('more_trips', 'far', 0, 100) \g /dev/null
SELECT throws_like('SELECT dp_count(true, 0.25) FROM more_trips', 'the privacy budget of entity "entity_tap.persons" cannot be kept in answers about relation "more_trips"');
DROP TABLE more_trips;
-- the budget goes, the account stays
SELECT dpsens.set_entity_budget('persons', 'Infinity') \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.budgets WHERE entity AND relation = 'persons'::regclass), 0::bigint, 'it can be taken away');
SELECT dp_count(true, 2) FROM trips \g /dev/null
SELECT is((spent('persons'))[1], 3.5::float8, 'and is charged all the same');
SELECT dpsens.set_entity_budget('persons', 5, 1e-6), dpsens.set_entity_budget('persons', 6) \g /dev/null
SELECT is((SELECT row(delta, left_epsilon)::text FROM dpsens.budgets WHERE entity AND relation = 'persons'::regclass), '(1e-06,2.5)', 'set anew it goes on; a delta that is not named stays');
-- the entity goes, and comes back
ALTER TABLE persons RENAME TO people;
ALTER TABLE people RENAME TO persons;
DROP TABLE persons CASCADE;
SELECT lives_ok('SELECT dp_count(true, 0.25) FROM trips', 'without it nothing refers to it');
CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL);
INSERT INTO persons SELECT i, i FROM generate_series(1, 50) i;
ALTER TABLE persons OWNER TO entity_owner;
ALTER TABLE trips ADD FOREIGN KEY (id) REFERENCES persons;
SELECT dpsens.protect('persons', 'id'), dpsens.set_range('persons', 'age', 0, 100) \g /dev/null
SELECT is((SELECT left_epsilon FROM dpsens.budgets WHERE entity AND relation = 'persons'::regclass), 2.5::float8, 'one of its name goes on');
SELECT dp_count(true, 0.25) FROM trips \g /dev/null
SELECT is((spent('persons'))[1], 3.75::float8, 'where it was');
SELECT ok((SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'entity\_tap.persons%'), 'which its releases say');
SELECT throws_like('SELECT dp_count(true, 3) FROM trips', 'the privacy budget of entity "entity_tap.persons" does not allow this statement');

-- columns
ALTER TABLE trips ADD "(entity)" float8;
SELECT throws_like($$SELECT dpsens.set_column_budget('trips', '(entity)', 1)$$, 'column "(entity)" of relation "trips" cannot have a budget of its own');
ALTER TABLE persons RENAME age TO years;
SELECT pass('columns of an entity can be renamed');

-- ---- replace ----

DROP TABLE named CASCADE;
SELECT declare_hospital('replace') \g /dev/null
SELECT cost() \g /dev/null
SELECT dp_sum(v.cost) FROM visits v JOIN patients USING (patient_id) \g /dev/null
SELECT is(costs_epsilon() IS NOT NULL AND (spent())[2] > 0, true, 'under replace alike, if all are');
SELECT ok((SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'entity\_tap.%'), 'every purse is what its releases cost');

-- ---- what was spent before ----

-- tables that are made again each night
CREATE TABLE members (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE loaded (member int NOT NULL REFERENCES members, y float8 NOT NULL);
SELECT dpsens.protect('members', 'id'), dpsens.protect('loaded', 'member', max_rows => 2) \g /dev/null
SELECT dp_count(true, 4) FROM loaded \g /dev/null
DROP TABLE loaded;
CREATE TABLE loaded (member int NOT NULL REFERENCES members, y float8 NOT NULL);
SELECT dpsens.protect('loaded', 'member', max_rows => 2), dpsens.set_entity_budget('members', 50) \g /dev/null
SELECT dp_count(true, 0.25) FROM members \g /dev/null
SELECT is(round((spent('members'))[1]::numeric, 6), 4.25, 'what the former table answered counts, whichever relation is asked about first');
SELECT ok((SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'entity\_tap.members%'), 'by the releases');

-- foreign keys of partitions alone
CREATE TABLE parted (member int NOT NULL, y float8 NOT NULL) PARTITION BY RANGE (y);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (5);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (5) TO (9);
ALTER TABLE parted_1 ADD FOREIGN KEY (member) REFERENCES members;
SELECT dpsens.protect('parted', 'member', max_rows => 2) \g /dev/null
SELECT is((SELECT refused FROM dpsens.entities WHERE entity = 'members'::regclass AND relation = 'parted'::regclass), NULL, 'a partition that refers makes the whole one of the entity''s');
SELECT dp_count(true, 0.5) FROM parted \g /dev/null
SELECT is(round((spent('members'))[1]::numeric, 6), 4.75, 'which is charged');

-- relations of others
RESET ROLE;
GRANT REFERENCES ON members TO entity_stranger;
GRANT CREATE ON SCHEMA entity_tap TO entity_stranger;
SET ROLE entity_stranger;
CREATE TABLE foreign_cells (member int NOT NULL REFERENCES members, z float8 NOT NULL);
SELECT dpsens.protect('foreign_cells', adjacency => 'attribute', unit => 'member') \g /dev/null
RESET ROLE;
REVOKE CREATE ON SCHEMA entity_tap FROM entity_stranger;
ALTER TABLE members OWNER TO entity_owner;
SET ROLE entity_owner;
SELECT lives_ok($$SELECT dpsens.set_entity_budget('members', 60)$$, 'a relation of somebody else''s does not stop the owner from setting a budget');
RESET ROLE;
SELECT throws_ok('SELECT dp_count(true, 0.1) FROM foreign_cells', NULL, NULL, 'there are no answers about it');

-- what was spent is nobody's business where there is no budget
CREATE TABLE unbudgeted (id int PRIMARY KEY);
SELECT dpsens.protect('unbudgeted', 'id') \g /dev/null
SELECT dp_count(true, 1) FROM unbudgeted \g /dev/null
SELECT is(dpsens_internal.entity_history('unbudgeted'::regclass, 0, NULL), NULL, 'no history without a budget');

DROP SCHEMA entity_tap CASCADE;
DROP ROLE entity_owner, entity_analyst, entity_reader, entity_stranger;
SELECT * FROM finish();
