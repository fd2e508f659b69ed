-- Annotations, written by functions and by SECURITY LABEL.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';

CREATE SCHEMA annotated;
SET search_path = annotated, public;
CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad');
CREATE DOMAIN percent AS numeric CHECK (VALUE >= 0) CHECK (VALUE <= 100);
CREATE DOMAIN small_percent AS percent CHECK (VALUE <= 10);
CREATE TABLE patients (
    patient_id int PRIMARY KEY,
    age int NOT NULL,
    weight_kg float8,
    visits bigint,
    sex text,
    feels mood,
    smokes boolean,
    born date,
    seen timestamp,
    entered timestamptz,
    share percent,
    note json
);

CREATE VIEW labels AS
SELECT objname, label FROM pg_seclabels WHERE provider = 'dpsens' ORDER BY objname COLLATE "C";

-- nothing is protected yet
SELECT * FROM dpsens.columns WHERE relation = 'patients'::regclass;
SELECT dpsens.set_range('patients', 'age', 18, 100);

SELECT dpsens.protect('patients', unit => 'patient_id');
SELECT column_name, type, not_null, role, lo, hi, weight, "values", missing
FROM dpsens.columns WHERE relation = 'patients'::regclass;

SELECT dpsens.set_range('patients', 'weight_kg', 30, 250.5, 0.25);
SELECT dpsens.set_range('patients', 'visits', -3.5, 9007199254740992);
SELECT dpsens.set_values('patients', 'sex', 'Female', 'Male', 'it''s, "both"', 'größer ≥ 1', '', ']) PUBLIC');
SELECT dpsens.set_public('patients', 'feels');
SELECT dpsens.set_range('patients', 'born', '1920-01-01', '2020-12-31');
SELECT dpsens.set_range('patients', 'seen', '2020-01-01', '2020-12-31 23:59:59.25');
SELECT dpsens.set_range('patients', 'entered', '2020-01-01 00:00+02', '2020-12-31 23:59:59');
SELECT dpsens.set_range('patients', 'share', '0', '1e2');
SELECT * FROM labels;
SELECT column_name, role, lo, hi, weight, "values", missing
FROM dpsens.columns WHERE relation = 'patients'::regclass;

-- what is written reads back as the same
CREATE TEMP TABLE before AS SELECT * FROM dpsens.columns;
DO $$
DECLARE item record;
BEGIN
    FOR item IN SELECT * FROM pg_seclabels WHERE provider = 'dpsens' AND objname LIKE 'patients%' LOOP
        EXECUTE format('SECURITY LABEL FOR dpsens ON %s %s IS %L', item.objtype, item.objname, item.label);
    END LOOP;
END $$;
(TABLE before EXCEPT TABLE dpsens.columns) UNION ALL (TABLE dpsens.columns EXCEPT TABLE before);

-- clauses are merged, one at a time replaced
SELECT dpsens.set_range('patients', 'age', 0, 120, 2);
SELECT dpsens.set_values('patients', 'age', '18', '19', '20');
SELECT dpsens.set_public('patients', 'age');
SELECT label FROM labels WHERE objname = 'patients.age';
SELECT dpsens.set_range('patients', 'age', -0.0, 110);
SELECT label FROM labels WHERE objname = 'patients.age';
SELECT dpsens.clear('patients', 'age');
SELECT dpsens.clear('patients', 'age');
SELECT count(*) FROM labels WHERE objname = 'patients.age';
-- also within one statement
SELECT dpsens.set_range('patients', 'age', 18, 100), dpsens.set_values('patients', 'age', '18', '19');
SELECT label FROM labels WHERE objname = 'patients.age';

-- dates are read as the session writes them and stored as ISO 8601
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Asia/Tokyo';
SELECT dpsens.set_range('patients', 'born', '02/01/1921', '31/12/2020');
SELECT dpsens.set_range('patients', 'entered', '02/01/2020 09:00', '01/02/2020 09:00:00.5');
SELECT dpsens.set_values('patients', 'seen', '02/01/2020', '03/01/2020 12:30');
SELECT objname, label FROM labels WHERE label LIKE '%''____-__-__%';
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';
SELECT column_name, to_timestamp(lo) AS lo, to_timestamp(hi) AS hi, "values"
FROM dpsens.columns WHERE relation = 'patients'::regclass AND column_name IN ('born', 'seen', 'entered');

-- ranges of integers hold integers
SELECT dpsens.set_range('patients', 'age', 17.5, 99.9);
SELECT label FROM labels WHERE objname = 'patients.age';
SELECT lo, hi FROM dpsens.columns WHERE relation = 'patients'::regclass AND column_name = 'age';
SELECT dpsens.set_range('patients', 'age', 17, 1e12);
SELECT lo, hi FROM dpsens.columns WHERE relation = 'patients'::regclass AND column_name = 'age';

-- wrong ranges
SELECT dpsens.set_range('patients', 'age', 100, 18);
SELECT dpsens.set_range('patients', 'age', 18.2, 18.8);
SELECT dpsens.set_range('patients', 'age', 1e12, 2e12);
SELECT dpsens.set_range('patients', 'age', 'NaN', 18);
SELECT dpsens.set_range('patients', 'age', 18, float8 'NaN');
SELECT dpsens.set_range('patients', 'weight_kg', 0, float8 'Infinity');
SELECT dpsens.set_range('patients', 'weight_kg', '-inf', '0');
SELECT dpsens.set_range('patients', 'weight_kg', '1e999', '2e999');
SELECT dpsens.set_range('patients', 'weight_kg', '0x10', '0x20');
SELECT dpsens.set_range('patients', 'weight_kg', '1, 2] PUBLIC RANGE [1', '3');
SELECT dpsens.set_range('patients', 'visits', 0, 1e17);
SELECT dpsens.set_range('patients', 'sex', 1, 2);
SELECT dpsens.set_range('patients', 'feels', 'sad', 'glad');
SELECT dpsens.set_range('patients', 'smokes', 0, 1);
SELECT dpsens.set_range('patients', 'born', 0, 1);
SELECT dpsens.set_range('patients', 'born', '2020-01-01', 'infinity');
SELECT dpsens.set_range('patients', 'born', '0044-03-15 BC', '2020-01-01');
SELECT dpsens.set_range('patients', 'born', '2020-02-30', '2021-01-01');
SELECT dpsens.set_range('patients', 'born', '2020-02-01', '2019-01-01');
SELECT dpsens.set_range('patients', 'age', 0, 1, 0);
SELECT dpsens.set_range('patients', 'age', 0, 1, -1);
SELECT dpsens.set_range('patients', 'age', 0, 1, 'NaN');
SELECT dpsens.set_range('patients', 'age', 0, 1, 'Infinity');
-- wrong columns
SELECT dpsens.set_range('patients', 'height', 0, 1);
SELECT dpsens.set_range('patients', 'ctid', 0, 1);
SELECT dpsens.set_public('patients', 'xmin');
SELECT dpsens.clear('patients', 'nonesuch');
-- nulls
SELECT dpsens.set_range(NULL, 'age', 0, 1);
SELECT dpsens.set_range('patients', NULL, 0, 1);
SELECT dpsens.set_range('patients', 'age', NULL, 1);
SELECT dpsens.set_range('patients', 'age', 0, NULL);
SELECT dpsens.protect(NULL);
SELECT dpsens.set_values('patients', 'sex', VARIADIC NULL);
SELECT dpsens.set_values('patients', 'sex', 'a', NULL);
-- wrong values
SELECT dpsens.set_values('patients', 'sex', VARIADIC '{}');
SELECT dpsens.set_values('patients', 'sex', 'a', 'b', 'a');
SELECT dpsens.set_values('patients', 'age', '1', 'one');
SELECT dpsens.set_values('patients', 'age', '1', '01');
SELECT dpsens.set_values('patients', 'feels', 'sad', 'mad');
SELECT dpsens.set_values('patients', 'smokes', 'yes', 't');
SELECT dpsens.set_values('patients', 'share', '101');
SELECT dpsens.set_values('patients', 'note', '{}');
SELECT dpsens.set_values('patients', 'born', 'infinity');
-- wrong relations
SELECT dpsens.protect('nonesuch');
SELECT dpsens.protect(1::regclass);
SELECT dpsens.protect('labels');
SELECT dpsens.protect('patients_pkey');
SELECT dpsens.protect('pg_class');
CREATE MATERIALIZED VIEW kept AS SELECT 1 AS one;
SELECT dpsens.protect('kept');
SELECT dpsens.set_range('kept', 'one', 0, 1);
DROP MATERIALIZED VIEW kept;
-- wrong adjacencies and units
SELECT dpsens.protect('patients', adjacency => 'zero_out');
SELECT dpsens.protect('patients', unit => 'nonesuch');
SELECT dpsens.protect('patients', unit => 'ctid');
SELECT dpsens.protect('patients', unit => 'feels');
-- nothing of this has changed anything
SELECT * FROM labels;

-- the unit moves, the adjacency is replaced
SELECT dpsens.protect('patients', unit => 'sex', adjacency => 'replace');
SELECT objname, label FROM labels WHERE label ~ 'UNIT|PROTECTED';
SELECT column_name, missing FROM dpsens.columns WHERE relation = 'patients'::regclass AND role = 'unit';
ALTER TABLE patients ALTER sex SET NOT NULL;
SELECT column_name, missing FROM dpsens.columns WHERE relation = 'patients'::regclass AND role = 'unit';
CREATE UNIQUE INDEX partial ON patients (sex) WHERE age > 5;
CREATE UNIQUE INDEX lower_sex ON patients (lower(sex));
CREATE UNIQUE INDEX two ON patients (sex, age);
CREATE UNIQUE INDEX collated ON patients (sex COLLATE "C");
ALTER TABLE patients ADD CONSTRAINT late UNIQUE (sex) DEFERRABLE;
SELECT missing FROM dpsens.columns WHERE relation = 'patients'::regclass AND role = 'unit';
CREATE UNIQUE INDEX including ON patients (sex) INCLUDE (age);
SELECT missing FROM dpsens.columns WHERE relation = 'patients'::regclass AND role = 'unit';
CREATE TABLE inpatients () INHERITS (patients);
SELECT missing FROM dpsens.columns WHERE relation = 'patients'::regclass AND role = 'unit';
DROP TABLE inpatients;
SELECT dpsens.set_public('patients', 'sex');
SELECT dpsens.protect('patients', adjacency => 'METRIC');
SELECT objname, label FROM labels WHERE label ~ 'UNIT|PROTECTED';

-- labels written by hand
SECURITY LABEL FOR dpsens ON TABLE patients IS ' protected ';
SECURITY LABEL FOR dpsens ON TABLE patients IS 'PROTECTED ADJACENCY attribute';
SECURITY LABEL FOR dpsens ON TABLE patients IS 'PROTECTED ADJACENCY';
SECURITY LABEL FOR dpsens ON TABLE patients IS 'PROTECTED ADJACENCY zero_out';
SECURITY LABEL FOR dpsens ON TABLE patients IS 'PROTECTED twice';
SECURITY LABEL FOR dpsens ON TABLE patients IS 'RANGE [1, 2]';
SECURITY LABEL FOR dpsens ON TABLE patients IS '';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'range[18,100]weight 2 public';
SELECT role, lo, hi, weight FROM dpsens.columns WHERE relation = 'patients'::regclass AND column_name = 'age';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS '';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'PROTECTED';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE [18, 100';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE (18, 100)';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE [18, 100] RANGE [18, 100]';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE [''18'', ''100'']';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE [18, größer]';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'WEIGHT 2';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'RANGE [1, 2] WEIGHT much';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'VALUES (''1'', ''2''';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'VALUES ()';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'VALUES (1, 2)';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'VALUES (''1'', ''2'', ''+1'')';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'UNIT';
SECURITY LABEL FOR dpsens ON COLUMN patients.age IS 'UNIT PUBLIC';
SECURITY LABEL FOR dpsens ON COLUMN patients.born IS 'RANGE [''01/02/2020'', ''2021-12-31'']';
SECURITY LABEL FOR dpsens ON COLUMN patients.born IS 'RANGE [''2020-02-30'', ''2021-12-31'']';
SECURITY LABEL FOR dpsens ON COLUMN patients.born IS 'RANGE [''2020-01-01 10:00:00'', ''2021-12-31'']';
SECURITY LABEL FOR dpsens ON COLUMN patients.born IS 'RANGE [2020, 2021]';
SECURITY LABEL FOR dpsens ON COLUMN patients.entered IS 'RANGE [''2020-01-01T12:00:00-05:30'', ''2021-12-31Z'']';
SECURITY LABEL FOR dpsens ON COLUMN patients.entered IS 'VALUES (''2021-12-31'')';
SECURITY LABEL FOR dpsens ON COLUMN patients.ctid IS 'PUBLIC';
SECURITY LABEL FOR dpsens ON COLUMN patients.smokes IS 'WEIGHT 0.5';
SELECT column_name, role, lo, hi, weight, "values" FROM dpsens.columns
WHERE relation = 'patients'::regclass AND column_name IN ('entered', 'smokes');
SECURITY LABEL FOR dpsens ON COLUMN patients.smokes IS NULL;
-- on other objects
SECURITY LABEL FOR dpsens ON VIEW labels IS 'PROTECTED';
SECURITY LABEL FOR dpsens ON COLUMN labels.label IS 'PUBLIC';
SECURITY LABEL FOR dpsens ON SCHEMA annotated IS 'PROTECTED';
CREATE ROLE regress_dpsens_stranger;
SECURITY LABEL FOR dpsens ON ROLE regress_dpsens_stranger IS 'PROTECTED';
SECURITY LABEL FOR dpsens ON SCHEMA annotated IS NULL;
-- on functions
CREATE FUNCTION double_age(p patients) RETURNS int LANGUAGE sql IMMUTABLE RETURN p.age * 2;
CREATE FUNCTION text_age(p patients) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT p.age * 2';
CREATE FUNCTION age_of(age int) RETURNS int LANGUAGE sql IMMUTABLE RETURN age;
SECURITY LABEL FOR dpsens ON FUNCTION double_age(patients) IS 'EXPRESSION';
SECURITY LABEL FOR dpsens ON FUNCTION double_age(patients) IS 'EXPRESSION of age';
SECURITY LABEL FOR dpsens ON FUNCTION text_age(patients) IS 'EXPRESSION';
SECURITY LABEL FOR dpsens ON FUNCTION age_of(int) IS 'EXPRESSION';
SELECT objname, label FROM pg_seclabels WHERE provider = 'dpsens' AND objtype = 'function';
DROP FUNCTION double_age(patients), text_age(patients), age_of(int);

-- annotations follow renames, and go with what they are about
ALTER TABLE patients RENAME COLUMN age TO years;
ALTER TABLE patients RENAME TO people;
SELECT column_name, role, lo, hi FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'years';
ALTER TABLE people DROP COLUMN years;
ALTER TABLE people ADD COLUMN years int;
SELECT column_name, role, lo, hi, missing FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'years';
-- a type that no longer fits is reported, not used
ALTER TABLE people ALTER COLUMN weight_kg TYPE text;
SELECT column_name, role, lo, hi, missing FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'weight_kg';
SELECT dpsens.set_public('people', 'weight_kg');
SELECT dpsens.clear('people', 'weight_kg');
SELECT dpsens.unprotect('people');
SELECT dpsens.unprotect('people');
SELECT * FROM labels;
DROP TABLE people;

-- ranges from constraints
CREATE TABLE measured (
    a int CHECK (a BETWEEN 18 AND 100),
    b int CHECK (b > 0) CHECK (10 > b),
    c float8 CHECK (c > 0 AND c < 10 AND a <> 5),
    d float8 CHECK (d >= -1.5 AND d <= 2),
    e numeric(6,2) CHECK (e >= 0 AND e <= 99.5),
    f small_percent,
    g date CHECK (g >= '2020-01-01' AND g < '2021-01-01'),
    h timestamp CHECK (h BETWEEN '2020-01-01' AND '2020-12-31 12:00:00.5'),
    i timestamptz CHECK (i BETWEEN '2020-01-01 00:00+01' AND '2020-12-31Z'),
    j int CHECK (j >= 0),
    k int CHECK (k BETWEEN 0 AND 10 OR k IS NULL),
    l int CHECK (l > 5) CHECK (l < 5),
    m bigint CHECK (m BETWEEN 0 AND 9223372036854775807),
    n real CHECK (n BETWEEN 0.5 AND 7),
    o int CHECK (o = 3),
    p smallint CHECK (p::numeric BETWEEN -0.5 AND 2.5),
    q date CHECK (q > timestamptz '2020-01-01 00:00+00' AND q < timestamptz '2021-01-01 00:00+00'),
    r float8,
    s int CHECK (abs(s) <= 5),
    t int CHECK (t BETWEEN -(1 + 1) AND length('four')),
    u text CHECK (u BETWEEN 'a' AND 'z'),
    v small_percent CHECK (v > 5)
);
ALTER TABLE measured ADD CHECK (r BETWEEN 0 AND 1) NOT VALID;
SELECT dpsens.protect('measured');
SELECT dpsens.set_range('measured', 'a', 0, 1, 3);
SELECT dpsens.set_range('measured', 'r', 5, 6);
SELECT * FROM dpsens.set_range_from_checks('measured');
SELECT * FROM labels WHERE objname <> 'measured';
ALTER TABLE measured VALIDATE CONSTRAINT measured_r_check;
SELECT column_name, lo, hi FROM dpsens.set_range_from_checks('measured') WHERE column_name = 'r';
SELECT dpsens.set_range_from_checks(NULL);
SELECT dpsens.set_range_from_checks('labels');
DROP TABLE measured;

-- partitions and constraints that children need not obey
CREATE TABLE visits (visit_id int PRIMARY KEY, cost int) PARTITION BY RANGE (visit_id);
CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM (1) TO (100);
SELECT dpsens.protect('visits', 'visit_id');
SELECT column_name, role, missing FROM dpsens.columns WHERE relation = 'visits'::regclass;
CREATE TABLE parent (x int, CONSTRAINT own CHECK (x BETWEEN 1 AND 2) NO INHERIT);
SELECT dpsens.protect('parent');
SELECT * FROM dpsens.set_range_from_checks('parent');
CREATE TABLE child () INHERITS (parent);
SELECT * FROM dpsens.set_range_from_checks('parent');
DROP TABLE visits, parent, child;

-- who may annotate, and who may look
CREATE TABLE owned (x int);
SELECT dpsens.protect('owned');
GRANT ALL ON TABLE owned TO regress_dpsens_stranger;
GRANT USAGE ON SCHEMA annotated TO regress_dpsens_stranger;
SET ROLE regress_dpsens_stranger;
SELECT dpsens.protect('owned');
SELECT dpsens.unprotect('owned');
SELECT dpsens.set_range('owned', 'x', 0, 1);
SELECT dpsens.set_values('owned', 'x', '1');
SELECT dpsens.set_public('owned', 'x');
SELECT dpsens.clear('owned', 'x');
SELECT dpsens.set_range_from_checks('owned');
SECURITY LABEL FOR dpsens ON TABLE owned IS 'PROTECTED';
SELECT column_name, role FROM dpsens.columns WHERE relation = 'owned'::regclass;
CREATE TEMP TABLE mine (x int);
SELECT dpsens.protect('mine');
SELECT dpsens.set_range('mine', 'x', 0, 1);
SELECT column_name, role, lo, hi FROM dpsens.columns WHERE relation = 'mine'::regclass;
DROP TABLE mine;
RESET ROLE;
BEGIN READ ONLY;
SELECT dpsens.protect('owned');
ROLLBACK;

-- a new annotation makes prepared plans anew: only then do they follow a
-- changed planner setting
CREATE TABLE planned (x int PRIMARY KEY);
CREATE FUNCTION next_x(p planned) RETURNS int LANGUAGE sql IMMUTABLE RETURN p.x + 1;
SET plan_cache_mode = force_generic_plan;
PREPARE look AS SELECT x FROM planned WHERE x = $1;
PREPARE look_next AS SELECT next_x(p) FROM planned p WHERE x = $1;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) EXECUTE look(1);
EXPLAIN (COSTS OFF) EXECUTE look_next(1);
SET enable_seqscan = on;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
EXPLAIN (COSTS OFF) EXECUTE look(1);
EXPLAIN (COSTS OFF) EXECUTE look_next(1);
SECURITY LABEL FOR dpsens ON FUNCTION next_x(planned) IS 'EXPRESSION';
EXPLAIN (COSTS OFF) EXECUTE look(1);
EXPLAIN (COSTS OFF) EXECUTE look_next(1);
SECURITY LABEL FOR dpsens ON COLUMN planned.x IS 'RANGE [0, 1]';
EXPLAIN (COSTS OFF) EXECUTE look(1);

SET client_min_messages = warning;
DROP SCHEMA annotated CASCADE;
DROP ROLE regress_dpsens_stranger;
