-- Budgets of columns: what a change of one column of one row costs, and that no answer passes a cap.
--
-- Figures are computed by hand from the noise: Laplace noise of scale t costs a move by d epsilon d / t,
-- Gaussian noise rho d^2 / 2 t^2.  Everything is committed as it goes.
-- Files: guard/column_costs.c, guard/rewrite/column_changes.c, ledger/column_budget.c, ledger/budget/sql_column_budget.c,
-- ledger/budget/budget.h, ledger/cost.c, ledger/authority.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

DROP SCHEMA IF EXISTS column_tap CASCADE;
CREATE SCHEMA column_tap;
SET search_path = column_tap, public;
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, income float8 NOT NULL, size float8, sex text NOT NULL, city text, grade int NOT NULL,
	twice float8 GENERATED ALWAYS AS (income * 2) STORED);
INSERT INTO people SELECT i, i % 100, i * 10, i % 7, 'F', 'c' || i % 2, i % 5 FROM generate_series(1, 100) i;
CREATE FUNCTION declare_people(adjacency text) RETURNS void LANGUAGE sql AS $$
	SELECT dpsens.protect('people', adjacency => adjacency), dpsens.set_range('people', 'age', 0, 100), dpsens.set_range('people', 'income', -500, 1000),
		dpsens.set_range('people', 'size', 0, 10), dpsens.set_range('people', 'grade', 0, 4), dpsens.set_values('people', 'sex', 'F', 'M'),
		dpsens.set_range('people', 'twice', -1000, 2000)
$$;
SELECT declare_people('add_remove') \g /dev/null
SET dpsens.epsilon = 1;

-- What a column has spent: {epsilon, rho, delta}; and what since the last call, which is one for all columns.
CREATE FUNCTION spent(col name, rel text DEFAULT 'people') RETURNS float8[] LANGUAGE sql AS $$
	SELECT ARRAY[spent_epsilon / 2.0 ^ 40, spent_rho / 2.0 ^ 40, spent_delta / 2.0 ^ 62]::float8[] FROM dpsens.purse
	WHERE relation = rel::regclass AND column_name = col
$$;
CREATE TABLE before (col name PRIMARY KEY, amounts float8[], last float8[] DEFAULT '{0,0,0}');
CREATE FUNCTION cost_of(col name) RETURNS float8[] LANGUAGE plpgsql AS $$
BEGIN
	UPDATE before b SET amounts = spent(b.col), last = (SELECT array_agg(x - y ORDER BY o) FROM unnest(spent(b.col), b.amounts) WITH ORDINALITY u(x, y, o));
	RETURN (SELECT b.last FROM before b WHERE b.col = cost_of.col);
END $$;
CREATE FUNCTION costs(VARIADIC cols name[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM cost_of('age');
	RETURN (SELECT string_agg(format('%s %s', c, round(b.last[1]::numeric, 4)::float8), ', ' ORDER BY o)
		FROM unnest(cols) WITH ORDINALITY u(c, o) JOIN before b ON b.col = c);
END $$;

-- ---- which columns ----

SELECT throws_like($$SELECT dpsens.set_column_budget('people', 'id', 1)$$, 'column "id" of relation "people" cannot have a budget of its own');
SELECT throws_like($$SELECT dpsens.set_column_budget('people', 'twice', 1)$$, 'column "twice" of relation "people" cannot have a budget of its own');
SELECT throws_ok($$SELECT dpsens.set_column_budget('people', 'wealth', 1)$$, '42703');
SELECT throws_ok($$SELECT dpsens.set_column_budget('people', 'ctid', 1)$$, '55000');
SELECT throws_like($$SELECT dpsens.set_column_budget('people', 'age')$$, 'a budget needs epsilon or rho');
SELECT throws_like($$SELECT dpsens.set_column_budget('people', 'age', 1, rho => 1)$$, 'a budget is stated by epsilon or by rho, not by both');
SELECT throws_like($$SELECT dpsens.set_column_budget('people', 'age', 'Infinity', 1e-6)$$, 'a budget that is taken away has no delta');
SELECT throws_like($$SELECT dpsens.set_column_budget('people', NULL, 1)$$, '%column%');
SELECT throws_like($$SELECT dpsens.set_column_budget('before', 'amounts', 1)$$, 'relation "before" is not protected');
SELECT dpsens.set_public('people', 'grade') \g /dev/null
SELECT throws_like($$SELECT dpsens.set_column_budget('people', 'grade', 1)$$, 'column "grade" of relation "people" cannot have a budget of its own');
SELECT dpsens.clear('people', 'grade'), dpsens.set_range('people', 'grade', 0, 4) \g /dev/null
CREATE TABLE owned (who int NOT NULL, x float8 NOT NULL);
SELECT dpsens.protect('owned', 'who', max_rows => 2), dpsens.set_range('owned', 'x', 0, 1) \g /dev/null
SELECT throws_like($$SELECT dpsens.set_column_budget('owned', 'who', 1)$$, 'column "who" of relation "owned" cannot have a budget of its own');
CREATE TABLE lowered (name text NOT NULL, place text NOT NULL, x float8 NOT NULL, who text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL,
	code text GENERATED ALWAYS AS (place || '!') STORED);
SELECT dpsens.protect('lowered', 'who', max_rows => 1), dpsens.set_range('lowered', 'x', 0, 1) \g /dev/null
SELECT throws_like($$SELECT dpsens.set_column_budget('lowered', 'name', 1)$$, 'column "name" of relation "lowered" cannot have a budget of its own', 'the unit is computed from it');
SELECT dpsens.set_column_budget('lowered', 'place', 1), dpsens.set_column_budget('lowered', 'x', 1) \g /dev/null
CREATE UNIQUE INDEX lowered_code ON lowered (code);
SELECT throws_like($$SELECT dpsens.set_column_budget('lowered', 'place', 1)$$, 'column "place" of relation "lowered" cannot have a budget of its own', 'a unique column is computed from it');
CREATE TABLE moving (x float8 NOT NULL);
SELECT dpsens.protect('moving', adjacency => 'metric'), dpsens.set_range('moving', 'x', 0, 1) \g /dev/null
SELECT throws_like($$SELECT dpsens.set_column_budget('moving', 'x', 1)$$, 'column "x" of relation "moving" cannot have a budget of its own');
CREATE TABLE parent (x float8 NOT NULL);
CREATE TABLE child () INHERITS (parent);
SELECT dpsens.protect('parent'), dpsens.protect('child') \g /dev/null
SELECT throws_like($$SELECT dpsens.set_column_budget('parent', 'x', 1)$$, 'column "x" of relation "parent" cannot have a budget of its own');
SELECT throws_like($$SELECT dpsens.set_column_budget('child', 'x', 1)$$, 'column "x" of relation "child" cannot have a budget of its own');
DROP ROLE IF EXISTS column_other;
CREATE ROLE column_other;
GRANT USAGE ON SCHEMA column_tap TO column_other;
SET ROLE column_other;
SELECT throws_ok($$SELECT dpsens.set_column_budget('people', 'age', 1)$$, '42501');
RESET ROLE;

-- ---- what answers cost ----

SELECT dpsens.set_column_budget('people', c, 1e5, 1e-3) FROM unnest('{age,income,size,sex,city,grade}'::name[]) c \g /dev/null
SELECT dp_count(*) FROM people \g /dev/null
INSERT INTO before SELECT c, spent(c) FROM unnest('{age,income,size,sex,city,grade}'::name[]) c;
SELECT is((SELECT max(b.amounts[1]) FROM before b), 0::float8, 'nothing is spent before the first cap, and by a count of all rows');
SELECT dp_count(*) FROM people \g /dev/null
SELECT is(costs('age', 'income', 'size', 'sex', 'city', 'grade'), 'age 0, income 0, size 0, sex 0, city 0, grade 0', 'a count of all rows tells of no column');
SELECT dp_sum(age) FROM people \g /dev/null
SELECT is(costs('age', 'income', 'grade'), 'age 1, income 0, grade 0', 'a sum over [0, 100] moves by 100 at scale 100');
SELECT dp_sum(income) FROM people \g /dev/null
SELECT is(costs('age', 'income'), 'age 0, income 1.5', 'one over [-500, 1000] by 1500 at scale 1000');
SELECT dp_sum(size) FROM people \g /dev/null
SELECT is(costs('size', 'age'), 'size 1, age 0', 'a cell that may be NULL is in or out: [0, 10] at scale 10');
SELECT dp_sum(age + income / 100) FROM people \g /dev/null
SELECT is(costs('age', 'income'), 'age 0.9091, income 0.1364', 'of two columns each moves its part');
SELECT dp_sum(age) FROM people WHERE income > 0 \g /dev/null
SELECT is(costs('age', 'income'), 'age 1, income 1', 'a condition lets a row of at most 100 in or out');
SELECT dp_sum(age) FILTER (WHERE income > 0) FROM people \g /dev/null
SELECT is(costs('age', 'income'), 'age 1, income 1', 'so does a filter');
SELECT dp_sum(income) FROM people WHERE age > 50 \g /dev/null
SELECT is(costs('age', 'income'), 'age 1.5, income 1.5', 'a row is at -500, 0 or 1000 before and after');
SELECT dp_sum(income) FROM people WHERE income > 0 AND income < 400 \g /dev/null
SELECT is(costs('age', 'income'), 'age 0, income 1', 'a condition narrows what counts');
SELECT dp_count(*) FROM people WHERE income > 0 \g /dev/null
SELECT is(costs('age', 'income'), 'age 0, income 1', 'a count changes by one row');
SELECT dp_count(size), dp_count(age) FROM people \g /dev/null
SELECT is(costs('age', 'income', 'size'), 'age 0, income 0, size 1', 'dp_count of a column that may be NULL');
SELECT dp_avg(age) FROM people \g /dev/null
SELECT is(costs('age', 'income'), 'age 2, income 0', 'the two sums of a mean move by 100 each, at scale 100 for both');
SELECT dp_avg(age) FROM people WHERE income > 0 \g /dev/null
SELECT is(costs('age', 'income'), 'age 2, income 1', 'a row begins to count with 100 in both together');
SELECT sex, dp_sum(age) FROM people GROUP BY sex \g /dev/null
SELECT is(costs('age', 'sex', 'income'), 'age 1, sex 2, income 0', 'a key moves the row to another group: as one removed and one added');
SELECT dp_quantile(age, 0.5) FROM people \g /dev/null
SELECT is(costs('age', 'income'), 'age 2, income 0', 'of a quantile nothing is known but that a row is replaced');
SELECT dp_sum(twice) FROM people \g /dev/null
SELECT is(costs('age', 'income'), 'age 2, income 2', 'a generated column stands for others');
SELECT dp_sum(age), dp_sum(income), dp_count(*) FROM people \g /dev/null
SELECT is(costs('age', 'income', 'size'), 'age 1, income 1.5, size 0', 'each aggregate of a statement by itself');
SELECT dp_sum(v.a) FROM (SELECT age AS a, income AS b FROM people WHERE size > 1) v \g /dev/null
SELECT is(costs('age', 'size', 'income'), 'age 1, size 1, income 0', 'through subqueries');
SELECT dp_sum((age + exp(income / 100) * 1e14) - exp(income / 100) * 1e14) FROM people \g /dev/null
SELECT is(costs('income'), 'income 1', 'a column that moves no real number decides how the others are rounded');
SELECT dp_sum(CASE WHEN grade = 1 THEN age ELSE 0 END) FROM people \g /dev/null
SELECT is(costs('age', 'grade'), 'age 1, grade 1', 'a column in a CASE');
-- groups of undeclared keys
SET dpsens.delta = 1e-6;
SELECT costs('age', 'income', 'size', 'sex', 'city', 'grade') \g /dev/null
SELECT city, dp_sum(age) FROM people GROUP BY city \g /dev/null
SELECT is((SELECT count(*) FROM (SELECT mechanism FROM dpsens.release ORDER BY release DESC LIMIT 2) r WHERE mechanism = 'partition'), 1::bigint, 'groups were selected');
SELECT is((cost_of('age'))[1], 1::float8, 'which groups there are says nothing of a value');
SELECT is((SELECT b.last FROM before b WHERE b.col = 'income'), '{0,0,0}'::float8[], 'nor of what is not read');
WITH d AS (SELECT charge_delta / 2.0 ^ 62 AS delta FROM dpsens.release WHERE mechanism = 'partition' ORDER BY release DESC LIMIT 1)
SELECT ok(b.last[1] = 4 AND abs(b.last[3] - 2 * delta) < 1e-12, 'the key is moved from group to group: twice epsilon, twice delta')
FROM d, before b WHERE b.col = 'city';

-- Gaussian noise, which has no pure epsilon
SET dpsens.mechanism = gaussian;
SELECT costs('age', 'income', 'size', 'sex', 'city', 'grade') \g /dev/null
SELECT dp_sum(age) FROM people \g /dev/null
CREATE FUNCTION last_rho(n int DEFAULT 1) RETURNS float8 LANGUAGE sql AS
	$$SELECT round((sum(charge_rho) / 2.0 ^ 40)::numeric, 6) FROM (SELECT charge_rho FROM dpsens.release ORDER BY release DESC LIMIT n) r$$;
SELECT ok(abs((cost_of('age'))[2] - last_rho()) < 1e-5, 'Gaussian noise: the same move costs the same rho');
SELECT is((SELECT b.last[2] FROM before b WHERE b.col = 'income'), 0::float8, 'and what does not move nothing');
SELECT dp_sum(income) FROM people \g /dev/null
SELECT ok(abs((cost_of('income'))[2] - 2.25 * last_rho()) < 1e-5, 'a move by half as much again 9/4 of it');
SELECT dp_avg(age) FROM people \g /dev/null
SELECT ok(abs((cost_of('age'))[2] - 3.2 * last_rho()) < 1e-4, 'a mean: twice the centred sum at four fifths of rho, the number of rows not at all');
SELECT dp_quantile(age, 0.5), dp_count(*) FROM people WHERE sex = 'F' \g /dev/null
SELECT cost_of('age') \g /dev/null
SELECT is((SELECT b.last[2] FROM before b WHERE b.col = 'income'), 0::float8, 'a statement that does not read a column');
SELECT dp_variance(age) FROM people \g /dev/null
SELECT ok(abs((cost_of('age'))[2] - 4 * last_rho()) < 1e-5, 'of moments a replaced row: four times the rho');
RESET dpsens.mechanism;
RESET dpsens.delta;

-- ---- the cap ----

CREATE TABLE capped (age float8 NOT NULL, income float8 NOT NULL);
INSERT INTO capped SELECT i, i FROM generate_series(1, 50) i;
SELECT dpsens.protect('capped'), dpsens.set_range('capped', 'age', 0, 100), dpsens.set_range('capped', 'income', 0, 100), dpsens.set_budget('capped', 10) \g /dev/null
SELECT dp_sum(age) FROM capped \g /dev/null
PREPARE twice AS SELECT dp_sum(age) FROM capped;
EXECUTE twice \g /dev/null
SELECT dpsens.set_column_budget('capped', 'age', 5.5) \g /dev/null
SELECT is((SELECT row(b.role, b.epsilon, b.spent_epsilon, b.left_epsilon) FROM dpsens.budgets b WHERE b.relation = 'capped'::regclass AND b.column_name = 'age')::text,
	'(,5.5,4,1.5)', 'answers from before the cap cost what replaced rows cost');
EXECUTE twice \g /dev/null
SELECT is((spent('age', 'capped'))[1], 5::float8, 'a plan from before the cap is made again, and knows what moves');
SELECT throws_like('EXECUTE twice', 'the privacy budget of column "age" of relation "column_tap.capped" does not allow this statement');
SELECT is((SELECT spent_epsilon / 2.0 ^ 40 FROM dpsens.purse WHERE relation = 'capped'::regclass AND column_name = '')::float8, 3::float8, 'nothing is charged to the relation then');
SELECT throws_like('SELECT dp_sum(income), dp_sum(age) FROM capped', 'the privacy budget of column "age" %');
SELECT lives_ok('SELECT dp_sum(income) FROM capped', 'what does not read the column is answered');
SELECT throws_like('SELECT dp_sum(income, 7) FROM capped', 'the privacy budget of relation "column_tap.capped" does not allow this statement');
SELECT is((spent('age', 'capped'))[1], 5::float8, 'nothing is charged to a column when the relation refuses');
SELECT lives_ok('SELECT dp_sum(age, 0.5) FROM capped', 'all of the cap can be spent');
SELECT lives_ok('SELECT dp_count(true, 0.001) FROM capped', 'a spent column hinders nobody who does not ask of it');
SELECT ok((SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'column\_tap.%'), 'every purse is what its releases cost');
SELECT is((SELECT string_agg(v.relation, ' ' ORDER BY v.relation) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'column\_tap.capped%'), 'column_tap.capped column_tap.capped.age', 'columns are verified by name');
SELECT dpsens.set_column_budget('capped', 'age', 'Infinity') \g /dev/null
SELECT dp_sum(age) FROM capped \g /dev/null
SELECT dpsens.set_column_budget('capped', 'age', 7) \g /dev/null
SELECT is((spent('age', 'capped'))[1], 7.5::float8, 'without a cap a column is charged, too, and for a replaced row');
SELECT dpsens.set_column_budget('capped', 'age', 8, 1e-6) \g /dev/null
SELECT dpsens.set_column_budget('capped', 'age', 9) \g /dev/null
SELECT is((SELECT b.delta FROM dpsens.budgets b WHERE b.relation = 'capped'::regclass AND b.column_name = 'age'), 1e-6::float8, 'a delta that is not named stays');
SELECT dpsens.revoke_budget('capped') \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.budgets b WHERE b.relation = 'capped'::regclass), 1::bigint, 'a column keeps its cap when the relation loses its own');
SELECT dpsens.set_column_budget('capped', 'income', rho => 0.2) \g /dev/null
SELECT throws_like('SELECT dp_sum(income) FROM capped', 'the privacy budget of column "income" %');

-- ---- names ----

SELECT throws_like('ALTER TABLE capped RENAME age TO years', 'columns of relation "capped" cannot be renamed');
SELECT throws_like('ALTER TABLE capped RENAME income TO pay', 'columns of relation "capped" cannot be renamed');
SELECT lives_ok('ALTER TABLE capped ALTER age SET STATISTICS 7', 'other changes of a column are no renames');
SELECT lives_ok('ALTER TABLE owned RENAME x TO y', 'nor are those of other relations hindered');
ALTER TABLE capped RENAME TO kept;
SELECT is((SELECT count(*) FROM dpsens.budgets b WHERE b.relation = 'kept'::regclass), 2::bigint, 'caps follow a relation that is renamed');
ALTER TABLE kept DROP income;
SELECT throws_like('SELECT dp_count(*) FROM kept', 'the privacy budget of column "income" of relation "kept" cannot be kept');
SELECT dpsens.set_column_budget('kept', 'income', 'Infinity') \g /dev/null
SELECT lives_ok('SELECT dp_count(true, 0.1) FROM kept', 'a column that is gone needs no cap');
ALTER TABLE kept ADD income float8 NOT NULL DEFAULT 0;
SELECT dpsens.set_range('kept', 'income', 0, 100), dpsens.set_column_budget('kept', 'income', 100) \g /dev/null
CREATE UNIQUE INDEX ON kept (age, income);
SELECT throws_like('SELECT dp_count(*) FROM kept', 'the privacy budget of column % of relation "kept" cannot be kept');
DROP INDEX kept_age_income_idx;
CREATE UNIQUE INDEX kept_sum ON kept ((age + income));
SELECT throws_like('SELECT dp_count(*) FROM kept', 'the privacy budget of column % of relation "kept" cannot be kept');
DROP INDEX kept_sum;
CREATE TABLE kin () INHERITS (kept);
SELECT throws_like('SELECT dp_count(*) FROM kept', 'the privacy budget of column % of relation "kept" cannot be kept');
DROP TABLE kin;
SELECT dpsens.set_public('kept', 'age') \g /dev/null
SELECT throws_like('SELECT dp_count(*) FROM kept', 'the privacy budget of column "age" of relation "kept" cannot be kept');
SELECT dpsens.clear('kept', 'age'), dpsens.set_range('kept', 'age', 0, 100), dpsens.protect('kept', 'age', max_rows => 3) \g /dev/null
SELECT throws_like('SELECT dp_count(*) FROM kept', 'the privacy budget of column "age" of relation "kept" cannot be kept');
SELECT dpsens.clear('kept', 'age') \g /dev/null

-- a table that is dropped and made again
SELECT (spent('age', 'kept'))[1] AS age \gset
DROP TABLE kept;
CREATE TABLE kept (age float8 NOT NULL, income float8 NOT NULL);
SELECT dpsens.protect('kept'), dpsens.set_range('kept', 'age', 0, 100), dpsens.set_range('kept', 'income', 0, 100) \g /dev/null
SELECT is((SELECT b.spent_epsilon FROM dpsens.budgets b WHERE b.relation = 'kept'::regclass AND b.column_name = 'age'), :age::float8, 'has the spending of the former one');
SELECT dpsens.set_column_budget('kept', 'age', 100) \g /dev/null
SELECT dp_sum(age) FROM kept \g /dev/null
SELECT is((spent('age', 'kept'))[1], :age::float8 + 1, 'and goes on with it');
SELECT ok((SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'column\_tap.%'), 'which its releases add up to');

-- ---- other adjacencies ----

CREATE TABLE replaced (a float8 NOT NULL, b float8 NOT NULL);
SELECT dpsens.protect('replaced', adjacency => 'replace'), dpsens.set_range('replaced', 'a', -50, 50), dpsens.set_range('replaced', 'b', 0, 10), dpsens.set_column_budget('replaced', 'a', 100), dpsens.set_column_budget('replaced', 'b', 100) \g /dev/null
SELECT dp_sum(a + b), dp_quantile(a, 0.5), dp_count(*) FROM replaced \g /dev/null
SELECT is(round((spent('a', 'replaced'))[1]::numeric, 6), round(1 + 100 / 110.0, 6), 'replace: a part of the range, and a replaced row is a neighbour');
SELECT is(round((spent('b', 'replaced'))[1]::numeric, 6), round(10 / 110.0, 6), 'and the other part');
CREATE TABLE attributed (a float8 NOT NULL, b float8 NOT NULL);
SELECT dpsens.protect('attributed', adjacency => 'attribute'), dpsens.set_range('attributed', 'a', 0, 100), dpsens.set_range('attributed', 'b', 0, 10), dpsens.set_column_budget('attributed', 'a', 100), dpsens.set_column_budget('attributed', 'b', 100) \g /dev/null
SELECT dp_sum(a + b), dp_avg(a) FROM attributed \g /dev/null
SELECT is(round((spent('a', 'attributed'))[1]::numeric, 6), 2::numeric, 'attribute: the column that moves most costs what was asked for');
SELECT is(round((spent('b', 'attributed'))[1]::numeric, 6), 0.1, 'another one its share');

-- ---- units of several rows, joins ----

SELECT dpsens.set_column_budget('owned', 'y', 100) \g /dev/null
SELECT dp_sum(y) FROM owned \g /dev/null
SELECT is((spent('y', 'owned'))[1], 2::float8, 'a change of a row can make another one of its unit count: as a unit replaced');
SELECT dp_count(*) FROM owned \g /dev/null
SELECT is((spent('y', 'owned'))[1], 2::float8, 'but not where the column is not read');
CREATE TABLE visits (visit int PRIMARY KEY, who int NOT NULL REFERENCES people, minutes float8 NOT NULL, note text);
SELECT dpsens.protect('people', 'id'), dpsens.protect('visits', 'who', max_rows => 3), dpsens.set_range('visits', 'minutes', 0, 60) \g /dev/null
SELECT dpsens.set_column_budget('visits', 'minutes', 1000), dpsens.set_column_budget('visits', 'note', 1000) \g /dev/null
SELECT costs('age', 'income') \g /dev/null
SELECT dp_sum(v.minutes) FROM visits v JOIN people p ON p.id = v.who WHERE p.age > 10 \g /dev/null
SELECT is(round((cost_of('age'))[2]::numeric, 5), 1.47152, 'a join: a column that it reads, four times the rho of the release');
SELECT is((SELECT b.last[2] FROM before b WHERE b.col = 'income'), 0::float8, 'and not another one');
SELECT is((spent('minutes', 'visits'))[1], 2::float8, 'of the other one, too');
SELECT is((spent('note', 'visits'))[1], 0::float8, 'but not those that it does not read');

-- ---- rows with accounts of their own ----

CREATE TABLE singles (id int PRIMARY KEY, a float8 NOT NULL, b float8 NOT NULL);
SELECT dpsens.protect('singles'), dpsens.set_range('singles', 'a', 0, 1), dpsens.set_range('singles', 'b', 0, 1), dpsens.set_budget('singles', row_epsilon => 50), dpsens.set_column_budget('singles', 'b', 100) \g /dev/null
SELECT dp_sum(a) FROM singles \g /dev/null
SELECT is((spent('b', 'singles'))[1], 2::float8, 'who is left out follows from all columns that were ever read');

-- ---- analysts ----

GRANT SELECT ON before TO column_other;
SELECT dpsens.grant_budget('attributed', 'column_other', 100) \g /dev/null
SELECT dpsens.set_column_budget('attributed', 'a', 2.5) \g /dev/null
SELECT dpsens.set_column_budget('attributed', 'b', 1000) \g /dev/null
CREATE FUNCTION explained(query text) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(note, '') FROM dpsens.explain(query) $$;
DROP ROLE IF EXISTS column_stranger, column_member;
CREATE ROLE column_stranger;
CREATE ROLE column_member;
GRANT column_other TO column_member;
GRANT USAGE ON SCHEMA column_tap TO column_stranger, column_member;
SET ROLE column_other;
SELECT results_eq('SELECT relation::text, budget_of::text COLLATE "default", column_name::text COLLATE "default", epsilon, spent_epsilon, left_epsilon, answers_left FROM dpsens.my_budget WHERE column_name = ''a''',
	$$VALUES ('attributed', NULL, 'a', 2.5::float8, 2::float8, 0.5::float8, NULL::bigint)$$, 'my_budget shows an analyst budgets of columns');
SELECT is((SELECT count(*) FROM dpsens.my_budget), 3::bigint, 'and that of the role once');
SELECT ok((SELECT answers_left > 50 FROM dpsens.my_budget WHERE column_name IS NULL), 'whose answers need not read a column');
SELECT is(dpsens.answers_left('SELECT dp_sum(a) FROM attributed'), 0::bigint, 'answers_left knows of columns');
SELECT is(dpsens.answers_left('SELECT dp_sum(a, 0.25) FROM attributed'), 2::bigint, 'and how often they allow a query');
SELECT is(dpsens.answers_left('SELECT dp_sum(a, 0.25), dp_sum(a - 1, 0.25) FROM attributed'), 1::bigint, 'all of whose answers count');
SELECT ok(dpsens.answers_left('SELECT dp_sum(b) FROM attributed') > 50, 'but not those of columns that it does not read');
SELECT matches(explained('SELECT dp_sum(a) FROM attributed'), 'costs column a epsilon 1 and rho 0\.367879, of epsilon 0\.5 and rho 0 that are left of its budget$', 'explain says what columns it would cost, and what they have left');
SELECT unalike(explained('SELECT dp_sum(b) FROM attributed'), '%column a%', 'and nothing of others');
SELECT throws_like('SELECT dp_sum(a) FROM attributed', 'the privacy budget of column "a" of relation "column_tap.attributed" does not allow this statement');
SELECT lives_ok('SELECT dp_sum(a, 0.5) FROM attributed', 'an analyst spends a column''s budget');
SELECT is((SELECT count(*) FROM dpsens.budgets), 0::bigint, 'other roles'' budgets are the owner''s to see');
SELECT is(dpsens.answers_left('SELECT dp_sum(a, 0.001) FROM attributed'), 0::bigint, 'none is left');
RESET ROLE;
SET ROLE column_member;
SELECT is((SELECT left_epsilon FROM dpsens.my_budget WHERE column_name = 'a'), 0::float8, 'a member sees what its group does');
SELECT alike(explained('SELECT dp_sum(a) FROM attributed'), '%of epsilon 0 and rho 0%', 'in explain, too');
RESET ROLE;
SET ROLE column_stranger;
SELECT is((SELECT count(*) FROM dpsens.my_budget), 0::bigint, 'who has no budget sees none of a column');
SELECT unalike(explained('SELECT dp_sum(a) FROM attributed'), '%column%', 'nor is it told of one');
SELECT is(dpsens.answers_left('SELECT dp_sum(a) FROM attributed'), NULL, 'nor how many answers it would admit');
RESET ROLE;
SELECT alike(explained('SELECT dp_sum(a) FROM attributed'), '%of epsilon 0 and rho 0%', 'the owner is told');
SELECT is((SELECT count(*) FROM dpsens.my_budget WHERE relation = 'attributed'::regclass AND column_name IS NOT NULL), 2::bigint, 'and sees all');
SELECT is(round((spent('a', 'attributed'))[1]::numeric, 6), 2.5, 'all of it');

SELECT ok((SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v WHERE v.relation LIKE 'column\_tap.%'), 'every purse is what its releases cost');

SELECT * FROM finish();
DROP SCHEMA column_tap CASCADE;
DROP OWNED BY column_other, column_stranger, column_member;
DROP ROLE column_other, column_stranger, column_member;
