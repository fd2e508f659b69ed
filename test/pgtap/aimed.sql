-- Noise aimed at attributes: a vector's Gaussian noise under adjacency attribute has a scale for each entry, by how far
-- single columns move it; what that costs a column is what its moves cost by these scales.
--
-- Figures are computed by hand: a column that moves entry i by m_i costs rho sum of m_i^2 / 2 N_i^2.
-- Files: moment/aim.c noise/plan.c agg/families/vector_aggregates.c agg/weights.c
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

DROP SCHEMA IF EXISTS aim_tap CASCADE;
CREATE SCHEMA aim_tap;
SET search_path = aim_tap, public;
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, income float8 NOT NULL, size float8, sex text NOT NULL, town int NOT NULL, grade float8 NOT NULL);
INSERT INTO people SELECT i, i % 100, i * 10, i % 7, 'F', i % 2, i % 5 FROM generate_series(1, 100) i;
CREATE FUNCTION declare(relation regclass, adjacency text) RETURNS void LANGUAGE sql AS $$
	SELECT dpsens.protect(relation, adjacency => adjacency), dpsens.set_range(relation, 'age', 0, 128), dpsens.set_range(relation, 'income', 0, 131072),
		dpsens.set_range(relation, 'size', 0, 10), dpsens.set_range(relation, 'grade', 0, 4), dpsens.set_values(relation, 'sex', 'F', 'M'),
		dpsens.set_values(relation, 'town', '0', '1'), dpsens.set_public(relation, 'town')
$$;
SELECT declare('people', 'attribute') \g /dev/null
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;
SET dpsens.mechanism = gaussian;

-- The scales of the entries, NULL if there is one for all; and what is said of a release beside them.
CREATE FUNCTION scales(query text) RETURNS float8[] LANGUAGE sql AS $$
	SELECT string_to_array(substring(note FROM 'the scales of the release''s entries are ([^;]*);'), ', ')::float8[] FROM dpsens.explain(query) LIMIT 1
$$;
CREATE FUNCTION scale(query text) RETURNS float8 LANGUAGE sql AS $$ SELECT noise_scale FROM dpsens.explain(query) LIMIT 1 $$;
CREATE FUNCTION rho(query text) RETURNS float8 LANGUAGE sql AS $$ SELECT cost_rho FROM dpsens.explain(query) LIMIT 1 $$;
CREATE FUNCTION near(a float8, b float8, tolerance float8 DEFAULT 1e-4) RETURNS bool LANGUAGE sql AS $$ SELECT abs(a / b - 1) <= tolerance $$;

-- ---- scales ----

CREATE TABLE known AS SELECT scales('SELECT dp_sum(ARRAY[age, income]) FROM people') AS s;
SELECT is(cardinality(s), 2, 'a scale for each entry') FROM known;
SELECT ok(near(s[2] / s[1], 1024), 'in proportion to ranges, where each column moves one entry') FROM known;
SELECT ok(near(s[1], scale('SELECT dp_sum(age) FROM people')), 'each entry has the noise that it would have alone') FROM known;
SELECT ok(near(s[2], scale('SELECT dp_sum(income) FROM people')), 'the other one, too') FROM known;
SELECT ok(near(scale('SELECT dp_sum(ARRAY[age, income]) FROM people'), s[2]), 'the scale that is stated is the largest') FROM known;
SELECT ok(near(rho('SELECT dp_sum(ARRAY[age, income]) FROM people'), 128 ^ 2 / (2 * s[1] ^ 2)), 'and what is charged follows from the scales') FROM known;
SELECT is(scales('SELECT dp_sum(ARRAY[age, 128 - age]) FROM people'), NULL, 'one scale is best where a column moves both entries alike');
SELECT ok(near((scales('SELECT dp_sum(ARRAY[age, age / 1000]) FROM people'))[1] / (scales('SELECT dp_sum(ARRAY[age, age / 1000]) FROM people'))[2], 1000), 'a column of several entries');
SELECT ok(cardinality(scales('SELECT dp_avg(ARRAY[age, income]) FROM people')) = 2, 'means');
SELECT ok(cardinality(scales('SELECT town, dp_sum(ARRAY[age, income]) FROM people GROUP BY town')) = 2, 'groups of a public key');
SELECT is(scales('SELECT town, dp_sum(ARRAY[age, income]) FROM people GROUP BY town'), (SELECT s FROM known), 'with the same noise: a row is in one of them, and stays there');
SELECT ok(cardinality(scales('SELECT dp_sum(ARRAY[age, income]) FROM people WHERE town = 1')) = 2, 'a public condition');
SELECT ok(q.s[3] > 0 AND near(q.s[1], k.s[1]) AND q.s[3] = q.s[1], 'an entry that nothing moves has the least of the scales')
FROM (SELECT scales('SELECT dp_sum(ARRAY[age, income, 7]) FROM people') AS s) q, known k;
SELECT is(cardinality(scales('SELECT dp_sum(ARRAY[age, income, grade, age, income, grade, age, income, grade, age, income, grade, age, income, grade, age]) FROM people')), 16, 'sixteen entries');

-- ---- where there is one scale, as before ----

SELECT is(scales('SELECT dp_sum(ARRAY[age]) FROM people'), NULL, 'one entry');
SELECT is(scales('SELECT dp_sum(ARRAY[age, size]) FROM people'), NULL, 'an entry that can be null');
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FROM people WHERE grade > 2'), NULL, 'a private condition');
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FILTER (WHERE grade > 2) FROM people'), NULL, 'a private filter');
SELECT is(scales('SELECT sex, dp_sum(ARRAY[age, income]) FROM people GROUP BY sex'), NULL, 'a private key');
SET dpsens.mechanism = laplace;
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FROM people'), NULL, 'Laplace noise');
SET dpsens.mechanism = gaussian;
CREATE TABLE others AS SELECT * FROM people;
SELECT declare('others', 'replace') \g /dev/null
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FROM others'), NULL, 'rows that are replaced');
SELECT dpsens.unprotect('others'), declare('others', 'add_remove') \g /dev/null
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FROM others'), NULL, 'rows that come and go');
SELECT dpsens.unprotect('others'), declare('others', 'metric') \g /dev/null
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FROM others'), NULL, 'rows that move');

-- ---- how much less noise ----

-- The sum of variances, in parts of what it would be with one scale for the sensitivity that is stated.
CREATE FUNCTION part_of_one_scale(query text) RETURNS numeric LANGUAGE sql AS $$
	SELECT round(((SELECT sum(x ^ 2) FROM unnest(scales(query)) x) / (cardinality(scales(query)) * (e.sensitivity * f.noise_scale / f.sensitivity) ^ 2))::numeric, 3)
	FROM dpsens.explain(query) e, dpsens.explain('SELECT dp_sum(ARRAY[age, 128 - age]) FROM people') f LIMIT 1
$$;
SELECT is(part_of_one_scale('SELECT dp_sum(ARRAY[age, income, grade]) FROM people'), 0.333, 'three columns: a third of the variance, all of which is the widest one''s');
SELECT ok((s)[1] < 0.001 * w AND (s)[3] < 0.0001 * w, 'and the others have a thousandth, and less than a ten-thousandth, of the scale that all would have')
FROM scales('SELECT dp_sum(ARRAY[age, income, grade]) FROM people') s, LATERAL (SELECT s[2] AS w) q;
SELECT is(part_of_one_scale('SELECT dp_sum(ARRAY[age, income, age * income / 128]) FROM people'), 0.687, 'an entry that both columns move');
SELECT is(part_of_one_scale('SELECT dp_sum(ARRAY[age, age ^ 2, grade]) FROM people'), 0.667, 'a column, its square and another column');

-- ---- answers ----

SELECT ok(cardinality(dp_sum(ARRAY[age, income])) = 2, 'an answer') FROM people;
SELECT ok(near((u[2] - l[2]) / (u[1] - l[1]), 1024, 1e-3), 'intervals are as wide as each entry''s own noise')
FROM (SELECT (c).lower AS l, (c).upper AS u FROM (SELECT dp_sum_ci(ARRAY[age, income]) AS c FROM people) q) q;
CREATE TABLE nobody AS SELECT * FROM people LIMIT 0;
CREATE TABLE one AS SELECT * FROM people LIMIT 1;
ALTER TABLE nobody ALTER age SET NOT NULL, ALTER income SET NOT NULL;
ALTER TABLE one ALTER age SET NOT NULL, ALTER income SET NOT NULL;
SELECT declare('nobody', 'attribute'), declare('one', 'attribute') \g /dev/null
SELECT is(scales('SELECT dp_sum(ARRAY[age, income]) FROM nobody'), (SELECT s FROM known), 'scales do not depend on rows');
SELECT ok(abs(v[1]) < 100 * s[1] AND abs(v[2]) < 100 * s[2], 'no rows') FROM (SELECT dp_sum(ARRAY[age, income]) AS v FROM nobody) q, known;
SELECT ok(abs(v[1]) < 100 * s[1] AND abs(v[2]) < 100 * s[2], 'one row') FROM (SELECT dp_sum(ARRAY[age, income]) AS v FROM one) q, known;
SET dpsens.noise = off;
SELECT is(dp_sum(ARRAY[age, income]), ARRAY[(SELECT sum(age) FROM one), (SELECT sum(income) FROM one)], 'without noise') FROM one;
RESET dpsens.noise;

-- ---- what is charged ----

SELECT dp_sum(ARRAY[age, income, grade]) FROM people \g /dev/null
SELECT ok(near(r.scale, (s)[3], 1e-5), 'the history has the least scale')
FROM dpsens.releases r, scales('SELECT dp_sum(ARRAY[age, income, grade]) FROM people') s WHERE r.expression LIKE '%age%income%grade%' AND r.relation = 'aim_tap.people';
SELECT ok(near(r.charge_rho, rho('SELECT dp_sum(ARRAY[age, income, grade]) FROM people'), 1e-9), 'and the loss that was stated')
FROM dpsens.releases r WHERE r.expression LIKE '%age%income%grade%' AND r.relation = 'aim_tap.people';
SELECT ok(bool_and(valid), 'the ledger agrees') FROM dpsens.verify_ledger();

CREATE TABLE payers AS SELECT * FROM people;
ALTER TABLE payers ALTER age SET NOT NULL, ALTER income SET NOT NULL, ALTER grade SET NOT NULL;
SELECT declare('payers', 'attribute') \g /dev/null
SELECT dpsens.set_column_budget('payers', 'age', rho => 100), dpsens.set_column_budget('payers', 'income', rho => 100), dpsens.set_column_budget('payers', 'grade', rho => 100),
	dpsens.set_column_budget('payers', 'size', rho => 100) \g /dev/null
CREATE FUNCTION spent(col name) RETURNS float8 LANGUAGE sql AS $$ SELECT (spent_rho / 2.0 ^ 40)::float8 FROM dpsens.purse WHERE relation = 'payers'::regclass AND column_name = col $$;
CREATE TABLE charged (s float8[]);
INSERT INTO charged SELECT scales('SELECT dp_sum(ARRAY[age + income / 1024, income]) FROM payers');
SELECT dp_sum(ARRAY[age + income / 1024, income]) FROM payers \g /dev/null
SELECT ok(near(spent('age'), 128 ^ 2 / (2 * s[1] ^ 2)), 'a column is charged what it moves by the entry''s own scale') FROM charged;
SELECT ok(near(spent('income'), 128 ^ 2 / (2 * s[1] ^ 2) + 131072 ^ 2 / (2 * s[2] ^ 2)), 'one that moves two entries, for both') FROM charged;
SELECT ok(spent('age') < 0.9 * spent('income'), 'which is more');
SELECT is(ARRAY[spent('grade'), spent('size')], '{0,0}', 'others pay nothing');
CREATE TABLE before AS SELECT spent('grade') AS grade, spent('age') AS age;
SELECT dp_sum(ARRAY[grade, 4 - grade, age]) FROM payers WHERE age > 3 \g /dev/null
SELECT ok(near(spent('age') - age, spent('grade') - grade, 1e-9), 'where a column decides which rows count, each is charged as a replaced row') FROM before;
UPDATE before SET grade = spent('grade'), age = spent('age');
SELECT dp_sum(ARRAY[age, 128 - age]) FROM payers \g /dev/null
SELECT ok(near(spent('age') - age, rho('SELECT dp_sum(ARRAY[age, 128 - age]) FROM payers'), 1e-6) AND spent('grade') = grade, 'columns are charged what they move by noise of one scale, too') FROM before;
SELECT ok(note LIKE '%costs column age epsilon infinite and rho %', 'explain says what it would cost them') FROM dpsens.explain('SELECT dp_sum(ARRAY[age, income]) FROM payers');

-- ---- weights ----

SELECT dpsens.set_range('one', 'income', 0, 131072, weight => 0.25) \g /dev/null
SELECT ok(near(s[1], scale('SELECT dp_sum(age) FROM one')) AND near(s[2], scale('SELECT dp_sum(income, 0.25) FROM people')), 'each column has the noise for its weight')
FROM scales('SELECT dp_sum(ARRAY[age, income]) FROM one') s;
SELECT ok(near(rho('SELECT dp_sum(ARRAY[age, income]) FROM one'), 128 ^ 2 / (2 * s[1] ^ 2)), 'and the relation is charged what any column loses') FROM scales('SELECT dp_sum(ARRAY[age, income]) FROM one') s;
SELECT ok(bool_and(valid), 'the ledger agrees') FROM dpsens.verify_ledger();

-- ---- changes ----

PREPARE again AS SELECT dp_sum(ARRAY[age, income]) FROM one;
EXECUTE again \g /dev/null
SELECT dpsens.set_range('one', 'age', 0, 64) \g /dev/null
EXECUTE again \g /dev/null
SELECT ok(near(s[1] / s[2], 2), 'a prepared statement is planned anew') FROM (SELECT array_agg(scale ORDER BY release) AS s FROM dpsens.releases WHERE relation = 'aim_tap.one' AND scale > 0 AND release > (SELECT min(release) FROM dpsens.releases WHERE relation = 'aim_tap.one')) q;

SELECT * FROM finish();
