-- Groups of units that are protected together: dpsens.protect(..., group_size => k).
--
-- A table of persons who live in households of up to four, beside the same table where each person is protected by herself.  What a
-- query answers is the same; the noise and the cost are those of four persons at once.
-- Files: guard/source/group_size.c, ledger/journal/group_history.c, ledger/charge/entity_claims.c, glue/label/label.c,
-- glue/label/sql_relation.c, noise/partition.c, agg/families/partition_selection.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

DROP SCHEMA IF EXISTS group_tap CASCADE;
DROP ROLE IF EXISTS group_owner, group_analyst;
CREATE ROLE group_owner;
CREATE ROLE group_analyst;
CREATE SCHEMA group_tap AUTHORIZATION group_owner;
GRANT USAGE ON SCHEMA group_tap TO PUBLIC;
SET search_path = group_tap, public;
SET ROLE group_owner;
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;

CREATE TABLE alone (id int PRIMARY KEY, age int NOT NULL, sex text NOT NULL, city text NOT NULL, fit boolean NOT NULL, x float8 NOT NULL);
INSERT INTO alone SELECT i, i % 90, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, 'c' || i % 5, i % 3 = 0, i % 10 FROM generate_series(1, 400) i;
CREATE TABLE house AS TABLE alone;
ALTER TABLE house ADD PRIMARY KEY (id), ALTER age SET NOT NULL, ALTER sex SET NOT NULL, ALTER city SET NOT NULL, ALTER fit SET NOT NULL, ALTER x SET NOT NULL;
CREATE FUNCTION declare(rel regclass, k int, adjacency text DEFAULT 'add_remove') RETURNS void LANGUAGE sql AS $$
	SELECT dpsens.protect(rel, unit => 'id', adjacency => adjacency, group_size => k), dpsens.set_range(rel, 'age', 0, 90),
		dpsens.set_range(rel, 'x', -1, 9), dpsens.set_values(rel, 'sex', 'f', 'm')
$$;
CREATE FUNCTION label(rel regclass) RETURNS text LANGUAGE sql AS $$
	SELECT label FROM pg_seclabel WHERE objoid = rel AND objsubid = 0 AND provider = 'dpsens'
$$;

-- ---- declarations ----

SELECT declare('alone', NULL), declare('house', 4) \g /dev/null
SELECT is(label('alone'), 'PROTECTED ADJACENCY add_remove', 'without a group size each unit is protected by itself');
SELECT is(label('house'), 'PROTECTED ADJACENCY add_remove GROUP SIZE 4', 'a group size is a clause of the label');
SELECT results_eq($$SELECT relation::text, group_size FROM dpsens.relations WHERE relation IN ('alone'::regclass, 'house'::regclass) ORDER BY 1$$,
	$$VALUES ('alone', 1), ('house', 4)$$, 'the owner is shown it');
SELECT dpsens.protect('house') \g /dev/null
SELECT is(label('house'), 'PROTECTED ADJACENCY add_remove GROUP SIZE 4', 'what is not named stays');
SELECT dpsens.protect('house', group_size => 1) \g /dev/null
SELECT is(label('house'), 'PROTECTED ADJACENCY add_remove', 'one is no group');
SELECT dpsens.protect('house', group_size => 4) \g /dev/null
SELECT throws_ok(format('SELECT dpsens.protect(''house'', group_size => %s)', k), '22023', 'group_size must be between 1 and 1024', 'no group of ' || k)
FROM unnest(ARRAY[0, -1, 1025]) k;
SELECT throws_ok(format('SELECT dpsens.protect(''house'', adjacency => %L)', a), '0A000', 'groups of units are not supported under adjacency ' || a,
	'no groups under ' || a) FROM unnest(ARRAY['attribute', 'metric']) a;
SELECT lives_ok($$SELECT dpsens.protect('house', adjacency => 'attribute', group_size => 1)$$, 'but units by themselves');
SELECT throws_ok($$SELECT dpsens.protect('house', group_size => 2)$$, '0A000', 'groups of units are not supported under adjacency attribute',
	'nor are they made into groups later');
SELECT dpsens.protect('house', adjacency => 'add_remove', group_size => 4) \g /dev/null
SELECT throws_ok(format('SECURITY LABEL FOR dpsens ON TABLE house IS %L', l), '42601', NULL, 'no label: ' || l)
FROM unnest(ARRAY['PROTECTED GROUP SIZE', 'PROTECTED GROUP SIZE 0', 'PROTECTED GROUP SIZE 1025', 'PROTECTED GROUP SIZE 2 GROUP SIZE 3', 'PROTECTED GROUP 2',
	'PROTECTED GROUP SIZE 2 MAX ROWS 3', 'PUBLIC GROUP SIZE 2', 'PROTECTED MAX ROWS 2 MAX ROWS 2']) l;
SELECT lives_ok($$SECURITY LABEL FOR dpsens ON TABLE house IS 'PROTECTED ADJACENCY replace MAX ROWS 3 MAX GROUPS 2 GROUP SIZE 7'$$, 'a label with all clauses');
SELECT results_eq($$SELECT adjacency, max_rows, max_groups, group_size FROM dpsens.relations WHERE relation = 'house'::regclass$$,
	$$VALUES ('replace', 3, 2, 7)$$, 'is read');
SELECT dpsens.unprotect('house'); SELECT declare('house', 4) \g /dev/null

-- ---- noise and cost ----

-- What explain says of the query's answers from the table.
CREATE FUNCTION said(query text, rel text) RETURNS TABLE (n bigint, sensitivity float8, noise_scale float8, epsilon float8, cost_epsilon float8, cost_rho float8, cost_delta float8, note text)
LANGUAGE sql AS $$
	SELECT row_number() OVER (), sensitivity, noise_scale, epsilon, cost_epsilon, cost_rho, cost_delta, note FROM dpsens.explain(format(query, rel))
$$;
CREATE TABLE questions (query text, adjacency text, mechanism text, factor float8);
INSERT INTO questions
SELECT q, a, m, 4
FROM unnest(ARRAY['SELECT dp_count(*) FROM %s', 'SELECT dp_sum(age) FROM %s', 'SELECT sex, dp_count(*), dp_sum(x) FROM %s GROUP BY sex',
	'SELECT dp_avg(age) FROM %s', 'SELECT dp_count(DISTINCT age) FROM %s', 'SELECT dp_bool_or(fit AND age > 80) FROM %s',
	'SELECT dp_median(age) FROM %s', 'SELECT dp_mode(sex) FROM %s', 'SELECT sex, dp_quantile(age, 0.9) FROM %s GROUP BY sex', 'SELECT dp_max(age) FROM %s',
	'SELECT dp_sum(ARRAY[age, x]) FROM %s', 'SELECT dp_variance(age) FROM %s', 'SELECT dp_histogram(age, 9) FROM %s']) q,
	unnest(ARRAY['add_remove', 'replace']) a, unnest(ARRAY['laplace', 'gaussian']) m;
CREATE FUNCTION compared() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	q record;
	pair record;
BEGIN
	FOR q IN SELECT * FROM group_tap.questions ORDER BY adjacency, mechanism, query LOOP
		PERFORM dpsens.protect('alone', adjacency => q.adjacency), dpsens.protect('house', adjacency => q.adjacency),
			set_config('dpsens.mechanism', q.mechanism, true);
		FOR pair IN SELECT a.sensitivity AS one, b.sensitivity AS four, a.note AS one_note, b.note, b.epsilon, b.cost_epsilon, b.cost_rho, b.cost_delta
			FROM group_tap.said(q.query, 'alone') a JOIN group_tap.said(q.query, 'house') b USING (n) LOOP
			-- the grid can be coarser, and a scale is rounded up
			RETURN NEXT ok(pair.four BETWEEN pair.one * 3.999 AND pair.one * 4.001,
				format('%s, %s: the sensitivity of %s is that of four persons', q.adjacency, q.mechanism, q.query));
			RETURN NEXT ok(COALESCE(pair.cost_epsilon <= 1 AND pair.epsilon = 1 OR q.mechanism = 'gaussian' AND pair.cost_delta <= 1e-6, false)
				AND (pair.cost_rho > 0 AND pair.note ~ 'groups of up to 4 units' OR pair.four = 0 AND pair.cost_rho = 0)
				AND COALESCE(pair.one_note, '') !~ 'groups of up to',
				format('its cost is what was asked for, and it is said to whom'));
		END LOOP;
	END LOOP;
END $$;
SELECT compared();
SELECT is((SELECT count(*) FROM questions), 52::bigint, 'of all questions');
SELECT dpsens.protect('alone', adjacency => 'add_remove'), dpsens.protect('house', adjacency => 'add_remove') \g /dev/null
SELECT ok(b.noise_scale BETWEEN a.noise_scale * 3.999 AND a.noise_scale * 4.001, 'so Laplace noise is four times as large')
FROM said('SELECT dp_sum(x) FROM %s', 'alone') a, said('SELECT dp_sum(x) FROM %s', 'house') b;
SET dpsens.mechanism = gaussian;
SELECT ok(b.noise_scale BETWEEN a.noise_scale * 3.999 AND a.noise_scale * 4.001 AND b.cost_rho BETWEEN a.cost_rho * 0.999 AND a.cost_rho * 1.001,
	'and Gaussian noise, which is calibrated to four persons at the delta that was asked for')
FROM said('SELECT dp_sum(x) FROM %s', 'alone') a, said('SELECT dp_sum(x) FROM %s', 'house') b;
SELECT ok(b.noise_scale BETWEEN a.noise_scale * 3.99 AND a.noise_scale * 4.2, 'also where they can be in four groups')
FROM said('SELECT sex, dp_sum(x) FROM %s GROUP BY sex', 'alone') a, said('SELECT sex, dp_sum(x) FROM %s GROUP BY sex', 'house') b;
RESET dpsens.mechanism;

-- ---- the same answers ----

RESET ROLE;
SET dpsens.noise = off;
SELECT is((SELECT array_agg(h::text ORDER BY h::text) FROM (SELECT sex, dp_count(*) AS c, dp_sum(age) AS s, dp_median(age) AS m FROM house GROUP BY sex) h),
	(SELECT array_agg(h::text ORDER BY h::text) FROM (SELECT sex, dp_count(*) AS c, dp_sum(age) AS s, dp_median(age) AS m FROM alone GROUP BY sex) h),
	'without noise the answers are those that one person by herself gets');

-- ---- two worlds that differ in four persons ----

-- How far the answer moves at most if these persons leave, by all of them who do, and by one of them.
CREATE FUNCTION moved(answer text, persons int[]) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	before float8;
	after float8;
BEGIN
	EXECUTE 'SELECT ' || answer || ' FROM group_tap.house' INTO before;
	DELETE FROM group_tap.house WHERE id = ANY (persons);
	EXECUTE 'SELECT ' || answer || ' FROM group_tap.house' INTO after;
	INSERT INTO group_tap.house SELECT * FROM group_tap.alone WHERE id = ANY (persons);
	RETURN abs(before - after);
END $$;
SELECT ok(moved(answer, persons) <= s.sensitivity + 1e-6 AND moved(answer, persons[1:1]) <= s.sensitivity / 4 + 1e-6,
	format('four persons move %s by no more than is said, one of them by a quarter of it', answer))
FROM unnest(ARRAY['dp_count(*)', 'dp_sum(x)', 'dp_sum(age)', 'dp_count(DISTINCT age)']) answer,
	unnest(ARRAY['{9,19,29,39}', '{89,179,269,359}', '{1,2,3,4}']::text[]) p(t), LATERAL (SELECT t::int[]) a(persons),
	said('SELECT ' || answer || ' FROM %s', 'house') s;
SELECT is(moved('dp_sum(x)', '{9,19,29,39}'), 36::float8, 'and they do move it so far: 9 by each of four');
SELECT is(s.sensitivity, 36::float8, 'which is its sensitivity') FROM said('SELECT dp_sum(x) FROM %s', 'house') s;
-- The law of the noise, as it is charged: P(z) of the one world against that of the other, in all steps that four persons can make.
SELECT ok(max(ln(exp(-abs(z) / t) / exp(-abs(z + d) / t))) <= 1 + 1e-9 AND max(ln(exp(-abs(z) / t) / exp(-abs(z + d) / t))) > 0.999,
	'so no answer is likelier than exp(epsilon) times in the one world than in the other')
FROM said('SELECT dp_sum(x) FROM %s', 'house') s, LATERAL (SELECT s.noise_scale AS t) n, generate_series(-200, 200) z, generate_series(-36, 36) d;
SELECT ok(max(ln(exp(-abs(z) / t) / exp(-abs(z + d) / t))) > 1.5, 'which the noise for one person does not do for four')
FROM said('SELECT dp_sum(x) FROM %s', 'alone') s, LATERAL (SELECT s.noise_scale AS t) n, generate_series(-200, 200) z, generate_series(-36, 36) d;
RESET dpsens.noise;

-- ---- charges, as the analyst ----

SET ROLE group_owner;
-- without noise everything was spent
CREATE TABLE home AS TABLE house;
ALTER TABLE home ADD PRIMARY KEY (id);
SELECT declare('home', 4) \g /dev/null
SELECT dpsens.set_budget('home', epsilon => 8, delta => 1e-3), dpsens.grant_budget('home', 'group_analyst', epsilon => 5, delta => 1e-3) \g /dev/null
SET ROLE group_analyst;
SELECT ok(dp_count(*) BETWEEN 200 AND 600, 'the analyst is answered') FROM home;
SELECT is((SELECT (group_size, epsilon, charge_epsilon)::text FROM dpsens.releases ORDER BY release DESC LIMIT 1), '(4,1,1)',
	'and is charged what a group loses, which is what was asked for');
SELECT is((SELECT left_epsilon FROM dpsens.my_budget WHERE budget_of = 'group_analyst'), 4::float8, 'of what there is for groups');
SET dpsens.mechanism = gaussian;
SELECT ok(dp_sum(x) IS NOT NULL, 'Gaussian noise') FROM home;
SELECT ok(abs(charge_rho - (sensitivities[1] / scales[1]::float8) ^ 2 / 2) < 1e-6 AND sensitivities[1] * grid BETWEEN 35.99 AND 36.01, 'costs rho by what four persons move')
FROM dpsens.releases ORDER BY release DESC LIMIT 1;
SELECT lives_ok('SELECT sex, dp_sum(x) FROM home GROUP BY sex', 'and where each of them can be in a group of her own');
SELECT is((SELECT joined[1] FROM dpsens.releases ORDER BY release DESC LIMIT 1), 8::bigint, 'as many sums are noised together');
RESET dpsens.mechanism;
SELECT lives_ok('SELECT city, dp_count(*) FROM home GROUP BY city', 'groups that are not declared are selected');
SELECT ok(epsilon = 1 AND charge_epsilon BETWEEN 0.999 AND 1 AND charge_delta BETWEEN 1e-8 AND 1e-6 AND group_size = 4, 'for four persons, too')
FROM dpsens.releases WHERE mechanism = 'partition';
SET ROLE group_owner;
SELECT ok(substring(b.note FROM 'of (\d+) always')::int > 2.5 * substring(a.note FROM 'of (\d+) always')::int, 'which takes groups that are larger by as much')
FROM said('SELECT city, dp_count(*) FROM %s GROUP BY city', 'alone') a, said('SELECT city, dp_count(*) FROM %s GROUP BY city', 'home') b WHERE a.note ~ 'always' AND b.note ~ 'always';
SET ROLE group_analyst;
SELECT throws_ok($$SELECT dpsens.protect('home', group_size => 1)$$, '42501', NULL, 'an analyst does not choose the group');
SET ROLE group_owner;
SELECT ok(dp_count(*) IS NOT NULL, 'of persons by themselves') FROM alone;
SELECT is((SELECT group_size FROM dpsens.releases WHERE relation = 'group_tap.alone' ORDER BY release DESC LIMIT 1), NULL, 'nothing is said of groups');
RESET ROLE;
SELECT ok(bool_and(valid), 'verify_ledger recomputes the charges') FROM dpsens.verify_ledger() WHERE relation LIKE 'group\_tap.%';
SELECT dpsens.seal_ledger() \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.verify_seals() v JOIN dpsens.releases r ON v.kind = 'release' AND v.number = r.release WHERE r.relation LIKE 'group\_tap.%'), 0::bigint, 'and seals hold');

-- ---- other sizes, later ----

SET ROLE group_owner;
CREATE FUNCTION refused_size(statement text, k int DEFAULT 5) RETURNS text LANGUAGE sql AS $$
	SELECT throws_ok(statement, '55000', format('relation "home" cannot protect groups of %s units', k), 'not after answers: ' || statement)
$$;
SELECT refused_size($$SELECT dpsens.protect('home', group_size => 5)$$);
SELECT refused_size($$SECURITY LABEL FOR dpsens ON TABLE home IS 'PROTECTED GROUP SIZE 5'$$);
SELECT dpsens.unprotect('home') \g /dev/null
SELECT refused_size($$SELECT dpsens.protect('home', group_size => 5)$$);
SELECT lives_ok($$SELECT declare('home', 4)$$, 'nor by way of no protection, but for groups that were counted');
SELECT lives_ok($$SELECT dpsens.protect('home', group_size => 2)$$, 'smaller groups have lost less');
SELECT ok(dp_count(*) IS NOT NULL, 'and are answered') FROM home;
SELECT refused_size($$SELECT dpsens.protect('home', group_size => 4)$$, 4);
BEGIN;
CREATE TABLE kept AS TABLE home;
DROP TABLE home;
ALTER TABLE kept RENAME TO home;
ALTER TABLE home ADD PRIMARY KEY (id);
COMMIT;
SELECT refused_size($$SELECT dpsens.protect('home', unit => 'id', group_size => 3)$$, 3);
SELECT declare('home', 2) \g /dev/null
SELECT ok(dp_count(*) IS NOT NULL, 'a table that was made again goes on') FROM home;

-- A statement that was planned for smaller groups than are committed.
CREATE TABLE other AS TABLE home;
ALTER TABLE other ADD PRIMARY KEY (id);
SELECT declare('other', 3) \g /dev/null
BEGIN;
SELECT dpsens.protect('other', group_size => 2) \g /dev/null
SELECT throws_ok('SELECT dp_count(*) FROM other', '55000', 'a private answer about relation "other" needs declarations that are committed',
	'a smaller group that is not committed gets no answer');
ROLLBACK;
-- One that was prepared before.
CREATE TABLE late AS TABLE home;
ALTER TABLE late ADD PRIMARY KEY (id);
SELECT declare('late', 2) \g /dev/null
SET plan_cache_mode = force_generic_plan;
PREPARE kept AS SELECT dp_count(*) IS NOT NULL AS answered FROM late;
EXPLAIN EXECUTE kept \g /dev/null
SELECT dpsens.protect('late', group_size => 5) \g /dev/null
SELECT results_eq('EXECUTE kept', 'VALUES (true)', 'a plan that was made before a larger size');
SELECT is((SELECT (group_size, sensitivity)::text FROM dpsens.releases WHERE relation = 'group_tap.late'), '(5,5)', 'is made anew');
RESET plan_cache_mode;
DEALLOCATE kept;
-- What a race of labels and charges could leave, made by a superuser's hand.
SELECT ok(dp_count(*) IS NOT NULL, 'a first answer') FROM other;
RESET ROLE;
SET allow_system_table_mods = on;
UPDATE pg_seclabel SET label = 'PROTECTED ADJACENCY add_remove GROUP SIZE 6' WHERE objoid = 'other'::regclass AND objsubid = 0 AND provider = 'dpsens';
RESET allow_system_table_mods;
ALTER TABLE other SET (fillfactor = 90);
SET ROLE group_owner;
SELECT throws_ok('SELECT dp_count(*) FROM other', '55000', 'the promise of relation "other" to groups of 6 units cannot be kept',
	'what was counted for smaller groups is found by the ledger');
SELECT dpsens.protect('other', group_size => 3) \g /dev/null
SELECT lives_ok('SELECT dp_count(*) FROM other', 'until the promise is one that was kept');

-- ---- several relations ----

CREATE TABLE patients (patient_id int PRIMARY KEY, age float8 NOT NULL);
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, cost float8 NOT NULL);
CREATE TABLE labs (lab_id int PRIMARY KEY, visit_id int NOT NULL REFERENCES visits, value float8 NOT NULL);
CREATE TABLE nurses (nurse_id int PRIMARY KEY);
INSERT INTO patients SELECT i, i % 90 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, i % 100 + 1, i % 50 FROM generate_series(1, 300) i;
INSERT INTO labs SELECT i, i % 300 + 1, i % 7 FROM generate_series(1, 900) i;
SELECT dpsens.protect('patients', 'patient_id', group_size => 3), dpsens.set_range('patients', 'age', 0, 100),
	dpsens.protect('nurses', 'nurse_id'), dpsens.protect('visits', 'patient_id', max_rows => 4), dpsens.set_range('visits', 'cost', 0, 50),
	dpsens.protect('labs', 'visits.patient_id', max_rows => 12), dpsens.set_range('labs', 'value', 0, 7) \g /dev/null
CREATE FUNCTION size_of(query text) RETURNS float8 LANGUAGE sql AS $$ SELECT sensitivity FROM dpsens.explain(query) $$;
SELECT is(size_of('SELECT dp_count(*) FROM visits'), 4::float8, 'visits of one patient');
SELECT is(size_of('SELECT dp_count(*) FROM visits v JOIN patients p USING (patient_id)'), 12::float8, 'a join protects the larger groups');
SELECT is(size_of('SELECT dp_count(*) FROM visits v WHERE EXISTS (SELECT FROM patients p WHERE p.patient_id = v.patient_id AND p.age > 20)'), 12::float8,
	'so does a subquery in a condition');
SELECT is(size_of('SELECT dp_count(*) FROM (SELECT nurse_id FROM nurses UNION ALL SELECT patient_id FROM patients) u'), 3::float8, 'and UNION ALL');
SELECT is(size_of('SELECT dp_count(*) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) v'), 1::float8, 'visits by patient are one row of each');
SELECT dpsens.protect('visits', group_size => 3) \g /dev/null
SELECT is(size_of('SELECT dp_count(*) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) v'), 3::float8, 'and of three with groups of three');
SELECT is(size_of('SELECT dp_count(*) FROM labs'), 36::float8, 'units by reference are those of the larger groups');
SELECT dpsens.protect('visits', group_size => 1) \g /dev/null
SELECT lives_ok('SELECT dp_count(*) FROM visits v JOIN patients p USING (patient_id)', 'a join is answered');
SELECT is((SELECT array_agg(group_size) FROM dpsens.releases r WHERE relation IN ('group_tap.visits', 'group_tap.patients')), '{3,3}', 'and charged for three');

-- One promise to the persons of an entity is one to so many of them.
SELECT throws_ok($$SELECT dpsens.set_entity_budget('patients', epsilon => 10)$$, '55000', NULL, 'relations of an entity protect groups of one size');
SELECT dpsens.protect('visits', group_size => 3), dpsens.protect('labs', group_size => 3) \g /dev/null
SELECT lives_ok($$SELECT dpsens.set_entity_budget('patients', epsilon => 10)$$, 'and then there is a budget for them');
SELECT ok(dp_count(*) IS NOT NULL, 'visits are answered') FROM visits;
RESET ROLE;
SELECT is((SELECT round((spent_epsilon / 2.0 ^ 40)::numeric, 6)::float8 FROM dpsens.purse WHERE relation = 'patients'::regclass AND column_name = '(entity)'), 3::float8,
	'a group of an entity is charged once for all of its relations, and what was before');
SET ROLE group_owner;
SELECT dpsens.protect('labs', group_size => 2) \g /dev/null
SELECT throws_ok('SELECT dp_count(*) FROM labs', '55000', 'the privacy budget of entity "group_tap.patients" cannot be kept in answers about relation "labs"',
	'another size is no promise to the entity');
SELECT dpsens.protect('labs', group_size => 3) \g /dev/null
-- By hand, as above: about labs there was no answer yet, but about other relations of the entity.
RESET ROLE;
SET allow_system_table_mods = on;
UPDATE pg_seclabel SET label = replace(label, 'GROUP SIZE 3', 'GROUP SIZE 4') WHERE objoid IN ('patients'::regclass, 'visits'::regclass, 'labs'::regclass) AND objsubid = 0;
RESET allow_system_table_mods;
ALTER TABLE patients SET (fillfactor = 90);
ALTER TABLE visits SET (fillfactor = 90);
ALTER TABLE labs SET (fillfactor = 90);
SET ROLE group_owner;
SELECT throws_ok('SELECT dp_count(*) FROM labs', '55000', 'the promise of relation "patients" to groups of 4 units cannot be kept',
	'what the entity was charged for was for smaller groups');
SELECT dpsens.protect('patients', group_size => 3), dpsens.protect('visits', group_size => 3), dpsens.protect('labs', group_size => 3) \g /dev/null

-- ---- what has no law for groups ----

SELECT dpsens.set_budget('other', row_epsilon => 2) \g /dev/null
SELECT throws_ok('SELECT dp_count(*) FROM other', '0A000', 'budgets of rows are not supported for groups of units', 'accounts of rows');
SELECT dpsens.set_budget('other', row_epsilon => 'Infinity') \g /dev/null
RESET ROLE;
SELECT dpsens.create_model('group_tap_line', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared", "seed": 1}') \g /dev/null
SELECT throws_like($$CALL dpsens.train('group_tap_line', 'other', '{x}', 'x', 1, 0.1, clip => 1, expected_rows => 100)$$,
	'models cannot be trained on relation "other", which protects groups of up to 3 units', 'training');
SELECT dpsens.drop_model('group_tap_line') \g /dev/null
SET ROLE group_owner;
SELECT dpsens.protect('visits', max_rows => 900000) \g /dev/null
SELECT throws_ok('SELECT dp_count(*) FROM visits', '54000', 'a group of units may have too many rows in this answer', 'more rows than noise is made for');
SELECT dpsens.set_column_budget('other', 'age', epsilon => 100) \g /dev/null
SELECT lives_ok('SELECT dp_sum(age) FROM other', 'a column with a budget');
RESET ROLE;
SELECT is((SELECT round((spent_epsilon / 2.0 ^ 40)::numeric, 6)::float8 FROM dpsens.purse WHERE relation = 'other'::regclass AND column_name = 'age'),
	(SELECT round((2 * spent_epsilon / 2.0 ^ 40)::numeric, 6)::float8 FROM dpsens.purse WHERE relation = 'other'::regclass AND column_name = '' AND role = 0),
	'pays for the replaced rows of a group');

-- ---- what owners are told ----

SET ROLE group_owner;
CREATE TABLE walks (person int NOT NULL);
INSERT INTO walks SELECT i % 300 FROM generate_series(1, 1200) i;
SELECT dpsens.protect('walks', unit => 'person') \g /dev/null
CREATE TABLE limits_alone AS SELECT max_rows, noise FROM dpsens.suggest_limits('walks', 1, 2);
CREATE TABLE strolls AS TABLE walks;
ALTER TABLE strolls ALTER person SET NOT NULL;
SELECT dpsens.protect('strolls', unit => 'person', group_size => 4) \g /dev/null
SELECT is_empty($$SELECT * FROM limits_alone a JOIN dpsens.suggest_limits('strolls', 1, 8) s USING (max_rows) WHERE abs(a.noise - s.noise) > 1e-9 * a.noise$$,
	'limits are weighed by the noise for groups: at four times the epsilon it is that for one person');
SELECT ok(dpsens.report('strolls')::text ~ 'is for any 4 persons together', 'a report says whom the promise is to');
SELECT ok(dpsens.report('walks')::text !~ 'persons together', 'where it is to more than one');

-- ---- relations that share rows ----

CREATE TABLE parent (id int PRIMARY KEY, x float8 NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE child PARTITION OF parent FOR VALUES FROM (0) TO (100);
SELECT dpsens.protect('parent', unit => 'id'), dpsens.protect('child', unit => 'id', group_size => 5) \g /dev/null
SELECT is(size_of('SELECT dp_count(*) FROM parent'), 5::float8, 'what a partition promises its groups, the whole keeps');
DROP TABLE parent;

RESET ROLE;
DROP SCHEMA group_tap CASCADE;
DROP ROLE group_owner, group_analyst;
SELECT finish();
