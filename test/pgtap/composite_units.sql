-- Units of several columns, beside the same data with one column that says the same.
--
-- Schemas pairs and singles hold the same rows.  What is asked of both, without noise, must be the same: which rows of a
-- unit count is a function of these rows alone, so the answers are equal to the bit, whatever computes them.
-- Files: glue/constraint/unit_columns.c, glue/constraint/unit_index.c, glue/constraint/reference.c, guard/source/unit_vars.c,
-- guard/trace/row_owner.c, guard/trace/join_unit.c, guard/trace/grouped.c, ledger/entity.c, glue/label/sql_annotation.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();
DROP SCHEMA IF EXISTS pairs, singles, composite_tap CASCADE;
CREATE SCHEMA pairs;
CREATE SCHEMA singles;
CREATE SCHEMA composite_tap;

-- Tuples that look alike where they are written one after the other, and numbers that look different.
CREATE TABLE composite_tap.persons (person int PRIMARY KEY, hospital text, patient numeric, ward char(4), joined date);
INSERT INTO composite_tap.persons VALUES (1, '1', 23, 'a', '2020-01-01'), (2, '12', 3, 'a', '2020-01-01'), (3, '', 123, 'a', '2020-01-01'), (4, '1', 23, 'b', '2020-01-01'),
    (5, '1', 23, 'a', '2020-01-02'), (6, '1,2', 3, 'a', '2020-01-01'), (7, '1', 2.3, 'a', '2020-01-01'), (8, 'é', -1, 'a b', 'infinity'), (9, '1 ', 23, 'a', '2020-01-01'),
    (10, repeat('long', 700), 23, 'a', '2020-01-01'), (11, repeat('long', 700) || 'x', 23, 'a', '2020-01-01'), (12, 'é', 'NaN', '', '-infinity');
INSERT INTO composite_tap.persons SELECT 100 + i, 'h' || i % 7, i / 7, 'w' || i % 3, '2021-01-01'::date + i % 2 FROM generate_series(1, 80) i;
CREATE TYPE composite_tap.kind AS ENUM ('red', 'green', 'blue');

CREATE FUNCTION composite_tap.fill(schema text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', schema || ', composite_tap, public', false);
    CREATE TABLE people AS SELECT hospital, patient, ward, joined, person, (person * 7 % 90)::int AS age FROM persons;
    ALTER TABLE people ADD PRIMARY KEY (hospital, patient, ward, joined), ALTER person SET NOT NULL, ADD UNIQUE (person), ALTER age SET NOT NULL;
    CREATE TABLE visits (hospital text, patient numeric, ward char(4), joined date, person int, visit int NOT NULL, kind kind NOT NULL, cost float8 NOT NULL, day date, score numeric);
    -- 23.0 and 23.00 are 23
    INSERT INTO visits SELECT hospital, CASE WHEN v % 2 = 0 THEN patient ELSE round(patient, 2) END, ward, joined, person, person * 100 + v, (enum_range(NULL::kind))[1 + (v * person) % 3],
        (v * 37 + person) % 50, '2020-01-01'::date + v % 5, v % 4 FROM persons, generate_series(1, 9) v WHERE v <= 1 + person % 9;
    -- without a unit: one of the columns is NULL, or all are
    INSERT INTO visits SELECT CASE WHEN v % 4 <> 0 THEN '1' END, CASE WHEN v % 4 <> 1 THEN 23 END, CASE WHEN v % 4 <> 2 THEN 'a' END, CASE WHEN v % 4 <> 3 THEN '2020-01-01'::date END, NULL, 90000 + v,
        'red', v % 50, '2020-01-03', 1 FROM generate_series(1, 30) v;
    CREATE TABLE stays AS SELECT * FROM visits WHERE person IS NOT NULL;
    ALTER TABLE stays ALTER hospital SET NOT NULL, ALTER patient SET NOT NULL, ALTER ward SET NOT NULL, ALTER joined SET NOT NULL, ALTER person SET NOT NULL, ALTER visit SET NOT NULL, ALTER cost SET NOT NULL,
        ADD PRIMARY KEY (visit), ADD FOREIGN KEY (hospital, patient, ward, joined) REFERENCES people;
    CREATE TABLE labs (visit int REFERENCES stays, lab float8 NOT NULL);
    INSERT INTO labs SELECT visit, l * visit % 30 FROM stays, generate_series(1, 3) l;
    INSERT INTO labs SELECT NULL, l FROM generate_series(1, 5) l;
    CREATE TABLE notes (joined date, ward char(4), patient numeric, hospital text, person int REFERENCES people (person), words int NOT NULL,
        FOREIGN KEY (hospital, patient, ward, joined) REFERENCES people);
    IF schema = 'pairs' THEN
        ALTER TABLE notes DROP CONSTRAINT notes_person_fkey;
    END IF;
    INSERT INTO notes SELECT joined, ward, patient, hospital, person, n * person % 40 FROM persons, generate_series(1, 4) n;
    INSERT INTO notes SELECT joined, ward, NULL, hospital, NULL, person % 40 FROM persons;
    CREATE TABLE cards AS SELECT * FROM people WHERE age % 2 = 0;
    ALTER TABLE cards ADD PRIMARY KEY (joined, hospital, patient, ward), ALTER person SET NOT NULL, ADD UNIQUE (person);
    ALTER TABLE cards RENAME age TO points;
    CREATE TABLE towns (hospital text PRIMARY KEY, size int NOT NULL);
    INSERT INTO towns SELECT DISTINCT hospital, length(hospital) FROM persons;
END $$;
SELECT composite_tap.fill('pairs'), composite_tap.fill('singles');
CREATE FUNCTION composite_tap.declare(schema text, unit text, by_reference text, adjacency text, m int, mg int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', schema || ', composite_tap, public', false);
    PERFORM dpsens.protect('people', unit, adjacency), dpsens.protect('cards', unit, adjacency), dpsens.protect('visits', unit, adjacency, m, mg, g), dpsens.protect('stays', unit, adjacency, m, mg, g),
        dpsens.protect('notes', by_reference, adjacency, m, mg, g), dpsens.protect('labs', (SELECT string_agg('stays.' || trim(u), ', ') FROM unnest(string_to_array(unit, ',')) u), adjacency, m, mg, g),
        dpsens.set_public('towns');
    PERFORM dpsens.set_range(t, 'cost', 0, 50), dpsens.set_range(t, 'score', 0, 4), dpsens.set_values(t, 'ward', 'a', 'b', 'w0', 'w2') FROM unnest('{visits,stays}'::regclass[]) t;
    PERFORM dpsens.set_range('people', 'age', 0, 90), dpsens.set_range('cards', 'points', 0, 90), dpsens.set_range('visits', 'visit', 0, 100000), dpsens.set_range('towns', 'size', 0, 100), dpsens.set_range('labs', 'lab', 0, 30), dpsens.set_range('notes', 'words', 0, 40);
END $$;
CREATE FUNCTION composite_tap.set_up(adjacency text, m int, mg int DEFAULT 0, g int DEFAULT 0) RETURNS void LANGUAGE sql AS $$
    SELECT composite_tap.declare('pairs', 'hospital, patient, ward, joined', 'people.hospital, people.patient, people.ward, people.joined', adjacency, m, mg, g),
        composite_tap.declare('singles', 'person', 'people.person', adjacency, m, mg, g) $$;
-- In the query <a = b> compares units of two tables, and <a> lists the columns of one.
CREATE FUNCTION composite_tap.spell(query text, columns text[]) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace(query, '<(\w+) = (\w+)>', (SELECT string_agg(format('\1.%s = \2.%s', c, c), ' AND ') FROM unnest(columns) c), 'g'),
        '<(\w+)>', (SELECT string_agg('\1.' || c, ', ') FROM unnest(columns) c), 'g') $$;
CREATE FUNCTION composite_tap.answer_of(schema text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    PERFORM set_config('search_path', schema || ', composite_tap, public', true);
    EXECUTE format('SELECT string_agg(q::text, ''|'' ORDER BY q::text) FROM (%s) q',
        composite_tap.spell(query, CASE schema WHEN 'pairs' THEN '{hospital,patient,ward,joined}'::text[] ELSE '{person}' END)) INTO result;
    RETURN result;
EXCEPTION WHEN feature_not_supported OR object_not_in_prerequisite_state THEN
    RETURN 'refused: ' || sqlstate;
END $$;
CREATE FUNCTION composite_tap.noise_of(schema text, query text) RETURNS text LANGUAGE sql AS $$
    SELECT composite_tap.answer_of(schema, format('SELECT sensitivity, noise_scale, epsilon FROM dpsens.explain(%L)',
        composite_tap.spell(query, CASE schema WHEN 'pairs' THEN '{hospital,patient,ward,joined}'::text[] ELSE '{person}' END))) $$;
CREATE TABLE composite_tap.queries (n int GENERATED ALWAYS AS IDENTITY, query text, is_answered boolean DEFAULT true);
INSERT INTO composite_tap.queries (query) VALUES
    ('SELECT dp_count(*), dp_sum(cost), dp_avg(score) FROM visits v'),
    ('SELECT dp_count(*), dp_sum(cost) FROM visits v WHERE cost > 20 AND score < 3'),
    ('SELECT kind, dp_count(*), dp_sum(cost) FROM visits v GROUP BY kind'),
    ('SELECT kind, dp_count(*) FILTER (WHERE cost > 10) FROM stays v GROUP BY kind'),
    ('SELECT ward, dp_count(*), dp_sum(cost) FROM visits v GROUP BY ward'),
    ('SELECT day, dp_count(*), dp_sum(cost) FROM visits v GROUP BY day'),
    ('SELECT day, kind, dp_count(*) FROM stays v GROUP BY day, kind'),
    ('SELECT dp_median(cost) FROM visits v'),
    ('SELECT dp_count(DISTINCT kind) FROM visits v'),
    ('SELECT dp_var_samp(cost) FROM stays v'),
    ('SELECT dp_count(*), dp_sum(age) FROM people p'),
    ('SELECT dp_count(*), dp_sum(cost + age) FROM visits v JOIN people p ON <p = v>'),
    ('SELECT kind, dp_count(*), dp_sum(age) FROM stays v JOIN people p ON <p = v> WHERE age > 30 GROUP BY kind'),
    ('SELECT day, dp_count(*) FROM visits v JOIN people p ON <v = p> GROUP BY day'),
    ('SELECT dp_count(*), dp_sum(t.size) FROM visits v JOIN towns t ON t.hospital = v.hospital'),
    ('SELECT dp_count(*), dp_sum(words) FROM notes n'),
    ('SELECT dp_count(*), dp_sum(words + age) FROM notes n JOIN people p ON <p = n>'),
    ('SELECT dp_count(*), dp_sum(lab) FROM labs l'),
    ('SELECT dp_count(*), dp_sum(lab + cost) FROM labs l JOIN stays s ON s.visit = l.visit'),
    ('SELECT kind, dp_sum(lab) FROM labs l JOIN stays s ON s.visit = l.visit JOIN people p ON <p = s> GROUP BY kind'),
    ('SELECT dp_count(*) FROM (SELECT DISTINCT <p> FROM people p) s'),
    ('SELECT dp_count(*), dp_sum(n) FROM (SELECT <v>, count(*) AS n FROM stays v GROUP BY <v>) s'),
    ('SELECT n, dp_count(*) FROM (SELECT <v>, count(*) AS n FROM stays v WHERE cost < 40 GROUP BY <v> HAVING count(*) > 1) s GROUP BY n'),
    ('SELECT kind, dp_count(*), dp_sum(c) FROM (SELECT <v>, kind, sum(cost) AS c FROM stays v GROUP BY <v>, kind) s GROUP BY kind'),
    ('SELECT dp_count(*), dp_sum(n) FROM (SELECT <p>, count(v.visit) AS n FROM people p LEFT JOIN stays v ON <v = p> GROUP BY <p>) s'),
    ('SELECT dp_count(*), dp_sum(s.n + p.age) FROM people p JOIN (SELECT <v>, count(*) AS n FROM stays v GROUP BY <v>) s ON <s = p>'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE <v = p> AND cost > 45)'),
    ('SELECT dp_count(*), dp_sum(age) FROM people p WHERE NOT EXISTS (SELECT FROM visits v WHERE <v = p> AND cost > 45)'),
    ('SELECT dp_count(*) FROM people p WHERE (<p>) IN (SELECT <v> FROM stays v WHERE cost > 45)'),
    ('SELECT dp_count(*) FROM stays s WHERE EXISTS (SELECT FROM labs l WHERE l.visit = s.visit AND lab > 20)'),
    ('SELECT dp_count(*), dp_sum(x) FROM (SELECT age AS x FROM people UNION ALL SELECT points FROM cards) u'),
    ('SELECT dp_count(*), dp_sum(points + age) FROM cards c JOIN people p ON <c = p>');
INSERT INTO composite_tap.queries (query, is_answered) VALUES
    -- a part of the unit is not the unit: of single columns this is nothing to compare with
    ('SELECT dp_count(*) FROM (SELECT v.hospital, count(*) AS n FROM stays v GROUP BY v.hospital) s', false),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM stays v WHERE v.hospital = p.hospital AND v.patient = p.patient AND v.ward = p.ward)', false),
    ('SELECT dp_count(*) FROM (SELECT DISTINCT hospital, patient, ward FROM people) s', false),
    ('SELECT dp_count(*) FROM (SELECT <v>, count(*) AS n FROM visits v GROUP BY <v>) s', false),
    ('SELECT dp_count(*), dp_sum(x) FROM (SELECT age AS x FROM people UNION ALL SELECT cost::int FROM stays) u', false);

SET dpsens.epsilon = 1;
-- groups of one person stay hidden
SET dpsens.delta = 1e-12;

-- ---- the same answers ----

CREATE FUNCTION composite_tap.compare(adjacency text, m int, mg int DEFAULT 0, g int DEFAULT 0) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    q composite_tap.queries;
    label text = format('%s, %s, %s, %s: ', adjacency, m, mg, g);
BEGIN
    PERFORM composite_tap.set_up(adjacency, m, mg, g);
    FOR q IN SELECT * FROM composite_tap.queries WHERE is_answered ORDER BY n LOOP
        RETURN NEXT is(composite_tap.noise_of('pairs', q.query), composite_tap.noise_of('singles', q.query), label || 'noise of ' || q.query);
        SET LOCAL dpsens.noise = off;
        RETURN NEXT is(composite_tap.answer_of('pairs', q.query), composite_tap.answer_of('singles', q.query), label || q.query);
        SET LOCAL dpsens.noise = on;
    END LOOP;
END $$;
SELECT composite_tap.compare('add_remove', 2);
SELECT composite_tap.compare('add_remove', 3, 1, 2);
SELECT composite_tap.compare('replace', 4);
SET dpsens.enable_group_states = off;
SELECT composite_tap.compare('add_remove', 2);
SET dpsens.enable_table_sums = off;
SET dpsens.enable_row_sums = off;
SELECT composite_tap.compare('add_remove', 2, 1);
RESET dpsens.enable_group_states;
SELECT composite_tap.compare('replace', 2);
RESET dpsens.enable_table_sums;
RESET dpsens.enable_row_sums;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT composite_tap.compare('add_remove', 3);
-- in the way of who may not read the rows
SET dpsens.debug_restricted = on;
SELECT composite_tap.compare('add_remove', 2);
RESET dpsens.debug_restricted;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- what all of them answer, or the comparison would say nothing
SET dpsens.noise = off;
SELECT composite_tap.set_up('add_remove', 2);
SELECT isnt(left(composite_tap.answer_of('singles', query), 7), 'refused', 'is answered: ' || query) FROM composite_tap.queries WHERE is_answered ORDER BY n;
SELECT is(left(composite_tap.answer_of('pairs', query), 7), 'refused', 'is refused: ' || query) FROM composite_tap.queries WHERE NOT is_answered ORDER BY n;
SELECT is(composite_tap.answer_of('pairs', 'SELECT dp_count(*) FROM visits'),
    (SELECT format('(%s)', count(*) + (SELECT count(*) FROM pairs.visits WHERE person IS NULL)) FROM pairs.visits v WHERE visit % 100 <= 2 AND person IS NOT NULL), 'rows without a unit are one each');
RESET dpsens.noise;

-- ---- what is declared ----

SET search_path = pairs, composite_tap, public;
SELECT results_eq($$SELECT objsubid, substring(label::text COLLATE "default" FROM 'UNIT.*') FROM pg_seclabel WHERE objoid = 'stays'::regclass AND label ~ 'UNIT' ORDER BY 1$$, $$VALUES (1, 'UNIT 1 OF 4'), (2, 'UNIT 2 OF 4'), (3, 'UNIT 3 OF 4'), (4, 'UNIT 4 OF 4')$$, 'labels have places');
SELECT results_eq($$SELECT objsubid, substring(label::text COLLATE "default" FROM 'UNIT.*') FROM pg_seclabel WHERE objoid = 'notes'::regclass AND label ~ 'UNIT' ORDER BY 1$$,
    $$SELECT i, format('UNIT %s OF 4 BY REFERENCE', i) FROM generate_series(1, 4) i$$, 'those of a foreign key, too');
SELECT results_eq($$SELECT relation::text, unit, one_row FROM dpsens.relations WHERE relation::text IN ('people', 'stays') ORDER BY 1$$,
    $$VALUES ('people', 'hospital, patient, ward, joined', true), ('stays', 'hospital, patient, ward, joined', false)$$, 'in the view');
SELECT is(role, 'unit', 'the role of ' || column_name) FROM dpsens.columns WHERE relation = 'stays'::regclass AND column_name IN ('hospital', 'joined');
CREATE TABLE odd ("a, b" int, "A" int, a int, b int, c float8, d text COLLATE "C", e interval, f jsonb, "x.y" int);
CREATE FUNCTION unit_of(argument text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('odd', argument);
    RETURN (SELECT string_agg(a.attname || ': ' || l.label, '; ' ORDER BY l.label) FROM pg_seclabel l JOIN pg_attribute a ON a.attrelid = l.objoid AND a.attnum = l.objsubid WHERE l.objoid = 'odd'::regclass);
END $$;
SELECT is(unit_of(argument), labels, argument) FROM (VALUES ('a', 'a: UNIT'), ('a,b', 'a: UNIT 1 OF 2; b: UNIT 2 OF 2'), ('b, a', 'b: UNIT 1 OF 2; a: UNIT 2 OF 2'), ('a, b', 'a, b: UNIT'),
    ('"A" ,  "a, b"', 'A: UNIT 1 OF 2; a, b: UNIT 2 OF 2'), ('A, x.y, d', 'A: UNIT 1 OF 3; x.y: UNIT 2 OF 3; d: UNIT 3 OF 3'), ('c', 'c: UNIT')) q (argument, labels);
SELECT throws_ok(format('SELECT dpsens.protect(''odd'', %L)', argument), code, message, argument) FROM (VALUES
    ('a, ', '42703', 'column "" of relation "odd" does not exist'), ('a, a', '22023', '"a, a" cannot be the privacy unit'), ('b, nothing', '42703', 'column "nothing" of relation "odd" does not exist'),
    ('b, c', '0A000', 'column "c" of type double precision cannot be part of a privacy unit of several columns'),
    ('e, b', '0A000', 'column "e" of type interval cannot be part of a privacy unit of several columns'), ('f, b', '0A000', 'column "f" of type jsonb cannot be part of a privacy unit of several columns'),
    ('people.hospital, b', '22023', '"people.hospital, b" cannot be the privacy unit'), ('people.hospital, stays.patient', '22023', '"people.hospital, stays.patient" cannot be the privacy unit'),
    ('people.hospital', '55000', 'column "hospital" is not the privacy unit of relation "people"'),
    ('people.patient, people.hospital, people.ward, people.joined', '55000', '"people.patient, people.hospital, people.ward, people.joined" is not the privacy unit of relation "people"'),
    ('people.hospital, people.patient, people.ward, people.joined', '55000', 'nothing says which row of "people" a row of "odd" belongs to')) q (argument, code, message);
SELECT throws_like(format('SECURITY LABEL FOR dpsens ON COLUMN pairs.odd.a IS %L', label), 'syntax error % dpsens label%', label)
    FROM unnest('{UNIT 0 OF 2,UNIT 3 OF 2,UNIT 1 OF 1,UNIT 1 OF 9,UNIT 1,UNIT 1 OF,UNIT OF 2,UNIT 1 OF 2 BY,UNIT 1 OF 2 UNIT 2 OF 2}'::text[]) label;
SELECT is(unit_of('a,b'), 'a: UNIT 1 OF 2; b: UNIT 2 OF 2', 'once more');
SELECT throws_ok(format('SECURITY LABEL FOR dpsens ON COLUMN pairs.odd.d IS %L', label), '42710', NULL, 'does not fit: ' || label) FROM unnest('{UNIT,UNIT 1 OF 2,UNIT 3 OF 3,UNIT 2 OF 2 BY REFERENCE}'::text[]) label;
SELECT dpsens.protect('odd', max_rows => 3);

-- ---- what is missing is no unit ----

SELECT lives_ok('SELECT dp_count(*) FROM odd', 'answers');
ALTER TABLE odd DROP COLUMN b;
SELECT throws_ok('SELECT dp_count(*) FROM odd', '55000', 'a column of the privacy unit of relation "odd" is missing', 'one of two columns is another unit');
SELECT is((SELECT unit FROM dpsens.relations WHERE relation = 'odd'::regclass), NULL, 'nor is it shown as one');
SELECT throws_ok('SELECT dpsens.set_entity_budget(''odd'', epsilon => 9)', '55000', NULL, 'nor has it a budget of persons');
SELECT throws_ok('SELECT dpsens.set_budget(''odd'', row_epsilon => 9)', '55000', NULL, 'nor accounts of rows');
SELECT throws_like('SELECT dpsens.set_column_budget(''odd'', ''a'', 5)', '%', 'nor has what is left of it a budget of its own');
SELECT throws_like('SELECT * FROM dpsens.row_loss(''odd'')', 'losses of units of relation "odd" are not accounted for', 'nor are rows its units');
SELECT matches((SELECT missing FROM dpsens.columns WHERE relation = 'odd'::regclass AND column_name = 'a'), 'dpsens.protect', 'and what mends it is said');
SELECT is(unit_of('a'), 'a: UNIT', 'declared anew');
CREATE TABLE turned AS SELECT 1 AS a, 2 AS b;
SELECT dpsens.protect('turned', 'a,b', max_rows => 1);
ALTER TABLE turned ALTER b TYPE float8;
SELECT throws_ok('SELECT dp_count(*) FROM turned', '0A000', 'units of several columns are not supported with one of type double precision', 'a type that has changed since');
SELECT throws_ok('SELECT dp_count(*) FROM turned t JOIN people p ON p.patient = t.a', '0A000', NULL, 'in a join, too');

-- ---- two tables ----

-- (a, b) is not (b, a), although each column is equal to one
CREATE TABLE left_side (a int, b int, x int, PRIMARY KEY (a, b));
CREATE TABLE right_side (b int, a int, y int, PRIMARY KEY (a, b));
SELECT dpsens.protect('left_side', 'a,b'), dpsens.protect('right_side', 'a,b');
SELECT lives_ok('SELECT dp_count(*) FROM left_side l JOIN right_side r ON r.a = l.a AND r.b = l.b', 'columns of equal places');
SELECT throws_like('SELECT dp_count(*) FROM left_side l JOIN right_side r ON r.b = l.a AND r.a = l.b', 'this join with relation "right_side" is not supported%', 'of crossed places');
SELECT throws_like('SELECT dp_count(*) FROM left_side l JOIN right_side r ON r.a = l.a AND r.b = l.a', 'this join with relation "right_side" is not supported%', 'one column twice');
SELECT throws_like('SELECT dp_count(*) FROM left_side l WHERE EXISTS (SELECT FROM right_side r WHERE r.a = l.a)', '%is not supported%', 'one column of two');
SELECT lives_ok('SELECT dp_count(*) FROM left_side l JOIN right_side r USING (a, b) WHERE l.a = l.b', 'and what else is asked');
SELECT dpsens.protect('right_side', 'b', max_rows => 1);
SELECT throws_like('SELECT dp_count(*) FROM left_side l JOIN right_side r ON r.a = l.a AND r.b = l.b', 'this join with relation "right_side" is not supported%', 'units of different size');
-- an index of some of the columns proves one row
SELECT is((SELECT one_row FROM dpsens.relations WHERE relation = 'left_side'::regclass), true, 'the primary key');
ALTER TABLE left_side DROP CONSTRAINT left_side_pkey;
SELECT is((SELECT one_row FROM dpsens.relations WHERE relation = 'left_side'::regclass), false, 'no index');
CREATE UNIQUE INDEX ON left_side (b, x);
SELECT is((SELECT one_row FROM dpsens.relations WHERE relation = 'left_side'::regclass), false, 'one with another column');
CREATE UNIQUE INDEX left_b ON left_side (b);
SELECT is((SELECT one_row FROM dpsens.relations WHERE relation = 'left_side'::regclass), true, 'one of the columns');
ALTER TABLE left_side ALTER a DROP NOT NULL;
SELECT is((SELECT one_row FROM dpsens.relations WHERE relation = 'left_side'::regclass), false, 'but none may be NULL');

-- ---- persons ----

CREATE TABLE patients (hospital int, patient text COLLATE "C", age int NOT NULL, PRIMARY KEY (patient, hospital));
CREATE TABLE nights (night int PRIMARY KEY, patient text COLLATE "C" NOT NULL, hospital int NOT NULL, FOREIGN KEY (hospital, patient) REFERENCES patients (hospital, patient));
CREATE TABLE meals (h bigint NOT NULL, p text COLLATE "C" NOT NULL, FOREIGN KEY (p, h) REFERENCES patients, night int REFERENCES nights);
CREATE TABLE drugs (night int REFERENCES nights, dose int NOT NULL);
CREATE TABLE messages (h int NOT NULL, p text COLLATE "C" NOT NULL, receiver int NOT NULL, FOREIGN KEY (h, p) REFERENCES patients (hospital, patient));
ALTER TABLE patients ADD UNIQUE (age);
ALTER TABLE messages ADD FOREIGN KEY (receiver) REFERENCES patients (age);
CREATE TABLE strangers (hospital int, patient text COLLATE "C");
CREATE TABLE calls (hospital int, patient varchar(9) COLLATE "POSIX", FOREIGN KEY (hospital, patient) REFERENCES patients (hospital, patient));
INSERT INTO patients SELECT i / 10, 'p' || i % 10, i FROM generate_series(1, 50) i;
INSERT INTO nights SELECT 100 * age + n, patient, hospital FROM patients, generate_series(1, 3) n;
INSERT INTO meals SELECT hospital, patient, night FROM nights, generate_series(1, 3);
INSERT INTO drugs SELECT night, night % 5 FROM nights, generate_series(1, 2);
SELECT dpsens.protect('patients', 'hospital, patient'), dpsens.protect('nights', 'hospital, patient', max_rows => 3), dpsens.protect('meals', 'patients.hospital, patients.patient', max_rows => 9),
    dpsens.protect('drugs', 'nights.hospital, nights.patient', max_rows => 6), dpsens.protect('strangers', 'hospital, patient', max_rows => 1);
SELECT throws_like('SELECT dpsens.protect(''messages'', ''patients.hospital, patients.patient'')', 'nothing says which row of "patients" a row of "messages" belongs to', 'of two foreign keys none is chosen');
SELECT results_eq('SELECT unit FROM dpsens.relations WHERE relation = ''meals''::regclass', 'VALUES (''h, p'')', 'by a foreign key of other names');
SELECT ok('patients'::regclass = ANY (dpsens_internal.entities_of(t)), t || ' is of patients') FROM unnest('{patients,nights,meals,drugs}'::regclass[]) t;
SELECT ok(NOT 'patients'::regclass = ANY (dpsens_internal.entities_of('strangers'::regclass)), 'what has no foreign key is not');
SELECT dpsens.protect('calls', 'hospital, patient', max_rows => 1);
SELECT throws_like('SELECT dpsens.set_entity_budget(''patients'', 100, 1e-3)', 'relation "calls" cannot share the budget of entity "patients"', 'one of the columns is compared otherwise');
SELECT dpsens.unprotect('calls');
SELECT lives_ok('SELECT dpsens.set_entity_budget(''patients'', 100, 1e-3)', 'a budget of persons');
CREATE FUNCTION cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    before float8 := (SELECT spent_epsilon FROM dpsens.budgets WHERE relation = 'patients'::regclass AND entity);
BEGIN
    EXECUTE query;
    RETURN (SELECT spent_epsilon FROM dpsens.budgets WHERE relation = 'patients'::regclass AND entity) - before;
END $$;
SELECT dp_count(*) FROM patients \g /dev/null
SELECT is(cost(query), paid::float8, query) FROM (VALUES ('SELECT dp_count(*) FROM patients', 1), ('SELECT dp_count(*) FROM nights', 1), ('SELECT dp_count(*) FROM meals', 1), ('SELECT dp_count(*) FROM drugs', 1),
    ('SELECT dp_count(*) FROM strangers', 0), ('SELECT dp_count(*), dp_count(*) FILTER (WHERE night > 500) FROM nights', 2)) q (query, paid);
SELECT dpsens.protect('nights', 'patient, hospital');
SELECT throws_ok('SELECT dp_count(*) FROM nights', NULL, NULL, 'the same columns in another order are not the entity''s unit');
SELECT throws_like('SELECT dp_count(*) FROM nights n JOIN patients p USING (hospital, patient)', 'this join with relation "patients" is not supported%', 'nor are they in a join');
SELECT dpsens.protect('nights', 'hospital');
SELECT ok(NOT 'patients'::regclass = ANY (dpsens_internal.entities_of('nights'::regclass)), 'nor is one of them');
SELECT dpsens.protect('nights', 'hospital, patient');
SELECT lives_ok('SELECT dp_count(*) FROM nights', 'in the same order they are');
ALTER TABLE nights ALTER hospital DROP NOT NULL;
INSERT INTO nights VALUES (9, 'p1', NULL), (10, 'p1', NULL);
INSERT INTO drugs VALUES (9, 1), (10, 1), (NULL, 1);
SELECT dpsens.set_entity_budget('patients', 'Infinity');
SET dpsens.noise = off;
SELECT is(dp_count(*), 152::bigint, 'two rows without a hospital are two units') FROM nights;
SELECT is(dp_count(*), 150 * 2 + 3::bigint, 'and what refers to them is theirs') FROM drugs;
SELECT dpsens.protect('drugs', max_rows => 1);
SELECT is(dp_count(*), 53::bigint, 'each within its limit') FROM drugs;
RESET dpsens.noise;

-- ---- one is compared otherwise ----

CREATE TABLE padded (c char(3) PRIMARY KEY, x int NOT NULL);
CREATE TABLE plain (v varchar(3) PRIMARY KEY, y int NOT NULL);
SELECT dpsens.protect('padded', 'c'), dpsens.protect('plain', 'v'), dpsens.set_range('padded', 'x', 0, 1), dpsens.set_range('plain', 'y', -5, 5);
-- 'a' and 'a ' are two persons of the one table, and one of the other
SELECT throws_like(query, 'this join with relation % is not supported below dp aggregates', query) FROM unnest(ARRAY['SELECT dp_count(*) FROM padded JOIN plain ON c = v', 'SELECT dp_count(*) FROM plain JOIN padded ON c = v',
    'SELECT dp_sum(s) FROM (SELECT c, sum(y) AS s FROM plain JOIN padded ON c = v GROUP BY c) q']) query;

-- ---- accounts of rows, limits that are suggested, costs of columns ----

CREATE TABLE kept (a int, b text COLLATE "C", x float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO kept VALUES (1, '2,3', 1), (1, '2', 2), (12, '3', 3), (1, '23', 4), (12, '', 5);
CREATE TABLE keyed AS SELECT * FROM kept;
ALTER TABLE keyed ADD PRIMARY KEY (a, b);
SELECT dpsens.protect('kept', 'a,b'), dpsens.protect('keyed'), dpsens.set_range('kept', 'x', 0, 8), dpsens.set_range('keyed', 'x', 0, 8);
SELECT lives_ok(format('SELECT dpsens.set_budget(%L, row_epsilon => 10)', t), 'units of one row have accounts: ' || t) FROM unnest('{kept,keyed}'::text[]) t;
SELECT dp_sum(x) FROM kept \g /dev/null
SELECT dp_sum(x) FROM keyed \g /dev/null
UPDATE kept SET x = 7 WHERE b = '2';
UPDATE keyed SET x = 7 WHERE b = '2';
SELECT dp_count(*) FROM kept WHERE x > 2 \g /dev/null
SELECT dp_count(*) FROM keyed WHERE x > 2 \g /dev/null
SELECT results_eq('SELECT * FROM dpsens.row_loss(''kept'') ORDER BY unit', 'SELECT * FROM dpsens.row_loss(''keyed'') ORDER BY unit', 'they lose what rows of that primary key do');
SELECT is((SELECT count(DISTINCT unit) FROM dpsens.row_loss('kept')), 5::bigint, 'each by itself');
SELECT is((SELECT count(*) FROM dpsens.row_loss('kept') WHERE epsilon > 0), 5::bigint, 'and have lost something');
SELECT throws_like('SELECT dpsens.set_budget(''stays'', row_epsilon => 1)', '%', 'units of several rows have none');
SELECT throws_like(format('SELECT dpsens.set_column_budget(''stays'', %L, 5)', c), '%', 'a column of the unit has no budget: ' || c) FROM unnest('{hospital,joined}'::text[]) c;
CREATE FUNCTION rungs(schema text) RETURNS int[] LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', schema || ', composite_tap, public', true);
    RETURN (SELECT array_agg(max_rows ORDER BY max_rows) FROM dpsens.suggest_limits('stays', 30));
END $$;
SELECT is(rungs('pairs'), rungs('singles'), 'limits are suggested');
SELECT lives_ok('SELECT * FROM dpsens.suggest_limits(''labs'', 1)', 'of units by reference, too');

-- ---- who may ask and not look ----

-- A count with epsilon 64 of units of 2 rows is off with a probability below 1e-13.
SELECT set_up('add_remove', 2);
SET search_path = pairs, composite_tap, public;
DROP ROLE IF EXISTS composite_tap_ana;
CREATE ROLE composite_tap_ana;
GRANT USAGE ON SCHEMA pairs, composite_tap TO composite_tap_ana;
SELECT dpsens.grant_budget(t, 'composite_tap_ana', epsilon => 100000) FROM unnest('{stays,people,visits,labs}'::regclass[]) t \g /dev/null
CREATE TABLE counts (n int GENERATED ALWAYS AS IDENTITY, query text, answer text);
INSERT INTO counts (query) VALUES ('SELECT dp_count(*) FROM visits'), ('SELECT dp_count(*) FROM stays s JOIN people p USING (hospital, patient, ward, joined) WHERE age < 50'), ('SELECT dp_count(*) FROM labs'),
    ('SELECT dp_count(*) FROM (SELECT hospital, patient, ward, joined, count(*) AS n FROM stays GROUP BY hospital, patient, ward, joined) s WHERE n > 4'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE (v.hospital, v.patient, v.ward, v.joined) = (p.hospital, p.patient, p.ward, p.joined) AND cost > 40)');
CREATE FUNCTION number(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
    EXECUTE query INTO result;
    RETURN result;
END $$;
SET dpsens.noise = off;
UPDATE counts SET answer = number(query);
RESET dpsens.noise;
SELECT dpsens.set_policy(t, epsilon => 64) FROM unnest('{stays,people,visits,labs}'::regclass[]) t \g /dev/null
GRANT SELECT ON counts TO composite_tap_ana;
SET ROLE composite_tap_ana;
SET dpsens.epsilon = 64;
SELECT throws_ok('SELECT * FROM stays', '42501', NULL, 'rows are not to be read');
SELECT is(number(query)::text, answer, 'as a role that may not look: ' || query) FROM counts ORDER BY n;
SELECT throws_ok('SELECT number(''SELECT dp_count(*) FROM (SELECT hospital, count(*) AS n FROM stays GROUP BY hospital) s'')', '0A000', NULL, 'and not of a part of the unit');
RESET ROLE;
SELECT * FROM finish();
RESET search_path;
SET dpsens.epsilon = 1;
DROP SCHEMA pairs, singles, composite_tap CASCADE;
DROP OWNED BY composite_tap_ana;
DROP ROLE composite_tap_ana;
