-- The clinic that the documents ask: made rows, the same everywhere.
SET client_min_messages = warning;
CREATE EXTENSION dpsens;
RESET client_min_messages;

CREATE TABLE wards (id int PRIMARY KEY, name text NOT NULL, region text NOT NULL, factor float8 NOT NULL);
INSERT INTO wards VALUES (1, 'Heart', 'north', 1.5), (2, 'Lung', 'north', 1), (3, 'Bones', 'south', 0.5);

CREATE TABLE patients (
    patient_id int PRIMARY KEY, age int NOT NULL, sex text NOT NULL, smoker boolean NOT NULL, city text NOT NULL,
    weight_kg float8, height_cm float8, admitted date NOT NULL, ward int NOT NULL REFERENCES wards);
INSERT INTO patients
SELECT i, 18 + i * 7 % 83, CASE WHEN i % 2 = 0 THEN 'Female' ELSE 'Male' END, i % 5 = 0,
    CASE WHEN i % 3 = 0 THEN 'Ulm' WHEN i % 10 = 1 THEN 'Bad Urach' WHEN i = 500 THEN 'Sipplingen' ELSE 'Stuttgart' END,
    CASE WHEN i % 20 <> 0 THEN 50 + i * 13 % 71 END, 150 + i * 11 % 50, date '2024-01-01' + i % 366, 1 + i % 3
FROM generate_series(1, 1000) AS i;

-- between one and five of a patient
CREATE TABLE visits (
    visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, seen date NOT NULL, diagnosis text NOT NULL, cost numeric NOT NULL);
INSERT INTO visits
SELECT 10 * i + k, i, date '2024-01-01' + (i + 60 * k) % 366, (ARRAY['E11', 'I10', 'J45', 'M54'])[1 + (i + k) % 4], 40 + i * k % 160
FROM generate_series(1, 1000) AS i, generate_series(1, 1 + i % 5) AS k;

CREATE TABLE treatments (treatment_id int PRIMARY KEY, visit_id int NOT NULL REFERENCES visits, minutes int NOT NULL);
INSERT INTO treatments SELECT 10 * visit_id + k, visit_id, 5 + visit_id * k % 50 FROM visits, generate_series(1, 2) AS k;
ANALYZE;
