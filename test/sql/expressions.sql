-- Registered row expressions.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP ROLE IF EXISTS regress_dpsens_curator, regress_dpsens_other;
CREATE ROLE regress_dpsens_curator;
CREATE ROLE regress_dpsens_other;
CREATE SCHEMA clinic AUTHORIZATION regress_dpsens_curator;
GRANT USAGE ON SCHEMA clinic TO regress_dpsens_other;
SET extra_float_digits = -3;
SET search_path = clinic, public;
SET TimeZone = 'UTC';
\set SHOW_CONTEXT never

SET ROLE regress_dpsens_curator;
CREATE TABLE patients (
    patient_id int PRIMARY KEY,
    age int NOT NULL,
    weight_kg float8 NOT NULL,
    height_cm float8 NOT NULL,
    "Pulse Rate" numeric,
    smoker boolean NOT NULL,
    seen timestamptz,
    born date NOT NULL,
    price float8 NOT NULL,
    r float8 NOT NULL,
    name text
);
SELECT dpsens.protect('patients', unit => 'patient_id', adjacency => 'replace');
SELECT dpsens.set_range('patients', 'age', 18, 100);
SELECT dpsens.set_range('patients', 'weight_kg', 30, 250);
SELECT dpsens.set_range('patients', 'height_cm', 120, 220, weight => 0.5);
SELECT dpsens.set_range('patients', 'Pulse Rate', 40, 200);
SELECT dpsens.set_range('patients', 'seen', '2020-01-01', '2020-01-02');
SELECT dpsens.set_range('patients', 'born', '1920-01-01', '2002-01-01');
SELECT dpsens.set_range('patients', 'r', -1, 1);

-- Registering makes a function of the row type.
SELECT dpsens.register('bmi_age', 'patients', 'age * weight_kg / (height_cm / 100) ^ 2');
\sf bmi_age
SELECT provolatile, proparallel, proisstrict FROM pg_proc WHERE oid = 'bmi_age'::regproc;
SELECT provider, label FROM pg_seclabel WHERE objoid = 'bmi_age'::regproc;
INSERT INTO patients VALUES (1, 40, 70, 170, 60, true, '2020-01-01 06:00', '1980-01-01', 3, 0.5, 'x');
SELECT bmi_age(p), p.bmi_age, age * weight_kg / (height_cm / 100) ^ 2 AS written FROM patients AS p;

SELECT dpsens.register('pulse', 'patients', 'coalesce("Pulse Rate", 60) + patients.age');
SELECT dpsens.register('smoked', 'patients', 'CASE WHEN smoker THEN age - 10 ELSE 0 END');
SELECT dpsens.register('waited', 'patients', 'extract(epoch FROM seen) / 3600');
SELECT dpsens.register('lived', 'patients', '(extract(epoch FROM seen) - extract(epoch FROM born)) / 86400');
SELECT dpsens.register('r1', 'patients', 'r ^ 2 + r');
\sf pulse
\sf smoked
\sf waited
\sf r1
SELECT pulse(p), smoked(p), waited(p), lived(p), r1(p) FROM patients AS p;
SELECT proname, provolatile FROM pg_proc WHERE pronamespace = 'clinic'::regnamespace ORDER BY proname;

SELECT name, relation, function, expression, gradient, norm, adjacency FROM dpsens.expressions;
SELECT name, infimum, supremum, add_remove, replace, attribute, metric, note FROM dpsens.expressions;
SELECT name, expression_latex, gradient_latex, norm_latex FROM dpsens.expressions WHERE name = 'bmi_age';
SELECT jsonb_pretty(witness) FROM dpsens.expressions WHERE name = 'bmi_age';

-- Renames are followed, and so are new ranges.
ALTER TABLE patients RENAME COLUMN weight_kg TO "Weight";
ALTER TABLE patients RENAME TO persons;
SELECT name, relation, expression, supremum FROM dpsens.expressions WHERE name = 'bmi_age';
SELECT dpsens.set_range('persons', 'Weight', 30, 100);
SELECT name, relation, expression, supremum FROM dpsens.expressions WHERE name = 'bmi_age';
-- One without a range any more says so and leaves the others alone.
SELECT dpsens.clear('persons', 'Weight');
SELECT name, expression, supremum, note FROM dpsens.expressions WHERE name IN ('bmi_age', 'r1');
SELECT dpsens.set_range('persons', 'Weight', 30, 250);
-- What it uses cannot be dropped beneath it.
ALTER TABLE persons DROP COLUMN "Weight";
ALTER TABLE persons ALTER COLUMN "Weight" TYPE numeric;
ALTER TABLE persons RENAME COLUMN "Weight" TO weight_kg;
ALTER TABLE persons RENAME TO patients;

-- Two relations may use one name.
CREATE TABLE staff (age int NOT NULL, salary numeric NOT NULL);
SELECT dpsens.set_range('staff', 'age', 18, 70);
SELECT dpsens.set_range('staff', 'salary', 0, 1000);
SELECT dpsens.set_public('staff', 'age');
SELECT dpsens.register('bmi_age', 'staff', 'salary / age');
SELECT name, relation, expression, gradient, norm, adjacency, supremum, attribute, metric FROM dpsens.expressions WHERE name = 'bmi_age';
SELECT dpsens.unregister('bmi_age', 'staff');
SELECT name, relation FROM dpsens.expressions WHERE name = 'bmi_age';

-- Registered by hand: any SQL function of the row with a parsed body.
CREATE FUNCTION by_hand(p patients) RETURNS float8 RETURN p.age + 1;
SECURITY LABEL FOR dpsens ON FUNCTION by_hand IS 'EXPRESSION';
CREATE FUNCTION too_much(p patients) RETURNS float8 RETURN (SELECT count(*) FROM pg_class);
SECURITY LABEL FOR dpsens ON FUNCTION too_much IS 'EXPRESSION';
CREATE FUNCTION unbounded(p patients) RETURNS float8 RETURN 1 / p.r;
SECURITY LABEL FOR dpsens ON FUNCTION unbounded IS 'EXPRESSION';
CREATE FUNCTION stepped(p patients) RETURNS float8 RETURN floor(p.r);
SECURITY LABEL FOR dpsens ON FUNCTION stepped IS 'EXPRESSION';
SELECT name, expression, infimum, supremum, add_remove, attribute, metric, note
FROM dpsens.expressions WHERE name IN ('by_hand', 'too_much', 'unbounded', 'stepped');

-- Refusals.
SELECT dpsens.register('bad', 'patients', '1 / r');
SELECT dpsens.register('bad', 'patients', 'ln(weight_kg - 40)');
SELECT dpsens.register('bad', 'patients', 'price * 2');
SELECT dpsens.register('bad', 'patients', 'age + length(name)');
SELECT dpsens.register('bad', 'patients', 'name');
SELECT dpsens.register('bad', 'patients', 'smoker');
SELECT dpsens.register('bad', 'patients', 'age + nope');
SELECT dpsens.register('bad', 'patients', 'age + tableoid::int');
SELECT dpsens.register('bad', 'patients', 'patients');
SELECT dpsens.register('bad', 'patients', 'patients.*');
SELECT dpsens.register('bad', 'patients', 'bmi_age(patients)');
SELECT dpsens.register('bad', 'patients', 'extract(epoch FROM seen - born)');
SELECT dpsens.register('bad', 'patients', 'seen');
SELECT dpsens.register('bad', 'patients', 'age; DROP TABLE patients');
SELECT dpsens.register('bad', 'patients', 'avg(age)');
SELECT dpsens.register('age', 'patients', 'age + 1');
SELECT dpsens.register('bmi_age', 'patients', 'age + 1');
SELECT dpsens.register(NULL, 'patients', 'age + 1');
SELECT dpsens.register('bad', NULL, 'age + 1');
SELECT dpsens.register('bad', 'patients', NULL);
SELECT dpsens.unregister('nope', 'patients');
CREATE FUNCTION plain(p patients) RETURNS float8 RETURN p.age;
SELECT dpsens.unregister('plain', 'patients');
CREATE VIEW adults AS SELECT * FROM patients;
SELECT dpsens.register('bad', 'adults', 'age + 1');
CREATE VIEW uses AS SELECT p.bmi_age FROM patients AS p;
SELECT dpsens.unregister('bmi_age', 'patients');
DROP VIEW uses;

-- Names that need quotes.
CREATE TABLE "Odd ""Table" ("Age" int NOT NULL, age int NOT NULL);
SELECT dpsens.set_range('"Odd ""Table"', 'Age', 0, 1);
SELECT dpsens.register('My "expr"', '"Odd ""Table"', '"Age" * 2');
SELECT dpsens.register('bad', '"Odd ""Table"', 'age * 2');
SELECT name, relation, function, expression, supremum FROM dpsens.expressions WHERE name ~ 'My';
SELECT dpsens.unregister('My "expr"', '"Odd ""Table"');

-- Only the owner registers; what is registered is for all to see.
SET ROLE regress_dpsens_other;
SELECT dpsens.register('bad', 'patients', 'age + 1');
SELECT dpsens.unregister('bmi_age', 'patients');
SELECT name, expression, supremum FROM dpsens.expressions WHERE name = 'bmi_age';
RESET ROLE;

-- Without the right to create functions in the schema, there is none.
REVOKE CREATE ON SCHEMA clinic FROM regress_dpsens_curator;
ALTER SCHEMA clinic OWNER TO CURRENT_USER;
GRANT USAGE ON SCHEMA clinic TO regress_dpsens_curator;
SET ROLE regress_dpsens_curator;
SELECT dpsens.register('bad', 'patients', 'age + 1');
SET default_transaction_read_only = on;
SELECT dpsens.register('bad', 'patients', 'age + 1');
RESET default_transaction_read_only;
SELECT dpsens.unregister('r1', 'patients');
RESET ROLE;

-- A temporary table's expression: its schema must be named.
CREATE TEMP TABLE scratch (x float8 NOT NULL);
SELECT dpsens.set_range('scratch', 'x', 0, 2);
SELECT dpsens.register('square', 'scratch', 'x ^ 2') IS NOT NULL AS registered;
INSERT INTO scratch VALUES (3);
SELECT pg_temp.square(s) FROM scratch AS s;
SELECT name, relation, expression, supremum FROM dpsens.expressions WHERE name = 'square';

DROP TABLE scratch CASCADE;
DROP SCHEMA clinic CASCADE;
DROP ROLE regress_dpsens_curator, regress_dpsens_other;
