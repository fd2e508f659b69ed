-- A hospital of generated patients: schema hospital, for docs/cookbook.md and test/pgtap/hospital.sql.
-- Rows are computed of their numbers, so that they are the same each time: 4,000 patients make 24,644 rows;
-- psql -v patients=40000 makes ten times as many.
\if :{?patients}
\else
\set patients 4000
\endif
CREATE SCHEMA hospital;
SET search_path = hospital, public;
CREATE TABLE wards (ward text PRIMARY KEY, beds int NOT NULL);
CREATE TABLE doctors (doctor_id int PRIMARY KEY, name text NOT NULL, ward text NOT NULL REFERENCES wards);
CREATE TABLE patients (
    patient_id int PRIMARY KEY, name text NOT NULL, born date NOT NULL CHECK (born BETWEEN '1900-01-01' AND '2024-12-31'),
    sex text NOT NULL CHECK (sex IN ('f', 'm')), insurance text NOT NULL CHECK (insurance IN ('public', 'private', 'none')),
    district text NOT NULL, weight_kg float8);
CREATE TABLE visits (
    visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, ward text NOT NULL REFERENCES wards,
    doctor_id int NOT NULL REFERENCES doctors, admitted date NOT NULL CHECK (admitted BETWEEN '2024-01-01' AND '2024-12-31'),
    days int NOT NULL CHECK (days BETWEEN 0 AND 60), urgent boolean NOT NULL, notes text);
CREATE TABLE labs (
    lab_id int PRIMARY KEY, visit_id int NOT NULL REFERENCES visits, test text NOT NULL CHECK (test IN ('glucose', 'hba1c', 'sodium')),
    value float8 NOT NULL, taken timestamp NOT NULL);
INSERT INTO wards VALUES ('bones', 40), ('children', 25), ('heart', 30), ('lung', 20);
INSERT INTO doctors SELECT i, 'Dr. ' || chr(64 + i), (ARRAY['bones', 'children', 'heart', 'lung'])[1 + i % 4] FROM generate_series(1, 16) AS i;
INSERT INTO patients
    SELECT i, 'patient ' || i, date '1930-01-01' + i * 7919 % 33000, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END,
        (ARRAY['public', 'public', 'public', 'private', 'none'])[1 + i * 31 % 5], (ARRAY['east', 'north', 'south'])[1 + i * 13 % 3], 45 + i * 17 % 60
    FROM generate_series(1, :patients) AS i;
-- one or two visits, and of every 50th patient 12
INSERT INTO visits
    SELECT row_number() OVER (ORDER BY i, k), i, d.ward, d.doctor_id, date '2024-01-01' + (i * 37 + k * 61) % 366, 1 + i * k * 11 % 21, (i + k) % 3 = 0, 'seen'
    FROM generate_series(1, :patients) AS i, generate_series(1, CASE WHEN i % 50 = 0 THEN 12 ELSE 1 + i % 2 END) AS k, doctors d
    WHERE d.doctor_id = 1 + (i * 3 + k * 7) % 16;
-- one to three tests in a visit
INSERT INTO labs
    SELECT row_number() OVER (ORDER BY visit_id, k), visit_id, (ARRAY['glucose', 'hba1c', 'sodium'])[k],
        (ARRAY[4 + visit_id * 7 % 60 / 10.0, 4 + visit_id * 11 % 80 / 10.0, 130 + visit_id % 20])[k], admitted + interval '1 hour' * (8 + k)
    FROM visits, generate_series(1, 1 + visit_id % 3) AS k;
